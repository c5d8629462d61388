//! Which stores to `'shared` arrays, and of their elements elsewhere, each thread does for itself, as the program is written. Later passes may find out that an index is
//! the same for all threads of a block, as where a function that is inlined ignores its argument. That must not change what a store
//! means: `S[f(blkpos[0])] += 1` adds once for each thread, `S[f(c)] += 1` once for each block.

use super::{declared, index_operands, jumps};
use crate::analysis::uniformity::{AssumedTiles, Uniformity};
use crate::ir::rewrite::{blocks, operands, root, variables};
use crate::ir::{Kernel, Program, Stmt, StmtKind, VarSet};
use crate::source::Span;

/// Notes the places of such stores in the attributes of all kernels.
pub fn run(program: &mut Program) {
    for (_, kernel) in program.kernels.iter_mut() {
        let shared = declared(&kernel.body);
        if !shared.is_empty() {
            kernel.attributes.divergent = divergent(kernel, &shared);
        }
    }
}

fn divergent(kernel: &Kernel, shared: &VarSet) -> Vec<Span> {
    // Whether blocks lie within tiles does not depend on what passes find out.
    let tiles = AssumedTiles::of(&kernel.body, Box::new(|_| true));
    let alike = Uniformity::of(kernel, shared, &kernel.declared_uniform(), tiles);
    let mut found = Stores { alike, shared, divergent: Vec::new() };
    found.block(&kernel.body.block, true);
    found.divergent.sort_unstable();
    found.divergent.dedup();
    found.divergent
}

struct Stores<'s> {
    alike: Uniformity,
    shared: &'s VarSet,
    divergent: Vec<Span>,
}

impl Stores<'_> {
    /// Walks over statements to which the threads of a block come `together`.
    fn block(&mut self, block: &[Stmt], together: bool) {
        for stmt in block {
            let mut inside = together;
            match &stmt.kind {
                StmtKind::Store { array, index, value, .. }
                | StmtKind::Update { array, index, value, .. } => {
                    let mut alike = together && self.alike.expr(value);
                    index_operands(index, &mut |e| alike &= self.alike.expr(e));
                    let own = root(array).is_some_and(|v| self.shared.contains(&v));
                    if !alike && (own || variables(value).iter().any(|v| self.shared.contains(&v))) {
                        self.divergent.push(stmt.span);
                    }
                }
                StmtKind::If { condition, .. } => inside &= self.alike.expr(condition),
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => {
                    operands(stmt, &mut |e| inside &= self.alike.expr(e));
                    blocks(stmt, &mut |block| inside &= !jumps(block));
                }
                _ => {}
            }
            blocks(stmt, &mut |inner| self.block(inner, inside));
        }
    }
}
