//! Tables of tests in `docs`: one row a line, comments begin with `#`, and tests have short names.

use std::fs;
use std::path::Path;

/// The rows of a table that is a text file at this place below the root of the repository.
pub(crate) fn rows(root: &Path, file: &str) -> Vec<String> {
    let text = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(str::to_string).collect()
}

/// `p:NAME`, `m:NAME` and `s:NAME` are short for tests in the folders of programs, messages and syntax tests.
pub(crate) fn path(short: &str) -> String {
    match short.split_once(':') {
        Some(("p", name)) => format!("tests/programs/{name}.q"),
        Some(("m", name)) => format!("quasar-core/tests/messages/{name}.q"),
        Some(("s", name)) => format!("quasar-core/tests/syntax/{name}.test"),
        _ => short.to_string(),
    }
}
