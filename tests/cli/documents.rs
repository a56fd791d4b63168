//! The bundled table of documents.

use crate::scratch::{Scratch, expected, sample};
use std::collections::BTreeSet;

#[test]
fn the_pairs_are_exactly_the_expected_ones() {
    let scratch = Scratch::new();
    let table = sample("documents.jsonl");
    let table = table.to_str().expect("a path");
    let wanted: BTreeSet<(i64, i64)> = expected("expected_documents.tsv")
        .iter()
        .map(|row| {
            (
                row[1].parse().expect("an id"),
                row[2].parse().expect("an id"),
            )
        })
        .collect();
    for method in ["auto", "exact", "minhash"] {
        let summary = scratch.job(&[
            "dedup", table, "--text", "body", "--pairs", "all", "--method", method, "-o", method,
        ]);
        let found: BTreeSet<(i64, i64)> = scratch
            .job_rows(method, "SELECT id_a, id_b FROM pairs")
            .iter()
            .map(|row| {
                (
                    row["id_a"].as_i64().expect("an id"),
                    row["id_b"].as_i64().expect("an id"),
                )
            })
            .collect();
        assert_eq!(found, wanted, "{method}");
        assert_eq!(summary["rows"], 33);
        assert_eq!(summary["left_out"]["rows without a text"], 1);
        assert_eq!(summary["left_out"]["empty texts"], 1);
    }
}

#[test]
fn kept_rows_have_all_columns_of_the_input() {
    let scratch = Scratch::new();
    let table = sample("documents.jsonl");
    let table = table.to_str().expect("a path");
    scratch.succeed(&["dedup", table, "--text", "body"]);
    let kept = scratch.job_rows(
        "neardup-out",
        "SELECT id, title, source, language, body FROM kept ORDER BY id",
    );
    let sql = format!(
        "SELECT id, title, source, language, body FROM '{table}' WHERE id NOT IN \
         (SELECT id FROM 'neardup-out/clusters.parquet' WHERE NOT kept) ORDER BY id"
    );
    assert_eq!(kept, scratch.rows(&sql));
    assert_eq!(kept.len(), 33 - 13);
}
