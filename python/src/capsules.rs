//! Our functions for sessions of the Python package datafusion, and the SQL of table functions.

use crate::errors::exception;
use arrow::array::{Array, ArrayRef, Scalar, new_empty_array};
use arrow::compute::kernels::cmp::not_distinct;
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use arrow::ffi::FFI_ArrowSchema;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    AggregateUDF, ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};
use datafusion_ffi::udaf::FFI_AggregateUDF;
use datafusion_ffi::udf::FFI_ScalarUDF;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// A scalar function, as `datafusion.udf` expects it.
#[pyclass(frozen, module = "neardup._neardup")]
pub(crate) struct ScalarFunction(Arc<ScalarUDF>);

#[pymethods]
impl ScalarFunction {
    /// Its name in SQL.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    fn __datafusion_scalar_udf__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let function = ScalarUDF::new_from_impl(Columns(Arc::clone(&self.0)));
        let function = FFI_ScalarUDF::from(Arc::new(function));
        PyCapsule::new_with_value(py, function, c"datafusion_scalar_udf")
    }
}

/// A function whose constant arguments arrive as columns: the foreign function interface of the engine passes only
/// arrays. Constant columns are converted back to scalars.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Columns(Arc<ScalarUDF>);

impl ScalarUDFImpl for Columns {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn aliases(&self) -> &[String] {
        self.0.aliases()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        self.0.return_field_from_args(arguments)
    }

    fn invoke_with_args(&self, mut arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if arguments.number_rows == 0 {
            let empty = new_empty_array(arguments.return_field.data_type());
            return Ok(ColumnarValue::Array(empty));
        }
        for argument in &mut arguments.args {
            if let ColumnarValue::Array(column) = argument
                && is_constant(column)?
            {
                *argument = ColumnarValue::Scalar(ScalarValue::try_from_array(column, 0)?);
            }
        }
        self.0.invoke_with_args(arguments)
    }
}

/// Whether a column of texts, numbers or Booleans holds only one distinct value.
fn is_constant(column: &ArrayRef) -> Result<bool> {
    let kind = column.data_type();
    if !(kind.is_string() || kind.is_numeric() || matches!(kind, DataType::Boolean)) {
        return Ok(false);
    }
    // Compare two rows first: most columns that are not constant differ there.
    for rows in [column.len().min(2), column.len()] {
        let first = Scalar::new(column.slice(0, 1));
        if not_distinct(&column.slice(0, rows), &first)?.has_false() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All scalar functions.
#[pyfunction]
pub(crate) fn scalar_functions() -> Vec<ScalarFunction> {
    let functions = neardup_udfs::scalar_functions();
    functions.into_iter().map(ScalarFunction).collect()
}

/// An aggregate, as `datafusion.udaf` expects it.
#[pyclass(frozen, module = "neardup._neardup")]
pub(crate) struct AggregateFunction(Arc<AggregateUDF>);

#[pymethods]
impl AggregateFunction {
    /// Its name in SQL.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    fn __datafusion_aggregate_udf__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let function = FFI_AggregateUDF::from(Arc::clone(&self.0));
        PyCapsule::new_with_value(py, function, c"datafusion_aggregate_udf")
    }
}

/// All aggregates.
#[pyfunction]
pub(crate) fn aggregate_functions() -> Vec<AggregateFunction> {
    let functions = neardup_udfs::aggregate_functions();
    functions.into_iter().map(AggregateFunction).collect()
}

/// Former names of parameters of table functions, and their names.
#[pyfunction]
pub(crate) fn former_names() -> Vec<(&'static str, &'static str)> {
    neardup::options::ALIASES.to_vec()
}

/// The SQL that a call of a table function expands to. `tables` are names of tables, with objects that have an Arrow
/// C schema.
#[pyfunction]
pub(crate) fn sql_text(call: &str, tables: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<String> {
    let tables: PyResult<Vec<_>> = tables
        .into_iter()
        .map(|(name, columns)| Ok((name, schema(&columns)?)))
        .collect();
    neardup::functions::sql_text(call, &tables?).map_err(exception)
}

fn schema(object: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let capsule = object.call_method0("__arrow_c_schema__")?;
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_schema__ must return a capsule"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?;
    // SAFETY: a capsule of that name holds a valid ArrowSchema, which lives as long as the capsule.
    let schema = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
    let schema = Schema::try_from(schema);
    Ok(Arc::new(schema.map_err(|error| {
        PyValueError::new_err(error.to_string())
    })?))
}
