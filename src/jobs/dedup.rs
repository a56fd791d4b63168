//! `dedup`: from a dump or a table to pairs, clusters and kept rows.
//!
//! ```text
//! dump:  plain_text ─> sentences ─┐
//! table: input ───────────────────┴─> texts ─> frequencies ─> pairs ─> clusters ─> kept
//! ```

use super::dumps::{self, DumpOptions};
use super::job::{Job, Output, Progress, input_file};
use super::manifest::{Manifest, StepRecord};
use crate::files::{Input, Kind, resolve};
use crate::functions::{Template, Value};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, exec_datafusion_err, exec_err, plan_err};
use datafusion::functions::unicode::expr_fn::character_length;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, cast, ident, lit,
};
use datafusion::prelude::{DataFrame, SessionContext};
use neardup_kernels::choose_bands;
use neardup_kernels::frequency::TokenRanks;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

macro_rules! statement {
    ($name:literal) => {
        Template {
            name: concat!("jobs/", $name),
            text: include_str!(concat!("../../sql/jobs/", $name, ".sql")),
        }
    };
}

/// How pairs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The exact join, unless it is much dearer than MinHash.
    Auto,
    /// The exact join.
    Exact,
    /// MinHash at a target recall, verified.
    MinHash,
}

/// Which pairs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// Pairs of distinct texts, and one pair a copy.
    Linked,
    /// Every pair of rows.
    All,
}

/// What becomes of similar rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// A row goes if it is similar to a row that stays.
    Representative,
    /// One row of each connected component stays.
    Components,
}

/// Which row stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    /// The smallest id.
    First,
    /// The most characters, then the smallest id.
    Longest,
    /// The first by a column, then the smallest id.
    By {
        /// The column.
        column: String,
        /// Largest first.
        descending: bool,
    },
}

impl Keep {
    /// Parses `column`, `column asc` or `column desc`.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(order: &str) -> Result<Self> {
        let words: Vec<&str> = order.split_whitespace().collect();
        let (column, descending) = match words.as_slice() {
            [column] => (column, false),
            [column, order] if order.eq_ignore_ascii_case("asc") => (column, false),
            [column, order] if order.eq_ignore_ascii_case("desc") => (column, true),
            _ => return plan_err!("the keep order must be 'column', 'column asc' or 'column desc', found '{order}'"),
        };
        Ok(Self::By { column: (*column).to_owned(), descending })
    }
}

/// A `dedup` job.
#[derive(Debug, Clone)]
pub struct Dedup {
    /// Files, directories or globs.
    pub inputs: Vec<String>,
    /// The job's directory.
    pub output: PathBuf,
    /// The id column of a table; `None`: `id` where there is one, else row numbers.
    pub id: Option<String>,
    /// The text column of a table.
    pub text: Option<String>,
    /// Least similarity; `None`: 0.8, on dumps 0.6.
    pub threshold: Option<f64>,
    /// Shingles; `None`: `word:3`, on dumps `char:5`.
    pub shingle: Option<String>,
    /// How pairs are found.
    pub method: Method,
    /// Share of the pairs at the threshold that MinHash must find.
    pub target_recall: f64,
    /// Hash functions that MinHash may use.
    pub num_hashes: usize,
    /// Seed of MinHash.
    pub seed: u64,
    /// Whether texts are normalised first.
    pub normalize: bool,
    /// Which pairs are written.
    pub pairs: Pairs,
    /// What becomes of similar rows.
    pub resolution: Resolution,
    /// Which row stays.
    pub keep: Keep,
    /// Buckets of more distinct texts are verified against leaders only.
    pub bucket_pairs: usize,
    /// Sentences of a dump: least and greatest length in characters.
    pub lengths: (usize, usize),
    /// How dumps are read.
    pub dump: DumpOptions,
    /// Whether a job with other parameters in the directory is replaced.
    pub overwrite: bool,
}

impl Dedup {
    /// The defaults over some inputs.
    pub fn new(inputs: Vec<String>, output: PathBuf) -> Self {
        Self {
            inputs,
            output,
            id: None,
            text: None,
            threshold: None,
            shingle: None,
            method: Method::Auto,
            target_recall: 0.99,
            num_hashes: 128,
            seed: 1,
            normalize: true,
            pairs: Pairs::Linked,
            resolution: Resolution::Representative,
            keep: Keep::First,
            bucket_pairs: 10_000,
            lengths: (20, 2000),
            dump: DumpOptions::default(),
            overwrite: false,
        }
    }
}

/// Runs the job, or goes on with it.
///
/// # Errors
/// If an input cannot be read, a column does not fit, the directory holds another job, or a step
/// breaks its invariant. What is committed stays.
pub async fn dedup(
    options: &Dedup,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<Job> {
    let input = resolve(&options.inputs)?;
    let run = Run::new(options, &input)?;
    let files = input
        .files
        .iter()
        .map(|file| input_file(file))
        .collect::<Result<Vec<_>>>()?;
    let manifest = Manifest::new("dedup", files, run.parameters());
    if input.kind != Kind::Dump {
        // A misspelt column must not leave a directory behind.
        run.columns(&context, &input).await?;
    }
    let mut job = Job::open(
        &options.output,
        manifest,
        options.overwrite,
        context,
        progress,
    )?;
    match input.kind {
        Kind::Dump => run.sentences(&mut job, &input).await?,
        // These read the files row by row: what they find wrong is in the files.
        _ => run.table(&mut job, &input).await.map_err(|error| input.named(error))?,
    }
    match input.kind {
        Kind::Dump => run.texts(&mut job).await?,
        _ => run.texts(&mut job).await.map_err(|error| input.named(error))?,
    }
    let exact = run.frequencies(&mut job).await?;
    run.pairs(&mut job, exact).await?;
    run.clusters(&mut job, input.kind == Kind::Dump).await?;
    run.kept(&mut job).await?;
    job.finish()?;
    Ok(job)
}

/// The columns of a table that take part.
struct Columns {
    id: Option<String>,
    text: String,
}

struct Run<'a> {
    options: &'a Dedup,
    threshold: f64,
    shingle: String,
}

impl<'a> Run<'a> {
    fn new(options: &'a Dedup, input: &Input) -> Result<Self> {
        let is_dump = input.kind == Kind::Dump;
        let threshold = options.threshold.unwrap_or(if is_dump { 0.6 } else { 0.8 });
        if !(threshold > 0.0 && threshold <= 1.0) {
            return plan_err!("--threshold must be a number in (0, 1], found {threshold}");
        }
        if !(options.target_recall > 0.0 && options.target_recall < 1.0) {
            return plan_err!(
                "--target-recall must be a number in (0, 1), found {}",
                options.target_recall
            );
        }
        let shingle =
            options
                .shingle
                .as_deref()
                .unwrap_or(if is_dump { "char:5" } else { "word:3" });
        let shingle: neardup_kernels::Shingle = shingle
            .parse()
            .map_err(|error| exec_datafusion_err!("--shingle: {error}"))?;
        if options.method == Method::MinHash {
            choose_bands(threshold, options.target_recall, options.num_hashes)
                .map_err(|error| exec_datafusion_err!("--method minhash: {error}"))?;
        }
        if is_dump && (options.id.is_some() || options.text.is_some()) {
            return plan_err!("--id and --text name columns of a table; a dump has its own");
        }
        Ok(Self {
            options,
            threshold,
            shingle: shingle.to_string(),
        })
    }

    /// Everything that the result depends on.
    fn parameters(&self) -> BTreeMap<String, serde_json::Value> {
        let options = self.options;
        BTreeMap::from([
            ("id".to_owned(), options.id.clone().into()),
            ("text".to_owned(), options.text.clone().into()),
            ("threshold".to_owned(), self.threshold.into()),
            ("shingle".to_owned(), self.shingle.clone().into()),
            (
                "method".to_owned(),
                format!("{:?}", options.method).to_lowercase().into(),
            ),
            ("target_recall".to_owned(), options.target_recall.into()),
            ("num_hashes".to_owned(), options.num_hashes.into()),
            ("seed".to_owned(), options.seed.into()),
            ("normalize".to_owned(), options.normalize.into()),
            (
                "pairs".to_owned(),
                format!("{:?}", options.pairs).to_lowercase().into(),
            ),
            (
                "resolution".to_owned(),
                format!("{:?}", options.resolution).to_lowercase().into(),
            ),
            ("keep".to_owned(), format!("{:?}", options.keep).into()),
            ("bucket_pairs".to_owned(), options.bucket_pairs.into()),
            ("min_length".to_owned(), options.lengths.0.into()),
            ("max_length".to_owned(), options.lengths.1.into()),
            ("on_error".to_owned(), options.dump.on_error.clone().into()),
            ("splitter".to_owned(), options.dump.splitter.clone().into()),
        ])
    }

    fn values(&self, job: &Job) -> BTreeMap<String, Value> {
        let options = self.options;
        let partitions = job.context().state().config().target_partitions();
        let resolution = format!("{:?}", options.resolution).to_lowercase();
        BTreeMap::from([
            ("threshold".to_owned(), Value::Number(self.threshold)),
            ("shingle".to_owned(), Value::Text(self.shingle.clone())),
            ("normalize".to_owned(), Value::Boolean(options.normalize)),
            (
                "bucket_pairs".to_owned(),
                Value::Integer(options.bucket_pairs as i64),
            ),
            ("parts".to_owned(), Value::Integer(partitions as i64)),
            ("seed".to_owned(), Value::Integer(options.seed as i64)),
            ("resolution".to_owned(), Value::Text(resolution)),
        ])
    }

    /// Checks the columns of a table against what was asked for.
    async fn columns(&self, context: &SessionContext, input: &Input) -> Result<Columns> {
        let schema = input.table(&context.state()).await?.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let find = |option: &str, name: &str| match schema.field_with_name(name) {
            Ok(field) => Ok(field),
            Err(_) if names.is_empty() => plan_err!("{option} {name}: the input is empty, without any column"),
            Err(_) => plan_err!(
                "{option} {name}: the input has no such column; its columns are: {}",
                names.join(", ")
            ),
        };
        let text = self.options.text.as_deref().unwrap_or("text");
        let is_text = |data_type: &DataType| match data_type {
            DataType::Dictionary(_, value) => value.is_string(),
            other => other.is_string() || other.is_null(),
        };
        let field = find("--text", text)?;
        if !is_text(field.data_type()) {
            return plan_err!(
                "--text {text}: must be a text column, but it holds {}",
                field.data_type()
            );
        }
        let id = match &self.options.id {
            Some(id) => Some(find("--id", id)?),
            None => schema.field_with_name("id").ok(),
        };
        if let Some(field) = id
            && !is_text(field.data_type())
            && !field.data_type().is_integer()
        {
            return plan_err!(
                "--id {}: must be a column of integers or texts, but it holds {}",
                field.name(),
                field.data_type()
            );
        }
        if let Keep::By { column, .. } = &self.options.keep {
            find("--keep-by", column)?;
        }
        Ok(Columns {
            id: id.map(|field| field.name().clone()),
            text: text.to_owned(),
        })
    }

    /// The documents of a table: Parquet with ids is read where it lies, anything else is written once.
    async fn table(&self, job: &mut Job, input: &Input) -> Result<()> {
        let columns = self.columns(job.context(), input).await?;
        if input.kind == Kind::Parquet && columns.id.is_some() {
            let table = input.table(&job.context().state()).await?;
            job.context().register_table("input", table)?;
        } else {
            job.step(
                "input",
                Output::Step,
                async |job: &Job| match columns.id {
                    Some(_) => {
                        let table = input.table(&job.context().state()).await?;
                        Ok(job.context().read_table(table)?.into_unoptimized_plan())
                    }
                    None => numbered(job.context(), input).await,
                },
                async |_, _, _: &mut StepRecord| Ok(()),
            )
            .await?;
        }
        let id = columns.id.as_deref().unwrap_or("id");
        let text_type = self.plain_type(job, &columns.text).await?;
        let id_type = self.plain_type(job, id).await?;
        let documents = job.context().table("input").await?.select(vec![
            cast(ident(id), id_type).alias("id"),
            cast(ident(&columns.text), text_type).alias("text"),
        ])?;
        self.register_documents(job, documents, id, &columns.text)
            .await
    }

    /// The type of a column of `input`, with dictionaries unpacked.
    async fn plain_type(&self, job: &Job, name: &str) -> Result<DataType> {
        let table = job.context().table("input").await?;
        let data_type = table
            .schema()
            .field_with_unqualified_name(name)?
            .data_type()
            .clone();
        Ok(match data_type {
            DataType::Dictionary(_, value) => *value,
            DataType::Null if name == "id" => DataType::Int64,
            DataType::Null => DataType::Utf8,
            other => other,
        })
    }

    /// The documents of a dump: its sentences of the wanted lengths.
    async fn sentences(&self, job: &mut Job, input: &Input) -> Result<()> {
        dumps::read(job, input, &self.options.dump).await?;
        let (least, greatest) = self.options.lengths;
        let length = || character_length(ident("sentence"));
        let kept = length()
            .gt_eq(lit(least as i64))
            .and(length().lt_eq(lit(greatest as i64)));
        let sentences = job.context().table("sentences").await?.filter(kept)?;
        let input = sentences.into_view();
        job.context().register_table("input", input)?;
        let documents = job.context().table("input").await?.select(vec![
            ident("sentence_id").alias("id"),
            ident("sentence").alias("text"),
        ])?;
        self.register_documents(job, documents, "sentence_id", "sentence")
            .await
    }

    /// Registers `documents` (side, id, text, across), and `ranks` where the keep order needs them.
    async fn register_documents(
        &self,
        job: &mut Job,
        documents: DataFrame,
        id: &str,
        text: &str,
    ) -> Result<()> {
        let view = documents.select(vec![
            lit(0_i8).alias("side"),
            ident("id"),
            ident("text"),
            lit(0_i8).alias("across"),
        ])?;
        job.context()
            .register_table("documents", view.into_view())?;
        let order = match &self.options.keep {
            Keep::First => return Ok(()),
            Keep::Longest => character_length(ident(text)).sort(false, false),
            Keep::By { column, descending } => ident(column).sort(!descending, false),
        };
        let rank = row_number()
            .order_by(vec![order, ident(id).sort(true, false)])
            .build()?
            .alias("rank");
        job.step(
            "ranks",
            Output::Step,
            async |job: &Job| {
                let input = job.context().table("input").await?;
                Ok(input.select(vec![ident(id).alias("id"), rank])?.into_unoptimized_plan())
            },
            async |_, _, _: &mut StepRecord| Ok(()),
        )
        .await?;
        Ok(())
    }

    async fn texts(&self, job: &mut Job) -> Result<()> {
        let values = self.values(job);
        let lengths = self.options.lengths;
        let is_dump = job.context().table_exist("sentences")?;
        job.step(
            "texts",
            Output::Step,
            async |job: &Job| job.plan(statement!("texts"), &values).await,
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let documents = numbers(
                    context,
                    "SELECT count(*), count(*) FILTER (WHERE id IS NULL), \
                     count(*) FILTER (WHERE id IS NOT NULL AND text IS NULL), \
                     count(DISTINCT id) FILTER (WHERE text IS NOT NULL) FROM documents",
                )
                .await?;
                let texts = numbers(
                    context,
                    "SELECT coalesce(sum(CAST(cardinality(ids) AS BIGINT)), 0), \
                     coalesce(sum(CAST(cardinality(ids) AS BIGINT)) FILTER (WHERE shingles = 0), 0), \
                     coalesce(sum(shingles), 0), count(*) FROM texts",
                )
                .await?;
                if texts[0] != documents[3] {
                    return exec_err!(
                        "step texts: {} distinct ids went in, {} came out",
                        documents[3],
                        texts[0]
                    );
                }
                record.figures.insert("rows".to_owned(), documents[0].into());
                record.figures.insert("distinct texts".to_owned(), texts[3].into());
                record.figures.insert("shingles".to_owned(), texts[2].into());
                let mut leave_out = |reason: &str, count: i64| {
                    if count > 0 {
                        record.left_out.insert(reason.to_owned(), count as u64);
                    }
                };
                leave_out("rows without an id", documents[1]);
                leave_out("rows without a text", documents[2]);
                leave_out("empty texts", texts[1]);
                leave_out("repeated rows of an id", documents[0] - documents[1] - documents[2] - documents[3]);
                if is_dump {
                    let outside = numbers(
                        context,
                        &format!(
                            "SELECT count(*) FILTER (WHERE character_length(sentence) < {}), \
                             count(*) FILTER (WHERE character_length(sentence) > {}) FROM sentences",
                            lengths.0, lengths.1
                        ),
                    )
                    .await?;
                    leave_out(&format!("sentences under {} characters", lengths.0), outside[0]);
                    leave_out(&format!("sentences over {} characters", lengths.1), outside[1]);
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    /// Counts tokens where the exact join may run, and says whether it does.
    async fn frequencies(&self, job: &mut Job) -> Result<bool> {
        if self.options.method == Method::MinHash {
            return Ok(false);
        }
        let values = self.values(job);
        job.step(
            "frequencies",
            Output::Step,
            async |job: &Job| job.plan(statement!("frequencies"), &values).await,
            one_row,
        )
        .await?;
        if self.options.method == Method::Exact {
            return Ok(true);
        }
        let Ok(bands) = choose_bands(
            self.threshold,
            self.options.target_recall,
            self.options.num_hashes,
        ) else {
            // MinHash cannot reach the target with the hashes allowed.
            return Ok(true);
        };
        let hashes = (bands.bands * bands.rows) as f64;
        let linked = self.options.pairs == Pairs::Linked;
        let limit = self.options.bucket_pairs as u64;
        let record = job
            .step(
                "prefixes",
                Output::Step,
                async |job: &Job| job.plan(statement!("prefixes"), &values).await,
                async |context: &SessionContext, written, record: &mut StepRecord| {
                    let sketch = written.select_columns(&["sketch"])?.collect().await?;
                    let sketch = sketch.iter().find(|batch| batch.num_rows() > 0);
                    let meetings = match sketch {
                        Some(batch) => meetings(batch.column(0), linked.then_some(limit))?,
                        None => 0.0,
                    };
                    let shingles =
                        numbers(context, "SELECT coalesce(sum(shingles), 0) FROM texts").await?[0];
                    // Costs in units of one step over a posting. A shingle costs MinHash one step for
                    // every eight hash functions, a posting that meets another costs the exact join one.
                    let exact = shingles as f64 * 2.0 + meetings;
                    let minhash = shingles as f64 * (2.0 + hashes / 8.0);
                    record
                        .figures
                        .insert("cost of the exact join".to_owned(), exact.round().into());
                    record
                        .figures
                        .insert("cost of minhash".to_owned(), minhash.round().into());
                    let chosen = if exact <= 8.0 * minhash {
                        "exact"
                    } else {
                        "minhash"
                    };
                    record.figures.insert("method".to_owned(), chosen.into());
                    Ok(())
                },
            )
            .await?;
        Ok(record
            .figures
            .get("method")
            .and_then(|method| method.as_str())
            == Some("exact"))
    }

    async fn pairs(&self, job: &mut Job, exact: bool) -> Result<()> {
        let mut values = self.values(job);
        if !exact {
            let bands = choose_bands(
                self.threshold,
                self.options.target_recall,
                self.options.num_hashes,
            )
            .map_err(|error| exec_datafusion_err!("--method minhash: {error}"))?;
            values.insert("bands".to_owned(), Value::Integer(bands.bands as i64));
            values.insert("rows".to_owned(), Value::Integer(bands.rows as i64));
            let hashes = Value::Integer((bands.bands * bands.rows) as i64);
            values.insert("num_hashes".to_owned(), hashes);
        }
        let template = match (exact, self.options.pairs) {
            (true, Pairs::Linked) => statement!("pairs.exact.linked"),
            (true, Pairs::All) => statement!("pairs.exact.all"),
            (false, Pairs::Linked) => statement!("pairs.minhash.linked"),
            (false, Pairs::All) => statement!("pairs.minhash.all"),
        };
        let threshold = self.threshold;
        job.step(
            "pairs",
            Output::File("pairs.parquet"),
            async |job: &Job| job.plan(template, &values).await,
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let counts = numbers(
                    context,
                    &format!(
                        "SELECT count(*) FILTER (WHERE id_a >= id_b), \
                         count(*) FILTER (WHERE similarity < {threshold:?} OR similarity IS NULL) FROM pairs"
                    ),
                )
                .await?;
                if counts[0] + counts[1] > 0 {
                    return exec_err!(
                        "step pairs: {} pairs are not in the order of their ids, {} are below the threshold",
                        counts[0],
                        counts[1]
                    );
                }
                let method = if exact { "exact" } else { "minhash" };
                record.figures.insert("method".to_owned(), method.into());
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    async fn clusters(&self, job: &mut Job, is_dump: bool) -> Result<()> {
        let values = self.values(job);
        let template = match self.options.keep {
            Keep::First => statement!("clusters.first"),
            _ => statement!("clusters.ordered"),
        };
        job.step(
            "clusters",
            Output::File("clusters.parquet"),
            async |job: &Job| {
                let plan = job.plan(template, &values).await?;
                let clusters = DataFrame::new(job.context().state(), plan);
                let clusters = match is_dump {
                    false => clusters,
                    true => {
                        let texts = job.context().table("input").await?;
                        let texts = texts.select_columns(&["sentence_id", "title", "sentence"])?;
                        clusters
                            .join(texts, JoinType::Inner, &["id"], &["sentence_id"], None)?
                            .drop_columns(&["sentence_id"])?
                    }
                };
                Ok(clusters.sort(vec![ident("id").sort(true, false)])?.into_unoptimized_plan())
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let clusters = numbers(
                    context,
                    "SELECT count(*), count(*) FILTER (WHERE kept), \
                     count(DISTINCT cluster_id) FILTER (WHERE cluster_size > 1), max(cluster_size), \
                     count(*) FILTER (WHERE NOT kept AND similarity IS NULL) FROM clusters",
                )
                .await?;
                let rows = numbers(context, "SELECT count(*) FROM documents").await?;
                if clusters[0] != rows[0] {
                    return exec_err!("step clusters: {} rows went in, {} came out", rows[0], clusters[0]);
                }
                if clusters[4] > 0 {
                    return exec_err!("step clusters: {} rows are removed without a similarity", clusters[4]);
                }
                record.figures.insert("rows".to_owned(), clusters[0].into());
                record.figures.insert("kept".to_owned(), clusters[1].into());
                record.figures.insert("clusters of two or more".to_owned(), clusters[2].into());
                record.figures.insert("largest cluster".to_owned(), clusters[3].into());
                Ok(())
            },
        )
        .await?;
        Ok(())
    }

    async fn kept(&self, job: &mut Job) -> Result<()> {
        let is_dump = job.context().table_exist("sentences")?;
        let id = match (&self.options.id, is_dump) {
            (_, true) => "sentence_id",
            (Some(id), false) => id,
            (None, false) => "id",
        };
        job.step(
            "kept",
            Output::File("kept.parquet"),
            async |job: &Job| {
                let input = job.context().table("input").await?.into_unoptimized_plan();
                let removed = job.context().table("clusters").await?;
                let removed = removed
                    .filter(!ident("kept"))?
                    .select(vec![ident("id").alias("removed_id")])?;
                let plan: LogicalPlan = LogicalPlanBuilder::from(input)
                    .join(
                        removed.into_unoptimized_plan(),
                        JoinType::LeftAnti,
                        (
                            vec![datafusion::common::Column::from_name(id)],
                            vec!["removed_id"],
                        ),
                        None,
                    )?
                    .sort(vec![ident(id).sort(true, false)])?
                    .build()?;
                Ok(plan)
            },
            async |context: &SessionContext, _, record: &mut StepRecord| {
                let kept =
                    numbers(context, "SELECT count(*) FILTER (WHERE kept) FROM clusters").await?;
                if kept[0] != record.rows as i64 {
                    return exec_err!(
                        "step kept: {} rows are kept, {} were written",
                        kept[0],
                        record.rows
                    );
                }
                Ok(())
            },
        )
        .await?;
        Ok(())
    }
}

/// The rows of the files with ids of their own: file ordinal shifted left by 40 bits, plus the row
/// number in the file, from 0.
async fn numbered(context: &SessionContext, input: &Input) -> Result<LogicalPlan> {
    let mut plan: Option<LogicalPlanBuilder> = None;
    for (ordinal, file) in input.files.iter().enumerate() {
        let rows = context.read_table(input.file_table(&context.state(), file).await?)?;
        let columns: Vec<_> = rows
            .schema()
            .columns()
            .into_iter()
            .map(datafusion::logical_expr::Expr::Column)
            .collect();
        let number = row_number();
        let name = number.schema_name().to_string();
        let first = ((ordinal as i64) << 40) - 1;
        let mut selected = vec![(cast(ident(name), DataType::Int64) + lit(first)).alias("id")];
        selected.extend(columns);
        let rows = rows
            .window(vec![number])?
            .select(selected)?
            .into_unoptimized_plan();
        plan = Some(match plan {
            None => LogicalPlanBuilder::from(rows),
            Some(before) => before.union_by_name(rows)?,
        });
    }
    match plan {
        Some(plan) => plan.build(),
        None => exec_err!("no input was given"),
    }
}

/// One row of whole numbers.
pub(super) async fn numbers(context: &SessionContext, sql: &str) -> Result<Vec<i64>> {
    let batches = context.sql(sql).await?.collect().await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() == 1) else {
        return exec_err!("expected one row of counts");
    };
    batch
        .columns()
        .iter()
        .map(|column| {
            let column = datafusion::arrow::compute::cast(column, &DataType::Int64)?;
            Ok(column.as_primitive::<Int64Type>().value(0))
        })
        .collect()
}

async fn one_row(_: &SessionContext, _: DataFrame, record: &mut StepRecord) -> Result<()> {
    match record.rows {
        1 => Ok(()),
        rows => exec_err!("step {}: expected one row, found {rows}", record.name),
    }
}

/// The comparisons that a prefix join makes over these token frequencies.
fn meetings(column: &datafusion::arrow::array::ArrayRef, giant: Option<u64>) -> Result<f64> {
    let bytes = datafusion::arrow::compute::cast(column, &DataType::Binary)?;
    let ranks = TokenRanks::from_bytes(bytes.as_binary::<i32>().value(0))
        .map_err(|error| exec_datafusion_err!("step prefixes: {error}"))?;
    Ok(ranks.meetings(giant))
}
