//! The parameters of table functions, jobs and the command line: types, ranges, defaults and meanings.
//!
//! `definitions` reads `sql/parameters.txt`. Headers of `.sql` files, session options, jobs, the command line and the
//! reference pages take the definitions from there. `value` checks values, and `error` describes an invalid one by the
//! same sentence for every interface.

mod definitions;
mod error;
mod kind;
mod value;

pub use definitions::{entries, parameter};
pub use error::{ParameterError, Part};
pub(crate) use error::{name, parameter_error, set};
pub use kind::{Kind, Range};
pub use value::Value;

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name, as written before `=>`.
    pub name: String,
    /// Type and range.
    pub kind: Kind,
    /// The default as SQL text. `None` if it is computed, or if the parameter is required or may be omitted.
    pub default: Option<String>,
    /// Description.
    pub doc: String,
}

impl Parameter {
    /// The text of the default, without quotes; empty if there is none.
    pub fn default_text(&self) -> &str {
        let default = self.default.as_deref().unwrap_or_default();
        default.trim_matches('\'')
    }
}
