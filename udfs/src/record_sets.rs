//! `record_sets(record, fields, normalize)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{NumberedShingles, Shingle, ShingleScratch, normalize_into, record_fields};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::contained_items::{list, number};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the sets of some fields of a record: the number of each field, from 1 on, and the hashes of its shingles. Fields without a shingle are left out. `field_join` finds its candidates by them.",
    syntax_example = "record_sets(record, fields, normalize)",
    sql_example = r#"```sql
> SELECT item['field'] AS field, cardinality(item['tokens']) AS tokens
  FROM (SELECT UNNEST(record_sets('8:the mill0:6:a barn', '1 word:1, 2 word:1, 3 word:2', true)) AS item);
+-------+--------+
| field | tokens |
+-------+--------+
| 1     | 2      |
| 3     | 1      |
+-------+--------+
```"#,
    argument(
        name = "record",
        description = "The fields as one text, each after its length in bytes and a colon; NULL gives NULL."
    ),
    argument(
        name = "fields",
        description = "The fields that are read: a constant that lists the number and the shingle of each."
    ),
    argument(
        name = "normalize",
        description = "Whether fields are normalised before: a constant."
    ),
    related_udf(name = "record_texts"),
    related_udf(name = "record_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RecordSets;

impl Function for RecordSets {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "record_sets",
        all: &[
            ("record", Kind::Text),
            ("fields", Kind::Name),
            ("normalize", Kind::Flag),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.parsed(1, NumberedShingles::default())?;
        constants.flag(2, true)?;
        Ok(DataType::new_list(DataType::Struct(fields()), true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let wanted = args.constants().parsed(1, NumberedShingles::default())?;
        let mut reader = FieldReader::new(args.constants().flag(2, true)?);
        let records = args.texts(0)?;
        let mut numbers: Vec<i64> = Vec::new();
        let mut tokens = HashLists::new(function, args.rows());
        let mut set = Vec::new();
        let (mut lengths, mut valid) = (Vec::with_capacity(args.rows()), Vec::new());
        for row in 0..args.rows() {
            let before = numbers.len();
            let record = records.get(row);
            valid.push(record.is_some());
            for (number, field) in (1..).zip(record.into_iter().flat_map(record_fields)) {
                let field = field.map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
                let Some(shingle) = wanted.shingle(number) else {
                    continue;
                };
                reader.set_into(field, shingle, &mut set);
                if !set.is_empty() {
                    numbers.push(number as i64);
                    tokens.push(|list| list.extend_from_slice(&set))?;
                }
            }
            lengths.push(numbers.len() - before);
        }
        let columns = [
            Arc::new(Int64Array::from(numbers)) as ArrayRef,
            tokens.finish(),
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
    let tokens = Field::new("tokens", HashLists::data_type(), true);
    Fields::from(vec![number("field"), tokens])
}

/// Makes the values of the fields of records that are compared.
pub(crate) struct FieldReader {
    normalize: bool,
    normal: String,
    scratch: ShingleScratch,
}

impl FieldReader {
    pub(crate) fn new(normalize: bool) -> Self {
        Self {
            normalize,
            normal: String::new(),
            scratch: ShingleScratch::default(),
        }
    }

    /// The text of a field as it is compared.
    pub(crate) fn text<'a>(&'a mut self, field: &'a str) -> &'a str {
        compared(field, self.normalize, &mut self.normal)
    }

    /// Replaces `set` by the sorted distinct hashes of the shingles of a field.
    pub(crate) fn set_into(&mut self, field: &str, shingle: Shingle, set: &mut Vec<u64>) {
        set.clear();
        let field = compared(field, self.normalize, &mut self.normal);
        shingle.hashes_into(field, &mut self.scratch, set);
    }
}

/// A field in its normal form, which `normal` then holds, or as it is.
fn compared<'a>(field: &'a str, normalize: bool, normal: &'a mut String) -> &'a str {
    if !normalize {
        return field;
    }
    normal.clear();
    normalize_into(field, normal);
    normal
}
