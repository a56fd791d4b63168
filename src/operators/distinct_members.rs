//! `IN (SELECT …)` and `EXISTS` ask only whether a key occurs in other rows, the members.
//!
//! A join by hash of the engine (DataFusion 55) compares each row with all members that have its key, so that the time grows
//! with the product of the rows and the members of a key. [`DistinctMembers`] leaves most repeated keys out, with the engine's first
//! stage of an aggregation: it holds the keys of a partition as far as there is memory, and passes rows on if
//! few of them repeat a key.

use datafusion::arrow::datatypes::Schema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, JoinType, Result};
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::joins::{HashJoinExec, JoinOn, SortMergeJoinExec};
use std::sync::Arc;

/// Leaves repeated members out of joins that return rows of one side. It must run after the sides of joins were chosen,
/// and before their rows are distributed.
#[derive(Debug)]
pub(crate) struct DistinctMembers {
    /// Whether out of joins by sorting, too. On a cluster they may run by hash: it chooses when their sizes are known.
    pub(crate) of_joins_by_sorting: bool,
}

impl PhysicalOptimizerRule for DistinctMembers {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            Ok(match self.with_distinct_members(&node)? {
                Some(join) => Transformed::yes(join),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "distinct_members"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl DistinctMembers {
    /// The join with distinct members; `None` for other operators, and for joins whose condition needs more than the keys.
    fn with_distinct_members(
        &self,
        node: &Arc<dyn ExecutionPlan>,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
            let side = members(&join.join_type());
            let Some(side) = side.filter(|_| self.of_joins_by_sorting && join.filter().is_none())
            else {
                return Ok(None);
            };
            let inputs = distinct(side, join.left(), join.right(), join.on())?;
            let Some((left, right, on)) = inputs else {
                return Ok(None);
            };
            let (options, nulls) = (join.sort_options().to_vec(), join.null_equality());
            let join_type = join.join_type();
            let join = SortMergeJoinExec::try_new(left, right, on, None, join_type, options, nulls);
            return Ok(Some(Arc::new(join?)));
        }
        let Some(join) = node.downcast_ref::<HashJoinExec>() else {
            return Ok(None);
        };
        let Some(side) = members(join.join_type()).filter(|_| join.filter().is_none()) else {
            return Ok(None);
        };
        let Some((left, right, on)) = distinct(side, join.left(), join.right(), join.on())? else {
            return Ok(None);
        };
        let join = join.builder().with_new_children(vec![left, right])?;
        let join = join.with_on(on).recompute_properties().build_exec()?;
        Ok(Some(join))
    }
}

/// The side of the members.
fn members(join_type: &JoinType) -> Option<JoinSide> {
    match join_type {
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => Some(JoinSide::Right),
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => Some(JoinSide::Left),
        _ => None,
    }
}

type Inputs = (Arc<dyn ExecutionPlan>, Arc<dyn ExecutionPlan>, JoinOn);

/// The inputs of a join, with distinct keys as the rows of one side; `None` if they are distinct already.
fn distinct(
    side: JoinSide,
    left: &Arc<dyn ExecutionPlan>,
    right: &Arc<dyn ExecutionPlan>,
    on: &[(PhysicalExprRef, PhysicalExprRef)],
) -> Result<Option<Inputs>> {
    let (of_left, of_right) = on.iter().cloned().unzip::<_, _, Vec<_>, Vec<_>>();
    let (rows, keys) = match side {
        JoinSide::Left => (left, of_left),
        _ => (right, of_right),
    };
    if has_distinct(rows, &keys) {
        return Ok(None);
    }
    let schema = rows.schema();
    let mut groups: Vec<(PhysicalExprRef, String)> = Vec::new();
    let mut numbers = Vec::new();
    for key in keys {
        let known = groups
            .iter()
            .position(|(group, _)| group.as_ref() == key.as_ref());
        numbers.push(known.unwrap_or(groups.len()));
        if known.is_none() {
            let name = name(&key, &schema, groups.len());
            groups.push((key, name));
        }
    }
    let names: Vec<String> = groups.iter().map(|(_, name)| name.clone()).collect();
    let members: Arc<dyn ExecutionPlan> = Arc::new(AggregateExec::try_new(
        AggregateMode::Partial,
        PhysicalGroupBy::new_single(groups),
        Vec::new(),
        Vec::new(),
        Arc::clone(rows),
        schema,
    )?);
    let key = |number: usize| Arc::new(Column::new(&names[number], number)) as PhysicalExprRef;
    let on = on.iter().zip(numbers);
    let on = on.map(|((left, right), number)| match side {
        JoinSide::Left => (key(number), Arc::clone(right)),
        _ => (Arc::clone(left), key(number)),
    });
    let on = on.collect();
    Ok(Some(match side {
        JoinSide::Left => (members, Arc::clone(right), on),
        _ => (Arc::clone(left), members, on),
    }))
}

/// The name of a group. The engine moves filters of a group to the column of its name below: a column that is the only one
/// of its name keeps it, and other groups have names that no column has.
fn name(key: &PhysicalExprRef, schema: &Schema, number: usize) -> String {
    let count = |name: &str| {
        schema
            .fields()
            .iter()
            .filter(|field| field.name() == name)
            .count()
    };
    match key.downcast_ref::<Column>() {
        Some(column) if count(column.name()) == 1 => column.name().to_owned(),
        _ => {
            let names = (0..).map(|attempt| format!("key {number}.{attempt}"));
            let mut free = names.skip_while(|name| count(name) > 0);
            free.next().unwrap_or_default()
        }
    }
}

/// Whether the rows are groups by some of the keys.
fn has_distinct(rows: &Arc<dyn ExecutionPlan>, keys: &[PhysicalExprRef]) -> bool {
    let Some(groups) = rows.downcast_ref::<AggregateExec>() else {
        return false;
    };
    let is_key = |at: usize| {
        let mut columns = keys.iter().filter_map(|key| key.downcast_ref::<Column>());
        columns.any(|column| column.index() == at)
    };
    groups.group_expr().is_single() && (0..groups.group_expr().expr().len()).all(is_key)
}
