//! `unquoted_text(column, text, alone)`

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a text if it can be a value of tab-separated values without quotes; otherwise it is an error that names the column. `COPY … TO 'x.tsv'` calls it.",
    syntax_example = "unquoted_text(column, text, alone)",
    sql_example = r#"```sql
> SELECT unquoted_text('title', 'the "one"', false) AS title;
+-----------+
| title     |
+-----------+
| the "one" |
+-----------+
```"#,
    argument(
        name = "column",
        description = "The name of the column, for the error."
    ),
    argument(
        name = "text",
        description = "A text, which must not have tabs or line breaks; NULL gives NULL."
    ),
    argument(
        name = "alone",
        description = "Whether it is the only value of its row. An empty text and NULL are then errors, because the row would be a blank line."
    ),
    related_udf(name = "same_text")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct UnquotedText;

impl Function for UnquotedText {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "unquoted_text",
        all: &[
            ("column", Kind::Text),
            ("text", Kind::Text),
            ("alone", Kind::Flag),
        ],
        required: 3,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (columns, texts) = (args.texts(0)?, args.texts(1)?);
        let alone = args.constants().flag(2, false)?;
        let mut out = StringViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let column = columns.get(row).unwrap_or_default();
            let text = texts.get(row);
            if alone && text.is_none_or(str::is_empty) {
                return exec_err!(
                    "column {column}: an empty value in the only column of tab-separated values is a blank line, which readers skip; write CSV or JSON lines"
                );
            }
            match text {
                Some(text) if text.contains(['\t', '\n', '\r']) => {
                    return exec_err!(
                        "column {column}: a text with a tab or a line break cannot be a value of tab-separated values, which have no quotes; write a file .csv or .jsonl, or quote values with COPY … OPTIONS ('format.quote' '\"')"
                    );
                }
                Some(text) => out.try_append_value(text)?,
                None => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
