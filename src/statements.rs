//! Parses and plans users' statements, with corrections where the engine's parser deviates from SQL.
//!
//! - `a IS DISTINCT FROM b AND c` is parsed as `a IS DISTINCT FROM (b AND c)`, also with `NOT` and `OR`: the parser
//!   (sqlparser 0.62) takes all that follows as the right operand. [`regroup`] moves the operators that bind less
//!   tightly out of it.
//! - `INTERSECT ALL` and `EXCEPT ALL` are refused: the engine (DataFusion 55) does not count how often a row occurs. So is
//!   `TABLESAMPLE`, which it ignores, and `DROP TABLE` of a file, with which it does nothing.
//! - A prepared statement is planned with its values at `EXECUTE`: [`PreparedStatements`].

mod prepared;

pub(crate) use prepared::PreparedStatements;

use crate::files::names_files;
use datafusion::common::config::{Dialect, SqlParserOptions};
use datafusion::common::{DataFusionError, Result, plan_datafusion_err, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{DdlStatement, LogicalPlan};
use datafusion::sql::parser::{
    CopyToSource, CopyToStatement, CreateExternalTable, DFParserBuilder, ExplainStatement,
    Statement,
};
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Query, SelectFlavor, SelectItem, SetExpr, SetOperator, SetQuantifier,
    Statement as SqlStatement, TableFactor, Value, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::dialect_from_str;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use std::collections::VecDeque;
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;

/// Levels of recursion of the parser for one `IS DISTINCT FROM`, together with a `NOT` and an `AND` beside it.
const LEVELS_EACH: usize = 3;

/// Number of `IS DISTINCT FROM` in a statement that extend the parser's limit of recursion.
const MAX_EXTENSIONS: usize = 1000;

/// Parses statements, separated by semicolons, as SQL reads them. `SessionContext::sql` parses with the engine's parser
/// alone: plan what this function returns with [`plan_statement`] instead.
///
/// ```
/// # use datafusion::common::Result;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let session = neardup::session(Default::default(), Default::default())?;
/// let sql = "SELECT count(*) FROM (VALUES (1, 2)) AS t(a, b) WHERE a IS DISTINCT FROM b AND a > 1";
/// let options = session.state().config_options().sql_parser.clone();
/// for statement in neardup::parse_statements(sql, &options)? {
///     let plan = neardup::plan_statement(&session.state(), statement).await?;
///     let rows = session.execute_logical_plan(plan).await?.to_string().await?;
///     assert!(rows.contains("| 0        |"), "{rows}");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the text is not SQL, or has a set operation whose rows the engine does not count.
pub fn parse_statements(sql: &str, options: &SqlParserOptions) -> Result<VecDeque<Statement>> {
    let dialect = dialect_from_str(options.dialect).ok_or_else(|| {
        plan_datafusion_err!(
            "unsupported SQL dialect {}; there are {}",
            options.dialect,
            Dialect::available()
        )
    })?;
    let tokens = Tokenizer::new(dialect.as_ref(), sql)
        .tokenize_with_location()
        .map_err(|error| DataFusionError::from(ParserError::from(error)))?;
    let levels = LEVELS_EACH * comparisons(&tokens).min(MAX_EXTENSIONS);
    let mut statements = DFParserBuilder::new(tokens)
        .with_dialect(dialect.as_ref())
        .with_recursion_limit(options.recursion_limit.get().saturating_add(levels))
        .build()?
        .parse_statements()?;
    for statement in &mut statements {
        if let ControlFlow::Break(refused) = visit(statement) {
            return Err(refused.into());
        }
    }
    Ok(statements)
}

/// Plans a statement.
///
/// `EXECUTE` gives the plan of the prepared statement with its values, as if these were written in place of the
/// parameters: it reads tables as they are then, and types are those of the values, or those that `PREPARE` names.
///
/// # Errors
/// If the statement names something that does not exist, or its parts do not fit together.
pub async fn plan_statement(state: &SessionState, statement: Statement) -> Result<LogicalPlan> {
    let plan = match state.config().get_extension::<PreparedStatements>() {
        Some(prepared) => prepared.plan(state, statement).await,
        None => state.statement_to_plan(statement).await,
    }?;
    if let LogicalPlan::Ddl(DdlStatement::DropTable(drop)) = &plan {
        let table = drop.name.table();
        let schema = state.schema_for_ref(drop.name.clone());
        let is_held = schema.is_ok_and(|schema| schema.table_exist(table));
        let is_there = table.contains(['*', '?', '[']) || Path::new(table).exists();
        if !is_held && names_files(table) && is_there {
            return plan_err!(
                "DROP TABLE '{table}': this is a file and no table of the session; DROP TABLE removes no files"
            );
        }
    }
    Ok(plan)
}

/// The number of `DISTINCT FROM` in a text.
fn comparisons(tokens: &[TokenWithSpan]) -> usize {
    let mut words = tokens
        .iter()
        .filter(|token| !matches!(token.token, Token::Whitespace(_)))
        .map(|token| match &token.token {
            Token::Word(word) => word.keyword,
            _ => Keyword::NoKeyword,
        });
    let mut last = Keyword::NoKeyword;
    let mut count = 0;
    for word in &mut words {
        count += usize::from(last == Keyword::DISTINCT && word == Keyword::FROM);
        last = word;
    }
    count
}

/// Visits all expressions and queries of a statement.
fn visit(statement: &mut Statement) -> ControlFlow<Refused> {
    let mut reading = Reading;
    match statement {
        Statement::Statement(statement) => {
            if let SqlStatement::Query(query) = statement.as_ref()
                && let SetExpr::Select(select) = query.body.as_ref()
                && select.projection.is_empty()
                && select.flavor == SelectFlavor::Standard
            {
                return ControlFlow::Break(Refused::NoColumns);
            }
            statement.visit(&mut reading)
        }
        Statement::CopyTo(CopyToStatement { source, .. }) => match source {
            CopyToSource::Query(query) => query.visit(&mut reading),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::Explain(ExplainStatement { statement, .. }) => visit(statement),
        Statement::CreateExternalTable(CreateExternalTable {
            columns,
            order_exprs,
            ..
        }) => {
            columns.visit(&mut reading)?;
            order_exprs.visit(&mut reading)
        }
        Statement::Reset(_) => ControlFlow::Continue(()),
    }
}

/// What is refused.
enum Refused {
    /// A set operation that counts rows.
    SetOperation(SetOperator),
    /// A sample of a table.
    Sample,
    /// A result without columns.
    NoColumns,
}

impl From<Refused> for DataFusionError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::SetOperation(operator) => plan_datafusion_err!(
                "{operator} ALL is not supported: the engine does not count how often a row occurs; write {operator} for \
                 distinct rows, or number the equal rows of both sides: SELECT a, row_number() OVER (PARTITION BY a) FROM t \
                 {operator} SELECT a, row_number() OVER (PARTITION BY a) FROM u"
            ),
            Refused::Sample => plan_datafusion_err!(
                "TABLESAMPLE is not supported; WHERE random() < 0.01 gives about a hundredth of the rows"
            ),
            Refused::NoColumns => {
                plan_datafusion_err!("SELECT names no columns; SELECT * gives all of them")
            }
        }
    }
}

/// Corrects expressions, and finds statements that are refused.
struct Reading;

impl VisitorMut for Reading {
    type Break = Refused;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Refused> {
        let mut open = vec![query.body.as_mut()];
        while let Some(body) = open.pop() {
            match body {
                SetExpr::SetOperation {
                    op,
                    set_quantifier,
                    left,
                    right,
                } => {
                    if *op != SetOperator::Union && *set_quantifier == SetQuantifier::All {
                        return ControlFlow::Break(Refused::SetOperation(*op));
                    }
                    open.extend([left.as_mut(), right.as_mut()]);
                }
                // The engine reads `FROM t` as a query without columns.
                SetExpr::Select(select) if select.flavor == SelectFlavor::FromFirstNoSelect => {
                    select.flavor = SelectFlavor::Standard;
                    select.projection = vec![SelectItem::Wildcard(Default::default())];
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Refused> {
        match table {
            TableFactor::Table { sample, .. } | TableFactor::Derived { sample, .. }
                if sample.is_some() =>
            {
                ControlFlow::Break(Refused::Sample)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Refused> {
        regroup(expr);
        ControlFlow::Continue(())
    }
}

/// The precedence of operators, in the order of the parser. Those of a higher precedence than `IS` are one value,
/// because the right operand of `IS DISTINCT FROM` keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Is,
    More,
}

impl Binding {
    /// The precedence of an expression as an operand. An operand with a prefix operator is never split.
    fn of(expr: &Expr) -> Self {
        match expr {
            Expr::BinaryOp { op, .. } => match op {
                BinaryOperator::Or => Self::Or,
                BinaryOperator::And => Self::And,
                _ => Self::More,
            },
            Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsNormalized { .. } => Self::Is,
            _ => Self::More,
        }
    }
}

/// Gives an operator its right operand and nothing of what follows it, once its operands are regrouped:
/// `NOT (a AND b)` without the parentheses becomes `(NOT a) AND b`. Such trees come only from `IS DISTINCT FROM`; what the
/// text has in parentheses is [`Expr::Nested`] and stays.
fn regroup(expr: &mut Expr) {
    let (binding, operand) = match expr {
        Expr::IsDistinctFrom(_, right) | Expr::IsNotDistinctFrom(_, right) => (Binding::Is, right),
        Expr::UnaryOp { expr, .. } => (Binding::Not, expr),
        Expr::BinaryOp { op, right, .. } => match op {
            BinaryOperator::Or => (Binding::Or, right),
            BinaryOperator::And => (Binding::And, right),
            _ => (Binding::Not, right),
        },
        _ => return,
    };
    if Binding::of(operand) > binding {
        return;
    }
    // The operators of the right operand, from the last one to the first, down to the true operand.
    let mut whole = mem::replace(operand.as_mut(), Expr::Value(Value::Null.into()));
    let mut first = &mut whole;
    while Binding::of(first) <= binding {
        first = left(first);
    }
    mem::swap(operand.as_mut(), first);
    mem::swap(expr, first);
    *expr = whole;
}

/// The left operand of an operator that binds no more than `IS`.
fn left(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::BinaryOp { left, .. }
        | Expr::IsDistinctFrom(left, _)
        | Expr::IsNotDistinctFrom(left, _) => left,
        Expr::IsNull(operand)
        | Expr::IsNotNull(operand)
        | Expr::IsTrue(operand)
        | Expr::IsNotTrue(operand)
        | Expr::IsFalse(operand)
        | Expr::IsNotFalse(operand)
        | Expr::IsUnknown(operand)
        | Expr::IsNotUnknown(operand)
        | Expr::IsNormalized { expr: operand, .. } => operand,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::config::ConfigNonZeroUsize;
    use datafusion::sql::sqlparser::ast::visit_expressions_mut;

    fn parsed(sql: &str) -> Result<String> {
        let statements = parse_statements(sql, &SqlParserOptions::default())?;
        let texts = statements.into_iter().map(grouped);
        Ok(texts.collect::<Vec<_>>().join("; "))
    }

    /// A statement with parentheses around each operation, and no others.
    fn grouped(statement: Statement) -> String {
        let Statement::Statement(mut statement) = statement else {
            return statement.to_string();
        };
        let _ = visit_expressions_mut(&mut statement, |expr| {
            let null = Expr::Value(Value::Null.into());
            let inner = mem::replace(expr, null);
            *expr = match inner {
                Expr::Nested(inner) => *inner,
                inner if matches!(inner, Expr::BinaryOp { .. } | Expr::UnaryOp { .. }) => {
                    Expr::Nested(Box::new(inner))
                }
                inner if Binding::of(&inner) == Binding::Is => Expr::Nested(Box::new(inner)),
                inner => inner,
            };
            ControlFlow::<()>::Continue(())
        });
        statement.to_string()
    }

    #[test]
    fn operators_that_bind_less_are_no_operands() {
        for (written, meant) in [
            ("a IS DISTINCT FROM b AND c", "(a IS DISTINCT FROM b) AND c"),
            (
                "a IS NOT DISTINCT FROM b OR c",
                "(a IS NOT DISTINCT FROM b) OR c",
            ),
            (
                "x AND a IS DISTINCT FROM b OR c AND d",
                "(x AND (a IS DISTINCT FROM b)) OR (c AND d)",
            ),
            (
                "NOT a IS DISTINCT FROM b AND c",
                "(NOT (a IS DISTINCT FROM b)) AND c",
            ),
            (
                "a IS DISTINCT FROM NOT b AND c",
                "(a IS DISTINCT FROM (NOT b)) AND c",
            ),
            (
                "a IS DISTINCT FROM NOT b IS DISTINCT FROM c OR d",
                "(a IS DISTINCT FROM (NOT (b IS DISTINCT FROM c))) OR d",
            ),
            (
                "a IS DISTINCT FROM b IS DISTINCT FROM c AND d",
                "((a IS DISTINCT FROM b) IS DISTINCT FROM c) AND d",
            ),
            (
                "a IS DISTINCT FROM b IS NULL",
                "(a IS DISTINCT FROM b) IS NULL",
            ),
            (
                "a IS DISTINCT FROM b + 1 AND c",
                "(a IS DISTINCT FROM (b + 1)) AND c",
            ),
            (
                "a IS DISTINCT FROM b = c AND d",
                "(a IS DISTINCT FROM (b = c)) AND d",
            ),
            (
                "a IS DISTINCT FROM b BETWEEN 1 AND 2 AND c",
                "(a IS DISTINCT FROM (b BETWEEN 1 AND 2)) AND c",
            ),
            (
                "a IS DISTINCT FROM (b AND c)",
                "a IS DISTINCT FROM (b AND c)",
            ),
            (
                "a IS DISTINCT FROM (b AND c) AND d",
                "(a IS DISTINCT FROM (b AND c)) AND d",
            ),
            (
                "CASE WHEN a IS DISTINCT FROM b AND c THEN 1 END IS DISTINCT FROM 1 OR d",
                "(CASE WHEN (a IS DISTINCT FROM b) AND c THEN 1 END IS DISTINCT FROM 1) OR d",
            ),
            (
                "EXISTS (SELECT 1 WHERE a IS DISTINCT FROM b AND c)",
                "EXISTS (SELECT 1 WHERE (a IS DISTINCT FROM b) AND c)",
            ),
        ] {
            let read = |text: &str| parsed(&format!("SELECT 1 FROM t WHERE {text}")).unwrap();
            assert_eq!(read(written), read(meant), "{written}");
        }
    }

    /// An expression with parentheses only where it needs them, how strongly it binds, and it with all parentheses.
    fn random(depth: usize, draw: &mut impl FnMut(usize) -> usize) -> (String, Binding, String) {
        let operation = if depth == 0 { 0 } else { draw(9) };
        let mut operand = |min_binding: Binding| {
            let (text, binding, full) = random(depth - 1, draw);
            let text = if binding < min_binding {
                format!("({text})")
            } else {
                text
            };
            (text, full)
        };
        let (text, binding) = match operation {
            0 | 1 => {
                let name = ["a", "b", "c", "1"][draw(4)].to_owned();
                return (name.clone(), Binding::More, name);
            }
            2 => {
                let (text, full) = operand(Binding::Not);
                return (format!("NOT {text}"), Binding::Not, format!("(NOT {full})"));
            }
            3 => {
                let (text, full) = operand(Binding::Is);
                return (
                    format!("{text} IS NULL"),
                    Binding::Is,
                    format!("({full} IS NULL)"),
                );
            }
            4 => ("OR", Binding::Or),
            5 => ("AND", Binding::And),
            6 => ("IS DISTINCT FROM", Binding::Is),
            7 => ("IS NOT DISTINCT FROM", Binding::Is),
            _ => {
                let (left, left_full) = operand(Binding::More);
                let (right, right_full) = operand(Binding::More);
                // With parentheses around operations: the test does not depend on the precedence of operators.
                let single = |text: String| match text.len() {
                    1 => text,
                    _ => format!("({text})"),
                };
                return (
                    format!("{} + {}", single(left), single(right)),
                    Binding::More,
                    format!("({left_full} + {right_full})"),
                );
            }
        };
        let next = [
            Binding::Or,
            Binding::And,
            Binding::Not,
            Binding::Is,
            Binding::More,
        ];
        let above = next[binding as usize + 1];
        let ((left, left_full), (right, right_full)) = (operand(binding), operand(above));
        let full = format!("({left_full} {text} {right_full})");
        (format!("{left} {text} {right}"), binding, full)
    }

    #[test]
    fn random_expressions_keep_their_meaning() {
        let mut state = 7_u64;
        let mut draw = |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        let mut compared = 0;
        for _ in 0..3000 {
            let (text, _, full) = random(5, &mut draw);
            let read = |text: &str| parsed(&format!("SELECT {text} AS x FROM t"));
            // Parentheses may be nested too deeply.
            if let (Ok(read), Ok(meant)) = (read(&text), read(&full)) {
                assert_eq!(read, meant, "{text}");
                compared += usize::from(text.contains("DISTINCT"));
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn long_chains_are_read() {
        let sql = |each: &str, number: usize| {
            let all = vec![each; number].join(" AND ");
            format!("SELECT 1 FROM t WHERE {all}")
        };
        for (each, number) in [
            ("a = 1", 5000),
            ("a IS DISTINCT FROM b", 900),
            ("NOT a IS NOT DISTINCT FROM b", 900),
        ] {
            let mut statements =
                parse_statements(&sql(each, number), &SqlParserOptions::default()).unwrap();
            let Some(Statement::Statement(statement)) = statements.pop_front() else {
                panic!("a query");
            };
            let mut operators = 0;
            let mut statement = *statement;
            let _ = visit_expressions_mut(&mut statement, |expr| {
                if let Expr::BinaryOp {
                    op: BinaryOperator::And,
                    right,
                    ..
                } = expr
                {
                    assert_ne!(Binding::of(right), Binding::And);
                    operators += 1;
                }
                ControlFlow::<()>::Continue(())
            });
            assert_eq!(operators, number - 1, "{each}");
        }
    }

    #[test]
    fn every_kind_of_statement_is_corrected() {
        let query = "SELECT 1 FROM t WHERE a IS DISTINCT FROM b AND c";
        let corrected = |text: &str| {
            let statements = parse_statements(text, &SqlParserOptions::default()).unwrap();
            format!("{statements:?}").contains("right: Identifier(Ident { value: \"c\"")
        };
        for statement in [
            query.to_owned(),
            format!("SELECT 1; {query}"),
            format!("COPY ({query}) TO 'x.csv'"),
            format!("EXPLAIN {query}"),
            format!("EXPLAIN COPY ({query}) TO 'x.csv'"),
            format!("CREATE VIEW v AS {query}"),
            format!("PREPARE p AS {query}"),
            format!("SELECT * FROM near_duplicates(({query}))"),
            format!("WITH w AS ({query}) SELECT * FROM w UNION {query}"),
        ] {
            assert!(corrected(&statement), "{statement}");
        }
    }

    #[test]
    fn what_the_engine_reads_otherwise_is_refused() {
        for (sql, refused) in [
            ("SELECT 1 INTERSECT ALL SELECT 1", Some("INTERSECT ALL")),
            (
                "SELECT 1 UNION SELECT 2 EXCEPT ALL SELECT 1",
                Some("EXCEPT ALL"),
            ),
            (
                "COPY (SELECT 1 EXCEPT ALL SELECT 1) TO 'x.csv'",
                Some("EXCEPT ALL"),
            ),
            (
                "EXPLAIN SELECT (SELECT 1 EXCEPT ALL SELECT 1)",
                Some("EXCEPT ALL"),
            ),
            (
                "SELECT 1 INTERSECT SELECT 1 EXCEPT SELECT 2 UNION ALL SELECT 3",
                None,
            ),
            ("SELECT 1 EXCEPT DISTINCT SELECT 2", None),
            (
                "SELECT count(*) FROM t TABLESAMPLE BERNOULLI (1)",
                Some("TABLESAMPLE"),
            ),
            (
                "SELECT 1 FROM t JOIN (SELECT 1) AS s TABLESAMPLE SYSTEM (1 PERCENT)",
                Some("TABLESAMPLE"),
            ),
        ] {
            let error = parsed(sql).err().map(|error| error.to_string());
            assert_eq!(error.is_some(), refused.is_some(), "{sql}: {error:?}");
            assert!(
                error
                    .unwrap_or_default()
                    .contains(refused.unwrap_or_default()),
                "{sql}"
            );
        }
    }

    #[test]
    fn options_of_the_session_apply() {
        let deep = format!("SELECT {}1{}", "(".repeat(60), ")".repeat(60));
        assert!(parsed(&deep).is_err());
        let options = SqlParserOptions {
            recursion_limit: ConfigNonZeroUsize::try_new(500).unwrap(),
            dialect: Dialect::MySQL,
            ..SqlParserOptions::default()
        };
        assert!(parse_statements(&deep, &options).is_ok());
        assert!(parse_statements("SELECT `a` FROM `t`", &options).is_ok());
    }
}
