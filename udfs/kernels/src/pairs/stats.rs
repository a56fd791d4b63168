//! What a join did.

/// Counts of one [`super::PairJoin`]. Those of several parts add up, but for rows (which several
/// parts may see), and for pairs and what leads to them where parts repeat pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rows of the input.
    pub rows: u64,
    /// Keys of the rows that this part owns.
    pub keys: u64,
    /// Of those, keys that several rows hold: what the index lists.
    pub postings: u64,
    /// Pairs of rows met, each once, that may pair by side and group.
    pub candidates: u64,
    /// Candidates whose similarity was computed.
    pub verified: u64,
    /// Pairs reported.
    pub pairs: u64,
    /// Oversized buckets: keys held by more rows than the bucket limit.
    pub giants: u64,
    /// Rows that hold such a key, once a key.
    pub rows_in_giants: u64,
    /// Rows of oversized buckets that resemble no pivot and found no seat, once a key.
    pub unlinked: u64,
    /// Keys held by more rows than the cap of a bucket.
    pub capped_buckets: u64,
    /// Rows beyond the cap, once a key.
    pub capped: u64,
    /// Pairs of rows that meet at a key but are not compared there, because the bucket is oversized or the
    /// cap leaves one out, once a key.
    pub uncompared: u64,
    /// Pairs found beyond the first similar predecessors of a row.
    pub unreported: u64,
    /// Pairs found where similar predecessors are limited.
    pub similar: u64,
    /// Rows with more similar predecessors than are paired with them, once a part.
    pub crowded: u64,
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
        self.giants += other.giants;
        self.rows_in_giants += other.rows_in_giants;
        self.unlinked += other.unlinked;
        self.capped_buckets += other.capped_buckets;
        self.capped += other.capped;
        self.uncompared += other.uncompared;
        self.unreported += other.unreported;
        self.similar += other.similar;
        self.crowded += other.crowded;
    }
}
