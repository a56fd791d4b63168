//! `normalize_text(text)`

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::normalize_into;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns a text in the form in which texts are compared: Unicode form NFKC, lower case, NFKC again, runs of white space replaced by one space, and trimmed. Accents and punctuation are kept. Normalising twice changes nothing.",
    syntax_example = "normalize_text(text)",
    sql_example = r#"```sql
> SELECT normalize_text('  The  ＮＡＴＯ ﬁle … ') AS normal;
+-------------------+
| normal            |
+-------------------+
| the nato file ... |
+-------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL.")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NormalizeText;

impl Function for NormalizeText {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "normalize_text",
        all: &[("text", Kind::Text)],
        required: 1,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let texts = args.texts(0)?;
        let mut normal = String::new();
        let mut out = StringViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match texts.get(row) {
                Some(text) => {
                    normal.clear();
                    normalize_into(text, &mut normal);
                    out.try_append_value(&normal)?;
                }
                None => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// A text as it is compared: in its normal form, which `normal` then holds, or unchanged.
pub(crate) fn compared<'a>(text: &'a str, normalize: bool, normal: &'a mut String) -> &'a str {
    if !normalize {
        return text;
    }
    normal.clear();
    normalize_into(text, normal);
    normal
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int64Array};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, plan_error, scalar};

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some(" A\u{a0}\tB"), None, Some(" "), Some("STRAßE")]) {
            let result = call_array(NormalizeText, vec![ColumnarValue::Array(array)]);
            let result: Vec<_> = result.as_string_view().iter().collect();
            assert_eq!(result, [Some("a b"), None, Some(""), Some("straße")]);
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let view = |text: Option<&str>| ScalarValue::Utf8View(text.map(str::to_owned));
        assert_eq!(
            call_scalar(NormalizeText, vec![scalar("ﬁne ")]),
            view(Some("fine"))
        );
        assert_eq!(
            call_scalar(NormalizeText, vec![scalar(ScalarValue::Null)]),
            view(None)
        );
    }

    #[test]
    fn errors_name_function_and_argument() {
        assert_eq!(
            plan_error(NormalizeText, &[column(Int64Array::from(vec![1]))]),
            "Error during planning: normalize_text: text must be text, found Int64"
        );
        assert_eq!(
            plan_error(NormalizeText, &[scalar("a"), scalar("b")]),
            "Error during planning: normalize_text takes 1 argument (text), found 2"
        );
    }
}
