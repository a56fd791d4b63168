//! Draws bar charts. Each has its data as a table, for screen readers. Only lengths in percent scale with the width of
//! the page, so that the text has the same size on a phone and on a wide screen.

use super::html::{count, escaped};
use neardup::jobs::RecallBin;
use std::fmt::Write as _;

/// A bar: its label and its value.
pub(super) type Bar = (String, i64);

/// Height of a chart with vertical bars, in pixels, and of the space above and below the bars.
const HEIGHT: f64 = 220.0;
const ABOVE: f64 = 20.0;
const BELOW: f64 = 24.0;
/// Widths in pixels: of a letter, of a vertical bar if there are few, and of all bars on a wide and a narrow screen.
const LETTER: usize = 8;
const COLUMN: usize = 72;
const WIDE: usize = 680;
const NARROW: usize = 280;
/// Maximum number of vertical bars with their values above them.
const MAX_VALUES: usize = 12;

/// A number in few letters: 950, 7k, 15k, 2M.
fn brief_count(number: i64) -> String {
    let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")];
    // 999,600 is 1M, not 1000k.
    let unit = units
        .into_iter()
        .find(|(unit, _)| number >= unit - unit / 2000);
    match unit {
        Some((unit, letter)) => format!("{}{letter}", (number + unit / 2) / unit),
        None => number.to_string(),
    }
}

/// The values above the vertical bars, on wide and on narrow screens.
struct Values {
    /// The value of each bar; none if the space does not suffice.
    wide: Vec<String>,
    narrow: Vec<String>,
}

impl Values {
    /// The longest spelling of the values for which bars have space; `left` is the width of what is beside them.
    fn of(bars: &[Bar], left: usize) -> Self {
        let spelled = |screen: usize| {
            let space = (screen.saturating_sub(left) / bars.len().max(1)).min(COLUMN);
            let spellings = [count, brief_count];
            let spelled = spellings.map(|spelling| {
                let values = bars.iter().map(|(_, value)| spelling(*value));
                values.collect::<Vec<String>>()
            });
            let fits =
                |values: &Vec<String>| values.iter().all(|text| text.len() * LETTER <= space);
            match bars.len() <= MAX_VALUES {
                true => spelled.into_iter().find(fits).unwrap_or_default(),
                false => vec![],
            }
        };
        Self {
            wide: spelled(WIDE),
            narrow: spelled(NARROW),
        }
    }
}

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

/// The largest value, at least 1.
fn largest(bars: &[Bar]) -> f64 {
    bars.iter().map(|(_, value)| *value).fold(1, i64::max) as f64
}

/// Horizontal bars on a linear scale, with labels and values.
pub(super) fn horizontal(title: &str, head: [&str; 2], bars: &[Bar]) -> String {
    let largest = largest(bars);
    let mut marks = String::new();
    for (label, value) in bars {
        _ = write!(marks, "<span>{}</span><span>", escaped(label));
        if *value > 0 {
            let share = *value as f64 / largest;
            _ = write!(marks, "<i style=\"--share: {share:.4}\"></i>");
        }
        _ = write!(marks, "{}</span>", count(*value));
    }
    format!(
        "<figure><div class=\"bars\" role=\"img\" aria-label=\"{}\">{marks}</div>{}</figure>",
        escaped(title),
        table(title, head, bars)
    )
}

/// Vertical bars whose heights are logarithmic, so that single clusters are seen beside many thousands.
pub(super) fn logarithmic(title: &str, head: [&str; 2], bars: &[Bar]) -> String {
    let largest = largest(bars);
    let bottom = HEIGHT - BELOW;
    // A bar of value 1 has a height above 0, and each power of ten adds the same height.
    let scale = |value: f64| (value.log10() + 1.0) / (largest.log10() + 1.0) * (bottom - ABOVE);
    let mut marks = String::new();
    let mut power = 1.0;
    let mut left = 0;
    while power <= largest {
        let y = bottom - scale(power);
        let label = count(power as i64);
        _ = write!(
            marks,
            "<line x1=\"0\" x2=\"100%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            y + 4.0,
        );
        left = label.len() + 1;
        power *= 10.0;
    }
    let values = Values::of(bars, left * LETTER);
    let letters = bars.iter().map(|(label, _)| label.chars().count()).max();
    let letters = (letters.unwrap_or(0) + 1) * LETTER;
    // As many labels as there is space for.
    let every = (bars.len() * letters).div_ceil((bars.len() * COLUMN).clamp(1, WIDE));
    let every = every.max(1);
    let is_crowded = bars.len().div_ceil(every) * letters > NARROW;
    let width = 100.0 / bars.len().max(1) as f64;
    for (at, (label, value)) in bars.iter().enumerate() {
        let x = width * at as f64;
        let middle = x + width / 2.0;
        if *value > 0 {
            let height = scale(*value as f64);
            let top = bottom - height;
            let value = count(*value);
            _ = write!(
                marks,
                "<rect x=\"{x:.3}%\" y=\"{top:.1}\" width=\"{width:.3}%\" height=\"{height:.1}\">\
                 <title>{}: {value}</title></rect>",
                escaped(label)
            );
            let texts = match (values.wide.get(at), values.narrow.get(at)) {
                (Some(wide), Some(narrow)) if wide == narrow => [Some((wide, "")), None],
                (wide, narrow) => [
                    wide.map(|text| (text, " class=\"wide\"")),
                    narrow.map(|text| (text, " class=\"narrow\"")),
                ],
            };
            for (text, class) in texts.into_iter().flatten() {
                _ = write!(
                    marks,
                    "<text{class} x=\"{middle:.3}%\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                    top - 5.0
                );
            }
        }
        if at % every == 0 {
            let class = match is_crowded && (at / every) % 2 == 1 {
                true => " class=\"wide\"",
                false => "",
            };
            _ = write!(
                marks,
                "<text{class} x=\"{middle:.3}%\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - 6.0,
                escaped(label)
            );
        }
    }
    format!(
        "<figure><svg role=\"img\" aria-label=\"{}\" height=\"{HEIGHT:.0}\" \
         style=\"--left: {left}ch; --columns: {}\">{marks}</svg>{}</figure>",
        escaped(title),
        bars.len(),
        table(title, head, bars)
    )
}

/// A curve of expected shares, and dots of measured ones with their intervals, by similarity from 0 to 1; `data` follows it.
pub(super) fn curve(
    title: &str,
    expected: &[(f64, f64)],
    measured: &[RecallBin],
    data: &str,
) -> String {
    let bottom = HEIGHT - BELOW;
    let y = |share: f64| bottom - share * (bottom - ABOVE);
    let mut marks = String::new();
    for fifth in 0..=5 {
        let share = f64::from(fifth) / 5.0;
        _ = write!(
            marks,
            "<line x1=\"0\" x2=\"100%\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{share:.1}</text>\
             <text x=\"{:.0}%\" y=\"{:.0}\" text-anchor=\"middle\">{share:.1}</text>",
            y(share),
            y(share),
            y(share) + 4.0,
            share * 100.0,
            HEIGHT - 6.0
        );
    }
    marks.push_str("<g class=\"expected\">");
    for (from, to) in expected.iter().zip(expected.iter().skip(1)) {
        _ = write!(
            marks,
            "<line x1=\"{:.1}%\" x2=\"{:.1}%\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0 * 100.0,
            to.0 * 100.0,
            y(from.1),
            y(to.1)
        );
    }
    marks.push_str("</g>");
    for bin in measured {
        let (from, to) = bin.similarity;
        let (at, share) = ((from + to) * 50.0, bin.share);
        _ = write!(
            marks,
            "<g class=\"dot\"><line x1=\"{at:.1}%\" x2=\"{at:.1}%\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <circle cx=\"{at:.1}%\" cy=\"{:.1}\" r=\"4\"><title>{from:.2}–{to:.2}: {:.3}</title></circle></g>",
            y(share.low),
            y(share.high),
            y(share.value),
            share.value
        );
    }
    format!(
        "<figure><svg role=\"img\" aria-label=\"{}\" height=\"{HEIGHT:.0}\" style=\"--left: 4ch; --columns: 10\">{marks}</svg>\
         {data}</figure>",
        escaped(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_few_letters() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1k"),
            (7188, "7k"),
            (15_048, "15k"),
            (999_400, "999k"),
            (999_600, "1M"),
            (2_500_000, "3M"),
            (41_000_000_000, "41G"),
        ] {
            assert_eq!(brief_count(number), text, "{number}");
        }
    }

    /// On a phone the values were above each other and above those of the axis.
    #[test]
    fn values_have_space_above_their_bars() {
        let bars = |values: &[i64]| -> Vec<Bar> {
            let bars = values.iter().map(|value| (value.to_string(), *value));
            bars.collect()
        };
        let six = Values::of(&bars(&[40_183, 15_048, 12_711, 7188, 95, 1]), 7 * LETTER);
        assert_eq!(six.wide, ["40,183", "15,048", "12,711", "7,188", "95", "1"]);
        assert_eq!(six.narrow, ["40k", "15k", "13k", "7k", "95", "1"]);
        let twelve = Values::of(&bars(&[12_345_678; 12]), 11 * LETTER);
        assert_eq!(twelve.wide, ["12M"; 12]);
        assert_eq!(twelve.narrow, Vec::<String>::new());
        let chart = logarithmic("title", ["rows", "clusters"], &bars(&[40_183; 6]));
        assert!(
            chart.contains("<text class=\"narrow\"") && chart.contains(">40k</text>"),
            "{chart}"
        );
        assert!(Values::of(&bars(&[1; 13]), 0).wide.is_empty());
    }
}
