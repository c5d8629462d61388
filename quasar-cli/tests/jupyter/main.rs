//! `quasar jupyter`: the lines of a session that is served, and the kernel in Jupyter; the latter is ignored where `python3` has none of
//! the packages nbconvert, ipykernel and jupyter_client.

mod served;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn main() {
    let args = Arguments::from_args();
    let found = Command::new("python3").args(["-c", "import nbconvert, ipykernel, jupyter_client"]).output();
    let missing = !found.is_ok_and(|output| output.status.success());
    let kind = if missing { "Jupyter is not installed" } else { "" };
    let in_jupyter = |name: &str, test: fn() -> Result<(), Failed>| {
        Trial::test(name, test).with_kind(kind).with_ignored_flag(missing)
    };
    let mut trials = served::trials();
    trials.push(Trial::test("the_kernel_is_installed_below_a_prefix", installed));
    trials.push(in_jupyter("front_ends_drive_the_kernel", driven));
    trials.push(in_jupyter("notebooks_are_executed", executed));
    libtest_mimic::run(&args, trials).exit();
}

/// A folder for a test, with the kernel installed below it.
fn prefix(name: &str) -> Result<PathBuf, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jupyter").join(name);
    let command = Command::new(env!("CARGO_BIN_EXE_quasar"))
        .args(["jupyter", "install", "--prefix"])
        .arg(&folder)
        .output()?;
    good(&command)?;
    Ok(folder)
}

fn good(output: &Output) -> Result<(), Failed> {
    if output.status.success() {
        return Ok(());
    }
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Err(texts.concat().into())
}

fn installed() -> Result<(), Failed> {
    let folder = prefix("installed")?.join("share/jupyter/kernels/quasar");
    let specification: Value = serde_json::from_slice(&std::fs::read(folder.join("kernel.json"))?)?;
    assert_eq!(specification["language"], "quasar");
    assert_eq!(specification["env"]["QUASAR_COMMAND"], env!("CARGO_BIN_EXE_quasar"));
    let kernel = std::fs::read_to_string(folder.join("kernel.py"))?;
    assert!(kernel.contains("ipykernel") && !kernel.contains("@VERSION@"));
    Ok(())
}

/// Python with the kernel of a prefix, and nothing of this user's.
fn python(prefix: &Path) -> Command {
    let mut python = Command::new("python3");
    python.env("JUPYTER_PATH", prefix.join("share/jupyter")).env("IPYTHONDIR", prefix.join("ipython"));
    python
        .env("JUPYTER_CONFIG_DIR", prefix.join("config"))
        .env("JUPYTER_RUNTIME_DIR", prefix.join("runtime"));
    python.current_dir(prefix);
    python
}

fn driven() -> Result<(), Failed> {
    let prefix = prefix("driven")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jupyter/drive.py");
    good(&python(&prefix).arg(script).output()?)
}

fn notebook(cells: &[&str]) -> Value {
    let cells: Vec<Value> = cells
        .iter()
        .map(|text| json!({"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": text}))
        .collect();
    let kernel = json!({"name": "quasar", "display_name": "Quasar", "language": "quasar"});
    json!({"nbformat": 4, "nbformat_minor": 4, "metadata": {"kernelspec": kernel}, "cells": cells})
}

fn executed() -> Result<(), Failed> {
    let prefix = prefix("executed")?;
    let execute = |cells: &[&str], allowed: &[&str]| -> Result<(Output, PathBuf), Failed> {
        std::fs::write(prefix.join("in.ipynb"), notebook(cells).to_string())?;
        let mut command = python(&prefix);
        command.args([
            "-m",
            "nbconvert",
            "--to",
            "notebook",
            "--execute",
            "--output",
            "out.ipynb",
            "in.ipynb",
        ]);
        Ok((command.args(allowed).output()?, prefix.join("out.ipynb")))
    };
    let cells = [
        "function y = twice(x)\n  y = 2 * x\nend\nimg = [[0,1],[1,0]]",
        "print \"now\"\ntwice(img)",
        "imshow(img * 255)",
        "img[7,0]",
    ];
    let (output, _) = execute(&cells, &[])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("index 7 is out of range"), "{said}");
    let (output, written) = execute(&cells, &["--allow-errors"])?;
    good(&output)?;
    let notebook: Value = serde_json::from_slice(&std::fs::read(written)?)?;
    let output = |cell: usize, number: usize| &notebook["cells"][cell]["outputs"][number];
    assert_eq!(notebook["cells"][0]["outputs"], json!([]));
    // One output or two: front ends join them, nbconvert does not.
    let printed = notebook["cells"][1]["outputs"].to_string();
    assert!(printed.contains("now") && printed.contains("[0,2]"), "{printed}");
    assert!(output(2, 0)["data"]["image/svg+xml"].is_array(), "{}", output(2, 0));
    let place = output(3, 0)["traceback"].to_string();
    assert!(place.contains("In [4]:1:5") && place.contains('^'), "{place}");
    Ok(())
}
