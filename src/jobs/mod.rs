//! Jobs: work in steps. Each step is written completely before the next one begins.
//!
//! ```text
//! DIR/manifest.json          inputs, parameters, and per step: files, rows, checksums, what was left out
//! DIR/steps/NN-name/*.parquet
//! DIR/pairs.parquet  DIR/clusters.parquet  DIR/kept.parquet  DIR/removed.parquet …
//! ```
//!
//! One step is one SQL statement (`sql/jobs/*.sql`) over the steps before it. It is committed by listing its files in
//! the manifest, which is replaced atomically: a job that was stopped at any point resumes at the first step that is
//! not listed. Files are synced to disk before the manifest lists them, and their checksums are verified before they
//! are used: by a later run, which repeats a step whose files are damaged, and by a session, where a damaged file is an
//! error. Each commit checks that the inputs have not changed since the job began.
//!
//! To add a step, write its statement in `sql/jobs/`, a call of [`Job::step`], and a check of its invariant.

#[macro_use]
mod statement;
#[macro_use]
mod words;

mod damage;
mod decontaminate;
mod dedup;
mod defaults;
mod directory;
mod dumps;
mod examples;
mod figures;
mod ingest;
mod inputs;
mod job;
mod manifest;
mod needs;
mod recall;
mod report;
mod results;
mod row_ids;
mod table;
mod tables;
mod tune;
mod verified;
mod why;

pub use decontaminate::{Action, Decontaminate, decontaminate};
pub use dedup::{
    Compare, CutAt, Dedup, Edit, Keep, KeepKey, KeepValue, Method, Pairs, Resolution, dedup,
};
pub use directory::is_owned;
pub use dumps::{DumpOptions, Formulas, OnError, Splitter};
pub use examples::{Examples, examples};
pub use figures::{Figure, Reason};
pub use ingest::{Ingest, ingest};
pub use job::{Job, NoProgress, Progress};
pub use manifest::{InputFile, Manifest, StepFile, StepRecord};
pub use neardup_kernels::{ChangeKind, Measure, PairClass};
pub use needs::{Needs, Workload};
pub use recall::{Recall, RecallBin, Share};
pub use report::{
    COMPARED_CHARACTERS, DocumentPair, Measured, PAIRS_OF_CLASS, Report, ReportCluster, ReportPair,
    ReportRow, SAMPLED_ROWS, SHARED_ROWS, SHOWN_CHARACTERS, SIMILARITY_BINS, Shown, report,
    write_report,
};
pub use row_ids::RowIds;
pub(crate) use tables::TABLES;
pub use tables::{manifest, register, register_result};
pub use tune::{LabelCounts, MethodRecall, SampleJoin, Setting, Tune, TuneResult, tune};
pub use why::{PathRow, Why, WhyPair, WhyRow, why, why_pair};
