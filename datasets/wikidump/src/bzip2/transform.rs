//! The inverse Burrows-Wheeler transform (Burrows and Wheeler, SRC report 124, 1994).
//!
//! The plain inverse follows one chain of dependent loads over four megabytes, so it waits for memory at every byte.
//! Here rows spread over the block are marked as starts, and sixteen chains are followed in step, each from one start
//! to the next start it meets; the segments are then put in the order in which they follow each other from the block's
//! origin. The loads of the chains overlap, so that the processor waits less for memory.

/// Rows are 20-bit numbers: a block has at most 900,000.
const ROW_BITS: u32 = 20;
const ROW_MASK: u32 = (1 << ROW_BITS) - 1;
/// Set in the entry of a row that starts a segment.
const MARK: u32 = 1 << 31;
/// Chains followed in step.
const LANES: usize = 16;
/// Segments of a large block; many, so that the lanes finish at about the same time.
const SEGMENTS: usize = 256;
/// Blocks below this size lie in the cache and are followed as one chain.
const SMALL: usize = 1 << 14;

/// The rows between one start and the next one met.
#[derive(Debug, Clone, Copy, Default)]
struct Segment {
    lane: usize,
    /// Where in the interleaved bytes it lies.
    first_step: usize,
    end_step: usize,
    /// The segment that follows.
    next: usize,
}

/// The inverse transform with its memory (4 MiB, and up to 16 bytes a byte of a block whose rows
/// form cycles of very unequal length).
#[derive(Debug)]
pub(crate) struct Inverse {
    /// For each row of the sorted block: mark, next row, byte.
    rows: Box<[u32; 1 << ROW_BITS]>,
    /// One byte of each lane a step.
    interleaved: Vec<[u8; LANES]>,
}

impl Inverse {
    pub(crate) fn new() -> Self {
        let rows = vec![0u32; 1 << ROW_BITS].into_boxed_slice();
        Self {
            rows: rows
                .try_into()
                .unwrap_or_else(|_| Box::new([0; 1 << ROW_BITS])),
            interleaved: Vec::new(),
        }
    }

    /// Appends to `out` the bytes whose transform has the last column `column` and the origin
    /// `origin`. `counts` says how often each byte occurs in `column`.
    ///
    /// `column` has at most 900,000 bytes and `origin` lies in it, or nothing is appended.
    pub(crate) fn invert(
        &mut self,
        column: &[u8],
        counts: &[u32; 256],
        origin: usize,
        out: &mut Vec<u8>,
    ) {
        if origin >= column.len() || column.len() > ROW_MASK as usize {
            return;
        }
        self.link(column, counts);
        if column.len() < SMALL {
            self.follow_one(column.len(), origin, out);
        } else {
            self.follow_many(column.len(), origin, out);
        }
    }

    /// Fills `rows`: row j of the sorted block holds its first byte and the row that follows.
    fn link(&mut self, column: &[u8], counts: &[u32; 256]) {
        let mut next_of = [0u32; 256];
        let mut sum = 0u32;
        for (first, count) in next_of.iter_mut().zip(counts) {
            *first = sum;
            sum += count;
        }
        for (row, &byte) in column.iter().enumerate() {
            let slot = &mut next_of[usize::from(byte)];
            self.rows[(*slot & ROW_MASK) as usize] = (row as u32) << 8 | u32::from(byte);
            *slot += 1;
        }
    }

    fn follow_one(&self, length: usize, origin: usize, out: &mut Vec<u8>) {
        let mut row = origin as u32;
        out.extend((0..length).map(|_| {
            let entry = self.rows[(row & ROW_MASK) as usize];
            row = entry >> 8;
            entry as u8
        }));
    }

    fn follow_many(&mut self, length: usize, origin: usize, out: &mut Vec<u8>) {
        // Segment k starts at row k * stride; one more starts at the origin.
        let stride = length.div_ceil(SEGMENTS);
        let regular = length.div_ceil(stride);
        let starts: Vec<u32> = (0..regular)
            .map(|k| (k * stride) as u32)
            .chain([origin as u32])
            .collect();
        for &start in &starts {
            self.rows[(start & ROW_MASK) as usize] |= MARK;
        }
        let segment_at = |row: u32| {
            let row = row as usize;
            if row.is_multiple_of(stride) {
                row / stride
            } else {
                regular
            }
        };

        // A lane without work stays on a row of its own past the block.
        let parked = length as u32;
        self.rows[length & ROW_MASK as usize] = parked << 8;
        let rows = &*self.rows;
        let mut segments = vec![Segment::default(); starts.len()];
        let mut current = [usize::MAX; LANES];
        let mut row = [parked; LANES];
        let mut waiting = 0;
        let mut active = 0;
        let mut step = 0;
        for lane in 0..LANES {
            if waiting < starts.len() {
                current[lane] = waiting;
                row[lane] = starts[waiting];
                segments[waiting].lane = lane;
                waiting += 1;
                active += 1;
            }
        }
        self.interleaved.clear();
        while active > 0 {
            let mut bytes = [0u8; LANES];
            let mut met = 0u32;
            for lane in 0..LANES {
                let entry = rows[(row[lane] & ROW_MASK) as usize];
                bytes[lane] = entry as u8;
                row[lane] = entry >> 8 & ROW_MASK;
                met |= rows[row[lane] as usize];
            }
            self.interleaved.push(bytes);
            step += 1;
            if met & MARK == 0 {
                continue;
            }
            for lane in 0..LANES {
                if current[lane] == usize::MAX || rows[row[lane] as usize] & MARK == 0 {
                    continue;
                }
                let done = &mut segments[current[lane]];
                done.end_step = step;
                done.next = segment_at(row[lane]);
                if waiting < starts.len() {
                    current[lane] = waiting;
                    row[lane] = starts[waiting];
                    segments[waiting].lane = lane;
                    segments[waiting].first_step = step;
                    waiting += 1;
                } else {
                    current[lane] = usize::MAX;
                    row[lane] = parked;
                    active -= 1;
                }
            }
        }
        self.join(length, segment_at(origin as u32), &segments, out);
    }

    /// Puts the segments together from the one at the origin, around its cycle if it is shorter
    /// than the block.
    fn join(&self, length: usize, first: usize, segments: &[Segment], out: &mut Vec<u8>) {
        let mut left = length;
        let mut at = first;
        while left > 0 {
            let segment = segments[at];
            let steps = &self.interleaved[segment.first_step..segment.end_step];
            let steps = &steps[..steps.len().min(left)];
            if steps.is_empty() {
                return;
            }
            out.extend(steps.iter().map(|bytes| bytes[segment.lane]));
            left -= steps.len();
            at = segment.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(column: &[u8]) -> [u32; 256] {
        let mut counts = [0; 256];
        for &byte in column {
            counts[usize::from(byte)] += 1;
        }
        counts
    }

    /// Every column and origin is a permutation that one chain can follow; the lanes must give the
    /// same, whether or not the permutation is one cycle.
    fn check(column: &[u8], origin: usize) {
        let counts = counts(column);
        let mut inverse = Inverse::new();
        inverse.link(column, &counts);
        let mut one = Vec::new();
        inverse.follow_one(column.len(), origin, &mut one);
        let mut many = Vec::new();
        inverse.follow_many(column.len(), origin, &mut many);
        assert_eq!(one.len(), column.len());
        assert!(one == many, "{} {origin}", column.len());
    }

    #[test]
    fn many_lanes_give_what_one_chain_gives() {
        let mut state = 7u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize
        };
        for length in [1, 2, 3, 7, 8, 255, 256, 257, 1000, 40_000] {
            for letters in [1, 2, 30, 256] {
                let column: Vec<u8> = (0..length).map(|_| (random() % letters) as u8).collect();
                for origin in [0, length / 2, length - 1, random() % length] {
                    check(&column, origin);
                }
            }
        }
        let column: Vec<u8> = (0..900_000).map(|_| (random() % 9) as u8).collect();
        check(&column, 77_777);
    }

    #[test]
    fn inverts_a_sorted_list_of_rotations() {
        let text = b"banana bandana";
        let mut rotations: Vec<usize> = (0..text.len()).collect();
        rotations.sort_by_key(|&r| [&text[r..], &text[..r]].concat());
        let column: Vec<u8> = rotations
            .iter()
            .map(|&r| text[(r + text.len() - 1) % text.len()])
            .collect();
        let origin = rotations.iter().position(|&r| r == 0).unwrap();
        let mut out = Vec::new();
        Inverse::new().invert(&column, &counts(&column), origin, &mut out);
        assert_eq!(out, text);
    }

    #[test]
    fn an_origin_outside_gives_nothing() {
        let mut out = Vec::new();
        Inverse::new().invert(b"ab", &counts(b"ab"), 2, &mut out);
        assert!(out.is_empty());
    }
}
