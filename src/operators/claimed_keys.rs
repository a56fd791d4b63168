//! Keeps rules of the engine (DataFusion 55) from relying on keys that the rows of an aggregate do not have.
//!
//! `SELECT DISTINCT k` makes `k` a key of its rows. After a join with other rows it no longer is, but an aggregate of
//! the joined rows by `k` and `d` is said to have the key `k` again. An aggregate above it by `k` and `d` was then one by
//! `k` alone, a DISTINCT or a join was left out, and rows were lost or returned several times.
//!
//! [`ClaimedKeys`] runs these rules on a plan of which no node says that it has a key, if it has such an aggregate.

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DFSchemaRef, FunctionalDependencies, Result};
use datafusion::logical_expr::{Aggregate, LogicalPlan};
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
        let plan = match relies_on_keys && claims_lost_key(&plan)? {
            true => without_keys(plan)?,
            false => plan,
        };
        self.rule.rewrite(plan, config)
    }
}

/// Whether an aggregate has a key of fewer columns than it groups by.
fn claims_lost_key(plan: &LogicalPlan) -> Result<bool> {
    let mut claims = false;
    plan.apply_with_subqueries(|node| {
        claims |= matches!(node, LogicalPlan::Aggregate(groups) if has_smaller_key(groups)?);
        Ok(match claims {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(claims)
}

fn has_smaller_key(groups: &Aggregate) -> Result<bool> {
    let columns = groups.group_expr_len()?;
    let mut keys = groups.schema.functional_dependencies().iter();
    Ok(keys.any(|key| key.source_indices.len() < columns))
}

/// The plan, no node of which says that it has a key.
fn without_keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|mut node| {
        let schema = match &mut node {
            LogicalPlan::Projection(node) => &mut node.schema,
            LogicalPlan::Window(node) => &mut node.schema,
            LogicalPlan::Aggregate(node) => &mut node.schema,
            LogicalPlan::Join(node) => &mut node.schema,
            LogicalPlan::Union(node) => &mut node.schema,
            LogicalPlan::SubqueryAlias(node) => &mut node.schema,
            LogicalPlan::Unnest(node) => &mut node.schema,
            // The others have the schema of their input, or are not made of rows with keys.
            _ => return Ok(Transformed::no(node)),
        };
        if schema.functional_dependencies().is_empty() {
            return Ok(Transformed::no(node));
        }
        *schema = schema_without_keys(schema)?;
        Ok(Transformed::yes(node))
    })?;
    Ok(plan.data)
}

fn schema_without_keys(schema: &DFSchemaRef) -> Result<DFSchemaRef> {
    let schema = schema.as_ref().clone();
    let schema = schema.with_functional_dependencies(FunctionalDependencies::empty())?;
    Ok(Arc::new(schema))
}
