//! Reads the arguments of a call: `relation, …, name => value`.

use super::TableFunction;
use super::arguments::Given;

use super::template::Header;
use crate::options::ALIASES;
use crate::parameters::Kind;
use datafusion::common::{
    DataFusionError, Result, ScalarValue, SchemaError, plan_datafusion_err, plan_err,
};
use datafusion::logical_expr::Expr;
use datafusion::sql::sqlparser::ast::{self, FunctionArg, FunctionArgExpr, Ident};
use std::collections::{BTreeMap, BTreeSet};

/// Interprets the expressions in the arguments of a call.
pub(super) trait Interpreter {
    /// What a relation argument becomes.
    type Relation;

    /// A relation argument.
    fn relation(
        &mut self,
        function: &'static TableFunction,
        expr: &ast::Expr,
    ) -> Result<Self::Relation>;

    /// An identifier as the session compares it.
    fn normalized(&self, name: &Ident) -> String;

    /// The value of an expression that names no columns.
    fn value(
        &mut self,
        function: &'static TableFunction,
        name: &str,
        expr: &ast::Expr,
    ) -> Result<Value>;
}

/// A value, or the expression that it will have once its placeholders are replaced.
pub(super) enum Value {
    Known(ScalarValue),
    Pending(Expr),
}

/// The arguments of a call.
pub(super) struct Arguments<R> {
    pub(super) relations: Vec<R>,
    /// Names and constants by parameter.
    pub(super) given: BTreeMap<String, Given>,
    /// Expressions with placeholders by parameter.
    pub(super) pending: Vec<(String, Expr)>,
}

/// Reads the arguments of a call. Whether the parameters exist and accept the values is not checked here.
pub(super) fn read<I: Interpreter>(
    function: &'static TableFunction,
    arguments: &[FunctionArg],
    interpreter: &mut I,
) -> Result<Arguments<I::Relation>> {
    let header = function.template.header()?;
    let (min_relations, max_relations) = (*function.relations.start(), *function.relations.end());
    let mut read = Arguments {
        relations: Vec::new(),
        given: BTreeMap::new(),
        pending: Vec::new(),
    };
    let mut names = BTreeSet::new();
    let mut positional = header.parameters.iter();
    for (index, argument) in arguments.iter().enumerate() {
        let (name, expr) = match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                if max_relations > 0 {
                    let before = index.checked_sub(1).and_then(|at| arguments.get(at));
                    refuse_decimal_comma(function, before, expr)?;
                }
                if read.relations.len() < max_relations {
                    read.relations.push(interpreter.relation(function, expr)?);
                    continue;
                }
                if max_relations > 0 {
                    return plan_err!(
                        "{}: unexpected argument {expr}; arguments after the relation are named, as in threshold => 0.8",
                        function.name
                    );
                }
                let Some(parameter) = positional.next() else {
                    return plan_err!(
                        "{}: unexpected argument {expr}; there are at most {} arguments",
                        function.name,
                        header.parameters.len()
                    );
                };
                (parameter.name.clone(), expr)
            }
            FunctionArg::Named {
                name,
                arg: FunctionArgExpr::Expr(expr),
                ..
            } => (interpreter.normalized(name), expr),
            other => return plan_err!("{}: unexpected argument {other}", function.name),
        };
        if !names.insert(name.clone()) {
            return plan_err!("{}: the argument '{name}' is given twice", function.name);
        }
        let parameter = header.parameters.iter().find(|p| p.name == name);
        if parameter.is_some_and(|parameter| matches!(parameter.kind, Kind::List(_))) {
            let values = list(function, &name, expr, interpreter)?;
            read.given.insert(name, Given::Constants(values));
            continue;
        }
        let is_known = parameter.is_some() || ALIASES.iter().any(|(alias, _)| *alias == name);
        let columns = match columns(function, &name, expr, interpreter) {
            // The check of the call reports the unknown argument and lists the known ones.
            Err(_) if !is_known => Some(Vec::new()),
            columns => columns?,
        };
        if let Some(columns) = columns {
            read.given.insert(name, Given::Names(columns));
            continue;
        }
        let value = interpreter.value(function, &name, expr);
        match value.map_err(|error| of_columns(function, &header, &name, expr, error))? {
            Value::Known(value) => drop(read.given.insert(name, Given::Constant(value))),
            Value::Pending(expr) => read.pending.push((name, expr)),
        }
    }
    if read.relations.len() < min_relations {
        let wanted = match min_relations {
            1 => "argument must be a relation",
            _ => "two arguments must be relations",
        };
        return plan_err!("{}: the first {wanted}: {}", function.name, header.call);
    }
    Ok(read)
}

/// Refuses a number with a decimal comma, which is read as two arguments: `threshold => 0,8`.
fn refuse_decimal_comma(
    function: &TableFunction,
    before: Option<&FunctionArg>,
    expr: &ast::Expr,
) -> Result<()> {
    let Some(FunctionArg::Named {
        name,
        arg: FunctionArgExpr::Expr(whole),
        ..
    }) = before
    else {
        return Ok(());
    };
    let (whole, decimals) = (whole.to_string(), expr.to_string());
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(&whole) && is_number(&decimals) {
        return plan_err!(
            "{}: {name} => {whole},{decimals} has a decimal comma; a number has a decimal point: {name} => {whole}.{decimals}",
            function.name
        );
    }
    Ok(())
}

/// The error of an expression; one that reads columns is no constant, and no name of a column.
fn of_columns(
    function: &TableFunction,
    header: &Header,
    name: &str,
    expr: &ast::Expr,
    error: DataFusionError,
) -> DataFusionError {
    let function = function.name;
    let reads_columns = matches!(
        error.find_root(),
        DataFusionError::SchemaError(schema, _) if matches!(**schema, SchemaError::FieldNotFound { .. })
    );
    if !reads_columns {
        return error;
    }
    let mut parameters = header.parameters.iter();
    match parameters.find(|parameter| parameter.name == name) {
        Some(parameter)
            if parameter.kind == Kind::Columns && matches!(expr, ast::Expr::Tuple(_)) =>
        {
            plan_datafusion_err!(
                "{function}: {name} takes names of columns in brackets, as in {name} => [a, b], found {expr}"
            )
        }
        Some(parameter) if matches!(parameter.kind, Kind::Column | Kind::Columns) => {
            let several = match parameter.kind {
                Kind::Columns => format!("; several columns are written {name} => [a, b]"),
                _ => String::new(),
            };
            plan_datafusion_err!(
                "{function}: {name} takes the name of a column, found {expr}; compute it in the relation: ((SELECT {expr} AS {name}, … FROM …)){several}"
            )
        }
        _ => plan_datafusion_err!("{function}: {name} must be a constant, found {expr}"),
    }
}

/// The constants of a list; a single one is a list of one.
fn list<I: Interpreter>(
    function: &'static TableFunction,
    name: &str,
    expr: &ast::Expr,
    interpreter: &mut I,
) -> Result<Vec<ScalarValue>> {
    let elements = match expr {
        ast::Expr::Array(array) => array.elem.as_slice(),
        other => std::slice::from_ref(other),
    };
    let constants = elements.iter().map(|element| {
        if let ast::Expr::Identifier(found) = element {
            return plan_err!(
                "{}: {name} takes constants in brackets, found the name {found}; texts are written in single quotes",
                function.name
            );
        }
        match interpreter.value(function, name, element)? {
            Value::Known(value) => Ok(value),
            Value::Pending(expr) => plan_err!(
                "{}: {name} must be known while the query is planned, but {expr} is bound later",
                function.name
            ),
        }
    });
    constants.collect()
}

/// The columns that an argument names, `column` or `[column, 'Column']`; `None` if it is a value.
fn columns<I: Interpreter>(
    function: &TableFunction,
    name: &str,
    expr: &ast::Expr,
    interpreter: &I,
) -> Result<Option<Vec<String>>> {
    let elements = match expr {
        ast::Expr::Identifier(column) => return Ok(Some(vec![interpreter.normalized(column)])),
        ast::Expr::Array(array) => &array.elem,
        _ => return Ok(None),
    };
    let column = |element: &ast::Expr| match element {
        ast::Expr::Identifier(column) => Some(interpreter.normalized(column)),
        ast::Expr::Value(value) => value.value.clone().into_string(),
        _ => None,
    };
    let columns = elements.iter().map(|element| match column(element) {
        Some(column) => Ok(column),
        None => plan_err!("{}: {name}: {element} is no column name", function.name),
    });
    Ok(Some(columns.collect::<Result<_>>()?))
}
