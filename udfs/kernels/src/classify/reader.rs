//! Reads the tokens of pairs of similar texts. Tokens of passages that both texts have are read once, as are the tokens of the
//! first text of several pairs in a row, and words that occur again.
//!
//! A token depends on the text after it only up to the next blank, and on the tokens before it only if these are numbers,
//! names or words that belong to them. After any other word, tokens of equal passages are equal.

use super::align::Counts;
use super::tokens::{Kind, Lexicon, Token, append, name_first_words};
use super::words::Words;

/// Number of tokens of the first text, before and after the expected one, at which a passage of the second text may
/// continue.
const WINDOW: usize = 16;
/// The texts are alike from a place on if they have this number of bytes in common before and after it.
const ALIKE: usize = 8;
/// Number of tokens of the second text after which no common passage is expected any more.
const MAX_TRIES: usize = 96;
/// Number of words and forms after which all are forgotten.
const MAX_WORDS: usize = 1 << 16;
/// Minimum number of bytes of a text whose tokens are copied.
const MIN_COPIED: usize = 512;
/// Minimum number of bytes of a word that no number and no unit continues.
const MIN_CLOSED: usize = 4;

/// Reads the texts of pairs. What is read does not depend on the pairs before.
///
/// The memory is in proportion to the longest text, besides that of 2¹⁶ words.
#[derive(Debug)]
pub struct PairReader<'a> {
    lexicon: Lexicon<'a>,
    /// The first text of the last pair.
    first: &'a str,
    /// Its tokens.
    tokens: Vec<Token<'a>>,
    /// A buffer for the alignment of tokens.
    pub(super) counts: Counts,
}

impl<'a> PairReader<'a> {
    pub(super) fn new(words: &'static Words) -> Self {
        Self {
            lexicon: Lexicon::new(words, 0),
            first: "",
            tokens: vec![],
            counts: Counts::default(),
        }
    }

    /// The tokens of two texts, with the same key for equal forms.
    pub(super) fn tokens_of_both(
        &mut self,
        a: &'a str,
        b: &'a str,
    ) -> (Vec<Token<'a>>, Vec<Token<'a>>) {
        let words = self.lexicon.words();
        if self.lexicon.len() > MAX_WORDS {
            *self = Self::new(words);
        }
        let Self {
            lexicon,
            first,
            tokens,
            ..
        } = self;
        if *first != a {
            *first = a;
            tokens.clear();
            append(a, 0..a.len(), lexicon, tokens);
        }
        let mut other = vec![];
        match b.len() < MIN_COPIED {
            true => append(b, 0..b.len(), lexicon, &mut other),
            false => append_like((a, tokens), b, lexicon, &mut other),
        }
        let mut own = tokens.clone();
        name_first_words(words, &mut own);
        name_first_words(words, &mut other);
        (own, other)
    }
}

/// Appends the tokens of `b`, copied from those of `a` where the texts are equal.
fn append_like<'a>(
    (a, own): (&str, &[Token<'a>]),
    b: &'a str,
    lexicon: &mut Lexicon<'a>,
    all: &mut Vec<Token<'a>>,
) {
    all.reserve(own.len());
    // The texts are read up to these bytes; `next` is the first token of `a` after them.
    let (mut at, mut to, mut next) = (0, 0, 0);
    loop {
        let common = common_prefix(&a.as_bytes()[at..], &b.as_bytes()[to..]);
        let is_rest = at + common == a.len() && to + common == b.len();
        let rest = &own[next..];
        let equal = match is_rest {
            true => rest,
            false => {
                let inside = rest.partition_point(|token| token.end() < at + common);
                let last = rest[..inside].iter().rposition(|token| is_closed(token, a));
                &rest[..last.map_or(0, |last| last + 1)]
            }
        };
        all.extend(equal.iter().map(|token| Token {
            start: to + token.start - at,
            ..token.clone()
        }));
        if is_rest {
            return;
        }
        let mut read = to + common;
        if let Some(last) = equal.last() {
            next += equal.len();
            to += last.end() - at;
        }
        let copied = all.len();
        let found = (0..MAX_TRIES).find_map(|_| {
            read = next_blank(b, read + 1);
            append(b, to..read, lexicon, all);
            to = read;
            let expected = next + (all.len() - copied).saturating_sub(1);
            continuation((a, own), (b, all), to, next, expected)
        });
        let Some(found) = found else {
            append(b, to..b.len(), lexicon, all);
            return;
        };
        at = own[found].end();
        next = found + 1;
    }
}

/// The token of `a` after which `a` continues as `b` does after its last token.
fn continuation(
    (a, own): (&str, &[Token<'_>]),
    (b, other): (&str, &[Token<'_>]),
    to: usize,
    next: usize,
    expected: usize,
) -> Option<usize> {
    other
        .last()
        .filter(|last| last.end() == to && is_closed(last, b))?;
    let around = |text, end: usize| {
        let text: &str = text;
        text.as_bytes()
            .get(end.checked_sub(ALIKE)?..end.saturating_add(ALIKE))
    };
    let here = around(b, to)?;
    let least = expected.saturating_sub(WINDOW).max(next);
    let most = own.len().min(expected + WINDOW);
    (least..most).find(|&place| {
        let token = &own[place];
        around(a, token.end()) == Some(here) && is_closed(token, a)
    })
}

/// Whether the tokens after a token are the same whatever stands before them, and the tokens before it the same whatever
/// follows it.
fn is_closed(token: &Token<'_>, text: &str) -> bool {
    let is_plain = matches!(
        token.kind,
        Kind::Word | Kind::Verb | Kind::Preposition | Kind::Negation | Kind::Contrast(_)
    );
    is_plain && token.form.len() >= MIN_CLOSED && text.as_bytes().get(token.end()) == Some(&b' ')
}

/// The first blank from a byte on, or the end of the text.
fn next_blank(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let blank = rest.iter().position(|&byte| byte == b' ');
    blank.map_or(text.len(), |blank| from + blank)
}

/// The number of bytes that two texts have in common at their beginning.
pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let equal = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let rest = a[equal..].iter().zip(&b[equal..]);
    equal + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::words::of;
    use crate::random_texts::RandomTexts;

    const PARTS: &[&str] = &[
        "The ",
        "river ",
        "flows ",
        "through ",
        "valley ",
        "bridge ",
        "Orvin ",
        "Senja ",
        "town ",
        "with ",
        "after ",
        "north ",
        "were ",
        "never ",
        "longest ",
        "and ",
        "a ",
        "one ",
        "of ",
        "5 metres ",
        "two hundred and five ",
        "1,900 km ",
        "12 345 678 ",
        "On May 3 120 boats ",
        "$5 million ",
        "3.50 m ",
        "mi/h ",
        "40 miles per hour ",
        "per hour ",
        "hundred ",
        "2.500 ",
        "1982-83 ",
        "2004-03-05 ",
        "(-5) ",
        "km² ",
        "10² ",
        "l'eau ",
        "dell'acqua ",
        "l’été ",
        "Route 31 runs ",
        "the river.Senja lies ",
        "GovernmentThe town ",
        "e\u{301}cole ",
        " \u{301}x ",
        "北京是中国的首都。",
        "東京 ",
        "“Orvin” ",
        "7\u{202f}km ",
        "footnote[12] ",
        "| a | b |\n",
        "== Heading ==\n",
        "Acronicta rumicis is ",
        "don't ",
        "U.S. ",
        "7 am ",
        "7:30 pm ",
        "50% ",
        "50 % ",
        "€",
        "👍 ",
        "a\u{200d}b ",
        "Straße ",
        "Москва ",
        "שלום ",
        "Copyright 2012. ",
        "“north",
        "\n",
        "\t",
        "  ",
        "\u{a0}",
        ". ",
        ", ",
        "- ",
        "zwanzig ",
    ];
    const LETTERS: &[char] = &[
        'a', 'e', 's', 'T', '1', '7', '0', ' ', ' ', ' ', '.', ',', '-', '/', '[', ']', '\'', '%',
        '\n', '\u{301}', 'é', '中', '²', '\u{202f}', '\u{200d}',
    ];

    fn plain<'a>(text: &'a str, lexicon: &mut Lexicon<'a>) -> Vec<Token<'a>> {
        let mut all = vec![];
        append(text, 0..text.len(), lexicon, &mut all);
        all
    }

    /// Tokens that are copied from a similar text are those of the text itself.
    #[test]
    fn copied_tokens_are_those_of_the_text() {
        let mut random = RandomTexts::new(23);
        let (mut copied, mut all) = (0, 0);
        for round in 0..20_000 {
            let words = of(["en", "de", "fr", "it", "fi"][round % 5]);
            let mut a = String::new();
            for _ in 0..random.below(120) {
                a.push_str(PARTS[random.below(PARTS.len())]);
            }
            let edits = random.below(8);
            let mut b = random.edited(&a, edits, LETTERS);
            if round % 3 == 0 {
                let blanks: Vec<usize> = b.match_indices(' ').map(|(at, _)| at).collect();
                if !blanks.is_empty() {
                    let at = blanks[random.below(blanks.len())];
                    b.insert_str(at + 1, PARTS[random.below(PARTS.len())]);
                }
            }
            let mut lexicon = Lexicon::new(words, 0);
            let own = plain(&a, &mut lexicon);
            let mut other = vec![];
            append_like((&a, &own), &b, &mut lexicon, &mut other);
            let expected = plain(&b, &mut lexicon);
            assert_eq!(other, expected, "{a:?} {b:?}");
            all += other.len();
            let inside = a.as_bytes().as_ptr_range();
            let is_copied = |token: &&Token<'_>| inside.contains(&token.text.as_ptr());
            copied += other.iter().filter(is_copied).count();
            // Keys are equal if and only if the forms are.
            for x in own.iter().take(40) {
                let same = |y: &Token<'_>| (x.key == y.key) == (x.form == y.form);
                assert!(other.iter().all(same), "{a:?} {b:?}");
            }
        }
        assert!(copied * 2 > all, "{copied} of {all} tokens");
    }

    /// Tokens as they are without those of other pairs.
    fn without_keys<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
        let tokens = tokens.iter().cloned();
        tokens.map(|token| Token { key: 0, ..token }).collect()
    }

    #[test]
    fn tokens_do_not_depend_on_the_pairs_before() {
        let mut random = RandomTexts::new(29);
        let mut groups = vec![];
        for _ in 0..400 {
            let mut text = String::new();
            for _ in 0..random.below(160) {
                text.push_str(PARTS[random.below(PARTS.len())]);
            }
            let edited = (0..5).map(|edits| random.edited(&text, 2 * edits, LETTERS));
            groups.push(edited.collect::<Vec<String>>());
        }
        for language in ["en", "de", "fr", "fi"] {
            let words = of(language);
            let mut reader = PairReader::new(words);
            for group in &groups {
                for (a, b) in [(0, 1), (0, 2), (3, 0), (0, 3), (4, 4)] {
                    let (a, b) = (&group[a], &group[b]);
                    let found = reader.tokens_of_both(a, b);
                    let alone = PairReader::new(words).tokens_of_both(a, b);
                    let contents = [&found, &alone].map(|(a, b)| [a, b].map(|a| without_keys(a)));
                    assert_eq!(contents[0], contents[1], "{a:?} {b:?}");
                    for (x, y) in found.0.iter().zip(&found.1) {
                        assert_eq!(x.key == y.key, x.form == y.form, "{a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn common_prefixes() {
        let text: Vec<u8> = (0..100).collect();
        for length in 0..100 {
            let mut other = text.clone();
            other[length] = 255;
            assert_eq!(common_prefix(&text, &other), length);
            assert_eq!(common_prefix(&text, &text[..length]), length);
        }
    }
}
