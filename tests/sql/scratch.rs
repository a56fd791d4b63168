//! Directories that an `.slt` file refers to: its scratch directory, the bundled sample, and the files of the tests.

use tempfile::TempDir;

/// Names of directories in `.slt` files, and their paths.
#[derive(Debug)]
pub struct Scratch {
    directory: TempDir,
}

const SCRATCH: &str = "$__SCRATCH__";
const SAMPLE: &str = "$__SAMPLE__";
const DATA: &str = "$__DATA__";

impl Scratch {
    /// A fresh directory, removed with the value.
    pub fn new() -> std::io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("neardup-slt-").tempdir()?;
        Ok(Self { directory })
    }

    /// Replaces names by paths.
    pub fn expand(&self, text: &str) -> String {
        text.replace(SCRATCH, &self.directory.path().display().to_string())
            .replace(SAMPLE, &directory("datasets/sample").display().to_string())
            .replace(DATA, &directory("tests/data").display().to_string())
    }

    /// Replaces paths by names, including paths without their leading slash.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in [
            (self.directory.path().to_path_buf(), SCRATCH),
            (directory("datasets/sample"), SAMPLE),
            (directory("tests/data"), DATA),
        ] {
            let path = path.display().to_string();
            text = text.replace(&path, name);
            text = text.replace(path.trim_start_matches('/'), name);
        }
        text
    }
}

fn directory(name: &str) -> std::path::PathBuf {
    crate::root().join(name)
}
