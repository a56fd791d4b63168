//! Standard output: what cannot be written is an error, but for one case. Where nobody reads any more (the
//! other end of a pipe is closed) there is nobody to tell, and the command ends in silence.

use datafusion::common::Result;
use std::io::{BufWriter, Error, ErrorKind, Result as IoResult, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was found closed.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether a write to standard output failed because nobody reads it.
pub(super) fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Standard output, in large pieces: to be flushed at the end.
pub(super) struct Out(BufWriter<Stdout>);

impl Out {
    pub(super) fn new() -> Self {
        Self(BufWriter::new(std::io::stdout()))
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.0.write(bytes).map_err(noted)
    }

    fn flush(&mut self) -> IoResult<()> {
        self.0.flush().map_err(noted)
    }
}

/// Writes a whole answer.
pub(super) fn print(write: impl FnOnce(&mut Out) -> Result<()>) -> Result<()> {
    let mut out = Out::new();
    write(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Remembers what a failed write to standard output means, and says where it was.
pub(super) fn noted(error: Error) -> Error {
    if error.kind() == ErrorKind::BrokenPipe {
        CLOSED.store(true, Ordering::Relaxed);
    }
    Error::new(error.kind(), format!("standard output: {error}"))
}
