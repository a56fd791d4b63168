//! The methods of a Python session, one for each table function: generated from the registry and compared with it.

use libtest_mimic::Failed;
use neardup::functions::{Header, Kind, Parameter, TABLE_FUNCTIONS, TableFunction};
use std::fmt::Write;

const HEAD: &str = r#""""The table functions as methods of a session.

Written from the headers of the SQL files; the test reference::python compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ._former_names import accepts_former_names

if TYPE_CHECKING:
    from ._result import Result
    from ._session import Data


@accepts_former_names
class TableFunctions:
    """One method for each table function of SQL."""

    def _call(
        self,
        function: str,
        relations: Sequence[Data | None],
        columns: Sequence[str],
        **arguments: object,
    ) -> Result:
        raise NotImplementedError
"#;

/// The text of the module.
pub fn module() -> Result<String, Failed> {
    let mut out = HEAD.to_owned();
    for function in TABLE_FUNCTIONS.iter().filter(|function| function.public) {
        method(&mut out, function, &function.template.header()?);
    }
    Ok(out)
}

fn method(out: &mut String, function: &TableFunction, header: &Header) {
    let relations = relations(function, header);
    let _ = write!(out, "\n    def {}(\n        self,\n", function.name);
    for (index, name) in relations.iter().enumerate() {
        let _ = match index < *function.relations.start() {
            true => writeln!(out, "        {name}: Data,"),
            false => writeln!(out, "        {name}: Data | None = None,"),
        };
    }
    if !relations.is_empty() && !header.parameters.is_empty() {
        out.push_str("        *,\n");
    }
    for parameter in &header.parameters {
        let hint = hint(&parameter.kind);
        let _ = writeln!(out, "        {}: {hint} | None = None,", parameter.name);
    }
    out.push_str("    ) -> Result:\n");
    docstring(out, header, &relations);
    let columns = header
        .parameters
        .iter()
        .filter(|parameter| matches!(parameter.kind, Kind::Column | Kind::Columns))
        .map(|parameter| format!("\"{}\"", parameter.name));
    let columns = columns.collect::<Vec<_>>().join(", ");
    let _ = write!(
        out,
        "        return self._call(\n            \"{}\",\n            [{}],\n            [{columns}],\n",
        function.name,
        relations.join(", ")
    );
    for Parameter { name, .. } in &header.parameters {
        let _ = writeln!(out, "            {name}={name},");
    }
    out.push_str("        )\n");
}

/// Names of the relations in Python.
fn relations(function: &TableFunction, header: &Header) -> Vec<String> {
    let inside = header.call.split_once('(').map_or("", |(_, rest)| rest);
    let names = inside
        .split([',', '[', ']', ')'])
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .take(*function.relations.end())
        .map(|name| name.replace("input", "data"))
        .collect()
}

fn hint(kind: &Kind) -> String {
    match kind {
        Kind::Number(_) => "float".to_owned(),
        Kind::Integer(_) => "int".to_owned(),
        Kind::Text | Kind::Language | Kind::Column | Kind::Shingle => "str".to_owned(),
        Kind::Constant => "str | float".to_owned(),
        Kind::Boolean => "bool".to_owned(),
        Kind::Columns => "str | Sequence[str]".to_owned(),
        Kind::List(element) => format!("Sequence[{}]", hint(element)),
        Kind::OneOf(words) => format!("Literal[\"{}\"]", words.join("\", \"")),
    }
}

fn docstring(out: &mut String, header: &Header, relations: &[String]) {
    let text = |text: &str| text.replace('\\', "\\\\").replace("\"\"\"", "'''");
    // The first sentence ends at a full stop before white space.
    let description = header.description.as_str();
    let ends = |&(at, _): &(usize, &str)| description[at + 1..].starts_with([' ', '\n']);
    let end = description.match_indices('.').find(ends);
    let (first, rest) = description.split_at(end.map_or(description.len(), |(at, _)| at + 1));
    let first = first.trim_end_matches('.');
    let _ = writeln!(out, "        \"\"\"{}.", text(first));
    if !rest.is_empty() {
        out.push('\n');
        for line in rest.trim_start().split("\n\n") {
            wrap(out, &text(line), 8);
        }
    }
    if !relations.is_empty() || !header.parameters.is_empty() {
        out.push_str("\n        Args:\n");
    }
    for (index, name) in relations.iter().enumerate() {
        let columns = header
            .inputs
            .get(index.min(header.inputs.len().saturating_sub(1)));
        let columns = columns.map_or(String::new(), |(_, columns)| format!(": {columns}"));
        wrap(out, &text(&format!("{name}: A relation{columns}.")), 12);
    }
    for parameter in &header.parameters {
        let default = match &parameter.default {
            Some(default) => format!("; default {default}"),
            None => String::new(),
        };
        let line = format!(
            "{}: {}: {}{default}.",
            parameter.name,
            upper(&parameter.kind.to_string()),
            parameter.doc
        );
        wrap(out, &text(&line), 12);
    }
    out.push_str("\n        Returns:\n");
    for column in &header.columns {
        let line = format!("{} ({}): {}.", column.name, column.data_type, column.doc);
        wrap(out, &text(&line), 12);
    }
    if !header.guarantees.is_empty() {
        out.push_str("\n        Note:\n");
        for guarantee in &header.guarantees {
            wrap(out, &text(guarantee), 12);
        }
    }
    out.push_str("        \"\"\"\n");
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Wraps a paragraph to lines of at most 100 characters, with the lines after the first indented.
fn wrap(out: &mut String, text: &str, indent: usize) {
    let mut line = " ".repeat(indent);
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > 100 {
            let _ = writeln!(out, "{line}");
            line = " ".repeat(if indent > 8 { indent + 4 } else { indent });
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(out, "{line}");
}
