//! The shape of citations.
//!
//! A text counts as a citation by marks: volume with issue or pages, identifiers, words of publishing, initials of
//! authors, years in parentheses. A finite verb counts against it.

use super::tokens::{Kind, Token};

/// Words that only references have, by the number of marks that they count for.
const STRONG: [&str; 16] = [
    "isbn", "issn", "doi", "pmid", "arxiv", "oclc", "http", "https", "www", "pp", "eds", "hrsg",
    "bibcode", "jstor", "isni", "pmc",
];
const WEAK: [&str; 40] = [
    "vol",
    "volume",
    "no",
    "nr",
    "issue",
    "ed",
    "edition",
    "press",
    "publisher",
    "publishers",
    "publishing",
    "verlag",
    "journal",
    "proceedings",
    "retrieved",
    "accessed",
    "archived",
    "magazine",
    "gazette",
    "books",
    "et",
    "al",
    "trans",
    "editor",
    "editors",
    "university",
    "review",
    "bulletin",
    "transactions",
    "annals",
    "thesis",
    "paperback",
    "hardcover",
    "auflage",
    "band",
    "revista",
    "zeitschrift",
    "edizioni",
    "presses",
    "editions",
];
/// Marks of a citation, and of a text that is compared with one.
const ENOUGH: i32 = 3;
const ENOUGH_BESIDE: i32 = 2;
/// A citation is not longer than this number of tokens.
const MAX_TOKENS: usize = 80;

/// Whether two texts have the shape of citations.
pub(super) fn are_citations(a: (&str, &[Token<'_>]), b: (&str, &[Token<'_>])) -> bool {
    let (a, b) = (marks(a.0, a.1), marks(b.0, b.1));
    a.max(b) >= ENOUGH && a.min(b) >= ENOUGH_BESIDE
}

/// The number of marks of a citation.
fn marks(text: &str, tokens: &[Token<'_>]) -> i32 {
    let is_word = |token: &Token<'_>| token.text.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    if tokens.len() > MAX_TOKENS || !tokens.iter().any(is_word) {
        return 0;
    }
    let number = |at: usize| {
        let found = tokens.get(at);
        found.is_some_and(|token| matches!(token.kind, Kind::Number | Kind::Year))
    };
    let gap = |at: usize| tokens.get(at).map_or("", |token| token.gap);
    let mut marks = 0;
    let mut weak = 0;
    let mut verbs = 0;
    let mut is_quoted = false;
    for (at, token) in tokens.iter().enumerate() {
        // What a title says is not said by the citation.
        if token.gap.contains(['"', '“', '”', '«', '»']) {
            let quotes = token
                .gap
                .chars()
                .filter(|c| matches!(c, '"' | '“' | '”' | '«' | '»'));
            is_quoted ^= quotes.count() % 2 == 1;
        }
        if token.kind == Kind::Verb && !is_quoted && token.text.starts_with(char::is_lowercase) {
            verbs += 1;
        }
        let form = &*token.form;
        if STRONG.contains(&form) && (form != "pp" || number(at + 1)) {
            marks += 2;
        }
        let is_page = form == "p" && number(at + 1) && gap(at + 1).starts_with('.');
        if is_page {
            marks += 2;
        }
        if WEAK.contains(&form) {
            weak += 1;
        }
        // 11 (1): 73
        let is_volume = number(at) && number(at + 1) && gap(at + 1).trim() == "(" && number(at + 2);
        if is_volume && gap(at + 2).trim_start().starts_with(')') {
            marks += 2;
        }
        // 23: 117-125, or 73–80 at the end.
        let is_range = number(at) && number(at + 1) && matches!(gap(at + 1), "-" | "–" | "—" | "‐");
        let is_last = at + 2 == tokens.len();
        if is_range
            && (token.gap.trim() == ":"
                || token.gap.ends_with(": ")
                || token.gap.ends_with("):")
                || is_last)
        {
            marks += 1;
            // 14: 1–92
            let is_volume = at > 0 && number(at - 1) && token.gap.trim() == ":";
            marks += 2 * i32::from(is_volume);
        }
        // (1998) and (May 1998)
        let closes = gap(at + 1).starts_with(')')
            || (is_at_end(tokens, at) && text[token.end()..].starts_with(')'));
        if token.kind == Kind::Year
            && closes
            && (token.gap.ends_with('(') || (at > 0 && tokens[at - 1].gap.ends_with('(')))
        {
            marks += 1;
        }
        // "Smith, J." at the beginning.
        let is_initial =
            token.text.chars().count() == 1 && token.text.starts_with(char::is_uppercase);
        if (1..=2).contains(&at)
            && is_initial
            && token.gap.starts_with(',')
            && (gap(at + 1).starts_with('.') || gap(at + 1).starts_with(','))
        {
            marks += 2;
        }
    }
    let begins_quoted = text.trim_start().starts_with(['"', '“', '«']);
    let ends_dated = tokens.last().is_some_and(|token| token.kind == Kind::Year);
    marks += weak.min(3) + i32::from(begins_quoted) + i32::from(ends_dated && weak > 0);
    marks - 2 * verbs
}

fn is_at_end(tokens: &[Token<'_>], at: usize) -> bool {
    at + 1 == tokens.len()
}
