//! Random projection: bit i of the signature of a vector gives the side of a random hyperplane on which the
//! vector lies.
//!
//! Bit i of u is 1 iff r_i · u ≥ 0, where r_i has independent standard normal entries (Charikar, STOC
//! 2002). Two vectors at an angle θ differ in each bit with probability θ/π. The entry of r_i at a
//! dimension or a term is drawn from a hash of (seed, dimension or term, i). Hence every process has the same
//! hyperplanes, a signature of fewer bits is a prefix of a longer one, and the terms of a vocabulary need no
//! numbers. Products are summed in f32 in the order of the dimensions, so that signatures have the same bits on
//! every machine.
//!
//! Bit i is bit `i % 8` of byte `i / 8`; bits beyond the last are 0.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::dot_products::{LANES, ROWS, products};
use crate::gaussian::Gaussians;

/// The maximal number of bits of a signature.
pub const MAX_BITS: usize = 4096;
/// Bytes of the cache of hyperplane entries of a projector of sparse vectors.
const KEPT_BYTES: usize = 32 << 20;

/// The number of bytes of a signature of `bits` bits.
#[must_use]
pub const fn signature_bytes(bits: usize) -> usize {
    bits.div_ceil(8)
}

/// A number of a vector: f32 or f64.
pub trait Coordinate: Copy + Send + Sync + 'static {
    /// The same number.
    fn to_f64(self) -> f64;
}

impl Coordinate for f32 {
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Coordinate for f64 {
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
}

/// The power of two that scales the largest number of a vector to a value between 1 and 2; 1 for a zero vector.
/// Scaling by it does not change signatures or cosines and prevents sums from overflow and underflow.
pub(crate) fn scale(largest: f64) -> f64 {
    if largest == 0.0 || !largest.is_finite() {
        return 1.0;
    }
    let exponent = (largest.to_bits() >> 52) & 0x7ff;
    // The exponent of the inverse, limited to those of normal numbers.
    f64::from_bits((2046 - exponent).clamp(1, 2045) << 52)
}

/// Hyperplanes for dense vectors of one length, as a matrix that each process computes.
#[derive(Debug)]
pub struct DenseProjector {
    bits: usize,
    dimensions: usize,
    /// Tiles of [`LANES`] bits: entry `tile * dimensions + dimension` has the lanes of a dimension.
    planes: Vec<[f32; LANES]>,
}

impl DenseProjector {
    /// Hyperplanes of `bits` bits for vectors of `dimensions` numbers: 4 bytes for each of bits times
    /// dimensions. `bits` is at most [`MAX_BITS`].
    #[must_use]
    pub fn new(bits: usize, seed: u64, dimensions: usize) -> Self {
        let mut planes = vec![[0.0; LANES]; bits.div_ceil(LANES) * dimensions];
        for dimension in 0..dimensions {
            let mut stream = Gaussians::new(seed, dimension as u64);
            for bit in 0..bits {
                planes[bit / LANES * dimensions + dimension][bit % LANES] = stream.next();
            }
        }
        Self {
            bits,
            dimensions,
            planes,
        }
    }

    /// The number of dimensions of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Writes the signature of each vector to `out`, one after the other. A zero vector has every bit
    /// set. Numbers beyond the dimensions are not read, missing ones count as 0.
    pub fn signatures_into<T: Coordinate>(&self, vectors: &[&[T]], out: &mut [u8]) {
        let bytes = signature_bytes(self.bits);
        // Transposed: the numbers of all rows at one dimension are adjacent.
        let mut scaled = vec![[0.0_f32; ROWS]; self.dimensions];
        for (vectors, out) in vectors.chunks(ROWS).zip(out.chunks_mut(ROWS * bytes)) {
            scaled.fill([0.0; ROWS]);
            for (row, vector) in vectors.iter().enumerate() {
                let largest = vector.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
                let scale = scale(largest);
                for (scaled, x) in scaled.iter_mut().zip(*vector) {
                    scaled[row] = (x.to_f64() * scale) as f32;
                }
            }
            for tile in 0..self.bits.div_ceil(LANES) {
                let planes = tile * self.dimensions..(tile + 1) * self.dimensions;
                let sums = products(&self.planes[planes], &scaled);
                let bits = (self.bits - tile * LANES).min(LANES);
                for (sums, out) in sums.iter().zip(out.chunks_mut(bytes)) {
                    pack(&sums[..bits], &mut out[tile * LANES / 8..]);
                }
            }
        }
    }
}

/// Hyperplanes for vectors of (term, weight).
#[derive(Debug)]
pub struct SparseProjector {
    bits: usize,
    seed: u64,
    sums: Vec<f32>,
    /// A cache of the hyperplane entries of terms, for all bits.
    kept: HashMap<u64, Box<[f32]>, BuildHasherDefault<KeyHasher>>,
}

impl SparseProjector {
    /// Hyperplanes of `bits` bits, at most [`MAX_BITS`].
    #[must_use]
    pub fn new(bits: usize, seed: u64) -> Self {
        Self {
            bits,
            seed,
            sums: vec![0.0; bits],
            kept: HashMap::default(),
        }
    }

    /// Writes the signature of a vector to `out`: (hash of the term, weight) in ascending order of the
    /// hash. A zero vector has every bit set.
    pub fn signature_into(&mut self, vector: &[(u64, f64)], out: &mut [u8]) {
        let Self {
            bits,
            seed,
            sums,
            kept,
        } = self;
        let largest = vector
            .iter()
            .map(|(_, weight)| weight.abs())
            .fold(0.0, f64::max);
        let scale = scale(largest);
        sums.fill(0.0);
        for &(term, weight) in vector {
            if kept.len() * *bits * size_of::<f32>() > KEPT_BYTES {
                kept.clear();
            }
            let plane = kept.entry(term).or_insert_with(|| {
                let mut stream = Gaussians::new(*seed, term);
                (0..*bits).map(|_| stream.next()).collect()
            });
            add_scaled(sums, plane, (weight * scale) as f32);
        }
        pack(sums, out);
    }
}

/// Packs the signs of the sums: a bit is 1 if its sum is not negative.
fn pack(sums: &[f32], out: &mut [u8]) {
    for (sums, out) in sums.chunks(8).zip(out) {
        *out = sums
            .iter()
            .enumerate()
            .fold(0, |byte, (bit, &sum)| byte | u8::from(sum >= 0.0) << bit);
    }
}

/// `sums += weight · plane`.
fn add_scaled(sums: &mut [f32], plane: &[f32], weight: f32) {
    for (sum, entry) in sums.iter_mut().zip(plane) {
        *sum += weight * entry;
    }
}

/// The hash of a key, which is a hash already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::hamming_distance;
    use crate::split_mix::SplitMix64;

    /// The definition, a bit at a time.
    fn naive(vector: &[(u64, f64)], bits: usize, seed: u64) -> Vec<u8> {
        let largest = vector.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
        let scale = scale(largest);
        let mut out = vec![0; signature_bytes(bits)];
        for bit in 0..bits {
            let mut sum = 0.0_f32;
            for &(key, x) in vector {
                let mut stream = Gaussians::new(seed, key);
                let entry = (0..=bit).map(|_| stream.next()).last().expect("one");
                sum += (x * scale) as f32 * entry;
            }
            out[bit / 8] |= u8::from(sum >= 0.0) << (bit % 8);
        }
        out
    }

    fn random_vector(random: &mut SplitMix64, dimensions: usize) -> Vec<f64> {
        (0..dimensions)
            .map(|_| random.below(2_000_001) as f64 / 1e6 - 1.0)
            .collect()
    }

    #[test]
    fn dense_and_sparse_signatures_are_the_definition() {
        let mut random = SplitMix64::new(5);
        for (bits, dimensions, count) in [
            (1, 1, 1),
            (64, 3, 9),
            (100, 17, 20),
            (129, 40, 8),
            (300, 0, 3),
        ] {
            let vectors: Vec<Vec<f64>> = (0..count)
                .map(|_| random_vector(&mut random, dimensions))
                .collect();
            let projector = DenseProjector::new(bits, 11, dimensions);
            let bytes = signature_bytes(bits);
            let mut out = vec![0xff; bytes * count];
            let slices: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
            projector.signatures_into(&slices, &mut out);
            let mut sparse = SparseProjector::new(bits, 11);
            for (vector, dense) in vectors.iter().zip(out.chunks(bytes)) {
                let entries: Vec<(u64, f64)> = (0..).zip(vector.iter().copied()).collect();
                assert_eq!(
                    dense,
                    naive(&entries, bits, 11),
                    "{bits} bits of {dimensions}"
                );
                let mut signature = vec![0xff; bytes];
                sparse.signature_into(&entries, &mut signature);
                assert_eq!(signature, dense);
            }
        }
    }

    #[test]
    fn fewer_bits_are_the_beginning_of_more() {
        let vector: Vec<f32> = (0..50).map(|i| (i as f32 * 0.7).sin()).collect();
        let of = |bits| {
            let mut out = vec![0; signature_bytes(bits)];
            DenseProjector::new(bits, 1, 50).signatures_into(&[&vector[..]], &mut out);
            out
        };
        assert_eq!(of(1000)[..8], of(64)[..]);
        assert_ne!(of(64), [0; 8]);
    }

    #[test]
    fn neither_size_nor_precision_change_a_signature() {
        let vector: Vec<f64> = (0..30)
            .map(|i| f64::from((f64::from(i) * 0.7).sin() as f32))
            .collect();
        let of = |vector: &[f64]| {
            let mut out = vec![0; 16];
            DenseProjector::new(128, 1, 30).signatures_into(&[vector], &mut out);
            out
        };
        let narrow: Vec<f32> = vector.iter().map(|&x| x as f32).collect();
        let mut out = vec![0; 16];
        DenseProjector::new(128, 1, 30).signatures_into(&[&narrow[..]], &mut out);
        assert_eq!(of(&vector), out);
        for power in [-900, -100, 3, 100, 900] {
            let scaled: Vec<f64> = vector.iter().map(|x| x * 2.0_f64.powi(power)).collect();
            assert_eq!(of(&scaled), out, "2^{power}");
        }
        assert_eq!(of(&[0.0; 30]), [0xff; 16], "the zero vector");
    }

    /// The share of differing bits is the angle over π.
    #[test]
    fn bits_differ_by_the_angle() {
        let bits = 4096;
        for dimensions in [2, 3, 100] {
            let projector = DenseProjector::new(bits, 3, dimensions);
            let mut random = SplitMix64::new(9);
            let mut error = 0.0;
            let pairs = 40;
            for _ in 0..pairs {
                let a = random_vector(&mut random, dimensions);
                let noise = random_vector(&mut random, dimensions);
                let b: Vec<f64> = a.iter().zip(&noise).map(|(a, n)| a + n).collect();
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let cosine = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
                let mut out = vec![0; 2 * 512];
                projector.signatures_into(&[&a[..], &b[..]], &mut out);
                let distance = hamming_distance(&out[..512], &out[512..]);
                let share = f64::from(distance) / bits as f64;
                error += share - cosine.acos() / std::f64::consts::PI;
            }
            assert!(
                (error / f64::from(pairs)).abs() < 0.005,
                "{dimensions}: {error}"
            );
        }
    }
}
