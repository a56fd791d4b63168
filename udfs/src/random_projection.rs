//! `random_projection(vector[, bits[, seed]])`

use std::sync::Arc;

use arrow::array::{ArrayRef, FixedSizeBinaryArray, NullBufferBuilder};
use arrow::buffer::MutableBuffer;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Coordinate, DenseProjector, MAX_BITS, SparseProjector, signature_bytes};

use crate::columns::{Arguments, Constants, Kind, Parameters, Vector, merged_into};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the signature of a vector by random projection: bit i gives the side of a random hyperplane on which the vector lies, and the share of bits in which the signatures of two vectors differ estimates their angle divided by π (see `hamming_to_cosine`). The normals of the hyperplanes are standard normal numbers drawn from a hash of (seed, dimension or term, bit), so that every process has the same ones, and a signature of fewer bits is a prefix of a longer one. The length of a vector has no effect. A zero vector has every bit set: exclude zero vectors before pairs are formed. Bit i is bit i % 8, from the lowest, of byte i / 8. (Charikar, STOC 2002.)",
    syntax_example = "random_projection(vector[, bits[, seed]])",
    sql_example = r#"```sql
> SELECT hamming_distance(random_projection([1, 0, 2]), random_projection([1.1, 0, 2])) AS distance;
+----------+
| distance |
+----------+
| 9        |
+----------+
```"#,
    argument(
        name = "vector",
        description = "A list of numbers, all of one length in a column, or a list of (term, weight): a struct of a string or integer and a number, whose weights are summed if a term occurs several times. Numbers must be finite. NULL gives NULL."
    ),
    argument(name = "bits", description = "A literal, 1 to 4096; 1024 if left out."),
    argument(
        name = "seed",
        description = "A constant, 0 to 2^64 - 1; 1 if left out. Only signatures of the same seed can be compared."
    ),
    related_udf(name = "hamming_distance"),
    related_udf(name = "hamming_to_cosine")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RandomProjection;

impl Function for RandomProjection {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "random_projection",
        all: &[
            ("vector", Kind::Vector),
            ("bits", Kind::Count),
            ("seed", Kind::Count),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.require_literal(1)?;
        let (bits, _) = shape(constants)?;
        Ok(DataType::FixedSizeBinary(signature_bytes(bits) as i32))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (bits, seed) = shape(&args.constants())?;
        let bytes = signature_bytes(bits);
        let vectors = args.vectors(0)?;
        let mut out = MutableBuffer::from_len_zeroed(args.rows() * bytes);
        let mut nulls = NullBufferBuilder::new(args.rows());
        let (mut narrow, mut wide) = (Dense::default(), Dense::default());
        let mut sparse = None;
        let mut entries = Vec::new();
        for row in 0..args.rows() {
            let vector = vectors.get(row)?;
            nulls.append(vector.is_some());
            match vector {
                None => {}
                Some(Vector::F32(vector)) => narrow.push(row, vector)?,
                Some(Vector::F64(vector)) => wide.push(row, vector)?,
                Some(Vector::Sparse(vector)) => {
                    merged_into(vector, &mut entries);
                    let projector = sparse.get_or_insert_with(|| SparseProjector::new(bits, seed));
                    let signature = &mut out.as_slice_mut()[row * bytes..(row + 1) * bytes];
                    projector.signature_into(&entries, signature);
                }
            }
        }
        narrow.write(bits, seed, out.as_slice_mut());
        wide.write(bits, seed, out.as_slice_mut());
        Ok(Arc::new(FixedSizeBinaryArray::try_new(
            bytes as i32,
            out.into(),
            nulls.finish(),
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The dense vectors of a batch, and the rows that they belong to.
struct Dense<'a, T> {
    rows: Vec<usize>,
    vectors: Vec<&'a [T]>,
}

impl<T> Default for Dense<'_, T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            vectors: Vec::new(),
        }
    }
}

impl<'a, T: Coordinate> Dense<'a, T> {
    fn push(&mut self, row: usize, vector: &'a [T]) -> Result<()> {
        if let Some(first) = self.vectors.first()
            && first.len() != vector.len()
        {
            return exec_err!(
                "random_projection: the vectors of a column must have the same length, found {} and {} numbers",
                first.len(),
                vector.len()
            );
        }
        self.rows.push(row);
        self.vectors.push(vector);
        Ok(())
    }

    fn write(self, bits: usize, seed: u64, out: &mut [u8]) {
        let Some(first) = self.vectors.first() else {
            return;
        };
        let bytes = signature_bytes(bits);
        let projector = DenseProjector::new(bits, seed, first.len());
        let mut signatures = vec![0; self.vectors.len() * bytes];
        projector.signatures_into(&self.vectors, &mut signatures);
        for (row, signature) in self.rows.into_iter().zip(signatures.chunks(bytes)) {
            out[row * bytes..(row + 1) * bytes].copy_from_slice(signature);
        }
    }
}

fn shape(constants: &Constants<'_>) -> Result<(usize, u64)> {
    let bits = constants.integer(1, 1..=MAX_BITS, 1024)?;
    Ok((bits, constants.integer(2, 0..=u64::MAX, 1)?))
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        Array, AsArray, FixedSizeListArray, Float64Array, LargeListArray, ListArray, StringArray,
        StructArray,
    };
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::{Field, Float32Type, Float64Type, Int32Type};
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};

    fn signature(vector: &[f64]) -> Vec<u8> {
        let mut out = vec![0; 13];
        DenseProjector::new(100, 7, vector.len()).signatures_into(&[vector], &mut out);
        out
    }

    fn lists(rows: [Option<[f64; 3]>; 3]) -> [ArrayRef; 5] {
        let wide = rows.map(|row| row.map(|row| row.map(Some)));
        let narrow = rows.map(|row| row.map(|row| row.map(|x| Some(x as f32))));
        let whole = rows.map(|row| row.map(|row| row.map(|x| Some(x as i32))));
        [
            Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(wide)),
            Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(narrow)),
            Arc::new(LargeListArray::from_iter_primitive::<Int32Type, _, _>(
                whole,
            )),
            Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(narrow, 3)),
            Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(wide, 3)),
        ]
    }

    #[test]
    fn every_kind_of_list() {
        for lists in lists([Some([1.0, -2.0, 3.0]), None, Some([0.0, 5.0, 1.0])]) {
            let result = call_array(
                RandomProjection,
                vec![column(lists), scalar(100_i64), scalar(7_i64)],
            );
            let result = result.as_fixed_size_binary();
            assert_eq!(result.value(0), signature(&[1.0, -2.0, 3.0]));
            assert!(result.is_null(1));
            assert_eq!(result.value(2), signature(&[0.0, 5.0, 1.0]));
        }
    }

    fn weighted(terms: ArrayRef, weights: Vec<Option<f64>>) -> ListArray {
        let entries = StructArray::from(vec![
            (
                Arc::new(Field::new("term", terms.data_type().clone(), true)),
                terms,
            ),
            (
                Arc::new(Field::new("weight", DataType::Float64, true)),
                Arc::new(Float64Array::from(weights)) as ArrayRef,
            ),
        ]);
        ListArray::new(
            Arc::new(Field::new_list_field(entries.data_type().clone(), true)),
            OffsetBuffer::from_lengths([entries.len()]),
            Arc::new(entries),
            None,
        )
    }

    #[test]
    fn terms_may_be_numbers_or_strings() {
        let of = |lists: ListArray| {
            let args = vec![column(lists), scalar(100_i64), scalar(7_i64)];
            call_array(RandomProjection, args)
                .as_fixed_size_binary()
                .value(0)
                .to_vec()
        };
        let numbers: ArrayRef = Arc::new(arrow::array::Int16Array::from(vec![2, 0, 2]));
        let found = of(weighted(numbers, vec![Some(1.0), Some(4.0), Some(2.0)]));
        assert_eq!(
            found,
            signature(&[4.0, 0.0, 3.0]),
            "dimensions of a dense vector"
        );
        let strings: ArrayRef = Arc::new(StringArray::from(vec!["b", "a"]));
        let turned: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        assert_eq!(
            of(weighted(strings, vec![Some(1.0), Some(2.0)])),
            of(weighted(turned, vec![Some(2.0), Some(1.0)]))
        );
    }

    #[test]
    fn scalars_and_empty_lists() {
        let [list, ..] = lists([Some([1.0, -2.0, 3.0]), None, None]);
        let constant = ScalarValue::try_from_array(&list, 0).expect("a row");
        let result = call_scalar(RandomProjection, vec![scalar(constant)]);
        assert!(matches!(result, ScalarValue::FixedSizeBinary(128, Some(_))));
        let empty = ListArray::from_iter_primitive::<Float64Type, _, _>([Some([])]);
        let result = call_array(RandomProjection, vec![column(empty), scalar(12_i64)]);
        assert_eq!(result.as_fixed_size_binary().value(0), [0xff, 0x0f]);
        assert!(call_scalar(RandomProjection, vec![scalar(ScalarValue::Null)]).is_null());
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let error = |lists: ListArray| {
            let result = call(RandomProjection, vec![column(lists)]);
            result.expect_err("not finite").strip_backtrace()
        };
        let list = |rows: Vec<Vec<Option<f64>>>| {
            ListArray::from_iter_primitive::<Float64Type, _, _>(rows.into_iter().map(Some))
        };
        assert_eq!(
            error(list(vec![vec![Some(1.0), Some(f64::NAN)]])),
            "Execution error: random_projection: the numbers of vector must be finite, found NaN at position 2"
        );
        assert_eq!(
            error(list(vec![vec![None]])),
            "Execution error: random_projection: the numbers of vector must be finite, found NULL at position 1"
        );
        assert_eq!(
            error(list(vec![vec![Some(1.0)], vec![Some(1.0); 2]])),
            "Execution error: random_projection: the vectors of a column must have the same length, found 1 and 2 numbers"
        );
        let strings: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        assert_eq!(
            error(weighted(strings, vec![Some(f64::INFINITY)])),
            "Execution error: random_projection: the numbers of vector must be finite, found inf at position 1"
        );
        assert_eq!(
            plan_error(RandomProjection, &[scalar("a")]),
            "Error during planning: random_projection: vector must be a list of numbers or of (term, weight), found Utf8"
        );
        assert_eq!(
            plan_error(RandomProjection, &[column(list(vec![])), scalar(5000_i64)]),
            "Error during planning: random_projection: bits must be between 1 and 4096, found 5000"
        );
    }
}
