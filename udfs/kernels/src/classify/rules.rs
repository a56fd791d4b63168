//! The rules, from the alignment of a pair to its class.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::text_hasher::TextHasherBuilder;

use super::align::Counts as TokenCounts;
use super::boilerplate::{body, divides};
use super::changes::{Aligned, Fact, is_clock, is_day, is_ordinal, is_variant};
use super::citation::{are_citations, ends_with_identifier};
use super::tokens::{Kind, Token, is_era};
use super::words::Words;
use super::{ChangeKind, Classification, PairClass};

/// Minimum share of the tokens that two similar texts have in common.
const MIN_SHARED_TOKENS: f64 = 0.3;
/// Minimum share of the tokens of the longer text that belong to a pattern of both.
const MIN_PATTERN_TOKENS: f64 = 0.35;
/// Minimum share of the content of the shorter text that an edit leaves.
const MIN_EDIT_CONTENT: f64 = 0.5;
/// Maximum quotient of the lengths of two texts of which one is an edit of the other.
const MAX_LENGTH_RATIO: f64 = 2.0;
/// Minimum share of letters among the characters of a text that is neither a formula nor a table.
const MIN_LETTERS: f64 = 0.45;

/// Maximum share of the tokens that the beginnings of two messages with the same ending, such as a signature, have in
/// common.
const MAX_SHARED_BEGINNING: f64 = 0.3;
/// The same for two long beginnings, which have frequent words in common whatever they say.
const MAX_SHARED_LONG_BEGINNING: f64 = 0.5;
/// Maximum share of the content that two long beginnings have in common.
const MAX_SHARED_CONTENT: f64 = 0.15;
/// Minimum number of tokens of a long beginning.
const LONG_BEGINNING_TOKENS: usize = 12;
/// Minimum number of tokens of the longer beginning.
const MIN_BEGINNING_TOKENS: usize = 4;
/// Maximum quotient of the numbers of tokens of a shared ending and of the longer beginning.
const MAX_ENDING_RATIO: usize = 8;
/// Minimum and maximum number of tokens of a shared ending.
const ENDING_TOKENS: std::ops::RangeInclusive<usize> = 4..=80;
/// Minimum number of common words, without numbers, of two texts about one topic whose subject is a pronoun.
const MIN_SHARED_WORDS: usize = 8;
/// Minimum number of common words of two texts about one topic if only one of them names the subject, or if a name and
/// a number differ.
const MIN_SHARED_WORDS_UNNAMED: usize = 20;
/// Minimum number of common words that identify the topic of two texts without a named subject, if one fact differs.
const MIN_SPECIFIC_WORDS: usize = 8;
/// The same if the texts have names in common, too.
const MIN_SPECIFIC_WORDS_WITH_NAMES: usize = 5;
/// A verb that is recognised by its ending is one of the first tokens: its index is below this.
const VERB_LIMIT: usize = 6;
/// Maximum number of tokens of a description of the subject between commas.
const MAX_APPOSITION_TOKENS: usize = 18;
/// Minimum share of the content of the shorter text that two statements with different facts have in common.
const MIN_STATEMENT_CONTENT: f64 = 0.55;
/// Texts are a pattern if this many values differ, and fewer than half as many are common to both.
const MANY_VALUES: usize = 4;
/// Maximum number of tokens of a heading before a text on the same line.
const MAX_HEADING_TOKENS: usize = 8;
/// Minimum number of tokens of the text after such a heading.
const MIN_TOKENS_AFTER_HEADING: usize = 6;
/// Tokens at the beginning of a text that are taken for its subject, in a language without lists.
const SUBJECT_TOKENS: usize = 3;
/// Minimum number of digits of a number that few texts share.
const MIN_LARGE_DIGITS: usize = 4;
/// Maximum number of tokens from a quantity to the same one in another unit.
const MAX_CONVERSION_TOKENS: usize = 3;
/// Minimum number of common names, or names and values, of two texts about one topic without a named subject.
const MIN_TOPIC_NAMES: usize = 2;
/// Minimum number of common names of two lists about one topic: texts without a verb.
const MIN_LIST_NAMES: usize = 4;
/// Minimum number of common words that identify a topic together with a value in the subject.
const MIN_SHARED_WORDS_WITH_VALUE: usize = 4;
/// Minimum share of the content of the longer text that two texts about one topic have in common, if a name differs.
const MIN_CONTENT_WITH_NAME: f64 = 0.65;
/// The same if the subject is not named, either.
const MIN_SAME_CONTENT: f64 = 0.9;
/// Minimum number of common words, without numbers, in that case.
const MIN_SAME_WORDS: usize = 12;
/// Maximum number of tokens of a title.
const MAX_TITLE_TOKENS: usize = 15;

/// The class of two different texts, with their tokens.
pub(super) fn classify(
    words: &'static Words,
    (a, own): (&str, Vec<Token<'_>>),
    (b, other): (&str, Vec<Token<'_>>),
    token_counts: &mut TokenCounts,
) -> Classification {
    let none = |class| Classification {
        class,
        changes: vec![],
    };
    if own.is_empty() || other.is_empty() {
        return none(PairClass::Other);
    }
    let are_citations = are_citations((a, &own), (b, &other));
    let (own, other) = match are_citations {
        true => (own, other),
        false => (
            without_heading(words, without_boilerplate(own)),
            without_heading(words, without_boilerplate(other)),
        ),
    };
    let pair = Aligned::new(own, other, token_counts);
    let all = pair.shared_kinds(|_| true).of_larger();
    let content = pair.shared_kinds(Kind::is_content);
    if are_citations {
        return none(match all < MIN_SHARED_TOKENS / 2.0 {
            true => PairClass::NotSimilar,
            false => PairClass::Reference,
        });
    }
    if all < MIN_SHARED_TOKENS && content.of_smaller() < MIN_EDIT_CONTENT {
        return none(PairClass::NotSimilar);
    }
    let is_statement = |text, tokens| !is_formula(text, tokens) && !is_row(words, text, tokens);
    if !is_statement(a, &pair.a) || !is_statement(b, &pair.b) || share_only_an_ending(&pair) {
        return none(PairClass::Other);
    }
    let facts = pair.facts(words);
    let are_sentences = ends_sentence(a) && ends_sentence(b);
    let subject = Subject::new(words, &pair, &facts, are_sentences);
    let are_open = !ends_sentence(a) && !ends_sentence(b);
    let is_short = |tokens: &[Token<'_>]| tokens.len() <= MAX_TITLE_TOKENS;
    let are_short = is_short(&pair.a) && is_short(&pair.b);
    let is_first = || are_short && replaces_the_first_word(&pair);
    let are_titles = (is_title(&pair.a) && is_title(&pair.b) && are_open)
        || (subject.has_no_verb && are_open)
        || (subject.has_no_verb && is_headline(&pair.a) && is_headline(&pair.b))
        || (((words.code.is_none() && are_open) || subject.has_no_verb) && is_first());
    let is_other_title = are_short && replaces_a_word(&pair);
    let is_filled_in = !facts.is_empty() || is_other_title;
    let is_other_noun = || facts.is_empty() && are_short && replaces_a_noun(words, &pair);
    let class = match are_titles && is_filled_in && all >= MIN_PATTERN_TOKENS {
        true => PairClass::Template,
        false => match decide(words, &pair, &facts, &subject, all) {
            PairClass::CopyEdit if is_other_noun() => PairClass::Template,
            class => class,
        },
    };
    // A citation, with the number of the book in one text only.
    let is_identified = matches!(class, PairClass::CopyEdit | PairClass::Other)
        && content.of_smaller() >= MIN_EDIT_CONTENT
        && ends_with_identifier(&pair.a) != ends_with_identifier(&pair.b);
    if is_identified {
        return none(PairClass::Reference);
    }
    let has_facts = matches!(class, PairClass::FactualDrift | PairClass::Template);
    let mut changes: Vec<_> = match has_facts {
        true => facts.iter().map(|fact| pair.change(fact)).collect(),
        false => vec![],
    };
    changes.sort_by_key(|change| (change.a.start, change.b.start));
    Classification { class, changes }
}

/// Whether a text is a category, or a phrase whose only verbs are participles with a preposition: "Mills based in Orvin".
fn is_title(tokens: &[Token<'_>]) -> bool {
    let is_category = tokens.get(1).is_some_and(|next| next.gap == ":")
        && tokens[0].text.starts_with(char::is_uppercase);
    let is_phrase = tokens.len() <= MAX_TITLE_TOKENS
        && tokens.iter().enumerate().all(|(at, token)| {
            let is_participle = token.form.ends_with("ed")
                && tokens
                    .get(at + 1)
                    .is_some_and(|next| matches!(next.kind, Kind::Preposition | Kind::Function));
            token.kind != Kind::Verb && (!token.is_verb || is_participle)
        })
        && tokens.iter().any(|token| token.is_verb);
    is_category || is_phrase
}

/// Whether all words of a text that say something have a capital, whether a full stop ends it or not.
fn is_headline(tokens: &[Token<'_>]) -> bool {
    let mut content = tokens.iter().filter(|token| token.kind.is_content());
    tokens.len() <= MAX_TITLE_TOKENS
        && content.all(|token| token.text.starts_with(char::is_uppercase))
}

/// Whether the first word, with a capital, is all that differs.
fn replaces_the_first_word(pair: &Aligned<'_>) -> bool {
    let is_capital = |tokens: &[Token<'_>]| tokens[0].text.starts_with(char::is_uppercase);
    matches!(&*pair.runs, [run] if run.a == (0..1) && run.b == (0..1))
        && is_capital(&pair.a)
        && is_capital(&pair.b)
}

/// Whether a text ends like a sentence.
fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?', '。', '"', '”'])
}

fn without_boilerplate(mut tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let body = body(&tokens);
    tokens.truncate(body.end);
    tokens.drain(..body.start);
    tokens
}

/// The tokens without a heading that no punctuation divides from the text: "Nutrients There are six …". The text begins
/// with a capital and a word that begins sentences.
fn without_heading<'a>(words: &Words, mut tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
    const BEGINNINGS: [&str; 12] = [
        "There", "The", "It", "In", "This", "These", "At", "On", "As", "He", "She", "They",
    ];
    if words.code != Some("en") {
        return tokens;
    }
    let is_verb = |token: &Token<'_>| token.is_verb || token.kind == Kind::Verb;
    let limit = tokens.len().min(MAX_HEADING_TOKENS + 1);
    let begin = (1..limit).find(|&at| {
        let token = &tokens[at];
        BEGINNINGS.contains(&token.text) && matches!(token.gap, "" | " ")
    });
    if let Some(begin) = begin
        && !tokens[..begin].iter().any(is_verb)
        && tokens[..begin]
            .iter()
            .all(|token| token.kind != Kind::Number)
        && matches!(
            tokens[begin - 1].kind,
            Kind::Word | Kind::Name | Kind::Contrast(_)
        )
        && tokens[begin..].iter().any(is_verb)
        && tokens.len() - begin >= MIN_TOKENS_AFTER_HEADING
    {
        tokens.drain(..begin);
    }
    tokens
}

/// Whether two texts are different messages with the same ending, such as a signature or a motto: an ending that begins
/// a sentence, a line or a quotation, after beginnings that have little in common.
fn share_only_an_ending(pair: &Aligned<'_>) -> bool {
    let (a, b) = (&pair.a, &pair.b);
    let ends = a.iter().rev().zip(b.iter().rev());
    let shared = ends.take_while(|(a, b)| a.key == b.key).count();
    let begins = |token: &Token<'_>| {
        if token.gap == " " {
            return false;
        }
        let signs = token.gap.chars().filter(|c| !c.is_whitespace());
        divides(token) || token.gap.contains(['"', '“', '«', '*']) || signs.count() >= 3
    };
    let mut starts = a.len() - shared..a.len();
    let start = starts.find(|&at| begins(&a[at]) && begins(&b[at + b.len() - a.len()]));
    let Some(start) = start else {
        return false;
    };
    let ending = a.len() - start;
    let (a, b) = (&a[..start], &b[..b.len() - ending]);
    let (smaller, larger) = match a.len() <= b.len() {
        true => (a, b),
        false => (b, a),
    };
    if smaller.is_empty()
        || larger.len() < MIN_BEGINNING_TOKENS
        || !ENDING_TOKENS.contains(&ending)
        || ending > MAX_ENDING_RATIO * larger.len()
    {
        return false;
    }
    let mut counts: HashMap<u32, usize, TextHasherBuilder> = HashMap::default();
    for token in larger {
        *counts.entry(token.key).or_default() += 1;
    }
    let (mut both, mut content) = (0, 0);
    for token in smaller {
        if let Some(count) = counts.get_mut(&token.key)
            && *count > 0
        {
            *count -= 1;
            both += 1;
            content += usize::from(token.kind.is_content());
        }
    }
    let of = smaller
        .iter()
        .filter(|token| token.kind.is_content())
        .count();
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let all = share(both, smaller.len());
    let is_long = smaller.len() >= LONG_BEGINNING_TOKENS;
    all <= MAX_SHARED_BEGINNING
        || (is_long && all <= MAX_SHARED_LONG_BEGINNING && share(content, of) <= MAX_SHARED_CONTENT)
}

/// Whether one or two words of a text are other ones in the other text, and no forms of them.
fn replaces_a_word(pair: &Aligned<'_>) -> bool {
    pair.runs.iter().any(|run| {
        let content = |tokens: &[Token<'_>], rest: Vec<usize>| -> Vec<usize> {
            let kept = rest.into_iter();
            kept.filter(|&at| tokens[at].kind.is_content()).collect()
        };
        let own = content(&pair.a, pair.rest_a(&run.a));
        let other = content(&pair.b, pair.rest_b(&run.b));
        let are_few = |words: &[usize]| (1..=2).contains(&words.len());
        let is_form = |own: &usize| {
            let mut other = other.iter();
            other.any(|&other| is_variant(&pair.a[*own], &pair.b[other]))
        };
        are_few(&own) && are_few(&other) && !own.iter().any(is_form)
    })
}

/// Whether a noun with an article is all that differs, in sentences without names and values: "in the hall", "in the
/// garden".
fn replaces_a_noun(words: &Words, pair: &Aligned<'_>) -> bool {
    let identifies = |token: &Token<'_>| match token.kind {
        Kind::Name => words.capitals_are_names,
        Kind::Number | Kind::Year | Kind::Calendar | Kind::Unit => true,
        _ => false,
    };
    let [run] = &*pair.runs else {
        return false;
    };
    let is_noun = |tokens: &[Token<'_>], range: &Range<usize>| {
        let Some(at) = range.end.checked_sub(1).filter(|at| range.contains(at)) else {
            return false;
        };
        let is_content = |token: &Token<'_>| token.kind.is_content();
        let ends = |next: &Token<'_>| {
            next.gap != " "
                || next.is_verb
                || matches!(next.kind, Kind::Function | Kind::Preposition | Kind::Verb)
        };
        at > 0
            && tokens[at].kind == Kind::Word
            && tokens[at - 1].kind == Kind::Function
            && !tokens[range.start..at].iter().any(is_content)
            && tokens.get(at + 1).is_none_or(ends)
    };
    let (Some(x), Some(y)) = (
        run.a.end.checked_sub(1).and_then(|at| pair.a.get(at)),
        run.b.end.checked_sub(1).and_then(|at| pair.b.get(at)),
    ) else {
        return false;
    };
    words.code.is_some()
        && is_noun(&pair.a, &run.a)
        && is_noun(&pair.b, &run.b)
        && !is_variant(x, y)
        && !x.form.ends_with(&*y.form)
        && !y.form.ends_with(&*x.form)
        && !pair.a.iter().any(identifies)
        && !pair.b.iter().any(identifies)
}

/// Whether a text is a formula or a table: it has an arrow, an equals sign, few letters, or a sum of which most terms
/// are no words.
fn is_formula(text: &str, tokens: &[Token<'_>]) -> bool {
    let is_word =
        |token: &&Token<'_>| token.text.len() >= 3 && token.text.chars().all(char::is_alphabetic);
    let is_any = |signs: &[u8]| text.bytes().any(|byte| signs.contains(&byte));
    is_any(b"=|")
        || other_characters(text).any(|c| matches!(c, '→' | '←' | '⇌' | '↔'))
        || (text.contains('{') && text.contains("{{"))
        || letters(text) < MIN_LETTERS
        || (text.contains('+')
            && text.contains(" + ")
            && tokens.iter().filter(is_word).count() * 2 < tokens.len())
}

/// Whether a text is a row of a table: a number, and cells without a verb that are divided by blanks or signs.
fn is_row(words: &Words, text: &str, tokens: &[Token<'_>]) -> bool {
    let text = text.trim();
    let [first, second, ..] = tokens else {
        return false;
    };
    let is_numbered = first.kind == Kind::Number
        && text.starts_with(first.text)
        && second.gap.starts_with([' ', '\t'])
        && words.code.is_some()
        && !ends_sentence(text);
    let has_cells = || {
        let is_divided =
            |gap: &str| gap.contains(['\t', '*']) || gap.contains("  ") || gap == " ; ";
        tokens.iter().any(|token| is_divided(token.gap))
    };
    is_numbered
        && has_cells()
        && !tokens
            .iter()
            .any(|token| token.is_verb || token.kind == Kind::Verb)
}

/// The share of the characters of a text, without blanks, that are letters.
fn letters(text: &str) -> f64 {
    let (mut letters, mut all) = (0, 0);
    // Short blocks are counted in bytes, many at once.
    for block in text.as_bytes().chunks(128) {
        let count = |is: fn(&u8) -> bool| -> u32 {
            let found = block.iter().map(|byte| u8::from(is(byte)));
            u32::from(found.sum::<u8>())
        };
        // White space among ASCII, with the vertical tab.
        all += count(|byte| byte.is_ascii() && !matches!(byte, b'\t'..=b'\r' | b' '));
        letters += count(u8::is_ascii_alphabetic);
    }
    for character in other_characters(text).filter(|character| !character.is_whitespace()) {
        all += 1;
        letters += u32::from(character.is_alphabetic());
    }
    f64::from(letters) / f64::from(all.max(1))
}

/// The characters of a text that are not ASCII.
fn other_characters(text: &str) -> impl Iterator<Item = char> {
    const BLOCK: usize = 64;
    let blocks = text.as_bytes().chunks(BLOCK).enumerate();
    let blocks = blocks.filter(|(_, block)| !block.is_ascii());
    let begins = blocks.flat_map(|(number, block)| {
        let begins = block.iter().enumerate().filter(|(_, byte)| **byte >= 0xc0);
        begins.map(move |(at, _)| number * BLOCK + at)
    });
    begins.filter_map(|at| text[at..].chars().next())
}

fn decide(
    words: &Words,
    pair: &Aligned<'_>,
    facts: &[Fact],
    subject: &Subject,
    all: f64,
) -> PairClass {
    let content = pair.shared_kinds(Kind::is_content);
    let is_pattern = all >= MIN_PATTERN_TOKENS;
    if subject.is_other {
        return match is_pattern {
            true => PairClass::Template,
            false => PairClass::Other,
        };
    }
    if !facts.is_empty() {
        if content.of_smaller() < 1.0 - MIN_EDIT_CONTENT && all < MIN_EDIT_CONTENT {
            return PairClass::Other;
        }
        return match is_same_topic(words, pair, facts, subject) {
            true if content.of_smaller() < MIN_STATEMENT_CONTENT => PairClass::Other,
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
    match content.of_smaller() >= MIN_EDIT_CONTENT && longer <= MAX_LENGTH_RATIO {
        true => PairClass::CopyEdit,
        false => PairClass::Other,
    }
}

/// Whether a pair with the same subject and other facts speaks of the same topic: what it shares must identify the
/// topic, or be too much for a pattern.
fn is_same_topic(words: &Words, pair: &Aligned<'_>, facts: &[Fact], subject: &Subject) -> bool {
    let count = |kind: ChangeKind| facts.iter().filter(|fact| fact.kind == kind).count();
    let is_name = |token: &Token<'_>| {
        token.kind == Kind::Name && !words.is_group(&token.form) && !words.is_authority(&token.form)
    };
    let names = pair.shared(is_name).both;
    // "28 feet (8.5 m)" is one quantity.
    let is_conversion = |two: &&[Fact]| {
        let (first, second) = (&two[0], &two[1]);
        let of = |tokens: &[Token<'_>], first: usize, second: usize| {
            tokens[second].gap.ends_with('(')
                && second > first
                && second - first <= MAX_CONVERSION_TOKENS
        };
        first.kind == ChangeKind::Number
            && second.kind == ChangeKind::Number
            && of(&pair.a, first.a.start, second.a.start)
            && of(&pair.b, first.b.start, second.b.start)
    };
    let changed = facts.len() - facts.windows(2).filter(is_conversion).count();
    let quantities = count(ChangeKind::Number) + count(ChangeKind::Date) + count(ChangeKind::Unit);
    let shared_words = pair.shared_kinds(Kind::is_content).both;
    let is_plain = |kind| matches!(kind, Kind::Word | Kind::Name | Kind::Contrast(_));
    if subject.is_pronoun && pair.shared_kinds(is_plain).both < MIN_SHARED_WORDS {
        return false;
    }
    // "It is united with Orvin …", "It is united with Senja …"
    if subject.is_pronoun && count(ChangeKind::Name) > 0 && shared_words < MIN_SHARED_WORDS_UNNAMED
    {
        return false;
    }
    // "Orvin gave 12 boats." and "Gave 14 boats.": nothing says that it is the same one.
    if subject.is_unnamed && quantities > 0 && shared_words < MIN_SHARED_WORDS_UNNAMED {
        return false;
    }
    // Only the order differs: "Orvin beat Senja", "Senja beat Orvin".
    if names > 0 && pair.shared_kinds(Kind::is_content).of_larger() == 1.0 {
        return true;
    }
    // "… assigned Orvin the number 12": another thing, with another value.
    let has_names = count(ChangeKind::Name) > 0;
    if has_names && quantities > 0 && shared_words < MIN_SHARED_WORDS_UNNAMED {
        return false;
    }
    if subject.has_similar_name
        || (subject.is_unnamed && has_names)
        || ((subject.begins_otherwise || subject.has_other_names) && quantities > 0)
    {
        return false;
    }
    if count(ChangeKind::Negation) > 0 && changed > 1 {
        return false;
    }
    // Names of passages that are worded differently are those of other statements.
    if has_names && pair.shared_kinds(Kind::is_content).of_larger() < MIN_CONTENT_WITH_NAME {
        return false;
    }
    let values =
        pair.shared_kinds(|kind| matches!(kind, Kind::Number | Kind::Year | Kind::Calendar));
    // The lists of verbs of other languages are short.
    if subject.has_no_verb && words.code != Some("en") && has_names {
        return false;
    }
    if subject.has_no_verb && words.code == Some("en") {
        let is_list = names >= MIN_LIST_NAMES && names + values.both > 2 * changed;
        return is_list && !has_names && subject.begins_alike;
    }
    if words.code.is_none() && has_cases(&pair.a) {
        let is_large =
            |token: &Token<'_>| token.kind == Kind::Number && token.form.len() >= MIN_LARGE_DIGITS;
        let are_specific = values.both > 1 || pair.shared(is_large).both > 0;
        let is_named = subject.has_shared_name || (are_specific && count(ChangeKind::Date) > 0);
        let is_time = facts.iter().any(|fact| is_clock(&pair.a, fact.a.start));
        return changed == 1 && quantities == 1 && is_named && subject.begins_alike && !is_time;
    }
    if quantities >= MANY_VALUES && values.both * 2 < quantities {
        return false;
    }
    if subject.has_shared_name {
        // A list of which every value differs is a pattern.
        return quantities <= 4 || names > quantities;
    }
    // "24% of all households were …": a share of what is not named.
    let is_share = facts
        .iter()
        .any(|fact| is_share(&pair.a, &fact.a, fact.kind) || is_share(&pair.b, &fact.b, fact.kind));
    // A negation may be after the last token.
    let is_order = facts.iter().any(|fact| {
        let first = pair.a.get(fact.a.start);
        first.is_some_and(|first| is_ordinal(words, first))
    });
    if is_share || is_order || subject.is_pronoun_once {
        return false;
    }
    // "The village is served by trains to …" with another name speaks of another village, if no more is said.
    if has_names {
        let content = pair.shared_kinds(Kind::is_content).of_larger();
        let is_same =
            content >= MIN_SAME_CONTENT && pair.shared_kinds(is_plain).both >= MIN_SAME_WORDS;
        return changed == 1 && names >= MIN_TOPIC_NAMES && is_same && !subject.is_pronoun;
    }
    if words.code.is_none() {
        return changed == 1 && shared_words >= MIN_SHARED_WORDS - 1;
    }
    // "In total, 62 bridges fell in eight counties after the flood of Orvin."
    if names > 0 && subject.is_counted && changed <= 2 && quantities == changed {
        return true;
    }
    // "The bridge that the flood of 1931 destroyed was …": but "The average household has …" is any one.
    let is_topic = names + values.both >= MIN_TOPIC_NAMES && names > 0;
    let words_in_common = pair.shared_kinds(is_plain).both;
    let is_specific = words_in_common >= MIN_SPECIFIC_WORDS
        || (subject.has_shared_value && shared_words >= MIN_SHARED_WORDS_WITH_VALUE)
        || (is_topic && shared_words >= MIN_SPECIFIC_WORDS_WITH_NAMES && !subject.is_reworded);
    match changed {
        1 => is_specific,
        2 => names > 0 && words_in_common > MIN_SPECIFIC_WORDS,
        _ => false,
    }
}

/// Whether the letters of a text have capitals.
fn has_cases(tokens: &[Token<'_>]) -> bool {
    let is_cased = |c: char| c.is_lowercase() || c.is_uppercase();
    let mut letters = tokens.iter().filter_map(|token| token.text.chars().next());
    !letters.any(|first| first.is_alphabetic() && !is_cased(first))
}

/// Whether a fact is a share, in percent.
fn is_share(tokens: &[Token<'_>], value: &Range<usize>, kind: ChangeKind) -> bool {
    kind == ChangeKind::Number && tokens.get(value.end).is_some_and(|next| next.form == "%")
}

/// What is known of the subjects of two texts.
struct Subject {
    /// Whether the subject, or the subject of a clause, is another one.
    is_other: bool,
    /// Whether other words name the subject.
    is_reworded: bool,
    /// Whether a name in the subject is the same.
    has_shared_name: bool,
    /// Whether a value in the subject is the same.
    has_shared_value: bool,
    /// Whether the first word is the same and has a capital.
    begins_alike: bool,
    /// Whether names in the subject are similar, as those of two things may be, and something else differs.
    has_similar_name: bool,
    /// Whether most of the names in the subjects differ.
    has_other_names: bool,
    /// Whether the first words have capitals and differ.
    begins_otherwise: bool,
    /// Whether the subject of one text only is a pronoun, and the first words differ.
    is_pronoun_once: bool,
    /// Whether both subjects are a pronoun.
    is_pronoun: bool,
    /// Whether a name is in the subject of one text, and none in that of the other.
    is_unnamed: bool,
    /// Whether the subjects differ only in how many there are.
    is_counted: bool,
    /// Whether the texts have no finite verb, in a language whose verbs are known.
    has_no_verb: bool,
}

impl Subject {
    fn new(words: &Words, pair: &Aligned<'_>, facts: &[Fact], are_sentences: bool) -> Self {
        let verbs = (
            first_verb(words, &pair.a, are_sentences),
            first_verb(words, &pair.b, are_sentences),
        );
        let (a, b) = (
            region(words, &pair.a, verbs.0),
            region(words, &pair.b, verbs.1),
        );
        let has_no_verb = words.code.is_some() && verbs.0.is_none() && verbs.1.is_none();
        // Without lists, the end of the subject is not known.
        let begins = |at: usize| words.code.is_some() || at < SUBJECT_TOKENS;
        let shares = |is: &dyn Fn(&Token<'_>, &Token<'_>) -> bool| {
            pair.matched.iter().enumerate().any(|(at, to)| {
                let is = |to: usize| is(&pair.a[at], &pair.b[to]);
                let in_b = |to: usize| b.contains(&to) && begins(to);
                a.contains(&at) && begins(at) && to.is_some_and(|to| in_b(to) && is(to))
            })
        };
        let has_shared_name = shares(&|x, y| {
            (x.kind == Kind::Name || y.kind == Kind::Name || is_elided_name(x.text))
                && !words.is_group(&x.form)
                && !words.is_authority(&x.form)
        });
        // "As of the 1998 census, the number": the value is not one of the subject.
        let mut commas = a.clone().rev();
        let comma = commas.find(|&at| at > a.start && pair.a[at].gap.starts_with(','));
        let from = comma.map_or(0, |comma| pair.a[comma].start);
        let has_shared_value =
            shares(&|x, _| matches!(x.kind, Kind::Number | Kind::Year) && x.start >= from);
        let names =
            |tokens: &[Token<'_>], region: &Range<usize>| -> HashSet<u32, TextHasherBuilder> {
                let names = tokens[region.clone()].iter();
                let names = names.filter(|token| token.kind == Kind::Name);
                names.map(|token| token.key).collect()
            };
        let (names_a, names_b) = (names(&pair.a, &a), names(&pair.b, &b));
        let fewer_names = names_a.len().min(names_b.len());
        let shared_names = names_a.intersection(&names_b).count();
        let has_other_names = words.code == Some("en") && shared_names * 2 < fewer_names;
        let begins_alike = pair.matched.first().copied().flatten() == Some(0)
            && pair.a[0].text.starts_with(char::is_uppercase);
        let mut has_similar_name = false;
        let is_pronoun = |tokens: &[Token<'_>], region: &Range<usize>| {
            let first = tokens.get(region.start);
            region.len() == 1 && first.is_some_and(|first| words.is_pronoun(&first.form))
        };
        let are_pronouns = (is_pronoun(&pair.a, &a), is_pronoun(&pair.b, &b));
        let is_pronoun = are_pronouns.0 && are_pronouns.1;
        let is_pronoun_once = are_pronouns.0 != are_pronouns.1 && pair.a[0].key != pair.b[0].key;
        let begins_otherwise = pair.runs.first().is_some_and(|run| {
            let is_begin = |tokens: &[Token<'_>], range: &Range<usize>, rest: &[usize]| {
                range.start == 0
                    && rest.first() == Some(&0)
                    && tokens[0].text.starts_with(char::is_uppercase)
                    && matches!(tokens[0].kind, Kind::Word | Kind::Name)
                    && !(words.code == Some("en") && tokens[0].form.ends_with("ly"))
            };
            is_begin(&pair.a, &run.a, &pair.rest_a(&run.a))
                && is_begin(&pair.b, &run.b, &pair.rest_b(&run.b))
                && !is_variant(&pair.a[0], &pair.b[0])
        });
        let named = |tokens: &[Token<'_>], region: &Range<usize>| {
            let mut region = tokens[region.clone()].iter();
            region.any(|token| token.kind == Kind::Name)
        };
        let is_unnamed = named(&pair.a, &a) != named(&pair.b, &b);
        let mut is_counted = false;
        // "Route 12 runs", "Route 14 runs"
        let designation = |tokens: &[Token<'_>], region: &Range<usize>| {
            let first = tokens.get(region.start)?;
            let next = tokens.get(region.start + 1)?;
            let is_named = matches!(first.kind, Kind::Name | Kind::Word)
                && first.text.starts_with(char::is_uppercase)
                && next.gap == " ";
            (is_named && region.len() >= 2 && next.kind == Kind::Number).then_some(next.key)
        };
        // "Orvin, Senja, lies" and "Orvin, Talvo, lies" are two places.
        let qualifier = |tokens: &[Token<'_>], region: &Range<usize>| {
            let mut rest = (region.start + 1).min(region.end)..region.end;
            let is_name = |at: usize| tokens[at].kind == Kind::Name;
            let found = rest.find(|&at| tokens[at].gap == ", " && is_name(at) && is_name(at - 1));
            found.map(|at| tokens[at].key)
        };
        let qualifiers = qualifier(&pair.a, &a).zip(qualifier(&pair.b, &b));
        let designations = designation(&pair.a, &a).zip(designation(&pair.b, &b));
        // "US 31": the number makes a name of what alone is one of an authority.
        let is_designated = pair.a[0].kind == Kind::Name && begins_alike && a.start == 0;
        let has_shared_name = has_shared_name
            || (is_designated && designations.is_some_and(|(own, other)| own == other));
        let mut is_other = designations.is_some_and(|(own, other)| own != other)
            || qualifiers.is_some_and(|(own, other)| own != other);
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
            let counts = |tokens: &[Token<'_>], rest: &[usize], region: &Range<usize>| {
                let mut of_run = rest.iter().filter(|&&at| values.contains(&tokens[at].kind));
                of_run.all(|&at| is_count(words, tokens, at, region))
            };
            let is_count = is_value && counts(&pair.a, &own, &a) && counts(&pair.b, &other, &b);
            is_counted |= is_count;
            let only_values = |tokens: &[Token<'_>], rest: &[usize]| {
                let mut rest = rest.iter();
                rest.all(|&at| values.contains(&tokens[at].kind) || tokens[at].kind == Kind::Unit)
            };
            if is_count && only_values(&pair.a, &own) && only_values(&pair.b, &other) {
                continue;
            }
            let is_value = is_value && !is_count;
            // Facts are in the order of the first text.
            let facts = &facts[facts.partition_point(|fact| fact.a.start < run.a.start)..];
            let of_run = facts.partition_point(|fact| fact.a.start < run.a.end);
            let has_fact = |kind: ChangeKind| {
                facts[..of_run].iter().any(|fact| {
                    fact.kind == kind
                        && own.iter().any(|at| fact.a.contains(at))
                        && other.iter().any(|at| fact.b.contains(at))
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
                let is_similar = |(&x, &y): (&usize, &usize)| {
                    let (x, y) = (&pair.a[x], &pair.b[y]);
                    x.kind == Kind::Name && y.kind == Kind::Name && is_other_letter(x, y)
                };
                has_similar_name |= own.iter().zip(&other).any(is_similar);
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
        // Two teams, each with a place of its own.
        let names = facts.iter().filter(|fact| fact.kind == ChangeKind::Name);
        let are_names = names.count() > 1 && pair.shared_kinds(Kind::is_content).of_larger() < 1.0;
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
            is_other: is_other || (is_clause && (quantities || are_names)),
            is_reworded,
            has_shared_name,
            has_shared_value,
            begins_alike,
            has_similar_name,
            has_other_names,
            begins_otherwise,
            is_pronoun_once,
            is_pronoun,
            is_unnamed,
            is_counted,
            has_no_verb,
        }
    }
}

/// Whether a word is an article or a preposition without its vowel, and a name: "d'Orvin".
fn is_elided_name(text: &str) -> bool {
    let (_, rest) = text.split_once(['\'', '’']).unwrap_or_default();
    rest.starts_with(char::is_uppercase)
}

/// Whether neither of two names is the beginning of the other one, as "Hungary" and "Hungary's" are.
fn is_other_letter(a: &Token<'_>, b: &Token<'_>) -> bool {
    !a.form.starts_with(&*b.form) && !b.form.starts_with(&*a.form)
}

/// Whether a number of the subject says how many there are ("62 bridges"), and not which one it is ("Route 62", "the
/// second bridge").
fn is_count(words: &Words, tokens: &[Token<'_>], at: usize, region: &Range<usize>) -> bool {
    let token = &tokens[at];
    let is_first = at == region.start
        || token.gap.contains('(')
        || matches!(
            tokens[at - 1].kind,
            Kind::Function | Kind::Preposition | Kind::Verb
        );
    let is_before_noun = tokens.get(at + 1).is_some_and(|next| {
        matches!(next.gap, " " | "-" | "" | "\u{a0}")
            && matches!(next.kind, Kind::Word | Kind::Unit | Kind::Preposition)
    });
    // "Of the mills of Orvin, 62 have"
    let is_alone = || {
        let next = tokens.get(at + 1);
        at == region.start
            && next.is_some_and(|next| next.gap == " " && next.kind == Kind::Verb)
            && tokens[..at].iter().any(|before| before.kind == Kind::Name)
    };
    token.kind == Kind::Number
        && !is_ordinal(words, token)
        && is_first
        && (is_before_noun || is_alone())
}

/// The first finite verb. A sentence without one that is known has a word with the ending of the third person after a
/// name: "Orvin (1997) groups Senja and Talvo together."
fn first_verb(words: &Words, tokens: &[Token<'_>], is_sentence: bool) -> Option<usize> {
    let is_verb = |token: &Token<'_>| token.is_verb || token.kind == Kind::Verb;
    let listed = tokens.iter().position(is_verb);
    if listed.is_some() || !is_sentence || words.code != Some("en") {
        return listed;
    }
    (1..tokens.len().saturating_sub(1).min(VERB_LIMIT)).find(|&at| {
        let (before, token) = (&tokens[at - 1], &tokens[at]);
        token.kind == Kind::Word
            && token.text.starts_with(char::is_lowercase)
            && token.form.ends_with('s')
            && !token.form.ends_with("ss")
            && (before.kind == Kind::Name || token.gap.starts_with(')'))
    })
}

/// The tokens of the subject: from the beginning, or after a phrase with a preposition, up to the finite verb.
fn region(words: &Words, tokens: &[Token<'_>], verb: Option<usize>) -> Range<usize> {
    let is_verb = |token: &Token<'_>| token.is_verb || token.kind == Kind::Verb;
    let mut start = 0;
    let is_adverb = words.code == Some("en") && tokens[0].form.ends_with("ly");
    if tokens[0].kind == Kind::Preposition || is_adverb {
        let limit = tokens.len().min(14);
        // "On May 3, 1974, Orvin": the comma before the year ends no phrase.
        let is_in_date = |at: usize| {
            let before = &tokens[at - 1];
            let is_day = before.kind == Kind::Number && is_day(tokens, at - 1);
            tokens[at].kind == Kind::Year && (is_day || before.kind == Kind::Calendar)
        };
        let mut commas = (1..limit).filter(|&at| tokens[at].gap.starts_with(','));
        let mut clause = 6;
        let comma = commas.find(|&at| {
            let ends = !is_in_date(at);
            clause = if ends { clause } else { 0 };
            ends
        });
        start = match comma {
            Some(comma) if verb.is_none_or(|verb| comma < verb + clause) => comma,
            _ => {
                let date = |token: &Token<'_>| {
                    token.kind.is_date()
                        || is_era(token)
                        || matches!(
                            token.kind,
                            Kind::Function | Kind::Preposition | Kind::Number
                        )
                };
                // "On 5 April 1780 the 1st Brigade": the subject begins with its article.
                let is_date = |token: &Token<'_>| {
                    token.kind.is_date() || token.kind == Kind::Number || is_era(token)
                };
                let mut rest = (1..tokens.len()).take_while(|&at| date(&tokens[at]));
                let article = rest.clone().find(|&at| {
                    at > 1 && tokens[at].kind == Kind::Function && is_date(&tokens[at - 1])
                });
                article.unwrap_or_else(|| 1 + rest.by_ref().count())
            }
        };
    }
    let rest = start.min(tokens.len())..tokens.len();
    let verb = match verb {
        Some(verb) if verb > rest.start => Some(verb),
        _ => {
            let mut after = (rest.start + 1)..tokens.len();
            after.find(|&at| is_verb(&tokens[at]))
        }
    };
    let is_noun = |token: &Token<'_>| matches!(token.kind, Kind::Word | Kind::Contrast(_));
    let apposition = |verb: usize| {
        (rest.start + 1..verb).find(|&at| {
            let token = &tokens[at];
            let mut after = (at + 1..tokens.len()).take(MAX_APPOSITION_TOKENS);
            let ends = after.any(|at| tokens[at].gap == ", " && is_verb(&tokens[at]));
            let describes = matches!(token.text, "a" | "an" | "the" | "one");
            let names = token.kind == Kind::Name && is_noun(&tokens[at - 1]);
            token.gap == ", " && (describes || names) && ends
        })
    };
    let end = match verb {
        // "Orvin, a town south of Senja, has": the description is no part of the subject.
        Some(verb) if words.code == Some("en") => apposition(verb).unwrap_or(verb),
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

#[cfg(test)]
mod tests {
    use super::letters;
    use crate::random_texts::RandomTexts;

    #[test]
    fn letters_are_counted_among_all_characters() {
        let mut random = RandomTexts::new(29);
        for _ in 0..5_000 {
            let text = random.special_characters(300) + &random.prose(200);
            let characters = || text.chars().filter(|character| !character.is_whitespace());
            let found = characters().filter(|character| character.is_alphabetic());
            let expected = found.count() as f64 / characters().count() as f64;
            assert_eq!(letters(&text), expected, "{text:?}");
        }
    }
}
