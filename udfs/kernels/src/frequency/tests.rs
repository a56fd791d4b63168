use std::collections::BTreeMap;

use super::*;
use crate::test_random::Random;

/// Tokens of skewed frequencies: a few occur often, many once.
fn skewed(seed: u64, count: usize) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let bound = 1 + random.below(5000);
            Random::new(u64::from(random.below(bound))).next()
        })
        .collect()
}

fn sketch(tokens: &[u64]) -> TokenFrequencies {
    let mut sketch = TokenFrequencies::new();
    sketch.add(tokens);
    sketch
}

/// A sketch that has counters, however few tokens there are.
fn counted(tokens: &[u64]) -> TokenFrequencies {
    let mut sketch = sketch(tokens);
    sketch.count();
    sketch
}

#[test]
fn bytes_do_not_depend_on_order_or_grouping() {
    // As they are; counted in some or in all pieces.
    for count in [20_000, MAX_UNCOUNTED - 1_000, MAX_UNCOUNTED, 300_000] {
        let mut tokens = skewed(1, count);
        // More than a counter of one byte counts.
        tokens.extend(std::iter::repeat_n(77, 1_000));
        let whole = sketch(&tokens);
        let ranks = whole.to_ranks();
        assert!(counted(&tokens).to_ranks() == ranks, "{count}");
        Random::new(2).shuffle(&mut tokens);
        for pieces in [1, 2, 7, 100] {
            let mut merged = TokenFrequencies::new();
            let mut by_state = TokenFrequencies::new();
            let mut mixed = TokenFrequencies::new();
            for (number, piece) in tokens.chunks(tokens.len().div_ceil(pieces)).enumerate() {
                merged.merge(&sketch(piece));
                by_state.merge_state(&sketch(piece).to_state()).unwrap();
                match number % 2 {
                    0 => mixed.merge(&counted(piece)),
                    _ => mixed.merge_state(&sketch(piece).to_state()).unwrap(),
                }
            }
            assert!(merged.to_state() == whole.to_state(), "{count} {pieces}");
            assert!(by_state.to_state() == whole.to_state(), "{count} {pieces}");
            assert!(merged.to_ranks() == ranks, "{count} {pieces}");
            assert!(mixed.to_ranks() == ranks, "{count} {pieces}");
        }
    }
}

#[test]
fn few_tokens_take_little_memory() {
    let mut sketch = sketch(&skewed(7, 1_000));
    assert!(sketch.memory() < 20_000);
    sketch.add(&skewed(8, MAX_UNCOUNTED - 1_000));
    assert!(sketch.memory() <= 2 << 20);
    sketch.add(&[1]);
    assert_eq!(sketch.memory(), TokenFrequencies::BYTES);
    assert_eq!(sketch.tokens(), MAX_UNCOUNTED as u64 + 1);
}

/// The levels are those of the counts, which are larger than a counter of one byte.
#[test]
fn frequent_tokens_are_counted_beyond_a_byte() {
    let mut all = counted(&[]);
    // Counters that share a larger one: both count too many, as tokens do that share a counter.
    let counts = [
        (0, 254),
        (16, 255),
        (32, 256),
        (48, 70_000),
        (64, 300),
        (65, 20),
        (66, 1000),
    ];
    for (index, count) in counts {
        (0..count).for_each(|_| all.add_count(index, 1));
    }
    // So many tokens that counters are not added.
    all.tokens = 1 << 26;
    let levels = all.to_ranks();
    assert_eq!(levels.len(), HEADER + (1 << TokenFrequencies::BITS));
    let expected = [
        (0, 254),
        (16, 255),
        (32, 256),
        (48, 70_000),
        (64, 1045),
        (65, 20),
        (66, 1045),
    ];
    for (index, count) in expected {
        assert_eq!(levels[HEADER + index], level(count), "{index}");
    }
    for token in [5_u64, u64::MAX / 3] {
        for count in [70_000, 200_000] {
            let ranks = sketch(&vec![token; count]).to_ranks();
            let ranks = TokenRanks::from_bytes(&ranks).unwrap();
            assert_eq!(ranks.level(token), level(count as u32));
        }
    }
}

#[test]
fn the_number_of_levels_follows_that_of_tokens() {
    let mut all = sketch(&[1, 2, 3]);
    for (tokens, bits) in [
        (0, 4),
        (16, 4),
        (17, 5),
        (1 << 22, 22),
        (1 << 24, 22),
        (5 << 22, 23),
        (1 << 25, 23),
        (1 << 26, 24),
        (u64::MAX, 24),
    ] {
        all.tokens = tokens;
        assert_eq!(all.to_ranks().len(), HEADER + (1 << bits), "{tokens}");
    }
}

#[test]
fn state_round_trips_in_all_encodings() {
    let mut dense = counted(&[]);
    dense.counters.fill(200);
    dense.beyond.fill(1 << 30);
    for (sketch, encoding) in [
        (TokenFrequencies::new(), TOKENS),
        (sketch(&skewed(3, 1000)), TOKENS),
        (counted(&[]), SPARSE),
        (counted(&skewed(3, 1000)), SPARSE),
        (counted(&[42; 1000]), SPARSE),
        (dense, DENSE),
    ] {
        let bytes = sketch.to_state();
        assert_eq!(bytes[5], encoding);
        let read = TokenFrequencies::from_state(&bytes).unwrap();
        assert!(read.to_state() == bytes);
        assert_eq!(read.tokens(), sketch.tokens());
    }
    assert_eq!(TokenFrequencies::new().to_state().len(), HEADER);
}

#[test]
fn counters_saturate() {
    let mut sketch = counted(&[42]);
    let index = counter_index(42, TokenFrequencies::BITS);
    sketch.counters[index] = u8::MAX;
    sketch.beyond[index >> SHARED_BITS] = u32::MAX - 1;
    sketch.add(&[42, 42, 42]);
    let copy = sketch.clone();
    sketch.merge(&copy);
    sketch.merge_state(&copy.to_state()).unwrap();
    let bytes = sketch.to_ranks();
    assert_eq!(
        TokenRanks::from_bytes(&bytes).unwrap().level(42),
        level(u32::MAX)
    );
}

#[test]
fn small_inputs_make_small_blobs_that_still_count() {
    let empty = TokenFrequencies::new().to_ranks();
    assert_eq!(empty.len(), HEADER + 16);
    assert_eq!(TokenRanks::from_bytes(&empty).unwrap().rank(7), (0, 7));

    let tokens = skewed(4, 3000);
    let bytes = sketch(&tokens).to_ranks();
    assert_eq!(bytes.len(), HEADER + 4096);
    let ranks = TokenRanks::from_bytes(&bytes).unwrap();
    let mut exact: BTreeMap<u64, u32> = BTreeMap::new();
    for &token in &tokens {
        *exact.entry(token).or_default() += 1;
    }
    for (&token, &count) in &exact {
        assert!(
            ranks.level(token) >= level(count),
            "a sketch never counts too few"
        );
    }
    let exactly = exact.iter().filter(|(t, c)| ranks.level(**t) == level(**c));
    assert!(
        exactly.count() * 2 > exact.len(),
        "most tokens are alone in their counter"
    );
}

#[test]
fn a_folded_sketch_is_the_sketch_of_fewer_bits() {
    let tokens = skewed(5, 500);
    let bytes = sketch(&tokens).to_ranks();
    let ranks = TokenRanks::from_bytes(&bytes).unwrap();
    let mut counters = [0u32; 512];
    for &token in &tokens {
        counters[counter_index(token, 9)] += 1;
    }
    assert!(
        tokens
            .iter()
            .all(|&t| ranks.level(t) == level(counters[counter_index(t, 9)]))
    );
}

#[test]
fn prefixes_are_the_lowest_tokens_in_order() {
    let tokens = skewed(6, 5000);
    let bytes = sketch(&tokens).to_ranks();
    let ranks = TokenRanks::from_bytes(&bytes).unwrap();
    let (mut scratch, mut out) = (Vec::new(), vec![9]);
    for size in 0..120 {
        let mut set = tokens[size * 3..size * 4].to_vec();
        set.sort_unstable();
        set.dedup();
        for threshold in [0.1, 0.5, 0.6, 0.8, 1.0] {
            out.truncate(1);
            ranks.prefix_into(&set, threshold, &mut scratch, &mut out);
            let mut expected = set.clone();
            expected.sort_by_key(|&t| ranks.rank(t));
            expected.truncate(prefix_len(set.len(), threshold));
            assert_eq!(out[1..], expected);
        }
    }
}

#[test]
fn the_rarest_are_as_many_as_asked_for_and_there() {
    let tokens = skewed(6, 5000);
    let bytes = sketch(&tokens).to_ranks();
    let ranks = TokenRanks::from_bytes(&bytes).unwrap();
    let mut set = tokens[..50].to_vec();
    set.sort_unstable();
    set.dedup();
    let mut sorted = set.clone();
    sorted.sort_by_key(|&t| ranks.rank(t));
    let mut scratch = Vec::new();
    for count in (0..set.len() + 3).chain([usize::MAX]) {
        let mut out = vec![9];
        ranks.rarest_into(&set, count, &mut scratch, &mut out);
        assert_eq!(out[1..], sorted[..count.min(sorted.len())]);
    }
}

fn comparisons(sketch: &TokenFrequencies) -> f64 {
    TokenRanks::from_bytes(&sketch.to_ranks())
        .unwrap()
        .comparisons(None, 1.0)
}

#[test]
fn comparisons_are_estimated_within_a_few_percent() {
    let tokens = skewed(8, 200_000);
    let mut exact: BTreeMap<u64, f64> = BTreeMap::new();
    for &token in &tokens {
        *exact.entry(token).or_default() += 1.0;
    }
    let expected: f64 = exact.values().map(|c| c * (c - 1.0) / 2.0).sum();
    let estimate = comparisons(&sketch(&tokens));
    assert!(
        (estimate / expected - 1.0).abs() < 0.05,
        "{estimate} against {expected}"
    );

    // Distinct tokens give no pairs, even where many share a counter.
    let distinct: Vec<u64> = (0..4_000_000).map(|i| Random::new(i).next()).collect();
    let crowd = comparisons(&sketch(&distinct));
    assert!(crowd < 100_000.0, "{crowd}");
    assert_eq!(comparisons(&TokenFrequencies::new()), 0.0);
}

#[test]
fn levels_rise_with_counts() {
    let mut last = 0;
    for count in (0..100_000)
        .chain((17..32).map(|e| 1 << e))
        .chain([u32::MAX])
    {
        let next = level(count);
        assert!(next >= last);
        assert!(count > 16 || u32::from(next) == count);
        last = next;
    }
    assert_eq!(last, 239);
    assert_eq!((level(16), level(17), level(18)), (16, 16, 17));
}

#[test]
fn damaged_bytes_are_errors() {
    let good = counted(&skewed(9, 300)).to_state();
    let tokens = sketch(&skewed(9, 300)).to_state();
    assert!(TokenRanks::from_bytes(&tokens).is_err(), "tokens");
    for cut in 0..tokens.len() {
        assert!(
            TokenFrequencies::from_state(&tokens[..cut]).is_err(),
            "{cut}"
        );
    }
    assert_eq!(
        TokenRanks::from_bytes(&[]).unwrap_err(),
        FrequencyError::Header
    );
    assert!(TokenRanks::from_bytes(&good).is_err(), "sparse");
    let ranks = sketch(&[1]).to_ranks();
    assert!(TokenFrequencies::from_state(&ranks).is_err(), "folded");
    assert!(TokenRanks::from_bytes(&ranks[..ranks.len() - 1]).is_err());
    for at in 0..8 {
        let mut bad = ranks.clone();
        bad[at] ^= 0x55;
        assert!(TokenRanks::from_bytes(&bad).is_err(), "byte {at}");
    }
    // No prefix and no change of a state may panic.
    for cut in (0..good.len()).step_by(13) {
        let _ = TokenFrequencies::from_state(&good[..cut]);
    }
    let mut overlong = good[..HEADER].to_vec();
    overlong.extend([0xFF; 12]);
    assert_eq!(
        TokenFrequencies::from_state(&overlong).unwrap_err(),
        FrequencyError::Counters(overlong.len())
    );
    let mut outside = good[..HEADER].to_vec();
    outside.extend([0xFF, 0xFF, 0xFF, 0x7F, 1]);
    assert!(TokenFrequencies::from_state(&outside).is_err());
    let mut large = good[..HEADER].to_vec();
    large.extend([0, 0x80, 0x02]);
    assert!(
        TokenFrequencies::from_state(&large).is_err(),
        "256 in a byte"
    );
}
