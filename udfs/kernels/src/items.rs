//! Finds the items of a benchmark set in a text: word for word, with some words changed, or inside a longer text.
//!
//! ```text
//! items ── words ── runs of k words ──> index ─┐
//! text ─── words ── runs of k words ───────────┴─> equal hashes ── extended by words ──> runs ── coverage ──> found
//! ```
//!
//! The n-grams of the items are indexed, with n = k, the minimum length of a run; items of fewer words are one
//! n-gram as a whole, and items of one and a half to three n-grams are indexed by shorter n-grams, too. A text is read
//! once: each n-gram of it is looked up, and what is found is extended by comparing the hashes of words, so that a
//! collision of n-grams is no run. Shorter runs beside a run are in its group (`groups.rs`). An item is found if the
//! runs of the groups that count cover enough of its words.
//!
//! An n-gram that occurs in many items, such as the instructions that all questions of a set begin with, does not
//! identify an item. Such n-grams are not looked up, and words that only they hold do not count. (Brown et al.,
//! "Language models are few-shot learners", 2020, appendix C, compare n-grams of 13 words and leave out frequent
//! ones.)

use std::ops::Range;

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::normalize::normalize_into;
use crate::split_mix::SplitMix64;
use crate::words::for_each_word;

mod groups;
mod layout;

use groups::{Groups, min_evidence, shorter_gram};
pub use layout::IndexError;
use layout::{Item, Layout};

/// The largest number of words of an n-gram.
pub const MAX_ITEM_GRAM: usize = 64;
/// The maximum number of seeds that are held at a time, unless one item has more.
const MAX_SEEDS: usize = 1 << 20;
/// The maximum number of runs of an item in a text that are listed.
pub(crate) const MAX_RUNS: usize = 100;

/// A word: the hash of its normal form, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    hash: u64,
    /// Number of characters before it.
    start: u32,
    /// Number of characters before its end.
    end: u32,
}

/// How items are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemSpec {
    /// The minimum number of words of a run, in 1..=[`MAX_ITEM_GRAM`].
    pub min_run: usize,
    /// An n-gram of more items than this is ignored; items of the same words count as one.
    pub max_items: usize,
    /// Items of fewer words are not looked for.
    pub min_words: usize,
}

/// What an index leaves out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ItemsLeftOut {
    /// Items of fewer words than the minimum.
    pub short: usize,
    /// Items all of whose n-grams occur in too many items.
    pub frequent: usize,
    /// Distinct n-grams that occur in too many items.
    pub grams: usize,
}

/// A run of equal words of a text and of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemRun {
    /// Offset of its first character in the text, and after its last one.
    pub in_text: (u32, u32),
    /// The same in the item.
    pub in_item: (u32, u32),
    /// The number of its words.
    pub words: u32,
}

/// How an item occurs in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemMatch {
    /// One run holds all of its words.
    Verbatim,
    /// Runs hold some of its words.
    Near,
    /// All of its words, which are fewer than those of a run.
    Short,
}

impl ItemMatch {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Near => "near",
            Self::Short => "short",
        }
    }
}

/// An item that occurs in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundItem {
    /// The number of the item.
    pub number: i64,
    /// How it occurs there.
    pub kind: ItemMatch,
    /// N-grams of the item in the runs that are not ignored; a run of fewer words has none.
    pub hits: u32,
    /// N-grams of the item in the runs that occur in too many items.
    pub ignored_hits: u32,
    /// The share of the item's words that the runs hold, of those that count.
    pub coverage: f64,
    /// Words of the longest run.
    pub longest: u32,
    /// Offset of the first character of the first run in the text, and the largest one after the last character of a run.
    pub span: (u32, u32),
    /// The runs in the order of the text, the first 100 of them.
    pub runs: Vec<ItemRun>,
}

/// Reusable memory.
#[derive(Debug, Default)]
pub struct ItemScratch {
    words: Vec<Word>,
    normal: String,
    seeds: Vec<Seed>,
    /// The runs of an item that hold a seed.
    evidence: Vec<Run>,
    groups: Groups,
    runs: Vec<Run>,
    marks: Vec<bool>,
}

/// An n-gram that a text and an item share: seeds with one difference of positions are on one diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seed {
    item: u32,
    diagonal: i64,
    at: u32,
}

/// A run in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    text: u32,
    item: u32,
    length: u32,
}

/// Hash, item and first word of an n-gram.
type Gram = (u64, u32, u32);

/// An item of which a text holds enough.
struct Found<'a> {
    item: Item,
    /// The words of the text.
    words: &'a [Word],
    /// All of its runs, in the order of the text.
    runs: &'a [Run],
    coverage: f64,
    /// Reusable memory.
    marks: &'a mut Vec<bool>,
}

/// Appends the words of a text.
fn words_into(text: &str, normal: &mut String, out: &mut Vec<Word>) {
    let (mut at, mut chars) = (0, 0_usize);
    for_each_word(text, |word| {
        let start_byte = word.as_ptr() as usize - text.as_ptr() as usize;
        let start = chars + text[at..start_byte].chars().count();
        chars = start + word.chars().count();
        at = start_byte + word.len();
        normal.clear();
        normalize_into(word, normal);
        out.push(Word {
            hash: xxh3_64(normal.as_bytes()),
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(chars).unwrap_or(u32::MAX),
        });
    });
}

/// Calls `f` with the position and the hash of each run of `length` words.
fn for_each_gram(words: &[Word], length: usize, mut f: impl FnMut(usize, u64)) {
    // A rolling hash: a polynomial of the hashes of the words, whose bits are mixed at the end.
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let highest = (1..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut rolling = 0_u64;
    for (at, word) in words.iter().enumerate() {
        if at >= length {
            rolling = rolling.wrapping_sub(words[at - length].hash.wrapping_mul(highest));
        }
        rolling = rolling.wrapping_mul(BASE).wrapping_add(word.hash);
        if at + 1 >= length {
            let of_length = rolling ^ (length as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
            f(at + 1 - length, SplitMix64::new(of_length).next());
        }
    }
}

/// Too many items for an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} words of items do not fit into an index of at most 4294967294")]
pub struct TooManyItems(pub usize);

/// The n-grams of items, given by the ranges of their words, sorted. `length_of` tells how many words those of an
/// item of some words have.
fn sorted_grams(
    words: &[Word],
    ranges: &[(i64, Range<usize>)],
    length_of: impl Fn(usize) -> Option<usize>,
) -> Vec<Gram> {
    let mut grams = Vec::with_capacity(words.len());
    for (item, (_, range)) in ranges.iter().enumerate() {
        if let Some(length) = length_of(range.len()) {
            for_each_gram(&words[range.clone()], length, |at, hash| {
                grams.push((hash, item as u32, at as u32));
            });
        }
    }
    grams.sort_unstable();
    grams
}

/// An index of items, given by numbers and texts, and what it leaves out. The bytes depend on the items only, not on
/// their order; two items with one number are an index of both.
///
/// # Errors
/// If the items have more words than `u32` can number.
pub fn item_index(
    items: &[(i64, &str)],
    spec: ItemSpec,
) -> Result<(Vec<u8>, ItemsLeftOut), TooManyItems> {
    let gram = spec.min_run.clamp(1, MAX_ITEM_GRAM);
    let mut sorted = items.to_vec();
    sorted.sort_unstable();
    let mut left_out = ItemsLeftOut::default();
    let (mut words, mut normal) = (Vec::new(), String::new());
    let mut ranges: Vec<(i64, Range<usize>)> = Vec::new();
    for (number, text) in sorted {
        let first = words.len();
        words_into(text, &mut normal, &mut words);
        if words.len() - first < spec.min_words.max(1) {
            left_out.short += 1;
            words.truncate(first);
        } else {
            ranges.push((number, first..words.len()));
        }
    }
    if words.len() >= u32::MAX as usize {
        return Err(TooManyItems(words.len()));
    }
    // Items of the same words count as one.
    let class = |(_, range): &(i64, Range<usize>)| {
        let hashes = words[range.clone()].iter();
        let bytes: Vec<u8> = hashes.flat_map(|word| word.hash.to_le_bytes()).collect();
        xxh3_64(&bytes)
    };
    let classes: Vec<u64> = ranges.iter().map(class).collect();
    let mut of_items: Vec<u64> = Vec::new();
    let mut is_frequent = |same: &[Gram]| {
        of_items.clear();
        of_items.extend(same.iter().map(|(_, item, _)| classes[*item as usize]));
        of_items.sort_unstable();
        of_items.dedup();
        of_items.len() > spec.max_items
    };
    let grams = sorted_grams(&words, &ranges, |words| Some(gram.min(words)));
    let (mut kept, mut specific) = (Vec::with_capacity(grams.len()), vec![false; words.len()]);
    let mut counted = vec![false; words.len()];
    let mut lengths = 0_u64;
    for same in grams.chunk_by(|a, b| a.0 == b.0) {
        if is_frequent(same) {
            left_out.grams += 1;
            continue;
        }
        for &(hash, item, at) in same {
            let range = &ranges[item as usize].1;
            let (first, length) = (range.start + at as usize, gram.min(range.len()));
            specific[first] = true;
            counted[first..first + length].fill(true);
            lengths |= 1 << (length - 1);
            kept.push((hash, item, at));
        }
    }
    drop(grams);
    // The shorter n-grams of the items that have them. They are counted in all items, so that an n-gram with one
    // that is not ignored is not ignored, either.
    let shorter = shorter_gram(gram);
    let has_shorter = |words: usize| min_evidence(gram, words) < gram.min(words);
    let mut specific_shorter = vec![false; words.len()];
    if ranges.iter().any(|(_, range)| has_shorter(range.len())) {
        let grams = sorted_grams(&words, &ranges, |words| {
            (words >= shorter).then_some(shorter)
        });
        for same in grams.chunk_by(|a, b| a.0 == b.0) {
            if is_frequent(same) {
                continue;
            }
            for &(hash, item, at) in same {
                let range = &ranges[item as usize].1;
                if has_shorter(range.len()) {
                    specific_shorter[range.start + at as usize] = true;
                    lengths |= 1 << (shorter - 1);
                    kept.push((hash, item, at));
                }
            }
        }
        kept.sort_unstable();
    }
    let items = ranges.into_iter().map(|(number, range)| {
        let of_item = counted[range.clone()].iter().filter(|&&counts| counts);
        let counted = of_item.count();
        left_out.frequent += usize::from(counted == 0);
        (number, range, counted)
    });
    let items: Vec<_> = items.collect();
    let bytes = layout::write(
        gram,
        lengths,
        left_out,
        &items,
        &words,
        [&specific, &specific_shorter, &counted],
        &kept,
    );
    Ok((bytes, left_out))
}

/// An index of items.
#[derive(Debug, Clone, Copy)]
pub struct ItemIndex<'a> {
    layout: Layout<'a>,
}

impl<'a> ItemIndex<'a> {
    /// Reads the header of [`item_index`].
    ///
    /// # Errors
    /// If the bytes are not those of an index.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, IndexError> {
        Ok(Self {
            layout: Layout::read(bytes)?,
        })
    }

    /// What the index leaves out.
    pub fn left_out(&self) -> ItemsLeftOut {
        self.layout.left_out
    }

    /// Appends the items of which a text holds at least the given share, in the order of their numbers.
    pub fn find(
        &self,
        text: &str,
        min_coverage: f64,
        scratch: &mut ItemScratch,
        out: &mut Vec<FoundItem>,
    ) {
        self.for_each_found(text, min_coverage, scratch, |mut found| {
            out.push(self.described(&mut found))
        });
    }

    /// Where the items of which a text holds at least the given share occur in it: the characters of all of their runs,
    /// without overlaps, in the order of the text. Words between two runs of an item that follow one another in the item,
    /// too, belong to it if they are fewer than those of an n-gram: words of the item were changed there.
    pub fn spans(
        &self,
        text: &str,
        min_coverage: f64,
        scratch: &mut ItemScratch,
    ) -> Vec<Range<u32>> {
        let mut spans: Vec<Range<u32>> = Vec::new();
        self.for_each_found(text, min_coverage, scratch, |found| {
            let mut before: Option<Run> = None;
            for run in found.runs {
                let first = match before {
                    Some(before) if self.continues(&before, run) => before.text + before.length - 1,
                    _ => run.text,
                };
                let last = &found.words[(run.text + run.length) as usize - 1];
                spans.push(found.words[first as usize].start..last.end);
                before = Some(*run);
            }
        });
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        spans.dedup_by(|next, before| {
            let overlaps = next.start <= before.end;
            if overlaps {
                before.end = before.end.max(next.end);
            }
            overlaps
        });
        spans
    }

    /// Whether a run of an item continues another one, perhaps after some words that differ: it begins and ends
    /// later in the item.
    fn continues(&self, before: &Run, run: &Run) -> bool {
        let text = before.text + before.length;
        let is_later =
            run.item > before.item && run.item + run.length > before.item + before.length;
        is_later && run.text >= text && ((run.text - text) as usize) < self.layout.gram
    }

    /// Calls `f` with each item of which a text holds at least the given share, in the order of their numbers.
    fn for_each_found(
        &self,
        text: &str,
        min_coverage: f64,
        scratch: &mut ItemScratch,
        mut f: impl FnMut(Found<'_>),
    ) {
        let ItemScratch {
            words,
            normal,
            seeds,
            evidence,
            groups,
            runs,
            marks,
        } = scratch;
        words.clear();
        words_into(text, normal, words);
        // Ranges of items, the first ones last. A range with too many seeds is divided.
        let mut ranges = vec![(0, self.layout.items())];
        while let Some((first, end)) = ranges.pop() {
            let range = first..end;
            if !self.seeds_of(words, &range, seeds) && range.len() > 1 {
                let middle = range.start + range.len() / 2;
                ranges.extend([(middle, end), (first, middle)]);
                continue;
            }
            seeds.sort_unstable();
            for of_item in seeds.chunk_by(|a, b| a.item == b.item) {
                let item = self.layout.item(of_item[0].item as usize);
                evidence.clear();
                for diagonal in of_item.chunk_by(|a, b| a.diagonal == b.diagonal) {
                    let mut end = 0;
                    for seed in diagonal {
                        if seed.at < end {
                            continue;
                        }
                        if let Some(run) = self.extended(words, item, seed) {
                            end = run.text + run.length;
                            evidence.push(run);
                        }
                    }
                }
                evidence.sort_unstable();
                runs.clear();
                self.runs_of_groups(words, item, evidence, groups, runs);
                if runs.is_empty() {
                    continue;
                }
                let coverage = self.coverage(item, runs, marks);
                if coverage >= min_coverage {
                    f(Found {
                        item,
                        words,
                        runs,
                        coverage,
                        marks,
                    });
                }
            }
        }
    }

    /// Collects the n-grams that a text shares with a range of items. Returns false, before all are collected, if they are
    /// too many and the range has more than one item.
    fn seeds_of(&self, words: &[Word], items: &Range<usize>, seeds: &mut Vec<Seed>) -> bool {
        seeds.clear();
        let mut fits = true;
        for length in
            (1..=MAX_ITEM_GRAM).filter(|length| self.layout.lengths >> (length - 1) & 1 == 1)
        {
            if words.len() >= length {
                for_each_gram(words, length, |at, hash| {
                    fits = fits && (seeds.len() < MAX_SEEDS || items.len() == 1);
                    if fits {
                        self.seeds_into(words, (at, length), hash, items, seeds);
                    }
                });
            }
        }
        fits
    }

    /// The items of a range that hold an n-gram of a text, which is given by its first word and its number of words.
    /// An occurrence is left out if the n-grams before both are equal, too, so that a run has few seeds, however
    /// long it is.
    fn seeds_into(
        &self,
        words: &[Word],
        (at, length): (usize, usize),
        hash: u64,
        items: &Range<usize>,
        seeds: &mut Vec<Seed>,
    ) {
        let postings = self.layout.postings(hash);
        for (item, place) in postings.filter(|(item, _)| items.contains(&(*item as usize))) {
            let before = at.checked_sub(1).zip((place as usize).checked_sub(1));
            let continues = before.is_some_and(|(at, place)| {
                let of = self.layout.item(item as usize);
                let is_shorter = length < self.layout.gram.min(of.words);
                self.layout.is_specific(of.first + place, is_shorter)
                    && self.layout.word(of.first + place).hash == words[at].hash
            });
            if !continues {
                seeds.push(Seed {
                    item,
                    diagonal: at as i64 - i64::from(place),
                    at: at as u32,
                });
            }
        }
    }

    /// The maximal run of equal words that holds a seed, if it is long enough.
    fn extended(&self, words: &[Word], item: Item, seed: &Seed) -> Option<Run> {
        let place = usize::try_from(i64::from(seed.at) - seed.diagonal).ok()?;
        let at = seed.at as usize;
        let is_equal =
            |at: usize, place: usize| words[at].hash == self.layout.word(item.first + place).hash;
        let before = (1..=at.min(place)).take_while(|by| is_equal(at - by, place - by));
        let before = before.count();
        let max_after = (words.len() - at).min(item.words.checked_sub(place)?);
        let after = (0..max_after)
            .take_while(|by| is_equal(at + by, place + by))
            .count();
        let length = before + after;
        (after > 0 && length >= min_evidence(self.layout.gram, item.words)).then(|| Run {
            text: (at - before) as u32,
            item: (place - before) as u32,
            length: length as u32,
        })
    }

    /// The share of an item's words that runs hold, of those that count.
    fn coverage(&self, item: Item, runs: &[Run], marks: &mut Vec<bool>) -> f64 {
        self.mark(item, runs, 0, marks);
        let covered = self
            .marked(item, marks)
            .filter(|&at| self.layout.counts(at));
        covered.count() as f64 / item.counted as f64
    }

    /// Marks the words of an item that runs hold, without the last `less` words of each run.
    fn mark(&self, item: Item, runs: &[Run], less: usize, marks: &mut Vec<bool>) {
        marks.clear();
        marks.resize(item.words, false);
        for run in runs {
            let first = run.item as usize;
            let end = (first + run.length as usize).saturating_sub(less);
            if first < end {
                marks[first..end].fill(true);
            }
        }
    }

    /// The positions of the marked words of an item among those of all items.
    fn marked(&self, item: Item, marks: &[bool]) -> impl Iterator<Item = usize> {
        let marked = marks.iter().enumerate().filter(|(_, marked)| **marked);
        marked.map(move |(place, _)| item.first + place)
    }

    /// The report about an item that was found.
    fn described(&self, found: &mut Found<'_>) -> FoundItem {
        let (item, words, runs) = (found.item, found.words, found.runs);
        let longest = runs.iter().map(|run| run.length).max().unwrap_or(0);
        let gram = self.layout.gram.min(item.words);
        self.mark(item, runs, gram - 1, found.marks);
        let (mut hits, mut ignored_hits) = (0, 0);
        for place in self.marked(item, found.marks) {
            match self.layout.is_specific(place, false) {
                true => hits += 1,
                false => ignored_hits += 1,
            }
        }
        let end = |run: &Run| words[(run.text + run.length) as usize - 1].end;
        let listed = runs.iter().take(MAX_RUNS).map(|run| {
            let length = run.length as usize;
            let (text, of_item) = (run.text as usize, item.first + run.item as usize);
            let last = self.layout.word(of_item + length - 1);
            ItemRun {
                in_text: (words[text].start, end(run)),
                in_item: (self.layout.word(of_item).start, last.end),
                words: run.length,
            }
        });
        FoundItem {
            number: item.number,
            kind: match longest as usize == item.words {
                _ if item.words < self.layout.gram => ItemMatch::Short,
                true => ItemMatch::Verbatim,
                false => ItemMatch::Near,
            },
            hits,
            ignored_hits,
            coverage: found.coverage,
            longest,
            span: (
                runs.first().map_or(0, |run| words[run.text as usize].start),
                runs.iter().map(end).max().unwrap_or(0),
            ),
            runs: listed.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
