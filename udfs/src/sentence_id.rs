//! `sentence_id(id, sentence_no)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

/// The number of bits of a sentence number.
const BITS: u32 = 20;
/// Ids are below this.
const IDS: i64 = 1 << 43;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the id of a sentence: the id of its text shifted left by 20 bits, plus the number of the sentence in the text. An id outside of 0 to 2^43 - 1 or a number of 2^20 or more is an error.",
    syntax_example = "sentence_id(id, sentence_no)",
    sql_example = r#"```sql
> SELECT sentence_id(3, 1) AS id;
+---------+
| id      |
+---------+
| 3145729 |
+---------+
```"#,
    argument(name = "id", description = "The id of the text."),
    argument(
        name = "sentence_no",
        description = "The number of the sentence, from 0."
    ),
    related_udf(name = "split_sentences")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SentenceId;

impl Function for SentenceId {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "sentence_id",
        all: &[("id", Kind::Integer), ("sentence_no", Kind::Integer)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (ids, numbers) = (args.integers(0)?, args.integers(1)?);
        let mut out = Int64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (ids.get(row), numbers.get(row)) {
                (Some(id), _) if !(0..IDS).contains(&id) => {
                    return exec_err!("sentence_id: id must be in [0, 2^43), found {id}");
                }
                (Some(id), Some(number)) if !(0..1 << BITS).contains(&number) => {
                    return exec_err!(
                        "sentence_id: a text may hold 2^20 sentences, but the text {id} has a sentence {number}"
                    );
                }
                (Some(id), Some(number)) => out.append_value(id << BITS | number),
                _ => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::Int64Type;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::call_array;

    #[test]
    fn shifts_and_adds() {
        let ids = ColumnarValue::Array(Arc::new(Int64Array::from(vec![Some(3), None])));
        let numbers = ColumnarValue::Array(Arc::new(Int64Array::from(vec![Some(1), Some(1)])));
        let result = call_array(SentenceId, vec![ids, numbers]);
        let result: Vec<_> = result.as_primitive::<Int64Type>().iter().collect();
        assert_eq!(result, [Some(3 * 1_048_576 + 1), None]);
    }
}
