//! Converts files of other encodings to UTF-8.

use std::io::{self, Read};

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::start;

/// Number of bytes that are converted at a time.
const CHUNK: usize = 1 << 16;
/// The byte order mark of UTF-32, which begins as that of UTF-16 does.
const UTF_32_MARK: &[u8] = b"\xFF\xFE\0\0";

/// Added to an error of bytes that are not UTF-8.
pub(super) const NAME_ENCODING: &str = "; if the file is written otherwise, name its encoding (the option encoding, for example windows-1252)";

/// Whether a label names an encoding: one of the WHATWG Encoding Standard.
pub fn is_encoding(label: &str) -> bool {
    Encoding::for_label(label.as_bytes()).is_some()
}

/// Whether a label names UTF-16.
pub(super) fn is_utf16(label: Option<&str>) -> bool {
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    named.is_some_and(|encoding| encoding == UTF_16LE || encoding == UTF_16BE)
}

/// The bytes of a file as UTF-8. Bytes that are UTF-8 by label, or in a file without a label and the byte order mark of
/// UTF-16, are returned as they are.
///
/// # Errors
/// If the label names no encoding, the file cannot be read, or it is written in two or four bytes a character, and neither
/// a label nor a byte order mark says in which order.
pub(super) fn as_utf8(
    mut input: Box<dyn Read + Send>,
    label: Option<&str>,
) -> Result<Box<dyn Read + Send>> {
    let named = match label {
        None => None,
        Some(label) => Some(
            Encoding::for_label(label.as_bytes())
                .ok_or_else(|| exec_datafusion_err!("there is no encoding '{label}'"))?,
        ),
    };
    let start = start::read(&mut input).map_err(|error| exec_datafusion_err!("{error}"))?;
    let marked = Encoding::for_bom(&start).map(|(encoding, _)| encoding);
    let wide = match start.strip_prefix(UTF_32_MARK) {
        Some(rest) => start::wide(rest).filter(|found| *found == "utf-32le"),
        None if marked.is_none() && named.is_none() => start::wide(&start),
        None => None,
    };
    match wide {
        Some(label @ ("utf-32le" | "utf-32be")) => {
            return exec_err!(
                "the file looks like UTF-32, since about three of four bytes of its beginning are zero; convert it first: iconv -f {label} -t utf-8"
            );
        }
        Some(label) => {
            return exec_err!(
                "the file looks like UTF-16, since about every second byte of its beginning is zero; name its encoding: {label} (the option encoding)"
            );
        }
        None => {}
    }
    let encoding = marked.or(named).unwrap_or(UTF_8);
    let whole = Box::new(io::Cursor::new(start).chain(input));
    Ok(match encoding == UTF_8 {
        true => whole,
        false => Box::new(Converted {
            input: whole,
            encoding,
            decoder: encoding.new_decoder_with_bom_removal(),
            read: 0,
            bytes: vec![0; CHUNK],
            text: Vec::new(),
            taken: 0,
            is_at_end: false,
        }),
    })
}

/// A file whose bytes are converted while they are read.
struct Converted {
    input: Box<dyn Read + Send>,
    encoding: &'static Encoding,
    decoder: Decoder,
    /// Number of bytes that were read.
    read: u64,
    bytes: Vec<u8>,
    /// Converted text, of which `taken` bytes were returned.
    text: Vec<u8>,
    taken: usize,
    is_at_end: bool,
}

impl Converted {
    /// Converts the next bytes of the file.
    fn convert(&mut self) -> io::Result<()> {
        let count = self.input.read(&mut self.bytes)?;
        self.is_at_end = count == 0;
        let needed = self
            .decoder
            .max_utf8_buffer_length_without_replacement(count);
        self.text.resize(needed.unwrap_or(4 * CHUNK), 0);
        let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
            &self.bytes[..count],
            &mut self.text,
            self.is_at_end,
        );
        if result != DecoderResult::InputEmpty {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "the bytes before offset {} are not {}",
                    self.read + read as u64,
                    self.encoding.name()
                ),
            ));
        }
        self.read += count as u64;
        self.text.truncate(written);
        self.taken = 0;
        Ok(())
    }
}

impl Read for Converted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() {
            if self.is_at_end {
                return Ok(0);
            }
            self.convert()?;
        }
        let count = out.len().min(self.text.len() - self.taken);
        out[..count].copy_from_slice(&self.text[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(bytes: &[u8], label: Option<&str>) -> io::Result<String> {
        let input = Box::new(io::Cursor::new(bytes.to_vec()));
        let mut text = String::new();
        as_utf8(input, label)
            .expect("an encoding")
            .read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn texts_of_other_encodings_are_converted() {
        let utf16: Vec<u8> = "\u{FEFF}aé€😀"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (bytes, label, wanted) in [
            (&b"caf\xE9 \x80"[..], Some("latin1"), "café €"),
            (b"\xCF\xF0\xE8", Some("windows-1251"), "При"),
            (b"\x93\xFA\x96{", Some("shift_jis"), "日本"),
            (&utf16, None, "aé€😀"),
            (&utf16, Some("utf-16"), "aé€😀"),
            // The byte order mark of the file takes precedence over the given encoding.
            (&utf16, Some("latin1"), "aé€😀"),
            ("é".as_bytes(), None, "é"),
            (b"", Some("latin1"), ""),
            (b"a", Some("utf-16le"), "error"),
            (b"\x00\xD8a\x00", Some("utf-16le"), "error"),
        ] {
            let found = converted(bytes, label);
            match wanted {
                "error" => assert!(found.is_err(), "{bytes:?}"),
                _ => assert_eq!(found.expect(wanted), wanted),
            }
        }
    }

    #[test]
    fn texts_of_wide_characters_are_not_read_without_a_label() {
        let error = |bytes: &[u8]| {
            let input = Box::new(io::Cursor::new(bytes.to_vec()));
            let error = as_utf8(input, None).err().expect("an error");
            error.to_string()
        };
        let text = "id,text\n1,abc\n";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, label) in [(le, "utf-16le"), (be, "utf-16be")] {
            let said = error(&bytes);
            assert!(
                said.contains(&format!("name its encoding: {label}")),
                "{said}"
            );
            assert_eq!(converted(&bytes, Some(label)).expect(label), text);
            // With the encoding given as UTF-8, the NULs are part of the text.
            assert_eq!(
                converted(&bytes, Some("utf-8")).expect(label).len(),
                bytes.len()
            );
        }
        for mark in ["", "\u{FEFF}"] {
            let marked = format!("{mark}{text}");
            let letters = marked.chars().map(u32::from);
            let le: Vec<u8> = letters.clone().flat_map(u32::to_le_bytes).collect();
            let be: Vec<u8> = letters.flat_map(u32::to_be_bytes).collect();
            assert!(error(&le).contains("iconv -f utf-32le"), "{}", error(&le));
            assert!(error(&be).contains("iconv -f utf-32be"), "{}", error(&be));
        }
        let nuls = "id,text\n1,a\0b\n";
        assert_eq!(converted(nuls.as_bytes(), None).expect("text"), nuls);
    }

    #[test]
    fn long_texts_are_converted_piece_by_piece() {
        let text = "日本語 ".repeat(30_000);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(converted(&bytes, Some("utf-16be")).expect("text"), text);
        let mut damaged = bytes;
        damaged.extend([0xD8, 0x00, 0x00, 0x41]);
        let error = converted(&damaged, Some("utf-16be")).expect_err("an unpaired surrogate");
        assert!(error.to_string().contains("UTF-16BE"), "{error}");
    }

    #[test]
    fn labels_are_those_of_the_standard() {
        assert!(is_encoding("Windows-1252") && is_encoding("utf8") && !is_encoding("ebcdic"));
    }
}
