//! Errors of the engine as Python exceptions.

use datafusion::common::DataFusionError;
use neardup::parameters::ParameterError;
use neardup::{error_text, exhausts_memory};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyNotImplementedError, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};

/// Options of the command line that messages name, and the arguments of `connect` that correspond to them.
const OPTIONS: [(&str, &str); 8] = [
    ("--cluster", "url"),
    ("--memory-limit", "memory_limit"),
    ("--scratch", "scratch"),
    ("--step-timeout", "step_timeout"),
    ("--temp-dir", "temp_dir"),
    ("--temp-limit", "temp_limit"),
    ("--threads", "threads"),
    ("--token-file", "token_file"),
];

/// The Python exception for an error, with the engine's message.
///
/// An error in a statement, its arguments or its data is a `ValueError`, an unsupported feature a
/// `NotImplementedError`; a missing file is a `FileNotFoundError`, any other I/O error an `OSError`,
/// insufficient memory a `MemoryError`; everything else, such as a lost cluster, is a `RuntimeError`.
pub(crate) fn exception(error: DataFusionError) -> PyErr {
    let mut text = error_text(&error);
    for (option, argument) in OPTIONS {
        text = text.replace(option, argument);
    }
    let has = |part: &str| text.contains(part);
    if has("no such file") || has("no file matches") || has("(os error 2)") {
        return PyFileNotFoundError::new_err(text);
    }
    if has("(os error 13)") {
        return PyPermissionError::new_err(text);
    }
    if exhausts_memory(&error) {
        return PyMemoryError::new_err(text);
    }
    if ParameterError::of(&error).is_some() {
        return PyValueError::new_err(text);
    }
    match error.find_root() {
        DataFusionError::NotImplemented(_) => PyNotImplementedError::new_err(text),
        DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => PyOSError::new_err(text),
        // An I/O error to which the name of the file was added.
        _ if has("(os error ") => PyOSError::new_err(text),
        DataFusionError::Plan(_)
        | DataFusionError::SQL(..)
        | DataFusionError::SchemaError(..)
        | DataFusionError::Configuration(_)
        | DataFusionError::ArrowError(..)
        | DataFusionError::ParquetError(_)
        | DataFusionError::Execution(_) => PyValueError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}
