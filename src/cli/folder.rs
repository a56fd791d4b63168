//! A directory of this user in the place for temporary files, which others write to as well: private, and never
//! one that somebody else put there.

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use std::fs::{DirBuilder, Metadata};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Names that are tried before the place counts as full of other people's directories.
const TRIES: u32 = 100;

/// Whether a directory belongs to a user and to nobody else.
fn is_private(found: &Metadata, owner: u32) -> bool {
    found.is_dir() && found.uid() == owner && found.mode() & 0o077 == 0
}

/// The directory of this user that has this name as long as the system keeps it; another name where somebody
/// else has that one.
pub(super) fn lasting_folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let at =
        |error: std::io::Error| exec_datafusion_err!("{}: {error}", parent.join(name).display());
    let owner = tempfile::tempfile_in(parent)
        .and_then(|file| file.metadata())
        .map_err(at)?
        .uid();
    for number in 0..TRIES {
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
    fn what_others_put_there_is_not_taken() {
        let parent = tempfile::tempdir().expect("a directory");
        let first = lasting_folder(parent.path(), "sample").expect("a folder");
        assert_eq!(lasting_folder(parent.path(), "sample").expect("it"), first);
        // A directory that others can write to, and a link in its place.
        std::fs::set_permissions(&first, PermissionsExt::from_mode(0o777)).expect("open");
        let second = lasting_folder(parent.path(), "sample").expect("a folder");
        assert_ne!(first, second);
        std::fs::remove_dir(&second).expect("removed");
        symlink(&first, &second).expect("a link");
        let third = lasting_folder(parent.path(), "sample").expect("a folder");
        assert!(third != first && third != second);
    }
}
