//! The tables of a finished job, for readers.

use super::manifest::Manifest;
use crate::files;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::ident;
use datafusion::prelude::SessionContext;
use std::path::{Path, PathBuf};

/// Reads the manifest of a job's directory.
///
/// # Errors
/// If there is none.
pub fn manifest(directory: &Path) -> Result<Manifest> {
    match Manifest::load(directory)? {
        Some(manifest) => Ok(manifest),
        None => exec_err!(
            "{}: no job lies here (manifest.json is missing); 'neardup dedup -o {0}' makes one",
            directory.display()
        ),
    }
}

/// Registers the tables of a job that are done: pairs, clusters, kept, sentences, plain_text.
///
/// # Errors
/// If the directory holds no job, or a file of it is gone.
pub async fn register(context: &SessionContext, directory: &Path) -> Result<Manifest> {
    let manifest = manifest(directory)?;
    for step in &manifest.steps {
        let name = step
            .name
            .split_once('-')
            .map_or(step.name.as_str(), |(_, name)| name);
        if !["pairs", "clusters", "kept", "sentences", "plain_text"].contains(&name) {
            continue;
        }
        let paths = step
            .files
            .iter()
            .map(|file| directory.join(&file.path))
            .collect();
        context.register_table(name, files::parquet_files(&context.state(), paths).await?)?;
    }
    Ok(manifest)
}

/// Registers `documents` (id, text): the rows that a job compared, as they were read.
///
/// # Errors
/// If the input of the job is gone or has other columns.
pub async fn register_documents(
    context: &SessionContext,
    directory: &Path,
    manifest: &Manifest,
) -> Result<()> {
    let step = |name: &str| {
        manifest.steps.iter().find(|step| {
            step.name
                .split_once('-')
                .is_some_and(|(_, found)| found == name)
        })
    };
    let (id, text) = match step("sentences") {
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
    let provider = match step("sentences").or_else(|| step("input")) {
        Some(step) => {
            let paths: Vec<PathBuf> = step
                .files
                .iter()
                .map(|file| directory.join(&file.path))
                .collect();
            files::parquet_files(&context.state(), paths).await?
        }
        None => {
            let names: Vec<String> = manifest
                .inputs
                .iter()
                .map(|input| input.path.clone())
                .collect();
            files::resolve(&names)?.table(&context.state()).await?
        }
    };
    let documents = context
        .read_table(provider)?
        .select(vec![ident(id).alias("id"), ident(text).alias("text")])?;
    context.register_table("documents", documents.into_view())?;
    Ok(())
}
