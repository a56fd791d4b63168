//! Exchange of batches with Python through the Arrow C stream interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>), without a copy.

use crate::wait::wait;
use arrow::array::{Array, RecordBatch, RecordBatchReader, StructArray};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The reader of an object with `__arrow_c_stream__`.
///
/// # Errors
/// `TypeError` if it has no such stream, `ValueError` if its schema cannot be read.
pub(crate) fn reader(object: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_stream__ must return a capsule"))?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of that name holds a valid ArrowArrayStream. The reader moves it out and leaves
    // a released stream behind, so that the capsule's destructor does nothing.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr().cast()) };
    reader.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A capsule with a stream of batches.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    reader: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// A capsule with a schema.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    schema: &Schema,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema);
    let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A batch that Python imports through the Arrow C data interface.
#[pyclass(frozen, module = "neardup._neardup")]
pub(crate) struct Batch(RecordBatch);

#[pymethods]
impl Batch {
    /// The batch as an Arrow C schema and an array of structs.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let array = StructArray::from(self.0.clone()).into_data();
        let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array), c"arrow_array")?;
        Ok((schema_capsule(py, &self.0.schema())?, array))
    }
}

/// An iterator over the batches of a query, for Python.
#[pyclass(frozen, module = "neardup._neardup")]
pub(crate) struct Batches(pub(crate) Running);

#[pymethods]
impl Batches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        Ok(self.0.next(py)?.map(Batch))
    }
}

/// The batches of a running query: each is computed when it is requested.
pub(crate) struct Running {
    schema: SchemaRef,
    stream: Arc<Mutex<SendableRecordBatchStream>>,
}

impl Running {
    pub(crate) fn new(stream: SendableRecordBatchStream) -> Self {
        Self {
            schema: stream.schema(),
            stream: Arc::new(Mutex::new(stream)),
        }
    }

    /// The next batch.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        // A loop that is not written in Python, such as that of list() or of a reader of the stream, does not check
        // for signals, and batches may be ready sooner than a wait checks for them.
        py.check_signals()?;
        let stream = Arc::clone(&self.stream);
        wait(
            py,
            async move { stream.lock().await.next().await.transpose() },
        )
    }
}

impl Iterator for Running {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Python::attach(|py| match Self::next(self, py) {
            Ok(batch) => batch.map(Ok),
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                // The reader is not Python and converts this to its own error. So the interrupt is set
                // again, for the interpreter to handle when it resumes.
                // SAFETY: the only precondition of the call is the GIL, which is held.
                unsafe { pyo3::ffi::PyErr_SetInterrupt() };
                Some(Err(ArrowError::ExternalError("interrupted".into())))
            }
            Err(error) if error.is_instance_of::<PyMemoryError>(py) => {
                Some(Err(ArrowError::MemoryError(error.value(py).to_string())))
            }
            Err(error) => Some(Err(ArrowError::ExternalError(
                error.value(py).to_string().into(),
            ))),
        })
    }
}

impl RecordBatchReader for Running {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
