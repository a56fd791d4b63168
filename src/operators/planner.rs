//! From our logical nodes to our physical plans.

use super::fit;
use super::shared_rows::{SharedRows, SharedRowsExec, Store};
use super::similar_pairs::{SimilarPairs, SimilarPairsExec};
use super::write_step::{WriteStep, WriteStepExec};
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// DataFusion's planner with our operators.
#[derive(Debug, Default)]
pub(crate) struct NeardupQueryPlanner;

#[async_trait]
impl QueryPlanner for NeardupQueryPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let physical = planned(plan, session).await?;
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            return Ok(physical);
        };
        match fit::required_fit(&physical, state).await? {
            None => fit::with_bounds(physical),
            Some(fit) => {
                let physical = planned(plan, &fit.state(state)?).await?;
                fit.run(fit::with_bounds(physical)?)
            }
        }
    }
}

/// The plan as it is made for a cluster, which cuts it into stages.
pub(crate) async fn planned(
    plan: &LogicalPlan,
    session: &dyn Session,
) -> Result<Arc<dyn ExecutionPlan>> {
    DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(OperatorPlanner::default())])
        .create_physical_plan(plan, session)
        .await
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
        if let Some(node) = node.as_any().downcast_ref::<SimilarPairs>() {
            let partitions = session.config().target_partitions();
            let exec =
                SimilarPairsExec::try_new(Arc::clone(input), node.spec().clone(), partitions)?;
            return Ok(Some(Arc::new(exec)));
        }
        if let Some(node) = node.as_any().downcast_ref::<WriteStep>() {
            return Ok(Some(Arc::new(WriteStepExec::new(
                Arc::clone(input),
                node.target().clone(),
            ))));
        }
        if let Some(node) = node.as_any().downcast_ref::<SharedRows>() {
            let store = Arc::clone(self.stores.lock().entry(node.key()).or_default());
            let exec = SharedRowsExec::new(Arc::clone(input), store);
            return Ok(Some(Arc::new(exec)));
        }
        Ok(None)
    }
}
