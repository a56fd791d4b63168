//! JSON objects, one after the other or in arrays, as rows.
//!
//! A column is what any object has under a key, in the order of first appearance. Of a key that stands twice in
//! an object the last value counts.

mod rows;
mod scan;
mod shape;
mod split;

pub(super) use rows::Rows;
pub(super) use scan::shape;
pub(super) use shape::Shape;
