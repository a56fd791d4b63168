//! Judges settings by the edit similarity of the pairs of the sample.

use super::{SampleJoin, Setting, Tuner, step_name};
use crate::jobs::dedup::{Dedup, Method, Run};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::recall::Share;
use crate::jobs::results::numbers;
use datafusion::common::{Result, exec_err};
use datafusion::prelude::SessionContext;

impl Tuner<'_> {
    /// The settings, judged by the edit similarity of the pairs of the sample, and the joins that found these pairs: for
    /// each shingle the one at the lowest threshold, which finds the pairs of all thresholds.
    pub(super) async fn by_edits(&self, job: &mut Job) -> Result<(Vec<Setting>, Vec<SampleJoin>)> {
        let thresholds = self.options.thresholds();
        let wanted = format!("edit_similarity >= {:?}", self.options.min_edit_similarity);
        let (mut names, mut joins) = (vec![], vec![]);
        for shingle in &self.options.shingles {
            let options = Dedup {
                threshold: thresholds.first().copied(),
                shingle: Some(shingle.clone()),
                method: Method::Exact,
                ..self.options.corpus.clone()
            };
            let run = Run::new(&options, &self.input)?;
            let values = run.values(job);
            let sampled = step_name("sampled", shingle);
            let record = job
                .step(
                    &sampled,
                    Output::Step,
                    async |job: &Job| job.plan(statement!("sampled_pairs"), &values).await,
                    async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
                )
                .await?;
            joins.push(SampleJoin {
                shingle: shingle.clone(),
                threshold: run.threshold(),
                target_recall: None,
                seconds: record.seconds,
            });
            let sampled = job.context().table(&sampled).await?.into_view();
            job.context().deregister_table("sampled_pairs")?;
            job.context().register_table("sampled_pairs", sampled)?;
            let name = step_name("pairs", shingle);
            job.step(
                &name,
                Output::Step,
                async |job: &Job| job.plan(statement!("judged_pairs"), &values).await,
                async |context: &SessionContext, _, record: &mut StepRecord| {
                    let unknown =
                        format!("SELECT count(*) FROM {name} WHERE edit_similarity IS NULL");
                    match numbers(context, &unknown).await?[0] {
                        0 => Ok(()),
                        pairs => exec_err!("step {}: {pairs} pairs have no texts", record.name),
                    }
                },
            )
            .await?;
            names.push(name);
        }
        let all: Vec<String> = names
            .iter()
            .map(|name| format!("SELECT id_a, id_b FROM {name} WHERE {wanted}"))
            .collect();
        let all = format!(
            "SELECT id_a, id_b FROM ({}) GROUP BY id_a, id_b",
            all.join(" UNION ALL ")
        );
        let (all, trials) = counts(job, &all).await?;
        let mut settings = vec![];
        for (shingle, name) in self.options.shingles.iter().zip(&names) {
            for threshold in &thresholds {
                let pairs = format!("SELECT * FROM {name} WHERE similarity >= {threshold:?}");
                let (count, of_pairs) = counts(job, &pairs).await?;
                let (found, _) = counts(job, &format!("{pairs} AND {wanted}")).await?;
                // The other text of a pair may be of the sample, too.
                let similar = format!(
                    "SELECT count(*) FROM (SELECT id_a AS id FROM ({pairs}) UNION \
                     SELECT pairs.id_b AS id FROM ({pairs}) AS pairs JOIN sample ON pairs.id_b = sample.id)"
                );
                let similar = numbers(job.context(), &similar).await?;
                settings.push(Setting {
                    similar: similar.first().copied(),
                    precision: Share::of(found, count, of_pairs),
                    recall: Share::of(found, all, trials),
                    ..Setting::of(shingle, *threshold, count, found, all)
                });
            }
        }
        Ok((settings, joins))
    }
}

/// The number of pairs of a query for `id_a` and others, and the number of independent trials that they count as: the
/// pairs of one `id_a` depend on each other (Kish 1965).
async fn counts(job: &Job, pairs: &str) -> Result<(i64, f64)> {
    let sql = format!(
        "SELECT coalesce(sum(n), 0) AS pairs, coalesce(sum(n * n), 0) AS squares \
         FROM (SELECT count(*) AS n FROM ({pairs}) GROUP BY id_a)"
    );
    let found = numbers(job.context(), &sql).await?;
    let pairs = found[0] as f64;
    Ok((found[0], pairs * pairs / found[1].max(1) as f64))
}
