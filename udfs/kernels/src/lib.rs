//! kernels
mod bands;
mod hash_order;
mod minhash;
mod normalize;
mod shingle;
mod split_mix;
mod words;

#[cfg(test)]
mod random_texts;

pub use bands::{BandsError, Draws, bands_into, check_bands};
pub use minhash::{MAX_HASHES, MinHashError, MinHasher, SignatureValue, signature_similarity};
pub use normalize::normalize_into;
pub use shingle::{MAX_WINDOW, Shingle, ShingleError, ShingleScratch};
pub use split_mix::SplitMix64;
