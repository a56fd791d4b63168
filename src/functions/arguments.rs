//! The arguments of a call, checked against the parameters of the template's header.

use crate::near_names;
use crate::options;
use crate::parameters::{Kind, Parameter, Value};
use datafusion::common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::sqlparser::ast;
use std::collections::BTreeMap;

/// The unchecked value after `name =>` in a call.
#[derive(Debug, Clone)]
pub enum Given {
    /// A constant.
    Constant(ScalarValue),
    /// An identifier or a list of identifiers or strings.
    Names(Vec<String>),
    /// A list of constants.
    Constants(Vec<ScalarValue>),
}

/// A call of a table function: its relations and its checked values.
#[derive(Debug)]
pub struct Call {
    /// Name of the function, for messages.
    pub function: &'static str,
    /// The relations, in order.
    pub relations: Vec<LogicalPlan>,
    /// Values of the parameters that have one: given, set or default.
    values: BTreeMap<String, Value>,
    /// Names of the parameters that the caller gave.
    given: Vec<String>,
    /// Whether the session has a memory limit that was set.
    pub has_limit: bool,
}

impl Call {
    /// Checks the given arguments. Missing ones get the value of the session option of that name, if
    /// there is a `config`, or the default.
    ///
    /// # Errors
    /// If an argument is unknown, or a value has the wrong type or range.
    pub fn new(
        function: &'static str,
        parameters: &[Parameter],
        relations: Vec<LogicalPlan>,
        mut given: BTreeMap<String, Given>,
        config: Option<&ConfigOptions>,
    ) -> Result<Self> {
        for (alias, name) in options::ALIASES {
            let Some(value) = given.remove(*alias) else {
                continue;
            };
            log::warn!("{function}: {alias} is the former name of {name}");
            if given.insert((*name).to_owned(), value).is_some() {
                return plan_err!("{function}: {name} is given twice, once as {alias}");
            }
        }
        let mut values = BTreeMap::new();
        let names = given.keys().cloned().collect();
        for parameter in parameters {
            let name = &parameter.name;
            let value = if let Some(given) = given.remove(name) {
                match &given {
                    Given::Constant(value) if value.is_null() => {
                        let without = match &parameter.default {
                            Some(default) => format!("without the argument it is {default}"),
                            None => "leave the argument out if it has no value".to_owned(),
                        };
                        return plan_err!(
                            "{function}: {name} must be {}, found NULL; {without}",
                            parameter.kind
                        );
                    }
                    _ => check(function, parameter, given)?,
                }
            } else if let Some(config) = config
                && let Some(value) = options::value(config, parameter)?
            {
                value
            } else if parameter.default.is_some() {
                read(function, parameter, parameter.default_text())?
            } else {
                continue;
            };
            values.insert(name.clone(), value);
        }
        if let Some(unknown) = given.keys().next() {
            let known: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            return plan_err!(
                "{function}: there is no argument '{unknown}'{}; the arguments are: {}",
                near_names::hint(unknown, known.iter().copied()),
                known.join(", ")
            );
        }
        Ok(Self {
            function,
            relations,
            values,
            given: names,
            has_limit: false,
        })
    }

    /// Whether the caller gave the argument.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given == name)
    }

    /// The value of a parameter, if it has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// The value of a numeric parameter.
    ///
    /// # Errors
    /// If the parameter has no value, or a value of another type.
    pub fn number(&self, name: &str) -> Result<f64> {
        match self.get(name) {
            Some(Value::Number(number)) => Ok(*number),
            Some(Value::Integer(number)) => Ok(*number as f64),
            _ => Err(self.missing(name)),
        }
    }

    /// The value of an integer parameter.
    ///
    /// # Errors
    /// If the parameter has no value, or a value of another type.
    pub fn integer(&self, name: &str) -> Result<i64> {
        match self.get(name) {
            Some(Value::Integer(number)) => Ok(*number),
            _ => Err(self.missing(name)),
        }
    }

    /// The value of a text or enumeration parameter.
    ///
    /// # Errors
    /// If the parameter has no value, or a value of another type.
    pub fn text(&self, name: &str) -> Result<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(self.missing(name)),
        }
    }

    /// The value of a Boolean parameter.
    ///
    /// # Errors
    /// If the parameter has no value, or a value of another type.
    pub fn boolean(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            Some(Value::Boolean(truth)) => Ok(*truth),
            _ => Err(self.missing(name)),
        }
    }

    /// The value of a column parameter, if it has one.
    pub fn column(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Columns(names)) => names.first().map(String::as_str),
            _ => None,
        }
    }

    /// The value of a parameter for column names; empty if it has none.
    pub fn columns(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some(Value::Columns(names)) => names,
            _ => &[],
        }
    }

    /// The values of a parameter for a list, if it has one.
    pub fn list(&self, name: &str) -> Option<&[Value]> {
        match self.get(name) {
            Some(Value::List(values)) => Some(values),
            _ => None,
        }
    }

    /// All values as SQL literals, by parameter name.
    pub fn literals(&self) -> BTreeMap<String, ast::Expr> {
        let literals = self.values.iter();
        literals
            .map(|(name, value)| (name.clone(), value.literal()))
            .collect()
    }

    fn missing(&self, name: &str) -> datafusion::common::DataFusionError {
        plan_datafusion_err!("{}: the argument '{name}' is required", self.function)
    }
}

fn read(function: &str, parameter: &Parameter, text: &str) -> Result<Value> {
    let read = parameter.read(text);
    read.map_err(|error| plan_datafusion_err!("{function}: {error}"))
}

fn check(function: &str, parameter: &Parameter, given: Given) -> Result<Value> {
    let name = &parameter.name;
    match (&parameter.kind, given) {
        (Kind::Column | Kind::Columns, Given::Names(names)) => {
            if parameter.kind == Kind::Column && names.len() != 1 {
                return plan_err!("{function}: {name} takes one column, found {}", names.len());
            }
            Ok(Value::Columns(names))
        }
        (Kind::Column | Kind::Columns, Given::Constant(value)) => match value.try_as_str() {
            Some(Some(column)) => Ok(Value::Columns(vec![column.to_owned()])),
            _ => plan_err!(
                "{function}: {name} must be {}, found {value}",
                parameter.kind
            ),
        },
        (Kind::List(element), Given::Constants(values)) => {
            let element = Parameter {
                kind: (**element).clone(),
                ..parameter.clone()
            };
            let values = values.into_iter().map(|value| match value.is_null() {
                true => plan_err!(
                    "{function}: each element of {name} must be {}, found NULL",
                    element.kind
                ),
                false => check(function, &element, Given::Constant(value)),
            });
            Ok(Value::List(values.collect::<Result<_>>()?))
        }
        (Kind::List(_), Given::Constant(value)) => {
            check(function, parameter, Given::Constants(vec![value]))
        }
        (kind, Given::Constants(values)) => {
            let values: Vec<String> = values.iter().map(ScalarValue::to_string).collect();
            plan_err!(
                "{function}: {name} must be {kind}, found the list [{}]",
                values.join(", ")
            )
        }
        (Kind::Boolean, Given::Constant(ScalarValue::Boolean(Some(truth)))) => {
            Ok(Value::Boolean(truth))
        }
        (kind, Given::Constant(value)) => {
            let is_text = matches!(value.try_as_str(), Some(Some(_)));
            let wants_text = matches!(
                kind,
                Kind::Text | Kind::Language | Kind::Shingle | Kind::OneOf(_)
            );
            if is_text != wants_text && *kind != Kind::Constant {
                if is_text && matches!(kind, Kind::Number(_) | Kind::Integer(_) | Kind::Boolean) {
                    return plan_err!(
                        "{function}: {name} must be {kind}, found the text '{value}'; numbers, true and false are written without quotes"
                    );
                }
                return plan_err!("{function}: {name} must be {kind}, found {value}");
            }
            let text = match value.try_as_str() {
                Some(Some(text)) => text.to_owned(),
                _ => value.to_string(),
            };
            read(function, parameter, &text)
        }
        (Kind::Text | Kind::Language | Kind::OneOf(_) | Kind::Shingle, Given::Names(names))
            if names.len() == 1 =>
        {
            plan_err!(
                "{function}: {name} must be {}, found the name {}; texts are written in single quotes",
                parameter.kind,
                names[0]
            )
        }
        (kind, Given::Names(names)) => {
            plan_err!(
                "{function}: {name} must be {kind}, found {}",
                names.join(", ")
            )
        }
    }
}
