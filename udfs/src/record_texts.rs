//! `record_texts(record, fields, normalize)`

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewBuilder};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::FieldNumbers;

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::record_fields::{FieldReader, lists_of_fields};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns some fields of a record: the number of each, from 1 on, and its text. Empty fields are left out. `field_join` joins them by their edit similarity.",
    syntax_example = "record_texts(record, fields, normalize)",
    sql_example = r#"```sql
> SELECT item['field'] AS field, item['text'] AS text
  FROM (SELECT UNNEST(record_texts('8:The Mill0:6:a barn', '1, 2, 3', true)) AS item);
+-------+----------+
| field | text     |
+-------+----------+
| 1     | the mill |
| 3     | a barn   |
+-------+----------+
```"#,
    argument(
        name = "record",
        description = "The fields as one text, each after its length in bytes and a colon; NULL gives NULL."
    ),
    argument(
        name = "fields",
        description = "The fields that are read: a constant that lists their numbers."
    ),
    argument(
        name = "normalize",
        description = "Whether fields are normalised first: a constant."
    ),
    related_udf(name = "record_sets"),
    related_udf(name = "record_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RecordTexts;

impl Function for RecordTexts {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "record_texts",
        all: &[
            ("record", Kind::Text),
            ("fields", Kind::Name),
            ("normalize", Kind::Flag),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.parsed(1, FieldNumbers::default())?;
        constants.flag(2, true)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let wanted = args.constants().parsed(1, FieldNumbers::default())?;
        let mut reader = FieldReader::new(args.constants().flag(2, true)?);
        let mut texts = StringViewBuilder::new();
        let (lists, numbers) = lists_of_fields(function, args, |number, field| {
            if !wanted.contains(number) {
                return Ok(false);
            }
            let text = reader.text(field);
            if !text.is_empty() {
                texts.try_append_value(text)?;
            }
            Ok(!text.is_empty())
        })?;
        lists.finish(fields(), vec![numbers, Arc::new(texts.finish())])
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        integer_field("field"),
        Field::new("text", DataType::Utf8View, true),
    ])
}
