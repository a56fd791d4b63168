//! Naive computations of the expected results.

use super::rows::{Id, Row};
use crate::oracle::naive;
use neardup_kernels::{
    DenseProjector, Draws, MinHasher, Shingle, ShingleScratch, bands_into, cosine, edit_similarity,
    hamming_distance, hamming_to_cosine, jaccard, normalize_into, signature_similarity,
    simhash_into,
};
use std::collections::{BTreeMap, BTreeSet};

/// An expected result: rows as sorted texts, or a fault of the input that the error must name.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    Rows(Vec<Vec<String>>),
    /// The ids that have different values.
    Contradiction(BTreeSet<String>),
}

/// The text for NULL.
pub const NULL: &str = "∅";

/// A value or NULL.
pub fn shown(value: Option<impl ToString>) -> String {
    value.map_or(NULL.to_owned(), |value| value.to_string())
}

/// A number with all its digits.
pub fn number(value: f64) -> String {
    format!("{value:?}")
}

/// Rows in order.
pub fn sorted(mut rows: Vec<Vec<String>>) -> Truth {
    rows.sort_unstable();
    Truth::Rows(rows)
}

/// A row that can be in a pair, with the value that is compared.
#[derive(Debug, Clone)]
pub struct Item<T> {
    pub id: Id,
    pub page: Option<i64>,
    pub value: T,
}

/// Which rows may be in a pair, by their pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    Any,
    /// Rows of different pages.
    Across,
    /// Rows of one page.
    Within,
}

impl Groups {
    /// Whether pages are compared.
    fn are_used(self) -> bool {
        self != Self::Any
    }
}

/// The rows that can be in a pair, each id once, in the order of ids, or the ids that have different values.
pub fn items<T: PartialEq + Clone>(
    rows: &[Row],
    groups: Groups,
    value: impl Fn(&Row) -> Option<T>,
) -> Result<Vec<Item<T>>, BTreeSet<String>> {
    let mut items: BTreeMap<&Id, Item<T>> = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    for row in rows {
        let (Some(id), Some(value)) = (&row.id, value(row)) else {
            continue;
        };
        match items.get(id) {
            Some(item) if item.value != value || (groups.are_used() && item.page != row.page) => {
                wrong.insert(id.to_string());
            }
            Some(_) => {}
            None => {
                items.insert(
                    id,
                    Item {
                        id: id.clone(),
                        page: row.page,
                        value,
                    },
                );
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(items
            .into_values()
            .filter(|item| !groups.are_used() || item.page.is_some())
            .collect()),
        false => Err(wrong),
    }
}

/// The rows of one or two relations that can be in a pair.
pub type Sides<T> = (Vec<Item<T>>, Option<Vec<Item<T>>>);

/// [`items`] of one or two relations.
pub fn sides<T: PartialEq + Clone>(
    rows: &[Row],
    second: Option<&[Row]>,
    groups: Groups,
    value: impl Fn(&Row) -> Option<T>,
) -> Result<Sides<T>, Truth> {
    let first = items(rows, groups, &value);
    let second = second.map(|rows| items(rows, groups, &value)).transpose();
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (first, second) => {
            let wrong = first.err().into_iter().chain(second.err()).flatten();
            Err(Truth::Contradiction(wrong.collect()))
        }
    }
}

/// All pairs for which the measure has a value: of a row of the first and a row of the second relation, or of two rows
/// of the only relation.
pub fn pairs_of<T>(
    sides: &Sides<T>,
    groups: Groups,
    measure: impl Fn(&T, &T) -> Option<String>,
) -> Truth {
    let (first, second) = sides;
    let mut rows = Vec::new();
    for (at, a) in first.iter().enumerate() {
        let others = match second {
            Some(second) => &second[..],
            None => &first[at + 1..],
        };
        for b in others {
            if groups.are_used() && (a.page == b.page) != (groups == Groups::Within) {
                continue;
            }
            if let Some(value) = measure(&a.value, &b.value) {
                rows.push(vec![a.id.to_string(), b.id.to_string(), value]);
            }
        }
    }
    sorted(rows)
}

/// A text as it is compared.
pub fn normal(text: &str, normalize: bool) -> String {
    match normalize {
        false => text.to_owned(),
        true => {
            let mut normal = String::new();
            normalize_into(text, &mut normal);
            normal
        }
    }
}

/// The shingles of a text as it is compared.
pub fn set(text: &str, shingle: &str) -> Vec<u64> {
    let shingle: Shingle = shingle.parse().expect("a shingle");
    let mut hashes = Vec::new();
    shingle.hashes_into(text, &mut ShingleScratch::default(), &mut hashes);
    hashes
}

/// The similarity of two sets, if it is defined and reaches the threshold.
pub fn similar(a: &[u64], b: &[u64], threshold: f64) -> Option<f64> {
    let similarity = jaccard(a, b);
    (!a.is_empty() && !b.is_empty() && similarity >= threshold).then_some(similarity)
}

/// Keys of a MinHash signature.
#[derive(Debug, Clone)]
pub enum Keys {
    Bands(usize, usize),
    Draws(usize, usize, usize),
}

/// How MinHash signatures and their keys are made.
#[derive(Debug, Clone)]
pub struct Signing {
    pub keys: Keys,
    pub bits: u32,
    pub seed: u64,
}

impl Signing {
    /// The signature of a set and its keys. An empty set has no keys.
    pub fn sign(&self, set: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let hashes = match self.keys {
            Keys::Bands(bands, rows) => bands * rows,
            Keys::Draws(_, _, hashes) => hashes,
        };
        let family = MinHasher::new(hashes, self.seed, self.bits).expect("a family");
        let mut signature = vec![0_u64; hashes];
        family.signature_into(set, &mut signature);
        let mut keys = Vec::new();
        if set.is_empty() {
            return (signature, keys);
        }
        match self.keys {
            Keys::Bands(bands, rows) => {
                bands_into(&signature, bands, rows, &mut keys).expect("keys")
            }
            Keys::Draws(draws, size, hashes) => {
                let draws = Draws::new(hashes, draws, size, self.seed).expect("draws");
                draws.keys_into(&signature, &mut keys).expect("keys");
            }
        }
        (signature, keys)
    }
}

/// How a candidate is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    Exact,
    Edit,
    Estimate,
    Nothing,
}

/// A text with all values that joins use.
#[derive(Debug, Clone, PartialEq)]
pub struct Signed {
    pub text: String,
    pub set: Vec<u64>,
    pub signature: Vec<u64>,
    pub keys: Vec<u64>,
}

impl Signed {
    /// The similarity that is reported for a candidate, if it is a pair.
    pub fn verified(&self, other: &Self, verify: Verify, threshold: f64) -> Option<String> {
        let agree = self.keys.iter().zip(&other.keys).any(|(a, b)| a == b);
        if !agree {
            return None;
        }
        let value = match verify {
            Verify::Nothing => return Some(NULL.to_owned()),
            Verify::Exact => jaccard(&self.set, &other.set),
            Verify::Edit => edit_similarity(&self.text, &other.text),
            Verify::Estimate => signature_similarity(&self.signature, &other.signature),
        };
        (value >= threshold).then(|| number(value))
    }
}

/// The SimHash of a set.
pub fn simhash(set: &[u64], bits: usize) -> Vec<u8> {
    let mut out = vec![0; bits / 8];
    simhash_into(set.iter().map(|&hash| (hash, 1.0)), &mut out);
    out
}

/// The distance of two signatures, if it is at most `max_distance`.
pub fn within(a: &[u8], b: &[u8], max_distance: usize) -> Option<String> {
    let distance = hamming_distance(a, b);
    (distance as usize <= max_distance).then(|| distance.to_string())
}

/// Vectors compared by signatures of random projection.
#[derive(Debug, Clone)]
pub struct Projected {
    pub bits: usize,
    pub seed: u64,
    pub max_distance: usize,
    pub threshold: f64,
    pub estimate: bool,
}

impl Projected {
    /// The similarity that is reported for two vectors, if they are a pair.
    pub fn measure(&self, a: &[f32], b: &[f32]) -> Option<String> {
        let bytes = self.bits.div_ceil(8);
        let mut signatures = vec![0; 2 * bytes];
        let projector = DenseProjector::new(self.bits, self.seed, a.len());
        projector.signatures_into(&[a, b], &mut signatures);
        let distance = hamming_distance(&signatures[..bytes], &signatures[bytes..]);
        if distance as usize > self.max_distance {
            return None;
        }
        match self.estimate {
            true => Some(number(hamming_to_cosine(
                f64::from(distance),
                self.bits as f64,
            ))),
            false => cosine(a, b)
                .filter(|cosine| *cosine >= self.threshold)
                .map(number),
        }
    }
}

/// Which of several rows is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    First,
    Longest,
    /// By the column page, in descending or ascending order.
    Page {
        descending: bool,
    },
}

impl Keep {
    /// The key of the keep order before the id: ascending, NULL last.
    pub fn keep_key(self, row: &Row) -> Option<i64> {
        match self {
            Self::First => None,
            Self::Longest => row.text.as_ref().map(|text| -(text.chars().count() as i64)),
            Self::Page { descending } => row.page.map(|page| if descending { -page } else { page }),
        }
    }
}

/// A result row of [`resolved`].
#[derive(Debug, Clone)]
pub struct Outcome {
    pub id: Id,
    pub cluster: Id,
    pub representative: Id,
    pub similarity: Option<f64>,
    pub size: usize,
}

/// Resolves each id to its representative. Rows with the same value are one node. `edge` gives the similarity of two
/// values if they are a pair, `exact` gives their similarity in any case.
pub fn resolved<T: PartialEq>(
    rows: &[Row],
    keep: Keep,
    components: bool,
    value: impl Fn(&Row) -> Option<T>,
    edge: impl Fn(&T, &T) -> Option<f64>,
    exact: impl Fn(&T, &T) -> f64,
    has_value: impl Fn(&Row) -> bool,
) -> Vec<Outcome> {
    // Ids in keep order: NULL last, then the id.
    let mut order: BTreeMap<&Id, Option<i64>> = BTreeMap::new();
    let mut values: BTreeMap<&Id, Option<T>> = BTreeMap::new();
    for row in rows {
        let Some(id) = &row.id else { continue };
        // A row without a value is kept only if all rows of its id have none.
        let keep_key = keep.keep_key(row).filter(|_| has_value(row));
        let known = order.entry(id).or_default();
        *known = [*known, keep_key].into_iter().flatten().min();
        let known = values.entry(id).or_default();
        *known = known.take().or(value(row));
    }
    let mut ranked: Vec<(bool, Option<i64>, &Id)> = order
        .iter()
        .map(|(id, keep_key)| (keep_key.is_none(), *keep_key, *id))
        .collect();
    ranked.sort();
    // Distinct values, each with its members in keep order.
    let mut nodes: Vec<(&T, Vec<&Id>)> = Vec::new();
    for &(_, _, id) in &ranked {
        let Some(value) = &values[id] else { continue };
        match nodes.iter_mut().find(|(known, _)| *known == value) {
            Some((_, members)) => members.push(id),
            None => nodes.push((value, vec![id])),
        }
    }
    let mut pairs = Vec::new();
    for (a, (first, _)) in nodes.iter().enumerate() {
        for (b, (second, _)) in nodes.iter().enumerate().skip(a + 1) {
            pairs.extend(edge(first, second).map(|similarity| (a as i64, b as i64, similarity)));
        }
    }
    let roots = match components {
        true => naive::components(nodes.len(), &pairs),
        false => naive::representatives(nodes.len(), &pairs),
    };
    let mut clusters: BTreeMap<i64, Vec<&Id>> = BTreeMap::new();
    for ((_, members), root) in nodes.iter().zip(&roots) {
        clusters.entry(*root).or_default().extend(members);
    }
    let mut outcomes: BTreeMap<&Id, Outcome> = BTreeMap::new();
    for &id in order.keys() {
        let alone = Outcome {
            id: id.clone(),
            cluster: id.clone(),
            representative: id.clone(),
            similarity: None,
            size: 1,
        };
        outcomes.insert(id, alone);
    }
    for (node, (value, members)) in nodes.iter().enumerate() {
        let root = roots[node] as usize;
        let representative = nodes[root].1[0];
        let cluster = &clusters[&roots[node]];
        for &id in members {
            let smallest = cluster.iter().min().expect("a member");
            let similarity = match (root == node, id == representative) {
                (true, true) => None,
                (true, false) => Some(1.0),
                (false, _) => Some(exact(value, nodes[root].0)),
            };
            outcomes.insert(
                id,
                Outcome {
                    id: id.clone(),
                    cluster: if components {
                        (*smallest).clone()
                    } else {
                        representative.clone()
                    },
                    representative: representative.clone(),
                    similarity,
                    size: cluster.len(),
                },
            );
        }
    }
    outcomes.into_values().collect()
}
