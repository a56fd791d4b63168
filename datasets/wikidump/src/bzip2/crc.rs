//! CRC-32 as bzip2 uses it: polynomial 0x04C11DB7, most significant bit first, initial value and
//! final exclusive-or of all ones. Eight table rows take eight bytes a step ("slicing by 8",
//! Kounavis and Berry, ISCC 2005).

const POLYNOMIAL: u32 = 0x04C1_1DB7;

static ROWS: [[u32; 256]; 8] = rows();

const fn rows() -> [[u32; 256]; 8] {
    let mut rows = [[0u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000_0000 != 0 {
                (crc << 1) ^ POLYNOMIAL
            } else {
                crc << 1
            };
            bit += 1;
        }
        rows[0][byte] = crc;
        byte += 1;
    }
    let mut row = 1;
    while row < 8 {
        let mut byte = 0;
        while byte < 256 {
            let previous = rows[row - 1][byte];
            rows[row][byte] = (previous << 8) ^ rows[0][(previous >> 24) as usize];
            byte += 1;
        }
        row += 1;
    }
    rows
}

/// A running block checksum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crc(u32);

impl Crc {
    pub(crate) fn new() -> Self {
        Self(u32::MAX)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let word = u64::from_be_bytes(*eight) ^ (u64::from(crc) << 32);
            crc = ROWS[7][(word >> 56) as usize]
                ^ ROWS[6][(word >> 48) as usize & 0xFF]
                ^ ROWS[5][(word >> 40) as usize & 0xFF]
                ^ ROWS[4][(word >> 32) as usize & 0xFF]
                ^ ROWS[3][(word >> 24) as usize & 0xFF]
                ^ ROWS[2][(word >> 16) as usize & 0xFF]
                ^ ROWS[1][(word >> 8) as usize & 0xFF]
                ^ ROWS[0][word as usize & 0xFF];
        }
        for &byte in rest {
            crc = (crc << 8) ^ ROWS[0][((crc >> 24) as u8 ^ byte) as usize];
        }
        self.0 = crc;
    }

    pub(crate) fn value(self) -> u32 {
        !self.0
    }
}

/// The checksum of a stream so far, from the checksums of its blocks.
pub(crate) fn combine(stream: u32, block: u32) -> u32 {
    stream.rotate_left(1) ^ block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitwise(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for &byte in bytes {
            crc ^= u32::from(byte) << 24;
            for _ in 0..8 {
                let carry = crc & 0x8000_0000 != 0;
                crc <<= 1;
                if carry {
                    crc ^= POLYNOMIAL;
                }
            }
        }
        !crc
    }

    #[test]
    fn matches_the_check_value_of_the_catalogue() {
        let mut crc = Crc::new();
        crc.update(b"123456789");
        assert_eq!(crc.value(), 0xFC89_1918);
    }

    #[test]
    fn matches_the_bitwise_version_at_every_length_and_cut() {
        let bytes: Vec<u8> = (0..100u32).map(|i| (i * 37 + 11) as u8).collect();
        for length in 0..bytes.len() {
            for cut in 0..=length {
                let mut crc = Crc::new();
                crc.update(&bytes[..cut]);
                crc.update(&bytes[cut..length]);
                assert_eq!(crc.value(), bitwise(&bytes[..length]), "{length} {cut}");
            }
        }
    }
}
