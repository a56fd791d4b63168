//! `shared_keys(keys, filter[, frequent])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{FrequentKeys, SharedKeys};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the keys that are in a filter: all keys that several rows have, and few of the others. Their order stays as it is. Joins in several parts call it, so that a row is not sent to parts in which no other row has its key. With `frequent`, the highest bit of a key says whether many rows may hold it.",
    syntax_example = "shared_keys(keys, filter[, frequent])",
    sql_example = r#"```sql
> SELECT id, shared_keys(keys, filter) AS shared
  FROM (VALUES (1, [3, 5]), (2, [5, 7])) AS rows (id, keys),
    (SELECT key_filter(keys) AS filter FROM (VALUES ([3, 5]), ([5, 7])) AS rows (keys))
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
        description = "The result of `key_filter`; NULL gives NULL."
    ),
    argument(
        name = "frequent",
        description = "The result of `frequent_keys`; NULL gives NULL."
    ),
    related_udf(name = "key_filter"),
    related_udf(name = "frequent_keys"),
    related_udf(name = "key_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SharedKeysOf;

impl Function for SharedKeysOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shared_keys",
        all: &[
            ("keys", Kind::Set),
            ("filter", Kind::Sketch),
            ("frequent", Kind::Sketch),
        ],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (keys, filters) = (args.lists(0)?, args.bytes(1)?);
        let frequent = match args.has(2) {
            true => Some(args.bytes(2)?),
            false => None,
        };
        let mut scratch = Vec::new();
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let keys = keys.get_u64(row, &mut scratch);
            let Some((keys, filter)) = keys.zip(filters.get(row)) else {
                out.push_null()?;
                continue;
            };
            let filter = SharedKeys::new(filter)
                .map_err(|error| exec_datafusion_err!("shared_keys: {error}"))?;
            let shared = keys.iter().copied().filter(|key| filter.contains(*key));
            let Some(frequent) = &frequent else {
                out.push(|list| list.extend(shared))?;
                continue;
            };
            let Some(frequent) = frequent.get(row) else {
                out.push_null()?;
                continue;
            };
            let frequent = FrequentKeys::new(frequent)
                .map_err(|error| exec_datafusion_err!("shared_keys: {error}"))?;
            out.push(|list| list.extend(shared.map(|key| frequent.mark(key))))?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
