//! `quasar jupyter serve`: a session that a program drives, one JSON object per line on the standard streams.
//!
//! | request | answer |
//! |---|---|
//! | `run`: `name`, `text` | `stream` (`name`, `text`), `figure` (`number`, `svg`), `error` (`text`) as they come, then `done` (`ok`) |
//! | `complete`: `text`, `at` | `completions`: `start`, `names` |
//! | `inspect`: `text`, `at` | `about`: `text`, or null |
//! | `open`: `text` | `open`: `open`, whether more lines must follow |
//! | `interrupt` | none: it ends the cell that runs, which is answered |
//!
//! Requests have an `id`, which their last answer repeats. Places are counted in characters. Requests are answered one after the other;
//! only `interrupt` is heard at once. The end of the input ends the cell that runs and the session.

use super::events::Events;
use crate::arguments::Options;
use crate::interrupt::Interrupts;
use crate::output;
use crate::repl::{self, Done, Session};
use quasar_runtime::context;
use quasar_runtime::library::figure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};

/// Serves until the input ends.
pub(super) fn serve() -> Result<(), String> {
    let interrupts = Interrupts::default();
    interrupts.listen();
    let events = Events::default();
    output::listen(Box::new(events.clone()));
    context::set_output(Some(Box::new(events.clone())));
    let shown = events.clone();
    // If nobody reads it, the end of the cell says so.
    figure::set_viewer(Some(Box::new(move |number, svg, loss| drop(shown.figure(number, svg, loss)))));
    let (sender, requests) = mpsc::channel();
    let heard = Heard { interrupts: interrupts.clone(), ..Heard::default() };
    let listening = heard.clone();
    // It ends with the input, which may be later than the session.
    std::thread::spawn(move || listening.listen(&sender));
    repl::with_session(&Options::default(), &interrupts, |session| {
        let mut server = Server { session, events, heard, names: BTreeMap::new() };
        let answered = requests.iter().try_for_each(|request| server.answer(&request));
        match answered {
            Err(Left::Unread(error)) => Err(output::failed(&error)),
            _ => Ok(()),
        }
    })?;
    figure::set_viewer(None);
    Ok(())
}

/// What the thread that reads requests and the one that answers them share.
#[derive(Clone, Default)]
struct Heard {
    interrupts: Interrupts,
    /// The cells that were asked for and have not ended.
    cells: Arc<AtomicUsize>,
    /// Whether the input has ended.
    ended: Arc<AtomicBool>,
}

impl Heard {
    /// Reads requests until there are no more. The one about interrupts takes effect at once.
    fn listen(&self, sender: &Sender<Value>) {
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { break };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let request: Value = serde_json::from_slice(&line).unwrap_or_default();
            match request["request"].as_str() {
                Some("interrupt") if self.cells.load(Ordering::SeqCst) > 0 => self.interrupts.press(),
                // There is nothing to end any more.
                Some("interrupt") => {}
                wanted => {
                    if wanted == Some("run") && self.cells.fetch_add(1, Ordering::SeqCst) == 0 {
                        // Here, not when it begins to run: what is read behind it is meant for it.
                        self.interrupts.clear();
                    }
                    if sender.send(request).is_err() {
                        break;
                    }
                }
            }
        }
        self.ended.store(true, Ordering::SeqCst);
        self.interrupts.press();
    }
}

/// Why a session ends.
enum Left {
    /// Nobody asks any more.
    Ended,
    /// Nobody reads the answers.
    Unread(io::Error),
}

impl From<io::Error> for Left {
    fn from(error: io::Error) -> Left {
        Left::Unread(error)
    }
}

struct Server<'s, 'a> {
    session: &'s mut Session<'a>,
    events: Events,
    heard: Heard,
    /// How often each name was given to a cell: places of messages are found by them.
    names: BTreeMap<String, u32>,
}

impl Server<'_, '_> {
    fn answer(&mut self, request: &Value) -> Result<(), Left> {
        if self.heard.ended.load(Ordering::SeqCst) {
            return Err(Left::Ended);
        }
        let id = &request["id"];
        let text = request["text"].as_str().unwrap_or_default();
        let at = place(text, &request["at"]);
        match request["request"].as_str() {
            Some("run") => return self.run(id, request["name"].as_str().unwrap_or("cell"), text),
            Some("complete") => {
                let (start, names) = self.session.proposals(text, at);
                let start = text.get(..start).unwrap_or(text).chars().count();
                let answer = json!({"event": "completions", "id": id, "start": start, "names": names});
                self.events.send(&answer)?;
            }
            Some("inspect") => {
                let about = self.session.about(text, at);
                self.events.send(&json!({"event": "about", "id": id, "text": about}))?;
            }
            Some("open") => {
                let open = Session::is_open(text);
                self.events.send(&json!({"event": "open", "id": id, "open": open}))?;
            }
            _ => {
                let why = "this is no request: run, complete, inspect, open, interrupt";
                self.events.send(&json!({"event": "refused", "id": id, "text": why}))?;
            }
        }
        Ok(())
    }

    fn run(&mut self, id: &Value, name: &str, text: &str) -> Result<(), Left> {
        let count = self.names.entry(name.to_owned()).or_default();
        *count += 1;
        let name = if *count == 1 { name.to_owned() } else { format!("{name} ({count})") };
        self.events.begin();
        let good = self.run_cell(&name, text);
        self.heard.interrupts.clear();
        self.heard.cells.fetch_sub(1, Ordering::SeqCst);
        self.events.end(id, good)?;
        Ok(())
    }

    /// Runs the commands that a cell begins with, then the rest as one entry.
    fn run_cell(&mut self, name: &str, text: &str) -> bool {
        let (commands, rest) = commands(text);
        for command in commands {
            match repl::run_command(self.session, command) {
                Some(Ok(Done::Ok)) | None => {}
                Some(Ok(Done::Failed)) => return false,
                Some(Ok(Done::Quit)) => {
                    output::complain("Error: ':quit' is for a terminal; shut the kernel down instead");
                    return false;
                }
                Some(Err(error)) => {
                    output::complain(&error);
                    return false;
                }
            }
        }
        rest.trim().is_empty() || self.session.run_file(name, &rest)
    }
}

/// The commands that a cell begins with, and the rest, whose lines keep their numbers.
fn commands(text: &str) -> (Vec<&str>, String) {
    let is_command = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with(':');
    let lines: Vec<&str> = text.split_inclusive('\n').take_while(is_command).collect();
    let length: usize = lines.iter().map(|line| line.len()).sum();
    let rest = text.get(length..).unwrap_or_default();
    let rest = format!("{}{rest}", "\n".repeat(lines.len()));
    (lines.into_iter().filter(|line| !line.trim().is_empty()).collect(), rest)
}

/// A place that is counted in characters, in bytes.
fn place(text: &str, characters: &Value) -> usize {
    let characters = characters.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    text.char_indices().nth(characters).map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_before_the_rest_whose_lines_keep_their_numbers() {
        assert_eq!(
            commands(":vars\n\n :type 1\nx = 1\n:no"),
            (vec![":vars\n", " :type 1\n"], "\n\n\nx = 1\n:no".into())
        );
        assert_eq!(commands("x"), (vec![], "x".into()));
        assert_eq!(commands(""), (vec![], String::new()));
    }

    #[test]
    fn places_are_counted_in_characters() {
        assert_eq!(place("a\u{e4}b", &json!(2)), 3);
        assert_eq!(place("ab", &json!(9)), 2);
        assert_eq!(place("ab", &Value::Null), 2);
    }
}
