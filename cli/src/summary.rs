//! The summary at the end of a job.

use super::options::Global;
use super::out;
use super::visible::{visible, visible_line};
use datafusion::common::{Result, exec_datafusion_err};
use neardup::jobs::{Figure, Job, Manifest, Reason};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Prints the summary of a job: a table, or JSON.
pub(crate) fn print(job: &Job, took: Duration, global: &Global) -> Result<()> {
    let summary = summary(job, took);
    out::print(|out| {
        if global.json {
            let text = serde_json::to_string_pretty(&summary).map_err(|error| {
                exec_datafusion_err!("the summary cannot be written as JSON: {error}")
            })?;
            match std::io::stdout().is_terminal() {
                true => writeln!(out, "{}", visible(&text))?,
                false => writeln!(out, "{text}")?,
            }
        } else if !global.quiet {
            for (name, value) in lines(&summary) {
                writeln!(out, "{:<28} {}", visible_line(&name), visible_line(&value))?;
            }
        }
        Ok(())
    })
}

/// The summary of a finished job, with the keys of the JSON output.
fn summary(job: &Job, took: Duration) -> Value {
    let manifest = job.manifest();
    let mut left_out = serde_json::Map::new();
    let mut damage = serde_json::Map::new();
    for step in &manifest.steps {
        for (file, what) in step.damage() {
            damage.insert(file.to_owned(), what.clone());
        }
        for (reason, count) in &step.left_out {
            left_out.insert(reason.clone(), (*count).into());
        }
    }
    json!({
        "directory": job.directory().as_str(),
        "pages": figure(manifest, "plain_text", Figure::Pages),
        "articles": figure(manifest, "plain_text", Figure::Articles),
        "sentences": figure(manifest, "sentences", Figure::Sentences),
        "items": figure(manifest, "items", Figure::Items),
        "ignored_ngrams": figure(manifest, "index", Figure::IgnoredNgrams),
        "rows_read": figure_of(manifest, &["texts", "searched", "cuts"], Figure::Rows),
        "rows_compared": figure_of(manifest, &["texts", "cuts"], Figure::RowsCompared),
        "rows": figure(manifest, "clusters", Figure::Rows),
        "left_out": left_out,
        "damage": damage,
        "distinct_texts": figure(manifest, "texts", Figure::DistinctTexts),
        "method": figure(manifest, "pairs", Figure::Method),
        "target_recall": target_recall(manifest),
        "measure": manifest.parameters.get("measure"),
        "pairs": rows(manifest, "pairs"),
        "oversized": oversized(manifest),
        "clusters": figure(manifest, "clusters", Figure::Clusters),
        "largest_cluster": figure(manifest, "clusters", Figure::LargestCluster),
        "items_found": figure(manifest, "contamination", Figure::ItemsFound),
        "items_found_of_each_benchmark": figure(manifest, "contamination", Figure::ItemsOfBenchmarks),
        "contaminated_rows": figure(manifest, "searched", Figure::ContaminatedRows),
        "cuts": rows(manifest, "cuts"),
        "edited_rows": figure(manifest, "cuts", Figure::EditedRows),
        "passages_left": figure(manifest, "cuts", Figure::PassagesLeft),
        "kept": figure_of(manifest, &["clusters", "kept"], Figure::Kept),
        "steps_done_before": job.resumed,
        "seconds": (took.as_secs_f64() * 1000.0).round() / 1000.0,
        "peak_memory_bytes": peak_memory(),
    })
}

/// The share of the pairs at the threshold that a method which does not find all of them is expected to find.
fn target_recall(manifest: &Manifest) -> Value {
    match figure(manifest, "pairs", Figure::Method).as_str() {
        None | Some("exact") => Value::Null,
        Some(_) => json!(manifest.parameters.get("target_recall")),
    }
}

/// Counts of pairs that were not compared or not reported, because buckets are oversized or rows have too many
/// neighbours.
fn oversized(manifest: &Manifest) -> Value {
    let Some(pairs) = manifest.step("pairs") else {
        return Value::Null;
    };
    let count = |figure| pairs.figure(figure).cloned().unwrap_or(json!(0));
    json!({
        "buckets": count(Figure::OversizedBuckets),
        "rows": count(Figure::RowsInOversizedBuckets),
        "rows_without_pivot": count(Figure::RowsWithoutPivot),
        "pairs_not_compared": count(Figure::PairsNotCompared),
        "rows_of_too_many_neighbours": count(Figure::RowsOfTooManyNeighbours),
        "pairs_not_reported": count(Figure::PairsNotReported),
    })
}

fn figure(manifest: &Manifest, step: &str, figure: Figure) -> Value {
    let step = manifest.step(step);
    let value = step.and_then(|step| step.figure(figure));
    value.cloned().unwrap_or(Value::Null)
}

/// A figure of the first of these steps that recorded it.
fn figure_of(manifest: &Manifest, steps: &[&str], wanted: Figure) -> Value {
    let mut found = steps.iter().map(|step| figure(manifest, step, wanted));
    found.find(|value| !value.is_null()).unwrap_or(Value::Null)
}

fn rows(manifest: &Manifest, step: &str) -> Value {
    let step = manifest.step(step);
    step.map_or(Value::Null, |step| step.rows.into())
}

fn lines(summary: &Value) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: &Value| match value {
        Value::Null => {}
        Value::String(text) => lines.push((name.to_owned(), text.clone())),
        other => lines.push((name.to_owned(), other.to_string())),
    };
    line(Figure::Pages.word(), &summary["pages"]);
    line(Figure::Articles.word(), &summary["articles"]);
    line(Figure::Sentences.word(), &summary["sentences"]);
    line(Figure::Items.word(), &summary["items"]);
    line("rows read", &summary["rows_read"]);
    if let Some(left_out) = summary["left_out"].as_object() {
        for (reason, count) in left_out {
            let what = match Reason::KEPT.iter().any(|kept| kept.to_string() == *reason) {
                true => "kept as they are",
                false => "left out",
            };
            line(&format!("  {what}: {reason}"), count);
        }
    }
    if let Some(damage) = summary["damage"].as_object() {
        for (file, what) in damage {
            line(&format!("  damaged: {file}"), what);
        }
    }
    line(Figure::RowsCompared.word(), &summary["rows_compared"]);
    line(Figure::DistinctTexts.word(), &summary["distinct_texts"]);
    line(Figure::Method.word(), &summary["method"]);
    line("target recall", &summary["target_recall"]);
    line("measure", &summary["measure"]);
    line("pairs", &summary["pairs"]);
    for (indent, name, key) in [
        ("", Figure::OversizedBuckets.word(), "buckets"),
        ("  ", "rows in them", "rows"),
        ("  ", Figure::RowsWithoutPivot.word(), "rows_without_pivot"),
        ("  ", Figure::PairsNotCompared.word(), "pairs_not_compared"),
        (
            "",
            Figure::RowsOfTooManyNeighbours.word(),
            "rows_of_too_many_neighbours",
        ),
        ("  ", Figure::PairsNotReported.word(), "pairs_not_reported"),
    ] {
        let count = &summary["oversized"][key];
        if count.as_u64().is_some_and(|count| count > 0) {
            line(&format!("{indent}{name}"), count);
        }
    }
    line(Figure::Clusters.word(), &summary["clusters"]);
    line(Figure::LargestCluster.word(), &summary["largest_cluster"]);
    if summary["ignored_ngrams"]
        .as_u64()
        .is_some_and(|count| count > 0)
    {
        line(Figure::IgnoredNgrams.word(), &summary["ignored_ngrams"]);
    }
    line(Figure::ItemsFound.word(), &summary["items_found"]);
    if let Some(found) = summary["items_found_of_each_benchmark"].as_object() {
        for (benchmark, items) in found {
            line(&format!("  of {benchmark}"), items);
        }
    }
    line(
        Figure::ContaminatedRows.word(),
        &summary["contaminated_rows"],
    );
    line("cuts", &summary["cuts"]);
    line(Figure::EditedRows.word(), &summary["edited_rows"]);
    line(Figure::PassagesLeft.word(), &summary["passages_left"]);
    line(Figure::Kept.word(), &summary["kept"]);
    if summary["steps_done_before"] != 0 {
        line("steps done before", &summary["steps_done_before"]);
    }
    line("seconds", &summary["seconds"]);
    if let Some(bytes) = summary["peak_memory_bytes"].as_u64() {
        lines.push(("peak memory".to_owned(), format!("{} MB", bytes >> 20)));
    }
    lines.push((
        "written to".to_owned(),
        summary["directory"].as_str().unwrap_or_default().to_owned(),
    ));
    lines
}

/// Peak resident memory of this process in bytes; `None` if the system does not report it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
