//! Sentences and documents: clauses of a small grammar, filled from the lexicon.
//!
//! A sentence starts with a capital letter and ends with a full stop, a question mark or an exclamation mark. It
//! contains none of these marks (but points between digits) and only single spaces, so that any sentence splitter
//! restores it from a text.

use super::lexicon::Lexicon;
use super::random::SplitMix64;
use super::words::MONTHS;

/// One element of a clause.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Words as they are.
    Text(&'static str),
    Noun,
    Adjective,
    Verb,
    Adverb,
    /// Given name and surname.
    Person,
    Surname,
    Place,
    Year,
    /// Day, month and year.
    Date,
    /// A whole number.
    Count,
    /// A number with one decimal.
    Quantity,
}

/// Clauses that can start a sentence or follow a conjunction. Fixed words are the smaller part of
/// each, because otherwise its sentences would be near-duplicates that were not planted.
const CLAUSES: &[&str] = &[
    "the {adjective} {noun} of {place} was {verb} in {year}",
    "{person} was a {adjective} {noun} who {verb} the {noun} of {place}",
    "the {noun} was {adverb} {verb} by {person} and the {adjective} {noun}",
    "in {year} the {noun} {verb} a {adjective} {noun} near {place}",
    "{place} is a {noun} in the {adjective} {noun} of {place}",
    "the {adjective} {noun} of {place} has {count} inhabitants and {quantity} hectares of {noun}",
    "on {date} {surname} {verb} the {adjective} {noun} of the {noun}",
    "about {count} people {verb} the {adjective} {noun} each {noun}",
    "a {adjective} {noun} was {verb} between {place} and {place}",
    "its {noun} is {adverb} {verb} as the {adjective} {noun} of the {noun}",
    "{surname} {adverb} {verb} that the {noun} had {verb} the {adjective} {noun}",
    "the {noun} and the {noun} were {verb} at {place} until {year}",
    "most of the {adjective} {noun} is {verb} for {noun} and {noun}",
    "the {adjective} {noun} rises to {count} metres above the {noun}",
    "they {verb} the {noun} with a {noun} of {quantity} percent",
    "after the {noun} of {place} the {adjective} {noun} was {verb}",
    "there are {count} {noun} and {adjective} {noun} records in the {noun} of {place}",
    "the {noun} by {person} was {verb} on {date}",
    "he was {verb} to the {noun} of {place} as a {adjective} {noun}",
    "she {adverb} {verb} a {noun} from {place} and {verb} its {noun}",
    "no {adjective} {noun} has been {verb} since the {noun} of {year}",
    "every {noun} of the {adjective} {noun} is {verb} from the {noun}",
];

/// Texts that join two clauses.
const JOINTS: &[&str] = &[
    ", and ",
    ", but ",
    ", while ",
    "; ",
    ", so that ",
    " because ",
    ", although ",
    ", where ",
    " – ",
];

/// Texts that may precede the first clause.
const OPENINGS: &[&str] = &[
    "However, ",
    "In addition, ",
    "For example, ",
    "At first ",
    "According to one account, ",
];

/// Minimum length of a sentence in bytes: shorter sentences would share so many frequent words that pairs arise which
/// were not planted.
const MIN_BYTES: usize = 80;

/// Writes sentences and documents.
#[derive(Debug)]
pub(super) struct Prose {
    pub(super) lexicon: Lexicon,
    clauses: Vec<Vec<Part>>,
}

impl Prose {
    pub(super) fn new() -> Self {
        let clauses = CLAUSES.iter().map(|clause| parts(clause)).collect();
        Self {
            lexicon: Lexicon::new(),
            clauses,
        }
    }

    /// Appends a sentence of at least [`MIN_BYTES`] bytes; most have 80 to 250, few more than 400.
    pub(super) fn sentence(&self, text: &mut String, random: &mut SplitMix64) {
        let start = text.len();
        if random.percent(8) {
            text.push_str(OPENINGS[random.below(OPENINGS.len())]);
        }
        let clauses = random.geometric(6);
        let mut written = 0;
        while written < clauses || text.len() - start < MIN_BYTES {
            if written > 0 {
                text.push_str(JOINTS[random.below(JOINTS.len())]);
            }
            self.clause(
                text,
                &self.clauses[random.below(self.clauses.len())],
                random,
            );
            written += 1;
        }
        text.push(match random.below(50) {
            0 => '?',
            1 => '!',
            _ => '.',
        });
        // Openings, fixed words and names all start with a letter in ASCII.
        text[start..=start].make_ascii_uppercase();
    }

    /// Appends sentences, joined by single spaces, until there are at least `words` words.
    pub(super) fn document(&self, text: &mut String, words: usize, random: &mut SplitMix64) {
        let mut written = 0;
        while written < words {
            if written > 0 {
                text.push(' ');
            }
            let start = text.len();
            self.sentence(text, random);
            written += 1 + text.as_bytes()[start..]
                .iter()
                .filter(|&&byte| byte == b' ')
                .count();
        }
    }

    fn clause(&self, text: &mut String, parts: &[Part], random: &mut SplitMix64) {
        let words = &self.lexicon;
        for part in parts {
            match part {
                Part::Text(fixed) => text.push_str(fixed),
                Part::Noun => text.push_str(words.nouns.draw(random)),
                Part::Adjective => text.push_str(words.adjectives.draw(random)),
                Part::Verb => text.push_str(words.verbs.draw(random)),
                Part::Adverb => text.push_str(words.adverbs.draw(random)),
                Part::Person => {
                    text.push_str(words.given_names.draw(random));
                    text.push(' ');
                    text.push_str(words.surnames.draw(random));
                }
                Part::Surname => text.push_str(words.surnames.draw(random)),
                Part::Place => text.push_str(words.places.draw(random)),
                Part::Year => number(text, 1100 + random.below(925)),
                Part::Date => {
                    number(text, 1 + random.below(28));
                    text.push(' ');
                    text.push_str(MONTHS[random.below(12)]);
                    text.push(' ');
                    number(text, 1700 + random.below(325));
                }
                Part::Count => count(text, random),
                Part::Quantity => {
                    number(text, random.below(1000));
                    text.push('.');
                    number(text, random.below(10));
                }
            }
        }
    }
}

/// The parts of a clause as it is written above; unknown words in braces stay as they are, which
/// a test would see.
fn parts(clause: &'static str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, piece) in clause.split(['{', '}']).enumerate() {
        parts.push(match piece {
            "" => continue,
            _ if index % 2 == 0 => Part::Text(piece),
            "noun" => Part::Noun,
            "adjective" => Part::Adjective,
            "verb" => Part::Verb,
            "adverb" => Part::Adverb,
            "person" => Part::Person,
            "surname" => Part::Surname,
            "place" => Part::Place,
            "year" => Part::Year,
            "date" => Part::Date,
            "count" => Part::Count,
            "quantity" => Part::Quantity,
            _ => Part::Text(piece),
        });
    }
    parts
}

/// A whole number of one to seven digits, the thousands set off by commas.
fn count(text: &mut String, random: &mut SplitMix64) {
    let bound = [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000][random.below(7)];
    let value = 2 + random.below(bound);
    let groups = [value / 1_000_000, value / 1_000 % 1_000, value % 1_000];
    let first = groups.iter().position(|&group| group > 0).unwrap_or(2);
    number(text, groups[first]);
    for &group in &groups[first + 1..] {
        // The comma takes the place of the 1.
        let start = text.len();
        number(text, 1_000 + group);
        text.replace_range(start..=start, ",");
    }
}

/// Appends decimal digits without `format!`, which would be slow: every other clause has numbers.
pub(super) fn number(text: &mut String, value: usize) {
    let mut digits = [0u8; 20];
    let mut start = digits.len();
    let mut value = value;
    loop {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    for &digit in &digits[start..] {
        text.push(char::from(digit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_one_end() {
        let (prose, mut random) = (Prose::new(), SplitMix64::new(1));
        let (mut text, mut bytes) = (String::new(), 0);
        for _ in 0..20_000 {
            text.clear();
            prose.sentence(&mut text, &mut random);
            bytes += text.len();
            assert!((MIN_BYTES..1_500).contains(&text.len()), "{text}");
            assert!(text.starts_with(|c: char| c.is_ascii_uppercase()), "{text}");
            assert!(text.ends_with(['.', '?', '!']), "{text}");
            assert!(!text[..text.len() - 1].contains(['?', '!', '\n']), "{text}");
            assert!(!text.contains(". ") && !text.contains("  "), "{text}");
        }
        let mean = bytes / 20_000;
        assert!((120..220).contains(&mean), "mean length {mean}");
    }

    #[test]
    fn every_brace_names_a_part() {
        for clause in CLAUSES {
            let words = clause.matches('{').count();
            let texts = parts(clause)
                .iter()
                .filter(|part| matches!(part, Part::Text(_)))
                .count();
            assert_eq!(parts(clause).len() - texts, words, "{clause}");
        }
    }

    #[test]
    fn documents_have_the_words_asked_for() {
        let (prose, mut random) = (Prose::new(), SplitMix64::new(1));
        for words in [1, 200, 2_000] {
            let mut text = String::new();
            prose.document(&mut text, words, &mut random);
            let got = text.split(' ').count();
            assert!((words..words + 120).contains(&got), "{got} for {words}");
        }
    }

    #[test]
    fn numbers_are_decimal() {
        for value in [0, 7, 10, 1999, usize::MAX] {
            let mut text = String::new();
            number(&mut text, value);
            assert_eq!(text, value.to_string());
        }
    }
}
