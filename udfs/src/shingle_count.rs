//! `shingle_count(text, shingle)`

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::ShingleScratch;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the number of distinct shingles of a text: the length of the list that `shingle_hashes` returns, which takes more time.",
    syntax_example = "shingle_count(text, shingle)",
    sql_example = r#"```sql
> SELECT shingle_count('to be or not to be', 'word:2') AS count;
+-------+
| count |
+-------+
| 4     |
+-------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL, an empty text 0."
    ),
    argument(name = "shingle", description = "A constant, as in `shingles`."),
    related_udf(name = "shingle_hashes"),
    related_udf(name = "shingles")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ShingleCount;

impl Function for ShingleCount {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shingle_count",
        all: &[("text", Kind::Text), ("shingle", Kind::Shingle)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(1)?;
        Ok(DataType::UInt64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shingle = args.constants().shingle(1)?;
        let texts = args.texts(0)?;
        let mut scratch = ShingleScratch::default();
        let mut count = |text| shingle.count(text, &mut scratch) as u64;
        let counts = (0..args.rows()).map(|row| texts.get(row).map(&mut count));
        Ok(Arc::new(counts.collect::<UInt64Array>()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, scalar};

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("abab"), None, Some(""), Some("Fluß")]) {
            let result = call_array(
                ShingleCount,
                vec![ColumnarValue::Array(array), scalar("char:2")],
            );
            let counts = result.as_primitive::<UInt64Type>();
            assert_eq!(
                (counts.value(0), counts.value(2), counts.value(3)),
                (2, 0, 3)
            );
            assert!(counts.is_null(1));
        }
    }

    #[test]
    fn scalars_give_scalars() {
        assert_eq!(
            call_scalar(ShingleCount, vec![scalar("abc"), scalar("char:2")]),
            ScalarValue::UInt64(Some(2))
        );
    }
}
