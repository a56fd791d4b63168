//! Detects the kind of a dump file by its content, never by its name.

use crate::error::DumpError;
use crate::source::{ReadAt, read_full};

/// How the XML of a dump is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Uncompressed XML. Any byte range can be read by itself.
    Plain,
    /// One or more bz2 streams. Any byte range can be read by itself; a block is the smallest part.
    Bzip2,
    /// One or more gzip members. Only the whole file can be read.
    Gzip,
}

/// Number of bytes at the beginning of a file that are examined.
const START: usize = 64;

/// Kinds of files that occur among dumps but are not supported.
const UNSUPPORTED: [(&[u8], &str); 6] = [
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x28\xB5\x2F\xFD", "a zstd file"),
    (b"\xFD7zXZ\x00", "an xz file"),
    (b"\x04\x22\x4D\x18", "an lz4 file"),
    (b"PAR1", "a Parquet file"),
];

/// Byte order marks of encodings other than UTF-8; the longer ones first.
const MARKS: [(&[u8], &str); 4] = [
    (b"\x00\x00\xFE\xFF", "UTF-32"),
    (b"\xFF\xFE\x00\x00", "UTF-32"),
    (b"\xFE\xFF", "UTF-16"),
    (b"\xFF\xFE", "UTF-16"),
];

impl Container {
    /// Detects the container by the first bytes of a file.
    ///
    /// # Errors
    ///
    /// [`DumpError::Empty`], [`DumpError::Unsupported`] which names what the file is,
    /// [`DumpError::Encoding`] for XML in UTF-16 or UTF-32, [`DumpError::Unrecognised`], and errors
    /// of the storage.
    pub fn detect(source: &dyn ReadAt) -> Result<Self, DumpError> {
        let mut buf = [0; START];
        let have =
            read_full(source, 0, &mut buf).map_err(|source| DumpError::Io { offset: 0, source })?;
        Self::of_start(&buf[..have])
    }

    fn of_start(start: &[u8]) -> Result<Self, DumpError> {
        if start.is_empty() {
            return Err(DumpError::Empty);
        }
        if let [b'B', b'Z', b'h', b'1'..=b'9', ..] = start {
            return Ok(Self::Bzip2);
        }
        if start.starts_with(b"\x1F\x8B") {
            return Ok(Self::Gzip);
        }
        if let Some((_, found)) = UNSUPPORTED
            .iter()
            .find(|(magic, _)| start.starts_with(magic))
        {
            return Err(DumpError::Unsupported { found });
        }
        check_encoding(start)?;
        let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'<') | None => Ok(Self::Plain),
            Some(_) => Err(DumpError::Unrecognised {
                start: start
                    .iter()
                    .take(8)
                    .map(|byte| format!("{byte:02x}"))
                    .collect::<Vec<_>>()
                    .join(" "),
            }),
        }
    }
}

/// Refuses XML whose first bytes or declaration show an encoding other than UTF-8.
pub(crate) fn check_encoding(start: &[u8]) -> Result<(), DumpError> {
    let refuse = |encoding: &str| {
        Err(DumpError::Encoding {
            encoding: encoding.to_owned(),
        })
    };
    if let Some((_, encoding)) = MARKS.iter().find(|(mark, _)| start.starts_with(mark)) {
        return refuse(encoding);
    }
    // Without a mark, one of the first two bytes of "<?" is zero.
    if let [0, b'<', ..] | [b'<', 0, ..] = start {
        return refuse("UTF-16");
    }
    if let [0, 0, 0, b'<', ..] = start {
        return refuse("UTF-32");
    }
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    if let Some(encoding) = declared_encoding(text)
        && !["utf-8", "utf8", "us-ascii", "ascii"].contains(&encoding.to_ascii_lowercase().as_str())
    {
        return refuse(&encoding);
    }
    Ok(())
}

/// The encoding that an XML declaration names.
fn declared_encoding(text: &[u8]) -> Option<String> {
    let declaration = text.strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', declaration)?;
    let declaration = &declaration[..end];
    let after = &declaration[memchr::memmem::find(declaration, b"encoding")? + 8..];
    let after = after
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (&quote, value) = after.split_first()?;
    let value = &value[..memchr::memchr(quote, value)?];
    Some(String::from_utf8_lossy(value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(start: &[u8]) -> String {
        match Container::detect(&start) {
            Ok(container) => format!("{container:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn kinds_are_told_by_content() {
        assert_eq!(detect(b"BZh91AY&SY"), "Bzip2");
        assert_eq!(detect(b"\x1F\x8B\x08"), "Gzip");
        assert_eq!(detect(b"<mediawiki>"), "Plain");
        assert_eq!(detect(b"\xEF\xBB\xBF\n  <page>"), "Plain");
        assert_eq!(detect(b"   \n"), "Plain");
        assert_eq!(
            detect(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
            "Plain"
        );
        assert_eq!(detect(b""), "the file is empty");
        assert_eq!(
            detect(b"7z\xBC\xAF\x27\x1C\0"),
            "the file is a 7z archive, but a dump must be XML: uncompressed, or compressed as bz2 or gzip"
        );
        assert_eq!(
            detect(b"BZh0abc"),
            "the file is neither XML nor bz2 nor gzip: it starts with the bytes 42 5a 68 30 61 62 63"
        );
    }

    #[test]
    fn encodings_other_than_utf_8_are_refused() {
        for (start, name) in [
            (&b"\xFF\xFE<\0"[..], "UTF-16"),
            (b"\xFE\xFF\0<", "UTF-16"),
            (b"<\0?\0", "UTF-16"),
            (b"\0\0\xFE\xFF\0\0\0<", "UTF-32"),
            (b"\xFF\xFE\0\0<\0\0\0", "UTF-32"),
            (b"\0\0\0<\0\0\0?", "UTF-32"),
            (
                b"<?xml version='1.0' encoding = 'ISO-8859-1'?>",
                "ISO-8859-1",
            ),
        ] {
            assert_eq!(
                detect(start),
                format!("the XML is encoded in {name}, and a dump must be in UTF-8")
            );
        }
    }
}
