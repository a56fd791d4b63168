//! Plans the items of `FROM` without keys.
//!
//! The engine (DataFusion 55) takes what a relation is grouped by for a key of its rows, also after a join or an `UNNEST`
//! that repeats them. Its SQL planner then adds the columns that depend on such a key to a GROUP BY. So each item of
//! `FROM` but a table is planned without keys.

use crate::operators::claimed_keys::{may_claim_keys, without_keys};
use datafusion::common::Result;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::sql::sqlparser::ast::TableFactor;
use std::cell::Cell;

/// Plans the items of `FROM` by the planners after it, and forgets their keys. It must be the first one.
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
        let plan = match may_claim_keys(&plan)? {
            true => without_keys(plan)?,
            false => plan,
        };
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(
            plan, None,
        ))))
    }
}
