//! The last step: `removed.parquet`, an audit of the rows that are not kept.

use super::options::Method;
use super::run::Run;
use crate::functions::Value;
use crate::jobs::figures::{Figure, Reason};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::numbers;
use crate::jobs::tables::language;
use crate::operators::shared_rows::{Purpose, SharedRows};
use datafusion::common::{Result, exec_err};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::{JoinType, ident};
use datafusion::prelude::{DataFrame, SessionContext};
use neardup_wikitext::is_language_code;

impl Run<'_> {
    pub(super) async fn removed(&self, job: &mut Job) -> Result<()> {
        let mut values = self.values(job);
        let language = language(job.context(), job.manifest()).await?;
        // The header of a dump may name any language; classify_pair takes language codes.
        let language = match is_language_code(&language) {
            true => language,
            false => "und".to_owned(),
        };
        values.insert("language".to_owned(), Value::Text(language));
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
                view(job.context(), "removed_rows", removed)?;
                if self.options.method == Method::Projection {
                    return job.plan(statement!("removed.vectors"), &values).await;
                }
                let mut texts = job.context().table("documents").await?;
                if is_repeated {
                    // The rows of an id have one text.
                    texts = texts.aggregate(vec![ident("id")], vec![min(ident("text")).alias("text")])?;
                }
                let texts = texts.select_columns(&["id", "text"])?;
                // The statement reads the texts of both rows of a pair; the input is read once.
                let needed = "SELECT id AS needed FROM removed_rows \
                              UNION ALL SELECT representative_id FROM removed_rows";
                let needed = job.context().sql(needed).await?;
                let texts = needed.join(texts, JoinType::RightSemi, &["needed"], &["id"], None)?;
                let texts = SharedRows::plan(texts.into_unoptimized_plan(), Purpose::Divided);
                let texts = DataFrame::new(job.context().state(), texts);
                view(job.context(), "removed_texts", texts)?;
                job.plan(statement!("removed.classified"), &values).await
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

/// Registers a view, in place of one of that name.
fn view(context: &SessionContext, name: &str, rows: DataFrame) -> Result<()> {
    context.deregister_table(name)?;
    context.register_table(name, rows.into_view())?;
    Ok(())
}
