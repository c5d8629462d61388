//! Finds compute-sanitizer and runs a program below it.

use super::report::{self, Report};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

const NAME: &str = "compute-sanitizer";

/// Where it is, if this machine has one: in the folders of `PATH`, of `CUDA_HOME` or `CUDA_PATH`, and where CUDA is installed.
pub(super) fn find() -> Option<PathBuf> {
    let installed = std::fs::read_dir("/usr/local").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut installed: Vec<PathBuf> = installed
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cuda")))
        .collect();
    // Newer versions first; `cuda` alone is a link to what the owner of the machine chose.
    installed.sort_by_key(|path| (path.ends_with("cuda"), path.clone()));
    installed.reverse();
    let folders = folders(|name| std::env::var_os(name), installed);
    folders.into_iter().map(|folder| folder.join(NAME)).find(|file| is_program(file))
}

/// The folders that are searched, in this order.
fn folders(variable: impl Fn(&str) -> Option<OsString>, installed: Vec<PathBuf>) -> Vec<PathBuf> {
    let paths = variable("PATH").map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>());
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).map(PathBuf::from);
    let homes = homes.chain(installed).chain(["/opt/cuda".into()]);
    let inside = homes.flat_map(|home| [home.join("bin"), home.join(NAME)]);
    paths.into_iter().flatten().chain(inside).filter(|folder| folder.is_absolute()).collect()
}

fn is_program(file: &Path) -> bool {
    let Ok(about) = std::fs::metadata(file) else { return false };
    #[cfg(unix)]
    return about.is_file() && std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    about.is_file()
}

/// Runs a program, whose own output goes where that of this process goes. Says what the sanitizer reported and how both ended.
pub(super) fn run(
    sanitizer: &Path,
    tool: &str,
    program: &Command,
    log: &Path,
) -> Result<(Report, ExitStatus), String> {
    let mut process = Command::new(sanitizer);
    process.args(["--tool", tool, "--log-file"]).arg(log);
    if tool == "memcheck" {
        // The run-time system tries calls of drivers that may fail.
        process.args(["--report-api-errors", "no"]);
    }
    process.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => process.env(name, value),
            None => process.env_remove(name),
        };
    }
    let _ = std::fs::remove_file(log);
    let status = process.status();
    let status = status.map_err(|error| format!("{} could not be started: {error}", sanitizer.display()))?;
    let text = std::fs::read(log).unwrap_or_default();
    let _ = std::fs::remove_file(log);
    Ok((report::read(&String::from_utf8_lossy(&text)), status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_looked_for_where_cuda_is() {
        let variable = |name: &str| match name {
            "PATH" => Some(OsString::from("/usr/bin:relative:/bin")),
            "CUDA_HOME" => Some(OsString::from("/sw/cuda")),
            _ => None,
        };
        let found = folders(variable, vec!["/usr/local/cuda-13".into()]);
        let expected = [
            "/usr/bin",
            "/bin",
            "/sw/cuda/bin",
            "/sw/cuda/compute-sanitizer",
            "/usr/local/cuda-13/bin",
            "/usr/local/cuda-13/compute-sanitizer",
            "/opt/cuda/bin",
            "/opt/cuda/compute-sanitizer",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn what_cannot_be_started_is_an_error() {
        let error = run(Path::new("/no/sanitizer"), "memcheck", &Command::new("true"), Path::new("/no/log"));
        assert!(error.unwrap_err().starts_with("/no/sanitizer could not be started: "));
    }
}
