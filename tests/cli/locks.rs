//! Directories that are in use, foreign, or not writable.

use crate::scratch::{Scratch, answer, signal};
use std::time::{Duration, Instant};

const ROWS: &str = "id,text\n1,one two three four\n2,one two three four\n3,five\n";

#[test]
fn two_jobs_at_once() {
    let scratch = Scratch::new();
    scratch.generate("5000", "rows.parquet");
    let job = ["dedup", "rows.parquet", "--quiet"];
    let mut first = scratch.begin(&job);
    let begun = Instant::now();
    while !scratch.has("neardup-out/manifest.json") {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the job does not begin"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    // Stopped, the first one holds the directory for as long as the second one needs.
    signal("-STOP", first.id());
    scratch.fail(
        &job,
        &["neardup-out", "another process works in this directory"],
    );
    let mut overwriting = job.to_vec();
    overwriting.extend(["--threshold", "0.7", "--overwrite"]);
    scratch.fail(&overwriting, &["another process works in this directory"]);
    signal("-CONT", first.id());
    assert!(first.wait().expect("a child").success());
    scratch.assert_whole("neardup-out");
    assert_eq!(
        scratch.manifest("neardup-out")["parameters"]["threshold"],
        0.8
    );
    let again = answer(scratch.command(&job).output().expect("the binary runs"));
    assert_eq!(again.code, Some(0), "{}", again.err);
}

#[test]
fn foreign_directories_are_left_alone() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", ROWS);
    scratch.write("mine/notes.txt", "mine");
    for more in [&[][..], &["--overwrite"]] {
        let mut arguments = vec!["dedup", "rows.csv", "-o", "mine"];
        arguments.extend(more);
        scratch.fail(
            &arguments,
            &["mine is not empty and holds no job", "notes.txt"],
        );
        let names: Vec<_> = std::fs::read_dir(scratch.path("mine"))
            .expect("a directory")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(names, ["notes.txt"], "the directory was touched");
    }
    assert_eq!(scratch.read("mine/notes.txt"), b"mine");
    scratch.write("other/manifest.json", "{\"name\": \"something else\"}");
    scratch.fail(
        &["dedup", "rows.csv", "-o", "other", "--overwrite"],
        &["manifest.json"],
    );
    assert_eq!(
        scratch.read("other/manifest.json"),
        b"{\"name\": \"something else\"}"
    );
}

#[test]
fn own_leavings_do_not_make_a_directory_foreign() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", ROWS);
    // A job that was killed while it wrote its first manifest.
    scratch.write("job/.lock", "");
    scratch.write("job/manifest.json.new", "{\"form");
    scratch.succeed(&["dedup", "rows.csv", "-o", "job"]);
}

#[test]
fn paths_that_cannot_be_directories() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", ROWS);
    scratch.write("file", "x");
    scratch.fail(
        &["dedup", "rows.csv", "-o", "file"],
        &["file: must be a directory"],
    );
    scratch.fail(
        &["dedup", "rows.csv", "-o", "file/deeper"],
        &["file/deeper: cannot be made, because", "/file is a file"],
    );
    assert_eq!(scratch.read("file"), b"x");
    // The kernel refuses files here even to root.
    if std::path::Path::new("/proc/self").exists() {
        scratch.fail(
            &["dedup", "rows.csv", "-o", "/proc/neardup"],
            &["/proc/neardup: "],
        );
    }
    scratch.succeed(&["dedup", "rows.csv", "-o", "deep/er/job", "--quiet"]);
    assert!(scratch.has("deep/er/job/kept.parquet"));
}

#[cfg(unix)]
#[test]
fn unwritable_directories_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    scratch.write("rows.csv", ROWS);
    std::fs::create_dir(scratch.path("closed")).expect("a directory");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(scratch.path("closed"), mode(0o555)).expect("permissions");
    if std::fs::write(scratch.path("closed/try"), "x").is_ok() {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    scratch.fail(
        &["dedup", "rows.csv", "-o", "closed"],
        &["closed", "permission denied"],
    );
    scratch.fail(
        &["dedup", "rows.csv", "-o", "closed/job"],
        &["closed/job", "permission denied"],
    );
    std::fs::set_permissions(scratch.path("closed"), mode(0o755)).expect("permissions");
}
