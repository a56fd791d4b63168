//! `same_bytes(id, a, b)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns `a` if it equals `b`; otherwise it is an error that names the id. The joins call it with the smallest and the largest signature or vector of an id, to detect an id with two different ones.",
    syntax_example = "same_bytes(id, a, b)",
    sql_example = r#"```sql
> SELECT same_bytes('7', X'0F', X'0F') AS signature;
+-----------+
| signature |
+-----------+
| 0f        |
+-----------+
```"#,
    argument(name = "id", description = "The id, for the error."),
    argument(name = "a", description = "A signature or a packed vector."),
    argument(name = "b", description = "One that must equal it."),
    related_udf(name = "same_text")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SameBytes;

impl Function for SameBytes {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "same_bytes",
        all: &[("id", Kind::Text), ("a", Kind::Bits), ("b", Kind::Bits)],
        required: 3,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (ids, a, b) = (args.texts(0)?, args.bytes(1)?, args.bytes(2)?);
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (ids.get(row), a.get(row), b.get(row)) {
                (Some(_), Some(a), Some(b)) if a == b => out.try_append_value(a)?,
                (Some(id), Some(_), Some(_)) => {
                    return exec_err!(
                        "the id {id} has two different signatures or vectors; ids must be unique"
                    );
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
