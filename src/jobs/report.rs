//! The data of a report about a job: its counts, and samples of its clusters and pairs.
//!
//! The size of a report does not depend on the size of the job: counts are aggregated by queries, and clusters and
//! pairs are sampled, with the same sample in every run.

use super::dedup::Method;
use super::defaults::default;
use super::directory::REPORT;
use super::figures::Figure;
use super::manifest::Manifest;
use super::recall::{Recall, recall, sample};
use super::tables::{classifier, register_result, table};
use super::verified::verify;
use crate::files::Location;
use crate::functions::Value;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err};
use datafusion::object_store::ObjectStoreExt;
use datafusion::prelude::SessionContext;
use neardup_kernels::{Bands, ChangeKind, PairClass, candidate_probability, choose_bands};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of removed rows whose class is determined.
pub const SAMPLED_ROWS: usize = 2000;
/// Maximum number of pairs of each class.
const PAIRS_OF_CLASS: usize = 40;
/// Maximum number of clusters for each reason to show them.
const CLUSTERS: usize = 20;
/// Maximum number of facts of a pair.
const CHANGES: usize = 10;
/// Maximum number of rows of a cluster.
const ROWS_OF_CLUSTER: usize = 6;
/// Number of bins of similarities between 0 and 1.
pub const SIMILARITY_BINS: usize = 50;
/// Maximum number of pairs of documents.
const DOCUMENTS: usize = 20;
/// Maximum number of rows of a cluster that counts for a pair of documents: larger ones would give all pairs of theirs.
pub const SHARED_ROWS: usize = 50;
/// Number of bins of the measured recall between 0 and 1.
const RECALL_BINS: usize = 20;
/// Maximum number of characters of a text that are compared for its class.
pub const COMPARED_CHARACTERS: usize = 20_000;
/// Maximum number of characters of a text that are shown.
pub const SHOWN_CHARACTERS: usize = 1000;

/// A row with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// Its id.
    pub id: String,
    /// The title of the page, for a sentence of a dump.
    pub title: String,
    /// Its text, or the first [`SHOWN_CHARACTERS`] of a long one, and one more.
    pub text: String,
}

/// A removed row and the kept row that represents it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportPair {
    /// The kept row.
    pub kept: ReportRow,
    /// The removed row.
    pub removed: ReportRow,
    /// Their similarity.
    pub similarity: f64,
    /// Their class; `None` if the job compared vectors without texts, or if the texts do not differ in the characters
    /// that are compared.
    pub class: Option<PairClass>,
    /// The facts that differ: the kind, the value in the kept row, and the value in the removed row.
    pub changes: Vec<(ChangeKind, String, String)>,
    /// Their cluster.
    pub cluster: String,
    /// Its number of rows.
    pub cluster_size: i64,
}

/// Why a cluster is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// It has a row that is less similar to the kept row than the threshold.
    Chain,
    /// It has pairs of the class template.
    Template,
    /// It is among the largest.
    Largest,
}

/// A cluster with some of its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportCluster {
    /// Why it is shown.
    pub shown: Shown,
    /// Its id.
    pub id: String,
    /// Its number of rows.
    pub size: i64,
    /// The kept row with the rows that are least similar to it.
    pub pairs: Vec<ReportPair>,
}

/// The recall of a job that may miss pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Number of sampled texts, which were compared with all texts by the exact join.
    pub sample: i64,
    /// The share of their pairs that the job has.
    pub recall: Recall,
    /// The probability that MinHash finds a pair, by similarity; empty if the job found its pairs by the exact join.
    pub expected: Vec<(f64, f64)>,
}

/// Two pages of a dump whose sentences are in the same clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPair {
    /// Their titles, the page of the smaller id first.
    pub titles: [String; 2],
    /// Number of clusters that have sentences of both.
    pub clusters: i64,
}

/// The data of a report about a job.
#[derive(Debug)]
pub struct Report {
    /// The manifest of the job.
    pub manifest: Manifest,
    /// Number of clusters of two or more rows, by their numbers of rows.
    pub sizes: BTreeMap<i64, i64>,
    /// Number of pairs, by similarity in equal bins between 0 and 1.
    pub similarities: Vec<i64>,
    /// Number of removed rows, by reason; empty if the job has no audit.
    pub reasons: BTreeMap<String, i64>,
    /// Number of removed rows that are not repeated rows of an id.
    pub removed: i64,
    /// Number of removed rows, by class; empty if the job compared vectors without texts. Of a job of an older version
    /// they are those of a sample.
    pub classes: BTreeMap<PairClass, usize>,
    /// Whether `classes` has all removed rows.
    pub all_classes: bool,
    /// The recall; `None` if the job finds every pair, or its recall is not measured because it compares vectors.
    pub measured: Option<Measured>,
    /// The pages of a dump that share the most clusters of at most [`SHARED_ROWS`] rows.
    pub documents: Vec<DocumentPair>,
    /// Removed rows of each class, the least similar first.
    pub pairs: Vec<ReportPair>,
    /// Suspicious clusters and the largest ones.
    pub clusters: Vec<ReportCluster>,
}

/// A removed row before its texts are known.
pub(super) struct Sampled {
    id: String,
    title: String,
    kept: String,
    kept_title: String,
    similarity: f64,
    cluster: String,
    size: i64,
}

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
    let threshold = manifest
        .parameters
        .get("threshold")
        .and_then(|value| value.as_f64());
    let threshold = threshold.unwrap_or(0.0);
    let removed_rows = format!(
        "SELECT * FROM clusters WHERE NOT kept ORDER BY md5(CAST(id AS VARCHAR)), id LIMIT {SAMPLED_ROWS}"
    );
    let sample = sampled(context, &pairs_of(&manifest, &removed_rows)).await?;
    let sample = with_texts(context, &manifest, sample).await?;
    let mut classes = classes(context).await?;
    let all_classes = classes.is_some();
    if classes.is_none() {
        let mut found: BTreeMap<PairClass, usize> = BTreeMap::new();
        for class in sample.iter().filter_map(|pair| pair.class) {
            *found.entry(class).or_default() += 1;
        }
        classes = Some(found);
    }
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
    let mut templates: Vec<(i64, &str)> = sample
        .iter()
        .filter(|pair| pair.class == Some(PairClass::Template))
        .map(|pair| (pair.cluster_size, pair.cluster.as_str()))
        .collect();
    templates.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    templates.dedup();
    let templates = templates.into_iter().map(|(_, id)| id.to_owned());
    show(&mut shown, Shown::Template, templates);
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
            let members = sampled(context, &pairs_of(&manifest, &members)).await?;
            with_texts(context, &manifest, members).await?
        }
    };
    Ok(Report {
        sizes,
        similarities: (0..SIMILARITY_BINS).map(bin).collect(),
        reasons,
        removed: removed.get(&0).copied().unwrap_or(0),
        classes: classes.unwrap_or_default(),
        all_classes,
        measured: measured(context, &manifest, directory).await?,
        documents: documents(context, &manifest).await?,
        pairs: of_each_class(sample),
        clusters: clusters(&shown, members),
        manifest,
    })
}

/// The pages of a dump that share the most clusters.
async fn documents(context: &SessionContext, manifest: &Manifest) -> Result<Vec<DocumentPair>> {
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

/// The number of removed rows by class; `None` if the job has not classified them.
async fn classes(context: &SessionContext) -> Result<Option<BTreeMap<PairClass, usize>>> {
    if !context.table_exist("removed")? {
        return Ok(None);
    }
    let removed = context.table("removed").await?;
    if !removed.schema().has_column_with_unqualified_name("class") {
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

/// Measures the recall of a job over texts that may miss pairs.
async fn measured(
    context: &SessionContext,
    manifest: &Manifest,
    directory: &str,
) -> Result<Option<Measured>> {
    let (Some(pairs), Some(texts)) = (manifest.step("pairs"), manifest.step("texts")) else {
        return Ok(None);
    };
    let method = pairs.figure(Figure::Method).and_then(|word| word.as_str());
    let by_minhash = method == Some(Method::MinHash.word());
    let uncompared = pairs.figure(Figure::PairsNotCompared);
    let is_complete = !by_minhash && uncompared.is_none();
    let is_other =
        manifest.parameters.contains_key("measure") || method == Some(Method::Projection.word());
    if is_complete || is_other {
        return Ok(None);
    }
    let number = |name: &str| {
        manifest
            .parameters
            .get(name)
            .and_then(|value| value.as_f64())
    };
    let shingle = manifest
        .parameters
        .get("shingle")
        .and_then(|value| value.as_str());
    let (Some(threshold), Some(shingle)) = (number("threshold"), shingle) else {
        return Ok(None);
    };
    let directory = Location::new(directory)?;
    let rows = table(context, &directory, texts).await?;
    verify(texts, &directory, &context.runtime_env()).await?;
    context.register_table("texts", rows)?;
    let group_rule = match manifest.parameters.contains_key("within") {
        true => "agree",
        false => "any",
    };
    let size: i64 = default("sample");
    let values = BTreeMap::from([
        ("sample".to_owned(), Value::Integer(size)),
        ("threshold".to_owned(), Value::Number(threshold)),
        ("shingle".to_owned(), Value::Text(shingle.to_owned())),
        ("group_rule".to_owned(), Value::Text(group_rule.to_owned())),
        ("parts".to_owned(), Value::Integer(1)),
    ]);
    let sample = sample(context, &values).await?;
    let recall = recall(context, "pairs", "sampled_pairs", RECALL_BINS).await?;
    let hashes = number("num_hashes").unwrap_or(0.0) as usize;
    let target_recall = number("target_recall").unwrap_or(0.0);
    let expected = match choose_bands(threshold, target_recall, hashes) {
        Ok(Bands { bands, rows }) if by_minhash => (0..=100)
            .map(|percent| f64::from(percent) / 100.0)
            .map(|similarity| (similarity, candidate_probability(similarity, bands, rows)))
            .collect(),
        _ => vec![],
    };
    Ok(Some(Measured {
        sample,
        recall,
        expected,
    }))
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

/// The query for the columns of [`sampled`], of rows of `clusters` with their kept rows.
pub(super) fn pairs_of(manifest: &Manifest, rows: &str) -> String {
    let title = |row: &str| match manifest.step("sentences") {
        Some(_) => format!("{row}.title"),
        None => "''".to_owned(),
    };
    format!(
        "SELECT CAST(own.id AS VARCHAR) AS own, {} AS title, CAST(kept.id AS VARCHAR) AS kept, {} AS kept_title, \
         own.similarity, CAST(own.cluster_id AS VARCHAR) AS cluster, own.cluster_size \
         FROM ({rows}) AS own JOIN clusters AS kept ON own.representative_id = kept.id",
        title("own"),
        title("kept")
    )
}

/// The least similar pairs of each class.
fn of_each_class(mut sample: Vec<ReportPair>) -> Vec<ReportPair> {
    sample.sort_by(|a, b| {
        let order = a
            .class
            .cmp(&b.class)
            .then(a.similarity.total_cmp(&b.similarity));
        order.then_with(|| a.removed.id.cmp(&b.removed.id))
    });
    let mut taken: BTreeMap<Option<PairClass>, usize> = BTreeMap::new();
    sample.retain(|pair| {
        let count = taken.entry(pair.class).or_default();
        *count += 1;
        *count <= PAIRS_OF_CLASS
    });
    sample
}

/// The clusters with their pairs, in the order of the reasons to show them.
fn clusters(shown: &BTreeMap<String, Shown>, members: Vec<ReportPair>) -> Vec<ReportCluster> {
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

/// The rows of a query for keys and counts.
async fn counts(context: &SessionContext, sql: &str) -> Result<BTreeMap<i64, i64>> {
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

async fn texts_and_counts(context: &SessionContext, sql: &str) -> Result<Vec<(String, i64)>> {
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

/// The rows of a query of [`pairs_of`].
pub(super) async fn sampled(context: &SessionContext, sql: &str) -> Result<Vec<Sampled>> {
    let mut all = vec![];
    for batch in context.sql(sql).await?.collect().await? {
        let text = |column: usize| cast(batch.column(column), &DataType::Utf8);
        let (ids, titles, kept, kept_titles, clusters) =
            (text(0)?, text(1)?, text(2)?, text(3)?, text(5)?);
        let similarities = cast(batch.column(4), &DataType::Float64)?;
        let sizes = cast(batch.column(6), &DataType::Int64)?;
        let value = |column: &dyn Array, row: usize| match column.is_valid(row) {
            true => column.as_string::<i32>().value(row).to_owned(),
            false => String::new(),
        };
        for row in 0..batch.num_rows() {
            all.push(Sampled {
                id: value(&ids, row),
                title: value(&titles, row),
                kept: value(&kept, row),
                kept_title: value(&kept_titles, row),
                similarity: similarities.as_primitive::<Float64Type>().value(row),
                cluster: value(&clusters, row),
                size: sizes.as_primitive::<Int64Type>().value(row),
            });
        }
    }
    Ok(all)
}

/// Pairs with their texts and classes.
pub(super) async fn with_texts(
    context: &SessionContext,
    manifest: &Manifest,
    sample: Vec<Sampled>,
) -> Result<Vec<ReportPair>> {
    let ids: BTreeSet<&str> = sample
        .iter()
        .flat_map(|row| [row.id.as_str(), row.kept.as_str()])
        .collect();
    let mut texts: HashMap<String, String> = HashMap::new();
    if !ids.is_empty() {
        let names: Vec<String> = ids
            .iter()
            .map(|id| format!("'{}'", id.replace('\'', "''")))
            .collect();
        let sql = format!(
            "SELECT CAST(id AS VARCHAR) AS name, min(left(CAST(text AS VARCHAR), {})) FROM documents \
             WHERE CAST(id AS VARCHAR) IN ({}) GROUP BY id",
            COMPARED_CHARACTERS + 1,
            names.join(", ")
        );
        for batch in context.sql(&sql).await?.collect().await? {
            let (ids, values) = (
                cast(batch.column(0), &DataType::Utf8)?,
                cast(batch.column(1), &DataType::Utf8)?,
            );
            let rows = ids
                .as_string::<i32>()
                .iter()
                .zip(values.as_string::<i32>().iter());
            texts.extend(rows.filter_map(|(id, text)| Some((id?.to_owned(), text?.to_owned()))));
        }
    }
    let classifier = classifier(context, manifest).await?;
    let pair = |row: Sampled| {
        let text = |id: &str| texts.get(id).map(String::as_str).unwrap_or_default();
        let (kept, removed) = (text(&row.kept), text(&row.id));
        let has_texts = !kept.is_empty() && !removed.is_empty();
        let is_cut = |text: &str| text.chars().nth(COMPARED_CHARACTERS).is_some();
        let found = has_texts.then(|| classifier.classify(kept, removed));
        // What follows the compared characters may differ.
        let found = found.filter(|found| {
            found.class != PairClass::Identical || !(is_cut(kept) || is_cut(removed))
        });
        let changes = found.iter().flat_map(|found| &found.changes);
        let changes = changes.map(|change| {
            let value = |text: &str| text.chars().take(SHOWN_CHARACTERS).collect::<String>();
            let kept = value(&kept[change.a.clone()]);
            (change.kind, kept, value(&removed[change.b.clone()]))
        });
        let shown = |text: &str| text.chars().take(SHOWN_CHARACTERS + 1).collect();
        ReportPair {
            changes: changes.take(CHANGES).collect(),
            class: found.as_ref().map(|found| found.class),
            kept: ReportRow {
                text: shown(kept),
                id: row.kept,
                title: row.kept_title,
            },
            removed: ReportRow {
                text: shown(removed),
                id: row.id,
                title: row.title,
            },
            similarity: row.similarity,
            cluster: row.cluster,
            cluster_size: row.size,
        }
    };
    Ok(sample.into_iter().map(pair).collect())
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
