//! Shows programs in the compiler's forms.

use crate::arguments::{Options, Stage};
use crate::load;
use quasar_core::{backend, ir, syntax};
use std::path::Path;

/// `quasar emit`
pub(crate) fn emit(file: &Path, stage: Stage, options: &Options) -> Result<(), String> {
    let optimise = matches!(stage, Stage::Kernel | Stage::Rust);
    let compilation = load::compile(file, options, optimise)?;
    let Some(program) = &compilation.program else { return Err(String::new()) };
    match stage {
        Stage::Ast => {
            for each in &compilation.unit.modules {
                print!("{}", syntax::print(&each.module));
            }
        }
        Stage::Types => {
            for (_, instance) in compilation.model.instances.iter() {
                println!("{}", quasar_core::sema::describe(instance));
            }
        }
        Stage::Host => print!("{}", ir::print::functions(program)),
        Stage::Kernel => print!("{}", ir::print::program(program)),
        Stage::Rust => println!("{}", backend::rust::emit(program, &compilation.sources)),
    }
    Ok(())
}
