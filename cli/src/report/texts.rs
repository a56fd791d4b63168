//! The sections of the page that show texts: clusters, and removed rows with the rows that represent them.

use super::html::{brief, count, differ, excerpt, facts, side_by_side};
use neardup::jobs::{
    COMPARED_CHARACTERS, PAIRS_OF_CLASS, PairClass, Report, ReportCluster, ReportPair, ReportRow,
    SAMPLED_ROWS, Shown,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of bytes of a section with pairs, so that the page stays below 5 MB.
const SECTION_BYTES: usize = 2_000_000;
/// Numbers of clusters for each reason, of pairs of a cluster, and of pairs of each kind that are printed: those of the
/// screen would take some 50 sheets.
const PRINTED_CLUSTERS: usize = 3;
const PRINTED_ROWS: usize = 2;
const PRINTED_PAIRS: usize = 4;
/// The class of what is not printed.
const NOT_PRINTED: &str = " class=\"screen\"";

/// The clusters, by the reason for which they are shown.
pub(super) fn clusters(report: &Report) -> String {
    let mut html = String::new();
    for (shown, heading, about) in [
        (
            Shown::Chain,
            "Chains",
            "Rows that only other rows connect with the kept one: their similarity to it is below the threshold.",
        ),
        (
            Shown::Template,
            "Templates",
            match report.all_classes {
                true => "Clusters with the most rows of the same pattern about other subjects.",
                false => "Clusters with sampled pairs of the same pattern about other subjects.",
            },
        ),
        (
            Shown::Largest,
            "Largest",
            "The largest of the other clusters.",
        ),
    ] {
        let found: Vec<&ReportCluster> = report
            .clusters
            .iter()
            .filter(|cluster| cluster.shown == shown)
            .collect();
        _ = write!(html, "<h3>{heading}</h3><p class=\"note\">{about}</p>");
        if found.is_empty() {
            html.push_str("<p>There are none.</p>");
        }
        let mut left_out = 0;
        if found.len() > PRINTED_CLUSTERS {
            _ = write!(
                html,
                "<p class=\"note print\">The first {PRINTED_CLUSTERS} of {} clusters that the screen shows.</p>",
                found.len()
            );
        }
        for (at, cluster) in found.iter().enumerate() {
            let printed = match at < PRINTED_CLUSTERS {
                true => "",
                false => NOT_PRINTED,
            };
            let cluster = one_cluster(cluster, report.manifest.is_normalized(), printed);
            if html.len() + cluster.len() >= SECTION_BYTES {
                left_out = found.len() - at;
                break;
            }
            html.push_str(&cluster);
        }
        html.push_str(&left_out_note(left_out, "clusters"));
    }
    html
}

fn one_cluster(cluster: &ReportCluster, is_normalized: bool, printed: &str) -> String {
    let shown = cluster.pairs.len() as i64;
    let more = match cluster.size - 1 - shown {
        0 => String::new(),
        more => format!(", of which {} are not shown", count(more)),
    };
    let about = cluster.pairs.first().map(|pair| excerpt(&pair.kept.text));
    let mut html = format!(
        "<details{printed}><summary>Cluster {}: {} rows{more} <span class=\"note\" dir=\"auto\">{}</span></summary>",
        brief(&cluster.id),
        count(cluster.size),
        about.unwrap_or_default()
    );
    for (at, pair) in cluster.pairs.iter().enumerate() {
        let printed = match at < PRINTED_ROWS {
            true => "",
            false => NOT_PRINTED,
        };
        html.push_str(&one_pair(pair, is_normalized, printed));
    }
    html.push_str("</details>");
    html
}

/// The removed rows with the kept rows that represent them.
pub(super) fn pairs(report: &Report) -> String {
    if report.pairs.is_empty() {
        return "<p>No row was removed.</p>".to_owned();
    }
    let mut of_class: BTreeMap<Option<PairClass>, usize> = BTreeMap::new();
    for pair in &report.pairs {
        *of_class.entry(pair.class).or_default() += 1;
    }
    let mut kinds = String::from("<option value=\"\">all</option>");
    for class in report.classes.keys() {
        let word = class.word();
        _ = write!(
            kinds,
            "<option value=\"{word}\">{}</option>",
            word.replace('_', " ")
        );
    }
    let mut html = format!(
        "<p class=\"note\">Removed rows (right) with the kept rows that represent them (left): {}.</p>{}\
         <form id=\"filter\" hidden><label>Search <input type=\"search\" name=\"search\"></label>\
         <label>Kind <select name=\"kind\">{kinds}</select></label>\
         <label>Similarity from <input type=\"number\" name=\"least\" min=\"0\" max=\"1\" step=\"0.01\"></label>\
         <label>Similarity to <input type=\"number\" name=\"most\" min=\"0\" max=\"1\" step=\"0.01\"></label></form>\
         <p id=\"shown\" role=\"status\"></p><div id=\"pairs\">",
        which_pairs(report),
        match of_class.values().any(|pairs| *pairs > PRINTED_PAIRS) {
            true => format!(
                "<p class=\"note print\">The first {PRINTED_PAIRS} of each kind; the screen shows more.</p>"
            ),
            false => String::new(),
        }
    );
    let mut left_out = 0;
    let mut of_kind: BTreeMap<Option<PairClass>, usize> = BTreeMap::new();
    for (at, pair) in report.pairs.iter().enumerate() {
        let before = of_kind.entry(pair.class).or_default();
        let printed = match *before < PRINTED_PAIRS {
            true => "",
            false => NOT_PRINTED,
        };
        *before += 1;
        let pair = one_pair(pair, report.manifest.is_normalized(), printed);
        if html.len() + pair.len() >= SECTION_BYTES {
            left_out = report.pairs.len() - at;
            break;
        }
        html.push_str(&pair);
    }
    html.push_str("</div>");
    html.push_str(&left_out_note(left_out, "pairs"));
    html
}

/// Which pairs the page has.
fn which_pairs(report: &Report) -> String {
    let (shown, removed) = (report.pairs.len() as i64, report.removed);
    let of_each_kind = match report.classes.is_empty() {
        true => "",
        false => " of each kind, those that state another fact first",
    };
    let is_sample = !report.all_classes && removed as usize > SAMPLED_ROWS;
    match removed > shown {
        true if is_sample => format!(
            "of a sample of {} of the {} removed rows the {PAIRS_OF_CLASS} least similar ones{of_each_kind}; {} pairs",
            count(SAMPLED_ROWS as i64),
            count(removed),
            count(shown)
        ),
        true => format!(
            "of all {} removed rows the {PAIRS_OF_CLASS} least similar ones{of_each_kind}; {} pairs",
            count(removed),
            count(shown)
        ),
        false => format!("all of them, from the least similar one on{of_each_kind}"),
    }
}

fn left_out_note(number: usize, what: &str) -> String {
    match number {
        0 => String::new(),
        number => format!(
            "<p class=\"note\">{number} {what} are left out, so that the page stays small.</p>"
        ),
    }
}

fn one_pair(pair: &ReportPair, is_normalized: bool, printed: &str) -> String {
    let kind = pair.class.map_or("", |class| class.word());
    let label = match kind {
        "" => String::new(),
        kind => format!(", {}", kind.replace('_', " ")),
    };
    let texts = [pair.kept.text.as_str(), pair.removed.text.as_str()];
    let [kept, removed] = side_by_side(texts[0], texts[1], is_normalized);
    let is_cut = |text: &str| text.chars().nth(COMPARED_CHARACTERS).is_some();
    let differs = match pair.differs.as_str() {
        "" if texts.into_iter().any(is_cut) && !differ(texts[0], texts[1], is_normalized) => {
            format!(
                ": no difference in the first {} characters",
                count(COMPARED_CHARACTERS as i64)
            )
        }
        "" => String::new(),
        differs => format!(": <span dir=\"auto\">{}</span>", facts(differs)),
    };
    let head = |row: &ReportRow, what: &str| match row.title.is_empty() {
        true => format!("{what} {}", brief(&row.id)),
        false => format!("{what} {}, {}", brief(&row.id), brief(&row.title)),
    };
    format!(
        "<article{printed} data-kind=\"{kind}\" data-similarity=\"{}\">\
         <p class=\"head\"><b>{:.3}</b>, cluster {} of {} rows{label}{differs}</p>\
         <div class=\"sides\"><div><p class=\"who\">{}</p><p dir=\"auto\">{kept}</p></div>\
         <div><p class=\"who\">{}</p><p dir=\"auto\">{removed}</p></div></div></article>\n",
        pair.similarity,
        pair.similarity,
        brief(&pair.cluster),
        count(pair.cluster_size),
        head(&pair.kept, "kept"),
        head(&pair.removed, "removed")
    )
}
