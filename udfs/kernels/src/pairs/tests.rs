//! The join against brute force over all pairs.

mod bits;
mod giants;
mod limits;
mod oracle;
mod properties;
mod rows;
