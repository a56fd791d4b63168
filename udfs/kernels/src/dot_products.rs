//! Dot products of [`ROWS`] vectors with a transposed tile of [`LANES`] others, in vector registers: the
//! inner loop of random projection and of the comparison of all vectors.
//!
//! Each product is rounded before it is added, and products are added in the order of the components, so
//! that the sums have the same bits on every machine. One source is compiled three times, for the vector
//! units that an x86-64 may have ([`crate::vector_units`]). On a Xeon with AVX-512 a multiplication and
//! addition takes 0.05 ns with `avx512f`, 0.07 ns with `avx2`, 0.2 ns without. (Written as one loop over all
//! [`ROWS`] vectors, the compiler spills the sums, and it takes 1 ns with `avx512f`.)
//! The benchmarks `dot_products_of_tiles` and `random_projection` measure them.

use crate::vector_units::Implementations;
#[cfg(target_arch = "x86_64")]
use crate::vector_units::VectorUnit;

/// Vectors of a tile, which lie side by side.
pub(crate) const LANES: usize = 16;
/// Vectors that are multiplied with a tile at a time.
pub(crate) const ROWS: usize = 8;
/// Vectors whose sums are kept in registers at a time.
const FEW: usize = 4;

/// For each row r and lane l, the sum of `rows[i][r] * tile[i][l]` over the components i that both have.
pub(crate) fn products(tile: &[[f32; LANES]], rows: &[[f32; ROWS]]) -> [[f32; LANES]; ROWS] {
    // SAFETY: the machine has the features that the selected function is compiled for.
    unsafe { IMPLEMENTATIONS.selected()(tile, rows) }
}

/// The machine must have the features that the function is compiled for.
type Products = unsafe fn(&[[f32; LANES]], &[[f32; ROWS]]) -> [[f32; LANES]; ROWS];

static IMPLEMENTATIONS: Implementations<Products> = Implementations {
    for_units: &[
        #[cfg(target_arch = "x86_64")]
        (VectorUnit::Avx512F, with_avx512),
        #[cfg(target_arch = "x86_64")]
        (VectorUnit::Avx2, with_avx2),
    ],
    portable,
};

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512(tile: &[[f32; LANES]], rows: &[[f32; ROWS]]) -> [[f32; LANES]; ROWS] {
    in_order(tile, rows)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(tile: &[[f32; LANES]], rows: &[[f32; ROWS]]) -> [[f32; LANES]; ROWS] {
    in_order(tile, rows)
}

fn portable(tile: &[[f32; LANES]], rows: &[[f32; ROWS]]) -> [[f32; LANES]; ROWS] {
    in_order(tile, rows)
}

#[inline(always)]
fn in_order(tile: &[[f32; LANES]], rows: &[[f32; ROWS]]) -> [[f32; LANES]; ROWS] {
    let mut out = [[0.0; LANES]; ROWS];
    for (few, out) in out.as_chunks_mut::<FEW>().0.iter_mut().enumerate() {
        let [mut a, mut b, mut c, mut d] = [[0.0_f32; LANES]; FEW];
        for (lanes, numbers) in tile.iter().zip(rows) {
            let numbers = &numbers.as_chunks::<FEW>().0[few];
            for lane in 0..LANES {
                a[lane] += numbers[0] * lanes[lane];
            }
            for lane in 0..LANES {
                b[lane] += numbers[1] * lanes[lane];
            }
            for lane in 0..LANES {
                c[lane] += numbers[2] * lanes[lane];
            }
            for lane in 0..LANES {
                d[lane] += numbers[3] * lanes[lane];
            }
        }
        *out = [a, b, c, d];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;
    use crate::vector_units::tests::for_each;

    #[test]
    fn every_implementation_gives_the_same_bits() {
        let mut random = SplitMix64::new(3);
        let mut number = || random.below(2_000_001) as f32 / 1e6 - 1.0;
        for numbers in [0, 1, 7, 300] {
            let tile: Vec<[f32; LANES]> = (0..numbers)
                .map(|_| std::array::from_fn(|_| number()))
                .collect();
            let rows: Vec<[f32; ROWS]> = (0..numbers + 1)
                .map(|_| std::array::from_fn(|_| number()))
                .collect();
            let mut expected = [[0.0_f32; LANES]; ROWS];
            for (row, sums) in expected.iter_mut().enumerate() {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    for i in 0..numbers {
                        *sum += rows[i][row] * tile[i][lane];
                    }
                }
            }
            assert_eq!(products(&tile, &rows), expected);
            for_each("dot products", &IMPLEMENTATIONS, |name, function| {
                // SAFETY: the machine has the features that the function is compiled for.
                let found = unsafe { function(&tile, &rows) };
                assert_eq!(found, expected, "{name}, {numbers} components");
            });
        }
    }
}
