//! `item_spans(text, index, min_coverage)`

use arrow::array::ArrayRef;
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Fields};
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{ItemIndex, ItemScratch};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::contained_items::{list, number, numbers};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns where the items of an index stand in a text: spans of characters that do not overlap, in the order of the text, each with start_char and end_char (after its last character). They hold all runs of the items that `contained_items` returns, and the words between two runs of an item that follow one another in the item, too, if these are fewer than min_run: words of the item were changed there. The function `cut_spans` removes them.",
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
        Ok(DataType::new_list(DataType::Struct(fields()), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let min_coverage = args.constants().threshold(2)?;
        let (texts, indexes) = (args.texts(0)?, args.bytes(1)?);
        let mut scratch = ItemScratch::default();
        let mut spans = Vec::new();
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let before = spans.len();
            let both = texts.get(row).zip(indexes.get(row));
            valid.push(both.is_some());
            if let Some((text, index)) = both {
                let index = ItemIndex::from_bytes(index)
                    .map_err(|error| exec_datafusion_err!("item_spans: {error}"))?;
                spans.extend(index.spans(text, min_coverage, &mut scratch));
            }
            lengths.push(spans.len() - before);
        }
        if i32::try_from(spans.len()).is_err() {
            return exec_err!(
                "item_spans: the texts of one batch have more than {} spans; lower datafusion.execution.batch_size",
                i32::MAX
            );
        }
        list(
            fields(),
            [
                numbers(spans.iter().map(|span| span.start)),
                numbers(spans.iter().map(|span| span.end)),
            ],
            lengths.into_iter(),
            Some(NullBuffer::from(valid)),
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(["start_char", "end_char"].map(number).to_vec())
}
