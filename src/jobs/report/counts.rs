//! Counts of the rows of a job.

use super::{DocumentPair, SHARED_ROWS};
use crate::jobs::manifest::Manifest;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::PairClass;
use std::collections::BTreeMap;

/// Maximum number of pairs of documents.
const DOCUMENTS: usize = 20;

/// The rows of a query for keys and counts.
pub(super) async fn counts(context: &SessionContext, sql: &str) -> Result<BTreeMap<i64, i64>> {
    let mut all = BTreeMap::new();
    for batch in context.sql(sql).await?.collect().await? {
        let columns = [0, 1].map(|column| cast(batch.column(column), &DataType::Int64));
        let [keys, counts] = columns;
        let (keys, counts) = (keys?, counts?);
        let keys = keys.as_primitive::<Int64Type>();
        let counts = counts.as_primitive::<Int64Type>();
        all.extend(
            keys.iter()
                .zip(counts.iter())
                .filter_map(|(key, count)| key.zip(count)),
        );
    }
    Ok(all)
}

/// The rows of a query for texts and counts.
pub(super) async fn texts_and_counts(
    context: &SessionContext,
    sql: &str,
) -> Result<Vec<(String, i64)>> {
    let mut all = vec![];
    for batch in context.sql(sql).await?.collect().await? {
        let keys = cast(batch.column(0), &DataType::Utf8)?;
        let counts = cast(batch.column(1), &DataType::Int64)?;
        let counts = counts.as_primitive::<Int64Type>();
        for (row, key) in keys.as_string::<i32>().iter().enumerate() {
            all.push((key.unwrap_or_default().to_owned(), counts.value(row)));
        }
    }
    Ok(all)
}

/// Whether the job has the classes of the removed rows, as those of older versions have not.
pub(super) async fn has_classes(context: &SessionContext) -> Result<bool> {
    if !context.table_exist("removed")? {
        return Ok(false);
    }
    let removed = context.table("removed").await?;
    let columns = ["class", "differs", "cluster_id"];
    let has = |column| removed.schema().has_column_with_unqualified_name(column);
    Ok(columns.into_iter().all(has))
}

/// The number of removed rows by class; `None` if the job has not classified them.
pub(super) async fn classes(
    context: &SessionContext,
) -> Result<Option<BTreeMap<PairClass, usize>>> {
    if !has_classes(context).await? {
        return Ok(None);
    }
    let sql = "SELECT class, count(*) FROM removed WHERE class IS NOT NULL GROUP BY class";
    let found = texts_and_counts(context, sql).await?;
    let counts = found.into_iter().filter_map(|(word, rows)| {
        let class = PairClass::ALL
            .into_iter()
            .find(|class| class.word() == word)?;
        Some((class, rows as usize))
    });
    Ok(Some(counts.collect()))
}

/// The pages of a dump that share the most clusters.
pub(super) async fn documents(
    context: &SessionContext,
    manifest: &Manifest,
) -> Result<Vec<DocumentPair>> {
    if manifest.step("sentences").is_none() {
        return Ok(vec![]);
    }
    // The id of a sentence has that of its page.
    let pages = format!(
        "SELECT cluster_id, id >> 20 AS page, min(title) AS title FROM clusters \
         WHERE cluster_size BETWEEN 2 AND {SHARED_ROWS} GROUP BY cluster_id, id >> 20"
    );
    let sql = format!(
        "SELECT min(a.title), min(b.title), count(*) AS clusters FROM ({pages}) AS a \
         JOIN ({pages}) AS b ON a.cluster_id = b.cluster_id AND a.page < b.page \
         GROUP BY a.page, b.page ORDER BY clusters DESC, a.page, b.page LIMIT {DOCUMENTS}"
    );
    let mut all = vec![];
    for batch in context.sql(&sql).await?.collect().await? {
        let titles = [0, 1].map(|column| cast(batch.column(column), &DataType::Utf8));
        let [first, second] = titles;
        let titles = [first?, second?];
        let clusters = batch.column(2).as_primitive::<Int64Type>();
        for row in 0..batch.num_rows() {
            let title = |column: usize| titles[column].as_string::<i32>().value(row).to_owned();
            all.push(DocumentPair {
                titles: [title(0), title(1)],
                clusters: clusters.value(row),
            });
        }
    }
    Ok(all)
}
