//! `quasar run` on the interpreter.

use crate::arguments::Options;
use crate::failure;
use crate::load;
use crate::profile::Kernels;
use quasar_core::driver::Compilation;
use quasar_core::interp::{InterpOptions, Interpreter, Observer};
use quasar_runtime::context::checks_numbers;
use quasar_runtime::library::host_services::with_host;
use quasar_runtime::library::{command_line, figure};
use std::path::Path;

/// Runs the top-level statements and `main`: unoptimised, or with `--debug` after the transforms, where parallelised
/// loops run both in a random and in sequential order.
pub(crate) fn interpret(file: &Path, arguments: &[String], options: &Options) -> Result<(), String> {
    let compilation = load::compile(file, options, options.debug)?;
    if !quasar_runtime::profile::measures() {
        return run(&compilation, arguments, options, None);
    }
    run(&compilation, arguments, options, Some(&mut Kernels::of(&compilation)))
}

/// Runs a compiled program, watched by an observer of its kernels.
pub(crate) fn run(
    compilation: &Compilation,
    arguments: &[String],
    options: &Options,
    observer: Option<&mut dyn Observer>,
) -> Result<(), String> {
    let Some(program) = &compilation.program else { return Err(String::new()) };
    let working = compilation.settings.precision;
    let ran = with_host(working, |host| {
        let settings = InterpOptions {
            working,
            compare_orders: options.debug,
            check_numbers: checks_numbers(),
            ..InterpOptions::default()
        };
        let mut interpreter = Interpreter::new(program, settings, host).with_sources(&compilation.sources);
        if let Some(observer) = observer {
            interpreter = interpreter.with_observer(observer);
        }
        let failed = |error| failure::described(&error, &compilation.sources);
        interpreter.run_initializer().map_err(failed)?;
        if interpreter.has_main() {
            let arguments = command_line::arguments(arguments.iter().cloned(), working);
            interpreter.run_main(vec![arguments]).map_err(failed)?;
        }
        Ok(())
    });
    // What a program drew before it failed is shown as well.
    let shown = figure::show_figures().map_err(|error| format!("Error: {error}"));
    ran.and(shown)
}
