//! `neardup why`: prints why a row of a job was removed or kept.

use super::options::Global;
use super::out;
use super::show::{indented, marked_for_terminal, shortened};
use super::visible::visible_line;
use clap::Args;
use console::truncate_str;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, plan_err};
use neardup::jobs::{ChangeKind, Measure, PairClass, Why, WhyPair, WhyRow, why, why_pair};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Maximum number of facts that are printed.
const MAX_CHANGES: usize = 10;
/// Maximum number of columns of the value of a fact.
const VALUE_WIDTH: usize = 80;

/// Show why a row was removed: the kept row that represents it, their similarity, and what differs
///
/// For a job with --resolution components it also shows the pairs that connect the row with the kept one.
/// With --json the answer is a JSON object, with whole texts.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Id of the row
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    id: String,
    /// Directory of the job
    #[arg(value_name = "DIR", default_value = "neardup-out")]
    directory: String,
    /// Id of another row, to see why the two are a pair or not: their similarity, and what differs
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pair: Option<String>,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let (id, directory) = (&arguments.id, &arguments.directory);
    if Path::new(id).is_dir() && !Path::new(directory).exists() {
        return match &arguments.pair {
            None => plan_err!("the id comes first: neardup why {directory} {id}"),
            Some(other) => plan_err!("the ids come first: neardup why ID --pair {other} {id}"),
        };
    }
    if let Some(other) = &arguments.pair {
        let found = why_pair(&global.session()?, directory, [id, other]).await?;
        return out::print(|out| match global.json {
            true => Ok(writeln!(out, "{}", pair_as_json(&found))?),
            false => print_pair(out, &found),
        });
    }
    let found = why(&global.session()?, directory, id).await?;
    out::print(|out| match global.json {
        true => {
            let text = serde_json::to_string(&as_json(&found)).map_err(|error| {
                exec_datafusion_err!("the answer cannot be written as JSON: {error}")
            })?;
            Ok(writeln!(out, "{text}")?)
        }
        false => print(out, &found),
    })
}

/// A fact that differs between a kept row and a removed one.
pub(super) fn changed(kind: ChangeKind, kept: &str, removed: &str) -> String {
    let value = |text: &str| truncate_str(&visible_line(text), VALUE_WIDTH, "…").into_owned();
    let kind = kind.word();
    match (kept, removed) {
        ("", removed) => format!("{kind} {} only in the removed row", value(removed)),
        (kept, "") => format!("{kind} {} only in the kept row", value(kept)),
        (kept, removed) => format!("{kind} {} → {}", value(kept), value(removed)),
    }
}

/// What a reason of `removed.parquet` means.
fn meaning(reason: Option<&str>, measure: Measure) -> &'static str {
    match (reason, measure) {
        (Some("copy"), _) => "was removed: it is a copy of the kept row",
        (_, Measure::Containment) => "was removed: the kept row contains enough of it",
        (Some("component"), _) => {
            "was removed: a path of similar rows connects it with the kept row"
        }
        _ => "was removed: it is similar to the kept row",
    }
}

fn print(out: &mut impl Write, why: &Why) -> Result<()> {
    let name = |row: &WhyRow| visible_line(&row.id.to_string()).into_owned();
    let head = |row: &WhyRow| match row.title.as_deref() {
        Some(title) if !title.is_empty() => format!("{}  {}", name(row), visible_line(title)),
        _ => name(row),
    };
    let repeated = match why.repeated {
        0 => String::new(),
        1 => "; another row with this id was removed".to_owned(),
        rows => format!("; {rows} other rows with this id were removed"),
    };
    let text = |row: &WhyRow| row.text.clone().unwrap_or_default();
    let Some(kept) = &why.representative else {
        match why.cluster_size {
            1 if !why.has_item => writeln!(
                out,
                "row {} is kept: it has no text, and was not compared{repeated}",
                name(&why.row)
            )?,
            1 => {
                let compared = match why.within.is_empty() {
                    true => String::new(),
                    false => format!(
                        " with the same {}, and a row with NULL there is compared with none",
                        visible_line(&why.within.join(", "))
                    ),
                };
                writeln!(
                    out,
                    "row {} is kept: it is similar to no other row{compared}{repeated}",
                    name(&why.row)
                )?
            }
            size => writeln!(
                out,
                "row {} is kept: it represents the {size} rows of cluster {}{repeated}",
                name(&why.row),
                visible_line(&why.cluster.to_string())
            )?,
        }
        writeln!(out, "    kept  {}", head(&why.row))?;
        writeln!(out, "          {}", indented(&shortened(&text(&why.row))))?;
        return Ok(());
    };
    writeln!(
        out,
        "row {} {}; cluster {}, {} rows{repeated}",
        name(&why.row),
        meaning(why.reason.as_deref(), why.measure),
        visible_line(&why.cluster.to_string()),
        why.cluster_size
    )?;
    let label = |similarity: Option<f64>| match similarity {
        Some(similarity) => format!("{similarity:.3}"),
        None => String::new(),
    };
    writeln!(out, "    kept  {}", head(kept))?;
    writeln!(out, "          {}", indented(&shortened(&text(kept))))?;
    writeln!(out, "  {:>6}  {}", label(why.similarity), head(&why.row))?;
    let marked = marked_for_terminal(&text(kept), &text(&why.row), why.is_normalized);
    writeln!(out, "          {}", indented(&marked))?;
    if let Some(class) = why.class {
        let facts = facts(class, &why.changes, changed);
        writeln!(out, "          {facts}")?;
    }
    if why.path.len() > 1 {
        writeln!(out, "\npairs from row {} to the kept row:", name(&why.row))?;
        let mut before = &why.row;
        for step in &why.path {
            writeln!(
                out,
                "  {:>6}  {}",
                label(Some(step.similarity)),
                head(&step.row)
            )?;
            let marked = marked_for_terminal(&text(before), &text(&step.row), why.is_normalized);
            writeln!(out, "          {}", indented(&marked))?;
            before = &step.row;
        }
    }
    Ok(())
}

/// The class of a difference, and the facts that differ.
fn facts(
    class: PairClass,
    changes: &[(ChangeKind, String, String)],
    changed: impl Fn(ChangeKind, &str, &str) -> String,
) -> String {
    let shown = changes.iter().take(MAX_CHANGES);
    let mut shown: Vec<String> = shown.map(|(kind, a, b)| changed(*kind, a, b)).collect();
    if let more @ 1.. = changes.len().saturating_sub(MAX_CHANGES) {
        shown.push(format!("and {more} more"));
    }
    let class = class.word().replace('_', " ");
    match shown.is_empty() {
        true => class,
        false => format!("{class}: {}", shown.join(", ")),
    }
}

fn print_pair(out: &mut impl Write, pair: &WhyPair) -> Result<()> {
    let [a, b] = &pair.rows;
    let name = |row: &WhyRow| visible_line(&row.id.to_string()).into_owned();
    let text = |why: &Why| why.row.text.clone().unwrap_or_default();
    let measured = match &pair.shingle {
        Some(shingle) => format!("{} of {shingle}", a.measure),
        None => a.measure.to_string(),
    };
    let verdict = match pair.similarity {
        None => "not compared: a row has no text".to_owned(),
        Some(_) if !pair.has_same_group => format!(
            "not compared: they do not agree in {}, or have NULL there",
            visible_line(&a.within.join(", "))
        ),
        Some(similarity) if similarity < pair.threshold => {
            format!(
                "not a pair: they are less similar than the threshold {}",
                pair.threshold
            )
        }
        Some(_) => format!("a pair at the threshold {}", pair.threshold),
    };
    writeln!(
        out,
        "rows {} and {} are {verdict}",
        name(&a.row),
        name(&b.row)
    )?;
    writeln!(out, "          {}", indented(&shortened(&text(a))))?;
    if let Some(similarity) = pair.similarity {
        writeln!(out, "  {similarity:>6.3}  {measured}")?;
    }
    let marked = marked_for_terminal(&text(a), &text(b), a.is_normalized);
    writeln!(out, "          {}", indented(&marked))?;
    if let Some(class) = pair.class {
        let facts = facts(class, &pair.changes, changed_between);
        writeln!(out, "          {facts}")?;
    }
    for why in &pair.rows {
        let decision = match &why.representative {
            None => "is kept".to_owned(),
            Some(kept) => format!("was removed, and row {} represents it", name(kept)),
        };
        writeln!(out, "row {} {decision}", name(&why.row))?;
    }
    if let Some(recall) = pair.target_recall
        && pair.is_pair()
    {
        writeln!(
            out,
            "the job is expected to find a share of {recall} of the pairs at the threshold, and more above it"
        )?;
    }
    Ok(())
}

/// A fact that differs between two rows.
fn changed_between(kind: ChangeKind, a: &str, b: &str) -> String {
    let value = |text: &str| match text {
        "" => "nothing".to_owned(),
        text => truncate_str(&visible_line(text), VALUE_WIDTH, "…").into_owned(),
    };
    format!("{} {} → {}", kind.word(), value(a), value(b))
}

fn pair_as_json(pair: &WhyPair) -> Value {
    let changes = pair.changes.iter();
    let changes = changes.map(|(kind, a, b)| json!({"kind": kind.word(), "first": a, "second": b}));
    json!({
        "rows": pair.rows.each_ref().map(as_json),
        "pair": pair.is_pair(),
        "similarity": pair.similarity,
        "measure": pair.rows[0].measure.to_string(),
        "shingle": pair.shingle,
        "threshold": pair.threshold,
        "same_group": pair.has_same_group,
        "target_recall": pair.target_recall,
        "class": pair.class.map(PairClass::word),
        "changes": changes.collect::<Vec<_>>(),
    })
}

fn as_json(why: &Why) -> Value {
    let row = |row: &WhyRow| json!({"id": id(&row.id), "title": row.title, "text": row.text});
    let path: Vec<Value> = why
        .path
        .iter()
        .map(|step| {
            let mut value = row(&step.row);
            value["similarity"] = step.similarity.into();
            value
        })
        .collect();
    let changes: Vec<Value> = why
        .changes
        .iter()
        .map(|(kind, kept, own)| json!({"kind": kind.word(), "kept": kept, "removed": own}))
        .collect();
    json!({
        "row": row(&why.row),
        "kept": why.representative.is_none(),
        "representative": why.representative.as_ref().map(row),
        "similarity": why.similarity,
        "reason": why.reason,
        "repeated": why.repeated,
        "class": why.class.map(PairClass::word),
        "changes": changes,
        "cluster_id": id(&why.cluster),
        "cluster_size": why.cluster_size,
        "within": why.within,
        "path": path,
    })
}

/// An id as a number if it is an integer, else as a text.
fn id(value: &ScalarValue) -> Value {
    let value = match value {
        ScalarValue::Dictionary(_, value) => value,
        value => value,
    };
    let text = value.to_string();
    match value.data_type().is_integer() {
        true => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        false => Value::String(text),
    }
}
