//! Generates a synthetic corpus of any size with known ground truth.
//!
//! ```text
//! id ──permutation──> slot ──layout──> background              ──> prose of the slot's own seed
//!                                  └─> (cluster, member)       ──> base of the cluster, edited with
//!                                                                  the member's own seed
//! ```
//!
//! Every row is computed from the specification and its id alone: nothing is stored but the
//! vocabulary and a short table of cluster sizes, ids can be read in any order and by any number of
//! workers, and a corpus of 10^8 rows needs no more memory than one of ten. The same specification
//! gives the same bytes on every machine: integers, correctly rounded floating-point operations and
//! its own random generator are all that it uses.
//!
//! About 70 percent of the rows are distinct background. The others are members of clusters, most
//! of two or three rows, a few of thousands; each cluster has one kind:
//!
//! | kind | a member is |
//! | --- | --- |
//! | `identical` | the base |
//! | `characters` | the base with letters inserted, deleted, replaced or swapped |
//! | `words` | the base with words replaced, deleted or inserted (in documents also sentences) |
//! | `numbers` | the base with other numbers: factual drift |
//! | `template` | the base with other names |
//!
//! Member 0 is the base itself. Clusters say which rows come from the same base; which pairs reach
//! a threshold depends on the similarity measure, and can be computed with an exact join.
//!
//! ```
//! use neardup_datasets::generate::{Generator, Kind, Spec};
//!
//! let spec = Spec { rows: 1_000, seed: 1, kind: Kind::Sentences };
//! let planted = Generator::new(spec).filter(|row| row.cluster.is_some()).count();
//! assert_eq!(planted, 300);
//! ```
//!
//! To add a kind of edit, add a function in `edit.rs`, a variant of `Change` here, a row in the table above, and a case
//! in the tests.

mod clusters;
mod dump;
mod edit;
mod lexicon;
mod order;
mod prose;
mod random;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;
use std::sync::Arc;

use clusters::{Layout, Membership};
pub use dump::{DumpWriter, Position};
use edit::{Amount, Scratch};
use order::Permutation;
use prose::Prose;
use random::SplitMix64;

/// The specification of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// The number of rows; ids are 0 to `rows` − 1. At most 2^40: larger values are cut to it.
    pub rows: u64,
    /// The seed: each seed gives a different corpus.
    pub seed: u64,
    /// The kind of the rows.
    pub kind: Kind,
}

/// The kind of the rows of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One sentence of 80 to some hundred characters, mostly about 150.
    Sentences,
    /// A document of 200 to 2,000 words, short ones more often (log-uniform).
    Documents,
}

/// The ground truth of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// The row.
    pub id: i64,
    /// The cluster it was planted in; clusters are numbered from 0, the large ones first. `None`
    /// for the background.
    pub cluster: Option<i64>,
    /// `background`, `identical`, `characters`, `words`, `numbers` or `template`.
    pub kind: &'static str,
    /// Its number in the cluster, from 0, which is the unedited base; 0 in the background.
    pub member: u32,
}

/// A generated row: its text, and the columns of [`Truth`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// 0, 1, 2 … in the order of the corpus.
    pub id: i64,
    /// The sentence or document.
    pub text: String,
    /// See [`Truth::cluster`].
    pub cluster: Option<i64>,
    /// See [`Truth::kind`].
    pub kind: &'static str,
    /// See [`Truth::member`].
    pub member: u32,
}

/// Maximum number of rows of a corpus: ids stay far below 2^43, the bound of sentence ids.
const MAX_ROWS: u64 = 1 << 40;

/// The domains of random streams.
mod domain {
    pub(super) const ORDER: u64 = 1;
    pub(super) const CLUSTER: u64 = 2;
    pub(super) const MEMBER: u64 = 3;
    pub(super) const BACKGROUND: u64 = 4;
    pub(super) const PAGE: u64 = 5;
}

/// How the members of a cluster differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Identical,
    Characters,
    Words,
    Numbers,
    Template,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Characters => "characters",
            Self::Words => "words",
            Self::Numbers => "numbers",
            Self::Template => "template",
        }
    }

    fn draw(random: &mut SplitMix64) -> Self {
        match random.below(100) {
            0..20 => Self::Identical,
            20..45 => Self::Characters,
            45..65 => Self::Words,
            65..80 => Self::Numbers,
            _ => Self::Template,
        }
    }
}

/// Data that all readers of a corpus share.
#[derive(Debug)]
struct Corpus {
    spec: Spec,
    prose: Prose,
    layout: Layout,
    order: Permutation,
    /// Lengths of documents in words, each for the same share of them.
    lengths: Vec<usize>,
}

/// The rows of a corpus in order of their ids; cheap to clone.
///
/// A range of ids is read by [`Generator::range`], one text after the other without allocation by
/// [`Generator::read`], and skipping (`nth`, `skip`, `step_by`) costs nothing.
#[derive(Debug, Clone)]
pub struct Generator {
    corpus: Arc<Corpus>,
    ids: Range<u64>,
    base: String,
    scratch: Scratch,
}

impl Generator {
    /// All rows of a corpus.
    pub fn new(spec: Spec) -> Self {
        let rows = spec.rows.min(MAX_ROWS);
        let mut random = SplitMix64::of(spec.seed, domain::ORDER, rows);
        // 200 · 10^(step / 255), by products: powers are not the same on every machine.
        let lengths = std::iter::successors(Some(200.0), |length| Some(length * 1.009_070_6))
            .take(256)
            .map(|length| length as usize)
            .collect();
        let corpus = Corpus {
            spec: Spec { rows, ..spec },
            prose: Prose::new(),
            layout: Layout::new(rows),
            order: Permutation::new(rows, &mut random),
            lengths,
        };
        Self {
            corpus: Arc::new(corpus),
            ids: 0..rows,
            base: String::new(),
            scratch: Scratch::default(),
        }
    }

    /// Only the rows whose ids exist in this range; for workers that divide a corpus among them.
    pub fn range(&self, ids: Range<u64>) -> Self {
        let rows = self.corpus.spec.rows;
        Self {
            ids: ids.start.min(rows)..ids.end.min(rows),
            ..self.clone()
        }
    }

    /// The number of planted clusters.
    pub fn clusters(&self) -> u64 {
        self.corpus.layout.clusters()
    }

    /// Replaces `text` by that of the next row; `None` after the last row.
    pub fn read(&mut self, text: &mut String) -> Option<Truth> {
        let id = self.ids.next()?;
        text.clear();
        Some(
            self.corpus
                .write(id, text, &mut self.base, &mut self.scratch),
        )
    }

    /// The ground truth of the row `id`, without its text; `None` if the id does not exist.
    pub fn truth(&self, id: i64) -> Option<Truth> {
        let id = u64::try_from(id)
            .ok()
            .filter(|&id| id < self.corpus.spec.rows)?;
        Some(self.corpus.locate(id).1)
    }
}

impl Iterator for Generator {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let mut text = String::new();
        let Truth {
            id,
            cluster,
            kind,
            member,
        } = self.read(&mut text)?;
        Some(Row {
            id,
            text,
            cluster,
            kind,
            member,
        })
    }

    fn nth(&mut self, skipped: usize) -> Option<Row> {
        self.ids.start = self
            .ids
            .end
            .min(self.ids.start.saturating_add(skipped as u64));
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl Corpus {
    fn locate(&self, id: u64) -> (u64, Truth) {
        let slot = self.order.apply(id);
        let mut truth = Truth {
            id: id as i64,
            cluster: None,
            kind: "background",
            member: 0,
        };
        if let Some(Membership { cluster, member }) = self.layout.membership(slot) {
            truth.cluster = Some(cluster as i64);
            truth.kind = self.change(cluster).0.name();
            truth.member = member;
        }
        (slot, truth)
    }

    /// How the cluster's members differ, and the random stream that generates its base.
    fn change(&self, cluster: u64) -> (Change, SplitMix64) {
        let mut random = SplitMix64::of(self.spec.seed, domain::CLUSTER, cluster);
        let drawn = Change::draw(&mut random);
        let change = match cluster {
            _ if cluster >= self.layout.large_clusters() => drawn,
            0 => Change::Numbers,
            1 => Change::Identical,
            _ => Change::Template,
        };
        (change, random)
    }

    fn write(&self, id: u64, text: &mut String, base: &mut String, scratch: &mut Scratch) -> Truth {
        let (slot, truth) = self.locate(id);
        let Some(cluster) = truth.cluster else {
            let mut random = SplitMix64::of(self.spec.seed, domain::BACKGROUND, slot);
            self.fill(text, &mut random);
            return truth;
        };
        let cluster = cluster as u64;
        let (change, mut random) = self.change(cluster);
        if truth.member == 0 || change == Change::Identical {
            self.base(cluster, change, text, scratch, &mut random);
        } else {
            base.clear();
            self.base(cluster, change, base, scratch, &mut random);
            let number = cluster << 13 | u64::from(truth.member);
            let mut random = SplitMix64::of(self.spec.seed, domain::MEMBER, number);
            self.edit(change, base, text, scratch, &mut random);
        }
        truth
    }

    fn fill(&self, text: &mut String, random: &mut SplitMix64) {
        match self.spec.kind {
            Kind::Sentences => self.prose.sentence(text, random),
            Kind::Documents => {
                let words = self.lengths[random.below(self.lengths.len())];
                self.prose.document(text, words, random);
            }
        }
    }

    /// Generates the base text that a cluster's members are edits of, with enough elements that the edits can change.
    /// The bases of large clusters are long, so that their variants stay similar.
    fn base(
        &self,
        cluster: u64,
        change: Change,
        text: &mut String,
        scratch: &mut Scratch,
        random: &mut SplitMix64,
    ) {
        let is_large = cluster < self.layout.large_clusters();
        let (min_count, min_bytes) = if is_large { (2, 120) } else { (1, 90) };
        // One draw in two to ten suffices; the bound keeps the worst case finite.
        for _ in 0..100 {
            text.clear();
            self.fill(text, random);
            let enough = text.len() >= min_bytes
                && match change {
                    Change::Numbers => edit::count_numbers(text, scratch) >= min_count,
                    Change::Template => edit::count_names(text, scratch) >= min_count,
                    Change::Identical | Change::Characters | Change::Words => true,
                };
            if enough {
                return;
            }
        }
    }

    fn edit(
        &self,
        change: Change,
        base: &str,
        text: &mut String,
        scratch: &mut Scratch,
        random: &mut SplitMix64,
    ) {
        let lexicon = &self.prose.lexicon;
        let documents = self.spec.kind == Kind::Documents;
        match change {
            Change::Identical => text.push_str(base),
            Change::Characters => {
                let count = if documents {
                    (base.len() / 7 * slight(random)).div_ceil(1_000)
                } else {
                    random.geometric(6)
                };
                edit::characters(base, text, count, scratch, random);
            }
            Change::Words if documents && random.percent(50) => {
                let amount = Amount::PerMille(10 + random.below(140));
                edit::sentences(base, text, amount, &self.prose, scratch, random);
            }
            Change::Words => {
                let amount = if documents {
                    Amount::PerMille(slight(random))
                } else {
                    Amount::Count(random.geometric(3))
                };
                edit::words(base, text, amount, lexicon, scratch, random);
            }
            Change::Numbers => {
                let amount = Amount::PerMille(random.below(if documents { 600 } else { 1_001 }));
                edit::numbers(base, text, amount, scratch, random);
            }
            Change::Template => {
                let amount = Amount::PerMille(random.below(if documents { 300 } else { 1_001 }));
                edit::names(base, text, amount, lexicon, scratch, random);
            }
        }
    }
}

/// 2 to 40 thousandths, small values more often.
fn slight(random: &mut SplitMix64) -> usize {
    let max = [4, 8, 16, 40][random.below(4)];
    max / 2 + random.below(max / 2 + 1)
}
