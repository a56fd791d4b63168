//! Columns whose values are in the names of directories, as in `year=2019/part-0.parquet`.

mod values;

pub(crate) use values::NULL_DIRECTORY;

use super::find::{Named, plain};
use super::{Location, location};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::functions::string::expr_fn::{split_part, starts_with};
use datafusion::functions::unicode::expr_fn::{strpos, substr};
use datafusion::logical_expr::{Case, Expr, LogicalPlanBuilder, cast, ident, lit};
use neardup_datasets::Numbers;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use values::{Values, agree, directories, holds, keys, meaning, type_of, value_in};

/// For each key, the indices of the files that have no column of its name.
pub(super) type Lacking = BTreeMap<String, Vec<i64>>;

/// Directories `key=value` in the paths of some files.
#[derive(Debug, Clone, Default)]
pub(super) struct Partitions {
    /// The named directories that contain these.
    roots: BTreeSet<String>,
    /// The keys in the order of the directories, with their values as written.
    keys: Vec<(String, BTreeSet<String>)>,
    /// The keys and values of files whose locations do not contain them, because links were resolved, or the keys are
    /// written with `%`.
    linked: BTreeMap<String, Values>,
}

/// A path by which a name refers to a file.
struct NamedPath<'a> {
    file: &'a Location,
    values: Values,
    /// The directory that the name refers to, or that is before its wildcards.
    root: Option<&'a str>,
    /// The path below that directory, if links lead to other directories.
    by_links: Option<String>,
}

impl<'a> NamedPath<'a> {
    fn of((file, path): &'a Named, root: Option<&'a (PathBuf, String)>) -> Self {
        let mut found = Self {
            file,
            values: Vec::new(),
            root: None,
            by_links: None,
        };
        let Some((written, root)) = root else {
            return found;
        };
        found.root = Some(root.as_str());
        let below = file.as_str().strip_prefix(root.as_str());
        let below = below.map(directories).unwrap_or_default();
        let named = path.as_ref().and_then(|path| path_below(path, written));
        match named {
            Some(named) if directories(&named) != below || !file.as_str().starts_with(root) => {
                found.values = keys(directories(&named));
                found.by_links = Some(named);
            }
            _ => found.values = keys(below),
        }
        found
    }

    /// The locations by which the file can be read.
    fn locations(&self) -> [Option<Location>; 2] {
        let by_links = self.by_links.as_ref().zip(self.root);
        let by_links = by_links.map(|(path, root)| format!("{root}{path}"));
        // Stores accept no `..`.
        let by_links = by_links.and_then(|path| match path.rfind("/../") {
            Some(at) => {
                let (up, path) = path.split_at(at + "/../".len());
                Some(Path::new(up).canonicalize().ok()?.join(path))
            }
            None => Some(PathBuf::from(path)),
        });
        [Some(self.file.clone()), by_links.map(Location::from)]
    }
}

impl Partitions {
    /// The files that names refer to, sorted, and their directories below the one that a name refers to or in place of
    /// its wildcards. Links count by their own names. A file that is found by several paths is one file with the values
    /// of all of them, and several files if they give a key different values.
    pub(super) fn of(found: &[(&str, Vec<Named>)]) -> (Vec<Location>, Self) {
        let roots: Vec<_> = found.iter().map(|(name, _)| root(name)).collect();
        let paths = found.iter().zip(&roots).flat_map(|((_, files), root)| {
            let root = root.as_ref();
            files.iter().map(move |named| NamedPath::of(named, root))
        });
        let (mut paths, linked): (Vec<NamedPath>, Vec<NamedPath>) =
            paths.partition(|path| path.by_links.is_none());
        let mut partitions = Self::default();
        for path in &paths {
            if let Some(root) = path.root
                && !path.values.is_empty()
            {
                partitions.roots.insert(root.to_owned());
            }
        }
        paths.extend(linked);
        for path in &paths {
            partitions.add(&path.values);
        }
        // A file that has several locations keeps the first.
        paths.sort_by_key(|path| path.file);
        let mut read: BTreeMap<Location, Vec<(Location, Values)>> = BTreeMap::new();
        for path in paths {
            let same = read.entry(path.file.target()).or_default();
            let known = same.iter_mut();
            let mut known = known.map(|(_, values)| values);
            if let Some(values) = known.find(|values| agree(values, &path.values)) {
                for (key, value) in path.values {
                    if value_in(values, &key).is_none() {
                        values.push((key, value));
                    }
                }
                continue;
            }
            let mut locations = path.locations().into_iter().flatten();
            let is_other = |file: &Location| same.iter().all(|(other, _)| other != file);
            if let Some(file) = locations.find(is_other) {
                same.push((file, path.values));
            }
        }
        let mut files = Vec::new();
        for (file, values) in read.into_values().flatten() {
            if !partitions.tells(&file, &values) {
                partitions.linked.insert(file.to_string(), values);
            }
            files.push(file);
        }
        files.sort();
        (files, partitions)
    }

    /// Whether the location of a file has these values.
    fn tells(&self, file: &Location, values: &[(String, String)]) -> bool {
        self.keys.iter().all(|(key, known)| {
            let told = self.value_of(key, file.as_str());
            told.filter(|value| known.contains(*value)) == value_in(values, key)
        })
    }

    fn add(&mut self, found: &[(String, String)]) {
        for (key, value) in found {
            match self.keys.iter_mut().find(|(known, _)| known == key) {
                Some((_, values)) => drop(values.insert(value.clone())),
                None => {
                    let values = BTreeSet::from([value.clone()]);
                    self.keys.push((key.clone(), values));
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys.
    pub(super) fn names(&self) -> Vec<String> {
        self.keys.iter().map(|(key, _)| key.clone()).collect()
    }

    /// The files, of these schemas, that have no columns of the names of keys.
    pub(super) fn lacking(&self, schemas: &[&SchemaRef]) -> Lacking {
        let of_key = |key: &String| -> Vec<i64> {
            let numbered = (0_i64..).zip(schemas);
            let without = numbered.filter(|(_, schema)| schema.field_with_name(key).is_err());
            without.map(|(number, _)| number).collect()
        };
        let keys = self.keys.iter();
        keys.map(|(key, _)| (key.clone(), of_key(key))).collect()
    }

    /// The table with a column for each key, with or without the numbers of its rows, and the names of these. Files
    /// that have a column of the name of a key have their own values there. `files` are all files, and those that do
    /// not have such columns.
    ///
    /// # Errors
    /// If a column of some files cannot hold the values of the directories of others.
    pub(super) fn over(
        &self,
        table: Arc<dyn TableProvider>,
        numbers: &Numbers,
        (files, lacking): (&[Location], &Lacking),
        with_numbers: bool,
    ) -> Result<(Arc<dyn TableProvider>, Numbers)> {
        let schema = table.schema();
        let positions = [&numbers.file, &numbers.name, &numbers.row];
        let fields = schema.fields().iter();
        let columns: Vec<&FieldRef> = fields
            .filter(|field| !positions.contains(&field.name()))
            .collect();
        let mut names: Vec<&String> = columns.iter().map(|field| field.name()).collect();
        let mut all = Vec::with_capacity(columns.len() + self.keys.len());
        for field in columns {
            all.push(match lacking.get(field.name()) {
                Some(lacking) => self.completed(field, numbers, files, lacking)?,
                None => ident(field.name()),
            });
        }
        for (key, values) in &self.keys {
            if !names.contains(&key) {
                names.push(key);
                let meanings: Vec<String> = values.iter().filter_map(|v| meaning(v)).collect();
                let text = self.text(key, values, numbers, files);
                all.push(cast(text, type_of(&meanings)).alias(key));
            }
        }
        let named = names
            .iter()
            .map(|name| Field::new(*name, DataType::Null, true));
        let renamed = Numbers::beside(&Schema::new(named.collect::<Vec<_>>()));
        if with_numbers {
            let names = [&renamed.file, &renamed.name, &renamed.row];
            let numbered = positions.into_iter().zip(names);
            all.extend(numbered.map(|(position, name)| ident(position).alias(name)));
        }
        let plan = LogicalPlanBuilder::scan("files", provider_as_source(table), None)?;
        let table = ViewTable::new(plan.project(all)?.build()?, None);
        Ok((Arc::new(table), renamed))
    }

    /// A column with the name of a key, in which files that do not have it have the values of their directories.
    fn completed(
        &self,
        field: &FieldRef,
        numbers: &Numbers,
        files: &[Location],
        lacking: &[i64],
    ) -> Result<Expr> {
        let key = field.name();
        let written = |number: &i64| {
            let file = files.get(usize::try_from(*number).ok()?)?;
            let written = self.value_of(key, file.as_str())?;
            Some((file, written, meaning(written)?))
        };
        let found: Vec<(&Location, &str, String)> = lacking.iter().filter_map(written).collect();
        if found.is_empty() {
            return Ok(ident(key));
        }
        // Values that are not in a dictionary of the files are added.
        let own = match field.data_type() {
            DataType::Dictionary(_, value) => value.as_ref(),
            other => other,
        };
        let widest = match own {
            DataType::Null => {
                let meanings: Vec<String> = found.iter().map(|(_, _, m)| m.clone()).collect();
                type_of(&meanings)
            }
            DataType::UInt64 => DataType::UInt64,
            own if own.is_integer() => DataType::Int64,
            other => other.clone(),
        };
        let fits = |data_type: &DataType| found.iter().all(|(_, _, value)| holds(data_type, value));
        let data_type = match fits(own) {
            true => own.clone(),
            false => widest,
        };
        if let Some((file, _, value)) = found.iter().find(|(_, _, v)| !holds(&data_type, v)) {
            let mut all = (0_i64..).zip(files);
            let other = all.find_map(|(number, file)| (!lacking.contains(&number)).then_some(file));
            let other = other.map_or("another file", Location::as_str);
            return plan_err!(
                "{file}: its directory gives the column {key} the value '{value}', but in {other} it holds {own}; give the column or the directories another name"
            );
        }
        let values = found.iter().map(|(_, value, _)| (*value).to_owned());
        let text = self.text(key, &values.collect(), numbers, files);
        let is_lacking = lacking.iter().map(|number| lit(*number)).collect();
        let is_lacking = ident(&numbers.file).in_list(is_lacking, false);
        let column = Expr::Case(Case {
            expr: None,
            when_then_expr: vec![(
                Box::new(is_lacking),
                Box::new(cast(text, data_type.clone())),
            )],
            else_expr: Some(Box::new(cast(ident(key), data_type))),
        });
        Ok(column.alias(key))
    }

    /// The value, as written, that the directories of a file give to a key, as [`Self::text`] finds it.
    fn value_of<'a>(&'a self, key: &str, file: &'a str) -> Option<&'a str> {
        if let Some(found) = self.linked.get(file) {
            return value_in(found, key);
        }
        let root = self.roots.iter().find(|root| file.starts_with(*root))?;
        let (_, behind) = file
            .get(root.len() - 1..)?
            .split_once(&format!("/{key}="))?;
        behind.split_once('/').map(|(value, _)| value)
    }

    /// The text of a key's value, of these as written. Files outside of its directories have no value.
    fn text(
        &self,
        key: &str,
        values: &BTreeSet<String>,
        numbers: &Numbers,
        files: &[Location],
    ) -> Expr {
        let by_path = self.text_by_path(key, values, &numbers.name);
        let numbered = (0_i64..).zip(files);
        let linked: Vec<(i64, &Values)> = numbered
            .filter_map(|(number, file)| Some((number, self.linked.get(file.as_str())?)))
            .collect();
        if linked.is_empty() {
            return by_path;
        }
        let all = linked.iter().map(|(number, _)| lit(*number)).collect();
        let is_linked = ident(&numbers.file).in_list(all, false);
        let cases = linked.iter().filter_map(|(number, found)| {
            let value = value_in(found, key).filter(|value| values.contains(*value))?;
            let meaning = lit(ScalarValue::Utf8(meaning(value)));
            Some((Box::new(lit(*number)), Box::new(meaning)))
        });
        let by_number = case(Some(ident(&numbers.file)), cases.collect(), None);
        let by_number = vec![(Box::new(is_linked), Box::new(by_number))];
        case(None, by_number, Some(by_path))
    }

    /// [`Self::text`], where the path of the file is in a column.
    fn text_by_path(&self, key: &str, values: &BTreeSet<String>, path: &str) -> Expr {
        let below = self.roots.iter().map(|root| {
            let below = substr(ident(path), lit(root.chars().count() as i64));
            let is_below = starts_with(ident(path), lit(root.as_str()));
            (Box::new(is_below), Box::new(below))
        });
        let below = case(None, below.collect(), None);
        let part = format!("/{key}=");
        let start = strpos(below.clone(), lit(part.as_str()));
        let length = part.chars().count() as i64;
        let behind = substr(below, cast(start.clone(), DataType::Int64) + lit(length));
        let written = split_part(behind.clone(), lit("/"), lit(1_i64));
        // After the name of a directory there is a slash, unlike after that of a file.
        let is_directory = start.gt(lit(0)).and(strpos(behind, lit("/")).gt(lit(0)));
        let cases = values.iter().map(|value| {
            let meaning = lit(ScalarValue::Utf8(meaning(value)));
            (Box::new(lit(value.as_str())), Box::new(meaning))
        });
        let value = case(Some(written), cases.collect(), None);
        case(None, vec![(Box::new(is_directory), Box::new(value))], None)
    }
}

/// A CASE of texts; NULL if there are no cases.
fn case(expr: Option<Expr>, cases: Vec<(Box<Expr>, Box<Expr>)>, other: Option<Expr>) -> Expr {
    match cases.is_empty() {
        true => lit(ScalarValue::Utf8(None)),
        false => Expr::Case(Case {
            expr: expr.map(Box::new),
            when_then_expr: cases,
            else_expr: other.map(Box::new),
        }),
    }
}

/// The path of a file below a directory, both as they are written.
fn path_below(file: &Path, root: &Path) -> Option<String> {
    let file = plain(file);
    let below = file.strip_prefix(root).ok()?;
    below.to_str().map(str::to_owned)
}

/// The directory that a name refers to, or that is before its first wildcard: as it is written, and its path without links
/// and with a slash after it. `None` if the name is that of a file.
fn root(name: &str) -> Option<(PathBuf, String)> {
    let is_address = location::is_address(name);
    if !is_address && Path::new(name).is_file() {
        return None;
    }
    let is_fixed = !is_address && Path::new(name).is_dir();
    let is_glob = |part: &&str| !is_fixed && part.contains(['*', '?', '[']);
    let parts: Vec<&str> = name.split('/').take_while(|part| !is_glob(part)).collect();
    let fixed = parts.join("/");
    let written = match fixed.as_str() {
        "" if name.starts_with('/') => Path::new("/"),
        "" => Path::new("."),
        other => Path::new(other),
    };
    let directory = match is_address {
        true => Location::new(&fixed).ok()?.as_str().to_owned(),
        false => written.canonicalize().ok()?.to_str()?.to_owned(),
    };
    let directory = format!("{}/", directory.trim_end_matches('/'));
    Some((plain(written), directory))
}
