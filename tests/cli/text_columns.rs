//! Several text columns of a table: they are compared as one text.

use crate::scratch::Scratch;
use std::fmt::Write;

/// Rows whose titles and bodies are similar in part; one of both, or both, may be missing.
fn corpus() -> Scratch {
    let scratch = Scratch::new();
    let mut lines = String::new();
    for id in 0..1_500_usize {
        let title = (id % 11 != 0).then(|| format!("\"title number {} of the paper\"", id % 400));
        let body = (id % 7 != 0).then(|| {
            let last = if id % 3 == 0 { "today" } else { "tomorrow" };
            format!(
                "\"the body of number {} is about one thing and {last}\"",
                id % 300
            )
        });
        let null = || "null".to_owned();
        let (title, body) = (title.unwrap_or_else(null), body.unwrap_or_else(null));
        let _ = writeln!(
            lines,
            "{{\"id\": {id}, \"title\": {title}, \"the, body\": {body}}}"
        );
    }
    scratch.write("rows.jsonl", lines);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT id, CASE WHEN title IS NULL THEN \"the, body\" WHEN \"the, body\" IS NULL THEN title \
         ELSE title || chr(10) || chr(10) || \"the, body\" END AS text FROM 'rows.jsonl') TO 'joined.parquet'",
    ]);
    scratch
}

#[test]
fn several_columns_are_one_text() {
    let scratch = corpus();
    let columns = "title,\"the, body\"";
    let rows = "SELECT * FROM clusters ORDER BY id";
    for (name, more, arguments) in [
        ("first", &["--threshold", "0.6"][..], "threshold => 0.6"),
        (
            "longest",
            &["--threshold", "0.6", "--keep", "longest"],
            "threshold => 0.6, keep => 'longest'",
        ),
        (
            "as-is",
            &[
                "--threshold",
                "0.6",
                "--no-normalize",
                "--shingle",
                "char:6",
            ],
            "threshold => 0.6, normalize => false, shingle => 'char:6'",
        ),
    ] {
        let dedup = |input: &str, directory: &str, other: &[&str]| {
            let mut arguments = vec!["dedup", input, "-o", directory, "--quiet"];
            arguments.extend(more);
            arguments.extend(other);
            scratch.succeed(&arguments);
            scratch.job_rows(directory, rows)
        };
        let joined = format!("{name}-joined");
        let expected = dedup("joined.parquet", &joined, &[]);
        assert!(scratch.job_number(&joined, "SELECT count(*) FROM removed") > 300);
        for threads in ["1", "7"] {
            let directory = format!("{name}-{threads}");
            let found = dedup(
                "rows.jsonl",
                &directory,
                &["--text", columns, "--threads", threads],
            );
            assert_eq!(found, expected, "{directory}");
        }
        let sql = format!(
            "SELECT * FROM near_duplicates('rows.jsonl', text => [title, \"the, body\"], {arguments}) ORDER BY id"
        );
        assert_eq!(scratch.rows(&sql), expected, "{name}");
    }
    assert_eq!(
        scratch.manifest("first-1")["parameters"]["text"],
        serde_json::json!(["title", "the, body"])
    );
    // A reader of the result sees both columns.
    let removed = scratch.job_number(
        "first-1",
        "SELECT min(removed.id) FROM removed JOIN 'rows.jsonl' AS r ON r.id = removed.id \
         WHERE title IS NOT NULL AND \"the, body\" IS NOT NULL",
    );
    let why = scratch.succeed(&["why", &removed.to_string(), "first-1", "--json"]);
    let why: serde_json::Value = serde_json::from_str(&why.out).expect("an answer");
    let text = why["row"]["text"].as_str().unwrap_or_default();
    assert!(text.contains("of the paper\n\nthe body of"), "{why}");
    scratch.succeed(&["show", "first-1"]);
    scratch.succeed(&["report", "first-1"]);
    let page = String::from_utf8(scratch.read("first-1/report.html")).expect("text");
    assert!(page.contains("--text"), "the command of the job is written");
}

/// Rows without an id are kept, and of the rows of an id that with a text.
#[test]
fn rows_without_a_text_in_any_column_are_kept() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.jsonl",
        r#"{"id": 1, "a": null, "b": null, "n": 1}
{"id": 1, "a": "same text here", "b": null, "n": 2}
{"id": 2, "a": null, "b": "Same text here", "n": 3}
{"id": 3, "a": null, "b": null, "n": 4}
{"id": 4, "a": null, "b": null, "n": 5}
{"id": 5, "a": "same text", "b": "here", "n": 6}
"#,
    );
    for keep in ["first", "longest"] {
        let directory = format!("out-{keep}");
        scratch.succeed(&[
            "dedup",
            "rows.jsonl",
            "--text",
            "a,b",
            "--keep",
            keep,
            "-o",
            &directory,
        ]);
        let found = scratch.job_rows(&directory, "SELECT id, n FROM kept ORDER BY id");
        let sql = format!(
            "SELECT id, n FROM deduplicate('rows.jsonl', text => [a, b], keep => '{keep}') ORDER BY id"
        );
        assert_eq!(found, scratch.rows(&sql));
        let numbers: Vec<i64> = found.iter().filter_map(|row| row["n"].as_i64()).collect();
        // With the blank line, the text of row 5 is the longest.
        let expected = match keep {
            "first" => [2, 4, 5],
            _ => [4, 5, 6],
        };
        assert_eq!(numbers, expected, "{keep}");
    }
}

#[test]
fn what_is_wrong_with_the_columns_is_said() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,title,body,\"a,b\",n\n1,x,y,z,1\n2,x,y,z,2\n",
    );
    scratch.succeed(&["dedup", "rows.csv", "-o", "out", "--text", "\"a,b\""]);
    scratch.succeed(&[
        "dedup",
        "rows.csv",
        "-o",
        "out",
        "--text",
        "title",
        "--overwrite",
    ]);
    scratch.succeed(&["dedup", "rows.csv", "-o", "out", "--text", "\"title\""]);
    for (more, said) in [
        (
            &["--text", "title,bdy"][..],
            "--text bdy: the input has no such column (did you mean 'body'?)",
        ),
        (&["--text", "title,title"], "given twice"),
        (&["--text", "title,"], "commas between them"),
        (&["--text", "title,n", "--id", "id"], ""),
        (
            &["--text", "title,body", "--edit", "lines"],
            "--edit lines cuts the texts of one column, but --text names several",
        ),
        (&["--text", "title,body"], "--overwrite"),
    ] {
        let mut arguments = vec!["dedup", "rows.csv", "-o", "out"];
        arguments.extend(more);
        match said {
            // A column of numbers in a CSV file is read as text if it is named.
            "" => {
                arguments.push("--overwrite");
                scratch.succeed(&arguments);
            }
            said => {
                scratch.fail(&arguments, &[said]);
            }
        }
    }
}
