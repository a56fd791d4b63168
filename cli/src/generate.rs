//! `neardup generate`.

use super::options::Global;
use super::stop::CleanupGuard;
use clap::Args;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt32Array};
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use neardup_datasets::generate::{DumpWriter, Generator, Kind, Row, Spec};
use std::fs::{File, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Make a synthetic corpus with known near-duplicates
///
/// The same seed gives the same rows on every machine. Most rows are distinct; the others form clusters of
/// identical copies, character edits, word substitutions, changed numbers and templates. Most clusters have
/// 2 or 3 rows, a few have thousands.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Number of rows to make
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    rows: u64,
    /// File to write: Parquet with the columns id and text, or with --dump .xml or .xml.bz2
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Seed of the random generator: each seed gives a different corpus
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Make documents of 200 to 2,000 words instead of sentences
    #[arg(long, conflicts_with = "dump")]
    docs: bool,
    /// Make a MediaWiki dump, whose sentences are the rows, instead of a table
    #[arg(long)]
    dump: bool,
    /// Parquet file to write the ground truth to: columns id, cluster, kind and member
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let spec = Spec {
        rows: arguments.rows,
        seed: arguments.seed,
        kind: if arguments.docs {
            Kind::Documents
        } else {
            Kind::Sentences
        },
    };
    let arguments = Arguments {
        output: arguments.output.clone(),
        truth: arguments.truth.clone(),
        ..*arguments
    };
    let written = tokio::task::spawn_blocking(move || match arguments.dump {
        true => dump(spec, &arguments),
        false => table(spec, &arguments),
    });
    let bytes = written
        .await
        .map_err(|error| exec_datafusion_err!("generate: {error}"))??;
    if !global.quiet {
        report!("{} rows, {} MB of text", spec.rows, bytes >> 20);
    }
    Ok(())
}

/// A file that is written under a temporary name and renamed once it is complete.
struct AtomicFile {
    path: PathBuf,
    temporary: CleanupGuard,
}

impl AtomicFile {
    fn create(path: &Path) -> Result<(Self, File)> {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        remove_stale(directory, &own);
        let made = tempfile::Builder::new()
            .prefix(&format!("{own}."))
            .suffix(".part")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory)
            .map_err(at)?;
        let (file, temporary) = made.keep().map_err(|error| at(error.error))?;
        // The file is locked while it is written; other commands remove temporary files that are not locked.
        file.lock().map_err(at)?;
        let temporary = CleanupGuard::new(temporary);
        let path = path.to_owned();
        Ok((Self { path, temporary }, file))
    }

    fn finish(self) -> Result<()> {
        std::fs::rename(self.temporary.path(), &self.path)
            .map_err(|error| exec_datafusion_err!("{}: {error}", self.path.display()))
    }
}

/// Removes temporary files of commands that were killed while they wrote a file of this name.
fn remove_stale(directory: &Path, name: &str) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let middle = found
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".part"));
        let random = |middle: &str| middle.len() == 6 && middle.chars().all(char::is_alphanumeric);
        if middle.is_some_and(random)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // Best effort.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A Parquet file that is filled batch by batch.
struct Table {
    file: AtomicFile,
    writer: ArrowWriter<File>,
}

impl Table {
    fn create(path: &Path, sample: &RecordBatch) -> Result<Self> {
        let (atomic, file) = AtomicFile::create(path)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .build();
        let writer = ArrowWriter::try_new(file, sample.schema(), Some(properties))?;
        Ok(Self {
            file: atomic,
            writer,
        })
    }

    fn finish(self) -> Result<()> {
        self.writer.close()?;
        self.file.finish()
    }
}

fn texts(rows: &[(i64, Row)]) -> Result<RecordBatch> {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|(id, _)| *id)));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        rows.iter().map(|(_, row)| &row.text),
    ));
    Ok(RecordBatch::try_from_iter([("id", ids), ("text", texts)])?)
}

fn truth(rows: &[(i64, Row)]) -> Result<RecordBatch> {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|(id, _)| *id)));
    let clusters: ArrayRef = Arc::new(Int64Array::from_iter(
        rows.iter().map(|(_, row)| row.cluster),
    ));
    let kinds: ArrayRef = Arc::new(StringArray::from_iter_values(
        rows.iter().map(|(_, row)| row.kind),
    ));
    let members: ArrayRef = Arc::new(UInt32Array::from_iter_values(
        rows.iter().map(|(_, row)| row.member),
    ));
    Ok(RecordBatch::try_from_iter_with_nullable([
        ("id", ids, false),
        ("cluster", clusters, true),
        ("kind", kinds, false),
        ("member", members, false),
    ])?)
}

fn table(spec: Spec, arguments: &Arguments) -> Result<u64> {
    if arguments
        .output
        .extension()
        .is_none_or(|ending| ending != "parquet")
    {
        return exec_err!(
            "{}: a table is written as .parquet; --dump writes .xml",
            arguments.output.display()
        );
    }
    let mut table = Table::create(&arguments.output, &texts(&[])?)?;
    let mut truth_table = match &arguments.truth {
        Some(path) => Some(Table::create(path, &truth(&[])?)?),
        None => None,
    };
    let mut bytes = 0;
    let mut rows = Generator::new(spec);
    loop {
        let batch: Vec<(i64, Row)> = rows
            .by_ref()
            .take(BATCH_ROWS)
            .map(|row| (row.id, row))
            .collect();
        if batch.is_empty() {
            break;
        }
        bytes += batch
            .iter()
            .map(|(_, row)| row.text.len() as u64)
            .sum::<u64>();
        table.writer.write(&texts(&batch)?)?;
        if let Some(truth_table) = &mut truth_table {
            truth_table.writer.write(&truth(&batch)?)?;
        }
    }
    table.finish()?;
    truth_table.map_or(Ok(()), Table::finish)?;
    Ok(bytes)
}

fn dump(spec: Spec, arguments: &Arguments) -> Result<u64> {
    let name = arguments.output.to_string_lossy();
    let compressed = match () {
        () if name.ends_with(".xml") => false,
        () if name.ends_with(".xml.bz2") => true,
        () => return exec_err!("{name}: a dump is written as .xml or .xml.bz2"),
    };
    let (atomic, file) = AtomicFile::create(&arguments.output)?;
    let mut truth_table = match &arguments.truth {
        Some(path) => Some(Table::create(path, &truth(&[])?)?),
        None => None,
    };
    let file = BufWriter::new(file);
    let bytes = match compressed {
        true => {
            let (encoder, bytes) = pages(
                bzip2::write::BzEncoder::new(file, bzip2::Compression::best()),
                spec,
                &mut truth_table,
            )?;
            encoder.finish()?.flush()?;
            bytes
        }
        false => {
            let (mut file, bytes) = pages(file, spec, &mut truth_table)?;
            file.flush()?;
            bytes
        }
    };
    atomic.finish()?;
    truth_table.map_or(Ok(()), Table::finish)?;
    Ok(bytes)
}

/// Writes the pages, and the ground truth with the ids that the sentences of the dump get.
fn pages<W: Write>(out: W, spec: Spec, truth_table: &mut Option<Table>) -> Result<(W, u64)> {
    let mut writer = DumpWriter::new(out, spec)?;
    let mut bytes = 0;
    let mut rows = Generator::new(spec);
    loop {
        let mut batch = Vec::with_capacity(BATCH_ROWS);
        for row in rows.by_ref().take(BATCH_ROWS) {
            bytes += row.text.len() as u64;
            let sentence = writer.write(&row)?;
            let id = (sentence.page_id << 20) + i64::from(sentence.sentence_no);
            batch.push((id, row));
        }
        if batch.is_empty() {
            return Ok((writer.finish()?, bytes));
        }
        if let Some(truth_table) = truth_table {
            truth_table.writer.write(&truth(&batch)?)?;
        }
    }
}
