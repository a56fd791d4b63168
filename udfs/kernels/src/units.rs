//! The lines or paragraphs of a text.

use std::ops::Range;
use std::str::FromStr;

use thiserror::Error;

/// The unit that a text is divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextUnit {
    /// The text between line breaks.
    Line,
    /// The text between blank lines.
    Paragraph,
}

/// A name that is not that of a [`TextUnit`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unit must be line or paragraph, found {0}")]
pub struct UnknownUnit(String);

impl FromStr for TextUnit {
    type Err = UnknownUnit;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "line" => Ok(Self::Line),
            "paragraph" => Ok(Self::Paragraph),
            other => Err(UnknownUnit(other.to_owned())),
        }
    }
}

/// Calls `f` with each unit of a text, without the white space around it, and with its offsets in characters. Units of
/// white space only are left out. Lines end with a line feed, a carriage return, both, or a line or paragraph separator.
///
/// ```
/// use neardup_kernels::{TextUnit, for_each_unit};
/// let mut units = Vec::new();
/// for_each_unit("One,\ntwo.\n\n  Three.", TextUnit::Paragraph, |place, unit| units.push((place, unit)));
/// assert_eq!(units, [(0..9, "One,\ntwo."), (13..19, "Three.")]);
/// ```
pub fn for_each_unit<'a>(text: &'a str, unit: TextUnit, mut f: impl FnMut(Range<usize>, &'a str)) {
    // The first and the last byte of the unit, and characters up to its start and its end.
    let mut open: Option<(Range<usize>, Range<usize>)> = None;
    let (mut byte, mut chars) = (0, 0);
    for line in text.split_inclusive(is_line_break) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            // The line feed after a carriage return ends no line of its own.
            let is_blank = !(line == "\n" && text[..byte].ends_with('\r'));
            if is_blank && let Some((bytes, place)) = open.take() {
                f(place, &text[bytes]);
            }
        } else {
            let before = line.len() - line.trim_start().len();
            let start = chars + line[..before].chars().count();
            let end = start + trimmed.chars().count();
            let last = byte + before + trimmed.len();
            let (first, from) = match open.take() {
                Some((bytes, place)) => (bytes.start, place.start),
                None => (byte + before, start),
            };
            match unit {
                TextUnit::Line => f(from..end, &text[first..last]),
                TextUnit::Paragraph => open = Some((first..last, from..end)),
            }
        }
        byte += line.len();
        chars += line.chars().count();
    }
    if let Some((bytes, place)) = open {
        f(place, &text[bytes]);
    }
}

/// The lines of a part of a text, as bytes of the text, without the white space around them. Lines of white space only
/// are left out.
///
/// ```
/// let lines: Vec<_> = neardup_kernels::lines_of("One.\r\n two\u{2028}three", 2..15).collect();
/// assert_eq!(lines, [2..4, 7..10, 13..15]);
/// ```
pub fn lines_of(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = part.start;
    let part = text.get(part).unwrap_or_default();
    part.split_inclusive(is_line_break).filter_map(move |line| {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let trimmed = line.trim();
        (!trimmed.is_empty()).then(|| start..start + trimmed.len())
    })
}

/// Whether a character ends a line.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    fn units(text: &str, unit: TextUnit) -> Vec<(Range<usize>, &str)> {
        let mut units = Vec::new();
        for_each_unit(text, unit, |place, unit| units.push((place, unit)));
        units
    }

    #[test]
    fn line_breaks_of_all_systems() {
        for breaks in ["\n", "\r\n", "\r", "\u{2028}"] {
            let text = format!("é one{breaks} two {breaks}{breaks}{breaks}three{breaks}");
            let texts = |unit| -> Vec<&str> {
                units(&text, unit)
                    .into_iter()
                    .map(|(_, unit)| unit)
                    .collect()
            };
            assert_eq!(
                texts(TextUnit::Line),
                ["é one", "two", "three"],
                "{breaks:?}"
            );
            let paragraph = format!("é one{breaks} two");
            assert_eq!(
                texts(TextUnit::Paragraph),
                [&paragraph, "three"],
                "{breaks:?}"
            );
        }
    }

    #[test]
    fn lines_of_a_part_are_those_of_its_text() {
        let mut random = RandomTexts::new(18);
        for _ in 0..20_000 {
            let text = random.special_characters(40);
            let start = text.ceil_char_boundary(random.below(text.len() + 1));
            let lines: Vec<&str> = lines_of(&text, start..text.len())
                .map(|line| &text[line])
                .collect();
            let expected: Vec<&str> = units(&text[start..], TextUnit::Line)
                .into_iter()
                .map(|(_, line)| line)
                .collect();
            assert_eq!(lines, expected, "{text:?} {start}");
        }
        assert_eq!(lines_of("é", 1..2).count(), 0);
    }

    /// The units by the definition: the lines of the text, with one line feed for each break.
    fn naive(text: &str, unit: TextUnit) -> Vec<String> {
        let lines = text.replace("\r\n", "\n").replace(is_line_break, "\n");
        let lines: Vec<&str> = lines.split('\n').map(str::trim).collect();
        match unit {
            TextUnit::Line => lines
                .into_iter()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
            TextUnit::Paragraph => lines
                .split(|line| line.is_empty())
                .filter(|lines| !lines.is_empty())
                .map(|lines| lines.join("\n"))
                .collect(),
        }
    }

    #[test]
    fn random_texts_have_the_units_of_the_definition() {
        let mut random = RandomTexts::new(17);
        let marks: Vec<char> = "\n\n\n\r ab é\u{85}\u{2029}\u{3000}".chars().collect();
        for round in 0..20_000 {
            let text = match round % 2 {
                0 => random.few_letters(30, &marks),
                _ => random.special_characters(40),
            };
            for unit in [TextUnit::Line, TextUnit::Paragraph] {
                let found = units(&text, unit);
                let characters: Vec<char> = text.chars().collect();
                for (place, unit) in &found {
                    let at: String = characters[place.clone()].iter().collect();
                    assert_eq!(at, *unit, "{text:?}");
                }
                let lines = |unit: &str| -> String {
                    let lines = unit.replace("\r\n", "\n").replace(is_line_break, "\n");
                    let lines: Vec<&str> = lines.split('\n').map(str::trim).collect();
                    lines.join("\n")
                };
                let found: Vec<String> = found.iter().map(|(_, unit)| lines(unit)).collect();
                assert_eq!(found, naive(&text, unit), "{text:?} {unit:?}");
            }
        }
    }
}
