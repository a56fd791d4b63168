//! `item_list(number, text)`

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion_common::{Result, ScalarValue, exec_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Aggregates numbered texts to bytes that `item_index` reads: the number, the length and the bytes of each text, in no order. Rows with NULL are left out; without other rows the list is empty, not NULL. The function `contamination` calls it.",
    syntax_example = "item_list(number, text)",
    sql_example = r#"```sql
> SELECT octet_length(encode(item_list(n, t), 'hex')) / 2 AS bytes FROM (VALUES (1, 'one'), (2, NULL)) AS items (n, t);
+-------+
| bytes |
+-------+
| 15    |
+-------+
```"#,
    argument(name = "number", description = "The number of an item."),
    argument(name = "text", description = "Its text."),
    related_udf(name = "item_index")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ItemList;

impl Aggregate for ItemList {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "item_list",
        all: &[("number", Kind::Integer), ("text", Kind::Text)],
        required: 2,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![("items", DataType::Binary)]
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Items::default()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The bytes so far.
#[derive(Debug, Default)]
struct Items {
    bytes: Vec<u8>,
}

impl Items {
    fn checked(&self) -> Result<Vec<u8>> {
        match i32::try_from(self.bytes.len()) {
            Ok(_) => Ok(self.bytes.clone()),
            Err(_) => exec_err!(
                "item_list: the texts of the items have {} bytes, at most {} fit: divide the items",
                self.bytes.len(),
                i32::MAX
            ),
        }
    }
}

impl Accumulator for Items {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let numbers = cast(&values[0], &DataType::Int64)?;
        let texts = cast(&values[1], &DataType::Utf8View)?;
        let (numbers, texts) = (numbers.as_primitive::<Int64Type>(), texts.as_string_view());
        for row in 0..numbers.len() {
            if numbers.is_valid(row) && texts.is_valid(row) {
                let text = texts.value(row);
                self.bytes.extend(numbers.value(row).to_le_bytes());
                self.bytes.extend((text.len() as u32).to_le_bytes());
                self.bytes.extend(text.as_bytes());
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states[0].as_binary::<i32>().iter().flatten() {
            self.bytes.extend(state);
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(Some(self.checked()?))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::BinaryView(Some(self.checked()?)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.bytes.capacity()
    }
}

/// The items of the bytes of a list; `None` if they are no list.
pub(crate) fn items_of(mut bytes: &[u8]) -> Option<Vec<(i64, &str)>> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        let (number, rest) = bytes.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (text, rest) = rest.split_at_checked(length)?;
        items.push((i64::from_le_bytes(*number), str::from_utf8(text).ok()?));
        bytes = rest;
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, StringArray};

    use super::*;
    use crate::calls::every_encoding;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_items() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), None, Some(-1), Some(7)]));
        for texts in every_encoding(&[Some("one"), Some("two"), Some("drei ü"), None]) {
            for list in every_grouping(ItemList, &[Arc::clone(&numbers), texts.clone()]) {
                let ScalarValue::BinaryView(Some(bytes)) = list else {
                    panic!("not bytes: {list}")
                };
                let mut items = items_of(&bytes).expect("a list");
                items.sort_unstable();
                assert_eq!(items, [(-1, "drei ü"), (5, "one")]);
                assert_eq!(items_of(&bytes[1..]), None);
            }
        }
        let none: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
        let numbers: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
        for list in every_grouping(ItemList, &[numbers, none]) {
            assert_eq!(list, ScalarValue::BinaryView(Some(vec![])));
        }
    }
}
