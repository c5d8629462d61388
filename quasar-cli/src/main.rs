//! The `quasar` command.
fn main() {}
