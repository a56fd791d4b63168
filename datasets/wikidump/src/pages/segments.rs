//! Finds the chunk that a decoded byte came from.

use std::collections::VecDeque;

use crate::location::Location;

#[derive(Debug, Clone, Copy)]
struct Segment {
    /// Decoded offset of the first byte.
    start: u64,
    location: Location,
    owned: bool,
}

/// The chunks whose bytes are still in use, in order.
#[derive(Debug, Default)]
pub(super) struct Segments {
    chunks: VecDeque<Segment>,
}

impl Segments {
    pub(super) fn push(&mut self, start: u64, location: Location, owned: bool) {
        self.chunks.push_back(Segment {
            start,
            location,
            owned,
        });
    }

    /// Forgets the chunks that end at or before `offset`.
    pub(super) fn forget_before(&mut self, offset: u64) {
        while self
            .chunks
            .get(1)
            .is_some_and(|second| second.start <= offset)
        {
            self.chunks.pop_front();
        }
    }

    pub(super) fn clear(&mut self) {
        self.chunks.clear();
    }

    fn of(&self, offset: u64) -> Option<&Segment> {
        let after = self.chunks.partition_point(|chunk| chunk.start <= offset);
        self.chunks.get(after.checked_sub(1)?)
    }

    pub(super) fn owned(&self, offset: u64) -> bool {
        self.of(offset).is_none_or(|chunk| chunk.owned)
    }

    pub(super) fn location(&self, offset: u64) -> Location {
        self.of(offset)
            .map_or(Location::File { byte: offset }, |chunk| {
                chunk.location.advance(offset - chunk.start)
            })
    }
}
