//! Runs of words, narrowed to whole units of a text, such as its sentences.

use std::ops::Range;

use super::grams::left;
use crate::words::for_each_word;

/// The whole units of a run of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeRun {
    /// Its words, among those that are not cut.
    pub left: Range<usize>,
    /// Its words, among all of the text.
    pub words: Range<usize>,
    /// Its characters, with those of the first and the last unit that are before its first and after its last word.
    pub chars: Range<usize>,
}

/// A word that is not cut.
struct Word {
    /// Its number among all words.
    number: usize,
    bytes: Range<usize>,
    /// The number of its unit.
    unit: usize,
}

/// Narrows some runs of the words that are not cut to the units all of whose words are in runs; `None` for a run that
/// has no word of such a unit. Cut words count for no unit. Runs may overlap and be in any order; a unit may be
/// covered by several runs, each of which then has a part of it. No character between the parts is left out.
///
/// `units` are bytes of the text, in order and apart. Two units that have a word in common are one, and what is in no
/// unit belongs to the one before. Takes time linear in the text, but for the sorting of `runs` and `cut`.
///
/// ```
/// use neardup_kernels::whole_runs;
/// let text = "It was one. Two is here! It is three.";
/// let found = whole_runs(text, &[2..7, 0..1], &[], &[0..11, 12..24, 25..37]);
/// let [Some(two), None] = &found[..] else { panic!("{found:?}") };
/// assert_eq!((two.words.clone(), two.chars.clone()), (3..6, 12..24));
/// ```
pub fn whole_runs(
    text: &str,
    runs: &[Range<usize>],
    cut: &[Range<usize>],
    units: &[Range<usize>],
) -> Vec<Option<WholeRun>> {
    let (words, units) = words_and_units(text, cut, units);
    let count = words.len();
    let within: Vec<Range<usize>> = runs
        .iter()
        .map(|run| run.start.min(count)..run.end.min(count))
        .collect();
    let covered = covered(count, within.iter().cloned());
    // Whether a run has both a word and the one before it.
    let joined = covered_pairs(count, &within);
    let mut is_whole = vec![true; units.len()];
    for (word, covered) in words.iter().zip(covered) {
        is_whole[word.unit] &= covered;
    }
    let is_whole: Vec<bool> = words.iter().map(|word| is_whole[word.unit]).collect();
    // The first word of a whole unit from a word on, and the end of the last one before a word.
    let (mut from, mut to) = (vec![count; count + 1], vec![0; count + 1]);
    for (at, &is_whole) in is_whole.iter().enumerate().rev() {
        from[at] = if is_whole { at } else { from[at + 1] };
    }
    for (at, &is_whole) in is_whole.iter().enumerate() {
        to[at + 1] = if is_whole { at + 1 } else { to[at] };
    }
    // The whole units of a run are consecutive: only its first and its last unit may go on outside of it.
    let narrowed: Vec<Option<Range<usize>>> = within
        .iter()
        .map(|run| {
            let whole = from[run.start]..to[run.end];
            (!run.is_empty() && !whole.is_empty()).then_some(whole)
        })
        .collect();
    let bytes = |run: &Range<usize>| {
        let (first, last) = (&words[run.start], &words[run.end - 1]);
        let before = run.start.checked_sub(1).map(|before| &words[before]);
        let start = match before.filter(|before| before.unit == first.unit) {
            None => units[first.unit].start,
            Some(_) if joined[run.start] => first.bytes.start,
            Some(before) => before.bytes.end,
        };
        let goes_on = words
            .get(run.end)
            .is_some_and(|next| next.unit == last.unit);
        let end = match goes_on {
            true => last.bytes.end,
            false => units[last.unit].end,
        };
        start..end
    };
    let bytes: Vec<Option<Range<usize>>> =
        narrowed.iter().map(|run| run.as_ref().map(bytes)).collect();
    let chars = chars_before(
        text,
        bytes.iter().flatten().flat_map(|run| [run.start, run.end]),
    );
    let whole = narrowed.into_iter().zip(&bytes).map(|(run, bytes)| {
        let (left, bytes) = (run?, bytes.as_ref()?);
        Some(WholeRun {
            words: words[left.start].number..words[left.end - 1].number + 1,
            chars: chars(bytes.start)..chars(bytes.end),
            left,
        })
    });
    whole.collect()
}

/// The words that are not cut, and the bytes of the units that have words.
fn words_and_units(
    text: &str,
    cut: &[Range<usize>],
    units: &[Range<usize>],
) -> (Vec<Word>, Vec<Range<usize>>) {
    let mut is_left = left(cut);
    let (mut words, mut with_words) = (Vec::new(), Vec::<Range<usize>>::new());
    // The units that begin before the end of the word before, and those up to the current word.
    let (mut reached, mut begun) = (0_usize, 0_usize);
    let mut number = 0;
    for_each_word(text, |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let end = start + word.len();
        while units.get(begun).is_some_and(|unit| unit.start <= start) {
            begun += 1;
        }
        if with_words.is_empty() || begun > reached {
            let unit = begun.checked_sub(1).and_then(|last| units.get(last));
            with_words.push(unit.map_or(start, |unit| unit.start)..end);
        }
        while units.get(begun).is_some_and(|unit| unit.start < end) {
            begun += 1;
        }
        reached = begun;
        let unit = begun.checked_sub(1).and_then(|last| units.get(last));
        if let Some(open) = with_words.last_mut() {
            open.end = unit.map_or(end, |unit| unit.end.max(end));
        }
        if is_left(number) {
            words.push(Word {
                number,
                bytes: start..end,
                unit: with_words.len() - 1,
            });
        }
        number += 1;
    });
    (words, with_words)
}

/// Whether each of the numbers below `count` is in one of some ranges, which end at `count` or before.
fn covered(count: usize, ranges: impl Iterator<Item = Range<usize>>) -> Vec<bool> {
    let (mut starts, mut ends) = (vec![0_usize; count + 1], vec![0_usize; count + 1]);
    for range in ranges.filter(|range| !range.is_empty()) {
        starts[range.start] += 1;
        ends[range.end] += 1;
    }
    let mut open = 0_usize;
    let is_covered = |(starts, ends): (&usize, &usize)| {
        open = open + starts - ends;
        open > 0
    };
    let mut covered: Vec<bool> = starts.iter().zip(&ends).map(is_covered).collect();
    covered.truncate(count);
    covered
}

/// Whether each of the numbers below `count` is in one of some ranges together with the number before it.
fn covered_pairs(count: usize, ranges: &[Range<usize>]) -> Vec<bool> {
    let without_first = ranges.iter().map(|range| range.start + 1..range.end);
    covered(count, without_first)
}

/// Converts offsets in bytes to offsets in characters.
fn chars_before(text: &str, bytes: impl Iterator<Item = usize>) -> impl Fn(usize) -> usize {
    let mut bytes: Vec<usize> = bytes.collect();
    bytes.sort_unstable();
    bytes.dedup();
    let (mut at, mut chars) = (0, 0);
    let mut counts = Vec::with_capacity(bytes.len());
    for &byte in &bytes {
        chars += text.get(at..byte).unwrap_or_default().chars().count();
        at = byte;
        counts.push(chars);
    }
    move |byte| {
        let at = bytes.binary_search(&byte).unwrap_or_default();
        counts.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;
    use crate::word_runs;

    /// The bytes of the pieces between some marks, without the white space around them.
    fn units(text: &str, is_end: impl Fn(char) -> bool) -> Vec<Range<usize>> {
        let mut units = Vec::new();
        let mut at = 0;
        for piece in text.split_inclusive(is_end) {
            let trimmed = piece.trim();
            let start = at + piece.len() - piece.trim_start().len();
            if !trimmed.is_empty() {
                units.push(start..start + trimmed.len());
            }
            at += piece.len();
        }
        units
    }

    /// The pieces of a text that are cut, as words in braces are repeated: `{` begins a run, `}` ends it.
    fn pieces(marked: &str) -> Vec<Option<String>> {
        let (mut text, mut runs, mut number) = (String::new(), Vec::<Range<usize>>::new(), 0);
        for word in marked.split_inclusive(' ') {
            if word.contains('{') {
                runs.push(number..number);
            }
            number += usize::from(word.contains(char::is_alphanumeric));
            if word.contains('}')
                && let Some(run) = runs.last_mut()
            {
                run.end = number;
            }
            text.extend(word.chars().filter(|c| !matches!(c, '{' | '}')));
        }
        let units = units(&text, |c| matches!(c, '.' | '!' | '\n'));
        let characters: Vec<char> = text.chars().collect();
        whole_runs(&text, &runs, &[], &units)
            .into_iter()
            .map(|run| run.map(|run| characters[run.chars].iter().collect()))
            .collect()
    }

    #[test]
    fn runs_are_narrowed_to_whole_units() {
        for (marked, expected) in [
            ("{One two.} Three four.", &[Some("One two.")][..]),
            ("One {two. Three four. Five} six.", &[Some("Three four.")]),
            ("One {two. Three} four.", &[None]),
            ("One {two three} four.", &[None]),
            ("{(Größer zwei!) Three} four.", &[Some("(Größer zwei!")]),
            (
                "One {two. — \"Three four.\" Five} six.",
                &[Some("— \"Three four.")],
            ),
            ("{One} {two.} Three.", &[Some("One"), Some(" two.")]),
            (
                "{One,} {two.} {Three} four.",
                &[Some("One"), Some(", two."), None],
            ),
        ] {
            let found = pieces(marked);
            let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
            assert_eq!(found, expected, "{marked}");
        }
    }

    /// Runs that overlap in a unit cover it together.
    #[test]
    fn a_unit_may_be_covered_by_several_runs() {
        let text = "a b c d. e f";
        let found = whole_runs(text, &[0..3, 1..5], &[], &[0..8, 9..12]);
        let chars: Vec<_> = found
            .iter()
            .flatten()
            .map(|run| run.chars.clone())
            .collect();
        assert_eq!(chars, [0..5, 2..8]);
    }

    #[test]
    fn cut_words_count_for_no_unit() {
        let text = "a b. c d. e f.";
        let units = [0..4, 5..9, 10..14];
        // What is left is "a b. e f.".
        let cut = [2..3, 3..4];
        for (run, left, words, chars) in [
            (0..4, 0..4, 0..6, 0..14),
            (0..3, 0..2, 0..2, 0..4),
            (1..4, 2..4, 4..6, 10..14),
        ] {
            let found = whole_runs(text, std::slice::from_ref(&run), &cut, &units);
            assert_eq!(found, [Some(WholeRun { left, words, chars })], "{run:?}");
        }
    }

    #[test]
    fn a_word_of_two_units_makes_them_one() {
        // The words are "one", "a．b" and "two".
        let text = "one a．b two";
        let units = [0..8, 8..text.len()];
        for (run, chars) in [(2..3, None), (0..2, None), (0..3, Some(0..11))] {
            let found = whole_runs(text, std::slice::from_ref(&run), &[], &units);
            let found = found[0].as_ref().map(|run| run.chars.clone());
            assert_eq!(found, chars, "{run:?}");
        }
    }

    /// By the definition: of each run the words whose unit has no word, of those that are left, outside of all runs.
    #[test]
    fn random_runs_have_the_words_of_the_definition() {
        let mut random = RandomTexts::new(71);
        for round in 0..20_000 {
            let text = match round % 2 {
                0 => random.special_characters(60),
                _ => random.prose(120),
            };
            let units = units(&text, |c| ".\n".contains(c));
            let mut ranges = |most: usize| -> Vec<Range<usize>> {
                let count = random.below(most);
                let range = |_| {
                    let start = random.below(25);
                    start..start + random.below(12)
                };
                (0..count).map(range).collect()
            };
            let (runs, cut) = (ranges(5), ranges(3));
            let (words, with_words) = words_and_units(&text, &cut, &units);
            let in_run = |at: usize| runs.iter().any(|run| run.contains(&at));
            let is_whole = |at: usize| {
                let unit = words[at].unit;
                let mut of_unit = (0..words.len()).filter(|&other| words[other].unit == unit);
                of_unit.all(in_run)
            };
            let characters: Vec<char> = text.chars().collect();
            let found = whole_runs(&text, &runs, &cut, &units);
            let mut is_cut = vec![false; characters.len()];
            for (run, found) in runs.iter().zip(&found) {
                let of_run = run.clone().filter(|&at| at < words.len() && is_whole(at));
                let expected: Vec<usize> = of_run.collect();
                let Some(found) = found else {
                    assert!(expected.is_empty(), "{text:?} {runs:?} {cut:?}");
                    continue;
                };
                let left: Vec<usize> = found.left.clone().collect();
                assert_eq!(left, expected, "{text:?} {runs:?} {cut:?}");
                let place = &word_runs(&text, std::slice::from_ref(&found.left), &cut)[0];
                assert_eq!(found.words, place.words, "{text:?}");
                assert!(
                    found.chars.start <= place.chars.start && place.chars.end <= found.chars.end,
                    "{text:?} {found:?} {place:?}"
                );
                is_cut[found.chars.clone()].fill(true);
            }
            // Units are cut as a whole or not at all, unless some of their words were cut before.
            if !cut.is_empty() {
                continue;
            }
            for unit in &with_words {
                let start = text[..unit.start].chars().count();
                let end = start + text[unit.clone()].chars().count();
                let of_unit = &is_cut[start..end];
                assert!(
                    of_unit.iter().all(|&cut| cut == of_unit[0]),
                    "{text:?} {runs:?} {unit:?}"
                );
            }
        }
    }
}
