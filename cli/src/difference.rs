//! Aligns the words of two texts, to show what differs.

use neardup_kernels::normalize_into;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;

/// Maximum number of words and blanks of a text that are aligned at once: the time is quadratic in the differences.
const BLOCK_WORDS: usize = 1000;
/// Maximum number of blocks of two texts; equal words between them do not count.
const MAX_BLOCKS: usize = 16;
/// Number of words and blanks that differ, after which no further block is aligned.
const MAX_DIFFERENCES: usize = 500;
/// Minimum number of equal words and blanks at which a block may end.
const ANCHOR_WORDS: usize = 10;

/// What a passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words that both texts have.
    Equal,
    /// The words differ, or there are too many to align them.
    Differs,
}

/// A passage of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passage<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// The passage in both texts; one of them may be empty if it differs.
    pub(crate) sides: [&'a str; 2],
}

/// Splits two texts into passages of equal words and of those that differ. Words are compared by their normal form if
/// `is_normalized`.
pub(crate) fn passages<'a>(
    first: &'a str,
    second: &'a str,
    is_normalized: bool,
) -> Vec<Passage<'a>> {
    let [first, second] = [first, second].map(|text| (text, words(text)));
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut keys = [vec![], vec![]];
    for (keys, (_, words)) in keys.iter_mut().zip([&first, &second]) {
        for word in words {
            let next = numbers.len();
            keys.push(*numbers.entry(key(word, is_normalized)).or_insert(next));
        }
    }
    let mut sides = [Side::new(first), Side::new(second)];
    let mut passages = vec![];
    for (kind, counts) in aligned(&keys[0], &keys[1]) {
        let [a, b] = &mut sides;
        let sides = [a.take(counts[0]), b.take(counts[1])];
        passages.push(Passage { kind, sides });
    }
    passages
}

/// What a character is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Blank,
    Word,
    /// Of itself: its script has no blanks between words.
    Character,
}

impl Part {
    fn of(character: char) -> Self {
        match character {
            '\u{e00}'..='\u{eff}'           // Thai, Lao
            | '\u{1000}'..='\u{109f}'       // Burmese
            | '\u{1780}'..='\u{17ff}'       // Khmer
            | '\u{3040}'..='\u{30ff}'       // Hiragana, Katakana
            | '\u{3400}'..='\u{4dbf}'       // ideographs
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Character,
            blank if blank.is_whitespace() => Self::Blank,
            _ => Self::Word,
        }
    }
}

/// The parts of a text that are compared: words, and the blanks between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let part = Part::of(first);
        let end = match part {
            Part::Character => Some(first.len_utf8()),
            Part::Blank | Part::Word => rest.find(|character| Part::of(character) != part),
        };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        words.push(word);
        rest = after;
    }
    words
}

/// What a word is compared by; that of blanks is empty in a normal form.
fn key(word: &str, is_normalized: bool) -> String {
    if !is_normalized {
        return word.to_owned();
    }
    let mut normal = String::new();
    normalize_into(word, &mut normal);
    normal
}

/// The passages of two lists of words, as their numbers of words.
fn aligned(a: &[usize], b: &[usize]) -> Vec<(Kind, [usize; 2])> {
    let is_long = a.len().max(b.len()) > BLOCK_WORDS;
    let end = if is_long { equal_at_end(a, b) } else { 0 };
    let (mut a, mut b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let mut parts = vec![];
    let mut differences = 0;
    for _ in 0..MAX_BLOCKS {
        // Equal words before the block need no alignment.
        if is_long {
            let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            parts.push((Kind::Equal, [equal, equal]));
            (a, b) = (&a[equal..], &b[equal..]);
        }
        let block = [a, b].map(|words| &words[..words.len().min(BLOCK_WORDS)]);
        let mut found = operations(block[0], block[1]);
        let differing = found.iter().filter(|(kind, _)| *kind == Kind::Differs);
        differences += differing
            .map(|(_, counts)| counts[0].max(counts[1]))
            .sum::<usize>();
        if block[0].len() < a.len() || block[1].len() < b.len() {
            // The next block begins after the last words that are aligned. Few words at the end of a block may be equal
            // by chance.
            let last = |words: usize| {
                let is_equal = |(kind, counts): &(Kind, [usize; 2])| {
                    *kind == Kind::Equal && counts[0] >= words
                };
                found.iter().rposition(is_equal)
            };
            let last = last(ANCHOR_WORDS).or_else(|| last(1));
            found.truncate(last.map_or(0, |last| last + 1));
        }
        let taken = |side: usize| found.iter().map(|(_, counts)| counts[side]).sum::<usize>();
        (a, b) = (&a[taken(0)..], &b[taken(1)..]);
        let is_stuck = found.is_empty();
        parts.extend(found);
        if is_stuck || differences > MAX_DIFFERENCES {
            break;
        }
    }
    parts.push((Kind::Differs, [a.len(), b.len()]));
    parts.push((Kind::Equal, [end, end]));
    let mut merged: Vec<(Kind, [usize; 2])> = vec![];
    for (kind, counts) in parts.into_iter().filter(|(_, counts)| *counts != [0, 0]) {
        match merged.last_mut() {
            Some((last, sum)) if *last == kind => *sum = [sum[0] + counts[0], sum[1] + counts[1]],
            _ => merged.push((kind, counts)),
        }
    }
    merged
}

/// How many words at the ends of two lists are equal.
fn equal_at_end(a: &[usize], b: &[usize]) -> usize {
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

/// The passages of two short lists of words.
fn operations(a: &[usize], b: &[usize]) -> Vec<(Kind, [usize; 2])> {
    let operations = capture_diff_slices(Algorithm::Myers, a, b);
    let passages = operations.into_iter().map(|operation| {
        let (tag, a, b) = operation.as_tag_tuple();
        let kind = match tag {
            DiffTag::Equal => Kind::Equal,
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => Kind::Differs,
        };
        (kind, [a.len(), b.len()])
    });
    passages.collect()
}

/// A text whose words are taken from its beginning on.
struct Side<'a> {
    rest: &'a str,
    words: std::vec::IntoIter<&'a str>,
}

impl<'a> Side<'a> {
    fn new((text, words): (&'a str, Vec<&'a str>)) -> Self {
        Self {
            rest: text,
            words: words.into_iter(),
        }
    }

    /// The next words, as they are in the text.
    fn take(&mut self, words: usize) -> &'a str {
        let bytes = self.words.by_ref().take(words).map(str::len).sum();
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }
}

/// The first characters of a text, and whether there are more.
pub(crate) fn first_characters(text: &str, characters: usize) -> (&str, bool) {
    match text.char_indices().nth(characters) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// The last characters of a text.
pub(crate) fn last_characters(text: &str, characters: usize) -> &str {
    match characters.checked_sub(1) {
        None => "",
        Some(before) => match text.char_indices().rev().nth(before) {
            Some((start, _)) => &text[start..],
            None => text,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(
        first: &'a str,
        second: &'a str,
        is_normalized: bool,
    ) -> Vec<(Kind, [&'a str; 2])> {
        let passages = passages(first, second, is_normalized);
        passages
            .iter()
            .map(|each| (each.kind, each.sides))
            .collect()
    }

    #[test]
    fn passages_are_those_of_the_texts() {
        assert_eq!(
            found("born in 1960 there", "born in 1961 there", false),
            [
                (Kind::Equal, ["born in ", "born in "]),
                (Kind::Differs, ["1960", "1961"]),
                (Kind::Equal, [" there", " there"]),
            ]
        );
        assert_eq!(found("", "", true), []);
        assert_eq!(found("", "a b", true), [(Kind::Differs, ["", "a b"])]);
    }

    /// A text in capitals had each of its words marked, although the job compared normal forms.
    #[test]
    fn words_are_compared_by_their_normal_form() {
        let (a, b) = ("The  old ＮＡＴＯ bridge", "THE OLD NATO\nBRIDGES");
        assert_eq!(
            found(a, b, true),
            [
                (Kind::Equal, ["The  old ＮＡＴＯ ", "THE OLD NATO\n"]),
                (Kind::Differs, ["bridge", "BRIDGES"]),
            ]
        );
        assert_eq!(
            found("old", "OLD", false),
            [(Kind::Differs, ["old", "OLD"])]
        );
    }

    #[test]
    fn scripts_without_blanks_are_compared_by_character() {
        assert_eq!(
            found(
                "この橋は1931年に開通した。",
                "この橋は1934年に開業した。",
                true
            ),
            [
                (Kind::Equal, ["この橋は", "この橋は"]),
                (Kind::Differs, ["1931", "1934"]),
                (Kind::Equal, ["年に開", "年に開"]),
                (Kind::Differs, ["通", "業"]),
                (Kind::Equal, ["した。", "した。"]),
            ]
        );
    }

    #[test]
    fn long_texts_are_aligned_in_blocks() {
        let numbers = |from: usize| -> String {
            let words = (from..from + 5000).map(|n| format!("{n} "));
            words.collect()
        };
        // Differences that are far from each other.
        let text = |word: &str| {
            let parts = [0, 10_000, 20_000, 30_000].map(numbers);
            parts.join(&format!("{word} "))
        };
        let (a, b) = (text("one"), text("two three"));
        let shown = found(&a, &b, true);
        assert_eq!(shown.len(), 7);
        for at in [1, 3, 5] {
            assert_eq!(shown[at], (Kind::Differs, ["one", "two three"]));
        }
        // Only the last words are equal.
        let (a, b) = (numbers(0) + "z", numbers(10_000) + "z");
        let shown = found(&a, &b, true);
        assert_eq!(shown.last(), Some(&(Kind::Equal, [" z", " z"])));
        // What one text adds is one passage, however long it is.
        let added = numbers(10_000);
        let (a, b) = (numbers(0) + "z", format!("{}{added}z", numbers(0)));
        let long = found(&a, &b, true);
        assert_eq!(long.len(), 3);
        assert_eq!(long[1].1[0], "");
        assert_eq!(long[1].1[1].trim(), added.trim());
        let (a, b) = (numbers(0) + "z", numbers(10_000) + "z");
        for (side, text) in [&a, &b].into_iter().enumerate() {
            let all: String = shown.iter().map(|part| part.1[side]).collect();
            assert_eq!(&all, text);
        }
    }

    #[test]
    fn characters_at_both_ends() {
        assert_eq!(first_characters("aéz", 2), ("aé", true));
        assert_eq!(first_characters("aéz", 3), ("aéz", false));
        assert_eq!(last_characters("aéz", 2), "éz");
        assert_eq!(last_characters("aéz", 4), "aéz");
        assert_eq!(last_characters("aéz", 0), "");
    }
}
