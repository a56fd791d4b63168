//! Builds the wheel with the documented command, installs it into a clean virtual environment, and runs the
//! Python tests there: pytest, then mypy.
//!
//! The environment is in the target directory and is created again when `pyproject.toml` changes. Without
//! Python 3.10 or later the test prints that it is skipped, and fails if CI is set.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test: what fails, fails it"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of this crate.
const CRATE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn wheel_and_python_tests() {
    if !has_python() {
        assert!(
            std::env::var_os("CI").is_none(),
            "python3 of 3.10 or later is needed"
        );
        println!("skipped: there is no python3 of 3.10 or later");
        return;
    }
    let environment = environment();
    let python = environment.join("bin/python");
    let wheels = environment.join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).expect("old wheels go");
    }
    let mut build = Command::new(environment.join("bin/maturin"));
    // The profile of the tests, so that nothing is built twice; maturin's default is a release build.
    build.args(["build", "--profile", "dev", "--compression-level", "1"]);
    build.args(["--auditwheel", "skip", "--out"]).arg(&wheels);
    build.env("CARGO_TARGET_DIR", target());
    run(&mut build);
    let wheel = std::fs::read_dir(&wheels)
        .expect("maturin made the directory")
        .map(|entry| entry.expect("an entry").path())
        .next()
        .expect("maturin made a wheel");
    let mut install = Command::new(&python);
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--force-reinstall",
        "--no-deps",
    ]);
    run(install.arg(wheel));
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest"]);
    pytest.env("NEARDUP_BINARY", target().join("debug/neardup"));
    run(&mut pytest);
    run(Command::new(&python).args(["-m", "mypy"]));
}

/// Runs a command in this crate's directory, and fails if it fails.
fn run(command: &mut Command) {
    // Variables that cargo sets for this test must not reach the cargo that maturin runs.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().into_owned();
        if text.starts_with("CARGO_PKG") || text.starts_with("CARGO_MANIFEST") {
            command.env_remove(name);
        }
    }
    let status = command.current_dir(CRATE).status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn has_python() -> bool {
    let check = "import sys; sys.exit(sys.version_info < (3, 10))";
    Command::new("python3")
        .args(["-c", check])
        .status()
        .is_ok_and(|status| status.success())
}

/// The target directory of this build.
fn target() -> PathBuf {
    // TARGET/debug/deps/suite-…
    let test = std::env::current_exe().expect("this test's path");
    test.ancestors()
        .nth(3)
        .expect("tests lie three levels below the target directory")
        .to_owned()
}

/// A virtual environment with maturin and what the tests import.
fn environment() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let project = std::fs::read_to_string(Path::new(CRATE).join("pyproject.toml"));
    let project = project.expect("pyproject.toml");
    let made_for = directory.join("pyproject.toml");
    if std::fs::read_to_string(&made_for).is_ok_and(|text| text == project) {
        return directory;
    }
    if directory.exists() {
        std::fs::remove_dir_all(&directory).expect("the old environment goes");
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&directory));
    let python = directory.join("bin/python");
    // Python 3.10 has no TOML parser, but its pip has one.
    let requirements = "from pip._vendor import tomli as tomllib
project = tomllib.load(open('pyproject.toml', 'rb'))
print(*project['build-system']['requires'], *project['project']['dependencies'],
      *project['project']['optional-dependencies']['test'], sep='\\n')";
    let listed = Command::new(&python)
        .args(["-c", requirements])
        .current_dir(CRATE)
        .output()
        .expect("the environment's python runs");
    let listed = String::from_utf8(listed.stdout).expect("names");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet"]);
    run(install.args(listed.lines()));
    std::fs::write(made_for, project).expect("the environment is there");
    directory
}
