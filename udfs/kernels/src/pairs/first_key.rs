//! Decides which part a pair belongs to: the one that owns the first key the two rows share, of some or of all keys.

/// A hash table of the keys of the probe row.
#[derive(Debug, Default)]
pub(super) struct ProbeKeys {
    /// (Key, row) with open addressing; an entry is occupied if its row is the probe row.
    table: Vec<(u64, u32)>,
    /// The probe row.
    row: Option<u32>,
}

impl ProbeKeys {
    /// Whether the probe row `row`, whose keys are `keys`, holds one of the `earlier` keys of a candidate:
    /// those before the key at which it became a candidate.
    pub(super) fn share_any(&mut self, row: u32, keys: &[u64], earlier: &[u64]) -> bool {
        let earlier = earlier.iter().copied();
        self.first_shared(row, keys, earlier).is_some()
    }

    /// The first of some keys of a candidate that the probe row `row`, whose keys are `keys`, holds.
    pub(super) fn first_shared(
        &mut self,
        row: u32,
        keys: &[u64],
        mut others: impl Iterator<Item = u64>,
    ) -> Option<u64> {
        if self.row != Some(row) {
            self.fill(row, keys);
        }
        others.find(|&key| {
            let at = self.find(row, key);
            self.table[at].1 == row
        })
    }

    fn fill(&mut self, row: u32, keys: &[u64]) {
        let wanted = (keys.len() * 2).next_power_of_two().max(16);
        if self.table.len() < wanted {
            self.table.clear();
            // `u32::MAX` means "no row".
            self.table.resize(wanted, (0, u32::MAX));
        }
        for &key in keys {
            let at = self.find(row, key);
            self.table[at] = (key, row);
        }
        self.row = Some(row);
    }

    /// The entry of a key, or the free entry where it would be.
    fn find(&self, row: u32, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        while self.table[at].1 == row && self.table[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    #[test]
    fn agrees_with_a_scan() {
        let mut random = Random::new(1);
        let mut probe = ProbeKeys::default();
        for row in 0..500 {
            let mut keys = |bound: u32| -> Vec<u64> {
                let len = random.below(bound);
                (0..len)
                    .map(|_| u64::from(random.below(200)) << 30)
                    .collect()
            };
            let (own, other) = (keys(1 + row), keys(20));
            let expected = other.iter().any(|key| own.contains(key));
            assert_eq!(probe.share_any(row, &own, &other), expected);
            assert_eq!(probe.share_any(row, &own, &other), expected);
        }
    }
}
