//! `uncut_parts(spans, cut, min_words)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::uncut_parts;

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::passage_anchors::WORDS;
use crate::spans::Spans;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the parts of spans of words that do not overlap a cut and have a minimum number of words: for each span a list of first_word and end_word.",
    syntax_example = "uncut_parts(spans, cut, min_words)",
    sql_example = r#"```sql
> SELECT uncut_parts(
    [named_struct('first_word', 0, 'end_word', 9), named_struct('first_word', 5, 'end_word', 7)],
    [named_struct('first_word', 3, 'end_word', 5)], 2) AS parts;
+------------------------------------------------------------------------------------------------+
| parts                                                                                          |
+------------------------------------------------------------------------------------------------+
| [[{first_word: 0, end_word: 3}, {first_word: 5, end_word: 9}], [{first_word: 5, end_word: 7}]] |
+------------------------------------------------------------------------------------------------+
```"#,
    argument(
        name = "spans",
        description = "A list of structs with the integer fields first_word and end_word. A row without a list has no spans."
    ),
    argument(
        name = "cut",
        description = "The words that are cut: a list of structs with the same fields. A row without a list has none."
    ),
    argument(
        name = "min_words",
        description = "The minimum number of words of a part: a constant from 1 to 1000."
    ),
    related_udf(name = "passage_grams"),
    related_udf(name = "word_runs")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct UncutParts;

impl Function for UncutParts {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "uncut_parts",
        all: &[
            ("spans", Kind::Records),
            ("cut", Kind::Records),
            ("min_words", Kind::Count),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        constants.integer(2, WORDS, *WORDS.start())?;
        for data_type in &types[..2] {
            Spans::check(Self::PARAMETERS.function, data_type, Spans::WORDS)?;
        }
        Ok(DataType::new_list(parts_type(), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let min_words = args.constants().integer(2, WORDS, *WORDS.start())?;
        let spans = Spans::new(function, args, 0, Spans::WORDS)?;
        let cut = Spans::new(function, args, 1, Spans::WORDS)?;
        let (mut spans_of_row, mut cut_of_row) = (Vec::new(), Vec::new());
        let (mut firsts, mut ends) = (Vec::new(), Vec::new());
        let mut parts_of_spans = StructLists::new(function, args.rows());
        let mut spans_of_rows = Vec::with_capacity(args.rows());
        for row in 0..args.rows() {
            spans.row(row, &mut spans_of_row)?;
            cut.row(row, &mut cut_of_row)?;
            spans_of_rows.push(spans_of_row.len());
            for parts in uncut_parts(&spans_of_row, &cut_of_row, min_words) {
                firsts.extend(parts.iter().map(|part| part.start as i64));
                ends.extend(parts.iter().map(|part| part.end as i64));
                parts_of_spans.end_row(true, firsts.len())?;
            }
        }
        let parts = parts_of_spans.finish(
            fields(),
            vec![
                Arc::new(Int64Array::from(firsts)),
                Arc::new(Int64Array::from(ends)),
            ],
        )?;
        Ok(Arc::new(ListArray::try_new(
            Field::new_list_field(parts_type(), true).into(),
            OffsetBuffer::from_lengths(spans_of_rows),
            parts,
            None,
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(Spans::WORDS.map(integer_field).to_vec())
}

fn parts_type() -> DataType {
    StructLists::data_type(fields())
}
