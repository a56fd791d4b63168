//! The table through SQL.

pub(super) mod support;

mod table;
