//! Tests that the signature format, version 0, does not change: `golden/version0.txt` has the normal form, the
//! shingle hashes, the signatures and the keys of every line of `golden/texts.txt`, and the signatures and
//! keys of some vectors.
//!
//! A difference means that stored signatures no longer match new ones. If this is intended, give the format a new
//! version and a new file. After adding a line to `texts.txt`, write the file again with
//! `NEARDUP_WRITE_GOLDEN=1 cargo test -p datafusion-neardup-kernels --test golden`.

use std::error::Error;
use std::fmt::Write as _;
use std::{env, fs, path::Path};

use neardup_kernels::frequency::{TokenFrequencies, TokenRanks};
use neardup_kernels::*;

const SHINGLES: [&str; 5] = ["char:5", "char:12", "word:1", "word:3", "space:2"];

/// Numbers in hexadecimal. If there are more than `show`, their count and a hash of all.
fn hex(numbers: &[u64], show: usize) -> String {
    let mut line = String::new();
    if numbers.len() > show {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let _ = write!(
            line,
            "{} numbers, {:016x} in all:",
            numbers.len(),
            xxhash_rust::xxh3::xxh3_64(&bytes)
        );
    }
    for number in numbers.iter().take(show) {
        let _ = write!(line, " {number:016x}");
    }
    line.trim_start().to_owned()
}

/// All results for one text that users may store.
fn lines_of(text: &str) -> Result<String, Box<dyn Error>> {
    let mut normal = String::new();
    normalize_into(text, &mut normal);
    let mut lines = format!("normal form: {}\n", normal.escape_debug());
    let mut scratch = ShingleScratch::default();
    for spec in SHINGLES {
        let mut set = Vec::new();
        spec.parse::<Shingle>()?
            .hashes_into(&normal, &mut scratch, &mut set);
        writeln!(lines, "{spec}: {}", hex(&set, 4))?;
    }
    let mut set = Vec::new();
    Shingle::Word(3).hashes_into(&normal, &mut scratch, &mut set);
    for (num_hashes, seed, bits) in [
        (128, 1, 32),
        (20, 1_123_456, 60),
        (64, u64::MAX, 64),
        (64, 2, 8),
    ] {
        let mut signature = vec![0_u64; num_hashes];
        MinHasher::new(num_hashes, seed, bits)?.signature_into(&set, &mut signature);
        writeln!(
            lines,
            "minhash {num_hashes} seed {seed} bits {bits}: {}",
            hex(&signature, 4)
        )?;
        let mut keys = Vec::new();
        bands_into(&signature, 3, 6, &mut keys)?;
        writeln!(lines, "  3 bands of 6: {}", hex(&keys, 3))?;
        keys.clear();
        Draws::new(num_hashes, 3, 10, seed)?.keys_into(&signature, &mut keys)?;
        writeln!(lines, "  3 draws of 10: {}", hex(&keys, 3))?;
    }
    let mut signature = [0; 16];
    simhash_into(set.iter().map(|&hash| (hash, 1.0)), &mut signature);
    writeln!(lines, "simhash 128: {}", hex(&words(&signature), 2))?;
    for (spec, window) in [("word:3", 3), ("char:5", 8)] {
        let (mut hashes, mut positions) = (Vec::new(), Vec::new());
        spec.parse::<Shingle>()?
            .repeated_hashes_into(&normal, &mut scratch, &mut hashes);
        Winnower::default().positions_into(&hashes, window, &mut positions);
        let selected: Vec<u64> = positions.iter().map(|&at| hashes[at]).collect();
        writeln!(
            lines,
            "winnow {spec} window {window}: {}",
            hex(&selected, 4)
        )?;
    }
    let antecedents = ["the", "of", "a", "in", "der", "la", "в"];
    let antecedents = antecedents.map(|word| xxhash_rust::xxh3::xxh3_64(word.as_bytes()));
    for (distance, chain) in [(1, 2), (2, 3)] {
        let mut hashes = Vec::new();
        SpotSignatures { distance, chain }.hashes_into(
            &normal,
            |hash| antecedents.contains(&hash),
            &mut SpotScratch::default(),
            &mut hashes,
        );
        writeln!(
            lines,
            "spot signatures distance {distance} chain {chain}: {}",
            hex(&hashes, 4)
        )?;
    }
    let sketch = TokenFrequencies::new().to_ranks();
    let ranks = TokenRanks::from_bytes(&sketch)?;
    for threshold in [0.5, 0.8, 0.95] {
        let mut grams = Vec::new();
        edit_grams_into(text, threshold, &mut EditGramScratch::default(), &mut grams);
        writeln!(lines, "edit grams {threshold}: {}", hex(&grams, 4))?;
        let (length, mut keys) = (text.chars().count(), Vec::new());
        edit_keys_into(
            &grams,
            length,
            &ranks,
            threshold,
            &mut Vec::new(),
            &mut keys,
        );
        writeln!(lines, "  keys: {}", hex(&keys, 4))?;
    }
    let signature: Vec<u64> = set_signature(&set).into_iter().collect();
    writeln!(lines, "set signature: {}", hex(&signature, 1))?;
    Ok(lines)
}

/// Bytes as little-endian words, the last one filled with zeros.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// Signatures of a few vectors, and the keys of these signatures.
fn lines_of_vectors() -> Result<String, Box<dyn Error>> {
    let mut lines = String::new();
    let of_halves = |number: u64| (number % 2_001) as f64 / 1_024.0 - 1.0;
    for (dimensions, seed, bits) in [
        (1, 1, 64),
        (3, 1, 100),
        (400, 1, 1_024),
        (50, u64::MAX, 4_096),
    ] {
        let mut random = SplitMix64::new(dimensions as u64);
        let vector: Vec<f64> = (0..dimensions).map(|_| of_halves(random.next())).collect();
        let mut signature = vec![0; signature_bytes(bits)];
        DenseProjector::new(bits, seed, dimensions).signatures_into(&[&vector[..]], &mut signature);
        writeln!(
            lines,
            "{dimensions} numbers, {bits} bits, seed {seed}: {}",
            hex(&words(&signature), 2)
        )?;
        let terms: Vec<(u64, f64)> = vector
            .iter()
            .enumerate()
            .map(|(at, &weight)| ((at as u64) << 40, weight))
            .collect();
        SparseProjector::new(bits, seed).signature_into(&terms, &mut signature);
        writeln!(
            lines,
            "  as weights of terms: {}",
            hex(&words(&signature), 2)
        )?;
        let mut keys = Vec::new();
        block_keys_into(&signature, bits, 5, &mut keys)?;
        writeln!(lines, "  5 blocks: {}", hex(&keys, 5))?;
        keys.clear();
        BitTables::new(bits, 20, 13, seed)?.keys_into(&signature, &mut keys)?;
        writeln!(lines, "  20 tables of 13: {}", hex(&keys, 2))?;
        let order: Vec<u64> = bit_permutation(bits, seed, 2)
            .iter()
            .map(|&bit| bit.into())
            .collect();
        writeln!(lines, "  permutation 2: {}", hex(&order, 3))?;
    }
    Ok(lines)
}

#[test]
fn version_0_is_frozen() -> Result<(), Box<dyn Error>> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut found = String::new();
    for (number, text) in fs::read_to_string(golden.join("texts.txt"))?
        .lines()
        .enumerate()
    {
        write!(found, "text {}\n{}", number + 1, lines_of(text)?)?;
    }
    found.push_str(&lines_of_vectors()?);
    let file = golden.join("version0.txt");
    if env::var_os("NEARDUP_WRITE_GOLDEN").is_some() {
        fs::write(&file, &found)?;
    }
    let frozen = fs::read_to_string(&file)?;
    for (number, (found, frozen)) in found.lines().zip(frozen.lines()).enumerate() {
        assert_eq!(found, frozen, "{}:{}", file.display(), number + 1);
    }
    assert_eq!(
        found.lines().count(),
        frozen.lines().count(),
        "lines of {}",
        file.display()
    );
    Ok(())
}
