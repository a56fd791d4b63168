//! Verbatim passages that two texts have in common, all maximal runs of equal units of a minimum length, and those of
//! many texts (`shared`, `grams` and `earlier`).
//!
//! ```text
//! text ── units ── hashes of k units ── winnowing ──> anchors ──> anchors of equal hash ── compared units ──> passages
//! ```
//!
//! With windows of w = n − k + 1 hashes each common run of n units holds an anchor of both texts at the same
//! position ([`Winnower`]). Anchors of equal hash are extended in both directions by comparing the units themselves, so
//! that a collision of hashes never makes a passage.

mod earlier;
mod grams;
mod shared;
mod whole;

pub use earlier::{AnchoredPassages, EarlierFinder, EarlierPassages, Place};
pub use grams::{AnchorGrams, GramSpec, Grams, WordRun, key_hash, uncut_parts, word_runs};
pub use shared::{
    CHARACTER_BYTES, DistinctRuns, GramHashes, HASH_BYTES, RunCollection, RunFinder, RunPassage,
    WrongRuns, pack_run, run_key,
};
pub use whole::{WholeRun, whole_runs};

use xxhash_rust::xxh3::xxh3_64;

use crate::hash_order::remove_repeats;
use crate::shingle::Shingle;
use crate::split_mix::SplitMix64;
use crate::winnow::Winnower;
use crate::words::for_each_word;

/// A unit of a text: a word, a piece between white space, or a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Offset of its first byte.
    pub start_byte: usize,
    /// Offset after its last byte.
    pub end_byte: usize,
    /// Number of characters before it.
    pub start_char: usize,
    /// Number of characters before its end.
    pub end_char: usize,
}

/// A text with its units.
#[derive(Debug)]
pub struct UnitText<'a> {
    text: &'a str,
    shingle: Shingle,
    units: Vec<Unit>,
}

/// A text with its units and its anchors.
#[derive(Debug)]
pub struct PassageText<'a> {
    text: UnitText<'a>,
    /// The hashes of the units.
    hashes: Vec<u64>,
    /// Sorted.
    anchors: Vec<Anchor>,
}

/// A run of units that was selected by winnowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Anchor {
    hash: u64,
    /// The hash of the anchor before it and its distance; `None` for the first anchor of a text.
    before: Option<(u64, usize)>,
    /// Its first unit.
    at: usize,
}

/// A maximal run of equal units of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passage {
    /// Its first unit in one text.
    pub first_a: usize,
    /// Its first unit in the other text.
    pub first_b: usize,
    /// The number of units.
    pub length: usize,
}

/// The length of the runs of units that are hashed, and of the windows of hashes, so that each common run of `length`
/// units holds a selected hash. Windows are no longer than the hashed runs, so that neighbouring anchors have no unit
/// between them.
fn passage_window(length: usize) -> (usize, usize) {
    let hashed = length.max(1) / 2 + 1;
    (
        hashed.min(length.max(1)),
        length.max(1) + 1 - hashed.min(length.max(1)),
    )
}

/// Calls `f` with each unit of a text, in order: of the kind of `shingle`, whatever its length is.
fn units_of<'a>(text: &'a str, shingle: Shingle, mut f: impl FnMut(&'a str)) {
    match shingle {
        Shingle::Char(_) => {
            let ends = text.char_indices().map(|(at, c)| (at, at + c.len_utf8()));
            ends.for_each(|(start, end)| f(&text[start..end]));
        }
        Shingle::Word(_) => for_each_word(text, f),
        Shingle::Space(_) => text.split_whitespace().for_each(f),
    }
}

impl<'a> UnitText<'a> {
    /// The units of a text, of the kind of `shingle`.
    pub fn new(text: &'a str, shingle: Shingle) -> Self {
        let mut units = Vec::new();
        let (mut at, mut chars) = (0, 0);
        units_of(text, shingle, |unit| {
            let start_byte = unit.as_ptr() as usize - text.as_ptr() as usize;
            let end_byte = start_byte + unit.len();
            let start_char = chars + text[at..start_byte].chars().count();
            chars = start_char + unit.chars().count();
            at = end_byte;
            units.push(Unit {
                start_byte,
                end_byte,
                start_char,
                end_char: chars,
            });
        });
        Self {
            text,
            shingle,
            units,
        }
    }

    /// The units, in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The XXH3-64 hash of some units: of characters as they are in the text, of others joined by one space. `joined` is
    /// overwritten.
    pub fn hash(&self, first: usize, length: usize, joined: &mut String) -> u64 {
        if let Shingle::Char(_) = self.shingle {
            return xxh3_64(self.between(first, length).as_bytes());
        }
        joined.clear();
        for at in first..first + length {
            if at > first {
                joined.push(' ');
            }
            joined.push_str(self.unit(at));
        }
        xxh3_64(joined.as_bytes())
    }

    /// The text from the beginning of a unit to the end of a later one.
    fn between(&self, first: usize, length: usize) -> &'a str {
        match self.units.get(first..first + length) {
            Some([first, .., last]) => &self.text[first.start_byte..last.end_byte],
            Some([unit]) => &self.text[unit.start_byte..unit.end_byte],
            _ => "",
        }
    }

    fn unit(&self, at: usize) -> &'a str {
        let unit = self.units[at];
        &self.text[unit.start_byte..unit.end_byte]
    }
}

impl<'a> PassageText<'a> {
    /// The units of a text, of the kind of `shingle`, and its anchors for passages of at least its window.
    pub fn new(text: &'a str, shingle: Shingle) -> Self {
        let text = UnitText::new(text, shingle);
        let of_unit = |at| xxh3_64(text.unit(at).as_bytes());
        let hashes: Vec<u64> = (0..text.units.len()).map(of_unit).collect();
        let anchors = anchors(&hashes, shingle.window());
        Self {
            text,
            hashes,
            anchors,
        }
    }

    /// The text with its units.
    pub fn text(&self) -> &UnitText<'a> {
        &self.text
    }
}

/// The rolling hash of each run of `length` units: a polynomial of the hashes of the units, whose bits are mixed at the
/// end.
pub(crate) fn run_hashes_into(of_unit: &[u64], length: usize, out: &mut Vec<u64>) {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let highest = (1..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut rolling = 0_u64;
    out.reserve((of_unit.len() + 1).saturating_sub(length));
    for (at, &hash) in of_unit.iter().enumerate() {
        if at >= length {
            rolling = rolling.wrapping_sub(of_unit[at - length].wrapping_mul(highest));
        }
        rolling = rolling.wrapping_mul(BASE).wrapping_add(hash);
        if at + 1 >= length {
            out.push(SplitMix64::new(rolling).next());
        }
    }
}

fn anchors(of_unit: &[u64], length: usize) -> Vec<Anchor> {
    let (hashed, window) = passage_window(length);
    if of_unit.len() < hashed {
        return Vec::new();
    }
    let mut hashes = Vec::new();
    run_hashes_into(of_unit, hashed, &mut hashes);
    let mut positions = Vec::new();
    Winnower::default().positions_into(&hashes, window, &mut positions);
    let mut before: Option<usize> = None;
    let mut anchors: Vec<Anchor> = positions
        .into_iter()
        .map(|at| {
            let anchor = Anchor {
                hash: hashes[at],
                before: before.map(|before| (hashes[before], at - before)),
                at,
            };
            before = Some(at);
            anchor
        })
        .collect();
    anchors.sort_unstable();
    anchors
}

/// Appends all maximal common passages of at least `length` units to `out`, sorted. Both texts must have been made for
/// this length. A passage is maximal if the units before it differ and the units after it differ, or if there are none.
pub fn common_passages(
    a: &PassageText<'_>,
    b: &PassageText<'_>,
    length: usize,
    out: &mut Vec<Passage>,
) {
    let start = out.len();
    let (mut rest_a, mut rest_b) = (a.anchors.as_slice(), b.anchors.as_slice());
    while let (Some(first_a), Some(first_b)) = (rest_a.first(), rest_b.first()) {
        let hash = first_a.hash.max(first_b.hash);
        if first_a.hash != first_b.hash {
            rest_a = &rest_a[rest_a.partition_point(|anchor| anchor.hash < hash)..];
            rest_b = &rest_b[rest_b.partition_point(|anchor| anchor.hash < hash)..];
            continue;
        }
        let (of_a, others) = rest_a.split_at(rest_a.partition_point(|anchor| anchor.hash == hash));
        rest_a = others;
        let (of_b, others) = rest_b.split_at(rest_b.partition_point(|anchor| anchor.hash == hash));
        rest_b = others;
        for x in of_a {
            for y in of_b {
                // If the anchors before are equal, too, they are in the same passage.
                if x.before.is_none() || x.before != y.before {
                    out.extend(extended(a, b, x.at, y.at).filter(|found| found.length >= length));
                }
            }
        }
    }
    out[start..].sort_unstable();
    remove_repeats(out, start);
}

/// The maximal common passage that contains a unit of each text, if these units are equal.
fn extended(a: &PassageText<'_>, b: &PassageText<'_>, at_a: usize, at_b: usize) -> Option<Passage> {
    let is_equal = |at_a: usize, at_b: usize| a.text.unit(at_a) == b.text.unit(at_b);
    if !is_equal(at_a, at_b) {
        return None;
    }
    let run = |is_equal: &dyn Fn(usize, usize) -> bool| {
        let before = (1..=at_a.min(at_b)).take_while(|&by| is_equal(at_a - by, at_b - by));
        let before = before.count();
        let end = (a.hashes.len() - at_a).min(b.hashes.len() - at_b);
        let after = (1..end).take_while(|&by| is_equal(at_a + by, at_b + by));
        Passage {
            first_a: at_a - before,
            first_b: at_b - before,
            length: before + 1 + after.count(),
        }
    };
    let found = run(&|at_a, at_b| a.hashes[at_a] == b.hashes[at_b]);
    let (first_a, first_b, length) = (found.first_a, found.first_b, found.length);
    // Units of equal hash differ only if the hashes collide.
    let is_exact = a.text.between(first_a, length) == b.text.between(first_b, length)
        || (0..length).all(|at| is_equal(first_a + at, first_b + at));
    Some(match is_exact {
        true => found,
        false => run(&is_equal),
    })
}

#[cfg(test)]
mod tests;
