//! Union-find over dense indices, with a spanning forest as its compact state.
//!
//! The larger root is linked to the smaller one, so that a root is always the smallest index of its component,
//! whatever the order of the unions. Path halving (Tarjan, van Leeuwen, "Worst-case analysis of set union
//! algorithms", JACM 1984) gives an amortised logarithmic length of paths. There is no recursion.

/// Disjoint sets over the indices `0..len`.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    /// `parent[i] <= i`; a root is its own parent.
    parent: Vec<u32>,
}

impl Forest {
    /// `len` sets of one element each.
    #[must_use]
    pub fn new(len: u32) -> Self {
        Self {
            parent: (0..len).collect(),
        }
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.parent.capacity() * size_of::<u32>()
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Adds sets of one element until there are `len`, with little capacity beyond them.
    pub fn grow(&mut self, len: u32) {
        let before = self.parent.len() as u32;
        if len as usize > self.parent.capacity() {
            let missing = (len - before) as usize;
            self.parent
                .reserve_exact(missing.max(self.parent.len() / 8));
        }
        self.parent.extend(before..len);
    }

    /// Adds a set of one element and returns its index.
    pub fn push(&mut self) -> u32 {
        let index = self.parent.len() as u32;
        self.parent.push(index);
        index
    }

    /// The smallest element of the set that holds `node`, which must be an element.
    #[inline]
    pub fn find(&mut self, node: u32) -> u32 {
        let mut node = node as usize;
        loop {
            let parent = self.parent[node] as usize;
            if parent == node {
                return node as u32;
            }
            let grandparent = self.parent[parent];
            self.parent[node] = grandparent;
            node = grandparent as usize;
        }
    }

    /// Unites the sets of two elements; false if they were in the same set already.
    #[inline]
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
        low != high
    }

    /// The smallest element of the set of each element.
    #[must_use]
    pub fn into_roots(mut self) -> Vec<u32> {
        // A parent is before its children, so that its own root is known already.
        for node in 0..self.parent.len() {
            self.parent[node] = self.parent[self.parent[node] as usize];
        }
        self.parent
    }

    /// A spanning forest: one edge `(node, root)` for every element that is not the smallest of its set. Uniting
    /// the ends of these edges, which are fewer than the elements, gives the same sets.
    pub fn spanning_edges(&mut self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.parent.len() as u32).filter_map(|node| {
            let root = self.find(node);
            (root != node).then_some((node, root))
        })
    }
}

/// Reduces pairs (later, earlier) over the elements `0..len` to the minimum spanning forest in their ascending order:
/// keeps a pair if the pairs before it do not connect its elements (Kruskal, "On the shortest spanning subtree of a
/// graph", 1956). The forest of a union of pairs is the forest of the union of their forests.
pub fn retain_spanning(pairs: &mut Vec<(u32, u32)>, len: u32) {
    pairs.sort_unstable();
    let mut forest = Forest::new(len);
    pairs.retain(|&(later, earlier)| forest.union(later, earlier));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oracle: labels relaxed until nothing changes.
    pub(crate) fn naive_components(len: usize, edges: &[(u32, u32)]) -> Vec<u32> {
        let mut label: Vec<u32> = (0..len as u32).collect();
        loop {
            let mut changed = false;
            for &(a, b) in edges {
                let low = label[a as usize].min(label[b as usize]);
                for node in [a, b] {
                    changed |= label[node as usize] != low;
                    label[node as usize] = low;
                }
            }
            if !changed {
                return label;
            }
        }
    }

    fn roots(forest: &mut Forest) -> Vec<u32> {
        (0..forest.len() as u32).map(|i| forest.find(i)).collect()
    }

    fn random_edges(seed: u64, len: u32, count: usize) -> Vec<(u32, u32)> {
        let mut random = crate::test_random::Random::new(seed);
        (0..count)
            .map(|_| (random.below(len), random.below(len)))
            .collect()
    }

    #[test]
    fn agrees_with_relaxed_labels_in_any_order() {
        for seed in 0..50 {
            let len = 1 + (seed as u32 * 7) % 60;
            let mut edges = random_edges(seed, len, seed as usize);
            let expected = naive_components(len as usize, &edges);
            for _ in 0..2 {
                let mut forest = Forest::new(len);
                for &(a, b) in &edges {
                    forest.union(a, b);
                }
                assert_eq!(forest.clone().into_roots(), expected);
                assert_eq!(roots(&mut forest), expected);
                edges.reverse();
            }
        }
    }

    #[test]
    fn spanning_edges_keep_the_sets_and_are_few() {
        for seed in 0..30 {
            let edges = random_edges(seed, 40, 50);
            let mut forest = Forest::new(40);
            for &(a, b) in &edges {
                forest.union(a, b);
            }
            let spanning: Vec<_> = forest.spanning_edges().collect();
            assert!(spanning.len() < 40);
            let mut again = Forest::new(40);
            for &(a, b) in &spanning {
                assert!(again.union(a, b), "a spanning edge is never redundant");
            }
            assert_eq!(roots(&mut again), roots(&mut forest));
        }
    }

    #[test]
    fn the_spanning_forest_is_the_same_for_any_division_of_the_pairs() {
        for seed in 0..50 {
            let mut edges = random_edges(seed, 40, 4 * seed as usize);
            let mut whole = edges.clone();
            retain_spanning(&mut whole, 40);
            // The oracle: a pair stays if the labels of all pairs before it differ at its ends.
            edges.sort_unstable();
            let naive: Vec<(u32, u32)> = (0..edges.len())
                .filter(|&at| {
                    let label = naive_components(40, &edges[..at]);
                    label[edges[at].0 as usize] != label[edges[at].1 as usize]
                })
                .map(|at| edges[at])
                .collect();
            assert_eq!(whole, naive);
            let mut merged = Vec::new();
            for mut part in edges.chunks(7).map(<[_]>::to_vec) {
                retain_spanning(&mut part, 40);
                merged.extend(part);
            }
            merged.reverse();
            retain_spanning(&mut merged, 40);
            assert_eq!(merged, whole);
        }
    }

    #[test]
    fn a_long_chain_is_linear() {
        let len = 1_000_000;
        for descending in [false, true] {
            let mut forest = Forest::new(len);
            for i in 1..len {
                let i = if descending { len - i } else { i };
                assert!(forest.union(i, i - 1));
            }
            assert!((0..len).all(|i| forest.find(i) == 0));
        }
    }

    #[test]
    fn grows() {
        let mut forest = Forest::default();
        assert!(forest.is_empty());
        let mut large = Forest::default();
        for len in 1..100_000 {
            large.grow(len);
        }
        large.grow(5);
        assert_eq!((large.len(), large.find(99_998)), (99_999, 99_998));
        assert!(large.memory() < 99_999 * 5);
        let (a, b) = (forest.push(), forest.push());
        assert!(forest.union(b, a));
        assert!(!forest.union(a, b));
        assert_eq!((forest.len(), forest.find(1)), (2, 0));
    }
}
