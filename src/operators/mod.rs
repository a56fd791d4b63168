//! Operators that DataFusion does not have, and corrections of its plans.
//!
//! Operators:
//!
//! - `similar_pairs` streams the pairs of a bucket, which `UNNEST` would hold in one batch.
//! - `write_step` writes each partition as a file with a unique name and returns a record of each file.
//! - `shared_rows` computes once the rows that a plan reads more than once.
//! - `number_sort` sorts rows of numbers as records in memory.
//! - `in_order` merges the partitions of a table in memory in the order of its rows.
//! - `unknown_values` keeps sorts by columns of outer joins and unions that the engine takes for constants.
//! - `whole_files` commits the files of a query only after the query has succeeded. A physical optimizer rule puts
//!   it above the engine's file writers.
//!
//! Rules that correct plans of the engine:
//!
//! - `claimed_keys` keeps rules from relying on keys that rows do not have.
//! - `distinct_members` leaves repeated rows out of the subqueries of `IN` and `EXISTS`.
//! - `filters` keeps filters above aggregates and projections below which they would change the rows.
//! - `fresh_names` gives the columns that the engine adds to an optimised plan names that it does not have.
//! - `join_conditions` writes equations of joins so that the engine does not take them for contradictions.
//! - `lost_conditions` refuses changes of tables whose conditions the engine would leave out.
//! - `moved_conditions` corrects or refuses subqueries out of which the engine must not move conditions.
//! - `not_in` writes out `NOT IN (SELECT …)` where the engine takes no account of NULLs.
//! - `null_equality` keeps joins by `=` and joins by `IS NOT DISTINCT FROM` apart.
//! - `ordered_lists` keeps the order of each list beside others.
//! - `own_names` renames columns that subqueries compare with the outer query, where others have the same name.
//! - `plain_keys` joins rows by the values of dictionaries where the engine fails on dictionaries.
//! - `scan_names` tells scans of table functions with different arguments apart.
//! - `shifted_values` computes `lead` and `lag` with `IGNORE NULLS` for whole partitions.
//! - `sort_keys` removes repeated sort keys, with which the engine panics.
//!
//! `bounded_memory` bounds the memory of plans. `one_input` holds the methods that operators of one input have in
//! common, `spilling` what operators that spill have in common. Operators that a statement requests have a logical
//! node, which `planner` plans; `tables` lets the query planners of other extensions plan these nodes.
//!
//! To add an operator: a folder with `logical.rs` and `exec.rs`, and a line in [`planner`].

mod bounded_memory;
pub(crate) use bounded_memory::JoinSmallSide;
pub(crate) mod claimed_keys;
pub(crate) mod comparisons;
pub(crate) mod distinct_members;
pub(crate) mod filters;
pub(crate) mod float_extremes;
pub(crate) mod fresh_names;
pub mod in_order;
pub(crate) mod join_conditions;
pub(crate) mod lost_conditions;
pub(crate) mod moved_conditions;
mod nodes;
pub(crate) mod not_in;
pub(crate) mod null_equality;
mod number_sort;
pub(crate) mod one_input;
pub(crate) mod ordered_lists;
pub(crate) mod own_names;
pub(crate) mod plain_keys;
pub(crate) mod planner;
pub(crate) mod rows_once;
pub(crate) mod scan_names;
pub(crate) mod shared_rows;
pub(crate) mod shifted_values;
pub mod similar_pairs;
pub(crate) mod sort_keys;
pub(crate) mod spilling;
mod stop;
pub(crate) mod tables;
mod task_context;
pub(crate) mod unknown_values;
pub(crate) mod whole_files;
pub mod write_step;
pub(crate) mod written_order;
