//! `shared_rows`: computes once the rows that several parts of a plan read.
//!
//! The engine plans a relation that is named twice as two copies, and runs both. If its rows are not deterministic
//! (`random()`, `uuid()`, `row_number()` without an order, LIMIT), the two parts of the plan see different rows. This
//! operator is put above each copy, with a common key. The first copy that is executed runs its input and stores the
//! rows, in memory and beyond the memory limit on disk. All copies read the stored rows.
//!
//! The store is local to one process. On a cluster, the client runs the input first and replaces it by a table.

mod exec;
mod logical;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use exec::SharedRowsExec;
pub(crate) use logical::{ReadOnce, SharedRows};
pub(crate) use store::Store;
