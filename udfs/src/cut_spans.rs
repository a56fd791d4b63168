//! `cut_spans(text, spans)`

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::cut_spans;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use crate::spans::Spans;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a text without some of its passages; the remaining text is joined: of the white space around a passage the side with more line breaks is kept, a line after it keeps its indentation, quotation marks and brackets around it are removed, and so is a stop after it if nothing of its sentence is left before it. No letter or digit outside of the passages is lost.",
    syntax_example = "cut_spans(text, spans)",
    sql_example = r#"```sql
> SELECT cut_spans('See the map. (All rights reserved.) Next page.', [named_struct('start_char', 14, 'end_char', 33)]) AS rest;
+-------------------------+
| rest                    |
+-------------------------+
| See the map. Next page. |
+-------------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "spans",
        description = "A list of structs with the integer fields start_char and end_char: offsets in characters of the first character of a passage and after its last one, 0 <= start_char <= end_char, else an error. They may overlap; what is after the end of the text has no effect. A row without a list keeps its text."
    ),
    related_udf(name = "item_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CutSpans;

impl Function for CutSpans {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "cut_spans",
        all: &[("text", Kind::Text), ("spans", Kind::Records)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        Spans::check(Self::PARAMETERS.function, types[1], Spans::CHARS)?;
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (texts, spans) = (
            args.texts(0)?,
            Spans::new(Self::PARAMETERS.function, args, 1, Spans::CHARS)?,
        );
        let mut out = StringViewBuilder::with_capacity(args.rows());
        let mut of_row = Vec::new();
        for row in 0..args.rows() {
            let Some(text) = texts.get(row) else {
                out.append_null();
                continue;
            };
            spans.row(row, &mut of_row)?;
            out.append_value(cut_spans(text, &of_row));
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
