//! `passage_spans(text, passages, min_passage)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, UInt64Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::UnitText;

use crate::columns::{
    Arguments, Constants, Kind, Parameters, StructLists, check_fields, integer_field,
};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns where passages are in a text: passage, the XXH3-64 hash of the units joined by one space (of characters: of the characters); length, the number of units; and start_byte, end_byte, start_char and end_char.",
    syntax_example = "passage_spans(text, passages, min_passage)",
    sql_example = r#"```sql
> SELECT span['start_char'] AS start_char, span['end_char'] AS end_char
  FROM (SELECT UNNEST(passage_spans('See the (old) map.', [named_struct('at', 1, 'length', 2)], 'word:2')) AS span);
+------------+----------+
| start_char | end_char |
+------------+----------+
| 4          | 12       |
+------------+----------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "passages",
        description = "A list of structs with the integer fields at, the number of the first unit, from 0, and length, the number of units, at least 1. A row without a list has none. Passages that the text does not have are an error."
    ),
    argument(
        name = "min_passage",
        description = "A constant, whose unit is that of the passages, as in `gram_anchors`."
    ),
    related_udf(name = "run_passages"),
    related_udf(name = "word_runs")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PassageSpans;

impl Function for PassageSpans {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "passage_spans",
        all: &[
            ("text", Kind::Text),
            ("passages", Kind::Records),
            ("min_passage", Kind::Shingle),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        check_fields(Self::PARAMETERS.function, types[1], &["at", "length"], &[])?;
        constants.shingle(2)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let shingle = args.constants().shingle(2)?;
        let (texts, records) = (args.texts(0)?, args.records(1)?);
        let (firsts, lengths) = (records.integers("at")?, records.integers("length")?);
        let mut joined = String::new();
        let mut hashes = Vec::new();
        let mut numbers: [Vec<i64>; 5] = Default::default();
        let mut lists = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let text = texts.get(row);
            if let Some(text) = text
                && let Some(passages) = records.get(row)
            {
                let text = UnitText::new(text, shingle);
                for record in passages {
                    let (first, length) = (firsts.value(record), lengths.value(record));
                    let at = usize::try_from(first)
                        .ok()
                        .zip(usize::try_from(length).ok());
                    let units = at.and_then(|(first, length)| {
                        text.units().get(first..first.checked_add(length)?)
                    });
                    let Some((first, [start, ..], [.., end])) =
                        at.and_then(|(first, _)| Some((first, units?, units?)))
                    else {
                        let units = text.units().len();
                        return exec_err!(
                            "{function}: there are no {length} units from {first} on in a text of {units} units"
                        );
                    };
                    hashes.push(text.hash(first, length as usize, &mut joined));
                    let of_span = [
                        length as usize,
                        start.start_byte,
                        end.end_byte,
                        start.start_char,
                        end.end_char,
                    ];
                    for (column, number) in numbers.iter_mut().zip(of_span) {
                        column.push(number as i64);
                    }
                }
            }
            lists.end_row(text.is_some(), hashes.len())?;
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(hashes))];
        columns.extend(numbers.map(|column| Arc::new(Int64Array::from(column)) as ArrayRef));
        lists.finish(fields(), columns)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("passage", DataType::UInt64, true),
        integer_field("length"),
        integer_field("start_byte"),
        integer_field("end_byte"),
        integer_field("start_char"),
        integer_field("end_char"),
    ])
}
