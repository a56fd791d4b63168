//! `dedup` with `edit`: cuts repeated lines, paragraphs or passages out of the texts, and keeps the rest.
//!
//! ```text
//! input ─> documents ─┬────────────────────> repeated ───────────────────────────┬─> spans ─> cuts ─> kept
//!                     └─> runs_1 ─> stable_1 ─> … ─> origins_1 ─> changes_2 ─> … ─┘
//! ```
//!
//! The steps of a round are `runs`, `stable`, `positions` and `origins`, after the first one preceded by `changes`.
//!
//! After a cut, the words before and after it become adjacent and may form another repeated passage. A passage must
//! also not be cut if its first occurrence is itself cut. Therefore the job works in rounds, until a round finds no
//! repeated passage. A round cuts the passages whose first occurrence remains whole after it; the first passage in
//! keep order is always one of these.
//!
//! A later round counts the anchors of few passages: of those that hold a word of a passage that the round before
//! found, or between two of whose words such a word stood (`changes`). These are enough. Take a passage that is repeated
//! in a round, and of which no occurrence is such a one. What a round cuts is a part of what it found, so no word between
//! those of any of the occurrences was cut, and each of them was there in the round before. Then that round found each
//! of them but the first: at least its last word, which is never a part of the first occurrence. This contradicts the
//! assumption. An anchor of such a passage counts twice, so that all occurrences of the passage are read, in whatever
//! texts. So each round finds all repeated passages of the texts that remain.
//!
//! If only whole sentences are cut (`CutAt::Sentences`), a step `whole` between `runs` and `stable` narrows the passages
//! to sentences, and the step `positions` does so again, because what is stable may begin or end within a sentence. The
//! last round is one that cuts nothing, though it may find passages: no whole sentence of them can be cut.

use super::options::{Edit, Keep};
use super::run::Run;
use crate::functions::{Template, Value};
use crate::jobs::figures::{Figure, Reason};
use crate::jobs::job::{Job, Output};
use crate::jobs::manifest::StepRecord;
use crate::jobs::results::numbers;
use crate::jobs::table::{plain_type, unused_name};
use crate::resources::exhausts_memory;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{Column, Result, exec_err};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlanBuilder, cast, ident, lit, when};
use datafusion::prelude::{DataFrame, SessionContext};
use std::collections::BTreeMap;

impl Run<'_> {
    /// The steps of an edit, after those that make the documents.
    pub(super) async fn edit(&self, job: &mut Job, edit: Edit) -> Result<()> {
        self.order(job).await?;
        let mut left = None;
        match edit {
            Edit::Lines => self.units(job, "line").await?,
            Edit::Paragraphs => self.units(job, "paragraph").await?,
            Edit::Passages => left = self.passages(job).await?,
        }
        run_step(job, "spans", statement!("spans"), &BTreeMap::new()).await?;
        self.cuts(job, left).await?;
        self.edited(job).await
    }

    /// Registers `ordered_documents` (id, text, rank, group_value); of equal units the one of the smallest rank stays.
    async fn order(&self, job: &Job) -> Result<()> {
        let documents = job.context().table("documents").await?;
        // Sorts hold the bytes of these texts; views of them would hold the pages of the files that they are read from.
        let text = cast(ident("text"), DataType::Utf8).alias("text");
        let columns = vec![ident("id"), text, ident("group_value")];
        let ordered = match self.options.keep {
            Keep::First => {
                let rank = ident("id").alias("rank");
                documents.select([columns, vec![rank]].concat())?
            }
            _ => {
                let ranks = job.context().table("ranks").await?;
                let ranks = ranks.select(vec![ident("id").alias("ranked_id"), ident("rank")])?;
                documents
                    .join(ranks, JoinType::Inner, &["id"], &["ranked_id"], None)?
                    .select([columns, vec![ident("rank")]].concat())?
            }
        };
        let compared = ident("id").is_not_null().and(ident("text").is_not_null());
        let ordered = ordered.filter(compared)?.into_view();
        job.context().register_table("ordered_documents", ordered)?;
        Ok(())
    }

    /// Finds the repeated units, and registers them as `repeated`.
    async fn units(&self, job: &mut Job, unit: &str) -> Result<()> {
        let mut values = self.edit_values();
        values.insert("unit".to_owned(), Value::Text(unit.to_owned()));
        let min_length = Value::Integer(self.options.min_length as i64);
        values.insert("min_length".to_owned(), min_length);
        values.insert("threshold".to_owned(), Value::Number(self.threshold));
        values.insert("shingle".to_owned(), Value::Text(self.shingle.clone()));
        let statement = statement!("repeated_units");
        run_step(job, "repeated", statement, &values).await?;
        Ok(())
    }

    /// Finds the repeated passages, round by round, and registers them as `repeated`. If only whole sentences are cut,
    /// it returns the number of passages that occur several times and stay.
    async fn passages(&self, job: &mut Job) -> Result<Option<u64>> {
        let by_sentence = self.options.cuts_sentences();
        let mut values = self.edit_values();
        let min_words = self.options.min_words as i64;
        // Sentences may have fewer words than a passage.
        let min_part = if by_sentence { 1 } else { min_words };
        values.insert("min_words".to_owned(), Value::Integer(min_words));
        values.insert("min_part".to_owned(), Value::Integer(min_part));
        let language = self.options.dump.language.as_deref().unwrap_or("en");
        values.insert("language".to_owned(), Value::Text(language.to_owned()));
        values.insert("second_filter".to_owned(), Value::Boolean(false));
        let none = BTreeMap::new();
        let mut all: Option<DataFrame> = None;
        for round in 1.. {
            let step = |name: &str| format!("{name}_{round}");
            values.insert("only_changed".to_owned(), Value::Boolean(all.is_some()));
            let texts = match &all {
                None => statement!("cut_texts.first"),
                Some(_) => {
                    run_step(job, &step("changes"), statement!("changes"), &none).await?;
                    register(job, "changes", job.context().table(&step("changes")).await?)?;
                    statement!("cut_texts")
                }
            };
            let texts = job.plan(texts, &none).await?;
            let texts = DataFrame::new(job.context().state(), texts);
            register(job, "cut_texts", texts)?;
            let mut counts = BTreeMap::new();
            for (name, table, statement) in steps_of_round(by_sentence) {
                if by_sentence && name != "runs" {
                    // A view of the passages of the previous step.
                    let sentences = statement!("passage_sentences");
                    job.view("passage_sentences", sentences, &values).await?;
                }
                let mut rows = run_step(job, &step(name), statement, &values).await;
                // The copies of a passage with what is around them do not fit: passages that occur once are left out.
                let second = Value::Boolean(true);
                if rows.as_ref().is_err_and(exhausts_memory)
                    && name == "runs"
                    && values.insert("second_filter".to_owned(), second.clone()) != Some(second)
                {
                    job.repeat_step();
                    rows = run_step(job, &step(name), statement, &values).await;
                }
                let rows = rows?;
                counts.insert(name, rows);
                register(job, table, job.context().table(&step(name)).await?)?;
                if name == "runs" {
                    register(job, "found_runs", job.context().table(&step(name)).await?)?;
                }
            }
            let count = |name: &str| counts.get(name).copied().unwrap_or(0);
            let (found, stable) = (count("runs"), count("stable"));
            let (positions, origins) = (count("positions"), count("origins"));
            let is_right = match by_sentence {
                // Parts of sentences are left out, and a round that cuts nothing is the last one.
                true => positions <= stable && origins == positions,
                false => positions == stable && origins == stable && (found == 0 || stable > 0),
            };
            if !is_right {
                return exec_err!(
                    "round {round}: {stable} of {found} repeated passages can be cut, but {positions} of them were \
                     located, and the first occurrences of {origins}"
                );
            }
            let cut = job.context().table(&step("origins")).await?;
            let repeated = match all {
                Some(all) => all.union(cut)?,
                None => cut,
            };
            if origins == 0 {
                let repeated = repeated.drop_columns(&["first_word", "end_word"])?;
                register(job, "repeated", repeated)?;
                return Ok(by_sentence.then_some(found));
            }
            all = Some(repeated);
        }
        Ok(None)
    }

    /// The values that the statements of all edits have.
    fn edit_values(&self) -> BTreeMap<String, Value> {
        let min_copies = Value::Integer(self.options.min_copies as i64);
        let normalize = Value::Boolean(self.options.normalize);
        BTreeMap::from([
            ("min_copies".to_owned(), min_copies),
            ("normalize".to_owned(), normalize),
        ])
    }

    /// Lists what is cut, and records how many repeated passages are left, if any may be.
    async fn cuts(&self, job: &mut Job, left: Option<u64>) -> Result<()> {
        job.step(
            "cuts",
            Output::File("cuts.parquet"),
            async |job: &Job| {
                let plan = job.plan(statement!("cuts"), &BTreeMap::new()).await?;
                let cuts = DataFrame::new(job.context().state(), plan);
                // A sentence can be cut for two passages of the same place, with copies of their own.
                let order = [
                    "id",
                    "start_char",
                    "end_char",
                    "kept_id",
                    "kept_start_char",
                    "kept_end_char",
                    "copies",
                ];
                let order = order.map(|column| ident(column).sort(true, false));
                Ok(cuts.sort(order.to_vec())?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let counts = numbers(
                    context,
                    "SELECT count(*), count(*) FILTER (WHERE id IS NULL), \
                     count(*) FILTER (WHERE id IS NOT NULL AND text IS NULL), \
                     count(*) FILTER (WHERE id IS NOT NULL AND text IS NOT NULL AND group_value IS NULL) FROM documents",
                )
                .await?;
                record.set(Figure::Rows, counts[0]);
                record.set(Figure::RowsCompared, counts[0] - counts[1] - counts[2] - counts[3]);
                record.leave_out(Reason::WithoutId, counts[1] as u64);
                record.leave_out(Reason::WithoutText, counts[2] as u64);
                record.leave_out(Reason::WithoutGroup, counts[3] as u64);
                let rows = numbers(context, "SELECT count(*) FROM (SELECT DISTINCT id FROM cuts)").await?;
                record.set(Figure::EditedRows, rows[0]);
                if let Some(left) = left {
                    record.set(Figure::PassagesLeft, left);
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Writes the rows without the parts that are cut, and leaves out rows whose texts are then empty.
    async fn edited(&self, job: &mut Job) -> Result<()> {
        let id = self.options.id.as_deref().unwrap_or("id");
        let texts = self.options.texts();
        let text = texts.first().map_or("text", String::as_str);
        let read = job.figure(Figure::Rows) as u64;
        let edited = job.figure(Figure::EditedRows) as u64;
        let is_tied = job.left_out(Reason::WithoutId) > 0;
        job.step(
            "kept",
            Output::File("kept.parquet"),
            async |job: &Job| {
                let context = job.context();
                let input = context.table("input").await?;
                let schema = input.schema().inner().clone();
                let [spans, cut_id] =
                    ["neardup_spans", "neardup_cut_id"].map(|name| unused_name(&schema, name));
                let of_texts = context.table("spans").await?.select(vec![
                    ident("id").alias(&cut_id),
                    ident("spans").alias(&spans),
                ])?;
                // The dictionary of a column may have no room for the texts that are left.
                let text_type = plain_type(context, "input", text).await?;
                let plain = cast(ident(text), text_type.clone());
                let cut = context
                    .udf("cut_spans")?
                    .call(vec![plain.clone(), ident(&spans)]);
                let is_cut = ident(&spans).is_not_null();
                let cut = when(is_cut.clone(), cut).otherwise(cast(plain, DataType::Utf8View))?;
                let columns: Vec<Expr> = schema
                    .fields()
                    .iter()
                    .map(|field| ident(field.name()))
                    .collect();
                // A column of NULL has no text.
                let has_texts = !schema.field_with_name(text)?.data_type().is_null();
                let with_cut =
                    schema
                        .fields()
                        .iter()
                        .map(|field| match has_texts && field.name() == text {
                            true => cast(cut.clone(), text_type.clone()).alias(text),
                            false => ident(field.name()),
                        });
                let with_cut: Vec<Expr> = with_cut.chain([ident(&spans)]).collect();
                // The cuts are on the left side, of which a join makes its table.
                let joined = LogicalPlanBuilder::from(of_texts.into_unoptimized_plan())
                    .join(
                        input.into_unoptimized_plan(),
                        JoinType::Right,
                        (
                            vec![Column::from_name(&cut_id)],
                            vec![Column::from_name(id)],
                        ),
                        None,
                    )?
                    .build()?;
                let is_left = ident(text).not_eq(lit("")).or(is_cut.is_not_true());
                let mut order = vec![ident(id).sort(true, false)];
                if is_tied {
                    // Rows without an id are sorted by their other columns.
                    let others = schema.fields().iter().filter(|field| field.name() != id);
                    order.extend(others.map(|field| ident(field.name()).sort(true, false)));
                }
                Ok(DataFrame::new(context.state(), joined)
                    .select(with_cut)?
                    .filter(is_left)?
                    .select(columns)?
                    .sort(order)?
                    .into_unoptimized_plan())
            },
            async |_: &SessionContext, _, record: &mut StepRecord| {
                if !(read.saturating_sub(edited)..=read).contains(&record.rows) {
                    return exec_err!(
                        "step kept: {read} rows were read and {edited} are edited, but {} are kept",
                        record.rows
                    );
                }
                record.leave_out(Reason::NothingElse, read - record.rows);
                record.set(Figure::Kept, record.rows);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }
}

/// The steps of a round that finds passages: the name of each, the table that its result becomes, and its statement.
fn steps_of_round(by_sentence: bool) -> Vec<(&'static str, &'static str, Template)> {
    let runs = ("runs", "passage_runs", statement!("passage_runs"));
    let whole = ("whole", "passage_runs", statement!("whole_runs"));
    let stable = ("stable", "passage_runs", statement!("stable_runs"));
    let positions = match by_sentence {
        true => statement!("sentence_positions"),
        false => statement!("passage_positions"),
    };
    let positions = ("positions", "passage_positions", positions);
    let origins = ("origins", "passage_origins", statement!("passage_origins"));
    match by_sentence {
        true => vec![runs, whole, stable, positions, origins],
        false => vec![runs, stable, positions, origins],
    }
}

/// Runs a step, and gives the number of its rows.
async fn run_step(
    job: &mut Job,
    name: &str,
    statement: Template,
    values: &BTreeMap<String, Value>,
) -> Result<u64> {
    let step = job.step(
        name,
        Output::Step,
        async |job: &Job| {
            check_unique(job).await?;
            job.plan(statement, values).await
        },
        async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
    );
    Ok(step.await?.rows)
}

/// Registers a relation, in place of another one of that name.
fn register(job: &Job, name: &str, relation: DataFrame) -> Result<()> {
    job.context().deregister_table(name)?;
    job.context().register_table(name, relation.into_view())?;
    Ok(())
}

/// Checks that ids are unique: rows of one id would be one text.
async fn check_unique(job: &Job) -> Result<()> {
    let repeated = job
        .context()
        .sql(
            "SELECT CAST(id AS VARCHAR) AS shown, count(*) AS rows FROM documents WHERE id IS NOT NULL \
             GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1",
        )
        .await?
        .collect()
        .await?;
    match repeated.iter().find(|batch| batch.num_rows() > 0) {
        Some(row) => exec_err!(
            "{} rows have the id {}; ids must be unique",
            array_value_to_string(row.column(1), 0)?,
            array_value_to_string(row.column(0), 0)?
        ),
        None => Ok(()),
    }
}
