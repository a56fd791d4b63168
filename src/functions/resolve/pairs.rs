//! Resolves the functions over relations of pairs.

use super::{Call, Expansion, block_variant, expansion, function};
use crate::functions::columns::{column, data_type, id_column, number_column, signed_id};
use crate::functions::inputs::{common_id_type, joined_id_type};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};

/// `components`, whose ids are those of the pairs. Under a memory limit its ids are numbered.
pub(in crate::functions) fn components(call: &Call) -> Result<Expansion> {
    let columns = ends(call, common_id_type, id_column)?;
    let mut result = over_pairs(call, columns)?;
    if let Expansion::Template { template, .. } = &mut result
        && call.has_limit
    {
        *template = function(call)?.variant("components.numbered");
    }
    Ok(result)
}

/// `pair_representatives`, the building block. Under a memory limit its ids are numbered.
pub(in crate::functions) fn pair_representatives(call: &Call) -> Result<Expansion> {
    let numbered = call.has_limit.then_some("pair_representatives.numbered");
    block_variant(call, numbered, [])
}

/// `pair_quality`, which returns no ids.
pub(in crate::functions) fn pair_quality(call: &Call) -> Result<Expansion> {
    over_pairs(call, ends(call, joined_id_type, any_id)?)
}

/// `recall_by_similarity`, which returns no ids. The true pairs have similarities.
pub(in crate::functions) fn recall_by_similarity(call: &Call) -> Result<Expansion> {
    let mut columns = ends(call, joined_id_type, any_id)?;
    let name = call.column("similarity").unwrap_or("similarity");
    let similarity = number_column(call, &call.relations[1], name)?;
    columns[1].push(similarity.alias("similarity"));
    over_pairs(call, columns)
}

/// An id that is compared and not returned, also numbers that no integer type holds together.
fn any_id(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let id = column(call, plan, name)?;
    match data_type(plan, &id)? {
        DataType::Decimal128(_, 0) => Ok(cast(id, DataType::Utf8View)),
        _ => id_column(call, plan, name),
    }
}

/// The ids of the pairs of each relation. All have one type: ids can be compared, within a pair and between relations,
/// only in a common one.
fn ends(
    call: &Call,
    common_type: fn(&[DataType]) -> DataType,
    id: fn(&Call, &LogicalPlan, &str) -> Result<Expr>,
) -> Result<Vec<Vec<Expr>>> {
    let names = ["id_a", "id_b"];
    let mut ends = Vec::new();
    for plan in &call.relations {
        for name in names {
            let column = call.column(name).unwrap_or(name);
            let end = id(call, plan, column)?;
            ends.push((data_type(plan, &end)?, end, column));
        }
    }
    let mut ends = in_one_type(call, ends, common_type).into_iter();
    let columns = call.relations.iter().map(|_| {
        let columns = names.iter().zip(ends.by_ref());
        columns.map(|(name, end)| end.alias(*name)).collect()
    });
    Ok(columns.collect())
}

/// The template over these columns of its relations.
fn over_pairs(call: &Call, columns: Vec<Vec<Expr>>) -> Result<Expansion> {
    let inputs = call.relations.iter().zip(columns).map(|(plan, columns)| {
        LogicalPlanBuilder::from(plan.clone())
            .project(columns)?
            .build()
    });
    resolved(call, inputs.collect::<Result<_>>()?)
}

/// `document_similarity`: the ids of the pairs and those of the sentences are compared.
pub(in crate::functions) fn document_similarity(call: &Call) -> Result<Expansion> {
    let (pairs, sentences) = (&call.relations[0], &call.relations[1]);
    let mut ids = Vec::new();
    for (plan, name) in [(pairs, "id_a"), (pairs, "id_b"), (sentences, "id")] {
        let column = call.column(name).unwrap_or(name);
        let id = id_column(call, plan, column)?;
        ids.push((data_type(plan, &id)?, id, column));
    }
    let mut ids = in_one_type(call, ids, joined_id_type).into_iter();
    let mut aliased = |names: &[&str]| -> Vec<Expr> {
        let ids = ids.by_ref().zip(names);
        ids.map(|(id, name)| id.alias(*name)).collect()
    };
    let ends = aliased(&["id_a", "id_b"]);
    let mut columns = aliased(&["id"]);
    let document = call.column("document").unwrap_or("document");
    columns.push(id_column(call, sentences, document)?.alias("document"));
    let inputs = [(pairs, ends), (sentences, columns)]
        .into_iter()
        .map(|(plan, columns)| {
            LogicalPlanBuilder::from(plan.clone())
                .project(columns)?
                .build()
        });
    resolved(call, inputs.collect::<Result<_>>()?)
}

/// Ids, each with its type and the name of its column, in the common type.
fn in_one_type(
    call: &Call,
    ids: Vec<(DataType, Expr, &str)>,
    common_type: fn(&[DataType]) -> DataType,
) -> Vec<Expr> {
    let types: Vec<_> = ids.iter().map(|(found, ..)| found.clone()).collect();
    let id_type = common_type(&types);
    let ids = ids.into_iter().map(|(found, id, column)| {
        if found == id_type {
            id
        } else if (&found, &id_type) == (&DataType::UInt64, &DataType::Int64) {
            signed_id(call, id, column)
        } else {
            cast(id, id_type.clone())
        }
    });
    ids.collect()
}

/// The function's template over its inputs.
fn resolved(call: &Call, inputs: Vec<LogicalPlan>) -> Result<Expansion> {
    let template = function(call)?.template;
    Ok(expansion(call, template, inputs, []))
}
