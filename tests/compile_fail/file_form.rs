//! The message shows the line of the file.

quasar::quasar_file!("wrong.q");

fn main() {}
