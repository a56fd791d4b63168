//! `item_spans(text, index, min_coverage)`

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Fields};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{ItemIndex, ItemScratch};

use crate::columns::{
    Arguments, Constants, Kind, Parameters, StructLists, integer_column, integer_field,
};
use crate::function::Function;
use crate::spans::Spans;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns where the items of an index occur in a text: spans of characters that do not overlap, in the order of the text, each with start_char and end_char (after its last character). They hold all runs of the items that `contained_items` returns, and the words between two runs of an item that follow one another in the item, too, if these are fewer than min_run: words of the item were changed there. The function `cut_spans` removes them.",
    syntax_example = "item_spans(text, index, min_coverage)",
    sql_example = r#"```sql
> SELECT item_spans('Quiz: what is the capital of Norway? Oslo.', items, 0.5) AS spans
  FROM (SELECT item_index(item_list(n, t), 4, 10, 4) AS items FROM (VALUES (1, 'What is the capital of Norway?')) AS v (n, t));
+---------------------------------+
| spans                           |
+---------------------------------+
| [{start_char: 6, end_char: 35}] |
+---------------------------------+
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
    related_udf(name = "contained_items"),
    related_udf(name = "cut_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ItemSpans;

impl Function for ItemSpans {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "item_spans",
        all: &[
            ("text", Kind::Text),
            ("index", Kind::Sketch),
            ("min_coverage", Kind::Threshold),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.threshold(2)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let min_coverage = args.constants().threshold(2)?;
        let (texts, indexes) = (args.texts(0)?, args.bytes(1)?);
        let mut scratch = ItemScratch::default();
        let mut spans = Vec::new();
        let mut lists = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let both = texts.get(row).zip(indexes.get(row));
            if let Some((text, index)) = both {
                let index = ItemIndex::from_bytes(index)
                    .map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
                spans.extend(index.spans(text, min_coverage, &mut scratch));
            }
            lists.end_row(both.is_some(), spans.len())?;
        }
        lists.finish(
            fields(),
            vec![
                integer_column(spans.iter().map(|span| span.start)),
                integer_column(spans.iter().map(|span| span.end)),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(Spans::CHARS.map(integer_field).to_vec())
}
