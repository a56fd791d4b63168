//! `run_collection(run)`

use std::mem::take;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, BinaryViewBuilder};
use arrow::buffer::Buffer;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue, exec_datafusion_err, internal_datafusion_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::DistinctRuns;

use crate::aggregate::{Aggregate, flattened, list_of_rows, rows};
use crate::columns::{Kind, Parameters};

/// The field of a collection.
pub(crate) const RUNS: &str = "runs";

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Collects the distinct runs of some, as `packed_run` returns them, for `run_passages`: a list of structs, whose field runs has the bytes of some runs one after the other, in no order. A run that several texts hold has two of these. Without runs the list is empty, not NULL.",
    syntax_example = "run_collection(run)",
    sql_example = r#"```sql
> SELECT octet_length(encode(run_collection(run)[1]['runs'], 'hex')) / 2 AS bytes
  FROM (
    SELECT packed_run(units, decode(key, 'hex'), 1, 2, 'word:2') AS run
    FROM (VALUES
      ('the old mill', '00112233445566778899aabbccddeeff'),
      ('by the river', 'ff112233445566778899aabbccddeeff')
    ) AS runs (units, key)
  );
+-------+
| bytes |
+-------+
| 116   |
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
        list_of_rows(&[(RUNS, DataType::BinaryView)])
    }

    fn state(types: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![(RUNS, Self::result_type(types))]
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Collector::default()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[derive(Debug, Default)]
struct Collector {
    runs: DistinctRuns,
    /// The pieces of a result, which the next runs continue.
    returned: Vec<Buffer>,
}

impl Collector {
    fn add(&mut self, runs: &BinaryViewArray) -> Result<()> {
        if !self.returned.is_empty() {
            let pieces = take(&mut self.returned).into_iter();
            let pieces =
                pieces.map(|piece| piece.into_vec().unwrap_or_else(|piece| piece.to_vec()));
            self.runs.put(pieces.collect());
        }
        let mut runs = runs.iter().flatten();
        let added = runs.try_for_each(|run| self.runs.add(run));
        added.map_err(|error| {
            exec_datafusion_err!("{}: {error}", RunCollectionOf::PARAMETERS.function)
        })
    }

    fn collection(&mut self) -> Result<ScalarValue> {
        let made = self.runs.take().into_iter().map(Buffer::from_vec);
        self.returned.extend(made);
        let mut pieces = BinaryViewBuilder::with_capacity(self.returned.len());
        for piece in &self.returned {
            // A run of more than 2^29 units does not come from a text.
            let length = u32::try_from(piece.len())
                .map_err(|_| internal_datafusion_err!("a run of {} bytes", piece.len()))?;
            let block = pieces.append_block(piece.clone());
            pieces.try_append_view(block, 0, length)?;
        }
        rows(vec![(RUNS, Arc::new(pieces.finish()))])
    }
}

impl Accumulator for Collector {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let runs = cast(&values[0], &DataType::BinaryView)?;
        self.add(runs.as_binary_view())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let pieces = flattened(&states[0])?;
        self.add(pieces.as_struct().column(0).as_binary_view())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.collection()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.collection()
    }

    fn size(&self) -> usize {
        let returned = self.returned.iter().map(Buffer::capacity).sum::<usize>();
        size_of_val(self) + self.runs.memory() + returned
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::BinaryArray;
    use neardup_kernels::{Shingle, pack_run, run_key};

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_distinct_runs() {
        let packed = |run: &str, texts| {
            let mut bytes = Vec::new();
            pack_run(run, run_key(run), texts, Shingle::Word(2), &mut bytes);
            bytes
        };
        let long = "c ".repeat(DistinctRuns::PIECE / 12);
        let runs = [
            packed("a b", [1, 1]),
            packed("c d e", [2, 2]),
            packed(&long, [2, 2]),
            packed("a b", [1, 1]),
            packed("a b", [3, 4]),
            packed("c d e", [2, 2]),
        ];
        let values = runs.iter().map(|run| Some(&run[..])).chain([None]);
        let values: ArrayRef = Arc::new(BinaryArray::from_iter(values));
        for collection in every_grouping(RunCollectionOf, &[values]) {
            let ScalarValue::List(list) = collection else {
                panic!("not a list: {collection}")
            };
            let pieces = list.values().as_struct().column(0).as_binary_view();
            let pieces: Vec<&[u8]> = pieces.iter().flatten().collect();
            assert!(pieces.len() <= 3, "short pieces are joined");
            let all = pieces.concat();
            let has = |run: &[u8]| all.windows(run.len()).filter(|part| *part == run).count();
            // Any two of the texts.
            let found =
                [[1, 3], [1, 4], [3, 4], [3, 1], [4, 1]].map(|texts| has(&packed("a b", texts)));
            assert_eq!(found.iter().sum::<usize>(), 1, "{found:?}");
            assert_eq!([has(&runs[1]), has(&runs[2])], [1, 1]);
            assert_eq!(
                all.len(),
                [0, 1, 2].map(|at| runs[at].len()).iter().sum::<usize>()
            );
        }
    }
}
