//! `passage_spans(text, passages, min_passage)`

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::UnitText;

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, check_fields};
use crate::function::Function;
use crate::passage_places::PassagePlaces;

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
        Ok(StructLists::data_type(PassagePlaces::fields().into()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let shingle = args.constants().shingle(2)?;
        let (texts, records) = (args.texts(0)?, args.records(1)?);
        let (firsts, lengths) = (records.integers("at")?, records.integers("length")?);
        let mut places = PassagePlaces::default();
        let mut lists = StructLists::new(function, args.rows());
        for row in 0..args.rows() {
            let text = texts.get(row);
            if let Some(text) = text
                && let Some(passages) = records.get(row)
            {
                let text = UnitText::new(text, shingle);
                for record in passages {
                    if firsts.is_null(record) || lengths.is_null(record) {
                        return exec_err!("{function}: a passage has NULL in at or length");
                    }
                    let (first, length) = (firsts.value(record), lengths.value(record));
                    let found = usize::try_from(first)
                        .ok()
                        .zip(usize::try_from(length).ok())
                        .and_then(|(first, length)| places.push(&text, first, length));
                    if found.is_none() {
                        let units = text.units().len();
                        return exec_err!(
                            "{function}: there are no {length} units from {first} on in a text of {units} units"
                        );
                    }
                }
            }
            lists.end_row(text.is_some(), places.len())?;
        }
        lists.finish(PassagePlaces::fields().into(), places.columns())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}
