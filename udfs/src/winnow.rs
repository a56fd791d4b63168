//! `winnow(text, shingle[, window])`

use std::ops::RangeInclusive;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{ShingleScratch, Winnower};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

/// The allowed numbers of hashes of a window, and the default, which is that of published experiments.
const WINDOWS: RangeInclusive<usize> = 1..=10_000;
const DEFAULT_WINDOW: usize = 3;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the fingerprints of a text by winnowing (Schleimer, Wilkerson, Aiken 2003): of each window of consecutive shingles the smallest XXH3-64 hash, sorted and distinct. Two texts with a common run of at least k + window - 1 units share a fingerprint, where k is the number of units of a shingle. About 2 / (window + 1) of the shingles are fingerprints.",
    syntax_example = "winnow(text, shingle[, window])",
    sql_example = r#"```sql
> SELECT winnow('to be or not to be', 'word:2', 3) AS fingerprints;
+--------------------------------------------+
| fingerprints                               |
+--------------------------------------------+
| [4783186016237865153, 7929366312493304842] |
+--------------------------------------------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL, an empty text the empty list."
    ),
    argument(name = "shingle", description = "A constant, as in `shingles`."),
    argument(
        name = "window",
        description = "The number of shingles of a window: a constant from 1 to 10000. A text of fewer shingles is one window. Default 3."
    ),
    related_udf(name = "shingle_hashes"),
    related_udf(name = "spot_signatures")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Winnow;

impl Function for Winnow {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "winnow",
        all: &[
            ("text", Kind::Text),
            ("shingle", Kind::Shingle),
            ("window", Kind::Count),
        ],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(1)?;
        constants.integer(2, WINDOWS, DEFAULT_WINDOW)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shingle = args.constants().shingle(1)?;
        let window = args.constants().integer(2, WINDOWS, DEFAULT_WINDOW)?;
        let texts = args.texts(0)?;
        let (mut scratch, mut winnower) = (ShingleScratch::default(), Winnower::default());
        let (mut hashes, mut positions, mut selected) = (Vec::new(), Vec::new(), Vec::new());
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            let text = texts.get(row)?;
            hashes.clear();
            positions.clear();
            shingle.repeated_hashes_into(text, &mut scratch, &mut hashes);
            winnower.positions_into(&hashes, window, &mut positions);
            selected.clear();
            selected.extend(positions.iter().map(|&at| hashes[at]));
            selected.sort_unstable();
            selected.dedup();
            list.extend_from_slice(&selected);
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

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, plan_error, scalar};

    #[test]
    fn every_string_encoding() {
        let texts = [Some("a b a b a b"), None, Some(""), Some("Fluß")];
        for array in every_encoding(&texts) {
            let args = vec![ColumnarValue::Array(array), scalar("word:1"), scalar(2_i64)];
            let result = call_array(Winnow, args);
            let lists = result.as_list::<i32>();
            let hash = |text: &str| xxhash_rust::xxh3::xxh3_64(text.as_bytes());
            let list = |row: usize| {
                let list = lists.value(row);
                list.as_primitive::<UInt64Type>().values().to_vec()
            };
            assert_eq!(list(0), [hash("a").min(hash("b"))]);
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && list(2).is_empty());
            assert_eq!(list(3), [hash("Fluß")]);
        }
    }

    #[test]
    fn a_window_of_one_selects_every_shingle() {
        use crate::shingle_hashes::ShingleHashes;
        let text = || scalar("to be or not to be");
        let all = call_scalar(ShingleHashes, vec![text(), scalar("word:2")]);
        let one = call_scalar(Winnow, vec![text(), scalar("word:2"), scalar(1_i64)]);
        assert_eq!(all, one);
        let three = call_scalar(Winnow, vec![text(), scalar("word:2"), scalar(3_i64)]);
        assert_eq!(three, call_scalar(Winnow, vec![text(), scalar("word:2")]));
    }

    #[test]
    fn the_window_is_checked() {
        let args = [
            scalar("a"),
            scalar("word:2"),
            scalar(ScalarValue::Int64(Some(0))),
        ];
        assert_eq!(
            plan_error(Winnow, &args),
            "Error during planning: winnow: window must be between 1 and 10000, found 0"
        );
    }
}
