//! `quasar debug`, driven through its standard input: by commands, and by the Debug Adapter Protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

fn file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("debug");
    std::fs::create_dir_all(&folder).expect("folders can be made");
    std::fs::write(folder.join(name), text).expect("the folder for tests can be written");
    folder.join(name)
}

/// Success, standard output and standard error of commands on a program.
fn debug(name: &str, program: &str, arguments: &[&str], commands: &str) -> (bool, String, String) {
    let path = file(name, program);
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    let process = process.args(["debug", name]).args(arguments).current_dir(path.parent().expect("a folder"));
    let process = process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().expect("the command starts");
    // A program that does not compile ends before it has read its commands.
    let _ = child.stdin.take().expect("a pipe").write_all(commands.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// What is shown of places: lines such as `x.q:3 in f`.
fn places(output: &str) -> Vec<&str> {
    output.lines().filter(|line| line.contains(".q:") && line.contains(" in ")).collect()
}

const PROGRAM: &str = "\
scale = 2
function y = double_it(x : int)
    y = x * scale
endfunction

function y = total(v : vec)
    y = 0.0
    for i = 0..numel(v)-1
        y += v[i]
    endfor
endfunction

function [] = main()
    k = double_it(4)
    v = [1.0, 2.0, 3.0]
    s = total(v)
    print s, \" \", k
endfunction
";

#[test]
fn steps_go_into_over_and_out_of_functions() {
    let (success, output, said) =
        debug("steps.q", PROGRAM, &[], "s\ns\nlocals\nstack\nf\nn\nn\nlocals\nn\nq\n");
    assert!(success, "{output}{said}");
    let expected = [
        "steps.q:1 in the top-level statements",
        "steps.q:14 in main",
        "steps.q:3 in double_it",
        "*0 steps.q:3 in double_it",
        " 1 steps.q:14 in main",
        "steps.q:15 in main",
        "steps.q:16 in main",
        "steps.q:17 in main",
    ];
    assert_eq!(places(&output)[..8], expected[..], "{output}");
    assert!(
        output.contains("\nk = 8\nv = [1,2,3]\ns = 6\n") && output.contains("\n6 8\nthe program has ended\n"),
        "{output}"
    );
}

#[test]
fn breakpoints_have_conditions_and_expressions_use_variables_and_functions() {
    let commands = "b 9 if v[i] > 1.5\nb double_it\nb\nc\np x + 1\nup\np x\nc\np double_it(i) * 10\np v[0..1]\nlocals\nd 1\nc\nq\n";
    let (success, output, said) = debug("breakpoints.q", PROGRAM, &[], commands);
    assert!(!success && said.contains("unknown name 'x'"), "x is not in main: {said}");
    let listed = "breakpoint 1 at breakpoints.q:9 if v[i] > 1.5: y += v[i]\nbreakpoint 2 at breakpoints.q:3: y = x * scale\n";
    assert_eq!(output.matches(listed).count(), 2, "{output}");
    assert!(
        output.contains("breakpoint 2: breakpoints.q:3 in double_it\n   3 |     y = x * scale\n5\n"),
        "{output}"
    );
    assert!(output.contains("breakpoint 1: breakpoints.q:9 in total\n   9 |         y += v[i]\n20\n[1,2]\nv = [1,2,3]\ny = 1\ni = 1\n"), "{output}");
    assert!(output.ends_with("6 8\nthe program has ended\n"), "{output}");
}

#[test]
fn steps_go_back() {
    let commands = "b 9\nc\nc\nc\np y\nbc\np y\nbs\nbs\np y\nbn\nbn\nbn\nbs\nc 16\nbn\nbs\nq\n";
    let (success, output, said) = debug("back.q", PROGRAM, &[], commands);
    assert!(success, "{output}{said}");
    let found = places(&output);
    let expected = [
        "back.q:1 in the top-level statements",
        "breakpoint 1 at back.q:9: y += v[i]",
        "breakpoint 1: back.q:9 in total",
        "breakpoint 1: back.q:9 in total",
        "breakpoint 1: back.q:9 in total",
        "back.q:9 in total",
        "back.q:8 in total",
        "back.q:9 in total",
        "back.q:8 in total",
        "back.q:7 in total",
        "back.q:16 in main",
        "back.q:15 in main",
        "back.q:16 in main",
        "back.q:15 in main",
        "back.q:3 in double_it",
    ];
    let without: Vec<&str> = expected.iter().copied().filter(|line| !line.contains(" at ")).collect();
    assert_eq!(found, without, "{output}");
    assert!(output.contains("\n3\nback.q:9 in total\n   9 |         y += v[i]\n1\n"), "{output}");
}

#[test]
fn errors_stop_in_front_of_their_statement() {
    let program = "function y = third(v : vec)\n    n = numel(v)\n    y = v[n]\nendfunction\nprint \"begin\"\nprint third([1,2])\n";
    let (success, output, said) = debug("errors.q", program, &[], "c\nlocals\nbs\nc\nc\nbs\nq\n");
    assert!(success && said.is_empty(), "{said}");
    assert!(
        output.contains("begin\nError: errors.q - line 3: index out of bounds: v[2], size 2\n"),
        "{output}"
    );
    assert!(
        output
            .contains("stopped in front of it: errors.q:3 in third\n   3 |     y = v[n]\nv = [1,2]\nn = 2\n"),
        "{output}"
    );
    assert_eq!(output.matches("the program has ended with an error").count(), 1, "{output}");
    assert_eq!(output.matches("begin\n").count(), 1, "what was printed is not printed again: {output}");
}

#[test]
fn errors_that_are_caught_are_none() {
    let program = "function y = f(x : int)\n    if x > 1\n        error \"too large\"\n    endif\n    y = x\nendfunction\n\
                   try\n    print f(5)\ncatch e\n    print \"caught: \", e\nendtry\nprint \"end\"\n";
    let (success, output, said) = debug("caught.q", program, &[], "b 10\nc\nstack\nn\nn\nq\n");
    assert!(success, "{output}{said}");
    assert!(output.contains("breakpoint 1: caught.q:10 in the top-level statements"), "{output}");
    assert!(output.ends_with("caught: too large\ncaught.q:12 in the top-level statements\n  12 | print \"end\"\nend\nthe program has ended\n"), "{output}");
}

#[test]
fn kernels_are_entered_thread_by_thread() {
    let program = "function [] = __kernel__ add(a : vec, b : scalar, pos : int)\n    c = b * 2\n    a[pos] = a[pos] + c\nendfunction\n\
                   v = [1.0,2.0,3.0]\nparallel_do(numel(v), v, 1.0, add)\nprint v\n";
    let (success, output, said) =
        debug("kernels.q", program, &[], "b 3 if pos == 1\nc\nlocals\nstack\nbs\nbs\nf\nq\n");
    assert!(success, "{output}{said}");
    assert!(output.contains("breakpoint 1: kernels.q:3 in add, position [1]\n"), "{output}");
    assert!(
        output.contains("*0 kernels.q:3 in add\n 1 kernels.q:6 in the top-level statements\n"),
        "{output}"
    );
    assert!(output.contains("a = [3,2,3]\nb = 1\n") && output.contains("c = 2\npos = 1\n"), "{output}");
    assert!(output.contains("kernels.q:3 in add, position [0]\n"), "{output}");
}

#[test]
fn shared_variables_are_those_of_the_program() {
    let program = "base = 1\nbase = base + numel([1,2])\nfunction y = plus(x : int)\n    y = x + base\nendfunction\n\
                   print plus(1)\nbase = 10\nprint plus(1)\n";
    let commands = "b plus\nc\nglobals\np base\np plus(100)\nup\np plus(5) + base\nc\np plus(5)\nd 1\nc\nq\n";
    let (success, output, said) = debug("shared_variables.q", program, &[], commands);
    assert!(success, "{said}");
    assert!(output.contains("base = 3\n3\n103\n") && output.contains("print plus(1)\n11\n4\n"), "{output}");
    assert!(output.ends_with("y = x + base\n15\n11\nthe program has ended\n"), "{output}");
}

#[test]
fn random_numbers_are_the_same_again() {
    let program = "a = rand(1)\nb = rand(1)\nprint numel(a) + numel(b)\n";
    let (_, output, _) =
        debug("random.q", program, &[], "n\nn\np a[0] * 1000\np b[0] * 1000\nbs\nn\np b[0] * 1000\nq\n");
    let numbers: Vec<&str> = output.lines().filter(|line| line.parse::<f64>().is_ok()).collect();
    assert!(numbers.len() == 3 && numbers[0] != numbers[1] && numbers[1] == numbers[2], "{output}");
}

#[test]
fn arguments_reach_main_and_imports_are_entered() {
    file("shared.q", "function y = inner(x)\n    y = x + 1\nendfunction\n");
    let program = "import \"shared.q\"\nfunction [] = main(n : int)\n    print inner(n)\nendfunction\n";
    let (success, output, said) = debug("imports.q", program, &["41"], "b shared.q:1\nc\np x\nc\nq\n");
    assert!(success, "{output}{said}");
    assert!(output.contains("breakpoint 1: ") && output.contains("shared.q:2 in inner"), "{output}");
    assert!(output.contains("\n41\n42\nthe program has ended\n"), "{output}");
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_lost() {
    let commands = "b 99\nb nowhere\nb no.q:3\nb 3 if\nd 7\nbogus\nfinish now\np\np 1 +\np missing\nup\ndown\nb 4\nb 18\nb 9 if nothing\nc\nq\n";
    let (success, output, said) = debug("refused.q", PROGRAM, &[], commands);
    assert!(!success);
    for part in [
        "refused.q has 18 lines, no line 99",
        "no function 'nowhere' with statements",
        "the program has no file 'no.q'",
        "a condition stands behind 'if'",
        "there is no breakpoint '7'",
        "there is no command 'bogus'; 'help' lists all",
        "'finish' takes nothing",
        "'p' needs more: p EXPR",
        "expected an expression",
        "unknown name 'missing'",
        "this is the outermost call",
        "this is the innermost call",
        "no statement that can run begins at or behind line 18",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(output.contains("breakpoint 1 at refused.q:7: y = 0.0"), "line 4 has no statement: {output}");
    assert!(
        output.contains("the condition of breakpoint 2 cannot be computed: unknown name 'nothing'")
            || output.contains("breakpoint 1: refused.q:7"),
        "{output}"
    );
}

#[test]
fn programs_that_do_not_compile_and_inputs_that_end_are_errors() {
    let (success, output, said) = debug("wrong.q", "print nothing\n", &[], "c\n");
    assert!(!success && output.is_empty() && said.contains("unknown name 'nothing'"), "{said}");
    let (success, _, said) = debug("ends.q", PROGRAM, &[], "s\ns\n");
    assert!(!success && said.contains("the input ended while the program stands at ends.q:3"), "{said}");
    let (success, output, said) = debug("empty.q", "function y = f(x)\n    y = x\nendfunction\n", &[], "q\n");
    assert!(success && output == "the program has ended\n", "{output}{said}");
}

/// An editor that speaks the Debug Adapter Protocol.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
    /// What the program printed.
    printed: String,
}

impl Editor {
    fn new() -> Editor {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        let process = process.args(["debug", "--dap"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn().expect("the command starts");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Editor { child, input, output: BufReader::new(output), number: 0, printed: String::new() }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "the adapter ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).expect("a whole message");
        let message: Value = serde_json::from_slice(&text).expect("JSON");
        if message["event"] == "output" && message["body"]["category"] == "stdout" {
            self.printed += message["body"]["output"].as_str().expect("a text");
        }
        message
    }

    /// Sends a request; its answer.
    fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let message =
            json!({"seq": number, "type": "request", "command": command, "arguments": arguments}).to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{message}", message.len()).expect("it reads");
        self.input.flush().expect("it reads");
        loop {
            let message = self.message();
            if message["type"] == "response" && message["request_seq"] == number {
                return message;
            }
        }
    }

    fn event(&mut self, event: &str) -> Value {
        loop {
            let message = self.message();
            if message["event"] == event {
                return message["body"].clone();
            }
            // Nothing else follows where a program stands or has ended.
            assert!(
                !["stopped", "terminated"].contains(&message["event"].as_str().unwrap_or("")),
                "{message}"
            );
        }
    }

    /// Lets the program go on; why it stopped, and in which line.
    fn go(&mut self, command: &str) -> (String, u64) {
        assert_eq!(self.request(command, json!({"threadId": 1}))["success"], true, "{command}");
        self.stopped()
    }

    fn stopped(&mut self) -> (String, u64) {
        let why = self.event("stopped")["reason"].as_str().expect("a reason").to_owned();
        let frames = self.request("stackTrace", json!({"threadId": 1}));
        (why, frames["body"]["stackFrames"][0]["line"].as_u64().expect("a line"))
    }

    fn start(&mut self, name: &str, breakpoints: Value, stops_at_once: bool) -> Value {
        let path = file(name, PROGRAM);
        assert_eq!(
            self.request("initialize", json!({"adapterID": "test"}))["body"]["supportsStepBack"],
            true
        );
        let launch = json!({"program": path, "stopOnEntry": stops_at_once});
        assert_eq!(self.request("launch", launch)["success"], true);
        self.event("initialized");
        let set =
            self.request("setBreakpoints", json!({"source": {"path": path}, "breakpoints": breakpoints}));
        assert_eq!(self.request("configurationDone", json!({}))["success"], true);
        set["body"]["breakpoints"].clone()
    }

    fn end(mut self) {
        assert_eq!(self.request("disconnect", json!({}))["success"], true);
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn editors_see_breakpoints_calls_and_variables() {
    let mut editor = Editor::new();
    let set = editor.start(
        "editor.q",
        json!([{"line": 9, "condition": "i == 1"}, {"line": 99}, {"line": 4}]),
        false,
    );
    assert_eq!((&set[0]["verified"], &set[0]["line"]), (&json!(true), &json!(9)));
    assert_eq!(set[1]["verified"], false);
    assert_eq!(set[2]["line"], 7);
    assert_eq!(editor.stopped(), ("breakpoint".to_owned(), 7));
    assert_eq!(editor.go("continue"), ("breakpoint".to_owned(), 9));
    let scopes = editor.request("scopes", json!({"frameId": 1}));
    let reference = &scopes["body"]["scopes"][0]["variablesReference"];
    let variables = editor.request("variables", json!({"variablesReference": reference}));
    let list = variables["body"]["variables"].as_array().expect("a list").clone();
    let shown: Vec<String> = list.iter().map(|each| format!("{}={}", each["name"], each["value"])).collect();
    assert_eq!(shown, ["\"v\"=\"[1,2,3]\"", "\"y\"=\"1\"", "\"i\"=\"1\""]);
    let parts = editor.request("variables", json!({"variablesReference": list[0]["variablesReference"]}));
    assert_eq!(parts["body"]["variables"][2]["value"], "3");
    let value = editor.request("evaluate", json!({"expression": "double_it(i) + v[2]", "frameId": 1}));
    assert_eq!(value["body"]["result"], "5");
    let value = editor.request("evaluate", json!({"expression": "k", "frameId": 2}));
    assert_eq!(value["body"]["result"], "8");
    let wrong = editor.request("evaluate", json!({"expression": "missing", "frameId": 1}));
    assert_eq!((&wrong["success"], &wrong["message"]), (&json!(false), &json!("unknown name 'missing'")));
    assert_eq!(editor.request("nothing", json!({}))["success"], false);
    editor.end();
}

#[test]
fn editors_step_in_both_directions() {
    let mut editor = Editor::new();
    editor.start("directions.q", json!([]), true);
    assert_eq!(editor.stopped(), ("entry".to_owned(), 1));
    assert_eq!(editor.go("next"), ("step".to_owned(), 14));
    assert_eq!(editor.go("stepIn"), ("step".to_owned(), 3));
    assert_eq!(editor.go("stepBack"), ("step".to_owned(), 14));
    assert_eq!(editor.go("next"), ("step".to_owned(), 15));
    assert_eq!(editor.go("next"), ("step".to_owned(), 16));
    let set = json!({"breakpoints": [{"name": "total"}, {"name": "nowhere"}]});
    let set = editor.request("setFunctionBreakpoints", set);
    assert_eq!(set["body"]["breakpoints"][1]["verified"], false);
    assert_eq!(editor.go("continue"), ("breakpoint".to_owned(), 7));
    assert_eq!(editor.go("stepOut"), ("step".to_owned(), 17));
    assert_eq!(editor.go("reverseContinue"), ("step".to_owned(), 7));
    editor.request("setFunctionBreakpoints", json!({"breakpoints": []}));
    editor.request("continue", json!({"threadId": 1}));
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    assert_eq!(editor.printed, "6 8\n");
    editor.end();
}

#[test]
fn editors_pause_programs_and_see_those_that_do_not_compile() {
    let endless = file("endless.q", "i = 0\nwhile true\n    i = i + 1\nendwhile\n");
    let mut editor = Editor::new();
    editor.request("initialize", json!({}));
    assert_eq!(editor.request("continue", json!({}))["success"], false, "nothing is launched");
    let wrong = file("not_compiled.q", "print nothing\n");
    let refused = editor.request("launch", json!({"program": wrong}));
    assert!(refused["success"] == false && refused["message"].to_string().contains("unknown name 'nothing'"));
    assert_eq!(editor.request("launch", json!({"program": endless}))["success"], true);
    editor.event("initialized");
    editor.request("configurationDone", json!({}));
    assert_eq!(editor.request("evaluate", json!({"expression": "i"}))["success"], false, "it runs");
    assert_eq!(editor.request("pause", json!({"threadId": 1}))["success"], true);
    assert_eq!(editor.stopped().0, "pause");
    let value = editor.request("evaluate", json!({"expression": "sum([1,2]) - 2"}));
    assert_eq!(value["body"]["result"], "1", "{value}");
    assert_eq!(editor.request("continue", json!({"threadId": 1}))["success"], true);
    editor.end();
}
