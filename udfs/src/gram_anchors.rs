//! `gram_anchors(text, min_passage)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{GramHashes, RunFinder};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns two keys for each anchor of the n-grams of a text, sorted and distinct: of each n-gram the smallest XXH3-64 hash of its runs of n / 2 + 1 units, and a hash of it. Equal n-grams have the same anchor, and neighbouring ones mostly do, so that there are fewer anchors than n-grams.",
    syntax_example = "gram_anchors(text, min_passage)",
    sql_example = r#"```sql
> SELECT cardinality(gram_anchors('to be or not to be that is the question', 'word:6')) AS keys;
+------+
| keys |
+------+
| 8    |
+------+
```"#,
    argument(
        name = "text",
        description = "The text, taken as it is; NULL gives NULL."
    ),
    argument(
        name = "min_passage",
        description = "A constant: the unit and the length of an n-gram, such as 'word:12', 'space:12' or 'char:50'."
    ),
    related_udf(name = "key_filter"),
    related_udf(name = "shared_grams")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GramAnchors;

impl Function for GramAnchors {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "gram_anchors",
        all: &[("text", Kind::Text), ("min_passage", Kind::Shingle)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(1)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let hashes = GramHashes::new(args.constants().shingle(1)?);
        let texts = args.texts(0)?;
        let mut finder = RunFinder::default();
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            finder.anchors_into(texts.get(row)?, hashes, list);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
