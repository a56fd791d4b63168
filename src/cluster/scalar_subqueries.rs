//! Makes a scalar subquery of several rows an error, as it is in one process. A cluster runs scalar subqueries as
//! joins, so that several rows would repeat the rows of the outer query.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, LogicalPlan, LogicalPlanBuilder, Signature,
    Subquery, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Puts [`OnlyRow`] above scalar subqueries that may have several rows. It must run after all other rules.
#[derive(Debug)]
pub(super) struct OneRowSubqueries;

impl AnalyzerRule for OneRowSubqueries {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            node.map_expressions(|expr| expr.transform_up(of_one_row))
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "one_row_subqueries"
    }
}

/// Adds the check to an uncorrelated scalar subquery; the engine has its own rules for correlated ones.
fn of_one_row(expr: Expr) -> Result<Transformed<Expr>> {
    let Expr::ScalarSubquery(subquery) = expr else {
        return Ok(Transformed::no(expr));
    };
    let plan = &subquery.subquery;
    if !subquery.outer_ref_columns.is_empty() || plan.max_rows().is_some_and(|rows| rows <= 1) {
        return Ok(Transformed::no(Expr::ScalarSubquery(subquery)));
    }
    let Some((qualifier, field)) = plan.schema().iter().next() else {
        return internal_err!("a scalar subquery has one column");
    };
    let column = Expr::Column((qualifier, field).into());
    let only = only_row().call(vec![column]);
    let name = only.schema_name().to_string();
    let plan = LogicalPlanBuilder::from(plan.as_ref().clone())
        .aggregate(Vec::<Expr>::new(), vec![only])?
        .project([
            Expr::Column(datafusion::common::Column::new_unqualified(name))
                .alias_qualified(qualifier.cloned(), field.name()),
        ])?
        .build()?;
    Ok(Transformed::yes(Expr::ScalarSubquery(Subquery {
        subquery: Arc::new(plan),
        ..subquery
    })))
}

/// The aggregate function, which is used in plans only and not registered for SQL.
pub(super) fn only_row() -> AggregateUDF {
    AggregateUDF::new_from_impl(OnlyRow {
        signature: Signature::any(1, Volatility::Immutable),
    })
}

/// The value of the only row; NULL if there is no row, an error if there are several.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OnlyRow {
    signature: Signature,
}

impl AggregateUDFImpl for OnlyRow {
    fn name(&self) -> &str {
        "neardup_only_row"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types[0].clone())
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(SingleValue {
            value: ScalarValue::try_from(args.return_type())?,
            found: false,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = |state| format_state_name(args.name, state);
        Ok(vec![
            Arc::new(Field::new(name("value"), args.return_type().clone(), true)),
            Arc::new(Field::new(name("found"), DataType::Boolean, false)),
        ])
    }
}

#[derive(Debug)]
struct SingleValue {
    value: ScalarValue,
    found: bool,
}

impl SingleValue {
    fn add(&mut self, values: &ArrayRef, row: usize) -> Result<()> {
        if self.found {
            return exec_err!("Scalar subquery returned more than one row");
        }
        self.found = true;
        self.value = ScalarValue::try_from_array(values, row)?;
        // Releases the buffers of the other rows.
        self.value.compact();
        Ok(())
    }
}

impl Accumulator for SingleValue {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        (0..values[0].len()).try_for_each(|row| self.add(&values[0], row))
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let found = states[1].as_boolean();
        let mut rows = (0..found.len()).filter(|&row| found.value(row));
        rows.try_for_each(|row| self.add(&states[0], row))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.value.clone(), self.found.into()])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(self.value.clone())
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.value.size() - size_of_val(&self.value)
    }
}
