//! Every option of a command that takes `--cluster` is supported on a cluster, rejected, or listed with the reason why
//! it is neither.

use super::processes::{Cluster, TIMEOUT, token_file};
use super::same_tables;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cluster::options: each is tried or explained", each),
        Trial::test(
            "cluster::options: jobs with them are those of one process",
            jobs,
        ),
        Trial::test(
            "cluster::options: a step that makes no progress",
            no_progress,
        ),
    ]
}

/// Commands with options that affect the output of a job, and the tables that are compared.
const JOBS: &[(&str, &[&str], &[&str])] = &[
    (
        "dedup",
        &[
            "DOCUMENTS",
            "--text",
            "body",
            "--id",
            "id",
            "--threshold",
            "0.7",
            "--shingle",
            "char:8",
            "--method",
            "minhash",
            "--target-recall",
            "0.9",
            "--no-normalize",
            "--pairs",
            "all",
            "--resolution",
            "components",
            "--keep",
            "longest",
            "--max-bucket-pairwise",
            "5000",
            "--overwrite",
        ],
        &["pairs", "clusters", "kept", "removed"],
    ),
    (
        "dedup",
        &[
            "DOCUMENTS",
            "--text",
            "body",
            "--method",
            "exact",
            "--keep-by",
            "title desc",
            "--within",
            "language,source",
        ],
        &["pairs", "clusters", "kept", "removed"],
    ),
    (
        "dedup",
        &[
            "TEXTS",
            "--edit",
            "lines",
            "--min-copies",
            "2",
            "--keep",
            "longest",
        ],
        &["cuts", "kept"],
    ),
    (
        "dedup",
        &["TEXTS", "--edit", "passages", "--min-words", "5"],
        &["cuts", "kept"],
    ),
    (
        "dedup",
        &[
            "TEXTS",
            "--edit",
            "passages",
            "--min-words",
            "5",
            "--cut-at",
            "sentences",
        ],
        &["cuts", "kept"],
    ),
    (
        "dedup",
        &[
            "TEXTS",
            "--measure",
            "containment",
            "--keep",
            "longest",
            "--threshold",
            "0.9",
        ],
        &["pairs", "clusters", "kept", "removed"],
    ),
    (
        "dedup",
        &["TEXTS", "--row-ids", "content"],
        &["pairs", "clusters", "kept", "removed"],
    ),
    (
        "dedup",
        &[
            "VECTORS",
            "--method",
            "projection",
            "--vector",
            "v",
            "--bits",
            "256",
        ],
        &["pairs", "clusters", "kept", "removed"],
    ),
    (
        "dedup",
        &[
            "CELLS",
            "--delimiter",
            "|",
            "--quote",
            "'",
            "--skip-lines",
            "2",
            "--no-header",
            "--column-names",
            "id,text",
            "--encoding",
            "windows-1252",
            "--all-text",
        ],
        &["pairs", "clusters", "kept"],
    ),
    (
        "dedup",
        &[
            "DUMP",
            "--compare",
            "lists",
            "--language",
            "de",
            "--min-length",
            "30",
            "--max-length",
            "200",
            "--splitter",
            "published",
            "--formulas",
            "text",
            "--on-error",
            "skip",
        ],
        &["pairs", "clusters", "kept", "removed", "sentences"],
    ),
    (
        "decontaminate",
        &[
            "TEXTS",
            "--text",
            "text",
            "--id",
            "row",
            "--row-ids",
            "content",
            "--against",
            "ITEMS",
            "--item-id",
            "name",
            "--item-text",
            "text,question",
            "--item-benchmark",
            "set",
            "--min-coverage",
            "0.3",
            "--min-run",
            "3",
            "--max-items",
            "50",
            "--min-words",
            "2",
            "--action",
            "mark",
            "--overwrite",
        ],
        &["kept", "contamination"],
    ),
    (
        "decontaminate",
        &[
            "DOCUMENTS",
            "--text",
            "body",
            "--against",
            "ITEMS",
            "--action",
            "cut",
        ],
        &["kept", "contamination", "cuts"],
    ),
    (
        "ingest",
        &[
            "DUMP",
            "--language",
            "de",
            "--splitter",
            "published",
            "--formulas",
            "text",
            "--on-error",
            "skip",
            "--overwrite",
        ],
        &["sentences", "plain_text"],
    ),
];

/// The meaning of the other options on a cluster, and where it is tested.
const OTHERS: &[(&str, &str)] = &[
    ("--cluster", "names it"),
    (
        "--dir",
        "the tables of a job are read where the client sees them, as files of a query: the .slt files",
    ),
    ("--all-text", "of the session, as for a job"),
    ("--column-names", "of the session, as for a job"),
    ("--delimiter", "of the session, as for a job"),
    ("--encoding", "of the session, as for a job"),
    ("--format", "what the client prints: tests/cli/sql.rs"),
    ("--help", "is no option of work"),
    ("--json", "what the client prints"),
    (
        "--kept",
        "the client writes the result of the job: tests/cli/dialects.rs",
    ),
    ("--log", "what the client logs; the roles have their own"),
    ("--memory-limit", "of the executors, not of a client"),
    ("--no-header", "of the session, as for a job"),
    ("--output", "where all trials of jobs write"),
    ("--quiet", "what the client says"),
    ("--quote", "of the session, as for a job"),
    ("--skip-lines", "of the session, as for a job"),
    ("--report", "what the client writes: tests/cli/report.rs"),
    ("--scratch", "cluster::a large table in memory"),
    (
        "--step-timeout",
        "cluster::options: a step that makes no progress",
    ),
    (
        "--temp-dir",
        "of the executors (--work-dir), not of a client",
    ),
    ("--temp-limit", "of the executors, not of a client"),
    ("--threads", "tasks of a stage; all trials of jobs give it"),
    ("--token-file", "cluster::token"),
    ("--version", "is no option of work"),
];

fn each() -> Result<(), Failed> {
    let mut missing = Vec::new();
    for command in ["dedup", "decontaminate", "ingest", "sql"] {
        let help = Command::new(env!("CARGO_BIN_EXE_neardup"))
            .args([command, "--help"])
            .output()?;
        let help = String::from_utf8(help.stdout)?;
        let words = help.lines().filter_map(|line| {
            let line = line.trim_start();
            let line = line
                .split_once(", --")
                .map_or(line, |(_, rest)| &line[line.len() - rest.len() - 2..]);
            line.starts_with("--")
                .then(|| line.split([' ', '=', '[']).next().unwrap_or(line))
        });
        let all: BTreeSet<&str> = words.collect();
        if all.len() < 5 {
            return Err(format!("{command} --help cannot be read: {help}").into());
        }
        for option in all {
            let is_tried = JOBS
                .iter()
                .any(|(of, given, _)| *of == command && given.contains(&option));
            let is_explained = OTHERS.iter().any(|(name, _)| *name == option);
            if !is_tried && !is_explained {
                missing.push(format!("{command} {option}"));
            }
        }
    }
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "say in tests/sql/cluster/options.rs what --cluster makes of: {}",
            missing.join(", ")
        )
        .into()),
    }
}

/// Vectors in groups of three that are near each other.
fn vectors() -> String {
    let line = |id: usize| {
        let number =
            |index: usize| ((id / 3 * 31 + index * 17) % 23) as f64 - 11.0 + (id % 3) as f64 / 50.0;
        let vector: Vec<String> = (0..24).map(|index| number(index).to_string()).collect();
        format!("{{\"id\":{id},\"v\":[{}]}}\n", vector.join(","))
    };
    (0..90).map(line).collect()
}

fn jobs() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let scratch = TempDir::new()?;
    let sample = crate::root().join("datasets/sample");
    let vectors_at = scratch.path().join("vectors.jsonl");
    std::fs::write(&vectors_at, vectors())?;
    let texts_at = scratch.path().join("texts.csv");
    let line = |number: usize| format!("the text of line {} of a table without ids\n", number / 2);
    let lines: String = (0..40).map(line).collect();
    std::fs::write(&texts_at, format!("text\n{lines}"))?;
    let cells_at = scratch.path().join("cells.csv");
    let line = |number: usize| {
        format!(
            "{number:02}|'caf\u{e9} | of line {} of a table'\n",
            number / 2
        )
    };
    let lines: String = (0..40).map(line).collect();
    let cells = format!("Cells of a table | with ' in it\n\n{lines}");
    // A character of Latin-1 is one byte.
    let cells: Vec<u8> = cells.chars().map(|letter| letter as u8).collect();
    std::fs::write(&cells_at, cells)?;
    let items_at = scratch.path().join("items.csv");
    std::fs::write(
        &items_at,
        "name,text,question,set\n\
         a,the evening ferry between Port Adeline and Skerry leaves at 19:40,line 3 of a table,tables\n\
         b,Let the pot simmer for an hour and a half without stirring too often,,recipes\n",
    )?;
    for (number, (command, options, tables)) in JOBS.iter().enumerate() {
        let run = |mode: &str| {
            let output = scratch.path().join(format!("{mode}-{number}"));
            let mut job = Command::new(env!("CARGO_BIN_EXE_neardup"));
            job.arg(command).arg("--quiet").arg("-o").arg(&output);
            for option in *options {
                match *option {
                    "DOCUMENTS" => job.arg(sample.join("documents.jsonl")),
                    "DUMP" => job.arg(sample.join("samplewiki-pages-articles.xml.bz2")),
                    "VECTORS" => job.arg(&vectors_at),
                    "TEXTS" => job.arg(&texts_at),
                    "ITEMS" => job.arg(&items_at),
                    "CELLS" => job.arg(&cells_at),
                    other => job.arg(other),
                };
            }
            if mode == "remote" {
                job.args([
                    "--cluster",
                    &cluster.url(),
                    "--threads",
                    "3",
                    "--token-file",
                ]);
                job.arg(token_file());
            }
            let done = job.stdin(Stdio::null()).output()?;
            match done.status.success() {
                true => Ok(output),
                false => Err(Failed::from(format!("{command} {options:?}: {done:?}"))),
            }
        };
        same_tables(run("local")?, run("remote")?, tables)
            .map_err(|error| format!("{command} {options:?}: {error:?}"))?;
    }
    Ok(())
}

/// There is no executor, so that no task completes.
fn no_progress() -> Result<(), Failed> {
    let cluster = Cluster::start(0)?;
    let mut client = Command::new(env!("CARGO_BIN_EXE_neardup"));
    client.args([
        "sql",
        "-c",
        "SELECT 1",
        "--cluster",
        &cluster.url(),
        "--step-timeout",
        "1",
    ]);
    client.arg("--token-file").arg(token_file());
    let mut client = client
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let begun = Instant::now();
    let mut stderr = BufReader::new(client.stderr.take().ok_or("no standard error")?).lines();
    let first = stderr.next().transpose()?.unwrap_or_default();
    let took = begun.elapsed();
    client.kill()?;
    client.wait()?;
    match first.contains("within 1 seconds (--step-timeout)") && took < TIMEOUT {
        true => Ok(()),
        false => Err(format!("after {took:?}: {first}").into()),
    }
}
