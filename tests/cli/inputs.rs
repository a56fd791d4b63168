//! Inputs in the output directory, and inputs that change.

use crate::scratch::{Scratch, answer, signal, steps};
use std::time::{Duration, Instant, SystemTime};

const ROWS: &str = "id,text\n1,one two three four\n2,one two three four\n3,five\n";

/// An input inside the output directory is refused before anything is changed.
#[test]
fn an_input_in_the_output_directory() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", ROWS);
    scratch.succeed(&["dedup", "rows.csv", "-o", "out"]);
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'rows.csv') TO 'rows.parquet'",
    ]);
    let before = listing(&scratch);
    #[cfg(unix)]
    for (link, to) in [("link", "out"), ("kept-link.parquet", "out/kept.parquet")] {
        std::os::unix::fs::symlink(scratch.path(to), scratch.path(link)).expect("a link");
    }
    let absolute = scratch.path("out").to_string_lossy().into_owned();
    let address = format!("file://{absolute}/kept.parquet");
    for (input, output) in [
        ("out/kept.parquet", "out"),
        ("out/*.parquet", "out"),
        ("out/steps", "out"),
        ("o*/kept.parquet", "./new/../out/"),
        ("out/kept.parquet", absolute.as_str()),
        (address.as_str(), "out"),
        #[cfg(unix)]
        ("link/kept.parquet", "out"),
        #[cfg(unix)]
        ("out/kept.parquet", "link"),
        #[cfg(unix)]
        ("kept-link.parquet", "out"),
    ] {
        for more in [&[][..], &["--overwrite"]] {
            let mut job = vec!["dedup", "rows.parquet", input, "-o", output];
            job.extend(more);
            scratch.fail(&job, &["is in the output directory", "another directory"]);
        }
    }
    assert!(!scratch.has("new"));
    assert_eq!(listing(&scratch), before);
    // Beside it is fine.
    scratch.succeed(&["dedup", "out/kept.parquet", "-o", "out-2"]);
    scratch.succeed(&["dedup", "rows.csv", "-o", "out", "--overwrite"]);
}

/// A link with a known ending has that kind, even if the name of its target has no known ending.
#[cfg(unix)]
#[test]
fn a_link_has_the_kind_of_its_own_name() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new();
    scratch.write("blobs/0123abcd", ROWS);
    scratch.write("snapshots/more.txt.md", "no table");
    symlink("../blobs/0123abcd", scratch.path("snapshots/train.csv")).expect("a link");
    symlink("snapshots", scratch.path("main")).expect("a link");
    let query = |from: &str| format!("SELECT count(*) AS n FROM '{from}'");
    for from in [
        "snapshots/train.csv",
        "snapshots/",
        "snapshots/*.csv",
        "main/train.csv",
        "./main/",
    ] {
        assert_eq!(scratch.rows(&query(from))[0]["n"], 3, "{from}");
        scratch.succeed(&["dedup", from, "-o", "out", "--overwrite"]);
    }
    // A link whose name tells no kind has that of its target, and a file is read once.
    symlink("train.csv", scratch.path("snapshots/latest")).expect("a link");
    let both = [
        "dedup",
        "snapshots/latest",
        "snapshots/train.csv",
        "-o",
        "both",
    ];
    assert_eq!(scratch.job(&both)["rows_read"], 3);
}

/// Names and bytes of the job's directory.
fn listing(scratch: &Scratch) -> Vec<(String, Vec<u8>)> {
    let names = [
        "manifest.json",
        "pairs.parquet",
        "clusters.parquet",
        "kept.parquet",
        "removed.parquet",
    ];
    let read = |name: &str| (name.to_owned(), scratch.read(&format!("out/{name}")));
    names.map(read).to_vec()
}

/// A change is detected by the nanoseconds of the modification time if the second and the size are the same.
#[test]
fn an_input_that_was_rewritten_within_a_second() {
    let scratch = Scratch::new();
    let at = |nanoseconds| SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, nanoseconds);
    let write = |rows: &str, time: SystemTime| {
        scratch.write("rows.csv", rows);
        let file = std::fs::File::options()
            .write(true)
            .open(scratch.path("rows.csv"));
        file.and_then(|file| file.set_modified(time))
            .expect("a time");
    };
    write(ROWS, at(1));
    let job = ["dedup", "rows.csv", "--quiet"];
    scratch.succeed(&job);
    scratch.succeed(&job);
    let other = ROWS.replace("five", "nine");
    for (rows, time) in [(&other, at(2)), (&other, at(1)), (&ROWS.to_owned(), at(2))] {
        write(rows, time);
        scratch.fail(&job, &["rows.csv", "has changed since", "--overwrite"]);
    }
    write(ROWS, at(1));
    scratch.succeed(&job);
    std::fs::remove_file(scratch.path("rows.csv")).expect("a removed file");
    scratch.fail(&job, &["rows.csv", "no such file"]);
}

#[cfg(unix)]
#[test]
fn an_input_that_changes_during_the_job() {
    let scratch = Scratch::new();
    scratch.generate("3000", "rows.parquet");
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT * FROM 'rows.parquet') TO 'rows.csv'",
    ]);
    let rows = scratch.read("rows.csv");
    for is_removed in [false, true] {
        scratch.write("rows.csv", &rows);
        let out = format!("removed-{is_removed}");
        // The rows are read in the first step only.
        let job = ["dedup", "rows.csv", "-o", &out, "--quiet"];
        let child = scratch.begin(&job);
        let begun = Instant::now();
        let manifest = format!("{out}/manifest.json");
        while !scratch.has(&manifest) || steps(&scratch.manifest(&out)).is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no step is done");
            std::thread::sleep(Duration::from_millis(1));
        }
        signal("-STOP", child.id());
        let done = steps(&scratch.manifest(&out));
        assert!(done.len() < 4, "the job was too fast: {done:?}");
        match is_removed {
            true => std::fs::remove_file(scratch.path("rows.csv")).expect("a removed file"),
            false => drop(scratch.write("rows.csv", &rows)),
        }
        signal("-CONT", child.id());
        let answer = answer(child.wait_with_output().expect("a child"));
        assert_eq!(answer.code, Some(1), "{}", answer.err);
        let said = if is_removed {
            "it is gone"
        } else {
            "it was written again"
        };
        for part in ["rows.csv", "has changed while the job ran", said] {
            assert!(answer.err.contains(part), "{}", answer.err);
        }
        // A step that was about to be committed when the process stopped may have been.
        assert!(steps(&scratch.manifest(&out)).len() <= done.len() + 1);
        assert_eq!(scratch.manifest(&out)["finished"], false);
        assert!(!scratch.has(&format!("{out}/kept.parquet")));
    }
}

/// An input that is read in place is also checked before the last commit: no file gets its final name.
#[cfg(unix)]
#[test]
fn an_input_that_changes_during_the_last_step() {
    let scratch = Scratch::new();
    scratch.generate("3000", "rows.parquet");
    let rows = scratch.read("rows.parquet");
    let child = scratch.begin(&["dedup", "rows.parquet", "-o", "out", "--quiet"]);
    let begun = Instant::now();
    while !scratch.has("out/manifest.json") || steps(&scratch.manifest("out")).len() < 5 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "too few steps are done"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    signal("-STOP", child.id());
    let is_done = scratch.has("out/kept.parquet");
    scratch.write("rows.parquet", &rows);
    signal("-CONT", child.id());
    let answer = answer(child.wait_with_output().expect("a child"));
    if is_done {
        println!("skipped: the last step was done before the process stopped");
        return;
    }
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(
        answer.err.contains("has changed while the job ran"),
        "{}",
        answer.err
    );
    assert!(!scratch.has("out/kept.parquet"));
}
