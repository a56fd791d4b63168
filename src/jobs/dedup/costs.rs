//! Estimates the costs of the exact join and of MinHash of a corpus with itself, in steps over a posting.

use super::options::Pairs;
use super::run::Run;
use crate::functions::Value;
use crate::jobs::figures::Figure;
use crate::jobs::job::Job;
use crate::jobs::results::bytes_of_row;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::prelude::DataFrame;
use neardup_kernels::choose_bands;
use neardup_kernels::frequency::TokenRanks;

/// Number of texts that suffice to estimate the cost of the exact join.
const SAMPLE: f64 = 8192.0;

/// The sample of the texts whose prefixes are counted, which the statement `prefixes` selects by their hashes.
pub(in crate::jobs) struct PrefixSample {
    /// The share of the texts that it has.
    share: f64,
    /// The hashes of its texts are less than this, in hexadecimal.
    below: String,
}

impl PrefixSample {
    /// The sample of the texts of a job.
    pub(in crate::jobs) fn of(job: &Job) -> Self {
        let share = (SAMPLE / job.figure(Figure::DistinctTexts).max(1.0)).clamp(1.0 / 256.0, 1.0);
        let below = (share * 256.0).ceil();
        let share = below / 256.0;
        let below = match share < 1.0 {
            true => format!("{:02x}", below as u64),
            // Sorts after every hexadecimal digit, so that all texts are sampled.
            false => "g".to_owned(),
        };
        Self { share, below }
    }

    /// The parameter of the statement.
    pub(in crate::jobs) fn value(&self) -> Value {
        Value::Text(self.below.clone())
    }
}

/// Estimated costs of joins.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::jobs) struct JoinCosts {
    /// Comparisons of the exact join: pairs of texts for each rare shingle that both have.
    pub(in crate::jobs) comparisons: f64,
    /// Cost of the exact join.
    pub(in crate::jobs) exact: f64,
    /// Cost of MinHash; `None` if it cannot reach the target recall with the allowed number of hash functions.
    pub(in crate::jobs) minhash: Option<f64>,
}

impl Run<'_> {
    /// Number of hash functions of MinHash; `None` if it cannot reach the target recall with the allowed number.
    pub(super) fn hashes(&self) -> Option<usize> {
        let options = self.options;
        let bands = choose_bands(self.threshold, options.target_recall, options.num_hashes);
        bands.ok().map(|bands| bands.bands * bands.rows)
    }

    /// The costs of joins of sets with a number of tokens in total, by the row that the statement `prefixes` returned for
    /// the sample.
    pub(in crate::jobs) async fn costs(
        &self,
        tokens: f64,
        prefixes: DataFrame,
        sample: &PrefixSample,
    ) -> Result<JoinCosts> {
        // Without linked pairs no bucket is oversized.
        let linked = self.options.pairs == Pairs::Linked;
        let limit = linked.then_some(self.options.max_bucket_pairwise as u64);
        let prefixes = bytes_of_row(prefixes, "sketch").await?;
        let comparisons = ranks(&prefixes)?.comparisons(limit, sample.share);
        // Costs in units of one step over a posting. A token costs MinHash one step for every eight hash functions, a
        // posting that meets another costs the exact join one.
        let minhash = |hashes: usize| tokens * (2.0 + hashes as f64 / 8.0);
        Ok(JoinCosts {
            comparisons: comparisons.round(),
            exact: (tokens * 2.0 + comparisons).round(),
            minhash: self.hashes().map(|hashes| minhash(hashes).round()),
        })
    }
}

/// The number of tokens of all sets, by the row that the statement `frequencies` returned.
pub(in crate::jobs) async fn tokens(frequencies: DataFrame) -> Result<u64> {
    Ok(ranks(&bytes_of_row(frequencies, "sketch").await?)?.tokens())
}

fn ranks(sketch: &[u8]) -> Result<TokenRanks<'_>> {
    TokenRanks::from_bytes(sketch)
        .map_err(|error| exec_datafusion_err!("token frequencies: {error}"))
}
