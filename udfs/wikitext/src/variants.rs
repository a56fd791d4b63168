//! Marks that convert between the scripts and regions of one language: `-{zh-hans:州; zh-hant:邦}-`.

/// Longest text between the marks from which a variant is chosen; a longer one stays as it is.
const MAX_BYTES: usize = 1024;

/// Codes of the wikis that know these marks.
const LANGUAGES: &[&str] = &[
    "ban", "crh", "gan", "iu", "kk", "ku", "mni", "sh", "shi", "sr", "tg", "tly", "uz", "wuu",
    "zgh", "zh",
];

/// True if pages of this wiki (lower-case code without a variant) may hold the marks.
pub(super) fn has_variants(code: &str) -> bool {
    LANGUAGES.contains(&code)
}

/// What stays of the text between the marks: that of the first variant, the text itself where there
/// is only one, and nothing of a rule that the wiki does not show.
pub(super) fn shown(text: &str) -> &str {
    if text.len() > MAX_BYTES {
        return text;
    }
    let (flags, text) = match text.split_once('|') {
        Some((flags, text)) if flags.split(';').all(is_flag) => (flags, text),
        _ => ("", text),
    };
    if flags
        .split(';')
        .any(|flag| matches!(flag.trim(), "H" | "T" | "-"))
    {
        return "";
    }
    let first = text.split(';').find(|rule| !rule.trim().is_empty());
    let rule = first.and_then(|rule| rule.split_once(':'));
    match rule {
        Some((code, variant)) if is_code(code.rsplit("=>").next().unwrap_or_default()) => {
            variant.trim()
        }
        _ => text.trim(),
    }
}

/// True for `A`, `-`, `zh-tw`.
fn is_flag(flag: &str) -> bool {
    let flag = flag.trim();
    let letter = flag.len() == 1 && flag.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    letter || flag.is_empty() || is_code(flag)
}

/// True for the code of a language or variant: `zh`, `zh-hans`.
fn is_code(code: &str) -> bool {
    let mut parts = code.trim().split('-');
    let language = parts.next().unwrap_or_default();
    let is_word = |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_lowercase());
    language.len() <= 3 && is_word(language) && parts.all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variant_is_shown() {
        for (text, expected) in [
            ("zh-hans:州; zh-hant:邦", "州"),
            (" zh-cn : a:b ;zh-tw:c;", "a:b"),
            ("A|zh:甲;zh-hant:乙", "甲"),
            ("zh;zh-hans|甲", "甲"),
            ("甲=>zh-cn:乙", "乙"),
            ("TXL", "TXL"),
            ("R|a: b; c", "a: b; c"),
            ("甲：乙; 丙", "甲：乙; 丙"),
            ("a|b", "a|b"),
            ("H|zh-cn:甲;zh-tw:乙", ""),
            ("T|zh:甲", ""),
            ("", ""),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        let long = "a;".repeat(MAX_BYTES);
        assert_eq!(shown(&long), long);
    }
}
