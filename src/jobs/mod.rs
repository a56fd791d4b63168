//! Jobs: work in steps, each of which lies whole on disk before the next begins.
//!
//! ```text
//! DIR/manifest.json          inputs, parameters, and per step: files, rows, checksums, what was left out
//! DIR/steps/NN-name/*.parquet
//! DIR/pairs.parquet  DIR/clusters.parquet  DIR/kept.parquet
//! ```
//!
//! One step is one SQL statement (`sql/jobs/*.sql`) over the steps before it. It is committed by
//! listing its files in the manifest, which is replaced as a whole: a job that was stopped
//! anywhere goes on with the first step that is not listed. Files reach the disk before the manifest
//! names them, and are read against their checksums before a later run believes them: a step whose files
//! are damaged is done again. Before each commit the inputs must be what they were when the job began.
//!
//! To add a step: its statement in `sql/jobs/`, a call of [`Job::step`], and an invariant.

mod dedup;
mod directory;
mod dumps;
mod ingest;
mod inputs;
mod job;
mod manifest;
mod tables;

pub use dedup::{Dedup, Keep, Method, Pairs, Resolution, RowIds, dedup};
pub use dumps::DumpOptions;
pub use ingest::{Ingest, ingest};
pub use job::{Job, Progress, Quiet};
pub use manifest::{InputFile, Manifest, StepFile, StepRecord};
pub use tables::{manifest, register, register_documents};
