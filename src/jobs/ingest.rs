//! The `ingest` job: converts dumps to Parquet.

use super::dumps::{self, DumpOptions};
use super::inputs;
use super::job::{Job, Progress};
use super::manifest::Manifest;
use crate::files::{Kind, resolve};
use datafusion::common::{Result, exec_err};
use datafusion::prelude::SessionContext;
use std::sync::Arc;

/// An `ingest` job.
#[derive(Debug, Clone)]
pub struct Ingest {
    /// Dumps: files, directories or globs, by path or address.
    pub inputs: Vec<String>,
    /// The job's directory: a path or an address.
    pub output: String,
    /// How dumps are read.
    pub dump: DumpOptions,
    /// Whether to replace a job with other parameters in the directory.
    pub overwrite: bool,
}

/// Runs or resumes the job, which writes `plain_text/` and `sentences/`.
///
/// # Errors
/// As [`super::dedup`].
pub async fn ingest(
    options: &Ingest,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<Job> {
    let input = resolve(&options.inputs, &context.state()).await?;
    if input.kind != Kind::Dump {
        return exec_err!(
            "{}: not a dump (.xml, .xml.bz2, .xml.gz); neardup dedup reads tables",
            input.files[0]
        );
    }
    inputs::refuse_inside(&input, &options.output, &context.runtime_env())?;
    let files = inputs::identify(&input, &context.runtime_env()).await?;
    let parameters = options.dump.parameters().into_iter().collect();
    let manifest = Manifest::new("ingest", files, parameters);
    let mut job = Job::open(
        &options.output,
        manifest,
        options.overwrite,
        context,
        progress,
    )
    .await?;
    dumps::read(&mut job, &input, &options.dump).await?;
    job.finish().await?;
    Ok(job)
}
