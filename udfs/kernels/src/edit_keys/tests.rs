use std::collections::BTreeMap;

use super::*;
use crate::edit_similarity;
use crate::frequency::TokenFrequencies;
use crate::random_texts::RandomTexts;

/// From 0.05 to 1, with fractions that the arithmetic does not hit exactly, and their neighbours in `f64`.
fn thresholds() -> Vec<f64> {
    let mut all: Vec<f64> = (5..=100_u32).map(|i| f64::from(i) / 100.0).collect();
    for q in 2..=20_u32 {
        all.extend((1..q).map(|p| f64::from(p) / f64::from(q)));
    }
    all.extend([0.999, 0.999_999]);
    let neighbours: Vec<f64> = all
        .iter()
        .flat_map(|t| [t.next_down(), t.next_up()])
        .collect();
    all.extend(neighbours);
    all.retain(|&t| t <= 1.0);
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn length_of(text: &str) -> usize {
    text.chars().count()
}

fn grams_of(text: &str, threshold: f64) -> Vec<u64> {
    let mut out = vec![9];
    edit_grams_into(text, threshold, &mut EditGramScratch::default(), &mut out);
    assert_eq!(out.remove(0), 9, "what was there stays");
    out
}

fn keys_of(grams: &[u64], length: usize, sketch: &[u8], threshold: f64) -> Vec<u64> {
    let ranks = TokenRanks::from_bytes(sketch).unwrap();
    let mut out = vec![9];
    edit_keys_into(grams, length, &ranks, threshold, &mut Vec::new(), &mut out);
    assert_eq!(out.remove(0), 9, "what was there stays");
    out
}

/// A sketch of the grams of all texts.
fn sketch_of<'a>(grams: impl IntoIterator<Item = &'a Vec<u64>>) -> Vec<u8> {
    let mut sketch = TokenFrequencies::new();
    grams.into_iter().for_each(|grams| sketch.add(grams));
    sketch.to_ranks()
}

fn share_one(a: &[u64], b: &[u64]) -> bool {
    a.iter().any(|key| b.contains(key))
}

/// The largest distance of two texts that qualify, by the definition of the similarity.
fn naive_distance(longest: usize, threshold: f64) -> usize {
    let qualifies = |&d: &usize| (longest - d) as f64 / longest as f64 >= threshold;
    (0..=longest).rev().find(qualifies).unwrap_or(0)
}

/// The number of grams that two texts that qualify have in common at least, the longer one of `longest` characters.
fn min_common(longest: usize, threshold: f64) -> i64 {
    let gram_length = edit_gram_length(threshold) as i64;
    let distance = max_edit_distance(longest, threshold) as i64;
    longest as i64 - gram_length + 1 - gram_length * distance
}

/// Of a text of `length` characters: the number of grams of the prefix, and the lengths of the longer text for which a
/// pair may have no gram in common, from a loop over all lengths of the longer text.
fn naive_prefix(length: usize, threshold: f64) -> (usize, Vec<usize>) {
    let grams = (length as i64 + 1 - edit_gram_length(threshold) as i64).max(0);
    let (mut prefix, mut lengths) = (0, Vec::new());
    for longest in length.max(1).. {
        if longest - max_edit_distance(longest, threshold) > length {
            break;
        }
        match min_common(longest, threshold) {
            common @ 1.. => prefix = prefix.max(grams - common + 1),
            _ => lengths.push(longest),
        }
    }
    (prefix.clamp(0, grams) as usize, lengths)
}

/// The numbered grams, counted in a map of the grams.
fn naive_grams(text: &str, threshold: f64) -> Vec<u64> {
    let characters: Vec<char> = text.chars().collect();
    if (1..edit_gram_length(threshold)).contains(&characters.len()) {
        return vec![xxh3_64(text.as_bytes())];
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut grams = Vec::new();
    for gram in characters.windows(edit_gram_length(threshold)) {
        let gram: String = gram.iter().collect();
        let hash = xxh3_64(gram.as_bytes());
        let count = counts.entry(gram).or_default();
        *count += 1;
        let bytes = [hash.to_le_bytes(), count.to_le_bytes()].concat();
        grams.push(if *count == 1 { hash } else { xxh3_64(&bytes) });
    }
    grams.sort_unstable();
    grams
}

const ALPHABETS: [&[char]; 4] = [
    &['a', 'b'],
    &['a', 'é', '漢', '😀'],
    &['a', 'b', 'c', 'd', 'e', 'f', ' '],
    &['e', '\u{301}', 'é', '\u{1f3fd}', '\u{1f44d}', '\u{200d}'],
];

/// Texts of up to `max` characters, many of which are a few edits apart.
fn similar_texts(random: &mut RandomTexts, max: usize, alphabet: &[char]) -> Vec<String> {
    let mut texts = Vec::new();
    for _ in 0..6 {
        let length = 1 + random.below(max);
        let letter = |_| alphabet[random.below(alphabet.len())];
        let base: String = (0..length).map(letter).collect();
        for _ in 0..5 {
            let edits = random.below(2 + length / 4);
            texts.push(random.edited(&base, edits, alphabet));
        }
        texts.push(base);
    }
    texts.retain(|text| !text.is_empty());
    texts
}

#[test]
fn the_length_of_a_gram() {
    for (threshold, expected) in [
        (1e-300, 1),
        (0.05, 1),
        (0.5, 1),
        (0.74, 1),
        (0.75, 2),
        (0.8, 2),
        (0.83, 2),
        (0.84, 3),
        (0.875, 4),
        // 0.5 / (1 - 0.9) rounds above 5.
        (0.9, 5),
        (0.93, 7),
        (0.94, 8),
        (0.9375_f64.next_down(), 7),
        (0.9375, 8),
        (0.99, 8),
        (1.0, 8),
    ] {
        assert_eq!(edit_gram_length(threshold), expected, "{threshold}");
    }
}

/// The distance, the number of common grams and the prefix where an edit is just allowed, or just not.
#[test]
fn at_the_lengths_where_an_edit_is_allowed() {
    for (threshold, longest, distance, common) in [
        (0.8, 1, 0, 0),
        (0.8, 2, 0, 1),
        (0.8, 4, 0, 3),
        (0.8, 5, 1, 2),
        (0.8, 6, 1, 3),
        (0.8, 9, 1, 6),
        (0.8, 10, 2, 5),
        (0.8_f64.next_up(), 5, 0, 4),
        (0.75, 3, 0, 2),
        (0.75, 4, 1, 1),
        (0.9, 9, 0, 5),
        (0.9, 10, 1, 1),
        (0.95, 7, 0, 0),
        (0.95, 8, 0, 1),
        (0.95, 19, 0, 12),
        (0.95, 20, 1, 5),
        (0.5, 1, 0, 1),
        (0.5, 2, 1, 1),
        (1.0, 1_000, 0, 993),
    ] {
        let case = format!("{threshold} {longest}");
        assert_eq!(naive_distance(longest, threshold), distance, "{case}");
        assert_eq!(max_edit_distance(longest, threshold), distance, "{case}");
        assert_eq!(min_common(longest, threshold), common, "{case}");
    }
    // A text of 4 characters has 3 grams and qualifies, at a distance of 1, with some texts of 5, with which it shares at
    // least 2: one of them is among any 2 of the 3.
    assert_eq!(prefix_len(3, 0.8), 1);
    assert_eq!(prefix_len(4, 0.8), 2);
    assert_eq!(prefix_len(5, 0.8), 3);
    assert_eq!(prefix_len(1_000, 1.0), 1);
}

#[test]
fn prefixes_and_keys_of_lengths_equal_a_loop_over_all_lengths() {
    let sketch = TokenFrequencies::new().to_ranks();
    for threshold in thresholds() {
        let gram_length = edit_gram_length(threshold);
        for length in 0..=90_usize {
            let case = format!("{length} {threshold}");
            // As many grams as a text of this length has if none of their hashes are equal.
            let count = (length + 1).saturating_sub(gram_length).max(length.min(1)) as u64;
            let grams: Vec<u64> = (1..=count).collect();
            let (prefix, lengths) = naive_prefix(length, threshold);
            let mut expected = Vec::new();
            if (1..gram_length).contains(&length) {
                expected.extend(&grams);
            }
            if length >= gram_length {
                assert!(lengths.is_empty(), "{case}");
                assert_eq!(prefix_len(length, threshold).min(grams.len()), prefix);
                let ranks = TokenRanks::from_bytes(&sketch).unwrap();
                ranks.rarest_into(&grams, prefix, &mut Vec::new(), &mut expected);
            }
            assert_eq!(
                keys_of(&grams, length, &sketch, threshold),
                expected,
                "{case}"
            );
        }
    }
}

#[test]
fn grams_equal_the_definition() {
    let mut random = RandomTexts::new(41);
    for round in 0..600 {
        let text = match round % 3 {
            0 => random.special_characters(60),
            1 => random.few_letters(400, ALPHABETS[round % 4]),
            _ => random.prose(300),
        };
        for threshold in [0.3, 0.8, 0.9, 1.0] {
            let grams = grams_of(&text, threshold);
            assert_eq!(grams, naive_grams(&text, threshold), "{text:?} {threshold}");
            let characters = length_of(&text);
            let count = (characters + 1).saturating_sub(edit_gram_length(threshold));
            let count = count.max(characters.min(1));
            assert_eq!(grams.len(), count, "{text:?} {threshold}");
        }
    }
}

#[test]
fn texts_shorter_than_a_gram_are_one_gram() {
    let sketch = TokenFrequencies::new().to_ranks();
    let keys = |text: &str| keys_of(&grams_of(text, 0.95), length_of(text), &sketch, 0.95);
    assert_eq!(keys(""), []);
    assert_eq!(keys("漢"), [xxh3_64("漢".as_bytes())]);
    assert_ne!(keys("abcdefg"), keys("abcdefh"));
    assert_eq!(grams_of("abcdefgh", 0.95), [xxh3_64(b"abcdefgh")]);
}

/// All pairs of texts with an edit similarity of at least the threshold have the common grams that the bound says,
/// and share a key, whatever the sketch. Returns the number of these pairs of different texts.
fn check_pairs(texts: &[String], similarities: &[Vec<f64>], threshold: f64) -> usize {
    let grams: Vec<Vec<u64>> = texts.iter().map(|text| grams_of(text, threshold)).collect();
    // Few hashes, so that many of a text are equal.
    let colliding = grams.iter().map(|grams| {
        let mut few: Vec<u64> = grams.iter().map(|gram| gram % 23).collect();
        few.sort_unstable();
        few.dedup();
        few
    });
    let colliding: Vec<Vec<u64>> = colliding.collect();
    let keys = [
        (&grams, sketch_of(&grams)),
        (&grams, sketch_of([])),
        (&colliding, sketch_of(&colliding)),
    ]
    .map(|(grams, sketch)| {
        let keys = grams.iter().zip(texts).map(|(grams, text)| {
            let keys = keys_of(grams, length_of(text), &sketch, threshold);
            let mut distinct = keys.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), keys.len());
            keys
        });
        keys.collect::<Vec<_>>()
    });
    let mut pairs = 0;
    for (a, row) in similarities.iter().enumerate() {
        for (b, &similarity) in row.iter().enumerate() {
            if similarity < threshold {
                continue;
            }
            let case = format!("{:?} {:?} {threshold}", texts[a], texts[b]);
            pairs += usize::from(texts[a] != texts[b]);
            let longest = length_of(&texts[a]).max(length_of(&texts[b]));
            let common = grams[a].iter().filter(|&gram| grams[b].contains(gram));
            assert!(
                common.count() as i64 >= min_common(longest, threshold),
                "{case}"
            );
            assert!(
                keys.iter().all(|keys| share_one(&keys[a], &keys[b])),
                "{case}"
            );
        }
    }
    pairs
}

/// For each text its similarities to itself and to the texts before it.
fn similarities_of(texts: &[String]) -> Vec<Vec<f64>> {
    let of = |(at, a): (usize, &String)| {
        let others = texts[..=at].iter();
        others.map(|b| edit_similarity(a, b)).collect()
    };
    texts.iter().enumerate().map(of).collect()
}

#[test]
fn all_texts_of_two_letters_that_qualify_share_a_key() {
    let texts: Vec<String> = (1..=7)
        .flat_map(|length| (0..1_u32 << length).map(move |bits| (length, bits)))
        .map(|(length, bits)| {
            let letter = |at: u32| if bits >> at & 1 == 0 { 'a' } else { 'b' };
            (0..length).map(letter).collect()
        })
        .collect();
    let similarities = similarities_of(&texts);
    for threshold in [
        0.05, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.83, 0.84, 0.857, 0.9, 1.0,
    ] {
        check_pairs(&texts, &similarities, threshold);
    }
}

#[test]
fn random_texts_that_qualify_share_a_key() {
    let mut random = RandomTexts::new(42);
    let all = thresholds();
    let mut pairs = 0;
    for round in 0..24 {
        let max = [8, 20, 60][round % 3];
        let texts = similar_texts(&mut random, max, ALPHABETS[round % 4]);
        let similarities = similarities_of(&texts);
        for threshold in all.iter().skip(round).step_by(37) {
            pairs += check_pairs(&texts, &similarities, *threshold);
        }
    }
    assert!(pairs > 10_000, "{pairs}");
}

/// The pairs at the very distance that a threshold allows, which have the fewest common grams.
#[test]
fn texts_at_the_largest_distance_share_a_key() {
    let mut random = RandomTexts::new(43);
    let mut found = 0;
    for round in 0..200 {
        let alphabet = ALPHABETS[round % 4];
        let length = 1 + random.below(60);
        let letter = |_| alphabet[random.below(alphabet.len())];
        let base: String = (0..length).map(letter).collect();
        for threshold in [0.5, 0.6, 0.75, 0.8, 0.85, 0.9, 0.95] {
            let distance = max_edit_distance(length, threshold);
            let mut texts = vec![base.clone()];
            for _ in 0..4 {
                texts.push(random.edited(&base, distance, alphabet));
                texts.push(random.edited(&base, distance + 1, alphabet));
            }
            texts.retain(|text| !text.is_empty());
            found += check_pairs(&texts, &similarities_of(&texts), threshold);
        }
    }
    assert!(found > 5_000, "{found}");
}

#[test]
fn long_texts() {
    let mut random = RandomTexts::new(44);
    let letter = |_| ['a', 'b', 'c', 'é'][random.below(4)];
    let long: String = (0..100_000).map(letter).collect();
    for threshold in [1e-9, 0.05, 0.5, 0.8, 0.95, 0.999_9, 1.0] {
        for text in [&long, &"a".repeat(100_000)] {
            let grams = grams_of(text, threshold);
            assert_eq!(grams.len(), 100_001 - edit_gram_length(threshold));
            let keys = keys_of(&grams, 100_000, &sketch_of([&grams]), threshold);
            assert_eq!(
                keys.len(),
                prefix_len(100_000, threshold).min(grams.len()),
                "{threshold}"
            );
        }
    }
    let keys = keys_of(&[1, 2], usize::MAX, &sketch_of([]), 0.05);
    assert_eq!(keys.len(), 2);
}
