//! Values of parameters, and how they are read from texts.

use super::error::{ParameterError, name, parameter_error};
use super::{Kind, Parameter};
use datafusion::sql::sqlparser::ast::{self, Value as SqlValue};
use neardup_wikitext::is_language_code;

/// A checked value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// An integer.
    Integer(i64),
    /// A text, a keyword of an enumeration, or a shingle specification.
    Text(String),
    /// A Boolean.
    Boolean(bool),
    /// Column names; one for a parameter of kind `column`.
    Columns(Vec<String>),
    /// The elements of a list.
    List(Vec<Value>),
}

impl Value {
    /// The value as a SQL literal.
    pub fn literal(&self) -> ast::Expr {
        let value = match self {
            Self::Number(number) => SqlValue::Number(format!("{number:?}"), false),
            Self::Integer(number) => SqlValue::Number(number.to_string(), false),
            Self::Text(text) => SqlValue::SingleQuotedString(text.clone()),
            Self::Boolean(truth) => SqlValue::Boolean(*truth),
            Self::Columns(names) => SqlValue::SingleQuotedString(names.join(", ")),
            Self::List(values) => {
                return ast::Expr::Array(ast::Array {
                    elem: values.iter().map(Self::literal).collect(),
                    named: false,
                });
            }
        };
        ast::Expr::Value(value.into())
    }
}

impl Parameter {
    /// Reads a value from a text: that of a constant argument, a session option, a flag or a default.
    ///
    /// # Errors
    /// If the text is no value of this type, or out of range.
    pub fn read(&self, text: &str) -> Result<Value, ParameterError> {
        let wrong = || {
            let rule = format!(" must be {}, found {text}", self.kind);
            parameter_error![name(&self.name), rule]
        };
        Ok(match &self.kind {
            Kind::Number(range) => {
                let number: f64 = text.parse().map_err(|_| wrong())?;
                if !range.contains(number) {
                    return Err(wrong());
                }
                Value::Number(number)
            }
            Kind::Integer(range) => {
                let number: i64 = text.parse().map_err(|_| wrong())?;
                if !range.contains(number as f64) {
                    return Err(wrong());
                }
                Value::Integer(number)
            }
            Kind::Text | Kind::Constant => Value::Text(text.to_owned()),
            Kind::Language => {
                if !is_language_code(text) {
                    return Err(wrong());
                }
                Value::Text(text.to_owned())
            }
            Kind::Boolean => Value::Boolean(text.parse().map_err(|_| wrong())?),
            Kind::Column => Value::Columns(vec![text.to_owned()]),
            Kind::Columns => Value::Columns(text.split(", ").map(str::to_owned).collect()),
            Kind::Shingle => {
                let shingle: neardup_kernels::Shingle = text
                    .parse()
                    .map_err(|error| parameter_error![name(&self.name), format!(": {error}")])?;
                Value::Text(shingle.to_string())
            }
            Kind::OneOf(words) => {
                if !words.iter().any(|word| word == text) {
                    return Err(wrong());
                }
                Value::Text(text.to_owned())
            }
            Kind::List(element) => {
                let element = Self {
                    kind: (**element).clone(),
                    ..self.clone()
                };
                let values = text.split(", ").map(|value| element.read(value));
                Value::List(values.collect::<Result<_, _>>()?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_codes() {
        let language = Parameter {
            name: "language".to_owned(),
            kind: Kind::Language,
            default: None,
            doc: String::new(),
        };
        for code in [
            "de",
            "ceb",
            "pt-br",
            "de-AT",
            "simple",
            "be-x-old",
            "zh-classical",
        ] {
            assert_eq!(language.read(code), Ok(Value::Text(code.to_owned())));
        }
        for wrong in [
            "",
            "d",
            "english",
            "klingon",
            "de_AT",
            "de-",
            "-de",
            "zh-0123456789",
            "dé",
        ] {
            let error = language.read(wrong).map_err(|error| error.to_string());
            let expected =
                format!("language must be a language code such as de or pt-br, found {wrong}");
            assert_eq!(error, Err(expected));
        }
    }
}
