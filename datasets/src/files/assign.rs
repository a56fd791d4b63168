//! Assigns files to partitions.

use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::FileGroup;

/// Assigns whole files to partitions, largest first, each to the partition with the fewest bytes so far (the LPT rule
/// of multiprocessor scheduling).
pub(crate) fn assign(mut files: Vec<PartitionedFile>, partitions: usize) -> Vec<FileGroup> {
    files.sort_by_key(|file| std::cmp::Reverse(file.object_meta.size));
    let count = partitions.clamp(1, files.len().max(1));
    let mut groups = vec![(0_u64, Vec::new()); count];
    for file in files {
        if let Some((bytes, group)) = groups.iter_mut().min_by_key(|(bytes, _)| *bytes) {
            *bytes += file.object_meta.size.max(1);
            group.push(file);
        }
    }
    groups
        .into_iter()
        .map(|(_, group)| FileGroup::new(group))
        .collect()
}
