//! Follows a bzip2 file block after block and stream after stream, from its start or from one of
//! its blocks.

use std::io;
use std::sync::Arc;

use super::bits::Bits;
use super::block::BlockDecoder;
use super::crc::combine;
use super::fault::BlockFault;
use super::fault::Fault;
use super::{BLOCK_MAGIC, END_MAGIC, MAGIC_BITS};
use crate::source::{ReadAt, Window};

/// Compressed bytes held before a block is tried: more than any ordinary block has.
const BLOCK_BYTES: usize = 512 << 10;
const HEADER_BYTES: u64 = 4;

/// What comes next in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// A block, whose magic starts at this bit.
    Block(u64),
    /// The end of the last stream. `garbage` bytes follow that are no stream.
    End { garbage: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// A stream header, or the end of the file.
    Header,
    /// A block magic or the magic of the end of the stream.
    Magic,
    /// A block magic has been seen.
    Block,
    End {
        garbage: u64,
    },
}

/// A position in the chain of blocks, and a decoder.
pub(crate) struct Chain {
    window: Window,
    decoder: BlockDecoder,
    at: At,
    /// The bit of the file at which `at` lies.
    bit: u64,
    level: u8,
    /// The checksum of the stream so far; `None` where its start was not read.
    stream_crc: Option<u32>,
    streams: u64,
}

impl Chain {
    /// Starts at the header of the first stream.
    pub(crate) fn at_start(source: Arc<dyn ReadAt>) -> Self {
        Self {
            window: Window::new(source, 0),
            decoder: BlockDecoder::new(),
            at: At::Header,
            bit: 0,
            level: 9,
            stream_crc: None,
            streams: 0,
        }
    }

    /// Jumps to a block magic, in a stream whose level is not known and taken as 9.
    pub(crate) fn jump(&mut self, bit: u64) -> Result<(), Fault> {
        if bit / 8 < self.window.start() {
            self.window = Window::new(Arc::clone(self.window.source()), bit / 8);
        }
        self.bit = bit;
        self.at = At::Magic;
        self.level = 9;
        self.stream_crc = None;
        self.next().map(|_| ())
    }

    pub(crate) fn source(&self) -> &Arc<dyn ReadAt> {
        self.window.source()
    }

    /// The bit that is read next.
    pub(crate) fn position(&self) -> u64 {
        self.bit
    }

    /// Skips ends and headers of streams up to the next block. Calling it again has no effect.
    pub(crate) fn next(&mut self) -> Result<Next, Fault> {
        loop {
            match self.at {
                At::Block => return Ok(Next::Block(self.bit)),
                At::End { garbage } => return Ok(Next::End { garbage }),
                At::Header => self.read_header()?,
                At::Magic => self.read_magic()?,
            }
        }
    }

    /// Decodes the block that [`Self::next`] found. Its bytes are then taken with
    /// [`Self::next_window`]. After a fault the chain is at the same block.
    pub(crate) fn decode(&mut self) -> Result<(), Fault> {
        let (byte, within) = (self.bit / 8, self.bit % 8);
        let mut wanted = BLOCK_BYTES;
        let decoded = loop {
            let data = self.window.from(byte, wanted).map_err(io_fault(byte))?;
            let have = data.len();
            match self.decoder.decode(data, within, self.level) {
                Err(BlockFault::OutOfBits) if !self.window.at_end() => wanted = 2 * have,
                result => break result,
            }
        };
        let decoded = decoded.map_err(|fault| Fault::of_block(self.bit, fault))?;
        self.stream_crc = self.stream_crc.map(|crc| combine(crc, decoded.crc));
        self.bit = byte * 8 + decoded.end;
        self.at = At::Magic;
        Ok(())
    }

    /// Whether the last block has bytes that were not taken.
    pub(crate) fn has_window(&self) -> bool {
        self.decoder.has_window()
    }

    /// The next decoded bytes of the last block.
    pub(crate) fn next_window(&mut self) -> Option<&[u8]> {
        self.decoder.next_window()
    }

    fn read_header(&mut self) -> Result<(), Fault> {
        let byte = self.bit / 8;
        let left = self.window.source().len().saturating_sub(byte);
        let data = self
            .window
            .from(byte, HEADER_BYTES as usize)
            .map_err(io_fault(byte))?;
        match *data {
            [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] => {
                self.level = level - b'0';
                self.stream_crc = Some(0);
                self.streams += 1;
                self.bit += HEADER_BYTES * 8;
                self.at = At::Magic;
            }
            [] if self.streams > 0 => self.at = At::End { garbage: 0 },
            [] | [b'B'] | [b'B', b'Z'] | [b'B', b'Z', b'h'] => {
                return Err(Fault::Truncated { bit: self.bit });
            }
            _ if self.streams > 0 => self.at = At::End { garbage: left },
            _ => {
                return Err(Fault::Invalid {
                    bit: self.bit,
                    reason: "no stream header",
                });
            }
        }
        Ok(())
    }

    fn read_magic(&mut self) -> Result<(), Fault> {
        let bit = self.bit;
        let byte = bit / 8;
        let data = self.window.from(byte, 16).map_err(io_fault(byte))?;
        let mut bits = Bits::new(data, bit % 8);
        let truncated = |_| Fault::Truncated { bit };
        let magic = bits.take(MAGIC_BITS).map_err(truncated)?;
        if magic == BLOCK_MAGIC {
            // A chain that started at a block has the rest of a stream before it.
            self.streams = self.streams.max(1);
            self.at = At::Block;
            return Ok(());
        }
        if magic != END_MAGIC {
            return Err(Fault::Invalid {
                bit,
                reason: "neither a block nor the end of the stream",
            });
        }
        let want = bits.take(32).map_err(truncated)? as u32;
        self.bit = byte * 8 + bits.position().div_ceil(8) * 8;
        self.at = At::Header;
        let got = self.stream_crc.take();
        match got {
            Some(got) if got != want => Err(Fault::StreamChecksum { bit, want, got }),
            _ => Ok(()),
        }
    }
}

fn io_fault(offset: u64) -> impl Fn(io::Error) -> Fault {
    move |source| Fault::Io { offset, source }
}
