//! Abbreviations by language that the tables of `sentencex` lack.
//!
//! All are in lower case, without their last full stop. A word that also ends sentences in its
//! language is listed only where a number has to follow.

/// The abbreviations of one language.
#[derive(Debug)]
pub(super) struct Abbreviations {
    pub(super) language: &'static str,
    /// Stand before a name or a number and so never end a sentence.
    pub(super) leading: &'static [&'static str],
    /// End no sentence before a number.
    pub(super) numbered: &'static [&'static str],
}

/// The abbreviations of the languages that have some.
#[rustfmt::skip]
pub(super) static BY_LANGUAGE: &[Abbreviations] = &[
    Abbreviations {
        language: "de",
        leading: &[
            "abb", "abh", "ahd", "anm", "arab", "aufl", "ausg", "bd", "bearb", "betr", "bspw", "bzgl", "bzw",
            "ders", "dt", "dän", "ebd", "ehem", "eigtl", "einschl", "engl", "frhr", "frl", "frz", "gebr", "gegr",
            "griech", "hebr", "hg", "hl", "hptm", "hrsg", "ing", "inh", "insb", "insbes", "ital", "jap", "lat", "mhd",
            "mind", "nhd", "nrn", "oblt", "poln", "rd", "russ", "röm", "slaw", "span", "taf", "tsd", "tschech", "türk",
            "verh", "z", "ziff", "zit",
        ],
        numbered: &[
            "abs", "abt", "apr", "art", "aug", "bde", "dez", "feb", "fol", "geb", "gest", "jan", "jul", "jun", "kap", "lit",
            "mär", "nov", "okt", "sep", "sept", "tel",
        ],
    },
    Abbreviations {
        language: "es",
        leading: &[
            "alm", "brig", "caps", "cfr", "cnel", "coord", "cte", "dep", "depto", "dña", "dª", "ed", "eds", "figs", "fol",
            "hna", "hno", "ibíd", "lám", "mons", "mª", "n", "núms", "pdte", "profa", "prol", "pte", "secc", "supl", "t",
            "trad", "tte",
        ],
        numbered: &[
            "abr", "ago", "aprox", "art", "arts", "cap", "col", "dic", "ene", "feb", "inc", "jul", "jun", "mar", "máx",
            "mín", "nov", "oct", "sept", "tel",
        ],
    },
    Abbreviations {
        language: "fr",
        leading: &[
            "arr", "bd", "cdt", "cne", "coll", "fol", "gal", "gén", "mgr", "mlles", "mmes", "n", "nos", "p", "pr",
            "réf", "ste", "stes", "t", "trad",
        ],
        numbered: &[
            "al", "art", "avr", "cap", "col", "dir", "déc", "févr", "janv", "juil", "no", "nov", "oct", "sept", "tél",
        ],
    },
    Abbreviations {
        language: "it",
        leading: &[
            "artt", "cav", "dott", "dott.ssa", "ecc.mo", "figg", "geom", "lett", "mons", "n", "nn", "num", "on", "p",
            "pag", "pagg", "pp", "prof.ssa", "proff", "rag", "s", "sig.na", "sig.ra", "ss", "t", "tab", "tav", "tavv",
            "vd", "voll",
        ],
        numbered: &[
            "ag", "ago", "al", "apr", "art", "cap", "capp", "cod", "col", "dic", "feb", "febbr", "genn", "giu", "lug",
            "mag", "mar", "nov", "ott", "par", "sett", "tel",
        ],
    },
    Abbreviations {
        language: "nl",
        leading: &[
            "afb", "blz", "bijv", "dhr", "drs", "ds", "geb", "hfdst", "ing", "ir", "jhr", "jkvr", "kard", "mej",
            "mevr", "mgr", "mw", "n", "nr", "nrs", "p", "pag", "resp", "secr", "t", "tab", "uitg", "vert", "zgn", "zog",
        ],
        numbered: &[
            "apr", "art", "aug", "dec", "febr", "hst", "jan", "max", "min", "mrt", "nov", "okt", "overl", "sept", "tel",
            "vol",
        ],
    },
    Abbreviations {
        language: "pl",
        leading: &[
            "abp", "adm", "al", "ang", "ar", "bp", "bł", "cyt", "dh", "doc", "ds", "gen", "gm", "hab", "hr", "im",
            "inż", "j", "jęz", "kard", "kmdr", "kpr", "kpt", "ks", "lic", "mec", "mgr", "mjr", "n", "nb", "nr", "np",
            "ok", "oprac", "os", "pkt", "pl", "plut", "por", "pow", "poz", "ppor", "ppłk", "proc", "ps", "pw", "płd",
            "płk", "płn", "red", "rozdz", "ryc", "rys", "sierż", "ss", "st", "sygn", "szer", "tab", "tj", "tow", "tzw",
            "tłum", "ul", "ur", "ust", "woj", "wyd", "wł", "zm", "zob", "źr", "św", "śp",
        ],
        numbered: &[
            "art", "cz", "godz", "gr", "kat", "lut", "maks", "min", "paź", "sier", "str", "sty", "tel", "tys", "wrz",
        ],
    },
    Abbreviations {
        language: "pt",
        leading: &[
            "alm", "apto", "arq", "av", "brig", "caps", "cel", "cfr", "coord", "dep", "ed", "eds", "exma", "figs",
            "fl", "fls", "gal", "ilma", "ilmo", "lgo", "mons", "n", "núm", "núms", "org", "orgs", "p", "pe", "profa",
            "pág", "págs", "pça", "r", "sarg", "séc", "sécs", "t", "tab", "ten", "trad", "trav", "vd",
        ],
        numbered: &[
            "abr", "ago", "al", "aprox", "art", "arts", "cap", "col", "dez", "fev", "inc", "jan", "jul", "jun", "mar",
            "máx", "mín", "nov", "out", "par", "set", "tel",
        ],
    },
    Abbreviations {
        language: "ru",
        leading: &[
            "абз", "англ", "араб", "арх", "архиеп", "архим", "белор", "бул", "вып", "гл", "греч", "дер", "доц", "еп",
            "зав", "зам", "изд", "илл", "исп", "итал", "кн", "лат", "лейт", "мкр", "митр", "наб", "напр", "нач", "оз",
            "ок", "п-ов", "пл", "пос", "польск", "прил", "прим", "прот", "ред", "сб", "сокр", "сост", "ср", "ст",
            "табл", "укр", "устар", "фр", "франц", "цит", "чеш", "чл", "чл.-корр", "швед", "яп",
        ],
        numbered: &[
            "авг", "апр", "дек", "июл", "июн", "корп", "мар", "нояб", "окт", "рис", "род", "сент", "тел", "ум", "фев",
            "февр", "эт", "янв",
        ],
    },
];
