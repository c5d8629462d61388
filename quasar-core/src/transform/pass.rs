//! What a pass is, what passes may ask for, and the one runner of all of them: it verifies the program after each pass, names
//! the pass that broke it, shows the program to who observes, and stops behind a pass where that is asked for.

use crate::ir::Program;
use crate::ir::verify::{Form, verify_form};
use crate::message::{Category, Code, Message, Sink};
use crate::settings::{Inlining, Settings};
use crate::source::{SourceMap, Span};
use std::fmt;

/// What passes may ask for.
#[derive(Clone, Copy, Debug)]
pub struct PassContext<'a> {
    /// The texts, for line numbers in names and messages.
    pub sources: &'a SourceMap,
    /// Whether loops become kernels without being asked to.
    pub auto_parallel: bool,
    /// Whether only those loops become kernels that are asked to and whose blocks share memory, which means something.
    pub only_blocks: bool,
    /// Whether array expressions become kernels.
    pub auto_kernel: bool,
    /// Which calls become code.
    pub inlining: Inlining,
    /// Whether indices are tested, where a setting says it for all accesses.
    pub bounds_checks: Option<bool>,
    /// Whether threads may make arrays whose sizes are not known.
    pub kernel_memory: bool,
    /// Whether the ranks of a cluster may share launches.
    pub ranks: bool,
    /// Whether to say why a loop without kernels inside stays in the host function.
    pub explain_host_loops: bool,
    /// Whether to say what is known at each statement.
    pub tell_facts: bool,
    /// Whether to verify after each pass; a failure is reported as a bug of that pass.
    pub verify: bool,
}

impl<'a> PassContext<'a> {
    /// The usual settings.
    pub fn new(sources: &'a SourceMap) -> PassContext<'a> {
        PassContext {
            sources,
            auto_parallel: true,
            only_blocks: false,
            auto_kernel: true,
            inlining: Inlining::default(),
            bounds_checks: None,
            kernel_memory: true,
            ranks: false,
            explain_host_loops: true,
            tell_facts: false,
            verify: cfg!(debug_assertions),
        }
    }

    /// What settings say.
    pub fn with_settings(sources: &'a SourceMap, settings: &Settings) -> PassContext<'a> {
        PassContext {
            inlining: settings.inlining,
            bounds_checks: settings.bounds_checks,
            kernel_memory: settings.kernel_memory,
            ranks: settings.ranks,
            ..PassContext::new(sources)
        }
    }

    /// The line of a place.
    pub fn line(&self, span: Span) -> u32 {
        self.sources.line_column(span.file, span.start).0
    }
}

/// One step from IR to IR.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: the one of the attribute where programs can ask for it.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    run: fn(&mut Program, &PassContext<'_>, &mut Sink),
    /// The form that the program has behind it.
    form: Form,
}

impl Pass {
    pub(super) const fn new(
        name: &'static str,
        summary: &'static str,
        run: fn(&mut Program, &PassContext<'_>, &mut Sink),
    ) -> Pass {
        Pass { name, summary, run, form: Form::Legal }
    }

    /// The pass, behind which programs have a form that only some passes know.
    pub(super) const fn leaving(self, form: Form) -> Pass {
        Pass { form, ..self }
    }
}

/// Stands for lowering where passes are named.
pub const LOWERED: Pass = Pass::new("lower", "trees become IR", |_, _, _| {}).leaving(Form::Lowered);

/// When a list of passes runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Behind lowering, always: what the front end may write and the rest of the compiler does not know.
    Program,
    /// On programs that are optimised.
    Host,
    /// On programs that are not optimised: what they cannot mean without.
    Unoptimised,
    /// On the kernels of all targets, before they are printed.
    Kernel,
    /// On kernels for the processor.
    Cpu,
    /// On kernels for devices.
    Device,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 6] =
        [Stage::Program, Stage::Host, Stage::Unoptimised, Stage::Kernel, Stage::Cpu, Stage::Device];

    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Program => "program",
            Stage::Host => "host",
            Stage::Unoptimised => "unoptimised",
            Stage::Kernel => "kernel",
            Stage::Cpu => "cpu",
            Stage::Device => "device",
        }
    }
}

/// Is shown the program after each pass.
pub type Observer<'a> = dyn FnMut(&Pass, &Program) + 'a;

/// Runs lists of passes, one after the other.
pub struct Runner<'a> {
    context: PassContext<'a>,
    last: Option<&'a str>,
    observer: Option<&'a mut Observer<'a>>,
    stopped: bool,
}

impl fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("last", &self.last).field("stopped", &self.stopped).finish()
    }
}

impl<'a> Runner<'a> {
    /// Runs all passes.
    pub fn new(context: PassContext<'a>) -> Runner<'a> {
        Runner { context, last: None, observer: None, stopped: false }
    }

    /// Runs passes up to the one of this name.
    pub fn until(self, last: Option<&'a str>) -> Runner<'a> {
        Runner { last, ..self }
    }

    /// Shows the program after each pass.
    pub fn observed(self, observer: &'a mut Observer<'a>) -> Runner<'a> {
        Runner { observer: Some(observer), ..self }
    }

    /// Whether the last pass ran, or one broke the program: what comes now does nothing.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Runs a list.
    pub fn run(&mut self, passes: &[Pass], program: &mut Program, sink: &mut Sink) {
        for pass in passes {
            if self.stopped {
                return;
            }
            (pass.run)(program, &self.context, sink);
            self.stopped = self.last == Some(pass.name);
            if self.context.verify && !sink.has_errors() {
                self.verify(&format!("the pass '{}'", pass.name), pass.form, program, sink);
            }
            if let Some(observer) = &mut self.observer {
                observer(pass, program);
            }
        }
    }

    /// Looks at what lowering made, before the first pass.
    pub fn lowered(&mut self, program: &Program, sink: &mut Sink) {
        self.stopped = self.last == Some(LOWERED.name);
        if self.context.verify && !sink.has_errors() {
            self.verify("lowering", LOWERED.form, program, sink);
        }
        if let Some(observer) = &mut self.observer {
            observer(&LOWERED, program);
        }
    }

    fn verify(&mut self, who: &str, form: Form, program: &Program, sink: &mut Sink) {
        if let Some(problem) = verify_form(program, form).first() {
            let text = format!("internal error: {who} made an invalid program: {problem}");
            sink.push(Message::new(Code("Q0599"), Category::Bug, Span::default(), text));
            self.stopped = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Variable;
    use crate::ir::build::int_type;
    use crate::types::Type;

    const GOOD: Pass = Pass::new("good", "", |_, _, _| {});
    const BAD: Pass = Pass::new("bad", "", |program, _, _| {
        let (_, kernel) = program.kernels.iter_mut().next().expect("a kernel");
        kernel.body.variables.push(Variable::new("x", Type::Dynamic, Span::default()));
    });

    fn program() -> Program {
        let mut program = Program::default();
        let mut body = crate::ir::Body::default();
        body.variables.push(Variable::new("n", int_type(), Span::default()));
        program.kernels.push(crate::ir::Kernel {
            name: "k".to_string(),
            body,
            rank: 1,
            accumulators: Vec::new(),
            parallel: true,
            aliased: false,
            divisible: false,
            attributes: Default::default(),
            strip: None,
            schedule: Default::default(),
            span: Span::default(),
        });
        program
    }

    fn ran(passes: &[Pass], last: Option<&str>) -> (Vec<&'static str>, Vec<String>) {
        let sources = SourceMap::default();
        let context = PassContext { verify: true, ..PassContext::new(&sources) };
        let (mut sink, mut names) = (Sink::default(), Vec::new());
        let mut observer = |pass: &Pass, _: &Program| names.push(pass.name);
        Runner::new(context).until(last).observed(&mut observer).run(passes, &mut program(), &mut sink);
        (names, sink.into_sorted().into_iter().map(|message| message.text).collect())
    }

    #[test]
    fn a_pass_that_breaks_the_program_is_named_and_is_the_last() {
        let (names, said) = ran(&[GOOD, BAD, GOOD], None);
        assert_eq!(names, ["good", "bad"]);
        assert_eq!(
            said,
            ["internal error: the pass 'bad' made an invalid program: k: x has the host type ??"]
        );
    }

    #[test]
    fn runners_stop_behind_the_pass_that_is_asked_for() {
        let other = Pass { name: "other", ..GOOD };
        assert_eq!(ran(&[GOOD, other, BAD], Some("other")).0, ["good", "other"]);
        assert_eq!(ran(&[GOOD, other], Some("unknown")).0, ["good", "other"]);
    }
}
