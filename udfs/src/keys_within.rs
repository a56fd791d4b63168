//! `keys_within(keys, group)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::group_keys_into;

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns keys that rows of one group share if and only if they shared `keys`, and that rows of different groups do not share, up to collisions of 64-bit hashes. Their number and their order stay as they are. The joins call it for `within`.",
    syntax_example = "keys_within(keys, group)",
    sql_example = r#"```sql
> SELECT keys_within([1, 2], 'de') AS keys, keys_within([1, 2], '') AS unchanged;
+---------------------------------------------+-----------+
| keys                                        | unchanged |
+---------------------------------------------+-----------+
| [8119048558729302449, 16697260447348595456] | [1, 2]    |
+---------------------------------------------+-----------+
```"#,
    argument(
        name = "keys",
        description = "Bucket keys or prefix tokens; NULL gives NULL."
    ),
    argument(
        name = "group",
        description = "The group of the row. The empty text leaves keys as they are; NULL gives NULL, so that the row is in no pair."
    ),
    related_udf(name = "key_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeysWithin;

impl Function for KeysWithin {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "keys_within",
        all: &[("keys", Kind::Set), ("group", Kind::Text)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (keys, groups) = (args.lists(0)?, args.texts(1)?);
        let mut scratch = Vec::new();
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            let group = groups.get(row)?;
            group_keys_into(keys.get_u64(row, &mut scratch)?, group, list);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
