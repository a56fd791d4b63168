//! Decodes one block that starts at any bit: symbol map, Huffman tables, move-to-front positions,
//! Burrows-Wheeler transform, runs, checksum.

use super::bits::Bits;
use super::crc::Crc;
use super::expand::Expansion;
use super::fault::BlockFault;
use super::huffman::{MAX_LENGTH, MAX_SYMBOLS, Table};
use super::legacy;
use super::transform::Inverse;
use super::{BLOCK_MAGIC, MAGIC_BITS};

/// Symbols decoded with one table before the next selector applies.
const GROUP: usize = 50;
/// Selectors that a block can use; further ones are read and left aside.
const MAX_SELECTORS: usize = 18_002;
/// Runs longer than this cannot occur in a block.
const MAX_RUN_WEIGHT: u32 = 2 * 1024 * 1024;
/// Decoded bytes handed out at a time: enough for an ordinary block as a whole, and a bound on the
/// memory of one that expands fifty-fold.
pub(crate) const WINDOW: usize = 4 << 20;

/// What is known of a block once it is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The bit after the block.
    pub(crate) end: u64,
    /// The checksum, which has been verified.
    pub(crate) crc: u32,
}

/// A decoder with the memory of one block: about 7 MB, and the window of decoded bytes.
#[derive(Debug)]
pub(crate) struct BlockDecoder {
    tables: [Table; 6],
    selectors: Vec<u8>,
    /// Last column of the transform.
    column: Vec<u8>,
    inverse: Inverse,
    /// The block before runs are expanded.
    block: Vec<u8>,
    expansion: Expansion,
    window: Vec<u8>,
    state: WindowState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WindowState {
    /// `window` holds the whole block.
    Whole,
    /// Windows are to be expanded.
    Pending,
    Done,
}

struct Header {
    crc: u32,
    randomised: bool,
    origin: usize,
}

impl BlockDecoder {
    pub(crate) fn new() -> Self {
        Self {
            tables: std::array::from_fn(|_| Table::new()),
            selectors: Vec::new(),
            column: Vec::new(),
            inverse: Inverse::new(),
            block: Vec::new(),
            expansion: Expansion::default(),
            window: Vec::new(),
            state: WindowState::Done,
        }
    }

    /// Decodes the block whose magic starts at bit `start` of `data`, and verifies its checksum.
    /// `level` (1 to 9) limits the block to that many times 100,000 bytes before runs are
    /// expanded. The decoded bytes are then taken with [`Self::next_window`].
    pub(crate) fn decode(
        &mut self,
        data: &[u8],
        start: u64,
        level: u8,
    ) -> Result<Decoded, BlockFault> {
        self.state = WindowState::Done;
        let limit = usize::from(level) * 100_000;
        let mut bits = Bits::new(data, start);
        let header = read_header(&mut bits, limit)?;
        let symbols = self.read_symbols(&mut bits, limit)?;
        if header.origin >= self.column.len() {
            return Err(BlockFault::Invalid("an origin outside the block"));
        }
        let end = bits.position();
        if header.randomised {
            self.block = legacy::derandomise(data, start, end, header.crc, level)?;
        } else {
            self.block.clear();
            self.inverse
                .invert(&self.column, &symbols, header.origin, &mut self.block);
        }
        self.verify(header.crc, header.randomised)?;
        Ok(Decoded {
            end,
            crc: header.crc,
        })
    }

    /// Whether decoded bytes of the last block are left.
    pub(crate) fn has_window(&self) -> bool {
        self.state != WindowState::Done
    }

    /// The next decoded bytes of the last block, `None` when all have been handed out. A window
    /// holds about [`WINDOW`] bytes, the last one of a block fewer.
    pub(crate) fn next_window(&mut self) -> Option<&[u8]> {
        match self.state {
            WindowState::Done => return None,
            WindowState::Whole => self.state = WindowState::Done,
            WindowState::Pending => {
                self.window.clear();
                // The first pass over the same bytes found no fault.
                let done = self.expansion.fill(&self.block, WINDOW, &mut self.window);
                if done != Ok(false) {
                    self.state = WindowState::Done;
                }
            }
        }
        Some(&self.window)
    }

    /// Expands the whole block once to compare its checksum, and keeps the result if it fits one
    /// window.
    fn verify(&mut self, want: u32, expanded: bool) -> Result<(), BlockFault> {
        let mut crc = Crc::new();
        if expanded {
            // The fallback decoder has expanded the runs and checked the bytes.
            self.window.clear();
            std::mem::swap(&mut self.window, &mut self.block);
            crc.update(&self.window);
            self.state = WindowState::Whole;
        } else {
            self.expansion = Expansion::default();
            let mut windows = 0;
            loop {
                self.window.clear();
                let done = self
                    .expansion
                    .fill(&self.block, WINDOW, &mut self.window)
                    .map_err(|_| BlockFault::Invalid("a run without its count"))?;
                crc.update(&self.window);
                windows += 1;
                if done {
                    break;
                }
            }
            self.state = if windows == 1 {
                WindowState::Whole
            } else {
                self.expansion = Expansion::default();
                WindowState::Pending
            };
        }
        let got = crc.value();
        if got != want {
            self.state = WindowState::Done;
            return Err(BlockFault::Checksum { want, got });
        }
        Ok(())
    }

    /// Reads everything between the header and the end-of-block symbol into `column`; gives how
    /// often each byte occurs in it.
    fn read_symbols(
        &mut self,
        bits: &mut Bits<'_>,
        limit: usize,
    ) -> Result<[u32; 256], BlockFault> {
        let (mut order, used) = read_symbol_map(bits)?;
        let table_count = bits.take(3)? as usize;
        if !(2..=6).contains(&table_count) {
            return Err(BlockFault::Invalid("a number of tables outside 2 to 6"));
        }
        self.read_selectors(bits, table_count)?;
        self.read_tables(bits, table_count, used + 2)?;

        let end_of_block = (used + 1) as u16;
        let mut counts = [0u32; 256];
        self.column.clear();
        // Runs are numbers in bijective base 2: the symbols 0 and 1 are the digits 1 and 2.
        let (mut run, mut weight) = (0u32, 1u32);
        for &selector in &self.selectors {
            let table = &self.tables[usize::from(selector)];
            for _ in 0..GROUP {
                if bits.available() < MAX_LENGTH {
                    bits.refill();
                }
                let symbol = table.next(bits)?;
                if symbol < 2 {
                    if weight >= MAX_RUN_WEIGHT {
                        return Err(BlockFault::Invalid("a run longer than any block"));
                    }
                    run += weight << symbol;
                    weight <<= 1;
                    continue;
                }
                if run > 0 {
                    push_run(&mut self.column, &mut counts, order[0], run, limit)?;
                    (run, weight) = (0, 1);
                }
                if symbol == end_of_block {
                    return Ok(counts);
                }
                if self.column.len() >= limit {
                    return Err(BlockFault::Invalid("more bytes than the level allows"));
                }
                let byte = move_to_front(&mut order, usize::from(symbol) - 1);
                counts[usize::from(byte)] += 1;
                self.column.push(byte);
            }
        }
        Err(BlockFault::Invalid("more symbols than its selectors allow"))
    }

    fn read_selectors(&mut self, bits: &mut Bits<'_>, tables: usize) -> Result<(), BlockFault> {
        let count = bits.take(15)? as usize;
        if count == 0 {
            return Err(BlockFault::Invalid("no selectors"));
        }
        let mut order: [u8; 6] = [0, 1, 2, 3, 4, 5];
        self.selectors.clear();
        for index in 0..count {
            let mut position = 0;
            while bits.take(1)? == 1 {
                position += 1;
                if position >= tables {
                    return Err(BlockFault::Invalid("a selector of no table"));
                }
            }
            order[..=position].rotate_right(1);
            if index < MAX_SELECTORS {
                self.selectors.push(order[0]);
            }
        }
        Ok(())
    }

    fn read_tables(
        &mut self,
        bits: &mut Bits<'_>,
        tables: usize,
        symbols: usize,
    ) -> Result<(), BlockFault> {
        let mut lengths = [0u8; MAX_SYMBOLS];
        for table in &mut self.tables[..tables] {
            let mut length = bits.take(5)? as u8;
            for slot in &mut lengths[..symbols] {
                loop {
                    if !(1..=MAX_LENGTH as u8).contains(&length) {
                        return Err(BlockFault::Invalid("a code length outside 1 to 20"));
                    }
                    if bits.take(1)? == 0 {
                        break;
                    }
                    if bits.take(1)? == 0 {
                        length += 1;
                    } else {
                        length -= 1;
                    }
                }
                *slot = length;
            }
            table.build(&lengths[..symbols]);
        }
        Ok(())
    }
}

fn read_header(bits: &mut Bits<'_>, limit: usize) -> Result<Header, BlockFault> {
    if bits.take(MAGIC_BITS)? != BLOCK_MAGIC {
        return Err(BlockFault::Invalid("no block magic"));
    }
    let crc = bits.take(32)? as u32;
    let randomised = bits.take(1)? == 1;
    let origin = bits.take(24)? as usize;
    if origin >= limit {
        return Err(BlockFault::Invalid("an origin outside the block"));
    }
    Ok(Header {
        crc,
        randomised,
        origin,
    })
}

/// The bytes that occur in the block in ascending order, and how many they are.
fn read_symbol_map(bits: &mut Bits<'_>) -> Result<([u8; 256], usize), BlockFault> {
    let mut bytes = [0u8; 256];
    let mut used = 0;
    let sixteens = bits.take(16)?;
    for high in 0..16u8 {
        if sixteens >> (15 - high) & 1 == 0 {
            continue;
        }
        let sixteen = bits.take(16)?;
        for low in 0..16u8 {
            if sixteen >> (15 - low) & 1 == 1 {
                bytes[used] = high << 4 | low;
                used += 1;
            }
        }
    }
    if used == 0 {
        return Err(BlockFault::Invalid("no bytes in use"));
    }
    Ok((bytes, used))
}

#[inline(always)]
fn push_run(
    column: &mut Vec<u8>,
    counts: &mut [u32; 256],
    byte: u8,
    run: u32,
    limit: usize,
) -> Result<(), BlockFault> {
    if run as usize > limit - column.len() {
        return Err(BlockFault::Invalid("more bytes than the level allows"));
    }
    counts[usize::from(byte)] += run;
    column.resize(column.len() + run as usize, byte);
    Ok(())
}

/// Takes the byte at `position` (below 256) and moves it to the front.
#[inline(always)]
fn move_to_front(order: &mut [u8; 256], position: usize) -> u8 {
    let position = position & 255;
    let byte = order[position];
    if position < 16 {
        let mut at = position;
        while at > 0 {
            order[at] = order[at - 1];
            at -= 1;
        }
    } else {
        order.copy_within(..position, 1);
    }
    order[0] = byte;
    byte
}
