//! `neardup dedup`.

use super::columns::{Columns, columns};
use super::flags::{default, help, help_with_cases, read};
use super::options::{Cluster, Global};
use super::reading::Reading;
use super::sample::Sample;
use super::{examples, kept, progress, report, summary};
use clap::Args;
use datafusion::common::Result;
use neardup::jobs::{
    Compare, CutAt, Dedup, DumpOptions, Edit, Formulas, Keep, Measure, Method, OnError, Pairs,
    Resolution, RowIds, Splitter, dedup,
};
use std::time::Instant;

/// Find near-duplicates in a dump or a table, and keep one of each
///
/// Examples:
///   neardup dedup articles.parquet -o out                 one of each group of similar rows
///   neardup dedup posts.csv --id post --text body --threshold 0.7 -o out
///   neardup dedup 'shards/*.jsonl.gz' --keep-by 'score desc, length(text) desc' --kept kept.jsonl.gz -o out
///   neardup dedup news.jsonl --text title,body -o out     the two columns are compared as one text
///   neardup dedup pages.parquet --measure containment --keep longest -o out   removes rows that longer ones contain
///   neardup dedup pages.parquet --within language,site -o out   only rows of one language and site are compared
///   neardup dedup pages.parquet --edit lines -o out       repeated lines are cut after their first occurrence
///   neardup dedup pages.parquet --edit passages -o out    the same for passages of at least 40 words
///   neardup dedup pages.parquet --edit passages --cut-at sentences -o out   only whole sentences of them
///   neardup dedup enwiki-pages-articles.xml.bz2 -o wiki   similar sentences of a Wikipedia dump
///   neardup show out                                      the clusters, with their differences
///   neardup why 42 out                                    why row 42 was removed
/// The rows of a table that are similar to no row of another one, and other tasks: docs/recipes.md.
///
/// Reads a MediaWiki dump (.xml, .xml.bz2, .xml.gz), whose sentences are compared, or a table of documents
/// (Parquet, CSV, TSV, JSON lines or arrays, or .txt files, also .gz, .zst, .bz2), given as files, directories
/// or globs, on disk or in a bucket (s3://BUCKET/KEY). Without an input it reads the bundled sample dump. The
/// result is a directory with pairs.parquet, clusters.parquet, kept.parquet and removed.parquet; with --edit
/// with kept.parquet and cuts.parquet. Running the same command again resumes a job that was stopped.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Files, directories or globs; - is standard input [default: the bundled sample dump]
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,

    /// Directory of the result
    #[arg(short, long, value_name = "DIR", default_value = "neardup-out", help_heading = RESULT)]
    output: String,
    /// Replace another job in the directory
    #[arg(long, help_heading = RESULT)]
    overwrite: bool,
    /// Also write the kept rows to this file, in the format of its name: .jsonl, .csv, .tsv or .parquet, text
    /// formats also as .gz, .zst or .bz2
    #[arg(long, value_name = "FILE", help_heading = RESULT)]
    kept: Option<String>,
    /// Also write the report of 'neardup report' into the directory
    #[arg(long, conflicts_with = "edit", help_heading = RESULT)]
    report: bool,
    #[arg(
        long,
        help = help("pairs"),
        value_parser = read::<Pairs>("pairs"),
        default_value = default("pairs"),
        help_heading = RESULT
    )]
    pairs: Pairs,

    #[arg(
        long,
        help = help("edit"),
        value_parser = read::<Edit>("edit"),
        help_heading = RESULT
    )]
    edit: Option<Edit>,
    #[arg(
        long,
        value_name = "N",
        help = help("min_copies.job"),
        value_parser = read::<usize>("min_copies.job"),
        default_value = default("min_copies.job"),
        help_heading = RESULT
    )]
    min_copies: usize,
    #[arg(
        long,
        value_name = "N",
        help = help("min_words.repeated"),
        value_parser = read::<usize>("min_words.repeated"),
        default_value = default("min_words.repeated"),
        help_heading = RESULT
    )]
    min_words: usize,
    #[arg(
        long,
        help = help("cut_at"),
        value_parser = read::<CutAt>("cut_at"),
        default_value = default("cut_at"),
        help_heading = RESULT
    )]
    cut_at: CutAt,

    /// Text column of a table, or several, as in title,body, which are compared as one text: that of each, with blank
    /// lines between them; NULL is left out [default: text]
    #[arg(long, value_name = "COLUMNS", value_parser = columns, help_heading = COLUMNS)]
    text: Option<Columns>,
    /// Id column of a table: integers or texts; 'row' uses row numbers [default: id, else row]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    id: Option<String>,
    #[arg(
        long,
        help = help("row_ids"),
        value_parser = read::<RowIds>("row_ids"),
        default_value = default("row_ids"),
        help_heading = COLUMNS
    )]
    row_ids: RowIds,
    /// Column of vectors of a table: lists of numbers or of (term, weight), for --method projection
    /// [default: vector]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    vector: Option<String>,

    #[arg(
        long,
        value_name = "COLUMNS",
        help = help("within.job"),
        value_parser = columns,
        help_heading = COLUMNS
    )]
    within: Option<Columns>,

    #[arg(
        long,
        help = help("measure.rows"),
        value_parser = read::<Measure>("measure.rows"),
        help_heading = SIMILAR
    )]
    measure: Option<Measure>,
    #[arg(
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help = help_with_cases("threshold", "threshold.unit", Dedup::DUMP_THRESHOLD),
        value_parser = read::<f64>("threshold"),
        help_heading = SIMILAR
    )]
    threshold: Option<f64>,
    #[arg(
        long,
        value_name = "SHINGLE",
        help = help_with_cases("shingle", "shingle.unit", Dedup::DUMP_SHINGLE),
        value_parser = read::<String>("shingle"),
        help_heading = SIMILAR
    )]
    shingle: Option<String>,
    /// Compare texts unchanged: without NFKC and lower-casing, and with their white space
    #[arg(long, help_heading = SIMILAR)]
    no_normalize: bool,

    #[arg(
        long,
        help = help("keep"),
        value_parser = read::<String>("keep"),
        default_value = default("keep"),
        help_heading = KEPT
    )]
    keep: String,
    #[arg(long, value_name = "COLUMNS", help = help("keep_by"), conflicts_with = "keep", help_heading = KEPT)]
    keep_by: Option<String>,
    #[arg(
        long,
        help = help("resolution"),
        value_parser = read::<Resolution>("resolution"),
        default_value = default("resolution"),
        help_heading = KEPT
    )]
    resolution: Resolution,

    #[arg(
        long,
        help = help("method.job"),
        value_parser = read::<Method>("method.job"),
        default_value = default("method.job"),
        help_heading = FOUND
    )]
    method: Method,
    #[arg(
        long,
        value_name = "R",
        help = help("target_recall"),
        value_parser = read::<f64>("target_recall"),
        default_value = default("target_recall"),
        help_heading = FOUND
    )]
    target_recall: f64,
    #[arg(
        long,
        value_name = "N",
        help = help("bits"),
        value_parser = read::<usize>("bits"),
        default_value = default("bits"),
        help_heading = FOUND
    )]
    bits: usize,
    #[arg(
        long,
        value_name = "N",
        help = help("max_bucket_pairwise"),
        value_parser = read::<usize>("max_bucket_pairwise"),
        default_value = default("max_bucket_pairwise"),
        visible_alias = "bucket-pairs",
        help_heading = FOUND
    )]
    max_bucket_pairwise: usize,

    #[command(flatten)]
    dump: DumpArguments,
    #[arg(
        long,
        help = help("compare"),
        value_parser = read::<Compare>("compare"),
        default_value = default("compare"),
        help_heading = DUMPS
    )]
    compare: Compare,
    #[arg(
        long,
        value_name = "N",
        help = help("min_length.job"),
        value_parser = read::<usize>("min_length.job"),
        default_value_t = Dedup::LENGTHS.0,
        help_heading = DUMPS
    )]
    min_length: usize,
    #[arg(
        long,
        value_name = "N",
        help = help("max_length"),
        value_parser = read::<usize>("max_length"),
        default_value_t = Dedup::LENGTHS.1,
        help_heading = DUMPS
    )]
    max_length: usize,

    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    cluster: Cluster,
    /// Names of the options that were given.
    #[arg(skip)]
    pub(super) given: Vec<String>,
}

/// The groups of options in the help.
const RESULT: &str = "Result";
const COLUMNS: &str = "Columns of a table";
const SIMILAR: &str = "What counts as similar";
const KEPT: &str = "Which row is kept";
const FOUND: &str = "How pairs are found";
const DUMPS: &str = "Dumps and languages";

/// How dumps are read.
#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    #[arg(
        long,
        help = help("on_error"),
        value_parser = read::<OnError>("on_error"),
        default_value = default("on_error"),
        help_heading = DUMPS
    )]
    on_error: OnError,
    #[arg(
        long,
        help = help("splitter"),
        value_parser = read::<Splitter>("splitter"),
        default_value = default("splitter"),
        help_heading = DUMPS
    )]
    splitter: Splitter,
    #[arg(
        long,
        help = help("formulas"),
        value_parser = read::<Formulas>("formulas"),
        default_value = default("formulas"),
        help_heading = DUMPS
    )]
    formulas: Formulas,
    #[arg(long, value_name = "CODE", help = help("language.job"), value_parser = read::<String>("language.job"), help_heading = DUMPS)]
    language: Option<String>,
}

impl DumpArguments {
    /// The options that differ from their defaults.
    pub(crate) fn given(&self) -> Vec<(&'static str, String)> {
        let options = DumpOptions::default();
        let mut given = vec![];
        if self.on_error != options.on_error {
            given.push(("--on-error", self.on_error.name().to_owned()));
        }
        if self.splitter != options.splitter {
            given.push(("--splitter", self.splitter.name().to_owned()));
        }
        if self.formulas != options.formulas {
            given.push(("--formulas", self.formulas.name().to_owned()));
        }
        given.extend(
            self.language
                .clone()
                .map(|language| ("--language", language)),
        );
        given
    }

    pub(crate) fn options(&self) -> DumpOptions {
        DumpOptions {
            on_error: self.on_error,
            splitter: self.splitter,
            formulas: self.formulas,
            language: self.language.clone(),
        }
    }
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let begun = Instant::now();
    let sample = match arguments.inputs.is_empty() {
        true => Some(Sample::unpack()?),
        false => None,
    };
    let inputs = match &sample {
        Some(sample) => {
            if has_standard_input() {
                report!("warning: standard input is not read; use - as the input to read it");
            }
            if !global.quiet && !global.json {
                report!("no input given: reading the bundled sample dump");
            }
            vec![sample.path.to_string_lossy().into_owned()]
        }
        None => arguments.inputs.clone(),
    };
    let options = Dedup {
        id: arguments.id.clone(),
        row_ids: arguments.row_ids,
        text: (arguments.text.clone()).map_or_else(Vec::new, |columns| columns.0),
        vector: arguments.vector.clone(),
        within: arguments
            .within
            .clone()
            .map_or_else(Vec::new, |columns| columns.0),
        measure: arguments.measure,
        bits: arguments.bits,
        threshold: arguments.threshold,
        shingle: arguments.shingle.clone(),
        method: arguments.method,
        target_recall: arguments.target_recall,
        normalize: !arguments.no_normalize,
        pairs: arguments.pairs,
        resolution: arguments.resolution,
        keep: match (&arguments.keep_by, &arguments.keep) {
            (Some(order), _) => Keep::parse(order)?,
            (None, word) => Keep::from_word(word)?,
        },
        max_bucket_pairwise: arguments.max_bucket_pairwise,
        edit: arguments.edit,
        min_copies: arguments.min_copies,
        min_words: arguments.min_words,
        cut_at: arguments.cut_at,
        compare: arguments.compare,
        min_length: arguments.min_length,
        max_length: arguments.max_length,
        dump: arguments.dump.options(),
        overwrite: arguments.overwrite,
        chosen: arguments.given.clone(),
        ..Dedup::new(inputs, arguments.output.clone())
    };
    let context = global.session_on(&arguments.cluster)?;
    arguments.reading.set(&context)?;
    if let Some(file) = &arguments.kept {
        kept::check(&context, file, &options.inputs, &arguments.output).await?;
    }
    let job = dedup(&options, context, progress::progress(global)).await?;
    if let Some(file) = &arguments.kept {
        kept::write(job.manifest(), &arguments.output, file, global).await?;
    }
    let report = match arguments.report {
        true => Some(report::write(&arguments.output, global).await?),
        false => None,
    };
    summary::print(&job, begun.elapsed(), global)?;
    if global.quiet || global.json || arguments.edit.is_some() {
        return Ok(());
    }
    examples::print(&job, &arguments.output, report.as_deref(), global).await
}

/// Whether standard input is a pipe, or a file that is not empty.
fn has_standard_input() -> bool {
    use rustix::fs::{FileType, fstat};
    fstat(std::io::stdin()).is_ok_and(|found| match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => found.st_size > 0,
        kind => kind == FileType::Fifo,
    })
}
