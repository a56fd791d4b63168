//! `html_to_text(html[, main])`

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::html_text_into;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the readable text of a page of HTML. Paragraphs, headings, lists and tables are separated by blank lines, list items and rows begin lines, cells are separated by tabs; white space is kept in `<pre>` only. Character references are decoded. The title, scripts, styles, templates and the fallback content of media are left out. Any text is a page: broken HTML is read as browsers read it, and time and memory are linear in its length.",
    syntax_example = "html_to_text(html[, main])",
    sql_example = r#"```sql
> SELECT html_to_text('<p>A river & its <a href="/york">city</a>.<script>x()</script>') AS text;
+---------------------+
| text                |
+---------------------+
| A river & its city. |
+---------------------+
```"#,
    argument(
        name = "html",
        description = "A page or a part of one; NULL gives NULL."
    ),
    argument(
        name = "main",
        description = "A constant: whether only the main content is returned, without menus, footers and lists of links. Texts are recognised by their numbers of words, their links and their neighbours (Kohlschütter, Fankhauser and Nejdl, WSDM 2010), and by elements such as `<nav>` and `<main>`. A page without main content gives the empty text. Default false."
    ),
    related_udf(name = "wikitext_to_plain"),
    related_udf(name = "text_units")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HtmlToText;

impl Function for HtmlToText {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "html_to_text",
        all: &[("html", Kind::Text), ("main", Kind::Flag)],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.flag(1, false)?;
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let main_only = args.constants().flag(1, false)?;
        let pages = args.texts(0)?;
        let mut text = String::new();
        let mut out = StringViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let Some(page) = pages.get(row) else {
                out.append_null();
                continue;
            };
            text.clear();
            html_text_into(page, main_only, &mut text);
            out.try_append_value(&text)?;
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, plan_error, scalar};

    const PAGE: &str = "<nav><a href=/>Home</a></nav><p>Über die <b>Ouse</b> &amp; York, die Stadt im Norden Englands, \
        durch die sie fließt, bevor sie in den Trent mündet.";
    const MAIN: &str = "Über die Ouse & York, die Stadt im Norden Englands, durch die sie fließt, bevor sie in den \
        Trent mündet.";

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some(PAGE), None, Some(""), Some("a<br>b")]) {
            let result = call_array(HtmlToText, vec![ColumnarValue::Array(array)]);
            let result: Vec<_> = result.as_string_view().iter().collect();
            let page = format!("Home\n\n{MAIN}");
            assert_eq!(result, [Some(&*page), None, Some(""), Some("a\nb")]);
        }
    }

    #[test]
    fn main_is_a_constant() {
        let main = |flag| ColumnarValue::Scalar(ScalarValue::Boolean(flag));
        assert_eq!(
            call_scalar(HtmlToText, vec![scalar(PAGE), main(Some(true))]),
            ScalarValue::Utf8View(Some(MAIN.to_owned()))
        );
        assert_eq!(
            plan_error(HtmlToText, &[scalar(PAGE), scalar("yes")]),
            "Error during planning: html_to_text: main must be true or false, found Utf8"
        );
    }
}
