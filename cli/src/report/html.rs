//! Texts in HTML: no value of a corpus becomes markup.

use crate::difference::{Kind, Passage, first_characters, last_characters, passages};
use crate::visible::visible;
use neardup::jobs::SHOWN_CHARACTERS;
use std::fmt::Write as _;

/// Maximum number of characters of an id, a title or a path.
const NAME_CHARS: usize = 200;
/// Maximum number of characters of the beginning of a text.
const EXCERPT_CHARS: usize = 80;
/// Maximum number of characters of the facts that differ.
const FACTS_CHARS: usize = 300;
/// Number of characters of a long text that are shown on each side of a difference.
const CONTEXT_CHARACTERS: usize = 120;
/// Maximum number of characters of a long text that are shown of one difference.
const DIFFERENCE_CHARACTERS: usize = 400;
/// The mark of text that is left out.
const LEFT_OUT: &str = " <span class=\"cut\">…</span> ";

/// A text with the characters that HTML interprets replaced, and hidden characters made visible.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for character in visible(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// An id, a title or a path: the first characters of a long one.
pub(super) fn brief(name: &str) -> String {
    cut(name, NAME_CHARS)
}

/// The beginning of a text, by which it is recognised.
pub(super) fn excerpt(text: &str) -> String {
    cut(text, EXCERPT_CHARS)
}

/// The facts that differ: the first characters of a long list.
pub(super) fn facts(text: &str) -> String {
    cut(text, FACTS_CHARS)
}

fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => escaped(text),
        Some((end, _)) => format!("{}…", escaped(text[..end].trim_end())),
    }
}

/// A number with separators of thousands.
pub(super) fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    match number < 0 {
        true => format!("-{text}"),
        false => text,
    }
}

/// Two texts, escaped: what only the first has is marked as deleted, what only the second has as inserted. Of long texts
/// the passages around the differences are shown, with a mark where text is left out.
pub(super) fn side_by_side(first: &str, second: &str, is_normalized: bool) -> [String; 2] {
    let passages = passages(first, second, is_normalized);
    let is_long = [first, second]
        .into_iter()
        .any(|text| first_characters(text, SHOWN_CHARACTERS).1);
    [(0, "del"), (1, "ins")].map(|(side, tag)| one_side(&passages, side, tag, is_long))
}

/// Whether [`side_by_side`] marks a difference of two texts.
pub(super) fn differ(first: &str, second: &str, is_normalized: bool) -> bool {
    let passages = passages(first, second, is_normalized);
    passages.iter().any(|passage| {
        let is_blank = |text: &&str| text.trim().is_empty();
        passage.kind == Kind::Differs && !passage.sides.iter().all(is_blank)
    })
}

fn one_side(passages: &[Passage<'_>], side: usize, tag: &str, is_long: bool) -> String {
    let mut shown = Shown {
        html: String::new(),
        left: SHOWN_CHARACTERS,
    };
    let differs = |at: usize| {
        let passage = passages.get(at);
        passage.is_some_and(|passage| passage.kind == Kind::Differs)
    };
    let is_window = is_long && (0..passages.len()).any(differs);
    for (at, passage) in passages.iter().enumerate() {
        let text = passage.sides[side];
        match passage.kind {
            Kind::Differs if is_window => shown.push_marked(text, DIFFERENCE_CHARACTERS, tag),
            Kind::Differs => shown.push_marked(text, SHOWN_CHARACTERS, tag),
            Kind::Equal if is_window => {
                let characters = |is_shown: bool| if is_shown { CONTEXT_CHARACTERS } else { 0 };
                let (begin, end) = (characters(at > 0), characters(differs(at + 1)));
                match first_characters(text, begin + end).1 {
                    true => {
                        shown.push(first_characters(text, begin).0, None);
                        shown.leave_out();
                        shown.push(last_characters(text, end), None);
                    }
                    false => shown.push(text, None),
                }
            }
            Kind::Equal => shown.push(text, None),
        }
    }
    shown.html
}

/// The part of a text that is shown, as HTML.
struct Shown {
    html: String,
    /// The remaining number of characters.
    left: usize,
}

impl Shown {
    /// Appends a passage, or as much of it as may follow.
    fn push(&mut self, text: &str, tag: Option<&str>) {
        if text.is_empty() {
            return;
        }
        let (text, is_cut) = first_characters(text, self.left);
        self.left -= text.chars().count();
        let text = escaped(text);
        match tag {
            Some(tag) if !text.is_empty() => _ = write!(self.html, "<{tag}>{text}</{tag}>"),
            _ => self.html.push_str(&text),
        }
        if is_cut {
            self.leave_out();
        }
    }

    /// Appends the first characters of a passage that differs. Blanks at its ends are not marked.
    fn push_marked(&mut self, text: &str, max_characters: usize, tag: &str) {
        let words = text.trim();
        let (before, rest) = text.split_at(text.len() - text.trim_start().len());
        let (words, after) = rest.split_at(words.len());
        let (words, is_cut) = first_characters(words, max_characters);
        self.push(before, None);
        self.push(words, Some(tag));
        match is_cut {
            true => self.leave_out(),
            false => self.push(after, None),
        }
    }

    /// Marks that text is left out.
    fn leave_out(&mut self) {
        if !self.html.ends_with(LEFT_OUT) {
            self.html.push_str(LEFT_OUT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_texts_is_escaped() {
        assert_eq!(
            escaped("<script>\"x\" & 'y'</script>\u{202e}\0"),
            "&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/script&gt;&lt;U+202E&gt;␀"
        );
    }

    #[test]
    fn differences_of_both_sides_are_marked() {
        assert_eq!(
            side_by_side("a <b> c", "a <d> c e", true),
            [
                "a <del>&lt;b&gt;</del> c".to_owned(),
                "a <ins>&lt;d&gt;</ins> c <ins>e</ins>".to_owned()
            ]
        );
        let capitals = ["The old bridge", "THE OLD  BRIDGE"];
        assert_eq!(side_by_side(capitals[0], capitals[1], true), capitals);
        assert!(!differ(capitals[0], capitals[1], true) && differ(capitals[0], capitals[1], false));
    }

    /// Only the first characters of long texts were shown, in which nothing differed.
    #[test]
    fn of_long_texts_the_differences_are_shown() {
        let equal = |word: &str, words: usize| {
            (0..words)
                .map(|n| format!("{word}{n} "))
                .collect::<String>()
        };
        let text = |one: &str, other: &str| {
            format!(
                "{}{one} {}{other} {}",
                equal("ab", 900),
                equal("cd", 900),
                equal("ef", 900)
            )
        };
        let sides = side_by_side(&text("1901", "x"), &text("1907", "y z"), true);
        for (side, marks) in sides.iter().zip([
            ["<del>1901</del>", "<del>x</del>"],
            ["<ins>1907</ins>", "<ins>y z</ins>"],
        ]) {
            assert!(marks.iter().all(|mark| side.contains(mark)), "{side}");
            assert!(
                side.starts_with(LEFT_OUT) && side.ends_with(LEFT_OUT),
                "{side}"
            );
            assert_eq!(side.matches(LEFT_OUT).count(), 3);
            assert!(
                side.chars().count() < 4 * CONTEXT_CHARACTERS + 200,
                "{side}"
            );
        }
        // Texts without a difference, and one difference that is long.
        let same = text("a", "b");
        let [first, second] = side_by_side(&same, &same, true);
        assert_eq!(first, second);
        assert!(first.starts_with("ab0 ab1 ") && first.ends_with(LEFT_OUT));
        let [long, short] = side_by_side(&equal("ab", 1000), "x", true);
        assert!(long.starts_with("<del>ab0 ab1 ") && long.ends_with(&format!("</del>{LEFT_OUT}")));
        assert_eq!(short, "<ins>x</ins>");
        // Many differences take no more than a text may.
        let odd: String = (0..3000).map(|n| format!("same {n} ")).collect();
        let even: String = (0..3000).map(|n| format!("same x{n} ")).collect();
        let [first, _] = side_by_side(&odd, &even, true);
        assert!(first.ends_with(LEFT_OUT) && first.matches("<del>").count() > 50);
        assert!(first.replace("<del>", "").replace("</del>", "").len() < SHOWN_CHARACTERS + 100);
    }

    #[test]
    fn names_are_cut() {
        assert_eq!(brief("<a>"), "&lt;a&gt;");
        assert_eq!(brief(&"&".repeat(300)), format!("{}…", "&amp;".repeat(200)));
        assert_eq!(excerpt(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
        assert_eq!(excerpt("<a>"), "&lt;a&gt;");
    }

    #[test]
    fn numbers_have_separators() {
        assert_eq!(
            [0, 999, 1000, -1_234_567].map(count),
            ["0", "999", "1,000", "-1,234,567"]
        );
    }
}
