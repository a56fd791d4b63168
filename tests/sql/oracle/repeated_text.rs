//! `repeated_text` with a threshold below 1 cuts exactly the units of the definition: those that are similar to a unit
//! that comes before them and stays.

use super::corpus::{register, session};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::{Shingle, ShingleScratch, SplitMix64, jaccard, normalize_into};

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::repeated_text", || crate::run(equal_brute_force())),
        Trial::test("oracle::repeated_text of equal lines", || {
            crate::run(equal_lines_at_any_threshold())
        }),
    ]
}

/// id, start_char, end_char, first_id, first_start_char, first_end_char, copies
type Row = [i64; 7];

/// Texts of lines that are new, or lines before with other words, letters, capitals or spaces; some with blank lines.
fn texts(random: &mut SplitMix64, count: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for _ in 0..count {
        let mut text = String::new();
        for _ in 0..random.below(7) {
            let line = match random.below(5) {
                0 | 1 if !lines.is_empty() => {
                    let line = &lines[random.below(lines.len() as u64) as usize];
                    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
                    for _ in 0..random.below(3) {
                        let at = random.below(words.len() as u64) as usize;
                        match random.below(4) {
                            0 => words[at] = format!("n{}", random.below(30)),
                            1 => words[at].push('ü'),
                            2 => words[at] = words[at].to_uppercase(),
                            _ => words[at].push(' '),
                        }
                    }
                    words.join(" ")
                }
                2 => ["--", "all rights", "  ", ""][random.below(4) as usize].to_owned(),
                _ => {
                    let words = 1 + random.below(12);
                    let words = (0..words).map(|_| format!("wört{}", random.below(60)));
                    words.collect::<Vec<_>>().join(" ")
                }
            };
            text.push_str(&line);
            text.push('\n');
            lines.push(line);
        }
        texts.push(text);
    }
    texts
}

/// An occurrence of a unit: id, start_char, end_char, and the text that is compared.
type Place = (i64, i64, i64, String);

/// The units of texts of lines that end with a line feed.
fn places(texts: &[String], unit: &str, min_length: i64, normalize: bool) -> Vec<Place> {
    let mut places = Vec::new();
    for (id, text) in texts.iter().enumerate() {
        let chars: Vec<char> = text.chars().collect();
        // The lines, and the first and last ones of paragraphs: ranges of characters without white space around them.
        let (mut ranges, mut start, mut goes_on) = (Vec::<(usize, usize)>::new(), 0, false);
        for line in text.split_inclusive('\n') {
            let end = start + line.chars().count();
            let (mut from, mut to) = (start, end);
            while from < to && chars[from].is_whitespace() {
                from += 1;
            }
            while from < to && chars[to - 1].is_whitespace() {
                to -= 1;
            }
            match ranges.last_mut() {
                Some(last) if goes_on && from < to => last.1 = to,
                _ if from < to => ranges.push((from, to)),
                _ => {}
            }
            goes_on = unit == "paragraph" && from < to;
            start = end;
        }
        for (from, to) in ranges {
            if ((to - from) as i64) < min_length {
                continue;
            }
            let own: String = chars[from..to].iter().collect();
            let mut compared = own.clone();
            if normalize {
                compared.clear();
                normalize_into(&own, &mut compared);
            }
            places.push((id as i64, from as i64, to as i64, compared));
        }
    }
    places
}

/// The rows by the definition.
fn brute_force(places: &[Place], shingle: &str, threshold: f64, min_copies: i64) -> Vec<Row> {
    let mut units: Vec<&Place> = Vec::new();
    let mut unit_of = Vec::new();
    for place in places {
        let found = units.iter().position(|unit| unit.3 == place.3);
        unit_of.push(found.unwrap_or(units.len()));
        if found.is_none() {
            units.push(place);
        }
    }
    let shingle: Shingle = shingle.parse().expect("a shingle");
    let mut sets = vec![Vec::new(); units.len()];
    for (unit, set) in units.iter().zip(&mut sets) {
        shingle.hashes_into(&unit.3, &mut ShingleScratch::default(), set);
    }
    // Units without a shingle are similar to none.
    let similarity = |a: usize, b: usize| jaccard(&sets[a], &sets[b]);
    let mut kept: Vec<usize> = Vec::new();
    for unit in 0..units.len() {
        if kept
            .iter()
            .all(|&other| similarity(other, unit) < threshold)
        {
            kept.push(unit);
        }
    }
    let stays: Vec<usize> = (0..units.len())
        .map(|unit| {
            let mut best = unit;
            for &other in kept.iter().filter(|_| !kept.contains(&unit)) {
                if best == unit || similarity(other, unit) > similarity(best, unit) {
                    best = other;
                }
            }
            best
        })
        .collect();
    let mut copies = vec![0; units.len()];
    for &unit in &unit_of {
        copies[stays[unit]] += 1;
    }
    let mut rows = Vec::new();
    for (place, &unit) in places.iter().zip(&unit_of) {
        let (kept, copies) = (units[stays[unit]], copies[stays[unit]]);
        if copies >= min_copies && (place.0, place.1) != (kept.0, kept.1) {
            rows.push([place.0, place.1, place.2, kept.0, kept.1, kept.2, copies]);
        }
    }
    rows.sort_unstable();
    rows
}

async fn rows(context: &SessionContext, query: &str) -> Result<Vec<Row>, Failed> {
    let mut rows = Vec::new();
    for batch in context.sql(query).await?.collect().await? {
        for row in 0..batch.num_rows() {
            let number = |at: usize| batch.column(at).as_primitive::<Int64Type>().value(row);
            rows.push([0, 1, 2, 3, 4, 5, 6].map(number));
        }
    }
    rows.sort_unstable();
    Ok(rows)
}

async fn equal_brute_force() -> Result<(), Failed> {
    let mut random = SplitMix64::new(83);
    let (mut total, mut later) = (0, 0);
    for round in 0..2 {
        let texts = texts(&mut random, 100);
        for partitions in [1, 7] {
            let context = session(partitions)?;
            register(&context, "docs", &texts)?;
            for (unit, shingle, threshold, min_length, min_copies, normalize) in [
                ("line", "char:5", 0.7, 1, 2, true),
                ("line", "char:5", 0.3, 8, 2, true),
                ("line", "word:1", 0.5, 1, 3, true),
                ("line", "space:2", 0.4, 1, 2, false),
                ("paragraph", "char:3", 0.6, 5, 2, true),
            ] {
                let query = format!(
                    "SELECT * FROM repeated_text(docs, unit => '{unit}', shingle => '{shingle}', threshold => {threshold},
                       min_length => {min_length}, min_copies => {min_copies}, normalize => {normalize})"
                );
                let places = places(&texts, unit, min_length, normalize);
                let expected = brute_force(&places, shingle, threshold, min_copies);
                let found = rows(&context, &query).await?;
                if found != expected {
                    let missing = expected.iter().find(|row| !found.contains(row));
                    let wrong = found.iter().find(|row| !expected.contains(row));
                    return Err(format!(
                        "round {round}, {partitions} partitions: {query}: missing {missing:?}, wrong {wrong:?}"
                    )
                    .into());
                }
                total += found.len();
                later += found
                    .iter()
                    .filter(|row| (row[3], row[4]) > (row[0], row[1]))
                    .count();
            }
        }
    }
    // Units are cut for which a later one stays, too.
    match total >= 1_000 && later > 0 {
        true => Ok(()),
        false => Err(format!("only {total} rows, {later} with a later unit that stays").into()),
    }
}

/// Units of which each is equal to others or shares no shingle with any: a threshold below 1 changes nothing.
async fn equal_lines_at_any_threshold() -> Result<(), Failed> {
    let texts: Vec<String> = (0..3_000)
        .map(|at| format!("Own{at} line{at}\nFooter{} of{}\n", at % 7, at % 7))
        .collect();
    let context = session(3)?;
    register(&context, "docs", &texts)?;
    let query = |more: &str| format!("SELECT * FROM repeated_text(docs, min_length => 1{more})");
    let equal = rows(&context, &query("")).await?;
    let similar = rows(&context, &query(", threshold => 0.9, shingle => 'word:1'")).await?;
    match equal.len() == 3_000 - 7 && equal == similar {
        true => Ok(()),
        false => Err(format!("{} rows, and {}", equal.len(), similar.len()).into()),
    }
}
