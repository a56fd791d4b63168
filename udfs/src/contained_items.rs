//! `contained_items(text, index, min_coverage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{FoundItem, ItemIndex, ItemRun, ItemScratch};

use crate::columns::{
    Arguments, Constants, Kind, Parameters, StructLists, integer_column, integer_field,
};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the items of an index that occur in a text: the number of each, kind ('verbatim': one run holds all of its words; 'near': runs hold some of them; 'short': an item of fewer words than a run, as a whole), hits and ignored_hits (its n-grams in the runs, and those of them that occur in too many items), coverage (the share of its words that runs hold; words that only ignored n-grams hold do not count), longest_run (in words), start_char and end_char (of the first and the last character of all runs in the text, the latter after it), and runs: the first 100, each with its offsets in characters in the text and in the item, and its words. Runs are maximal: at least min_run equal words of which one n-gram is not ignored, and shorter runs beside them; the function `contamination` states which count.",
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
        Ok(StructLists::data_type(item_fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let min_coverage = args.constants().threshold(2)?;
        let (texts, indexes) = (args.texts(0)?, args.bytes(1)?);
        let mut scratch = ItemScratch::default();
        let mut found: Vec<FoundItem> = Vec::new();
        let mut items = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let both = texts.get(row).zip(indexes.get(row));
            if let Some((text, index)) = both {
                // Reads only the header.
                let index = ItemIndex::from_bytes(index)
                    .map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
                index.find(text, min_coverage, &mut scratch, &mut found);
            }
            items.end_row(both.is_some(), found.len())?;
        }
        let runs: Vec<ItemRun> = found.iter().flat_map(|item| &item.runs).copied().collect();
        let (mut runs_of_items, mut end) = (StructLists::new(function, found.len()), 0);
        for item in &found {
            end += item.runs.len();
            runs_of_items.end_row(true, end)?;
        }
        let runs = runs_of_items.finish(
            run_fields(),
            vec![
                integer_column(runs.iter().map(|run| run.in_text.0)),
                integer_column(runs.iter().map(|run| run.in_text.1)),
                integer_column(runs.iter().map(|run| run.in_item.0)),
                integer_column(runs.iter().map(|run| run.in_item.1)),
                integer_column(runs.iter().map(|run| run.words)),
            ],
        )?;
        let kinds = found.iter().map(|item| item.kind.word());
        let coverages = found.iter().map(|item| item.coverage);
        items.finish(
            item_fields(),
            vec![
                Arc::new(Int64Array::from_iter_values(
                    found.iter().map(|item| item.number),
                )),
                Arc::new(StringArray::from_iter_values(kinds)),
                integer_column(found.iter().map(|item| item.hits)),
                integer_column(found.iter().map(|item| item.ignored_hits)),
                Arc::new(Float64Array::from_iter_values(coverages)),
                integer_column(found.iter().map(|item| item.longest)),
                integer_column(found.iter().map(|item| item.span.0)),
                integer_column(found.iter().map(|item| item.span.1)),
                runs,
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn run_fields() -> Fields {
    let names = [
        "start_char",
        "end_char",
        "item_start_char",
        "item_end_char",
        "words",
    ];
    Fields::from(names.map(integer_field).to_vec())
}

fn item_fields() -> Fields {
    let runs = StructLists::data_type(run_fields());
    Fields::from(vec![
        integer_field("item"),
        Field::new("kind", DataType::Utf8, true),
        integer_field("hits"),
        integer_field("ignored_hits"),
        Field::new("coverage", DataType::Float64, true),
        integer_field("longest_run"),
        integer_field("start_char"),
        integer_field("end_char"),
        Field::new("runs", runs, true),
    ])
}
