//! Splits plain text into sentences, as byte ranges into that text.
//!
//! There are two splitters, each in its own file: `rules` for many languages, and `published`, the regular expression
//! that published near-duplicate systems used. The word lists of the first come from the crate `sentencex`; `lexicon` and `abbreviations`
//! add what that crate lacks. To add a splitter, add a file and a variant of [`Splitter`].
//!
//! Both take time linear in the text and return the ranges lazily.

mod abbreviations;
mod lexicon;
mod list_items;
mod published;
mod rules;
mod terminators;

use std::fmt;
use std::iter::FusedIterator;
use std::str::FromStr;

/// The way in which text is cut into sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Splitter {
    /// Terminators of all scripts, abbreviations and sentence openers by language; a sentence
    /// never crosses a line feed, and carries no white space at its ends.
    #[default]
    Default,
    /// The expression of the published systems, in multi-line mode and with white space of ASCII:
    ///
    /// ```text
    /// \s*(["A-Z][^.!?]*(?:[.!?](?!['"]?\s|$)[^.!?]*)*[.!?]?['"]?)\s*
    /// ```
    ///
    /// A sentence is its first group. It starts at a quotation mark or a letter from A to Z, may
    /// run over line feeds, breaks after abbreviations, and keeps white space at the end of a text
    /// that stops without a terminator.
    Published,
}

impl Splitter {
    /// The name by which options and SQL know the splitter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Published => "published",
        }
    }
}

impl fmt::Display for Splitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A splitter name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("splitter must be 'default' or 'published', found '{name}'")]
pub struct UnknownSplitter {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Splitter {
    type Err = UnknownSplitter;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "default" => Ok(Self::Default),
            "published" => Ok(Self::Published),
            other => Err(UnknownSplitter {
                name: other.to_owned(),
            }),
        }
    }
}

/// Cuts `text` into sentences: byte ranges (start, end), in order, not overlapping, not empty.
///
/// `language` is a language code as Wikipedia uses it (`"de"`, `"pt-br"`, `"zh-yue"`); a language
/// without rules of its own is read by those of its nearest relative, and `None` by the English ones.
/// The published splitter knows no languages.
///
/// ```
/// use neardup_wikitext::sentences::{Splitter, split};
///
/// let text = "A heading\nDr. Smith left. He came back.";
/// let found: Vec<&str> = split(text, Some("en"), Splitter::Default)
///     .map(|(start, end)| &text[start..end])
///     .collect();
/// assert_eq!(found, ["A heading", "Dr. Smith left.", "He came back."]);
/// ```
pub fn split<'a>(text: &'a str, language: Option<&str>, splitter: Splitter) -> Sentences<'a> {
    Sentences(match splitter {
        Splitter::Default => Engine::Rules(rules::Rules::new(text, language)),
        Splitter::Published => Engine::Published(published::Published::new(text)),
    })
}

/// True if `text` ends with a stop of any script, or with quotation marks or brackets after one.
///
/// ```
/// use neardup_wikitext::sentences::ends_like_sentence;
///
/// assert!(ends_like_sentence("He left (late)."));
/// assert!(!ends_like_sentence("Births in York"));
/// ```
pub fn ends_like_sentence(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(terminators::is_closer);
    text.ends_with(|c| terminators::terminator(c).is_some())
}

/// The sentences of one text; see [`split`].
pub struct Sentences<'a>(Engine<'a>);

enum Engine<'a> {
    Rules(rules::Rules<'a>),
    Published(published::Published<'a>),
}

impl Iterator for Sentences<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Engine::Rules(engine) => engine.next(),
            Engine::Published(engine) => engine.next(),
        }
    }
}

impl FusedIterator for Sentences<'_> {}

#[cfg(test)]
mod tests;
