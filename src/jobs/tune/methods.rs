//! Measures which pairs MinHash finds at a setting.

use super::{MethodRecall, SampleJoin, Setting, Tuner, step_name};
use crate::functions::Value;
use crate::jobs::dedup::{Dedup, Method, Run};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::recall::recall;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::choose_bands;
use std::collections::BTreeMap;

/// Target recalls of MinHash that are tried.
const TARGET_RECALLS: [f64; 3] = [0.9, 0.95, 0.99];

impl Tuner<'_> {
    /// MinHash at a setting, by target recall, and the joins that ran. `has_pairs`: whether the job has the pairs at the
    /// lowest threshold.
    pub(super) async fn methods(
        &self,
        job: &mut Job,
        setting: &Setting,
        has_pairs: bool,
    ) -> Result<(Vec<MethodRecall>, Vec<SampleJoin>)> {
        let options = Dedup {
            threshold: Some(setting.threshold),
            shingle: Some(setting.shingle.clone()),
            method: Method::Auto,
            ..self.options.corpus.clone()
        };
        let run = Run::new(&options, &self.input)?;
        let values = run.values(job);
        let join = |target_recall: Option<f64>, seconds: f64| SampleJoin {
            shingle: setting.shingle.clone(),
            threshold: setting.threshold,
            target_recall,
            seconds,
        };
        let mut joins = vec![];
        if has_pairs {
            let pairs = format!(
                "SELECT id_a, id_b, similarity FROM {} WHERE similarity >= {:?}",
                step_name("pairs", &setting.shingle),
                setting.threshold
            );
            let pairs = job.context().sql(&pairs).await?.into_view();
            job.context().register_table("true_pairs", pairs)?;
        } else {
            let record = job
                .step(
                    "true_pairs",
                    Output::Step,
                    async |job: &Job| job.plan(statement!("sampled_pairs"), &values).await,
                    async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
                )
                .await?;
            joins.push(join(None, record.seconds));
        }
        let mut methods = vec![];
        for target_recall in TARGET_RECALLS {
            let bands = choose_bands(setting.threshold, target_recall, options.num_hashes);
            let Ok(bands) = bands else { continue };
            let values = values.clone();
            let (method, seconds) =
                minhash(job, values, target_recall, bands.bands, bands.rows).await?;
            methods.push(method);
            joins.push(join(Some(target_recall), seconds));
        }
        Ok((methods, joins))
    }
}

/// What MinHash finds of the view `true_pairs`, and how many seconds its join took.
async fn minhash(
    job: &mut Job,
    mut values: BTreeMap<String, Value>,
    target_recall: f64,
    bands: usize,
    rows: usize,
) -> Result<(MethodRecall, f64)> {
    for (name, number) in [
        ("bands", bands),
        ("rows", rows),
        ("num_hashes", bands * rows),
    ] {
        values.insert(name.to_owned(), Value::Integer(number as i64));
    }
    let name = format!("minhash_{}", (target_recall * 100.0).round());
    let record = job
        .step(
            &name,
            Output::Step,
            async |job: &Job| job.plan(statement!("sampled_minhash"), &values).await,
            async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
        )
        .await?;
    let seconds = record.seconds;
    let all = recall(job.context(), &name, "true_pairs", 1).await?.all;
    let recall = MethodRecall {
        target_recall,
        bands,
        rows,
        pairs: all.map_or(0, |all| all.pairs),
        found: all.map_or(0, |all| all.found),
        recall: all.map(|all| all.share),
    };
    Ok((recall, seconds))
}
