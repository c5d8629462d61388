//! Sources that were changed after a report was made: its lines are no longer theirs.

use quasar_runtime::profile::Report;
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// The files with kernels that were written after the report began.
pub(super) fn files(report: &Report) -> BTreeSet<&str> {
    let named = report.rows.iter().filter(|row| row.line > 0).map(|row| &row.file[..]);
    named.filter(|file| written(file).is_some_and(|seconds| seconds > report.date)).collect()
}

/// When a file was written, in seconds since 1970.
fn written(file: &str) -> Option<u64> {
    let time: SystemTime = std::fs::metadata(file).ok()?.modified().ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// What is said of such a file.
pub(super) fn message(file: &str) -> String {
    format!(
        "{file} was changed after this was measured: times may stand at other lines than those that took them"
    )
}
