//! Classifies a pair of similar texts: the same statement, an edit of it, a contradiction, a filled-in pattern, or two
//! citations (Ayhan, Bradley, Weissman, section 6.1).
//!
//! ```text
//! text ── tokens: words with a kind ──┐
//!                                     ├─ align: equal tokens ── changes: facts that differ ── rules: the class
//! text ── tokens ─────────────────────┘
//! ```
//!
//! The rules depend on what differs between two aligned texts, not on a model: numbers, dates, units, names, words that
//! exclude each other, negation, and whether the subject is another one. `reader` reads the tokens of passages that both
//! texts have only once. `words` holds the lists of languages,
//! `citation` the shape of references, `boilerplate` the notices and bylines around a text. The labelled pairs in
//! `tests/pair_classes/` measure the rules.
//!
//! Numbers, units and names that are recognised by their capitals need no list. **To add a language**, add its lists to
//! `words`, and the first words of its bylines and notices to `boilerplate`.

mod align;
mod boilerplate;
mod changes;
mod citation;
mod reader;
mod rules;
mod tokens;
mod words;

use std::fmt;
use std::ops::Range;

pub use reader::PairReader;
use tokens::is_superscript;
use unicode_normalization::UnicodeNormalization;

/// The class of a pair of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairClass {
    /// The same text, apart from white space and compatibility forms of characters.
    Identical,
    /// The same statement, worded, spelled or punctuated differently, or with other boilerplate around it.
    CopyEdit,
    /// The same statement about the same topic, with a fact changed.
    FactualDrift,
    /// The same pattern with another topic or other facts filled in.
    Template,
    /// Citations.
    Reference,
    /// Similar texts to which no other class applies, such as rows of tables and messages with the same signature.
    Other,
    /// Texts that share little.
    NotSimilar,
}

impl PairClass {
    /// Every class.
    pub const ALL: [Self; 7] = [
        Self::Identical,
        Self::CopyEdit,
        Self::FactualDrift,
        Self::Template,
        Self::Reference,
        Self::Other,
        Self::NotSimilar,
    ];

    /// The name in SQL.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::CopyEdit => "copy_edit",
            Self::FactualDrift => "factual_drift",
            Self::Template => "template",
            Self::Reference => "reference",
            Self::Other => "other",
            Self::NotSimilar => "not_similar",
        }
    }
}

impl fmt::Display for PairClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What kind of fact differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// A number, in digits or as a word.
    Number,
    /// A year, a month or a day of the week.
    Date,
    /// The unit of a number.
    Unit,
    /// A proper name.
    Name,
    /// A word that excludes the other one, such as a direction.
    Word,
    /// One text negates what the other states.
    Negation,
}

impl ChangeKind {
    /// The name in SQL.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Date => "date",
            Self::Unit => "unit",
            Self::Name => "name",
            Self::Word => "word",
            Self::Negation => "negation",
        }
    }
}

/// A fact that differs: where it is in both texts, in bytes. One of the ranges is empty for a negation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind of fact it is.
    pub kind: ChangeKind,
    /// The value in the first text.
    pub a: Range<usize>,
    /// The value in the second text.
    pub b: Range<usize>,
}

/// The class of a pair, and the facts that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// The class.
    pub class: PairClass,
    /// The facts that differ, in the order of the first text, if the class is factual drift or template.
    pub changes: Vec<Change>,
}

/// Classifies pairs of texts of one language. Create it once and use it for many pairs.
#[derive(Debug, Clone, Copy)]
pub struct PairClassifier {
    words: &'static words::Words,
}

impl PairClassifier {
    /// For a language: an ISO 639-1 code, or a code that begins with it. A language without lists of its own has only
    /// the rules for numbers, units, names and citations.
    pub fn new(language: &str) -> Self {
        Self {
            words: words::of(language),
        }
    }

    /// The code of the language whose lists are used; `None` if the language has none.
    pub fn language(&self) -> Option<&'static str> {
        self.words.code
    }

    /// Classifies a pair. The class does not depend on the order of the texts.
    ///
    /// The time and the memory are linear in the length of the texts, except for passages without a unique token in
    /// common whose numbers of tokens have a product of at most 2¹⁸: these are aligned in quadratic time.
    ///
    /// ```
    /// use neardup_kernels::{PairClass, PairClassifier};
    ///
    /// let english = PairClassifier::new("en");
    /// let a = "Obama had an approval rating of 56% by the end of his term in 2012.";
    /// let b = "Obama had an approval rating of 46% by the end of his term in 2012.";
    /// let found = english.classify(a, b);
    /// assert_eq!(found.class, PairClass::FactualDrift);
    /// assert_eq!((&a[found.changes[0].a.clone()], &b[found.changes[0].b.clone()]), ("56", "46"));
    /// ```
    pub fn classify(&self, a: &str, b: &str) -> Classification {
        self.classify_next(a, b, &mut self.reader())
    }

    /// The reader of many pairs for [`Self::classify_next`].
    pub fn reader<'a>(&self) -> PairReader<'a> {
        PairReader::new(self.words)
    }

    /// Classifies one of many pairs, the same as [`Self::classify`]. It takes less time if texts have words in common, and
    /// pairs with the same first text follow each other. `reader` is from [`Self::reader`].
    pub fn classify_next<'a>(
        &self,
        a: &'a str,
        b: &'a str,
        reader: &mut PairReader<'a>,
    ) -> Classification {
        let is_same = a == b || same_characters(a, b);
        if is_same {
            return Classification {
                class: PairClass::Identical,
                changes: vec![],
            };
        }
        let (of_a, of_b) = reader.tokens_of_both(a, b);
        // The alignment depends on the order where several are equally good.
        if a <= b {
            return rules::classify(self.words, (a, of_a), (b, of_b), &mut reader.counts);
        }
        let mut found = rules::classify(self.words, (b, of_b), (a, of_a), &mut reader.counts);
        for change in &mut found.changes {
            std::mem::swap(&mut change.a, &mut change.b);
        }
        found.changes.sort_by_key(|change| change.a.start);
        found
    }
}

/// Whether two texts are equal apart from white space and compatibility forms of characters.
fn same_characters(a: &str, b: &str) -> bool {
    // Words before a blank that both texts have at the same place are equal.
    let common = reader::common_prefix(a.as_bytes(), b.as_bytes());
    let blank = a.as_bytes()[..common]
        .iter()
        .rposition(|&byte| byte == b' ');
    let (a, b) = (&a[blank.unwrap_or(0)..], &b[blank.unwrap_or(0)..]);
    if a.is_ascii() && b.is_ascii() {
        return a.split_whitespace().eq(b.split_whitespace());
    }
    let characters = |text| {
        let text: &str = text;
        text.split_whitespace()
            .flat_map(|word| word.nfkc().chain([' ']))
    };
    // The compatibility form of an exponent is a digit.
    let exponents = |text| {
        let text: &str = text;
        text.chars().filter(|&character| is_superscript(character))
    };
    characters(a).eq(characters(b)) && exponents(a).eq(exponents(b))
}

#[cfg(test)]
mod tests;
