//! Programs made by hand, each about one rule.

mod build;
mod host;
mod kernels;
mod races;
mod speed;
