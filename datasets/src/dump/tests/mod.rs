//! The table through SQL.

mod early;
mod faults;
mod forms;
mod remote;
mod statement;
mod support;
