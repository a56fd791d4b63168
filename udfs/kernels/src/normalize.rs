//! Normalisation: what makes texts comparable that differ in form only.

use std::cell::Cell;
use std::iter;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Appends the normal form of `text` to `out`: NFKC, lower case, NFKC again, runs of white space
/// to one space, trimmed.
///
/// Normalising twice changes nothing. Punctuation and accents stay.
///
/// ```
/// let mut out = String::new();
/// neardup_kernels::normalize_into("  The  ＮＡＴＯ\u{a0}file … ", &mut out);
/// assert_eq!(out, "the nato file ...");
/// ```
pub fn normalize_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        normalize_ascii(text, out);
        return;
    }
    let start = out.len();
    // Lower case is a matter of single characters except for the capital sigma, whose form depends
    // on where in the word it stands; texts that hold one (after NFKC) take the way through
    // strings.
    let sigma = Cell::new(false);
    let lower = |c: char| {
        sigma.set(sigma.get() || c == 'Σ');
        c.to_lowercase()
    };
    if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        collapse(text.chars().flat_map(lower).nfkc(), out);
    } else {
        collapse(text.nfkc().flat_map(lower).nfkc(), out);
    }
    if sigma.get() {
        out.truncate(start);
        let lower = text.nfkc().collect::<String>().to_lowercase();
        collapse(lower.nfkc(), out);
    }
}

/// ASCII is its own NFKC, and its lower case is a matter of bytes.
fn normalize_ascii(text: &str, out: &mut String) {
    out.reserve(text.len());
    let mut space = false;
    let start = out.len();
    let mut rest = text;
    // Copy runs without white space at once.
    while !rest.is_empty() {
        let run = rest.bytes().position(is_ascii_space).unwrap_or(rest.len());
        if run > 0 {
            if space && out.len() > start {
                out.push(' ');
            }
            let at = out.len();
            out.push_str(&rest[..run]);
            out[at..].make_ascii_lowercase();
        }
        space = true;
        rest = &rest[(run + 1).min(rest.len())..];
    }
}

/// The ASCII characters that [`char::is_whitespace`] knows; a vertical tab is among them.
fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Appends `chars` with runs of white space as one space, none at either end.
fn collapse(chars: impl Iterator<Item = char>, out: &mut String) {
    let start = out.len();
    let mut space = false;
    for c in chars {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if space && out.len() > start {
            out.push(' ');
        }
        space = false;
        out.extend(iter::once(c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    fn normalize(text: &str) -> String {
        let mut out = String::new();
        normalize_into(text, &mut out);
        out
    }

    /// The definition, step for step.
    fn oracle(text: &str) -> String {
        let form: String = text.nfkc().collect();
        let form: String = form.to_lowercase().nfkc().collect();
        form.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn examples() {
        assert_eq!(normalize("  The\u{a0}CAT \n sat. "), "the cat sat.");
        assert_eq!(normalize("ΟΔΥΣΣΕΥΣ"), "οδυσσευς");
        assert_eq!(normalize("Ⅷ ﬁne ½"), "viii fine 1⁄2");
        assert_eq!(normalize("\u{b}\t\u{c}"), "");
        assert_eq!(normalize(""), "");
    }

    #[test]
    fn appends() {
        let mut out = String::from("x ");
        normalize_into(" Y ", &mut out);
        normalize_into(" É", &mut out);
        assert_eq!(out, "x yé");
    }

    #[test]
    fn equals_the_definition_and_is_idempotent() {
        let mut texts = RandomTexts::new(2);
        for round in 0..40_000 {
            let text = match round % 4 {
                0 => texts.prose(80),
                1 => texts.few_letters(20, &['A', 'b', ' ', '\n', '\t', '\u{b}']),
                _ => texts.nasty(24),
            };
            let once = normalize(&text);
            assert_eq!(once, oracle(&text), "{text:?}");
            assert_eq!(normalize(&once), once, "{text:?}");
        }
    }

    #[test]
    fn every_character_is_idempotent() {
        for c in '\0'..=char::MAX {
            for text in [format!("{c}"), format!("A {c}\u{308} Σ{c}")] {
                let once = normalize(&text);
                assert_eq!(once, oracle(&text), "{c:?}");
                assert_eq!(normalize(&once), once, "{c:?}");
            }
        }
    }
}
