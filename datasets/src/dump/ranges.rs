//! Plans a scan: reads the headers, refuses files of two wikis, and divides the work.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::FileGroup;
use futures::{StreamExt, TryStreamExt};
use neardup_wikidump::{
    DumpError, DumpInfo, OnError, ReadAt, SiteInfo, splittable, suggest_ranges,
};
use tokio::runtime::Handle;

use crate::files::StoredFile;

/// The header of each file, keyed by its path in the store.
pub(super) type Sites = BTreeMap<String, Arc<SiteInfo>>;

/// Size in bytes above which ranges are made smaller than a partition's share, so that a partition that finishes
/// early can take over ranges of others.
const MIN_RANGE_BYTES: u64 = 16 << 20;

/// Largest size of a range in bytes, which bounds what a failed task has to read again.
const MAX_RANGE_BYTES: u64 = 64 << 20;

/// Number of files whose headers are read at the same time.
const CONCURRENT_FILES: usize = 8;

/// The assignment of ranges to partitions.
pub(super) struct Plan {
    pub(super) sites: Sites,
    pub(super) groups: Vec<FileGroup>,
}

/// Divides the files over at most `partitions` partitions.
pub(super) async fn plan(
    files: Vec<StoredFile>,
    partitions: usize,
    on_error: OnError,
) -> Result<Plan> {
    let total = files.iter().map(|file| file.meta.size).sum();
    let piece = piece_bytes(total, partitions);
    let inspected: Vec<(StoredFile, Inspected)> = futures::stream::iter(files)
        .map(|file| async move {
            let handle = Handle::current();
            let inspect = move || {
                let inspected = inspect(&file, piece, on_error, &handle)
                    .map_err(|error| failure(&file, error))?;
                Ok::<_, DataFusionError>((file, inspected))
            };
            tokio::task::spawn_blocking(inspect)
                .await
                .map_err(|error| DataFusionError::External(Box::new(error)))?
        })
        .buffered(CONCURRENT_FILES)
        .try_collect()
        .await?;
    one_wiki(&inspected)?;

    let mut sites = Sites::new();
    let mut parts = Vec::new();
    for (file, Inspected { site, ranges }) in inspected {
        sites.insert(file.meta.location.to_string(), Arc::new(site));
        for range in ranges {
            let part = PartitionedFile::new_from_meta(file.meta.clone());
            parts.push(part.with_range(range.start as i64, range.end as i64));
        }
    }
    Ok(Plan {
        sites,
        groups: group(parts, partitions),
    })
}

/// Opens a file; read-ahead does not go past byte `until`.
pub(super) fn open(
    file: &StoredFile,
    until: u64,
    handle: &Handle,
) -> Result<Arc<dyn ReadAt>, DumpError> {
    file.open(until, handle)
        .map_err(|source| DumpError::Io { offset: 0, source })
}

/// An error that names the file. It is formatted as text, because a cluster returns only the text of a task's error.
pub(super) fn failure(file: &StoredFile, error: DumpError) -> DataFusionError {
    DataFusionError::Execution(error.with_file(&file.name).to_string())
}

struct Inspected {
    site: SiteInfo,
    ranges: Vec<Range<u64>>,
}

fn inspect(
    file: &StoredFile,
    piece: u64,
    on_error: OnError,
    handle: &Handle,
) -> Result<Inspected, DumpError> {
    let source = open(file, 0, handle)?;
    let info = DumpInfo::read(&source, on_error)?;
    let length = source.len();
    let count = usize::try_from(length.div_ceil(piece)).unwrap_or(usize::MAX);
    let ranges = if file.is_local() {
        suggest_ranges(&source, count)?
    } else if splittable(info.container) {
        // Searching for blocks would fetch the whole file; the reader accepts any split.
        even(length, count)
    } else {
        even(length, 1)
    };
    Ok(Inspected {
        site: info.site,
        ranges,
    })
}

fn even(length: u64, count: usize) -> Vec<Range<u64>> {
    let count = (count as u64).clamp(1, length.max(1));
    let cut = |part: u64| (u128::from(length) * u128::from(part) / u128::from(count)) as u64;
    (0..count).map(|part| cut(part)..cut(part + 1)).collect()
}

/// The target size of a range in bytes.
fn piece_bytes(total: u64, partitions: usize) -> u64 {
    let share = total.div_ceil(partitions.max(1) as u64).max(1);
    if share <= MIN_RANGE_BYTES {
        share
    } else {
        (share / 4).clamp(MIN_RANGE_BYTES, MAX_RANGE_BYTES)
    }
}

/// Refuses files of different wikis, because page ids are unique within one wiki only.
fn one_wiki(files: &[(StoredFile, Inspected)]) -> Result<()> {
    let mut named = files
        .iter()
        .filter_map(|(file, inspected)| Some((&file.name, inspected.site.wiki()?)));
    let Some((first, wiki)) = named.next() else {
        return Ok(());
    };
    match named.find(|(_, other)| *other != wiki) {
        None => Ok(()),
        Some((file, other)) => plan_err!(
            "{first} is a dump of {wiki} and {file} one of {other}: one table must hold one wiki, \
             because page ids of different wikis are the same numbers"
        ),
    }
}

/// Assigns ranges to groups in the order of the files, so that groups have about the same size.
fn group(parts: Vec<PartitionedFile>, partitions: usize) -> Vec<FileGroup> {
    let size = |part: &PartitionedFile| u128::from(part.effective_size()).max(1);
    let total: u128 = parts.iter().map(size).sum();
    let count = partitions.clamp(1, parts.len().max(1));
    let mut groups = vec![Vec::new(); count];
    let mut before = 0;
    for part in parts {
        let bytes = size(&part);
        let middle = (before + bytes / 2) * count as u128 / total;
        before += bytes;
        groups[usize::try_from(middle).map_or(0, |place| place.min(count - 1))].push(part);
    }
    groups.retain(|group| !group.is_empty());
    groups.into_iter().map(FileGroup::new).collect()
}
