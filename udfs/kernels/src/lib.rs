//! Kernels for near-duplicate detection in text: pure functions over strings and slices.
//!
//! ```text
//! text ── normalize_into ──> text ── Shingle::hashes_into ──> sorted distinct u64 ──┬─> jaccard, containment
//!                                                                                   │
//!         candidates <── equal keys <── bands_into, Draws <── u32 or u64 <── MinHasher::signature_into
//! ```
//!
//! Two texts are compared exactly by their sets of hashed shingles. To avoid comparing all pairs of many
//! texts, each set is reduced to a MinHash signature, and each signature to a few bucket keys. Texts that
//! share a key are candidates, and only candidates are compared.
//!
//! ```
//! use neardup_kernels::*;
//!
//! let shingle: Shingle = "word:2".parse()?;
//! let family = MinHasher::new(128, 1, 32)?;
//! let Bands { bands, rows } = choose_bands(0.5, 0.99, family.num_hashes())?;
//!
//! let mut scratch = ShingleScratch::default();
//! let mut set_of = |text: &str| {
//!     let (mut normal, mut set) = (String::new(), Vec::new());
//!     normalize_into(text, &mut normal);
//!     shingle.hashes_into(&normal, &mut scratch, &mut set);
//!     set
//! };
//! let a = set_of("The bridge was built in 1987 by the northern railway.");
//! let b = set_of("The bridge was built in 1988  by the Northern Railway!");
//!
//! let keys_of = |set: &[u64]| {
//!     let (mut signature, mut keys) = (vec![0_u32; family.num_hashes()], Vec::new());
//!     family.signature_into(set, &mut signature);
//!     bands_into(&signature, bands, rows, &mut keys).map(|()| keys)
//! };
//! assert!(keys_of(&a)?.iter().zip(keys_of(&b)?).any(|(a, b)| *a == b)); // they are candidates
//! assert_eq!(jaccard(&a, &b), 7.0 / 11.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Terms`] splits a text into terms: stemmed words that indicate its topic.
//!
//! Other modules find pairs in memory: [`frequency`] orders tokens, [`bounds`] gives prefix lengths and
//! filters, [`pairs`] joins the rows that share a key, [`forest`] and [`representatives`] resolve pairs to
//! clusters.
//!
//! **Use this crate** to compute the same sets, signatures and keys as the SQL functions in a program without
//! a query engine. **Do not use it** to find pairs in a table larger than memory: the query engine does that by
//! running [`pairs`] on one part after the other. This crate does not depend on Arrow types, null values or SQL
//! names.
//!
//! **Stored results stay valid.** Hashes, normal forms, signatures and keys are a format, at version 0. The
//! files in `golden/` freeze it, and `tests/golden.rs` describes how. Hashes are XXH3-64, and all random numbers
//! come from [`SplitMix64`]. Normalisation is that of Unicode 18, word boundaries are those of Unicode 17.
//!
//! **To add a kernel**, write one file that takes slices and writes into the caller's buffers, does not
//! allocate for each row if this can be avoided, and does not handle nulls. Test it against the obvious
//! implementation, and add one line below. If users may store its results, add a line to the golden file.

/// Version of the hashes, normal forms, signatures and keys; the golden files freeze it.
pub const SIGNATURES: u32 = 0;

pub mod bounds;
pub mod forest;
pub mod frequency;
pub mod pairs;
pub mod representatives;

mod bands;
mod bit_keys;
mod bit_model;
mod bits;
mod classify;
mod cosine;
mod cut;
mod dot_products;
mod edit;
mod edit_keys;
mod fields;
mod gaussian;
mod group_keys;
mod hash_order;
mod html;
mod interval;
mod items;
mod jaccard;
mod key_filter;
mod length_parts;
mod lsh;
mod mean;
mod measure;
mod minhash;
mod normalize;
mod number_order;
mod packed;
mod passages;
mod path;
mod prefetch;
mod projection;
mod repeated_keys;
mod runs;
mod set_signature;
mod shingle;
mod short_hash;
mod simhash;
mod split_mix;
mod spot_signatures;
mod terms;
mod text_hasher;
mod units;
mod varint;
mod vector_units;
mod winnow;
mod words;

#[cfg(test)]
mod random_texts;
#[cfg(test)]
mod test_random;

pub use bands::{BandsError, Draws, bands_into, check_bands};
pub use bit_keys::{BitTables, KeyError, bit_permutation, block_keys_into, pair_parts};
pub use bit_model::{
    BitSetting, HashTables, ModelError, binomial_at_most, bit_difference, bit_settings,
    choose_tables, distance_for_recall, found_in_tables, kept_by_distance, tables_for_recall,
};
pub use bits::{cosine_to_hamming, hamming_distance, hamming_to_cosine};
pub use classify::{Change, ChangeKind, Classification, PairClass, PairClassifier, PairReader};
pub use cosine::{cosine, sparse_cosine};
pub use cut::{cut_spans, texts_of_spans};
pub use edit::{edit_distance, edit_distance_within, edit_similarity};
pub use edit_keys::{
    EditGramScratch, MAX_EDIT_GRAM, edit_gram_length, edit_grams_into, edit_keys_into,
};
pub use fields::{
    FieldCandidates, FieldComparison, FieldNumbers, FieldText, FieldValue, FieldsError, MAX_FIELDS,
    MIN_WEIGHT, Missing, NumberedShingles, SetMeasure, WEIGHT_TOLERANCE, WeightedField,
    WeightedFields, record_fields,
};
pub use group_keys::group_keys_into;
pub use html::html_text_into;
pub use interval::wilson_interval;
pub use items::{
    FoundItem, IndexError, ItemIndex, ItemMatch, ItemRun, ItemScratch, ItemSpec, ItemsLeftOut,
    MAX_ITEM_GRAM, TooManyItems, item_index,
};
pub use jaccard::{containment, jaccard, jaccard_of_overlap, overlap, overlap_at_least};
pub use key_filter::{KeyCounts, SharedKeys, WrongFilter};
pub use length_parts::{LengthCounts, LengthParts};
pub use lsh::{
    Bands, LshError, MAX_MODEL_DRAWS, candidate_probability, choose_bands, draws_probability,
};
pub use mean::{MeanError, VectorMean, VectorNumber};
pub use measure::{Measure, UnknownMeasure};
pub use minhash::{MAX_HASHES, MinHashError, MinHasher, SignatureValue, signature_similarity};
pub use normalize::normalize_into;
pub use number_order::number_order_into;
pub use packed::{PackError, VectorColumn, pack_f32, pack_f64, pack_sparse};
pub use passages::{
    AnchorGrams, AnchoredPassages, CHARACTER_BYTES, DistinctRuns, EarlierFinder, EarlierPassages,
    GramHashes, GramSpec, Grams, HASH_BYTES, Passage, PassageText, Place, RunCollection, RunFinder,
    RunPassage, Unit, UnitText, WholeRun, WordRun, WrongRuns, common_passages, key_hash, pack_run,
    run_key, uncut_parts, whole_runs, word_runs,
};
pub use path::shortest_path;
pub use projection::{Coordinate, DenseProjector, MAX_BITS, SparseProjector, signature_bytes};
pub use repeated_keys::{KeyOccurrences, RepeatedKeyFilter, RepeatedKeys, is_marked};
pub use runs::{MAX_GAP, Run, RunKeys, chains_into};
pub use set_signature::set_signature;
pub use shingle::{MAX_WINDOW, Shingle, ShingleError, ShingleScratch, text_hash};
pub use simhash::simhash_into;
pub use split_mix::SplitMix64;
pub use spot_signatures::{SpotScratch, SpotSignatures};
pub use terms::{TermScratch, Terms};
pub use units::{TextUnit, UnknownUnit, for_each_unit, lines_of};
pub use winnow::Winnower;
