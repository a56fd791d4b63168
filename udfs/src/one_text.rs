//! `one_text(id, text, min_hash, max_hash)`

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
    description = "Returns `text` if both hashes are equal; otherwise it is an error that names the id. The joins call it with one of the texts of an id and the smallest and the largest hash of them, to detect an id with two different texts, up to collisions of 64-bit hashes.",
    syntax_example = "one_text(id, text, min_hash, max_hash)",
    sql_example = r#"```sql
> SELECT one_text('7', 'one', text_hash('one'), text_hash('one')) AS text;
+------+
| text |
+------+
| one  |
+------+
```"#,
    argument(name = "id", description = "The id, for the error."),
    argument(name = "text", description = "A text; NULL gives NULL."),
    argument(
        name = "min_hash",
        description = "The smallest `text_hash` of the id's texts."
    ),
    argument(
        name = "max_hash",
        description = "The largest `text_hash` of the id's texts."
    ),
    related_udf(name = "same_text"),
    related_udf(name = "text_hash")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OneText;

impl Function for OneText {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "one_text",
        all: &[
            ("id", Kind::Text),
            ("text", Kind::Text),
            ("min_hash", Kind::Integer),
            ("max_hash", Kind::Integer),
        ],
        required: 4,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (ids, texts) = (args.texts(0)?, args.texts(1)?);
        let (min, max) = (args.integers(2)?, args.integers(3)?);
        let mut out = StringViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (ids.get(row), texts.get(row), min.get(row), max.get(row)) {
                (Some(_), Some(text), Some(min), Some(max)) if min == max => {
                    out.try_append_value(text)?;
                }
                (Some(id), Some(_), Some(_), Some(_)) => {
                    return exec_err!("the id {id} has two different texts; ids must be unique");
                }
                _ => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
