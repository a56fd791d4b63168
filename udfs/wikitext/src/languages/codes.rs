//! Codes of the Wikipedias, which as link prefixes lead to the same page in another language.

/// Sorted.
#[rustfmt::skip]
const CODES: &[&str] = &[
    "aa", "ab", "ace", "ady", "af", "ak", "als", "alt", "am", "ami", "an", "ang", "ann", "anp",
    "ar", "arc", "arn", "ary", "arz", "as", "ast", "atj", "av", "avk", "awa", "ay", "az", "azb",
    "ba", "ban", "bar", "bat-smg", "bbc", "bcl", "bdr", "be", "be-tarask", "be-x-old", "bew",
    "bg", "bh", "bi", "bjn", "blk", "bm", "bn", "bo", "bpy", "br", "bs", "btm", "bug", "bxr",
    "ca", "cbk-zam", "cdo", "ce", "ceb", "ch", "cho", "chr", "chy", "ckb", "co", "cr", "crh",
    "cs", "csb", "cu", "cv", "cy", "da", "dag", "de", "dga", "din", "diq", "dsb", "dtp", "dty",
    "dv", "dz", "ee", "el", "eml", "en", "eo", "es", "et", "eu", "ext", "fa", "fat", "ff", "fi",
    "fiu-vro", "fj", "fo", "fon", "fr", "frp", "frr", "fur", "fy", "ga", "gag", "gan", "gcr",
    "gd", "gl", "glk", "gn", "gom", "gor", "got", "gpe", "gsw", "gu", "guc", "gur", "guw", "gv",
    "ha", "hak", "haw", "he", "hi", "hif", "ho", "hr", "hsb", "ht", "hu", "hy", "hyw", "hz", "ia",
    "iba", "id", "ie", "ig", "igl", "ii", "ik", "ilo", "inh", "io", "is", "it", "iu", "ja", "jam",
    "jbo", "jv", "ka", "kaa", "kab", "kaj", "kbd", "kbp", "kcg", "kg", "kge", "ki", "kj", "kk",
    "kl", "km", "kn", "knc", "ko", "koi", "kr", "krc", "ks", "ksh", "ku", "kus", "kv", "kw", "ky",
    "la", "lad", "lb", "lbe", "lez", "lfn", "lg", "li", "lij", "lld", "lmo", "ln", "lo", "lrc",
    "lt", "ltg", "lv", "lzh", "mad", "mai", "map-bms", "mdf", "mg", "mh", "mhr", "mi", "min",
    "mk", "ml", "mn", "mni", "mnw", "mo", "mos", "mr", "mrj", "ms", "mt", "mus", "mwl", "my",
    "myv", "mzn", "na", "nah", "nan", "nap", "nds", "nds-nl", "ne", "new", "ng", "nia", "nl",
    "nn", "no", "nov", "nqo", "nr", "nrm", "nso", "nv", "ny", "oc", "olo", "om", "or", "os", "pa",
    "pag", "pam", "pap", "pcd", "pcm", "pdc", "pdt", "pfl", "pi", "pih", "pl", "pms", "pnb",
    "pnt", "ps", "pt", "pwn", "qu", "rm", "rmy", "rn", "ro", "roa-rup", "roa-tara", "rsk", "ru",
    "rue", "rw", "sa", "sah", "sat", "sc", "scn", "sco", "sd", "se", "sg", "sgs", "sh", "shi",
    "shn", "shy", "si", "simple", "sk", "skr", "sl", "sm", "smn", "sn", "so", "sq", "sr", "srn",
    "ss", "st", "stq", "su", "sv", "sw", "syl", "szl", "szy", "ta", "tay", "tcy", "tdd", "te",
    "tet", "tg", "th", "ti", "tig", "tk", "tl", "tly", "tn", "to", "tpi", "tr", "trv", "ts", "tt",
    "tum", "tw", "ty", "tyv", "udm", "ug", "uk", "ur", "uz", "ve", "vec", "vep", "vi", "vls",
    "vo", "vro", "wa", "war", "wo", "wuu", "xal", "xh", "xmf", "yi", "yo", "yue", "za", "zea",
    "zgh", "zh", "zh-classical", "zh-min-nan", "zh-yue", "zu",
];

/// True for the code of a Wikipedia, in lower case.
pub(crate) fn is_wiki_code(prefix: &str) -> bool {
    CODES.binary_search(&prefix).is_ok()
}

/// Whether a text is a language code: the code of a Wikipedia, or a code of two or three letters with any subtags.
pub fn is_language_code(text: &str) -> bool {
    let (primary, others) = text.split_once('-').unwrap_or((text, "x"));
    let is_letters = primary.chars().all(|c| c.is_ascii_alphabetic());
    let is_code = matches!(primary.len(), 2..=3) || ["simple", "tokipona"].contains(&primary);
    // The longest subtag is that of zh-classical.
    let is_subtag =
        |tag: &str| (1..=9).contains(&tag.len()) && tag.chars().all(|c| c.is_ascii_alphanumeric());
    is_letters && is_code && others.split('-').all(is_subtag)
}

#[cfg(test)]
mod tests {
    use super::{CODES, is_language_code};

    #[test]
    fn wikipedias_have_language_codes() {
        for code in CODES.iter().chain(&["de-AT", "pt-BR", "tokipona", "und"]) {
            assert!(is_language_code(code), "{code}");
        }
        for text in ["", "d", "english", "de_AT", "de-", "-de", "dé"] {
            assert!(!is_language_code(text), "{text}");
        }
    }
}
