//! Keys and values in the names of directories: `key=value`, where bytes may be written as `%` and two digits.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;

/// The value that means NULL in the name of a directory.
pub(crate) const NULL_DIRECTORY: &str = "__HIVE_DEFAULT_PARTITION__";

/// The keys of directories and their values as written.
pub(super) type Values = Vec<(String, String)>;

/// The keys and values in the names of directories.
pub(super) fn keys(directories: &str) -> Values {
    let parts = directories
        .split('/')
        .filter_map(|part| part.split_once('='));
    let known = parts.filter(|(key, _)| !key.is_empty());
    known
        .map(|(key, value)| (decoded(key), value.to_owned()))
        .collect()
}

pub(super) fn value_in<'a>(found: &'a [(String, String)], key: &str) -> Option<&'a str> {
    let mut values = found.iter().filter(|(known, _)| known == key);
    values.next().map(|(_, value)| value.as_str())
}

/// Whether no key has different values.
pub(super) fn agree(some: &[(String, String)], others: &[(String, String)]) -> bool {
    others.iter().all(|(key, _)| {
        let values = value_in(some, key).zip(value_in(others, key));
        values.is_none_or(|(one, other)| meaning(one) == meaning(other))
    })
}

/// A path without the name of the file.
pub(super) fn directories(path: &str) -> &str {
    path.rsplit_once('/').unwrap_or_default().0
}

/// The type of a column of these values.
pub(super) fn type_of(values: &[String]) -> DataType {
    match !values.is_empty() && values.iter().all(|value| integer(value).is_some()) {
        true => DataType::Int64,
        false => DataType::Utf8,
    }
}

/// The integer that is written as this value.
fn integer(value: &str) -> Option<i64> {
    let number: i64 = value.parse().ok()?;
    (number.to_string() == value).then_some(number)
}

/// Whether a column of a type can hold a value as it is written.
pub(super) fn holds(data_type: &DataType, value: &str) -> bool {
    if data_type.is_string() {
        return true;
    }
    let returns = |value: ScalarValue| {
        let back = value.cast_to(data_type);
        let back = back.and_then(|held| held.cast_to(&value.data_type()));
        back.is_ok_and(|back| back == value)
    };
    let is_exact = || integer(value).is_some_and(|number| returns(number.into()));
    returns(ScalarValue::from(value)) || (data_type.is_numeric() && is_exact())
}

/// The value that the name of a directory means.
pub(super) fn meaning(value: &str) -> Option<String> {
    match value {
        "" | NULL_DIRECTORY => None,
        value => Some(decoded(value)),
    }
}

/// A part of the name of a directory, in which bytes may be written as `%` and two hexadecimal digits.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let is_hex = |digits: &&[u8]| digits.iter().all(u8::is_ascii_hexdigit);
        let digits = behind.get(..2).filter(|_| byte == b'%').filter(is_hex);
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{keys, meaning};

    #[test]
    fn names_of_directories_are_escaped() {
        for (written, meant) in [
            ("2019", Some("2019")),
            ("a%20b%2Fc", Some("a b/c")),
            ("50%", Some("50%")),
            ("%zz%C3%A9", Some("%zzé")),
            ("%FF", Some("%FF")),
            ("%+5", Some("%+5")),
            ("", None),
            ("__HIVE_DEFAULT_PARTITION__", None),
        ] {
            assert_eq!(meaning(written).as_deref(), meant, "{written}");
        }
        let found = keys("a/my%20key=2/%3D=%3D/=x/k=");
        let found: Vec<(&str, &str)> = found.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(found, [("my key", "2"), ("=", "%3D"), ("k", "")]);
    }
}
