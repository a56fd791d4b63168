//! `common_passages(a, b, min_passage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int8Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{PassageText, common_passages};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists};
use crate::function::Function;
use crate::passage_places::PassagePlaces;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the verbatim passages that two texts have in common: all maximal runs of equal units with a minimum length. Each passage has two elements in the list, its positions in the two texts: (side, passage, length, start_byte, end_byte, start_char, end_char), where side is 0 for a and 1 for b, passage is the XXH3-64 hash of its units joined by one space (of characters: of the characters), and length is its number of units.",
    syntax_example = "common_passages(a, b, min_passage)",
    sql_example = r#"```sql
> SELECT place['side'] AS side, place['length'] AS length, place['start_char'] AS start_char, place['end_char'] AS end_char
  FROM (SELECT UNNEST(common_passages('so the old mill burned', 'the old mill, too', 'word:3')) AS place);
+------+--------+------------+----------+
| side | length | start_char | end_char |
+------+--------+------------+----------+
| 0    | 3      | 3          | 15       |
| 1    | 3      | 0          | 12       |
+------+--------+------------+----------+
```"#,
    argument(
        name = "a",
        description = "A text, compared as it is. NULL gives NULL."
    ),
    argument(name = "b", description = "Another text."),
    argument(
        name = "min_passage",
        description = "A constant: the unit and the minimum length of a passage, such as 'word:12', 'space:12' or 'char:50'. The characters between words are not compared."
    ),
    related_udf(name = "winnow")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CommonPassages;

impl Function for CommonPassages {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "common_passages",
        all: &[
            ("a", Kind::Text),
            ("b", Kind::Text),
            ("min_passage", Kind::Shingle),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(2)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shingle = args.constants().shingle(2)?;
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        let (mut found, mut sides) = (Vec::new(), Vec::new());
        let mut places = PassagePlaces::default();
        let mut lists = StructLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let both = a.get(row).zip(b.get(row));
            if let Some((a, b)) = both {
                let [a, b] = [a, b].map(|text| PassageText::new(text, shingle));
                found.clear();
                common_passages(&a, &b, shingle.window(), &mut found);
                for passage in &found {
                    for (side, text, first) in [(0, &a, passage.first_a), (1, &b, passage.first_b)]
                    {
                        if places.push(text.text(), first, passage.length).is_some() {
                            sides.push(side);
                        }
                    }
                }
            }
            lists.end_row(both.is_some(), places.len())?;
        }
        let sides: ArrayRef = Arc::new(Int8Array::from(sides));
        let columns = [sides].into_iter().chain(places.columns());
        lists.finish(fields(), columns.collect())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    let side = Field::new("side", DataType::Int8, true);
    let fields = [side].into_iter().chain(PassagePlaces::fields());
    fields.collect()
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
    use arrow::datatypes::{Int8Type, Int64Type, UInt64Type};
    use datafusion_expr::ColumnarValue;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::calls::{call_array, every_encoding, scalar};

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("Über the old mill."), None, Some("another")]) {
            let args = vec![
                ColumnarValue::Array(array),
                scalar("the old, mill"),
                scalar("word:3"),
            ];
            let result = call_array(CommonPassages, args);
            let lists = result.as_list::<i32>();
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && lists.value(2).is_empty());
            let first = lists.value(0);
            let places = first.as_struct();
            assert_eq!(
                places.column(0).as_primitive::<Int8Type>().values(),
                &[0, 1]
            );
            let hash = xxh3_64(b"the old mill");
            assert_eq!(
                places.column(1).as_primitive::<UInt64Type>().values(),
                &[hash, hash]
            );
            let numbers = |column: usize| {
                let column = places.column(column).as_primitive::<Int64Type>();
                column.values().to_vec()
            };
            assert_eq!(numbers(2), [3, 3]);
            assert_eq!((numbers(3), numbers(4)), (vec![6, 0], vec![18, 13]));
            assert_eq!((numbers(5), numbers(6)), (vec![5, 0], vec![17, 13]));
        }
    }
}
