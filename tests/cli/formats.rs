//! The same table in every form gives the same clusters.

use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Texts with all that a format may stumble over; where two are near-duplicates, the second follows.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for (number, word) in [
        "harbour", "viaduct", "orchard", "glacier", "theatre", "library",
    ]
    .into_iter()
    .enumerate()
    {
        let year = 1901 + number;
        texts.push(format!(
            "The {word}, \"old {word}\" to those who live there, was opened in {year}\nand closed, after a fire, \
             by the council that had paid for it; it stood empty until the new road came"
        ));
        texts.push(format!(
            "The {word}, \"old {word}\" to those who live there, was opened in {year}\nand closed, after a fire, \
             by the council that had paid for it; it stood empty until the new bridge came"
        ));
        texts.push(format!("Nothing else is known about number {number}, a {word}\tof {year} visitors, ünïcödé 字 and 🙂"));
    }
    texts.push(texts[2].clone());
    texts.push("x".to_owned());
    texts
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

/// The rows as separated values with a header.
fn separated(rows: &[(Option<String>, String)], separator: char) -> String {
    let mut out = match rows[0].0 {
        Some(_) => format!("key{separator}text\n"),
        None => "text\n".to_owned(),
    };
    for (id, text) in rows {
        if let Some(id) = id {
            out.push_str(id);
            out.push(separator);
        }
        out.push_str(&quoted(text));
        out.push('\n');
    }
    out
}

/// Every row of a job as (number of the row, number of its cluster's row, kept, size).
fn clusters(
    scratch: &Scratch,
    directory: &str,
    numbers: &BTreeMap<String, usize>,
) -> Vec<(usize, usize, bool, i64)> {
    let number = |value: &Value| {
        let id = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        *numbers
            .get(&id)
            .unwrap_or_else(|| panic!("{directory}: {id} is no id of the input"))
    };
    let mut rows: Vec<_> = scratch
        .job_rows(
            directory,
            "SELECT id, cluster_id, kept, cluster_size FROM clusters",
        )
        .iter()
        .map(|row| {
            let size = row["cluster_size"].as_i64().expect("a size");
            (
                number(&row["id"]),
                number(&row["cluster_id"]),
                row["kept"] == true,
                size,
            )
        })
        .collect();
    rows.sort_unstable();
    rows
}

/// What every form must give.
fn expected() -> Vec<(usize, usize, bool, i64)> {
    (0..texts().len())
        .map(|row| match (row, row % 3) {
            (18, _) => (18, 2, false, 2),
            (2, _) => (2, 2, true, 2),
            (19, _) | (_, 2) => (row, row, true, 1),
            (_, 0) => (row, row, true, 2),
            _ => (row, row - 1, false, 2),
        })
        .collect()
}

fn numbers(ids: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    ids.enumerate().map(|(number, id)| (id, number)).collect()
}

#[track_caller]
fn check(scratch: &Scratch, inputs: &[&str], directory: &str, numbers: &BTreeMap<String, usize>) {
    let mut arguments = vec!["dedup"];
    arguments.extend(inputs);
    arguments.extend(["-o", directory, "--quiet"]);
    scratch.succeed(&arguments);
    assert_eq!(
        clusters(scratch, directory, numbers),
        expected(),
        "{inputs:?}"
    );
}

fn copy(scratch: &Scratch, from: &str, to: &str, options: &str) {
    scratch.succeed(&[
        "sql",
        "-c",
        &format!("COPY (SELECT * FROM '{from}') TO '{to}' {options}"),
    ]);
}

#[test]
fn all_formats_and_compressions_agree() {
    let scratch = Scratch::new();
    let ids = |row: usize| row * 7 + 3;
    let rows: Vec<_> = texts()
        .into_iter()
        .enumerate()
        .map(|(row, text)| (Some(ids(row).to_string()), text))
        .collect();
    let numbers = numbers((0..rows.len()).map(|row| ids(row).to_string()));
    let objects: Vec<_> = texts()
        .into_iter()
        .enumerate()
        .map(|(row, text)| json!({"key": ids(row), "text": text}))
        .collect();
    let lines: String = objects.iter().map(|object| format!("{object}\n")).collect();
    scratch.write("rows.csv", separated(&rows, ','));
    scratch.write("rows.tsv", separated(&rows, '\t'));
    scratch.write("rows.jsonl", &lines);
    scratch.write("rows.ndjson", &lines);
    scratch.write("rows.json", format!("\n {}", Value::Array(objects)));
    copy(&scratch, "rows.jsonl", "rows.parquet", "");
    for (ending, name) in [("gz", "gzip"), ("zst", "zstd")] {
        copy(
            &scratch,
            "rows.jsonl",
            &format!("packed.csv.{ending}"),
            &format!("STORED AS CSV OPTIONS ('format.compression' '{name}')"),
        );
        copy(
            &scratch,
            "rows.jsonl",
            &format!("packed.jsonl.{ending}"),
            &format!("STORED AS JSON OPTIONS ('format.compression' '{name}')"),
        );
    }
    for name in [
        "rows.csv",
        "rows.jsonl",
        "rows.ndjson",
        "rows.json",
        "rows.parquet",
        "packed.csv.gz",
        "packed.csv.zst",
        "packed.jsonl.gz",
        "packed.jsonl.zst",
    ] {
        check(
            &scratch,
            &[name, "--id", "key"],
            &format!("of-{name}"),
            &numbers,
        );
    }
    let quoted = ["rows.tsv", "--id", "key", "--quote", "\""];
    check(&scratch, &quoted, "of-rows.tsv", &numbers);
}

#[test]
fn ids_may_be_texts() {
    let scratch = Scratch::new();
    let ids = |row: usize| format!("row-{row:03} é");
    let rows: Vec<_> = texts()
        .into_iter()
        .enumerate()
        .map(|(row, text)| (Some(ids(row)), text))
        .collect();
    let numbers = numbers((0..rows.len()).map(ids));
    scratch.write("rows.csv", separated(&rows, ','));
    copy(&scratch, "rows.csv", "rows.parquet", "");
    for name in ["rows.csv", "rows.parquet"] {
        check(
            &scratch,
            &[name, "--id", "key"],
            &format!("of-{name}"),
            &numbers,
        );
    }
    let shown = scratch.succeed(&["show", "of-rows.csv", "--cluster", "row-000 é"]);
    assert!(shown.out.contains("row-001 é"), "{}", shown.out);
}

#[test]
fn columns_have_any_name() {
    let scratch = Scratch::new();
    let ids = |row: usize| format!("{}", row + 1);
    let lines: String = texts()
        .into_iter()
        .enumerate()
        .map(|(row, text)| {
            format!(
                "{}\n",
                json!({"Group": row + 1, "select \"x\"": text, "id": "no id", "similarity": 0})
            )
        })
        .collect();
    scratch.write("rows.jsonl", lines);
    let numbers = numbers((0..texts().len()).map(ids));
    for keep in [["--keep", "first"], ["--keep-by", "Group"]] {
        let name = format!("of{}", keep[0]);
        check(
            &scratch,
            &[
                "rows.jsonl",
                "--id",
                "Group",
                "--text",
                "select \"x\"",
                keep[0],
                keep[1],
            ],
            &name,
            &numbers,
        );
        let kept = scratch.job_rows(&name, "SELECT * FROM kept");
        assert_eq!(kept[0].len(), 4, "{:?}", kept[0]);
        scratch.succeed(&["show", &name]);
    }
}

/// Without an id column: ordinal of the file, shifted by 40 bits, plus number of the row.
#[test]
fn rows_are_numbered_by_file() {
    let scratch = Scratch::new();
    let rows: Vec<_> = texts().into_iter().map(|text| (None, text)).collect();
    let (first, second) = rows.split_at(8);
    scratch.write("parts/part-0.csv", separated(first, ','));
    scratch.write("parts/deeper/part-1.csv", separated(second, ','));
    scratch.write("parts/_hidden.csv", "no\ntable\n");
    scratch.write("parts/notes.md", "not a table");
    // Files are taken in the order of their paths: parts/deeper/part-1.csv is the first.
    let ids = |row: usize| {
        if row < 8 {
            (1_i64 << 40) + row as i64
        } else {
            row as i64 - 8
        }
    };
    let named = numbers((0..rows.len()).map(|row| ids(row).to_string()));
    scratch.succeed(&["dedup", "parts", "-o", "directory", "--quiet"]);
    let found = scratch.job_rows("directory", "SELECT id, text FROM kept");
    for row in &found {
        let id = row["id"].as_i64().expect("an id");
        assert_eq!(
            row["text"].as_str(),
            Some(texts()[named[&id.to_string()]].as_str()),
            "{id}"
        );
    }
    // The first of a cluster is another one here, because the files changed places.
    assert_eq!(found.len(), texts().len() - 7);

    scratch.write("flat/a.csv", separated(first, ','));
    scratch.write("flat/b.csv", separated(second, ','));
    let ids = |row: usize| {
        if row < 8 {
            row as i64
        } else {
            (1_i64 << 40) + row as i64 - 8
        }
    };
    let named = numbers((0..rows.len()).map(|row| ids(row).to_string()));
    for (inputs, name) in [
        (&["flat"][..], "of-directory"),
        (&["flat/*.csv"], "of-glob"),
        (&["flat/b.csv", "flat/a.csv"], "of-files"),
        (&["flat/b.csv", "flat", "flat/?.csv"], "of-all"),
    ] {
        check(&scratch, inputs, name, &named);
    }
    copy(&scratch, "flat/a.csv", "flat-parquet/a.parquet", "");
    copy(&scratch, "flat/b.csv", "flat-parquet/b.parquet", "");
    check(&scratch, &["flat-parquet"], "of-parquet", &named);
    assert_eq!(scratch.tables("of-parquet"), scratch.tables("of-glob"));
}

#[test]
fn files_of_one_job_are_of_one_kind() {
    let scratch = Scratch::new();
    scratch.write("mixed/a.csv", "id,text\n1,one\n");
    scratch.write("mixed/b.jsonl", "{\"id\":2,\"text\":\"two\"}\n");
    scratch.fail(
        &["dedup", "mixed"],
        &["a.csv", "b.jsonl", "different kinds"],
    );
    assert!(!scratch.has("neardup-out"));
}

#[test]
fn names_may_hold_anything() {
    let scratch = Scratch::new();
    let name = "a b[1]/100%25 #x?é*.csv";
    scratch.write(
        name,
        "id,text\n1,one two three four\n2,one two three four\n3,five\n",
    );
    let directory = "out [2]/50%41 #é*?";
    assert_eq!(scratch.job(&["dedup", name, "-o", directory])["kept"], 2);
    assert_eq!(
        scratch.job(&["dedup", name, "-o", directory])["steps_done_before"],
        8
    );
    assert!(
        scratch
            .succeed(&["show", directory])
            .out
            .starts_with("cluster 1, 2 rows")
    );
    assert_eq!(
        scratch.job_number(directory, "SELECT count(*) FROM pairs"),
        1
    );
    assert_eq!(
        scratch.rows(&format!("SELECT count(*) AS n FROM '{name}'"))[0]["n"],
        3
    );
    let dump =
        std::fs::read(crate::scratch::sample("samplewiki-pages-articles.xml")).expect("the sample");
    scratch.write("d [1]%41 é.xml", dump);
    assert_eq!(
        scratch.job(&["ingest", "d [1]%41 é.xml", "-o", "pages [1]"])["pages"],
        61
    );
}

/// The files of a table need not look the same where one of them is empty or narrow.
#[test]
fn files_of_one_table_share_a_schema() {
    let scratch = Scratch::new();
    scratch.write("csv/0.csv", "id,text,more\n");
    scratch.write("csv/1.csv", "id,text,more\n1,one two three four,7\n");
    scratch.write("csv/2.csv", "id,text,more\nkey,one two three four,x\n");
    scratch.write("csv/3.csv", "");
    let summary = scratch.job(&["dedup", "csv", "-o", "of-csv"]);
    assert_eq!(
        (&summary["rows"], &summary["kept"], &summary["left_out"]),
        (&2.into(), &1.into(), &json!({}))
    );
    assert_eq!(
        scratch.job_rows("of-csv", "SELECT * FROM kept")[0],
        json!({"id": "1", "text": "one two three four", "more": "7"})
            .as_object()
            .expect("a row")
            .clone()
    );

    scratch.write("json/1.jsonl", "{\"text\": \"one two three four\"}\n");
    scratch.write(
        "json/2.jsonl",
        "{\"score\": 2, \"text\": \"five\"}\n{\"score\": 2.5, \"text\": null}\n",
    );
    let summary = scratch.job(&["dedup", "json", "-o", "of-json"]);
    assert_eq!((&summary["rows"], &summary["kept"]), (&3.into(), &3.into()));
    assert_eq!(
        scratch.job_number("of-json", "SELECT count(*) FROM kept WHERE score >= 2"),
        2
    );

    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT arrow_cast(1, 'Int32') AS id, 'one two' AS text) TO 'parquet/1.parquet'",
    ]);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 5000000000 AS id, 'one two' AS text, 'x' AS more) TO 'parquet/2.parquet'",
    ]);
    let summary = scratch.job(&["dedup", "parquet", "-o", "of-parquet"]);
    assert_eq!((&summary["rows"], &summary["kept"]), (&2.into(), &1.into()));
    assert_eq!(
        scratch.job_number("of-parquet", "SELECT max(id) FROM clusters"),
        5_000_000_000
    );
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 'key' AS id, 'one two' AS text) TO 'parquet/3.parquet'",
    ]);
    scratch.fail(
        &["dedup", "parquet", "-o", "mixed"],
        &[
            "1.parquet",
            "3.parquet",
            "column id holds",
            "integers",
            "texts",
        ],
    );

    scratch.write("headers/1.csv", "id,text\n1,one\n");
    scratch.write("headers/2.csv", "text,id\none,2\n");
    scratch.fail(
        &["dedup", "headers", "-o", "mixed"],
        &["1.csv", "2.csv", "id, text", "text, id"],
    );
    assert!(!scratch.has("mixed"));
}

/// Bounds of one column must not skip the rows of which an expression has its largest value.
#[test]
fn least_and_largest_values_of_expressions() {
    let scratch = Scratch::new();
    for (name, rows) in [("a", "(1, 1)"), ("b", "(2, 9)"), ("c", "(3, 5)")] {
        let rows = format!("SELECT column1 AS id, column2 AS number FROM (VALUES {rows})");
        scratch.succeed(&[
            "sql",
            "-c",
            &format!("COPY ({rows}) TO 'files/{name}.parquet'"),
        ]);
    }
    for threads in ["1", "2", "7"] {
        for (query, wanted) in [
            (
                "min(id) AS a, max(number + 0) AS b",
                json!({"a": 1, "b": 9}),
            ),
            (
                "max(id) AS a, min(abs(number)) AS b",
                json!({"a": 3, "b": 1}),
            ),
            ("min(id) AS a, max(number) AS b", json!({"a": 1, "b": 9})),
        ] {
            let query = format!("SELECT {query} FROM 'files/'");
            let job = [
                "sql",
                "--threads",
                threads,
                "--format",
                "json",
                "-c",
                &query,
            ];
            let found: Value = serde_json::from_str(&scratch.succeed(&job).out).expect("JSON");
            assert_eq!(found, wanted, "{query}");
        }
    }
}

/// The engine takes the bounds of a file with another type than the table for NULL: `max(id)` was 2.
#[test]
fn greatest_values_of_files_that_differ_in_types() {
    let scratch = Scratch::new();
    for (name, kinds, first) in [
        ("signed", ["Int32", "Int64", "Int8"], 30),
        ("unsigned", ["UInt64", "UInt8", "UInt32"], 30),
        ("text", ["Utf8", "Dictionary(Int32, Utf8)", "LargeUtf8"], 30),
    ] {
        for (number, kind) in kinds.into_iter().enumerate() {
            let value = first - 10 * number as i64;
            scratch.succeed(&[
                "sql",
                "-c",
                &format!(
                    "COPY (SELECT arrow_cast(column1, '{kind}') AS id, column1 AS n FROM (VALUES ({value}), ({value} + 9))) \
                     TO '{name}/{number}.parquet'"
                ),
            ]);
        }
        let rows = scratch.rows(&format!(
            "SELECT max(id) AS a, min(id) AS b, count(*) AS n FROM '{name}/'"
        ));
        let (most, least) = match name {
            "text" => (json!("39"), json!("10")),
            _ => (json!(39), json!(10)),
        };
        assert_eq!(Value::from(rows), json!([{"a": most, "b": least, "n": 6}]));
        let rows = scratch.rows(&format!(
            "SELECT n FROM '{name}/' WHERE id >= (SELECT max(id) FROM '{name}/')"
        ));
        assert_eq!(Value::from(rows), json!([{"n": 39}]));
    }
}

/// Casts of texts above the sort were computed in several partitions, whose rows were merged in any order.
#[test]
fn written_files_are_in_order() {
    let scratch = Scratch::new();
    let rows = "SELECT value AS id, value % 3 AS k, 't' || (value * 7919 % 30011) AS text FROM generate_series(1, 30000)";
    scratch.succeed(&["sql", "-c", &format!("COPY ({rows}) TO 'rows.parquet'")]);
    for threads in ["1", "2", "7"] {
        let orders = [
            "text",
            "k, text, id",
            "k, upper(text), id",
            "length(text), text DESC",
            "id DESC",
        ];
        for (number, order) in orders.into_iter().enumerate() {
            for format in ["parquet", "tsv", "csv"] {
                let file = format!("{threads}-{number}.{format}");
                let copy = format!(
                    "COPY (SELECT id, k, text FROM 'rows.parquet' ORDER BY {order} LIMIT 25000) TO '{file}'"
                );
                scratch.succeed(&["sql", "--threads", threads, "-c", &copy]);
                // The place of each row in the file, with one thread, and in the order of the query.
                let query = format!(
                    "SELECT count(*) AS n FROM (SELECT id, row_number() OVER () AS place FROM '{file}') AS found \
                     JOIN (SELECT id, row_number() OVER (ORDER BY {order}) AS place FROM 'rows.parquet') AS wanted USING (id, place)"
                );
                let job = ["sql", "--threads", "1", "--format", "json", "-c", &query];
                let found: Value = serde_json::from_str(&scratch.succeed(&job).out).expect("JSON");
                assert_eq!(found, json!({"n": 25000}), "{threads} {order} {format}");
            }
        }
    }
}

/// The order of a subquery below groups was taken for that of the file: "does not satisfy order requirements".
#[test]
fn groups_of_sorted_rows_are_written() {
    let scratch = Scratch::new();
    let groups = "SELECT k, h % 3 AS g, array_agg(v ORDER BY o NULLS FIRST, id DESC NULLS LAST) AS list FROM (
                    SELECT value % 100 AS k, value AS id, value % 7 AS h, value AS v, value % 11 AS o
                    FROM generate_series(1, 20000) ORDER BY k, id LIMIT 19000
                  ) GROUP BY k, h % 3";
    for threads in ["1", "2"] {
        let copy = format!("COPY ({groups}) TO '{threads}.parquet'");
        scratch.succeed(&["sql", "--threads", threads, "-c", &copy]);
        let query = format!(
            "SELECT count(*) AS n, sum(cardinality(list)) AS m FROM (SELECT * FROM '{threads}.parquet' INTERSECT {groups})"
        );
        let found = scratch.rows(&query);
        assert_eq!(Value::from(found), json!([{"n": 285, "m": 19000}]));
    }
}

/// Under a memory limit, semi and anti joins of dictionaries without a further condition ended with an error.
#[test]
fn semi_joins_of_dictionaries_under_a_limit() {
    let scratch = Scratch::new();
    for (name, step) in [("a", 1), ("b", 2)] {
        let rows = format!(
            "SELECT value AS id, arrow_cast('key ' || (value * {step} % 40000), 'Dictionary(Int32, Utf8)') AS k \
             FROM generate_series(1, 60000)"
        );
        scratch.succeed(&["sql", "-c", &format!("COPY ({rows}) TO '{name}.parquet'")]);
    }
    for query in [
        "SELECT count(*) AS n FROM 'a.parquet' AS x WHERE k IN (SELECT k FROM 'b.parquet')",
        "SELECT count(*) AS n FROM 'a.parquet' AS x WHERE NOT EXISTS (SELECT 1 FROM 'b.parquet' AS y WHERE y.k = x.k)",
        "SELECT count(*) AS n FROM (SELECT k FROM 'a.parquet' INTERSECT SELECT k FROM 'b.parquet')",
        "SELECT count(*) AS n FROM (SELECT k FROM 'a.parquet' EXCEPT SELECT k FROM 'b.parquet')",
    ] {
        let count = |limit: &str| {
            let job = [
                "sql",
                "--memory-limit",
                limit,
                "--format",
                "json",
                "-c",
                query,
            ];
            scratch.succeed(&job).out
        };
        let wanted = count("none");
        assert!(!wanted.contains("\"n\":0"), "{query}");
        assert_eq!(count("100M"), wanted, "{query}");
        assert_eq!(count("500M"), wanted, "{query}");
    }
}

/// Files differ in which of their columns, also inside lists and objects, are dictionaries.
#[test]
fn dictionaries_inside_lists_and_objects() {
    let scratch = Scratch::new();
    let columns = |kind: &str, bytes: &str| {
        format!(
            "SELECT value AS id, arrow_cast(make_array('a', NULL, 'b' || value), 'List({kind})') AS list, \
             struct(arrow_cast('c' || value, '{kind}') AS part, value AS number) AS object, \
             arrow_cast(CAST('d' AS BYTEA), '{bytes}') AS bytes"
        )
    };
    let files = [
        ("Utf8", "Binary"),
        ("Dictionary(Int8, Utf8)", "Dictionary(Int8, Binary)"),
        ("Dictionary(Int16, Utf8)", "LargeBinary"),
        ("LargeUtf8", "Binary"),
    ];
    for (number, (kind, bytes)) in files.into_iter().enumerate() {
        let rows = format!(
            "{} FROM generate_series({number}, {number})",
            columns(kind, bytes)
        );
        scratch.succeed(&[
            "sql",
            "-c",
            &format!("COPY ({rows}) TO 'files/{number}.parquet'"),
        ]);
    }
    let query = "SELECT id, list, object, encode(bytes, 'hex') AS bytes FROM 'files/' ORDER BY id";
    let wanted = (0..4).map(|number| {
        json!({
            "id": number,
            "list": ["a", null, format!("b{number}")],
            "object": {"part": format!("c{number}"), "number": number},
            "bytes": "64",
        })
    });
    let wanted: Vec<Value> = wanted.collect();
    assert_eq!(Value::from(scratch.rows(query)), Value::from(wanted));
}

/// Each row group has a dictionary of its own, with fewer values than its indices can count; all dictionaries together have
/// more.
#[test]
fn small_indices_of_dictionaries() {
    for index in ["Int8", "UInt8", "Int16"] {
        let scratch = Scratch::new();
        let rows = "SELECT value AS id, 'one two ' || value AS text, \
                    'kind ' || (value * 37 % 120) AS kind FROM generate_series(1, 3000)";
        let copy = format!(
            "COPY (SELECT id, text, arrow_cast(kind, 'Dictionary({index}, Utf8)') AS kind FROM ({rows})) \
             TO 'rows.parquet' OPTIONS ('format.max_row_group_size' '300')"
        );
        scratch.succeed(&["sql", "-c", &copy]);
        scratch.succeed(&["sql", "-c", &format!("COPY ({rows}) TO 'plain.parquet'")]);
        for query in [
            "SELECT a.id, b.kind FROM FILE AS a JOIN FILE AS b USING (kind) WHERE a.id < 100",
            "SELECT id, first_value(kind) OVER (ORDER BY id) AS kind FROM FILE",
            "SELECT id, kind FROM FILE WHERE kind IN ('kind 7', 'kind 119')",
            "SELECT id, row_number() OVER (PARTITION BY kind ORDER BY id) AS n FROM FILE",
            "SELECT id, kind FROM deduplicate(FILE)",
        ] {
            let rows = |file: &str| {
                let query = query.replace("FILE", file);
                scratch.rows(&format!("SELECT * FROM ({query}) ORDER BY 1, 2"))
            };
            assert_eq!(
                rows("'rows.parquet'"),
                rows("'plain.parquet'"),
                "{index}: {query}"
            );
        }
        let query = "SELECT count(*) AS n FROM FILE AS a LEFT ANTI JOIN FILE AS b \
                     ON a.kind = b.kind AND a.id < b.id";
        let query = query.replace("FILE", "'rows.parquet'");
        let limited = [
            "sql",
            "--memory-limit",
            "60M",
            "--format",
            "json",
            "-c",
            &query,
        ];
        let found: Value = serde_json::from_str(&scratch.succeed(&limited).out).expect("JSON");
        assert_eq!(found, json!({"n": 120}), "{index}");
        let found = scratch.job(&["dedup", "rows.parquet", "--within", "kind", "-o", "out"]);
        assert_eq!(found["rows"], 3000, "{index}: {found}");
        let kept = "SELECT kept.id FROM 'out/kept.parquet' AS kept JOIN 'plain.parquet' AS plain \
                    ON kept.id = plain.id WHERE kept.kind = plain.kind";
        assert_eq!(found["kept"], scratch.rows(kept).len(), "{index}");
    }
}

/// The ids of a table may be in a dictionary, which the rows that are kept still have.
#[test]
fn ids_in_dictionaries() {
    let text = "The minutes of the council of the town were read and signed by the mayor";
    for kind in ["Utf8", "Int64", "UInt64", "Int16"] {
        let scratch = Scratch::new();
        let copy = format!(
            "COPY (SELECT arrow_cast(column1, 'Dictionary(Int32, {kind})') AS key, column2 AS text FROM (VALUES \
             ('20', '{text}'), ('10', '{text}'), ('30', 'five six seven'))) TO 'rows.parquet'"
        );
        scratch.succeed(&["sql", "-c", &copy]);
        let kept = |directory: &str| {
            let query = format!(
                "SELECT CAST(key AS BIGINT) AS key, arrow_typeof(key) AS of \
                 FROM '{directory}/kept.parquet' ORDER BY key"
            );
            Value::from(scratch.rows(&query))
        };
        let of = format!("Dictionary(Int32, {kind})");
        let row = |key: u64| json!({"key": key, "of": of});

        let job = ["dedup", "rows.parquet", "--id", "key"];
        let found = scratch.job(&[&job[..], &["-o", "out"]].concat());
        assert_eq!(found["kept"], 2, "{kind}: {found}");
        assert_eq!(kept("out"), json!([row(10), row(30)]));
        let pairs = "SELECT CAST(id_a AS BIGINT) AS a, CAST(id_b AS BIGINT) AS b FROM pairs";
        let pairs = Value::from(scratch.job_rows("out", pairs));
        assert_eq!(pairs, json!([{"a": 10, "b": 20}]), "{kind}");
        let why = scratch.succeed(&["why", "20", "out", "--json"]).out;
        let why: Value = serde_json::from_str(&why).expect("JSON");
        let wanted = match kind {
            "Utf8" => json!("10"),
            _ => json!(10),
        };
        assert_eq!(why["representative"]["id"], wanted, "{kind}: {why}");
        scratch.job(&[&job[..], &["--keep", "longest", "-o", "longest"]].concat());
        assert_eq!(kept("longest"), json!([row(10), row(30)]));
        let cut = scratch.job(&[&job[..], &["--edit", "lines", "-o", "cut"]].concat());
        assert_eq!(cut["cuts"], 1, "{kind}: {cut}");
        assert_eq!(kept("cut"), json!([row(10), row(30)]));

        scratch.write("items.jsonl", "{\"text\": \"five six seven\"}\n");
        let job = ["decontaminate", "rows.parquet", "--id", "key"];
        let against = [
            "--against",
            "items.jsonl",
            "--min-words",
            "3",
            "-o",
            "clean",
        ];
        scratch.job(&[&job[..], &against].concat());
        assert_eq!(kept("clean"), json!([row(10), row(20)]));
    }
    let scratch = Scratch::new();
    let copy = "COPY (SELECT arrow_cast(arrow_cast('a', 'Binary'), 'Dictionary(Int32, Binary)') AS key, 'one two' AS text) \
         TO 'rows.parquet'";
    scratch.succeed(&["sql", "-c", copy]);
    scratch.fail(
        &["dedup", "rows.parquet", "--id", "key"],
        &["--id key", "integers or texts", "holds bytes", "--id row"],
    );
}

#[test]
fn results_of_jobs_are_no_input() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,one two three four\n2,one two three four\n",
    );
    for steps in [0, 8] {
        assert_eq!(scratch.job(&["dedup", "."])["steps_done_before"], steps);
    }
    // But they are where they are named.
    assert_eq!(
        scratch.job(&["dedup", "neardup-out/kept.parquet", "-o", "again"])["rows"],
        1
    );
}

/// What looks like a number is a text where texts are asked for.
#[test]
fn texts_may_look_like_numbers() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,body\n1,007\n2,007\n3,2020-01-01\n4,true\n5,\n",
    );
    scratch.write("numbers.csv", "id,body\n1,007\n2,7\n3,07.0\n");
    for (name, kept) in [("rows.csv", 4), ("numbers.csv", 3)] {
        let summary = scratch.job(&["dedup", name, "--text", "body", "-o", &format!("of-{name}")]);
        assert_eq!(summary["kept"], kept, "{summary}");
    }
    let rows = scratch.job_rows("of-numbers.csv", "SELECT body FROM kept ORDER BY id");
    let texts: Vec<_> = rows.iter().map(|row| row["body"].as_str()).collect();
    assert_eq!(texts, [Some("007"), Some("7"), Some("07.0")]);
}

/// An empty file is an error, also beside files with rows.
#[test]
fn a_parquet_file_without_a_byte_is_an_error() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("in")).expect("a directory");
    scratch.generate("10", "in/a.parquet");
    scratch.write("in/b.parquet", "");
    let count = ["sql", "-c", "SELECT count(*) FROM 'in/'"];
    scratch.fail(&count, &["in/b.parquet", "the file is empty"]);
    scratch.fail(&["dedup", "in"], &["in/b.parquet", "the file is empty"]);
}

/// A quoted pattern matches no hidden file, as in a shell.
#[test]
fn patterns_mean_no_hidden_files() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("in")).expect("a directory");
    scratch.write("in/a.jsonl", "{\"id\":1,\"text\":\"a\"}\n");
    scratch.write("in/.b.jsonl", "{\"id\":2,\"text\":\"b\"}\n");
    for (pattern, ids) in [("in/*.jsonl", 1), ("*/*.jsonl", 1), ("in/.*.jsonl", 2)] {
        let rows = scratch.rows(&format!("SELECT id FROM '{pattern}'"));
        assert_eq!((rows.len(), &rows[0]["id"]), (1, &ids.into()), "{pattern}");
    }
}
