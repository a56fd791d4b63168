//! The signature format, version 0, held still: `golden/version0.txt` has the normal form, the
//! shingle hashes, the signatures and the bucket keys of every line of `golden/texts.txt`.
//!
//! A difference means that stored signatures no longer match new ones. Where that is meant, the
//! format gets a new version and a new file; a line added to `texts.txt` is the other reason to
//! write the file anew, with `NEARDUP_WRITE_GOLDEN=1 cargo test -p neardup-kernels --test golden`.

use std::error::Error;
use std::fmt::Write as _;
use std::{env, fs, path::Path};

use neardup_kernels::*;

const SHINGLES: [&str; 5] = ["char:5", "char:12", "word:1", "word:3", "space:2"];

/// Numbers in hexadecimal; more than `show` of them as a count and a hash of all.
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

/// Everything of one text that may be stored.
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
