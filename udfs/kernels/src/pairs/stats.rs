//! Counts of the work of a join.

/// Counts of one join. The counts of several parts add up to those of the whole, except `rows` (several
/// parts may read the same row) and, where parts repeat pairs, the counts of candidates and pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rows of the input.
    pub rows: u64,
    /// Keys of the rows that this part owns.
    pub keys: u64,
    /// Entries of all posting lists: (key, row) for keys that several rows hold.
    pub postings: u64,
    /// Distinct pairs of rows compared that may pair by side and group. In [`super::Block`], the pairs of rows of a
    /// large bucket count once for each such bucket, also those of the same side.
    pub candidates: u64,
    /// Candidates whose similarity was computed.
    pub verified: u64,
    /// Pairs reported.
    pub pairs: u64,
    /// Oversized buckets: keys held by more rows than the bucket limit.
    pub oversized_buckets: u64,
    /// Rows of oversized buckets; a row is counted once for each such bucket.
    pub rows_in_oversized_buckets: u64,
    /// Rows of oversized buckets that are similar to no pivot and could not become one, as the bucket has the
    /// maximal number; counted once for each bucket.
    pub rows_without_pivot: u64,
    /// Keys held by more rows than [`super::Spec::max_bucket`].
    pub capped_buckets: u64,
    /// Rows beyond that maximum; counted once for each key.
    pub rows_beyond_max_bucket: u64,
    /// Pairs of rows that share a key but are not compared there, because the bucket is oversized or one of
    /// them is beyond the maximum; counted once for each key.
    pub pairs_not_compared: u64,
    /// In [`super::AllPairs`] with limited predecessors: similar pairs beyond the limit of a row, whether or
    /// not they are reported because they connect components.
    pub pairs_not_reported: u64,
    /// In [`super::AllPairs`] with limited predecessors: all similar pairs found.
    pub similar: u64,
    /// Rows with more similar predecessors than the limit; counted once for each part.
    pub rows_with_many_neighbours: u64,
}

impl Stats {
    /// Adds the counts of another part.
    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.keys += other.keys;
        self.postings += other.postings;
        self.candidates += other.candidates;
        self.verified += other.verified;
        self.pairs += other.pairs;
        self.oversized_buckets += other.oversized_buckets;
        self.rows_in_oversized_buckets += other.rows_in_oversized_buckets;
        self.rows_without_pivot += other.rows_without_pivot;
        self.capped_buckets += other.capped_buckets;
        self.rows_beyond_max_bucket += other.rows_beyond_max_bucket;
        self.pairs_not_compared += other.pairs_not_compared;
        self.pairs_not_reported += other.pairs_not_reported;
        self.similar += other.similar;
        self.rows_with_many_neighbours += other.rows_with_many_neighbours;
    }
}
