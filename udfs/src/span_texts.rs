//! `span_texts(text, spans[, max_length])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::texts_of_spans;

use crate::columns::{Arguments, Constants, Kind, Parameters, text_lists};
use crate::function::Function;
use crate::spans::Spans;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the passages of a text at the given spans, in the order of the spans. The text is read once, whatever their number.",
    syntax_example = "span_texts(text, spans[, max_length])",
    sql_example = r#"```sql
> SELECT span_texts('See the map.', [named_struct('start_char', 8, 'end_char', 11), named_struct('start_char', 0, 'end_char', 3)]) AS passages;
+------------+
| passages   |
+------------+
| [map, See] |
+------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "spans",
        description = "A list of structs with the integer fields start_char and end_char: offsets in characters of the first character of a passage and after its last one. NULL gives an empty list."
    ),
    argument(
        name = "max_length",
        description = "The maximum number of characters of a passage, which is cut after them: a constant; by default passages are not cut."
    ),
    related_udf(name = "cut_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SpanTexts;

impl Function for SpanTexts {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "span_texts",
        all: &[
            ("text", Kind::Text),
            ("spans", Kind::Records),
            ("max_length", Kind::Count),
        ],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        max_length(constants)?;
        Spans::check(Self::PARAMETERS.function, types[1], Spans::CHARS)?;
        Ok(DataType::new_list(DataType::Utf8, true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let max_length = max_length(&args.constants())? as usize;
        let (texts, spans) = (
            args.texts(0)?,
            Spans::new(Self::PARAMETERS.function, args, 1, Spans::CHARS)?,
        );
        let mut of_row = Vec::new();
        let mut wrong = Ok(());
        let lists = text_lists(Self::PARAMETERS.function, args.rows(), |row, push| {
            let text = texts.get(row)?;
            if let Err(error) = spans.row(row, &mut of_row) {
                wrong = Err(error);
                return None;
            }
            texts_of_spans(text, &of_row, max_length)
                .into_iter()
                .for_each(push);
            Some(())
        });
        wrong.and(lists)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn max_length(constants: &Constants<'_>) -> Result<u32> {
    constants.integer(2, 0..=u32::MAX, u32::MAX)
}
