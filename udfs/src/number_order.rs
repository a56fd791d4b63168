//! `number_order(text[, descending[, name]])`

mod dates;

use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::number_order_into;
use std::sync::Arc;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use dates::{WORDS, ZONES, behind_date, has_unknown_zone, in_utc, with_separators};

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns a sort key, as bytes, that orders texts as numbers by their exact values: `9` before `10`, `1e400` after `36893488147419103232`. Texts that are not numbers are in the order of their bytes, after all numbers or, if `descending`, before them, so that they are last in either direction. Dates with the year first, alone or with a time (`2020-01-31`, `2020/01/31 09:30`, `2020-01-31T09:30:00.5+02:00`), are in order of time, in UTC if they name no zone; those with points (`2020.01.31`), which may be versions, only among each other. Other dates (`5/1/2020`, `31.12.20`, `2020-9-1`, `2020-9`, `Jan 5, 2020`), times that are not as `09:30` (`9:30`, `09:30 AM`), zones without a fixed offset (`09:30 PST`), what may be an offset or a range (`2020-01-31 09:00-10:00`) and numbers with separators (`1,200`), a currency or a percent sign (`$9`, `9%`) are an error, because the order of their bytes is not theirs. An empty text gives NULL. `keep_by` orders columns of texts by it.",
    syntax_example = "number_order(text[, descending[, name]])",
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
    ),
    argument(
        name = "name",
        description = "What an error calls the column of the texts."
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberOrder;

impl Function for NumberOrder {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "number_order",
        all: &[
            ("text", Kind::Text),
            ("descending", Kind::Flag),
            ("name", Kind::Text),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.flag(1, false)?;
        Ok(DataType::BinaryView)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let descending = args.constants().flag(1, false)?;
        let texts = args.texts(0)?;
        let names = match args.constants().given(2) {
            true => Some(args.texts(2)?),
            false => None,
        };
        let mut out = BinaryViewBuilder::with_capacity(args.rows());
        let mut key = Vec::new();
        for row in 0..args.rows() {
            match texts.get(row) {
                None | Some("") => out.append_null(),
                Some(text) if let Some(utc) = in_utc(text) => {
                    key.clear();
                    number_order_into(&utc, descending, &mut key);
                    out.try_append_value(&key)?;
                }
                Some(text) if is_ordered_otherwise(text) => {
                    let column = match names.as_ref().and_then(|names| names.get(row)) {
                        Some(name) => format!(" in the column '{name}'"),
                        None => String::new(),
                    };
                    return exec_err!(
                        "'{text}'{column} would be ordered as a text, not as the date or number that it is: write dates with the \
                         year first, as 2020-01-31, times as 09:30 or 09:30+02:00, and numbers without separators, currency and \
                         percent signs, or order by another column"
                    );
                }
                Some(text) => {
                    key.clear();
                    number_order_into(&with_separators(text), descending, &mut key);
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

/// True for numbers, dates and times whose order is not that of their bytes. What may also be something else, as the
/// version `5.1.20`, is none of them.
fn is_ordered_otherwise(text: &str) -> bool {
    let text = text.trim();
    let is_number_or_date =
        || has_separators(text) || is_date(text) || is_time(text) || has_unknown_zone(text);
    text.len() <= MAX_BYTES && (has_sign(text) || (text.is_ascii() && is_number_or_date()))
}

/// Signs of currencies, before or after a number.
const CURRENCIES: [char; 12] = ['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₪', '₫', '₴', '₦'];

/// True for `9%`, `$9`, `-€1,200` and `9.50 €`.
fn has_sign(text: &str) -> bool {
    let is_plus_or_minus = ['+', '-'];
    let text = text.strip_prefix(is_plus_or_minus).unwrap_or(text);
    let number = text
        .strip_prefix(CURRENCIES)
        .or_else(|| text.strip_suffix(CURRENCIES))
        .or_else(|| text.strip_suffix(['%', '‰']));
    number.is_some_and(|number| {
        let number = number.trim();
        let number = number.strip_prefix(is_plus_or_minus).unwrap_or(number);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_decimal = number.contains(|c: char| c.is_ascii_digit())
            && [whole, fraction].iter().all(|part| is_digits(part));
        is_decimal || has_separators(number)
    })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
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

/// True for times whose hour has one digit and for those with AM or PM, also after a date: `9:30`,
/// `2020-01-31 9:30:15`, `09:30 AM` and `2020-01-31 9 PM`.
fn is_time(text: &str) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let text = text.to_ascii_lowercase();
    let behind_date = behind_date(&text);
    let time = without_zone(behind_date.unwrap_or(&text));
    let hours = ["am", "pm", "a.m.", "p.m."]
        .iter()
        .find_map(|half| time.strip_suffix(half));
    let mut parts: Vec<&str> = hours.unwrap_or(time).trim().split(':').collect();
    // Of the seconds.
    if let Some((seconds, fraction)) = parts.last().and_then(|last| last.split_once('.'))
        && parts.len() > 1
        && is_digits(fraction)
        && let Some(last) = parts.last_mut()
    {
        *last = seconds;
    }
    let is_part = |part: &&str| matches!(part.len(), 1 | 2) && is_digits(part);
    let is_minute = |part: &&str| part.len() == 2 && *part < "60";
    if parts.len() > 3 || !parts.iter().all(is_part) {
        return false;
    }
    match (&parts[..], hours) {
        ([_], Some(_)) => behind_date.is_some(),
        (_, Some(_)) => true,
        ([hour, minutes @ ..], None) => {
            hour.len() == 1 && !minutes.is_empty() && minutes.iter().all(is_minute)
        }
        ([], None) => false,
    }
}

/// A time without its zone: a word, or the difference of hours and minutes.
fn without_zone(time: &str) -> &str {
    let time = match time.rfind(['+', '-']) {
        Some(at) if is_digits(&time[at + 1..].replacen(':', "", 1)) => time[..at].trim_end(),
        _ => time,
    };
    let without = ZONES.iter().filter_map(|zone| time.strip_suffix(zone));
    let shortest = without.min_by_key(|rest| rest.len());
    shortest.unwrap_or(time).trim_end()
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
/// Words of dates and times beside numbers, names and zones.
const OTHERS: [&str; 4] = ["of", "the", "am", "pm"];
/// True for dates in digits whose year is not first, or whose months and days are not of two digits, and for dates with
/// the English name of a month: `5/1/2020`, `5/1/20`, `31.12.20`, `05.01.2020 10:30`, `2020-9-1`, `2020-9`, `05/2020`,
/// `Jan 5`, `Jan 5, 2020` and `Sun, 05 Jan 2020 10:30:00 GMT`.
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
        (word.len() <= 4 && is_digits(word))
            .then(|| word.parse().ok())
            .flatten()
    };
    let is_year =
        |word: &str| word.len() == 4 && number(word).is_some_and(|n| (1500..2200).contains(&n));
    let is_day =
        |word: &str| word.len() <= 2 && number(word).is_some_and(|n| (1..=31).contains(&n));
    let is_month =
        |word: &str| word.len() <= 2 && number(word).is_some_and(|n| (1..=12).contains(&n));
    let is_zone = |word: &str| ZONES.contains(&word) && !WORDS.contains(&word);
    let is_part = |word: &str| {
        is_digits(word) || is_name(word, &DAYS) || OTHERS.contains(&word) || is_zone(word)
    };
    let months = words.iter().filter(|word| is_name(word, &MONTHS)).count();
    if months == 1 {
        let numbers = words.iter().filter(|word| number(word).is_some()).count();
        let is_dated = |word: &&str| is_year(word) || is_day(word);
        return numbers > 0
            && (words.iter().any(is_dated) || numbers > 1)
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
            let is_short = match separator {
                Some(b'/') => year.len() == 2 && number(year).is_some(),
                _ => is_year_last(a, b, year, separator == Some(b'-')),
            };
            same(2) && (is_year(year) || is_short)
        }
        [month, year] if is_month(month) && is_year(year) => same(1) && separator == Some(b'/'),
        [year, month] if is_year(year) && is_month(month) => {
            same(1) && month.len() == 1 && lower.len() == "2020-9".len() && separator != Some(b'.')
        }
        _ => false,
    }
}

/// True if a date of three numbers of two digits has its year last and cannot have it first: `31.12.20` and `05.01.99`,
/// but not `05.01.20`. A year above 26 at the start would be one of the future. The month may come first only if
/// `is_month_first`.
fn is_year_last(a: &str, b: &str, year: &str, is_month_first: bool) -> bool {
    let has_two_digits = |part: &&str| part.len() == 2 && is_digits(part);
    let is_month = ("01"..="12").contains(&b);
    let is_year_first = ("00"..="26").contains(&a) && is_month && ("01"..="31").contains(&year);
    [a, b, year].iter().all(has_two_digits) && !is_year_first && (is_month || is_month_first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_with_dates_are_ordered_among_them() {
        for (text, plain) in [
            ("2020/02", "2020-02"),
            (" 2020/02/30 ", "2020-02-30"),
            ("2020/02/05/a.png", "2020-02-05/a.png"),
            ("2020/02/cover.png", "2020-02/cover.png"),
            ("2020/021", "2020/021"),
            ("2020.01.05T10:30.5", "2020.01.05 10:30.5"),
            ("2020.01.05-rc1", "2020.01.05-rc1"),
            ("2020-01-05Texas", "2020-01-05Texas"),
            ("2020-01-05 spam", "2020-01-05 spam"),
            ("2020-01-05 10 West", "2020-01-05 10 West"),
            ("March 5 West", "March 5 West"),
            ("2020-01-05T10-11", "2020-01-05 10-11"),
            ("0000-00-00 00:00:00", "0000-00-00 00:00:00"),
            ("20/20", "20/20"),
            (" a/b", " a/b"),
        ] {
            assert_eq!((in_utc(text), &*with_separators(text)), (None, plain));
            assert!(!is_ordered_otherwise(text), "{text}");
        }
    }

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
            "9:30 a.m. EST",
            "9:30 CEST",
            "9:30",
            "9:30:15.25",
            "9:30+02:00",
            "2020-01-05 9:30",
            "2020-01-05T9:30Z",
            "2020/01/05 9:30:15 UTC",
            "2020-01-05 09:30 PM",
            "2020-01-05 9 pm",
            "2020-01-05 10:30 PST",
            "2020-01-05T10:30:00 cest",
            "2020/01/05 10:00 JST",
            "2020/01/05T10 JST",
            "9:30 AEDT",
            "2020-01-05 10:30 IST",
            "2020-01-05 09:00-10:00",
            "2020-9",
            "2020/9",
            "31.12.20",
            "05.01.99",
            "31.12.20 10:30",
            "31-12-20",
            "12-31-20",
            "May 5",
            "5th of May",
            "9%",
            "-1.5 %",
            "1,200%",
            "$9",
            "-$9.50",
            "$-9",
            "€ 1.200,50",
            "9 €",
        ] {
            assert!(is_ordered_otherwise(text), "{text}");
        }
        for text in [
            // In the order of their bytes, or numbers.
            "2020-01-05",
            "2020/01/05",
            "2020-01-05T10:30:00Z",
            "2020-01-31 10:30",
            "2020-01-31 09:30:15+02:00",
            "2020-10",
            "20200131",
            "20-12-31",
            "10:30",
            "09:30",
            "1200",
            "-1.5",
            "1e5",
            "1.200",
            // Versions, shares, lists and codes as well as dates, times and amounts.
            "1.2.10",
            "5.1.20",
            "05.01.20",
            "12.31.20",
            "1-2-3",
            "1/2",
            "1/2/",
            "1, 2",
            "1:2",
            "1:75",
            "2020-21",
            "12-34-5678",
            "MAR 1234",
            "9 AM",
            "$x",
            "%",
            "$1.2.3",
            // Words.
            "May 2020 report",
            "a, b",
            "1, b",
            "IV",
            "v1,2",
            "5 apples in 2020",
            "",
            "Mayor 2020",
            "Marathon 2014",
            "Decision 2012",
            "Janet 1234",
            "June 2001 IV",
            "12/11/10 books",
            "1.2.1000-SNAPSHOT",
            "may",
            "2020-01-05 spam",
            "9:30 spam",
        ] {
            assert!(!is_ordered_otherwise(text), "{text}");
        }
    }
}
