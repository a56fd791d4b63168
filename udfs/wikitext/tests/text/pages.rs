//! Pages of a dump by byte search, for tests that must not depend on the dump reader.

use std::fs;
use std::io::Read;
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use memchr::memmem;

/// A page of a dump.
pub(crate) struct Page {
    pub id: String,
    pub title: String,
    pub namespace: String,
    pub wikitext: String,
}

/// The pages of a dump, plain or bz2, with the text of their first revision.
pub(crate) fn pages(path: &Path) -> Vec<Page> {
    let raw = fs::read(path).unwrap();
    let bytes = if path.extension().is_some_and(|e| e == "bz2") {
        let mut bytes = Vec::new();
        MultiBzDecoder::new(&raw[..])
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    } else {
        raw
    };
    let starts: Vec<usize> = memmem::find_iter(&bytes, b"<page>").collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| page(&String::from_utf8_lossy(&bytes[start..end])))
        .collect()
}

fn page(xml: &str) -> Page {
    let element = |name: &str| {
        let open = format!("<{name}");
        let close = format!("</{}>", name.trim_end());
        let Some(start) = xml.find(&open) else {
            return String::new();
        };
        let rest = &xml[start..];
        match (rest.find('>'), rest.find(&close)) {
            (Some(from), Some(to)) if from < to => unescape(&rest[from + 1..to]),
            _ => String::new(),
        }
    };
    Page {
        id: element("id"),
        title: element("title"),
        namespace: element("ns"),
        wikitext: element("text "),
    }
}

fn unescape(xml: &str) -> String {
    xml.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}
