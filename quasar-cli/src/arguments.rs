//! The command line.

use clap::{Arg, ArgAction, ArgMatches, Command as Parser, builder::PossibleValuesParser};
use std::path::PathBuf;

/// What to do.
pub(crate) enum Command {
    Run { file: PathBuf, engine: Engine, arguments: Vec<String>, options: Options },
    Check { file: PathBuf, options: Options },
    Emit { file: PathBuf, stage: Stage, options: Options },
    Devices,
}

/// What runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// At once, slowly, with every check.
    Interpreter,
    /// Compiled by cargo into a native program first.
    Cpu,
}

/// Which form of a program to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Ast,
    Types,
    Host,
    Kernel,
    Rust,
    Device,
}

/// What applies to all commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) double: bool,
    /// Whether `main` is given the arguments of the command line.
    pub(crate) command_line: bool,
    /// 0: errors and warnings; 1: optimisations too; 2: everything.
    pub(crate) verbosity: u8,
    pub(crate) settings: Vec<(String, String)>,
}

/// Reads the arguments; `quasar x.q ..` is short for `quasar run x.q ..`.
pub(crate) fn parse(mut args: Vec<String>) -> Result<Command, clap::Error> {
    for arg in &mut args {
        if matches!(arg.as_str(), "-debug" | "-double" | "-single") {
            arg.insert(0, '-');
        }
    }
    let first = args.iter().skip(1).position(|arg| !arg.starts_with('-')).map(|k| k + 1);
    if let Some(k) = first
        && args[k].ends_with(".q")
    {
        args.insert(1, "run".into());
    }
    let matches = parser().try_get_matches_from(args)?;
    Ok(match matches.subcommand() {
        Some(("check", sub)) => Command::Check { file: file(sub), options: options(sub) },
        Some(("devices", _)) => Command::Devices,
        Some(("emit", sub)) => {
            let stage = match sub.get_one::<String>("stage").map(String::as_str) {
                Some("ast" | "parse") => Stage::Ast,
                Some("types") => Stage::Types,
                Some("host" | "function") => Stage::Host,
                Some("rust") => Stage::Rust,
                Some("device") => Stage::Device,
                _ => Stage::Kernel,
            };
            Command::Emit { file: file(sub), stage, options: options(sub) }
        }
        Some((_, sub)) => {
            let engine = match sub.get_one::<String>("engine").map(String::as_str) {
                Some("cpu") => Engine::Cpu,
                _ => Engine::Interpreter,
            };
            let arguments = sub.get_many::<String>("arguments").into_iter().flatten().cloned().collect();
            let options = Options { command_line: true, ..options(sub) };
            Command::Run { file: file(sub), engine, arguments, options }
        }
        None => return Err(parser().error(clap::error::ErrorKind::MissingSubcommand, "a command is missing")),
    })
}

fn file(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<String>("file").map(PathBuf::from).unwrap_or_default()
}

fn options(matches: &ArgMatches) -> Options {
    let settings =
        matches.get_many::<String>("set").into_iter().flatten().filter_map(|text| {
            text.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()))
        });
    Options {
        double: matches.get_flag("double"),
        command_line: false,
        verbosity: matches.get_count("verbose"),
        settings: settings.collect(),
    }
}

fn parser() -> Parser {
    let file = Arg::new("file").required(true).help("The program, a .q file");
    let common = |command: Parser| {
        command
            .arg(file.clone())
            .arg(flag("double").help("Compute in double precision"))
            .arg(flag("single").help("Compute in single precision (the default)").conflicts_with("double"))
            .arg(flag("debug").help("Keep all checks"))
            .arg(
                Arg::new("verbose")
                    .short('v')
                    .action(ArgAction::Count)
                    .help("Show what the optimiser did; twice for everything"),
            )
            .arg(
                Arg::new("set")
                    .long("set")
                    .value_name("NAME=VALUE")
                    .action(ArgAction::Append)
                    .help("Change a setting of the run-time system"),
            )
    };
    let run = common(Parser::new("run").about("Run a program: its top-level statements, then main"))
        .arg(
            Arg::new("engine")
                .long("engine")
                .value_parser(PossibleValuesParser::new(["interpreter", "cpu"]))
                .default_value("interpreter")
                .help("What runs it: the interpreter at once, or a native program that cargo builds first"),
        )
        .arg(
            Arg::new("arguments")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help("Arguments of main"),
        );
    let emit = common(Parser::new("emit").about("Show a program in one of the compiler's forms")).arg(
        Arg::new("stage")
            .long("stage")
            .value_parser(PossibleValuesParser::new(["ast", "parse", "types", "host", "function", "kernel", "rust", "device"]))
            .default_value("kernel")
            .help("ast: as parsed; types: with types; host: as lowered; kernel: after the transforms; rust: generated code; device: text for CUDA and OpenCL"),
    );
    Parser::new("quasar")
        .about("Runs, checks and inspects Quasar programs")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .subcommand(run)
        .subcommand(common(Parser::new("check").about("Compile only, and print all messages")))
        .subcommand(emit)
        .subcommand(
            Parser::new("devices").about("Show what can execute kernels, and why other devices cannot"),
        )
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Command, clap::Error> {
        parse(text.split_whitespace().map(str::to_string).collect())
    }

    #[test]
    fn a_file_alone_is_run_with_its_arguments() {
        let Ok(Command::Run { file, engine, arguments, options }) = words("quasar -double x.q 1 --two")
        else {
            panic!("not a run")
        };
        assert_eq!(file, PathBuf::from("x.q"));
        assert_eq!(engine, Engine::Interpreter);
        assert_eq!(arguments, ["1", "--two"]);
        assert!(options.double);
    }

    #[test]
    fn devices_need_no_file() {
        assert!(matches!(words("quasar devices"), Ok(Command::Devices)));
    }

    #[test]
    fn settings_and_stages_are_read() {
        let Ok(Command::Emit { stage, options, .. }) = words("quasar emit --stage rust --set A=b -v x.q")
        else {
            panic!("not an emit")
        };
        assert_eq!(stage, Stage::Rust);
        assert_eq!(options.settings, [("A".to_string(), "b".to_string())]);
        assert_eq!(options.verbosity, 1);
    }

    #[test]
    fn a_wrong_engine_is_refused() {
        assert!(words("quasar run --engine warp x.q").is_err());
        assert!(words("quasar").is_err());
    }
}
