//! Files as tables: what a path, a directory or a glob names, on the command line and in SQL.

mod listing;
mod schema;
mod url_tables;

pub(crate) use listing::parquet_files;
pub(crate) use url_tables::FileTables;

use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::json::JsonFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::ListingOptions;
use datafusion::execution::SessionState;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
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
    /// Absolute paths, sorted.
    pub files: Vec<PathBuf>,
    compression: FileCompressionType,
    /// Columns that hold texts in separated values, also where all of them look like numbers.
    texts: Vec<String>,
}

/// Finds the files that paths, directories and globs name.
///
/// # Errors
/// If nothing is found, a file has no known ending, or files of several kinds meet.
pub fn resolve(names: &[String]) -> Result<Input> {
    let mut files = Vec::new();
    for name in names {
        let before = files.len();
        let path = Path::new(name);
        if path.is_dir() {
            walk(path, &mut files)?;
            if files.len() == before {
                return exec_err!("{name}: the directory holds no file of a known kind: {KNOWN}");
            }
        } else if path.exists() {
            files.push(path.to_owned());
        } else if name.contains(['*', '?', '[']) {
            let matches =
                glob::glob(name).map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
            files.extend(matches.flatten().filter(|path| path.is_file()));
            if files.len() == before {
                return exec_err!("{name}: no file matches");
            }
        } else {
            return exec_err!("{name}: no such file or directory");
        }
    }
    let mut absolute = Vec::new();
    for file in files {
        let path = file
            .canonicalize()
            .map_err(|error| exec_datafusion_err!("{}: {error}", file.display()))?;
        absolute.push(path);
    }
    absolute.sort();
    absolute.dedup();
    let Some(first) = absolute.first() else {
        return exec_err!("no input was given");
    };
    let (kind, compression) = kind_of(first)?;
    for file in &absolute {
        let other = kind_of(file)?;
        if other != (kind, compression) && !(kind == Kind::Dump && other.0 == Kind::Dump) {
            return exec_err!(
                "{} and {} are of different kinds; a job reads files of one kind",
                first.display(),
                file.display()
            );
        }
    }
    Ok(Input {
        kind,
        files: absolute,
        compression,
        texts: Vec::new(),
    })
}

/// Files of known kinds below a directory, without recursion; hidden ones and the results of jobs
/// are left out.
fn walk(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", directory.display());
        for entry in fs::read_dir(&directory).map_err(at)? {
            let entry = entry.map_err(at)?;
            let name = entry.file_name();
            if name.to_string_lossy().starts_with(['.', '_']) {
                continue;
            }
            let path = entry.path();
            // Links to directories are not followed: they may form a circle.
            if entry.file_type().map_err(at)?.is_dir() {
                if !is_job(&path) {
                    pending.push(path);
                }
            } else if path.is_file() && kind_of(&path).is_ok() {
                files.push(path);
            }
        }
    }
    Ok(())
}

/// Whether a directory is that of a job, whose files are results.
fn is_job(directory: &Path) -> bool {
    directory.join(".lock").is_file() && directory.join("manifest.json").is_file()
}

fn kind_of(path: &Path) -> Result<(Kind, FileCompressionType)> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
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
            return exec_err!(
                "{}: unknown kind of file; known are {KNOWN}",
                path.display()
            );
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

    /// The files as one table; not for dumps.
    pub(crate) async fn table(&self, state: &SessionState) -> Result<Arc<dyn TableProvider>> {
        let (options, schema) = self.schema(state).await?;
        listing::listing(&self.files, options, schema).map_err(|error| self.named(error))
    }

    /// Every file as a table of its own, all with one schema.
    pub(crate) async fn tables(&self, state: &SessionState) -> Result<Vec<Arc<dyn TableProvider>>> {
        let (options, schema) = self.schema(state).await?;
        let table = |file: &PathBuf| {
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
        let options = ListingOptions::new(self.format(state, lines)?).with_file_extension("");
        let mut schemas = Vec::new();
        for file in &self.files {
            let schema = listing::schema(state, file, &options).await;
            let schema =
                schema.map_err(|error| exec_datafusion_err!("{}: {error}", file.display()))?;
            schemas.push((file.as_path(), self.with_texts(schema)));
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

    fn format(&self, state: &SessionState, lines: bool) -> Result<Arc<dyn FileFormat>> {
        let csv = || {
            CsvFormat::default()
                .with_options(state.table_options().csv.clone())
                .with_has_header(true)
                .with_newlines_in_values(true)
                .with_file_compression_type(self.compression)
        };
        Ok(match self.kind {
            Kind::Dump => return exec_err!("a dump is no table of documents"),
            Kind::Parquet => Arc::new(ParquetFormat::default()),
            Kind::Csv => Arc::new(csv()),
            Kind::Tsv => Arc::new(csv().with_delimiter(b'\t')),
            Kind::Json => {
                let lines = match self.compression.is_compressed() {
                    true => lines,
                    false => !begins_with_array(&self.files[0]),
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
        let is_named = |file: &PathBuf| text.contains(&*file.to_string_lossy());
        if self.files.iter().any(is_named) {
            return error;
        }
        let shown = self
            .files
            .iter()
            .take(3)
            .map(|file| file.display().to_string());
        let shown = shown.collect::<Vec<_>>().join(", ");
        match self.files.len().saturating_sub(3) {
            0 => exec_datafusion_err!("{shown}: {text}"),
            more => exec_datafusion_err!("{shown} and {more} more files: {text}"),
        }
    }
}

/// Whether the first byte that is not white space opens an array.
fn begins_with_array(path: &Path) -> bool {
    let Ok(mut file) = fs::File::open(path) else {
        return false;
    };
    let mut buffer = [0; 4096];
    loop {
        match file.read(&mut buffer) {
            Ok(0) | Err(_) => return false,
            Ok(read) => {
                let text = buffer[..read]
                    .strip_prefix(b"\xEF\xBB\xBF")
                    .unwrap_or(&buffer[..read]);
                if let Some(byte) = text.iter().find(|byte| !byte.is_ascii_whitespace()) {
                    return *byte == b'[';
                }
            }
        }
    }
}
