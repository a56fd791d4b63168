//! The SQL of a call as one query over scalar functions and aggregates: its template, with the templates that it calls
//! expanded. It is for sessions that have these functions, but neither our planner nor our operators.
//!
//! Each template becomes a query whose common tables have unique names (`neardup_3_texts AS texts`), so that none hides
//! a table or a common table of another query.

use super::arguments::{Call, Given};
use super::reader::{self, Interpreter, Value};
use super::template::Template;
use super::{Expansion, TableFunction, find};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, ScalarValue, TableReference, plan_datafusion_err, plan_err};
use datafusion::logical_expr::logical_plan::builder::LogicalTableSource;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::parser::{DFParser, Statement as EngineStatement};
use datafusion::sql::sqlparser::ast::{
    self, Cte, FunctionArg, FunctionArgExpr, Ident, ObjectName, Query, Select, SelectItem, SetExpr,
    Statement, TableAlias, TableFactor, TableWithJoins, VisitMut, VisitorMut,
};
use datafusion::sql::unparser::{expr_to_sql, plan_to_sql};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

const INPUT_NAMES: [&str; 2] = ["input", "input_b"];

/// The SQL of a call of a table function, over the tables that it names.
///
/// `call` is written as in `FROM`: `jaccard_join(docs, text => body)`. `tables` are the relations, by name, with
/// their columns. What the text calls are scalar functions and aggregates of `neardup_udfs`, and those of the
/// engine. Buckets are not bounded in it: `max_bucket_pairwise` has no effect on them, and `parts` is 1.
///
/// # Errors
/// If the call does not plan, or reads dumps.
pub fn sql_text(call: &str, tables: &[(String, SchemaRef)]) -> Result<String> {
    let factor = parse(call)?;
    let Some((function, arguments)) = called(&factor) else {
        return plan_err!("{call}: is not a call of a table function");
    };
    let read = reader::read(function, arguments, &mut Tables(tables))?;
    let mut names = Names { made: 0 };
    let (template, inputs, values, output) = resolved(function, read.relations, read.given)?;
    let inputs = inputs.iter().map(query_of).collect::<Result<_>>()?;
    let query = names.query(template, &values, inputs)?;
    let query = match output {
        Some(columns) => selected(&columns, query)?,
        None => query,
    };
    Ok(format!("{query:#}"))
}

/// The one relation of a query.
fn parse(call: &str) -> Result<TableFactor> {
    let mut statements = DFParser::parse_sql(&format!("SELECT * FROM {call}"))?;
    if let (Some(EngineStatement::Statement(statement)), None) =
        (statements.pop_front(), statements.pop_front())
        && let Statement::Query(query) = *statement
        && let SetExpr::Select(select) = *query.body
        && let [TableWithJoins { relation, joins }] = select.from.as_slice()
        && joins.is_empty()
    {
        return Ok(relation.clone());
    }
    plan_err!("{call}: is not a call of a table function")
}

/// The function that a relation calls, with its arguments.
fn called(factor: &TableFactor) -> Option<(&'static TableFunction, &[FunctionArg])> {
    match factor {
        TableFactor::Table {
            name,
            args: Some(arguments),
            ..
        } => Some((
            find(&name.to_string().to_lowercase())?,
            arguments.args.as_slice(),
        )),
        _ => None,
    }
}

type Resolved = (
    Template,
    Vec<LogicalPlan>,
    BTreeMap<String, ast::Expr>,
    Option<Vec<Expr>>,
);

/// The template of a call, its inputs, its literals, and a last projection.
fn resolved(
    function: &'static TableFunction,
    relations: Vec<LogicalPlan>,
    mut given: BTreeMap<String, Given>,
) -> Result<Resolved> {
    // Parts bound the memory of our operator, which such a session does not have.
    if given.contains_key("parts") {
        given.insert(
            "parts".to_owned(),
            Given::Constant(ScalarValue::Int64(Some(1))),
        );
    }
    let parameters = function.template.header()?.parameters;
    let call = Call::new(function.name, &parameters, relations, given, None)?;
    if function.name == "similar_pairs" {
        let variant = match (call.text("candidates")?, call.text("verify")?) {
            ("all", _) => "standard/similar_pairs.all",
            ("windows", _) => "standard/similar_pairs.windows",
            (_, "hamming" | "cosine") => "standard/similar_pairs.compared",
            (_, "exact" | "containment") => "standard/similar_pairs.standard",
            (_, "edit") => "standard/similar_pairs.edit",
            _ => "standard/similar_pairs.estimated",
        };
        let template = function.variant(variant);
        return Ok((template, call.relations.clone(), call.literals(), None));
    }
    match (function.resolve)(&call)? {
        Expansion::Template {
            template,
            inputs,
            values,
            output,
        } if inputs.is_empty() || *function.relations.end() > 0 => {
            let inputs = inputs.into_iter().map(|(_, plan)| plan).collect();
            Ok((template, inputs, values, output))
        }
        _ => plan_err!(
            "{}: has no SQL of standard operators; call it in a session of neardup",
            function.name
        ),
    }
}

/// Interprets arguments by a list of tables.
struct Tables<'a>(&'a [(String, SchemaRef)]);

impl Interpreter for Tables<'_> {
    type Relation = LogicalPlan;

    fn relation(
        &mut self,
        function: &'static TableFunction,
        expr: &ast::Expr,
    ) -> Result<LogicalPlan> {
        let ast::Expr::Identifier(name) = expr else {
            return plan_err!("{}: {expr} is not the name of a table", function.name);
        };
        let Some((table, schema)) = self.0.iter().find(|(table, _)| *table == name.value) else {
            return plan_err!("{}: the columns of {name} are not known", function.name);
        };
        let source = Arc::new(LogicalTableSource::new(Arc::clone(schema)));
        LogicalPlanBuilder::scan(TableReference::bare(table.as_str()), source, None)?.build()
    }

    fn normalized(&self, name: &Ident) -> String {
        name.value.clone()
    }

    fn value(
        &mut self,
        function: &'static TableFunction,
        _: &str,
        expr: &ast::Expr,
    ) -> Result<Value> {
        literal(function, expr).map(Value::Known)
    }
}

/// Interprets the arguments of a call in a template, whose relations are queries.
struct InTemplate;

impl Interpreter for InTemplate {
    type Relation = Query;

    fn relation(&mut self, function: &'static TableFunction, expr: &ast::Expr) -> Result<Query> {
        match expr {
            ast::Expr::Subquery(query) => Ok(*query.clone()),
            _ => plan_err!("{}: {expr} is no query", function.name),
        }
    }

    fn normalized(&self, name: &Ident) -> String {
        name.value.clone()
    }

    fn value(
        &mut self,
        function: &'static TableFunction,
        _: &str,
        expr: &ast::Expr,
    ) -> Result<Value> {
        literal(function, expr).map(Value::Known)
    }
}

/// The value of a literal.
fn literal(function: &TableFunction, expr: &ast::Expr) -> Result<ScalarValue> {
    let wrong = || plan_datafusion_err!("{}: {expr} is no constant", function.name);
    Ok(match expr {
        ast::Expr::UnaryOp {
            op: ast::UnaryOperator::Minus,
            expr,
        } => literal(function, expr)?.arithmetic_negate()?,
        ast::Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => match digits.parse() {
                Ok(whole) => ScalarValue::Int64(Some(whole)),
                Err(_) => ScalarValue::Float64(Some(digits.parse().map_err(|_| wrong())?)),
            },
            ast::Value::Boolean(truth) => ScalarValue::Boolean(Some(*truth)),
            ast::Value::Null => ScalarValue::Null,
            text => ScalarValue::Utf8(Some(text.clone().into_string().ok_or_else(wrong)?)),
        },
        _ => return Err(wrong()),
    })
}

/// A plan over named tables as a query.
fn query_of(plan: &LogicalPlan) -> Result<Query> {
    match plan_to_sql(plan)? {
        Statement::Query(query) => Ok(*query),
        other => plan_err!("{other} is no query"),
    }
}

/// A query that takes everything from a relation.
fn all_of(relation: TableFactor) -> Result<Query> {
    let EngineStatement::Statement(statement) = DFParser::parse_sql("SELECT * FROM t")?
        .pop_front()
        .ok_or_else(|| plan_datafusion_err!("no statement"))?
    else {
        return plan_err!("no query");
    };
    let Statement::Query(mut query) = *statement else {
        return plan_err!("no query");
    };
    if let SetExpr::Select(select) = query.body.as_mut()
        && let Some(from) = select.from.first_mut()
    {
        from.relation = relation;
    }
    Ok(*query)
}

/// Columns of a query.
fn selected(columns: &[Expr], query: Query) -> Result<Query> {
    let mut outer = all_of(derived(query, "found"))?;
    let items = columns.iter().map(|column| {
        let name = column.schema_name().to_string();
        Ok(SelectItem::ExprWithAlias {
            expr: expr_to_sql(&column.clone().unalias())?,
            alias: Ident::with_quote('"', name),
        })
    });
    if let SetExpr::Select(select) = outer.body.as_mut() {
        let select: &mut Select = select;
        select.projection = items.collect::<Result<_>>()?;
    }
    Ok(outer)
}

fn derived(query: Query, alias: &str) -> TableFactor {
    TableFactor::Derived {
        lateral: false,
        subquery: Box::new(query),
        alias: Some(alias_of(Ident::new(alias))),
        sample: None,
    }
}

fn alias_of(name: Ident) -> TableAlias {
    TableAlias {
        explicit: true,
        name,
        columns: vec![],
        at: None,
    }
}

/// A relation with the columns of a declared input.
fn declared(name: &str, columns: &str) -> Result<LogicalPlan> {
    let field = |column: &str| match column {
        "text" => Field::new(column, DataType::Utf8, true),
        _ => Field::new(column, DataType::Int64, true),
    };
    let fields: Vec<Field> = columns.split(", ").map(field).collect();
    let source = LogicalTableSource::new(Arc::new(Schema::new(fields)));
    LogicalPlanBuilder::scan(name, Arc::new(source), None)?.build()
}

/// Gives common tables names of their own.
struct Names {
    made: usize,
}

impl Names {
    /// The query of a template over its inputs.
    fn query(
        &mut self,
        template: Template,
        values: &BTreeMap<String, ast::Expr>,
        inputs: Vec<Query>,
    ) -> Result<Query> {
        let Statement::Query(mut query) = template.statement(values)? else {
            return plan_err!("template {} is no query", template.name);
        };
        self.made += 1;
        let mut tables: Vec<String> = INPUT_NAMES[..inputs.len()]
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            tables.push(cte.alias.name.value.clone());
        }
        let prefix = format!("neardup_{}_", self.made);
        for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            cte.alias.name = Ident::new(format!("{prefix}{}", cte.alias.name.value));
        }
        let mut scope = Scope {
            names: self,
            prefix: &prefix,
            tables: &tables,
        };
        if let ControlFlow::Break(error) = query.visit(&mut scope) {
            return Err(*error);
        }
        let ctes = INPUT_NAMES.iter().zip(inputs).map(|(name, query)| Cte {
            alias: TableAlias {
                explicit: false,
                ..alias_of(Ident::new(format!("{prefix}{name}")))
            },
            query: Box::new(query),
            from: None,
            materialized: None,
            closing_paren_token: ast::helpers::attached_token::AttachedToken::empty(),
        });
        let ctes: Vec<Cte> = ctes.collect();
        match &mut query.with {
            Some(with) => drop(with.cte_tables.splice(0..0, ctes)),
            None if ctes.is_empty() => {}
            with => {
                *with = Some(ast::With {
                    with_token: ast::helpers::attached_token::AttachedToken::empty(),
                    recursive: false,
                    cte_tables: ctes,
                });
            }
        }
        Ok(*query)
    }

    /// The query of a call in a template, whose relations are queries already.
    fn call(
        &mut self,
        function: &'static TableFunction,
        arguments: &[FunctionArg],
    ) -> Result<Query> {
        let read = reader::read(function, arguments, &mut InTemplate)?;
        let (inputs, given) = (read.relations, read.given);
        if given.values().any(|value| matches!(value, Given::Names(_))) {
            return plan_err!("{}: a template names columns in a call", function.name);
        }
        // Relations have the declared columns, and are taken as they are.
        let header = function.template.header()?;
        let relations = header.inputs.iter().take(inputs.len());
        let relations = relations.map(|(name, columns)| declared(name, columns));
        let (template, _, values, _) =
            resolved(function, relations.collect::<Result<_>>()?, given)?;
        self.query(template, &values, inputs)
    }
}

/// The body of one template: the tables that it declares, and the calls in it.
struct Scope<'a> {
    names: &'a mut Names,
    prefix: &'a str,
    tables: &'a [String],
}

impl VisitorMut for Scope<'_> {
    type Break = Box<datafusion::common::DataFusionError>;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Self::Break> {
        match self.rewrite(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(Box::new(error)),
        }
    }
}

impl Scope<'_> {
    fn rewrite(&mut self, factor: &mut TableFactor) -> Result<()> {
        if let Some((function, arguments)) = called(factor) {
            let mut arguments = arguments.to_vec();
            for argument in &mut arguments {
                let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = argument else {
                    continue;
                };
                let mut relation = match expr {
                    ast::Expr::Subquery(query) => *query.clone(),
                    ast::Expr::Identifier(name) => all_of(table(name.clone())?)?,
                    other => return plan_err!("{}: {other} is no relation", function.name),
                };
                if let ControlFlow::Break(error) = relation.visit(self) {
                    return Err(*error);
                }
                *expr = ast::Expr::Subquery(Box::new(relation));
            }
            let query = self.names.call(function, &arguments)?;
            let alias = match factor {
                TableFactor::Table {
                    alias: Some(alias), ..
                } => alias.name.value.clone(),
                _ => function.name.to_owned(),
            };
            *factor = derived(query, &alias);
            return Ok(());
        }
        if let TableFactor::Table { name, alias, .. } = factor {
            let Some(known) = self.tables.iter().find(|table| name.to_string() == **table) else {
                return Ok(());
            };
            alias.get_or_insert_with(|| alias_of(Ident::new(known)));
            *name = ObjectName::from(vec![Ident::new(format!("{}{known}", self.prefix))]);
        }
        Ok(())
    }
}

/// A table by its name.
fn table(name: Ident) -> Result<TableFactor> {
    let mut factor = parse("t")?;
    if let TableFactor::Table { name: of, .. } = &mut factor {
        *of = ObjectName::from(vec![name]);
    }
    Ok(factor)
}
