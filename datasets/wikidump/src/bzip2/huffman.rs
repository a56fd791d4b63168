//! One Huffman table of a block: code lengths to symbols.
//!
//! A table of the first [`FAST_BITS`] bits answers short codes; longer ones fall back to the
//! canonical limits of each length (Hirschberg and Lelewer, CACM 33(4), 1990). Lengths that
//! describe an incomplete or over-full code are taken as the reference decoder takes them: the
//! shortest length whose limit is not exceeded wins.

use super::bits::{Bits, OutOfBits};

/// Longest code the format allows.
pub(crate) const MAX_LENGTH: u32 = 20;
/// Most symbols in an alphabet: two run symbols, 255 positions and the end of the block.
pub(crate) const MAX_SYMBOLS: usize = 258;
/// Bits that the direct table covers.
const FAST_BITS: u32 = 10;

/// A decoding table; reused from block to block.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// `symbol << 5 | length`, zero where the code is longer or does not exist.
    fast: Box<[u16; 1 << FAST_BITS]>,
    /// Largest code of each length, -1 where there is none.
    limit: [i32; MAX_LENGTH as usize + 2],
    /// What to take from a code of each length to get its rank.
    base: [i32; MAX_LENGTH as usize + 2],
    /// Symbols by rank.
    symbols: [u16; MAX_SYMBOLS],
    count: usize,
    longest: u32,
}

/// No symbol has the next bits as its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolError {
    OutOfBits,
    NoSuchCode,
}

impl From<OutOfBits> for SymbolError {
    fn from(_: OutOfBits) -> Self {
        Self::OutOfBits
    }
}

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            fast: Box::new([0; 1 << FAST_BITS]),
            limit: [-1; MAX_LENGTH as usize + 2],
            base: [0; MAX_LENGTH as usize + 2],
            symbols: [0; MAX_SYMBOLS],
            count: 0,
            longest: 0,
        }
    }

    /// Builds the table for code lengths (1 to 20 each) of at most [`MAX_SYMBOLS`] symbols.
    pub(crate) fn build(&mut self, lengths: &[u8]) {
        let mut per_length = [0i32; MAX_LENGTH as usize + 1];
        let (mut shortest, mut longest) = (MAX_LENGTH, 1);
        for &length in lengths {
            let length = u32::from(length);
            per_length[length as usize] += 1;
            shortest = shortest.min(length);
            longest = longest.max(length);
        }
        self.longest = longest;
        self.count = 0;
        for length in shortest..=longest {
            for (symbol, &own) in lengths.iter().enumerate() {
                if u32::from(own) == length {
                    self.symbols[self.count] = symbol as u16;
                    self.count += 1;
                }
            }
        }
        self.limit = [-1; MAX_LENGTH as usize + 2];
        self.base = [0; MAX_LENGTH as usize + 2];
        let (mut code, mut rank) = (0i32, 0i32);
        for length in shortest..=longest {
            self.base[length as usize] = code - rank;
            code += per_length[length as usize];
            rank += per_length[length as usize];
            self.limit[length as usize] = code - 1;
            code <<= 1;
        }
        self.fill_fast(shortest);
    }

    fn fill_fast(&mut self, shortest: u32) {
        let mut filled = 0usize;
        for length in shortest..=self.longest.min(FAST_BITS) {
            let shift = FAST_BITS - length;
            let end =
                (((self.limit[length as usize] + 1).max(0) as usize) << shift).min(1 << FAST_BITS);
            for prefix in filled..end {
                let symbol = self.symbol((prefix >> shift) as i32, length);
                self.fast[prefix] = symbol.map_or(0, |s| s << 5 | length as u16);
            }
            filled = filled.max(end);
        }
        self.fast[filled..].fill(0);
    }

    fn symbol(&self, code: i32, length: u32) -> Option<u16> {
        let rank = usize::try_from(code - self.base[length as usize]).ok()?;
        self.symbols[..self.count].get(rank).copied()
    }

    /// Takes the next symbol. The caller refills; at least [`MAX_LENGTH`] bits must be in unless
    /// the data ends.
    #[inline(always)]
    pub(crate) fn next(&self, bits: &mut Bits<'_>) -> Result<u16, SymbolError> {
        let entry = self.fast[(bits.peek() >> (64 - FAST_BITS)) as usize];
        let length = u32::from(entry & 31);
        if length != 0 && length <= bits.available() {
            bits.consume(length);
            return Ok(entry >> 5);
        }
        self.next_slowly(bits)
    }

    #[cold]
    #[inline(never)]
    fn next_slowly(&self, bits: &mut Bits<'_>) -> Result<u16, SymbolError> {
        for length in 1..=self.longest {
            let code = (bits.peek() >> (64 - length)) as i32;
            if code <= self.limit[length as usize] {
                if length > bits.available() {
                    return Err(SymbolError::OutOfBits);
                }
                bits.consume(length);
                return self.symbol(code, length).ok_or(SymbolError::NoSuchCode);
            }
        }
        if bits.available() < MAX_LENGTH {
            return Err(SymbolError::OutOfBits);
        }
        Err(SymbolError::NoSuchCode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit at a time over the list of codes.
    fn naive(lengths: &[u8], bits: &mut Bits<'_>) -> Option<u16> {
        let mut codes = Vec::new();
        let mut code = 0u32;
        for length in 1..=20u8 {
            for (symbol, &own) in lengths.iter().enumerate() {
                if own == length {
                    codes.push((length, code, symbol as u16));
                    code += 1;
                }
            }
            code <<= 1;
        }
        let mut read = 0u32;
        for length in 1..=20u8 {
            read = read << 1 | bits.take(1).ok()? as u32;
            if let Some(found) = codes.iter().find(|c| c.0 == length && c.1 == read) {
                return Some(found.2);
            }
        }
        None
    }

    #[test]
    fn decodes_complete_codes_like_the_list_of_codes() {
        let sets: [&[u8]; 4] = [
            &[1, 1],
            &[2, 1, 3, 3],
            &[3; 8],
            &[
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 20,
            ],
        ];
        let data: Vec<u8> = (0..4000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | if i % 7 == 0 { 255 } else { 0 })
            .collect();
        let mut table = Table::new();
        for lengths in sets {
            table.build(lengths);
            let mut fast = Bits::new(&data, 3);
            let mut slow = fast.clone();
            loop {
                fast.refill();
                let Ok(symbol) = table.next(&mut fast) else {
                    break;
                };
                assert_eq!(naive(lengths, &mut slow), Some(symbol));
                assert_eq!(fast.position(), slow.position());
            }
            assert!(fast.position() > 31_900);
        }
    }

    #[test]
    fn an_incomplete_code_has_gaps() {
        let mut table = Table::new();
        table.build(&[2, 2]);
        let mut bits = Bits::new(&[0b0001_1111, 0xFF, 0xFF, 0xFF], 0);
        assert_eq!(table.next(&mut bits), Ok(0));
        assert_eq!(table.next(&mut bits), Ok(1));
        assert_eq!(table.next(&mut bits), Err(SymbolError::NoSuchCode));
    }
}
