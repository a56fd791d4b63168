//! Finds the magic numbers of blocks and of ends of streams at any bit of a byte slice.
//!
//! The 48-bit magic shifted by 0 to 7 bits covers up to seven bytes, of which the middle five do not depend on their
//! neighbours: these are searched for as bytes, and the two edges are compared afterwards. A hit is only a candidate:
//! random data has one about every 2^48 bits, and a crafted file can have many. A candidate counts once its block
//! decodes.

use memchr::memmem::Finder;

use super::MAGIC_BITS;

/// Bytes that a magic at any shift can touch, less one: what two adjacent windows must share.
pub(crate) const OVERLAP: usize = 6;
const MASK: u64 = (1 << MAGIC_BITS) - 1;

/// Eight searchers, one a shift.
#[derive(Debug)]
pub(crate) struct MagicScanner {
    magic: u64,
    shifts: [Finder<'static>; 8],
}

impl MagicScanner {
    /// Searches for one of the two magic numbers.
    pub(crate) fn new(magic: u64) -> Self {
        Self {
            magic,
            shifts: std::array::from_fn(|shift| {
                let seven = (magic << (8 - shift)).to_be_bytes();
                Finder::new(&seven[2..7]).into_owned()
            }),
        }
    }

    /// The bit offsets, ascending, of all magic numbers that lie wholly in `data`.
    pub(crate) fn find(&self, data: &[u8]) -> Vec<u64> {
        let mut found = Vec::new();
        for (shift, finder) in self.shifts.iter().enumerate() {
            for middle in finder.find_iter(data) {
                let Some(first) = middle.checked_sub(1) else {
                    continue;
                };
                let mut seven = [0u8; 8];
                let have = data.len().min(first + 7) - first;
                seven[1..=have].copy_from_slice(&data[first..first + have]);
                let word = u64::from_be_bytes(seven);
                // At shift 0 the seventh byte is not part of the magic.
                if (have == 7 || shift == 0) && word >> (8 - shift) & MASK == self.magic {
                    found.push(first as u64 * 8 + shift as u64);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bzip2::BLOCK_MAGIC;
    use crate::bzip2::bits::Bits;

    fn naive(data: &[u8]) -> Vec<u64> {
        (0..data.len() as u64 * 8)
            .filter(|&bit| Bits::new(data, bit).take(MAGIC_BITS) == Ok(BLOCK_MAGIC))
            .collect()
    }

    #[test]
    fn finds_the_magic_at_every_bit_of_every_position() {
        for length in 6..24usize {
            for bit in 0..=length as u64 * 8 - 48 {
                for fill in [0u8, 0xFF, 0x31, 0x59] {
                    let mut data = vec![fill; length];
                    for i in 0..48 {
                        let at = bit + i;
                        let byte = &mut data[(at / 8) as usize];
                        *byte &= !(0x80 >> (at % 8));
                        if BLOCK_MAGIC >> (47 - i) & 1 == 1 {
                            *byte |= 0x80 >> (at % 8);
                        }
                    }
                    let found = MagicScanner::new(BLOCK_MAGIC).find(&data);
                    assert_eq!(found, naive(&data), "{length} {bit} {fill}");
                    assert!(found.contains(&bit));
                }
            }
        }
    }

    #[test]
    fn finds_neighbours_and_nothing_in_short_slices() {
        let magic = &BLOCK_MAGIC.to_be_bytes()[2..];
        let data = [magic, magic, &[0x31], magic].concat();
        assert_eq!(MagicScanner::new(BLOCK_MAGIC).find(&data), [0, 48, 104]);
        for length in 0..6 {
            assert!(
                MagicScanner::new(BLOCK_MAGIC)
                    .find(&data[..length])
                    .is_empty()
            );
        }
    }
}
