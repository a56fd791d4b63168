//! `neardup decontaminate`.

use super::columns::{Columns, columns};
use super::flags::{default, help, read};
use super::options::{Cluster, Global};
use super::reading::Reading;
use super::{kept, progress, summary};
use clap::{ArgMatches, Args};
use datafusion::common::Result;
use neardup::jobs::{Action, Decontaminate, RowIds, decontaminate};
use std::time::Instant;

/// Find the items of benchmark sets in a corpus, and drop, cut or mark the rows that hold them
///
/// Examples:
///   neardup decontaminate corpus.parquet --against questions.jsonl -o clean    without the rows that hold a question
///   neardup decontaminate 'shards/*.jsonl.gz' --against quiz.csv --item-text question,answer -o clean
///   neardup decontaminate corpus.parquet --against questions.jsonl --action cut --kept clean.jsonl.gz -o clean
///   neardup sql --dir clean "SELECT corpus_id, item_id, kind, coverage, passage FROM contamination"
///
/// An item is found in a text if runs of at least --min-run equal words, and shorter runs beside them, hold at least
/// --min-coverage of its words, wherever they occur in the text; every match is verified word by word. One changed,
/// inserted or missing word in every dozen does not hide an item of 12 words or more, and items of fewer words than a
/// run are found as a whole. Both inputs are tables of documents
/// (Parquet, CSV, TSV, JSON lines or arrays, or .txt files, also .gz, .zst, .bz2), given as files, directories or
/// globs, on disk or in a bucket (s3://BUCKET/KEY). The result is a directory with kept.parquet and
/// contamination.parquet, which lists every item found with its position; --action cut also writes cuts.parquet.
/// Running the same command again resumes a job that was stopped.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The corpus: files, directories or globs; - is standard input
    #[arg(value_name = "CORPUS", required = true)]
    inputs: Vec<String>,
    /// The items of benchmark sets: a file, a directory or a glob in quotes; may be given several times. --delimiter and the other
    /// options of its group describe the corpus, and the items only if these cannot be read without them
    #[arg(long, value_name = "ITEMS", required = true)]
    against: Vec<String>,

    /// Directory of the result
    #[arg(short, long, value_name = "DIR", default_value = "neardup-out", help_heading = RESULT)]
    output: String,
    /// Replace another job in the directory
    #[arg(long, help_heading = RESULT)]
    overwrite: bool,
    #[arg(
        long,
        help = help("action"),
        value_parser = read::<Action>("action"),
        default_value = default("action"),
        help_heading = RESULT
    )]
    action: Action,
    /// Also write the kept rows to this file, in the format of its name: .jsonl, .csv, .tsv or .parquet, text
    /// formats also as .gz, .zst or .bz2
    #[arg(long, value_name = "FILE", help_heading = RESULT)]
    kept: Option<String>,

    /// Text column of the corpus [default: text]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    text: Option<String>,
    /// Id column of the corpus: integers or texts; 'row' uses row numbers [default: id, else row]
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
    /// Text columns of the items, with commas between them; each is an item of its own, and the texts of a list are its
    /// lines [default: text]
    #[arg(long, value_name = "COLUMNS", value_parser = columns, help_heading = COLUMNS)]
    item_text: Option<Columns>,
    /// Id column of the items: integers or texts; 'row' uses the file and the row number [default: id, else row]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    item_id: Option<String>,
    /// Column of the items that names their benchmark, for the list of found items and for the summary [default:
    /// benchmark, if there is such a column]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    item_benchmark: Option<String>,

    #[arg(
        long,
        value_name = "SHARE",
        allow_negative_numbers = true,
        help = help("min_coverage"),
        value_parser = read::<f64>("min_coverage"),
        default_value = default("min_coverage"),
        help_heading = FOUND
    )]
    min_coverage: f64,
    #[arg(
        long,
        value_name = "N",
        help = help("min_run"),
        value_parser = read::<usize>("min_run"),
        default_value = default("min_run"),
        help_heading = FOUND
    )]
    min_run: usize,
    #[arg(
        long,
        value_name = "N",
        help = help("max_items"),
        value_parser = read::<usize>("max_items"),
        default_value = default("max_items"),
        help_heading = FOUND
    )]
    max_items: usize,
    #[arg(
        long,
        value_name = "N",
        help = help("min_words.items"),
        value_parser = read::<usize>("min_words.items"),
        default_value = default("min_words.items"),
        help_heading = FOUND
    )]
    min_words: usize,

    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    cluster: Cluster,
}

/// The groups of options in the help.
const RESULT: &str = "Result";
const COLUMNS: &str = "Columns";
const FOUND: &str = "What counts as found";

/// A part of the corpus that directly follows the value of --against, if the corpus has several parts: a shell has expanded a
/// pattern of items.
pub(crate) fn after_items(matches: &ArgMatches) -> Option<&String> {
    let mut inputs = matches
        .get_many::<String>("inputs")?
        .zip(matches.indices_of("inputs")?);
    let items: Vec<usize> = matches.indices_of("against")?.collect();
    let (input, _) = inputs.find(|(_, at)| items.contains(&(at - 1)))?;
    (matches.get_many::<String>("inputs")?.len() > 1).then_some(input)
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let begun = Instant::now();
    let options = Decontaminate {
        id: arguments.id.clone(),
        row_ids: arguments.row_ids,
        text: arguments.text.clone(),
        item_id: arguments.item_id.clone(),
        item_benchmark: arguments.item_benchmark.clone(),
        item_text: (arguments.item_text.clone()).map_or_else(Vec::new, |columns| columns.0),
        min_coverage: arguments.min_coverage,
        min_run: arguments.min_run,
        max_items: arguments.max_items,
        min_words: arguments.min_words,
        action: arguments.action,
        overwrite: arguments.overwrite,
        ..Decontaminate::new(
            arguments.inputs.clone(),
            arguments.against.clone(),
            arguments.output.clone(),
        )
    };
    let context = global.session_on(&arguments.cluster)?;
    arguments.reading.set(&context)?;
    if let Some(file) = &arguments.kept {
        let inputs: Vec<String> = [&options.inputs[..], &options.against].concat();
        kept::check(&context, file, &inputs, &arguments.output).await?;
    }
    let job = decontaminate(&options, context, progress::progress(global)).await?;
    if let Some(file) = &arguments.kept {
        kept::write(job.manifest(), &arguments.output, file, global).await?;
    }
    summary::print(&job, begun.elapsed(), global)
}
