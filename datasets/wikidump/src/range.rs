//! Splits a dump into ranges that can be read independently.

use std::ops::Range;
use std::sync::Arc;

use crate::bzip2::Candidates;
use crate::container::Container;
use crate::error::DumpError;
use crate::source::ReadAt;

/// Files up to this size in bytes are split at the starts of their blocks.
const EXACT_BYTES: u64 = 32 << 20;

/// Whether parts of such a file can be read independently.
#[must_use]
pub fn splittable(container: Container) -> bool {
    matches!(container, Container::Plain | Container::Bzip2)
}

/// Splits a file into at most `target` ranges of about the same size, which together cover it.
///
/// There are fewer ranges if the file has fewer parts: a gzip file has one, a bz2 file one for each block. Small bz2
/// files are split at their blocks, so that no range is empty; large ones are split evenly, which the reader accepts
/// as well. A `target` of 0 counts as 1.
///
/// # Errors
///
/// If the file is not a dump, or the storage fails.
pub fn suggest_ranges(
    source: &Arc<dyn ReadAt>,
    target: usize,
) -> Result<Vec<Range<u64>>, DumpError> {
    let container = Container::detect(&**source)?;
    let length = source.len();
    let target = u64::try_from(target).unwrap_or(u64::MAX).clamp(1, length);
    if target == 1 || !splittable(container) {
        return Ok(std::iter::once(0..length).collect());
    }
    let mut cuts: Vec<u64> = (1..target)
        .map(|part| (u128::from(length) * u128::from(part) / u128::from(target)) as u64)
        .collect();
    if container == Container::Bzip2 && length <= EXACT_BYTES {
        let blocks = block_bytes(source)?;
        // The block start nearest to an even cut, and never the first block.
        for cut in &mut cuts {
            let after = blocks.partition_point(|block| block < cut);
            let nearest = [after.checked_sub(1), Some(after)]
                .into_iter()
                .flatten()
                .filter(|&at| at > 0)
                .filter_map(|at| blocks.get(at))
                .min_by_key(|block| block.abs_diff(*cut));
            *cut = nearest.copied().unwrap_or(0);
        }
        cuts.dedup();
        cuts.retain(|&cut| cut > 0);
    }
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([length]);
    Ok(starts.zip(ends).map(|(start, end)| start..end).collect())
}

/// The bytes in which block magic numbers start. An accidental magic number among them does no harm.
fn block_bytes(source: &Arc<dyn ReadAt>) -> Result<Vec<u64>, DumpError> {
    let mut candidates = Candidates::new(Arc::clone(source), 0);
    let mut bytes = Vec::new();
    while let Some(bit) = candidates.next_before(u64::MAX)? {
        bytes.push(bit / 8);
    }
    bytes.dedup();
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(file: &[u8], target: usize) -> Vec<Range<u64>> {
        let source: Arc<dyn ReadAt> = Arc::new(file.to_vec());
        suggest_ranges(&source, target).unwrap()
    }

    fn assert_covers(ranges: &[Range<u64>], length: usize) {
        assert_eq!(ranges[0].start, 0);
        assert_eq!(ranges[ranges.len() - 1].end, length as u64);
        for pair in ranges.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
        }
        assert!(ranges.iter().all(|range| !range.is_empty()));
    }

    #[test]
    fn ranges_cover_the_file() {
        let plain = b"<mediawiki>".repeat(100);
        for target in [0, 1, 2, 7, 1100, 5000] {
            let got = ranges(&plain, target);
            assert_covers(&got, plain.len());
            assert_eq!(got.len(), target.clamp(1, 1100));
        }
        let gzip = ranges(b"\x1F\x8B\x08aaaaaaaaa", 4);
        assert_eq!((gzip.len(), &gzip[0]), (1, &(0..12)));
    }

    #[test]
    fn small_bz2_files_are_cut_at_blocks() {
        let text: Vec<u8> = (0..600_000u32)
            .map(|i| (i.wrapping_mul(i) >> 7) as u8)
            .collect();
        let file = crate::bzip2::tests::compress(&text, 1);
        for target in 1..12 {
            let got = ranges(&file, target);
            assert_covers(&got, file.len());
            assert_eq!(got.len(), target.min(6), "{got:?}");
        }
        assert_eq!(
            ranges(&crate::bzip2::tests::compress(b"<page>", 9), 3).len(),
            1
        );
    }
}
