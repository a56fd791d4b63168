//! Decides which near-duplicate rows are kept, and which kept row represents each of the others.
//!
//! Nodes are the rows in *keep order*: node 0 is kept first. Edges are similar pairs, in any order and
//! direction, possibly repeated.
//!
//! - [`representatives`]: in keep order, a node with an edge to a node that is already kept is
//!   removed, every other node is kept (the lexicographically first maximal independent set). The
//!   representative of a removed node is its most similar kept neighbour, before or after it in keep order;
//!   among equally similar ones the first in keep order.
//! - [`components`]: the smallest node of a connected component represents all its nodes.

use crate::forest::Forest;

/// A similar pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// One node.
    pub a: u32,
    /// The other node. An edge from a node to itself is ignored.
    pub b: u32,
    /// Their similarity; NaN if unknown, which ranks below every number.
    pub similarity: f64,
}

/// The representative of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Representative {
    /// The representative; the node itself if it is kept.
    pub node: u32,
    /// The similarity of the node to its representative; NaN if the node is kept, or if unknown.
    pub similarity: f64,
}

/// The representative of each of the nodes `0..nodes`. Time and memory are linear in nodes and
/// edges. An edge to a node outside of `0..nodes` is ignored.
#[must_use]
pub fn representatives(nodes: u32, edges: &[Edge]) -> Vec<Representative> {
    let count = nodes as usize;
    let inside = |e: &&Edge| e.a != e.b && e.a < nodes && e.b < nodes;

    // The earlier neighbours of each node, as ranges of one array.
    let mut starts = vec![0usize; count + 1];
    for edge in edges.iter().filter(inside) {
        starts[edge.a.max(edge.b) as usize + 1] += 1;
    }
    for node in 0..count {
        starts[node + 1] += starts[node];
    }
    let mut earlier = vec![0u32; starts[count]];
    let mut next = starts.clone();
    for edge in edges.iter().filter(inside) {
        let slot = &mut next[edge.a.max(edge.b) as usize];
        earlier[*slot] = edge.a.min(edge.b);
        *slot += 1;
    }

    let mut kept = vec![true; count];
    for node in 0..count {
        let neighbours = &earlier[starts[node]..starts[node + 1]];
        kept[node] = !neighbours.iter().any(|&n| kept[n as usize]);
    }

    let mut result: Vec<Representative> = (0..nodes)
        .map(|node| Representative {
            node,
            similarity: f64::NAN,
        })
        .collect();
    for edge in edges.iter().filter(inside) {
        for (node, neighbour) in [(edge.a, edge.b), (edge.b, edge.a)] {
            if !kept[node as usize] && kept[neighbour as usize] {
                let offer = Representative {
                    node: neighbour,
                    similarity: edge.similarity,
                };
                let best = &mut result[node as usize];
                if best.node == node || better(&offer, best) {
                    *best = offer;
                }
            }
        }
    }
    result
}

/// Whether `offer` ranks before `best`: it is more similar, or equally similar and earlier in keep order.
fn better(offer: &Representative, best: &Representative) -> bool {
    let known = (!offer.similarity.is_nan(), !best.similarity.is_nan());
    match known {
        (true, false) => true,
        (false, true) => false,
        (false, false) => offer.node < best.node,
        (true, true) => {
            offer.similarity > best.similarity
                || (offer.similarity == best.similarity && offer.node < best.node)
        }
    }
}

/// The smallest node of the connected component of each of the nodes `0..nodes`. An edge to a node outside of
/// `0..nodes` is ignored.
#[must_use]
pub fn components(nodes: u32, edges: &[Edge]) -> Vec<u32> {
    let mut forest = Forest::new(nodes);
    for edge in edges {
        if edge.a < nodes && edge.b < nodes {
            forest.union(edge.a, edge.b);
        }
    }
    (0..nodes).map(|node| forest.find(node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    /// The definition, in quadratic time.
    fn naive(nodes: u32, edges: &[Edge]) -> Vec<(u32, Option<f64>)> {
        let between = |x: u32, y: u32| {
            edges
                .iter()
                .filter(|e| (e.a, e.b) == (x, y) || (e.b, e.a) == (x, y))
                .map(|e| {
                    if e.similarity.is_nan() {
                        -1.0
                    } else {
                        e.similarity
                    }
                })
                .max_by(f64::total_cmp)
        };
        let mut kept: Vec<u32> = Vec::new();
        for node in 0..nodes {
            if !kept.iter().any(|&k| between(node, k).is_some()) {
                kept.push(node);
            }
        }
        (0..nodes)
            .map(|node| {
                if kept.contains(&node) {
                    return (node, None);
                }
                let mut best: Option<(u32, f64)> = None;
                for &k in &kept {
                    if let Some(s) = between(node, k)
                        && best.is_none_or(|(_, b)| s > b)
                    {
                        best = Some((k, s));
                    }
                }
                let (k, s) = best.expect("a removed node has a kept neighbour");
                (k, (s >= 0.0).then_some(s))
            })
            .collect()
    }

    fn random_edges(random: &mut Random, nodes: u32, count: u32) -> Vec<Edge> {
        (0..count)
            .map(|_| Edge {
                a: random.below(nodes),
                b: random.below(nodes),
                similarity: match random.below(6) {
                    0 => f64::NAN,
                    n => f64::from(n) / 5.0,
                },
            })
            .collect()
    }

    #[test]
    fn agrees_with_the_definition() {
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let nodes = 1 + random.below(30);
            let count = random.below(80);
            let edges: Vec<_> = random_edges(&mut random, nodes, count)
                .into_iter()
                .filter(|e| e.a != e.b)
                .collect();
            let got: Vec<_> = representatives(nodes, &edges)
                .iter()
                .map(|r| (r.node, (!r.similarity.is_nan()).then_some(r.similarity)))
                .collect();
            assert_eq!(got, naive(nodes, &edges), "seed {seed}");
        }
    }

    #[test]
    fn the_order_of_edges_does_not_matter() {
        let mut random = Random::new(7);
        let mut edges = random_edges(&mut random, 50, 200);
        let expected = format!("{:?}", representatives(50, &edges));
        for _ in 0..10 {
            random.shuffle(&mut edges);
            for edge in &mut edges {
                std::mem::swap(&mut edge.a, &mut edge.b);
            }
            assert_eq!(format!("{:?}", representatives(50, &edges)), expected);
        }
    }

    #[test]
    fn a_chain_keeps_every_other_node() {
        let nodes = 100_000;
        let edges: Vec<_> = (1..nodes)
            .map(|i| Edge {
                a: i,
                b: i - 1,
                similarity: f64::from(i),
            })
            .collect();
        let found = representatives(nodes, &edges);
        for (i, r) in found.iter().enumerate() {
            let i = i as u32;
            // An odd node lies between two kept ones and is more similar to the later.
            let expected = match i % 2 {
                0 => i,
                _ if i + 1 < nodes => i + 1,
                _ => i - 1,
            };
            assert_eq!(r.node, expected);
        }
        assert!(components(nodes, &edges).iter().all(|&c| c == 0));
    }

    #[test]
    fn edges_that_say_nothing() {
        let edges = [
            Edge {
                a: 1,
                b: 1,
                similarity: 1.0,
            },
            Edge {
                a: 0,
                b: 9,
                similarity: 1.0,
            },
        ];
        let found = representatives(3, &edges);
        assert!(
            found
                .iter()
                .enumerate()
                .all(|(i, r)| r.node == i as u32 && r.similarity.is_nan())
        );
        assert_eq!(components(3, &edges), [0, 1, 2]);
        assert!(representatives(0, &edges).is_empty());
    }
}
