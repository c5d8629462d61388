//! A session with `quasar lsp`, as an editor leads it, over the real command.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Diagnostics that came between answers.
    published: Vec<Value>,
}

const URI: &str = "untitled:a.q";

impl Session {
    fn silent() -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quasar"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Session { child, input, output, next: 1, published: Vec::new() }
    }

    /// A session with an open text.
    fn with(text: &str) -> Session {
        let mut session = Session::silent();
        let answer = session.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        session.tell("initialized", json!({}));
        session.open(text);
        session
    }

    fn open(&mut self, text: &str) {
        let document = json!({"uri": URI, "languageId": "quasar", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn send(&mut self, text: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "the server ended");
            match line.trim().split_once(": ") {
                Some((_, number)) => length = number.parse().expect("a length"),
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).expect("the whole message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// The answer to a request, with `result` or `error`.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let message = self.receive();
            if message["id"] == json!(id) {
                return message;
            }
            self.published.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// A request about a place of the text.
    fn at(&mut self, method: &str, line: usize, character: usize) -> Value {
        self.ask(
            method,
            json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}),
        )
    }

    fn change(&mut self, version: u64, line: usize, from: usize, to: usize, text: &str) {
        let range =
            json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}});
        let changes = json!([{"range": range, "text": text}]);
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": changes}),
        );
    }

    /// The next diagnostics of a version.
    fn diagnostics(&mut self, version: u64) -> Vec<Value> {
        loop {
            let message = if self.published.is_empty() { self.receive() } else { self.published.remove(0) };
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["version"] == json!(version)
            {
                return message["params"]["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        assert_eq!(self.answer("textDocument/hover", json!({}))["error"]["code"], -32600);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().expect("the server ends").success());
    }
}

const FILTER: &str = "% Blurs an image.
function y : mat = blur(x : mat'mirror, r : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n-r] + x[m,n+r]
        endfor
    endfor
endfunction
z = blur(ones(4,5), 2)
print \"\u{1F600}\", sum(z)
";

fn shown(hover: &Value) -> String {
    hover["contents"]["value"].as_str().unwrap_or_default().to_string()
}

fn starts(list: &Value) -> Vec<(u64, u64)> {
    let place = |item: &Value| {
        let start = &item["range"]["start"];
        (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
    };
    list.as_array().expect("a list").iter().map(place).collect()
}

#[test]
fn an_editor_asks_about_a_program() {
    let mut session = Session::with(FILTER);
    let hints = session.diagnostics(1);
    assert!(hints.iter().all(|hint| hint["severity"] != 1), "{hints:?}");
    assert!(
        hints.iter().any(|hint| hint["code"] == "Q0501" && hint["range"]["start"]["line"] == 3),
        "{hints:?}"
    );
    let hover = shown(&session.at("textDocument/hover", 9, 5));
    assert!(
        hover.contains("function y : mat = blur(x : mat'mirror, r : int)")
            && hover.contains("Blurs an image."),
        "{hover}"
    );
    assert!(shown(&session.at("textDocument/hover", 9, 0)).contains("z : mat"));
    assert!(shown(&session.at("textDocument/hover", 3, 5)).contains("parallel over m, n"));
    assert!(shown(&session.at("textDocument/hover", 2, 8)).contains("zeros("));
    assert_eq!(starts(&session.at("textDocument/definition", 9, 5)), [(1, 19)]);
    assert_eq!(starts(&session.at("textDocument/references", 5, 27)), [(1, 40), (5, 27), (5, 38)]);
    // Behind an emoji of two UTF-16 units.
    assert_eq!(starts(&session.at("textDocument/documentHighlight", 10, 16)), [(9, 0), (10, 16)]);
    let symbols = session.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    assert_eq!((&symbols[0]["name"], &symbols[1]["name"]), (&json!("blur"), &json!("z")));
    let tokens = session.ask("textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    assert!(tokens["data"].as_array().unwrap().len() > 200);
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}});
    let hints = session.ask("textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": range}));
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().filter_map(|hint| hint["label"].as_str()).collect();
    assert!(labels.contains(&"parallel over m, n") && labels.contains(&" : int"), "{labels:?}");
    let formatted =
        session.ask("textDocument/formatting", json!({"textDocument": {"uri": URI}, "options": {}}));
    assert_eq!(formatted, json!([]), "it is formatted");
    session.end();
}

#[test]
fn names_are_changed_where_that_changes_no_meaning() {
    let mut session = Session::with(FILTER);
    let ask = |name: &str| json!({"textDocument": {"uri": URI}, "position": {"line": 1, "character": 40}, "newName": name});
    let edits = session.ask("textDocument/rename", ask("radius"));
    assert_eq!(starts(&edits["changes"][URI]), [(1, 40), (5, 27), (5, 38)]);
    for wrong in ["x", "n", "1a", "for", "a b", "int", ""] {
        let answer = session.answer("textDocument/rename", ask(wrong));
        assert_eq!(answer["error"]["code"], -32803, "{wrong}: {answer}");
    }
    session.end();
}

#[test]
fn half_typed_text_is_answered() {
    let mut session = Session::with(FILTER);
    session.change(2, 10, 0, 0, "w = blur(z, ma");
    let found = session.at("textDocument/completion", 10, 14);
    let labels: Vec<&str> =
        found["items"].as_array().unwrap().iter().filter_map(|item| item["label"].as_str()).collect();
    assert!(labels.contains(&"max") && labels.iter().all(|label| label.starts_with("ma")), "{labels:?}");
    let help = session.at("textDocument/signatureHelp", 10, 14);
    assert_eq!(help["signatures"][0]["parameters"][1]["label"], "r : int");
    assert_eq!(help["activeParameter"], 1);
    let errors = session.diagnostics(2);
    assert!(errors.iter().any(|error| error["severity"] == 1), "{errors:?}");
    let answer =
        session.answer("textDocument/formatting", json!({"textDocument": {"uri": URI}, "options": {}}));
    assert_eq!(answer["error"]["code"], -32803);
    session.change(3, 10, 0, 14, "");
    assert!(session.diagnostics(3).iter().all(|error| error["severity"] != 1));
    session.tell("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    let answer = session.answer(
        "textDocument/hover",
        json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}),
    );
    assert_eq!(answer["error"]["code"], -32602);
    session.end();
}

#[test]
fn messages_propose_what_to_write() {
    let mut session = Session::with("x = oness(3)\ny = x != 3\nif y ~= 2\nendif\n");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}});
    let params = json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}});
    let actions = session.ask("textDocument/codeAction", params.clone());
    assert_eq!(actions[0]["title"], "write `!=`", "{actions}");
    assert_eq!(actions[0]["edit"]["changes"][URI][0]["newText"], "!=");
    session.change(2, 2, 5, 7, "!=");
    let actions = session.ask("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "write `ones`", "{actions}");
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!((&edit["newText"], &edit["range"]["end"]["character"]), (&json!("ones"), &json!(9)));
    session.end();
}

#[test]
fn wrong_messages_have_answers() {
    let mut session = Session::silent();
    assert_eq!(session.answer("textDocument/hover", json!({}))["error"]["code"], -32002, "not initialized");
    session.ask("initialize", json!({}));
    session.send("{\"id\": 1, ");
    assert_eq!(session.receive()["error"]["code"], -32700);
    session.send("{\"id\": 77}");
    assert_eq!(session.receive()["error"]["code"], -32600);
    assert_eq!(session.answer("quasar/nothing", json!({}))["error"]["code"], -32601);
    assert_eq!(
        session.answer("textDocument/hover", json!({"textDocument": {"uri": "untitled:none"}}))["error"]["code"],
        -32602
    );
    session.tell("$/nothing", json!({}));
    session.open("x = 1\n");
    let answer = session.answer("textDocument/hover", json!({"textDocument": {"uri": URI}}));
    assert_eq!(answer["error"]["code"], -32602);
    session.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": 5}, 7]}),
    );
    assert!(shown(&session.at("textDocument/hover", 9, 9)).is_empty());
    session.end();
}

#[test]
fn a_closed_stream_ends_the_server() {
    let mut session = Session::with("x = 1\n");
    drop(session.input);
    assert!(!session.child.wait().expect("the server ends").success(), "without shutdown");
}

/// A keystroke in a program of 1,000 lines: the time is printed (`--nocapture`), not asserted.
#[test]
fn keystrokes_in_long_programs() {
    let mut text = String::new();
    for k in 0..100 {
        text += &FILTER
            .replace("blur", &format!("blur{k}"))
            .replace("z = ", &format!("z{k} = "))
            .replace("sum(z)", &format!("sum(z{k})"))
            .replace("% Blurs an image.\n", "");
    }
    assert_eq!(text.lines().count(), 1000);
    let mut session = Session::with(&text);
    session.diagnostics(1);
    let mut times = Vec::new();
    for k in 0..20 {
        let started = Instant::now();
        session.change(2 + k, 4, 12, 12, "q");
        let found = session.at("textDocument/completion", 4, 13);
        times.push(started.elapsed());
        assert!(found["items"].as_array().is_some());
    }
    times.sort();
    println!("a keystroke and a completion: least {:?}, median {:?}", times[0], times[10]);
    session.end();
}
