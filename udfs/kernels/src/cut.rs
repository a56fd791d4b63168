//! Texts without some of their passages: the remaining text is joined.

use crate::units::is_line_break;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Returns a text without the characters of some spans, given as offsets in characters. Spans may overlap and be in any
/// order; offsets beyond the end of the text are ignored.
///
/// The text around a span is joined:
/// - Of the white space before and after it the side with more line breaks stays, so that paragraphs stay apart; at the
///   beginning and at the end of the text none stays. A line after it keeps its indentation.
/// - Quotation marks and brackets around it go with it.
/// - A stop, comma or colon after it goes if nothing of its sentence is left before it; else it moves up to the word
///   before.
/// - A space is put between two pieces that would be one word, as of `1(…)2`.
///
/// No letter or digit outside of the spans is lost.
///
/// ```
/// let text = "First things first. \"An old saying of the valley.\" And so on.";
/// assert_eq!(neardup_kernels::cut_spans(text, &[21..48]), "First things first. And so on.");
/// ```
pub fn cut_spans(text: &str, spans: &[Range<usize>]) -> String {
    let spans = in_bytes(text, spans);
    let Some(first) = spans.first() else {
        return text.to_owned();
    };
    let mut out = text[..first.start].to_owned();
    for (number, span) in spans.iter().enumerate() {
        let next = spans.get(number + 1).map_or(text.len(), |next| next.start);
        join(&mut out, &text[span.end..next], next < text.len());
    }
    out
}

/// The characters of each of some spans, given as offsets in characters, at most the first `max_length` of each. What lies
/// beyond the end of the text is left out.
///
/// ```
/// assert_eq!(neardup_kernels::texts_of_spans("größer als", &[4..6, 0..3], 2), ["er", "gr"]);
/// ```
pub fn texts_of_spans<'a>(
    text: &'a str,
    spans: &[Range<usize>],
    max_length: usize,
) -> Vec<&'a str> {
    let end = |span: &Range<usize>| span.end.min(span.start.saturating_add(max_length));
    let mut offsets: Vec<usize> = spans
        .iter()
        .flat_map(|span| [span.start, end(span)])
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    let mut byte_of = bytes_of(text);
    let bytes: Vec<usize> = offsets.iter().map(|&offset| byte_of(offset)).collect();
    let byte = |offset: usize| {
        let at = offsets.binary_search(&offset);
        at.map_or(text.len(), |at| bytes[at])
    };
    let texts = spans.iter().map(|span| {
        let bytes = byte(span.start)..byte(end(span));
        text.get(bytes).unwrap_or_default()
    });
    texts.collect()
}

/// Converts offsets in characters, given in ascending order, to offsets in bytes.
fn bytes_of(text: &str) -> impl FnMut(usize) -> usize {
    let mut at = text.char_indices().map(|(at, _)| at).enumerate().peekable();
    move |character| {
        while at.next_if(|(number, _)| *number < character).is_some() {}
        at.peek().map_or(text.len(), |(_, byte)| *byte)
    }
}

/// The spans in bytes: sorted, apart, not empty, and within the text. Spans with only white space between them are one.
fn in_bytes(text: &str, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted: Vec<&Range<usize>> = spans.iter().filter(|span| !span.is_empty()).collect();
    sorted.sort_unstable_by_key(|span| (span.start, span.end));
    let mut byte_of = bytes_of(text);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in sorted {
        match apart.last_mut() {
            Some(before) if span.start <= before.end => before.end = before.end.max(span.end),
            _ => apart.push(span.clone()),
        }
    }
    let mut out: Vec<Range<usize>> = Vec::new();
    for span in apart {
        let (start, end) = (byte_of(span.start), byte_of(span.end));
        match out.last_mut() {
            _ if start == end => {}
            Some(before) if text[before.end..start].trim().is_empty() => before.end = end,
            _ => out.push(start..end),
        }
    }
    out
}

/// Appends the text after a cut to the text before it. `more` says whether another cut follows.
fn join(out: &mut String, after: &str, more: bool) {
    let mut kept = out.trim_end().len();
    let mut space = kept..out.len();
    let mut rest = after;
    // Quotation marks and brackets around the cut, and the stop before the closing one.
    while space.is_empty() && ends_with_opening(&out[..kept]) {
        let closing = &rest[stops(rest)..];
        let pair = out[..kept].chars().next_back().zip(closing.chars().next());
        let Some((open, close)) = pair.filter(|&(open, close)| is_pair(open, close)) else {
            break;
        };
        rest = &closing[close.len_utf8()..];
        let end = kept - open.len_utf8();
        kept = out[..end].trim_end().len();
        space = kept..end;
    }
    let before = &out[..kept];
    let space = &out[space];
    let begins_line = space.contains(is_line_break);
    if before.is_empty() || begins_line || before.ends_with(is_stop) || ends_with_opening(before) {
        rest = &rest[stops(rest)..];
    }
    let text = rest.trim_start();
    let space_after = &rest[..rest.len() - text.len()];
    let breaks = [space, space_after].map(line_breaks);
    let is_after = (stops(text) > 0 && breaks == [0, 0])
        || breaks[1] > breaks[0]
        || (space.is_empty() && !ends_with_opening(before));
    let chosen = match before.is_empty() || (text.is_empty() && !more) {
        true => "",
        false if is_after => space_after,
        false => space,
    };
    let joined = match space_after.rsplit_once(is_line_break) {
        // A line after the cut keeps its indentation.
        Some((_, indentation)) if !text.is_empty() => {
            chosen.trim_end_matches(|c| !is_line_break(c)).to_owned() + indentation
        }
        _ if chosen.is_empty() && are_one_word(before, text) => " ".to_owned(),
        _ => chosen.to_owned(),
    };
    out.truncate(kept);
    out.push_str(&joined);
    out.push_str(text);
}

/// Whether there is no word boundary (UAX #29) between two texts.
fn are_one_word(before: &str, after: &str) -> bool {
    let end = before
        .char_indices()
        .rev()
        .take(MAX_CONTEXT)
        .take_while(|(_, c)| !c.is_whitespace());
    let tail = &before[end.last().map_or(before.len(), |(at, _)| at)..];
    let head = after.char_indices().nth(MAX_CONTEXT);
    let head = &after[..head.map_or(after.len(), |(at, _)| at)];
    if tail.is_empty() || head.is_empty() {
        return false;
    }
    let joined = [tail, head].concat();
    let mut boundaries = joined.split_word_bound_indices().map(|(at, _)| at);
    !boundaries.any(|at| at == tail.len())
}

/// The characters on either side of a position that are read to decide whether it is a word boundary.
const MAX_CONTEXT: usize = 32;

fn line_breaks(space: &str) -> usize {
    space.matches(is_line_break).count() - space.matches("\r\n").count()
}

/// The bytes of the stops, commas and colons that a text begins with; none in `.5`.
fn stops(text: &str) -> usize {
    let after = text.trim_start_matches(is_stop);
    let bytes = text.len() - after.len();
    let is_part_of_word =
        text[..bytes].ends_with(|c: char| c.is_ascii()) && after.starts_with(char::is_alphanumeric);
    match is_part_of_word {
        true => 0,
        false => bytes,
    }
}

/// Whether a text ends with a mark that opens a quotation or a bracket. A mark that may also close one opens it if nothing,
/// white space or an opening bracket is before it.
fn ends_with_opening(text: &str) -> bool {
    let mut last = text.chars().rev();
    match last.next() {
        Some('"' | '\'') => last
            .next()
            .is_none_or(|before| before.is_whitespace() || is_opening(before)),
        Some(last) => is_opening(last),
        None => false,
    }
}

/// Marks that end a sentence or a part of it.
fn is_stop(c: char) -> bool {
    ".!?,;:…。、，！？；：،؛؟।".contains(c)
}

/// Marks that only open.
fn is_opening(c: char) -> bool {
    "([{«“‘„‚「『《（【".contains(c)
}

/// Whether two marks enclose the text between them.
fn is_pair(open: char, close: char) -> bool {
    matches!(
        (open, close),
        ('(', ')')
            | ('[', ']')
            | ('{', '}')
            | ('"', '"')
            | ('\'', '\'')
            | ('«', '»')
            | ('“', '”')
            | ('„', '“' | '”')
            | ('‘', '’')
            | ('‚', '‘' | '’')
            | ('「', '」')
            | ('『', '』')
            | ('《', '》')
            | ('（', '）')
            | ('【', '】')
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    /// A text without the parts between ⟦ and ⟧.
    fn cut(marked: &str) -> String {
        let (mut text, mut spans) = (String::new(), Vec::new());
        for piece in marked.split_inclusive(['⟦', '⟧']) {
            let here = |text: &str| text.chars().count();
            text.push_str(piece.trim_end_matches(['⟦', '⟧']));
            match piece.chars().next_back() {
                Some('⟦') => spans.push(here(&text)..usize::MAX),
                Some('⟧') => {
                    let end = here(&text);
                    spans.last_mut().unwrap().end = end;
                }
                _ => {}
            }
        }
        cut_spans(&text, &spans)
    }

    #[test]
    fn what_is_left_reads_on() {
        for (marked, expected) in [
            ("All of it.", "All of it."),
            ("⟦All of it⟧.", ""),
            ("One. ⟦Two⟧. Three.", "One. Three."),
            ("⟦One⟧. Two.", "Two."),
            ("One. ⟦Two⟧.", "One."),
            ("One ⟦two⟧ three.", "One three."),
            ("He said ⟦two⟧. Three.", "He said. Three."),
            ("He said ⟦two⟧, three.", "He said, three."),
            ("A quiz: ⟦which town⟧? Aldermoor.", "A quiz: Aldermoor."),
            ("See (⟦two⟧.) Three.", "See Three."),
            ("See [\"⟦two⟧!\"]. Three.", "See. Three."),
            ("See “⟦two⟧” now.", "See now."),
            ("See \"⟦two⟧ and three\".", "See \"and three\"."),
            ("See \"one and ⟦two⟧.\" Three", "See \"one and.\" Three"),
            ("the towns' ⟦two⟧' x", "the towns' ' x"),
            ("One.\n\n⟦Two⟧.\n\nThree.", "One.\n\nThree."),
            ("One.\n⟦Two⟧.\n\nThree.", "One.\n\nThree."),
            ("One.\n\n⟦Two⟧. Three.", "One.\n\nThree."),
            ("One ⟦two⟧\nthree", "One\nthree"),
            ("- One\n⟦Two⟧\n    - Three", "- One\n    - Three"),
            ("- One\n\n  ⟦Two⟧\n    - Three", "- One\n\n    - Three"),
            ("- One\n  ⟦Two⟧ three", "- One\n  three"),
            ("⟦One⟧\n    Two", "    Two"),
            ("One\r⟦Two⟧\r\rThree", "One\r\rThree"),
            ("One\r\n\t⟦Two⟧\r\n\tThree\r\n\t⟦Four⟧", "One\r\n\tThree"),
            ("One\n⟦Two⟧\n  ⟦Three⟧\n    Four", "One\n    Four"),
            ("One.\r\n⟦Two⟧.\r\nThree.\r\n", "One.\r\nThree.\r\n"),
            ("One\u{2029}⟦Two⟧\u{85}\tthree", "One\u{2029}\tthree"),
            (
                "One\u{2028}\u{2028}⟦Two⟧\n Three",
                "One\u{2028}\u{2028} Three",
            ),
            ("One\n\n⟦Two⟧\n... three", "One\n\n... three"),
            ("One ⟦two⟧ ... three", "One ... three"),
            ("One\n⟦two⟧\n\n... three", "One\n\n... three"),
            ("One ⟦two⟧ ⟦three⟧ four", "One four"),
            ("One. ⟦Two⟧. ⟦Three⟧. Four.", "One. Four."),
            ("One ⟦two⟧ and ⟦three⟧ four", "One and four"),
            ("One ⟦two⟧ .5 l", "One .5 l"),
            ("One ⟦two⟧.5 l", "One .5 l"),
            ("长江⟦很长。⟧黄河。", "长江黄河。"),
            ("长江。⟦很长⟧。黄河。", "长江。黄河。"),
            ("é⟦ü😀⟧ñ", "é ñ"),
            ("  ⟦One⟧ two", "two"),
            ("", ""),
        ] {
            assert_eq!(cut(marked), expected, "{marked}");
        }
    }

    #[test]
    fn spans_overlap_and_stand_in_any_order() {
        let text = "one two three four five";
        let cut = |spans: &[(usize, usize)]| {
            let spans: Vec<Range<usize>> = spans.iter().map(|&(from, to)| from..to).collect();
            cut_spans(text, &spans)
        };
        for spans in [
            &[(4, 7), (8, 13)][..],
            &[(8, 13), (4, 7)],
            &[(4, 13)],
            &[(4, 10), (6, 13), (7, 8), (9, 9)],
        ] {
            assert_eq!(cut(spans), "one four five", "{spans:?}");
        }
        assert_eq!(cut(&[(19, 1000), (500, 600)]), "one two three four");
        assert_eq!(cut(&[(500, 600), (30, 30)]), text);
        assert_eq!(cut(&[(0, usize::MAX)]), "");
    }

    #[test]
    fn texts_of_spans_are_those_of_characters() {
        let mut random = RandomTexts::new(43);
        for _ in 0..5_000 {
            let text = random.special_characters(40);
            let characters: Vec<char> = text.chars().collect();
            let spans: Vec<Range<usize>> = (0..random.below(6))
                .map(|_| {
                    let start = random.below(50);
                    start..start + random.below(20)
                })
                .collect();
            let max_length = random.below(25);
            let expected = spans.iter().map(|span| -> String {
                let from = characters.iter().skip(span.start);
                from.take(span.len().min(max_length)).collect()
            });
            let found = texts_of_spans(&text, &spans, max_length);
            assert_eq!(found, expected.collect::<Vec<_>>(), "{text:?} {spans:?}");
        }
    }

    /// Letters and digits outside of the spans stay, in their order, and cuts between words join no words.
    #[test]
    fn no_word_is_lost_or_joined() {
        let mut random = RandomTexts::new(41);
        for round in 0..20_000 {
            let text = match round % 2 {
                0 => random.special_characters(60),
                _ => random.prose(120),
            };
            let length = text.chars().count();
            let count = random.below(4);
            let spans: Vec<Range<usize>> = (0..count)
                .map(|_| {
                    let start = random.below(length + 2);
                    start..start + random.below(30)
                })
                .collect();
            let cut = cut_spans(&text, &spans);
            let is_cut = |at: usize| spans.iter().any(|span| span.contains(&at));
            let left = text.chars().enumerate().filter(|(at, _)| !is_cut(*at));
            let left: String = left
                .map(|(_, c)| c)
                .filter(|c| c.is_alphanumeric())
                .collect();
            let found: String = cut.chars().filter(|c| c.is_alphanumeric()).collect();
            assert_eq!(found, left, "{text:?} {spans:?} {cut:?}");
        }
    }

    #[test]
    fn words_on_both_sides_stay_apart() {
        for (text, cut) in [
            ("The new iPhone東京大学15 was", "The new iPhone 15 was"),
            ("Version 1.(東京大学)5 is", "Version 1. 5 is"),
            ("can'(東京大学)t go", "can' t go"),
            ("alpha.(東京大学)beta", "alpha. beta"),
            ("abc東京大学def", "abc def"),
            ("日本東京大学中国", "日本中国"),
            ("one, 東京大学two", "one, two"),
        ] {
            let at = text.chars().position(|c| c == '東').expect("a place");
            let span = at..at + 4;
            assert_eq!(cut_spans(text, std::slice::from_ref(&span)), cut);
        }
    }

    #[test]
    fn cuts_between_words_join_none() {
        let mut random = RandomTexts::new(42);
        for _ in 0..20_000 {
            let marks = [
                " ", ", ", ". ", "\n", "\n\n", " (", ") ", " \"", "\" ", ": ", "…", "-", "\u{3000}",
            ];
            let (mut text, mut spans, mut left) = (String::new(), Vec::new(), Vec::new());
            for number in 0..random.below(12) {
                let word = format!("w{number}");
                let start = text.chars().count();
                text.push_str(&word);
                match random.below(3) {
                    0 => spans.push(start..text.chars().count()),
                    _ => left.push(word),
                }
                text.push_str(marks[random.below(marks.len())]);
            }
            let cut = cut_spans(&text, &spans);
            let words: Vec<&str> = cut
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .collect();
            assert_eq!(words, left, "{text:?} {cut:?}");
        }
    }
}
