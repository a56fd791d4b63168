//! Estimates what joins of the whole corpus cost at each setting.

use super::{Tuner, step_name};
use crate::functions::Value;
use crate::jobs::dedup::{Dedup, JoinCosts, Method, PrefixSample, Run, tokens};
use crate::jobs::figures::Figure;
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::check_one_row;
use crate::jobs::statement::plan;
use datafusion::common::Result;
use datafusion::prelude::{DataFrame, SessionContext};
use std::collections::BTreeMap;

impl Tuner<'_> {
    /// The estimated costs of joins of the whole corpus with itself, by shingle and threshold. They follow from the counts
    /// of all shingles and of those that are keys of the exact join, as the choice of `--method auto` does, so that they do
    /// not depend on the machine.
    pub(super) async fn costs(&self, job: &mut Job) -> Result<Vec<JoinCosts>> {
        let sample = PrefixSample::of(job);
        let mut costs = vec![];
        for shingle in &self.options.shingles {
            let options: Vec<Dedup> = (self.options.thresholds().into_iter())
                .map(|threshold| Dedup {
                    threshold: Some(threshold),
                    shingle: Some(shingle.clone()),
                    method: Method::Auto,
                    ..self.options.corpus.clone()
                })
                .collect();
            let mut runs: Vec<(Run<'_>, BTreeMap<String, Value>)> = vec![];
            for options in &options {
                let run = Run::new(options, &self.input)?;
                let mut values = run.values(job);
                values.insert("sample".to_owned(), sample.value());
                runs.push((run, values));
            }
            let of_shingle = BTreeMap::from([("shingle".to_owned(), Value::Text(shingle.clone()))]);
            let record = job
                .step(
                    &step_name("frequencies", shingle),
                    Output::Step,
                    async |job: &Job| job.plan(statement!("frequencies"), &of_shingle).await,
                    async |context: &SessionContext,
                           written: DataFrame,
                           record: &mut StepRecord| {
                        check_one_row(record)?;
                        context.deregister_table("frequencies")?;
                        context.register_table("frequencies", written.clone().into_view())?;
                        let shingles = tokens(written).await?;
                        let mut of_thresholds = vec![];
                        for (run, values) in &runs {
                            let prefixes = plan(context, statement!("prefixes"), values).await?;
                            let prefixes = DataFrame::new(context.state(), prefixes);
                            let costs = run.costs(shingles as f64, prefixes, &sample).await?;
                            of_thresholds.push(costs);
                        }
                        record.set(Figure::Shingles, shingles);
                        let all = of_thresholds.iter();
                        let comparisons: Vec<f64> = all.clone().map(|c| c.comparisons).collect();
                        let exact: Vec<f64> = all.clone().map(|c| c.exact).collect();
                        let minhash: Vec<Option<f64>> = all.map(|c| c.minhash).collect();
                        record.set(Figure::Comparisons, comparisons);
                        record.set(Figure::CostOfExact, exact);
                        record.set(Figure::CostOfMinHash, minhash);
                        Ok(())
                    },
                )
                .await?;
            let numbers = |figure: Figure| -> Vec<Option<f64>> {
                let found = record.figure(figure).and_then(serde_json::Value::as_array);
                let found = found.into_iter().flatten();
                found.map(serde_json::Value::as_f64).collect()
            };
            let comparisons = numbers(Figure::Comparisons).into_iter();
            let exact = numbers(Figure::CostOfExact).into_iter();
            let minhash = numbers(Figure::CostOfMinHash).into_iter();
            costs.extend(comparisons.zip(exact).zip(minhash).map(
                |((comparisons, exact), minhash)| JoinCosts {
                    comparisons: comparisons.unwrap_or(0.0),
                    exact: exact.unwrap_or(0.0),
                    minhash,
                },
            ));
        }
        Ok(costs)
    }
}
