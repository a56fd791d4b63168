//! Requests without the token are rejected at every port of a cluster, and commands report this in one line.

use super::faults::{command, has_right_rows};
use super::processes::{Cluster, TOKEN, role, token_file, write_token};
use super::session;
use arrow_flight::Ticket;
use arrow_flight::flight_service_client::FlightServiceClient;
use ballista_core::serde::protobuf::executor_grpc_client::ExecutorGrpcClient;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelTasksParams, ExecuteQueryParams, GetJobStatusParams, KeyValuePair, LaunchMultiTaskParams,
    LaunchTaskParams, MultiTaskDefinition, RegisterExecutorParams, RemoveJobDataParams,
    RunningTaskInfo, TaskDefinition,
};
use libtest_mimic::{Failed, Trial};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cluster::token: every port rejects requests", every_port),
        Trial::test("cluster::token: clients report it", clients),
        Trial::test("cluster::token: roles agree on it", roles),
        Trial::test("cluster::token: nobody sees it", hidden),
        Trial::test(
            "cluster::token: requests without it change no rows",
            unauthenticated,
        ),
    ]
}

const MISSING: &str = "a token is required, but the request has none (--token-file)";
const WRONG: &str = "the token of the request is not that of the cluster (--token-file)";

/// The ports on which a process listens.
fn ports(process: u32) -> Result<Vec<u16>, Failed> {
    let mut sockets = HashSet::new();
    for entry in std::fs::read_dir(format!("/proc/{process}/fd"))?.flatten() {
        if let Ok(target) = std::fs::read_link(entry.path())
            && let Some(inode) = target.to_str().and_then(|t| t.strip_prefix("socket:["))
        {
            sockets.insert(inode.trim_end_matches(']').to_owned());
        }
    }
    let mut ports = Vec::new();
    for table in ["tcp", "tcp6"] {
        let table = std::fs::read_to_string(format!("/proc/{process}/net/{table}"))?;
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            // 0A: listening.
            if fields[3] == "0A" && sockets.contains(fields[9]) {
                let (_, port) = fields[1].rsplit_once(':').ok_or("a port")?;
                ports.push(u16::from_str_radix(port, 16)?);
            }
        }
    }
    Ok(ports)
}

/// The first line of a port's response to an HTTP/1.1 request, or nothing.
fn http(port: u16, request: &str) -> Result<String, Failed> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    // One write: a server that speaks only HTTP/2 may close the connection after the first bytes.
    let request = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

async fn channel(port: u16, token: Option<&str>) -> Result<Channel, tonic::transport::Error> {
    let mut endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}"))?;
    if let Some(token) = token {
        endpoint = endpoint.user_agent(format!("neardup-token={token}"))?;
    }
    endpoint.connect().await
}

/// The status with which a port answers one request of each service.
async fn answers(port: u16, token: Option<&str>) -> Result<Vec<(&'static str, Status)>, Failed> {
    let channel = channel(port, token).await?;
    let mut all = Vec::new();
    let mut note = |name, answer: Result<(), Status>| {
        all.push((name, answer.err().unwrap_or_else(|| Status::ok("done"))));
    };
    let mut scheduler = SchedulerGrpcClient::new(channel.clone());
    let query = scheduler.execute_query(ExecuteQueryParams::default()).await;
    note("query", query.map(|_| ()));
    let status = scheduler
        .get_job_status(GetJobStatusParams::default())
        .await;
    note("status", status.map(|_| ()));
    let register = scheduler
        .register_executor(RegisterExecutorParams::default())
        .await;
    note("register", register.map(|_| ()));
    let mut flight = FlightServiceClient::new(channel.clone());
    let ticket = Ticket {
        ticket: vec![0xff; 3].into(),
    };
    note("rows", flight.do_get(ticket).await.map(|_| ()));
    let action = arrow_flight::Action::new("IO_BLOCK_TRANSPORT", vec![0xff; 3]);
    note("blocks", flight.do_action(action).await.map(|_| ()));
    let mut executor = ExecutorGrpcClient::new(channel);
    for (name, key) in [
        ("task", None),
        ("task with a wrong key", Some("0".repeat(64))),
    ] {
        let task = TaskDefinition {
            plan: vec![0xff; 3],
            props: key.into_iter().map(stamp).collect(),
            ..Default::default()
        };
        let launch = LaunchTaskParams {
            tasks: vec![task],
            ..Default::default()
        };
        note(name, executor.launch_task(launch).await.map(|_| ()));
    }
    let tasks = MultiTaskDefinition {
        job_id: "theirs".to_owned(),
        ..Default::default()
    };
    let launch = LaunchMultiTaskParams {
        multi_tasks: vec![tasks],
        ..Default::default()
    };
    let launched = executor.launch_multi_task(launch).await;
    note(
        "tasks",
        launched.and_then(|answer| match answer.into_inner().failed_jobs.as_slice() {
            [] => Ok(()),
            _ => Err(Status::permission_denied("the job failed")),
        }),
    );
    Ok(all)
}

fn stamp(key: String) -> KeyValuePair {
    KeyValuePair {
        key: "neardup_task.key".to_owned(),
        value: Some(key),
    }
}

fn every_port() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    let mut listening = Vec::new();
    for process in cluster.processes() {
        listening.push(ports(process)?);
    }
    let counts: Vec<usize> = listening.iter().map(Vec::len).collect();
    if counts != [1, 2] {
        return Err(format!(
            "expected one port of the scheduler and two of the executor: {listening:?}"
        )
        .into());
    }
    let scheduler = listening[0][0];
    for port in listening.concat() {
        for request in [
            "GET /",
            "GET /healthz",
            "GET /readyz",
            "GET /api/state",
            "GET /api/executors",
            "GET /api/jobs",
            "GET /api/metrics",
            "GET /nothing",
            "PATCH /api/job/x",
            "OPTIONS /api/jobs",
            "POST /arrow.flight.protocol.FlightService/DoGet",
        ] {
            let answer = http(port, request)?;
            let refused = match port == scheduler {
                true => answer.starts_with("HTTP/1.1 401 "),
                // Executors speak HTTP/2 only.
                false => !answer.contains("200"),
            };
            if !refused {
                return Err(format!("port {port}, {request}: {answer}").into());
            }
        }
    }
    let all = listening.concat();
    crate::run(async move {
        for port in all {
            let mut served = 0;
            for token in [None, Some("another-token-of-this-length")] {
                for (name, status) in answers(port, token).await? {
                    let refused = match status.code() {
                        // This port has no service of that name.
                        Code::Unimplemented => continue,
                        Code::Unauthenticated => true,
                        // A task is rejected because of the key that it carries.
                        Code::InvalidArgument => status.message().contains("--token-file"),
                        Code::PermissionDenied => name == "tasks",
                        _ => false,
                    };
                    if !refused {
                        return Err(format!("port {port}, {name}: {status:?}").into());
                    }
                    served += 1;
                }
            }
            if served == 0 {
                return Err(format!("port {port} serves nothing").into());
            }
            let known = answers(port, Some(TOKEN)).await?;
            if let Some((name, _)) = known
                .iter()
                .find(|(_, s)| s.code() == Code::Unauthenticated)
            {
                return Err(format!("port {port}, {name}: the right token is refused").into());
            }
        }
        Ok(())
    })
}

fn client(url: &str, token: Option<&Path>) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_neardup"));
    command.args([
        "sql",
        "--format",
        "csv",
        "--cluster",
        url,
        "-c",
        "SELECT 1 AS n",
    ]);
    if let Some(token) = token {
        command.arg("--token-file").arg(token);
    }
    Ok(command.stdin(Stdio::null()).output()?)
}

/// Checks that a process failed with one line of output that contains a text.
fn says(done: &Output, text: &str) -> Result<(), Failed> {
    let stderr = String::from_utf8_lossy(&done.stderr);
    match done.status.code() == Some(1) && stderr.contains(text) && stderr.lines().count() == 1 {
        true => Ok(()),
        false => Err(format!("expected '{text}', found {done:?}").into()),
    }
}

/// Two clusters with different tokens: each serves only its own clients.
fn clients() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let other = write_token(scratch.path(), "another-token-of-this-length")?;
    let mine = Cluster::start(1)?;
    says(&client(&mine.url(), None)?, MISSING)?;
    says(&client(&mine.url(), Some(&other))?, WRONG)?;
    let done = client(&mine.url(), Some(token_file()))?;
    if done.stdout != b"n\n1\n" {
        return Err(format!("{done:?}").into());
    }
    let mut theirs = Command::new(env!("CARGO_BIN_EXE_neardup"));
    theirs.args(["scheduler", "--bind", "127.0.0.1:0", "--token-file"]);
    let (mut theirs, line) = role(theirs.arg(&other))?;
    let url = line.rsplit_once(' ').map(|(_, url)| url.to_owned());
    let refused = client(&url.ok_or("an address")?, Some(token_file()));
    theirs.kill()?;
    theirs.wait()?;
    says(&refused?, WRONG)
}

/// An executor whose token differs from that of the scheduler stops at once.
fn roles() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let other = write_token(scratch.path(), "another-token-of-this-length")?;
    let executor = |scheduler: &str, token: Option<&Path>| -> Result<Output, Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_neardup"));
        command.args(["executor", "--scheduler", scheduler]);
        if let Some(token) = token {
            command.arg("--token-file").arg(token);
        }
        Ok(command.stdin(Stdio::null()).output()?)
    };
    let cluster = Cluster::start(0)?;
    let address = cluster.address.to_string();
    says(&executor(&address, None)?, MISSING)?;
    says(&executor(&address, Some(&other))?, WRONG)?;
    let mut open = Command::new(env!("CARGO_BIN_EXE_neardup"));
    open.args(["scheduler", "--bind", "127.0.0.1:0"]);
    let (mut open, line) = role(&mut open)?;
    let address = line
        .rsplit_once("df://")
        .map(|(_, address)| address.to_owned());
    let refused = executor(&address.ok_or("an address")?, Some(&other));
    open.kill()?;
    open.wait()?;
    says(
        &refused?,
        "does not require a token; start it with --token-file, too",
    )
}

/// The token is in no command line, no environment variable and no session option.
fn hidden() -> Result<(), Failed> {
    let cluster = Cluster::start(1)?;
    for process in cluster.processes() {
        for file in ["cmdline", "environ"] {
            let bytes = std::fs::read(format!("/proc/{process}/{file}"))?;
            if String::from_utf8_lossy(&bytes).contains(TOKEN) {
                return Err(format!("{file} of {process} holds the token").into());
            }
        }
    }
    let url = cluster.url();
    crate::run(async move {
        let context = session(&url)?;
        let frame = context.sql("SELECT 1").await?;
        let shown = format!(
            "{:?} {:?}",
            context.state().config_options(),
            frame.task_ctx()
        );
        frame.collect().await?;
        match shown.contains(TOKEN) {
            true => Err("options of the session hold the token".into()),
            false => Ok(()),
        }
    })
}

/// Sends requests without a token to remove job data and to cancel tasks while a job runs. The job ends with the right
/// rows or with an error, and can be resumed afterwards.
fn unauthenticated() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let cluster = Cluster::start(2)?;
    let mut listening = Vec::new();
    for process in cluster.processes().skip(1) {
        listening.extend(ports(process)?);
    }
    let job = || {
        let program = Command::new(env!("CARGO_BIN_EXE_neardup"));
        command(program, Some(&cluster.url()), &output)
    };
    let mut running = job().spawn()?;
    let begun = Instant::now();
    while running.try_wait()?.is_none() && begun.elapsed() < Duration::from_secs(10) {
        let jobs = cluster.get("/api/jobs")?;
        let jobs: Vec<String> = jobs
            .split("\"job_id\":\"")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
            .collect();
        let listening = listening.clone();
        crate::run(async move {
            for port in listening {
                let mut executor = ExecutorGrpcClient::new(channel(port, None).await?);
                for job_id in &jobs {
                    let remove = RemoveJobDataParams {
                        job_id: job_id.clone(),
                        ..Default::default()
                    };
                    // It is rejected by the ports that serve rows, and by those that do not.
                    _ = executor.remove_job_data(remove).await;
                    let task_infos = (0..4).map(|task_id| RunningTaskInfo {
                        task_id,
                        job_id: job_id.clone(),
                        stage_id: task_id % 2,
                    });
                    let cancel = CancelTasksParams {
                        task_infos: task_infos.collect(),
                    };
                    _ = executor.cancel_tasks(cancel).await;
                }
            }
            Ok::<_, Failed>(())
        })?;
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut done = running.wait_with_output()?;
    if !done.status.success() {
        done = job().output()?;
    }
    has_right_rows(&done, &output)
}
