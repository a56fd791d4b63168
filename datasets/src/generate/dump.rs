//! Rows as a MediaWiki dump (schema export-0.11), streamed.
//!
//! Sentences: pages of 3 to 12 rows, each row a paragraph of its own, so that the sentences of the cleaned page are
//! the rows, in order. Documents: a page a row, in paragraphs of five sentences. Some names are links, some paragraphs
//! have a reference, some pages have an infobox, and all have a category. A cleaner removes all of this markup.

use std::io::{self, Write};

use super::random::SplitMix64;
use super::{Kind, Row, Spec, domain};

const HEADER: &str = r#"<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Synthetic</sitename>
    <dbname>syntheticwiki</dbname>
    <base>https://synthetic.example.org/wiki/Main_Page</base>
    <generator>neardup generate</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="-2" case="first-letter">Media</namespace>
      <namespace key="-1" case="first-letter">Special</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="2" case="first-letter">User</namespace>
      <namespace key="3" case="first-letter">User talk</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"#;

/// The position of a row in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The page, numbered from 1.
    pub page_id: i64,
    /// The row's number among the sentences of the page, from 0; 0 for documents.
    pub sentence_no: i32,
}

/// Writes rows as a dump; holds one page.
#[derive(Debug)]
pub struct DumpWriter<W: Write> {
    out: W,
    spec: Spec,
    page_id: u64,
    random: SplitMix64,
    /// Rows of the page so far, and how many it is to have.
    filled: usize,
    capacity: usize,
    wikitext: String,
}

impl<W: Write> DumpWriter<W> {
    /// Starts a dump of a corpus.
    ///
    /// # Errors
    /// What writing to `out` returns; this holds for the other functions too.
    pub fn new(mut out: W, spec: Spec) -> io::Result<Self> {
        out.write_all(HEADER.as_bytes())?;
        let mut writer = Self {
            out,
            spec,
            page_id: 0,
            random: SplitMix64::new(0),
            filled: 0,
            capacity: 0,
            wikitext: String::new(),
        };
        writer.open();
        Ok(writer)
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, row: &Row) -> io::Result<Position> {
        self.write_text(&row.text)
    }

    /// Appends the text of a row.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write_text(&mut self, text: &str) -> io::Result<Position> {
        if self.filled == self.capacity {
            self.close()?;
            self.open();
        }
        let position = Position {
            page_id: self.page_id as i64,
            sentence_no: self.filled as i32,
        };
        self.filled += 1;
        self.paragraphs(text);
        Ok(position)
    }

    /// Ends the dump and gives the output back, flushed.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.filled > 0 {
            self.close()?;
        }
        self.out.write_all(b"</mediawiki>\n")?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn open(&mut self) {
        self.page_id += 1;
        self.random = SplitMix64::of(self.spec.seed, domain::PAGE, self.page_id);
        self.filled = 0;
        self.capacity = match self.spec.kind {
            Kind::Sentences => 3 + self.random.below(10),
            Kind::Documents => 1,
        };
        self.wikitext.clear();
        if self.random.percent(25) {
            self.wikitext.push_str("{{Infobox entry\n| number = ");
            self.wikitext.push_str(&self.page_id.to_string());
            self.wikitext.push_str("\n| state = {{unknown}}\n}}\n");
        }
    }

    /// The row as wikitext, with paragraphs after every fifth sentence.
    fn paragraphs(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (mut sentences, mut done) = (0, 0);
        for at in 1..bytes.len() {
            if bytes[at - 1] != b' ' {
                continue;
            }
            if at >= 2 && matches!(bytes[at - 2], b'.' | b'?' | b'!') {
                sentences += 1;
                if sentences % 5 == 0 {
                    self.wikitext.push_str(&text[done..at - 1]);
                    self.wikitext.push_str("\n\n");
                    done = at;
                }
            }
            if bytes[at].is_ascii_uppercase() && self.random.percent(25) {
                self.wikitext.push_str(&text[done..at]);
                let rest = &text[at..];
                let word = rest.split(' ').next().unwrap_or(rest);
                let name = word.trim_end_matches(|c: char| !c.is_alphabetic());
                self.link(name);
                done = at + name.len();
            }
        }
        self.wikitext.push_str(&text[done..]);
        if self.random.percent(10) {
            self.wikitext
                .push_str("<ref>{{cite book|title=Annals & Notes|page=");
            self.wikitext.push_str(&self.random.below(500).to_string());
            self.wikitext.push_str("}}</ref>");
        }
        self.wikitext.push_str("\n\n");
    }

    fn link(&mut self, name: &str) {
        self.wikitext.push_str("[[");
        if self.random.percent(30) {
            self.wikitext.push_str(name);
            self.wikitext.push_str(" (disambiguation)|");
        }
        self.wikitext.push_str(name);
        self.wikitext.push_str("]]");
    }

    fn close(&mut self) -> io::Result<()> {
        self.wikitext.push_str("[[Category:Synthetic entries]]");
        let page = self.page_id;
        write!(
            self.out,
            "  <page>\n    <title>Entry {page}</title>\n    <ns>0</ns>\n    <id>{page}</id>\n    \
             <revision>\n      <id>{page}</id>\n      \
             <timestamp>2020-01-01T00:00:00Z</timestamp>\n      <contributor>\n        \
             <username>Generator</username>\n        <id>1</id>\n      </contributor>\n      \
             <origin>{page}</origin>\n      <model>wikitext</model>\n      \
             <format>text/x-wiki</format>\n      <text bytes=\"{}\" xml:space=\"preserve\">",
            self.wikitext.len()
        )?;
        escape(&self.wikitext, &mut self.out)?;
        self.out
            .write_all(b"</text>\n      <sha1 />\n    </revision>\n  </page>\n")
    }
}

fn escape(text: &str, out: &mut impl Write) -> io::Result<()> {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            _ => continue,
        };
        out.write_all(&text.as_bytes()[done..at])?;
        out.write_all(entity)?;
        done = at + 1;
    }
    out.write_all(&text.as_bytes()[done..])
}
