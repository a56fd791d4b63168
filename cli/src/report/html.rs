//! Texts in HTML: no value of a corpus becomes markup.

use crate::visible::visible;
use neardup::jobs::SHOWN_CHARACTERS;
use similar::{ChangeTag, TextDiff};

/// Maximum number of characters of an id, a title or a path.
const NAME_CHARS: usize = 200;
/// Maximum number of characters of the beginning of a text.
const EXCERPT_CHARS: usize = 80;

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

fn shortened(text: &str) -> (String, bool) {
    let mut characters = text.chars();
    let short: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    (short, characters.next().is_some())
}

/// Two texts, escaped: what only the first has is marked as deleted, what only the second has as inserted.
pub(super) fn side_by_side(first: &str, second: &str) -> [String; 2] {
    let ((first, cut_first), (second, cut_second)) = (shortened(first), shortened(second));
    let mut sides = [String::new(), String::new()];
    let diff = TextDiff::from_words(&first, &second);
    for change in diff.iter_all_changes() {
        let text = escaped(change.value());
        let is_blank = text.trim().is_empty();
        match change.tag() {
            ChangeTag::Equal => sides.iter_mut().for_each(|side| side.push_str(&text)),
            ChangeTag::Delete if is_blank => sides[0].push_str(&text),
            ChangeTag::Insert if is_blank => sides[1].push_str(&text),
            ChangeTag::Delete => sides[0].push_str(&format!("<del>{text}</del>")),
            ChangeTag::Insert => sides[1].push_str(&format!("<ins>{text}</ins>")),
        }
    }
    for (side, is_cut) in sides.iter_mut().zip([cut_first, cut_second]) {
        if is_cut {
            side.push_str(" <span class=\"cut\">…</span>");
        }
    }
    sides
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
            side_by_side("a <b> c", "a <d> c e"),
            [
                "a <del>&lt;b&gt;</del> c".to_owned(),
                "a <ins>&lt;d&gt;</ins> c <ins>e</ins>".to_owned()
            ]
        );
        let long = "ab ".repeat(1000);
        assert!(side_by_side(&long, "x")[0].ends_with("…</span>"));
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
