//! What differs between the languages of Wikipedia: sections that close a page, names of
//! namespaces, words for a redirect, codes of other wikis.
//!
//! Namespace names and redirect words are few and do not clash, so those of all languages are known
//! at once; section titles are looked up by language. A new language needs one line in [`sections`],
//! its names in [`namespaces`] and its code in [`codes`]; ARCHITECTURE.md lists the files outside of
//! this module.

mod codes;
mod namespaces;
mod sections;

use super::variants;

pub use codes::is_language_code;
pub(super) use codes::is_wiki_code;
pub(super) use namespaces::{is_category, is_file};

/// The language of a wiki.
#[derive(Debug, Clone, Copy)]
pub(super) struct Language<'a> {
    /// Lower-case code without a variant ("pt" of "pt-br"), or empty.
    code: &'a str,
}

impl<'a> Language<'a> {
    pub(super) fn of(code: Option<&'a str>) -> Self {
        let code = code.unwrap_or_default();
        Self {
            code: code.split(['-', '_']).next().unwrap_or_default(),
        }
    }

    /// True for a language code, in any case.
    pub(super) fn is(&self, code: &str) -> bool {
        self.code.eq_ignore_ascii_case(code)
    }

    /// True if pages may hold marks that convert between variants of the language.
    pub(super) fn has_variants(&self) -> bool {
        variants::has_variants(&self.code.to_ascii_lowercase())
    }

    /// True if a section of this title (lower case, trimmed) holds references, links or notes.
    /// A language without a list of its own is read by the lists of all.
    pub(super) fn closes_page(&self, title: &str) -> bool {
        sections::is_closing(self.code, title)
    }
}

/// True if the page only leads to another one.
pub(super) fn is_redirect(wikitext: &str) -> bool {
    let Some(rest) = wikitext.trim_start().strip_prefix(['#', '＃']) else {
        return false;
    };
    let rest = rest.trim_start_matches(' ');
    let end = rest
        .char_indices()
        .take(24)
        .find(|&(_, c)| c.is_whitespace() || c == '[' || c == ':' || c == '：')
        .map_or(0, |(i, _)| i);
    let word = rest[..end].to_lowercase();
    namespaces::REDIRECT.contains(&word.as_str())
        && rest[end..]
            .trim_start_matches([' ', ':', '：', '\n', '\r'])
            .starts_with("[[")
}
