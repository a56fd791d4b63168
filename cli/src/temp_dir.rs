//! A private directory below the shared directory for temporary files. A directory that another user made is never
//! used.

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use std::fs::{DirBuilder, Metadata};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The maximum number of names that are tried, because directories of these names may belong to other users.
const MAX_ATTEMPTS: u32 = 100;

/// Whether a directory belongs to `owner` and no other user can access it.
fn is_private(found: &Metadata, owner: u32) -> bool {
    found.is_dir() && found.uid() == owner && found.mode() & 0o077 == 0
}

/// Makes or finds this user's private directory named `name-UID`; a number is appended if another user has that
/// name. Later calls find the same directory until the system removes it.
pub(super) fn private_temp_dir(parent: &Path, name: &str) -> Result<PathBuf> {
    let at =
        |error: std::io::Error| exec_datafusion_err!("{}: {error}", parent.join(name).display());
    let owner = tempfile::tempfile_in(parent)
        .and_then(|file| file.metadata())
        .map_err(at)?
        .uid();
    for number in 0..MAX_ATTEMPTS {
        let path = parent.join(match number {
            0 => format!("{name}-{owner}"),
            _ => format!("{name}-{owner}-{number}"),
        });
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if is_private(&path.symlink_metadata().map_err(at)?, owner) {
                    return Ok(path);
                }
            }
            Err(error) => return Err(at(error)),
        }
    }
    exec_err!(
        "{}: this and other names like it belong to other users",
        parent.join(name).display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn directories_of_others_are_not_used() {
        let parent = tempfile::tempdir().expect("a directory");
        let first = private_temp_dir(parent.path(), "sample").expect("a folder");
        assert_eq!(
            private_temp_dir(parent.path(), "sample").expect("it"),
            first
        );
        // A directory that others can write to, and a link in its place.
        std::fs::set_permissions(&first, PermissionsExt::from_mode(0o777)).expect("open");
        let second = private_temp_dir(parent.path(), "sample").expect("a folder");
        assert_ne!(first, second);
        std::fs::remove_dir(&second).expect("removed");
        symlink(&first, &second).expect("a link");
        let third = private_temp_dir(parent.path(), "sample").expect("a folder");
        assert!(third != first && third != second);
    }
}
