//! `cut_spans(text, spans)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, StringViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::cut_spans;

use crate::columns::{Arguments, Constants, Kind, Parameters, check_fields};
use crate::function::Function;

const FIELDS: [&str; 2] = ["start_char", "end_char"];

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a text without some of its passages, joined so that it reads on: of the white space around a passage the side with more line breaks stays, quotation marks and brackets around it go, and so does a stop after it if nothing of its sentence is left before it. No letter or digit outside of the passages is lost.",
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
        description = "A list of structs with the integer fields start_char and end_char: offsets in characters of the first character of a passage and after its last one. They may overlap. NULL gives the text."
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
        check_fields(Self::PARAMETERS.function, types[1], &FIELDS, &[])?;
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (texts, records) = (args.texts(0)?, args.records(1)?);
        let [starts, ends] = [records.integers(FIELDS[0])?, records.integers(FIELDS[1])?];
        let mut out = StringViewBuilder::with_capacity(args.rows());
        let mut spans = Vec::new();
        for row in 0..args.rows() {
            let Some(text) = texts.get(row) else {
                out.append_null();
                continue;
            };
            spans.clear();
            for at in records.get(row).into_iter().flatten() {
                let is_null = starts.is_null(at) || ends.is_null(at);
                let [start, end] =
                    [&starts, &ends].map(|offsets| usize::try_from(offsets.value(at)));
                match (start, end) {
                    (Ok(start), Ok(end)) if !is_null && start <= end => spans.push(start..end),
                    _ => {
                        let shown = |offsets: &Int64Array| match offsets.is_null(at) {
                            true => "NULL".to_owned(),
                            false => offsets.value(at).to_string(),
                        };
                        return exec_err!(
                            "cut_spans: a span goes from start_char >= 0 to end_char >= start_char, got {} and {}",
                            shown(&starts),
                            shown(&ends)
                        );
                    }
                }
            }
            out.append_value(cut_spans(text, &spans));
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
