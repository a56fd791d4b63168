//! The bundled sample: a small wiki and a small table of documents, built into the library.
//!
//! This module holds only the bytes and their names; `datasets/sample/README.md` describes the content and how to
//! change it. The files are read by the same readers as any other input.

#[cfg(test)]
mod tests;

/// The file name of [`SAMPLE_DUMP`], by whose extension readers recognise its format.
pub const SAMPLE_DUMP_NAME: &str = "samplewiki-pages-articles.xml.bz2";

/// A dump of 61 pages (schema export-0.11, one bz2 stream, about 21 kB), with planted identical
/// sentences, copy edits, factual drifts, templates and references.
pub const SAMPLE_DUMP: &[u8] = include_bytes!("../../sample/samplewiki-pages-articles.xml.bz2");

/// The name under which [`SAMPLE_DOCUMENTS`] would lie on disk.
pub const SAMPLE_DOCUMENTS_NAME: &str = "documents.jsonl";

/// A table of 33 short documents as JSON lines (`id`, `title`, `source`, `language`, `body`), with
/// planted near-duplicates, one empty body and one null.
pub const SAMPLE_DOCUMENTS: &[u8] = include_bytes!("../../sample/documents.jsonl");
