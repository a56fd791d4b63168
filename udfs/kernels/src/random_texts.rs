//! Seeded texts for property tests: prose of a small vocabulary, and strings of characters that
//! are special cases of word boundaries, case and normalisation.

use crate::split_mix::SplitMix64;

/// Characters with properties that affect word boundaries, case or normalisation, and ordinary ones.
const SPECIAL: &[char] = &[
    'a',
    'b',
    'Z',
    '0',
    '7',
    ' ',
    ' ',
    ' ',
    '_',
    '.',
    ',',
    ':',
    ';',
    '\'',
    '-',
    '"',
    '\n',
    '\t',
    '\r',
    '\u{a0}',
    '\u{85}',
    '\u{ad}',
    '\u{2003}',
    '\u{2028}',
    '\u{3000}',
    '\u{1680}',
    '\u{200b}',
    '\u{200d}',
    '\u{feff}',
    '\u{300}',
    '\u{308}',
    '\u{338}',
    '\u{345}',
    '\u{5d0}',
    '\u{5f4}',
    '\u{93f}',
    '\u{915}',
    '\u{94d}',
    '\u{e01}',
    '\u{e33}',
    'é',
    'ß',
    'ẞ',
    'İ',
    'ı',
    'Σ',
    'ς',
    'σ',
    'Ω',
    '\u{2126}',
    'ﬁ',
    'Å',
    '\u{1f88}',
    '\u{3d2}',
    '\u{1e9b}',
    '\u{323}',
    'か',
    '\u{3099}',
    '\u{309b}',
    'カ',
    'ｶ',
    'ﾞ',
    '漢',
    '字',
    '한',
    '\u{1100}',
    '\u{1161}',
    '\u{11a8}',
    '１',
    '²',
    '½',
    '…',
    '—',
    '\u{a8}',
    '😀',
    '🏽',
    '🇩',
    '🇪',
    '☕',
    '\u{fe0f}',
    'Ａ',
    '\u{1d5d4}',
    '\u{1d6ba}',
    '\u{13a0}',
    'Ǆ',
    'ŉ',
    '\u{fdfa}',
    '\u{132}',
];

const WORDS: &[&str] = &[
    "the",
    "river",
    "flows",
    "through",
    "northern",
    "valley",
    "towns",
    "1987",
    "3.5",
    "Müller",
    "naïve",
    "election",
    "of",
    "and",
    "was",
    "société",
    "Москва",
    "город",
    "in",
    "bridge",
    "built",
    "population",
    "don't",
    "U.S.",
    "kilomètres",
    "Straße",
    "ancient",
    "a",
    "by",
    "railway",
];

/// A seeded source of texts.
pub(crate) struct RandomTexts(SplitMix64);

impl RandomTexts {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    /// Up to `max` characters, any of which may be a special case.
    pub(crate) fn special_characters(&mut self, max: usize) -> String {
        let length = self.below(max + 1);
        (0..length)
            .map(|_| SPECIAL[self.below(SPECIAL.len())])
            .collect()
    }

    /// Up to `max` characters of a small alphabet, so that matches are frequent.
    pub(crate) fn few_letters(&mut self, max: usize, alphabet: &[char]) -> String {
        let length = self.below(max + 1);
        (0..length)
            .map(|_| alphabet[self.below(alphabet.len())])
            .collect()
    }

    /// A text in which `edits` characters are replaced, removed or inserted.
    pub(crate) fn edited(&mut self, text: &str, edits: usize, alphabet: &[char]) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..edits {
            let at = self.below(characters.len() + 1);
            let other = alphabet[self.below(alphabet.len())];
            match self.below(3) {
                0 if at < characters.len() => characters[at] = other,
                1 if at < characters.len() => drop(characters.remove(at)),
                _ => characters.insert(at, other),
            }
        }
        characters.into_iter().collect()
    }

    /// At least `length` bytes of words of a small vocabulary, with repeats.
    pub(crate) fn prose(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            if !text.is_empty() {
                text.push_str(if self.below(9) == 0 { ", " } else { " " });
            }
            text.push_str(WORDS[self.below(WORDS.len())]);
        }
        text
    }

    /// A sorted set of up to `max` numbers below `bound`.
    pub(crate) fn set(&mut self, max: usize, bound: u64) -> Vec<u64> {
        let length = self.below(max + 1);
        let mut set: Vec<u64> = (0..length).map(|_| self.0.below(bound)).collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Any number.
    pub(crate) fn number(&mut self) -> u64 {
        self.0.next()
    }
}
