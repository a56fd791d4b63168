//! Keys of texts for an exact join by edit similarity: two texts that qualify share a key.
//!
//! An edit changes at most q of the q-grams of a text, the runs of q consecutive characters. A text of L characters
//! has L − q + 1 of them, so that two texts at an edit distance of d, of which the longer one has L characters, have at
//! least L − q + 1 − q·d in common, counted with repeats (Ukkonen, "Approximate string-matching with q-grams and maximal
//! matches", Theoretical Computer Science 1992; Gravano et al., "Approximate string joins in a database (almost) for
//! free", VLDB 2001). If the grams of all texts are in one total order, it suffices to look at a prefix of
//! those of each text (Xiao, Wang, Lin, "Ed-Join: an efficient algorithm for similarity joins with edit distance
//! constraints", PVLDB 2008).
//!
//! # The length of a prefix
//!
//! Let d(L) be the largest distance with which two texts qualify, the longer one of L characters, as
//! [`max_edit_distance`] has it. A text of l ≥ q characters qualifies only with texts such that the longer text of the
//! pair has L characters, L ≥ l and L − d(L) ≤ l. The two share at least o(L) = L − q + 1 − q·d(L) grams. Hence the
//! first gram that both have, in the order of grams, is among the first (l − q + 1) − o(L) + 1 of this text, and likewise of
//! the other.
//!
//! For L = l these are q·d(l) + 1 grams. They are fewer for a larger L with the same d(L). Where d(L) rises to
//! d(l) + 1, at L = l + r, they are q − r more than for L = l. Each further rise comes at least 2q − 1 characters after
//! the one before, so that they do not become more again. Hence the prefix has q·d(l) + 1 grams, and q − r more if
//! r < q and L − d(L) ≤ l, which is r ≤ d(l) + 1.
//!
//! For q > 1, [`edit_gram_length`] chooses q such that at most one edit is allowed for every 2q characters: if L < 2q,
//! then d(L) = 0, else q·d(L) ≤ L / 2. For q = 1, o(L) = L − d(L). In all cases o(L) ≥ 1 if L ≥ q, so that two texts
//! that qualify share a gram. A text of fewer than q characters has no grams, and qualifies only with texts that are equal
//! to it. It counts as one gram.
//!
//! The occurrences of a gram in a text are numbered, so that the grams of a text are a set, and those that two texts have
//! in common are the elements of both sets. Equal hashes of different grams lose no pair: the length of a prefix does not
//! depend on them, and for each common gram that they hide there is one gram fewer after the prefix.

use xxhash_rust::xxh3::xxh3_64;

use crate::bounds::max_edit_distance;
use crate::frequency::TokenRanks;
use crate::hash_order::{HashOrder, sort_distinct};
use crate::{Shingle, ShingleScratch};

/// The largest number of characters of a gram.
pub const MAX_EDIT_GRAM: usize = 8;

/// Reusable buffers of [`edit_grams_into`].
#[derive(Debug, Default)]
pub struct EditGramScratch {
    shingles: ShingleScratch,
    order: HashOrder,
}

/// q, the number of characters of a gram at a threshold in (0, 1]: half the number of characters for each of which the
/// threshold allows an edit, 1 / (1 − threshold), rounded down, but 1 to [`MAX_EDIT_GRAM`].
///
/// Longer grams are rarer, but an edit changes more of them. With half the number of characters, two texts that qualify
/// have about half of their grams in common, or more.
///
/// ```
/// use neardup_kernels::edit_gram_length;
///
/// assert_eq!([0.5, 0.8, 0.9, 1.0].map(edit_gram_length), [1, 2, 5, 8]);
/// ```
#[must_use]
pub fn edit_gram_length(threshold: f64) -> usize {
    // The quotient is infinite for a threshold of 1, and the conversion saturates.
    ((0.5 / (1.0 - threshold)) as usize).clamp(1, MAX_EDIT_GRAM)
}

/// Appends the sorted distinct hashes of the numbered grams of a text to `out`: of its runs of [`edit_gram_length`]
/// characters (Unicode scalar values). Values already in `out` are not changed.
///
/// The first occurrence of a gram has the hash that [`Shingle::Char`] gives it, and the n-th one the XXH3-64 hash of that
/// hash and n, eight little-endian bytes each. A text of fewer characters than a gram is one gram; the empty text has none.
///
/// `threshold` is in (0, 1]. The time is that of sorting the grams.
///
/// ```
/// use neardup_kernels::{EditGramScratch, edit_grams_into};
///
/// let mut grams = Vec::new();
/// edit_grams_into("banana", 0.8, &mut EditGramScratch::default(), &mut grams);
/// assert_eq!(grams.len(), 5); // ba, an, na, the second an, the second na
/// ```
pub fn edit_grams_into(
    text: &str,
    threshold: f64,
    scratch: &mut EditGramScratch,
    out: &mut Vec<u64>,
) {
    let gram_length = edit_gram_length(threshold);
    let length = text.chars().take(gram_length).count();
    if length == 0 {
        return;
    }
    let start = out.len();
    Shingle::Char(length).repeated_hashes_into(text, &mut scratch.shingles, out);
    let grams = &mut out[start..];
    grams.sort_unstable();
    let (mut last, mut number) = (None, 0_u64);
    for gram in grams {
        number = if last == Some(*gram) { number + 1 } else { 1 };
        last = Some(*gram);
        if number > 1 {
            *gram = numbered(*gram, number);
        }
    }
    sort_distinct(out, start, &mut scratch.order);
}

/// Appends the distinct keys of a text of `length` characters to `out`: any two texts whose edit similarity is at least
/// `threshold` share one. They are the rarest of the text's grams, rarest first. The empty text, which qualifies with
/// no other, has none. Values already in `out`
/// are not changed.
///
/// `grams` are those of [`edit_grams_into`] at the same `threshold`, which is in (0, 1], and `ranks` are the same for
/// all texts of a join. `scratch` is memory to reuse. With other grams, or another length than that of the text, the keys
/// are meaningless.
///
/// Of a text of d allowed edits, about q·d + q grams are keys; see the module.
pub fn edit_keys_into(
    grams: &[u64],
    length: usize,
    ranks: &TokenRanks<'_>,
    threshold: f64,
    scratch: &mut Vec<(u8, u64)>,
    out: &mut Vec<u64>,
) {
    ranks.rarest_into(grams, prefix_len(length, threshold), scratch, out);
}

/// The number of grams of the prefix of a text of `length` characters; that of a text shorter than a gram may be larger
/// than the number of its grams, which is 1.
fn prefix_len(length: usize, threshold: f64) -> usize {
    let gram_length = edit_gram_length(threshold);
    let distance = max_edit_distance(length, threshold);
    // Where one more edit is allowed, if the text may be the shorter one of a pair there.
    let further = (1..gram_length.min(distance.saturating_add(2)))
        .find(|more| max_edit_distance(length.saturating_add(*more), threshold) > distance);
    let more = further.map_or(0, |more| gram_length - more);
    gram_length
        .saturating_mul(distance)
        .saturating_add(1 + more)
}

/// The n-th occurrence, n ≥ 2, of a gram.
fn numbered(gram: u64, n: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&gram.to_le_bytes());
    bytes[8..].copy_from_slice(&n.to_le_bytes());
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests;
