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
    scratch.generate(rows, "rows.parquet");
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
    // The costs are those by which a job chooses the method.
    for (number, setting) in settings.iter().enumerate() {
        let shingle = setting["shingle"].as_str().expect("a shingle");
        let threshold = setting["threshold"].to_string();
        let directory = format!("job{number}");
        scratch.job(&[
            "dedup",
            "rows.parquet",
            "--shingle",
            shingle,
            "--threshold",
            &threshold,
            "-o",
            &directory,
        ]);
        let manifest = scratch.manifest(&directory);
        let figure = |name: &str| {
            let mut steps = manifest["steps"].as_array().expect("steps").iter();
            let found = steps.find_map(|step| step["figures"][name].as_f64());
            found.unwrap_or_else(|| panic!("{name}: {manifest}"))
        };
        assert_eq!(
            (&setting["cost_of_exact"], &setting["cost_of_minhash"]),
            (
                &Value::from(figure("cost of the exact join")),
                &Value::from(figure("cost of minhash"))
            ),
            "{setting}"
        );
        let comparisons = setting["comparisons"].as_f64().expect("a number");
        let cost = comparisons + 2.0 * figure("shingles");
        assert!(
            comparisons > 0.0 && (cost - figure("cost of the exact join")).abs() <= 1.0,
            "{setting}"
        );
    }
    // A lower threshold has more rare shingles to compare. Settings are by shingle and threshold.
    let cost = |at: usize| settings[at]["cost_of_exact"].as_f64().expect("a cost");
    assert!(cost(0) > cost(1) && cost(2) > cost(3), "{found}");
    // One join for each shingle, at the lowest threshold, and MinHash at the recommended setting.
    let joins = found["joins"].as_array().expect("joins");
    let exact: Vec<_> = (joins.iter())
        .filter(|join| join["method"] == "exact")
        .map(|join| (&join["shingle"], &join["threshold"]))
        .collect();
    let lowest = Value::from(0.4);
    let shingles = ["word:2", "char:5"].map(Value::from);
    assert_eq!(exact, [(&shingles[0], &lowest), (&shingles[1], &lowest)]);
    assert!(
        (joins.iter()).all(|join| join["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds >= 0.0)),
        "{found}"
    );
    // The recall of MinHash is that of a whole join.
    let methods = found["methods"].as_array().expect("methods");
    assert!(!methods.is_empty() && joins.len() == 2 + methods.len());
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
    let sql = "SELECT count(*) FROM settings WHERE f1 >= 0 AND comparisons < cost_of_exact AND cost_of_minhash > 0";
    let rows = scratch.job_number("out", sql);
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
    // A pair of two texts of the sample is found from both of them.
    let truth = &scratch.rows(&format!(
        "SELECT count(DISTINCT concat(least(id_a, id_b), ' ', greatest(id_a, id_b))) AS pairs, \
         count(DISTINCT id_a) AS similar \
         FROM jaccard_join({sample}, {TEXTS}, threshold => 0.6) WHERE id_a <> id_b"
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

/// Texts that are made from a template are similar, and are no near-duplicates.
#[test]
fn settings_that_make_most_texts_similar() {
    let scratch = Scratch::new();
    let names = [
        "Arden", "Bellow", "Corvin", "Dunmere", "Elsted", "Farrow", "Garth", "Holme", "Ivelet",
        "Jarrow", "Kelder", "Lorne", "Marske", "Norley", "Orton", "Penrith", "Quarl", "Redmire",
        "Skelton", "Thirsk",
    ];
    let mut rows = "id,text\n".to_owned();
    for (number, name) in names.iter().enumerate() {
        let district = names[(number * 7 + 3) % 20];
        let inhabitants = 100 + 37 * number;
        rows += &format!(
            "{number},{name} is a village in the district of {district} that had {inhabitants} inhabitants at the census\n"
        );
    }
    let fox = "quick brown foxes jump over lazy dogs near the old mill every single";
    rows += &format!("30,{fox} morning\n31,{fox} evening\n");
    scratch.write("rows.csv", rows);
    let arguments = [
        "rows.csv",
        "--shingle",
        "word:1,word:3",
        "--threshold",
        "0.5,0.7,0.8",
    ];
    // The template is recommended, and all 22 texts are similar to another one.
    let found = tuned(&scratch, &[&arguments[..], &["-o", "most"]].concat());
    let similar: Vec<_> = (found["settings"].as_array().expect("settings").iter())
        .map(|setting| number(&setting["similar"]))
        .collect();
    assert_eq!(similar, [22, 22, 6, 2, 2, 2]);
    let warnings = found["warnings"].as_array().expect("warnings");
    let said = scratch
        .succeed(&[&["tune"], &arguments[..], &["-o", "most"]].concat())
        .out;
    let parts = [
        "warning: this setting makes 100.0 % of the texts similar to another one; such texts often share a template",
        "at most half of the texts similar: --shingle word:1 --threshold 0.8, with an F1 of 0.031",
    ];
    assert_eq!(warnings.len(), parts.len(), "{found}");
    for (warning, part) in warnings.iter().zip(parts) {
        assert!(
            warning.as_str().is_some_and(|text| text.contains(part)),
            "{warning}"
        );
        assert!(said.contains(part), "{part}\n{said}");
    }
    // By a stricter bound another setting is recommended.
    let strict = ["--min-edit-similarity", "0.9", "-o", "few"];
    let said = scratch
        .succeed(&[&["tune"], &arguments[..], &strict].concat())
        .out;
    for part in [
        "recommended: --shingle word:3 --threshold 0.8",
        "its pair is wanted, and it finds 50.0 % of",
        "warning: other settings make more than half of the texts similar to another one (word:1 at 0.5, word:1 at 0.7)",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // Without such a setting there is no warning.
    let far = [
        "rows.csv",
        "--shingle",
        "word:3",
        "--threshold",
        "0.8",
        "-o",
        "none",
    ];
    let found = tuned(&scratch, &far);
    assert_eq!(found["warnings"], serde_json::json!([]));
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
            "the only label is true; some pairs that are not wanted must be labelled, too",
        ),
        (
            "f.csv",
            "id_a,id_b,label\n1,2,No\n1,3,no\n",
            "all 2 labels are false",
        ),
        (
            "d.csv",
            "id_a,id_b,label\n1,2,1\n2,1,0\n",
            "the pair (1, 2) has two labels, true and false",
        ),
        (
            "g.csv",
            "id_a,id_b,label\n1,2,1\n2,1,0\n3,1,1\n1,3,0\n3,4,0\n",
            "2 pairs have two labels, true and false: (1, 2), (1, 3)",
        ),
        (
            "h.csv",
            "id_a,id_b,label\n1,2,1\n2,1,0\n3,1,1\n1,3,0\n4,1,0\n1,4,1\n5,1,0\n1,5,1\n6,1,0\n1,6,1\n",
            "5 pairs have two labels, true and false: (1, 2), (1, 3), (1, 4) and 2 more",
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

/// The labels are read with the options of the corpus only where needed, and the printed command has only options that
/// its input accepts.
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
