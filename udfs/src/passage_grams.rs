//! `passage_grams(text, filter, words[, normalize[, cut[, keys]]])`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, LargeBinaryBuilder, UInt64Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Grams, SharedKeys, key_hash};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::passage_anchors::{check_cut, cut, gram_spec};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the passages of `words` words of a text whose anchor is in a filter. Consecutive passages with the same anchor are one struct: anchor, a hash that equal passages have in common; at, the number of the first word of the first passage, from 0; and keys, 16 bytes for each passage, which are the same for equal passages: polynomials of the XXH3-128 hashes of their words.",
    syntax_example = "passage_grams(text, filter, words[, normalize[, cut[, keys]]])",
    sql_example = r#"```sql
> SELECT gram['at'] AS at, encode(gram['keys'], 'hex') AS keys
  FROM (
    SELECT UNNEST(passage_grams('to be or not to be', keys, 2)) AS gram
    FROM (SELECT key_filter(passage_anchors('to be or not to be', 2)) AS keys)
  );
+----+----------------------------------+
| at | keys                             |
+----+----------------------------------+
| 0  | 1091e8838f8d7e150f0055563f8c7c03 |
| 4  | 1091e8838f8d7e150f0055563f8c7c03 |
+----+----------------------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "filter",
        description = "The result of `key_filter`; NULL gives NULL."
    ),
    argument(
        name = "words",
        description = "The number of words of a passage: a constant from 1 to 1000."
    ),
    argument(
        name = "normalize",
        description = "Whether words are compared in their normal form, as `normalize_text` gives it: a constant, true by default."
    ),
    argument(
        name = "cut",
        description = "Words that are left out, and do not count in at: a list of structs with the integer fields first_word and end_word. A row without a list has all of its words."
    ),
    argument(
        name = "keys",
        description = "A filter of the results of `passage_keys`: passages that are not in it are left out. Without one, or with NULL, none are."
    ),
    related_udf(name = "passage_anchors"),
    related_udf(name = "passage_keys"),
    related_udf(name = "earlier_passages"),
    related_udf(name = "word_runs")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PassageGrams;

impl Function for PassageGrams {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "passage_grams",
        all: &[
            ("text", Kind::Text),
            ("filter", Kind::Sketch),
            ("words", Kind::Count),
            ("normalize", Kind::Flag),
            ("cut", Kind::Records),
            ("keys", Kind::Sketch),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        gram_spec(constants, 2)?;
        check_cut(Self::PARAMETERS.function, types, 4)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let spec = gram_spec(&args.constants(), 2)?;
        let (texts, filters) = (args.texts(0)?, args.bytes(1)?);
        let cut = cut(Self::PARAMETERS.function, args, 4)?;
        let repeated = args.has(5).then(|| args.bytes(5)).transpose()?;
        let mut grams = Grams::default();
        let mut of_row = Vec::new();
        let (mut anchors, mut numbers) = (Vec::new(), Vec::new());
        let mut keys = LargeBinaryBuilder::new();
        let mut lists = StructLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let both = texts.get(row).zip(filters.get(row));
            if let Some((text, filter)) = both {
                let filter = filter_of_keys(Self::PARAMETERS.function, filter)?;
                let repeated = repeated.as_ref().and_then(|filters| filters.get(row));
                let repeated = repeated
                    .map(|repeated| filter_of_keys(Self::PARAMETERS.function, repeated))
                    .transpose()?;
                if let Some(cut) = &cut {
                    cut.row(row, &mut of_row)?;
                }
                grams.read(text, &of_row, spec);
                grams.for_each_anchor(
                    |anchor| filter.contains(anchor),
                    |key| {
                        let filter = repeated.as_ref();
                        filter.is_none_or(|filter| filter.contains(key_hash(key)))
                    },
                    |passages| {
                        anchors.push(passages.anchor);
                        numbers.push(passages.at as i64);
                        keys.append_value(passages.keys.as_flattened());
                    },
                );
            }
            lists.end_row(both.is_some(), numbers.len())?;
        }
        lists.finish(
            fields(),
            vec![
                Arc::new(UInt64Array::from(anchors)),
                Arc::new(Int64Array::from(numbers)),
                Arc::new(keys.finish()),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// Reads a filter of keys.
pub(crate) fn filter_of_keys<'a>(function: &str, filter: &'a [u8]) -> Result<SharedKeys<'a>> {
    SharedKeys::new(filter).map_err(|error| exec_datafusion_err!("{function}: {error}"))
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("anchor", DataType::UInt64, true),
        integer_field("at"),
        Field::new("keys", DataType::LargeBinary, true),
    ])
}
