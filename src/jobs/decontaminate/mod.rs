//! The `decontaminate` job: finds the items of benchmark sets in a corpus, and drops, cuts or marks the rows that hold them.
//!
//! ```text
//! items ─> index ─┐
//! corpus ─────────┴─> searched ─> contamination ─> cuts ─> kept
//! ```
//!
//! The corpus is read and searched once: `searched` has its rows with the items that were found in each. The other
//! steps read this table.
//!
//! `options`: the options of a job; `run`: the files and columns that they name; `search`: the steps up to the items in
//! each row; `output`: the files for readers.

mod options;
mod output;
mod run;
mod search;

pub use options::{Action, Decontaminate};

use super::inputs;
use super::job::{Job, Progress};
use super::manifest::Manifest;
use super::table;
use crate::files::caught;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use run::Run;
use std::sync::Arc;

/// Runs or resumes the job.
///
/// # Errors
/// If an input cannot be read, a column is missing or has an unsupported type, there are no items, a file is both corpus
/// and items, the directory holds another job, or the result of a step breaks its invariant. Steps that are committed stay.
pub async fn decontaminate(
    options: &Decontaminate,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<Job> {
    options.check_ranges()?;
    let run = Run::new(options, &context).await?;
    let (corpus, items) = (&run.corpus, &run.items);
    for input in [corpus, items] {
        inputs::refuse_inside(input, &options.output, &context.runtime_env())?;
    }
    let mut files = inputs::identify(corpus, &context.runtime_env()).await?;
    files.extend(inputs::identify(items, &context.runtime_env()).await?);
    let mut parameters = options.parameters();
    for (name, value) in corpus.reading.given() {
        parameters.insert((*name).to_owned(), value.clone().into());
    }
    let mut job = Job::open(
        &options.output,
        Manifest::new("decontaminate", files, parameters),
        options.overwrite,
        context,
        progress,
    )
    .await?;
    // The steps that read the rows of a table have the errors of its files.
    if let Err(error) = caught(run.items(&mut job)).await {
        return Err(table::named(items, &job, error).await);
    }
    run.index(&mut job).await?;
    if let Err(error) = caught(run.searched(&mut job)).await {
        return Err(table::named(corpus, &job, error).await);
    }
    run.contamination(&mut job).await?;
    if options.action == Action::Cut {
        run.cuts(&mut job).await?;
    }
    run.kept(&mut job).await?;
    job.finish().await?;
    Ok(job)
}
