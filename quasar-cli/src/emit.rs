//! `quasar emit`: prints a program at a stage of compilation (AST, types, IR, Rust, device code).

use crate::arguments::{Options, Stage};
use crate::load;
use crate::output;
use quasar_core::backend::clike::{self, Malformed};
use quasar_core::backend::rust;
use quasar_core::ir::schedule::OnDevice;
use quasar_core::message::{Sink, render};
use quasar_core::sema::model::{Binding, Instance};
use quasar_core::source::Span;
use quasar_core::transform::kernel::shaped_for_devices;
use quasar_core::transform::pass::LOWERED;
use quasar_core::transform::pipeline::passes;
use quasar_core::{driver, ir, syntax, transform};
use std::path::Path;

/// `quasar emit`
pub(crate) fn emit(file: &Path, stage: Stage, options: &Options) -> Result<(), String> {
    let optimise = matches!(stage, Stage::Kernel | Stage::Pass | Stage::Exact | Stage::Rust | Stage::Device);
    let compilation = load::compile(file, options, optimise)?;
    let Some(program) = &compilation.program else { return Err(String::new()) };
    match stage {
        Stage::Ast => {
            for each in &compilation.unit.modules {
                output::text(&syntax::print(&each.module))?;
            }
        }
        Stage::Types => {
            for (_, instance) in compilation.model.instances.iter() {
                output::line(&signature(instance))?;
            }
        }
        Stage::Host => output::text(&ir::print::functions(program))?,
        Stage::Kernel | Stage::Pass => output::text(&ir::print::program(program))?,
        Stage::Exact => output::text(&ir::text::write(program))?,
        Stage::Rust => {
            let printing =
                rust::Options { working: compilation.settings.precision, ..rust::Options::default() };
            let mut sink = Sink::default();
            let text = driver::print_rust(program, &compilation.sources, &printing, &mut sink);
            output::line(&text.to_string())?;
            for message in sink.into_sorted() {
                output::complain(&render::snippet(&message, &compilation.sources, render::Style::Plain));
            }
        }
        Stage::Device => {
            let program = shaped_for_devices(program);
            let lines = compilation.settings.device_lines;
            let naming = if lines { clike::Naming::Lines } else { clike::Naming::Nothing };
            for (id, kernel) in program.kernels.iter() {
                let place = |span: Span| compilation.sources.line_column(span.file, span.start).0;
                let name = &kernel.name;
                if let Some(OnDevice::Refused { span, what }) = kernel.schedule.device.as_ref() {
                    let line = place(*span);
                    output::line(&format!("// {name}: on the processor only: line {line}: {what}\n"))?;
                }
                match clike::kernel_naming(naming, &program, id, &compilation.sources) {
                    Ok(text) => {
                        let mut versions = text.iter().flat_map(clike::DeviceKernel::versions);
                        versions.try_for_each(|version| output::line(&version.text))?;
                    }
                    Err(Malformed { span, what }) => {
                        let line = place(span);
                        return Err(format!("internal error: {name}, line {line}: no pass refused {what}"));
                    }
                }
            }
        }
    }
    Ok(())
}

/// `quasar emit --list-passes`
pub(crate) fn list_passes() -> Result<(), String> {
    output::line(&format!("{:<12} {:<24} {}", "", LOWERED.name, LOWERED.summary))?;
    for stage in transform::Stage::ALL {
        for pass in passes(stage) {
            output::line(&format!("{:<12} {:<24} {}", stage.name(), pass.name, pass.summary))?;
        }
    }
    Ok(())
}

/// The signature of an instance, as in `name(x : mat, k : int) -> (y : mat)`.
fn signature(instance: &Instance) -> String {
    let list = |bindings: &[Binding]| {
        let each = bindings.iter().map(|binding| format!("{} : {}", binding.name, binding.ty));
        each.collect::<Vec<_>>().join(", ")
    };
    format!("{}({}) -> ({})", instance.name, list(&instance.params), list(&instance.results))
}
