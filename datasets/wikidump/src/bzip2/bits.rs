//! Reads bits, most significant first, from a byte slice, starting at any bit.

/// The slice ended before the bits asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfBits;

/// A cursor over the bits of a slice. `ahead` keeps the next bits at its top.
#[derive(Debug, Clone)]
pub(crate) struct Bits<'a> {
    data: &'a [u8],
    /// The next byte that is not in `ahead`.
    next: usize,
    ahead: u64,
    /// How many bits of `ahead` count.
    have: u32,
}

impl<'a> Bits<'a> {
    /// Starts at bit `bit` of `data`; a start past the end reads as out of bits.
    pub(crate) fn new(data: &'a [u8], bit: u64) -> Self {
        let byte = usize::try_from(bit / 8)
            .unwrap_or(usize::MAX)
            .min(data.len());
        let mut bits = Self {
            data,
            next: byte,
            ahead: 0,
            have: 0,
        };
        let within = (bit % 8) as u32;
        bits.refill();
        bits.consume(within.min(bits.have));
        bits
    }

    /// The bit position of the next bit, from the start of the slice.
    pub(crate) fn position(&self) -> u64 {
        self.next as u64 * 8 - u64::from(self.have)
    }

    /// Brings at least 56 bits in, or all that are left.
    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        if let Some(eight) = self.data.get(self.next..self.next + 8)
            && let Ok(eight) = <[u8; 8]>::try_from(eight)
        {
            let bytes = (63 - self.have) / 8;
            let word = u64::from_be_bytes(eight);
            // Only whole bytes count; the rest of the word is cut off so that bits below `have`
            // stay zero.
            let keep = u64::MAX << (64 - 8 * bytes - self.have);
            self.ahead |= (word >> self.have) & keep;
            self.next += bytes as usize;
            self.have += 8 * bytes;
        } else {
            self.refill_slowly();
        }
    }

    #[cold]
    fn refill_slowly(&mut self) {
        while self.have < 56 {
            let Some(&byte) = self.data.get(self.next) else {
                return;
            };
            self.ahead |= u64::from(byte) << (56 - self.have);
            self.next += 1;
            self.have += 8;
        }
    }

    /// The next 64 bits, of which [`Self::available`] count and the others are zero.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        self.ahead
    }

    #[inline(always)]
    pub(crate) fn available(&self) -> u32 {
        self.have
    }

    /// Drops `count` bits, which must be available.
    #[inline(always)]
    pub(crate) fn consume(&mut self, count: u32) {
        debug_assert!(count <= self.have);
        self.ahead <<= count;
        self.have -= count;
    }

    /// Takes `count` bits, from 1 to 48.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> Result<u64, OutOfBits> {
        debug_assert!((1..=48).contains(&count));
        if self.have < count {
            self.refill();
            if self.have < count {
                return Err(OutOfBits);
            }
        }
        let value = self.ahead >> (64 - count);
        self.consume(count);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_same_bits_as_one_at_a_time() {
        let data: Vec<u8> = (0..40u32).map(|i| (i * 73 + 5) as u8).collect();
        let bit = |at: u64| u64::from(data[(at / 8) as usize] >> (7 - at % 8) & 1);
        for start in 0..64 {
            for width in 1..=48 {
                let mut bits = Bits::new(&data, start);
                let mut at = start;
                while at + u64::from(width) <= 320 {
                    assert_eq!(bits.position(), at);
                    let want = (at..at + u64::from(width)).fold(0, |acc, i| acc << 1 | bit(i));
                    assert_eq!(bits.take(width), Ok(want), "{start} {width} {at}");
                    at += u64::from(width);
                }
                assert_eq!(bits.take(width), Err(OutOfBits));
            }
        }
    }

    #[test]
    fn a_start_past_the_end_is_out_of_bits() {
        assert_eq!(Bits::new(&[1, 2], 900).take(1), Err(OutOfBits));
        assert_eq!(Bits::new(&[], 0).take(1), Err(OutOfBits));
    }
}
