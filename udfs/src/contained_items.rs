//! `contained_items(text, index, min_coverage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, ListArray, StringArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{FoundItem, ItemIndex, ItemRun, ItemScratch};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the items of an index that stand in a text: the number of each, kind ('verbatim': one run holds all of its words; 'near': runs hold some of them; 'short': an item of fewer words than a run, as a whole), hits and ignored_hits (its n-grams in the runs, and those of them that stand in too many items), coverage (the share of its words that runs hold; words that only ignored n-grams hold do not count), longest_run (in words), start_char and end_char (of the first and the last character of all runs in the text, the latter after it), and runs: the first 100, each with its offsets in characters in the text and in the item, and its words. A run is maximal: at least min_run equal words of which one n-gram is not ignored.",
    syntax_example = "contained_items(text, index, min_coverage)",
    sql_example = r#"```sql
> SELECT hit['item'] AS item, hit['kind'] AS kind, hit['coverage'] AS coverage, hit['runs'][1]['start_char'] AS start_char
  FROM (
    SELECT UNNEST(contained_items('Quiz: what is the capital of Norway?', items, 0.5)) AS hit
    FROM (SELECT item_index(item_list(n, t), 4, 10, 4) AS items FROM (VALUES (1, 'What is the capital of Norway?')) AS v (n, t))
  );
+------+----------+----------+------------+
| item | kind     | coverage | start_char |
+------+----------+----------+------------+
| 1    | verbatim | 1.0      | 6          |
+------+----------+----------+------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "index",
        description = "The result of `item_index`; NULL gives NULL."
    ),
    argument(
        name = "min_coverage",
        description = "The minimum coverage: a constant greater than 0 and at most 1."
    ),
    related_udf(name = "item_index"),
    related_udf(name = "item_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ContainedItems;

impl Function for ContainedItems {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "contained_items",
        all: &[
            ("text", Kind::Text),
            ("index", Kind::Sketch),
            ("min_coverage", Kind::Threshold),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.threshold(2)?;
        Ok(DataType::new_list(DataType::Struct(item_fields()), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let min_coverage = args.constants().threshold(2)?;
        let (texts, indexes) = (args.texts(0)?, args.bytes(1)?);
        let mut scratch = ItemScratch::default();
        let mut found: Vec<FoundItem> = Vec::new();
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let before = found.len();
            let both = texts.get(row).zip(indexes.get(row));
            valid.push(both.is_some());
            if let Some((text, index)) = both {
                // Reads only the header.
                let index = ItemIndex::from_bytes(index)
                    .map_err(|error| exec_datafusion_err!("contained_items: {error}"))?;
                index.find(text, min_coverage, &mut scratch, &mut found);
            }
            lengths.push(found.len() - before);
        }
        let runs: Vec<ItemRun> = found.iter().flat_map(|item| &item.runs).copied().collect();
        if i32::try_from(runs.len()).is_err() {
            return exec_err!(
                "contained_items: the texts of one batch have more than {} runs; lower datafusion.execution.batch_size",
                i32::MAX
            );
        }
        let runs = list(
            run_fields(),
            [
                numbers(runs.iter().map(|run| run.in_text.0)),
                numbers(runs.iter().map(|run| run.in_text.1)),
                numbers(runs.iter().map(|run| run.in_item.0)),
                numbers(runs.iter().map(|run| run.in_item.1)),
                numbers(runs.iter().map(|run| run.words)),
            ],
            found.iter().map(|item| item.runs.len()),
            None,
        )?;
        let kinds = found.iter().map(|item| item.kind.word());
        let coverages = found.iter().map(|item| item.coverage);
        list(
            item_fields(),
            [
                Arc::new(Int64Array::from_iter_values(
                    found.iter().map(|item| item.number),
                )) as ArrayRef,
                Arc::new(StringArray::from_iter_values(kinds)),
                numbers(found.iter().map(|item| item.hits)),
                numbers(found.iter().map(|item| item.ignored_hits)),
                Arc::new(Float64Array::from_iter_values(coverages)),
                numbers(found.iter().map(|item| item.longest)),
                numbers(found.iter().map(|item| item.span.0)),
                numbers(found.iter().map(|item| item.span.1)),
                runs,
            ],
            lengths.into_iter(),
            Some(NullBuffer::from(valid)),
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// Numbers as Int64.
pub(crate) fn numbers(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.map(i64::from)))
}

/// Lists of structs.
pub(crate) fn list<const N: usize>(
    fields: Fields,
    columns: [ArrayRef; N],
    lengths: impl Iterator<Item = usize>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let values = StructArray::try_new(fields.clone(), columns.to_vec(), None)?;
    Ok(Arc::new(ListArray::try_new(
        Field::new_list_field(DataType::Struct(fields), true).into(),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(values),
        nulls,
    )?))
}

/// A field of offsets or counts.
pub(crate) fn number(name: &str) -> Field {
    Field::new(name, DataType::Int64, true)
}

fn run_fields() -> Fields {
    let names = [
        "start_char",
        "end_char",
        "item_start_char",
        "item_end_char",
        "words",
    ];
    Fields::from(names.map(number).to_vec())
}

fn item_fields() -> Fields {
    let runs = DataType::new_list(DataType::Struct(run_fields()), true);
    Fields::from(vec![
        number("item"),
        Field::new("kind", DataType::Utf8, true),
        number("hits"),
        number("ignored_hits"),
        Field::new("coverage", DataType::Float64, true),
        number("longest_run"),
        number("start_char"),
        number("end_char"),
        Field::new("runs", runs, true),
    ])
}
