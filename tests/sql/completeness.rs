//! Every function has a file, tests and a reference page, and there are no others: sql ⇔ registry ⇔ slt ⇔ reference
//! pages. Failures name what is missing.

use super::{reference, slt};
use datafusion::prelude::SessionConfig;
use libtest_mimic::{Failed, Trial};
use neardup::functions::TABLE_FUNCTIONS;
use neardup::options::{NeardupOptions, READERS};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("completeness::sql_files", sql_files),
        Trial::test("completeness::sql_files_of_jobs", sql_files_of_jobs),
        Trial::test("completeness::headers", headers),
        Trial::test("completeness::parameters", parameters),
        Trial::test("completeness::slt_files", slt_files),
        Trial::test("completeness::reference_pages", reference_pages),
        Trial::test("completeness::options", options),
        Trial::test("completeness::examples", || super::run(examples())),
    ]
}

type Names = BTreeSet<String>;

/// Fails with the names that only one of the two sets has.
fn same(left: (&str, &Names), right: (&str, &Names)) -> Result<(), Failed> {
    let missing = |(name, names): (&str, &Names), (other, others): (&str, &Names)| -> Vec<String> {
        let only = names.difference(others);
        only.map(|item| format!("'{item}' is in {name} but not in {other}"))
            .collect()
    };
    let mut lines = missing(left, right);
    lines.extend(missing(right, left));
    match lines.is_empty() {
        true => Ok(()),
        false => Err(lines.join("\n").into()),
    }
}

fn root(path: &str) -> PathBuf {
    super::root().join(path)
}

/// Names of the `.sql` files of a directory.
fn sql_names(directory: &str) -> std::io::Result<Names> {
    let mut names = Names::new();
    for entry in std::fs::read_dir(root(directory))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            names.extend(path.file_stem().map(|stem| stem.display().to_string()));
        }
    }
    Ok(names)
}

fn table_functions(public: bool) -> Names {
    let functions = TABLE_FUNCTIONS
        .iter()
        .filter(|function| function.public == public);
    functions.map(|function| function.name.to_owned()).collect()
}

/// The scalar functions, aggregates and window functions.
fn functions_of_values() -> Names {
    let scalar = neardup_udfs::scalar_functions();
    let aggregate = neardup_udfs::aggregate_functions();
    let window = neardup_udfs::window_functions();
    let scalar = scalar.iter().map(|function| function.name().to_owned());
    let aggregate = aggregate.iter().map(|function| function.name().to_owned());
    let window = window.iter().map(|function| function.name().to_owned());
    scalar.chain(aggregate).chain(window).collect()
}

fn sql_files() -> Result<(), Failed> {
    let templates = TABLE_FUNCTIONS
        .iter()
        .flat_map(|function| std::iter::once(&function.template).chain(function.variants));
    let names: Vec<String> = templates.map(|template| template.name.to_owned()).collect();
    let distinct: Names = names.iter().cloned().collect();
    if distinct.len() != names.len() {
        return Err("a file of sql/ belongs to two functions of the registry".into());
    }
    let mut files = sql_names("sql")?;
    let standard = sql_names("sql/standard")?;
    files.extend(standard.iter().map(|name| format!("standard/{name}")));
    same(("sql/", &files), ("the registry", &distinct))
}

/// Every statement of a job is named in `src/jobs`.
fn sql_files_of_jobs() -> Result<(), Failed> {
    let mut sources = String::new();
    let mut directories = vec![root("src/jobs")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            match path.is_dir() {
                true => directories.push(path),
                false => sources.push_str(&std::fs::read_to_string(path)?),
            }
        }
    }
    for name in sql_names("sql/jobs")? {
        let quoted = [format!("\"{name}\""), format!("/{name}.sql\"")];
        if !quoted.iter().any(|quoted| sources.contains(quoted)) {
            return Err(format!("sql/jobs/{name}.sql is not named in src/jobs").into());
        }
    }
    Ok(())
}

/// Headers are complete, and bodies are a single query in which every placeholder is declared.
fn headers() -> Result<(), Failed> {
    // Placeholders whose literals are computed in Rust.
    let computed = [
        "bands",
        "rows",
        "num_hashes",
        "max_distance",
        "predecessors",
        "groups",
        "parts",
        "sides",
        "group_rule",
        "document_type",
        "held_type",
        "id_type",
        "held_rank_type",
        "hashed",
        "window",
        "measure",
        "weighted_fields",
        "jaccard_fields",
        "containment_fields",
        "edit_fields",
        "field_threshold",
    ];
    for function in TABLE_FUNCTIONS {
        let header = function.template.header()?;
        let fail = |what: &str| Err(format!("sql/{}.sql: {what}", function.template.name).into());
        if !header.call.starts_with(&format!("{}(", function.name)) {
            return fail("the first line is not a call of the function");
        }
        if header.description.is_empty()
            || header.columns.is_empty()
            || header.guarantees.is_empty()
        {
            return fail("description, columns and guarantees must not be empty");
        }
        if function.public == header.example.is_empty() {
            return fail("public functions, and no others, have an example");
        }
        if let Some(parameter) = header.parameters.iter().find(|p| p.doc.is_empty()) {
            return fail(&format!("the parameter {} says nothing", parameter.name));
        }
        if let Some(column) = header
            .columns
            .iter()
            .find(|c| c.doc.is_empty() || c.data_type.is_empty())
        {
            return fail(&format!(
                "the column {} has no type or says nothing",
                column.name
            ));
        }
        for template in std::iter::once(&function.template).chain(function.variants) {
            for placeholder in placeholders(template.text) {
                let declared = header
                    .parameters
                    .iter()
                    .any(|parameter| parameter.name == placeholder);
                // Placeholders for lists are the columns of the plan of lsh_plan, which is computed as a whole.
                let is_computed =
                    computed.contains(&placeholder.as_str()) || placeholder.ends_with("_list");
                if !declared && !is_computed {
                    return Err(format!(
                        "sql/{}.sql: ${placeholder} is not declared",
                        template.name
                    )
                    .into());
                }
            }
        }
    }
    Ok(())
}

/// The type and the meaning of a parameter are written once, and every entry of parameters.txt is used.
fn parameters() -> Result<(), Failed> {
    let text = std::fs::read_to_string(root("sql/parameters.txt"))?;
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut lines: Vec<(String, String)> = lines
        .map(|line| ("parameters.txt".to_owned(), line.to_owned()))
        .collect();
    let mut used = Names::new();
    for function in TABLE_FUNCTIONS {
        let header = function
            .template
            .text
            .lines()
            .take_while(|line| line.starts_with("--"));
        let declared = header
            .skip_while(|line| *line != "-- Parameters")
            .skip(1)
            .map_while(|line| line.strip_prefix("--   "));
        for line in declared {
            let entry = line.split([':', ' ']).next().unwrap_or(line);
            used.insert(entry.to_owned());
            lines.push((function.template.name.to_owned(), line.to_owned()));
        }
    }
    // What a line states of a parameter: its type, if that has a range or words, and its meaning.
    let mut stated: BTreeMap<(String, &str), &str> = BTreeMap::new();
    for (file, line) in &lines {
        let (declaration, meaning) = line.split_once(" | ").unwrap_or((line, ""));
        let (entry, kind) = declaration.split_once(": ").unwrap_or((declaration, ""));
        let kind = kind.split(" = ").next().unwrap_or_default();
        let kind = if kind.contains(' ') { kind } else { "" };
        let name = entry.split(['.', ' ']).next().unwrap_or(entry);
        for what in [kind, meaning] {
            if what.is_empty() {
                continue;
            }
            if let Some(other) = stated.insert((name.to_owned(), what), file) {
                return Err(format!(
                    "the parameter {name} is described in {other} and in {file} by: {what}"
                )
                .into());
            }
        }
    }
    let mut sources = String::new();
    for file in [
        "cli/src/dedup.rs",
        "cli/src/decontaminate.rs",
        "cli/src/plan.rs",
        "cli/src/tune.rs",
        "src/jobs/dedup/options.rs",
    ] {
        sources.push_str(&std::fs::read_to_string(root(file))?);
    }
    for (entry, _) in neardup::parameters::entries() {
        let of_readers = READERS.contains(&entry.as_str());
        if !used.contains(entry) && !of_readers && !sources.contains(&format!("(\"{entry}\")")) {
            return Err(format!("nothing uses the parameter {entry} of parameters.txt").into());
        }
    }
    Ok(())
}

/// The `$parameters` of a template.
fn placeholders(text: &str) -> Names {
    let body: String = text
        .lines()
        .filter(|line| !line.starts_with("--"))
        .collect();
    let names = body.split('$').skip(1).map(|rest| {
        let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric());
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    names.collect()
}

/// Each function has an `.slt` file that calls it.
fn slt_files() -> Result<(), Failed> {
    let kinds = [
        ("table_functions", table_functions(true)),
        ("blocks", table_functions(false)),
        ("functions", functions_of_values()),
    ];
    for (kind, functions) in kinds {
        let mut names = Names::new();
        for (file, path) in slt::files() {
            let Some(name) = file
                .strip_prefix(kind)
                .and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            if !std::fs::read_to_string(&path)?.contains(&format!("{name}(")) {
                return Err(format!("{} does not call {name}", path.display()).into());
            }
            names.insert(name.to_owned());
        }
        same(
            (&format!("tests/slt/{kind}/"), &names),
            ("the registry", &functions),
        )?;
    }
    Ok(())
}

/// Each function and option has a heading in a reference page.
fn reference_pages() -> Result<(), Failed> {
    let options = NeardupOptions::default().options();
    let options: Names = options.into_iter().map(|entry| entry.key).collect();
    let pages = [
        ("functions.md", functions_of_values()),
        ("table_functions.md", table_functions(true)),
        ("options.md", options),
    ];
    for (page, expected) in pages {
        let path = reference::directory().join(page);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}; {}", path.display(), reference::HOW))?;
        let headings = text.lines().filter_map(|line| line.strip_prefix("### "));
        let found: Names = headings
            .map(|name| name.trim_matches('`').to_owned())
            .collect();
        same((page, &found), ("the registry", &expected))?;
    }
    Ok(())
}

/// Each option is the default of a parameter, has a description, and can be read back.
fn options() -> Result<(), Failed> {
    let mut parameters = Names::new();
    for function in TABLE_FUNCTIONS.iter().filter(|function| function.public) {
        let header = function.template.header()?;
        parameters.extend(
            header
                .parameters
                .into_iter()
                .map(|parameter| parameter.name),
        );
    }
    let session = neardup::session(SessionConfig::new(), Default::default())?;
    let entries = session.state().config_options().entries();
    for option in NeardupOptions::default().options() {
        if option.description.is_empty() {
            return Err(format!("the option {} says nothing", option.key).into());
        }
        let name = option.key.strip_prefix("neardup.").unwrap_or_default();
        if !parameters.contains(name) && !READERS.contains(&name) {
            return Err(format!("the option {} is no parameter of a function", option.key).into());
        }
        if !entries.iter().any(|entry| entry.key == option.key) {
            return Err(format!("a session does not have the option {}", option.key).into());
        }
    }
    Ok(())
}

/// The examples in the documentation of functions give the results that they show.
async fn examples() -> Result<(), Failed> {
    use datafusion::arrow::util::pretty::pretty_format_batches;
    let session = neardup::session(
        SessionConfig::new().with_target_partitions(2),
        Default::default(),
    )?;
    for (name, documentation) in reference::documentation() {
        let example = documentation
            .sql_example
            .as_deref()
            .ok_or(format!("{name} has no example"))?;
        let inside = example
            .trim()
            .trim_start_matches("```sql")
            .trim_end_matches("```")
            .trim();
        let (query, shown) = inside
            .split_once(";")
            .ok_or(format!("{name}: no statement"))?;
        let query = query.trim_start_matches('>');
        let batches = session.sql(query).await?.collect().await?;
        let result = pretty_format_batches(&batches)?.to_string();
        if shown.trim() != result {
            return Err(format!(
                "{name}: the example gives\n{result}\nbut shows\n{}",
                shown.trim()
            )
            .into());
        }
    }
    Ok(())
}
