//! `number_order(text, descending)`

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::number_order_into;
use std::sync::Arc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns a sort key, as bytes, that orders texts as numbers by their exact values: `9` before `10`, `1e400` after `36893488147419103232`. Texts that are not numbers are in the order of their bytes, after all numbers or, if `descending`, before them, so that they are last in either direction. An empty text gives NULL. `keep_by` orders columns of texts by it.",
    syntax_example = "number_order(text [, descending])",
    sql_example = r#"```sql
> SELECT text FROM (VALUES ('10'), ('9'), ('a'), ('-0.5')) AS v(text) ORDER BY number_order(text);
+------+
| text |
+------+
| -0.5 |
| 9    |
| 10   |
| a    |
+------+
```"#,
    argument(
        name = "text",
        description = "A text. A number is a decimal with an optional sign, fraction and exponent; NULL gives NULL."
    ),
    argument(
        name = "descending",
        description = "Whether texts that are not numbers are less than all numbers. Default: false"
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberOrder;

impl Function for NumberOrder {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "number_order",
        all: &[("text", Kind::Text), ("descending", Kind::Flag)],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.flag(1, false)?;
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let descending = args.constants().flag(1, false)?;
        let texts = args.texts(0)?;
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        let mut key = Vec::new();
        for row in 0..args.rows() {
            match texts.get(row) {
                None | Some("") => out.append_null(),
                Some(text) => {
                    key.clear();
                    number_order_into(text, descending, &mut key);
                    out.try_append_value(&key)?;
                }
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
