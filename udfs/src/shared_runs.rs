//! `shared_runs(text, anchors, grams, copies, min_passage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, Int64Array, StringViewBuilder};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{GramHashes, RunFinder, run_key};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::passage_grams::filter_of_keys;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the runs of units of a text that begin and end with n-grams that may occur in other texts: n-grams that have a unit in common are in one run. It has at, the number of the first unit, from 0; units, joined by one space unless they are characters, with a line feed for a space in a word; and key, 16 bytes, the XXH3-128 hash of these.",
    syntax_example = "shared_runs(text, anchors, grams, copies, min_passage)",
    sql_example = r#"```sql
> WITH docs AS (SELECT * FROM (VALUES ('on the old mill, there'), ('the old mill')) AS v (text)),
  anchors AS (SELECT key_filter(gram_anchors(text, 'word:2')) AS anchors FROM docs),
  grams AS (SELECT key_filter(shared_grams(text, anchors, 'word:2')) AS grams FROM docs CROSS JOIN anchors)
  SELECT run['at'] AS at, run['units'] AS units
  FROM (SELECT UNNEST(shared_runs('on the old mill, there', anchors, grams, 1, 'word:2')) AS run FROM anchors CROSS JOIN grams);
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
        name = "anchors",
        description = "A `key_filter` of the `gram_anchors` of each text; NULL gives NULL."
    ),
    argument(
        name = "grams",
        description = "A `key_filter` of the `shared_grams` of each text; NULL gives NULL."
    ),
    argument(
        name = "copies",
        description = "The number of texts that are equal to this one, itself included: of 2 or more all n-grams occur in another text. NULL is 1."
    ),
    argument(
        name = "min_passage",
        description = "A constant, as in `gram_anchors`."
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
            ("anchors", Kind::Sketch),
            ("grams", Kind::Sketch),
            ("copies", Kind::Integer),
            ("min_passage", Kind::Shingle),
        ],
        required: 5,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(4)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let hashes = GramHashes::new(args.constants().shingle(4)?);
        let (texts, copies) = (args.texts(0)?, args.integers(3)?);
        let [anchors, grams] = [args.bytes(1)?, args.bytes(2)?];
        let mut finder = RunFinder::default();
        let mut numbers: Vec<i64> = Vec::new();
        let (mut keys, mut units) = (BinaryBuilder::new(), StringViewBuilder::new());
        let mut lists = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let filters = anchors.get(row).zip(grams.get(row));
            let both = texts.get(row).zip(filters);
            if let Some((text, (anchors, grams))) = both {
                let [anchors, grams] = [
                    filter_of_keys(function, anchors)?,
                    filter_of_keys(function, grams)?,
                ];
                let is_copied = copies.get(row).is_some_and(|copies| copies > 1);
                finder.for_each(
                    text,
                    hashes,
                    |anchor| is_copied || anchors.contains(anchor),
                    |gram| is_copied || grams.contains(gram),
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
    use neardup_kernels::{KeyCounts, Shingle};

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
        let hashes = GramHashes::new(Shingle::Word(2));
        let mut finder = RunFinder::default();
        let (mut anchors, mut grams) = (KeyCounts::new(), KeyCounts::new());
        for text in texts.iter().flatten() {
            let mut keys = Vec::new();
            finder.anchors_into(text, hashes, &mut keys);
            anchors.add(&keys);
            keys.clear();
            finder.grams_into(text, hashes, |_| true, &mut keys);
            grams.add(&keys);
        }
        let filters = [anchors, grams].map(|counts| ScalarValue::BinaryView(Some(counts.finish())));
        for array in every_encoding(&texts) {
            let args = vec![
                ColumnarValue::Array(array),
                scalar(filters[0].clone()),
                scalar(filters[1].clone()),
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
                scalar(nothing.clone()),
                scalar(ScalarValue::Int64(copies)),
                scalar("word:2"),
            ];
            let result = call_array(SharedRuns, args);
            assert_eq!(result.as_list::<i32>().value(0).len(), runs, "{copies:?}");
        }
    }
}
