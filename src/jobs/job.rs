//! The machinery of a job: open, step, publish, finish.

use super::manifest::{InputFile, Manifest, StepFile, StepRecord};
use crate::files;
use crate::functions::{Template, Value};
use crate::operators::write_step::{Target, WriteStep, write_empty};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::Statement;
#[cfg(feature = "cluster")]
use datafusion::{
    arrow::array::{ArrayRef, Int32Array, RecordBatch},
    datasource::{MemTable, provider_as_source},
    logical_expr::LogicalPlanBuilder,
};
use neardup_wikidump::Losses;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Who is told how far a job is.
pub trait Progress: Send + Sync {
    /// A step begins; `resumed` where it was done before.
    fn step(&self, name: &str, resumed: bool);
    /// A step is done.
    fn done(&self, name: &str, rows: u64, took: Duration);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn step(&self, _: &str, _: bool) {}
    fn done(&self, _: &str, _: u64, _: Duration) {}
}

/// Where the files of a step go.
#[derive(Debug, Clone, Copy)]
pub enum Output<'a> {
    /// A directory below `steps/`.
    Step,
    /// A directory of the job, for readers.
    Directory(&'a str),
    /// One file of the job, for readers; the statement must be sorted.
    File(&'a str),
}

/// What the statement of a step wrote, and what scans of dumps left out.
struct Written {
    files: Vec<StepFile>,
    losses: BTreeMap<String, Losses>,
}

/// A job in its directory, which it holds locked.
pub struct Job {
    directory: PathBuf,
    context: SessionContext,
    manifest: Manifest,
    progress: Arc<dyn Progress>,
    _lock: fs::File,
    next: usize,
    /// Whether executors were seen to write where this process reads.
    #[cfg(feature = "cluster")]
    probed: bool,
    /// Steps that were done before this run.
    pub resumed: usize,
}

impl Job {
    /// Opens a job's directory, to begin or to go on.
    ///
    /// # Errors
    /// If the directory holds another job (and `overwrite` is false) or files of others, is in use
    /// by another process, or cannot be written.
    pub fn open(
        directory: &Path,
        wanted: Manifest,
        overwrite: bool,
        context: SessionContext,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", directory.display());
        if directory.exists() && !directory.is_dir() {
            return exec_err!(
                "{}: must be a directory, but it is a file",
                directory.display()
            );
        }
        fs::create_dir_all(directory).map_err(at)?;
        let directory = directory.canonicalize().map_err(at)?;
        Self::refuse_foreign(&directory)?;
        let lock_path = directory.join(".lock");
        let lock = fs::File::create(&lock_path)
            .map_err(|error| exec_datafusion_err!("{}: {error}", lock_path.display()))?;
        if lock.try_lock().is_err() {
            return exec_err!(
                "{}: another process works in this directory",
                directory.display()
            );
        }
        let found = Manifest::load(&directory)?;
        let manifest = match found {
            Some(found) => match found.difference(&wanted) {
                None if overwrite && Self::lost_file(&directory, &found.steps).is_some() => {
                    Self::clear(&directory, wanted)?
                }
                None => found,
                // Of a job whose first step failed there is nothing to lose.
                Some(_) if overwrite || found.steps.is_empty() => Self::clear(&directory, wanted)?,
                Some(difference) => {
                    return exec_err!(
                        "{} holds another job: {difference}; give another directory with -o, or --overwrite",
                        directory.display()
                    );
                }
            },
            None => wanted,
        };
        manifest.store(&directory)?;
        Ok(Self {
            directory,
            context,
            manifest,
            progress,
            _lock: lock,
            next: 1,
            #[cfg(feature = "cluster")]
            probed: false,
            resumed: 0,
        })
    }

    /// Refuses a directory that holds files but no job, and leaves it as it is.
    fn refuse_foreign(directory: &Path) -> Result<()> {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", directory.display());
        if Manifest::load(directory)?.is_some() {
            return Ok(());
        }
        // A job that was stopped before its first manifest was whole leaves these.
        let ours = [".lock", "manifest.json.new"];
        for entry in fs::read_dir(directory).map_err(at)? {
            let name = entry.map_err(at)?.file_name();
            if !ours.iter().any(|ours| name == *ours) {
                return exec_err!(
                    "{} is not empty and holds no job ('{}' stands in it); give another directory with -o",
                    directory.display(),
                    name.to_string_lossy()
                );
            }
        }
        Ok(())
    }

    /// Removes what another job wrote.
    fn clear(directory: &Path, wanted: Manifest) -> Result<Manifest> {
        // The manifest of the new job goes first: it lists nothing, so what is left counts as nothing.
        wanted.store(directory)?;
        let names = [
            "steps",
            "plain_text",
            "sentences",
            "pages",
            "pairs.parquet",
            "clusters.parquet",
            "kept.parquet",
        ];
        for name in names {
            let path = directory.join(name);
            let removed = match path.is_dir() {
                true => fs::remove_dir_all(&path),
                false => fs::remove_file(&path),
            };
            match removed {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return exec_err!("{}: {error}", path.display());
                }
                _ => {}
            }
        }
        Ok(wanted)
    }

    /// The job's directory, absolute.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The session that the statements run in.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// What is done so far.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
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
        let literals = values
            .iter()
            .map(|(name, value)| (name.clone(), value.literal()))
            .collect();
        let statement = template.statement(&literals)?;
        let state = self.context.state();
        state
            .statement_to_plan(Statement::Statement(Box::new(statement)))
            .await
    }

    /// Runs a step, unless it is done, and registers its result as a table.
    ///
    /// `plan` makes the statement; `check` sees the record and the table before the commit, adds
    /// figures and refuses a result that breaks the step's invariant.
    ///
    /// # Errors
    /// If the statement, the writing or the check fails; nothing is committed then. Also if a
    /// file of a step that was done before is missing.
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
        if let Some(index) = self
            .manifest
            .steps
            .iter()
            .position(|step| step.name == full_name)
        {
            self.progress.step(name, true);
            self.resumed += 1;
            let record = &self.manifest.steps[index];
            self.check_files(record)?;
            self.register(name, record).await?;
            return Ok(&self.manifest.steps[index]);
        }
        self.progress.step(name, false);
        let begun = Instant::now();
        let directory = match output {
            Output::Directory(name) => self.directory.join(name),
            _ => self.directory.join("steps").join(&full_name),
        };
        #[cfg(feature = "cluster")]
        self.probe().await?;
        self.empty(&directory)?;
        let plan = plan(self).await?;
        let one_file = matches!(output, Output::File(_));
        let Written { files, losses } = self.write(plan, &directory, name, one_file).await?;
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
            record.leave_out(&file, &losses);
        }
        let written = self.register(name, &record).await?;
        check(&self.context, written, &mut record).await?;
        if let Output::File(file) = output {
            self.publish(file, &directory, &mut record)?;
            self.register(name, &record).await?;
        }
        record.seconds = begun.elapsed().as_secs_f64();
        record.committed = seconds_since_1970(SystemTime::now());
        self.progress.done(name, record.rows, begun.elapsed());
        self.manifest.steps.push(record);
        self.manifest.store(&self.directory)?;
        Ok(&self.manifest.steps[self.manifest.steps.len() - 1])
    }

    /// On a cluster, before the first step that runs: has executors write a file each, and looks for them.
    #[cfg(feature = "cluster")]
    async fn probe(&mut self) -> Result<()> {
        if self.probed || !crate::cluster::is_remote(&self.context) {
            return Ok(());
        }
        let directory = self.directory.join("steps").join(".probe");
        self.empty(&directory)?;
        let tasks = self.context.state().config().target_partitions();
        let task: ArrayRef = Arc::new(Int32Array::from(vec![0]));
        let row = RecordBatch::try_from_iter([("task", task)])?;
        let table = MemTable::try_new(row.schema(), vec![vec![row]; tasks])?;
        let source = provider_as_source(Arc::new(table));
        let plan = LogicalPlanBuilder::scan("probe", source, None)?.build()?;
        let Written { files, .. } = self.write(plan, &directory, "probe", false).await?;
        for file in &files {
            let path = self.directory.join(&file.path);
            if !path.exists() {
                return exec_err!(
                    "{}: an executor wrote this file, but it is not here; the directory of a job on a cluster must lie on storage that this process and all executors see under the same path",
                    path.display()
                );
            }
        }
        self.probed = true;
        fs::remove_dir_all(&directory)
            .map_err(|error| exec_datafusion_err!("{}: {error}", directory.display()))
    }

    /// Marks the job as done.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn finish(&mut self) -> Result<()> {
        self.manifest.finished = true;
        self.manifest.store(&self.directory)
    }

    /// Removes what an attempt that was never committed left behind.
    fn empty(&self, directory: &Path) -> Result<()> {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", directory.display());
        match fs::remove_dir_all(directory) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(error)),
            _ => {}
        }
        fs::create_dir_all(directory).map_err(at)
    }

    async fn write(
        &self,
        plan: LogicalPlan,
        directory: &Path,
        name: &str,
        one_file: bool,
    ) -> Result<Written> {
        let target = Target {
            directory: directory.to_string_lossy().into_owned(),
            one_file,
            metadata: self.metadata(name),
        };
        let schema = Arc::clone(plan.schema().inner());
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
            let written = write_empty(&target, schema, &self.context.runtime_env()).await?;
            files.push(StepFile {
                path: self.relative(&written.file)?,
                rows: 0,
                bytes: written.bytes,
                checksum: format!("{:016x}", written.checksum),
            });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Written { files, losses })
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
            ("neardup.step".to_owned(), name.to_owned()),
            ("neardup.source".to_owned(), inputs.join("\n")),
            (
                "neardup.parameters".to_owned(),
                serde_json::to_string(&self.manifest.parameters).unwrap_or_default(),
            ),
        ]
    }

    fn relative(&self, path: &str) -> Result<String> {
        Path::new(path)
            .strip_prefix(&self.directory)
            .map(|path| path.to_string_lossy().into_owned())
            .map_err(|_| {
                exec_datafusion_err!("{path} was written outside of {}", self.directory.display())
            })
    }

    /// Moves the one file of a step to its final name.
    fn publish(&self, name: &str, directory: &Path, record: &mut StepRecord) -> Result<()> {
        let [file] = record.files.as_mut_slice() else {
            return exec_err!(
                "step {}: expected one file, found {}",
                record.name,
                record.files.len()
            );
        };
        let to = self.directory.join(name);
        fs::rename(self.directory.join(&file.path), &to)
            .map_err(|error| exec_datafusion_err!("{}: {error}", to.display()))?;
        file.path = name.to_owned();
        // The step's directory is empty now; it may stay if it cannot be removed.
        let _ = fs::remove_dir(directory);
        Ok(())
    }

    fn check_files(&self, record: &StepRecord) -> Result<()> {
        match Self::lost_file(&self.directory, std::slice::from_ref(record)) {
            None => Ok(()),
            Some(file) => exec_err!(
                "{}: step {} wrote {} bytes to this file, but it is missing or of another size; --overwrite begins anew",
                self.directory.join(&file.path).display(),
                record.name,
                file.bytes
            ),
        }
    }

    /// The first file that is not there as it was written.
    fn lost_file<'a>(directory: &Path, steps: &'a [StepRecord]) -> Option<&'a StepFile> {
        let mut files = steps.iter().flat_map(|step| &step.files);
        files.find(|file| {
            let found = fs::metadata(directory.join(&file.path));
            !found.is_ok_and(|found| found.len() == file.bytes)
        })
    }

    async fn register(&self, name: &str, record: &StepRecord) -> Result<DataFrame> {
        let paths = record
            .files
            .iter()
            .map(|file| self.directory.join(&file.path))
            .collect();
        let provider = files::parquet_files(&self.context.state(), paths).await?;
        self.context.deregister_table(name)?;
        self.context.register_table(name, provider)?;
        self.context.table(name).await
    }
}

/// The identity of an input file.
pub(super) fn input_file(path: &Path) -> Result<InputFile> {
    let at = |error: std::io::Error| -> DataFusionError {
        exec_datafusion_err!("{}: {error}", path.display())
    };
    let metadata = fs::metadata(path).map_err(at)?;
    let modified = metadata.modified().map_err(at)?;
    Ok(InputFile {
        path: path.to_string_lossy().into_owned(),
        bytes: metadata.len(),
        modified: seconds_since_1970(modified),
    })
}

fn seconds_since_1970(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}
