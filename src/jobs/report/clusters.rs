//! Finds the suspicious clusters and the largest ones.

use super::counts::has_classes;
use super::sample::{pairs_of, sampled, with_texts};
use super::{ReportCluster, ReportPair, Shown};
use crate::jobs::manifest::Manifest;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::PairClass;
use std::collections::BTreeMap;

/// Maximum number of clusters for each reason to show them.
const CLUSTERS: usize = 20;
/// Maximum number of rows of a cluster.
const ROWS_OF_CLUSTER: usize = 6;

/// The clusters that are shown, with their pairs. Those of the class template are found by the classes of all removed
/// rows, or by those of `sample` if the job has no classes.
pub(super) async fn clusters(
    context: &SessionContext,
    manifest: &Manifest,
    sample: &[ReportPair],
) -> Result<Vec<ReportCluster>> {
    let threshold = manifest
        .parameters
        .get("threshold")
        .and_then(|value| value.as_f64());
    let threshold = threshold.unwrap_or(0.0);
    let mut shown: BTreeMap<String, Shown> = BTreeMap::new();
    let chains = format!(
        "SELECT CAST(cluster_id AS VARCHAR) AS name FROM clusters WHERE NOT kept AND similarity < {threshold:?} \
         GROUP BY cluster_id ORDER BY min(similarity), cluster_id LIMIT {CLUSTERS}"
    );
    let largest = format!(
        "SELECT CAST(cluster_id AS VARCHAR) AS name FROM clusters WHERE kept AND cluster_size > 1 \
         ORDER BY cluster_size DESC, cluster_id LIMIT {}",
        3 * CLUSTERS
    );
    for id in texts(context, &chains).await? {
        shown.insert(id, Shown::Chain);
    }
    let templates = match has_classes(context).await? {
        true => {
            let frequent = format!(
                "SELECT CAST(cluster_id AS VARCHAR) AS name FROM removed WHERE class = '{}' \
                 GROUP BY cluster_id ORDER BY count(*) DESC, cluster_id LIMIT {}",
                PairClass::Template,
                2 * CLUSTERS
            );
            texts(context, &frequent).await?
        }
        false => sampled_templates(sample),
    };
    show(&mut shown, Shown::Template, templates.into_iter());
    let largest = texts(context, &largest).await?;
    show(&mut shown, Shown::Largest, largest.into_iter());
    let names: Vec<String> = shown
        .keys()
        .map(|id| format!("'{}'", id.replace('\'', "''")))
        .collect();
    let members = match names.is_empty() {
        true => vec![],
        false => {
            let members = format!(
                "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY cluster_id ORDER BY similarity, id) AS row_no \
                 FROM clusters WHERE NOT kept AND CAST(cluster_id AS VARCHAR) IN ({})) WHERE row_no < {ROWS_OF_CLUSTER}",
                names.join(", ")
            );
            let members = sampled(context, &pairs_of(manifest, &members)).await?;
            with_texts(context, manifest, members).await?
        }
    };
    Ok(with_pairs(&shown, members))
}

/// The clusters of sampled pairs of the class template, the largest first.
fn sampled_templates(sample: &[ReportPair]) -> Vec<String> {
    let mut templates: Vec<(i64, &str)> = sample
        .iter()
        .filter(|pair| pair.class == Some(PairClass::Template))
        .map(|pair| (pair.cluster_size, pair.cluster.as_str()))
        .collect();
    templates.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    templates.dedup();
    let ids = templates.into_iter().map(|(_, id)| id.to_owned());
    ids.collect()
}

/// Adds the first clusters that are not shown for another reason.
fn show(
    shown: &mut BTreeMap<String, Shown>,
    reason: Shown,
    clusters: impl Iterator<Item = String>,
) {
    let others: Vec<String> = clusters.filter(|id| !shown.contains_key(id)).collect();
    shown.extend(others.into_iter().take(CLUSTERS).map(|id| (id, reason)));
}

/// The clusters with their pairs, in the order of the reasons to show them.
fn with_pairs(shown: &BTreeMap<String, Shown>, members: Vec<ReportPair>) -> Vec<ReportCluster> {
    let mut by_cluster: BTreeMap<String, Vec<ReportPair>> = BTreeMap::new();
    for pair in members {
        by_cluster
            .entry(pair.cluster.clone())
            .or_default()
            .push(pair);
    }
    let mut all: Vec<ReportCluster> = by_cluster
        .into_iter()
        .filter_map(|(id, mut pairs)| {
            pairs.sort_by(|a, b| {
                let order = a.similarity.total_cmp(&b.similarity);
                order.then_with(|| a.removed.id.cmp(&b.removed.id))
            });
            Some(ReportCluster {
                shown: *shown.get(&id)?,
                size: pairs.first()?.cluster_size,
                id,
                pairs,
            })
        })
        .collect();
    all.sort_by(|a, b| {
        let order = a.shown.cmp(&b.shown).then(b.size.cmp(&a.size));
        order.then_with(|| a.id.cmp(&b.id))
    });
    all
}

/// The texts of a query for one column.
async fn texts(context: &SessionContext, sql: &str) -> Result<Vec<String>> {
    let mut all = vec![];
    for batch in context.sql(sql).await?.collect().await? {
        let values = cast(batch.column(0), &DataType::Utf8)?;
        all.extend(
            values
                .as_string::<i32>()
                .iter()
                .flatten()
                .map(str::to_owned),
        );
    }
    Ok(all)
}
