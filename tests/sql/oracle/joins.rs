//! `jaccard_join` gives exactly the pairs of brute force, with bitwise equal similarities.

use super::corpus::{pairs, register, session, texts};
use super::{at_least, naive, same_rows};
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("oracle::jaccard_join of sets of strings", || {
            crate::run(strings())
        }),
        Trial::test("oracle::jaccard_join of 10000 sentences", || {
            crate::run(ten_thousand())
        }),
        Trial::test("oracle::jaccard_join of two relations", || {
            crate::run(two_relations())
        }),
        Trial::test("oracle::jaccard_join linked", || crate::run(linked())),
        Trial::test(
            "oracle::joins on any number of partitions and parts",
            || crate::run(partitions()),
        ),
    ];
    for (shingle, min_similarity) in [
        ("word:1", 0.5),
        ("word:3", 0.2),
        ("char:5", 0.4),
        ("char:12", 0.25),
        ("space:2", 0.3),
    ] {
        let name = format!("oracle::jaccard_join of {shingle}");
        trials.push(Trial::test(name, move || {
            crate::run(thresholds(shingle, min_similarity))
        }));
    }
    trials.push(Trial::test("oracle::jaccard_join of documents", || {
        crate::run(documents())
    }));
    trials
}

/// Thresholds p/q that the similarities of some pairs equal exactly.
const FRACTIONS: [(u32, u32); 10] = [
    (1, 4),
    (1, 3),
    (2, 5),
    (1, 2),
    (3, 5),
    (2, 3),
    (3, 4),
    (4, 5),
    (9, 10),
    (1, 1),
];

async fn thresholds(shingle: &'static str, min_similarity: f64) -> Result<(), Failed> {
    let texts = texts(2_500, 11, Kind::Sentences);
    let all = naive::self_pairs(&naive::sets(&texts, shingle), min_similarity);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for (p, q) in FRACTIONS {
        let threshold = f64::from(p) / f64::from(q);
        if threshold < min_similarity {
            continue;
        }
        let expected = at_least(threshold, &all);
        let query = format!(
            "SELECT * FROM jaccard_join(docs, shingle => '{shingle}', threshold => {p}.0 / {q})"
        );
        same_rows(&query, &pairs(&context, &query).await?, &expected)?;
    }
    Ok(())
}

async fn documents() -> Result<(), Failed> {
    let texts = texts(500, 5, Kind::Documents);
    let all = naive::self_pairs(&naive::sets(&texts, "word:3"), 0.5);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for threshold in [0.5, 0.8, 0.95] {
        let expected = at_least(threshold, &all);
        let query = format!("SELECT * FROM jaccard_join(docs, threshold => {threshold})");
        same_rows(&query, &pairs(&context, &query).await?, &expected)?;
    }
    Ok(())
}

/// The oracle uses no code of neardup: sets of strings instead of hashes.
async fn strings() -> Result<(), Failed> {
    let plain = |text: String| {
        let kept = text
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == ' ');
        kept.collect::<String>()
            .to_lowercase()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let texts: Vec<String> = texts(400, 3, Kind::Sentences)
        .into_iter()
        .map(plain)
        .collect();
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for (shingle, window, words) in [
        ("word:1", 1, true),
        ("word:3", 3, true),
        ("char:5", 5, false),
    ] {
        let expected = naive::string_pairs(&texts, window, words, 0.6);
        let query =
            format!("SELECT * FROM jaccard_join(docs, shingle => '{shingle}', threshold => 0.6)");
        same_rows(&query, &pairs(&context, &query).await?, &expected)?;
    }
    Ok(())
}

async fn ten_thousand() -> Result<(), Failed> {
    let texts = texts(10_000, 1, Kind::Sentences);
    let expected = naive::self_pairs(&naive::sets(&texts, "word:3"), 0.8);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    let query = "SELECT * FROM jaccard_join(docs)";
    same_rows(query, &pairs(&context, query).await?, &expected)
}

async fn two_relations() -> Result<(), Failed> {
    let (first, second) = (
        texts(3_000, 21, Kind::Sentences),
        texts(3_000, 21, Kind::Sentences),
    );
    let (first, second) = (&first[..1_200], &second[800..2_000]);
    let sets = [naive::sets(first, "char:5"), naive::sets(second, "char:5")];
    let context = session(2)?;
    register(&context, "docs", first)?;
    register(&context, "others", second)?;
    for threshold in [0.5, 0.8, 1.0] {
        let expected = naive::cross_pairs(&sets[0], &sets[1], threshold);
        let query = format!(
            "SELECT * FROM jaccard_join(docs, others, shingle => 'char:5', threshold => {threshold})"
        );
        same_rows(&query, &pairs(&context, &query).await?, &expected)?;
        let query = format!(
            "SELECT * FROM minhash_join(docs, others, shingle => 'char:5', threshold => {threshold})"
        );
        let found = pairs(&context, &query).await?;
        if let Some(wrong) = found.iter().find(|pair| !expected.contains(pair)) {
            return Err(format!("{query}: {wrong:?} is no pair").into());
        }
        if (found.len() as f64) < 0.99 * expected.len() as f64 {
            return Err(format!("{query}: {} of {} pairs", found.len(), expected.len()).into());
        }
    }
    Ok(())
}

/// Linked copies: the pairs between the first rows of distinct texts, and one pair for each copy.
async fn linked() -> Result<(), Failed> {
    let texts = texts(3_000, 31, Kind::Sentences);
    let mut normal = vec![String::new(); texts.len()];
    let mut first = std::collections::BTreeMap::new();
    let mut expected = Vec::new();
    let mut distinct = Vec::new();
    for (row, text) in texts.iter().enumerate() {
        neardup_kernels::normalize_into(text, &mut normal[row]);
        match first.get(&normal[row]) {
            Some(&original) => expected.push((original as i64, row as i64, 1.0)),
            None => {
                first.insert(normal[row].clone(), row);
                distinct.push(row);
            }
        }
    }
    let chosen: Vec<String> = distinct.iter().map(|&row| texts[row].clone()).collect();
    for (a, b, similarity) in naive::self_pairs(&naive::sets(&chosen, "word:2"), 0.7) {
        expected.push((
            distinct[a as usize] as i64,
            distinct[b as usize] as i64,
            similarity,
        ));
    }
    expected.sort_by(|x, y| x.partial_cmp(y).unwrap_or(std::cmp::Ordering::Equal));
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    let query = "SELECT * FROM jaccard_join(docs, copies => 'linked', shingle => 'word:2', threshold => 0.7)";
    same_rows(query, &pairs(&context, query).await?, &expected)
}

/// The same sorted rows for 1, 2, 7 and 64 partitions, and for other numbers of parts.
async fn partitions() -> Result<(), Failed> {
    let texts = texts(3_000, 41, Kind::Sentences);
    let calls = [
        "SELECT * FROM jaccard_join(docs, shingle => 'char:5', threshold => 0.6)",
        "SELECT * FROM minhash_join(docs, shingle => 'char:5', threshold => 0.6)",
        "SELECT * FROM minhash_join(docs, shingle => 'char:5', threshold => 0.6, copies => 'linked')",
        "SELECT id, representative_id, coalesce(similarity, -1.0) FROM near_duplicates(docs, shingle => 'char:5', threshold => 0.6)",
        "SELECT id, representative_id, coalesce(similarity, -1.0) FROM near_duplicates(docs, method => 'minhash', keep => 'longest', resolution => 'components')",
    ];
    for call in calls {
        let mut expected = None;
        for partitions in [2, 1, 7, 64] {
            let context = session(partitions)?;
            register(&context, "docs", &texts)?;
            let mut queries = vec![call.to_owned()];
            if partitions == 2 {
                queries.push(call.replace("(docs", "(docs, parts => 1"));
                queries.push(call.replace("(docs", "(docs, parts => 37"));
            }
            for query in queries {
                let found = pairs(&context, &query).await?;
                let expected = expected.get_or_insert_with(|| found.clone());
                same_rows(&format!("{query} on {partitions}"), &found, expected)?;
            }
        }
        if expected.is_none_or(|pairs| pairs.is_empty()) {
            return Err(format!("{call} gives nothing").into());
        }
    }
    Ok(())
}
