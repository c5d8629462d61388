//! What became of the code of a program: of each loop, array expression, access and kernel, from what the passes decided and from the
//! IR that they made. `quasar explain x.q:12` and `quasar workbench` show it.

mod accesses;
mod arrays;
mod code;
mod line;
mod loops;
pub mod passes;
mod schedule;
mod statements;

use super::Document;
use crate::driver::{Options, Trace, trace};
use crate::ir::{Kernel, KernelId};
use crate::message::Message;
use crate::source::{SourceProvider, Span};
use crate::syntax::ast::{Stmt, StmtKind};
use code::Owner;
pub use line::{LineReport, NameType, StatementReport};
use passes::Recorder;
pub use passes::{Change, Step};
pub use statements::{Placed, words_of};

/// What a sentence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// What became of a loop.
    Loop,
    /// What became of an array expression.
    Arrays,
    /// Which functions and kernels hold it.
    Code,
    /// The kernel that was made of it.
    Kernel,
    /// How the processor visits positions.
    Processor,
    /// How devices do.
    Devices,
    /// Which indices are tested.
    Bounds,
    /// What is copied, or need not be.
    Copies,
    /// What is known at the place.
    Facts,
    /// Another remark of a pass.
    Remark,
}

impl Topic {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Loop => "loop",
            Topic::Arrays => "arrays",
            Topic::Code => "code",
            Topic::Kernel => "kernel",
            Topic::Processor => "processor",
            Topic::Devices => "devices",
            Topic::Bounds => "bounds",
            Topic::Copies => "copies",
            Topic::Facts => "facts",
            Topic::Remark => "remark",
        }
    }
}

/// Whether what became of code makes it fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It does: parallel, fused, not tested.
    Fast,
    /// It does not: serial, not fused, tested.
    Slow,
    /// Neither.
    #[default]
    Neutral,
}

/// A sentence on what became of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What it is about.
    pub topic: Topic,
    /// Whether that makes it fast.
    pub verdict: Verdict,
    /// The sentence, without a full stop.
    pub text: String,
    /// Places that explain it, with what is there.
    pub related: Vec<(Span, String)>,
}

impl Reason {
    fn new(topic: Topic, text: impl Into<String>) -> Reason {
        Reason { topic, verdict: Verdict::Neutral, text: text.into(), related: Vec::new() }
    }

    fn fast(self) -> Reason {
        Reason { verdict: Verdict::Fast, ..self }
    }

    fn slow(self) -> Reason {
        Reason { verdict: Verdict::Slow, ..self }
    }
}

/// A program with what became of it.
#[derive(Debug)]
pub struct Report {
    /// The text and its analysis.
    pub document: Document,
    /// The programs behind the passes.
    pub trace: Trace,
    /// What each pass changed.
    pub steps: Vec<Step>,
    recorder: Recorder,
}

impl Report {
    /// Compiles a program through all passes.
    ///
    /// # Errors
    /// The document of a program that does not compile; its messages say why.
    pub fn of(
        name: &str,
        text: &str,
        provider: &dyn SourceProvider,
        options: &Options,
    ) -> Result<Report, Box<Document>> {
        let mut document = Document::inspect(name, text, provider, options);
        if document.messages.iter().any(|message| message.category.is_error()) {
            return Err(Box::new(document));
        }
        let mut recorder = Recorder::default();
        let traced = trace(&document.compilation, options, &mut |stage, pass, program| {
            recorder.see(stage, pass, program);
        });
        match traced {
            Ok(trace) => {
                let steps = std::mem::take(&mut recorder.steps);
                Ok(Report { document, trace, steps, recorder })
            }
            Err(messages) => {
                document.messages = messages;
                Err(Box::new(document))
            }
        }
    }

    /// All statements of the text, in order.
    pub fn statements(&self) -> Vec<Placed<'_>> {
        statements::all(&self.document)
    }

    /// What became of a loop: at least one sentence.
    pub fn of_loop(&self, placed: &Placed<'_>) -> Vec<Reason> {
        loops::reasons(self, placed)
    }

    /// What became of the array expressions of a statement: at least one sentence.
    pub fn of_arrays(&self, stmt: &Stmt) -> Vec<Reason> {
        arrays::reasons(self, stmt)
    }

    /// Whether a statement computes with whole arrays.
    pub fn has_arrays(&self, stmt: &Stmt) -> bool {
        arrays::has_arrays(&self.document, stmt)
    }

    /// All that is known about a line, from 1; nothing for a line that the text does not have.
    pub fn line(&self, number: u32) -> Option<LineReport> {
        line::report(self, &self.statements(), number)
    }

    /// The same for all lines.
    pub fn lines(&self) -> Vec<LineReport> {
        let (all, mut lines) = (self.statements(), Vec::new());
        while let Some(line) = line::report(self, &all, lines.len() as u32 + 1) {
            lines.push(line);
        }
        lines
    }

    /// How the processor and devices run a kernel, and what its launches need not copy.
    pub fn schedule(&self, kernel: KernelId) -> Vec<Reason> {
        schedule::reasons(self, kernel)
    }

    /// Why there is a kernel: what became of the loop or the statement that it was made of. Nothing for kernels that are written.
    pub fn origin(&self, kernel: &Kernel) -> Option<Reason> {
        let statements = self.statements();
        let inner = statements.iter().rfind(|placed| code::holds(placed.stmt.span, kernel.span))?;
        let reasons = match &inner.stmt.kind {
            StmtKind::Function(_) => return None,
            _ if statements::is_loop(inner.stmt) => self.of_loop(inner),
            _ => self.of_arrays(inner.stmt),
        };
        reasons.into_iter().next()
    }

    /// The line of a place of the text.
    pub fn line_of(&self, span: Span) -> u32 {
        self.document.compilation.sources.line_column(span.file, span.start).0
    }

    /// Where the code at a place is, in words: `line 4`, with the file if it is another one.
    fn place(&self, span: Span) -> String {
        let line = self.line_of(span);
        match span.file == self.document.root {
            true => format!("line {line}"),
            false => format!("{}, line {line}", self.document.compilation.sources.file(span.file).name),
        }
    }

    /// What passes decided about the code that begins at a place.
    fn decisions(&self, at: Span) -> impl Iterator<Item = &Message> {
        self.trace.messages.iter().filter(move |message| {
            let span = message.primary.span;
            message.decision.is_some() && span.file == at.file && span.start == at.start
        })
    }

    /// Who holds code, in words.
    fn owner(&self, owner: Owner) -> String {
        match owner {
            Owner::Kernel(id) => format!("kernel '{}'", self.trace.host.kernels[id].name),
            Owner::Function(id) => {
                let function = &self.trace.host.functions[id];
                let is_file =
                    |name: &str| self.document.compilation.sources.files().any(|(_, f)| f.name == name);
                if is_file(&function.source_name) {
                    return "top level of the program".to_string();
                }
                let kind = if function.device { "device function" } else { "function" };
                format!("{kind} '{}'", function.source_name)
            }
        }
    }

    /// Why there is no IR of a place, of which the passes are asked that saw it last.
    fn absent(&self, span: Span, gone: Option<usize>) -> String {
        match gone.and_then(|step| self.steps.get(step)) {
            Some(step) => {
                format!("nothing is left of it behind the pass '{}' ({})", step.pass, step.summary)
            }
            None if statements::is_analysed(&self.document, span) => {
                "no code: its path is never taken, or its value is known before the program runs".to_string()
            }
            None => "no code: nothing calls the function around it, or its path is never taken".to_string(),
        }
    }
}

/// Adds a sentence unless it is there.
fn add(reasons: &mut Vec<Reason>, reason: Reason) {
    if !reasons.contains(&reason) {
        reasons.push(reason);
    }
}
