//! Rules for full stops, by language.
//!
//! Abbreviations and sentence openers come from `sentencex`, which keeps them for some thirty languages and names a
//! fallback for the others; `abbreviations` adds to them. The short lists below add what those tables lack: which
//! abbreviations never end a sentence, which words are abbreviations only at times, and which languages write ordinal
//! numbers with a full stop before a capital.

use sentencex::languages::{Language, get_fallbacks};

use super::abbreviations::{Abbreviations, BY_LANGUAGE};

/// Abbreviations that precede a name or a number and so never end a sentence.
const LEADING: &[&str] = &[
    "adm", "brig", "c", "ca", "capt", "cf", "ch", "cmdr", "col", "cpl", "dr", "e.g", "eg", "fig",
    "figs", "fr", "gen", "gov", "hon", "i.e", "ie", "lt", "maj", "messrs", "mlle", "mme", "mr",
    "mrs", "ms", "msgr", "mt", "n°", "nos", "nº", "op", "p", "pp", "pres", "prof", "rep", "rev",
    "sen", "sgt", "st", "sta", "sto", "v", "viz", "vol", "vols", "vs", "z.b", "т.е", "см", "ул",
    "им", "проф", "акад", "св",
];

/// Abbreviations that close an enumeration: a capital after them begins a sentence.
const CLOSING: &[&str] = &[
    "etc", "ecc", "usw", "osv", "itd", "itp", "др", "пр", "т.д", "т.п",
];

/// Words that the abbreviation tables hold but that, in lower case and before a capital, are
/// nearly always the last word of a sentence.
const AMBIGUOUS: &[&str] = &[
    "ad", "al", "ala", "alta", "anti", "ante", "arc", "are", "ark", "art", "as", "bien", "con",
    "contra", "entre", "extra", "hon", "ill", "in", "is", "la", "let", "ma", "macro", "mar",
    "mass", "max", "may", "me", "mini", "miss", "mo", "no", "nord", "ore", "pa", "para", "penn",
    "pen", "post", "que", "re", "sobre", "sub", "sun", "super", "tex", "ultra", "wash", "wis",
];

/// Eras and degrees, which often close a sentence.
const TITLES_AND_ERAS: &[&str] = &[
    "a.d", "b.a", "b.c", "b.c.e", "b.s", "b.sc", "c.e", "d.d.s", "j.d", "ll.b", "ll.d", "ll.m",
    "m.a", "m.b.a", "m.s", "m.sc", "ph.d", "н.э",
];

const DAYS_AND_MONTHS: &[&str] = &[
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Units: after a number and before a capital their full stop ends the sentence.
const UNITS: &[&str] = &[
    "ft", "in", "mi", "lb", "lbs", "oz", "yd", "mph", "gal", "km", "kg", "cm", "mm", "m", "ha",
    "sec", "min", "hr", "hrs", "mt", "pt", "qt", "m.p.h", "км", "кг", "м", "см", "руб", "тыс",
    "млн", "млрд", "чел", "га",
];

/// Languages that capitalise nouns, where "19. Jahrhundert" is an ordinal number.
const CAPITALISED_ORDINALS: &[&str] = &[
    "als", "bar", "de", "frr", "gsw", "ksh", "lb", "nds", "pdc", "pfl", "stq",
];

/// The word lists and habits of one language.
pub(super) struct Lexicon {
    tables: Box<dyn Language>,
    /// What those tables lack.
    more: Option<&'static Abbreviations>,
    /// Ordinal numbers are written with a full stop before a noun, as in "19. Jahrhundert".
    pub(super) capitalised_ordinals: bool,
    /// The full stop of the language is `:`, and `.` ends nothing (Armenian).
    pub(super) colon_stop: bool,
    /// `;` asks a question (Greek).
    pub(super) semicolon_asks: bool,
    /// A lone "I" after a pause continues the sentence (English).
    pub(super) english: bool,
}

impl Lexicon {
    /// The lexicon of a language code, English without one.
    pub(super) fn of(language: Option<&str>) -> Self {
        let mut code = language.unwrap_or("en").to_ascii_lowercase();
        // A language of a country (`de-at`) has the rules of the language.
        if let Some((primary @ 2, 2)) = code.split_once('-').map(|(a, b)| (a.len(), b.len())) {
            code.truncate(primary);
        }
        Self {
            capitalised_ordinals: CAPITALISED_ORDINALS.contains(&code.as_str()),
            colon_stop: matches!(code.as_str(), "hy" | "hyw"),
            semicolon_asks: matches!(code.as_str(), "el" | "pnt" | "grc"),
            english: matches!(code.as_str(), "en" | "simple" | "sco"),
            more: abbreviations(&code),
            tables: sentencex::language_factory(match code.as_str() {
                "simple" => "en",
                code => code,
            }),
        }
    }

    /// True if the tables hold `word` (without its last full stop), in any case.
    pub(super) fn is_abbreviation(&self, word: &str) -> bool {
        let table = self.tables.get_abbreviations();
        table.contains(word) || table.contains(word.to_lowercase().as_str())
    }

    /// True if a sentence cannot end after this abbreviation, written `word`; both without the last
    /// full stop, and the first in lower case.
    pub(super) fn is_leading(&self, lower: &str, word: &str) -> bool {
        let is_acronym = word.chars().skip(1).any(char::is_uppercase);
        is_leading(lower) || (!is_acronym && self.more.is_some_and(|m| m.leading.contains(&lower)))
    }

    /// True if a sentence cannot end between this abbreviation (lower case, without last full stop)
    /// and a number.
    pub(super) fn is_numbered(&self, lower: &str) -> bool {
        self.more.is_some_and(|more| more.numbered.contains(&lower))
    }

    /// True if a sentence that begins with `word` puts a time or a place first ("At", "By").
    pub(super) fn fronts(&self, word: &str) -> bool {
        self.tables
            .get_fronting_words()
            .contains(word.to_lowercase().as_str())
    }

    /// True if a capitalised `word` opens sentences and is hardly ever a name.
    pub(super) fn is_opener(&self, word: &str) -> bool {
        self.tables.get_sentence_starters().contains(word)
    }
}

/// The abbreviations of a language, or of its nearest relative that has some.
fn abbreviations(code: &str) -> Option<&'static Abbreviations> {
    let relatives = get_fallbacks(code).unwrap_or_default();
    let mut codes = std::iter::once(&code).chain(relatives);
    codes.find_map(|code| BY_LANGUAGE.iter().find(|more| more.language == *code))
}

/// True for an era or a degree (lower case, without last full stop).
pub(super) fn is_title_or_era(word: &str) -> bool {
    TITLES_AND_ERAS.contains(&word)
}

/// True for the English name of a day or a month.
pub(super) fn is_day_or_month(word: &str) -> bool {
    DAYS_AND_MONTHS.contains(&word)
}

/// True if a sentence cannot end after this abbreviation in any language (lower case, without last
/// full stop).
pub(super) fn is_leading(word: &str) -> bool {
    LEADING.contains(&word)
}

/// True if a capital after this abbreviation begins a sentence.
pub(super) fn is_closing(word: &str) -> bool {
    CLOSING.contains(&word)
}

/// True for a unit of measurement (lower case, without last full stop).
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(&word)
}

/// True if this lower-case word before a capital is a word rather than an abbreviation.
pub(super) fn is_ambiguous(word: &str) -> bool {
    AMBIGUOUS.contains(&word)
}
