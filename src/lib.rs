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
//! - [`session`]: a `SessionContext` with all functions; [`Resources`]: one of so many threads and so much memory.
//! - [`files`]: files as tables.
//! - [`jobs`]: work in steps that resume.
//! - [`functions`]: table functions, one `.sql` file each.
//! - [`operators`]: what a plan of standard operators does not do well.
//! - [`parse_statements`], [`plan_statement`]: SQL as it is meant, where the engine reads something else.
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
mod statements;

pub use error_text::{error_text, error_text_with, exhausts_memory, explain_parse_error};
pub use resources::{Memory, Resources, parse_limit};
pub use session::{NeardupExt, install, session};
pub use statements::{parse_statements, plan_statement};
