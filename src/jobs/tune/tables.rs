//! Writes the settings and the methods as steps.

use super::{MethodRecall, Setting};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::recall::Share;
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::common::Result;
use datafusion::logical_expr::ident;
use datafusion::prelude::{DataFrame, SessionContext};
use std::sync::Arc;

/// Writes `settings.parquet`.
pub(super) async fn write_settings(job: &mut Job, settings: &[Setting]) -> Result<()> {
    let of = |value: fn(&Setting) -> f64| -> ArrayRef {
        Arc::new(
            settings
                .iter()
                .map(|row| Some(value(row)))
                .collect::<Float64Array>(),
        )
    };
    let count = |value: fn(&Setting) -> i64| -> ArrayRef {
        Arc::new(
            settings
                .iter()
                .map(|row| Some(value(row)))
                .collect::<Int64Array>(),
        )
    };
    let share = |value: fn(&Setting) -> Option<Share>, end: fn(Share) -> f64| -> ArrayRef {
        let ends = settings.iter().map(|row| value(row).map(end));
        Arc::new(ends.collect::<Float64Array>())
    };
    let similar = settings.iter().map(|row| row.similar);
    let similar: ArrayRef = Arc::new(similar.collect::<Int64Array>());
    let cost_of_minhash = settings.iter().map(|row| row.cost_of_minhash);
    let cost_of_minhash = cost_of_minhash.map(|cost| cost.map(|cost| cost as i64));
    let cost_of_minhash: ArrayRef = Arc::new(cost_of_minhash.collect::<Int64Array>());
    let shingles = settings.iter().map(|row| Some(row.shingle.as_str()));
    let shingles: ArrayRef = Arc::new(shingles.collect::<StringArray>());
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("shingle", shingles, true),
        ("threshold", of(|row| row.threshold), true),
        ("similar", similar, true),
        ("pairs", count(|row| row.pairs), true),
        ("wanted", count(|row| row.wanted), true),
        (
            "precision",
            share(|row| row.precision, |share| share.value),
            true,
        ),
        (
            "precision_low",
            share(|row| row.precision, |share| share.low),
            true,
        ),
        (
            "precision_high",
            share(|row| row.precision, |share| share.high),
            true,
        ),
        ("recall", share(|row| row.recall, |share| share.value), true),
        (
            "recall_low",
            share(|row| row.recall, |share| share.low),
            true,
        ),
        (
            "recall_high",
            share(|row| row.recall, |share| share.high),
            true,
        ),
        ("f1", of(|row| row.f1), true),
        ("comparisons", count(|row| row.comparisons as i64), true),
        ("cost_of_exact", count(|row| row.cost_of_exact as i64), true),
        ("cost_of_minhash", cost_of_minhash, true),
    ])?;
    write(
        job,
        "settings",
        "settings.parquet",
        rows,
        &["shingle", "threshold"],
    )
    .await
}

/// Writes `methods.parquet`.
pub(super) async fn write_methods(job: &mut Job, methods: &[MethodRecall]) -> Result<()> {
    let count = |value: fn(&MethodRecall) -> i64| -> ArrayRef {
        Arc::new(
            methods
                .iter()
                .map(|row| Some(value(row)))
                .collect::<Int64Array>(),
        )
    };
    let share = |end: fn(Share) -> f64| -> ArrayRef {
        Arc::new(
            methods
                .iter()
                .map(|row| row.recall.map(end))
                .collect::<Float64Array>(),
        )
    };
    let targets = methods.iter().map(|row| Some(row.target_recall));
    let rows = RecordBatch::try_from_iter_with_nullable([
        (
            "target_recall",
            Arc::new(targets.collect::<Float64Array>()) as ArrayRef,
            true,
        ),
        ("bands", count(|row| row.bands as i64), true),
        ("rows", count(|row| row.rows as i64), true),
        ("pairs", count(|row| row.pairs), true),
        ("found", count(|row| row.found), true),
        ("recall", share(|share| share.value), true),
        ("recall_low", share(|share| share.low), true),
        ("recall_high", share(|share| share.high), true),
    ])?;
    write(job, "methods", "methods.parquet", rows, &["target_recall"]).await
}

/// Writes computed rows as a step.
async fn write(
    job: &mut Job,
    name: &str,
    file: &str,
    rows: RecordBatch,
    order: &[&str],
) -> Result<()> {
    let order: Vec<_> = order
        .iter()
        .map(|column| ident(*column).sort(true, false))
        .collect();
    job.step(
        name,
        Output::File(file),
        async |job: &Job| {
            let frame: DataFrame = job.context().read_batch(rows)?;
            Ok(frame.sort(order)?.into_unoptimized_plan())
        },
        async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
    )
    .await?;
    Ok(())
}
