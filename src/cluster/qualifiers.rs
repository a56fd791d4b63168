//! Renames relations whose names do not survive serialisation.
//!
//! The qualifier of a column is sent as text and parsed again by the receiver: `FROM 'c.parquet'` becomes the
//! table `parquet` of the schema `c`, `AS "T"` becomes `t`, and columns are no longer found. Such relations get
//! names that are parsed as they are written; the columns of results keep their names.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, DFSchemaRef, Result, TableReference};
use datafusion::logical_expr::expr::Alias;
use datafusion::logical_expr::logical_plan::{SubqueryAlias, TableScanBuilder};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::sync::Arc;

/// The plan with relations renamed so that their names survive parsing.
pub(super) fn parseable(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        found |= node.schema().iter().any(|(qualifier, _)| {
            qualifier.is_some_and(|reference| reference != &read_back(reference))
        });
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    match found {
        false => Ok(plan),
        true => Ok(plan.transform_up_with_subqueries(renamed)?.data),
    }
}

fn read_back(reference: &TableReference) -> TableReference {
    TableReference::parse_str(&reference.to_string())
}

/// The name under which a relation is sent. A name that begins with two slashes is not parsed as a list of
/// identifiers.
fn name(reference: &TableReference) -> TableReference {
    match *reference == read_back(reference) {
        true => reference.clone(),
        false => TableReference::bare(format!("//{reference}")),
    }
}

fn renamed(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let is_named = !matches!(
        node,
        LogicalPlan::Filter(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::TableScan(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Repartition(_)
            | LogicalPlan::Statement(_)
    );
    let node = node.map_expressions(|expr| {
        // A grouping set has no name, only its columns have.
        let is_named = is_named && !matches!(expr, Expr::GroupingSet(_));
        let before = expr.qualified_name().1;
        let expr = expr
            .transform_up(|expr| Ok(Transformed::yes(of_renamed(expr))))?
            .data;
        let (relation, after) = expr.qualified_name();
        Ok(Transformed::yes(match is_named && after != before {
            true => expr.alias_qualified(relation, before),
            false => expr,
        }))
    })?;
    let node = match node.data {
        LogicalPlan::TableScan(scan) => LogicalPlan::TableScan(
            TableScanBuilder::new(name(&scan.table_name), scan.source)
                .with_projection(scan.projection)
                .with_filters(scan.filters)
                .with_fetch(scan.fetch)
                .build()?,
        ),
        LogicalPlan::SubqueryAlias(alias) => {
            LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(alias.input, name(&alias.alias))?)
        }
        LogicalPlan::Unnest(mut unnest) => {
            for column in &mut unnest.exec_columns {
                column.relation = column.relation.as_ref().map(name);
            }
            LogicalPlan::Unnest(unnest).recompute_schema()?
        }
        LogicalPlan::Union(mut union) => {
            union.schema = schema(&union.schema)?;
            LogicalPlan::Union(union)
        }
        LogicalPlan::EmptyRelation(mut empty) => {
            empty.schema = schema(&empty.schema)?;
            LogicalPlan::EmptyRelation(empty)
        }
        other => other.recompute_schema()?,
    };
    Ok(Transformed::yes(node))
}

fn of_renamed(expr: Expr) -> Expr {
    match expr {
        Expr::Column(mut column) => {
            column.relation = column.relation.as_ref().map(name);
            Expr::Column(column)
        }
        Expr::OuterReferenceColumn(field, mut column) => {
            column.relation = column.relation.as_ref().map(name);
            Expr::OuterReferenceColumn(field, column)
        }
        Expr::Alias(Alias {
            expr,
            relation,
            name: alias,
            metadata,
        }) => Expr::Alias(Alias {
            expr,
            relation: relation.as_ref().map(name),
            name: alias,
            metadata,
        }),
        other => other,
    }
}

fn schema(schema: &DFSchemaRef) -> Result<DFSchemaRef> {
    let fields = schema
        .iter()
        .map(|(qualifier, field)| (qualifier.map(name), Arc::clone(field)));
    let renamed = DFSchema::new_with_metadata(fields.collect(), schema.metadata().clone())?;
    Ok(Arc::new(renamed.with_functional_dependencies(
        schema.functional_dependencies().clone(),
    )?))
}
