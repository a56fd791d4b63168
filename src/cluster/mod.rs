//! Runs the plans of neardup on a Ballista cluster: client sessions, the scheduler and the executors.
//!
//! ```text
//! session ── logical plan ──> scheduler ── stages ──> executors
//!    └──────────── rows of the result ─────────────────┘
//! ```
//!
//! Every process registers the same functions and operators: `config` configures all sessions, and `codec`
//! serialises the nodes that neardup adds to plans. `scheduler` and `executor` run these two roles; `stages`,
//! `outer_join` and `row_marks` prepare plans for the engine's scheduler, and `watchdog` cancels jobs that it leaves stalled.
//! `token` is the secret that the processes may share, and `server` authenticates requests by it.
//! `temp_dir` makes the temporary directories of processes.
//! A client's `session` runs each query through `query`, which polls its progress with `monitor` and classifies
//! errors with `failure`. `limits` refuses plans that a cluster cannot run, and `subquery_columns`,
//! `scalar_subqueries` and `client_side` change others so that it can. Files that a query writes go to `staging` until the query has succeeded.

mod address;
mod client_side;
mod codec;
mod config;
mod copy_to;
mod dictionaries;
mod executor;
mod failure;
mod in_turn;
mod keyed;
mod limits;
mod monitor;
mod outer_join;
mod qualifiers;
mod query;
mod row_marks;
mod scalar_subqueries;
mod scheduler;
mod scratch;
mod server;
mod session;
mod shared;
mod stages;
mod staging;
mod subquery_columns;
mod temp_dir;
mod token;
mod watchdog;

pub use address::{Trust, listen_address};
pub use executor::{ExecutorOptions, executor};
pub use scheduler::{SchedulerOptions, scheduler};
pub use session::{ClientOptions, session};
pub use token::Token;
