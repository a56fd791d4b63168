//! Finds the corpora that some tests read, where they are present.

use std::path::{Path, PathBuf};

/// A file or directory below the corpora, or `None` with a visible line where they are absent.
///
/// They are where `NEARDUP_SHARED` says, or in a directory `shared` beside one above this crate.
/// What is missing in the place that was named fails the test: a run that names it means to use it.
pub(crate) fn corpus(name: &str) -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("NEARDUP_SHARED") {
        let path = Path::new(&root).join("datasets").join(name);
        if path.exists() {
            return Some(path);
        }
        panic!("NEARDUP_SHARED: {} does not exist", path.display());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = here
        .ancestors()
        .map(|above| above.join("shared/datasets").join(name));
    let found = found.find(|path| path.exists());
    if found.is_none() {
        println!("skipped: {name} is not present");
    }
    found
}
