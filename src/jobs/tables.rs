//! Registers the result of a job as tables of a session.

use super::inputs;
use super::manifest::{Manifest, StepRecord};
use super::verified::{VerifiedTables, verify};
use crate::files::{Location, MANIFEST, parquet_files, resolve};
use crate::functions::joined_texts;
use crate::shell_words::shell_word;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{ident, lit};
use datafusion::object_store::{Error, ObjectStoreExt};
use datafusion::prelude::SessionContext;
use neardup_kernels::PairClassifier;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The steps whose results are tables for readers.
pub(crate) const TABLES: [&str; 10] = [
    "pairs",
    "clusters",
    "kept",
    "removed",
    "contamination",
    "cuts",
    "sentences",
    "plain_text",
    "settings",
    "methods",
];

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
        Err(_) if Path::new(directory).is_file() => {
            exec_err!("{directory}: this is a file; the directory of a job is needed")
        }
        Err(error) => exec_err!("{file}: {error}"),
    }
}

/// Registers those tables of a job that are finished: pairs, clusters, kept, removed, contamination, cuts, sentences, plain_text,
/// settings, methods. The checksums of the files of a table are verified when a statement first names it.
///
/// # Errors
/// If the directory holds no job, or the session has no default schema that can be replaced.
pub async fn register(context: &SessionContext, directory: &str) -> Result<Manifest> {
    let manifest = manifest(context, directory).await?;
    let directory = Location::new(directory)?;
    let mut steps = BTreeMap::new();
    for step in &manifest.steps {
        let name = step
            .name
            .split_once('-')
            .map_or(step.name.as_str(), |(_, name)| name);
        if !TABLES.contains(&name) {
            continue;
        }
        // A damaged table is an error of the statement that names it.
        if let Ok(table) = table(context, &directory, step).await {
            context.register_table(name, table)?;
        }
        steps.insert(name.to_owned(), Arc::new(step.clone()));
    }
    let options = context.state().config_options().catalog.clone();
    let catalog = context.catalog(&options.default_catalog);
    let schema = (catalog.as_ref()).and_then(|catalog| catalog.schema(&options.default_schema));
    let (Some(catalog), Some(schema)) = (catalog, schema) else {
        return plan_err!(
            "there is no schema {}.{}",
            options.default_catalog,
            options.default_schema
        );
    };
    let tables = VerifiedTables::new(schema, directory, context.runtime_env(), steps);
    catalog.register_schema(&options.default_schema, Arc::new(tables))?;
    Ok(manifest)
}

/// The files of a step as a table. Their checksums are not verified.
pub(super) async fn table(
    context: &SessionContext,
    directory: &Location,
    step: &StepRecord,
) -> Result<Arc<dyn TableProvider>> {
    let files = step.locations(directory);
    match parquet_files(&context.state(), &files).await {
        Ok(table) => Ok(table),
        Err(error) => {
            // A damaged footer is named by its file.
            verify(step, directory, &context.runtime_env()).await?;
            Err(error)
        }
    }
}

/// Registers the tables of a job with clusters, and `documents`.
///
/// # Errors
/// If the directory holds no job with clusters, a file of it is damaged, or an input has changed.
pub async fn register_result(context: &SessionContext, directory: &str) -> Result<Manifest> {
    let manifest = register(context, directory).await?;
    let (job, table) = match manifest.command.as_str() {
        "dedup" if manifest.parameters.contains_key("edit") => ("dedup --edit", "cuts"),
        "dedup" => ("", ""),
        "decontaminate" => ("decontaminate", "contamination"),
        "tune" => ("tune", "settings"),
        "ingest" => ("ingest", "sentences"),
        other => (other, "…"),
    };
    if !job.is_empty() {
        return exec_err!(
            "{directory}: a job of {job} has no clusters; what it found is in its tables: neardup sql --dir {} \"SELECT * FROM {table} LIMIT 10\"",
            shell_word(directory)
        );
    }
    if !context.table_exist("clusters")? {
        return exec_err!(
            "{directory}: the job has no clusters yet; run its command again to finish it"
        );
    }
    register_documents(context, directory, &manifest).await?;
    Ok(manifest)
}

/// Registers `documents` (id, text): the rows that a job compared, with their original texts.
///
/// # Errors
/// If the input of the job is missing, its bytes or columns have changed, or the files of a step are damaged.
async fn register_documents(
    context: &SessionContext,
    directory: &str,
    manifest: &Manifest,
) -> Result<()> {
    let parameter = |name: &str| match manifest.parameters.get(name) {
        Some(serde_json::Value::String(column)) => vec![column.clone()],
        Some(serde_json::Value::Array(columns)) => {
            let columns = columns.iter().filter_map(|column| column.as_str());
            columns.map(str::to_owned).collect()
        }
        _ => vec![name.to_owned()],
    };
    let (id, texts) = match manifest.step("sentences") {
        Some(_) => (vec!["sentence_id".to_owned()], vec!["sentence".to_owned()]),
        None => (parameter("id"), parameter("text")),
    };
    let id = id.first().map_or("id", String::as_str);
    let provider = match manifest
        .step("sentences")
        .or_else(|| manifest.step("input"))
    {
        Some(step) => {
            let directory = Location::new(directory)?;
            let table = table(context, &directory, step).await?;
            verify(step, &directory, &context.runtime_env()).await?;
            table
        }
        None => {
            let names: Vec<String> = manifest
                .inputs
                .iter()
                .map(|input| input.path.clone())
                .collect();
            let input = resolve(&names, &context.state()).await?;
            inputs::check_bytes(&manifest.inputs, &context.runtime_env()).await?;
            input.table(&context.state()).await?
        }
    };
    // A job on vectors may have no texts.
    let schema = provider.schema();
    let has_texts = texts
        .iter()
        .all(|text| schema.field_with_name(text).is_ok());
    let text = match has_texts && !texts.is_empty() {
        true => joined_texts(texts.iter().map(ident).collect())?,
        false => lit(""),
    };
    let documents = context
        .read_table(provider)?
        .select(vec![ident(id).alias("id"), text.alias("text")])?;
    context.register_table("documents", documents.into_view())?;
    Ok(())
}

/// The classifier for pairs of rows of a job whose tables are registered.
pub(super) async fn classifier(
    context: &SessionContext,
    manifest: &Manifest,
) -> Result<PairClassifier> {
    Ok(PairClassifier::new(&language(context, manifest).await?))
}

/// The language of the rows of a job whose tables are registered: that which the job was given, or that of its dumps, if
/// they have one language; else English.
pub(super) async fn language(context: &SessionContext, manifest: &Manifest) -> Result<String> {
    let language = manifest.parameters.get("language");
    if let Some(language) = language.and_then(|value| value.as_str()) {
        return Ok(language.to_owned());
    }
    if !context.table_exist("sentences")? {
        return Ok("en".to_owned());
    }
    let languages = context.table("sentences").await?;
    let languages = languages.select_columns(&["language"])?.distinct()?;
    let mut found = vec![];
    for batch in languages.collect().await? {
        let values = cast(batch.column(0), &DataType::Utf8)?;
        found.extend(
            values
                .as_string::<i32>()
                .iter()
                .flatten()
                .map(str::to_owned),
        );
    }
    Ok(match found.as_slice() {
        [language] => language.clone(),
        _ => "en".to_owned(),
    })
}
