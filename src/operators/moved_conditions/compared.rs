//! Columns that are compared with the outer query.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, ExprSchema, Result, not_impl_err};
use datafusion::logical_expr::logical_plan::Window;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Filter, LogicalPlan, Operator};

/// The columns among expressions.
pub(super) fn columns(expressions: &[Expr]) -> impl Iterator<Item = Column> {
    expressions.iter().filter_map(|expr| match expr {
        Expr::Column(column) => Some(column.clone()),
        _ => None,
    })
}

/// The window functions, computed for each value of the columns that are compared with the outer query.
pub(super) fn partitioned(mut window: Window) -> Result<Transformed<LogicalPlan>> {
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
pub(super) fn compared_columns(
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
pub(super) struct Compared {
    column: Column,
    /// The types of the column and of the value.
    pub(super) types: [DataType; 2],
    /// Whether one value of the outer query is equal to at most one value of the column.
    pub(super) is_one_value: bool,
}

impl Compared {
    pub(super) fn of(condition: &Expr, filter: &Filter) -> Result<Option<Self>> {
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
        Date32, Dictionary, Float16, Float32, Float64, Int8, Int16, Int32, Null, Timestamp, UInt8,
        UInt16, UInt32,
    };
    if let Dictionary(_, values) = column {
        return is_one_value(values, value);
    }
    if let Dictionary(_, values) = value {
        return is_one_value(column, values);
    }
    let is_exact = |of: &DataType| of.is_integer() || of.is_decimal();
    match (column, value) {
        (_, Null) | (Date32, Timestamp(_, _)) => true,
        // The common type of numbers has all values of a floating-point column, and those of short integers.
        (Float16 | Float32 | Float64, value) => value.is_numeric(),
        (Int8 | Int16 | UInt8 | UInt16, Float32 | Float64) | (Int32 | UInt32, Float64) => true,
        _ => {
            column == value
                || is_exact(column) && is_exact(value)
                || column.is_string() && value.is_string()
        }
    }
}
