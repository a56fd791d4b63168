//! The parameters of the library as flags of the command line: their names, values, defaults and help.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use datafusion::common::DataFusionError;
use neardup::parameters::{Kind, parameter};
use std::ffi::OsStr;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

/// The flag of a parameter, with its value if there is one.
fn flag(name: &str, value: Option<&str>) -> String {
    let flag = match name {
        "output" => "-o".to_owned(),
        name => format!("--{}", name.replace('_', "-")),
    };
    match value {
        Some(value) => format!("{flag} {value}"),
        None => flag,
    }
}

/// The text of an error, in which parameters are flags.
pub(crate) fn error_text(error: &DataFusionError) -> String {
    neardup::files::with_names_of_pipes(neardup::error_text_with(error, flag))
}

/// Reads the value of a parameter, by the name of its definition.
pub(crate) fn read<T>(entry: &'static str) -> Read<T> {
    Read {
        entry,
        value: PhantomData,
    }
}

/// A parser of the values of a parameter.
#[derive(Clone)]
pub(crate) struct Read<T> {
    entry: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T> TypedValueParser for Read<T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Display,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let text = value.to_string_lossy();
        let wrong = |text: String| command.clone().error(ErrorKind::ValueValidation, text);
        let read = parameter(self.entry).read(&text);
        read.map_err(|error| wrong(error.text(flag)))?;
        text.parse()
            .map_err(|error: T::Err| wrong(error.to_string()))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        match &parameter(self.entry).kind {
            Kind::OneOf(words) => {
                let words = words.iter().map(|word| PossibleValue::new(word.as_str()));
                Some(Box::new(words))
            }
            _ => None,
        }
    }
}

/// The default of a parameter.
pub(crate) fn default(entry: &str) -> &'static str {
    parameter(entry).default_text()
}

/// The meaning of a parameter, with its range.
pub(crate) fn help(entry: &str) -> String {
    let parameter = parameter(entry);
    let mut letters = parameter.doc.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let mut help: String = first.into_iter().chain(letters).collect();
    if matches!(parameter.kind, Kind::Number(_) | Kind::Integer(_)) {
        help = format!("{help}; {}", parameter.kind);
    }
    help
}

/// As [`help`], with the default of a parameter that has another one for lines and paragraphs, and for dumps.
pub(crate) fn help_with_cases(entry: &str, of_units: &str, for_dumps: impl Display) -> String {
    format!(
        "{} [default: {}; dumps: {for_dumps}; lines and paragraphs: {}]",
        help(entry),
        default(entry),
        default(of_units)
    )
}
