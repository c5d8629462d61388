//! What each pass changed: the functions and kernels whose text is another one behind it, and behind which pass code is gone.

use super::code::{self, holds};
use crate::ir::Program;
use crate::ir::print::{function_text, kernel_text};
use crate::source::Span;
use crate::transform::Stage;
use crate::transform::pass::Pass;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A pass that ran.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub stage: Stage,
    /// Its name.
    pub pass: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What it changed.
    pub changes: Vec<Change>,
}

/// A function or kernel that a pass changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its name in the IR.
    pub name: String,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Where it comes from.
    pub span: Span,
    /// The text before the pass; nothing for what the pass made.
    pub before: Option<Arc<str>>,
    /// The text behind it; nothing for what it dropped.
    pub after: Option<Arc<str>>,
}

/// Functions and kernels by name, with their places and texts.
type Texts = BTreeMap<(bool, String), (Span, Arc<str>)>;

/// Looks at the program behind each pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    pub(super) steps: Vec<Step>,
    texts: Texts,
    /// The texts behind the passes for all targets, where those for devices begin.
    shared: Option<Texts>,
    /// The last step of the host behind which there is code of a place.
    seen: HashMap<Span, usize>,
    /// The number of steps before kernels are shaped.
    host_steps: usize,
}

impl Recorder {
    pub(super) fn see(&mut self, stage: Stage, pass: &Pass, program: &Program) {
        let first = self.steps.last().is_none_or(|step| step.stage != stage);
        match stage {
            Stage::Cpu if first => self.shared = Some(self.texts.clone()),
            Stage::Device if first => self.texts = self.shared.take().unwrap_or_default(),
            _ => {}
        }
        let texts = texts_of(program);
        let changes = changes(&self.texts, &texts);
        self.texts = texts;
        let number = self.steps.len();
        self.steps.push(Step { stage, pass: pass.name, summary: pass.summary, changes });
        if matches!(stage, Stage::Program | Stage::Host) {
            self.host_steps = number + 1;
            code::each_span(program, &mut |span| {
                self.seen.insert(span, number);
            });
        }
    }

    /// The step behind which nothing is left of the code of a place; nothing if there is some left, or never was any.
    pub(super) fn left_after(&self, span: Span) -> Option<usize> {
        self.gone(&|inner| holds(span, inner))
    }

    /// As [`Recorder::left_after`], for the statement that begins at a place.
    pub(super) fn statement_left_after(&self, at: Span) -> Option<usize> {
        self.gone(&|inner| inner.file == at.file && inner.start == at.start)
    }

    fn gone(&self, wanted: &dyn Fn(Span) -> bool) -> Option<usize> {
        let steps = self.seen.iter().filter(|(span, _)| wanted(**span)).map(|(_, step)| *step);
        steps.max().map(|last| last + 1).filter(|next| *next < self.host_steps)
    }
}

fn texts_of(program: &Program) -> Texts {
    let functions = program.functions.iter().map(|(_, function)| {
        let text: Arc<str> = function_text(program, function).into();
        ((false, function.name.clone()), (function.span, text))
    });
    let kernels = program.kernels.iter().map(|(_, kernel)| {
        let text: Arc<str> = kernel_text(program, kernel).into();
        ((true, kernel.name.clone()), (kernel.span, text))
    });
    functions.chain(kernels).collect()
}

fn changes(before: &Texts, after: &Texts) -> Vec<Change> {
    let change = |key: &(bool, String), span, before, after| Change {
        name: key.1.clone(),
        kernel: key.0,
        span,
        before,
        after,
    };
    let mut found = Vec::new();
    for (key, (span, text)) in after {
        let old = before.get(key).map(|(_, text)| text);
        if old != Some(text) {
            found.push(change(key, *span, old.cloned(), Some(text.clone())));
        }
    }
    for (key, (span, text)) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        found.push(change(key, *span, Some(text.clone()), None));
    }
    found
}
