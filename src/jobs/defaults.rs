//! The defaults of the options of jobs.

use crate::parameters::parameter;
use std::str::FromStr;

/// The default of a parameter.
#[expect(
    clippy::expect_used,
    reason = "the defaults are constants, and a test reads them"
)]
pub(super) fn default<T: FromStr>(entry: &str) -> T {
    let text = parameter(entry).default_text();
    text.parse()
        .ok()
        .expect("a default is a value of its parameter")
}
