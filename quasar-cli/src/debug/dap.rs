//! The debugger for editors: the Debug Adapter Protocol on the standard input and output, over the same engine.

mod answers;

use super::debuggee::Debuggee;
use super::engine::{Breakpoint, Command, Front, Interruption, Reason, Stop};
use crate::arguments::Options;
use answers::{Handles, capabilities, source_of};
use quasar_lsp::wire;
use quasar_runtime::context;
use serde_json::{Value, json};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};

/// The only thread that editors see; threads of kernels take turns in it.
const THREAD: u32 = 1;

/// Serves an editor until it disconnects or closes the stream.
pub(super) fn serve(file: &Path, arguments: &[String], options: &Options) -> Result<(), String> {
    let (sender, messages) = mpsc::channel();
    // The thread ends with its stream; waiting for it would wait for a client that keeps the stream open.
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        while let Some(message) = wire::read(&mut input) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    let client = Client::default();
    let Some(launched) = launch(&messages, &client, file, arguments, options)? else { return Ok(()) };
    let again = Arc::new(AtomicBool::new(false));
    context::set_output(Some(Box::new(Output { client: client.clone(), again: again.clone() })));
    let Launched { debuggee, arguments, stops_at_once } = launched;
    let mut dap = Dap {
        client,
        messages,
        again,
        stops_at_once,
        starting: true,
        breakpoints: None,
        lines: Vec::new(),
        functions: Vec::new(),
        numbers: 0,
        handles: Handles::default(),
        gone: false,
        error: None,
    };
    let ready = dap.configure(&debuggee);
    if ready {
        // The editor has seen the error of the program; the adapter has served it well.
        let _ = super::session(&debuggee, &arguments, &mut dap);
    }
    context::set_output(None);
    match dap.error {
        Some(error) => Err(crate::output::failed(&error)),
        None => Ok(()),
    }
}

/// The output stream, with the number of the last message.
#[derive(Clone, Default)]
struct Client(Arc<Mutex<u64>>);

impl Client {
    fn send(&self, mut message: Value) -> io::Result<()> {
        let mut number = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        message["seq"] = json!(*number);
        let mut stream = io::stdout();
        stream.write_all(wire::framed(&message).as_bytes())?;
        stream.flush()
    }

    fn event(&self, event: &str, body: Value) -> io::Result<()> {
        self.send(json!({"type": "event", "event": event, "body": body}))
    }

    fn answer(&self, request: &Value, result: Result<Value, String>) -> io::Result<()> {
        let mut answer = json!({
            "type": "response",
            "request_seq": request["seq"],
            "command": request["command"],
            "success": result.is_ok(),
        });
        match result {
            Ok(body) => answer["body"] = body,
            Err(why) => {
                answer["body"] =
                    json!({"error": {"id": 1, "format": why.replace('{', "("), "showUser": true}});
                answer["message"] = json!(why);
            }
        }
        self.send(answer)
    }
}

/// Standard output of the program, as events.
struct Output {
    client: Client,
    again: Arc<AtomicBool>,
}

impl Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if !self.again.load(Ordering::Relaxed) {
            let output = String::from_utf8_lossy(text);
            self.client.event("output", json!({"category": "stdout", "output": output}))?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A program that an editor wants to debug.
struct Launched {
    debuggee: Debuggee,
    arguments: Vec<String>,
    stops_at_once: bool,
}

/// What the name of a request is.
fn name(request: &Value) -> &str {
    request["command"].as_str().unwrap_or_default()
}

/// Answers requests until a program is launched; `None` if the editor leaves before.
fn launch(
    messages: &Receiver<Result<Value, String>>,
    client: &Client,
    file: &Path,
    arguments: &[String],
    options: &Options,
) -> Result<Option<Launched>, String> {
    let failed = |error: io::Error| crate::output::failed(&error);
    while let Ok(message) = messages.recv() {
        let request = match message {
            Ok(request) if request["type"] == "request" => request,
            Ok(_) => continue,
            Err(why) => {
                client.event("output", wrong_message(&why)).map_err(failed)?;
                continue;
            }
        };
        match name(&request) {
            "initialize" => client.answer(&request, Ok(capabilities())).map_err(failed)?,
            "launch" => {
                let given = &request["arguments"];
                let path = given["program"].as_str().map_or(file.to_owned(), PathBuf::from);
                let texts = given["args"].as_array().map(|list| {
                    list.iter()
                        .map(|text| text.as_str().map_or_else(|| text.to_string(), str::to_owned))
                        .collect()
                });
                let loaded = match path.as_os_str().is_empty() {
                    true => Err("'program' must name a .q file".to_owned()),
                    false => Debuggee::load_quietly(&path, options),
                };
                let answer = loaded.as_ref().map(|_| json!({})).map_err(Clone::clone);
                client.answer(&request, answer).map_err(failed)?;
                if let Ok(debuggee) = loaded {
                    client.event("initialized", json!({})).map_err(failed)?;
                    let arguments = texts.unwrap_or_else(|| arguments.to_vec());
                    let stops_at_once = given["stopOnEntry"].as_bool().unwrap_or_default();
                    return Ok(Some(Launched { debuggee, arguments, stops_at_once }));
                }
            }
            "disconnect" | "terminate" => {
                client.answer(&request, Ok(json!({}))).map_err(failed)?;
                return Ok(None);
            }
            other => {
                let why = format!("'{other}' comes before 'launch'");
                client.answer(&request, Err(why)).map_err(failed)?;
            }
        }
    }
    Ok(None)
}

fn wrong_message(why: &str) -> Value {
    json!({"category": "important", "output": format!("a message cannot be read: {why}\n")})
}

/// The debugger in an editor.
struct Dap {
    client: Client,
    messages: Receiver<Result<Value, String>>,
    again: Arc<AtomicBool>,
    stops_at_once: bool,
    /// Whether the first statement has not been reached since the start.
    starting: bool,
    /// Breakpoints that the engine does not have yet.
    breakpoints: Option<Vec<Breakpoint>>,
    /// Breakpoints at lines, and those at functions.
    lines: Vec<Breakpoint>,
    functions: Vec<Breakpoint>,
    numbers: u32,
    handles: Handles,
    gone: bool,
    /// Why the output cannot be written.
    error: Option<io::Error>,
}

/// What a request leads to.
enum Done {
    Go(Command),
    Stay,
}

impl Dap {
    /// Notes a failure of the output, which ends the debugger.
    fn sent(&mut self, sent: io::Result<()>) {
        if let Err(error) = sent {
            self.gone = true;
            self.error.get_or_insert(error);
        }
    }

    fn answer(&mut self, request: &Value, result: Result<Value, String>) {
        let sent = self.client.answer(request, result);
        self.sent(sent);
    }

    fn event(&mut self, event: &str, body: Value) {
        let sent = self.client.event(event, body);
        self.sent(sent);
    }

    /// The next request; `None` when the editor has left.
    fn request(&mut self) -> Option<Value> {
        while !self.gone {
            match self.messages.recv() {
                Ok(Ok(request)) if request["type"] == "request" => return Some(request),
                Ok(Ok(_)) => {}
                Ok(Err(why)) => self.event("output", wrong_message(&why)),
                Err(_) => self.gone = true,
            }
        }
        None
    }

    /// Takes breakpoints before the program starts; `false` if the editor leaves.
    fn configure(&mut self, debuggee: &Debuggee) -> bool {
        while let Some(request) = self.request() {
            match name(&request) {
                "configurationDone" => {
                    self.answer(&request, Ok(json!({})));
                    return true;
                }
                _ if self.common(&request, debuggee) => {}
                other => self.answer(&request, Err(format!("'{other}' comes before 'configurationDone'"))),
            }
            if self.gone {
                return false;
            }
        }
        false
    }

    /// Answers requests that do not need a program that stands; `false` if it is none of them.
    fn common(&mut self, request: &Value, debuggee: &Debuggee) -> bool {
        match name(request) {
            "threads" => self.answer(request, Ok(json!({"threads": [{"id": THREAD, "name": "program"}]}))),
            "setBreakpoints" => self.set_breakpoints(request, debuggee),
            "setFunctionBreakpoints" => self.set_function_breakpoints(request, debuggee),
            "setExceptionBreakpoints" => self.answer(request, Ok(json!({}))),
            "loadedSources" => {
                let sources: Vec<Value> = debuggee.files().map(|file| source_of(debuggee, file)).collect();
                self.answer(request, Ok(json!({"sources": sources})));
            }
            "disconnect" | "terminate" => {
                self.answer(request, Ok(json!({})));
                self.gone = true;
            }
            _ => return false,
        }
        true
    }

    fn set_breakpoints(&mut self, request: &Value, debuggee: &Debuggee) {
        let given = &request["arguments"];
        let path = given["source"]["path"].as_str().unwrap_or_default();
        let Some(file) = debuggee.file(path) else {
            let wanted = given["breakpoints"].as_array().map_or(0, Vec::len);
            let none = json!({"verified": false, "message": format!("the program has no file '{path}'")});
            return self.answer(request, Ok(json!({"breakpoints": vec![none; wanted]})));
        };
        self.lines.retain(|breakpoint| breakpoint.line.file != file);
        let mut answers = Vec::new();
        for wanted in given["breakpoints"].as_array().unwrap_or(&Vec::new()) {
            let line = wanted["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or_default();
            let line = debuggee.next_line(super::debuggee::Line { file, line });
            let line = self.add(line, wanted, true);
            answers.push(line);
        }
        self.breakpoints_changed();
        self.answer(request, Ok(json!({"breakpoints": answers})));
    }

    fn set_function_breakpoints(&mut self, request: &Value, debuggee: &Debuggee) {
        self.functions.clear();
        let mut answers = Vec::new();
        for wanted in request["arguments"]["breakpoints"].as_array().unwrap_or(&Vec::new()) {
            let function = wanted["name"].as_str().unwrap_or_default();
            let line =
                debuggee.function(function).ok_or_else(|| format!("there is no function '{function}'"));
            let line = self.add(line, wanted, false);
            answers.push(line);
        }
        self.breakpoints_changed();
        self.answer(request, Ok(json!({"breakpoints": answers})));
    }

    /// Adds a breakpoint, and says so.
    fn add(&mut self, line: Result<super::debuggee::Line, String>, wanted: &Value, at_line: bool) -> Value {
        self.numbers += 1;
        let number = self.numbers;
        match line {
            Ok(line) => {
                let condition = wanted["condition"].as_str().map(str::trim).filter(|text| !text.is_empty());
                let breakpoint = Breakpoint { number, line, condition: condition.map(str::to_owned) };
                let list = if at_line { &mut self.lines } else { &mut self.functions };
                list.push(breakpoint);
                json!({"id": number, "verified": true, "line": line.line})
            }
            Err(why) => json!({"id": number, "verified": false, "message": why}),
        }
    }

    fn breakpoints_changed(&mut self) {
        self.breakpoints = Some(self.lines.iter().chain(&self.functions).cloned().collect());
    }

    /// Answers a request about a program that stands.
    fn at_stop(&mut self, request: &Value, stop: &Stop<'_>) -> Done {
        let go = match name(request) {
            "continue" => Command::Continue,
            "next" => Command::Over,
            "stepIn" => Command::Step,
            "stepOut" => Command::Finish,
            "stepBack" => Command::BackOver,
            "reverseContinue" => Command::BackContinue,
            "restart" => Command::Restart,
            _ => {
                let result = self.handles.answer(request, stop);
                self.answer(request, result);
                return Done::Stay;
            }
        };
        self.starting = go == Command::Restart;
        self.answer(request, Ok(json!({"allThreadsContinued": true})));
        Done::Go(go)
    }
}

impl Front for Dap {
    fn stopped(&mut self, stop: &Stop<'_>, breakpoints: &mut Vec<Breakpoint>) -> Command {
        let starts = std::mem::take(&mut self.starting) && *stop.reason == Reason::Begin;
        if starts && !self.stops_at_once {
            return Command::Continue;
        }
        self.handles = Handles::default();
        let (reason, text) = match stop.reason {
            Reason::Begin => ("entry", String::new()),
            Reason::Step => ("step", String::new()),
            Reason::Breakpoint(_) => ("breakpoint", String::new()),
            Reason::Pause => ("pause", String::new()),
            Reason::Condition(_, why) => {
                let text = format!("the condition of the breakpoint cannot be computed: {why}");
                ("breakpoint", text)
            }
            Reason::Error(text) => ("exception", text.clone()),
        };
        let mut body = json!({"reason": reason, "threadId": THREAD, "allThreadsStopped": true});
        if let Reason::Breakpoint(number) | Reason::Condition(number, _) = stop.reason {
            body["hitBreakpointIds"] = json!([number]);
        }
        if !text.is_empty() {
            body["text"] = json!(text);
            self.event("output", json!({"category": "stderr", "output": format!("{}\n", text.trim_end())}));
        }
        self.event("stopped", body);
        while let Some(request) = self.request() {
            if self.common(&request, stop.debuggee) {
                if let Some(new) = self.breakpoints.take() {
                    *breakpoints = new;
                }
            } else if let Done::Go(command) = self.at_stop(&request, stop) {
                return command;
            }
        }
        Command::Quit
    }

    fn ended(&mut self, error: Option<&str>, debuggee: &Debuggee, _: &mut Vec<Breakpoint>) -> Command {
        self.event("exited", json!({"exitCode": i32::from(error.is_some())}));
        self.event("terminated", json!({}));
        while let Some(request) = self.request() {
            match name(&request) {
                "restart" => {
                    self.starting = true;
                    self.answer(&request, Ok(json!({})));
                    return Command::Restart;
                }
                _ if self.common(&request, debuggee) => {}
                _ => self.answer(&request, Err("the program has ended".to_owned())),
            }
        }
        Command::Quit
    }

    fn running(&mut self, debuggee: &Debuggee, breakpoints: &mut Vec<Breakpoint>) -> Option<Interruption> {
        let mut pause = false;
        loop {
            if let Some(new) = self.breakpoints.take() {
                *breakpoints = new;
            }
            if self.gone {
                return Some(Interruption::Quit);
            }
            let request = match self.messages.try_recv() {
                Ok(Ok(request)) if request["type"] == "request" => request,
                Ok(Ok(_)) => continue,
                Ok(Err(why)) => {
                    self.event("output", wrong_message(&why));
                    continue;
                }
                Err(TryRecvError::Empty) => return pause.then_some(Interruption::Pause),
                Err(TryRecvError::Disconnected) => return Some(Interruption::Quit),
            };
            match name(&request) {
                "pause" => {
                    self.answer(&request, Ok(json!({})));
                    pause = true;
                }
                _ if self.common(&request, debuggee) => {}
                _ => self.answer(&request, Err("the program runs".to_owned())),
            }
        }
    }

    fn again(&mut self, again: bool) {
        self.again.store(again, Ordering::Relaxed);
    }
}
