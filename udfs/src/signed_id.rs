//! `signed_id(id, function, column)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the id as Int64; an id outside of its range is an error that names the function and the column. Table functions call it for a column of unsigned or decimal ids that are compared with signed ones.",
    syntax_example = "signed_id(id, function, column)",
    sql_example = r#"```sql
> SELECT signed_id('7', 'components', 'id_a') AS id;
+----+
| id |
+----+
| 7  |
+----+
```"#,
    argument(name = "id", description = "The digits of the id."),
    argument(name = "function", description = "The table function, for the error."),
    argument(name = "column", description = "The column, for the error."),
    related_udf(name = "same_text")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SignedId;

impl Function for SignedId {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "signed_id",
        all: &[
            ("id", Kind::Text),
            ("function", Kind::Text),
            ("column", Kind::Text),
        ],
        required: 3,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (ids, functions, columns) = (args.texts(0)?, args.texts(1)?, args.texts(2)?);
        let mut out = Int64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (ids.get(row), functions.get(row), columns.get(row)) {
                (Some(id), Some(function), Some(column)) => match id.parse() {
                    Ok(id) => out.append_value(id),
                    Err(_) => {
                        return exec_err!(
                            "{function}: the column '{column}' holds the id {id}, which is outside of the range of Int64, the type in which signed and unsigned ids are compared; cast the column to text: CAST({column} AS VARCHAR)"
                        );
                    }
                },
                _ => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
