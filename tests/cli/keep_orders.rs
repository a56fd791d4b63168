//! Keep orders of several keys: the first row in their order is kept, by jobs and by queries.

use crate::scratch::Scratch;
use std::cmp::Ordering;
use std::fmt::Write;

/// A row of a group of rows whose normalised texts are equal.
#[derive(Debug, Clone)]
struct Row {
    id: usize,
    group: usize,
    quality: Option<f64>,
    /// Spaces that normalisation removes.
    spaces: usize,
    /// A text, ordered as a number if it is one.
    date: Option<&'static str>,
}

/// Rows in which many values are equal and many are missing. Some ids have several rows.
fn rows() -> Vec<Row> {
    let mut state = 11_u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        (state >> 33) as usize % bound
    };
    let mut rows: Vec<Row> = (0..900)
        .map(|id| Row {
            id,
            group: below(150),
            quality: [Some(0.5), Some(2.5), Some(-1.0), Some(f64::NAN), None][below(5)],
            spaces: below(3),
            date: [
                Some("9"),
                Some("10"),
                Some("1e1"),
                Some("b"),
                Some(""),
                None,
            ][below(6)],
        })
        .collect();
    for _ in 0..60 {
        let again = rows[below(900)].clone();
        let other = rows[below(900)].clone();
        rows.push(again.clone());
        rows.push(Row {
            quality: other.quality,
            date: other.date,
            ..again
        });
    }
    rows
}

impl Row {
    fn text(&self) -> String {
        let spaces = " ".repeat(self.spaces);
        format!(
            "row of the{spaces} group number {} and nothing else",
            self.group
        )
    }

    fn length(&self) -> Option<f64> {
        Some(self.text().len() as f64)
    }

    fn quality(&self) -> Option<f64> {
        self.quality.filter(|quality| !quality.is_nan())
    }

    /// The order of dates: numbers, then other texts in either direction.
    fn date(&self, descending: bool) -> Option<f64> {
        self.date.filter(|date| !date.is_empty()).map(|date| {
            let of_texts = if descending { f64::MIN } else { f64::MAX };
            date.parse().unwrap_or(of_texts)
        })
    }
}

/// A missing value is last in either direction.
fn compare(a: Option<f64>, b: Option<f64>, descending: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => b.total_cmp(&a),
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

type Order = fn(&Row, &Row) -> Ordering;

const ORDERS: [(&str, Order); 5] = [
    ("quality desc, length(text) desc, date", |a, b| {
        compare(a.quality(), b.quality(), true)
            .then(compare(a.length(), b.length(), true))
            .then(compare(a.date(false), b.date(false), false))
    }),
    ("date desc, quality", |a, b| {
        compare(a.date(true), b.date(true), true).then(compare(a.quality(), b.quality(), false))
    }),
    ("length(text), date asc, quality DESC", |a, b| {
        compare(a.length(), b.length(), false)
            .then(compare(a.date(false), b.date(false), false))
            .then(compare(a.quality(), b.quality(), true))
    }),
    ("\"quality\" , Length( \"text\" ) desc", |a, b| {
        compare(a.quality(), b.quality(), false).then(compare(a.length(), b.length(), true))
    }),
    ("length(text) desc", |a, b| {
        compare(a.length(), b.length(), true)
    }),
];

/// Writes the rows as rows.parquet.
fn written(scratch: &Scratch, rows: &[Row]) {
    let mut lines = String::from("id,text,quality,date\n");
    for row in rows {
        let quality = row
            .quality
            .map_or(String::new(), |quality| quality.to_string());
        let date = row.date.map_or(String::new(), |date| format!("\"{date}\""));
        let _ = writeln!(lines, "{},\"{}\",\"{quality}\",{date}", row.id, row.text());
    }
    scratch.write("rows.csv", lines);
    scratch.succeed(&[
        "sql",
        "--all-text",
        "-c",
        "COPY (SELECT CAST(id AS BIGINT) AS id, text, CAST(nullif(quality, '') AS DOUBLE) AS quality, date \
         FROM 'rows.csv') TO 'rows.parquet'",
    ]);
}

#[test]
fn the_first_row_in_the_order_of_all_keys_is_kept() {
    let rows = rows();
    let scratch = Scratch::new();
    written(&scratch, &rows);
    for (number, (order, compare)) in ORDERS.into_iter().enumerate() {
        let mut expected: Vec<usize> = (0..150)
            .filter_map(|group| {
                let members = rows.iter().filter(|row| row.group == group);
                members
                    .min_by(|a, b| compare(a, b).then(a.id.cmp(&b.id)))
                    .map(|row| row.id)
            })
            .collect();
        expected.sort_unstable();
        let mut published = None;
        for threads in ["1", "2", "7"] {
            let directory = format!("out-{number}-{threads}");
            scratch.succeed(&[
                "dedup",
                "rows.parquet",
                "--keep-by",
                order,
                "--threads",
                threads,
                "-o",
                &directory,
            ]);
            let bytes = scratch.published(&directory);
            assert!(*published.get_or_insert_with(|| bytes.clone()) == bytes);
            let of_job = scratch.job_rows(&directory, "SELECT * FROM kept ORDER BY id");
            let of_query = scratch.succeed(&[
                "sql",
                "--threads",
                threads,
                "--format",
                "json",
                "-c",
                &format!(
                    "SELECT * FROM deduplicate('rows.parquet', keep_by => '{order}') ORDER BY id"
                ),
            ]);
            let of_query: Vec<serde_json::Value> = of_query
                .out
                .lines()
                .map(|line| serde_json::from_str(line).expect("a row"))
                .collect();
            assert_eq!(
                serde_json::to_value(&of_job).expect("rows"),
                serde_json::Value::from(of_query),
                "{order}"
            );
            let ids: Vec<usize> = of_job
                .iter()
                .filter_map(|row| Some(row["id"].as_u64()? as usize))
                .collect();
            assert_eq!(ids, expected, "{order} with {threads} threads");
        }
    }
}

#[test]
fn a_job_is_resumed_with_the_same_order() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text,the score\n1,same text here,2\n2,same text here,1\n3,same text here,1\n",
    );
    let dedup = |order: &str| scratch.run(&["dedup", "rows.csv", "-o", "out", "--keep-by", order]);
    assert_eq!(dedup("the score").code, Some(0));
    assert_eq!(scratch.manifest("out")["parameters"]["keep"], "the score");
    assert_eq!(dedup(" \"the score\" asc").code, Some(0));
    let other = dedup("the score, id desc");
    assert_ne!(other.code, Some(0));
    assert!(other.err.contains("the score, id desc"), "{}", other.err);
    let order = "the score , length( text ) desc,id desc";
    scratch.succeed(&["dedup", "rows.csv", "-o", "more", "--keep-by", order]);
    assert_eq!(
        scratch.manifest("more")["parameters"]["keep"],
        "the score, length(text) desc, id desc"
    );
    assert_eq!(scratch.job_number("more", "SELECT id FROM kept"), 3);
    let report = scratch.succeed(&["report", "more"]);
    assert_eq!(report.code, Some(0));
    let page = String::from_utf8(scratch.read("more/report.html")).expect("text");
    assert!(page.contains("the score, length(text) desc, id desc"));
}

/// The first copy of a line is that of the row which comes first.
#[test]
fn edits_have_the_order_too() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text,score\n\
         1,\"a line that stands in every row\nx\",5\n\
         2,\"a line that stands in every row\nxyz\",7\n\
         3,\"a line that stands in every row\nxyzw\",7\n\
         4,\"a line that stands in every row\nyz\",\n",
    );
    for (order, first) in [
        ("score desc, length(text) desc", 3),
        ("score desc, length(text)", 2),
        ("score, id desc", 1),
    ] {
        let out = format!("out-{first}");
        scratch.succeed(&[
            "dedup",
            "rows.csv",
            "--edit",
            "lines",
            "--keep-by",
            order,
            "-o",
            &out,
        ]);
        let kept = "SELECT id FROM kept WHERE text LIKE 'a line%'";
        assert_eq!(scratch.job_number(&out, kept), first, "{order}");
    }
}

#[test]
fn what_is_wrong_with_an_order_is_said() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text,quality\n1,a b c,2\n");
    for (order, said) in [
        (
            "quality desc, qualty",
            "--keep-by qualty: the input has no such column (did you mean 'quality'?)",
        ),
        ("quality,", "a comma without a key"),
        (",quality", "a comma without a key"),
        ("", "must name a column"),
        (
            "lower(text)",
            "the only function in a keep order is length(column)",
        ),
        (
            "quality, length(quality)",
            "length(quality), which is for texts",
        ),
        ("length(txt)", "--keep-by txt: the input has no such column"),
        ("\"quality", "without closing quote"),
    ] {
        scratch.fail(
            &["dedup", "rows.csv", "-o", "no", "--keep-by", order],
            &[said],
        );
    }
    assert!(!scratch.has("no"));
}
