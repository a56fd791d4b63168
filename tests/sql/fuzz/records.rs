//! Random records of several fields: `field_join` with all measures, weights, rules for missing fields and groups.

use super::random::Random;
use super::rows::quoted;
use super::truth::{Groups, NULL, Truth, number, sorted};
use super::{PARTITIONS, TestCase, cells, judge, texts};
use crate::oracle::naive::{FieldValue, field_value, record_similarity};
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

/// The columns that fields are taken from.
const COLUMNS: [&str; 3] = ["title", "body", "answer"];

/// A row of `id, title, body, answer, site`. Ids of a table are distinct.
#[derive(Debug, Clone)]
struct Record {
    id: i64,
    fields: [Option<String>; 3],
    site: Option<i64>,
}

/// A call of `field_join` over records. Its fields are the first columns.
#[derive(Debug, Clone)]
pub struct RecordCase {
    docs: Vec<Record>,
    /// The second relation, if there is one.
    others: Option<Vec<Record>>,
    weights: Vec<f64>,
    measures: Vec<&'static str>,
    shingles: Vec<&'static str>,
    rescale: bool,
    normalize: bool,
    threshold: f64,
    groups: Groups,
    parts: usize,
    batch_size: usize,
}

/// A pair with its similarity and those of its fields.
type Found = (i64, i64, f64, Vec<Option<f64>>);

impl RecordCase {
    /// A random call.
    pub fn random(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let docs = records(random, &[], 40);
        let others = random.percent(35).then(|| records(random, &docs, 30));
        let count = random.between(1, COLUMNS.len());
        let shares: Vec<usize> = (0..count).map(|_| random.below(5)).collect();
        let sum: usize = shares.iter().sum();
        let weight = |&share: &usize| match sum {
            0 => 1.0 / count as f64,
            sum => share as f64 / sum as f64,
        };
        let measures = ["jaccard", "containment", "edit", "edit"];
        let shingles = ["word:1", "word:2", "char:3", "space:1"];
        let mut case = Self {
            docs,
            others,
            weights: shares.iter().map(weight).collect(),
            measures: (0..count).map(|_| random.word(&measures)).collect(),
            shingles: (0..count).map(|_| random.word(&shingles)).collect(),
            rescale: random.percent(40),
            normalize: random.percent(75),
            threshold: *random.pick(&[0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0]),
            groups: *random.pick(&[Groups::Any, Groups::Any, Groups::Across, Groups::Within]),
            parts: *random.pick(&[1, 1, 2, 7]),
            batch_size: *random.pick(&[8192, 8192, 100, 3, 1]),
        };
        let found = case.compared();
        if !found.is_empty() && random.percent(40) {
            // A threshold that a pair just reaches, or misses by the last bit.
            let similarity = random.pick(&found).2;
            let threshold = match random.percent(50) {
                true => similarity,
                false => similarity.next_up(),
            };
            case.threshold = threshold.clamp(0.001, 1.0);
        }
        case
    }

    /// All pairs of a similarity above 0.
    fn compared(&self) -> Vec<Found> {
        let own = self.values(&self.docs);
        let other = self.others.as_ref().map(|others| self.values(others));
        let second = self.others.as_ref().unwrap_or(&self.docs);
        let mut found = Vec::new();
        for (at, (a, values)) in self.docs.iter().zip(&own).enumerate() {
            let from = if other.is_some() { 0 } else { at + 1 };
            let others = second.iter().zip(other.as_ref().unwrap_or(&own));
            for (b, of_other) in others.skip(from) {
                let is_compared = match (self.groups, a.site, b.site) {
                    (Groups::Any, ..) => true,
                    (Groups::Across, Some(a), Some(b)) => a != b,
                    (Groups::Within, Some(a), Some(b)) => a == b,
                    _ => false,
                };
                let (similarity, all) = record_similarity(
                    &self.weights,
                    &self.measures,
                    self.rescale,
                    values,
                    of_other,
                );
                if is_compared && similarity > 0.0 {
                    let (id_a, id_b) = match other {
                        Some(_) => (a.id, b.id),
                        None => (a.id.min(b.id), a.id.max(b.id)),
                    };
                    found.push((id_a, id_b, similarity, all));
                }
            }
        }
        found
    }

    /// The values of the fields of records.
    fn values(&self, records: &[Record]) -> Vec<Vec<FieldValue>> {
        let value = |text: &Option<String>, shingle: &&str| {
            field_value(text.as_deref(), shingle, self.normalize)
        };
        let of_record = |record: &Record| {
            let fields = record.fields.iter().zip(&self.shingles);
            fields.map(|(text, shingle)| value(text, shingle)).collect()
        };
        records.iter().map(of_record).collect()
    }

    /// The pairs that the call must give.
    fn truth(&self) -> Truth {
        let found = self.compared().into_iter();
        // A similarity that is less by rounding is the threshold.
        let least = self.threshold * (1.0 - 1e-12);
        let found = found.filter(|(_, _, similarity, _)| *similarity >= least);
        sorted(
            found
                .map(|(id_a, id_b, similarity, all)| {
                    let similarity = similarity.max(self.threshold);
                    let all = all.into_iter();
                    let all = all.map(|field| field.map_or(NULL.to_owned(), number));
                    [id_a.to_string(), id_b.to_string(), number(similarity)]
                        .into_iter()
                        .chain(all)
                        .collect()
                })
                .collect(),
        )
    }

    /// The query of the call.
    fn query(&self) -> String {
        let relations = match self.others {
            Some(_) => "docs, others",
            None => "docs",
        };
        let texts = |words: &[&str]| {
            let words = words.iter().map(|word| format!("'{word}'"));
            words.collect::<Vec<_>>().join(", ")
        };
        let missing = if self.rescale { "rescale" } else { "zero" };
        let groups = match self.groups {
            Groups::Any => "",
            Groups::Across => ", across => site",
            Groups::Within => ", within => site",
        };
        format!(
            "SELECT * FROM field_join({relations}, fields => [{}], weights => {:?}, measures => [{}], shingles => [{}], \
             missing => '{missing}', normalize => {}, threshold => {:?}, parts => {}{groups})",
            COLUMNS[..self.weights.len()].join(", "),
            self.weights,
            texts(&self.measures),
            texts(&self.shingles),
            self.normalize,
            self.threshold,
            self.parts
        )
    }

    async fn rows(&self, partitions: usize) -> Result<Vec<Vec<String>>> {
        let config = SessionConfig::new()
            .with_target_partitions(partitions)
            .with_batch_size(self.batch_size);
        let context = neardup::session(config, Arc::default())?;
        register(&context, "docs", &self.docs)?;
        if let Some(others) = &self.others {
            register(&context, "others", others)?;
        }
        cells(&context.sql(&self.query()).await?.collect().await?)
    }
}

impl TestCase for RecordCase {
    async fn attempt(&self) -> std::result::Result<(), String> {
        let truth = self.truth();
        for partitions in PARTITIONS {
            let found = self.rows(partitions).await;
            judge(&truth, found).map_err(|wrong| format!("on {partitions} partitions: {wrong}"))?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.docs.len() + self.others.as_ref().map_or(0, Vec::len)
    }

    fn without(&self, from: usize, count: usize) -> Self {
        let mut smaller = self.clone();
        let docs = smaller.docs.len();
        let cut = |from: usize, to: usize, records: &mut Vec<Record>| {
            let (from, to) = (from.min(records.len()), to.min(records.len()));
            records.drain(from..to);
        };
        cut(from, from + count, &mut smaller.docs);
        if let Some(others) = &mut smaller.others {
            cut(
                from.max(docs) - docs,
                (from + count).max(docs) - docs,
                others,
            );
        }
        smaller
    }

    fn shown(&self) -> String {
        let mut lines = vec![
            format!("-- batch_size {}", self.batch_size),
            statement("docs", &self.docs),
        ];
        lines.extend(self.others.iter().map(|others| statement("others", others)));
        lines.push(format!("{};", self.query()));
        lines.join("\n")
    }
}

/// Random records, of which many are similar to each other or to `shared` ones.
fn records(random: &mut Random, shared: &[Record], max: usize) -> Vec<Record> {
    let count = random.between(2, max);
    let mut all: Vec<Record> = Vec::new();
    for at in 0..count as i64 {
        let fields = [0, 1, 2].map(|field| {
            let before = shared.iter().chain(&all);
            let before: Vec<Option<String>> =
                before.map(|record| record.fields[field].clone()).collect();
            texts::text(random, &before, "the bridge # was built in 1901")
        });
        all.push(Record {
            // Distinct, and in another order than the rows.
            id: at * 37 % 101,
            fields,
            site: Some(random.below(3) as i64).filter(|_| !random.percent(10)),
        });
    }
    all
}

/// Registers records as a table of two partitions.
fn register(context: &SessionContext, name: &str, records: &[Record]) -> Result<()> {
    let ids: Int64Array = records.iter().map(|record| Some(record.id)).collect();
    let sites: Int64Array = records.iter().map(|record| record.site).collect();
    let field = |at: usize| -> ArrayRef {
        let texts = records.iter().map(|record| record.fields[at].as_deref());
        Arc::new(texts.collect::<StringArray>())
    };
    let whole = RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(ids) as ArrayRef, true),
        (COLUMNS[0], field(0), true),
        (COLUMNS[1], field(1), true),
        (COLUMNS[2], field(2), true),
        ("site", Arc::new(sites) as ArrayRef, true),
    ])?;
    let half = records.len() / 2;
    let partitions = vec![
        vec![whole.slice(0, half)],
        vec![whole.slice(half, records.len() - half)],
    ];
    let table = MemTable::try_new(whole.schema(), partitions)?;
    context.register_table(name, Arc::new(table))?;
    Ok(())
}

/// A statement that creates a table of records.
fn statement(name: &str, records: &[Record]) -> String {
    if records.is_empty() {
        return format!("-- {name} has no rows");
    }
    let row = |record: &Record| {
        let fields = record.fields.iter();
        let fields = fields.map(|text| text.as_deref().map_or("NULL".to_owned(), quoted));
        let fields: Vec<String> = fields.collect();
        let site = record
            .site
            .map_or("NULL".to_owned(), |site| site.to_string());
        format!("({}, {}, {site})", record.id, fields.join(", "))
    };
    let rows: Vec<String> = records.iter().map(row).collect();
    format!(
        "CREATE TABLE {name} AS SELECT * FROM (VALUES\n  {}\n) AS v (id, {}, site);",
        rows.join(",\n  "),
        COLUMNS.join(", ")
    )
}
