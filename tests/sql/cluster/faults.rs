//! Jobs on a cluster in which a process fails: the same command ends with the rows of an undisturbed run, and completed
//! steps are not repeated.

use super::processes::{Cluster, TIMEOUT, token_file};
use super::{query, rows, same_tables, session};
use datafusion::common::{Result as QueryResult, exec_datafusion_err};
use libtest_mimic::{Failed, Trial};
use neardup::jobs::Manifest;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The progress of a step.
#[derive(Debug, Clone, Copy)]
pub enum Moment {
    Runs,
    HasFiles,
    IsCommitted,
}

const MOMENTS: [(Moment, &str); 3] = [
    (Moment::Runs, "while a step runs"),
    (Moment::HasFiles, "before a commit"),
    (Moment::IsCommitted, "after a commit"),
];

/// Which role is lost.
#[derive(Debug, Clone, Copy)]
enum Role {
    Client,
    Executor,
    Scheduler,
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (moment, when) in MOMENTS {
        for role in [Role::Client, Role::Executor, Role::Scheduler] {
            let name = format!("cluster::{role:?} lost {when}").to_lowercase();
            trials.push(Trial::test(name, move || lost(role, moment)));
        }
    }
    trials.extend([
        Trial::test("cluster::an executor that starts late", starts_late),
        Trial::test("cluster::an executor that is stopped", stopped),
        Trial::test(
            "cluster::a scheduler that is unavailable for long",
            scheduler_unavailable,
        ),
        Trial::test("cluster::an executor that cannot write", cannot_write),
        Trial::test(
            "cluster::a directory that executors do not share",
            not_shared,
        )
        .with_ignored_flag(!may_unshare()),
        Trial::test("cluster::chaos", chaos),
    ]);
    trials
}

/// The command of the job of these tests, in one process or on a cluster.
pub fn command(mut program: Command, cluster: Option<&str>, output: &Path) -> Command {
    let input = crate::root().join("datasets/sample/documents.jsonl");
    program
        .arg("dedup")
        .arg(input)
        .args(["--text", "body", "-o"])
        .arg(output);
    if let Some(url) = cluster {
        program.args(["--cluster", url, "--threads", "4", "--step-timeout", "60"]);
        program.arg("--token-file").arg(token_file());
    }
    program
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    program
}

fn neardup(cluster: Option<&Cluster>, output: &Path) -> Command {
    let url = cluster.map(Cluster::url);
    command(
        Command::new(env!("CARGO_BIN_EXE_neardup")),
        url.as_deref(),
        output,
    )
}

/// Runs the job to completion.
fn run(cluster: Option<&Cluster>, output: &Path) -> Result<Output, Failed> {
    Ok(neardup(cluster, output).output()?)
}

/// Checks that a job succeeded, with the same rows as in one process.
pub fn has_right_rows(done: &Output, output: &Path) -> Result<(), Failed> {
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    let scratch = TempDir::new()?;
    let local = scratch.path().join("local");
    run(None, &local)?;
    same_tables(
        local,
        output.to_owned(),
        &["pairs", "clusters", "kept", "removed"],
    )
}

/// Waits until the fourth step of a job has reached a moment.
pub fn wait_for(job: &mut Child, output: &Path, moment: Moment) -> Result<(), Failed> {
    const STEP: usize = 3;
    let begun = Instant::now();
    loop {
        let done = Manifest::load(output)?.map_or(0, |manifest| manifest.steps.len());
        let step = directories(&output.join("steps"))
            .into_iter()
            .find(|name| name.starts_with("04-"));
        let reached = match (moment, &step) {
            _ if done > STEP => true,
            (Moment::Runs, Some(_)) => true,
            (Moment::HasFiles, Some(step)) => {
                !directories(&output.join("steps").join(step)).is_empty()
            }
            _ => false,
        };
        if reached {
            return Ok(());
        }
        if let Some(status) = job.try_wait()? {
            return Err(format!("the job ended before its fourth step: {status}").into());
        }
        if begun.elapsed() > TIMEOUT {
            return Err("the job did not come to its fourth step".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn directories(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

fn lost(role: Role, moment: Moment) -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut cluster = Cluster::start(2)?;
    let mut job = neardup(Some(&cluster), &output).spawn()?;
    wait_for(&mut job, &output, moment)?;
    match role {
        Role::Client => job.kill()?,
        Role::Executor => cluster.lose_executor()?,
        Role::Scheduler => cluster.replace_scheduler(Duration::ZERO)?,
    }
    let mut done = job.wait_with_output()?;
    let before = Manifest::load(&output)?.ok_or("no manifest")?;
    if !done.status.success() {
        done = run(Some(&cluster), &output)?;
    }
    has_right_rows(&done, &output)?;
    let after = Manifest::load(&output)?.ok_or("no manifest")?;
    for (before, after) in before.steps.iter().zip(&after.steps) {
        if before.files != after.files {
            return Err(format!("step {} was done twice", before.name).into());
        }
    }
    Ok(())
}

/// A job without an executor says what it waits for, and goes on when there is one.
fn starts_late() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut cluster = Cluster::start(0)?;
    let mut job = neardup(Some(&cluster), &output).spawn()?;
    let mut said = BufReader::new(job.stderr.take().ok_or("standard error")?);
    let mut line = String::new();
    while !line.contains("no executor is registered with the scheduler at http://127.0.0.1:") {
        line.clear();
        if said.read_line(&mut line)? == 0 {
            return Err("the job does not say that there is no executor".into());
        }
    }
    cluster.add_executor("exec")?;
    // The job would wait if nobody read what it prints.
    std::io::copy(&mut said, &mut std::io::sink())?;
    has_right_rows(&job.wait_with_output()?, &output)
}

fn stopped() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut cluster = Cluster::start(2)?;
    let mut job = neardup(Some(&cluster), &output).spawn()?;
    wait_for(&mut job, &output, Moment::Runs)?;
    cluster.stop_executor()?;
    has_right_rows(&job.wait_with_output()?, &output)
}

/// Executors stop when their heartbeats fail, and register again when there is a scheduler.
fn scheduler_unavailable() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut cluster = Cluster::start(2)?;
    cluster.replace_scheduler(Duration::from_secs(20))?;
    has_right_rows(&run(Some(&cluster), &output)?, &output)
}

/// A limit on the size of files simulates a full disk.
fn cannot_write() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut cluster = Cluster::start(0)?;
    cluster.add_executor("trap '' XFSZ; ulimit -f 1; exec")?;
    let failed = run(Some(&cluster), &output)?;
    let stderr = String::from_utf8_lossy(&failed.stderr);
    if failed.status.success() || !stderr.contains("File too large") {
        return Err(format!("expected an error that names the cause, found: {stderr}").into());
    }
    if Manifest::load(&output)?.is_some_and(|manifest| manifest.finished) {
        return Err("the job counts as done".into());
    }
    let cluster = Cluster::start(1)?;
    has_right_rows(&run(Some(&cluster), &output)?, &output)
}

/// Whether this machine allows processes to have their own mounts.
fn may_unshare() -> bool {
    let mount = ["-m", "mount", "-t", "tmpfs", "tmpfs", "/tmp"];
    let tried = Command::new("unshare").args(mount).output();
    tried.is_ok_and(|tried| tried.status.success())
}

/// An executor that has a different directory at the path of the job.
fn not_shared() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut cluster = Cluster::start(0)?;
    let hide = format!("mount -t tmpfs tmpfs '{}' &&", scratch.path().display());
    cluster.add_executor(&format!(
        "exec unshare -m bash -c \"{hide} exec \\\"\\$0\\\" \\\"\\$@\\\"\""
    ))?;
    let failed = run(Some(&cluster), &output)?;
    let stderr = String::from_utf8_lossy(&failed.stderr);
    match stderr.contains("must lie on storage that this process and all executors see") {
        true => Ok(()),
        false => Err(format!("expected an error about storage, found: {stderr}").into()),
    }
}

/// Faults injected by the engine with a probability of 20 %: the result is right or an error.
fn chaos() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let url = cluster.url();
    crate::run(async move {
        let call =
            query("SELECT * FROM jaccard_join('datasets/sample/documents.jsonl', text => body)");
        let expected = rows(
            &neardup::session(Default::default(), Default::default())?,
            &call,
        )
        .await?;
        let mut right = 0;
        for fault in ["transient", "panic", "delay:20"] {
            for seed in 1..=3 {
                let context = session(&url)?;
                for (key, value) in [
                    ("enabled", "true"),
                    ("probability", "0.2"),
                    ("fault_type", fault),
                    ("seed", &seed.to_string()),
                ] {
                    let set = format!("SET ballista.testing.chaos_execution.{key} = '{value}'");
                    context.sql(&set).await?.collect().await?;
                }
                let found: QueryResult<String> =
                    tokio::time::timeout(2 * TIMEOUT, rows(&context, &call))
                        .await
                        .unwrap_or_else(|_| Err(exec_datafusion_err!("no answer")));
                match found {
                    Ok(found) if found == expected => right += 1,
                    Ok(found) => return Err(format!("{fault}, seed {seed}: {found}").into()),
                    Err(error) if error.to_string().contains("no answer") => {
                        return Err(format!("{fault}, seed {seed}: no answer").into());
                    }
                    Err(_) => {}
                }
            }
        }
        match right {
            0 => Err("no query came through".into()),
            _ => Ok(()),
        }
    })
}
