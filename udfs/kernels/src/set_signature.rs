//! One hash of a set, as in I-Match (Chowdhury et al., TOIS 2002).

use xxhash_rust::xxh3::Xxh3Default;

/// The XXH3-64 hash of the sorted distinct members of a set, 8 little-endian bytes each; `None` for the empty set.
pub fn set_signature(set: &[u64]) -> Option<u64> {
    let mut hasher = Xxh3Default::new();
    for member in set {
        hasher.update(&member.to_le_bytes());
    }
    (!set.is_empty()).then(|| hasher.digest())
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::random_texts::RandomTexts;

    #[test]
    fn equals_the_hash_of_the_concatenation() {
        let mut texts = RandomTexts::new(31);
        assert_eq!(set_signature(&[]), None);
        for _ in 0..200 {
            let set = texts.set(200, 1_000);
            let bytes: Vec<u8> = set.iter().flat_map(|member| member.to_le_bytes()).collect();
            let expected = (!set.is_empty()).then(|| xxh3_64(&bytes));
            assert_eq!(set_signature(&set), expected);
        }
    }
}
