//! Every program under `tests/programs` prints what its `.expected` file says: on the interpreter as lowered, on the
//! interpreter after the transforms (threads in order and in random order, calls replaced by code), as compiled Rust, and as compiled Rust with
//! its kernels on each kind of device that this machine has.
//!
//! A program that compiled code cannot run yet is shown as ignored, and must be refused with a message. Without a device
//! its trials are shown as ignored; with `QUASAR_REQUIRE_DEVICES=opencl,cuda` they fail. All programs of a kind of device
//! run in one process of their own, because module-level variables live as long as the process.
//!
//! PoCL takes most of a second to compile a kernel, so that only every third program runs through OpenCL where nothing else is asked
//! for: a name, `QUASAR_REQUIRE_DEVICES`, or `QUASAR_TEST_SLICE=1/3` for those that leave 1 divided by 3 in the order of the list. Where
//! the variable is set, as in CI, the interpreter's variants (as lowered, random order, double precision, calls replaced) also run a
//! slice each.
//!
//! `UPDATE_EXPECT=1` rewrites `programs/list.in` (then run the tests again, since it is compiled in) and the expected
//! files of programs that have none; an expectation that is there is never rewritten.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar_core::backend::rust;
use quasar_core::driver::{self, Compilation};
use quasar_core::interp::{InterpOptions, Interpreter, ThreadOrder};
use quasar_core::message::render::{Style, snippets};
use quasar_core::message::{Category, Sink};
use quasar_core::settings::{Inlining, Settings};
use quasar_core::source::SearchPath;
use quasar_core::types::ElementType;
use quasar_runtime::context::capture;
use quasar_runtime::device::select;
use quasar_runtime::library::command_line;
use quasar_runtime::library::host_services::with_host;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

/// A compiled program: its path below `tests/programs` without ending, and what runs it.
type Native = (&'static str, fn(&quasar::Value) -> quasar::Result<()>);

#[cfg(not(clippy))]
macro_rules! programs {
    ($($module:ident $entry:ident $path:literal;)*) => {
        $(mod $module { quasar::quasar_file!(#![quiet] #![command_line] $path); })*
        const NATIVE: &[Native] = &[$(($path, start!($module $entry))),*];
    };
}

// Generated code allows all lints, and takes minutes to generate: clippy does without.
#[cfg(clippy)]
macro_rules! programs {
    ($($module:ident $entry:ident $path:literal;)*) => {
        const NATIVE: &[Native] = &[$(($path, |_| Ok(()))),*];
    };
}

/// How a program is started: `main` is given its arguments.
#[cfg(not(clippy))]
macro_rules! start {
    ($module:ident main) => {
        |arguments| $module::main(arguments)
    };
    ($module:ident initialize) => {
        |_| $module::initialize()
    };
}

include!("programs/list.in");

#[cfg(not(clippy))]
macro_rules! double {
    ($($module:ident $entry:ident $path:literal;)*) => {
        $(mod $module { quasar::quasar_file!(#![quiet] #![command_line] #![double] $path); })*
        const NATIVE_DOUBLE: &[Native] = &[$(($path, start!($module $entry))),*];
    };
}

#[cfg(clippy)]
macro_rules! double {
    ($($module:ident $entry:ident $path:literal;)*) => {
        const NATIVE_DOUBLE: &[Native] = &[$(($path, |_| Ok(()))),*];
    };
}

// The interpreter runs all programs in double precision; these show that compiled code does the same: each kind of kernel,
// slices, small algebra, conversions, library functions and modules.
double! {
    d_convolution initialize "tests/programs/09-builtins/imfilter_module.q";
    d_small_algebra initialize "tests/programs/09-builtins/small_algebra_in_kernels.q";
    d_reductions initialize "tests/programs/09-builtins/reductions_in_kernels.q";
    d_linear_algebra initialize "tests/programs/09-builtins/linear_algebra.q";
    d_fourier initialize "tests/programs/09-builtins/fourier.q";
    d_wavelets initialize "tests/programs/09-builtins/wavelet_module.q";
    d_resize initialize "tests/programs/09-builtins/resize_module.q";
    d_loops initialize "tests/programs/05-parallelism/loop_with_branches.q";
    d_expressions initialize "tests/programs/05-parallelism/fused_expressions.q";
    d_sums initialize "tests/programs/05-parallelism/loop_reductions.q";
    d_atomics initialize "tests/programs/05-parallelism/atomic_histogram.q";
    d_shared initialize "tests/programs/05-parallelism/shared_tree_sum.q";
    d_groups initialize "tests/programs/05-parallelism/group_block_sum.q";
    d_slices initialize "tests/programs/05-parallelism/slices_of_fixed_sizes.q";
    d_boundaries initialize "tests/programs/05-parallelism/boundary_in_kernels.q";
    d_unknown_types initialize "tests/programs/02-types/values_of_unknown_type.q";
    d_half initialize "tests/programs/02-types/half_precision.q";
}

/// Whether that process is one of the ranks of a cluster.
const ON_RANKS: &str = "QUASAR_TEST_ON_RANKS";
/// What asks a process to run all compiled programs and to print what they print.
const RUN_ALL: &str = "QUASAR_TEST_RUN_ALL";
/// Which of them it runs, where several processes share them: `1/3` is the second of every three.
const SHARE: &str = "QUASAR_TEST_SHARE";
/// Which of all programs run through OpenCL, in the same form.
const SLICE: &str = "QUASAR_TEST_SLICE";

/// `1/3` as numbers.
fn parts(name: &str) -> Option<(usize, usize)> {
    let text = std::env::var(name).ok()?;
    let (part, of) = text.split_once('/')?;
    let (part, of) = (part.parse().ok()?, of.parse().ok()?);
    (part < of).then_some((part, of))
}

/// The programs that run through OpenCL: which of every so many.
fn slice() -> (usize, usize) {
    let all = std::env::var_os("QUASAR_REQUIRE_DEVICES").is_some() || Arguments::from_args().filter.is_some();
    parts(SLICE).unwrap_or(if all { (0, 1) } else { (0, 3) })
}

fn main() {
    // Arrays of programs are small: launches that can go strip by strip do.
    quasar::context::set("RUNTIME_HOST_CACHE", "0").expect("a setting");
    if let Ok(name) = std::env::var(RUN_ALL) {
        return run_all(&name);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files = Vec::new();
    find(&root, &mut files);
    files.sort();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write_list(&root, &files);
    }
    let mut trials = vec![Trial::test("the list of compiled programs is complete", {
        let files = files.clone();
        move || complete(&files)
    })];
    let devices = [
        DeviceKind::new("opencl", select::opencl()),
        DeviceKind::new("cuda", select::cuda()),
        DeviceKind::divided("opencl, divided", select::opencl(), 1),
        DeviceKind::divided("cuda, divided", select::cuda(), 2),
        DeviceKind::ranks("2 ranks"),
        DeviceKind::ranks("3 ranks"),
    ];
    for (number, file) in files.into_iter().enumerate() {
        let name = below_package(&file);
        for engine in
            [Engine::Lowered, Engine::Transformed, Engine::Inlined, Engine::RandomOrder, Engine::Double]
        {
            if engine == Engine::Double && single_only(&file) {
                continue;
            }
            let file = file.clone();
            let runs = engine.is_in_slice(number);
            let about = if runs { "" } else { ": in another slice" };
            let trial =
                Trial::test(format!("{name} [{}{about}]", engine.name()), move || interpreted(&file, engine));
            trials.push(trial.with_ignored_flag(!runs));
        }
        if let Some((path, run)) = NATIVE_DOUBLE.iter().find(|(path, _)| *path == name) {
            let file = file.clone();
            trials.push(Trial::test(format!("{path} [cpu, double]"), move || native(&file, *run)));
        }
        match NATIVE.iter().enumerate().find(|(_, (path, _))| *path == name) {
            Some((number, (path, run))) => {
                for device in &devices {
                    trials.push(device.trial(number, path, &file));
                }
                trials.push(Trial::test(format!("{name} [cpu]"), move || native(&file, *run)));
            }
            None => {
                let trial = Trial::test(format!("{name} [cpu: not supported yet]"), || Ok(()));
                trials.push(trial.with_ignored_flag(true));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Runs all programs with such a name, for the process of a kind of device.
fn run_all(name: &str) {
    // Of the ranks of a cluster, one prints.
    let cluster = std::env::var_os(ON_RANKS).map(|_| quasar::cluster::init().expect("the other ranks"));
    let is_first = quasar::cluster::rank() == 0;
    let ((share, shares), (part, of)) = (parts(SHARE).unwrap_or((0, 1)), parts(SLICE).unwrap_or((0, 1)));
    let wanted = NATIVE.iter().enumerate().filter(|(k, (path, _))| k % of == part && path.contains(name));
    let wanted = wanted.map(|(_, program)| program);
    for (path, run) in wanted.skip(share).step_by(shares) {
        // The name first, so that a program that ends the process can be told.
        let arguments = arguments(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_default();
        if is_first {
            println!("{SECTION}{path}");
            let _ = std::io::stdout().flush();
        }
        let said = shown(&arguments, *run);
        if is_first {
            print!("{said}");
            let _ = std::io::stdout().flush();
        }
    }
    drop(cluster);
}

const SECTION: &str = "\u{1}=== ";

/// A kind of device: whether this machine has one, and what all programs print on it.
struct DeviceKind {
    name: &'static str,
    available: bool,
    /// Which programs run: one of every so many.
    slice: (usize, usize),
    outputs: Arc<LazyLock<Outputs, Box<dyn FnOnce() -> Outputs + Send>>>,
}

type Outputs = Result<BTreeMap<String, String>, String>;

impl DeviceKind {
    fn new(name: &'static str, found: select::Devices) -> DeviceKind {
        let required = std::env::var("QUASAR_REQUIRE_DEVICES").is_ok_and(|v| v.split(',').any(|k| k == name));
        let reason = found.as_ref().err().map(ToString::to_string);
        let outputs: Box<dyn FnOnce() -> Outputs + Send> = Box::new(move || match reason {
            Some(reason) => Err(reason),
            None => outputs(name),
        });
        DeviceKind {
            name,
            available: found.is_ok() || required,
            slice: slice_of(name),
            outputs: Arc::new(LazyLock::new(outputs)),
        }
    }

    /// Devices that share each launch that can be divided. PoCL's become two, which is what less than two others cannot.
    fn divided(name: &'static str, found: select::Devices, least: usize) -> DeviceKind {
        DeviceKind {
            available: found.as_ref().is_ok_and(|all| all.len() >= least),
            ..DeviceKind::new(name, found)
        }
    }

    /// The ranks of a cluster on this machine.
    fn ranks(name: &'static str) -> DeviceKind {
        let works = cfg!(feature = "mpi") && Command::new("mpirun").arg("--version").output().is_ok();
        let outputs: Box<dyn FnOnce() -> Outputs + Send> = Box::new(move || outputs(name));
        DeviceKind { name, available: works, slice: (0, 1), outputs: Arc::new(LazyLock::new(outputs)) }
    }

    fn trial(&self, number: usize, path: &'static str, file: &Path) -> Trial {
        let (file, outputs, name) = (file.to_path_buf(), Arc::clone(&self.outputs), self.name);
        let (part, of) = self.slice;
        let runs = self.available && number % of == part;
        let about = match self.available {
            true if runs => "",
            true => ": in another slice",
            false => ": none here",
        };
        let trial = Trial::test(format!("{path} [{}{about}]", self.name), move || {
            let all = outputs.as_ref().as_ref().map_err(Clone::clone)?;
            let said = all.get(path).map_or("nothing: the process ended before", String::as_str);
            if of_ranks(name).is_some() || name.ends_with(DIVIDED) {
                judge_sums(&file, said)
            } else {
                judge(&file, said)
            }
        });
        trial.with_ignored_flag(!runs)
    }
}

/// What the kinds of devices are called that share launches.
const DIVIDED: &str = ", divided";

/// Only PoCL is slow.
fn slice_of(device: &str) -> (usize, usize) {
    if device.starts_with("opencl") { slice() } else { (0, 1) }
}

/// The engine of a kind of device.
fn engine_of(device: &str) -> &str {
    match device {
        "cuda, divided" => "cuda - multi",
        _ if of_ranks(device).is_some() => "cpu",
        _ => device.strip_suffix(DIVIDED).unwrap_or(device),
    }
}

/// What the programs print in processes whose kernels run on a kind of device. PoCL compiles kernels on one thread, so that there
/// are as many processes as processors, up to four.
fn outputs(device: &str) -> Outputs {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // The name of a trial is that of a program, and then where it runs, in brackets.
    let wanted = Arguments::from_args().filter.unwrap_or_default();
    let name = wanted.split('[').next().unwrap_or_default().trim_end();
    let shares = match of_ranks(device) {
        Some(_) => 1,
        None => std::thread::available_parallelism().map_or(1, usize::from).min(4),
    };
    let run = &|share| {
        let mut command =
            of_ranks(device).map_or_else(|| Command::new(&program), |ranks| mpirun(ranks, &program));
        let (part, of) = slice_of(device);
        command.env(SLICE, format!("{part}/{of}"));
        command
            .env(RUN_ALL, name)
            .env(SHARE, format!("{share}/{shares}"))
            .env("QUASAR_DEVICE", engine_of(device));
        if device.ends_with(DIVIDED) {
            command.env("RUNTIME_DIVIDED_WORK", "1").env("POCL_DEVICES", "pthread pthread");
        }
        command.output()
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..shares).map(|share| scope.spawn(move || run(share))).collect();
        running.into_iter().map(|run| run.join().expect("the runner does not fail")).collect()
    });
    let (mut found, mut errors) = (BTreeMap::new(), String::new());
    for done in done {
        let done = done.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&done.stdout);
        let sections = text.split(SECTION).skip(1).filter_map(|part| part.split_once('\n'));
        found.extend(sections.map(|(path, said)| (path.to_string(), said.to_string())));
        errors.push_str(&String::from_utf8_lossy(&done.stderr));
    }
    if found.is_empty() { Err(errors) } else { Ok(found) }
}

/// The number of ranks that a kind of device stands for.
fn of_ranks(device: &str) -> Option<&str> {
    device.strip_suffix(" ranks")
}

/// The command that runs a program on so many ranks, which share launches of any size.
fn mpirun(ranks: &str, program: &Path) -> Command {
    let mut command = Command::new("mpirun");
    let version = Command::new("mpirun").arg("--version").output().map(|out| out.stdout).unwrap_or_default();
    if String::from_utf8_lossy(&version).contains("Open MPI") {
        command.arg("--oversubscribe");
    }
    command.args(["-n", ranks]).arg(program).env(ON_RANKS, "1").env("RUNTIME_CLUSTER_WORK", "0");
    // Containers have no other user.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// As [`judge`], where sums of floats may be added in another order.
fn judge_sums(file: &Path, said: &str) -> Result<(), Failed> {
    let expected = fs::read_to_string(file.with_extension("expected"))?;
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        split.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (found, wanted) = (words(said), words(&expected));
    let close = |(a, b): (&String, &String)| {
        a == b
            || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() <= 1e-4 * b.abs().max(1.0))
    };
    if found.len() == wanted.len() && found.iter().zip(&wanted).all(close) {
        Ok(())
    } else {
        judge(file, said)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Engine {
    Lowered,
    Transformed,
    /// Transformed, with the code of all functions that calls can be replaced by.
    Inlined,
    RandomOrder,
    /// In order, with `scalar` as double precision.
    Double,
}

impl Engine {
    /// Whether the program of this number runs so where only a slice of them is asked for: the others are shared among the slices.
    fn is_in_slice(self, number: usize) -> bool {
        let Some((part, of)) = parts(SLICE) else { return true };
        match self {
            Engine::Transformed => true,
            Engine::Lowered => (number + 3) % of == part,
            Engine::Inlined => number % of == part,
            Engine::RandomOrder => (number + 1) % of == part,
            Engine::Double => (number + 2) % of == part,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Engine::Lowered => "interpreter",
            Engine::Transformed => "interpreter, transformed",
            Engine::Inlined => "interpreter, inlined",
            Engine::RandomOrder => "interpreter, random order",
            Engine::Double => "interpreter, double",
        }
    }
}

fn find(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "q")
            && path.with_extension("expected").exists()
            || std::env::var_os("UPDATE_EXPECT").is_some()
                && path.extension().is_some_and(|ending| ending == "q")
        {
            into.push(path);
        }
    }
}

/// The path as the macro takes it.
fn below_package(file: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

fn write_list(root: &Path, files: &[PathBuf]) {
    let mut text =
        String::from("// Written by `UPDATE_EXPECT=1 cargo test --test programs`.\n\nprograms! {\n");
    for file in files.iter().filter(|file| !refused(file)) {
        let path = below_package(file);
        let stem = path.trim_start_matches("tests/programs/").trim_end_matches(".q");
        let module: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let source = fs::read_to_string(file).unwrap_or_default();
        let entry = if source.contains("= main(") { "main" } else { "initialize" };
        text.push_str(&format!("    p{module} {entry} {path:?};\n"));
    }
    text.push_str("}\n");
    let list = root.join("list.in");
    if fs::read_to_string(&list).unwrap_or_default() != text {
        fs::write(&list, text).expect("tests/programs/list.in can be written");
    }
}

/// Whether compiled programs cannot do what the program needs, and say so at a place.
fn refused(file: &Path) -> bool {
    let Ok(Compilation { program: Some(program), sources, .. }) = compile(file, true, Settings::default())
    else {
        return false;
    };
    let mut sink = Sink::default();
    driver::print_rust(&program, &sources, &rust::Options::default(), &mut sink);
    sink.messages().iter().any(|message| message.category == Category::Limitation)
}

fn complete(files: &[PathBuf]) -> Result<(), Failed> {
    let missing: Vec<String> = files
        .iter()
        .filter(|file| !NATIVE.iter().any(|(path, _)| *path == below_package(file)) && !refused(file))
        .map(|file| below_package(file))
        .collect();
    if missing.is_empty() && !NATIVE.is_empty() {
        return Ok(());
    }
    Err(format!("run with UPDATE_EXPECT=1 to add these to tests/programs/list.in: {missing:?}").into())
}

fn compile(file: &Path, optimise: bool, settings: Settings) -> Result<Compilation, Failed> {
    let text = fs::read_to_string(file)?;
    let provider = SearchPath { folders: Vec::new(), read: |path: &Path| Ok(fs::read_to_string(path).ok()) };
    let options =
        driver::Options { optimise, settings, verify: true, command_line: true, ..Default::default() };
    Ok(driver::compile(&file.to_string_lossy(), &text, &provider, &options))
}

/// What a program is started with: the words of its first line, if that is `% arguments: ..`.
fn arguments(file: &Path) -> Result<quasar::Value, Failed> {
    let text = fs::read_to_string(file)?;
    let words = text.lines().next().and_then(|line| line.strip_prefix("% arguments:")).unwrap_or("");
    Ok(command_line::arguments(words.split_whitespace().map(String::from), ElementType::Single))
}

/// Whether what a program prints depends on the precision, as its first line `% single: ..` says with the reason.
fn single_only(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.starts_with("% single: "))
}

fn interpreted(file: &Path, engine: Engine) -> Result<(), Failed> {
    let working = if engine == Engine::Double { ElementType::Double } else { ElementType::Single };
    let inlining = if engine == Engine::Inlined { Inlining::Always } else { Inlining::default() };
    let settings = Settings { precision: working, inlining, ..Settings::default() };
    let compilation = compile(file, engine != Engine::Lowered, settings)?;
    let Some(program) = &compilation.program else {
        return Err(snippets(&compilation.messages, &compilation.sources, Style::Plain).into());
    };
    let arguments = arguments(file)?;
    let order = if engine == Engine::RandomOrder { ThreadOrder::Random(7) } else { ThreadOrder::Serial };
    let (result, output) = capture(|| {
        let options = InterpOptions { order, working, ..InterpOptions::default() };
        with_host(options.working, |host| {
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
            interpreter.run_initializer()?;
            if interpreter.has_main() { interpreter.run_main(vec![arguments]).map(drop) } else { Ok(()) }
        })
    });
    let output = match result {
        Ok(()) => output,
        Err(error) => format!("{output}Error: {error}\n"),
    };
    judge(file, &output)
}

fn native(file: &Path, run: fn(&quasar::Value) -> quasar::Result<()>) -> Result<(), Failed> {
    judge(file, &shown(&arguments(file)?, run))
}

/// What a compiled program prints.
fn shown(arguments: &quasar::Value, run: fn(&quasar::Value) -> quasar::Result<()>) -> String {
    let (result, output) = capture(|| run(arguments));
    match result {
        Ok(()) => output,
        Err(error) => format!("{output}Error: {error}\n"),
    }
}

fn judge(file: &Path, output: &str) -> Result<(), Failed> {
    let path = file.with_extension("expected");
    if !path.exists() && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, output)?;
    }
    let expected = fs::read_to_string(&path)?;
    if agree(&expected, output) {
        return Ok(());
    }
    Err(format!("expected:\n{expected}\nfound:\n{output}").into())
}

/// Equal up to a relative difference of 1e-5 in numbers that are printed with a decimal point or an exponent.
fn agree(expected: &str, found: &str) -> bool {
    let (a, b) = (pieces(expected), pieces(found));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || close(a, b))
}

/// Numbers and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_number = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let mut result = Vec::new();
    let mut start = 0;
    let mut inside = false;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let now = is_number(c) || (c == '-' || c == '+') && inside && last == 'e';
        if now != inside {
            result.push(&text[start..at]);
            start = at;
            inside = now;
        }
        last = c;
    }
    result.push(&text[start..]);
    result
}

fn close(a: &str, b: &str) -> bool {
    let inexact = |text: &str| text.contains('.') || text.contains('e');
    let (Ok(x), Ok(y)) = (a.parse::<f64>(), b.parse::<f64>()) else { return false };
    (inexact(a) || inexact(b)) && (x - y).abs() <= 1e-5 * x.abs().max(y.abs())
}
