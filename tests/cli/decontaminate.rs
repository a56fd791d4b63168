//! `neardup decontaminate`: which rows are dropped, cut or marked, checked against the function `contamination`.

use crate::scratch::{Scratch, steps};
use serde_json::{Value, json};

/// A corpus without ids of more than one MiB, and items of it: pieces of its rows, word for word and changed.
fn corpus() -> Scratch {
    let scratch = Scratch::new();
    scratch.succeed(&[
        "generate",
        "--rows",
        "8000",
        "--seed",
        "5",
        "-o",
        "made.parquet",
        "--quiet",
    ]);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT text, 'x' || (id % 7) AS site, id % 11 AS score FROM 'made.parquet' ORDER BY id) TO 'rows.csv'",
        "-c",
        "COPY (SELECT text AS question, 'Q' || id AS id FROM 'made.parquet' WHERE id % 80 = 3 ORDER BY id) TO 'quiz.jsonl'",
    ]);
    assert!(scratch.read("rows.csv").len() > 1 << 20);
    scratch
}

const AGAINST: [&str; 4] = ["--against", "quiz.jsonl", "--item-text", "question"];

/// Runs the job over `rows.csv`, and gives its summary.
fn job(scratch: &Scratch, directory: &str, more: &[&str]) -> Value {
    let mut arguments = vec!["decontaminate", "rows.csv", "-o", directory];
    arguments.extend(AGAINST);
    arguments.extend(more);
    scratch.job(&arguments)
}

fn assert_none(scratch: &Scratch, directory: &str, sql: &str) {
    assert_eq!(scratch.job_number(directory, sql), 0, "{directory}: {sql}");
}

/// Items of one id, and items without an id, were counted as one.
#[test]
fn found_items_are_counted_by_rows() {
    let scratch = Scratch::new();
    scratch.write(
        "c.jsonl",
        r#"{"id": 1, "text": "The old mill by the river burned down in 1896. Nothing is known about the painter of it."}"#,
    );
    scratch.write(
        "i.jsonl",
        r#"{"id": "q1", "benchmark": "B", "text": "The old mill by the river burned down in 1896"}
        {"id": "q1", "benchmark": "B", "text": "Nothing is known about the painter of it"}
        {"id": null, "benchmark": "B", "text": "old mill by the river burned down in 1896. Nothing"}
        {"id": null, "benchmark": null, "text": "burned down in 1896. Nothing is known about the painter"}
        {"id": "q2", "benchmark": "B", "text": "What is known about the painter and the mill of Aldermoor?"}"#,
    );
    let arguments = [
        "decontaminate",
        "c.jsonl",
        "--against",
        "i.jsonl",
        "-o",
        "out",
    ];
    let summary = scratch.job(&arguments);
    assert_eq!(
        (&summary["items"], &summary["items_found"]),
        (&json!(5), &json!(4))
    );
    assert_eq!(
        summary["items_found_of_each_benchmark"],
        json!({"B": 3, "no benchmark": 1})
    );
}

#[test]
fn finds_are_those_of_the_function() {
    let scratch = corpus();
    // The rows with the numbers of their lines.
    scratch.succeed(&[
        "dedup",
        "rows.csv",
        "--threshold",
        "1",
        "-o",
        "numbered",
        "--quiet",
    ]);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'numbered/steps/01-input/*.parquet' ORDER BY id) TO 'numbered.parquet'",
    ]);
    for action in ["drop", "cut", "mark"] {
        let summary = job(&scratch, action, &["--action", action]);
        assert_eq!(summary["rows_read"], 8000);
        assert_eq!(summary["items"], 100);
        let contaminated = summary["contaminated_rows"].as_i64().expect("a count");
        assert!((100..4000).contains(&contaminated), "{summary}");
        for sql in [
            "SELECT count(*) FROM (SELECT corpus_id, item_id, kind, coverage, hits, start_char, end_char FROM contamination \
             EXCEPT SELECT corpus_id, item_id, kind, coverage, hits, start_char, end_char \
             FROM contamination('numbered.parquet', 'quiz.jsonl', text_b => question))",
            "SELECT (SELECT count(*) FROM contamination) - (SELECT count(*) \
             FROM contamination('numbered.parquet', 'quiz.jsonl', text_b => question))",
            "SELECT count(*) FROM contamination c JOIN 'numbered.parquet' r ON c.corpus_id = r.id \
             WHERE passage <> substr(r.text, start_char + 1, end_char - start_char)",
            "SELECT count(*) FROM contamination c JOIN 'quiz.jsonl' q ON c.item_id = q.id \
             WHERE item_text <> question OR field <> 'question' OR benchmark IS NOT NULL",
        ] {
            assert_none(&scratch, action, sql);
        }
        let distinct = "SELECT count(DISTINCT corpus_id) FROM contamination";
        assert_eq!(scratch.job_number(action, distinct), contaminated);
    }
    for (action, sql) in [
        (
            "drop",
            "SELECT count(*) FROM kept WHERE id IN (SELECT corpus_id FROM contamination)",
        ),
        (
            "drop",
            "SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM 'numbered.parquet')",
        ),
        (
            "drop",
            "SELECT 8000 - (SELECT count(*) FROM kept) - (SELECT count(DISTINCT corpus_id) FROM contamination)",
        ),
        ("mark", "SELECT 8000 - count(*) FROM kept"),
        (
            "mark",
            "SELECT count(*) FROM (SELECT id, text, site, score FROM kept EXCEPT SELECT * FROM 'numbered.parquet')",
        ),
        (
            "mark",
            "SELECT count(*) FROM kept WHERE contaminated <> (id IN (SELECT corpus_id FROM contamination))",
        ),
        // Rows without items stay as they are, and in the others no item is left.
        (
            "cut",
            "SELECT count(*) FROM kept k JOIN 'numbered.parquet' r ON k.id = r.id \
             WHERE (k.text = r.text) = (k.id IN (SELECT corpus_id FROM contamination)) OR k.site <> r.site OR k.score <> r.score",
        ),
        (
            "cut",
            "SELECT count(*) FROM contamination('cut/kept.parquet', 'quiz.jsonl', text_b => question)",
        ),
        ("cut", "SELECT count(*) FROM kept WHERE text = ''"),
        (
            "cut",
            "SELECT count(*) FROM kept LEFT ANTI JOIN 'numbered.parquet' r ON kept.id = r.id",
        ),
        (
            "cut",
            "SELECT count(*) FROM cuts c JOIN 'numbered.parquet' r ON c.id = r.id \
             WHERE passage <> substr(r.text, start_char + 1, end_char - start_char)",
        ),
        (
            "cut",
            "SELECT count(*) FROM kept k JOIN (SELECT id, array_agg(named_struct('start_char', start_char, 'end_char', end_char)) \
             AS spans FROM cuts GROUP BY id) c ON k.id = c.id JOIN 'numbered.parquet' r ON k.id = r.id \
             WHERE k.text <> cut_spans(r.text, c.spans)",
        ),
    ] {
        assert_none(&scratch, action, sql);
    }
    let manifest = scratch.manifest("cut");
    let gone = manifest["steps"]
        .as_array()
        .expect("steps")
        .last()
        .expect("a step")["left_out"]
        .clone();
    let rows = scratch.job_number("cut", "SELECT 8000 - count(*) FROM kept");
    assert!(rows > 0, "whole rows are items");
    assert_eq!(gone, json!({"rows of which nothing is left": rows}));
}

#[test]
fn threads_change_nothing() {
    let scratch = corpus();
    let read = |directory: &str| {
        ["kept", "contamination", "cuts"]
            .map(|table| scratch.read(&format!("{directory}/{table}.parquet")))
    };
    let mut first = None;
    for threads in ["1", "2", "7"] {
        let more = ["--action", "cut", "--threads", threads];
        job(&scratch, threads, &more);
        let found = read(threads);
        assert!(
            *first.get_or_insert_with(|| found.clone()) == found,
            "{threads} threads"
        );
    }
}

/// Ids may repeat, and rows may have none: each row is searched for itself, and none is lost.
#[test]
fn every_row_is_searched_for_itself() {
    let scratch = Scratch::new();
    let item = "which of the seven towns on the river Brenn is the oldest one";
    let rows = [
        json!({"id": 1, "text": format!("Quiz. {item}? Aldermoor."), "n": 1}),
        json!({"id": 1, "text": "Another row of this id.", "n": 2}),
        json!({"id": null, "text": format!("It has no id: {item}"), "n": 3}),
        json!({"id": null, "text": "It has none, either.", "n": 4}),
        json!({"id": 4, "text": null, "n": 5}),
        json!({"id": 5, "text": "", "n": 6}),
        json!({"id": 6, "text": format!("{item}?"), "n": 7}),
    ];
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    scratch.write("rows.jsonl", lines);
    scratch.write(
        "items.csv",
        format!("name,question,answer,benchmark\na,{item},No,towns\nb,{item},Yes of course it is,towns\nc,,too short,other\n"),
    );
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'rows.jsonl') TO 'rows.parquet'",
    ]);
    for input in ["rows.jsonl", "rows.parquet"] {
        let run = |action: &str, more: &[&str]| {
            let mut arguments = vec![
                "decontaminate",
                input,
                "--against",
                "items.csv",
                "--item-id",
                "name",
            ];
            arguments.extend([
                "--item-text",
                "question,answer",
                "--action",
                action,
                "-o",
                action,
                "--overwrite",
            ]);
            arguments.extend(more);
            scratch.job(&arguments)
        };
        let summary = run("drop", &[]);
        assert_eq!(
            (
                &summary["rows_read"],
                &summary["contaminated_rows"],
                &summary["kept"]
            ),
            (&json!(7), &json!(3), &json!(4)),
            "{summary}"
        );
        assert_eq!(
            summary["left_out"],
            json!({"rows without a text": 1, "items under 4 words": 2})
        );
        assert_eq!(
            (&summary["items"], &summary["items_found"]),
            (&json!(5), &json!(2))
        );
        let kept = scratch.job_rows("drop", "SELECT n FROM kept ORDER BY n");
        assert_eq!(
            Value::from(kept),
            json!([{"n": 2}, {"n": 4}, {"n": 5}, {"n": 6}])
        );
        let found = scratch.job_rows(
            "drop",
            "SELECT corpus_id, item_id, benchmark, field, start_char, passage FROM contamination WHERE item_id = 'b'",
        );
        assert_eq!(
            Value::from(found),
            json!([
                {"corpus_id": 1, "item_id": "b", "benchmark": "towns", "field": "question", "start_char": 6, "passage": item},
                {"corpus_id": 6, "item_id": "b", "benchmark": "towns", "field": "question", "start_char": 0, "passage": item},
                {"corpus_id": null, "item_id": "b", "benchmark": "towns", "field": "question", "start_char": 14, "passage": item},
            ])
        );
        let summary = run("cut", &[]);
        assert_eq!(summary["kept"], 6);
        assert_eq!(summary["left_out"]["rows of which nothing is left"], 1);
        let kept = scratch.job_rows("cut", "SELECT n, text FROM kept ORDER BY n");
        assert_eq!(
            Value::from(kept),
            json!([
                {"n": 1, "text": "Quiz. Aldermoor."},
                {"n": 2, "text": "Another row of this id."},
                {"n": 3, "text": "It has no id:"},
                {"n": 4, "text": "It has none, either."},
                {"n": 5, "text": null},
                {"n": 6, "text": ""},
            ])
        );
        run("mark", &["--kept", "marked.jsonl"]);
        let kept = scratch.rows("SELECT n, contaminated FROM 'marked.jsonl' ORDER BY n");
        let marks: Vec<&Value> = kept.iter().map(|row| &row["contaminated"]).collect();
        assert_eq!(
            json!(marks),
            json!([true, false, true, false, false, false, true])
        );
        // Items that are less alike are found with a lower coverage only.
        let summary = run("drop", &["--min-words", "1"]);
        assert_eq!(summary["left_out"]["items under 4 words"], Value::Null);
    }
}

/// Items of three benchmarks, of which two have one id in common, and two a text.
#[test]
fn items_of_several_benchmarks() {
    let scratch = Scratch::new();
    let (mill, bridge) = (
        "the old mill stands by the river and the road passes it",
        "which bridge over the river Brenn was opened by the mayor of the town",
    );
    scratch.write(
        "corpus.jsonl",
        format!(
            "{}\n{}\n",
            json!({"id": 1, "text": format!("They say that {mill}.")}),
            json!({"id": 2, "text": format!("{bridge}? And {mill}.")})
        ),
    );
    let items = format!(
        "q1,{mill},towns\nq1,{bridge},bridges\nq2,{mill},quiz\nq3,nothing that stands in any of the texts,quiz\nq4,{mill},\n"
    );
    scratch.write("items.csv", format!("id,text,benchmark\n{items}"));
    scratch.write("named.csv", format!("id,text,set\n{items}"));
    let run = |items: &str, more: &[&str]| {
        let mut arguments = vec!["decontaminate", "corpus.jsonl", "--against", items];
        arguments.extend(["-o", "out", "--overwrite"]);
        arguments.extend(more);
        scratch.job(&arguments)
    };
    for (items, more) in [
        ("items.csv", vec![]),
        ("named.csv", vec!["--item-benchmark", "set"]),
    ] {
        let summary = run(items, &more);
        assert_eq!(summary["items_found"], 4, "{summary}");
        assert_eq!(
            summary["items_found_of_each_benchmark"],
            json!({"bridges": 1, "no benchmark": 1, "quiz": 1, "towns": 1})
        );
        let found = scratch.job_rows(
            "out",
            "SELECT corpus_id, item_id, benchmark, field FROM contamination ORDER BY corpus_id, item_id, benchmark",
        );
        let row = |id: i64, item: &str, set: Option<&str>| json!({"corpus_id": id, "item_id": item, "benchmark": set, "field": "text"});
        assert_eq!(
            Value::from(found),
            json!([
                row(1, "q1", Some("towns")),
                row(1, "q2", Some("quiz")),
                row(1, "q4", None),
                row(2, "q1", Some("bridges")),
                row(2, "q1", Some("towns")),
                row(2, "q2", Some("quiz")),
                row(2, "q4", None),
            ])
        );
    }
    // Of many benchmarks, the smallest are counted together.
    let many = (0..130).map(|number| format!("q,{mill},set{number:03}\n"));
    let many: String = many.collect();
    scratch.write(
        "many.csv",
        format!("id,text,benchmark\nr,{bridge},set007\n{many}"),
    );
    let summary = run("many.csv", &[]);
    let of_each = &summary["items_found_of_each_benchmark"];
    assert_eq!(of_each.as_object().map(serde_json::Map::len), Some(101));
    assert_eq!(of_each["set007"], 2, "{of_each}");
    assert_eq!(of_each["other benchmarks"], 30, "{of_each}");
    // Without such a column nothing is counted by it.
    let summary = run("named.csv", &[]);
    // Both rows of q1 are found.
    assert_eq!(summary["items_found"], 4, "{summary}");
    assert_eq!(summary["items_found_of_each_benchmark"], Value::Null);
    let printed = scratch.succeed(&[
        "decontaminate",
        "corpus.jsonl",
        "--against",
        "items.csv",
        "-o",
        "printed",
    ]);
    for (name, items) in [("items found", 4), ("  of bridges", 1)] {
        let line = format!("{name:<28} {items}\n");
        assert!(printed.out.contains(&line), "{}", printed.out);
    }
    scratch.fail(
        &[
            "decontaminate",
            "corpus.jsonl",
            "--against",
            "named.csv",
            "--item-benchmark",
            "sets",
            "-o",
            "wrong",
        ],
        &["--item-benchmark sets: the items have no such column"],
    );
}

/// Items without ids are named by file and row; a folder of them is read.
#[test]
fn items_without_ids_are_named_by_their_place() {
    let scratch = Scratch::new();
    let item = "the old mill stands by the river and the road passes it";
    scratch.write(
        "sets/a.csv",
        format!("text\nnothing of interest stands here at all\n{item}\n"),
    );
    scratch.write("sets/b.csv", "text\nand nothing here of interest at all\n");
    scratch.write("corpus.txt", format!("They say that {item}."));
    scratch.succeed(&[
        "decontaminate",
        "corpus.txt",
        "--against",
        "sets",
        "-o",
        "out",
        "--quiet",
    ]);
    let found = scratch.job_rows("out", "SELECT item_id, kind FROM contamination");
    assert_eq!(found.len(), 1);
    let name = found[0]["item_id"].as_str().expect("a text");
    assert!(name.ends_with("sets/a.csv:000000000001"), "{name}");
}

#[test]
fn a_stopped_job_goes_on() {
    let scratch = corpus();
    let more = ["--action", "cut"];
    job(&scratch, "whole", &more);
    job(&scratch, "again", &more);
    for damage in ["removed", "cut"] {
        let manifest = scratch.manifest("again");
        assert!(steps(&manifest)[2].ends_with("searched"));
        let file = &manifest["steps"][2]["files"][0]["path"];
        let damaged = format!("again/{}", file.as_str().expect("a path"));
        let bytes = scratch.read(&damaged);
        match damage {
            "removed" => std::fs::remove_file(scratch.path(&damaged)).expect("a file"),
            _ => drop(scratch.write(&damaged, &bytes[..bytes.len() / 2])),
        }
        let summary = job(&scratch, "again", &more);
        assert_eq!(summary["steps_done_before"], 5, "{damage}");
        for table in ["kept", "contamination", "cuts"] {
            let read = |directory: &str| scratch.read(&format!("{directory}/{table}.parquet"));
            assert!(read("again") == read("whole"), "{damage}: {table}");
        }
    }
    // Another action is another job.
    let mut other = vec![
        "decontaminate",
        "rows.csv",
        "-o",
        "again",
        "--action",
        "drop",
    ];
    other.extend(AGAINST);
    scratch.fail(
        &other,
        &[
            "again holds another job: its action is \"cut\"; now action is \"drop\"",
            "--overwrite",
        ],
    );
    other.push("--overwrite");
    scratch.succeed(&other);
    assert!(!scratch.has("again/cuts.parquet"));
    // A changed set of items is another job, too.
    let items = scratch.read("quiz.jsonl");
    scratch.write(
        "quiz.jsonl",
        &items[..items.len() / 2
            + items[items.len() / 2..]
                .iter()
                .position(|&byte| byte == b'\n')
                .expect("a line")
            + 1],
    );
    other.pop();
    scratch.fail(&other, &["quiz.jsonl has changed since"]);
}

#[test]
fn mistakes_are_answered() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,body,contaminated\n1,some text of a row,no\n",
    );
    scratch.write(
        "items.csv",
        "id,question\n1,what is this and what is that\n",
    );
    scratch.write("empty.csv", "id,question\n1,\n");
    scratch.write(
        "dump.xml",
        "<mediawiki><page><title>A</title></page></mediawiki>",
    );
    for (more, said) in [
        (
            &["--against", "items.csv"][..],
            "--text text: the input has no such column; its columns are: id, body",
        ),
        (
            &["--against", "items.csv", "--text", "body"],
            "--item-text text: the items have no such column; their columns are: id, question",
        ),
        (
            &[
                "--against",
                "items.csv",
                "--text",
                "body",
                "--item-text",
                "qestion",
            ],
            "did you mean 'question'?",
        ),
        (
            &[
                "--against",
                "items.csv",
                "--text",
                "body",
                "--item-text",
                "question",
                "--action",
                "mark",
            ],
            "--action mark: the corpus has a column contaminated already",
        ),
        (
            &[
                "--against",
                "empty.csv",
                "--text",
                "body",
                "--item-text",
                "question",
            ],
            "empty.csv: there are no items: the texts of all rows are NULL",
        ),
        (
            &[
                "--against",
                "*.csv",
                "--text",
                "body",
                "--item-text",
                "question",
            ],
            "is given twice: as a file of the corpus, and in --against",
        ),
        (
            &["--against", "dump.xml", "--text", "body"],
            "a dump is not a table of documents",
        ),
        (&["--against", "missing.csv"], "missing.csv"),
        (
            &[
                "--against",
                "items.csv",
                "--kept",
                "out/contamination.parquet",
                "--text",
                "body",
            ],
            "the job writes contamination.parquet in its directory out",
        ),
        (
            &["--against", "items.csv", "--text", "id", "--action", "cut"],
            "--text id: the column holds the ids of the rows",
        ),
        (
            &["--against", "items.csv", "--min-run", "0"],
            "--min-run must be a whole number in [1, 64], found 0",
        ),
        (
            &["--against", "items.csv", "--min-coverage", "1.5"],
            "--min-coverage must be a number in (0, 1], found 1.5",
        ),
        (
            &["--against", "items.csv", "--action", "delete"],
            "drop, cut",
        ),
        (&["--text", "body"], "--against <ITEMS>"),
        (
            &[
                "--against",
                "items.csv",
                "--kept",
                "items.csv",
                "--text",
                "body",
            ],
            "this is the input items.csv",
        ),
    ] {
        let mut arguments = vec!["decontaminate", "rows.csv", "-o", "out"];
        arguments.extend(more);
        scratch.fail(&arguments, &[said]);
    }
    scratch.succeed(&[
        "decontaminate",
        "rows.csv",
        "--against",
        "items.csv",
        "--text",
        "body",
        "--item-text",
        "question",
        "-o",
        "out",
        "--quiet",
    ]);
    scratch.fail(
        &["show", "out"],
        &[
            "a job of decontaminate has no clusters",
            "SELECT * FROM contamination LIMIT 10",
        ],
    );
}

/// The positions of all items are found in one pass over the text, so that the time is linear.
#[test]
fn a_text_of_very_many_items() {
    let scratch = Scratch::new();
    let item = "one two three four five six seven eight nine ten";
    let text = format!("{item}. and sö on. ").repeat(30_000);
    scratch.write(
        "rows.jsonl",
        format!(
            "{}\n",
            json!({"id": 1, "text": text, "neardup_hits_index": 1, "neardup_hits_key": 2})
        ),
    );
    scratch.write("items.jsonl", format!("{}\n", json!({"text": item})));
    let arguments = [
        "decontaminate",
        "rows.jsonl",
        "--against",
        "items.jsonl",
        "--action",
        "cut",
        "--memory-limit",
        "256M",
    ];
    let summary = scratch.job(&arguments);
    assert_eq!(
        (&summary["cuts"], &summary["kept"]),
        (&json!(30_000), &json!(1)),
        "{summary}"
    );
    let kept = scratch.job_rows("neardup-out", "SELECT * FROM kept");
    let left = "and sö on. ".repeat(30_000);
    assert_eq!(
        Value::from(kept),
        json!([{"id": 1, "neardup_hits_index": 1, "neardup_hits_key": 2, "text": left}])
    );
}

/// The ids of items of standard input do not depend on the name of its temporary copy.
#[test]
fn ids_of_standard_input_stay_the_same() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.jsonl",
        "{\"text\":\"they say: one two three four five six seven eight nine ten.\"}\n",
    );
    let mut found = Vec::new();
    for directory in ["a", "b"] {
        let mut command = scratch.command(&[
            "decontaminate",
            "rows.jsonl",
            "--against",
            "-",
            "-o",
            directory,
            "--quiet",
        ]);
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(
            &mut pipe,
            b"{\"text\":\"one two three four five six seven eight nine ten\"}\n",
        )
        .expect("a pipe");
        drop(pipe);
        assert!(child.wait().expect("a child").success());
        found.push(Value::from(
            scratch.job_rows(directory, "SELECT item_id FROM contamination"),
        ));
    }
    assert_eq!(found[0], json!([{"item_id": "-:000000000000"}]));
    assert_eq!(found[0], found[1]);
}

/// The texts of a list, such as the choices of a question, are the lines of one item.
#[test]
fn lists_of_texts_are_items() {
    let scratch = Scratch::new();
    scratch.write(
        "corpus.jsonl",
        "{\"id\":1,\"text\":\"Before it the mill by the river,\\nthe bridge over the river,\\nthe tower of the church and so on\"}\n\
         {\"id\":2,\"text\":\"the mill by the river is all of it\"}\n\
         {\"id\":3,\"text\":\"nothing of the kind\"}\n",
    );
    scratch.write(
        "items.jsonl",
        "{\"id\":\"q\",\"choices\":[\"The mill by the river\",null,\"the bridge over the river\",\"the tower of the church\"],\"marks\":[1,2]}\n\
         {\"id\":\"none\",\"choices\":[],\"marks\":null}\n\
         {\"id\":\"null\",\"choices\":null,\"marks\":null}\n",
    );
    scratch.succeed(&["sql", "COPY 'items.jsonl' TO 'items.parquet'"]);
    for items in ["items.jsonl", "items.parquet"] {
        scratch.succeed(&[
            "decontaminate",
            "corpus.jsonl",
            "--against",
            items,
            "--item-text",
            "choices",
            "--overwrite",
            "--quiet",
            "-o",
            "out",
        ]);
        let found = scratch.succeed(&[
            "sql",
            "--dir",
            "out",
            "--format",
            "csv",
            "SELECT corpus_id, item_id, field, replace(item_text, chr(10), '|') AS item, coverage FROM contamination",
        ]);
        assert_eq!(
            found.out,
            "corpus_id,item_id,field,item,coverage\n\
             1,q,choices,The mill by the river|the bridge over the river|the tower of the church,1.0\n",
            "{items}"
        );
    }
    scratch.fail(
        &[
            "decontaminate",
            "corpus.jsonl",
            "--against",
            "items.jsonl",
            "--item-text",
            "marks",
            "-o",
            "wrong",
        ],
        &["--item-text marks: must be a column of texts or of lists of texts, but it holds List"],
    );
}

/// The items are read with the options of the corpus only if their columns are not found without them.
#[test]
fn options_of_reading_describe_the_corpus_first() {
    let scratch = Scratch::new();
    let text = "eins zwei drei vier fünf sechs sieben acht neun zehn";
    let other = "ganz andere Wörter, die nirgends sonst stehen";
    let latin1 = |text: &str| -> Vec<u8> {
        text.chars()
            .map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1"))
            .collect()
    };
    let rows = format!("1;{text}\n2;{other}\n");
    scratch.write("headed.csv", format!("id;text\n{rows}"));
    scratch.write("bare.csv", latin1(&rows));
    scratch.succeed(&[
        "sql",
        "--delimiter",
        ";",
        "-c",
        "COPY 'headed.csv' TO 'rows.parquet'; COPY 'headed.csv' TO 'rows.jsonl'",
    ]);
    scratch.write("comma.csv", format!("id,text\n7,\"{text}\"\n"));
    scratch.write("semicolon.csv", format!("id;text\n7;{text}\n"));
    scratch.write("bare_items.csv", format!("7;{text}\n"));
    scratch.write("latin1.csv", latin1(&format!("id,text\n7,{text}\n")));
    scratch.write("separated.txt", format!("id;text\n7;{text}\n"));
    scratch.write("separated.dat", format!("id;text\n7;{text}\n"));
    scratch.write("prose.txt", format!("{text}; {other}\n"));

    let headed = ["headed.csv", "--delimiter", ";"];
    let bare = [
        "bare.csv",
        "--delimiter",
        ";",
        "--column-names",
        "id,text",
        "--encoding",
        "latin1",
    ];
    let parquet = ["rows.parquet", "--delimiter", ";"];
    let json = ["rows.jsonl", "--delimiter", ";", "--encoding", "utf-8"];
    let run = |corpus: &[&str], items: &str| {
        let directory = format!("{}-{items}", corpus[0]);
        let arguments = ["--against", items, "-o", &directory];
        let summary = scratch.job(&[&["decontaminate"], corpus, &arguments].concat());
        assert_eq!(summary["items"], 1, "{directory}");
        assert_eq!(summary["contaminated_rows"], 1, "{directory}");
        let sql = "SELECT arrow_cast(item_id, 'Utf8') AS id FROM contamination";
        let found = scratch.job_rows(&directory, sql);
        found[0]["id"].as_str().expect("an id").to_owned()
    };
    for (corpus, items) in [
        (&headed[..], "comma.csv"),
        (&headed, "semicolon.csv"),
        (&headed, "separated.txt"),
        (&headed, "separated.dat"),
        (&bare, "comma.csv"),
        (&bare, "bare_items.csv"),
        (&bare, "latin1.csv"),
        (&parquet, "semicolon.csv"),
        (&json, "semicolon.csv"),
    ] {
        assert_eq!(run(corpus, items), "7", "{corpus:?} {items}");
    }
    assert!(run(&headed, "prose.txt").contains("prose.txt"));

    for (corpus, items, said) in [
        // The error is that of the way of reading in which there are columns.
        (&headed[..], "comma.csv", "their columns are: id, text"),
        (&headed, "semicolon.csv", "their columns are: id, text"),
        // These options can only be those of the items.
        (&parquet, "comma.csv", "their columns are: id,text"),
        (&parquet, "rows.jsonl", "--delimiter: "),
    ] {
        let arguments = ["--against", items, "--item-text", "question", "-o", "none"];
        let all = [&["decontaminate"], corpus, &arguments].concat();
        scratch.fail(&all, &[said]);
        assert!(!scratch.has("none"));
    }
}

/// With `--quote none`, the lines between two quotes of the items are items of their own.
#[test]
fn a_quote_that_is_given_counts_for_the_items() {
    let scratch = Scratch::new();
    let items = [
        "alpha beta gamma delta epsilon zeta eta theta iota kappa",
        "one two three four five six seven eight nine ten",
    ];
    let [first, second] = items;
    scratch.write("items.csv", format!("id,text\n0,\"{first}\n1,{second}\"\n"));
    scratch.write(
        "rows.csv",
        format!("id,text\n1,he said {first} then\n2,and {second} again\n3,nothing of the kind\n"),
    );
    let arguments = [
        "decontaminate",
        "rows.csv",
        "--against",
        "items.csv",
        "--quote",
        "none",
    ];
    let summary = scratch.job(&arguments);
    assert_eq!(
        (&summary["items"], &summary["kept"]),
        (&json!(2), &json!(1)),
        "{summary}"
    );
}
