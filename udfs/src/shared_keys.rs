//! `shared_keys(keys, filter)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{SharedKeys, WrongFilter};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the keys that are in a filter: all keys that several rows have, and few of the others. Their order stays as it is. Joins in several parts call it, so that a row is not sent to parts in which no other row has its key.",
    syntax_example = "shared_keys(keys, filter)",
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
    related_udf(name = "key_filter"),
    related_udf(name = "key_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SharedKeysOf;

impl Function for SharedKeysOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shared_keys",
        all: &[("keys", Kind::Set), ("filter", Kind::Sketch)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        keys_in_filter(args, |filter, keys, found| {
            let filter = SharedKeys::new(filter)?;
            found.extend(keys.iter().filter(|key| filter.contains(**key)));
            Ok(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The keys of each row that are in its filter, which `append` appends. The arguments are lists of keys and filters.
pub(crate) fn keys_in_filter(
    args: &Arguments,
    append: impl Fn(&[u8], &[u64], &mut Vec<u64>) -> Result<(), WrongFilter>,
) -> Result<ArrayRef> {
    let (keys, filters) = (args.lists(0)?, args.bytes(1)?);
    let mut scratch = Vec::new();
    let mut out = HashLists::new(args.function(), args.rows());
    for row in 0..args.rows() {
        let keys = keys.get_u64(row, &mut scratch);
        let Some((keys, filter)) = keys.zip(filters.get(row)) else {
            out.push_null()?;
            continue;
        };
        let mut appended = Ok(());
        out.push(|list| appended = append(filter, keys, list))?;
        appended.map_err(|error| exec_datafusion_err!("{}: {error}", args.function()))?;
    }
    Ok(out.finish())
}
