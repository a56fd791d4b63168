//! What `COPY` and `INSERT` write on a cluster waits in a hidden directory until the client puts it in place.
//!
//! A task goes on after its query was cancelled, and a query that is sent again may have two tasks that write.
//! Each attempt therefore has a directory of its own, beside the place that the statement names, and only the
//! client moves files out of it, once the attempt has ended well.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, exec_err};
use datafusion::datasource::listing::{ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::{TableProvider, provider_as_source, source_as_provider};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{DmlStatement, LogicalPlan, WriteOp};
use futures::TryStreamExt;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

/// Stores copy larger objects only in parts.
const COPIED_BYTES: u64 = 4 << 30;

/// The hidden directory of an attempt.
#[derive(Debug)]
pub(super) struct Staging {
    store: Arc<dyn ObjectStore>,
    /// The hidden directory, in the store.
    hidden: Path,
    /// The directory that it lies in.
    parent: Path,
    /// The hidden directory, where the store is the file system.
    disk: Option<PathBuf>,
}

impl Staging {
    /// The plan of one attempt, which writes into a hidden directory; none where the plan writes no files.
    ///
    /// # Errors
    /// If the place that a statement names is no address, or of a store that this process does not know.
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
                    let target = provider_as_source(Arc::new(elsewhere(table, url)?));
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

    /// A new hidden directory beside an address, and the address in it.
    fn beside(url: &ListingTableUrl, context: &TaskContext) -> Result<(ListingTableUrl, Self)> {
        let store = context.runtime_env().object_store(url)?;
        let mut address = url.get_url().clone();
        let path = address.path().to_owned();
        let (whole, slash) = match path.strip_suffix('/') {
            Some(whole) => (whole, "/"),
            None => (path.as_str(), ""),
        };
        let (parent, name) = whole.rsplit_once('/').unwrap_or(("", whole));
        let id = uuid::Uuid::new_v4().simple();
        let hidden = format!("{parent}/.{name}.{id}.unfinished");
        let staging = Self {
            store,
            hidden: Path::from_url_path(&hidden)?,
            parent: Path::from_url_path(parent)?,
            disk: {
                address.set_path(&hidden);
                address.to_file_path().ok()
            },
        };
        address.set_path(&format!("{hidden}/{name}{slash}"));
        Ok((ListingTableUrl::try_new(address, None)?, staging))
    }

    /// Moves the files of an attempt that wrote so many rows to their places, in the order of their names.
    ///
    /// # Errors
    /// If this process does not see them, or a file cannot be moved; those before it are in place then.
    pub(super) async fn put_in_place(self, rows: u64) -> Result<()> {
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
            self.moved(&file, &to, COPIED_BYTES).await?;
        }
        Ok(())
    }

    /// Moves a file; one that is larger than so many bytes is copied through this process, but for one on disk.
    async fn moved(&self, file: &ObjectMeta, to: &Path, copied: u64) -> Result<()> {
        if self.disk.is_some() || file.size <= copied {
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

    /// Removes what an attempt that failed has written.
    pub(super) async fn removed(self) {
        // Nobody reads what stays where even this fails.
        for file in self.files().await.unwrap_or_default() {
            let _ = self.store.delete(&file.location).await;
        }
    }

    /// The files of the attempt, by name.
    async fn files(&self) -> Result<Vec<ObjectMeta>> {
        let mut files: Vec<_> = self.store.list(Some(&self.hidden)).try_collect().await?;
        files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(files)
    }
}

impl Drop for Staging {
    /// What a cancelled query has written to disk goes with it, and so do directories without files.
    fn drop(&mut self) {
        if let Some(disk) = &self.disk {
            // It is not there where nothing was written.
            let _ = std::fs::remove_dir_all(disk);
        }
    }
}

/// The table that rows are inserted into.
fn files(statement: &DmlStatement) -> Result<Option<Arc<dyn TableProvider>>> {
    match statement.op {
        WriteOp::Insert(_) => source_as_provider(&statement.target).map(Some),
        _ => Ok(None),
    }
}

/// A table whose files lie elsewhere.
fn elsewhere(table: &ListingTable, url: ListingTableUrl) -> Result<ListingTable> {
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
    use super::Staging;
    use futures::TryStreamExt;
    use object_store::memory::InMemory;
    use object_store::path::Path;
    use object_store::{ObjectStore, ObjectStoreExt};
    use std::sync::Arc;

    fn staging(store: &Arc<dyn ObjectStore>) -> Staging {
        Staging {
            store: Arc::clone(store),
            hidden: Path::from("rows/.out.7.unfinished"),
            parent: Path::from("rows"),
            disk: None,
        }
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
        staging(&store).put_in_place(2).await.expect("files");
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
        staging(&store).removed().await;
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
            staging.moved(&file, &to, 0).await.expect("a file");
        }
        let file = store.get(&to).await.expect("a file");
        assert_eq!(file.bytes().await.expect("bytes"), "two");
        assert_eq!(names(&store).await.len(), 3);
    }

    #[tokio::test]
    async fn rows_without_files_are_an_error() {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        staging(&store).put_in_place(0).await.expect("no rows");
        let error = staging(&store).put_in_place(5).await.expect_err("rows");
        assert!(error.to_string().contains("5 rows"), "{error}");
    }
}
