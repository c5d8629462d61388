//! Runs what makes kernels and functions out of parts of host functions: on several functions at once, each with kernels of
//! its own.

use crate::ids::{Arena, Id};
use crate::ir::rewrite::transform_stmts;
use crate::ir::{Body, Function, FunctionId, Kernel, KernelId, Program, StmtKind};
use crate::message::Sink;
use crate::parallel;
use std::collections::BTreeSet;

/// A host function in the hands of a pass.
pub(super) struct Host<'a> {
    /// All functions. Those of the host are without their bodies.
    pub(super) functions: &'a Arena<Function>,
    /// Which one it is.
    pub(super) id: FunctionId,
    /// What the source calls it.
    pub(super) name: &'a str,
    /// Its code.
    pub(super) body: Body,
    /// What was made of parts of it.
    pub(super) kernels: NewKernels,
    /// Functions that were made of parts of it.
    pub(super) made: NewFunctions,
    /// What there is to say.
    pub(super) sink: Sink,
}

/// Kernels that the program does not have yet. Their ids follow those of the program, until it gets them.
#[derive(Default)]
pub(super) struct NewKernels {
    /// How many kernels the program has.
    before: usize,
    made: Vec<Kernel>,
}

impl NewKernels {
    /// Adds a kernel. Others may be called the same.
    pub(super) fn push(&mut self, kernel: Kernel) -> KernelId {
        self.made.push(kernel);
        Id::new(self.before + self.made.len() - 1)
    }

    pub(super) fn len(&self) -> usize {
        self.made.len()
    }

    /// Those behind the first `len`.
    pub(super) fn since(&self, len: usize) -> &[Kernel] {
        &self.made[len..]
    }

    /// One that was added.
    pub(super) fn get(&self, kernel: KernelId) -> Option<&Kernel> {
        self.made.get(kernel.index().checked_sub(self.before)?)
    }

    /// Drops those behind the first `len`; nothing may launch them any more.
    pub(super) fn truncate(&mut self, len: usize) {
        self.made.truncate(len);
    }
}

/// Host functions that the program does not have yet, as [`NewKernels`].
#[derive(Default)]
pub(super) struct NewFunctions {
    /// How many functions the program has.
    before: usize,
    made: Vec<Function>,
}

impl NewFunctions {
    /// Adds a function. Others may be called the same.
    pub(super) fn push(&mut self, function: Function) -> FunctionId {
        self.made.push(function);
        Id::new(self.before + self.made.len() - 1)
    }

    pub(super) fn len(&self) -> usize {
        self.made.len()
    }

    /// Drops those behind the first `len`; nothing may call them any more.
    pub(super) fn truncate(&mut self, len: usize) {
        self.made.truncate(len);
    }
}

/// Runs a pass on every host function. The program gets the kernels in the order of the functions.
pub(super) fn each_host_function(
    program: &mut Program,
    sink: &mut Sink,
    pass: impl Fn(&mut Host<'_>) + Sync,
) {
    let on_host = program.functions.iter_mut().filter(|(_, function)| !function.device);
    let bodies = on_host.map(|(id, function)| (id, std::mem::take(&mut function.body))).collect();
    let before = Counts { kernels: program.kernels.len(), functions: program.functions.len() };
    let functions = &program.functions;
    let run = |(id, body): (FunctionId, Body)| {
        let kernels = NewKernels { before: before.kernels, made: Vec::new() };
        let made = NewFunctions { before: before.functions, made: Vec::new() };
        let name = &functions[id].source_name;
        let mut host = Host { functions, id, name, body, kernels, made, sink: Sink::default() };
        pass(&mut host);
        (id, host.body, host.kernels.made, host.made.made, host.sink)
    };
    let done = parallel::map(bodies, run);
    let mut names: BTreeSet<String> = program.kernels.iter().map(|(_, kernel)| kernel.name.clone()).collect();
    let mut function_names: BTreeSet<String> =
        program.functions.iter().map(|(_, function)| function.name.clone()).collect();
    for (id, mut body, kernels, functions, said) in done {
        let first = Counts { kernels: program.kernels.len(), functions: program.functions.len() };
        before.renumber(&mut body, &first);
        for mut kernel in kernels {
            kernel.name = unique(kernel.name, &mut names);
            program.kernels.push(kernel);
        }
        for mut function in functions {
            before.renumber(&mut function.body, &first);
            function.name = unique(function.name, &mut function_names);
            program.functions.push(function);
        }
        program.functions[id].body = body;
        sink.extend(said);
    }
}

/// How many kernels and functions there are.
struct Counts {
    kernels: usize,
    functions: usize,
}

impl Counts {
    /// Launches and calls of what has a number from these on mean those from `first` on.
    fn renumber(&self, body: &mut Body, first: &Counts) {
        if self.kernels == first.kernels && self.functions == first.functions {
            return;
        }
        transform_stmts(&mut body.block, &mut |stmt| match &mut stmt.kind {
            StmtKind::Launch { kernel, .. } if kernel.index() >= self.kernels => {
                *kernel = Id::new(kernel.index() - self.kernels + first.kernels);
            }
            StmtKind::Call { function, .. } if function.index() >= self.functions => {
                *function = Id::new(function.index() - self.functions + first.functions);
            }
            _ => {}
        });
    }
}

/// A name that no other has.
fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|k| format!("{name}_{k}"));
    let free =
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_from_two() {
        let mut taken = BTreeSet::new();
        let names: Vec<String> = (0..3).map(|_| unique("opt__f_line1".into(), &mut taken)).collect();
        assert_eq!(names, ["opt__f_line1", "opt__f_line1_2", "opt__f_line1_3"]);
    }
}
