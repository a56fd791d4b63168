//! Plans that a cluster cannot run: they are rewritten if that is possible, else refused before they are sent.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result, not_impl_err};
use datafusion::logical_expr::expr::NullTreatment;
use datafusion::logical_expr::{Expr, FetchType, Limit, LogicalPlan, SkipType, lit};

/// A number of rows that means no limit. The engine sends the lower 32 bits of a limit, and 32 set bits are no limit. The
/// limit that it pushes below an OFFSET is the sum of offset and limit, so the offset is subtracted from this number.
const ALL_ROWS: usize = (1 << 61) - 1;

/// The plan as a cluster can run it.
///
/// # Errors
/// If it cannot.
pub(super) fn runnable(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.apply_with_subqueries(|node| {
        refuse(node)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    let plan = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Limit(limit) => representable(limit),
        LogicalPlan::TableScan(mut scan) if scan.fetch.is_some_and(is_large) => {
            scan.fetch = None;
            Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(plan.data)
}

fn refuse(node: &LogicalPlan) -> Result<()> {
    match node {
        LogicalPlan::RecursiveQuery(query) => not_impl_err!(
            "WITH RECURSIVE {} does not run on a cluster: run it in one process (without --cluster), and write its rows where the cluster reads them (COPY … TO)",
            query.name
        ),
        LogicalPlan::Join(join) if join.join_type == JoinType::Full && join.on.is_empty() => {
            not_impl_err!(
                "a FULL JOIN whose condition is not an equality of columns does not run on a cluster: write it as a LEFT JOIN and, with UNION ALL, the rows of the right side without a partner (WHERE NOT EXISTS)"
            )
        }
        LogicalPlan::Window(window) => {
            // The engine sends neither (datafusion-proto 55), and the rows would be wrong.
            for expr in &window.window_expr {
                expr.apply(|expr| {
                    if let Expr::WindowFunction(function) = expr {
                        if function.params.filter.is_some() {
                            return not_impl_err!(
                                "a window function with FILTER does not run on a cluster: write sum(CASE WHEN condition THEN value END) OVER (…)"
                            );
                        }
                        if function.params.null_treatment == Some(NullTreatment::IgnoreNulls) {
                            return not_impl_err!(
                                "a window function with IGNORE NULLS does not run on a cluster: leave out the rows with NULL in a subquery, or run it in one process"
                            );
                        }
                    }
                    Ok(TreeNodeRecursion::Continue)
                })?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_large(rows: usize) -> bool {
    u32::try_from(rows).is_err()
}

/// A limit of more rows than the engine can send, as no limit.
fn representable(limit: Limit) -> Result<Transformed<LogicalPlan>> {
    let (SkipType::Literal(skip), FetchType::Literal(Some(fetch))) =
        (limit.get_skip_type()?, limit.get_fetch_type()?)
    else {
        return Ok(Transformed::no(LogicalPlan::Limit(limit)));
    };
    if is_large(skip) {
        return not_impl_err!(
            "OFFSET {skip} does not run on a cluster: an offset there is at most {}",
            u32::MAX
        );
    }
    if !is_large(skip.saturating_add(fetch)) {
        return Ok(Transformed::no(LogicalPlan::Limit(limit)));
    }
    let all = lit((ALL_ROWS - skip) as i64);
    Ok(Transformed::yes(LogicalPlan::Limit(Limit {
        fetch: Some(Box::new(all)),
        ..limit
    })))
}
