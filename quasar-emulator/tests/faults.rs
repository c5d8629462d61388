//! Mistakes that were put into kernels on purpose are found, at the lines where they are; correct programs raise no alarm.

use quasar_emulator::{Emulator, MistakeKind, Program};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of programs").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "q") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The first line of such a program says what is wrong: the kind, the array (for all but barriers), the lines.
fn planted(text: &str) -> (MistakeKind, String, Vec<u32>) {
    let mut words = text.lines().next().unwrap_or_default().trim_start_matches('%').split_whitespace();
    let kind = match words.next() {
        Some("race") => MistakeKind::Race,
        Some("uninitialised") => MistakeKind::Uninitialised,
        Some("barrier") => MistakeKind::Divergence,
        Some("bounds") => MistakeKind::OutOfBounds,
        Some("dropped") => MistakeKind::Dropped,
        other => panic!("the first line begins with {other:?}"),
    };
    let array = if kind == MistakeKind::Divergence { "" } else { words.next().unwrap_or_default() };
    let mut lines: Vec<u32> = words.map(|word| word.parse().expect("a line")).collect();
    lines.dedup();
    (kind, array.to_string(), lines)
}

fn finds_all(folder: &str, at_least: usize) {
    let files = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults").join(folder));
    assert!(files.len() >= at_least, "{} programs", files.len());
    let mut missed = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let (kind, array, lines) = planted(&text);
        let program = Program::from_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let report = Emulator::new(&program).main(&[]);
        // An access with a test says which array it is in words only.
        let is_it = |found: &quasar_emulator::Mistake| {
            found.kind == kind && (found.array.is_empty() || found.array == array) && found.lines() == lines
        };
        if !report.mistakes().iter().chain(report.warnings()).any(is_it) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(missed, "{name}: {kind} on '{array}' at {lines:?}\n{report}\n");
        }
        // Where a barrier is missing, some orders of threads read before anything was written.
        let follows = |found: MistakeKind| kind == MistakeKind::Race && found == MistakeKind::Uninitialised;
        let others = report.mistakes().iter().filter(|found| found.kind != kind && !follows(found.kind));
        for other in others {
            let _ = writeln!(missed, "{}: also {} at {:?}", file.display(), other.kind, other.lines());
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

/// The programs of the other tests are correct: in none of them is anything to find. `QUASAR_TEST_SLICE=1/6` asks for the second of every
/// six of them.
#[test]
fn correct_programs_raise_no_alarm() {
    let files = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs"));
    assert!(files.len() > 300, "{} programs", files.len());
    let (part, of) = slice().unwrap_or((0, 1));
    let asked: Vec<PathBuf> = files.into_iter().skip(part).step_by(of).collect();
    let (some, others) = asked.split_at(asked.len() / 2);
    let alarms = std::thread::scope(|scope| {
        let other = scope.spawn(|| alarms(others));
        alarms(some) + &other.join().expect("the other half")
    });
    assert!(alarms.is_empty(), "{alarms}");
}

/// What the emulator finds in programs. Those that must not compile have no place among them.
fn alarms(files: &[PathBuf]) -> String {
    let mut found = String::new();
    for file in files {
        let Ok(program) = Program::from_file(file) else { continue };
        let report = Emulator::new(&program).seeds(0..1).main(&[]);
        if !report.is_clean() {
            let _ = writeln!(found, "{}\n{report}\n", file.display());
        }
    }
    found
}

/// Which of every so many programs are asked for.
fn slice() -> Option<(usize, usize)> {
    let text = std::env::var("QUASAR_TEST_SLICE").ok()?;
    let (part, of) = text.split_once('/')?;
    let (part, of) = (part.parse().ok()?, of.parse().ok()?);
    (part < of).then_some((part, of))
}

#[test]
fn races_are_found() {
    finds_all("races", 20);
}

#[test]
fn divergent_barriers_are_found() {
    finds_all("barriers", 10);
}

#[test]
fn accesses_out_of_bounds_are_found() {
    finds_all("bounds", 10);
}

#[test]
fn uninitialised_reads_are_found() {
    finds_all("uninitialised", 10);
}

/// A store outside of an array does nothing, which is said and is no mistake.
#[test]
fn dropped_stores_are_told() {
    finds_all("dropped", 5);
    let text = "x = zeros(4)\nparallel_do(8, x, __kernel__ (x : vec, pos : int) -> x[pos] = 1)\n";
    let program = Program::from_text("dropped.q", text).expect("a program");
    let report = Emulator::new(&program).main(&[]);
    assert!(report.is_clean());
    let shown = report.to_string();
    assert!(shown.contains("a store outside of 'x' does nothing: x[4], size 4"), "{shown}");
}
