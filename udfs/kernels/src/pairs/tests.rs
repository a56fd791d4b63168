//! The join against brute force over all pairs.

mod bits;
mod blocks;
mod limits;
mod oracle;
mod oversized;
mod pivots;
mod properties;
mod rows;
