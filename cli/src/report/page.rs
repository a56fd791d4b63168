//! The page: its sections, in order.

use super::charts::{Bar, curve, horizontal, logarithmic};
use super::command::command;
use super::html::{brief, count, escaped};
use super::texts::{clusters, pairs};
use neardup::jobs::{
    COMPARED_CHARACTERS, Figure, Manifest, RecallBin, Report, SAMPLED_ROWS, SHARED_ROWS,
    SIMILARITY_BINS, Share,
};
use std::fmt::Write as _;

const CSS: &str = include_str!("report.css");
const JS: &str = include_str!("report.js");
/// Maximum number of rows of the largest cluster, up to which each number of rows has its own bar.
const SINGLE_SIZES: i64 = 12;
/// Maximum number of files in a list.
const MAX_FILES: usize = 50;

/// The whole page.
pub(super) fn page(report: &Report, directory: &str) -> String {
    let manifest = &report.manifest;
    let title = format!("neardup {}: {directory}", manifest.command);
    let title = brief(&title);
    let mut sections = vec![
        ("run", "What was run", run(manifest, directory)),
        ("rows", "From rows to kept rows", counts_of_rows(report)),
        ("sizes", "Sizes of clusters", sizes(report)),
        (
            "similarities",
            "Similarities of pairs",
            similarities(report),
        ),
        ("recall", "Recall", recall(report)),
        ("kinds", "Kinds of near-duplicates", kinds(report)),
        ("clusters", "Clusters to look at", clusters(report)),
        ("all-pairs", "Pairs", pairs(report)),
    ];
    if report.manifest.step("sentences").is_some() {
        let at = sections.len() - 1;
        sections.insert(
            at,
            ("documents", "Pages that share sentences", documents(report)),
        );
    }
    let mut links = String::new();
    let mut body = String::new();
    for (id, heading, content) in sections {
        _ = write!(links, "<li><a href=\"#{id}\">{heading}</a></li>");
        _ = writeln!(
            body,
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\"><h2 id=\"{id}-heading\">{heading}</h2>{content}</section>"
        );
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{title}</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header><h1>{title}</h1>\n\
         <nav aria-label=\"Sections\"><ul>{links}</ul></nav></header>\n<main id=\"main\">\n{body}</main>\n\
         <script>\n{JS}</script>\n</body>\n</html>\n"
    )
}

fn run(manifest: &Manifest, directory: &str) -> String {
    let mut parameters = String::new();
    for (name, value) in &manifest.parameters {
        let value = match value {
            serde_json::Value::Null => continue,
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        _ = write!(
            parameters,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            brief(name),
            brief(&value)
        );
    }
    let mut steps = String::new();
    for step in &manifest.steps {
        _ = write!(
            steps,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{:.1}</td></tr>",
            brief(&step.name),
            count(step.rows as i64),
            step.seconds
        );
    }
    let mut inputs = String::new();
    for input in manifest.inputs.iter().take(MAX_FILES) {
        let size = count(input.bytes as i64);
        _ = write!(inputs, "<li>{} ({size} bytes)</li>", brief(&input.path));
    }
    if let more @ 1.. = manifest.inputs.len().saturating_sub(MAX_FILES) {
        _ = write!(inputs, "<li>and {more} more files</li>");
    }
    let state = match manifest.finished {
        true => "",
        false => "<p><strong>The job is not finished: run its command again.</strong></p>",
    };
    format!(
        "{state}<p>The command that runs it again:</p><pre>{}</pre><h3>Inputs</h3><ul>{inputs}</ul>\
         <p>Written by neardup {}.</p>\
         <details><summary>Parameters</summary><table><tbody>{parameters}</tbody></table></details>\
         <details><summary>Steps</summary><table><thead><tr><th scope=\"col\">step</th><th scope=\"col\">rows</th>\
         <th scope=\"col\">seconds</th></tr></thead><tbody>{steps}</tbody></table></details>",
        escaped(&command(manifest, directory)),
        escaped(&manifest.neardup)
    )
}

/// A figure of a step, as a number.
fn figure(manifest: &Manifest, step: &str, figure: Figure) -> Option<i64> {
    manifest.step(step)?.figure(figure)?.as_i64()
}

fn counts_of_rows(report: &Report) -> String {
    let manifest = &report.manifest;
    let mut bars: Vec<Bar> = vec![];
    let mut bar = |label: &str, value: Option<i64>| {
        if let Some(value) = value {
            bars.push((label.to_owned(), value));
        }
    };
    bar("pages", figure(manifest, "plain_text", Figure::Pages));
    bar("articles", figure(manifest, "plain_text", Figure::Articles));
    bar(
        "sentences",
        figure(manifest, "sentences", Figure::Sentences),
    );
    bar("rows read", figure(manifest, "texts", Figure::Rows));
    bar(
        "rows compared",
        figure(manifest, "texts", Figure::RowsCompared),
    );
    bar(
        "distinct texts",
        figure(manifest, "texts", Figure::DistinctTexts),
    );
    let names = [
        ("copy", "removed: copies"),
        ("similar", "removed: similar"),
        ("component", "removed: connected"),
        ("repeated id", "removed: repeated ids"),
    ];
    for (reason, name) in names {
        bar(name, report.reasons.get(reason).copied());
    }
    if report.reasons.is_empty() {
        bar("removed", Some(report.removed));
    }
    bar("kept", manifest.step("kept").map(|step| step.rows as i64));
    let mut left_out: Vec<Bar> = vec![];
    for step in &manifest.steps {
        let reasons = step.left_out.iter();
        left_out.extend(reasons.map(|(reason, rows)| (reason.clone(), *rows as i64)));
    }
    let title = "Numbers of rows, from those that were read to those that are kept";
    let mut html = horizontal(title, ["stage", "number"], &bars);
    html.push_str("<h3>Left out</h3>");
    match left_out.is_empty() {
        true => html.push_str("<p>Nothing was left out.</p>"),
        false => html.push_str(&horizontal(
            "What was left out, and why",
            ["reason", "number"],
            &left_out,
        )),
    }
    let damage: Vec<_> = manifest
        .steps
        .iter()
        .flat_map(|step| step.damage())
        .collect();
    if !damage.is_empty() {
        html.push_str("<h3>Damaged files</h3><ul>");
        for (file, what) in damage.iter().take(MAX_FILES) {
            let what = what.as_str().unwrap_or_default();
            _ = write!(html, "<li>{}: {}</li>", brief(file), brief(what));
        }
        if let more @ 1.. = damage.len().saturating_sub(MAX_FILES) {
            _ = write!(html, "<li>and {more} more files</li>");
        }
        html.push_str("</ul>");
    }
    let uncompared = figure(manifest, "pairs", Figure::PairsNotCompared).unwrap_or(0);
    if uncompared > 0 {
        _ = write!(
            html,
            "<p>{} pairs of oversized buckets were not compared in their bucket.</p>",
            count(uncompared)
        );
    }
    html
}

fn sizes(report: &Report) -> String {
    if report.sizes.is_empty() {
        return "<p>No near-duplicates were found.</p>".to_owned();
    }
    let largest = report.sizes.keys().next_back().copied().unwrap_or(2);
    let mut bars: Vec<Bar> = vec![];
    let mut low = 2;
    while low <= largest {
        let high = match largest <= SINGLE_SIZES {
            true => low,
            false => low * 2 - 1,
        };
        let clusters = report
            .sizes
            .range(low..=high)
            .map(|(_, clusters)| clusters)
            .sum();
        let label = match low == high {
            true => count(low),
            false => format!("{}–{}", count(low), count(high)),
        };
        bars.push((label, clusters));
        low = high + 1;
    }
    let clusters: i64 = report.sizes.values().sum();
    format!(
        "<p>{} clusters of two or more rows; the largest has {} rows.</p>{}\
         <p class=\"note\">The heights are logarithmic.</p>",
        count(clusters),
        count(largest),
        logarithmic(
            "Numbers of clusters by their numbers of rows",
            ["rows", "clusters"],
            &bars
        )
    )
}

fn similarities(report: &Report) -> String {
    let first = report.similarities.iter().position(|pairs| *pairs > 0);
    let Some(first) = first else {
        return "<p>There are no pairs.</p>".to_owned();
    };
    let bars: Vec<Bar> = (first..SIMILARITY_BINS)
        .map(|bin| {
            let low = bin as f64 / SIMILARITY_BINS as f64;
            (format!("{low:.2}"), report.similarities[bin])
        })
        .collect();
    let title = "Numbers of pairs by similarity";
    format!(
        "{}<p class=\"note\">Each bar begins at the similarity below it. The heights are logarithmic.</p>",
        logarithmic(title, ["similarity from", "pairs"], &bars)
    )
}

fn recall(report: &Report) -> String {
    let method = report
        .manifest
        .step("pairs")
        .and_then(|step| step.figure(Figure::Method));
    let Some(measured) = &report.measured else {
        return match method.and_then(|word| word.as_str()) {
            Some("projection") => "<p>It is not measured for vectors.</p>".to_owned(),
            _ => "<p>Every pair was found: the exact join compared all of its candidates.</p>"
                .to_owned(),
        };
    };
    let sample = count(measured.sample);
    let Some(all) = measured.recall.all else {
        return format!(
            "<p>No text of a sample of {sample} has a pair, so that there is nothing to measure.</p>"
        );
    };
    let text = |bin: &RecallBin| {
        let Share { value, low, high } = bin.share;
        format!("{value:.3} ({low:.3}–{high:.3})")
    };
    let mut rows = String::new();
    for bin in measured.recall.bins.iter().chain([&all]) {
        let (from, to) = bin.similarity;
        let label = match std::ptr::eq(bin, &raw const all) {
            true => "all".to_owned(),
            false => format!("{from:.2}–{to:.2}"),
        };
        _ = write!(
            rows,
            "<tr><th scope=\"row\">{label}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            count(bin.pairs),
            count(bin.found),
            text(bin)
        );
    }
    let expected = match measured.expected.is_empty() {
        true => "",
        false => " The line is the probability that MinHash finds a pair of that similarity.",
    };
    let data = format!(
        "<details><summary>Data: recall by similarity</summary><table><thead><tr><th scope=\"col\">similarity</th>\
         <th scope=\"col\">pairs</th><th scope=\"col\">found</th><th scope=\"col\">recall</th></tr></thead>\
         <tbody>{rows}</tbody></table></details>"
    );
    format!(
        "<p>{} of the {} pairs of a sample of {sample} texts were found: a recall of {}, with its 95 % confidence \
         interval.</p>{}<p class=\"note\">The texts of the sample were compared with all texts by the exact join. The dots \
         are the measured recall by similarity, with 95 % confidence intervals, in which the pairs of one text count as \
         one.{expected}</p>",
        count(all.found),
        count(all.pairs),
        text(&all),
        curve(
            "Recall by similarity",
            &measured.expected,
            &measured.recall.bins,
            &data
        )
    )
}

fn kinds(report: &Report) -> String {
    if report.classes.is_empty() {
        return "<p>No removed row has a text whose kind could be determined.</p>".to_owned();
    }
    let classified: usize = report.classes.values().sum();
    let bars: Vec<Bar> = report
        .classes
        .iter()
        .map(|(class, rows)| (class.word().replace('_', " "), *rows as i64))
        .collect();
    let sample = match !report.all_classes && report.removed as usize > SAMPLED_ROWS {
        true => format!(
            "A sample of {} of the {} removed rows, each compared with its kept row.",
            count(classified as i64),
            count(report.removed)
        ),
        false => format!(
            "All {} removed rows with texts, each compared with its kept row.",
            count(classified as i64)
        ),
    };
    let limit = match report.all_classes {
        true => String::new(),
        false => format!(
            " Of longer texts the first {} characters are compared.",
            count(COMPARED_CHARACTERS as i64)
        ),
    };
    format!(
        "<p class=\"note\">{sample}{limit}</p>{}",
        horizontal("Numbers of removed rows by kind", ["kind", "rows"], &bars)
    )
}

fn documents(report: &Report) -> String {
    if report.documents.is_empty() {
        return "<p>No two pages have sentences in the same cluster.</p>".to_owned();
    }
    let mut rows = String::new();
    for pair in &report.documents {
        let [a, b] = &pair.titles;
        _ = write!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            brief(a),
            brief(b),
            count(pair.clusters)
        );
    }
    format!(
        "<p class=\"note\">Pages whose sentences are in the same clusters, those with the most clusters first. Clusters of \
         more than {SHARED_ROWS} rows do not count.</p>\
         <table><thead><tr><th scope=\"col\">page</th><th scope=\"col\">other page</th>\
         <th scope=\"col\">clusters</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardup::jobs::{InputFile, PairClass, ReportCluster, ReportPair, ReportRow, Shown};
    use std::collections::BTreeMap;

    /// Texts that take many bytes in HTML.
    #[test]
    fn a_page_of_long_texts_stays_below_five_megabytes() {
        let row = |text: &str| ReportRow {
            id: "\u{202e}".repeat(1_000_000),
            title: "&".repeat(1_000_000),
            text: text.repeat(1000),
        };
        let pair = ReportPair {
            kept: row("\u{202e} \" "),
            removed: row("\" \u{202d} "),
            similarity: 0.5,
            class: Some(PairClass::Other),
            changes: vec![],
            differs: "&".repeat(1_000_000),
            cluster: "1".to_owned(),
            cluster_size: 3,
        };
        let cluster = ReportCluster {
            shown: Shown::Chain,
            id: "1".to_owned(),
            size: 7,
            pairs: vec![pair.clone(); 5],
        };
        let file = InputFile {
            path: "&".repeat(1000),
            ..InputFile::default()
        };
        let report = Report {
            manifest: Manifest::new("dedup", vec![file; 10_000], BTreeMap::new()),
            sizes: BTreeMap::from([(2, 1), (1 << 40, 1)]),
            similarities: vec![0; SIMILARITY_BINS],
            reasons: BTreeMap::new(),
            removed: 5000,
            classes: BTreeMap::from([(PairClass::Other, 2000)]),
            all_classes: true,
            measured: None,
            documents: vec![],
            pairs: vec![pair; 280],
            clusters: vec![cluster; 60],
        };
        let page = page(&report, "out");
        assert!(page.len() < 5_000_000, "{} bytes", page.len());
        assert!(page.contains(" pairs are left out") && page.contains(" clusters are left out"));
    }
}
