//! `item_index(items, min_run, max_items, min_words)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{ItemSpec, MAX_ITEM_GRAM, item_index};

use crate::columns::{Arguments, Constants, Kind, Parameters, check_fields};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns an index of the n-grams of items, such as the questions of a benchmark, for `contained_items`. The words of a text are its UAX #29 words in their normal form. What is left out is logged as a warning: items of fewer words than min_words, and items all of whose n-grams stand in more than max_items items.",
    syntax_example = "item_index(items, min_run, max_items, min_words)",
    sql_example = r#"```sql
> SELECT octet_length(encode(item_index([named_struct('number', 1, 'text', 'What is the capital of Norway?')], 4, 10, 4), 'hex')) / 2 AS bytes;
+-------+
| bytes |
+-------+
| 346   |
+-------+
```"#,
    argument(
        name = "items",
        description = "A list of structs with the fields number (an integer) and text; NULL gives NULL. Elements with NULL are left out."
    ),
    argument(
        name = "min_run",
        description = "The number of words of an n-gram: a constant from 1 to 64. An item of fewer words is one n-gram."
    ),
    argument(
        name = "max_items",
        description = "N-grams that stand in more items are ignored: a constant of at least 1."
    ),
    argument(
        name = "min_words",
        description = "Items of fewer words are left out: a constant of at least 1."
    ),
    related_udf(name = "contained_items")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ItemIndex;

impl Function for ItemIndex {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "item_index",
        all: &[
            ("items", Kind::Records),
            ("min_run", Kind::Count),
            ("max_items", Kind::Count),
            ("min_words", Kind::Count),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        spec(constants)?;
        check_fields(Self::PARAMETERS.function, types[0], &["number"], &["text"])?;
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let spec = spec(&args.constants())?;
        let records = args.records(0)?;
        let (numbers, texts) = (records.integers("number")?, records.texts("text")?);
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let Some(range) = records.get(row) else {
                out.append_null();
                continue;
            };
            let items = range.filter(|&at| numbers.is_valid(at));
            let items = items.filter_map(|at| Some((numbers.value(at), texts.get(at)?)));
            let items: Vec<(i64, &str)> = items.collect();
            let (bytes, left_out) = item_index(&items, spec)
                .map_err(|error| exec_datafusion_err!("item_index: {error}"))?;
            if u32::try_from(bytes.len()).is_err() {
                return exec_err!(
                    "item_index: an index of {} bytes is too large, at most {} fit: divide the items",
                    bytes.len(),
                    u32::MAX
                );
            }
            if left_out.short > 0 {
                log::warn!(
                    "{} items have fewer than {} words and are not looked for (min_words)",
                    left_out.short,
                    spec.min_words
                );
            }
            if left_out.frequent > 0 {
                log::warn!(
                    "{} items are not looked for: all of their runs of {} words stand in more than {} items (max_items)",
                    left_out.frequent,
                    spec.min_run,
                    spec.max_items
                );
            }
            if left_out.grams > 0 {
                log::warn!(
                    "{} runs of {} words stand in more than {} items and are ignored (max_items)",
                    left_out.grams,
                    spec.min_run,
                    spec.max_items
                );
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
