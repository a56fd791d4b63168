//! Texts of the engine's errors in the words of users: what was wrong, and what to write instead.

use crate::near_names;
use crate::options::NeardupOptions;
use crate::resources::EXHAUSTED;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{DataFusionError, plan_datafusion_err};
use datafusion::logical_expr::{LogicalPlan, TableType};
use std::path::Path;

/// The engine's error text for a literal of a type, `TYPE 'text'`, whose value is not a text.
pub(super) const TYPED_LITERAL: &str = "Typed literal requires a string payload";

/// How the engine begins the text of an error of a list that is to be written as CSV.
const NESTED: &str = "Nested type ";

/// What the engine says of tables into which it inserts no rows.
const NO_INSERT: [&str; 2] = [
    "Insert into not implemented for this table",
    "Inserting into a ListingTable backed by a single file is not supported",
];

/// The extensions of files that are written.
const WRITTEN: [&str; 6] = ["parquet", "csv", "tsv", "json", "jsonl", "ndjson"];

/// Characters of a value that an error shows.
const MAX_VALUE: usize = 60;

/// Settings of the start of the program, also by their names in other systems, with the options of the command line.
const AT_START: [(&str, &str); 7] = [
    ("memory_limit", "--memory-limit"),
    ("max_memory", "--memory-limit"),
    ("threads", "--threads"),
    ("worker_threads", "--threads"),
    ("temp_dir", "--temp-dir"),
    ("temp_directory", "--temp-dir"),
    ("temp_limit", "--temp-limit"),
];

/// The new text if the text is of one kind of error.
type Rewrite = fn(&str) -> Option<String>;

const REWRITES: [Rewrite; 16] = [
    unclosed,
    signature,
    substring,
    field,
    arithmetic,
    ungrouped,
    capitals,
    repeated_fields,
    option,
    in_place,
    typed_literal,
    cast,
    nested,
    top,
    no_extension,
    window_argument,
];

/// The text without names of the engine's types and rules, and without advice that does not help.
pub(super) fn plain(text: String) -> String {
    let text = exhausted(&text).unwrap_or(text);
    REWRITES
        .iter()
        .fold(text, |text, rewrite| rewrite(&text).unwrap_or(text))
}

/// The parts of a text before, between and after two marks.
pub(super) fn between<'a>(
    text: &'a str,
    begin: &str,
    end: &str,
) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(begin)?;
    let (inner, after) = rest.split_once(end)?;
    Some((before, inner, after))
}

/// The parts of a list that are separated by commas outside of parentheses and double quotes.
fn parts(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut start) = (0_usize, false, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

/// The distinct words.
fn distinct(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for word in words {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// The name of a type before its parentheses.
fn head(name: &str) -> &str {
    name.trim().split('(').next().unwrap_or_default()
}

/// A type of the engine in a word of users; several may be separated by slashes.
fn type_word(name: &str) -> String {
    let word = |name: &str| {
        let head = head(name);
        let word = match head {
            "Utf8" | "LargeUtf8" | "Utf8View" | "String" | "string" => "text",
            "Int8" | "Int16" | "Int32" | "Int64" | "UInt8" | "UInt16" | "UInt32" | "UInt64"
            | "Integer" => "integer",
            "Float16" | "Float32" | "Float64" | "Float" | "Numeric" => "number",
            "Date32" | "Date64" => "date",
            "Time32" | "Time64" => "time",
            "List" | "LargeList" | "FixedSizeList" | "ListView" | "LargeListView" | "array" => {
                "list"
            }
            "Struct" => "object",
            "Null" => "NULL",
            "Any" => "any value",
            "index" => "position",
            "Binary" | "LargeBinary" | "BinaryView" => "bytes",
            head if head.starts_with("Decimal") => "number",
            head => return head.to_lowercase(),
        };
        word.to_owned()
    };
    match name.contains('(') {
        true => word(name),
        false => distinct(name.split('/').map(word)).join("/"),
    }
}

/// A type of the engine as SQL names it.
fn sql_type(name: &str) -> String {
    let name = match head(name) {
        "Int8" => "TINYINT",
        "Int16" => "SMALLINT",
        "Int32" => "INT",
        "Int64" => "BIGINT",
        "UInt8" => "TINYINT UNSIGNED",
        "UInt16" => "SMALLINT UNSIGNED",
        "UInt32" => "INT UNSIGNED",
        "UInt64" => "BIGINT UNSIGNED",
        "Float32" => "REAL",
        "Float64" => "DOUBLE",
        "Date32" => "DATE",
        head if head.starts_with("Decimal") => name.trim(),
        head => return head.to_uppercase(),
    };
    match name.starts_with("Decimal") {
        true => name.replace("Decimal128", "DECIMAL"),
        false => name.to_owned(),
    }
}

/// The end of a value, if it is long, is left out.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// Too little memory: without the list of those that hold some, and with the work that needs more.
fn exhausted(text: &str) -> Option<String> {
    let (before, cause) = match between(text, "Additional allocation failed for ", "\nError: ") {
        Some((before, _, cause)) => (before, cause),
        None => ("", text),
    };
    let text = format!("{before}{cause}");
    let (request, state) = text.split_once(" do not fit: it holds ")?;
    let (request, consumer) = request.rsplit_once(" more for ")?;
    let unit = request.rfind(' ')?;
    let number = request[..unit].rfind([' ', '\n']).map_or(0, |at| at + 1);
    let (context, amount) = request.split_at(number);
    let (_, left) = state.split_once(", ")?;
    let (left, limit) = left.split_once(" are left of the memory limit of ")?;
    let mut spaces = limit.match_indices(' ').map(|(at, _)| at);
    spaces.next()?;
    let (limit, after) = limit.split_at(spaces.next().unwrap_or(limit.len()));
    Some(format!(
        "{}the memory limit of {limit} is too small: {} needs {amount} more, and {left} are left{after}",
        context.replace(EXHAUSTED, ""),
        task(consumer)
    ))
}

/// The work of an operator.
fn task(consumer: &str) -> &str {
    let is = |part: &str| consumer.contains(part);
    if is("Aggregate") {
        "grouping"
    } else if is("Join") {
        "joining"
    } else if is("Sort") || is("TopK") {
        "sorting"
    } else if is("Repartition") {
        "the exchange of rows between threads"
    } else if is("similar_pairs") {
        "the search for pairs"
    } else if is("shared_rows") {
        "a table that is read twice"
    } else if is("window") || is("Window") {
        "a window"
    } else {
        consumer
    }
}

/// A text or a name without its closing quote.
fn unclosed(text: &str) -> Option<String> {
    let (before, inner) = text.split_once("TokenizerError(\"")?;
    let inner = inner.trim_end_matches("\")").replace("\\\"", "\"");
    let position = inner.split_once(" at Line: ");
    let Some((what, position)) = position else {
        return Some(format!("{before}{inner}"));
    };
    let position = position.replace(", Column: ", ", column ");
    Some(match what {
        "Unterminated string literal" => format!(
            "{before}a text that begins at line {position} has no closing quote; a quote in a text is written twice: 'it''s'"
        ),
        what if what.starts_with("Expected close delimiter '\"'") => {
            format!("{before}a name that begins at line {position} has no closing double quote")
        }
        what => format!("{before}{what} at line {position}"),
    })
}

/// A function whose arguments have other types or another number.
fn signature(text: &str) -> Option<String> {
    let (before, call, rest) = between(
        text,
        "No function matches the given name and argument types '",
        "'. You might need to add explicit type casts.\n\tCandidate functions:\n",
    )?;
    let (name, types) = call.strip_suffix(')')?.split_once('(')?;
    let mut candidates = Vec::new();
    let mut after = String::new();
    for line in rest.split('\n') {
        match line.strip_prefix('\t') {
            Some(candidate) if after.is_empty() => candidates.push(candidate),
            _ => {
                after.push('\n');
                after.push_str(line);
            }
        }
    }
    let begins = [
        "Internal error: ".to_owned(),
        "Failed to coerce arguments to satisfy a call to '".to_owned(),
        "Function '".to_owned(),
        "The function '".to_owned(),
        format!("{name} does not support type "),
    ];
    let begin = begins.iter().filter_map(|begin| before.find(begin)).min();
    let context = begin.map_or("", |at| &before[..at]);
    let types: Vec<String> = match types.is_empty() {
        true => Vec::new(),
        false => parts(types).into_iter().map(type_word).collect(),
    };
    let wrong = match (name, types.first().map(String::as_str)) {
        ("array_element" | "array_slice", Some("text")) => {
            return Some(format!(
                "{context}brackets take elements of a list, and this is a text; substr(text, 1, 5) gives the first five characters of a text{after}"
            ));
        }
        ("array_element" | "array_slice", Some(first)) if first != "list" => {
            return Some(format!(
                "{context}brackets take elements of a list, and this is of the type {first}{after}"
            ));
        }
        (_, None) => format!("{name} needs arguments"),
        _ => format!(
            "{name} does not take arguments of these types: {name}({})",
            types.join(", ")
        ),
    };
    let reason = before
        .split_once("user-defined coercion failed with: ")
        .map(|(_, reason)| format!("; {}", reason.trim_end_matches(['.', ' '])));
    let candidates = candidates.into_iter().filter_map(candidate_words);
    let candidates = distinct(candidates);
    let takes = match candidates.is_empty() {
        true => String::new(),
        false => format!("; it takes {}", candidates.join(" or ")),
    };
    Some(format!(
        "{context}{wrong}{}{takes}{after}",
        reason.unwrap_or_default()
    ))
}

/// A signature of a function, such as `substr(str: text, start_pos: integer)`.
fn candidate_words(candidate: &str) -> Option<String> {
    let (name, arguments) = candidate.trim().strip_suffix(')')?.split_once('(')?;
    if arguments.contains("UserDefined") {
        return None;
    }
    let arguments = parts(arguments)
        .into_iter()
        .map(|argument| match argument.split_once(": ") {
            Some((name, kind)) => format!("{name}: {}", type_word(kind)),
            None => type_word(argument),
        });
    let arguments: Vec<String> = arguments.collect();
    Some(format!("{name}({})", arguments.join(", ")))
}

/// `substr(text)`, whose error shows the tree of the parser.
fn substring(text: &str) -> Option<String> {
    let (before, _) = text.split_once("Substring without for/from is not valid")?;
    Some(format!(
        "{before}substr needs a position: substr(text, 1, 5) gives the first five characters of a text"
    ))
}

/// `a['b']` of a value that has no fields.
fn field(text: &str) -> Option<String> {
    let (before, found, after) = between(
        text,
        "Cannot access field at argument ",
        " is not Struct, Map, or Null",
    )?;
    let (_, kind) = found.split_once(": type ")?;
    Some(format!(
        "{before}a name in brackets takes a field of an object, and this is of the type {}{after}",
        type_word(kind)
    ))
}

/// Arithmetic with other values than numbers.
fn arithmetic(text: &str) -> Option<String> {
    let (before, operation, after) = between(
        text,
        "Cannot coerce arithmetic expression ",
        " to valid types",
    )?;
    let mut operators = ["+", "-", "*", "/", "%"].into_iter();
    let (operator, left, right) = operators.find_map(|operator| {
        let (left, right) = operation.split_once(&format!(" {operator} "))?;
        Some((operator, type_word(left), type_word(right)))
    })?;
    let hint = match operator == "+" && (left == "text" || right == "text") {
        true => "; || joins texts",
        false => "",
    };
    Some(format!(
        "{before}the operator {operator} does not take values of these types: {left} {operator} {right}{hint}{after}"
    ))
}

/// A column that is neither in `GROUP BY` nor in an aggregate function.
fn ungrouped(text: &str) -> Option<String> {
    let (before, column, rest) = between(
        text,
        " must be in GROUP BY or an aggregate function: While expanding wildcard, column \"",
        "\" must appear in the GROUP BY clause or must be part of an aggregate function",
    )?;
    let (before, clause) = before.rsplit_once("Column in ")?;
    let after = rest
        .split_once(" appears in the SELECT clause satisfies this requirement")
        .map_or("", |(_, after)| after);
    let name = match column.contains('(') {
        true => column,
        false => column.rsplit('.').next().unwrap_or(column),
    };
    Some(format!(
        "{before}the column {name} in {clause} must be in GROUP BY, or in an aggregate function such as min({name}){after}"
    ))
}

/// A column whose name differs only in capitals.
fn capitals(text: &str) -> Option<String> {
    let (before, column, after) = between(
        text,
        "\nColumn names are case sensitive. You can use double quotes to refer to the ",
        " column or disable the datafusion.sql_parser.enable_ident_normalization configuration.",
    )?;
    let before = before.split(". Did you mean '").next().unwrap_or(before);
    let before = before.trim_end_matches('.');
    let name = match column.rsplit_once(".\"") {
        Some((_, name)) if column.ends_with('"') => format!("\"{name}"),
        _ if column.ends_with('"') => column.to_owned(),
        _ => column.rsplit('.').next().unwrap_or(column).to_owned(),
    };
    let rule = match before.ends_with('"') {
        true => "a name in double quotes keeps its capitals",
        false => "a name without double quotes is read in lower case",
    };
    Some(format!(
        "{before}: {rule}, and the column is written {name}.{after}"
    ))
}

/// Columns that are listed twice.
fn repeated_fields(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("Valid fields are ")?;
    let (line, after) = match rest.find('\n') {
        Some(end) => rest.split_at(end),
        None => (rest, ""),
    };
    let all = parts(line.strip_suffix('.')?);
    let fields = distinct(all.iter().map(|&field| field.to_owned()));
    if fields.len() == all.len() {
        return None;
    }
    Some(format!(
        "{before}Valid fields are {}.{after}",
        fields.join(", ")
    ))
}

/// An option that does not exist, or no value for one.
fn option(text: &str) -> Option<String> {
    if let Some((before, after)) = text.split_once("Unsupported value Null") {
        return Some(format!(
            "{before}SET needs a value, found NULL: RESET NAME takes the default of an option back{after}"
        ));
    }
    if let Some((before, name, rest)) = between(
        text,
        "Error setting config ",
        "\ncaused by\nConfig value \"",
    ) {
        let (_, after) = rest.split_once(" not found on ")?;
        let after = after.trim_start_matches(|letter: char| letter.is_alphanumeric());
        return Some(format!("{before}there is no option {name}{after}"));
    }
    if let Some((before, prefix, after)) = between(text, "Could not find config namespace \"", "\"")
    {
        return Some(format!(
            "{before}there are no options {prefix}.…: those of neardup begin with neardup., as in SET neardup.threshold = 0.8{after}"
        ));
    }
    let shown = || {
        let (before, after) =
            text.split_once("' is not a variable which can be viewed with 'SHOW'")?;
        let (before, name) = before.rsplit_once('\'')?;
        Some((before, name, after))
    };
    let (before, name, after) =
        between(text, "could not find config namespace for key \"", "\"").or_else(shown)?;
    if let Some((_, flag)) = AT_START.iter().find(|(start, _)| *start == name) {
        return Some(format!(
            "{before}{name} is not an option of SQL: it is set when the program starts, {flag}{after}"
        ));
    }
    let options = NeardupOptions::default().options();
    let names = options
        .iter()
        .filter_map(|option| option.key.strip_prefix("neardup."));
    let near = near_names::nearest(name, names).into_iter();
    let near: Vec<String> = near.map(|name| format!("'neardup.{name}'")).collect();
    let hint = match near.is_empty() {
        true => {
            "; those of neardup begin with neardup., as in SET neardup.threshold = 0.8".to_owned()
        }
        false => format!(" (did you mean {}?)", near.join(" or ")),
    };
    Some(format!("{before}there is no option {name}{hint}{after}"))
}

/// A change of the rows of a file.
fn in_place(text: &str) -> Option<String> {
    let (before, table, cause) = between(text, " operation on table '", "'\ncaused by\n")?;
    if !cause.contains(" not supported for ") {
        return None;
    }
    let mut verbs = ["DELETE", "UPDATE", "TRUNCATE", "MERGE INTO"].into_iter();
    let (before, verb) = verbs.find_map(|verb| Some((before.strip_suffix(verb)?, verb)))?;
    let (name, other) = (written(table), other_file(table));
    let instead = match verb {
        "DELETE" => format!(
            "COPY (SELECT * FROM {name} WHERE NOT (…)) TO {other} writes the other rows to a new file"
        ),
        "UPDATE" => format!(
            "COPY (SELECT … FROM {name}) TO {other} writes its rows with other values to a new file"
        ),
        _ => format!("COPY (SELECT …) TO {other} writes a new file"),
    };
    Some(format!(
        "{before}{verb}: the rows of {name} are in files, which are not changed in place; {instead}"
    ))
}

/// The name of a table or a file as SQL writes it.
fn written(table: &str) -> String {
    match is_file(table) {
        true => format!("'{}'", table.replace('\'', "''")),
        false => table.to_owned(),
    }
}

fn is_file(table: &str) -> bool {
    table.contains(['.', '/', '*'])
}

/// A further file of the format of a file, if that is written.
fn other_file(table: &str) -> String {
    let (stem, compression) = [".gz", ".bz2", ".zst"]
        .into_iter()
        .find_map(|compression| Some((table.strip_suffix(compression)?, compression)))
        .unwrap_or((table, ""));
    let extension = Path::new(stem).extension();
    let extension = extension.and_then(|extension| extension.to_str());
    match extension.filter(|extension| WRITTEN.contains(extension)) {
        Some(extension) => format!("'other.{extension}{compression}'"),
        None => "'other.parquet'".to_owned(),
    }
}

/// A literal of a type, `TYPE 'text'`, whose value is not a text.
fn typed_literal(text: &str) -> Option<String> {
    let (before, after) = text.split_once(TYPED_LITERAL)?;
    Some(format!(
        "{before}a type before a value needs a text in single quotes, as in DATE '2024-01-31'{after}"
    ))
}

/// A text that cannot be cast to another type.
fn cast(text: &str) -> Option<String> {
    let (before, value, rest) = between(text, "Cannot cast string '", "' to value of ")
        .or_else(|| between(text, "Cannot cast value '", "' to value of "))?;
    let (kind, after) = rest.split_once(" type")?;
    let before = before.strip_suffix("Cast error: ").unwrap_or(before);
    let is_whole = value.trim().parse::<i128>().is_ok();
    let sql = sql_type(kind);
    let word = type_word(kind);
    let wrong = match word.as_str() {
        "integer" if is_whole => format!("is outside the range of {sql}"),
        "integer" => "is not an integer".to_owned(),
        "boolean" => "is neither true nor false".to_owned(),
        "date" => "is not a date such as 2024-01-31".to_owned(),
        "timestamp" => "is not a time such as 2024-01-31 12:00:00".to_owned(),
        "interval" => "is not an interval".to_owned(),
        word => format!("is not a {word}"),
    };
    let hint = match after.is_empty() {
        true => format!("; TRY_CAST(… AS {sql}) gives NULL for such a text"),
        false => String::new(),
    };
    Some(format!(
        "{before}'{}' {wrong}{hint}{after}",
        shortened(value)
    ))
}

/// A list or an object that is to be written as CSV.
fn nested(text: &str) -> Option<String> {
    let (before, kind, after) = between(text, NESTED, " is not supported in CSV")?;
    let before = before.strip_suffix("Csv error: ").unwrap_or(before);
    let nested = match type_word(kind).as_str() {
        "list" if kind.contains("Struct(") => Nested::Objects,
        "list" => Nested::List,
        _ => Nested::Object,
    };
    Some(format!("{before}{}{after}", not_in_csv(None, nested)))
}

/// `SELECT TOP 5 …`.
fn top(text: &str) -> Option<String> {
    let before = text.strip_suffix("This feature is not implemented: TOP")?;
    Some(format!(
        "{before}TOP is not supported; LIMIT at the end of a query limits its rows: SELECT … FROM … LIMIT 5"
    ))
}

/// `lead(value, column) OVER (…)`.
fn window_argument(text: &str) -> Option<String> {
    let (before, index, after) = between(
        text,
        "This feature is not implemented: There is only support Literal types for field at idx: ",
        " in Window Function",
    )?;
    let number = index.parse::<usize>().ok()? + 1;
    Some(format!(
        "{before}argument {number} of lead, lag and nth_value must be a constant, the same for every row{after}"
    ))
}

/// A destination whose name does not determine the format.
fn no_extension(text: &str) -> Option<String> {
    let (before, after) = text.split_once(
        "Format not explicitly set and unable to get file extension! Use STORED AS to define file format.",
    )?;
    Some(format!(
        "{before}the name after COPY … TO has no extension, which determines the format: .{}; files are added to a directory by TO 'name/' STORED AS PARQUET{after}",
        WRITTEN.join(", .")
    ))
}

/// The kinds of columns that CSV does not hold.
#[derive(Clone, Copy)]
enum Nested {
    List,
    /// A list of objects.
    Objects,
    Object,
}

impl Nested {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Struct(_) | DataType::Map(..) | DataType::Union(..) => Self::Object,
            DataType::List(element)
            | DataType::LargeList(element)
            | DataType::ListView(element)
            | DataType::LargeListView(element)
            | DataType::FixedSizeList(element, _) => match Self::of(element.data_type()) {
                Self::List => Self::List,
                Self::Objects | Self::Object => Self::Objects,
            },
            _ => Self::List,
        }
    }
}

/// Why a column cannot be written as CSV, and what can.
fn not_in_csv(column: Option<&str>, nested: Nested) -> String {
    let name = column.unwrap_or("column");
    let subject = column.map_or("a column".to_owned(), |name| format!("the column {name}"));
    match nested {
        Nested::Objects => format!(
            "{subject} is a list of objects, which CSV does not hold; take JSON or Parquet, leave it out: SELECT * EXCLUDE ({name}), or write a row for each object: SELECT * EXCLUDE ({name}), UNNEST(UNNEST({name}))"
        ),
        Nested::List => format!(
            "{subject} is a list, which CSV does not hold; take JSON or Parquet, or a text: array_to_string({name}, ';')"
        ),
        Nested::Object => format!(
            "{subject} is an object, which CSV does not hold; take JSON or Parquet, or its fields: {name}['field']"
        ),
    }
}

/// The error of rows that cannot be written as CSV, since a column is a list or an object.
pub fn csv_error(schema: &Schema) -> Option<DataFusionError> {
    let mut fields = schema.fields().iter();
    let field = fields.find(|field| field.data_type().is_nested())?;
    let nested = Nested::of(field.data_type());
    let text = not_in_csv(Some(field.name().as_str()), nested);
    Some(plan_datafusion_err!("{text}"))
}

/// Names the column that `COPY` cannot write as CSV, and the table into which `INSERT` adds no rows.
pub fn explain_write_error(plan: &LogicalPlan, error: DataFusionError) -> DataFusionError {
    let text = error.strip_backtrace();
    match plan {
        LogicalPlan::Copy(copy) if text.contains(NESTED) => {
            csv_error(copy.input.schema().as_arrow()).unwrap_or(error)
        }
        LogicalPlan::Dml(insert) if NO_INSERT.iter().any(|refused| text.contains(refused)) => {
            let table = insert.table_name.table();
            let name = written(table);
            if insert.target.table_type() == TableType::View && !is_file(table) {
                return plan_datafusion_err!(
                    "INSERT: {name} is a view, which has no rows of its own; CREATE TABLE … AS SELECT * FROM {name} makes a table that takes rows"
                );
            }
            plan_datafusion_err!(
                "INSERT: the rows of {name} are in files, which are not changed in place; COPY (SELECT * FROM {name} UNION ALL SELECT …) TO {} writes them with others to a new file, which may be .{}",
                other_file(table),
                WRITTEN.join(", .")
            )
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_plain(all: &[(&str, &str)]) {
        for (text, wanted) in all {
            assert_eq!(plain((*text).to_owned()), *wanted);
        }
    }

    #[test]
    fn signatures_are_in_plain_words() {
        assert_plain(&[
            (
                "Internal error: Function 'median' failed to match any signature, errors: Function 'median' requires Decimal, but received String (DataType: Utf8).,Function 'median' requires Float, but received String (DataType: Utf8).,Function 'median' requires Float64, but received String (DataType: Utf8)..\nThis issue was likely caused by a bug in DataFusion's code. Please help us to resolve this by filing a bug report in our issue tracker: https://github.com/apache/datafusion/issues. No function matches the given name and argument types 'median(Utf8)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tmedian(Decimal)\n\tmedian(Float)\n\tmedian(Float64)",
                "median does not take arguments of these types: median(text); it takes median(number)",
            ),
            (
                "Internal error: Function 'substr' failed to match any signature, errors: Function 'substr' requires String, but received Int64 (DataType: Int64).,Function 'substr' expects 3 arguments but received 2.\nThis issue was likely caused by a bug in DataFusion's code. Please help us to resolve this by filing a bug report in our issue tracker: https://github.com/apache/datafusion/issues. No function matches the given name and argument types 'substr(Int64, Utf8)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tsubstr(str: String, start_pos: Int64)\n\tsubstr(str: String, start_pos: Int64, length: Int64)",
                "substr does not take arguments of these types: substr(integer, text); it takes substr(str: text, start_pos: integer) or substr(str: text, start_pos: integer, length: integer)",
            ),
            (
                "f: Function 'upper' requires String, but received List(Int64) (DataType: List(Int64)).. No function matches the given name and argument types 'upper(List(Int64, field: 'element'))'. You might need to add explicit type casts.\n\tCandidate functions:\n\tupper(String)",
                "f: upper does not take arguments of these types: upper(list); it takes upper(text)",
            ),
            (
                "Failed to coerce arguments to satisfy a call to 'sqrt' function: coercion from Utf8 to the signature Uniform(1, [Float64, Float32]) failed. No function matches the given name and argument types 'sqrt(Utf8)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tsqrt(Float64/Float32)",
                "sqrt does not take arguments of these types: sqrt(text); it takes sqrt(number)",
            ),
            (
                "Function 'coalesce' user-defined coercion failed with: coalesce must have at least one argument. No function matches the given name and argument types 'coalesce()'. You might need to add explicit type casts.\n\tCandidate functions:\n\tcoalesce(UserDefined)",
                "coalesce needs arguments; coalesce must have at least one argument",
            ),
            (
                "Failed to coerce arguments to satisfy a call to 'array_slice' function: coercion from Utf8, Int64, Int64, Int64 to the signature OneOf(ArraySignature(array, index, index), ArraySignature(array, index, index, index)) failed. No function matches the given name and argument types 'array_slice(Utf8, Int64, Int64, Int64)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tarray_slice(array, index, index)\n\tarray_slice(array, index, index, index)",
                "brackets take elements of a list, and this is a text; substr(text, 1, 5) gives the first five characters of a text",
            ),
            (
                "array_element does not support type Int64. No function matches the given name and argument types 'array_element(Int64, Int64)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tarray_element(array, index)",
                "brackets take elements of a list, and this is of the type integer",
            ),
            (
                "Cannot access field at argument 1: type Utf8 is not Struct, Map, or Null",
                "a name in brackets takes a field of an object, and this is of the type text",
            ),
            (
                "Cannot coerce arithmetic expression Utf8 + Int64 to valid types",
                "the operator + does not take values of these types: text + integer; || joins texts",
            ),
        ]);
    }

    #[test]
    fn faults_of_tokens_name_the_quote() {
        assert_plain(&[
            (
                "TokenizerError(\"Unterminated string literal at Line: 1, Column: 13\")",
                "a text that begins at line 1, column 13 has no closing quote; a quote in a text is written twice: 'it''s'",
            ),
            (
                "TokenizerError(\"Expected close delimiter '\\\"' before EOF. at Line: 1, Column: 8\")",
                "a name that begins at line 1, column 8 has no closing double quote",
            ),
            (
                "TokenizerError(\"Unexpected EOF while in a multi-line comment at Line: 1, Column: 16\")",
                "Unexpected EOF while in a multi-line comment at line 1, column 16",
            ),
        ]);
    }

    #[test]
    fn columns_are_named_once_and_as_they_are_written() {
        assert_plain(&[
            (
                "No field named \"Text\". Did you mean '\"d.jsonl\".text'?\nColumn names are case sensitive. You can use double quotes to refer to the \"d.jsonl\".text column or disable the datafusion.sql_parser.enable_ident_normalization configuration.\nValid fields are \"d.jsonl\".id, \"d.jsonl\".text.",
                "No field named \"Text\": a name in double quotes keeps its capitals, and the column is written text.\nValid fields are \"d.jsonl\".id, \"d.jsonl\".text.",
            ),
            (
                "No field named d.text. Did you mean 'd.\"Text\"'?\nColumn names are case sensitive. You can use double quotes to refer to the d.\"Text\" column or disable the datafusion.sql_parser.enable_ident_normalization configuration.\nValid fields are d.\"Text\".",
                "No field named d.text: a name without double quotes is read in lower case, and the column is written \"Text\".\nValid fields are d.\"Text\".",
            ),
            (
                "No field named nope.\nValid fields are d.id, d.\"a, b\", d.id, d.\"c, b\".",
                "No field named nope.\nValid fields are d.id, d.\"a, b\", d.\"c, b\".",
            ),
            (
                "Column in SELECT must be in GROUP BY or an aggregate function: While expanding wildcard, column \"d.jsonl.text\" must appear in the GROUP BY clause or must be part of an aggregate function, currently only \"count(Int64(1))\" appears in the SELECT clause satisfies this requirement",
                "the column text in SELECT must be in GROUP BY, or in an aggregate function such as min(text)",
            ),
        ]);
    }

    #[test]
    fn options_and_changes_have_a_next_step() {
        assert_plain(&[
            (
                "could not find config namespace for key \"threshold\"",
                "there is no option threshold (did you mean 'neardup.threshold'?)",
            ),
            (
                "'treshold' is not a variable which can be viewed with 'SHOW'",
                "there is no option treshold (did you mean 'neardup.threshold'?)",
            ),
            (
                "could not find config namespace for key \"memory_limit\"",
                "memory_limit is not an option of SQL: it is set when the program starts, --memory-limit",
            ),
            (
                "Error setting config datafusion.execution.foo\ncaused by\nConfig value \"foo\" not found on ExecutionOptions",
                "there is no option datafusion.execution.foo",
            ),
            (
                "DELETE operation on table 'd.jsonl'\ncaused by\nThis feature is not implemented: DELETE not supported for Base table",
                "DELETE: the rows of 'd.jsonl' are in files, which are not changed in place; COPY (SELECT * FROM 'd.jsonl' WHERE NOT (…)) TO 'other.jsonl' writes the other rows to a new file",
            ),
            (
                "UPDATE operation on table 'pairs'\ncaused by\nThis feature is not implemented: UPDATE not supported for Base table",
                "UPDATE: the rows of pairs are in files, which are not changed in place; COPY (SELECT … FROM pairs) TO 'other.parquet' writes its rows with other values to a new file",
            ),
        ]);
    }

    #[test]
    fn limits_and_formats_have_a_next_step() {
        assert_plain(&[
            (
                "This feature is not implemented: TOP",
                "TOP is not supported; LIMIT at the end of a query limits its rows: SELECT … FROM … LIMIT 5",
            ),
            (
                "Format not explicitly set and unable to get file extension! Use STORED AS to define file format.",
                "the name after COPY … TO has no extension, which determines the format: .parquet, .csv, .tsv, .json, .jsonl, .ndjson; files are added to a directory by TO 'name/' STORED AS PARQUET",
            ),
        ]);
        for (file, other) in [
            ("d.csv", "'other.csv'"),
            ("a.b/d.jsonl.gz", "'other.jsonl.gz'"),
            ("d.gz", "'other.parquet'"),
            ("d/*.xml", "'other.parquet'"),
            ("pairs", "'other.parquet'"),
        ] {
            assert_eq!(other_file(file), other, "{file}");
        }
    }

    #[test]
    fn values_of_other_types_are_named() {
        assert_plain(&[
            (
                "Cast error: Cannot cast string 'abc' to value of Int64 type",
                "'abc' is not an integer; TRY_CAST(… AS BIGINT) gives NULL for such a text",
            ),
            (
                "Cast error: Cannot cast string '300' to value of Int8 type",
                "'300' is outside the range of TINYINT; TRY_CAST(… AS TINYINT) gives NULL for such a text",
            ),
            (
                "Cast error: Cannot cast value 'x' to value of Boolean type",
                "'x' is neither true nor false; TRY_CAST(… AS BOOLEAN) gives NULL for such a text",
            ),
            (
                "Cast error: Cannot cast string 'x' to value of Decimal128(38, 10) type",
                "'x' is not a number; TRY_CAST(… AS DECIMAL(38, 10)) gives NULL for such a text",
            ),
            (
                "Csv error: Nested type List(Int64, field: 'element') is not supported in CSV",
                "a column is a list, which CSV does not hold; take JSON or Parquet, or a text: array_to_string(column, ';')",
            ),
            (
                "Csv error: Nested type List(Struct(\"a\": Int64)) is not supported in CSV",
                "a column is a list of objects, which CSV does not hold; take JSON or Parquet, leave it out: SELECT * EXCLUDE (column), or write a row for each object: SELECT * EXCLUDE (column), UNNEST(UNNEST(column))",
            ),
        ]);
    }

    #[test]
    fn too_little_memory_is_said_once() {
        assert_plain(&[
            (
                "Resources exhausted: Additional allocation failed for AggregateStream[0] with top memory consumers (across reservations) as:\n  AggregateStream[0]#6(can spill: false) consumed 0.0 B, peak 0.0 B.\nError: 16.0 MB more for AggregateStream[0] do not fit: it holds 0.0 B, 10.0 MB are left of the memory limit of 10.0 MB",
                "the memory limit of 10.0 MB is too small: grouping needs 16.0 MB more, and 10.0 MB are left",
            ),
            (
                "the rows of one group of a window do not fit into memory: 6.7 KB more for window do not fit: it holds 1018.8 KB, 5.2 KB are left of the memory limit of 1024.0 KB",
                "the rows of one group of a window do not fit into memory: the memory limit of 1024.0 KB is too small: a window needs 6.7 KB more, and 5.2 KB are left",
            ),
        ]);
    }
}
