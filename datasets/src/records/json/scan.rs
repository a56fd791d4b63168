//! Reads all values of a file to infer their shape. It uses an explicit stack instead of recursion.

use std::io;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, exec_err};

use super::shape::{NodeId, Position, ROWS, Shape, kind, too_many};
use crate::records::encoding::NAME_ENCODING;
use crate::records::input::Buffer;

/// Maximum nesting depth of objects and lists. Parquet files with 61 nested lists can be written and not be read: readers
/// refuse the Arrow schema in them.
const MAX_DEPTH: usize = 60;
/// Integers up to this magnitude are exactly representable as doubles.
const DOUBLE: u64 = 1 << 53;

/// The shape of the objects of a file.
pub(in crate::records) fn shape(name: &str, input: Buffer) -> Result<Shape> {
    let mut scan = Scan {
        name: name.into(),
        input,
        shape: Shape::default(),
        row: 0,
        line: 1,
    };
    scan.rows()?;
    Ok(scan.shape)
}

struct Scan {
    name: Arc<str>,
    input: Buffer,
    shape: Shape,
    /// Index of the row, from 1.
    row: u64,
    line: u64,
}

/// An open object or list around a value.
enum OpenContainer {
    /// The object, and the index of the key that is expected next.
    Object(NodeId, usize),
    List(NodeId),
}

impl Scan {
    fn position(&self) -> Position {
        Position {
            file: Arc::clone(&self.name),
            row: self.row,
            line: self.line,
        }
    }

    fn wrong<T>(&self, what: &str) -> Result<T> {
        exec_err!("{}: {what}", self.position())
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        self.input
            .peek()
            .map_err(|error| failed(&self.name, &error))
    }

    fn more(&mut self) -> Result<bool> {
        self.input
            .more()
            .map_err(|error| failed(&self.name, &error))
    }

    /// The next byte that is not white space; it is not consumed.
    fn next(&mut self) -> Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b'\n') => self.line += 1,
                Some(b' ' | b'\t' | b'\r') => {}
                byte => return Ok(byte),
            }
            self.input.take(1);
        }
    }

    /// The next byte that is not white space, within a value.
    fn inside(&mut self) -> Result<u8> {
        match self.next()? {
            Some(byte) => Ok(byte),
            None => self.wrong("the file ends within a value"),
        }
    }

    fn rows(&mut self) -> Result<()> {
        while let Some(byte) = self.next()? {
            match byte {
                b'{' => self.object_row()?,
                b'[' => {
                    self.input.take(1);
                    self.array()?;
                }
                _ => {
                    self.row += 1;
                    return self.no_object(byte);
                }
            }
        }
        Ok(())
    }

    fn array(&mut self) -> Result<()> {
        if self.inside()? == b']' {
            self.input.take(1);
            return Ok(());
        }
        loop {
            match self.inside()? {
                b'{' => self.object_row()?,
                byte => {
                    self.row += 1;
                    return self.no_object(byte);
                }
            }
            match self.inside()? {
                b',' => self.input.take(1),
                b']' => {
                    self.input.take(1);
                    return Ok(());
                }
                byte => return self.unexpected(byte, "',' or ']'"),
            }
        }
    }

    fn no_object<T>(&mut self, byte: u8) -> Result<T> {
        let hint = match byte {
            b',' if self.row > 1 => {
                "; the file is either an array, [{…}, {…}], or has no commas between its objects"
            }
            _ => "",
        };
        let found = self.found(0, byte)?;
        self.wrong(&format!("a row must be an object, found {found}{hint}"))
    }

    fn unexpected<T>(&mut self, byte: u8, wanted: &str) -> Result<T> {
        let hint = match byte {
            b'\'' => "; keys and texts are written in double quotes",
            _ => "",
        };
        let found = self.found(0, byte)?;
        self.wrong(&format!("expected {wanted}, found {found}{hint}"))
    }

    /// The character that begins with this byte, which has this offset in the bytes that were not consumed.
    fn found(&mut self, at: usize, byte: u8) -> Result<String> {
        while self.input.rest().len() < at + 4 && self.more()? {}
        let rest = &self.input.rest()[at..];
        let next = &rest[..rest.len().min(4)];
        let whole = match std::str::from_utf8(next) {
            Ok(_) => next.len(),
            Err(error) => error.valid_up_to(),
        };
        let next = std::str::from_utf8(&next[..whole]).unwrap_or_default();
        Ok(match next.chars().next() {
            Some('\'') => "a single quote".to_owned(),
            Some(found) if found.is_control() => format!("{found:?}"),
            Some(found) => format!("'{found}'"),
            None => format!("the byte 0x{byte:02X}"),
        })
    }

    fn object_row(&mut self) -> Result<()> {
        self.row += 1;
        self.input.take(1);
        self.see(ROWS, kind::OBJECT);
        let mut open = vec![OpenContainer::Object(ROWS, 0)];
        // Whether a value was just read, so that ',' or the end follows.
        let mut after_value = false;
        while let Some(inner) = open.last_mut() {
            let byte = self.inside()?;
            let node = match inner {
                OpenContainer::Object(object, expected) => {
                    let object = *object;
                    let next = *expected;
                    let byte = match (after_value, byte) {
                        (_, b'}') => {
                            self.input.take(1);
                            open.pop();
                            after_value = true;
                            continue;
                        }
                        (true, b',') => {
                            self.input.take(1);
                            self.inside()?
                        }
                        (true, byte) => return self.unexpected(byte, "',' or '}'"),
                        (false, byte) => byte,
                    };
                    if byte != b'"' {
                        return self.unexpected(byte, "a key in quotes");
                    }
                    let (node, number) = self.key(object, next)?;
                    if let Some(OpenContainer::Object(_, expected)) = open.last_mut() {
                        *expected = number + 1;
                    }
                    let byte = self.inside()?;
                    if byte != b':' {
                        return self.unexpected(byte, "':'");
                    }
                    self.input.take(1);
                    node
                }
                OpenContainer::List(list) => {
                    let list = *list;
                    match (after_value, byte) {
                        (_, b']') => {
                            self.input.take(1);
                            open.pop();
                            after_value = true;
                            continue;
                        }
                        (true, b',') => self.input.take(1),
                        (true, byte) => return self.unexpected(byte, "',' or ']'"),
                        (false, _) => {}
                    }
                    self.shape.item(list)
                }
            };
            after_value = match self.inside()? {
                b'{' => {
                    self.enter(&mut open, OpenContainer::Object(node, 0))?;
                    self.see(node, kind::OBJECT);
                    false
                }
                b'[' => {
                    self.enter(&mut open, OpenContainer::List(node))?;
                    self.see(node, kind::LIST);
                    false
                }
                byte => {
                    self.scalar(node, byte)?;
                    true
                }
            };
        }
        Ok(())
    }

    fn see(&mut self, node: NodeId, kinds: u16) {
        let (file, row, line) = (&self.name, self.row, self.line);
        self.shape.see(node, kinds, || Position {
            file: Arc::clone(file),
            row,
            line,
        });
    }

    fn enter(&mut self, open: &mut Vec<OpenContainer>, inner: OpenContainer) -> Result<()> {
        self.input.take(1);
        if open.len() == MAX_DEPTH {
            return self.wrong(&format!(
                "objects and lists are nested deeper than {MAX_DEPTH}"
            ));
        }
        open.push(inner);
        Ok(())
    }

    fn key(&mut self, object: NodeId, expected: usize) -> Result<(NodeId, usize)> {
        let len = self.text()?;
        let quoted = &self.input.rest()[..len];
        let inner = &quoted[1..len - 1];
        let found = match memchr::memchr(b'\\', inner) {
            None => match std::str::from_utf8(inner) {
                Ok(key) => self.shape.field(object, key, expected),
                Err(_) => return self.wrong(&format!("a key is not UTF-8{NAME_ENCODING}")),
            },
            Some(_) => match serde_json::from_slice::<String>(quoted) {
                Ok(key) => self.shape.field(object, &key, expected),
                Err(error) => return self.wrong(&format!("a key cannot be read: {error}")),
            },
        };
        self.input.take(len);
        match found {
            Some(found) => Ok(found),
            None => too_many(&Some(self.position())),
        }
    }

    fn scalar(&mut self, node: NodeId, byte: u8) -> Result<()> {
        let kinds = match byte {
            b'"' => {
                let len = self.text()?;
                if std::str::from_utf8(&self.input.rest()[..len]).is_err() {
                    return self.wrong(&format!("a text is not UTF-8{NAME_ENCODING}"));
                }
                self.input.take(len);
                kind::TEXT
            }
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true", kind::BOOLEAN)?,
            b'f' => self.word("false", kind::BOOLEAN)?,
            b'n' => self.word("null", 0)?,
            byte => return self.unexpected(byte, "a value"),
        };
        if kinds != 0 {
            self.see(node, kinds);
        }
        Ok(())
    }

    /// Reads until a complete string, from quote to quote, is in the buffer; returns its length.
    fn text(&mut self) -> Result<usize> {
        let mut at = 1;
        loop {
            let rest = self.input.rest();
            match rest
                .get(at..)
                .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
            {
                Some(found) if rest[at + found] == b'"' => return Ok(at + found + 1),
                Some(found) => at = self.escape(at + found)?,
                None => {
                    at = rest.len().max(at);
                    self.need(at + 1)?;
                }
            }
        }
    }

    /// Reads until the buffer holds this number of bytes.
    fn need(&mut self, bytes: usize) -> Result<()> {
        while self.input.rest().len() < bytes {
            if !self.more()? {
                return self.wrong("the file ends within a value");
            }
        }
        Ok(())
    }

    /// Checks the escape sequence at an offset; returns the offset of its end.
    fn escape(&mut self, at: usize) -> Result<usize> {
        self.need(at + 2)?;
        match self.input.rest()[at + 1] {
            b'u' => {}
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => return Ok(at + 2),
            byte => {
                let found = self.found(at + 1, byte)?;
                return self.wrong(&format!(
                    "expected an escape such as \\n after a backslash, found {found}; a backslash in a text is written twice"
                ));
            }
        }
        match self.unit(at + 2)? {
            0xD800..=0xDBFF => {
                self.need(at + 8)?;
                let is_escape = self.input.rest()[at + 6..].starts_with(b"\\u");
                if is_escape && (0xDC00..=0xDFFF).contains(&self.unit(at + 8)?) {
                    return Ok(at + 12);
                }
                self.wrong("an unpaired surrogate, which is not a character")
            }
            0xDC00..=0xDFFF => self.wrong("an unpaired surrogate, which is not a character"),
            _ => Ok(at + 6),
        }
    }

    fn unit(&mut self, at: usize) -> Result<u16> {
        self.need(at + 4)?;
        let digits = std::str::from_utf8(&self.input.rest()[at..at + 4]).ok();
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => Ok(unit),
            None => self.wrong("four hexadecimal digits must follow \\u"),
        }
    }

    fn word(&mut self, word: &str, kinds: u16) -> Result<u16> {
        while self.input.rest().len() < word.len() && self.more()? {}
        if !self.input.rest().starts_with(word.as_bytes()) {
            return self.wrong("expected a value; texts are written in double quotes");
        }
        self.input.take(word.len());
        Ok(kinds)
    }

    fn number(&mut self) -> Result<u16> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let mut len = 0;
        loop {
            let rest = self.input.rest();
            len += rest[len..].iter().take_while(|byte| is_part(byte)).count();
            if len < rest.len() || !self.more()? {
                break;
            }
        }
        let digits = std::str::from_utf8(&self.input.rest()[..len]).unwrap_or_default();
        match number_kinds(digits) {
            Some(kinds) => {
                self.input.take(len);
                Ok(kinds)
            }
            None => {
                let shown: String = digits.chars().take(40).collect();
                self.wrong(&format!("{shown} is no number"))
            }
        }
    }
}

fn failed(name: &str, error: &io::Error) -> DataFusionError {
    DataFusionError::Execution(format!("{name}: {error}"))
}

/// What kind of number this is, if it is one.
fn number_kinds(text: &str) -> Option<u16> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (kind::NEGATIVE, rest),
        None => (0, text),
    };
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return None;
    }
    if whole == rest.len() {
        return Some(match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(number), _) if number.unsigned_abs() <= DOUBLE => kind::INTEGER | sign,
            (Ok(_), _) => kind::INTEGER | kind::WIDE | sign,
            (_, Ok(_)) => kind::UNSIGNED | kind::WIDE,
            _ => kind::BIG,
        });
    }
    let mut after = &rest[whole..];
    if let Some(fraction) = after.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return None;
        }
        after = &fraction[count..];
    }
    if let Some(exponent) = after.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || digits(exponent) != exponent.len() {
            return None;
        }
        after = "";
    }
    let is_finite = text.parse::<f64>().is_ok_and(f64::is_finite);
    match (after.is_empty(), is_finite) {
        (false, _) => None,
        (true, true) => Some(kind::FLOAT),
        (true, false) => Some(kind::BIG),
    }
}
