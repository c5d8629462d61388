//! The command line: its grammar, and the parsed commands and options.

mod tools;

use clap::{Arg, ArgAction, ArgMatches, Command as Parser, builder::PossibleValuesParser};
use quasar_core::settings::PRECISION;
use quasar_core::transform::pass::LOWERED;
use quasar_core::transform::pipeline::passes;
use std::path::PathBuf;
pub(crate) use tools::{Building, MemoryCheck, Notebook, Testing, Tuner};

/// A parsed command.
pub(crate) enum Command {
    Run {
        file: PathBuf,
        engine: Engine,
        arguments: Vec<String>,
        options: Options,
    },
    /// Measures a program, or shows a report.
    Profile {
        file: PathBuf,
        engine: Engine,
        arguments: Vec<String>,
        options: Options,
        wanted: Profile,
    },
    /// Compares two reports.
    Compare {
        before: PathBuf,
        now: PathBuf,
    },
    /// Makes a library for other languages.
    Build {
        file: PathBuf,
        building: Building,
        options: Options,
    },
    Check {
        file: PathBuf,
        options: Options,
    },
    Emit {
        file: PathBuf,
        stage: Stage,
        options: Options,
    },
    ListPasses,
    /// Stops a program where a user wants to look at it.
    Debug {
        file: PathBuf,
        arguments: Vec<String>,
        options: Options,
        /// Whether an editor drives it.
        dap: bool,
    },
    /// Runs what is written line by line.
    Repl {
        files: Vec<PathBuf>,
        options: Options,
    },
    /// Runs the tests of files and folders.
    Test {
        paths: Vec<PathBuf>,
        testing: Testing,
        options: Options,
    },
    /// Lays out source files.
    Fmt {
        files: Vec<PathBuf>,
        check: bool,
    },
    /// Makes a crate.
    New {
        folder: PathBuf,
    },
    /// Serves an editor.
    Lsp,
    /// Serves notebooks.
    Jupyter(Notebook),
    Emulate {
        file: PathBuf,
        emulation: Emulation,
        arguments: Vec<String>,
        options: Options,
    },
    /// Looks at each access of kernels.
    Memcheck {
        file: PathBuf,
        wanted: MemoryCheck,
        arguments: Vec<String>,
        options: Options,
    },
    /// Measures a program with other values of its tuning parameters.
    Tune {
        file: PathBuf,
        wanted: Tuner,
        arguments: Vec<String>,
        options: Options,
    },
    Devices,
    /// Says what a message's code means; all codes without one.
    Explain {
        code: Option<String>,
    },
    /// Says what became of a line.
    ExplainLine {
        file: PathBuf,
        line: u32,
        options: Options,
    },
    /// Writes a page that shows what became of a program.
    Workbench {
        file: PathBuf,
        output: PathBuf,
        options: Options,
    },
}

/// What is made of a report beside the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// Where the report is kept.
    pub(crate) output: Option<PathBuf>,
    /// Where the timeline goes.
    pub(crate) trace: Option<PathBuf>,
    /// Where the page goes.
    pub(crate) page: Option<PathBuf>,
    /// Whether the lines of the source are shown.
    pub(crate) lines: bool,
}

/// Options of the emulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Emulation {
    /// Only this kernel is examined.
    pub(crate) kernel: Option<String>,
    /// The number of random thread orders to try.
    pub(crate) orders: u64,
    /// The maximal number of lines of the trace; `None` for no trace.
    pub(crate) trace: Option<usize>,
    /// The position whose thread is traced.
    pub(crate) position: Option<Vec<usize>>,
}

/// The engine that runs a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Interprets the IR: starts at once, slow, with every check.
    Interpreter,
    /// Compiles to a native program with cargo first. Its kernels run on this device, a value of `QUASAR_DEVICE`.
    Native(String),
}

/// An engine by its name. `cuda:1` is the second CUDA device.
fn engine_named(name: &str) -> Result<Engine, String> {
    let kind = name
        .split_once(':')
        .filter(|(_, number)| number.parse::<u8>().is_ok())
        .map_or(name, |(kind, _)| kind);
    match kind {
        "interpreter" if kind == name => Ok(Engine::Interpreter),
        "cpu" | "auto" if kind == name => Ok(Engine::Native(name.to_owned())),
        // So many ranks of a cluster on this machine.
        "mpi" if kind != name && !name.ends_with(":0") => Ok(Engine::Native(name.to_owned())),
        "cuda" | "opencl" => Ok(Engine::Native(name.to_owned())),
        "cuda - multi" => Ok(Engine::Native(name.to_owned())),
        _ => Err(format!("expected {ENGINES}")),
    }
}

/// The names of engines, as messages list them.
const ENGINES: &str =
    "interpreter, cpu, cuda, opencl, cuda:1, opencl:1, 'cuda - multi', mpi:4 (ranks) or auto";

/// The stage of compilation to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Ast,
    Types,
    Host,
    Kernel,
    Rust,
    Device,
    /// As it is behind the pass that `Options::last_pass` names.
    Pass,
    /// The same as text that is read back.
    Exact,
}

/// Options common to all commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// The program itself, if it stands on the command line instead of in a file.
    pub(crate) text: Option<String>,
    /// Whether `main` takes the arguments of the command line.
    pub(crate) command_line: bool,
    /// Whether parallelised loops also run sequentially, to compare the results.
    pub(crate) debug: bool,
    /// 0: errors and warnings; 1: optimisations too; 2: everything.
    pub(crate) verbosity: u8,
    pub(crate) settings: Vec<(String, String)>,
    /// External definitions, each as `NAME=VALUE`.
    pub(crate) definitions: Vec<String>,
    /// The pass behind which the compiler stops.
    pub(crate) last_pass: Option<String>,
}

/// Parses the arguments; `quasar x.q ..` is short for `quasar run x.q ..`.
pub(crate) fn parse(mut args: Vec<String>) -> Result<Command, clap::Error> {
    for arg in &mut args {
        if matches!(arg.as_str(), "-debug" | "-double" | "-single") {
            arg.insert(0, '-');
        }
    }
    // A word that is no program is meant as a command, even if there is no such command.
    let is_program = |arg: &String| arg.ends_with(".q");
    let is_text = |arg: &String| arg == "-e" || arg == "--eval";
    let names_none = args.get(1).is_some_and(|arg| arg.starts_with('-') || is_program(arg));
    if names_none && args.iter().skip(1).any(|arg| is_program(arg) || is_text(arg)) {
        args.insert(1, "run".into());
    }
    let matches = parser().try_get_matches_from(args)?;
    Ok(match matches.subcommand() {
        Some(("build", sub)) => {
            Command::Build { file: file(sub), building: tools::building(sub), options: options(sub) }
        }
        Some(("check", sub)) => Command::Check { file: file(sub), options: options(sub) },
        Some(("devices", _)) => Command::Devices,
        Some(("explain", sub)) => explain(sub)?,
        Some(("workbench", sub)) => {
            let file = file(sub);
            let output = sub.get_one::<String>("output").map(PathBuf::from);
            let output = output.unwrap_or_else(|| PathBuf::from("workbench.html"));
            Command::Workbench { file, output, options: options(sub) }
        }
        Some(("emulate", sub)) => {
            let options = Options { command_line: true, ..options(sub) };
            Command::Emulate {
                file: file(sub),
                emulation: emulation(sub),
                arguments: arguments(sub),
                options,
            }
        }
        Some(("memcheck", sub)) => Command::Memcheck {
            file: file(sub),
            wanted: tools::memory_check(sub),
            arguments: arguments(sub),
            options: Options { command_line: true, ..options(sub) },
        },
        Some(("tune", sub)) => Command::Tune {
            file: file(sub),
            wanted: tools::tuner(sub),
            arguments: arguments(sub),
            options: Options { command_line: true, ..options(sub) },
        },
        Some(("fmt", sub)) => Command::Fmt {
            files: sub.get_many::<String>("files").into_iter().flatten().map(PathBuf::from).collect(),
            check: sub.get_flag("check"),
        },
        Some(("new", sub)) => {
            Command::New { folder: sub.get_one::<String>("folder").map(PathBuf::from).unwrap_or_default() }
        }
        Some(("lsp", _)) => Command::Lsp,
        Some(("jupyter", sub)) => Command::Jupyter(tools::notebook(sub)),
        Some(("debug", sub)) => Command::Debug {
            file: file(sub),
            arguments: arguments(sub),
            options: Options { command_line: true, ..options(sub) },
            dap: sub.get_flag("dap"),
        },
        Some(("repl", sub)) => Command::Repl { files: tools::paths(sub), options: options(sub) },
        Some(("test", sub)) => {
            Command::Test { paths: tools::paths(sub), testing: tools::testing(sub), options: options(sub) }
        }
        Some(("emit", sub)) if sub.get_flag("list-passes") => Command::ListPasses,
        Some(("emit", sub)) => {
            let last_pass = sub.get_one::<String>("after").cloned();
            let stage = match sub.get_one::<String>("stage").map(String::as_str) {
                Some("ast" | "parse") => Stage::Ast,
                Some("types") => Stage::Types,
                Some("host" | "function") => Stage::Host,
                Some("rust") => Stage::Rust,
                Some("device") => Stage::Device,
                _ if sub.get_flag("exact") => Stage::Exact,
                _ if last_pass.is_some() => Stage::Pass,
                _ => Stage::Kernel,
            };
            Command::Emit { file: file(sub), stage, options: Options { last_pass, ..options(sub) } }
        }
        Some(("profile", sub)) => profile(sub),
        Some((_, sub)) => {
            let text = sub.get_one::<String>("eval").cloned();
            // Without a file, the first argument is one of main already.
            let (file, first) = match &text {
                Some(_) => (PathBuf::from("command line"), sub.get_one::<String>("file").cloned()),
                None => (file(sub), None),
            };
            let arguments = first.into_iter().chain(arguments(sub)).collect();
            let options = Options { command_line: true, text, ..options(sub) };
            Command::Run { file, engine: engine(sub), arguments, options }
        }
        None => {
            return Err(
                self::parser().error(clap::error::ErrorKind::MissingSubcommand, "a command is missing")
            );
        }
    })
}

fn file(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<String>("file").map(PathBuf::from).unwrap_or_default()
}

fn arguments(matches: &ArgMatches) -> Vec<String> {
    matches.get_many::<String>("arguments").into_iter().flatten().cloned().collect()
}

fn engine(matches: &ArgMatches) -> Engine {
    matches.get_one::<Engine>("engine").cloned().unwrap_or(Engine::Interpreter)
}

/// A code, or a line of a program: codes have no colon.
fn explain(matches: &ArgMatches) -> Result<Command, clap::Error> {
    let word = matches.get_one::<String>("file").cloned();
    let Some((file, line)) = word.as_deref().and_then(|word| word.rsplit_once(':')) else {
        let program = word.as_deref().filter(|word| word.ends_with(".q"));
        return match program {
            Some(file) => Err(no_line(file, "no line is given")),
            None => Ok(Command::Explain { code: word }),
        };
    };
    match line.parse::<u32>() {
        Ok(line) => Ok(Command::ExplainLine { file: file.into(), line, options: options(matches) }),
        Err(_) => Err(no_line(file, &format!("'{line}' is no line"))),
    }
}

fn no_line(file: &str, what: &str) -> clap::Error {
    let text = format!("{what}: write the number of a line behind the file, as in {file}:12\n");
    parser().error(clap::error::ErrorKind::ValueValidation, text)
}

fn profile(matches: &ArgMatches) -> Command {
    let path = |name: &str| matches.get_one::<String>(name).map(PathBuf::from);
    let mut compared = matches.get_many::<String>("compare").into_iter().flatten().map(PathBuf::from);
    if let (Some(before), Some(now)) = (compared.next(), compared.next()) {
        return Command::Compare { before, now };
    }
    Command::Profile {
        file: file(matches),
        engine: engine(matches),
        arguments: arguments(matches),
        options: Options { command_line: true, ..options(matches) },
        wanted: Profile {
            output: path("output"),
            trace: path("chart"),
            page: path("html"),
            lines: matches.get_flag("lines"),
        },
    }
}

fn emulation(matches: &ArgMatches) -> Emulation {
    Emulation {
        kernel: matches.get_one::<String>("kernel").cloned(),
        orders: matches.get_one::<u64>("orders").copied().unwrap_or_default(),
        trace: matches.get_one::<u64>("trace").map(|&lines| usize::try_from(lines).unwrap_or(usize::MAX)),
        position: matches.get_one::<Vec<usize>>("position").cloned(),
    }
}

/// Parses a position in a grid, such as `3,4`.
fn position(text: &str) -> Result<Vec<usize>, String> {
    let items: Result<Vec<usize>, _> = text.split(',').map(|item| item.trim().parse()).collect();
    items.map_err(|_| "expected numbers with commas between, such as 3,4".to_string())
}

fn options(matches: &ArgMatches) -> Options {
    let settings = matches.get_many::<String>("set").into_iter().flatten().map(|text| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.to_string(), value.to_string())
    });
    let precision = ["single", "double"].into_iter().filter(|name| matches.get_flag(name));
    let precision = precision.map(|name| (PRECISION.to_string(), name.to_string()));
    Options {
        text: None,
        command_line: false,
        debug: matches.get_flag("debug"),
        verbosity: matches.get_count("verbose"),
        settings: precision.chain(settings).collect(),
        definitions: matches.get_many::<String>("define").into_iter().flatten().cloned().collect(),
        last_pass: None,
    }
}

fn parser() -> Parser {
    let file =
        Arg::new("file").required(true).help("The program, a .q file; - reads it from the standard input");
    let common = |command: Parser| {
        command
            .arg(file.clone())
            .arg(flag("double").help("Compute in double precision"))
            .arg(
                flag("single")
                    .help("Compute in single precision, as without settings")
                    .conflicts_with("double"),
            )
            .arg(flag("debug").help(
                "Keep all checks; `run` also visits loops that became kernels in two orders, and compares",
            ))
            .arg(
                Arg::new("verbose")
                    .short('v')
                    .action(ArgAction::Count)
                    .help("Show what the optimiser did; twice for everything"),
            )
            .arg(
                Arg::new("define")
                    .short('D')
                    .long("define")
                    .value_name("NAME=VALUE")
                    .action(ArgAction::Append)
                    .help("Give a constant of the program another value"),
            )
            .arg(
                Arg::new("set")
                    .long("set")
                    .value_name("NAME=VALUE")
                    .action(ArgAction::Append)
                    .help("Change a setting of the compiler or the run-time system"),
            )
    };
    let arguments = Arg::new("arguments")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .help("Arguments of main");
    let engine = Arg::new("engine")
        .long("engine")
        .value_parser(engine_named)
        .default_value("interpreter")
        .help(format!(
            "What runs it: the interpreter at once, or a native program that cargo builds first, with its kernels on the processor \
             or a device: {ENGINES}"
        ));
    let run = common(Parser::new("run").about("Run a program: its top-level statements, then main"))
        .arg(engine.clone())
        .mut_arg("file", |file| file.required(false).required_unless_present("eval"))
        .arg(
            Arg::new("eval")
                .short('e')
                .long("eval")
                .value_name("TEXT")
                .allow_hyphen_values(true)
                .help("Run this text instead of a file"),
        )
        .arg(arguments.clone());
    let profile = profiling(common(Parser::new("profile"))).arg(engine).arg(arguments.clone());
    let emulate = emulate(common(Parser::new("emulate"))).arg(arguments.clone());
    let emit = emit(common(Parser::new("emit")));
    let memcheck = tools::memcheck_parser(common(Parser::new("memcheck"))).arg(arguments.clone());
    let tune = tools::tune_parser(common(Parser::new("tune"))).arg(arguments.clone());
    let debug = tools::debug_parser(common(Parser::new("debug"))).arg(arguments);
    let repl = tools::repl_parser(common(Parser::new("repl")));
    let test = tools::test_parser(common(Parser::new("test")));
    Parser::new("quasar")
        .about("Runs, checks and inspects Quasar programs")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .subcommand(run)
        .subcommand(tools::build_parser(common(Parser::new("build"))))
        .subcommand(common(Parser::new("check").about("Compile only, and print all messages")))
        .subcommand(emit)
        .subcommand(debug)
        .subcommand(repl)
        .subcommand(test)
        .subcommand(tools::new_parser())
        .subcommand(tools::fmt_parser())
        .subcommand(
            Parser::new("lsp")
                .about("Serve an editor: the Language Server Protocol on the standard input and output"),
        )
        .subcommand(tools::jupyter_parser())
        .subcommand(emulate)
        .subcommand(memcheck)
        .subcommand(tune)
        .subcommand(profile)
        .subcommand(explanation(common(Parser::new("explain"))))
        .subcommand(workbench(common(Parser::new("workbench"))))
        .subcommand(
            Parser::new("devices").about("Show what can execute kernels, and why other devices cannot"),
        )
}

/// The arguments of `profile` beside the common ones.
fn profiling(command: Parser) -> Parser {
    command
        .about("Run a program and say where its time goes: kernels, copies, allocations, the library, compilations")
        .mut_arg("file", |file| {
            file.required(false)
                .required_unless_present("compare")
                .help("The program, a .q file, or a report (.json) to show")
        })
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("REPORT")
                .help("Keep the report in a file, to show or to compare it later"),
        )
        .arg(
            Arg::new("chart")
                .long("trace")
                .value_name("FILE")
                .help("Write the timeline for Chrome or ui.perfetto.dev"),
        )
        .arg(
            Arg::new("html").long("html").value_name("PAGE").help(
                "Write a page with the timeline, the lines, what the machine allows, transfers and memory; it needs nothing but itself",
            ),
        )
        .arg(flag("lines").help("Show the lines of the source where kernels begin, with their times"))
        .arg(
            Arg::new("compare")
                .long("compare")
                .value_names(["BEFORE", "NOW"])
                .num_args(2)
                .conflicts_with_all(["file", "output", "chart", "html", "lines"])
                .help("Compare two reports: how much faster each kernel became, and how sure that is"),
        )
}

/// The argument of `explain` is a code or a line.
fn explanation(command: Parser) -> Parser {
    command
        .about(
            "Say what became of a line of a program, as in x.q:12, or what the code of a message means, such as Q0402; without \
             one, list all codes",
        )
        .mut_arg("file", |file| {
            file.required(false)
                .value_name("FILE:LINE or CODE")
                .help("A line of a program, or the code in the brackets of a message")
        })
}

fn workbench(command: Parser) -> Parser {
    command
        .about("Write a page that shows a program with what became of each line, the passes, and the code that is made of it")
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("PAGE")
                .help("The HTML file; workbench.html without it"),
        )
}

/// The arguments of `emit` beside the common ones.
fn emit(command: Parser) -> Parser {
    let names = quasar_core::transform::Stage::ALL
        .into_iter()
        .flat_map(passes)
        .chain([&LOWERED])
        .map(|pass| pass.name);
    command
        .about("Show a program in one of the compiler's forms")
        .mut_arg("file", |file| file.required(false).required_unless_present("list-passes"))
        .arg(
            Arg::new("after")
                .long("after")
                .value_name("PASS")
                .value_parser(PossibleValuesParser::new(names))
                .hide_possible_values(true)
                .conflicts_with("stage")
                .help("Show the program as it is behind a pass of the compiler"),
        )
        .arg(
            flag("exact")
                .requires("after")
                .help("With all types, places and attributes, as text that the compiler's tests read back"),
        )
        .arg(flag("list-passes").help("Show all passes in their order, and what each does"))
        .arg(
        Arg::new("stage")
            .long("stage")
            .value_parser(PossibleValuesParser::new(["ast", "parse", "types", "host", "function", "kernel", "rust", "device"]))
            .default_value("kernel")
            .help("ast: as parsed; types: with types; host: as lowered; kernel: after the transforms; rust: generated code; device: text for CUDA and OpenCL"),
    )
}

/// The arguments of `emulate` in addition to the common ones.
fn emulate(command: Parser) -> Parser {
    command
        .about("Run a program on a virtual device that finds races, divergent barriers and accesses out of bounds")
        .arg(Arg::new("kernel").long("kernel").value_name("NAME").help("Look at one kernel only"))
        .arg(
            Arg::new("orders")
                .long("orders")
                .value_name("COUNT")
                .value_parser(clap::value_parser!(u64))
                .default_value("2")
                .help("How many random orders of threads to try beside the order of positions"),
        )
        .arg(
            Arg::new("trace")
                .long("trace")
                .value_name("LINES")
                .value_parser(clap::value_parser!(u64))
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("1000")
                .help("Show what threads do to memory that they share"),
        )
        .arg(
            Arg::new("position")
                .long("position")
                .value_name("M,N")
                .value_parser(position)
                .requires("trace")
                .help("Trace the thread at this position only"),
        )
}

/// What is probably an option of `quasar` among the arguments of `main`, which stand behind the file.
pub(crate) fn options_behind(arguments: &[String]) -> Option<(&str, String)> {
    let parser = parser();
    let names: Vec<String> = parser
        .find_subcommand("run")
        .into_iter()
        .flat_map(|run| run.get_arguments().filter_map(Arg::get_long))
        .map(|name| format!("--{name}"))
        .collect();
    arguments.iter().find_map(|argument| {
        let word = argument.split('=').next().unwrap_or_default();
        let known = names.iter().find(|name| *name == word || (word.len() > 4 && is_near(word, name)))?;
        Some((argument.as_str(), known.clone()))
    })
}

/// Whether one letter is missing, too much or another one, or two are exchanged.
fn is_near(word: &str, name: &str) -> bool {
    let (word, name) = (word.as_bytes(), name.as_bytes());
    let same = word.iter().zip(name).take_while(|(a, b)| a == b).count();
    let rest = |text: &[u8], skipped: usize| text.get(same + skipped..).unwrap_or_default().to_vec();
    let exchanged = rest(word, 0).get(..2).map(|two| two.iter().rev().copied().collect::<Vec<u8>>());
    rest(word, 1) == rest(name, 1)
        || rest(word, 0) == rest(name, 1)
        || rest(word, 1) == rest(name, 0)
        || (exchanged.as_deref() == rest(name, 0).get(..2) && rest(word, 2) == rest(name, 2))
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
        assert_eq!(options.settings, [("COMPILER_PRECISION".to_string(), "double".to_string())]);
    }

    #[test]
    fn options_before_a_file_alone_have_their_values() {
        let Ok(Command::Run { file, options, arguments, .. }) =
            words("quasar -DN=3 --set A=b -D NAMES=[1,2] x.q check")
        else {
            panic!("not a run")
        };
        assert_eq!((file, arguments), (PathBuf::from("x.q"), vec!["check".to_string()]));
        assert_eq!(options.definitions, ["N=3", "NAMES=[1,2]"]);
        assert!(matches!(words("quasar check -DN=3 x.q"), Ok(Command::Check { .. })));
    }

    #[test]
    fn devices_need_no_file() {
        assert!(matches!(words("quasar devices"), Ok(Command::Devices)));
    }

    #[test]
    fn a_misspelled_command_is_no_program() {
        for line in ["quasar chek x.q", "quasar chek -DN=3 x.q", "quasar explian"] {
            let Err(error) = words(line) else { panic!("{line}") };
            let text = error.to_string();
            assert!(text.contains("similar subcommand") && text.contains("exist"), "{line}: {error}");
        }
        assert!(
            matches!(words("quasar explain q402"), Ok(Command::Explain { code: Some(code) }) if code == "q402")
        );
        assert!(matches!(words("quasar explain"), Ok(Command::Explain { code: None })));
    }

    #[test]
    fn options_behind_the_file_are_noticed() {
        let found = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            options_behind(&words).map(|(argument, name)| format!("{argument} {name}"))
        };
        assert_eq!(found("1 --double").as_deref(), Some("--double --double"));
        assert_eq!(found("--doubel").as_deref(), Some("--doubel --double"));
        assert_eq!(found("--enginee=cpu").as_deref(), Some("--enginee=cpu --engine"));
        assert_eq!(found("a --debg").as_deref(), Some("--debg --debug"));
        assert_eq!(found("--colour --do double -v --x"), None);
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
    fn passes_are_read() {
        let Ok(Command::Emit { stage, options, .. }) = words("quasar emit --after autoparallel x.q") else {
            panic!("not an emit")
        };
        assert_eq!((stage, options.last_pass.as_deref()), (Stage::Pass, Some("autoparallel")));
        assert!(matches!(words("quasar emit --list-passes"), Ok(Command::ListPasses)));
        let exact = words("quasar emit --after inlining --exact x.q");
        assert!(matches!(exact, Ok(Command::Emit { stage: Stage::Exact, .. })));
        assert!(words("quasar emit --exact x.q").is_err(), "the pass is missing");
        assert!(words("quasar emit --after magic x.q").is_err());
        assert!(words("quasar emit --after inlining --stage rust x.q").is_err());
        assert!(words("quasar emit --after inlining").is_err(), "a program is missing");
    }

    #[test]
    fn emulation_is_read() {
        let Ok(Command::Emulate { file, emulation, arguments, .. }) =
            words("quasar emulate --kernel k --orders 5 --trace --position 3,4 x.q 7")
        else {
            panic!("not an emulation")
        };
        assert_eq!((file, arguments), (PathBuf::from("x.q"), vec!["7".to_string()]));
        let kernel = Some("k".to_string());
        let expected = Emulation { kernel, orders: 5, trace: Some(1000), position: Some(vec![3, 4]) };
        assert_eq!(emulation, expected);
        assert!(words("quasar emulate --position 3,4 x.q").is_err(), "a position is for a trace");
        assert!(words("quasar emulate --trace --position 3;4 x.q").is_err());
    }

    #[test]
    fn a_wrong_engine_is_refused() {
        for wrong in ["warp", "cuda:x", "cpu:1", "mpi", "mpi:0", "interpreter:0", "opencl:", "cuda:1:2"] {
            assert!(words(&format!("quasar run --engine {wrong} x.q")).is_err(), "{wrong}");
        }
        assert!(words("quasar").is_err());
    }

    #[test]
    fn engines_are_the_interpreter_and_devices() {
        for name in ["cpu", "auto", "cuda", "cuda:1", "opencl", "opencl:12", "mpi:4"] {
            let Ok(Command::Run { engine, .. }) = words(&format!("quasar run --engine {name} x.q")) else {
                panic!("'{name}' is an engine");
            };
            assert_eq!(engine, Engine::Native(name.to_owned()));
        }
    }
}
