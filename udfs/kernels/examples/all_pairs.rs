//! Times the comparison of all pairs of bit signatures, and of cosines of dense vectors, on one core:
//! `cargo run --release -p datafusion-neardup-kernels --example all_pairs [ROWS] [BITS] [DIMENSIONS]`.
//!
//! Prints nanoseconds for each pair: for a distance at which every word has to be compared, for the distance of a
//! cosine of 0.8, and for a plain loop over pairs of rows. Then prints the costs of tables of key bits and of
//! sorted windows, by which `bit_settings` compares methods. Also prints the numbers of pairs found.
#![expect(clippy::print_stdout, reason = "an example prints its measurements")]

use std::error::Error;
use std::time::Instant;

use neardup_kernels::pairs::{
    AllPairs, Bits, Blocks, Csr, Items, PairInput, PairJoin, Spec, Values, Vectors, Verify,
    WindowPairs, Windows,
};
use neardup_kernels::{BitTables, SplitMix64, distance_for_recall};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<usize>());
    let mut next = |default| arguments.next().unwrap_or(Ok(default));
    let (rows, bits, dimensions) = (next(50_000)?, next(1024)?, next(400)?);
    let mut random = SplitMix64::new(1);
    let width = bits.div_ceil(64);
    let words: Vec<u64> = (0..rows * width).map(|_| random.next()).collect();
    let offsets = vec![0; rows + 1];
    let input = PairInput {
        keys: Csr::new(&offsets, &[]),
        side: None,
        group: None,
        items: Items::Bits(Bits {
            words: &words,
            width,
        }),
    };
    let pairs = rows as f64 * (rows as f64 - 1.0) / 2.0;
    let near = distance_for_recall(bits, 0.8, 0.99)?;
    // Half of the bits less six standard deviations: few pairs qualify, but all words have to be compared.
    let far = (bits as f64 / 2.0 - 6.0 * (bits as f64).sqrt() / 2.0).max(0.0) as usize;
    println!("{rows} rows of {bits} bits, {pairs} pairs");
    for max_distance in [far, near] {
        let start = Instant::now();
        let mut join = AllPairs::new(&input, spec(Verify::Hamming(max_distance as u32)), false)?;
        let mut found = 0;
        while let Some(batch) = join.next_batch(&input) {
            found += batch.len();
        }
        let time = start.elapsed().as_secs_f64();
        println!(
            "distance at most {max_distance}: {:.3} ns a pair, {found} found",
            time * 1e9 / pairs
        );
    }
    let few = rows.min(5_000);
    let start = Instant::now();
    let mut found = 0;
    for a in 0..few {
        for b in 0..a {
            let of = |row: usize| words.get(row * width..(row + 1) * width).unwrap_or(&[]);
            let distance: u32 = of(a)
                .iter()
                .zip(of(b))
                .map(|(a, b)| (a ^ b).count_ones())
                .sum();
            found += usize::from(distance as usize <= far);
        }
    }
    let compared = few as f64 * (few as f64 - 1.0) / 2.0;
    println!(
        "pair by pair: {:.3} ns a pair, {found} found",
        start.elapsed().as_secs_f64() * 1e9 / compared
    );

    // Keys of many bits give hardly any candidates and measure the cost of keys; keys of few bits measure the cost
    // of candidates.
    for key_bits in [40, 8] {
        let (tables, few) = (10, rows.min(if key_bits == 8 { 10_000 } else { rows }));
        let drawn = BitTables::new(bits, tables, key_bits, 1)?;
        let start = Instant::now();
        let (mut offsets, mut keys) = (vec![0], Vec::new());
        for row in 0..few {
            let signature = words.get(row * width..(row + 1) * width).unwrap_or(&[]);
            let bytes: Vec<u8> = signature
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            drawn.keys_into(&bytes, &mut keys)?;
            offsets.push(keys.len());
        }
        let few_words = words.get(..few * width).unwrap_or(&[]);
        let input = PairInput {
            keys: Csr::new(&offsets, &keys),
            items: Items::Bits(Bits {
                words: few_words,
                width,
            }),
            ..input
        };
        let mut join = PairJoin::new(&input, spec(Verify::Hamming(near as u32)))?;
        let mut found = 0;
        while let Some(batch) = join.next_batch(&input, 8192) {
            found += batch.len();
        }
        let time = start.elapsed().as_secs_f64() * 1e9;
        println!(
            "{tables} tables of {key_bits} bits, {few} rows: {:.1} ns a key, {} candidates, {:.1} ns each, {found} found",
            time / keys.len() as f64,
            join.stats().candidates,
            time / join.stats().candidates.max(1) as f64,
        );
    }
    for window in [1, 10, 100] {
        let windows = Windows {
            bits,
            tables: 4,
            window,
            chunk: 65_536,
            seed: 1,
        };
        let start = Instant::now();
        let mut join = WindowPairs::new(&input, spec(Verify::Hamming(near as u32)), windows)?;
        let mut found = 0;
        while let Some(batch) = join.next_batch(&input) {
            found += batch.len();
        }
        let time = start.elapsed().as_secs_f64() * 1e9;
        println!(
            "windows of {window}: {:.1} ns a row and table, {:.2} ns a comparison, {found} found",
            time / (4 * rows) as f64,
            time / join.stats().candidates.max(1) as f64,
        );
    }

    let values: Vec<f32> = (0..few * dimensions)
        .map(|_| random.below(2001) as f32 / 1000.0 - 1.0)
        .collect();
    let dense = Values::Dense32 {
        values: &values,
        dimensions,
    };
    let norms = dense.norms();
    let offsets = vec![0; few + 1];
    let input = PairInput {
        keys: Csr::new(&offsets, &[]),
        side: None,
        group: None,
        items: Items::Vectors {
            bits: None,
            vectors: Vectors {
                values: dense,
                norms: &norms,
            },
        },
    };
    let start = Instant::now();
    let mut join = AllPairs::new(&input, spec(Verify::Cosine(0)), false)?;
    let mut found = 0;
    while let Some(batch) = join.next_batch(&input) {
        found += batch.len();
    }
    println!(
        "cosine of {dimensions} numbers: {:.1} ns a pair, {found} found",
        start.elapsed().as_secs_f64() * 1e9 / compared
    );
    Ok(())
}

fn spec(verify: Verify) -> Spec {
    Spec {
        threshold: 0.5,
        verify,
        prefixes: false,
        part: 0,
        parts: 1,
        max_bucket_pairwise: None,
        max_bucket: None,
        blocks: Blocks::default(),
    }
}
