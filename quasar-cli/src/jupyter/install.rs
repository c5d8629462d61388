//! `quasar jupyter install`: puts the kernel where Jupyter looks for kernels.

use crate::output;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The name of the kernel, and of its folder.
const NAME: &str = "quasar";
const KERNEL: &str = include_str!("kernel.py");

/// Installs the kernel for this user, or below a prefix, such as that of a virtual environment.
pub(super) fn install(prefix: Option<&Path>) -> Result<(), String> {
    let data = match prefix {
        Some(prefix) => prefix.join("share").join("jupyter"),
        None => {
            let variable =
                |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
            let none = "Error: this user has no folder for Jupyter: neither JUPYTER_DATA_DIR nor HOME is set; use --prefix";
            user_data(&variable).ok_or(none)?
        }
    };
    let command = std::env::current_exe()
        .map_err(|error| format!("Error: the path of this command is not known: {error}"))?;
    let folder = data.join("kernels").join(NAME);
    let failed = |error| format!("Error: the kernel cannot be written into {}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let kernel = KERNEL.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    quasar_files::replace::replace(&folder.join("kernel.py"), kernel.as_bytes()).map_err(failed)?;
    let specification = format!("{:#}\n", specification(&command)?);
    quasar_files::replace::replace(&folder.join("kernel.json"), specification.as_bytes()).map_err(failed)?;
    output::line(&format!("installed the kernel '{NAME}' in {}", folder.display()))
}

/// Where Jupyter has the data of a user.
fn user_data(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(folder) = variable("JUPYTER_DATA_DIR") {
        return Some(folder);
    }
    if cfg!(windows) {
        return variable("APPDATA").map(|folder| folder.join("jupyter"));
    }
    let home = variable("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library").join("Jupyter"));
    }
    let shared = variable("XDG_DATA_HOME").or_else(|| Some(home?.join(".local").join("share")));
    shared.map(|folder| folder.join("jupyter"))
}

/// The contents of `kernel.json`. Jupyter takes its own Python for `python3`: that one has `ipykernel`.
fn specification(command: &Path) -> Result<serde_json::Value, String> {
    let command = command.to_str().ok_or("Error: the path of this command is no Unicode text")?;
    Ok(json!({
        "argv": ["python3", "{resource_dir}/kernel.py", "-f", "{connection_file}"],
        "display_name": "Quasar",
        "language": "quasar",
        "interrupt_mode": "signal",
        "env": {"QUASAR_COMMAND": command},
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn the_folder_of_a_user_is_that_of_jupyter() {
        let with = |set: &'static [(&str, &str)]| {
            user_data(&|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert_eq!(with(&[("HOME", "/h")]), Some("/h/.local/share/jupyter".into()));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_DATA_HOME", "/d")]), Some("/d/jupyter".into()));
        assert_eq!(with(&[("HOME", "/h"), ("JUPYTER_DATA_DIR", "/j")]), Some("/j".into()));
        assert_eq!(with(&[]), None);
    }
}
