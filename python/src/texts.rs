//! Checks that texts which another library hands over are UTF-8: the engine takes that for granted.

use arrow::array::{
    Array, AsArray, GenericStringArray, OffsetSizeTrait, RecordBatch, StringViewArray, make_array,
};
use arrow::datatypes::DataType;

/// Checks all texts of batches, also those inside lists, structs and dictionaries.
///
/// # Errors
/// A message that names the column, and the row of a text that is not inside another value.
pub(crate) fn check(batches: &[RecordBatch]) -> Result<(), String> {
    let mut rows = 0;
    for batch in batches {
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            let name = field.name();
            match invalid(column) {
                None => {}
                Some(Invalid::Row(row)) => {
                    return Err(format!(
                        "column '{name}': the text in row {} is not UTF-8",
                        rows + row
                    ));
                }
                Some(Invalid::Nested) => {
                    return Err(format!("column '{name}': a text is not UTF-8"));
                }
            }
        }
        rows += batch.num_rows();
    }
    Ok(())
}

/// Where a text is that is not UTF-8.
enum Invalid {
    Row(usize),
    Nested,
}

fn invalid(array: &dyn Array) -> Option<Invalid> {
    match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>()).map(Invalid::Row),
        DataType::LargeUtf8 => texts(array.as_string::<i64>()).map(Invalid::Row),
        DataType::Utf8View => views(array.as_string_view()).map(Invalid::Row),
        kind if kind.is_nested() || matches!(kind, DataType::Dictionary(..)) => {
            let data = array.to_data();
            let mut children = data.child_data().iter();
            children.find_map(|child| invalid(&make_array(child.clone())).map(|_| Invalid::Nested))
        }
        _ => None,
    }
}

/// The first row whose text is not UTF-8.
fn texts<Offset: OffsetSizeTrait>(array: &GenericStringArray<Offset>) -> Option<usize> {
    let ends = array.value_offsets();
    let at = |row: usize| ends[row].as_usize();
    let (begin, end) = (at(0), at(array.len()));
    // All texts at once, which is fast; what lies between them may belong to rows without a value.
    let bytes = array.value_data();
    if let Ok(all) = std::str::from_utf8(&bytes[begin..end])
        && ends
            .iter()
            .all(|end| all.is_char_boundary(end.as_usize() - begin))
    {
        return None;
    }
    (0..array.len()).find(|row| {
        let text = &bytes[at(*row)..at(row + 1)];
        array.is_valid(*row) && std::str::from_utf8(text).is_err()
    })
}

/// The first row whose text is not UTF-8.
fn views(array: &StringViewArray) -> Option<usize> {
    let bytes = array.clone().to_binary_view();
    (0..array.len())
        .find(|row| array.is_valid(*row) && std::str::from_utf8(bytes.value(*row)).is_err())
}
