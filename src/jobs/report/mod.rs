//! The data of a report about a job: its counts, and samples of its clusters and pairs.
//!
//! The size of a report does not depend on the size of the job: counts are aggregated by queries, and clusters and
//! pairs are sampled, with the same sample in every run.
//!
//! `data`: what a report holds; `counts`: counts of rows; `sample`: sampled pairs with their texts; `clusters`: the
//! clusters that are shown; `measured`: the recall.

mod clusters;
mod counts;
mod data;
mod measured;
mod sample;

pub use data::{
    COMPARED_CHARACTERS, DocumentPair, Measured, PAIRS_OF_CLASS, Report, ReportCluster, ReportPair,
    ReportRow, SAMPLED_ROWS, SHARED_ROWS, SHOWN_CHARACTERS, SIMILARITY_BINS, Shown,
};
pub(super) use sample::{Sampled, pairs_of, sampled, with_texts};

use super::directory::REPORT;
use super::tables::register_result;
use crate::files::Location;
use clusters::clusters;
use counts::{classes, counts, documents, texts_and_counts};
use datafusion::common::{Result, exec_err};
use datafusion::object_store::ObjectStoreExt;
use datafusion::prelude::SessionContext;
use measured::measured;
use neardup_kernels::PairClass;
use sample::{least_similar, of_each_class};
use std::collections::BTreeMap;

/// Collects the data of a report about the job in a directory. The session must be new, because the tables of the job
/// are registered in it.
///
/// # Errors
/// If the directory holds no job with clusters, a file of it is damaged, or an input has changed.
pub async fn report(context: &SessionContext, directory: &str) -> Result<Report> {
    let manifest = register_result(context, directory).await?;
    let sizes = counts(
        context,
        "SELECT cluster_size AS size, count(*) / cluster_size AS clusters \
         FROM clusters WHERE cluster_size > 1 GROUP BY cluster_size",
    )
    .await?;
    let bins = counts(
        context,
        &format!(
            // 0.58 * 50 is a little less than 29.
            "SELECT least(CAST(floor(similarity * {SIMILARITY_BINS}.0 + 1e-9) AS BIGINT), {}) AS bin, \
             count(*) AS pairs FROM pairs GROUP BY 1",
            SIMILARITY_BINS - 1
        ),
    )
    .await?;
    let bin = |bin: usize| bins.get(&(bin as i64)).copied().unwrap_or(0);
    let removed = counts(
        context,
        "SELECT 0 AS key, count(*) AS rows FROM clusters WHERE NOT kept",
    )
    .await?;
    let mut reasons = BTreeMap::new();
    if context.table_exist("removed")? {
        let found = texts_and_counts(
            context,
            "SELECT reason, count(*) FROM removed GROUP BY reason",
        );
        reasons.extend(found.await?);
    }
    let classified = classes(context).await?;
    let removed_rows = match &classified {
        Some(classes) => least_similar(classes.keys().copied()),
        None => format!(
            "SELECT * FROM clusters WHERE NOT kept ORDER BY md5(CAST(id AS VARCHAR)), id LIMIT {SAMPLED_ROWS}"
        ),
    };
    let sample = sampled(context, &pairs_of(&manifest, &removed_rows)).await?;
    let sample = with_texts(context, &manifest, sample).await?;
    let all_classes = classified.is_some();
    let classes = classified.unwrap_or_else(|| {
        let mut found: BTreeMap<PairClass, usize> = BTreeMap::new();
        for class in sample.iter().filter_map(|pair| pair.class) {
            *found.entry(class).or_default() += 1;
        }
        found
    });
    let clusters = clusters(context, &manifest, &sample).await?;
    Ok(Report {
        sizes,
        similarities: (0..SIMILARITY_BINS).map(bin).collect(),
        reasons,
        removed: removed.get(&0).copied().unwrap_or(0),
        classes,
        all_classes,
        measured: measured(context, &manifest, directory).await?,
        documents: documents(context, &manifest).await?,
        pairs: of_each_class(sample),
        clusters,
        manifest,
    })
}

/// Writes the report as `report.html` beside the results of the job, replacing an earlier one, and returns where it is.
///
/// # Errors
/// If the file cannot be written.
pub async fn write_report(
    context: &SessionContext,
    directory: &str,
    html: String,
) -> Result<String> {
    let file = Location::new(directory)?.join(REPORT);
    let (store, path) = file.store(&context.runtime_env())?;
    match store.put(&path, html.into_bytes().into()).await {
        Ok(_) => Ok(file.to_string()),
        Err(error) => exec_err!("{file}: {error}"),
    }
}
