//! Writes escaped pairs of surrogates as the characters that they stand for.

/// The bytes of `\uXXXX`.
const ESCAPE: usize = 6;

/// Replaces each `\uD8XX\uDCXX` in some JSON by its character. The reader of arrow-json (59.3.2) reads those of every other
/// plane from the second one on, such as most rare Chinese characters, as characters of the plane before.
pub(super) fn write_pairs(json: &mut Vec<u8>) {
    let mut written = 0;
    let mut read = 0;
    while let Some(found) = memchr::memchr(b'\\', &json[read..]) {
        let at = read + found;
        let pair = unit(&json[at..]).zip(json.get(at + ESCAPE..).and_then(unit));
        let character = pair.and_then(|pair| char::decode_utf16([pair.0, pair.1]).next()?.ok());
        // An escape of one character, a backslash among them, has two bytes; a single unit may be left as it is.
        let (end, character) = match character.filter(|&character| character > '\u{ffff}') {
            Some(character) => (at + 2 * ESCAPE, Some(character)),
            None => ((at + 2).min(json.len()), None),
        };
        let before = if character.is_some() { at } else { end };
        if written == read {
            written = before;
        } else {
            json.copy_within(read..before, written);
            written += before - read;
        }
        if let Some(character) = character {
            written += character.encode_utf8(&mut json[written..]).len();
        }
        read = end;
    }
    if written < read {
        json.copy_within(read.., written);
        json.truncate(json.len() - (read - written));
    }
}

/// The UTF-16 unit of an escape `\uXXXX` at the beginning of some bytes.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.first_chunk::<ESCAPE>()?.strip_prefix(b"\\u")?;
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::write_pairs;

    /// Characters of all planes, in all forms of escapes and none.
    #[test]
    fn escaped_characters_of_every_plane() {
        let mut texts = vec![String::new(), "\\".to_owned(), "a\\\"\n\\u".to_owned()];
        for plane in 0..=16_u32 {
            for low in [0, 1, 0x2a6, 0xd7ff, 0xfffd] {
                let character = char::from_u32(plane << 16 | low).expect("a character");
                texts.push(format!("{character}\\{character}{character}u\\\\"));
            }
        }
        let mut number = 0_usize;
        for text in &texts {
            for forms in 0..3 {
                let mut json = String::from("{\"k\":\"");
                for character in text.chars() {
                    number += 1;
                    match (character, forms) {
                        ('"' | '\\', 0 | 1) => json.extend(['\\', character]),
                        (' '.., 1) if number.is_multiple_of(2) => json.push(character),
                        ('\0'..' ', _) | (_, 1 | 2) | ('\u{10000}'.., _) => {
                            for unit in character.encode_utf16(&mut [0; 2]) {
                                json += &match number % 3 {
                                    0 => format!("\\u{unit:04x}"),
                                    _ => format!("\\u{unit:04X}"),
                                };
                            }
                        }
                        _ => json.push(character),
                    }
                }
                json += "\"}";
                let mut bytes = json.clone().into_bytes();
                write_pairs(&mut bytes);
                let written: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
                assert_eq!(written["k"], text.as_str(), "{json}");
                let left = String::from_utf8(bytes).expect("text").to_lowercase();
                let left = left.replace("\\\\", "");
                let highs = ["d8", "d9", "da", "db"].map(|high| format!("\\u{high}"));
                assert!(
                    !highs.iter().any(|high| left.contains(high)),
                    "{json} {left}"
                );
            }
        }
    }

    #[test]
    fn other_bytes_stay() {
        for json in [
            "",
            "\\",
            "{}",
            "\\\\ud840\\\\udc00",
            "\\ud840",
            "\\ud840\\u",
            "\\udc00\\ud840",
            "\\ud840 \\udc00",
            "\\u+d84\\udc00",
        ] {
            let mut bytes = json.as_bytes().to_vec();
            write_pairs(&mut bytes);
            assert_eq!(bytes, json.as_bytes());
        }
    }
}
