//! Detects the encoding of a file, and files of other kinds, by the first bytes.

use std::io::{self, Read};

/// Number of bytes that are looked at.
const START: usize = 1 << 10;

/// Compressions whose files are read by their names.
const PACKED: [(&[u8], &str, &str); 3] = [
    (b"\x1F\x8B", "gzip", "gz"),
    (b"\x28\xB5\x2F\xFD", "Zstandard", "zst"),
    (b"BZh", "bzip2", "bz2"),
];

/// What follows `BZh` and a digit in a file of bzip2, which may begin a text.
const BZIP2_BLOCK: &[u8] = b"1AY&SY";

/// Files that must be unpacked or exported first.
const OTHERS: [(&[u8], &str); 6] = [
    (
        b"\xFD7zXZ\0",
        "compressed with xz, which is not read; unpack it first",
    ),
    (
        b"\x04\x22\x4D\x18",
        "compressed with lz4, which is not read; unpack it first",
    ),
    (
        b"PK\x03\x04",
        "a ZIP archive by its first bytes, as .xlsx files are, too; unpack it first, or export the table as CSV",
    ),
    (
        b"7z\xBC\xAF\x27\x1C",
        "a 7z archive by its first bytes; unpack it first",
    ),
    (
        b"Rar!\x1A\x07",
        "a RAR archive by its first bytes; unpack it first",
    ),
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "an .xls or .doc file by its first bytes; export the table as CSV, or the text as .txt",
    ),
];

/// The first bytes of a file.
pub(super) fn read(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(START);
    input.take(START as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// What a file that begins with these bytes is, if it is certainly no text; `is_packed`: the bytes were decompressed.
pub(super) fn other_kind(start: &[u8], is_packed: bool) -> Option<String> {
    let what = match is_packed {
        true => "what is packed in the file",
        false => "the file",
    };
    let is_control =
        |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B);
    // A text may begin with these letters, but the metadata of a table has control characters.
    if let Some(rest) = start.strip_prefix(b"PAR1")
        && rest.iter().any(is_control)
    {
        let first = if is_packed { "unpack it and " } else { "" };
        return Some(format!(
            "{what} is a Parquet file by its first bytes; {first}rename it to .parquet"
        ));
    }
    if is_dump(start) {
        return Some(format!(
            "{what} is a MediaWiki dump by its first bytes; name it .xml, or .xml.gz or .xml.bz2 if it is compressed"
        ));
    }
    let mut packed = PACKED.iter().filter(|(magic, _, ending)| {
        start.starts_with(magic) && (*ending != "bz2" || start.get(4..10) == Some(BZIP2_BLOCK))
    });
    if let Some((_, compression, ending)) = packed.next() {
        let hint = match is_packed {
            true => ", too; unpack it first".to_owned(),
            false => format!("; add .{ending} to its name, as in NAME.csv.{ending}"),
        };
        return Some(format!("{what} is compressed with {compression}{hint}"));
    }
    if let Some((_, other)) = OTHERS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(format!("{what} is {other}"));
    }
    // The magic bytes of a tar archive are in its first header, after names that are padded with NULs.
    let is_tar = start.get(257..262) == Some(&b"ustar"[..]) && start[..257].contains(&0);
    is_tar.then(|| format!("{what} is a tar archive by its first bytes; unpack it first"))
}

/// Whether a text begins with the root of a dump, after its declaration as XML.
fn is_dump(start: &[u8]) -> bool {
    const ROOT: &[u8] = b"<mediawiki";
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let text = text.trim_ascii_start();
    let text = match text.starts_with(b"<?xml") {
        true => text.splitn(2, |byte| *byte == b'>').nth(1).unwrap_or(&[]),
        false => text,
    };
    text.trim_ascii_start().starts_with(ROOT)
}

/// The encoding of two or four bytes a character in which a file without a byte order mark is written, by its first
/// bytes, with the label that `iconv` knows, too.
///
/// The letters, digits and separators of ASCII have zeros there: in UTF-16 at every second position, in UTF-32 at
/// three positions of four. So a file is UTF-16 if more than a third of the bytes at even positions are zero, and not
/// of those at odd positions, or the other way round. It is UTF-32 if all bytes are zero at the position of the
/// highest byte of a character, and more than a third at the position next to it, but not at that of the lowest. A
/// text of UTF-8 may hold NULs, too, but hardly so many at every second position; the option encoding says that it is
/// UTF-8.
pub(super) fn wide(start: &[u8]) -> Option<&'static str> {
    let zeros = |first: usize, step: usize| {
        let positions = start.iter().skip(first).step_by(step);
        (
            positions.clone().filter(|byte| **byte == 0).count(),
            positions.count(),
        )
    };
    let many = |(zeros, positions): (usize, usize)| zeros >= 4 && 3 * zeros > positions;
    let all = |(zeros, positions): (usize, usize)| zeros >= 2 && zeros == positions;
    let [a, b, c, d] = [0, 1, 2, 3].map(|first| zeros(first, 4));
    if all(d) && many(c) && !many(a) {
        return Some("utf-32le");
    }
    if all(a) && many(b) && !many(d) {
        return Some("utf-32be");
    }
    match (many(zeros(0, 2)), many(zeros(1, 2))) {
        (false, true) => Some("utf-16le"),
        (true, false) => Some("utf-16be"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_show_in_zeros() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        let letters = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        for text in [
            "id,text\n1,abc\n2,def\n",
            "id,text",
            "{\"id\":1,\"text\":\"日本語の文\"}\n",
            "naïve 日本, €\r\n",
            &"one two three\n".repeat(100),
        ] {
            let start = |bytes: Vec<u8>| bytes[..bytes.len().min(START)].to_vec();
            let le = start(units(text).into_iter().flat_map(u16::to_le_bytes).collect());
            let be = start(units(text).into_iter().flat_map(u16::to_be_bytes).collect());
            assert_eq!(
                (wide(&le), wide(&be)),
                (Some("utf-16le"), Some("utf-16be")),
                "{text}"
            );
            let le = start(
                letters(text)
                    .into_iter()
                    .flat_map(u32::to_le_bytes)
                    .collect(),
            );
            let be = start(
                letters(text)
                    .into_iter()
                    .flat_map(u32::to_be_bytes)
                    .collect(),
            );
            assert_eq!(
                (wide(&le), wide(&be)),
                (Some("utf-32le"), Some("utf-32be")),
                "{text}"
            );
            assert_eq!(wide(text.as_bytes()), None, "{text}");
        }
        for text in [
            &b""[..],
            b"\0",
            b"a\0",
            b"id,text\n1,a\0b\n2,\0\0\n",
            b"abc\0\0\0\0\0def\0\0\0\0\0",
            b"a,b\n\0,\0\n",
            &[0; 64],
        ] {
            assert_eq!(wide(text), None, "{text:?}");
        }
    }

    #[test]
    fn texts_are_not_taken_for_other_kinds() {
        for text in [
            "",
            "PAR1",
            "PAR1,text\n1,x\n",
            "BZh9,text\n",
            "PK,text\n",
            "Rar!\n",
            "7z\n",
            "<?xml version=\"1.0\"?>\n<html><mediawiki></html>",
            "a <mediawiki>",
            "<?xml",
        ] {
            assert_eq!(other_kind(text.as_bytes(), false), None, "{text}");
        }
        let mut tar = vec![0; 512];
        tar[..5].copy_from_slice(b"a.csv");
        tar[257..262].copy_from_slice(b"ustar");
        for (bytes, said) in [
            (
                &b"PAR1\x15\x04\x15"[..],
                "a Parquet file by its first bytes; rename it to .parquet",
            ),
            (
                b"\x1F\x8B\x08",
                "compressed with gzip; add .gz to its name, as in NAME.csv.gz",
            ),
            (b"BZh91AY&SYx", "add .bz2 to its name, as in NAME.csv.bz2"),
            (
                b"\xFD7zXZ\0",
                "compressed with xz, which is not read; unpack it first",
            ),
            (b"PK\x03\x04", "a ZIP archive by its first bytes"),
            (&tar, "a tar archive by its first bytes; unpack it first"),
            (
                b"\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<mediawiki xmlns=\"",
                "a MediaWiki dump by its first bytes; name it .xml, or .xml.gz",
            ),
            (b" <mediawiki>", "a MediaWiki dump"),
        ] {
            let found = other_kind(bytes, false).unwrap_or_default();
            assert!(found.contains(said), "{bytes:?}: {found}");
        }
        let found = other_kind(b"\x1F\x8B\x08", true).unwrap_or_default();
        assert!(
            found.contains("compressed with gzip, too; unpack it first"),
            "{found}"
        );
    }
}
