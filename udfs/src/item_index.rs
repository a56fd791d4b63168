//! `item_index(items, min_run, max_items, min_words)`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{ItemSpec, MAX_ITEM_GRAM, item_index};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use crate::item_list::items_of;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns an index of the n-grams of items, such as the questions of a benchmark, for `contained_items`. The words of a text are its UAX #29 words in their normal form. Items of one and a half to three n-grams also have shorter ones, of three quarters of the words. What is left out is logged as a warning: items of fewer words than min_words, n-grams that occur in more than max_items items, and items that have no other n-grams. Items of the same words count as one.",
    syntax_example = "item_index(items, min_run, max_items, min_words)",
    sql_example = r#"```sql
> SELECT octet_length(encode(item_index(item_list(n, t), 4, 10, 4), 'hex')) / 2 AS bytes
  FROM (VALUES (1, 'What is the capital of Norway?')) AS items (n, t);
+-------+
| bytes |
+-------+
| 531   |
+-------+
```"#,
    argument(
        name = "items",
        description = "The result of `item_list`; NULL gives NULL."
    ),
    argument(
        name = "min_run",
        description = "The number of words of an n-gram: a constant from 1 to 64. An item of fewer words is one n-gram."
    ),
    argument(
        name = "max_items",
        description = "N-grams that occur in more items are ignored: a constant of at least 1."
    ),
    argument(
        name = "min_words",
        description = "Items of fewer words are left out: a constant of at least 1."
    ),
    related_udf(name = "item_list"),
    related_udf(name = "contained_items")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ItemIndex;

impl Function for ItemIndex {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "item_index",
        all: &[
            ("items", Kind::Sketch),
            ("min_run", Kind::Count),
            ("max_items", Kind::Count),
            ("min_words", Kind::Count),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        spec(constants)?;
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let spec = spec(&args.constants())?;
        let lists = args.bytes(0)?;
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let Some(list) = lists.get(row) else {
                out.append_null();
                continue;
            };
            let Some(items) = items_of(list) else {
                return exec_err!(
                    "item_index: {} bytes are not a result of item_list",
                    list.len()
                );
            };
            let (bytes, left_out) = item_index(&items, spec)
                .map_err(|error| exec_datafusion_err!("item_index: {error}"))?;
            if u32::try_from(bytes.len()).is_err() {
                return exec_err!(
                    "item_index: an index of {} bytes is too large, at most {} fit: divide the items",
                    bytes.len(),
                    u32::MAX
                );
            }
            for (count, what) in [
                (
                    left_out.short,
                    format!(
                        "items that are not looked for, because they have fewer than {} words (min_words)",
                        spec.min_words
                    ),
                ),
                (
                    left_out.grams,
                    format!(
                        "n-grams of up to {} words that are ignored, because they occur in more than {} items (max_items)",
                        spec.min_run, spec.max_items
                    ),
                ),
                (
                    left_out.frequent,
                    "items that are not looked for, because all of their n-grams are ignored"
                        .to_owned(),
                ),
            ] {
                if count > 0 {
                    log::warn!("{what}: {count}");
                }
            }
            out.append_value(&bytes);
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn spec(constants: &Constants<'_>) -> Result<ItemSpec> {
    let longest = MAX_ITEM_GRAM as u32;
    let [min_run, max_items, min_words] = [
        constants.integer(1, 1..=longest, 8)?,
        constants.integer(2, 1..=u32::MAX, 10)?,
        constants.integer(3, 1..=u32::MAX, 1)?,
    ];
    Ok(ItemSpec {
        min_run: min_run as usize,
        max_items: max_items as usize,
        min_words: min_words as usize,
    })
}
