//! Reading Wikipedia dumps without a query engine: wikitext to plain text, plain text to sentences.
//!
//! Everything here works on slices and strings; Arrow and DataFusion stay outside.

pub mod sentences;
pub mod wikitext;
