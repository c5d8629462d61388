//! `quasar tune`, as a user types it. A script that writes a script instead of a program stands for cargo, so that times are the same
//! each time; the ignored test compiles and measures a real program.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = "import \"other.q\"
function y = work(n : int)
    {!tuning_param name=\"$u\"; range=[1,2,4,8]; default=1; desc=\"rounds written out\"}   % kept
    y = 0
    {!unroll times=$u}
    for k = 0..n-1
        y = max(y, mod(k, 7))
    endfor
endfunction
function [] = main(n : int = 100)
    print work(n) + other(n)
endfunction
";
const OTHER: &str = "function y = other(n : int)
    {!tuning_param name=\"$v\"; range=[1,2]; default=2}
    y = 0
    {!unroll times=$v}
    for k = 0..n-1
        y = max(y, mod(k, 5))
    endfor
endfunction
";

/// What the program does for each combination: times in milliseconds, and what it prints. It knows its values by its source.
const TIMES: &str = "case \"$values\" in
    *'\"$u = 4\"'*'\"$v = 1\"'*) times='9, 2.0, 2.1, 2.2'; printed='10.0001' ;;
    *'\"$u = 4\"'*) times='9, 3.0, 3.1, 3.2'; printed=10 ;;
    *'\"$u = 8\"'*) times='9, 0.5, 0.5, 0.5'; printed=11 ;;
    *'\"$u = 2\"'*) echo 'Error: out of memory' >&2; exit 1 ;;
    *) times='9, 4.0, 4.1, 4.2'; printed=10 ;;
esac
";

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tune").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder for tests can be written");
        let place = Place(folder);
        place.write("t.q", PROGRAM);
        place.write("other.q", OTHER);
        place.cargo();
        place
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A cargo whose programs know what they were compiled with. Measured ones write `TIMES`.
    fn cargo(&self) {
        let program = format!(
            "values=$(cat VALUES)\necho run \"$values\" \"$@\" >> '{}'\n{TIMES}[ -n \"$QUASAR_MEASURE_RESULTS\" ] || exec echo \"$printed\"\n\
             echo '{{\"times\": ['$times'], \"printed\": \"'$printed'\\n\"}}' > \"$QUASAR_MEASURE_RESULTS\"\n",
            self.path("log")
        );
        self.write("program", &format!("#!/bin/sh\n{program}"));
        let cargo = format!(
            "#!/bin/sh\nwhile [ \"$1\" != --manifest-path ]; do shift; done\n\
             name=$(sed -n 's/^name = \"\\(.*\\)\"/\\1/p' \"$2\")\nmkdir -p \"$CARGO_TARGET_DIR/release\"\n\
             out=\"$CARGO_TARGET_DIR/release/$name\"\ngrep quasar_file! \"$(dirname \"$2\")/src/main.rs\" > \"$out.values\"\n\
             sed \"s|VALUES|'$out.values'|\" '{}' > \"$out\"\nchmod +x \"$out\"\n",
            self.path("program")
        );
        self.write("cargo", &cargo);
        fs::set_permissions(self.path("cargo"), fs::Permissions::from_mode(0o755)).expect("a script");
    }

    fn quasar(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        process
            .current_dir(&self.0)
            .env("QUASAR_CACHE_DIR", self.path("cache"))
            .env("CARGO", self.path("cargo"));
        let output = process.args(arguments).output().expect("the command starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// What the last run of a program was compiled with.
    fn ran(&self) -> String {
        self.read("log").lines().last().unwrap_or_default().to_owned()
    }
}

/// A row of the table: the words behind the name.
fn row(output: &str, name: &str) -> Vec<String> {
    let line = output.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line[name.len().min(line.len())..].split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_best_combination_that_prints_the_same_is_kept_and_used() {
    let place = Place::new("kept");
    let (status, output, said) = place.quasar(&["tune", "t.q", "50"]);
    assert!(status == 0 && said.is_empty(), "{output}{said}");
    assert_eq!(
        row(&output, "$u = 1, $v = 2"),
        ["4.0000", "4.1000", "1.00", "yes", "(the", "program's", "own)"]
    );
    assert_eq!(row(&output, "$u = 4, $v = 1"), ["2.0000", "2.1000", "0.51", "yes"]);
    assert_eq!(row(&output, "$u = 8, $v = 1")[3..6], ["NO:", "line", "1"], "{output}");
    assert_eq!(row(&output, "$u = 2, $v = 1"), ["-", "-", "-", "Error:", "out", "of", "memory"], "{output}");
    assert!(
        output.contains("Warning: 2 combinations print something else, and are not chosen\n"),
        "{output}"
    );
    let best = "best: $u = 4, $v = 1; the program's own values take 1.98 times as long (8 of 8 combinations were measured)\n";
    assert!(output.contains(best), "{output}");
    let kept = place.read("t.tune.json");
    assert!(
        kept.contains("\"values\": {\"$u\": \"4\", \"$v\": \"1\"}") && kept.contains("\"engine\": \"cpu\""),
        "{kept}"
    );
    assert!(place.ran().ends_with(" 50"), "the arguments of main: {}", place.ran());

    // Later commands compile with it; what the command line says wins.
    let (status, output, said) = place.quasar(&["run", "--engine", "cpu", "t.q"]);
    assert!(status == 0 && output == "10.0001\n" && !said.contains("Q0218"), "{output}{said}");
    assert!(
        place.ran().contains("#![untuned]") && place.ran().contains("\"$u = 4\", \"$v = 1\""),
        "{}",
        place.ran()
    );
    place.quasar(&["run", "--engine", "cpu", "-D", "$u=1", "t.q"]);
    assert!(place.ran().contains("\"$u=1\", \"$v = 1\""), "{}", place.ran());
    // The interpreter does not transform programs.
    assert_eq!(place.quasar(&["run", "t.q"]).1, "10\n");
    assert_eq!(place.read("t.q"), PROGRAM);
}

#[test]
fn values_are_written_into_the_program_and_what_it_imports() {
    let place = Place::new("written");
    let (status, output, said) = place.quasar(&["tune", "--write", "t.q"]);
    assert!(status == 0, "{output}{said}");
    assert_eq!(place.read("t.q"), PROGRAM.replace("default=1;", "default=4;"));
    assert_eq!(place.read("other.q"), OTHER.replace("default=2", "default=1"));
    assert!(output.contains("t.q: the default values are the best ones now\n"), "{output}");
    // Own values that are the best need no file.
    let (_, output, _) = place.quasar(&["tune", "t.q"]);
    assert!(output.contains("best: "), "{output}");
}

#[test]
fn files_that_do_not_fit_are_warnings() {
    let place = Place::new("refused");
    place.quasar(&["tune", "t.q"]);
    let whole = place.read("t.tune.json");
    for (text, expected) in [
        (whole[..whole.len() / 2].to_owned(), "line "),
        ("{}".to_owned(), "it is no file of tuned values"),
        (
            whole.replace("\"quasar_tune\": 1", "\"quasar_tune\": 7"),
            "it is of version 7; version 1 is read here",
        ),
        (whole.replace("\"$u\"", "\"$w\""), "the program has no tuning parameter '$w'"),
    ] {
        place.write("t.tune.json", &text);
        let (status, output, said) = place.quasar(&["run", "--engine", "cpu", "t.q"]);
        assert!(status == 0 && output == "10\n", "{output}{said}");
        let begin = "Warning: t.q: the tuned values in 't.tune.json' are not used: ";
        assert!(said.starts_with(begin) && said.contains(expected) && said.contains("Q0218"), "{said}");
        assert_eq!(said.matches("Q0218").count(), 1, "{said}");
    }
    place.write("t.tune.json", &whole);
    place.write("t.q", &PROGRAM.replace("[1,2,4,8]", "[1,2,4]"));
    let said = place.quasar(&["run", "--engine", "cpu", "t.q"]).2;
    assert!(said.contains("the program had other tuning parameters when it was measured"), "{said}");
    // Another device has values of its own.
    place.write("t.q", PROGRAM);
    let device =
        whole.split("\"device\": \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a device");
    place.write("t.tune.json", &whole.replace(device, "another one"));
    let (_, output, said) = place.quasar(&["run", "-v", "--engine", "cpu", "t.q"]);
    assert!(output == "10\n" && said.contains("has no values for cpu on '"), "{output}{said}");
}

#[test]
fn calls_and_blocks_are_measured() {
    let place = Place::new("calls");
    let (status, output, said) = place.quasar(&["tune", "--function", "work(70)", "t.q"]);
    assert!(status == 0 && output.contains("best: $u = 4, $v = 1"), "{output}{said}");
    assert!(place.ran().contains("tuned_call_"), "{}", place.ran());
    assert!(place.read("t.tune.json").contains("\"$u\": \"4\""));
    let (status, _, said) = place.quasar(&["tune", "--function", "wrok", "t.q"]);
    assert!(
        status == 1 && said.contains("there is no function 'wrok'\n  = help: it has work, main"),
        "{said}"
    );
    place.write(
        "k.q",
        "function [] = __kernel__ k(x : vec, pos : int)\n    x[pos] = pos\nendfunction\nx = zeros(64)\nparallel_do(64, x, k)\nprint sum(x)\n",
    );
    let (status, _, said) = place.quasar(&["tune", "k.q"]);
    assert!(status == 1 && said.contains("`--blocks` tries sizes of blocks for its kernels"), "{said}");
    let (status, output, said) = place.quasar(&["tune", "--blocks", "k.q"]);
    assert!(
        status == 0 && output.contains("$blocks_k = 1024") && output.contains("$blocks_k: as chosen"),
        "{output}{said}"
    );
    assert!(output.contains("best: the program's own values, within 3 % (6 of 6"), "{output}");
}

#[test]
fn what_cannot_be_tuned_is_said() {
    let place = Place::new("said");
    place.write("plain.q", "print 1\n");
    place.write("wrong.q", &PROGRAM.replace("y = 0\n", "y = = 0\n"));
    place.write("fails.q", &PROGRAM.replace("default=1;", "default=2;"));
    for (arguments, expected) in [
        (
            &["plain.q"][..],
            "plain.q: there is no tuning parameter with several values\n  = help: write `{!tuning_param ",
        ),
        (&["--blocks", "plain.q"], "no kernel is written as such"),
        (&["wrong.q"], "wrong.q - line 4: "),
        (&["-D", "$u=2", "-D", "$v=1", "t.q"], "the command line gives all tuning parameters a value"),
        (&["-D", "$u = 2", "t.q"], "Error: out of memory"),
        (&["missing.q"], "missing.q"),
        (&["--budget", "0", "t.q"], "expected a number above 0"),
        (&["--engine", "interpreter", "t.q"], "expected cpu, cuda, opencl"),
    ] {
        let (status, output, said) = place.quasar(&[&["tune"], arguments].concat());
        assert!(status != 0 && said.contains(expected), "{arguments:?}: {output}{said}");
        assert!(!PathBuf::from(place.path("t.tune.json")).exists());
    }
}

#[test]
fn the_budget_ends_the_search() {
    let place = Place::new("budget");
    let (status, output, said) = place.quasar(&["tune", "--budget", "0.001", "t.q"]);
    assert!(status == 0 && output.contains("(1 of 8 combinations were measured)"), "{output}{said}");
}

#[test]
#[ignore = "compiles the run-time system: minutes"]
fn a_real_program_is_tuned() {
    let place = Place::new("real");
    let (file, cache) = (place.path("t.q"), place.path("cache"));
    let quasar = |arguments: &[&str]| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        if std::env::var_os("QUASAR_CACHE_DIR").is_none() {
            process.env("QUASAR_CACHE_DIR", &cache);
        }
        let output = process.args(arguments).arg(&file).output().expect("the command starts");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (success, said) = quasar(&["tune", "--runs", "5"]);
    assert!(success && said.contains("(8 of 8 combinations were measured)"), "{said}");
    assert_eq!(said.matches(" yes").count(), 8, "{said}");
    let (success, said) = quasar(&["run", "--engine", "cpu"]);
    assert!(success && said.starts_with("10\n"), "{said}");
}
