//! Resource limits of commands: memory, temporary space, open files, and a full disk.

use crate::scratch::{Answer, Scratch, answer};
use std::fs::{DirBuilder, File, read_dir};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A sort that writes some 70 MB to disk where 64 MB may be held.
const SPILLS: &str = "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY text) AS n FROM \
     (SELECT repeat(md5(CAST(value AS VARCHAR)), 8) AS text FROM generate_series(1, 300000)))";

/// Names in a directory of the test.
fn names(scratch: &Scratch, directory: &str) -> Vec<String> {
    let entries = read_dir(scratch.path(directory)).expect("a directory");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

fn signal(name: &str, child: &Child) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(status.expect("kill").success());
}

/// Runs the binary under limits of the shell.
fn limited(scratch: &Scratch, limits: &str, arguments: &[&str]) -> Answer {
    let command = scratch.command(arguments);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
        .arg(command.get_program())
        .args(arguments)
        .current_dir(scratch.path("."))
        .env("HOME", scratch.path("."))
        .env("TMPDIR", scratch.path("."))
        .stdin(Stdio::null());
    answer(shell.output().expect("a shell"))
}

#[test]
fn help_names_the_limits() {
    let help = Scratch::new().succeed(&["--help"]).out;
    for part in [
        "--memory-limit",
        "70 %",
        "none",
        "--temp-dir",
        "--temp-limit",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn temporary_files_have_a_limit_and_a_place() {
    let scratch = Scratch::new();
    let sql = [
        "sql",
        "--threads",
        "2",
        "--memory-limit",
        "64M",
        "-c",
        SPILLS,
    ];
    scratch.succeed(&sql);
    let mut limited = sql.to_vec();
    limited.extend(["--temp-limit", "2M"]);
    scratch.fail(
        &limited,
        &["temporary files", "limit of 2.0 mb", "--temp-limit"],
    );
    let mut elsewhere = sql.to_vec();
    elsewhere.extend(["--temp-dir", "nowhere"]);
    scratch.fail(&elsewhere, &["nowhere", "--temp-dir"]);
    std::fs::create_dir(scratch.path("there")).expect("a directory");
    elsewhere.pop();
    elsewhere.push("there");
    scratch.succeed(&elsewhere);
    assert_eq!(names(&scratch, "."), ["there"]);
    assert_eq!(names(&scratch, "there"), [""; 0]);
}

/// Rows that a sort merges in memory refer to the texts of all its batches, which the next operator counted for each of
/// its batches.
#[test]
fn sorted_texts_count_as_much_as_they_take() {
    let scratch = Scratch::new();
    let id = |number: &str| format!("'https://example.org/a/long/prefix/of/pages/' || ({number})");
    let (id_a, id_b) = (id("value * 48271 % 240007"), id("1000000 + value"));
    let pairs = format!("SELECT {id_a} AS id_a, {id_b} AS id_b FROM generate_series(0, 239999)");
    let copy = format!("COPY ({pairs}) TO 'pairs.parquet'");
    scratch.succeed(&["sql", "-c", &copy]);
    let query = "SELECT count(*) AS ids FROM components('pairs.parquet')";
    for limit in ["60M", "100M", "200M", "300M"] {
        let limits = ["--threads", "2", "--memory-limit", limit];
        let found =
            scratch.succeed(&[&["sql", "--format", "csv", "-c", query], &limits[..]].concat());
        assert!(found.out.contains("480000"), "{limit}: {}", found.out);
    }
}

/// Each batch of a column of a dictionary has the values of the whole dictionary.
#[test]
fn dictionaries_count_as_the_values_of_their_rows() {
    let scratch = Scratch::new();
    let id = |number: &str| format!("arrow_cast('id' || {number}, 'Dictionary(Int32, Utf8)')");
    let (id_a, id_b) = (id("value"), id("(value + 1)"));
    let copy = format!(
        "COPY (SELECT {id_a} AS id_a, {id_b} AS id_b, 0.9 AS similarity \
         FROM generate_series(1, 180003)) TO 'pairs.parquet'"
    );
    scratch.succeed(&["sql", "-c", &copy]);
    for function in ["numbered_ids", "components", "pair_representatives"] {
        let query = format!(
            "SELECT count(*) AS ids, count(DISTINCT CAST(id AS VARCHAR)) AS texts \
             FROM {function}('pairs.parquet')"
        );
        for limit in ["60M", "100M"] {
            let limits = ["--threads", "2", "--memory-limit", limit];
            let found =
                scratch.succeed(&[&["sql", "--format", "csv", "-c", &query], &limits[..]].concat());
            let rows: Vec<&str> = found.out.lines().skip(1).collect();
            assert_eq!(rows, ["180004,180004"], "{function}, {limit}");
        }
    }
}

/// The set of each id counted as all sets of its batch: a join of a column of sets failed whatever the limit.
#[test]
fn sets_of_a_column_count_as_much_as_they_take() {
    let scratch = Scratch::new();
    let query = "SELECT count(*) AS pairs FROM jaccard_join((
                   SELECT value AS id, range(value / 2 * 1000, value / 2 * 1000 + 100) AS k
                   FROM generate_series(1, 20000)), signature_column => k)";
    for limit in ["200M", "1G"] {
        let limits = ["--threads", "2", "--memory-limit", limit];
        let found =
            scratch.succeed(&[&["sql", "--format", "csv", "-c", query], &limits[..]].concat());
        assert!(found.out.contains("9999"), "{limit}: {}", found.out);
    }
}

/// The texts of the structs in lists counted as those of whole batches: 1.4 MB of documents failed with 40 MB.
#[test]
fn sentences_of_documents_count_as_much_as_they_take() {
    let scratch = Scratch::new();
    let word = |at: usize| format!("substr(hash, {at}, 8)");
    let sentence = format!(
        "'The ' || {} || ' of ' || {} || ' saw ' || {} || ' at ' || {} || '.'",
        word(1),
        word(9),
        word(17),
        word(25)
    );
    // Each fourth document has the same 90 sentences.
    let copy = format!(
        "COPY (SELECT 'https://example.org/a/long/prefix/of/pages/' || page AS id,
                      string_agg({sentence}, ' ' ORDER BY place) AS text
               FROM (SELECT pages.value AS page, places.value AS place,
                            md5(CAST(pages.value % 4 * 1000 + places.value AS VARCHAR)) AS hash
                     FROM generate_series(1, 120) AS pages
                     CROSS JOIN generate_series(1, 90) AS places)
               GROUP BY page) TO 'pages.parquet'"
    );
    scratch.succeed(&["sql", "-c", &copy]);
    let query =
        "SELECT count(*) AS runs, sum(length) AS pairs FROM partial_duplicates('pages.parquet')";
    for limit in ["40M", "100M"] {
        let limits = ["--threads", "2", "--memory-limit", limit];
        let found =
            scratch.succeed(&[&["sql", "--format", "csv", "-c", query], &limits[..]].concat());
        let rows: Vec<&str> = found.out.lines().skip(1).collect();
        // 4 * 30 * 29 / 2 runs of 90 sentences.
        assert_eq!(rows, ["1740,156600"], "{limit}");
    }
}

/// Of wide rows, few of which are in a batch, a list of constants needs no column.
#[test]
fn constants_of_wide_rows_are_listed() {
    let scratch = Scratch::new();
    let copy = "COPY (SELECT value AS id, repeat(md5(CAST(value AS VARCHAR)), 60) AS text FROM generate_series(1, 9000)) \
                TO 'wide.csv'";
    scratch.succeed(&["sql", "-c", copy]);
    let query =
        "SELECT cardinality(array_agg(1)) AS rows FROM 'wide.csv' WHERE length(text) > 1000";
    for limits in [&[][..], &["--threads", "7", "--memory-limit", "60M"]] {
        let found = scratch.succeed(&[&["sql", "--format", "csv", "-c", query], limits].concat());
        let rows: Vec<&str> = found.out.lines().skip(1).collect();
        assert_eq!(rows, ["9000"]);
    }
}

/// Lists in the reverse order of others came back from disk in pieces, each of them reversed.
#[test]
fn lists_in_reverse_order_are_written_to_disk() {
    let scratch = Scratch::new();
    let query = "SELECT count(*) AS groups, count(*) FILTER (WHERE m = array_reverse(l)) AS reversed FROM (
                   SELECT k, array_agg(id ORDER BY id) AS l, array_agg(id ORDER BY id DESC) AS m
                   FROM (SELECT value AS id, value % 2000 AS k FROM generate_series(1, 150000)) GROUP BY k)";
    for limits in [&[][..], &["--threads", "1", "--memory-limit", "60M"]] {
        let found = scratch.succeed(&[&["sql", "--format", "csv", "-c", query], limits].concat());
        let rows: Vec<&str> = found.out.lines().skip(1).collect();
        assert_eq!(rows, ["2000,2000"]);
    }
}

/// Waits until a process has an unnamed file open, which means that it spills.
#[cfg(target_os = "linux")]
fn wait_for_spill(child: &Child) {
    let begun = Instant::now();
    let files = format!("/proc/{}/fd", child.id());
    let spills = || {
        let links = read_dir(&files).into_iter().flatten().flatten();
        let mut links = links.filter_map(|link| std::fs::read_link(link.path()).ok());
        links.any(|link| link.to_string_lossy().ends_with(" (deleted)"))
    };
    while !spills() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it does not spill"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_run_leaves_no_temporary_files() {
    for (name, code) in [
        ("-INT", Some(130)),
        ("-TERM", Some(143)),
        ("-HUP", Some(129)),
        ("-KILL", None),
    ] {
        if name == "-HUP" && ignores_hangup() {
            eprintln!("skipped: SIGHUP, which this process ignores, and so what it runs");
            continue;
        }
        let scratch = Scratch::new();
        let more = SPILLS.replace("300000", "30000000");
        let mut child = scratch.begin(&["sql", "--memory-limit", "64M", "-c", &more]);
        wait_for_spill(&child);
        signal(name, &child);
        let asked = Instant::now();
        let ended = child.wait().expect("a child");
        assert!(asked.elapsed() < Duration::from_secs(10), "{name}");
        assert_eq!(ended.code(), code, "{name}: {ended}");
        assert_eq!(names(&scratch, "."), [""; 0], "{name}");
    }
}

/// A join whose rows can be neither held nor spilled is an error, and never returns a part of the pairs.
#[test]
fn a_join_that_cannot_spill_has_all_pairs_or_none() {
    let scratch = Scratch::new();
    // 3,000 groups of eight variants, whose buckets are oversized.
    let make = "COPY (
        SELECT g.value * 8 + v.value AS id,
            array_to_string(array_agg('w' || g.value || 'x' || w.value ORDER BY w.value), ' ') || ' v' || v.value AS text
        FROM generate_series(1, 3000) g CROSS JOIN generate_series(0, 7) v CROSS JOIN generate_series(1, 30) w
        GROUP BY g.value, v.value
    ) TO 'rows.parquet'";
    scratch.succeed(&["sql", "-c", make]);
    let count = "SELECT count(*) AS pairs, count(*) FILTER (WHERE id_a = id_b) AS own FROM minhash_join(
        'rows.parquet', threshold => 0.8, shingle => 'word:2', copies => 'linked', max_bucket_pairwise => 5)";
    let run = |limits: &[&str]| {
        let all = [&["sql", "--json", "--threads", "2", "-c", count], limits].concat();
        scratch.run(&all)
    };
    let wanted = run(&[]).out;
    assert!(wanted.contains("\"own\":0"), "{wanted}");
    let mut errors = 0;
    for memory in ["600M", "400M", "200M", "100M", "50M", "25M"] {
        for space in ["1M", "3M"] {
            let said = run(&["--memory-limit", memory, "--temp-limit", space]);
            match said.out.is_empty() {
                true => errors += 1,
                false => assert_eq!(said.out, wanted, "{memory}, {space}"),
            }
        }
    }
    assert!(errors > 0, "nothing was spilled");
}

/// Signals are received while a query computes for long without a pause.
#[cfg(target_os = "linux")]
#[test]
fn a_query_without_a_pause_is_stopped() {
    const QUERY: &str = "SELECT sum(a.value * b.value % 7) FROM generate_series(1, 2000000) a, generate_series(1, 1000000) b";
    for threads in ["1", "2"] {
        let scratch = Scratch::new();
        let mut child = scratch.begin(&["sql", "--threads", threads, "-c", QUERY]);
        // It computes once it has taken more time than its start.
        let begun = Instant::now();
        while cpu_ticks(&child) < 300 {
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "it does not run"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        signal("-INT", &child);
        let asked = Instant::now();
        let ended = loop {
            if let Some(ended) = child.try_wait().expect("a child") {
                break ended;
            }
            if asked.elapsed() > Duration::from_secs(30) {
                child.kill().expect("a child");
                panic!("{threads} threads: it goes on");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(ended.code(), Some(130), "{threads} threads: {ended}");
    }
}

/// The processor time of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn cpu_ticks(child: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
    let fields = fields.split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Whether this process ignores SIGHUP, as below `nohup`; a process begins with what its parent ignores.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 != 0)
}

#[test]
fn what_a_killed_generate_left_is_removed() {
    let scratch = Scratch::new();
    let generate =
        |rows: &'static str| ["generate", "--rows", rows, "-o", "rows.parquet", "--quiet"];
    let stop = |name: &str| {
        let mut child = scratch.begin(&generate("100000000"));
        let begun = Instant::now();
        while names(&scratch, ".").is_empty() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it does not begin"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(name, &child);
        child.wait().expect("a child").code()
    };
    assert_eq!(stop("-TERM"), Some(143));
    assert_eq!(names(&scratch, "."), [""; 0]);
    assert_eq!(stop("-KILL"), None);
    assert_eq!(names(&scratch, ".").len(), 1);
    scratch.write("rows.parquet.notes.part", "of somebody");
    scratch.succeed(&generate("10"));
    assert_eq!(
        names(&scratch, "."),
        ["rows.parquet", "rows.parquet.notes.part"]
    );
}

#[test]
fn an_ignored_hangup_stays_ignored() {
    let scratch = Scratch::new();
    let command = scratch.command(&["sql", "-c", "SELECT 1"]);
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" sql -c \"$1\""])
        .arg(command.get_program())
        .arg(SPILLS)
        .current_dir(scratch.path("."))
        .stdout(Stdio::null())
        .spawn()
        .expect("a shell");
    std::thread::sleep(Duration::from_millis(300));
    signal("-HUP", &child);
    assert_eq!(child.wait().expect("a child").code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error_of_every_command() {
    let scratch = Scratch::new();
    scratch.write(
        "rows.csv",
        "id,text\n1,one two three four\n2,one two three four\n",
    );
    scratch.succeed(&["dedup", "rows.csv", "--quiet"]);
    for arguments in [
        &["sql", "-c", "SELECT 1"][..],
        &["sql", "--format", "csv", "-c", "SELECT 1 AS a"],
        &["sql", "--format", "json", "-c", "SELECT 1 AS a"],
        &["dedup", "rows.csv"],
        &["dedup", "rows.csv", "--json"],
        &["show"],
        &["plan", "--rows", "10", "--bytes", "1M"],
        &["--help"],
        &["dedup", "--help"],
        &["--version"],
    ] {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("the device");
        let ended = answer(
            scratch
                .command(arguments)
                .stdout(full)
                .output()
                .expect("a run"),
        );
        assert_eq!(ended.code, Some(1), "{arguments:?}: {}", ended.err);
        assert!(
            ended.err.contains("standard output"),
            "{arguments:?}: {}",
            ended.err
        );
    }
    // If the reader has closed the pipe, no error is printed.
    for arguments in [&["--help"][..], &["sql", "-c", "SELECT 1"], &["show"]] {
        let mut child = scratch.begin(arguments);
        drop(child.stdout.take());
        let ended = answer(child.wait_with_output().expect("a child"));
        assert_eq!(
            (ended.code, ended.err.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn the_sample_is_not_taken_from_a_place_of_others() {
    let scratch = Scratch::new();
    let owner = File::open(scratch.path(".")).and_then(|file| file.metadata());
    let name = format!(
        "neardup-sample-{}-{}",
        env!("CARGO_PKG_VERSION"),
        owner.expect("a directory").uid()
    );
    std::fs::create_dir(scratch.path("bait")).expect("a directory");
    symlink(scratch.path("bait"), scratch.path(&name)).expect("a link");
    scratch.succeed(&["dedup", "--quiet"]);
    assert_eq!(names(&scratch, "bait"), [""; 0]);
    let own = scratch.path(&format!("{name}-1"));
    let found = own.symlink_metadata().expect("another name");
    assert_eq!((found.is_dir(), found.mode() & 0o777), (true, 0o700));
    let summary = scratch.job(&["dedup"]);
    assert!(summary["steps_done_before"].as_u64() > Some(0), "{summary}");
}

#[test]
fn a_cluster_is_not_given_options_it_would_not_keep_to() {
    let scratch = Scratch::new();
    scratch.write("rows.csv", "id,text\n1,one\n");
    for option in ["--memory-limit", "--temp-limit", "--temp-dir"] {
        let value = if option == "--temp-dir" { "." } else { "1G" };
        for command in [
            &["sql", "-c", "SELECT 1", "--cluster", "df://127.0.0.1:1"][..],
            &["dedup", "rows.csv", "--cluster", "df://127.0.0.1:1"],
            &["ingest", "rows.csv", "--cluster", "df://127.0.0.1:1"],
            &["scheduler", "--bind", "127.0.0.1:0"],
        ] {
            let mut arguments = command.to_vec();
            arguments.extend([option, value]);
            scratch.fail(&arguments, &[option, "option of each executor"]);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn few_open_files_and_a_small_address_space() {
    let scratch = Scratch::new();
    scratch.generate("20000", "rows.parquet");
    let job = |limits: &str, directory: &str, more: &[&str]| {
        let mut arguments = vec!["dedup", "rows.parquet", "--threads", "2", "-o", directory];
        arguments.extend(more);
        limited(&scratch, limits, &arguments)
    };
    assert_eq!(job("true", "free", &[]).code, Some(0));
    let tables = scratch.tables("free");
    for (limits, directory, more) in [
        ("ulimit -n 64", "files", &["--memory-limit", "1G"][..]),
        ("ulimit -v 3000000", "space", &[]),
    ] {
        let ended = job(limits, directory, more);
        assert_eq!(ended.code, Some(0), "{limits}: {}", ended.err);
        assert!(scratch.tables(directory) == tables, "{limits}");
    }
}

/// A file system that is unmounted when the test ends, however it ends.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let status = Command::new("umount").arg(self.0).status();
        assert!(status.is_ok_and(|status| status.success()));
    }
}

/// Runs where the test may mount a file system of 20 MB: as root.
#[cfg(target_os = "linux")]
#[test]
fn a_full_temporary_file_system() {
    let scratch = Scratch::new();
    let place = scratch.path("small");
    DirBuilder::new()
        .mode(0o700)
        .create(&place)
        .expect("a directory");
    let mount = |arguments: &[&str]| {
        let status = Command::new(arguments[0])
            .args(&arguments[1..])
            .arg(&place)
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs"]) {
        eprintln!("skipped: a_full_temporary_file_system, which needs to mount one");
        return;
    }
    let spills = [
        "sql",
        "--memory-limit",
        "64M",
        "--temp-dir",
        "small",
        "-c",
        SPILLS,
    ];
    let _mounted = Mounted(&place);
    let ended = scratch.run(&spills);
    let mut filled = spills.to_vec();
    filled.extend(["--temp-limit", "1G"]);
    let full = scratch.run(&filled);
    let left = names(&scratch, "small");
    // What fits into memory needs no such place.
    std::fs::write(place.join("full"), vec![0; 3 << 20]).expect_err("a full file system");
    let small = scratch.run(&["sql", "--temp-dir", "small", "-c", "SELECT 1"]);
    assert_eq!(
        (ended.code, full.code),
        (Some(1), Some(1)),
        "{}{}",
        ended.err,
        full.err
    );
    assert!(ended.err.contains("--temp-dir"), "{}", ended.err);
    assert!(full.err.contains("--temp-dir"), "{}", full.err);
    assert_eq!(left, [""; 0]);
    assert_eq!(small.code, Some(0), "{}", small.err);
}

/// Rows of a batch, as the plan that runs shows them.
fn batch_rows(scratch: &Scratch, file: &str) -> Option<usize> {
    let sql = format!("EXPLAIN ANALYZE SELECT min(text), count(*) FROM '{file}'");
    let plan = scratch.succeed(&["sql", "-c", &sql]).out;
    let (_, rows) = plan.split_once("BatchRowsExec: rows=")?;
    let end = rows.find(|letter: char| !letter.is_ascii_digit())?;
    rows[..end].parse().ok()
}

#[test]
fn books_are_not_read_by_the_thousand() {
    let scratch = Scratch::new();
    let book = "word ".repeat(100_000);
    let lines = |text: &str, rows: usize| -> String {
        let line = |id| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
        (0..rows).map(line).collect()
    };
    scratch.write("books.jsonl", lines(&book, 40));
    scratch.write("lines.jsonl", lines("one two three", 20_000));
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT id, text || CAST(id AS VARCHAR) AS text FROM 'books.jsonl') TO 'books.parquet' \
         OPTIONS ('format.dictionary_enabled' 'false')",
    ]);
    // The text is in the file once, in a dictionary.
    scratch.succeed(&[
        "sql",
        "-c",
        "COPY (SELECT id, text FROM 'books.jsonl') TO 'copies.parquet'",
    ]);
    for file in ["books.jsonl", "books.parquet", "copies.parquet"] {
        let rows = 4..=32;
        let found = batch_rows(&scratch, file);
        assert!(
            found.is_some_and(|found| rows.contains(&found)),
            "{file}: {found:?}"
        );
    }
    assert_eq!(batch_rows(&scratch, "lines.jsonl"), None);
    let found = scratch.rows("SELECT id_a, id_b, similarity FROM jaccard_join('books.jsonl')");
    assert_eq!(found.len(), 40 * 39 / 2);
    assert!(Path::new(&scratch.path("books.parquet")).exists());
}

#[test]
fn a_limit_below_a_first_batch_of_each_of_sixty_operators_suffices() {
    let scratch = Scratch::new();
    let word = |text: usize, at: usize| format!("w{}", (text * 7919 + at * at * 31) % 4001);
    let line = |row: usize| {
        // Every fourth text is its predecessor with one word changed.
        let words = (0..120).map(|at| match row % 4 == 3 && at > 0 {
            true => word(row - 1, at),
            false => word(row, at),
        });
        format!("{row},{}\n", words.collect::<Vec<_>>().join(" "))
    };
    let rows: String = (0..4000).map(line).collect();
    scratch.write("texts.csv", format!("id,text\n{rows}"));
    let sql = "SELECT count(*) AS n, round(sum(similarity), 6) AS s FROM near_duplicates('texts.csv', keep => 'longest')";
    let answer = |threads: &str, limit: &str| {
        let limits = ["--threads", threads, "--memory-limit", limit];
        let query = ["--format", "csv", "-c", sql];
        scratch
            .succeed(&[&["sql"], &limits[..], &query[..]].concat())
            .out
    };
    let expected = answer("2", "none");
    for threads in ["1", "2"] {
        for limit in ["60M", "150M", "200M", "300M"] {
            assert_eq!(answer(threads, limit), expected, "{threads} {limit}");
        }
    }
}
