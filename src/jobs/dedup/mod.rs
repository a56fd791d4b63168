//! The `dedup` job: finds pairs, clusters, kept and removed rows of a dump or a table.
//!
//! ```text
//! dump:  plain_text ─> sentences ─┐
//! table: input ───────────────────┴─> texts ─> frequencies ─> pairs ─> clusters ─> kept ─> removed
//! ```
//!
//! `options`: the options of a job; `run`: the parameters derived from them; `documents`: the rows that are compared;
//! `costs`: which method is the cheaper one; `steps`: the steps up to the kept rows; `removed`: the audit of the other
//! rows; `edit`: the steps that cut repeated lines, paragraphs or passages instead.

mod costs;
mod documents;
mod edit;
mod options;
mod removed;
mod run;
mod steps;

pub use options::{
    Compare, CutAt, Dedup, Edit, Keep, KeepKey, KeepValue, Method, Pairs, Resolution,
};

use super::inputs;
use super::job::{Job, Progress};
use super::manifest::Manifest;
use super::table;
use crate::files::{Kind, caught, resolve};
use crate::parameters::{name, parameter, parameter_error, set};
pub(super) use costs::{JoinCosts, PrefixSample, tokens};
use datafusion::common::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
pub(super) use run::Run;
use std::sync::Arc;

/// Runs or resumes the job.
///
/// # Errors
/// If an input cannot be read, a column is missing or has an unsupported type, the directory holds another job, or
/// the result of a step breaks its invariant. Steps that are committed stay.
pub async fn dedup(
    options: &Dedup,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<Job> {
    let texts = match options.method {
        Method::Projection => vec![options.vector.clone().unwrap_or("vector".to_owned())],
        _ => options.texts(),
    };
    let input = resolve(&options.inputs, &context.state()).await?;
    let input = texts
        .iter()
        .fold(input, |input, text| input.with_texts_in(text));
    table::check_options(&input, None)?;
    let run = Run::new(options, &input)?;
    crate::options::value(context.copied_config().options(), parameter("parts"))?;
    inputs::refuse_inside(&input, &options.output, &context.runtime_env())?;
    let files = inputs::identify(&input, &context.runtime_env()).await?;
    let mut parameters = run.parameters();
    for (name, value) in input.reading.given() {
        parameters.insert((*name).to_owned(), value.clone().into());
    }
    let manifest = Manifest::new("dedup", files, parameters);
    if input.kind != Kind::Dump {
        // Checked before the directory is made, so that a misspelt column leaves none behind.
        run.columns(&context, &input).await?;
    }
    let mut job = Job::open(
        &options.output,
        manifest,
        options.overwrite,
        context,
        progress,
    )
    .await?;
    if input.kind == Kind::Dump {
        run.sentences(&mut job, &input).await?;
    }
    // The first steps read the rows of the table, so their errors are errors of the input files.
    let read = caught(async {
        match (input.kind, options.edit) {
            (Kind::Dump, _) => run.texts(&mut job).await,
            (_, None) => {
                run.table(&mut job, &input).await?;
                run.texts(&mut job).await
            }
            (_, Some(edit)) => {
                run.table(&mut job, &input).await?;
                run.edit(&mut job, edit).await
            }
        }
    });
    if let Err(error) = read.await {
        let error = table::named(&input, &job, error).await;
        return Err(repeated_id(error, options));
    }
    if options.edit.is_some() {
        job.finish().await?;
        return Ok(job);
    }
    let exact = run.frequencies(&mut job).await?;
    run.pairs(&mut job, exact).await?;
    run.clusters(&mut job, input.kind == Kind::Dump).await?;
    // These read all columns of the input.
    let written = caught(async {
        run.kept(&mut job).await?;
        run.removed(&mut job).await
    });
    if let Err(error) = written.await {
        return Err(input.damaged(job.context(), error).await);
    }
    job.finish().await?;
    Ok(job)
}

/// The error of an id that several rows have, with a remedy.
fn repeated_id(error: DataFusionError, options: &Dedup) -> DataFusionError {
    let text = error.strip_backtrace();
    let is_repeated = text.ends_with("ids must be unique");
    if !is_repeated || options.id.as_deref() == Some(table::ROW) {
        return error;
    }
    parameter_error![
        format!("{text}; "),
        set("id", table::ROW),
        " uses row numbers as ids, with ",
        name("overwrite"),
        " in this directory"
    ]
    .into()
}
