//! `neardup why`: prints why a row of a job was removed or kept.

use super::options::Global;
use super::out;
use super::show::{indented, marked_for_terminal, shortened};
use super::visible::visible_line;
use clap::Args;
use console::truncate_str;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, plan_err};
use neardup::jobs::{ChangeKind, Measure, PairClass, Why, WhyRow, why};
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
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let (id, directory) = (&arguments.id, &arguments.directory);
    if Path::new(id).is_dir() && !Path::new(directory).exists() {
        return plan_err!("the id comes first: neardup why {directory} {id}");
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
        let mut changes: Vec<String> = why
            .changes
            .iter()
            .take(MAX_CHANGES)
            .map(|(kind, kept, own)| changed(*kind, kept, own))
            .collect();
        if let more @ 1.. = why.changes.len().saturating_sub(MAX_CHANGES) {
            changes.push(format!("and {more} more"));
        }
        let changes = match changes.is_empty() {
            true => String::new(),
            false => format!(": {}", changes.join(", ")),
        };
        writeln!(out, "          {}{changes}", class.word().replace('_', " "))?;
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
