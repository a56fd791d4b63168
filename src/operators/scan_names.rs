//! Gives scans of different tables different names.
//!
//! The engine (DataFusion 55) treats scans of the same name as equal, and computes only one of two subqueries that
//! differ only in such scans. It names the scan of a table function after the function alone, `generate_series()`,
//! whatever its arguments are; and a view may read a table in memory that was replaced by another of its name.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Result, TableReference};
use datafusion::datasource::{MemTable, source_as_provider};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, TableScan};
use datafusion::optimizer::AnalyzerRule;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Numbers the scans of one name that read different tables.
#[derive(Debug)]
pub(crate) struct ScanNames;

impl AnalyzerRule for ScanNames {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        // The tables that the scans of a name read.
        let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                let name = scan.table_name.to_string();
                tables.entry(name).or_default().insert(table_of(scan)?);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        if tables.values().all(|tables| tables.len() < 2) {
            return Ok(plan);
        }
        let mut taken: BTreeSet<String> = tables.keys().cloned().collect();
        let mut names: BTreeMap<(String, String), Option<String>> = BTreeMap::new();
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::TableScan(scan) = &node else {
                return Ok(Transformed::no(node));
            };
            let old = scan.table_name.to_string();
            let is_first = !names.keys().any(|(name, _)| *name == old);
            let key = (old, table_of(scan)?);
            let name = names.entry(key).or_insert_with(|| {
                // The first table keeps the name.
                let mut names = (2..).map(|number| format!("{}_{number}", scan.table_name));
                match is_first {
                    true => None,
                    false => names.find(|name| taken.insert(name.clone())),
                }
            });
            let Some(name) = name else {
                return Ok(Transformed::no(node));
            };
            let numbered = LogicalPlanBuilder::scan_with_filters_fetch(
                TableReference::bare(name.as_str()),
                Arc::clone(&scan.source),
                scan.projection.clone(),
                scan.filters.clone(),
                scan.fetch,
            )?;
            Ok(Transformed::yes(
                numbered.alias(scan.table_name.clone())?.build()?,
            ))
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "scan_names"
    }
}

/// What distinguishes the table of a scan from others of its name: the values of the arguments of a table function, or the
/// address of a table in memory.
fn table_of(scan: &TableScan) -> Result<String> {
    if scan.table_name.table().ends_with("()") {
        return Ok(format!("{:?}", source_as_provider(&scan.source)?));
    }
    let in_memory = source_as_provider(&scan.source).ok();
    let in_memory = in_memory.filter(|table| table.downcast_ref::<MemTable>().is_some());
    Ok(in_memory.map_or_else(String::new, |table| format!("{:p}", Arc::as_ptr(&table))))
}
