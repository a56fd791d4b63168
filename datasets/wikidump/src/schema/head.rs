//! What a page says before its first revision.

use super::siteinfo::SiteInfo;
use super::xml::{Reason, Walker};
use crate::location::PageName;

/// The head of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: i64,
    pub(crate) namespace: i32,
    pub(crate) title: String,
    /// The page is marked as a redirect.
    pub(crate) is_redirect: bool,
    /// Where the mark says it leads.
    pub(crate) redirect: Option<String>,
}

impl Head {
    /// Reads the bytes from `<page>` to the first revision.
    ///
    /// # Errors
    ///
    /// Where the XML is malformed or an element is missing: what was read of the page's name, and
    /// the reason.
    pub(crate) fn parse(bytes: &[u8], site: &SiteInfo) -> Result<Self, (PageName, Reason)> {
        let mut name = PageName::default();
        match Self::read(bytes, site, &mut name) {
            Ok(head) => Ok(head),
            Err(reason) => Err((name, reason)),
        }
    }

    fn read(bytes: &[u8], site: &SiteInfo, name: &mut PageName) -> Result<Self, Reason> {
        let mut namespace = None;
        let mut is_redirect = false;
        let mut redirect = None;
        let inside = bytes.strip_prefix(b"<page>").unwrap_or(bytes);
        let mut walker = Walker::new(inside);
        while let Some(child) = walker.next_child()? {
            match child.name() {
                b"title" => name.title = Some(walker.text(&child)?),
                b"id" => name.id = Some(number(&walker.text(&child)?, "id")?),
                b"ns" => namespace = Some(number(&walker.text(&child)?, "ns")?),
                b"redirect" => {
                    is_redirect = true;
                    redirect = child.attribute("title")?;
                    walker.skip(&child)?;
                }
                _ => walker.skip(&child)?,
            }
        }
        let title = name.title.clone().ok_or("it has no <title>")?;
        Ok(Self {
            id: name.id.ok_or("it has no <id>")?,
            namespace: namespace.unwrap_or_else(|| site.namespace_of(&title)),
            title,
            is_redirect,
            redirect,
        })
    }

    pub(crate) fn name(&self) -> PageName {
        PageName {
            id: Some(self.id),
            title: Some(self.title.clone()),
        }
    }
}

/// A whole number that an element holds.
pub(super) fn number<T: std::str::FromStr>(text: &str, element: &str) -> Result<T, Reason> {
    text.trim()
        .parse()
        .map_err(|_| format!("<{element}> must be a whole number and is {text:?}"))
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
        assert_eq!(reason, "<id> must be a whole number and is \"x\"");
        let (name, reason) = Head::parse(b"<page><id>3</id>", &site).unwrap_err();
        assert_eq!(
            (name.to_string().as_str(), reason.as_str()),
            ("page 3", "it has no <title>")
        );
        assert!(Head::parse(b"<page><title>A</title><id>3", &site).is_err());
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
