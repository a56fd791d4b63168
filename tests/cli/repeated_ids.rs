//! Rows with the same id count as one row: which one is kept, what is counted, and that all methods agree.

use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Of the rows of an id, a row with a text is kept, and the counts of the steps agree.
#[test]
fn an_id_with_a_text_and_without() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.jsonl",
        "{\"id\":1,\"text\":null}\n{\"id\":1,\"text\":\"a b c d\"}\n",
    );
    for keep in ["first", "longest"] {
        let summary = scratch.job(&["dedup", "rows.jsonl", "-o", keep, "--keep", keep]);
        assert_eq!(summary["rows_read"], 2);
        assert_eq!(summary["rows_compared"], 1);
        assert_eq!(summary["rows"], 1);
        assert_eq!(summary["kept"], 1);
        assert_eq!(summary["left_out"], json!({"repeated rows of an id": 1}));
        let kept = scratch.job_rows(keep, "SELECT id, text FROM kept");
        assert_eq!(Value::from(kept), json!([{"id": 1, "text": "a b c d"}]));
    }
}

#[test]
fn what_is_left_out_adds_up() {
    let scratch = Scratch::new();
    let rows = [
        json!({"id": 1, "text": null, "n": 1}),
        json!({"id": 1, "text": null, "n": 1}),
        json!({"id": 2, "text": "a b c d", "n": 2}),
        json!({"id": 2, "text": null, "n": 0}),
        json!({"id": 2, "text": "a b c d", "n": 1}),
        json!({"id": 3, "text": "", "n": 1}),
        json!({"id": 4, "text": "A b c d", "n": 1}),
        json!({"id": null, "text": "a b c d", "n": 2}),
        json!({"id": null, "text": "a b c d", "n": 1}),
        json!({"id": null, "text": null, "n": 3}),
    ];
    scratch.write("rows.jsonl", lines(&rows));
    let summary = scratch.job(&["dedup", "rows.jsonl"]);
    assert_eq!(
        summary["left_out"],
        json!({
            "repeated rows of an id": 3,
            "rows without an id": 3,
            "rows without a text": 1,
            "empty texts": 1,
        })
    );
    assert_eq!(summary["rows_read"], 10);
    assert_eq!(summary["rows_compared"], 2);
    assert_eq!((&summary["rows"], &summary["kept"]), (&json!(7), &json!(6)));
    let kept = scratch.job_rows("neardup-out", "SELECT id, n FROM kept ORDER BY id, n");
    assert_eq!(
        Value::from(kept),
        json!([
            {"id": 1, "n": 1}, {"id": 2, "n": 1}, {"id": 3, "n": 1},
            {"id": null, "n": 1}, {"id": null, "n": 2}, {"id": null, "n": 3}
        ])
    );
}

/// The survivor does not depend on files, threads or the order of rows, also where columns are nested.
#[test]
fn the_same_row_stays_every_time() {
    let scratch = Scratch::new();
    let mut rows = Vec::new();
    for n in 0..400_u64 {
        let id = (n % 7 != 0).then_some(n % 90);
        let text = (n % 5 != 0).then(|| format!("the text of number {} and more", n % 90 % 40));
        let more = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        rows.push(json!({
            "id": id, "text": text, "score": more % 3,
            "tags": [more, n % 3], "point": {"x": n % 11, "y": [more]},
        }));
    }
    let mut wanted: Option<Vec<Vec<u8>>> = None;
    for (threads, files) in [("1", 1), ("2", 3), ("7", 5)] {
        let directory = format!("in-{files}");
        for file in 0..files {
            let part: Vec<Value> = rows.iter().skip(file).step_by(files).cloned().collect();
            scratch.write(&format!("{directory}/{file}.jsonl"), lines(&part));
        }
        // The same address of the input, so that the metadata of the files are the same.
        let _ = std::fs::remove_dir_all(scratch.path("in"));
        std::fs::rename(scratch.path(&directory), scratch.path("in")).expect("a directory");
        let found = ["first", "longest", "by"].map(|keep| {
            let out = format!("{keep}-{threads}");
            let order = match keep {
                "by" => ["--keep-by", "score desc"],
                keep => ["--keep", keep],
            };
            let job = ["dedup", "in", "-o", &out, "--threads", threads];
            scratch.job(&[&job[..], &order[..]].concat());
            let sql = "SELECT * FROM kept";
            let csv = ["sql", "--dir", &out, "--format", "json", "-c", sql];
            scratch.succeed(&csv).out.into_bytes()
        });
        let found = found.to_vec();
        match &wanted {
            None => wanted = Some(found),
            Some(wanted) => assert!(*wanted == found, "{threads} threads, {files} files"),
        }
        for (number, keep) in [
            "keep => 'first'",
            "keep => 'longest'",
            "keep_by => 'score desc'",
        ]
        .iter()
        .enumerate()
        {
            // SQL keeps the same rows.
            let sql = format!(
                "SELECT * FROM deduplicate('in/*.jsonl', {keep}) ORDER BY id, point, score, tags, text"
            );
            let answer = scratch.succeed(&["sql", "--format", "json", "-c", &sql]);
            let name = ["first", "longest", "by"][number];
            let out = format!("{name}-{threads}");
            let sql = "SELECT * FROM kept ORDER BY id, point, score, tags, text";
            let job = scratch.succeed(&["sql", "--dir", &out, "--format", "json", "-c", sql]);
            assert_eq!(answer.out, job.out, "{keep}");
        }
    }
}

/// Random tables against the definition.
#[test]
fn random_tables_against_brute_force() {
    let scratch = Scratch::new();
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..4 {
        let ids = 1 + random(12);
        // Distinct words, so that texts are equal or have nothing in common.
        let text = |id: u64| format!("w{0} x{0} y{0} z{0}", id % 4);
        let rows: Vec<Value> = (0..random(40))
            .map(|_| {
                let id = random(ids + 1);
                let has_text = random(3) > 0;
                json!({
                    "id": (id > 0).then_some(id),
                    "n": random(3),
                    "text": has_text.then(|| text(id)),
                })
            })
            .chain([json!({"id": 99, "n": 0, "text": "one more"})])
            .collect();
        let name = format!("{round}.jsonl");
        scratch.write(&name, lines(&rows));
        let out = format!("out-{round}");
        let summary = scratch.job(&["dedup", &name, "-o", &out]);
        // Of each id the row with a text, then with the least number.
        let mut survivors: BTreeMap<u64, (bool, u64, Value)> = BTreeMap::new();
        let mut without_id = Vec::new();
        for row in &rows {
            let Some(id) = row["id"].as_u64() else {
                without_id.push(row.clone());
                continue;
            };
            let key = (row["text"].is_null(), row["n"].as_u64().expect("a number"));
            let new = (key.0, key.1, row.clone());
            let kept = survivors.entry(id).or_insert_with(|| new.clone());
            if (kept.0, kept.1) > key {
                *kept = new;
            }
        }
        let repeated = rows.len() - without_id.len() - survivors.len();
        let left_out = summary["left_out"]["repeated rows of an id"].as_u64();
        assert_eq!(left_out.unwrap_or(0), repeated as u64, "{rows:?}");
        let compared = survivors.values().filter(|row| !row.0).count();
        assert_eq!(summary["rows_compared"], compared, "{rows:?}");
        // Of each text the smallest id.
        let mut seen = std::collections::BTreeSet::new();
        let mut wanted: Vec<Value> = survivors
            .into_values()
            .map(|(_, _, row)| row)
            .filter(|row| row["text"].is_null() || seen.insert(row["text"].to_string()))
            .collect();
        without_id.sort_by_key(|row| {
            (
                row["n"].as_u64(),
                row["text"].is_null(),
                row["text"].to_string(),
            )
        });
        wanted.extend(without_id);
        let mut wanted = Value::from(wanted);
        for row in wanted.as_array_mut().expect("rows") {
            let row = row.as_object_mut().expect("a row");
            for column in ["id", "n", "text"] {
                row.entry(column).or_insert(Value::Null);
            }
        }
        let kept = scratch.job_rows(&out, "SELECT id, n, text FROM kept");
        assert_eq!(Value::from(kept), wanted, "{rows:?}");
    }
}

#[test]
fn another_text_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n7,a b c d\n7,a b c e\n");
    scratch.fail(
        &["dedup", "rows.csv"],
        &["rows.csv", "the id 7", "two different texts"],
    );
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}
