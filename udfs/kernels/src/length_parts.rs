//! Divides the rows of a join into parts by the lengths of their sets.
//!
//! Sets whose lengths differ by more than the threshold allows are not similar, so that a row is needed in few parts: in
//! its own, its *home*, and in those of shorter sets that it may be similar to. A pair belongs to the smaller of the homes
//! of its rows. The length filter is that of Arasu, Ganti and Kaushik, "Efficient exact set-similarity joins", VLDB 2006.

use std::collections::BTreeMap;

use crate::bounds::partner_sizes;
use crate::key_filter::WrongFilter;
use crate::repeated_keys::is_marked;

/// Lengths from this one on are rounded up to a multiple of a power of two, which is at most 1/128 of them.
const EXACT: u64 = 256;
/// The bytes of a range, or of a length and its tokens.
const ENTRY: usize = 16;

/// Counts tokens by the length of sets.
#[derive(Debug, Default)]
pub struct LengthCounts {
    /// For each length, rounded up, the number of tokens of the sets.
    tokens: BTreeMap<u64, u64>,
}

fn rounded_up(length: u64) -> u64 {
    match length {
        0..EXACT => length,
        _ => {
            let step = 1 << (length.ilog2() - 7);
            length.div_ceil(step).saturating_mul(step)
        }
    }
}

fn words(bytes: &[u8]) -> Option<impl Iterator<Item = (u64, u64)>> {
    let (words, rest) = bytes.as_chunks::<ENTRY>();
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    let entries = words
        .iter()
        .map(move |entry| (word(&entry[..8]), word(&entry[8..])));
    rest.is_empty().then_some(entries)
}

fn bytes(entries: impl Iterator<Item = (u64, u64)>) -> Vec<u8> {
    entries
        .flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()])
        .flatten()
        .collect()
}

impl LengthCounts {
    /// Counts a set of this length.
    pub fn add(&mut self, length: u64) {
        self.add_tokens(rounded_up(length), length);
    }

    fn add_tokens(&mut self, length: u64, tokens: u64) {
        let sum = self.tokens.entry(length).or_default();
        *sum = sum.saturating_add(tokens);
    }

    /// Adds what another one counted, from its [`Self::state`].
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        let entries = words(state).ok_or(WrongFilter::Lengths(state.len()))?;
        entries.for_each(|(length, tokens)| self.add_tokens(length, tokens));
        Ok(())
    }

    /// What was counted, for [`Self::merge`].
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        bytes(
            self.tokens
                .iter()
                .map(|(&length, &tokens)| (length, tokens)),
        )
    }

    /// Ranges of lengths for [`LengthParts`]: about as many tokens in each part. Lengths that more sets have than belong
    /// to a part make a range of several parts.
    #[must_use]
    pub fn finish(&self, parts: u32) -> Vec<u8> {
        let mut left = (
            self.tokens
                .values()
                .fold(0_u64, |sum, &n| sum.saturating_add(n)),
            u64::from(parts.max(1)),
        );
        let last = self.tokens.last_key_value().map(|(length, _)| length);
        let mut ranges = Vec::new();
        let (mut held, mut longest) = (0_u64, 0);
        let mut close = |held: u64, longest: u64, parts: u64, left: &mut (u64, u64)| {
            ranges.push((longest, parts));
            *left = (left.0.saturating_sub(held), left.1 - parts);
        };
        for (&length, &tokens) in &self.tokens {
            // A range ends where its tokens are nearest to those of a part.
            let share = |tokens: u64, left: (u64, u64)| {
                2 * u128::from(tokens) * u128::from(left.1) / u128::from(left.0.max(1))
            };
            if held > 0 && left.1 > 1 && share(held.saturating_add(tokens / 2), left) >= 2 {
                close(held, longest, 1, &mut left);
                held = 0;
            }
            held = held.saturating_add(tokens);
            longest = length;
            if left.1 > 1 && share(held, left) >= 3 && Some(&length) != last {
                // Rounded; the lengths after it need a part.
                let parts = u64::try_from(share(held, left).div_ceil(2)).unwrap_or(u64::MAX);
                let parts = parts.clamp(1, left.1 - 1);
                close(held, longest, parts, &mut left);
                held = 0;
            }
        }
        // The last range has all longer sets.
        ranges.push((u64::MAX, left.1));
        let mut first = 0;
        bytes(ranges.into_iter().map(|(longest, parts)| {
            first += parts;
            (longest, first)
        }))
    }

    /// The bytes that are allocated, about.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.tokens.len() * 4 * ENTRY
    }
}

/// Ranges of lengths: the longest length of each, and the number of parts up to its end.
#[derive(Debug)]
pub struct LengthParts<'a> {
    ranges: &'a [[u8; ENTRY]],
}

impl<'a> LengthParts<'a> {
    /// The ranges of [`LengthCounts::finish`].
    ///
    /// # Errors
    /// If the bytes are not such ranges.
    pub fn new(bytes: &'a [u8]) -> Result<Self, WrongFilter> {
        match bytes.as_chunks() {
            (ranges, []) if !ranges.is_empty() => Ok(Self { ranges }),
            _ => Err(WrongFilter::Lengths(bytes.len())),
        }
    }

    fn range(&self, at: usize) -> (u64, u64) {
        let range = self.ranges.get(at).map_or(&[0; ENTRY], |range| range);
        let (words, _) = range.as_chunks::<8>();
        (u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]))
    }

    /// The number of parts.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.range(self.ranges.len() - 1).1.max(1)
    }

    /// The first part of the range of a length, and the one after its last.
    fn parts_of(&self, length: u64) -> (u64, u64) {
        let at = self.ranges.partition_point(|range| {
            let (words, _) = range.as_chunks::<8>();
            u64::from_le_bytes(words[0]) < length
        });
        let first = match at {
            0 => 0,
            _ => self.range(at - 1).1,
        };
        (first, self.range(at).1.max(first.saturating_add(1)))
    }

    /// Appends the parts that a row with these keys and this length belongs to: its home, then the others, ascending. None
    /// without keys.
    ///
    /// They are those before its home whose rows may be similar to it, if it has a key that is not marked, and those of its
    /// marked keys: key modulo number of parts.
    pub fn append(&self, keys: &[u64], length: u64, threshold: f64, parts: &mut Vec<u32>) {
        if keys.is_empty() {
            return;
        }
        let all = self.parts();
        let (start, end) = self.parts_of(length);
        let mixed = keys.iter().fold(length, |mixed, &key| {
            (mixed ^ key)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(29)
        });
        let home = start + mixed % (end - start);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (smallest, _) = partner_sizes(length, threshold);
        let (first, _) = self.parts_of(smallest as u64);
        let first = match keys.iter().all(|&key| is_marked(key)) {
            true => home,
            false => first.min(home),
        };
        let marked = keys
            .iter()
            .filter(|&&key| is_marked(key))
            .map(|key| key % all);
        let begin = parts.len();
        parts.push(home as u32);
        parts.extend(
            (first..home)
                .chain(marked)
                .filter(|&part| part != home)
                .map(|part| part as u32),
        );
        parts[begin + 1..].sort_unstable();
        let mut last = None;
        let mut kept = begin + 1;
        for at in begin + 1..parts.len() {
            if last != Some(parts[at]) {
                last = Some(parts[at]);
                parts[kept] = parts[at];
                kept += 1;
            }
        }
        parts.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    fn ranges(lengths: &[u64], parts: u32) -> Vec<u8> {
        let mut counts = LengthCounts::default();
        let (first, second) = lengths.split_at(lengths.len() / 3);
        first.iter().for_each(|&length| counts.add(length));
        let mut other = LengthCounts::default();
        second.iter().for_each(|&length| other.add(length));
        counts.merge(&other.state()).expect("a state");
        counts.finish(parts)
    }

    #[test]
    fn similar_rows_meet_in_the_smaller_of_their_homes() {
        let mut random = Random::new(3);
        for round in 0..60 {
            let number = 1 + random.below(300);
            let bound = [3, 40, 700, 20_000][round % 4];
            let lengths: Vec<u64> = (0..number)
                .map(|_| u64::from(1 + random.below(bound)))
                .collect();
            let count = [1, 2, 7, 64, 1000][round % 5];
            let threshold = [0.2, 0.5, 0.8, 1.0][round % 4];
            let ranges = ranges(&lengths, count);
            let ranges = LengthParts::new(&ranges).expect("ranges");
            assert_eq!(ranges.parts(), u64::from(count));
            // Lengths that were not counted have parts, too.
            let lengths = lengths.iter().copied().chain([0, 1, 5, 1 << 40]);
            let rows: Vec<(u64, Vec<u32>)> = lengths
                .map(|length| {
                    let mut parts = vec![77];
                    ranges.append(&[random.next() >> 1], length, threshold, &mut parts);
                    assert_eq!(parts.remove(0), 77);
                    assert!(parts.iter().all(|&part| part < count), "{parts:?}");
                    assert!(parts[1..].is_sorted_by(|a, b| a < b));
                    assert!(parts[1..].iter().all(|&part| part < parts[0]));
                    (length, parts)
                })
                .collect();
            for (a, of_a) in &rows {
                for (b, of_b) in &rows {
                    let (smallest, largest) = partner_sizes(*a as usize, threshold);
                    if (smallest as u64..=largest as u64).contains(b) {
                        let home = of_a[0].min(of_b[0]);
                        assert!(of_a.contains(&home) && of_b.contains(&home), "{a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn parts_have_about_as_many_tokens() {
        let mut random = Random::new(4);
        for bound in [1, 2, 30, 400, 3000] {
            let lengths: Vec<u64> = (0..20_000)
                .map(|_| 50 + u64::from(random.below(bound)))
                .collect();
            for count in [1, 2, 8, 16] {
                let ranges = ranges(&lengths, count);
                let ranges = LengthParts::new(&ranges).expect("ranges");
                let mut tokens = vec![0; count as usize];
                for &length in &lengths {
                    let mut parts = Vec::new();
                    ranges.append(&[random.next() >> 1], length, 0.8, &mut parts);
                    tokens[parts[0] as usize] += length;
                }
                let all: u64 = tokens.iter().sum();
                let largest = tokens.iter().max().expect("a part");
                assert!(largest * u64::from(count) < 2 * all, "{bound} {tokens:?}");
            }
        }
    }

    #[test]
    fn rows_with_marked_keys_are_in_the_parts_of_these() {
        let ranges = ranges(&[10, 20, 40, 80, 160, 320], 6);
        let ranges = LengthParts::new(&ranges).expect("ranges");
        let marked = |key: u64| key | 1 << 63;
        let parts = |keys: &[u64]| {
            let mut parts = Vec::new();
            ranges.append(keys, 320, 0.9, &mut parts);
            parts
        };
        let home = parts(&[5])[0];
        let of_key = |key: u64| (marked(key) % 6) as u32;
        assert_eq!(parts(&[]), [0_u32; 0]);
        for key in 0..20 {
            let found = parts(&[5, marked(key)]);
            assert!(found.contains(&of_key(key)) && found[0] < 6, "{found:?}");
            let only = parts(&[marked(key)]);
            assert!(
                only.len() <= 2 && only.contains(&of_key(key)),
                "{only:?} {home}"
            );
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        assert!(LengthParts::new(&[]).is_err());
        assert!(LengthParts::new(&[0; 15]).is_err());
        assert!(LengthCounts::default().merge(&[0; 15]).is_err());
        let none = LengthCounts::default().finish(3);
        assert_eq!(LengthParts::new(&none).expect("ranges").parts(), 3);
    }
}
