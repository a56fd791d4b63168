//! Resolves the joins of bit signatures and of vectors.

use super::join::{check_second, with_own_ids};
use super::{Call, Expansion, Value, block_variant, expansion, function};
use crate::functions::groups::Groups;
use crate::functions::{columns, inputs};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::logical_expr::LogicalPlan;
use neardup_kernels::{choose_tables, distance_for_recall, found_in_tables, tables_for_recall};

/// Default number of tables, where it is not chosen for the target recall.
const TABLES: i64 = 20;
/// Upper bound of the number of parts.
const MAX_PARTS: i64 = 65_536;
/// Default number of bits of a key with `method => 'bands'`.
const KEY_BITS: i64 = 16;

/// `signature_pairs`, the building block.
pub(in crate::functions) fn signature_pairs(call: &Call) -> Result<Expansion> {
    let variant = match call.text("method")? {
        "exact" | "bands" => "signature_pairs.keys",
        "window" => "signature_pairs.windows",
        _ => "signature_pairs.all",
    };
    // The variant ignores the literals of the other methods.
    block_variant(call, Some(variant), [])
}

/// `hamming_join`.
pub(in crate::functions) fn hamming_join(call: &Call) -> Result<Expansion> {
    check_second(call, &["id_b", "signature_column_b"])?;
    let input = inputs::rows(
        call,
        "signature_column",
        "vector",
        columns::signature_column,
    )?;
    let signature = |index: usize| -> Result<DataType> {
        let plan = &call.relations[index];
        let second = (index == 1)
            .then(|| call.column("signature_column_b"))
            .flatten();
        let name = second
            .or(call.column("signature_column"))
            .unwrap_or("signature");
        columns::data_type(plan, &columns::column(call, plan, name)?)
    };
    let mut bits = call.get("bits").map(|_| call.integer("bits")).transpose()?;
    for index in 0..call.relations.len() {
        let data_type = signature(index)?;
        let DataType::FixedSizeBinary(bytes) = data_type else {
            if bits.is_none() && call.text("method")? != "exhaustive" {
                return plan_err!(
                    "{}: the signatures are {data_type}, whose length is not known: give bits, or method => 'exhaustive'",
                    call.function
                );
            }
            continue;
        };
        let max_bits = i64::from(bytes) * 8;
        match bits {
            None if max_bits > 4096 => {
                return plan_err!(
                    "{}: signatures may have at most 4096 bits, found {max_bits}",
                    call.function
                );
            }
            None => bits = Some(max_bits),
            Some(bits) if bits > max_bits => {
                return plan_err!(
                    "{}: bits must be at most the {max_bits} of a signature, found {bits}",
                    call.function
                );
            }
            Some(_) => {}
        }
    }
    let plan = Methods::of(call, bits.unwrap_or(1))?;
    let max_distance = call.integer("max_distance")?;
    let exact_blocks = (call.text("method")? == "exact").then_some(max_distance + 1);
    let values = plan.values(exact_blocks, max_distance);
    finish(call, vec![input], None, values, "distance")
}

/// `simhash_join`.
pub(in crate::functions) fn simhash_join(call: &Call) -> Result<Expansion> {
    check_second(call, &["id_b", "text_b"])?;
    let bits = call.integer("bits")?;
    if bits != 64 && bits != 128 {
        return plan_err!("simhash_join: bits must be 64 or 128, found {bits}");
    }
    let plan = Methods::of(call, bits)?;
    let max_distance = call.integer("max_distance")?;
    let exact_blocks = (call.text("method")? == "exact").then_some(max_distance + 1);
    let values = plan.values(exact_blocks, max_distance);
    finish(
        call,
        vec![inputs::documents(call)?],
        None,
        values,
        "distance",
    )
}

/// `projection_join`: computes the maximum distance and the tables for the target recall.
pub(in crate::functions) fn projection_join(call: &Call) -> Result<Expansion> {
    check_second(call, &["id_b", "vector_b"])?;
    let values = projection(call)?;
    let variant = (call.text("verify")? == "estimate").then_some("projection_join.estimated");
    let input = inputs::rows(call, "vector", "vector", columns::vector_column)?;
    finish(call, vec![input], variant, values, "similarity")
}

/// `cosine_join`.
pub(in crate::functions) fn cosine_join(call: &Call) -> Result<Expansion> {
    check_second(call, &["id_b", "vector_b"])?;
    let input = inputs::rows(call, "vector", "vector", columns::vector_column)?;
    let (groups, parts) = groups(call)?;
    let values = vec![("groups", groups), ("parts", parts)];
    finish(call, vec![input], None, values, "similarity")
}

/// The literals of a call that finds pairs of vectors by their signatures: maximum distance, tables and so on.
pub(super) fn projection(call: &Call) -> Result<Vec<(&'static str, Value)>> {
    let failed = |error| plan_datafusion_err!("{}: {error}", call.function);
    let (bits, threshold) = (call.integer("bits")? as usize, call.number("threshold")?);
    let mut plan = Methods::of(call, bits as i64)?;
    let target = call.number("target_recall")?;
    // With 'bands', the recall is the product of the recall of the tables and that of the distance test.
    let recall = match call.text("method")? {
        "bands" => target.sqrt(),
        _ => target,
    };
    if call.text("method")? == "bands" {
        match (plan.tables, plan.key_bits) {
            (None, None) => {
                let chosen = choose_tables(bits, threshold, recall).map_err(failed)?;
                (plan.tables, plan.key_bits) =
                    (Some(chosen.tables as i64), Some(chosen.key_bits as i64));
            }
            (None, Some(key_bits)) => {
                let tables = tables_for_recall(threshold, key_bits as f64, recall);
                if tables > 4096.0 {
                    return plan_err!(
                        "{}: a recall of {target} with key_bits => {key_bits} takes {tables} tables, of at most 4096",
                        call.function
                    );
                }
                plan.tables = Some(tables as i64);
            }
            (Some(tables), None) => {
                let found = |key_bits: &usize| {
                    found_in_tables(threshold, *key_bits as f64, tables as usize) >= recall
                };
                plan.key_bits = Some((1..=bits).rev().find(found).unwrap_or(1) as i64);
            }
            (Some(_), Some(_)) => {}
        }
    }
    let max_distance = match call.get("max_distance") {
        Some(_) if call.is_given("target_recall") && call.text("method")? != "bands" => {
            return plan_err!(
                "{}: give either max_distance or target_recall, not both",
                call.function
            );
        }
        Some(_) => call.integer("max_distance")?,
        None => distance_for_recall(bits, threshold, recall).map_err(failed)? as i64,
    };
    Ok(plan.values(None, max_distance))
}

/// The literals of a building block that compares all signatures: the maximum distance for the target recall, and the
/// groups and parts.
pub(super) fn all_within_recall(call: &Call) -> Result<[(&'static str, Value); 3]> {
    let max_distance = distance_for_recall(
        call.integer("bits")? as usize,
        call.number("threshold")?,
        call.number("target_recall")?,
    )
    .map_err(|error| plan_datafusion_err!("{}: {error}", call.function))?;
    let (groups, parts) = groups(call)?;
    Ok([
        ("max_distance", Value::Integer(max_distance as i64)),
        ("groups", groups),
        ("parts", parts),
    ])
}

/// The arguments of a call about the method of comparing signatures.
struct Methods {
    bits: i64,
    tables: Option<i64>,
    key_bits: Option<i64>,
    window: i64,
    chunk: i64,
    groups: Value,
    parts: Value,
}

impl Methods {
    /// Reads the arguments, and checks that each applies to the method.
    fn of(call: &Call, bits: i64) -> Result<Self> {
        let method = call.text("method")?;
        for (name, methods) in [
            ("tables", &["bands", "window"][..]),
            ("key_bits", &["bands"]),
            ("window", &["window"]),
            ("chunk", &["window"]),
        ] {
            if call.is_given(name) && !methods.contains(&method) {
                return plan_err!(
                    "{}: {name} needs method => '{}'",
                    call.function,
                    methods.join("' or '")
                );
            }
        }
        let given = |name: &str| call.get(name).map(|_| call.integer(name)).transpose();
        let key_bits = given("key_bits")?;
        if key_bits.is_some_and(|key_bits| key_bits > bits) {
            return plan_err!(
                "{}: key_bits must be at most the {bits} bits of a signature, found {}",
                call.function,
                key_bits.unwrap_or(0)
            );
        }
        let (groups, parts) = match method {
            "exhaustive" => groups(call)?,
            _ => (Value::Integer(1), Value::Integer(call.integer("parts")?)),
        };
        Ok(Self {
            bits,
            tables: given("tables")?,
            key_bits,
            window: call.integer("window")?,
            chunk: call.integer("chunk")?,
            groups,
            parts,
        })
    }

    /// The literals. `exact_blocks` is the number of blocks of a signature with method 'exact'.
    fn values(self, exact_blocks: Option<i64>, max_distance: i64) -> Vec<(&'static str, Value)> {
        let (tables, key_bits) = match exact_blocks {
            Some(blocks) => (blocks, 0),
            None => (
                self.tables.unwrap_or(TABLES),
                self.key_bits.unwrap_or(KEY_BITS.min(self.bits)),
            ),
        };
        vec![
            ("bits", Value::Integer(self.bits)),
            ("tables", Value::Integer(tables)),
            ("key_bits", Value::Integer(key_bits)),
            ("window", Value::Integer(self.window)),
            ("chunk", Value::Integer(self.chunk)),
            ("max_distance", Value::Integer(max_distance)),
            ("groups", self.groups),
            ("parts", self.parts),
        ]
    }
}

/// The smallest number of groups of rows whose pairs of groups are at least the requested number of parts, within
/// [`MAX_PARTS`], and the resulting number of parts.
fn groups(call: &Call) -> Result<(Value, Value)> {
    let wanted = call.integer("parts")?;
    let parts = |groups: i64| match call.relations.len() {
        2 => groups * groups,
        _ => groups * (groups + 1) / 2,
    };
    let mut groups = 1;
    while parts(groups) < wanted && parts(groups + 1) <= MAX_PARTS {
        groups += 1;
    }
    Ok((Value::Integer(groups), Value::Integer(parts(groups))))
}

fn finish(
    call: &Call,
    inputs: Vec<LogicalPlan>,
    variant: Option<&str>,
    values: Vec<(&'static str, Value)>,
    reported: &str,
) -> Result<Expansion> {
    let function = function(call)?;
    let template = variant.map_or(function.template, |name| function.variant(name));
    let groups = Groups::of(call)?;
    if matches!(groups, Groups::Agree(_))
        && matches!(call.get("method"), Some(Value::Text(method)) if method == "window")
    {
        return plan_err!(
            "{}: within cannot be combined with method => 'window', whose windows hold rows of all groups",
            call.function
        );
    }
    let more = [
        ("sides", Value::Integer(call.relations.len() as i64)),
        groups.rule(),
    ];
    let values = values.into_iter().chain(more);
    with_own_ids(call, expansion(call, template, inputs, values), reported)
}
