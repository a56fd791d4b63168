//! Finds the differences of two aligned texts: runs of tokens without a partner, and the facts in them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::{Counts as TokenCounts, align};
use super::tokens::{Kind, Token, is_era};
use super::words::Words;
use super::{Change, ChangeKind};
use crate::edit_distance_within;
use crate::text_hasher::TextHasherBuilder;

/// Maximum number of pairs of names that are compared, of two runs of different lengths. Longer lists of names are no
/// spellings of one name.
const MAX_VARIANTS: usize = 4096;

/// Maximum number of other content words, in a run of either text, beside a negation that is a fact. With more of them
/// the negation belongs to another statement.
const BESIDE_NEGATION: usize = 2;
/// Maximum number of other words, in a run of either text, beside names that are a fact.
const BESIDE_NAMES: usize = 2;
/// A name of this many tokens is no name if that of the other text is much shorter: the passage says something else.
const LONG_NAME: usize = 6;
/// The words for the end of an order, which exclude the first.
const LAST: [&str; 9] = [
    "last", "letzte", "letzten", "letzter", "letztes", "dernier", "derniere", "ultimo", "ultima",
];
/// The group of the first and the last.
const FIRST_OR_LAST: u32 = u32::MAX - 1;
/// Maximum number of matched tokens between two values of one list: "November and December".
const IN_LIST: usize = 3;

/// A run of tokens of one or both texts between two matched tokens.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) a: Range<usize>,
    pub(super) b: Range<usize>,
}

/// Two texts, aligned.
pub(super) struct Aligned<'a> {
    pub(super) a: Vec<Token<'a>>,
    pub(super) b: Vec<Token<'a>>,
    /// For each token of `a` the token of `b`.
    pub(super) matched: Vec<Option<usize>>,
    pub(super) runs: Vec<Run>,
    /// Whether a token has no partner, neither at its place nor elsewhere.
    only_a: Vec<bool>,
    only_b: Vec<bool>,
    kinds_a: [Counts; KINDS.len()],
    kinds_b: [Counts; KINDS.len()],
}

impl<'a> Aligned<'a> {
    pub(super) fn new(
        a: Vec<Token<'a>>,
        b: Vec<Token<'a>>,
        token_counts: &mut TokenCounts,
    ) -> Self {
        let keys = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.key).collect::<Vec<_>>();
        let weights = a.iter().map(|token| match token.kind.is_content() {
            true => 4,
            false => 3,
        });
        let weights: Vec<u16> = weights.collect();
        let matched = align(&keys(&a), &keys(&b), &weights, token_counts);
        let runs = runs(&matched, a.len(), b.len());
        let mut unmatched: HashMap<u32, (u32, u32), TextHasherBuilder> = HashMap::default();
        for run in &runs {
            for token in &a[run.a.clone()] {
                unmatched.entry(token.key).or_default().0 += 1;
            }
            for token in &b[run.b.clone()] {
                unmatched.entry(token.key).or_default().1 += 1;
            }
        }
        let (mut only_a, mut only_b) = (vec![false; a.len()], vec![false; b.len()]);
        let mut moved: HashMap<u32, (u32, u32), TextHasherBuilder> = HashMap::default();
        let moves = |key: u32| {
            let (in_a, in_b) = unmatched.get(&key).copied().unwrap_or_default();
            in_a.min(in_b)
        };
        for run in &runs {
            for at in run.a.clone() {
                let key = a[at].key;
                let count = moved.entry(key).or_default();
                only_a[at] = count.0 >= moves(key);
                count.0 += 1;
            }
            for at in run.b.clone() {
                let key = b[at].key;
                let count = moved.entry(key).or_default();
                only_b[at] = count.1 >= moves(key);
                count.1 += 1;
            }
        }
        Self {
            kinds_a: Counts::by_kind(&a, &only_a),
            kinds_b: Counts::by_kind(&b, &only_b),
            a,
            b,
            matched,
            runs,
            only_a,
            only_b,
        }
    }

    /// The tokens of a run that have no partner, of one text.
    pub(super) fn rest_a(&self, range: &Range<usize>) -> Vec<usize> {
        range.clone().filter(|&at| self.only_a[at]).collect()
    }

    /// The same of the other text.
    pub(super) fn rest_b(&self, range: &Range<usize>) -> Vec<usize> {
        range.clone().filter(|&at| self.only_b[at]).collect()
    }

    /// The share of the tokens that satisfy a condition and have a partner, of the text that has more of them (or
    /// fewer).
    pub(super) fn shared(&self, is_counted: impl Fn(&Token<'_>) -> bool) -> Shared {
        let count = |tokens: &[Token<'_>], only: &[bool]| {
            let mut counts = Counts::default();
            for (token, only) in tokens.iter().zip(only) {
                counts.add(usize::from(is_counted(token)), *only);
            }
            counts
        };
        Shared::new(count(&self.a, &self.only_a), count(&self.b, &self.only_b))
    }

    /// The same for a condition of the kind, which does not depend on the group of words that exclude each other.
    pub(super) fn shared_kinds(&self, is_counted: impl Fn(Kind) -> bool) -> Shared {
        let count = |by_kind: &[Counts; KINDS.len()]| {
            let counted = KINDS.iter().zip(by_kind);
            let counted = counted.filter(|(kind, _)| is_counted(**kind));
            counted.fold(Counts::default(), |sum, (_, counts)| Counts {
                all: sum.all + counts.all,
                both: sum.both + counts.both,
            })
        };
        Shared::new(count(&self.kinds_a), count(&self.kinds_b))
    }

    /// The facts that differ.
    pub(super) fn facts(&self, lists: &Words) -> Vec<Fact> {
        let mut facts = vec![];
        for run in &self.runs {
            let (a, b) = (self.rest_a(&run.a), self.rest_b(&run.b));
            self.numbers(lists, &a, &b, &mut facts);
            self.words(lists, &a, &b, &mut facts);
            if !self.is_reworded(&a, &b)
                && let Some((kind, own, other)) = self.names(&a, &b)
            {
                facts.push(Fact {
                    kind,
                    a: own,
                    b: other,
                });
            }
            self.opposites(lists, &a, &b, &mut facts);
            self.negation(lists, run, (&a, &b), &mut facts);
        }
        self.of_lists(&mut facts);
        self.counts(lists, &mut facts);
        self.exchanged(&mut facts);
        facts.sort_by_key(|fact| fact.a.start);
        facts
    }

    /// A negation that only one text has. It is no fact if the other text denies the same in another way ("failed to",
    /// "unable"), if its partner is a misspelling of it, or if it belongs to a statement that only one text has.
    fn negation(
        &self,
        lists: &Words,
        run: &Run,
        (a, b): (&[usize], &[usize]),
        facts: &mut Vec<Fact>,
    ) {
        let negates = |tokens: &[Token<'_>], rest: &[usize]| {
            rest.iter()
                .copied()
                .find(|&at| tokens[at].kind == Kind::Negation)
        };
        let is_fact = |own: (&[Token<'_>], &[usize], &Range<usize>),
                       other: (&[Token<'_>], &[usize], &Range<usize>),
                       at: usize| {
            let content = |(tokens, rest, _): (&[Token<'_>], &[usize], &Range<usize>)| {
                let counted = rest.iter().filter(|&&at| tokens[at].kind.is_content());
                counted.count()
            };
            if content(own) > BESIDE_NEGATION || content(other) > BESIDE_NEGATION {
                return false;
            }
            if own.1.len() * other.1.len() > MAX_VARIANTS {
                return true;
            }
            let negation = &own.0[at];
            let denies = other.1.iter().any(|&to| {
                let word = &other.0[to];
                let denied = |&at: &usize| is_opposite(lists, &own.0[at].form, &word.form);
                // The positive word may be matched elsewhere, or follow the run: "not paved", "unpaved".
                let next = own.2.end..own.0.len().min(own.2.end + 1);
                lists.is_denial(&word.form)
                    || own.1.iter().any(denied)
                    || next.into_iter().any(|at| denied(&at))
            });
            let is_misspelt = other.1.iter().any(|&to| {
                let word = &other.0[to];
                let is_unknown = matches!(word.kind, Kind::Word | Kind::Name);
                is_transposed(&negation.form, &word.form)
                    || (is_unknown && is_one_edit(&negation.form, &word.form))
            });
            !denies && !is_misspelt
        };
        let (own, other) = ((&*self.a, a, &run.a), (&*self.b, b, &run.b));
        match (negates(&self.a, a), negates(&self.b, b)) {
            (Some(at), None) if is_fact(own, other, at) => facts.push(Fact {
                kind: ChangeKind::Negation,
                a: at..at + 1,
                b: run.b.start..run.b.start,
            }),
            (None, Some(at)) if is_fact(other, own, at) => facts.push(Fact {
                kind: ChangeKind::Negation,
                a: run.a.start..run.a.start,
                b: at..at + 1,
            }),
            _ => {}
        }
    }

    /// Words of which one is the other with a prefix that negates it: "paved" and "unpaved".
    fn opposites(&self, lists: &Words, a: &[usize], b: &[usize], facts: &mut Vec<Fact>) {
        if lists.code != Some("en") || a.len() * b.len() > MAX_VARIANTS {
            return;
        }
        let is_negated = |tokens: &[Token<'_>], rest: &[usize]| {
            rest.iter().any(|&at| tokens[at].kind == Kind::Negation)
        };
        if is_negated(&self.a, a) != is_negated(&self.b, b) {
            return;
        }
        for &own in a {
            let other = b.iter().find(|&&other| {
                let (x, y) = (&self.a[own].form, &self.b[other].form);
                is_opposite(lists, x, y) || is_opposite(lists, y, x)
            });
            if let Some(&other) = other {
                facts.push(Fact {
                    kind: ChangeKind::Word,
                    a: own..own + 1,
                    b: other..other + 1,
                });
            }
        }
    }

    /// Values of a list of which one is shared: "November and December", "October and November".
    fn of_lists(&self, facts: &mut Vec<Fact>) {
        let values = |tokens: &[Token<'_>], rest: Vec<usize>| -> Vec<usize> {
            let kept = rest.into_iter();
            kept.filter(|&at| is_value(tokens[at].kind)).collect()
        };
        let mut before: Option<(&Run, Vec<usize>, Vec<usize>)> = None;
        for run in &self.runs {
            let (a, b) = (
                values(&self.a, self.rest_a(&run.a)),
                values(&self.b, self.rest_b(&run.b)),
            );
            if let Some((last, last_a, last_b)) = &before {
                let between = last.a.end..run.a.start;
                let pair = match (&**last_a, &**last_b, &*a, &*b) {
                    ([own], [], [], [other]) | ([], [other], [own], []) => Some((*own, *other)),
                    _ => None,
                };
                if let Some((own, other)) = pair
                    && between.len() <= IN_LIST
                {
                    let kind = self.a[own].kind;
                    let is_list = self.a[between].iter().any(|token| token.kind == kind);
                    if is_list && self.b[other].kind == kind {
                        facts.push(Fact {
                            kind: match kind {
                                Kind::Number => ChangeKind::Number,
                                _ => ChangeKind::Date,
                            },
                            a: own..own + 1,
                            b: other..other + 1,
                        });
                    }
                }
            }
            before = Some((run, a, b));
        }
    }

    /// Numbers of the same thing or in the same unit in passages that are not aligned: "winds of 125 mph", "127 mph
    /// winds". Each text has one number of this thing only.
    fn counts(&self, lists: &Words, facts: &mut Vec<Fact>) {
        // The unit or the noun, or a preposition and the word after it.
        let thing = |tokens: &[Token<'_>], at: usize| {
            let number = &tokens[at];
            if number.kind != Kind::Number {
                return None;
            }
            let next = tokens.get(at + 1)?;
            let is_number = number.text.starts_with(|c: char| c.is_ascii_digit())
                && !is_ordinal(lists, number)
                && !is_day(tokens, at)
                && !is_clock(tokens, at);
            let is_next = matches!(next.gap, " " | "-" | "" | "\u{a0}");
            let second = match next.kind {
                Kind::Unit if next.form != "%" => None,
                Kind::Word => None,
                Kind::Preposition => {
                    Some(tokens.get(at + 2).filter(|second| second.gap == " ")?.key)
                }
                _ => return None,
            };
            (is_number && is_next).then_some((next.key, second))
        };
        let mut things: HashMap<(u32, Option<u32>), [Vec<usize>; 2], TextHasherBuilder> =
            HashMap::default();
        for (side, tokens) in [&self.a, &self.b].into_iter().enumerate() {
            for at in 0..tokens.len() {
                if let Some(thing) = thing(tokens, at) {
                    things.entry(thing).or_default()[side].push(at);
                }
            }
        }
        let known: HashSet<usize, TextHasherBuilder> =
            facts.iter().map(|fact| fact.a.start).collect();
        let known_b: HashSet<usize, TextHasherBuilder> =
            facts.iter().map(|fact| fact.b.start).collect();
        for [own, other] in things.into_values() {
            let (&[own], &[other]) = (&*own, &*other) else {
                continue;
            };
            let is_new = !known.contains(&own) && !known_b.contains(&other);
            if is_new
                && self.only_a[own]
                && self.only_b[other]
                && !is_same_value(&self.a[own], &self.b[other])
            {
                facts.push(Fact {
                    kind: ChangeKind::Number,
                    a: own..own + 1,
                    b: other..other + 1,
                });
            }
        }
    }

    /// Values that stand in another order while all other tokens stay: "2–1" and "1–2". Names count if they change
    /// places around a verb ("A defeated B"), because their order in a list says nothing.
    fn exchanged(&self, facts: &mut Vec<Fact>) {
        let is_value = |token: &Token<'_>| {
            matches!(
                token.kind,
                Kind::Number | Kind::Year | Kind::Calendar | Kind::Unit | Kind::Name
            )
        };
        let is_other = |token: &&Token<'_>| !is_value(token);
        let others_a = self.a.iter().filter(is_other).map(|token| token.key);
        let others_b = self.b.iter().filter(is_other).map(|token| token.key);
        let values = |tokens: &[Token<'_>]| -> Vec<u32> {
            let values = tokens.iter().filter(|token| is_value(token));
            let mut keys: Vec<u32> = values.map(|token| token.key).collect();
            keys.sort_unstable();
            keys
        };
        if !others_a.eq(others_b) || values(&self.a) != values(&self.b) {
            return;
        }
        let order = |tokens: &[Token<'_>], names: bool| -> Vec<usize> {
            let places = tokens.iter().enumerate();
            let kept =
                places.filter(|(_, token)| is_value(token) && (token.kind == Kind::Name) == names);
            let mut places: Vec<usize> = kept.map(|(at, _)| at).collect();
            order_dates(tokens, &mut places);
            places
        };
        for names in [false, true] {
            let (own, other) = (order(&self.a, names), order(&self.b, names));
            let changed = own.iter().zip(&other);
            let changed = changed.filter(|(own, other)| self.a[**own].key != self.b[**other].key);
            let changed: Vec<(usize, usize)> = changed.map(|(own, other)| (*own, *other)).collect();
            let (Some(first), Some(last)) = (changed.first(), changed.last()) else {
                continue;
            };
            let mut between = self.a[first.0..last.0].iter();
            if names && !between.any(|token| token.is_verb || token.kind == Kind::Verb) {
                continue;
            }
            facts.extend(changed.into_iter().map(|(own, other)| {
                let kind = match self.a[own].kind {
                    Kind::Name => ChangeKind::Name,
                    Kind::Year | Kind::Calendar => ChangeKind::Date,
                    Kind::Unit => ChangeKind::Unit,
                    _ => ChangeKind::Number,
                };
                Fact {
                    kind,
                    a: own..own + 1,
                    b: other..other + 1,
                }
            }));
        }
    }

    /// Numbers, dates and units of a run, each paired with one of the same kind.
    fn numbers(&self, lists: &Words, a: &[usize], b: &[usize], facts: &mut Vec<Fact>) {
        let of = |tokens: &[Token<'_>], rest: &[usize], is: &dyn Fn(Kind, bool) -> bool| {
            let kept = rest.iter().copied();
            let kept = kept.filter(|&at| is(tokens[at].kind, is_day(tokens, at)));
            kept.collect::<Vec<usize>>()
        };
        let mut pair = |own: &[usize], other: &[usize], kind: ChangeKind| {
            let differs = |&(own, other): &(usize, usize)| {
                let (x, y) = (&self.a[own], &self.b[other]);
                !is_same_value(x, y)
                    && is_ordinal(lists, x) == is_ordinal(lists, y)
                    && is_clock(&self.a, own) == is_clock(&self.b, other)
            };
            for (own, other) in self.by_noun(own, other).into_iter().filter(differs) {
                let is_year = kind == ChangeKind::Number
                    && (is_year_of_era(&self.a, own) || is_year_of_era(&self.b, other));
                facts.push(Fact {
                    kind: if is_year { ChangeKind::Date } else { kind },
                    a: own..own + 1,
                    b: other..other + 1,
                });
            }
        };
        let dates: [&dyn Fn(Kind, bool) -> bool; 2] =
            [&|kind, _| kind == Kind::Calendar, &|kind, is_day| {
                kind == Kind::Number && is_day
            }];
        for is in dates {
            pair(&of(&self.a, a, is), &of(&self.b, b, is), ChangeKind::Date);
        }
        let units = |kind, _| kind == Kind::Unit;
        pair(
            &of(&self.a, a, &units),
            &of(&self.b, b, &units),
            ChangeKind::Unit,
        );
        let is_year = |kind, _| kind == Kind::Year;
        let is_number = |kind, is_day: bool| kind == Kind::Number && !is_day;
        let years = (of(&self.a, a, &is_year), of(&self.b, b, &is_year));
        let numbers = (of(&self.a, a, &is_number), of(&self.b, b, &is_number));
        // The number of a designation ("Mi-17") says not how many there are.
        let divide = |tokens: &[Token<'_>], numbers: Vec<usize>| -> (Vec<usize>, Vec<usize>) {
            let numbers = numbers.into_iter();
            numbers.partition(|&at| is_part_of_name(tokens, at))
        };
        let (designations_a, numbers_a) = divide(&self.a, numbers.0);
        let (designations_b, numbers_b) = divide(&self.b, numbers.1);
        let numbers = (numbers_a, numbers_b);
        pair(&designations_a, &designations_b, ChangeKind::Number);
        pair(&years.0, &years.1, ChangeKind::Date);
        pair(&numbers.0, &numbers.1, ChangeKind::Number);
        // A number of four digits that looks like a year, and another number, if nothing else differs.
        let content = |tokens: &[Token<'_>], rest: &[usize]| {
            let counted = rest.iter().filter(|&&at| tokens[at].kind.is_content());
            counted.count()
        };
        if content(&self.a, a).max(content(&self.b, b)) > 2 {
            return;
        }
        let paired = (
            years.0.len().min(years.1.len()),
            numbers.0.len().min(numbers.1.len()),
        );
        pair(
            &years.0[paired.0..],
            &numbers.1[paired.1..],
            ChangeKind::Number,
        );
        pair(
            &numbers.0[paired.1..],
            &years.1[paired.0..],
            ChangeKind::Number,
        );
    }

    /// Pairs of values of two lists: first those before the same word, the others in their order.
    fn by_noun(&self, own: &[usize], other: &[usize]) -> Vec<(usize, usize)> {
        if own.len() * other.len() == 1 || own.len() * other.len() > MAX_VARIANTS {
            return own.iter().copied().zip(other.iter().copied()).collect();
        }
        let noun = |tokens: &[Token<'_>], at: usize| {
            let next = tokens.get(at + 1)?;
            let is_noun = matches!(next.kind, Kind::Word | Kind::Unit | Kind::Name);
            is_noun.then_some(next.key)
        };
        let mut rest = other.to_vec();
        let mut unpaired = vec![];
        let mut pairs = vec![];
        for &at in own {
            let noun_a = noun(&self.a, at);
            let same = rest
                .iter()
                .position(|&to| noun_a.is_some() && noun(&self.b, to) == noun_a);
            match same {
                Some(place) => pairs.push((at, rest.remove(place))),
                None => unpaired.push(at),
            }
        }
        pairs.extend(unpaired.into_iter().zip(rest));
        pairs
    }

    /// Words that exclude each other.
    fn words(&self, lists: &Words, a: &[usize], b: &[usize], facts: &mut Vec<Fact>) {
        let group = |token: &Token<'_>| match token.kind {
            Kind::Contrast(group) => Some(group),
            Kind::Number if token.form == "1" && is_ordinal(lists, token) => Some(FIRST_OR_LAST),
            _ if LAST.contains(&&*token.form) => Some(FIRST_OR_LAST),
            _ => None,
        };
        let mut first_of: HashMap<u32, usize, TextHasherBuilder> = HashMap::default();
        for &at in b {
            if let Some(group) = group(&self.b[at]) {
                first_of.entry(group).or_insert(at);
            }
        }
        for &own in a {
            let other = group(&self.a[own]).and_then(|wanted| first_of.get(&wanted));
            if let Some(&other) = other {
                facts.push(Fact {
                    kind: ChangeKind::Word,
                    a: own..own + 1,
                    b: other..other + 1,
                });
            }
        }
    }

    /// Whether a run of either text has so many words that its names belong to another statement.
    fn is_reworded(&self, a: &[usize], b: &[usize]) -> bool {
        let words = |tokens: &[Token<'_>], rest: &[usize]| {
            let words = rest.iter().filter(|&&at| tokens[at].kind == Kind::Word);
            words.count()
        };
        words(&self.a, a).max(words(&self.b, b)) > BESIDE_NAMES
    }

    /// The names of a run, from the first to the last, unless they are spellings of one name.
    fn names(&self, a: &[usize], b: &[usize]) -> Option<(ChangeKind, Range<usize>, Range<usize>)> {
        let of = |tokens: &[Token<'_>], rest: &[usize]| -> Vec<usize> {
            let kept = rest
                .iter()
                .copied()
                .filter(|&at| tokens[at].kind == Kind::Name);
            kept.collect()
        };
        let (own, other) = (of(&self.a, a), of(&self.b, b));
        let (first_a, last_a) = (*own.first()?, *own.last()?);
        let (first_b, last_b) = (*other.first()?, *other.last()?);
        let texts = |tokens: &[Token<'a>], at: &[usize]| -> Vec<Token<'a>> {
            at.iter().map(|&at| tokens[at].clone()).collect()
        };
        let (x, y) = (texts(&self.a, &own), texts(&self.b, &other));
        // "Hungary" and "Hungarian", "US" and "United States".
        let is_each_a_variant =
            x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| is_variant(x, y));
        let some_variant = || {
            // "Severn" and "Severna Park" are two places, "Obama" and "Barack Obamma" one person.
            let is_longer = match (&*x, &*y) {
                ([one], [first, _, ..]) | ([first, _, ..], [one]) => {
                    one.form != first.form && is_variant(one, first)
                }
                _ => false,
            };
            x.len() != y.len()
                && !is_longer
                && x.len() * y.len() <= MAX_VARIANTS
                && x.iter().any(|x| y.iter().any(|y| is_variant(x, y)))
        };
        // "the linolenic acid (ALA)", "the linolenic acid (LNA)": abbreviations of the same words.
        let is_abbreviation = |tokens: &[Token<'_>], at: usize| {
            let token = &tokens[at];
            let next = tokens.get(at + 1);
            token.gap == " ("
                && token.text.chars().count() >= 2
                && token.text.chars().all(char::is_uppercase)
                && next.is_some_and(|next| next.gap.starts_with(')'))
                && at
                    .checked_sub(1)
                    .is_some_and(|at| tokens[at].kind == Kind::Word)
        };
        let are_abbreviations = first_a == last_a
            && first_b == last_b
            && is_abbreviation(&self.a, first_a)
            && is_abbreviation(&self.b, first_b)
            && self.matched[first_a - 1] == Some(first_b - 1);
        let (width, wide) = (last_a + 1 - first_a, last_b + 1 - first_b);
        let is_long = width.max(wide) > LONG_NAME && width.max(wide) > 3 * width.min(wide);
        // "Navy" and "Orvin departed from Senja"
        let is_clause = |tokens: &[Token<'_>], from: usize, to: usize| {
            let mut tokens = tokens[from..to].iter();
            tokens.any(|token| token.is_verb || token.kind == Kind::Verb)
        };
        let is_clause = is_clause(&self.a, first_a, last_a) != is_clause(&self.b, first_b, last_b);
        // "Talvo team to win a Senja cup" is no name.
        let is_phrase = |tokens: &[Token<'_>], from: usize, to: usize| {
            let words = tokens[from..to]
                .iter()
                .filter(|token| matches!(token.kind, Kind::Word | Kind::Contrast(_)));
            words.count() >= BESIDE_NAMES
        };
        let is_phrase = is_phrase(&self.a, first_a, last_a) || is_phrase(&self.b, first_b, last_b);
        if is_clause
            || is_phrase
            || are_abbreviations
            || is_long
            || is_each_a_variant
            || some_variant()
            || is_acronym(&x, &y)
            || is_acronym(&y, &x)
        {
            return None;
        }
        Some((ChangeKind::Name, first_a..last_a + 1, first_b..last_b + 1))
    }

    /// The bytes of a fact in both texts.
    pub(super) fn change(&self, fact: &Fact) -> Change {
        let bytes = |tokens: &[Token<'_>], range: &Range<usize>| match tokens.get(range.clone()) {
            Some([_, ..]) => {
                let whole = whole(tokens, range, fact.kind);
                tokens[whole.start].start..tokens[whole.end - 1].end()
            }
            _ => {
                let at = range
                    .start
                    .checked_sub(1)
                    .and_then(|before| tokens.get(before));
                let at = at.map_or(0, Token::end);
                at..at
            }
        };
        Change {
            kind: fact.kind,
            a: bytes(&self.a, &fact.a),
            b: bytes(&self.b, &fact.b),
        }
    }
}

/// Every kind, with one group for all words that exclude each other.
const KINDS: [Kind; 11] = [
    Kind::Function,
    Kind::Preposition,
    Kind::Verb,
    Kind::Negation,
    Kind::Number,
    Kind::Year,
    Kind::Calendar,
    Kind::Unit,
    Kind::Name,
    Kind::Contrast(0),
    Kind::Word,
];

/// The place of a kind in `KINDS`.
fn place(kind: Kind) -> usize {
    match kind {
        Kind::Function => 0,
        Kind::Preposition => 1,
        Kind::Verb => 2,
        Kind::Negation => 3,
        Kind::Number => 4,
        Kind::Year => 5,
        Kind::Calendar => 6,
        Kind::Unit => 7,
        Kind::Name => 8,
        Kind::Contrast(_) => 9,
        Kind::Word => 10,
    }
}

/// Counts of tokens of one text.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    all: usize,
    /// Those that have a partner.
    both: usize,
}

impl Counts {
    fn add(&mut self, count: usize, is_alone: bool) {
        self.all += count;
        self.both += count * usize::from(!is_alone);
    }

    /// The counts of each kind.
    fn by_kind(tokens: &[Token<'_>], only: &[bool]) -> [Self; KINDS.len()] {
        let mut counts = [Self::default(); KINDS.len()];
        for (token, only) in tokens.iter().zip(only) {
            counts[place(token.kind)].add(1, *only);
        }
        counts
    }
}

/// Counts of tokens of two texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    pub(super) both: usize,
    a: usize,
    b: usize,
}

impl Shared {
    fn new(a: Counts, b: Counts) -> Self {
        Self {
            both: a.both.min(b.both),
            a: a.all,
            b: b.all,
        }
    }

    fn share(self, of: usize) -> f64 {
        match of {
            0 => 1.0,
            of => self.both as f64 / of as f64,
        }
    }

    pub(super) fn of_larger(self) -> f64 {
        self.share(self.a.max(self.b))
    }

    pub(super) fn of_smaller(self) -> f64 {
        self.share(self.a.min(self.b))
    }
}

/// A fact that differs, as ranges of tokens.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) kind: ChangeKind,
    pub(super) a: Range<usize>,
    pub(super) b: Range<usize>,
}

/// Whether a month is next to a number of one or two digits.
pub(super) fn is_day(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let mut near = before.into_iter().chain(tokens.get(at + 1));
    tokens[at].form.len() <= 2 && near.any(|token| token.kind == Kind::Calendar)
}

/// Whether a year is counted from the beginning of an era: "7000 BC", "700 v. Chr."
fn is_year_of_era(tokens: &[Token<'_>], at: usize) -> bool {
    match tokens.get(at + 1..) {
        Some([next, after, ..]) if matches!(&*next.form, "v" | "n") => after.form == "chr",
        Some([next, ..]) => is_era(next) && next.gap == " ",
        _ => false,
    }
}

/// Whether a hyphen attaches a number to a name: "Mi-17".
fn is_part_of_name(tokens: &[Token<'_>], at: usize) -> bool {
    is_hyphen(tokens[at].gap) && at > 0 && tokens[at - 1].text.starts_with(char::is_uppercase)
}

fn is_hyphen(gap: &str) -> bool {
    matches!(gap, "-" | "‐" | "‑")
}

/// The tokens of a value with what is attached to it: the rest of a name after a hyphen ("Kun-hee"), the name before a
/// hyphen and a number ("Mi-17"), and the letters after a number and a full stop ("4410.OR").
fn whole(tokens: &[Token<'_>], range: &Range<usize>, kind: ChangeKind) -> Range<usize> {
    let mut whole = range.clone();
    let is_value = matches!(kind, ChangeKind::Name | ChangeKind::Number);
    if is_value && is_designation(&tokens[whole.start]) && is_part_of_name(tokens, whole.start) {
        whole.start -= 1;
    }
    let is_attached = |next: &Token<'_>| match kind {
        ChangeKind::Name => is_hyphen(next.gap) && next.text.starts_with(char::is_lowercase),
        ChangeKind::Number => {
            next.gap == "." && next.text.bytes().all(|byte| byte.is_ascii_uppercase())
        }
        _ => false,
    };
    while tokens.get(whole.end).is_some_and(is_attached) {
        whole.end += 1;
    }
    whole
}

/// Whether a number says which one of an order something is: "2nd", "second", "twenty-first".
pub(super) fn is_ordinal(lists: &Words, token: &Token<'_>) -> bool {
    if token.text.starts_with(|c: char| c.is_ascii_digit()) {
        let endings = ["st", "nd", "rd", "th"];
        return endings.iter().any(|ending| token.text.ends_with(ending));
    }
    let last_word = token.text.rsplit(['-', ' ']).next().unwrap_or_default();
    lists.is_ordinal(last_word)
}

/// Whether a number is a part of a time of day: "7:30".
pub(super) fn is_clock(tokens: &[Token<'_>], at: usize) -> bool {
    let next = tokens.get(at + 1);
    (at > 0 && tokens.get(at).is_some_and(|token| token.gap == ":"))
        || next.is_some_and(|next| next.gap == ":" && next.kind == Kind::Number)
}

/// Whether a year is in a decade: "1939" and "1930s".
fn is_in_decade(year: &str, decade: &str) -> bool {
    let decade = decade
        .strip_suffix('s')
        .and_then(|decade| decade.strip_suffix('0'));
    let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    is_year && decade.is_some_and(|decade| decade.len() == 3 && year.starts_with(decade))
}

fn is_value(kind: Kind) -> bool {
    matches!(kind, Kind::Number | Kind::Year | Kind::Calendar)
}

/// Puts the parts of each date in one order: month, day, year.
fn order_dates(tokens: &[Token<'_>], places: &mut [usize]) {
    let rank = |at: usize| match tokens[at].kind {
        Kind::Calendar => 0,
        Kind::Number => 1,
        _ => 2,
    };
    let mut at = 0;
    while at < places.len() {
        let is_date = |tokens: &[Token<'_>], at: usize| match tokens[at].kind {
            Kind::Calendar | Kind::Year => true,
            _ => is_day(tokens, at),
        };
        let mut end = at;
        while end < places.len().min(at + 3)
            && places[end] - places[at] == end - at
            && is_date(tokens, places[end])
            && !places[at..end]
                .iter()
                .any(|&other| rank(other) == rank(places[end]))
        {
            end += 1;
        }
        places[at..end].sort_by_key(|&place| rank(place));
        at = end.max(at + 1);
    }
}

/// Whether two numbers are spellings of one value: with another ending of letters ("1920s", "1920l"), a comma for the
/// point of decimals, or zeros before it.
fn is_same_value(a: &Token<'_>, b: &Token<'_>) -> bool {
    if is_in_decade(a.text, b.text) || is_in_decade(b.text, a.text) {
        return true;
    }
    let is_negative = |token: &Token<'_>| token.form.starts_with('-');
    if is_negative(a) != is_negative(b) {
        return false;
    }
    let parts = |text| {
        let text: &str = text;
        let end = text.find(char::is_alphabetic).unwrap_or(text.len());
        text.split_at(end)
    };
    let ((a, a_letters), (b, b_letters)) = (parts(a.text), parts(b.text));
    let is_upper = |letters: &str| letters.starts_with(char::is_uppercase);
    if a.is_empty() || b.is_empty() || (is_upper(a_letters) && is_upper(b_letters)) {
        return false;
    }
    let digits = |text| {
        let text: &str = text;
        let digits = text.trim_start_matches('0').bytes();
        digits.map(|byte| if byte == b',' { b'.' } else { byte })
    };
    digits(a).eq(digits(b))
}

/// Whether the second word is the first one with a prefix that negates it.
fn is_opposite(lists: &Words, word: &str, negated: &str) -> bool {
    if word.len() >= negated.len() || !negated.ends_with(word) {
        return false;
    }
    let is_unless = negated == "unless";
    match &negated[..negated.len() - word.len()] {
        "un" | "non" => word.len() >= 4 && !is_unless,
        "dis" | "in" | "im" | "il" | "ir" => lists.has_opposite(word),
        _ => false,
    }
}

/// Whether two words differ by two neighbouring letters that changed places.
fn is_transposed(a: &str, b: &str) -> bool {
    if a.len() != b.len() || a == b {
        return false;
    }
    let mut left = a.chars().zip(b.chars()).skip_while(|(a, b)| a == b);
    let (first, second) = (left.next(), left.next());
    let is_swap = |((a, b), (c, d)): ((char, char), (char, char))| a == d && b == c;
    first.zip(second).is_some_and(is_swap) && left.all(|(a, b)| a == b)
}

/// Whether a letter more, less or another one makes a word of another one, with the same first letter.
fn is_one_edit(a: &str, b: &str) -> bool {
    a.chars().next() == b.chars().next() && edit_distance_within(a, b, 1).is_some()
}

fn runs(matched: &[Option<usize>], len_a: usize, len_b: usize) -> Vec<Run> {
    let mut runs = vec![];
    let (mut from_a, mut from_b) = (0, 0);
    let ends = matched.iter().enumerate();
    let ends = ends.filter_map(|(at, to)| Some((at, (*to)?)));
    for (at, to) in ends.chain([(len_a, len_b)]) {
        if at > from_a || to > from_b {
            runs.push(Run {
                a: from_a..at,
                b: from_b..to,
            });
        }
        (from_a, from_b) = (at + 1, to + 1);
    }
    runs
}

/// Whether two words are forms or spellings of one word.
pub(super) fn is_variant(a: &Token<'_>, b: &Token<'_>) -> bool {
    let (short, long) = match a.form.len() <= b.form.len() {
        true => (&*a.form, &*b.form),
        false => (&*b.form, &*a.form),
    };
    if is_designation(a) || is_designation(b) || are_distinct(short, long) {
        return short == long;
    }
    let letters = short.chars().count();
    // An initial of a given name.
    if letters == 1 && a.kind == Kind::Name && b.kind == Kind::Name {
        return long.starts_with(short);
    }
    let common = short
        .chars()
        .zip(long.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let longer = long.chars().count();
    if common >= 4
        && letters - common <= 3
        && longer - common <= 5
        && (common * 3 >= longer * 2 || letters - common <= 1)
    {
        return true;
    }
    // "MRE's" and "MREs".
    if letters >= 2 && long.strip_suffix('s') == Some(short) {
        return true;
    }
    if letters >= 4 && is_transposed(short, long) {
        return true;
    }
    let edits = match letters {
        0..=3 => 0,
        // A letter for another one makes another name: "Iran" and "Iraq".
        4 => usize::from(longer > letters),
        10.. => 2,
        8.. if a.kind != Kind::Name => 2,
        _ => 1,
    };
    let same_first = short.chars().next() == long.chars().next();
    same_first && edits > 0 && edit_distance_within(short, long, edits).is_some()
}

/// Whether a token is a Roman number or has digits: each of its characters counts.
fn is_designation(token: &Token<'_>) -> bool {
    let bytes = token.text.as_bytes();
    let is_roman = |byte: &u8| matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M');
    bytes.iter().any(u8::is_ascii_digit) || (bytes.len() > 1 && bytes.iter().all(is_roman))
}

/// Names that differ by a few letters and are no spellings of one name.
const DISTINCT: [[&str; 2]; 6] = [
    ["ireland", "iceland"],
    ["niger", "nigeria"],
    ["nigerian", "nigerien"],
    ["northeastern", "northwestern"],
    ["southeastern", "southwestern"],
    ["columbia", "colombia"],
];

fn are_distinct(a: &str, b: &str) -> bool {
    DISTINCT
        .iter()
        .any(|[x, y]| (*x == a && *y == b) || (*x == b && *y == a))
}

/// Whether the first list is one word of the initials of the second.
fn is_acronym(short: &[Token<'_>], long: &[Token<'_>]) -> bool {
    let [word] = short else {
        return false;
    };
    let initials: String = long
        .iter()
        .filter_map(|token| token.form.chars().next())
        .collect();
    long.len() > 1 && *initials == *word.form
}
