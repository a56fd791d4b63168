//! `contamination` finds planted items, and no others, with their positions.

use super::corpus::session;
use datafusion::arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::datasource::MemTable;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![Trial::test("oracle::contamination", || {
        crate::run(planted_items())
    })]
}

/// How an item was planted: the kind that is expected, its coverage, and its position in characters.
type Planted = (&'static str, f64, (i64, i64));

/// Distinct words; their rank decides how frequent they are.
fn word(random: &mut SplitMix64) -> String {
    let rank = (1.0 / (0.0002 + random.below(1_000_000) as f64 / 1_000_000.0)) as u64;
    format!("w{}", rank % 4_000)
}

fn words(random: &mut SplitMix64, count: u64) -> Vec<String> {
    (0..count).map(|_| word(random)).collect()
}

fn table(rows: &[(i64, String)]) -> Result<Arc<MemTable>, Failed> {
    let ids = Int64Array::from_iter_values(rows.iter().map(|row| row.0));
    let texts = StringArray::from_iter_values(rows.iter().map(|row| &row.1));
    let batch =
        RecordBatch::try_from_iter([("id", Arc::new(ids) as _), ("text", Arc::new(texts) as _)])?;
    let slices: Vec<Vec<RecordBatch>> = (0..4)
        .map(|part| {
            let size = batch.num_rows().div_ceil(4);
            let start = (part * size).min(batch.num_rows());
            vec![batch.slice(start, size.min(batch.num_rows() - start))]
        })
        .collect();
    Ok(Arc::new(MemTable::try_new(batch.schema(), slices)?))
}

/// The words of an item that the runs of its copy hold, given which words are equal: kind, coverage, the first word
/// of the runs and the one after their last. `None` if the item is not found. All runs are on one diagonal.
fn expected(equal: &[bool]) -> Option<(&'static str, f64, usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in equal.iter().enumerate().filter(|(_, equal)| **equal) {
        match runs.last_mut() {
            Some(run) if run.1 == at => run.1 += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    let length = |run: &(usize, usize)| run.1 - run.0;
    // Runs are beside each other if fewer words are between them than in either. Other runs may stand between them.
    let mut group_of: Vec<usize> = (0..runs.len()).collect();
    for (at, after) in runs.iter().enumerate() {
        for (earlier, before) in runs[..at].iter().enumerate() {
            if after.0 - before.1 < length(before).min(length(after)).min(8) {
                let (from, to) = (group_of[at], group_of[earlier]);
                for group in group_of.iter_mut().filter(|group| **group == from) {
                    *group = to;
                }
            }
        }
    }
    let groups = (0..runs.len()).map(|number| -> Vec<(usize, usize)> {
        let members = runs.iter().zip(&group_of);
        let members = members.filter(|(_, group)| **group == number);
        members.map(|(run, _)| *run).collect()
    });
    let words = equal.len();
    let held = |group: &[(usize, usize)]| group.iter().map(length).sum::<usize>();
    let counts = |group: &Vec<(usize, usize)>| {
        let longest = group.iter().map(length).max().unwrap_or(0);
        let is_close = (12..24).contains(&words) && longest >= 6;
        longest >= words.min(8) || is_close && held(group) * 4 >= words * 3
    };
    let counted: Vec<Vec<(usize, usize)>> = groups.filter(counts).collect();
    let held: usize = counted.iter().map(|group| held(group)).sum();
    let first = counted.iter().flatten().map(|run| run.0).min()?;
    let end = counted.iter().flatten().map(|run| run.1).max()?;
    let kind = match words {
        ..8 => "short",
        _ if held == words => "verbatim",
        _ => "near",
    };
    (held * 2 >= words).then(|| (kind, held as f64 / words as f64, first, end))
}

/// Items of 4 to 60 words; every third one is planted word for word, every third one with one word of every dozen
/// changed if it has 13 words or more, in documents of random words. All of them are found.
async fn planted_items() -> Result<(), Failed> {
    let random = &mut SplitMix64::new(11);
    let mut items: Vec<(i64, String)> = Vec::new();
    let mut documents: Vec<(i64, String)> = Vec::new();
    let mut planted: BTreeMap<(i64, i64), Planted> = BTreeMap::new();
    for number in 0..600_i64 {
        // Words of its own, so that it occurs nowhere by chance.
        let count = 4 + random.below(57);
        let mut item = words(random, count);
        for (at, word) in item.iter_mut().enumerate().skip(1).step_by(3) {
            *word = format!("item{number}x{at}");
        }
        items.push((number, item.join(" ")));
        let (before, after) = (random.below(300), random.below(300));
        let (before, after) = (words(random, before), words(random, after));
        let mut text = before.join(", ");
        let start = text.chars().count() as i64 + i64::from(!text.is_empty());
        text += if text.is_empty() { "" } else { " " };
        if number % 3 < 2 {
            let mut copy = item.clone();
            if number % 3 == 1 {
                for first in (0..copy.len()).step_by(12).filter(|_| item.len() > 12) {
                    let places = (copy.len() - first).min(12) as u64;
                    let at = first + random.below(places) as usize;
                    copy[at] = format!("changed{at}");
                }
            }
            let equal: Vec<bool> = copy.iter().zip(&item).map(|(a, b)| a == b).collect();
            let (kind, coverage, first, end) =
                expected(&equal).ok_or("an item with one changed word in a dozen is not found")?;
            let copy: Vec<String> = copy.iter().map(|word| word.to_uppercase()).collect();
            // Characters before a word of the copy, whose words are divided by two spaces.
            let before =
                |word: usize| -> usize { copy[..word].iter().map(|word| word.len() + 2).sum() };
            let span = (start + before(first) as i64, start + before(end) as i64 - 2);
            planted.insert((number, number), (kind, coverage, span));
            text += &copy.join("  ");
        }
        // A word of no item, so that no two words after the copy are a run beside those of the copy.
        text += &format!(" after{number} ");
        text += &after.join(" ");
        documents.push((number, text));
    }
    assert_eq!(planted.len(), 400);
    for partitions in [1, 7] {
        let context = session(partitions)?;
        context.register_table("corpus", table(&documents)?)?;
        context.register_table("items", table(&items)?)?;
        let query = "SELECT corpus_id, item_id, kind, coverage, start_char, end_char FROM contamination(corpus, items)";
        let mut found: BTreeMap<(i64, i64), Planted> = BTreeMap::new();
        for batch in context.sql(query).await?.collect().await? {
            let kinds = cast(batch.column(2), &DataType::Utf8)?;
            for row in 0..batch.num_rows() {
                let number = |at: usize| batch.column(at).as_primitive::<Int64Type>().value(row);
                let kind = match kinds.as_string::<i32>().value(row) {
                    "short" => "short",
                    "verbatim" => "verbatim",
                    _ => "near",
                };
                let pair = (number(0), number(1));
                let coverage = batch.column(3).as_primitive::<Float64Type>().value(row);
                let before = found.insert(pair, (kind, coverage, (number(4), number(5))));
                assert!(before.is_none(), "{pair:?} twice");
            }
        }
        assert_eq!(found, planted, "{partitions} partitions");
    }
    Ok(())
}
