//! Classifies a page by its text and title: article, redirect, disambiguation, stub or other.
//!
//! The words are in [`words`]; to add a language, add its words there.

mod words;

use std::fmt;

use memchr::memmem;

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// A page of namespace 0 that is none of the others.
    Article,
    /// A page that leads to another one, in any namespace.
    Redirect,
    /// A list of the pages that a title may mean.
    Disambiguation,
    /// An article that is marked as too short.
    Stub,
    /// A page of another namespace, or with another content model than wikitext.
    Other,
}

impl PageKind {
    /// The name in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Redirect => "redirect",
            Self::Disambiguation => "disambiguation",
            Self::Stub => "stub",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Longest name of a template or of a redirect word that is looked up, in bytes.
const MAX_NAME_BYTES: usize = 80;

/// Tells what wikitext of namespace 0 that is no redirect is.
pub(crate) fn of_wikitext(title: &str, text: &str) -> PageKind {
    if title_says_disambiguation(title) || memmem::find(text.as_bytes(), b"__DISAMBIG__").is_some()
    {
        return PageKind::Disambiguation;
    }
    let mut kind = PageKind::Article;
    let mut name = String::new();
    for at in memmem::find_iter(text.as_bytes(), b"{{") {
        template_name(&text[at + 2..], &mut name);
        if words::is_disambiguation(&name) {
            return PageKind::Disambiguation;
        }
        if words::is_stub(&name) {
            kind = PageKind::Stub;
        }
    }
    kind
}

/// The target of a redirect; `None` if the text is no redirect.
///
/// The text must start with a redirect word after white space; its link must follow, a colon may
/// lie between. With `any_word` every word after the number sign counts.
pub(crate) fn redirect_target(text: &str, any_word: bool) -> Option<&str> {
    let text = text.trim_start();
    let word = text.strip_prefix('#').or_else(|| text.strip_prefix('＃'))?;
    let open = word
        .as_bytes()
        .iter()
        .take(MAX_NAME_BYTES)
        .position(|&byte| byte == b'[')?;
    let (word, link) = word.split_at(open);
    let link = link.strip_prefix("[[")?;
    let word = word.trim_end();
    let word = word.strip_suffix([':', '：']).unwrap_or(word).trim();
    if word.contains('\n') || !any_word && !words::is_redirect(word) {
        return None;
    }
    let end = memchr::memchr3(b'|', b']', b'\n', link.as_bytes())?;
    (link.as_bytes()[end] != b'\n').then(|| link[..end].trim())
}

/// The name of the template whose inside `text` starts, in lower case and with spaces; empty if it
/// is too long to be one that is known.
fn template_name(text: &str, name: &mut String) {
    name.clear();
    let bytes = text.as_bytes();
    let limit = bytes.len().min(MAX_NAME_BYTES);
    let end = bytes[..limit]
        .iter()
        .position(|byte| matches!(byte, b'|' | b'}' | b'{' | b'<' | b'['))
        .unwrap_or(if limit == bytes.len() { limit } else { 0 });
    for part in text[..end].split(|c: char| c == '_' || c.is_whitespace()) {
        if part.is_empty() {
            continue;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.extend(part.chars().flat_map(char::to_lowercase));
    }
}

/// Titles such as `Mercury (disambiguation)`.
fn title_says_disambiguation(title: &str) -> bool {
    let inside = title
        .strip_suffix(')')
        .and_then(|title| title.rsplit_once('('))
        .map(|(_, inside)| inside);
    inside.is_some_and(|inside| words::is_disambiguation(&inside.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_told_in_many_languages() {
        for (text, target) in [
            ("#REDIRECT [[A]]", "A"),
            ("\n #redirect[[A b|c]] {{R}}", "A b"),
            ("#WEITERLEITUNG [[A#B]]", "A#B"),
            ("#Weiterleitung: [[A]]", "A"),
            ("#перенаправление [[Б]]", "Б"),
            ("#転送 [[東京]]", "東京"),
            ("#REDIRECCIÓN [[A]]", "A"),
            ("＃重定向 [[A]]", "A"),
            ("#تغییر_مسیر [[A]]", "A"),
            ("#تغییر مسیر [[A]]", "A"),
            ("#yönlendirme [[A]]", "A"),
            ("#YÖNLENDİRME [[A]]", "A"),
        ] {
            assert_eq!(redirect_target(text, false), Some(target), "{text}");
        }
        for text in [
            "",
            "#",
            "#REDIRECT",
            "#REDIRECT to [[A]]",
            "# see [[A]]",
            "x #REDIRECT [[A]]",
            "#REDIRECT\n[[A]]x",
            "#REDIRECT [[A",
            "#REDIRECT [A]",
            "#REDIRECT [[A\nB]]",
        ] {
            let want = (text == "#REDIRECT\n[[A]]x").then_some("A");
            assert_eq!(redirect_target(text, false), want, "{text}");
        }
        assert_eq!(redirect_target("#unbekannt [[A]]", true), Some("A"));
    }

    #[test]
    fn kinds_are_told_by_templates_words_and_titles() {
        for (title, text, kind) in [
            ("A", "text {{Infobox|x={{y}}}}", "article"),
            ("A", "x {{disambiguation}}", "disambiguation"),
            ("A", "x {{Disambig|geo}}", "disambiguation"),
            ("A", "x {{hndis|A, B}}", "disambiguation"),
            ("A", "x __DISAMBIG__", "disambiguation"),
            ("A", "{{Begriffsklärung}}", "disambiguation"),
            ("A", "{{Неоднозначность\n|тип}}", "disambiguation"),
            ("A", "{{Homonymie}}", "disambiguation"),
            ("A", "{{曖昧さ回避}}", "disambiguation"),
            ("Mercury (disambiguation)", "x", "disambiguation"),
            ("Mercury (element)", "x", "article"),
            ("A", "x {{stub}}", "stub"),
            ("A", "x {{Physics-stub}}", "stub"),
            ("A", "x {{Physics_stub}}", "stub"),
            ("A", "x {{ébauche|Belgique}}", "stub"),
            ("A", "x {{Ébauche Belgique}}", "stub"),
            ("A", "x {{stub}} {{disambig}}", "disambiguation"),
            ("A", "x {{stubborn}} {{", "article"),
        ] {
            assert_eq!(of_wikitext(title, text).as_str(), kind, "{title} {text}");
        }
    }

    #[test]
    fn long_and_odd_texts_are_read_once() {
        let braces = "{".repeat(1_000_000);
        assert_eq!(of_wikitext("A", &braces), PageKind::Article);
        let name = format!("{{{{{}", "é".repeat(100_000));
        assert_eq!(of_wikitext("A", &name), PageKind::Article);
        assert_eq!(
            redirect_target(&format!("#{}", "é".repeat(100_000)), true),
            None
        );
    }
}
