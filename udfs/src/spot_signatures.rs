//! `spot_signatures(text, antecedents[, distance[, chain]])`

use std::ops::RangeInclusive;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Shingle, SpotScratch, SpotSignatures as Spots};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::sets::Sets;

const DISTANCES: RangeInclusive<usize> = 1..=1_000;
const CHAINS: RangeInclusive<usize> = 1..=1_000;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the SpotSigs of a text (Theobald, Siddharth, Paepcke 2008): for each occurrence of an antecedent, a frequent word, the hash of the antecedent and of the chain of words after it, joined by one space. Antecedents are not counted in a chain. The XXH3-64 hashes are sorted and distinct; an antecedent with too few words after it has none.",
    syntax_example = "spot_signatures(text, antecedents[, distance[, chain]])",
    sql_example = r#"```sql
> SELECT spot_signatures('the old mill on the river burned down', ['the', 'on']) AS signatures;
+------------------------------------------------------------------+
| signatures                                                       |
+------------------------------------------------------------------+
| [1974853513076194607, 9357516740290471178, 18186154181559316634] |
+------------------------------------------------------------------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL. Words are those of `word:` shingles, in the case that they have."
    ),
    argument(
        name = "antecedents",
        description = "A list of words, or of their hashes: a constant or a column. NULL gives NULL."
    ),
    argument(
        name = "distance",
        description = "A constant from 1 to 1000: each word of a chain is this number of words after the one before. Default 1."
    ),
    argument(
        name = "chain",
        description = "A constant from 1 to 1000: the number of words of a chain. Default 2."
    ),
    related_udf(name = "winnow"),
    related_udf(name = "shingle_hashes")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SpotSignatures;

impl Function for SpotSignatures {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "spot_signatures",
        all: &[
            ("text", Kind::Text),
            ("antecedents", Kind::Set),
            ("distance", Kind::Count),
            ("chain", Kind::Count),
        ],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        spots(constants)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let spots = spots(&args.constants())?;
        let texts = args.texts(0)?;
        // Antecedents are never a text, so no shingle is needed.
        let mut antecedents = Sets::new(args, 1, Shingle::Word(1))?;
        let mut scratch = SpotScratch::default();
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            let (text, antecedents) = (texts.get(row)?, antecedents.sorted(row)?);
            let is_antecedent = |hash| antecedents.binary_search(&hash).is_ok();
            spots.hashes_into(text, is_antecedent, &mut scratch, list);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn spots(constants: &Constants<'_>) -> Result<Spots> {
    Ok(Spots {
        distance: constants.integer(2, DISTANCES, 1)?,
        chain: constants.integer(3, CHAINS, 2)?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Array, AsArray, ListBuilder, StringBuilder};
    use arrow::datatypes::UInt64Type;
    use datafusion_expr::ColumnarValue;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, plan_error, scalar};
    use crate::shingle_hashes::ShingleHashes;

    /// A list of words for each of four rows; the second is NULL.
    fn antecedents() -> ArrayRef {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for words in [
            Some(["the", "on"]),
            None,
            Some(["on", "x"]),
            Some(["ß", "the"]),
        ] {
            if let Some(words) = words {
                words
                    .iter()
                    .for_each(|word| lists.values().append_value(word));
            }
            lists.append(words.is_some());
        }
        Arc::new(lists.finish())
    }

    #[test]
    fn every_string_encoding_and_lists_of_each_row() {
        let text = Some("the mill on the old river");
        for array in every_encoding(&[text, text, text, None]) {
            let args = vec![
                ColumnarValue::Array(array),
                ColumnarValue::Array(antecedents()),
            ];
            let result = call_array(SpotSignatures, args);
            let lists = result.as_list::<i32>();
            let list = |row: usize| {
                let list = lists.value(row);
                list.as_primitive::<UInt64Type>().values().to_vec()
            };
            let hashes = |signatures: &[&str]| {
                let mut hashes: Vec<u64> =
                    signatures.iter().map(|s| xxh3_64(s.as_bytes())).collect();
                hashes.sort_unstable();
                hashes
            };
            assert_eq!(
                list(0),
                hashes(&["the mill old", "on old river", "the old river"])
            );
            assert!(lists.is_null(1));
            assert_eq!(list(2), hashes(&["on the old"]));
            assert!(lists.is_null(3));
        }
    }

    #[test]
    fn antecedents_as_hashes() {
        let hashes = call_scalar(ShingleHashes, vec![scalar("the on"), scalar("word:1")]);
        let text = || scalar("the mill on the old river");
        let by_hash = call_scalar(SpotSignatures, vec![text(), scalar(hashes)]);
        let by_word = call_array(
            SpotSignatures,
            vec![text(), ColumnarValue::Array(antecedents())],
        );
        let datafusion_common::ScalarValue::List(by_hash) = by_hash else {
            panic!("not a list");
        };
        assert_eq!(&by_hash.value(0), &by_word.as_list::<i32>().value(0));
    }

    #[test]
    fn numbers_are_checked() {
        let args = [
            scalar("a"),
            ColumnarValue::Array(antecedents()),
            scalar(0_i64),
        ];
        assert_eq!(
            plan_error(SpotSignatures, &args),
            "Error during planning: spot_signatures: distance must be between 1 and 1000, found 0"
        );
    }
}
