//! Faults in a bzip2 file, with bit offsets from its start.

use std::io;

use super::bits::OutOfBits;
use super::huffman::SymbolError;

/// Why a block cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockFault {
    /// The bytes end inside the block.
    OutOfBits,
    /// A rule of the format is broken.
    Invalid(&'static str),
    /// The decoded bytes have another checksum than the block says.
    Checksum { want: u32, got: u32 },
}

impl From<OutOfBits> for BlockFault {
    fn from(_: OutOfBits) -> Self {
        Self::OutOfBits
    }
}

impl From<SymbolError> for BlockFault {
    fn from(error: SymbolError) -> Self {
        match error {
            SymbolError::OutOfBits => Self::OutOfBits,
            SymbolError::NoSuchCode => Self::Invalid("a code that its table does not have"),
        }
    }
}

/// A fault at one position of a bzip2 file.
#[derive(Debug)]
pub(crate) enum Fault {
    Io {
        offset: u64,
        source: io::Error,
    },
    /// Neither a block nor the end of the stream where one must be, or a block that breaks a rule.
    Invalid {
        bit: u64,
        reason: &'static str,
    },
    /// A block or stream whose checksum differs.
    Checksum {
        bit: u64,
        want: u32,
        got: u32,
    },
    /// As `Checksum`, for a stream whose blocks all have the right checksum.
    StreamChecksum {
        bit: u64,
        want: u32,
        got: u32,
    },
    /// The file ends inside something that starts at `bit`.
    Truncated {
        bit: u64,
    },
}

impl Fault {
    pub(crate) fn of_block(bit: u64, fault: BlockFault) -> Self {
        match fault {
            BlockFault::OutOfBits => Self::Truncated { bit },
            BlockFault::Invalid(reason) => Self::Invalid { bit, reason },
            BlockFault::Checksum { want, got } => Self::Checksum { bit, want, got },
        }
    }
}
