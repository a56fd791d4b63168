//! Gives columns that subqueries compare with the outer query names of their own.
//!
//! The engine (DataFusion 55) joins a subquery such as `EXISTS (SELECT … WHERE a.x = b.id AND a.y = c.id)` with the outer
//! query, and there names the columns `b.id` and `c.id` by the alias of the subquery and their own name, so that it
//! compares one in place of the other. [`OwnNames`] computes such columns once more below the condition:
//!
//! ```text
//! Filter: outer_ref(a.x) = b.id AND …    Projection: b.id, c.id, …
//!   Join: …                                Filter: outer_ref(a.x) = __neardup_compared_0 AND …
//!                                            Projection: b.id, c.id, …, b.id AS __neardup_compared_0, …
//!                                              Join: …
//! ```
//!
//! The engine does not add these columns to derived tables between the condition and the subquery, either; they become
//! projections, to which it adds them.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, LogicalPlanBuilder, SubqueryAlias};
use datafusion::optimizer::AnalyzerRule;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The names of renamed columns before their numbers.
const PREFIX: &str = "__neardup_compared_";

/// Renames the columns of a subquery that are compared with the outer query, where another column has the same name.
#[derive(Debug)]
pub(crate) struct OwnNames;

impl AnalyzerRule for OwnNames {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        // A subquery may be in another one: each name is used once in a plan.
        let mut renamed = renamed_before(&plan)?;
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::Subquery(mut subquery) = node else {
                return Ok(Transformed::no(node));
            };
            if subquery.outer_ref_columns.is_empty() {
                return Ok(Transformed::no(LogicalPlan::Subquery(subquery)));
            }
            let names = names_of_several(&subquery.subquery)?;
            let plan = Arc::unwrap_or_clone(subquery.subquery);
            let plan = plan.transform_up(|node| match node {
                LogicalPlan::Filter(filter) => with_own_names(filter, &names, &mut renamed),
                LogicalPlan::SubqueryAlias(alias) => as_projection(alias),
                node => Ok(Transformed::no(node)),
            })?;
            subquery.subquery = Arc::new(plan.data);
            Ok(Transformed::new_transformed(
                LogicalPlan::Subquery(subquery),
                plan.transformed,
            ))
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "own_names"
    }
}

/// A number above those of the columns that were renamed before, when a part of the plan was analyzed.
fn renamed_before(plan: &LogicalPlan) -> Result<usize> {
    let mut renamed = 0;
    plan.apply_with_subqueries(|node| {
        let names = node.schema().fields().iter().map(|field| field.name());
        let numbers = names.filter_map(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        renamed = numbers.fold(renamed, |renamed, number| renamed.max(number as usize + 1));
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(renamed)
}

/// The names of two or more columns of a subquery, among those at and above the conditions that the engine moves out of it.
fn names_of_several(subquery: &LogicalPlan) -> Result<BTreeSet<String>> {
    let mut columns = BTreeSet::new();
    subquery.apply(|node| {
        if !has_moved(node)? {
            return Ok(TreeNodeRecursion::Jump);
        }
        columns.extend(node.schema().columns());
        if is_moved(node) {
            node.inputs()
                .iter()
                .for_each(|input| columns.extend(input.schema().columns()));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for column in columns {
        *counts.entry(column.name).or_default() += 1;
    }
    let several = counts.into_iter().filter(|(_, count)| *count > 1);
    Ok(several.map(|(name, _)| name).collect())
}

/// Whether a plan is a condition on columns of the outer query.
pub(super) fn is_moved(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Filter(filter) if filter.predicate.contains_outer())
}

pub(super) fn has_moved(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| Ok(is_moved(node)))
}

/// A derived table with a condition that is moved out of it, as a projection: the engine adds the columns of the condition
/// to projections only.
fn as_projection(alias: SubqueryAlias) -> Result<Transformed<LogicalPlan>> {
    if !has_moved(&alias.input)? {
        return Ok(Transformed::no(LogicalPlan::SubqueryAlias(alias)));
    }
    let columns = alias.input.schema().columns().into_iter();
    let columns = columns
        .zip(alias.schema.iter())
        .map(|(column, (_, field))| {
            Expr::Column(column).alias_qualified(Some(alias.alias.clone()), field.name())
        });
    let columns: Vec<Expr> = columns.collect();
    let plan = LogicalPlanBuilder::new_from_arc(alias.input).project(columns)?;
    Ok(Transformed::yes(plan.build()?))
}

/// The filter with columns of these names renamed, in its conditions on columns of the outer query.
fn with_own_names(
    filter: Filter,
    names: &BTreeSet<String>,
    renamed: &mut usize,
) -> Result<Transformed<LogicalPlan>> {
    let mut own_names: BTreeMap<Column, Column> = BTreeMap::new();
    let parts = split_conjunction(&filter.predicate);
    let parts: Vec<Expr> = parts
        .into_iter()
        .cloned()
        .map(|part| {
            if !part.contains_outer() {
                return Ok(part);
            }
            let part = part.transform_up(|expr| match expr {
                Expr::Column(column) if names.contains(&column.name) => {
                    let own_name = own_names.entry(column).or_insert_with(|| {
                        let name = format!("{PREFIX}{renamed}");
                        *renamed += 1;
                        Column::new_unqualified(name)
                    });
                    Ok(Transformed::yes(Expr::Column(own_name.clone())))
                }
                expr => Ok(Transformed::no(expr)),
            })?;
            Ok(part.data)
        })
        .collect::<Result<_>>()?;
    let Some(predicate) = conjunction(parts).filter(|_| !own_names.is_empty()) else {
        return Ok(Transformed::no(LogicalPlan::Filter(filter)));
    };
    let columns = filter.input.schema().columns().into_iter();
    let columns: Vec<Expr> = columns.map(Expr::Column).collect();
    let copies = own_names
        .into_iter()
        .map(|(column, own_name)| Expr::Column(column).alias(own_name.name));
    let plan = LogicalPlanBuilder::new_from_arc(filter.input)
        .project(columns.iter().cloned().chain(copies))?
        .filter(predicate)?
        .project(columns)?
        .build()?;
    Ok(Transformed::yes(plan))
}
