//! `neardup generate`.

use super::options::Global;
use super::stop::Unfinished;
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

/// Rows of a batch.
const BATCH: usize = 8192;

/// Make a synthetic corpus with known near-duplicates
///
/// The same seed gives the same rows on every machine. Most rows are distinct; the others stand in
/// clusters of identical copies, character edits, word substitutions, changed numbers and
/// templates, most of 2 or 3 rows, a few of thousands.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Rows to make
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    rows: u64,
    /// File to write: Parquet with the columns id and text; with --dump .xml or .xml.bz2
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Another seed, another corpus
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Documents of 200 to 2,000 words instead of sentences
    #[arg(long, conflicts_with = "dump")]
    docs: bool,
    /// A MediaWiki dump instead of a table: its sentences are the rows
    #[arg(long)]
    dump: bool,
    /// Where to write the truth: id, cluster, kind, member
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
        say!("{} rows, {} MB of text", spec.rows, bytes >> 20);
    }
    Ok(())
}

/// A file that has its name only once it is whole.
struct Aside {
    path: PathBuf,
    aside: Unfinished,
}

impl Aside {
    fn create(path: &Path) -> Result<(Self, File)> {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        remove_dead(directory, &own);
        let made = tempfile::Builder::new()
            .prefix(&format!("{own}."))
            .suffix(".part")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory)
            .map_err(at)?;
        let (file, aside) = made.keep().map_err(|error| at(error.error))?;
        // Locked while it is written: who finds it unlocked may remove it.
        file.lock().map_err(at)?;
        let aside = Unfinished::new(aside);
        let path = path.to_owned();
        Ok((Self { path, aside }, file))
    }

    fn finish(self) -> Result<()> {
        std::fs::rename(self.aside.path(), &self.path)
            .map_err(|error| exec_datafusion_err!("{}: {error}", self.path.display()))
    }
}

/// Removes what commands left that were killed while they wrote a file of this name.
fn remove_dead(directory: &Path, name: &str) {
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
            // If it cannot be removed it stays.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A Parquet file that is filled batch by batch.
struct Table {
    aside: Aside,
    writer: ArrowWriter<File>,
}

impl Table {
    fn create(path: &Path, sample: &RecordBatch) -> Result<Self> {
        let (aside, file) = Aside::create(path)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .build();
        let writer = ArrowWriter::try_new(file, sample.schema(), Some(properties))?;
        Ok(Self { aside, writer })
    }

    fn finish(self) -> Result<()> {
        self.writer.close()?;
        self.aside.finish()
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
    let mut known = match &arguments.truth {
        Some(path) => Some(Table::create(path, &truth(&[])?)?),
        None => None,
    };
    let mut bytes = 0;
    let mut rows = Generator::new(spec);
    loop {
        let batch: Vec<(i64, Row)> = rows.by_ref().take(BATCH).map(|row| (row.id, row)).collect();
        if batch.is_empty() {
            break;
        }
        bytes += batch
            .iter()
            .map(|(_, row)| row.text.len() as u64)
            .sum::<u64>();
        table.writer.write(&texts(&batch)?)?;
        if let Some(known) = &mut known {
            known.writer.write(&truth(&batch)?)?;
        }
    }
    table.finish()?;
    known.map_or(Ok(()), Table::finish)?;
    Ok(bytes)
}

fn dump(spec: Spec, arguments: &Arguments) -> Result<u64> {
    let name = arguments.output.to_string_lossy();
    let compressed = match () {
        () if name.ends_with(".xml") => false,
        () if name.ends_with(".xml.bz2") => true,
        () => return exec_err!("{name}: a dump is written as .xml or .xml.bz2"),
    };
    let (aside, file) = Aside::create(&arguments.output)?;
    let mut known = match &arguments.truth {
        Some(path) => Some(Table::create(path, &truth(&[])?)?),
        None => None,
    };
    let file = BufWriter::new(file);
    let bytes = match compressed {
        true => {
            let (encoder, bytes) = pages(
                bzip2::write::BzEncoder::new(file, bzip2::Compression::best()),
                spec,
                &mut known,
            )?;
            encoder.finish()?.flush()?;
            bytes
        }
        false => {
            let (mut file, bytes) = pages(file, spec, &mut known)?;
            file.flush()?;
            bytes
        }
    };
    aside.finish()?;
    known.map_or(Ok(()), Table::finish)?;
    Ok(bytes)
}

/// Writes the pages; the truth has the ids that the sentences of the dump get.
fn pages<W: Write>(out: W, spec: Spec, known: &mut Option<Table>) -> Result<(W, u64)> {
    let mut writer = DumpWriter::new(out, spec)?;
    let mut bytes = 0;
    let mut rows = Generator::new(spec);
    loop {
        let mut batch = Vec::with_capacity(BATCH);
        for row in rows.by_ref().take(BATCH) {
            bytes += row.text.len() as u64;
            let place = writer.write(&row)?;
            batch.push(((place.page_id << 20) + i64::from(place.sentence_no), row));
        }
        if batch.is_empty() {
            return Ok((writer.finish()?, bytes));
        }
        if let Some(known) = known {
            known.writer.write(&truth(&batch)?)?;
        }
    }
}
