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
const WEAK: [&str; 42] = [
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
    "jahrgang",
    "jahrbuch",
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
/// Maximum number of tokens of the authors, and of a place and a publisher in parentheses.
const MAX_AUTHORS: usize = 14;
const MAX_PUBLISHER: usize = 10;
/// Maximum number of tokens of the author before a date, and of the place of a publisher.
const AUTHOR: usize = 5;
const MAX_PLACE: usize = 3;
/// Maximum number of tokens of the number of a book.
const MAX_IDENTIFIER: usize = 7;
/// Dates in parentheses count for at most this number of marks.
const MAX_DATES: i32 = 2;
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
    let mut first_quote = None;
    let mut is_titled = false;
    let mut is_dated = false;
    let mut dates = 0;
    let mut parenthesis = None;
    for (at, token) in tokens.iter().enumerate() {
        // What a title says is not said by the citation.
        let is_blank = token.gap == " ";
        if !is_blank && token.gap.contains(['"', '“', '”', '«', '»']) {
            let quotes = token
                .gap
                .chars()
                .filter(|c| matches!(c, '"' | '“' | '”' | '«' | '»'));
            is_quoted ^= quotes.count() % 2 == 1;
            first_quote = first_quote.or(Some(at));
            is_titled |= at > 0 && ends_title(token.gap);
        }
        if is_blank {
            // Neither a quotation nor a parenthesis begins or ends.
        } else if token.gap.contains('(') {
            parenthesis = Some((at, false));
        } else if token.gap.contains(')') {
            parenthesis = None;
        } else if token.gap.starts_with(':')
            && let Some((_, has_colon)) = &mut parenthesis
        {
            *has_colon = true;
        }
        let is_outside = !is_quoted && parenthesis.is_none();
        if token.kind == Kind::Verb && is_outside && token.text.starts_with(char::is_lowercase) {
            verbs += 1;
        }
        let form = &*token.form;
        if STRONG.contains(&form) && (form != "pp" || number(at + 1)) {
            marks += 2;
        }
        // "Retrieved 3 May 2012"
        is_dated |= matches!(form, "retrieved" | "accessed" | "archived") && {
            let is_on = tokens.get(at + 1).is_some_and(|next| next.form == "on");
            let date = tokens.get(at + 1 + usize::from(is_on));
            date.is_some_and(|date| date.kind.is_date() || date.kind == Kind::Number)
        };
        let is_page =
            (form == "p" || token.text == "S") && number(at + 1) && gap(at + 1).starts_with('.');
        if is_page {
            marks += 2;
        }
        if WEAK.contains(&form) {
            weak += 1;
        }
        // "Vol. 2, Ch. 17", "Vol. 1, §34"
        let is_part = matches!(form, "vol" | "ch" | "chap" | "bd")
            && number(at + 1)
            && gap(at + 1).starts_with('.');
        let is_paragraph = number(at) && token.gap.ends_with(['§', '¶']);
        marks += i32::from(is_part) + i32::from(is_paragraph);
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
            dates += 1;
        }
        // "Velin, Marta (1990) The Ferries of Orvin"
        let is_followed = tokens.get(at + 1).is_some_and(|next| {
            next.text.starts_with(char::is_uppercase) && next.kind != Kind::Verb
        });
        if token.kind == Kind::Year
            && (2..=AUTHOR).contains(&at)
            && token.gap.trim() == "("
            && closes
            && is_followed
            && tokens[1].gap == ", "
            && tokens[..at].iter().all(is_capital)
        {
            marks += 2;
        }
        // (Brannock: Oak Press, 1988), but not (Stand: Mai 1988)
        let is_publisher =
            token.kind == Kind::Year && closes && at > 0 && !tokens[at - 1].kind.is_date();
        if is_publisher
            && parenthesis.is_some_and(|(from, has_colon)| has_colon && at - from <= MAX_PUBLISHER)
        {
            marks += 2;
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
    marks += i32::from(is_edited(tokens)) + 2 * i32::from(begins_with_author(text, tokens));
    marks += of_edition(tokens) + 2 * i32::from(ends_with_authors(text, tokens));
    // More dates in parentheses are those of a list.
    marks += dates.min(MAX_DATES);
    let is_address = text.trim_start_matches('[').starts_with("http") && !text.contains(' ');
    marks += 3 * i32::from(is_address);
    marks += 2 * i32::from(are_publisher_and_date(text, tokens))
        + 3 * i32::from(are_publisher_and_author(tokens));
    let begins_quoted = text.trim_start().starts_with(['"', '“', '«']);
    let last = tokens.last().map(|token| token.kind);
    let ends_dated = last == Some(Kind::Year);
    // Author. "Title". Publisher. Year. Pages.
    let has_author = first_quote.is_some_and(|at| are_authors(&tokens[..at], gap(at)));
    let has_title = is_titled || ends_title(&text[tokens.last().map_or(0, Token::end)..]);
    let is_listed = has_title && (begins_quoted || has_author);
    let ends_numbered = matches!(last, Some(Kind::Year | Kind::Number));
    let is_site = |token: &Token<'_>| {
        let mut endings = [".com", ".org", ".net"].iter();
        endings.any(|ending| token.text.ends_with(ending))
    };
    marks += 2 * i32::from(has_author)
        + i32::from(is_listed)
        + i32::from(is_dated)
        + i32::from(is_listed && tokens.iter().any(is_site));
    marks += weak.min(3) + i32::from(begins_quoted);
    marks += i32::from((ends_dated && weak > 0) || (ends_numbered && is_listed));
    marks - 2 * verbs
}

/// Whether a title in quotation marks ends before a token, with a full stop or a comma.
fn ends_title(gap: &str) -> bool {
    let mut before = None;
    for character in gap.chars() {
        let is_quote = |c: char| matches!(c, '"' | '”' | '»');
        let is_stop = |c: char| matches!(c, '.' | ',');
        let closes = before.is_some_and(|before| {
            (is_quote(before) && is_stop(character)) || (is_stop(before) && character == '”')
        });
        if closes {
            return true;
        }
        before = Some(character);
    }
    false
}

/// Whether what stands before a title is names of authors, which a full stop, a comma or a parenthesis ends.
fn are_authors(tokens: &[Token<'_>], gap: &str) -> bool {
    let is_author = |token: &Token<'_>| {
        let is_short = token.text.chars().count() <= 3;
        token.text.starts_with(char::is_uppercase)
            || (is_short && token.kind != Kind::Verb && token.kind != Kind::Preposition)
            || matches!(&*token.form, "editor" | "editors")
    };
    let is_prepositional = tokens.first().is_some_and(|first| {
        matches!(
            first.kind,
            Kind::Preposition | Kind::Function | Kind::Number
        ) || first.kind.is_date()
    });
    !tokens.is_empty()
        && tokens.len() <= MAX_AUTHORS
        && !is_prepositional
        && gap.trim_start().starts_with(['.', ',', ')'])
        && tokens.iter().all(is_author)
}

fn is_capital(token: &Token<'_>) -> bool {
    token.text.starts_with(char::is_uppercase)
}

/// "Senja: Elm Press, 1989." as a whole text, or its end after a full stop.
fn are_publisher_and_date(text: &str, tokens: &[Token<'_>]) -> bool {
    let [before @ .., date] = tokens else {
        return false;
    };
    let Some(colon) = before.iter().rposition(|token| token.gap == ": ") else {
        return false;
    };
    let publisher = &before[colon..];
    let place = before[..colon].iter().rev().take(MAX_PLACE);
    let mut place = place.take_while(|token| is_capital(token));
    date.kind == Kind::Year
        && matches!(date.gap, ", " | " ")
        && matches!(text[date.end()..].trim(), "" | "." | ").")
        && publisher.len() <= MAX_PUBLISHER
        && !publisher.iter().all(|token| token.kind.is_date())
        && place.next().is_some()
        && publisher.iter().all(|token| {
            is_capital(token) || matches!(token.kind, Kind::Function | Kind::Preposition)
        })
}

/// The end of one item of a bibliography and the beginning of the next one: "Senja: Elm Press. * Velin, Marta".
fn are_publisher_and_author(tokens: &[Token<'_>]) -> bool {
    let Some(star) = tokens.iter().position(|token| token.gap == ". * ") else {
        return false;
    };
    let author = tokens[star + 1..].first();
    tokens[..star].iter().any(|token| token.gap == ": ")
        && tokens[..star]
            .iter()
            .all(|token| is_capital(token) || token.text.len() <= 3)
        && is_capital(&tokens[star])
        && author.is_some_and(|next| next.gap == ", " && is_capital(next))
}

/// "Marta Velin (Hrsg.): " at the beginning.
fn is_edited(tokens: &[Token<'_>]) -> bool {
    let Some(editor) = tokens
        .iter()
        .take(AUTHOR)
        .position(|token| matches!(&*token.form, "hrsg" | "ed" | "eds") && token.gap == " (")
    else {
        return false;
    };
    let title = tokens.get(editor + 1);
    editor > 0
        && tokens[..editor].iter().all(is_capital)
        && title.is_some_and(|title| title.gap.trim_start_matches(['.', ')']) == ": ")
}

/// "Marta Velin: The Ferries." as a whole text.
fn begins_with_author(text: &str, tokens: &[Token<'_>]) -> bool {
    let is_name = |token: &Token<'_>| is_capital(token) && token.gap == " ";
    match tokens {
        [first, second, title, ..] => {
            is_capital(first)
                && is_name(second)
                && title.gap == ": "
                && is_capital(title)
                && tokens.len() <= AUTHOR
                && text.ends_with('.')
        }
        _ => false,
    }
}

/// "Zweite Auflage" at the beginning, and "Auflage 1864".
fn of_edition(tokens: &[Token<'_>]) -> i32 {
    let Some(edition) = tokens.iter().position(|token| token.form == "auflage") else {
        return 0;
    };
    let first = &tokens[0];
    let is_numbered = edition > 0 && first.kind == Kind::Number && is_capital(first);
    let is_dated = tokens
        .get(edition + 1)
        .is_some_and(|next| next.kind == Kind::Year && matches!(next.gap, " " | ", "));
    i32::from(is_numbered) + i32::from(is_dated)
}

/// "… by Marta Velin and Jon Lund (1990)" at the end.
fn ends_with_authors(text: &str, tokens: &[Token<'_>]) -> bool {
    let [before @ .., date] = tokens else {
        return false;
    };
    let Some(by) = before.iter().rposition(|token| token.text == "by") else {
        return false;
    };
    let authors = &before[by + 1..];
    let is_verb = |token: &Token<'_>| token.is_verb || token.kind == Kind::Verb;
    date.kind == Kind::Year
        && date.gap == " ("
        && matches!(text[date.end()..].trim_end(), ")" | ")." | "),")
        && (2..=MAX_AUTHORS).contains(&authors.len())
        && authors
            .iter()
            .all(|token| is_capital(token) || token.form == "and")
        && !before[..by].iter().any(is_verb)
}

/// Whether a text ends with the number of a book.
pub(super) fn ends_with_identifier(tokens: &[Token<'_>]) -> bool {
    let mut last = tokens.iter().rev().take(MAX_IDENTIFIER);
    let is_part =
        |token: &&Token<'_>| matches!(token.kind, Kind::Number | Kind::Year) || token.text == "X";
    let first = last.find(|token| !is_part(token));
    first.is_some_and(|first| matches!(&*first.form, "isbn" | "issn"))
        && tokens.last().is_some_and(|last| is_part(&last))
}

fn is_at_end(tokens: &[Token<'_>], at: usize) -> bool {
    at + 1 == tokens.len()
}
