//! Character references: `&amp;`, `&#233;`, `&#xE9;`.

/// Longest reference that is read, from `&` to `;`.
const MAX_REFERENCE_BYTES: usize = 12;

/// The character that the reference at the start of `text` denotes, and the length of the reference.
pub(super) fn decode(text: &[u8]) -> Option<(char, usize)> {
    let window = &text[..text.len().min(MAX_REFERENCE_BYTES)];
    let end = memchr::memchr(b';', window)?;
    let name = std::str::from_utf8(window.get(1..end)?).ok()?;
    let c = match name.strip_prefix('#') {
        Some(number) => numeric(number)?,
        None => named(name)?,
    };
    Some((c, end + 1))
}

fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16),
        None if number.bytes().all(|b| b.is_ascii_digit()) => number.parse(),
        _ => return None,
    };
    match code.ok()? {
        // white space that would look like markup
        9 | 10 | 13 => Some(' '),
        0..=31 | 127..=159 => None,
        code => char::from_u32(code),
    }
}

/// The names of HTML 4 and XML, and the few of HTML 5 that pages use.
fn named(name: &str) -> Option<char> {
    NAMES
        .binary_search_by(|(known, _)| known.cmp(&name))
        .ok()
        .and_then(|i| NAMES.get(i))
        .map(|&(_, c)| c)
}

/// Sorted by name.
#[rustfmt::skip]
static NAMES: &[(&str, char)] = &[
    ("AElig", 'Æ'), ("Aacute", 'Á'), ("Abreve", 'Ă'), ("Acirc", 'Â'), ("Agrave", 'À'),
    ("Alpha", 'Α'), ("Amacr", 'Ā'), ("Aogon", 'Ą'), ("Aring", 'Å'), ("Atilde", 'Ã'), ("Auml", 'Ä'),
    ("Beta", 'Β'), ("Cacute", 'Ć'), ("Ccaron", 'Č'), ("Ccedil", 'Ç'), ("Chi", 'Χ'), ("Dagger", '‡'),
    ("Delta", 'Δ'), ("Dstrok", 'Đ'), ("ETH", 'Ð'), ("Eacute", 'É'), ("Ecaron", 'Ě'), ("Ecirc", 'Ê'),
    ("Egrave", 'È'), ("Emacr", 'Ē'), ("Eogon", 'Ę'), ("Epsilon", 'Ε'), ("Eta", 'Η'), ("Euml", 'Ë'),
    ("Gamma", 'Γ'), ("Gbreve", 'Ğ'), ("Iacute", 'Í'), ("Icirc", 'Î'), ("Idot", 'İ'),
    ("Igrave", 'Ì'), ("Imacr", 'Ī'), ("Iota", 'Ι'), ("Iuml", 'Ï'), ("Kappa", 'Κ'), ("Lambda", 'Λ'),
    ("Lstrok", 'Ł'), ("Mu", 'Μ'), ("Nacute", 'Ń'), ("NewLine", ' '), ("Ntilde", 'Ñ'), ("Nu", 'Ν'),
    ("OElig", 'Œ'), ("Oacute", 'Ó'), ("Ocirc", 'Ô'), ("Odblac", 'Ő'), ("Ograve", 'Ò'),
    ("Omacr", 'Ō'), ("Omega", 'Ω'), ("Omicron", 'Ο'), ("Oslash", 'Ø'), ("Otilde", 'Õ'),
    ("Ouml", 'Ö'), ("Phi", 'Φ'), ("Pi", 'Π'), ("Prime", '″'), ("Psi", 'Ψ'), ("Rcaron", 'Ř'),
    ("Rho", 'Ρ'), ("Sacute", 'Ś'), ("Scaron", 'Š'), ("Scedil", 'Ş'), ("Sigma", 'Σ'), ("THORN", 'Þ'),
    ("Tab", ' '), ("Tau", 'Τ'), ("Theta", 'Θ'), ("Uacute", 'Ú'), ("Ucirc", 'Û'), ("Udblac", 'Ű'),
    ("Ugrave", 'Ù'), ("Umacr", 'Ū'), ("Upsilon", 'Υ'), ("Uring", 'Ů'), ("Uuml", 'Ü'), ("Xi", 'Ξ'),
    ("Yacute", 'Ý'), ("Yuml", 'Ÿ'), ("Zacute", 'Ź'), ("Zcaron", 'Ž'), ("Zdot", 'Ż'), ("Zeta", 'Ζ'),
    ("aacute", 'á'), ("abreve", 'ă'), ("acirc", 'â'), ("acute", '´'), ("aelig", 'æ'),
    ("agrave", 'à'), ("alefsym", 'ℵ'), ("alpha", 'α'), ("amacr", 'ā'), ("amp", '&'), ("and", '∧'),
    ("ang", '∠'), ("aogon", 'ą'), ("apos", '\''), ("aring", 'å'), ("ast", '*'), ("asymp", '≈'),
    ("atilde", 'ã'), ("auml", 'ä'), ("bdquo", '„'), ("beta", 'β'), ("brvbar", '¦'), ("bsol", '\\'),
    ("bull", '•'), ("cacute", 'ć'), ("cap", '∩'), ("ccaron", 'č'), ("ccedil", 'ç'), ("cedil", '¸'),
    ("cent", '¢'), ("check", '✓'), ("chi", 'χ'), ("circ", 'ˆ'), ("clubs", '♣'), ("colon", ':'),
    ("comma", ','), ("cong", '≅'), ("copy", '©'), ("crarr", '↵'), ("cup", '∪'), ("curren", '¤'),
    ("dArr", '⇓'), ("dagger", '†'), ("darr", '↓'), ("dash", '‐'), ("deg", '°'), ("delta", 'δ'),
    ("diams", '♦'), ("divide", '÷'), ("dstrok", 'đ'), ("eacute", 'é'), ("ecaron", 'ě'),
    ("ecirc", 'ê'), ("egrave", 'è'), ("emacr", 'ē'), ("empty", '∅'), ("emsp", '\u{2003}'),
    ("ensp", '\u{2002}'), ("eogon", 'ę'), ("epsilon", 'ε'), ("equals", '='), ("equiv", '≡'),
    ("eta", 'η'), ("eth", 'ð'), ("euml", 'ë'), ("euro", '€'), ("excl", '!'), ("exist", '∃'),
    ("female", '♀'), ("flat", '♭'), ("fnof", 'ƒ'), ("forall", '∀'), ("frac12", '½'),
    ("frac13", '⅓'), ("frac14", '¼'), ("frac15", '⅕'), ("frac18", '⅛'), ("frac23", '⅔'),
    ("frac25", '⅖'), ("frac34", '¾'), ("frac38", '⅜'), ("frac58", '⅝'), ("frac78", '⅞'),
    ("frasl", '⁄'), ("gamma", 'γ'), ("gbreve", 'ğ'), ("ge", '≥'), ("gt", '>'), ("hArr", '⇔'),
    ("hairsp", '\u{200A}'), ("half", '½'), ("harr", '↔'), ("hearts", '♥'), ("hellip", '…'),
    ("hyphen", '‐'), ("iacute", 'í'), ("icirc", 'î'), ("iexcl", '¡'), ("igrave", 'ì'),
    ("imacr", 'ī'), ("image", 'ℑ'), ("infin", '∞'), ("inodot", 'ı'), ("int", '∫'), ("iota", 'ι'),
    ("iquest", '¿'), ("isin", '∈'), ("iuml", 'ï'), ("kappa", 'κ'), ("lArr", '⇐'), ("lambda", 'λ'),
    ("lang", '〈'), ("laquo", '«'), ("larr", '←'), ("lbrace", '{'), ("lbrack", '['), ("lceil", '⌈'),
    ("lcub", '{'), ("ldquo", '“'), ("le", '≤'), ("lfloor", '⌊'), ("lowast", '∗'), ("lowbar", '_'),
    ("loz", '◊'), ("lpar", '('), ("lrm", '\u{200E}'), ("lsaquo", '‹'), ("lsqb", '['),
    ("lsquo", '‘'), ("lstrok", 'ł'), ("lt", '<'), ("macr", '¯'), ("male", '♂'), ("mdash", '—'),
    ("micro", 'µ'), ("middot", '·'), ("minus", '−'), ("mu", 'μ'), ("nabla", '∇'), ("nacute", 'ń'),
    ("natural", '♮'), ("nbsp", '\u{A0}'), ("ndash", '–'), ("ne", '≠'), ("ni", '∋'), ("not", '¬'),
    ("notin", '∉'), ("nsub", '⊄'), ("ntilde", 'ñ'), ("nu", 'ν'), ("num", '#'),
    ("numsp", '\u{2007}'), ("oacute", 'ó'), ("ocirc", 'ô'), ("odblac", 'ő'), ("oelig", 'œ'),
    ("ograve", 'ò'), ("oline", '‾'), ("omacr", 'ō'), ("omega", 'ω'), ("omicron", 'ο'),
    ("oplus", '⊕'), ("or", '∨'), ("ordf", 'ª'), ("ordm", 'º'), ("oslash", 'ø'), ("otilde", 'õ'),
    ("otimes", '⊗'), ("ouml", 'ö'), ("para", '¶'), ("part", '∂'), ("period", '.'), ("permil", '‰'),
    ("perp", '⊥'), ("phi", 'φ'), ("phone", '☎'), ("pi", 'π'), ("piv", 'ϖ'), ("plus", '+'),
    ("plusmn", '±'), ("pound", '£'), ("prime", '′'), ("prod", '∏'), ("prop", '∝'), ("psi", 'ψ'),
    ("puncsp", '\u{2008}'), ("quest", '?'), ("quot", '"'), ("rArr", '⇒'), ("radic", '√'),
    ("rang", '〉'), ("raquo", '»'), ("rarr", '→'), ("rbrace", '}'), ("rbrack", ']'), ("rcaron", 'ř'),
    ("rceil", '⌉'), ("rcub", '}'), ("rdquo", '”'), ("real", 'ℜ'), ("reg", '®'), ("rfloor", '⌋'),
    ("rho", 'ρ'), ("rlm", '\u{200F}'), ("rpar", ')'), ("rsaquo", '›'), ("rsqb", ']'),
    ("rsquo", '’'), ("sacute", 'ś'), ("sbquo", '‚'), ("scaron", 'š'), ("scedil", 'ş'),
    ("sdot", '⋅'), ("sect", '§'), ("semi", ';'), ("sharp", '♯'), ("shy", '\u{AD}'), ("sigma", 'σ'),
    ("sigmaf", 'ς'), ("sim", '∼'), ("sol", '/'), ("spades", '♠'), ("star", '☆'), ("starf", '★'),
    ("sub", '⊂'), ("sube", '⊆'), ("sum", '∑'), ("sung", '♪'), ("sup", '⊃'), ("sup1", '¹'),
    ("sup2", '²'), ("sup3", '³'), ("supe", '⊇'), ("szlig", 'ß'), ("tau", 'τ'), ("there4", '∴'),
    ("theta", 'θ'), ("thetasym", 'ϑ'), ("thinsp", '\u{2009}'), ("thorn", 'þ'), ("tilde", '˜'),
    ("times", '×'), ("trade", '™'), ("uArr", '⇑'), ("uacute", 'ú'), ("uarr", '↑'), ("ucirc", 'û'),
    ("udblac", 'ű'), ("ugrave", 'ù'), ("umacr", 'ū'), ("uml", '¨'), ("upsih", 'ϒ'),
    ("upsilon", 'υ'), ("uring", 'ů'), ("uuml", 'ü'), ("verbar", '|'), ("vert", '|'),
    ("weierp", '℘'), ("xi", 'ξ'), ("yacute", 'ý'), ("yen", '¥'), ("yuml", 'ÿ'), ("zacute", 'ź'),
    ("zcaron", 'ž'), ("zdot", 'ż'), ("zeta", 'ζ'), ("zwj", '\u{200D}'), ("zwnj", '\u{200C}'),
];
