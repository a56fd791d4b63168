//! `record_texts(record, fields, normalize)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringViewBuilder};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{FieldNumbers, record_fields};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::contained_items::{list, number};
use crate::function::Function;
use crate::record_sets::FieldReader;

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
        description = "Whether fields are normalised before: a constant."
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
        Ok(DataType::new_list(DataType::Struct(fields()), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let wanted = args.constants().parsed(1, FieldNumbers::default())?;
        let mut reader = FieldReader::new(args.constants().flag(2, true)?);
        let records = args.texts(0)?;
        let mut numbers: Vec<i64> = Vec::new();
        let mut texts = StringViewBuilder::new();
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let before = numbers.len();
            let record = records.get(row);
            valid.push(record.is_some());
            for (number, field) in (1..).zip(record.into_iter().flat_map(record_fields)) {
                let field = field.map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
                if !wanted.contains(number) {
                    continue;
                }
                let text = reader.text(field);
                if !text.is_empty() {
                    numbers.push(number as i64);
                    texts.try_append_value(text)?;
                }
            }
            lengths.push(numbers.len() - before);
        }
        let columns = [
            Arc::new(Int64Array::from(numbers)) as ArrayRef,
            Arc::new(texts.finish()),
        ];
        list(
            fields(),
            columns,
            lengths.into_iter(),
            Some(NullBuffer::from(valid)),
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        number("field"),
        Field::new("text", DataType::Utf8View, true),
    ])
}
