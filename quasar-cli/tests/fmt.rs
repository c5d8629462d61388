//! `quasar fmt` and programs that stand in no file, as a user types them.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Success, standard output and standard error of the command with an input.
fn quasar(arguments: &[&str], input: &str) -> (bool, String, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    process.stdin.take().unwrap().write_all(input.as_bytes()).expect("the command reads");
    let output = process.wait_with_output().expect("the command ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

fn file(name: &str, text: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("the folder for tests can be written");
    file
}

#[test]
fn files_are_formatted_in_place_and_keep_their_mode() {
    let path = file("fmt_place.q", "if 1\nprint  2 % two\nendif");
    let name = path.to_string_lossy().into_owned();
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    let (success, output, _) = quasar(&["fmt", "--check", &name], "");
    assert!(!success && output == format!("{name}\n"), "{output}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "if 1\nprint  2 % two\nendif", "only checked");
    let (success, output, said) = quasar(&["fmt", &name], "");
    assert!(success && output.is_empty() && said.is_empty(), "{output}{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "if 1\n    print 2 % two\nendif\n");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o640);
    }
    assert!(quasar(&["fmt", "--check", &name], "").0);
}

#[test]
fn the_standard_input_is_formatted_to_the_output() {
    assert_eq!(quasar(&["fmt", "-"], "x=1").1, "x = 1\n");
    let (success, output, _) = quasar(&["fmt", "--check", "-"], "x=1");
    assert!(!success && output == "-\n");
}

#[test]
fn files_with_errors_are_left_and_the_others_formatted() {
    let (bad, good) = (file("fmt_bad.q", "x = (1\ny=2\n"), file("fmt_good.q", "x=1\n"));
    let (success, _, said) = quasar(&["fmt", &bad.to_string_lossy(), &good.to_string_lossy()], "");
    assert!(!success && said.contains("line 2:") && said.contains("1 file has errors"), "{said}");
    assert_eq!(std::fs::read_to_string(&bad).unwrap(), "x = (1\ny=2\n");
    assert_eq!(std::fs::read_to_string(&good).unwrap(), "x = 1\n");
    let (success, _, said) = quasar(&["fmt", "no_such_file.q"], "");
    assert!(!success && said.starts_with("Error: no_such_file.q: "), "{said}");
}

#[test]
fn programs_stand_on_the_command_line_or_in_the_input() {
    assert_eq!(quasar(&["-e", "print 1+2"], "").1, "3\n");
    let main = "function [] = main(a, b)\n    print a, \" \", b\nendfunction";
    assert_eq!(quasar(&["run", "-e", main, "x", "-y"], "").1, "x -y\n");
    assert_eq!(quasar(&["run", "-", "p", "q"], main).1, "p q\n");
    let (success, _, said) = quasar(&["run", "--engine", "cpu", "-e", "print 1"], "");
    assert!(!success && said.contains("`--engine cpu` compiles files"), "{said}");
    let (success, _, said) = quasar(&["--double", "-e", "print nosuch"], "");
    assert!(!success && said.contains("command line - line 1:"), "{said}");
}
