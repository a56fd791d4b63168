//! Operators of our own, for what a plan of standard operators does not do well.
//!
//! Each has a reason, and a logical node where a statement asks for it: `similar_pairs` streams the
//! pairs of a bucket, which unnesting would hold in one batch; `write_step` writes each partition as
//! a file of unique name and returns what it wrote; `shared_rows` computes rows once that a plan
//! reads more than once; `whole_files`, which a rule puts above the engine's writers, puts files in
//! place only where their query ended well. `tables` hands the nodes to query planners of others.
//!
//! To add an operator: a folder with `logical.rs` and `exec.rs`, and a line in [`planner`].

mod fit;
pub(crate) mod planner;
pub(crate) mod shared_rows;
pub mod similar_pairs;
pub(crate) mod tables;
pub(crate) mod whole_files;
pub mod write_step;
