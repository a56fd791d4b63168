//! `same_text(id, a, b)`

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
    description = "Returns `a` if it equals `b`; otherwise it is an error that names the id. Functions that group texts by their ids call it with the smallest and the largest text of an id, to detect an id with two different texts. The comparison is exact, but a group holds two texts; `one_text` compares hashes, so that a group holds one.",
    syntax_example = "same_text(id, a, b)",
    sql_example = r#"```sql
> SELECT same_text('7', 'one', 'one') AS text;
+------+
| text |
+------+
| one  |
+------+
```"#,
    argument(name = "id", description = "The id, for the error."),
    argument(name = "a", description = "A text."),
    argument(name = "b", description = "A text that must equal it."),
    related_udf(name = "one_text")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SameText;

impl Function for SameText {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "same_text",
        all: &[("id", Kind::Text), ("a", Kind::Text), ("b", Kind::Text)],
        required: 3,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (ids, a, b) = (args.texts(0)?, args.texts(1)?, args.texts(2)?);
        let mut out = StringViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (ids.get(row), a.get(row), b.get(row)) {
                (Some(_), Some(a), Some(b)) if a == b => out.try_append_value(a)?,
                (Some(id), Some(_), Some(_)) => {
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
