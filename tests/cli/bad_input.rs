//! Inputs that are empty, damaged, strange or wrong.

use crate::scratch::{Scratch, sample};
use serde_json::Value;
use std::process::Command;

#[test]
fn empty_tables() {
    let scratch = Scratch::new();
    scratch.write("head.csv", "id,text\n");
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 1 AS id, 'x' AS text WHERE false) TO 'none.parquet'",
    ]);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 'x' AS text WHERE false) TO 'no-id.parquet'",
    ]);
    for name in ["head.csv", "none.parquet", "no-id.parquet"] {
        let ways = [
            &["--method", "auto"][..],
            &["--method", "minhash"],
            &["--keep", "longest"],
            &["--pairs", "all"],
        ];
        for more in &ways[..if name == "head.csv" { 4 } else { 1 }] {
            let directory = format!("of-{name}-{}", more[1]);
            let mut arguments = vec!["dedup", name, "-o", &directory];
            arguments.extend(*more);
            let summary = scratch.job(&arguments);
            for figure in ["rows", "pairs", "kept", "clusters"] {
                assert_eq!(summary[figure], 0, "{name} {more:?}: {figure}");
            }
            scratch.assert_whole(&directory);
            assert!(
                scratch
                    .succeed(&["show", &directory])
                    .out
                    .contains("no near-duplicates")
            );
        }
    }
    for name in ["empty.csv", "empty.jsonl", "empty.json"] {
        scratch.write(name, "");
        scratch.fail(&["dedup", name], &["text", "empty"]);
    }
    scratch.write("array.json", "[]");
    scratch.fail(&["dedup", "array.json"], &["text", "empty"]);
    assert!(!scratch.has("neardup-out"));
}

#[test]
fn texts_and_ids_that_are_null() {
    let scratch = Scratch::new();
    scratch.write(
        "texts.jsonl",
        "{\"id\":1,\"text\":null}\n{\"id\":2,\"text\":null}\n",
    );
    let summary = scratch.job(&["dedup", "texts.jsonl", "-o", "texts"]);
    assert_eq!(
        (&summary["rows"], &summary["kept"], &summary["pairs"]),
        (&2.into(), &2.into(), &0.into())
    );
    assert_eq!(summary["left_out"]["rows without a text"], 2);
    scratch.write(
        "ids.jsonl",
        "{\"id\":null,\"text\":\"one two three\"}\n{\"id\":null,\"text\":\"one two three\"}\n\
         {\"id\":7,\"text\":\"one two three\"}\n{\"id\":9,\"text\":\"one two three\"}\n{\"id\":null,\"text\":null}\n",
    );
    for keep in ["first", "longest"] {
        let summary = scratch.job(&["dedup", "ids.jsonl", "-o", keep, "--keep", keep]);
        assert_eq!(
            (&summary["rows"], &summary["kept"], &summary["pairs"]),
            (&5.into(), &4.into(), &1.into()),
            "{keep}"
        );
        assert_eq!(summary["left_out"]["rows without an id"], 3);
        let rows = scratch.job_rows(
            keep,
            "SELECT count(*) AS n, max(cluster_size) AS s FROM clusters WHERE id IS NULL",
        );
        assert_eq!(
            (&rows[0]["n"], &rows[0]["s"]),
            (&3.into(), &1.into()),
            "{keep}"
        );
        scratch.succeed(&["show", keep]);
    }
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT arrow_cast(NULL, 'Int64') AS id, arrow_cast(NULL, 'Utf8') AS text \
         FROM (VALUES (1), (2))) TO 'nulls.parquet'",
    ]);
    assert_eq!(
        scratch.job(&["dedup", "nulls.parquet", "-o", "nulls"])["kept"],
        2
    );
}

#[test]
fn texts_of_all_scripts() {
    let scratch = Scratch::new();
    let texts = [
        "😀😃😄😁 😆😅😂🤣",
        "😀😃😄😁 😆😅😂🤣",
        "السلام عليكم ورحمة الله وبركاته كيف حالك اليوم يا صديقي العزيز",
        "السلام عليكم ورحمة الله وبركاته كيف حالك اليوم يا صديقي القديم",
        "我们在这里讨论如何有效地检测大规模文本中的近似重复内容",
        "我们在这里讨论如何有效地检测大规模文本中的近似重复句子",
        "हम यहाँ बड़े पैमाने पर पाठ में लगभग समान प्रतियों का पता लगाने पर चर्चा करते हैं",
        "हम यहाँ बड़े पैमाने पर पाठ में लगभग समान प्रतियों का पता लगाने पर चर्चा करते थे",
        "ＡＢＣ ﬁ",
        "abc fi",
        "x",
        "y",
        "👨‍👩‍👧‍👦",
        "\u{0} a\u{7}b",
        "",
        "   ",
        "\u{feff}",
        "\u{202e}abc\u{202c}",
    ];
    let lines: String = texts
        .iter()
        .enumerate()
        .map(|(id, text)| format!("{}\n", serde_json::json!({"id": id, "text": text})))
        .collect();
    scratch.write("rows.jsonl", lines);
    for (shingle, method) in [
        ("word:3", "exact"),
        ("word:3", "minhash"),
        ("char:5", "exact"),
        ("char:5", "minhash"),
        ("char:1", "exact"),
        ("space:2", "minhash"),
        ("word:1000", "auto"),
    ] {
        let directory = format!("{}-{method}", shingle.replace(':', "-"));
        let job = [
            "dedup",
            "rows.jsonl",
            "--shingle",
            shingle,
            "--threshold",
            "0.6",
            "--method",
            method,
            "-o",
            &directory,
        ];
        assert_eq!(scratch.job(&job)["rows"], texts.len());
        let rows = scratch.job_rows(
            &directory,
            "SELECT count(*) FILTER (WHERE (id_a, id_b) IN ((0, 1), (8, 9)) AND similarity = 1) AS copies, \
             count(*) FILTER (WHERE id_a IN (14, 15) OR id_b IN (14, 15)) AS blank, \
             count(*) FILTER (WHERE (id_a, id_b) IN ((2, 3), (4, 5), (6, 7)) AND similarity < 1) AS alike FROM pairs",
        );
        assert_eq!(
            (&rows[0]["copies"], &rows[0]["blank"]),
            (&2.into(), &0.into()),
            "{directory}"
        );
        if ["word:3", "char:5"].contains(&shingle) {
            assert_eq!(rows[0]["alike"], 3, "{directory}");
        }
        scratch.succeed(&["show", &directory]);
    }
}

#[test]
fn an_id_with_two_texts_is_named() {
    let scratch = Scratch::new();
    let right = "id,text\n41,one two three\n42,four five six\n43,one two three\n";
    scratch.write("rows.csv", format!("{right}42,seven eight nine\n"));
    scratch.fail(&["dedup", "rows.csv"], &["id 42", "different texts"]);
    scratch.write(
        "texts.csv",
        "id,text\nkey a,one two three\nkey a,seven eight nine\n",
    );
    scratch.fail(
        &["dedup", "texts.csv", "-o", "texts"],
        &["id key a", "different texts"],
    );
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'rows.csv') TO 'rows.parquet'",
    ]);
    scratch.fail(
        &["dedup", "rows.parquet", "-o", "parquet"],
        &["id 42", "different texts"],
    );
    scratch.assert_whole("parquet");
    // Nothing was done, so the same directory takes other arguments.
    scratch.write("right.csv", right);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'right.csv') TO 'right.parquet'",
    ]);
    assert_eq!(
        scratch.job(&["dedup", "right.parquet", "-o", "parquet"])["kept"],
        2
    );
}

#[test]
fn arguments_out_of_range() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text,score\n1,one two three four,1\n2,one two three four,2\n3,five,3\n",
    );
    let with = |more: &[&'static str]| [&["dedup", "rows.csv"][..], more].concat();
    for (more, said) in [
        (
            &["--threshold", "0"][..],
            &["--threshold", "(0, 1]", "0"][..],
        ),
        (&["--threshold", "-1"], &["--threshold", "(0, 1]", "-1"]),
        (&["--threshold", "-0.0"], &["--threshold", "(0, 1]"]),
        (&["--threshold", "1.01"], &["--threshold", "(0, 1]", "1.01"]),
        (&["--threshold", "NaN"], &["--threshold", "(0, 1]", "NaN"]),
        (&["--threshold", "inf"], &["--threshold", "(0, 1]", "inf"]),
        (&["--threshold", "high"], &["--threshold", "high"]),
        (
            &["--target-recall", "1"],
            &["--target-recall", "(0, 1)", "1"],
        ),
        (&["--target-recall", "NaN"], &["--target-recall", "(0, 1)"]),
        (
            &["--shingle", "chars:5"],
            &["--shingle", "chars:5", "char:"],
        ),
        (&["--shingle", "word:0"], &["--shingle", "word:0"]),
        (
            &["--shingle", "word:99999999999999999999"],
            &["--shingle", "word:"],
        ),
        (&["--method", "magic"], &["magic", "auto, exact, minhash"]),
        (
            &["--method", "minhash", "--threshold", "0.01"],
            &["minhash", "num_hashes"],
        ),
        (&["--id", "key"], &["--id key", "id, text, score"]),
        (&["--text", "body"], &["--text body", "id, text, score"]),
        (
            &["--keep-by", "rank desc"],
            &["--keep-by rank", "id, text, score"],
        ),
        (
            &["--keep-by", "score down"],
            &["score down", "no such column"],
        ),
        (&["--keep-by", "score", "--keep", "longest"], &["--keep"]),
        (&["--max-bucket-pairwise", "-1"], &["-1"]),
        (
            &["--max-bucket-pairwise", "0"],
            &["--max-bucket-pairwise must be a whole number in [1, 4000000000], found 0"],
        ),
        (
            &["--max-length", "5000000000"],
            &["--max-length must be a whole number in [0, 4000000000]"],
        ),
        (&["--on-error", "maybe"], &["maybe", "fail, skip"]),
    ] {
        scratch.fail(&with(more), said);
        assert!(
            !scratch.has("neardup-out"),
            "{more:?} left a directory behind"
        );
    }
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 1.5 AS id, 'x' AS text) TO 'float.parquet'",
    ]);
    scratch.fail(
        &["dedup", "float.parquet"],
        &["id", "integers or texts", "numbers with fractions"],
    );
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT 1::DECIMAL(20, 0) AS id, 'x' AS text) TO 'decimal.parquet'",
    ]);
    scratch.fail(
        &["dedup", "decimal.parquet"],
        &["id", "integers or texts", "it holds decimal numbers"],
    );
    scratch.fail(
        &["dedup", "float.parquet", "--id", "text", "--text", "id"],
        &[
            "--text id",
            "must be a text column, but it holds numbers with fractions; make a table with texts: neardup sql",
            "REPLACE (CAST(id AS TEXT) AS id)",
        ],
    );
    assert_eq!(scratch.job(&with(&["--threshold", "1"]))["pairs"], 1);
    assert_eq!(
        scratch.job(&with(&["--threshold", "1e-300", "--overwrite"]))["pairs"],
        1
    );
    assert_eq!(
        scratch.job(&with(&["--max-bucket-pairwise", "1", "--overwrite"]))["kept"],
        2
    );
}

#[test]
fn inputs_that_are_not_there() {
    let scratch = Scratch::new();
    scratch.write("folder/notes.md", "x");
    scratch.write("notes.md", "x");
    for (input, said) in [
        ("none.csv", &["none.csv: no such file or directory"][..]),
        ("none/", &["none/: no such file or directory"]),
        ("none*.csv", &["none*.csv: no file matches"]),
        ("[", &["["]),
        (
            "notes.md",
            &["notes.md: unknown kind of file by its name", ".parquet"],
        ),
        (
            "folder",
            &[
                "folder: the directory holds no file of a known kind",
                ".parquet",
            ],
        ),
        ("", &["no such file"]),
    ] {
        scratch.fail(&["dedup", input], said);
    }
    scratch.fail(
        &["ingest", "none.xml"],
        &["none.xml: no such file or directory"],
    );
    scratch.fail(&["ingest", "notes.md"], &["notes.md: unknown kind of file"]);
    assert!(!scratch.has("neardup-out"));
}

/// XML of another kind is an error, and not a dump of 0 pages.
#[test]
fn xml_that_is_no_dump() {
    let scratch = Scratch::new();
    scratch.write("page.xml", "<?xml version=\"1.0\"?><html><body/></html>");
    scratch.write("export.xml", "<mediawiki></mediawiki>");
    let said = ["page.xml: no <page> element: not a MediaWiki dump"];
    scratch.fail(&["ingest", "page.xml", "-o", "a"], &said);
    scratch.fail(&["dedup", "page.xml", "-o", "b"], &said);
    scratch.fail(&["sql", "-c", "SELECT title FROM 'page.xml'"], &said);
    let summary = scratch.job(&["ingest", "export.xml", "-o", "c"]);
    assert_eq!(summary["pages"], 0);
}

#[test]
fn damaged_tables() {
    let scratch = Scratch::new();
    scratch.generate("2000", "whole.parquet");
    let whole = scratch.read("whole.parquet");
    scratch.write("cut.parquet", &whole[..whole.len() / 2]);
    scratch.write("junk.parquet", "this is no table");
    scratch.write("tiny.parquet", "x");
    scratch.write("latin.csv", b"id,text\n1,caf\xe9 au lait\n2,tea\n");
    scratch.write("latin.jsonl", b"{\"id\":1,\"text\":\"caf\xe9\"}\n");
    scratch.write("ragged.csv", "id,text\n1,a,b\n2\n");
    scratch.write("cut.jsonl", "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"te");
    scratch.write("cut.json", "[{\"id\":1,\"text\":\"a\"},{\"id\":2,");
    scratch.write(
        "rows.csv",
        "id,text\n1,one two three four\n2,one two three four\n3,five\n",
    );
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'rows.csv') TO 'rows.csv.gz' \
         STORED AS CSV OPTIONS ('format.compression' 'gzip')",
    ]);
    let packed = scratch.read("rows.csv.gz");
    scratch.write("cut.csv.gz", &packed[..packed.len() - 12]);
    scratch.write("plain.csv.gz", "id,text\n1,not compressed\n");
    for ending in ["zst", "bz2"] {
        let copy = format!("COPY (SELECT * FROM 'rows.csv') TO 'rows.jsonl.{ending}'");
        scratch.succeed(&["sql", "-c", &copy]);
        let packed = scratch.read(&format!("rows.jsonl.{ending}"));
        let cut = format!("cut.jsonl.{ending}");
        scratch.write(&cut, &packed[..packed.len() / 2]);
    }
    // As gunzip does: NULs fill the last block.
    scratch.write("padded.csv.gz", [&packed[..], &[0; 700]].concat());
    for (name, said) in [
        ("cut.parquet", "parquet"),
        ("junk.parquet", "parquet"),
        ("tiny.parquet", "parquet"),
        ("latin.csv", "utf-8"),
        ("latin.jsonl", "name its encoding (the option encoding"),
        ("ragged.csv", "line 2"),
        ("cut.jsonl", "json"),
        ("cut.json", "json"),
        ("cut.csv.gz", "the compressed file is cut off or damaged ("),
        (
            "cut.jsonl.zst",
            "the compressed file is cut off or damaged (",
        ),
        (
            "cut.jsonl.bz2",
            "the compressed file is cut off or damaged (",
        ),
        (
            "plain.csv.gz",
            "the file is not compressed with gzip, though its name ends in .gz",
        ),
    ] {
        scratch.fail(&["dedup", name, "--quiet"], &[name, said]);
        // The same directory serves as soon as the arguments are right.
        if scratch.has("neardup-out/manifest.json") {
            scratch.assert_whole("neardup-out");
        }
    }
    assert_eq!(scratch.job(&["dedup", "rows.csv"])["kept"], 2);
    let job = ["dedup", "padded.csv.gz", "-o", "padded"];
    assert_eq!(scratch.job(&job)["kept"], 2);
}

/// Damage that shows only after thousands of good rows.
#[test]
fn damage_far_inside_a_table() {
    let scratch = Scratch::new();
    let mut bytes = b"id,text\n".to_vec();
    for row in 0..30_000 {
        bytes.extend(format!("{row},row number {row} of a long table\n").bytes());
    }
    bytes.extend(b"30000,caf\xe9\n");
    scratch.write("rows.csv", &bytes);
    scratch.fail(
        &["dedup", "rows.csv", "--quiet"],
        &["rows.csv", "utf-8", "30002"],
    );
    // Files are read whole before the job begins.
    assert!(!scratch.has("neardup-out"));
    bytes.truncate(bytes.len() - 12);
    scratch.write("rows.csv", &bytes);
    assert_eq!(scratch.job(&["dedup", "rows.csv"])["rows"], 30_000);
}

/// A dump of several bz2 blocks.
fn dump(scratch: &Scratch) -> Vec<u8> {
    scratch.succeed(&[
        "generate",
        "--rows",
        "16000",
        "--dump",
        "-o",
        "whole.xml.bz2",
        "--quiet",
    ]);
    scratch.read("whole.xml.bz2")
}

#[track_caller]
fn check_salvage(scratch: &Scratch, name: &str, offset: &str) -> Value {
    let failed = scratch.fail(
        &["dedup", name, "--on-error", "fail", "--quiet"],
        &[name, "byte", offset],
    );
    assert_eq!(failed.out, "");
    scratch.assert_whole("neardup-out");
    assert_eq!(scratch.manifest("neardup-out")["finished"], false);
    // Nothing was done, so the directory takes the same command with another argument.
    let summary = scratch.job(&["dedup", name, "--on-error", "skip"]);
    let rows = summary["rows"].as_i64().expect("a number");
    assert!(rows > 1000 && rows < 16_000, "{summary}");
    let damage = summary["damage"].as_object().expect("damage");
    assert_eq!(damage.len(), 1, "{summary}");
    assert!(damage.keys().all(|file| file.ends_with(name)), "{summary}");
    // What was salvaged is as in the whole dump.
    scratch.succeed(&["ingest", "whole.xml.bz2", "-o", "whole", "--quiet"]);
    let sql = "SELECT count(*) FROM (SELECT sentence_id, sentence FROM sentences \
         EXCEPT SELECT sentence_id, sentence FROM 'whole/sentences')";
    assert_eq!(scratch.job_number("neardup-out", sql), 0);
    summary
}

#[test]
fn a_dump_that_is_cut_off() {
    let scratch = Scratch::new();
    let bytes = dump(&scratch);
    scratch.write("cut.xml.bz2", &bytes[..bytes.len() * 4 / 5]);
    let summary = check_salvage(&scratch, "cut.xml.bz2", "cut off at byte");
    assert!(
        summary["damage"].to_string().contains("cut off"),
        "{summary}"
    );
    let said = scratch.succeed(&["dedup", "cut.xml.bz2", "--on-error", "skip"]);
    assert!(
        said.out.contains("damaged: ") && said.out.contains("cut.xml.bz2"),
        "{}",
        said.out
    );
}

#[test]
fn a_dump_with_a_flipped_byte() {
    let scratch = Scratch::new();
    let mut bytes = dump(&scratch);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    scratch.write("flipped.xml.bz2", &bytes);
    let summary = check_salvage(&scratch, "flipped.xml.bz2", "corrupt bz2 block");
    assert!(summary["damage"].to_string().contains("lost"), "{summary}");
}

#[test]
fn dumps_that_are_none() {
    let scratch = Scratch::new();
    scratch.write("junk.xml", "hello");
    scratch.write("zero.xml", "");
    scratch.write("zero.xml.bz2", "");
    scratch.write(
        "random.xml.bz2",
        [7, 99, 200, 13, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8],
    );
    let text =
        std::fs::read_to_string(sample("samplewiki-pages-articles.xml")).expect("the sample");
    let wide: Vec<u8> = [0xFEFF]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    scratch.write("wide.xml", wide);
    for (name, said) in [
        (
            "junk.xml",
            "junk.xml: the file is neither xml nor bz2 nor gzip",
        ),
        ("zero.xml", "zero.xml: the file is empty"),
        ("zero.xml.bz2", "zero.xml.bz2: the file is empty"),
        ("random.xml.bz2", "random.xml.bz2: the file is neither"),
        ("wide.xml", "utf-16"),
    ] {
        for on_error in ["fail", "skip"] {
            scratch.fail(&["dedup", name, "--on-error", on_error, "--quiet"], &[said]);
        }
        scratch.fail(&["ingest", name, "--quiet", "-o", "pages"], &[said]);
    }
    scratch.fail(&["dedup", "junk.xml", "--id", "x"], &["--id"]);
}

#[test]
fn dumps_that_do_not_belong_together() {
    let scratch = Scratch::new();
    let text =
        std::fs::read_to_string(sample("samplewiki-pages-articles.xml")).expect("the sample");
    scratch.write("one.xml", &text);
    scratch.write("again.xml", &text);
    scratch.write("other.xml", text.replace("samplewiki", "otherwiki"));
    scratch.write("rows.csv", "id,text\n1,x\n");
    let said = [
        "one.xml",
        "other.xml",
        "samplewiki",
        "otherwiki",
        "page ids",
    ];
    scratch.fail(&["dedup", "one.xml", "other.xml", "--quiet"], &said);
    scratch.fail(
        &["ingest", "one.xml", "other.xml", "--quiet", "-o", "pages"],
        &said,
    );
    scratch.fail(
        &["dedup", "one.xml", "rows.csv"],
        &["one.xml", "rows.csv", "different kinds"],
    );
    scratch.fail(&["dedup", "one.xml", "again.xml", "--quiet"], &["twice"]);
    assert_eq!(
        scratch.job(&["dedup", "one.xml", "--overwrite"])["pages"],
        61
    );
}

/// An option that has no effect on this kind of input is an error, such as `--min-length` on a table.
#[test]
fn an_option_without_effect_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "id,text\n1,a b c\n");
    for (given, said) in [
        (
            &["--min-length", "9"][..],
            "--min-length is for the sentences of a dump",
        ),
        (
            &["--splitter", "published"],
            "--splitter is for the sentences of a dump",
        ),
        (&["--bits", "64"], "--bits is for vectors"),
        (
            &["--method", "exact", "--target-recall", "0.9"],
            "--target-recall is for joins that miss pairs",
        ),
        (
            &["--method", "projection", "--shingle", "word:1"],
            "--shingle is for texts",
        ),
    ] {
        let all = [&["dedup", "a.csv"], given].concat();
        scratch.fail(&all, &[said]);
        assert!(!scratch.path("neardup-out").exists(), "{given:?}");
    }
}

/// What beginners do, with the answer that names the next step.
#[test]
fn common_mistakes_are_answered_with_what_to_do() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,one two three\n2,four five six\n");
    scratch.write("semi.csv", "id;text\n1;one two, three\n");
    scratch.write("list.csv", "id;text\n1;one two three\n");
    scratch.write("breaks.tsv", "id\ttext\n1\t\"one\ntwo\nthree\"\n");
    scratch.write(
        "lines.csv",
        "{\"id\":1,\"text\":\"a, b\"}\n{\"id\":2,\"text\":\"c\"}\n",
    );
    scratch.write("numbers.csv", "{\"id\":1}\n{\"id\":2}\n");
    scratch.write(
        "commas.jsonl",
        "{\"id\":1,\"text\":\"a\"},\n{\"id\":2,\"text\":\"b\"}\n",
    );
    scratch.write(
        "wrapped.json",
        "{\"data\":[{\"id\":1,\"text\":\"a b\"},{\"id\":2,\"text\":\"c\"}]}",
    );
    scratch.write("table.xlsx", "PK\u{3}\u{4}");
    scratch.succeed(&["sql", "-c", "COPY 'rows.csv' TO 'copy.csv.gz'"]);
    scratch.write("zipped.csv", scratch.read("copy.csv.gz"));
    scratch.write("twice.csv", "id,text\n1,one two three\n1,four five six\n");
    scratch.succeed(&["dedup", "rows.csv", "-o", "done"]);
    for (arguments, said) in [
        (
            &["dedup", "zipped.csv"][..],
            "compressed with gzip; add .gz to its name",
        ),
        (&["dedup", "semi.csv"], "name it (the option delimiter)"),
        (
            &["dedup", "breaks.tsv"],
            "say by which quote (the option quote)",
        ),
        (
            &["dedup", "rows.csv", "--min-words", "5"],
            "the job removes rows, since edit is not set",
        ),
        (
            &[
                "sql",
                "SELECT * FROM field_join('rows.csv', fields => 'id,text')",
            ],
            "(several columns are written [id, text])",
        ),
        (
            &[
                "sql",
                "SELECT * FROM field_join((SELECT id, text, text AS title FROM 'rows.csv'), fields => [title, text], weights => [0.2, 0.6])",
            ],
            "in these proportions: weights => [0.25, 0.75]",
        ),
        (
            &["sql", "SELECT id FROM 'list.csv'"],
            "say what separates them: --delimiter ';', or SET neardup.delimiter = ';'",
        ),
        (
            &["sql", "SELECT d.id FROM 'list.csv' AS d"],
            "SET neardup.delimiter = ';'",
        ),
        (&["dedup", "lines.csv"], "its name must end in .jsonl"),
        (
            &["sql", "SELECT * FROM 'lines.csv'"],
            "its name must end in .jsonl",
        ),
        (&["dedup", "numbers.csv"], "its name must end in .jsonl"),
        (
            &["sql", "SELECT id FROM 'numbers.csv'"],
            "its name must end in .jsonl",
        ),
        (
            &["dedup", "commas.jsonl"],
            "or has no commas between its objects",
        ),
        (
            &["dedup", "wrapped.json"],
            "COPY (SELECT item['id'] AS id, item['text'] AS text FROM (SELECT unnest(data) AS item FROM '",
        ),
        (
            &["sql", "SELECT text FROM 'wrapped.json'"],
            "SELECT item['text'] AS text FROM (SELECT unnest(data) AS item FROM 'wrapped.json')",
        ),
        (
            &["dedup", "rows.csv", "--kept", "-"],
            "--kept must be the name of a file, such as kept.jsonl or kept.csv.gz, found '-'",
        ),
        (
            &["dedup", "rows.csv", "--kept", ""],
            "--kept must be the name of a file",
        ),
        (
            &["dedup", "rows.csv", "-o", ""],
            "-o must be the path of a directory, found ''",
        ),
        (&["show", ""], "the path is empty"),
        (
            &["sql", "SELECT * FROM pairs"],
            "whose directory is given with --dir DIR",
        ),
        (
            &[
                "sql",
                "SELECT * FROM jaccard_join('rows.csv', shingle => word:2)",
            ],
            "written in quotes, shingle => 'word:2'",
        ),
        (&["dedup", "table.xlsx"], "export the table as CSV"),
        (
            &["dedup", "done"],
            "its tables are files in it, such as kept.parquet",
        ),
        (
            &["why", "done", "1"],
            "the id comes first: neardup why 1 done",
        ),
        (
            &["why", "done", "--pair", "5"],
            "the ids come first: neardup why ID --pair 5 done",
        ),
        (
            &["show", "rows.csv"],
            "this is a file; the directory of a job is needed",
        ),
        (
            &["dedup", "twice.csv"],
            "--id row uses row numbers as ids, with --overwrite",
        ),
        (
            &[
                "sql",
                "-c",
                "SELECT * FROM jaccard_join('rows.csv', threshold = 0.8)",
            ],
            "a parameter is given with =>: threshold => 0.8",
        ),
        (
            &["sql", "SELECT classify_pair('a', 'b', 'french')"],
            "classify_pair: language must be a language code such as de or pt-br, found french",
        ),
        (
            &["sql", "SELECT * FROM 'none'"],
            "no file or directory of this path",
        ),
        (
            &["sql", "SELECT * FROM jaccard_similarity('a', 'b')"],
            "it is a function of values: SELECT jaccard_similarity(…)",
        ),
    ] {
        scratch.fail(arguments, &[said]);
    }
    for (arguments, said) in [
        (
            &["rows.csv"][..],
            "the command comes first: neardup dedup rows.csv",
        ),
        (
            &["dedup", "rows.csv", "--group-by", "id"],
            "Only within a group",
        ),
        (
            &["dedup", "rows.csv", "--against", "twice.csv"],
            "A minus B",
        ),
        (&["dedup", "rows.csv", "--headings"], "--compare all"),
        (
            &[
                "decontaminate",
                "rows.csv",
                "--against",
                "a.jsonl",
                "b.jsonl",
            ],
            "'b.jsonl' behind it would be a part of the corpus",
        ),
        (
            &[
                "decontaminate",
                "--against",
                "a.jsonl",
                "b.jsonl",
                "rows.csv",
            ],
            "'b.jsonl' behind it would be a part of the corpus",
        ),
        (
            &["dedup", "rows.csv", "--weights", "0.3,0.7"],
            "SELECT * FROM field_join('FILE', fields => [title, body], weights => [0.3, 0.7]",
        ),
        (
            &["dedup", "rows.csv", "--log", "verbose"],
            "invalid value 'verbose' for '--log <LEVEL>': must be off, error, warn, info, debug or trace",
        ),
    ] {
        let answer = scratch.run(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        assert!(answer.err.contains(said), "{arguments:?}: {}", answer.err);
    }
    assert_eq!(
        scratch.succeed(&["sql", "--json", "SELECT 1 AS n"]).out,
        "{\"n\":1}\n"
    );
}

/// Files of another kind than their names say, or in another form than is read, with the answer that names the next step.
#[test]
fn files_that_are_not_what_they_seem_are_named() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,one two\n2,three four\n");
    scratch.succeed(&["sql", "-c", "COPY 'rows.csv' TO 'rows.parquet'"]);
    let table = scratch.read("rows.parquet");
    for name in ["table.csv", "table.json", "table.txt"] {
        scratch.write(name, &table);
        let said = "the file is a Parquet file by its first bytes; rename it to .parquet";
        scratch.fail(&["sql", &format!("SELECT * FROM '{name}'")], &[name, said]);
    }
    scratch.succeed(&["sql", "-c", "COPY 'rows.csv' TO 'rows.csv.bz2'"]);
    scratch.write("bz2.csv", scratch.read("rows.csv.bz2"));
    scratch.write("xz.csv", b"\xFD7zXZ\0\0\x04");
    scratch.write("zip.csv", b"PK\x03\x04\x14\0\0\0");
    scratch.write("text.csv", "PAR1,text\n1,a\n");
    for (name, said) in [
        (
            "bz2.csv",
            "compressed with bzip2; add .bz2 to its name, as in NAME.csv.bz2",
        ),
        (
            "xz.csv",
            "compressed with xz, which is not read; unpack it first",
        ),
        ("zip.csv", "a ZIP archive by its first bytes"),
    ] {
        scratch.fail(&["dedup", name], &[name, said]);
    }
    scratch.succeed(&["sql", "SELECT \"PAR1\", text FROM 'text.csv'"]);
    // Of other kinds under the name of Parquet.
    let dump = "<?xml version=\"1.0\"?>\n<mediawiki><page></page></mediawiki>";
    for (bytes, said) in [
        (
            &b"id,text\n1,a\n"[..],
            "the file is text and not Parquet by its first bytes; rename it to .csv or .tsv",
        ),
        (b"id,text\n1,caf\xe9\n", "rename it to .csv or .tsv"),
        (
            b"{\"id\":1}\n",
            "the file is JSON and not Parquet by its first bytes; rename it to .jsonl",
        ),
        (dump.as_bytes(), "rename it to .xml"),
        (
            &scratch.read("rows.csv.bz2"),
            "the file is compressed by its first bytes; unpack it first",
        ),
    ] {
        scratch.write("no.parquet", bytes);
        scratch.fail(&["dedup", "no.parquet"], &["no.parquet: ", said]);
        scratch.fail(
            &["sql", "SELECT * FROM 'no.parquet'"],
            &["no.parquet: ", said],
        );
    }
    let said = "the file is a MediaWiki dump by its first bytes; name it .xml, or";
    for name in ["dump.csv", "dump.tsv", "dump.txt", "dump.json"] {
        scratch.write(name, dump);
        scratch.fail(&["dedup", name], &[name, said]);
    }
    scratch.write("rows.parquet.gz", b"\x1F\x8B\x08");
    scratch.fail(
        &["dedup", "rows.parquet.gz"],
        &["rows.parquet.gz: .parquet.gz files are not read; unpack it first"],
    );
    for name in ["a\tb.csv", "a\nb.csv"] {
        scratch.write(name, "id,text\n1,a\n");
        let shown = name.escape_debug().to_string();
        scratch.fail(
            &["dedup", name],
            &[&shown, "the name has a control character", "rename it"],
        );
    }
    for name in ["a.zip", "a.csv.xz", "a.7z", "a.tar", "a.tar.gz", "a.rar"] {
        scratch.write(name, b"\x01\x02");
        scratch.fail(
            &["dedup", name],
            &[name, "files are not read; unpack it first"],
        );
    }
    assert!(!scratch.has("neardup-out"));
}

/// Columns that are not there or hold something else, with the answer that names the next step.
#[test]
fn wrong_columns_are_answered_with_what_to_do() {
    let scratch = Scratch::new();
    scratch.write("bare.csv", "1,hello world\n2,foo bar\n");
    scratch.write("typed.csv", "id,text,score\n1,a,5\n2,b,6\n");
    scratch.write(
        "nested.jsonl",
        "{\"id\":1,\"score\":5,\"tags\":[\"a\"],\"v\":[1,2],\"meta\":{\"text\":\"one two\"}}\n\
         {\"id\":2,\"score\":6,\"tags\":[\"b\"],\"v\":[1,3],\"meta\":{\"text\":\"three\"}}\n",
    );
    let flat = "COPY (SELECT *, meta['text'] AS text FROM '";
    let copy = format!("{flat}nested.jsonl') TO 'flat.parquet'");
    scratch.succeed(&["sql", &copy]);
    for (arguments, said) in [
        (
            &["bare.csv"][..],
            &[
                "if the file has no header, name its columns with --column-names, or number them with --no-header",
            ][..],
        ),
        (
            &["nested.jsonl", "--text", "score"],
            &[
                "but it holds integers; make a table with texts: neardup sql --threads 1 \"COPY (SELECT * REPLACE (CAST(score AS TEXT) AS score) FROM '",
                "nested.jsonl') TO 'texts.parquet'\"",
            ],
        ),
        (
            &["nested.jsonl", "--text", "tags"],
            &[
                "but it holds lists of texts; ",
                "array_to_string(tags, ' ') AS tags",
            ],
        ),
        (
            &["nested.jsonl", "--text", "v"],
            &[
                "but it holds lists of integers; dedup compares vectors with --method projection --vector v",
            ],
        ),
        (
            &["nested.jsonl", "--text", "meta"],
            &["but it holds objects; ", "REPLACE (meta['text'] AS meta)"],
        ),
        (
            &["nested.jsonl", "--text", "meta.text"],
            &[
                "no such column; its columns are: id, score, tags, v, meta; it is a field of an object",
                flat,
                "') TO 'flat.parquet'\", and give flat.parquet with --text text",
            ],
        ),
        (&["nested.jsonl"], &["it is a field of an object", flat]),
        (
            &["nested.jsonl", "--text", "meta['text']"],
            &["it is a field of an object", flat],
        ),
        (
            &["flat.parquet", "--id", "meta"],
            &["it holds objects; --id row uses row numbers as ids"],
        ),
        (
            &["typed.csv", "--method", "projection", "--vector", "text"],
            &["it holds texts; texts are compared by --text text"],
        ),
        (
            &["nested.jsonl", "--method", "projection", "--vector", "tags"],
            &[
                "--vector tags: must hold lists of numbers",
                "but it holds lists of texts",
            ],
        ),
    ] {
        let all = [&["dedup", "-o", "out"], arguments].concat();
        scratch.fail(&all, said);
        assert!(!scratch.has("out"), "{arguments:?}");
    }
    assert_eq!(
        scratch.job(&["dedup", "flat.parquet", "-o", "flat"])["rows"],
        2
    );
}

/// A job whose kept rows cannot be in a file of the format that is asked for says so, and that it is complete.
#[test]
fn kept_rows_that_their_format_cannot_hold() {
    let scratch = Scratch::new();
    let row = "{\"id\":1,\"text\":\"a b c\",\"tags\":[\"x\"]}\n";
    scratch.write("rows.jsonl", row);
    scratch.fail(
        &["dedup", "rows.jsonl", "-o", "out", "--kept", "kept.csv"],
        &[
            "--kept kept.csv: the column tags is a list, which CSV does not hold",
            "the job in out is complete: neardup sql --dir out \"COPY (SELECT … FROM kept) TO 'kept.csv'\" writes its rows",
        ],
    );
    assert!(scratch.has("out/kept.parquet") && !scratch.has("kept.csv"));
}

/// The query that an error proposes reads all rows of an input of several files.
#[test]
fn proposed_queries_read_the_whole_input() {
    let scratch = Scratch::new();
    for (file, id) in [("many/1.jsonl", 1), ("many/2.jsonl", 2), ("more.jsonl", 3)] {
        let row = format!("{{\"id\":{id},\"meta\":{{\"text\":\"text {id}\"}}}}\n");
        scratch.write(file, &row);
    }
    for (inputs, rows) in [
        (&["many"][..], 2),
        (&["many/"], 2),
        (&["many/*.jsonl"], 2),
        (&["many/1.jsonl", "many"], 2),
        (&["many/2.jsonl", "many/1.jsonl"], 2),
        (&["more.jsonl"], 1),
    ] {
        for (column, table) in [("meta.text", "flat.parquet"), ("meta", "texts.parquet")] {
            let all = [&["dedup", "--text", column, "-o", "out"], inputs].concat();
            let error = scratch.fail(&all, &["COPY ("]).err;
            let begin = error.find("COPY (").expect("a query");
            let end = begin + error[begin..].find('"').expect("its end");
            scratch.succeed(&["sql", &error[begin..end]]);
            let count = format!("SELECT count(text) AS n FROM '{table}'");
            let count = match column {
                "meta" => count.replace("text)", "meta)"),
                _ => count,
            };
            let answer = scratch.succeed(&["sql", "--format", "csv", &count]).out;
            assert_eq!(answer, format!("n\n{rows}\n"), "{all:?}");
        }
    }
    // What the error proposes is a command for a shell.
    let row = "{\"id\":1,\"Meta $A\":{\"a `b` \\\\\":\"one\"}}\n";
    scratch.write("it's.jsonl", row);
    let error = scratch.fail(&["dedup", "it's.jsonl", "--text", "Meta $A"], &["COPY ("]);
    let begin = error.err.find("neardup sql").expect("a command");
    let command = error.err[begin..].lines().next().expect("a line");
    let program = env!("CARGO_BIN_EXE_neardup");
    let done = std::process::Command::new("bash")
        .args([
            "-c",
            &format!("neardup() {{ '{program}' \"$@\"; }}; {command}"),
        ])
        .current_dir(scratch.path(""))
        .status();
    assert!(done.expect("bash").success(), "{command}");
    let query = "SELECT \"Meta $A\" AS text FROM 'texts.parquet'";
    let answer = scratch.succeed(&["sql", "--format", "csv", query]);
    assert_eq!(answer.out, "text\none\n");
    let several = [
        "dedup",
        "--text",
        "meta.text",
        "-o",
        "out",
        "more.jsonl",
        "many",
    ];
    scratch.fail(
        &several,
        &["AS text FROM 'PATTERN' /* PATTERN is one that matches all files"],
    );
}

/// Options of other programs, and arguments that are none.
#[test]
fn tips_name_what_was_meant() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,one two three\n2,four five six\n");
    for (arguments, said) in [
        (
            &["dedup", "rows.csv", "--sep", ","][..],
            "tip: --delimiter C says",
        ),
        (
            &["dedup", "rows.csv", "--skiprows", "2"],
            "tip: --skip-lines N leaves out",
        ),
        (
            &["dedup", "rows.csv", "--verbose"],
            "--log debug prints more",
        ),
        (&["dedup", "rows.csv", "-v"], "--log debug prints more"),
        (&["dedup", "rows.csv", "--ngram", "3"], "--shingle word:3"),
        (&["dedup", "rows.csv", "--num_perm", "3"], "--target-recall"),
        (
            &["dedup", "rows.csv", "--keep_by", "id"],
            "the option is written --keep-by",
        ),
        (&["dedup", "--input", "rows.csv"], "neardup dedup FILE"),
        (
            &["dedup", "rows.csv", "--output-dir", "o"],
            "-o names the result",
        ),
        (
            &["dedup", "rows.csv", "--dry-run"],
            "no input is ever changed",
        ),
        (
            &["dedup", "rows.csv", "--treshold", "0.9"],
            "a similar argument exists: '--threshold'",
        ),
        (&["show", "o", "--limit", "4"], "--clusters N"),
        (
            &["decontaminate", "rows.csv", "--test", "q.csv"],
            "--against FILE",
        ),
        (
            &["tune", "rows.csv", "--methods", "minhash"],
            "tune compares the methods by itself",
        ),
        (
            &["dedupe", "rows.csv"],
            "a similar subcommand exists: 'dedup'",
        ),
        (&["serve"], "neardup scheduler and neardup executor"),
        (&["cluster"], "neardup scheduler and neardup executor"),
        (
            &["dedup", "rows.csv", "--keep", "newest"],
            "--keep-by 'COLUMN desc'",
        ),
        (
            &["generate", "--rows", "ten", "-o", "x.parquet"],
            "must be a whole number",
        ),
        (&["executor", "--slots", "x"], "must be a whole number"),
    ] {
        let answer = scratch.run(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        assert!(answer.err.contains(said), "{arguments:?}: {}", answer.err);
        for noise in ["as a value", "step-timeout", "--version", "invalid digit"] {
            assert!(!answer.err.contains(noise), "{arguments:?}: {}", answer.err);
        }
    }
    for (arguments, said) in [
        (
            &["dedup", "rows.csv", "--report", "r.html"][..],
            "r.html: no such file or directory; it follows --report, which takes no value",
        ),
        (
            &["dedup", "rows.csv", "--json", "true"],
            "true: no such file or directory; it follows --json, which takes no value",
        ),
        (
            &["dedup", "rows.csv", "--kept", "k"],
            "--kept k: the name must end in .parquet, .csv, .tsv",
        ),
        (&["sql", "-f", "none.sql"], "none.sql: no such file"),
        (
            &["scheduler", "--bind", "localhost"],
            "--bind localhost: must be HOST:PORT, such as 127.0.0.1:50050",
        ),
        (
            &["dedup", "https://example.com/data.csv"],
            "https://example.com/data.csv: addresses of this kind are not read",
        ),
        (
            &["dedup", "hf://datasets/x/y.csv"],
            "hf://datasets/x/y.csv: addresses",
        ),
        (
            &[
                "dedup",
                "rows.csv",
                "--cluster",
                "df://localhost:1",
                "-o",
                "c",
            ],
            "no scheduler answers at localhost:1; start one with neardup scheduler",
        ),
        (
            &["executor", "--scheduler", "127.0.0.1:1"],
            "no scheduler answers at 127.0.0.1:1 (--scheduler names another); start one with neardup scheduler",
        ),
    ] {
        let answer = scratch.fail(arguments, &[said]);
        let mut lines = answer.err.lines();
        let error = lines.find(|line| line.starts_with("error: "));
        for noise in ["os error", "resubmitting", "STORED AS", "Grpc"] {
            let is_said = error.is_some_and(|error| error.contains(noise));
            assert!(!is_said, "{arguments:?}: {}", answer.err);
        }
    }
    assert!(!scratch.has("neardup-out"));
}

#[test]
fn warnings_name_no_module() {
    let scratch = Scratch::new();
    scratch.write("mix/rows.csv", "id,text\n1,one two three\n");
    scratch.write("mix/notes.md", "x");
    let answer = scratch.succeed(&["sql", "SELECT count(*) FROM 'mix/'"]);
    assert!(answer.err.starts_with("warning: mix"), "{}", answer.err);
    assert!(answer.err.contains("ignored 1 files"), "{}", answer.err);
}

/// Errors of the engine in plain words, each with the next step.
#[test]
fn errors_of_sql_name_the_next_step() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,one two three\n2,four five six\n");
    for name in ["rows.parquet", "rows.jsonl.gz"] {
        scratch.succeed(&["sql", &format!("COPY 'rows.csv' TO '{name}'")]);
    }
    scratch.succeed(&["dedup", "rows.csv", "-o", "done"]);
    // Names that are no files: that of a directory, and those of tables.
    for statement in [
        "DROP TABLE IF EXISTS done",
        "CREATE TABLE done AS SELECT 1 AS a; INSERT INTO done VALUES (2); DROP TABLE done",
        "DROP TABLE IF EXISTS 'none.csv'",
    ] {
        scratch.succeed(&["sql", statement]);
    }
    for (statement, said) in [
        (
            "SELECT median(text) FROM 'rows.csv'",
            "median does not take arguments of these types: median(text); it takes median(number)",
        ),
        (
            "SELECT substr(id, 'a') FROM 'rows.csv'",
            "substr(integer, text); it takes substr(str: text, start_pos: integer) or",
        ),
        (
            "SELECT substr(text) FROM 'rows.csv'",
            "substr needs a position",
        ),
        (
            "SELECT text[0:5] FROM 'rows.csv'",
            "this is a text; substr(text, 1, 5) gives the first five characters",
        ),
        (
            "SELECT text + 1 FROM 'rows.csv'",
            "these types: text + integer; || joins texts",
        ),
        (
            "SELECT 'it's'",
            "error: a text that begins at line 1, column 13 has no closing quote; a quote in a text is written twice",
        ),
        (
            "SELECT \"Text\" FROM 'rows.csv'",
            "No field named \"Text\": a name in double quotes keeps its capitals, and the column is written text.",
        ),
        (
            "SELECT * FROM 'rows.csv' WHERE text = \"en\"",
            "No field named en; a text is written in single quotes: 'en'.",
        ),
        (
            "SELECT id FROM 'rows.csv' ORDER BY nope",
            "Valid fields are \"rows.csv\".id, \"rows.csv\".text.",
        ),
        (
            "SELECT text, count(*) FROM 'rows.csv'",
            "error: the column text in SELECT must be in GROUP BY, or in an aggregate function such as min(text)\n",
        ),
        (
            "SET threshold = 0.8",
            "there is no option threshold (did you mean 'neardup.threshold'?)",
        ),
        ("SHOW threshold", "did you mean 'neardup.threshold'?"),
        (
            "SET memory_limit = '1GB'",
            "it is set when the program starts, --memory-limit",
        ),
        (
            "SET threads = 2",
            "it is set when the program starts, --threads",
        ),
        (
            "DELETE FROM 'rows.csv' WHERE id = 1",
            "COPY (SELECT * FROM 'rows.csv' WHERE NOT (…)) TO 'other.csv' writes the other rows",
        ),
        (
            "UPDATE 'rows.csv' SET text = 'a'",
            "COPY (SELECT … FROM 'rows.csv') TO 'other.csv' writes its rows with other values",
        ),
        (
            "INSERT INTO 'rows.csv' VALUES (3, 'x')",
            "INSERT: the rows of 'rows.csv' are in files, which are not changed in place; COPY (SELECT * FROM 'rows.csv' UNION ALL SELECT …) TO 'other.csv' writes them with others to a new file, which may be .parquet, .csv",
        ),
        (
            "INSERT INTO 'rows.parquet' VALUES (3, 'x')",
            "UNION ALL SELECT …) TO 'other.parquet' writes",
        ),
        (
            "INSERT INTO 'rows.jsonl.gz' VALUES (3, 'x')",
            "UNION ALL SELECT …) TO 'other.jsonl.gz' writes",
        ),
        (
            "CREATE VIEW v AS SELECT 1 AS a; INSERT INTO v VALUES (2)",
            "INSERT: v is a view, which has no rows of its own; CREATE TABLE … AS SELECT * FROM v makes",
        ),
        (
            "DROP TABLE 'rows.csv'",
            "DROP TABLE 'rows.csv': this is a file and no table of the session; DROP TABLE removes no files",
        ),
        (
            "DROP TABLE IF EXISTS './*.csv'",
            "DROP TABLE removes no files",
        ),
        (
            "SELECT ‘a’ AS x",
            "‘ is a typographic quote; SQL has straight ones, 'text' for texts and files and \"name\" for names: Expected: an expression, found: ‘ at Line: 1",
        ),
        ("SELECT * FROM “rows.csv”", "“ is a typographic quote"),
        (
            "SELECT 'a’ AS x",
            "’ is a typographic quote; SQL has straight ones, 'text' for texts and files and \"name\" for names: a text that begins at line 1, column 8 has no closing quote",
        ),
        (
            "SELECT TOP 5 * FROM 'rows.csv'",
            "error: TOP is not supported; LIMIT at the end of a query",
        ),
        (
            "SELECT lead(n, n) OVER (ORDER BY n) FROM (VALUES (1)) AS v (n)",
            "error: argument 2 of lead, lag and nth_value must be a constant",
        ),
        (
            ".tables",
            ".tables is not a statement of SQL: SHOW TABLES lists the tables",
        ),
        (
            "\\d rows.csv",
            "\\d is not a statement of SQL: SHOW TABLES lists the tables, DESCRIBE t the columns",
        ),
        (
            "COPY 'rows.csv' TO 'rows'",
            "error: the name after COPY … TO has no extension, which determines the format: .parquet, .csv, .tsv",
        ),
        (
            "COPY (SELECT a.id, b.id FROM 'rows.csv' a, 'rows.csv' b) TO 'pairs.jsonl'",
            "error: COPY … TO 'pairs.jsonl': two columns have the name 'id'; AS gives one of them another name\n",
        ),
        (
            "COPY 'rows.csv' TO 'rows.foo'",
            "files are written as .parquet, .csv, .tsv, .json, .jsonl and .ndjson (also .gz, .bz2, .zst), not as .foo",
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', shingle => char:5)",
            "error: a kind of shingle is written in quotes, shingle => 'char:5'\n",
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', threshold => 0,8)",
            "a number has a decimal point: threshold => 0.8",
        ),
        (
            "SELECT * FROM jaccard_join('rows.csv', threshold: 0.8)",
            "an argument is written name => value, threshold => 0.8",
        ),
        (
            "SELECT * FROM read_csv('rows.csv')",
            "there is no table function read_csv; a file in single quotes is a table: FROM 'rows.csv'",
        ),
        (
            "SELECT * FROM read_json_auto('a.json', x => true)",
            "a file in single quotes is a table: FROM 'a.json'",
        ),
        (
            "SELECT * FROM 'rows.csv' WHERE id = 'abc'",
            "error: 'abc' is not an integer, and id is compared with it; CAST(id AS TEXT) = 'abc' compares texts",
        ),
        (
            "COPY (SELECT 1 AS id, [1] AS tags) TO 'tags.csv'",
            "the column tags is a list, which CSV does not hold; take JSON or Parquet, or a text: array_to_string(tags, ';')",
        ),
        (
            "COPY (SELECT 1 AS id, [{'a': 1}] AS runs) TO 'runs.csv'",
            "the column runs is a list of objects, which CSV does not hold; take JSON or Parquet, leave it out: SELECT * EXCLUDE (runs), or write a row for each object: SELECT * EXCLUDE (runs), UNNEST(UNNEST(runs))",
        ),
    ] {
        let answer = scratch.fail(&["sql", statement], &[said]);
        for noise in [
            "utf8",
            "signature",
            "TokenizerError",
            "datafusion",
            "wildcard",
            "Cast error",
        ] {
            assert!(!answer.err.contains(noise), "{statement}: {}", answer.err);
        }
    }
    scratch.fail(
        &["sql", "--dir", "done", "SELECT * FROM pair"],
        &["table 'pair' not found", "did you mean 'pairs'?"],
    );
    scratch.fail(
        &["sql", "--dir", "done", "SELECT * FROM everything"],
        &["the tables are: clusters, kept, pairs"],
    );
    scratch.fail(
        &["why", "9", "done"],
        &["neardup sql --dir done \"SELECT id FROM clusters\""],
    );
    scratch.fail(
        &["ingest", "rows.csv", "-o", "pages"],
        &["not a dump", "neardup dedup reads tables"],
    );
    // Two rows need no more than this.
    let small = ["dedup", "rows.csv", "-o", "small", "--memory-limit", "1M"];
    scratch.succeed(&small);
    let words = |row: usize| (0..5_000).map(move |word| (row * 5_000 + word) * 7_919 % 1_000_003);
    let text = |row| {
        words(row)
            .map(|word| format!("{word} "))
            .collect::<String>()
    };
    let rows = (0..40).map(|row| format!("{row},{}\n", text(row)));
    scratch.write("many.csv", format!("id,text\n{}", rows.collect::<String>()));
    let limit = ["-o", "many", "--memory-limit", "10M", "--threads", "1"];
    let answer = scratch.fail(
        &[&["dedup", "many.csv"][..], &limit].concat(),
        &[
            "error: the memory limit of 10.0 MB is too small: grouping needs ",
            " MB more, and ",
            "raise the limit with --memory-limit",
        ],
    );
    assert!(!answer.err.contains("Stream"), "{}", answer.err);
}

/// CSV holds no lists: the error comes before the header, and the lists of functions are texts.
#[test]
fn lists_in_csv_are_named_before_the_header() {
    let scratch = Scratch::new();
    let csv = |statement: &'static str| ["sql", "--format", "csv", statement];
    let answer = scratch.fail(
        &csv("SELECT 1 AS id, [1] AS tags"),
        &["the column tags is a list", "array_to_string(tags, ';')"],
    );
    assert_eq!(answer.out, "");
    // What the error advises for a list of objects.
    let answer = scratch.fail(
        &csv("SELECT 1 AS id, [{'a': 1}] AS runs"),
        &["SELECT * EXCLUDE (runs), UNNEST(UNNEST(runs))"],
    );
    assert!(!answer.err.contains("array_to_string"), "{}", answer.err);
    for (columns, row) in [
        ("* EXCLUDE (runs)", "1\n"),
        ("* EXCLUDE (runs), UNNEST(UNNEST(runs))", "1,2\n"),
    ] {
        let statement = format!("SELECT {columns} FROM (SELECT 1 AS id, [{{'a': 2}}] AS runs)");
        let shown = scratch.succeed(&["sql", "--format", "csv", &statement]).out;
        assert!(shown.ends_with(row), "{shown}");
    }
    let shown = scratch
        .succeed(&csv("SHOW FUNCTIONS LIKE 'starts_with'"))
        .out;
    assert!(shown.starts_with("function_name,return_type,parameters,"));
    assert!(
        shown.contains("starts_with,Boolean,\"str, substr\",\"String, String\",SCALAR"),
        "{shown}"
    );
    let shown = scratch.succeed(&csv("SHOW FUNCTIONS LIKE '%join'")).out;
    assert!(shown.contains("jaccard_join,TABLE,"), "{shown}");
}

/// A file in the place of the pipe would let the reader of the pipe wait for ever.
#[test]
fn copy_to_a_pipe_is_refused() {
    let scratch = Scratch::new();
    let made = Command::new("mkfifo")
        .arg(scratch.path("rows.csv"))
        .status();
    assert!(made.is_ok_and(|made| made.success()));
    let copy = "COPY (SELECT 1 AS a) TO 'rows.csv'";
    scratch.fail(
        &["sql", "-c", copy],
        &["rows.csv': it is a pipe or a device"],
    );
    let kind = std::fs::metadata(scratch.path("rows.csv")).map(|found| found.file_type());
    assert!(kind.is_ok_and(|kind| !kind.is_file()));
}
