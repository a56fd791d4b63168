//! `text_units(text, unit[, min_length[, normalize]])`

use std::sync::Arc;

use arrow::array::{ArrayRef, FixedSizeBinaryArray, Int64Array};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{TextUnit, for_each_unit};
use xxhash_rust::xxh3::xxh3_128;

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;
use crate::normalize_text::compared;

/// Bytes of a key.
const KEY: i32 = 16;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the lines or paragraphs of a text, without the white space around them: start_char and end_char (after the last character), and key, which equal units have in common: the XXH3-128 hash of the unit. Units of white space only are left out.",
    syntax_example = "text_units(text, unit[, min_length[, normalize]])",
    sql_example = r#"```sql
> SELECT unit['start_char'] AS start_char, unit['end_char'] AS end_char, encode(unit['key'], 'hex') AS key
  FROM (SELECT UNNEST(text_units('All rights reserved.' || chr(10) || 'ALL  rights reserved.', 'line')) AS unit);
+------------+----------+----------------------------------+
| start_char | end_char | key                              |
+------------+----------+----------------------------------+
| 0          | 20       | 8e8be90256585b5cfd679b914e2024b1 |
| 21         | 42       | 8e8be90256585b5cfd679b914e2024b1 |
+------------+----------+----------------------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "unit",
        description = "A constant: 'line', or 'paragraph' for the text between blank lines."
    ),
    argument(
        name = "min_length",
        description = "Units of fewer characters are left out: a constant, 0 by default."
    ),
    argument(
        name = "normalize",
        description = "Whether the key is that of the normal form, as `normalize_text` gives it: a constant, true by default."
    ),
    related_udf(name = "cut_spans")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TextUnits;

impl Function for TextUnits {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "text_units",
        all: &[
            ("text", Kind::Text),
            ("unit", Kind::Name),
            ("min_length", Kind::Count),
            ("normalize", Kind::Flag),
        ],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        options(constants)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (unit, min_length, normalize) = options(&args.constants())?;
        let texts = args.texts(0)?;
        let (mut starts, mut ends, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        let mut lists = StructLists::new(Self::PARAMETERS.function, args.rows());
        let mut normal = String::new();
        for row in 0..args.rows() {
            let text = texts.get(row);
            for_each_unit(text.unwrap_or_default(), unit, |place, unit| {
                if place.len() >= min_length {
                    starts.push(place.start as i64);
                    ends.push(place.end as i64);
                    let compared = compared(unit, normalize, &mut normal);
                    keys.extend(xxh3_128(compared.as_bytes()).to_be_bytes());
                }
            });
            lists.end_row(text.is_some(), starts.len())?;
        }
        let keys = FixedSizeBinaryArray::try_new(KEY, Buffer::from_vec(keys), None)?;
        lists.finish(
            fields(),
            vec![
                Arc::new(Int64Array::from(starts)),
                Arc::new(Int64Array::from(ends)),
                Arc::new(keys),
            ],
        )
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn options(constants: &Constants<'_>) -> Result<(TextUnit, usize, bool)> {
    let unit = constants.parsed(1, TextUnit::Line)?;
    let min_length = constants.integer(2, 0..=u32::MAX, 0)?;
    Ok((unit, min_length as usize, constants.flag(3, true)?))
}

fn fields() -> Fields {
    Fields::from(vec![
        integer_field("start_char"),
        integer_field("end_char"),
        Field::new("key", DataType::FixedSizeBinary(KEY), true),
    ])
}
