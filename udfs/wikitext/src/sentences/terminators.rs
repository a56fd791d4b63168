//! Which characters end a sentence, close a quotation after its end, or open the next one.

/// How surely a terminator ends a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    /// `.`: also ends abbreviations, initials and ordinal numbers.
    FullStop,
    /// `!`, `?` and their like in scripts that put a space after a sentence.
    Mark,
    /// `…`: a pause more often than an end.
    Ellipsis,
    /// A stop of a script that puts no space after it, or that means nothing else.
    Wide,
}

/// True for each byte that may begin a terminator.
pub(super) static MAY_TERMINATE: [bool; 256] = {
    let mut table = [false; 256];
    let leads = b".!?\xCD\xD6\xD8\xDB\xE0\xE1\xE2\xE3\xEA\xEF";
    let mut i = 0;
    while i < leads.len() {
        table[leads[i] as usize] = true;
        i += 1;
    }
    table
};

/// The terminator that `c` is, if any. `;` and `:` end sentences in some languages only and are
/// not known here.
pub(super) fn terminator(c: char) -> Option<Terminator> {
    match c {
        '.' => Some(Terminator::FullStop),
        '!' | '?' | '\u{37E}' | '‼' | '‽' | '⁇' | '⁈' | '⁉' | '؟' | '⸮' => {
            Some(Terminator::Mark)
        }
        '…' => Some(Terminator::Ellipsis),
        // Armenian, Urdu, Devanagari, Tibetan, Burmese, Ethiopic, Khmer, Mongolian, Ol Chiki,
        // CJK, Meetei Mayek
        '։' | '۔' | '।' | '॥' | '༎' | '။' | '።' | '፧' | '፨' | '។' | '៕' | '᠃' | '᠉' | '᱾' | '᱿'
        | '。' | '！' | '？' | '．' | '｡' | '꯫' => Some(Terminator::Wide),
        _ => None,
    }
}

/// Characters that belong to the sentence when they follow its terminator.
pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '›'
            | '“'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '〕'
            | '］'
            | '＂'
    )
}

/// Characters that may precede the first word of a sentence.
pub(super) fn is_opener(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '('
            | '['
            | '{'
            | '“'
            | '‘'
            | '„'
            | '‚'
            | '«'
            | '‹'
            | '»'
            | '”'
            | '’'
            | '「'
            | '『'
            | '（'
            | '【'
            | '《'
            | '〈'
            | '〔'
            | '［'
            | '¿'
            | '¡'
            | '-'
            | '–'
            | '—'
            | '*'
            | '•'
            | '⁃'
    )
}
