//! A table of documents as the input of a job: its columns, and its rows with ids.

use super::job::Job;
use super::row_ids::{RowIds, numbered};
use crate::files::{Input, Kind, values_of};
use crate::functions::{RULE_OF_ORDERS, hint_for_key};
use crate::near_names;
use crate::parameters::{ParameterError, name, parameter_error, set};
use crate::shell_words::shell_word;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;

/// The id column that means row numbers, unless the table has a column of that name.
pub(super) const ROW: &str = "row";

/// The columns of a table, in which those that parameters name are found.
pub(super) struct TableColumns<'a> {
    schema: SchemaRef,
    input: &'a Input,
}

impl<'a> TableColumns<'a> {
    pub(super) async fn of(context: &SessionContext, input: &'a Input) -> Result<Self> {
        let schema = input.table(&context.state()).await?.schema();
        Ok(Self { schema, input })
    }

    /// The columns.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
    }

    /// Checks that the texts, which are edited, are not the ids.
    pub(super) fn check_apart(&self, id: Option<&str>, text: &str) -> Result<()> {
        match id == Some(text) {
            true => {
                let why = ": the column holds the ids of the rows, whose values stay as they are";
                Err(parameter_error![set("text", text), why].into())
            }
            false => Ok(()),
        }
    }

    /// Whether there is a column of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.schema.field_with_name(name).is_ok()
    }

    /// The column that a parameter names.
    ///
    /// # Errors
    /// If there is none; the error has similar names, and advice if the file was read with other options than it was
    /// written with.
    pub(super) fn find(&self, option: &'static str, name: &str) -> Result<&Field> {
        if let Ok(field) = self.schema.field_with_name(name) {
            return Ok(field);
        }
        let names: Vec<&str> = self
            .schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let of_items = option.starts_with("item_");
        let why = match (names.is_empty(), of_items) {
            (true, true) => ": the items are empty and have no columns".to_owned(),
            (true, false) => ": the input is empty and has no columns".to_owned(),
            (false, _) => format!(
                ": {} no such column{}; {} columns are: {}",
                if of_items {
                    "the items have"
                } else {
                    "the input has"
                },
                near_names::hint(name, names.iter().copied()),
                if of_items { "their" } else { "its" },
                names.join(", ")
            ),
        };
        let of_keep = match (option, hint_for_key(name)) {
            ("keep_by", "") => RULE_OF_ORDERS,
            ("keep_by", hint) => hint,
            _ => "",
        };
        let is_separated = matches!(self.input.kind, Kind::Csv | Kind::Tsv);
        let like_json = names.first().is_some_and(|name| name.starts_with('{'));
        let separator = near_names::separator(&names).filter(|_| is_separated);
        let is_headed = is_separated && self.input.reading.has_header();
        // A name that is a number is probably the value of a row.
        let is_row = names.iter().any(|name| name.trim().parse::<f64>().is_ok());
        let error: ParameterError = match separator {
            _ if is_separated && like_json => {
                parameter_error![set(option, name), why, near_names::LIKE_JSON]
            }
            None if is_headed && is_row => parameter_error![
                set(option, name),
                why,
                "; if the file has no header, name its columns with ",
                self::name("column_names"),
                ", or number them with --no-header (option header => false)"
            ],
            Some(separator) => parameter_error![
                set(option, name),
                why,
                "; if this is several names, say what separates them: ",
                set("delimiter", separator)
            ],
            None => match in_object(&self.schema, name, self.input) {
                Some((query, last)) => parameter_error![
                    set(option, name),
                    why,
                    format!(
                        "; it is a field of an object: make a table with it, {}, and give flat.parquet with ",
                        copied(&query, "flat.parquet")
                    ),
                    set(option, last)
                ],
                None => {
                    let rows = rows_in_list(&self.schema, self.input).unwrap_or_default();
                    parameter_error![set(option, name), why, of_keep, rows]
                }
            },
        };
        Err(error.into())
    }

    /// The column of texts that a parameter names.
    ///
    /// # Errors
    /// If there is none, or it does not hold texts.
    pub(super) fn find_text(&self, option: &'static str, name: &str) -> Result<&Field> {
        let field = self.find(option, name)?;
        match is_text(field.data_type()) {
            true => Ok(field),
            false => Err(self.wrong_text_type(option, field, "be a text column")),
        }
    }

    /// The column of texts, or of lists of texts, that a parameter names; whether it holds lists.
    ///
    /// # Errors
    /// If there is none, or it holds neither.
    pub(super) fn find_texts(&self, option: &'static str, name: &str) -> Result<bool> {
        let field = self.find(option, name)?;
        match field.data_type() {
            text if is_text(text) => Ok(false),
            DataType::List(item) | DataType::LargeList(item) if is_text(item.data_type()) => {
                Ok(true)
            }
            _ => Err(self.wrong_text_type(
                option,
                field,
                "be a column of texts or of lists of texts",
            )),
        }
    }

    /// The name of the id column: the one that a parameter names, else `id`; `None` if ids are to be made.
    ///
    /// # Errors
    /// If there is none of that name, or it holds neither integers nor texts.
    pub(super) fn find_id(
        &self,
        option: &'static str,
        given: Option<&str>,
    ) -> Result<Option<&str>> {
        let id = match given {
            Some(ROW) => self.schema.field_with_name(ROW).ok(),
            Some(id) => Some(self.find(option, id)?),
            None => self.schema.field_with_name("id").ok(),
        };
        let Some(field) = id else {
            return Ok(None);
        };
        if !is_id(field.data_type()) {
            let why = format!(
                ": must be a column of integers or texts, but it holds {}; ",
                values_of(field.data_type())
            );
            let made = " uses row numbers as ids";
            return Err(
                parameter_error![set(option, field.name()), why, set(option, ROW), made].into(),
            );
        }
        Ok(Some(field.name()))
    }

    /// The error of a column that holds no texts, with how to make texts of its values.
    fn wrong_text_type(
        &self,
        option: &'static str,
        field: &Field,
        needed: &str,
    ) -> DataFusionError {
        let name = field.name();
        let why = format!(
            ": must {needed}, but it holds {}; ",
            values_of(field.data_type())
        );
        let column = quoted(name);
        let input = self.input.relation();
        let made = |query: String| {
            let command = copied(&query, "texts.parquet");
            format!("make a table with texts: {command}")
        };
        let replaced = |text: String| {
            made(format!(
                "SELECT * REPLACE ({text} AS {column}) FROM {input}"
            ))
        };
        let error: ParameterError = match field.data_type() {
            _ if matches!(self.input.kind, Kind::Csv | Kind::Tsv) => parameter_error![
                set(option, name),
                why,
                self::name("all_text"),
                " reads all columns as texts"
            ],
            DataType::List(item) | DataType::LargeList(item) if is_text(item.data_type()) => {
                let text = format!("array_to_string({column}, ' ')");
                parameter_error![set(option, name), why, replaced(text)]
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
                if item.data_type().is_numeric() =>
            {
                parameter_error![
                    set(option, name),
                    why,
                    "dedup compares vectors with ",
                    set("method", "projection"),
                    " ",
                    set("vector", name)
                ]
            }
            DataType::Struct(fields) => {
                let key = fields.iter().find(|field| is_text(field.data_type()));
                let key = key.map_or("KEY", |field| field.name().as_str());
                let text = format!("{column}['{}']", key.replace('\'', "''"));
                parameter_error![set(option, name), why, replaced(text)]
            }
            other if !other.is_nested() => {
                let text = format!("CAST({column} AS TEXT)");
                parameter_error![set(option, name), why, replaced(text)]
            }
            _ => parameter_error![set(option, name), why, "name a column of texts"],
        };
        error.into()
    }
}

/// A name of a column as SQL writes it.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        true if !name.is_empty() => name.to_owned(),
        _ => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// The command that writes the rows of a query to a file. One thread keeps their order, which numbers the rows of the file.
fn copied(query: &str, file: &str) -> String {
    let statement = format!("COPY ({query}) TO '{file}'");
    format!("neardup sql --threads 1 {}", shell_word(&statement))
}

/// How to make a column of a value in objects, `meta.text`, `meta['text']` or, if only one column holds such objects, `text`: a query, and
/// the name of the new column.
fn in_object(schema: &Schema, name: &str, input: &Input) -> Option<(String, String)> {
    let name = name.replace("['", ".").replace("']", "");
    let name = name.as_str();
    let (column, path) = match name.split_once('.') {
        Some(split) => split,
        None => {
            let holds = |field: &DataType| match field {
                DataType::Struct(fields) => fields.find(name).is_some(),
                _ => false,
            };
            let fields = schema.fields().iter();
            let mut found = fields.filter(|field| holds(field.data_type()));
            match (found.next(), found.next()) {
                (Some(field), None) => (field.name().as_str(), name),
                _ => return None,
            }
        }
    };
    let mut data_type = schema.field_with_name(column).ok()?.data_type();
    let mut value = quoted(column);
    let mut last = path;
    for key in path.split('.') {
        let DataType::Struct(fields) = data_type else {
            return None;
        };
        let (_, field) = fields.find(key)?;
        value = format!("{value}['{}']", key.replace('\'', "''"));
        data_type = field.data_type();
        last = key;
    }
    // The result would have two columns of the same name.
    let others = match schema.field_with_name(last).is_ok() {
        false => "*, ",
        true if last != "id" && schema.field_with_name("id").is_ok() => "id, ",
        true => "",
    };
    let (last_name, input) = (quoted(last), input.relation());
    let query = format!("SELECT {others}{value} AS {last_name} FROM {input}");
    Some((query, last.to_owned()))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => value.is_string(),
        other => other.is_string() || other.is_null(),
    }
}

fn is_id(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => value.is_string() || value.is_integer(),
        other => is_text(other) || other.is_integer(),
    }
}

/// The error of a column whose type is not the one that a parameter needs.
pub(super) fn wrong_type(option: &'static str, field: &Field, needed: &str) -> DataFusionError {
    let why = format!(
        ": must {needed}, but it holds {}",
        values_of(field.data_type())
    );
    let name = field.name();
    match option == "vector" && field.data_type().is_string() {
        true => parameter_error![
            set(option, name),
            why,
            "; texts are compared by ",
            set("text", name)
        ],
        false => parameter_error![set(option, name), why],
    }
    .into()
}

/// Checks that a way to make ids is given only for a table that has none.
pub(super) fn check_row_ids(id: Option<&str>, row_ids: RowIds) -> Result<()> {
    match id {
        Some(id) if row_ids != RowIds::Number => {
            let why = format!(
                " makes ids where there are none, but the column {id} holds the ids of this table"
            );
            Err(parameter_error![name("row_ids"), why].into())
        }
        _ => Ok(()),
    }
}

/// Checks that the options of readers that are given are options of the input, or of a second one.
pub(super) fn check_options(input: &Input, second: Option<&Input>) -> Result<()> {
    let has = |option: &str| {
        let of_second = second.is_some_and(|second| second.has_option(option));
        input.has_option(option) || of_second
    };
    let mut given = input.reading.given().iter().map(|(option, _)| *option);
    match given.find(|&option| !has(option)) {
        Some(option) => {
            let file = &input.files[0];
            let why = format!(": {file} is of a kind that does not have this option");
            Err(parameter_error![name(option), why].into())
        }
        None => Ok(()),
    }
}

/// The rows of a table; with `made`, ids are made in a new column `id`.
pub(super) async fn rows(
    context: &SessionContext,
    input: &Input,
    made: Option<RowIds>,
    id: &str,
) -> Result<LogicalPlan> {
    match made {
        Some(row_ids) => numbered(context, input, row_ids, id).await,
        None => {
            let table = input.table(&context.state()).await?;
            Ok(context.read_table(table)?.into_unoptimized_plan())
        }
    }
}

/// A name, with underscores after it until no column has it.
pub(super) fn unused_name(schema: &Schema, name: &str) -> String {
    let mut name = name.to_owned();
    while schema.field_with_name(&name).is_ok() {
        name.push('_');
    }
    name
}

/// The type of a column of a table of the session, with dictionaries unpacked.
pub(super) async fn plain_type(
    context: &SessionContext,
    table: &str,
    name: &str,
) -> Result<DataType> {
    let table = context.table(table).await?;
    let data_type = table
        .schema()
        .field_with_unqualified_name(name)?
        .data_type()
        .clone();
    Ok(match data_type {
        DataType::Dictionary(_, value) => *value,
        DataType::Null if name == "id" => DataType::Int64,
        DataType::Null => DataType::Utf8,
        other => other,
    })
}

/// The error of a step that reads the rows of a table, with the names of its files; an error that names a file of the job's
/// directory, or a parameter, is none of the table.
pub(super) async fn named(input: &Input, job: &Job, error: DataFusionError) -> DataFusionError {
    let is_named = error.strip_backtrace().contains(job.directory().as_str());
    match is_named || ParameterError::of(&error).is_some() {
        true => error,
        false => input.explained(job.context(), error).await,
    }
}

/// How to make rows of the objects in the only list of a table: files of one object often hold their rows so.
fn rows_in_list(schema: &Schema, input: &Input) -> Option<String> {
    let mut lists = schema
        .fields()
        .iter()
        .filter_map(|field| match field.data_type() {
            DataType::List(item) => match item.data_type() {
                DataType::Struct(fields) => Some((field.name(), fields)),
                _ => None,
            },
            _ => None,
        });
    let (Some((list, fields)), None) = (lists.next(), lists.next()) else {
        return None;
    };
    let fields: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let query = near_names::unnested(list, &fields, &input.relation());
    Some(format!(
        "; if the objects in {list} are the rows, make a file of them: {}",
        copied(&query, "rows.jsonl")
    ))
}
