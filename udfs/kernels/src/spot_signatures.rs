//! SpotSigs: signatures at the occurrences of frequent words (Theobald, Siddharth, Paepcke, SIGIR 2008).
//!
//! Frequent words, the antecedents, occur in prose but seldom in headings, menus and lists. A signature is an
//! antecedent and the chain of words after it, so that signatures represent the prose of a page.

use std::collections::VecDeque;

use xxhash_rust::xxh3::xxh3_64;

use crate::hash_order::{HashOrder, sort_distinct};
use crate::words::for_each_word;

/// How the chain of an antecedent is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpotSignatures {
    /// Each word of a chain is this number of words after the one before, antecedents not counted; at least 1.
    pub distance: usize,
    /// The number of words of a chain; at least 1.
    pub chain: usize,
}

/// Reusable buffers of [`SpotSignatures::hashes_into`].
#[derive(Debug, Default)]
pub struct SpotScratch {
    joined: String,
    order: HashOrder,
}

impl SpotSignatures {
    /// Calls `f` with each signature of `text` in the order in which they end: the antecedent and the words of its
    /// chain, joined by one space. An antecedent with fewer words after it has no signature.
    ///
    /// Words are those of `word:` shingles. `is_antecedent` gets the XXH3-64 hash of a word.
    pub fn for_each(
        self,
        text: &str,
        is_antecedent: impl Fn(u64) -> bool,
        scratch: &mut SpotScratch,
        mut f: impl FnMut(&str),
    ) {
        let (distance, needed) = (
            self.distance.max(1),
            self.distance.max(1) * self.chain.max(1),
        );
        // Antecedents whose chain is not complete, each with the number of other words before it.
        let mut open: VecDeque<(&str, usize)> = VecDeque::new();
        // The other words that a chain may still need.
        let mut words: VecDeque<&str> = VecDeque::with_capacity(needed);
        let mut count = 0;
        for_each_word(text, |word| {
            if is_antecedent(xxh3_64(word.as_bytes())) {
                open.push_back((word, count));
                return;
            }
            if words.len() == needed {
                words.pop_front();
            }
            words.push_back(word);
            count += 1;
            while let Some(&(antecedent, before)) = open.front()
                && before + needed == count
            {
                open.pop_front();
                scratch.joined.clear();
                scratch.joined.push_str(antecedent);
                for word in words.iter().skip(distance - 1).step_by(distance) {
                    scratch.joined.push(' ');
                    scratch.joined.push_str(word);
                }
                f(&scratch.joined);
            }
        });
    }

    /// Appends the sorted distinct XXH3-64 hashes of the signatures of `text` to `out`. Values already in `out` are
    /// not changed.
    pub fn hashes_into(
        self,
        text: &str,
        is_antecedent: impl Fn(u64) -> bool,
        scratch: &mut SpotScratch,
        out: &mut Vec<u64>,
    ) {
        let start = out.len();
        self.for_each(text, is_antecedent, scratch, |signature| {
            out.push(xxh3_64(signature.as_bytes()));
        });
        sort_distinct(out, start, &mut scratch.order);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use unicode_segmentation::UnicodeSegmentation;

    use super::*;
    use crate::normalize_into;
    use crate::random_texts::RandomTexts;

    fn signatures(spec: SpotSignatures, text: &str, antecedents: &[&str]) -> Vec<String> {
        let hashes: Vec<u64> = antecedents.iter().map(|a| xxh3_64(a.as_bytes())).collect();
        let mut all = Vec::new();
        spec.for_each(
            text,
            |hash| hashes.contains(&hash),
            &mut SpotScratch::default(),
            |signature| all.push(signature.to_owned()),
        );
        all
    }

    /// The definition.
    fn oracle(spec: SpotSignatures, text: &str, antecedents: &[&str]) -> Vec<String> {
        let words: Vec<&str> = text.unicode_words().collect();
        let mut all = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if !antecedents.contains(word) {
                continue;
            }
            let after = words[at + 1..].iter().filter(|w| !antecedents.contains(w));
            let chain: Vec<&str> = after
                .skip(spec.distance - 1)
                .step_by(spec.distance)
                .take(spec.chain)
                .copied()
                .collect();
            if chain.len() == spec.chain {
                all.push(format!("{word} {}", chain.join(" ")));
            }
        }
        all
    }

    /// The example of the paper, whose stop words are antecedents here.
    #[test]
    fn the_published_example() {
        let mut text = String::new();
        normalize_into(
            "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to set the \
             record straight from an attack circulating widely on the Internet that is designed to play into \
             prejudices against Muslims and fears of terrorism.",
            &mut text,
        );
        let stop_words = [
            "at", "a", "to", "off", "for", "the", "from", "an", "on", "that", "is", "into", "and",
            "of", "against",
        ];
        let spec = SpotSignatures {
            distance: 1,
            chain: 2,
        };
        let found = signatures(spec, &text, &stop_words);
        for published in [
            "a rally kick",
            "a weeklong campaign",
            "the south carolina",
            "the record straight",
            "an attack circulating",
            "the internet designed",
            "is designed play",
        ] {
            assert!(found.iter().any(|found| found == published), "{published}");
        }
    }

    #[test]
    fn distances_and_short_texts() {
        let spec = |distance, chain| SpotSignatures { distance, chain };
        let text = "the one two the three four five six";
        assert_eq!(
            signatures(spec(2, 2), text, &["the"]),
            ["the two four", "the four six"]
        );
        assert_eq!(
            signatures(spec(1, 3), text, &["the"]),
            ["the one two three", "the three four five"]
        );
        assert_eq!(signatures(spec(1, 5), "the one", &["the"]), [""; 0]);
        assert_eq!(signatures(spec(1, 1), "", &["the"]), [""; 0]);
        assert_eq!(
            signatures(spec(1, 1), "a the one", &["the", "a"]),
            ["a one", "the one"]
        );
    }

    #[test]
    fn equals_the_definition() {
        let mut texts = RandomTexts::new(21);
        let antecedents = ["the", "of", "a", "Москва", "b"];
        for round in 0..4_000 {
            let text = match round % 3 {
                0 => texts.special_characters(60),
                1 => texts.prose(150),
                _ => texts.few_letters(60, &['a', ' ', 'b', 'c', ' ']),
            };
            let spec = SpotSignatures {
                distance: 1 + texts.below(3),
                chain: 1 + texts.below(4),
            };
            let expected = oracle(spec, &text, &antecedents);
            assert_eq!(
                signatures(spec, &text, &antecedents),
                expected,
                "{spec:?} {text:?}"
            );

            let hashes: Vec<u64> = antecedents.iter().map(|a| xxh3_64(a.as_bytes())).collect();
            let mut found = vec![7];
            let mut scratch = SpotScratch::default();
            spec.hashes_into(
                &text,
                |hash| hashes.contains(&hash),
                &mut scratch,
                &mut found,
            );
            assert_eq!(found[0], 7, "what was there stays");
            let distinct: BTreeSet<u64> = expected.iter().map(|s| xxh3_64(s.as_bytes())).collect();
            assert_eq!(found[1..], distinct.into_iter().collect::<Vec<_>>());
        }
    }
}
