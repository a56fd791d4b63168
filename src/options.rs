//! Session options: `SET neardup.<name> = <value>`.
//!
//! An option has the name of the parameter whose default it replaces, and obeys that parameter's
//! type and range. Precedence: argument, then `SET`, then the default in the function's header.
//! Options are read while a query is planned and enter the plan as literals.

use datafusion::common::config::ConfigExtension;
use datafusion::common::extensions_options;
use datafusion::config::ConfigOptions;
use datafusion::config::ExtensionOptions as _;

extensions_options! {
    /// Defaults of table function parameters for a session.
    pub struct NeardupOptions {
        /// Least similarity of a reported pair, in (0, 1].
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
        /// Linked mode: a bucket of more distinct texts than this is verified against leaders only.
        pub bucket_pairs: Option<u64>, default = None
        /// Parts that a join is cut into; each part is held in memory by one task. Default: one a target partition.
        pub parts: Option<u64>, default = None
    }
}

impl ConfigExtension for NeardupOptions {
    const PREFIX: &'static str = "neardup";
}

/// The value of option `name` as it was set, or `None` where it was not.
pub(crate) fn lookup(config: &ConfigOptions, name: &str) -> Option<String> {
    config
        .extensions
        .get::<NeardupOptions>()?
        .entries()
        .into_iter()
        .find(|entry| entry.key == name)
        .and_then(|entry| entry.value)
}
