//! The rules, from the alignment of a pair to its class.

use std::ops::Range;

use super::changes::{Aligned, Fact, is_variant};
use super::citation::are_citations;
use super::tokens::{Keys, Kind, Token, tokens};
use super::words::Words;
use super::{ChangeKind, Classification, PairClass};

/// Texts that share less than this share of their tokens are not similar.
const NOT_SIMILAR: f64 = 0.3;
/// A pattern is at least this share of the tokens of the longer text.
const PATTERN: f64 = 0.35;
/// An edit leaves at least this share of the content of the shorter text.
const EDIT: f64 = 0.5;
/// An edit that only adds makes a text at most this many times longer.
const LONGER: f64 = 2.5;
/// Share of the characters that are letters, below which a text is a formula or a table.
const LETTERS: f64 = 0.45;

/// The class of two different texts.
pub(super) fn classify(words: &Words, a: &str, b: &str) -> Classification {
    let mut keys = Keys::default();
    let (own, other) = (tokens(words, a, &mut keys), tokens(words, b, &mut keys));
    let none = |class| Classification {
        class,
        changes: vec![],
    };
    if own.is_empty() || other.is_empty() {
        return none(PairClass::Other);
    }
    let are_citations = are_citations((a, &own), (b, &other));
    let pair = Aligned::new(own, other);
    let all = pair.shared(|_| true).of_larger();
    let content = pair.shared(|token| token.kind.is_content());
    if are_citations {
        return none(match all < NOT_SIMILAR / 2.0 {
            true => PairClass::NotSimilar,
            false => PairClass::Reference,
        });
    }
    if all < NOT_SIMILAR && content.of_smaller() < EDIT {
        return none(PairClass::NotSimilar);
    }
    if is_formula(a) || is_formula(b) {
        return none(PairClass::Other);
    }
    let facts = pair.facts();
    let subject = Subject::new(words, &pair, &facts);
    let are_titles = subject.has_no_verb && !ends_sentence(a) && !ends_sentence(b);
    let class = match are_titles && !facts.is_empty() && all >= PATTERN {
        true => PairClass::Template,
        false => decide(&pair, &facts, &subject, all),
    };
    let has_facts = matches!(class, PairClass::FactualDrift | PairClass::Template);
    let mut changes: Vec<_> = match has_facts {
        true => facts.iter().map(|fact| pair.change(fact)).collect(),
        false => vec![],
    };
    changes.sort_by_key(|change| (change.a.start, change.b.start));
    Classification { class, changes }
}

/// Whether a text ends like a sentence.
fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?', '。', '"', '”'])
}

/// Whether a text is a formula or a table: it has an arrow, an equals sign, or few letters.
fn is_formula(text: &str) -> bool {
    text.contains(['→', '←', '⇌', '↔', '=', '|']) || letters(text) < LETTERS
}

/// The share of the characters of a text, without blanks, that are letters.
fn letters(text: &str) -> f64 {
    let (mut letters, mut all) = (0, 0);
    if text.is_ascii() {
        for byte in text.bytes() {
            // White space among ASCII, with the vertical tab.
            all += u32::from(!matches!(byte, b'\t'..=b'\r' | b' '));
            letters += u32::from(byte.is_ascii_alphabetic());
        }
        return f64::from(letters) / f64::from(all.max(1));
    }
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        all += 1;
        letters += u32::from(character.is_alphabetic());
    }
    f64::from(letters) / f64::from(all.max(1))
}

fn decide(pair: &Aligned<'_>, facts: &[Fact], subject: &Subject, all: f64) -> PairClass {
    let content = pair.shared(|token| token.kind.is_content());
    let is_pattern = all >= PATTERN;
    if subject.is_other {
        return match is_pattern {
            true => PairClass::Template,
            false => PairClass::Other,
        };
    }
    if !facts.is_empty() {
        if content.of_smaller() < 1.0 - EDIT && all < EDIT {
            return PairClass::Other;
        }
        return match is_same_topic(pair, facts, subject) {
            true => PairClass::FactualDrift,
            false if is_pattern => PairClass::Template,
            false => PairClass::Other,
        };
    }
    if subject.is_reworded && content.both <= 4 {
        return PairClass::Template;
    }
    let lengths = (pair.a.len() as f64, pair.b.len() as f64);
    let longer = (lengths.0 / lengths.1).max(lengths.1 / lengths.0);
    match content.of_smaller() >= EDIT && longer <= LONGER {
        true => PairClass::CopyEdit,
        false => PairClass::Other,
    }
}

/// Whether a pair with the same subject and other facts speaks of the same topic: what it shares must identify the
/// topic, or be too much for a pattern.
fn is_same_topic(pair: &Aligned<'_>, facts: &[Fact], subject: &Subject) -> bool {
    let count = |kind: ChangeKind| facts.iter().filter(|fact| fact.kind == kind).count();
    let names = pair.shared(|token| token.kind == Kind::Name).both;
    let changed = facts.len();
    let quantities = count(ChangeKind::Number) + count(ChangeKind::Date) + count(ChangeKind::Unit);
    if subject.has_no_verb && count(ChangeKind::Name) > 0 {
        return false;
    }
    if subject.has_shared_name {
        // A list of which every value differs is a pattern.
        return quantities <= 4 || names > quantities;
    }
    let shared_words = pair.shared(|token| token.kind.is_content()).both;
    let values =
        pair.shared(|token| matches!(token.kind, Kind::Number | Kind::Year | Kind::Calendar));
    let anchors = names + values.both;
    let specific = changed == 1 && shared_words >= 7;
    match names {
        0 => specific,
        // "The village is served by trains to …" with other values and names speaks of another village.
        _ if count(ChangeKind::Name) > 0 && changed > 1 => false,
        _ => specific || (changed <= 2 && anchors > changed),
    }
}

/// What is known of the subjects of two texts.
struct Subject {
    /// Whether the subject, or the subject of a clause, is another one.
    is_other: bool,
    /// Whether other words name the subject.
    is_reworded: bool,
    /// Whether a name in the subject is the same.
    has_shared_name: bool,
    /// Whether the texts have no finite verb, in a language whose verbs are known.
    has_no_verb: bool,
}

impl Subject {
    fn new(words: &Words, pair: &Aligned<'_>, facts: &[Fact]) -> Self {
        let (a, b) = (region(words, &pair.a), region(words, &pair.b));
        let has_verb = |tokens: &[Token<'_>]| {
            tokens
                .iter()
                .any(|token| token.is_verb || token.kind == Kind::Verb)
        };
        let has_no_verb = words.code.is_some() && !has_verb(&pair.a) && !has_verb(&pair.b);
        let has_shared_name = pair.matched.iter().enumerate().any(|(at, to)| {
            a.contains(&at) && pair.a[at].kind == Kind::Name && to.is_some_and(|to| b.contains(&to))
        });
        let mut is_other = false;
        let mut is_reworded = false;
        for run in &pair.runs {
            let of =
                |rest: Vec<usize>, region: &Range<usize>, tokens: &[Token<'_>]| -> Vec<usize> {
                    let kept = rest.into_iter();
                    kept.filter(|at| region.contains(at) && tokens[*at].kind.is_content())
                        .collect()
                };
            let own = of(pair.rest_a(&run.a), &a, &pair.a);
            let other = of(pair.rest_b(&run.b), &b, &pair.b);
            if own.is_empty() || other.is_empty() {
                continue;
            }
            let is = |tokens: &[Token<'_>], rest: &[usize], kinds: &[Kind]| {
                rest.iter().any(|&at| kinds.contains(&tokens[at].kind))
            };
            let values = [Kind::Number, Kind::Year, Kind::Calendar];
            let names = [Kind::Name];
            let is_value = is(&pair.a, &own, &values) && is(&pair.b, &other, &values);
            // Facts are in the order of the first text.
            let facts = &facts[facts.partition_point(|fact| fact.a.start < run.a.start)..];
            let of_run = facts.partition_point(|fact| fact.a.start < run.a.end);
            let has_fact = |kind: ChangeKind| {
                facts[..of_run].iter().any(|fact| {
                    fact.kind == kind
                        && own.binary_search(&fact.a.start).is_ok()
                        && other.binary_search(&fact.b.start).is_ok()
                })
            };
            let replaces = has_fact(ChangeKind::Name);
            let is_contrast = has_fact(ChangeKind::Word);
            let is_named = is(&pair.a, &own, &names) && is(&pair.b, &other, &names);
            let are_variants = own.len() == other.len()
                && own
                    .iter()
                    .zip(&other)
                    .all(|(&x, &y)| is_variant(&pair.a[x], &pair.b[y]));
            if are_variants {
                continue;
            }
            if is_value || is_contrast || replaces {
                is_other = true;
            } else if !is_named {
                let one_is_named = is(&pair.a, &own, &names) || is(&pair.b, &other, &names);
                let both_begin = own.contains(&a.start) && other.contains(&b.start);
                // A name for a noun is often the same thing, unless nothing else identifies it.
                is_reworded |= !has_shared_name && (!one_is_named || both_begin);
            }
        }
        let quantities = facts
            .iter()
            .any(|fact| matches!(fact.kind, ChangeKind::Number | ChangeKind::Unit));
        if quantities && !has_shared_name && is_reworded {
            is_other = true;
        }
        // "… estimates that the population of Alabama was": the subject of a clause.
        let is_clause = facts.iter().any(|fact| {
            let before_verb = |tokens: &[Token<'_>], end: usize| {
                tokens.get(end).is_some_and(|next| {
                    next.kind == Kind::Verb && !next.gap.contains([',', '(', ';'])
                })
            };
            fact.kind == ChangeKind::Name
                && before_verb(&pair.a, fact.a.end)
                && before_verb(&pair.b, fact.b.end)
        });
        Self {
            is_other: is_other || (is_clause && quantities),
            is_reworded,
            has_shared_name,
            has_no_verb,
        }
    }
}

/// The tokens of the subject: from the beginning, or after a phrase with a preposition, up to the finite verb.
fn region(words: &Words, tokens: &[Token<'_>]) -> Range<usize> {
    let is_verb = |token: &Token<'_>| token.is_verb || token.kind == Kind::Verb;
    let verb = tokens.iter().position(is_verb);
    let mut start = 0;
    let is_adverb = words.code == Some("en") && tokens[0].form.ends_with("ly");
    if tokens[0].kind == Kind::Preposition || is_adverb {
        let limit = tokens.len().min(14);
        let comma = (1..limit).find(|&at| tokens[at].gap.starts_with(','));
        start = match comma {
            Some(comma) if verb.is_none_or(|verb| comma < verb || verb + 6 > comma) => comma,
            _ => {
                let date = |token: &Token<'_>| {
                    token.kind.is_date()
                        || matches!(
                            token.kind,
                            Kind::Function | Kind::Preposition | Kind::Number
                        )
                };
                1 + tokens[1..].iter().take_while(|token| date(token)).count()
            }
        };
    }
    let rest = start.min(tokens.len())..tokens.len();
    let verb = tokens[rest.clone()]
        .iter()
        .skip(1)
        .position(is_verb)
        .map(|at| rest.start + 1 + at);
    let end = match verb {
        Some(verb) => verb,
        // A title or a list item: up to punctuation or a preposition.
        None => {
            let mut after = (rest.start + 1).min(tokens.len())..tokens.len();
            let ends = |token: &Token<'_>| {
                token.kind == Kind::Preposition || token.gap.contains([',', ':', '(', '–', ';'])
            };
            let found = after.find(|&at| ends(&tokens[at]) || at >= rest.start + 5);
            found.unwrap_or(tokens.len())
        }
    };
    rest.start..end
}
