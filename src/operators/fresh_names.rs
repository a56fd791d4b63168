//! New names for the columns and subqueries that the optimizer adds to a plan that was optimised before.
//!
//! The engine (DataFusion 55) numbers the names of repeated expressions (`__common_expr_1`) and of subqueries from 1 on in
//! each query. The plan of a client is optimised again by the scheduler of a cluster: a second `__common_expr_1` took the
//! place of the first, and columns had the values of others.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

/// Numbers new names from the largest number of a plan on. It must run before the rules that add names.
#[derive(Debug)]
pub(crate) struct FreshNames;

impl OptimizerRule for FreshNames {
    fn name(&self) -> &str {
        "fresh_names"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        None
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let mut largest = 0;
        plan.apply_with_subqueries(|node| {
            for (relation, field) in node.schema().iter() {
                let relation = relation.map(|relation| relation.table());
                let names = [relation, Some(field.name().as_str())];
                let numbers = names.into_iter().flatten().filter_map(number);
                largest = numbers.fold(largest, usize::max);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        config.alias_generator().update_min_id(largest);
        Ok(Transformed::no(plan))
    }
}

/// The number at the end of a name that the engine may have made; names of a user may have any.
fn number(name: &str) -> Option<usize> {
    let (_, digits) = name.strip_prefix("__")?.rsplit_once('_')?;
    let number: u32 = digits.parse().ok()?;
    Some(number as usize)
}

#[cfg(test)]
mod tests {
    use crate::session;
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
    use datafusion::common::{Result, plan_datafusion_err};
    use datafusion::logical_expr::{Expr, LogicalPlan, lit};
    use datafusion::prelude::{DataFrame, SessionContext};

    async fn rows(context: &SessionContext, plan: LogicalPlan) -> Result<String> {
        let rows = DataFrame::new(context.state(), plan).collect().await?;
        Ok(pretty_format_batches(&rows)?.to_string())
    }

    /// A plan of which one part is optimised, and another has repeated expressions.
    #[tokio::test]
    async fn repeated_expressions_of_an_optimised_plan_are_kept() -> Result<()> {
        let context = session(Default::default(), Default::default())?;
        let sql = "SELECT sum(h * k) AS a, max(h * k) AS b, min(k) AS c, max(k) AS d
                   FROM (VALUES (2, 3), (3, 4), (5, 6)) AS v (h, k)";
        let optimised = context
            .sql(sql)
            .await?
            .into_optimized_plan()?
            .transform_up(|node| {
                if !matches!(node, LogicalPlan::Aggregate(_)) {
                    return Ok(Transformed::no(node));
                }
                node.map_expressions(|expr| {
                    let name = expr.schema_name().to_string();
                    let expr = expr.transform_up(|expr| {
                        Ok(match &expr {
                            Expr::Column(column) if column.name == "k" => {
                                Transformed::yes(expr + lit(10_i64))
                            }
                            _ => Transformed::no(expr),
                        })
                    })?;
                    Ok(expr.update_data(|expr| expr.alias(name)))
                })
            })
            .data()?;
        let shown = optimised.display_indent().to_string();
        if !shown.contains("__common_expr_1") {
            return Err(plan_datafusion_err!("no repeated expression: {shown}"));
        }
        let other = session(Default::default(), Default::default())?;
        let found = rows(&other, optimised).await?;
        let wanted = "SELECT 48 AS a, 30 AS b, 13 AS c, 16 AS d";
        let wanted = rows(&context, context.sql(wanted).await?.into_optimized_plan()?).await?;
        assert_eq!(found, wanted);
        Ok(())
    }
}
