//! `shingles(text, shingle)`

use std::collections::HashSet;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::ShingleScratch;
use xxhash_rust::xxh3::{Xxh3DefaultBuilder, xxh3_64};

use crate::columns::{Arguments, Constants, Kind, Parameters, text_lists};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the shingles of a text in order of appearance, each once. The text is taken as it is: see `normalize_text`.",
    syntax_example = "shingles(text, shingle)",
    sql_example = r#"```sql
> SELECT shingles('to be, or not to be', 'word:2') AS shingles;
+--------------------------------+
| shingles                       |
+--------------------------------+
| [to be, be or, or not, not to] |
+--------------------------------+
```"#,
    argument(name = "text", description = "The text; NULL gives NULL."),
    argument(
        name = "shingle",
        description = "A constant: `char:n` for n characters, `word:n` for n words joined by one space, `space:n` for n runs between white space joined by one space; n is 1 to 1000. A shorter text has one shingle, all of it. A text of white space only has no shingles of words or of runs. Another text without words, such as `… !`, has one, its characters."
    ),
    related_udf(name = "shingle_hashes")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shingles;

impl Function for Shingles {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "shingles",
        all: &[("text", Kind::Text), ("shingle", Kind::Shingle)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.shingle(1)?;
        Ok(DataType::new_list(DataType::Utf8, true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shingle = args.constants().shingle(1)?;
        let texts = args.texts(0)?;
        let mut scratch = ShingleScratch::default();
        let mut seen = HashSet::with_hasher(Xxh3DefaultBuilder::new());
        text_lists(Self::PARAMETERS.function, args.rows(), |row, push| {
            seen.clear();
            shingle.for_each(texts.get(row)?, &mut scratch, |shingle| {
                if seen.insert(xxh3_64(shingle.as_bytes())) {
                    push(shingle);
                }
            });
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, StringArray};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, every_encoding, plan_error, scalar};

    fn strings(list: &dyn Array) -> Vec<Option<&str>> {
        list.as_string::<i32>().iter().collect()
    }

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("aba ab"), None, Some(""), Some("é")]) {
            let result = call_array(
                Shingles,
                vec![ColumnarValue::Array(array), scalar("char:2")],
            );
            let lists = result.as_list::<i32>();
            assert_eq!(
                strings(&lists.value(0)),
                [Some("ab"), Some("ba"), Some("a "), Some(" a")]
            );
            assert!(lists.is_null(1));
            assert!(lists.value(2).is_empty());
            assert_eq!(strings(&lists.value(3)), [Some("é")]);
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let ScalarValue::List(list) =
            call_scalar(Shingles, vec![scalar("x, y z"), scalar("word:2")])
        else {
            panic!("not a list");
        };
        assert_eq!(strings(&list.value(0)), [Some("x y"), Some("y z")]);
        let null = call_scalar(Shingles, vec![scalar(ScalarValue::Null), scalar("word:2")]);
        assert!(null.is_null());
    }

    #[test]
    fn the_shingle_is_a_valid_constant() {
        let text = || column(StringArray::from(vec!["a"]));
        let error = |shingle| plan_error(Shingles, &[text(), shingle]);
        assert_eq!(
            error(scalar("word:0")),
            "Error during planning: shingles: shingle 'word:0' must end with a window of 1 to 1000, as in 'word:3'"
        );
        assert_eq!(
            error(scalar(3)),
            "Error during planning: shingles: shingle must be a string constant such as 'word:3', found Int32"
        );
        assert_eq!(
            error(scalar(ScalarValue::Null)),
            "Error during planning: shingles: shingle must not be NULL"
        );
        let error = call(Shingles, vec![text(), text()]).expect_err("a column");
        assert_eq!(
            error.strip_backtrace(),
            "Error during planning: shingles: shingle must be a constant, not a column"
        );
    }
}
