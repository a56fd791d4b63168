//! Registers the result of a job as tables of a session.

use super::inputs;
use super::manifest::{Manifest, StepRecord};
use crate::files::{Location, MANIFEST, parquet_files, resolve};
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{ident, lit};
use datafusion::object_store::{Error, ObjectStoreExt};
use datafusion::prelude::SessionContext;
use std::sync::Arc;

/// Reads the manifest of a job's directory.
///
/// # Errors
/// If there is no manifest, or it cannot be read.
pub async fn manifest(context: &SessionContext, directory: &str) -> Result<Manifest> {
    let file = Location::new(directory)?.join(MANIFEST);
    let (store, path) = file.store(&context.runtime_env())?;
    let found = match store.get(&path).await {
        Ok(found) => {
            Manifest::check_size(found.meta.size, &file)?;
            found.bytes().await
        }
        Err(error) => Err(error),
    };
    match found {
        Ok(text) => Manifest::parse(&text, &file),
        Err(Error::NotFound { .. }) => {
            exec_err!("{directory}: there is no job here ({MANIFEST} is missing)")
        }
        Err(error) => exec_err!("{file}: {error}"),
    }
}

/// Registers those tables of a job that are finished: pairs, clusters, kept, sentences, plain_text.
///
/// # Errors
/// If the directory holds no job, or a file of the job is missing or has another size.
pub async fn register(context: &SessionContext, directory: &str) -> Result<Manifest> {
    let manifest = manifest(context, directory).await?;
    let directory = Location::new(directory)?;
    for step in &manifest.steps {
        let name = step
            .name
            .split_once('-')
            .map_or(step.name.as_str(), |(_, name)| name);
        if !["pairs", "clusters", "kept", "sentences", "plain_text"].contains(&name) {
            continue;
        }
        let table = table(context, &directory, step).await?;
        context.register_table(name, table)?;
    }
    Ok(manifest)
}

/// The files of a step as a table. Only the sizes of the files are checked; their checksums are verified when the
/// job resumes.
async fn table(
    context: &SessionContext,
    directory: &Location,
    step: &StepRecord,
) -> Result<Arc<dyn TableProvider>> {
    let files = step.locations(directory);
    for (file, written) in files.iter().zip(&step.files) {
        let found = file.head(&context.runtime_env()).await?;
        if found.size != written.bytes {
            return exec_err!(
                "{file}: has {} bytes, but the job wrote {}; run its command again to repeat the step",
                found.size,
                written.bytes
            );
        }
    }
    parquet_files(&context.state(), &files).await
}

/// Registers `documents` (id, text): the rows that a job compared, with their original texts.
///
/// # Errors
/// If the input of the job is missing, or its bytes or columns have changed.
pub async fn register_documents(
    context: &SessionContext,
    directory: &str,
    manifest: &Manifest,
) -> Result<()> {
    let (id, text) = match manifest.step("sentences") {
        Some(_) => ("sentence_id".to_owned(), "sentence".to_owned()),
        None => {
            let parameter = |name: &str| {
                let value = manifest
                    .parameters
                    .get(name)
                    .and_then(|value| value.as_str());
                value.unwrap_or(name).to_owned()
            };
            (parameter("id"), parameter("text"))
        }
    };
    let provider = match manifest
        .step("sentences")
        .or_else(|| manifest.step("input"))
    {
        Some(step) => table(context, &Location::new(directory)?, step).await?,
        None => {
            let names: Vec<String> = manifest
                .inputs
                .iter()
                .map(|input| input.path.clone())
                .collect();
            let input = resolve(&names, &context.runtime_env()).await?;
            inputs::check_bytes(&manifest.inputs, &context.runtime_env()).await?;
            input.table(&context.state()).await?
        }
    };
    // A job on vectors may have no texts.
    let text = match provider.schema().field_with_name(&text) {
        Ok(_) => ident(text),
        Err(_) => lit(""),
    };
    let documents = context
        .read_table(provider)?
        .select(vec![ident(id).alias("id"), text.alias("text")])?;
    context.register_table("documents", documents.into_view())?;
    Ok(())
}
