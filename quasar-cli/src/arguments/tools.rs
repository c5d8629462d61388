//! The command lines of `quasar new`, `quasar fmt`, `quasar build`, `quasar test`, `quasar repl`, `quasar jupyter`, `quasar debug`,
//! `quasar memcheck` and `quasar tune`.

use super::flag;
use clap::{Arg, ArgGroup, ArgMatches, Command as Parser};
use std::path::PathBuf;

/// Which tests run, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Testing {
    /// Part of the names of the tests that run.
    pub(crate) filter: Option<String>,
    /// The seed of random arguments and of random numbers in tests.
    pub(crate) seed: Option<u64>,
    /// How many random arguments a test with parameters is called with.
    pub(crate) cases: u64,
    /// Whether what tests print is shown at once.
    pub(crate) nocapture: bool,
    /// Whether the tests are listed instead.
    pub(crate) list: bool,
}

/// Which libraries are made, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Building {
    /// A shared library and a header.
    pub(crate) c: bool,
    /// A wheel.
    pub(crate) python: bool,
    /// The folder for the files.
    pub(crate) output: PathBuf,
    /// The name of the library, if it is not that of the file.
    pub(crate) name: Option<String>,
    /// The version of the wheel.
    pub(crate) version: String,
}

/// How accesses of kernels are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryCheck {
    /// The tool of compute-sanitizer.
    pub(crate) tool: String,
    /// The sanitizer, if it is not looked for.
    pub(crate) sanitizer: Option<PathBuf>,
    /// Whether the emulator is used although there is a GPU.
    pub(crate) emulate: bool,
}

/// How tuning parameters are searched.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tuner {
    pub(crate) engine: String,
    /// Seconds after which no further combination is measured.
    pub(crate) budget: f64,
    /// Whether sizes of blocks are tried.
    pub(crate) blocks: bool,
    /// The call that is measured instead of `main`.
    pub(crate) function: Option<String>,
    /// Whether the best values go into the program.
    pub(crate) write: bool,
    /// How far numbers of the output may differ.
    pub(crate) tolerance: f64,
    /// Most runs of a combination.
    pub(crate) runs: u64,
}

/// What is done for notebooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notebook {
    /// The kernel is installed, for this user if there is no prefix.
    Install { prefix: Option<PathBuf> },
    /// A session is served to the kernel.
    Serve,
}

/// The arguments of `build` beside the common ones.
pub(super) fn build_parser(command: Parser) -> Parser {
    command
        .about("Make a library of the functions of a program: for C, for Python, or for both")
        .arg(flag("c").help("Write a shared library and a header for C and C++"))
        .arg(flag("python").help("Write a wheel, which `pip install` takes"))
        .group(ArgGroup::new("languages").args(["c", "python"]).multiple(true).required(true))
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FOLDER")
                .default_value(".")
                .help("Where the files go"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The name of the library, instead of that of the file"),
        )
        .arg(
            Arg::new("wheel-version")
                .long("wheel-version")
                .value_name("VERSION")
                .value_parser(crate::build::version)
                .default_value("0.1.0")
                .help("The version of the wheel; pip replaces an installed one only by another version"),
        )
}

pub(super) fn building(matches: &ArgMatches) -> Building {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    Building {
        c: matches.get_flag("c"),
        python: matches.get_flag("python"),
        output: text("output").unwrap_or_default().into(),
        name: text("name"),
        version: text("wheel-version").unwrap_or_default(),
    }
}

/// The arguments of `test` beside the common ones.
pub(super) fn test_parser(command: Parser) -> Parser {
    command
        .about("Run tests: functions whose names begin with 'test_', with random arguments if they have parameters")
        .mut_arg("file", |file| {
            file.required(false)
                .num_args(0..)
                .value_name("PATH")
                .help("Files, and folders that are searched for .q files; the working folder if there are none")
        })
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("TEXT")
                .help("Run only tests that have this in their names"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("NUMBER")
                .value_parser(clap::value_parser!(u64))
                .help("Draw the same random arguments as a run that said this number"),
        )
        .arg(
            Arg::new("cases")
                .long("cases")
                .value_name("COUNT")
                .value_parser(clap::value_parser!(u64).range(1..))
                .default_value("100")
                .help("How many random arguments each test with parameters is called with"),
        )
        .arg(flag("nocapture").help("Show what tests print at once, not only that of failed ones"))
        .arg(flag("list").help("List the tests, and run none"))
}

pub(super) fn testing(matches: &ArgMatches) -> Testing {
    Testing {
        filter: matches.get_one::<String>("filter").cloned(),
        seed: matches.get_one::<u64>("seed").copied(),
        cases: matches.get_one::<u64>("cases").copied().unwrap_or_default(),
        nocapture: matches.get_flag("nocapture"),
        list: matches.get_flag("list"),
    }
}

/// All paths of a command line.
pub(super) fn paths(matches: &ArgMatches) -> Vec<PathBuf> {
    matches.get_many::<String>("file").into_iter().flatten().map(PathBuf::from).collect()
}

/// The arguments of `repl` beside the common ones.
pub(super) fn repl_parser(command: Parser) -> Parser {
    command.about("Run what is written line by line, at a terminal or from the standard input").mut_arg(
        "file",
        |file| {
            file.required(false)
                .num_args(0..)
                .help("Programs that run first, and whose functions and variables are there then")
        },
    )
}

/// The arguments of `jupyter`.
pub(super) fn jupyter_parser() -> Parser {
    let user = flag("user").help("Install it for this user, as without an option");
    let prefix = Arg::new("prefix")
        .long("prefix")
        .value_name("FOLDER")
        .conflicts_with("user")
        .help("Install it below this folder, such as that of a virtual environment");
    Parser::new("jupyter")
        .about("Run Quasar in notebooks")
        .subcommand_required(true)
        .subcommand(
            Parser::new("install")
                .about("Install the kernel, so that Jupyter offers it")
                .args([user, prefix]),
        )
        .subcommand(
            Parser::new("serve")
                .about("Serve a kernel: a session on the standard input and output, in JSON lines"),
        )
}

pub(super) fn notebook(matches: &ArgMatches) -> Notebook {
    match matches.subcommand() {
        Some(("install", sub)) => {
            Notebook::Install { prefix: sub.get_one::<String>("prefix").map(PathBuf::from) }
        }
        _ => Notebook::Serve,
    }
}

/// The arguments of `debug` beside the common ones.
pub(super) fn debug_parser(command: Parser) -> Parser {
    command
        .about("Run a program, stop at lines, look at variables, and go on statement by statement, also backwards")
        .mut_arg("file", |file| file.required(false).required_unless_present("dap"))
        .arg(
            flag("dap")
                .help("Serve an editor: the Debug Adapter Protocol on the standard input and output"),
        )
}

/// The arguments of `memcheck` beside the common ones.
pub(super) fn memcheck_parser(command: Parser) -> Parser {
    command
        .about(
            "Run a program and look for accesses outside of arrays, races, memory without values and divergent barriers: below \
             compute-sanitizer on an NVIDIA GPU, otherwise in the emulator",
        )
        .after_help("Exit status: 0 nothing was found, 1 something was found, 2 the program could not be checked")
        .arg(
            Arg::new("tool")
                .long("tool")
                .value_name("TOOL")
                .value_parser(["memcheck", "racecheck", "initcheck", "synccheck"])
                .default_value("memcheck")
                .help(
                    "What compute-sanitizer looks for: accesses outside, races in shared memory, memory without values, or \
                     wrong barriers; the emulator looks for all of it at once",
                ),
        )
        .arg(
            Arg::new("sanitizer")
                .long("sanitizer")
                .value_name("FILE")
                .conflicts_with("emulate")
                .help("Use this compute-sanitizer instead of the one that is found, and never the emulator"),
        )
        .arg(flag("emulate").help("Use the emulator also where there is a GPU"))
}

pub(super) fn memory_check(matches: &ArgMatches) -> MemoryCheck {
    MemoryCheck {
        tool: matches.get_one::<String>("tool").cloned().unwrap_or_default(),
        sanitizer: matches.get_one::<String>("sanitizer").map(PathBuf::from),
        emulate: matches.get_flag("emulate"),
    }
}

/// The arguments of `tune` beside the common ones.
pub(super) fn tune_parser(command: Parser) -> Parser {
    let positive = |text: &str| match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    };
    command
        .about(
            "Measure a program with other values of its tuning parameters, and keep the best beside it for `quasar run`, `profile`, \
             `build` and `quasar_file!`",
        )
        .after_help(
            "What is measured: the calls of main, or the top-level statements of a program without main; between `tic` and `toc` where \
             the program says so. Combinations that print something else are never chosen.",
        )
        .arg(
            Arg::new("engine")
                .long("engine")
                .value_name("ENGINE")
                .value_parser(tuned_engine)
                .default_value("cpu")
                .help("What runs it: cpu, cuda, opencl, cuda:1 or opencl:1"),
        )
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("SECONDS")
                .value_parser(positive)
                .default_value("300")
                .help("How long it may take: no further combination is built then"),
        )
        .arg(flag("blocks").help("Also try sizes of blocks for kernels that are written as such"))
        .arg(
            Arg::new("function")
                .long("function")
                .value_name("CALL")
                .help("Measure a call instead of main, such as 'sum(blur(rand(512,512)))', and compare what it gives"),
        )
        .arg(flag("write").help("Write the best values into the program's attributes, too"))
        .arg(
            Arg::new("tolerance")
                .long("tolerance")
                .value_name("PART")
                .value_parser(positive)
                .default_value("1e-4")
                .help("How far numbers of the output may differ, as a part of the largest number of their line"),
        )
        .arg(
            Arg::new("runs")
                .long("runs")
                .value_name("COUNT")
                .value_parser(clap::value_parser!(u64).range(1..))
                .default_value("20")
                .help("Most runs of a combination; the first one makes ready and does not count"),
        )
}

/// An engine that compiles.
fn tuned_engine(text: &str) -> Result<String, String> {
    let (kind, number) = text.split_once(':').unwrap_or((text, "0"));
    let known = text == "cpu" || (["cuda", "opencl"].contains(&kind) && number.parse::<u8>().is_ok());
    if known { Ok(text.to_owned()) } else { Err("expected cpu, cuda, opencl, cuda:1 or opencl:1".to_owned()) }
}

pub(super) fn tuner(matches: &ArgMatches) -> Tuner {
    let number = |name: &str| matches.get_one::<f64>(name).copied().unwrap_or_default();
    Tuner {
        engine: matches.get_one::<String>("engine").cloned().unwrap_or_default(),
        budget: number("budget"),
        blocks: matches.get_flag("blocks"),
        function: matches.get_one::<String>("function").cloned(),
        write: matches.get_flag("write"),
        tolerance: number("tolerance"),
        runs: matches.get_one::<u64>("runs").copied().unwrap_or(1),
    }
}

pub(super) fn new_parser() -> Parser {
    Parser::new("new").about("Make a crate with a filter, a program and tests in a new folder").arg(
        Arg::new("folder")
            .value_name("NAME")
            .required(true)
            .help("The folder; its name is that of the crate"),
    )
}

pub(super) fn fmt_parser() -> Parser {
    Parser::new("fmt")
        .about("Lay out source files: indentation and blanks; comments and meaning stay")
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .help("The files; - formats the standard input to the output"),
        )
        .arg(
            flag("check").help("Change nothing; list the files that would change, and fail if there are any"),
        )
}
