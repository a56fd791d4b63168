//! `number_order(text, descending)`

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::number_order_into;
use std::sync::Arc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns a sort key, as bytes, that orders texts as numbers by their exact values: `9` before `10`, `1e400` after `36893488147419103232`. Texts that are not numbers are in the order of their bytes, after all numbers or, if `descending`, before them, so that they are last in either direction. Dates with the year last (`5/1/2020`, `Jan 5, 2020`) and numbers with a comma (`1,200`) are an error, because the order of their bytes is not theirs. An empty text gives NULL. `keep_by` orders columns of texts by it.",
    syntax_example = "number_order(text [, descending])",
    sql_example = r#"```sql
> SELECT text FROM (VALUES ('10'), ('9'), ('a'), ('-0.5')) AS v(text) ORDER BY number_order(text);
+------+
| text |
+------+
| -0.5 |
| 9    |
| 10   |
| a    |
+------+
```"#,
    argument(
        name = "text",
        description = "A text. A number is a decimal with an optional sign, fraction and exponent; NULL gives NULL."
    ),
    argument(
        name = "descending",
        description = "Whether texts that are not numbers are less than all numbers. Default: false"
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberOrder;

impl Function for NumberOrder {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "number_order",
        all: &[("text", Kind::Text), ("descending", Kind::Flag)],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.flag(1, false)?;
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let descending = args.constants().flag(1, false)?;
        let texts = args.texts(0)?;
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        let mut key = Vec::new();
        for row in 0..args.rows() {
            match texts.get(row) {
                None | Some("") => out.append_null(),
                Some(text) if is_ordered_otherwise(text) => {
                    return exec_err!(
                        "'{text}' would be ordered as a text, not as the date or number that it is: write dates with the \
                         year first, as 2020-01-31, and numbers without commas, or order by another column"
                    );
                }
                Some(text) => {
                    key.clear();
                    number_order_into(text, descending, &mut key);
                    out.try_append_value(&key)?;
                }
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// Longest text that may be a date or a number with separators, in bytes.
const MAX_BYTES: usize = 40;

/// True for a number with a comma and for a date whose year is not first: their order is not that of their bytes.
fn is_ordered_otherwise(text: &str) -> bool {
    let text = text.trim();
    text.len() <= MAX_BYTES && text.is_ascii() && (has_comma(text) || has_year_last(text))
}

/// True for `1,200`, `1.200,50` and `-0,5`.
fn has_comma(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | ' ');
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.contains(',')
        && digits.chars().all(is_part)
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// True for `5/1/2020`, `5/1/20`, `05.01.2020 10:30`, `5-1-2020`, `Jan 5, 2020` and `Sun, 05 Jan 2020 10:30:00 GMT`.
fn has_year_last(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str, lengths: &[usize]| {
        lengths.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())
    };
    if let [day, month, year, ..] = words[..]
        && text.starts_with(day)
        && is_number(day, &[1, 2])
        && is_number(month, &[1, 2])
    {
        let separator = text.as_bytes()[day.len()];
        let second = text.as_bytes().get(day.len() + 1 + month.len());
        let lengths: &[usize] = if separator == b'/' { &[2, 4] } else { &[4] };
        return matches!(separator, b'/' | b'.' | b'-')
            && second == Some(&separator)
            && is_number(year, lengths);
    }
    let is_name = |word: &str, names: &[&str]| {
        let start = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        names.contains(&start.as_str()) && word.bytes().all(|b| b.is_ascii_alphabetic())
    };
    let is_zone = |word: &str| word.len() <= 4 && word.bytes().all(|b| b.is_ascii_uppercase());
    let year = words.iter().position(|word| is_number(word, &[4]));
    let months = words.iter().filter(|word| is_name(word, &MONTHS)).count();
    year.is_some_and(|at| at > 0)
        && months == 1
        && words.iter().all(|word| {
            let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
            is_number(digits, &[1, 2, 4])
                || is_name(word, &MONTHS)
                || is_name(word, &DAYS)
                || is_zone(word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_numbers_that_are_ordered_otherwise() {
        for text in [
            "5/1/2020",
            "12/31/20",
            "05.01.2020",
            "5.1.2020 10:30",
            "5-1-2020",
            " 1,200 ",
            "-1,5",
            "1.200,50",
            "12,000.25",
            "Jan 5, 2020",
            "5 January 2020",
            "Sun, 05 Jan 2020 10:30:00 GMT",
            "5th May 2020",
        ] {
            assert!(is_ordered_otherwise(text), "{text}");
        }
        for text in [
            "2020-01-05",
            "2020/01/05",
            "2020-01-05T10:30:00Z",
            "1200",
            "-1.5",
            "1e5",
            "1.2.10",
            "1-2-3",
            "10:30",
            "May 2020 report",
            "a, b",
            "1, b",
            "2020 Jan 5",
            "IV",
            "v1,2",
            "5 apples in 2020",
            "",
            "1/2",
            "1/2/",
        ] {
            assert!(!is_ordered_otherwise(text), "{text}");
        }
    }
}
