//! Formulas of TeX in a text: a word in their place, or the formula itself in plain characters.
//!
//! `\frac{a+1}{b} \le x^2` is "(a + 1)/b ≤ x^2". `source` prepares the text for the parser, `reading` takes
//! its events, `operands` writes them in plain characters, and `chemistry` reads formulas of chemistry.

mod chemistry;
mod operands;
mod reading;
mod source;

use std::fmt;
use std::panic::catch_unwind;
use std::str::FromStr;

use pulldown_latex::{Parser, Storage};

use self::operands::joined;
use self::reading::Reading;
use self::source::Source;
use super::tags;

/// What a text has in place of a formula of TeX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Formulas {
    /// The word `FORMULA`, the same for every formula.
    #[default]
    Placeholder,
    /// The formula in plain characters: `\sqrt{x}` is "√x". The word where a formula cannot be read.
    Text,
}

impl Formulas {
    /// The name by which options and SQL know the choice.
    pub fn name(self) -> &'static str {
        match self {
            Self::Placeholder => "placeholder",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Formulas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A choice for formulas that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("formulas must be 'placeholder' or 'text', found '{name}'")]
pub struct UnknownFormulas {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Formulas {
    type Err = UnknownFormulas;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "placeholder" => Ok(Self::Placeholder),
            "text" => Ok(Self::Text),
            other => Err(UnknownFormulas {
                name: other.to_owned(),
            }),
        }
    }
}

/// The text of a formula between tags, from its start tag up to its end tag.
pub(super) fn of_tag(source: &str) -> Option<String> {
    let tag = tags::parse(source, 0)?;
    let content = characters(&source[tag.end..]);
    let is_chemistry = source
        .get(1..3)
        .is_some_and(|name| name.eq_ignore_ascii_case("ch") || name.eq_ignore_ascii_case("ce"));
    match is_chemistry {
        true => chemistry::in_characters(&content),
        false => mathematics(&content),
    }
}

/// The text of a formula in a template, from the `|` before it.
pub(super) fn of_template(arguments: &str) -> Option<String> {
    let tex = arguments.strip_prefix('|')?;
    let tex = tex.strip_prefix("1=").unwrap_or(tex);
    mathematics(&characters(tex).replace("{{=}}", "=").replace("{{!}}", "|"))
}

/// A formula without comments of the page, and without entities.
fn characters(source: &str) -> String {
    let mut formula = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, comment)) = rest.split_once("<!--") {
        formula.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    formula.push_str(rest);
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(formula, |formula, (entity, character)| {
        formula.replace(entity, character)
    })
}

/// Longest source of a formula that is read, in bytes.
const MAX_BYTES: usize = 4096;

/// A formula of TeX in plain characters; `None` if it cannot be read, is empty or is longer than [`MAX_BYTES`].
fn mathematics(tex: &str) -> Option<String> {
    let is_refused = REFUSED.iter().any(|command| tex.contains(command));
    if tex.len() > MAX_BYTES || is_refused || has_long_index(tex) {
        return None;
    }
    // The parser takes white space outside ASCII for the end of a dimension, and cuts it in the middle.
    let tex: String = tex
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    let source = Source::of(&tex)?;
    // A formula must not end a job, whatever the parser makes of it.
    let operands = catch_unwind(|| {
        let storage = Storage::new();
        let mut reading = Reading::new(&source.texts);
        for event in Parser::new(&source.tex, &storage) {
            reading.event(event.ok()?)?;
        }
        reading.end()
    });
    let text = one_line(&joined(&operands.ok()??))?;
    // A mark of punctuation alone, or before the formula, would be one of the sentence.
    let begins = |c: char| matches!(c, ',' | ';' | ':' | '.' | '!' | '?');
    (!text.starts_with(begins) && text.chars().any(|c| !c.is_whitespace())).then_some(text)
}

/// Commands at which the parser panics (at numbers outside ASCII, or of many digits), whose scripts it leaves out,
/// whose argument is a text beside a colour, or that define commands, which pages cannot.
const REFUSED: [&str; 11] = [
    "\\char",
    "{alignat",
    "{alignedat",
    "\\sideset",
    "\\colorbox",
    "\\fcolorbox",
    "\\def",
    "\\let",
    "\\futurelet",
    "\\newcommand",
    "\\providecommand",
];

/// Whether the index of a root is more than one letter or digit: the parser gives its parts one by one.
fn has_long_index(tex: &str) -> bool {
    tex.match_indices("\\sqrt").any(|(at, command)| {
        let index = tex[at + command.len()..].trim_start().strip_prefix('[');
        index.is_some_and(|index| index.chars().nth(1) != Some(']'))
    })
}

/// The text with single spaces between its words and without control characters; `None` if nothing is left.
fn one_line(text: &str) -> Option<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    line.retain(|c| !c.is_control());
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests;
