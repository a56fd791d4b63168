//! The same rows whatever the machine: threads and memory change nothing.

use crate::scratch::Scratch;

const WAYS: [&[&str]; 5] = [
    &["--threads", "1"],
    &["--threads", "2"],
    &["--threads", "7"],
    &["--threads", "2", "--memory-limit", "64M"],
    &["--threads", "7", "--memory-limit", "64M"],
];

fn corpus() -> Scratch {
    let scratch = Scratch::new();
    scratch.generate("5000", "rows.parquet");
    scratch
}

#[track_caller]
fn check(scratch: &Scratch, job: &[&str], ways: &[usize]) {
    let mut tables: Option<String> = None;
    for number in ways {
        let way = WAYS[*number];
        let directory = format!("way-{number}");
        let mut arguments = vec!["dedup"];
        arguments.extend(job);
        arguments.extend(way);
        arguments.extend(["-o", directory.as_str(), "--quiet"]);
        scratch.succeed(&arguments);
        let found = scratch.tables(&directory);
        match &tables {
            None => tables = Some(found),
            Some(tables) => assert!(*tables == found, "{job:?}: other rows with {way:?}"),
        }
    }
    assert!(tables.is_some_and(|tables| tables.lines().count() > 300));
}

#[test]
fn exact_join_and_representatives() {
    check(
        &corpus(),
        &["rows.parquet", "--method", "exact"],
        &[0, 1, 2, 3, 4],
    );
}

#[test]
fn minhash_and_components() {
    let job = [
        "rows.parquet",
        "--method",
        "minhash",
        "--resolution",
        "components",
        "--pairs",
        "all",
    ];
    check(&corpus(), &job, &[0, 1, 2, 4]);
}

#[test]
fn another_keep_order() {
    check(
        &corpus(),
        &["rows.parquet", "--keep", "longest"],
        &[0, 2, 4],
    );
}

#[test]
fn dumps() {
    let dump = crate::scratch::sample("samplewiki-pages-articles.xml.bz2");
    check(
        &Scratch::new(),
        &[dump.to_str().expect("a path")],
        &[0, 2, 4],
    );
}

/// Under a memory limit, copies are grouped only among the texts that several rows may have.
#[test]
fn copies_within_groups_and_in_other_letters() {
    for more in [&["--within", "part"][..], &[]] {
        let scratch = corpus();
        scratch.succeed(&[
            "sql",
            "-c",
            "COPY (SELECT id, id % 3 AS part, \
             CASE id % 7 WHEN 0 THEN upper(text) WHEN 6 THEN NULL ELSE text END AS text \
             FROM 'rows.parquet') TO 'groups.parquet'",
        ]);
        let job = [&["groups.parquet"], more].concat();
        check(&scratch, &job, &[1, 3, 4]);
    }
}
