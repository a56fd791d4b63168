//! A scheduler and executors as processes of this machine, which require a token.

use libtest_mimic::Failed;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time limit for the start of processes.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The secret of all clusters that are started here.
pub const TOKEN: &str = "the-token-of-these-tests";

/// A private file with a token, for as long as this process runs.
pub fn token_file() -> &'static Path {
    static FILE: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = FILE.get_or_init(|| {
        let directory = TempDir::new().expect("a directory");
        let path = write_token(directory.path(), TOKEN).expect("a file");
        (directory, path)
    });
    path
}

/// Writes a token into a private file of a directory.
pub fn write_token(directory: &Path, token: &str) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = directory.join("token");
    let mut options = std::fs::File::options();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&path)?;
    writeln!(file, "{token}")?;
    Ok(path)
}

/// The processes of a cluster; they end with it.
pub struct Cluster {
    pub address: SocketAddr,
    scheduler: Child,
    executors: Vec<Child>,
    /// The parent of the executors' working directories.
    work: TempDir,
}

impl Cluster {
    /// A scheduler, and executors that have registered.
    pub fn start(executors: usize) -> Result<Self, Failed> {
        let (scheduler, address) = scheduler("127.0.0.1:0")?;
        let mut cluster = Self {
            address,
            scheduler,
            executors: vec![],
            work: TempDir::new()?,
        };
        for _ in 0..executors {
            cluster.add_executor("exec")?;
        }
        let begun = Instant::now();
        while cluster.get("/api/executors")?.matches("\"vcores\"").count() < executors {
            if begun.elapsed() > TIMEOUT {
                return Err("the executors did not register".into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(cluster)
    }

    pub fn url(&self) -> String {
        format!("df://{}", self.address)
    }

    /// One more executor. `shell` is what the shell does to run it: `exec`, after limits.
    pub fn add_executor(&mut self, shell: &str) -> Result<(), Failed> {
        let script = format!("{shell} \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        command.args([
            "-c",
            &script,
            env!("CARGO_BIN_EXE_neardup"),
            "executor",
            "--slots",
            "2",
        ]);
        command.args(["--scheduler", &self.address.to_string(), "--work-dir"]);
        command.arg(self.work_dir(self.executors.len()));
        command.arg("--token-file").arg(token_file());
        self.executors.push(role(&mut command)?.0);
        Ok(())
    }

    fn work_dir(&self, executor: usize) -> PathBuf {
        self.work.path().join(executor.to_string())
    }

    /// The processes, the scheduler first.
    pub fn processes(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.scheduler.id()).chain(self.executors.iter().map(Child::id))
    }

    /// `kill -9` of the first executor, whose files are removed as well.
    pub fn lose_executor(&mut self) -> Result<(), Failed> {
        self.executors[0].kill()?;
        self.executors[0].wait()?;
        Ok(std::fs::remove_dir_all(self.work_dir(0))?)
    }

    /// Sends SIGTERM to the first executor.
    pub fn stop_executor(&mut self) -> Result<(), Failed> {
        let stopped = self.executors[0].id().to_string();
        match Command::new("kill")
            .args(["-TERM", &stopped])
            .status()?
            .success()
        {
            true => Ok(()),
            false => Err("kill".into()),
        }
    }

    /// `kill -9` of the scheduler, and another one in its place after a while.
    pub fn replace_scheduler(&mut self, after: Duration) -> Result<(), Failed> {
        self.scheduler.kill()?;
        self.scheduler.wait()?;
        std::thread::sleep(after);
        self.scheduler = scheduler(&self.address.to_string())?.0;
        Ok(())
    }

    /// The response of the scheduler to a GET request.
    pub fn get(&self, path: &str) -> Result<String, Failed> {
        let mut stream = TcpStream::connect(self.address)?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in self.executors.iter_mut().chain([&mut self.scheduler]) {
            // The process may have ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn scheduler(bind: &str) -> Result<(Child, SocketAddr), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_neardup"));
    command.args(["scheduler", "--executor-timeout", "5", "--bind", bind]);
    command.arg("--token-file").arg(token_file());
    let (scheduler, line) = role(&mut command)?;
    let address = line
        .rsplit_once("df://")
        .map(|(_, address)| address.parse());
    match address {
        Some(address) => Ok((scheduler, address?)),
        None => Err(format!("the scheduler says: {line}").into()),
    }
}

/// Starts a role in a different directory than the client's, and reads its first line of output.
pub fn role(command: &mut Command) -> Result<(Child, String), Failed> {
    // Deep enough that a path relative to this process leads to another directory there.
    let elsewhere = token_file().with_file_name("a/b/c/d/e/f");
    std::fs::create_dir_all(&elsewhere)?;
    let command = command.current_dir(elsewhere);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut process = command.stderr(Stdio::piped()).spawn()?;
    let stderr = process.stderr.take().ok_or("no standard error")?;
    let mut stderr = BufReader::new(stderr);
    let mut line = String::new();
    stderr.read_line(&mut line)?;
    // Later output is drained, so that it does not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    Ok((process, line.trim_end().to_owned()))
}
