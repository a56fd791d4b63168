//! `shared_grams(text, anchors, min_passage)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{GramHashes, RunFinder};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::passage_grams::filter_of_keys;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns two keys for each n-gram of a text whose anchor may occur in several texts, sorted and distinct: a polynomial of the XXH3-64 hashes of its units, and a hash of it.",
    syntax_example = "shared_grams(text, anchors, min_passage)",
    sql_example = r#"```sql
> SELECT cardinality(shared_grams('on the old mill, there', anchors, 'word:2')) AS keys
  FROM (
    SELECT key_filter(gram_anchors(text, 'word:2')) AS anchors
    FROM (VALUES ('on the old mill, there'), ('the old mill')) AS docs (text)
  );
+------+
| keys |
+------+
| 4    |
+------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "anchors",
        description = "A `key_filter` of the `gram_anchors` of each text; NULL gives NULL."
    ),
    argument(
        name = "min_passage",
        description = "A constant, as in `gram_anchors`."
    ),
    related_udf(name = "gram_anchors"),
    related_udf(name = "shared_runs")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SharedGrams;

impl Function for SharedGrams {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shared_grams",
        all: &[
            ("text", Kind::Text),
            ("anchors", Kind::Sketch),
            ("min_passage", Kind::Shingle),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(2)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let hashes = GramHashes::new(args.constants().shingle(2)?);
        let (texts, filters) = (args.texts(0)?, args.bytes(1)?);
        let mut finder = RunFinder::default();
        let mut out = HashLists::new(function, args.rows());
        for row in 0..args.rows() {
            let Some((text, filter)) = texts.get(row).zip(filters.get(row)) else {
                out.push_null()?;
                continue;
            };
            let filter = filter_of_keys(function, filter)?;
            let has_anchor = |anchor| filter.contains(anchor);
            out.push(|list| finder.grams_into(text, hashes, has_anchor, list))?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
