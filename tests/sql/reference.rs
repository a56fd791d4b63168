//! Reference pages, generated from the registry and compared with it.

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::logical_expr::Documentation;
use datafusion::prelude::SessionConfig;
use libtest_mimic::{Failed, Trial};
use neardup::functions::{Header, TABLE_FUNCTIONS, TableFunction};
use neardup::options::{NeardupOptions, READERS};
use std::fmt::Write;
use std::path::PathBuf;

/// How to regenerate the pages.
pub const HOW: &str =
    "regenerate it with: NEARDUP_COMPLETE=1 cargo test --workspace --test sql reference";

/// Where the pages are.
pub fn directory() -> PathBuf {
    super::root().join("docs/reference")
}

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("reference::functions", || page("functions.md", functions())),
        Trial::test("reference::table_functions", || {
            page("table_functions.md", table_functions()?)
        }),
        Trial::test("reference::options", || page("options.md", options()?)),
        Trial::test("reference::python", || {
            file(
                "python/package/neardup/_table_functions.py",
                super::python_methods::module()?,
            )
        }),
    ]
}

fn page(name: &str, text: String) -> Result<(), Failed> {
    file(&format!("docs/reference/{name}"), text)
}

/// Compares a file with its expected text, or writes it.
fn file(name: &str, text: String) -> Result<(), Failed> {
    let path = super::root().join(name);
    if super::completes() {
        std::fs::write(&path, text)?;
        return Ok(());
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found == text {
        return Ok(());
    }
    let lines = found
        .lines()
        .zip(text.lines())
        .take_while(|(a, b)| a == b)
        .count();
    Err(format!(
        "{name} differs from the registry from line {} on:\n  page:     {}\n  registry: {}\n{HOW}",
        lines + 1,
        found.lines().nth(lines).unwrap_or("(end)"),
        text.lines().nth(lines).unwrap_or("(end)"),
    )
    .into())
}

/// Names and documentation of the scalar functions, then of the aggregates and of the window functions.
pub fn documentation() -> Vec<(String, Documentation)> {
    let scalar = neardup_udfs::scalar_functions()
        .into_iter()
        .map(|function| {
            (
                function.name().to_owned(),
                function.documentation().cloned(),
            )
        });
    let aggregate = neardup_udfs::aggregate_functions()
        .into_iter()
        .map(|function| {
            (
                function.name().to_owned(),
                function.documentation().cloned(),
            )
        });
    let window = neardup_udfs::window_functions()
        .into_iter()
        .map(|function| {
            (
                function.name().to_owned(),
                function.documentation().cloned(),
            )
        });
    let all = scalar.chain(aggregate).chain(window);
    all.filter_map(|(name, documentation)| Some((name, documentation?)))
        .collect()
}

const GENERATED: &str = "<!-- Written from the registry by `NEARDUP_COMPLETE=1 cargo test --workspace --test sql reference`. -->\n\n";

fn functions() -> String {
    let mut out = format!(
        "{GENERATED}# Functions\n\n\
         NULL in, NULL out. Arguments go by position or by name (`name => value`); names may not leave a gap.\n"
    );
    let aggregates = neardup_udfs::aggregate_functions();
    let section = |name: &str, documentation: &Documentation| {
        let is_aggregate = aggregates.iter().any(|function| function.name() == name);
        match (documentation.doc_section.label, is_aggregate) {
            ("Building Blocks", _) => "Building blocks",
            (_, true) => "Aggregate functions",
            (_, false) => "Scalar functions",
        }
    };
    for title in ["Scalar functions", "Aggregate functions", "Building blocks"] {
        let _ = write!(out, "\n## {title}\n");
        if title == "Building blocks" {
            out.push_str(
                "\nThe SQL of table functions and of jobs calls these. Their arguments may change between versions.\n",
            );
        }
        for (name, documentation) in documentation() {
            if section(&name, &documentation) == title {
                function(&mut out, &name, &documentation);
            }
        }
    }
    out
}

fn function(out: &mut String, name: &str, documentation: &Documentation) {
    let Documentation {
        description,
        syntax_example,
        sql_example,
        arguments,
        related_udfs,
        ..
    } = documentation;
    let _ = write!(
        out,
        "\n### `{name}`\n\n{description}\n\n```sql\n{syntax_example}\n```\n\n"
    );
    for (argument, meaning) in arguments.iter().flatten() {
        let _ = writeln!(out, "- `{argument}`: {meaning}");
    }
    if let Some(example) = sql_example {
        let _ = write!(out, "\n{}\n", example.trim());
    }
    let related: Vec<String> = related_udfs
        .iter()
        .flatten()
        .map(|name| format!("[`{name}`](#{name})"))
        .collect();
    if !related.is_empty() {
        let _ = write!(out, "\nSee also {}.\n", related.join(", "));
    }
}

fn table_functions() -> Result<String, Failed> {
    let mut out = format!(
        "{GENERATED}# Table functions\n\n\
         They are called in `FROM`. A relation is the name of a table, view or CTE, a path of files in quotes, or a\n\
         query in two pairs of parentheses: `jaccard_join((SELECT …))`. Arguments after the relations are\n\
         named: `threshold => 0.8`. A column is named as it is: `id => page_id`.\n\n\
         Where a parameter has the name of an [option](options.md), `SET neardup.<name>` replaces its default\n\
         for a session. Each function is a file of SQL, and its tests show calls with their answers.\n\n"
    );
    let public = || TABLE_FUNCTIONS.iter().filter(|function| function.public);
    out.push_str("| function | does |\n| --- | --- |\n");
    for function in public() {
        let description = function.template.header()?.description;
        let paragraph = description.split("\n\n").next().unwrap_or_default();
        let sentence = paragraph.split_inclusive(". ").next().unwrap_or_default();
        let _ = writeln!(
            out,
            "| [`{0}`](#{0}) | {1} |",
            function.name,
            sentence.trim()
        );
    }
    for function in public() {
        let header = function.template.header()?;
        let answer = super::run(answer(header.example.clone()))?;
        table_function(&mut out, function, &header, &answer);
    }
    Ok(out)
}

/// The answer to an example.
async fn answer(example: String) -> Result<String, Failed> {
    let session = neardup::session(
        SessionConfig::new().with_target_partitions(2),
        Default::default(),
    )?;
    let batches = session.sql(&example).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

fn table_function(out: &mut String, function: &TableFunction, header: &Header, answer: &str) {
    let name = function.name;
    let _ = write!(
        out,
        "\n### `{name}`\n\n{}\n\n```sql\n{}\n```\n",
        header.description, header.call
    );
    if !header.parameters.is_empty() {
        out.push_str("\n| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n");
        for parameter in &header.parameters {
            let default = parameter
                .default
                .as_ref()
                .map_or(String::new(), |text| format!("`{text}`"));
            let kind = parameter.kind.to_string().replace('|', "\\|");
            let _ = writeln!(
                out,
                "| `{}` | {kind} | {default} | {} |",
                parameter.name, parameter.doc
            );
        }
    }
    out.push_str("\n| column | type | holds |\n| --- | --- | --- |\n");
    for column in &header.columns {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} |",
            column.name, column.data_type, column.doc
        );
    }
    out.push('\n');
    for guarantee in &header.guarantees {
        let _ = writeln!(out, "- {guarantee}");
    }
    let _ = write!(
        out,
        "\n```sql\n{}```\n\n```text\n{answer}\n```\n",
        header.example
    );
    let files = std::iter::once(&function.template).chain(function.variants);
    let files: Vec<String> = files
        .map(|t| format!("[`sql/{0}.sql`](../../sql/{0}.sql)", t.name))
        .collect();
    let _ = write!(
        out,
        "\nSQL: {}. Calls with their answers: [`{name}.slt`](../../tests/slt/table_functions/{name}.slt).\n",
        files.join(", ")
    );
}

fn options() -> Result<String, Failed> {
    let mut out = format!(
        "{GENERATED}# Options\n\n\
         `SET neardup.<name> = <value>` replaces the default of the parameter of that name for a session;\n\
         the value `default` takes it back, and so does `RESET neardup.<name>` on the command line and in\n\
         Python. An argument of a call comes first, then the option, then the default. Options are read while\n\
         a query is planned; a value out of range is an error of the call.\n"
    );
    for option in NeardupOptions::default().options() {
        let mut letters = option.description.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        let meaning: String = first.into_iter().chain(letters).collect();
        let _ = write!(out, "\n### `{}`\n\n{meaning}.\n\n", option.key);
        let name = option.key.strip_prefix("neardup.").unwrap_or_default();
        if READERS.contains(&name) {
            out.push_str("It applies to `FROM 'path'`, to quoted paths in calls, and to jobs.\n");
            continue;
        }
        out.push_str("| function | type | default |\n| --- | --- | --- |\n");
        for function in TABLE_FUNCTIONS.iter().filter(|function| function.public) {
            let parameters = function.template.header()?.parameters;
            for parameter in parameters.iter().filter(|parameter| parameter.name == name) {
                let default = parameter
                    .default
                    .as_ref()
                    .map_or(String::new(), |text| format!("`{text}`"));
                let _ = writeln!(
                    out,
                    "| [`{0}`](table_functions.md#{0}) | {1} | {default} |",
                    function.name, parameter.kind
                );
            }
        }
    }
    Ok(out)
}
