//! Options of reading word vectors. To add an option, add a field, a case in `set` and a test.

use datafusion::common::{Result, plan_err};
use neardup_wikidump::OnError;
use serde::{Deserialize, Serialize};

use super::format::Format;

/// The format of the files, and what happens if a row cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WordVectorOptions {
    /// `None` (the default): recognised by the first bytes of each file.
    pub format: Option<Format>,
    /// Whether to fail if a row cannot be read (the default), or to leave such rows out and count them.
    pub on_error: OnError,
}

impl WordVectorOptions {
    /// Sets the option `name` by a text:
    ///
    /// | name | values |
    /// | --- | --- |
    /// | `format` | `auto`, `glove`, `word2vec`, `word2vec_binary`, `fasttext` |
    /// | `on_error` | `fail`, `skip` |
    ///
    /// # Errors
    /// An unknown name, or a value that is none of these.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let on_error: Option<OnError> = value.parse().ok();
        match (name, value) {
            ("format", "auto") => self.format = None,
            ("format", "glove") => self.format = Some(Format::Glove),
            ("format", "word2vec") => self.format = Some(Format::Word2vec),
            ("format", "word2vec_binary") => self.format = Some(Format::Word2vecBinary),
            ("format", "fasttext") => self.format = Some(Format::FastText),
            ("on_error", _) if let Some(on_error) = on_error => self.on_error = on_error,
            _ => return plan_err!("word vectors have no option {name} of the value '{value}'"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_understood() {
        let mut options = WordVectorOptions::default();
        for (value, format) in [
            ("glove", Some(Format::Glove)),
            ("word2vec", Some(Format::Word2vec)),
            ("word2vec_binary", Some(Format::Word2vecBinary)),
            ("fasttext", Some(Format::FastText)),
            ("auto", None),
        ] {
            options.set("format", value).unwrap();
            assert_eq!(options.format, format);
        }
        options.set("on_error", "skip").unwrap();
        assert_eq!(options.on_error, OnError::Skip);
        let text = options.set("format", "csv").unwrap_err().strip_backtrace();
        assert!(
            text.contains("no option format of the value 'csv'"),
            "{text}"
        );
    }
}
