//! `neardup tune`.

mod summary;

use super::columns::{Columns, columns};
use super::dedup::DumpArguments;
use super::flags::{default, help, read};
use super::options::Global;
use super::reading::Reading;
use super::visible::visible_line;
use super::{out, progress};
use clap::Args;
use datafusion::common::{Result, exec_datafusion_err};
use neardup::jobs::{Dedup, Tune, tune};
use std::io::Write;
use summary::{as_json, command, lines};

/// Try shingles, thresholds and methods on a sample, and report which find the wanted pairs
///
/// Examples:
///   neardup tune corpus.parquet                                  pairs of a small edit distance are wanted
///   neardup tune corpus.parquet --shingle char:5,word:3 --threshold 0.6,0.7,0.8
///   neardup tune corpus.parquet --labels pairs.csv               pairs that people have labelled: id_a, id_b, label
///   neardup sql --dir neardup-tune "SELECT * FROM settings ORDER BY f1 DESC"
///
/// A sample of the texts is compared with all texts by the exact join, once for each shingle. A setting's precision is the
/// share of its pairs that are wanted, its recall the share of all wanted pairs that any setting finds; both have 95 %
/// confidence intervals. The recommended setting has the largest F1, the harmonic mean of the two. For it the recall of
/// MinHash is measured. The costs of the exact join and of MinHash are estimates for the whole corpus, in steps, which do
/// not depend on the machine; seconds are those of the joins of the sample. The input is a table of documents or a dump,
/// as for 'neardup dedup'. The result is a directory with settings.parquet and methods.parquet. Running the same command
/// again resumes a job that was stopped.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Files, directories or globs; - is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<String>,

    /// Directory of the result
    #[arg(short, long, value_name = "DIR", default_value = "neardup-tune", help_heading = RESULT)]
    output: String,
    /// Replace another job in the directory
    #[arg(long, help_heading = RESULT)]
    overwrite: bool,

    #[arg(
        long,
        value_name = "N",
        help = help("sample"),
        value_parser = read::<usize>("sample"),
        default_value = default("sample"),
        help_heading = TRIED
    )]
    sample: usize,
    /// Shingles to try, with commas between them: 'char:n', 'word:n' or 'space:n'
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        value_parser = read::<String>("shingle"),
        default_values_t = Tune::SHINGLES.map(str::to_owned),
        help_heading = TRIED
    )]
    shingle: Vec<String>,
    /// Thresholds to try, with commas between them, each in (0, 1]
    #[arg(
        long,
        value_name = "S,T,…",
        value_delimiter = ',',
        allow_negative_numbers = true,
        value_parser = read::<f64>("threshold"),
        default_values_t = Tune::THRESHOLDS,
        help_heading = TRIED
    )]
    threshold: Vec<f64>,

    #[arg(
        long,
        value_name = "S",
        allow_negative_numbers = true,
        help = help("min_edit_similarity"),
        value_parser = read::<f64>("min_edit_similarity"),
        default_value = default("min_edit_similarity"),
        help_heading = WANTED
    )]
    min_edit_similarity: f64,
    /// Labelled pairs, by which settings are judged instead: a table with the columns id_a, id_b and label, which is true,
    /// yes, or a number above 0, for the wanted ones; some must be false. --delimiter and the other options of its group
    /// describe the input, and the labels only if these cannot be read without them
    #[arg(long, value_name = "FILE", conflicts_with = "min_edit_similarity", help_heading = WANTED)]
    labels: Option<String>,

    /// Text column of a table, or several, as in title,body, which are compared as one text [default: text]
    #[arg(long, value_name = "COLUMNS", value_parser = columns, help_heading = COLUMNS)]
    text: Option<Columns>,
    /// Id column of a table: integers or texts; 'row' uses row numbers [default: id, else row]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    id: Option<String>,
    /// Compare texts unchanged: without NFKC and lower-casing, and with their white space
    #[arg(long, help_heading = COLUMNS)]
    no_normalize: bool,

    #[command(flatten)]
    dump: DumpArguments,
    #[command(flatten)]
    reading: Reading,
}

/// The groups of options in the help.
const RESULT: &str = "Result";
const TRIED: &str = "What is tried";
const WANTED: &str = "Which pairs are wanted";
const COLUMNS: &str = "Columns of a table";

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let corpus = Dedup {
        id: arguments.id.clone(),
        text: (arguments.text.clone()).map_or_else(Vec::new, |columns| columns.0),
        normalize: !arguments.no_normalize,
        dump: arguments.dump.options(),
        overwrite: arguments.overwrite,
        ..Dedup::new(arguments.inputs.clone(), arguments.output.clone())
    };
    let options = Tune {
        corpus,
        sample: arguments.sample,
        shingles: arguments.shingle.clone(),
        thresholds: arguments.threshold.clone(),
        min_edit_similarity: arguments.min_edit_similarity,
        labels: arguments.labels.clone(),
    };
    let context = global.session()?;
    arguments.reading.set(&context)?;
    let (job, tuning) = tune(&options, context, progress::progress(global)).await?;
    out::print(|out| match (global.json, global.quiet) {
        (true, _) => {
            let text = serde_json::to_string(&as_json(job.directory().as_str(), &tuning)).map_err(
                |error| exec_datafusion_err!("the answer cannot be written as JSON: {error}"),
            )?;
            Ok(writeln!(out, "{text}")?)
        }
        (_, true) => match tuning.best {
            Some(best) => Ok(writeln!(
                out,
                "{}",
                command(arguments, &tuning, &tuning.settings[best])
            )?),
            None => Ok(()),
        },
        _ => {
            for line in lines(arguments, &tuning) {
                writeln!(out, "{}", visible_line(&line))?;
            }
            Ok(())
        }
    })
}
