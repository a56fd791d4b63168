//! Where the shared corpora are: `NEARDUP_SHARED`, or a directory `shared` beside one of the
//! directories above this crate.

use std::path::{Path, PathBuf};

/// The path of a shared file, or `None` with a line that says what is skipped.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = root()
        .map(|root| root.join("datasets").join(path))
        .filter(|p| p.exists());
    if found.is_none() {
        println!("skipped: no shared data {path}");
    }
    found
}

fn root() -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("NEARDUP_SHARED") {
        return Some(root.into());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .map(|directory| directory.join("shared"))
        .find(|candidate| candidate.join("datasets").is_dir())
}
