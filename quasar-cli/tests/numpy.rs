//! Random array programs compared with NumPy by `tests/numpy/differential.py`; ignored if Python or NumPy is missing.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::Command;

/// The number of programs in an ordinary run, which are the same each time.
const PROGRAMS: &str = "300";

fn main() {
    let args = Arguments::from_args();
    let found = Command::new("python3").args(["-c", "import numpy"]).output();
    let missing = !found.is_ok_and(|output| output.status.success());
    let kind = if missing { "NumPy is not installed" } else { "" };
    let trial =
        Trial::test("programs_compute_what_numpy_does", compare).with_kind(kind).with_ignored_flag(missing);
    libtest_mimic::run(&args, vec![trial]).exit();
}

fn compare() -> Result<(), Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/numpy/differential.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_quasar"))
        .args(["0", PROGRAMS])
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        .into())
}
