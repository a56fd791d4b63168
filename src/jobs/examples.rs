//! Examples of the result of a job, which follow its summary: the largest clusters, and removed rows that state another
//! fact.

use super::figures::Figure;
use super::report::{ReportPair, ReportRow, Sampled, pairs_of, sampled, with_texts};
use super::tables::register_result;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::PairClass;

/// Number of clusters, and of removed rows.
const SHOWN: usize = 3;
/// Maximum number of removed rows that are compared with their kept rows.
const SAMPLED_ROWS: usize = 300;

/// The largest clusters of a job, and removed rows that state another fact.
#[derive(Debug)]
pub struct Examples {
    /// Number of clusters of two or more rows.
    pub clusters: u64,
    /// Numbers of rows of the largest clusters, with their kept rows.
    pub largest: Vec<(i64, ReportRow)>,
    /// Of a sample of the removed rows: the most similar ones that state another fact.
    pub drifts: Vec<ReportPair>,
}

/// Collects examples of the result of a job. The session must be new, because the tables of the job are registered in
/// it.
///
/// # Errors
/// If the directory holds no finished job, or a file of it is damaged.
pub async fn examples(context: &SessionContext, directory: &str) -> Result<Examples> {
    let manifest = register_result(context, directory).await?;
    let rows = |rows: &str| pairs_of(&manifest, rows);
    let largest = format!(
        "SELECT * FROM clusters WHERE kept AND cluster_size > 1 ORDER BY cluster_size DESC, cluster_id LIMIT {SHOWN}"
    );
    let removed = format!(
        "SELECT * FROM clusters WHERE NOT kept AND similarity < 1 ORDER BY md5(CAST(id AS VARCHAR)), id \
         LIMIT {SAMPLED_ROWS}"
    );
    let mut sample: Vec<Sampled> = sampled(context, &rows(&largest)).await?;
    let clusters = sample.len();
    sample.extend(sampled(context, &rows(&removed)).await?);
    let mut pairs = with_texts(context, &manifest, sample).await?;
    let removed = pairs.split_off(clusters);
    pairs.sort_by(|a, b| (b.cluster_size, &a.cluster).cmp(&(a.cluster_size, &b.cluster)));
    let largest = pairs.into_iter().map(|pair| (pair.cluster_size, pair.kept));
    let count = manifest
        .step("clusters")
        .and_then(|step| step.figure(Figure::Clusters));
    Ok(Examples {
        clusters: count.and_then(|count| count.as_u64()).unwrap_or_default(),
        largest: largest.collect(),
        drifts: drifts(removed),
    })
}

/// The most similar pairs that differ in a fact.
fn drifts(mut pairs: Vec<ReportPair>) -> Vec<ReportPair> {
    pairs.retain(|pair| pair.class == Some(PairClass::FactualDrift));
    pairs.sort_by(|a, b| {
        let order = b.similarity.total_cmp(&a.similarity);
        order.then_with(|| a.removed.id.cmp(&b.removed.id))
    });
    pairs.truncate(SHOWN);
    pairs
}
