//! Boilerplate: short pieces before or after a text that state nothing of it, such as a copyright notice, a byline or
//! "Page 3 of 10".
//!
//! A line break or the end of a sentence divides a piece from the text, and its first words are those of boilerplate. A
//! piece with a finite verb is a sentence, unless it begins with a request to the reader or with a fixed phrase.

use std::ops::Range;

use super::tokens::{Kind, Token};

/// Maximum number of tokens of a piece.
const MAX_TOKENS: usize = 14;
/// Maximum number of sentences of a piece, since abbreviations look like the end of one.
const MAX_SENTENCES: usize = 3;
/// Maximum number of pieces at each end.
const MAX_PIECES: usize = 4;
/// The minimum number of tokens of a text without its boilerplate.
const MIN_BODY: usize = 6;

/// Beginnings after which no finite verb follows, unless a colon does.
const LABELS: [&[&str]; 50] = [
    &["copyright"],
    &["source"],
    &["sources"],
    &["photo"],
    &["photos"],
    &["photograph"],
    &["image"],
    &["images"],
    &["picture"],
    &["credit"],
    &["credits"],
    &["tel"],
    &["telephone"],
    &["phone"],
    &["fax"],
    &["email"],
    &["e", "mail"],
    &["category"],
    &["categories"],
    &["tags"],
    &["tagged"],
    &["filed", "under"],
    &["views"],
    &["comments"],
    &["replies"],
    &["likes"],
    &["shares"],
    &["downloads"],
    &["last", "updated"],
    &["last", "modified"],
    &["last", "edited"],
    &["last", "changed"],
    &["last", "revised"],
    &["posted", "by"],
    &["posted", "on"],
    &["posted", "at"],
    &["published", "on"],
    &["updated", "on"],
    &["retrieved"],
    &["accessed"],
    &["archived"],
    &["written", "by"],
    &["reporting", "by"],
    &["editing", "by"],
    &["powered", "by"],
    &["quelle"],
    &["fuente"],
    &["fonte"],
    &["bron"],
    &["foto"],
];
/// Requests and fixed phrases, which may have a verb.
const PHRASES: [&[&str]; 24] = [
    &["all", "rights", "reserved"],
    &["alle", "rechte", "vorbehalten"],
    &["tous", "droits", "reserves"],
    &["todos", "los", "derechos", "reservados"],
    &["share", "on"],
    &["share", "this"],
    &["follow", "us"],
    &["like", "us"],
    &["find", "us"],
    &["contact", "us"],
    &["subscribe"],
    &["sign", "up"],
    &["sign", "in"],
    &["log", "in"],
    &["read", "more"],
    &["see", "more"],
    &["learn", "more"],
    &["click", "here"],
    &["sent", "from", "my"],
    &["back", "to", "top"],
    &["skip", "to"],
    &["terms", "of", "use"],
    &["privacy", "policy"],
    &["print", "this"],
];
/// Pieces that are one word, or this word and a number.
const SINGLE: [&str; 16] = [
    "advertisement",
    "advertisements",
    "advertising",
    "ad",
    "sponsored",
    "werbung",
    "anzeige",
    "publicidad",
    "publicite",
    "share",
    "print",
    "tweet",
    "views",
    "comments",
    "replies",
    "likes",
];
/// Words for the text in a note on its last edit.
const DOCUMENTS: [&str; 8] = [
    "article", "page", "document", "post", "entry", "site", "website", "story",
];
/// Verbs of a note on the last edit.
const EDITED: [&str; 6] = [
    "edited",
    "updated",
    "modified",
    "changed",
    "revised",
    "published",
];

/// The tokens of a text without its boilerplate.
pub(super) fn body(tokens: &[Token<'_>]) -> Range<usize> {
    let mut body = 0..tokens.len();
    for _ in 0..MAX_PIECES {
        let least = (body.start + 1).max(body.end.saturating_sub(MAX_TOKENS));
        let starts = (least..body.end).rev().filter(|&at| divides(&tokens[at]));
        let found = starts
            .take(MAX_SENTENCES)
            .find(|&at| is_boilerplate(&tokens[at..body.end]));
        match found {
            Some(start) if start - body.start >= MIN_BODY.max(body.end - start) => body.end = start,
            _ => break,
        }
    }
    for _ in 0..MAX_PIECES {
        let most = body.end.min(body.start + MAX_TOKENS + 1);
        let ends = (body.start + 1..most).filter(|&at| divides(&tokens[at]));
        let found = ends
            .take(MAX_SENTENCES)
            .find(|&at| is_boilerplate(&tokens[body.start..at]));
        match found {
            Some(end) if body.end - end >= MIN_BODY.max(end - body.start) => body.start = end,
            _ => break,
        }
    }
    body
}

/// Whether a line or a sentence ends before a token.
pub(super) fn divides(token: &Token<'_>) -> bool {
    if token.gap == " " {
        return false;
    }
    if token.gap.contains(['\n', '。']) {
        return true;
    }
    let Some((_, after)) = token.gap.rsplit_once(['.', '!', '?', '…']) else {
        return false;
    };
    // Scripts without capitals have letters that are neither.
    let is_begin = |c: char| c.is_alphabetic() && !c.is_lowercase();
    let begins = token.text.starts_with(is_begin) || after.contains(['[', '©', '•', '|']);
    after.contains(char::is_whitespace) && begins
}

fn is_boilerplate(piece: &[Token<'_>]) -> bool {
    let Some((first, rest)) = piece.split_first() else {
        return false;
    };
    let form = |at: usize| piece.get(at).map_or("", |token| &*token.form);
    let begins = |words: &&[&str]| words.iter().enumerate().all(|(at, word)| form(at) == *word);
    let has_verb = |tokens: &[Token<'_>]| {
        let mut tokens = tokens.iter();
        tokens.any(|token| token.is_verb || token.kind == Kind::Verb)
    };
    let is_number = |token: &Token<'_>| matches!(token.kind, Kind::Number | Kind::Year);
    let is_noted = first.gap.contains('©') && !has_verb(piece);
    let are_footnotes = piece
        .iter()
        .all(|token| token.gap.ends_with('[') && token.text.starts_with(|c: char| c.is_numeric()));
    if is_noted || are_footnotes || PHRASES.iter().any(begins) {
        return true;
    }
    if let Some(label) = LABELS.iter().find(|label| begins(label)) {
        let rest = piece.get(label.len()..).unwrap_or_default();
        let is_named = rest.first().is_some_and(|next| next.gap.starts_with(':'));
        let is_short = rest.is_empty()
            || rest
                .iter()
                .any(|token| is_number(token) || token.kind == Kind::Name);
        return is_named || (is_short && !has_verb(rest) && !is_phrase(rest));
    }
    match rest {
        [] => return SINGLE.contains(&form(0)),
        // "12 comments", "Comments (5)"
        [next] => {
            let is_counted = SINGLE.contains(&form(0)) && is_number(next);
            return is_counted || (is_number(first) && SINGLE.contains(&form(1)));
        }
        _ => {}
    }
    // "Page 3 of 10"
    if matches!(form(0), "page" | "seite" | "pagina") && piece.len() <= 4 {
        return is_number(&piece[1]) && rest.last().is_some_and(is_number);
    }
    // "This article was last edited on 4 June 2021."
    let named = usize::from(matches!(form(0), "this" | "the"));
    if DOCUMENTS.contains(&form(named)) {
        let edited = (named + 1..named + 4).find(|&at| EDITED.contains(&form(at)));
        let is_dated = |at: usize| {
            let rest = &piece[at + 1..];
            let is_date = |token: &Token<'_>| token.kind.is_date() || is_number(token);
            let begins = rest
                .first()
                .is_some_and(|next| is_date(next) || matches!(&*next.form, "on" | "at"));
            begins && rest.iter().any(is_number) && !has_verb(rest)
        };
        return edited.is_some_and(is_dated);
    }
    // "By Jane Doe, BBC News"
    let is_name = |token: &Token<'_>| token.kind == Kind::Name || token.form == "and";
    form(0) == "by" && first.text.starts_with('B') && piece.len() <= 8 && rest.iter().all(is_name)
}

/// Whether what follows a label continues a sentence: "Sources of the river", "Comments by the mayor".
fn is_phrase(rest: &[Token<'_>]) -> bool {
    let next = rest.first();
    next.is_some_and(|next| {
        next.kind == Kind::Preposition && next.gap == " " || matches!(next.kind, Kind::Word)
    })
}
