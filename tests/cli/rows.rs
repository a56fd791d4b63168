//! Rows are unchanged: order, numbers, values, columns. Each test is a line of `docs/formats.md`.

use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::fmt::Write;

/// `count` rows whose text says which row it is; over 1 MiB for 20,000.
fn texts(count: usize) -> Vec<String> {
    let word = |seed: usize| {
        let mut number = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let mut word = String::new();
        for _ in 0..7 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
        }
        word
    };
    let text = |row: usize| {
        let words: Vec<String> = (0..6).map(|place| word(row * 6 + place + 1)).collect();
        format!("row {row} {}", words.join(" "))
    };
    (0..count).map(text).collect()
}

/// Every row of a job must have the number of the row that its text names, in the file that follows.
#[track_caller]
fn assert_numbered(scratch: &Scratch, directory: &str, firsts: &[usize]) {
    let mut checks = String::new();
    for (file, first) in firsts.iter().enumerate().rev() {
        let _ = write!(
            checks,
            "WHEN n >= {first} THEN {file} * 1099511627776 + n - {first} "
        );
    }
    let rows = scratch.job_rows(
        directory,
        &format!(
            "SELECT count(*) AS rows, count(*) FILTER (WHERE id = CASE {checks} END) AS right FROM (\
             SELECT id, CAST(split_part(text, ' ', 2) AS BIGINT) AS n FROM kept)"
        ),
    );
    assert_eq!(rows[0]["rows"], rows[0]["right"], "{directory}");
    assert_ne!(rows[0]["rows"], 0);
}

#[test]
fn row_numbers_are_places_in_files_of_any_size() {
    let scratch = Scratch::new();
    let texts = texts(24_000);
    let (first, second) = texts.split_at(4_000);
    let lines = |texts: &[String]| -> String {
        texts
            .iter()
            .map(|text| format!("{}\n", json!({"text": text, "more": "x".repeat(20)})))
            .collect()
    };
    let array = |texts: &[String]| {
        let rows: Vec<Value> = texts
            .iter()
            .map(|text| json!({"text": text, "more": [{"a": "]},{"}]}))
            .collect();
        Value::Array(rows).to_string()
    };
    let separated = |texts: &[String]| -> String {
        std::iter::once("text,more\n".to_owned())
            .chain(
                texts
                    .iter()
                    .map(|text| format!("\"{text}\",\"line\nbreak\"\n")),
            )
            .collect()
    };
    for (number, part) in [first, second].into_iter().enumerate() {
        scratch.write(&format!("lines/{number}.jsonl"), lines(part));
        scratch.write(&format!("array/{number}.json"), array(part));
        scratch.write(&format!("csv/{number}.csv"), separated(part));
        for (name, ending, from, stored) in [
            (
                "packed",
                "jsonl.gz",
                "lines",
                "JSON OPTIONS ('format.compression' 'gzip')",
            ),
            (
                "parquet",
                "parquet",
                "lines",
                "PARQUET OPTIONS ('format.max_row_group_size' '1000')",
            ),
        ] {
            // One partition keeps the order of the file.
            scratch.succeed(&[
                "sql", "--threads", "1", "-c",
                &format!("COPY (SELECT * FROM '{from}/{number}.jsonl') TO '{name}/{number}.{ending}' STORED AS {stored}"),
            ]);
        }
    }
    for name in ["lines", "array", "csv", "packed", "parquet"] {
        for more in [
            &["--threads", "1"][..],
            &["--threads", "2"],
            &["--threads", "7", "--memory-limit", "512M"],
        ] {
            let directory = format!("of-{name}-{}", more[1]);
            let mut job = vec!["dedup", name, "-o", &directory, "--quiet"];
            job.extend(more);
            scratch.succeed(&job);
            assert_numbered(&scratch, &directory, &[0, 4_000]);
        }
        let rows = scratch.rows(&format!(
            "SELECT count(*) AS n, count(DISTINCT text) AS texts FROM './{name}'"
        ));
        assert_eq!(
            (&rows[0]["n"], &rows[0]["texts"]),
            (&24_000.into(), &24_000.into()),
            "{name}"
        );
    }
}

#[test]
fn many_small_files_cost_little() {
    let scratch = Scratch::new();
    for (number, text) in texts(1_500).iter().enumerate() {
        scratch.write(&format!("small/{number:05}.csv"), format!("text\n{text}\n"));
    }
    let begun = std::time::Instant::now();
    assert_eq!(
        scratch.job(&["dedup", "small", "-o", "out", "--threads", "2"])["kept"],
        1_500
    );
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
    let firsts: Vec<usize> = (0..1_500).collect();
    let rows = scratch.job_rows(
        "out",
        "SELECT count(*) AS n FROM kept WHERE id = CAST(split_part(text, ' ', 2) AS BIGINT) * 1099511627776",
    );
    assert_eq!(rows[0]["n"], firsts.len());
}

#[test]
fn columns_of_json_are_decided_over_all_rows() {
    let scratch = Scratch::new();
    let mut lines = String::new();
    for row in 0..3_000 {
        let mut object = json!({"zeta": row, "text": format!("text {row}"), "alpha": 1});
        if row == 2_500 {
            object["late"] = json!({"deep": [1, 2.5]});
            object["alpha"] = json!(0.5);
            object["zeta"] = json!("two thousand five hundred");
        }
        let _ = writeln!(lines, "{object}");
    }
    scratch.write("rows.jsonl", &lines);
    scratch.write(
        "rows.json",
        format!("[{}]", lines.trim_end().replace('\n', ",\n")),
    );
    for name in ["rows.jsonl", "rows.json"] {
        let directory = format!("of-{name}");
        scratch.job(&["dedup", name, "-o", &directory]);
        let rows = scratch.job_rows(
            &directory,
            "SELECT * FROM kept WHERE text IN ('text 7', 'text 2500') ORDER BY text",
        );
        assert_eq!(rows[0]["late"], json!({"deep": [1.0, 2.5]}));
        assert_eq!(rows[0]["zeta"], "two thousand five hundred");
        assert_eq!(
            (&rows[1]["zeta"], &rows[1]["alpha"], rows[1].get("late")),
            (&"7".into(), &1.0.into(), Some(&Value::Null))
        );
    }
    let head = scratch.succeed(&["sql", "-c", "SELECT * FROM 'rows.jsonl' LIMIT 1"]);
    // Keys in the order of their first occurrence in the file.
    let keys: Vec<usize> = ["zeta", "text", "alpha", "late"]
        .iter()
        .map(|key| lines.find(&format!("\"{key}\"")).expect("a key"))
        .collect();
    let header = head.out.lines().nth(1).expect("a header");
    let mut names: Vec<&str> = header.split('|').map(str::trim).collect();
    names.retain(|name| !name.is_empty());
    let order = names.clone();
    names.sort_by_key(|name| {
        keys[["zeta", "text", "alpha", "late"]
            .iter()
            .position(|key| key == name)
            .expect("a name")]
    });
    assert_eq!(order, names);
    scratch.write(
        "mixed.jsonl",
        "{\"text\":\"a\",\"x\":1}\n\n{\"text\":\"b\",\"x\":{\"y\":1}}\n",
    );
    scratch.fail(
        &["dedup", "mixed.jsonl", "-o", "mixed"],
        &["mixed.jsonl", "row 2 (line 3)", "'x'", "row 1 (line 1)"],
    );
    scratch.write("broken.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\",}\n");
    scratch.fail(
        &["dedup", "broken.jsonl", "-o", "broken"],
        &["broken.jsonl", "row 2 (line 2)"],
    );
    assert!(!scratch.has("mixed") && !scratch.has("broken"));
}

#[test]
fn numbers_of_json_come_back_as_they_were() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.jsonl",
        "{\"text\":\"a\",\"big\":123456789012345678901234567890,\"u\":18446744073709551615,\"i\":-9223372036854775808,\"wide\":9007199254740993,\"huge\":1e999,\"none\":{},\"f\":0.1}\n\
         {\"text\":\"b\",\"big\":1,\"u\":0,\"i\":9223372036854775807,\"wide\":0.5,\"huge\":1,\"none\":{},\"f\":1}\n",
    );
    scratch.job(&["dedup", "rows.jsonl", "-o", "out"]);
    let rows = scratch.job_rows(
        "out",
        "SELECT big, u, i, wide, huge, f, none, id FROM kept ORDER BY id",
    );
    assert_eq!(
        Value::Object(rows[0].clone()),
        json!({"big": "123456789012345678901234567890", "u": 18_446_744_073_709_551_615_u64, "i": i64::MIN,
               "wide": "9007199254740993", "huge": "1e999", "f": 0.1, "none": {}, "id": 0})
    );
    assert_eq!(rows[1]["wide"], "0.5");
}

#[test]
fn separated_values_come_back_as_the_bytes_they_were() {
    let scratch = Scratch::new();
    let values = [
        "007",
        "01234",
        "+1",
        "1.50",
        " 5",
        "1e3",
        "2020-01-01",
        "TRUE",
        "-0",
        "1_000",
        "NaN",
    ];
    let mut header = "\u{feff}text".to_owned();
    let (mut first, mut second) = ("\"one\r\ntwo\"".to_owned(), "three".to_owned());
    for (number, value) in values.iter().enumerate() {
        let _ = write!(header, ",c{number}");
        let _ = write!(first, ",{value}");
        second.push_str(",7");
    }
    // Behind the first thousand rows and the first 8 KiB.
    let filler = format!("filler{}\r\n", ",7".repeat(values.len())).repeat(2_000);
    scratch.write(
        "rows.csv",
        format!("{header}\r\n{filler}{second}\r\n{first}\r\n"),
    );
    scratch.job(&["dedup", "rows.csv", "-o", "out"]);
    let rows = scratch.job_rows("out", "SELECT * FROM kept WHERE c1 = '01234'");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["text"], "one\r\ntwo");
    for (number, value) in values.iter().enumerate() {
        assert_eq!(rows[0][&format!("c{number}")], *value);
    }
    scratch.write(
        "types.csv",
        "text,i,f,b,e,u\na,1,1.5,true,,18446744073709551615\nb,-2,2.0,false,,0\n,,,,,\n",
    );
    let types = scratch.rows(
        "SELECT arrow_typeof(i) AS i, arrow_typeof(f) AS f, arrow_typeof(b) AS b, arrow_typeof(e) AS e, arrow_typeof(u) AS u \
         FROM 'types.csv' LIMIT 1",
    );
    assert_eq!(
        Value::Object(types[0].clone()),
        json!({"i": "Int64", "f": "Float64", "b": "Boolean", "e": "Utf8", "u": "UInt64"})
    );
}

#[test]
fn empty_values_are_null_and_quoted_ones_are_not() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "text,more,n\n\"\",x,1\n,\"\",\"\"\n\n  ,,2\n");
    let rows = scratch.rows("SELECT * FROM 'rows.csv'");
    let rows: Vec<Value> = rows.into_iter().map(Value::Object).collect();
    assert_eq!(
        rows,
        [
            json!({"text": "", "more": "x", "n": 1}),
            json!({"text": null, "more": "", "n": null}),
            json!({"text": "  ", "more": null, "n": 2})
        ]
    );
}

#[test]
fn rows_that_do_not_fit_the_header_are_named() {
    let scratch = Scratch::new();
    for (name, rows, said) in [
        (
            "wide.csv",
            "text,a\nx,1\n\"two\nlines\",2\ny,1,2\n",
            &["wide.csv", "line 5", "2 columns"][..],
        ),
        (
            "narrow.csv",
            "text,a\nx,1\n\ny\n",
            &["narrow.csv", "line 4", "has 1"],
        ),
        (
            "open.csv",
            "text,a\nx,1\n\"y,1\nz,2\n",
            &["open.csv", "line 3", "not closed"],
        ),
        (
            "behind.csv",
            "text,a\nx,1\n\"Hello\" he said,2\n",
            &["behind.csv", "line 3", "column 1", "written twice"],
        ),
        (
            "odd.csv",
            "text,a\nx,1\n1,\"p\"q\"\n",
            &["odd.csv", "line 3", "column 2"],
        ),
        (
            "even.csv",
            "text,a\nx,1\n1,\"p\"q\"\"",
            &["even.csv", "line 3", "column 2"],
        ),
        (
            "twice.csv",
            "text,a,text\nx,1,y\n",
            &["twice.csv", "line 1", "'text'"],
        ),
    ] {
        scratch.write(name, rows);
        scratch.fail(&["dedup", name], said);
    }
    scratch.write("bytes.csv", b"text,a\nx,1\n\xff\xfe,2\n3,\xff\n");
    scratch.fail(
        &["dedup", "bytes.csv"],
        &["bytes.csv", "line 3: column 1", "UTF-8"],
    );
    scratch.write("bytes.csv", b"text,a\nx,1\n3,\xff\n");
    scratch.fail(
        &["dedup", "bytes.csv"],
        &["bytes.csv", "line 3: column 2", "UTF-8"],
    );
    // Quotes as they should be, at the ends of lines and of the file.
    let whole = "text,a\r\n\"a \"\"b\"\" c\",\"1\"\r\n\"\"\"\",2\n\"x\ny\",\"3\"\n\n\"last\",\"\"";
    scratch.write("whole.csv", whole);
    let rows = scratch.rows("SELECT text FROM 'whole.csv'");
    let texts: Vec<_> = rows.iter().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!(texts, ["a \"b\" c", "\"", "x\ny", "last"]);
}

#[test]
fn texts_that_are_numbers_are_ordered_as_such() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text,score\n1,one two three four,9.5\n2,one two three four,010\n3,one two three four,7\n");
    scratch.write(
        "names.csv",
        "id,text,score\n1,one two three four,b\n2,one two three four,10\n3,one two three four,9\n",
    );
    for (name, kept) in [("rows.csv", 2), ("names.csv", 2)] {
        let directory = format!("of-{name}");
        scratch.job(&["dedup", name, "--keep-by", "score desc", "-o", &directory]);
        assert_eq!(
            scratch.job_rows(&directory, "SELECT id FROM kept")[0]["id"],
            kept,
            "{name}"
        );
    }
}

#[test]
fn nan_is_no_constant_and_is_not_skipped() {
    let scratch = Scratch::new();
    scratch.succeed(&[
        "sql", "-c",
        "COPY (SELECT column1 AS id, column2 AS text, column3 AS x FROM (VALUES (1, 'a b c', 0.5), \
         (2, 'd e f', CAST('NaN' AS DOUBLE)), (3, 'g h i', 0.5)) ORDER BY column1) TO 'rows.parquet'",
    ]);
    scratch.job(&["dedup", "rows.parquet", "-o", "out"]);
    for table in ["'rows.parquet'", "'out/kept.parquet'"] {
        let rows = scratch.rows(&format!("SELECT id FROM {table} WHERE x <> 0.5"));
        assert_eq!(rows.len(), 1, "{table}");
        for (sql, wanted) in [
            (
                format!("SELECT CAST(x AS VARCHAR) AS n FROM {table} WHERE id = 2"),
                "NaN",
            ),
            (
                format!("SELECT CAST(max(x) AS VARCHAR) AS n FROM {table}"),
                "NaN",
            ),
            (
                format!("SELECT CAST(x AS VARCHAR) AS n FROM {table} ORDER BY x DESC LIMIT 1"),
                "NaN",
            ),
            (
                format!("SELECT CAST(count(*) AS VARCHAR) AS n FROM {table} WHERE x > 1"),
                "1",
            ),
            (
                format!("SELECT CAST(count(*) AS VARCHAR) AS n FROM {table} WHERE isnan(x)"),
                "1",
            ),
        ] {
            assert_eq!(scratch.rows(&sql)[0]["n"], wanted, "{sql}");
        }
    }
}

#[test]
fn files_that_were_added_or_rewritten_are_read() {
    let scratch = Scratch::new();
    let copy = |rows: &str, to: &str| format!("COPY (SELECT * FROM (VALUES {rows})) TO '{to}';");
    let script = [
        copy("(1), (2)", "t/1.parquet"),
        "CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION 't/';".to_owned(),
        "SELECT count(*) AS n FROM t;".to_owned(),
        copy("(3)", "t/2.parquet"),
        "SELECT count(*) AS n FROM t;".to_owned(),
        copy("(4), (5), (6), (7)", "t/1.parquet"),
        "SELECT sum(column1) AS n FROM t;".to_owned(),
    ]
    .concat();
    let answer = scratch.succeed(&["sql", "--format", "json", "-c", &script]);
    let numbers: Vec<&str> = answer
        .out
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let shown = numbers.join(" ");
    assert!(
        shown.contains("2") && shown.contains("3") && shown.ends_with("25"),
        "{}",
        answer.out
    );
}

#[test]
fn ids_may_outlast_other_files() {
    let scratch = Scratch::new();
    scratch.write(
        "data/b.csv",
        "text,n\none two three,1\none two three,1\nfour five six,2\n",
    );
    let ids = |kind: &str, directory: &str| -> Vec<(String, String)> {
        scratch.job(&["dedup", "data", "--row-ids", kind, "-o", directory]);
        let rows = scratch.job_rows(directory, "SELECT id, kept FROM clusters ORDER BY id");
        rows.iter()
            .map(|row| (row["id"].to_string(), row["kept"].to_string()))
            .collect()
    };
    let before = (ids("path", "path-1"), ids("content", "content-1"));
    assert_eq!((before.0.len(), before.1.len()), (3, 3));
    assert!(
        before.0[0].0.ends_with("data/b.csv:000000000000\""),
        "{before:?}"
    );
    scratch.write("data/a.csv", "text,n\nseven eight nine,3\n");
    for (kind, before) in [("path", &before.0), ("content", &before.1)] {
        let after = ids(kind, &format!("{kind}-2"));
        assert_eq!(after.len(), 4);
        assert!(
            before.iter().all(|row| after.contains(row)),
            "{before:?} {after:?}"
        );
    }
    scratch.write("ids.csv", "id,text\n1,one\n");
    scratch.fail(
        &["dedup", "ids.csv", "--row-ids", "path"],
        &["--row-ids", "id"],
    );
}

#[test]
fn files_of_other_names_are_not_left_out_in_silence() {
    let scratch = Scratch::new();
    scratch.write("data/train.csv", "text\none two three\n");
    scratch.write("data/readme.md", "no table");
    let answer = scratch.succeed(&["dedup", "data", "-o", "out"]);
    assert!(
        answer.err.contains("ignored 1 files") && answer.err.contains("readme.md"),
        "{answer:?}"
    );
    assert_eq!(scratch.job_number("out", "SELECT count(*) FROM kept"), 1);
    let dump = std::fs::read(crate::scratch::sample("samplewiki-pages-articles.xml.bz2"))
        .expect("the sample");
    scratch.write("wiki-pages-articles1.xml-p10p30302.bz2", dump);
    assert_eq!(
        scratch.job(&[
            "ingest",
            "wiki-pages-articles1.xml-p10p30302.bz2",
            "-o",
            "pages"
        ])["pages"],
        61
    );
}
