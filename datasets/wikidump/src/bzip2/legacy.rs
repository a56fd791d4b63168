//! Blocks of bzip2 0.9.0 and before that carry the "randomised" bit.
//!
//! Their bytes were changed by a fixed table of numbers. No dump has such blocks. The stock decoder, which has the
//! table, decodes each of them, wrapped in a stream of its own.

use std::io::Read;

use super::bits::Bits;
use super::fault::BlockFault;
use super::{END_MAGIC, MAGIC_BITS};

/// The decoded bytes of the randomised block at bits `start..end` of `data`.
pub(crate) fn derandomise(
    data: &[u8],
    start: u64,
    end: u64,
    crc: u32,
    level: u8,
) -> Result<Vec<u8>, BlockFault> {
    let mut stream = Writer::default();
    for byte in [b'B', b'Z', b'h', b'0' + level] {
        stream.put(u64::from(byte), 8);
    }
    let mut bits = Bits::new(data, start);
    let mut left = end.saturating_sub(start);
    while left > 0 {
        let count = left.min(32) as u32;
        stream.put(bits.take(count)?, count);
        left -= u64::from(count);
    }
    stream.put(END_MAGIC, MAGIC_BITS);
    // A stream of one block has the checksum of the block.
    stream.put(u64::from(crc), 32);
    let mut decoded = Vec::new();
    bzip2::read::BzDecoder::new(stream.finish().as_slice())
        .read_to_end(&mut decoded)
        .map_err(|_| BlockFault::Invalid("a randomised block that does not decode"))?;
    Ok(decoded)
}

/// Bits to bytes, most significant first.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl Writer {
    /// Appends the low `count` bits (at most 48) of `value`.
    fn put(&mut self, value: u64, count: u32) {
        self.pending = self.pending << count | value;
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.pending >> self.count) as u8);
        }
        self.pending &= (1 << self.count) - 1;
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        self.bytes
    }
}
