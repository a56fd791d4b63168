//! The `decontaminate` job: finds the items of benchmark sets in a corpus, and drops, cuts or marks the rows that hold them.
//!
//! ```text
//! items ─> index ─┐
//! corpus ─────────┴─> searched ─> contamination ─> cuts ─> kept
//! ```
//!
//! The corpus is read and searched once: `searched` has its rows with the items that were found in each. The other
//! steps read this table.

use super::inputs;
use super::job::{Job, Output, Progress};
use super::manifest::{Manifest, StepRecord};
use super::results::{bytes_of_row, numbers, one_row};
use super::row_ids::RowIds;
use super::table::{self, TableColumns, check_row_ids, plain_type};
use super::{defaults::default, figures::Figure, figures::Reason};
use crate::files::{Input, Kind, caught, resolve, resolve_second};
use crate::functions::Value;
use crate::parameters::{name, parameter, parameter_error, set};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{JoinType, Result, exec_datafusion_err, exec_err};
use datafusion::execution::FunctionRegistry;
use datafusion::functions_aggregate::expr_fn::max;
use datafusion::functions_nested::expr_fn::{array_to_string, cardinality};
use datafusion::logical_expr::{Expr, ScalarUDF, cast, ident, lit, when};
use datafusion::prelude::{DataFrame, SessionContext};
use neardup_kernels::ItemIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

words! {
    /// What is done with a row that contains an item.
    pub enum Action("action") {
        /// It is left out.
        Drop = "drop",
        /// The item is cut out of its text.
        Cut = "cut",
        /// It is kept, with true in the column [`CONTAMINATED`].
        Mark = "mark",
    }
}

/// The column that [`Action::Mark`] adds.
const CONTAMINATED: &str = "contaminated";

/// A `decontaminate` job.
#[derive(Debug, Clone)]
pub struct Decontaminate {
    /// The corpus: files, directories or globs, by path or address.
    pub inputs: Vec<String>,
    /// The items of benchmark sets: files, directories or globs, by path or address.
    pub against: Vec<String>,
    /// The job's directory: a path or an address.
    pub output: String,
    /// The id column of the corpus; `None`: `id` if there is such a column, else row numbers.
    pub id: Option<String>,
    /// How ids are made for a corpus without an id column.
    pub row_ids: RowIds,
    /// The text column of the corpus; `None`: `text`.
    pub text: Option<String>,
    /// The id column of the items; `None`: `id` if there is such a column, else the path of the file and the row number.
    pub item_id: Option<String>,
    /// The text columns of the items, each of which is an item of its own; the texts of a list are its lines. Empty: `text`.
    pub item_text: Vec<String>,
    /// Minimum share of an item's words that runs hold, in (0, 1].
    pub min_coverage: f64,
    /// Minimum number of words of a run, in 1..=64.
    pub min_run: usize,
    /// N-grams that stand in more distinct items than this are ignored.
    pub max_items: usize,
    /// Items of fewer words are not looked for.
    pub min_words: usize,
    /// What is done with a row that contains an item.
    pub action: Action,
    /// Whether to replace a job with other parameters in the directory.
    pub overwrite: bool,
}

impl Decontaminate {
    /// A job with default options.
    pub fn new(inputs: Vec<String>, against: Vec<String>, output: String) -> Self {
        Self {
            inputs,
            against,
            output,
            id: None,
            row_ids: default("row_ids"),
            text: None,
            item_id: None,
            item_text: Vec::new(),
            min_coverage: default("min_coverage"),
            min_run: default("min_run"),
            max_items: default("max_items"),
            min_words: default("min_words.items"),
            action: default("action"),
            overwrite: false,
        }
    }

    /// All parameters that the result depends on, for the manifest.
    fn parameters(&self) -> BTreeMap<String, serde_json::Value> {
        let mut parameters = BTreeMap::from([
            ("id".to_owned(), self.id.clone().into()),
            ("text".to_owned(), self.text.clone().into()),
            ("item_id".to_owned(), self.item_id.clone().into()),
            ("item_text".to_owned(), self.item_text.clone().into()),
            ("min_coverage".to_owned(), self.min_coverage.into()),
            ("min_run".to_owned(), self.min_run.into()),
            ("max_items".to_owned(), self.max_items.into()),
            ("min_words".to_owned(), self.min_words.into()),
            ("action".to_owned(), self.action.word().into()),
        ]);
        if self.row_ids != RowIds::Number {
            parameters.insert("row_ids".to_owned(), self.row_ids.word().into());
        }
        parameters
    }

    fn values(&self) -> BTreeMap<String, Value> {
        let integer = |number: usize| Value::Integer(number as i64);
        BTreeMap::from([
            ("min_coverage".to_owned(), Value::Number(self.min_coverage)),
            ("min_run".to_owned(), integer(self.min_run)),
            ("max_items".to_owned(), integer(self.max_items)),
            ("min_words".to_owned(), integer(self.min_words)),
        ])
    }

    fn check_ranges(&self) -> Result<()> {
        for (entry, value) in [
            ("min_coverage", self.min_coverage.to_string()),
            ("min_run", self.min_run.to_string()),
            ("max_items", self.max_items.to_string()),
            ("min_words.items", self.min_words.to_string()),
        ] {
            parameter(entry).read(&value)?;
        }
        Ok(())
    }
}

/// Runs or resumes the job.
///
/// # Errors
/// If an input cannot be read, a column is missing or has an unsupported type, there are no items, a file is both corpus
/// and items, the directory holds another job, or the result of a step breaks its invariant. Steps that are committed stay.
pub async fn decontaminate(
    options: &Decontaminate,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<Job> {
    options.check_ranges()?;
    let run = Run::new(options, &context).await?;
    let (corpus, items) = (&run.corpus, &run.items);
    for input in [corpus, items] {
        inputs::refuse_inside(input, &options.output, &context.runtime_env())?;
    }
    let mut files = inputs::identify(corpus, &context.runtime_env()).await?;
    files.extend(inputs::identify(items, &context.runtime_env()).await?);
    let mut parameters = options.parameters();
    for (name, value) in corpus.reading.given() {
        parameters.insert((*name).to_owned(), value.clone().into());
    }
    let mut job = Job::open(
        &options.output,
        Manifest::new("decontaminate", files, parameters),
        options.overwrite,
        context,
        progress,
    )
    .await?;
    // The steps that read the rows of a table have the errors of its files.
    if let Err(error) = caught(run.items(&mut job)).await {
        return Err(table::named(items, &job, error).await);
    }
    run.index(&mut job).await?;
    if let Err(error) = caught(run.searched(&mut job)).await {
        return Err(table::named(corpus, &job, error).await);
    }
    run.contamination(&mut job).await?;
    if options.action == Action::Cut {
        run.cuts(&mut job).await?;
    }
    run.kept(&mut job).await?;
    job.finish().await?;
    Ok(job)
}

/// A job with its inputs.
struct Run<'a> {
    options: &'a Decontaminate,
    corpus: Input,
    items: Input,
    /// The id column of the corpus, and of the items; `None` if ids are made.
    ids: [Option<String>; 2],
    /// The text columns of the items.
    item_texts: Vec<ItemColumn>,
    /// Whether the items have a column `benchmark`.
    benchmark: bool,
    /// The name of the column with the items that were found; no column of the corpus has this name.
    hits: String,
}

/// A column of the items.
struct ItemColumn {
    name: String,
    /// Whether a row has a list of texts, which are the lines of one item.
    holds_lists: bool,
}

impl ItemColumn {
    /// The text of an item.
    fn text(&self) -> Expr {
        let column = ident(&self.name);
        match self.holds_lists {
            true => {
                let texts = DataType::new_list(DataType::Utf8, true);
                cast(
                    array_to_string(cast(column, texts), lit("\n")),
                    DataType::Utf8,
                )
            }
            false => cast(column, DataType::Utf8),
        }
    }
}

impl<'a> Run<'a> {
    /// Finds the files and the columns that the options name, and checks their types.
    async fn new(options: &'a Decontaminate, context: &SessionContext) -> Result<Self> {
        let state = context.state();
        let text = options.text.as_deref().unwrap_or("text");
        let item_texts = match options.item_text.as_slice() {
            [] => vec!["text".to_owned()],
            given => given.to_vec(),
        };
        let corpus = resolve(&options.inputs, &state).await?.with_texts_in(text);
        // Without a column `row` the ids are made.
        let item_id = (options.item_id.as_deref()).filter(|id| *id != table::ROW);
        let needed: Vec<&str> = (item_texts.iter().map(String::as_str))
            .chain(item_id)
            .collect();
        let items = resolve_second(&options.against, &needed, &item_texts, &corpus, &state).await?;
        if let Some(dump) = [&corpus, &items]
            .into_iter()
            .find(|input| input.kind == Kind::Dump)
        {
            return exec_err!(
                "{}: a dump is not a table of documents; convert it with neardup ingest, whose result has one in the directory plain_text",
                dump.files[0]
            );
        }
        let targets: BTreeSet<_> = items.files.iter().map(|file| file.target()).collect();
        if let Some(file) = corpus
            .files
            .iter()
            .find(|file| targets.contains(&file.target()))
        {
            let both = format!("{file} is a file of the corpus, and of the items of ");
            return Err(parameter_error![both, name("against")].into());
        }
        table::check_options(&corpus, Some(&items))?;
        let columns = TableColumns::of(context, &corpus).await?;
        columns.find_text("text", text)?;
        let id = columns
            .find_id("id", options.id.as_deref())?
            .map(str::to_owned);
        if options.action == Action::Cut {
            columns.check_apart(id.as_deref(), text)?;
        }
        check_row_ids(id.as_deref(), options.row_ids)?;
        if options.action == Action::Mark && columns.has(CONTAMINATED) {
            let why = format!(": the corpus has a column {CONTAMINATED} already");
            return Err(parameter_error![set("action", Action::Mark), why].into());
        }
        // The names of the columns that steps add begin with it.
        let mut hits = "neardup_hits".to_owned();
        while columns.names().any(|name| name.starts_with(&hits)) {
            hits.push('_');
        }
        let columns = TableColumns::of(context, &items).await?;
        let item_texts = item_texts.into_iter().map(|column| {
            let holds_lists = columns.find_texts("item_text", &column)?;
            Ok(ItemColumn {
                name: column,
                holds_lists,
            })
        });
        let item_texts = item_texts.collect::<Result<_>>()?;
        let item_id = columns.find_id("item_id", options.item_id.as_deref())?;
        let ids = [id, item_id.map(str::to_owned)];
        let benchmark = columns
            .schema()
            .field_with_name("benchmark")
            .is_ok_and(|field| !field.data_type().is_nested());
        Ok(Self {
            options,
            corpus,
            items,
            ids,
            item_texts,
            benchmark,
            hits,
        })
    }

    /// The name of the id column of the corpus, which may be made.
    fn id(&self) -> &str {
        let made = self.options.id.as_deref().unwrap_or("id");
        self.ids[0].as_deref().unwrap_or(made)
    }

    /// The name of the text column of the corpus.
    fn text(&self) -> &str {
        self.options.text.as_deref().unwrap_or("text")
    }

    /// Reads the items: one row for each text column of a row, with the number of its text.
    async fn items(&self, job: &mut Job) -> Result<()> {
        job.step(
            "items",
            Output::Step,
            async |job: &Job| {
                let context = job.context();
                let made = self.options.item_id.as_deref().unwrap_or("id");
                let id = self.ids[1].as_deref().unwrap_or(made);
                let row_ids = self.ids[1].is_none().then_some(RowIds::Path);
                let rows = table::rows(context, &self.items, row_ids, id).await?;
                let rows = DataFrame::new(context.state(), rows);
                context.register_table("items_table", rows.into_view())?;
                let id_type = plain_type(context, "items_table", id).await?;
                let mut all: Option<DataFrame> = None;
                for column in &self.item_texts {
                    let benchmark = match self.benchmark {
                        true => cast(ident("benchmark"), DataType::Utf8),
                        false => cast(lit(datafusion::common::ScalarValue::Null), DataType::Utf8),
                    };
                    let rows = context.table("items_table").await?;
                    let of_column =
                        rows.filter(ident(&column.name).is_not_null())?
                            .select(vec![
                                cast(ident(id), id_type.clone()).alias("item_id"),
                                benchmark.alias("benchmark"),
                                lit(column.name.as_str()).alias("field"),
                                column.text().alias("item_text"),
                            ])?;
                    all = Some(match all {
                        Some(all) => all.union(of_column)?,
                        None => of_column,
                    });
                }
                let Some(all) = all else {
                    return exec_err!("there are no text columns");
                };
                context.register_table("items_read", all.into_view())?;
                job.plan(statement!("numbered_items"), &BTreeMap::new())
                    .await
            },
            async |_: &SessionContext, _, record: &mut StepRecord| {
                if record.rows == 0 {
                    return exec_err!("there are no items: the texts of all rows are NULL");
                }
                record.set(Figure::Items, record.rows);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Indexes the items.
    async fn index(&self, job: &mut Job) -> Result<()> {
        let values = self.options.values();
        job.step(
            "index",
            Output::Step,
            async |job: &Job| job.plan(statement!("item_index"), &values).await,
            async |_: &SessionContext, written, record: &mut StepRecord| {
                one_row(record)?;
                let bytes = bytes_of_row(written, "items").await?;
                let index = ItemIndex::from_bytes(&bytes)
                    .map_err(|error| exec_datafusion_err!("step index: {error}"))?;
                let left_out = index.left_out();
                let short = Reason::ItemsUnder(self.options.min_words);
                record.leave_out(short, left_out.short as u64);
                record.leave_out(Reason::FrequentItems, left_out.frequent as u64);
                record.set(Figure::IgnoredNgrams, left_out.grams);
                Ok(())
            },
        )
        .await?;
        // An aggregate has one row, so that the planner gives it to every partition of what it is joined to.
        let index = job.context().table("index").await?;
        let indexed = index
            .aggregate(vec![], vec![max(ident("items")).alias("items")])?
            .select(vec![ident("items"), lit(0_i64).alias("all_rows")])?;
        job.context()
            .register_table("indexed", indexed.into_view())?;
        Ok(())
    }

    /// Searches the corpus: its rows, with the items that were found in each.
    async fn searched(&self, job: &mut Job) -> Result<()> {
        job.step(
            "searched",
            Output::Step,
            async |job: &Job| {
                let context = job.context();
                let made = self.ids[0].is_none().then_some(self.options.row_ids);
                let rows = table::rows(context, &self.corpus, made, self.id()).await?;
                let rows = DataFrame::new(context.state(), rows);
                context.register_table("corpus", rows.into_view())?;
                let text_type = plain_type(context, "corpus", self.text()).await?;
                let hits = function(context, "contained_items")?.call(vec![
                    cast(ident(self.text()), text_type),
                    ident(self.items_column()),
                    lit(self.options.min_coverage),
                ]);
                let rows = context.table("corpus").await?;
                let mut columns = columns_of(&rows);
                columns.push(hits.alias(&self.hits));
                let searched = self.with_index(context, rows).await?.select(columns)?;
                Ok(searched.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                self.register_found(context).await?;
                let counts = numbers(
                    context,
                    "SELECT count(*), count(*) FILTER (WHERE text IS NULL), \
                     count(*) FILTER (WHERE cardinality(hits) > 0) FROM found_rows",
                )
                .await?;
                let [rows, without_text, found] = counts[..] else {
                    return exec_err!("step searched: expected three counts");
                };
                if rows as u64 != record.rows {
                    return exec_err!(
                        "step searched: {} rows were written, {rows} are read",
                        record.rows
                    );
                }
                record.set(Figure::Rows, rows);
                record.set(Figure::ContaminatedRows, found);
                record.leave_out(Reason::WithoutText, without_text as u64);
                Ok(())
            },
        )
        .await?;
        self.register_found(job.context()).await
    }

    /// The name of the column of the index, which no column of the corpus has.
    fn items_column(&self) -> String {
        format!("{}_index", self.hits)
    }

    /// Rows of the corpus, each with the index of the items.
    async fn with_index(&self, context: &SessionContext, rows: DataFrame) -> Result<DataFrame> {
        let [all, key] = ["all", "key"].map(|end| format!("{}_{end}", self.hits));
        let indexed = context.table("indexed").await?.select(vec![
            ident("items").alias(self.items_column()),
            ident("all_rows").alias(&all),
        ])?;
        let mut columns = columns_of(&rows);
        columns.push(lit(0_i64).alias(&key));
        indexed.join(
            rows.select(columns)?,
            JoinType::Inner,
            &[&all],
            &[&key],
            None,
        )
    }

    /// Registers `found_rows` (id, text, hits, all_rows), and `contaminated`, those of them with hits.
    async fn register_found(&self, context: &SessionContext) -> Result<()> {
        let rows = context.table("searched").await?.select(vec![
            ident(self.id()).alias("id"),
            ident(self.text()).alias("text"),
            ident(&self.hits).alias("hits"),
            lit(0_i64).alias("all_rows"),
        ])?;
        let contaminated = rows.clone().filter(has_hits("hits"))?;
        for (name, rows) in [("found_rows", rows), ("contaminated", contaminated)] {
            context.deregister_table(name)?;
            context.register_table(name, rows.into_view())?;
        }
        Ok(())
    }

    /// Lists the items that were found.
    async fn contamination(&self, job: &mut Job) -> Result<()> {
        job.step(
            "contamination",
            Output::File("contamination.parquet"),
            async |job: &Job| {
                let plan = job.plan(statement!("contamination"), &BTreeMap::new()).await?;
                let found = DataFrame::new(job.context().state(), plan);
                let order = [
                    "corpus_id", "start_char", "end_char", "item_id", "field", "benchmark", "item_text", "passage",
                ];
                let order = order.map(|column| ident(column).sort(true, false));
                Ok(found.sort(order.to_vec())?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let counts = numbers(
                    context,
                    "SELECT (SELECT CAST(coalesce(sum(cardinality(hits)), 0) AS BIGINT) FROM contaminated), \
                     (SELECT count(*) FROM (SELECT DISTINCT item_id, field FROM contamination))",
                )
                .await?;
                // A text of several items is one hit.
                if (record.rows as i64) < counts[0] {
                    return exec_err!(
                        "step contamination: {} items were found, {} are listed",
                        counts[0],
                        record.rows
                    );
                }
                record.set(Figure::ItemsFound, counts[1]);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Lists the passages that are cut out.
    async fn cuts(&self, job: &mut Job) -> Result<()> {
        let values = self.options.values();
        job.step(
            "cuts",
            Output::File("cuts.parquet"),
            async |job: &Job| {
                let plan = job.plan(statement!("item_cuts"), &values).await?;
                let cuts = DataFrame::new(job.context().state(), plan);
                let order = ["id", "start_char", "passage"];
                let order = order.map(|column| ident(column).sort(true, false));
                Ok(cuts.sort(order.to_vec())?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let found = numbers(context, "SELECT count(*) FROM contaminated").await?;
                match record.rows as i64 >= found[0] {
                    true => Ok(()),
                    false => exec_err!(
                        "step cuts: items stand in {} rows, but {} passages are cut",
                        found[0],
                        record.rows
                    ),
                }
            },
        )
        .await?;
        Ok(())
    }

    /// Writes the rows that are kept.
    async fn kept(&self, job: &mut Job) -> Result<()> {
        let [read, found] =
            [Figure::Rows, Figure::ContaminatedRows].map(|figure| job.figure(figure) as u64);
        job.step(
            "kept",
            Output::File("kept.parquet"),
            async |job: &Job| {
                let context = job.context();
                let searched = context.table("searched").await?;
                let mut columns = columns_of(&searched);
                // The last one is that of what was found.
                columns.pop();
                let kept = match self.options.action {
                    Action::Drop => {
                        let clean = has_hits(&self.hits).is_not_true();
                        searched.filter(clean)?.select(columns)?
                    }
                    Action::Mark => {
                        let found = has_hits(&self.hits).is_true();
                        columns.push(found.alias(CONTAMINATED));
                        searched.select(columns)?
                    }
                    Action::Cut => self.cut(context, searched, columns).await?,
                };
                let order = self.order(context, &kept).await?;
                Ok(kept.sort(order)?.into_unoptimized_plan())
            },
            async |_: &SessionContext, _, record: &mut StepRecord| {
                let expected = match self.options.action {
                    Action::Drop => read - found..=read - found,
                    Action::Mark => read..=read,
                    Action::Cut => read - found..=read,
                };
                if !expected.contains(&record.rows) {
                    return exec_err!(
                        "step kept: {read} rows were read and {found} hold items, but {} are kept",
                        record.rows
                    );
                }
                if self.options.action == Action::Cut {
                    record.leave_out(Reason::NothingElse, read - record.rows);
                }
                record.set(Figure::Kept, record.rows);
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// The rows with the items cut out of their texts, without those in which nothing else is left.
    async fn cut(
        &self,
        context: &SessionContext,
        searched: DataFrame,
        columns: Vec<Expr>,
    ) -> Result<DataFrame> {
        let field = searched.schema().field_with_unqualified_name(self.text())?;
        if field.data_type().is_null() {
            return searched.select(columns);
        }
        // The dictionary of a column may have no room for the texts that are left.
        let text_type = plain_type(context, "searched", self.text()).await?;
        let plain = cast(ident(self.text()), text_type.clone());
        let spans = function(context, "item_spans")?.call(vec![
            plain.clone(),
            ident(self.items_column()),
            lit(self.options.min_coverage),
        ]);
        let cut = function(context, "cut_spans")?.call(vec![plain.clone(), spans]);
        let cut = when(has_hits(&self.hits), cut).otherwise(cast(plain, DataType::Utf8View))?;
        let with_cut: Vec<Expr> = columns
            .iter()
            .map(|column| match column {
                Expr::Column(column) if column.name == self.text() => {
                    cast(cut.clone(), text_type.clone()).alias(self.text())
                }
                other => other.clone(),
            })
            .chain([ident(&self.hits)])
            .collect();
        let rows = self.with_index(context, searched).await?.select(with_cut)?;
        let is_left = ident(self.text()).not_eq(lit(""));
        rows.filter(has_hits(&self.hits).is_not_true().or(is_left))?
            .select(columns)
    }

    /// The order of the kept rows: by their ids, and by the other columns if ids repeat.
    async fn order(
        &self,
        context: &SessionContext,
        kept: &DataFrame,
    ) -> Result<Vec<datafusion::logical_expr::SortExpr>> {
        let mut order = vec![ident(self.id()).sort(true, false)];
        let repeated = numbers(
            context,
            "SELECT count(*) FILTER (WHERE rows > 1) FROM \
             (SELECT id, count(*) AS rows FROM found_rows GROUP BY id)",
        )
        .await?;
        if repeated[0] > 0 {
            let fields = kept.schema().fields().iter();
            let others =
                fields.filter(|field| field.name() != self.id() && !field.data_type().is_nested());
            order.extend(others.map(|field| ident(field.name()).sort(true, false)));
        }
        Ok(order)
    }
}

fn function(context: &SessionContext, name: &str) -> Result<Arc<ScalarUDF>> {
    context.udf(name)
}

/// The columns of a table.
fn columns_of(table: &DataFrame) -> Vec<Expr> {
    let fields = table.schema().fields().iter();
    fields.map(|field| ident(field.name())).collect()
}

/// Whether items were found in a row; NULL if it has no text.
fn has_hits(column: &str) -> Expr {
    cardinality(ident(column)).gt(lit(0_u64))
}
