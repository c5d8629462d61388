//! Many programs as one crate of several binaries, which are built side by side: built once, run once for each set of
//! instructions that kernels are compiled for, and on devices where that is asked for.

use crate::generator::is_double;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The instruction sets, as the setting of the runtime names them. Processors without one take the next lower.
const INSTRUCTIONS: [&str; 3] = ["baseline", "avx2", "avx512"];
/// How long the programs of a crate may run; they take less than a second, or minutes where a device's compiler is slow.
const LIMIT: Duration = Duration::from_secs(900);

/// Where the programs of a crate run: what is said of it, and the variable of the environment that chooses it.
type Engine = (String, &'static str, String);

fn engines() -> Vec<Engine> {
    let processors =
        INSTRUCTIONS.map(|set| (format!("{set} instructions"), "RUNTIME_INSTRUCTIONS", set.to_string()));
    let devices = std::env::var("QUASAR_SEEDS_DEVICES").unwrap_or_default();
    let devices = devices.split(',').filter(|name| !name.is_empty());
    let devices = devices.map(|name| (format!("kernels on {name}"), "QUASAR_DEVICE", name.to_string()));
    processors.into_iter().chain(devices).collect()
}

/// The number and the text of a program.
type Program = (u64, String);

/// Fewer programs are not worth a binary of their own.
const SMALLEST: usize = 10;

/// A crate in a folder of its own.
pub(crate) struct Crate {
    folder: PathBuf,
    target: PathBuf,
    /// How many binaries are built at once: rustc does the first half of its work on one thread.
    binaries: usize,
    /// How far the macros are optimised: it takes a minute, which they win back over many batches only.
    macros: u8,
}

impl Crate {
    /// A crate for about so many programs in all.
    pub(crate) fn new(name: &str, programs: u64, binaries: usize) -> Crate {
        let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (folder, target) = (temporary.join(name), temporary.join("random_programs_target"));
        Crate { folder, target, binaries, macros: u8::from(programs > 2000) }
    }

    /// The programs of each binary.
    fn shares<'a>(&self, programs: &'a [Program]) -> impl Iterator<Item = &'a [Program]> {
        programs.chunks(programs.len().div_ceil(self.binaries).max(SMALLEST))
    }

    /// What each program prints, or what is wrong with it. A program that does not compile is left out and the others
    /// are tried again.
    pub(crate) fn outputs(&self, programs: &[Program]) -> BTreeMap<u64, String> {
        let mut found = BTreeMap::new();
        let mut left: Vec<Program> = programs.to_vec();
        while !left.is_empty() {
            self.write(&left).expect("the crate of random programs can be written");
            match self.build() {
                Ok(()) => break,
                Err(errors) => {
                    let wrong = accused(&errors);
                    let before = left.len();
                    left.retain(|(seed, _)| !wrong.contains(seed));
                    assert!(left.len() < before, "the crate of random programs cannot be built:\n{errors}");
                    found.extend(wrong.into_iter().map(|seed| (seed, errors.clone())));
                }
            }
        }
        if !left.is_empty() {
            self.run_all(&left, &mut found);
        }
        found
    }

    fn run_all(&self, programs: &[Program], found: &mut BTreeMap<u64, String>) {
        let count = self.shares(programs).count();
        for engine in engines() {
            let texts: Vec<String> = std::thread::scope(|scope| {
                let engine = &engine;
                let start = |binary| scope.spawn(move || self.run(binary, engine));
                let running: Vec<_> = (0..count).map(start).collect();
                let done = running.into_iter().map(|run| run.join().expect("the runner does not fail"));
                done.map(|text| text.expect("the built programs can be run")).collect()
            });
            let sections = sections(&texts.concat());
            for (seed, _) in programs {
                let output = sections.get(seed).cloned().unwrap_or_else(|| "nothing".to_string());
                let kept = found.entry(*seed).or_insert_with(|| output.clone());
                if *kept != output {
                    *kept = format!("with {}:\n{output}\nwith others:\n{kept}", engine.0);
                }
            }
        }
    }

    fn write(&self, programs: &[Program]) -> io::Result<()> {
        let package = env!("CARGO_MANIFEST_DIR");
        // Files of an earlier crate would be built as well.
        let _ = std::fs::remove_dir_all(self.folder.join("src"));
        std::fs::create_dir_all(self.folder.join("src/bin"))?;
        for (seed, text) in programs {
            std::fs::write(self.folder.join(format!("{seed}.q")), text)?;
        }
        for (binary, share) in self.shares(programs).enumerate() {
            std::fs::write(self.folder.join(format!("src/bin/share{binary}.rs")), source(share))?;
        }
        std::fs::copy(Path::new(package).join("Cargo.lock"), self.folder.join("Cargo.lock"))?;
        // Devices only where programs are to run on them: their bindings take time to build.
        let asked =
            ["QUASAR_SEEDS_DEVICES", "QUASAR_SEEDS_KEEP"].iter().any(|name| std::env::var_os(name).is_some());
        let devices = if asked { r#""cuda", "opencl""# } else { "" };
        // Nothing is built twice, and a panic ends the run, so what serves neither is left out.
        let manifest = format!(
            "[package]\nname = \"random_programs\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             quasar-array = {{ path = {package:?}, default-features = false, features = [{devices}] }}\n\n[profile.dev]\ndebug = false\n\
             incremental = false\npanic = \"abort\"\n\n[profile.dev.build-override]\nopt-level = {}\n\n[workspace]\n",
            self.macros
        );
        std::fs::write(self.folder.join("Cargo.toml"), manifest)
    }

    /// Builds the crate; otherwise what rustc says.
    fn build(&self) -> Result<(), String> {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--offline"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("QUASAR_MESSAGES", "off")
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_INCREMENTAL")
            .output()
            .expect("cargo starts");
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    }

    fn binary(&self, number: usize) -> PathBuf {
        self.target.join(format!("debug/share{number}"))
    }

    /// Copies the built programs and what they must print to a folder, to be run on another machine.
    pub(crate) fn keep(
        &self,
        folder: &Path,
        programs: &[Program],
        expected: &BTreeMap<u64, String>,
    ) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        for (binary, share) in self.shares(programs).enumerate() {
            let name = format!("seeds{}", share[0].0);
            let printed: String = share
                .iter()
                .map(|(seed, _)| format!("=== {seed}\n{}", expected.get(seed).map_or("", String::as_str)))
                .collect();
            std::fs::copy(self.binary(binary), folder.join(&name))?;
            std::fs::write(folder.join(format!("{name}.expected")), printed)?;
        }
        Ok(())
    }

    /// What the programs of a binary print until the end or the first panic.
    fn run(&self, binary: usize, (_, variable, value): &Engine) -> io::Result<String> {
        let path = self.folder.join(format!("output{binary}"));
        let file = File::create(&path)?;
        // Arrays of random programs are small: all or none of the launches that can go strip by strip do.
        let line_buffers = if value == "avx2" { "512" } else { "0" };
        let mut child = Command::new(self.binary(binary))
            .env("QUASAR_DEVICE", "cpu")
            .env("RUNTIME_HOST_CACHE", line_buffers)
            .env(variable, value)
            .stderr(file.try_clone()?)
            .stdout(file)
            .spawn()?;
        let start = Instant::now();
        while child.try_wait()?.is_none() {
            if start.elapsed() > LIMIT {
                child.kill()?;
                child.wait()?;
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
    }
}

/// The main file of a binary that runs the programs.
fn source(programs: &[Program]) -> String {
    let mut main = String::from("#![forbid(unsafe_code)]\n");
    let mut calls = String::new();
    for (seed, text) in programs {
        let precision = if is_double(text) { "#![double] " } else { "" };
        let _ = writeln!(main, "mod s{seed} {{ quasar::quasar_file!({precision}\"{seed}.q\"); }}");
        let _ = writeln!(calls, "    run({seed}, s{seed}::main);");
    }
    let _ = writeln!(
        main,
        "fn run(seed: u64, program: fn() -> quasar::Result<()>) {{\n    println!(\"=== {{seed}}\");\n    \
         if let Err(error) = program() {{\n        println!(\"Error: {{error}}\");\n    }}\n}}\n\
         fn main() {{\n{calls}}}"
    );
    main
}

/// The programs that rustc's messages name.
fn accused(errors: &str) -> BTreeSet<u64> {
    let calls = errors.split("quasar_file!(").skip(1).filter_map(|rest| rest.split_once(".q\""));
    let names = calls.filter_map(|(call, _)| call.rsplit('"').next());
    names.filter_map(|seed| seed.parse().ok()).collect()
}

fn sections(text: &str) -> BTreeMap<u64, String> {
    let parts = text.split("=== ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.filter_map(|(seed, output)| Some((seed.parse().ok()?, output.to_string()))).collect()
}
