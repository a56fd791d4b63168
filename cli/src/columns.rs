//! Lists of columns on the command line.

/// Names of columns, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(pub(crate) Vec<String>);

/// Reads names with commas between them. A name with a comma, a quote or spaces at an end is written in double quotes,
/// in which a quote is doubled.
pub(crate) fn columns(text: &str) -> Result<Columns, String> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_name(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim_end().to_owned(), &rest[end..])
            }
        };
        if name.is_empty() {
            return Err("names of columns are written with commas between them".to_owned());
        }
        if names.contains(&name) {
            return Err(format!("the column {name} is given twice"));
        }
        names.push(name);
        match after.trim_start() {
            "" => return Ok(Columns(names)),
            after => match after.strip_prefix(',') {
                Some(next) => rest = next,
                None => return Err(format!("expected a comma before {after}")),
            },
        }
    }
}

/// The names as [`columns`] reads them.
pub(crate) fn written(names: &[&str]) -> String {
    let names = names.iter().map(|name| {
        let is_plain = columns(name).is_ok_and(|read| read.0 == [*name]);
        match is_plain {
            true => (*name).to_owned(),
            false => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    });
    names.collect::<Vec<_>>().join(",")
}

/// The name up to the closing quote, and what follows it.
fn quoted_name(quoted: &str) -> Result<(String, &str), String> {
    let mut name = String::new();
    let mut rest = quoted;
    while let Some((before, after)) = rest.split_once('"') {
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                name.push('"');
                rest = next;
            }
            None => return Ok((name, after)),
        }
    }
    Err(format!("the name \"{quoted} has no closing quote"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_quotes_and_without() {
        for (text, names) in [
            ("a", vec!["a"]),
            ("a,b", vec!["a", "b"]),
            (" a , b c ", vec!["a", "b c"]),
            (r#""a,b",c"#, vec!["a,b", "c"]),
            (r#"c, "say ""x""" "#, vec!["c", r#"say "x""#]),
            (r#"" a""#, vec![" a"]),
        ] {
            assert_eq!(
                columns(text).map(|names| names.0),
                Ok(names.iter().map(|&name| name.to_owned()).collect()),
                "{text}"
            );
        }
        for names in [&["a"][..], &["a,b", " c", "say \"x\""], &["\"", "b c"]] {
            let read = columns(&written(names)).map(|names| names.0);
            let expected: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(read, Ok(expected));
        }
        for wrong in [
            "", ",", "a,", ",a", "a,,b", "a,a", r#""a"#, r#""a"b"#, r#""""#,
        ] {
            assert!(columns(wrong).is_err(), "{wrong}");
        }
    }
}
