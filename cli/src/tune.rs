//! `neardup tune`.

use super::columns::{Columns, columns, written};
use super::dedup::DumpArguments;
use super::flags::{default, help, read};
use super::options::Global;
use super::reading::Reading;
use super::visible::{shell_word, visible_line};
use super::{out, progress};
use clap::Args;
use datafusion::common::{Result, exec_datafusion_err};
use neardup::jobs::{
    Dedup, LabelCounts, MethodRecall, SampleJoin, Setting, Share, Tune, TuneResult, tune,
};
use serde_json::{Value, json};
use std::io::Write;

/// Number of columns of the bar of an F1 of 1.
const BAR: f64 = 20.0;
/// Settings are about as good as the best one if their F1 differs by less than this.
const CLOSE: f64 = 0.01;
/// Number of settings that a warning names.
const NAMED: usize = 5;

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

/// A share with its interval, such as `0.98 (0.95–0.99)`.
fn share(share: Option<Share>) -> String {
    share.map_or("–".to_owned(), |share| {
        format!("{:.2} ({:.2}–{:.2})", share.value, share.low, share.high)
    })
}

/// The rows of the labels that are no pair of their own.
fn left_out(labels: &LabelCounts) -> String {
    let counts = [
        (labels.incomplete, "without an id or a label"),
        (labels.of_one_id, "of an id with itself"),
        (labels.repeated(), "repeated"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    match counts.is_empty() {
        true => String::new(),
        false => format!(" (of {} rows: {})", labels.rows, counts.join(", ")),
    }
}

fn lines(arguments: &Arguments, tuning: &TuneResult) -> Vec<String> {
    let mut lines = vec![match tuning.labels {
        Some(labels) => format!(
            "{} of {} labelled {} two ids of the corpus; {} the settings{}",
            labels.found,
            labels.pairs,
            of_number(labels.found, "pairs has", "pairs have"),
            of_number(labels.found, "it judges", "they judge"),
            left_out(&labels)
        ),
        None => format!(
            "{} of {} distinct texts {} compared with all others; pairs of an edit similarity of {} or more are wanted",
            tuning.sample,
            tuning.texts,
            of_number(tuning.sample, "was", "were"),
            arguments.min_edit_similarity
        ),
    }];
    lines.push(String::new());
    let of_sample = tuning.labels.is_none();
    let similar = if of_sample { "similar texts  " } else { "" };
    lines.push(format!(
        "shingle   threshold  {similar}   pairs  {:<17}  {:<17}  {:>7}  {:>7}  F1",
        "precision", "recall", "exact", "minhash"
    ));
    for setting in &tuning.settings {
        let similar = match of_sample {
            true => {
                let share = tuning.similar_share(setting).unwrap_or(0.0);
                format!("{:>11.1} %  ", 100.0 * share)
            }
            false => String::new(),
        };
        lines.push(format!(
            "{:<8}  {:>9}  {similar}{:>8}  {:<17}  {:<17}  {:>7}  {:>7}  {:.3} {}",
            setting.shingle,
            setting.threshold,
            setting.pairs,
            share(setting.precision),
            share(setting.recall),
            millions(Some(setting.cost_of_exact)),
            millions(setting.cost_of_minhash),
            setting.f1,
            "█".repeat((setting.f1 * BAR).round() as usize)
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "exact, minhash: estimated costs of the join of the whole corpus, in millions of steps, such as a comparison of two \
         texts with a common rare shingle; minhash at a target recall of {}",
        default("target_recall")
    ));
    if of_sample {
        let seconds = tuning
            .joins
            .iter()
            .filter(|join| join.target_recall.is_none());
        let seconds: Vec<String> = seconds
            .map(|join| format!("{} {}", join.shingle, two_digits(join.seconds)))
            .collect();
        lines.push(format!(
            "one exact join of the sample for each shingle found the pairs of all thresholds; its seconds: {}",
            seconds.join(", ")
        ));
    }
    lines.push(String::new());
    let Some(best) = tuning.best.map(|best| &tuning.settings[best]) else {
        lines.push("no setting finds a wanted pair: there is nothing to recommend; a larger --sample may have some".to_owned());
        return lines;
    };
    lines.push(format!(
        "recommended: --shingle {} --threshold {}, which has the largest F1 of these settings:",
        best.shingle, best.threshold
    ));
    lines.push(reason(best, of_sample));
    lines.extend(warnings(tuning));
    let others = tuning
        .settings
        .iter()
        .filter(|other| !std::ptr::eq(*other, best) && best.f1 - other.f1 < CLOSE);
    let others: Vec<String> = others.map(named).collect();
    if !others.is_empty() {
        lines.push(format!(
            "about as good, with an F1 within {CLOSE}: {}",
            others.join(", ")
        ));
    }
    if arguments
        .threshold
        .iter()
        .all(|threshold| *threshold >= best.threshold)
    {
        lines.push(
            "it is the lowest threshold that was tried; lower ones may find more wanted pairs"
                .to_owned(),
        );
    }
    lines.push(String::new());
    let seconds = |target_recall: Option<f64>| {
        let join = join_of(tuning, best, target_recall);
        join.map_or("–".to_owned(), |join| two_digits(join.seconds))
    };
    lines.push(
        "method   target recall  bands × rows  seconds  measured recall at that setting".to_owned(),
    );
    lines.push(format!(
        "exact    {:>13}  {:>12}  {:>7}  1, it finds every pair",
        "",
        "",
        seconds(None)
    ));
    for method in &tuning.methods {
        lines.push(format!(
            "minhash  {:>13}  {:>12}  {:>7}  {}",
            method.target_recall,
            format!("{} × {}", method.bands, method.rows),
            seconds(Some(method.target_recall)),
            share(method.recall)
        ));
    }
    lines.push(
        "seconds: of the join of the sample with the whole corpus, on this machine".to_owned(),
    );
    if let Some(minhash) = best.cost_of_minhash.filter(|cost| *cost > 0.0) {
        lines.push(format!(
            "--method auto compares the estimated costs of the whole corpus: that of the exact join is {} times that of \
             minhash at a target recall of {}; auto takes the exact join up to 8 times",
            two_digits(best.cost_of_exact / minhash),
            default("target_recall")
        ));
    }
    lines.push(String::new());
    lines.push(command(arguments, tuning, best));
    lines
}

/// A setting, such as `char:5 at 0.8`.
fn named(setting: &Setting) -> String {
    format!("{} at {}", setting.shingle, setting.threshold)
}

/// The word for one thing, or for another number of things.
fn of_number(number: i64, one: &'static str, many: &'static str) -> &'static str {
    match number {
        1 => one,
        _ => many,
    }
}

/// The join of the sample by which a method was measured at a setting. The exact join, which has no target recall, may
/// have had a lower threshold.
fn join_of<'a>(
    tuning: &'a TuneResult,
    setting: &Setting,
    target_recall: Option<f64>,
) -> Option<&'a SampleJoin> {
    let is_wanted =
        |join: &&SampleJoin| join.target_recall == target_recall && join.shingle == setting.shingle;
    tuning.joins.iter().find(is_wanted)
}

/// What to look at before a job runs with the recommended setting, or with others.
fn warnings(tuning: &TuneResult) -> Vec<String> {
    let mostly = tuning.mostly_similar();
    let Some(best) = tuning.best.filter(|_| !mostly.is_empty()) else {
        return vec![];
    };
    let mut warnings = vec![];
    let why =
        "such texts often share a template or boilerplate, and differ in names and numbers only";
    if mostly.contains(&best) {
        let share = tuning.similar_share(&tuning.settings[best]).unwrap_or(0.0);
        warnings.push(format!(
            "warning: this setting makes {:.1} % of the texts similar to another one; {why}. Look at the largest clusters \
             of a job before rows are removed ('neardup show'); a higher threshold or longer shingles find fewer pairs",
            100.0 * share
        ));
        if let Some(other) = tuning.best_of_others() {
            let other = &tuning.settings[other];
            warnings.push(format!(
                "the best setting that makes at most half of the texts similar: --shingle {} --threshold {}, with an F1 \
                 of {:.3}",
                other.shingle, other.threshold, other.f1
            ));
        }
    } else {
        let first = mostly.iter().take(NAMED);
        let mut names: Vec<String> = first.map(|at| named(&tuning.settings[*at])).collect();
        if mostly.len() > NAMED {
            names.push(format!("and {} more", mostly.len() - NAMED));
        }
        warnings.push(format!(
            "warning: {} more than half of the texts similar to another one ({}); {why}",
            of_number(
                mostly.len() as i64,
                "another setting makes",
                "other settings make"
            ),
            names.join(", ")
        ));
    }
    warnings
}

/// The command that runs a job with a setting.
fn command(arguments: &Arguments, tuning: &TuneResult, setting: &Setting) -> String {
    let mut words: Vec<String> = vec!["neardup dedup".to_owned()];
    words.extend(arguments.inputs.iter().map(|input| shell_word(input)));
    let mut option = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            words.extend([name.to_owned(), shell_word(value)]);
        }
    };
    let text = arguments.text.as_ref().map(|Columns(names)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        written(&names)
    });
    option("--text", text.as_deref());
    option("--id", arguments.id.as_deref());
    let reading = arguments.reading.given(&tuning.reading);
    for (name, value) in (arguments.dump.given().iter()).chain(&reading) {
        option(name, Some(value));
    }
    let flags = arguments.reading.flags(&tuning.reading);
    words.extend(flags.into_iter().map(str::to_owned));
    if arguments.no_normalize {
        words.push("--no-normalize".to_owned());
    }
    words.push(format!(
        "--shingle {} --threshold {}",
        setting.shingle, setting.threshold
    ));
    words.join(" ")
}

/// Why a setting is recommended.
fn reason(best: &Setting, of_sample: bool) -> String {
    let percent = |share: Option<Share>| share.map_or(0.0, |share| 100.0 * share.value);
    let all = match of_sample {
        true => "the wanted pairs that any of them finds",
        false => "the pairs that are labelled so",
    };
    let recall = percent(best.recall);
    match best.pairs {
        1 => format!("its pair is wanted, and it finds {recall:.1} % of {all}"),
        pairs => format!(
            "{:.1} % of its {pairs} pairs are wanted, and it finds {recall:.1} % of {all}",
            percent(best.precision)
        ),
    }
}

/// A cost in millions.
fn millions(cost: Option<f64>) -> String {
    cost.map_or("–".to_owned(), |cost| two_digits(cost / 1e6))
}

/// A number with at least two digits that count.
fn two_digits(number: f64) -> String {
    match number {
        number if number >= 10.0 => format!("{number:.0}"),
        number if number >= 1.0 => format!("{number:.1}"),
        number => format!("{number:.2}"),
    }
}

fn as_json(directory: &str, tuning: &TuneResult) -> Value {
    let share = |share: Option<Share>| {
        share.map(|share| json!({"value": share.value, "low": share.low, "high": share.high}))
    };
    let setting = |setting: &Setting| {
        json!({
            "shingle": setting.shingle,
            "threshold": setting.threshold,
            "similar": setting.similar,
            "pairs": setting.pairs,
            "wanted": setting.wanted,
            "precision": share(setting.precision),
            "recall": share(setting.recall),
            "f1": setting.f1,
            "comparisons": setting.comparisons,
            "cost_of_exact": setting.cost_of_exact,
            "cost_of_minhash": setting.cost_of_minhash,
        })
    };
    let join = |join: &SampleJoin| {
        json!({
            "method": if join.target_recall.is_some() { "minhash" } else { "exact" },
            "shingle": join.shingle,
            "threshold": join.threshold,
            "target_recall": join.target_recall,
            "seconds": (join.seconds * 1000.0).round() / 1000.0,
        })
    };
    let method = |method: &MethodRecall| {
        json!({
            "method": "minhash",
            "target_recall": method.target_recall,
            "bands": method.bands,
            "rows": method.rows,
            "pairs": method.pairs,
            "found": method.found,
            "recall": share(method.recall),
        })
    };
    let best = tuning.best.map(|best| &tuning.settings[best]);
    json!({
        "directory": directory,
        "texts": tuning.texts,
        "sample": tuning.sample,
        "labels": tuning.labels.map(|labels| json!({
            "rows": labels.rows,
            "incomplete": labels.incomplete,
            "of_one_id": labels.of_one_id,
            "repeated": labels.repeated(),
            "pairs": labels.pairs,
            "found": labels.found,
        })),
        "settings": tuning.settings.iter().map(setting).collect::<Vec<_>>(),
        "recommended": best.map(setting),
        "methods": tuning.methods.iter().map(method).collect::<Vec<_>>(),
        "joins": tuning.joins.iter().map(join).collect::<Vec<_>>(),
        "cost_of_exact": best.map(|best| best.cost_of_exact),
        "cost_of_minhash": best.and_then(|best| best.cost_of_minhash),
        "warnings": warnings(tuning),
    })
}
