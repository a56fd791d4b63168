//! The definitions of parameters that more than one interface has, from `sql/parameters.txt`.
//!
//! That file describes the syntax of its lines, which the headers of `.sql` files share.

use super::{Kind, Parameter};
use std::sync::LazyLock;

/// The text of the file.
const TEXT: &str = include_str!("../../sql/parameters.txt");

/// Every entry: `name` or `name.variant`, with its definition.
type Entries = Vec<(String, Parameter)>;

static DEFINITIONS: LazyLock<Result<Entries, String>> = LazyLock::new(|| {
    let mut entries = Entries::new();
    for line in TEXT.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parameter = read(line, &entries)?;
        let end = line.find([':', ' ']).unwrap_or(line.len());
        entries.push((line[..end].to_owned(), parameter));
    }
    Ok(entries)
});

/// Every entry of the file, by its name: `name` or `name.variant`.
#[expect(clippy::expect_used, reason = "the file is a part of the program")]
pub fn entries() -> &'static [(String, Parameter)] {
    DEFINITIONS.as_ref().expect("parameters.txt is well-formed")
}

/// The definition under the name of an entry.
///
/// # Panics
/// If there is no entry of that name.
#[expect(
    clippy::expect_used,
    reason = "the names are constants, and a test looks them up"
)]
pub fn parameter(entry: &str) -> &'static Parameter {
    find(entry, entries()).expect("parameters.txt has an entry of that name")
}

impl Parameter {
    /// Reads the line of a parameter in a header: the name of an entry, and what differs from it.
    ///
    /// # Errors
    /// If the entry is unknown, or the parameter has no type or an unknown one.
    pub(crate) fn of_header(line: &str) -> Result<Self, String> {
        let entry = line.split([':', ' ']).next().unwrap_or(line);
        match entry.contains('.') && find(entry, entries()).is_none() {
            true => Err(format!("sql/parameters.txt has no parameter '{entry}'")),
            false => read(line, entries()),
        }
    }
}

fn find<'a>(entry: &str, entries: &'a [(String, Parameter)]) -> Option<&'a Parameter> {
    let found = entries.iter().find(|(name, _)| name == entry);
    found.map(|(_, parameter)| parameter)
}

/// Reads `name: type = default | meaning`, of which the entry of that name gives what the line does not state.
fn read(line: &str, entries: &[(String, Parameter)]) -> Result<Parameter, String> {
    let (declaration, doc) = match line.split_once(" | ") {
        Some((declaration, doc)) => (declaration, Some(doc.trim())),
        None => (line, None),
    };
    let (head, default) = match declaration.split_once(" = ") {
        Some((head, default)) => (head, Some(default.trim())),
        None => (declaration, None),
    };
    let (entry, kind) = match head.split_once(": ") {
        Some((entry, kind)) => (entry.trim(), Some(Kind::parse(kind.trim())?)),
        None => (head.trim(), None),
    };
    let name = entry.split('.').next().unwrap_or(entry);
    let base = find(entry, entries).or_else(|| find(name, entries));
    let default = match (default, &kind) {
        (Some("computed"), _) => None,
        (Some(default), _) => Some(default.to_owned()),
        (None, Some(_)) => None,
        (None, None) => base.and_then(|base| base.default.clone()),
    };
    let kind = kind.or_else(|| Some(base?.kind.clone()));
    let doc = doc.or_else(|| Some(base?.doc.as_str()));
    Ok(Parameter {
        name: name.to_owned(),
        kind: kind.ok_or_else(|| format!("the parameter '{line}' has no type"))?,
        default,
        doc: doc.unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every default is a value of its own parameter.
    #[test]
    fn defaults_are_in_range() {
        for (entry, parameter) in entries() {
            if parameter.default.is_some() {
                let read = parameter.read(parameter.default_text());
                assert!(read.is_ok(), "{entry}: {read:?}");
            }
        }
    }

    #[test]
    fn a_header_states_what_differs() {
        let whole = parameter("threshold").clone();
        assert_eq!(whole.default_text(), "0.8");
        let of_header = |line| Parameter::of_header(line).expect("a parameter");
        assert_eq!(of_header("threshold"), whole);
        let meaning = of_header("threshold | another meaning");
        assert_eq!(meaning.doc, "another meaning");
        assert_eq!(
            (&meaning.kind, &meaning.default),
            (&whole.kind, &whole.default)
        );
        assert_eq!(of_header("threshold = 0.5").default_text(), "0.5");
        assert_eq!(of_header("threshold = computed").default, None);
        let linked = of_header("max_bucket_pairwise.linked");
        assert_eq!(linked.name, "max_bucket_pairwise");
        assert_eq!(linked.kind, parameter("max_bucket_pairwise").kind);
        assert_ne!(linked.doc, parameter("max_bucket_pairwise").doc);
        let own = of_header("threshold: integer in [1, 2] | of its own");
        assert_eq!(
            (own.default, own.kind.to_string()),
            (None, "a whole number in [1, 2]".to_owned())
        );
        assert!(Parameter::of_header("unheard_of").is_err());
        assert!(Parameter::of_header("threshold.of_another").is_err());
        assert!(Parameter::of_header("threshold: float").is_err());
    }
}
