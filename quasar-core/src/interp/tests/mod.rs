//! Hand-built programs, each testing one rule.

mod build;
mod host;
mod kernels;
mod races;
mod speed;
mod watch;
