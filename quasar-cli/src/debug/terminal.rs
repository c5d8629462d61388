//! The debugger at a terminal, or driven through the standard input: commands and what is shown.

use super::debuggee::{self, Debuggee, Line, shown};
use super::engine::{Breakpoint, CallAt, Command, Front, Interruption, Reason, Stop};
use crate::interrupt::Interrupts;
use crate::output;
use quasar_core::source::{FileId, Span};
use quasar_runtime::context;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many lines `list` shows before and behind the one where the program stands.
const AROUND: u32 = 5;

/// Commands: names, what they take, what they do.
const COMMANDS: &[(&[&str], &str, &str)] = &[
    (&["step", "s"], "", "to the next statement, also in a called function"),
    (&["next", "n"], "", "to the next statement of this function or its caller"),
    (&["finish", "f"], "", "until this function has ended"),
    (&["continue", "c"], "[LINE]", "until a breakpoint, or a line"),
    (&["back", "bs"], "", "to the statement before, also in a called function"),
    (&["bn"], "", "to the statement before, in this function or its caller"),
    (&["bc"], "", "back to the last breakpoint that was met"),
    (
        &["break", "b"],
        "[PLACE [if CONDITION]]",
        "stop at a line, FILE:LINE or a function; without a place, list all",
    ),
    (&["delete", "d"], "NUMBER", "forget a breakpoint"),
    (&["locals", "l"], "", "the variables of this call"),
    (&["globals"], "", "the variables that functions share"),
    (&["print", "p"], "EXPR", "the value of an expression"),
    (&["stack", "bt"], "", "the calls, the innermost first"),
    (&["up", "down"], "", "look at the caller, and back"),
    (&["list"], "", "the lines around"),
    (&["restart"], "", "from the beginning"),
    (&["help", "h"], "", "this list"),
    (&["quit", "q"], "", "leave"),
];

/// Where commands come from.
enum Input {
    Terminal(Box<DefaultEditor>),
    Stream,
}

/// Standard output, as the program has it.
struct Screen(Arc<AtomicBool>);

impl Write for Screen {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.0.load(Ordering::Relaxed) {
            return Ok(text.len());
        }
        io::stdout().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// The debugger at a terminal.
pub(super) struct Terminal {
    input: Input,
    interrupts: Interrupts,
    /// Whether the program prints what it has printed before.
    again: Arc<AtomicBool>,
    /// The call that is looked at, 0 for the innermost.
    call: usize,
    next_breakpoint: u32,
    /// Empty lines repeat it.
    last: Option<String>,
    /// Why the debugger fails: the first command that made no sense, output that cannot be written.
    pub(super) failure: Option<String>,
    /// Whether there are no more commands.
    over: bool,
}

/// What a line of input leads to.
enum Done {
    Go(Command),
    Stay,
}

impl Terminal {
    pub(super) fn new() -> Result<Terminal, String> {
        let interrupts = Interrupts::default();
        let input = match io::stdin().is_terminal() {
            true => {
                interrupts.listen();
                let editor = DefaultEditor::new();
                let failed = |error: ReadlineError| format!("Error: the terminal cannot be used: {error}");
                Input::Terminal(Box::new(editor.map_err(failed)?))
            }
            false => Input::Stream,
        };
        let again = Arc::new(AtomicBool::new(false));
        context::set_output(Some(Box::new(Screen(again.clone()))));
        Ok(Terminal {
            input,
            interrupts,
            again,
            call: 0,
            next_breakpoint: 1,
            last: None,
            failure: None,
            over: false,
        })
    }

    fn say(&mut self, line: &str) {
        if let Err(error) = output::line(line) {
            self.over = true;
            self.failure.get_or_insert(error);
        }
    }

    /// Says that a command makes no sense; a script of commands fails by it.
    fn refuse(&mut self, why: &str) -> Done {
        output::complain(&format!("Error: {why}"));
        if matches!(self.input, Input::Stream) {
            self.failure.get_or_insert(String::new());
        }
        Done::Stay
    }

    /// The next command; `None` at the end of the input.
    fn line(&mut self) -> Option<String> {
        if self.over {
            return None;
        }
        match &mut self.input {
            Input::Stream => {
                let mut line = String::new();
                match io::stdin().read_line(&mut line) {
                    Ok(0) => None,
                    Ok(_) => Some(line.trim().to_owned()),
                    Err(error) => {
                        let why = format!("Error: the standard input cannot be read: {error}");
                        self.failure.get_or_insert(why);
                        None
                    }
                }
            }
            Input::Terminal(editor) => loop {
                match editor.readline("debug> ") {
                    Ok(line) => {
                        let line = line.trim().to_owned();
                        if line.is_empty() {
                            return Some(self.last.clone().unwrap_or_default());
                        }
                        let _ = editor.add_history_entry(&line);
                        self.last = Some(line.clone());
                        return Some(line);
                    }
                    Err(ReadlineError::Interrupted) => continue,
                    Err(_) => return None,
                }
            },
        }
    }

    /// Does a command. `stop` is `None` where the program has ended.
    fn command(
        &mut self,
        text: &str,
        stop: Option<&Stop<'_>>,
        debuggee: &Debuggee,
        breakpoints: &mut Vec<Breakpoint>,
    ) -> Done {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let known = COMMANDS.iter().find(|(names, ..)| names.contains(&word));
        match known {
            None if word.is_empty() => return Done::Stay,
            None => return self.refuse(&format!("there is no command '{word}'; 'help' lists all")),
            Some((_, "", _)) if !rest.is_empty() => return self.refuse(&format!("'{word}' takes nothing")),
            Some((_, takes, _)) if rest.is_empty() && !takes.is_empty() && !takes.starts_with('[') => {
                return self.refuse(&format!("'{word}' needs more: {word} {takes}"));
            }
            Some(_) => {}
        }
        match word {
            "help" | "h" => self.help(),
            "quit" | "q" => return Done::Go(Command::Quit),
            "restart" => return Done::Go(Command::Restart),
            "back" | "bs" => return Done::Go(Command::Back),
            "bn" => return Done::Go(Command::BackOver),
            "bc" => return Done::Go(Command::BackContinue),
            "break" | "b" if rest.is_empty() => self.list_breakpoints(debuggee, breakpoints),
            "break" | "b" => return self.add_breakpoint(rest, stop, debuggee, breakpoints),
            "delete" | "d" => return self.delete(rest, breakpoints),
            _ => match stop {
                Some(stop) => return self.at_stop(word, rest, stop),
                None => return self.refuse("the program has ended; 'back' or 'restart' go into it"),
            },
        }
        Done::Stay
    }

    /// Does a command that needs a program that stands.
    fn at_stop(&mut self, word: &str, rest: &str, stop: &Stop<'_>) -> Done {
        match word {
            "step" | "s" => return Done::Go(Command::Step),
            "next" | "n" => return Done::Go(Command::Over),
            "finish" | "f" => return Done::Go(Command::Finish),
            "continue" | "c" if rest.is_empty() => return Done::Go(Command::Continue),
            "continue" | "c" => {
                return match place(rest, stop.debuggee, Some(stop)) {
                    Ok(line) => Done::Go(Command::To(line)),
                    Err(why) => self.refuse(&why),
                };
            }
            "locals" | "l" => self.variables(stop),
            "globals" => {
                for (name, value) in stop.moment.globals() {
                    self.say(&format!("{name} = {}", shown(value)));
                }
            }
            "print" | "p" => {
                let value = self.call_at(stop).map(|call| stop.evaluate(rest, &call));
                match value.unwrap_or_else(|| Err("there is no call".to_owned())) {
                    Ok(value) => self.say(&shown(&value)),
                    Err(why) => return self.refuse(&why),
                }
            }
            "stack" | "bt" => self.stack(stop),
            "up" | "down" => return self.look_at(word == "up", stop),
            _ => self.list(stop),
        }
        Done::Stay
    }

    fn help(&mut self) {
        for (names, takes, does) in COMMANDS {
            let names = format!("{} {takes}", names.join(", "));
            self.say(&format!("  {names:<33} {does}"));
        }
        if matches!(self.input, Input::Terminal(_)) {
            self.say("An empty line repeats the last command; Ctrl-C stops a program that runs.");
        }
    }

    fn list_breakpoints(&mut self, debuggee: &Debuggee, breakpoints: &[Breakpoint]) {
        for breakpoint in breakpoints {
            self.say(&described(breakpoint, debuggee));
        }
    }

    fn add_breakpoint(
        &mut self,
        text: &str,
        stop: Option<&Stop<'_>>,
        debuggee: &Debuggee,
        breakpoints: &mut Vec<Breakpoint>,
    ) -> Done {
        let (text, condition) = match text.split_once(" if ") {
            Some((text, condition)) if !condition.trim().is_empty() => (text.trim(), Some(condition.trim())),
            Some(_) => return self.refuse("a condition stands behind 'if'"),
            None if text.ends_with(" if") => return self.refuse("a condition stands behind 'if'"),
            None => (text, None),
        };
        let line = match place(text, debuggee, stop) {
            Ok(line) => line,
            Err(why) => return self.refuse(&why),
        };
        let number = self.next_breakpoint;
        self.next_breakpoint += 1;
        let breakpoint = Breakpoint { number, line, condition: condition.map(str::to_owned) };
        self.say(&described(&breakpoint, debuggee));
        breakpoints.push(breakpoint);
        Done::Stay
    }

    fn delete(&mut self, text: &str, breakpoints: &mut Vec<Breakpoint>) -> Done {
        let number = text.parse::<u32>().ok();
        let at = breakpoints.iter().position(|breakpoint| Some(breakpoint.number) == number);
        match at {
            Some(at) => {
                breakpoints.remove(at);
                Done::Stay
            }
            None => self.refuse(&format!("there is no breakpoint '{text}'")),
        }
    }

    fn call_at(&self, stop: &Stop<'_>) -> Option<CallAt> {
        stop.calls().into_iter().nth(self.call)
    }

    fn variables(&mut self, stop: &Stop<'_>) {
        let Some(variables) = self.call_at(stop).and_then(|call| stop.variables(&call)) else {
            self.say("the variables of this call are not known while a kernel runs");
            return;
        };
        for (name, value) in variables {
            self.say(&format!("{name} = {}", shown(&value)));
        }
    }

    fn stack(&mut self, stop: &Stop<'_>) {
        for (k, call) in stop.calls().into_iter().enumerate() {
            let mark = if k == self.call { '*' } else { ' ' };
            self.say(&format!("{mark}{k} {}", in_function(&call.function, call.span, stop.debuggee)));
        }
    }

    fn look_at(&mut self, up: bool, stop: &Stop<'_>) -> Done {
        let calls = stop.calls();
        let next = if up { Some(self.call + 1) } else { self.call.checked_sub(1) };
        match next.and_then(|at| Some((at, calls.get(at)?))) {
            Some((at, call)) => {
                self.call = at;
                self.say(&in_function(&call.function, call.span, stop.debuggee));
                self.say_line(call.span, stop.debuggee);
                Done::Stay
            }
            None => self.refuse(if up { "this is the outermost call" } else { "this is the innermost call" }),
        }
    }

    fn say_line(&mut self, span: Span, debuggee: &Debuggee) {
        if let Some(line) = debuggee.line(span)
            && let Some(text) = debuggee.text(line)
        {
            self.say(&format!("{:>4} | {text}", line.line));
        }
    }

    fn list(&mut self, stop: &Stop<'_>) {
        let span = self.call_at(stop).map_or(stop.moment.span(), |call| call.span);
        let Some(at) = stop.debuggee.line(span) else { return };
        for number in at.line.saturating_sub(AROUND).max(1)..=at.line + AROUND {
            if let Some(text) = stop.debuggee.text(Line { line: number, ..at }) {
                let mark = if number == at.line { '>' } else { ' ' };
                self.say(&format!("{mark}{number:>3} | {text}"));
            }
        }
    }

    /// Reads commands until one lets the program go on.
    fn commands(
        &mut self,
        stop: Option<&Stop<'_>>,
        debuggee: &Debuggee,
        breakpoints: &mut Vec<Breakpoint>,
    ) -> Command {
        loop {
            let Some(text) = self.line() else {
                // A script that ends early has not seen what it was written for.
                if let (Some(stop), Input::Stream, None) = (stop, &self.input, &self.failure) {
                    let at = placed(stop.moment.span(), debuggee);
                    self.failure = Some(format!("Error: the input ended while the program stands at {at}"));
                }
                return Command::Quit;
            };
            if let Done::Go(command) = self.command(&text, stop, debuggee, breakpoints) {
                self.interrupts.clear();
                return command;
            }
        }
    }
}

impl Front for Terminal {
    fn stopped(&mut self, stop: &Stop<'_>, breakpoints: &mut Vec<Breakpoint>) -> Command {
        self.call = 0;
        let span = stop.moment.span();
        let function = stop.moment.function();
        let why = match stop.reason {
            Reason::Begin | Reason::Step => String::new(),
            Reason::Breakpoint(number) => format!("breakpoint {number}: "),
            Reason::Pause => "interrupted: ".to_owned(),
            Reason::Condition(number, why) => {
                format!("the condition of breakpoint {number} cannot be computed: {why}\n")
            }
            Reason::Error(text) => format!("{text}stopped in front of it: "),
        };
        let position =
            stop.moment.position().map_or(String::new(), |position| format!(", position {position}"));
        self.say(&format!("{why}{}{position}", in_function(function, span, stop.debuggee)));
        self.say_line(span, stop.debuggee);
        self.commands(Some(stop), stop.debuggee, breakpoints)
    }

    fn ended(
        &mut self,
        error: Option<&str>,
        debuggee: &Debuggee,
        breakpoints: &mut Vec<Breakpoint>,
    ) -> Command {
        self.say(match error {
            None => "the program has ended",
            Some(_) => "the program has ended with an error",
        });
        self.commands(None, debuggee, breakpoints)
    }

    fn running(&mut self, _: &Debuggee, _: &mut Vec<Breakpoint>) -> Option<Interruption> {
        self.interrupts.taken().then_some(Interruption::Pause)
    }

    fn again(&mut self, again: bool) {
        self.again.store(again, Ordering::Relaxed);
    }
}

/// The line that a text means: a number, `FILE:LINE`, or the name of a function.
fn place(text: &str, debuggee: &Debuggee, stop: Option<&Stop<'_>>) -> Result<Line, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let here = stop.and_then(|stop| debuggee.line(stop.moment.span())).map_or(FileId(0), |line| line.file);
    let line = match (number(text), text.rsplit_once(':')) {
        (Some(line), _) => Line { file: here, line },
        (None, Some((name, line))) => {
            let file = debuggee.file(name).ok_or_else(|| format!("the program has no file '{name}'"))?;
            Line { file, line: number(line).ok_or_else(|| format!("'{line}' is no number of a line"))? }
        }
        (None, None) => {
            let found = debuggee.function(text);
            found.ok_or_else(|| {
                format!("no function '{text}' with statements is in the program; a place is a line, FILE:LINE or a function")
            })?
        }
    };
    debuggee.next_line(line)
}

fn placed(span: Span, debuggee: &Debuggee) -> String {
    match debuggee.line(span) {
        Some(line) => format!("{}:{}", debuggee.file_name(line.file), line.line),
        None => "a place without a line".to_owned(),
    }
}

fn in_function(function: &str, span: Span, debuggee: &Debuggee) -> String {
    format!("{} in {}", placed(span, debuggee), debuggee::readable(function))
}

fn described(breakpoint: &Breakpoint, debuggee: &Debuggee) -> String {
    let Breakpoint { number, line, condition } = breakpoint;
    let condition = condition.as_ref().map_or(String::new(), |condition| format!(" if {condition}"));
    let text = debuggee.text(*line).unwrap_or_default().trim();
    format!("breakpoint {number} at {}:{}{condition}: {text}", debuggee.file_name(line.file), line.line)
}
