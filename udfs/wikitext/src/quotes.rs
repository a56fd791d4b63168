//! Apostrophes as markup: `''italic''`, `'''bold'''`, `'''''both'''''`.
//!
//! Runs of two, three and five apostrophes are markup. Four are an apostrophe and bold; more than
//! five leave the surplus as text. If a line has an odd number both of bold and of italic marks,
//! one of its bold marks is an apostrophe and italics (`l'''Italie''`): the first one after a
//! word of one letter, else after a longer word, else after a space.

/// Which bold mark of a line is an apostrophe and italics: its offset from the start of `line`.
pub(super) fn literal_apostrophe(line: &[u8]) -> Option<usize> {
    let (mut bold, mut italic) = (0u32, 0u32);
    let (mut after_letter, mut after_word, mut after_space) = (None, None, None);
    let mut i = 0;
    while let Some(found) = memchr::memchr(b'\'', &line[i..]) {
        i += found;
        let run = line[i..].iter().take_while(|&&b| b == b'\'').count();
        let mark = if run > 3 { run.min(5) } else { run };
        if mark >= 3 {
            bold += 1;
        }
        if mark == 2 || mark == 5 {
            italic += 1;
        }
        if run == 3 {
            let slot = match (at_back(line, i, 1), at_back(line, i, 2)) {
                (b' ', _) => &mut after_space,
                (_, b' ') => &mut after_letter,
                _ => &mut after_word,
            };
            slot.get_or_insert(i);
        }
        i += run;
    }
    if bold % 2 == 0 || italic % 2 == 0 {
        return None;
    }
    after_letter.or(after_word).or(after_space)
}

fn at_back(line: &[u8], at: usize, back: usize) -> u8 {
    at.checked_sub(back).map_or(b' ', |i| line[i])
}

/// How many of `run` apostrophes are text.
pub(super) fn text_of_run(run: usize) -> usize {
    match run {
        0..=1 => run,
        4 => 1,
        2..=5 => 0,
        _ => run - 5,
    }
}
