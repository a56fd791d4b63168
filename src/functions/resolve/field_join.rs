//! Resolves `field_join`, the join of records of several fields.

use super::join::check_second;
use super::{Call, Expansion, Value, expansion, function};
use crate::functions::groups::Groups;
use crate::functions::inputs;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::logical_expr::{cast, col};
use neardup_kernels::{
    FieldComparison, FieldNumbers, FieldsError, MAX_FIELDS, Missing, NumberedShingles, SetMeasure,
    Shingle, WeightedField, WeightedFields,
};

/// `field_join`: exact and complete, of records.
pub(in crate::functions) fn field_join(call: &Call) -> Result<Expansion> {
    check_second(call, &["id_b", "fields_b"])?;
    let names = field_names(call)?;
    let fields = weighted_fields(call, names)?;
    let missing: Missing = call.text("missing")?.parse().map_err(of_call)?;
    let candidates = fields.candidates(call.number("threshold")?, missing);
    let joined = |measure| {
        let joined = NumberedShingles::of(&fields, &candidates.is_joined, measure);
        Value::Text(joined.to_string())
    };
    let edit = FieldNumbers::of_edit(&fields, &candidates.is_joined);
    let function = function(call)?;
    let more = [
        ("weighted_fields", Value::Text(fields.to_string())),
        ("jaccard_fields", joined(SetMeasure::Jaccard)),
        ("containment_fields", joined(SetMeasure::Containment)),
        ("edit_fields", Value::Text(edit.to_string())),
        ("field_threshold", Value::Number(candidates.threshold)),
        ("sides", Value::Integer(call.relations.len() as i64)),
        Groups::of(call)?.rule(),
    ];
    let inputs = vec![inputs::records(call)?];
    let mut result = expansion(call, function.template, inputs, more);
    if let Expansion::Template { output, .. } = &mut result {
        let mut columns = match inputs::id_types(call)?.as_slice() {
            // They are compared in a common type.
            [id_a, id_b] if id_a != id_b => vec![
                cast(col("id_a"), id_a.clone()).alias("id_a"),
                cast(col("id_b"), id_b.clone()).alias("id_b"),
            ],
            _ => vec![col("id_a"), col("id_b")],
        };
        columns.push(col("similarity"));
        for (number, name) in (1..).zip(names) {
            let similarity = get_field(col("found"), format!("s{number}"));
            columns.push(similarity.alias(format!("{name}_similarity")));
        }
        *output = Some(columns);
    }
    Ok(result)
}

/// The names of the fields.
fn field_names(call: &Call) -> Result<&[String]> {
    let names = call.columns("fields");
    if names.is_empty() {
        return plan_err!(
            "field_join: the argument 'fields' is required, as in fields => [title, body]"
        );
    }
    if names.len() > MAX_FIELDS {
        return plan_err!(
            "field_join: fields may name at most {MAX_FIELDS} columns, found {}",
            names.len()
        );
    }
    let twice = names.iter().enumerate();
    let mut twice = twice.filter(|(at, name)| names[..*at].contains(name));
    if let Some((_, name)) = twice.next() {
        return plan_err!(
            "field_join: fields names the column '{name}' twice, so that two columns of the result would be called {name}_similarity; give it a second name in the relation"
        );
    }
    let second = call.columns("fields_b").len();
    if second != names.len() && call.is_given("fields_b") {
        return plan_err!(
            "field_join: fields_b must name as many columns as fields, which are {}, found {second}",
            names.len()
        );
    }
    Ok(names)
}

/// The fields with their weights, measures and shingles.
fn weighted_fields(call: &Call, names: &[String]) -> Result<WeightedFields> {
    let count = names.len();
    let equal = [Value::Number(1.0 / count as f64)];
    let weights = match call.list("weights") {
        Some(weights) if weights.len() == count => weights,
        Some(weights) => return wrong_length("weights", weights.len(), count),
        None => &equal,
    };
    let in_proportion = in_proportion(weights);
    let jaccard = [Value::Text("jaccard".to_owned())];
    let measures = match call.list("measures") {
        Some(measures) if [1, count].contains(&measures.len()) => measures,
        Some(measures) => return wrong_length("measures", measures.len(), count),
        None => &jaccard,
    };
    if call.is_given("shingle") && call.is_given("shingles") {
        return plan_err!("field_join: give either shingle or shingles, not both");
    }
    let shingle = [Value::Text(call.text("shingle")?.to_owned())];
    let shingles = match call.list("shingles") {
        Some(shingles) if [1, count].contains(&shingles.len()) => shingles,
        Some(shingles) => return wrong_length("shingles", shingles.len(), count),
        None => &shingle,
    };
    let mut fields = Vec::new();
    for at in 0..count {
        let (Value::Number(weight), Value::Text(measure), Value::Text(shingle)) =
            (of(weights, at), of(measures, at), of(shingles, at))
        else {
            return plan_err!("field_join: weights must be numbers, measures and shingles texts");
        };
        let shingle = shingle
            .parse::<Shingle>()
            .map_err(|error| plan_datafusion_err!("field_join: {error}"))?;
        fields.push(WeightedField {
            weight: *weight,
            comparison: FieldComparison::new(measure, shingle).map_err(of_call)?,
        });
    }
    WeightedFields::new(fields).map_err(|error| match (&error, in_proportion) {
        (FieldsError::Sum(_), Some(weights)) => {
            plan_datafusion_err!("field_join: {error}; in these proportions: weights => {weights}")
        }
        _ => of_call(error),
    })
}

/// Weights that are proposed have four decimals at most.
const DECIMALS: f64 = 1e4;

/// Weights in the proportions of numbers that are all above 0, with the sum 1, if they have few digits.
fn in_proportion(weights: &[Value]) -> Option<String> {
    let number = |weight: &Value| match weight {
        Value::Number(number) if *number > 0.0 && number.is_finite() => Some(*number),
        _ => None,
    };
    let numbers: Vec<f64> = weights.iter().map(number).collect::<Option<_>>()?;
    let sum: f64 = numbers.iter().sum();
    let rounded = |number: &f64| (number / sum * DECIMALS).round() / DECIMALS;
    let are_few = |number: &f64| (rounded(number) - number / sum).abs() < 1e-9;
    let weights: Vec<String> = numbers
        .iter()
        .map(|number| rounded(number).to_string())
        .collect();
    let are_few = numbers.iter().all(are_few);
    are_few.then(|| format!("[{}]", weights.join(", ")))
}

/// The value of a field; a single one is that of all fields.
fn of(values: &[Value], at: usize) -> &Value {
    match values {
        [value] => value,
        values => &values[at],
    }
}

fn wrong_length<T>(name: &str, found: usize, fields: usize) -> Result<T> {
    plan_err!(
        "field_join: {name} must have one element for each of the {fields} fields, found {found}"
    )
}

fn of_call(error: FieldsError) -> datafusion::common::DataFusionError {
    plan_datafusion_err!("field_join: {error}")
}
