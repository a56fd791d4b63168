//! The hash of short texts and numbers in hash maps.

use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Hash maps whose order does not depend on a random seed.
pub(crate) type TextHasherBuilder = BuildHasherDefault<TextHasher>;

/// XXH3-64 of a key that is written at once. `Xxh3Default` has a buffer for streams, whose preparation takes longer
/// than the hash of a word.
#[derive(Debug, Default)]
pub(crate) struct TextHasher(u64);

impl Hasher for TextHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    /// The byte after a text separates the texts of a tuple; keys are single texts.
    fn write_u8(&mut self, _: u8) {}
}
