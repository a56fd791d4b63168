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

/// Items of 4 to 60 words; every third one is planted word for word, every third one with one word of a dozen changed,
/// in documents of random words.
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
                for (at, word) in copy.iter_mut().enumerate().skip(11).step_by(12) {
                    *word = format!("changed{at}");
                }
            }
            let equal: Vec<bool> = copy.iter().zip(&item).map(|(a, b)| a == b).collect();
            let least = item.len().min(8);
            let runs = equal.split(|equal| !equal).map(<[bool]>::len);
            let covered: usize = runs.filter(|&run| run >= least).sum();
            let coverage = covered as f64 / item.len() as f64;
            let kind = match item.len() {
                ..8 => "short",
                length if covered == length => "verbatim",
                _ => "near",
            };
            text += &copy.join("  ").to_uppercase();
            let end = text.chars().count() as i64;
            let last = equal.iter().rposition(|equal| *equal).unwrap_or(0);
            // The end of the last run; a change in the last word, or shortly before, is after it.
            let tail = equal.len()
                - 1
                - equal
                    .iter()
                    .rposition(|equal| !equal)
                    .unwrap_or(usize::MAX)
                    .min(equal.len() - 1);
            let is_whole = last + 1 == equal.len() && (covered == item.len() || tail >= least);
            if coverage >= 0.5 {
                let end = if is_whole { end } else { -1 };
                planted.insert((number, number), (kind, coverage, (start, end)));
            }
        }
        text += " ";
        text += &after.join(" ");
        documents.push((number, text));
    }
    assert!(planted.len() > 350, "{}", planted.len());
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
                let known = planted.get(&pair).map_or(0, |known| known.2.1);
                let end = if known == -1 { -1 } else { number(5) };
                let coverage = batch.column(3).as_primitive::<Float64Type>().value(row);
                let before = found.insert(pair, (kind, coverage, (number(4), end)));
                assert!(before.is_none(), "{pair:?} twice");
            }
        }
        assert_eq!(found, planted, "{partitions} partitions");
    }
    Ok(())
}
