//! Near-duplicate text at scale, as an extension of Apache DataFusion.
//!
//! ```text
//! dump or table ─> sentences or documents ─> shingles ─> signatures or prefixes ─> buckets
//!      ─> candidates ─> verified pairs ─> clusters ─> kept rows ─> Parquet
//! ```
//!
//! Use it where pairs must be verified, recall must be known and memory must be bounded, from SQL.
//! It does not embed texts or compare meanings: two texts are similar if their sets of shingles are.
//!
//! - [`NeardupExt::with_neardup`], [`install`]: all functions in a session of a host.
//! - [`session`]: a `SessionContext` with all functions. [`table_names`]: its tables.
//! - [`Resources`]: the limits of a session: threads, memory and temporary space.
//! - [`files`]: files as tables.
//! - [`jobs`]: work in several steps that can be resumed.
//! - [`functions`]: table functions, one `.sql` file each.
//! - [`operators`]: operators that DataFusion does not have, and corrections of its plans.
//! - [`parse_statements`], [`plan_statement`]: parse and plan statements, with corrections for faults of the engine.
//! - [`options`]: `SET neardup.…`.
//! - [`parameters`]: types, ranges, defaults and meanings of parameters, and errors that name them.

#[cfg(feature = "cluster")]
pub mod cluster;
mod error_text;
pub mod files;
pub mod functions;
pub mod jobs;
mod near_names;
pub mod operators;
pub mod options;
pub mod parameters;
mod resources;
mod session;
mod shell_words;
mod statements;

pub use error_text::{
    csv_error, error_text, error_text_with, explain_parse_error, explain_plan_error,
    explain_write_error,
};
pub use resources::{Memory, Resources, exhausts_memory, limit_heaps, parse_limit};
pub use session::{NeardupExt, install, session, table_names};
pub use shell_words::shell_word;
pub use statements::{parse_statements, plan_statement};
