//! `text_hash(text)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::text_hash;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the 64 bits of the XXH3-64 hash of a text, as an integer. The joins compare the hashes of an id's texts, so that they need to hold one of the texts only.",
    syntax_example = "text_hash(text)",
    sql_example = r#"```sql
> SELECT text_hash('one') = text_hash('one') AS same, text_hash('one') = text_hash('two') AS other;
+------+-------+
| same | other |
+------+-------+
| true | false |
+------+-------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    related_udf(name = "one_text")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TextHash;

impl Function for TextHash {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "text_hash",
        all: &[("text", Kind::Text)],
        required: 1,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let texts = args.texts(0)?;
        let hash = |row| texts.get(row).map(|text| text_hash(text).cast_signed());
        let hashes: Int64Array = (0..args.rows()).map(hash).collect();
        Ok(Arc::new(hashes))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
