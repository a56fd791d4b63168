//! `neardup show`: prints clusters with their texts and the differences between them.

use super::difference::{Kind, Passage, first_characters, last_characters, passages};
use super::options::Global;
use super::out::Out;
use super::script::{Format, print_stream};
use super::visible::{visible, visible_line};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{cast as cast_expr, ident, lit};
use datafusion::prelude::{DataFrame, JoinType, SessionContext};
use std::io::{IsTerminal, Write};

/// Maximum number of characters of a text that are shown, and above which only the passages around differences are.
const MAX_CHARS: usize = 2000;
/// Maximum number of characters of a long text that are shown of one difference.
const DIFFERENCE: usize = 600;
/// Number of characters of a long text that are shown on each side of a difference.
const CONTEXT: usize = 200;

/// Show the result of a job: clusters with their texts and the differences between them
///
/// With --json each row of a cluster is a JSON object on a line, with its whole text. Colours are left out if the
/// environment variable NO_COLOR is set.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of the job
    #[arg(value_name = "DIR", default_value = "neardup-out")]
    directory: String,
    /// Show only the cluster with this id
    #[arg(long, value_name = "ID")]
    cluster: Option<String>,
    /// Maximum number of clusters to show, largest first
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one())]
    clusters: u64,
    /// Maximum number of rows of a cluster to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one())]
    rows: u64,
}

fn at_least_one() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=1 << 40)
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let context = global.session()?;
    let manifest = neardup::jobs::register_result(&context, &arguments.directory).await?;
    let ids = match &arguments.cluster {
        Some(id) => vec![id.clone()],
        None => largest(&context, arguments.clusters as usize).await?,
    };
    let mut out = Out::new();
    if ids.is_empty() && !global.json {
        writeln!(out, "no near-duplicates were found")?;
    }
    for id in ids {
        let rows = members(&context, &id, arguments.rows as usize).await?;
        if global.json {
            let rows = rows.cache().await?;
            if rows.clone().count().await? == 0 {
                return no_cluster(&context, &id).await;
            }
            print_stream(rows, Format::Json).await?;
            continue;
        }
        let rows = printed(rows).await?;
        if rows.iter().all(|batch| batch.num_rows() == 0) {
            return no_cluster(&context, &id).await;
        }
        print_cluster(&mut out, &id, &rows, manifest.is_normalized())?;
        out.flush()?;
    }
    out.flush()?;
    Ok(())
}

/// The error for an id that no cluster has, with the cluster of the row of that id.
async fn no_cluster<T>(context: &SessionContext, id: &str) -> Result<T> {
    let row = context
        .table("clusters")
        .await?
        .filter(cast_expr(ident("id"), DataType::Utf8).eq(lit(id)))?
        .select(vec![cast_expr(ident("cluster_id"), DataType::Utf8)])?
        .limit(0, Some(1))?
        .collect()
        .await?;
    let row = row.iter().find(|batch| batch.num_rows() > 0);
    let hint = row.map_or_else(String::new, |batch| {
        let cluster = batch.column(0).as_string::<i32>().value(0);
        format!(
            "; the row of this id is in cluster {}",
            visible_line(cluster)
        )
    });
    datafusion::common::exec_err!("there is no cluster {}{hint}", visible_line(id))
}

async fn largest(context: &SessionContext, count: usize) -> Result<Vec<String>> {
    let batches = context
        .table("clusters")
        .await?
        .filter(ident("cluster_size").gt(lit(1_i64)))?
        .select(vec![
            cast_expr(ident("cluster_id"), DataType::Utf8).alias("name"),
            ident("cluster_id"),
            ident("cluster_size"),
        ])?
        .distinct()?
        .sort(vec![
            ident("cluster_size").sort(false, false),
            ident("cluster_id").sort(true, false),
        ])?
        .limit(0, Some(count))?
        .collect()
        .await?;
    let mut ids = Vec::new();
    for batch in &batches {
        ids.extend(
            batch
                .column(0)
                .as_string::<i32>()
                .iter()
                .flatten()
                .map(str::to_owned),
        );
    }
    Ok(ids)
}

/// Rows of a cluster, the kept one first, then the least similar, with their texts. An id that is repeated in the
/// documents is one row.
async fn members(context: &SessionContext, id: &str, count: usize) -> Result<DataFrame> {
    let clusters = context
        .table("clusters")
        .await?
        .filter(cast_expr(ident("cluster_id"), DataType::Utf8).eq(lit(id)))?;
    let title = match clusters.schema().has_column_with_unqualified_name("title") {
        true => ident("title"),
        false => lit(ScalarValue::Utf8(None)),
    };
    let clusters = clusters.select(vec![
        ident("cluster_id"),
        ident("id").alias("row_id"),
        ident("kept"),
        ident("similarity"),
        ident("cluster_size"),
        title.alias("title"),
    ])?;
    let columns = [
        "cluster_id",
        "row_id",
        "kept",
        "similarity",
        "cluster_size",
        "title",
        "text",
    ];
    let first = vec![
        ident("row_id").sort(true, false),
        ident("text").sort(true, false),
    ];
    let documents = context.table("documents").await?;
    clusters
        .join(documents, JoinType::Left, &["row_id"], &["id"], None)?
        .distinct_on(
            vec![ident("row_id")],
            columns.map(ident).to_vec(),
            Some(first),
        )?
        .sort(vec![
            ident("kept").sort(false, false),
            ident("similarity").sort(true, false),
            ident("row_id").sort(true, false),
        ])?
        .limit(0, Some(count.max(1)))?
        .with_column_renamed("row_id", "id")
}

/// The columns that [`print_cluster`] prints.
async fn printed(rows: DataFrame) -> Result<Vec<RecordBatch>> {
    rows.select(vec![
        cast_expr(ident("id"), DataType::Utf8).alias("name"),
        ident("kept"),
        ident("similarity"),
        ident("cluster_size"),
        ident("title"),
        ident("text"),
    ])?
    .collect()
    .await
}

fn print_cluster(
    out: &mut impl Write,
    id: &str,
    batches: &[RecordBatch],
    is_normalized: bool,
) -> Result<()> {
    let id = visible_line(id);
    let mut first: Option<String> = None;
    let mut shown = 0;
    let mut size = 0;
    for batch in batches {
        let text = |column: usize| cast(batch.column(column), &DataType::Utf8);
        let (names, titles, texts) = (text(0)?, text(4)?, text(5)?);
        let (names, titles, texts) = (
            names.as_string::<i32>(),
            titles.as_string::<i32>(),
            texts.as_string::<i32>(),
        );
        let similarity = batch.column(2).as_primitive::<Float64Type>();
        let sizes = batch.column(3).as_primitive::<Int64Type>();
        for row in 0..batch.num_rows() {
            size = sizes.value(row) as usize;
            let body = if texts.is_valid(row) {
                texts.value(row)
            } else {
                ""
            };
            let name = visible_line(names.value(row));
            let title = match titles.is_valid(row) && !titles.value(row).is_empty() {
                true => format!("  {}", visible_line(titles.value(row))),
                false => String::new(),
            };
            match &first {
                None => {
                    writeln!(out, "cluster {id}, {size} rows")?;
                    writeln!(out, "  {:>6}  {name}{title}", "kept")?;
                    writeln!(out, "          {}", indented(&shortened(body)))?;
                    first = Some(body.to_owned());
                }
                Some(first) => {
                    let label = match similarity.is_valid(row) {
                        true => format!("{:.3}", similarity.value(row)),
                        false => "kept".to_owned(),
                    };
                    writeln!(out, "  {label:>6}  {name}{title}")?;
                    let marked = marked_for_terminal(first, body, is_normalized);
                    writeln!(out, "          {}", indented(&marked))?;
                }
            }
            shown += 1;
        }
    }
    if size > shown {
        writeln!(out, "          … and {} more", size - shown)?;
    }
    writeln!(out)?;
    Ok(())
}

/// A text whose further lines are indented, so that they cannot be mistaken for lines of the output.
pub(super) fn indented(text: &str) -> String {
    text.replace('\n', "\n          ")
}

/// Whether differences are marked with colours.
fn is_coloured() -> bool {
    // https://no-color.org
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && std::io::stdout().is_terminal()
}

/// The beginning of a text, with hidden characters made visible.
pub(super) fn shortened(text: &str) -> String {
    let (text, is_cut) = first_characters(text, MAX_CHARS);
    format!("{}{}", visible(text), if is_cut { " …" } else { "" })
}

/// The second text with its differences from the first, in colours if the terminal shows them. Of long texts the passages
/// around the differences are shown.
pub(super) fn marked_for_terminal(first: &str, second: &str, is_normalized: bool) -> String {
    marked(first, second, is_normalized, is_coloured())
}

/// The second text with its differences from the first: removed words in [-…-], added words in {+…+}.
fn marked(first: &str, second: &str, is_normalized: bool, colour: bool) -> String {
    let (removed, added) = match colour {
        true => (("\x1b[31m[-", "-]\x1b[0m"), ("\x1b[32m{+", "+}\x1b[0m")),
        false => (("[-", "-]"), ("{+", "+}")),
    };
    let is_long = first_characters(first, MAX_CHARS).1 || first_characters(second, MAX_CHARS).1;
    let passages = passages(first, second, is_normalized);
    let differs = |at: usize| {
        let passage = passages.get(at);
        passage.is_some_and(|passage: &Passage<'_>| passage.kind == Kind::Differs)
    };
    let mut text = String::new();
    let (mut left, max_side) = match is_long {
        true => (MAX_CHARS, DIFFERENCE),
        false => (usize::MAX, usize::MAX),
    };
    for (at, passage) in passages.iter().enumerate() {
        if left == 0 {
            leave_out(&mut text);
            break;
        }
        match passage.kind {
            Kind::Differs => {
                for (words, (open, close)) in passage.sides.into_iter().zip([removed, added]) {
                    let (words, is_cut) = first_characters(words, left.min(max_side));
                    if words.is_empty() {
                        continue;
                    }
                    left -= words.chars().count();
                    let more = if is_cut { " …" } else { "" };
                    text.push_str(&format!("{open}{}{more}{close}", visible(words)));
                }
            }
            Kind::Equal => {
                let words = passage.sides[1];
                let begin = if at > 0 || !differs(at + 1) {
                    CONTEXT
                } else {
                    0
                };
                let end = if differs(at + 1) { CONTEXT } else { 0 };
                if is_long && first_characters(words, begin + end).1 {
                    text.push_str(&visible(first_characters(words, begin).0));
                    leave_out(&mut text);
                    text.push_str(&visible(last_characters(words, end)));
                    left = left.saturating_sub(begin + end);
                } else {
                    text.push_str(&visible(words));
                    left = left.saturating_sub(words.chars().count());
                }
            }
        }
    }
    if text.ends_with("… ") {
        text.pop();
    }
    text
}

/// Marks that words are left out.
fn leave_out(text: &mut String) {
    if text.is_empty() {
        text.push_str("… ");
    } else if !text.ends_with("… ") {
        text.push_str(" … ");
    }
}

#[cfg(test)]
mod tests {
    use super::{marked, marked_for_terminal, shortened};

    #[test]
    fn differences_are_marked() {
        assert_eq!(
            marked("born in 1960 there", "born in 1961 there", true, false),
            "born in [-1960-]{+1961+} there"
        );
        assert_eq!(marked("same", "same", true, false), "same");
        assert_eq!(
            marked("Born in  1960", "BORN IN 1961\u{202e}", true, false),
            "BORN IN [-1960-]{+1961<U+202E>+}"
        );
        assert_eq!(
            marked("Born in", "BORN in", false, false),
            "[-Born-]{+BORN+} in"
        );
    }

    /// The first characters of long texts were shown, in which nothing differs.
    #[test]
    fn the_differences_of_long_texts_are_shown() {
        let text = |end: &str| format!("{}{end}", "word ".repeat(5000));
        let shown = marked_for_terminal(&text("1931"), &text("1934"), true);
        assert!(shown.starts_with("… "), "{shown}");
        assert!(shown.ends_with("word [-1931-]{+1934+}"), "{shown}");
        let shown = marked_for_terminal(&text("1931"), &text("1931"), true);
        assert!(
            shown.len() < 1000 && shown.starts_with("word word") && shown.ends_with(" …"),
            "{shown}"
        );
        let (a, b) = (text("1931 "), text("1934 "));
        let shown = marked_for_terminal(&a.repeat(3), &b.repeat(3), true);
        assert_eq!(shown.matches("[-1931-]{+1934+}").count(), 3, "{shown}");
        assert_eq!(shown.matches(" … ").count(), 2, "{shown}");
        assert!(shown.len() < 3000, "{shown}");
        // Both sides of a long difference.
        let shown = marked_for_terminal(&"old".repeat(1000), &"new".repeat(1000), true);
        assert!(
            shown.starts_with("[-oldold") && shown.ends_with("new …+}") && shown.len() < 1300,
            "{shown}"
        );
        assert!(shortened(&text("")).ends_with(" …"));
    }
}
