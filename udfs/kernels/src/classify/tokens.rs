//! Splits texts into tokens: words, each with its kind, and signs that are units.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::rc::Rc;

use crate::text_hasher::TextHasherBuilder;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::words::{Listed, WordClass, Words};

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
#[derive(Debug, Clone, PartialEq, Eq)]
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
    pub(super) form: Form<'a>,
    /// The number of the form: equal for equal forms of both texts.
    pub(super) key: u32,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The form of a token: a part of a text, or a text of its own, which all tokens with this form share.
#[derive(Debug, Clone)]
pub(super) enum Form<'a> {
    Part(&'a str),
    Own(Rc<str>),
}

impl Form<'_> {
    /// Changes the form of one token.
    fn edit(&mut self, edit: impl FnOnce(&mut String)) {
        let mut form = self.to_string();
        edit(&mut form);
        *self = Self::from(form);
    }
}

impl Default for Form<'_> {
    fn default() -> Self {
        Self::Part("")
    }
}

impl Deref for Form<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Part(form) => form,
            Self::Own(form) => form,
        }
    }
}

impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl From<String> for Form<'_> {
    fn from(form: String) -> Self {
        Self::Own(form.into())
    }
}

impl<'a> From<Cow<'a, str>> for Form<'a> {
    fn from(form: Cow<'a, str>) -> Self {
        match form {
            Cow::Borrowed(form) => Self::Part(form),
            Cow::Owned(form) => form.into(),
        }
    }
}

impl Borrow<str> for Form<'_> {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Form<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Form<'_> {}

impl PartialEq<str> for Form<'_> {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Form<'_> {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Hash for Form<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self, state);
    }
}

/// Gives equal words and forms the same number.
#[derive(Debug)]
struct Keys<'a>(HashMap<Form<'a>, u32, TextHasherBuilder>);

impl<'a> Keys<'a> {
    fn of(&mut self, form: &Form<'a>) -> u32 {
        if let Some(key) = self.0.get(&**form) {
            return *key;
        }
        let next = self.0.len() as u32;
        self.0.insert(form.clone(), next);
        next
    }

    fn of_word(&mut self, word: &'a str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(Form::Part(word)).or_insert(next)
    }
}

/// A word or a sign of a text, wherever it stands.
#[derive(Debug, Clone, Default)]
struct Entry<'a> {
    /// Where the token ends; the rest of the word is a token of its own. 0 if the word was not read.
    end: usize,
    is_word: bool,
    is_capital: bool,
    /// The form, of a number without separators.
    form: Form<'a>,
    key: u32,
    /// What it is if it begins with a digit.
    number: Option<Kind>,
    /// What it is by the lists.
    listed: Option<Listed>,
}

/// Bytes of text, on average, for each word that did not occur before.
const BYTES_OF_NEW_WORD: usize = 16;
/// Maximum number of words for which memory is reserved.
const MAX_CAPACITY: usize = 1 << 12;

/// The words of texts: a word that occurs again is not read again.
#[derive(Debug)]
pub(super) struct Lexicon<'a> {
    words: &'static Words,
    keys: Keys<'a>,
    /// The entries of words, at their keys.
    entries: Vec<Entry<'a>>,
}

impl<'a> Lexicon<'a> {
    /// For texts of a number of bytes.
    pub(super) fn new(words: &'static Words, bytes: usize) -> Self {
        let capacity = (bytes / BYTES_OF_NEW_WORD).min(MAX_CAPACITY);
        let keys = HashMap::with_capacity_and_hasher(capacity, TextHasherBuilder::default());
        Self {
            words,
            keys: Keys(keys),
            entries: Vec::with_capacity(capacity),
        }
    }

    /// The lists of the language.
    pub(super) fn words(&self) -> &'static Words {
        self.words
    }

    /// The number of words and forms.
    pub(super) fn len(&self) -> usize {
        self.keys.0.len()
    }

    /// The place of the entry of a word.
    fn place(&mut self, word: &'a str, is_word: bool) -> usize {
        let key = self.keys.of_word(word);
        let place = key as usize;
        if place >= self.entries.len() {
            self.entries.resize_with(place + 1, Entry::default);
        }
        if self.entries[place].end == 0 {
            let is_plain = !is_word || word.bytes().all(|byte| byte.is_ascii_lowercase());
            let end = match is_plain {
                true => word.len(),
                false => end_of_token(self.words, word),
            };
            self.entries[place] = self.read(&word[..end], is_word);
        }
        place
    }

    /// The entry of the rest of a word, which is one token.
    fn whole(&mut self, word: &'a str) -> Entry<'a> {
        let place = self.place(word, true);
        match self.entries[place].end == word.len() {
            true => self.entries[place].clone(),
            false => self.read(word, true),
        }
    }

    fn read(&mut self, text: &'a str, is_word: bool) -> Entry<'a> {
        let mut form = folded(text);
        let first = text.chars().next().unwrap_or(' ');
        let mut number = None;
        let mut listed = None;
        if !is_word {
            if let Some(unit) = unit(&form) {
                form = Cow::Borrowed(unit);
            }
        } else if first.is_numeric() {
            let (digits, kind) = in_digits(self.words, &form);
            form = Cow::Owned(digits);
            number = Some(kind);
        } else {
            listed = self.words.get(&form);
        }
        let form = Form::from(form);
        Entry {
            end: text.len(),
            is_word,
            is_capital: first.is_uppercase(),
            key: self.keys.of(&form),
            form,
            number,
            listed,
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

/// A word that is attached to the next one is a heading if it has at least this number of letters.
const HEADING: usize = 7;

/// Spellings of words that mean the same in all languages.
const SPELLINGS: [(&str, &str); 3] = [("bce", "bc"), ("ce", "ad"), ("britain", "uk")];

/// Forms of months and days, which their names and abbreviations share.
const CALENDAR: [&str; 24] = [
    "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9", "#10", "#11", "#12", "#13", "#14", "#15",
    "#16", "#17", "#18", "#19", "#20", "#21", "#22", "#23", "#24",
];

/// Words before the number of a part, which identifies nothing outside of its whole.
const PARTS: [&str; 29] = [
    "act", "article", "chapter", "class", "day", "episode", "figure", "game", "grade", "group",
    "level", "line", "lot", "page", "part", "phase", "question", "round", "scene", "season",
    "section", "stage", "step", "table", "total", "unit", "version", "volume", "week",
];

/// Verbs after a plural.
const PLURAL_VERBS: [&str; 6] = ["are", "were", "have", "represent", "constitute", "comprise"];

/// A space that UAX #29 takes for a part of a word.
const NARROW_SPACE: char = '\u{202f}';

/// Articles, prepositions and pronouns that lose their vowel before another one, in French and Italian.
const ELIDED: [&str; 15] = [
    "l", "d", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "un", "all", "dell", "nell",
    "sull", "dall",
];

/// The group of the words that exclude each other after a time of day.
const HALF_OF_DAY: u32 = u32::MAX;

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
fn folded(word: &str) -> Cow<'_, str> {
    let is_folded = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if word.bytes().all(is_folded) {
        return Cow::Borrowed(word);
    }
    let mut form = String::with_capacity(word.len());
    match word.is_ascii() {
        true => form.extend(
            word.bytes()
                .map(|byte| char::from(byte.to_ascii_lowercase())),
        ),
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
    Cow::Owned(form)
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

/// The form of a number, and whether it may be a year.
fn in_digits(words: &Words, form: &str) -> (String, Kind) {
    let is_plain = form.len() == 4 && form.bytes().all(|byte| byte.is_ascii_digit());
    let has_dots = matches!(words.code, Some("de" | "es" | "it" | "nl"));
    let grouped = has_dots.then(|| without_dots(form)).flatten();
    let kind = match is_plain && matches!(form.as_bytes(), [b'1', ..] | [b'2', b'0', ..]) {
        true => Kind::Year,
        false => Kind::Number,
    };
    (grouped.unwrap_or_else(|| number(form)), kind)
}

/// A number whose groups of three digits are divided by full stops, without these: "120.684".
fn without_dots(form: &str) -> Option<String> {
    let (whole, fraction) = form.split_once(',').unwrap_or((form, ""));
    let (first, groups) = whole.split_once('.')?;
    let is_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && is_digits(first)
        && groups
            .split('.')
            .all(|group| group.len() == 3 && is_digits(group));
    if !is_grouped {
        return None;
    }
    let mut number = whole.replace('.', "");
    if !fraction.is_empty() {
        number.push('.');
        number.push_str(fraction);
    }
    Some(number)
}

/// Where the letters that follow a number without a blank begin ("14km", "66ff"); the length of the word if they are
/// an ending of the number, such as in "2nd" and "1920s", or if it is no such word.
fn end_of_number(word: &str) -> usize {
    let bytes = word.as_bytes();
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    if !bytes.first().is_some_and(u8::is_ascii_digit) {
        return word.len();
    }
    let end = bytes.iter().take_while(|byte| is_digit(byte)).count();
    let letters = &bytes[end..];
    let is_ending = match letters {
        [] | b"st" | b"nd" | b"rd" | b"th" => true,
        [one] => !matches!(one, b'm' | b'g' | b't' | b'h' | b'k'),
        _ => !letters.iter().all(u8::is_ascii_lowercase),
    };
    match is_ending || !bytes[end - 1].is_ascii_digit() {
        true => word.len(),
        false => end,
    }
}

/// Where a sentence ends to which the next one is attached: "the river.Senja lies".
fn end_of_sentence(word: &str) -> Option<usize> {
    let (before, after) = word.split_once('.')?;
    let is_lower = before.ends_with(char::is_lowercase) && before.len() > 2;
    let is_begin = after.starts_with(char::is_uppercase) && after.contains(char::is_lowercase);
    (is_lower && is_begin).then_some(before.len())
}

/// Where a heading ends to which the text is attached: "GovernmentThe town lies". Names such as "JavaScript" and
/// "McTalvo" have a shorter first part.
fn end_of_heading(word: &str) -> Option<usize> {
    let at = word.find(|c: char| c.is_uppercase() && !word.starts_with(c))?;
    let (before, after) = word.split_at(at);
    let letters = before.chars().count();
    let is_heading = letters >= HEADING && before.chars().skip(1).all(char::is_lowercase);
    let is_word = |c: char| c.is_lowercase() || matches!(c, '\'' | '’');
    let is_begin = after.chars().count() >= 2 && after.chars().skip(1).all(is_word);
    (is_heading && is_begin).then_some(at)
}

/// Where an article or a pronoun without its vowel ends: "l'eau", "dell'acqua".
fn end_of_elision(word: &str) -> Option<usize> {
    // The sign ’ begins with this byte.
    let is_apostrophe = |byte: u8| matches!(byte, b'\'' | 0xe2);
    let at = word.bytes().take(8).position(is_apostrophe)?;
    let (before, after) = word.split_at(at);
    let after = after.strip_prefix(['\'', '’'])?;
    let is_elided = ELIDED.iter().any(|form| before.eq_ignore_ascii_case(form));
    (is_elided && after.starts_with(char::is_alphabetic)).then_some(at)
}

/// Whether only a blank is between two tokens.
fn is_blank(gap: &str) -> bool {
    matches!(gap, " " | "\u{a0}" | "\u{202f}" | "\u{2009}")
}

/// Whether a number continues the one before it with three more digits: "12 345", "1 234 567".
fn is_group(last: &Token<'_>, next: &Token<'_>) -> bool {
    if !is_blank(next.gap)
        || next.kind != Kind::Number
        || !matches!(last.kind, Kind::Number | Kind::Year)
    {
        return false;
    }
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let is_group = match next.text.as_bytes() {
        [group @ .., b'.' | b',', digit] | [group @ .., b'.' | b',', digit, _] => {
            group.len() == 3 && group.iter().all(is_digit) && is_digit(digit)
        }
        group => group.len() == 3 && group.iter().all(is_digit),
    };
    let digits = last.text.as_bytes();
    let is_first = (1..=3).contains(&digits.len())
        && digits.iter().all(is_digit)
        && !last.text.starts_with('0');
    let is_digit_or_blank = |c: char| c.is_ascii_digit() || c.is_whitespace();
    let is_joined = digits.len() > 3
        && last.text.chars().all(is_digit_or_blank)
        && last.text.contains(char::is_whitespace);
    is_group && (is_first || is_joined)
}

/// Whether a token is an era after a year.
pub(super) fn is_era(token: &Token<'_>) -> bool {
    matches!(&*token.form, "bc" | "ad")
}

/// A number in digits, multiplied by a power of ten.
fn multiplied(form: &str, power: u32) -> Option<String> {
    let (whole, fraction) = form.split_once(['.', ',']).unwrap_or((form, ""));
    let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) {
        return None;
    }
    let power = power as usize;
    let mut product = format!("{whole}{fraction}");
    match fraction.len() <= power {
        true => product.extend(std::iter::repeat_n('0', power - fraction.len())),
        false => {
            product.insert(whole.len() + power, '.');
            product.truncate(product.trim_end_matches('0').len());
        }
    }
    let zeros = product.len() - product.trim_start_matches('0').len();
    Some(product.split_off(zeros))
}

/// A number in words, and the word for a power of ten that follows it: "two thousand five", "hundred".
fn multiplied_words(number: u64, power: u32) -> Option<u64> {
    let factor = 10_u64.checked_pow(power)?;
    let block = factor.checked_mul(if power == 2 { 10 } else { 1000 })?;
    match number % block {
        0 => number.checked_mul(factor),
        small => (number - small).checked_add(small.checked_mul(factor)?),
    }
}

/// A number in words, and the one that follows it: "twenty", "one"; "two hundred", "five".
fn added_words(number: u64, next: u64) -> Option<u64> {
    let scale = match number {
        0 => return None,
        number if number % 1_000_000 == 0 => 1_000_000,
        number if number % 1000 == 0 => 1000,
        number if number % 100 == 0 => 100,
        number if number % 10 == 0 && number >= 20 => 10,
        _ => return None,
    };
    (next > 0 && next < scale).then_some(number + next)
}

/// The form of the number that a token and the one before it write together: "twenty-one", "1.2 million", "two
/// hundred". `money` is whether a sign of a currency is before the number.
fn joined(words: &Words, last: &Token<'_>, next: &Token<'_>, money: bool) -> Option<String> {
    if !matches!(next.gap, "" | "-") && !is_blank(next.gap) {
        return None;
    }
    let is_english = words.code == Some("en");
    let is_one = is_english && last.kind == Kind::Function && matches!(&*last.form, "one" | "a");
    let is_number = matches!(last.kind, Kind::Number | Kind::Year);
    if !is_one && !is_number {
        return None;
    }
    let in_words = last.text.starts_with(char::is_alphabetic);
    let value = match is_one {
        true => Some(1),
        false => last.form.parse::<u64>().ok(),
    };
    let power = match words.get(&next.form).map(|listed| listed.class) {
        Some(WordClass::Power(power)) => Some(power),
        _ if is_number && !in_words => match &*next.form {
            "bn" => Some(9),
            "mn" => Some(6),
            "m" if money => Some(6),
            "k" if money => Some(3),
            _ => None,
        },
        _ => None,
    };
    if let Some(power) = power {
        return match in_words {
            true => Some(multiplied_words(value?, power)?.to_string()),
            false => multiplied(&last.form, power),
        };
    }
    let is_unit = is_english && next.form == "one" && next.gap == "-";
    let next_value = match (next.kind, is_unit) {
        (_, true) => 1,
        (Kind::Number, _) if next.text.starts_with(char::is_alphabetic) => {
            next.form.parse().ok()?
        }
        _ => return None,
    };
    match in_words && is_number {
        true => Some(added_words(value?, next_value)?.to_string()),
        false => None,
    }
}

/// The end of a range of years in full: "1982-83" is 1982–1983.
fn end_of_range(last: &Token<'_>, next: &Token<'_>, rest: &str) -> Option<String> {
    let is_range = last.kind == Kind::Year
        && next.form.len() == 2
        && matches!(next.gap, "-" | "–" | "—" | "/")
        && !rest.starts_with(['-', '–', '/']);
    let year = last.form.get(2..4)?;
    (is_range && next.form.bytes().all(|byte| byte.is_ascii_digit()) && *year < *next.form)
        .then(|| format!("{}{}", &last.form[..2], next.form))
}

/// The place of a month in a date such as 2004-03-05.
fn month_of_date(last: &Token<'_>, next: &Token<'_>, rest: &str) -> Option<usize> {
    let day = rest.strip_prefix('-')?.as_bytes();
    let is_date = last.kind == Kind::Year
        && next.gap == "-"
        && next.form.len() == 2
        && matches!(day, [b'0'..=b'3', b'0'..=b'9', ..])
        && !day.get(2).is_some_and(u8::is_ascii_digit);
    let month = next.form.parse::<usize>().ok()?;
    (is_date && (1..=12).contains(&month)).then(|| month - 1)
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

/// The words of a text (UAX #29) and its signs of units, in order: position in bytes, text, and whether it is a word.
///
/// A blank ends a word, whatever stands beside it. So the text is divided at blanks into stretches of ASCII, whose words
/// are found much faster, and stretches with other characters.
fn pieces(text: &str) -> Vec<(usize, &str, bool)> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(text.len() / 5);
    let mut start = 0;
    while start < text.len() {
        let ascii = bytes[start..].iter().take_while(|byte| byte.is_ascii());
        let other = start + ascii.count();
        let mut from = text.len();
        let mut to = text.len();
        if other < text.len() {
            let blank = bytes[start..other].iter().rposition(|&byte| byte == b' ');
            from = start + blank.unwrap_or(0);
            let blank = bytes[other..].iter().position(|&byte| byte == b' ');
            to = blank.map_or(text.len(), |blank| other + blank);
        }
        ascii_pieces(text, start..from, &mut found);
        let mut add = |at: usize, piece| {
            let piece: &str = piece;
            let is_word = piece.chars().any(char::is_alphanumeric);
            if is_word || piece.chars().any(is_sign) {
                found.push((at, &text[at..at + piece.len()], is_word));
            }
        };
        let has_narrow = text[from..to].contains(NARROW_SPACE);
        for (at, piece) in text[from..to].split_word_bound_indices() {
            let mut at = from + at;
            if !has_narrow {
                add(at, piece);
                continue;
            }
            for part in piece.split_inclusive(NARROW_SPACE) {
                add(at, part.trim_end_matches(NARROW_SPACE));
                at += part.len();
            }
        }
        start = to;
    }
    found
}

/// The words and signs of a part of a text that is ASCII.
fn ascii_pieces<'a>(text: &'a str, part: Range<usize>, found: &mut Vec<(usize, &'a str, bool)>) {
    let bytes = &text.as_bytes()[..part.end];
    let is_core = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    // A sign within a word, such as in "1,000", "don't" and "e.g".
    let is_infix = |at: usize| match bytes.get(at + 1) {
        Some(next) => match bytes[at] {
            b'.' | b'\'' => {
                (bytes[at - 1].is_ascii_digit() && next.is_ascii_digit())
                    || (bytes[at - 1].is_ascii_alphabetic() && next.is_ascii_alphabetic())
            }
            b',' | b';' => bytes[at - 1].is_ascii_digit() && next.is_ascii_digit(),
            b':' => bytes[at - 1].is_ascii_alphabetic() && next.is_ascii_alphabetic(),
            _ => false,
        },
        None => false,
    };
    let mut at = part.start;
    while at < part.end {
        let start = at;
        at += 1;
        if is_core(bytes[start]) {
            while at < part.end && (is_core(bytes[at]) || is_infix(at)) {
                at += 1;
            }
            if bytes[start..at].iter().any(u8::is_ascii_alphanumeric) {
                found.push((start, &text[start..at], true));
            }
        } else if is_sign(char::from(bytes[start])) {
            found.push((start, &text[start..at], false));
        }
    }
}

/// Where the first token of a word ends.
fn end_of_token(words: &Words, word: &str) -> usize {
    let elides = matches!(words.code, Some("fr" | "it"));
    elides
        .then(|| end_of_elision(word))
        .flatten()
        .or_else(|| end_of_sentence(word))
        .or_else(|| end_of_heading(word))
        .unwrap_or_else(|| end_of_number(word))
}

/// Appends the tokens of a part of a text to those before it. The part ends before a blank or at the end of the text.
pub(super) fn append<'a>(
    text: &'a str,
    part: Range<usize>,
    lexicon: &mut Lexicon<'a>,
    all: &mut Vec<Token<'a>>,
) {
    let words = lexicon.words;
    let pieces = pieces(&text[part.clone()]);
    all.reserve(pieces.len());
    for (start, piece, is_word) in pieces {
        let start = part.start + start;
        let place = lexicon.place(piece, is_word);
        let Lexicon { entries, keys, .. } = lexicon;
        let entry = &entries[place];
        let end = entry.end;
        add(words, text, start, entry, all, keys);
        let rest = piece[end..].trim_start_matches(['.', '\'', '’']);
        if !rest.is_empty() {
            let entry = lexicon.whole(rest);
            let start = start + piece.len() - rest.len();
            add(words, text, start, &entry, all, &mut lexicon.keys);
        }
    }
}

/// Appends a word to the tokens before it.
fn add<'a>(
    words: &Words,
    text: &'a str,
    start: usize,
    entry: &Entry<'a>,
    all: &mut Vec<Token<'a>>,
    keys: &mut Keys<'a>,
) {
    let end = all.last().map_or(0, Token::end);
    let mut token = Token {
        text: &text[start..start + entry.end],
        start,
        kind: Kind::Word,
        is_verb: false,
        gap: &text[end..start],
        form: entry.form.clone(),
        key: entry.key,
    };
    let is_after_number = all.last().is_some_and(|last| {
        matches!(last.kind, Kind::Number | Kind::Year) && !token.gap.contains([',', ';', '('])
    });
    set_kind(words, &mut token, entry, is_after_number);
    let is_first = all.is_empty();
    let is_sign = |gap: &str| is_negative(gap) && (is_first || !gap.starts_with(['-', '−']));
    if token.kind == Kind::Number && !is_after_number && is_sign(token.gap) {
        token.form.edit(|form| form.insert(0, '-'));
    }
    let is_after_year = all.last().is_some_and(|last| last.kind == Kind::Year);
    let is_noun = !is_after_year || !token.form.ends_with("ed");
    if is_after_number
        && is_noun
        && token.is_verb
        && !words.is_auxiliary(&token.form)
        && !ends_designation(all)
    {
        // A noun: "31 wins", but "the flood of 1931 reached" and "Route 31 runs".
        token.kind = Kind::Word;
        token.is_verb = false;
    }
    if join(words, text, all, &token, keys) {
        return;
    }
    let rest = &text[token.end()..];
    if token.kind == Kind::Number
        && let Some(last) = all.last()
    {
        if token.gap.ends_with('[') && rest.starts_with(']') && token.form.len() <= 3 {
            // The number of a footnote.
            token.kind = Kind::Function;
        } else if let Some(month) = month_of_date(last, &token, rest) {
            token.kind = Kind::Calendar;
            token.form = Form::Part(CALENDAR[month]);
        } else if let Some(year) = end_of_range(last, &token, rest) {
            token.kind = Kind::Year;
            token.form = year.into();
        } else if last.kind == Kind::Calendar
            && token.gap == "-"
            && token.form.len() == 2
            && token.form.starts_with('0')
        {
            token.form.edit(|form| {
                form.remove(0);
            });
        }
    }
    let last = all.last_mut();
    match (last, token.kind) {
        // 1,900 km, and not the year 1900; 2.50 km is 2.5 km.
        (Some(last), Kind::Unit) if matches!(last.kind, Kind::Number | Kind::Year) => {
            last.kind = Kind::Number;
            last.form.edit(drop_final_zeros);
            last.key = keys.of(&last.form);
        }
        (Some(last), Kind::Number) if last.kind == Kind::Unit && token.gap.is_empty() => {
            token.form.edit(drop_final_zeros);
        }
        _ => {}
    }
    if token.form != entry.form {
        token.key = keys.of(&token.form);
    }
    all.push(token);
    join_speed(text, all, keys);
}

/// Whether the last token is the number of a name: "Route 31".
fn ends_designation(all: &[Token<'_>]) -> bool {
    let [.., name, number] = all else {
        return false;
    };
    name.kind == Kind::Name
        && !PARTS.contains(&&*name.form)
        && number.gap == " "
        && number.text.starts_with(|c: char| c.is_ascii_digit())
}

/// Joins a token to the number before it if they write one number.
fn join<'a>(
    words: &Words,
    text: &'a str,
    all: &mut Vec<Token<'a>>,
    next: &Token<'a>,
    keys: &mut Keys<'a>,
) -> bool {
    let is_open =
        |last: &Token<'_>| matches!(last.kind, Kind::Number | Kind::Year | Kind::Function);
    if !all.last().is_some_and(is_open) {
        return false;
    }
    // "two hundred and five"
    let is_and = words.code == Some("en")
        && next.kind == Kind::Number
        && all.last().is_some_and(|last| last.form == "and");
    let at = all.len().checked_sub(1 + usize::from(is_and));
    let Some(at) =
        at.filter(|&at| !is_and || (all[at].kind == Kind::Number && all[at].form.ends_with("00")))
    else {
        return false;
    };
    let before = at.checked_sub(1).map(|before| &all[before]);
    let money = before.is_some_and(|before| {
        before.kind == Kind::Unit && matches!(&*before.form, "$" | "€" | "£" | "¥")
    });
    // "On May 3 120 boats left": the day is no part of the number.
    let is_day = before.is_some_and(|before| before.kind == Kind::Calendar);
    let form = match !is_and && !is_day && is_group(&all[at], next) {
        true => Some(format!("{}{}", all[at].form, next.form)),
        false => joined(words, &all[at], next, money),
    };
    let Some(form) = form else {
        return false;
    };
    all.truncate(at + 1);
    if let Some(last) = all.last_mut() {
        last.text = &text[last.start..next.end()];
        last.kind = Kind::Number;
        last.form = form.into();
        last.key = keys.of(&last.form);
    }
    true
}

/// Joins "mi/h" and "miles per hour" to "mph".
fn join_speed<'a>(text: &'a str, all: &mut Vec<Token<'a>>, keys: &mut Keys<'a>) {
    let from = match &**all {
        [.., mile, hour] if hour.gap == "/" && mile.form == "mi" && hour.form == "h" => 2,
        [.., mile, per, hour] if mile.form == "mi" && per.form == "per" && hour.form == "hour" => 3,
        _ => return,
    };
    let Some(end) = all.last().map(Token::end) else {
        return;
    };
    let at = all.len() - from;
    all.truncate(at + 1);
    if let Some(unit) = all.last_mut() {
        unit.text = &text[unit.start..end];
        unit.kind = Kind::Unit;
        unit.form = Form::Part("mph");
        unit.key = keys.of(&unit.form);
    }
}

fn set_kind(words: &Words, token: &mut Token<'_>, entry: &Entry<'_>, is_after_number: bool) {
    if !entry.is_word {
        token.kind = Kind::Unit;
        return;
    }
    if let Some(number) = entry.number {
        token.kind = number;
        return;
    }
    let is_capital = entry.is_capital;
    if is_after_number && matches!(&*token.form, "am" | "pm") {
        token.kind = Kind::Contrast(HALF_OF_DAY);
        return;
    }
    if is_after_number
        && !is_capital
        && let Some(unit) = unit(&token.form)
        && (unit != "in" || token.gap.is_empty())
    {
        token.form = Form::Part(unit);
        token.kind = Kind::Unit;
        return;
    }
    token.is_verb = entry.listed.is_some_and(|listed| listed.is_verb) && !is_capital;
    let is_english = words.code == Some("en");
    if is_english && token.form.len() > 3 && token.form.ends_with("n't") {
        token.kind = Kind::Negation;
        return;
    }
    let is_past = is_english && token.form.len() > 4 && token.form.ends_with("ed");
    token.kind = match entry.listed.map(|listed| listed.class) {
        Some(WordClass::Function) => Kind::Function,
        Some(WordClass::Preposition) => Kind::Preposition,
        Some(WordClass::Verb) => Kind::Verb,
        Some(WordClass::Negation) => Kind::Negation,
        // English months and days are capitalised: "may" and "march" are other words.
        Some(WordClass::Calendar(place)) if is_capital || !is_english => {
            token.form = Form::Part(CALENDAR[place as usize % CALENDAR.len()]);
            Kind::Calendar
        }
        Some(WordClass::Calendar(_)) if token.form == "may" => Kind::Verb,
        Some(WordClass::Calendar(_)) => Kind::Word,
        Some(WordClass::Number(number) | WordClass::Ordinal(number))
            if !is_capital || token.gap.trim().is_empty() =>
        {
            token.form = number.to_string().into();
            Kind::Number
        }
        Some(WordClass::Contrast(group)) => {
            token.is_verb |= is_past && !is_capital;
            Kind::Contrast(group)
        }
        Some(WordClass::Number(_) | WordClass::Ordinal(_) | WordClass::Power(_)) | None => {
            token.is_verb |= is_past && !is_capital;
            if let Some((_, form)) = SPELLINGS
                .iter()
                .find(|(form, _)| is_capital && token.form == *form)
            {
                token.form = Form::Part(form);
            }
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

/// Whether a word is a part of the name of a route or a machine: a number and a verb follow ("Route 31 runs"). The verb
/// may be known by the ending of the third person and the word after it.
fn is_numbered(words: &Words, all: &[Token<'_>], at: usize) -> bool {
    let [number, next, rest @ ..] = &all[at + 1..] else {
        return false;
    };
    let ends_as_verb = || {
        words.code == Some("en")
            && next.kind == Kind::Word
            && next.gap == " "
            && next.text.starts_with(char::is_lowercase)
            && next.form.ends_with('s')
            && !next.form.ends_with("ss")
            && rest.first().is_some_and(|after| {
                matches!(after.kind, Kind::Preposition | Kind::Function) && after.gap == " "
            })
    };
    number.kind == Kind::Number
        && number.gap == " "
        && number.text.starts_with(|c: char| c.is_ascii_digit())
        && (next.is_verb || next.kind == Kind::Verb || ends_as_verb())
}

/// The first word of a sentence has a capital whether it is a name or not. It counts as a name if a name, a verb or
/// punctuation follows.
pub(super) fn name_first_words(words: &Words, all: &mut [Token<'_>]) {
    for at in 0..all.len() {
        let begins = |gap: &str| gap.contains(['.', '!', '?', '"', '“', '«', '•']);
        if all[at].kind != Kind::Name || (at > 0 && !begins(all[at].gap)) {
            continue;
        }
        // "Farmers were": a plural.
        let is_plural = words.code == Some("en")
            && all[at].form.ends_with('s')
            && all
                .get(at + 1)
                .is_some_and(|next| PLURAL_VERBS.contains(&&*next.form));
        let is_possessive = all[at].text.ends_with("'s") || all[at].text.ends_with("’s");
        let is_numbered = is_numbered(words, all, at) && !PARTS.contains(&&*all[at].form);
        if is_numbered && let Some(verb) = all.get_mut(at + 2) {
            verb.is_verb = true;
        }
        let is_name = is_possessive
            || is_numbered
            || all.get(at + 1).is_none_or(|next| {
                next.kind == Kind::Name
                    || next.is_verb
                    || matches!(next.kind, Kind::Verb | Kind::Negation)
                    || next.gap.contains([':', ',', '(', '–'])
            });
        if !is_name || is_plural {
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
    for at in 1..all.len().min(3) {
        let is_between = all[at - 1].kind == Kind::Name || (at == 1 && all[0].kind == Kind::Word);
        let is_plain = all[at].kind == Kind::Word && !all[at].is_verb && all[at].gap == " ";
        let is_before_verb = all
            .get(at + 1)
            .is_some_and(|next| next.kind == Kind::Verb && next.gap == " ");
        let is_capital = all[at - 1].text.starts_with(char::is_uppercase);
        let is_latin = LATIN.iter().any(|ending| all[at].form.ends_with(ending));
        if is_between && is_plain && is_latin && is_before_verb && is_capital {
            all[at].kind = Kind::Name;
        }
    }
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation;

    use super::{is_sign, pieces};
    use crate::test_random::Random;

    #[test]
    fn pieces_are_those_of_the_whole_text() {
        const CHARACTERS: [&str; 32] = [
            "a", "B", "é", "日", "か", "7", "1", " ", " ", "\n", "\r", ".", ",", ":", ";", "'",
            "’", "\"", "_", "%", "$", "€", "°", "-", "\u{301}", "\u{200d}", "\u{a0}", "😀", "🇩",
            "א", "\u{b}", "(",
        ];
        let mut random = Random::new(17);
        for _ in 0..20_000 {
            let length = random.below(14);
            let mut character = |_| {
                let at = random.below(64) as usize;
                CHARACTERS.get(at).copied().unwrap_or("x")
            };
            let text: String = (0..length).map(&mut character).collect();
            let expected = text.split_word_bound_indices().filter_map(|(at, piece)| {
                let is_word = piece.chars().any(char::is_alphanumeric);
                (is_word || piece.chars().any(is_sign)).then_some((at, piece, is_word))
            });
            assert_eq!(pieces(&text), expected.collect::<Vec<_>>(), "{text:?}");
        }
    }
}
