//! `dedup --method projection`: a table of vectors, and what is wrong with one.

use crate::scratch::Scratch;

/// Vectors of clusters, one zero, one NULL, one copy, as JSON lines.
const ROWS: &str = r#"{"id": 1, "embedding": [1.0, 0.0, 0.0], "text": "one"}
{"id": 2, "embedding": [2.0, 0.1, 0.0], "text": "the second"}
{"id": 3, "embedding": [0.0, 1.0, 0.0], "text": "three"}
{"id": 4, "embedding": [0.0, 5.0, 0.5], "text": "four"}
{"id": 5, "embedding": [0.0, 0.0, 0.0], "text": "zero"}
{"id": 6, "embedding": null, "text": "none"}
{"id": 7, "embedding": [1.0, 0.0, 0.0], "text": "a copy"}
{"id": 8, "embedding": [-1.0, 0.0, 0.0], "text": "opposite"}
"#;

#[test]
fn a_job_gives_what_sql_gives() {
    let scratch = Scratch::new();
    scratch.write("rows.jsonl", ROWS);
    let columns =
        "id, cluster_id, representative_id, round(similarity, 9) AS similarity, kept, cluster_size";
    for (number, keep, keep_sql) in [
        ("a", &[][..], ""),
        ("b", &["--keep", "longest"][..], ", keep => 'longest'"),
        (
            "c",
            &["--keep-by", "id desc", "--resolution", "components"][..],
            ", keep_by => 'id desc', resolution => 'components'",
        ),
    ] {
        let mut command = vec![
            "dedup",
            "rows.jsonl",
            "--method",
            "projection",
            "--vector",
            "embedding",
        ];
        command.extend(["--threshold", "0.9", "-o", number]);
        command.extend(keep);
        let summary = scratch.job(&command);
        assert_eq!(summary["method"], "projection");
        assert_eq!(summary["left_out"]["rows without a vector"], 1);
        assert_eq!(summary["left_out"]["zero vectors"], 1);
        let found = scratch.job_rows(
            number,
            &format!("SELECT {columns} FROM clusters ORDER BY id"),
        );
        let sql = format!(
            "SELECT {columns} FROM near_duplicates('rows.jsonl', method => 'projection', vector => embedding, \
             threshold => 0.9{keep_sql}) ORDER BY id"
        );
        assert_eq!(found, scratch.rows(&sql));
        assert_eq!(found.len(), 8);
    }
    let all = scratch.job(&[
        "dedup",
        "rows.jsonl",
        "--method",
        "projection",
        "--vector",
        "embedding",
        "--threshold",
        "0.9",
        "--pairs",
        "all",
        "-o",
        "all",
    ]);
    assert_eq!(all["kept"], 5);
    let pairs = scratch.job_rows("all", "SELECT id_a, id_b FROM pairs ORDER BY id_a, id_b");
    let joined = "SELECT id_a, id_b FROM cosine_join('rows.jsonl', vector => embedding, threshold => 0.9) ORDER BY id_a, id_b";
    assert_eq!(pairs, scratch.rows(joined));
    assert_eq!(pairs.len(), 4);
    let shown = scratch.succeed(&["show", "all"]);
    assert!(shown.out.contains("the second"), "{}", shown.out);
}

#[test]
fn what_is_wrong_is_named() {
    let scratch = Scratch::new();
    scratch.write("rows.jsonl", ROWS);
    for (arguments, message) in [
        (
            &["--method", "projection"][..],
            "--vector vector: the input has no such column; its columns are: ",
        ),
        (
            &["--method", "projection", "--vector", "text"],
            "--vector text: must hold lists of numbers or of (term, weight), but it holds ",
        ),
        (
            &["--vector", "embedding"],
            "--vector needs --method projection",
        ),
        (
            &[
                "--method",
                "projection",
                "--vector",
                "embedding",
                "--bits",
                "5000",
            ],
            "--bits must be a whole number in [1, 4096], found 5000",
        ),
    ] {
        let mut command = vec!["dedup", "rows.jsonl"];
        command.extend(arguments);
        scratch.fail(&command, &[message]);
        assert!(!scratch.has("neardup-out"));
    }
    scratch.write(
        "uneven.jsonl",
        "{\"id\": 1, \"vector\": [1.0, 2.0]}\n{\"id\": 2, \"vector\": [1.0]}\n",
    );
    scratch.fail(
        &["dedup", "uneven.jsonl", "--method", "projection"],
        &["numbers cannot be compared"],
    );
    scratch.fail(
        &["dedup", "--method", "projection"],
        &["--method projection compares vectors; a dump has none"],
    );
}
