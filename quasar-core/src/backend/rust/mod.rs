//! Prints a program as Rust: one hidden module with its functions and kernels, and a public function for each export.
//!
//! Host functions become functions on typed array handles; kernels become implementations of a trait that the run-time
//! library launches. Nothing generic and no `unsafe` code is printed: all work is done by `::quasar::abi`.

mod classes;
mod code;
mod device;
mod exports;
mod expr;
mod groups;
mod host;
mod kernel;
mod launch;
mod names;
mod offload;
mod params;
mod results;
mod signatures;
mod small;
mod stmt;
mod strips;
mod texts;
mod types;

pub use signatures::signature;

use crate::analysis::may_fail::failing;
use crate::analysis::recursion::recursive;
use crate::backend::clike::DeviceKernel;
use crate::ids::IdSet;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Function, FunctionId, KernelId, Program, StmtKind};
use crate::message::Sink;
use crate::parallel;
use crate::source::SourceMap;
use crate::types::ElementType;
use code::{Code, Ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// What the printed code shall look like.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the hidden module; unique among the expansions of one Rust module.
    pub module: String,
    /// The precision of `scalar`.
    pub working: ElementType,
    /// Makes what the code holds for GPUs on machines without a compiler, if it shall hold that.
    pub portable: Option<Portable>,
    /// Whether the code contains the compiler, for texts that it evaluates.
    pub texts: bool,
    /// Whether the texts for devices name the lines of the program.
    pub device_lines: bool,
    /// Whether a comment before each statement names its file and line, `/*@0:12*/`, for tools that show the code.
    pub lines: bool,
}

/// Compiles the text of a kernel, which comes after its name, or says why not.
pub type Portable = fn(&str, &str) -> Result<Vec<u8>, String>;

impl Default for Options {
    fn default() -> Options {
        Options {
            module: "__quasar".to_string(),
            working: ElementType::Single,
            portable: None,
            texts: false,
            lines: false,
            device_lines: false,
        }
    }
}

/// What all printers of one program share.
pub(crate) struct Unit<'p> {
    program: &'p Program,
    devices: &'p BTreeMap<KernelId, DeviceKernel>,
    sources: &'p SourceMap,
    options: &'p Options,
    /// The functions that may lead to calls of themselves.
    recursive: IdSet<Function>,
    /// The functions that may record an error where kernels call them.
    failing: IdSet<Function>,
}

impl Unit<'_> {
    fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive.contains(&function)
    }
}

/// The items that stand for a program in the place of the macro call, with the texts of those kernels that devices can
/// run. What cannot be printed yet is said in `sink`.
pub fn emit(
    program: &Program,
    devices: &BTreeMap<KernelId, DeviceKernel>,
    sources: &SourceMap,
    options: &Options,
    sink: &mut Sink,
) -> String {
    let unit =
        Unit { program, devices, sources, options, recursive: recursive(program), failing: failing(program) };
    let module = Ident::new(options.module.as_str());
    let mut items = Code::new();
    for (code, messages) in parallel::map(parts(program), |part| part.print(&unit)) {
        items.extend(code);
        sink.extend(messages);
    }
    let classes = classes::families(&unit);
    let globals = exports::globals(&unit);
    let entries = exports::entries(&unit, sink);
    let texts = texts::declaration(&unit);
    let kernels = offload::all(&unit);
    let all = quote! {
        #[doc(hidden)]
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, missing_docs, unreachable_pub, unused)]
        mod #module {
            use ::quasar::abi::{self, At as _, lib};
            use lib::{Access as _, ops, small};
            #classes
            #globals
            #texts
            #kernels
            #items
        }
        #entries
    };
    all.into_text()
}

/// What is printed by itself.
#[derive(Clone, Copy, Debug)]
enum Part {
    Host(FunctionId),
    Device(FunctionId),
    Kernel(KernelId),
}

impl Part {
    fn print(self, unit: &Unit<'_>) -> (Code, Sink) {
        let mut sink = Sink::default();
        let code = match self {
            Part::Host(id) => host::function(unit, id, &mut sink),
            Part::Device(id) => device::function(unit, id, &mut sink),
            Part::Kernel(id) => {
                let kernel = &unit.program.kernels[id];
                let mut code = kernel::kernel(unit, kernel, &mut sink);
                if let Some(device) = unit.devices.get(&id) {
                    code.extend(offload::declaration(unit, kernel, device, &mut sink));
                }
                code
            }
        };
        (code, sink)
    }
}

/// The parts of a program in the order in which they stand in its code.
fn parts(program: &Program) -> Vec<Part> {
    let (on_host, on_device) = reachable(program);
    let mut parts = Vec::new();
    for (id, function) in program.functions.iter() {
        if on_host.contains(&id) || !function.device {
            parts.push(Part::Host(id));
        }
        if on_device.contains(&id) {
            parts.push(Part::Device(id));
        }
    }
    parts.extend(program.kernels.ids().map(Part::Kernel));
    parts
}

/// The functions that host code and those that kernels call.
fn reachable(program: &Program) -> (BTreeSet<FunctionId>, BTreeSet<FunctionId>) {
    let mut host = BTreeSet::new();
    let mut device = BTreeSet::new();
    for (id, function) in program.functions.iter() {
        if !function.device {
            host.insert(id);
            close(program, &function.body.block, &mut host);
        }
    }
    host.extend(program.exports.iter().map(|export| export.function));
    for export in &program.exports {
        close(program, &program.functions[export.function].body.block, &mut host);
    }
    for (_, kernel) in program.kernels.iter() {
        close(program, &kernel.body.block, &mut device);
    }
    (host, device)
}

fn close(program: &Program, block: &[crate::ir::Stmt], found: &mut BTreeSet<FunctionId>) {
    let mut called = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            called.push(*function);
        }
    });
    for function in called {
        if found.insert(function) {
            close(program, &program.functions[function].body.block, found);
        }
    }
}
