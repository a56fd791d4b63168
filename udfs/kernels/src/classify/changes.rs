//! Finds the differences of two aligned texts: runs of tokens without a partner, and the facts in them.

use std::collections::HashMap;
use std::ops::Range;

use super::align::align;
use super::tokens::{Kind, Token};
use super::{Change, ChangeKind};
use crate::edit_distance_within;
use crate::text_hasher::TextHasherBuilder;

/// Maximum number of pairs of names that are compared, of two runs of different lengths. Longer lists of names are no
/// spellings of one name.
const MAX_VARIANTS: usize = 4096;

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
}

impl<'a> Aligned<'a> {
    pub(super) fn new(a: Vec<Token<'a>>, b: Vec<Token<'a>>) -> Self {
        let keys = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.key).collect::<Vec<_>>();
        let weights = a.iter().map(|token| match token.kind.is_content() {
            true => 4,
            false => 3,
        });
        let weights: Vec<u32> = weights.collect();
        let matched = align(&keys(&a), &keys(&b), &weights);
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
        let count = |tokens: &[Token<'_>], only: Option<&[bool]>| {
            let counted = tokens
                .iter()
                .enumerate()
                .filter(|(at, token)| is_counted(token) && only.is_none_or(|only| !only[*at]));
            counted.count()
        };
        Shared {
            both: count(&self.a, Some(&self.only_a)).min(count(&self.b, Some(&self.only_b))),
            a: count(&self.a, None),
            b: count(&self.b, None),
        }
    }

    /// The facts that differ.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let mut facts = vec![];
        for run in &self.runs {
            let (a, b) = (self.rest_a(&run.a), self.rest_b(&run.b));
            self.numbers(&a, &b, &mut facts);
            self.words(&a, &b, &mut facts);
            if let Some((kind, own, other)) = self.names(&a, &b) {
                facts.push(Fact {
                    kind,
                    a: own,
                    b: other,
                });
            }
            let negates = |tokens: &[Token<'_>], rest: &[usize]| {
                rest.iter()
                    .copied()
                    .find(|&at| tokens[at].kind == Kind::Negation)
            };
            match (negates(&self.a, &a), negates(&self.b, &b)) {
                (Some(at), None) => facts.push(Fact {
                    kind: ChangeKind::Negation,
                    a: at..at + 1,
                    b: run.b.start..run.b.start,
                }),
                (None, Some(at)) => facts.push(Fact {
                    kind: ChangeKind::Negation,
                    a: run.a.start..run.a.start,
                    b: at..at + 1,
                }),
                _ => {}
            }
        }
        self.exchanged(&mut facts);
        facts.sort_by_key(|fact| fact.a.start);
        facts
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
        let others = |tokens: &[Token<'_>]| -> Vec<u32> {
            let others = tokens.iter().filter(|token| !is_value(token));
            others.map(|token| token.key).collect()
        };
        let values = |tokens: &[Token<'_>]| -> Vec<u32> {
            let values = tokens.iter().filter(|token| is_value(token));
            let mut keys: Vec<u32> = values.map(|token| token.key).collect();
            keys.sort_unstable();
            keys
        };
        if others(&self.a) != others(&self.b) || values(&self.a) != values(&self.b) {
            return;
        }
        let order = |tokens: &[Token<'_>], names: bool| -> Vec<usize> {
            let places = tokens.iter().enumerate();
            let kept =
                places.filter(|(_, token)| is_value(token) && (token.kind == Kind::Name) == names);
            kept.map(|(at, _)| at).collect()
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
    fn numbers(&self, a: &[usize], b: &[usize], facts: &mut Vec<Fact>) {
        let of = |tokens: &[Token<'_>], rest: &[usize], is: &dyn Fn(Kind, bool) -> bool| {
            let kept = rest.iter().copied();
            let kept = kept.filter(|&at| is(tokens[at].kind, is_day(tokens, at)));
            kept.collect::<Vec<usize>>()
        };
        let mut pair = |own: &[usize], other: &[usize], kind: ChangeKind| {
            for (&own, &other) in own.iter().zip(other) {
                facts.push(Fact {
                    kind,
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
        pair(&years.0, &years.1, ChangeKind::Date);
        pair(&numbers.0, &numbers.1, ChangeKind::Number);
        // A number of four digits that looks like a year, and another number.
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

    /// Words that exclude each other.
    fn words(&self, a: &[usize], b: &[usize], facts: &mut Vec<Fact>) {
        let group = |token: &Token<'_>| match token.kind {
            Kind::Contrast(group) => Some(group),
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
            x.len() != y.len()
                && x.len() * y.len() <= MAX_VARIANTS
                && x.iter().any(|x| y.iter().any(|y| is_variant(x, y)))
        };
        if is_each_a_variant || some_variant() || is_acronym(&x, &y) || is_acronym(&y, &x) {
            return None;
        }
        Some((ChangeKind::Name, first_a..last_a + 1, first_b..last_b + 1))
    }

    /// The bytes of a fact in both texts.
    pub(super) fn change(&self, fact: &Fact) -> Change {
        let bytes = |tokens: &[Token<'_>], range: &Range<usize>| match tokens.get(range.clone()) {
            Some([first, .., last]) => first.start..last.end(),
            Some([one]) => one.start..one.end(),
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

/// Counts of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    pub(super) both: usize,
    a: usize,
    b: usize,
}

impl Shared {
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
fn is_day(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let mut near = before.into_iter().chain(tokens.get(at + 1));
    tokens[at].form.len() <= 2 && near.any(|token| token.kind == Kind::Calendar)
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
    let edits = match letters {
        0..=4 => 0,
        8.. if a.kind != Kind::Name => 2,
        _ => 1,
    };
    let same_first = short.chars().next() == long.chars().next();
    same_first && edits > 0 && edit_distance_within(short, long, edits).is_some()
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
    long.len() > 1 && initials == word.form
}
