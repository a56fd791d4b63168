//! Resolves the functions of terms: counts, frequencies, translations and vectors.

use super::{Call, Expansion, expansion, function};
use crate::functions::columns::{has_column, id_column, number_column, text_column};
use datafusion::common::{Result, plan_err};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};

/// `term_counts`.
pub(in crate::functions) fn term_counts(call: &Call) -> Result<Expansion> {
    let plan = &call.relations[0];
    let constant = lit(call.text("language")?);
    let language = match call.column("language_column") {
        Some(name) => coalesce(vec![text_column(call, plan, name)?, constant]),
        None => constant,
    };
    let columns = vec![
        column(call, plan, "id", id_column)?,
        column(call, plan, "text", text_column)?,
        language.alias("language"),
    ];
    over(call, None, vec![(plan, columns)])
}

/// `document_frequencies`.
pub(in crate::functions) fn document_frequencies(call: &Call) -> Result<Expansion> {
    let plan = &call.relations[0];
    let columns = vec![
        column(call, plan, "id", id_column)?,
        column(call, plan, "term", text_column)?,
    ];
    over(call, None, vec![(plan, columns)])
}

/// `i_match`.
pub(in crate::functions) fn i_match(call: &Call) -> Result<Expansion> {
    let (low, high) = (call.number("min_idf")?, call.number("max_idf")?);
    if low > high {
        return plan_err!("i_match: min_idf must be at most max_idf, found {low} and {high}");
    }
    let plan = &call.relations[0];
    let columns = vec![
        column(call, plan, "id", id_column)?,
        column(call, plan, "text", text_column)?,
    ];
    over(call, None, vec![(plan, columns)])
}

/// `translate_terms`, for counts or for frequencies.
pub(in crate::functions) fn translate_terms(call: &Call) -> Result<Expansion> {
    let (plan, table) = (&call.relations[0], &call.relations[1]);
    let (tf, df) = (name(call, "tf"), name(call, "df"));
    let term = column(call, plan, "term", text_column)?;
    let (variant, columns) = match (has_column(plan, tf), has_column(plan, df)) {
        (true, false) => {
            let id = column(call, plan, "id", id_column)?;
            (
                None,
                vec![id, term, column(call, plan, "tf", number_column)?],
            )
        }
        (false, true) => (
            Some("translate_terms.frequencies"),
            vec![term, column(call, plan, "df", number_column)?],
        ),
        (both, _) => {
            let found = if both { "both" } else { "neither" };
            return plan_err!(
                "translate_terms: the first relation must have a column '{tf}', as counts have, or a column '{df}', as frequencies have; it has {found}"
            );
        }
    };
    let translations = vec![
        column(call, table, "source", text_column)?,
        column(call, table, "target", text_column)?,
        column(call, table, "probability", number_column)?,
    ];
    over(call, variant, vec![(plan, columns), (table, translations)])
}

/// `bm25_vectors`.
pub(in crate::functions) fn bm25_vectors(call: &Call) -> Result<Expansion> {
    let (counts, frequencies) = (&call.relations[0], &call.relations[1]);
    let count_columns = vec![
        column(call, counts, "id", id_column)?,
        column(call, counts, "term", text_column)?,
        column(call, counts, "tf", number_column)?,
    ];
    let frequency_columns = vec![
        column(call, frequencies, "term", text_column)?,
        column(call, frequencies, "df", number_column)?,
    ];
    over(
        call,
        None,
        vec![(counts, count_columns), (frequencies, frequency_columns)],
    )
}

/// The name of a column in a relation of the call: the argument, or by default the name of the parameter.
fn name<'a>(call: &'a Call, parameter: &'a str) -> &'a str {
    call.column(parameter).unwrap_or(parameter)
}

/// A column of a relation, checked and converted by `typed`, under the name of the parameter.
fn column(
    call: &Call,
    plan: &LogicalPlan,
    parameter: &str,
    typed: fn(&Call, &LogicalPlan, &str) -> Result<Expr>,
) -> Result<Expr> {
    Ok(typed(call, plan, name(call, parameter))?.alias(parameter))
}

/// Resolves a call to the function's template, or a variant, over projections of its relations.
fn over(
    call: &Call,
    variant: Option<&str>,
    relations: Vec<(&LogicalPlan, Vec<Expr>)>,
) -> Result<Expansion> {
    let function = function(call)?;
    let template = variant.map_or(function.template, |name| function.variant(name));
    let project = |(plan, columns): (&LogicalPlan, Vec<Expr>)| {
        LogicalPlanBuilder::from(plan.clone())
            .project(columns)?
            .build()
    };
    let inputs = relations.into_iter().map(project).collect::<Result<_>>()?;
    Ok(expansion(call, template, inputs, []))
}
