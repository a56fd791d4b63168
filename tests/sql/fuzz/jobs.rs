//! Random `dedup` jobs over random files.

use super::calls::{Call, Compare};
use super::random::Random;
use super::rows::{Id, Row, Table};
use super::truth::{Groups, Keep, Keys, NULL, Signing, Truth, Verify};
use super::{TestCase, cells, judge};
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup::jobs::{
    Dedup, Keep as KeepOption, KeepKey, KeepValue, Method, NoProgress, Pairs, Resolution, dedup,
};
use neardup_kernels::choose_bands;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How the rows of a job are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Parquet,
    JsonLines,
    Csv,
}

/// A job over files of rows `id, text, page, place`, or without ids of their own.
#[derive(Debug, Clone)]
pub struct JobCase {
    docs: Table,
    format: Format,
    files: usize,
    has_ids: bool,
    compare: Compare,
    minhash: bool,
    components: bool,
    all_pairs: bool,
    keep: Keep,
    /// Whether only rows of one page are compared.
    within: bool,
}

/// Target partitions of the jobs that must agree.
const PARTITIONS: [usize; 2] = [2, 7];

impl JobCase {
    /// A random job.
    pub fn random(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let mut docs = Table::random(random, 60, true);
        let format = *random.pick(&[Format::Parquet, Format::JsonLines, Format::Csv]);
        if format == Format::Csv {
            for row in &mut docs.rows {
                // CSV cannot distinguish NULL from the empty text.
                row.text =
                    Some(row.text.take().unwrap_or_default()).filter(|text| !text.is_empty());
            }
        }
        let compare = Compare::random(random);
        Self {
            docs,
            format,
            files: random.between(1, 3),
            has_ids: random.percent(70),
            minhash: random.percent(30) && choose_bands(compare.threshold, 0.99, 128).is_ok(),
            compare,
            components: random.percent(40),
            all_pairs: random.percent(30),
            keep: *random.pick(&[Keep::First, Keep::Longest, Keep::Page { descending: true }]),
            within: random.percent(25),
        }
    }

    /// The rows of a file, in order.
    fn file(&self, number: usize) -> Vec<Row> {
        let rows = self.docs.rows.iter().enumerate();
        rows.filter(|(at, _)| at % self.files == number)
            .map(|(_, row)| row.clone())
            .collect()
    }

    /// The rows as the job reads them. Rows without ids are numbered by file and row.
    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for number in 0..self.files {
            for (at, mut row) in self.file(number).into_iter().enumerate() {
                if !self.has_ids {
                    row.id = Some(Id::Number(((number as i128) << 40) + at as i128));
                }
                rows.push(row);
            }
        }
        rows
    }

    async fn write(&self, directory: &Path) -> Result<Vec<String>> {
        let mut paths = Vec::new();
        for number in 0..self.files {
            let rows = self.file(number);
            let path = directory.join(format!(
                "part {number}.{}",
                match self.format {
                    Format::Parquet => "parquet",
                    Format::JsonLines => "jsonl",
                    Format::Csv => "csv",
                }
            ));
            match self.format {
                Format::Parquet => {
                    let batch = self.docs.batch_of(&rows)?;
                    let context = SessionContext::new();
                    context.register_batch("rows", batch)?;
                    let columns = if self.has_ids {
                        "id, text, page, place"
                    } else {
                        "text, page, place"
                    };
                    let copy = format!(
                        "COPY (SELECT {columns} FROM rows ORDER BY place) TO '{}' STORED AS PARQUET",
                        path.display()
                    );
                    context.sql(&copy).await?.collect().await?;
                }
                Format::JsonLines => std::fs::write(
                    &path,
                    rows.iter().map(|row| self.json(row)).collect::<String>(),
                )?,
                Format::Csv => {
                    let head = if self.has_ids {
                        "id,text,page,place\n"
                    } else {
                        "text,page,place\n"
                    };
                    let body: String = rows.iter().map(|row| self.csv(row)).collect();
                    std::fs::write(&path, format!("{head}{body}"))?;
                }
            }
            paths.push(path.display().to_string());
        }
        Ok(paths)
    }

    fn json(&self, row: &Row) -> String {
        let mut object = serde_json::Map::new();
        if self.has_ids {
            let id = row.id.as_ref().map(|id| match id {
                Id::Number(number) => json!(*number as i64),
                Id::Text(text) => json!(text),
            });
            object.insert("id".to_owned(), id.unwrap_or(Value::Null));
        }
        object.insert("text".to_owned(), json!(row.text));
        object.insert("page".to_owned(), json!(row.page));
        object.insert("place".to_owned(), json!(row.place));
        format!("{}\n", Value::Object(object))
    }

    fn csv(&self, row: &Row) -> String {
        let id = row.id.as_ref().map(Id::to_string).unwrap_or_default();
        let text = row
            .text
            .as_deref()
            .map(|text| format!("\"{}\"", text.replace('"', "\"\"")))
            .unwrap_or_default();
        let page = row.page.map(|page| page.to_string()).unwrap_or_default();
        match self.has_ids {
            true => format!("{id},{text},{page},{}\n", row.place),
            false => format!("{text},{page},{}\n", row.place),
        }
    }

    fn options(&self, inputs: Vec<String>, output: String) -> Dedup {
        let mut options = Dedup::new(inputs, output);
        options.threshold = Some(self.compare.threshold);
        options.shingle = Some(self.compare.shingle.to_owned());
        options.normalize = self.compare.normalize;
        if self.within {
            options.within = vec!["page".to_owned()];
        }
        options.method = if self.minhash {
            Method::MinHash
        } else {
            Method::Exact
        };
        options.pairs = if self.all_pairs {
            Pairs::All
        } else {
            Pairs::Linked
        };
        options.resolution = if self.components {
            Resolution::Components
        } else {
            Resolution::Representative
        };
        options.keep = match self.keep {
            Keep::First => KeepOption::First,
            Keep::Longest => KeepOption::Longest,
            Keep::Page { descending } => KeepOption::By(vec![KeepKey {
                value: KeepValue::Column("page".to_owned()),
                descending,
            }]),
        };
        options
    }

    /// The expected rows of the job's tables.
    fn truths(&self) -> Vec<(&'static str, Truth)> {
        let rows = self.rows();
        let (compare, linked) = (self.compare.clone(), !self.all_pairs);
        let groups = match self.within {
            true => Groups::Within,
            false => Groups::Any,
        };
        let pairs = match self.minhash {
            false => Call::Jaccard {
                compare: compare.clone(),
                two: false,
                groups,
                linked,
            },
            true => {
                let bands = choose_bands(compare.threshold, 0.99, 128).expect("bands");
                let signing = Signing {
                    keys: Keys::Bands(bands.bands, bands.rows),
                    bits: 32,
                    seed: 1,
                };
                Call::MinHash {
                    compare: compare.clone(),
                    two: false,
                    groups,
                    linked,
                    signing,
                    given: String::new(),
                    verify: Verify::Exact,
                }
            }
        };
        let (minhash, components, keep) = (self.minhash, self.components, self.keep);
        let near = |rows: bool| Call::Near {
            compare: compare.clone(),
            minhash,
            components,
            keep,
            rows,
            within: self.within,
        };
        // Of several equal rows, a job keeps any one.
        let mut once: BTreeMap<Option<Id>, Row> = BTreeMap::new();
        let mut without_id = Vec::new();
        for row in &rows {
            match &row.id {
                Some(id) => drop(once.entry(Some(id.clone())).or_insert_with(|| Row {
                    place: 0,
                    ..row.clone()
                })),
                None => without_id.push(Row {
                    place: 0,
                    ..row.clone()
                }),
            }
        }
        let stays = match near(false).truth(&rows, &[]) {
            Truth::Rows(rows) => rows
                .into_iter()
                .filter(|row| row[4] == "true")
                .map(|row| row[0].clone())
                .collect::<Vec<_>>(),
            wrong => return vec![("pairs", wrong)],
        };
        let all = once.into_values().chain(without_id);
        let kept = all
            .filter(|row| stays.contains(&row.id.as_ref().map_or(NULL.to_owned(), Id::to_string)));
        let kept = kept.map(|row| {
            vec![
                super::truth::shown(row.id.as_ref()),
                super::truth::shown(row.text.as_ref()),
                super::truth::shown(row.page),
            ]
        });
        vec![
            (
                "SELECT id_a, id_b, similarity FROM pairs",
                pairs.truth(&rows, &[]),
            ),
            (
                "SELECT id, cluster_id, representative_id, similarity, kept, cluster_size FROM clusters",
                near(false).truth(&rows, &[]),
            ),
            (
                "SELECT id, text, page FROM kept",
                super::truth::sorted(kept.collect()),
            ),
        ]
    }

    async fn run(&self, partitions: usize, directory: &Path) -> Result<SessionContext> {
        let paths = self.write(directory).await?;
        let session = || {
            neardup::session(
                SessionConfig::new().with_target_partitions(partitions),
                Arc::default(),
            )
        };
        let output = directory.join("job").display().to_string();
        dedup(
            &self.options(paths, output.clone()),
            session()?,
            Arc::new(NoProgress),
        )
        .await?;
        let context = session()?;
        neardup::jobs::register(&context, &output).await?;
        Ok(context)
    }
}

impl TestCase for JobCase {
    async fn attempt(&self) -> std::result::Result<(), String> {
        if self.docs.rows.is_empty() {
            return Ok(());
        }
        let truths = self.truths();
        for partitions in PARTITIONS {
            let directory = tempfile::TempDir::new().map_err(|error| error.to_string())?;
            let job = self.run(partitions, directory.path()).await;
            let context = match (job, &truths[..]) {
                (Err(error), [(_, wrong @ Truth::Contradiction(_)), ..]) => {
                    judge(wrong, Err(error))?;
                    continue;
                }
                (job, _) => job.map_err(|error| {
                    format!("on {partitions}: an error: {}", error.strip_backtrace())
                })?,
            };
            for (query, truth) in &truths {
                let found = async { cells(&context.sql(query).await?.collect().await?) }.await;
                judge(truth, found)
                    .map_err(|wrong| format!("on {partitions}: {query}: {wrong}"))?;
            }
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.docs.rows.len()
    }

    fn without(&self, from: usize, count: usize) -> Self {
        let mut smaller = self.clone();
        let to = (from + count).min(smaller.docs.rows.len());
        smaller.docs.rows.drain(from.min(to)..to);
        smaller
    }

    fn shown(&self) -> String {
        let options = self.options(vec![], String::new());
        let files: Vec<String> = (0..self.files)
            .map(|number| {
                let lines: String = self
                    .file(number)
                    .iter()
                    .map(|row| match self.format {
                        Format::Csv => self.csv(row),
                        _ => self.json(row),
                    })
                    .collect();
                format!("-- file {number}\n{lines}")
            })
            .collect();
        format!(
            "{:?}, ids {}, {options:?}\n{}",
            self.format,
            self.has_ids,
            files.concat()
        )
    }
}
