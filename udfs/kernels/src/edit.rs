//! Edit distance (Levenshtein 1966): the minimal number of insertions, deletions and substitutions of one
//! character (a Unicode scalar value) that turn one text into the other.
//!
//! The algorithm is bit-parallel (Myers 1999; Hyyrö 2003 for global distance): a word holds the differences
//! between 64 neighbouring cells of a column of the dynamic-programming table, and about fifteen operations
//! compute the differences of the next column. If the distance is bounded, only the words near the diagonal are
//! computed (Ukkonen 1985).

mod blocks;
mod masks;

use crate::bounds::similarity_of_distance;
use masks::{Masks, Symbol};

/// The first bound of the search for a distance that may be small; each round doubles it.
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

/// The edit distance of two texts if it is at most `max`. Unlike [`edit_distance_within`], its cost is about that of
/// [`edit_distance`] if the distance is much smaller than `max`.
pub(crate) fn edit_distance_up_to(a: &str, b: &str, max: usize) -> Option<usize> {
    with_symbols(a, b, UpTo(max))
}

/// `(length − distance) / length`, where the length is that of the longer text; 0.0 for two empty texts, which count as dissimilar.
pub fn edit_similarity(a: &str, b: &str) -> f64 {
    with_symbols(a, b, Similarity)
}

/// A function of two texts, given as slices of symbols of either type.
trait TextFunction {
    type Output;
    fn apply<S: Symbol>(self, a: &[S], b: &[S]) -> Self::Output;
}

fn with_symbols<F: TextFunction>(a: &str, b: &str, function: F) -> F::Output {
    if a.is_ascii() && b.is_ascii() {
        return function.apply(a.as_bytes(), b.as_bytes());
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    function.apply(&a, &b)
}

struct Distance;

impl TextFunction for Distance {
    type Output = usize;

    fn apply<S: Symbol>(self, a: &[S], b: &[S]) -> usize {
        let longer = a.len().max(b.len());
        UpTo(longer).apply(a, b).unwrap_or(longer)
    }
}

struct UpTo(usize);

impl TextFunction for UpTo {
    type Output = Option<usize>;

    fn apply<S: Symbol>(self, a: &[S], b: &[S]) -> Option<usize> {
        let limit = self.0.min(a.len().max(b.len()));
        let mut max = FIRST_BOUND.max(2 * a.len().abs_diff(b.len()));
        while max < limit {
            let distance = within(a, b, max);
            if distance.is_some() {
                return distance;
            }
            max *= 2;
        }
        within(a, b, limit)
    }
}

struct Within(usize);

impl TextFunction for Within {
    type Output = Option<usize>;

    fn apply<S: Symbol>(self, a: &[S], b: &[S]) -> Option<usize> {
        within(a, b, self.0)
    }
}

struct Similarity;

impl TextFunction for Similarity {
    type Output = f64;

    fn apply<S: Symbol>(self, a: &[S], b: &[S]) -> f64 {
        match a.len().max(b.len()) {
            0 => 0.0,
            longer => similarity_of_distance(Distance.apply(a, b), longer),
        }
    }
}

fn within<S: Symbol>(a: &[S], b: &[S], max: usize) -> Option<usize> {
    let (a, b) = without_common_ends(a, b);
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if text.len() - pattern.len() > max {
        return None;
    }
    // The distance is at most the length of the longer text.
    let max = max.min(text.len());
    match pattern.len() {
        0 => Some(text.len()),
        1..=64 => within_one_word(pattern, text, max),
        _ => blocks::within(pattern, text, max),
    }
}

/// The texts without their common prefix and their common suffix, which do not affect the distance.
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
        // Each remaining symbol lowers the score by at most 1.
        if score > max + (text.len() - 1 - at) {
            return None;
        }
    }
    Some(score)
}

#[cfg(test)]
mod tests;
