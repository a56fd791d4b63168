//! `same_group(id, values)`

use arrow::array::{ArrayRef, BooleanBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use std::sync::Arc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns true if `values` is 1; a larger number is an error that names the id. The joins call it with the number of different values, including NULL, that the rows of an id have in the columns of `across` or `within`, to detect rows that contradict each other.",
    syntax_example = "same_group(id, values)",
    sql_example = r#"```sql
> SELECT same_group('7', 1) AS same;
+------+
| same |
+------+
| true |
+------+
```"#,
    argument(name = "id", description = "The id, for the error."),
    argument(
        name = "values",
        description = "The number of different values that the rows of the id have."
    ),
    related_udf(name = "same_text")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SameGroup;

impl Function for SameGroup {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "same_group",
        all: &[("id", Kind::Text), ("values", Kind::Integer)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (ids, values) = (args.texts(0)?, args.integers(1)?);
        let mut out = BooleanBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (ids.get(row), values.get(row)) {
                (Some(id), Some(values)) if values > 1 => {
                    return exec_err!(
                        "the id {id} has rows with different values in the columns of across or within; ids must be unique"
                    );
                }
                (Some(_), Some(_)) => out.append_value(true),
                _ => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
