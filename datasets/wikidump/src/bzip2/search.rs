//! Searches a file for blocks whose position is not known from the chain.

use std::collections::VecDeque;
use std::sync::Arc;

use super::scan::{MagicScanner, OVERLAP};
use super::{BLOCK_MAGIC, Chain, Fault, Next};
use crate::source::{READ_BYTES, ReadAt, Window};

/// The number of further candidates that may fail to decode. Crafted files can hold any number of candidates, each of
/// which costs as much as a block, so failures are allowed in proportion to blocks that decode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailureBudget(u32);

impl FailureBudget {
    const START: u32 = 256;
    const PER_BLOCK: u32 = 4;

    pub(crate) fn new() -> Self {
        Self(Self::START)
    }

    pub(crate) fn reward(&mut self) {
        self.0 = self.0.saturating_add(Self::PER_BLOCK);
    }

    fn spend(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

/// Maximum size in bytes of a compressed block: 18,002 groups of 50 codes of 20 bits, and its tables.
const MAX_BLOCK_BYTES: u64 = 2_600_000;

/// Iterates over all block magic numbers from some byte on, in order. A magic number only marks a candidate for a
/// block.
pub(crate) struct Candidates {
    window: Window,
    scanner: MagicScanner,
    /// The next byte to search.
    at: u64,
    /// Magics before this bit do not count.
    first: u64,
    found: VecDeque<u64>,
}

impl Candidates {
    pub(crate) fn new(source: Arc<dyn ReadAt>, first: u64) -> Self {
        Self {
            window: Window::new(source, first / 8),
            scanner: MagicScanner::new(BLOCK_MAGIC),
            at: first / 8,
            first,
            found: VecDeque::new(),
        }
    }

    /// The next magic that starts before byte `end`, as a bit offset.
    pub(crate) fn next_before(&mut self, end: u64) -> Result<Option<u64>, Fault> {
        loop {
            if let Some(&bit) = self.found.front() {
                if bit / 8 >= end {
                    return Ok(None);
                }
                self.found.pop_front();
                return Ok(Some(bit));
            }
            if self.at >= end {
                return Ok(None);
            }
            let at = self.at;
            let wanted = READ_BYTES.min(usize::try_from(end - at).unwrap_or(READ_BYTES));
            let data = self
                .window
                .from(at, wanted + OVERLAP)
                .map_err(|source| Fault::Io { offset: at, source })?;
            if data.len() < OVERLAP {
                return Ok(None);
            }
            self.at += (data.len() - OVERLAP).max(1) as u64;
            for bit in self.scanner.find(data) {
                let bit = at * 8 + bit;
                // Magics in the bytes that windows share are found twice.
                if bit >= self.first {
                    self.found.push_back(bit);
                    self.first = bit + 1;
                }
            }
        }
    }
}

/// Jumps with `chain` to the first block at or after bit `from` that decodes with the right
/// checksum, and decodes it; gives its bit. `None` if no candidate before byte `end` decodes, or
/// the failure budget is exhausted. A candidate at or after byte `stop` is given without decoding it.
pub(crate) fn jump_to_block(
    chain: &mut Chain,
    from: u64,
    stop: u64,
    end: u64,
    budget: &mut FailureBudget,
) -> Result<Option<u64>, Fault> {
    let mut candidates = Candidates::new(Arc::clone(chain.source()), from);
    while let Some(bit) = candidates.next_before(end)? {
        if bit / 8 >= stop {
            return Ok(Some(bit));
        }
        chain.jump(bit)?;
        match chain.decode() {
            Ok(()) => {
                budget.reward();
                return Ok(Some(bit));
            }
            Err(fault @ Fault::Io { .. }) => return Err(fault),
            Err(_) if budget.spend() => {}
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// Where a range of the file starts in the chain of its blocks.
pub(crate) enum Start {
    /// At this block, which has been decoded.
    Decoded(u64),
    /// At the next element of the chain, which has not been read.
    Standing,
    /// At no block.
    Nowhere,
}

/// Brings `chain` to the first block that starts at or after byte `from` and before byte `end`.
///
/// Usually the first candidate decodes and is the block. If it does not decode, it is either a corrupt block or no
/// block; the chain from before the range decides which.
pub(crate) fn start_range(chain: &mut Chain, from: u64, end: u64) -> Result<Start, Fault> {
    let first = Candidates::new(Arc::clone(chain.source()), from * 8).next_before(end)?;
    let Some(bit) = first else {
        return Ok(Start::Nowhere);
    };
    chain.jump(bit)?;
    match chain.decode() {
        Ok(()) => return Ok(Start::Decoded(bit)),
        Err(fault @ Fault::Io { .. }) => return Err(fault),
        Err(_) => {}
    }
    if !follow_from_before(chain, from)? {
        chain.jump(bit)?;
    }
    Ok(Start::Standing)
}

/// Follows the chain from a block before byte `to` up to the first one at or after it. Says whether
/// it got there.
fn follow_from_before(chain: &mut Chain, to: u64) -> Result<bool, Fault> {
    let mut budget = FailureBudget::new();
    let from = to.saturating_sub(MAX_BLOCK_BYTES) * 8;
    if from == 0 {
        *chain = Chain::at_start(Arc::clone(chain.source()));
    } else if jump_to_block(chain, from, to, to, &mut budget)?.is_none() {
        return Ok(false);
    }
    loop {
        let step = match chain.next() {
            Ok(Next::Block(bit)) if bit / 8 < to => chain.decode(),
            Ok(_) => return Ok(true),
            Err(fault) => Err(fault),
        };
        match step {
            Ok(()) | Err(Fault::StreamChecksum { .. }) => continue,
            Err(fault @ Fault::Io { .. }) => return Err(fault),
            // The fault lies in the range.
            Err(_) if chain.position() / 8 >= to => return Ok(true),
            Err(_) => {}
        }
        let from = chain.position() + 1;
        if jump_to_block(chain, from, to, to, &mut budget)?.is_none() {
            return Ok(false);
        }
    }
}
