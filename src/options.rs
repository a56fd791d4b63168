//! Session options: `SET neardup.<name> = <value>`.
//!
//! An option has the name of the parameter whose default it replaces, and that parameter's type and range apply
//! to it. Precedence: argument, then `SET`, then the default in the function's header.
//! Options are read while a query is planned and enter the plan as literals. The value `default` resets an
//! option.

use crate::near_names;
use datafusion::common::config::{
    ConfigEntry, ConfigExtension, ConfigField, ConfigOptions, ExtensionOptions, Visit,
};
use datafusion::common::{Result, config_err, config_namespace};
use std::any::Any;
use std::fmt::Display;

/// Former names of parameters, which calls and `SET` still accept, and their names.
pub(crate) const ALIASES: &[(&str, &str)] = &[("bucket_pairs", "max_bucket_pairwise")];

config_namespace! {
    /// Defaults of table function parameters for a session.
    pub struct NeardupOptions {
        /// Minimum similarity of a reported pair, in (0, 1].
        pub threshold: Option<f64>, default = None
        /// What a text is cut into: 'char:n', 'word:n' or 'space:n'.
        pub shingle: Option<String>, default = None
        /// Whether texts are normalised (NFKC, lower case, white space) before they are cut.
        pub normalize: Option<bool>, default = None
        /// Seed of the MinHash functions.
        pub seed: Option<u64>, default = None
        /// Hash functions that a signature may use, 1 to 4096.
        pub num_hashes: Option<u64>, default = None
        /// Share of the pairs at the threshold that banding must find, in (0, 1).
        pub target_recall: Option<f64>, default = None
        /// Linked mode: a bucket of more distinct texts than this is verified against its pivots only.
        pub max_bucket_pairwise: Option<u64>, default = None
        /// Parts that a join is cut into; each part is held in memory by one task.
        pub parts: Option<u64>, default = None
    }
}

impl ConfigExtension for NeardupOptions {
    const PREFIX: &'static str = "neardup";
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
        let entries = self.entries();
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
            false => ConfigField::set(self, key, value),
        }
    }

    /// Keys with their prefix, as `SHOW` and the settings of a session name them.
    fn entries(&self) -> Vec<ConfigEntry> {
        let mut entries = Entries(vec![]);
        self.visit(&mut entries, Self::PREFIX, "");
        entries.0
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

/// The value of option `name`; `None` if it is not set.
pub(crate) fn lookup(config: &ConfigOptions, name: &str) -> Option<String> {
    config
        .extensions
        .get::<NeardupOptions>()?
        .entries()
        .into_iter()
        .find(|entry| entry.key.strip_prefix("neardup.") == Some(name))
        .and_then(|entry| entry.value)
}
