//! Samples of removed rows, each with its kept row, their texts and their class.

use super::counts::has_classes;
use super::{COMPARED_CHARACTERS, PAIRS_OF_CLASS, ReportPair, ReportRow, SHOWN_CHARACTERS};
use crate::jobs::manifest::Manifest;
use crate::jobs::tables::classifier;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::PairClass;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The classes in the order in which their pairs are shown: what a reader may want to keep comes first.
const ORDER: [PairClass; 7] = [
    PairClass::FactualDrift,
    PairClass::Template,
    PairClass::CopyEdit,
    PairClass::Reference,
    PairClass::Other,
    PairClass::NotSimilar,
    PairClass::Identical,
];
/// Maximum number of facts of a pair.
const CHANGES: usize = 10;

/// A removed row before its texts are known.
pub(in crate::jobs) struct Sampled {
    id: String,
    title: String,
    kept: String,
    kept_title: String,
    similarity: f64,
    cluster: String,
    size: i64,
}

/// The query for the rows of `clusters` that are the least similar ones of each of these classes among the removed rows,
/// or of all if vectors were compared, which have no class.
pub(super) fn least_similar(classes: impl Iterator<Item = PairClass>) -> String {
    let classes = classes.map(|class| format!("class = '{class}'"));
    let of_class: Vec<String> = classes
        .chain(["class IS NULL".to_owned()])
        .map(|is_class| {
            format!(
                "(SELECT id FROM removed WHERE {is_class} AND reason <> 'repeated id' \
                 ORDER BY similarity, id LIMIT {PAIRS_OF_CLASS})"
            )
        })
        .collect();
    format!(
        "SELECT clusters.* FROM clusters LEFT SEMI JOIN ({}) AS chosen ON clusters.id = chosen.id WHERE NOT clusters.kept",
        of_class.join(" UNION ALL ")
    )
}

/// The query for the columns of [`sampled`], of rows of `clusters` with their kept rows.
pub(in crate::jobs) fn pairs_of(manifest: &Manifest, rows: &str) -> String {
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

/// The rows of a query of [`pairs_of`].
pub(in crate::jobs) async fn sampled(context: &SessionContext, sql: &str) -> Result<Vec<Sampled>> {
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
pub(in crate::jobs) async fn with_texts(
    context: &SessionContext,
    manifest: &Manifest,
    sample: Vec<Sampled>,
) -> Result<Vec<ReportPair>> {
    let classified = classified(context, &sample).await?;
    let ids: BTreeSet<&str> = sample
        .iter()
        .flat_map(|row| [row.id.as_str(), row.kept.as_str()])
        .collect();
    let mut texts: HashMap<String, String> = HashMap::new();
    if !ids.is_empty() {
        let sql = format!(
            "SELECT CAST(id AS VARCHAR) AS name, min(left(CAST(text AS VARCHAR), {})) FROM documents \
             WHERE CAST(id AS VARCHAR) IN ({}) GROUP BY id",
            COMPARED_CHARACTERS + 1,
            quoted(ids.into_iter())
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
        let class = found.as_ref().map(|found| found.class);
        let (class, differs) = match classified.get(&row.id) {
            Some((class, differs)) => (Some(*class), differs.clone()),
            None => (class, String::new()),
        };
        ReportPair {
            changes: changes.take(CHANGES).collect(),
            class,
            differs,
            kept: ReportRow {
                text: kept.to_owned(),
                id: row.kept,
                title: row.kept_title,
            },
            removed: ReportRow {
                text: removed.to_owned(),
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

/// Texts as a list of SQL literals.
fn quoted<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts
        .map(|text| format!("'{}'", text.replace('\'', "''")))
        .collect();
    texts.join(", ")
}

/// The classes of removed rows and the facts that differ, by id, as the job has them.
async fn classified(
    context: &SessionContext,
    rows: &[Sampled],
) -> Result<HashMap<String, (PairClass, String)>> {
    let mut all = HashMap::new();
    if rows.is_empty() || !has_classes(context).await? {
        return Ok(all);
    }
    let sql = format!(
        "SELECT CAST(id AS VARCHAR) AS name, class, differs FROM removed \
         WHERE class IS NOT NULL AND reason <> 'repeated id' AND CAST(id AS VARCHAR) IN ({})",
        quoted(rows.iter().map(|row| row.id.as_str()))
    );
    for batch in context.sql(&sql).await?.collect().await? {
        let columns = [0, 1, 2].map(|column| cast(batch.column(column), &DataType::Utf8));
        let [ids, classes, differs] = columns;
        let (ids, classes, differs) = (ids?, classes?, differs?);
        let ids = ids.as_string::<i32>().iter();
        let classes = classes.as_string::<i32>().iter();
        let differs = differs.as_string::<i32>().iter();
        for ((id, word), differs) in ids.zip(classes).zip(differs) {
            let class = PairClass::ALL
                .into_iter()
                .find(|class| Some(class.word()) == word);
            if let (Some(id), Some(class)) = (id, class) {
                all.insert(
                    id.to_owned(),
                    (class, differs.unwrap_or_default().to_owned()),
                );
            }
        }
    }
    Ok(all)
}

/// The least similar pairs of each class.
pub(super) fn of_each_class(mut sample: Vec<ReportPair>) -> Vec<ReportPair> {
    let place = |pair: &ReportPair| {
        let class = pair.class?;
        ORDER.into_iter().position(|other| other == class)
    };
    sample.sort_by(|a, b| {
        let order = (place(a).is_none().cmp(&place(b).is_none()))
            .then(place(a).cmp(&place(b)))
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
