//! Sorting of hashes: the step that every text goes through.

/// Below this many hashes the standard sort is as fast as distributing them first.
const SMALL: usize = 40;

/// Hashes a bucket holds on average after they have been distributed.
const PER_BUCKET_LOG2: u32 = 1;

/// Buffers for [`sort_distinct`], to be used again for the next text.
#[derive(Debug, Default)]
pub(crate) struct HashOrder {
    ends: Vec<u32>,
    values: Vec<u64>,
}

/// Sorts `out[start..]` and removes repeats from it.
///
/// Hashes are spread evenly, so one counting pass over their leading bits leaves buckets of about
/// two, and an insertion sort over the whole moves each a step or so. Input that is not spread
/// evenly (no hash function gives that) is found by its fullest bucket and goes to the standard
/// sort.
pub(crate) fn sort_distinct(out: &mut Vec<u64>, start: usize, order: &mut HashOrder) {
    let count = out.len() - start;
    if count < SMALL || u32::try_from(count).is_err() || !spread(&mut out[start..], order) {
        out[start..].sort_unstable();
    }
    let mut kept = start;
    for at in start..out.len() {
        let value = out[at];
        out[kept] = value;
        let next_differs = out.get(at + 1) != Some(&value);
        kept += usize::from(next_differs);
    }
    out.truncate(kept);
}

/// Sorts by buckets; `false`, with the values as they were, where a bucket holds too many.
fn spread(hashes: &mut [u64], order: &mut HashOrder) -> bool {
    let count = hashes.len();
    let bits = (count.ilog2().saturating_sub(PER_BUCKET_LOG2)).clamp(1, 16);
    let shift = 64 - bits;
    let ends = &mut order.ends;
    ends.clear();
    ends.resize(1 << bits, 0);
    for &hash in hashes.iter() {
        ends[(hash >> shift) as usize] += 1;
    }
    let allowed = 64 + (count >> bits) as u32 * 4;
    let mut sum = 0;
    for end in ends.iter_mut() {
        if *end > allowed {
            return false;
        }
        let here = *end;
        *end = sum;
        sum += here;
    }
    order.values.clear();
    order.values.extend_from_slice(hashes);
    for &hash in &order.values {
        let place = &mut ends[(hash >> shift) as usize];
        hashes[*place as usize] = hash;
        *place += 1;
    }
    if count >> bits > 8 {
        let mut from = 0;
        for &end in ends.iter() {
            hashes[from..end as usize].sort_unstable();
            from = end as usize;
        }
    } else {
        insertion_sort(hashes);
    }
    true
}

fn insertion_sort(values: &mut [u64]) {
    for at in 1..values.len() {
        let value = values[at];
        let mut hole = at;
        while hole > 0 && values[hole - 1] > value {
            values[hole] = values[hole - 1];
            hole -= 1;
        }
        values[hole] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    fn oracle(values: &[u64]) -> Vec<u64> {
        values.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect()
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
                assert_eq!(out[2..], oracle(&values), "{size} values under {mask:x}");
            }
        }
    }
}
