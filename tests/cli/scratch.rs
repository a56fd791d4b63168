//! A temporary directory for a test, in which it runs the binary.

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Rows that a query gave; a NULL has no entry.
pub type Rows = Vec<Map<String, Value>>;

/// A temporary directory that the commands of one test run in.
pub struct Scratch {
    directory: tempfile::TempDir,
}

/// The output of a command and how it ended.
#[derive(Debug)]
pub struct Answer {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Scratch {
    /// A new, empty one.
    pub fn new() -> Self {
        Self {
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file and gives back its name.
    pub fn write<'a>(&self, name: &'a str, bytes: impl AsRef<[u8]>) -> &'a str {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, bytes).expect("a written file");
        name
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whether a file or directory is there.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The binary with these arguments, not yet begun.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_neardup"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("HOME", self.directory.path())
            .env("TMPDIR", self.directory.path())
            .env_remove("RUST_LOG")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, arguments: &[&str]) -> Answer {
        answer(self.command(arguments).output().expect("the binary runs"))
    }

    /// Begins to run the binary.
    pub fn begin(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().expect("the binary runs")
    }

    /// Runs the binary, which must succeed.
    #[track_caller]
    pub fn succeed(&self, arguments: &[&str]) -> Answer {
        let answer = self.run(arguments);
        assert_eq!(
            answer.code,
            Some(0),
            "{arguments:?}\n{}{}",
            answer.out,
            answer.err
        );
        answer
    }

    /// Generates a corpus with planted near-duplicates.
    #[track_caller]
    pub fn generate(&self, rows: &str, file: &str) {
        self.succeed(&["generate", "--rows", rows, "-o", file, "--quiet"]);
    }

    /// Runs the binary, which must fail with an error that contains all of these texts.
    #[track_caller]
    pub fn fail(&self, arguments: &[&str], said: &[&str]) -> Answer {
        let answer = self.run(arguments);
        let shown = format!("{arguments:?}\n{}{}", answer.out, answer.err);
        assert!(
            matches!(answer.code, Some(1 | 2)),
            "{:?} {shown}",
            answer.code
        );
        let error = answer.err.to_lowercase();
        assert!(error.contains("error: "), "{shown}");
        for part in said {
            assert!(
                error.contains(&part.to_lowercase()),
                "'{part}' is not said: {shown}"
            );
        }
        for noise in [
            "panicked",
            "arrowerror",
            "internal error",
            "backtrace",
            "externalerror",
        ] {
            assert!(!error.contains(noise), "'{noise}' is said: {shown}");
        }
        answer
    }

    /// Runs a job and gives back its summary.
    #[track_caller]
    pub fn job(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.push("--json");
        let answer = self.succeed(&all);
        serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {}", answer.out))
    }

    /// Rows of a query.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Rows {
        parse(&self.succeed(&["sql", "--format", "json", "-c", sql]).out)
    }

    /// Rows of a query over the tables of a job.
    #[track_caller]
    pub fn job_rows(&self, directory: &str, sql: &str) -> Rows {
        parse(
            &self
                .succeed(&["sql", "--dir", directory, "--format", "json", "-c", sql])
                .out,
        )
    }

    /// The one whole number that a query over the tables of a job gives.
    #[track_caller]
    pub fn job_number(&self, directory: &str, sql: &str) -> i64 {
        let rows = self.job_rows(directory, sql);
        assert_eq!(rows.len(), 1, "{sql}");
        rows[0]
            .values()
            .next()
            .and_then(Value::as_i64)
            .unwrap_or_else(|| panic!("{sql}: {rows:?}"))
    }

    /// The tables pairs, clusters, kept and removed of a job as sorted CSV.
    #[track_caller]
    pub fn tables(&self, directory: &str) -> String {
        self.succeed(&[
            "sql",
            "--dir",
            directory,
            "--format",
            "csv",
            "-c",
            "SELECT * FROM pairs ORDER BY id_a, id_b",
            "-c",
            "SELECT * FROM clusters ORDER BY id",
            "-c",
            "SELECT * FROM kept ORDER BY 1",
            "-c",
            "SELECT * FROM removed ORDER BY id, reason",
        ])
        .out
    }

    /// The bytes of the tables pairs, clusters, kept and removed of a job.
    #[track_caller]
    pub fn published(&self, directory: &str) -> Vec<Vec<u8>> {
        let names = ["pairs", "clusters", "kept", "removed"];
        let read = |name| self.read(&format!("{directory}/{name}.parquet"));
        names.into_iter().map(read).collect()
    }

    /// The manifest of a job.
    #[track_caller]
    pub fn manifest(&self, directory: &str) -> Value {
        serde_json::from_slice(&self.read(&format!("{directory}/manifest.json")))
            .expect("a manifest")
    }

    /// Checks that every file that the manifest lists is there in its full size.
    #[track_caller]
    pub fn assert_whole(&self, directory: &str) {
        let manifest = self.manifest(directory);
        for step in manifest["steps"].as_array().expect("steps") {
            for file in step["files"].as_array().expect("files") {
                let path = Path::new(directory).join(file["path"].as_str().expect("a path"));
                let found =
                    std::fs::metadata(self.directory.path().join(&path)).map(|found| found.len());
                assert_eq!(found.ok(), file["bytes"].as_u64(), "{}", path.display());
            }
        }
    }
}

/// Sends a signal to a process.
#[cfg(unix)]
pub fn signal(name: &str, process: u32) {
    let status = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(status.expect("kill").success());
}

/// How a process ended.
pub fn answer(output: Output) -> Answer {
    Answer {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// JSON lines: one object in each line.
#[track_caller]
pub fn parse(text: &str) -> Rows {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}

/// Names of the steps that a manifest lists.
pub fn steps(manifest: &Value) -> Vec<String> {
    let name = |step: &Value| step["name"].as_str().expect("a name").to_owned();
    manifest["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(name)
        .collect()
}

/// The root of the repository, which is above the package of these tests.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("a directory above the package")
}

/// A file of the bundled sample.
pub fn sample(name: &str) -> PathBuf {
    root().join("datasets/sample").join(name)
}

/// The lines of a tab-separated file of the bundled sample, without its header.
pub fn expected(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(sample(name)).expect("the sample");
    let lines = text.lines().skip(1);
    lines
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}
