//! The result of `neardup tune` as text and as JSON, and the command that runs a job with a setting.

use super::Arguments;
use crate::columns::{Columns, written};
use crate::flags::default;
use crate::visible::shell_word;
use neardup::jobs::{LabelCounts, MethodRecall, SampleJoin, Setting, Share, TuneResult};
use serde_json::{Value, json};

/// Number of columns of the bar of an F1 of 1.
const BAR: f64 = 20.0;
/// Settings are about as good as the best one if their F1 differs by less than this.
const CLOSE_F1: f64 = 0.01;
/// Number of settings that a warning names.
const MAX_NAMED: usize = 5;

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

/// The result as lines of text.
pub(super) fn lines(arguments: &Arguments, tuning: &TuneResult) -> Vec<String> {
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
        .filter(|other| !std::ptr::eq(*other, best) && best.f1 - other.f1 < CLOSE_F1);
    let others: Vec<String> = others.map(named).collect();
    if !others.is_empty() {
        lines.push(format!(
            "about as good, with an F1 within {CLOSE_F1}: {}",
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
        let first = mostly.iter().take(MAX_NAMED);
        let mut names: Vec<String> = first.map(|at| named(&tuning.settings[*at])).collect();
        if mostly.len() > MAX_NAMED {
            names.push(format!("and {} more", mostly.len() - MAX_NAMED));
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
pub(super) fn command(arguments: &Arguments, tuning: &TuneResult, setting: &Setting) -> String {
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

/// A number with at least two significant digits.
fn two_digits(number: f64) -> String {
    match number {
        number if number >= 10.0 => format!("{number:.0}"),
        number if number >= 1.0 => format!("{number:.1}"),
        number => format!("{number:.2}"),
    }
}

/// The result as JSON.
pub(super) fn as_json(directory: &str, tuning: &TuneResult) -> Value {
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
