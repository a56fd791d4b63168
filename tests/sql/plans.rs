//! Operators that no plan may have, and the columns that plans must have.

use super::calls::{CALLS, query, session};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionConfig;
use libtest_mimic::{Failed, Trial};
use neardup::cluster::ClientOptions;
use neardup::functions::{Column, TABLE_FUNCTIONS};
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("plans::every_function_is_called", every_function_is_called),
        Trial::test("plans::no_cross_or_nested_loop_join", || {
            super::run(no_quadratic_join())
        }),
        Trial::test("plans::one_row_is_joined_without_a_sort", || {
            crate::run(one_row_is_joined_without_a_sort())
        }),
        Trial::test("plans::large_aggregates_are_in_one_partition", || {
            crate::run(large_aggregates_are_in_one_partition())
        }),
        Trial::test("plans::sorts_resolve_pairs_under_a_limit", || {
            crate::run(sorts_resolve_pairs_under_a_limit())
        }),
        Trial::test("plans::sorts_do_not_resolve_pairs_on_a_cluster", || {
            crate::run(sorts_do_not_resolve_pairs_on_a_cluster())
        }),
        Trial::test("plans::no_scalar_subquery", || {
            super::run(no_scalar_subquery())
        }),
        Trial::test("plans::columns_are_as_declared", || {
            super::run(columns_are_as_declared())
        }),
    ]
}

fn every_function_is_called() -> Result<(), Failed> {
    let called = |name: &str| CALLS.iter().any(|(function, _)| *function == name);
    for function in TABLE_FUNCTIONS {
        if !called(function.name) {
            return Err(format!("tests/sql/calls.rs has no call of {}", function.name).into());
        }
    }
    Ok(())
}

/// Configurations: one process, one process that must spill, and the defaults of a cluster.
fn configurations() -> Vec<(&'static str, SessionConfig)> {
    let mut spilling = SessionConfig::new().with_target_partitions(2);
    spilling.options_mut().optimizer.prefer_hash_join = false;
    vec![
        (
            "2 partitions",
            SessionConfig::new().with_target_partitions(2),
        ),
        (
            "1 partition",
            SessionConfig::new().with_target_partitions(1),
        ),
        (
            "16 partitions",
            SessionConfig::new().with_target_partitions(16),
        ),
        ("sort-merge joins", spilling),
    ]
}

async fn no_quadratic_join() -> Result<(), Failed> {
    for (label, config) in configurations() {
        let context = session(config).await?;
        for (function, call) in CALLS {
            let plan = context
                .sql(&query(call))
                .await?
                .create_physical_plan()
                .await?;
            let plan = displayable(plan.as_ref()).indent(false).to_string();
            for operator in ["CrossJoinExec", "NestedLoopJoinExec"] {
                if plan.contains(operator) {
                    return Err(format!("{function} on {label}: {operator}\n{call}\n{plan}").into());
                }
            }
        }
    }
    Ok(())
}

/// Joining by sorting would gather all sets in one partition, and write them to disk under a memory limit.
async fn one_row_is_joined_without_a_sort() -> Result<(), Failed> {
    for (label, config) in configurations() {
        let context = session(config).await?;
        let call = "SELECT * FROM jaccard_join(docs)";
        let plan = context.sql(call).await?.create_physical_plan().await?;
        let plan = displayable(plan.as_ref()).indent(false).to_string();
        if plan.contains("SortMergeJoinExec") || !plan.contains("SingleRowJoinExec") {
            return Err(format!("{label}\n{plan}").into());
        }
        // A join of two single rows is one row. Its join by sorting had all rows in one partition.
        let call = "SELECT * FROM shared_passages(docs, min_words => 3)";
        let plan = context.sql(call).await?.create_physical_plan().await?;
        let plan = displayable(plan.as_ref()).indent(false).to_string();
        if plan.contains("on=[(all_rows@") && plan.contains("Hash([all_rows@") {
            return Err(format!("{label}\n{plan}").into());
        }
    }
    Ok(())
}

/// Each partition had a filter, of up to a gibibyte, and a collection of runs, and these were merged. All partitions compute
/// the keys and the runs.
async fn large_aggregates_are_in_one_partition() -> Result<(), Failed> {
    for (label, config) in configurations() {
        let partitions = config.target_partitions();
        let context = session(config).await?;
        let call = "SELECT * FROM shared_passages(docs, min_words => 3)";
        let plan = context.sql(call).await?.create_physical_plan().await?;
        let plan = displayable(plan.as_ref()).indent(false).to_string();
        for (aggregate, values) in [
            ("key_filter", "gram_anchors"),
            ("key_filter", "shared_grams"),
            ("run_collection", "packed_run"),
        ] {
            let call = format!("aggr=[{aggregate}({values}(");
            let mut aggregates = plan.lines().filter(|line| line.contains(&call)).peekable();
            let computed = format!("ProjectionExec: expr=[{values}(");
            if aggregates.peek().is_none()
                || !aggregates.all(|line| line.contains("mode=Single"))
                || plan.contains(&computed) != (partitions > 1)
            {
                return Err(format!("{label}: {values}\n{plan}").into());
            }
        }
    }
    Ok(())
}

/// An aggregate holds all pairs. It resolved them under a limit, too, where a template called the function.
async fn sorts_resolve_pairs_under_a_limit() -> Result<(), Failed> {
    for (label, config) in configurations() {
        let is_limited = !config.options().optimizer.prefer_hash_join;
        let context = session(config).await?;
        for call in [
            "SELECT * FROM near_duplicates(docs)",
            "SELECT * FROM deduplicate(docs)",
            "SELECT * FROM resolved_items(
               (SELECT id, text AS item, array_agg(id) AS ids FROM docs GROUP BY id, text),
               (SELECT id_a, id_b, 0.9 AS similarity FROM pairs))",
            "SELECT * FROM pair_representatives((SELECT id_a, id_b, 0.9 AS similarity FROM pairs))",
        ] {
            let plan = context.sql(&query(call)).await?;
            let plan = plan.into_unoptimized_plan().display_indent().to_string();
            let is_sorted = plan.contains("earlier_is_kept(");
            if is_sorted != is_limited || is_sorted == plan.contains("aggr=[[representatives(") {
                return Err(format!("{label}\n{call}\n{plan}").into());
            }
        }
    }
    Ok(())
}

/// A cluster may compute a relation again for each part of a query that reads it. The sorts that resolve pairs read theirs many times, and made
/// 233 stages of 27 on a cluster, whose settings are those of a session with a memory limit.
async fn sorts_do_not_resolve_pairs_on_a_cluster() -> Result<(), Failed> {
    let options = ClientOptions::new("df://127.0.0.1:1");
    let context = neardup::cluster::session(&options, Arc::default())?;
    let docs = "CREATE VIEW docs AS SELECT 1 AS id, 'one two three' AS text";
    context.sql(docs).await?;
    for call in [
        "SELECT * FROM near_duplicates(docs)",
        "SELECT * FROM deduplicate(docs)",
        "SELECT * FROM repeated_text(docs, min_length => 1)",
    ] {
        let plan = context.sql(call).await?;
        let plan = plan.into_unoptimized_plan().display_indent().to_string();
        if plan.contains("earlier_is_kept(") {
            return Err(format!("{call}\n{plan}").into());
        }
    }
    Ok(())
}

/// Building blocks that other functions call only in one process, where a subquery is computed once and its list is not
/// copied for each row. A cluster runs subqueries as joins.
const IN_ONE_PROCESS: &[&str] = &["numbered_components"];

async fn no_scalar_subquery() -> Result<(), Failed> {
    let context = session(SessionConfig::new()).await?;
    let calls = CALLS.iter();
    for (function, call) in calls.filter(|(function, _)| !IN_ONE_PROCESS.contains(function)) {
        let plan = context.sql(&query(call)).await?.into_unoptimized_plan();
        let text = plan.display_indent().to_string();
        if text.contains("Subquery:") || text.contains("(<subquery>)") {
            return Err(format!("{function}: a subquery as an expression\n{call}\n{text}").into());
        }
    }
    Ok(())
}

/// The columns of a function's plan are those of its header.
async fn columns_are_as_declared() -> Result<(), Failed> {
    let context = session(SessionConfig::new()).await?;
    for (name, call) in CALLS {
        let function = neardup::functions::find(name).ok_or("no such function")?;
        // Two variants have different columns.
        let own = call.contains("(frequencies,") || call.contains("lsh_plan(0.8, method");
        let template = match own {
            true => &function.variants[0],
            false => &function.template,
        };
        let declared = template.header()?.columns;
        if ["deduplicate", "field_join", "sentences"].contains(name) {
            continue; // columns that are named as those of the input
        }
        let plan = context.sql(&query(call)).await?.into_unoptimized_plan();
        compare(name, &declared, &plan)?;
    }
    Ok(())
}

fn compare(name: &str, declared: &[Column], plan: &LogicalPlan) -> Result<(), Failed> {
    let fields = plan.schema().fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let expected: Vec<&str> = declared.iter().map(|column| column.name.as_str()).collect();
    if names != expected {
        return Err(format!("{name} declares {expected:?} and returns {names:?}").into());
    }
    for (field, column) in fields.iter().zip(declared) {
        let found = field.data_type();
        let agrees = match column.data_type.as_str() {
            "as id" | "as rank" => *found == DataType::Int64,
            "text" => found.is_string(),
            "any" | "as input" | "list of id" | "as vector" | "as timestamp" => true,
            "Timestamp (µs, UTC)" => matches!(found, DataType::Timestamp(_, Some(_))),
            "List of Float32" => *found == DataType::new_list(DataType::Float32, true),
            named => found.to_string() == named,
        };
        if !agrees {
            let declared = &column.data_type;
            return Err(format!(
                "{name}.{}: {declared} is declared, {found} returned",
                column.name
            )
            .into());
        }
    }
    Ok(())
}
