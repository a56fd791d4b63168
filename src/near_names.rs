//! Suggestions for unknown names in error messages: similar names, or the only column of which the name is a part.

/// Number of names that a message offers at most.
const MAX_NAMES: usize = 3;
/// Minimum number of characters of a name whose misspellings, and whose beginnings, are recognised.
const MIN_CHARS: usize = 3;

/// ` (did you mean 'a' or 'b'?)` with the nearest of the candidates; nothing if none is near.
pub(crate) fn hint<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let near: Vec<String> = nearest(name, candidates)
        .into_iter()
        .map(|name| format!("'{name}'"))
        .collect();
    match near.is_empty() {
        true => String::new(),
        false => format!(" (did you mean {}?)", near.join(" or ")),
    }
}

/// The candidates with the fewest edits from the name, or else those that begin with it.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let chars = name.chars().count();
    let max = match chars {
        0..MIN_CHARS => 0,
        MIN_CHARS..6 => 1,
        6..9 => 2,
        _ => 3,
    };
    let mut near = Vec::new();
    let mut longer = Vec::new();
    for candidate in candidates {
        let other = candidate.to_lowercase();
        if let Some(edits) = neardup_kernels::edit_distance_within(&name, &other, max) {
            near.push((edits, candidate));
        } else if chars >= MIN_CHARS && other.starts_with(&name) {
            longer.push((0, candidate));
        }
    }
    let mut found = if near.is_empty() { longer } else { near };
    found.sort_unstable();
    found.dedup();
    let min_edits = found.first().map_or(0, |(edits, _)| *edits);
    let found = found.into_iter().filter(|(edits, _)| *edits == min_edits);
    found.map(|(_, name)| name).take(MAX_NAMES).collect()
}

/// What may separate the names of columns that were read as one, as a literal.
pub(crate) fn separator(names: &[&str]) -> Option<&'static str> {
    let [name] = names else {
        return None;
    };
    let separators = [("\t", "'\\t'"), (";", "';'"), ("|", "'|'"), (",", "','")];
    let mut found = separators
        .iter()
        .filter(|(separator, _)| name.contains(separator));
    found.next().map(|(_, written)| *written)
}

/// Added to an error if the name of the first column of separated values begins with `{`.
pub(crate) const LIKE_JSON: &str =
    "; the file begins like JSON: if its lines are objects, its name must end in .jsonl";

/// The query that makes rows of the objects in a list, as files of one object often hold them.
pub(crate) fn unnested(list: &str, fields: &[&str], rows: &str) -> String {
    let quoted = |name: &str| {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        match name.chars().all(is_plain) {
            true => name.to_owned(),
            false => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    };
    let fields = fields.iter().map(|field| {
        let key = field.replace('\'', "''");
        format!("item['{key}'] AS {}", quoted(field))
    });
    format!(
        "SELECT {} FROM (SELECT unnest({}) AS item FROM {rows})",
        fields.collect::<Vec<_>>().join(", "),
        quoted(list)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_offered() {
        let names = [
            "threshold",
            "text",
            "text_b",
            "id",
            "Id_b",
            "jaccard_similarity",
            "lpad",
        ];
        for (name, wanted) in [
            ("treshold", &["threshold"][..]),
            ("txt", &["text"]),
            ("TEXT_B", &["text_b"]),
            ("ID", &["id"]),
            ("jaccard", &["jaccard_similarity"]),
            ("if", &[]),
            ("jaccard_containment", &[]),
            ("", &[]),
        ] {
            assert_eq!(nearest(name, names), wanted, "{name}");
        }
        assert_eq!(hint("tex", names), " (did you mean 'text'?)");
        assert_eq!(
            hint("abc", ["abd", "abe"]),
            " (did you mean 'abd' or 'abe'?)"
        );
        assert_eq!(hint("zzz", names), "");
    }
}
