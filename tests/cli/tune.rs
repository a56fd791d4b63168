//! `neardup tune`: settings that are tried on a sample.

use crate::scratch::Scratch;
use serde_json::Value;

/// The distinct texts of the corpus.
const TEXTS: &str = "(SELECT min(id) AS id, text FROM \
                     (SELECT id, normalize_text(text) AS text FROM 'rows.parquet') GROUP BY text)";

/// The answer of a job.
#[track_caller]
fn tuned(scratch: &Scratch, arguments: &[&str]) -> Value {
    let mut all = vec!["tune"];
    all.extend(arguments);
    all.extend(["--json", "--quiet"]);
    serde_json::from_str(&scratch.succeed(&all).out).expect("JSON")
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

/// Rows of ids and texts of which many are similar, and some are equal.
fn corpus(scratch: &Scratch, rows: &str) {
    scratch.succeed(&["generate", "--rows", rows, "-o", "rows.parquet", "--quiet"]);
}

/// With a sample of all texts, the counts are those of whole joins.
#[test]
fn counts_of_a_whole_corpus_are_those_of_joins() {
    let scratch = Scratch::new();
    corpus(&scratch, "1500");
    let found = tuned(
        &scratch,
        &[
            "rows.parquet",
            "-o",
            "out",
            "--sample",
            "100000",
            "--shingle",
            "word:2,char:5",
            "--threshold",
            "0.7,0.4",
        ],
    );
    assert_eq!(found["sample"], found["texts"]);
    let settings = found["settings"].as_array().expect("settings");
    assert_eq!(settings.len(), 4);
    let pairs = |shingle: &str, threshold: f64| {
        format!(
            "(SELECT p.id_a, p.id_b, edit_similarity(a.text, b.text) >= 0.75 AS wanted FROM jaccard_join({TEXTS}, \
             shingle => '{shingle}', threshold => {threshold}) AS p JOIN {TEXTS} AS a ON p.id_a = a.id \
             JOIN {TEXTS} AS b ON p.id_b = b.id)"
        )
    };
    let count = |sql: String| number(&scratch.rows(&sql)[0]["n"]);
    let all = count(format!(
        "SELECT count(*) AS n FROM (SELECT DISTINCT id_a, id_b FROM (SELECT * FROM {} UNION ALL SELECT * FROM {}) WHERE wanted)",
        pairs("word:2", 0.4),
        pairs("char:5", 0.4)
    ));
    assert!(all > 100, "{all}");
    let mut best = 0.0_f64;
    for setting in settings {
        let pairs = pairs(
            setting["shingle"].as_str().expect("a shingle"),
            setting["threshold"].as_f64().expect("a threshold"),
        );
        let found = count(format!("SELECT count(*) AS n FROM {pairs}"));
        let wanted = count(format!("SELECT count(*) AS n FROM {pairs} WHERE wanted"));
        assert_eq!(
            (number(&setting["pairs"]), number(&setting["wanted"])),
            (found, wanted),
            "{setting}"
        );
        let share = |name: &str, end: &str| setting[name][end].as_f64().expect("a share");
        assert_eq!(
            share("precision", "value"),
            wanted as f64 / found as f64,
            "{setting}"
        );
        assert_eq!(
            share("recall", "value"),
            wanted as f64 / all as f64,
            "{setting}"
        );
        for name in ["precision", "recall"] {
            let value = share(name, "value");
            assert!(
                share(name, "low") <= value && value <= share(name, "high"),
                "{setting}"
            );
        }
        let f1 = 2.0 * wanted as f64 / (found + all) as f64;
        assert_eq!(setting["f1"].as_f64(), Some(f1), "{setting}");
        best = best.max(f1);
    }
    let recommended = &found["recommended"];
    assert_eq!(recommended["f1"].as_f64(), Some(best));
    // The recall of MinHash is that of a whole join.
    let methods = found["methods"].as_array().expect("methods");
    assert!(!methods.is_empty());
    for method in methods {
        let arguments = format!(
            "{TEXTS}, shingle => '{}', threshold => {}",
            recommended["shingle"].as_str().expect("a shingle"),
            recommended["threshold"]
        );
        let minhash = format!(
            "minhash_join({arguments}, bands => {}, rows => {})",
            method["bands"], method["rows"]
        );
        let quality = &scratch.rows(&format!(
            "SELECT truth, correct FROM pair_quality((SELECT * FROM {minhash}), (SELECT * FROM jaccard_join({arguments})))"
        ))[0];
        assert_eq!(
            (&method["pairs"], &method["found"]),
            (&quality["truth"], &quality["correct"]),
            "{method}"
        );
    }
    // The same rows as tables, and the same answer of the job that is done.
    let rows = scratch.job_number("out", "SELECT count(*) FROM settings WHERE f1 >= 0");
    assert_eq!(rows, 4);
    assert_eq!(
        scratch.job_number("out", "SELECT count(*) FROM methods"),
        methods.len() as i64
    );
    let again = tuned(
        &scratch,
        &[
            "rows.parquet",
            "-o",
            "out",
            "--sample",
            "100000",
            "--shingle",
            "word:2,char:5",
            "--threshold",
            "0.4,0.7",
        ],
    );
    assert_eq!(found, again);
}

/// The pairs of a sample are those of its texts with all texts.
#[test]
fn a_sample_is_compared_with_all_texts() {
    let scratch = Scratch::new();
    corpus(&scratch, "4000");
    let arguments = [
        "rows.parquet",
        "--sample",
        "200",
        "--shingle",
        "word:3",
        "--threshold",
        "0.6",
    ];
    let found = tuned(
        &scratch,
        &[&arguments[..], &["-o", "one", "--threads", "1"]].concat(),
    );
    let other = tuned(
        &scratch,
        &[&arguments[..], &["-o", "seven", "--threads", "7"]].concat(),
    );
    assert_eq!(found["settings"], other["settings"]);
    assert_eq!(found["methods"], other["methods"]);
    let sample = format!("(SELECT * FROM {TEXTS} ORDER BY md5(CAST(id AS VARCHAR)), id LIMIT 200)");
    let truth = &scratch.rows(&format!(
        "SELECT count(*) AS pairs, count(DISTINCT id_a) AS similar FROM (SELECT min(id_a) AS id_a FROM \
         jaccard_join({sample}, {TEXTS}, threshold => 0.6) WHERE id_a <> id_b \
         GROUP BY least(id_a, id_b), greatest(id_a, id_b))"
    ))[0];
    let setting = &found["settings"][0];
    assert_eq!(
        (&setting["pairs"], &setting["similar"]),
        (&truth["pairs"], &truth["similar"])
    );
    assert!(
        number(&setting["pairs"]) > 20 && number(&found["sample"]) == 200,
        "{found}"
    );
}

/// Labels judge the settings instead of the edit similarity.
#[test]
fn labelled_pairs_judge() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,one two three four\n2,one two three five\n3,one two six seven\n4,One two three four\n5,nine\n",
    );
    // By shingles of one word the similarities of (1, 2) and (2, 4) are 0.6, those of (1, 3) and (2, 3) 1/3, of (1, 4) 1.
    scratch.write(
        "labels.csv",
        "id_a,id_b,label\n1,2,1\n2,1,1\n3,1,0\n4,1,1\n2,3,1\n2,4,0\n5,5,1\n9,1,1\n3,5,\n,5,1\n",
    );
    let arguments = [
        "rows.csv",
        "--shingle",
        "word:1",
        "--threshold",
        "0.3,0.6,0.9",
        "--labels",
        "labels.csv",
    ];
    let found = tuned(&scratch, &[&arguments[..], &["-o", "out"]].concat());
    let labels = serde_json::json!({
        "rows": 10, "incomplete": 2, "of_one_id": 1, "repeated": 1, "pairs": 6, "found": 5
    });
    assert_eq!(found["labels"], labels);
    let counts: Vec<_> = (found["settings"].as_array().expect("settings").iter())
        .map(|setting| {
            let share = |name: &str| setting[name]["value"].as_f64().expect("a share");
            (
                number(&setting["pairs"]),
                number(&setting["wanted"]),
                share("precision"),
                share("recall"),
            )
        })
        .collect();
    assert_eq!(
        counts,
        [
            (5, 3, 0.6, 1.0),
            (3, 2, 2.0 / 3.0, 2.0 / 3.0),
            (1, 1, 1.0, 1.0 / 3.0)
        ]
    );
    assert_eq!(found["recommended"]["threshold"], 0.3);
    let said = scratch.succeed(&[&["tune"], &arguments[..], &["-o", "out", "--quiet"]].concat());
    assert_eq!(
        said.out,
        "neardup dedup rows.csv --shingle word:1 --threshold 0.3\n"
    );
    let said = scratch
        .succeed(&[&["tune"], &arguments[..], &["-o", "out"]].concat())
        .out;
    for part in [
        "5 of 6 labelled pairs have two ids of the corpus; they judge the settings (of 10 rows: 2 without an id or a label, 1 of an id with itself, 1 repeated)",
        "word:1          0.6         3  0.67",
        "recommended: --shingle word:1 --threshold 0.3",
        "lowest threshold that was tried",
        "neardup dedup rows.csv --shingle word:1 --threshold 0.3",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn labels_and_settings_that_make_no_sense() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,one two three four\n2,one two three five\n",
    );
    for (name, labels, wrong) in [
        (
            "a.csv",
            "id_a,id_b\n1,2\n",
            "there is no label; the columns are: id_a, id_b",
        ),
        (
            "b.csv",
            "id_a,id_b,label\n1,2,yes\n2,1,maybe\n",
            "the column label must hold true and false, yes and no, or numbers, found 'maybe'",
        ),
        (
            "c.csv",
            "id_a,id_b,label\n7,8,1\n8,9,0\n",
            "no labelled pair has two ids of the corpus: labels have ids such as '7', the corpus such as '1'; --id names",
        ),
        (
            "e.csv",
            "id_a,id_b,label\n1,2,yes\n",
            "all 1 labels are true; some pairs that are not wanted must be labelled, too",
        ),
        (
            "f.csv",
            "id_a,id_b,label\n1,2,No\n",
            "all 1 labels are false",
        ),
        (
            "d.csv",
            "id_a,id_b,label\n1,2,1\n2,1,0\n",
            "1 pairs have two labels",
        ),
    ] {
        scratch.write(name, labels);
        let directory = name.trim_end_matches(".csv");
        scratch.fail(
            &["tune", "rows.csv", "-o", directory, "--labels", name],
            &[name, wrong],
        );
    }
    for (arguments, wrong) in [
        (["--threshold", "0"], "threshold must be"),
        (["--shingle", "word:2,words:3"], "shingle"),
        (
            ["--shingle", "word:2,word:2"],
            "--shingle word:2 is given twice",
        ),
        (["--sample", "0"], "sample must be"),
        (["--text", "body"], "body"),
    ] {
        scratch.fail(
            &[&["tune", "rows.csv", "-o", "none"], &arguments[..]].concat(),
            &[wrong],
        );
        assert!(!scratch.has("none"));
    }
    // Nothing similar, and no text at all.
    let said = scratch.succeed(&[
        "tune",
        "rows.csv",
        "-o",
        "far",
        "--threshold",
        "0.9",
        "--shingle",
        "word:3",
    ]);
    assert!(
        said.out.contains("no setting finds a wanted pair"),
        "{}",
        said.out
    );
    scratch.write("empty.csv", "id,text\n");
    let said = scratch.succeed(&["tune", "empty.csv", "-o", "empty"]);
    assert!(said.out.contains("0 of 0 distinct texts"), "{}", said.out);
}

/// The command that is printed reads the input as this job did.
#[test]
fn the_command_has_the_options_of_reading() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "1;one two three four\n2;one two three four five\n",
    );
    let arguments = [
        "rows.csv",
        "--delimiter",
        ";",
        "--no-header",
        "--column-names",
        "key,body",
        "--id",
        "key",
    ];
    let more = [
        "--text",
        "body",
        "--language",
        "de",
        "--no-normalize",
        "--quiet",
    ];
    let said = scratch
        .succeed(&[&["tune"], &arguments[..], &more].concat())
        .out;
    let line = "neardup dedup rows.csv --text body --id key --language de --delimiter ';' --column-names key,body \
                --no-header --no-normalize --shingle ";
    assert!(said.starts_with(line), "{said}");
    let command = said.trim_end().replace('\'', "");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let summary = scratch.job(&words);
    assert_eq!(summary["kept"], 1);
}

/// Labels were read with the options of the corpus, and the command that is printed had options that its input refuses.
#[test]
fn options_of_reading_describe_the_corpus_first() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id;text\n1;one two three four\n2;one two three four five\n3;six seven eight nine\n",
    );
    let copy = "COPY 'rows.csv' TO 'rows.parquet'";
    scratch.succeed(&["sql", "--delimiter", ";", "-c", copy]);
    let labels = "id_a,id_b,label\n1,2,yes\n1,3,no\n";
    scratch.write("comma.csv", labels);
    scratch.write("semicolon.csv", labels.replace(',', ";"));
    for (rows, labels, options) in [
        ("rows.csv", "comma.csv", " --delimiter ';'"),
        ("rows.csv", "semicolon.csv", " --delimiter ';'"),
        ("rows.parquet", "semicolon.csv", ""),
    ] {
        let directory = format!("{rows}-{labels}");
        let said = scratch.succeed(&[
            "tune",
            rows,
            "--delimiter",
            ";",
            "--labels",
            labels,
            "--shingle",
            "word:1",
            "--threshold",
            "0.5",
            "-o",
            &directory,
            "--quiet",
        ]);
        assert_eq!(
            said.out,
            format!("neardup dedup {rows}{options} --shingle word:1 --threshold 0.5\n")
        );
    }
    scratch.fail(
        &["tune", "rows.parquet", "--delimiter", ";", "-o", "none"],
        &["--delimiter: ", "of a kind that does not have this option"],
    );
    assert!(!scratch.has("none"));
}
