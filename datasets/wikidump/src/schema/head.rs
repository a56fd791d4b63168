//! Parses the head of a page: the elements before its first revision.

use super::fields::{Content, Fields, Names};
use super::siteinfo::SiteInfo;
use crate::location::PageName;

const NAMES: Names = Names {
    short: &["title", "ns", "id", "redirect"],
    long: &[],
};

/// The head of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: i64,
    pub(crate) namespace: i32,
    pub(crate) title: String,
    /// The page is marked as a redirect.
    pub(crate) is_redirect: bool,
    /// The target of the redirect in the mark.
    pub(crate) redirect: Option<String>,
    /// Number of elements that cannot be read.
    pub(crate) unreadable: u64,
    /// The title has bytes that are not UTF-8.
    pub(crate) not_utf8: bool,
}

impl Head {
    /// Reads the bytes from `<page>` to the first revision.
    ///
    /// # Errors
    ///
    /// If the title or the number cannot be read: the known parts of the page's name, and the
    /// reason.
    pub(crate) fn parse(bytes: &[u8], site: &SiteInfo) -> Result<Self, (PageName, &'static str)> {
        let (mut title, mut id, mut namespace) = (None, None, None);
        let (mut is_redirect, mut redirect) = (false, None);
        let (mut unreadable, mut not_utf8) = (0, false);
        for field in Fields::new(bytes, NAMES) {
            let readable = match field.name {
                "redirect" => {
                    is_redirect = true;
                    redirect = redirect.or_else(|| field.attribute("title"));
                    true
                }
                "title" if title.is_none() && matches!(field.content, Content::Raw(_)) => {
                    title = Some(field.text());
                    not_utf8 = !field.is_utf8();
                    true
                }
                "id" if id.is_none() => {
                    id = field.number();
                    id.is_some()
                }
                "ns" if namespace.is_none() => {
                    namespace = field.number();
                    namespace.is_some()
                }
                _ => false,
            };
            unreadable += u64::from(!readable);
        }
        match (title, id) {
            (Some(title), Some(id)) => Ok(Self {
                id,
                namespace: namespace.unwrap_or_else(|| site.namespace_of(&title)),
                title,
                is_redirect,
                redirect,
                unreadable,
                not_utf8,
            }),
            (title @ None, id) => Err((PageName { id, title }, "its <title> is missing or cut")),
            (title, id) => Err((
                PageName { id, title },
                "its <id> is missing or no whole number",
            )),
        }
    }

    pub(crate) fn name(&self) -> PageName {
        PageName {
            id: Some(self.id),
            title: Some(self.title.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_head() {
        let head = Head::parse(
            b"<page><title>A &amp; B</title><ns>4</ns><id> 12 </id><redirect title=\"C &quot;D&quot;\" />\
              <restrictions>edit</restrictions><unknown><id>3</id></unknown>",
            &SiteInfo::default(),
        )
        .unwrap();
        assert_eq!(head.title, "A & B");
        assert_eq!((head.id, head.namespace, head.is_redirect), (12, 4, true));
        assert_eq!(head.redirect.as_deref(), Some("C \"D\""));
    }

    #[test]
    fn a_bad_head_says_what_it_knows() {
        let site = SiteInfo::default();
        let (name, reason) = Head::parse(b"<page><title>A</title><id>x</id>", &site).unwrap_err();
        assert_eq!(name.to_string(), "page \"A\"");
        assert_eq!(reason, "its <id> is missing or no whole number");
        let (name, reason) = Head::parse(b"<page><id>3</id>", &site).unwrap_err();
        assert_eq!(name.to_string(), "page 3");
        assert_eq!(reason, "its <title> is missing or cut");
        assert!(Head::parse(b"<page><title>A</title><id>3", &site).is_err());
    }

    #[test]
    fn damage_is_counted() {
        let head = b"<page><title>A</b>B</title><ns>x</ns><id>589</id><redirect <page>\n\
            <title>Ctitle=\"D\" /> ";
        let head = Head::parse(head, &SiteInfo::default()).unwrap();
        assert_eq!((head.title.as_str(), head.id), ("A</b>B", 589));
        assert!(head.is_redirect && head.redirect.is_none());
        assert_eq!(head.unreadable, 2);
    }

    #[test]
    fn a_dump_without_namespaces_has_them_in_titles() {
        let head = Head::parse(
            b"<page><title>Talk:X</title><id>1</id>",
            &SiteInfo::default(),
        );
        assert_eq!(head.unwrap().namespace, 1);
    }
}
