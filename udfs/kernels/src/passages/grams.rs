//! Grams of n words, by which the passages that occur several times in a collection are found.
//!
//! ```text
//! text ── words without those that are cut ──┬── keys of n words ────────────────────────────────> grams
//!                                            └── hashes of k words ── winnowing ──> anchors ──────┘
//! ```
//!
//! Each gram of n words has an anchor: the hash of k of its words that winnowing selects ([`Winnower`]). Equal grams
//! have the same anchor at the same position in them. So a gram whose anchor occurs once in a collection occurs there
//! once, and the grams that may occur several times are found by counting the anchors, of which there are few: the
//! share 2 / (n − k + 2) of the words.
//!
//! The key of a gram consists of two polynomials of the XXH3-128 hashes of its words (Karp, Rabin, "Efficient
//! randomized pattern-matching algorithms", 1987), modulo the prime 2^61 − 1.

use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{passage_window, run_hashes_into};
use crate::normalize::normalize_into;
use crate::winnow::Winnower;
use crate::words::for_each_word;

/// Which passages are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GramSpec {
    /// The number of words of a gram.
    pub words: usize,
    /// Whether words are compared in their normal form.
    pub normalize: bool,
}

/// After this many keys, the grams of the next anchor are apart from those before, even if it has the same hash, as in a
/// text that repeats one word.
const MAX_KEYS: usize = 256;

/// Consecutive grams of a text that have the same anchor. The words of a gram follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchorGrams<'a> {
    /// The hash of the anchor.
    pub anchor: u64,
    /// The number of the first word of the first gram, among those that are not cut.
    pub at: usize,
    /// What equal grams have in common, for each of the grams.
    pub keys: &'a [[u8; 16]],
}

/// The position of a run of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordRun {
    /// Its words, among all of the text.
    pub words: Range<usize>,
    /// Its characters.
    pub chars: Range<usize>,
}

/// The words of a text, its grams and their anchors. It keeps its buffers from text to text.
#[derive(Debug, Default)]
pub struct Grams {
    normal: String,
    /// The hashes of the words that are not cut.
    hashes: Vec<u128>,
    /// The same in 64 bits.
    short_hashes: Vec<u64>,
    /// The numbers of these words among all of the text.
    places: Vec<usize>,
    /// The hashes of runs of words, of which some are anchors.
    runs: Vec<u64>,
    /// The position of the anchor of each gram, among `runs`.
    anchors: Vec<usize>,
    winnower: Winnower,
    /// The keys of the grams of an anchor.
    keys: Vec<[u8; 16]>,
}

impl Grams {
    /// Reads the words of a text without those of the ranges `cut`, which may overlap and be in any order.
    pub fn read(&mut self, text: &str, cut: &[Range<usize>], spec: GramSpec) {
        self.hashes.clear();
        self.places.clear();
        let mut is_left = left(cut);
        let mut number = 0;
        for_each_word(text, |word| {
            if is_left(number) {
                let hash = match spec.normalize {
                    true => {
                        self.normal.clear();
                        normalize_into(word, &mut self.normal);
                        xxh3_128(self.normal.as_bytes())
                    }
                    false => xxh3_128(word.as_bytes()),
                };
                self.hashes.push(hash);
                self.places.push(number);
            }
            number += 1;
        });
        self.runs.clear();
        self.anchors.clear();
        let length = spec.words.max(1);
        if self.hashes.len() < length {
            return;
        }
        let (hashed, window) = passage_window(length);
        self.short_hashes.clear();
        let short = self.hashes.iter().map(|&hash| hash as u64);
        self.short_hashes.extend(short);
        run_hashes_into(&self.short_hashes, hashed, &mut self.runs);
        self.winnower
            .for_each_window(&self.runs, window, |at| self.anchors.push(at));
    }

    /// Appends the anchors that are counted: each occurrence of an anchor once. With `changed`, these are the anchors of
    /// grams that hold a word of these ranges, or between two of whose words one stood that is cut, each twice. The ranges
    /// are numbers among all words of the text; they may overlap and be in any order.
    pub fn anchors_into(&self, changed: Option<&[Range<usize>]>, out: &mut Vec<u64>) {
        let Some(window) = self.window() else {
            return;
        };
        let times = if changed.is_some() { 2 } else { 1 };
        let changed = changed.map(apart);
        // The first range that does not end before the gram.
        let mut next = 0;
        let mut before = None;
        for (at, &anchor) in self.anchors.iter().enumerate() {
            let is_counted = changed.as_ref().is_none_or(|changed| {
                let (first, last) = (self.places[at], self.places[at + window - 1]);
                while changed.get(next).is_some_and(|range| range.end <= first) {
                    next += 1;
                }
                changed.get(next).is_some_and(|range| range.start <= last)
            });
            if before != Some(anchor) && is_counted {
                out.extend(std::iter::repeat_n(self.runs[anchor], times));
                before = Some(anchor);
            }
        }
    }

    /// Calls `f` with consecutive grams of one anchor, at most about [`MAX_KEYS`] at a time, in order: those whose anchor
    /// `is_shared` accepts and whose key `is_repeated` accepts.
    pub fn for_each_anchor(
        &mut self,
        is_shared: impl Fn(u64) -> bool,
        is_repeated: impl Fn(&[u8; 16]) -> bool,
        mut f: impl FnMut(AnchorGrams<'_>),
    ) {
        let Some(window) = self.window() else {
            return;
        };
        let mut end = |keys: &mut Vec<[u8; 16]>, anchor, at| {
            if !keys.is_empty() {
                f(AnchorGrams { anchor, at, keys });
                keys.clear();
            }
        };
        self.keys.clear();
        let (mut first, mut second) = (
            Rolling::new(BASES[0], window),
            Rolling::new(BASES[1], window),
        );
        // The place of the last anchor, its hash, and whether it is shared.
        let (mut anchor, mut hash, mut is_accepted) = (usize::MAX, 0, false);
        // The first gram of the keys that were found.
        let mut start = 0;
        for (number, &word) in self.hashes.iter().enumerate() {
            let left = number.checked_sub(window).map(|left| self.hashes[left]);
            let keys = [
                first.push(word as u64, left.map(|left| left as u64)),
                second.push((word >> 64) as u64, left.map(|left| (left >> 64) as u64)),
            ];
            let Some(at) = (number + 1).checked_sub(window) else {
                continue;
            };
            if anchor != self.anchors[at] {
                anchor = self.anchors[at];
                let next = self.runs[anchor];
                if next != hash || self.keys.len() >= MAX_KEYS {
                    end(&mut self.keys, hash, start);
                }
                hash = next;
                is_accepted = is_shared(hash);
            }
            if !is_accepted {
                continue;
            }
            let mut key = [0; 16];
            key[..8].copy_from_slice(&keys[0].to_be_bytes());
            key[8..].copy_from_slice(&keys[1].to_be_bytes());
            if !is_repeated(&key) {
                end(&mut self.keys, hash, start);
                continue;
            }
            if self.keys.is_empty() {
                start = at;
            }
            self.keys.push(key);
        }
        end(&mut self.keys, hash, start);
    }

    /// The number of words of a gram; `None` if the text has none.
    fn window(&self) -> Option<usize> {
        (!self.anchors.is_empty()).then(|| self.hashes.len() + 1 - self.anchors.len())
    }
}

/// Where some runs of the words that are not cut are in a text. Ranges beyond its last word end there.
pub fn word_runs(text: &str, runs: &[Range<usize>], cut: &[Range<usize>]) -> Vec<WordRun> {
    let mut places: Vec<(usize, Range<usize>)> = Vec::new();
    let mut is_left = left(cut);
    let (mut number, mut byte, mut chars) = (0, 0, 0);
    for_each_word(text, |word| {
        let start_byte = word.as_ptr() as usize - text.as_ptr() as usize;
        let start = chars + text[byte..start_byte].chars().count();
        chars = start + word.chars().count();
        byte = start_byte + word.len();
        if is_left(number) {
            places.push((number, start..chars));
        }
        number += 1;
    });
    let place = |run: &Range<usize>| {
        let words = &places[run.start.min(places.len())..run.end.min(places.len())];
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => WordRun {
                words: first.0..last.0 + 1,
                chars: first.1.start..last.1.end,
            },
            _ => WordRun {
                words: number..number,
                chars: chars..chars,
            },
        }
    };
    runs.iter()
        .map(|run| place(&(run.start..run.end.max(run.start))))
        .collect()
}

/// Of each of some spans the parts of at least `min_length` numbers that none of the spans `cut` touches. These may overlap
/// and be in any order.
pub fn uncut_parts(
    spans: &[Range<usize>],
    cut: &[Range<usize>],
    min_length: usize,
) -> Vec<Vec<Range<usize>>> {
    let apart = apart(cut);
    let parts_of = |span: &Range<usize>| {
        let mut parts = Vec::new();
        let mut start = span.start;
        let from = apart.partition_point(|cut| cut.end <= span.start);
        for cut in &apart[from..] {
            if cut.start >= span.end {
                break;
            }
            parts.push(start..cut.start.max(start));
            start = cut.end;
        }
        parts.push(start..span.end.max(start));
        parts.retain(|part| part.len() >= min_length.max(1));
        parts
    };
    spans.iter().map(parts_of).collect()
}

/// The numbers of some ranges as ranges that are sorted and do not touch.
fn apart(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let filled = ranges.iter().filter(|range| !range.is_empty());
    let mut sorted: Vec<Range<usize>> = filled.cloned().collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in sorted {
        match apart.last_mut() {
            Some(before) if range.start <= before.end => before.end = before.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// Whether each of the numbers 0, 1, … is in none of some ranges.
pub(super) fn left(ranges: &[Range<usize>]) -> impl FnMut(usize) -> bool {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut next = 0;
    let mut end = 0;
    move |number| {
        while let Some(range) = sorted.get(next)
            && range.start <= number
        {
            end = end.max(range.end);
            next += 1;
        }
        number >= end
    }
}

/// A hash of the key of a gram, for a filter of keys.
pub fn key_hash(key: &[u8; 16]) -> u64 {
    xxh3_64(key)
}

/// A prime.
const PRIME: u64 = (1 << 61) - 1;
/// Numbers below it, without a meaning.
const BASES: [u64; 2] = [0x0f3a_91c7_5b2e_d64d, 0x1ac5_e803_7f19_4b27];

/// A polynomial of the last words, modulo [`PRIME`].
struct Rolling {
    base: u64,
    /// The base to the power of the number of words.
    power: u64,
    value: u64,
}

impl Rolling {
    fn new(base: u64, words: usize) -> Self {
        Self {
            base,
            power: (0..words).fold(1, |power, _| times(power, base)),
            value: 0,
        }
    }

    /// Adds the hash of a word, and removes that of the word before the last words.
    fn push(&mut self, hash: u64, left: Option<u64>) -> u64 {
        let left = left.map_or(0, |left| times(self.power, left % PRIME));
        let value = times(self.value, self.base) + hash % PRIME + (PRIME - left);
        self.value = value % PRIME;
        self.value
    }
}

/// The product of two numbers below [`PRIME`], modulo it.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;
    use std::collections::BTreeMap;

    const SPEC: GramSpec = GramSpec {
        words: 3,
        normalize: true,
    };

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word));
        words
    }

    /// The grams with the anchors that `is_shared` accepts: the position, the key and the anchor of each.
    fn grams_of(grams: &mut Grams, is_shared: impl Fn(u64) -> bool) -> Vec<(usize, [u8; 16], u64)> {
        grams_with(grams, is_shared, |_| true)
    }

    /// Of these the ones whose keys `is_repeated` accepts.
    fn grams_with(
        grams: &mut Grams,
        is_shared: impl Fn(u64) -> bool,
        is_repeated: impl Fn(&[u8; 16]) -> bool,
    ) -> Vec<(usize, [u8; 16], u64)> {
        let mut all = Vec::new();
        grams.for_each_anchor(is_shared, is_repeated, |grams| {
            assert!(!grams.keys.is_empty());
            let keys = grams.keys.iter().zip(grams.at..);
            all.extend(keys.map(|(&key, at)| (at, key, grams.anchor)));
        });
        all
    }

    fn random_text(random: &mut RandomTexts) -> String {
        let words = ["a", "A", "b", "ﬁ", "fi", "漢", "ü"];
        let marks = [" ", ", ", "\n"];
        (0..random.below(30))
            .map(|_| words[random.below(words.len())].to_owned() + marks[random.below(3)])
            .collect()
    }

    fn random_ranges(random: &mut RandomTexts) -> Vec<Range<usize>> {
        (0..random.below(4))
            .map(|_| {
                let start = random.below(30);
                start..start + random.below(8)
            })
            .collect()
    }

    /// The words of a text that are not cut, with their numbers.
    fn oracle<'a>(text: &'a str, cut: &[Range<usize>]) -> Vec<(usize, &'a str)> {
        let all = words(text).into_iter().enumerate();
        all.filter(|(number, _)| !cut.iter().any(|range| range.contains(number)))
            .collect()
    }

    /// Two grams have the same key if and only if they have the same words, and then the same anchor.
    #[test]
    fn keys_are_equal_where_the_words_are() {
        let mut random = RandomTexts::new(61);
        let mut grams = Grams::default();
        for normalize in [true, false] {
            for words in 1..=9 {
                let spec = GramSpec { words, normalize };
                let mut key_of = BTreeMap::new();
                let mut text_of = BTreeMap::new();
                for _ in 0..300 {
                    let (text, cut) = (random_text(&mut random), random_ranges(&mut random));
                    grams.read(&text, &cut, spec);
                    let left: Vec<String> = oracle(&text, &cut)
                        .into_iter()
                        .map(|(_, word)| match normalize {
                            true => {
                                let mut normal = String::new();
                                normalize_into(word, &mut normal);
                                normal
                            }
                            false => word.to_owned(),
                        })
                        .collect();
                    let found = grams_of(&mut grams, |_| true);
                    assert_eq!(found.len(), (left.len() + 1).saturating_sub(words));
                    for (at, gram) in found.into_iter().enumerate() {
                        assert_eq!(gram.0, at);
                        let here = left[at..at + words].join(" ");
                        assert_eq!(gram.2, grams.runs[grams.anchors[at]]);
                        let known = key_of.entry(here.clone()).or_insert((gram.1, gram.2));
                        assert_eq!(*known, (gram.1, gram.2), "{here}");
                        assert_eq!(text_of.entry(gram.1).or_insert(here.clone()), &here);
                    }
                }
            }
        }
    }

    #[test]
    fn parts_that_no_cut_touches() {
        let mut random = RandomTexts::new(64);
        for _ in 0..4_000 {
            let (spans, cut) = (random_ranges(&mut random), random_ranges(&mut random));
            let min_length = 1 + random.below(4);
            let found = uncut_parts(&spans, &cut, min_length);
            assert_eq!(found.len(), spans.len());
            for (span, parts) in spans.iter().zip(found) {
                let mut expected: Vec<Range<usize>> = Vec::new();
                for at in span
                    .clone()
                    .filter(|at| !cut.iter().any(|cut| cut.contains(at)))
                {
                    match expected.last_mut() {
                        Some(part) if part.end == at => part.end += 1,
                        _ => expected.push(at..at + 1),
                    }
                }
                expected.retain(|part| part.len() >= min_length);
                assert_eq!(parts, expected, "{span:?} {cut:?}");
            }
        }
    }

    /// A gram that occurs several times has an anchor that is counted several times.
    #[test]
    fn anchors_find_what_stands_several_times() {
        let mut random = RandomTexts::new(62);
        let mut grams = Grams::default();
        for round in 0..4_000 {
            let spec = GramSpec {
                words: 1 + round % 7,
                ..SPEC
            };
            let text = random_text(&mut random);
            grams.read(&text, &[], spec);
            let mut anchors = Vec::new();
            grams.anchors_into(None, &mut anchors);
            let mut keys: BTreeMap<[u8; 16], usize> = BTreeMap::new();
            for (_, key, _) in grams_of(&mut grams, |_| true) {
                *keys.entry(key).or_default() += 1;
            }
            let is_shared =
                |anchor: u64| anchors.iter().filter(|&&other| other == anchor).count() > 1;
            let found = grams_of(&mut grams, is_shared);
            for (key, places) in keys {
                let passed = found.iter().filter(|found| found.1 == key).count();
                assert!(places == 1 || passed == places, "{text:?}");
            }
        }
    }

    /// Grams whose keys are left out end what is consecutive.
    #[test]
    fn keys_are_left_out() {
        let mut random = RandomTexts::new(66);
        let mut grams = Grams::default();
        let mut total = 0;
        for _ in 0..2_000 {
            let (text, cut) = (random_text(&mut random), random_ranges(&mut random));
            grams.read(&text, &cut, SPEC);
            let modulus = 2 + random.below(3) as u64;
            let is_repeated = |key: &[u8; 16]| !key_hash(key).is_multiple_of(modulus);
            let found = grams_with(&mut grams, |anchor| anchor % 5 != 0, is_repeated);
            let mut expected = grams_of(&mut grams, |_| true);
            expected.retain(|(_, key, anchor)| anchor % 5 != 0 && is_repeated(key));
            assert_eq!(found, expected, "{text:?}");
            total += found.len();
        }
        assert!(total > 2_000, "{total}");
    }

    #[test]
    fn of_changed_words_the_anchors_of_the_grams_around_them() {
        let mut random = RandomTexts::new(63);
        let mut grams = Grams::default();
        let mut total = 0;
        for round in 0..4_000 {
            let spec = GramSpec {
                words: 1 + round % 5,
                ..SPEC
            };
            let (text, cut) = (random_text(&mut random), random_ranges(&mut random));
            let changed = random_ranges(&mut random);
            let left = oracle(&text, &cut);
            grams.read(&text, &cut, spec);
            let mut anchors = Vec::new();
            grams.anchors_into(Some(&changed), &mut anchors);
            let is_around = |at: usize| {
                let mut words = left[at].0..=left[at + spec.words - 1].0;
                words.any(|word| changed.iter().any(|range| range.contains(&word)))
            };
            let wanted =
                (0..(left.len() + 1).saturating_sub(spec.words)).filter(|&at| is_around(at));
            let mut wanted: Vec<u64> = wanted.map(|at| grams.runs[grams.anchors[at]]).collect();
            anchors.sort_unstable();
            wanted.sort_unstable();
            wanted.dedup();
            let mut distinct = anchors.clone();
            distinct.dedup();
            assert_eq!(distinct, wanted, "{text:?} {cut:?} {changed:?}");
            assert!(wanted.iter().all(|anchor| {
                anchors.iter().filter(|&other| other == anchor).count() % 2 == 0
            }));
            total += wanted.len();
        }
        assert!(total > 2_000, "{total}");
    }

    #[test]
    fn runs_stand_where_their_words_stand() {
        let mut random = RandomTexts::new(64);
        for _ in 0..4_000 {
            let (text, cut) = (random_text(&mut random), random_ranges(&mut random));
            let runs = random_ranges(&mut random);
            let left = oracle(&text, &cut);
            let characters: Vec<char> = text.chars().collect();
            for (run, found) in runs.iter().zip(word_runs(&text, &runs, &cut)) {
                let in_text: Vec<_> = left.iter().skip(run.start).take(run.len()).collect();
                let (Some(first), Some(last)) = (in_text.first(), in_text.last()) else {
                    assert!(found.chars.is_empty() && found.words.is_empty());
                    continue;
                };
                assert_eq!(found.words, first.0..last.0 + 1, "{text:?} {cut:?} {run:?}");
                let piece: String = characters[found.chars.clone()].iter().collect();
                assert_eq!(words(&piece), words(&text)[found.words.clone()], "{text:?}");
                assert_eq!(piece.trim(), piece);
            }
        }
    }

    #[test]
    fn products_modulo_the_prime() {
        let mut random = RandomTexts::new(65);
        for _ in 0..10_000 {
            let (a, b) = (random.number() % PRIME, random.number() % PRIME);
            let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
            assert_eq!(u128::from(times(a, b)), product);
        }
        assert_eq!(times(PRIME - 1, PRIME - 1), 1);
    }
}
