//! The layout of clusters: which slot of the corpus belongs to which planted cluster.
//!
//! Slots are laid out by cluster size, so the layout is a short table of runs (one a size) and a
//! slot's cluster follows by division. Of `n` slots
//!
//! - three large clusters of 3, 2 and 1 percent, each at most [`LARGEST`];
//! - further clusters up to [`PLANTED_PERCENT`] percent in all, whose sizes follow
//!   P(s) ~ s^-2.625 for s ≥ 2: about 77 percent have two or three members;
//! - the rest, the background, is in no cluster.
//!
//! The counts are the expected values, whose fractions are carried over to larger sizes. The exponent is one that
//! square roots can compute: unlike powers, these are exact on every machine.

/// The largest cluster.
const LARGEST: u64 = 5_000;
/// Percentage of rows in clusters.
const PLANTED_PERCENT: u64 = 30;
/// The shares of the large clusters, in percent of all rows.
const LARGE_PERCENT: [u64; 3] = [3, 2, 1];

/// Clusters of one size that follow each other.
#[derive(Debug, Clone, Copy)]
struct Run {
    first_slot: u64,
    first_cluster: u64,
    size: u64,
}

/// The position of a slot: its cluster, or the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Membership {
    pub(super) cluster: u64,
    pub(super) member: u32,
}

/// The clusters of a corpus.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    runs: Vec<Run>,
    planted: u64,
    clusters: u64,
    large_clusters: u64,
}

impl Layout {
    pub(super) fn new(rows: u64) -> Self {
        let mut layout = Self {
            runs: Vec::new(),
            planted: 0,
            clusters: 0,
            large_clusters: 0,
        };
        let wanted = share(rows, PLANTED_PERCENT);
        for percent in LARGE_PERCENT {
            let size = share(rows, percent).min(LARGEST);
            if size >= 2 {
                layout.push(size, 1);
            }
        }
        layout.large_clusters = layout.clusters;

        let rest = wanted.saturating_sub(layout.planted);
        let slots: f64 = (2..=LARGEST).map(|size| size as f64 * weight(size)).sum();
        let scale = rest as f64 / slots;
        let mut carried = 0.0;
        for size in 2..=LARGEST {
            carried += scale * weight(size);
            let room = wanted.saturating_sub(layout.planted) / size;
            let count = (carried as u64).min(room);
            if count > 0 {
                carried -= count as f64;
                layout.push(size, count);
            }
        }
        layout.push(2, wanted.saturating_sub(layout.planted) / 2);
        layout
    }

    fn push(&mut self, size: u64, count: u64) {
        if count > 0 {
            let run = Run {
                first_slot: self.planted,
                first_cluster: self.clusters,
                size,
            };
            self.runs.push(run);
            self.planted += size * count;
            self.clusters += count;
        }
    }

    /// The cluster of a slot; `None` for the background.
    #[inline]
    pub(super) fn membership(&self, slot: u64) -> Option<Membership> {
        if slot >= self.planted {
            return None;
        }
        let run = self.runs[self.runs.partition_point(|run| run.first_slot <= slot) - 1];
        let offset = slot - run.first_slot;
        let (cluster, member) = (run.first_cluster + offset / run.size, offset % run.size);
        Some(Membership {
            cluster,
            member: member as u32,
        })
    }

    /// The number of clusters, of which the large ones come first.
    pub(super) fn clusters(&self) -> u64 {
        self.clusters
    }

    /// The number of large clusters.
    pub(super) fn large_clusters(&self) -> u64 {
        self.large_clusters
    }
}

fn share(rows: u64, percent: u64) -> u64 {
    (u128::from(rows) * u128::from(percent) / 100) as u64
}

/// s^-2.625.
fn weight(size: u64) -> f64 {
    let size = size as f64;
    let eighth = size.sqrt().sqrt().sqrt();
    1.0 / (size * size * size.sqrt() * eighth)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn sizes(rows: u64) -> BTreeMap<u64, u64> {
        let layout = Layout::new(rows);
        let mut members = BTreeMap::<u64, u64>::new();
        for slot in 0..rows {
            if let Some(membership) = layout.membership(slot) {
                let size = members.entry(membership.cluster).or_default();
                assert_eq!(
                    u64::from(membership.member),
                    *size,
                    "members are numbered from 0"
                );
                *size += 1;
            }
        }
        assert_eq!(members.len() as u64, layout.clusters());
        assert!(members.keys().copied().eq(0..layout.clusters()));
        members
    }

    #[test]
    fn sizes_have_a_long_tail() {
        let members = sizes(200_000);
        let planted: u64 = members.values().sum();
        assert!((59_990..=60_000).contains(&planted), "{planted}");
        assert_eq!(
            [members[&0], members[&1], members[&2]],
            [5_000, 4_000, 2_000]
        );
        let small = members.values().filter(|&&size| size <= 3).count();
        let share = small as f64 / members.len() as f64;
        assert!((0.72..0.82).contains(&share), "{share}");
        let tail = members
            .iter()
            .filter(|&(&cluster, &size)| cluster > 2 && size > 50)
            .count();
        assert!(
            tail > 20,
            "{tail} clusters of more than 50 beside the large ones"
        );
    }

    #[test]
    fn small_corpora_have_clusters_that_fit() {
        for rows in 0..300 {
            let members = sizes(rows);
            let planted: u64 = members.values().sum();
            assert!(
                planted <= rows * 3 / 10 && planted + 2 > rows * 3 / 10,
                "{rows}: {planted}"
            );
            assert!(members.values().all(|&size| size >= 2));
        }
    }

    #[test]
    fn hundred_million_rows_are_a_small_table() {
        let layout = Layout::new(100_000_000);
        assert!(layout.runs.len() < 5_010);
        assert!(layout.runs.iter().skip(3).any(|run| run.size > 1_000));
        assert_eq!(layout.membership(99_999_999), None);
    }
}
