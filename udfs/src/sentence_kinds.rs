//! `sentence_kinds(text, blocks, sentences)`

use std::ops::Range;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{DataType, Field};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_wikitext::Block;
use neardup_wikitext::sentences::ends_like_sentence;

use crate::columns::{Arguments, Constants, Kind, Parameters, check_fields, text_lists};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the kind that each sentence of a text had on the page: `sentence`, `list_item` or `heading`. A sentence of a list is a `list_item` only if it does not end with a stop. A sentence that spans several lines is a heading or a list item only if none of the lines is a paragraph.",
    syntax_example = "sentence_kinds(text, blocks, sentences)",
    sql_example = r#"```sql
> SELECT sentence_kinds(t, 'hll', split_sentences(t, 'en')) AS kinds FROM (VALUES ('Towns' || chr(10) || 'York' || chr(10) || 'Selby. It lies south.')) AS v (t);
+------------------------------------------+
| kinds                                    |
+------------------------------------------+
| [heading, list_item, sentence, sentence] |
+------------------------------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "blocks",
        description = "What its lines were, as `wikitext_to_blocks` returns it. Lines beyond its end are paragraphs; NULL gives NULL."
    ),
    argument(
        name = "sentences",
        description = "The sentences as `split_sentences` returns them; NULL gives NULL."
    ),
    related_udf(name = "wikitext_to_blocks"),
    related_udf(name = "split_sentences")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SentenceKinds;

impl Function for SentenceKinds {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "sentence_kinds",
        all: &[
            ("text", Kind::Text),
            ("blocks", Kind::Text),
            ("sentences", Kind::Records),
        ],
        required: 3,
    };

    fn result_type(_: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        let function = Self::PARAMETERS.function;
        check_fields(function, types[2], &["start_byte", "end_byte"], &[])?;
        let item = Field::new_list_field(DataType::Utf8, true);
        Ok(DataType::List(item.into()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let function = Self::PARAMETERS.function;
        let (texts, blocks, sentences) = (args.texts(0)?, args.texts(1)?, args.records(2)?);
        let starts = sentences.integers("start_byte")?;
        let ends = sentences.integers("end_byte")?;
        // Outside the closure, which cannot fail.
        let mut kinds = Vec::new();
        let mut of_rows = Vec::with_capacity(args.rows());
        for row in 0..args.rows() {
            let (Some(text), Some(blocks), Some(range)) =
                (texts.get(row), blocks.get(row), sentences.get(row))
            else {
                of_rows.push(None);
                continue;
            };
            let mut lines = Lines {
                text,
                blocks: blocks.as_bytes(),
                line: 0,
                at: 0,
            };
            let first = kinds.len();
            for at in range {
                let valid = starts.is_valid(at) && ends.is_valid(at);
                let kind = Some((starts.value(at), ends.value(at)))
                    .filter(|_| valid)
                    .and_then(|(start, end)| lines.kind(start.try_into().ok()?..end.try_into().ok()?))
                    .ok_or_else(|| {
                        exec_datafusion_err!(
                            "{function}: the sentences must be ranges of the text, in ascending order"
                        )
                    })?;
                kinds.push(kind);
            }
            of_rows.push(Some(first..kinds.len()));
        }
        text_lists(function, args.rows(), |row, push| {
            let range = of_rows[row].clone()?;
            kinds[range].iter().for_each(|kind| push(kind));
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The lines of a text, up to the line that was asked for last.
struct Lines<'a> {
    text: &'a str,
    blocks: &'a [u8],
    /// Number of the line in which `at` lies.
    line: usize,
    at: usize,
}

impl Lines<'_> {
    /// What a sentence was; `None` if it is no range of the text, or begins before the one asked for last.
    fn kind(&mut self, sentence: Range<usize>) -> Option<&'static str> {
        let breaks = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        let before = self.text.as_bytes().get(self.at..sentence.start)?;
        self.line += breaks(before);
        self.at = sentence.start;
        let text = self.text.get(sentence)?;
        // The published splitter joins a heading with the paragraph below it.
        let lines = self.line..=self.line + breaks(text.as_bytes());
        let mut is_list = false;
        for block in lines.map(|line| self.blocks.get(line).copied()) {
            match block.and_then(Block::of_letter) {
                Some(Block::Heading) => {}
                Some(Block::ListItem) => is_list = true,
                Some(Block::Paragraph) | None => return Some("sentence"),
            }
        }
        Some(match is_list {
            true if ends_like_sentence(text) => "sentence",
            true => "list_item",
            false => "heading",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_once() {
        let text = "A\nb\nC d. E.\n\nF";
        let mut lines = Lines {
            text,
            blocks: b"hll",
            line: 0,
            at: 0,
        };
        assert_eq!(lines.kind(0..1), Some("heading"));
        assert_eq!(lines.kind(2..3), Some("list_item"));
        assert_eq!(lines.kind(4..8), Some("sentence"));
        assert_eq!(lines.kind(9..11), Some("sentence"));
        assert_eq!(lines.kind(13..14), Some("sentence"));
        assert_eq!(lines.kind(0..1), None);
        assert_eq!(lines.kind(13..15), None);
        let mut lines = Lines {
            text: "A\nb\nC d. E.\n\nF",
            blocks: b"hlp",
            line: 0,
            at: 0,
        };
        assert_eq!(lines.kind(0..3), Some("list_item"));
        assert_eq!(lines.kind(0..8), Some("sentence"));
        assert_eq!(lines.kind(2..11), Some("sentence"));
    }
}
