//! A file that does not exist.

quasar::quasar_file!("no/such/file.q");

fn main() {}
