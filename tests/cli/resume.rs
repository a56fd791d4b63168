//! Jobs that were stopped, changed or disturbed.

use crate::scratch::{Scratch, answer, steps};
use serde_json::Value;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const JOB: [&str; 6] = ["dedup", "rows.csv", "--pairs", "all", "--threads", "2"];

/// A table whose job has all steps, and what an undisturbed run of it gives.
fn table() -> (Scratch, &'static str) {
    static MADE: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    let (rows, tables) = MADE.get_or_init(|| {
        let scratch = Scratch::new();
        scratch.generate("3000", "rows.parquet");
        scratch.succeed(&[
            "sql",
            "-c",
            "COPY (SELECT * FROM 'rows.parquet' ORDER BY id) TO 'rows.csv'",
        ]);
        run(&scratch, "undisturbed");
        let tables = scratch.tables("undisturbed");
        assert!(tables.lines().count() > 3000);
        (scratch.read("rows.csv"), tables)
    });
    let scratch = Scratch::new();
    scratch.write("rows.csv", rows);
    (scratch, tables)
}

fn arguments(directory: &str) -> Vec<&str> {
    let mut arguments = JOB.to_vec();
    arguments.extend(["-o", directory, "--keep", "longest"]);
    arguments
}

fn run(scratch: &Scratch, directory: &str) -> Value {
    scratch.job(&arguments(directory))
}

/// What must not change where a step is not repeated: its files and when it was committed.
fn committed(manifest: &Value) -> Vec<Value> {
    manifest["steps"].as_array().expect("steps").clone()
}

/// The manifest of a job that may not have one yet.
fn manifest(scratch: &Scratch, directory: &str) -> Option<Value> {
    let text = std::fs::read(scratch.path(&format!("{directory}/manifest.json"))).ok()?;
    Some(serde_json::from_slice(&text).expect("a manifest is whole at all times"))
}

/// Runs the job until `stop` says so, or until it ends, and kills it.
fn kill_when(scratch: &Scratch, directory: &str, stop: impl Fn(Duration, Option<&Value>) -> bool) {
    let begun = Instant::now();
    let mut child = scratch.begin(&arguments(directory));
    while child.try_wait().expect("a child").is_none() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the job does not end"
        );
        if stop(begun.elapsed(), manifest(scratch, directory).as_ref()) {
            child.kill().expect("a child");
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.wait().expect("a child");
}

/// Ends the job and checks that it kept what was done and gives the same rows.
#[track_caller]
fn go_on(scratch: &Scratch, directory: &str, tables: &str) -> usize {
    let before = manifest(scratch, directory)
        .map(|manifest| committed(&manifest))
        .unwrap_or_default();
    let summary = run(scratch, directory);
    assert_eq!(
        summary["steps_done_before"].as_u64(),
        Some(before.len() as u64)
    );
    let after = scratch.manifest(directory);
    assert_eq!(
        committed(&after)[..before.len()],
        before,
        "a step was repeated"
    );
    assert_eq!(after["finished"], true);
    scratch.assert_whole(directory);
    assert!(
        scratch.tables(directory) == tables,
        "{directory}: other rows than an undisturbed run"
    );
    before.len()
}

#[test]
fn killed_after_every_step() {
    let (scratch, tables) = table();
    run(&scratch, "undisturbed");
    let names = steps(&scratch.manifest("undisturbed"));
    assert_eq!(
        names,
        [
            "01-input",
            "02-ranks",
            "03-texts",
            "04-frequencies",
            "05-prefixes",
            "06-pairs",
            "07-clusters",
            "08-kept",
            "09-removed"
        ]
    );
    for done in 0..names.len() {
        let directory = format!("after-{done}");
        kill_when(&scratch, &directory, |_, manifest| {
            manifest.is_some_and(|manifest| steps(manifest).len() >= done)
        });
        let kept = go_on(&scratch, &directory, tables);
        assert!(kept >= done, "{kept} steps were kept, {done} were done");
    }
}

#[test]
fn killed_again_and_again() {
    let (scratch, tables) = table();
    // Each run gets a few milliseconds more than the one before, so that the job ends at last.
    for round in 1..=40 {
        let time = Duration::from_millis(25 * round);
        kill_when(&scratch, "often", |elapsed, _| elapsed >= time);
        if manifest(&scratch, "often").is_some_and(|manifest| manifest["finished"] == true) {
            break;
        }
    }
    go_on(&scratch, "often", tables);
}

#[test]
fn files_that_no_step_lists_are_not_read() {
    let (scratch, tables) = table();
    kill_when(&scratch, "job", |_, manifest| {
        manifest.is_some_and(|manifest| steps(manifest).len() >= 5)
    });
    // Leavings of an attempt: rows of another table, and something that is no Parquet.
    scratch.succeed(&["sql", "-c", "COPY (SELECT 1 AS id) TO 'other.parquet'"]);
    let other = scratch.read("other.parquet");
    for step in [
        "01-input",
        "02-ranks",
        "03-texts",
        "06-pairs",
        "07-clusters",
    ] {
        scratch.write(&format!("job/steps/{step}/leftover.parquet"), &other);
        scratch.write(&format!("job/steps/{step}/torn.parquet"), "PAR1 torn");
    }
    scratch.write("job/manifest.json.new", "{\"format\":");
    if scratch.manifest("job")["finished"] == false {
        scratch.write("job/pairs.parquet", &other);
    }
    go_on(&scratch, "job", tables);
}

#[test]
fn a_finished_job_does_nothing_again() {
    let (scratch, tables) = table();
    run(&scratch, "undisturbed");
    let before = scratch.read("undisturbed/manifest.json");
    let summary = run(&scratch, "undisturbed");
    assert_eq!(summary["steps_done_before"], 9);
    assert_eq!(scratch.read("undisturbed/manifest.json"), before);
    assert!(scratch.tables("undisturbed") == tables);
}

#[test]
fn other_parameters_need_overwrite() {
    let (scratch, tables) = table();
    run(&scratch, "undisturbed");
    let with = |more: &[&'static str]| {
        let mut all = arguments("undisturbed");
        all.extend(more);
        all
    };
    for (more, name) in [
        (
            &["--threshold", "0.7"][..],
            "threshold is 0.8; now threshold is 0.7",
        ),
        (
            &["--shingle", "char:5"],
            "shingle is \"word:3\"; now shingle is \"char:5\"",
        ),
        (&["--method", "exact"], "method"),
        (&["--resolution", "components"], "resolution"),
        (
            &["--no-normalize"],
            "normalize is true; now normalize is false",
        ),
        (&["--target-recall", "0.9"], "target_recall"),
        (&["--max-bucket-pairwise", "7"], "max_bucket_pairwise"),
        (&["--text", "text"], "text"),
    ] {
        scratch.fail(
            &with(more),
            &["undisturbed holds another job", name, "--overwrite"],
        );
    }
    assert!(
        scratch.tables("undisturbed") == tables,
        "an error changed the job"
    );
    // Threads and memory are no parameters: the rows do not depend on them.
    let summary = scratch.job(&with(&["--memory-limit", "1G", "--quiet"]));
    assert_eq!(summary["steps_done_before"], 9);

    let summary = scratch.job(&with(&["--threshold", "0.95", "--overwrite"]));
    assert_eq!(summary["steps_done_before"], 0);
    assert_eq!(
        scratch.manifest("undisturbed")["parameters"]["threshold"],
        0.95
    );
    assert!(
        scratch.job_number(
            "undisturbed",
            "SELECT count(*) FROM pairs WHERE similarity < 0.95"
        ) == 0
    );
    // The same once more goes on with it: --overwrite replaces other jobs only.
    let summary = scratch.job(&with(&["--threshold", "0.95", "--overwrite"]));
    assert_eq!(summary["steps_done_before"], 9);
}

#[test]
fn a_changed_input_is_noticed() {
    let scratch = Scratch::new();
    scratch.write(
        "a.csv",
        "id,text\n1,one two three four\n2,one two three four\n",
    );
    let job = ["dedup", "a.csv", "--quiet"];
    scratch.succeed(&job);
    scratch.write(
        "a.csv",
        "id,text\n1,one two three four\n2,five six seven\n3,eight\n",
    );
    scratch.fail(
        &job,
        &["neardup-out holds another job", "a.csv has changed since"],
    );
    scratch.write("b.csv", "id,text\n1,x\n");
    scratch.fail(
        &["dedup", "b.csv", "--quiet"],
        &["neardup-out holds another job", "a.csv"],
    );
    scratch.fail(
        &["dedup", "a.csv", "b.csv", "--quiet"],
        &["neardup-out holds another job"],
    );
    let dump = crate::scratch::sample("samplewiki-pages-articles.xml");
    scratch.fail(
        &["ingest", dump.to_str().expect("a path")],
        &["neardup-out holds another job", "dedup", "ingest"],
    );
    let summary = scratch.job(&["dedup", "a.csv", "--overwrite"]);
    assert_eq!(
        (summary["rows"].as_u64(), summary["kept"].as_u64()),
        (Some(3), Some(3))
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_job_which_goes_on() {
    let (scratch, tables) = table();
    let mut child = scratch.begin(&arguments("job"));
    let begun = Instant::now();
    while manifest(&scratch, "job").is_none_or(|manifest| steps(&manifest).is_empty()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no step is done");
        assert!(
            child.try_wait().expect("a child").is_none(),
            "the job ended"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    let interrupted = Instant::now();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill").success());
    let answer = answer(child.wait_with_output().expect("a child"));
    assert!(
        interrupted.elapsed() < Duration::from_secs(3),
        "{:?}",
        interrupted.elapsed()
    );
    assert_eq!(answer.code, Some(130), "{}", answer.err);
    assert!(answer.err.contains("interrupted"), "{}", answer.err);
    assert_eq!(scratch.manifest("job")["finished"], false);
    go_on(&scratch, "job", tables);
}
