//! The list of passes and their runner.

use super::host::{auto_kernel, auto_parallel, bounds, division};
use super::kernel::{
    bounds as launch_bounds, branches, caching, memory, nested, results, tiling, together, transfers, vectors,
};
use super::{constants, inlining, unrolling, unset, unused_outputs};
use crate::ir::Program;
use crate::ir::verify::verify;
use crate::message::{Category, Code, Message, Sink};
use crate::settings::Inlining;
use crate::source::{SourceMap, Span};

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
    /// Whether threads may make arrays whose sizes are not known.
    pub kernel_memory: bool,
    /// Whether to say why a loop without kernels inside stays in the host function.
    pub explain_host_loops: bool,
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
            kernel_memory: true,
            explain_host_loops: true,
            verify: cfg!(debug_assertions),
        }
    }

    /// The line of a place.
    pub fn line(&self, span: Span) -> u32 {
        self.sources.line_column(span.file, span.start).0
    }
}

/// One transform.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name under which users know it.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    run: fn(&mut Program, &PassContext<'_>, &mut Sink),
}

/// The passes in order.
pub const HOST: &[Pass] = &[
    Pass {
        name: "deadcode",
        summary: "outputs that nobody takes are not computed",
        run: unused_outputs::run,
    },
    Pass { name: "inlining", summary: "calls become the code of what they call", run: inlining::run },
    Pass { name: "unset", summary: "variables that a path leaves unset are tested", run: unset::run },
    Pass { name: "constants", summary: "loops know the arrays of their module", run: constants::of_modules },
    Pass { name: "nested", summary: "threads visit the positions of nested kernels", run: nested::run },
    Pass { name: "boundscheck", summary: "tests of indices that hold are dropped", run: bounds::run },
    Pass { name: "autoparallel", summary: "independent loops become launches", run: auto_parallel::run },
    Pass { name: "unroll", summary: "rounds of loops are written out", run: unrolling::run },
    Pass { name: "constprop", summary: "kernels know the elements of arrays", run: constants::run },
    Pass {
        name: "branchdivergencereducer",
        summary: "branches become choices of values",
        run: branches::run,
    },
    Pass { name: "sharedcaching", summary: "kernels read arrays from shared memory", run: caching::run },
    Pass { name: "kerneltiling", summary: "kernels with more positions than threads", run: tiling::run },
    Pass {
        name: "shared",
        summary: "the threads of blocks share what they do to 'shared variables",
        run: |program, _, sink| together::run(program, sink),
    },
    Pass { name: "launchbounds", summary: "blocks keep to bounds", run: launch_bounds::run },
    Pass { name: "sharedmemory", summary: "shared memory is bounded by assertions", run: memory::run },
    Pass { name: "autokernel", summary: "array expressions become one kernel each", run: auto_kernel::run },
    Pass { name: "kernelresults", summary: "results of kernels are accumulated", run: results::run },
    Pass { name: "simd", summary: "rows are computed with vectors", run: vectors::run },
    Pass { name: "datatransfer", summary: "what launches need not copy is found", run: transfers::run },
    Pass { name: "multidevice", summary: "launches are divided among devices", run: division::run },
];

/// Does to a program what it cannot mean without: tests of variables that may be unset, and what blocks share.
pub fn make_blocks(program: &mut Program, sources: &SourceMap, sink: &mut Sink) {
    let context = PassContext { auto_parallel: false, only_blocks: true, ..PassContext::new(sources) };
    unset::run(program, &context, sink);
    nested::refuse(program, sink);
    auto_parallel::run(program, &context, sink);
    launch_bounds::run(program, &context, sink);
    together::run(program, sink);
}

/// Runs all passes.
pub fn optimise(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    for pass in HOST {
        (pass.run)(program, context, sink);
        if !context.verify || sink.has_errors() {
            continue;
        }
        if let Some(problem) = verify(program).first() {
            let text = format!("internal error: the pass '{}' made an invalid program: {problem}", pass.name);
            sink.push(Message::new(Code("Q0599"), Category::Bug, Span::default(), text));
            return;
        }
    }
}
