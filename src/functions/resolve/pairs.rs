//! Functions over relations of pairs.

use super::{Call, Expansion, expansion};
use crate::functions::find;
use crate::functions::relations::{
    column, common_id_type, data_type, id_column, joined_id_type, signed_id,
};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};

/// `components`, whose ids are those of the pairs.
pub(in crate::functions) fn components(call: &Call) -> Result<Expansion> {
    over_pairs(call, common_id_type, id_column)
}

/// `pair_quality`, which returns no ids: all are compared, also numbers that no integer type holds together.
pub(in crate::functions) fn pair_quality(call: &Call) -> Result<Expansion> {
    over_pairs(call, joined_id_type, |call, plan, name| {
        let id = column(call, plan, name)?;
        match data_type(plan, &id)? {
            DataType::Decimal128(_, 0) => Ok(cast(id, DataType::Utf8View)),
            _ => id_column(call, plan, name),
        }
    })
}

/// The template over relations whose ids have one type: ids can be compared, within a pair and between relations,
/// only in a common one.
fn over_pairs(
    call: &Call,
    common_type: fn(&[DataType]) -> DataType,
    id: fn(&Call, &LogicalPlan, &str) -> Result<Expr>,
) -> Result<Expansion> {
    let names = ["id_a", "id_b"];
    let mut ends = Vec::new();
    for plan in &call.relations {
        for name in names {
            let column = call.column(name).unwrap_or(name);
            let end = id(call, plan, column)?;
            ends.push((data_type(plan, &end)?, end, column));
        }
    }
    let types: Vec<_> = ends.iter().map(|(id, ..)| id.clone()).collect();
    let id_type = common_type(&types);
    let mut ends = ends.into_iter().map(|(found, end, column)| {
        if found == id_type {
            end
        } else if (&found, &id_type) == (&DataType::UInt64, &DataType::Int64) {
            signed_id(call, end, column)
        } else {
            cast(end, id_type.clone())
        }
    });
    let mut inputs = Vec::new();
    for plan in &call.relations {
        let columns = names.iter().zip(ends.by_ref());
        let columns: Vec<_> = columns.map(|(name, end)| end.alias(*name)).collect();
        let plan = LogicalPlanBuilder::from(plan.clone());
        inputs.push(plan.project(columns)?.build()?);
    }
    let template = find(call.function)
        .ok_or_else(|| plan_datafusion_err!("unknown function {}", call.function))?
        .template;
    Ok(expansion(call, template, inputs, []))
}
