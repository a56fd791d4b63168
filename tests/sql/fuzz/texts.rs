//! Texts that are similar to each other, and texts with special characters.

use super::random::Random;

const WORDS: &[&str] = &[
    "the", "a", "river", "bank", "of", "old", "stone", "bridge", "was", "built", "in", "1901",
    "1902", "by", "King", "Dr.", "U.S.", "and", "not", "north", "south", "city", "one", "two", "x",
];

/// Words of other scripts, characters that normalisation changes, and characters that are no words.
const SPECIAL: &[&str] = &[
    "straße",
    "STRASSE",
    "ﬁne",
    "fine",
    "e\u{301}te\u{301}",
    "été",
    "İstanbul",
    "ǅ",
    "ὀδυσσεύς",
    "ΟΔΥΣΣΕΥΣ",
    "한국어",
    "中文字",
    "日本語。",
    "שלום",
    "مرحبا",
    "\u{200f}abc\u{200e}",
    "👩\u{200d}👩\u{200d}👧",
    "🇩🇪",
    "\u{0}",
    "\u{1b}[31m",
    "\u{7}",
    "\u{feff}",
    "a\u{300}\u{301}\u{302}\u{303}",
    "\u{301}",
    "ｆｕｌｌ",
    "½",
    "Ⅷ",
    "²",
    "\u{ad}",
    "\u{200b}",
    "\u{2028}",
    "\u{3000}",
    "\"",
    "'",
    "\\",
    ",",
    "{",
    "}",
    "%",
    "$1",
    "--",
    "/*",
    "\r\n",
    "\u{fffd}",
    "\u{10ffff}",
    "0.1",
    "-",
    "ﷺ",
    "…",
    "?!",
];

const BLANKS: &[&str] = &[
    "",
    " ",
    "\t\n",
    "\u{3000}",
    "\u{a0} \u{2003}",
    "\u{200b}",
    "\u{feff}",
];

/// A text or NULL. About half of the texts are similar to an earlier one.
pub fn text(random: &mut Random, before: &[Option<String>], template: &str) -> Option<String> {
    let earlier = (!before.is_empty())
        .then(|| random.pick(before).clone())
        .flatten();
    match (random.below(100), earlier) {
        (0..4, _) => None,
        (4..8, _) => Some((*random.pick(BLANKS)).to_owned()),
        (8..26, Some(text)) => Some(text),
        (26..32, Some(text)) => Some(equal_when_normalised(random, &text)),
        (32..62, Some(text)) => Some(edited(random, &text)),
        (62..72, _) => Some(template.replace('#', &random.below(40).to_string())),
        (72..74, _) => Some(
            random
                .pick(&["abc", "é", "1"])
                .repeat(random.between(200, 3000)),
        ),
        (74..78, _) => Some((*random.pick(SPECIAL)).to_owned()),
        _ => Some(fresh(random)),
    }
}

/// A text of random words.
pub fn fresh(random: &mut Random) -> String {
    let special = if random.percent(35) { 25 } else { 0 };
    let words: Vec<&str> = (0..random.between(1, 14))
        .map(|_| word(random, special))
        .collect();
    let mut text = words.join(if random.percent(90) { " " } else { "  " });
    if random.percent(40) {
        text.push_str(random.word(&[".", "!", "。", ". It was so.", "? No. Yes", "\n\nNext"]));
    }
    text
}

fn word(random: &mut Random, special: usize) -> &'static str {
    match random.percent(special) {
        true => random.word(SPECIAL),
        false => random.word(WORDS),
    }
}

/// A different text that may be equal after normalisation.
fn equal_when_normalised(random: &mut Random, text: &str) -> String {
    match random.below(4) {
        0 => text.to_uppercase(),
        1 => format!("  {text}\n"),
        2 => text.replace(' ', "\t "),
        _ => text.to_lowercase(),
    }
}

/// A text with a word added, removed or replaced.
fn edited(random: &mut Random, text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for _ in 0..random.between(1, 2) {
        let at = random.below(words.len() + 1);
        let new = word(random, 10);
        match random.below(4) {
            0 => words.insert(at, new),
            1 if at < words.len() && words.len() > 1 => {
                words.remove(at);
            }
            2 if at + 1 < words.len() => words.swap(at, at + 1),
            _ if at < words.len() => words[at] = new,
            _ => words.push(new),
        }
    }
    words.join(" ")
}
