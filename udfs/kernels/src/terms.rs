//! Texts to terms: the words by which two texts are compared for what they are about.
//!
//! ```text
//! text ── normal form ──> UAX #29 words ── stop words ──> words that mean something ── stemmer ──> terms
//! ```
//!
//! Stemmers are those of the Snowball project (M. F. Porter: Snowball, a language for stemming
//! algorithms, 2001), stop words the lists of the NLTK, which began as those of Snowball: words of grammar,
//! and few others. Both are keyed by language.

use std::collections::HashSet;

use rust_stemmers::{Algorithm, Stemmer};
use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use crate::normalize::normalize_into;
use crate::words::for_each_word;

/// Longer words, in bytes, are no words of a language; they are not stemmed.
const LONGEST_STEMMED: usize = 200;

/// How the texts of one language become terms. Made once a language, used for many texts.
pub struct Terms {
    /// In normal form.
    stop_words: HashSet<String, Xxh3DefaultBuilder>,
    stemmer: Option<Stemmer>,
    /// What stands before an apostrophe is a word.
    elides: bool,
}

/// Buffers of [`Terms::for_each`], to be used again for the next text.
#[derive(Debug, Default)]
pub struct TermScratch {
    normal: String,
    word: String,
}

impl Terms {
    /// The terms of a language: an ISO 639-1 code, or one that begins with it, as `de-AT`, in any
    /// case. `stop_words` leaves the words of the language's stop list out, `stem` stems the others.
    /// A language without a stop list keeps all words, one without a stemmer keeps them as they are.
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
    /// Words are the UAX #29 words with a letter or a digit of the text in normal form: NFKC, in lower
    /// case. A typographic apostrophe counts as the plain one; in Catalan, French and Italian an
    /// apostrophe ends a word. Stop words are looked up before words are stemmed. Words of more than
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
            Some(stemmer) if word.len() <= LONGEST_STEMMED => {
                let stem = stemmer.stem(word);
                f(if stem.is_empty() { word } else { &stem });
            }
            _ => f(word),
        }
    }
}

/// The part of a language code before a hyphen or underscore, in lower case; one code for the codes
/// of one language.
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
