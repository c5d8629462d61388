//! Runs what makes kernels out of parts of host functions: on several functions at once, each with kernels of its own.

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

    /// Drops those behind the first `len`; nothing may launch them any more.
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
    let (functions, before) = (&program.functions, program.kernels.len());
    let run = |(id, body): (FunctionId, Body)| {
        let kernels = NewKernels { before, made: Vec::new() };
        let name = &functions[id].source_name;
        let mut host = Host { functions, id, name, body, kernels, sink: Sink::default() };
        pass(&mut host);
        (id, host.body, host.kernels.made, host.sink)
    };
    let done = parallel::map(bodies, run);
    let mut names: BTreeSet<String> = program.kernels.iter().map(|(_, kernel)| kernel.name.clone()).collect();
    for (id, mut body, made, said) in done {
        let first = program.kernels.len();
        if !made.is_empty() && first != before {
            renumber(&mut body, before, first);
        }
        for mut kernel in made {
            kernel.name = unique(kernel.name, &mut names);
            program.kernels.push(kernel);
        }
        program.functions[id].body = body;
        sink.extend(said);
    }
}

/// Launches of kernels from number `before` on mean those from number `first` on.
fn renumber(body: &mut Body, before: usize, first: usize) {
    transform_stmts(&mut body.block, &mut |stmt| {
        if let StmtKind::Launch { kernel, .. } = &mut stmt.kind
            && kernel.index() >= before
        {
            *kernel = Id::new(kernel.index() - before + first);
        }
    });
}

/// A name that no other kernel has.
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
