//! Resolves the joins of documents, and `minhash_buckets`.

use super::lsh::bands_and_rows;
use super::{Call, Expansion, Value, block, block_variant, expansion, function};
use crate::functions::groups::Groups;
use crate::functions::{columns, inputs};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{cast, col};
use std::collections::BTreeMap;

/// `jaccard_join`: exact and complete, of texts or of sets.
pub(in crate::functions) fn jaccard_join(call: &Call) -> Result<Expansion> {
    match is_of_sets(call)? {
        true => set_join(call, "jaccard_join.sets"),
        false => document_join(call, BTreeMap::new()),
    }
}

/// `containment_join`: exact and complete, of texts or of sets.
pub(in crate::functions) fn containment_join(call: &Call) -> Result<Expansion> {
    if call.relations.len() == 1 && call.is_given("share_of") && call.text("share_of")? != "smaller"
    {
        return plan_err!(
            "containment_join: share_of => '{}' needs a second relation; of two rows of one relation the share is that of the smaller set",
            call.text("share_of")?
        );
    }
    match is_of_sets(call)? {
        true => set_join(call, "containment_join.sets"),
        false => document_join(call, BTreeMap::new()),
    }
}

/// `edit_join`: exact and complete, of texts.
pub(in crate::functions) fn edit_join(call: &Call) -> Result<Expansion> {
    document_join(call, BTreeMap::new())
}

/// `containment_sides`, the building block.
pub(in crate::functions) fn containment_sides(call: &Call) -> Result<Expansion> {
    let variant = match call.integer("sides")? {
        1 => "containment_sides.one",
        _ => "containment_sides.two",
    };
    block_variant(call, Some(variant), [])
}

/// Whether the sets of a join are those of a column.
fn is_of_sets(call: &Call) -> Result<bool> {
    match call.column("signature_column") {
        Some(_) => Ok(true),
        None if call.is_given("signature_column_b") => plan_err!(
            "{}: signature_column_b needs signature_column",
            call.function
        ),
        None => Ok(false),
    }
}

/// The exact join of a column of sets.
fn set_join(call: &Call, variant: &str) -> Result<Expansion> {
    for name in [
        "text",
        "text_b",
        "shingle",
        "normalize",
        "max_bucket_pairwise",
    ] {
        if call.is_given(name) {
            return plan_err!(
                "{}: {name} is for texts and cannot be combined with signature_column",
                call.function
            );
        }
    }
    if is_linked(call) {
        return plan_err!(
            "jaccard_join: copies => 'linked' is for texts and cannot be combined with signature_column"
        );
    }
    check_second(call, &["id_b", "signature_column_b"])?;
    let sets = inputs::rows(call, "signature_column", "tokens", columns::set_column)?;
    let more = [
        ("sides", Value::Integer(call.relations.len() as i64)),
        Groups::of(call)?.rule(),
    ];
    let variant = function(call)?.variant(variant);
    with_own_ids(
        call,
        expansion(call, variant, vec![sets], more),
        "similarity",
    )
}

/// `minhash_join`: candidates by bands or draws, verified.
pub(in crate::functions) fn minhash_join(call: &Call) -> Result<Expansion> {
    let (bands, rows, hashes) = signature_shape(call)?;
    // max_bucket applies to whole buckets, so a single part must process all of them.
    let mut more = BTreeMap::from([("bands", bands), ("rows", rows), ("num_hashes", hashes)]);
    if call.integer("max_bucket")? > 0 {
        more.insert("parts", Value::Integer(1));
    }
    document_join(call, more)
}

/// `minhash_buckets`.
pub(in crate::functions) fn minhash_buckets(call: &Call) -> Result<Expansion> {
    let (bands, rows, hashes) = signature_shape(call)?;
    let more = [("bands", bands), ("rows", rows), ("num_hashes", hashes)];
    Ok(expansion(
        call,
        function(call)?.template,
        vec![inputs::documents(call)?],
        more,
    ))
}

/// `minhash_pairs`, the building block.
pub(in crate::functions) fn minhash_pairs(call: &Call) -> Result<Expansion> {
    match call.text("scheme")? {
        // The template needs values for the parameters of both schemes. With draws these two have no effect.
        "draws" => {
            let unused = [("bands", Value::Integer(1)), ("rows", Value::Integer(1))];
            block_variant(call, None, unused)
        }
        _ => block(call),
    }
}

/// The numbers of bands, rows and hash functions of a signature.
fn signature_shape(call: &Call) -> Result<(Value, Value, Value)> {
    if call.text("scheme")? == "draws" {
        for name in ["target_recall", "bands", "rows"] {
            if call.is_given(name) {
                return plan_err!(
                    "{}: scheme 'draws' takes draws and draw_size, not {name}",
                    call.function
                );
            }
        }
        let hashes = Value::Integer(call.integer("num_hashes")?);
        return Ok((Value::Integer(1), Value::Integer(1), hashes));
    }
    for name in ["draws", "draw_size"] {
        if call.is_given(name) {
            return plan_err!("{}: {name} needs scheme => 'draws'", call.function);
        }
    }
    let (bands, rows) = bands_and_rows(call)?;
    let hashes = match (&bands, &rows) {
        (Value::Integer(bands), Value::Integer(rows)) => Value::Integer(bands * rows),
        _ => return plan_err!("{}: bands and rows must be whole numbers", call.function),
    };
    Ok((bands, rows, hashes))
}

/// Whether copies are linked; not every join has the argument.
fn is_linked(call: &Call) -> bool {
    matches!(call.get("copies"), Some(Value::Text(copies)) if copies == "linked")
}

fn document_join(call: &Call, more: BTreeMap<&str, Value>) -> Result<Expansion> {
    let sides = call.relations.len();
    let linked = is_linked(call);
    if linked && sides == 2 {
        return plan_err!(
            "{}: copies => 'linked' takes one relation, found two",
            call.function
        );
    }
    if linked && call.column("across").is_some() {
        return plan_err!(
            "{}: copies => 'linked' cannot be combined with across, because copies are linked regardless of its values",
            call.function
        );
    }
    if !linked && call.is_given("max_bucket_pairwise") {
        return plan_err!(
            "{}: max_bucket_pairwise needs copies => 'linked'",
            call.function
        );
    }
    check_second(call, &["id_b", "text_b"])?;
    let function = function(call)?;
    let template = match linked {
        true => function.variants[0],
        false => function.template,
    };
    let input = inputs::documents(call)?;
    let (group_rule, rule) = Groups::of(call)?.rule();
    let mut expansion = expansion(call, template, vec![input], more);
    if let Expansion::Template { values, .. } = &mut expansion {
        values.insert("sides".to_owned(), Value::Integer(sides as i64).literal());
        values.insert(group_rule.to_owned(), rule.literal());
    }
    with_own_ids(call, expansion, "similarity")
}

/// Rejects arguments for a second relation if the call has only one relation.
pub(super) fn check_second(call: &Call, names: &[&str]) -> Result<()> {
    for name in names {
        if call.relations.len() == 1 && call.is_given(name) {
            return plan_err!("{}: {name} needs a second relation", call.function);
        }
    }
    Ok(())
}

/// A join compares the ids of both relations in a common type. This casts the resulting ids back to their own types.
pub(super) fn with_own_ids(
    call: &Call,
    mut expansion: Expansion,
    value: &str,
) -> Result<Expansion> {
    if let ([id_a, id_b], Expansion::Template { output, .. }) =
        (inputs::id_types(call)?.as_slice(), &mut expansion)
        && id_a != id_b
    {
        *output = Some(vec![
            cast(col("id_a"), id_a.clone()).alias("id_a"),
            cast(col("id_b"), id_b.clone()).alias("id_b"),
            col(value),
        ]);
    }
    Ok(expansion)
}
