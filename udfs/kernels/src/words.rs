//! Word boundaries: the units of `word:` shingles.

use unicode_segmentation::UnicodeSegmentation;

use crate::normalize::ascii_prefix;

/// Calls `f` with each word of `text`, in order: the UAX #29 words that hold a letter or a digit.
///
/// These are the words that [`UnicodeSegmentation::unicode_words`] gives for the whole text. The text is first
/// divided at spaces before an ASCII letter or digit, where there is always a word boundary, so that a non-ASCII
/// character does not force the whole text onto the slow path.
pub(crate) fn for_each_word<'a>(text: &'a str, mut f: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    loop {
        let other = start + ascii_prefix(&bytes[start..]);
        if other == bytes.len() {
            return for_each_ascii_word(&text[start..], f);
        }
        // The words before the word of this character, and those from it up to the next certain boundary.
        let before = bytes[start..other].windows(2).rposition(is_boundary);
        let word = before.map_or(start, |at| start + at + 1);
        for_each_ascii_word(&text[start..word], &mut f);
        let after = bytes[other..].windows(2).position(is_boundary);
        start = after.map_or(bytes.len(), |at| other + at + 1);
        text[word..start].unicode_words().for_each(&mut f);
    }
}

/// Whether there is a word boundary between two bytes whatever stands around them.
fn is_boundary(pair: &[u8]) -> bool {
    pair[0] == b' ' && pair[1].is_ascii_alphanumeric()
}

/// The classes of ASCII characters in UAX #29 that matter for words.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// It is a part of a word, but no word on its own.
const UNDERSCORE: u8 = 4;
/// A part of a word between two letters.
const IN_LETTERS: u8 = 8;
/// A part of a word between two digits.
const IN_DIGITS: u8 = 16;

/// The class of each byte; 0 for all that are not ASCII, too.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b':' => IN_LETTERS,
            b',' | b';' => IN_DIGITS,
            b'.' | b'\'' => IN_LETTERS | IN_DIGITS,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// [`for_each_word`] of an ASCII text, in one pass over its bytes.
fn for_each_ascii_word<'a>(text: &'a str, mut f: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(0, |&byte| CLASSES[byte as usize]);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut classes = 0;
        loop {
            let here = class(at);
            if here & (LETTER | DIGIT | UNDERSCORE) != 0 {
                classes |= here;
                at += 1;
                continue;
            }
            let joins = match at > start && here != 0 {
                true => class(at - 1) & class(at + 1),
                false => 0,
            };
            let is_inside = (joins == LETTER && here & IN_LETTERS != 0)
                || (joins == DIGIT && here & IN_DIGITS != 0);
            if !is_inside {
                break;
            }
            at += 1;
        }
        if classes & (LETTER | DIGIT) != 0 {
            f(&text[start..at]);
        }
        at += 1;
    }
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
    fn words_of_ascii_are_those_of_unicode() {
        assert_eq!(
            words("a_1 __ 1,000.5;6 e.g. can't 'tis x:y 1:2 a.1 1'b a..b ._."),
            [
                "a_1",
                "1,000.5;6",
                "e.g",
                "can't",
                "tis",
                "x:y",
                "1",
                "2",
                "a",
                "1",
                "1",
                "b",
                "a",
                "b"
            ]
        );
        let mut texts = RandomTexts::new(8);
        let rules: Vec<char> = "aZ09_:;,.'\" \r\n\t-".chars().collect();
        let all: Vec<char> = (0..128_u8).map(char::from).collect();
        for round in 0..60_000 {
            let letters = match round % 3 {
                0 => &all,
                _ => &rules,
            };
            let text = texts.few_letters(1 + round % 24, letters);
            assert_eq!(
                words(&text),
                text.unicode_words().collect::<Vec<_>>(),
                "{text:?}"
            );
        }
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
