//! Errors that name parameters. Each interface writes the names in its own notation.

use datafusion::common::DataFusionError;
use std::error::Error;
use std::fmt;

/// A part of the text of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text that is the same everywhere.
    Text(String),
    /// The name of a parameter.
    Name(String),
    /// A parameter with its value.
    Set(String, String),
}

/// The name of a parameter, as a part of an error.
pub(crate) fn name(name: &str) -> Part {
    Part::Name(name.to_owned())
}

/// A parameter with its value, as a part of an error.
pub(crate) fn set(name: &str, value: impl fmt::Display) -> Part {
    Part::Set(name.to_owned(), value.to_string())
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// An error of a library call that names parameters by the fields that hold them.
///
/// [`ParameterError::text`] writes it for an interface with other names, such as the flags of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterError {
    parts: Vec<Part>,
}

impl ParameterError {
    /// An error whose text consists of these parts.
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        Self {
            parts: parts.into_iter().collect(),
        }
    }

    /// The error at the root of another one, if it names parameters.
    pub fn of(error: &DataFusionError) -> Option<&Self> {
        match error.find_root() {
            DataFusionError::External(error) => error.downcast_ref(),
            _ => None,
        }
    }

    /// The text, in which `written` writes a parameter and its value, if the text states one.
    pub fn text(&self, written: impl Fn(&str, Option<&str>) -> String) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Name(name) => written(name, None),
            Part::Set(name, value) => written(name, Some(value)),
        });
        parts.collect()
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|name, value| match value {
            Some(value) => format!("{name} {value}"),
            None => name.to_owned(),
        }))
    }
}

impl Error for ParameterError {}

impl From<ParameterError> for DataFusionError {
    fn from(error: ParameterError) -> Self {
        Self::External(Box::new(error))
    }
}

/// An error from texts and other [`Part`]s.
macro_rules! parameter_error {
    ($($part:expr),+ $(,)?) => {
        $crate::parameters::ParameterError::new([$($crate::parameters::Part::from($part)),+])
    };
}
pub(crate) use parameter_error;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interface_writes_the_names_itself() {
        let error = parameter_error![name("vector"), " needs ", set("method", "projection")];
        assert_eq!(error.to_string(), "vector needs method projection");
        let flags = error.text(|name, value| format!("--{name}={value:?}"));
        assert_eq!(flags, "--vector=None needs --method=Some(\"projection\")");
        let wrapped = DataFusionError::from(error.clone()).context("while planning");
        assert_eq!(ParameterError::of(&wrapped), Some(&error));
    }
}
