//! Estimates the size of the rows that a plan reads from files.
//!
//! For Parquet the sizes come from the footers, which are read for planning anyway. Uncompressed text files are
//! sampled at three offsets. Compressed text files are not estimated.

mod footer;

use super::MAX_BATCH_BYTES;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::{CsvSource, FileScanConfig, JsonSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::SessionState;
use datafusion::object_store::{ObjectStore, ObjectStoreExt};
use datafusion::physical_plan::ExecutionPlan;
use footer::of_parquet;
use neardup_datasets::{NumberedParquetSource, RecordSource};
use std::collections::HashSet;
use std::sync::Arc;

/// A scan of more files is estimated from this many of its largest files.
const MAX_FILES: usize = 16;
/// File name extensions of compressed files.
const COMPRESSED: [&str; 5] = ["gz", "zst", "bz2", "xz", "lz4"];
/// Bytes that are read for each of the [`SAMPLES`] samples of a text file; [`MAX_BATCH_BYTES`] if no line ends in these.
const SAMPLE_BYTES: u64 = 64 << 10;
const SAMPLES: u64 = 3;

/// The size of what a plan reads.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Bytes of all files and tables in memory.
    pub(super) bytes: u64,
    /// For each sampled file, its largest rows.
    pub(super) rows: Vec<Rows>,
}

/// Size and number of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Rows {
    /// Average bytes of a row.
    pub(super) bytes: u64,
    /// Estimated number of rows of the whole scan.
    pub(super) count: u64,
}

/// Estimates the size of what a plan reads. Files that cannot be read are skipped: the scan reports a better error.
pub(super) async fn inputs(plan: &Arc<dyn ExecutionPlan>, state: &SessionState) -> Result<Inputs> {
    let mut scans: Vec<Arc<dyn ExecutionPlan>> = Vec::new();
    plan.apply(|node| {
        if node.children().is_empty() {
            scans.push(Arc::clone(node));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut found = Inputs::default();
    let mut seen = HashSet::new();
    for scan in scans {
        let Some(source) = scan.downcast_ref::<DataSourceExec>() else {
            continue;
        };
        if let Some(files) = source.data_source().downcast_ref::<FileScanConfig>() {
            let bytes = |file: &PartitionedFile| match &file.range {
                Some(range) => u64::try_from(range.end - range.start).unwrap_or(0),
                None => file.object_meta.size,
            };
            let all = || files.file_groups.iter().flat_map(|group| group.iter());
            found.bytes = all().map(bytes).fold(found.bytes, u64::saturating_add);
            let mut largest: Vec<&PartitionedFile> = all().collect();
            largest.sort_by_key(|file| std::cmp::Reverse(file.object_meta.size));
            largest.dedup_by_key(|file| file.object_meta.location.clone());
            let Ok(store) = state.runtime_env().object_store(&files.object_store_url) else {
                continue;
            };
            let projection = files.file_source().projection();
            let columns = projection.map(|projection| projection.column_indices());
            let (files_of_scan, first) = (largest.len() as u64, found.rows.len());
            for file in largest.into_iter().take(MAX_FILES) {
                let key = (file.object_meta.location.clone(), columns.clone());
                if seen.insert(key)
                    && let Ok(Some(rows)) =
                        rows(files, file, &store, state, columns.as_deref()).await
                {
                    found.rows.push(rows);
                }
            }
            // A batch may hold rows of several files.
            let sampled = &mut found.rows[first..];
            let total: u64 = sampled.iter().map(|rows| rows.count).sum();
            let total = total.saturating_mul(files_of_scan) / (sampled.len() as u64).max(1);
            for rows in sampled {
                rows.count = total;
            }
        } else if let Some(table) = source.data_source().downcast_ref::<MemorySourceConfig>() {
            for batch in table.partitions().iter().flatten() {
                found.bytes = found
                    .bytes
                    .saturating_add(batch.get_array_memory_size() as u64);
            }
        }
    }
    Ok(found)
}

async fn rows(
    scan: &FileScanConfig,
    file: &PartitionedFile,
    store: &Arc<dyn ObjectStore>,
    state: &SessionState,
    columns: Option<&[usize]>,
) -> Result<Option<Rows>> {
    let source = scan.file_source().as_ref();
    if source.is::<ParquetSource>() || source.is::<NumberedParquetSource>() {
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        let metadata = DFParquetMetadata::new(store.as_ref(), &file.object_meta)
            .with_file_metadata_cache(Some(cache))
            .fetch_metadata()
            .await?;
        let location = &file.object_meta.location;
        return of_parquet(&metadata, scan.file_schema(), columns, location, store).await;
    }
    let is_text =
        source.is::<RecordSource>() || source.is::<CsvSource>() || source.is::<JsonSource>();
    let ending = file.object_meta.location.extension().unwrap_or_default();
    let is_compressed = scan.file_compression_type != FileCompressionType::UNCOMPRESSED
        || COMPRESSED.contains(&ending.to_lowercase().as_str());
    if is_text && !is_compressed {
        return of_text(file, store).await.map(Some);
    }
    Ok(None)
}

/// The lines of the sample with the longest lines.
async fn of_text(file: &PartitionedFile, store: &Arc<dyn ObjectStore>) -> Result<Rows> {
    let size = file.object_meta.size;
    let mut longest = 0;
    for sample in 0..SAMPLES {
        let start = size / SAMPLES * sample;
        let location = &file.object_meta.location;
        let (mut end, mut of_rows) = (start, None);
        // Few lines of a file may be long: then the sample is of the bytes that a batch may have.
        for length in [SAMPLE_BYTES, MAX_BATCH_BYTES as u64] {
            if end == size {
                break;
            }
            end = start.saturating_add(length).min(size);
            let bytes = store
                .get_range(location, start..end)
                .await
                .map_err(DataFusionError::from)?;
            of_rows = of_lines(&bytes);
            if of_rows.is_some() {
                break;
            }
        }
        longest = longest.max(of_rows.unwrap_or(end - start));
    }
    Ok(Rows {
        bytes: longest,
        count: size.checked_div(longest).unwrap_or(0),
    })
}

/// Average bytes of a line, or of an object if a JSON array of objects is written on one line; `None` if none ends here.
fn of_lines(bytes: &[u8]) -> Option<u64> {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    let objects = || bytes.windows(2).filter(|pair| *pair == b"},").count();
    let rows = if lines > 0 { lines } else { objects() };
    (bytes.len() as u64).checked_div(rows as u64)
}

#[cfg(test)]
mod tests {
    use super::{of_lines, of_text};
    use datafusion::common::Result;
    use datafusion::datasource::listing::PartitionedFile;
    use datafusion::object_store::memory::InMemory;
    use datafusion::object_store::path::Path;
    use datafusion::object_store::{ObjectStore, ObjectStoreExt};
    use std::sync::Arc;

    /// Batches had as many rows as if all lines were as long, and there were so many of them that a query took minutes.
    #[tokio::test]
    async fn a_few_long_lines() -> Result<()> {
        let short = format!("{}\n", "s".repeat(1_000)).repeat(100);
        let long = format!("{}\n", "l".repeat(400_000));
        let text = [&*short, &long, &short, &long, &short].concat();
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let size = text.len() as u64;
        store.put(&Path::from("lines.txt"), text.into()).await?;
        let rows = of_text(&PartitionedFile::new("lines.txt", size), &store).await?;
        assert!((1_000..8_000).contains(&rows.bytes), "{rows:?}");
        Ok(())
    }

    #[test]
    fn lines_and_objects() {
        assert_eq!(of_lines(b"{\"a\":1}\n{\"a\":2}\n"), Some(8));
        assert_eq!(of_lines(b"[{\"a\":1},{\"a\":2}]"), Some(17));
        assert_eq!(of_lines(b"[{\"a\":1},{\"a\":2},{"), Some(9));
        assert_eq!(of_lines(&[b'x'; 1000]), None);
    }
}
