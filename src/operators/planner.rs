//! Plans our logical nodes as our physical operators.

use super::bounded_memory;
use super::in_order::merged_in_order;
use super::nodes::operator;
use super::shared_rows::Store;
use super::tables::as_nodes;
use super::unknown_values::UnknownValues;
use crate::files::without_doubtful_statistics;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, not_impl_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// DataFusion's planner with our operators, or that of a host, over our operators as tables.
#[derive(Debug, Default)]
pub(crate) struct NeardupQueryPlanner {
    /// The planner of the session that we were added to, if it has one of its own.
    pub(crate) host: Option<Arc<dyn QueryPlanner + Send + Sync>>,
}

impl NeardupQueryPlanner {
    async fn planned(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match &self.host {
            Some(host) => host.create_physical_plan(plan, session).await,
            None => planned(&as_nodes(plan.clone())?, session).await,
        }
    }
}

#[async_trait]
impl QueryPlanner for NeardupQueryPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let physical = self.planned(plan, session).await?;
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            return Ok(physical);
        };
        let physical = match bounded_memory::required_settings(&physical, state).await? {
            None => bounded_memory::with_bounds(physical, state)?,
            Some(settings) => {
                let physical = self.planned(plan, &settings.state(state)?).await?;
                settings.run(bounded_memory::with_bounds(physical, state)?)?
            }
        };
        merged_in_order(physical)
    }
}

/// The plan as it is made for a cluster, which cuts it into stages.
pub(crate) async fn planned(
    plan: &LogicalPlan,
    session: &dyn Session,
) -> Result<Arc<dyn ExecutionPlan>> {
    if !matches!(plan, LogicalPlan::Explain(_)) {
        refuse_subqueries(plan)?;
    }
    let plan = &without_doubtful_statistics(plan.clone())?;
    let planner = || {
        let operators = Arc::new(OperatorPlanner::default());
        DefaultPhysicalPlanner::with_extension_planners(vec![operators])
    };
    let physical = planner().create_physical_plan(plan, session).await;
    if let Err(error) = &physical
        && UnknownValues::may_be_cause(error)
        && let Some(state) = session.as_any().downcast_ref::<SessionState>()
    {
        let rules = UnknownValues { everywhere: true }.among(state.physical_optimizers());
        let mut config = state.config().clone();
        config.options_mut().optimizer.prefer_existing_union = true;
        let state = SessionStateBuilder::new_from_existing(state.clone())
            .with_config(config)
            .with_physical_optimizer_rules(rules)
            .build();
        return planner().create_physical_plan(plan, &state).await;
    }
    physical
}

/// Refuses subqueries that the engine's rules have left in a plan, which no operator computes.
///
/// # Errors
/// If an optimised plan has a condition on the rows of a subquery.
pub(crate) fn refuse_subqueries(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| match expr {
                Expr::Exists(_) => not_impl_err!(
                    "EXISTS (SELECT …) is not supported here: write (SELECT count(*) FROM …) > 0"
                ),
                Expr::InSubquery(member) => {
                    let not = if member.negated { "NOT " } else { "" };
                    not_impl_err!(
                        "{} {not}IN (SELECT …) is not supported here: join with the rows of the subquery, or count the equal ones: (SELECT count(*) FROM … WHERE …) > 0",
                        member.expr
                    )
                }
                _ => Ok(TreeNodeRecursion::Continue),
            })
        })
    })?;
    Ok(())
}

/// Plans the operators of one physical plan.
#[derive(Debug, Default)]
struct OperatorPlanner {
    /// Where the rows of shared nodes are kept, by key.
    stores: Mutex<HashMap<Uuid, Arc<Store>>>,
}

#[async_trait]
impl ExtensionPlanner for OperatorPlanner {
    async fn plan_extension(
        &self,
        _planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _logical_inputs: &[&LogicalPlan],
        physical_inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        _context: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(input) = physical_inputs.first() else {
            return Ok(None);
        };
        let partitions = session.config().target_partitions();
        operator(node, Arc::clone(input), partitions, |node| {
            Arc::clone(self.stores.lock().entry(node.key()).or_default())
        })
    }
}
