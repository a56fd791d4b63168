//! Determines the text that remains of a template.
//!
//! A page's own words pass through a few hundred common templates: units, numbers, dates, foreign
//! words, quotations, small type. They are named here with the rule that keeps those words. Every
//! other template (infoboxes, navigation, citations, maintenance notes) leaves nothing. A further
//! template is one name in
//! [`template_names`](super::template_names).

use std::sync::LazyLock;

use super::languages::Language;
use super::rule::Rule;
use super::template_names::{EVERYWHERE, LOCAL};

use Rule::{Argument, Nothing};

/// Names of arguments that hold the text of a quotation or a phrase, in lower case.
pub(super) const TEXT_KEYS: &[&str] = &[
    "text",
    "quote",
    "quotation",
    "texte",
    "texto",
    "testo",
    "tekst",
    "zitat",
    "citation",
    "cita",
    "citat",
    "content",
    "contenu",
    "текст",
    "цитата",
    "תוכן",
    "ציטוט",
    "متن",
    "本文",
];

/// Longest name that is looked up, in bytes.
pub(super) const MAX_NAME_BYTES: usize = 120;

/// The names of [`EVERYWHERE`], sorted.
static BY_NAME: LazyLock<Vec<(&str, Rule)>> = LazyLock::new(|| {
    let names = EVERYWHERE
        .iter()
        .flat_map(|&(rule, names)| names.iter().map(move |&name| (name, rule)));
    let mut sorted: Vec<_> = names.collect();
    sorted.sort_unstable_by_key(|&(name, _)| name);
    sorted
});

/// The rule of the template that is written `name` in a page of this language. `bare` says that it
/// has no arguments.
pub(super) fn rule(name: &str, bare: bool, language: &Language<'_>) -> Rule {
    let name = name.trim();
    if name.len() > MAX_NAME_BYTES {
        return Nothing;
    }
    let mut lower = name.to_lowercase();
    if lower.contains('_') {
        lower = lower.replace('_', " ");
    }
    let lower = lower.strip_prefix("template:").unwrap_or(&lower).trim();
    if let Some(&(_, rule, _)) = LOCAL
        .iter()
        .find(|(code, _, names)| language.is(code) && names.contains(&lower))
    {
        return rule;
    }
    if let Ok(found) = BY_NAME.binary_search_by(|(known, _)| (*known).cmp(lower)) {
        return BY_NAME[found].1;
    }
    if lower.starts_with("lang-") || lower.starts_with("link-") {
        return Argument(1);
    }
    if lower.starts_with("internal link helper") {
        return Argument(1);
    }
    if language.is("fr") && bare && is_french_ordinal(name) {
        return Rule::Name;
    }
    if language.is("de") && is_german_language(name) {
        return Argument(1);
    }
    Nothing
}

/// The rule of a parser function, and where its argument begins: `formatnum:1234`.
pub(super) fn function(name: &str) -> Option<(Rule, usize)> {
    let (function, _) = name.split_once(':')?;
    let rule = match function.trim().to_lowercase().as_str() {
        "formatnum" | "lc" | "uc" | "lcfirst" | "ucfirst" | "число" | "formatnumber" => {
            Argument(0)
        }
        "padleft" | "padright" | "gender" | "plural" => Argument(0),
        _ => return None,
    };
    Some((rule, function.len() + 1))
}

/// "XIXe siècle", "Ier", "2e".
fn is_french_ordinal(name: &str) -> bool {
    let number = name.trim_end_matches("siècle").trim_end();
    let digits = ["er", "ère", "re", "nde", "nd", "ème", "e"]
        .iter()
        .find_map(|suffix| number.strip_suffix(suffix))
        .unwrap_or_default();
    !digits.is_empty()
        && (digits.bytes().all(|b| b.is_ascii_digit())
            || digits.bytes().all(|b| b"IVXLCDM".contains(&b)))
}

/// "enS", "frS", "EnS": "englisch …" of the German wiki.
fn is_german_language(name: &str) -> bool {
    name.strip_suffix('S').is_some_and(|code| {
        matches!(code.len(), 2 | 3) && code.bytes().all(|b| b.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_and_occur_once() {
        for pair in BY_NAME.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[0].0);
        }
        for (name, _) in BY_NAME.iter() {
            assert_eq!(*name, name.to_lowercase());
            assert!(name.len() <= MAX_NAME_BYTES);
        }
    }

    #[test]
    fn patterns() {
        assert!(is_french_ordinal("XIXe siècle") && is_french_ordinal("1er"));
        assert!(!is_french_ordinal("e") && !is_french_ordinal("siècle"));
        assert_eq!(rule("Lang-de-AT", false, &Language::of(None)), Argument(1));
        assert_eq!(rule("enS", false, &Language::of(Some("de"))), Argument(1));
        assert_eq!(rule("Infobox person", false, &Language::of(None)), Nothing);
    }
}
