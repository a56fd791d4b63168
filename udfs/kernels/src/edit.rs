//! Edit distance (Levenshtein 1966): the fewest insertions, deletions and substitutions of one
//! character, a Unicode scalar value, that turn one text into the other.
//!
//! Bit-parallel (Myers 1999; Hyyrö 2003 for global distance): a word holds the differences
//! between 64 neighbouring cells of a column of the dynamic program, and about fifteen operations
//! yield the next column's. With a bound only the words near the diagonal are computed (Ukkonen
//! 1985).

mod blocks;
mod masks;

use masks::{Masks, Symbol};

/// Where the search for an unbounded distance starts; each round doubles it.
const FIRST_BOUND: usize = 64;

/// The edit distance of two texts, in characters.
///
/// Linear in the length of the texts times (distance / 64).
///
/// ```
/// assert_eq!(neardup_kernels::edit_distance("naïve", "native"), 2);
/// ```
pub fn edit_distance(a: &str, b: &str) -> usize {
    with_symbols(a, b, Distance)
}

/// The edit distance of two texts if it is at most `max`, at a cost of at most
/// O(`max` · length / 64).
pub fn edit_distance_within(a: &str, b: &str, max: usize) -> Option<usize> {
    with_symbols(a, b, Within(max))
}

/// `1 − distance / length of the longer text`; 0.0 for two empty texts, which are like nothing.
pub fn edit_similarity(a: &str, b: &str) -> f64 {
    with_symbols(a, b, Similarity)
}

/// What is asked about two texts once they are slices of symbols.
trait Question {
    type Answer;
    fn ask<S: Symbol>(self, a: &[S], b: &[S]) -> Self::Answer;
}

fn with_symbols<Q: Question>(a: &str, b: &str, question: Q) -> Q::Answer {
    if a.is_ascii() && b.is_ascii() {
        return question.ask(a.as_bytes(), b.as_bytes());
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    question.ask(&a, &b)
}

struct Distance;

impl Question for Distance {
    type Answer = usize;

    fn ask<S: Symbol>(self, a: &[S], b: &[S]) -> usize {
        let longer = a.len().max(b.len());
        let mut max = FIRST_BOUND.max(2 * a.len().abs_diff(b.len()));
        while max < longer {
            if let Some(distance) = within(a, b, max) {
                return distance;
            }
            max *= 2;
        }
        within(a, b, longer).unwrap_or(longer)
    }
}

struct Within(usize);

impl Question for Within {
    type Answer = Option<usize>;

    fn ask<S: Symbol>(self, a: &[S], b: &[S]) -> Option<usize> {
        within(a, b, self.0)
    }
}

struct Similarity;

impl Question for Similarity {
    type Answer = f64;

    fn ask<S: Symbol>(self, a: &[S], b: &[S]) -> f64 {
        match a.len().max(b.len()) {
            0 => 0.0,
            longer => 1.0 - Distance.ask(a, b) as f64 / longer as f64,
        }
    }
}

fn within<S: Symbol>(a: &[S], b: &[S], max: usize) -> Option<usize> {
    let (a, b) = without_common_ends(a, b);
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if text.len() - pattern.len() > max {
        return None;
    }
    // No distance is longer than the longer text.
    let max = max.min(text.len());
    match pattern.len() {
        0 => Some(text.len()),
        1..=64 => within_one_word(pattern, text, max),
        _ => blocks::within(pattern, text, max),
    }
}

/// What is left of two texts once the common start and the common end, which no edit touches, are
/// taken away.
fn without_common_ends<'a, S: Symbol>(a: &'a [S], b: &'a [S]) -> (&'a [S], &'a [S]) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// A pattern of 1 to 64 symbols: a column is one word.
fn within_one_word<S: Symbol>(pattern: &[S], text: &[S], max: usize) -> Option<usize> {
    let masks = S::Masks::new(pattern);
    let last = 1_u64 << (pattern.len() - 1);
    let mut score = pattern.len();
    let (mut rises, mut falls) = (u64::MAX, 0);
    for (at, &symbol) in text.iter().enumerate() {
        let equal = masks.of(symbol);
        let diagonal = (((equal & rises).wrapping_add(rises)) ^ rises) | equal | falls;
        let right_rises = falls | !(diagonal | rises);
        let right_falls = rises & diagonal;
        score += usize::from(right_rises & last != 0);
        score -= usize::from(right_falls & last != 0);
        let right_rises = right_rises << 1 | 1;
        rises = right_falls << 1 | !(diagonal | right_rises);
        falls = right_rises & diagonal;
        // Each symbol left lowers the score by one at the most.
        if score > max + (text.len() - 1 - at) {
            return None;
        }
    }
    Some(score)
}

#[cfg(test)]
mod tests;
