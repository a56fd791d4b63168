//! Scans of table functions that have different names if their arguments differ.
//!
//! The engine (DataFusion 55) names the scan of a table function after the function alone, `generate_series()`, and takes
//! scans of one name for equal. Of two subqueries that differ only in the arguments of such a function it computes one.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Result, TableReference};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Numbers the scans of table functions with different arguments.
#[derive(Debug)]
pub(crate) struct ScanNames;

impl AnalyzerRule for ScanNames {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut of_functions = 0;
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                of_functions += usize::from(is_of_function(&scan.table_name));
                taken.insert(scan.table_name.table().to_owned());
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        if of_functions < 2 {
            return Ok(plan);
        }
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::TableScan(scan) = &node else {
                return Ok(Transformed::no(node));
            };
            if !is_of_function(&scan.table_name) {
                return Ok(Transformed::no(node));
            }
            let function = scan.table_name.table();
            // With the values of its arguments.
            let table = format!("{function}{:?}", source_as_provider(&scan.source)?);
            let is_first = !names.values().any(|name| name == function);
            let name = names.entry(table).or_insert_with(|| match is_first {
                true => function.to_owned(),
                false => {
                    let mut names = (2..).map(|number| format!("{function}_{number}"));
                    let name = names.find(|name| !taken.contains(name));
                    name.unwrap_or_default()
                }
            });
            if name == function {
                return Ok(Transformed::no(node));
            }
            taken.insert(name.clone());
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

fn is_of_function(table: &TableReference) -> bool {
    table.table().ends_with("()")
}
