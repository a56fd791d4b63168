//! `marked_keys(keys, filter)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::RepeatedKeys;

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::shared_keys::keys_in_filter;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the keys that are in a filter: all keys that several rows have, and few of the others. Their order stays as it is. The highest bit of a key says whether it is frequent. Joins in several parts call it, so that a row is not sent to parts in which no other row has its key.",
    syntax_example = "marked_keys(keys, filter)",
    sql_example = r#"```sql
> SELECT id, marked_keys(keys, filter) AS shared
  FROM (VALUES (1, [3, 5]), (2, [5, 7])) AS rows (id, keys),
    (
      SELECT repeated_key_filter(repeated) AS filter
      FROM (SELECT repeated_keys(key, 1000) AS repeated FROM (VALUES (3), (5), (5), (7)) AS keys (key) GROUP BY key >> 58)
    )
  ORDER BY id;
+----+--------+
| id | shared |
+----+--------+
| 1  | [5]    |
| 2  | [5]    |
+----+--------+
```"#,
    argument(
        name = "keys",
        description = "Bucket keys or prefix tokens; NULL gives NULL."
    ),
    argument(
        name = "filter",
        description = "The result of `repeated_key_filter`; NULL gives NULL."
    ),
    related_udf(name = "repeated_key_filter"),
    related_udf(name = "row_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MarkedKeys;

impl Function for MarkedKeys {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "marked_keys",
        all: &[("keys", Kind::Set), ("filter", Kind::Sketch)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        keys_in_filter(args, |filter, keys, found| {
            RepeatedKeys::new(filter)?.append(keys, found);
            Ok(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
