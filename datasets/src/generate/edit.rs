//! The edits that make a member of a cluster from the cluster's base.
//!
//! An edit appends the edited text to an output in one pass over the base. None of them touches the
//! first character or the last one, or leaves two spaces in a row, so that an edited sentence is
//! still one sentence.

use std::ops::Range;

use super::lexicon::Lexicon;
use super::prose::Prose;
use super::random::SplitMix64;
use super::words::MONTHS;

/// Buffers that edits reuse from row to row.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    spans: Vec<Range<usize>>,
}

/// How many of the editable spans are edited.
#[derive(Debug, Clone, Copy)]
pub(super) enum Amount {
    /// This number.
    Count(usize),
    /// This number of thousandths, but at least one span.
    PerMille(usize),
}

impl Scratch {
    /// Keeps `amount` of the collected spans, chosen at random, in their order.
    fn choose(&mut self, amount: Amount, random: &mut SplitMix64) {
        let found = self.spans.len();
        let wanted = match amount {
            Amount::Count(count) => count,
            Amount::PerMille(share) => (found * share).div_ceil(1_000).max(1),
        };
        for index in 0..wanted.min(found) {
            let other = index + random.below(found - index);
            self.spans.swap(index, other);
        }
        self.spans.truncate(wanted);
        self.spans.sort_unstable_by_key(|span| span.start);
    }

    /// Collects the words of `base` (separated by spaces), except the first, for which `is_wanted` is true.
    fn words(&mut self, base: &str, mut wanted: impl FnMut(Range<usize>) -> Option<Range<usize>>) {
        self.spans.clear();
        let mut start = None;
        for (at, byte) in base.bytes().enumerate() {
            if byte == b' ' {
                if let Some(start) = start {
                    self.spans.extend(wanted(start..at));
                }
                start = Some(at + 1);
            }
        }
        if let Some(start) = start {
            self.spans.extend(wanted(start..base.len()));
        }
    }
}

/// Inserts, deletes, replaces or swaps letters at `count` positions, half of the time close together
/// (one mangled word), otherwise anywhere.
pub(super) fn characters(
    base: &str,
    text: &mut String,
    count: usize,
    scratch: &mut Scratch,
    random: &mut SplitMix64,
) {
    let bytes = base.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let near = random.percent(50).then(|| random.below(base.len()));
    scratch.spans.clear();
    for _ in 0..count {
        let at = match near {
            Some(center) => (center + random.below(7)).saturating_sub(3),
            None => random.below(base.len()),
        };
        if let Some(at) = (at.max(1)..base.len()).find(|&at| is_letter(at)) {
            scratch.spans.push(at..at + 1);
        }
    }
    scratch.spans.sort_unstable_by_key(|span| span.start);
    scratch.spans.dedup();

    let mut done = 0;
    for span in &scratch.spans {
        let at = span.start;
        if at < done {
            continue;
        }
        text.push_str(&base[done..at]);
        done = at + 1;
        match random.below(4) {
            0 => {
                text.push(letter(random));
                done = at;
            }
            // The last letter of a word is never deleted, so no word vanishes.
            1 if is_letter(at + 1) => {}
            2 if is_letter(at + 1) => {
                text.push(char::from(bytes[at + 1]));
                text.push(char::from(bytes[at]));
                done = at + 2;
            }
            _ => text.push(letter(random)),
        }
    }
    text.push_str(&base[done..]);
}

fn letter(random: &mut SplitMix64) -> char {
    char::from(b'a' + random.below(26) as u8)
}

/// Replaces (in three of five cases), deletes or inserts words in lower case.
pub(super) fn words(
    base: &str,
    text: &mut String,
    amount: Amount,
    lexicon: &Lexicon,
    scratch: &mut Scratch,
    random: &mut SplitMix64,
) {
    scratch.words(base, |word| {
        base[word.clone()]
            .bytes()
            .all(|byte| byte.is_ascii_lowercase())
            .then_some(word)
    });
    scratch.choose(amount, random);
    let mut done = 0;
    for word in &scratch.spans {
        text.push_str(&base[done..word.start]);
        done = word.end;
        let class = if random.percent(70) {
            &lexicon.nouns
        } else {
            &lexicon.adjectives
        };
        match random.below(5) {
            // Such a word is never the last one, so a space follows.
            0 => done = word.end + 1,
            1 => {
                text.push_str(class.draw(random));
                text.push(' ');
                text.push_str(&base[word.clone()]);
            }
            _ => text.push_str(class.draw(random)),
        }
    }
    text.push_str(&base[done..]);
}

/// Drops or replaces whole sentences.
pub(super) fn sentences(
    base: &str,
    text: &mut String,
    amount: Amount,
    prose: &Prose,
    scratch: &mut Scratch,
    random: &mut SplitMix64,
) {
    scratch.spans.clear();
    let mut start = 0;
    for (at, pair) in base.as_bytes().windows(2).enumerate() {
        if matches!(pair, [b'.' | b'?' | b'!', b' ']) {
            scratch.spans.push(start..at + 1);
            start = at + 2;
        }
    }
    // The last sentence stays, so every sentence here is followed by a space.
    scratch.choose(amount, random);
    let mut done = 0;
    for span in &scratch.spans {
        text.push_str(&base[done..span.start]);
        if random.percent(50) {
            prose.sentence(text, random);
            done = span.end;
        } else {
            done = span.end + 1;
        }
    }
    text.push_str(&base[done..]);
}

/// Changes digits of numbers: the last one always, each other one in two of five cases.
pub(super) fn numbers(
    base: &str,
    text: &mut String,
    amount: Amount,
    scratch: &mut Scratch,
    random: &mut SplitMix64,
) {
    find_numbers(base, &mut scratch.spans);
    scratch.choose(amount, random);
    let mut done = 0;
    for span in &scratch.spans {
        text.push_str(&base[done..span.start]);
        for at in span.clone() {
            let byte = base.as_bytes()[at];
            let last = at + 1 == span.end;
            let changed = if !byte.is_ascii_digit() || !(last || random.percent(40)) {
                byte
            } else if at == span.start && !last {
                b'1' + random.below(9) as u8
            } else {
                b'0' + (byte - b'0' + 1 + random.below(9) as u8) % 10
            };
            text.push(char::from(changed));
        }
        done = span.end;
    }
    text.push_str(&base[done..]);
}

/// Digits, with single commas and points between them.
fn find_numbers(base: &str, spans: &mut Vec<Range<usize>>) {
    spans.clear();
    let bytes = base.as_bytes();
    let mut start = None;
    for at in 0..=bytes.len() {
        let inside = bytes.get(at).is_some_and(|byte| match byte {
            b'0'..=b'9' => true,
            b',' | b'.' => start.is_some() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            _ => false,
        });
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                spans.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
}

/// Replaces names: capitalised words that do not start a sentence, except months.
pub(super) fn names(
    base: &str,
    text: &mut String,
    amount: Amount,
    lexicon: &Lexicon,
    scratch: &mut Scratch,
    random: &mut SplitMix64,
) {
    find_names(base, scratch);
    scratch.choose(amount, random);
    let mut done = 0;
    for span in &scratch.spans {
        text.push_str(&base[done..span.start]);
        let class = if random.percent(50) {
            &lexicon.places
        } else {
            &lexicon.surnames
        };
        text.push_str(class.draw(random));
        done = span.end;
    }
    text.push_str(&base[done..]);
}

fn find_names(base: &str, scratch: &mut Scratch) {
    let bytes = base.as_bytes();
    scratch.words(base, |word| {
        let starts_sentence = matches!(bytes[word.start - 2], b'.' | b'?' | b'!');
        if starts_sentence || !bytes[word.start].is_ascii_uppercase() {
            return None;
        }
        let name = base[word.clone()].trim_end_matches(|c: char| !c.is_alphabetic());
        (!MONTHS.contains(&name)).then_some(word.start..word.start + name.len())
    });
}

/// The number of numbers that [`numbers`] could change.
pub(super) fn count_numbers(base: &str, scratch: &mut Scratch) -> usize {
    find_numbers(base, &mut scratch.spans);
    scratch.spans.len()
}

/// The number of names that [`names`] could change.
pub(super) fn count_names(base: &str, scratch: &mut Scratch) -> usize {
    find_names(base, scratch);
    scratch.spans.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "The old mill of Garton was built in 1,904 by Anna Morel on 3 May 1820. \
        It stands in Upper Dale.";

    fn edited(edit: impl Fn(&mut String, &Prose, &mut Scratch, &mut SplitMix64)) -> Vec<String> {
        let (prose, mut scratch) = (Prose::new(), Scratch::default());
        let mut random = SplitMix64::new(1);
        (0..500)
            .map(|_| {
                let mut text = String::new();
                edit(&mut text, &prose, &mut scratch, &mut random);
                assert!(text.starts_with('T') && text.ends_with('.'), "{text}");
                assert!(!text.contains("  "), "{text}");
                text
            })
            .collect()
    }

    #[test]
    fn characters_change_letters_only() {
        for text in edited(|text, _, scratch, random| characters(BASE, text, 5, scratch, random)) {
            assert_eq!(text.split(' ').count(), BASE.split(' ').count(), "{text}");
            assert!(text.len().abs_diff(BASE.len()) <= 5, "{text}");
        }
    }

    #[test]
    fn words_leave_names_and_numbers() {
        for text in edited(|text, prose, scratch, random| {
            words(
                BASE,
                text,
                Amount::Count(3),
                &prose.lexicon,
                scratch,
                random,
            );
        }) {
            assert!(text.contains("Garton") && text.contains("1,904"), "{text}");
            assert!(
                text.split(' ').count().abs_diff(BASE.split(' ').count()) <= 3,
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_differ_and_nothing_else() {
        let without = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "#");
        for text in edited(|text, _, scratch, random| {
            numbers(BASE, text, Amount::PerMille(1_000), scratch, random);
        }) {
            assert_eq!(without(&text), without(BASE));
            assert!(!text.contains("1,904") && !text.contains(" 3 ") && !text.contains("1820"));
        }
    }

    #[test]
    fn names_differ_and_months_stay() {
        for text in edited(|text, prose, scratch, random| {
            names(
                BASE,
                text,
                Amount::PerMille(1_000),
                &prose.lexicon,
                scratch,
                random,
            );
        }) {
            assert!(text.contains(" May 1820. It stands in "), "{text}");
            assert_eq!(text.split(' ').count(), BASE.split(' ').count());
        }
        let scratch = &mut Scratch::default();
        assert_eq!(
            (count_numbers(BASE, scratch), count_names(BASE, scratch)),
            (3, 5)
        );
    }

    #[test]
    fn sentences_keep_the_last_one() {
        for text in edited(|text, prose, scratch, random| {
            let base = format!("The end. {BASE}");
            text.push('T');
            sentences(&base[1..], text, Amount::Count(1), prose, scratch, random);
            text.replace_range(..1, "T");
        }) {
            assert!(text.ends_with("It stands in Upper Dale."), "{text}");
        }
    }

    #[test]
    fn edits_of_poor_bases_return_them() {
        let lexicon = Lexicon::new();
        let (mut scratch, mut random) = (Scratch::default(), SplitMix64::new(1));
        for base in ["", "A", "1", "Ab.", "É 5", "Ö"] {
            let mut text = String::new();
            words(
                base,
                &mut text,
                Amount::Count(3),
                &lexicon,
                &mut scratch,
                &mut random,
            );
            assert_eq!(text, base);
            text.clear();
            names(
                base,
                &mut text,
                Amount::Count(3),
                &lexicon,
                &mut scratch,
                &mut random,
            );
            assert_eq!(text, base);
            text.clear();
            characters(base, &mut text, 3, &mut scratch, &mut random);
            text.clear();
            numbers(base, &mut text, Amount::Count(1), &mut scratch, &mut random);
            assert_eq!(text.len(), base.len());
        }
    }
}
