//! `shared_rows`: computes once the rows that several parts of a plan read.
//!
//! The engine plans a relation that is named twice as two copies, and runs both. If its rows are not deterministic
//! (`random()`, `uuid()`, `row_number()` without an order, LIMIT), the two parts of the plan see different rows. This
//! operator is put above each copy, with a common key. The first copy that is executed runs its input and stores the
//! rows: in memory, and beyond an eighth of the memory limit on disk. All copies read the stored rows.
//!
//! It is also put above inputs whose rows take long to compute and which a template reads more than once: ranks of all
//! rows, sentences, pairs.
//!
//! The store is local to one process. On a cluster, the client runs an input that is not deterministic first and replaces
//! it by a table; one that is deterministic is computed by each part of the plan.

mod exec;
mod logical;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use exec::SharedRowsExec;
pub(crate) use logical::{Purpose, ReadOnce, SharedRows};
pub(crate) use store::Store;
