//! `neardup dedup`.

use super::options::{Cluster, Global};
use super::visible::shell_word;
use super::{out, progress, summary, temp_dir};
use clap::{Args, ValueEnum};
use datafusion::common::{Result, exec_datafusion_err};
use neardup::jobs::{Dedup, DumpOptions, Keep, Method, Pairs, Resolution, RowIds, dedup};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Find near-duplicates in a dump or a table, and keep one of each
///
/// Reads a MediaWiki dump (.xml, .xml.bz2, .xml.gz), whose sentences are compared, or a table of
/// documents (Parquet, CSV, TSV, JSON lines or arrays, or .txt files, also .gz, .zst, .bz2), given as files,
/// directories or globs, on disk or in a bucket (s3://BUCKET/KEY). Without an input it reads the bundled
/// sample dump. The result is a directory with pairs.parquet, clusters.parquet and kept.parquet. Running the
/// same command again resumes a job that was stopped.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, directories or globs; - is standard input [default: the bundled sample dump]
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// Directory of the result
    #[arg(short, long, value_name = "DIR", default_value = "neardup-out")]
    output: String,
    /// Id column of a table: integers or texts [default: id, else row numbers]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Text column of a table [default: text]
    #[arg(long, value_name = "COLUMN")]
    text: Option<String>,
    /// Column of vectors of a table: lists of numbers or of (term, weight), for --method projection
    /// [default: vector]
    #[arg(long, value_name = "COLUMN")]
    vector: Option<String>,
    /// Number of bits of a vector's signature, for --method projection
    #[arg(long, value_name = "N", default_value_t = 1024)]
    bits: usize,
    /// How ids are made if the table has no id column: from the row's number, its file path and number, or
    /// its content
    #[arg(long, value_enum, default_value_t = RowIdsName::Number)]
    row_ids: RowIdsName,
    /// Minimum similarity of a pair, above 0 and at most 1 [default: 0.8; dumps: 0.6]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Shingles that texts are split into: char:N, word:N or space:N [default: word:3; dumps: char:5]
    #[arg(long, value_name = "SHINGLE")]
    shingle: Option<String>,
    /// How pairs are found
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    method: MethodName,
    /// Share of the pairs at the threshold that MinHash or random projection must find, above 0 and below 1
    #[arg(long, value_name = "R", default_value_t = 0.99)]
    target_recall: f64,
    /// Compare texts unchanged: without NFKC and lower-casing, and with their white space
    #[arg(long)]
    no_normalize: bool,
    /// Pairs to write: those of distinct texts plus one for each exact copy, or all
    #[arg(long, value_enum, default_value_t = PairsName::Linked)]
    pairs: PairsName,
    /// Rows to remove: those similar to a kept row, or all rows of a connected component but one
    #[arg(long, value_enum, default_value_t = ResolutionName::Representative)]
    resolution: ResolutionName,
    /// Row to keep: the one with the smallest id, or with the most characters
    #[arg(long, value_enum, default_value_t = KeepName::First)]
    keep: KeepName,
    /// Row to keep by a column: COLUMN or 'COLUMN desc'
    #[arg(long, value_name = "COLUMN", conflicts_with = "keep")]
    keep_by: Option<String>,
    /// Buckets of more distinct texts are verified against a few of them only, a vector against its first N
    /// similar predecessors (at most 256). The summary says how many pairs were not compared; rows that are
    /// kept may be similar to each other in such buckets alone (see near_duplicates)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        visible_alias = "bucket-pairs"
    )]
    max_bucket_pairwise: usize,
    /// Least length of a dump's sentence in characters
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_length: usize,
    /// Greatest length of a dump's sentence in characters
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_length: usize,
    #[command(flatten)]
    dump: DumpArguments,
    /// Replace another job in the directory
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    cluster: Cluster,
}

/// How dumps are read.
#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    /// What to do if a dump is damaged: fail, or skip what cannot be read and report it
    #[arg(long, value_enum, default_value_t = OnError::Fail)]
    on_error: OnError,
    /// How texts are split into sentences: by rules for the language, or as published systems did
    #[arg(long, value_enum, default_value_t = Splitter::Default)]
    splitter: Splitter,
}

impl DumpArguments {
    pub(crate) fn options(&self) -> DumpOptions {
        DumpOptions {
            on_error: format!("{:?}", self.on_error).to_lowercase(),
            splitter: format!("{:?}", self.splitter).to_lowercase(),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnError {
    Fail,
    Skip,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Splitter {
    Default,
    Published,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodName {
    Auto,
    Exact,
    Minhash,
    Projection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PairsName {
    Linked,
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ResolutionName {
    Representative,
    Components,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RowIdsName {
    Number,
    Path,
    Content,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeepName {
    First,
    Longest,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let begun = Instant::now();
    let sample = match arguments.inputs.is_empty() {
        true => Some(Sample::unpack()?),
        false => None,
    };
    let inputs = match &sample {
        Some(sample) => {
            if !global.quiet && !global.json {
                report!("no input given: reading the bundled sample dump");
            }
            vec![sample.path.to_string_lossy().into_owned()]
        }
        None => arguments.inputs.clone(),
    };
    let options = Dedup {
        id: arguments.id.clone(),
        row_ids: match arguments.row_ids {
            RowIdsName::Number => RowIds::Number,
            RowIdsName::Path => RowIds::Path,
            RowIdsName::Content => RowIds::Content,
        },
        text: arguments.text.clone(),
        vector: arguments.vector.clone(),
        bits: arguments.bits,
        threshold: arguments.threshold,
        shingle: arguments.shingle.clone(),
        method: match arguments.method {
            MethodName::Auto => Method::Auto,
            MethodName::Exact => Method::Exact,
            MethodName::Minhash => Method::MinHash,
            MethodName::Projection => Method::Projection,
        },
        target_recall: arguments.target_recall,
        normalize: !arguments.no_normalize,
        pairs: match arguments.pairs {
            PairsName::Linked => Pairs::Linked,
            PairsName::All => Pairs::All,
        },
        resolution: match arguments.resolution {
            ResolutionName::Representative => Resolution::Representative,
            ResolutionName::Components => Resolution::Components,
        },
        keep: match (&arguments.keep_by, arguments.keep) {
            (Some(order), _) => Keep::parse(order)?,
            (None, KeepName::First) => Keep::First,
            (None, KeepName::Longest) => Keep::Longest,
        },
        max_bucket_pairwise: arguments.max_bucket_pairwise,
        lengths: (arguments.min_length, arguments.max_length),
        dump: arguments.dump.options(),
        overwrite: arguments.overwrite,
        ..Dedup::new(inputs, arguments.output.clone())
    };
    let job = dedup(
        &options,
        global.session_on(&arguments.cluster)?,
        progress::progress(global),
    )
    .await?;
    summary::print(&job, begun.elapsed(), global)?;
    if !global.quiet && !global.json {
        let shown = shell_word(&arguments.output);
        out::print(|out| Ok(writeln!(out, "\nlook at it: neardup show {shown}")?))?;
    }
    Ok(())
}

/// The bundled sample dump as a file, whose path stays the same so that a job on it can resume.
struct Sample {
    path: PathBuf,
}

impl Sample {
    fn unpack() -> Result<Self> {
        use neardup_datasets::sample::{SAMPLE_DUMP, SAMPLE_DUMP_NAME};
        let at = |path: &Path, error: std::io::Error| {
            exec_datafusion_err!("{}: {error}", path.display())
        };
        let name = concat!("neardup-sample-", env!("CARGO_PKG_VERSION"));
        let directory = temp_dir::private_temp_dir(&std::env::temp_dir(), name)?;
        let path = directory.join(SAMPLE_DUMP_NAME);
        if std::fs::read(&path).is_ok_and(|bytes| bytes == SAMPLE_DUMP) {
            return Ok(Self { path });
        }
        let unpack = || {
            let mut temporary = tempfile::NamedTempFile::new_in(&directory)?;
            temporary.write_all(SAMPLE_DUMP)?;
            // A constant modification time: a job identifies its input by it, among other properties.
            temporary
                .as_file()
                .set_modified(std::time::SystemTime::UNIX_EPOCH)?;
            temporary.persist(&path)?;
            Ok(())
        };
        unpack().map_err(|error| at(&path, error))?;
        Ok(Self { path })
    }
}
