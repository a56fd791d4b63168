//! Terms of a text: stemmed words, by which the topics of two texts are compared.
//!
//! ```text
//! text ── normal form ──> UAX #29 words ── stop words ──> content words ── stemmer ──> terms
//! ```
//!
//! Stemmers are those of the Snowball project (M. F. Porter: Snowball, a language for stemming algorithms, 2001).
//! Stop words are the lists of the NLTK, which began as those of Snowball and consist mostly of function words.
//! Both are selected by language.

use std::collections::HashSet;

use rust_stemmers::{Algorithm, Stemmer};

use crate::normalize::normalize_into;
use crate::text_hasher::TextHasherBuilder;
use crate::words::for_each_word;

/// The maximal length, in bytes, of a word that is stemmed; longer strings are not words of a language.
const MAX_STEMMED: usize = 200;

/// The conversion of texts of one language to terms. Create it once for each language and use it for many texts.
pub struct Terms {
    /// In normal form.
    stop_words: HashSet<String, TextHasherBuilder>,
    stemmer: Option<Stemmer>,
    /// Whether an apostrophe ends a word (elision).
    elides: bool,
}

/// Reusable buffers of [`Terms::for_each`].
#[derive(Debug, Default)]
pub struct TermScratch {
    normal: String,
    word: String,
}

impl Terms {
    /// The conversion for a language: an ISO 639-1 code, or a code that begins with it, such as `de-AT`, in any
    /// case. `stop_words` removes the words of the stop list of the language, `stem` stems the others. If the
    /// language has no stop list, all words are kept; if it has no stemmer, words are not stemmed.
    pub fn new(language: &str, stop_words: bool, stem: bool) -> Self {
        let language = base_language(language);
        let mut terms = Self {
            stop_words: HashSet::default(),
            stemmer: algorithm(&language).filter(|_| stem).map(Stemmer::create),
            elides: matches!(language.as_str(), "ca" | "fr" | "it"),
        };
        if stop_words {
            let words = stop_words::lookup(&language).unwrap_or_default();
            terms.stop_words.extend(words.iter().map(|word| {
                let mut normal = String::new();
                normalize_into(word, &mut normal);
                normal
            }));
        }
        terms
    }

    /// Calls `f` with each term of `text`, in order of appearance and with repeats.
    ///
    /// The text is converted to its normal form (NFKC, lower case). Words are the UAX #29 words of the normal form
    /// that have a letter or a digit. A typographic apostrophe counts as an ASCII apostrophe; in Catalan, French
    /// and Italian an apostrophe ends a word. Stop words are removed before words are stemmed. Words of more than
    /// 200 bytes are not stemmed.
    ///
    /// ```
    /// use neardup_kernels::{TermScratch, Terms};
    ///
    /// let mut terms = Vec::new();
    /// let german = Terms::new("de", true, true);
    /// german.for_each("Die Überfälle auf die Züge", &mut TermScratch::default(), |term| {
    ///     terms.push(term.to_owned())
    /// });
    /// assert_eq!(terms, ["uberfall", "zug"]);
    /// ```
    pub fn for_each(&self, text: &str, scratch: &mut TermScratch, mut f: impl FnMut(&str)) {
        let TermScratch { normal, word } = scratch;
        normal.clear();
        normalize_into(text, normal);
        for_each_word(normal, |found| {
            let mut plain = found;
            if found.contains('\u{2019}') {
                word.clear();
                word.extend(
                    found
                        .chars()
                        .map(|c| if c == '\u{2019}' { '\'' } else { c }),
                );
                plain = word;
            }
            if self.elides {
                plain
                    .split('\'')
                    .filter(|part| !part.is_empty())
                    .for_each(|part| self.term(part, &mut f));
            } else {
                self.term(plain, &mut f);
            }
        });
    }

    /// Calls `f` with the term of a word, unless it is a stop word.
    fn term(&self, word: &str, f: &mut impl FnMut(&str)) {
        if self.stop_words.contains(word) {
            return;
        }
        match &self.stemmer {
            Some(stemmer) if word.len() <= MAX_STEMMED => {
                let stem = stemmer.stem(word);
                f(if stem.is_empty() { word } else { &stem });
            }
            _ => f(word),
        }
    }
}

/// The part of a language code before a hyphen or underscore, in lower case. Different codes of one language are
/// mapped to one code.
fn base_language(code: &str) -> String {
    let base = code.split(['-', '_']).next().unwrap_or_default();
    let base = base.to_ascii_lowercase();
    match base.as_str() {
        "nb" | "nn" => "no".to_owned(),
        "simple" => "en".to_owned(),
        _ => base,
    }
}

/// The stemmer of a language.
fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nl" => Algorithm::Dutch,
        "no" => Algorithm::Norwegian,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
