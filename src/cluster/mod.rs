//! The same plans on a Ballista cluster: sessions, and the roles of a cluster's processes.
//!
//! ```text
//! session ── logical plan ──> scheduler ── stages ──> executors
//!    └──────────── rows of the result ─────────────────┘
//! ```
//!
//! Every process registers the same functions and knows the same operators: `config` is the one place
//! where their sessions are made, `codec` tells how our nodes travel. `scheduler` and `executor` are
//! the roles; `stages` and `outer_join` prepare plans for the engine's scheduler, `guard` looks after it.
//! `token` is the secret that they may share, `door` asks for it.
//! `private_dir` makes the directories of processes.
//! A client's `session` runs each query by `query`, which asks `monitor` how it goes and reads errors by
//! `failure`. What a query writes to files waits in `staging`.

mod address;
mod codec;
mod config;
mod copies;
mod dictionaries;
mod door;
mod executor;
mod failure;
mod guard;
mod monitor;
mod outer_join;
mod private_dir;
mod qualifiers;
mod query;
mod scalar_subqueries;
mod scheduler;
mod scratch;
mod session;
mod shared;
mod stages;
mod staging;
mod token;

pub use address::{Trust, listen_address};
pub use executor::{ExecutorOptions, executor};
pub use scheduler::{SchedulerOptions, scheduler};
pub(crate) use session::is_remote;
pub use session::{ClientOptions, session};
pub use token::Token;
