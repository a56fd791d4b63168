//! The header of a dump: which wiki it is of, and its namespaces.

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::fields::{Content, Fields, Names};
use crate::pages::first_page;

const ROOT: Names = Names {
    short: &["mediawiki"],
    long: &["siteinfo"],
};

const SITEINFO: Names = Names {
    short: &["sitename", "dbname", "base", "case"],
    long: &["namespaces"],
};

const NAMESPACES: Names = Names {
    short: &["namespace"],
    long: &[],
};

/// One namespace of a wiki.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// Its number: even for content, odd for the talk pages about it.
    pub key: i32,
    /// Its name in the wiki's language, which prefixes titles; empty for articles.
    pub name: String,
}

/// What the header of a dump says. A dump without a header has the default: nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteInfo {
    /// Version of the export schema, such as `0.11`.
    pub version: Option<String>,
    /// The `xml:lang` of the root. It can be wrong; prefer [`SiteInfo::language`].
    pub xml_lang: Option<String>,
    /// The wiki's name, such as `Wikipedia`.
    pub sitename: Option<String>,
    /// The wiki's database, such as `enwiki`; old dumps do not have it.
    pub dbname: Option<String>,
    /// Address of the main page.
    pub base: Option<String>,
    /// `first-letter` or `case-sensitive`: how titles are compared.
    pub case: Option<String>,
    /// The namespaces in the order of the header.
    pub namespaces: Vec<Namespace>,
}

/// Suffixes of database names, and the second labels of host names that they go with.
const PROJECTS: [(&str, &str); 8] = [
    ("wiktionary", "wiktionary"),
    ("wikibooks", "wikibooks"),
    ("wikinews", "wikinews"),
    ("wikiquote", "wikiquote"),
    ("wikisource", "wikisource"),
    ("wikiversity", "wikiversity"),
    ("wikivoyage", "wikivoyage"),
    ("wiki", "wikipedia"),
];

/// Wikis of several languages, whose database names look like those of a language.
const MULTILINGUAL: [&str; 8] = [
    "commons",
    "meta",
    "species",
    "wikidata",
    "mediawiki",
    "incubator",
    "sources",
    "wikimania",
];

/// Names of namespaces in wikis that do not say theirs.
const CANONICAL: [(i32, &str); 16] = [
    (-2, "Media"),
    (-1, "Special"),
    (1, "Talk"),
    (2, "User"),
    (3, "User talk"),
    (4, "Project"),
    (5, "Project talk"),
    (6, "File"),
    (7, "File talk"),
    (8, "MediaWiki"),
    (9, "MediaWiki talk"),
    (10, "Template"),
    (11, "Template talk"),
    (12, "Help"),
    (14, "Category"),
    (15, "Category talk"),
];

impl SiteInfo {
    /// Reads the header from the first bytes of the XML, as far as it is there. What follows the
    /// header is not looked at.
    #[must_use]
    pub fn parse(xml: &[u8]) -> Self {
        let mut site = Self::default();
        let head = first_page(xml).map_or(xml, |page| &xml[..page]);
        for field in Fields::new(head, ROOT) {
            match (field.name, field.content) {
                ("siteinfo", Content::Raw(inside)) => {
                    site.read_siteinfo(inside);
                    break;
                }
                ("mediawiki", _) => {
                    site.version = field.attribute("version");
                    site.xml_lang = field.attribute("xml:lang");
                }
                _ => {}
            }
        }
        site
    }

    /// Whether the bytes hold all that [`SiteInfo::parse`] reads.
    pub(crate) fn is_complete(xml: &[u8]) -> bool {
        memmem::find(xml, b"</siteinfo>").is_some() || first_page(xml).is_some()
    }

    fn read_siteinfo(&mut self, inside: &[u8]) {
        for field in Fields::new(inside, SITEINFO) {
            match (field.name, field.content) {
                ("namespaces", Content::Raw(inside)) => self.read_namespaces(inside),
                (_, Content::Unclosed) => {}
                ("sitename", _) => self.sitename = Some(field.text()),
                ("dbname", _) => self.dbname = Some(field.text()),
                ("base", _) => self.base = Some(field.text()),
                ("case", _) => self.case = Some(field.text()),
                _ => {}
            }
        }
    }

    fn read_namespaces(&mut self, inside: &[u8]) {
        for field in Fields::new(inside, NAMESPACES) {
            let key = field
                .attribute("key")
                .and_then(|key| key.trim().parse().ok());
            if let Some(key) = key
                && field.content != Content::Unclosed
            {
                let name = field.text();
                self.namespaces.push(Namespace { key, name });
            }
        }
    }

    /// The wiki's database name: as the header has it, else from the address of the main page
    /// (`https://en.wikipedia.org/…` is `enwiki`).
    #[must_use]
    pub fn wiki(&self) -> Option<String> {
        if let Some(dbname) = &self.dbname {
            return Some(dbname.clone());
        }
        let (language, project) = self.host()?;
        let (suffix, _) = PROJECTS.iter().find(|(_, host)| *host == project)?;
        Some(format!("{}{suffix}", language.replace('-', "_")))
    }

    /// The language of the wiki's texts as an IETF tag: from the address of the main page, else
    /// from the database name, else what `xml:lang` says.
    #[must_use]
    pub fn language(&self) -> Option<String> {
        let by_host = || {
            let (language, project) = self.host()?;
            PROJECTS
                .iter()
                .any(|(_, host)| *host == project)
                .then(|| language.to_owned())
        };
        let by_name = || {
            let name = self.dbname.as_deref()?;
            let language = PROJECTS
                .iter()
                .find_map(|(suffix, _)| name.strip_suffix(suffix))?;
            // Names without an underscore that are longer than a code are no languages, but for one.
            let is_code = language.len() <= 3 || language.contains('_') || language == "simple";
            (!language.is_empty() && is_code && !MULTILINGUAL.contains(&language))
                .then(|| language.replace('_', "-"))
        };
        let language = by_host()
            .or_else(by_name)
            .or_else(|| self.xml_lang.clone())?;
        Some(match language.as_str() {
            "simple" => "en".to_owned(),
            "be-x-old" => "be-tarask".to_owned(),
            "zh-min-nan" => "nan".to_owned(),
            "zh-classical" => "lzh".to_owned(),
            "zh-yue" => "yue".to_owned(),
            "no" => "nb".to_owned(),
            _ => language,
        })
    }

    /// First and second label of the host of the main page.
    fn host(&self) -> Option<(&str, &str)> {
        let base = self.base.as_deref()?;
        let host = base.split_once("//").map_or(base, |(_, rest)| rest);
        let host = host.split('/').next()?;
        let mut labels = host.split('.');
        let (first, second, _) = (labels.next()?, labels.next()?, labels.next()?);
        Some((first, second))
    }

    /// The namespace that the prefix of a title names; 0 without one.
    #[must_use]
    pub fn namespace_of(&self, title: &str) -> i32 {
        let Some((prefix, _)) = title.split_once(':') else {
            return 0;
        };
        let prefix = prefix.replace('_', " ").trim().to_lowercase();
        let own = self
            .namespaces
            .iter()
            .find(|own| !own.name.is_empty() && own.name.to_lowercase() == prefix);
        if let Some(own) = own {
            return own.key;
        }
        if !self.namespaces.is_empty() {
            return 0;
        }
        CANONICAL
            .iter()
            .find(|(_, name)| name.to_lowercase() == prefix)
            .map_or(0, |(key, _)| *key)
    }

    /// The name of a namespace in the wiki's language; empty for articles, `None` if there is none
    /// with this number.
    #[must_use]
    pub fn namespace_name(&self, key: i32) -> Option<&str> {
        self.namespaces
            .iter()
            .find(|own| own.key == key)
            .map(|own| own.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "<?xml version=\"1.0\"?>\n<mediawiki version=\"0.11\" xml:lang=\"de\"><siteinfo>\
        <sitename>Wiki &amp; pedia</sitename><dbname>dewiki</dbname>\
        <base>https://de.wikipedia.org/wiki/X</base><generator>M</generator><case>first-letter</case>\
        <namespaces><namespace key=\"-1\" case=\"first-letter\">Spezial</namespace>\
        <namespace key=\"0\" case=\"first-letter\" />\
        <namespace key=\"3\">Benutzer Diskussion</namespace></namespaces></siteinfo>";

    #[test]
    fn reads_the_header_whatever_follows() {
        for rest in [
            "",
            " <namespace key=\"829\" cas  <page>",
            "<page><siteinfo><dbname>no",
            "&&<<",
        ] {
            let site = SiteInfo::parse(format!("{HEADER}{rest}").as_bytes());
            assert_eq!(site.version.as_deref(), Some("0.11"));
            assert_eq!(site.sitename.as_deref(), Some("Wiki & pedia"));
            assert_eq!(site.case.as_deref(), Some("first-letter"));
            assert_eq!(site.wiki().as_deref(), Some("dewiki"));
            assert_eq!(site.language().as_deref(), Some("de"));
            assert_eq!(site.namespaces.len(), 3);
            assert_eq!(site.namespace_name(0), Some(""));
            assert_eq!(site.namespace_of("benutzer_Diskussion:A:B"), 3);
            assert_eq!(site.namespace_of("Talk:A"), 0);
            assert_eq!(site.namespace_of(": A"), 0);
        }
    }

    #[test]
    fn every_cut_header_parses() {
        for end in 0..HEADER.len() {
            let site = SiteInfo::parse(&HEADER.as_bytes()[..end]);
            assert!(site.namespaces.len() <= 3);
        }
        assert_eq!(SiteInfo::parse(b"  <page>"), SiteInfo::default());
    }

    #[test]
    fn names_come_from_the_address_where_the_header_has_none() {
        let site = |base: &str, dbname: Option<&str>| SiteInfo {
            base: Some(base.to_owned()),
            dbname: dbname.map(str::to_owned),
            xml_lang: Some("xx".to_owned()),
            ..SiteInfo::default()
        };
        let old = site("http://zh-min-nan.wiktionary.org/wiki/X", None);
        assert_eq!(old.wiki().as_deref(), Some("zh_min_nanwiktionary"));
        assert_eq!(old.language().as_deref(), Some("nan"));
        let commons = site("https://commons.wikimedia.org/wiki/X", Some("commonswiki"));
        assert_eq!(commons.language().as_deref(), Some("xx"));
        let own = site("http://localhost/wiki", Some("simplewiki"));
        assert_eq!(own.language().as_deref(), Some("en"));
        assert_eq!(site("http://localhost/wiki", None).wiki(), None);
    }
}
