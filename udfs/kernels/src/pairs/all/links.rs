//! Additional pairs of linked mode, which connect the components that the reported pairs leave separate.
//!
//! The pairs are ordered by row, then by predecessor. Of all similar pairs in this order, those that connect two
//! components of the pairs before them form the minimum spanning forest, which is unique because no two pairs are
//! equal ([`crate::forest::retain_spanning`]). The forest of all pairs is a part of the union of the forests of any
//! division of the pairs. Therefore each worker reports the forest of the pairs that it finds.

use crate::forest::Forest;

/// A similar pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) row: u32,
    pub(super) predecessor: u32,
    pub(super) similarity: f64,
    /// Whether it is among the first similar predecessors of the row.
    pub(super) is_first: bool,
}

/// The spanning forest of the pairs that a worker finds.
#[derive(Debug, Clone)]
pub(super) struct Links {
    /// The rows that pairs of finished blocks connect (union-find).
    connected: Forest,
    /// Pairs of the current block of rows, at most [`Self::max_len`].
    links: Vec<Link>,
    /// The last row, and the component of the last predecessor that was added for it.
    last: Option<(u32, u32)>,
}

impl Links {
    pub(super) fn new(rows: u32) -> Self {
        Self {
            connected: Forest::new(rows),
            links: Vec::new(),
            last: None,
        }
    }

    /// The maximal number of pairs held; as many again are dropped each time at less cost than they took to verify.
    const fn max_len(rows: usize) -> usize {
        2 * rows + 1
    }

    /// An upper bound of the bytes held for a number of rows: pairs and two forests.
    pub(super) const fn memory_for(rows: usize) -> usize {
        Self::max_len(rows) * size_of::<Link>() + 2 * rows * size_of::<u32>()
    }

    /// Adds a pair of the current block. The predecessors of a row must be added in ascending order, and its row must
    /// be larger than the rows of all finished blocks.
    pub(super) fn add(&mut self, link: Link) {
        // The pair of the row with an earlier predecessor of the same component makes this one redundant.
        let last = Some((link.row, self.connected.find(link.predecessor)));
        if last == self.last {
            return;
        }
        self.last = last;
        let max_len = Self::max_len(self.connected.len());
        if self.links.len() == max_len {
            let mut connected = self.connected.clone();
            retain_spanning(&mut self.links, &mut connected);
        }
        if self.links.len() == self.links.capacity() {
            let more = self.links.capacity().max(64);
            let free = max_len - self.links.len();
            self.links.reserve_exact(more.min(free));
        }
        self.links.push(link);
    }

    /// Ends a block of rows: the pairs of the forest that are not first ones.
    pub(super) fn finish_block(&mut self) -> Vec<Link> {
        self.last = None;
        retain_spanning(&mut self.links, &mut self.connected);
        let mut found = std::mem::take(&mut self.links);
        found.retain(|link| !link.is_first);
        found
    }
}

/// Keeps the pairs, in order, that connect two components of `connected` and of the pairs before them.
fn retain_spanning(links: &mut Vec<Link>, connected: &mut Forest) {
    links.sort_unstable_by_key(|link| (link.row, link.predecessor));
    links.retain(|link| connected.union(link.row, link.predecessor));
}
