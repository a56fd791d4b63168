//! Keys that only rows of one group share.

use crate::split_mix::SplitMix64;
use xxhash_rust::xxh3::xxh3_64;

/// Appends keys that rows of this group share if and only if they shared `keys`, and that rows of other groups do not
/// share, up to collisions of 64-bit hashes. Their number and their order stay as they are, so that prefixes of sets
/// remain prefixes. The empty group leaves keys as they are.
pub fn group_keys_into(keys: &[u64], group: &str, out: &mut Vec<u64>) {
    if group.is_empty() {
        out.extend_from_slice(keys);
        return;
    }
    let group = xxh3_64(group.as_bytes());
    out.extend(keys.iter().map(|key| SplitMix64::new(key ^ group).next()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn rows_share_keys_in_their_group_only() {
        let keys: Vec<u64> = (0..1_000).chain([u64::MAX, 1 << 63]).collect();
        let mut owners = BTreeMap::new();
        for group in ["", "a", "b", "ab", "1", "\u{0}"] {
            let mut out = Vec::new();
            group_keys_into(&keys, group, &mut out);
            assert_eq!(out.len(), keys.len());
            for (key, out) in keys.iter().zip(&out) {
                assert_eq!(owners.insert(*out, (group, *key)), None);
            }
            let mut again = vec![7];
            group_keys_into(&keys[3..], group, &mut again);
            assert_eq!(again[1..], out[3..]);
        }
    }
}
