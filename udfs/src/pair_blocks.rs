//! `pair_blocks(id, side, groups, sides)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanBuilder, UInt32Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::pair_parts;
use xxhash_rust::xxh3::xxh3_64;

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists};
use crate::function::Function;

/// The maximal number of groups of rows. Each pair of groups is a part, and parts have 32-bit numbers.
const MAX_GROUPS: u64 = 1024;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the parts that a row belongs to when the comparison of all pairs of rows is divided into parts. Rows are divided into groups by a hash of their id, and a part compares two groups. In a part of two groups of one relation, in_second_group is false for the rows of one group and true for the rows of the other; in a part of a single group, it is NULL. With two sides, every part compares a group of one side with a group of the other, and in_second_group is NULL.",
    syntax_example = "pair_blocks(id, side, groups, sides)",
    sql_example = r#"```sql
> SELECT pair_blocks('a', 0, 2, 1) AS blocks;
+------------------------------------------------------------------+
| blocks                                                           |
+------------------------------------------------------------------+
| [{part: 1, in_second_group: true}, {part: 2, in_second_group: }] |
+------------------------------------------------------------------+
```"#,
    argument(name = "id", description = "The id as a text; NULL gives NULL."),
    argument(name = "side", description = "0 or 1, as in the joins."),
    argument(
        name = "groups",
        description = "The number of groups of rows: a constant, 1 to 1024. One relation has groups · (groups + 1) / 2 parts, two sides have groups · groups parts."
    ),
    argument(name = "sides", description = "1 or 2, a constant."),
    related_udf(name = "key_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PairBlocks;

impl Function for PairBlocks {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "pair_blocks",
        all: &[
            ("id", Kind::Text),
            ("side", Kind::Integer),
            ("groups", Kind::Count),
            ("sides", Kind::Count),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        shape(constants)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (groups, sides) = shape(&args.constants())?;
        let (ids, sides_of_rows) = (args.texts(0)?, args.integers(1)?);
        let mut parts: Vec<u32> = Vec::new();
        let mut in_second_group = BooleanBuilder::new();
        let mut lists = StructLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let both = ids.get(row).zip(sides_of_rows.get(row));
            if let Some((id, side)) = both {
                let group = xxh3_64(id.as_bytes()) % groups;
                if sides == 2 {
                    for other in 0..groups {
                        let part = match side {
                            0 => group * groups + other,
                            _ => other * groups + group,
                        };
                        parts.push(part as u32);
                        in_second_group.append_null();
                    }
                } else {
                    for (part, is_second) in pair_parts(group, groups) {
                        parts.push(part as u32);
                        in_second_group.append_option(is_second);
                    }
                }
            }
            lists.end_row(both.is_some(), parts.len())?;
        }
        lists.finish(
            fields(),
            vec![
                Arc::new(UInt32Array::from(parts)),
                Arc::new(in_second_group.finish()),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("part", DataType::UInt32, true),
        Field::new("in_second_group", DataType::Boolean, true),
    ])
}

fn shape(constants: &Constants<'_>) -> Result<(u64, u64)> {
    Ok((
        constants.integer(2, 1..=MAX_GROUPS, 1)?,
        constants.integer(3, 1..=2_u64, 1)?,
    ))
}
