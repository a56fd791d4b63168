//! A template: a `.sql` file with a header comment and a body.
//!
//! The header defines the interface and is the source of the reference page:
//!
//! ```text
//! -- <name>(<relations>)
//! --
//! -- <what it does>
//! --
//! -- Inputs
//! --   input: id, text
//! -- Parameters
//! --   threshold
//! --   min_count: integer in [1, 4000000000] = 2 | terms that occur fewer times are left out
//! -- Columns
//! --   id_a: as id | the smaller id
//! -- Guarantees
//! --   <one per line>
//! -- Example
//! --   <a statement, in a public function>
//! ```
//!
//! A parameter that several files have is defined in `sql/parameters.txt`, and a header states only the differences.
//!
//! The body is valid SQL. Its free table names are the inputs, and its placeholders are `$parameters`.

use crate::parameters::Parameter;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::sql::parser::{DFParser, Statement as DFStatement};
use datafusion::sql::sqlparser::ast::{Expr, Statement, Value, visit_expressions_mut};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A column that a table function returns.
#[derive(Debug, Clone)]
pub struct Column {
    /// Column name.
    pub name: String,
    /// SQL or Arrow type, or `as id` for the type of the input's id.
    pub data_type: String,
    /// Description of its values.
    pub doc: String,
}

/// The parsed header of a template.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// The call with its relations: `minhash_join(input [, input_b])`.
    pub call: String,
    /// What the function does.
    pub description: String,
    /// Declared inputs, each with its columns as written.
    pub inputs: Vec<(String, String)>,
    /// Declared parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Returned columns, in order.
    pub columns: Vec<Column>,
    /// Guarantees for the caller.
    pub guarantees: Vec<String>,
    /// A statement that shows a call.
    pub example: String,
}

/// The text of one `.sql` file.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// File name below `sql/`, without `.sql`.
    pub name: &'static str,
    /// The contents of the file.
    pub text: &'static str,
}

impl Template {
    /// The header comment, parsed.
    ///
    /// # Errors
    /// If a line of the header cannot be parsed.
    pub fn header(&self) -> Result<Header> {
        let mut header = Header::default();
        let mut section = "";
        for line in self.text.lines() {
            let Some(line) = line.strip_prefix("--") else {
                break;
            };
            let text = line.trim();
            if header.call.is_empty() {
                header.call = text.to_owned();
                continue;
            }
            match text {
                "Inputs" | "Parameters" | "Columns" | "Guarantees" | "Example" => {
                    section = text;
                    continue;
                }
                _ => {}
            }
            match section {
                "" => {
                    if text.is_empty() && !header.description.is_empty() {
                        header.description.push_str("\n\n");
                    } else if !text.is_empty() {
                        if !header.description.is_empty() && !header.description.ends_with('\n') {
                            header.description.push(' ');
                        }
                        header.description.push_str(text);
                    }
                }
                _ if text.is_empty() => {}
                "Inputs" => {
                    let (name, columns) = text.split_once(": ").unwrap_or((text, ""));
                    header.inputs.push((name.to_owned(), columns.to_owned()));
                }
                "Parameters" => {
                    let parameter = Parameter::of_header(text)
                        .map_err(|error| plan_datafusion_err!("template {}: {error}", self.name))?;
                    header.parameters.push(parameter);
                }
                "Columns" => {
                    let (declaration, doc) = text.split_once(" | ").unwrap_or((text, ""));
                    let (name, data_type) =
                        declaration.split_once(": ").unwrap_or((declaration, ""));
                    header.columns.push(Column {
                        name: name.to_owned(),
                        data_type: data_type.to_owned(),
                        doc: doc.to_owned(),
                    });
                }
                "Example" => {
                    let line = line.strip_prefix("   ").unwrap_or(line);
                    header.example.push_str(line.trim_end());
                    header.example.push('\n');
                }
                _ => header.guarantees.push(text.to_owned()),
            }
        }
        header.description = header.description.trim().to_owned();
        Ok(header)
    }

    /// The body with every `$parameter` replaced by its literal.
    ///
    /// # Errors
    /// If the body does not parse, is not a single query, or has a parameter without a value.
    pub fn statement(&self, values: &BTreeMap<String, Expr>) -> Result<Statement> {
        let mut statements = DFParser::parse_sql(self.text)?;
        let (Some(DFStatement::Statement(statement)), None) =
            (statements.pop_front(), statements.pop_front())
        else {
            return plan_err!("template {} is not one SQL query", self.name);
        };
        let mut statement = *statement;
        let missing = visit_expressions_mut(&mut statement, |expr| {
            if let Expr::Value(value) = expr
                && let Value::Placeholder(placeholder) = &value.value
            {
                match values.get(placeholder.trim_start_matches('$')) {
                    Some(literal) => *expr = literal.clone(),
                    None => return ControlFlow::Break(placeholder.clone()),
                }
            }
            ControlFlow::Continue(())
        });
        match missing {
            ControlFlow::Continue(()) => Ok(statement),
            ControlFlow::Break(placeholder) => Err(plan_datafusion_err!(
                "template {}: no value for {placeholder}",
                self.name
            )),
        }
    }
}
