//! Normalisation, which makes texts that differ only in form equal.

use std::cell::Cell;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The number of bytes that are examined at once.
const BLOCK: usize = 64;

/// Appends the normal form of `text` to `out`: NFKC, lower case, NFKC again, each run of white space
/// replaced by one space, and trimmed.
///
/// Normalisation is idempotent. It keeps punctuation and accents.
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
    // The lower case of a character does not depend on its context, except for the capital sigma, whose form
    // depends on its position in the word. A text with a capital sigma (after NFKC) takes the slow path.
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

/// Most pieces are in lower case and in form NFKC. Checking this by tables takes less than half of the time of
/// the conversion.
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

/// A part of a text that can be normalised on its own: an ASCII character never combines with the text before
/// it, so a text can be divided before each ASCII character.
enum Piece<'a> {
    Ascii(&'a str),
    /// A run of other characters, with the ASCII character before it, if there is one.
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
        let ascii = ascii_prefix(bytes);
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

/// The number of bytes before the first one that is not ASCII.
pub(crate) fn ascii_prefix(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks(BLOCK).take_while(|block| block.is_ascii());
    let whole: usize = blocks.map(<[u8]>::len).sum();
    let rest = bytes[whole..].iter().take_while(|byte| byte.is_ascii());
    whole + rest.count()
}

/// A writer that appends to a string, replacing runs of white space by one space and trimming both ends.
struct Collapsed<'a> {
    out: &'a mut String,
    start: usize,
    /// Whether white space followed the last other character.
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

    /// Appends ASCII text in lower case, one run in which all white space is single spaces at a time.
    fn push_ascii(&mut self, mut ascii: &str) {
        while let Some(&first) = ascii.as_bytes().first() {
            if is_ascii_space(first) {
                self.space = true;
                ascii = &ascii[1..];
                continue;
            }
            let (run, rest) = ascii.split_at(single_spaced(ascii.as_bytes()));
            self.separate();
            let at = self.out.len();
            self.out.push_str(run);
            self.out[at..].make_ascii_lowercase();
            ascii = rest;
        }
    }
}

/// Whether [`char::is_whitespace`] is true of an ASCII character; this includes the vertical tab.
fn is_ascii_space(byte: u8) -> bool {
    // Without branches, loops over bytes are compiled to vector instructions.
    (byte == b' ') | (byte.wrapping_sub(b'\t') <= b'\r' - b'\t')
}

/// The number of bytes, of ASCII text that does not begin with white space, up to the last one before which all white
/// space is single spaces, and which is no white space itself.
fn single_spaced(ascii: &[u8]) -> usize {
    let is_other = |(&before, &here): (&u8, &u8)| {
        is_ascii_space(here) & ((here != b' ') | is_ascii_space(before))
    };
    let mut end = 1;
    for (before, here) in ascii.chunks(BLOCK).zip(ascii[1..].chunks(BLOCK)) {
        let pairs = || before.iter().zip(here);
        // Without an early exit, the loop is compiled to vector instructions.
        if pairs().fold(false, |any, pair| any | is_other(pair)) {
            end += pairs().take_while(|&pair| !is_other(pair)).count();
            break;
        }
        end += here.len();
    }
    match ascii[end - 1] {
        b' ' => end - 1,
        _ => end,
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
                _ => texts.special_characters(24),
            };
            let once = normalize(&text);
            assert_eq!(once, oracle(&text), "{text:?}");
            assert_eq!(normalize(&once), once, "{text:?}");
        }
    }

    /// White space of every kind at every place of the blocks that are examined at once.
    #[test]
    fn long_ascii_texts() {
        let mut texts = RandomTexts::new(6);
        let letters: Vec<char> = "aBcdEfghiJklmnop.".chars().collect();
        for round in 0..20_000 {
            let mut text = String::new();
            for _ in 0..texts.below(5) {
                text.push_str(&texts.few_letters(2 * BLOCK, &letters));
                match texts.below(5) {
                    0 => text.push(' '),
                    1 => text.push_str(&texts.few_letters(4, &[' ', '\n', '\t', '\u{b}', '\r'])),
                    2 if round % 2 == 0 => text.push_str(&texts.special_characters(3)),
                    _ => text.push_str(" a "),
                }
            }
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
