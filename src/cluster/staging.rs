//! Staging directories for `COPY` and `INSERT` on a cluster: tasks write into a hidden directory, and the client
//! moves the files to their destination once the query has succeeded.
//!
//! A task continues after its query was cancelled, and after a resubmission two tasks may write the same rows.
//! Therefore each attempt has its own directory, beside the destination that the statement names, and only the
//! client moves files out of it. A client that is killed leaves the directory behind; the next statement that writes
//! beside it removes it.

use super::temp_dir::{LOCK, locked, sweep_named};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion::datasource::listing::{ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::{TableProvider, provider_as_source, source_as_provider};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{DmlStatement, LogicalPlan, WriteOp};
use futures::TryStreamExt;
use futures::future::ready;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use std::any::Any;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

/// The name of a staging directory is `HIDDEN`, a UUID and `UNFINISHED`.
const HIDDEN: &str = ".";
const UNFINISHED: &str = ".unfinished";

/// Object stores copy larger objects only in parts.
const MAX_COPY_BYTES: u64 = 4 << 30;

/// The hidden directory of an attempt.
#[derive(Debug)]
pub(super) struct Staging {
    store: Arc<dyn ObjectStore>,
    /// The hidden directory, in the store.
    hidden: Path,
    /// The directory that contains it.
    parent: Path,
    /// The path or address of what the statement writes.
    destination: String,
    /// The hidden directory on disk, if the store is the file system.
    disk: Option<PathBuf>,
    /// The lock file of the directory on disk, which is locked as long as it is open.
    _lock: Option<File>,
}

impl Staging {
    /// The plan of one attempt, which writes into a staging directory, and that directory; `None` if the plan
    /// writes no files.
    ///
    /// # Errors
    /// If the destination of a statement is no valid address, or is in a store that this process does not know.
    pub(super) fn of(
        plan: &LogicalPlan,
        context: &TaskContext,
    ) -> Result<(LogicalPlan, Option<Self>)> {
        let mut staging = None;
        let plan = plan.clone().transform_down(|node| match node {
            LogicalPlan::Copy(copy) => {
                let url = ListingTableUrl::parse(&copy.output_url)?;
                if url.get_glob().is_some() {
                    return Ok(Transformed::no(LogicalPlan::Copy(copy)));
                }
                let (url, made) = Self::beside(&url, context)?;
                staging = Some(made);
                Ok(Transformed::yes(LogicalPlan::Copy(CopyTo {
                    output_url: url.as_str().to_owned(),
                    ..copy
                })))
            }
            LogicalPlan::Dml(insert) => match files(&insert)? {
                Some(table) => {
                    let table = table.as_ref() as &dyn Any;
                    let Some(table) = table.downcast_ref::<ListingTable>() else {
                        return Ok(Transformed::no(LogicalPlan::Dml(insert)));
                    };
                    let [url] = table.table_paths().as_slice() else {
                        return Ok(Transformed::no(LogicalPlan::Dml(insert)));
                    };
                    let (url, made) = Self::beside(url, context)?;
                    staging = Some(made);
                    let target = provider_as_source(Arc::new(at_address(table, url)?));
                    Ok(Transformed::yes(LogicalPlan::Dml(DmlStatement {
                        target,
                        ..insert
                    })))
                }
                None => Ok(Transformed::no(LogicalPlan::Dml(insert))),
            },
            other => Ok(Transformed::no(other)),
        })?;
        Ok((plan.data, staging))
    }

    /// Makes a new staging directory beside `url`, and returns the address of the destination's name inside it.
    fn beside(url: &ListingTableUrl, context: &TaskContext) -> Result<(ListingTableUrl, Self)> {
        let store = context.runtime_env().object_store(url)?;
        let mut address = url.get_url().clone();
        let destination = match address.to_file_path() {
            Ok(path) => path.display().to_string(),
            Err(()) => address.to_string(),
        };
        let path = address.path().to_owned();
        let (whole, slash) = match path.strip_suffix('/') {
            Some(whole) => (whole, "/"),
            None => (path.as_str(), ""),
        };
        let (parent, name) = whole.rsplit_once('/').unwrap_or(("", whole));
        let id = uuid::Uuid::new_v4().simple();
        let hidden = format!("{parent}/{HIDDEN}{id}{UNFINISHED}");
        address.set_path(&hidden);
        let disk = address.to_file_path().ok();
        let lock = disk.as_deref().and_then(make_shared);
        let staging = Self {
            store,
            hidden: Path::from_url_path(&hidden)?,
            parent: Path::from_url_path(parent)?,
            destination,
            disk,
            _lock: lock,
        };
        address.set_path(&format!("{hidden}/{name}{slash}"));
        Ok((ListingTableUrl::try_new(address, None)?, staging))
    }

    /// Moves the files of an attempt that wrote `rows` rows to their destination, in the order of their names.
    ///
    /// # Errors
    /// If this process does not see the files, or a file cannot be moved; the files before it have been moved then.
    pub(super) async fn commit(self, rows: u64) -> Result<()> {
        let files = self.files().await?;
        if files.is_empty() && rows > 0 {
            return exec_err!(
                "executors wrote {rows} rows into {}, where this process finds no file: the directory must be one that the client and all executors share",
                self.hidden
            );
        }
        for file in files {
            let Some(rest) = file.location.prefix_match(&self.hidden) else {
                return exec_err!("{} does not lie in {}", file.location, self.hidden);
            };
            let to = self.parent.parts().chain(rest).collect::<Path>();
            self.move_file(&file, &to, MAX_COPY_BYTES).await?;
        }
        Ok(())
    }

    /// Moves a file. In an object store, a file of more than `max_copy_bytes` is copied through this process.
    async fn move_file(&self, file: &ObjectMeta, to: &Path, max_copy_bytes: u64) -> Result<()> {
        if self.disk.is_some() || file.size <= max_copy_bytes {
            return Ok(self.store.rename(&file.location, to).await?);
        }
        let mut parts = self.store.get(&file.location).await?.into_stream();
        let mut writer = BufWriter::new(Arc::clone(&self.store), to.clone());
        while let Some(bytes) = parts.try_next().await? {
            writer.put(bytes).await?;
        }
        writer.shutdown().await?;
        Ok(self.store.delete(&file.location).await?)
    }

    /// Removes the files of a failed attempt.
    pub(super) async fn remove(self) {
        // If even this fails, the files stay hidden and are not read.
        for file in self.files().await.unwrap_or_default() {
            let _ = self.store.delete(&file.location).await;
        }
    }

    /// An error of the attempt, with the destination that the statement names in place of a path in the hidden
    /// directory.
    pub(super) fn named(&self, error: DataFusionError) -> DataFusionError {
        let text = error.message();
        let hidden = self.hidden.filename().unwrap_or_default();
        let cause = match (text.split_once(hidden), &error) {
            (Some((_, path)), _) => path.split_once(": ").map_or(path, |(_, cause)| cause),
            // An error of writing that says nothing of the file.
            (None, DataFusionError::IoError(_)) if !text.contains('/') => &*text,
            _ => return error,
        };
        let text = format!("{}: {cause}", self.destination);
        match error {
            DataFusionError::IoError(_) => std::io::Error::other(text).into(),
            _ => DataFusionError::Execution(text),
        }
    }

    /// The files of the attempt, sorted by name.
    async fn files(&self) -> Result<Vec<ObjectMeta>> {
        let lock = self.hidden.clone().join(LOCK);
        let files = self.store.list(Some(&self.hidden));
        let files = files.try_filter(|file| ready(file.location != lock));
        let mut files: Vec<_> = files.try_collect().await?;
        files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(files)
    }
}

impl Drop for Staging {
    /// Removes the directory on disk: the files of a cancelled query, or empty directories.
    fn drop(&mut self) {
        if let Some(disk) = &self.disk {
            // The directory does not exist if nothing was written.
            let _ = std::fs::remove_dir_all(disk);
        }
    }
}

/// Makes a directory with the write permissions of its parent, because the executors may run as another user than the
/// client, and locks it. Directories beside it whose clients were killed are removed.
fn make_shared(directory: &std::path::Path) -> Option<File> {
    let parent = directory.parent()?;
    let mark = mark();
    if let Some(mark) = &mark {
        sweep_named(parent, mark, |name| {
            let id = name.strip_prefix(HIDDEN)?.strip_suffix(UNFINISHED)?;
            uuid::Uuid::try_parse(id).ok()
        });
    }
    // Only where the parent is there: a query that fails leaves no directories behind. Where this fails, the
    // executors make the directory, or say why they cannot.
    std::fs::create_dir(directory).ok()?;
    if let Ok(parent) = parent.metadata() {
        let _ = std::fs::set_permissions(directory, parent.permissions());
    }
    // Without a lock, nobody sweeps the directory.
    locked(directory, &mark?).ok().flatten()
}

/// The contents of lock files: the identity of this machine since it was started. On shared storage, the lock of a
/// process on another machine may not be seen here, so that only directories of this machine are swept.
fn mark() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
}

/// The table that rows are inserted into.
fn files(statement: &DmlStatement) -> Result<Option<Arc<dyn TableProvider>>> {
    match statement.op {
        WriteOp::Insert(_) => source_as_provider(&statement.target).map(Some),
        _ => Ok(None),
    }
}

/// The table with its files at another address.
fn at_address(table: &ListingTable, url: ListingTableUrl) -> Result<ListingTable> {
    let options = table.options().clone();
    let folders = &options.table_partition_cols;
    let of_files = |name: &str| folders.iter().all(|(folder, _)| folder != name);
    let schema = table.schema();
    let columns = schema.fields().iter().enumerate();
    let columns = columns.filter(|(_, field)| of_files(field.name()));
    let columns: Vec<usize> = columns.map(|(index, _)| index).collect();
    let config = ListingTableConfig::new(url)
        .with_listing_options(options)
        .with_schema(Arc::new(schema.project(&columns)?));
    ListingTable::try_new(config)
}

#[cfg(test)]
mod tests {
    use super::{Staging, locked, make_shared, mark};
    use datafusion::common::exec_datafusion_err;
    use futures::TryStreamExt;
    use object_store::memory::InMemory;
    use object_store::path::Path;
    use object_store::{ObjectStore, ObjectStoreExt};
    use std::fs::File;
    use std::sync::Arc;

    fn staging(store: &Arc<dyn ObjectStore>) -> Staging {
        Staging {
            store: Arc::clone(store),
            hidden: Path::from("rows/.out.7.unfinished"),
            parent: Path::from("rows"),
            destination: "/rows/out".to_owned(),
            disk: None,
            _lock: None,
        }
    }

    /// Only directories of clients of this machine that no longer run are removed.
    #[test]
    fn what_a_killed_client_left_is_removed_by_the_next() {
        let parent = tempfile::tempdir().expect("a directory");
        let at = |number: usize| parent.path().join(format!(".{number:032x}.unfinished"));
        let alive = make_shared(&at(1)).expect("a lock");
        drop(make_shared(&at(2)).expect("a lock"));
        let elsewhere = locked_by(&at(3), "another machine");
        std::fs::create_dir(at(4)).expect("a directory without a lock");
        let named = parent.path().join(".x.unfinished");
        drop(locked_by(&named, &mark().expect("a mark")));
        drop(elsewhere);
        let next = make_shared(&at(5)).expect("a lock");
        let there = [1, 2, 3, 4, 5].map(|number| at(number).exists());
        assert_eq!(there, [true, false, true, true, true]);
        assert!(named.exists());
        drop((alive, next));
    }

    fn locked_by(directory: &std::path::Path, mark: &str) -> File {
        std::fs::create_dir(directory).expect("a directory");
        let lock = locked(directory, mark).expect("a lock file");
        lock.expect("a lock")
    }

    #[test]
    fn errors_name_the_destination() {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let staging = staging(&store);
        let named = |text: &str| {
            staging
                .named(std::io::Error::other(text).into())
                .to_string()
        };
        let hidden = named("/rows/.out.7.unfinished/out/a.csv#1: no space");
        assert_eq!(hidden, "IO error: /rows/out: no space");
        assert_eq!(named("no space"), "IO error: /rows/out: no space");
        assert_eq!(named("/in.csv: no file"), "IO error: /in.csv: no file");
        let error = staging.named(exec_datafusion_err!("divided by zero"));
        assert_eq!(error.to_string(), "Execution error: divided by zero");
    }

    async fn names(store: &Arc<dyn ObjectStore>) -> Vec<String> {
        let mut files: Vec<_> = store.list(None).try_collect().await.expect("a list");
        files.sort_by(|a, b| a.location.cmp(&b.location));
        files.iter().map(|file| file.location.to_string()).collect()
    }

    async fn store() -> Arc<dyn ObjectStore> {
        let store = InMemory::new();
        for (name, bytes) in [
            ("rows/.out.7.unfinished/out/a=1/b.csv", "one"),
            ("rows/.out.7.unfinished/out/c.csv", "two"),
            ("rows/.out.8.unfinished/out/d.csv", "of another attempt"),
            ("rows/out/c.csv", "before"),
        ] {
            let put = store.put(&Path::from(name), bytes.into()).await;
            put.expect("a file");
        }
        Arc::new(store)
    }

    #[tokio::test]
    async fn files_keep_their_places() {
        let store = store().await;
        staging(&store).commit(2).await.expect("files");
        let other = "rows/.out.8.unfinished/out/d.csv";
        assert_eq!(
            names(&store).await,
            [other, "rows/out/a=1/b.csv", "rows/out/c.csv"]
        );
        let file = store.get(&Path::from("rows/out/c.csv")).await;
        assert_eq!(file.expect("a file").bytes().await.expect("bytes"), "two");
    }

    #[tokio::test]
    async fn what_a_failed_attempt_wrote_is_removed() {
        let store = store().await;
        staging(&store).remove().await;
        assert_eq!(
            names(&store).await,
            ["rows/.out.8.unfinished/out/d.csv", "rows/out/c.csv"]
        );
    }

    #[tokio::test]
    async fn large_files_are_copied() {
        let store = store().await;
        let staging = staging(&store);
        let to = Path::from("rows/large.csv");
        for file in staging.files().await.expect("files") {
            staging.move_file(&file, &to, 0).await.expect("a file");
        }
        let file = store.get(&to).await.expect("a file");
        assert_eq!(file.bytes().await.expect("bytes"), "two");
        assert_eq!(names(&store).await.len(), 3);
    }

    #[tokio::test]
    async fn rows_without_files_are_an_error() {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        staging(&store).commit(0).await.expect("no rows");
        let error = staging(&store).commit(5).await.expect_err("rows");
        assert!(error.to_string().contains("5 rows"), "{error}");
    }
}
