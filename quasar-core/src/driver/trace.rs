//! The passes over a program that is analysed, with the program shown behind each of them: for tools that say what became of code.

use super::{Compilation, Options, STACK};
use crate::ir::Program;
use crate::lower::{LowerOptions, lower};
use crate::message::{Message, Sink};
use crate::transform::kernel::thread_memory;
use crate::transform::pass::Pass;
use crate::transform::{PassContext, Runner, Stage, pipeline};
use quasar_devicelib::stack;

/// Is shown the program behind each pass, and the stage that the pass belongs to.
pub type StageObserver<'a> = dyn FnMut(Stage, &Pass, &Program) + 'a;

/// What the passes made of a program.
#[derive(Debug)]
pub struct Trace {
    /// The program, its loops and array expressions as launches of kernels.
    pub host: Program,
    /// The same with its kernels as the processor gets them. Kernels have the same ids in all three.
    pub processor: Program,
    /// And as devices get them.
    pub devices: Program,
    /// What the passes said, and what they decided without saying it.
    pub messages: Vec<Message>,
}

/// Runs all passes over what [`inspect`](super::inspect) made of a program without errors.
///
/// # Errors
/// The messages, if some are errors.
pub fn trace(
    compilation: &Compilation,
    options: &Options,
    observer: &mut StageObserver<'_>,
) -> Result<Trace, Vec<Message>> {
    stack::with_bytes(STACK, || all_passes(compilation, options, observer))
}

fn all_passes(
    compilation: &Compilation,
    options: &Options,
    observer: &mut StageObserver<'_>,
) -> Result<Trace, Vec<Message>> {
    let Compilation { sources, unit, model, settings, .. } = compilation;
    let mut sink = Sink::default();
    let mut host = lower(unit, model, &LowerOptions { settings, sources }, &mut sink);
    let context = PassContext {
        auto_parallel: options.auto_parallel,
        auto_kernel: options.auto_kernel,
        verify: options.verify,
        tell_facts: true,
        ..PassContext::with_settings(sources, settings)
    };
    let mut see = |pass: &Pass, program: &Program| observer(Stage::Program, pass, program);
    Runner::new(context).observed(&mut see).lowered(&host, &mut sink);
    let mut run = |stages: &[Stage], program: &mut Program, sink: &mut Sink| {
        for stage in stages {
            if !sink.has_errors() {
                let mut see = |pass: &Pass, program: &Program| observer(*stage, pass, program);
                Runner::new(context).observed(&mut see).run(pipeline::passes(*stage), program, sink);
            }
        }
    };
    run(&[Stage::Program, Stage::Host], &mut host, &mut sink);
    let mut processor = host.clone();
    run(&[Stage::Kernel], &mut processor, &mut sink);
    let mut devices = processor.clone();
    run(&[Stage::Cpu], &mut processor, &mut sink);
    run(&[Stage::Device], &mut devices, &mut sink);
    if !sink.has_errors() {
        let check = if settings.kernel_memory { thread_memory::warn } else { thread_memory::refuse };
        check(&host, &mut sink);
    }
    let failed = sink.has_errors();
    let remarks = sink.remarks().to_vec();
    let mut messages = sink.into_sorted();
    if failed {
        return Err(messages);
    }
    messages.extend(remarks);
    Ok(Trace { host, processor, devices, messages })
}
