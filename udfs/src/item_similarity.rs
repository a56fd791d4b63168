//! `item_similarity(a, b, shingle, measure)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Measure, containment, jaccard};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::cosine_similarity::CosineSimilarity;
use crate::edit_similarity::EditSimilarity;
use crate::function::Function;
use crate::sets::compare;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the similarity of two items by a measure: that of `jaccard_similarity`, `containment`, `edit_similarity` or `cosine_similarity`.",
    syntax_example = "item_similarity(a, b, shingle, measure)",
    sql_example = r#"```sql
> SELECT item_similarity('the old mill', 'the old barn', 'word:1', 'jaccard') AS similarity;
+------------+
| similarity |
+------------+
| 0.5        |
+------------+
```"#,
    argument(
        name = "a",
        description = "A text, a set of hashes or strings, or a vector, also packed; NULL gives NULL."
    ),
    argument(name = "b", description = "The same."),
    argument(
        name = "shingle",
        description = "For sets of shingles of texts: a constant, as in `shingles`."
    ),
    argument(
        name = "measure",
        description = "A constant: 'jaccard', 'containment' (of a in b), 'edit' or 'cosine'."
    ),
    related_udf(name = "jaccard_similarity"),
    related_udf(name = "containment"),
    related_udf(name = "edit_similarity"),
    related_udf(name = "cosine_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ItemSimilarity;

impl Function for ItemSimilarity {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "item_similarity",
        all: &[
            ("a", Kind::Item),
            ("b", Kind::Item),
            ("shingle", Kind::Shingle),
            ("measure", Kind::Name),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        constants.shingle(2)?;
        let measure = constants.parsed(3, Measure::Jaccard)?;
        let function = Self::PARAMETERS.function;
        for (name, data_type) in [("a", types[0]), ("b", types[1])] {
            let (wanted, found) = match measure {
                Measure::Jaccard => (Kind::TextOrSet, "'jaccard'"),
                Measure::Containment => (Kind::TextOrSet, "'containment'"),
                Measure::Edit => (Kind::Text, "'edit'"),
                Measure::Cosine => (Kind::Vector, "'cosine'"),
            };
            wanted.check(
                function,
                &format!("{name}, which is compared by {found},"),
                data_type,
            )?;
        }
        Ok(DataType::Float64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        match args.constants().parsed(3, Measure::Jaccard)? {
            Measure::Jaccard => compare(args, jaccard),
            Measure::Containment => compare(args, containment),
            Measure::Edit => EditSimilarity::compute(args),
            Measure::Cosine => CosineSimilarity::compute(args),
        }
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
