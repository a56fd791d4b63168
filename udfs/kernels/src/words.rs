//! Word boundaries: the units of `word:` shingles.

use unicode_segmentation::UnicodeSegmentation;

/// Calls `f` with each word of `text`, in order: the UAX #29 words that hold a letter or a digit.
///
/// These are the words that [`UnicodeSegmentation::unicode_words`] gives for the whole text. The text is first
/// divided at spaces before an ASCII letter or digit, where there is always a word boundary, so that a non-ASCII
/// character does not force the whole text onto the slow path.
pub(crate) fn for_each_word<'a>(text: &'a str, mut f: impl FnMut(&'a str)) {
    if text.is_ascii() {
        text.unicode_words().for_each(f);
        return;
    }
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut ascii = true;
    let mut previous = 0_u8;
    for (at, &byte) in bytes.iter().enumerate() {
        if previous == b' ' && byte.is_ascii_alphanumeric() {
            // The piece is long enough to be worth a new iterator, or differs in kind from the next one.
            let piece = &text[start..at];
            if !ascii || at - start >= 64 {
                piece.unicode_words().for_each(&mut f);
                start = at;
                ascii = true;
            }
        } else if !byte.is_ascii() && ascii {
            // The ASCII words before the word of this character take the fast path.
            if let Some(space) = certain_boundary(&bytes[start..at]) {
                text[start..start + space].unicode_words().for_each(&mut f);
                start += space;
            }
            ascii = false;
        }
        previous = byte;
    }
    text[start..].unicode_words().for_each(f);
}

/// The position of the last letter or digit that follows a space in ASCII bytes.
fn certain_boundary(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(2)
        .rposition(|pair| pair[0] == b' ' && pair[1].is_ascii_alphanumeric())
        .map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word));
        words
    }

    #[test]
    fn keeps_letters_and_digits_only() {
        assert_eq!(
            words("Ein Fluß, 3.5 km — naïve & co!"),
            ["Ein", "Fluß", "3.5", "km", "naïve", "co"]
        );
        assert_eq!(words("… — !"), Vec::<&str>::new());
    }

    #[test]
    fn equals_segmentation_of_the_whole_text() {
        let mut texts = RandomTexts::new(7);
        for _ in 0..60_000 {
            let text = texts.special_characters(40);
            assert_eq!(
                words(&text),
                text.unicode_words().collect::<Vec<_>>(),
                "{text:?}"
            );
        }
        for _ in 0..2_000 {
            let text = texts.prose(300);
            assert_eq!(
                words(&text),
                text.unicode_words().collect::<Vec<_>>(),
                "{text:?}"
            );
        }
    }
}
