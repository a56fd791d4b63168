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
    description = "Returns a sort key, as bytes, that orders texts as numbers by their exact values: `9` before `10`, `1e400` after `36893488147419103232`. Texts that are not numbers are in the order of their bytes, after all numbers or, if `descending`, before them, so that they are last in either direction. Dates that are not as `2020-01-31` (`5/1/2020`, `2020-9-1`, `Jan 5, 2020`), times as `9:30 AM` and numbers with separators (`1,200`) are an error, because the order of their bytes is not theirs. An empty text gives NULL. `keep_by` orders columns of texts by it.",
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
                         year first, as 2020-01-31, and numbers without separators, or order by another column"
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

/// True for numbers with separators, and for dates and times whose order is not that of their bytes.
fn is_ordered_otherwise(text: &str) -> bool {
    let text = text.trim();
    text.len() <= MAX_BYTES
        && text.is_ascii()
        && (has_separators(text) || is_date(text) || is_time_of_half_a_day(text))
}

/// True for `1,200`, `1.200,50`, `-0,5`, `1.200.000`, `1 200` and `1'200`.
fn has_separators(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut groups = digits.split(|c: char| !c.is_ascii_digit());
    let (first, others) = (groups.next().unwrap_or_default(), groups);
    let others: Vec<&str> = others.collect();
    let separators: String = digits.chars().filter(|c| !c.is_ascii_digit()).collect();
    if first.is_empty() || others.is_empty() || others.contains(&"") {
        return false;
    }
    let is_grouped = first.len() <= 3 && others.iter().all(|group| group.len() == 3);
    match separators.as_bytes() {
        [b'.'] => false,
        all if all.iter().all(|&c| matches!(c, b'.' | b' ' | b'\'')) => is_grouped,
        all => all.contains(&b',') && all.iter().all(|&c| matches!(c, b',' | b'.' | b' ' | b'\'')),
    }
}

/// True for `9:30 AM`.
fn is_time_of_half_a_day(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let time = text.strip_suffix("AM").or_else(|| text.strip_suffix("PM"));
    time.is_some_and(|time| {
        let mut parts = time.trim_end().split(':');
        let is_part =
            |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|b| b.is_ascii_digit());
        time.contains(':') && parts.all(is_part)
    })
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Words of dates and times beside numbers and names.
const OTHERS: [&str; 15] = [
    "of", "the", "z", "am", "pm", "utc", "gmt", "est", "edt", "cst", "cdt", "pst", "pdt", "cet",
    "cest",
];

/// True for dates in digits whose year is not first, or whose months and days are not of two digits, and for dates with
/// the English name of a month: `5/1/2020`, `5/1/20`, `05.01.2020 10:30`, `2020-9-1`, `05/2020`, `Jan 5, 2020` and
/// `Sun, 05 Jan 2020 10:30:00 GMT`.
fn is_date(text: &str) -> bool {
    let mut lower = text.to_ascii_lowercase();
    let is_digit = |c: char| c.is_ascii_digit();
    if let Some((date, time)) = lower.split_once('t')
        && date.ends_with(is_digit)
        && time.starts_with(is_digit)
    {
        lower = format!("{date} {time}");
    }
    // Numbers and words: `5th` is a number.
    let mut words: Vec<&str> = Vec::new();
    for word in lower.split(|c: char| !c.is_ascii_alphanumeric()) {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = word.split_at(digits);
        let is_ordinal = !number.is_empty() && ["st", "nd", "rd", "th"].contains(&rest);
        words.extend(
            [number, rest]
                .into_iter()
                .filter(|part| !(part.is_empty() || is_ordinal && *part == rest)),
        );
    }
    let is_name = |word: &str, names: &[&str]| {
        names.iter().any(|name| {
            *name == word || name[..3] == *word || (word == "sept" && *name == "september")
        })
    };
    let number = |word: &str| -> Option<u32> {
        (word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit()))
            .then(|| word.parse().ok())
            .flatten()
    };
    let is_year =
        |word: &str| word.len() == 4 && number(word).is_some_and(|n| (1500..2200).contains(&n));
    let is_day =
        |word: &str| word.len() <= 2 && number(word).is_some_and(|n| (1..=31).contains(&n));
    let is_month =
        |word: &str| word.len() <= 2 && number(word).is_some_and(|n| (1..=12).contains(&n));
    let is_part = |word: &str| {
        word.bytes().all(|b| b.is_ascii_digit()) || is_name(word, &DAYS) || OTHERS.contains(&word)
    };
    let months = words.iter().filter(|word| is_name(word, &MONTHS)).count();
    if months == 1 {
        let numbers = words.iter().filter(|word| number(word).is_some()).count();
        return numbers > 0
            && (words.iter().any(|word| is_year(word)) || numbers > 1)
            && words
                .iter()
                .all(|word| is_part(word) || is_name(word, &MONTHS));
    }
    let separator = lower.bytes().find(|b| !b.is_ascii_digit());
    if !matches!(separator, Some(b'/' | b'.' | b'-')) || !words.iter().all(|word| is_part(word)) {
        return false;
    }
    // A separator between other numbers than those of the time.
    let same = |count: usize| {
        let mut found = lower.bytes().filter(|b| !b.is_ascii_alphanumeric());
        (0..count).all(|_| found.next() == separator)
    };
    match words[..] {
        [year, month, day, ..] if is_year(year) => {
            same(2) && is_month(month) && is_day(day) && (month.len() == 1 || day.len() == 1)
        }
        [a, b, year, ..] if is_day(a) && is_day(b) && (is_month(a) || is_month(b)) => {
            let is_short = separator == Some(b'/') && year.len() == 2 && number(year).is_some();
            same(2) && (is_year(year) || is_short)
        }
        [month, year] => same(1) && is_month(month) && is_year(year) && separator == Some(b'/'),
        _ => false,
    }
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
            "6th of May 2021",
            "2020 Jan 5",
            "2020-9-1",
            "2020/5/1",
            "05/2020",
            "01/12/2021T10:00",
            "05-Jan-21",
            "1.200.000",
            "1 200",
            "1'200",
            "9:30 AM",
            "10:30:15 pm",
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
            "IV",
            "v1,2",
            "5 apples in 2020",
            "",
            "1/2",
            "1/2/",
            "1, 2",
            "1.200",
            "Mayor 2020",
            "Marathon 2014",
            "Decision 2012",
            "Janet 1234",
            "MAR 1234",
            "June 2001 IV",
            "12/11/10 books",
            "12-34-5678",
            "1.2.1000-SNAPSHOT",
            "5.1.20",
            "2020-01-31 10:30",
            "20200131",
            "may",
            "May 5",
        ] {
            assert!(!is_ordered_otherwise(text), "{text}");
        }
    }
}
