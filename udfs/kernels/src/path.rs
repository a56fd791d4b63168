//! Shortest paths between the elements of a component.

/// The elements of a path with the fewest edges from one element to another, both included; `None` if no path connects
/// them. Of several such paths it is always the same one for edges in the same order. The ends of edges, `from` and `to`
/// must be less than `len`.
///
/// A breadth-first search: linear in the number of elements and edges.
///
/// ```
/// let edges = [(0, 1), (1, 2), (2, 3), (1, 3)];
/// assert_eq!(neardup_kernels::shortest_path(5, &edges, 0, 3), Some(vec![0, 1, 3]));
/// assert_eq!(neardup_kernels::shortest_path(5, &edges, 0, 4), None);
/// ```
pub fn shortest_path(len: u32, edges: &[(u32, u32)], from: u32, to: u32) -> Option<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let len = len as usize;
    // The neighbours of element i are at starts[i]..starts[i + 1].
    let mut starts = vec![0_usize; len + 1];
    for &(a, b) in edges {
        starts[a as usize + 1] += 1;
        starts[b as usize + 1] += 1;
    }
    for at in 0..len {
        starts[at + 1] += starts[at];
    }
    let mut neighbours = vec![0_u32; 2 * edges.len()];
    let mut free = starts.clone();
    for &(a, b) in edges {
        for (own, other) in [(a, b), (b, a)] {
            neighbours[free[own as usize]] = other;
            free[own as usize] += 1;
        }
    }
    // Searched from the end, so that the predecessors lead from the beginning to the end.
    let mut next = vec![UNSEEN; len];
    next[to as usize] = to;
    let mut queue = vec![to];
    let mut first = 0;
    while next[from as usize] == UNSEEN {
        let node = *queue.get(first)? as usize;
        first += 1;
        for &neighbour in &neighbours[starts[node]..starts[node + 1]] {
            if next[neighbour as usize] == UNSEEN {
                next[neighbour as usize] = node as u32;
                queue.push(neighbour);
            }
        }
    }
    let mut path = vec![from];
    let mut node = from;
    while node != to {
        node = next[node as usize];
        path.push(node);
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    /// Lengths of shortest paths by repeated relaxation (Floyd, "Algorithm 97", 1962).
    fn distances(len: usize, edges: &[(u32, u32)]) -> Vec<Vec<usize>> {
        let mut distances = vec![vec![usize::MAX / 2; len]; len];
        for (node, row) in distances.iter_mut().enumerate() {
            row[node] = 0;
        }
        for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
            distances[a as usize][b as usize] = 1;
            distances[b as usize][a as usize] = 1;
        }
        for via in 0..len {
            for a in 0..len {
                for b in 0..len {
                    let length = distances[a][via] + distances[via][b];
                    distances[a][b] = distances[a][b].min(length);
                }
            }
        }
        distances
    }

    #[test]
    fn paths_are_shortest_and_consist_of_edges() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let len = 1 + random.below(12);
            let edges: Vec<(u32, u32)> = (0..random.below(16))
                .map(|_| (random.below(len), random.below(len)))
                .collect();
            let wanted = distances(len as usize, &edges);
            for from in 0..len {
                for to in 0..len {
                    let length = wanted[from as usize][to as usize];
                    match shortest_path(len, &edges, from, to) {
                        None => assert!(length > len as usize, "{edges:?} {from} {to}"),
                        Some(path) => {
                            assert_eq!(path.len() - 1, length, "{edges:?} {path:?}");
                            assert_eq!((path[0], path[path.len() - 1]), (from, to));
                            for step in path.windows(2) {
                                let is = |(a, b): &(u32, u32)| {
                                    (*a, *b) == (step[0], step[1]) || (*b, *a) == (step[0], step[1])
                                };
                                assert!(edges.iter().any(is), "{edges:?} {path:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
