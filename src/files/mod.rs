//! Files as tables: resolves paths, directories and globs, on the command line and in SQL.

mod damaged;
mod destination;
mod disk;
mod doubtful_statistics;
mod external;
mod find;
mod listing;
mod location;
mod metadata;
mod panics;
mod partitions;
mod pipes;
mod plain_texts;
mod reading;
mod recognise;
mod schema;
mod second_input;
mod stores;
mod type_words;
mod url_tables;
mod written_formats;

pub use damaged::explain_read_error;
pub use destination::Destination;
#[cfg(feature = "cluster")]
pub(crate) use doubtful_statistics::ReadAllOfDoubtful;
pub(crate) use doubtful_statistics::{
    DropDoubtfulStatistics, PruneByKnownValues, without_doubtful_statistics,
};
pub(crate) use external::TsvFactory;
pub(crate) use find::MANIFEST;
pub(crate) use listing::parquet_files;
pub use location::Location;
pub use panics::caught;
pub(crate) use partitions::NULL_DIRECTORY;
pub use pipes::{STANDARD_INPUT_COPY, read_pipes, remove_copies, with_names_of_pipes};
pub(crate) use plain_texts::{CopyPlainTexts, plain_schema};
pub(crate) use reading::Reading;
pub use schema::{cast_to, wide_dictionaries};
pub(crate) use second_input::resolve_second;
pub(crate) use stores::with_buckets;
pub(crate) use type_words::values_of;
pub(crate) use url_tables::{FileTables, names_files};
pub(crate) use written_formats::written_formats;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::datasource::listing::ListingOptions;
use datafusion::execution::SessionState;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::path::Path as ObjectPath;
use neardup_datasets::{
    DumpOptions, DumpTable, NumberedParquet, Numbers, RecordFormat, RecordOptions, RecordTable,
};
use partitions::{Lacking, Partitions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The kind of the data in files.
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
    /// JSON: one object in each line, or arrays of objects.
    Json,
    /// Plain text: each file is a document.
    Text,
}

/// Number of Parquet files whose schemas are read at the same time.
const CONCURRENT_FILES: usize = 16;

const KNOWN: &str = ".parquet, .csv, .tsv, .json, .jsonl, .ndjson, .txt (also .gz, .zst, .bz2), or a dump: .xml, .xml.bz2, .xml.gz";

/// The input files of a job or a table.
#[derive(Debug, Clone)]
pub struct Input {
    /// The kind of their data.
    pub kind: Kind,
    /// The names by which they were found.
    names: Vec<String>,
    /// Their locations, sorted.
    pub files: Vec<Location>,
    /// Their compressions: empty for none, `gz`, `zst` or `bz2`.
    compressions: Vec<&'static str>,
    /// Columns from the names of their directories.
    partitions: Partitions,
    /// How they are read.
    pub(crate) reading: Reading,
    /// Columns of CSV and TSV files that are read as text even if all of their values look like numbers.
    texts: Vec<String>,
    /// The table of files that are not Parquet, set once the files have been read to infer their columns.
    records: Arc<OnceCell<RecordTable>>,
}

/// The table in the files that paths, addresses, directories and globs refer to: a table of documents, or the pages of
/// dumps.
///
/// # Errors
/// As [`resolve`], and if the files cannot be read or have incompatible schemas.
pub async fn table(names: &[String], state: &SessionState) -> Result<Arc<dyn TableProvider>> {
    let input = resolve(names, state).await?;
    match input.kind {
        Kind::Dump => {
            let dump = DumpTable::try_new(input.dumps()?, DumpOptions::default())?;
            Ok(Arc::new(dump))
        }
        _ => input.table(state).await,
    }
}

/// Finds the files that paths, addresses, directories and globs refer to.
///
/// # Errors
/// If nothing is found, neither the name nor the first bytes of a file tell its kind, the files are of different
/// kinds, or an option of readers is out of range.
pub async fn resolve(names: &[String], state: &SessionState) -> Result<Input> {
    let runtime = state.runtime_env().as_ref();
    let reading = Reading::of(state.config_options())?;
    files_of(names, runtime).await?.read(reading, runtime).await
}

/// The files that names refer to, before it is known how they are read.
#[derive(Debug, Clone)]
struct Found {
    names: Vec<String>,
    /// Their locations, sorted.
    files: Vec<Location>,
    /// Columns from the names of their directories.
    partitions: Partitions,
}

async fn files_of(names: &[String], runtime: &RuntimeEnv) -> Result<Found> {
    let mut named = Vec::with_capacity(names.len());
    for name in names {
        let name = name.strip_prefix("file://").unwrap_or(name);
        let mut found = match location::is_address(name) {
            true => find::in_store(name, runtime).await?,
            false if pipes::is_pipe(name) => vec![(pipes::copy(name).await?, None)],
            false => find::on_disk(name)?,
        };
        found.sort();
        named.push((name, found));
    }
    let (files, partitions) = Partitions::of(&named);
    Ok(Found {
        names: names.to_vec(),
        files,
        partitions,
    })
}

impl Found {
    /// The files as an input that is read with these options.
    async fn read(self, reading: Reading, runtime: &RuntimeEnv) -> Result<Input> {
        let Self {
            names,
            mut files,
            partitions,
        } = self;
        let Some(first) = files.first().cloned() else {
            return exec_err!("no input was given");
        };
        let (kind, _) = named_or_recognised(&first, &reading, runtime).await?;
        reading.check(kind)?;
        if kind == Kind::Dump {
            // Pages have no values of directories in which a file that is found twice could differ.
            let mut targets = BTreeSet::new();
            files.retain(|file| targets.insert(file.target()));
        }
        let mut compressions = Vec::with_capacity(files.len());
        for file in &files {
            let (other, compression) = named_or_recognised(file, &reading, runtime).await?;
            compressions.push(compression);
            if other != kind {
                let named = |file: &Location| file.as_str().ends_with("/manifest.json");
                if named(file) || named(&first) {
                    return exec_err!(
                        "{file}: its directory is that of a job; its tables are files in it, such as kept.parquet"
                    );
                }
                return exec_err!(
                    "{first} and {file} are of different kinds; all files of one input must have the same kind: select them as in 'DIR/*.jsonl', or read each kind with a SELECT of its own and combine them with UNION ALL"
                );
            }
        }
        Ok(Input {
            kind,
            names,
            partitions,
            files,
            compressions,
            reading,
            texts: Vec::new(),
            records: Arc::default(),
        })
    }
}

/// The kind of a file by its name, or else by its first bytes, or else by the options of readers.
async fn named_or_recognised(
    file: &Location,
    reading: &Reading,
    runtime: &RuntimeEnv,
) -> Result<(Kind, &'static str)> {
    let unknown = match kind_of(file.as_str()) {
        Ok((kind, compression)) => {
            return Ok((reading.kind(Some(kind)).unwrap_or(kind), compression));
        }
        Err(error) => error,
    };
    let (kind, compression) = recognise::kind(file, runtime).await?;
    match reading.kind(kind) {
        Some(kind) => Ok((kind, compression)),
        None if file.head(runtime).await?.size == 0 => {
            exec_err!("{file}: it is empty, and neither its name nor an option determines its kind")
        }
        None => Err(unknown),
    }
}

/// Whether the name of a file is that of plain text.
fn is_text(path: &str) -> bool {
    matches!(kind_of(path), Ok((Kind::Text, _)))
}

fn kind_of(path: &str) -> Result<(Kind, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let (stem, compression) = [(".gz", "gz"), (".zst", "zst"), (".bz2", "bz2")]
        .into_iter()
        .find_map(|(ending, compression)| Some((name.strip_suffix(ending)?, compression)))
        .unwrap_or((&name, ""));
    let kind = match stem.rsplit_once('.').map(|(_, ending)| ending) {
        Some("xml") if !name.ends_with(".zst") => Kind::Dump,
        // A part of a dump as the publisher names it: NAME.xml-p10p30302.bz2.
        Some(ending) if ending.starts_with("xml-p") && !name.ends_with(".zst") => Kind::Dump,
        Some("parquet") if stem == name => Kind::Parquet,
        Some("parquet") => {
            return exec_err!("{path}: .parquet.{compression} files are not read; unpack it first");
        }
        Some("csv") => Kind::Csv,
        Some("tsv") => Kind::Tsv,
        Some("json" | "jsonl" | "ndjson") => Kind::Json,
        Some("txt") => Kind::Text,
        Some(ending @ ("xlsx" | "xls" | "ods" | "docx" | "doc" | "odt" | "pdf" | "epub")) => {
            return exec_err!(
                "{path}: .{ending} files are not read; export the table as CSV, or the text as .txt"
            );
        }
        Some(
            ending @ ("zip" | "7z" | "rar" | "tar" | "tgz" | "tbz" | "tbz2" | "txz" | "xz" | "lz4"
            | "lzma" | "br" | "z"),
        ) => {
            return exec_err!("{path}: .{ending} files are not read; unpack it first");
        }
        _ => {
            return exec_err!(
                "{path}: unknown kind of file by its name and by its first bytes; known are {KNOWN}; with a delimiter any other is read as separated values"
            );
        }
    };
    Ok((kind, compression))
}

impl Input {
    /// A relation of SQL with the rows of all files. Where no name is that of exactly these files, it asks for a pattern.
    pub(crate) fn relation(&self) -> String {
        let name = match self.names.as_slice() {
            [name] if Path::new(name).is_dir() && !name.ends_with('/') => Some(format!("{name}/")),
            [name] => Some(name.clone()),
            _ => self.pattern(),
        };
        match name {
            Some(name) => format!("'{}'", name.replace('\'', "''")),
            None => "'PATTERN' /* PATTERN is one that matches all files, as in 'texts/*.jsonl' */"
                .to_owned(),
        }
    }

    /// The pattern of the files of a directory with the same extension, if these are the files.
    fn pattern(&self) -> Option<String> {
        let first = self.files.first()?.path()?;
        let extension = first.file_name()?.to_str()?.split_once('.')?.1;
        let directory = first.parent()?.to_str()?;
        let pattern = format!("{directory}/*.{extension}");
        let mut found = find::on_disk(&pattern).ok()?;
        found.sort();
        let found = found.iter().map(|(file, _)| file);
        (!directory.contains(['*', '?', '[', '{']) && found.eq(&self.files)).then_some(pattern)
    }

    /// The same input with a column that is read as text even if all of its values look like numbers.
    pub(crate) fn with_texts_in(mut self, column: &str) -> Self {
        self.texts.push(column.to_owned());
        self.records = Arc::default();
        self
    }

    /// Whether the files have an option of readers.
    pub(crate) fn has_option(&self, name: &str) -> bool {
        reading::has(self.kind, name)
    }

    /// Whether a file is a copy of a pipe, which is removed when the process ends.
    pub(crate) fn is_temporary(&self) -> bool {
        self.files.iter().any(pipes::is_copy)
    }

    /// The files that are copies of pipes, which are gone when the process ends, with the names of the pipes.
    pub(crate) fn pipes(&self) -> impl Iterator<Item = (&Location, String)> {
        let files = self.files.iter();
        files.filter_map(|file| Some((file, pipes::pipe_of(file)?)))
    }

    /// The names of the files in the form that [`DumpTable`] expects.
    pub(crate) fn dumps(&self) -> Result<Vec<String>> {
        let name = |file: &Location| match file.path() {
            Some(_) => Ok(file.to_string()),
            None => Ok(file.url()?.to_string()),
        };
        self.files.iter().map(name).collect()
    }

    /// The files as one table; not for dumps.
    pub(crate) async fn table(&self, state: &SessionState) -> Result<Arc<dyn TableProvider>> {
        if !self.partitions.is_empty() {
            let (table, numbers, lacking) = self.positioned(state).await?;
            let files = (self.files.as_slice(), &lacking);
            let (table, _) = self.partitions.over(table, &numbers, files, false)?;
            return Ok(table);
        }
        if self.kind == Kind::Parquet {
            let (options, schema, _) = self.parquet(state).await?;
            let table = listing::listing(&self.files, options, schema);
            return table.map_err(|error| self.named(error));
        }
        Ok(Arc::new(self.records(state).await?.clone()))
    }

    /// The files as one table with extra columns: for each row the index of its file, its index in that file, and the
    /// name of the file.
    pub(crate) async fn numbered(
        &self,
        state: &SessionState,
    ) -> Result<(Arc<dyn TableProvider>, Numbers)> {
        let (table, numbers, lacking) = self.positioned(state).await?;
        let files = (self.files.as_slice(), &lacking);
        match self.partitions.is_empty() {
            true => Ok((table, numbers)),
            false => self.partitions.over(table, &numbers, files, true),
        }
    }

    /// The files as one table with the numbers of their rows, without the columns from the names of directories, and
    /// the files that could have values of these.
    async fn positioned(
        &self,
        state: &SessionState,
    ) -> Result<(Arc<dyn TableProvider>, Numbers, Lacking)> {
        if self.kind == Kind::Parquet {
            let (_, schema, lacking) = self.parquet(state).await?;
            let (store, paths) = self.objects()?;
            let (table, numbers) = NumberedParquet::new(&store, &paths, schema);
            return Ok((Arc::new(table), numbers, lacking));
        }
        let records = self.records(state).await?;
        let (table, numbers) = records.clone().numbered();
        Ok((Arc::new(table), numbers, records.lacking().clone()))
    }

    /// The options to read Parquet, the common schema of all files, and those without columns of the names of keys.
    async fn parquet(&self, state: &SessionState) -> Result<(ListingOptions, SchemaRef, Lacking)> {
        let options = ListingOptions::new(listing::parquet(state)).with_file_extension("");
        let mut schemas = Vec::with_capacity(self.files.len());
        for files in self.files.chunks(CONCURRENT_FILES) {
            let found = files
                .iter()
                .map(|file| listing::checked_schema(state, file, &options));
            let found = futures::future::join_all(found).await;
            for (file, schema) in files.iter().zip(found) {
                let schema = match schema {
                    Ok(schema) => schema,
                    Err(error) => {
                        let other = recognise::instead_of_parquet(file, state.runtime_env()).await;
                        return Err(match other {
                            Some(other) => exec_datafusion_err!("{file}: {other}"),
                            None => exec_datafusion_err!("{file}: {}", error.message()),
                        });
                    }
                };
                // The engine treats an empty file as a table without rows.
                if schema.fields().is_empty() && file.head(state.runtime_env()).await?.size == 0 {
                    return exec_err!(
                        "{file}: the file is empty: it was truncated, or never written"
                    );
                }
                schemas.push((file, schema));
            }
        }
        let of_files: Vec<&SchemaRef> = schemas.iter().map(|(_, schema)| schema).collect();
        let lacking = self.partitions.lacking(&of_files);
        let schema = schema::merge(&schemas)?;
        Ok((options, schema, lacking))
    }

    /// The table of CSV, TSV, JSON or text files, which are read once completely to infer their columns.
    async fn records(&self, state: &SessionState) -> Result<&RecordTable> {
        let format = match self.kind {
            Kind::Csv | Kind::Tsv => RecordFormat::Separated(self.reading.dialect(self.kind)),
            Kind::Json => RecordFormat::Json,
            Kind::Text => RecordFormat::Text,
            Kind::Dump | Kind::Parquet => return exec_err!("a dump is not a table of documents"),
        };
        let open = async || {
            let (store, paths) = self.objects()?;
            let options = RecordOptions {
                format,
                compressions: paths
                    .iter()
                    .zip(&self.compressions)
                    .filter(|(_, compression)| !compression.is_empty())
                    .map(|(path, compression)| (path.to_string(), (*compression).to_owned()))
                    .collect(),
                encoding: self.reading.encoding.clone(),
                texts: self.texts.clone(),
            };
            let at_once = state.config().target_partitions();
            let runtime = state.runtime_env();
            let keys = self.partitions.names();
            let table = RecordTable::open(runtime, &store, &paths, options, &keys, at_once).await;
            table.map_err(|error| self.named(error))
        };
        self.records.get_or_try_init(open).await
    }

    /// The files as objects of the one store that holds them.
    fn objects(&self) -> Result<(ObjectStoreUrl, Vec<ObjectPath>)> {
        let mut paths = Vec::with_capacity(self.files.len());
        let mut found: Option<(ObjectStoreUrl, &Location)> = None;
        for file in &self.files {
            let (store, path) = file.object()?;
            match &found {
                Some((known, first)) if *known != store => {
                    return exec_err!(
                        "{first} and {file} are in different stores; all files of a table must be in the same store"
                    );
                }
                Some(_) => {}
                None => found = Some((store, file)),
            }
            paths.push(path);
        }
        match found {
            Some((store, _)) => Ok((store, paths)),
            None => exec_err!("no input was given"),
        }
    }

    /// The error with the names of the files in front, unless it already names one of them.
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
