//! Explains why a row of a job was removed or kept.

use super::dedup::{Compare, Method};
use super::figures::Figure;
use super::manifest::Manifest;
use super::tables::{classifier, register_result, table};
use crate::files::Location;
use crate::functions::default_measure;
use crate::shell_words::shell_word;
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{JoinType, Result, ScalarValue, exec_err};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::functions_nested::expr_fn::array_has;
use datafusion::logical_expr::{Expr, cast as cast_expr, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use futures::StreamExt;
use neardup_kernels::{ChangeKind, Measure, PairClass, shortest_path};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A row of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyRow {
    /// Its id.
    pub id: ScalarValue,
    /// The title of the page, for a sentence of a dump.
    pub title: Option<String>,
    /// Its text; empty if the job compared vectors without texts.
    pub text: Option<String>,
}

/// A row on a path of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct PathRow {
    /// The row.
    pub row: WhyRow,
    /// Its similarity to the row before it on the path.
    pub similarity: f64,
}

/// The decision of a job about a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The row.
    pub row: WhyRow,
    /// Whether it has a text, or a vector if the job compares vectors; a row without one is not compared.
    pub has_item: bool,
    /// The columns in which compared rows agree; empty if all rows are compared.
    pub within: Vec<String>,
    /// The kept row that represents it; `None` if the row is kept itself.
    pub representative: Option<WhyRow>,
    /// Its similarity to the representative.
    pub similarity: Option<f64>,
    /// What that similarity is.
    pub measure: Measure,
    /// Number of further rows of the input with this id, which are compared as one row and were removed.
    pub repeated: usize,
    /// Why it was removed, as in `removed.parquet`; `None` if the job was written by a version without that file.
    pub reason: Option<String>,
    /// The class of the difference of the two texts; `None` if the row is kept or has no text.
    pub class: Option<PairClass>,
    /// The facts that differ, with their values in the kept row and in the removed one.
    pub changes: Vec<(ChangeKind, String, String)>,
    /// Whether the job compared normal forms of the texts.
    pub is_normalized: bool,
    /// The id of its cluster.
    pub cluster: ScalarValue,
    /// The rows of its cluster.
    pub cluster_size: i64,
    /// For a removed row of a job with resolution `components`: the rows of a shortest path of pairs, after the row
    /// itself, up to the representative.
    pub path: Vec<PathRow>,
}

/// Two rows of a job, compared as the job compares rows.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyPair {
    /// What the job decided about each of them.
    pub rows: [Why; 2],
    /// The similarity of their texts. `None` if a row has no text.
    pub similarity: Option<f64>,
    /// The similarity at which the job takes two rows for near-duplicates.
    pub threshold: f64,
    /// The kind of shingle of the job, such as `word:3`; `None` for the edit similarity.
    pub shingle: Option<String>,
    /// Whether the rows agree in the columns of [`Why::within`], if there are any and both rows have a text; otherwise the job
    /// does not compare them.
    pub has_same_group: bool,
    /// The share of the pairs at the threshold that the job is expected to find; `None` if it finds all of them.
    pub target_recall: Option<f64>,
    /// The class of the difference of the second text from the first one; `None` if a row has no text.
    pub class: Option<PairClass>,
    /// The facts that differ, with their values in the first text and in the second one.
    pub changes: Vec<(ChangeKind, String, String)>,
}

impl WhyPair {
    /// Whether the rows are near-duplicates by the settings of the job.
    pub fn is_pair(&self) -> bool {
        self.has_same_group && (self.similarity).is_some_and(|found| found >= self.threshold)
    }
}

/// The error of an id that no row has.
fn no_row<T>(directory: &str, id: &str) -> Result<T> {
    exec_err!(
        "there is no row {id}; the ids of the rows are printed by: neardup sql --dir {} \"SELECT id FROM clusters\"",
        shell_word(directory)
    )
}

/// Finds out what the job in a directory decided about the row with an id. The session must be new, because the tables of
/// the job are registered in it.
///
/// # Errors
/// If the directory holds no job with clusters, a file of it is damaged, an input has changed, or no row has this id.
pub async fn why(context: &SessionContext, directory: &str, id: &str) -> Result<Why> {
    let manifest = register_result(context, directory).await?;
    decided(context, &manifest, directory, id).await
}

/// Compares two rows of the job in a directory by its settings. The session must be new.
///
/// # Errors
/// As [`why`], and if the job compares vectors, or by containment, which depends on the keep order of the rows.
pub async fn why_pair(
    context: &SessionContext,
    directory: &str,
    ids: [&str; 2],
) -> Result<WhyPair> {
    let manifest = register_result(context, directory).await?;
    let number = |name: &str| manifest.parameters.get(name).and_then(|v| v.as_f64());
    let text = |name: &str| manifest.parameters.get(name).and_then(|v| v.as_str());
    if text("method") == Some(Method::Projection.word()) {
        return exec_err!(
            "{directory}: the job compares vectors, and two rows are compared by their texts: cosine_similarity compares vectors in SQL"
        );
    }
    let measure = measure(&manifest);
    if measure == Measure::Containment {
        return exec_err!(
            "{directory}: the job compares by containment of a row in one before it in keep order, and two rows are compared in no order: containment(a, b, shingle) is a function of SQL"
        );
    }
    let rows = [
        decided(context, &manifest, directory, ids[0]).await?,
        decided(context, &manifest, directory, ids[1]).await?,
    ];
    let texts = rows
        .each_ref()
        .map(|why| why.row.text.as_deref().filter(|_| why.has_item));
    let shingle = text("shingle").map(str::to_owned);
    let (mut similarity, mut class, mut changes) = (None, None, vec![]);
    if let [Some(a), Some(b)] = texts {
        let shingle = shingle.as_deref().unwrap_or("word:1");
        similarity =
            Some(similarity_of(context, [a, b], measure, shingle, manifest.is_normalized()).await?);
        let found = difference(context, &manifest, a, b).await?;
        (class, changes) = (Some(found.0), found.1);
    }
    let has_same_group = rows[0].within.is_empty()
        || similarity.is_none()
        || has_same_group(
            context,
            &manifest,
            directory,
            rows.each_ref().map(|why| &why.row),
        )
        .await?;
    let method = manifest
        .step("pairs")
        .and_then(|step| step.figure(Figure::Method));
    let is_exact = method.and_then(|v| v.as_str()) == Some(Method::Exact.word());
    Ok(WhyPair {
        rows,
        similarity,
        threshold: number("threshold").unwrap_or(f64::NAN),
        shingle,
        has_same_group,
        target_recall: number("target_recall").filter(|_| !is_exact),
        class,
        changes,
    })
}

/// The similarity of two texts by the settings of a job.
async fn similarity_of(
    context: &SessionContext,
    texts: [&str; 2],
    measure: Measure,
    shingle: &str,
    is_normalized: bool,
) -> Result<f64> {
    let [a, b] = match is_normalized {
        true => ["normalize_text($1)", "normalize_text($2)"],
        false => ["$1", "$2"],
    };
    let sql = format!("SELECT item_similarity({a}, {b}, '{shingle}', '{measure}')");
    let values = texts.map(ScalarValue::from).to_vec();
    let found = context.sql(&sql).await?.with_param_values(values)?;
    let found = found.collect().await?;
    Ok(found[0].column(0).as_primitive::<Float64Type>().value(0))
}

/// Whether rows agree in the columns in which compared rows must.
async fn has_same_group(
    context: &SessionContext,
    manifest: &Manifest,
    directory: &str,
    rows: [&WhyRow; 2],
) -> Result<bool> {
    let Some(step) = manifest.step("texts") else {
        return Ok(false);
    };
    let of_texts = table(context, &Location::new(directory)?, step).await?;
    let group = async |row: &WhyRow| -> Result<Option<String>> {
        let has_row = array_has(ident("ids"), lit(row.id.clone()));
        let found = context.read_table(Arc::clone(&of_texts))?.filter(has_row)?;
        let found = found.select_columns(&["group_value"])?.collect().await?;
        Ok(texts(&found, 0)?.into_iter().flatten().next())
    };
    let (a, b) = (group(rows[0]).await?, group(rows[1]).await?);
    Ok(a.is_some() && a == b)
}

/// The class of the difference of a text from a kept one, and the facts that differ.
async fn difference(
    context: &SessionContext,
    manifest: &Manifest,
    kept: &str,
    own: &str,
) -> Result<(PairClass, Vec<(ChangeKind, String, String)>)> {
    let found = classifier(context, manifest).await?.classify(kept, own);
    let changes = found.changes.into_iter().map(|change| {
        (
            change.kind,
            kept[change.a].to_owned(),
            own[change.b].to_owned(),
        )
    });
    Ok((found.class, changes.collect()))
}

async fn decided(
    context: &SessionContext,
    manifest: &Manifest,
    directory: &str,
    id: &str,
) -> Result<Why> {
    let Some(found) = decision(context, id).await? else {
        let Some((length, kind)) = left_out(context, id).await? else {
            return no_row(directory, id);
        };
        let compare = manifest.parameters.get("compare").and_then(|v| v.as_str());
        let compare = compare.and_then(|word| word.parse().ok());
        if compare.is_some_and(|compare: Compare| compare.kinds_left_out().contains(&kind.as_str()))
        {
            return exec_err!(
                "row {id} was not compared: it is a {}, and the job has compare = '{}'",
                kind.replace('_', " "),
                compare.map_or("", Compare::word)
            );
        }
        return exec_err!(
            "row {id} was not compared: it has {length} characters, and the job compares sentences of {} to {}",
            limit(manifest, "min_length"),
            limit(manifest, "max_length")
        );
    };
    let is_removed = !found.kept;
    let mut wanted = vec![id.to_owned()];
    let mut similarities = vec![];
    if is_removed {
        let representative = found.representative.to_string();
        let by_components = manifest
            .parameters
            .get("resolution")
            .and_then(|v| v.as_str());
        if by_components == Some("components") {
            let (ids, along) = path(context, &found.cluster, id, &representative).await?;
            wanted.extend(ids);
            similarities = along;
        } else {
            wanted.push(representative);
        }
    }
    let mut rows = rows(context, &wanted).await?.into_iter();
    let Some(row) = rows.next() else {
        return no_row(directory, id);
    };
    let others: Vec<WhyRow> = rows.collect();
    let (reason, repeated) = reason(context, id).await?;
    let representative = others.last().cloned();
    let texts = (representative
        .as_ref()
        .and_then(|kept| kept.text.as_deref()))
    .zip(row.text.as_deref());
    let texts = texts.filter(|(kept, own)| !kept.is_empty() && !own.is_empty());
    let (mut class, mut changes) = (None, vec![]);
    if let Some((kept, own)) = texts {
        let found = difference(context, manifest, kept, own).await?;
        (class, changes) = (Some(found.0), found.1);
    }
    let method = manifest.parameters.get("method").and_then(|v| v.as_str());
    let has_text = row
        .text
        .as_deref()
        .is_some_and(|text| !text.trim().is_empty());
    Ok(Why {
        within: (manifest.parameters.get("within").and_then(|v| v.as_array()))
            .into_iter()
            .flatten()
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect(),
        has_item: has_text || method == Some(Method::Projection.word()),
        row,
        representative,
        class,
        changes,
        similarity: found.similarity,
        measure: measure(manifest),
        is_normalized: manifest.is_normalized(),
        reason,
        repeated,
        cluster: found.cluster,
        cluster_size: found.cluster_size,
        path: others
            .into_iter()
            .zip(similarities)
            .map(|(row, similarity)| PathRow { row, similarity })
            .collect(),
    })
}

/// The measure of a job.
fn measure(manifest: &Manifest) -> Measure {
    let parameter = |name: &str| manifest.parameters.get(name).and_then(|v| v.as_str());
    let chosen = parameter("measure").and_then(|name| name.parse().ok());
    chosen.unwrap_or_else(|| parameter("method").map_or(Measure::Jaccard, default_measure))
}

/// A row of `clusters`.
struct Decision {
    cluster: ScalarValue,
    representative: ScalarValue,
    similarity: Option<f64>,
    kept: bool,
    cluster_size: i64,
}

fn is_id(column: &str, id: &str) -> Expr {
    cast_expr(ident(column), DataType::Utf8).eq(lit(id))
}

async fn decision(context: &SessionContext, id: &str) -> Result<Option<Decision>> {
    let rows = context.table("clusters").await?.filter(is_id("id", id))?;
    let rows = rows.select_columns(&[
        "cluster_id",
        "representative_id",
        "similarity",
        "kept",
        "cluster_size",
    ])?;
    let batches = rows.collect().await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() > 0) else {
        return Ok(None);
    };
    let similarity = batch.column(2).as_primitive::<Float64Type>();
    Ok(Some(Decision {
        cluster: ScalarValue::try_from_array(batch.column(0), 0)?,
        representative: ScalarValue::try_from_array(batch.column(1), 0)?,
        similarity: similarity.is_valid(0).then(|| similarity.value(0)),
        kept: batch.column(3).as_boolean().value(0),
        cluster_size: batch.column(4).as_primitive::<Int64Type>().value(0),
    }))
}

/// The number of characters and the kind of a sentence that the job split off but did not compare.
async fn left_out(context: &SessionContext, id: &str) -> Result<Option<(usize, String)>> {
    if !context.table_exist("sentences")? {
        return Ok(None);
    }
    let found = context.table("sentences").await?;
    let found = found.filter(is_id("sentence_id", id))?;
    // A directory of an earlier format has no kinds.
    let kind = match found.schema().has_column_with_unqualified_name("kind") {
        true => ident("kind"),
        false => lit(""),
    };
    let found = found.select(vec![ident("sentence"), kind.alias("kind")])?;
    let found = found.collect().await?;
    let sentence = texts(&found, 0)?.into_iter().flatten().next();
    let kind = texts(&found, 1)?.into_iter().flatten().next();
    let found = sentence.zip(kind);
    Ok(found.map(|(text, kind)| (text.chars().count(), kind)))
}

/// A parameter that limits the length of sentences; a maximum of 0 is no limit.
fn limit(manifest: &Manifest, name: &str) -> String {
    match manifest
        .parameters
        .get(name)
        .and_then(|value| value.as_u64())
    {
        Some(0) if name == "max_length" => "any number".to_owned(),
        Some(limit) => limit.to_string(),
        None => "?".to_owned(),
    }
}

/// Why the row with an id was removed, and the number of removed rows that repeat the id.
async fn reason(context: &SessionContext, id: &str) -> Result<(Option<String>, usize)> {
    if !context.table_exist("removed")? {
        return Ok((None, 0));
    }
    let removed = context.table("removed").await?.filter(is_id("id", id))?;
    let batches = removed.select_columns(&["reason"])?.collect().await?;
    let reasons = texts(&batches, 0)?.into_iter().flatten();
    let (repeated, own): (Vec<_>, Vec<_>) = reasons.partition(|reason| reason == "repeated id");
    Ok((own.into_iter().next(), repeated.len()))
}

/// The values of a column as texts.
fn texts(batches: &[RecordBatch], column: usize) -> Result<Vec<Option<String>>> {
    let mut all = vec![];
    for batch in batches {
        let values = cast(batch.column(column), &DataType::Utf8)?;
        let values = values.as_string::<i32>();
        all.extend(values.iter().map(|value| value.map(str::to_owned)));
    }
    Ok(all)
}

/// The rows with these ids, in this order, with their titles and texts. An id that is repeated in the documents is one
/// row.
async fn rows(context: &SessionContext, ids: &[String]) -> Result<Vec<WhyRow>> {
    let clusters = context.table("clusters").await?;
    let title = match clusters.schema().has_column_with_unqualified_name("title") {
        true => ident("title"),
        false => lit(ScalarValue::Utf8(None)),
    };
    let name = cast_expr(ident("id"), DataType::Utf8);
    let wanted = name.clone().in_list(ids.iter().map(lit).collect(), false);
    let clusters = clusters
        .filter(wanted)?
        .select(vec![ident("id").alias("row_id"), title.alias("title")])?;
    let documents = context.table("documents").await?;
    let found = clusters
        .join(documents, JoinType::Left, &["row_id"], &["id"], None)?
        .select_columns(&["row_id", "title", "text"])?
        .sort(vec![ident("text").sort(true, false)])?
        .collect()
        .await?;
    let mut by_id: HashMap<String, WhyRow> = HashMap::new();
    for batch in found {
        let batches = [batch];
        let (titles, values) = (texts(&batches, 1)?, texts(&batches, 2)?);
        for (at, (title, text)) in titles.into_iter().zip(values).enumerate() {
            let id = ScalarValue::try_from_array(batches[0].column(0), at)?;
            let row = WhyRow { id, title, text };
            by_id.entry(row.id.to_string()).or_insert(row);
        }
    }
    let mut rows = vec![];
    for id in ids {
        match by_id.get(id) {
            Some(row) => rows.push(row.clone()),
            None => return exec_err!("there is no row {id}"),
        }
    }
    Ok(rows)
}

/// The ids of a shortest path of pairs between two rows of a cluster, without the first one, each with the similarity
/// of the pair that leads to it.
async fn path(
    context: &SessionContext,
    cluster: &ScalarValue,
    from: &str,
    to: &str,
) -> Result<(Vec<String>, Vec<f64>)> {
    let members = context.table("clusters").await?;
    let members = members
        .filter(ident("cluster_id").eq(lit(cluster.clone())))?
        .select(vec![ident("id").alias("member")])?;
    let pairs: DataFrame = context.table("pairs").await?;
    let mut pairs = pairs
        .join(members, JoinType::LeftSemi, &["id_a"], &["member"], None)?
        .sort(vec![
            ident("id_a").sort(true, false),
            ident("id_b").sort(true, false),
        ])?
        .execute_stream()
        .await?;
    let pool = Arc::clone(&context.runtime_env().memory_pool);
    let memory = MemoryConsumer::new("the pairs of a cluster").register(&pool);
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut names: Vec<String> = vec![];
    let mut number = |name: String| {
        *numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() as u32 - 1
        })
    };
    let (from_number, to_number) = (number(from.to_owned()), number(to.to_owned()));
    let mut edges = vec![];
    let mut similarities = vec![];
    while let Some(batch) = pairs.next().await.transpose()? {
        // The names twice, the edges, their similarities, and the lists of neighbours.
        memory.try_grow(2 * batch.get_array_memory_size() + 64 * batch.num_rows())?;
        let batches = [batch];
        let ends = texts(&batches, 0)?.into_iter().zip(texts(&batches, 1)?);
        for (a, b) in ends {
            edges.push((number(a.unwrap_or_default()), number(b.unwrap_or_default())));
        }
        let values = batches[0].column(2).as_primitive::<Float64Type>();
        similarities.extend(values.values());
    }
    let found = shortest_path(names.len() as u32, &edges, from_number, to_number);
    let Some(found) = found else {
        return exec_err!("the pairs of the job do not connect row {from} with row {to}");
    };
    let ends = |a: u32, b: u32| (a.min(b), a.max(b));
    let steps: Vec<_> = found
        .windows(2)
        .map(|step| ends(step[0], step[1]))
        .collect();
    let on_path: HashSet<_> = steps.iter().collect();
    let pairs = edges.iter().map(|&(a, b)| ends(a, b)).zip(&similarities);
    let of_path: HashMap<_, _> = pairs.filter(|(pair, _)| on_path.contains(pair)).collect();
    let along = steps
        .iter()
        .map(|step| of_path.get(step).map_or(f64::NAN, |found| **found));
    let along = along.collect();
    let ids = found[1..].iter().map(|&node| names[node as usize].clone());
    Ok((ids.collect(), along))
}
