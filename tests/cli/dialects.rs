//! Files of separated values in the dialects of others, and kept rows in the format that their reader wants.

use crate::scratch::Scratch;

/// A quote at the beginning of a field is a part of its value, and does not join rows.
#[test]
fn tab_separated_values_have_no_quotes() {
    let scratch = Scratch::new();
    let rows = "id\ttext\n1\t\"the first\n2\tthe second\" \"\n3\t\"\"\n";
    scratch.write("rows.tsv", rows);
    let sql = "SELECT * FROM 'rows.tsv' ORDER BY id";
    let found = scratch.rows(sql);
    let texts: Vec<_> = found.iter().map(|row| row["text"].as_str()).collect();
    let wanted = ["\"the first", "the second\" \"", "\"\""];
    assert_eq!(texts, wanted.map(Some));
    scratch.succeed(&["dedup", "rows.tsv", "-o", "out", "--kept", "kept.tsv"]);
    assert_eq!(scratch.read("kept.tsv"), rows.as_bytes());
    // As others write them, with quotes.
    scratch.write("quoted.tsv", "id\ttext\n1\t\"a\tb\n\"\"c\"\"\"\n2\td\n");
    scratch.fail(
        &["sql", "-c", "SELECT * FROM 'quoted.tsv'"],
        &["quoted.tsv", "line 2", "say by which quote"],
    );
    let quoted = [
        "sql",
        "--quote",
        "\"",
        "--json",
        "-c",
        "SELECT text FROM 'quoted.tsv'",
    ];
    let found = scratch.succeed(&quoted).out;
    assert!(found.contains(r#"{"text":"a\tb\n\"c\""}"#), "{found}");
}

#[test]
fn what_tab_separated_values_cannot_hold_is_an_error() {
    let scratch = Scratch::new();
    for (rows, said) in [
        (
            "SELECT 1 AS id, 'a\tb' AS text",
            "column text: a text with a tab",
        ),
        ("SELECT 1 AS id, 'a\nb' AS text", "line break"),
        ("SELECT 1 AS \"a\tb\"", "column name"),
        ("SELECT NULL AS text", "blank line"),
        ("SELECT '' AS text", "blank line"),
    ] {
        let copy = format!("COPY ({rows}) TO 'x.tsv'");
        scratch.fail(&["sql", "-c", &copy], &[said]);
        assert!(!scratch.has("x.tsv"), "{rows}");
    }
    // With quotes there is no such limit.
    let copy = "COPY (SELECT 1 AS id, 'a\tb' AS text) TO 'x.tsv' OPTIONS ('format.quote' '\"')";
    let read = "SET neardup.quote = '\"'; SELECT text FROM 'x.tsv'";
    let sql = format!("{copy}; {read}");
    let shown = scratch
        .succeed(&["sql", "--format", "json", "-c", &sql])
        .out;
    assert!(shown.contains(r#"{"text":"a\tb"}"#), "{shown}");
    let copy = "COPY (SELECT 1 AS id, '\"' AS a, '' AS b, NULL AS c) TO 'y.tsv.gz'";
    scratch.succeed(&["sql", "-c", copy]);
    let rows = scratch.rows("SELECT * FROM 'y.tsv.gz'");
    assert_eq!(rows[0]["a"], "\"");
    assert_eq!(rows[0]["id"], 1);
}

#[test]
fn a_dialect_is_given_by_options() {
    let scratch = Scratch::new();
    // Separated by semicolons in Latin-1, without a header.
    scratch.write(
        "a.csv",
        b"007;caf\xE9 au lait;'x;y'\n008;th\xE9 au lait;\"\n",
    );
    let options = [
        "--delimiter",
        ";",
        "--quote",
        "'",
        "--column-names",
        "code, text, rest",
        "--encoding",
        "latin1",
    ];
    let read = |more: &[&str]| {
        let mut arguments = vec!["sql", "--format", "csv"];
        arguments.extend(options);
        arguments.extend(more);
        scratch.succeed(&arguments).out
    };
    let shown = read(&["-c", "SELECT * FROM 'a.csv' ORDER BY code"]);
    assert_eq!(
        shown,
        "code,text,rest\n007,café au lait,x;y\n008,thé au lait,\"\"\"\"\n"
    );
    let mut job = vec![
        "dedup", "a.csv", "-o", "out", "--id", "code", "--kept", "k.jsonl",
    ];
    job.extend(options);
    let summary = scratch.job(&job);
    assert_eq!(summary["kept"], 2);
    let kept = String::from_utf8(scratch.read("k.jsonl")).expect("UTF-8");
    let first = r#"{"code":"007","text":"café au lait","rest":"x;y"}"#;
    assert_eq!(kept.lines().next(), Some(first));
    // The job of another dialect is another job.
    let mut other = vec!["dedup", "a.csv", "-o", "out", "--id", "code", "--all-text"];
    other.extend(options);
    scratch.fail(&other, &["all_text", "--overwrite"]);
    // Options of the session.
    let sql =
        "SET neardup.delimiter = '|'; SET neardup.header = false; SET neardup.all_text = true;
        SELECT *, arrow_typeof(column_1) AS t FROM 'b.csv'";
    scratch.write("b.csv", "1|x\n2|y\n");
    let rows = scratch.succeed(&["sql", "--format", "csv", "-c", sql]).out;
    assert_eq!(rows, "column_1,column_2,t\n1,x,Utf8\n2,y,Utf8\n");
}

/// `--skip-lines` leaves out lines before the header, such as a title.
#[test]
fn lines_before_a_header_are_skipped() {
    let scratch = Scratch::new();
    let titles = "An export, of \"two\" columns\r\n\n";
    scratch.write("in/a.csv", format!("{titles}id,text\n1,one two three\n"));
    scratch.write("in/b.csv", format!("{titles}id,text\n2,four five six\n"));
    scratch.write("in/empty.csv", "");
    scratch.write("a.tsv", format!("\u{FEFF}{titles}id\ttext\n7\ta \"b\n"));
    let utf16 = format!("\u{FEFF}{titles}id,text\n8,日本\n");
    let utf16: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
    scratch.write("wide.csv", utf16);
    let skip = ["--skip-lines", "2"];
    let read = |sql: &str| {
        let all = [&["sql", "--format", "csv"], &skip[..], &["-c", sql]].concat();
        scratch.succeed(&all).out
    };
    assert_eq!(
        read("SELECT * FROM 'in' ORDER BY id"),
        "id,text\n1,one two three\n2,four five six\n"
    );
    assert_eq!(read("SELECT * FROM 'a.tsv'"), "id,text\n7,\"a \"\"b\"\n");
    assert_eq!(read("SELECT * FROM 'wide.csv'"), "id,text\n8,日本\n");
    let set = "SET neardup.skip_lines = 2; SELECT count(*) AS n FROM 'in'";
    let count = scratch.succeed(&["sql", "--format", "csv", "-c", set]).out;
    assert_eq!(count, "n\n2\n");
    // Rows are numbered from the first one of the table.
    let job = ["dedup", "in", "--id", "row", "-o", "out"];
    let made = [&job[..], &skip, &["--kept", "kept.csv"]].concat();
    assert_eq!(scratch.job(&made)["kept"], 2);
    let kept = String::from_utf8(scratch.read("kept.csv")).expect("UTF-8");
    assert!(kept.starts_with("row,id,text\n0,1,"), "{kept}");
    let other = [&job[..], &["--skip-lines", "1"]].concat();
    scratch.fail(&other, &["skip_lines", "--overwrite"]);
    scratch.succeed(&["report", "out"]);
    let page = String::from_utf8(scratch.read("out/report.html")).expect("UTF-8");
    assert!(page.contains("--skip-lines 2"));

    scratch.write("short.csv", "id,text\n");
    scratch.write("wrong.csv", format!("{titles}id,text\n1,a\n2\n"));
    scratch.write("rows.jsonl", "{\"id\":1,\"text\":\"a\"}\n");
    for (file, lines, said) in [
        ("short.csv", "2", "the file has no more than 1"),
        (
            "wrong.csv",
            "2",
            "line 5: the header has 2 columns, but this row has 1",
        ),
        ("rows.jsonl", "2", "--skip-lines: "),
        (
            "in",
            "some",
            "--skip-lines must be a whole number in [0, 4000000000], found some",
        ),
    ] {
        let all = ["dedup", file, "-o", "none", "--skip-lines", lines];
        scratch.fail(&all, &[said]);
        assert!(!scratch.has("none"), "{file}");
    }
}

/// A delimiter says what a file is whose name and first bytes do not.
#[test]
fn a_delimiter_tells_the_kind_of_a_file() {
    let scratch = Scratch::new();
    scratch.write("data.dat", "id:text\n1:a\n2:b\n");
    scratch.fail(
        &["sql", "-c", "SELECT * FROM 'data.dat'"],
        &["unknown kind"],
    );
    let sql = ["--format", "csv", "-c", "SELECT * FROM 'data.dat'"];
    let all = [&["sql", "--delimiter", ":"], &sql[..]].concat();
    assert_eq!(scratch.succeed(&all).out, "id,text\n1,a\n2,b\n");
    scratch.write("data.txt", "id\ttext\n1\ta\n");
    let all = [
        "sql",
        "--delimiter",
        "tab",
        "--format",
        "csv",
        "-c",
        "SELECT * FROM 'data.txt'",
    ];
    assert_eq!(scratch.succeed(&all).out, "id,text\n1,a\n");
}

#[test]
fn a_file_with_the_mark_of_utf_16_is_read() {
    let scratch = Scratch::new();
    let utf16 = |text: &str| -> Vec<u8> {
        let marked = format!("\u{FEFF}{text}");
        marked.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    scratch.write("a.csv", utf16("id,text\r\n1,naïve 日本\r\n"));
    scratch.write("a.json", utf16("[{\"id\": 1, \"text\": \"naïve 日本\"}]"));
    scratch.write("a.txt", utf16("naïve 日本"));
    for name in ["a.csv", "a.json", "a.txt"] {
        let rows = scratch.rows(&format!("SELECT text FROM '{name}'"));
        assert_eq!(rows[0]["text"], "naïve 日本", "{name}");
    }
    scratch.write("b.csv", b"id,text\n1,\xE9\n");
    scratch.fail(
        &["sql", "-c", "SELECT * FROM 'b.csv'"],
        &["b.csv", "line 2", "encoding"],
    );
}

/// A file of UTF-16 without a byte order mark is an error, unless its encoding is named.
#[test]
fn utf_16_without_a_mark_is_read_when_it_is_named() {
    let scratch = Scratch::new();
    type Bytes = fn(&str) -> Vec<u8>;
    let le: Bytes = |text| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Bytes = |text| text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (label, bytes) in [("utf-16le", le), ("utf-16be", be)] {
        scratch.write("a.csv", bytes("id,text\n1,abc\n2,def\n"));
        scratch.write("a.jsonl", bytes("{\"id\":1,\"text\":\"abc\"}\n"));
        scratch.write("a.txt", bytes("abc, a text"));
        for name in ["a.csv", "a.jsonl", "a.txt"] {
            let sql = format!("SELECT text FROM '{name}' LIMIT 1");
            let said = format!("name its encoding: {label} (the option encoding)");
            scratch.fail(&["sql", &sql], &[name, "looks like UTF-16", &said]);
            let read = ["sql", "--json", "--encoding", label, &sql];
            let found = scratch.succeed(&read).out;
            assert!(found.starts_with("{\"text\":\"abc"), "{found}");
        }
    }
    let wide: Vec<u8> = "id,text\n1,abc\n"
        .chars()
        .flat_map(|letter| u32::from(letter).to_le_bytes())
        .collect();
    scratch.write("wide.csv", wide);
    scratch.fail(
        &["sql", "SELECT * FROM 'wide.csv'"],
        &["wide.csv", "iconv -f utf-32le -t utf-8"],
    );
    // A text may hold NULs.
    scratch.write("nul.csv", "id,text\n1,a\0b\n");
    let found = scratch.rows("SELECT text FROM 'nul.csv'");
    assert_eq!(found[0]["text"], "a\0b");
}

/// Headers that are none, with the answer that names the next step.
#[test]
fn wrong_headers_and_separators_are_answered_with_what_to_do() {
    let scratch = Scratch::new();
    for (text, delimiter, said) in [
        (
            "\"a\";\"b\"\n\"1\";\"x\"\n",
            ",",
            "if ';' separates the values, name it (the option delimiter)",
        ),
        (
            "id;lang;text\n1;en;'one\ntwo, three'\n",
            ",",
            "if ';' separates the values, name it (the option delimiter)",
        ),
        (
            "id;lang;text\n1;en;'one\ntwo, three'\n",
            ";",
            "line 3: the header has 3 columns, but this row has 1; if values are quoted in this file, say by which quote",
        ),
        (
            "# made by x\nid,text\n1,a\n",
            ",",
            "line 2: the header has 1 column, but this row has more; line 1 is read as the header: lines before the header are left out with the option skip_lines, here at least 1 (--skip-lines 1)",
        ),
        (
            "made by x\nid;text\n1;a\n",
            ";",
            "lines before the header are left out with the option skip_lines, here at least 1 (--skip-lines 1)",
        ),
        (
            "1,1.5,1.5\n2,2.5,3.5\n",
            ",",
            "two columns have the name '1.5'; if the file has no header, the option header is false (--no-header)",
        ),
        (
            "id,text,text\n1,a,b\n",
            ",",
            "two columns have the name 'text'; rename one of them in this line",
        ),
    ] {
        scratch.write("a.csv", text);
        let sql = ["sql", "--delimiter", delimiter, "SELECT * FROM 'a.csv'"];
        scratch.fail(&sql, &["a.csv", said]);
    }
    scratch.write("a.jsonl", "{'id': 1}\n");
    scratch.fail(
        &["sql", "SELECT * FROM 'a.jsonl'"],
        &["found a single quote; keys and texts are written in double quotes"],
    );
}

#[test]
fn wrong_options_of_readers_are_refused() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "id,text\n1,a\n");
    scratch.write("a.tsv", "id\ttext\n1\ta\n");
    scratch.write("a.json", "{\"id\": 1, \"text\": \"a\"}");
    scratch.write("latin.csv", b"id,text\n1,caf\xe9\n");
    scratch.write("open.csv", "id,text\n1,\"a b\n2,c d\n");
    scratch.succeed(&["sql", "-c", "COPY 'a.csv' TO 'a.parquet'"]);
    for (arguments, said) in [
        (
            &["a.csv", "--delimiter", "ab"][..],
            "--delimiter ab: must be one ASCII character",
        ),
        (&["a.csv", "--delimiter", "é"], "--delimiter é"),
        (&["a.csv", "--quote", "''"], "--quote"),
        (
            &["a.csv", "--quote", ",", "--delimiter", ","],
            "must differ from the delimiter",
        ),
        (
            &["a.csv", "--quote", ","],
            "--quote ,: must differ from the delimiter; another is given by --delimiter",
        ),
        (
            &["a.csv", "--delimiter", "\""],
            "--delimiter \": must differ from the quote; another, or none, is given by --quote",
        ),
        (
            &["a.tsv", "--quote", "\t"],
            "must differ from the delimiter; another is given by --delimiter",
        ),
        (
            &["a.csv", "--encoding", "ebcdic"],
            "--encoding ebcdic: must be an encoding of the WHATWG Encoding Standard, such as utf-16le, windows-1252 or shift_jis; convert a file of another one first: iconv -f ebcdic -t utf-8",
        ),
        (
            &["a.csv", "--encoding", "latin-1"],
            "--encoding latin-1: must be an encoding of the WHATWG Encoding Standard, where it is called latin1",
        ),
        (
            &["a.csv", "--encoding", "UTF-8-SIG"],
            "where it is called utf-8",
        ),
        (
            &["a.csv", "--encoding", "utf-32"],
            "iconv -f utf-32 -t utf-8",
        ),
        (&["a.csv", "--column-names", "a,,b"], "a name is empty"),
        (
            &["a.csv", "--column-names", "a,a"],
            "two columns have the name 'a'",
        ),
        (&["a.parquet", "--delimiter", ";"], "a.parquet"),
        (&["a.parquet", "--encoding", "latin1"], "--encoding"),
        (&["a.json", "--all-text"], "--all-text"),
        (&["a.csv", "--kept", "x.docx"], "not as .docx"),
        (&["a.csv", "--kept", "./a.csv"], "is not overwritten"),
        (
            &["a.csv", "--delimiter", ";"],
            "id,text; if this is several names, say what separates them: --delimiter ','",
        ),
        (
            &["a.csv", "--column-names", "id,text"],
            "line 1: this row holds the column names",
        ),
        (
            &["a.csv", "--keep-by", "id down"],
            "COLUMN, COLUMN asc or COLUMN desc",
        ),
        (
            &["a.csv", "--language", "english"],
            "--language must be a language code such as de or pt-br, found english",
        ),
        (
            &["a.csv", "--compare", "all"],
            "--compare is for the sentences of a dump",
        ),
        (
            &["latin.csv"],
            "line 2: column 2 is not UTF-8; if the file is written otherwise, name its encoding",
        ),
        (
            &["open.csv"],
            "in a file without quoting, the option quote is none",
        ),
    ] {
        let all = [&["dedup", "-o", "out"], arguments].concat();
        scratch.fail(&all, &[said]);
        assert!(!scratch.has("out"), "{arguments:?}");
    }
    assert_eq!(scratch.read("a.csv"), b"id,text\n1,a\n");
    // What is the default of another kind is none of these.
    for arguments in [["a.tsv", "--quote", ","], ["a.tsv", "--delimiter", "\""]] {
        let [file, option, value] = arguments;
        let sql = format!("SELECT * FROM '{file}'");
        scratch.succeed(&["sql", option, value, &sql]);
    }
}

/// Ids of other types, and repeated ids, are an error that names `--id row`, which numbers the rows.
#[test]
fn ids_are_made_from_the_numbers_of_rows_on_request() {
    let scratch = Scratch::new();
    let rows = "id,text\n0.5,one two three\n0.5,four five six\n,one two three\n";
    scratch.write("a.csv", rows);
    scratch.fail(&["dedup", "a.csv"], &["--id id", "--id row"]);
    let job = [
        "dedup", "a.csv", "--id", "row", "-o", "out", "--kept", "kept.csv",
    ];
    assert_eq!(scratch.job(&job)["kept"], 2);
    let kept = String::from_utf8(scratch.read("kept.csv")).expect("UTF-8");
    assert_eq!(
        kept,
        "row,id,text\n0,0.5,one two three\n1,0.5,four five six\n"
    );
    assert!(
        scratch
            .succeed(&["show", "out"])
            .out
            .contains("one two three")
    );
    // A column of that name is a column.
    scratch.write("b.csv", "row,text\nx,one two three\ny,one two three\n");
    let job = [
        "dedup", "b.csv", "--id", "row", "-o", "b", "--kept", "b.jsonl",
    ];
    assert_eq!(scratch.job(&job)["kept"], 1);
    let kept = String::from_utf8(scratch.read("b.jsonl")).expect("UTF-8");
    assert_eq!(kept, "{\"row\":\"x\",\"text\":\"one two three\"}\n");
}

/// A folder may hold plain and compressed files of one format.
#[test]
fn files_of_one_input_may_be_compressed_in_different_ways() {
    let scratch = Scratch::new();
    let copy = |name: &str, id: u32| {
        let rows = format!("(SELECT {id} AS id, 'one two three {id}' AS text)");
        format!("COPY {rows} TO 'in/{name}';")
    };
    let copies: String = ["a.jsonl", "b.jsonl.gz", "c.json.zst", "d.ndjson.bz2"]
        .iter()
        .zip(0..)
        .map(|(name, id)| copy(name, id))
        .collect();
    scratch.write("in/.keep", "");
    scratch.succeed(&["sql", "-c", &copies]);
    let rows = scratch.rows("SELECT id, text FROM 'in' ORDER BY id");
    let found: Vec<_> = rows.iter().map(|row| row["text"].as_str()).collect();
    let wanted = [0, 1, 2, 3].map(|id| format!("one two three {id}"));
    assert_eq!(found, wanted.each_ref().map(|text| Some(text.as_str())));
    assert_eq!(scratch.job(&["dedup", "in", "-o", "out"])["rows"], 4);
    scratch.write("in/e.csv", "id,text\n9,x\n");
    scratch.fail(
        &["dedup", "in", "-o", "other"],
        &["different kinds", "UNION ALL"],
    );
}

#[test]
fn what_helps_against_wrong_ids_and_quotes_is_said() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "id,text\n1,a b c\n1,d e f\n");
    scratch.fail(
        &["dedup", "a.csv"],
        &["ids must be unique", "--id row uses row numbers as ids"],
    );
    scratch.write("b.csv", "page,text\n1,a b c\n2,d e f\n");
    let sql = "SELECT * FROM jaccard_join('b.csv')";
    scratch.fail(
        &["sql", "-c", sql],
        &["id => column", "row_number() OVER (ORDER BY …) AS id"],
    );
    for value in ["threshold => '0.9'", "normalize => 'false'"] {
        let sql = format!("SELECT * FROM jaccard_join('b.csv', id => page, {value})");
        scratch.fail(
            &["sql", "-c", &sql],
            &["found the text '", "without quotes"],
        );
    }
}
