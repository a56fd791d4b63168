//! `row_parts(keys, length, ranges, threshold)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::LengthParts;

use crate::columns::{Arguments, Constants, Kind, Parameters, PartLists};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the parts of a join that a row belongs to. The first is its home, of those for the length of its set. The others are, ascending, the parts of shorter sets that may be similar to it, and those of its keys that `marked_keys` marked as frequent: key modulo number of parts. Two similar rows that share a key which is not marked meet in the smaller of their homes, and rows that share a marked key in its part.",
    syntax_example = "row_parts(keys, length, ranges, threshold)",
    sql_example = r#"```sql
> SELECT length, row_parts([7], length, ranges, 0.5) AS parts
  FROM (VALUES (10), (40), (90)) AS rows (length),
    (
      SELECT length_parts(counts, 2) AS ranges
      FROM (SELECT length_counts(length) AS counts FROM (VALUES (10), (40), (90)) AS rows (length))
    );
+--------+-------+
| length | parts |
+--------+-------+
| 10     | [0]   |
| 40     | [0]   |
| 90     | [1]   |
+--------+-------+
```"#,
    argument(
        name = "keys",
        description = "Bucket keys or prefix tokens; NULL gives NULL, no keys give no parts."
    ),
    argument(
        name = "length",
        description = "The number of tokens of the set of the row; NULL gives NULL."
    ),
    argument(
        name = "ranges",
        description = "The result of `length_parts`, the same for all rows; NULL gives NULL."
    ),
    argument(
        name = "threshold",
        description = "The minimal Jaccard similarity: a constant greater than 0 and at most 1."
    ),
    related_udf(name = "length_parts"),
    related_udf(name = "marked_keys")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RowParts;

impl Function for RowParts {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "row_parts",
        all: &[
            ("keys", Kind::Set),
            ("length", Kind::Integer),
            ("ranges", Kind::Sketch),
            ("threshold", Kind::Threshold),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.threshold(3)?;
        Ok(PartLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let threshold = args.constants().threshold(3)?;
        let (keys, lengths, ranges) = (args.lists(0)?, args.integers(1)?, args.bytes(2)?);
        let mut wrong = false;
        let mut scratch = Vec::new();
        let lists = PartLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            let keys = keys.get_u64(row, &mut scratch)?;
            let length = u64::try_from(lengths.get(row)?).unwrap_or(0);
            match LengthParts::new(ranges.get(row)?) {
                Ok(ranges) => ranges.append(keys, length, threshold, list),
                Err(_) => wrong = true,
            }
            Some(())
        })?;
        match wrong {
            false => Ok(lists),
            true => exec_err!("row_parts: ranges must be a result of length_parts"),
        }
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
