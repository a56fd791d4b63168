//! `terms(text[, language[, stop_words[, stem]]])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::TermScratch;

use crate::columns::{Arguments, Constants, Kind, Parameters, text_lists};
use crate::function::Function;

/// The language of texts whose language is not given.
const DEFAULT_LANGUAGE: &str = "en";

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the terms of a text, in order and with repeats: its UAX #29 words with a letter or a digit, after NFKC and in lower case, without stop words, stemmed. A typographic apostrophe counts as an ASCII apostrophe; in Catalan, French and Italian an apostrophe ends a word.

Stop words are those of the NLTK (for ar, az, be, bn, ca, da, de, el, en, es, eu, fi, fr, he, hu, id, it, kk, ne, nl, no, pt, ro, ru, sl, sq, sv, ta, tg, tr, uz, zh), and are removed before words are stemmed. Stemmers are those of Snowball (for ar, da, de, el, en, es, fi, fr, hu, it, nl, no, pt, ro, ru, sv, ta, tr); words of more than 200 bytes are not stemmed.",
    syntax_example = "terms(text[, language[, stop_words[, stem]]])",
    sql_example = r#"```sql
> SELECT terms('The children were playing in the gardens') AS english, terms('Die Kinder spielten in den Gärten', 'de') AS german;
+--------------------------+----------------------+
| english                  | german               |
+--------------------------+----------------------+
| [children, play, garden] | [kind, spielt, gart] |
+--------------------------+----------------------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL, and a text without words an empty list."
    ),
    argument(
        name = "language",
        description = "A language code as Wikipedia uses it, a constant or a column: 'de', and 'de-AT' means the same. English if it is left out or NULL. If the language has no stop list, all words are kept; if it has no stemmer, words are not stemmed. A constant that is no language code, such as 'english', is an error."
    ),
    argument(
        name = "stop_words",
        description = "A constant: true (the default) leaves stop words out."
    ),
    argument(
        name = "stem",
        description = "A constant: true (the default) stems words."
    ),
    related_udf(name = "shingles")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Terms;

impl Function for Terms {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "terms",
        all: &[
            ("text", Kind::Text),
            ("language", Kind::Language),
            ("stop_words", Kind::Flag),
            ("stem", Kind::Flag),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.flag(2, true)?;
        constants.flag(3, true)?;
        Ok(DataType::new_list(DataType::Utf8, true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let stop_words = args.constants().flag(2, true)?;
        let stem = args.constants().flag(3, true)?;
        let texts = args.texts(0)?;
        let languages = args.optional_texts(1)?;
        let mut rules = Languages::new(stop_words, stem);
        let mut scratch = TermScratch::default();
        text_lists(Self::PARAMETERS.function, args.rows(), |row, push| {
            let text = texts.get(row)?;
            let language = languages.as_ref().and_then(|languages| languages.get(row));
            rules
                .of(language.unwrap_or(DEFAULT_LANGUAGE))
                .for_each(text, &mut scratch, push);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The languages of a batch, each prepared once.
struct Languages {
    stop_words: bool,
    stem: bool,
    known: Vec<(String, neardup_kernels::Terms)>,
    last: usize,
}

impl Languages {
    fn new(stop_words: bool, stem: bool) -> Self {
        Self {
            stop_words,
            stem,
            known: Vec::new(),
            last: 0,
        }
    }

    fn of(&mut self, language: &str) -> &neardup_kernels::Terms {
        let is = |(code, _): &(String, _)| code == language;
        if !self.known.get(self.last).is_some_and(is) {
            self.last = self.known.iter().position(is).unwrap_or(self.known.len());
        }
        if self.last == self.known.len() {
            let terms = neardup_kernels::Terms::new(language, self.stop_words, self.stem);
            self.known.push((language.to_owned(), terms));
        }
        &self.known[self.last].1
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, StringArray};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, plan_error, scalar};

    fn strings(list: &dyn Array) -> Vec<Option<&str>> {
        list.as_string::<i32>().iter().collect()
    }

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("The Cats, the cats"), None, Some(""), Some("…")]) {
            let result = call_array(Terms, vec![ColumnarValue::Array(array)]);
            let lists = result.as_list::<i32>();
            assert_eq!(strings(&lists.value(0)), [Some("cat"), Some("cat")]);
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && lists.value(2).is_empty());
            assert!(lists.is_valid(3) && lists.value(3).is_empty());
        }
    }

    #[test]
    fn languages_are_constants_or_columns() {
        let codes = [Some("de"), None, Some("en"), Some("xx"), Some("de-AT")];
        let result = call_array(
            Terms,
            vec![
                scalar("The Züge"),
                column(StringArray::from(codes.to_vec())),
            ],
        );
        let lists = result.as_list::<i32>();
        let expected: [&[_]; 5] = [
            &[Some("the"), Some("zug")],
            &[Some("züge")],
            &[Some("züge")],
            &[Some("the"), Some("züge")],
            &[Some("the"), Some("zug")],
        ];
        for (row, expected) in expected.into_iter().enumerate() {
            assert_eq!(strings(&lists.value(row)), expected, "{row}");
        }
        let null = ScalarValue::Utf8(None);
        let ScalarValue::List(list) = call_scalar(Terms, vec![scalar("The Cats"), scalar(null)])
        else {
            panic!("not a list");
        };
        assert_eq!(strings(&list.value(0)), [Some("cat")]);
    }

    #[test]
    fn flags_are_constants() {
        let with = |stop_words: bool, stem: bool| {
            let args = vec![
                column(StringArray::from(vec!["The Cats"])),
                scalar("en"),
                scalar(stop_words),
                scalar(stem),
            ];
            let result = call_array(Terms, args);
            let terms = result.as_list::<i32>().value(0);
            strings(&terms)
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(with(true, true), "cat");
        assert_eq!(with(true, false), "cats");
        assert_eq!(with(false, true), "the cat");
        assert_eq!(with(false, false), "the cats");
        let error = |flag| plan_error(Terms, &[scalar("a"), scalar("en"), flag]);
        assert_eq!(
            error(scalar("yes")),
            "Error during planning: terms: stop_words must be true or false, found Utf8"
        );
        assert_eq!(
            error(scalar(ScalarValue::Null)),
            "Error during planning: terms: stop_words must not be NULL"
        );
    }
}
