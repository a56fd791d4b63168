//! The bundled sample dump, which jobs without an input read.

use super::temp_dir;
use datafusion::common::{Result, exec_datafusion_err};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The beginning of the name of the directory of the bundled sample dump.
pub(super) const SAMPLE_DIRECTORY: &str = "neardup-sample-";

/// The bundled sample dump as a file, whose path stays the same so that a job on it can resume.
pub(super) struct Sample {
    pub(super) path: PathBuf,
}

impl Sample {
    pub(super) fn unpack() -> Result<Self> {
        use neardup_datasets::sample::{SAMPLE_DUMP, SAMPLE_DUMP_NAME};
        let at = |path: &Path, error: std::io::Error| {
            exec_datafusion_err!("{}: {error}", path.display())
        };
        let name = format!("{SAMPLE_DIRECTORY}{}", env!("CARGO_PKG_VERSION"));
        let directory = temp_dir::private_temp_dir(&std::env::temp_dir(), &name)?;
        let path = directory.join(SAMPLE_DUMP_NAME);
        if std::fs::read(&path).is_ok_and(|bytes| bytes == SAMPLE_DUMP) {
            return Ok(Self { path });
        }
        let unpack = || {
            let mut temporary = tempfile::NamedTempFile::new_in(&directory)?;
            temporary.write_all(SAMPLE_DUMP)?;
            // A constant modification time: a job identifies its input by it, among other properties.
            temporary
                .as_file()
                .set_modified(std::time::SystemTime::UNIX_EPOCH)?;
            temporary.persist(&path)?;
            Ok(())
        };
        unpack().map_err(|error| at(&path, error))?;
        Ok(Self { path })
    }
}
