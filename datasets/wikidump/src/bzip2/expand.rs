//! Undoes the first run-length step: after four equal bytes comes a count of up to 255 more.
//!
//! A block of 900,000 bytes may expand to 46 million, so the bytes are returned in windows.

/// The state of the expansion of one block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expansion {
    /// Next byte of the block.
    at: usize,
    /// How many equal bytes came last, 0 to 4.
    run: usize,
}

/// A run of four at the end of a block has no count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissingCount;

impl Expansion {
    /// Appends to `out` until it holds at least `window` bytes or the block is done, and says
    /// whether the block is done. `out` exceeds `window` by at most one run.
    pub(crate) fn fill(
        &mut self,
        block: &[u8],
        window: usize,
        out: &mut Vec<u8>,
    ) -> Result<bool, MissingCount> {
        while out.len() < window {
            // Copy up to and with the next run of four, or what the window and the block allow.
            let from = self.at;
            let to = block.len().min(from.saturating_add(window - out.len()));
            if from == to {
                return if self.run == 4 {
                    Err(MissingCount)
                } else {
                    Ok(true)
                };
            }
            if self.run == 4 {
                let count = usize::from(block[from]);
                let byte = block[from - 1];
                out.resize(out.len() + count, byte);
                self.at += 1;
                self.run = 0;
                continue;
            }
            let mut run = self.run;
            let mut at = from;
            let mut last = if run > 0 {
                block[from - 1]
            } else {
                !block[from]
            };
            while at < to {
                let byte = block[at];
                at += 1;
                run = if byte == last { run + 1 } else { 1 };
                last = byte;
                if run == 4 {
                    break;
                }
            }
            out.extend_from_slice(&block[from..at]);
            self.at = at;
            self.run = run;
        }
        if self.at == block.len() {
            return if self.run == 4 {
                Err(MissingCount)
            } else {
                Ok(true)
            };
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(block: &[u8]) -> Result<Vec<u8>, MissingCount> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < block.len() {
            let byte = block[at];
            let run = block[at..]
                .iter()
                .take(4)
                .take_while(|&&b| b == byte)
                .count();
            out.extend(std::iter::repeat_n(byte, run));
            at += run;
            if run == 4 {
                let count = *block.get(at).ok_or(MissingCount)?;
                out.extend(std::iter::repeat_n(byte, usize::from(count)));
                at += 1;
            }
        }
        Ok(out)
    }

    #[test]
    fn every_window_gives_what_one_pass_gives() {
        let mut state = 3u64;
        for case in 0..400 {
            let length = case % 40;
            let block: Vec<u8> = (0..length)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(9);
                    ((state >> 40) % 2 * 7) as u8
                })
                .collect();
            for window in 1..50 {
                let mut expansion = Expansion::default();
                let mut all = Vec::new();
                let got = loop {
                    let mut out = Vec::new();
                    match expansion.fill(&block, window, &mut out) {
                        Ok(done) => {
                            assert!(out.len() < window + 255);
                            all.extend(out);
                            if done {
                                break Ok(all);
                            }
                        }
                        Err(missing) => break Err(missing),
                    }
                };
                assert_eq!(got, naive(&block), "{block:?} {window}");
            }
        }
    }
}
