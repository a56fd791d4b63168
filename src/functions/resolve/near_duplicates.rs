//! Resolves `near_duplicates`, `deduplicate` and their building blocks. The keep order is expressed as a rank.

use super::lsh::bands_and_rows;
use super::signatures;
use super::{Call, Expansion, Value, block_variant, expansion, function};
use crate::functions::groups::Groups;
use crate::functions::{
    Keep, KeepOrder, columns, default_measure, hint_for_key, needed_method, one_row_per_id,
};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::functions::unicode::expr_fn::character_length;
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, cast, ident, lit, when,
};
use neardup_kernels::Measure;
use neardup_kernels::pairs::MAX_PREDECESSORS;

/// `near_duplicates`.
pub(in crate::functions) fn near_duplicates(call: &Call) -> Result<Expansion> {
    let function = function(call)?;
    let order = keep_order(call)?;
    let template = match order {
        Some(_) => function.variants[0],
        None => function.template,
    };
    let input = ranked(call, order)?;
    Ok(expansion(call, template, vec![input], values(call)?))
}

/// `deduplicate`: the rows that are kept, with all their columns.
pub(in crate::functions) fn deduplicate(call: &Call) -> Result<Expansion> {
    let template = function(call)?.template;
    let plan = &call.relations[0];
    let columns = columns::all_columns(plan);
    let names: Vec<String> = plan
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let mut projection: Vec<Expr> = columns
        .into_iter()
        .zip(&names)
        .map(|(column, name)| column.alias(name))
        .collect();
    // A column of the input with the name removed_id is renamed meanwhile.
    let mut columns = names.clone();
    if let Some(clash) = names.iter().position(|name| name == "removed_id") {
        columns[clash] = fresh_name(&names);
        projection[clash] = projection[clash].clone().unalias().alias(&columns[clash]);
    }
    let id = columns::id_column(call, plan, id_name(call))?;
    projection.push(id.clone().alias("removed_id"));
    let order = keep_order(call)?;
    let value = item_column(call, plan)?;
    let input = LogicalPlanBuilder::from(one_row_per_id(plan.clone(), id, value, order.clone())?)
        .project(projection)?
        .build()?;
    let documents = ranked(call, order)?;
    let inputs = vec![input, documents];
    let mut result = expansion(call, template, inputs, values(call)?);
    if let Expansion::Template { output, .. } = &mut result {
        let renamed = columns.iter().zip(&names);
        *output = Some(
            renamed
                .map(|(column, name)| ident(column).alias(name))
                .collect(),
        );
    }
    Ok(result)
}

/// A name that is not among `names`.
fn fresh_name(names: &[String]) -> String {
    let mut name = "removed_id_".to_owned();
    while names.contains(&name) {
        name.push('_');
    }
    name
}

/// `resolved_items`, the building block.
pub(in crate::functions) fn resolved_items(call: &Call) -> Result<Expansion> {
    let variant = match (call.text("measure")?, call.text("resolution")?) {
        ("containment", _) => "resolved_items.contained",
        (_, "components") => "resolved_items.components",
        _ => "resolved_items.representative",
    };
    block_variant(call, Some(variant), [])
}

/// `distinct_items`, the building block.
pub(in crate::functions) fn distinct_items(call: &Call) -> Result<Expansion> {
    let variant = match call.text("measure")?.parse() {
        Ok(Measure::Jaccard | Measure::Containment | Measure::Edit) => "distinct_items.texts",
        Ok(Measure::Cosine) => "distinct_items.vectors",
        Err(error) => return plan_err!("{}: {error}", call.function),
    };
    block_variant(call, Some(variant), [])
}

/// `item_pairs`, the building block.
pub(in crate::functions) fn item_pairs(call: &Call) -> Result<Expansion> {
    match call.text("measure")? {
        "containment" => return block_variant(call, Some("item_pairs.containment"), []),
        "edit" => return block_variant(call, Some("item_pairs.edit"), []),
        _ => {}
    }
    match call.text("method")? {
        "exact" => {
            let variant = match call.relations.len() {
                1 => "item_pairs.exact",
                _ => "item_pairs.frequencies",
            };
            return block_variant(call, Some(variant), []);
        }
        "projection" => {
            let [distance, groups, parts] = signatures::all_within_recall(call)?;
            let limit = call.integer("max_bucket_pairwise")?;
            if limit == 0 || call.text("resolution")? == "components" {
                let more = [distance, groups, parts];
                return block_variant(call, Some("item_pairs.projection"), more);
            }
            let predecessors = Value::Integer(limit.min(MAX_PREDECESSORS as i64));
            let more = [distance, groups, parts, ("predecessors", predecessors)];
            return block_variant(call, Some("item_pairs.first"), more);
        }
        _ => {}
    }
    let (bands, rows) = bands_and_rows(call)?;
    let hashes = match (&bands, &rows) {
        (Value::Integer(bands), Value::Integer(rows)) => Value::Integer(bands * rows),
        _ => return plan_err!("{}: bands and rows must be whole numbers", call.function),
    };
    let more = [("bands", bands), ("rows", rows), ("num_hashes", hashes)];
    block_variant(call, Some("item_pairs.minhash"), more)
}

fn id_name(call: &Call) -> &str {
    call.column("id").unwrap_or("id")
}

/// The measure of a call: the one that is given, or that of the method.
fn measure(call: &Call) -> Result<Measure> {
    let function = call.function;
    let method = call.text("method")?;
    let measure = match call.get("measure") {
        Some(Value::Text(name)) => match name.parse() {
            Ok(measure) => measure,
            Err(error) => return plan_err!("{function}: {error}"),
        },
        _ => default_measure(method),
    };
    if let Some(needed) = needed_method(measure, method) {
        return plan_err!(
            "{function}: measure '{measure}' needs method => '{needed}', found '{method}'"
        );
    }
    if measure == Measure::Containment && call.text("resolution")? == "components" {
        return plan_err!(
            "{function}: measure 'containment' has a direction and needs resolution => 'representative', found 'components'"
        );
    }
    let unused: &[&str] = match measure {
        Measure::Jaccard | Measure::Cosine => &[],
        Measure::Containment => &["max_bucket_pairwise"],
        Measure::Edit => &["max_bucket_pairwise", "shingle"],
    };
    match unused.iter().find(|name| call.is_given(name)) {
        Some(name) => plan_err!("{function}: {name} has no effect with measure '{measure}'"),
        None => Ok(measure),
    }
}

/// The values that the templates need beside those of the call.
fn values(call: &Call) -> Result<Vec<(&'static str, Value)>> {
    let measure = measure(call)?;
    let mut values = vec![
        ("measure", Value::Text(measure.to_string())),
        Groups::of(call)?.rule(),
    ];
    if measure == Measure::Edit {
        // Every text that is not empty has such a shingle, and is compared.
        values.push(("shingle", Value::Text("char:1".to_owned())));
    }
    Ok(values)
}

/// The items that are compared, unchanged.
fn item_column(call: &Call, plan: &LogicalPlan) -> Result<Expr> {
    match measure(call)? {
        Measure::Cosine => columns::column(call, plan, call.column("vector").unwrap_or("vector")),
        _ => match columns::text_names(call).as_slice() {
            [name] => columns::column(call, plan, name),
            names => columns::texts(call, plan, names),
        },
    }
}

/// What rows are ordered by before their ids, or `None` if they are ordered by id alone.
fn keep_order(call: &Call) -> Result<Option<KeepOrder>> {
    let plan = &call.relations[0];
    if let Some(Value::Text(keep_by)) = call.get("keep_by") {
        if call.is_given("keep") {
            return plan_err!("{}: give either keep or keep_by, not both", call.function);
        }
        let in_call = |error: DataFusionError| {
            plan_datafusion_err!("{}: keep_by: {}", call.function, error.message())
        };
        let Keep::By(keys) = Keep::parse(keep_by).map_err(in_call)? else {
            return plan_err!("{}: keep_by must name a column", call.function);
        };
        let find = |name: &str| {
            let expr =
                columns::column(call, plan, name).map_err(|error| match hint_for_key(name) {
                    "" => error,
                    hint => plan_datafusion_err!("{}{hint}", error.message()),
                })?;
            let data_type = columns::data_type(plan, &expr)?;
            Ok((expr, data_type))
        };
        return KeepOrder::of(&keys, find).map(Some);
    }
    if Keep::from_word(call.text("keep")?)? == Keep::Longest {
        let text = columns::texts(call, plan, &columns::text_names(call))?;
        return Ok(Some(KeepOrder {
            expr: character_length(text),
            descending: true,
        }));
    }
    Ok(None)
}

/// The documents of a call as `id, rank, item`, with ranks ascending in keep order. Each id has one rank, that of its
/// row that is kept. A row without an id is always kept: its rank and item are NULL.
fn ranked(call: &Call, order: Option<KeepOrder>) -> Result<LogicalPlan> {
    let plan = call.relations[0].clone();
    let id = columns::id_column(call, &plan, id_name(call))?;
    let measure = measure(call)?;
    if measure != Measure::Cosine && call.is_given("vector") {
        return plan_err!("{}: vector needs method => 'projection'", call.function);
    }
    let item = match measure {
        Measure::Jaccard | Measure::Containment | Measure::Edit => {
            columns::texts(call, &plan, &columns::text_names(call))?
        }
        Measure::Cosine => {
            let name = call.column("vector").unwrap_or("vector");
            columns::vector_column(call, &plan, name, &id)?
        }
    };
    let groups = Groups::of(call)?;
    let group = groups.values(call)?.remove(0);
    let Some(order) = order else {
        return LogicalPlanBuilder::from(plan)
            .project(vec![
                id.clone().alias("id"),
                id.alias("rank"),
                item.alias("item"),
                group.alias("group_value"),
            ])?
            .build();
    };
    // A row without an item is kept only if all rows of its id have none.
    let has_item = item_column(call, &plan)?.is_not_null();
    let keep_key = when(has_item.clone(), order.expr).end()?;
    let group_type = columns::data_type(&plan, &group)?;
    // Of an id's texts one is held, and hashes tell whether they are equal.
    let is_text = measure != Measure::Cosine;
    let compared = match is_text {
        true => neardup_udfs::text_hash().call(vec![item.clone()]),
        false => item.clone(),
    };
    let documents = LogicalPlanBuilder::from(plan)
        .project(vec![
            id.alias("id"),
            item.alias("item"),
            compared.alias("compared"),
            when(has_item.clone(), group).end()?.alias("group_value"),
            has_item.alias("has_item"),
            keep_key.alias("keep_key"),
        ])?
        .build()?;
    let keep_key = match order.descending {
        true => max(ident("keep_key")),
        false => min(ident("keep_key")),
    };
    let rank = row_number()
        .order_by(vec![
            ident("keep_key").sort(!order.descending, false),
            ident("id").sort(true, false),
        ])
        .build()?;
    let id_text = cast(ident("id"), DataType::Utf8);
    let extremes = [ident("min_compared"), ident("max_compared")];
    let (item, none) = match is_text {
        true => {
            let [min, max] = extremes;
            let of_id = vec![id_text.clone(), ident("min_item"), min, max];
            let item = neardup_udfs::one_text().call(of_id);
            (item, ScalarValue::Utf8View(None))
        }
        false => {
            let [min, max] = extremes;
            let item = neardup_udfs::same_bytes().call(vec![id_text.clone(), min, max]);
            (item, ScalarValue::BinaryView(None))
        }
    };
    let ranked = LogicalPlanBuilder::from(documents.clone())
        .filter(ident("id").is_not_null())?
        .aggregate(
            vec![ident("id")],
            vec![
                keep_key.alias("keep_key"),
                min(ident("item")).alias("min_item"),
                min(ident("compared")).alias("min_compared"),
                max(ident("compared")).alias("max_compared"),
                min(ident("group_value")).alias("group_value"),
                max(ident("group_value")).alias("max_group"),
                count(ident("group_value")).alias("grouped"),
                sum(cast(ident("has_item"), DataType::Int64)).alias("items"),
            ],
        )?
        .window(vec![rank])?;
    let rank = columns::last_column(ranked.schema());
    // The rows of an id are in one group, if groups are compared.
    let group = match groups {
        Groups::Any | Groups::Differ(_) => ident("group_value"),
        Groups::Agree(_) => {
            let some = ident("grouped")
                .gt(lit(0_i64))
                .and(ident("grouped").lt(ident("items")));
            let differ = ident("group_value").lt(ident("max_group")).or(some);
            let found = when(differ, lit(2_i64)).otherwise(lit(1_i64))?;
            let is_one = neardup_udfs::same_group().call(vec![id_text, found]);
            when(is_one, ident("group_value")).end()?
        }
    };
    let ranked = ranked
        .project(vec![
            ident("id"),
            cast(rank, DataType::Int64).alias("rank"),
            item.alias("item"),
            group.alias("group_value"),
        ])?
        .build()?;
    let without_id = LogicalPlanBuilder::from(documents)
        .filter(ident("id").is_null())?
        .project(vec![
            ident("id"),
            lit(ScalarValue::Int64(None)).alias("rank"),
            lit(none).alias("item"),
            lit(ScalarValue::try_new_null(&group_type)?).alias("group_value"),
        ])?
        .build()?;
    LogicalPlanBuilder::from(ranked).union(without_id)?.build()
}
