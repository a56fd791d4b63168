//! Reads XML in bz2 blocks.
//!
//! A range starts at its first block, follows the chain of blocks, and ends at the first block
//! after it, once no page of the range is unfinished. With `OnError::Skip` it continues after a fault at the next
//! block that decodes; each fault is counted by the range that follows the chain to it.

use std::ops::Range;
use std::sync::Arc;

use super::Chunk;
use super::footer::Tail;
use crate::bzip2::{
    Candidates, Chain, FailureBudget, Fault, Next, Start, jump_to_block, start_range,
};
use crate::error::DumpError;
use crate::location::Location;
use crate::losses::Losses;
use crate::options::OnError;
use crate::source::ReadAt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Windows of the block that starts at this byte are to be taken.
    InBlock {
        byte: u64,
        taken: u64,
    },
    /// The chain is to be followed.
    Between,
    Done,
}

pub(crate) struct BlockInput {
    chain: Chain,
    range: Range<u64>,
    length: u64,
    salvage: bool,
    state: State,
    /// Bytes were lost since the last chunk.
    gap: bool,
    budget: FailureBudget,
    /// The end of the last block of the range; empty if the chain went on to a block after it.
    tail: Tail,
}

impl BlockInput {
    pub(super) fn new(source: Arc<dyn ReadAt>, range: Range<u64>, on_error: OnError) -> Self {
        let length = source.len();
        Self {
            chain: Chain::at_start(source),
            range: range.start..range.end.min(length),
            length,
            salvage: on_error == OnError::Skip,
            state: State::New,
            gap: false,
            budget: FailureBudget::new(),
            tail: Tail::default(),
        }
    }

    pub(super) fn lacks_footer(&self) -> bool {
        self.tail.lacks_footer()
    }

    pub(super) fn ended_in_gap(&self) -> bool {
        self.gap
    }

    pub(super) fn next_chunk(
        &mut self,
        idle: bool,
        losses: &mut Losses,
    ) -> Result<Option<Chunk<'_>>, DumpError> {
        loop {
            match self.state {
                State::Done => return Ok(None),
                State::New => self.start()?,
                State::Between => self.follow(idle, losses)?,
                State::InBlock { byte, taken } => {
                    if !self.chain.has_window() {
                        self.state = State::Between;
                        continue;
                    }
                    let owned = byte < self.range.end;
                    let gap = std::mem::take(&mut self.gap);
                    let bytes = self.chain.next_window().unwrap_or_default();
                    if taken == 0 {
                        self.tail.clear();
                    }
                    if owned {
                        self.tail.push(bytes);
                    }
                    self.state = State::InBlock {
                        byte,
                        taken: taken + bytes.len() as u64,
                    };
                    return Ok(Some(Chunk {
                        bytes,
                        location: Location::Block {
                            block: byte,
                            byte: taken,
                        },
                        owned,
                        gap,
                    }));
                }
            }
        }
    }

    fn start(&mut self) -> Result<(), DumpError> {
        self.state = State::Between;
        if self.range.is_empty() {
            self.state = State::Done;
        } else if self.range.start > 0 {
            match start_range(&mut self.chain, self.range.start, self.range.end)? {
                Start::Decoded(bit) => self.enter(bit),
                Start::Standing => return self.settle(),
                Start::Nowhere => self.state = State::Done,
            }
        }
        Ok(())
    }

    /// The chain has been followed from before the range. Bytes between blocks are reported and counted by the range
    /// before this one.
    fn settle(&mut self) -> Result<(), DumpError> {
        match self.chain.next() {
            Ok(Next::Block(_)) | Err(Fault::StreamChecksum { .. }) => {}
            Ok(Next::End { .. }) => self.state = State::Done,
            Err(fault) if !self.salvage => return Err(self.explain(fault)),
            Err(_) => {
                let from = self.chain.position() + 1;
                let end = self.range.end;
                match jump_to_block(&mut self.chain, from, end, end, &mut self.budget)? {
                    Some(bit) => self.enter(bit),
                    None => self.state = State::Done,
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, bit: u64) {
        self.budget.reward();
        self.state = State::InBlock {
            byte: bit / 8,
            taken: 0,
        };
    }

    fn follow(&mut self, idle: bool, losses: &mut Losses) -> Result<(), DumpError> {
        let step = match self.chain.next() {
            // A gap has dropped what was unfinished.
            Ok(Next::Block(bit)) if bit / 8 >= self.range.end && (idle || self.gap) => {
                self.state = State::Done;
                self.tail.clear();
                return Ok(());
            }
            Ok(Next::Block(bit)) => self.chain.decode().map(|()| self.enter(bit)),
            Ok(Next::End { garbage }) => return self.end(garbage, losses),
            Err(fault) => Err(fault),
        };
        match step {
            Ok(()) => Ok(()),
            Err(fault @ Fault::Io { .. }) => Err(fault.into()),
            Err(fault) if self.salvage => self.skip(fault, losses),
            Err(fault) => Err(self.explain(fault)),
        }
    }

    /// The chain has come to the end of the last stream.
    fn end(&mut self, garbage: u64, losses: &mut Losses) -> Result<(), DumpError> {
        self.state = State::Done;
        if garbage == 0 {
            return Ok(());
        }
        // Blocks after the garbage would be lost silently.
        let from = self.length - garbage;
        let mut budget = self.budget;
        let next = jump_to_block(&mut self.chain, from * 8, u64::MAX, u64::MAX, &mut budget)?;
        let Some(bit) = next else {
            losses.trailing_bytes += garbage;
            return Ok(());
        };
        if !self.salvage {
            return Err(DumpError::Garbage {
                offset: from,
                next: bit / 8,
            });
        }
        losses.bytes += bit / 8 - from;
        self.gap = true;
        if bit / 8 < self.range.end {
            self.enter(bit);
        }
        Ok(())
    }

    /// Continues after a fault.
    fn skip(&mut self, fault: Fault, losses: &mut Losses) -> Result<(), DumpError> {
        if let Fault::StreamChecksum { .. } = fault {
            losses.streams += 1;
            return Ok(());
        }
        self.gap = true;
        self.state = State::Done;
        let bit = self.chain.position();
        let in_block = matches!(self.chain.next(), Ok(Next::Block(_)));
        if in_block && bit / 8 >= self.range.end {
            // The range that this block belongs to counts it.
            return Ok(());
        }
        let next = jump_to_block(
            &mut self.chain,
            bit + 1,
            self.range.end,
            u64::MAX,
            &mut self.budget,
        )?;
        losses.blocks += 1;
        losses.bytes += next.map_or(self.length, |next| next / 8) - bit / 8;
        match next {
            Some(next) if next / 8 < self.range.end => self.enter(next),
            Some(_) => {}
            None => {
                if matches!(fault, Fault::Truncated { .. }) {
                    losses.truncated += 1;
                }
            }
        }
        Ok(())
    }

    /// A block that extends to the end of the file is corrupt, not truncated, if another block starts in it.
    fn explain(&self, fault: Fault) -> DumpError {
        if let Fault::Truncated { bit } = fault {
            let mut candidates = Candidates::new(Arc::clone(self.chain.source()), bit + 1);
            if let Ok(Some(_)) = candidates.next_before(u64::MAX) {
                return DumpError::CorruptBlock {
                    bit,
                    reason: "it runs past blocks that follow to the end of the file",
                };
            }
        }
        fault.into()
    }
}
