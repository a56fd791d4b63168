//! Standard input and pipes as files: their bytes are copied to a temporary file, because files are read more than
//! once, and by several readers at the same time.

use super::Location;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The name of standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// The file by which standard input can also be opened.
const STANDARD_INPUT_FILE: &str = "/dev/stdin";

/// The beginning of the names of copies of standard input and of other pipes.
pub const STANDARD_INPUT_COPY: &str = "standard-input-";

/// The copies of a process.
struct Copies {
    /// Where copies are made; `None` if pipes are not read.
    directory: Option<PathBuf>,
    /// The copy of each pipe, which can be read only once.
    copies: BTreeMap<String, PathBuf>,
}

static COPIES: Mutex<Copies> = Mutex::new(Copies {
    directory: None,
    copies: BTreeMap::new(),
});

/// Allows `-`, `/dev/stdin` and other pipes as inputs in this process, with copies in `directory`. At its end the
/// process must call [`remove_copies`].
pub fn read_pipes(directory: PathBuf) {
    COPIES.lock().directory = Some(directory);
}

/// Removes the copies of pipes.
pub fn remove_copies() {
    for path in COPIES.lock().copies.values() {
        // The directory for temporary files may be gone.
        let _ = std::fs::remove_file(path);
    }
}

/// A text in which the paths of copies of pipes are replaced by what they are copies of.
pub fn with_names_of_pipes(text: String) -> String {
    let known = COPIES.lock();
    known.copies.iter().fold(text, |text, (name, copy)| {
        let name = match name.as_str() {
            STANDARD_INPUT_FILE => "standard input",
            other => other,
        };
        text.replace(&*copy.to_string_lossy(), name)
    })
}

/// The name of the pipe that a file is the copy of: `-` for standard input.
pub(super) fn pipe_of(file: &Location) -> Option<String> {
    let known = COPIES.lock();
    let mut copies = known.copies.iter();
    let (name, _) = copies.find(|(_, copy)| file.path() == Some(copy))?;
    Some(match name.as_str() {
        STANDARD_INPUT_FILE => STANDARD_INPUT.to_owned(),
        other => other.to_owned(),
    })
}

/// Whether a name is that of standard input or of a pipe.
pub(super) fn is_pipe(name: &str) -> bool {
    let is_fifo = |name| std::fs::metadata(name).is_ok_and(|found| found.file_type().is_fifo());
    name == STANDARD_INPUT || name == STANDARD_INPUT_FILE || is_fifo(name)
}

/// Whether a file is the copy of a pipe, which is gone when the process ends.
pub(super) fn is_copy(file: &Location) -> bool {
    let known = COPIES.lock();
    let mut copies = known.copies.values();
    copies.any(|path| file.path() == Some(path))
}

/// The copy of a pipe. A file that standard input was redirected from is read in place.
pub(super) async fn copy(name: &str) -> Result<Location> {
    let name = if name == STANDARD_INPUT {
        STANDARD_INPUT_FILE
    } else {
        name
    };
    if let Ok(path) = Path::new(name).canonicalize()
        && path.is_file()
    {
        return Ok(Location::from(path));
    }
    let name = name.to_owned();
    let copy = tokio::task::spawn_blocking(move || copy_once(&name)).await;
    copy.map_err(|error| DataFusionError::External(Box::new(error)))?
}

fn copy_once(name: &str) -> Result<Location> {
    let failed = |error: std::io::Error| exec_datafusion_err!("{name}: {error}");
    let directory = {
        let known = COPIES.lock();
        if let Some(path) = known.copies.get(name) {
            return Ok(Location::from(path.clone()));
        }
        known.directory.clone()
    };
    let Some(directory) = directory else {
        return exec_err!("{name}: pipes are read by the command line only; name a file");
    };
    let mut pipe: Box<dyn Read> = match name == STANDARD_INPUT_FILE {
        true => Box::new(std::io::stdin()),
        false => Box::new(File::open(name).map_err(failed)?),
    };
    let kept = tempfile::Builder::new()
        .prefix(STANDARD_INPUT_COPY)
        .tempfile_in(directory.canonicalize().map_err(failed)?)
        .and_then(|file| Ok(file.keep()?));
    let (mut file, path) = kept.map_err(failed)?;
    COPIES.lock().copies.insert(name.to_owned(), path.clone());
    std::io::copy(&mut pipe, &mut file).map_err(failed)?;
    Ok(Location::from(path))
}
