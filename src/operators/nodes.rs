//! The physical operator of each of our logical nodes.

use super::shared_rows::{Purpose, SharedRows, SharedRowsExec, Store};
use super::similar_pairs::{SimilarPairs, SimilarPairsExec};
use super::write_step::{WriteStep, WriteStepExec};
use datafusion::common::Result;
use datafusion::logical_expr::UserDefinedLogicalNode;
use datafusion::physical_plan::ExecutionPlan;
use std::sync::Arc;

/// The operator of a node of ours over its input.
pub(super) fn operator(
    node: &dyn UserDefinedLogicalNode,
    input: Arc<dyn ExecutionPlan>,
    partitions: usize,
    store: impl Fn(&SharedRows) -> Arc<Store>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let node = node.as_any();
    if let Some(node) = node.downcast_ref::<SimilarPairs>() {
        let exec = SimilarPairsExec::try_new(input, node.spec().clone(), partitions)?;
        return Ok(Some(Arc::new(exec)));
    }
    if let Some(node) = node.downcast_ref::<WriteStep>() {
        let exec = WriteStepExec::new(input, node.target().clone());
        return Ok(Some(Arc::new(exec)));
    }
    if let Some(node) = node.downcast_ref::<SharedRows>() {
        let exec = SharedRowsExec::new(input, store(node));
        let divided = node.purpose() == Purpose::Divided;
        return Ok(Some(Arc::new(exec.with_rows_divided(divided))));
    }
    Ok(None)
}
