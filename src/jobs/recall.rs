//! The recall of a join, measured on a sample.

use super::statement::view;
use crate::functions::Value;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::wilson_interval;
use std::collections::BTreeMap;

/// A share with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share that was measured, from 0 to 1.
    pub value: f64,
    /// Lower end of the interval, from 0 to 1.
    pub low: f64,
    /// Upper end of the interval, from 0 to 1.
    pub high: f64,
}

impl Share {
    /// The share of `part` in `all`, with the interval for `trials` independent trials; `None` if there are no trials.
    pub(super) fn of(part: i64, all: i64, trials: f64) -> Option<Self> {
        let value = part as f64 / all as f64;
        let (low, high) = wilson_interval(value * trials, trials)?;
        Some(Self { value, low, high })
    }
}

/// The recall of the pairs whose similarity is in a bin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallBin {
    /// Lower and upper end of the similarities, from 0 to 1; the upper one belongs to the next bin.
    pub similarity: (f64, f64),
    /// True pairs of the sample.
    pub pairs: i64,
    /// The true pairs that were found.
    pub found: i64,
    /// The share of the true pairs that were found.
    pub share: Share,
}

/// The recall of a join, measured on a sample of texts that were compared with all texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The recall of all pairs; `None` if the sample has none.
    pub all: Option<RecallBin>,
    /// The recall by similarity, in bins that have pairs.
    pub bins: Vec<RecallBin>,
}

/// Measures the recall of the pairs in the table `found` by those in `truth`.
pub(super) async fn recall(
    context: &SessionContext,
    found: &str,
    truth: &str,
    bins: usize,
) -> Result<Recall> {
    let sql = format!(
        "SELECT similarity_from, similarity_to, recall, recall_low, recall_high, pairs, found \
         FROM recall_by_similarity({found}, {truth}, bins => {bins}) ORDER BY similarity_from"
    );
    let mut recall = Recall {
        all: None,
        bins: vec![],
    };
    for batch in context.sql(&sql).await?.collect().await? {
        for row in 0..batch.num_rows() {
            let number = |column: usize| {
                let column = batch.column(column).as_primitive::<Float64Type>();
                column.is_valid(row).then(|| column.value(row))
            };
            let share = |column: usize| number(column).unwrap_or(0.0);
            let count = |column: usize| batch.column(column).as_primitive::<Int64Type>().value(row);
            let ends = number(0).zip(number(1));
            let bin = RecallBin {
                similarity: ends.unwrap_or((0.0, 1.0)),
                pairs: count(5),
                found: count(6),
                share: Share {
                    value: share(2),
                    low: share(3),
                    high: share(4),
                },
            };
            match ends {
                Some(_) => recall.bins.push(bin),
                None => recall.all = Some(bin),
            }
        }
    }
    Ok(recall)
}

/// Registers `sample`, a sample of the table `texts`, and `sampled_pairs`, all pairs of its texts, as tables. Returns the
/// number of texts of the sample.
pub(super) async fn sample(
    context: &SessionContext,
    values: &BTreeMap<String, Value>,
) -> Result<i64> {
    view(context, "sampled", statement!("sample"), values).await?;
    let sample = context.table("sampled").await?.cache().await?;
    let rows = sample.clone().count().await?;
    context.register_table("sample", sample.into_view())?;
    let items = statement!("sampled_items");
    view(context, "sampled_items", items, values).await?;
    let pairs = statement!("sampled_pairs");
    view(context, "sampled_pairs", pairs, values).await?;
    Ok(rows as i64)
}
