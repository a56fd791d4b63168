//! Infers the type of a column from its values.

use datafusion::arrow::datatypes::DataType;

/// For each candidate type, whether all values of a column are written exactly as the type prints them.
#[derive(Debug, Clone, Copy)]
pub(in crate::records) struct TypeInference {
    has_values: bool,
    integer: bool,
    unsigned: bool,
    float: bool,
    boolean: bool,
}

impl Default for TypeInference {
    fn default() -> Self {
        Self {
            has_values: false,
            integer: true,
            unsigned: true,
            float: true,
            boolean: true,
        }
    }
}

impl TypeInference {
    /// Records a value that is not empty.
    pub(in crate::records) fn see(&mut self, value: &str) {
        self.has_values = true;
        if self.boolean {
            self.boolean = matches!(value, "true" | "false");
        }
        if self.integer || self.unsigned {
            let plain = is_plain_integer(value);
            self.integer = self.integer && plain && value.parse::<i64>().is_ok();
            self.unsigned = self.unsigned && plain && value.parse::<u64>().is_ok();
        }
        if self.float {
            self.float = is_plain_float(value);
        }
    }

    /// Combines the inference of two files' columns.
    pub(in crate::records) fn with(self, other: Self) -> Self {
        Self {
            has_values: self.has_values || other.has_values,
            integer: self.integer && other.integer,
            unsigned: self.unsigned && other.unsigned,
            float: self.float && other.float,
            boolean: self.boolean && other.boolean,
        }
    }

    /// The type that prints every value as it was written.
    pub(in crate::records) fn data_type(self) -> DataType {
        match self {
            Self {
                has_values: false, ..
            } => DataType::Utf8,
            Self { integer: true, .. } => DataType::Int64,
            Self { unsigned: true, .. } => DataType::UInt64,
            Self { float: true, .. } => DataType::Float64,
            Self { boolean: true, .. } => DataType::Boolean,
            _ => DataType::Utf8,
        }
    }
}

/// Whether a value is an integer without leading zeros, with an optional minus.
fn is_plain_integer(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value).as_bytes();
    let is_zero = value == "0";
    let begins = digits
        .first()
        .is_some_and(|digit| (b'1'..=b'9').contains(digit));
    is_zero || (begins && digits.iter().all(u8::is_ascii_digit))
}

/// Whether a value is a number as a double prints it. Numbers with exponents, which are printed in different ways, are
/// taken for text.
fn is_plain_float(value: &str) -> bool {
    let is_candidate = value.len() <= 24
        && value
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    is_candidate
        && value.parse::<f64>().is_ok_and(|number| {
            let size = number.abs();
            (size == 0.0 || (1e-4..1e15).contains(&size)) && format!("{number:?}") == value
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn infer_type(values: &[&str]) -> DataType {
        let mut inferred = TypeInference::default();
        values.iter().for_each(|value| inferred.see(value));
        inferred.data_type()
    }

    #[test]
    fn a_type_is_one_that_prints_the_same() {
        for (values, wanted) in [
            (
                &["1", "-7", "0", "9223372036854775807"][..],
                DataType::Int64,
            ),
            (&["1", "18446744073709551615"], DataType::UInt64),
            (&["-1", "18446744073709551615"], DataType::Utf8),
            (&["123456789012345678901234567890"], DataType::Utf8),
            (&["1.5", "-0.25", "0.0", "-0.0"], DataType::Float64),
            (&["true", "false"], DataType::Boolean),
            (&[], DataType::Utf8),
        ] {
            assert_eq!(infer_type(values), wanted, "{values:?}");
        }
        for text in [
            "007",
            "+1",
            "-0",
            "1.50",
            " 5",
            "5 ",
            "1e3",
            "1.",
            ".5",
            "TRUE",
            "NaN",
            "inf",
            "0x1",
            "1_0",
            "٣",
            "2020-01-01",
            "0.1000000000000000055",
        ] {
            assert_eq!(infer_type(&[text]), DataType::Utf8, "{text}");
        }
        assert_eq!(infer_type(&["1", "1.5"]), DataType::Utf8);
    }
}
