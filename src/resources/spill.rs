//! Spill files: one unnamed (unlinked) file for each session holds what all operators spill.
//!
//! Other users cannot find or open an unnamed file, and the system removes it when the process ends for any reason.
//! All spill files share it in chunks that are reused, so that a sort with a thousand runs needs one open file.

use bytes::Bytes;
use datafusion::common::human_readable_size;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::{SpillFile, SpillWriter, TempFileFactory};
use futures::Stream;
use parking_lot::Mutex;
use std::fs::File;
use std::io::{Error, Result as IoResult, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

/// Size of a chunk in bytes.
const CHUNK: u64 = 256 << 10;
/// The free space of the disk is checked each time the file has grown by this number of chunks.
const CHUNKS_BETWEEN_CHECKS: u64 = 64;
/// Without a limit, 5 % of the disk stays free, but at most `FREE_BYTES`.
const FREE_PART: u64 = 20;
const FREE_BYTES: u64 = 10 << 30;

/// The spill space of a session, whose file is made at the first spill.
pub(super) struct SpillSpace {
    directory: PathBuf,
    limit: Option<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    file: Option<Arc<File>>,
    /// The number of chunks of the file, and the unused ones among them.
    chunks: u64,
    free: Vec<u64>,
}

impl SpillSpace {
    /// Space in a directory of at most `limit` bytes; `None`: 5 % of the disk, but at most 10 GiB, stays free.
    pub(super) fn new(directory: PathBuf, limit: Option<u64>) -> Self {
        Self {
            directory,
            limit,
            state: Mutex::default(),
        }
    }

    /// Makes the file now, so that a directory that cannot be written is an error at once.
    pub(super) fn open(&self) -> Result<()> {
        let mut state = self.state.lock();
        self.file(&mut state)
            .map(drop)
            .map_err(DataFusionError::from)
    }

    fn file(&self, state: &mut State) -> IoResult<Arc<File>> {
        if let Some(file) = &state.file {
            return Ok(Arc::clone(file));
        }
        let file = tempfile::tempfile_in(&self.directory).map_err(|error| self.failed(&error))?;
        Ok(Arc::clone(state.file.insert(Arc::new(file))))
    }

    /// Takes an unused chunk, or appends one to the file.
    fn take(&self) -> IoResult<(Arc<File>, u64)> {
        let mut state = self.state.lock();
        let file = self.file(&mut state)?;
        if let Some(chunk) = state.free.pop() {
            return Ok((file, chunk));
        }
        let wanted = (state.chunks + 1) * CHUNK;
        match self.limit {
            Some(limit) if wanted > limit => {
                return Err(Error::other(format!(
                    "temporary files in {} reach their limit of {}: raise --temp-limit, or --memory-limit so that less is spilled",
                    self.directory.display(),
                    human_readable_size(usize::try_from(limit).unwrap_or(usize::MAX)),
                )));
            }
            None if state.chunks.is_multiple_of(CHUNKS_BETWEEN_CHECKS) => {
                self.check_free_space(&file)?
            }
            _ => {}
        }
        state.chunks += 1;
        Ok((file, state.chunks - 1))
    }

    /// Checks that the disk has space for the next chunks.
    fn check_free_space(&self, file: &File) -> IoResult<()> {
        let Ok(disk) = rustix::fs::fstatvfs(file) else {
            return Ok(());
        };
        let keep = (disk.f_blocks.saturating_mul(disk.f_frsize) / FREE_PART).min(FREE_BYTES);
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if free >= keep {
            return Ok(());
        }
        let size = |bytes| human_readable_size(usize::try_from(bytes).unwrap_or(usize::MAX));
        Err(Error::other(format!(
            "temporary files in {} leave {} of the disk free, but {} must stay free: give another directory with --temp-dir, or a limit with --temp-limit",
            self.directory.display(),
            size(free),
            size(keep),
        )))
    }

    fn release(&self, chunks: &mut Vec<u64>) {
        let mut state = self.state.lock();
        state.free.append(chunks);
        if state.free.len() as u64 == state.chunks
            && let Some(file) = &state.file
            // If this fails, the chunks are reused without shrinking the file.
            && file.set_len(0).is_ok()
        {
            state.free.clear();
            state.chunks = 0;
        }
    }

    fn failed(&self, error: &Error) -> Error {
        let directory = self.directory.display();
        Error::new(
            error.kind(),
            format!("temporary files in {directory}: {error}; --temp-dir gives another directory"),
        )
    }
}

/// Makes spill files in a [`SpillSpace`].
pub(super) struct Spills(pub(super) Arc<SpillSpace>);

impl TempFileFactory for Spills {
    fn create_temp_file(&self, _description: &str) -> Result<Arc<dyn SpillFile>> {
        Ok(Arc::new(Spilled(Arc::new(Contents {
            space: Arc::clone(&self.0),
            extents: Mutex::default(),
        }))))
    }
}

/// The contents of one spill file.
struct Contents {
    space: Arc<SpillSpace>,
    extents: Mutex<Extents>,
}

#[derive(Default)]
struct Extents {
    file: Option<Arc<File>>,
    chunks: Vec<u64>,
    bytes: u64,
}

impl Contents {
    fn append(&self, bytes: &[u8]) -> IoResult<usize> {
        let mut extents = self.extents.lock();
        if extents.bytes == extents.chunks.len() as u64 * CHUNK {
            let (file, chunk) = self.space.take()?;
            extents.file = Some(file);
            extents.chunks.push(chunk);
        }
        let (Some(file), Some(chunk)) = (&extents.file, extents.chunks.last()) else {
            return Ok(0);
        };
        let within = extents.bytes % CHUNK;
        let room = usize::try_from(CHUNK - within).unwrap_or(usize::MAX);
        let bytes = &bytes[..bytes.len().min(room)];
        file.write_all_at(bytes, chunk * CHUNK + within)
            .map_err(|error| self.space.failed(&error))?;
        extents.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    /// The bytes from `from` to the end of its chunk; empty at the end of the contents.
    fn read(&self, from: u64) -> Result<Bytes> {
        let (file, offset, length) = {
            let extents = self.extents.lock();
            let chunk = usize::try_from(from / CHUNK).ok();
            let chunk = chunk.and_then(|chunk| extents.chunks.get(chunk));
            let (Some(file), Some(chunk)) = (&extents.file, chunk) else {
                return Ok(Bytes::new());
            };
            let within = from % CHUNK;
            let length = (CHUNK - within).min(extents.bytes.saturating_sub(from));
            (Arc::clone(file), chunk * CHUNK + within, length)
        };
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, offset)
            .map_err(|error| self.space.failed(&error))?;
        Ok(bytes.into())
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        self.space.release(&mut self.extents.get_mut().chunks);
    }
}

struct Spilled(Arc<Contents>);

impl SpillFile for Spilled {
    fn path(&self) -> Option<&Path> {
        None
    }

    fn size(&self) -> Option<u64> {
        Some(self.0.extents.lock().bytes)
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        let contents = Arc::clone(&self.0);
        let stream = futures::stream::try_unfold(0, move |from| {
            let contents = Arc::clone(&contents);
            async move {
                let read = tokio::task::spawn_blocking(move || contents.read(from)).await;
                let bytes =
                    read.map_err(|error| exec_datafusion_err!("temporary files: {error}"))??;
                let next = from + bytes.len() as u64;
                Ok((!bytes.is_empty()).then_some((bytes, next)))
            }
        });
        Ok(Box::pin(stream))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Writer(Arc::clone(&self.0))))
    }
}

struct Writer(Arc<Contents>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.0.append(bytes)
    }

    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

impl SpillWriter for Writer {
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::TryStreamExt;

    async fn bytes_of(file: &Arc<dyn SpillFile>) -> Vec<u8> {
        let parts: Vec<Bytes> = file
            .read_stream()
            .expect("a stream")
            .try_collect()
            .await
            .expect("bytes");
        parts.concat()
    }

    fn write(file: &Arc<dyn SpillFile>, bytes: &[u8]) -> IoResult<()> {
        file.open_writer().expect("a writer").write_all(bytes)
    }

    #[tokio::test]
    async fn files_share_chunks_and_give_them_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let limit = 4 * CHUNK;
        let space = Arc::new(SpillSpace::new(directory.path().to_owned(), Some(limit)));
        let spills = Spills(Arc::clone(&space));
        let files = [1_u8, 2].map(|_| spills.create_temp_file("test").expect("a file"));
        let long: Vec<u8> = (0..CHUNK + 100).map(|at| at as u8).collect();
        let (head, tail) = long.split_at(70);
        // The two files are written in turns, so that the chunks of neither are adjacent.
        for part in [head, tail] {
            write(&files[0], part).expect("room");
            write(&files[1], part).expect("room");
        }
        for file in &files {
            assert_eq!(bytes_of(file).await, long);
            assert_eq!(file.size(), Some(CHUNK + 100));
        }
        let third = spills.create_temp_file("test").expect("a file");
        let error = write(&third, b"x").expect_err("the limit").to_string();
        assert!(error.contains("--temp-limit"), "{error}");
        let [first, second] = files;
        drop(first);
        write(&third, &long).expect("room again");
        assert_eq!(bytes_of(&third).await, long);
        assert_eq!(bytes_of(&second).await, long);
        drop((second, third));
        assert_eq!(space.state.lock().chunks, 0);
        let left = std::fs::read_dir(directory.path()).expect("a directory");
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn a_directory_that_is_not_there() {
        let space = SpillSpace::new("/nowhere/at/all".into(), None);
        let error = space.open().expect_err("no directory").to_string();
        assert!(
            error.contains("/nowhere/at/all") && error.contains("--temp-dir"),
            "{error}"
        );
    }
}
