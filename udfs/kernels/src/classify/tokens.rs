//! Splits texts into tokens: words, each with its kind, and signs that are units.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use super::words::{WordClass, Words};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word whose change does not change a fact.
    Function,
    Preposition,
    Verb,
    Negation,
    Number,
    /// A number of four digits that may be a year.
    Year,
    /// A month or a day of the week.
    Calendar,
    Unit,
    Name,
    Contrast(u32),
    /// Any other word.
    Word,
}

impl Kind {
    /// Whether the token says what the sentence is about.
    pub(super) fn is_content(self) -> bool {
        !matches!(
            self,
            Self::Function | Self::Preposition | Self::Verb | Self::Negation
        )
    }

    /// Whether the token is a part of a date.
    pub(super) fn is_date(self) -> bool {
        matches!(self, Self::Year | Self::Calendar)
    }
}

/// A token of a text.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// Position in bytes.
    pub(super) start: usize,
    pub(super) kind: Kind,
    /// Whether it ends the subject: a finite verb, or a past tense by its ending.
    pub(super) is_verb: bool,
    /// The characters between the token before and this one.
    pub(super) gap: &'a str,
    /// In lower case, without accents, in a form that equal values share.
    pub(super) form: String,
    /// The number of the form: equal for equal forms of both texts.
    pub(super) key: u32,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Gives equal forms of two texts the same number.
#[derive(Debug, Default)]
pub(super) struct Keys(HashMap<String, u32, Xxh3DefaultBuilder>);

impl Keys {
    fn of(&mut self, form: &str) -> u32 {
        match self.0.get(form) {
            Some(&key) => key,
            None => {
                let key = self.0.len() as u32;
                self.0.insert(form.to_owned(), key);
                key
            }
        }
    }
}

/// Endings of the names of species.
const LATIN: [&str; 8] = ["us", "is", "um", "a", "ae", "i", "ens", "oides"];

/// Units, each with the spellings that mean the same.
const UNITS: [&[&str]; 32] = [
    &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    &["m", "metre", "metres", "meter", "meters"],
    &[
        "cm",
        "centimetre",
        "centimetres",
        "centimeter",
        "centimeters",
    ],
    &[
        "mm",
        "millimetre",
        "millimetres",
        "millimeter",
        "millimeters",
    ],
    &["mi", "mile", "miles"],
    &["ft", "foot", "feet"],
    &["in", "inch", "inches"],
    &["yd", "yard", "yards"],
    &["km²", "km2", "sqkm"],
    &["ha", "hectare", "hectares"],
    &["acre", "acres"],
    &["kg", "kilogram", "kilograms"],
    &["g", "gram", "grams"],
    &["t", "tonne", "tonnes"],
    &["lb", "lbs", "pound", "pounds"],
    &["%", "percent", "pct"],
    &["‰"],
    &["°"],
    &["$", "dollar", "dollars", "usd"],
    &["€", "euro", "euros", "eur"],
    &["£", "gbp"],
    &["¥", "yen"],
    &["thousand"],
    &["million", "millions"],
    &["billion", "billions", "milliarden", "milliards"],
    &["mph"],
    &["kw", "kilowatt", "kilowatts"],
    &["mw", "megawatt", "megawatts"],
    &["hour", "hours", "h"],
    &["minute", "minutes", "min"],
    &["day", "days"],
    &["week", "weeks"],
];

fn unit(form: &str) -> Option<&'static str> {
    let found = UNITS.iter().find(|unit| unit.contains(&form));
    found.map(|unit| unit[0])
}

fn is_sign(character: char) -> bool {
    matches!(character, '%' | '‰' | '°' | '$' | '€' | '£' | '¥')
}

/// Whether a character is a superscript or subscript digit.
pub(super) fn is_superscript(character: char) -> bool {
    matches!(character, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '₀'..='₉')
}

/// Whether a sign stands before a number that begins after this gap: "-5", but not "3-5" and "3 - 5".
fn is_negative(gap: &str) -> bool {
    let before = gap.strip_suffix(['-', '−']);
    before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '(', '\u{a0}']))
}

/// In lower case and without accents, apostrophes of a possessive and marks.
fn folded(word: &str) -> String {
    let mut form = String::with_capacity(word.len());
    match word.is_ascii() {
        true => form.push_str(&word.to_ascii_lowercase()),
        // An exponent is no digit of its number: 10² is not 102.
        false if word.starts_with(char::is_numeric) && word.contains(is_superscript) => {
            form.extend(word.chars().flat_map(char::to_lowercase));
        }
        false => form.extend(
            word.nfkd()
                .filter(|character| !is_combining_mark(*character))
                .flat_map(char::to_lowercase)
                .map(|character| match character {
                    '’' | 'ʼ' => '\'',
                    other => other,
                }),
        ),
    }
    if let Some(stem) = form.strip_suffix("'s") {
        form.truncate(stem.len());
    }
    form.retain(|character| character != '.' || word.starts_with(|c: char| c.is_ascii_digit()));
    form
}

/// A number in digits without separators of thousands, a fraction of zeros and endings of ordinals. Other final zeros
/// stay: version 3.10 is not version 3.1.
fn number(form: &str) -> String {
    let bytes = form.as_bytes();
    let groups = form.split(',').skip(1);
    let is_grouped = form.contains(',')
        && groups.clone().all(|group| {
            let digits = group.split('.').next().unwrap_or_default();
            digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
    let mut number = match is_grouped {
        true => form.replace(',', ""),
        false => form.to_owned(),
    };
    for ending in ["st", "nd", "rd", "th"] {
        if bytes.len() > 2 && number.ends_with(ending) {
            number.truncate(number.len() - 2);
            break;
        }
    }
    if let Some((whole, fraction)) = number.split_once('.')
        && whole.bytes().all(|byte| byte.is_ascii_digit())
        && fraction.bytes().all(|byte| byte == b'0')
    {
        number.truncate(whole.len());
    }
    number
}

/// Removes the final zeros of the fraction of a quantity.
fn drop_final_zeros(number: &mut String) {
    let is_quantity = number.matches('.').count() == 1;
    if is_quantity
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte))
    {
        number.truncate(number.trim_end_matches('0').trim_end_matches('.').len());
    }
}

/// The tokens of a text.
pub(super) fn tokens<'a>(words: &Words, text: &'a str, keys: &mut Keys) -> Vec<Token<'a>> {
    let mut all: Vec<Token<'a>> = vec![];
    let mut end = 0;
    for (start, piece) in text.split_word_bound_indices() {
        let is_word = piece.chars().any(char::is_alphanumeric);
        if !is_word && !piece.chars().any(is_sign) {
            continue;
        }
        let mut token = Token {
            text: piece,
            start,
            kind: Kind::Word,
            is_verb: false,
            gap: &text[end..start],
            form: folded(piece),
            key: 0,
        };
        end = token.end();
        let is_after_number = all.last().is_some_and(|last| {
            matches!(last.kind, Kind::Number | Kind::Year) && !token.gap.contains([',', ';', '('])
        });
        set_kind(words, &mut token, is_word, is_after_number);
        let is_first = all.is_empty();
        let is_sign = is_negative(token.gap) && (is_first || !token.gap.starts_with(['-', '−']));
        if token.kind == Kind::Number && is_sign && !is_after_number {
            token.form.insert(0, '-');
        }
        if is_after_number && token.is_verb && !words.is_auxiliary(&token.form) {
            // A noun: "31 wins".
            token.kind = Kind::Word;
            token.is_verb = false;
        }
        let last = all.last_mut();
        match (last, token.kind) {
            // 1,900 km, and not the year 1900; 2.50 km is 2.5 km.
            (Some(last), Kind::Unit) if matches!(last.kind, Kind::Number | Kind::Year) => {
                last.kind = Kind::Number;
                drop_final_zeros(&mut last.form);
                last.key = keys.of(&last.form);
            }
            (Some(last), Kind::Number) if last.kind == Kind::Unit && token.gap.is_empty() => {
                drop_final_zeros(&mut token.form);
            }
            _ => {}
        }
        token.key = keys.of(&token.form);
        all.push(token);
    }
    name_first_words(words, &mut all);
    all
}

fn set_kind(words: &Words, token: &mut Token<'_>, is_word: bool, is_after_number: bool) {
    if !is_word {
        token.kind = Kind::Unit;
        if let Some(unit) = unit(&token.form) {
            token.form = unit.to_owned();
        }
        return;
    }
    let first = token.text.chars().next().unwrap_or(' ');
    if first.is_numeric() {
        let is_plain =
            token.form.len() == 4 && token.form.bytes().all(|byte| byte.is_ascii_digit());
        token.form = number(&token.form);
        token.kind =
            match is_plain && matches!(token.form.as_bytes(), [b'1', ..] | [b'2', b'0', ..]) {
                true => Kind::Year,
                false => Kind::Number,
            };
        return;
    }
    let is_capital = first.is_uppercase();
    if is_after_number
        && !is_capital
        && let Some(unit) = unit(&token.form)
        && (unit != "in" || token.gap.is_empty())
    {
        token.form = unit.to_owned();
        token.kind = Kind::Unit;
        return;
    }
    token.is_verb = words.is_verb(&token.form) && !is_capital;
    let is_english = words.code == Some("en");
    token.kind = match words.get(&token.form) {
        Some(WordClass::Function) => Kind::Function,
        Some(WordClass::Preposition) => Kind::Preposition,
        Some(WordClass::Verb) => Kind::Verb,
        Some(WordClass::Negation) => Kind::Negation,
        // English months and days are capitalised: "may" and "march" are other words.
        Some(WordClass::Calendar) if is_capital || !is_english => Kind::Calendar,
        Some(WordClass::Calendar) if token.form == "may" => Kind::Verb,
        Some(WordClass::Calendar) => Kind::Word,
        Some(WordClass::Number(number)) if !is_capital || token.gap.trim().is_empty() => {
            token.form = number.to_string();
            Kind::Number
        }
        Some(WordClass::Contrast(group)) => Kind::Contrast(group),
        Some(WordClass::Number(_)) | None => {
            let is_past = is_english && token.form.len() > 4 && token.form.ends_with("ed");
            token.is_verb |= is_past && !is_capital;
            match is_capital && words.capitals_are_names {
                true => Kind::Name,
                false => Kind::Word,
            }
        }
    };
    // A capital within a sentence makes a name of a word that has another meaning in lower case: "North", "Will".
    let is_ambiguous = matches!(token.kind, Kind::Contrast(_) | Kind::Verb);
    if is_capital && words.capitals_are_names && is_ambiguous && !token.gap.is_empty() {
        token.kind = Kind::Name;
        token.is_verb = false;
    }
}

/// The first word of a sentence has a capital whether it is a name or not. It counts as a name if a name, a verb or
/// punctuation follows.
fn name_first_words(words: &Words, all: &mut [Token<'_>]) {
    for at in 0..all.len() {
        let begins = at == 0 || all[at].gap.contains(['.', '!', '?', '"', '“', '«', '•']);
        if !begins || all[at].kind != Kind::Name {
            continue;
        }
        let is_possessive = all[at].text.ends_with("'s") || all[at].text.ends_with("’s");
        let is_name = is_possessive
            || all.get(at + 1).is_none_or(|next| {
                next.kind == Kind::Name
                    || next.is_verb
                    || next.kind == Kind::Verb
                    || next.gap.contains([':', ',', '(', '–'])
            });
        if !is_name {
            all[at].kind = Kind::Word;
        }
    }
    if !words.capitals_are_names {
        // "Orvin liegt": a noun has an article.
        if let Some(first) = all.first_mut()
            && first.kind == Kind::Word
            && first.text.starts_with(char::is_uppercase)
        {
            first.kind = Kind::Name;
        }
        return;
    }
    // The second part of the name of a species: "Acronicta rumicis is".
    for at in 1..all.len() {
        let is_between = all[at - 1].kind == Kind::Name || (at == 1 && all[0].kind == Kind::Word);
        let is_plain = all[at].kind == Kind::Word && !all[at].is_verb && all[at].gap == " ";
        let is_before_verb = all
            .get(at + 1)
            .is_some_and(|next| next.kind == Kind::Verb && next.gap == " ");
        let is_capital = all[at - 1].text.starts_with(char::is_uppercase);
        let is_latin = LATIN.iter().any(|ending| all[at].form.ends_with(ending));
        if at <= 2 && is_between && is_plain && is_latin && is_before_verb && is_capital {
            all[at].kind = Kind::Name;
        }
    }
}
