//! The verbatim passages of many texts, without comparing the texts in pairs.
//!
//! ```text
//! text ── n-grams that occur in other texts, too ──> runs ── distinct ──> collection
//! collection ── n-grams ── places of each n-gram ── tree of what follows ──> passages
//! ```
//!
//! A filter of the anchors of n-grams, which are fewer, leaves few n-grams for a second filter. A run is a part of a text
//! that begins and ends with n-grams that may occur in other texts; the n-grams before and after it do not. So a
//! passage of at least n units that two texts have in common is inside a run of each text. Equal runs of several texts
//! are stored once ([`DistinctRuns`]), in a [`RunCollection`]. There the places of one n-gram make a tree by the units that
//! follow it, in which two places part where the common passage ends that begins at them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem::take;
use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{passage_window, run_hashes_into, units_of};
use crate::hash_order::remove_repeats;
use crate::shingle::{Shingle, ShingleScratch};
use crate::split_mix::SplitMix64;

/// How the n-grams of texts are hashed: the unit and the length of a passage, and of the shorter runs of units that are the
/// anchors of n-grams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GramHashes {
    gram: Shingle,
    anchor: Shingle,
    /// The number of anchors of which an n-gram has the one of the smallest hash.
    window: usize,
}

impl GramHashes {
    /// Those of the n-grams of a unit and a length.
    pub fn new(gram: Shingle) -> Self {
        let (hashed, window) = passage_window(gram.window());
        let anchor = match gram {
            Shingle::Char(_) => Shingle::Char(hashed),
            Shingle::Word(_) => Shingle::Word(hashed),
            Shingle::Space(_) => Shingle::Space(hashed),
        };
        Self {
            gram,
            anchor,
            window,
        }
    }
}

/// The two keys under which a hash is counted. A filter of keys lets some pass that are there once, but rarely both of one
/// hash: each such n-gram would be a run, which is as long as a passage.
fn keys(hash: u64) -> [u64; 2] {
    [hash, SplitMix64::new(hash).next()]
}

fn has_both(has: &impl Fn(u64) -> bool, hash: u64) -> bool {
    keys(hash).into_iter().all(has)
}

/// Finds the n-grams and runs of texts that others share. It keeps its buffers from text to text.
#[derive(Debug, Default)]
pub struct RunFinder {
    scratch: ShingleScratch,
    anchors: Vec<u64>,
    /// For each n-gram the smallest hash of its anchors.
    smallest: Vec<u64>,
    units: Vec<Range<usize>>,
    of_units: Vec<u64>,
    grams: Vec<u64>,
    joined: String,
}

impl RunFinder {
    /// Appends the distinct keys of the anchors of the n-grams of a text, sorted. The anchor of an n-gram is the one with the
    /// smallest XXH3-64 hash of its shorter runs of units.
    pub fn anchors_into(&mut self, text: &str, hashes: GramHashes, out: &mut Vec<u64>) {
        self.read_anchors(text, hashes);
        let start = out.len();
        // Neighbouring n-grams mostly have the same one.
        for anchors in self.smallest.chunk_by(|a, b| a == b) {
            out.extend(keys(anchors[0]));
        }
        out[start..].sort_unstable();
        remove_repeats(out, start);
    }

    /// Appends the distinct keys of the n-grams of a text, sorted, of which `has_anchor` is true for both keys of the anchor.
    pub fn grams_into(
        &mut self,
        text: &str,
        hashes: GramHashes,
        has_anchor: impl Fn(u64) -> bool,
        out: &mut Vec<u64>,
    ) {
        if !self.read_grams(text, hashes, &has_anchor) {
            return;
        }
        let start = out.len();
        for (&gram, &anchor) in self.grams.iter().zip(&self.smallest) {
            if has_both(&has_anchor, anchor) {
                out.extend(keys(gram));
            }
        }
        out[start..].sort_unstable();
        remove_repeats(out, start);
    }

    /// Calls `visit` with each run of a text: its first unit, from 0, and its units, joined by one space unless they are
    /// characters; a space in a unit is written as a line feed. `has_anchor` and `has_gram` say of a key of an anchor or an
    /// n-gram whether other texts may hold it; an n-gram is shared if they are true for all of its keys. Shared n-grams
    /// that have a unit in common are in one run, also if others are between them, so that runs have no more units than
    /// the text.
    pub fn for_each(
        &mut self,
        text: &str,
        hashes: GramHashes,
        has_anchor: impl Fn(u64) -> bool,
        has_gram: impl Fn(u64) -> bool,
        mut visit: impl FnMut(usize, &str),
    ) {
        if !self.read_grams(text, hashes, &has_anchor) {
            return;
        }
        let is_shared = |at: &usize| {
            has_both(&has_anchor, self.smallest[*at]) && has_both(&has_gram, self.grams[*at])
        };
        let length = hashes.gram.window();
        let mut shared = (0..self.grams.len()).filter(is_shared).peekable();
        while let Some(first) = shared.next() {
            let mut last = first;
            while let Some(next) = shared.next_if(|next| next - last < length.max(2)) {
                last = next;
            }
            let units = &self.units[first..last + length];
            if let Shingle::Char(_) = hashes.gram {
                visit(first, &text[units[0].start..units[units.len() - 1].end]);
                continue;
            }
            self.joined.clear();
            for unit in units {
                if !self.joined.is_empty() {
                    self.joined.push(' ');
                }
                // A space and a combining mark can be a word (UAX #29), which never has a line feed.
                let unit = text[unit.clone()].split(' ').enumerate();
                unit.for_each(|(at, part)| {
                    self.joined.push_str(if at > 0 { "\n" } else { "" });
                    self.joined.push_str(part);
                });
            }
            visit(first, &self.joined);
        }
    }

    /// Fills `smallest`.
    fn read_anchors(&mut self, text: &str, hashes: GramHashes) {
        self.anchors.clear();
        self.smallest.clear();
        let scratch = &mut self.scratch;
        hashes
            .anchor
            .repeated_hashes_into(text, scratch, &mut self.anchors);
        // The position of the smallest hash of the window before.
        let mut smallest: Option<usize> = None;
        for end in hashes.window..=self.anchors.len() {
            let window = end - hashes.window..end;
            let at = match smallest {
                Some(at) if at >= window.start => match self.anchors[end - 1] <= self.anchors[at] {
                    true => end - 1,
                    false => at,
                },
                _ => window.min_by_key(|&at| self.anchors[at]).unwrap_or(end - 1),
            };
            smallest = Some(at);
            self.smallest.push(self.anchors[at]);
        }
    }

    /// Fills `smallest`, and `units` and `grams` if there is an n-gram of which `has_anchor` is true, which it returns.
    fn read_grams(
        &mut self,
        text: &str,
        hashes: GramHashes,
        has_anchor: &impl Fn(u64) -> bool,
    ) -> bool {
        self.read_anchors(text, hashes);
        if !self
            .smallest
            .iter()
            .any(|&anchor| has_both(has_anchor, anchor))
        {
            return false;
        }
        self.units.clear();
        self.of_units.clear();
        self.grams.clear();
        units_of(text, hashes.gram, |unit| {
            let start = unit.as_ptr() as usize - text.as_ptr() as usize;
            self.units.push(start..start + unit.len());
            self.of_units.push(xxh3_64(unit.as_bytes()));
        });
        run_hashes_into(&self.of_units, hashes.gram.window(), &mut self.grams);
        // A text that is shorter than an anchor has the hash of its units, too.
        self.smallest.truncate(self.grams.len());
        !self.grams.is_empty()
    }
}

/// The XXH3-128 hash of a run, which stands for it.
pub fn run_key(run: &str) -> [u8; 16] {
    xxh3_128(run.as_bytes()).to_le_bytes()
}

/// The bytes of the fields of a packed run before its units: its key, two texts, and the number of the bytes of its units.
const HEADER: usize = 40;

/// The bytes of a unit of a packed run that is a character: its code point.
pub const CHARACTER_BYTES: usize = 3;
/// The bytes of another unit of a packed run: the lower ones of its XXH3-64 hash.
pub const HASH_BYTES: usize = 6;

/// Appends a run: its key, the numbers of two texts that hold it (twice the same if there is only one),
/// and for each unit [`CHARACTER_BYTES`] or [`HASH_BYTES`]. `run` has its units as [`RunFinder::for_each`] gives them.
pub fn pack_run(run: &str, key: [u8; 16], texts: [u64; 2], shingle: Shingle, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(key);
    out.extend(texts.map(u64::to_le_bytes).as_flattened());
    out.extend([0; 8]);
    match shingle {
        Shingle::Char(_) => {
            let characters = run.chars().map(|c| u32::from(c).to_le_bytes());
            characters.for_each(|c| out.extend(&c[..CHARACTER_BYTES]));
        }
        _ => {
            let hashes = run.split(' ').map(|unit| xxh3_64(unit.as_bytes()));
            hashes.for_each(|hash| out.extend(&hash.to_le_bytes()[..HASH_BYTES]));
        }
    }
    let length = (out.len() - start - HEADER) as u64;
    out[start + HEADER - 8..start + HEADER].copy_from_slice(&length.to_le_bytes());
}

/// A packed run at the beginning of some bytes, and those after it.
fn first_run(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let header = bytes.first_chunk::<HEADER>()?;
    let length = usize::try_from(u64::from_le_bytes(header.as_chunks().0[4])).ok()?;
    bytes.split_at_checked(HEADER.checked_add(length)?)
}

fn key_of(run: &[u8]) -> [u8; 16] {
    run.first_chunk().copied().unwrap_or_default()
}

/// The bytes of a packed run that have its two texts.
const TEXTS: Range<usize> = 16..32;

fn texts_of(run: &[u8]) -> [u64; 2] {
    let (fields, _) = run.as_chunks();
    [2, 3].map(|at| u64::from_le_bytes(fields[at]))
}

/// Collects packed runs, of equal ones only the first, in pieces for a [`RunCollection`].
#[derive(Debug, Default)]
pub struct DistinctRuns {
    pieces: Vec<Vec<u8>>,
    /// The piece of each run, by its key, and where it is there.
    places: HashMap<[u8; 16], (u32, u32)>,
}

impl DistinctRuns {
    /// Upper bound of the bytes of a piece of several runs. Longer pieces take more time to allocate, shorter ones are more
    /// values.
    pub const PIECE: usize = 4 << 20;

    /// Adds runs, one after the other. Of a run that was there before, the texts are added, until it has two.
    ///
    /// # Errors
    /// If [`pack_run`] did not write the bytes.
    pub fn add(&mut self, mut runs: &[u8]) -> Result<(), WrongRuns> {
        while let Some((run, after)) = first_run(runs) {
            match self.places.entry(key_of(run)) {
                Entry::Occupied(place) => {
                    let &(piece, at) = place.get();
                    let own = &mut self.pieces[piece as usize][at as usize..];
                    let [first, last] = texts_of(own);
                    let other = texts_of(run).into_iter().find(|&text| text != first);
                    if let Some(other) = other.filter(|_| first == last) {
                        own[TEXTS][8..].copy_from_slice(&other.to_le_bytes());
                    }
                }
                Entry::Vacant(place) => {
                    let has_room = |piece: &Vec<u8>| piece.len() + run.len() <= Self::PIECE;
                    if !self.pieces.last().is_some_and(has_room) {
                        self.pieces.push(Vec::new());
                    }
                    let number = self.pieces.len() - 1;
                    let piece = &mut self.pieces[number];
                    place.insert((number as u32, piece.len() as u32));
                    let length = piece.len() + run.len();
                    if length > piece.capacity() {
                        let capacity = (2 * piece.capacity()).min(Self::PIECE).max(length);
                        piece.reserve_exact(capacity - piece.len());
                    }
                    piece.extend_from_slice(run);
                }
            }
            runs = after;
        }
        match runs {
            [] => Ok(()),
            _ => Err(WrongRuns::Bytes(runs.len())),
        }
    }

    /// Takes the pieces. Before other runs are added, [`Self::put`] must return them.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        take(&mut self.pieces)
    }

    /// Returns the pieces that [`Self::take`] gave.
    pub fn put(&mut self, pieces: Vec<Vec<u8>>) {
        self.pieces = pieces;
    }

    /// The bytes that are allocated.
    #[must_use]
    pub fn memory(&self) -> usize {
        let of_place = size_of::<([u8; 16], (u32, u32))>() + 1;
        let pieces = self
            .pieces
            .iter()
            .map(|piece| piece.capacity() + size_of::<Vec<u8>>());
        self.places.capacity() * of_place + pieces.sum::<usize>()
    }
}

/// The reason why bytes are not those of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongRuns {
    /// [`pack_run`] did not write them.
    #[error("{0} bytes are not a collection of runs")]
    Bytes(usize),
    /// They have more units than are numbered.
    #[error("a collection of runs has more than {} units", u32::MAX)]
    Units,
}

/// Distinct runs of texts, as [`pack_run`] writes them, with `UNIT` bytes for each unit.
#[derive(Debug)]
pub struct RunCollection<'a, const UNIT: usize> {
    runs: Vec<Run<'a, UNIT>>,
    /// The number of units of all runs.
    units: u32,
}

#[derive(Debug, Clone, Copy)]
struct Run<'a, const UNIT: usize> {
    /// The fields before the units, and these.
    bytes: &'a [u8],
    /// The number of units of the runs before it.
    before: u32,
}

impl<'a, const UNIT: usize> Run<'a, UNIT> {
    fn key(&self) -> [u8; 16] {
        key_of(self.bytes)
    }

    /// Two different texts that hold it, or twice the only one.
    fn texts(&self) -> [u64; 2] {
        texts_of(self.bytes)
    }

    /// The bytes of its units.
    fn units(&self) -> &'a [[u8; UNIT]] {
        self.bytes[HEADER..].as_chunks().0
    }

    fn is_of_several_texts(&self) -> bool {
        let [a, b] = self.texts();
        a != b
    }
}

/// The bytes of a unit as a number.
fn number_of<const UNIT: usize>(unit: [u8; UNIT]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..UNIT].copy_from_slice(&unit);
    u64::from_le_bytes(bytes)
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
    /// The bytes of the unit before it, as a number.
    Unit(u64),
    /// It is the first of a run, given by its number: in no other text the same unit is before it.
    Start(u32),
}

impl<'a, const UNIT: usize> RunCollection<'a, UNIT> {
    /// The collection of these pieces, which have some runs each, one after the other. They may have 2^32 − 1 units.
    ///
    /// # Errors
    /// If a piece was not written by [`pack_run`], or the units are too many.
    pub fn new(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, WrongRuns> {
        let (mut runs, mut before) = (Vec::new(), 0_u32);
        for piece in pieces {
            let mut rest = piece;
            while let Some((bytes, after)) = first_run(rest)
                && (bytes.len() - HEADER).is_multiple_of(UNIT)
            {
                runs.push(Run { bytes, before });
                let units = u32::try_from((bytes.len() - HEADER) / UNIT).ok();
                let end = units.and_then(|units| before.checked_add(units));
                before = end.ok_or(WrongRuns::Units)?;
                rest = after;
            }
            if !rest.is_empty() {
                return Err(WrongRuns::Bytes(piece.len()));
            }
        }
        Ok(Self {
            runs,
            units: before,
        })
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
        let mut grams: Vec<(u64, u32)> = Vec::with_capacity((self.units as u64 / parts) as usize);
        let (mut units, mut hashes) = (Vec::new(), Vec::new());
        for run in &self.runs {
            units.clear();
            hashes.clear();
            units.extend(run.units().iter().copied().map(number_of));
            run_hashes_into(&units, length, &mut hashes);
            let is_of_part = hashes.first().is_some_and(|hash| hash % parts == part);
            if is_of_part && run.is_of_several_texts() {
                visit(RunPassage {
                    key: run.key(),
                    first: 0,
                    length: run.units().len(),
                    not_in: None,
                });
            }
            let numbers = run.before..;
            let of_part = hashes
                .iter()
                .zip(numbers)
                .filter(|(hash, _)| *hash % parts == part);
            grams.extend(of_part.map(|(&hash, number)| (hash, number)));
        }
        grams.sort_unstable();
        let mut tree = Tree::default();
        let groups = grams.chunk_by(|a, b| a.0 == b.0);
        for group in groups.filter(|group| group.len() > 1) {
            let places = group.iter().map(|&(_, number)| self.place(number));
            tree.places.clear();
            tree.places.extend(places);
            self.visit_tree(&mut tree, length, &mut visit);
        }
    }

    /// The place of a unit, given by its number among those of all runs.
    fn place(&self, number: u32) -> Place {
        let run = self.runs.partition_point(|run| run.before <= number) - 1;
        let at = number - self.runs[run].before;
        let before = match at.checked_sub(1) {
            Some(before) => Before::Unit(number_of(self.runs[run].units()[before as usize])),
            None => Before::Start(run as u32),
        };
        Place {
            run: run as u32,
            at,
            before,
        }
    }

    /// The unit of a place after `depth` units; `None` at the end of its run.
    fn unit(&self, place: &Place, depth: usize) -> Option<[u8; UNIT]> {
        let run = &self.runs[place.run as usize];
        run.units().get(place.at as usize + depth).copied()
    }

    /// The number of units that two places have in common, of which `depth` are known.
    fn common(&self, a: &Place, b: &Place, depth: usize) -> usize {
        let [a, b] =
            [a, b].map(|place| &self.runs[place.run as usize].units()[place.at as usize + depth..]);
        // Long common parts are compared in larger pieces.
        const PIECE: usize = 32;
        let pieces = a.chunks_exact(PIECE).zip(b.chunks_exact(PIECE));
        let equal = PIECE * pieces.take_while(|(a, b)| a == b).count();
        let rest = a[equal..].iter().zip(&b[equal..]);
        depth + equal + rest.take_while(|(a, b)| a == b).count()
    }

    /// Visits the passages of the places of one n-gram.
    ///
    /// Of the places of a node one that is followed by the most units is chosen, and the others are sorted by the number of
    /// units that they have in common with it. So all nodes on the way to it are visited at once: at each of them the
    /// places that part from it there have children of their own, and the others go on. In a periodic text, where the way
    /// is long and few places part at a node, the others are not visited one by one.
    fn visit_tree(&self, tree: &mut Tree, length: usize, visit: &mut impl FnMut(RunPassage)) {
        tree.nodes.clear();
        tree.nodes.push((0..tree.places.len(), 0));
        while let Some((node, depth)) = tree.nodes.pop() {
            let mut all = Witnesses::default();
            let of_node = tree.places[node.clone()].iter();
            of_node.for_each(|place| all.add_place(place, &self.runs));
            if all.has_pair() {
                self.sort_node(tree, node.clone(), depth);
                self.visit_way(tree, node.start, length, visit);
            }
        }
    }

    /// Sorts the places of a node by the number of units that they have in common with one of them, which is then the last,
    /// and by the next unit.
    fn sort_node(&self, tree: &mut Tree, node: Range<usize>, depth: usize) {
        let of_node = &mut tree.places[node];
        let rest = |place: &Place| self.runs[place.run as usize].units().len() - place.at as usize;
        let longest = (0..of_node.len()).max_by_key(|&at| rest(&of_node[at]));
        let longest = longest.unwrap_or(0);
        let sorted = &mut tree.sorted;
        sorted.clear();
        sorted.extend(of_node.iter().enumerate().map(|(at, place)| {
            let common = match at == longest {
                true => usize::MAX,
                false => self.common(place, &of_node[longest], depth),
            };
            (common, *place)
        }));
        let is_last = |place: &(usize, Place)| place.0 == usize::MAX;
        sorted.sort_unstable_by_key(|place| {
            (
                place.0,
                (!is_last(place)).then(|| self.unit(&place.1, place.0)),
            )
        });
        for (own, (_, place)) in of_node.iter_mut().zip(sorted.iter()) {
            *own = *place;
        }
        tree.most = majority(sorted.iter().map(|(_, place)| place.before));
        tree.rare.clear();
        let is_rare = |at: &usize| Some(sorted[*at].1.before) != tree.most;
        tree.rare.extend((0..sorted.len()).filter(is_rare));
    }

    /// Visits the passages of the nodes on the way to the last of the sorted places, the longest ones first. `start` is where
    /// these are among all places.
    fn visit_way(
        &self,
        tree: &mut Tree,
        start: usize,
        length: usize,
        visit: &mut impl FnMut(RunPassage),
    ) {
        let sorted = &tree.sorted;
        let next = |(common, place): &(usize, Place)| self.unit(place, *common);
        let mut end = sorted.len() - 1;
        let mut going_on = Witnesses::default();
        going_on.add_place(&sorted[end].1, &self.runs);
        while let Some(&(common, _)) = sorted[..end].last() {
            let first = sorted[..end].partition_point(|place| place.0 < common);
            let of_node = &sorted[first..end];
            let mut parting = Witnesses::default();
            for (_, place) in of_node {
                parting.add_place(place, &self.runs);
            }
            tree.children.clear();
            let mut at = start + first;
            for child in of_node.chunk_by(|a, b| next(a).is_some() && next(a) == next(b)) {
                tree.children.push(at..at + child.len());
                at += child.len();
            }
            // Hashes of n-grams may be equal by chance.
            if common >= length {
                let (places, children) = (&tree.places, &tree.children);
                self.visit_children(places, children, going_on, &mut tree.after, common, visit);
                // Of those that go on, these have something else before them than those that part.
                let rare = tree.rare.partition_point(|&at| at < end);
                let others = match parting.iter().all(|found| Some(found.1) == tree.most) {
                    true => {
                        &mut tree.rare[rare..].iter().copied() as &mut dyn Iterator<Item = usize>
                    }
                    false => &mut (end..sorted.len()),
                };
                others.for_each(|at| self.visit_place(&sorted[at].1, &parting, common, visit));
            }
            let several = tree.children.drain(..).filter(|child| child.len() > 1);
            tree.nodes.extend(several.map(|child| (child, common + 1)));
            parting.iter().for_each(|found| going_on.add(found));
            end = first;
        }
    }

    /// Visits the passages of a number of units of the places of several children, which have as many in common, also with
    /// others.
    fn visit_children(
        &self,
        places: &[Place],
        children: &[Range<usize>],
        others: Witnesses,
        after: &mut Vec<Witnesses>,
        length: usize,
        visit: &mut impl FnMut(RunPassage),
    ) {
        let add = |child: &Range<usize>, found: &mut Witnesses| {
            places[child.clone()]
                .iter()
                .for_each(|place| found.add_place(place, &self.runs));
        };
        // By the number of children at the end: what is in them.
        after.clear();
        after.push(Witnesses::default());
        for child in children[1..].iter().rev() {
            let mut found = after[after.len() - 1];
            add(child, &mut found);
            after.push(found);
        }
        let mut before = others;
        for (child, after) in children.iter().zip(after.iter().rev()) {
            let mut others = *after;
            before.iter().for_each(|found| others.add(found));
            for place in &places[child.clone()] {
                self.visit_place(place, &others, length, visit);
            }
            add(child, &mut before);
        }
    }

    /// Visits the passage of a number of units of a place, if one of the others makes it one.
    fn visit_place(
        &self,
        place: &Place,
        others: &Witnesses,
        length: usize,
        visit: &mut impl FnMut(RunPassage),
    ) {
        let run = &self.runs[place.run as usize];
        // Runs of several texts are passages as a whole.
        if place.at == 0 && length == run.units().len() && run.is_of_several_texts() {
            return;
        }
        let not_in = match others.texts(place.before) {
            [None, _] => return,
            [Some(only), None] if run.texts() == [only, only] => return,
            [only, None] => only,
            _ => None,
        };
        visit(RunPassage {
            key: run.key(),
            first: place.at as usize,
            length,
            not_in,
        });
    }
}

/// The value that more than half of some values have, if there is one, else any of them (Boyer and Moore, "MJRTY: a fast
/// majority vote algorithm", 1991).
fn majority<T: PartialEq>(values: impl Iterator<Item = T>) -> Option<T> {
    let (mut found, mut votes) = (None, 0_usize);
    for value in values {
        match votes {
            _ if found.as_ref() == Some(&value) => votes += 1,
            0 => (found, votes) = (Some(value), 1),
            _ => votes -= 1,
        }
    }
    found
}

/// Buffers for the tree of an n-gram.
#[derive(Debug, Default)]
struct Tree {
    places: Vec<Place>,
    /// The places of each node that is still to be visited, and the number of units that they have in common at least.
    nodes: Vec<(Range<usize>, usize)>,
    children: Vec<Range<usize>>,
    after: Vec<Witnesses>,
    /// The places of a node by the number of units that they have in common with one of them, which is the last.
    sorted: Vec<(usize, Place)>,
    /// What is before most of them, or before one of them if nothing has the majority.
    most: Option<Before>,
    /// Those that have something else before them.
    rare: Vec<usize>,
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

    fn add_place<const UNIT: usize>(&mut self, place: &Place, runs: &[Run<'_, UNIT>]) {
        let texts = runs[place.run as usize].texts();
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
