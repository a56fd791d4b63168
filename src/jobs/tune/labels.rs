//! Reads labelled pairs, and judges settings by them.

use super::{LABEL_COLUMNS, LabelCounts, Setting, Tuner, step_name};
use crate::files::Input;
use crate::functions::Value;
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::recall::Share;
use crate::jobs::results::{counts_by_text, numbers};
use crate::parameters::{name, parameter_error};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::functions::string::expr_fn::{btrim, lower};
use datafusion::logical_expr::{cast, ident, lit, when};
use datafusion::prelude::SessionContext;
use std::collections::BTreeMap;

/// Texts of labels that are true, and that are false.
const TRUE_WORDS: [&str; 5] = ["true", "yes", "t", "y", "1"];
const FALSE_WORDS: [&str; 5] = ["false", "no", "f", "n", "0"];

impl Tuner<'_> {
    /// Reads the labels.
    pub(super) async fn labels(&self, job: &mut Job, labels: &Input) -> Result<LabelCounts> {
        let file = &labels.files[0];
        let table = labels.table(&job.context().state()).await?;
        let schema = table.schema();
        for column in LABEL_COLUMNS {
            let Ok(field) = schema.field_with_name(column) else {
                let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
                return exec_err!(
                    "{file}: labels are pairs with the columns id_a, id_b and label, but there is no {column}; the columns are: {}",
                    names.join(", ")
                );
            };
            let found = field.data_type();
            let is_label = found.is_numeric() || found.is_string() || *found == DataType::Boolean;
            if column == "label" && !is_label {
                return exec_err!(
                    "{file}: the column label must hold true and false, yes and no, or numbers, but it holds {found}"
                );
            }
        }
        let frame = job.context().read_table(table)?;
        let is_similar = match schema.field_with_name("label")?.data_type() {
            DataType::Boolean => ident("label"),
            found if found.is_numeric() => cast(ident("label"), DataType::Float64).gt(lit(0.0)),
            _ => {
                let word = || lower(btrim(vec![cast(ident("label"), DataType::Utf8)]));
                let is_one_of = |words: [&str; 5]| word().in_list(words.map(lit).to_vec(), false);
                let wrong = word()
                    .not_eq(lit(""))
                    .and(!is_one_of(TRUE_WORDS).or(is_one_of(FALSE_WORDS)));
                let wrong = frame
                    .clone()
                    .filter(wrong)?
                    .select_columns(&["label"])?
                    .limit(0, Some(1))?;
                for batch in wrong.collect().await? {
                    if batch.num_rows() > 0 {
                        let value = array_value_to_string(batch.column(0), 0)?;
                        return exec_err!(
                            "{file}: the column label must hold true and false, yes and no, or numbers, found '{value}'"
                        );
                    }
                }
                let unknown = lit(ScalarValue::Boolean(None));
                when(is_one_of(TRUE_WORDS), lit(true))
                    .when(is_one_of(FALSE_WORDS), lit(false))
                    .otherwise(unknown)?
            }
        };
        let text = |column: &str| cast(ident(column), DataType::Utf8).alias(column);
        let frame = frame.select(vec![
            text("id_a"),
            text("id_b"),
            is_similar.alias("is_similar"),
        ])?;
        job.context().register_table("given", frame.into_view())?;
        job.step(
            "labels",
            Output::Step,
            async |job: &Job| {
                let pairs = "SELECT least(id_a, id_b) AS id_a, greatest(id_a, id_b) AS id_b, \
                             bool_and(is_similar) AS is_similar, bool_or(is_similar) AS other \
                             FROM given WHERE id_a <> id_b AND is_similar IS NOT NULL \
                             GROUP BY least(id_a, id_b), greatest(id_a, id_b)";
                Ok(job.context().sql(pairs).await?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, _: &mut StepRecord| {
                let both = numbers(
                    context,
                    "SELECT count(*) FROM labels WHERE is_similar <> other",
                )
                .await?;
                if both[0] > 0 {
                    let first = first_contradictions(context).await?;
                    return exec_err!("{file}: {}", two_labels(both[0], &first));
                }
                let kinds = numbers(
                    context,
                    "SELECT count(*) FILTER (WHERE is_similar), count(*) FILTER (WHERE NOT is_similar) FROM labels",
                )
                .await?;
                match kinds[..] {
                    // By labels of one kind the setting that finds everything, or nothing, is the best.
                    [wanted, 0] if wanted > 0 => exec_err!(
                        "{file}: {} true; some pairs that are not wanted must be labelled, too: \
                         without them every pair that a setting finds counts as wanted",
                        all_labels_are(wanted)
                    ),
                    [0, unwanted] if unwanted > 0 => exec_err!(
                        "{file}: {} false; some pairs that are wanted must be labelled, too",
                        all_labels_are(unwanted)
                    ),
                    _ => Ok(()),
                }
            },
        )
        .await?;
        let rows = "SELECT count(*), \
                    count(*) FILTER (WHERE id_a IS NULL OR id_b IS NULL OR is_similar IS NULL), \
                    count(*) FILTER (WHERE id_a = id_b AND is_similar IS NOT NULL) FROM given";
        let rows = numbers(job.context(), rows).await?;
        let pairs = numbers(job.context(), "SELECT count(*) FROM labels").await?[0];
        for shingle in &self.options.shingles {
            let shingle_value = Value::Text(shingle.clone());
            let values = BTreeMap::from([("shingle".to_owned(), shingle_value)]);
            job.step(
                &step_name("labelled", shingle),
                Output::Step,
                async |job: &Job| job.plan(statement!("labelled_pairs"), &values).await,
                async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
            )
            .await?;
        }
        let first = step_name("labelled", &self.options.shingles[0]);
        let found = numbers(job.context(), &format!("SELECT count(*) FROM {first}")).await?[0];
        match found {
            0 => {
                let labelled = example(job, "SELECT id_a FROM labels LIMIT 1").await?;
                let own =
                    example(job, "SELECT id FROM documents WHERE id IS NOT NULL LIMIT 1").await?;
                let text = format!(
                    "{file}: no labelled pair has two ids of the corpus: labels have ids such as '{labelled}', the corpus \
                     such as '{own}'; "
                );
                Err(parameter_error![text, name("id"), " names the id column"].into())
            }
            found => Ok(LabelCounts {
                rows: rows[0],
                incomplete: rows[1],
                of_one_id: rows[2],
                pairs,
                found,
            }),
        }
    }

    /// The settings, judged by labels.
    pub(super) async fn by_labels(&self, job: &Job) -> Result<Vec<Setting>> {
        let mut settings = vec![];
        for shingle in &self.options.shingles {
            let name = step_name("labelled", shingle);
            for threshold in self.options.thresholds() {
                let similar = format!("similarity >= {threshold:?}");
                let found = numbers(
                    job.context(),
                    &format!(
                        "SELECT count(*) FILTER (WHERE {similar}), count(*) FILTER (WHERE is_similar), \
                         count(*) FILTER (WHERE is_similar AND {similar}) FROM {name}"
                    ),
                )
                .await?;
                let (count, all, found) = (found[0], found[1], found[2]);
                settings.push(Setting {
                    precision: Share::of(found, count, count as f64),
                    recall: Share::of(found, all, all as f64),
                    ..Setting::of(shingle, threshold, count, found, all)
                });
            }
        }
        Ok(settings)
    }
}

/// Number of pairs with two labels that are named.
const NAMED: usize = 3;

/// The first pairs with two labels.
async fn first_contradictions(context: &SessionContext) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT '(' || id_a || ', ' || id_b || ')' AS pair, 1 AS labels FROM labels \
         WHERE is_similar <> other ORDER BY id_a, id_b LIMIT {NAMED}"
    );
    let pairs = counts_by_text(context, &sql).await?;
    Ok(pairs.into_iter().map(|(pair, _)| pair).collect())
}

/// Says which of the pairs with two labels are the first ones.
fn two_labels(pairs: i64, first: &[String]) -> String {
    let named = first.join(", ");
    match pairs - first.len() as i64 {
        0 if pairs == 1 => format!("the pair {named} has two labels, true and false"),
        0 => format!("{pairs} pairs have two labels, true and false: {named}"),
        more => format!("{pairs} pairs have two labels, true and false: {named} and {more} more"),
    }
}

/// The beginning of a sentence about all labels.
fn all_labels_are(labels: i64) -> String {
    match labels {
        1 => "the only label is".to_owned(),
        labels => format!("all {labels} labels are"),
    }
}

/// The first value of a query, as text.
async fn example(job: &Job, sql: &str) -> Result<String> {
    for batch in job.context().sql(sql).await?.collect().await? {
        if batch.num_rows() > 0 {
            return Ok(array_value_to_string(batch.column(0), 0)?);
        }
    }
    Ok(String::new())
}
