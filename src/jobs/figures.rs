//! The figures that the steps of jobs record, with their names in `manifest.json`.
//!
//! To add a figure, add a value of [`Figure`]; to add a reason to leave out rows, a value of [`Reason`]. The names
//! are part of the format of manifests.

use super::manifest::StepRecord;
use crate::operators::similar_pairs::LeftOut;
use neardup_wikidump::Losses;
use serde_json::Value;
use std::fmt;

words! {
    /// A figure that a step records for a later step or for the reader.
    pub enum Figure("a figure") {
        /// Pages that were read.
        Pages = "pages",
        /// Pages whose text is compared.
        Articles = "articles",
        /// Stubs among the articles.
        Stubs = "stubs among them",
        /// Sentences of the articles.
        Sentences = "sentences",
        /// Rows that were read, or that clusters consist of.
        Rows = "rows",
        /// Rows whose values are compared.
        RowsCompared = "rows compared",
        /// Texts, or vectors, that differ.
        DistinctTexts = "distinct texts",
        /// Characters of the distinct texts.
        Characters = "characters",
        /// Bytes of the distinct vectors.
        BytesOfVectors = "bytes of vectors",
        /// Shingles of the distinct texts.
        Shingles = "shingles",
        /// Estimated number of comparisons of the exact join, by threshold.
        Comparisons = "comparisons of the exact join",
        /// Estimated cost of the exact join; in a `tune` job by threshold.
        CostOfExact = "cost of the exact join",
        /// Estimated cost of MinHash; in a `tune` job by threshold.
        CostOfMinHash = "cost of minhash",
        /// The method that finds the pairs.
        Method = "method",
        /// Buckets of more distinct texts than `max_bucket_pairwise`.
        OversizedBuckets = "oversized buckets",
        /// Rows of oversized buckets, counted in each.
        RowsInOversizedBuckets = "rows in oversized buckets",
        /// Rows of oversized buckets that are similar to no pivot, counted in each.
        RowsWithoutPivot = "rows without a pivot",
        /// Buckets of more rows than `max_bucket`.
        CappedBuckets = "capped buckets",
        /// Rows beyond `max_bucket`, counted in each bucket.
        RowsBeyondCap = "rows beyond the cap",
        /// Pairs of a bucket that were not compared in it.
        PairsNotCompared = "pairs not compared",
        /// Rows with more similar predecessors than are paired with them.
        RowsOfTooManyNeighbours = "rows of too many neighbours",
        /// Similar pairs that were not written.
        PairsNotReported = "pairs not reported",
        /// Similar pairs found by joins that limit the pairs of a row.
        SimilarPairsFound = "similar pairs found",
        /// Clusters of at least two rows.
        Clusters = "clusters of two or more",
        /// Rows of the largest cluster.
        LargestCluster = "largest cluster",
        /// Rows that are kept.
        Kept = "kept",
        /// Rows in whose texts something is cut.
        EditedRows = "edited rows",
        /// Passages that occur several times and are not cut, because no whole sentence of them can be.
        PassagesLeft = "repeated passages left",
        /// Texts of items of benchmark sets.
        Items = "items",
        /// N-grams of items that are ignored, because they occur in more than `max_items` items.
        IgnoredNgrams = "ignored n-grams",
        /// Rows in whose texts items occur.
        ContaminatedRows = "contaminated rows",
        /// Items that were found in rows.
        ItemsFound = "items found",
        /// Items that were found in rows, by benchmark.
        ItemsOfBenchmarks = "items found of each benchmark",
    }
}

impl Figure {
    /// The counts of what joins left out that are not zero.
    pub(super) fn of_joins(left_out: &LeftOut) -> impl Iterator<Item = (Self, u64)> {
        let counts = [
            (Self::OversizedBuckets, left_out.oversized_buckets),
            (
                Self::RowsInOversizedBuckets,
                left_out.rows_in_oversized_buckets,
            ),
            (Self::RowsWithoutPivot, left_out.rows_without_pivot),
            (Self::CappedBuckets, left_out.capped_buckets),
            (Self::RowsBeyondCap, left_out.rows_beyond_max_bucket),
            (Self::PairsNotCompared, left_out.pairs_not_compared),
            (
                Self::RowsOfTooManyNeighbours,
                left_out.rows_with_many_neighbours,
            ),
            (Self::PairsNotReported, left_out.pairs_not_reported),
            (Self::SimilarPairsFound, left_out.similar),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// Why a step left out rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// They have no id; such rows are not compared, and are kept.
    WithoutId,
    /// Another row of their id is used.
    RepeatedId,
    /// Their text is NULL.
    WithoutText,
    /// Their vector is NULL.
    WithoutVector,
    /// Their text has no shingle.
    EmptyText,
    /// All numbers of their vector are 0.
    ZeroVector,
    /// One of the columns in which compared rows must agree is NULL; such rows are kept.
    WithoutGroup,
    /// They are headings.
    Headings,
    /// They are list items that do not end with a stop.
    ListItems,
    /// They are sentences of fewer characters.
    SentencesUnder(usize),
    /// They are sentences of more characters.
    SentencesOver(usize),
    /// They are pages that redirect to others.
    Redirects,
    /// They are pages outside the main namespace.
    OtherNamespaces,
    /// They are pages that list the meanings of a title.
    Disambiguation,
    /// They are pages that hold no wikitext.
    OtherContent,
    /// They are pages that could not be read.
    Damaged,
    /// They are items of fewer words, which are not looked for.
    ItemsUnder(usize),
    /// They are items all of whose n-grams are ignored.
    FrequentItems,
    /// They are rows whose texts consisted of passages that were cut.
    NothingElse,
}

impl Reason {
    /// Why rows of a table are not compared, but kept.
    pub const KEPT: [Self; 6] = [
        Self::WithoutId,
        Self::WithoutText,
        Self::WithoutVector,
        Self::EmptyText,
        Self::ZeroVector,
        Self::WithoutGroup,
    ];
    /// Why a page has no text.
    pub(super) const OF_PAGES: [Self; 4] = [
        Self::Redirects,
        Self::OtherNamespaces,
        Self::Disambiguation,
        Self::OtherContent,
    ];
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WithoutId => "rows without an id",
            Self::RepeatedId => "repeated rows of an id",
            Self::WithoutText => "rows without a text",
            Self::WithoutVector => "rows without a vector",
            Self::EmptyText => "empty texts",
            Self::ZeroVector => "zero vectors",
            Self::WithoutGroup => "rows with NULL in a column of within",
            Self::Headings => "headings",
            Self::ListItems => "list items",
            Self::SentencesUnder(length) => {
                return write!(f, "sentences under {length} characters");
            }
            Self::SentencesOver(length) => return write!(f, "sentences over {length} characters"),
            Self::Redirects => "redirects",
            Self::OtherNamespaces => "pages of other namespaces",
            Self::Disambiguation => "disambiguation pages",
            Self::OtherContent => "pages of other content",
            Self::Damaged => "damaged pages",
            Self::ItemsUnder(words) => return write!(f, "items under {words} words"),
            Self::FrequentItems => "items all of whose n-grams are ignored",
            Self::NothingElse => "rows of which nothing is left",
        })
    }
}

/// Prefix of the figure that describes the damage of a file.
const DAMAGE: &str = "damage in ";

impl StepRecord {
    /// The value of a figure, if the step recorded it.
    pub fn figure(&self, figure: Figure) -> Option<&Value> {
        self.figures.get(figure.word())
    }

    /// Records a figure.
    pub(super) fn set(&mut self, figure: Figure, value: impl Into<Value>) {
        self.figures.insert(figure.word().to_owned(), value.into());
    }

    /// How many rows the step left out for a reason.
    pub fn left_out_as(&self, reason: Reason) -> u64 {
        let count = self.left_out.get(&reason.to_string());
        count.copied().unwrap_or(0)
    }

    /// Adds rows that the step left out for a reason, if there are any.
    pub(super) fn leave_out(&mut self, reason: Reason, rows: u64) {
        if rows > 0 {
            *self.left_out.entry(reason.to_string()).or_default() += rows;
        }
    }

    /// Records what was left out while reading a damaged dump with `on_error` = `skip`.
    pub(super) fn record_losses(&mut self, file: &str, losses: &Losses) {
        self.leave_out(Reason::Damaged, losses.pages());
        if !losses.is_empty() {
            let damage = format!("{DAMAGE}{file}");
            self.figures.insert(damage, losses.to_string().into());
        }
    }

    /// The damaged files that the step read, each with a description of what was lost.
    pub fn damage(&self) -> impl Iterator<Item = (&str, &Value)> {
        let figures = self.figures.iter();
        figures.filter_map(|(name, value)| Some((name.strip_prefix(DAMAGE)?, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_read_from_its_word() {
        for figure in Figure::ALL {
            assert_eq!(figure.to_string().parse(), Ok(*figure));
        }
        let error = "rows compare".parse::<Figure>().expect_err("no figure");
        assert!(
            error.starts_with("a figure must be one of pages, "),
            "{error}"
        );
    }

    /// The words are part of the format: manifests of other versions have them.
    #[test]
    fn figures_of_old_manifests_are_known() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/format1/manifest.json"
        );
        let text = std::fs::read_to_string(path).expect("the manifest");
        let manifest: Value = serde_json::from_str(&text).expect("JSON");
        let mut found = vec![];
        for step in manifest["steps"].as_array().expect("steps") {
            for name in step["figures"]
                .as_object()
                .into_iter()
                .flat_map(|all| all.keys())
            {
                found.push(name.parse::<Figure>().expect(name));
            }
        }
        assert!(found.contains(&Figure::DistinctTexts) && found.contains(&Figure::Clusters));
    }
}
