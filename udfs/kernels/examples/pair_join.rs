//! Measures the exact join on synthetic sentences: `pair_join [clusters] [members] [mode]`.
//!
//! Each cluster is one random sentence of about 155 tokens and variants of it, of which nearly all
//! pairs reach a Jaccard similarity of 0.8; token frequencies are skewed as in text. Modes: `all`,
//! `linked`, `parts` (8 parts, one after the other), `bands` (16 bands of 6, exact verification).
//! Prints the seconds that each step takes on one core.
#![expect(clippy::print_stdout, reason = "the figures are its result")]

use std::time::Instant;

use neardup_kernels::SplitMix64;
use neardup_kernels::frequency::{TokenFrequencies, TokenRanks};
use neardup_kernels::pairs::{Blocks, Csr, Items, PairInput, PairJoin, Spec, Verify};

const THRESHOLD: f64 = 0.8;
const TOKENS: usize = 160;
const VOCABULARY: f64 = 3_000_000.0;

/// Seconds of processor time on Linux, of wall time elsewhere.
struct Clock(Instant, Option<f64>);

impl Clock {
    fn start() -> Self {
        Self(Instant::now(), Self::processor())
    }

    fn seconds(&self) -> f64 {
        match (self.1, Self::processor()) {
            (Some(start), Some(now)) => now - start,
            _ => self.0.elapsed().as_secs_f64(),
        }
    }

    fn processor() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    }
}

fn mix(x: u64) -> u64 {
    let z = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

struct Random(SplitMix64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// A token; its frequency falls with its rank.
    fn token(&mut self) -> u64 {
        let uniform = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        mix(VOCABULARY.powf(uniform) as u64 + 1)
    }
}

fn sentences(clusters: usize, members: usize) -> (Vec<usize>, Vec<u64>) {
    let mut random = Random(SplitMix64::new(1));
    let bases: Vec<Vec<u64>> = (0..clusters)
        .map(|_| (0..TOKENS).map(|_| random.token()).collect())
        .collect();
    let (mut offsets, mut values) = (vec![0], Vec::new());
    for _ in 0..members {
        for base in &bases {
            let mut set = base.clone();
            for _ in 0..6 {
                let at = (random.next() % TOKENS as u64) as usize;
                set[at] = random.token();
            }
            set.sort_unstable();
            set.dedup();
            values.extend(set);
            offsets.push(values.len());
        }
    }
    (offsets, values)
}

fn bands(sets: Csr<'_, u64>) -> (Vec<usize>, Vec<u64>) {
    let (mut offsets, mut keys) = (vec![0], Vec::new());
    for row in 0..sets.rows() {
        for band in 0..16u64 {
            let mut key = band;
            for i in 0..6 {
                let salt = mix(band * 6 + i + 1);
                let min = sets.row(row).iter().map(|&token| mix(token ^ salt)).min();
                key = mix(key ^ min.unwrap_or(0));
            }
            keys.push(key);
        }
        offsets.push(keys.len());
    }
    (offsets, keys)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize, default| {
        arguments
            .get(at)
            .and_then(|a| a.parse().ok())
            .unwrap_or(default)
    };
    let (clusters, members) = (number(1, 1000), number(2, 100));
    let mode = arguments.get(3).map_or("all", String::as_str);

    let (set_offsets, sets) = sentences(clusters, members);
    let sets = Csr::new(&set_offsets, &sets);
    println!("{} rows, {} tokens", sets.rows(), sets.values().len());

    let clock = Clock::start();
    let mut frequencies = TokenFrequencies::new();
    frequencies.add(sets.values());
    println!("frequencies {:.3} s", clock.seconds());

    let clock = Clock::start();
    let bytes = frequencies.to_ranks();
    let Ok(ranks) = TokenRanks::from_bytes(&bytes) else {
        return;
    };
    let (key_offsets, keys) = if mode == "bands" {
        bands(sets)
    } else {
        let (mut offsets, mut keys, mut scratch) = (vec![0], Vec::new(), Vec::new());
        for row in 0..sets.rows() {
            ranks.prefix_into(sets.row(row), THRESHOLD, &mut scratch, &mut keys);
            offsets.push(keys.len());
        }
        (offsets, keys)
    };
    println!("keys {:.3} s: {}", clock.seconds(), keys.len());
    let mut prefixes = TokenFrequencies::new();
    prefixes.add(&keys);
    if let Ok(ranks) = TokenRanks::from_bytes(&prefixes.to_ranks()) {
        println!("estimated comparisons {:.0}", ranks.comparisons(None, 1.0));
    }

    let input = PairInput {
        keys: Csr::new(&key_offsets, &keys),
        side: None,
        group: None,
        items: Items::Sets(sets),
    };
    let parts = if mode == "parts" { 8 } else { 1 };
    let (mut index, mut probe, mut memory) = (0.0, 0.0, 0);
    let mut total = neardup_kernels::pairs::Stats::default();
    for part in 0..parts {
        let spec = Spec {
            threshold: THRESHOLD,
            verify: Verify::Exact,
            prefixes: mode != "bands",
            part,
            parts,
            max_bucket_pairwise: (mode == "linked").then_some(50),
            max_bucket: None,
            blocks: Blocks::default(),
        };
        let clock = Clock::start();
        let mut join = match PairJoin::new(&input, spec) {
            Ok(join) => join,
            Err(error) => return println!("{error}"),
        };
        index += clock.seconds();
        memory = memory.max(join.memory());
        let clock = Clock::start();
        while join.next_batch(&input, 8192).is_some() {}
        probe += clock.seconds();
        total.add(join.stats());
    }
    println!("index {index:.3} s, probe {probe:.3} s, {memory} bytes");
    println!("{total:?}");
}
