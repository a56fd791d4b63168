//! `run_collection(run)`

use std::mem::take;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryViewBuilder, ByteView};
use arrow::buffer::Buffer;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue, internal_datafusion_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;

use crate::aggregate::{Aggregate, flattened, list_of_rows, rows};
use crate::columns::{Kind, Parameters};

/// The field of a collection.
pub(crate) const RUNS: &str = "runs";

/// Upper bound of the bytes of a piece of several runs. Longer pieces take more time to allocate, shorter ones are more
/// values.
const PIECE: usize = 4 << 20;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Joins runs, as `packed_run` returns them, for `run_passages`: a list of structs, whose field runs has the bytes of some runs one after the other, in no order. Without runs it is empty, not NULL.",
    syntax_example = "run_collection(run)",
    sql_example = r#"```sql
> SELECT octet_length(encode(run_collection(run)[1]['runs'], 'hex')) / 2 AS bytes
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
        list_of_rows(&[(RUNS, DataType::BinaryView)])
    }

    fn state(types: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![(RUNS, Self::result_type(types))]
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Pieces::default()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The pieces of a collection, which are not copied when partial states are merged.
#[derive(Debug, Default)]
struct Pieces {
    last: Vec<u8>,
    others: Vec<Buffer>,
    /// The bytes of those of the others that were made here. Others are counted where they come from, and the result where
    /// it goes.
    made: usize,
}

impl Pieces {
    fn add(&mut self, runs: &[u8]) {
        if self.last.len() + runs.len() > PIECE {
            self.end_piece();
        }
        let length = self.last.len() + runs.len();
        if length > self.last.capacity() {
            let capacity = (2 * self.last.capacity()).min(PIECE).max(length);
            self.last.reserve_exact(capacity - self.last.len());
        }
        self.last.extend_from_slice(runs);
    }

    fn end_piece(&mut self) {
        if !self.last.is_empty() {
            let piece = Buffer::from_vec(take(&mut self.last));
            self.made += piece.capacity();
            self.others.push(piece);
        }
    }

    fn collection(&mut self) -> Result<ScalarValue> {
        self.end_piece();
        let mut pieces = BinaryViewBuilder::with_capacity(self.others.len());
        for piece in &self.others {
            // A run of more than 2^29 units does not come from a text.
            let length = u32::try_from(piece.len())
                .map_err(|_| internal_datafusion_err!("a run of {} bytes", piece.len()))?;
            let block = pieces.append_block(piece.clone());
            pieces.try_append_view(block, 0, length)?;
        }
        rows(vec![(RUNS, Arc::new(pieces.finish()))])
    }
}

impl Accumulator for Pieces {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let runs = cast(&values[0], &DataType::BinaryView)?;
        let runs = runs.as_binary_view().iter().flatten();
        runs.for_each(|run| self.add(run));
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let pieces = flattened(&states[0])?;
        let pieces = pieces.as_struct().column(0).as_binary_view();
        let buffers = pieces.data_buffers();
        for (at, piece) in pieces.iter().enumerate() {
            let whole = piece.and_then(|piece| {
                let view = ByteView::from(pieces.views()[at]);
                let buffer = buffers.get(view.buffer_index as usize)?;
                // A part of a longer buffer, which has come from another process, would keep all of it.
                let is_whole = piece.len() >= PIECE / 2 && buffer.capacity() <= 2 * piece.len();
                is_whole.then(|| buffer.slice_with_length(view.offset as usize, piece.len()))
            });
            match (whole, piece) {
                (Some(whole), _) => self.others.push(whole),
                (None, Some(piece)) => self.add(piece),
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.collection()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.collection()
    }

    fn size(&self) -> usize {
        let list = self.others.capacity() * size_of::<Buffer>();
        size_of_val(self) + self.last.capacity() + self.made + list
    }
}

#[cfg(test)]
mod tests {
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
        let (short, long) = (packed("a b"), packed(&"c ".repeat(PIECE / 4)));
        for (a, b) in [(&short, &packed("c d e")), (&short, &long), (&long, &long)] {
            let runs: ArrayRef =
                Arc::new(BinaryArray::from(vec![Some(&a[..]), None, Some(&b[..])]));
            for collection in every_grouping(RunCollectionOf, &[runs]) {
                let ScalarValue::List(list) = collection else {
                    panic!("not a list: {collection}")
                };
                let pieces = list.values().as_struct().column(0).as_binary_view();
                let pieces: Vec<&[u8]> = pieces.iter().flatten().collect();
                let orders = [[&a[..], b].concat(), [&b[..], a].concat()];
                assert!(orders.contains(&pieces.concat()));
                let is_long = |piece: &&[u8]| piece.len() >= PIECE / 2;
                let others = pieces.iter().filter(|piece| !is_long(piece));
                assert!(others.count() <= 1, "short pieces are joined");
            }
        }
    }
}
