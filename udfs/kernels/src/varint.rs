//! Numbers of few bytes: seven bits in each, the lowest first (LEB128).

/// Appends a number.
#[inline]
pub(crate) fn push_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes a number from the beginning of the bytes; `None` if they end within it or it has more than 32 bits.
#[inline]
pub(crate) fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(byte & 0x7F);
        value |= bits.checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return (value >> shift == bits).then_some(value);
        }
    }
    None
}
