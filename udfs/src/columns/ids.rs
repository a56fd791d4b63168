//! Columns of ids: integers or strings of any type, numbered densely.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, LargeStringBuilder, StringBuilder, StringViewBuilder,
    UInt64Array,
};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion_common::{Result, exec_err, internal_err};
use xxhash_rust::xxh3::xxh3_64;

use super::texts::{Texts, is_text};

/// The number that means "no id".
pub(crate) const NO_ID: u32 = u32::MAX;

/// Whether a column of this type can hold ids.
pub(super) fn is_id(data_type: &DataType) -> bool {
    data_type.is_integer() || is_text(data_type)
}

/// Distinct ids, numbered 0, 1, … in the order of their first appearance.
#[derive(Debug)]
pub(crate) struct IdTable {
    data_type: DataType,
    values: Values,
    /// A hash table of the numbers of ids with open addressing; its length is a power of two, and it is at most
    /// half full.
    slots: Vec<u32>,
}

/// The ids by number.
#[derive(Debug)]
enum Values {
    /// Signed integers with the highest bit flipped, so that they sort as unsigned ones do.
    Signed(Vec<u64>),
    Unsigned(Vec<u64>),
    /// The bytes of all ids, and where each ends.
    Texts(String, Vec<usize>),
}

const SIGN: u64 = 1 << 63;

/// One id to look up.
#[derive(Clone, Copy)]
enum Id<'a> {
    Integer(u64),
    Text(&'a str),
}

impl Id<'_> {
    fn hash(self) -> u64 {
        match self {
            Self::Integer(key) => {
                let product = u128::from(key ^ 0x2545_F491_4F6C_DD1D) * 0xD6E8_FEB8_6659_FD93;
                product as u64 ^ (product >> 64) as u64
            }
            Self::Text(text) => xxh3_64(text.as_bytes()),
        }
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Signed(keys) | Self::Unsigned(keys) => keys.len(),
            Self::Texts(_, ends) => ends.len(),
        }
    }

    fn text<'a>(text: &'a str, ends: &[usize], number: usize) -> &'a str {
        let start = number.checked_sub(1).map_or(0, |before| ends[before]);
        &text[start..ends[number]]
    }

    fn get(&self, number: u32) -> Id<'_> {
        match self {
            Self::Signed(keys) | Self::Unsigned(keys) => Id::Integer(keys[number as usize]),
            Self::Texts(text, ends) => Id::Text(Self::text(text, ends, number as usize)),
        }
    }

    fn is(&self, number: u32, id: Id<'_>) -> bool {
        match (self.get(number), id) {
            (Id::Integer(a), Id::Integer(b)) => a == b,
            (Id::Text(a), Id::Text(b)) => a == b,
            _ => false,
        }
    }

    fn push(&mut self, id: Id<'_>) {
        match (self, id) {
            (Self::Signed(keys) | Self::Unsigned(keys), Id::Integer(key)) => keys.push(key),
            (Self::Texts(text, ends), Id::Text(id)) => {
                text.push_str(id);
                ends.push(text.len());
            }
            // A table has only ids of one type, integers or texts.
            _ => {}
        }
    }
}

impl IdTable {
    /// An empty table of ids of a type.
    pub(crate) fn new(data_type: &DataType) -> Result<Self> {
        let values = match data_type {
            signed if signed.is_signed_integer() => Values::Signed(Vec::new()),
            unsigned if unsigned.is_unsigned_integer() => Values::Unsigned(Vec::new()),
            text if text.is_string() => Values::Texts(String::new(), Vec::new()),
            other => return internal_err!("a column of {other} does not hold ids"),
        };
        Ok(Self {
            data_type: data_type.clone(),
            values,
            slots: vec![NO_ID; 16],
        })
    }

    /// The number of ids.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        let values = match &self.values {
            Values::Signed(keys) | Values::Unsigned(keys) => keys.capacity() * size_of::<u64>(),
            Values::Texts(text, ends) => text.capacity() + ends.capacity() * size_of::<usize>(),
        };
        values + self.slots.capacity() * size_of::<u32>()
    }

    /// The numbers of the ids of a column; new ids are added. Rows that are NULL in the column or in `nulls` get
    /// [`NO_ID`], and their ids are not added.
    pub(crate) fn number(
        &mut self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
    ) -> Result<Vec<u32>> {
        let own = array.logical_nulls();
        let nulls = NullBuffer::union(own.as_ref(), nulls);
        let valid = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let mut numbers = vec![NO_ID; array.len()];
        let rows = numbers
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| valid(*row));
        match self.values {
            Values::Signed(_) => {
                let array = cast(array, &DataType::Int64)?;
                let ids = array.as_primitive::<Int64Type>().values();
                for (row, number) in rows {
                    *number = self.number_of(Id::Integer(ids[row] as u64 ^ SIGN))?;
                }
            }
            Values::Unsigned(_) => {
                let array = cast(array, &DataType::UInt64)?;
                let ids = array.as_primitive::<UInt64Type>().values();
                for (row, number) in rows {
                    *number = self.number_of(Id::Integer(ids[row]))?;
                }
            }
            Values::Texts(..) => {
                let texts = Texts::new(Arc::clone(array), false)?;
                for (row, number) in rows {
                    if let Some(text) = texts.get(row) {
                        *number = self.number_of(Id::Text(text))?;
                    }
                }
            }
        }
        Ok(numbers)
    }

    fn number_of(&mut self, id: Id<'_>) -> Result<u32> {
        let slot = self.slot_of(id);
        if self.slots[slot] != NO_ID {
            return Ok(self.slots[slot]);
        }
        let number = match u32::try_from(self.len()) {
            Ok(number) if number < NO_ID => number,
            _ => return exec_err!("more than {} distinct ids in one aggregate", NO_ID - 1),
        };
        self.values.push(id);
        self.slots[slot] = number;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(number)
    }

    /// The slot that holds an id, or the free slot where it belongs.
    fn slot_of(&self, id: Id<'_>) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = id.hash() as usize & mask;
        while self.slots[slot] != NO_ID && !self.values.is(self.slots[slot], id) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![NO_ID; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for number in 0..self.len() as u32 {
            let mut slot = self.values.get(number).hash() as usize & mask;
            while self.slots[slot] != NO_ID {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }

    /// The order of two ids: integers by value, strings by their bytes.
    pub(crate) fn compare(&self, a: u32, b: u32) -> Ordering {
        match (self.values.get(a), self.values.get(b)) {
            (Id::Integer(a), Id::Integer(b)) => a.cmp(&b),
            (Id::Text(a), Id::Text(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }

    /// A column of the ids of these numbers, NULL for [`NO_ID`].
    pub(crate) fn take(&self, numbers: impl Iterator<Item = u32>) -> Result<ArrayRef> {
        let numbers = numbers.map(|number| (number != NO_ID).then_some(number as usize));
        let integers: ArrayRef = match &self.values {
            Values::Signed(keys) => {
                let ids = numbers.map(|number| number.map(|number| (keys[number] ^ SIGN) as i64));
                Arc::new(ids.collect::<Int64Array>())
            }
            Values::Unsigned(keys) => {
                let ids = numbers.map(|number| number.map(|number| keys[number]));
                Arc::new(ids.collect::<UInt64Array>())
            }
            Values::Texts(text, ends) => {
                return self.take_texts(
                    numbers.map(|number| number.map(|number| Values::text(text, ends, number))),
                );
            }
        };
        Ok(cast(&integers, &self.data_type)?)
    }

    fn take_texts<'a>(&self, texts: impl Iterator<Item = Option<&'a str>>) -> Result<ArrayRef> {
        match self.data_type {
            DataType::Utf8 => {
                let mut column = StringBuilder::new();
                let mut bytes = 0;
                for text in texts {
                    bytes += text.map_or(0, str::len);
                    if bytes > i32::MAX as usize {
                        return exec_err!(
                            "the ids of one aggregate hold more than {} bytes; cast them to Utf8View",
                            i32::MAX
                        );
                    }
                    column.append_option(text);
                }
                Ok(Arc::new(column.finish()))
            }
            DataType::Utf8View => {
                let mut column = StringViewBuilder::new();
                texts.for_each(|text| column.append_option(text));
                Ok(Arc::new(column.finish()))
            }
            _ => {
                let mut column = LargeStringBuilder::new();
                texts.for_each(|text| column.append_option(text));
                Ok(Arc::new(column.finish()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::every_encoding;

    #[test]
    fn integers_of_every_type_keep_their_order() {
        use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        for data_type in [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64] {
            let smallest = if data_type.is_signed_integer() { -3 } else { 3 };
            let plain = Int64Array::from(vec![Some(100), None, Some(smallest), Some(100), Some(7)]);
            let array = cast(&plain, &data_type)
                .expect("an integer type")
                .slice(1, 4);
            let mut table = IdTable::new(&data_type).expect("an id type");
            assert_eq!(table.number(&array, None).expect("ids"), [NO_ID, 0, 1, 2]);
            assert_eq!(table.compare(0, 1), Ordering::Less);
            assert_eq!(table.compare(2, 0), Ordering::Greater);
            let taken = table.take([NO_ID, 0, 1, 2].into_iter()).expect("a column");
            assert_eq!(&taken, &array);
        }
    }

    #[test]
    fn the_ends_of_the_integer_range() {
        let array: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX, i64::MIN, -1, 0]));
        let mut table = IdTable::new(&DataType::Int64).expect("an id type");
        assert_eq!(table.number(&array, None).expect("ids"), [0, 1, 2, 3]);
        let mut sorted = [0, 1, 2, 3];
        sorted.sort_by(|a, b| table.compare(*a, *b));
        assert_eq!(sorted, [1, 2, 3, 0]);
        assert_eq!(&table.take(0..4).expect("a column"), &array);
    }

    #[test]
    fn strings_of_every_encoding() {
        for array in every_encoding(&[Some("b"), None, Some(""), Some("ä"), Some("b")]) {
            let data_type = match array.data_type() {
                DataType::Dictionary(_, value) => value.as_ref().clone(),
                other => other.clone(),
            };
            let mut table = IdTable::new(&data_type).expect("an id type");
            let numbers = table.number(&array, None).expect("ids");
            assert_eq!(numbers, [0, NO_ID, 1, 2, 0]);
            assert_eq!(table.compare(1, 0), Ordering::Less);
            assert_eq!(table.compare(0, 2), Ordering::Less);
            let taken = table.take(numbers.into_iter()).expect("a column");
            assert_eq!(&taken, &cast(&array, &data_type).expect("the plain type"));
        }
    }

    #[test]
    fn many_ids_and_ids_left_out() {
        let ids = || (0..10_000_i64).map(|i| i * i % 5_003 - 2_000);
        let array: ArrayRef = Arc::new(ids().collect::<Int64Array>());
        let mut table = IdTable::new(&DataType::Int64).expect("an id type");
        let numbers = table.number(&array, None).expect("ids");
        let distinct: std::collections::BTreeSet<i64> = ids().collect();
        assert_eq!(table.len(), distinct.len());
        assert_eq!(&table.take(numbers.into_iter()).expect("a column"), &array);
        let nulls = NullBuffer::from(vec![false; 10_000]);
        let mut table = IdTable::new(&DataType::Int64).expect("an id type");
        let numbers = table.number(&array, Some(&nulls)).expect("ids");
        assert!(table.len() == 0 && numbers.iter().all(|number| *number == NO_ID));
    }
}
