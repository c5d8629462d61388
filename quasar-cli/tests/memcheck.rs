//! `quasar memcheck`, as a user types it. A script that plays a recorded report stands for compute-sanitizer, and one that writes a
//! script instead of a program for cargo, so that nothing is compiled; with an NVIDIA GPU and the real ones, the last test runs them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "function [] = __kernel__ turn(x : vec'unchecked, y : vec, pos : int)
    y[pos] = x[pos + 1]
endfunction
y = zeros(4)
parallel_do(4, ones(4), y, turn)
";

/// A folder of one test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memcheck").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder for tests can be written");
        Place(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("a file");
        self.path(name)
    }

    fn script(&self, name: &str, text: &str) -> String {
        let path = self.write(name, &format!("#!/bin/sh\n{text}"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        path
    }

    /// Exit status, output and messages of a check below a sanitizer that plays `report`.
    fn check(&self, report: &str, options: &[&str], program_ends: u8) -> (i32, String, String) {
        let file = self.write("turn.q", PROGRAM);
        let report = self.write("report", report);
        // The program says what it was given; the sanitizer what it was asked for.
        let program = self.script(
            "program",
            &format!("echo program \"$@\" $QUASAR_DEVICE $RUNTIME_GPU_MEMORYMODEL\nexit {program_ends}\n"),
        );
        let cargo = self.script(
            "cargo",
            &format!(
                "while [ \"$1\" != --manifest-path ]; do shift; done\n\
                 name=$(sed -n 's/^name = \"\\(.*\\)\"/\\1/p' \"$2\")\n\
                 cp \"$(dirname \"$2\")/src/main.rs\" '{}'\n\
                 mkdir -p \"$CARGO_TARGET_DIR/release\"\ncp '{program}' \"$CARGO_TARGET_DIR/release/$name\"\n",
                self.path("main.rs")
            ),
        );
        let sanitizer = self.script(
            "compute-sanitizer",
            &format!(
                "echo sanitizer $1 $2\nshift 2\ncp '{report}' \"$2\"\nshift 2\n\
                 [ \"$1\" = --report-api-errors ] && shift 2\nexec \"$@\"\n"
            ),
        );
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        process.env("QUASAR_CACHE_DIR", self.path("cache")).env("CARGO", cargo).arg("memcheck");
        run(process.args(["--sanitizer", &sanitizer]).args(options).arg(file).args(["7", "--x"]))
    }
}

fn run(process: &mut Command) -> (i32, String, String) {
    let output = process.output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

const ACCESS: &str = "========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at k_turn+0x90 in turn.q:2
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x7f2b84000010 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2b84000000 of size 16 bytes
========= 
";
const SUMMARY: &str = "========= ERROR SUMMARY: 1 error\n";

#[test]
fn findings_stand_at_lines_of_the_program() {
    let place = Place::new("findings");
    let other_thread = ACCESS.replace("(3,0,0)", "(2,0,0)").replace("========= COMPUTE-SANITIZER\n", "");
    let (status, output, said) = place.check(&format!("{ACCESS}{other_thread}{SUMMARY}"), &[], 0);
    let expected = "sanitizer --tool memcheck\nprogram 7 --x cuda SmallFootprint\n\
        Error: turn.q - line 2: Invalid __global__ read of size 4 [Q0904]\n";
    let output = output.replace(&place.path(""), "");
    assert!(status == 1 && output.starts_with(expected), "{status} {output}{said}");
    assert!(output.contains("2 |     y[pos] = x[pos + 1]"), "{output}");
    assert!(output.contains("thread (3,0,0) in block (0,0,0) and 1 other thread\n"), "{output}");
    assert!(output.contains("is out of bounds and is 1 bytes after"), "{output}");
    assert!(output.ends_with("\n2 findings of compute-sanitizer (memcheck)\n"), "{output}");
    let root = fs::read_to_string(place.path("main.rs")).expect("what was compiled");
    assert!(root.contains("\"COMPILER_DEVICE_LINES = True\""), "{root}");
}

#[test]
fn the_tool_is_chosen_and_nothing_may_be_found() {
    let report = "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n";
    let (status, output, said) = Place::new("clean").check(report, &["--tool", "racecheck"], 0);
    assert!(
        status == 0 && output.starts_with("sanitizer --tool racecheck\nprogram 7 --x cuda"),
        "{output}{said}"
    );
    assert!(
        output.ends_with("nothing found by compute-sanitizer (racecheck)\n") && said.is_empty(),
        "{output}{said}"
    );
}

#[test]
fn what_could_not_be_checked_is_said() {
    let begins = "========= COMPUTE-SANITIZER\n";
    let unused = format!(
        "{begins}========= Error: Target application terminated before first instrumented API call\n"
    );
    for (name, report, ends, expected) in [
        ("silent", "", 0, "Error: compute-sanitizer did not start (exit status: 0): there is no report"),
        ("cut", begins, 0, "Error: the report of compute-sanitizer is cut off: it has no summary"),
        (
            "unused",
            &unused,
            0,
            "terminated before first instrumented API call\n  = help: the program ended before it used the GPU",
        ),
        (
            "fails",
            &format!("{begins}========= ERROR SUMMARY: 0 errors\n"),
            3,
            "Error: the program failed (exit status: 3); until then, nothing was found",
        ),
    ] {
        let (status, output, said) = Place::new(name).check(report, &[], ends);
        assert!(status == 2 && said.contains(expected), "{name}: {status} {output}{said}");
    }
    // What was found counts in spite of it.
    let (status, output, _) = Place::new("cut_behind").check(ACCESS, &[], 1);
    assert!(status == 1 && output.contains("the report is cut off, there may be more"), "{output}");
}

#[test]
fn a_sanitizer_that_is_not_there_and_programs_that_do_not_compile_are_errors() {
    let place = Place::new("missing");
    let wrong = place.write("wrong.q", "x = = 3\n");
    let (status, output, said) = run(Command::new(env!("CARGO_BIN_EXE_quasar")).args([
        "memcheck",
        "--sanitizer",
        "/no/such/sanitizer",
        &wrong,
    ]));
    assert!(status == 2 && said.contains("wrong.q - line 1") && output.is_empty(), "{said}");
    for options in [&["--emulate"][..], &[]] {
        let (status, _, said) =
            run(Command::new(env!("CARGO_BIN_EXE_quasar")).arg("memcheck").args(options).arg(&wrong));
        assert!(status == 2 && said.contains("wrong.q - line 1"), "{said}");
    }
    let (_, _, report) = place.check(ACCESS, &[], 0);
    assert!(report.is_empty(), "{report}");
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    process.env("QUASAR_CACHE_DIR", place.path("cache")).env("CARGO", place.path("cargo")).arg("memcheck");
    let (status, _, said) = run(process.args(["--sanitizer", "/no/such/sanitizer", &place.path("turn.q")]));
    assert!(status == 2 && said.contains("Error: /no/such/sanitizer could not be started: "), "{said}");
}

#[test]
fn the_emulator_looks_where_there_is_no_gpu() {
    let place = Place::new("emulator");
    let file = place.write("turn.q", PROGRAM);
    let quasar = |options: &[&str], file: &str| {
        run(Command::new(env!("CARGO_BIN_EXE_quasar")).arg("memcheck").args(options).arg(file))
    };
    let (status, output, said) = quasar(&["--emulate"], &file);
    assert!(
        status == 1 && output.contains("turn.q - line 2: ") && output.contains("Q0904"),
        "{output}{said}"
    );
    assert_eq!(
        said,
        "Note: the emulator looks at the kernels, with all its checks: `--emulate` asks for it\n"
    );
    let clean = place.write("clean.q", &PROGRAM.replace("pos + 1", "pos"));
    let (status, output, said) = quasar(&["--emulate"], &clean);
    assert!(status == 0 && output.contains("no mistakes in "), "{output}{said}");
    let fails = place.write("fails.q", "error(\"enough\")\n");
    let (status, output, said) = quasar(&["--emulate"], &fails);
    assert!(status == 2 && output.contains("enough"), "{output}{said}");
    assert!(said.ends_with("Error: the program failed; until then, nothing was found\n"), "{said}");
    if gpu_and_sanitizer().is_err() {
        let (status, _, said) = quasar(&[], &file);
        assert!(
            status == 1 && said.starts_with("Note: the emulator looks at the kernels, with all its checks: "),
            "{said}"
        );
    }
}

/// Why the real thing cannot run here.
fn gpu_and_sanitizer() -> Result<(), &'static str> {
    let devices =
        Command::new(env!("CARGO_BIN_EXE_quasar")).arg("devices").output().expect("the command starts");
    if !String::from_utf8_lossy(&devices.stdout).lines().any(|line| line.starts_with("cuda:")) {
        return Err("there is no NVIDIA GPU");
    }
    let found = Command::new("compute-sanitizer").arg("--version").output().is_ok()
        || Path::new("/usr/local/cuda/bin/compute-sanitizer").exists();
    if found { Ok(()) } else { Err("there is no compute-sanitizer") }
}

#[test]
#[ignore = "needs an NVIDIA GPU and compute-sanitizer: cargo test -p quasar-array-cli --test memcheck -- --ignored"]
fn a_gpu_finds_the_line_of_an_access_outside() {
    if let Err(why) = gpu_and_sanitizer() {
        panic!("this test cannot run: {why}");
    }
    let place = Place::new("gpu");
    let file = place.write("turn.q", PROGRAM);
    let (status, output, said) = run(Command::new(env!("CARGO_BIN_EXE_quasar")).args(["memcheck", &file]));
    assert!(status == 1 && said.is_empty(), "{status} {output}{said}");
    assert!(output.contains("turn.q - line 2: Invalid __global__ read of size 4"), "{output}");
    assert!(output.contains("thread (3,0,0) in block (0,0,0)"), "{output}");
    let race = "function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)\n    s = shared(64)\n    \
                s[blkpos] = x[pos]\n    y[pos] = s[blkdim - 1 - blkpos]\nendfunction\ny = zeros(64)\n\
                parallel_do([[64], [64]], ones(64), y, k)\n";
    let file = place.write("race.q", race);
    let (status, output, said) =
        run(Command::new(env!("CARGO_BIN_EXE_quasar")).args(["memcheck", "--tool", "racecheck", &file]));
    assert!(status == 1 && output.contains("race.q - line 3: Race"), "{status} {output}{said}");
    let clean = place.write("clean.q", &PROGRAM.replace("pos + 1", "pos"));
    for tool in ["memcheck", "racecheck", "initcheck", "synccheck"] {
        let (status, output, said) =
            run(Command::new(env!("CARGO_BIN_EXE_quasar")).args(["memcheck", "--tool", tool, &clean]));
        assert!(status == 0, "{tool}: {output}{said}");
    }
}
