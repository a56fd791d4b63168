//! `shared_runs(text, filter, copies, min_passage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, Int64Array, StringViewBuilder};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{RunFinder, run_key};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::passage_grams::filter_of_keys;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the runs of units of a text whose n-grams may all occur in other texts, and that cannot be extended: at, the number of the first unit, from 0; units, joined by one space unless they are characters; and key, 16 bytes, the XXH3-128 hash of these.",
    syntax_example = "shared_runs(text, filter, copies, min_passage)",
    sql_example = r#"```sql
> SELECT run['at'] AS at, run['units'] AS units
  FROM (
    SELECT UNNEST(shared_runs('on the old mill, there', keys, 1, 'word:2')) AS run
    FROM (
      SELECT key_filter(winnow(text, 'word:2', 1)) AS keys
      FROM (VALUES ('on the old mill, there'), ('the old mill')) AS docs (text)
    )
  );
+----+--------------+
| at | units        |
+----+--------------+
| 1  | the old mill |
+----+--------------+
```"#,
    argument(
        name = "text",
        description = "The text, compared as it is; NULL gives NULL."
    ),
    argument(
        name = "filter",
        description = "A `key_filter` of the n-grams of each text, `winnow(text, min_passage, 1)`; NULL gives NULL."
    ),
    argument(
        name = "copies",
        description = "The number of texts that are equal to this one, itself included: of 2 or more all n-grams occur in another text. NULL is 1."
    ),
    argument(
        name = "min_passage",
        description = "A constant: the unit and the length of an n-gram, such as 'word:12', 'space:12' or 'char:50'."
    ),
    related_udf(name = "packed_run"),
    related_udf(name = "run_passages")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SharedRuns;

impl Function for SharedRuns {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shared_runs",
        all: &[
            ("text", Kind::Text),
            ("filter", Kind::Sketch),
            ("copies", Kind::Integer),
            ("min_passage", Kind::Shingle),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(3)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let shingle = args.constants().shingle(3)?;
        let (texts, filters, copies) = (args.texts(0)?, args.bytes(1)?, args.integers(2)?);
        let mut finder = RunFinder::default();
        let mut numbers: Vec<i64> = Vec::new();
        let (mut keys, mut units) = (BinaryBuilder::new(), StringViewBuilder::new());
        let mut lists = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let both = texts.get(row).zip(filters.get(row));
            if let Some((text, filter)) = both {
                let filter = filter_of_keys(function, filter)?;
                let is_copied = copies.get(row).is_some_and(|copies| copies > 1);
                finder.for_each(
                    text,
                    shingle,
                    |hash| is_copied || filter.contains(hash),
                    |first, run| {
                        numbers.push(first as i64);
                        keys.append_value(run_key(run));
                        units.append_value(run);
                    },
                );
            }
            lists.end_row(both.is_some(), numbers.len())?;
        }
        lists.finish(
            fields(),
            vec![
                Arc::new(Int64Array::from(numbers)),
                Arc::new(keys.finish()),
                Arc::new(units.finish()),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        integer_field("at"),
        Field::new("key", DataType::Binary, true),
        Field::new("units", DataType::Utf8View, true),
    ])
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, StringArray};
    use arrow::datatypes::Int64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;
    use neardup_kernels::{KeyCounts, Shingle, ShingleScratch};

    use super::*;
    use crate::calls::{call_array, column, every_encoding, scalar};

    #[test]
    fn every_string_encoding() {
        let texts = [
            Some("x Über the old mill"),
            None,
            Some("Über the old"),
            Some(""),
        ];
        let mut counts = KeyCounts::new();
        for text in texts.iter().flatten() {
            let mut hashes = Vec::new();
            Shingle::Word(2).hashes_into(text, &mut ShingleScratch::default(), &mut hashes);
            counts.add(&hashes);
        }
        let filter = ScalarValue::BinaryView(Some(counts.finish()));
        for array in every_encoding(&texts) {
            let args = vec![
                ColumnarValue::Array(array),
                scalar(filter.clone()),
                scalar(1_i64),
                scalar("word:2"),
            ];
            let result = call_array(SharedRuns, args);
            let lists = result.as_list::<i32>();
            assert!(lists.is_null(1) && lists.value(3).is_empty());
            for (row, at) in [(0, 1), (2, 0)] {
                let runs = lists.value(row);
                let runs = runs.as_struct();
                assert_eq!(runs.column(0).as_primitive::<Int64Type>().values(), &[at]);
                let units = runs.column(2).as_string_view();
                assert_eq!(units.iter().collect::<Vec<_>>(), [Some("Über the old")]);
                let keys = runs.column(1).as_binary::<i32>();
                assert_eq!(keys.value(0), run_key("Über the old"));
            }
        }
    }

    #[test]
    fn a_text_that_is_there_twice_is_one_run() {
        let nothing = ScalarValue::BinaryView(Some(KeyCounts::new().finish()));
        for (copies, runs) in [(Some(2), 1), (Some(1), 0), (None, 0)] {
            let text = column(StringArray::from(vec!["a b c"]));
            let args = vec![
                text,
                scalar(nothing.clone()),
                scalar(ScalarValue::Int64(copies)),
                scalar("word:2"),
            ];
            let result = call_array(SharedRuns, args);
            assert_eq!(result.as_list::<i32>().value(0).len(), runs, "{copies:?}");
        }
    }
}
