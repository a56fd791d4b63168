//! The table through SQL.

mod forms;
mod support;
