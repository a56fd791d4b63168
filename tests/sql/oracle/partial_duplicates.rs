//! `partial_duplicates` gives exactly the runs of brute force: all pairs of sentences, diagonals, and repeated merging.

use super::corpus::session;
use super::{naive, same_rows};
use datafusion::arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::{SplitMix64, jaccard};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::partial_duplicates", || {
            crate::run(equal_brute_force())
        }),
        Trial::test("oracle::partial_duplicates of a frequent sentence", || {
            crate::run(frequent_sentence())
        }),
    ]
}

/// document, position, text.
type Sentence = (i64, i64, String);

/// first_a, last_a, first_b, last_b, length.
type Run = [i64; 5];

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn sentence(&mut self) -> String {
        let words: Vec<String> = (0..4 + self.below(5))
            .map(|_| format!("w{}", self.below(60)))
            .collect();
        words.join(" ")
    }

    /// A copy with one other word.
    fn altered(&mut self, sentence: &str) -> String {
        let mut words: Vec<String> = sentence.split(' ').map(str::to_owned).collect();
        let at = self.below(words.len() as u64) as usize;
        words[at] = format!("w{}", self.below(60));
        words.join(" ")
    }

    /// Documents of own, copied, altered, split, moved and repeated sentences, and of a frequent one.
    fn documents(&mut self, count: i64) -> Vec<Sentence> {
        let mut documents: Vec<Vec<String>> = Vec::new();
        for number in 0..count {
            let mut own: Vec<String> = Vec::new();
            while own.len() < 12 + number as usize % 9 {
                let from = match self.below(3) {
                    0 => &own,
                    _ if documents.is_empty() => &own,
                    _ => &documents[self.below(documents.len() as u64) as usize],
                };
                let start = self.below(from.len() as u64 + 1) as usize;
                let end = from.len().min(start + self.below(8) as usize);
                let taken = from[start..end].to_vec();
                for sentence in taken {
                    match self.below(12) {
                        0 => {}
                        1 => own.extend([sentence, self.sentence()]),
                        2 => own.push(self.sentence()),
                        3 | 4 => own.push(self.altered(&sentence)),
                        5 => {
                            let (left, right) = sentence.split_at(sentence.len() / 2);
                            own.extend([left.to_owned(), right.to_owned()]);
                        }
                        _ => own.push(sentence),
                    }
                }
                match self.below(4) {
                    0 => own.push("All rights reserved.".to_owned()),
                    _ => own.push(self.sentence()),
                }
            }
            documents.push(own);
        }
        let period = [self.sentence(), self.sentence(), String::new()];
        documents.push((0..9).map(|at| period[at % 2].clone()).collect());
        documents.push(vec![period[0].clone(); 6]);
        documents.push(vec![String::new(); 6]);
        let mut sentences = Vec::new();
        for (document, texts) in (5..).zip(documents) {
            let mut position = self.below(3) as i64 - 1;
            for text in texts {
                sentences.push((document, position, text));
                position += if self.below(15) == 0 { 2 } else { 1 };
            }
        }
        sentences
    }
}

fn brute_force(
    sentences: &[Sentence],
    threshold: f64,
    min_length: i64,
    max_gap: i64,
) -> Vec<(i64, i64, Run)> {
    let texts: Vec<String> = sentences.iter().map(|(_, _, text)| text.clone()).collect();
    let sets = naive::sets(&texts, "word:2");
    // By documents and difference of positions.
    let mut diagonals: BTreeMap<(i64, i64, i64), Vec<i64>> = BTreeMap::new();
    for (x, a) in sentences.iter().enumerate() {
        for (y, b) in sentences.iter().enumerate() {
            if (a.0, a.1) < (b.0, b.1) && jaccard(&sets[x], &sets[y]) >= threshold {
                let diagonal = diagonals.entry((a.0, b.0, b.1 - a.1)).or_default();
                diagonal.push(a.1);
            }
        }
    }
    let mut runs: BTreeMap<(i64, i64), Vec<Run>> = BTreeMap::new();
    for ((a, b, difference), mut positions) in diagonals {
        positions.sort_unstable();
        let runs = runs.entry((a, b)).or_default();
        for position in positions {
            match runs.last_mut() {
                Some(run) if run[1] + 1 == position && run[3] + 1 == position + difference => {
                    *run = [run[0], position, run[2], position + difference, run[4] + 1];
                }
                _ => runs.push([
                    position,
                    position,
                    position + difference,
                    position + difference,
                    1,
                ]),
            }
        }
    }
    let mut found = Vec::new();
    for ((a, b), runs) in runs {
        let continues = |before: &Run, after: &Run| {
            let (i, j) = (after[0] - before[1] - 1, after[2] - before[3] - 1);
            i >= 0 && j >= 0 && i.min(j) <= max_gap && (i - j).abs() <= max_gap
        };
        let mut chains: Vec<usize> = (0..runs.len()).collect();
        loop {
            let before = chains.clone();
            for x in 0..runs.len() {
                for y in 0..runs.len() {
                    if continues(&runs[x], &runs[y]) {
                        let least = chains[x].min(chains[y]);
                        (chains[x], chains[y]) = (least, least);
                    }
                }
            }
            if before == chains {
                break;
            }
        }
        let mut merged: BTreeMap<usize, Run> = BTreeMap::new();
        for (chain, run) in chains.into_iter().zip(runs) {
            let all = merged
                .entry(chain)
                .or_insert([run[0], run[1], run[2], run[3], 0]);
            *all = [
                all[0].min(run[0]),
                all[1].max(run[1]),
                all[2].min(run[2]),
                all[3].max(run[3]),
                all[4] + run[4],
            ];
        }
        let long = merged.into_values().filter(|run| run[4] >= min_length);
        found.extend(long.map(|run| (a, b, run)));
    }
    found.sort_unstable();
    found
}

fn register(context: &SessionContext, sentences: &[Sentence]) -> Result<(), Failed> {
    let partition = |chunk: &[Sentence]| -> Result<Vec<RecordBatch>, Failed> {
        let documents = Int64Array::from_iter_values(chunk.iter().map(|sentence| sentence.0));
        let positions = Int64Array::from_iter_values(chunk.iter().map(|sentence| sentence.1));
        let texts = StringArray::from_iter_values(chunk.iter().map(|sentence| &sentence.2));
        Ok(vec![RecordBatch::try_from_iter([
            ("document", Arc::new(documents) as _),
            ("position", Arc::new(positions) as _),
            ("text", Arc::new(texts) as _),
        ])?])
    };
    let partitions: Vec<_> = sentences
        .chunks(sentences.len().div_ceil(3))
        .map(partition)
        .collect::<Result<_, _>>()?;
    let schema = partitions[0][0].schema();
    context.register_table(
        "sentences",
        Arc::new(MemTable::try_new(schema, partitions)?),
    )?;
    Ok(())
}

async fn runs(context: &SessionContext, query: &str) -> Result<Vec<(i64, i64, Run)>, Failed> {
    let mut runs = Vec::new();
    for batch in context.sql(query).await?.collect().await? {
        for row in 0..batch.num_rows() {
            let value = |column| batch.column(column).as_primitive::<Int64Type>().value(row);
            runs.push((
                value(0),
                value(3),
                [value(1), value(2), value(4), value(5), value(6)],
            ));
        }
    }
    runs.sort_unstable();
    Ok(runs)
}

async fn equal_brute_force() -> Result<(), Failed> {
    let mut total = 0;
    for seed in 0..3 {
        let sentences = Random(SplitMix64::new(seed)).documents(9);
        for (partitions, parts) in [(1, 1), (7, 3)] {
            let context = session(partitions)?;
            register(&context, &sentences)?;
            for (threshold, min_length, max_gap) in [
                (0.5, 4, 0),
                (0.5, 2, 0),
                (0.4, 1, 0),
                (1.0, 3, 1),
                (0.6, 4, 1),
                (0.5, 2, 2),
                (0.5, 1, 1),
            ] {
                let expected = brute_force(&sentences, threshold, min_length, max_gap);
                let query = format!(
                    "SELECT * FROM partial_duplicates(sentences, shingle => 'word:2', threshold => {threshold},
                       min_length => {min_length}, max_gap => {max_gap}, parts => {parts})"
                );
                let found = runs(&context, &query).await?;
                let what = format!("seed {seed}, {partitions} partitions: {query}");
                same_rows(&what, &found, &expected)?;
                total += found.len();
            }
        }
    }
    // Otherwise nothing was compared.
    match total {
        0..1_000 => Err(format!("only {total} runs").into()),
        _ => Ok(()),
    }
}

/// A sentence of 3000 documents with other neighbours in each costs no pairs: they would be 4.5 million.
async fn frequent_sentence() -> Result<(), Failed> {
    let mut random = Random(SplitMix64::new(1));
    let mut sentences = Vec::new();
    for document in 0..3_000 {
        sentences.push((document, 0, format!("own {document} {}", random.sentence())));
        sentences.push((document, 1, "All rights reserved.".to_owned()));
    }
    for document in [7, 70] {
        sentences.push((document, 2, "It is printed on both sides.".to_owned()));
    }
    let context = session(2)?;
    register(&context, &sentences)?;
    let query = "SELECT * FROM partial_duplicates(sentences, min_length => 2)";
    let found = runs(&context, query).await?;
    if found != [(7, 70, [1, 2, 1, 2, 2])] {
        return Err(format!("{found:?}").into());
    }
    let analyzed = context
        .sql(&format!("EXPLAIN ANALYZE {query}"))
        .await?
        .collect()
        .await?;
    let plan = datafusion::arrow::util::pretty::pretty_format_batches(&analyzed)?.to_string();
    let operators: Vec<&str> = plan
        .lines()
        .filter(|line| line.contains("SimilarPairsExec"))
        .collect();
    let few = operators
        .iter()
        .any(|line| line.contains("output_rows=2,") || line.contains("output_rows=2]"));
    match few {
        true => Ok(()),
        false => Err(format!("more than two pairs were compared: {operators:#?}").into()),
    }
}
