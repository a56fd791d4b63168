//! Text of others on a terminal: what would steer the terminal or turn the writing round is shown instead.

use datafusion::arrow::array::{ArrayRef, LargeStringArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Result;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

/// Whether a terminal takes it for an order, or shows what follows in another place or direction.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}'     // marks of direction
            | '\u{2028}' | '\u{2029}'               // breaks of lines and paragraphs
            | '\u{202a}'..='\u{202e}'               // embeddings and overrides
            | '\u{2066}'..='\u{206f}') // isolates, and what was deprecated
}

/// A letter that is shown in place of a hidden one: the picture of a control character, or its number.
fn push_shown(text: &mut String, letter: char) {
    match letter {
        '\0'..='\u{1f}' => text.extend(char::from_u32(0x2400 + letter as u32)),
        '\u{7f}' => text.push('\u{2421}'),
        // Writing to a string does not fail.
        other => _ = write!(text, "<U+{:04X}>", other as u32),
    }
}

fn shown(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hides = |letter: char| is_hidden(letter) && !stays(letter);
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match hides(letter) {
            true => push_shown(&mut safe, letter),
            false => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

/// Text of several lines: line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |letter| matches!(letter, '\n' | '\t'))
}

/// Text that belongs on one line: a name, an id, a title.
pub(crate) fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// A word of a command that a person copies to a POSIX shell.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%=,".contains(letter);
    let word = match word.starts_with('-') {
        true => Cow::Owned(format!("./{word}")),
        false => Cow::Borrowed(word),
    };
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", visible_line(&word).replace('\'', r"'\''")),
    }
}

/// Rows as a person reads them: every value as visible text, under visible names.
pub(crate) fn visible_rows(
    batches: &[RecordBatch],
    schema: &SchemaRef,
) -> Result<Vec<RecordBatch>> {
    let options = FormatOptions::default().with_display_error(true);
    let names = schema
        .fields()
        .iter()
        .map(|field| visible_line(field.name()));
    let fields = names.map(|name| Field::new(name, DataType::LargeUtf8, true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let mut all = Vec::with_capacity(batches.len());
    for batch in batches {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(batch.num_columns());
        for column in batch.columns() {
            let values = ArrayFormatter::try_new(column, &options)?;
            let mut texts = Vec::with_capacity(batch.num_rows());
            for row in 0..batch.num_rows() {
                let text = values.value(row).try_to_string()?;
                texts.push(visible(&text).into_owned());
            }
            columns.push(Arc::new(LargeStringArray::from(texts)));
        }
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        all.push(RecordBatch::try_new_with_options(
            Arc::clone(&schema),
            columns,
            &rows,
        )?);
    }
    Ok(all)
}

/// A terminal that gets visible text only.
pub(crate) struct Visible<W> {
    out: W,
    /// Bytes of a letter whose end has not come.
    begun: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, begun: vec![] }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        for chunk in all.utf8_chunks() {
            self.out.write_all(visible(chunk.valid()).as_bytes())?;
            let rest = chunk.invalid();
            let at_end = rest.as_ptr_range().end == all.as_ptr_range().end;
            if at_end && rest.len() < 4 && begins_a_letter(rest) {
                self.begun = rest.to_vec();
            } else {
                for byte in rest {
                    write!(self.out, "<{byte:02X}>")?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Whether bytes that are no letter may still become one.
fn begins_a_letter(bytes: &[u8]) -> bool {
    let length = match bytes.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => 0,
    };
    bytes.len() < length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_a_terminal_are_shown() {
        assert_eq!(visible("plain\ttext\nö 猫 👩‍👩‍👧"), "plain\ttext\nö 猫 👩‍👩‍👧");
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
        assert_eq!(visible("\x1b[31mred\x07\r\x08\x7f"), "␛[31mred␇␍␈␡");
        assert_eq!(
            visible("\u{9b}31m\u{202e}abc\u{2066}"),
            "<U+009B>31m<U+202E>abc<U+2066>"
        );
        assert_eq!(visible_line("a\nb\tc\u{2028}"), "a␊b␉c<U+2028>");
    }

    #[test]
    fn letters_may_come_in_pieces() {
        for text in ["a\x1b[0mö猫👩\u{202e}z", "猫"] {
            for size in 1..5 {
                let mut out = Visible::new(Vec::new());
                for piece in text.as_bytes().chunks(size) {
                    out.write_all(piece).unwrap();
                }
                assert_eq!(String::from_utf8(out.out).unwrap(), visible(text), "{size}");
            }
        }
        let mut out = Visible::new(Vec::new());
        out.write_all(b"a\xff\xc3(").unwrap();
        assert_eq!(out.out, b"a<FF><C3>(");
    }

    #[test]
    fn words_of_a_command_are_quoted() {
        assert_eq!(shell_word("neardup-out"), "neardup-out");
        assert_eq!(shell_word("-x"), "./-x");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
