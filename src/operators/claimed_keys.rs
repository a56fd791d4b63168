//! Keeps rules of the engine (DataFusion 55) from relying on keys that rows do not have.
//!
//! `SELECT DISTINCT k` makes `k` a key of its rows. It no longer is one after a join with other rows, but an aggregate of
//! the joined rows by `k` and `d` is said to have the key `k` again; and an `UNNEST` keeps all keys. An aggregate above by
//! `k` and `d` was then one by `k` alone, a DISTINCT or a join was left out, and rows were lost or returned several times.
//!
//! [`ClaimedKeys`] runs the rules that rely on keys on plans of which no node says that it has one, but for tables, if the
//! plan has such a node. `functions::from_items` keeps the SQL planner from relying on these keys.

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{FunctionalDependencies, Result};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::sync::Arc;

/// A rule of the engine that relies on keys.
#[derive(Debug)]
pub(crate) struct ClaimedKeys {
    rule: Arc<dyn OptimizerRule + Send + Sync>,
}

impl ClaimedKeys {
    /// The names of the rules that rely on keys.
    pub(crate) const RULES: [&'static str; 3] = [
        "eliminate_join",
        "optimize_projections",
        "replace_distinct_aggregate",
    ];

    pub(crate) fn new(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Self {
        Self { rule }
    }
}

impl OptimizerRule for ClaimedKeys {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        // A rule that is called for each node of a plan relies on keys for DISTINCT alone.
        let relies_on_keys =
            self.rule.apply_order().is_none() || matches!(plan, LogicalPlan::Distinct(_));
        let plan = match relies_on_keys && claims_lost_keys(&plan)? {
            true => without_keys(plan)?,
            false => plan,
        };
        self.rule.rewrite(plan, config)
    }
}

/// Whether a node may have lost keys that it claims: an `UNNEST`, or an aggregate with a key of fewer columns than it
/// groups by.
fn claims_lost_keys(plan: &LogicalPlan) -> Result<bool> {
    exists(plan, |node| {
        let keys = node.schema().functional_dependencies();
        Ok(match node {
            LogicalPlan::Unnest(_) => !keys.is_empty(),
            LogicalPlan::Aggregate(groups) => {
                let columns = groups.group_expr_len()?;
                keys.iter().any(|key| key.source_indices.len() < columns)
            }
            _ => false,
        })
    })
}

/// Whether a plan has keys other than those of a table.
pub(crate) fn may_claim_keys(plan: &LogicalPlan) -> Result<bool> {
    exists(plan, |node| {
        let keys = node.schema().functional_dependencies();
        let is_table = matches!(
            node,
            LogicalPlan::TableScan(_) | LogicalPlan::SubqueryAlias(_)
        );
        Ok(!is_table && !keys.is_empty())
    })
}

fn exists(plan: &LogicalPlan, found: impl Fn(&LogicalPlan) -> Result<bool>) -> Result<bool> {
    let mut exists = false;
    plan.apply_with_subqueries(|node| {
        exists |= found(node)?;
        Ok(match exists {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(exists)
}

/// The plan, no node of which says that it has a key, but for tables.
pub(crate) fn without_keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|mut node| {
        let schema = match &mut node {
            LogicalPlan::Projection(node) => &mut node.schema,
            LogicalPlan::Window(node) => &mut node.schema,
            LogicalPlan::Aggregate(node) => &mut node.schema,
            LogicalPlan::Join(node) => &mut node.schema,
            LogicalPlan::Union(node) => &mut node.schema,
            LogicalPlan::SubqueryAlias(node) => &mut node.schema,
            LogicalPlan::Unnest(node) => &mut node.schema,
            // The others have the schema of their input, or no keys.
            _ => return Ok(Transformed::no(node)),
        };
        if schema.functional_dependencies().is_empty() {
            return Ok(Transformed::no(node));
        }
        let keyless = schema.as_ref().clone();
        let keyless = keyless.with_functional_dependencies(FunctionalDependencies::empty())?;
        *schema = Arc::new(keyless);
        Ok(Transformed::yes(node))
    })?;
    Ok(plan.data)
}
