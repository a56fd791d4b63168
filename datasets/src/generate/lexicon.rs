//! The vocabulary: word classes whose members are drawn with skewed frequencies.
//!
//! Every corpus has the same vocabulary, whatever its seed. A class starts with its list of
//! frequent words and continues with invented ones; the weight of the word of rank r is
//! 1 / (r + 2.7) (Zipf's law with Mandelbrot's shift), rounded to a table of 2^14 cells from which
//! a word is drawn with one look-up.

use super::random::SplitMix64;
use super::words::{
    ADJECTIVE_PREFIXES, ADJECTIVES, ADVERBS, CODAS, NOUNS, ONSETS, PLACE_ENDINGS, VERB_PREFIXES,
    VERBS, VOWELS,
};

/// Cells of a class; a word has at least one.
const CELLS: usize = 1 << 14;
/// The seed of the invented words.
const VOCABULARY: u64 = 0x6E65_6172_6475_7001;

/// Words of one class.
#[derive(Debug, Clone)]
pub(super) struct Class {
    text: String,
    /// Start and end of each word.
    spans: Vec<(u32, u32)>,
    /// The spans again, each as often as its word is to be drawn.
    cells: Vec<(u32, u32)>,
}

impl Class {
    /// A class of the words of `frequent` and of `invented` further ones.
    fn new(frequent: &str, invented: usize, mut invent: impl FnMut(&mut String)) -> Self {
        let mut class = Self {
            text: String::new(),
            spans: Vec::new(),
            cells: Vec::new(),
        };
        for word in frequent.split_whitespace() {
            class.push(|text| text.push_str(word));
        }
        for _ in 0..invented {
            class.push(&mut invent);
        }
        let ranks = cells(class.spans.len()).into_iter();
        class.cells = ranks.map(|rank| class.spans[usize::from(rank)]).collect();
        class
    }

    fn push(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.text.len() as u32;
        write(&mut self.text);
        self.spans.push((start, self.text.len() as u32));
    }

    /// Draws a word, frequent ones more often.
    #[inline]
    pub(super) fn draw(&self, random: &mut SplitMix64) -> &str {
        let cell = (random.next() >> 50) as usize;
        let (start, end) = self.cells[cell];
        &self.text[start as usize..end as usize]
    }
}

/// For each cell, the rank of its word: cells are divided by weight, at least one for each word.
fn cells(words: usize) -> Vec<u16> {
    debug_assert!(words > 0 && words <= CELLS);
    let weight = |rank: usize| 1.0 / (rank as f64 + 2.7);
    let total: f64 = (0..words).map(weight).sum();
    let spare = (CELLS - words) as f64;
    let mut cells = Vec::with_capacity(CELLS);
    let mut sum = 0.0;
    for rank in 0..words {
        sum += weight(rank);
        let end = rank + 1 + (spare * sum / total) as usize;
        cells.resize(end.clamp(cells.len() + 1, CELLS), rank as u16);
    }
    cells.resize(CELLS, 0);
    cells
}

/// All classes.
#[derive(Debug, Clone)]
pub(super) struct Lexicon {
    pub(super) nouns: Class,
    pub(super) adjectives: Class,
    pub(super) verbs: Class,
    pub(super) adverbs: Class,
    pub(super) given_names: Class,
    pub(super) surnames: Class,
    pub(super) places: Class,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        let random = |class| SplitMix64::of(VOCABULARY, class, 0);
        let (mut nouns, mut adjectives, mut verbs) = (random(1), random(2), random(3));
        let (mut given, mut surnames, mut places) = (random(4), random(5), random(6));
        let list = |words: &'static str| words.split_whitespace().collect::<Vec<_>>();
        let (all_nouns, all_adjectives, all_verbs) = (list(NOUNS), list(ADJECTIVES), list(VERBS));
        let short: Vec<&str> = all_nouns
            .iter()
            .copied()
            .filter(|noun| noun.len() < 6)
            .collect();
        Self {
            nouns: Class::new(NOUNS, 3_000, |text| {
                compound(text, &mut nouns, &short, &all_nouns);
            }),
            adjectives: Class::new(ADJECTIVES, 500, |text| {
                compound(text, &mut adjectives, &ADJECTIVE_PREFIXES, &all_adjectives);
            }),
            verbs: Class::new(VERBS, 500, |text| {
                compound(text, &mut verbs, &VERB_PREFIXES, &all_verbs);
            }),
            adverbs: Class::new(ADVERBS, 0, |_| {}),
            given_names: Class::new("", 3_000, |text| {
                name(text, &mut given, &["", "a", "o", "in"])
            }),
            surnames: Class::new("", 6_000, |text| {
                name(text, &mut surnames, &["", "son", "er", "ez", "ic", "man"]);
            }),
            places: Class::new("", 6_000, |text| name(text, &mut places, &PLACE_ENDINGS)),
        }
    }
}

/// An invented common word: two pieces.
fn compound(text: &mut String, random: &mut SplitMix64, first: &[&str], second: &[&str]) {
    text.push_str(first[random.below(first.len())]);
    text.push_str(second[random.below(second.len())]);
}

/// An invented name: a capital letter, one or two syllables and an ending.
fn name(text: &mut String, random: &mut SplitMix64, endings: &[&str]) {
    let start = text.len();
    for _ in 0..1 + random.below(2) {
        text.push_str(ONSETS[random.below(ONSETS.len())]);
        text.push_str(VOWELS[random.below(VOWELS.len())]);
    }
    text.push_str(CODAS[random.below(CODAS.len())]);
    text.push_str(endings[random.below(endings.len())]);
    // The first letter is an onset, hence ASCII.
    text[start..=start].make_ascii_uppercase();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_cell_has_a_word_and_every_word_a_cell() {
        for words in [1, 30, 500, 6_000, CELLS] {
            let cells = cells(words);
            assert_eq!(cells.len(), CELLS);
            let distinct: std::collections::BTreeSet<u16> = cells.iter().copied().collect();
            assert_eq!(distinct.len(), words);
        }
    }

    #[test]
    fn frequencies_are_skewed() {
        let lexicon = Lexicon::new();
        let mut random = SplitMix64::new(1);
        let mut counts = BTreeMap::<&str, usize>::new();
        for _ in 0..100_000 {
            *counts.entry(lexicon.nouns.draw(&mut random)).or_default() += 1;
        }
        assert!(counts["year"] > 2_000, "{}", counts["year"]);
        let rare = counts.values().filter(|&&count| count < 20).count();
        assert!(
            rare * 2 > counts.len(),
            "{rare} of {} are rare",
            counts.len()
        );
    }

    #[test]
    fn words_are_words() {
        let lexicon = Lexicon::new();
        for class in [
            &lexicon.nouns,
            &lexicon.adjectives,
            &lexicon.verbs,
            &lexicon.adverbs,
        ] {
            for &(start, end) in &class.spans {
                let word = &class.text[start as usize..end as usize];
                assert!(word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()));
            }
        }
        for class in [&lexicon.given_names, &lexicon.surnames, &lexicon.places] {
            for &(start, end) in &class.spans {
                let word = &class.text[start as usize..end as usize];
                assert!(word.starts_with(|c: char| c.is_ascii_uppercase()));
                assert!(word.chars().skip(1).all(char::is_lowercase));
            }
        }
    }
}
