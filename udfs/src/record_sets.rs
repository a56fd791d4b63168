//! `record_sets(record, fields, normalize)`

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::NumberedShingles;

use crate::columns::{
    Arguments, Constants, HashLists, Kind, Parameters, StructLists, integer_field,
};
use crate::function::Function;
use crate::record_fields::{FieldReader, lists_of_fields};

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
        description = "Whether fields are normalised first: a constant."
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
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let wanted = args.constants().parsed(1, NumberedShingles::default())?;
        let mut reader = FieldReader::new(args.constants().flag(2, true)?);
        let mut tokens = HashLists::new(function, args.rows());
        let mut set = Vec::new();
        let (lists, numbers) = lists_of_fields(function, args, |number, field| {
            let Some(shingle) = wanted.shingle(number) else {
                return Ok(false);
            };
            reader.set_into(field, shingle, &mut set);
            if !set.is_empty() {
                tokens.push(|list| list.extend_from_slice(&set))?;
            }
            Ok(!set.is_empty())
        })?;
        lists.finish(fields(), vec![numbers, tokens.finish()])
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    let tokens = Field::new("tokens", HashLists::data_type(), true);
    Fields::from(vec![integer_field("field"), tokens])
}
