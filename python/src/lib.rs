//! The native part of the Python module `neardup`: sessions, rows, and Arrow streams in and out.
//!
//! Nothing is computed here: every call is one statement for the session. The public Python interface
//! (`neardup/*.py`) is written in terms of these classes.

mod arrow_stream;
mod capsules;
mod errors;
mod partitions;
mod rows;
mod session;
mod texts;
mod wait;

use pyo3::prelude::*;

/// The module as Python imports it.
#[pymodule]
mod _neardup {
    #[pymodule_export]
    use crate::capsules::{aggregate_functions, former_names, scalar_functions, sql_text};
    #[pymodule_export]
    use crate::rows::Rows;
    #[pymodule_export]
    use crate::session::Session;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const DATAFUSION_VERSION: &str = datafusion::DATAFUSION_VERSION;
}
