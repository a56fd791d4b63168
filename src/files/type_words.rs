//! Types of columns in words.

use datafusion::arrow::datatypes::DataType;

/// The values of a column of a type, in words for errors.
pub(crate) fn values_of(data_type: &DataType) -> String {
    let words = match data_type {
        DataType::Dictionary(_, value) => return values_of(value),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => {
            return format!("lists of {}", values_of(item.data_type()));
        }
        DataType::Null => "no values",
        DataType::Boolean => "truth values",
        DataType::Struct(_) | DataType::Map(..) => "objects",
        DataType::Date32 | DataType::Date64 => "dates",
        DataType::Timestamp(..) => "timestamps",
        DataType::Time32(_) | DataType::Time64(_) => "times of day",
        DataType::Duration(_) | DataType::Interval(_) => "lengths of time",
        other if other.is_integer() => "integers",
        DataType::Decimal32(_, 0)
        | DataType::Decimal64(_, 0)
        | DataType::Decimal128(_, 0)
        | DataType::Decimal256(_, 0) => "decimal numbers",
        other if other.is_numeric() => "numbers with fractions",
        other if other.is_string() => "texts",
        other if other.is_binary() => "bytes",
        other => return other.to_string(),
    };
    words.to_owned()
}
