//! `quasar run --engine cpu` and the like: builds a crate around the program with cargo and runs the binary, with the kernels on
//! the device that the engine names.

use crate::arguments::Options;
use crate::compiled_crate::{self, Kind, Wanted};
use crate::load;
use crate::tune::tuned;
use quasar_core::driver::Compilation;
use quasar_core::sema::COMMAND_LINE;
use quasar_core::settings::{RANKS, is_setting};
use quasar_runtime::device::select;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that was compiled by cargo.
pub(crate) struct Built {
    pub(crate) compilation: Compilation,
    binary: PathBuf,
}

/// Builds the program unless it is cached, and runs it with its kernels on a device, a value of `QUASAR_DEVICE`. It writes the
/// report of a profile, where one is wanted.
pub(crate) fn run(
    file: &Path,
    arguments: &[String],
    options: &Options,
    device: &str,
    profile: Option<&Path>,
) -> Result<(), String> {
    device_exists(device)?;
    let built = built(file, options, device)?;
    let profile = profile.map(|path| (quasar_runtime::profile::VARIABLE, path));
    let status = built.process(arguments, options, device).envs(profile).status();
    let status = status.map_err(|error| format!("{}: {error}", built.binary.display()))?;
    if status.success() { Ok(()) } else { Err(String::new()) }
}

/// Builds the program for an engine unless it is cached. Prints the messages of the compiler.
pub(crate) fn built(file: &Path, options: &Options, engine: &str) -> Result<Built, String> {
    if options.text.is_some() || crate::fmt::is_stream(file) {
        return Err(format!(
            "Error: `--engine {engine}` compiles files: write the program into one, or use the interpreter"
        ));
    }
    let options = &tuned::applied(file, options, engine)?;
    let options = &for_ranks(options, engine);
    let compilation = load::compile(file, options, true)?;
    built_of(file, compilation, options, Purpose::Run)
}

/// What a program is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Run,
    /// It runs as often as the environment says, and writes its times.
    Measure,
}

/// Builds a program that was compiled without errors.
pub(crate) fn built_of(
    file: &Path,
    compilation: Compilation,
    options: &Options,
    purpose: Purpose,
) -> Result<Built, String> {
    let source = root(file, &compilation, &options.definitions, purpose)?;
    let binary = compiled_crate::built(&Wanted {
        file,
        compilation: &compilation,
        definitions: &options.definitions,
        kind: Kind::Program,
        source: &source,
    })?;
    Ok(Built { compilation, binary })
}

impl Built {
    /// A process of the program that is not started yet.
    pub(crate) fn process(&self, arguments: &[String], options: &Options, device: &str) -> Command {
        let settings = options.settings.iter().filter(|(name, _)| !is_setting(name));
        let settings = settings.map(|(name, value)| (name, value));
        let (mut process, device) = match ranks(device) {
            Some(ranks) => (self.on_ranks(ranks), "auto"),
            None => (Command::new(&self.binary), device),
        };
        process.args(arguments).env("QUASAR_DEVICE", device).envs(settings);
        process
    }

    /// `mpirun` of so many ranks on this machine.
    fn on_ranks(&self, ranks: &str) -> Command {
        let mut process = Command::new("mpirun");
        let version = Command::new("mpirun").arg("--version").output().map(|output| output.stdout);
        if String::from_utf8_lossy(&version.unwrap_or_default()).contains("Open MPI") {
            // More ranks than processors are welcome: they are for trying a program.
            process.arg("--oversubscribe");
        }
        process.arg("-n").arg(ranks).arg(&self.binary);
        process
    }
}

/// The number of ranks that an engine names.
fn ranks(engine: &str) -> Option<&str> {
    engine.strip_prefix("mpi:")
}

/// The options with those of a program for ranks.
fn for_ranks(options: &Options, engine: &str) -> Options {
    let mut options = options.clone();
    if ranks(engine).is_some() {
        options.settings.push((RANKS.to_owned(), "True".to_owned()));
    }
    options
}

/// Refuses a device that this machine does not have, before anything is built. A program alone would warn and go on without.
pub(crate) fn device_exists(device: &str) -> Result<(), String> {
    let (kind, number) = device.split_once(':').unwrap_or((device, "0"));
    let found = match kind {
        "opencl" => select::opencl(),
        "cuda" | "cuda - multi" => select::cuda(),
        "mpi" if Command::new("mpirun").arg("--version").output().is_err() => {
            return Err(format!("Error: the engine '{device}' needs `mpirun`, that of Open MPI or MPICH"));
        }
        _ => return Ok(()),
    };
    let refused = |why: String| {
        format!("Error: the engine '{device}' cannot be used: {why}\n`quasar devices` lists what there is")
    };
    let count = found.map_err(|why| refused(why.to_string()))?.len();
    match number.parse::<usize>() {
        Ok(number) if number < count => Ok(()),
        _ => Err(refused(format!("there are {count} devices of this kind, numbered from 0"))),
    }
}

/// The root file of the program's crate.
fn root(
    file: &Path,
    compilation: &Compilation,
    definitions: &[String],
    purpose: Purpose,
) -> Result<String, String> {
    let element = format!("{:?}", compilation.settings.precision);
    // Top-level statements run once in a process, `main` any number of times.
    let again = compilation.program.as_ref().is_some_and(|program| program.main.is_some());
    let run = if again {
        format!(
            "program::main(&quasar::abi::arguments(std::env::args().skip(1), quasar::ElementType::{element}))"
        )
    } else {
        "program::initialize()".to_string()
    };
    let run = match purpose {
        Purpose::Run => run,
        Purpose::Measure => format!("quasar::abi::measured::measured({again}, || {run}.map(drop))"),
    };
    let joined = match compilation.settings.ranks {
        true => {
            "let _cluster = match quasar::cluster::init() { Ok(cluster) => cluster, Err(error) => { \
             let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!(\"Error: {error}\\n\")); \
             return std::process::ExitCode::FAILURE } };\n    "
        }
        false => "",
    };
    let module = compiled_crate::module(file, "#![command_line] ", compilation, definitions)?;
    Ok(format!(
        "{module}fn main() -> std::process::ExitCode {{\n    {joined}match {run} {{\n        Ok(_) => std::process::ExitCode::SUCCESS,\n        \
         Err(error) => {{ let own = error.place().function != {COMMAND_LINE:?}; \
         let text = if own {{ error.to_string() }} else {{ error.message() }}; \
         let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!(\"Error: {{text}}\\n\")); \
         std::process::ExitCode::FAILURE }}\n    }}\n}}\n"
    ))
}
