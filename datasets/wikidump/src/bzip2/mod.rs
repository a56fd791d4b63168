//! bzip2 at the level of blocks: find them at any bit, decode one, follow the chain of a file.
//!
//! ```text
//! file    = stream*                       each byte-aligned
//! stream  = "BZh" level block* end        level 1 to 9: a block holds at most level * 100,000 bytes
//! block   = 48-bit magic, 32-bit checksum, randomised bit, 24-bit origin, tables, symbols
//! end     = 48-bit magic, 32-bit checksum of the block checksums, zero bits to the next byte
//! ```
//!
//! Blocks start at any bit and need nothing from what is before them, which is what makes a file
//! of one stream readable in parts. This module does not interpret the decoded bytes.

mod bits;
mod block;
mod chain;
mod crc;
mod expand;
mod fault;
mod huffman;
mod legacy;
mod scan;
mod search;
mod transform;

/// Bits of the two magic numbers.
pub(crate) const MAGIC_BITS: u32 = 48;
/// Starts a block.
pub(crate) const BLOCK_MAGIC: u64 = 0x3141_5926_5359;
/// Starts the end of a stream.
pub(crate) const END_MAGIC: u64 = 0x1772_4538_5090;

pub(crate) use chain::{Chain, Next};
pub(crate) use fault::Fault;
pub(crate) use search::{Candidates, FailureBudget, Start, jump_to_block, start_range};

#[cfg(test)]
pub(crate) mod tests;
