//! The total order of tokens for the prefix filter: rare tokens first.
//!
//! [`TokenFrequencies`] counts tokens in one row of a count sketch (Cormode, Muthukrishnan, "An
//! improved data stream summary: the count-min sketch", J. Algorithms 2005, with a single row): the
//! counter of a token is chosen by the high bits of its multiplicative hash. Tokens that share a counter
//! share a count. An exact join stays exact with any total order, so collisions cost time but lose no pairs.
//! [`TokenRanks`] orders tokens by `(level, token)`, where the [`level`] is the count rounded to one byte.
//!
//! A counter is a byte. What it would count beyond 255 is counted by a counter of four bytes that it shares with 15 others:
//! few tokens are so frequent, and only they disturb each other there.
//!
//! Counting is commutative and associative (counters saturate), so the bytes of a sketch depend only on the
//! multiset of its tokens and not on how they were split or merged.
//!
//! # Bytes
//!
//! A header of 16 bytes: `NDTF`, format version (1), encoding, the number of index bits, 0, and the
//! number of tokens counted (u64). All integers are little endian. Encodings:
//!
//! - 2, *levels*: one byte for each counter, its [`level`].
//! - 3, *dense*: one byte for each counter, then one u32 for each 16 of them.
//! - 4, *sparse*: for each of these counters that is not zero, in the same order, the number of zero counters before it and
//!   its value, as LEB128.
//! - 5, *tokens*: each token that was counted, as often as it was, as u64, in ascending order.
//!
//! [`TokenFrequencies::to_state`] writes few tokens as they are, and else every counter, in the dense or the sparse
//! encoding, whichever is smaller. [`TokenFrequencies::to_ranks`] writes levels. If few tokens were counted, it first adds adjacent
//! counters, which gives the sketch that counting with fewer index bits would have given.

use thiserror::Error;

use crate::bounds::prefix_len;
use crate::pairs::MAX_PIVOTS;
use crate::varint::{push_varint, read_varint};

const MAGIC: [u8; 4] = *b"NDTF";
const VERSION: u8 = 1;
const LEVELS: u8 = 2;
const DENSE: u8 = 3;
const SPARSE: u8 = 4;
const TOKENS: u8 = 5;
const HEADER: usize = 16;
/// The minimal number of index bits of a folded sketch.
const MIN_BITS: u32 = 4;
/// The maximal number of index bits of a folded sketch with a counter for each token.
const MAX_BITS_OF_FEW: u32 = 22;
/// Up to this number of tokens are held as they are, 1 MiB, and not counted yet.
const MAX_UNCOUNTED: usize = 1 << 17;
/// The logarithm of the number of counters that share one for what is beyond their range.
const SHARED_BITS: u32 = 4;

/// The reason why bytes cannot be read as a sketch.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrequencyError {
    /// The header is not that of a token frequency sketch.
    #[error("not a token frequency sketch: the header of {HEADER} bytes is missing or wrong")]
    Header,
    /// This code does not know the version.
    #[error("token frequency sketch of version {0}, expected {VERSION}")]
    Version(u8),
    /// The number or encoding of the counters does not fit the header.
    #[error("damaged token frequency sketch of {0} bytes: the counters do not fit the header")]
    Counters(usize),
    /// A finished sketch was found where the state of an unfinished one was expected.
    #[error("finished token frequency sketch where the state of an unfinished one was expected")]
    Finished,
    /// The state of an unfinished sketch was found where a finished one was expected.
    #[error("unfinished token frequency sketch where a finished one was expected")]
    Unfinished,
}

/// Counts of tokens, in 2^[`TokenFrequencies::BITS`] saturating counters.
#[derive(Debug, Clone, Default)]
pub struct TokenFrequencies {
    /// The tokens, as long as there are no counters.
    uncounted: Vec<u64>,
    /// Empty as long as there are few tokens.
    counters: Vec<u8>,
    /// For each 16 counters the sum of what they would count beyond 255.
    beyond: Vec<u32>,
    tokens: u64,
}

impl TokenFrequencies {
    /// Index bits of a sketch while it counts, which gives at most 16 MiB of levels.
    pub const BITS: u32 = 24;
    /// The bytes of the counters of a sketch: 20 MiB.
    pub const BYTES: usize = (1 << Self::BITS) + (size_of::<u32>() << (Self::BITS - SHARED_BITS));

    /// An empty sketch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes held: at most 1 MiB for up to 131,072 tokens, and [`Self::BYTES`] for more.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.uncounted.capacity() * size_of::<u64>()
            + self.counters.capacity()
            + self.beyond.capacity() * size_of::<u32>()
    }

    /// Makes the counters.
    fn count(&mut self) {
        if self.counters.is_empty() {
            self.counters = vec![0; 1 << Self::BITS];
            self.beyond = vec![0; 1 << (Self::BITS - SHARED_BITS)];
            let tokens = std::mem::take(&mut self.uncounted);
            self.add_all(&tokens);
        }
    }

    /// The number of tokens counted.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Counts each token once.
    pub fn add(&mut self, tokens: &[u64]) {
        self.tokens = self.tokens.saturating_add(tokens.len() as u64);
        if self.counters.is_empty() && self.uncounted.len() + tokens.len() <= MAX_UNCOUNTED {
            self.uncounted.extend_from_slice(tokens);
            return;
        }
        self.count();
        self.add_all(tokens);
    }

    /// Counts each token at its counter.
    fn add_all(&mut self, tokens: &[u64]) {
        for &token in tokens {
            let index = counter_index(token, Self::BITS);
            match self.counters[index] {
                u8::MAX => self.add_beyond(index, 1),
                count => self.counters[index] = count + 1,
            }
        }
    }

    /// Counts a number of tokens at a counter.
    #[inline]
    fn add_count(&mut self, index: usize, count: u8) {
        let counter = &mut self.counters[index];
        let sum = u32::from(*counter) + u32::from(count);
        *counter = sum.min(u32::from(u8::MAX)) as u8;
        if sum > u32::from(u8::MAX) {
            self.add_beyond(index, sum - u32::from(u8::MAX));
        }
    }

    /// Counts a number of tokens beyond the range of a counter.
    #[inline]
    fn add_beyond(&mut self, index: usize, count: u32) {
        let beyond = &mut self.beyond[index >> SHARED_BITS];
        *beyond = beyond.saturating_add(count);
    }

    /// Adds the counts of another sketch.
    pub fn merge(&mut self, other: &Self) {
        if other.counters.is_empty() {
            return self.add(&other.uncounted);
        }
        self.count();
        self.merge_dense(&other.counters, other.beyond.iter().copied());
        self.tokens = self.tokens.saturating_add(other.tokens);
    }

    fn merge_dense(&mut self, counters: &[u8], beyond: impl Iterator<Item = u32>) {
        for (index, &count) in counters.iter().enumerate() {
            if count > 0 {
                self.add_count(index, count);
            }
        }
        for (mine, theirs) in self.beyond.iter_mut().zip(beyond) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Adds the counts of a sketch written by [`Self::to_state`].
    ///
    /// # Errors
    ///
    /// If the bytes are not such a sketch; the counts are then unspecified.
    pub fn merge_state(&mut self, bytes: &[u8]) -> Result<(), FrequencyError> {
        let header = Header::read(bytes)?;
        if header.encoding == LEVELS || header.bits != Self::BITS {
            return Err(FrequencyError::Finished);
        }
        let body = &bytes[HEADER..];
        let damaged = || FrequencyError::Counters(bytes.len());
        if header.encoding == TOKENS {
            let (tokens, rest) = body.as_chunks();
            if tokens.len() as u64 != header.tokens || !rest.is_empty() {
                return Err(damaged());
            }
            let tokens: Vec<u64> = tokens.iter().copied().map(u64::from_le_bytes).collect();
            self.add(&tokens);
            return Ok(());
        }
        self.count();
        let len = self.counters.len();
        if header.encoding == DENSE {
            if body.len() != Self::BYTES {
                return Err(damaged());
            }
            let (counters, beyond) = body.split_at(len);
            self.merge_dense(counters, beyond.chunks_exact(4).map(le_u32));
        } else {
            let mut rest = body;
            let mut index = 0usize;
            while !rest.is_empty() {
                let gap = read_varint(&mut rest).ok_or_else(damaged)?;
                let count = read_varint(&mut rest).ok_or_else(damaged)?;
                index += gap as usize;
                match index.checked_sub(len) {
                    None => self.add_count(index, u8::try_from(count).map_err(|_| damaged())?),
                    Some(shared) => {
                        let beyond = self.beyond.get_mut(shared).ok_or_else(damaged)?;
                        *beyond = beyond.saturating_add(count);
                    }
                }
                index += 1;
            }
        }
        self.tokens = self.tokens.saturating_add(header.tokens);
        Ok(())
    }

    /// The sketch written by [`Self::to_state`].
    ///
    /// # Errors
    ///
    /// If the bytes are not such a sketch.
    pub fn from_state(bytes: &[u8]) -> Result<Self, FrequencyError> {
        let mut sketch = Self::new();
        sketch.merge_state(bytes)?;
        Ok(sketch)
    }

    /// The tokens if they are few, else every counter, in the smaller of the two encodings.
    #[must_use]
    pub fn to_state(&self) -> Vec<u8> {
        if self.counters.is_empty() {
            let mut tokens = self.uncounted.clone();
            tokens.sort_unstable();
            let mut bytes = Header::bytes(TOKENS, Self::BITS, self.tokens, 8 * tokens.len());
            bytes.extend(tokens.iter().flat_map(|token| token.to_le_bytes()));
            return bytes;
        }
        let mut bytes = Header::bytes(SPARSE, Self::BITS, self.tokens, 0);
        let mut gap = 0u32;
        for counters in self.counters.chunks(64) {
            if counters.iter().all(|&counter| counter == 0) {
                gap += counters.len() as u32;
                continue;
            }
            for &counter in counters {
                push_sparse(&mut bytes, &mut gap, u32::from(counter));
            }
            if bytes.len() >= Self::BYTES {
                return self.to_dense();
            }
        }
        for &counter in &self.beyond {
            push_sparse(&mut bytes, &mut gap, counter);
        }
        match bytes.len() < Self::BYTES {
            true => bytes,
            false => self.to_dense(),
        }
    }

    fn to_dense(&self) -> Vec<u8> {
        let mut bytes = Header::bytes(DENSE, Self::BITS, self.tokens, Self::BYTES);
        bytes.extend_from_slice(&self.counters);
        bytes.extend(self.beyond.iter().flat_map(|counter| counter.to_le_bytes()));
        bytes
    }

    /// The levels, which [`TokenRanks`] reads without a copy: about one for each token counted, and, where there are more of
    /// them than 2^22, one for each four tokens, at most 2^[`Self::BITS`].
    #[must_use]
    pub fn to_ranks(&self) -> Vec<u8> {
        let bits_for = |levels: u64| {
            levels
                .checked_next_power_of_two()
                .map_or(64, u64::trailing_zeros)
        };
        let few = bits_for(self.tokens).min(MAX_BITS_OF_FEW);
        let bits = few
            .max(bits_for(self.tokens / 4))
            .clamp(MIN_BITS, Self::BITS);
        let mut bytes = Header::bytes(LEVELS, bits, self.tokens, 1 << bits);
        if self.counters.is_empty() {
            let mut counts = vec![0_u32; 1 << bits];
            for &token in &self.uncounted {
                counts[counter_index(token, bits)] += 1;
            }
            bytes.extend(counts.into_iter().map(level));
            return bytes;
        }
        let size = 1_usize << (Self::BITS - bits);
        let groups = self.counters.chunks_exact(size).enumerate();
        bytes.extend(groups.map(|(number, group)| {
            let counted = group.iter().map(|&counter| u32::from(counter)).sum();
            level(match group.contains(&u8::MAX) {
                false => counted,
                true => {
                    let start = number * size;
                    let end = (start + size).next_multiple_of(1 << SHARED_BITS);
                    let beyond = &self.beyond[start >> SHARED_BITS..end >> SHARED_BITS];
                    beyond
                        .iter()
                        .fold(counted, |sum, &counter| sum.saturating_add(counter))
                }
            })
        }));
        bytes
    }
}

/// A count rounded to one byte, with four significant bits: counts below 16 are kept, larger ones are given
/// by their exponent and the three bits after the leading one. The level never falls as the count rises.
#[inline]
#[must_use]
pub fn level(count: u32) -> u8 {
    if count < 8 {
        return count as u8;
    }
    let exponent = count.ilog2();
    ((exponent - 2) << 3 | count >> (exponent - 3) & 7) as u8
}

/// The middle of the counts of a level.
fn middle_count(level: u8) -> f64 {
    let (exponent, significand) = (u32::from(level >> 3) + 2, u32::from(level & 7));
    match level {
        0..8 => f64::from(level),
        _ => {
            let width = 1_u64 << (exponent - 3);
            (u64::from(8 | significand) * width) as f64 + (width - 1) as f64 / 2.0
        }
    }
}

/// The total order of tokens that a sketch gives, read from its bytes without a copy.
#[derive(Debug, Clone, Copy)]
pub struct TokenRanks<'a> {
    levels: &'a [u8],
    bits: u32,
    tokens: u64,
}

impl<'a> TokenRanks<'a> {
    /// Reads bytes written by [`TokenFrequencies::to_ranks`], in constant time.
    ///
    /// # Errors
    ///
    /// If the bytes are not a finished sketch.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, FrequencyError> {
        let header = Header::read(bytes)?;
        if header.encoding != LEVELS {
            return Err(FrequencyError::Unfinished);
        }
        let (levels, bits) = (&bytes[HEADER..], header.bits);
        if levels.len() != 1usize << bits {
            return Err(FrequencyError::Counters(bytes.len()));
        }
        Ok(Self {
            levels,
            bits,
            tokens: header.tokens,
        })
    }

    /// The number of tokens counted.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The level of the count of the tokens that share a counter with `token`.
    #[inline]
    #[must_use]
    pub fn level(&self, token: u64) -> u8 {
        self.levels[counter_index(token, self.bits)]
    }

    /// The rank of a token: rare ones first, ties by the token itself.
    #[inline]
    #[must_use]
    pub fn rank(&self, token: u64) -> (u8, u64) {
        (self.level(token), token)
    }

    /// An estimate of the number of pairs of rows that a join by shared tokens compares; a pair counts once
    /// for each token it shares. This is the sum of c(c - 1)/2 over all tokens, where c is the number of
    /// occurrences; a token with more than `max_bucket_pairwise` occurrences counts [`MAX_PIVOTS`] comparisons for
    /// each instead. If the sketch counted prefix tokens, this is the number of pairs that a prefix join compares.
    ///
    /// The average number of accidental collisions of counters is subtracted. `share` is the share of all
    /// rows that was counted, in (0, 1]: a random sample has the square of this share of all pairs.
    #[must_use]
    pub fn comparisons(&self, max_bucket_pairwise: Option<u64>, share: f64) -> f64 {
        let max_bucket_pairwise = max_bucket_pairwise.unwrap_or(u64::MAX) as f64;
        let (mut total, mut compared) = (0.0, 0.0);
        for &level in self.levels {
            let count = middle_count(level);
            total += count;
            compared += match count > max_bucket_pairwise * share {
                true => count * MAX_PIVOTS as f64 * share,
                false => count * (count - 1.0) / 2.0,
            };
        }
        let accidental = total * total / (2.0 * self.levels.len() as f64);
        (compared - accidental).max(0.0) / (share * share)
    }

    /// Appends to `out` the prefix of a set: the [`prefix_len`] tokens of lowest rank of the distinct `tokens`,
    /// in ascending order of rank. `scratch` is memory to reuse.
    pub fn prefix_into(
        &self,
        tokens: &[u64],
        threshold: f64,
        scratch: &mut Vec<(u8, u64)>,
        out: &mut Vec<u64>,
    ) {
        let count = prefix_len(tokens.len(), threshold);
        self.rarest_into(tokens, count, scratch, out);
    }

    /// Appends to `out` the `count` tokens of lowest rank of the distinct `tokens`, or all if there are fewer, in
    /// ascending order of rank. `scratch` is memory to reuse.
    pub fn rarest_into(
        &self,
        tokens: &[u64],
        count: usize,
        scratch: &mut Vec<(u8, u64)>,
        out: &mut Vec<u64>,
    ) {
        scratch.clear();
        scratch.extend(tokens.iter().map(|&token| self.rank(token)));
        if count < scratch.len() {
            scratch.select_nth_unstable(count);
            scratch.truncate(count);
        }
        scratch.sort_unstable();
        out.extend(scratch.iter().map(|&(_, token)| token));
    }
}

struct Header {
    encoding: u8,
    bits: u32,
    tokens: u64,
}

impl Header {
    /// A header, with capacity for `body` bytes after it.
    fn bytes(encoding: u8, bits: u32, tokens: u64, body: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + body);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[VERSION, encoding, bits as u8, 0]);
        bytes.extend_from_slice(&tokens.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Self, FrequencyError> {
        let Some((header, _)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(FrequencyError::Header);
        };
        let [m0, m1, m2, m3, version, encoding, bits, zero, tokens @ ..] = *header;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(FrequencyError::Header);
        }
        if version != VERSION {
            return Err(FrequencyError::Version(version));
        }
        let bits = u32::from(bits);
        let known = [DENSE, SPARSE, TOKENS, LEVELS].contains(&encoding);
        if !known || zero != 0 || !(MIN_BITS..=TokenFrequencies::BITS).contains(&bits) {
            return Err(FrequencyError::Header);
        }
        let tokens = u64::from_le_bytes(tokens);
        Ok(Self {
            encoding,
            bits,
            tokens,
        })
    }
}

/// The index of the counter of a token: the high bits of its Fibonacci hash, so that tokens need not be
/// uniformly distributed, and adding adjacent counters equals counting with fewer bits.
#[inline]
fn counter_index(token: u64, bits: u32) -> usize {
    (token.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
}

/// Appends a counter in the sparse encoding, after `gap` counters that are zero.
#[inline]
fn push_sparse(bytes: &mut Vec<u8>, gap: &mut u32, counter: u32) {
    if counter == 0 {
        *gap += 1;
        return;
    }
    push_varint(bytes, *gap);
    push_varint(bytes, counter);
    *gap = 0;
}

#[inline]
fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests;
