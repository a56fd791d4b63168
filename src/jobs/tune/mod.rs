//! The `tune` job: tries shingles, thresholds and methods on a sample of a corpus, and reports which find the wanted
//! pairs.
//!
//! ```text
//! texts ─> sample ─> pairs by shingle ─> judged pairs ─> costs ─> settings ─> pairs of MinHash ─> methods
//! ```
//!
//! The texts of the sample are compared with all texts of the corpus, so that all pairs of a sampled text are found,
//! not only the few whose other text is also in the sample.
//!
//! `options`: the options of a job; `edits` and `labels` judge settings, by the edit similarity of pairs or by labels;
//! `costs` estimates what joins of the whole corpus cost at each setting; `methods` measures MinHash at the
//! best setting; `result`: what is found; `tables` writes it.

mod costs;
mod edits;
mod labels;
mod methods;
mod options;
mod result;
mod tables;

pub use options::Tune;
pub use result::{LabelCounts, MethodRecall, SampleJoin, Setting, TuneResult};

use super::dedup::Run;
use super::figures::Figure;
use super::inputs;
use super::job::{Job, Output, Progress};
use super::manifest::{Manifest, StepRecord};
use super::table;
use crate::files::{Input, Kind, caught, resolve, resolve_second};
use crate::functions::Value;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use result::best;
use std::collections::BTreeMap;
use std::sync::Arc;
use tables::{write_methods, write_settings};

/// The columns of labelled pairs.
const LABEL_COLUMNS: [&str; 3] = ["id_a", "id_b", "label"];

/// Runs or resumes the job, which writes `settings.parquet` and `methods.parquet`.
///
/// # Errors
/// As [`super::dedup`], and if the labels have no pair whose ids are in the corpus.
pub async fn tune(
    options: &Tune,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<(Job, TuneResult)> {
    options.check()?;
    let corpus = &options.corpus;
    let state = context.state();
    let input = resolve(&corpus.inputs, &state).await?;
    let texts = corpus.texts();
    let input = (texts.iter()).fold(input, |input, text| input.with_texts_in(text));
    let labels = match &options.labels {
        Some(file) => {
            let files = std::slice::from_ref(file);
            Some(resolve_second(files, &LABEL_COLUMNS, &[], &input, &state).await?)
        }
        None => None,
    };
    table::check_options(&input, labels.as_ref())?;
    let run = Run::new(corpus, &input)?;
    let mut files = inputs::identify(&input, &context.runtime_env()).await?;
    for input in [Some(&input), labels.as_ref()].into_iter().flatten() {
        inputs::refuse_inside(input, &corpus.output, &context.runtime_env())?;
    }
    if let Some(labels) = &labels {
        files.extend(inputs::identify(labels, &context.runtime_env()).await?);
    }
    if input.kind != Kind::Dump {
        // Checked before the directory is made, so that a misspelt column leaves none behind.
        run.columns(&context, &input).await?;
    }
    let mut parameters = run.parameters();
    for unused in UNUSED {
        parameters.remove(unused);
    }
    parameters.extend(options.parameters());
    for (name, value) in input.reading.given() {
        parameters.insert((*name).to_owned(), value.clone().into());
    }
    let manifest = Manifest::new("tune", files, parameters);
    let overwrite = corpus.overwrite;
    let mut job = Job::open(&corpus.output, manifest, overwrite, context, progress).await?;
    let read = caught(async {
        match input.kind {
            Kind::Dump => run.sentences(&mut job, &input).await?,
            _ => run.table(&mut job, &input).await?,
        }
        run.texts(&mut job).await
    });
    if let Err(error) = read.await {
        return Err(table::named(&input, &job, error).await);
    }
    let tuning = Tuner { options, input }.tuned(&mut job, labels).await?;
    job.finish().await?;
    Ok((job, tuning))
}

/// Parameters of `dedup` that a `tune` job does not have.
const UNUSED: [&str; 8] = [
    "threshold",
    "shingle",
    "method",
    "target_recall",
    "pairs",
    "resolution",
    "keep",
    "max_bucket_pairwise",
];

/// A job after its first steps.
struct Tuner<'a> {
    options: &'a Tune,
    input: Input,
}

impl Tuner<'_> {
    async fn tuned(&self, job: &mut Job, labels: Option<Input>) -> Result<TuneResult> {
        let texts = job.figure(Figure::DistinctTexts) as i64;
        let sample = Value::Integer(self.options.sample as i64);
        let values = BTreeMap::from([("sample".to_owned(), sample)]);
        let sampled = job
            .step(
                "sample",
                Output::Step,
                async |job: &Job| job.plan(statement!("sample"), &values).await,
                async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
            )
            .await?
            .rows as i64;
        let items = statement!("sampled_items");
        job.view("sampled_items", items, &BTreeMap::new()).await?;
        let (mut settings, mut joins, labels) = match &labels {
            Some(labels) => {
                let labels = self.labels(job, labels).await?;
                (self.by_labels(job).await?, vec![], Some(labels))
            }
            None => {
                let (settings, joins) = self.by_edits(job).await?;
                (settings, joins, None)
            }
        };
        // Both are in the order of shingles and thresholds.
        for (setting, costs) in settings.iter_mut().zip(self.costs(job).await?) {
            setting.comparisons = costs.comparisons;
            setting.cost_of_exact = costs.exact;
            setting.cost_of_minhash = costs.minhash;
        }
        write_settings(job, &settings).await?;
        let best = best(&settings);
        let mut methods = vec![];
        if let Some(best) = best {
            let setting = &settings[best];
            let (of_setting, more) = self.methods(job, setting, labels.is_none()).await?;
            methods = of_setting;
            joins.extend(more);
        }
        write_methods(job, &methods).await?;
        Ok(TuneResult {
            texts,
            sample: sampled,
            labels,
            settings,
            best,
            methods,
            joins,
            reading: (self.input.reading.given().iter())
                .map(|(option, _)| *option)
                .filter(|option| self.input.has_option(option))
                .collect(),
        })
    }
}

/// The name of a step for a shingle.
fn step_name(what: &str, shingle: &str) -> String {
    format!("{what}_{}", shingle.replace(':', "_"))
}
