//! The first steps of a job on dumps: extract the plain text of pages, then split it into sentences.

use super::figures::{Figure, Reason};
use super::job::{Job, Output};
use super::manifest::StepRecord;
use crate::files::Input;
use crate::functions::Value;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Result, exec_err};
use datafusion::prelude::SessionContext;
use neardup_datasets::DumpTable;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use neardup_wikidump::OnError;
pub use neardup_wikitext::Formulas;
pub use neardup_wikitext::sentences::Splitter;

/// How dumps are read.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// Whether to fail if a dump is damaged, or to leave out what cannot be read.
    pub on_error: OnError,
    /// How texts are split into sentences.
    pub splitter: Splitter,
    /// What texts have in place of formulas of TeX.
    pub formulas: Formulas,
    /// The language code of all pages; `None`: that of the dump's header.
    pub language: Option<String>,
}

impl DumpOptions {
    /// What a manifest records of the options. Options that earlier versions do not have are recorded only if they
    /// differ from their defaults, so that directories of these versions can be resumed.
    pub(super) fn parameters(&self) -> Vec<(String, serde_json::Value)> {
        let mut parameters = vec![
            ("on_error".to_owned(), self.on_error.name().into()),
            ("splitter".to_owned(), self.splitter.name().into()),
        ];
        if self.formulas != Formulas::default() {
            parameters.push(("formulas".to_owned(), self.formulas.name().into()));
        }
        if let Some(language) = &self.language {
            parameters.push(("language".to_owned(), language.clone().into()));
        }
        parameters
    }
}

/// Runs the steps `plain_text` and `sentences`.
pub(super) async fn read(job: &mut Job, input: &Input, options: &DumpOptions) -> Result<()> {
    let dump = neardup_datasets::DumpOptions {
        namespaces: None,
        redirects: true,
        on_error: options.on_error,
        language: options.language.clone(),
        ..Default::default()
    };
    let dump = Arc::new(DumpTable::try_new(input.dumps()?, dump)?);
    job.context().register_table("dump", dump)?;
    let values = [
        ("splitter", options.splitter.name()),
        ("formulas", options.formulas.name()),
    ];
    let values = values.map(|(name, value)| (name.to_owned(), Value::Text(value.to_owned())));
    let values = BTreeMap::from(values);
    job.step(
        "plain_text",
        Output::Directory("plain_text"),
        async |job: &Job| job.plan(statement!("plain_text"), &values).await,
        async |context: &SessionContext, _, record: &mut StepRecord| {
            check_pages(context, record).await
        },
    )
    .await?;
    job.step(
        "sentences",
        Output::Directory("sentences"),
        async |job: &Job| job.plan(statement!("sentences"), &values).await,
        async |context: &SessionContext, _, record: &mut StepRecord| {
            // A GROUP BY can spill; count(DISTINCT …) would hold every id in memory.
            let counts = context
                .sql(
                    "SELECT CAST(coalesce(sum(rows), 0) AS BIGINT), count(*) \
                     FROM (SELECT count(*) AS rows FROM sentences GROUP BY sentence_id)",
                )
                .await?
                .collect()
                .await?;
            let count = |column: usize| counts[0].column(column).as_primitive::<Int64Type>().value(0);
            if count(0) != count(1) {
                return exec_err!(
                    "step sentences: {} sentences have {} distinct ids: a page occurs twice in the input, such as a dump that is in two of its files; name each page once",
                    count(0),
                    count(1)
                );
            }
            record.set(Figure::Sentences, count(0));
            Ok(())
        },
    )
    .await?;
    Ok(())
}

/// Counts pages that were read, and pages that were left out by reason.
async fn check_pages(context: &SessionContext, record: &mut StepRecord) -> Result<()> {
    let [redirects, namespaces, disambiguation, content] = Reason::OF_PAGES;
    let counts = context
        .sql(&format!(
            "SELECT CASE WHEN text IS NOT NULL THEN 'read' WHEN kind = 'redirect' THEN '{redirects}' \
             WHEN namespace <> 0 THEN '{namespaces}' WHEN kind = 'disambiguation' THEN '{disambiguation}' \
             ELSE '{content}' END AS reason, count(*) AS pages, count(*) FILTER (WHERE kind = 'stub') AS stubs \
             FROM plain_text GROUP BY 1",
        ))
        .await?
        .collect()
        .await?;
    let (mut articles, mut stubs) = (0, 0);
    for batch in &counts {
        let reasons = datafusion::arrow::compute::cast(
            batch.column(0),
            &datafusion::arrow::datatypes::DataType::Utf8,
        )?;
        let reasons = reasons.as_string::<i32>();
        let pages = batch.column(1).as_primitive::<Int64Type>();
        for row in 0..batch.num_rows() {
            let number = pages.value(row) as u64;
            let is_it = |reason: &Reason| reason.to_string() == reasons.value(row);
            match Reason::OF_PAGES.into_iter().find(is_it) {
                Some(reason) => record.leave_out(reason, number),
                None => {
                    articles = number;
                    stubs = batch.column(2).as_primitive::<Int64Type>().value(row) as u64;
                }
            }
        }
    }
    record.set(Figure::Pages, record.rows);
    record.set(Figure::Articles, articles);
    record.set(Figure::Stubs, stubs);
    Ok(())
}
