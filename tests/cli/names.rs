//! What a name says about a file, and what its first bytes say where the name says nothing.

use crate::scratch::{Scratch, answer};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

const JSON: &str = "{\"id\":1,\"text\":\"a b c\"}\n{\"id\":2,\"text\":\"d e f\"}\n";

/// A file whose name has no known ending is recognised by its first bytes.
#[test]
fn the_first_bytes_tell_what_the_name_does_not() {
    let scratch = Scratch::new();
    let count = |name: &str| {
        let rows = scratch.rows(&format!("SELECT count(*) AS n FROM './{name}'"));
        rows[0]["n"].clone()
    };
    scratch.write("part-00000", JSON);
    scratch.write("array.bin", "\u{feff} [{\"id\":1},{\"id\":2}]");
    for name in [
        "rows.parquet",
        "rows.jsonl.gz",
        "rows.jsonl.zst",
        "rows.jsonl.bz2",
    ] {
        let copy = format!("COPY (SELECT * FROM './part-00000') TO '{name}'");
        scratch.succeed(&["sql", "-c", &copy]);
        scratch.write(&format!("{name}.bin"), scratch.read(name));
        assert_eq!(count(&format!("{name}.bin")), 2, "{name}");
    }
    assert_eq!(count("part-00000"), 2);
    assert_eq!(count("part-*"), 2);
    assert_eq!(count("array.bin"), 2);
    scratch.write(
        "export",
        "<?xml version=\"1.0\"?>\n<mediawiki version=\"0.11\"></mediawiki>",
    );
    assert_eq!(scratch.job(&["ingest", "export", "-o", "wiki"])["pages"], 0);
    assert_eq!(scratch.job(&["dedup", "part-00000"])["rows_read"], 2);

    scratch.write("empty", "");
    let said = "empty: it is empty, and neither its name nor an option determines its kind";
    scratch.fail(&["dedup", "empty", "-o", "none"], &[said]);
    for (name, bytes) in [("table", "id,text\n1,a\n"), ("page", "<html></html>")] {
        scratch.write(name, bytes);
        let said = format!("{name}: unknown kind of file by its name and by its first bytes");
        scratch.fail(&["dedup", name, "-o", "none"], &[&said, ".parquet"]);
    }
}

/// A `.txt` file is a table of one document.
#[test]
fn a_text_file_is_a_document() {
    let scratch = Scratch::new();
    scratch.write("notes/a.txt", "One two three four\nfive six seven.\n");
    scratch.write(
        "notes/more/b.txt",
        "\u{feff}one two three four\nfive six seven.",
    );
    scratch.write("notes/c.txt", "");
    let path = |name: &str| {
        let path = scratch.path(name).canonicalize().expect("a path");
        path.to_string_lossy().into_owned()
    };
    let wanted = json!([
        {"id": path("notes/a.txt"), "text": "One two three four\nfive six seven.\n"},
        {"id": path("notes/c.txt"), "text": ""},
        {"id": path("notes/more/b.txt"), "text": "one two three four\nfive six seven."},
    ]);
    for from in ["notes/", "./notes", "notes/**/*.txt"] {
        let rows = scratch.rows(&format!("SELECT id, text FROM '{from}' ORDER BY id"));
        assert_eq!(Value::from(rows), wanted, "{from}");
    }
    let summary = scratch.job(&["dedup", "notes", "-o", "out"]);
    assert_eq!(
        (&summary["rows_read"], &summary["kept"]),
        (&json!(3), &json!(2))
    );
    assert!(
        scratch
            .succeed(&["show", "out"])
            .out
            .contains("notes/more/b.txt")
    );

    // Beside tables, texts are notes.
    scratch.write("data/rows.jsonl", JSON);
    scratch.write("data/README.txt", "about the rows");
    let rows = scratch.rows("SELECT count(*) AS n FROM 'data/'");
    assert_eq!(rows[0]["n"], 2);

    scratch.write("latin.txt", b"\xef\xbb\xbfcaf\xe9");
    let said = ["latin.txt: invalid UTF-8 at byte 6", "name its encoding"];
    scratch.fail(&["dedup", "latin.txt", "-o", "none"], &said);
    assert!(!scratch.has("none"));
}

/// Files in hidden directories, such as the checkpoints of notebooks, are left out.
#[test]
fn wildcards_match_no_hidden_names() {
    let scratch = Scratch::new();
    for (file, id) in [
        ("in/a/x.csv", 1),
        ("in/a/.x.csv", 2),
        ("in/.check/x.csv", 3),
        ("in/.check/.deep/x.csv", 4),
        ("in/x.csv", 5),
    ] {
        scratch.write(file, format!("id\n{id}\n"));
    }
    let root = scratch.path("in");
    for (name, ids) in [
        ("in/**/*.csv", "1 5"),
        ("./in//**/*.csv", "1 5"),
        ("**/x.csv", "1 5"),
        ("in/*/*.csv", "1"),
        ("in/?*/[xy].csv", "1"),
        ("*/../in/*/*.csv", "1"),
        ("in", "1 5"),
        ("in/a/.*.csv", "2"),
        ("in/.check/*.csv", "3"),
        ("in/.ch*/x*.csv", "3"),
        ("in/.ch*/.d*/*.csv", "4"),
        ("in/.check/**/*.csv", "3"),
    ] {
        for name in [name.to_owned(), format!("{}/../{name}", root.display())] {
            let sql = format!("SELECT id FROM '{name}' ORDER BY id");
            let out = scratch.succeed(&["sql", "--format", "csv", "-c", &sql]).out;
            let found: Vec<&str> = out.lines().skip(1).collect();
            assert_eq!(found.join(" "), ids, "{name}");
        }
    }
    scratch.fail(
        &["sql", "SELECT * FROM 'in/[.]check/x.csv'"],
        &["no file matches"],
    );
    // Also of dumps, beside a name that is not UTF-8.
    let dump = "<mediawiki><page><title>A</title><id>1</id><revision><id>1</id><text>a</text></revision></page></mediawiki>";
    for file in ["wiki/.check/a.xml", "wiki/a/a.xml"] {
        scratch.write(file, dump);
    }
    let name = std::ffi::OsStr::from_bytes(b"wiki/\xff.xml");
    std::fs::write(scratch.path("").join(name), dump).expect("a written file");
    for location in ["wiki/*/*.xml", "wiki/.ch*/*.xml"] {
        let made = format!("CREATE EXTERNAL TABLE p STORED AS WIKIDUMP LOCATION '{location}'");
        let rows = scratch.rows(&format!("{made}; SELECT count(*) AS n FROM p"));
        assert_eq!(rows[0]["n"], 1, "{location}");
    }
}

/// A quoted name without a slash may be that of a folder or a file.
#[test]
fn a_folder_or_file_in_quotes_needs_no_slash() {
    let scratch = Scratch::new();
    scratch.write("hive/day=1/part.jsonl", JSON);
    scratch.write("part-00000", JSON);
    for from in ["'hive'", "'hive/'", "'part-00000'", "'hive' AS h"] {
        let rows = scratch.rows(&format!("SELECT count(*) AS n FROM {from}"));
        assert_eq!(rows[0]["n"], 2, "{from}");
    }
    let rows = scratch.rows("SELECT hive.id FROM 'hive' WHERE hive.text = 'a b c'");
    assert_eq!(Value::from(rows), json!([{"id": 1}]));
    let rows = scratch.rows("SELECT count(*) AS n FROM near_duplicates('hive')");
    assert_eq!(rows[0]["n"], 2);
    // A table or a CTE of that name wins, and a folder of that name does not hide it.
    let table = "CREATE TABLE hive AS SELECT 7 AS n; SELECT n FROM 'hive'";
    assert_eq!(scratch.rows(table)[0]["n"], 7);
    let cte = "WITH hive AS (SELECT 8 AS n) SELECT n FROM 'hive'";
    assert_eq!(scratch.rows(cte)[0]["n"], 8);
    scratch.fail(&["sql", "-c", "SELECT * FROM hive"], &["hive", "not found"]);
    scratch.fail(
        &["sql", "-c", "SELECT * FROM 'none'"],
        &["none", "not found"],
    );
}

/// Standard input and other pipes are read as files are.
#[test]
fn standard_input_and_pipes_are_files() {
    let scratch = Scratch::new();
    let copy = format!(
        "COPY (SELECT * FROM '{}') TO 'rows.parquet'",
        scratch.write("rows.jsonl", JSON)
    );
    scratch.succeed(&["sql", "-c", &copy]);
    let piped = |arguments: &[&str], bytes: &[u8]| {
        let mut command = scratch.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut stdin = child.stdin.take().expect("standard input");
        stdin.write_all(bytes).expect("written");
        drop(stdin);
        answer(child.wait_with_output().expect("an end"))
    };
    for name in ["rows.jsonl", "rows.parquet"] {
        let bytes = scratch.read(name);
        let sql = "SELECT a.id FROM '/dev/stdin' AS a JOIN '-' AS b ON a.id = b.id ORDER BY 1";
        let query = piped(&["sql", "--format", "csv", "-c", sql], &bytes);
        assert_eq!(query.out, "id\n1\n2\n", "{name}: {}", query.err);
        let job = piped(
            &[
                "dedup",
                "-",
                "-o",
                "out",
                "--overwrite",
                "--threshold",
                "0.1",
            ],
            &bytes,
        );
        assert_eq!(job.code, Some(0), "{name}: {}", job.err);
        // The texts are there after standard input is gone.
        let shown = scratch.succeed(&["show", "out", "--cluster", "1"]).out;
        assert!(shown.contains("a b c"), "{shown}");
    }
    let dump = piped(
        &["ingest", "-", "-o", "wiki", "--json"],
        b"<mediawiki></mediawiki>",
    );
    assert_eq!(dump.code, Some(0), "{}", dump.err);
    let other = piped(&["dedup", "-", "-o", "none"], b"id,text\n1,a\n");
    let said = "standard input: unknown kind of file";
    assert!(other.err.contains(said), "{}", other.err);

    let empty = piped(&["dedup", "-", "-o", "none"], b"");
    let said = "standard input: it is empty";
    assert!(empty.err.contains(said), "{}", empty.err);

    // A file counts by its name, and a pipe of another number is read as well.
    scratch.write("rows.csv", "id,text\n1,a b c\n");
    let file = std::fs::File::open(scratch.path("rows.csv")).expect("a file");
    let mut command = scratch.command(&["sql", "--json", "-c", "SELECT id FROM '/dev/stdin'"]);
    let output = command.stdin(file).output().expect("the binary runs");
    assert_eq!(answer(output).out, "{\"id\":1}\n");
    let made = std::process::Command::new("mkfifo")
        .arg(scratch.path("pipe"))
        .status();
    assert!(made.expect("mkfifo").success());
    let child = scratch.begin(&["sql", "--json", "-c", "SELECT count(*) AS n FROM './pipe'"]);
    std::fs::write(scratch.path("pipe"), JSON).expect("written");
    assert_eq!(
        answer(child.wait_with_output().expect("an end")).out,
        "{\"n\":2}\n"
    );

    let left = std::fs::read_dir(scratch.path("")).expect("the directory");
    let names = left.map(|entry| entry.expect("an entry").file_name());
    let copies = names.filter(|name| name.to_string_lossy().starts_with("standard-input-"));
    assert_eq!(copies.count(), 0, "copies are removed");
}

/// Directories `key=value` give columns.
#[test]
fn directories_of_keys_and_values_are_columns() {
    let scratch = Scratch::new();
    // The directory above the one that is named is no column.
    for (file, id) in [
        ("x=1/hive/year=2019/lang=de/a.csv", 1),
        ("x=1/hive/year=2020/lang=pt%20br/b.csv", 2),
        (
            "x=1/hive/year=2020/lang=__HIVE_DEFAULT_PARTITION__/c.csv",
            3,
        ),
        ("x=1/hive/d.csv", 4),
        ("x=1/hive/year=2021.csv", 5),
    ] {
        scratch.write(file, format!("id,text\n{id},one two three four\n"));
    }
    let said = scratch.succeed(&[
        "sql",
        "--format",
        "csv",
        "-c",
        "SELECT * FROM 'x=1/hive' ORDER BY id",
    ]);
    let expected = "id,text,year,lang\n\
        1,one two three four,2019,de\n\
        2,one two three four,2020,pt br\n\
        3,one two three four,2020,\n\
        4,one two three four,,\n\
        5,one two three four,,\n";
    assert_eq!(said.out, expected);
    let sum = "SELECT sum(year) FROM 'x=1/hive/year=*/lang=*/*.csv'";
    let said = scratch.succeed(&["sql", "--format", "csv", "-c", sum]);
    assert!(said.out.contains("6059"), "{}", said.out);
    // In place of a wildcard only.
    let names = "SELECT lang FROM 'x=1/hive/year=2019/*/*.csv'";
    scratch.succeed(&["sql", "-c", names]);
    scratch.fail(
        &["sql", "-c", "SELECT year FROM 'x=1/hive/year=2019/*/*.csv'"],
        &["year"],
    );
    // A directory that was named has no value, also if another name gives values to the key.
    scratch.write("m/k=1/a.csv", "id,text\n1,a b c\n");
    scratch.write("m/k=abc/j=1/b.csv", "id,text\n2,d e f\n");
    scratch.succeed(&["dedup", "m/*/a.csv", "m/k=abc/j=1", "-o", "several"]);
    let rows = scratch.job_rows("several", "SELECT k FROM kept ORDER BY id");
    assert_eq!(&rows[0]["k"], 1);
    assert!(rows[1]["k"].is_null(), "{rows:?}");
    // Columns of a job, and of Parquet with its row numbers.
    let kept = "SELECT id FROM kept ORDER BY id";
    scratch.succeed(&["dedup", "x=1/hive", "--within", "year", "-o", "out"]);
    assert_eq!(scratch.job_rows("out", kept).len(), 4);
    for (part, id) in [("year=2019", 1), ("year=2020", 2)] {
        let copy = format!(
            "COPY (SELECT 'one two three' AS text, {id} AS n) TO 'parquet/{part}/a.parquet'"
        );
        scratch.succeed(&["sql", "-c", &copy]);
    }
    scratch.succeed(&["dedup", "parquet", "--keep-by", "year desc", "-o", "newest"]);
    let rows = scratch.job_rows("newest", "SELECT n, year FROM kept");
    assert_eq!(
        (rows.len(), &rows[0]["n"], &rows[0]["year"]),
        (1, &2.into(), &2020.into())
    );
}

/// A link gives the key and the value of its own name, not those of its target.
#[test]
fn links_to_directories_count_by_their_own_names() {
    let scratch = Scratch::new();
    for (file, id) in [
        ("real/2019/a.csv", 1),
        ("real/lang=de/b.csv", 2),
        ("dir/year=2020/c.csv", 3),
        ("blobs/0123", 4),
    ] {
        scratch.write(file, format!("id,text\n{id},{id} two three four\n"));
    }
    let link = |target: &str, link: &str| {
        std::os::unix::fs::symlink(target, scratch.path(link)).expect("a link");
    };
    link("../real/2019", "dir/year=2019");
    link("../real/lang=de", "dir/plain");
    link("../../blobs/0123", "dir/year=2020/d.csv");
    let csv = |from: &str| {
        let sql = format!("SELECT * FROM {from} ORDER BY id");
        scratch.succeed(&["sql", "--format", "csv", "-c", &sql]).out
    };
    let rows = |rows: &[(u32, &str)]| -> String {
        let row = |(id, more): &(u32, &str)| format!("{id},{id} two three four{more}\n");
        rows.iter().map(row).collect()
    };
    let years = rows(&[(1, ",2019"), (2, ","), (3, ",2020"), (4, ",2020")]);
    let root = scratch.path("dir");
    let absolute = format!("{}/*/*.csv", root.display());
    for name in [
        "dir/*/*.csv",
        "./dir/*/*.csv",
        "*/../dir/*/*.csv",
        &absolute,
    ] {
        let found = csv(&format!("'{name}'"));
        assert_eq!(found, format!("id,text,year\n{years}"), "{name}");
    }
    // A link is found by its own name only, although its target is below the working directory here.
    for (name, row) in [
        ("*/plain/*.csv", (2, "")),
        ("dir/plain", (2, "")),
        ("dir/year=2019", (1, "")),
    ] {
        let found = csv(&format!("'{name}'"));
        assert_eq!(found, format!("id,text\n{}", rows(&[row])), "{name}");
    }
    // A file that is found in two ways has the values of both.
    scratch.succeed(&["dedup", "real/*/*.csv", "dir/*/*.csv", "-o", "out"]);
    let kept = scratch.job_rows("out", "SELECT id, year, lang FROM kept ORDER BY id");
    let of_row = |row: &Map<String, Value>| {
        let [id, year] = ["id", "year"].map(|name| row.get(name)?.as_i64());
        (
            id,
            year,
            row.get("lang").is_some_and(|lang| !lang.is_null()),
        )
    };
    assert_eq!(
        kept.iter().map(of_row).collect::<Vec<_>>(),
        [
            (Some(1), Some(2019), false),
            (Some(2), None, true),
            (Some(3), Some(2020), false),
            (Some(4), Some(2020), false)
        ]
    );
}

/// The value of a directory is that of the rows of each file in it without a column of this name.
#[test]
fn files_without_a_column_have_the_value_of_their_directory() {
    let scratch = Scratch::new();
    let csv = |sql: &str| scratch.succeed(&["sql", "--format", "csv", "-c", sql]).out;
    for (file, columns) in [
        (
            "mix/year=2019/a.parquet",
            "1 AS id, 'one two three' AS text, CAST(2018 AS INT) AS year",
        ),
        (
            "mix/year=2020/b.parquet",
            "2 AS id, 'four five six' AS text",
        ),
        (
            "mix/year=2021/c.parquet",
            "3 AS id, 'seven eight nine' AS text, CAST(NULL AS INT) AS year",
        ),
        ("mix/d.parquet", "4 AS id, 'ten eleven twelve' AS text"),
        (
            "dates/day=2020-02-01/a.parquet",
            "1 AS id, DATE '2020-01-31' AS day",
        ),
        ("dates/day=2020-02-02/b.parquet", "2 AS id"),
        (
            "wrong/day=monday/a.parquet",
            "1 AS id, DATE '2020-01-31' AS day",
        ),
        ("wrong/day=tuesday/b.parquet", "2 AS id"),
    ] {
        csv(&format!("COPY (SELECT {columns}) TO '{file}'"));
    }
    assert_eq!(
        csv("SELECT id, year FROM 'mix' ORDER BY id"),
        "id,year\n1,2018\n2,2020\n3,\n4,\n"
    );
    assert_eq!(csv("SELECT id FROM 'mix' WHERE year = 2020"), "id\n2\n");
    assert_eq!(
        csv("SELECT id, day, arrow_typeof(day) AS t FROM 'dates' ORDER BY id"),
        "id,day,t\n1,2020-01-31,Date32\n2,2020-02-02,Date32\n"
    );
    // With ids from the numbers of rows.
    scratch.succeed(&["dedup", "mix", "--id", "row", "-o", "out"]);
    let rows = scratch.job_rows("out", "SELECT year FROM kept ORDER BY id");
    let year = rows.iter().map(|row| row.get("year"));
    let years: Vec<Option<i64>> = year.map(|year| year?.as_i64()).collect();
    assert_eq!(years, [Some(2018), Some(2020), None, None]);
    // A value that the column cannot hold.
    scratch.fail(
        &["sql", "-c", "SELECT * FROM 'wrong'"],
        &[
            "wrong/day=tuesday/b.parquet: its directory gives the column day the value 'tuesday'",
            "wrong/day=monday/a.parquet it holds Date32",
        ],
    );

    // A key of some objects of a file is a column of that file.
    scratch.write(
        "json/year=2019/a.jsonl",
        "{\"id\":1,\"year\":2018}\n{\"id\":2}\n",
    );
    scratch.write("json/year=2020/b.jsonl", "{\"id\":3}\n");
    scratch.write("texts/year=2019/a.jsonl", "{\"id\":1,\"year\":\"x\"}\n");
    scratch.write("texts/year=2020/b.jsonl", "{\"id\":2}\n");
    assert_eq!(
        csv("SELECT id, year FROM 'json' ORDER BY id"),
        "id,year\n1,2018\n2,\n3,2020\n"
    );
    assert_eq!(
        csv("SELECT id, year FROM 'texts' ORDER BY id"),
        "id,year\n1,x\n2,2020\n"
    );
    // Files of separated values all have the same columns.
    scratch.write("csv/year=2019/a.csv", "id,year\n1,2018\n");
    scratch.write("csv/year=2020/b.csv", "id,year\n2,\n");
    assert_eq!(
        csv("SELECT id, year FROM 'csv' ORDER BY id"),
        "id,year\n1,2018\n2,\n"
    );
}

/// A file that several directories lead to is read once for each value.
#[test]
fn a_file_in_directories_of_several_values_is_read_for_each() {
    let scratch = Scratch::new();
    let link = |target: &str, link: &str| {
        let link = scratch.path(link);
        std::fs::create_dir_all(link.parent().expect("a parent")).expect("directories");
        std::os::unix::fs::symlink(target, link).expect("a link");
    };
    let text = "id,text\n7,one two three\n";
    for file in [
        "two/k=1/x.csv",
        "blobs/0123",
        "whole/k=1/x.csv",
        "same/x.csv",
    ] {
        scratch.write(file, text);
    }
    link("../k=1/x.csv", "two/k=2/x.csv");
    // As checksum stores do.
    for name in ["k=a/x.csv", "k=a/y.csv", "k=b/x.csv"] {
        link("../../blobs/0123", &format!("sums/{name}"));
    }
    link("k=1", "whole/k=2");
    link("x.csv", "same/y.csv");
    link("../whole/k=1/x.csv", "same/z.csv");
    let csv = |name: &str| {
        let sql = format!("SELECT * FROM '{name}' ORDER BY k");
        scratch.succeed(&["sql", "--format", "csv", "-c", &sql]).out
    };
    let rows = |values: [&str; 2]| {
        let row = |value: &str| format!("7,one two three,{value}\n");
        format!("id,text,k\n{}", values.map(row).concat())
    };
    for (name, values) in [
        ("two", ["1", "2"]),
        ("two/*/*.csv", ["1", "2"]),
        ("sums", ["a", "b"]),
        ("whole/*/*.csv", ["1", "2"]),
        ("*/../whole/k=*/x.csv", ["1", "2"]),
    ] {
        assert_eq!(csv(name), rows(values), "{name}");
    }
    let count = |inputs: &[&str]| {
        let job = ["--id", "row", "-o", "out", "--overwrite"];
        scratch.job(&[&["dedup"], inputs, &job].concat())["rows_read"].clone()
    };
    for (inputs, rows) in [
        (&["two"][..], 2),
        (&["two", "two/k=2"], 2),
        (&["two/k=1/x.csv", "two/k=2/x.csv"], 1),
        (&["same/x.csv", "same"], 2),
        (&["same/*.csv", "whole/*/*.csv"], 3),
    ] {
        assert_eq!(count(inputs), rows, "{inputs:?}");
    }
    // Pages have no such columns.
    let dump = "<mediawiki><page><title>A</title><id>1</id><revision><id>1</id><text>a</text></revision></page></mediawiki>";
    scratch.write("wiki/k=1/a.xml", dump);
    link("../k=1/a.xml", "wiki/k=2/a.xml");
    let ingest = ["ingest", "wiki", "-o", "pages"];
    assert_eq!(scratch.job(&ingest)["pages"], 1);
}

/// Values and keys of directories are read back as they were written, or writing them is an error.
#[test]
fn directories_of_keys_and_values_keep_them() {
    let scratch = Scratch::new();
    let csv = |sql: &str| scratch.succeed(&["sql", "--format", "csv", "-c", sql]).out;
    for text in ["", "__HIVE_DEFAULT_PARTITION__"] {
        for kind in ["Utf8", "LargeUtf8", "Utf8View", "Dictionary(Int32, Utf8)"] {
            for format in ["CSV", "PARQUET"] {
                let copy = format!(
                    "COPY (SELECT id, arrow_cast(k, '{kind}') AS k FROM (VALUES (1, 'a'), (2, '{text}')) AS t(id, k)) TO 'no/' STORED AS {format} PARTITIONED BY (k)"
                );
                let said = format!(
                    "PARTITIONED BY k: the column contains '{text}', whose directory is read as NULL"
                );
                scratch.fail(&["sql", "-c", &copy], &[&said]);
                let files = std::fs::read_dir(scratch.path("no"));
                assert_eq!(files.map_or(0, Iterator::count), 0, "{kind} {format}");
            }
        }
    }
    csv(
        "COPY (SELECT 1 AS id, 'a/b %é=' AS größe) TO 'out/' STORED AS PARQUET PARTITIONED BY (größe)",
    );
    assert_eq!(csv("SELECT * FROM 'out'"), "id,größe\n1,a/b %é=\n");
    // One key, written in two ways.
    scratch.write("keys/my%20key=2/a.csv", "id\n1\n");
    scratch.write("keys/my key=3/b.csv", "id\n2\n");
    scratch.write("keys/c.csv", "id\n3\n");
    assert_eq!(
        csv("SELECT * FROM 'keys' ORDER BY id"),
        "id,my key\n1,2\n2,3\n3,\n"
    );
    // Names that neardup has for the positions of rows.
    scratch.write("own/neardup_file_name=q/a.csv", "id,text\n1,a b c\n");
    scratch.write("own/neardup_file_name=r/a.csv", "id,text\n2,d e f\n");
    let rows = "id,text,neardup_file_name\n1,a b c,q\n2,d e f,r\n";
    assert_eq!(csv("SELECT * FROM 'own' ORDER BY id"), rows);
    scratch.succeed(&["dedup", "own", "--id", "row", "-o", "job"]);
    let kept = scratch.job_rows("job", "SELECT neardup_file_name FROM kept ORDER BY id");
    assert_eq!(
        Value::from(kept),
        json!([{"neardup_file_name": "q"}, {"neardup_file_name": "r"}])
    );
}
