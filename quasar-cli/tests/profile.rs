//! `quasar profile`, as a user types it.

use std::path::PathBuf;
use std::process::Command;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn quasar(arguments: &[&str], environment: &[(&str, &str)]) -> (bool, String, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    process.env_remove("QUASAR_PROFILE").envs(environment.iter().copied());
    let output = process.args(arguments).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

const PROGRAM: &str = "function [] = main(n : int)
    x = ones(20, 30)
    y = zeros(20, 30)
    for k = 1..n
        for i = 0..19
            for j = 0..29
                y[i,j] = x[i,j] * k
            endfor
        endfor
        last = k
    endfor
    print max(y[3,4], last)
endfunction
";

fn program(name: &str) -> String {
    let file = path(name);
    std::fs::write(&file, PROGRAM).expect("the folder for tests can be written");
    file.to_string_lossy().into_owned()
}

#[test]
fn a_program_is_measured_shown_and_compared() {
    let file = program("measured.q");
    let name = |name: &str| path(name).to_string_lossy().into_owned();
    let (report, trace, other) =
        (name("measured.json"), name("measured_trace.json"), name("measured_other.json"));
    let (success, output, said) =
        quasar(&["profile", "--lines", "-o", &report, "--trace", &trace, &file, "7"], &[]);
    assert!(success && output.starts_with("7\n\n"), "{output}{said}");
    let line = output.lines().find(|line| line.contains("main_line5")).expect("the kernel");
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(words.contains(&"7") && line.contains("measured.q:5") && line.contains("interpreter"), "{line}");
    assert!(line.ends_with("20x30"), "{line}");
    assert!(
        output.lines().any(|line| line.contains("5  |         for i = 0..19") && line.contains("in 7")),
        "{output}"
    );
    let written = std::fs::read_to_string(&trace).expect("a trace");
    assert_eq!(written.matches("\"ph\": \"X\"").count(), 7);

    let (success, shown, _) = quasar(&["profile", &report], &[]);
    assert!(success && output.contains(shown.trim()), "{shown}");
    assert!(quasar(&["profile", "-o", &other, &file, "3"], &[]).0);
    let (success, compared, _) = quasar(&["profile", "--compare", &report, &other], &[]);
    let line = compared.lines().find(|line| line.contains("main_line5")).expect("the kernel");
    assert!(success && line.contains(" x "), "{compared}");
}

#[test]
fn the_environment_asks_for_a_report() {
    let file = program("environment.q");
    let report = path("environment.json").to_string_lossy().into_owned();
    let (success, output, said) = quasar(&["run", "--debug", &file, "2"], &[("QUASAR_PROFILE", &report)]);
    assert!(success && output == "2\n", "{output}{said}");
    let (success, shown, said) = quasar(&["profile", &report], &[]);
    assert!(success && shown.contains("main_line5"), "{shown}{said}");
    let nowhere = path("no/such/folder.json").to_string_lossy().into_owned();
    let (success, output, said) = quasar(&["run", &file, "2"], &[("QUASAR_PROFILE", &nowhere)]);
    assert!(success && output == "2\n", "{output}");
    assert!(said.contains("Warning: profile: '") && said.contains("folder.json"), "{said}");
}

#[test]
fn a_program_that_fails_is_shown_as_well() {
    let file = path("fails.q");
    std::fs::write(&file, format!("{PROGRAM}main(2)\nerror(\"enough\")\n")).expect("a program");
    let (success, output, said) = quasar(&["profile", &file.to_string_lossy()], &[]);
    assert!(!success && said.contains("enough") && output.contains("main_line5"), "{output}{said}");
}

#[test]
fn what_is_no_report_is_said() {
    let report = path("wrong.json").to_string_lossy().into_owned();
    for (text, expected) in [
        ("", "this is no report, or a damaged one: line 1: expected a value, the file ends"),
        ("{\"quasar_profile\": 1, \"rows\": [", "line 1: expected a value, the file ends"),
        ("{\"traceEvents\": []}", "this is JSON, but no report of a Quasar program"),
        ("{\"quasar_profile\": 9}", "this is a report of version 9; version 1 is read here"),
        ("{\"quasar_profile\": 1}", "the report is damaged"),
        ("function y = f(x)", "this is no report"),
    ] {
        std::fs::write(&report, text).expect("a file");
        for arguments in [vec!["profile", &report], vec!["profile", "--compare", &report, &report]] {
            let (success, output, said) = quasar(&arguments, &[]);
            assert!(!success && output.is_empty(), "{output}");
            assert!(said.contains("wrong.json") && said.contains(expected), "{said}");
        }
    }
    let (success, _, said) = quasar(&["profile", "/no/such/report.json"], &[]);
    assert!(!success && said.contains("/no/such/report.json"), "{said}");
    assert!(!quasar(&["profile", "--compare", &report], &[]).0);
    assert!(!quasar(&["profile"], &[]).0);
}
