//! `shared_rows`: rows that several parts of a plan read and that are computed once.
//!
//! The engine plans a relation that is named twice as two copies, and runs both. Where its rows are not
//! the same each time (`random()`, `uuid()`, `row_number()` without an order, LIMIT), the two parts of the plan
//! see different rows. This operator stands above each copy with a key: of the copies of one key in a
//! plan the first that is asked for rows runs its input and keeps the rows, in memory and past the memory
//! limit on disk, and all of them read what was kept.
//!
//! It lives in one process. The client of a cluster runs the input first and puts a table in its place.

mod exec;
mod logical;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use exec::SharedRowsExec;
pub(crate) use logical::{ReadOnce, SharedRows};
pub(crate) use store::Store;
