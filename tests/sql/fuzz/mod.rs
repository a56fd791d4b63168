//! Random cases against brute force.
//!
//! A case is generated from one seed: rows, a call with its parameters, how its relations and the call itself are
//! written, partitions, batch size and parts. The expected result is computed naively in `truth`.
//!
//! ```text
//! cargo test --test sql -- fuzz::                             a fixed number of cases, as in CI
//! NEARDUP_FUZZ_MINUTES=60 cargo test --test sql -- fuzz::     as many as the time allows, from a new seed
//! NEARDUP_FUZZ_SEED=7 NEARDUP_FUZZ_CASES=1 cargo test --test sql -- fuzz::texts    one case again
//! ```
//!
//! A failing case is reduced by removing rows, and printed as statements that can be pasted into `neardup sql`.

mod calls;
mod compose;
mod expected;
mod jobs;
mod random;
mod records;
mod rows;
mod texts;
mod truth;
mod written;

use calls::Call;
use compose::{CallSite, Relation, statements};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::{DataFusionError, Result};
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
pub use random::Random;
use rows::Table;
use std::sync::Arc;
use std::time::{Duration, Instant};
use truth::Truth;

/// The trials of this module: a name, the kind of cases, and how many there are in CI.
pub fn trials() -> Vec<Trial> {
    const KINDS: &[(&str, Kind, u64)] = &[
        ("texts", Call::of_texts, 60),
        ("clusters", Call::of_clusters, 40),
        ("vectors", Call::of_vectors, 40),
        ("sentences", Call::of_sentences, 20),
    ];
    let kinds = KINDS.iter().map(|&(name, kind, cases)| {
        Trial::test(format!("fuzz::{name}"), move || {
            run(name, cases, |seed| Case::random(seed, kind))
        })
    });
    let jobs = Trial::test("fuzz::jobs", || run("jobs", 6, jobs::JobCase::random));
    let records = Trial::test("fuzz::records", || {
        run("records", 40, records::RecordCase::random)
    });
    kinds.chain([records, jobs]).collect()
}

/// Generates a call.
type Kind = fn(&mut Random) -> Call;

/// Time limit of a query.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A test case that can be run and reduced.
trait TestCase: Clone + Send + 'static {
    /// Runs the case, and returns what is wrong, if anything.
    fn attempt(&self) -> impl Future<Output = std::result::Result<(), String>> + Send;
    /// The number of rows.
    fn len(&self) -> usize;
    /// The case without the `count` rows that begin at row `from`.
    fn without(&self, from: usize, count: usize) -> Self;
    /// The case as statements for a user.
    fn shown(&self) -> String;
}

/// Runs cases, and reports failing ones in reduced form.
fn run<C: TestCase>(
    name: &str,
    cases: u64,
    draw: impl Fn(u64) -> C,
) -> std::result::Result<(), Failed> {
    let mut budget = Budget::new(cases);
    let mut failures = Vec::new();
    while let Some(seed) = budget.next() {
        let case = draw(seed);
        let Err(wrong) = attempt(&case) else { continue };
        let (case, wrong) = smallest(case, wrong);
        failures.push(format!(
            "NEARDUP_FUZZ_SEED={seed} NEARDUP_FUZZ_CASES=1 cargo test --test sql -- fuzz::{name}\n{}\n{wrong}",
            case.shown()
        ));
        if !budget.is_timed() || failures.len() >= 20 {
            break;
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(format!("after {} cases:\n{}", budget.done, failures.join("\n\n")).into()),
    }
}

/// How many cases run: a fixed number from a fixed seed, or as many as the time allows.
pub struct Budget {
    first: u64,
    cases: u64,
    done: u64,
    end: Option<Instant>,
}

impl Budget {
    /// The budget that the environment sets, by default `cases` cases.
    pub fn new(cases: u64) -> Self {
        let number = |name: &str| {
            std::env::var(name)
                .ok()
                .and_then(|value| value.parse::<u64>().ok())
        };
        let minutes = number("NEARDUP_FUZZ_MINUTES");
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let fresh = clock.map_or(0, |now| now.as_secs() * 1_000_003);
        let (first, cases) = match minutes {
            Some(_) => (fresh, u64::MAX),
            None => (1, cases),
        };
        Self {
            first: number("NEARDUP_FUZZ_SEED").unwrap_or(first),
            cases: number("NEARDUP_FUZZ_CASES").unwrap_or(cases),
            done: 0,
            end: minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes)),
        }
    }

    /// The seed of the next case.
    pub fn next(&mut self) -> Option<u64> {
        let over = self.end.is_some_and(|end| Instant::now() >= end);
        (self.done < self.cases && !over).then(|| {
            self.done += 1;
            self.first.wrapping_add(self.done - 1)
        })
    }

    fn is_timed(&self) -> bool {
        self.end.is_some()
    }
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    format!("a panic: {}", text.unwrap_or_default())
}

/// Runs a case. Panics and timeouts are failures, as wrong rows are.
fn attempt<C: TestCase>(case: &C) -> std::result::Result<(), String> {
    let case = case.clone();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        super::run(async move {
            let tried = tokio::time::timeout(TIMEOUT, case.attempt()).await;
            tried.unwrap_or_else(|_| Err(format!("no answer within {TIMEOUT:?}")))
        })
    }));
    caught.unwrap_or_else(|panic| Err(panic_text(&*panic)))
}

/// Removes rows as long as the case still fails.
fn smallest<C: TestCase>(mut case: C, mut wrong: String) -> (C, String) {
    let end = Instant::now() + Duration::from_secs(60);
    let mut count = case.len().div_ceil(2);
    while count > 0 && Instant::now() < end {
        let mut from = 0;
        while from < case.len() && Instant::now() < end {
            let smaller = case.without(from, count);
            match attempt(&smaller) {
                Err(still) => (case, wrong) = (smaller, still),
                Ok(()) => from += count,
            }
        }
        count /= 2;
    }
    (case, wrong)
}

/// A call over rows.
#[derive(Debug, Clone)]
struct Case {
    docs: Table,
    others: Table,
    call: Call,
    relations: [Relation; 2],
    call_site: CallSite,
    parts: Option<usize>,
    batch_size: usize,
}

/// Target partitions of the sessions that must agree.
const PARTITIONS: [usize; 3] = [2, 1, 7];

impl Case {
    fn random(seed: u64, kind: Kind) -> Self {
        let random = &mut Random::new(seed);
        let call = kind(random);
        let sentences = matches!(call, Call::Sentences { .. } | Call::SentencePairs { .. });
        let docs = Table::random(random, 60, sentences);
        let mut others = Table::random(random, if call.two() { 40 } else { 2 }, sentences);
        let call_site = CallSite::random(random);
        if call.two() {
            docs.share(random, &mut others);
        }
        Self {
            docs,
            others,
            call,
            relations: [Relation::random(random), Relation::random(random)],
            call_site,
            parts: random.percent(40).then(|| *random.pick(&[1, 2, 7, 64])),
            batch_size: *random.pick(&[8192, 8192, 100, 3, 1]),
        }
    }

    fn session(&self, partitions: usize) -> Result<SessionContext> {
        let config = SessionConfig::new()
            .with_target_partitions(partitions)
            .with_batch_size(self.batch_size);
        let context = neardup::session(config, Arc::default())?;
        self.docs.register(&context, "docs")?;
        self.others.register(&context, "others")?;
        Ok(context)
    }

    async fn rows(&self, partitions: usize, files: &str) -> Result<Vec<Vec<String>>> {
        let context = self.session(partitions)?;
        let mut rows = Vec::new();
        for statement in statements(
            &self.call,
            self.relations,
            self.call_site,
            self.parts,
            files,
        ) {
            let batches = context.sql(&statement).await?.collect().await?;
            rows = cells(&batches)?;
        }
        Ok(rows)
    }
}

impl TestCase for Case {
    async fn attempt(&self) -> std::result::Result<(), String> {
        let rows = self.relations[0].rows(&self.docs.rows);
        let truth = self
            .call
            .truth(&rows, &self.relations[1].rows(&self.others.rows));
        for partitions in PARTITIONS {
            let files = tempfile::TempDir::new().map_err(|error| error.to_string())?;
            let found = self
                .rows(partitions, &files.path().display().to_string())
                .await;
            judge(&truth, found).map_err(|wrong| format!("on {partitions} partitions: {wrong}"))?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.docs.rows.len() + self.others.rows.len()
    }

    fn without(&self, from: usize, count: usize) -> Self {
        let mut smaller = self.clone();
        let docs = smaller.docs.rows.len();
        let cut = |from: usize, to: usize, rows: &mut Vec<rows::Row>| {
            let (from, to) = (from.min(rows.len()), to.min(rows.len()));
            rows.drain(from..to);
        };
        cut(from, from + count, &mut smaller.docs.rows);
        cut(
            from.max(docs) - docs,
            (from + count).max(docs) - docs,
            &mut smaller.others.rows,
        );
        smaller
    }

    fn shown(&self) -> String {
        let mut lines = vec![
            format!("-- batch_size {}", self.batch_size),
            self.docs.statement("docs"),
        ];
        if self.call.two() {
            lines.push(self.others.statement("others"));
        }
        let statements = statements(
            &self.call,
            self.relations,
            self.call_site,
            self.parts,
            "/tmp",
        );
        lines.extend(statements.iter().map(|statement| format!("{statement};")));
        lines.join("\n")
    }
}

/// Compares an answer with the expected result.
fn judge(
    truth: &Truth,
    found: Result<Vec<Vec<String>>, DataFusionError>,
) -> std::result::Result<(), String> {
    match (truth, found) {
        (Truth::Rows(expected), Ok(found)) if *expected == found => Ok(()),
        (Truth::Rows(expected), Ok(found)) => {
            let wrong = found.iter().find(|row| !expected.contains(row));
            let missing = expected.iter().find(|row| !found.contains(row));
            Err(format!(
                "{} rows, expected {}; not expected: {wrong:?}; not found: {missing:?}",
                found.len(),
                expected.len()
            ))
        }
        (Truth::Rows(_), Err(error)) => Err(format!("an error: {}", error.strip_backtrace())),
        (Truth::Contradiction(ids), Ok(found)) => Err(format!(
            "{} rows, expected an error that names one of {ids:?}",
            found.len()
        )),
        (Truth::Contradiction(ids), Err(error)) => {
            let text = error.strip_backtrace();
            match ids.iter().any(|id| text.contains(id.as_str())) {
                true => Ok(()),
                false => Err(format!("an error that names none of {ids:?}: {text}")),
            }
        }
    }
}

/// The rows of batches as sorted texts.
pub fn cells(batches: &[RecordBatch]) -> Result<Vec<Vec<String>>> {
    let options = FormatOptions::default().with_null(truth::NULL);
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let mut values = Vec::new();
            for column in batch.columns() {
                values.push(match column.data_type() {
                    _ if column.is_null(row) => truth::NULL.to_owned(),
                    DataType::Float64 => {
                        truth::number(column.as_primitive::<Float64Type>().value(row))
                    }
                    _ => ArrayFormatter::try_new(column, &options)?
                        .value(row)
                        .try_to_string()?,
                });
            }
            rows.push(values);
        }
    }
    rows.sort_unstable();
    Ok(rows)
}
