//! Rows of any number from a seed.
