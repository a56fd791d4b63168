//! Makes untrusted text safe for a terminal: control characters and characters that change the direction of
//! writing are replaced by visible ones.

use console::{Term, measure_text_width, truncate_str};
use datafusion::arrow::array::{ArrayRef, LargeStringArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Result;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

/// Whether a terminal interprets the character as a command, or shows the text after it elsewhere or in another
/// direction.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}'     // directional marks
            | '\u{2028}' | '\u{2029}'               // line and paragraph separators
            | '\u{202a}'..='\u{202e}'               // embeddings and overrides
            | '\u{2066}'..='\u{206f}') // isolates and deprecated format characters
}

/// Appends the visible replacement of a hidden character: the picture of a control character, or its code point.
fn push_shown(text: &mut String, character: char) {
    match character {
        '\0'..='\u{1f}' => text.extend(char::from_u32(0x2400 + character as u32)),
        '\u{7f}' => text.push('\u{2421}'),
        // Writing to a string does not fail.
        other => _ = write!(text, "<U+{:04X}>", other as u32),
    }
}

fn shown(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hides = |character: char| is_hidden(character) && !stays(character);
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match hides(character) {
            true => push_shown(&mut safe, character),
            false => safe.push(character),
        }
    }
    Cow::Owned(safe)
}

/// Makes text of several lines visible; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |character| matches!(character, '\n' | '\t'))
}

/// Makes text that belongs on one line visible: a name, an id, a title.
pub(crate) fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// Quotes a word of a command for a POSIX shell.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-+:@%=,".contains(character);
    let word = match word.starts_with('-') {
        true => Cow::Owned(format!("./{word}")),
        false => Cow::Borrowed(word),
    };
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", visible_line(&word).replace('\'', r"'\''")),
    }
}

/// Limits of a value in a table; longer values are cut, with a mark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellLimits {
    /// Maximum width of a line.
    width: usize,
    /// Maximum number of lines.
    lines: usize,
}

impl CellLimits {
    /// A width that tables can be laid out in: the layout counts in 16 bits, and splits wider lines at length.
    pub(crate) const WIDEST: Self = Self {
        width: 60_000,
        lines: usize::MAX,
    };

    /// Those of the terminal that standard output is; [`CellLimits::WIDEST`] if it is none.
    pub(crate) fn of_output() -> Self {
        let terminal = Term::stdout();
        let size = terminal.is_term().then(|| terminal.size_checked());
        size.flatten().map_or(Self::WIDEST, |(rows, columns)| Self {
            // The borders and blanks around a value take four columns.
            width: usize::from(columns).saturating_sub(4).max(1),
            lines: usize::from(rows).max(1),
        })
    }

    fn cut(self, text: &str) -> Cow<'_, str> {
        let count = text.split('\n').count();
        let fits = |line: &str| line.len() <= self.width || measure_text_width(line) <= self.width;
        if count <= self.lines && text.split('\n').all(fits) {
            return Cow::Borrowed(text);
        }
        let lines = text.split('\n').take(self.lines);
        let mut cut: Vec<_> = lines
            .map(|line| truncate_str(line, self.width, "…"))
            .collect();
        if count > self.lines {
            cut.push(format!("… {} more lines", count - self.lines).into());
        }
        Cow::Owned(cut.join("\n"))
    }
}

/// Converts rows for display: every value becomes visible text within the limits, and so do the column names.
pub(crate) fn visible_rows(
    batches: &[RecordBatch],
    schema: &SchemaRef,
    limits: CellLimits,
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
                texts.push(limits.cut(&visible(&text)).into_owned());
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

/// A writer that makes text visible before it passes it on.
pub(crate) struct Visible<W> {
    out: W,
    /// The first bytes of a character whose last bytes have not been written yet.
    incomplete: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            incomplete: vec![],
        }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = std::mem::take(&mut self.incomplete);
        all.extend_from_slice(bytes);
        for chunk in all.utf8_chunks() {
            self.out.write_all(visible(chunk.valid()).as_bytes())?;
            let rest = chunk.invalid();
            let at_end = rest.as_ptr_range().end == all.as_ptr_range().end;
            if at_end && rest.len() < 4 && is_incomplete_character(rest) {
                self.incomplete = rest.to_vec();
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

/// Whether invalid UTF-8 bytes are the beginning of a character.
fn is_incomplete_character(bytes: &[u8]) -> bool {
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
    fn control_characters_are_made_visible() {
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
    fn characters_may_be_written_in_pieces() {
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
    fn what_is_larger_than_the_screen_is_cut() {
        let screen = CellLimits { width: 5, lines: 2 };
        for (text, wanted) in [
            ("abcde\nxyz", "abcde\nxyz"),
            ("abcdef", "abcd…"),
            ("猫猫猫", "猫猫…"),
            ("a\nb\nc\nd", "a\nb\n… 2 more lines"),
            ("", ""),
        ] {
            assert_eq!(screen.cut(text), wanted, "{text}");
        }
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
