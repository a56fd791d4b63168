//! `removed.parquet`, the audit of the rows that a job removed, and `neardup why`.

use crate::scratch::Scratch;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

/// Checks the audit of a job over texts: it has every removed row, with a kept row and a similarity that a computation
/// from the texts confirms.
#[track_caller]
fn assert_audited(scratch: &Scratch, directory: &str, threshold: f64, shingle: &str) {
    let number = |sql: &str| scratch.job_number(directory, sql);
    assert_eq!(
        number(
            "SELECT count(*) FROM clusters LEFT ANTI JOIN \
             (SELECT id FROM removed UNION ALL SELECT id FROM kept) AS all_rows ON clusters.id = all_rows.id"
        ),
        0
    );
    assert_eq!(
        number("SELECT count(*) FROM removed JOIN kept ON removed.id = kept.id"),
        0
    );
    let texts = "(SELECT id, normalize_text(text) AS text FROM 'rows.parquet')";
    let wrong = format!(
        "SELECT count(*) FROM removed JOIN {texts} AS own ON removed.id = own.id \
         JOIN {texts} AS kept ON removed.representative_id = kept.id \
         WHERE removed.similarity <> CASE WHEN own.text = kept.text THEN 1.0 \
         ELSE jaccard_similarity(own.text, kept.text, '{shingle}') END \
         OR removed.reason <> CASE WHEN own.text = kept.text THEN 'copy' \
         WHEN removed.similarity >= {threshold} THEN 'similar' ELSE 'component' END"
    );
    assert_eq!(number(&wrong), 0);
    // The class and the facts are those of the texts as they are.
    let own = "(SELECT id, text FROM 'rows.parquet')";
    let other = format!(
        "SELECT count(*) FROM (SELECT removed.class, removed.differs, classify_pair(kept.text, own.text) AS kind \
         FROM removed JOIN {own} AS own ON removed.id = own.id \
         JOIN {own} AS kept ON removed.representative_id = kept.id) \
         WHERE class IS DISTINCT FROM kind['class'] OR (differs IS DISTINCT FROM kind['differs'])"
    );
    assert_eq!(number(&other), 0);
    let facts = "SELECT count(*) FROM removed WHERE class = 'factual_drift' AND differs LIKE 'number % → %'";
    assert!(number(facts) > 0);
    assert_eq!(
        number(
            "SELECT count(*) FROM removed LEFT ANTI JOIN kept ON removed.representative_id = kept.id"
        ),
        0
    );
}

#[test]
fn every_removed_row_has_a_verified_reason() {
    let scratch = Scratch::new();
    scratch.succeed(&["generate", "--rows", "3000", "-o", "rows.parquet"]);
    for (directory, more, threshold) in [
        ("first", vec![], "0.8"),
        (
            "longest",
            vec!["--keep", "longest", "--pairs", "all"],
            "0.6",
        ),
        ("components", vec!["--resolution", "components"], "0.4"),
        (
            "latest",
            vec![
                "--resolution",
                "components",
                "--keep-by",
                "id desc",
                "--method",
                "minhash",
            ],
            "0.5",
        ),
    ] {
        let mut arguments = vec![
            "dedup",
            "rows.parquet",
            "-o",
            directory,
            "--threshold",
            threshold,
        ];
        arguments.extend(more);
        let summary = scratch.job(&arguments);
        let removed = scratch.job_number(directory, "SELECT count(*) FROM removed");
        assert!(removed > 100, "{summary}");
        assert_eq!(
            summary["rows_read"].as_i64().expect("rows"),
            removed + summary["kept"].as_i64().expect("kept"),
            "{summary}"
        );
        assert_audited(
            &scratch,
            directory,
            threshold.parse().expect("a number"),
            "word:3",
        );
    }
    let reasons = |directory: &str| -> Vec<Value> {
        let sql = "SELECT DISTINCT reason FROM removed ORDER BY reason";
        let rows = scratch.job_rows(directory, sql);
        rows.iter().map(|row| row["reason"].clone()).collect()
    };
    assert_eq!(reasons("first"), ["copy", "similar"]);
    assert_eq!(reasons("components"), ["component", "copy", "similar"]);
}

/// Rows without an id or a text are kept, and a row whose id is repeated is in the audit, too.
#[test]
fn rows_without_ids_or_texts_and_repeated_ids() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.jsonl",
        r#"{"id": 1, "text": "the old mill on the river burned down"}
{"id": 1, "text": "the old mill on the river burned down"}
{"id": 2, "text": "The old mill on the  river burned down"}
{"id": 2}
{"id": 2}
{"id": 3, "text": ""}
{"id": 4}
{"text": "the old mill on the river burned down"}
{"text": "the old mill on the river burned down"}
"#,
    );
    let summary = scratch.job(&["dedup", "rows.jsonl", "-o", "out"]);
    assert_eq!(
        (&summary["rows_read"], &summary["kept"]),
        (&json!(9), &json!(5))
    );
    assert_eq!(
        scratch.job_rows("out", "SELECT * FROM removed"),
        crate::scratch::parse(
            r#"{"id": 1, "representative_id": 1, "similarity": null, "reason": "repeated id", "class": "identical", "differs": null, "cluster_id": 1}
{"id": 2, "representative_id": 1, "similarity": 1.0, "reason": "copy", "class": "copy_edit", "differs": null, "cluster_id": 1}
{"id": 2, "representative_id": 1, "similarity": 1.0, "reason": "repeated id", "class": "copy_edit", "differs": null, "cluster_id": 1}
{"id": 2, "representative_id": 1, "similarity": 1.0, "reason": "repeated id", "class": "copy_edit", "differs": null, "cluster_id": 1}
"#
        )
    );
    assert_eq!(scratch.job_number("out", "SELECT count(*) FROM kept"), 5);
}

#[test]
fn dumps_numbered_rows_and_vectors() {
    let scratch = Scratch::new();
    let summary = scratch.job(&["dedup", "-o", "dump"]);
    let count = "SELECT count(*) FROM removed";
    let removed = scratch.job_number("dump", count);
    assert!(removed > 0);
    assert_eq!(
        summary["rows_read"].as_i64().expect("rows"),
        removed + summary["kept"].as_i64().expect("kept")
    );
    scratch.write(
        "rows.txt.csv",
        "text\nthe same words here\nother words entirely\nthe same words here\n",
    );
    scratch.succeed(&["dedup", "rows.txt.csv", "-o", "numbered"]);
    assert_eq!(
        scratch.job_rows(
            "numbered",
            "SELECT id, representative_id, reason FROM removed"
        ),
        crate::scratch::parse(r#"{"id": 2, "representative_id": 0, "reason": "copy"}"#)
    );
    scratch.write(
        "vectors.jsonl",
        "{\"id\": \"a\", \"vector\": [1.0, 2.0]}\n{\"id\": \"b\", \"vector\": [1.0, 2.0]}\n\
         {\"id\": \"c\", \"vector\": [1.0, 2.1]}\n{\"id\": \"d\", \"vector\": [-2.0, 1.0]}\n",
    );
    scratch.succeed(&[
        "dedup",
        "vectors.jsonl",
        "-o",
        "vectors",
        "--method",
        "projection",
        "--threshold",
        "0.9",
    ]);
    assert_eq!(
        scratch.job_rows(
            "vectors",
            "SELECT id, representative_id, reason FROM removed"
        ),
        crate::scratch::parse(
            r#"{"id": "b", "representative_id": "a", "reason": "copy"}
{"id": "c", "representative_id": "a", "reason": "similar"}"#
        )
    );
    let why = scratch.job(&["why", "c", "vectors"]);
    assert_eq!(why["representative"]["id"], "a");
    assert!(
        why["similarity"].as_f64().expect("a cosine") > 0.99,
        "{why}"
    );
}

/// Three rows in a chain: the ends are connected by the row between them.
fn chain(scratch: &Scratch) {
    scratch.write(
        "rows.csv",
        "id,text\n1,a b c d e f\n2,a b c d e g\n3,z b c d e g\n4,quite another text\n",
    );
    scratch.succeed(&[
        "dedup",
        "rows.csv",
        "-o",
        "out",
        "--resolution",
        "components",
        "--threshold",
        "0.6",
        "--shingle",
        "word:1",
        "--quiet",
    ]);
}

#[test]
fn why_shows_the_path_of_pairs() {
    let scratch = Scratch::new();
    chain(&scratch);
    assert_eq!(
        scratch.succeed(&["why", "3", "out"]).out,
        "row 3 was removed: a path of similar rows connects it with the kept row; cluster 1, 3 rows\n    \
         kept  1\n          a b c d e f\n   0.500  3\n          [-a-]{+z+} b c d e [-f-]{+g+}\n          template\n\n\
         pairs from row 3 to the kept row:\n   0.714  2\n          [-z-]{+a+} b c d e g\n   0.714  1\n          \
         a b c d e [-g-]{+f+}\n"
    );
    let why = scratch.job(&["why", "3", "out"]);
    assert_eq!(
        (&why["kept"], &why["reason"]),
        (&json!(false), &json!("component"))
    );
    assert_eq!(
        (&why["path"][0]["id"], &why["path"][1]["id"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(why["representative"]["text"], "a b c d e f");
    assert_eq!(
        scratch.succeed(&["why", "2", "out"]).out,
        "row 2 was removed: it is similar to the kept row; cluster 1, 3 rows\n    kept  1\n          a b c d e f\n   \
         0.714  2\n          a b c d e [-f-]{+g+}\n          template\n"
    );
    assert_eq!(
        (&why["class"], &why["changes"]),
        (&json!("template"), &json!([]))
    );
}

#[test]
fn why_names_the_facts_that_differ() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,Lake Orvin covers 14 km of the valley.\n2,Lake Orvin covers 15 km of the valley.\n",
    );
    scratch.succeed(&[
        "dedup",
        "rows.csv",
        "-o",
        "out",
        "--threshold",
        "0.3",
        "--quiet",
    ]);
    let said = scratch.succeed(&["why", "2", "out"]).out;
    assert!(
        said.ends_with("          factual drift: number 14 → 15\n"),
        "{said}"
    );
    let why = scratch.job(&["why", "2", "out"]);
    assert_eq!(
        why["changes"],
        json!([{"kind": "number", "kept": "14", "removed": "15"}])
    );
}

#[test]
fn why_a_row_is_kept_or_was_not_compared() {
    let scratch = Scratch::new();
    chain(&scratch);
    assert_eq!(
        scratch.succeed(&["why", "1", "out"]).out,
        "row 1 is kept: it represents the 3 rows of cluster 1\n    kept  1\n          a b c d e f\n"
    );
    assert_eq!(
        scratch.succeed(&["why", "4", "out"]).out,
        "row 4 is kept: it is similar to no other row\n    kept  4\n          quite another text\n"
    );
    for id in ["77", "1'; DROP TABLE clusters", ""] {
        scratch.fail(&["why", id, "out"], &["there is no row", id]);
    }
    scratch.fail(&["why", "-5", "out"], &["there is no row -5"]);
    scratch.fail(
        &["why", "1", "nowhere"],
        &["nowhere", "there is no job here"],
    );
    scratch.succeed(&["dedup", "-o", "dump", "--min-length", "60", "--quiet"]);
    let short = scratch.job_number(
        "dump",
        "SELECT min(sentence_id) FROM sentences WHERE character_length(sentence) < 60",
    );
    scratch.fail(
        &["why", &short.to_string(), "dump"],
        &["was not compared", "characters", "sentences of 60 to 2000"],
    );
}

/// A job of an earlier version has no audit; its rows are explained from its clusters, and the same command adds the
/// audit without repeating a step.
#[test]
fn jobs_without_an_audit() {
    let scratch = Scratch::new();
    chain(&scratch);
    let names = ["pairs", "clusters", "kept"].map(|name| format!("out/{name}.parquet"));
    let before = names.clone().map(|name| scratch.read(&name));
    let audit = scratch.read("out/removed.parquet");
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).expect("a text");
    let name = manifest.find("-removed\"").expect("the step");
    let step = manifest[..name]
        .rfind(",\n    {")
        .expect("a step before it");
    let end = manifest
        .find("\n  ],\n  \"finished\"")
        .expect("the end of the steps");
    let checksum = manifest.find(",\n  \"checksum\"").expect("the checksum");
    let rest = format!("{}{}", &manifest[..step], &manifest[end..checksum]);
    let sum = xxh3_64(format!("{rest}\n}}").as_bytes());
    scratch.write(
        "out/manifest.json",
        format!("{rest},\n  \"checksum\": \"{sum:016x}\"\n}}\n"),
    );
    std::fs::remove_file(scratch.path("out/removed.parquet")).expect("a removed file");
    let why = scratch.job(&["why", "3", "out"]);
    assert_eq!(
        (&why["reason"], &why["similarity"]),
        (&Value::Null, &json!(0.5))
    );
    assert!(
        scratch
            .succeed(&["show", "out"])
            .out
            .contains("cluster 1, 3 rows")
    );
    let summary = scratch.job(&[
        "dedup",
        "rows.csv",
        "-o",
        "out",
        "--resolution",
        "components",
        "--threshold",
        "0.6",
        "--shingle",
        "word:1",
    ]);
    let steps = scratch.manifest("out")["steps"]
        .as_array()
        .expect("steps")
        .len();
    assert_eq!(summary["steps_done_before"], steps - 1);
    assert_eq!(names.map(|name| scratch.read(&name)), before);
    assert_eq!(scratch.read("out/removed.parquet"), audit);
}

/// Two rows are compared as the job compares them, also if they are not a pair.
#[test]
fn why_compares_two_rows() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text,lang\n1,a b c d e f,x\n2,a b c d e g,x\n3,Z B C D e g,x\n4,,x\n5,a b c d e f,y\n6,a b c d e f,\n",
    );
    let job = [
        "dedup",
        "rows.csv",
        "--threshold",
        "0.6",
        "--shingle",
        "word:1",
    ];
    scratch.job(&[&job[..], &["--within", "lang", "-o", "by-lang"]].concat());
    scratch.job(&[&job[..], &["--method", "minhash", "-o", "minhash"]].concat());
    scratch.job(&["dedup", "rows.csv", "--measure", "edit", "-o", "edit"]);
    for (directory, other, similarity, is_pair, is_compared) in [
        ("by-lang", "2", Some(5.0 / 7.0), true, true),
        ("by-lang", "3", Some(0.5), false, true),
        ("by-lang", "4", None, false, true),
        ("by-lang", "5", Some(1.0), false, false),
        ("by-lang", "6", Some(1.0), false, false),
        ("minhash", "5", Some(1.0), true, true),
        ("edit", "2", Some(10.0 / 11.0), true, true),
    ] {
        let why = scratch.job(&["why", "1", "--pair", other, directory]);
        assert_eq!(
            why["similarity"].as_f64(),
            similarity,
            "{directory} {other}: {why}"
        );
        assert_eq!(why["pair"], is_pair, "{directory} {other}: {why}");
        assert_eq!(why["same_group"], is_compared, "{directory} {other}: {why}");
        assert_eq!(
            why["target_recall"].is_null(),
            directory != "minhash",
            "{why}"
        );
        assert_eq!(why["rows"][1]["row"]["id"].to_string(), other, "{why}");
    }
    assert_eq!(
        scratch.succeed(&["why", "1", "--pair", "3", "by-lang"]).out,
        "rows 1 and 3 are not a pair: they are less similar than the threshold 0.6\n          \
         a b c d e f\n   0.500  jaccard of word:1\n          [-a-]{+Z+} B C D e [-f-]{+g+}\n          \
         template\nrow 1 is kept\nrow 3 is kept\n"
    );
    scratch.fail(&["why", "1", "--pair", "9", "edit"], &["there is no row 9"]);
    scratch.job(&[
        "dedup",
        "rows.csv",
        "--measure",
        "containment",
        "-o",
        "contained",
    ]);
    scratch.fail(
        &["why", "1", "--pair", "2", "contained"],
        &["containment of a row in one before it in keep order"],
    );
}
