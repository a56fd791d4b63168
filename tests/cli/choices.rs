//! Methods, resolutions and keep orders of `dedup`, checked against SQL over its own tables.

use crate::scratch::Scratch;

/// A corpus with a score whose order is neither that of ids nor of lengths.
fn corpus() -> Scratch {
    let scratch = Scratch::new();
    scratch.succeed(&[
        "generate",
        "--rows",
        "3000",
        "--seed",
        "7",
        "-o",
        "made.parquet",
        "--quiet",
    ]);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT id, text, id * 7919 % 1009 AS score FROM 'made.parquet') TO 'rows.parquet'",
    ]);
    scratch
}

#[track_caller]
fn dedup(scratch: &Scratch, directory: &str, more: &[&str]) {
    let mut arguments = vec!["dedup", "rows.parquet", "-o", directory, "--quiet"];
    arguments.extend(more);
    scratch.succeed(&arguments);
}

#[track_caller]
fn assert_none(scratch: &Scratch, directory: &str, sql: &str) {
    assert_eq!(scratch.job_number(directory, sql), 0, "{directory}: {sql}");
}

/// Checks the properties of every result.
#[track_caller]
fn check_tables(scratch: &Scratch, directory: &str) {
    for sql in [
        // One row for every row.
        "SELECT count(*) FROM clusters FULL JOIN 'rows.parquet' AS r USING (id) \
         WHERE clusters.kept IS NULL OR r.text IS NULL",
        "SELECT count(*) - count(DISTINCT id) FROM clusters",
        // A similarity is the exact one with the representative, which is kept, of the same cluster.
        "SELECT count(*) FROM clusters c JOIN clusters k ON c.representative_id = k.id \
         JOIN 'rows.parquet' a ON a.id = c.id JOIN 'rows.parquet' b ON b.id = k.id \
         WHERE NOT k.kept OR k.cluster_id <> c.cluster_id OR k.cluster_size <> c.cluster_size \
         OR abs(coalesce(c.similarity, 1.0) \
         - jaccard_similarity(normalize_text(a.text), normalize_text(b.text), 'word:3')) > 1e-12",
        "SELECT count(*) FROM clusters WHERE kept <> (id = representative_id) OR kept <> (similarity IS NULL)",
        "SELECT count(*) FROM (SELECT cluster_size, count(*) AS n FROM clusters GROUP BY cluster_id, cluster_size) \
         WHERE cluster_size <> n",
        "SELECT count(*) FROM (SELECT cluster_id, count(*) FILTER (WHERE kept) AS n FROM clusters GROUP BY 1) \
         WHERE n <> 1",
        // Kept rows are the input's.
        "SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT r.* FROM 'rows.parquet' r \
         JOIN clusters USING (id) WHERE kept)",
        "SELECT (SELECT count(*) FROM kept) - (SELECT count(*) FROM clusters WHERE kept)",
        // Pairs are pairs.
        "SELECT count(*) FROM pairs p JOIN 'rows.parquet' a ON p.id_a = a.id JOIN 'rows.parquet' b ON p.id_b = b.id \
         WHERE id_a >= id_b OR similarity < 0.8 OR abs(similarity \
         - jaccard_similarity(normalize_text(a.text), normalize_text(b.text), 'word:3')) > 1e-12",
    ] {
        assert_none(scratch, directory, sql);
    }
    assert!(scratch.job_number(directory, "SELECT count(*) FROM clusters WHERE NOT kept") > 100);
}

#[test]
fn methods_agree() {
    let scratch = corpus();
    for method in ["exact", "minhash", "auto"] {
        let job = ["dedup", "rows.parquet", "-o", method, "--pairs", "all"];
        let summary = scratch.job(&[&job[..], &["--method", method]].concat());
        let is_complete = summary["method"] == "exact";
        assert_eq!(summary["target_recall"].is_null(), is_complete, "{method}");
        check_tables(&scratch, method);
    }
    let found = "SELECT count(*) FROM 'exact/pairs.parquet'";
    let all = scratch.job_number("exact", found);
    assert_eq!(
        all,
        scratch.job_number(
            "exact",
            "SELECT count(*) FROM jaccard_join('rows.parquet', threshold => 0.8)"
        )
    );
    let more = "SELECT count(*) FROM (SELECT id_a, id_b FROM pairs EXCEPT SELECT id_a, id_b FROM 'exact/pairs.parquet')";
    for method in ["minhash", "auto"] {
        assert_none(&scratch, method, more);
        let found = scratch.job_number(method, "SELECT count(*) FROM pairs");
        assert!(
            found * 100 >= all * 99,
            "{method} found {found} of {all} pairs"
        );
    }
    let manifest = scratch.manifest("auto");
    let figure = |step: &str, name: &str| {
        let steps = manifest["steps"].as_array().expect("steps");
        let found = steps.iter().find(|found| {
            found["name"]
                .as_str()
                .is_some_and(|name| name.ends_with(step))
        });
        found
            .map(|found| found["figures"][name].clone())
            .unwrap_or_default()
    };
    assert!(
        figure("-prefixes", "cost of the exact join").is_number(),
        "{manifest}"
    );
    assert!(figure("-prefixes", "cost of minhash").is_number());
    assert_eq!(figure("-pairs", "method"), figure("-prefixes", "method"));
}

#[test]
fn representatives_are_kept_and_similar() {
    let scratch = corpus();
    for (directory, more) in [
        ("first", &["--pairs", "all"][..]),
        ("longest", &["--pairs", "all", "--keep", "longest"]),
        ("by-score", &["--pairs", "all", "--keep-by", "score desc"]),
        (
            "minhash",
            &[
                "--pairs",
                "all",
                "--method",
                "minhash",
                "--keep-by",
                "score",
            ],
        ),
    ] {
        dedup(&scratch, directory, more);
        check_tables(&scratch, directory);
        for sql in [
            "SELECT count(*) FROM clusters WHERE similarity < 0.8",
            "SELECT count(*) FROM clusters WHERE cluster_id <> representative_id",
            // Of two similar rows at most one is kept.
            "SELECT count(*) FROM pairs JOIN clusters a ON id_a = a.id JOIN clusters b ON id_b = b.id \
             WHERE a.kept AND b.kept",
        ] {
            assert_none(&scratch, directory, sql);
        }
    }
    // A removed row is similar to a kept row before it in the keep order, and its representative is
    // the most similar of all kept ones.
    for (directory, before) in [
        ("first", "k.id < a.id"),
        (
            "longest",
            "character_length(k.text) >= character_length(a.text)",
        ),
        ("by-score", "k.score >= a.score"),
        ("minhash", "k.score <= a.score"),
    ] {
        let sql = format!(
            "SELECT count(*) FROM clusters c LEFT JOIN \
             (SELECT e.a, bool_or({before}) AS is_after, max(e.similarity) AS best FROM \
             (SELECT id_a AS a, id_b AS k, similarity FROM pairs UNION ALL SELECT id_b, id_a, similarity FROM pairs) e \
             JOIN clusters o ON e.k = o.id AND o.kept JOIN 'rows.parquet' a ON e.a = a.id \
             JOIN 'rows.parquet' k ON e.k = k.id GROUP BY e.a) n ON c.id = n.a \
             WHERE NOT c.kept AND (n.is_after IS NOT TRUE OR n.best <> c.similarity)"
        );
        assert_none(&scratch, directory, &sql);
    }
}

#[test]
fn components_are_those_of_the_pairs() {
    let scratch = corpus();
    for (directory, keep, first) in [
        ("first", &[][..], "r.id"),
        (
            "longest",
            &["--keep", "longest"],
            "character_length(r.text) DESC, r.id",
        ),
        (
            "by-score",
            &["--keep-by", "score desc"],
            "r.score DESC, r.id",
        ),
    ] {
        let mut more = vec!["--resolution", "components"];
        more.extend(keep);
        dedup(&scratch, directory, &more);
        check_tables(&scratch, directory);
        assert_none(
            &scratch,
            directory,
            "SELECT count(*) FROM clusters c FULL JOIN components(pairs) p ON c.id = p.id \
             WHERE coalesce(p.cluster_id, c.id) <> c.cluster_id OR coalesce(p.cluster_size, 1) <> c.cluster_size \
             OR c.id IS NULL",
        );
        let sql = format!(
            "SELECT count(*) FROM (SELECT kept, row_number() OVER (PARTITION BY cluster_id ORDER BY {first}) AS place \
             FROM clusters JOIN 'rows.parquet' r USING (id)) WHERE kept <> (place = 1)"
        );
        assert_none(&scratch, directory, &sql);
    }
}

#[test]
fn jobs_and_queries_agree() {
    let scratch = corpus();
    for (directory, more, arguments) in [
        ("plain", &[][..], ""),
        (
            "components",
            &["--resolution", "components"],
            ", resolution => 'components'",
        ),
        ("longest", &["--keep", "longest"], ", keep => 'longest'"),
        (
            "by-score",
            &["--keep-by", "score desc"],
            ", keep_by => 'score desc'",
        ),
        (
            "chars",
            &["--shingle", "char:6", "--threshold", "0.7"],
            ", shingle => 'char:6', threshold => 0.7",
        ),
    ] {
        dedup(&scratch, directory, more);
        let columns = "id, cluster_id, representative_id, similarity, kept, cluster_size";
        let sql =
            format!("SELECT {columns} FROM near_duplicates('rows.parquet'{arguments}) ORDER BY id");
        let job = format!("SELECT {columns} FROM clusters ORDER BY id");
        assert_eq!(
            scratch.job_rows(directory, &job),
            scratch.rows(&sql),
            "{directory}"
        );
    }
}

/// One job with `--within` is the union of one job for each group.
#[test]
fn rows_of_different_groups_are_not_compared() {
    let scratch = corpus();
    let copy = |what: &str, file: &str| {
        scratch.succeed(&["sql", "-c", &format!("COPY ({what}) TO '{file}.parquet'")]);
    };
    let job = |name: &str, input: &str, more: &[&str]| {
        let mut arguments = vec!["dedup", input, "-o", name, "--threshold", "0.7"];
        arguments.extend(["--keep-by", "score desc"]);
        arguments.extend(more);
        scratch.succeed(&arguments)
    };
    copy(
        "SELECT *, CASE score % 7 WHEN 0 THEN NULL ELSE 'l' || (score % 2) END AS language, \
         score % 3 + 0.5 AS \"my, site\" \
         FROM 'rows.parquet'",
        "grouped",
    );
    let within = ["--within", "language,\"my, site\""];
    let summary = job("whole", "grouped.parquet", &within).out;
    let left_out = "rows with NULL in a column of within";
    assert!(summary.contains(left_out), "{summary}");
    let mut expected = scratch.rows("SELECT id FROM 'grouped.parquet' WHERE language IS NULL");
    let alone = expected.clone();
    assert!(alone.len() > 100);
    for language in ["l0", "l1"] {
        for site in ["0.5", "1.5", "2.5"] {
            let name = format!("of-{language}-{site}");
            let of_group = format!("language = '{language}' AND \"my, site\" = {site}");
            copy(
                &format!("SELECT * FROM 'grouped.parquet' WHERE {of_group}"),
                &name,
            );
            job(&name, &format!("{name}.parquet"), &["--quiet"]);
            expected.extend(scratch.job_rows(&name, "SELECT id FROM kept"));
        }
    }
    expected.sort_by_key(|row| row["id"].to_string());
    let mut found = scratch.job_rows("whole", "SELECT id FROM kept");
    found.sort_by_key(|row| row["id"].to_string());
    assert_eq!(found, expected);
    job("any", "grouped.parquet", &["--quiet"]);
    let removed = |name: &str| scratch.job_number(name, "SELECT count(*) FROM removed");
    assert!(removed("whole") > 100 && removed("any") > removed("whole") + 100);
    let why = scratch.succeed(&["why", &alone[0]["id"].to_string(), "whole"]);
    let no_other = "no other row with the same language, my, site, and a row with NULL there is compared with none";
    assert!(why.out.contains(no_other), "{}", why.out);
    scratch.fail(
        &[
            "dedup",
            "grouped.parquet",
            "-o",
            "no",
            "--within",
            "langauge",
        ],
        &["--within langauge", "did you mean 'language'"],
    );
    scratch.fail(
        &["dedup", "-o", "no", "--within", "title"],
        &["the sentences of a dump have none"],
    );
}

#[test]
fn texts_as_they_are() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,One Two Three Four\n2,one two three four\n3,one  two three four\n",
    );
    let kept = |directory: &str, more: &[&str]| {
        let mut arguments = vec!["dedup", "rows.csv", "-o", directory];
        arguments.extend(more);
        scratch.job(&arguments)["kept"].as_i64()
    };
    assert_eq!(kept("normalized", &[]), Some(1));
    assert_eq!(kept("as-is", &["--no-normalize"]), Some(2));
    assert_eq!(
        kept(
            "spaces",
            &["--no-normalize", "--shingle", "char:5", "--threshold", "1"]
        ),
        Some(3)
    );
}

/// A row that occurs twice is one row, in every keep order; rows without an id are kept.
#[test]
fn repeated_rows_are_one() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text,score\n1,a b c d,1\n1,a b c d,1\n2,a b c d,2\n3,other words,3\n3,other words,3\n,a b c d,4\n,a b c d,4\n",
    );
    for (directory, more, kept) in [
        ("first", &[][..], "1"),
        ("longest", &["--keep", "longest"], "1"),
        (
            "components",
            &["--keep-by", "score", "--resolution", "components"],
            "1",
        ),
        ("by-score", &["--keep-by", "score desc"], "2"),
    ] {
        let mut arguments = vec!["dedup", "rows.csv", "-o", directory];
        arguments.extend(more);
        let summary = scratch.job(&arguments);
        assert_eq!(
            (&summary["rows"], &summary["kept"]),
            (&5.into(), &4.into()),
            "{directory}"
        );
        assert_eq!(
            summary["left_out"]["repeated rows of an id"], 2,
            "{directory}"
        );
        assert_eq!(summary["left_out"]["rows without an id"], 2, "{directory}");
        let rows = scratch.succeed(&[
            "sql",
            "--dir",
            directory,
            "--format",
            "csv",
            "-c",
            "SELECT id FROM kept ORDER BY id",
        ]);
        assert_eq!(
            rows.out,
            format!("id\n{kept}\n3\n\"\"\n\"\"\n"),
            "{directory}"
        );
    }
}

/// Jobs and functions order texts that are numbers by their exact values, beyond the precision of doubles.
#[test]
fn texts_that_are_numbers_are_kept_by_their_values() {
    let scratch = Scratch::new();
    let ascending = [
        "-1e3",
        "-07.5",
        "9",
        "10",
        "9007199254740992",
        "9007199254740993",
        "1e400",
        "a",
        "b",
    ];
    let text = |place: usize| {
        format!(
            "{0}{0} words of group {0} and {0} again",
            ["red", "oak", "sea", "fig", "ice", "sun", "tin", "elk"][place]
        )
    };
    let mut rows = String::from("id,the score,text\n");
    for (place, pair) in ascending.windows(2).enumerate() {
        for (half, score) in pair.iter().rev().enumerate() {
            let id = 10 * place + half;
            rows += &format!("{id},{score},\"{}\"\n", text(place));
        }
        // An empty one is last either way.
        let id = 10 * place + 2;
        rows += &format!("{id},\"\",\"{}\"\n", text(place));
    }
    scratch.write("rows.csv", rows);
    let orders = [("\"the score\"", 1), ("\"the score\" desc", 0)];
    for (number, (keep, kept)) in orders.into_iter().enumerate() {
        let out = format!("out-{number}");
        scratch.succeed(&[
            "dedup",
            "rows.csv",
            "-o",
            &out,
            "--keep-by",
            keep,
            "--threshold",
            "1",
        ]);
        let of_job = scratch.job_rows(&out, "SELECT id FROM kept ORDER BY id");
        let sql = format!(
            "SELECT id FROM deduplicate('rows.csv', threshold => 1, keep_by => '{keep}') ORDER BY id"
        );
        assert_eq!(of_job, scratch.rows(&sql), "{keep}");
        // Beside a text, the number is first in either direction.
        let of = |place| if place == 6 { 1 } else { kept };
        let expected: Vec<i64> = (0..8).map(|place| 10 * place + of(place)).collect();
        let found: Vec<i64> = of_job.iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!(found, expected, "{keep}");
    }
}
