//! Columns whose values are in the names of directories, as in `year=2019/part-0.parquet`.

use super::{Location, location};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::functions::string::expr_fn::{split_part, starts_with};
use datafusion::functions::unicode::expr_fn::{strpos, substr};
use datafusion::logical_expr::{Case, Expr, LogicalPlanBuilder, cast, ident, lit};
use neardup_datasets::Numbers;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The value that stands for NULL in the name of a directory.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Directories `key=value` on the way to some files.
#[derive(Debug, Clone, Default)]
pub(super) struct Partitions {
    /// The directories below which they are, which were named.
    roots: BTreeSet<String>,
    /// The keys in the order of the directories, with their values as written.
    keys: Vec<(String, BTreeSet<String>)>,
}

impl Partitions {
    /// Adds those of the files that a name refers to, below the directory that it names or in place of its wildcards.
    pub(super) fn add(&mut self, name: &str, files: &[Location]) {
        let Some(root) = root(name) else { return };
        for file in files {
            let below = file.as_str().strip_prefix(&root);
            let Some((directories, _)) = below.and_then(|below| below.rsplit_once('/')) else {
                continue;
            };
            for part in directories.split('/') {
                let Some((key, value)) = part.split_once('=').filter(|(key, _)| !key.is_empty())
                else {
                    continue;
                };
                self.roots.insert(root.clone());
                let value = value.to_owned();
                match self.keys.iter_mut().find(|(known, _)| known == key) {
                    Some((_, values)) => drop(values.insert(value)),
                    None => self.keys.push((key.to_owned(), BTreeSet::from([value]))),
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The table with a column for each key that its files do not have as a column, with or without the numbers of its
    /// rows.
    pub(super) fn over(
        &self,
        table: Arc<dyn TableProvider>,
        numbers: &Numbers,
        with_numbers: bool,
    ) -> Result<Arc<dyn TableProvider>> {
        let schema = table.schema();
        let is_number =
            |name: &str| [&numbers.file, &numbers.name, &numbers.row].contains(&&name.to_owned());
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let (positions, columns): (Vec<&str>, Vec<&str>) = names.partition(|name| is_number(name));
        let mut all: Vec<Expr> = columns.into_iter().map(ident).collect();
        all.extend(self.columns(&schema, &numbers.name));
        if with_numbers {
            all.extend(positions.into_iter().map(ident));
        }
        let plan = LogicalPlanBuilder::scan("files", provider_as_source(table), None)?;
        Ok(Arc::new(ViewTable::new(plan.project(all)?.build()?, None)))
    }

    /// The columns, from the column with the path of the file.
    fn columns(&self, schema: &Schema, path: &str) -> impl Iterator<Item = Expr> {
        let unknown = (self.keys.iter()).filter(|(key, _)| schema.field_with_name(key).is_err());
        let below = self.roots.iter().map(|root| {
            let below = substr(ident(path), lit(root.chars().count() as i64));
            let is_below = starts_with(ident(path), lit(root.as_str()));
            (Box::new(is_below), Box::new(below))
        });
        let below = Expr::Case(Case {
            expr: None,
            when_then_expr: below.collect(),
            else_expr: None,
        });
        unknown.map(move |(key, values)| {
            let part = format!("/{key}=");
            let start = strpos(below.clone(), lit(part.as_str()));
            let length = part.chars().count() as i64;
            let behind = substr(
                below.clone(),
                cast(start.clone(), DataType::Int64) + lit(length),
            );
            let written = split_part(behind.clone(), lit("/"), lit(1_i64));
            // Behind the name of a directory there is a slash, unlike behind that of a file.
            let is_directory = start.gt(lit(0)).and(strpos(behind, lit("/")).gt(lit(0)));
            let meant: BTreeMap<&String, Option<String>> =
                values.iter().map(|value| (value, meaning(value))).collect();
            // Files outside of these directories have no value.
            let cases = meant.iter().map(|(value, meaning)| {
                let meaning = lit(ScalarValue::Utf8(meaning.clone()));
                (Box::new(lit(value.as_str())), Box::new(meaning))
            });
            let value = Expr::Case(Case {
                expr: Some(Box::new(written)),
                when_then_expr: cases.collect(),
                else_expr: None,
            });
            let text = Expr::Case(Case {
                expr: None,
                when_then_expr: vec![(Box::new(is_directory), Box::new(value))],
                else_expr: None,
            });
            let is_integer = |value: &String| {
                let number = value.parse::<i64>();
                number.is_ok_and(|number| number.to_string() == *value)
            };
            let all_integers = meant.values().flatten().all(is_integer);
            let data_type = match all_integers && meant.values().any(Option::is_some) {
                true => DataType::Int64,
                false => DataType::Utf8,
            };
            cast(text, data_type).alias(key)
        })
    }
}

/// The directory that a name refers to, or that is before its first wildcard, with a slash behind it; `None` if the name
/// is that of a file.
fn root(name: &str) -> Option<String> {
    let is_address = location::is_address(name);
    if !is_address && Path::new(name).is_file() {
        return None;
    }
    let is_fixed = !is_address && Path::new(name).is_dir();
    let is_glob = |part: &&str| !is_fixed && part.contains(['*', '?', '[']);
    let parts: Vec<&str> = name.split('/').take_while(|part| !is_glob(part)).collect();
    let fixed = parts.join("/");
    let directory = match is_address {
        true => Location::new(&fixed).ok()?.as_str().to_owned(),
        false => {
            let directory = match fixed.as_str() {
                "" if name.starts_with('/') => "/",
                "" => ".",
                other => other,
            };
            let directory = Path::new(directory).canonicalize().ok()?;
            directory.to_str()?.to_owned()
        }
    };
    Some(format!("{}/", directory.trim_end_matches('/')))
}

/// The value that the name of a directory means: bytes may be written as `%` and two hexadecimal digits.
fn meaning(value: &str) -> Option<String> {
    if value == NULL || value.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
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
    Some(String::from_utf8(bytes).unwrap_or_else(|_| value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::meaning;

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
    }
}
