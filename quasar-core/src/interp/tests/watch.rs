//! Watchers: what they see, and that they end a program which cannot catch that.

use super::build::*;
use crate::interp::{InterpOptions, Interpreter, Moment, Next, RunErrorKind, Watcher};
use crate::ir::{Program, Scope, StmtKind};
use quasar_devicelib::value::{BufferHost, Value, format};

/// Writes down what it sees, and ends the program at an instruction.
struct Notes {
    seen: Vec<String>,
    between: u64,
    end: u64,
}

impl Watcher for Notes {
    fn look(&mut self, moment: &Moment<'_>) -> Next {
        if moment.number() >= self.end {
            return Next::Stop("enough".to_owned());
        }
        let calls = moment.calls();
        let variables =
            calls[0].variables.iter().map(|(name, value)| format!("{name}={}", format::print(value)));
        let variables: Vec<String> = variables.collect();
        self.seen.push(format!("{} {} {}", moment.number(), moment.function(), variables.join(" ")));
        Next::At(moment.number() + self.between)
    }
}

/// What is seen of a function that counts to `count`, and how it ends.
fn watched(count: i32, between: u64, end: u64) -> (Vec<String>, Result<String, RunErrorKind>) {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (total, i) = (b.result("total", int_ty()), b.var("i", int_ty()));
    let body = vec![set(total, op("add", &[b.get(total), b.get(i)]))];
    let counting = vec![set(total, n(0)), count_to(i, n(1), n(count), body)];
    let caught = StmtKind::Try { body: counting, handlers: Vec::new() };
    let function = b.function(&mut program, "f", false, vec![stmt(caught)]);
    export(&mut program, function);
    let (mut host, mut notes) = (BufferHost::default(), Notes { seen: Vec::new(), between, end });
    let name = program.exports[0].name.clone();
    let mut interpreter =
        Interpreter::new(&program, InterpOptions::default(), &mut host).with_watcher(&mut notes);
    let result = interpreter.call(&name, Vec::<Value>::new());
    (notes.seen, result.map(|values| format::print(&values[0])).map_err(|error| error.kind))
}

#[test]
fn every_instruction_is_seen_with_the_variables() {
    let (seen, result) = watched(2, 0, u64::MAX);
    assert_eq!(result, Ok("3".to_owned()));
    let numbers: Vec<&str> = seen.iter().filter_map(|line| line.split(' ').next()).collect();
    let expected: Vec<String> = (1..=seen.len()).map(|k| k.to_string()).collect();
    assert_eq!(numbers, expected);
    assert!(seen.contains(&"5 f total=0 i=1".to_owned()), "{seen:?}");
}

#[test]
fn a_watcher_looks_when_it_wants_to() {
    let all = watched(100, 0, u64::MAX).0.len();
    let some = watched(100, 10, u64::MAX).0.len();
    assert_eq!(some, all.div_ceil(10));
}

#[test]
fn a_program_cannot_catch_that_it_is_ended() {
    let (seen, result) = watched(i32::MAX, 0, 50);
    assert_eq!((seen.len(), result), (49, Err(RunErrorKind::Stopped)));
}

#[test]
fn what_runs_behind_an_end_is_watched_as_well() {
    struct Ends;
    impl Watcher for Ends {
        fn look(&mut self, _: &Moment<'_>) -> Next {
            Next::Stop("enough".to_owned())
        }
    }
    let mut program = Program::default();
    let mut b = Builder::default();
    let total = b.result("total", int_ty());
    let function = b.function(&mut program, "f", false, vec![set(total, n(0))]);
    export(&mut program, function);
    let (mut host, mut ends) = (BufferHost::default(), Ends);
    let name = program.exports[0].name.clone();
    let mut interpreter =
        Interpreter::new(&program, InterpOptions::default(), &mut host).with_watcher(&mut ends);
    for _ in 0..2 {
        let result = interpreter.call(&name, Vec::<Value>::new());
        assert_eq!(result.map(drop).map_err(|error| error.kind), Err(RunErrorKind::Stopped));
    }
}

#[test]
fn threads_of_kernels_have_positions() {
    struct Positions(Vec<String>);
    impl Watcher for Positions {
        fn look(&mut self, moment: &Moment<'_>) -> Next {
            if let (Some(position), Some((_, value))) = (moment.position(), moment.coordinates().first()) {
                self.0.push(format!("{position} {}", format::print(value)));
            }
            Next::At(0)
        }
    }
    let mut program = Program::default();
    let mut k = Builder::default();
    let x = k.param("x", mat());
    let block = vec![stmt(StmtKind::Fence(Scope::Block)), k.store(x, &[pos(0), pos(1)], f(1.0))];
    let kernel = k.kernel(&mut program, 2, block);
    let mut b = Builder::default();
    let x = b.param("x", mat());
    let block = vec![launch(kernel, &[1, 2], None, vec![b.get(x)])];
    let function = b.function(&mut program, "f", false, block);
    export(&mut program, function);
    let (mut host, mut seen) = (BufferHost::default(), Positions(Vec::new()));
    let name = program.exports[0].name.clone();
    let mut interpreter =
        Interpreter::new(&program, InterpOptions::default(), &mut host).with_watcher(&mut seen);
    interpreter.call(&name, vec![zeros(&[1, 2])]).expect("it runs");
    seen.0.dedup();
    assert_eq!(seen.0, ["[0,0] [0,0]", "[0,1] [0,1]"]);
}
