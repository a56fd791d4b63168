//! `wikitext_to_blocks(wikitext[, language[, formulas]])`

use std::sync::Arc;

use arrow::array::{ArrayRef, NullBufferBuilder, StringViewBuilder, StructArray};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_wikitext::{Formulas, to_blocks_into};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the prose of a page of wikitext as `wikitext_to_plain` does, and what its lines were on the page: a struct of text and blocks, a text with one letter for each line, `p` for a paragraph, `l` for a list item, `h` for a heading.",
    syntax_example = "wikitext_to_blocks(wikitext[, language[, formulas]])",
    sql_example = r#"```sql
> SELECT wikitext_to_blocks('The Ouse is long.' || chr(10) || '== Towns ==' || chr(10) || '* [[York]]', 'en')['blocks'] AS blocks;
+--------+
| blocks |
+--------+
| phl    |
+--------+
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
    related_udf(name = "wikitext_to_plain"),
    related_udf(name = "sentence_kinds")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WikitextToBlocks;

impl Function for WikitextToBlocks {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "wikitext_to_blocks",
        all: &[
            ("wikitext", Kind::Text),
            ("language", Kind::Language),
            ("formulas", Kind::Name),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.parsed(2, Formulas::default())?;
        Ok(DataType::Struct(fields()))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let pages = args.texts(0)?;
        let languages = args.optional_texts(1)?;
        let formulas = args.constants().parsed(2, Formulas::default())?;
        let (mut plain, mut letters) = (String::new(), String::new());
        let mut texts = StringViewBuilder::with_capacity(args.rows());
        let mut blocks = StringViewBuilder::with_capacity(args.rows());
        let mut nulls = NullBufferBuilder::new(args.rows());
        for row in 0..args.rows() {
            let page = pages.get(row);
            nulls.append(page.is_some());
            plain.clear();
            letters.clear();
            let language = languages.as_ref().and_then(|languages| languages.get(row));
            let page = page.unwrap_or_default();
            to_blocks_into(page, language, formulas, &mut plain, &mut letters);
            texts.try_append_value(&plain)?;
            blocks.try_append_value(&letters)?;
        }
        let columns: Vec<ArrayRef> = vec![Arc::new(texts.finish()), Arc::new(blocks.finish())];
        Ok(Arc::new(StructArray::try_new(
            fields(),
            columns,
            nulls.finish(),
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("text", DataType::Utf8View, true),
        Field::new("blocks", DataType::Utf8View, true),
    ])
}
