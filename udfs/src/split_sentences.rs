//! `split_sentences(text[, language[, splitter[, window]]])`

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringViewBuilder};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_wikitext::sentences::{Splitter, split};

use crate::columns::{Arguments, Constants, Kind, Parameters, StructLists, integer_field};
use crate::function::Function;

/// The allowed numbers of sentences of an element.
const WINDOWS: RangeInclusive<usize> = 1..=1000;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Splits a text into sentences: a list of (sentence, start_byte, end_byte, start_char, end_char), in order, where start and end are positions in the text, the end exclusive.",
    syntax_example = "split_sentences(text[, language[, splitter[, window]]])",
    sql_example = r#"```sql
> SELECT split_sentences('Rain fell. Él vino.', 'es') AS sentences;
+----------------------------------------------------------------------------------------------------------------------------------------------------------------------+
| sentences                                                                                                                                                            |
+----------------------------------------------------------------------------------------------------------------------------------------------------------------------+
| [{sentence: Rain fell., start_byte: 0, end_byte: 10, start_char: 0, end_char: 10}, {sentence: Él vino., start_byte: 11, end_byte: 20, start_char: 11, end_char: 19}] |
+----------------------------------------------------------------------------------------------------------------------------------------------------------------------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL. Line feeds separate blocks."
    ),
    argument(
        name = "language",
        description = "A language code as Wikipedia uses it, a constant or a column; English if it is left out or NULL. A constant that is no language code, such as 'english', is an error."
    ),
    argument(
        name = "splitter",
        description = "A constant: 'default' knows terminators of all scripts and abbreviations of many languages, and a sentence never crosses a line feed; 'published' is the expression of published systems."
    ),
    argument(
        name = "window",
        description = "A constant from 1 to 1000: the number of consecutive sentences of an element. The list has an element for every run of that many sentences. Default 1."
    ),
    related_udf(name = "wikitext_to_plain")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SplitSentences;

impl Function for SplitSentences {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "split_sentences",
        all: &[
            ("text", Kind::Text),
            ("language", Kind::Language),
            ("splitter", Kind::Name),
            ("window", Kind::Count),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.parsed(2, Splitter::Default)?;
        constants.integer(3, WINDOWS, 1_usize)?;
        Ok(StructLists::data_type(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let splitter = args.constants().parsed(2, Splitter::Default)?;
        let window = args.constants().integer(3, WINDOWS, 1_usize)?;
        let texts = args.texts(0)?;
        let languages = args.optional_texts(1)?;

        let (mut spans, mut chars) = (Vec::new(), Vec::new());
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let (mut char_starts, mut char_ends) = (Vec::new(), Vec::new());
        let mut sentences = StringViewBuilder::new();
        let mut lists = StructLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let text = texts.get(row);
            if let Some(text) = text {
                let language = languages.as_ref().and_then(|languages| languages.get(row));
                spans.clear();
                spans.extend(split(text, language, splitter));
                chars.clear();
                let (mut at, mut count) = (0, 0);
                chars.extend(spans.iter().map(|&(start, end)| {
                    let start_char =
                        count + text.get(at..start).unwrap_or_default().chars().count();
                    count = start_char + text[start..end].chars().count();
                    at = end;
                    (start_char as i64, count as i64)
                }));
                for (run, chars) in spans.windows(window).zip(chars.windows(window)) {
                    let (start, end) = (run[0].0, run[window - 1].1);
                    sentences.try_append_value(&text[start..end])?;
                    starts.push(start as i64);
                    ends.push(end as i64);
                    char_starts.push(chars[0].0);
                    char_ends.push(chars[window - 1].1);
                }
            }
            lists.end_row(text.is_some(), starts.len())?;
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(sentences.finish()),
            Arc::new(Int64Array::from(starts)),
            Arc::new(Int64Array::from(ends)),
            Arc::new(Int64Array::from(char_starts)),
            Arc::new(Int64Array::from(char_ends)),
        ];
        lists.finish(fields(), columns)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("sentence", DataType::Utf8View, true),
        integer_field("start_byte"),
        integer_field("end_byte"),
        integer_field("start_char"),
        integer_field("end_char"),
    ])
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, StringArray};
    use arrow::datatypes::Int64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, plan_error, scalar};

    fn rows(list: &dyn Array) -> Vec<(String, i64, i64)> {
        let rows = list.as_struct();
        let sentences = rows.column(0).as_string_view();
        let starts = rows.column(1).as_primitive::<Int64Type>();
        let ends = rows.column(2).as_primitive::<Int64Type>();
        (0..rows.len())
            .map(|row| {
                (
                    sentences.value(row).to_owned(),
                    starts.value(row),
                    ends.value(row),
                )
            })
            .collect()
    }

    #[test]
    fn windows_are_runs_of_sentences() {
        let args = |window: i64| {
            let window = ColumnarValue::Scalar(ScalarValue::Int64(Some(window)));
            vec![
                scalar("One is. Two is. Three is."),
                scalar("en"),
                scalar("default"),
                window,
            ]
        };
        let ScalarValue::List(two) = call_scalar(SplitSentences, args(2)) else {
            panic!("not a list");
        };
        let expected = [
            ("One is. Two is.".to_owned(), 0, 15),
            ("Two is. Three is.".to_owned(), 8, 25),
        ];
        assert_eq!(rows(&two.value(0)), expected);
        let ScalarValue::List(four) = call_scalar(SplitSentences, args(4)) else {
            panic!("not a list");
        };
        assert_eq!(rows(&four.value(0)), []);
    }

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("Él llegó. Se fue."), None, Some(""), Some("One\nTwo")])
        {
            let result = call_array(SplitSentences, vec![ColumnarValue::Array(array)]);
            let lists = result.as_list::<i32>();
            let expected = [
                ("Él llegó.".to_owned(), 0, 11),
                ("Se fue.".to_owned(), 12, 19),
            ];
            assert_eq!(rows(&lists.value(0)), expected);
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && lists.value(2).is_empty());
            assert_eq!(rows(&lists.value(3)).len(), 2);
        }
    }

    #[test]
    fn languages_are_constants_or_columns() {
        let text = || scalar("Das gilt z. B. für Dr. Meier. Ja.");
        let languages = column(StringArray::from(vec![Some("de"), None]));
        let result = call_array(SplitSentences, vec![text(), languages]);
        let lists = result.as_list::<i32>();
        assert_eq!(rows(&lists.value(0)).len(), 2);
        assert!(lists.is_valid(1), "without a language there are rules too");
        let ScalarValue::List(list) = call_scalar(SplitSentences, vec![text(), scalar("de")])
        else {
            panic!("not a list");
        };
        assert_eq!(rows(&list.value(0)), rows(&lists.value(0)));
    }

    #[test]
    fn splitters_have_names() {
        let published = call_array(
            SplitSentences,
            vec![
                column(StringArray::from(vec!["in lower case"])),
                scalar("en"),
                scalar("published"),
            ],
        );
        assert!(published.as_list::<i32>().value(0).is_empty());
        assert_eq!(
            plan_error(
                SplitSentences,
                &[scalar("a"), scalar("en"), scalar("other")]
            ),
            "Error during planning: split_sentences: splitter must be 'default' or 'published', found 'other'"
        );
    }
}
