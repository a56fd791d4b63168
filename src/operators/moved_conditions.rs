//! Corrects or refuses subqueries out of which the engine must not move conditions.
//!
//! A condition of a subquery on columns of the outer query becomes one of a join with the outer query. The engine
//! (DataFusion 55) moves it above operators whose rows depend on it. [`MovedConditions`]
//!
//! - moves such conditions of inner joins into a filter above the join, so that all of them are conditions of filters, and
//!   refuses them in outer joins;
//! - computes window functions for each value of the columns that are compared with the outer query: as a join, they would
//!   see the rows of all outer rows;
//! - writes subqueries that are an aggregation without groups as expressions of scalar subqueries, one for each aggregate.
//!   Such an aggregation has one row also where nothing satisfies the condition, so that `EXISTS (SELECT count(*) …)` is
//!   true. As a join it has none, which the engine considers for a scalar subquery without HAVING only;
//! - refuses `OFFSET`, and `LIMIT` below other conditions, which are ignored in `EXISTS`, `DISTINCT` in `LATERAL`, which is
//!   computed for all outer rows, and what the others cannot correct.
//!
//! Scalar subqueries that may have no row become columns that may be NULL, which the engine takes from the column alone.

use super::own_names::{has_moved, is_moved};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchemaRef, ExprSchema, Result, ScalarValue, not_impl_err};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::logical_plan::{Aggregate, FetchType, Limit, SkipType, Window};
use datafusion::logical_expr::utils::{conjunction, split_conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, ExprSchemable, Filter, Join, JoinConstraint, JoinType, LogicalPlan,
    LogicalPlanBuilder, Operator, Subquery, lit, when,
};
use datafusion::optimizer::AnalyzerRule;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Corrects or refuses subqueries with conditions on the outer query below operators that depend on them. It must run
/// before types are coerced.
#[derive(Debug)]
pub(crate) struct MovedConditions;

impl AnalyzerRule for MovedConditions {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            let node = match node {
                LogicalPlan::Join(_) | LogicalPlan::SubqueryAlias(_) => {
                    node.map_children(lateral)?
                }
                node => Transformed::no(node),
            };
            let node = node.transform_data(|node| {
                let names = NamePreserver::new(&node);
                let inputs: Vec<DFSchemaRef> = node
                    .inputs()
                    .iter()
                    .map(|input| Arc::clone(input.schema()))
                    .collect();
                node.map_expressions(|expr| {
                    let name = names.save(&expr);
                    let expr = expr.transform_up(|expr| corrected(expr, &inputs))?;
                    Ok(expr.update_data(|expr| name.restore(expr)))
                })
            })?;
            node.transform_data(|node| match node {
                LogicalPlan::Join(join) => with_filter(join),
                LogicalPlan::Aggregate(aggregate) => with_arguments(aggregate),
                node => Ok(Transformed::no(node)),
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "moved_conditions"
    }
}

/// A join with its conditions on the outer query, and those of filters directly below it, in a filter above it.
fn with_filter(mut join: Join) -> Result<Transformed<LogicalPlan>> {
    let is_outer = |(left, right): &(Expr, Expr)| left.contains_outer() || right.contains_outer();
    let is_here =
        join.on.iter().any(is_outer) || join.filter.as_ref().is_some_and(Expr::contains_outer);
    let mut below = Vec::new();
    if matches!(join.join_type, JoinType::Inner | JoinType::Left) {
        join.left = without_moved(join.left, &mut below)?;
    }
    if matches!(join.join_type, JoinType::Inner | JoinType::Right) {
        join.right = without_moved(join.right, &mut below)?;
    }
    if !is_here && below.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    }
    if is_here && join.join_type != JoinType::Inner {
        return not_impl_err!(
            "a condition of a {} JOIN on the outer query is not supported; the condition may be in WHERE, or the subquery may be joined with the outer query",
            join.join_type.to_string().to_uppercase()
        );
    }
    let (moved, on): (Vec<_>, Vec<_>) = join.on.into_iter().partition(is_outer);
    join.on = on;
    let conditions = join.filter.take().map(split_conjunction_owned);
    let conditions = conditions.unwrap_or_default().into_iter();
    let (outer, others): (Vec<_>, Vec<_>) = conditions.partition(Expr::contains_outer);
    join.filter = conjunction(others);
    let equations = moved.into_iter().map(|(left, right)| left.eq(right));
    let Some(predicate) = conjunction(below.into_iter().chain(equations).chain(outer)) else {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    };
    let filter = Filter::try_new(predicate, Arc::new(LogicalPlan::Join(join)))?;
    Ok(Transformed::yes(LogicalPlan::Filter(filter)))
}

/// A plan without the conditions on the outer query of a filter, which are added to others.
fn without_moved(plan: Arc<LogicalPlan>, moved: &mut Vec<Expr>) -> Result<Arc<LogicalPlan>> {
    if !is_moved(&plan) {
        return Ok(plan);
    }
    let LogicalPlan::Filter(filter) = Arc::unwrap_or_clone(plan) else {
        return not_impl_err!("a condition on the outer query that is not that of a filter");
    };
    let conditions = split_conjunction_owned(filter.predicate).into_iter();
    let (outer, others): (Vec<_>, Vec<_>) = conditions.partition(Expr::contains_outer);
    moved.extend(outer);
    Ok(match conjunction(others) {
        Some(predicate) => {
            let filter = Filter::try_new(predicate, filter.input)?;
            Arc::new(LogicalPlan::Filter(filter))
        }
        None => filter.input,
    })
}

/// An aggregation with arguments that have subqueries computed below it: the engine moves them there in its own way after
/// columns have been given other names.
fn with_arguments(mut aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let has_subquery = |expr: &Expr| expr.exists(|expr| Ok(is_subquery(expr)));
    let mut arguments: Vec<Expr> = Vec::new();
    let mut functions = Vec::new();
    for function in aggregate.aggr_expr {
        if !has_subquery(&function)? {
            functions.push(function);
            continue;
        }
        let name = function.schema_name().to_string();
        let function = function.transform_down(|expr| {
            let Expr::AggregateFunction(function) = expr else {
                return Ok(Transformed::no(expr));
            };
            let function = Expr::AggregateFunction(function).map_children(|argument| {
                if !has_subquery(&argument)? {
                    return Ok(Transformed::no(argument));
                }
                let name = format!("__neardup_argument_{}", arguments.len());
                arguments.push(argument.alias(&name));
                Ok(Transformed::yes(Expr::Column(Column::new_unqualified(
                    name,
                ))))
            })?;
            Ok(Transformed::new(
                function.data,
                true,
                TreeNodeRecursion::Jump,
            ))
        })?;
        functions.push(function.data.alias(name));
    }
    aggregate.aggr_expr = functions;
    if arguments.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let columns = aggregate
        .input
        .schema()
        .columns()
        .into_iter()
        .map(Expr::Column);
    let input = LogicalPlanBuilder::new_from_arc(Arc::clone(&aggregate.input))
        .project(columns.chain(arguments))?
        .build()?;
    let aggregate = Aggregate::try_new(Arc::new(input), aggregate.group_expr, aggregate.aggr_expr)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
}

/// Where a subquery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Lateral,
    Scalar,
    /// In EXISTS, and in ANY and ALL, which become EXISTS.
    Exists,
    In,
}

/// A subquery whose rows are joined.
fn lateral(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Subquery(subquery) = plan else {
        return Ok(Transformed::no(plan));
    };
    check_merged_names(&subquery)?;
    let subquery = with_partitions(subquery, Place::Lateral)?;
    Ok(subquery.update_data(LogicalPlan::Subquery))
}

/// Refuses columns of the outer query with the name of a column that USING or NATURAL merges in the subquery: the engine
/// takes that name for one of the outer query, and here it is not known whether a table was named.
fn check_merged_names(subquery: &Subquery) -> Result<()> {
    let mut merged = HashSet::new();
    subquery.subquery.apply(|node| {
        if let LogicalPlan::Join(join) = node
            && join.join_constraint == JoinConstraint::Using
        {
            let names = join.on.iter().filter_map(|(left, _)| left.try_as_col());
            merged.extend(names.map(|column| column.name.clone()));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if merged.is_empty() {
        return Ok(());
    }
    subquery.subquery.apply(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| match expr {
                Expr::OuterReferenceColumn(_, column) if merged.contains(&column.name) => {
                    not_impl_err!(
                        "in a subquery with USING ({0}) or NATURAL JOIN, the name {0} may be that of the subquery or {column} of the outer query; write the join with ON, and name the table of each column",
                        column.name
                    )
                }
                _ => Ok(TreeNodeRecursion::Continue),
            })
        })
    })?;
    Ok(())
}

/// An expression whose arguments have no subqueries to correct. `outer` has the columns of the query that it belongs to.
fn corrected(expr: Expr, outer: &[DFSchemaRef]) -> Result<Transformed<Expr>> {
    match &expr {
        Expr::ScalarSubquery(subquery)
        | Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => check_merged_names(subquery)?,
        _ => {}
    }
    Ok(match expr {
        Expr::ScalarSubquery(subquery) => match OneRow::of(&subquery, outer)? {
            Some(row) if !row.is_engines => Transformed::yes(row.value_or(lit(ScalarValue::Null))?),
            Some(_) => with_partitions(subquery, Place::Scalar)?.update_data(Expr::ScalarSubquery),
            None => with_partitions(subquery, Place::Scalar)?
                .transform_data(that_may_be_null)?
                .update_data(Expr::ScalarSubquery),
        },
        Expr::Exists(Exists { subquery, negated }) => match OneRow::of(&subquery, outer)? {
            Some(row) => {
                let exists = row.condition.map_or(lit(true), Expr::is_true);
                Transformed::yes(if negated { !exists } else { exists })
            }
            None => with_partitions(subquery, Place::Exists)?
                .update_data(|subquery| Expr::Exists(Exists { subquery, negated })),
        },
        Expr::InSubquery(found) => match OneRow::of(&found.subquery, outer)? {
            Some(row) => {
                let is_in = row.compared(*found.expr, Operator::Eq, false)?;
                Transformed::yes(if found.negated { !is_in } else { is_in })
            }
            None => with_partitions(found.subquery, Place::In)?.update_data(|subquery| {
                Expr::InSubquery(InSubquery::new(found.expr, subquery, found.negated))
            }),
        },
        Expr::SetComparison(found) => match OneRow::of(&found.subquery, outer)? {
            Some(row) => {
                let of_none = found.quantifier == SetQuantifier::All;
                Transformed::yes(row.compared(*found.expr, found.op, of_none)?)
            }
            None => {
                let SetComparison {
                    expr,
                    subquery,
                    op,
                    quantifier,
                } = found;
                with_partitions(subquery, Place::Exists)?.update_data(|subquery| {
                    Expr::SetComparison(SetComparison::new(expr, subquery, op, quantifier))
                })
            }
        },
        expr => Transformed::no(expr),
    })
}

/// The row of a subquery that is an aggregation without groups over rows that a condition on the outer query selects.
struct OneRow {
    /// The first column.
    value: Expr,
    /// What HAVING and filters above require of the row.
    condition: Option<Expr>,
    /// Whether the engine computes a scalar subquery with the value as it is written.
    is_engines: bool,
}

impl OneRow {
    fn of(subquery: &Subquery, outer: &[DFSchemaRef]) -> Result<Option<Self>> {
        let (mut plan, mut above) = (&*subquery.subquery, Vec::new());
        let aggregate = loop {
            let input = match plan {
                LogicalPlan::Projection(projection) => &projection.input,
                LogicalPlan::SubqueryAlias(alias) => &alias.input,
                LogicalPlan::Filter(filter) => &filter.input,
                LogicalPlan::Limit(limit) if keeps_first(limit)? => &limit.input,
                LogicalPlan::Aggregate(aggregate)
                    if aggregate.group_expr.is_empty() && has_moved(&aggregate.input)? =>
                {
                    break aggregate;
                }
                _ => return Ok(None),
            };
            above.push(plan);
            plan = input;
        };
        let input = Arc::new(LogicalPlan::Aggregate(aggregate.clone()));
        let columns = aggregate.schema.columns().into_iter();
        let mut values: Vec<(Column, Expr)> = columns
            .map(|column| {
                let plan = LogicalPlanBuilder::new_from_arc(Arc::clone(&input))
                    .project([Expr::Column(column.clone())])?;
                let subquery = Subquery {
                    subquery: Arc::new(plan.build()?),
                    ..subquery.clone()
                };
                let subquery = with_partitions(subquery, Place::Scalar)?.data;
                Ok((column, Expr::ScalarSubquery(subquery)))
            })
            .collect::<Result<_>>()?;
        let (mut conditions, mut is_engines) = (Vec::new(), true);
        for plan in above.into_iter().rev() {
            let Some(expressions) = written_out(plan, values, outer)? else {
                return Ok(None);
            };
            is_engines &=
                !plan.contains_outer_reference() && !matches!(plan, LogicalPlan::Limit(_));
            values = plan
                .schema()
                .columns()
                .into_iter()
                .zip(expressions.values)
                .collect();
            conditions.extend(expressions.condition);
        }
        let Some((_, value)) = values.into_iter().next() else {
            return Ok(None);
        };
        let condition = conjunction(conditions);
        is_engines &= condition.is_none() && value.exists(|expr| Ok(is_scalar(expr)))?;
        Ok(Some(Self {
            value,
            condition,
            is_engines,
        }))
    }

    /// The value, or another one if the condition is not true.
    fn value_or(self, other: Expr) -> Result<Expr> {
        match self.condition {
            Some(condition) => when(condition, self.value).otherwise(other),
            None => Ok(self.value),
        }
    }

    /// The comparison of an expression with the value; `of_none` is the result without a row.
    fn compared(mut self, expr: Expr, operator: Operator, of_none: bool) -> Result<Expr> {
        let value = Box::new(self.value);
        self.value = Expr::BinaryExpr(BinaryExpr::new(Box::new(expr), operator, value));
        self.value_or(lit(of_none))
    }
}

fn is_scalar(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarSubquery(_))
}

fn is_subquery(expr: &Expr) -> bool {
    is_scalar(expr)
        || matches!(
            expr,
            Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_)
        )
}

/// Whether a limit of at least one row leaves none out before it.
fn keeps_first(limit: &Limit) -> Result<bool> {
    Ok(matches!(limit.get_skip_type()?, SkipType::Literal(0))
        && matches!(
            limit.get_fetch_type()?,
            FetchType::Literal(None | Some(1..))
        ))
}

/// The columns of a plan as expressions of the values of the columns of its input, and its condition.
struct WrittenOut {
    values: Vec<Expr>,
    condition: Option<Expr>,
}

/// `None` if an expression has a subquery of its own.
fn written_out(
    plan: &LogicalPlan,
    values: Vec<(Column, Expr)>,
    outer: &[DFSchemaRef],
) -> Result<Option<WrittenOut>> {
    let by_column: HashMap<Column, Expr> = values.iter().cloned().collect();
    let inlined = |expr: &Expr| {
        let expr = expr.clone().unalias_nested().data.transform_up(|expr| {
            Ok(match expr {
                Expr::Column(column) => match by_column.get(&column) {
                    Some(value) => Transformed::yes(value.clone()),
                    None => Transformed::no(Expr::Column(column)),
                },
                // A column of the query around the subquery, unless it is of a query around that.
                Expr::OuterReferenceColumn(field, column) => {
                    match outer.iter().any(|schema| schema.has_column(&column)) {
                        true => Transformed::yes(Expr::Column(column)),
                        false => Transformed::no(Expr::OuterReferenceColumn(field, column)),
                    }
                }
                expr => Transformed::no(expr),
            })
        })?;
        Ok(expr.data)
    };
    let mut expressions = plan.expressions().into_iter();
    if expressions.any(|expr| expr.exists(|expr| Ok(is_subquery(expr))).unwrap_or(true)) {
        return Ok(None);
    }
    let (mut all, mut condition) = (Vec::new(), None);
    match plan {
        LogicalPlan::Projection(projection) => {
            all = projection.expr.iter().map(inlined).collect::<Result<_>>()?;
        }
        LogicalPlan::Filter(filter) => condition = Some(inlined(&filter.predicate)?),
        _ => {}
    }
    if !matches!(plan, LogicalPlan::Projection(_)) {
        all = values.into_iter().map(|(_, value)| value).collect();
    }
    Ok(Some(WrittenOut {
        values: all,
        condition,
    }))
}

/// The subquery with a column that may be NULL, as it is without a row.
fn that_may_be_null(mut subquery: Subquery) -> Result<Transformed<Subquery>> {
    let plan = &subquery.subquery;
    if has_one_row(plan) {
        return Ok(Transformed::no(subquery));
    }
    let field = plan.schema().field(0);
    let column = Expr::Column(Column::from(plan.schema().qualified_field(0)));
    let value = LogicalPlanBuilder::new_from_arc(Arc::clone(plan));
    let value = if subquery.outer_ref_columns.is_empty() {
        let one_row = LogicalPlanBuilder::empty(true);
        one_row
            .join_on(value.build()?, JoinType::Left, [lit(true)])?
            .project([column])?
    } else if field.is_nullable() || field.data_type().is_nested() {
        return Ok(Transformed::no(subquery));
    } else {
        let value_or_null = nullif(column, lit(ScalarValue::Null));
        value.project([value_or_null.alias("__neardup_value")])?
    };
    subquery.subquery = Arc::new(value.build()?);
    Ok(Transformed::yes(subquery))
}

/// Whether a plan is an aggregation without groups, which has a row for any input.
fn has_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => has_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => has_one_row(&alias.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        _ => false,
    }
}

/// The subquery with window functions computed for each value of the columns that are compared with the outer query.
fn with_partitions(mut subquery: Subquery, place: Place) -> Result<Transformed<Subquery>> {
    if !has_moved(&subquery.subquery)? {
        return Ok(Transformed::no(subquery));
    }
    check(&subquery.subquery, place, Above::default())?;
    let plan = Arc::unwrap_or_clone(subquery.subquery);
    let plan = plan.transform_up(|node| match node {
        LogicalPlan::Window(window) if has_moved(&window.input)? => partitioned(window),
        node => Ok(Transformed::no(node)),
    })?;
    subquery.subquery = Arc::new(plan.data);
    Ok(Transformed::new_transformed(subquery, plan.transformed))
}

/// What is above a plan in a subquery.
#[derive(Debug, Clone, Copy, Default)]
struct Above {
    /// Operators that change which rows there are.
    changes_rows: bool,
    /// A column that is computed from no other one.
    has_constant: bool,
}

/// Refuses operators above conditions that the engine moves.
fn check(plan: &LogicalPlan, place: Place, mut above: Above) -> Result<()> {
    if !has_moved(plan)? || is_moved(plan) && !has_moved_below(plan)? {
        return Ok(());
    }
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) if place == Place::Lateral => {
            let returned = input.schema().columns();
            compared_columns(input, &returned, false, "DISTINCT in LATERAL")?;
        }
        LogicalPlan::Aggregate(Aggregate {
            input,
            aggr_expr,
            group_expr,
            ..
        }) if place == Place::Lateral && aggr_expr.is_empty() => {
            let returned: Vec<Column> = columns(group_expr).collect();
            compared_columns(input, &returned, false, "GROUP BY in LATERAL")?;
        }
        LogicalPlan::Aggregate(aggregate) => check_aggregate(aggregate, above)?,
        LogicalPlan::Limit(limit)
            if place == Place::Exists
                && (above.changes_rows
                    || !matches!(limit.get_skip_type()?, SkipType::Literal(0))) =>
        {
            return not_impl_err!(
                "OFFSET, or LIMIT in a derived table, over rows that a condition on the outer query selects, is not supported in EXISTS, ANY and ALL; compare the number of rows, (SELECT count(*) FROM …) > 2 for OFFSET 2"
            );
        }
        LogicalPlan::Projection(projection) => {
            let mut expressions = projection.expr.iter();
            above.has_constant |= expressions.any(|expr| !expr.any_column_refs());
        }
        _ => {}
    }
    above.changes_rows |= !matches!(
        plan,
        LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Sort(_)
    );
    let mut inputs = plan.inputs().into_iter();
    inputs.try_for_each(|input| check(input, place, above))
}

/// Refuses aggregations that have a row where no row satisfies a moved condition, except as scalar subqueries and in
/// LATERAL, and those whose groups by the compared columns are not those of the outer rows.
fn check_aggregate(aggregate: &Aggregate, above: Above) -> Result<()> {
    if matches!(&aggregate.group_expr[..], [Expr::GroupingSet(_)]) {
        return not_impl_err!(
            "ROLLUP, CUBE and GROUPING SETS are not supported over rows that a condition on the outer query selects; move the condition out of the subquery"
        );
    }
    if aggregate.group_expr.is_empty() && (above.changes_rows || above.has_constant) {
        return not_impl_err!(
            "an aggregate without GROUP BY, over rows that a condition on the outer query selects, is not supported below a constant, HAVING, DISTINCT or further clauses; join the outer query with the rows, and aggregate then"
        );
    }
    aggregate.input.apply(|node| {
        if let LogicalPlan::Filter(filter) = node {
            for condition in split_conjunction(&filter.predicate) {
                if let Some(compared) = Compared::of(condition, filter)?
                    && !compared.is_one_value
                {
                    return not_impl_err!(
                        "an aggregate over rows with {condition} is not supported, because values that differ may be equal to one of the outer query as {} and {}; cast the value of the outer query",
                        compared.types[0],
                        compared.types[1]
                    );
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

fn has_moved_below(plan: &LogicalPlan) -> Result<bool> {
    let inputs: Result<Vec<_>> = plan.inputs().into_iter().map(has_moved).collect();
    Ok(inputs?.contains(&true))
}

fn columns(expressions: &[Expr]) -> impl Iterator<Item = Column> {
    expressions.iter().filter_map(|expr| match expr {
        Expr::Column(column) => Some(column.clone()),
        _ => None,
    })
}

/// The window functions, computed for each value of the columns that are compared with the outer query.
fn partitioned(mut window: Window) -> Result<Transformed<LogicalPlan>> {
    let mut common: Option<Vec<Column>> = None;
    for function in &window.window_expr {
        function.apply(|expr| {
            if let Expr::WindowFunction(function) = expr {
                let partition: Vec<Column> = columns(&function.params.partition_by).collect();
                match &mut common {
                    Some(common) => common.retain(|column| partition.contains(column)),
                    None => common = Some(partition),
                }
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    let common = common.unwrap_or_default();
    let compared = compared_columns(&window.input, &common, true, "a window function")?;
    if compared.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Window(window)));
    }
    let functions = window.window_expr.into_iter().map(|function| {
        let name = function.schema_name().to_string();
        let function = function.transform_up(|expr| {
            let Expr::WindowFunction(mut function) = expr else {
                return Ok(Transformed::no(expr));
            };
            let partition_by = &mut function.params.partition_by;
            partition_by.extend(compared.iter().cloned().map(Expr::Column));
            Ok(Transformed::yes(Expr::WindowFunction(function)))
        })?;
        Ok(function.data.alias(name))
    });
    window.window_expr = functions.collect::<Result<_>>()?;
    let window = Window::try_new(window.window_expr, window.input)?;
    Ok(Transformed::yes(LogicalPlan::Window(window)))
}

/// The columns that moved conditions below compare with the outer query, so that the rows of one outer row have the same
/// values in them. Conditions on columns that are `returned`, whose values the operator `above` keeps apart, can have any
/// form. `must_be_columns` asks for columns of the plan.
fn compared_columns(
    plan: &LogicalPlan,
    returned: &[Column],
    must_be_columns: bool,
    above: &str,
) -> Result<Vec<Column>> {
    let mut found = Vec::new();
    plan.apply(|node| {
        let LogicalPlan::Filter(filter) = node else {
            return Ok(TreeNodeRecursion::Continue);
        };
        let conditions = split_conjunction(&filter.predicate).into_iter();
        for condition in conditions.filter(|condition| condition.contains_outer()) {
            let mut columns = condition.column_refs().into_iter();
            if columns.all(|column| column.relation.is_some() && returned.contains(column)) {
                continue;
            }
            let compared = Compared::of(condition, filter)?;
            let is_usable = |compared: &Compared| {
                let column = &compared.column;
                compared.is_one_value
                    && column.relation.is_some()
                    && (!must_be_columns || plan.schema().has_column(column))
            };
            match compared.filter(is_usable) {
                Some(compared) => found.push(compared.column),
                None => {
                    return not_impl_err!(
                        "{above} over rows that a condition on the outer query selects is supported for conditions `column = value of the outer query`, both of one type, and the column a column of the rows; found {condition}"
                    );
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

/// A column that a condition compares with a value of the outer query.
struct Compared {
    column: Column,
    /// The types of the column and of the value.
    types: [DataType; 2],
    /// Whether one value of the outer query is equal to at most one value of the column.
    is_one_value: bool,
}

impl Compared {
    fn of(condition: &Expr, filter: &Filter) -> Result<Option<Self>> {
        let Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) = condition
        else {
            return Ok(None);
        };
        let (column, value) = match (&**left, &**right) {
            (Expr::Column(column), value) | (value, Expr::Column(column)) => (column, value),
            _ => return Ok(None),
        };
        if value.any_column_refs() || !value.contains_outer() {
            return Ok(None);
        }
        let schema = filter.input.schema();
        let types = [schema.data_type(column)?.clone(), value.get_type(schema)?];
        Ok(Some(Self {
            column: column.clone(),
            is_one_value: is_one_value(&types[0], &types[1]),
            types,
        }))
    }
}

/// Whether a value of the second type is equal to at most one value of the first.
fn is_one_value(column: &DataType, value: &DataType) -> bool {
    use DataType::{
        Date32, Dictionary, Float32, Float64, Int8, Int16, Null, Timestamp, UInt8, UInt16,
    };
    if let Dictionary(_, values) = column {
        return is_one_value(values, value);
    }
    if let Dictionary(_, values) = value {
        return is_one_value(column, values);
    }
    let is_exact = |of: &DataType| of.is_integer() || of.is_decimal();
    match (column, value) {
        (_, Null) => true,
        (Int8 | Int16 | UInt8 | UInt16, Float32 | Float64) => true,
        (DataType::Int32 | DataType::UInt32 | Float32, Float64) | (Date32, Timestamp(_, _)) => true,
        _ => {
            column == value
                || is_exact(column) && is_exact(value)
                || column.is_string() && value.is_string()
        }
    }
}
