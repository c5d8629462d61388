//! Prints a program as Rust: one hidden module with its functions and kernels, and a public function for each export.
//!
//! Host functions become functions on typed array handles; kernels become implementations of a trait that the run-time
//! library launches. Nothing generic and no `unsafe` code is printed: all work is done by `::quasar::abi`.

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
mod types;

pub use signatures::signature;

use crate::backend::clike::DeviceKernel;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{FunctionId, KernelId, Program, StmtKind};
use crate::message::Sink;
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
}

impl Default for Options {
    fn default() -> Options {
        Options { module: "__quasar".to_string(), working: ElementType::Single }
    }
}

/// What all printers of one program share.
pub(crate) struct Unit<'p> {
    program: &'p Program,
    devices: &'p BTreeMap<KernelId, DeviceKernel>,
    sources: &'p SourceMap,
    options: &'p Options,
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
    let unit = Unit { program, devices, sources, options };
    let module = Ident::new(options.module.as_str());
    let (on_host, on_device) = reachable(program);
    let mut items = Code::new();
    for (id, function) in program.functions.iter() {
        if on_host.contains(&id) || !function.device {
            items.extend(host::function(&unit, function, sink));
        }
        if on_device.contains(&id) {
            items.extend(device::function(&unit, function, sink));
        }
    }
    for (id, kernel) in program.kernels.iter() {
        items.extend(kernel::kernel(&unit, kernel, sink));
        if let Some(device) = devices.get(&id) {
            items.extend(offload::declaration(&unit, kernel, device));
        }
    }
    let globals = exports::globals(&unit);
    let entries = exports::entries(&unit, sink);
    let all = quote! {
        #[doc(hidden)]
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, missing_docs, unreachable_pub, unused)]
        mod #module {
            use ::quasar::abi::{self, At as _, lib};
            use lib::{Access as _, ops, small};
            #globals
            #items
        }
        #entries
    };
    all.into_text()
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
