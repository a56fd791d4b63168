//! The shingles of a text and their hashes.
//!
//! A shingle is a window over consecutive units of a text. A [`Shingle`], written `char:12`, `word:3` or
//! `space:5`, gives the kind and the number of units. A text is represented by the *set* of its shingles, so
//! repeats count once, and a shingle by the XXH3-64 hash (seed 0) of its UTF-8 bytes.

use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

use crate::hash_order::{HashOrder, count_distinct, sort_distinct};
use crate::normalize::ascii_prefix;
use crate::short_hash::xxh3_short;
use crate::words::for_each_word;

/// The largest window of a [`Shingle`].
pub const MAX_WINDOW: usize = 1_000;

/// Bytes below this one, as signed numbers, continue a character of UTF-8.
const CONTINUATION_BYTES_END: i8 = -0x40;

/// The kind of shingles of a text. The number is the window, in units, 1 to [`MAX_WINDOW`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shingle {
    /// `char:n`: n consecutive Unicode scalar values.
    Char(usize),
    /// `word:n`: n consecutive UAX #29 words that hold a letter or a digit, joined by one space.
    Word(usize),
    /// `space:n`: n consecutive runs of characters other than white space, joined by one space.
    Space(usize),
}

/// The reason why a text is not a valid [`Shingle`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShingleError {
    /// The part before the colon is not a unit.
    #[error("shingle '{0}' must start with 'char:', 'word:' or 'space:', as in 'word:3'")]
    Unit(String),
    /// The part after the colon is not a window.
    #[error("shingle '{0}' must end with a window of 1 to {MAX_WINDOW}, as in 'word:3'")]
    Window(String),
}

/// Reusable buffers of the functions of [`Shingle`].
#[derive(Debug, Default)]
pub struct ShingleScratch {
    /// The units of the text, joined by one space.
    joined: String,
    /// Where each unit starts and ends in `joined`.
    units: Vec<(usize, usize)>,
    /// Where each character of the text starts, and where the last one ends.
    starts: Vec<usize>,
    order: HashOrder,
    hashes: Vec<u64>,
}

impl Shingle {
    /// The window: the number of units of a shingle.
    pub const fn window(self) -> usize {
        match self {
            Self::Char(window) | Self::Word(window) | Self::Space(window) => window,
        }
    }

    /// Calls `f` with each shingle of `text`, in order of appearance and with repeats.
    ///
    /// A text of fewer units than the window has one shingle, which consists of all units. A text without words
    /// that is not blank has one shingle, the text itself. An empty text has no shingles; for `word` and `space`, a
    /// text of only white space has none either.
    pub fn for_each(self, text: &str, scratch: &mut ShingleScratch, mut f: impl FnMut(&str)) {
        let window = self.window().max(1);
        match self {
            Self::Char(_) if text.is_ascii() => {
                let last = text.len().saturating_sub(window);
                if !text.is_empty() {
                    (0..=last).for_each(|at| f(&text[at..text.len().min(at + window)]));
                }
                return;
            }
            Self::Char(_) => return char_windows(text, window, &mut scratch.starts, f),
            Self::Word(_) => scratch.join(|push| for_each_word(text, push)),
            Self::Space(_) => scratch.join(|push| text.split_whitespace().for_each(push)),
        }
        let units = &scratch.units;
        if units.is_empty() {
            if !text.trim().is_empty() {
                f(text);
            }
            return;
        }
        let last = units.len().saturating_sub(window);
        for first in 0..=last {
            let end = units.len().min(first + window) - 1;
            f(&scratch.joined[units[first].0..units[end].1]);
        }
    }

    /// Appends the hash of each shingle of `text` to `out`, in order of appearance and with
    /// repeats. This is sufficient for MinHash, which ignores order and repeats.
    pub fn repeated_hashes_into(
        self,
        text: &str,
        scratch: &mut ShingleScratch,
        out: &mut Vec<u64>,
    ) {
        if let Self::Char(window @ 1..) = self
            && let Some(hashes) = FIXED_WINDOWS.get(window)
        {
            return match text.is_ascii() && text.len() >= window {
                true => hashes(text.as_bytes(), out),
                false => char_hashes(text, (window, *hashes), &mut scratch.starts, out),
            };
        }
        self.for_each(text, scratch, |shingle| {
            out.push(xxh3_64(shingle.as_bytes()))
        });
    }

    /// Appends the sorted distinct hashes of the shingles of `text` to `out`. Values already in `out` are not
    /// changed.
    ///
    /// ```
    /// use neardup_kernels::{Shingle, ShingleScratch};
    ///
    /// let mut hashes = Vec::new();
    /// Shingle::Word(2).hashes_into("to be or not to be", &mut ShingleScratch::default(), &mut hashes);
    /// assert_eq!(hashes.len(), 4); // 'to be' counts once
    /// assert!(hashes.is_sorted());
    /// ```
    pub fn hashes_into(self, text: &str, scratch: &mut ShingleScratch, out: &mut Vec<u64>) {
        let start = out.len();
        self.repeated_hashes_into(text, scratch, out);
        sort_distinct(out, start, &mut scratch.order);
    }

    /// The number of distinct shingles of `text`: of hashes that [`Self::hashes_into`] appends.
    ///
    /// ```
    /// use neardup_kernels::{Shingle, ShingleScratch};
    ///
    /// let count = Shingle::Word(2).count("to be or not to be", &mut ShingleScratch::default());
    /// assert_eq!(count, 4); // 'to be' counts once
    /// ```
    pub fn count(self, text: &str, scratch: &mut ShingleScratch) -> usize {
        let mut hashes = std::mem::take(&mut scratch.hashes);
        hashes.clear();
        self.repeated_hashes_into(text, scratch, &mut hashes);
        let count = scratch.count_distinct(&hashes);
        scratch.hashes = hashes;
        count
    }
}

impl ShingleScratch {
    /// The number of distinct hashes.
    pub fn count_distinct(&mut self, hashes: &[u64]) -> usize {
        count_distinct(hashes, &mut self.order)
    }

    /// Fills `joined` and `units` with the units that the function `units` passes to its argument.
    fn join<'a>(&mut self, units: impl FnOnce(&mut dyn FnMut(&'a str))) {
        self.joined.clear();
        self.units.clear();
        units(&mut |unit| {
            if !self.joined.is_empty() {
                self.joined.push(' ');
            }
            let start = self.joined.len();
            self.joined.push_str(unit);
            self.units.push((start, self.joined.len()));
        });
    }
}

/// The hash by which a text as a whole is compared: that of a shingle with the same bytes.
pub fn text_hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// Appends the hash of each window of bytes.
type WindowHashes = fn(&[u8], &mut Vec<u64>);

/// [`window_hashes`] by window; a window of 0 counts as 1. A hash of a longer window takes so much time that a
/// constant length gains little.
const FIXED_WINDOWS: [WindowHashes; 17] = [
    window_hashes::<1>,
    window_hashes::<1>,
    window_hashes::<2>,
    window_hashes::<3>,
    window_hashes::<4>,
    window_hashes::<5>,
    window_hashes::<6>,
    window_hashes::<7>,
    window_hashes::<8>,
    window_hashes::<9>,
    window_hashes::<10>,
    window_hashes::<11>,
    window_hashes::<12>,
    window_hashes::<13>,
    window_hashes::<14>,
    window_hashes::<15>,
    window_hashes::<16>,
];

/// Appends the hash of each `N` bytes. As the length is a constant, a hash takes few instructions and no branch.
fn window_hashes<const N: usize>(text: &[u8], out: &mut Vec<u64>) {
    let hash = |window: &[u8]| window.first_chunk().map_or(0, xxh3_short::<N>);
    out.extend(text.windows(N).map(hash));
}

/// Minimum number of bytes of a run of ASCII characters whose windows are hashed by [`window_hashes`].
const MIN_ASCII: usize = 64;

/// Appends the hash of each window of characters, with the function of [`FIXED_WINDOWS`] for windows of ASCII characters
/// only. `starts` is a buffer.
fn char_hashes(
    text: &str,
    (window, hashes): (usize, WindowHashes),
    starts: &mut Vec<usize>,
    out: &mut Vec<u64>,
) {
    // The windows before this byte are done.
    let mut from = 0;
    let mut run = 0;
    while run < text.len() {
        let end = run + ascii_prefix(&text.as_bytes()[run..]);
        if end - run >= MIN_ASCII.max(window) {
            if from < run {
                // The last of these windows begins with the character before the run.
                let windows = &text[from..run + window - 1];
                char_windows(windows, window, starts, |shingle| {
                    out.push(xxh3_64(shingle.as_bytes()));
                });
            }
            hashes(&text.as_bytes()[run..end], out);
            from = end - (window - 1);
        }
        let others = text.as_bytes()[end..].iter();
        run = end + others.take_while(|byte| !byte.is_ascii()).count();
    }
    let is_done = from > 0 && text.len() - from < window;
    if !is_done && !text.is_empty() {
        char_windows(&text[from..], window, starts, |shingle| {
            out.push(xxh3_64(shingle.as_bytes()));
        });
    }
}

/// Windows over characters of any length in bytes. `starts` is a buffer.
fn char_windows(text: &str, window: usize, starts: &mut Vec<usize>, mut f: impl FnMut(&str)) {
    starts.clear();
    let is_start = |&(_, byte): &(usize, u8)| byte as i8 >= CONTINUATION_BYTES_END;
    starts.extend(text.bytes().enumerate().filter(is_start).map(|(at, _)| at));
    starts.push(text.len());
    if starts.len() <= window {
        return f(text);
    }
    for (&start, &end) in starts.iter().zip(&starts[window..]) {
        f(&text[start..end]);
    }
}

impl FromStr for Shingle {
    type Err = ShingleError;

    fn from_str(spec: &str) -> Result<Self, ShingleError> {
        let unit = || ShingleError::Unit(spec.to_owned());
        let (name, window) = spec.split_once(':').ok_or_else(unit)?;
        let shingle = match name {
            "char" => Self::Char,
            "word" => Self::Word,
            "space" => Self::Space,
            _ => return Err(unit()),
        };
        if window.is_empty() || !window.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ShingleError::Window(spec.to_owned()));
        }
        match window.parse() {
            Ok(window @ 1..=MAX_WINDOW) => Ok(shingle(window)),
            _ => Err(ShingleError::Window(spec.to_owned())),
        }
    }
}

impl fmt::Display for Shingle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(window) => write!(f, "char:{window}"),
            Self::Word(window) => write!(f, "word:{window}"),
            Self::Space(window) => write!(f, "space:{window}"),
        }
    }
}

#[cfg(test)]
mod tests;
