//! Watching a program from outside: what can be seen between two instructions, and how a program is ended there. Debuggers and
//! interrupts use it. Without a watcher, an instruction costs one comparison of numbers.

use super::error::{Fault, RunErrorKind};
use super::machine::Machine;
use super::thread::Thread;
use crate::source::Span;
use quasar_devicelib::value::Value;

/// What happens behind a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The program goes on; the watcher looks again at the instruction of this number, or at the next one if that is over.
    At(u64),
    /// The program ends, with this message. It cannot catch it.
    Stop(String),
}

/// Looks at a program between its instructions, which are counted from 1. A statement of the source has one or several.
pub trait Watcher {
    /// Looks at the program, which is about to execute an instruction.
    fn look(&mut self, moment: &Moment<'_>) -> Next;
}

/// The program in front of an instruction.
pub struct Moment<'a> {
    thread: &'a Thread,
    pc: usize,
    steps: u64,
    names: Vec<(&'a str, &'a Value)>,
}

/// A call that has not ended.
pub struct Call<'a> {
    /// The function or kernel.
    pub function: &'a str,
    /// The statement that goes on in it.
    pub span: Span,
    /// The number of its instruction. Loops go back to smaller ones.
    pub instruction: usize,
    /// Its variables with their values, those without a value left out; temporaries have names that begin with `$`.
    pub variables: Vec<(&'a str, &'a Value)>,
}

impl Moment<'_> {
    /// The number of the instruction.
    pub fn number(&self) -> u64 {
        self.steps
    }

    /// The place of the instruction.
    pub fn span(&self) -> Span {
        let spans = self.thread.frames.last().map(|frame| &frame.code.spans);
        spans.and_then(|spans| spans.get(self.pc)).copied().unwrap_or_default()
    }

    /// Whether the innermost body has ended, and only returns to its caller.
    pub fn is_end(&self) -> bool {
        self.thread.frames.last().is_none_or(|frame| self.pc >= frame.code.ops.len())
    }

    /// The number of calls that have not ended; those of the thread of a kernel alone, if one runs.
    pub fn depth(&self) -> usize {
        self.thread.frames.len()
    }

    /// The position of the thread of a kernel.
    pub fn position(&self) -> Option<String> {
        self.thread.lane.active.then(|| self.thread.lane.text())
    }

    /// The number of the instruction in its body.
    pub fn instruction(&self) -> usize {
        self.pc
    }

    /// The calls that have not ended, the innermost first.
    pub fn calls(&self) -> Vec<Call<'_>> {
        let frames = &self.thread.frames;
        let call = |k: usize| {
            let frame = &frames[k];
            let innermost = k + 1 == frames.len();
            let pc = if innermost { self.pc } else { frame.pc.saturating_sub(1) };
            let end = frames.get(k + 1).map_or(self.thread.slots.len(), |inner| inner.base);
            let values = self.thread.slots.get(frame.base..end).unwrap_or_default();
            let variables = frame.code.names.iter().map(|name| &**name).zip(values);
            Call {
                function: &frame.code.name,
                span: frame.code.spans.get(pc).copied().unwrap_or_default(),
                instruction: pc,
                variables: variables.filter(|(_, value)| !matches!(value, Value::Unit)).collect(),
            }
        };
        (0..frames.len()).rev().map(call).collect()
    }

    /// The module-level variables that functions share, with their values.
    pub fn globals(&self) -> &[(&str, &Value)] {
        &self.names
    }
}

impl Machine<'_> {
    /// Lets the watcher look.
    pub(super) fn look(&mut self, thread: &Thread, pc: usize) -> Result<(), Fault> {
        let Some(watcher) = self.watcher.take() else {
            self.looks_at = u64::MAX;
            return Ok(());
        };
        let globals = self.program(0).globals.iter().map(|(_, global)| &global.name[..]);
        let names = globals.zip(&self.programs[0].globals);
        let names = names.filter(|(_, value)| !matches!(value, Value::Unit)).collect();
        let next = watcher.look(&Moment { thread, pc, steps: self.steps, names });
        self.watcher = Some(watcher);
        match next {
            Next::At(number) => {
                self.looks_at = number;
                Ok(())
            }
            Next::Stop(why) => Err(Fault::new(RunErrorKind::Stopped, why)),
        }
    }
}
