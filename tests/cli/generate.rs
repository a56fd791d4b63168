//! `neardup generate`: the same corpus for the same seed, and a truth that holds.

use crate::scratch::Scratch;

#[test]
fn a_seed_is_a_corpus() {
    let scratch = Scratch::new();
    let make = |seed: &str, name: &str, more: &[&str]| {
        let truth = format!("truth-{name}");
        let truth = format!("{}.parquet", truth.trim_end_matches(".parquet"));
        let mut arguments = vec![
            "generate", "--rows", "1500", "--seed", seed, "-o", name, "--truth", &truth, "--quiet",
        ];
        arguments.extend(more);
        let answer = scratch.succeed(&arguments);
        assert_eq!(answer.out + &answer.err, "");
        (scratch.read(name), scratch.read(&truth))
    };
    let one = make("5", "a.parquet", &[]);
    assert!(one == make("5", "b.parquet", &["--threads", "1"]));
    assert!(one.0 != make("6", "c.parquet", &[]).0);
    let dump = make("5", "d.xml.bz2", &["--dump"]);
    assert!(dump == make("5", "e.xml.bz2", &["--dump"]));
    // A longer corpus begins with other rows only where clusters reach further.
    let rows = scratch.rows("SELECT count(*) AS n, count(DISTINCT id) AS ids, min(id) AS first, max(id) AS last FROM 'a.parquet'");
    assert_eq!(
        serde_json::Value::Object(rows[0].clone()),
        serde_json::json!({"n": 1500, "ids": 1500, "first": 0, "last": 1499})
    );
}

#[test]
fn documents_are_long() {
    let scratch = Scratch::new();
    scratch.succeed(&[
        "generate",
        "--rows",
        "300",
        "--docs",
        "-o",
        "docs.parquet",
        "--truth",
        "truth.parquet",
    ]);
    let rows = scratch.rows(
        "SELECT min(words) AS least, max(words) AS most, count(*) AS n FROM \
         (SELECT cardinality(string_to_array(text, ' ')) AS words FROM 'docs.parquet')",
    );
    let number = |name: &str| rows[0][name].as_i64().expect("a number");
    assert_eq!(number("n"), 300);
    assert!(
        number("least") >= 150 && number("most") <= 2600 && number("most") > 1000,
        "{rows:?}"
    );
    let kept = scratch.job(&["dedup", "docs.parquet"])["kept"]
        .as_i64()
        .expect("a number");
    assert!((150..300).contains(&kept), "{kept}");
}

#[test]
fn the_truth_names_clusters() {
    let scratch = Scratch::new();
    scratch.succeed(&[
        "generate",
        "--rows",
        "4000",
        "-o",
        "rows.parquet",
        "--truth",
        "truth.parquet",
        "--quiet",
    ]);
    let none = |sql: &str| assert_eq!(scratch.rows(sql)[0]["n"], 0, "{sql}");
    none(
        "SELECT count(*) AS n FROM 'rows.parquet' r FULL JOIN 'truth.parquet' t ON r.id = t.id WHERE r.id IS NULL OR t.id IS NULL",
    );
    none(
        "SELECT count(*) AS n FROM 'truth.parquet' WHERE (cluster IS NULL) <> (kind = 'background')",
    );
    none(
        "SELECT count(*) AS n FROM (SELECT cluster FROM 'truth.parquet' WHERE cluster IS NOT NULL GROUP BY 1 HAVING count(*) < 2)",
    );
    none(
        "SELECT count(*) AS n FROM (SELECT cluster FROM 'truth.parquet' t JOIN 'rows.parquet' USING (id) \
          WHERE kind = 'identical' GROUP BY 1 HAVING count(DISTINCT text) > 1)",
    );
    let kinds = scratch.rows("SELECT DISTINCT kind FROM 'truth.parquet' ORDER BY 1");
    let kinds: Vec<_> = kinds
        .iter()
        .map(|row| row["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(
        kinds,
        [
            "background",
            "characters",
            "identical",
            "numbers",
            "template",
            "words"
        ]
    );
}

#[test]
fn a_dump_holds_the_rows_as_sentences() {
    let scratch = Scratch::new();
    let rows = ["generate", "--rows", "2000", "--seed", "3", "--quiet"];
    let with = |more: &[&'static str]| [&rows[..], more].concat();
    scratch.succeed(&with(&["-o", "rows.parquet"]));
    scratch.succeed(&with(&[
        "--dump",
        "-o",
        "wiki.xml.bz2",
        "--truth",
        "truth.parquet",
    ]));
    scratch.succeed(&[
        "dedup",
        "wiki.xml.bz2",
        "-o",
        "job",
        "--pairs",
        "all",
        "--method",
        "exact",
    ]);
    let none = |sql: &str| assert_eq!(scratch.job_number("job", sql), 0, "{sql}");
    // The truth's ids are those of the sentences, whose texts are those of the table.
    none(
        "SELECT count(*) FROM sentences FULL JOIN 'truth.parquet' t ON sentence_id = t.id WHERE sentence IS NULL OR t.id IS NULL",
    );
    none(
        "SELECT count(*) FROM (SELECT sentence, count(*) AS n FROM sentences GROUP BY sentence \
         EXCEPT SELECT text, count(*) AS n FROM 'rows.parquet' GROUP BY text)",
    );
    // Every planted pair that is similar enough is found.
    let planted = "FROM (SELECT a.id AS id_a, b.id AS id_b FROM 'truth.parquet' a JOIN 'truth.parquet' b \
         ON a.cluster = b.cluster AND a.id < b.id) t";
    let similar = "JOIN sentences a ON a.sentence_id = t.id_a JOIN sentences b ON b.sentence_id = t.id_b \
         WHERE jaccard_similarity(normalize_text(a.sentence), normalize_text(b.sentence), 'char:5') >= 0.6";
    none(&format!(
        "SELECT count(*) FROM (SELECT t.id_a, t.id_b {planted} {similar} EXCEPT SELECT id_a, id_b FROM pairs)"
    ));
    let all = scratch.job_number("job", &format!("SELECT count(*) {planted}"));
    let found = scratch.job_number(
        "job",
        &format!("SELECT count(*) {planted} JOIN pairs USING (id_a, id_b)"),
    );
    assert!(
        all > 500 && found * 100 >= all * 95,
        "{found} of {all} planted pairs are found"
    );
}

#[test]
fn a_dump_is_the_same_with_and_without_compression() {
    let scratch = Scratch::new();
    for name in ["wiki.xml", "wiki.xml.bz2"] {
        scratch.succeed(&["generate", "--rows", "500", "--dump", "-o", name, "--quiet"]);
        scratch.succeed(&["ingest", name, "-o", &format!("of-{name}"), "--quiet"]);
    }
    let sql = "SELECT * FROM sentences ORDER BY sentence_id";
    assert_eq!(
        scratch.job_rows("of-wiki.xml", sql),
        scratch.job_rows("of-wiki.xml.bz2", sql)
    );
}

#[test]
fn wrong_arguments_leave_nothing_behind() {
    let scratch = Scratch::new();
    for (arguments, said) in [
        (&["--rows", "0", "-o", "x.parquet"][..], "--rows"),
        (&["--rows", "-3", "-o", "x.parquet"], "-3"),
        (&["--rows", "many", "-o", "x.parquet"], "many"),
        (&["-o", "x.parquet"], "--rows"),
        (&["--rows", "5"], "--output"),
        (
            &["--rows", "5", "-o", "x.csv"],
            "x.csv: a table is written as .parquet",
        ),
        (
            &["--rows", "5", "-o", "x.parquet", "--dump"],
            "x.parquet: a dump is written as .xml",
        ),
        (
            &["--rows", "5", "-o", "x.xml", "--dump", "--docs"],
            "--docs",
        ),
        (
            &["--rows", "5", "-o", "none/x.parquet"],
            "none/x.parquet: no such file",
        ),
        (
            &[
                "--rows",
                "5",
                "-o",
                "x.parquet",
                "--truth",
                "none/t.parquet",
            ],
            "none/t.parquet: no such file",
        ),
        (
            &["--rows", "5", "-o", "."],
            ".: a table is written as .parquet",
        ),
    ] {
        scratch.fail(&[&["generate"], arguments].concat(), &[said]);
        assert_eq!(
            std::fs::read_dir(scratch.path(""))
                .expect("a directory")
                .count(),
            0,
            "{arguments:?}"
        );
    }
}
