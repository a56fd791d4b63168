//! Sorting of hashes, which every set of shingles needs, removal of repeats, and the number of distinct hashes.

/// With fewer hashes, the standard sort is faster.
const SMALL: usize = 64;
/// With fewer hashes, one pass is faster than two.
const ONE_PASS: usize = 800;

/// Bits of a [`count_in_bits`] for each hash, at least: so few hashes share a bit that sorting them takes little time.
const BITS_PER_HASH: usize = 16;
/// More hashes are sorted to be counted, so that the two tables of bits take at most 1 MiB.
const MOST_COUNTED: usize = 1 << 17;

/// The number of values of a byte, by which each pass sorts.
const RADIX: usize = 256;

/// Reusable buffers of [`sort_distinct`] and [`count_distinct`].
#[derive(Debug, Default)]
pub(crate) struct HashOrder {
    other: Vec<u64>,
    bits: Vec<Bits>,
    shared: Vec<u64>,
}

/// Sorts `out[start..]` and removes repeats from it.
///
/// Hashes are uniformly distributed, so two passes of a radix sort, by the second and by the first byte, bring
/// nearly all of them into their final position: of 2,000 hashes about thirty pairs agree in both bytes. An
/// insertion sort orders the rest. If it would move too many values, as for very many repeats or values that
/// are not hashes, the standard sort is used.
pub(crate) fn sort_distinct(out: &mut Vec<u64>, start: usize, order: &mut HashOrder) {
    let hashes = &mut out[start..];
    if hashes.len() < SMALL || u32::try_from(hashes.len()).is_err() {
        hashes.sort_unstable();
    } else {
        match hashes.len() < ONE_PASS {
            true => sort_by_first_byte(hashes, &mut order.other),
            false => sort_by_two_bytes(hashes, &mut order.other),
        }
        if !insertion_sort(hashes) {
            hashes.sort_unstable();
        }
    }
    remove_repeats(out, start);
}

/// 64 bits of the tables of [`count_in_bits`].
#[derive(Debug, Default, Clone, Copy)]
struct Bits {
    /// Whether a hash has the bit.
    used: u64,
    /// Whether several hashes have it.
    shared: u64,
}

/// The number of distinct values among `hashes`.
///
/// Each hash has one of many bits. Only hashes whose bit another one has, too, can be equal to another one, about one of
/// twenty where none are repeated: these are sorted.
pub(crate) fn count_distinct(hashes: &[u64], order: &mut HashOrder) -> usize {
    let mut shared = std::mem::take(&mut order.shared);
    shared.clear();
    match SMALL <= hashes.len() && hashes.len() <= MOST_COUNTED {
        true => hashes_of_shared_bits(hashes, &mut order.bits, &mut shared),
        false => shared.extend_from_slice(hashes),
    }
    let alone = hashes.len() - shared.len();
    sort_distinct(&mut shared, 0, order);
    let distinct = alone + shared.len();
    order.shared = shared;
    distinct
}

/// Appends the hashes whose leading bits another one has, too, to `shared`.
fn hashes_of_shared_bits(hashes: &[u64], bits: &mut Vec<Bits>, shared: &mut Vec<u64>) {
    let all = (BITS_PER_HASH * hashes.len()).next_power_of_two().max(64);
    let shift = u64::BITS - all.trailing_zeros();
    bits.clear();
    bits.resize(all / 64, Bits::default());
    let place = |hash: u64| {
        let bit = hash >> shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    };
    for &hash in hashes {
        let (at, bit) = place(hash);
        let bits = &mut bits[at];
        bits.shared |= bits.used & bit;
        bits.used |= bit;
    }
    // Every hash is written; the next one overwrites it if it has its bit alone.
    shared.resize(hashes.len(), 0);
    let mut end = 0;
    for &hash in hashes {
        let (at, bit) = place(hash);
        shared[end] = hash;
        end += usize::from(bits[at].shared & bit != 0);
    }
    shared.truncate(end);
}

/// Sorts by the leading byte.
fn sort_by_first_byte(hashes: &mut [u64], other: &mut Vec<u64>) {
    let mut next = [0_u32; RADIX];
    for &hash in hashes.iter() {
        next[(hash >> 56) as usize] += 1;
    }
    let mut sum = 0;
    for next in &mut next {
        sum += std::mem::replace(next, sum);
    }
    other.clear();
    other.extend_from_slice(hashes);
    for &hash in other.iter() {
        let next = &mut next[(hash >> 56) as usize];
        hashes[*next as usize] = hash;
        *next += 1;
    }
}

/// Sorts by the two leading bytes in two stable passes, the first one by the second byte.
fn sort_by_two_bytes(hashes: &mut [u64], other: &mut Vec<u64>) {
    let (mut second, mut first) = ([0_u32; RADIX], [0_u32; RADIX]);
    for &hash in hashes.iter() {
        second[(hash >> 48) as usize % RADIX] += 1;
        first[(hash >> 56) as usize] += 1;
    }
    let (mut second_sum, mut first_sum) = (0, 0);
    for (second, first) in second.iter_mut().zip(&mut first) {
        second_sum += std::mem::replace(second, second_sum);
        first_sum += std::mem::replace(first, first_sum);
    }
    other.clear();
    other.resize(hashes.len(), 0);
    for &hash in hashes.iter() {
        let next = &mut second[(hash >> 48) as usize % RADIX];
        other[*next as usize] = hash;
        *next += 1;
    }
    for &hash in other.iter() {
        let next = &mut first[(hash >> 56) as usize];
        hashes[*next as usize] = hash;
        *next += 1;
    }
}

/// Sorts values that are nearly sorted; gives up and returns false after about eight moves for each
/// value.
fn insertion_sort(values: &mut [u64]) -> bool {
    let mut moves = values.len() * 8;
    for at in 1..values.len() {
        let value = values[at];
        let mut hole = at;
        while hole > 0 && values[hole - 1] > value && moves > 0 {
            values[hole] = values[hole - 1];
            hole -= 1;
            moves -= 1;
        }
        values[hole] = value;
    }
    moves > 0
}

/// Keeps one of equal neighbours in `sorted[start..]`.
pub(crate) fn remove_repeats<T: Copy + PartialEq>(sorted: &mut Vec<T>, start: usize) {
    let mut kept = start;
    for at in start..sorted.len() {
        let value = sorted[at];
        sorted[kept] = value;
        kept += usize::from(sorted.get(at + 1) != Some(&value));
    }
    sorted.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    fn oracle(values: &[u64]) -> Vec<u64> {
        values
            .iter()
            .copied()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    #[test]
    fn equals_an_ordered_set() {
        let mut random = SplitMix64::new(11);
        let mut order = HashOrder::default();
        for size in (0..200).chain([1_000, 5_000, 300_000]) {
            // Spread evenly, with repeats, all alike, and all with the same leading bits.
            for mask in [u64::MAX, 0x3ff << 50, 0, 0xffff] {
                let values: Vec<u64> = (0..size).map(|_| random.next() & mask).collect();
                let mut out = vec![9, 9];
                out.extend_from_slice(&values);
                sort_distinct(&mut out, 2, &mut order);
                assert_eq!(out[..2], [9, 9], "what was there stays");
                let distinct = oracle(&values);
                assert_eq!(out[2..], distinct, "{size} values under {mask:x}");
                assert_eq!(
                    count_distinct(&values, &mut order),
                    distinct.len(),
                    "{size} values under {mask:x}"
                );
            }
        }
    }
}
