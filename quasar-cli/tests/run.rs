//! `quasar run` and `quasar emulate`, as a user types them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Success, standard output and standard error of a program that is run with arguments.
fn run(name: &str, program: &str, arguments: &[&str]) -> (bool, String, String) {
    command("run", name, program, arguments)
}

fn command(command: &str, name: &str, program: &str, arguments: &[&str]) -> (bool, String, String) {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, program).expect("the folder for tests can be written");
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    let output = process.arg(command).arg(&file).args(arguments).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

const PROGRAM: &str = "print \"top\"\nfunction [] = main(name, count : int = 2, ...rest)\n    \
    print name, \" \", count, \" \", numel(rest)\nendfunction\n";

#[test]
fn main_is_given_its_arguments() {
    let (success, output, _) = run("given.q", PROGRAM, &["a.png", "7", "--x", "9"]);
    assert!(success);
    assert_eq!(output, "top\na.png 7 2\n");
}

#[test]
fn missing_arguments_have_their_defaults() {
    assert_eq!(run("defaults.q", PROGRAM, &["a.png"]).1, "top\na.png 2 0\n");
}

#[test]
fn options_behind_the_file_reach_main_with_a_warning() {
    let (success, output, said) = run("behind.q", PROGRAM, &["a.png", "7", "--doubel"]);
    assert!(success && output == "top\na.png 7 1\n", "{output}");
    assert!(
        said.starts_with("Warning: '--doubel' stands behind the file") && said.contains("--double "),
        "{said}"
    );
    assert_eq!(run("behind.q", PROGRAM, &["a.png", "7", "--colour"]).2, "");
    let (_, output, said) = run("behind.q", PROGRAM, &["--", "a.png", "7", "--double"]);
    assert_eq!((&output[..], &said[..]), ("top\na.png 7 1\n", ""));
}

#[test]
fn a_device_that_is_not_there_is_refused_before_the_program_is_built() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no_device.q");
    std::fs::write(&file, "print 1\n").expect("the folder for tests can be written");
    for engine in ["opencl:99", "cuda:99"] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        // Nothing is built: there is no cargo.
        let process = process.env("CARGO", "/no/cargo").args(["run", "--engine", engine]).arg(&file);
        let output = process.output().expect("the command starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.starts_with(&format!("Error: the engine '{engine}' cannot be used: ")), "{said}");
    }
}

#[test]
fn performance_warnings_are_counted() {
    let program = "function [a, b] = two(x)\n    a = x\n    b = x\nendfunction\n";
    let (_, _, said) = run("counted.q", &format!("{program}two(1)\n"), &[]);
    assert_eq!(said, "1 performance warning is not shown; -v or `quasar check` shows it\n");
    let (_, _, said) = run("counted.q", &format!("{program}[_, _] = two(1)\n"), &[]);
    assert_eq!(said, "");
}

#[test]
fn codes_are_explained() {
    let explained = |code: &[&str]| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        let output = process.arg("explain").args(code).output().expect("the command starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (success, output, _) = explained(&["q0128"]);
    assert!(success && output.starts_with("Q0128\n  What is wrong: `'` is used to transpose."), "{output}");
    assert!(output.ends_with("What to do: Write `transpose(x)`.\n"), "{output}");
    assert!(explained(&[]).1.lines().count() > 150);
    let (success, output, said) = explained(&["Q9999"]);
    assert!(!success && output.is_empty() && said.contains("no message with the code 'Q9999'"), "{said}");
}

#[test]
fn a_missing_argument_is_an_error() {
    let (success, _, said) = run("missing.q", PROGRAM, &[]);
    assert!(!success);
    assert!(
        said.contains("main(name, count = .., ...rest): expected at least 1 argument, found 0"),
        "{said}"
    );
}

#[test]
fn an_argument_of_another_type_is_an_error() {
    let (success, _, said) = run("type.q", PROGRAM, &["a.png", "many"]);
    assert!(!success);
    assert_eq!(said, "Error: main: argument 2 ('count : int') must be a whole number, found many\n");
}

#[test]
fn a_program_without_parameters_takes_none() {
    let (success, _, said) = run("none.q", "function [] = main()\nendfunction\n", &["1"]);
    assert!(!success);
    assert!(said.contains("main(): expected no arguments, found 1"), "{said}");
}

#[test]
fn definitions_give_constants_other_values() {
    let program = "N = 4\nname = \"a\"\nfunction [] = main()\n    print name, \" \", N, \" \", numel(zeros(N))\nendfunction\n";
    let (success, output, said) = run("defined.q", program, &[]);
    assert!(success, "{said}");
    assert_eq!(output, "a 4 4\n");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("defined.q");
    for command in ["run", "emulate"] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        let output =
            process.args([command, "-DN=6", "-D", "name=\"b\""]).arg(&file).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.starts_with("b 6 6\n"), "{command}: {said}");
    }
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    let output = process.args(["check", "-DM=6"]).arg(&file).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the program has no constant 'M'") && said.contains("M=6\n"), "{said}");
}

#[test]
fn double_precision_reaches_the_arguments() {
    let program = "function [] = main(x)\n    print x == 0.1, \" \", 16777217.0 + x - x\nendfunction\n";
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("double.q");
    std::fs::write(&file, program).expect("the folder for tests can be written");
    let output =
        Command::new(env!("CARGO_BIN_EXE_quasar")).arg("--double").arg(&file).arg("0.1").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 16777217\n", "{output:?}");
}

#[test]
fn devices_are_listed_or_missed_with_a_reason() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_quasar")).arg("devices").output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    for kind in ["cpu: ", "cuda:", "opencl:"] {
        assert!(said.lines().any(|line| line.starts_with(kind)), "{said}");
    }
}

const RACE: &str = "function [] = __kernel__ turn(x : vec, pos : int, blkpos : int, blkdim : int)
    s = shared(4)
    s[blkpos] = x[pos]
    x[pos] = s[blkdim - 1 - blkpos]
endfunction
function [] = main(n : int)
    x = float(0..n - 1)
    parallel_do(n, x, turn)
    print numel(x)
endfunction
";

#[test]
fn emulation_shows_both_lines_of_a_race() {
    let (success, output, _) = command("emulate", "race.q", RACE, &["4"]);
    assert!(!success);
    assert!(output.starts_with("4\n"), "{output}");
    for expected in
        ["race on 's'", "race.q:4:14", "3 |     s[blkpos] = x[pos]", "put 'syncthreads' between the two"]
    {
        assert!(output.contains(expected), "{expected} is missing:\n{output}");
    }
    assert!(
        output.contains("turn: 4 positions in blocks of 4, 16 bytes of shared memory; occupancy at most")
    );
}

#[test]
fn emulation_of_a_correct_program_succeeds_and_traces() {
    let right = RACE.replace("    x[pos] = s", "    syncthreads\n    x[pos] = s");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("right.q");
    std::fs::write(&file, right).expect("the folder for tests can be written");
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    let output = process.args(["emulate", "--trace", "--position", "3"]).arg(&file).arg("4").output();
    let output = output.expect("the command starts");
    assert!(output.status.success());
    let shown = String::from_utf8_lossy(&output.stdout);
    let expected = "\
4
launch turn: 4 positions in blocks of 4
  line   3  thread [3]     reads   x[3] = 3
  line   3  thread [3]     writes  s[3] = 3 (shared)
  line   4  block 0 passes the barrier
  line   5  thread [3]     reads   s[0] = 0 (shared)
  line   5  thread [3]     writes  x[3] = 0
turn: 4 positions in blocks of 4, 16 bytes of shared memory, 1 barrier; occupancy at most 50 %, limited by the number of blocks
no mistakes in 3 runs
";
    assert_eq!(shown, expected);
}

/// The same for a command with environment variables.
fn with_environment(arguments: &[&str], file: &Path, variables: &[(&str, &str)]) -> (bool, String, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    process.args(arguments).arg(file).envs(variables.iter().copied());
    let output = process.output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn settings_of_the_compiler_come_from_three_places() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("settings.q");
    std::fs::write(&file, "print 16777217.0 - 16777216.0\n").expect("a program");
    let config = file.with_file_name("settings.xml");
    let text = "<setting name=\"COMPILER_PRECISION\"><value>Double</value></setting>";
    std::fs::write(&config, text).expect("a configuration file");
    let config = config.to_str().expect("a path");
    let printed = |arguments: &[&str], variables: &[(&str, &str)]| {
        let (success, output, said) = with_environment(arguments, &file, variables);
        assert!(success, "{said}");
        output
    };
    let (single, double) = ("0\n", "1\n");
    assert_eq!(printed(&["run"], &[]), single);
    assert_eq!(printed(&["run"], &[("QUASAR_CONFIG", config)]), double);
    let variables = [("QUASAR_CONFIG", config), ("COMPILER_PRECISION", "SINGLE")];
    assert_eq!(printed(&["run"], &variables), single);
    assert_eq!(printed(&["run", "--set", "COMPILER_PRECISION=double"], &variables), double);
    assert_eq!(printed(&["run", "-D", "COMPILER_PRECISION=double"], &variables), double);
    assert_eq!(printed(&["run", "--double"], &variables), double);
    assert_eq!(printed(&["run", "--single"], &[("COMPILER_PRECISION", "double")]), single);
    let wrong = [("COMPILER_PRECISION", "quarter")];
    let (success, _, said) = with_environment(&["run"], &file, &wrong);
    assert!(!success);
    assert!(said.contains("'quarter' is no value of 'COMPILER_PRECISION'; use single, double"), "{said}");
    let (success, _, said) = with_environment(&["check", "--set", "COMPILER_SPEED=3"], &file, &[]);
    assert!(
        !success && said.contains("there is no setting 'COMPILER_SPEED'; there are COMPILER_OUT"),
        "{said}"
    );
}

#[test]
fn settings_check_numbers_and_choose_the_size_of_warps() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("checked_numbers.q");
    let program = "function [] = __kernel__ k(x : vec, y : vec, pos : int)\n    y[pos] = 1 / x[pos]\nendfunction\n\
                   y = zeros(3)\nparallel_do(3, [1.0, 0.0, 2.0], y, k)\nprint y\n";
    std::fs::write(&file, program).expect("a program");
    let (success, output, said) =
        with_environment(&["run", "--set", "RUNTIME_CHECK_NANINF=True"], &file, &[]);
    assert!(!success && said.contains("infinity in y[1], size 3, line 2"), "{output}{said}");
    let (success, output, said) = with_environment(&["run"], &file, &[("RUNTIME_CHECK_NANINF", "False")]);
    assert!(success && output == "[1,Inf,0.5]\n", "{output}{said}");
    let program = "function [] = __kernel__ k(y : ivec, pos : int, coalesced_threads, warpsize : int)\n    \
                   y[pos] = coalesced_threads.size + 100 * warpsize\nendfunction\n\
                   y = zeros[int](6)\nparallel_do([[6], [6]], y, k)\nprint y\n";
    std::fs::write(&file, program).expect("a program");
    for (size, expected) in
        [("4", "[404,404,404,404,402,402]\n"), ("32", "[3206,3206,3206,3206,3206,3206]\n")]
    {
        let (success, output, said) = with_environment(&["run"], &file, &[("RUNTIME_WARP_SIZE", size)]);
        assert!(success && output == expected, "{output}{said}");
    }
}

#[test]
fn a_setting_says_how_deep_calls_may_be_nested() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nested.q");
    let with = |calls: &str, n: u32| {
        let program = "function y : int = down(n : int)\n    y = 0\n    if n > 0\n        y = down(n - 1) + 1\n    endif\n";
        std::fs::write(&file, format!("{program}endfunction\nprint down({n})\n")).expect("a program");
        let set = format!("RUNTIME_NESTED_CALLS={calls}");
        [
            with_environment(&["run", "--set", &set], &file, &[]),
            with_environment(&["run"], &file, &[("RUNTIME_NESTED_CALLS", calls)]),
        ]
    };
    for (success, output, said) in with("50", 49).into_iter().chain(with("150000", 49)) {
        assert!(success && output == "49\n", "{output}{said}");
    }
    for (success, _, said) in with("50", 50) {
        assert!(!success);
        assert!(
            said.contains("calls are nested more than 50 deep; does a recursion never end?, line 4"),
            "{said}"
        );
    }
    for (success, output, said) in with("150000", 149_000) {
        assert!(success && output == "149000\n", "{output}{said}");
    }
}

#[test]
fn tests_of_indices_are_as_the_setting_says() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bounds.q");
    let program = "function y = at(x : vec, k : int)\n    y = x[k]\nendfunction\n\
                   function y = any(x : vec'unchecked, k : int)\n    y = x[k]\nendfunction\n\
                   function y = safe(x : vec'safe, k : int)\n    y = x[k]\nendfunction\n\
                   x = [1, 2]\nprint any(x, 1), safe(x, 7)\n";
    let with = |line: &str, setting: &str| {
        std::fs::write(&file, format!("{program}{line}\n")).expect("a program");
        with_environment(&["run"], &file, &[("COMPILER_OUTOFBOUNDS_CHECKS", setting)])
    };
    for (line, setting, fails) in [
        ("print any(x, 7)", "True", true),
        ("print any(x, 7)", "False", false),
        ("print at(x, 7)", "True", true),
        ("print at(x, 7)", "False", false),
    ] {
        let (success, output, said) = with(line, setting);
        assert_eq!(success, !fails, "{line} {setting}: {said}");
        assert!(output.starts_with("20\n"), "{output}");
        assert_eq!(said.contains("index out of bounds"), fails, "{line} {setting}: {said}");
    }
}

/// Only a loop that is forced to be parallel can differ: the compiler parallelises only loops that give the same result
/// in any order.
#[test]
fn debug_says_where_a_parallel_loop_differs_from_the_loop() {
    let forced = "a = ones(50)\n{!parallel for}\nfor k = 1..49\n    a[k] = a[k-1] + 1\nendfor\nprint a[49]\n";
    let (success, _, said) = run("forced.q", forced, &["--debug"]);
    assert!(!success);
    assert!(said.contains("the loop does something else in parallel than in order: a["), "{said}");
    assert!(said.contains("line 3"), "{said}");
    let (success, output, _) = run("forced_without.q", forced, &[]);
    assert!(success);
    assert_eq!(output, "50\n");
}

#[test]
fn debug_runs_loops_over_two_names_of_one_array_in_order() {
    let program = "function y = same(x)\n    y = x\nendfunction\nfunction [] = main()\n    a = zeros(6)\n    b = same(a)\n    \
                   for k = 1..5\n        a[k] = b[k-1] + 1\n    endfor\n    c = zeros(6)\n    for k = 1..5\n        \
                   c[k] = a[k-1] + 1\n    endfor\n    print a, c\nendfunction\n";
    let (success, output, said) = run("two_names.q", program, &["--debug"]);
    assert!(success, "{said}");
    assert_eq!(output, "[0,1,2,3,4,5][0,1,2,3,4,5]\n");
}

#[test]
fn emit_shows_the_program_behind_a_pass_and_all_passes() {
    let text = "y = zeros(8)\nfor n = 0..7\n    y[n] = n\nendfor\nprint y\n";
    let (ok, before, _) = command("emit", "behind_lowering", text, &["--after", "lower"]);
    assert!(ok && before.contains("for n = 0..7") && !before.contains("parallel_do"), "{before}");
    let (ok, behind, _) = command("emit", "behind_a_pass", text, &["--after", "autoparallel"]);
    assert!(ok && behind.contains("parallel_do(") && behind.contains("__kernel__"), "{behind}");
    let (ok, exact, _) = command("emit", "behind_exactly", text, &["--after", "autoparallel", "--exact"]);
    assert!(ok && exact.starts_with("(Program classes []") && exact.contains("(Launch kernel %0"), "{exact}");
    let (ok, _, said) = command("emit", "behind_nothing", text, &["--after", "magic"]);
    assert!(!ok && said.contains("magic"), "{said}");
    let (ok, list, _) = command("emit", "passes", text, &["--list-passes"]);
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert!(ok && names.contains(&"autoparallel") && names.contains(&"register_tiling"), "{list}");
}

/// The files of a folder for figures, and what was said when a program drew there.
fn drawn(name: &str, program: &str) -> (bool, Vec<String>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-figures"));
    let _ = std::fs::remove_dir_all(&folder);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.q"));
    std::fs::write(&file, program).expect("the folder for tests can be written");
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    process.arg("run").arg(&file).env("QUASAR_DISPLAY", format!("svg:{}", folder.display()));
    let output = process.output().expect("the command starts");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    (output.status.success(), files, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn figures_are_shown_and_said_where() {
    let (success, files, said) = drawn(
        "figures",
        "f = imshow([[0,300],[0,1]])\nimshow(zeros(3,4) > 0, [])\ng = figure()\nplot([1,2,4], \"r--\")\nhold(\"on\")\n\
         plot([0,1,2], [3,1,2])\ntitle(\"Two\")\nlegend(\"a\", \"b\")\nassert(f == 1 && g == 2)\n",
    );
    assert!(success, "{said}");
    assert_eq!(files, ["figure-1-2.svg", "figure-1.svg", "figure-2.svg"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(
        lines[0].starts_with("figure 1: ") && lines[0].ends_with("figure-1.svg (1 outside of 0 to 255)"),
        "{said}"
    );
    assert!(lines[2].ends_with("figure-2.svg"), "{said}");
}

#[test]
fn what_cannot_be_shown_is_an_error_in_its_line() {
    for (program, message) in [
        ("imshow(zeros(0,5))\n", "imshow: the image is empty (0x5)"),
        ("x = zeros(2,2,2)\nimshow(x)\n", "imshow: an image has 1 channel"),
        ("imshow(ones(2,2), [1,0])\n", "low < high"),
        ("plot([1,2], [1,2,3])\n", "plot: there are 2 places for 3 values"),
        ("plot([1,2], \"purple\")\n", "is no style"),
        ("colormap(\"rainbow\")\n", "unknown colour map"),
        ("hold(\"yes\")\n", "must be \"on\" or \"off\""),
        ("subplot(2,2,5)\n", "a grid has"),
        ("axis([1,0,0,1])\n", "x0 < x1"),
        ("figure(0)\n", "figures have the numbers 1, 2"),
    ] {
        let (success, files, said) = drawn("no_figure", program);
        assert!(!success && files.is_empty() && said.contains(message), "{program}: {said}");
    }
}
