//! Measures of `dedup`: jobs and queries give the same rows, and say what was compared.

use crate::scratch::Scratch;
use std::fmt::Write;

/// Texts, excerpts of them, and texts with a few other characters.
fn corpus() -> Scratch {
    let scratch = Scratch::new();
    let mut lines = String::from("id,text,score\n");
    for id in 0..600_usize {
        let number = id * 37 % 90;
        let whole = format!(
            "report {number} says that the mill by the river {number} burned down and nobody was hurt in town {number}"
        );
        let words: Vec<&str> = whole.split(' ').collect();
        let text = match id % 5 {
            0 => words[number % 4..words.len() - 2].join(" "),
            1 => words[5..].join(" "),
            2 => whole.replace("mill", "mills"),
            3 => format!("As is known, {whole}"),
            _ => whole,
        };
        let _ = writeln!(lines, "{id},\"{text}\",{}", id * 7919 % 101);
    }
    lines += "600,,1\n601,\"\",2\n";
    scratch.write("rows.csv", lines);
    scratch
}

#[test]
fn jobs_and_queries_agree_by_every_measure() {
    let scratch = corpus();
    for (measure, threshold, shingle) in [
        ("containment", "0.8", Some("word:2")),
        ("containment", "1", Some("char:6")),
        ("edit", "0.9", None),
    ] {
        for (number, (more, argument)) in [
            (&[][..], ""),
            (&["--keep", "longest"][..], ", keep => 'longest'"),
            (
                &["--keep-by", "score desc, length(text)"],
                ", keep_by => 'score desc, length(text)'",
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let mut argument = argument.to_owned();
            if let Some(shingle) = shingle {
                let _ = write!(argument, ", shingle => '{shingle}'");
            }
            let sql = format!(
                "SELECT * FROM near_duplicates('rows.csv', measure => '{measure}', threshold => {threshold}{argument}) \
                 ORDER BY id"
            );
            let expected = scratch.rows(&sql);
            let mut published = None;
            for (threads, pairs) in [("1", "linked"), ("7", "linked"), ("2", "all")] {
                let directory = format!("{measure}-{threshold}-{number}-{threads}");
                let mut arguments = vec![
                    "dedup",
                    "rows.csv",
                    "--measure",
                    measure,
                    "--threshold",
                    threshold,
                    "--threads",
                    threads,
                    "--pairs",
                    pairs,
                    "-o",
                    &directory,
                ];
                arguments.extend(more);
                if let Some(shingle) = shingle {
                    arguments.extend(["--shingle", shingle]);
                }
                let summary = scratch.job(&arguments);
                assert_eq!(summary["measure"], measure);
                assert_eq!(summary["method"], "exact");
                let found = scratch.job_rows(&directory, "SELECT * FROM clusters ORDER BY id");
                assert_eq!(found, expected, "{directory}");
                assert!(scratch.job_number(&directory, "SELECT count(*) FROM removed") > 100);
                if pairs == "linked" {
                    let bytes = scratch.published(&directory);
                    assert!(*published.get_or_insert_with(|| bytes.clone()) == bytes);
                }
                let similarity = match measure {
                    "edit" => {
                        "edit_similarity(normalize_text(r.text), normalize_text(k.text))".to_owned()
                    }
                    _ => format!(
                        "containment(normalize_text(r.text), normalize_text(k.text), '{}')",
                        shingle.unwrap_or_default()
                    ),
                };
                // Similarities are those of the removed row, and every row of a pair is one of two similar rows.
                let wrong = format!(
                    "SELECT count(*) FROM removed JOIN 'rows.csv' AS r ON removed.id = r.id \
                     JOIN 'rows.csv' AS k ON removed.representative_id = k.id \
                     WHERE similarity <> {similarity} OR similarity < {threshold}"
                );
                assert_eq!(scratch.job_number(&directory, &wrong), 0, "{directory}");
                let swapped = similarity
                    .replace("r.text", "x.text")
                    .replace("k.text", "r.text")
                    .replace("x.text", "k.text");
                let wrong = format!(
                    "SELECT count(*) FROM pairs JOIN 'rows.csv' AS r ON id_a = r.id JOIN 'rows.csv' AS k ON id_b = k.id \
                     WHERE similarity NOT IN ({similarity}, {swapped})"
                );
                assert_eq!(scratch.job_number(&directory, &wrong), 0, "{directory}");
            }
        }
    }
}

#[test]
fn a_result_says_what_was_compared() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,\"the mill by the river\"\n2,\"it is said that the mill by the river burned down\"\n\
         3,\"The mill by the river\"\n4,nothing else\n",
    );
    let dedup = |directory: &str, more: &[&str]| {
        let mut arguments = vec!["dedup", "rows.csv", "-o", directory];
        arguments.extend(more);
        scratch.succeed(&arguments)
    };
    let kept = |directory: &str| {
        let rows = scratch.job_rows(directory, "SELECT id FROM kept ORDER BY id");
        let ids = rows.iter().filter_map(|row| row["id"].as_i64());
        ids.collect::<Vec<_>>()
    };
    dedup("first", &["--measure", "containment"]);
    assert_eq!(kept("first"), [1, 2, 4]);
    let summary = dedup(
        "longest",
        &["--measure", "containment", "--keep", "longest"],
    );
    assert_eq!(kept("longest"), [2, 4]);
    assert!(summary.out.contains("containment"), "{}", summary.out);
    assert_eq!(
        scratch.manifest("longest")["parameters"]["measure"],
        "containment"
    );
    let why = scratch.succeed(&["why", "1", "longest"]).out;
    assert!(why.contains("the kept row contains enough of it"), "{why}");
    let why = scratch.succeed(&["why", "3", "first"]).out;
    assert!(why.contains("a copy of the kept row"), "{why}");
    dedup("edits", &["--measure", "edit"]);
    assert!(scratch.manifest("edits")["parameters"]["shingle"].is_null());
    for directory in ["first", "longest", "edits"] {
        scratch.succeed(&["report", directory]);
        let page =
            String::from_utf8(scratch.read(&format!("{directory}/report.html"))).expect("text");
        assert!(page.contains("--measure") && !page.to_lowercase().contains("jaccard"));
        scratch.succeed(&["show", directory]);
    }
    // The default measure is that of the method: a job that names it is the same one.
    dedup("default", &[]);
    assert!(scratch.manifest("default")["parameters"]["measure"].is_null());
    let again = scratch.job(&["dedup", "rows.csv", "-o", "default", "--measure", "jaccard"]);
    assert!(again["steps_done_before"].as_i64() > Some(3), "{again}");
    scratch.fail(
        &[
            "dedup",
            "rows.csv",
            "-o",
            "default",
            "--measure",
            "containment",
        ],
        &["measure", "--overwrite"],
    );
}

#[test]
fn measures_need_their_methods() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,a b c\n");
    for (more, said) in [
        (
            &["--measure", "containment", "--method", "minhash"][..],
            "--measure containment needs --method exact",
        ),
        (
            &["--measure", "edit", "--method", "projection"],
            "--measure edit needs --method exact",
        ),
        (
            &["--measure", "jaccard", "--method", "projection"],
            "--measure jaccard needs --method exact",
        ),
        (
            &["--measure", "cosine"],
            "--measure cosine needs --method projection",
        ),
        (
            &["--measure", "containment", "--resolution", "components"],
            "--measure containment has a direction and needs --resolution representative",
        ),
        (
            &["--measure", "edit", "--shingle", "char:3"],
            "--shingle is for sets of shingles",
        ),
        (
            &["--measure", "containment", "--max-bucket-pairwise", "5"],
            "--max-bucket-pairwise bounds the candidates of other measures",
        ),
        (
            &["--measure", "edit", "--target-recall", "0.9"],
            "--target-recall is for joins that miss pairs",
        ),
        (
            &["--measure", "edit", "--edit", "lines"],
            "--measure has no effect with --edit lines",
        ),
        (&["--measure", "overlap"], "overlap"),
    ] {
        let mut arguments = vec!["dedup", "rows.csv", "-o", "no"];
        arguments.extend(more);
        scratch.fail(&arguments, &[said]);
    }
    assert!(!scratch.has("no"));
}
