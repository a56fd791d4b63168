//! `packed_vector(vector, id)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{pack_f32, pack_f64, pack_sparse};

use crate::columns::{Arguments, Constants, Kind, Parameters, Vector, merged_into};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a vector as bytes. The joins of vectors group, compare and send vectors in this form, and `random_projection` and `cosine_similarity` accept it in place of the vector. A vector that is empty or zero has no bytes. Numbers that are NULL, NaN or infinite are an error that names the id.",
    syntax_example = "packed_vector(vector, id)",
    sql_example = r#"```sql
> SELECT encode(packed_vector([0.5], '7'), 'hex') AS packed, encode(packed_vector([0.0], '8'), 'hex') AS zero;
+--------------------+------+
| packed             | zero |
+--------------------+------+
| 02000000000000e03f |      |
+--------------------+------+
```"#,
    argument(
        name = "vector",
        description = "A list of numbers, or a list of (term, weight); NULL gives NULL."
    ),
    argument(name = "id", description = "The id, for the error."),
    related_udf(name = "cosine_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PackedVector;

impl Function for PackedVector {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "packed_vector",
        all: &[("vector", Kind::Vector), ("id", Kind::Text)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (vectors, ids) = (args.vectors(0)?, args.texts(1)?);
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        let (mut packed, mut entries) = (Vec::new(), Vec::new());
        for row in 0..args.rows() {
            let vector = vectors.get(row).map_err(|error| {
                let id = ids.get(row).unwrap_or("NULL");
                exec_datafusion_err!("the vector of id {id}: {}", error.message())
            })?;
            packed.clear();
            match vector {
                None => {
                    out.append_null();
                    continue;
                }
                Some(Vector::F32(vector)) => pack_f32(vector, &mut packed),
                Some(Vector::F64(vector)) => pack_f64(vector, &mut packed),
                Some(Vector::Sparse(vector)) => {
                    merged_into(vector, &mut entries);
                    pack_sparse(&entries, &mut packed);
                }
            }
            out.try_append_value(&packed)?;
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, Int64Array, ListArray, StringArray};
    use arrow::datatypes::Float64Type;

    use super::*;
    use crate::calls::{call, call_array, column};
    use crate::cosine_similarity::CosineSimilarity;
    use crate::random_projection::RandomProjection;

    fn vectors() -> ListArray {
        ListArray::from_iter_primitive::<Float64Type, _, _>([
            Some(vec![Some(3.0), Some(4.0)]),
            None,
            Some(vec![Some(4.0), Some(3.0)]),
        ])
    }

    #[test]
    fn packed_vectors_stand_for_their_vectors() {
        let ids = || column(StringArray::from(vec!["a", "b", "c"]));
        let packed = call_array(PackedVector, vec![column(vectors()), ids()]);
        assert!(packed.is_null(1));
        let packed = || column(Arc::clone(&packed));
        assert_eq!(
            &call_array(RandomProjection, vec![packed()]),
            &call_array(RandomProjection, vec![column(vectors())])
        );
        let cosines = call_array(
            CosineSimilarity,
            vec![packed(), column(vectors().slice(0, 3))],
        );
        let cosines: Vec<_> = cosines.as_primitive::<Float64Type>().iter().collect();
        assert_eq!(cosines, [Some(1.0), None, Some(1.0)]);
    }

    #[test]
    fn errors_name_the_id() {
        let wrong = ListArray::from_iter_primitive::<Float64Type, _, _>([
            Some(vec![Some(1.0)]),
            Some(vec![Some(1.0), Some(f64::NAN)]),
        ]);
        let ids = column(StringArray::from(vec!["a", "b"]));
        let error = call(PackedVector, vec![column(wrong), ids]).expect_err("not finite");
        assert_eq!(
            error.strip_backtrace(),
            "Execution error: the vector of id b: packed_vector: the numbers of vector must be finite, found NaN at position 2"
        );
        let not_a_text = column(Int64Array::from(vec![1, 2, 3]));
        assert!(call(PackedVector, vec![column(vectors()), not_a_text]).is_err());
    }
}
