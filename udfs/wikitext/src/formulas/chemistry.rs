//! Formulas of chemistry.

use super::{MAX_BYTES, one_line};

/// A formula of chemistry, which is nearly plain: `2H2 + O2 -> 2H2O`.
pub(super) fn in_characters(source: &str) -> Option<String> {
    if source.len() > MAX_BYTES || source.contains(['\\', '{', '}', '$']) {
        return None;
    }
    let mut line = source.to_owned();
    for (arrow, sign) in ARROWS {
        line = line.replace(arrow, sign);
    }
    one_line(&line)
}

/// Arrows, each before those that are a part of it.
const ARROWS: [(&str, &str); 9] = [
    ("<=>>", "⇌"),
    ("<<=>", "⇌"),
    ("<-->", "⇄"),
    ("<=>", "⇌"),
    ("<->", "↔"),
    ("-->", "→"),
    ("<--", "←"),
    ("->", "→"),
    ("<-", "←"),
];
