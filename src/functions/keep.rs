//! The keep order, which decides which of similar rows is kept.

use super::quoted::{Quoted, quoted};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::functions::core::expr_fn::r#struct;
use datafusion::functions::math::expr_fn::isnan;
use datafusion::functions::unicode::expr_fn::character_length;
use datafusion::logical_expr::{Expr, cast, lit, when};
use neardup_udfs::number_order;
use std::fmt;

/// Which row is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    /// The row with the smallest id.
    First,
    /// The row with the most characters, then with the smallest id.
    Longest,
    /// The first row in the order of these keys, at least one; among rows that are equal in all of them, the row with
    /// the smallest id.
    By(Vec<KeepKey>),
}

/// One of the keys that rows are ordered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepKey {
    /// The value that rows are ordered by.
    pub value: KeepValue,
    /// Whether the largest value comes first. NULL is last either way.
    pub descending: bool,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepValue {
    /// The value of a column.
    Column(String),
    /// The number of characters of a column of texts.
    Length(String),
}

impl KeepKey {
    /// The column that the key reads.
    pub fn column(&self) -> &str {
        match &self.value {
            KeepValue::Column(column) | KeepValue::Length(column) => column,
        }
    }
}

/// What rows are sorted by before their ids: an expression, NULL last.
#[derive(Debug, Clone)]
pub(crate) struct KeepOrder {
    pub(crate) expr: Expr,
    pub(crate) descending: bool,
}

impl KeepOrder {
    /// The order of some keys. `find` gives a column and its type.
    pub(crate) fn of(
        keys: &[KeepKey],
        find: impl Fn(&str) -> Result<(Expr, DataType)>,
    ) -> Result<Self> {
        let mut orders = Vec::new();
        for key in keys {
            let (column, data_type) = find(key.column())?;
            let descending = key.descending;
            let expr = match &key.value {
                KeepValue::Column(name) => orderable(column, &data_type, descending, name)?,
                KeepValue::Length(name) => length(column, &data_type, name)?,
            };
            orders.push(Self { expr, descending });
        }
        if orders.len() == 1 {
            return Ok(orders.remove(0));
        }
        // One value that is ordered as all of them: the first row of an id is that with the smallest one.
        let directions: Vec<&str> = orders
            .iter()
            .map(|order| if order.descending { "desc" } else { "asc" })
            .collect();
        let directions = lit(directions.join(","));
        let values = r#struct(orders.into_iter().map(|order| order.expr).collect());
        Ok(Self {
            expr: neardup_udfs::order_key().call(vec![values, directions]),
            descending: false,
        })
    }
}

/// The number of characters of a column.
fn length(column: Expr, data_type: &DataType, name: &str) -> Result<Expr> {
    match data_type {
        DataType::Dictionary(_, value) if value.is_string() => {
            Ok(character_length(cast(column, (**value).clone())))
        }
        DataType::Null => Ok(character_length(cast(column, DataType::Utf8))),
        text if text.is_string() => Ok(character_length(column)),
        other => plan_err!(
            "the keep order has length({name}), which is for texts, but the column '{name}' holds {other}"
        ),
    }
}

impl Keep {
    /// The words for the orders that need no column.
    pub const WORDS: [&'static str; 2] = ["first", "longest"];

    /// The order of a word.
    ///
    /// # Errors
    /// If the word is not one of [`Self::WORDS`].
    pub fn from_word(word: &str) -> Result<Self> {
        match word {
            "first" => Ok(Self::First),
            "longest" => Ok(Self::Longest),
            other => plan_err!("keep must be one of first, longest, found {other}"),
        }
    }

    /// Parses keys with commas between them. A key is `column` or `length(column)`, each alone or before `asc` or `desc`.
    /// A name that has a comma, looks like `length(…)`, ends in such a word, or has spaces at an end, must be in double
    /// quotes.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(order: &str) -> Result<Self> {
        if order.trim().is_empty() {
            return plan_err!("the keep order must name a column, found '{order}'");
        }
        let mut keys = Vec::new();
        let mut rest = order;
        loop {
            let (key, after) = split_key(rest, order)?;
            keys.push(parse_key(key, order)?);
            match after {
                Some(after) => rest = after,
                None => return Ok(Self::By(keys)),
            }
        }
    }
}

/// The text of a key, up to a comma outside of quotes, and what follows the comma. A quote can only be at the
/// beginning of a name.
fn split_key<'a>(rest: &'a str, order: &str) -> Result<(&'a str, Option<&'a str>)> {
    let start = rest.trim_start();
    let name = in_length(start).map_or(start, str::trim_start);
    let from = match quoted(name) {
        Quoted::None => start,
        Quoted::Name(_, after) => after,
        Quoted::Unclosed => {
            return plan_err!("the keep order has a name without closing quote, found '{order}'");
        }
    };
    match from.find(',') {
        None => Ok((start, None)),
        Some(comma) => {
            let end = start.len() - from.len() + comma;
            Ok((&start[..end], Some(&start[end + 1..])))
        }
    }
}

/// What follows `length(`.
fn in_length(key: &str) -> Option<&str> {
    let (name, inner) = key.split_once('(')?;
    let is_length = name.trim_end().eq_ignore_ascii_case("length");
    is_length.then_some(inner)
}

/// What an error says of keep orders.
pub(crate) const RULE_OF_ORDERS: &str =
    "; an order is COLUMN, COLUMN asc or COLUMN desc, or several of these with commas between them";

/// The hint of an error about an unknown column of a keep order that is written as a call or as several words.
pub(crate) fn hint_for_key(name: &str) -> &'static str {
    let function = name.strip_suffix(')').and_then(|name| name.split_once('('));
    let is_call = function.is_some_and(|(function, _)| {
        let function = function.trim_end();
        !function.is_empty() && function.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    match is_call {
        true => "; the only function in a keep order is length(column)",
        false if name.contains(char::is_whitespace) => RULE_OF_ORDERS,
        false => "",
    }
}

fn parse_key(key: &str, order: &str) -> Result<KeepKey> {
    let key = key.trim_end();
    let wrong = || {
        plan_datafusion_err!(
            "a key of the keep order must be 'column', 'column asc' or 'column desc', where column may also be length(column), found '{key}'"
        )
    };
    if key.is_empty() {
        return plan_err!(
            "the keep order has a comma without a key beside it, found '{order}'; several keys are written 'a desc, b'"
        );
    }
    let (value, direction) = match in_length(key).and_then(closed) {
        Some((inner, direction)) => {
            let column = match quoted(inner) {
                Quoted::None => inner.to_owned(),
                Quoted::Name(column, "") => column,
                _ => return Err(wrong()),
            };
            (KeepValue::Length(column), direction)
        }
        None => {
            let (column, direction) = match quoted(key) {
                Quoted::Name(column, direction) => (column, direction),
                Quoted::Unclosed => return Err(wrong()),
                Quoted::None => match key.rsplit_once(char::is_whitespace) {
                    Some((column, direction)) if is_direction(direction) => {
                        (column.trim_end().to_owned(), direction)
                    }
                    _ => (key.to_owned(), ""),
                },
            };
            (KeepValue::Column(column), direction)
        }
    };
    let descending = match direction.trim().to_ascii_lowercase().as_str() {
        "" | "asc" => false,
        "desc" => true,
        _ => return Err(wrong()),
    };
    let key = KeepKey { value, descending };
    match key.column().is_empty() {
        true => Err(wrong()),
        false => Ok(key),
    }
}

/// What is in a parenthesis, and the direction after it.
fn closed(inner: &str) -> Option<(&str, &str)> {
    let of_name = match quoted(inner.trim_start()) {
        Quoted::Name(_, after) => after.trim_start().strip_prefix(')'),
        _ => None,
    };
    let (inner, direction) = match of_name {
        Some(direction) => (inner.strip_suffix(direction)?.strip_suffix(')')?, direction),
        None => inner.rsplit_once(')')?,
    };
    let direction = direction.trim();
    (direction.is_empty() || is_direction(direction)).then_some((inner.trim(), direction))
}

/// As [`Keep::from_word`] and [`Keep::parse`] read it.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = match self {
            Self::First => return f.write_str("first"),
            Self::Longest => return f.write_str("longest"),
            Self::By(keys) => keys,
        };
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            // Alone, such a word would be one of an order without columns.
            let is_word = keys.len() == 1 && Self::WORDS.contains(&key.column());
            write_key(key, is_word, f)?;
        }
        Ok(())
    }
}

fn write_key(key: &KeepKey, is_quoted: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let read = |text: &str| match Keep::parse(text).ok()? {
        Keep::By(mut keys) if keys.len() == 1 => keys.pop(),
        _ => None,
    };
    let column = key.column();
    let in_quotes = || format!("\"{}\"", column.replace('"', "\"\""));
    let written = |name: &str| match key.value {
        KeepValue::Column(_) => name.to_owned(),
        KeepValue::Length(_) => format!("length({name})"),
    };
    let plain = written(column);
    let is_plain = read(&plain).is_some_and(|read| read.value == key.value);
    match is_plain && !is_quoted {
        true => f.write_str(&plain)?,
        false => f.write_str(&written(&in_quotes()))?,
    }
    match key.descending {
        true => f.write_str(" desc"),
        false => Ok(()),
    }
}

fn is_direction(word: &str) -> bool {
    ["asc", "desc"]
        .iter()
        .any(|direction| word.eq_ignore_ascii_case(direction))
}

/// Converts an expression to a sort key. Texts are ordered as numbers if they are numbers, then as texts, in either
/// direction. Empty texts and NaN become NULL, which is last in every order, and −0.0 becomes 0.0. `name` is that of the
/// column, for errors.
///
/// The engine's minimum and maximum of doubles would depend on the order of the rows if there were NaNs.
fn orderable(expr: Expr, data_type: &DataType, descending: bool, name: &str) -> Result<Expr> {
    match data_type {
        DataType::Dictionary(_, value) => {
            orderable(cast(expr, (**value).clone()), value, descending, name)
        }
        text if text.is_string() => Ok(number_order().call(vec![expr, lit(descending), lit(name)])),
        number if number.is_floating() => {
            let zero = lit(ScalarValue::new_zero(number)?);
            when(isnan(expr.clone()), lit(ScalarValue::try_new_null(number)?))
                .when(expr.clone().eq(zero.clone()), zero)
                .otherwise(expr)
        }
        DataType::Map(_, _) => {
            plan_err!("the column '{name}' is a map; maps have no order to keep rows by")
        }
        _ => Ok(expr),
    }
}

#[cfg(test)]
mod tests {
    use super::{Keep, KeepKey, KeepValue};

    fn by(column: &str, descending: bool) -> KeepKey {
        KeepKey {
            value: KeepValue::Column(column.to_owned()),
            descending,
        }
    }

    fn by_length(column: &str, descending: bool) -> KeepKey {
        KeepKey {
            value: KeepValue::Length(column.to_owned()),
            descending,
        }
    }

    #[test]
    fn orders_are_written_as_they_are_read() {
        let columns = [
            "score",
            "Doc Id",
            "first",
            "longest",
            "a desc",
            "desc",
            " a",
            "a\"b",
            "\"a\"",
            "date asc",
            "a,b",
            "length(a)",
            "f(x)",
            "f(x) desc",
            "score (mean)",
            "length (a)",
            "a)",
            "(",
            "length",
            ",",
        ];
        let mut keys = Vec::new();
        for column in columns {
            for descending in [false, true] {
                keys.push(by(column, descending));
                keys.push(by_length(column, descending));
            }
        }
        for key in &keys {
            let order = Keep::By(vec![key.clone()]);
            let text = order.to_string();
            assert_eq!(Keep::parse(&text).expect("an order"), order, "{text}");
            assert!(!Keep::WORDS.contains(&text.as_str()), "{text}");
        }
        for more in keys.windows(3) {
            let order = Keep::By(more.to_vec());
            let text = order.to_string();
            assert_eq!(Keep::parse(&text).expect("an order"), order, "{text}");
        }
        for word in Keep::WORDS {
            assert_eq!(Keep::from_word(word).expect("a word").to_string(), word);
        }
    }

    /// Manifests hold an order of one column in this spelling.
    #[test]
    fn one_column_is_written_as_ever() {
        for (key, text) in [
            (by("score", true), "score desc"),
            (by("Doc Id", false), "Doc Id"),
            (by("score (mean)", true), "score (mean) desc"),
            (by("mean(score)", false), "mean(score)"),
            (by("first", false), "\"first\""),
            (by("a desc", false), "\"a desc\""),
        ] {
            assert_eq!(Keep::By(vec![key]).to_string(), text);
        }
    }

    #[test]
    fn orders_are_read() {
        for (order, wanted) in [
            ("score", vec![by("score", false)]),
            (" score  DESC ", vec![by("score", true)]),
            ("Doc Id", vec![by("Doc Id", false)]),
            ("Doc Id desc", vec![by("Doc Id", true)]),
            ("desc", vec![by("desc", false)]),
            ("\"a desc\" asc", vec![by("a desc", false)]),
            ("\"a \"\"b\"\"\"", vec![by("a \"b\"", false)]),
            ("score (mean) desc", vec![by("score (mean)", true)]),
            ("mean(score) desc", vec![by("mean(score)", true)]),
            (
                "quality desc, length(text) DESC,date",
                vec![
                    by("quality", true),
                    by_length("text", true),
                    by("date", false),
                ],
            ),
            ("Length ( a b ) asc", vec![by_length("a b", false)]),
            (
                "\"a,b\" desc, length(\"c,)\")desc , desc desc",
                vec![by("a,b", true), by_length("c,)", true), by("desc", true)],
            ),
        ] {
            assert_eq!(Keep::parse(order).unwrap(), Keep::By(wanted), "{order}");
        }
        for (wrong, why) in [
            ("", "must name a column"),
            (" ", "must name a column"),
            ("\"a", "without closing quote"),
            ("\"a\" up", "must be 'column'"),
            ("\"\" desc", "must be 'column'"),
            ("a,", "a comma without a key"),
            ("a,,b", "a comma without a key"),
            (", a", "a comma without a key"),
            ("length()", "must be 'column'"),
            ("length(\"a\" b)", "must be 'column'"),
        ] {
            let error = Keep::parse(wrong).expect_err(wrong).to_string();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
