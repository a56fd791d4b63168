//! Table functions: the registry, and the translation of a call in `FROM` to a plan.
//!
//! This module turns `name(relation, argument => value)` into ordinary operators. The computation itself is in the
//! function's `.sql` file in `sql/`, or in an operator in `operators`.
//!
//! To add a table function: write `sql/<name>.sql` with its header, add one entry to
//! [`TABLE_FUNCTIONS`], and write `tests/slt/table_functions/<name>.slt`. Where Rust must compute literals or
//! choose a variant, add a file under `functions/resolve`.

mod arguments;
mod columns;
mod deferred;
mod expand;
mod fixed;
mod from_items;
mod groups;
mod inline;
mod inputs;
mod keep;
mod methods;
mod offsets;
mod planner;
mod quoted;
mod reader;
mod relations;
mod resolve;
mod routines;
mod template;
mod unique_ids;

pub use crate::parameters::{Kind, Parameter, Range, Value};
pub use arguments::{Call, Given};
pub(crate) use columns::{joined_texts, last_column};
pub(crate) use deferred::ExpandDeferredCalls;
pub(crate) use from_items::FromItems;
pub(crate) use groups::names_of_groups;
pub use inline::sql_text;
pub use keep::{Keep, KeepKey, KeepValue};
pub(crate) use keep::{KeepOrder, RULE_OF_ORDERS, hint_for_key};
pub(crate) use methods::{default_measure, needed_method};
pub(crate) use offsets::{BoundOffsets, OffsetsAboveLimits};
pub(crate) use planner::FunctionPlanner;
pub use template::{Column, Header, Template};
pub(crate) use unique_ids::one_row_per_id;

use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::sqlparser::ast;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The result of resolving a call.
pub enum Expansion {
    /// A plan made in Rust.
    Plan(LogicalPlan),
    /// A template over inputs, with literals for its parameters.
    Template {
        /// The template or its variant.
        template: Template,
        /// Declared inputs.
        inputs: Vec<(&'static str, LogicalPlan)>,
        /// Literals by parameter name.
        values: BTreeMap<String, ast::Expr>,
        /// A final projection, for columns whose names depend on the call.
        output: Option<Vec<Expr>>,
    },
}

/// Chooses the variant and computes the literals of a call.
pub type Resolve = fn(&Call) -> Result<Expansion>;

/// A table function.
#[derive(Debug)]
pub struct TableFunction {
    /// Its name in SQL.
    pub name: &'static str,
    /// The template whose header describes the function.
    pub template: Template,
    /// Further templates: variants of the same function.
    pub variants: &'static [Template],
    /// The number of relation arguments.
    pub relations: RangeInclusive<usize>,
    /// Translates a call to a template or a plan.
    pub resolve: Resolve,
    /// Whether it is part of the public interface. Building blocks are not.
    pub public: bool,
    /// Whether its relations are computed once for a call, also if each execution gives the same rows.
    pub once: bool,
    /// Whether in one process the inputs of its template are computed once if they take long, because the template reads
    /// them more than once.
    pub shares: bool,
}

macro_rules! template {
    ($name:literal) => {
        Template {
            name: $name,
            text: include_str!(concat!("../../sql/", $name, ".sql")),
        }
    };
}

macro_rules! table_functions {
    ($($public:ident $name:literal [$relations:expr] $resolve:path, $template:literal $(+ $variant:literal)*;)*) => {
        /// Every table function.
        pub static TABLE_FUNCTIONS: &[TableFunction] = &[$(
            TableFunction {
                name: $name,
                template: template!($template),
                variants: &[$(template!($variant)),*],
                relations: $relations,
                resolve: $resolve,
                public: table_functions!(@ $public),
                once: table_functions!(@once $public),
                shares: table_functions!(@shares $public),
            },
        )*];
    };
    (@ surface) => { true };
    (@ shared_surface) => { true };
    (@ $block:ident) => { false };
    (@once once) => { true };
    (@once $other:ident) => { false };
    (@shares shared_surface) => { true };
    (@shares shared_block) => { true };
    (@shares $other:ident) => { false };
}

table_functions! {
    surface "bm25_vectors" [2..=2] resolve::terms::bm25_vectors, "bm25_vectors";
    shared_surface "components" [1..=1] resolve::pairs::components, "components" + "components.numbered";
    surface "containment_join" [1..=2] resolve::join::containment_join, "containment_join" + "containment_join.sets";
    surface "contamination" [2..=2] resolve::contamination::contamination, "contamination";
    surface "cosine_join" [1..=2] resolve::signatures::cosine_join, "cosine_join";
    shared_surface "deduplicate" [1..=1] resolve::near_duplicates::deduplicate, "deduplicate";
    surface "document_frequencies" [1..=1] resolve::terms::document_frequencies, "document_frequencies";
    surface "document_similarity" [2..=2] resolve::pairs::document_similarity, "document_similarity";
    surface "edit_join" [1..=2] resolve::join::edit_join, "edit_join";
    surface "field_join" [1..=2] resolve::field_join::field_join, "field_join";
    surface "hamming_join" [1..=2] resolve::signatures::hamming_join, "hamming_join";
    surface "i_match" [1..=1] resolve::terms::i_match, "i_match";
    surface "jaccard_join" [1..=2] resolve::join::jaccard_join,
        "jaccard_join" + "jaccard_join.linked" + "jaccard_join.sets";
    surface "lsh_plan" [0..=0] resolve::lsh::lsh_plan, "lsh_plan" + "lsh_plan.projection";
    surface "minhash_buckets" [1..=1] resolve::join::minhash_buckets, "minhash_buckets";
    surface "minhash_join" [1..=2] resolve::join::minhash_join, "minhash_join" + "minhash_join.linked";
    shared_surface "near_duplicates" [1..=1] resolve::near_duplicates::near_duplicates,
        "near_duplicates" + "near_duplicates.ordered";
    surface "pair_quality" [2..=2] resolve::pairs::pair_quality, "pair_quality";
    surface "partial_duplicates" [1..=1] resolve::partial_duplicates::partial_duplicates,
        "partial_duplicates" + "partial_duplicates.documents";
    surface "projection_join" [1..=2] resolve::signatures::projection_join,
        "projection_join" + "projection_join.estimated";
    surface "recall_by_similarity" [2..=2] resolve::pairs::recall_by_similarity, "recall_by_similarity";
    surface "repeated_passages" [1..=1] resolve::repeated_text::repeated_passages, "repeated_passages";
    surface "repeated_text" [1..=1] resolve::repeated_text::repeated_text, "repeated_text";
    surface "sentence_history" [1..=1] resolve::sentence_history::sentence_history, "sentence_history";
    surface "sentence_vector" [2..=2] resolve::sentence_vector::sentence_vector, "sentence_vector";
    surface "sentences" [1..=1] resolve::sentences::sentences, "sentences";
    surface "shared_passages" [1..=1] resolve::shared_passages::shared_passages, "shared_passages";
    surface "simhash_join" [1..=2] resolve::signatures::simhash_join, "simhash_join";
    surface "term_counts" [1..=1] resolve::terms::term_counts, "term_counts";
    surface "translate_terms" [2..=2] resolve::terms::translate_terms,
        "translate_terms" + "translate_terms.frequencies";
    surface "wiki_pages" [0..=0] resolve::wiki_pages::wiki_pages, "wiki_pages";
    surface "word_vectors" [0..=0] resolve::word_vectors::word_vectors, "word_vectors";
    block "candidate_pairs" [1..=1] resolve::block, "standard/candidate_pairs";
    block "compared_pairs" [2..=2] resolve::block, "standard/compared_pairs";
    block "containment_pairs" [1..=1] resolve::block, "containment_pairs";
    block "containment_sides" [1..=1] resolve::join::containment_sides,
        "containment_sides.two" + "containment_sides.one";
    block "copy_pairs" [1..=1] resolve::block, "copy_pairs";
    block "distinct_items" [1..=1] resolve::near_duplicates::distinct_items,
        "distinct_items.texts" + "distinct_items.vectors";
    block "distinct_texts" [1..=1] resolve::block, "distinct_texts";
    block "edit_pairs" [1..=1] resolve::block, "edit_pairs";
    block "exact_pairs" [1..=1] resolve::block, "exact_pairs";
    block "minhash_pairs" [1..=1] resolve::join::minhash_pairs, "minhash_pairs";
    block "item_pairs" [1..=2] resolve::near_duplicates::item_pairs,
        "item_pairs.exact" + "item_pairs.frequencies" + "item_pairs.minhash" + "item_pairs.projection"
        + "item_pairs.first" + "item_pairs.containment" + "item_pairs.edit";
    shared_block "numbered_components" [2..=2] resolve::block, "numbered_components";
    block "numbered_ids" [1..=1] resolve::block, "numbered_ids";
    shared_block "numbered_representatives" [2..=2] resolve::block, "numbered_representatives";
    shared_block "pair_representatives" [1..=1] resolve::pairs::pair_representatives,
        "pair_representatives" + "pair_representatives.numbered";
    block "passage_origins" [2..=2] resolve::block, "passage_origins";
    block "passage_positions" [2..=2] resolve::block, "passage_positions";
    block "passage_runs" [2..=2] resolve::repeated_text::passage_runs, "passage_runs";
    shared_block "passages_of_runs" [1..=1] resolve::block, "passages_of_runs";
    block "prefix_pairs" [2..=2] resolve::block, "prefix_pairs";
    shared_block "repeated_units" [1..=1] resolve::repeated_text::repeated_units,
        "repeated_units" + "repeated_units.similar";
    shared_block "resolved_duplicates" [1..=1] resolve::block, "resolved_duplicates";
    shared_block "resolved_items" [2..=2] resolve::near_duplicates::resolved_items,
        "resolved_items.representative" + "resolved_items.components" + "resolved_items.contained";
    block "rows_with_shared_keys" [1..=1] resolve::similar_pairs::rows_with_shared_keys,
        "rows_with_shared_keys" + "rows_with_shared_keys.by_key" + "rows_with_shared_keys.one";
    block "row_pairs" [2..=2] resolve::block, "row_pairs";
    once "sentence_origins" [1..=1] resolve::block, "sentence_origins";
    shared_block "sentence_runs" [1..=1] resolve::block, "sentence_runs";
    block "set_pairs" [1..=1] resolve::block, "set_pairs";
    shared_block "shared_spans" [1..=1] resolve::block, "shared_spans";
    block "signature_pairs" [1..=1] resolve::signatures::signature_pairs,
        "signature_pairs.all" + "signature_pairs.keys" + "signature_pairs.windows";
    block "similar_pairs" [1..=1] resolve::similar_pairs::similar_pairs,
        "similar_pairs" + "standard/similar_pairs.standard" + "standard/similar_pairs.edit" + "standard/similar_pairs.estimated"
        + "standard/similar_pairs.compared" + "standard/similar_pairs.all" + "standard/similar_pairs.windows";
    block "unique_rows" [1..=1] resolve::block, "unique_rows";
    block "unique_sets" [1..=1] resolve::block, "unique_sets";
    block "unique_vectors" [1..=1] resolve::block, "unique_vectors";
}

/// Adds the scalar functions, aggregates and window functions that templates call.
pub(crate) fn with_functions(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let scalar = builder.scalar_functions().get_or_insert_default();
    scalar.extend(neardup_udfs::scalar_functions());
    let aggregate = builder.aggregate_functions().get_or_insert_default();
    aggregate.extend(neardup_udfs::aggregate_functions());
    let window = builder.window_functions().get_or_insert_default();
    window.extend(neardup_udfs::window_functions());
    builder
}

/// The function of that name, if there is one.
pub fn find(name: &str) -> Option<&'static TableFunction> {
    TABLE_FUNCTIONS
        .iter()
        .find(|function| function.name == name)
}

impl TableFunction {
    /// The variant of that file name.
    #[expect(
        clippy::expect_used,
        reason = "names are constants beside the registry"
    )]
    pub(crate) fn variant(&self, name: &str) -> Template {
        let mut all = std::iter::once(&self.template).chain(self.variants);
        *all.find(|template| template.name == name)
            .expect("resolve functions name files of their own registry entry")
    }
}
