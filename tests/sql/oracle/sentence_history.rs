//! `sentence_history` gives what its definition says, computed revision by revision.

use super::corpus::session;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![Trial::test("oracle::sentence_history", || {
        crate::run(equal_definition())
    })]
}

/// A revision of a document with its sentences.
#[derive(Debug, Clone)]
struct Revision {
    document: i64,
    number: i64,
    time: i64,
    sentences: BTreeSet<String>,
}

/// A row of the result.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    document: i64,
    text: String,
    first: (i64, i64),
    last_revision: i64,
    removed: Option<(i64, i64)>,
    origin: &'static str,
    from: Option<(i64, String)>,
    similarity: Option<f64>,
}

/// What a sentence may be made from: the similarity, 0 for an edit and 1 for a copy, when that sentence was first there and
/// in which document, and the sentence.
type Origin = (f64, u8, (i64, i64, i64), String);

/// Documents whose sentences of four words are altered, deleted, restored, and copied from each other, and that are blanked.
fn revisions(random: &mut SplitMix64) -> Vec<Revision> {
    let mut all: Vec<Revision> = Vec::new();
    let mut now: Vec<BTreeSet<String>> = vec![BTreeSet::new(); 5];
    let mut time = 0;
    for number in 0..100 {
        time += random.below(2) as i64;
        let document = random.below(5) as usize;
        let mut sentences = now[document].clone();
        for _ in 0..1 + random.below(3) {
            let other = match random.below(3) {
                0 => now[random.below(5) as usize].clone(),
                _ => sentences.clone(),
            };
            let known: Vec<&String> = other.iter().collect();
            let words = match known.len() as u64 {
                0 => "one two three four".to_owned(),
                length => known[random.below(length) as usize].clone(),
            };
            match random.below(4) {
                0 => _ = sentences.remove(&words),
                1 => _ = sentences.insert(words),
                _ => {
                    let mut words: Vec<&str> = words.split(' ').collect();
                    let at = random.below(4) as usize;
                    let new = ["one", "two", "three", "four", "five", "six"];
                    words[at] = new[random.below(6) as usize];
                    if random.below(2) == 0 {
                        sentences.remove(&other.iter().next().cloned().unwrap_or_default());
                    }
                    sentences.insert(words.join(" "));
                }
            }
        }
        if random.below(12) == 0 {
            sentences.clear();
        }
        all.push(Revision {
            document: document as i64,
            number: (number * 7) % 101,
            time,
            sentences: sentences.clone(),
        });
        now[document] = sentences;
    }
    all
}

fn jaccard(a: &str, b: &str) -> f64 {
    let sets = [a, b].map(|text| text.split(' ').collect::<BTreeSet<_>>());
    let common = sets[0].intersection(&sets[1]).count();
    common as f64 / (sets[0].len() + sets[1].len() - common) as f64
}

/// The history by its definition.
fn history(revisions: &[Revision], threshold: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    let of = |document: i64| {
        let mut of: Vec<&Revision> = revisions
            .iter()
            .filter(|r| r.document == document)
            .collect();
        of.sort_by_key(|r| (r.time, r.number));
        of
    };
    for document in 0..5 {
        let own = of(document);
        let sentences: BTreeSet<&String> = own.iter().flat_map(|r| &r.sentences).collect();
        for text in sentences {
            let has = |r: &&Revision| r.sentences.contains(text);
            let (Some(first), Some(last)) = (own.iter().position(has), own.iter().rposition(has))
            else {
                continue;
            };
            let began = (own[first].time, own[first].number, document);
            let mut origins: Vec<Origin> = Vec::new();
            for other in 0..5 {
                let revisions = of(other);
                let texts: BTreeSet<&String> =
                    revisions.iter().flat_map(|r| &r.sentences).collect();
                for earlier in texts {
                    let similarity = jaccard(text, earlier);
                    let Some(there) = revisions.iter().find(|r| r.sentences.contains(earlier))
                    else {
                        continue;
                    };
                    let there = (there.time, there.number, other);
                    let counts = match other == document {
                        true => there < began && !own[first].sentences.contains(earlier),
                        false => there < began,
                    };
                    if counts && similarity >= threshold {
                        let kind = u8::from(other != document);
                        origins.push((similarity, kind, there, earlier.clone()));
                    }
                }
            }
            let best = origins.into_iter().min_by(|a, b| {
                let by_similarity = b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal);
                by_similarity.then_with(|| (a.1, a.2, &a.3).cmp(&(b.1, b.2, &b.3)))
            });
            rows.push(Row {
                document,
                text: text.clone(),
                first: (began.0, began.1),
                last_revision: own[last].number,
                removed: own.get(last + 1).map(|r| (r.time, r.number)),
                origin: match &best {
                    None => "new",
                    Some((_, 0, ..)) => "edit",
                    Some(_) => "copy",
                },
                similarity: best.as_ref().map(|best| best.0),
                from: best.map(|(_, _, there, text)| (there.2, text)),
            });
        }
    }
    rows
}

async fn equal_definition() -> Result<(), Failed> {
    let mut random = SplitMix64::new(5);
    let (mut edits, mut copies, mut gone, mut blanked) = (0, 0, 0, 0);
    for round in 0..6 {
        let revisions = revisions(&mut random);
        // A revision without a sentence needs a row without a text; some others have one, too.
        let lines: Vec<(&Revision, Option<&String>)> = revisions
            .iter()
            .flat_map(|r| {
                let has_row = r.sentences.is_empty() || r.number % 3 == 0;
                let sentences = r.sentences.iter().map(Some);
                sentences
                    .chain(has_row.then_some(None))
                    .map(move |sentence| (r, sentence))
            })
            .collect();
        let column = |value: fn(&Revision) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                lines.iter().map(|(r, _)| value(r)),
            ))
        };
        let texts: StringArray = lines.iter().map(|(_, sentence)| *sentence).collect();
        let batch = RecordBatch::try_from_iter([
            ("document", column(|r| r.document)),
            ("revision", column(|r| r.number)),
            ("timestamp", column(|r| r.time)),
            ("text", Arc::new(texts) as ArrayRef),
        ])?;
        let sessions = [(1, 0.5), (7, 0.5), (2, 0.6), (3, 1.0)];
        for (partitions, threshold) in [sessions[round % 4], sessions[(round + 1) % 4]] {
            let context = session(partitions)?;
            context.register_batch("revisions", batch.clone())?;
            let query = format!(
                "SELECT * FROM sentence_history(revisions, shingle => 'word:1', threshold => {threshold}) \
                 ORDER BY document, text"
            );
            let mut found = Vec::new();
            for batch in context.sql(&query).await?.collect().await? {
                for row in 0..batch.num_rows() {
                    let number = |at: usize| {
                        let column = batch.column(at).as_primitive::<Int64Type>();
                        column.is_valid(row).then(|| column.value(row))
                    };
                    let text = |at: usize| {
                        let column = batch.column(at).as_string::<i32>();
                        column.is_valid(row).then(|| column.value(row).to_owned())
                    };
                    let similarity = batch.column(10).as_primitive::<Float64Type>();
                    found.push(Row {
                        document: number(0).ok_or("no document")?,
                        text: text(1).ok_or("no text")?,
                        first: number(3).zip(number(2)).ok_or("no first revision")?,
                        last_revision: number(4).ok_or("no last revision")?,
                        removed: number(6).zip(number(5)),
                        origin: match text(7).as_deref() {
                            Some("new") => "new",
                            Some("edit") => "edit",
                            Some("copy") => "copy",
                            other => return Err(format!("origin {other:?}").into()),
                        },
                        from: number(8).zip(text(9)),
                        similarity: similarity.is_valid(row).then(|| similarity.value(row)),
                    });
                }
            }
            let expected = history(&revisions, threshold);
            edits += expected.iter().filter(|row| row.origin == "edit").count();
            copies += expected.iter().filter(|row| row.origin == "copy").count();
            gone += expected.iter().filter(|row| row.removed.is_some()).count();
            let is_blank = |row: &&Row| {
                revisions.iter().any(|r| {
                    let is_removal =
                        r.document == row.document && row.removed == Some((r.time, r.number));
                    is_removal && r.sentences.is_empty()
                })
            };
            blanked += expected.iter().filter(is_blank).count();
            if let Some((found, expected)) = found.iter().zip(&expected).find(|(a, b)| a != b) {
                return Err(format!(
                    "round {round}, {partitions} partitions, threshold {threshold}: {found:?}, expected {expected:?}"
                )
                .into());
            }
            if found.len() != expected.len() {
                return Err(format!("{} rows, expected {}", found.len(), expected.len()).into());
            }
        }
    }
    match edits > 200 && copies > 300 && gone > 300 && blanked > 200 {
        true => Ok(()),
        false => Err(format!(
            "only {edits} edits, {copies} copies, {gone} removed, {blanked} of them by a blank revision"
        )
        .into()),
    }
}
