//! `quasar repl`, driven through its standard input.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Success, standard output and standard error of a session in a folder of its own.
fn session(folder: &str, files: &[(&str, &str)], arguments: &[&str], input: &str) -> (bool, String, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("repl").join(folder);
    std::fs::create_dir_all(&folder).expect("folders can be made");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("the folder for tests can be written");
    }
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    let process = process.arg("repl").args(arguments).current_dir(&folder);
    let process = process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// What a session that fails nowhere prints.
fn printed(folder: &str, input: &str) -> String {
    let (success, output, said) = session(folder, &[], &[], input);
    assert!(success && said.is_empty(), "{output}{said}");
    output
}

#[test]
fn values_of_expressions_are_printed_and_variables_stay() {
    let input = "1 + 2\nx = 3\nx * 2\nx = \"now a text\"\nx\na = [1,2,3]\na[1] = 10\na; a[0] + 1\nprint x\nassert(true)\n";
    assert_eq!(printed("values", input), "3\n6\nnow a text\n2\nnow a text\n");
    let input = "m = zeros(2,2)\nm[0,:] = [1,2]\nm\nx = 1\nx += 1\nx\nw : int8 = 3\n:type w\n[p, q] = size(m)\np + q\n";
    let (success, output, said) = session("values", &[], &[], input);
    assert!(output.starts_with("[ [1,2],\n  [0,0] ]\n2\nint8\n"), "{success} {output}{said}");
}

#[test]
fn blocks_and_brackets_go_on_until_they_are_closed() {
    let input = "function y = sq(v)\n  y = v .* v\nendfunction\nsq([1,\n2,\n3])\nfor i = 0..1\n  if i > 0\n    print i\n  endif\nendfor\n\n% a comment\n";
    assert_eq!(printed("blocks", input), "[1,4,9]\n1\n");
}

#[test]
fn endings_of_both_kinds_labels_and_continued_lines_are_read() {
    let input = "function y = f(x : int)\n  y = x\nend\nfor k = 1..1\n  print \"long\"\nendfor\nfor k = 1..1\n  print \"short\"\nend\n\
                 x = f(1) + _\n  2\nx +\n1\nouter:\nfor i = 0..3\n  for k = 0..3\n    break outer\n  end\nend\ni\n";
    assert_eq!(printed("endings", input), "long\nshort\n4\n0\n");
}

#[test]
fn modes_masks_and_cells_are_kept() {
    let input = "a : vec'mirror = [1.0,2.0,3.0]\na[-1]\n:type a\nm = a > 1.5\na[m]\nt = {1, \"x\", [1,2]}\nt[0] = 2.5\nt[2][1] = 7\nt\n";
    assert_eq!(printed("modes", input), "1\nvec'mirror\n[2,3]\n{2.5,\"x\",[1,7]}\n");
}

#[test]
fn functions_stay_and_can_be_written_again() {
    let input = "a = 10\nfunction y = f(x : int)\ny = x + a\nendfunction\nf(1)\na = 20\nf(1)\nfunction y = f(x : int)\ny = -x\nendfunction\nf(1)\n\
                 function y = f(x : int, z : int)\ny = x * z\nendfunction\nf(1) + f(2, 3)\n:list\n";
    let (success, output, said) = session("functions", &[], &[], input);
    assert!(success, "{said}");
    let list = "function y = f(x : int)\nfunction y = f(x : int, z : int)\n";
    assert_eq!(output, format!("11\n21\n-1\n5\n{list}"));
}

#[test]
fn functions_objects_and_cells_are_values_in_later_entries() {
    let input = "x = 3\nf = t -> t + x\nx = 5\nf(1)\ng = {f, \"a\"}\ng[0](2)\nf\n\
                 type point : mutable class\n  u : int\nendtype\np = point(u := 4)\nq = p\np.u = 7\nq\n:type q\n:type f\n";
    assert_eq!(printed("objects", input), "4\n5\nlambda(t)\npoint{u=7}\npoint\nfunction\n");
}

#[test]
fn objects_keep_their_classes_whatever_an_entry_uses() {
    let types = "type a : mutable class\n  u : int\nendtype\ntype b : mutable class\n  v : vec\nendtype\n";
    let again = "type a : mutable class\n  z : string\n  u : int\nendtype\n";
    let input = format!(
        "{types}p = a(u := 1)\nq = b(v := [1,2])\nq.v\np.u\n{again}p\nq\n:forget p\n:forget q\n{again}p = a(z := \"k\", u := 2)\np\n"
    );
    let (success, output, said) = session("classes", &[], &[], &input);
    assert!(
        !success && said.contains("this changes classes, of which variables may have objects: p, q"),
        "{said}"
    );
    assert_eq!(output, "[1,2]\n1\na{u=1}\nb{v=[1,2]}\na{z=\"k\",u=2}\n");
}

#[test]
fn kernels_run_and_change_arrays_of_the_session() {
    let input = "function [] = __kernel__ add(a : vec, b : scalar, pos : int)\n  a[pos] = a[pos] + b\nendfunction\n\
                 v = [1.0,2.0,3.0]\nparallel_do(numel(v), v, 5.0, add)\nv\n";
    assert_eq!(printed("kernels", input), "[6,7,8]\n");
}

#[test]
fn errors_are_shown_in_what_was_typed_and_change_nothing() {
    let input = "x = 3\nx = 4; y = nothing + 1\nx = 5; z = rand(2)[x]\nx\nz\nx +\nprint \"abc\nx\n";
    let (success, output, said) = session("errors", &[], &[], input);
    assert!(!success);
    assert_eq!(output, "3\n3\n");
    assert!(
        said.contains("Error: input 2 - line 1: unknown name 'nothing' [Q0201]\n --> input 2:1:12"),
        "{said}"
    );
    assert!(said.contains("Error: input 3 - line 1: index out of bounds"), "{said}");
    assert!(said.contains("Error: input 5 - line 1: unknown name 'z'"), "{said}");
    assert!(said.contains("this string is not closed on its line"), "{said}");
}

#[test]
fn errors_in_earlier_functions_are_shown_there_and_those_of_lambdas_where_they_are_called() {
    let input =
        "function y = third(x : vec)\n   y = x[2]\nendfunction\nthird([1,2])\nf = t -> t[2]\n1 + f([1,2])\n";
    let (_, _, said) = session("places", &[], &[], input);
    assert!(
        said.contains("Error: input 1 - line 2: index out of bounds: x[2], size 2\n --> input 1:2:8"),
        "{said}"
    );
    assert!(said.contains("Error: input 4 - line 1: index out of bounds: t[2], size 2"), "{said}");
}

#[test]
fn what_is_open_at_the_end_is_an_error() {
    let (success, output, said) = session("open", &[], &[], "x = 3\nx\nfunction y = f(x)\n  y = (x\n");
    assert!(!success && output == "3\n");
    assert!(said.contains("this `function` is not closed"), "{said}");
    assert!(session("open", &[], &[], "").0, "an empty input is none");
}

#[test]
fn imports_and_files_run_once() {
    let files = [(
        "lib.q",
        "print \"it runs\"\nbase = 10\nfunction y = more(x : int)\n  y = x + base\nendfunction\n",
    )];
    let (success, output, said) = session("imports", &files, &[], "import \"lib.q\"\nmore(1)\nbase\n");
    assert!(success, "{said}");
    assert_eq!(output, "it runs\n11\n10\n");
    let (success, output, said) = session("imports", &files, &["lib.q"], "more(2)\nbase = 0\nmore(2)\n");
    assert!(success, "{said}");
    assert_eq!(output, "it runs\n12\n2\n");
    let (success, output, _) = session("imports", &files, &[], ":load lib.q\nmore(3)\n:load no.q\n");
    assert!(!success && output == "it runs\n13\n");
}

#[test]
fn commands_answer() {
    let input = "x = 2.5\nfunction y = f(a : int)\n  y = a + 1\nendfunction\nfunction y = g(v)\n  y = v\nendfunction\n\
                 :type x * 2\n:type f\n:type [1,2] == [1,3]\n:vars\n:emit f\n:emit g(1.5)\n:time f(2)\n:help\n:forget x\nx\n:quit\nprint \"not here\"\n";
    let (success, output, said) = session("commands", &[], &[], input);
    assert!(!success && said.contains("unknown name 'x'"), "{said}");
    let expected = "scalar\nfunction y = f(a : int)\n";
    assert!(output.starts_with(expected), "{output}");
    for part in [
        "x : scalar\n",
        "function [y : int] = f(a : int)\n    y = (a + 1)\n",
        "= g(v : scalar)",
        "3\n",
        " ms\n",
        ":emit FUNCTION",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
    assert!(!output.contains("not here"));
}

#[test]
fn wrong_commands_are_refused() {
    let input = ":nothing\n:type\n:vars all\n:type 1 +\n:emit g\n:forget g\nfunction y = g(v)\n  y = v\nendfunction\n:emit g\n\
                 a = 1\nfunction y = h(x : int)\n  y = x + a\nendfunction\n:forget a\nh(1)\n";
    let (success, output, said) = session("wrong", &[], &[], input);
    assert!(!success && output == "2\n", "{output}");
    for part in [
        "there is no command ':nothing'; ':help' lists all",
        "':type' needs more: :type EXPR",
        "':vars' takes nothing",
        "expected an expression",
        "there is no code of 'g'\n",
        "nothing is called 'g'",
        "its parameters have no types: write a call, as in ':emit g(1)'",
        "'a' stays, since it is used",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
