//! Errors of the engine as Python exceptions.

use datafusion::common::DataFusionError;
use neardup::{error_text, exhausts_memory};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyNotImplementedError, PyOSError, PyRuntimeError,
    PyValueError,
};

/// The Python exception for an error, with the engine's message.
///
/// An error in a statement or its arguments is a `ValueError`, an unsupported feature a
/// `NotImplementedError`; a missing file is a `FileNotFoundError`, any other I/O error an `OSError`,
/// insufficient memory a `MemoryError`; everything else is a `RuntimeError`.
pub(crate) fn exception(error: DataFusionError) -> PyErr {
    let text = error_text(&error);
    if text.contains("no such file") || text.contains("no file matches") {
        return PyFileNotFoundError::new_err(text);
    }
    if exhausts_memory(&error) {
        return PyMemoryError::new_err(text);
    }
    match error.find_root() {
        DataFusionError::Plan(_)
        | DataFusionError::SQL(..)
        | DataFusionError::SchemaError(..)
        | DataFusionError::Configuration(_)
        | DataFusionError::ArrowError(..) => PyValueError::new_err(text),
        DataFusionError::NotImplemented(_) => PyNotImplementedError::new_err(text),
        DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => PyOSError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}
