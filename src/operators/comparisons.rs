//! Comparisons that the engine (DataFusion 55) rewrites or computes to others.
//!
//! - `x NOT IN (1, 2) OR x NOT IN (3, 4)` became `true`, also where x is NULL, and `x IN (…) AND x IN (…)` in the same way
//!   `false`: the lists of equal operands are merged as sets, and so are those of operands that are equal but for
//!   conversions, which the engine removes. [`SafeConditions`] makes the operands differ.
//! - `x ~ '^\\'` became `x LIKE '\%'`, where the backslash is an escape, and `x ~ '.*'` became `x IS NOT NULL`.
//!   [`SafeConditions`] puts such a pattern into a group, which is not rewritten.
//! - A DOUBLE that is compared with a DECIMAL, also with those of a subquery and as a key of a join, was converted to
//!   DECIMAL(30, 15), which fails for large values and rounds others. [`CommonTypes`] converts the DECIMAL instead. (Not in
//!   unions and functions: outer references to their columns have the type that was planned.)
//! - A dictionary of texts was not compared with the patterns of another column (`x LIKE y`). [`CommonTypes`] unpacks
//!   it, too.
//! - `CASE x WHEN 0.0 …` and `nullif(x, 0.0)` take −0.0 and 0.0 for different. [`CommonTypes`] writes them with `x = 0.0`.
//! - `first_value(x ORDER BY a, a)` ended the process. [`SafeConditions`] leaves the repeated key out.
//! - `x IN (0.0, 1, 2, 3)` is computed by the bits of the numbers, so that −0.0 is not found. [`BothZeros`] adds it.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{
    Transformed, TransformedResult, TreeNode, TreeNodeRecursion, TreeNodeRewriter,
};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::core::arrow_cast::ArrowCastFunc;
use datafusion::functions::core::expr_fn::greatest;
use datafusion::functions::core::nullif::NullIfFunc;
use datafusion::functions::regex::regexplike::RegexpLikeFunc;
use datafusion::logical_expr::expr::{
    Case, Cast, InList, InSubquery, ScalarFunction, SetComparison, TryCast,
};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Between, BinaryExpr, Expr, ExprSchemable, Like, LogicalPlan, LogicalPlanBuilder, Operator,
    Subquery, cast, lit,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{AnalyzerRule, OptimizerConfig, OptimizerRule};
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Arc;

/// Prevents rewriting of lists and patterns. It must run after types were coerced.
#[derive(Debug)]
pub(crate) struct SafeConditions;

/// Compares floating-point numbers with decimals as floating-point numbers, and dictionaries with patterns as texts. It must
/// run before types are coerced.
#[derive(Debug)]
pub(crate) struct CommonTypes;

/// Adds the other zero to lists of floating-point numbers. It must run after the rules that make lists.
#[derive(Debug)]
pub(crate) struct BothZeros;

impl AnalyzerRule for SafeConditions {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        rewrite(plan, |expr, _| {
            let expr = expr.transform_up(|expr| {
                Ok(match expr {
                    Expr::AggregateFunction(_) => distinct_order(expr),
                    expr => safe_pattern(expr),
                })
            })?;
            let mut lists = 0;
            expr.data.apply(|expr| {
                lists += usize::from(matches!(expr, Expr::InList(_)));
                Ok(TreeNodeRecursion::Continue)
            })?;
            if lists < 2 {
                return Ok(expr);
            }
            let other = expr.data.rewrite(&mut Operands::default())?;
            Ok(Transformed::new_transformed(
                other.data,
                expr.transformed || other.transformed,
            ))
        })
        .data()
    }

    fn name(&self) -> &str {
        "safe_conditions"
    }
}

impl AnalyzerRule for CommonTypes {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(with_common_keys);
        rewrite(plan.data()?, |expr, schema| {
            expr.transform_up(|expr| with_common_type(expr, schema))
        })
        .data()
    }

    fn name(&self) -> &str {
        "common_types"
    }
}

impl OptimizerRule for BothZeros {
    fn name(&self) -> &str {
        "both_zeros"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        None
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        rewrite(plan, |expr, _| {
            expr.transform_up(|expr| Ok(both_zeros(expr)))
        })
    }
}

/// Changes all expressions of a plan. `change` is given the columns of the inputs of a node. The names of columns stay.
fn rewrite(
    plan: LogicalPlan,
    change: impl Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    plan.transform_up_with_subqueries(|node| {
        let mut schema = merge_schema(&node.inputs());
        if let LogicalPlan::TableScan(scan) = &node {
            schema.merge(&scan.projected_schema);
        }
        with_same_names(node, |expr| change(expr, &schema))
    })
}

/// Changes the expressions of a node. The names of its columns stay.
pub(super) fn with_same_names(
    node: LogicalPlan,
    change: impl Fn(Expr) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let names = NamePreserver::new(&node);
    node.map_expressions(|expr| {
        // The whole would be given a name.
        if matches!(expr, Expr::GroupingSet(_)) {
            return Ok(Transformed::no(expr));
        }
        let name = names.save(&expr);
        let expr = change(expr)?;
        Ok(match expr.transformed {
            true => expr.update_data(|expr| name.restore(expr)),
            false => expr,
        })
    })
}

/// Makes the operands of lists differ from each other, conversions left aside: `x`, `greatest(x)`,
/// `greatest(greatest(x))`.
#[derive(Default)]
struct Operands {
    /// The number of lists with the operand, without conversions.
    seen: HashMap<Expr, usize>,
}

impl TreeNodeRewriter for Operands {
    type Node = Expr;

    fn f_up(&mut self, expr: Expr) -> Result<Transformed<Expr>> {
        let Expr::InList(mut list) = expr else {
            return Ok(Transformed::no(expr));
        };
        let seen = self.seen.entry(unconverted(&list.expr)?).or_default();
        for _ in 0..*seen {
            let operand = mem::take(list.expr.as_mut());
            *list.expr = greatest(vec![operand]);
        }
        let has_changed = *seen > 0;
        *seen += 1;
        Ok(Transformed::new_transformed(
            Expr::InList(list),
            has_changed,
        ))
    }
}

/// An aggregate whose arguments are ordered by each expression once.
fn distinct_order(mut expr: Expr) -> Transformed<Expr> {
    let Expr::AggregateFunction(aggregate) = &mut expr else {
        return Transformed::no(expr);
    };
    let order = &mut aggregate.params.order_by;
    let before = order.len();
    let mut seen = HashSet::new();
    order.retain(|key| seen.insert(key.expr.clone()));
    let has_changed = order.len() < before;
    Transformed::new_transformed(expr, has_changed)
}

/// An expression without conversions.
fn unconverted(expr: &Expr) -> Result<Expr> {
    let without = expr.clone().transform_up(|expr| {
        Ok(match expr {
            Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => {
                Transformed::yes(*expr)
            }
            Expr::ScalarFunction(ScalarFunction { func, mut args })
                if func.inner().is::<ArrowCastFunc>() && !args.is_empty() =>
            {
                Transformed::yes(args.swap_remove(0))
            }
            _ => Transformed::no(expr),
        })
    });
    without.data()
}

/// A pattern with a backslash, or of any text, in a group.
fn safe_pattern(mut expr: Expr) -> Transformed<Expr> {
    let pattern = match &mut expr {
        Expr::BinaryExpr(BinaryExpr {
            op:
                Operator::RegexMatch
                | Operator::RegexIMatch
                | Operator::RegexNotMatch
                | Operator::RegexNotIMatch,
            right,
            ..
        }) => Some(right.as_mut()),
        Expr::ScalarFunction(ScalarFunction { func, args })
            if func.inner().is::<RegexpLikeFunc>() =>
        {
            args.get_mut(1)
        }
        _ => None,
    };
    let grouped = pattern.map(|mut pattern| {
        // Types were coerced.
        while let Expr::Cast(Cast { expr, .. }) = pattern {
            pattern = expr.as_mut();
        }
        let Expr::Literal(
            ScalarValue::Utf8(Some(text))
            | ScalarValue::LargeUtf8(Some(text))
            | ScalarValue::Utf8View(Some(text)),
            _,
        ) = pattern
        else {
            return false;
        };
        let is_rewritten = text.contains('\\') || text == ".*";
        if !is_rewritten || regex_syntax::parse(text).is_err() {
            return false;
        }
        // With white space left out, a comment may be at the end, and is a part of it up to the end of the line.
        let groups = [format!("({text})"), format!("({text}\n)")];
        let group = groups
            .into_iter()
            .find(|group| regex_syntax::parse(group).is_ok());
        let is_grouped = group.is_some();
        *text = group.unwrap_or_else(|| mem::take(text));
        is_grouped
    });
    Transformed::new_transformed(expr, grouped.unwrap_or(false))
}

/// Whether some are floating-point numbers and some are decimals.
fn are_mixed<'a>(types: impl Iterator<Item = &'a DataType> + Clone) -> bool {
    types.clone().any(DataType::is_floating) && types.clone().any(DataType::is_decimal)
}

/// A decimal as a floating-point number; whether it is a decimal.
fn to_float(expr: &mut Expr, data_type: &DataType) -> bool {
    if data_type.is_decimal() {
        let decimal = mem::take(expr);
        *expr = cast(decimal, DataType::Float64);
    }
    data_type.is_decimal()
}

/// Keys of joins, where floating-point numbers are beside decimals, as floating-point numbers.
fn with_common_keys(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(mut join) = node else {
        return Ok(Transformed::no(node));
    };
    let mut has_changed = false;
    for (left, right) in &mut join.on {
        let types = [
            left.get_type(join.left.schema())?,
            right.get_type(join.right.schema())?,
        ];
        if are_mixed(types.iter()) {
            has_changed |= to_float(left, &types[0]) | to_float(right, &types[1]);
        }
    }
    let join = LogicalPlan::Join(join);
    Ok(Transformed::new_transformed(join, has_changed))
}

/// A comparison with the rows of a subquery: both are floating-point numbers if one is such a number and one a decimal.
fn with_type_of_rows(
    operand: &mut Expr,
    subquery: &mut Subquery,
    schema: &DFSchema,
) -> Result<bool> {
    let rows = subquery.subquery.schema().fields();
    let (Ok(own), Some(row)) = (operand.get_type(schema), rows.first()) else {
        return Ok(false);
    };
    let of_rows = row.data_type().clone();
    if !are_mixed([&own, &of_rows].into_iter()) {
        return Ok(false);
    }
    if !to_float(operand, &own) {
        // With a name of its own: a column of the other name may be among the rows, too.
        let (relation, field) = subquery.subquery.schema().qualified_field(0);
        let mut column = Expr::from((relation, field));
        to_float(&mut column, &of_rows);
        let column = column.alias(format!("{} as DOUBLE", field.name()));
        let rows = LogicalPlanBuilder::from(Arc::clone(&subquery.subquery));
        subquery.subquery = Arc::new(rows.project([column])?.build()?);
    }
    Ok(true)
}

/// A comparison of floating-point numbers with decimals as one of floating-point numbers, and one of dictionaries with
/// patterns as one of texts.
fn with_common_type(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let compared = as_comparisons(expr, schema)?;
    if !compared.transformed {
        return with_one_type(compared.data, schema);
    }
    let expr = compared.data;
    let expr = expr.transform_up(|expr| with_one_type(expr, schema))?;
    Ok(Transformed::yes(expr.data))
}

/// `CASE x WHEN y THEN …` and `nullif(x, y)` of a column of floating-point numbers, where y may be a zero, written with
/// `x = y`. The types of the results stay.
fn as_comparisons(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let type_of = |expr: &Expr| expr.get_type(schema).ok();
    Ok(match expr {
        Expr::Case(Case {
            expr: Some(value),
            when_then_expr: mut when_then,
            else_expr,
        }) if matches!(value.as_ref(), Expr::Column(_))
            && type_of(&value).is_some_and(|data_type| data_type.is_floating())
            && when_then.iter().any(|(when, _)| may_be_zero(when)) =>
        {
            for (when, _) in &mut when_then {
                let other = mem::take(when.as_mut());
                **when = value.as_ref().clone().eq(other);
            }
            Transformed::yes(Expr::Case(Case::new(None, when_then, else_expr)))
        }
        Expr::ScalarFunction(ScalarFunction { func, mut args })
            if func.inner().is::<NullIfFunc>()
                && args.len() == 2
                && matches!(args[0], Expr::Column(_))
                && type_of(&args[0]) == Some(DataType::Float64)
                && type_of(&args[1])
                    .is_some_and(|other| other.is_integer() || other.is_floating())
                && may_be_zero(&args[1]) =>
        {
            let (other, value) = (args.swap_remove(1), args.swap_remove(0));
            let is_equal = Box::new(value.clone().eq(other));
            let none = Box::new(lit(ScalarValue::Float64(None)));
            let when_then = vec![(is_equal, none)];
            Transformed::yes(Expr::Case(Case::new(
                None,
                when_then,
                Some(Box::new(value)),
            )))
        }
        expr => Transformed::no(expr),
    })
}

/// Whether a value is 0, as far as the statement tells.
fn may_be_zero(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => ScalarValue::new_zero(&value.data_type())
            .is_ok_and(|zero| *value == zero || *value == ScalarValue::Float64(Some(-0.0))),
        _ => true,
    }
}

fn with_one_type(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let mut operands: Vec<&mut Expr> = match &mut expr {
        Expr::InSubquery(InSubquery {
            expr: operand,
            subquery,
            ..
        })
        | Expr::SetComparison(SetComparison {
            expr: operand,
            subquery,
            ..
        }) => {
            let has_changed = with_type_of_rows(operand, subquery, schema)?;
            return Ok(Transformed::new_transformed(expr, has_changed));
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if op.supports_propagation() => {
            vec![left.as_mut(), right.as_mut()]
        }
        Expr::Between(Between {
            expr, low, high, ..
        }) => vec![expr.as_mut(), low.as_mut(), high.as_mut()],
        Expr::InList(InList { expr, list, .. }) => {
            std::iter::once(expr.as_mut()).chain(list).collect()
        }
        Expr::Like(Like {
            expr: text,
            pattern,
            ..
        }) if pattern.any_column_refs() => {
            let mut has_changed = false;
            for operand in [text.as_mut(), pattern.as_mut()] {
                if let Ok(DataType::Dictionary(_, value)) = operand.get_type(schema) {
                    *operand = cast(mem::take(operand), *value);
                    has_changed = true;
                }
            }
            return Ok(Transformed::new_transformed(expr, has_changed));
        }
        _ => return Ok(Transformed::no(expr)),
    };
    // What has no type yet is checked when types are coerced.
    let types = operands.iter().map(|operand| operand.get_type(schema).ok());
    let types: Vec<Option<DataType>> = types.collect();
    let is_mixed = are_mixed(types.iter().flatten());
    if is_mixed {
        for (operand, data_type) in operands.iter_mut().zip(&types) {
            data_type
                .as_ref()
                .map(|data_type| to_float(operand, data_type));
        }
    }
    Ok(Transformed::new_transformed(expr, is_mixed))
}

/// A list of floating-point numbers with −0.0 if it has 0.0, and the reverse.
fn both_zeros(mut expr: Expr) -> Transformed<Expr> {
    let Expr::InList(InList { list, .. }) = &mut expr else {
        return Transformed::no(expr);
    };
    let zero = list.iter().find_map(|member| match member {
        Expr::Literal(ScalarValue::Float64(Some(0.0)), _) => Some([lit(0.0_f64), lit(-0.0_f64)]),
        Expr::Literal(ScalarValue::Float32(Some(0.0)), _) => Some([lit(0.0_f32), lit(-0.0_f32)]),
        _ => None,
    });
    let before = list.len();
    for zero in zero.into_iter().flatten() {
        if !list.contains(&zero) {
            list.push(zero);
        }
    }
    let has_changed = list.len() > before;
    Transformed::new_transformed(expr, has_changed)
}
