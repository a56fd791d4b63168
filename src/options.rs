//! Session options: `SET neardup.<name> = <value>`.
//!
//! An option has the name of the parameter whose default it replaces, and that parameter's type, range and meaning
//! (`parameters`) apply to it. Precedence: argument, then `SET`, then the default in the function's header.
//! Options are read while a query is planned and enter the plan as literals. The value `default` resets an
//! option, and so does `RESET neardup.<name>`.

use crate::near_names;
use crate::parameters::{Parameter, Value, parameter};
use datafusion::common::config::{
    ConfigEntry, ConfigExtension, ConfigField, ConfigOptions, ExtensionOptions, Visit,
};
use datafusion::common::{
    DataFusionError, Result, config_err, config_namespace, plan_datafusion_err,
};
use datafusion::logical_expr::{LogicalPlan, ResetVariable, SetVariable, Statement};
use std::any::Any;
use std::fmt::Display;

/// Former names of parameters, which calls and `SET` still accept, and their names.
pub const ALIASES: &[(&str, &str)] = &[("bucket_pairs", "max_bucket_pairwise")];

/// The options of readers: the format of files of separated values, JSON and plain text. They are not defaults of
/// parameters of functions.
pub const READERS: [&str; 7] = [
    "delimiter",
    "quote",
    "skip_lines",
    "header",
    "column_names",
    "encoding",
    "all_text",
];

config_namespace! {
    /// Defaults of table function parameters for a session, and how files are read.
    pub struct NeardupOptions {
        /// Default of the parameter `threshold`.
        pub threshold: Option<f64>, default = None
        /// Default of the parameter `shingle`.
        pub shingle: Option<String>, default = None
        /// Default of the parameter `normalize`.
        pub normalize: Option<bool>, default = None
        /// Default of the parameter `seed`.
        pub seed: Option<u64>, default = None
        /// Default of the parameter `num_hashes`.
        pub num_hashes: Option<u64>, default = None
        /// Default of the parameter `target_recall`.
        pub target_recall: Option<f64>, default = None
        /// Default of the parameter `max_bucket_pairwise`.
        pub max_bucket_pairwise: Option<u64>, default = None
        /// Default of the parameter `parts`.
        pub parts: Option<u64>, default = None
        /// Default of the parameter `filter_bytes`.
        pub filter_bytes: Option<u64>, default = None
        /// The ASCII character between two values of a file.
        pub delimiter: Option<String>, default = None
        /// The ASCII character around values of a file.
        pub quote: Option<String>, default = None
        /// The number of lines at the beginning of a file that are left out.
        pub skip_lines: Option<u64>, default = None
        /// Whether the first line of a file names the columns.
        pub header: Option<bool>, default = None
        /// The names of the columns of a file.
        pub column_names: Option<String>, default = None
        /// The encoding of a file.
        pub encoding: Option<String>, default = None
        /// Whether all columns of a file are text.
        pub all_text: Option<bool>, default = None
    }
}

impl ConfigExtension for NeardupOptions {
    const PREFIX: &'static str = "neardup";
}

impl NeardupOptions {
    /// The options under their names, which have a prefix, as in `SET`, each with the meaning of its parameter.
    pub fn options(&self) -> Vec<ConfigEntry> {
        let mut entries = Entries(vec![]);
        self.visit(&mut entries, Self::PREFIX, "");
        for entry in &mut entries.0 {
            let name = entry.key.split('.').next_back().unwrap_or_default();
            entry.description = &parameter(name).doc;
        }
        entries.0
    }
}

impl ExtensionOptions for NeardupOptions {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
        let key = alias.map_or(key, |(_, name)| name);
        let entries = self.options();
        let known = entries
            .iter()
            .filter_map(|entry| entry.key.strip_prefix("neardup."));
        let known: Vec<&str> = known.collect();
        if !known.contains(&key) {
            return config_err!(
                "there is no option neardup.{key}{}; the options are: {}",
                near_names::hint(key, known.iter().copied()),
                known.join(", ")
            );
        }
        match value.eq_ignore_ascii_case("default") {
            true => ConfigField::reset(self, key),
            false => ConfigField::set(self, key, value).map_err(|error| {
                match parameter(key).read(value) {
                    Err(error) => {
                        DataFusionError::Configuration(format!("option neardup.{key}: {error}"))
                    }
                    Ok(_) => error,
                }
            }),
        }
    }

    /// The options as `SHOW` and the settings of a session name them: also under their former names.
    fn entries(&self) -> Vec<ConfigEntry> {
        let mut entries = self.options();
        for (alias, name) in ALIASES {
            let named = |name| format!("{}.{name}", Self::PREFIX);
            let option = entries.iter().find(|entry| entry.key == named(name));
            let former = option.map(|option| ConfigEntry {
                key: named(alias),
                value: option.value.clone(),
                description: option.description,
            });
            entries.extend(former);
        }
        entries
    }
}

struct Entries(Vec<ConfigEntry>);

impl Visit for Entries {
    fn some<V: Display>(&mut self, key: &str, value: V, description: &'static str) {
        self.0.push(ConfigEntry {
            key: key.to_owned(),
            value: Some(value.to_string()),
            description,
        });
    }

    fn none(&mut self, key: &str, description: &'static str) {
        self.0.push(ConfigEntry {
            key: key.to_owned(),
            value: None,
            description,
        });
    }
}

/// The plan of a statement, in which `RESET` of an option of ours takes its value back: the engine resets only options
/// of its own.
pub fn with_resets(plan: LogicalPlan) -> LogicalPlan {
    match plan {
        LogicalPlan::Statement(Statement::ResetVariable(ResetVariable { variable }))
            if variable.split('.').next() == Some(NeardupOptions::PREFIX) =>
        {
            LogicalPlan::Statement(Statement::SetVariable(SetVariable {
                variable,
                value: "default".to_owned(),
            }))
        }
        other => other,
    }
}

/// The value of option `name`; `None` if it is not set.
pub(crate) fn lookup(config: &ConfigOptions, name: &str) -> Option<String> {
    config
        .extensions
        .get::<NeardupOptions>()?
        .options()
        .into_iter()
        .find(|entry| entry.key.strip_prefix("neardup.") == Some(name))
        .and_then(|entry| entry.value)
}

/// The value of the option of a parameter; `None` if there is none, or it is not set.
///
/// # Errors
/// If the value is out of range.
pub(crate) fn value(config: &ConfigOptions, parameter: &Parameter) -> Result<Option<Value>> {
    let name = &parameter.name;
    let value = lookup(config, name).map(|text| parameter.read(&text));
    value
        .transpose()
        .map_err(|error| plan_datafusion_err!("option neardup.{name}: {error}"))
}
