//! Our scalar functions for sessions of the Python package datafusion.

use datafusion::logical_expr::ScalarUDF;
use datafusion_ffi::udf::FFI_ScalarUDF;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// A scalar function as `datafusion.udf` takes it.
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
        let function = FFI_ScalarUDF::from(Arc::clone(&self.0));
        PyCapsule::new_with_value(py, function, c"datafusion_scalar_udf")
    }
}

/// Every scalar function.
#[pyfunction]
pub(crate) fn scalar_functions() -> Vec<ScalarFunction> {
    let functions = neardup_udfs::scalar_functions();
    functions.into_iter().map(ScalarFunction).collect()
}
