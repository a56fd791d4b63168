//! What a report holds.

use crate::jobs::manifest::Manifest;
use crate::jobs::recall::Recall;
use neardup_kernels::{ChangeKind, PairClass};
use std::collections::BTreeMap;

/// Maximum number of removed rows whose class is determined, if the job has not done so.
pub const SAMPLED_ROWS: usize = 2000;
/// Number of bins of similarities between 0 and 1.
pub const SIMILARITY_BINS: usize = 50;
/// Maximum number of rows of a cluster that counts for a pair of documents: larger ones would give all pairs of theirs.
pub const SHARED_ROWS: usize = 50;
/// Maximum number of removed rows of each class that are shown with their kept rows.
pub const PAIRS_OF_CLASS: usize = 40;
/// Maximum number of characters of a text that are compared.
pub const COMPARED_CHARACTERS: usize = 20_000;
/// Maximum number of characters of a text that a page shows.
pub const SHOWN_CHARACTERS: usize = 1000;

/// A row with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// Its id.
    pub id: String,
    /// The title of the page, for a sentence of a dump.
    pub title: String,
    /// Its text, or the first [`COMPARED_CHARACTERS`] of a long one, and one more.
    pub text: String,
}

/// A removed row and the kept row that represents it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportPair {
    /// The kept row.
    pub kept: ReportRow,
    /// The removed row.
    pub removed: ReportRow,
    /// Their similarity.
    pub similarity: f64,
    /// Their class; `None` if the job compared vectors without texts, or if the texts do not differ in the characters
    /// that are compared.
    pub class: Option<PairClass>,
    /// The facts that differ: the kind, the value in the kept row, and the value in the removed row.
    pub changes: Vec<(ChangeKind, String, String)>,
    /// The facts that differ, as `removed.parquet` has them; empty if there are none, or the job has no such column.
    pub differs: String,
    /// Their cluster.
    pub cluster: String,
    /// Its number of rows.
    pub cluster_size: i64,
}

/// Why a cluster is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// The cluster has a row that is less similar to the kept row than the threshold.
    Chain,
    /// The cluster has pairs of the class template.
    Template,
    /// The cluster is among the largest.
    Largest,
}

/// A cluster with some of its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportCluster {
    /// Why it is shown.
    pub shown: Shown,
    /// Its id.
    pub id: String,
    /// Its number of rows.
    pub size: i64,
    /// The kept row with the rows that are least similar to it.
    pub pairs: Vec<ReportPair>,
}

/// The recall of a job that may miss pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Number of sampled texts, which were compared with all texts by the exact join.
    pub sample: i64,
    /// The share of their pairs that the job has.
    pub recall: Recall,
    /// The probability that MinHash finds a pair, by similarity; empty if the job found its pairs by the exact join.
    pub expected: Vec<(f64, f64)>,
}

/// Two pages of a dump whose sentences are in the same clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPair {
    /// Their titles, the page of the smaller id first.
    pub titles: [String; 2],
    /// Number of clusters that have sentences of both.
    pub clusters: i64,
}

/// The data of a report about a job.
#[derive(Debug)]
pub struct Report {
    /// The manifest of the job.
    pub manifest: Manifest,
    /// Number of clusters of two or more rows, by their numbers of rows.
    pub sizes: BTreeMap<i64, i64>,
    /// Number of pairs, by similarity in equal bins between 0 and 1.
    pub similarities: Vec<i64>,
    /// Number of removed rows, by reason; empty if the job has no audit.
    pub reasons: BTreeMap<String, i64>,
    /// Number of removed rows that are not repeated rows of an id.
    pub removed: i64,
    /// Number of removed rows, by class; empty if the job compared vectors without texts. Of a job of an older version
    /// they are those of a sample.
    pub classes: BTreeMap<PairClass, usize>,
    /// Whether the job has the classes of all removed rows.
    pub all_classes: bool,
    /// The recall; `None` if the job finds every pair, or its recall is not measured because it compares vectors.
    pub measured: Option<Measured>,
    /// The pages of a dump that share the most clusters of at most [`SHARED_ROWS`] rows.
    pub documents: Vec<DocumentPair>,
    /// The least similar removed rows of each class, at most [`PAIRS_OF_CLASS`], the least similar first. Those that
    /// state another fact come first, identical ones last. If not `all_classes`, they are of a sample of
    /// [`SAMPLED_ROWS`] removed rows.
    pub pairs: Vec<ReportPair>,
    /// Suspicious clusters and the largest ones.
    pub clusters: Vec<ReportCluster>,
}
