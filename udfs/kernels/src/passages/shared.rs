//! The verbatim passages of many texts, without comparing the texts in pairs.
//!
//! ```text
//! text ── n-grams that occur in other texts, too ──> runs ── distinct ──> collection
//! collection ── n-grams ── places of each n-gram ── tree of what follows ──> passages
//! ```
//!
//! A run is a part of a text that cannot be extended: all of its n-grams may occur in other texts, and the n-grams before
//! and after it do not. So a passage of at least n units that two texts have in common is inside a run of each text. Equal
//! runs of several texts are stored once, in a [`RunCollection`]. There the places of one n-gram make a tree by the units
//! that follow it, in which two places part where the common passage ends that begins at them.

use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{run_hashes_into, units_of};
use crate::shingle::{Shingle, ShingleScratch};

/// Finds the runs of texts. It keeps its buffers from text to text.
#[derive(Debug, Default)]
pub struct RunFinder {
    scratch: ShingleScratch,
    hashes: Vec<u64>,
    units: Vec<Range<usize>>,
    joined: String,
}

impl RunFinder {
    /// Calls `visit` with each run of a text: its first unit, from 0, and its units, joined by one space unless they are
    /// characters. `is_shared` says of the XXH3-64 hash of an n-gram, the shingle, whether other texts may hold it.
    pub fn for_each(
        &mut self,
        text: &str,
        shingle: Shingle,
        is_shared: impl Fn(u64) -> bool,
        mut visit: impl FnMut(usize, &str),
    ) {
        self.hashes.clear();
        shingle.repeated_hashes_into(text, &mut self.scratch, &mut self.hashes);
        if !self.hashes.iter().any(|&hash| is_shared(hash)) {
            return;
        }
        self.units.clear();
        units_of(text, shingle, |unit| {
            let start = unit.as_ptr() as usize - text.as_ptr() as usize;
            self.units.push(start..start + unit.len());
        });
        // A text that is shorter than an n-gram has the hash of its units, too.
        let grams = (self.units.len() + 1).saturating_sub(shingle.window());
        let hashes = &self.hashes[..grams.min(self.hashes.len())];
        let mut first = 0;
        for part in hashes.chunk_by(|&a, &b| is_shared(a) == is_shared(b)) {
            if is_shared(part[0]) {
                let units = &self.units[first..first + part.len() + shingle.window() - 1];
                let all = units[0].start..units[units.len() - 1].end;
                match shingle {
                    Shingle::Char(_) => visit(first, &text[all]),
                    _ => {
                        self.joined.clear();
                        for unit in units {
                            if !self.joined.is_empty() {
                                self.joined.push(' ');
                            }
                            self.joined.push_str(&text[unit.clone()]);
                        }
                        visit(first, &self.joined);
                    }
                }
            }
            first += part.len();
        }
    }
}

/// The XXH3-128 hash of a run, which stands for it.
pub fn run_key(run: &str) -> [u8; 16] {
    xxh3_128(run.as_bytes()).to_le_bytes()
}

/// The bytes of the fields of a packed run before its units: its key, two texts, and the number of its units.
const HEADER: usize = 40;

/// Appends a run to a collection: its key, the numbers of two texts that hold it (twice the same if there is only one),
/// and the hashes of its units. `run` has its units as [`RunFinder::for_each`] gives them.
pub fn pack_run(run: &str, key: [u8; 16], texts: [u64; 2], shingle: Shingle, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(key);
    out.extend(texts.map(u64::to_le_bytes).as_flattened());
    out.extend([0; 8]);
    let mut units = 0_u64;
    let mut push = |unit: &str| {
        out.extend(xxh3_64(unit.as_bytes()).to_le_bytes());
        units += 1;
    };
    match shingle {
        Shingle::Char(_) => units_of(run, shingle, push),
        _ => run.split(' ').for_each(&mut push),
    }
    out[start + HEADER - 8..start + HEADER].copy_from_slice(&units.to_le_bytes());
}

/// The reason why bytes are not those of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} bytes are not a collection of runs")]
pub struct WrongRuns(usize);

/// Distinct runs of texts, one after the other as [`pack_run`] writes them.
#[derive(Debug)]
pub struct RunCollection<'a> {
    runs: Vec<Run<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Run<'a> {
    key: [u8; 16],
    /// Two different texts that hold it, or twice the only one.
    texts: [u64; 2],
    /// The hashes of its units.
    units: &'a [[u8; 8]],
    /// The number of units of the runs before it.
    before: usize,
}

impl Run<'_> {
    fn is_of_several_texts(&self) -> bool {
        self.texts[0] != self.texts[1]
    }
}

/// A passage that a run has in common with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunPassage {
    /// The key of the run.
    pub key: [u8; 16],
    /// Its first unit in the run.
    pub first: usize,
    /// The number of its units.
    pub length: usize,
    /// The only text that holds the others, in which this is no passage; `None` if several hold them.
    pub not_in: Option<u64>,
}

/// A place of an n-gram.
#[derive(Debug, Clone, Copy)]
struct Place {
    run: u32,
    /// Its first unit in the run.
    at: u32,
    before: Before,
}

/// What is before a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The hash of the unit before it.
    Unit(u64),
    /// It is the first of a run, given by its number: in no other text the same unit is before it.
    Start(u32),
}

impl<'a> RunCollection<'a> {
    /// The collection of these bytes. At most 2^32 − 1 units are read.
    ///
    /// # Errors
    /// If they were not written by [`pack_run`], or are too many.
    pub fn new(bytes: &'a [u8]) -> Result<Self, WrongRuns> {
        let wrong = WrongRuns(bytes.len());
        let (mut rest, mut runs, mut before) = (bytes, Vec::new(), 0);
        while let Some((key, after)) = rest.split_first_chunk() {
            let (numbers, after) = after.split_first_chunk::<24>().ok_or(wrong)?;
            let (numbers, _) = numbers.as_chunks();
            let [a, b, count] = [0, 1, 2].map(|at| u64::from_le_bytes(numbers[at]));
            let end = usize::try_from(count)
                .ok()
                .and_then(|count| count.checked_mul(8));
            let (units, after) = after.split_at_checked(end.ok_or(wrong)?).ok_or(wrong)?;
            runs.push(Run {
                key: *key,
                texts: [a, b],
                units: units.as_chunks().0,
                before,
            });
            before += units.len() / 8;
            rest = after;
        }
        match rest.is_empty() && before <= u32::MAX as usize {
            true => Ok(Self { runs }),
            false => Err(wrong),
        }
    }

    /// Calls `visit` with the passages of at least `length` units that begin with the n-grams of one of several parts, in
    /// no order: all parts together have each passage once.
    ///
    /// A run has a passage of some length at a place if another place, in a run of another text, has the same units for
    /// this length, but not one unit more, and another unit before it.
    pub fn for_each_passage(
        &self,
        length: usize,
        part: u64,
        parts: u64,
        mut visit: impl FnMut(RunPassage),
    ) {
        // The hashes of the n-grams, with the numbers of their first units among those of all runs.
        let mut grams: Vec<(u64, u32)> = Vec::new();
        let (mut units, mut hashes) = (Vec::new(), Vec::new());
        for run in &self.runs {
            units.clear();
            hashes.clear();
            units.extend(run.units.iter().map(|unit| u64::from_le_bytes(*unit)));
            run_hashes_into(&units, length, &mut hashes);
            let is_of_part = hashes.first().is_some_and(|hash| hash % parts == part);
            if is_of_part && run.is_of_several_texts() {
                visit(RunPassage {
                    key: run.key,
                    first: 0,
                    length: run.units.len(),
                    not_in: None,
                });
            }
            let numbers = run.before..;
            let of_part = hashes
                .iter()
                .zip(numbers)
                .filter(|(hash, _)| *hash % parts == part);
            grams.extend(of_part.map(|(&hash, number)| (hash, number as u32)));
        }
        grams.sort_unstable();
        let mut tree = Tree::default();
        let groups = grams.chunk_by(|a, b| a.0 == b.0);
        for group in groups.filter(|group| group.len() > 1) {
            let places = group.iter().map(|&(_, number)| self.place(number as usize));
            tree.places.clear();
            tree.places.extend(places);
            self.visit_tree(&mut tree, length, &mut visit);
        }
    }

    /// The place of a unit, given by its number among those of all runs.
    fn place(&self, number: usize) -> Place {
        let run = self.runs.partition_point(|run| run.before <= number) - 1;
        let at = number - self.runs[run].before;
        let before = match at.checked_sub(1) {
            Some(before) => Before::Unit(u64::from_le_bytes(self.runs[run].units[before])),
            None => Before::Start(run as u32),
        };
        Place {
            run: run as u32,
            at: at as u32,
            before,
        }
    }

    /// The unit of a place after `depth` units; `None` at the end of its run.
    fn unit(&self, place: &Place, depth: usize) -> Option<[u8; 8]> {
        let run = &self.runs[place.run as usize];
        run.units.get(place.at as usize + depth).copied()
    }

    /// Visits the passages of the places of one n-gram.
    fn visit_tree(&self, tree: &mut Tree, length: usize, visit: &mut impl FnMut(RunPassage)) {
        let places = &mut tree.places[..];
        tree.nodes.clear();
        tree.nodes.push((0..places.len(), 0));
        while let Some((node, mut depth)) = tree.nodes.pop() {
            let mut all = Witnesses::default();
            places[node.clone()]
                .iter()
                .for_each(|place| all.add_place(place, &self.runs));
            if !all.has_pair() {
                continue;
            }
            let of_node = &mut places[node.clone()];
            // The places part at the first unit that is not the same for all.
            while let Some(unit) = self.unit(&of_node[0], depth)
                && of_node[1..]
                    .iter()
                    .all(|place| self.unit(place, depth) == Some(unit))
            {
                depth += 1;
            }
            of_node.sort_unstable_by_key(|place| self.unit(place, depth));
            tree.children.clear();
            let mut first = node.start;
            let next = |place: &Place| self.unit(place, depth);
            for child in of_node.chunk_by(|a, b| next(a).is_some() && next(a) == next(b)) {
                tree.children.push(first..first + child.len());
                first += child.len();
            }
            // Hashes of n-grams may be equal by chance.
            if depth >= length {
                self.visit_node(places, &tree.children, &mut tree.after, depth, visit);
            }
            let several = tree.children.drain(..).filter(|child| child.len() > 1);
            tree.nodes.extend(several.map(|child| (child, depth + 1)));
        }
    }

    /// Visits the passages of a number of units of the places of several children, which have as many in common.
    fn visit_node(
        &self,
        places: &[Place],
        children: &[Range<usize>],
        after: &mut Vec<Witnesses>,
        length: usize,
        visit: &mut impl FnMut(RunPassage),
    ) {
        let of_child = |child: &Range<usize>, others: &mut Witnesses| {
            places[child.clone()]
                .iter()
                .for_each(|place| others.add_place(place, &self.runs));
        };
        // By the number of children at the end: what is in them.
        after.clear();
        after.push(Witnesses::default());
        for child in children[1..].iter().rev() {
            let mut witnesses = after[after.len() - 1];
            of_child(child, &mut witnesses);
            after.push(witnesses);
        }
        let mut before = Witnesses::default();
        for (child, after) in children.iter().zip(after.iter().rev()) {
            let mut others = *after;
            before.iter().for_each(|witness| others.add(witness));
            for place in &places[child.clone()] {
                let run = &self.runs[place.run as usize];
                let is_whole = place.at == 0 && length == run.units.len();
                if is_whole && run.is_of_several_texts() {
                    continue;
                }
                let not_in = match others.texts(place.before) {
                    [None, _] => continue,
                    [Some(only), None] if run.texts == [only, only] => continue,
                    [only, None] => only,
                    _ => None,
                };
                visit(RunPassage {
                    key: run.key,
                    first: place.at as usize,
                    length,
                    not_in,
                });
            }
            of_child(child, &mut before);
        }
    }
}

/// Buffers for the tree of an n-gram.
#[derive(Debug, Default)]
struct Tree {
    places: Vec<Place>,
    /// The places of each node that is still to be visited, and the number of units that they have in common at least.
    nodes: Vec<(Range<usize>, usize)>,
    children: Vec<Range<usize>>,
    after: Vec<Witnesses>,
}

/// A text, and what is before a place in it.
type Witness = (u64, Before);

/// Of the texts of some places and what is before these, at most four that stand for all: if there is a place in another
/// text than a given one, with something else before it than given, then one of the four is such a place. (Four are
/// sufficient by the theorem on pairs of sets of Bollobás, in the skew form for two sets of one element each: N. Alon,
/// "An extremal problem for sets with applications to graph theory", Journal of Combinatorial Theory A 40, 1985.)
#[derive(Debug, Clone, Copy, Default)]
struct Witnesses {
    found: [Option<Witness>; 4],
}

impl Witnesses {
    fn iter(&self) -> impl Iterator<Item = Witness> {
        self.found.into_iter().flatten()
    }

    fn add_place(&mut self, place: &Place, runs: &[Run<'_>]) {
        let texts = runs[place.run as usize].texts;
        self.add((texts[0], place.before));
        if texts[1] != texts[0] {
            self.add((texts[1], place.before));
        }
    }

    /// Adds a place, unless those found stand for it.
    fn add(&mut self, (text, before): Witness) {
        let same_before = self.iter().filter(|found| found.1 == before);
        let same_text = self.iter().filter(|found| found.0 == text);
        if same_before.count() > 1 || same_text.count() > 1 {
            return;
        }
        // The given texts and units that can make a difference: those found, and one that is none of these.
        let texts = self.iter().map(|found| Some(found.0)).chain([None]);
        let units: [Option<Before>; 5] =
            [0, 1, 2, 3, 4].map(|at| self.found.get(at).copied().flatten().map(|found| found.1));
        let is_needed = texts
            .filter(|&given| given != Some(text))
            .any(|given_text| {
                let mut units = units.iter().filter(|&&given| given != Some(before));
                units.any(|&given_before| {
                    let stands = |found: Witness| {
                        Some(found.0) != given_text && Some(found.1) != given_before
                    };
                    !self.iter().any(stands)
                })
            });
        if is_needed && let Some(free) = self.found.iter_mut().find(|found| found.is_none()) {
            *free = Some((text, before));
        }
    }

    /// Whether two of the places are in different texts and have different units before them.
    fn has_pair(&self) -> bool {
        self.iter().any(|(text, before)| {
            self.iter()
                .any(|other| other.0 != text && other.1 != before)
        })
    }

    /// Two different texts of places with something else before them; one if there is only one; or none.
    fn texts(&self, before: Before) -> [Option<u64>; 2] {
        let mut texts = self
            .iter()
            .filter(|found| found.1 != before)
            .map(|found| found.0);
        let first = texts.next();
        [first, texts.find(|&text| Some(text) != first)]
    }
}

#[cfg(test)]
mod tests;
