//! Every kernel of the test programs and examples compiles for CUDA devices: by NVRTC, for each architecture that is
//! supported, on machines without a GPU too. With `QUASAR_TEST_SLICE=0/6`, as in CI, half of the kernels compile for one of the three
//! architectures, others with `1/6` to `5/6`. Registers and spilled bytes are printed with `--nocapture`.
//!
//! NVRTC is a library of the CUDA toolkit, also to be had as `pip install nvidia-cuda-nvrtc`. Without it the trials are
//! shown as ignored; with `QUASAR_REQUIRE_NVRTC=1` they fail.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar_core::backend::clike::{self, DeviceKernel};
use quasar_core::driver::{self, Options};
use quasar_core::ir::{KernelId, Program};
use quasar_core::message::Sink;
use quasar_core::source::{NoImports, SearchPath, SourceMap};
use quasar_core::transform::kernel::shaped_for_devices;
use quasar_devicelib::device_text::{Dialect, compose};
use quasar_runtime::device::cuda::{Nvrtc, nvrtc};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The oldest architecture that is supported, the one before the newest, and the newest that is measured.
const ARCHITECTURES: [i32; 3] = [75, 80, 90];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/programs", "examples"] {
        find(&root.join(folder), &mut files);
    }
    files.sort();
    let required = std::env::var_os("QUASAR_REQUIRE_NVRTC").is_some();
    let missing = nvrtc().err();
    let mut trials = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let about = if missing.is_some() { " [no NVRTC]" } else { "" };
        let trial = Trial::test(format!("{name}{about}"), move || check(&file));
        trials.push(trial.with_ignored_flag(missing.is_some() && !required));
    }
    assert!(!trials.is_empty(), "no programs were found");
    let about = if missing.is_some() { " [no NVRTC]" } else { "" };
    let trial = Trial::test(format!("kinds of memory{about}"), kinds_of_memory);
    trials.push(trial.with_ignored_flag(missing.is_some() && !required));
    let trial = Trial::test(format!("lines of the program{about}"), lines);
    trials.push(trial.with_ignored_flag(missing.is_some() && !required));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn find(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "q") {
            into.push(path);
        }
    }
}

fn check(file: &Path) -> Result<(), Failed> {
    let compiler = nvrtc().map_err(|reason| reason.to_string())?;
    let text = fs::read_to_string(file)?;
    let provider = SearchPath { folders: Vec::new(), read: |path: &Path| Ok(fs::read_to_string(path).ok()) };
    let compilation = driver::compile(&file.to_string_lossy(), &text, &provider, &Options::default());
    // Programs that are wrong on purpose are tested elsewhere.
    let Some(program) = compilation.program else { return Ok(()) };
    let program = shaped_for_devices(&program);
    for (number, kernel) in printed(&program, &compilation.sources)?.values().enumerate() {
        for architecture in architectures(number) {
            kernel.versions().try_for_each(|version| compile(compiler, version, architecture))?;
        }
    }
    Ok(())
}

/// The architectures that the kernel of this number is compiled for.
fn architectures(number: usize) -> impl Iterator<Item = i32> {
    let asked = std::env::var("QUASAR_TEST_SLICE").ok();
    let parts = asked.as_deref().and_then(|asked| asked.split_once('/'));
    let slice = parts.and_then(|(slice, of)| Some((slice.parse().ok()?, of.parse::<usize>().ok()?.max(1))));
    let (slice, of) = slice.unwrap_or((0_usize, 1));
    ARCHITECTURES
        .into_iter()
        .enumerate()
        .filter_map(move |(k, found)| ((number + k) % of == slice).then_some(found))
}

/// The text of all kernels that devices run.
fn printed(program: &Program, sources: &SourceMap) -> Result<BTreeMap<KernelId, DeviceKernel>, Failed> {
    let mut sink = Sink::default();
    let kernels = clike::kernels(program, sources, &mut sink);
    match sink.into_sorted().first() {
        Some(message) => Err(message.text.clone().into()),
        None => Ok(kernels),
    }
}

/// Machine code keeps the lines of the program where the text names them and the option asks for it.
fn lines() -> Result<(), Failed> {
    // NVRTC makes PTX for architectures that it does not know.
    const UNKNOWN: i32 = 91;
    let text = "function y = __device__ half(x : scalar)\n y = x / 2\nend\n\
                function [] = __kernel__ k(x : vec'unchecked, y : vec'unchecked, pos : int)\n s = shared(32)\n s[mod(pos, 32)] = x[pos]\n \
                syncthreads\n for j = 0..3\n  y[pos + j] = half(x[pos + 7]) + s[j]\n end\nend\nfunction [] = f(x : vec, y : vec)\n \
                parallel_do(numel(y), x, y, k)\nend\n";
    let compilation = driver::compile("a \"b\"/named.q", text, &NoImports, &Options::default());
    let program = shaped_for_devices(&compilation.program.ok_or("the program is wrong")?);
    let mut sink = Sink::default();
    let kernels = clike::kernels_naming(clike::Naming::Lines, &program, &compilation.sources, &mut sink);
    let kernel = kernels.values().next().ok_or("there is no kernel for devices")?;
    let text = compose(Dialect::Cuda, &kernel.text);
    let compiler = nvrtc().map_err(|reason| reason.to_string())?;
    let compiled = compiler.compile("k", &text, &["--generate-line-info"], UNKNOWN)?;
    let text = String::from_utf8_lossy(&compiled.image);
    let named = text.lines().filter(|line| line.trim_start().starts_with(".file"));
    let named: Vec<&str> = named.filter(|line| line.contains("named.q")).collect();
    let file = named.first().and_then(|line| line.split_whitespace().nth(1)).ok_or("the file is missing")?;
    for line in [2, 6, 7, 9] {
        let place = format!(".loc\t{file} {line} ");
        if !text.contains(&place) {
            return Err(format!("no '{place}' in\n{text}").into());
        }
    }
    for architecture in ARCHITECTURES {
        compiler.compile(
            "k",
            &compose(Dialect::Cuda, &kernel.text),
            &["--generate-line-info"],
            architecture,
        )?;
    }
    Ok(())
}

/// Arrays that are only read go through the read-only cache, those that are `'hwconst` through constant memory.
fn kinds_of_memory() -> Result<(), Failed> {
    // NVRTC makes PTX for architectures that it does not know.
    const UNKNOWN: i32 = 91;
    let loads = |modifier: &str| -> Result<[bool; 3], Failed> {
        let text = format!(
            "function [] = __kernel__ k(x : vec{modifier}, y : vec, pos : int)\n y[pos] = x[0] + y[pos+1]\nend\n\
             function [] = f(x : vec, y : vec)\n parallel_do(numel(y), x, y, k)\nend\n"
        );
        let compilation = driver::compile("memory.q", &text, &NoImports, &Options::default());
        let program = shaped_for_devices(&compilation.program.ok_or("the program is wrong")?);
        let kernels = printed(&program, &compilation.sources)?;
        let kernel = kernels.values().next().ok_or("there is no kernel for devices")?;
        let text = compose(Dialect::Cuda, &kernel.text);
        let compiled = nvrtc().map_err(|reason| reason.to_string())?.compile("k", &text, &[], UNKNOWN)?;
        let text = String::from_utf8_lossy(&compiled.image);
        let has = |load: &str| text.contains(load);
        Ok([has("ld.global.nc."), has("ld.const."), has("ld.global.f32")])
    };
    for (modifier, expected) in [
        ("", [true, false, true]),
        ("'hwtex_const", [true, false, true]),
        ("'hwtex_nearest", [true, false, true]),
        ("'hwconst", [false, true, true]),
    ] {
        let found = loads(modifier)?;
        if found != expected {
            return Err(format!("{modifier}: read-only, constant, ordinary loads: {found:?}").into());
        }
    }
    Ok(())
}

fn compile(compiler: &Nvrtc, kernel: &DeviceKernel, architecture: i32) -> Result<(), Failed> {
    let text = compose(Dialect::Cuda, &kernel.text);
    let compiled = compiler.compile(&kernel.entry, &text, &["--ptxas-options=-v"], architecture);
    let compiled = compiled.map_err(|error| format!("{error}\n{}", kernel.text))?;
    // The assembler says for each kernel: "Used 32 registers, 1024 bytes smem" and "8 bytes spill stores".
    let said: Vec<&str> =
        compiled.log.lines().filter(|line| line.contains("registers") || line.contains("spill")).collect();
    println!("sm_{architecture} {}: {}", kernel.entry, said.join(" ").replace("ptxas info    : ", ""));
    Ok(())
}
