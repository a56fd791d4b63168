//! Resolves a checked call to a template and its literals. Each file is for one family of functions.
//!
//! This module does what SQL templates cannot express: it chooses a variant, computes bands and rows, and binds the
//! columns that a call names.

pub(super) mod contamination;
pub(super) mod field_join;
pub(super) mod join;
pub(super) mod lsh;
pub(super) mod near_duplicates;
pub(super) mod pairs;
pub(super) mod partial_duplicates;
pub(super) mod repeated_text;
pub(super) mod sentence_history;
pub(super) mod sentence_vector;
pub(super) mod sentences;
pub(super) mod shared_passages;
pub(super) mod signatures;
pub(super) mod similar_pairs;
pub(super) mod terms;
pub(super) mod wiki_pages;
pub(super) mod word_vectors;

use super::arguments::Call;
use super::template::Template;
use super::{Expansion, TableFunction, Value, find};
use datafusion::common::{Result, TableReference, plan_datafusion_err};
use datafusion::logical_expr::LogicalPlan;
use std::collections::BTreeMap;

const INPUT_NAMES: [&str; 2] = ["input", "input_b"];

/// Resolves a building block, whose relations are passed on unchanged as its inputs.
pub(super) fn block(call: &Call) -> Result<Expansion> {
    block_variant(call, None, [])
}

/// Resolves a building block to one of its variants, with additional literals.
fn block_variant<const N: usize>(
    call: &Call,
    variant: Option<&str>,
    more: [(&str, Value); N],
) -> Result<Expansion> {
    let function = function(call)?;
    let template = variant.map_or(function.template, |name| function.variant(name));
    Ok(expansion(call, template, call.relations.clone(), more))
}

/// The entry of the registry for a call.
fn function(call: &Call) -> Result<&'static TableFunction> {
    find(call.function).ok_or_else(|| plan_datafusion_err!("unknown function {}", call.function))
}

/// The name of a scan of the files of a call. It has all values of the call, because scans of one name are equal to the
/// engine, which computes one of two equal subqueries.
fn scan_name(call: &Call) -> TableReference {
    let values: Vec<String> = (call.literals().iter())
        .map(|(name, value)| format!("{name} => {value}"))
        .collect();
    TableReference::bare(format!("{}({})", call.function, values.join(", ")))
}

/// A template over the given inputs, with the values of the call and additional ones.
fn expansion<'a>(
    call: &Call,
    template: Template,
    inputs: Vec<LogicalPlan>,
    more: impl IntoIterator<Item = (&'a str, Value)>,
) -> Expansion {
    let mut values: BTreeMap<_, _> = call.literals();
    for (name, value) in more {
        values.insert(name.to_owned(), value.literal());
    }
    Expansion::Template {
        template,
        inputs: INPUT_NAMES.into_iter().zip(inputs).collect(),
        values,
        output: None,
    }
}
