//! Files as tables: what a path, a directory or a glob names, on the command line and in SQL.

mod find;
mod listing;
mod location;
mod schema;
mod stores;
mod url_tables;

pub(crate) use find::MANIFEST;
pub(crate) use listing::parquet_files;
pub use location::Location;
pub(crate) use stores::with_buckets;
pub(crate) use url_tables::FileTables;

use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::json::JsonFormat;
use datafusion::datasource::listing::ListingOptions;
use datafusion::execution::SessionState;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::ObjectStoreExt;
use futures::StreamExt;
use neardup_datasets::{DumpOptions, DumpTable};
use std::sync::Arc;

/// What the files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// MediaWiki dumps.
    Dump,
    /// Parquet.
    Parquet,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// JSON, an object a line or arrays of objects.
    Json,
}

const KNOWN: &str = ".parquet, .csv, .tsv, .json, .jsonl, .ndjson (also .gz, .zst, .bz2), or a dump: .xml, .xml.bz2, .xml.gz";

/// The files of a job.
#[derive(Debug, Clone)]
pub struct Input {
    /// What they hold.
    pub kind: Kind,
    /// Where they lie, sorted.
    pub files: Vec<Location>,
    compression: FileCompressionType,
    /// Columns that hold texts in separated values, also where all of them look like numbers.
    texts: Vec<String>,
}

/// The table that paths, addresses, directories and globs name: of documents, or of the pages of dumps.
///
/// # Errors
/// As [`resolve`], and if the files cannot be read or do not fit together.
pub async fn table(names: &[String], state: &SessionState) -> Result<Arc<dyn TableProvider>> {
    let input = resolve(names, state.runtime_env()).await?;
    match input.kind {
        Kind::Dump => {
            let dump = DumpTable::try_new(input.dumps()?, DumpOptions::default())?;
            Ok(Arc::new(dump))
        }
        _ => input.table(state).await,
    }
}

/// Finds the files that paths, addresses, directories and globs name.
///
/// # Errors
/// If nothing is found, a file has no known ending, or files of several kinds meet.
pub async fn resolve(names: &[String], runtime: &RuntimeEnv) -> Result<Input> {
    let mut files = Vec::new();
    for name in names {
        let name = name.strip_prefix("file://").unwrap_or(name);
        files.extend(match location::is_address(name) {
            true => find::in_store(name, runtime).await?,
            false => find::on_disk(name)?,
        });
    }
    files.sort();
    files.dedup();
    let Some(first) = files.first() else {
        return exec_err!("no input was given");
    };
    let (kind, compression) = kind_of(first.as_str())?;
    for file in &files {
        let other = kind_of(file.as_str())?;
        if other != (kind, compression) && !(kind == Kind::Dump && other.0 == Kind::Dump) {
            return exec_err!(
                "{first} and {file} are of different kinds; a job reads files of one kind"
            );
        }
    }
    Ok(Input {
        kind,
        files,
        compression,
        texts: Vec::new(),
    })
}

fn kind_of(path: &str) -> Result<(Kind, FileCompressionType)> {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let (stem, compression) = [
        (".gz", FileCompressionType::GZIP),
        (".zst", FileCompressionType::ZSTD),
        (".bz2", FileCompressionType::BZIP2),
    ]
    .into_iter()
    .find_map(|(ending, compression)| Some((name.strip_suffix(ending)?, compression)))
    .unwrap_or((&name, FileCompressionType::UNCOMPRESSED));
    let kind = match stem.rsplit_once('.').map(|(_, ending)| ending) {
        Some("xml") if !name.ends_with(".zst") => Kind::Dump,
        Some("parquet") if stem == name => Kind::Parquet,
        Some("csv") => Kind::Csv,
        Some("tsv") => Kind::Tsv,
        Some("json" | "jsonl" | "ndjson") => Kind::Json,
        _ => {
            return exec_err!("{path}: unknown kind of file; known are {KNOWN}");
        }
    };
    Ok((kind, compression))
}

impl Input {
    /// The same input with a column that holds texts, also where all of them look like numbers.
    pub(crate) fn with_texts_in(mut self, column: &str) -> Self {
        self.texts.push(column.to_owned());
        self
    }

    /// The files as a table of dumps names them.
    pub(crate) fn dumps(&self) -> Result<Vec<String>> {
        let name = |file: &Location| match file.path() {
            Some(_) => Ok(file.to_string()),
            None => Ok(file.url()?.to_string()),
        };
        self.files.iter().map(name).collect()
    }

    /// The files as one table; not for dumps.
    pub(crate) async fn table(&self, state: &SessionState) -> Result<Arc<dyn TableProvider>> {
        let (options, schema) = self.schema(state).await?;
        listing::listing(&self.files, options, schema).map_err(|error| self.named(error))
    }

    /// Every file as a table of its own, all with one schema.
    pub(crate) async fn tables(&self, state: &SessionState) -> Result<Vec<Arc<dyn TableProvider>>> {
        let (options, schema) = self.schema(state).await?;
        let table = |file: &Location| {
            let file = std::slice::from_ref(file);
            listing::listing(file, options.clone(), Arc::clone(&schema))
        };
        self.files.iter().map(table).collect()
    }

    /// How the files are read, and what is in all of them.
    async fn schema(&self, state: &SessionState) -> Result<(ListingOptions, SchemaRef)> {
        match self.schema_as(state, true).await {
            // A compressed file does not show whether it holds lines or an array.
            Err(_) if self.kind == Kind::Json && self.compression.is_compressed() => {
                self.schema_as(state, false).await
            }
            result => result,
        }
    }

    async fn schema_as(
        &self,
        state: &SessionState,
        lines: bool,
    ) -> Result<(ListingOptions, SchemaRef)> {
        let options = ListingOptions::new(self.format(state, lines).await?).with_file_extension("");
        let mut schemas = Vec::new();
        for file in &self.files {
            let schema = listing::schema(state, file, &options).await;
            let schema = schema.map_err(|error| exec_datafusion_err!("{file}: {error}"))?;
            schemas.push((file, self.with_texts(schema)));
        }
        Ok((options, schema::merge(self.kind, &schemas)?))
    }

    /// Values in separated values have no types but those that they look like.
    fn with_texts(&self, schema: SchemaRef) -> SchemaRef {
        if !matches!(self.kind, Kind::Csv | Kind::Tsv) {
            return schema;
        }
        let fields = schema.fields().iter().map(|field| {
            match self.texts.contains(field.name()) && !field.data_type().is_null() {
                true => field.as_ref().clone().with_data_type(DataType::Utf8),
                false => field.as_ref().clone(),
            }
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    async fn format(&self, state: &SessionState, lines: bool) -> Result<Arc<dyn FileFormat>> {
        let csv = || {
            CsvFormat::default()
                .with_options(state.table_options().csv.clone())
                .with_has_header(true)
                .with_newlines_in_values(true)
                .with_file_compression_type(self.compression)
        };
        Ok(match self.kind {
            Kind::Dump => return exec_err!("a dump is no table of documents"),
            Kind::Parquet => listing::parquet(state),
            Kind::Csv => Arc::new(csv()),
            Kind::Tsv => Arc::new(csv().with_delimiter(b'\t')),
            Kind::Json => {
                let lines = match self.compression.is_compressed() {
                    true => lines,
                    false => !begins_with_array(&self.files[0], state.runtime_env()).await,
                };
                Arc::new(
                    JsonFormat::default()
                        .with_newline_delimited(lines)
                        .with_file_compression_type(self.compression),
                )
            }
        })
    }

    /// The error with the files in front, unless it names one of them.
    pub(crate) fn named(&self, error: DataFusionError) -> DataFusionError {
        let text = error.strip_backtrace();
        let is_named = |file: &Location| text.contains(file.as_str());
        if self.files.iter().any(is_named) {
            return error;
        }
        let shown = self.files.iter().take(3).map(Location::to_string);
        let shown = shown.collect::<Vec<_>>().join(", ");
        match self.files.len().saturating_sub(3) {
            0 => exec_datafusion_err!("{shown}: {text}"),
            more => exec_datafusion_err!("{shown} and {more} more files: {text}"),
        }
    }
}

/// Whether the first byte that is not white space opens an array.
async fn begins_with_array(file: &Location, runtime: &RuntimeEnv) -> bool {
    let Ok((store, path)) = file.store(runtime) else {
        return false;
    };
    let Ok(found) = store.get(&path).await else {
        return false;
    };
    let mut bytes = found.into_stream();
    let mut is_first = true;
    while let Some(Ok(part)) = bytes.next().await {
        let text = match is_first {
            true => part.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&part),
            false => &part,
        };
        is_first = false;
        if let Some(byte) = text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            return *byte == b'[';
        }
    }
    false
}
