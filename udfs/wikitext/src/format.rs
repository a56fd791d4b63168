//! Templates whose arguments are put together: units, values, fractions, dates.
//!
//! The functions read what the arguments were rendered to. They are only asked about short
//! arguments ([`MAX_ARGUMENT_BYTES`] in all), so that nested templates stay linear.

/// Longest arguments of a formatted template, in bytes; what is longer leaves nothing.
pub(super) const MAX_ARGUMENT_BYTES: usize = 512;

/// How the arguments of a template become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// `5|km|mi` is "5 km", `5|-|10|km` is "5–10 km", `6|ft|2|in` is "6 ft 2 in".
    Convert,
    /// `5|km|2` is "5 km2".
    Unit,
    /// `1.5|0.1|e=6|u=km` is "1.5±0.1×10^6 km".
    Value,
    /// `1|2` is "1/2", `3|1|2` is "3 1/2", `2` is "1/2".
    Fraction,
    /// `1961|8|4` is "August 4, 1961", or "4 August 1961" with `df=`.
    Date,
    /// `4|août|1961`: the first three arguments.
    LocalDate,
    /// `XIX|e` is "XIXe siècle".
    Century,
    /// "c. " before the arguments.
    Circa,
    /// "As of " before a date.
    AsOf,
    /// `English|日本|nihon` is "English (日本, nihon)".
    Foreign,
    /// The second argument, or the first one without it.
    Either,
    /// `3` is "3rd".
    Ordinal,
    /// `14|30` is "14 h 30".
    Time,
    /// The text is written before the first argument.
    Prefixed(&'static str),
    /// The text is written after the first argument.
    Suffixed(&'static str),
}

/// The arguments of a template.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    /// By position, from the first, trimmed.
    pub(super) positional: Vec<&'a str>,
    /// By name, trimmed.
    pub(super) named: Vec<(&'a str, &'a str)>,
}

impl<'a> Arguments<'a> {
    fn get(&self, index: usize) -> &'a str {
        self.positional.get(index).copied().unwrap_or_default()
    }

    fn name(&self, names: &[&str]) -> &'a str {
        let found = self.named.iter().find(|(name, _)| names.contains(name));
        found.map_or("", |&(_, value)| value)
    }
}

/// The text of a template with these arguments.
pub(super) fn format(format: Format, arguments: &Arguments<'_>) -> String {
    let first = arguments.get(0);
    match format {
        Format::Convert => convert(arguments),
        Format::Unit => unit(arguments),
        Format::Value => value(arguments),
        Format::Fraction => fraction(arguments),
        Format::Date => {
            let day_first = !matches!(arguments.name(&["df"]), "" | "n" | "no");
            date(&arguments.positional, day_first)
        }
        Format::LocalDate => joined(arguments.positional.iter().take(3), " "),
        Format::Century => century(arguments),
        Format::Circa if first.is_empty() => "c.".to_owned(),
        Format::Circa => format!("c. {}", joined(arguments.positional.iter().take(2), "–")),
        Format::AsOf => {
            let lower = !arguments.name(&["lc"]).is_empty();
            let lead = if lower { "as of" } else { "As of" };
            let alternative = arguments.name(&["alt"]);
            match alternative {
                "" => format!("{lead} {}", date(&arguments.positional, true)),
                text => text.to_owned(),
            }
        }
        Format::Foreign => {
            let inner = joined(arguments.positional.iter().skip(1).take(2), ", ");
            match (first, inner.as_str()) {
                ("", inner) => inner.to_owned(),
                (first, "") => first.to_owned(),
                (first, inner) => format!("{first} ({inner})"),
            }
        }
        Format::Either => match arguments.get(1) {
            "" => first.to_owned(),
            label => label.to_owned(),
        },
        Format::Ordinal => ordinal(first),
        Format::Time => match (first, arguments.get(1)) {
            (hours, "") => format!("{hours} h"),
            (hours, minutes) => format!("{hours} h {minutes}"),
        },
        Format::Prefixed(_) | Format::Suffixed(_) if first.is_empty() => String::new(),
        Format::Prefixed(prefix) => format!("{prefix}{first}"),
        Format::Suffixed(suffix) => format!("{first}{suffix}"),
    }
}

/// The arguments that are not empty, with `between` between them.
fn joined<'a>(parts: impl Iterator<Item = &'a &'a str>, between: &str) -> String {
    let mut text = String::new();
    for part in parts.filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push_str(between);
        }
        text.push_str(part);
    }
    text
}

fn is_number(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        && text.chars().all(|c| {
            c.is_numeric() || matches!(c, '.' | ',' | '-' | '−' | '+' | '/' | '⁄' | ' ' | 'e' | '&')
        })
}

fn convert(arguments: &Arguments<'_>) -> String {
    let parts = &arguments.positional;
    let mut text = arguments.get(0).to_owned();
    let mut i = 1;
    while let (Some(&separator), Some(&number)) = (parts.get(i), parts.get(i + 1)) {
        let between = match separator {
            "-" | "–" | "to(-)" => "–",
            "to" | "to about" => " to ",
            "and" | "&" | "and(-)" => " and ",
            "or" => " or ",
            "x" | "X" | "×" | "by" | "xx" | "*" => " × ",
            "+/-" | "±" | "+-" => " ± ",
            "," | ", " => ", ",
            "/" => "/",
            _ => break,
        };
        if !is_number(number) {
            break;
        }
        text.push_str(between);
        text.push_str(number);
        i += 2;
    }
    if let Some(&unit) = parts.get(i).filter(|unit| !is_number(unit)) {
        push_unit(&mut text, unit);
        // "6|ft|2|in": a second number with a unit of its own
        if let (Some(&number), Some(&unit)) = (parts.get(i + 1), parts.get(i + 2))
            && is_number(number)
            && unit.chars().all(char::is_alphabetic)
            && matches!(
                unit,
                "in" | "oz" | "ft" | "lb" | "chain" | "pole" | "yd" | "cwt" | "st"
            )
        {
            text.push(' ');
            text.push_str(number);
            push_unit(&mut text, unit);
        }
    }
    text
}

fn push_unit(text: &mut String, unit: &str) {
    if !unit.is_empty() {
        text.push(' ');
        text.push_str(unit);
    }
}

/// Number, then units and exponents by turns.
fn unit(arguments: &Arguments<'_>) -> String {
    let mut text = arguments.get(0).to_owned();
    for (i, part) in arguments.positional.iter().enumerate().skip(1) {
        if part.is_empty() {
            continue;
        }
        if i % 2 == 1 {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

fn value(arguments: &Arguments<'_>) -> String {
    let mut text = arguments.get(0).to_owned();
    match (arguments.get(1), arguments.get(2)) {
        ("", _) => {}
        (error, "") => {
            text.push('±');
            text.push_str(error);
        }
        (plus, minus) => {
            text.push_str(&format!("+{plus}−{}", minus.trim_start_matches(['-', '−'])))
        }
    }
    let exponent = arguments.name(&["e"]);
    if !exponent.is_empty() {
        text.push_str("×10^");
        text.push_str(exponent);
    }
    let unit = arguments.name(&["u", "ul", "um"]);
    if !unit.is_empty() {
        text.push(' ');
        text.push_str(unit);
    }
    let per = arguments.name(&["up", "upl"]);
    if !per.is_empty() {
        text.push('/');
        text.push_str(per);
    }
    text
}

fn fraction(arguments: &Arguments<'_>) -> String {
    match arguments.positional.as_slice() {
        [] => String::new(),
        [below] => format!("1/{below}"),
        [above, below] => format!("{above}/{below}"),
        [whole, above, below, ..] => format!("{whole} {above}/{below}"),
    }
}

fn date(parts: &[&str], day_first: bool) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let part = |i: usize| parts.get(i).copied().unwrap_or_default();
    let (year, day) = (part(0), part(2).trim_start_matches('0'));
    let month = match part(1).parse::<usize>() {
        Ok(number @ 1..=12) => MONTHS[number - 1],
        _ => part(1),
    };
    match (month, day) {
        ("", _) => year.to_owned(),
        (month, "") => format!("{month} {year}"),
        (month, day) if day_first => format!("{day} {month} {year}"),
        (month, day) => format!("{month} {day}, {year}"),
    }
}

fn century(arguments: &Arguments<'_>) -> String {
    let first = arguments.get(0);
    if first.is_empty() {
        return String::new();
    }
    let suffix = match arguments.get(1) {
        "" if first == "I" => "er",
        "" => "e",
        suffix => suffix,
    };
    format!("{first}{suffix} siècle")
}

fn ordinal(number: &str) -> String {
    let teens = number.ends_with("11") || number.ends_with("12") || number.ends_with("13");
    let suffix = match number.bytes().last() {
        _ if teens => "th",
        Some(b'1') => "st",
        Some(b'2') => "nd",
        Some(b'3') => "rd",
        Some(b) if b.is_ascii_digit() => "th",
        _ => "",
    };
    format!("{number}{suffix}")
}
