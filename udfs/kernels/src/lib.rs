//! kernels
pub mod bounds;
pub mod forest;
pub mod frequency;
pub mod pairs;
pub mod representatives;

#[cfg(test)]
mod test_random;
