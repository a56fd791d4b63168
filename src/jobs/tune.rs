//! The `tune` job: tries shingles, thresholds and methods on a sample of a corpus, and reports which find the wanted
//! pairs.
//!
//! ```text
//! texts ─> sample ─> judged pairs by shingle ─> settings ─> pairs of MinHash ─> methods
//! ```
//!
//! The texts of the sample are compared with all texts of the corpus, so that all pairs of a sampled text are found,
//! not only the few whose other text is also in the sample.

use super::dedup::{Dedup, Method, Run};
use super::defaults::default;
use super::figures::Figure;
use super::inputs;
use super::job::{Job, Output, Progress};
use super::manifest::{Manifest, StepRecord};
use super::recall::{Share, recall};
use super::results::numbers;
use super::table;
use crate::files::{Input, Kind, caught, resolve, resolve_second};
use crate::functions::Value;
use crate::parameters::{name, parameter, parameter_error, set};
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::functions::string::expr_fn::{btrim, lower};
use datafusion::logical_expr::{cast, ident, lit, when};
use datafusion::prelude::{DataFrame, SessionContext};
use neardup_kernels::choose_bands;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Target recalls of MinHash that are tried.
const TARGET_RECALLS: [f64; 3] = [0.9, 0.95, 0.99];
/// The columns of labelled pairs.
const LABEL_COLUMNS: [&str; 3] = ["id_a", "id_b", "label"];

/// A `tune` job.
#[derive(Debug, Clone)]
pub struct Tune {
    /// The corpus: where it is, what its columns are, and how its texts are normalised. Thresholds, shingles, methods and
    /// what is kept are not read.
    pub corpus: Dedup,
    /// Number of distinct texts that are compared with all others.
    pub sample: usize,
    /// The shingles that are tried.
    pub shingles: Vec<String>,
    /// The thresholds that are tried, each in (0, 1].
    pub thresholds: Vec<f64>,
    /// A pair is wanted if its edit similarity is at least this, in (0, 1]; without `labels`.
    pub min_edit_similarity: f64,
    /// A table of labelled pairs `id_a`, `id_b`, `label`, by which settings are judged instead; `label` is true, or a number
    /// above 0, for the wanted ones.
    pub labels: Option<String>,
}

impl Tune {
    /// The shingles that are tried if none are given.
    pub const SHINGLES: [&'static str; 5] = ["char:5", "char:12", "word:1", "word:2", "word:3"];
    /// The thresholds that are tried if none are given.
    pub const THRESHOLDS: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

    /// A job with default options.
    pub fn new(inputs: Vec<String>, output: String) -> Self {
        Self {
            corpus: Dedup::new(inputs, output),
            sample: default("sample"),
            shingles: Self::SHINGLES.map(str::to_owned).to_vec(),
            thresholds: Self::THRESHOLDS.to_vec(),
            min_edit_similarity: default("min_edit_similarity"),
            labels: None,
        }
    }
}

/// A shingle and a threshold with the pairs that they find.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The shingle.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// Texts of the sample that are in a pair; `None` if labels judge.
    pub similar: Option<i64>,
    /// Pairs of this similarity or a greater one.
    pub pairs: i64,
    /// Wanted ones among them.
    pub wanted: i64,
    /// Share of the pairs that are wanted; `None` without pairs.
    pub precision: Option<Share>,
    /// Share of all wanted pairs that are among them; `None` if none are wanted. Without labels, all wanted pairs are those
    /// that any of the settings finds.
    pub recall: Option<Share>,
    /// Harmonic mean of precision and recall; 0 if no wanted pair is found.
    pub f1: f64,
}

/// A method with the share of the pairs at the best setting that it finds.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRecall {
    /// The target recall of MinHash.
    pub target_recall: f64,
    /// Number of bands.
    pub bands: usize,
    /// Hash values per band.
    pub rows: usize,
    /// Pairs of the sample.
    pub pairs: i64,
    /// Those that it finds.
    pub found: i64,
    /// The share; `None` without pairs.
    pub recall: Option<Share>,
}

/// The rows of a table of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelCounts {
    /// All rows.
    pub rows: i64,
    /// Rows without one of the ids, or without a label; they are left out.
    pub incomplete: i64,
    /// Rows that pair an id with itself; they are left out.
    pub of_one_id: i64,
    /// The distinct pairs of the other rows; `(a, b)` and `(b, a)` are one pair.
    pub pairs: i64,
    /// Those whose two ids have texts in the corpus. They judge the settings.
    pub found: i64,
}

impl LabelCounts {
    /// Rows whose pair another row has, with the same label.
    pub fn repeated(&self) -> i64 {
        self.rows - self.incomplete - self.of_one_id - self.pairs
    }
}

/// The result of a `tune` job.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneResult {
    /// Distinct texts of the corpus that are compared.
    pub texts: i64,
    /// Those of the sample.
    pub sample: i64,
    /// What was read of the labels, if there are any.
    pub labels: Option<LabelCounts>,
    /// All settings, by shingle and threshold.
    pub settings: Vec<Setting>,
    /// The setting of the largest F1, by its place in `settings`; `None` if no setting finds a wanted pair. Of equal ones
    /// the one of the greatest precision, then of the greatest threshold.
    pub best: Option<usize>,
    /// MinHash at that setting, by target recall; those that MinHash cannot reach are left out.
    pub methods: Vec<MethodRecall>,
    /// Estimated costs of the exact join and of MinHash at the default target recall, of the whole corpus with itself, in
    /// the same unit.
    pub costs: Option<(f64, f64)>,
    /// The options of readers that are given and that the corpus has; others are those of the labels.
    pub reading: Vec<&'static str>,
}

/// Runs or resumes the job, which writes `settings.parquet` and `methods.parquet`.
///
/// # Errors
/// As [`super::dedup`], and if the labels have no pair whose ids are in the corpus.
pub async fn tune(
    options: &Tune,
    context: SessionContext,
    progress: Arc<dyn Progress>,
) -> Result<(Job, TuneResult)> {
    options.check()?;
    let corpus = &options.corpus;
    let state = context.state();
    let input = resolve(&corpus.inputs, &state).await?;
    let texts = corpus.texts();
    let input = (texts.iter()).fold(input, |input, text| input.with_texts_in(text));
    let labels = match &options.labels {
        Some(file) => {
            let files = std::slice::from_ref(file);
            Some(resolve_second(files, &LABEL_COLUMNS, &[], &input, &state).await?)
        }
        None => None,
    };
    table::check_options(&input, labels.as_ref())?;
    let run = Run::new(corpus, &input)?;
    let mut files = inputs::identify(&input, &context.runtime_env()).await?;
    for input in [Some(&input), labels.as_ref()].into_iter().flatten() {
        inputs::refuse_inside(input, &corpus.output, &context.runtime_env())?;
    }
    if let Some(labels) = &labels {
        files.extend(inputs::identify(labels, &context.runtime_env()).await?);
    }
    if input.kind != Kind::Dump {
        // Checked before the directory is made, so that a misspelt column leaves none behind.
        run.columns(&context, &input).await?;
    }
    let mut parameters = run.parameters();
    for unused in UNUSED {
        parameters.remove(unused);
    }
    parameters.extend(options.parameters());
    for (name, value) in input.reading.given() {
        parameters.insert((*name).to_owned(), value.clone().into());
    }
    let manifest = Manifest::new("tune", files, parameters);
    let overwrite = corpus.overwrite;
    let mut job = Job::open(&corpus.output, manifest, overwrite, context, progress).await?;
    let read = caught(async {
        match input.kind {
            Kind::Dump => run.sentences(&mut job, &input).await?,
            _ => run.table(&mut job, &input).await?,
        }
        run.texts(&mut job).await
    });
    if let Err(error) = read.await {
        return Err(table::named(&input, &job, error).await);
    }
    let tuning = Tuner { options, input }.tuned(&mut job, labels).await?;
    job.finish().await?;
    Ok((job, tuning))
}

/// Parameters of `dedup` that a `tune` job does not have.
const UNUSED: [&str; 8] = [
    "threshold",
    "shingle",
    "method",
    "target_recall",
    "pairs",
    "resolution",
    "keep",
    "max_bucket_pairwise",
];

impl Tune {
    fn check(&self) -> Result<()> {
        parameter("sample").read(&self.sample.to_string())?;
        parameter("min_edit_similarity").read(&self.min_edit_similarity.to_string())?;
        for threshold in &self.thresholds {
            parameter("threshold").read(&threshold.to_string())?;
        }
        for shingle in &self.shingles {
            parameter("shingle").read(shingle)?;
        }
        for (option, is_empty) in [
            ("threshold", self.thresholds.is_empty()),
            ("shingle", self.shingles.is_empty()),
        ] {
            if is_empty {
                return Err(parameter_error![name(option), ": there is none to try"].into());
            }
        }
        let twice = |shingle: &&String| self.shingles.iter().filter(|s| s == shingle).count() > 1;
        match self.shingles.iter().find(twice) {
            Some(shingle) => {
                Err(parameter_error![set("shingle", shingle), " is given twice"].into())
            }
            None => Ok(()),
        }
    }

    /// The thresholds that are tried, in order, each once.
    fn thresholds(&self) -> Vec<f64> {
        let mut thresholds = self.thresholds.clone();
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        thresholds
    }

    /// The parameters that the result depends on beside those of the corpus.
    fn parameters(&self) -> BTreeMap<String, serde_json::Value> {
        let mut parameters = BTreeMap::from([
            ("sample".to_owned(), self.sample.into()),
            ("shingle".to_owned(), self.shingles.clone().into()),
            ("threshold".to_owned(), self.thresholds().into()),
        ]);
        match &self.labels {
            Some(labels) => parameters.insert("labels".to_owned(), labels.clone().into()),
            None => parameters.insert(
                "min_edit_similarity".to_owned(),
                self.min_edit_similarity.into(),
            ),
        };
        parameters
    }
}

/// A job after its first steps.
struct Tuner<'a> {
    options: &'a Tune,
    input: Input,
}

impl Tuner<'_> {
    async fn tuned(&self, job: &mut Job, labels: Option<Input>) -> Result<TuneResult> {
        let texts = job.figure(Figure::DistinctTexts) as i64;
        let corpus = &self.options.corpus;
        let sample = Value::Integer(self.options.sample as i64);
        let values = BTreeMap::from([("sample".to_owned(), sample)]);
        let sampled = job
            .step(
                "sample",
                Output::Step,
                async |job: &Job| job.plan(statement!("sample"), &values).await,
                async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
            )
            .await?
            .rows as i64;
        let items = statement!("sampled_items");
        job.view("sampled_items", items, &BTreeMap::new()).await?;
        let (settings, labels) = match &labels {
            Some(labels) => {
                let labels = self.labels(job, labels).await?;
                (self.by_labels(job).await?, Some(labels))
            }
            None => (self.by_edits(job).await?, None),
        };
        self.write_settings(job, &settings).await?;
        let best = best(&settings);
        let mut methods = vec![];
        let mut costs = None;
        if let Some(best) = best {
            let setting = &settings[best];
            let options = Dedup {
                threshold: Some(setting.threshold),
                shingle: Some(setting.shingle.clone()),
                method: Method::Auto,
                ..corpus.clone()
            };
            let run = Run::new(&options, &self.input)?;
            run.frequencies(job).await?;
            let cost = |figure| Some(job.figure(figure)).filter(|cost| *cost > 0.0);
            costs = cost(Figure::CostOfExact).zip(cost(Figure::CostOfMinHash));
            let values = run.values(job);
            match labels {
                // The pairs at the lowest threshold are there.
                None => {
                    let pairs = format!(
                        "SELECT id_a, id_b, similarity FROM {} WHERE similarity >= {:?}",
                        step_name("pairs", &setting.shingle),
                        setting.threshold
                    );
                    let pairs = job.context().sql(&pairs).await?.into_view();
                    job.context().register_table("true_pairs", pairs)?;
                }
                Some(_) => {
                    job.step(
                        "true_pairs",
                        Output::Step,
                        async |job: &Job| job.plan(statement!("sampled_pairs"), &values).await,
                        async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
                    )
                    .await?;
                }
            }
            for target_recall in TARGET_RECALLS {
                let bands = choose_bands(setting.threshold, target_recall, options.num_hashes);
                let Ok(bands) = bands else { continue };
                methods.push(
                    minhash(job, values.clone(), target_recall, bands.bands, bands.rows).await?,
                );
            }
        }
        self.write_methods(job, &methods).await?;
        Ok(TuneResult {
            texts,
            sample: sampled,
            labels,
            settings,
            best,
            methods,
            costs,
            reading: (self.input.reading.given().iter())
                .map(|(option, _)| *option)
                .filter(|option| self.input.has_option(option))
                .collect(),
        })
    }

    /// The settings, judged by the edit similarity of the pairs of the sample.
    async fn by_edits(&self, job: &mut Job) -> Result<Vec<Setting>> {
        let thresholds = self.options.thresholds();
        let wanted = format!("edit_similarity >= {:?}", self.options.min_edit_similarity);
        let mut names = vec![];
        for shingle in &self.options.shingles {
            let options = Dedup {
                threshold: thresholds.first().copied(),
                shingle: Some(shingle.clone()),
                method: Method::Exact,
                ..self.options.corpus.clone()
            };
            let values = Run::new(&options, &self.input)?.values(job);
            job.view("sampled_pairs", statement!("sampled_pairs"), &values)
                .await?;
            let name = step_name("pairs", shingle);
            job.step(
                &name,
                Output::Step,
                async |job: &Job| job.plan(statement!("judged_pairs"), &values).await,
                async |context: &SessionContext, _, record: &mut StepRecord| {
                    let unknown =
                        format!("SELECT count(*) FROM {name} WHERE edit_similarity IS NULL");
                    match numbers(context, &unknown).await?[0] {
                        0 => Ok(()),
                        pairs => exec_err!("step {}: {pairs} pairs have no texts", record.name),
                    }
                },
            )
            .await?;
            names.push(name);
        }
        let all: Vec<String> = names
            .iter()
            .map(|name| format!("SELECT id_a, id_b FROM {name} WHERE {wanted}"))
            .collect();
        let all = format!(
            "SELECT id_a, id_b FROM ({}) GROUP BY id_a, id_b",
            all.join(" UNION ALL ")
        );
        let (all, trials) = counts(job, &all).await?;
        let mut settings = vec![];
        for (shingle, name) in self.options.shingles.iter().zip(&names) {
            for threshold in &thresholds {
                let pairs = format!("SELECT * FROM {name} WHERE similarity >= {threshold:?}");
                let (count, of_pairs) = counts(job, &pairs).await?;
                let (found, _) = counts(job, &format!("{pairs} AND {wanted}")).await?;
                let similar = format!("SELECT count(DISTINCT id_a) FROM ({pairs})");
                let similar = numbers(job.context(), &similar).await?;
                settings.push(Setting {
                    similar: similar.first().copied(),
                    precision: Share::of(found, count, of_pairs),
                    recall: Share::of(found, all, trials),
                    ..setting(shingle, *threshold, count, found, all)
                });
            }
        }
        Ok(settings)
    }

    /// Reads the labels.
    async fn labels(&self, job: &mut Job, labels: &Input) -> Result<LabelCounts> {
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
                    return exec_err!("{file}: {} pairs have two labels", both[0]);
                }
                let kinds = numbers(
                    context,
                    "SELECT count(*) FILTER (WHERE is_similar), count(*) FILTER (WHERE NOT is_similar) FROM labels",
                )
                .await?;
                match kinds[..] {
                    // By labels of one kind the setting that finds everything, or nothing, is the best.
                    [wanted, 0] if wanted > 0 => exec_err!(
                        "{file}: all {wanted} labels are true; some pairs that are not wanted must be labelled, too, as what \
                         a setting finds beside the wanted pairs is not known without them"
                    ),
                    [0, unwanted] if unwanted > 0 => exec_err!(
                        "{file}: all {unwanted} labels are false; some pairs that are wanted must be labelled, too"
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
    async fn by_labels(&self, job: &Job) -> Result<Vec<Setting>> {
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
                    ..setting(shingle, threshold, count, found, all)
                });
            }
        }
        Ok(settings)
    }

    async fn write_settings(&self, job: &mut Job, settings: &[Setting]) -> Result<()> {
        let of = |value: fn(&Setting) -> f64| -> ArrayRef {
            Arc::new(
                settings
                    .iter()
                    .map(|row| Some(value(row)))
                    .collect::<Float64Array>(),
            )
        };
        let count = |value: fn(&Setting) -> i64| -> ArrayRef {
            Arc::new(
                settings
                    .iter()
                    .map(|row| Some(value(row)))
                    .collect::<Int64Array>(),
            )
        };
        let share = |value: fn(&Setting) -> Option<Share>, end: fn(Share) -> f64| -> ArrayRef {
            let ends = settings.iter().map(|row| value(row).map(end));
            Arc::new(ends.collect::<Float64Array>())
        };
        let similar = settings.iter().map(|row| row.similar);
        let similar: ArrayRef = Arc::new(similar.collect::<Int64Array>());
        let shingles = settings.iter().map(|row| Some(row.shingle.as_str()));
        let shingles: ArrayRef = Arc::new(shingles.collect::<StringArray>());
        let rows = RecordBatch::try_from_iter_with_nullable([
            ("shingle", shingles, true),
            ("threshold", of(|row| row.threshold), true),
            ("similar", similar, true),
            ("pairs", count(|row| row.pairs), true),
            ("wanted", count(|row| row.wanted), true),
            (
                "precision",
                share(|row| row.precision, |share| share.value),
                true,
            ),
            (
                "precision_low",
                share(|row| row.precision, |share| share.low),
                true,
            ),
            (
                "precision_high",
                share(|row| row.precision, |share| share.high),
                true,
            ),
            ("recall", share(|row| row.recall, |share| share.value), true),
            (
                "recall_low",
                share(|row| row.recall, |share| share.low),
                true,
            ),
            (
                "recall_high",
                share(|row| row.recall, |share| share.high),
                true,
            ),
            ("f1", of(|row| row.f1), true),
        ])?;
        write(
            job,
            "settings",
            "settings.parquet",
            rows,
            &["shingle", "threshold"],
        )
        .await
    }

    async fn write_methods(&self, job: &mut Job, methods: &[MethodRecall]) -> Result<()> {
        let count = |value: fn(&MethodRecall) -> i64| -> ArrayRef {
            Arc::new(
                methods
                    .iter()
                    .map(|row| Some(value(row)))
                    .collect::<Int64Array>(),
            )
        };
        let share = |end: fn(Share) -> f64| -> ArrayRef {
            Arc::new(
                methods
                    .iter()
                    .map(|row| row.recall.map(end))
                    .collect::<Float64Array>(),
            )
        };
        let targets = methods.iter().map(|row| Some(row.target_recall));
        let rows = RecordBatch::try_from_iter_with_nullable([
            (
                "target_recall",
                Arc::new(targets.collect::<Float64Array>()) as ArrayRef,
                true,
            ),
            ("bands", count(|row| row.bands as i64), true),
            ("rows", count(|row| row.rows as i64), true),
            ("pairs", count(|row| row.pairs), true),
            ("found", count(|row| row.found), true),
            ("recall", share(|share| share.value), true),
            ("recall_low", share(|share| share.low), true),
            ("recall_high", share(|share| share.high), true),
        ])?;
        write(job, "methods", "methods.parquet", rows, &["target_recall"]).await
    }
}

/// Texts of labels that are true, and that are false.
const TRUE_WORDS: [&str; 5] = ["true", "yes", "t", "y", "1"];
const FALSE_WORDS: [&str; 5] = ["false", "no", "f", "n", "0"];

/// The first value of a query, as text.
async fn example(job: &Job, sql: &str) -> Result<String> {
    for batch in job.context().sql(sql).await?.collect().await? {
        if batch.num_rows() > 0 {
            return Ok(array_value_to_string(batch.column(0), 0)?);
        }
    }
    Ok(String::new())
}

/// The name of a step for a shingle.
fn step_name(what: &str, shingle: &str) -> String {
    format!("{what}_{}", shingle.replace(':', "_"))
}

/// A setting with counts and their F1.
fn setting(shingle: &str, threshold: f64, pairs: i64, wanted: i64, all: i64) -> Setting {
    Setting {
        shingle: shingle.to_owned(),
        threshold,
        similar: None,
        pairs,
        wanted,
        precision: None,
        recall: None,
        f1: match pairs + all {
            0 => 0.0,
            both => 2.0 * wanted as f64 / both as f64,
        },
    }
}

/// The place of the best setting.
fn best(settings: &[Setting]) -> Option<usize> {
    let precision = |setting: &Setting| setting.precision.map_or(0.0, |share| share.value);
    let better = |a: &Setting, b: &Setting| {
        let order = a.f1.total_cmp(&b.f1);
        let order = order.then(precision(a).total_cmp(&precision(b)));
        order.then(a.threshold.total_cmp(&b.threshold))
    };
    let found = (0..settings.len()).filter(|at| settings[*at].f1 > 0.0);
    // Of equal ones the first one.
    found
        .rev()
        .max_by(|a, b| better(&settings[*a], &settings[*b]))
}

/// What MinHash finds of the view `true_pairs`.
async fn minhash(
    job: &mut Job,
    mut values: BTreeMap<String, Value>,
    target_recall: f64,
    bands: usize,
    rows: usize,
) -> Result<MethodRecall> {
    for (name, number) in [
        ("bands", bands),
        ("rows", rows),
        ("num_hashes", bands * rows),
    ] {
        values.insert(name.to_owned(), Value::Integer(number as i64));
    }
    let name = format!("minhash_{}", (target_recall * 100.0).round());
    job.step(
        &name,
        Output::Step,
        async |job: &Job| job.plan(statement!("sampled_minhash"), &values).await,
        async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
    )
    .await?;
    let all = recall(job.context(), &name, "true_pairs", 1).await?.all;
    Ok(MethodRecall {
        target_recall,
        bands,
        rows,
        pairs: all.map_or(0, |all| all.pairs),
        found: all.map_or(0, |all| all.found),
        recall: all.map(|all| all.share),
    })
}

/// The number of pairs of a query for `id_a` and others, and the number of independent trials that they count as: the
/// pairs of one `id_a` depend on each other (Kish 1965).
async fn counts(job: &Job, pairs: &str) -> Result<(i64, f64)> {
    let sql = format!(
        "SELECT coalesce(sum(n), 0) AS pairs, coalesce(sum(n * n), 0) AS squares \
         FROM (SELECT count(*) AS n FROM ({pairs}) GROUP BY id_a)"
    );
    let found = numbers(job.context(), &sql).await?;
    let pairs = found[0] as f64;
    Ok((found[0], pairs * pairs / found[1].max(1) as f64))
}

/// Writes computed rows as a step.
async fn write(
    job: &mut Job,
    name: &str,
    file: &str,
    rows: RecordBatch,
    order: &[&str],
) -> Result<()> {
    let order: Vec<_> = order
        .iter()
        .map(|column| ident(*column).sort(true, false))
        .collect();
    job.step(
        name,
        Output::File(file),
        async |job: &Job| {
            let frame: DataFrame = job.context().read_batch(rows)?;
            Ok(frame.sort(order)?.into_unoptimized_plan())
        },
        async |_: &SessionContext, _, _: &mut StepRecord| Ok(()),
    )
    .await?;
    Ok(())
}
