//! Normalisation: what makes texts comparable that differ in form only.

use std::cell::Cell;

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
    out.reserve(text.len());
    let start = out.len();
    let mut collapsed = Collapsed::new(out);
    // Lower case is a matter of single characters except for the capital sigma, whose form depends
    // on where in the word it stands; a text that holds one (after NFKC) takes the long way.
    let sigma = Cell::new(false);
    for piece in Pieces(text) {
        match piece {
            Piece::Ascii(ascii) => collapsed.push_ascii(ascii),
            Piece::Other(other) => normalize_piece(other, &sigma, &mut collapsed),
        }
    }
    if sigma.get() {
        out.truncate(start);
        let lower = text.nfkc().collect::<String>().to_lowercase();
        let mut collapsed = Collapsed::new(out);
        lower.nfkc().for_each(|c| collapsed.push(c));
    }
}

/// Most pieces are in form NFKC, in lower case too, and tables tell so for less than half of what
/// it takes to bring them there.
fn normalize_piece(piece: &str, sigma: &Cell<bool>, collapsed: &mut Collapsed<'_>) {
    let lower = |c: char| {
        sigma.set(sigma.get() || c == 'Σ');
        c.to_lowercase()
    };
    if is_nfkc_quick(piece.chars()) != IsNormalized::Yes {
        piece
            .nfkc()
            .flat_map(lower)
            .nfkc()
            .for_each(|c| collapsed.push(c));
    } else if is_nfkc_quick(piece.chars().flat_map(lower)) != IsNormalized::Yes {
        piece
            .chars()
            .flat_map(lower)
            .nfkc()
            .for_each(|c| collapsed.push(c));
    } else {
        piece
            .chars()
            .flat_map(lower)
            .for_each(|c| collapsed.push(c));
    }
}

/// A part of a text that can be normalised on its own: an ASCII character never joins with what
/// stands before it, so a text may be cut there.
enum Piece<'a> {
    Ascii(&'a str),
    /// An ASCII character, if there is one before, and the run of others that follows it.
    Other(&'a str),
}

/// The pieces of a text, from the first on.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let bytes = self.0.as_bytes();
        if bytes.is_empty() {
            return None;
        }
        let ascii = bytes
            .iter()
            .position(|byte| !byte.is_ascii())
            .unwrap_or(bytes.len());
        let (end, piece): (usize, fn(&'a str) -> Piece<'a>) = if ascii == bytes.len() {
            (ascii, Piece::Ascii)
        } else if ascii > 1 {
            (ascii - 1, Piece::Ascii)
        } else {
            let others = bytes[ascii..].iter().position(u8::is_ascii);
            (
                others.map_or(bytes.len(), |others| ascii + others),
                Piece::Other,
            )
        };
        let (here, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(piece(here))
    }
}

/// The end of a string that runs of white space reach as one space, and not at either end.
struct Collapsed<'a> {
    out: &'a mut String,
    start: usize,
    /// White space has come since the last other character.
    space: bool,
}

impl<'a> Collapsed<'a> {
    fn new(out: &'a mut String) -> Self {
        Self {
            start: out.len(),
            out,
            space: false,
        }
    }

    fn separate(&mut self) {
        if self.space && self.out.len() > self.start {
            self.out.push(' ');
        }
        self.space = false;
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.space = true;
        } else {
            self.separate();
            self.out.push(c);
        }
    }

    /// Pushes ASCII in lower case, a run between white space at a time.
    fn push_ascii(&mut self, mut ascii: &str) {
        while !ascii.is_empty() {
            let run = ascii
                .bytes()
                .position(is_ascii_space)
                .unwrap_or(ascii.len());
            if run > 0 {
                self.separate();
                let at = self.out.len();
                self.out.push_str(&ascii[..run]);
                self.out[at..].make_ascii_lowercase();
            }
            self.space |= run < ascii.len();
            ascii = &ascii[(run + 1).min(ascii.len())..];
        }
    }
}

/// The ASCII characters that [`char::is_whitespace`] knows; a vertical tab is among them.
fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
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
            for text in [format!("{c}"), format!("A {c}\u{308} e{c}")] {
                let once = normalize(&text);
                assert_eq!(once, oracle(&text), "{c:?}");
                assert_eq!(normalize(&once), once, "{c:?}");
            }
        }
    }
}
