//! Bytes or items per second of the kernels on one core: `cargo bench -p datafusion-neardup-kernels [FILTER]`.
#![expect(clippy::expect_used, reason = "the inputs are constant")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use neardup_kernels::frequency::{TokenFrequencies, TokenRanks};
use neardup_kernels::pairs::{
    AllPairs, Bits, Blocks, Csr, Items, PairInput, Spec, Values, Vectors, Verify,
};
use neardup_kernels::{
    DenseProjector, EditGramScratch, MinHasher, PairClassifier, Shingle, ShingleScratch,
    SplitMix64, cosine, edit_distance, edit_distance_within, edit_grams_into, edit_keys_into,
    jaccard, normalize_into, overlap_at_least, signature_bytes,
};

fn main() {
    divan::main();
}

/// A text of random words, which begin with a capital letter or have a letter that is not ASCII now and then.
fn text(bytes: usize) -> String {
    let mut random = SplitMix64::new(1);
    let mut text = String::new();
    while text.len() < bytes {
        match random.below(8) {
            0 => text.push('T'),
            1 => text.push('é'),
            _ => {}
        }
        for _ in 0..1 + random.below(9) {
            text.push(char::from(b'a' + random.below(26) as u8));
        }
        text.push(' ');
    }
    text
}

/// Sorted distinct hashes.
fn set(seed: u64, tokens: usize) -> Vec<u64> {
    let mut random = SplitMix64::new(seed);
    let mut set: Vec<u64> = (0..tokens).map(|_| random.next()).collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// Numbers in [-1, 1).
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    let number = |_| random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0;
    (0..count).map(number).collect()
}

#[divan::bench(args = [100, 10_000])]
fn normalize(bencher: Bencher, bytes: usize) {
    let (text, mut out) = (text(bytes), String::new());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| normalize_into(black_box(&text), &mut out));
}

#[divan::bench(args = [("char:12", 160), ("char:12", 1_000), ("word:3", 1_000), ("space:5", 1_000)])]
fn shingle_hashes(bencher: Bencher, (shingle, bytes): (&str, usize)) {
    let shingle: Shingle = shingle.parse().expect("a shingle");
    let (text, mut scratch, mut out) = (text(bytes), ShingleScratch::default(), Vec::new());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        shingle.hashes_into(black_box(&text), &mut scratch, &mut out);
    });
}

/// The text without letters that are not ASCII, as MinHash takes it: in order and with repeats.
#[divan::bench(args = ["char:12", "char:5"])]
fn repeated_ascii_hashes(bencher: Bencher, shingle: &str) {
    let shingle: Shingle = shingle.parse().expect("a shingle");
    let text = text(1_000).replace('é', "e");
    let (mut scratch, mut out) = (ShingleScratch::default(), Vec::new());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        shingle.repeated_hashes_into(black_box(&text), &mut scratch, &mut out);
    });
}

/// An item is one value of one of 128 functions.
#[divan::bench(args = [10, 100, 1_000])]
fn minhash_signature(bencher: Bencher, hashes: usize) {
    let family = MinHasher::new(128, 1, 32).expect("in range");
    let (hashes, mut signature) = (set(1, hashes), [0_u32; 128]);
    bencher
        .counter(ItemsCount::new(hashes.len() * family.num_hashes()))
        .bench_local(|| family.signature_into(black_box(&hashes), &mut signature));
}

/// Two sets of 200 tokens each, of which some are in both.
fn sets(shared: usize) -> (Vec<u64>, Vec<u64>) {
    let both = set(1, shared);
    let with = |seed| {
        let mut set = [both.clone(), set(seed, 200 - both.len())].concat();
        set.sort_unstable();
        set
    };
    (with(2), with(3))
}

/// The similarity of two sets of 200 tokens, of which some are in both. An item is a token of either.
#[divan::bench(args = [40, 180])]
fn jaccard_similarity(bencher: Bencher, shared: usize) {
    let (a, b) = sets(shared);
    bencher
        .counter(ItemsCount::new(a.len() + b.len()))
        .bench_local(|| jaccard(black_box(&a), black_box(&b)));
}

/// The verification of a candidate, which ends when the threshold 0.8 is out of reach. An item is a token of either.
#[divan::bench(args = [40, 180])]
fn jaccard_verification(bencher: Bencher, shared: usize) {
    let (a, b) = sets(shared);
    let needed = (0.8_f64 / 1.8 * (a.len() + b.len()) as f64).ceil() as usize;
    bencher
        .counter(ItemsCount::new(a.len() + b.len()))
        .bench_local(|| overlap_at_least(black_box(&a), black_box(&b), needed));
}

/// An item is a pair of components.
#[divan::bench(args = [100, 768])]
fn cosine_of_two(bencher: Bencher, dimensions: usize) {
    let (a, b) = (numbers(1, dimensions), numbers(2, dimensions));
    bencher
        .counter(ItemsCount::new(dimensions))
        .bench_local(|| cosine(black_box(&a), black_box(&b)));
}

/// Signatures of 256 bits of eight vectors. An item is a multiplication and an addition.
#[divan::bench(args = [100, 768])]
fn random_projection(bencher: Bencher, dimensions: usize) {
    let projector = DenseProjector::new(256, 1, dimensions);
    let vectors = numbers(1, 8 * dimensions);
    let rows: Vec<&[f32]> = vectors.chunks(dimensions).collect();
    let mut out = vec![0; 8 * signature_bytes(256)];
    bencher
        .counter(ItemsCount::new(8_usize * 256 * dimensions))
        .bench_local(|| projector.signatures_into(black_box(&rows), &mut out));
}

fn compare_all(input: &PairInput<'_>, verify: Verify) -> usize {
    let spec = Spec {
        threshold: 0.8,
        verify,
        prefixes: false,
        part: 0,
        parts: 1,
        max_bucket_pairwise: None,
        max_bucket: None,
        blocks: Blocks::default(),
    };
    let mut join = AllPairs::new(input, spec, false).expect("rows and parameters fit");
    let mut found = 0;
    while let Some(batch) = join.next_batch(input) {
        found += batch.len();
    }
    found
}

/// All pairs of 256 dense vectors, by dot products of tiles. An item is a multiplication and an addition.
#[divan::bench(args = [100, 768])]
fn dot_products_of_tiles(bencher: Bencher, dimensions: usize) {
    let rows = 256;
    let (values, offsets) = (numbers(1, rows * dimensions), vec![0; rows + 1]);
    let values = Values::Dense32 {
        values: &values,
        dimensions,
    };
    let norms = values.norms();
    let input = PairInput {
        keys: Csr::new(&offsets, &[]),
        side: None,
        group: None,
        items: Items::Vectors {
            bits: None,
            vectors: Vectors {
                values,
                norms: &norms,
            },
        },
    };
    bencher
        .counter(ItemsCount::new(rows * (rows - 1) / 2 * dimensions))
        .bench_local(|| compare_all(black_box(&input), Verify::Cosine(0)));
}

/// All pairs of 1,024 signatures of 1,024 bits. An item is a pair. At 416 bits, six standard deviations below half of
/// the bits, nearly all words have to be compared; at 240 bits 99 of 100 pairs with a cosine of 0.8 are found.
#[divan::bench(args = [240, 416])]
fn hamming_tiles(bencher: Bencher, max_distance: u32) {
    let (rows, width) = (1_024_usize, 16);
    let mut random = SplitMix64::new(1);
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
    bencher
        .counter(ItemsCount::new(rows * (rows - 1) / 2))
        .bench_local(|| compare_all(black_box(&input), Verify::Hamming(max_distance)));
}

/// Two texts that differ in about one character of twenty.
fn variants(bytes: usize) -> (String, String) {
    let a = text(bytes);
    let mut random = SplitMix64::new(4);
    let b = a
        .chars()
        .map(|c| if random.below(20) == 0 { '#' } else { c });
    let b = b.collect();
    (a, b)
}

/// An item is a pair of characters.
#[divan::bench(args = [100, 2_000])]
fn edit_distance_of_all(bencher: Bencher, bytes: usize) {
    let (a, b) = variants(bytes);
    bencher
        .counter(ItemsCount::new(a.chars().count() * b.chars().count()))
        .bench_local(|| edit_distance(black_box(&a), black_box(&b)));
}

/// The distance up to a tenth of the characters. An item is a pair of characters, compared or not.
#[divan::bench(args = [100, 2_000])]
fn edit_distance_of_near(bencher: Bencher, bytes: usize) {
    let (a, b) = variants(bytes);
    bencher
        .counter(ItemsCount::new(a.chars().count() * b.chars().count()))
        .bench_local(|| edit_distance_within(black_box(&a), black_box(&b), bytes / 10));
}

/// An item is a pair of texts.
#[divan::bench(args = [150, 5_000])]
fn class_of_near(bencher: Bencher, bytes: usize) {
    let (a, b) = variants(bytes);
    let classifier = PairClassifier::new("en");
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench_local(|| classifier.classify(black_box(&a), black_box(&b)));
}

/// The grams of a text at a threshold of 0.8.
#[divan::bench(args = [100, 100_000])]
fn edit_grams(bencher: Bencher, bytes: usize) {
    let (text, mut scratch, mut out) = (text(bytes), EditGramScratch::default(), Vec::new());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        edit_grams_into(black_box(&text), 0.8, &mut scratch, &mut out);
    });
}

/// The keys of a text at a threshold of 0.8, from its grams.
#[divan::bench(args = [100, 100_000])]
fn edit_keys(bencher: Bencher, bytes: usize) {
    let (text, mut grams) = (text(bytes), Vec::new());
    edit_grams_into(&text, 0.8, &mut EditGramScratch::default(), &mut grams);
    let mut sketch = TokenFrequencies::new();
    sketch.add(&grams);
    let sketch = sketch.to_ranks();
    let ranks = TokenRanks::from_bytes(&sketch).expect("a sketch");
    let length = text.chars().count();
    let (mut scratch, mut out) = (Vec::new(), Vec::new());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        edit_keys_into(
            black_box(&grams),
            length,
            &ranks,
            0.8,
            &mut scratch,
            &mut out,
        );
    });
}
