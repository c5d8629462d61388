//! Watching a program from outside: what can be seen between two instructions, and how a program is ended there. Debuggers and
//! interrupts use it. Without a watcher, an instruction costs one comparison of numbers.

use super::code::Op;
use super::error::{Fault, RunErrorKind};
use super::machine::Machine;
use super::messages;
use super::observer::ThreadId;
use super::texts::Loaded;
use super::thread::Thread;
use crate::ir::{Coordinate, Program};
use crate::source::Span;
use quasar_devicelib::value::{ArrayBuf, Value};

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
    program: &'a Program,
    globals: &'a [Value],
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

    /// Whether it only leads to another instruction: the end of a body or a loop.
    pub fn is_flow(&self) -> bool {
        let op = self.thread.frames.last().and_then(|frame| frame.code.ops.get(self.pc));
        matches!(op, None | Some(Op::Jump(_) | Op::Leave(_)))
    }

    /// The number of calls that have not ended; those of the thread of a kernel alone, if one runs.
    pub fn depth(&self) -> usize {
        self.thread.frames.len()
    }

    /// The function or kernel that runs.
    pub fn function(&self) -> &str {
        self.thread.frames.last().map_or("", |frame| &frame.code.name)
    }

    /// The thread of a kernel, if one runs.
    pub fn thread(&self) -> Option<ThreadId> {
        self.thread.lane.active.then(|| self.thread.lane.id())
    }

    /// The position of the thread of a kernel.
    pub fn position(&self) -> Option<String> {
        self.thread.lane.active.then(|| self.thread.lane.text())
    }

    /// The position of the thread of a kernel and that of its block, under the names that kernels have for them.
    pub fn coordinates(&self) -> Vec<(&'static str, Value)> {
        let lane = &self.thread.lane;
        if !lane.active {
            return Vec::new();
        }
        let value = |which: Coordinate| match lane.rank() {
            1 => Value::int(lane.coordinate(which, 0).into()),
            rank => {
                let items = (0..rank).map(|k| lane.coordinate(which, k));
                ArrayBuf::ints(items.map(|item| usize::try_from(item).unwrap_or_default())).into()
            }
        };
        let named = [
            ("pos", Coordinate::Position),
            ("blkpos", Coordinate::BlockPosition),
            ("blkidx", Coordinate::BlockIndex),
            ("blkdim", Coordinate::BlockDim),
        ];
        named.into_iter().map(|(name, which)| (name, value(which))).collect()
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
    pub fn globals(&self) -> Vec<(&str, &Value)> {
        let names = self.program.globals.iter().map(|(_, global)| &global.name[..]);
        names.zip(self.globals).filter(|(_, value)| !matches!(value, Value::Unit)).collect()
    }
}

impl Machine<'_> {
    /// Lets the watcher look, and refuses instructions behind the limit.
    pub(super) fn look(&mut self, thread: &Thread, pc: usize) -> Result<(), Fault> {
        let limit = self.options.step_limit.unwrap_or(u64::MAX);
        if self.steps > limit {
            return Err(messages::step_limit(limit));
        }
        self.looks_at = limit.saturating_add(1);
        let Some(watcher) = self.watcher.take() else { return Ok(()) };
        let Loaded { origin, globals, .. } = &self.programs[0];
        let next =
            watcher.look(&Moment { thread, pc, steps: self.steps, program: origin.program(), globals });
        self.watcher = Some(watcher);
        match next {
            Next::At(number) => {
                self.looks_at = self.looks_at.min(number);
                Ok(())
            }
            Next::Stop(why) => {
                // The next program of a session is watched as well.
                self.looks_at = 0;
                Err(Fault::new(RunErrorKind::Stopped, why))
            }
        }
    }
}
