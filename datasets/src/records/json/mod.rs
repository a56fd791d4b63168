//! JSON objects, one after the other or in arrays, as rows.
//!
//! There is a column for each key of any object, in the order of first appearance. If a key occurs twice in an object,
//! its last value is used.

mod pairs;
mod rows;
mod scan;
mod shape;
mod split;

pub(super) use rows::Rows;
pub(super) use scan::shape;
pub(super) use shape::Shape;
