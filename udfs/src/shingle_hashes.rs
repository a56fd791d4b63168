//! `shingle_hashes(text, shingle)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::ShingleScratch;

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the set of a text's shingles as sorted distinct XXH3-64 hashes, from which similarities are computed.",
    syntax_example = "shingle_hashes(text, shingle)",
    sql_example = r#"```sql
> SELECT shingle_hashes('to be or not', 'word:2') AS hashes;
+------------------------------------------------------------------+
| hashes                                                           |
+------------------------------------------------------------------+
| [4783186016237865153, 7929366312493304842, 13070021031617214034] |
+------------------------------------------------------------------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL, an empty text the empty list."
    ),
    argument(name = "shingle", description = "A constant, as in `shingles`."),
    related_udf(name = "shingles"),
    related_udf(name = "minhash")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ShingleHashes;

impl Function for ShingleHashes {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shingle_hashes",
        all: &[("text", Kind::Text), ("shingle", Kind::Shingle)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(1)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shingle = args.constants().shingle(1)?;
        let texts = args.texts(0)?;
        let mut scratch = ShingleScratch::default();
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, hashes| {
            shingle.hashes_into(texts.get(row)?, &mut scratch, hashes);
            Some(())
        })
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
    use neardup_kernels::Shingle;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, scalar};

    fn expected(text: &str) -> Vec<u64> {
        let mut hashes = Vec::new();
        Shingle::Char(2).hashes_into(text, &mut ShingleScratch::default(), &mut hashes);
        hashes
    }

    fn hashes(list: &dyn Array) -> &[u64] {
        list.as_primitive::<UInt64Type>().values()
    }

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("a river"), None, Some(""), Some("Fluß")]) {
            let result = call_array(
                ShingleHashes,
                vec![ColumnarValue::Array(array), scalar("char:2")],
            );
            let lists = result.as_list::<i32>();
            assert_eq!(hashes(&lists.value(0)), expected("a river"));
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && lists.value(2).is_empty());
            assert_eq!(hashes(&lists.value(3)), expected("Fluß"));
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let ScalarValue::List(list) =
            call_scalar(ShingleHashes, vec![scalar("abc"), scalar("char:2")])
        else {
            panic!("not a list");
        };
        assert_eq!(hashes(&list.value(0)), expected("abc"));
    }
}
