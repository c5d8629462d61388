//! Libraries that `quasar build` makes, called from C and from Python. What is missing, a C compiler or NumPy, shows as ignored tests.
//!
//! The first build compiles the run-time system, in the cache of the user: for each test folder that would take minutes again.

use libtest_mimic::{Arguments, Failed, Trial};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn main() {
    let args = Arguments::from_args();
    let runs = |command: &str, arguments: &[&str]| {
        Command::new(command).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let trial = |name: &str, run: fn() -> Result<(), Failed>, there: bool, missing: &str| {
        Trial::test(name, run).with_kind(if there { "" } else { missing }).with_ignored_flag(!there)
    };
    let compiler = cfg!(unix) && runs("cc", &["--version"]);
    let numpy = cfg!(unix) && runs("python3", &["-c", "import numpy"]);
    let trials = vec![
        trial("c_calls_a_library", c, compiler, "there is no C compiler"),
        trial("python_calls_a_library", python, numpy, "NumPy is not installed"),
        trial("processes_that_build_the_same_wait", processes, true, ""),
        trial("what_no_library_can_have_is_refused", refusals, true, ""),
    ];
    libtest_mimic::run(&args, trials).exit();
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libraries")
}

fn quasar(arguments: &[&str]) -> Result<Output, Failed> {
    Ok(Command::new(env!("CARGO_BIN_EXE_quasar")).args(arguments).output()?)
}

/// The standard output of what should succeed.
fn succeeds(output: &Output) -> Result<String, Failed> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{}{}", text(&output.stdout), text(&output.stderr)).into()),
    }
}

/// Builds the library in a folder of its own.
fn built(language: &str) -> Result<(PathBuf, String), Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("libraries{language}"));
    let _ = std::fs::remove_dir_all(&folder);
    let program = tests().join("filters.q");
    let (program, output) = (program.to_string_lossy(), folder.to_string_lossy());
    let output = quasar(&["build", &program, language, "-o", &output])?;
    let files = succeeds(&output)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for part in [
        "the library does not have the function 'untyped': its parameter 'x' has no type",
        "the library does not have the function 'first': its parameter 'x' has the type `vec[string]`",
    ] {
        if !said.contains(part) {
            return Err(format!("'{part}' is not said: {said}").into());
        }
    }
    Ok((folder, files))
}

fn c() -> Result<(), Failed> {
    let (folder, _) = built("--c")?;
    for (standard, extension) in [("-std=c99", "c"), ("-std=c++17", "cpp")] {
        let (source, program) = (folder.join(format!("caller.{extension}")), folder.join("caller"));
        std::fs::copy(tests().join("caller.c"), &source)?;
        let mut compiler = Command::new("cc");
        compiler.args([standard, "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(&source);
        compiler.arg("-I").arg(&folder).arg("-L").arg(&folder).args(["-lfilters", "-lm"]);
        compiler.arg(format!("-Wl,-rpath,{}", folder.display()));
        succeeds(&compiler.output()?)?;
        succeeds(&Command::new(&program).output()?)?;
    }
    Ok(())
}

fn python() -> Result<(), Failed> {
    let (folder, files) = built("--python")?;
    let unpacked = folder.join("unpacked");
    // As pip does, which may be missing.
    let unpack = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let mut python = Command::new("python3");
    succeeds(&python.args(["-c", unpack]).arg(files.trim()).arg(&unpacked).output()?)?;
    let mut python = Command::new("python3");
    succeeds(&python.arg("-B").arg(tests().join("caller.py")).arg(&unpacked).output()?)?;
    Ok(())
}

/// Each gets the whole library, whoever builds it.
fn processes() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libraries-processes");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let program = folder.join("same.q");
    // Nobody has built this one.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_nanos();
    std::fs::write(&program, format!("% {now}\nfunction y = f(x : mat)\n    y = x + 1\nendfunction\n"))?;
    let start = |k: usize| {
        let mut build = Command::new(env!("CARGO_BIN_EXE_quasar"));
        build.arg("build").arg(&program).arg("--c").arg("-o").arg(folder.join(k.to_string()));
        build.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    let started = (0..4).map(start).collect::<Result<Vec<_>, _>>()?;
    for process in started {
        succeeds(&process.wait_with_output()?)?;
    }
    let library =
        |k: usize| std::fs::read(folder.join(k.to_string()).join(format!("{DLL_PREFIX}same{DLL_SUFFIX}")));
    let first = library(0)?;
    for k in 1..4 {
        if library(k)? != first {
            return Err(format!("process {k} has another library").into());
        }
    }
    Ok(())
}

fn refusals() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let refused = |name: &str, program: &str, options: &[&str], part: &str| -> Result<(), Failed> {
        let file = folder.join(name);
        std::fs::write(&file, program)?;
        let file = file.to_string_lossy();
        let output = quasar(&[&["build", &*file], options].concat())?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match !output.status.success() && said.contains(part) {
            true => Ok(()),
            false => Err(format!("'{part}' is not said: {said}").into()),
        }
    };
    let program = "function y = f(x : mat)\n    y = x\nendfunction\n";
    refused("no_functions.q", "print 1\n", &["--c"], "there is no function for a library")?;
    refused("two-words.q", program, &["--c"], "give it one with --name")?;
    refused("two-words.q", program, &["--python", "--name", "class"], "give it one with --name")?;
    refused("plain.q", program, &[], "required arguments")?;
    refused("plain.q", program, &["--python", "--wheel-version", "new"], "such as 1.0.2")?;
    refused("wrong.q", "function y = f(x : mat)\n    y = z\nendfunction\n", &["--c"], "1 error")
}
