//! Standard output. A failed write is an error, with one exception: if the other end of a pipe is closed, the
//! command ends without a message.

use datafusion::common::Result;
use std::io::{BufWriter, Error, ErrorKind, Result as IoResult, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was found closed.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether a write to standard output failed because the other end of the pipe is closed.
pub(super) fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Buffered standard output, which must be flushed at the end.
pub(super) struct Out(BufWriter<Stdout>);

impl Out {
    pub(super) fn new() -> Self {
        Self(BufWriter::new(std::io::stdout()))
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.0.write(bytes).map_err(record_closed)
    }

    fn flush(&mut self) -> IoResult<()> {
        self.0.flush().map_err(record_closed)
    }
}

/// Writes to standard output with `write`, then flushes it.
pub(super) fn print(write: impl FnOnce(&mut Out) -> Result<()>) -> Result<()> {
    let mut out = Out::new();
    write(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Records whether a failed write means that standard output is closed, and names standard output in the error.
pub(super) fn record_closed(error: Error) -> Error {
    if error.kind() == ErrorKind::BrokenPipe {
        CLOSED.store(true, Ordering::Relaxed);
    }
    Error::new(error.kind(), format!("standard output: {error}"))
}
