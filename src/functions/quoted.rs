//! Names in double quotes, in which a quote is doubled.

/// What a text begins with.
pub(super) enum Quoted<'a> {
    /// No quote.
    None,
    /// A name in quotes, and what follows it.
    Name(String, &'a str),
    /// A quote without a closing one.
    Unclosed,
}

/// Reads the name in quotes at the beginning of a text.
pub(super) fn quoted(text: &str) -> Quoted<'_> {
    let Some(mut rest) = text.strip_prefix('"') else {
        return Quoted::None;
    };
    let mut name = String::new();
    while let Some((before, after)) = rest.split_once('"') {
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                name.push('"');
                rest = next;
            }
            None => return Quoted::Name(name, after),
        }
    }
    Quoted::Unclosed
}
