//! The lifecycle of a job: open, run steps, publish files, finish.

use super::damage::damage;
use super::directory::{Directory, OWNED, REPORT};
use super::figures::{Figure, Reason};
use super::inputs;
use super::manifest::{Manifest, StepFile, StepRecord};
use super::statement;
use crate::files::{Location, parquet_files};
use crate::functions::{Template, Value};
use crate::operators::similar_pairs::{LeftOut, reporting};
use crate::operators::write_step::{Target, WriteStep, write_empty};
use crate::parameters::{name as named, parameter_error};
#[cfg(feature = "cluster")]
use crate::resources::is_remote;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
#[cfg(feature = "cluster")]
use datafusion::{
    arrow::array::{ArrayRef, Int32Array, RecordBatch},
    datasource::{MemTable, provider_as_source},
    logical_expr::LogicalPlanBuilder,
};
use neardup_wikidump::Losses;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Receives the progress of a job.
pub trait Progress: Send + Sync {
    /// A step begins; with `resumed` it was done by an earlier run and is skipped.
    fn step(&self, name: &str, resumed: bool);
    /// A step is done.
    fn done(&self, name: &str, rows: u64, took: Duration);
    /// A step that was done by an earlier run is done again, for the reason `why`.
    fn rerun(&self, name: &str, why: &str) {
        log::warn!("step {name} is done again: {why}");
    }
}

/// Reports no progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn step(&self, _: &str, _: bool) {}
    fn done(&self, _: &str, _: u64, _: Duration) {}
}

/// Where the files of a step go.
#[derive(Debug, Clone, Copy)]
pub enum Output<'a> {
    /// A directory below `steps/`.
    Step,
    /// A directory of the job that users read.
    Directory(&'a str),
    /// One file of the job that users read; the statement must sort its rows.
    File(&'a str),
}

/// The files that the statement of a step wrote, and what scans of dumps and joins left out.
struct Written {
    files: Vec<StepFile>,
    losses: BTreeMap<String, Losses>,
    left_out: LeftOut,
}

/// A job and its directory, which it keeps locked.
pub struct Job {
    directory: Directory,
    context: SessionContext,
    manifest: Manifest,
    progress: Arc<dyn Progress>,
    next: usize,
    /// Whether it was checked that this process sees the files that executors write.
    #[cfg(feature = "cluster")]
    probed: bool,
    /// Number of steps that were done before this run.
    pub resumed: usize,
}

impl Job {
    /// Opens a job's directory, to start the job or to resume it.
    ///
    /// # Errors
    /// If the directory holds another job (and `overwrite` is false) or files of others, is in use
    /// by another process, or cannot be written.
    pub async fn open(
        directory: &str,
        wanted: Manifest,
        overwrite: bool,
        context: SessionContext,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        let (mut directory, found) = Directory::open(directory, context.runtime_env()).await?;
        let manifest = match found {
            Some(found) => match found.difference(&wanted) {
                None => found,
                // A job without a finished step has no results to lose.
                Some(_) if overwrite || found.steps.is_empty() => {
                    Self::clear(&mut directory, &found, wanted).await?
                }
                Some(difference) => {
                    let found = format!("{} holds another job: {difference}", directory.location());
                    return Err(parameter_error![
                        found,
                        "; give another directory with ",
                        named("output"),
                        ", or ",
                        named("overwrite")
                    ]
                    .into());
                }
            },
            None => wanted,
        };
        directory.store(&manifest).await?;
        Ok(Self {
            directory,
            context,
            manifest,
            progress,
            next: 1,
            #[cfg(feature = "cluster")]
            probed: false,
            resumed: 0,
        })
    }

    /// Removes the files of another job: its steps and its published files.
    async fn clear(
        directory: &mut Directory,
        found: &Manifest,
        wanted: Manifest,
    ) -> Result<Manifest> {
        // The manifest of the new job is written first: it lists no files, so files that are left are ignored.
        directory.store(&wanted).await?;
        let files = found.steps.iter().flat_map(|step| &step.files);
        let tops: BTreeSet<&str> = files
            .filter_map(|file| file.path.split('/').next())
            .chain(["steps", REPORT])
            .collect();
        let owned = OWNED.iter().copied().filter(|name| tops.contains(name));
        directory.remove(&owned.collect::<Vec<_>>()).await?;
        Ok(wanted)
    }

    /// The job's directory.
    pub fn directory(&self) -> &Location {
        self.directory.location()
    }

    /// The session that the statements run in.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// The manifest: the steps that are done so far.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The number of rows that all steps left out for a reason.
    pub(super) fn left_out(&self, reason: Reason) -> u64 {
        let steps = self.manifest.steps.iter();
        steps.map(|step| step.left_out_as(reason)).sum()
    }

    /// A figure of the first step that recorded it; 0 if none did.
    pub(super) fn figure(&self, figure: Figure) -> f64 {
        let mut steps = self.manifest.steps.iter();
        let found = steps.find_map(|step| step.figure(figure)?.as_f64());
        found.unwrap_or(0.0)
    }

    /// Plans a statement of the job over the tables of its session.
    ///
    /// # Errors
    /// If the statement does not plan over the tables of the session.
    pub async fn plan(
        &self,
        template: Template,
        values: &BTreeMap<String, Value>,
    ) -> Result<LogicalPlan> {
        statement::plan(&self.context, template, values).await
    }

    /// Registers a statement of the job as a view, which the statements of later steps read.
    ///
    /// # Errors
    /// If the statement does not plan over the tables of the session.
    pub async fn view(
        &self,
        name: &str,
        template: Template,
        values: &BTreeMap<String, Value>,
    ) -> Result<()> {
        statement::view(&self.context, name, template, values).await
    }

    /// Makes the next step take the place of the last one, which failed.
    pub(super) fn repeat_step(&mut self) {
        self.next -= 1;
    }

    /// Runs a step, unless it is done, and registers its result as a table.
    ///
    /// A step with a missing or damaged file runs again; the steps after it stay done if its result is the same.
    ///
    /// `plan` plans the statement; `check` gets the record and the table before the commit, adds figures to the
    /// record and refuses a result that breaks the step's invariant.
    ///
    /// # Errors
    /// If the statement, writing or the check fails, or an input has changed since the job began. Nothing is
    /// committed then.
    pub async fn step<P, C>(
        &mut self,
        name: &str,
        output: Output<'_>,
        plan: P,
        check: C,
    ) -> Result<&StepRecord>
    where
        P: AsyncFnOnce(&Self) -> Result<LogicalPlan>,
        C: AsyncFnOnce(&SessionContext, DataFrame, &mut StepRecord) -> Result<()>,
    {
        let full_name = format!("{:02}-{name}", self.next);
        self.next += 1;
        let steps = &self.manifest.steps;
        let before = steps.iter().position(|step| step.name == full_name);
        if let Some(index) = before {
            let step = &self.manifest.steps[index];
            match damage(step, self.directory(), &self.context.runtime_env()).await? {
                None => {
                    self.progress.step(name, true);
                    self.resumed += 1;
                    self.register(name, &self.manifest.steps[index]).await?;
                    return Ok(&self.manifest.steps[index]);
                }
                Some(damage) => self.progress.rerun(name, &damage),
            }
        }
        self.progress.step(name, false);
        let begun = Instant::now();
        let directory = match output {
            Output::Directory(name) => name.to_owned(),
            _ => format!("steps/{full_name}"),
        };
        self.directory.claim(&self.manifest).await?;
        #[cfg(feature = "cluster")]
        self.probe().await?;
        self.directory.empty(&directory).await?;
        let plan = plan(self).await?;
        let one_file = matches!(output, Output::File(_));
        let Written {
            files,
            losses,
            left_out,
        } = self.write(plan, &directory, name, one_file).await?;
        let mut record = StepRecord {
            name: full_name,
            rows: files.iter().map(|file| file.rows).sum(),
            files,
            seconds: 0.0,
            committed: 0,
            left_out: BTreeMap::new(),
            figures: BTreeMap::new(),
        };
        for (file, losses) in losses {
            record.record_losses(&file, &losses);
        }
        for (figure, count) in Figure::of_joins(&left_out) {
            record.set(figure, count);
        }
        let written = self.register(name, &record).await?;
        check(&self.context, written, &mut record).await?;
        self.verify_and_sync(&record).await?;
        if let Output::File(file) = output {
            self.publish(file, &mut record).await?;
            self.register(name, &record).await?;
        }
        record.seconds = begun.elapsed().as_secs_f64();
        record.committed = seconds_since_1970(SystemTime::now());
        let rows = record.rows;
        // The input step may number the rows: then later steps depend on its ids.
        let is_exact = one_file || name == "input";
        let index = self.commit(record, before, is_exact).await?;
        self.progress.done(name, rows, begun.elapsed());
        Ok(&self.manifest.steps[index])
    }

    /// Checks that the files of a step are complete, syncs them to disk, and checks that the inputs are unchanged.
    async fn verify_and_sync(&self, record: &StepRecord) -> Result<()> {
        for file in &record.files {
            let found = self.directory.bytes(&file.path).await?;
            if found != Some(file.bytes) {
                return exec_err!(
                    "{}: {} bytes were written to this file, but it {}",
                    self.directory().join(&file.path),
                    file.bytes,
                    found.map_or("is gone".to_owned(), |found| format!("holds {found}"))
                );
            }
        }
        let names: Vec<&str> = record.files.iter().map(|file| file.path.as_str()).collect();
        self.directory.sync(&names).await?;
        inputs::check(&self.manifest.inputs, &self.context.runtime_env()).await
    }

    /// Adds a step to the manifest.
    async fn commit(
        &mut self,
        record: StepRecord,
        before: Option<usize>,
        is_exact: bool,
    ) -> Result<usize> {
        let steps = &mut self.manifest.steps;
        let index = before.unwrap_or(steps.len());
        match before {
            Some(index) if record.same_result(&steps[index], is_exact) => steps[index] = record,
            _ => {
                // Later steps were computed from another result, so they are no longer valid.
                if steps.len() > index + 1 {
                    let name = record.name.clone();
                    for later in &steps[index + 1..] {
                        let why = format!("the result of {name} has changed");
                        self.progress.rerun(&later.name, &why);
                    }
                }
                steps.truncate(index);
                steps.push(record);
                self.manifest.finished = false;
            }
        }
        self.directory.store(&self.manifest).await?;
        Ok(index)
    }

    /// On a cluster, before the first step that runs: has the executors write files, and checks that this process
    /// sees them.
    #[cfg(feature = "cluster")]
    async fn probe(&mut self) -> Result<()> {
        if self.probed || !is_remote(self.context.state().config_options()) {
            return Ok(());
        }
        const PROBE: &str = "steps/.probe";
        self.directory.empty(PROBE).await?;
        let tasks = self.context.state().config().target_partitions();
        let task: ArrayRef = Arc::new(Int32Array::from(vec![0]));
        let row = RecordBatch::try_from_iter([("task", task)])?;
        let table = MemTable::try_new(row.schema(), vec![vec![row]; tasks])?;
        let source = provider_as_source(Arc::new(table));
        let plan = LogicalPlanBuilder::scan("probe", source, None)?.build()?;
        let Written { files, .. } = self.write(plan, PROBE, "probe", false).await?;
        for file in &files {
            if self.directory.bytes(&file.path).await?.is_none() {
                return exec_err!(
                    "{}: an executor wrote this file, but it is not here; the directory of a job on a cluster must lie on storage that this process and all executors see under the same path",
                    self.directory().join(&file.path)
                );
            }
        }
        self.probed = true;
        self.directory.remove(&[PROBE]).await
    }

    /// Marks the job as done.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub async fn finish(&mut self) -> Result<()> {
        self.manifest.finished = true;
        self.directory.store(&self.manifest).await
    }

    async fn write(
        &self,
        plan: LogicalPlan,
        directory: &str,
        name: &str,
        one_file: bool,
    ) -> Result<Written> {
        let target = Target {
            directory: self.directory().join(directory).to_string(),
            one_file,
            metadata: self.metadata(name),
        };
        let schema = Arc::clone(plan.schema().inner());
        let plan = reporting(plan, &target.directory)?;
        let write = WriteStep::plan(plan, target.clone())?;
        let batches = DataFrame::new(self.context.state(), write)
            .collect()
            .await?;
        let mut files = Vec::new();
        let mut losses: BTreeMap<String, Losses> = BTreeMap::new();
        for batch in &batches {
            let paths = batch.column(0).as_string::<i32>();
            for part in batch.column(4).as_string::<i32>().iter().flatten() {
                let part: Vec<(String, Losses)> = serde_json::from_str(part)
                    .map_err(|error| DataFusionError::External(error.into()))?;
                for (file, more) in part {
                    losses.entry(file).or_default().merge(&more);
                }
            }
            let numbers = |column: usize| batch.column(column).as_primitive::<UInt64Type>();
            for row in (0..batch.num_rows()).filter(|row| !paths.value(*row).is_empty()) {
                files.push(StepFile {
                    path: self.relative(paths.value(row))?,
                    rows: numbers(1).value(row),
                    bytes: numbers(2).value(row),
                    checksum: format!("{:016x}", numbers(3).value(row)),
                });
            }
        }
        if files.is_empty() {
            let written = write_empty(&target, &schema, &self.context.runtime_env()).await?;
            files.push(StepFile {
                path: self.relative(&written.file)?,
                rows: 0,
                bytes: written.bytes,
                checksum: format!("{:016x}", written.checksum),
            });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let left_out = LeftOut::take(
            &self.directory().join(directory),
            &self.context.runtime_env(),
        )
        .await?;
        Ok(Written {
            files,
            losses,
            left_out,
        })
    }

    fn metadata(&self, name: &str) -> Vec<(String, String)> {
        let inputs: Vec<&str> = self
            .manifest
            .inputs
            .iter()
            .map(|input| input.path.as_str())
            .collect();
        vec![
            ("neardup.version".to_owned(), self.manifest.neardup.clone()),
            (
                "neardup.format".to_owned(),
                self.manifest.format.to_string(),
            ),
            (
                "neardup.signatures".to_owned(),
                self.manifest.signatures.to_string(),
            ),
            ("neardup.step".to_owned(), name.to_owned()),
            ("neardup.source".to_owned(), inputs.join("\n")),
            (
                "neardup.parameters".to_owned(),
                serde_json::to_string(&self.manifest.parameters).unwrap_or_default(),
            ),
        ]
    }

    fn relative(&self, file: &str) -> Result<String> {
        let name = self.directory().name_of(file);
        name.map(str::to_owned).ok_or_else(|| {
            exec_datafusion_err!("{file} was written outside of {}", self.directory())
        })
    }

    /// Moves the one file of a step to its final name.
    async fn publish(&self, name: &str, record: &mut StepRecord) -> Result<()> {
        let [file] = record.files.as_mut_slice() else {
            return exec_err!(
                "step {}: expected one file, found {}",
                record.name,
                record.files.len()
            );
        };
        self.directory.publish(&file.path, name).await?;
        file.path = name.to_owned();
        Ok(())
    }

    async fn register(&self, name: &str, record: &StepRecord) -> Result<DataFrame> {
        let files = record.locations(self.directory());
        let provider = parquet_files(&self.context.state(), &files).await?;
        self.context.deregister_table(name)?;
        self.context.register_table(name, provider)?;
        self.context.table(name).await
    }
}

fn seconds_since_1970(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}
