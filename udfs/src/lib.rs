//! The SQL functions of neardup, for any DataFusion session.
//!
//! ```
//! use std::sync::Arc;
//! use datafusion_expr::registry::{FunctionRegistry, MemoryFunctionRegistry};
//!
//! // A SessionContext is a registry too: `ctx.register_udf(function.as_ref().clone())`.
//! let mut registry = MemoryFunctionRegistry::new();
//! for function in neardup_udfs::scalar_functions() {
//!     registry.register_udf(function)?;
//! }
//! assert!(registry.udf("jaccard_similarity").is_ok());
//! # Ok::<(), datafusion_common::DataFusionError>(())
//! ```
//!
//! The scalar functions compute normal forms, shingles, signatures and bucket keys of one row, and similarities
//! of two values; the aggregates and the window function compute clusters, forests, token frequencies and mean vectors
//! of many rows. Joins of rows are written in SQL, in the crates that use this one. The algorithms are in
//! `neardup_kernels`, the cleaning of wikitext and the splitting into sentences in `neardup_wikitext`; neither
//! depends on Arrow or handles NULL.
//!
//! Functions are stateless and immutable. The result is NULL if an argument is NULL, and a scalar if all arguments
//! are scalars. Arguments are given by position or by name, and trailing ones have defaults. Results depend only
//! on arguments, never on options of the session, because the executors of a cluster create functions from their
//! names.
//!
//! **To add a function**, write a file of the same name with a unit struct, its `#[user_doc]` and its `Function`
//! or `Aggregate`. A window function implements the trait `WindowUDFImpl` of the engine. Then add a `mod` line and a
//! line in [`scalar_functions`], [`aggregate_functions`] or [`window_functions`]. Only the module `columns` matches on
//! Arrow types.

mod aggregate;
mod classify_pair;
mod columns;
mod common_passages;
mod component_numbers;
mod connected_components;
mod contained_items;
mod containment;
mod cosine_similarity;
mod cosine_to_hamming;
mod counted;
mod cut_spans;
mod earlier_is_kept;
mod earlier_passages;
mod edit_distance;
mod edit_grams;
mod edit_keys;
mod edit_similarity;
mod function;
mod gram_anchors;
mod hamming_distance;
mod hamming_to_cosine;
mod html_to_text;
mod item_index;
mod item_list;
mod item_similarity;
mod item_spans;
mod jaccard_similarity;
mod key_filter;
mod key_parts;
mod keys_within;
mod length_counts;
mod length_parts;
mod marked_keys;
mod mean_vector;
mod minhash;
mod minhash_bands;
mod minhash_draws;
mod minhash_similarity;
mod normalize_text;
mod number_at;
mod number_order;
mod one_text;
mod order_key;
mod packed_run;
mod packed_vector;
mod pair_blocks;
mod passage_anchors;
mod passage_grams;
mod passage_keys;
mod passage_places;
mod passage_spans;
mod permuted_signatures;
mod prefix_tokens;
mod random_projection;
mod record_fields;
mod record_sets;
mod record_similarity;
mod record_texts;
mod repeated_key_filter;
mod repeated_keys;
mod representatives;
mod row_parts;
mod run_chains;
mod run_collection;
mod run_keys;
mod run_passages;
mod same_bytes;
mod same_group;
mod same_text;
mod sentence_id;
mod sentence_kinds;
mod set_hashes;
mod set_signature;
mod sets;
mod shared_grams;
mod shared_keys;
mod shared_runs;
mod shingle_count;
mod shingle_hashes;
mod shingles;
mod signature_keys;
mod signed_id;
mod simhash;
mod span_texts;
mod spanning_forest;
mod spans;
mod split_sentences;
mod spot_signatures;
mod terms;
mod text_hash;
mod text_units;
mod token_frequencies;
mod translation_probability;
mod uncut_parts;
mod unquoted_text;
mod whole_runs;
mod wikitext_to_blocks;
mod wikitext_to_plain;
mod wilson_interval;
mod winnow;
mod word_runs;

#[cfg(test)]
mod calls;
#[cfg(test)]
mod groupings;

use std::sync::Arc;

use datafusion_expr::{AggregateUDF, ScalarUDF, WindowUDF};

use aggregate::udaf;
use function::udf;

/// All scalar functions of this crate.
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    let functions = [
        udf(classify_pair::ClassifyPair),
        udf(common_passages::CommonPassages),
        udf(contained_items::ContainedItems),
        udf(containment::Containment),
        udf(cosine_similarity::CosineSimilarity),
        udf(cosine_to_hamming::CosineToHamming),
        udf(cut_spans::CutSpans),
        udf(earlier_passages::EarlierPassages),
        udf(edit_distance::EditDistance),
        udf(edit_grams::EditGrams),
        udf(edit_keys::EditKeys),
        udf(edit_similarity::EditSimilarity),
        udf(gram_anchors::GramAnchors),
        udf(hamming_distance::HammingDistance),
        udf(hamming_to_cosine::HammingToCosine),
        udf(html_to_text::HtmlToText),
        udf(item_index::ItemIndex),
        udf(item_similarity::ItemSimilarity),
        udf(item_spans::ItemSpans),
        udf(jaccard_similarity::JaccardSimilarity),
        udf(key_parts::KeyParts),
        udf(keys_within::KeysWithin),
        udf(marked_keys::MarkedKeys),
        udf(minhash::MinHash),
        udf(minhash::MinHashAndCount),
        udf(minhash_bands::MinHashBands),
        udf(minhash_draws::MinHashDraws),
        udf(minhash_similarity::MinHashSimilarity),
        udf(normalize_text::NormalizeText),
        udf(number_at::NumberAt),
        udf(number_order::NumberOrder),
        udf(one_text::OneText),
        udf(order_key::OrderKey),
        udf(packed_run::PackedRun),
        udf(packed_vector::PackedVector),
        udf(pair_blocks::PairBlocks),
        udf(passage_anchors::PassageAnchors),
        udf(passage_grams::PassageGrams),
        udf(passage_keys::PassageKeys),
        udf(passage_spans::PassageSpans),
        udf(permuted_signatures::PermutedSignatures),
        udf(prefix_tokens::PrefixTokens),
        udf(random_projection::RandomProjection),
        udf(record_sets::RecordSets),
        udf(record_similarity::RecordSimilarity),
        udf(record_texts::RecordTexts),
        udf(row_parts::RowParts),
        udf(run_chains::RunChains),
        udf(run_keys::RunKeys),
        udf(run_passages::RunPassages),
        udf(same_bytes::SameBytes),
        udf(same_group::SameGroup),
        udf(same_text::SameText),
        udf(sentence_id::SentenceId),
        udf(sentence_kinds::SentenceKinds),
        udf(set_hashes::SetHashes),
        udf(set_signature::SetSignature),
        udf(shared_grams::SharedGrams),
        udf(shared_keys::SharedKeysOf),
        udf(shared_runs::SharedRuns),
        udf(shingle_count::ShingleCount),
        udf(shingle_hashes::ShingleHashes),
        udf(shingles::Shingles),
        udf(signature_keys::SignatureKeys),
        udf(signed_id::SignedId),
        udf(simhash::SimHash),
        udf(span_texts::SpanTexts),
        udf(split_sentences::SplitSentences),
        udf(spot_signatures::SpotSignatures),
        udf(terms::Terms),
        udf(text_hash::TextHash),
        udf(text_units::TextUnits),
        udf(translation_probability::TranslationProbability),
        udf(uncut_parts::UncutParts),
        udf(unquoted_text::UnquotedText),
        udf(whole_runs::WholeRuns),
        udf(wikitext_to_blocks::WikitextToBlocks),
        udf(wikitext_to_plain::WikitextToPlain),
        udf(wilson_interval::WilsonInterval),
        udf(winnow::Winnow),
        udf(word_runs::WordRuns),
    ];
    functions.map(Arc::new).to_vec()
}

/// All aggregate functions of this crate.
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    let functions = [
        udaf(component_numbers::ComponentNumbers),
        udaf(connected_components::ConnectedComponents),
        udaf(item_list::ItemList),
        udaf(key_filter::KeyFilter),
        udaf(length_counts::LengthCountsOf),
        udaf(length_parts::LengthPartsOf),
        udaf(mean_vector::MeanVector),
        udaf(repeated_key_filter::RepeatedKeyFilterOf),
        udaf(repeated_keys::RepeatedKeysOf),
        udaf(representatives::Representatives),
        udaf(run_collection::RunCollectionOf),
        udaf(spanning_forest::SpanningForest),
        udaf(token_frequencies::TokenFrequencies),
    ];
    functions.map(Arc::new).to_vec()
}

/// All window functions of this crate.
pub fn window_functions() -> Vec<Arc<WindowUDF>> {
    vec![Arc::new(WindowUDF::from(
        earlier_is_kept::EarlierIsKept::default(),
    ))]
}

/// The function `number_order`, for plans that are built by hand.
pub fn number_order() -> ScalarUDF {
    udf(number_order::NumberOrder)
}

/// The function `order_key`, for plans that are built by hand.
pub fn order_key() -> ScalarUDF {
    udf(order_key::OrderKey)
}

/// The function `packed_vector`, for plans that are built by hand.
pub fn packed_vector() -> ScalarUDF {
    udf(packed_vector::PackedVector)
}

/// The function `same_bytes`, for plans that are built by hand.
pub fn same_bytes() -> ScalarUDF {
    udf(same_bytes::SameBytes)
}

/// The function `set_hashes`, for plans that are built by hand.
pub fn set_hashes() -> ScalarUDF {
    udf(set_hashes::SetHashes)
}

/// The function `same_group`, for plans that are built by hand.
pub fn same_group() -> ScalarUDF {
    udf(same_group::SameGroup)
}

/// The function `text_hash`, for plans that are built by hand.
pub fn text_hash() -> ScalarUDF {
    udf(text_hash::TextHash)
}

/// The function `one_text`, for plans that are built by hand.
pub fn one_text() -> ScalarUDF {
    udf(one_text::OneText)
}

/// The function `unquoted_text`, for plans that are built by hand.
pub fn unquoted_text() -> ScalarUDF {
    udf(unquoted_text::UnquotedText)
}

/// The function `signed_id`, for plans that are built by hand.
pub fn signed_id() -> ScalarUDF {
    udf(signed_id::SignedId)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documentation and declaration agree on the arguments, and each function has an example.
    #[test]
    fn every_function_is_documented() {
        for function in scalar_functions() {
            let name = function.name();
            let documentation = function.documentation().expect(name);
            let documented = documentation.arguments.clone().expect(name);
            let documented: Vec<String> = documented.into_iter().map(|(name, _)| name).collect();
            assert_eq!(
                Some(&documented),
                function.signature().parameter_names.as_ref(),
                "{name}"
            );
            let example = documentation.sql_example.as_ref().expect(name);
            assert!(
                example.contains(&format!("{name}(")) && example.contains("+--"),
                "{name}"
            );
        }
    }

    #[test]
    fn names_are_distinct_and_sorted() {
        let functions = scalar_functions();
        assert!(functions.is_sorted_by(|a, b| a.name() < b.name()));
        let functions = aggregate_functions();
        assert!(functions.is_sorted_by(|a, b| a.name() < b.name()));
    }
}
