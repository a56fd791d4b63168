//! `neardup show`: clusters with their texts and the differences between them.

use crate::scratch::Scratch;

#[test]
fn clusters_with_marked_differences() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    let shown = scratch
        .succeed(&["show", "--clusters", "1000", "--rows", "100"])
        .out;
    let sizes = scratch.job_rows(
        "neardup-out",
        "SELECT cluster_id, max(cluster_size) AS size FROM clusters WHERE cluster_size > 1 GROUP BY 1 ORDER BY 2 DESC, 1",
    );
    let heads: Vec<_> = shown
        .lines()
        .filter(|line| line.starts_with("cluster "))
        .collect();
    let wanted: Vec<_> = sizes
        .iter()
        .map(|row| format!("cluster {}, {} rows", row["cluster_id"], row["size"]))
        .collect();
    assert_eq!(heads, wanted);
    // A drifted fact is marked, and nothing else of its sentence.
    let drift = crate::scratch::expected("expected.tsv")
        .into_iter()
        .find(|row| row[0] == "factual_drift");
    let drift = drift.expect("a factual drift");
    assert!(
        shown.contains(&drift[1]) && shown.contains(&drift[2]),
        "titles are shown"
    );
    assert!(
        shown.contains("[-") && shown.contains("-]{+") && shown.contains("+}"),
        "{shown}"
    );
    assert!(!shown.contains('\x1b'), "colours are for terminals");

    let first = sizes[0]["cluster_id"].to_string();
    let one = scratch
        .succeed(&["show", "--cluster", &first, "--rows", "2"])
        .out;
    assert!(
        one.starts_with(&format!("cluster {first}, ")) && one.contains("kept"),
        "{one}"
    );
    assert!(
        one.contains(&format!(
            "… and {} more",
            sizes[0]["size"].as_i64().expect("a size") - 2
        )),
        "{one}"
    );
    assert_eq!(
        one.lines()
            .filter(|line| line.starts_with("cluster "))
            .count(),
        1
    );
    let three = scratch.succeed(&["show", "--clusters", "3"]).out;
    assert_eq!(
        three
            .lines()
            .filter(|line| line.starts_with("cluster "))
            .count(),
        3
    );
}

#[test]
fn exactly_what_differs_is_marked() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n8,the bridge over the river was built in the year 1931 by the town\n\
         3,the bridge over the river was built in the year 1930 by the town\n",
    );
    scratch.succeed(&["dedup", "rows.csv", "--threshold", "0.5", "--quiet"]);
    assert_eq!(
        scratch.succeed(&["show"]).out,
        "cluster 3, 2 rows\n    kept  3\n          the bridge over the river was built in the year 1930 by the town\n   \
         0.600  8\n          the bridge over the river was built in the year [-1930-]{+1931+} by the town\n\n"
    );
}

#[test]
fn what_is_not_there() {
    let scratch = Scratch::new();
    scratch.fail(&["show"], &["neardup-out", "there is no job here"]);
    scratch.write("rows.csv", "id,text\n1,a\n2,b\n");
    scratch.succeed(&["dedup", "rows.csv", "--quiet"]);
    assert!(
        scratch
            .succeed(&["show"])
            .out
            .contains("no near-duplicates were found")
    );
    for id in ["77", "none", "1'; DROP TABLE clusters", ""] {
        scratch.fail(&["show", "--cluster", id], &["there is no cluster", id]);
    }
    // A row that is alone is a cluster, too.
    assert!(
        scratch
            .succeed(&["show", "--cluster", "2"])
            .out
            .starts_with("cluster 2, 1 row")
    );
    let dump = crate::scratch::sample("samplewiki-pages-articles.xml");
    scratch.succeed(&[
        "ingest",
        dump.to_str().expect("a path"),
        "-o",
        "pages",
        "--quiet",
    ]);
    scratch.fail(&["show", "pages"], &["pages", "no clusters"]);
    std::fs::remove_file(scratch.path("rows.csv")).expect("a removed file");
    assert!(
        scratch
            .succeed(&["show"])
            .out
            .contains("no near-duplicates")
    );
}

/// Texts of another file must not be shown with the ids of a job.
#[test]
fn an_input_of_other_bytes_is_not_shown() {
    let scratch = Scratch::new();
    let write = |text: &str| {
        let sql = format!(
            "COPY (SELECT * FROM (VALUES (1, '{text} b c d'), (2, '{text} b c d')) AS v (id, text)) TO 'rows.parquet'"
        );
        scratch.succeed(&["sql", "-c", &sql]);
    };
    write("a");
    scratch.succeed(&["dedup", "rows.parquet"]);
    // The same bytes, written again, are fine.
    write("a");
    assert!(scratch.succeed(&["show"]).out.contains("a b c d"));
    write("x");
    scratch.fail(&["show"], &["rows.parquet", "holds other bytes"]);
}

/// An id that occurs twice in the input is shown and counted once.
#[test]
fn a_repeated_id_is_one_row() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,a b c d\n1,a b c d\n2,a b c d\n3,a b c d\n",
    );
    scratch.succeed(&["dedup", "rows.csv", "--quiet"]);
    let shown = scratch.succeed(&["show"]).out;
    let lines = |start: &str| shown.lines().filter(|line| line.starts_with(start)).count();
    assert!(shown.starts_with("cluster 1, 3 rows\n"), "{shown}");
    assert_eq!(
        (lines("    kept  "), lines("   1.000  ")),
        (1, 2),
        "{shown}"
    );
    let shown = scratch.succeed(&["show", "--rows", "2"]).out;
    assert!(shown.contains("… and 1 more"), "{shown}");
}

/// `show --json` prints each row as a JSON object with its whole text.
#[test]
fn rows_as_json() {
    let scratch = Scratch::new();
    let long = "word ".repeat(1000);
    scratch.write("rows.csv", format!("id,text\n1,{long}\n2,{long}\n3,x\n"));
    scratch.succeed(&["dedup", "rows.csv", "--quiet"]);
    let shown = scratch.succeed(&["show", "--json"]).out;
    let rows: Vec<serde_json::Value> = shown
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let row = |id: i64, similarity: serde_json::Value| {
        serde_json::json!({
            "cluster_id": 1, "id": id, "kept": id == 1, "similarity": similarity,
            "cluster_size": 2, "title": null, "text": long,
        })
    };
    assert_eq!(rows.len(), 2, "{shown}");
    assert_eq!(rows[1], row(2, 1.0.into()));
    scratch.fail(
        &["show", "--json", "--cluster", "9"],
        &["there is no cluster 9"],
    );
    let counted = scratch
        .succeed(&["sql", "--json", "-c", "SELECT 1 AS n"])
        .out;
    assert_eq!(counted, "{\"n\":1}\n");
    scratch.fail(
        &["sql", "--json", "--format", "csv", "-c", "SELECT 1"],
        &["--json contradicts --format csv"],
    );
}

#[test]
fn what_has_no_clusters_is_named() {
    let scratch = Scratch::new();
    scratch.succeed(&["dedup", "--quiet"]);
    let rows = scratch.job_rows(
        "neardup-out",
        "SELECT id, cluster_id FROM clusters WHERE NOT kept ORDER BY id LIMIT 1",
    );
    let (row, cluster) = (rows[0]["id"].to_string(), rows[0]["cluster_id"].to_string());
    let hint = format!("the row of this id is in cluster {cluster}");
    scratch.fail(
        &["show", "--cluster", &row],
        &["there is no cluster", &hint],
    );
    let unknown = scratch.fail(
        &["show", "--cluster", "no such row"],
        &["there is no cluster"],
    );
    assert!(
        !unknown.err.contains("the row of this id"),
        "{}",
        unknown.err
    );
    scratch.fail(&["show", "--clusters", "0"], &["0 is not in 1.."]);
    scratch.succeed(&["generate", "--dump", "--rows", "50", "-o", "d.xml"]);
    scratch.succeed(&["ingest", "d.xml", "-o", "ingested"]);
    scratch.fail(
        &["show", "ingested"],
        &[
            "a job of ingest has no clusters",
            "SELECT * FROM sentences LIMIT 10",
        ],
    );
    // The name of a file without quotes is the name of a table.
    scratch.write("rows.csv", "id,text\n1,a\n");
    let sql = ["sql", "-c", "SELECT * FROM rows.csv"];
    scratch.fail(&sql, &["table 'rows.csv' not found", "FROM 'rows.csv'"]);
    let missing = scratch.fail(
        &["sql", "-c", "SELECT * FROM 'we'"],
        &["table 'we' not found"],
    );
    assert!(!missing.err.contains("single quotes"), "{}", missing.err);
}

/// The summary is followed by the largest clusters and by rows that state another fact.
#[test]
fn a_job_ends_with_a_first_look_at_its_result() {
    let scratch = Scratch::new();
    scratch.write(
        "a.csv",
        "id,text\n\
         1,The bridge of Orvin was built in 1931 by the council of the town\n\
         2,The bridge of Orvin was built in 1934 by the council of the town\n\
         x 3,one two three four\nx 4,one two three four\nx 5,one two three four\n",
    );
    let said = scratch.succeed(&[
        "dedup",
        "a.csv",
        "-o",
        "out",
        "--threshold",
        "0.5",
        "--shingle",
        "word:1",
    ]);
    let (_, look) = said.out.split_once("written to").expect("a summary");
    let (_, look) = look.split_once('\n').expect("a first look");
    let wanted = "\n\
        largest clusters\n         \
        3 rows  x 3  one two three four\n         \
        2 rows  1  The bridge of Orvin was built in 1931 by the council of the town\n\n\
        removed rows that state another fact\n  \
        date 1931 → 1934: 2  The bridge of Orvin was built in 1934 by the council of the town\n\n\
        look at it: neardup show out\n            \
        neardup why 2 out\n            \
        neardup report out\n";
    assert_eq!(look, wanted);
    scratch.write("b.csv", "id,text\n1,a b c\n2,d e f\n");
    let said = scratch.succeed(&["dedup", "b.csv", "-o", "none"]);
    assert!(!said.out.contains("largest clusters"), "{}", said.out);
    assert!(
        said.out
            .contains("no rows are similar; a lower --threshold"),
        "{}",
        said.out
    );
    let line = "The bridge of Orvin was built in 1931 by the council of the town\n";
    scratch.write("lines.txt", line.repeat(3));
    let said = scratch.succeed(&["dedup", "lines.txt", "-o", "texts"]);
    let hint = "--delimiter tab --quote none --column-names text";
    assert!(
        said.out
            .contains(&format!("each .txt file is one row; {hint}")),
        "{}",
        said.out
    );
    let mut arguments = vec!["dedup", "lines.txt", "-o", "lines"];
    arguments.extend(hint.split(' '));
    let said = scratch.succeed(&arguments);
    assert!(
        said.out.contains("rows read                    3\n"),
        "{}",
        said.out
    );
}
