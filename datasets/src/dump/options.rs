//! Options of reading a dump. To add an option, add a field, a name, a case in `set` and a test.

use datafusion::common::{Result, plan_err};
use neardup_wikidump::{OnError, ReadOptions, Revisions};
use serde::{Deserialize, Serialize};

/// Largest value of `max_page_bytes`: a text must fit an Arrow array of 32-bit offsets.
const MAX_PAGE_BYTES: usize = 1 << 30;

/// Which parts of a dump are read, and what happens if a part cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpOptions {
    /// Only pages of these namespaces; `None` for all. Default: 0, the articles.
    pub namespaces: Option<Vec<i32>>,
    /// Whether redirects are rows. Default: no.
    pub redirects: bool,
    /// One row for each page, its latest revision (the default), or one row for each revision.
    pub revisions: Revisions,
    /// Whether to fail if the dump is damaged (the default), or to leave out what cannot be read and count it.
    pub on_error: OnError,
    /// The largest revision in bytes of XML, at most 1 GiB. Default: 64 MiB.
    pub max_page_bytes: usize,
    /// The column `language` of every row; `None`: as in the dump's header.
    pub language: Option<String>,
}

impl Default for DumpOptions {
    fn default() -> Self {
        let ReadOptions {
            revisions,
            namespaces,
            redirects,
            on_error,
            max_page_bytes,
            ..
        } = ReadOptions::default();
        Self {
            namespaces,
            redirects,
            revisions,
            on_error,
            max_page_bytes,
            language: None,
        }
    }
}

impl DumpOptions {
    /// The names that [`DumpOptions::set`] accepts.
    pub const NAMES: [&str; 6] = [
        "namespaces",
        "redirects",
        "revisions",
        "on_error",
        "max_page_bytes",
        "language",
    ];

    /// Reads options from texts.
    ///
    /// # Errors
    /// Those of [`DumpOptions::set`].
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut options = Self::default();
        for (name, value) in texts {
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// Sets the option `name`, in any case, by a text:
    ///
    /// | name | values |
    /// | --- | --- |
    /// | `namespaces` | `all`, a number, or numbers separated by commas, with or without brackets |
    /// | `redirects` | `true`, `false` |
    /// | `revisions` | `latest`, `all` |
    /// | `on_error` | `fail`, `skip` |
    /// | `max_page_bytes` | a number of bytes, or with `KiB`, `MiB` or `GiB`; at most 1 GiB |
    /// | `language` | an IETF tag such as `de` or `zh-Hant` |
    ///
    /// # Errors
    /// An unknown name, or a value that is none of these.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let text = value.trim();
        let refuse = |rule: &str| plan_err!("option {name} must be {rule}, found '{value}'");
        match name.to_ascii_lowercase().as_str() {
            "namespaces" => match namespaces(text) {
                Some(namespaces) => self.namespaces = namespaces,
                None => return refuse("'all' or numbers of namespaces separated by commas"),
            },
            "redirects" => match text.to_ascii_lowercase().as_str() {
                "true" => self.redirects = true,
                "false" => self.redirects = false,
                _ => return refuse("true or false"),
            },
            "revisions" => match text.to_ascii_lowercase().as_str() {
                "latest" => self.revisions = Revisions::Latest,
                "all" => self.revisions = Revisions::All,
                _ => return refuse("'latest' or 'all'"),
            },
            "on_error" => match text.to_ascii_lowercase().parse() {
                Ok(on_error) => self.on_error = on_error,
                Err(_) => return refuse("'fail' or 'skip'"),
            },
            "max_page_bytes" => match bytes(text) {
                Some(bytes) => self.max_page_bytes = bytes,
                None => return refuse("a number of bytes from 1 to 1 GiB"),
            },
            "language" => {
                let tag = |c: char| c.is_ascii_alphanumeric() || c == '-';
                if text.is_empty() || !text.chars().all(tag) {
                    return refuse("an IETF language tag such as 'de'");
                }
                self.language = Some(text.to_owned());
            }
            _ => {
                let known = Self::NAMES.join(", ");
                return plan_err!("a dump has no option {name}; it has {known}");
            }
        }
        Ok(())
    }

    /// The options of the reader. `kind`: whether a column depends on the content of the text.
    pub(super) fn reader(&self, text: bool, kind: bool) -> ReadOptions {
        ReadOptions {
            revisions: self.revisions,
            namespaces: self.namespaces.clone(),
            redirects: self.redirects,
            text,
            kind,
            on_error: self.on_error,
            max_page_bytes: self.max_page_bytes,
        }
    }
}

/// Parses namespaces; `Some(None)` means all of them, `None` an invalid text.
fn namespaces(text: &str) -> Option<Option<Vec<i32>>> {
    if text.eq_ignore_ascii_case("all") {
        return Some(None);
    }
    let inside = match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?,
        None => text,
    };
    let numbers = inside.split(',').map(|number| number.trim().parse().ok());
    Some(Some(numbers.collect::<Option<Vec<i32>>>()?))
}

fn bytes(text: &str) -> Option<usize> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let shift = match text[end..].trim().to_ascii_lowercase().as_str() {
        "" => 0,
        "kib" => 10,
        "mib" => 20,
        "gib" => 30,
        _ => return None,
    };
    let number: usize = text[..end].parse().ok()?;
    let bytes = number.checked_mul(1 << shift)?;
    (1..=MAX_PAGE_BYTES).contains(&bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> Result<DumpOptions> {
        DumpOptions::from_texts([(name, value)])
    }

    fn message(name: &str, value: &str) -> String {
        set(name, value).unwrap_err().strip_backtrace()
    }

    #[test]
    fn texts_are_understood() {
        let default = DumpOptions::default();
        assert_eq!(default.namespaces, Some(vec![0]));
        assert_eq!(set("namespaces", "0").unwrap(), default);
        assert_eq!(set("Namespaces", "All").unwrap().namespaces, None);
        for list in ["0,14", " [0, 14] "] {
            assert_eq!(
                set("namespaces", list).unwrap().namespaces,
                Some(vec![0, 14])
            );
        }
        assert!(set("redirects", "TRUE").unwrap().redirects);
        assert_eq!(set("revisions", "all").unwrap().revisions, Revisions::All);
        assert_eq!(set("on_error", "skip").unwrap().on_error, OnError::Skip);
        for (text, bytes) in [("1000", 1000), ("64 MiB", 64 << 20), ("1GiB", 1 << 30)] {
            assert_eq!(set("max_page_bytes", text).unwrap().max_page_bytes, bytes);
        }
        let german = set("language", "de").unwrap();
        assert_eq!(german.language.as_deref(), Some("de"));
    }

    #[test]
    fn wrong_texts_are_named() {
        assert_eq!(
            message("namespace", "0"),
            "Error during planning: a dump has no option namespace; it has namespaces, redirects, \
             revisions, on_error, max_page_bytes, language"
        );
        assert_eq!(
            message("revisions", "newest"),
            "Error during planning: option revisions must be 'latest' or 'all', found 'newest'"
        );
        for (name, value) in [
            ("namespaces", ""),
            ("namespaces", "0,"),
            ("namespaces", "[0"),
            ("namespaces", "Talk"),
            ("redirects", "1"),
            ("on_error", "ignore"),
            ("max_page_bytes", "0"),
            ("max_page_bytes", "2 GiB"),
            ("max_page_bytes", "-1"),
            ("max_page_bytes", "99999999999999999999"),
            ("max_page_bytes", "9999999999999999 GiB"),
            ("max_page_bytes", "é"),
            ("language", ""),
            ("language", "de de"),
        ] {
            assert!(
                message(name, value).contains(&format!("option {name} must be")),
                "{name} {value}"
            );
        }
    }
}
