//! `wikitext_to_plain(wikitext[, language[, formulas]])`

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_wikitext::{Formulas, to_blocks_into};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the prose of a page of wikitext: without markup, templates, tables, references and the sections that only list references or links. Each paragraph, heading and list item is a line of its own. A formula in a sentence is the word `FORMULA`, or its text by choice; a formula in a line of its own is left out. Empty brackets and separators beside what was left out go too. A redirect gives the empty text.",
    syntax_example = "wikitext_to_plain(wikitext[, language[, formulas]])",
    sql_example = r#"```sql
> SELECT wikitext_to_plain('The Ouse flows through [[York|the city]].<ref>A map.</ref>', 'en') AS plain;
+----------------------------------+
| plain                            |
+----------------------------------+
| The Ouse flows through the city. |
+----------------------------------+
```"#,
    argument(
        name = "wikitext",
        description = "The source of a page; NULL gives NULL."
    ),
    argument(
        name = "language",
        description = "The language code of the wiki, a constant or a column; where it is left out or NULL, the section titles of all languages count. A constant that is no language code, such as 'english', is an error."
    ),
    argument(
        name = "formulas",
        description = "A constant: 'placeholder' (default) for the word `FORMULA`, the same for every formula; 'text' for the formula in plain characters, as in \"(a + 1)/b ≤ x^2\", and the word where it cannot be read."
    ),
    related_udf(name = "split_sentences")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WikitextToPlain;

impl Function for WikitextToPlain {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "wikitext_to_plain",
        all: &[
            ("wikitext", Kind::Text),
            ("language", Kind::Language),
            ("formulas", Kind::Name),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.parsed(2, Formulas::default())?;
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let pages = args.texts(0)?;
        let languages = args.optional_texts(1)?;
        let formulas = args.constants().parsed(2, Formulas::default())?;
        let (mut plain, mut letters) = (String::new(), String::new());
        let mut out = StringViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let Some(wikitext) = pages.get(row) else {
                out.append_null();
                continue;
            };
            let language = languages.as_ref().and_then(|languages| languages.get(row));
            plain.clear();
            letters.clear();
            to_blocks_into(wikitext, language, formulas, &mut plain, &mut letters);
            out.try_append_value(&plain)?;
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, StringArray};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, scalar};

    const PAGE: &str =
        "'''Ouse''' at [[York (city)|York]].<ref>A map.</ref>\n== Siehe auch ==\n* x";

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some(PAGE), None, Some(""), Some("#REDIRECT [[A]]")]) {
            let result = call_array(
                WikitextToPlain,
                vec![ColumnarValue::Array(array), scalar("de")],
            );
            let result: Vec<_> = result.as_string_view().iter().collect();
            assert_eq!(result, [Some("Ouse at York."), None, Some(""), Some("")]);
        }
    }

    #[test]
    fn languages_are_constants_or_columns() {
        let languages = column(StringArray::from(vec![Some("de"), Some("en"), None]));
        let result = call_array(WikitextToPlain, vec![scalar(PAGE), languages]);
        let result: Vec<_> = result.as_string_view().iter().flatten().collect();
        assert_eq!(
            result,
            [
                "Ouse at York.",
                "Ouse at York.\nSiehe auch\nx",
                "Ouse at York."
            ]
        );
        assert_eq!(
            call_scalar(WikitextToPlain, vec![scalar(PAGE), scalar("de")]),
            ScalarValue::Utf8View(Some("Ouse at York.".to_owned()))
        );
    }
}
