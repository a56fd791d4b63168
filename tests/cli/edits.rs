//! `neardup dedup --edit`: repeated lines and paragraphs are cut, the rest stays.

use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rows of lines: own ones, and ones that many rows have. More than one MiB.
fn rows() -> Vec<Value> {
    let line = |row: usize, at: usize| match (row * 31 + at * 17) % 5 {
        0 => format!(
            "Footer {} of the whole site, with all rights reserved",
            row % 7
        ),
        1 => format!("A line of row {row}, at {at}, that stands nowhere else in the corpus"),
        2 => format!(
            "  SHARED line {}  of some rows of this corpus ",
            (row * row + at) % 97
        ),
        3 => "short".to_owned(),
        _ => String::new(),
    };
    (0..9000)
        .map(|row| {
            let lines: Vec<String> = (0..1 + row / 5 % 6).map(|at| line(row, at)).collect();
            let breaks = ["\n", "\r\n"][row % 2];
            json!({"text": lines.join(breaks), "site": format!("s{}", row % 3), "score": row * 7919 % 1009})
        })
        .collect()
}

fn lines_of(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The lines of a text as they are compared.
fn normal(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.join(" ").to_lowercase()
        })
        .filter(|line| !line.is_empty())
        .collect()
}

/// The lines that stay, by the definition: of those of at least 20 characters the first one in the order of the rows.
fn expected(
    rows: &[Value],
    order: &[usize],
    group: impl Fn(&Value) -> String,
) -> BTreeMap<usize, Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut kept = BTreeMap::new();
    for &row in order {
        let text = rows[row]["text"].as_str().expect("a text");
        let lines = text.lines().zip(0..).filter_map(|(line, _)| {
            let [line_normal] = normal(line).try_into().ok()?;
            let key = (group(&rows[row]), line_normal.clone());
            let is_long = line.trim().chars().count() >= 20;
            (!is_long || seen.insert(key)).then_some(line_normal)
        });
        kept.insert(row, lines.collect());
    }
    kept
}

#[test]
fn each_line_stays_once() {
    let rows = rows();
    let scratch = Scratch::new();
    scratch.write("rows.jsonl", lines_of(&rows));
    assert!(scratch.read("rows.jsonl").len() > 1 << 20);
    let by_score = |row: &usize| (std::cmp::Reverse(rows[*row]["score"].as_i64()), *row);
    let mut best: Vec<usize> = (0..rows.len()).collect();
    best.sort_by_key(by_score);
    let first: Vec<usize> = (0..rows.len()).collect();
    for (name, more, order, within) in [
        ("first", &[][..], &first, false),
        ("best", &["--keep-by", "score desc"], &best, false),
        ("within", &["--within", "site"], &first, true),
    ] {
        let mut published = None;
        for threads in ["1", "2", "7"] {
            let directory = format!("{name}-{threads}");
            let mut arguments = vec![
                "dedup",
                "rows.jsonl",
                "--edit",
                "lines",
                "-o",
                &directory,
                "--threads",
                threads,
            ];
            arguments.extend(more);
            let summary = scratch.job(&arguments);
            assert_eq!(summary["rows_read"], 9000, "{summary}");
            let bytes =
                ["kept", "cuts"].map(|table| scratch.read(&format!("{directory}/{table}.parquet")));
            assert!(
                *published.get_or_insert_with(|| bytes.clone()) == bytes,
                "{directory}"
            );
        }
        let group = |row: &Value| match within {
            true => row["site"].to_string(),
            false => String::new(),
        };
        let expected = expected(&rows, order, group);
        let directory = format!("{name}-1");
        let kept = scratch.job_rows(
            &directory,
            "SELECT id, text, site, score FROM kept ORDER BY id",
        );
        let found: BTreeMap<usize, &Value> = kept
            .iter()
            .map(|row| (row["id"].as_u64().expect("an id") as usize, &row["text"]))
            .collect();
        let mut gone = 0;
        for (row, lines) in &expected {
            match found.get(row) {
                Some(text) => assert_eq!(
                    normal(text.as_str().expect("a text")),
                    *lines,
                    "{name}: row {row}"
                ),
                None => {
                    assert!(lines.is_empty(), "{name}: row {row} is lost: {lines:?}");
                    gone += 1;
                }
            }
        }
        assert!(gone > 0, "{name}");
        assert_eq!(kept.len() + gone, rows.len(), "{name}");
        for row in &kept {
            let of = &rows[row["id"].as_u64().expect("an id") as usize];
            assert_eq!((&row["site"], &row["score"]), (&of["site"], &of["score"]));
        }
        // Each cut names an equal line that stays.
        let cuts = scratch.job_rows(&directory, "SELECT id, kept_id, kept_start_char, kept_end_char, passage, start_char, end_char FROM cuts");
        assert!(cuts.len() > 5000);
        for cut in &cuts {
            let place = |id: &str, start: &str, end: &str| -> String {
                let row = &rows[cut[id].as_u64().expect("an id") as usize];
                let number = |of: &str| cut[of].as_u64().expect("an offset") as usize;
                let text = row["text"].as_str().expect("a text").chars();
                text.skip(number(start))
                    .take(number(end) - number(start))
                    .collect()
            };
            let here = place("id", "start_char", "end_char");
            assert_eq!(cut["passage"], json!(here));
            assert_eq!(
                normal(&here),
                normal(&place("kept_id", "kept_start_char", "kept_end_char"))
            );
        }
    }
}

#[test]
fn paragraphs_with_all_that_a_table_holds() {
    let scratch = Scratch::new();
    let boilerplate = "Subscribe to our letter\nto hear more of this.";
    let rows = [
        json!({"id": "b", "text": format!("One.\n\n{boilerplate}\n\nTwo.\n"), "tags": ["x"]}),
        json!({"id": "a", "text": format!("{boilerplate}\n \nThree."), "tags": null}),
        json!({"id": "c", "text": format!("  subscribe to OUR letter to hear more of this.\n\n{boilerplate}"), "tags": []}),
        json!({"id": null, "text": format!("{boilerplate}"), "tags": []}),
        json!({"id": "d", "text": null, "tags": []}),
        json!({"id": "e", "text": "", "tags": []}),
        json!({"id": "f", "text": "Subscribe to our letter\n\nto hear more of this.", "tags": []}),
    ];
    scratch.write("rows.jsonl", lines_of(&rows));
    let summary = scratch.job(&[
        "dedup",
        "rows.jsonl",
        "--edit",
        "paragraphs",
        "-o",
        "out",
        "--kept",
        "kept.jsonl",
    ]);
    assert_eq!(
        (
            &summary["rows_read"],
            &summary["rows_compared"],
            &summary["cuts"],
            &summary["edited_rows"],
            &summary["kept"]
        ),
        (&json!(7), &json!(5), &json!(3), &json!(2), &json!(6)),
        "{summary}"
    );
    assert_eq!(
        summary["left_out"],
        json!({"rows without a text": 1, "rows without an id": 1, "rows of which nothing is left": 1})
    );
    let kept = scratch.rows("SELECT id, text FROM 'kept.jsonl' ORDER BY id NULLS LAST");
    assert_eq!(
        Value::from(kept),
        json!([
            {"id": "a", "text": format!("{boilerplate}\n \nThree.")},
            {"id": "b", "text": "One.\n\nTwo.\n"},
            {"id": "d", "text": null},
            {"id": "e", "text": ""},
            {"id": "f", "text": "Subscribe to our letter\n\nto hear more of this."},
            {"id": null, "text": boilerplate},
        ])
    );
    // As they are, and only what occurs more often.
    for (more, cuts) in [
        (&["--no-normalize"][..], 2),
        (&["--min-copies", "4"], 3),
        (&["--min-copies", "5"], 0),
        (&["--min-length", "100"], 0),
    ] {
        let mut arguments = vec![
            "dedup",
            "rows.jsonl",
            "--edit",
            "paragraphs",
            "-o",
            "again",
            "--overwrite",
        ];
        arguments.extend(more);
        assert_eq!(scratch.job(&arguments)["cuts"], cuts, "{more:?}");
    }
}

/// The words of a text.
fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Where passages are cut, others occur twice afterwards: of texts that are equal after the cuts, one stays. Each row
/// keeps its other columns, and the files have the same bytes for any number of threads.
#[test]
fn no_passage_occurs_twice() {
    let scratch = Scratch::new();
    let passage = |number: usize| -> String {
        let words = (0..12).map(|at| format!("word{}of{number}", (at * at + number) % 31));
        words.collect::<Vec<_>>().join(" ")
    };
    // The passages first occur in rows with words of their own, then between the same words.
    let rows: Vec<Value> = (0..4000)
        .map(|row| {
            let (text, score) = match row % 2 {
                0 => (
                    format!(
                        "Row {row} says:\n\n{} – and ends {row}.\n",
                        passage(row / 2).to_uppercase()
                    ),
                    9000 - row,
                ),
                _ => (
                    format!(
                        "Read on the first page: {}. So it goes on.\n",
                        passage(row / 2)
                    ),
                    row * 7919 % 1009,
                ),
            };
            json!({"text": text, "site": format!("s{}", row % 3), "score": score})
        })
        .collect();
    scratch.write("rows.jsonl", lines_of(&rows));
    let job = [
        "dedup",
        "rows.jsonl",
        "--edit",
        "passages",
        "--min-words",
        "8",
    ];
    let mut kept = Vec::new();
    for threads in ["1", "2", "7"] {
        let directory = format!("out{threads}");
        let more = [
            "-o",
            &directory,
            "--keep-by",
            "score desc",
            "--threads",
            threads,
        ];
        let summary = scratch.job(&[&job[..], &more].concat());
        assert_eq!(summary["rows_read"], 4000, "{summary}");
        let names = ["kept", "cuts"];
        kept.push(names.map(|name| scratch.read(&format!("{directory}/{name}.parquet"))));
        assert_eq!(kept[0], kept[kept.len() - 1], "{threads} threads");
    }
    // A job that has lost a step does that one again.
    std::fs::remove_file(scratch.path("out1/kept.parquet")).expect("a file");
    let more = ["-o", "out1", "--keep-by", "score desc"];
    let summary = scratch.job(&[&job[..], &more].concat());
    assert!(summary["steps_done_before"].as_u64() > Some(6), "{summary}");
    assert_eq!(scratch.read("out1/kept.parquet"), kept[0][0]);
    let left = scratch.rows("SELECT id, text, site, score FROM 'out1/kept.parquet' ORDER BY id");
    let mut seen = BTreeSet::new();
    for row in &left {
        let id = row["id"].as_u64().expect("an id") as usize;
        assert_eq!(
            (&row["site"], &row["score"]),
            (&rows[id]["site"], &rows[id]["score"])
        );
        let words = words_of(row["text"].as_str().expect("a text"));
        for gram in words.windows(8) {
            assert!(
                seen.insert(gram.to_vec()),
                "{gram:?} of row {id} stands twice"
            );
        }
    }
    // All of the first rows, and one of the others.
    assert_eq!(left.len(), 2001, "{:?}", left.get(1));
    let of_first = left
        .iter()
        .filter(|row| row["id"].as_u64().is_some_and(|id| id % 2 == 0));
    for row in of_first {
        let id = row["id"].as_u64().expect("an id") as usize;
        assert_eq!(row["text"], rows[id]["text"]);
    }
    // The second round found something.
    let second = scratch.rows("SELECT count(*) AS cuts FROM 'out1/steps/*-origins_2/*.parquet'");
    assert!(second[0]["cuts"].as_u64() > Some(0), "{second:?}");
    // A round counts the anchors of the texts in which the round before found passages.
    for (round, found, cut) in [(2, 2000, 2000), (3, 1999, 2000)] {
        let texts = scratch.rows(&format!(
            "SELECT count(*) FILTER (WHERE changed IS NOT NULL) AS found, count(*) FILTER (WHERE cut IS NOT NULL) AS cut \
             FROM 'out1/steps/*-changes_{round}/*.parquet'"
        ));
        let expected = json!([{"found": found, "cut": cut}]);
        assert_eq!(Value::from(texts), expected, "round {round}");
    }
    for cut in scratch.rows("SELECT id, start_char, end_char, passage FROM 'out1/cuts.parquet'") {
        let number = |name: &str| cut[name].as_u64().expect("a number") as usize;
        let text = rows[number("id")]["text"].as_str().expect("a text");
        let here = text.chars().skip(number("start_char"));
        let here: String = here
            .take(number("end_char") - number("start_char"))
            .collect();
        assert_eq!(cut["passage"], here);
    }
}

/// The texts that are left of some rows.
fn left_of(scratch: &Scratch, texts: &[&str], min_words: &str) -> Vec<(i64, String)> {
    let rows: Vec<Value> = texts.iter().map(|text| json!({"text": text})).collect();
    scratch.write("rows.jsonl", lines_of(&rows));
    let job = ["dedup", "rows.jsonl", "--edit", "passages", "--min-words"];
    scratch.succeed(&[&job[..], &[min_words, "-o", "out", "--overwrite"]].concat());
    let rows = scratch.rows("SELECT id, text FROM 'out/kept.parquet' ORDER BY id");
    let mut left = Vec::new();
    for row in &rows {
        let text = row["text"].as_str().expect("a text").to_owned();
        left.push((row["id"].as_i64().expect("an id"), text));
    }
    left
}

/// With `--cut-at sentences` only whole sentences are cut, and the rest of a repeated passage stays.
#[test]
fn whole_sentences() {
    let scratch = Scratch::new();
    let built = "the town was built in 1850 by two brothers";
    let pier = "It has a long pier of stone and a lamp.";
    let quoted = "x1 x2 x3 x4 x5 x6 x7 x8";
    let mixed = format!("Before it goes {quoted} and it ends so very late now then.");
    let whole = format!("The harbour of {built}. {pier} Ships call here.");
    let rows = [
        whole.clone(),
        format!("Old guides say that {built}. {pier} Nobody knows more."),
        format!("They wrote {built}, and went on."),
        // Lines are sentences, also without a stop.
        "Only two brothers\nit has a LONG pier of stone and a lamp\nShips call often".to_owned(),
        whole.clone(),
        format!("Here {quoted} stand inside of other words."),
        mixed.clone(),
        // A part of this sentence first occurs in another row than the whole.
        format!("Own words first. {mixed} Own words last."),
    ];
    let texts: Vec<Value> = rows.iter().map(|text| json!({"text": text})).collect();
    scratch.write("rows.jsonl", lines_of(&texts));
    let job = [
        "dedup",
        "rows.jsonl",
        "--edit",
        "passages",
        "--min-words",
        "8",
        "--cut-at",
        "sentences",
    ];
    let mut published = None;
    for threads in ["1", "7"] {
        let directory = format!("out{threads}");
        let summary = scratch.job(&[&job[..], &["-o", &directory, "--threads", threads]].concat());
        // Of the rows 1, 2 and 6, whose passages hold no whole sentence.
        assert_eq!(summary["passages_left"], 3, "{summary}");
        assert_eq!(
            summary["left_out"],
            json!({"rows of which nothing is left": 1})
        );
        let bytes =
            ["kept", "cuts"].map(|table| scratch.read(&format!("{directory}/{table}.parquet")));
        assert_eq!(*published.get_or_insert_with(|| bytes.clone()), bytes);
    }
    let kept = scratch.rows("SELECT id, text FROM 'out1/kept.parquet' ORDER BY id");
    let expected = [
        (0, rows[0].clone()),
        (
            1,
            format!("Old guides say that {built}. Nobody knows more."),
        ),
        (2, rows[2].clone()),
        (3, "Only two brothers\nShips call often".to_owned()),
        (5, rows[5].clone()),
        (6, rows[6].clone()),
        (7, "Own words first. Own words last.".to_owned()),
    ];
    let expected = expected.map(|(id, text)| json!({"id": id, "text": text}));
    assert_eq!(Value::from(kept), Value::from(expected.to_vec()));
    // The kept spans are narrowed as the cuts are.
    let cuts = scratch.rows(
        "SELECT id, start_char, end_char, passage, kept_id, kept_start_char, kept_end_char \
         FROM 'out1/cuts.parquet' WHERE id IN (1, 3) ORDER BY id",
    );
    let place = |text: &str, of: &str| {
        let start = text.find(of).expect("a place");
        (start, start + of.len())
    };
    let there = place(&rows[0], pier.trim_end_matches('.'));
    let expected =
        [(1, pier), (3, "it has a LONG pier of stone and a lamp")].map(|(id, passage)| {
            let here = place(&rows[id], passage);
            json!({
                "id": id, "start_char": here.0, "end_char": here.1, "passage": passage,
                "kept_id": 0, "kept_start_char": there.0, "kept_end_char": there.1,
            })
        });
    assert_eq!(Value::from(cuts), Value::from(expected.to_vec()));
    // The choice is a part of the job.
    scratch.fail(
        &[
            "dedup",
            "rows.jsonl",
            "--edit",
            "passages",
            "--min-words",
            "8",
            "-o",
            "out1",
        ],
        &["cut_at"],
    );
    // The language says where sentences end.
    let rows = [
        "Das Haus am 5. Mai steht hier am alten Markt der Stadt.",
        "Ein Fest am 5. Mai steht hier am alten Markt der Stadt.",
    ];
    let texts: Vec<Value> = rows.iter().map(|text| json!({"text": text})).collect();
    scratch.write("rows.jsonl", lines_of(&texts));
    for (language, left) in [("en", "Ein Fest am 5."), ("de", rows[1])] {
        let more = ["-o", "out", "--overwrite", "--language", language];
        scratch.job(&[&job[..], &more].concat());
        let kept = scratch.rows("SELECT text FROM 'out/kept.parquet' WHERE id = 1");
        assert_eq!(Value::from(kept), json!([{"text": left}]), "{language}");
    }
}

/// What is left of a text is some of its sentences, each of them unchanged, and each sentence stays somewhere.
#[test]
fn sentences_stay_or_go_as_a_whole() {
    let scratch = Scratch::new();
    let pool: Vec<Vec<String>> = (0..60)
        .map(|number| {
            let words = (0..5 + number % 7).map(|at| format!("w{}of{number}", at * at % 11));
            let mut words: Vec<String> = words.collect();
            words[0] = format!("Sentence{number}");
            words
        })
        .collect();
    let sentences = |row: usize| -> [String; 4] {
        let of_pool = |at: usize| &pool[(row * row + at) % pool.len()];
        let (before, after) = (of_pool(0), of_pool(3));
        [
            format!(
                "Row{row} begins so {}.",
                before[before.len() / 2..].join(" ")
            ),
            format!("{}.", of_pool(1).join(" ")),
            format!("{}.", of_pool(2).join(" ")),
            format!("Then{row} comes {} so.", after[..after.len() / 2].join(" ")),
        ]
    };
    let rows: Vec<Value> = (0..600)
        .map(|row| json!({"text": sentences(row).join([" ", "\n"][row % 2])}))
        .collect();
    scratch.write("rows.jsonl", lines_of(&rows));
    let mut published = None;
    for threads in ["1", "7"] {
        let directory = format!("out{threads}");
        let summary = scratch.job(&[
            "dedup",
            "rows.jsonl",
            "--edit",
            "passages",
            "--min-words",
            "6",
            "--cut-at",
            "sentences",
            "-o",
            &directory,
            "--threads",
            threads,
        ]);
        assert_eq!(summary["kept"], 600, "{summary}");
        assert!(summary["edited_rows"].as_u64() > Some(400), "{summary}");
        assert!(summary["passages_left"].as_u64() > Some(0), "{summary}");
        let bytes =
            ["kept", "cuts"].map(|table| scratch.read(&format!("{directory}/{table}.parquet")));
        assert!(*published.get_or_insert_with(|| bytes.clone()) == bytes);
    }
    let kept = scratch.rows("SELECT id, text FROM 'out1/kept.parquet' ORDER BY id");
    let (mut seen, mut all) = (BTreeSet::new(), BTreeSet::new());
    for row in &kept {
        let number = row["id"].as_u64().expect("an id") as usize;
        let text = row["text"].as_str().expect("a text");
        let of_row = sentences(number);
        let left: Vec<String> = text
            .split_inclusive('.')
            .map(|sentence| sentence.trim().to_owned())
            .collect();
        let mut rest = of_row.iter();
        for sentence in &left {
            assert!(rest.any(|other| other == sentence), "{number}: {text:?}");
        }
        assert_eq!((left.first(), left.last()), (of_row.first(), of_row.last()));
        seen.extend(left);
        all.extend(of_row);
    }
    assert_eq!(seen, all);
}

/// Words that overlap two passages that are cut from a row occur only in a later row, where they stay.
#[test]
fn a_passage_stays_if_its_first_place_is_cut() {
    let scratch = Scratch::new();
    let texts = ["a b c d", "e f g h", "a b c d e f g h", "start c d e f end"];
    let left = left_of(&scratch, &texts, "4");
    let kept = [(0, texts[0]), (1, texts[1]), (3, texts[3])];
    assert_eq!(left, kept.map(|(id, text)| (id, text.to_owned())));
    let left = left_of(&scratch, &["a b c d", "a b c d e", "b c d e x"], "4");
    let kept = [(0, "a b c d"), (1, "e"), (2, "b c d e x")];
    assert_eq!(left, kept.map(|(id, text)| (id, text.to_owned())));
    // Of a row that quotes another one and is copied with the quotation, the copy goes as a whole.
    let quoted = "one two three four five six";
    let quoting = format!("Long before it stood {quoted} and after it stood more.");
    let left = left_of(
        &scratch,
        &[quoted, &quoting, &format!("{quoting} New.")],
        "4",
    );
    assert_eq!(left[1].1, "Long before it stood and after it stood more.");
    assert_eq!(left[2], (2, "New.".to_owned()));
}

/// A passage that is postponed because its first occurrence is cut, and that is only in texts with cuts, is found in
/// the next round.
#[test]
fn postponed_passages_are_cut_later() {
    let scratch = Scratch::new();
    let texts = [
        "a1 b1 c1 d1 e1 f1",
        "x1 a1 b1 c1 d1 e1 f1 g1 x2",
        "a1 b1 c1 d1 e1 f1 y0 x3 c1 d1 e1 f1 g1 x4",
        "a1 b1 c1 d1 e1 f1 y9 x5 c1 d1 e1 f1 g1 x6",
    ];
    let left = left_of(&scratch, &texts, "5");
    let kept = [
        (0, texts[0]),
        (1, "x1 g1 x2"),
        (2, "y0 x3 c1 d1 e1 f1 g1 x4"),
        (3, "y9 x5 x6"),
    ];
    assert_eq!(left, kept.map(|(id, text)| (id, text.to_owned())));
    let left = left_of(&scratch, &["u t x u t u y t u z t u w"], "2");
    let words: Vec<&str> = left[0].1.split(' ').collect();
    let mut pairs: Vec<&[&str]> = words.windows(2).collect();
    let all = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), all, "{words:?}");
}

/// Words on both sides of what is cut stay two words.
#[test]
fn no_words_are_joined() {
    let scratch = Scratch::new();
    let texts = [
        "東京大学",
        "The new iPhone東京大学15 was shown here",
        "Again the new iPhone15 was shown here",
    ];
    let left = left_of(&scratch, &texts, "4");
    assert_eq!(left[1].1, "The new iPhone 15 was shown here");
    assert_eq!(left[2].1, texts[2]);
}

/// Ids may be numbers that do not fit into 63 bits, such as hashes, and many rows may have the same passage.
#[test]
fn many_copies_with_ids_of_64_bits() {
    let scratch = Scratch::new();
    let same: String = (0..60).map(|word| format!("w{word} ")).collect();
    let copy = format!(
        "COPY (SELECT CAST(18446744073709551615 - value AS BIGINT UNSIGNED) AS id, 'x' || value || ' y' || value || ' {same}z' || value AS text \
         FROM generate_series(0, 9999)) TO 'rows.parquet'"
    );
    scratch.succeed(&["sql", "-c", &copy]);
    let edit = [
        "dedup",
        "rows.parquet",
        "--edit",
        "passages",
        "--min-words",
        "40",
    ];
    let found = scratch.job(&[&edit[..], &["--memory-limit", "40M", "-o", "out"]].concat());
    assert_eq!(found["cuts"], 9_999, "{found}");
    let left = "SELECT count(*) AS n, min(id) = 18446744073709541616 AS all_ids, \
                count(*) FILTER (WHERE text LIKE '%w0 w1%w59%') AS whole FROM 'out/kept.parquet'";
    let wanted = json!([{"n": 10_000, "all_ids": true, "whole": 1}]);
    assert_eq!(Value::from(scratch.rows(left)), wanted);
}

/// The passages that begin in each copy of a passage and end after it take more memory than there is.
#[test]
fn more_copies_than_fit_with_what_is_around_them() {
    let scratch = Scratch::new();
    let same: String = (0..60).map(|word| format!("w{word} ")).collect();
    let around = |first: usize| {
        format!("array_to_string(range({first} + value * 40, {first} + value * 40 + 40), ' ')")
    };
    let copy = format!(
        "COPY (SELECT value AS id, {} || ' {same}' || {} AS text FROM generate_series(1, 40000)) TO 'rows.parquet'",
        around(0),
        around(10_000_000)
    );
    scratch.succeed(&["sql", "-c", &copy]);
    let edit = [
        "dedup",
        "rows.parquet",
        "--edit",
        "passages",
        "--min-words",
        "40",
    ];
    let found = scratch.job(&[&edit[..], &["--memory-limit", "48M", "-o", "out"]].concat());
    assert_eq!(found["cuts"], 39_999, "{found}");
    let left = "SELECT count(*) AS n, count(*) FILTER (WHERE text LIKE '%w0 w1%w59%') AS whole FROM 'out/kept.parquet'";
    assert_eq!(
        Value::from(scratch.rows(left)),
        json!([{"n": 40_000, "whole": 1}])
    );
}

/// Passages within passages: each cut brings the words of another one together.
#[test]
fn many_rounds() {
    let scratch = Scratch::new();
    let mut texts: Vec<String> = (0..12).map(|at| format!("a{at} b{at}")).collect();
    let around = (0..12)
        .rev()
        .map(|at| format!("a{at} "))
        .collect::<String>();
    let after = (0..12).map(|at| format!("b{at} ")).collect::<String>();
    texts.push(around + &after);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let left = left_of(&scratch, &texts, "2");
    assert_eq!(left.len(), 12, "{left:?}");
}

/// A dictionary of 128 values holds the texts of the rows, but not also what is left of the edited ones.
#[test]
fn texts_of_a_small_dictionary() {
    let scratch = Scratch::new();
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT value AS id, arrow_cast('A line of text number ' || (value % 100) || chr(10) || 'end ' || (value % 100), \
         'Dictionary(Int8, Utf8)') AS text FROM generate_series(0, 199)) TO 'rows.parquet'",
    ]);
    let text_type = scratch.rows("SELECT DISTINCT arrow_typeof(text) AS of FROM 'rows.parquet'");
    assert!(text_type[0]["of"].to_string().contains("Dictionary"));
    let summary = scratch.job(&["dedup", "rows.parquet", "--edit", "lines", "-o", "out"]);
    assert_eq!(summary["cuts"], 100, "{summary}");
    let kept = scratch.rows(
        "SELECT count(*) AS rows, count(*) FILTER (WHERE text = 'end ' || (id % 100)) AS edited \
         FROM 'out/kept.parquet'",
    );
    assert_eq!(Value::from(kept), json!([{"rows": 200, "edited": 100}]));
    scratch.write("items.jsonl", "{\"text\": \"a line of text\"}\n");
    let cut = ["--against", "items.jsonl", "--action", "cut"];
    let job = ["decontaminate", "rows.parquet", "-o", "clean"];
    scratch.job(&[&job[..], &cut].concat());
    let texts = scratch.rows("SELECT count(DISTINCT text) AS texts FROM 'clean/kept.parquet'");
    assert_eq!(Value::from(texts), json!([{"texts": 100}]));
}

/// Of similar lines the first one in the order of the rows stays, and each other one names it.
#[test]
fn almost_equal_lines() {
    let scratch = Scratch::new();
    let line = |minute| format!("Printed on 3 May 2021 at 10:{minute} by the archive of the town");
    let rows = [
        json!({"id": 1, "site": "a", "score": 1, "text": format!("{}\nOne line that is new", line(11))}),
        json!({"id": 2, "site": "b", "score": 3, "text": format!("Two lines that are new\n{}", line(22))}),
        json!({"id": 3, "site": "a", "score": 2, "text": format!("{}\n\n{}", line(33), line(33).to_uppercase())}),
    ];
    scratch.write("rows.jsonl", lines_of(&rows));
    let job = |name: &str, more: &[&str]| -> Value {
        let job = ["dedup", "rows.jsonl", "--edit", "lines", "-o", name];
        scratch.job(&[&job[..], more].concat());
        let query = "SELECT id, start_char, kept_id, kept_start_char, copies FROM cuts ORDER BY id, start_char";
        Value::from(scratch.job_rows(name, query))
    };
    let cut = |id: u64, start: u64, kept: u64, there: u64, copies: u64| json!({"id": id, "start_char": start, "kept_id": kept, "kept_start_char": there, "copies": copies});
    let second = line(33).len() as u64 + 2;
    let equal = Value::from(vec![cut(3, second, 3, 0, 2)]);
    assert_eq!(job("equal", &[]), equal);
    let near = ["--threshold", "0.7"];
    let expected = vec![
        cut(2, 23, 1, 0, 4),
        cut(3, 0, 1, 0, 4),
        cut(3, second, 1, 0, 4),
    ];
    assert_eq!(job("near", &near), Value::from(expected.clone()));
    let seven = [&near[..], &["--threads", "7"]].concat();
    assert_eq!(job("threads", &seven), Value::from(expected));
    let best = [&near[..], &["--keep-by", "score desc"]].concat();
    let expected = vec![
        cut(1, 0, 2, 23, 4),
        cut(3, 0, 2, 23, 4),
        cut(3, second, 2, 23, 4),
    ];
    assert_eq!(job("best", &best), Value::from(expected));
    let within = [&near[..], &["--within", "site"]].concat();
    let expected = vec![cut(3, 0, 1, 0, 3), cut(3, second, 1, 0, 3)];
    assert_eq!(job("within", &within), Value::from(expected));
    let words = ["--threshold", "0.9", "--shingle", "word:3"];
    assert_eq!(job("words", &words), equal);
    let kept = scratch.job_rows("near", "SELECT id, text FROM kept ORDER BY id");
    let expected = json!([
        {"id": 1, "text": rows[0]["text"]},
        {"id": 2, "text": "Two lines that are new"},
    ]);
    assert_eq!(Value::from(kept), expected);
}

#[test]
fn mistakes_are_answered() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,a line of this text\n1,another line of it\n",
    );
    for (more, said) in [
        (
            &["--edit", "lines"][..],
            "2 rows have the id 1; ids must be unique; --id row uses row numbers as ids",
        ),
        (
            &["--edit", "passages", "--threshold", "0.9"],
            "--threshold has no effect with --edit passages",
        ),
        (
            &["--edit", "passages", "--shingle", "word:2"],
            "--shingle has no effect with --edit passages",
        ),
        (
            &["--edit", "lines", "--shingle", "word:2"],
            "--shingle has no effect with --edit lines, which cuts what is equal unless --threshold is below 1",
        ),
        (
            &["--edit", "lines", "--threshold", "0"],
            "--threshold must be a number in (0, 1]",
        ),
        (&["--edit", "words"], "lines, paragraphs, passages"),
        (
            &["--edit", "lines", "--min-words", "9"],
            "--min-words has no effect with --edit lines",
        ),
        (
            &["--edit", "paragraphs", "--cut-at", "sentences"],
            "--cut-at has no effect with --edit paragraphs",
        ),
        (
            &["--cut-at", "sentences"],
            "--cut-at is for lines, paragraphs or passages that are cut",
        ),
        (
            &["--edit", "passages", "--cut-at", "lines"],
            "words, sentences",
        ),
        (
            &["--edit", "passages", "--language", "de"],
            "--language has no effect with --edit passages",
        ),
        (
            &["--edit", "passages", "--min-length", "9"],
            "--min-length has no effect with --edit passages",
        ),
        (
            &["--edit", "passages", "--min-words", "1001"],
            "--min-words must be a whole number in [1, 1000]",
        ),
        (
            &["--min-copies", "3"],
            "--min-copies is for lines, paragraphs or passages that are cut",
        ),
        (
            &["--edit", "lines", "--min-copies", "1"],
            "--min-copies must be a whole number",
        ),
        (
            &["--edit", "lines", "--language", "de"],
            "--language has no effect with --edit lines",
        ),
        (
            &["--edit", "lines", "--compare", "all"],
            "--compare is for the sentences of a dump",
        ),
    ] {
        let mut arguments = vec!["dedup", "rows.csv", "-o", "out"];
        arguments.extend(more);
        scratch.fail(&arguments, &[said]);
    }
    scratch.succeed(&[
        "dedup", "rows.csv", "--edit", "lines", "--id", "row", "-o", "edited", "--quiet",
    ]);
    for command in ["show", "report"] {
        scratch.fail(
            &[command, "edited"],
            &[
                "a job of dedup --edit has no clusters",
                "SELECT * FROM cuts LIMIT 10",
            ],
        );
    }
    scratch.fail(
        &["dedup", "--edit", "lines", "-o", "dump"],
        &["--edit lines is for the texts of a table"],
    );
}
