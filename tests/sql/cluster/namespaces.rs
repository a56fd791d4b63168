//! Executors on other addresses, in network namespaces that the test creates and joins by a bridge in the first one.

use super::faults::{Moment, command, has_right_rows, wait_for};
use super::processes::role;
use libtest_mimic::{Failed, Trial};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

pub fn trials() -> Vec<Trial> {
    let ignored = !Network::is_permitted();
    let trials = [
        Trial::test("cluster::a network that breaks and heals", heals),
        Trial::test("cluster::a client that reaches the scheduler only", tunnel),
    ];
    trials.map(|trial| trial.with_ignored_flag(ignored)).into()
}

/// One executor is disconnected during a job, for longer than its heartbeat timeout.
fn heals() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let output = scratch.path().join("job");
    let mut network = Network::new(2)?;
    let neardup = env!("CARGO_BIN_EXE_neardup");
    let mut scheduler = network.command(0, neardup);
    scheduler.args(["scheduler", "--trust-network", "--executor-timeout", "5"]);
    let scheduler = network.start(scheduler.args(["--bind", "10.99.0.1:0"]))?;
    let (_, url) = scheduler.rsplit_once(' ').ok_or("no address")?;
    for executor in 1..=2 {
        let mut command = network.command(executor, neardup);
        command.args(["executor", "--trust-network", "--slots", "2"]);
        command.args(["--bind", &format!("10.99.0.{}:0", executor + 1)]);
        command.args(["--scheduler", url.trim_start_matches("df://")]);
        network.start(
            command
                .arg("--work-dir")
                .arg(scratch.path().join(format!("work{executor}"))),
        )?;
    }
    let job = || command(network.command(0, neardup), Some(url), &output);
    let mut running = job().spawn()?;
    wait_for(&mut running, &output, Moment::Runs)?;
    network.link(1, "down")?;
    std::thread::sleep(Duration::from_secs(15));
    network.link(1, "up")?;
    let mut done = running.wait_with_output()?;
    if !done.status.success() {
        done = job().output()?;
    }
    has_right_rows(&done, &output)
}

/// Executors listen on the loopback of the first namespace, and the client is in the second.
fn tunnel() -> Result<(), Failed> {
    let mut network = Network::new(1)?;
    let neardup = env!("CARGO_BIN_EXE_neardup");
    let mut scheduler = network.command(0, neardup);
    scheduler.args(["scheduler", "--trust-network", "--bind", "10.99.0.1:0"]);
    let scheduler = network.start(scheduler.arg("--serve-results"))?;
    let (_, url) = scheduler.rsplit_once(' ').ok_or("no address")?;
    let mut executor = network.command(0, neardup);
    executor.args(["executor", "--scheduler", url.trim_start_matches("df://")]);
    network.start(&mut executor)?;
    let mut client = network.command(1, neardup);
    client.args(["sql", "--cluster", url, "--format", "csv"]);
    let done = client
        .args(["-c", "SELECT sum(x) AS n FROM (VALUES (1), (2)) AS v (x)"])
        .output()?;
    match done.stdout.as_slice() {
        b"n\n3\n" => Ok(()),
        _ => Err(format!("{done:?}").into()),
    }
}

/// Number of networks that this process has created.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// Namespaces, and the processes in them; both end with it.
struct Network {
    name: String,
    others: usize,
    processes: Vec<Child>,
}

impl Network {
    fn is_permitted() -> bool {
        Self::new(1).is_ok()
    }

    /// A namespace with a bridge at 10.99.0.1, and others at 10.99.0.2 and so on.
    fn new(others: usize) -> Result<Self, Failed> {
        let network = Self {
            name: format!(
                "neardup-{}-{}",
                std::process::id(),
                MADE.fetch_add(1, Ordering::Relaxed)
            ),
            others,
            processes: vec![],
        };
        let hub = network.namespace(0);
        ip(&format!("netns add {hub}"))?;
        ip(&format!("-n {hub} link set lo up"))?;
        ip(&format!("-n {hub} link add hub type bridge"))?;
        ip(&format!("-n {hub} addr add 10.99.0.1/24 dev hub"))?;
        ip(&format!("-n {hub} link set hub up"))?;
        for other in 1..=others {
            let namespace = network.namespace(other);
            ip(&format!("netns add {namespace}"))?;
            ip(&format!("-n {namespace} link set lo up"))?;
            ip(&format!(
                "-n {hub} link add to{other} type veth peer name out netns {namespace}"
            ))?;
            ip(&format!("-n {hub} link set to{other} master hub up"))?;
            ip(&format!(
                "-n {namespace} addr add 10.99.0.{}/24 dev out",
                other + 1
            ))?;
            ip(&format!("-n {namespace} link set out up"))?;
        }
        Ok(network)
    }

    fn namespace(&self, number: usize) -> String {
        format!("{}-{number}", self.name)
    }

    /// A command that runs in a namespace.
    fn command(&self, namespace: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(namespace), program]);
        command
    }

    fn start(&mut self, command: &mut Command) -> Result<String, Failed> {
        let (process, first_line) = role(command)?;
        self.processes.push(process);
        Ok(first_line)
    }

    /// Disconnects (`down`) or connects (`up`) the link of a namespace.
    fn link(&self, other: usize, state: &str) -> Result<(), Failed> {
        ip(&format!(
            "-n {} link set to{other} {state}",
            self.namespace(0)
        ))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // The process may have ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
        for number in 0..=self.others {
            // It may never have been created.
            let _ = ip(&format!("netns del {}", self.namespace(number)));
        }
    }
}

fn ip(arguments: &str) -> Result<(), Failed> {
    let done = Command::new("ip").args(arguments.split(' ')).output()?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("ip {arguments}: {}", String::from_utf8_lossy(&done.stderr)).into()),
    }
}
