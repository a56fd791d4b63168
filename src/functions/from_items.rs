//! Plans the items of `FROM` with the keys that their rows have.
//!
//! The SQL planner of the engine (DataFusion 55) adds the columns that depend on a key of the items to a GROUP BY, and
//! takes rows for ordered strictly by a key, but some of these keys are none ([`with_true_keys`]).

use crate::operators::claimed_keys::with_true_keys;
use datafusion::common::Result;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::sql::sqlparser::ast::TableFactor;
use std::cell::Cell;

/// Plans the items of `FROM` by the planners after it, and finds their keys. It must be the first one.
#[derive(Debug)]
pub(crate) struct FromItems;

thread_local! {
    /// Whether the next item is one that this planner has handed on.
    static HANDED_ON: Cell<bool> = const { Cell::new(false) };
}

impl RelationPlanner for FromItems {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        if HANDED_ON.replace(false) {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        }
        HANDED_ON.set(true);
        let plan = context.plan(relation)?;
        let keys = plan.schema().functional_dependencies();
        let plan = match keys.is_empty() {
            true => plan,
            false => with_true_keys(plan)?,
        };
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(
            plan, None,
        ))))
    }
}
