//! The lines of `quasar jupyter serve`.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

type Test = fn() -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 8] = [
        ("cells_share_variables", cells_share_variables),
        ("errors_have_the_place_in_the_cell", errors_have_the_place_in_the_cell),
        ("warnings_do_not_fail_a_cell", warnings_do_not_fail_a_cell),
        ("figures_come_while_the_cell_runs", figures_come_while_the_cell_runs),
        ("interrupts_end_the_cell_and_not_the_session", interrupts_end_the_cell_and_not_the_session),
        ("the_end_of_the_input_ends_what_runs", the_end_of_the_input_ends_what_runs),
        ("names_are_completed_and_explained", names_are_completed_and_explained),
        ("what_is_no_request_is_refused", what_is_no_request_is_refused),
    ];
    tests.into_iter().map(|(name, test)| Trial::test(name, test)).collect()
}

/// A session that is served.
struct Served {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Served {
    fn start() -> Result<Served, Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quasar"));
        command.args(["jupyter", "serve"]).current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("a pipe")?);
        Ok(Served { child, input, output })
    }

    fn send(&mut self, line: &str) -> Result<(), Failed> {
        let mut input = self.input.as_ref().ok_or("the input is open")?;
        Ok(writeln!(input, "{line}")?)
    }

    fn event(&mut self) -> Result<Value, Failed> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    fn ask(&mut self, request: &Value) -> Result<Value, Failed> {
        self.send(&request.to_string())?;
        self.event()
    }

    /// Runs a cell: its events before the last one, and whether that said that all is well.
    fn run(&mut self, name: &str, text: &str) -> Result<(Vec<Value>, bool), Failed> {
        self.send(&json!({"request": "run", "id": 7, "name": name, "text": text}).to_string())?;
        self.rest()
    }

    fn rest(&mut self) -> Result<(Vec<Value>, bool), Failed> {
        let mut events = Vec::new();
        loop {
            let event = self.event()?;
            if event["event"] == "done" {
                assert_eq!(event["id"], 7);
                return Ok((events, event["ok"] == true));
            }
            events.push(event);
        }
    }

    /// What a cell prints that does not fail.
    fn printed(&mut self, text: &str) -> Result<String, Failed> {
        let (events, good) = self.run("cell", text)?;
        let is_text = |event: &Value| event["event"] == "stream" && event["name"] == "stdout";
        assert!(good && events.iter().all(is_text), "{events:?}");
        Ok(events.iter().filter_map(|event| event["text"].as_str()).collect())
    }

    fn end(mut self) -> Result<(), Failed> {
        drop(self.input.take());
        let status = self.child.wait()?;
        assert!(status.success(), "{status}");
        Ok(())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended cannot be killed, and need not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells_share_variables() -> Result<(), Failed> {
    let mut served = Served::start()?;
    assert_eq!(served.printed("x = 3\nfunction y = f(a)\n  y = a + x\nend")?, "");
    assert_eq!(served.printed("print \"\u{e4}\"\nf(1)")?, "\u{e4}\n4\n");
    assert_eq!(served.printed(":type x\n:forget x\n\nz = 1..2\nz")?, "int\n[1,2]\n");
    assert_eq!(served.printed("")?, "");
    served.end()
}

fn errors_have_the_place_in_the_cell() -> Result<(), Failed> {
    let mut served = Served::start()?;
    let error =
        |events: &[Value]| events.last().map(|event| event["text"].as_str().unwrap_or_default().to_owned());
    let (events, good) = served.run("In [1]", "x = 1\n\nx + nothing")?;
    let text = error(&events).unwrap_or_default();
    assert!(
        !good && events.len() == 1 && text.contains(" --> In [1]:3:5\n  |\n3 | x + nothing\n  |     ^^^^^^^"),
        "{text}"
    );
    // The second cell of a name is another one, in which places are found as well.
    let (events, good) =
        served.run("In [1]", ":vars\nprint 1\ni = int(rand(1)[0])\nv = rand(2)\nv[i + 3]")?;
    let text = error(&events).unwrap_or_default();
    assert!(!good && events[0]["event"] == "stream" && text.contains(" --> In [1] (2):5:"), "{events:?}");
    let (events, good) = served.run("c", ":quit")?;
    assert!(!good && error(&events).unwrap_or_default().contains("shut the kernel down"), "{events:?}");
    let (events, good) = served.run("c", "x")?;
    assert!(!good, "what a failed cell assigned is not kept: {events:?}");
    served.end()
}

fn warnings_do_not_fail_a_cell() -> Result<(), Failed> {
    let mut served = Served::start()?;
    let (events, good) = served.run("In [1]", "x = 1\nif x = 1\n  print \"yes\"\nendif")?;
    let shown: Vec<&str> = events.iter().filter_map(|event| event["name"].as_str()).collect();
    assert!(good && shown == ["stderr", "stdout"], "{events:?}");
    served.end()
}

fn figures_come_while_the_cell_runs() -> Result<(), Failed> {
    let mut served = Served::start()?;
    let (events, good) = served.run("In [1]", "plot([1,3,2])\ndrawnow()\nprint \"shown\"\nfigure(2)\nimshow([[0,255],[255,0]])\nx = rand(2)[2+numel(rand(1))]")?;
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!((kinds, good), (vec!["figure", "stream", "figure", "error"], false));
    assert_eq!((&events[0]["number"], &events[2]["number"]), (&json!(1), &json!(2)));
    assert!(events[2]["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")), "{events:?}");
    let (events, _) = served.run("In [2]", "title(\"again\")")?;
    assert_eq!(events.len(), 1, "a figure of an earlier cell is changed and shown: {events:?}");
    let (events, _) = served.run("In [3]", "f = figure(3)\nbar([1,2])")?;
    assert!(events.len() == 1 && events[0]["event"] == "figure", "its number is not printed: {events:?}");
    served.run("In [4]", "function y = bar(x)\n  y = 2 * x\nend")?;
    assert_eq!(served.printed("bar(3)")?, "6\n", "one's own function of such a name has a value as others");
    served.end()
}

fn interrupts_end_the_cell_and_not_the_session() -> Result<(), Failed> {
    let mut served = Served::start()?;
    // This one ends nothing, also no later cell.
    served.send("{\"request\": \"interrupt\"}")?;
    assert_eq!(served.printed("x = 1\nx")?, "1\n");
    let endless = "print \"begun\"\nx = 2\nwhile true\nend";
    served.send(&json!({"request": "run", "id": 7, "name": "a", "text": endless}).to_string())?;
    assert_eq!(served.event()?["text"], "begun\n");
    served.send("{\"request\": \"interrupt\"}")?;
    let (events, good) = served.rest()?;
    let said = events[0]["text"].as_str().unwrap_or_default();
    assert!(!good && said.contains("interrupted") && said.contains(" --> a:"), "{events:?}");
    // One that comes before the cell has begun is meant for it as well.
    served.send(&json!({"request": "run", "id": 7, "name": "b", "text": "while true\nend"}).to_string())?;
    served.send("{\"request\": \"interrupt\"}")?;
    assert!(!served.rest()?.1);
    assert_eq!(served.printed("x")?, "1\n");
    if cfg!(unix) {
        served.send(&json!({"request": "run", "id": 7, "name": "c", "text": endless}).to_string())?;
        served.event()?;
        let process = served.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &process]).status()?.success());
        assert!(!served.rest()?.1, "a signal does the same");
    }
    served.end()
}

fn the_end_of_the_input_ends_what_runs() -> Result<(), Failed> {
    let mut served = Served::start()?;
    served.send(
        &json!({"request": "run", "id": 7, "name": "a", "text": "print 1\nwhile true\nend"}).to_string(),
    )?;
    served.event()?;
    served.end()
}

fn names_are_completed_and_explained() -> Result<(), Failed> {
    let mut served = Served::start()?;
    served.printed("% Twice as much.\nfunction y = twice(a : scalar)\n  y = 2 * a\nend\nsqrtable = 1.5")?;
    let found = served.ask(&json!({"request": "complete", "id": 1, "text": "\"\u{e4}\"\nsqrt", "at": 8}))?;
    assert_eq!((&found["start"], &found["names"]), (&json!(4), &json!(["sqrt", "sqrtable"])));
    let found = served.ask(&json!({"request": "complete", "id": 1, "text": ":ty", "at": 3}))?;
    assert_eq!((&found["start"], &found["names"]), (&json!(0), &json!([":type"])));
    let mut about = |text: &str| -> Result<String, Failed> {
        let found = served.ask(&json!({"request": "inspect", "id": 1, "text": text, "at": 2}))?;
        Ok(found["text"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(about("sqrtable + 1")?, "sqrtable : scalar");
    assert_eq!(about("twice(1)")?, "function y = twice(a : scalar)");
    assert!(about("sqrt(2)")?.starts_with("sqrt(a)\n"));
    assert_eq!(about("unknowable")?, "");
    let mut open = |text: &str| {
        Ok::<_, Failed>(served.ask(&json!({"request": "open", "id": 1, "text": text}))?["open"].clone())
    };
    assert_eq!(
        (open("for k = 1..2")?, open("x = 1")?, open(":type")?),
        (json!(true), json!(false), json!(false))
    );
    served.end()
}

fn what_is_no_request_is_refused() -> Result<(), Failed> {
    let mut served = Served::start()?;
    for line in ["nothing", "{\"request\": \"jump\", \"id\": 1}", "[1]", "{}"] {
        served.send(line)?;
        assert_eq!(served.event()?["event"], "refused", "{line}");
    }
    served.end()
}
