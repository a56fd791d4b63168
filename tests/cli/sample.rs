//! `neardup dedup` without an input: the bundled sample dump.

use crate::scratch::{Scratch, expected};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Ids of the sentences of a job, by title and text.
fn sentence_ids(scratch: &Scratch) -> HashMap<(String, String), i64> {
    let rows = scratch.job_rows(
        "neardup-out",
        "SELECT sentence_id, title, sentence FROM sentences",
    );
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows.iter()
        .map(|row| {
            (
                (text(&row["title"]), text(&row["sentence"])),
                row["sentence_id"].as_i64().expect("an id"),
            )
        })
        .collect()
}

/// The ids of every planted pair, with its kind.
fn planted(scratch: &Scratch) -> Vec<(String, i64, i64)> {
    let ids = sentence_ids(scratch);
    let find = |title: &str, sentence: &str| {
        let found = ids.get(&(title.to_owned(), sentence.to_owned()));
        *found.unwrap_or_else(|| panic!("{title}: this sentence was not cut out: {sentence}"))
    };
    let pairs: Vec<_> = expected("expected.tsv")
        .iter()
        .map(|row| {
            (
                row[0].clone(),
                find(&row[1], &row[3]),
                find(&row[2], &row[4]),
            )
        })
        .collect();
    assert!(pairs.len() >= 70, "{} pairs were planted", pairs.len());
    pairs
}

#[test]
fn all_planted_pairs_are_reported() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--pairs", "all", "--compare", "lists"]);
    let found: HashSet<(i64, i64)> = scratch
        .job_rows("neardup-out", "SELECT id_a, id_b FROM pairs")
        .iter()
        .map(|row| {
            (
                row["id_a"].as_i64().expect("an id"),
                row["id_b"].as_i64().expect("an id"),
            )
        })
        .collect();
    let mut kinds = BTreeMap::new();
    for (kind, a, b) in planted(&scratch) {
        assert_ne!(a >> 20, b >> 20, "{kind}: both sentences are on one page");
        assert!(
            found.contains(&(a.min(b), a.max(b))),
            "{kind}: the pair {a}, {b} is not reported"
        );
        *kinds.entry(kind).or_insert(0) += 1;
    }
    let kinds: Vec<_> = kinds.into_keys().collect();
    assert_eq!(
        kinds,
        [
            "copy_edit",
            "factual_drift",
            "identical",
            "reference",
            "template"
        ]
    );
}

#[test]
fn linked_pairs_connect_all_planted_pairs() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--resolution", "components", "--compare", "lists"]);
    let clusters: HashMap<i64, i64> = scratch
        .job_rows("neardup-out", "SELECT id, cluster_id FROM clusters")
        .iter()
        .map(|row| {
            (
                row["id"].as_i64().expect("an id"),
                row["cluster_id"].as_i64().expect("an id"),
            )
        })
        .collect();
    for (kind, a, b) in planted(&scratch) {
        assert_eq!(
            clusters[&a], clusters[&b],
            "{kind}: {a} and {b} are in different clusters"
        );
    }
}

/// Headings, which repeat on many pages, and list items are left out by default.
#[test]
fn headings_and_list_items_are_compared_on_request() {
    let scratch = Scratch::new();
    let kinds = |compare: &str, output: &str| {
        let job = [
            "dedup",
            "-o",
            output,
            "--compare",
            compare,
            "--min-length",
            "0",
        ];
        let summary = scratch.job(&job);
        let rows = scratch.job_rows(
            output,
            "SELECT s.kind, count(*) AS n, count(c.id) AS compared \
             FROM sentences AS s LEFT JOIN clusters AS c ON s.sentence_id = c.id GROUP BY s.kind ORDER BY s.kind",
        );
        let left_out = |reason: &str| summary["left_out"][reason].as_i64().unwrap_or_default();
        let left_out = (left_out("headings"), left_out("list items"));
        let number = |value: &Value| value.as_i64().expect("a number");
        let found = rows.iter();
        let found: Vec<_> = found
            .map(|row| (number(&row["n"]), number(&row["compared"])))
            .collect();
        (found, left_out)
    };
    // Of headings, list items and sentences: how many there are, and how many are compared.
    let sentences = (380, 380);
    let all = kinds("all", "all");
    assert_eq!(all, (vec![(33, 33), (14, 14), sentences], (0, 0)));
    let lists = kinds("lists", "lists");
    assert_eq!(lists, (vec![(33, 0), (14, 14), sentences], (33, 0)));
    let default = kinds("sentences", "default");
    assert_eq!(default, (vec![(33, 0), (14, 0), sentences], (33, 14)));

    // The published splitter joins a heading with the paragraph below it.
    scratch.succeed(&["dedup", "-o", "published", "--splitter", "published"]);
    let sql = "SELECT kind, count(*) AS n FROM sentences WHERE strpos(sentence, chr(10)) > 0 GROUP BY kind";
    let spanning = scratch.job_rows("published", sql);
    assert!(!spanning.is_empty());
    for row in &spanning {
        assert_ne!(row["kind"], "heading", "{spanning:?}");
    }

    let id = |kind: &str| {
        let sql = format!("SELECT min(sentence_id) AS id FROM sentences WHERE kind = '{kind}'");
        scratch.job_rows("default", &sql)[0]["id"].to_string()
    };
    for (kind, said) in [("heading", "a heading"), ("list_item", "a list item")] {
        let said = format!("was not compared: it is {said}, and the job has compare = 'sentences'");
        scratch.fail(&["why", &id(kind), "default"], &[&said]);
    }
}

#[test]
fn the_language_of_a_dump_is_that_of_the_option() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "-o", "out", "--language", "pt-br"]);
    let sql = "SELECT DISTINCT s.language AS s, p.language AS p FROM sentences AS s CROSS JOIN plain_text AS p";
    let rows = scratch.job_rows("out", sql);
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["s"], &rows[0]["p"]),
        (&"pt-br".into(), &"pt-br".into())
    );
    scratch.fail(&["dedup", "-o", "out"], &["its language is \"pt-br\""]);
}

#[test]
fn outputs_are_there_and_add_up() {
    let scratch = Scratch::new();
    let said = scratch.succeed(&["dedup"]);
    assert!(said.err.contains("sample"), "{}", said.err);
    for name in [
        "pages",
        "sentences",
        "left out: redirects",
        "pairs",
        "clusters",
        "kept",
        "seconds",
        "peak memory",
    ] {
        assert!(
            said.out.contains(name),
            "'{name}' is not said: {}",
            said.out
        );
    }
    for name in [
        "manifest.json",
        "pairs.parquet",
        "clusters.parquet",
        "kept.parquet",
        "removed.parquet",
        "plain_text",
        "sentences",
        "steps",
    ] {
        assert!(scratch.has(&format!("neardup-out/{name}")), "{name}");
    }
    scratch.assert_whole("neardup-out");
    let manifest = scratch.manifest("neardup-out");
    assert_eq!(manifest["finished"], true);
    assert_eq!(manifest["parameters"]["threshold"], 0.6);
    assert_eq!(manifest["parameters"]["shingle"], "char:5");

    // The same numbers as JSON, from the finished job, which repeats nothing.
    let summary = scratch.job(&["dedup"]);
    assert_eq!(
        summary["steps_done_before"].as_u64(),
        Some(manifest["steps"].as_array().expect("steps").len() as u64)
    );
    let number = |name: &str| {
        summary[name]
            .as_i64()
            .unwrap_or_else(|| panic!("{name}: {summary}"))
    };
    let count = |sql: &str| scratch.job_number("neardup-out", sql);
    assert_eq!(number("pages"), count("SELECT count(*) FROM plain_text"));
    assert_eq!(
        number("articles"),
        count("SELECT count(*) FROM plain_text WHERE text IS NOT NULL")
    );
    assert_eq!(number("sentences"), count("SELECT count(*) FROM sentences"));
    assert_eq!(number("rows"), count("SELECT count(*) FROM clusters"));
    assert_eq!(number("kept"), count("SELECT count(*) FROM kept"));
    assert_eq!(
        number("kept") + count("SELECT count(*) FROM clusters WHERE NOT kept"),
        number("rows")
    );
    assert_eq!(number("pairs"), count("SELECT count(*) FROM pairs"));
    assert_eq!(
        number("clusters"),
        count("SELECT count(DISTINCT cluster_id) FROM clusters WHERE cluster_size > 1")
    );
    assert_eq!(
        number("largest_cluster"),
        count("SELECT max(cluster_size) FROM clusters")
    );
    let left_out = summary["left_out"].as_object().expect("what was left out");
    let left = |name: &str| {
        left_out
            .get(name)
            .and_then(Value::as_i64)
            .unwrap_or_else(|| panic!("{name}: {summary}"))
    };
    assert_eq!(left("redirects"), 4);
    assert_eq!(left("disambiguation pages"), 1);
    assert_eq!(left("pages of other namespaces"), 2);
    assert_eq!(number("articles") + 7, number("pages"));
    assert_eq!(
        number("rows")
            + left("sentences under 20 characters")
            + left("headings")
            + left("list items"),
        number("sentences")
    );
    // As for the function sentences, a greatest length of 0 is no limit.
    let lengths = [
        "--compare",
        "all",
        "--min-length",
        "0",
        "--max-length",
        "0",
        "-o",
        "every-length",
    ];
    let every = scratch.job(&[&["dedup"][..], &lengths].concat());
    assert_eq!(every["rows"], summary["sentences"]);
    for (name, value) in [
        ("pairs", number("pairs")),
        ("kept", number("kept")),
        ("rows compared", number("rows")),
    ] {
        let line = said
            .out
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{name}: {}", said.out));
        assert_eq!(
            line.split_whitespace().last(),
            Some(value.to_string().as_str()),
            "{line}"
        );
    }
}

#[test]
fn columns_are_as_documented() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    let columns = |table: &str| {
        let sql = format!("SELECT * FROM {table} LIMIT 1");
        let answer =
            scratch.succeed(&["sql", "--dir", "neardup-out", "--format", "csv", "-c", &sql]);
        answer.out.lines().next().expect("a header").to_owned()
    };
    assert_eq!(columns("pairs"), "id_a,id_b,similarity");
    assert_eq!(
        columns("clusters"),
        "id,cluster_id,representative_id,similarity,kept,cluster_size,title,sentence"
    );
    assert_eq!(
        columns("sentences"),
        "sentence_id,page_id,title,language,sentence_no,start_byte,end_byte,kind,sentence"
    );
    assert_eq!(columns("kept"), columns("sentences"));
    let types = scratch.job_rows(
        "neardup-out",
        "SELECT DISTINCT arrow_typeof(similarity) AS s, arrow_typeof(cluster_size) AS c, arrow_typeof(id) AS i FROM clusters",
    );
    assert_eq!(
        Value::from_iter(types[0].clone()),
        serde_json::json!({"s": "Float64", "c": "Int64", "i": "Int64"})
    );
}

#[test]
fn offsets_point_into_the_plain_text() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    let wrong = scratch.job_number(
        "neardup-out",
        "SELECT count(*) FROM sentences s JOIN plain_text p ON s.page_id = p.page_id \
         WHERE NOT contains(p.text, s.sentence) OR octet_length(s.sentence) <> s.end_byte - s.start_byte \
         OR s.sentence_id >> 20 <> s.page_id OR (s.sentence_id & 1048575) <> s.sentence_no",
    );
    assert_eq!(wrong, 0);
}

#[test]
fn files_say_where_they_come_from() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    for name in ["pairs", "clusters", "kept"] {
        let bytes = scratch.read(&format!("neardup-out/{name}.parquet"));
        // Key-value metadata is in the footer, whose length precedes the closing magic bytes.
        let end = bytes.len() - 8;
        let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes"));
        let footer = String::from_utf8_lossy(&bytes[end - length as usize..end]);
        for part in [
            "neardup.version",
            env!("CARGO_PKG_VERSION"),
            "neardup.source",
            "samplewiki-pages-articles.xml.bz2",
            "neardup.parameters",
            "\"threshold\":0.6",
            "\"shingle\":\"char:5\"",
            "neardup.step",
            name,
        ] {
            assert!(
                footer.contains(part),
                "{name}: '{part}' is not in the metadata"
            );
        }
    }
}

#[test]
fn quiet_says_nothing() {
    let scratch = Scratch::new();
    let answer = scratch.succeed(&["dedup", "--quiet"]);
    assert_eq!((answer.out.as_str(), answer.err.as_str()), ("", ""));
}

#[test]
fn ingest_makes_the_same_sentences() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    let dump = crate::scratch::sample("samplewiki-pages-articles.xml");
    let summary = scratch.job(&["ingest", dump.to_str().expect("a path"), "-o", "pages"]);
    assert_eq!(summary["pages"], 61);
    let sql = "SELECT * FROM sentences ORDER BY sentence_id";
    assert_eq!(
        scratch.job_rows("pages", sql),
        scratch.job_rows("neardup-out", sql)
    );
    assert!(!scratch.has("pages/pairs.parquet"));
}
