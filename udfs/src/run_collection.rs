//! `run_collection(run)`

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue, exec_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};

/// Upper bound of the bytes of a collection, which is a value of a column.
const MAX_BYTES: usize = i32::MAX as usize;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Joins runs, as `packed_run` returns them, to one value, for `run_passages`: their bytes one after the other, in no order. Without runs it is empty, not NULL. More than 2 GiB are an error.",
    syntax_example = "run_collection(run)",
    sql_example = r#"```sql
> SELECT octet_length(encode(run_collection(run), 'hex')) / 2 AS bytes
  FROM (
    SELECT packed_run(units, decode('00112233445566778899aabbccddeeff', 'hex'), 1, 2, 'word:2') AS run
    FROM (VALUES ('the old mill'), ('by the river')) AS runs (units)
  );
+-------+
| bytes |
+-------+
| 128   |
+-------+
```"#,
    argument(name = "run", description = "A packed run; NULL is left out."),
    related_udf(name = "packed_run"),
    related_udf(name = "run_passages")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunCollectionOf;

impl Aggregate for RunCollectionOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "run_collection",
        all: &[("run", Kind::Bits)],
        required: 1,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![("runs", DataType::BinaryView)]
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Joined(Vec::new())))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[derive(Debug)]
struct Joined(Vec<u8>);

impl Accumulator for Joined {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let runs = cast(&values[0], &DataType::BinaryView)?;
        for run in runs.as_binary_view().iter().flatten() {
            if self.0.len() + run.len() > MAX_BYTES {
                let function = RunCollectionOf::PARAMETERS.function;
                return exec_err!(
                    "{function}: the parts that texts have in common, each stored once, have more than {MAX_BYTES} bytes; longer passages have fewer"
                );
            }
            self.0.extend_from_slice(run);
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::BinaryView(Some(std::mem::take(
            &mut self.0,
        )))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::BinaryView(Some(self.0.clone())))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.capacity()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::BinaryArray;
    use neardup_kernels::{Shingle, pack_run, run_key};

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_runs() {
        let packed = |run: &str| {
            let mut bytes = Vec::new();
            pack_run(run, run_key(run), [1, 2], Shingle::Word(2), &mut bytes);
            bytes
        };
        let (a, b) = (packed("a b"), packed("c d e"));
        let runs: ArrayRef = Arc::new(BinaryArray::from(vec![Some(&a[..]), None, Some(&b[..])]));
        let orders = [[a.clone(), b.clone()].concat(), [b, a].concat()];
        for collection in every_grouping(RunCollectionOf, &[runs]) {
            let ScalarValue::BinaryView(Some(bytes)) = collection else {
                panic!("not bytes: {collection}")
            };
            assert!(orders.contains(&bytes));
        }
    }
}
