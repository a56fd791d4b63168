//! `passage_keys(text, filter, words[, normalize[, cut]])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Grams, key_hash};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::passage_anchors::{check_cut, cut, gram_spec};
use crate::passage_grams::filter_of_keys;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the XXH3-64 hashes of the keys of the passages of `words` words of a text whose anchor is in a filter, as `passage_grams` returns the keys. The passages that may be repeated are those whose hash is in a `key_filter` of these.",
    syntax_example = "passage_keys(text, filter, words[, normalize[, cut]])",
    sql_example = r#"```sql
> SELECT cardinality(passage_keys('to be or not to be', keys, 2)) AS passages
  FROM (SELECT key_filter(passage_anchors('to be or not to be', 2)) AS keys);
+----------+
| passages |
+----------+
| 2        |
+----------+
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
        description = "Words that are left out: a list of structs with the integer fields first_word and end_word. A row without a list has all of its words."
    ),
    related_udf(name = "passage_grams")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PassageKeys;

impl Function for PassageKeys {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "passage_keys",
        all: &[
            ("text", Kind::Text),
            ("filter", Kind::Sketch),
            ("words", Kind::Count),
            ("normalize", Kind::Flag),
            ("cut", Kind::Records),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        gram_spec(constants, 2)?;
        check_cut(Self::PARAMETERS.function, types, 4)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let spec = gram_spec(&args.constants(), 2)?;
        let (texts, filters) = (args.texts(0)?, args.bytes(1)?);
        let cut = cut(function, args, 4)?;
        let mut grams = Grams::default();
        let mut of_row = Vec::new();
        let mut out = HashLists::new(function, args.rows());
        for row in 0..args.rows() {
            let Some((text, filter)) = texts.get(row).zip(filters.get(row)) else {
                out.push_null()?;
                continue;
            };
            let filter = filter_of_keys(function, filter)?;
            if let Some(cut) = &cut {
                cut.row(row, &mut of_row)?;
            }
            grams.read(text, &of_row, spec);
            out.push(|hashes| {
                grams.for_each_anchor(
                    |anchor| filter.contains(anchor),
                    |_| true,
                    |passages| hashes.extend(passages.keys.iter().map(key_hash)),
                );
            })?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
