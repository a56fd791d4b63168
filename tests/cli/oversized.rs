//! Oversized buckets: pairs that are not compared are reported, and the keep order holds.

use crate::scratch::Scratch;
use serde_json::Value;
use std::fmt::Write;

/// Two templates of 300 variants, which grow longer with their number, and rows like no other.
fn corpus() -> Scratch {
    let scratch = Scratch::new();
    let mut rows = String::new();
    for row in 0..640 {
        let text = match row % 32 {
            31 => (0..20).map(|word| format!("r{row}w{word} ")).collect(),
            _ => {
                let words: String = (0..70)
                    .map(|word| format!("t{}w{word} ", row % 2))
                    .collect();
                let more = "more ".repeat(row / 100);
                format!("n{row} {words}{more}")
            }
        };
        writeln!(
            rows,
            r#"{{"id":{row},"text":"{}","score":{}}}"#,
            text.trim(),
            row * 7 % 13
        )
        .expect("a text");
    }
    scratch.write("rows.jsonl", rows);
    scratch
}

fn pairs_step(manifest: &Value) -> &Value {
    let steps = manifest["steps"].as_array().expect("steps");
    let name = |step: &&Value| {
        step["name"]
            .as_str()
            .is_some_and(|name| name.ends_with("-pairs"))
    };
    steps.iter().find(name).expect("a step of pairs")
}

#[test]
fn the_summary_and_the_manifest_say_what_was_not_compared() {
    let scratch = corpus();
    for method in ["exact", "minhash"] {
        let mut clusters = None;
        for threads in ["1", "2", "7"] {
            let directory = format!("{method}-{threads}");
            let job = ["dedup", "rows.jsonl", "-o", &directory, "--method", method];
            let summary = scratch.job(
                &[
                    &job[..],
                    &["--max-bucket-pairwise", "20", "--threads", threads],
                ]
                .concat(),
            );
            let oversized = &summary["oversized"];
            for count in ["buckets", "rows", "pairs_not_compared"] {
                assert!(oversized[count].as_u64() > Some(0), "{method}: {summary}");
            }
            let manifest = scratch.manifest(&directory);
            let figures = &pairs_step(&manifest)["figures"];
            assert_eq!(figures["oversized buckets"], oversized["buckets"]);
            assert_eq!(figures["rows in oversized buckets"], oversized["rows"]);
            assert_eq!(
                figures["pairs not compared"],
                oversized["pairs_not_compared"]
            );
            assert_eq!(
                summary["kept"], 22,
                "two templates and 20 rows like no other"
            );
            let found = (scratch.tables(&directory), oversized.clone());
            assert!(
                *clusters.get_or_insert(found.clone()) == found,
                "{method}, {threads} threads"
            );
            let steps = std::fs::read_dir(scratch.path(&format!("{directory}/steps")));
            for step in steps.expect("steps") {
                let files = std::fs::read_dir(step.expect("a step").path()).expect("a directory");
                for file in files {
                    let name = file.expect("a file").file_name();
                    assert!(
                        name.to_string_lossy().ends_with(".parquet"),
                        "{name:?} is left"
                    );
                }
            }
        }
    }
    let answer = scratch.succeed(&[
        "dedup",
        "rows.jsonl",
        "-o",
        "said",
        "--max-bucket-pairwise",
        "20",
    ]);
    assert!(answer.out.contains("oversized buckets"), "{}", answer.out);
    assert!(answer.out.contains("pairs not compared"), "{}", answer.out);
    let summary = scratch.job(&["dedup", "rows.jsonl", "-o", "all", "--bucket-pairs", "1000"]);
    assert_eq!(summary["oversized"]["buckets"], 0);
    assert_eq!(summary["oversized"]["pairs_not_compared"], 0);
    assert_eq!(summary["kept"], 22);
}

/// Pivots are chosen in keep order. In the order of ids, the longest row would remove the pivot of the other variants,
/// which would all be kept.
#[test]
fn the_longest_row_stands_for_an_oversized_bucket() {
    let scratch = corpus();
    for method in ["exact", "minhash"] {
        for keep in [["--keep", "longest"], ["--keep-by", "score desc"]] {
            let job = [
                "dedup",
                "rows.jsonl",
                "-o",
                "out",
                "--overwrite",
                "--method",
                method,
            ];
            let few = scratch.job(&[&job[..], &keep, &["--max-bucket-pairwise", "20"]].concat());
            assert_eq!(few["kept"], 22, "{method} {keep:?}");
            assert!(few["oversized"]["buckets"].as_u64() > Some(0));
            let kept = "SELECT id FROM kept ORDER BY id";
            let rows = scratch.job_rows("out", kept);
            scratch.job(&[&job[..], &keep, &["--max-bucket-pairwise", "1000"]].concat());
            assert_eq!(scratch.job_rows("out", kept), rows, "{method} {keep:?}");
        }
    }
}

#[test]
fn a_query_warns_of_what_it_left_out() {
    let scratch = corpus();
    for (query, said) in [
        (
            "SELECT count(*) FROM near_duplicates('rows.jsonl', bucket_pairs => 20)",
            "oversized buckets",
        ),
        (
            "SELECT count(*) FROM minhash_join('rows.jsonl', max_bucket => 3)",
            "max_bucket left",
        ),
    ] {
        let answer = scratch.succeed(&["sql", "-c", query]);
        assert!(answer.err.contains(said), "{query}: {}", answer.err);
    }
    let answer = scratch.succeed(&[
        "sql",
        "-c",
        "SELECT count(*) FROM near_duplicates('rows.jsonl')",
    ]);
    assert!(!answer.err.contains("oversized"), "{}", answer.err);
}
