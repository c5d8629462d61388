//! What editors get inside of `quasar! { .. }`: a session with rust-analyzer over a small crate. It builds the macros for that crate, so
//! it runs where it is asked for: `cargo test -p quasar-macros --test rust_analyzer -- --ignored`.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = "use quasar::quasar;

quasar! {
    function y = twice(x : scalar)
        y = 2 * x
    endfunction

    function z = four(x : scalar)
        half = twice(x)
        z = twice(half)
    endfunction
}

fn main() {
    let two = twice(1.0);
    println!(\"{}\", four(two.unwrap()).is_ok());
}
";

/// A session with the server.
struct Session {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    address: String,
    asked: u64,
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Session {
    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.to.flush().expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("the server writes") > 0, "the server ended");
            match line.trim().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().expect("a length");
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("the server writes");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        // What the server asks of an editor: settings, of which there are none.
        if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
            let count = message["params"]["items"].as_array().map_or(0, Vec::len);
            let result = if count > 0 { json!(vec![Value::Null; count]) } else { Value::Null };
            self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        }
        message
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"] == json!(id) {
                return message["result"].clone();
            }
        }
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks about a word of a line, the first one there.
    fn about(&mut self, method: &str, line: usize, word: &str) -> Value {
        let text = PROGRAM.lines().nth(line).expect("a line");
        let column = text.find(word).unwrap_or_else(|| panic!("no {word} in {text}"));
        let params = json!({
            "textDocument": {"uri": self.address},
            "position": {"line": line, "character": column},
            "context": {"includeDeclaration": true},
        });
        self.ask(method, &params)
    }

    /// The lines and columns that the server answers, in order.
    fn places(&mut self, method: &str, line: usize, word: &str) -> Vec<(u64, u64)> {
        let found = self.about(method, line, word);
        let place = |found: &Value| {
            let start = &found["range"]["start"];
            Some((start["line"].as_u64()?, start["character"].as_u64()?))
        };
        let mut places: Vec<_> = found.as_array().into_iter().flatten().filter_map(place).collect();
        places.sort_unstable();
        places
    }
}

/// A crate with the program.
fn package() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rust_analyzer");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"edited\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
         quasar = {{ package = \"quasar-array\", path = {root:?} }}\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a file");
    std::fs::write(folder.join("src/main.rs"), PROGRAM).expect("a file");
    folder
}

/// A session in which the server has read the crate.
fn session() -> Session {
    let folder = package();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let process = Command::new("rust-analyzer")
        .env("CARGO_TARGET_DIR", target)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut process = process.expect("rust-analyzer is installed");
    let to = process.stdin.take().expect("a pipe");
    let from = BufReader::new(process.stdout.take().expect("a pipe"));
    let address = format!("file://{}", folder.join("src/main.rs").display());
    let mut session = Session { process, to, from, address: address.clone(), asked: 0 };
    session.ask(
        "initialize",
        &json!({
            "processId": null,
            "rootUri": format!("file://{}", folder.display()),
            "capabilities": {"experimental": {"serverStatusNotification": true}},
            "initializationOptions": {"checkOnSave": false, "cachePriming": {"enable": false}},
        }),
    );
    session.tell("initialized", &json!({}));
    let document = json!({"uri": address, "languageId": "rust", "version": 1, "text": PROGRAM});
    session.tell("textDocument/didOpen", &json!({"textDocument": document}));
    loop {
        let message = session.receive();
        if message["method"] == "experimental/serverStatus" && message["params"]["quiescent"] == true {
            return session;
        }
    }
}

#[test]
#[ignore = "builds the macros for another crate, and needs rust-analyzer: --ignored"]
fn names_inside_of_a_call_lead_to_what_they_mean() {
    let mut session = session();
    let definition = "textDocument/definition";
    // From Rust, and from the program itself.
    assert_eq!(session.places(definition, 14, "twice"), [(3, 17)]);
    assert_eq!(session.places(definition, 8, "twice"), [(3, 17)]);
    assert_eq!(session.places(definition, 4, "x"), [(3, 23)]);
    assert_eq!(session.places(definition, 9, "half"), [(8, 8)]);
    assert_eq!(session.places(definition, 4, "y"), [(3, 13)]);
    let references = "textDocument/references";
    assert_eq!(session.places(references, 3, "twice"), [(3, 17), (8, 15), (9, 12), (14, 14)]);
    assert_eq!(session.places(references, 8, "half"), [(8, 8), (9, 18)]);
    let hover = session.about("textDocument/hover", 14, "twice").to_string();
    assert!(hover.contains("x: f32") && hover.contains("function y = twice(x : scalar)"), "{hover}");
    let hover = session.about("textDocument/hover", 4, "x").to_string();
    assert!(hover.contains("x: f32"), "{hover}");
}
