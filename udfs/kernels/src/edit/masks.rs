//! Bit masks of the positions of each symbol among up to 64 pattern symbols.

/// A symbol of a text: a byte of an ASCII text, or a character.
pub(super) trait Symbol: Copy + Eq {
    type Masks: Masks<Self>;
}

impl Symbol for u8 {
    type Masks = AsciiMasks;
}

impl Symbol for char {
    type Masks = CharMasks;
}

/// The positions of each symbol in up to 64 symbols.
pub(super) trait Masks<S> {
    /// The masks of the first 64 symbols of `pattern`.
    fn new(pattern: &[S]) -> Self;
    /// Bit i is set where symbol i of the pattern is `symbol`.
    fn of(&self, symbol: S) -> u64;
}

/// One word for each ASCII character.
pub(super) struct AsciiMasks([u64; 128]);

impl Masks<u8> for AsciiMasks {
    fn new(pattern: &[u8]) -> Self {
        let mut masks = [0; 128];
        for (at, &byte) in pattern.iter().take(64).enumerate() {
            masks[usize::from(byte & 127)] |= 1 << at;
        }
        Self(masks)
    }

    #[inline(always)]
    fn of(&self, byte: u8) -> u64 {
        self.0[usize::from(byte & 127)]
    }
}

/// Slots of [`CharMasks`]: twice the maximal number of characters, so that probe sequences are short and end.
const SLOTS: usize = 128;

/// Marks a free slot; not a character.
const FREE: u32 = u32::MAX;

/// A table of up to 64 characters with open addressing.
pub(super) struct CharMasks {
    characters: [u32; SLOTS],
    masks: [u64; SLOTS],
}

impl CharMasks {
    /// The slot of a character: the one that holds it, or the free one into which it is inserted.
    #[inline(always)]
    fn slot(&self, character: u32) -> usize {
        let mut slot = character.wrapping_mul(0x9e37_79b1) as usize >> (32 - 7);
        while self.characters[slot % SLOTS] != character && self.characters[slot % SLOTS] != FREE {
            slot += 1;
        }
        slot % SLOTS
    }
}

impl Masks<char> for CharMasks {
    fn new(pattern: &[char]) -> Self {
        let mut table = Self {
            characters: [FREE; SLOTS],
            masks: [0; SLOTS],
        };
        for (at, &character) in pattern.iter().take(64).enumerate() {
            let slot = table.slot(character.into());
            table.characters[slot] = character.into();
            table.masks[slot] |= 1 << at;
        }
        table
    }

    #[inline(always)]
    fn of(&self, character: char) -> u64 {
        self.masks[self.slot(character.into())]
    }
}
