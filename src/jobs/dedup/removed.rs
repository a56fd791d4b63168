//! The last step: `removed.parquet`, an audit of the rows that are not kept.

use super::run::Run;
use crate::jobs::figures::{Figure, Reason};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::numbers;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::ident;
use datafusion::prelude::{DataFrame, SessionContext};

impl Run<'_> {
    pub(super) async fn removed(&self, job: &mut Job) -> Result<()> {
        let values = self.values(job);
        let is_repeated = job.left_out(Reason::RepeatedId) > 0;
        let read = job.figure(Figure::Rows) as u64;
        let kept = job.manifest().step("kept").map_or(0, |step| step.rows);
        job.step(
            "removed",
            Output::File("removed.parquet"),
            async |job: &Job| {
                let state = job.context().state();
                let plan = job.plan(statement!("removed"), &values).await?;
                let mut removed = DataFrame::new(state.clone(), plan);
                if is_repeated {
                    let plan = job.plan(statement!("removed.repeated"), &values).await?;
                    removed = removed.union(DataFrame::new(state, plan))?;
                }
                let order = ["id", "reason"].map(|column| ident(column).sort(true, false));
                Ok(removed.sort(order.to_vec())?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let wrong = numbers(
                    context,
                    "SELECT count(*) FROM removed LEFT ANTI JOIN \
                     (SELECT id FROM clusters WHERE kept) AS kept ON removed.representative_id = kept.id",
                )
                .await?;
                if wrong[0] > 0 {
                    return exec_err!(
                        "step removed: {} rows are represented by rows that are not kept",
                        wrong[0]
                    );
                }
                match record.rows + kept == read {
                    true => Ok(()),
                    false => exec_err!(
                        "step removed: {read} rows were read and {kept} are kept, but {} are removed",
                        record.rows
                    ),
                }
            },
        )
        .await?;
        Ok(())
    }
}
