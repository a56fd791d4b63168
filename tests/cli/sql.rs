//! `neardup sql`: statements from all sources, rows in all formats, and helpful errors.

use crate::scratch::{Scratch, answer};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

#[test]
fn statements_come_from_arguments_files_and_standard_input() {
    let scratch = Scratch::new();
    scratch.write("script.sql", "-- first\nSELECT 1 AS a;\nSELECT 2 AS b;\n");
    let csv = ["sql", "--format", "csv"];
    let with = |more: &[&'static str]| scratch.succeed(&[&csv[..], more].concat()).out;
    assert_eq!(with(&["-c", "SELECT 1 AS a"]), "a\n1\n");
    assert_eq!(
        with(&["-c", "SELECT 1 AS a; SELECT 2 AS b;"]),
        "a\n1\nb\n2\n"
    );
    assert_eq!(
        with(&["-c", "SELECT 1 AS a", "-c", "SELECT 2 AS b"]),
        "a\n1\nb\n2\n"
    );
    assert_eq!(with(&["-f", "script.sql"]), "a\n1\nb\n2\n");
    assert_eq!(
        with(&["-f", "script.sql", "-c", "SELECT 3 AS c"]),
        "a\n1\nb\n2\nc\n3\n"
    );
    assert_eq!(with(&["-c", ""]), "");
    assert_eq!(
        with(&[
            "-c",
            "CREATE TABLE t AS SELECT 5 AS x; SELECT x + 1 AS y FROM t"
        ]),
        "y\n6\n"
    );
    // - is standard input, also between files.
    let mut child = scratch
        .command(&["sql", "--format", "csv", "-f", "-", "-f", "script.sql"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("standard input");
    stdin.write_all(b"SELECT 0 AS z").expect("written");
    drop(stdin);
    let out = answer(child.wait_with_output().expect("an end")).out;
    assert_eq!(out, "z\n0\na\n1\nb\n2\n");
    let mut child = scratch
        .command(&csv)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("standard input");
    stdin
        .write_all(b"SELECT 'p' AS q;\nSELECT 'r' AS s")
        .expect("written");
    drop(stdin);
    let answer = answer(child.wait_with_output().expect("a child"));
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(0), "q\np\ns\nr\n"),
        "{}",
        answer.err
    );
}

/// A byte order mark at the beginning of a script is skipped.
#[test]
fn a_script_may_begin_with_a_byte_order_mark() {
    let scratch = Scratch::new();
    let csv = ["sql", "--format", "csv"];
    let piped = |arguments: &[&str], bytes: &[u8]| {
        let mut command = scratch.command(arguments);
        let child = command.stdin(Stdio::piped()).spawn();
        let mut child = child.expect("the binary runs");
        let mut stdin = child.stdin.take().expect("standard input");
        stdin.write_all(bytes).expect("written");
        drop(stdin);
        answer(child.wait_with_output().expect("an end"))
    };
    let marked = "\u{FEFF}SELECT 'é' AS a";
    scratch.write("a.sql", marked);
    let file = [&csv[..], &["-f", "a.sql"]].concat();
    assert_eq!(scratch.succeed(&file).out, "a\né\n");
    let dash = [&csv[..], &["-f", "-"]].concat();
    for arguments in [&csv[..], dash.as_slice()] {
        assert_eq!(piped(arguments, marked.as_bytes()).out, "a\né\n");
    }
    // Other encodings are named.
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    };
    let latin = b"SELECT 1;\nSELECT 'caf\xe9'".to_vec();
    for (bytes, said) in [
        (wide(marked, u16::to_le_bytes), "iconv -f utf-16le -t utf-8"),
        (wide(marked, u16::to_be_bytes), "iconv -f utf-16be -t utf-8"),
        (wide("SELECT 1", u16::to_le_bytes), "in UTF-16"),
        (wide("SELECT 1", u16::to_be_bytes), "in UTF-16"),
        (latin, "line 2: the script is not UTF-8"),
    ] {
        scratch.write("b.sql", &bytes);
        scratch.fail(&["sql", "-f", "b.sql"], &["b.sql: ", said]);
        let error = piped(&csv, &bytes).err;
        assert!(error.contains("standard input: "), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn rows_in_every_format() {
    let scratch = Scratch::new();
    let sql = "SELECT 1 AS n, NULL AS nothing, 'a, \"b\"' AS t, [1, 2] AS l, 0.5 AS f, true AS y";
    let json = scratch.succeed(&["sql", "--format", "json", "-c", sql]).out;
    let row: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        row,
        serde_json::json!({"n": 1, "nothing": null, "t": "a, \"b\"", "l": [1, 2], "f": 0.5, "y": true})
    );
    let sql =
        "SELECT 1 AS n, NULL AS nothing, 'a, \"b\"' AS t UNION ALL SELECT 2, NULL, 'ü' ORDER BY n";
    let csv = scratch.succeed(&["sql", "--format", "csv", "-c", sql]).out;
    assert_eq!(csv, "n,nothing,t\n1,,\"a, \"\"b\"\"\"\n2,,ü\n");
    let table = scratch.succeed(&["sql", "-c", sql]).out;
    assert!(
        table.contains("| n | nothing | t      |") && table.ends_with("2 rows\n"),
        "{table}"
    );

    let none = "SELECT 1 AS n WHERE false";
    assert_eq!(
        scratch.succeed(&["sql", "--format", "csv", "-c", none]).out,
        "n\n"
    );
    assert_eq!(
        scratch
            .succeed(&["sql", "--format", "json", "-c", none])
            .out,
        ""
    );
    assert!(
        scratch
            .succeed(&["sql", "-c", none])
            .out
            .ends_with("0 rows\n")
    );
    assert!(
        scratch
            .succeed(&["sql", "-c", "SELECT 1"])
            .out
            .ends_with("1 row\n")
    );
}

#[test]
fn tables_of_a_job() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    let sql = "SELECT (SELECT count(*) FROM pairs) > 0 AND (SELECT count(*) FROM clusters) > 0 \
         AND (SELECT count(*) FROM kept) > 0 AND (SELECT count(*) FROM sentences) > 0 \
         AND (SELECT count(*) FROM plain_text) > 0 AS there";
    assert_eq!(scratch.job_rows("neardup-out", sql)[0]["there"], true);
    scratch.fail(
        &["sql", "--dir", "none", "-c", "SELECT 1"],
        &["none", "there is no job here"],
    );
    std::fs::remove_file(scratch.path("neardup-out/kept.parquet")).expect("a removed file");
    let with = |sql| ["sql", "--dir", "neardup-out", "-c", sql];
    let missing = [
        "kept.parquet is missing",
        "run the command of the job again",
    ];
    for sql in ["SELECT count(*) FROM kept", "DESCRIBE kept", "SHOW TABLES"] {
        scratch.fail(&with(sql), &missing);
    }
    scratch.succeed(&with("SELECT count(*) FROM pairs"));
}

#[test]
fn errors_name_what_is_wrong() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,body\n1,x\n");
    scratch.write("bad.sql", "SELECT 1;\nSELEC 2");
    for (sql, said) in [
        ("SELECT nope FROM 'rows.csv'", &["nope", "id", "body"][..]),
        (
            "SELECT * FROM jaccard_join('rows.csv')",
            &["jaccard_join", "text", "id, body"],
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', text => nope)",
            &["jaccard_join", "'nope'", "id, body"],
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', text => body, treshold => 0.5)",
            &["jaccard_join", "treshold", "threshold"],
        ),
        (
            "SELECT * FROM minhash_join('rows.csv', text => body, threshold => 2)",
            &["threshold", "(0, 1]", "2"],
        ),
        (
            "SELECT * FROM minhash_join('rows.csv', text => body, threshold => 'high')",
            &["threshold", "high"],
        ),
        (
            "SELECT * FROM 'none.parquet'",
            &["none.parquet: no such file or directory"],
        ),
        (
            "SELECT * FROM jaccard_join('none.parquet')",
            &["none.parquet: no such file or directory"],
        ),
        (
            "SELECT * FROM 'none/*.csv'",
            &["none/*.csv: no file matches"],
        ),
        ("SELECT * FROM nothing", &["nothing", "not found"]),
        ("SELECT * FROM wiki_pages('none.xml')", &["none.xml"]),
        ("SELECT minhas('x')", &["minhas"]),
        ("SELECT minhash()", &["minhash"]),
        ("SELECT shingles('a', 'chars:5')", &["chars:5", "char:"]),
        ("SELEC 1", &["selec", "line: 1"]),
        ("SELECT 1; SELEC 2", &["selec", "column: 11"]),
        ("SELECT (1", &[")"]),
        ("SELECT 1/0", &["divide by zero"]),
    ] {
        let answer = scratch.fail(&["sql", "-c", sql], said);
        assert_eq!(answer.code, Some(1), "{sql}");
        assert_eq!(answer.out, "", "{sql}");
    }
    scratch.fail(&["sql", "-f", "bad.sql"], &["selec", "line: 2"]);
    scratch.fail(&["sql", "-f", "none.sql"], &["none.sql: no such file"]);
    assert_eq!(
        scratch
            .fail(&["sql", "--format", "xml"], &["xml", "table, csv, json"])
            .code,
        Some(2)
    );
    assert_eq!(scratch.fail(&["sequel"], &["sequel"]).code, Some(2));
    assert_eq!(
        scratch
            .fail(&["sql", "--threads", "0"], &["--threads"])
            .code,
        Some(2)
    );
    assert_eq!(
        scratch
            .fail(&["sql", "--memory-limit", "lots"], &["lots", "512M"])
            .code,
        Some(2)
    );
    // The statements before the error were answered.
    let answer = scratch.fail(
        &[
            "sql",
            "--format",
            "csv",
            "-c",
            "SELECT 1 AS a; SELECT * FROM nothing",
        ],
        &["nothing"],
    );
    assert_eq!(answer.out, "a\n1\n");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let scratch = Scratch::new();
    scratch.generate("20000", "rows.parquet");
    scratch.succeed(&["dedup", "--quiet"]);
    let all = "SELECT * FROM 'rows.parquet'";
    for arguments in [
        &["sql", "-c", all][..],
        &["sql", "--format", "csv", "-c", all],
        &["sql", "--format", "json", "-c", all],
        &["sql", "--format", "csv", "-c", all, "-c", all],
        &["show", "--clusters", "100000"],
    ] {
        let mut child = scratch.begin(arguments);
        let mut line = String::new();
        let mut out = BufReader::with_capacity(16, child.stdout.take().expect("standard output"));
        out.read_line(&mut line).expect("a line");
        drop(out);
        let mut said = String::new();
        child
            .stderr
            .take()
            .expect("standard error")
            .read_to_string(&mut said)
            .expect("text");
        let status = child.wait().expect("a child");
        assert!(status.success(), "{arguments:?}: {status}: {said}");
        assert_eq!(said, "", "{arguments:?}");
        assert!(!line.is_empty());
    }
}

#[test]
fn help_teaches() {
    let scratch = Scratch::new();
    let help = scratch.succeed(&["--help"]).out;
    for command in [
        "dedup",
        "ingest",
        "show",
        "sql",
        "generate",
        "--threads",
        "--memory-limit",
    ] {
        assert!(help.contains(command), "{command}: {help}");
        if !command.starts_with('-') {
            let own = scratch.succeed(&[command, "--help"]).out;
            assert!(own.contains("Usage: neardup"), "{own}");
        }
    }
    let bare = scratch.run(&[]);
    assert_eq!(bare.code, Some(2));
    assert!(bare.err.contains("neardup dedup"), "{}", bare.err);
    assert_eq!(
        scratch.succeed(&["--version"]).out,
        format!("neardup {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_job_that_nobody_listens_to_ends_well() {
    let scratch = Scratch::new();
    // Neither its summary nor its progress is read to the end.
    for (arguments, closed) in [
        (&["dedup", "-o", "a"][..], "out"),
        (&["dedup", "-o", "b"], "err"),
        (&["dedup", "-o", "c", "--json"], "out"),
        (&["generate", "--rows", "10", "-o", "rows.parquet"], "err"),
    ] {
        let mut child = scratch.begin(arguments);
        match closed {
            "out" => drop(child.stdout.take()),
            _ => drop(child.stderr.take()),
        }
        let answer = answer(child.wait_with_output().expect("a child"));
        assert_eq!(answer.code, Some(0), "{arguments:?}: {}", answer.err);
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
    }
    for directory in ["a", "b", "c"] {
        assert_eq!(scratch.manifest(directory)["finished"], true, "{directory}");
    }
}

/// A name without a slash is that of a file: written into a directory, the rows of each run would be added.
#[test]
fn a_copy_to_a_file_writes_into_no_directory() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("rows.parquet")).expect("a directory");
    let copy = ["sql", "-c", "COPY (SELECT 1 AS id) TO 'rows.parquet'"];
    scratch.fail(
        &copy,
        &["'rows.parquet'", "is a directory", "'rows.parquet/'"],
    );
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 1 AS id) TO 'rows.parquet/' STORED AS PARQUET",
    ]);
    assert_eq!(scratch.rows("SELECT id FROM 'rows.parquet/'")[0]["id"], 1);
}

/// A COPY to a place where no file can be made is an error, and is not retried for ever.
#[test]
fn a_copy_to_a_place_without_files_ends() {
    let scratch = Scratch::new();
    for to in [
        "'/proc/x'",
        "'/proc/x/' STORED AS CSV",
        "'/proc/x.parquet'",
        "'/proc/self/x.csv'",
        "'/proc/x.jsonl.gz'",
        "'/sys/x.json'",
    ] {
        let statement = format!("COPY (SELECT 1 AS n) TO {to}");
        scratch.fail(&["sql", "-c", &statement], &["x"]);
    }
    let insert = "CREATE EXTERNAL TABLE t (n INT) STORED AS CSV LOCATION '/proc/x/'; INSERT INTO t VALUES (1)";
    scratch.fail(&["sql", "-c", insert], &["/proc/x"]);
    scratch.write("rows.csv", "id,text\n1,one two three four\n");
    scratch.fail(&["dedup", "rows.csv", "-o", "/proc/x"], &["/proc/x"]);
}

/// What is read under a name is also written under it.
#[test]
fn a_copy_is_in_the_format_of_its_name() {
    let scratch = Scratch::new();
    let values = "(VALUES (1, 'a b, \"c\"'), (2, 'zwei')) AS v(id, text)";
    for name in [
        "rows.jsonl",
        "rows.ndjson",
        "rows.tsv",
        "rows.csv.gz",
        "rows.tsv.bz2",
        "rows.jsonl.zst",
        "rows.JSON.gz",
    ] {
        let copy = format!("COPY (SELECT * FROM {values} ORDER BY id) TO '{name}'");
        scratch.succeed(&["sql", "-c", &copy]);
        let rows = scratch.rows(&format!("SELECT * FROM '{name}' ORDER BY id"));
        assert_eq!(rows.len(), 2, "{name}: {rows:?}");
        assert_eq!(rows[0]["text"], "a b, \"c\"", "{name}");
        let bytes = std::fs::read(scratch.path(name)).expect("a file");
        let magic: &[u8] = match name.rsplit_once('.') {
            Some((_, "gz")) => b"\x1f\x8b",
            Some((_, "bz2")) => b"BZh",
            Some((_, "zst")) => b"\x28\xb5\x2f\xfd",
            Some((_, "tsv")) => b"id\ttext",
            _ => b"{\"id\"",
        };
        assert!(bytes.starts_with(magic), "{name}");
    }
    for (target, words) in [
        ("'rows.gz'", "rows.jsonl.gz"),
        ("'rows.parquet.gz'", "rows.jsonl.gz"),
        ("'a.csv' STORED AS TSV", "the name is that of a csv file"),
        ("'a.tsv.gz' STORED AS CSV", "the name is that of a tsv file"),
        (
            "'a.csv.gz' OPTIONS ('format.compression' 'zstd')",
            "zstd contradicts the name",
        ),
        ("'a/' STORED AS TSV", "'rows.tsv'"),
        ("'a*.csv'", "a pattern of names"),
    ] {
        let copy = format!("COPY (SELECT 1 AS id) TO {target}");
        scratch.fail(&["sql", "-c", &copy], &[words]);
    }
}

/// The sort of a relation is kept together with its limit.
#[test]
fn a_prepared_call_keeps_the_limit_of_its_relation() {
    let scratch = Scratch::new();
    let made = "SELECT value AS id, 'one two ' || (value / 2) AS text FROM generate_series(1, 100)";
    let sql = format!(
        "PREPARE p AS SELECT count(*) AS n FROM near_duplicates((SELECT * FROM ({made}) ORDER BY id LIMIT 10), threshold => $1);
         EXECUTE p(0.5)"
    );
    assert_eq!(scratch.rows(&sql)[0]["n"], 10);
}

/// A COPY that fails must not replace the old file by a valid one with a part of the rows.
#[test]
fn a_copy_that_fails_leaves_the_old_file() {
    let scratch = Scratch::new();
    scratch.generate("30000", "made.parquet");
    for extension in ["csv", "json", "parquet"] {
        for threads in ["1", "2"] {
            let file = format!("rows.{extension}");
            let copy = |bad: &str, file: &str| {
                format!(
                    "COPY (SELECT id, text, CAST(CASE WHEN id % 30000 = {bad} THEN 'abc' ELSE '1' END AS BIGINT) AS n \
                     FROM 'made.parquet') TO '{file}'"
                )
            };
            scratch.succeed(&["sql", "-c", &copy("-1", &file), "--threads", threads]);
            let before = scratch.read(&file);
            for bad in ["29000", "5"] {
                let wrong = copy(bad, &file);
                let command = ["sql", "-c", &wrong, "--threads", threads];
                scratch.fail(&command, &["'abc' is not an integer; TRY_CAST"]);
                assert_eq!(scratch.read(&file), before, "{file}, {threads} threads");
            }
            // A file that was not there is not there.
            let wrong = copy("29000", &format!("new.{extension}"));
            scratch.fail(&["sql", "-c", &wrong, "--threads", threads], &["abc"]);
            assert!(!scratch.has(&format!("new.{extension}")));
            // A folder has no file.
            let wrong = copy("29000", "folder/") + " STORED AS PARQUET";
            scratch.fail(&["sql", "-c", &wrong, "--threads", threads], &["abc"]);
            let files = std::fs::read_dir(scratch.path("folder"));
            assert_eq!(files.map_or(0, Iterator::count), 0, "files in the folder");
        }
    }
    // It is the writer that fails.
    let before = scratch.read("rows.csv");
    let copy = "COPY (SELECT id, [id] AS list FROM 'made.parquet') TO 'rows.csv'";
    scratch.fail(
        &["sql", "-c", copy],
        &[
            "the column list is a list, which CSV does not hold",
            "array_to_string(list, ';')",
        ],
    );
    assert_eq!(scratch.read("rows.csv"), before);
    // More than waits in memory, in several files.
    let many = "COPY (SELECT a.text AS text, b.id % 3 AS part FROM 'made.parquet' a JOIN 'made.parquet' b ON b.id < 9) \
                TO 'many/' STORED AS JSON PARTITIONED BY (part)";
    scratch.succeed(&["sql", "-c", many]);
    let rows = scratch.rows("SELECT count(*) AS n FROM 'many/'");
    let expected = "SELECT count(*) * 30000 AS n FROM 'made.parquet' WHERE id < 9";
    assert_eq!(rows, scratch.rows(expected));
    let rows = scratch.rows("SELECT count(*) AS n FROM 'rows.csv'");
    assert_eq!(rows[0]["n"], 30_000);
}

/// RESET works for the options of neardup, too.
#[test]
fn an_option_is_reset() {
    let scratch = Scratch::new();
    let sql = "SET neardup.max_bucket_pairwise = 7; SET neardup.threshold = 0.5;
        RESET neardup.bucket_pairs; SHOW neardup.max_bucket_pairwise; SHOW neardup.bucket_pairs;
        SHOW neardup.threshold";
    let shown = scratch.succeed(&["sql", "--format", "csv", "-c", sql]).out;
    let expected = "name,value\nneardup.max_bucket_pairwise,\nname,value\nneardup.bucket_pairs,\nname,value\nneardup.threshold,0.5\n";
    assert_eq!(shown, expected);
    let unknown = ["sql", "-c", "RESET neardup.nothing"];
    scratch.fail(
        &unknown,
        &["there is no option neardup.nothing", "threshold"],
    );
}

#[test]
fn an_external_table_of_tsv_files_is_that_of_their_names() {
    let scratch = Scratch::new();
    // The column is text beyond the first thousand rows.
    let numbers: String = (0..1500).map(|n| format!("{n}\ta \"b\n")).collect();
    scratch.write("x.tsv", format!("n\tt\n{numbers}last\tz\n"));
    let made = "CREATE EXTERNAL TABLE t STORED AS TSV LOCATION 'x.tsv';";
    let of =
        |from: &str| format!("{made} SELECT arrow_typeof(n) AS y, * FROM {from} ORDER BY n, t");
    let rows = |from: &str| {
        scratch
            .succeed(&["sql", "--format", "csv", "-c", &of(from)])
            .out
    };
    assert_eq!(rows("t"), rows("'x.tsv'"));
    assert!(rows("t").contains(",last,z\n"));
    for (statement, expected) in [
        (
            "t (n INT) STORED AS TSV LOCATION 'x.tsv'",
            "none may be given",
        ),
        ("t STORED AS TSV LOCATION 'x.csv'", "x.csv"),
        (
            "t STORED AS TSV LOCATION 'x.tsv' OPTIONS ('format.delimiter' ';')",
            "'format.delimiter' is given",
        ),
    ] {
        let sql = format!("CREATE EXTERNAL TABLE {statement}");
        scratch.fail(&["sql", "-c", &sql], &[expected]);
    }
    scratch.write("x.csv", "a\n1\n");
    let sql = "CREATE EXTERNAL TABLE t STORED AS TSV LOCATION 'x.csv'";
    scratch.fail(&["sql", "-c", sql], &["x.csv", "is not a .tsv file"]);
}

/// An error about an unknown name offers a similar name, if there is one.
#[test]
fn near_names_are_offered() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,a b c\n2,a b c\n");
    let near = |name: &str| format!("(did you mean '{name}'?)");
    for (sql, said) in [
        (
            "SELECT * FROM jacard_join('rows.csv')",
            near("jaccard_join"),
        ),
        ("SELECT jaccard('a', 'b')", near("jaccard_similarity")),
        (
            "SELECT jaccard_similarty('a', 'b')",
            near("jaccard_similarity"),
        ),
        (
            "SELECT jaccard_join('rows.csv')",
            "called in FROM".to_owned(),
        ),
        ("SELECT earlier_is_kep(1, 2)", near("earlier_is_kept")),
        (
            "SELECT * FROM connected_components(1, 2)",
            "it is a function of values: SELECT connected_components(…)".to_owned(),
        ),
        ("SET neardup.treshold = 1", near("threshold")),
        (
            "SET neardup.threshold = NULL",
            "SET needs a value, found NULL: RESET NAME takes the default".to_owned(),
        ),
        (
            "SET neardup.threshold = 'high'",
            "option neardup.threshold: threshold must be a number in (0, 1], found high".to_owned(),
        ),
        (
            "SET neardup.filter_bytes = -1",
            "option neardup.filter_bytes: filter_bytes must be ".to_owned(),
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', treshold => 1)",
            near("threshold"),
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', text => texts)",
            near("text"),
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', threshold => NULL)",
            "threshold must be a number in (0, 1], found NULL; without the argument it is 0.8"
                .to_owned(),
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', across => NULL)",
            "found NULL; leave the argument out if it has no value".to_owned(),
        ),
        (
            "SELECT * FROM shared_passages('rows.csv', min_words => NULL)",
            "min_words must be a whole number in [1, 1000], found NULL; leave the argument out"
                .to_owned(),
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', text => upper(text))",
            "text takes the name of a column, found upper(text)".to_owned(),
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', threshold => id + 1)",
            "threshold must be a constant, found id + 1".to_owned(),
        ),
    ] {
        scratch.fail(&["sql", "-c", sql], &[&said]);
    }
    for sql in [
        "SELECT zzzqqq(1)",
        "SELECT * FROM zzzqqq(1)",
        "SELECT zzzqqq FROM 'rows.csv'",
    ] {
        let answer = scratch.fail(&["sql", "-c", sql], &["zzzqqq"]);
        assert!(
            !answer.err.to_lowercase().contains("did you mean"),
            "{}",
            answer.err
        );
    }
    scratch.fail(&["dedup", "rows.csv", "--text", "texts"], &[&near("text")]);
}

/// SHOW FUNCTIONS lists the table functions.
#[test]
fn table_functions_are_shown() {
    let scratch = Scratch::new();
    let rows = scratch.rows("SHOW FUNCTIONS LIKE 'jaccard%'");
    let of = |name: &str| rows.iter().find(|row| row["function_name"] == name);
    let join = of("jaccard_join").expect("the table function");
    assert_eq!(join["function_type"], "TABLE");
    let text = |column: &str| join[column].as_str().expect("a text").to_owned();
    assert!(text("syntax_example").starts_with("jaccard_join(input [, input_b] [, id => id]"));
    assert!(text("syntax_example").contains("[, threshold => 0.8]"));
    assert!(text("description").len() > 40);
    let similarity = of("jaccard_similarity").expect("the function of values");
    assert_eq!(
        similarity["parameters"],
        serde_json::json!(["a", "b", "shingle"])
    );
    let rows = scratch.rows("SELECT count(*) AS n FROM information_schema.routines AS r WHERE r.routine_name = 'lsh_plan'");
    assert_eq!(rows[0]["n"], 1);
}

/// In a table, a value that is wider than the layout can count is cut, so that printing takes linear time.
#[test]
fn a_wide_value_is_cut_in_a_table_only() {
    let scratch = Scratch::new();
    let sql = "SELECT repeat('ab ', 2000000) AS wide, 'x' AS narrow";
    let shown = scratch.succeed(&["sql", "-c", sql]).out;
    let row = shown.lines().nth(3).expect("a row");
    assert_eq!(
        row.chars().count(),
        "| ".len() + 60_000 + " | x      |".len()
    );
    assert!(row.ends_with("… | x      |"), "the mark of the cut");
    for format in ["csv", "json"] {
        let out = scratch.succeed(&["sql", "--format", format, "-c", sql]).out;
        assert!(out.contains(&"ab ".repeat(2_000_000)), "{format}");
    }
}

/// A page that is blanked, or made a redirect, no longer has its sentences, and no correction is proposed for it.
#[test]
fn a_history_knows_blank_and_redirect_revisions() {
    let scratch = Scratch::new();
    let text = |year: u32| format!("The Tamar Bridge was opened to trains in {year} by the mayor.");
    let pages = [
        ("Bridge", vec![(1, text(1901)), (9, text(1907))]),
        ("Town", vec![(2, text(1901))]),
        (
            "Redirected",
            vec![(3, text(1901)), (4, "#REDIRECT [[Bridge]]".to_owned())],
        ),
        ("Blanked", vec![(5, text(1901)), (6, String::new())]),
        (
            "Restored",
            vec![
                (7, text(1901)),
                (8, "#REDIRECT [[Bridge]]".to_owned()),
                (10, text(1901)),
            ],
        ),
    ];
    let mut dump = "<mediawiki xml:lang=\"en\"><siteinfo><dbname>w</dbname></siteinfo>".to_owned();
    for (id, (title, revisions)) in pages.iter().enumerate() {
        dump += &format!("<page><title>{title}</title><ns>0</ns><id>{}</id>", id + 1);
        for (revision, text) in revisions {
            dump += &format!(
                "<revision><id>{revision}</id><timestamp>20{revision:02}-01-01T00:00:00Z</timestamp>\
                 <text>{text}</text></revision>"
            );
        }
        dump += "</page>";
    }
    dump += "</mediawiki>";
    scratch.write("history.xml", dump);
    let history = |redirects: bool| {
        format!(
            "WITH pages AS (SELECT title, revision_id, timestamp, wikitext \
             FROM wiki_pages('history.xml', revisions => 'all', redirects => {redirects}) WHERE wikitext IS NOT NULL), \
             history AS (SELECT * FROM sentence_history((SELECT title, revision_id, timestamp, sentence FROM sentences(\
             (SELECT title, revision_id, timestamp, wikitext_to_plain(wikitext, 'en') AS text FROM pages), \
             id => revision_id, carry => [title, timestamp]) \
             UNION ALL SELECT title, revision_id, timestamp, NULL FROM pages), \
             document => title, revision => revision_id, text => sentence))"
        )
    };
    let removed = |redirects: bool| -> Vec<(String, Option<i64>)> {
        let sql = format!(
            "{} SELECT document, removed_revision FROM history ORDER BY first_revision",
            history(redirects)
        );
        let rows = scratch.rows(&sql);
        let row = |row: &serde_json::Map<String, serde_json::Value>| {
            let document = row["document"].as_str().expect("a title").to_owned();
            let removed = row.get("removed_revision");
            (document, removed.and_then(serde_json::Value::as_i64))
        };
        rows.iter().map(row).collect()
    };
    let rows = |redirected: Option<i64>| {
        [
            ("Bridge", Some(9)),
            ("Town", None),
            ("Redirected", redirected),
            ("Blanked", Some(6)),
            ("Restored", None),
            ("Bridge", None),
        ]
        .map(|(document, removed)| (document.to_owned(), removed))
    };
    assert_eq!(removed(true), rows(Some(4)));
    assert_eq!(removed(false), rows(None));
    let stale = scratch.rows(&format!(
        "{} SELECT stale.document FROM history AS newer \
         JOIN history AS stale ON normalize_text(newer.from_text) = normalize_text(stale.text) \
         WHERE newer.origin = 'edit' AND newer.removed_at IS NULL AND stale.removed_at IS NULL \
         AND stale.document <> newer.document ORDER BY stale.document",
        history(true)
    ));
    let stale: Vec<_> = stale.iter().map(|row| &row["document"]).collect();
    assert_eq!(stale, ["Restored", "Town"]);
}
