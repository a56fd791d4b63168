//! Bar charts as SVG, each with its data as a table for readers who do not see it.

use super::html::{count, escaped};
use neardup::jobs::RecallBin;
use std::fmt::Write as _;

/// A bar: its label and its value.
pub(super) type Bar = (String, i64);

const WIDTH: f64 = 640.0;
const ROW: f64 = 26.0;
const LABELS: f64 = 220.0;
const HEIGHT: f64 = 220.0;

/// The data of a chart as a table that can be opened.
fn table(title: &str, head: [&str; 2], bars: &[Bar]) -> String {
    let mut rows = String::new();
    for (label, value) in bars.iter().filter(|(_, value)| *value != 0) {
        _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            escaped(label),
            count(*value)
        );
    }
    format!(
        "<details><summary>Data: {}</summary><table><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
         </tr></thead><tbody>{rows}</tbody></table></details>",
        escaped(title),
        escaped(head[0]),
        escaped(head[1])
    )
}

/// Horizontal bars on a linear scale, with labels and values.
pub(super) fn horizontal(title: &str, head: [&str; 2], bars: &[Bar]) -> String {
    let largest = bars
        .iter()
        .map(|(_, value)| *value)
        .max()
        .unwrap_or(0)
        .max(1) as f64;
    let height = ROW * bars.len() as f64 + 4.0;
    let mut marks = String::new();
    for (at, (label, value)) in bars.iter().enumerate() {
        let y = ROW * at as f64;
        let length = (*value as f64 / largest) * (WIDTH - LABELS - 110.0);
        let length = if *value > 0 { length.max(1.0) } else { 0.0 };
        _ = write!(
            marks,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LABELS:.0}\" y=\"{:.0}\" width=\"{length:.1}\" height=\"16\"/>\
             <text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            LABELS - 8.0,
            y + 17.0,
            escaped(label),
            y + 4.0,
            LABELS + length + 6.0,
            y + 17.0,
            count(*value)
        );
    }
    format!(
        "<figure><svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\">{marks}</svg>{}</figure>",
        escaped(title),
        table(title, head, bars)
    )
}

/// Vertical bars whose heights are logarithmic, so that single clusters are seen beside many thousands.
pub(super) fn logarithmic(title: &str, head: [&str; 2], bars: &[Bar]) -> String {
    let largest = bars
        .iter()
        .map(|(_, value)| *value)
        .max()
        .unwrap_or(0)
        .max(1) as f64;
    // A bar of 1 has a height, and each power of ten adds the same.
    let scale = |value: f64| (value.log10() + 1.0) / (largest.log10() + 1.0) * (HEIGHT - 50.0);
    let width = (WIDTH - 50.0) / bars.len().max(1) as f64;
    let every = bars.len().div_ceil(12).max(1);
    let mut marks = String::new();
    let mut power = 1.0;
    while power <= largest {
        let y = HEIGHT - 30.0 - scale(power);
        _ = write!(
            marks,
            "<line x1=\"50\" x2=\"{WIDTH:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"44\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            y + 4.0,
            count(power as i64)
        );
        power *= 10.0;
    }
    for (at, (label, value)) in bars.iter().enumerate() {
        let x = 50.0 + width * at as f64;
        if *value > 0 {
            let height = scale(*value as f64);
            _ = write!(
                marks,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"><title>{}: {}</title></rect>",
                x + 1.0,
                HEIGHT - 30.0 - height,
                (width - 2.0).max(1.0),
                escaped(label),
                count(*value)
            );
        }
        if at % every == 0 {
            _ = write!(
                marks,
                "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
                x + width / 2.0,
                HEIGHT - 12.0,
                escaped(label)
            );
        }
    }
    format!(
        "<figure><svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH:.0} {HEIGHT:.0}\">{marks}</svg>{}</figure>",
        escaped(title),
        table(title, head, bars)
    )
}

/// A curve of expected shares, and dots of measured ones with their intervals, by similarity.
pub(super) fn curve(title: &str, expected: &[(f64, f64)], measured: &[RecallBin]) -> String {
    let x = |similarity: f64| 50.0 + similarity * (WIDTH - 60.0);
    let y = |share: f64| HEIGHT - 30.0 - share * (HEIGHT - 50.0);
    let mut marks = String::new();
    for fifth in 0..=5 {
        let share = f64::from(fifth) / 5.0;
        _ = write!(
            marks,
            "<line x1=\"50\" x2=\"{:.0}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <text x=\"44\" y=\"{:.1}\" text-anchor=\"end\">{share:.1}</text>\
             <text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{share:.1}</text>",
            WIDTH - 10.0,
            y(share),
            y(share),
            y(share) + 4.0,
            x(share),
            HEIGHT - 12.0
        );
    }
    let points: Vec<String> = expected
        .iter()
        .map(|(similarity, share)| format!("{:.1},{:.1}", x(*similarity), y(*share)))
        .collect();
    if !points.is_empty() {
        _ = write!(marks, "<polyline points=\"{}\"/>", points.join(" "));
    }
    for bin in measured {
        let (from, to) = bin.similarity;
        let (at, share) = (x((from + to) / 2.0), bin.share);
        _ = write!(
            marks,
            "<g class=\"dot\"><line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"4\"><title>{from:.2}–{to:.2}: {:.3}</title></circle></g>",
            y(share.low),
            y(share.high),
            y(share.value),
            share.value
        );
    }
    format!(
        "<figure><svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH:.0} {HEIGHT:.0}\">{marks}</svg></figure>",
        escaped(title)
    )
}
