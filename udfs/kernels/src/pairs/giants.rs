//! Giants of a comparison of all rows: rows that resemble one another in such numbers that their pairs
//! would be as many as the square of them.
//!
//! A sample of the rows is compared with all. Where one of them resembles more rows than the limit, the
//! first of these becomes a *leader*, and what resembles a leader is its member; what is left of them
//! gets another leader, and so on. Leaders are paired with all that resembles them, members of one
//! leader, or of leaders that members connect, not with each other: the components are the same.

use super::compare;
use super::input::{Bits, PairInput, Payload};
use super::spec::{LEADERS, Spec, Verify};
use super::strips::{Comparison, Hit, LANES, transposed, words_until_far};
use crate::forest::Forest;
use crate::split_mix::SplitMix64;

/// Rows of the sample that a giant of as many rows as the limit holds on average; it is missed with
/// a probability of about e to the power of minus that.
const SAMPLES: u64 = 16;

/// Which pairs are not reported. The default is none.
#[derive(Debug, Default)]
pub(super) struct Giants {
    /// For each row the leader that stands for it, [`NONE`] outside of giants; empty without giants.
    leaders: Vec<u32>,
    is_leader: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl Giants {
    /// Looks for giants among `rows`, in ascending order, any two of which may pair.
    pub(super) fn find(input: &PairInput<'_>, spec: &Spec, rows: &[u32], limit: usize) -> Self {
        if rows.len() <= limit {
            return Self::default();
        }
        let (Verify::Hamming(most) | Verify::Cosine(most)) = spec.verify else {
            return Self::default();
        };
        let mut neighbours = Neighbours::new(input, spec, rows, most);
        let share = (u64::MAX / limit.max(1) as u64).saturating_mul(SAMPLES);
        let sample = rows
            .iter()
            .filter(|&&row| SplitMix64::new(u64::from(row)).next() <= share);
        let mut giants = Self::default();
        let mut connected = Forest::default();
        for &row in sample {
            let is_free = |giants: &Self, row: u32| {
                giants
                    .leaders
                    .get(row as usize)
                    .is_none_or(|&leader| leader == NONE)
            };
            if !is_free(&giants, row) {
                continue;
            }
            let mut near = neighbours.of(row);
            near.retain(|&other| is_free(&giants, other));
            if near.len() <= limit {
                continue;
            }
            if giants.leaders.is_empty() {
                giants.leaders = vec![NONE; input.keys.rows()];
                giants.is_leader = vec![false; input.keys.rows()];
                connected = Forest::new(input.keys.rows() as u32);
            }
            for _ in 0..LEADERS {
                if near.len() <= limit {
                    break;
                }
                let leader = near[0];
                giants.is_leader[leader as usize] = true;
                for other in neighbours.of(leader) {
                    match &mut giants.leaders[other as usize] {
                        of_other if *of_other == NONE => *of_other = leader,
                        of_other => {
                            connected.union(*of_other, leader);
                        }
                    }
                }
                near.retain(|&other| is_free(&giants, other));
            }
        }
        for leader in giants.leaders.iter_mut().filter(|leader| **leader != NONE) {
            *leader = connected.find(*leader);
        }
        giants
    }

    /// Whether leaders connect two rows, so that they are not reported.
    #[inline]
    pub(super) fn connect(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        match (self.leaders.get(a), self.leaders.get(b)) {
            (Some(&of_a), Some(&of_b)) => {
                of_a != NONE && of_a == of_b && !self.is_leader[a] && !self.is_leader[b]
            }
            _ => false,
        }
    }

    /// How many leaders there are.
    pub(super) fn count(&self) -> u64 {
        self.is_leader.iter().filter(|&&leads| leads).count() as u64
    }

    /// Rows of giants.
    pub(super) fn rows(&self) -> u64 {
        self.leaders
            .iter()
            .filter(|&&leader| leader != NONE)
            .count() as u64
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.leaders.len() * (size_of::<u32>() + size_of::<bool>())
    }
}

/// Finds the rows that a row resembles.
struct Neighbours<'a> {
    input: &'a PairInput<'a>,
    rows: &'a [u32],
    threshold: f64,
    most: u32,
    /// Signatures, and the same in strips, if there are any.
    bits: Option<(Bits<'a>, Vec<u64>)>,
    hits: Vec<Hit>,
}

impl<'a> Neighbours<'a> {
    fn new(input: &'a PairInput<'a>, spec: &Spec, rows: &'a [u32], most: u32) -> Self {
        let bits = match input.payload {
            Payload::Bits(bits)
            | Payload::Vectors {
                bits: Some(bits), ..
            } => Some(bits),
            _ => None,
        };
        let strips = |bits: &Bits<'a>| {
            transposed(rows, bits.width, |row| {
                bits.row(row as usize).iter().copied()
            })
        };
        Self {
            input,
            rows,
            threshold: spec.threshold,
            most,
            bits: bits.map(|bits| (bits, strips(&bits))),
            hits: Vec::new(),
        }
    }

    /// The rows that a row resembles, in order; itself among them, unless it resembles none.
    fn of(&mut self, row: u32) -> Vec<u32> {
        let payload = &self.input.payload;
        let Some((bits, strips)) = &self.bits else {
            let resembles = |other: &u32| {
                let (a, b) = (row as usize, *other as usize);
                compare::compared(self.most, self.threshold, payload, a, b).is_some()
            };
            return self.rows.iter().copied().filter(resembles).collect();
        };
        self.hits.clear();
        for (strip, lanes) in strips.chunks(bits.width * LANES).enumerate() {
            let comparison = Comparison {
                lanes,
                rows: bits.row(row as usize),
                width: bits.width,
                first: words_until_far(bits.width, self.most),
                left: 0,
                right: strip * LANES,
                most: self.most,
            };
            comparison.run(&mut self.hits);
        }
        let others = self.hits.iter().filter_map(|hit| {
            let other = *self.rows.get(hit.right as usize)?;
            let (a, b) = (row as usize, other as usize);
            compare::of_distance(self.threshold, payload, a, b, hit.distance)?;
            Some(other)
        });
        others.collect()
    }
}
