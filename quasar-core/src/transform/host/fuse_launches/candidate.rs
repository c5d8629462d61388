//! Kernels whose launches may be fused with others: straight code without failures, whose accesses are known.

use crate::analysis::elementwise_kernel::own_position;
use crate::analysis::may_fail;
use crate::ir::barriers::meets;
use crate::ir::rewrite::{operands, set_in, visit, visit_block, visit_stmts};
use crate::ir::{
    Coordinate, Expr, ExprKind, Index, Kernel, KernelAttributes, KernelId, Program, Stmt, StmtKind, Storage,
    VarId,
};
use crate::transform::kernel::copy_propagation;
use crate::types::{Boundary, Type};
use std::collections::BTreeMap;

/// The most statements of a kernel.
const LONGEST: usize = 40;

/// A kernel, and what it does to its parameters.
pub(super) struct Candidate {
    pub(super) kernel: Kernel,
    /// The accesses to each array.
    pub(super) arrays: BTreeMap<VarId, Accesses>,
}

/// The accesses to an array.
#[derive(Default)]
pub(super) struct Accesses {
    /// Whether elements are stored.
    pub(super) writes: bool,
    /// Whether all indices are the own position.
    pub(super) own: bool,
    /// Whether every position stores its own element before anything else is done to the array.
    pub(super) stored_first: bool,
    /// All accesses, if the elements that each reaches are known.
    pub(super) all: Vec<Access>,
    /// Whether something reaches other elements.
    pub(super) unknown: bool,
}

/// One access, without a test of its indices.
pub(super) struct Access {
    pub(super) index: Vec<Expr>,
    pub(super) writes: bool,
}

/// The candidates of a program, and those that were made since.
#[derive(Clone, Copy)]
pub(super) struct Candidates<'a> {
    pub(super) program: &'a BTreeMap<KernelId, Candidate>,
    pub(super) made: &'a BTreeMap<KernelId, Candidate>,
}

impl<'a> Candidates<'a> {
    pub(super) fn get(self, kernel: KernelId) -> Option<&'a Candidate> {
        self.program.get(&kernel).or_else(|| self.made.get(&kernel))
    }
}

/// All candidates of a program.
pub(super) fn all(program: &Program) -> BTreeMap<KernelId, Candidate> {
    program.kernels.iter().filter_map(|(id, kernel)| Some((id, Candidate::of(kernel)?))).collect()
}

impl Candidate {
    pub(super) fn of(kernel: &Kernel) -> Option<Candidate> {
        let body = &kernel.body;
        let plain = kernel.parallel
            && !kernel.aliased
            && !kernel.divisible
            && kernel.strip.is_none()
            && kernel.attributes == KernelAttributes::default()
            && kernel.accumulators.len() == body.results.len()
            && body.variables.iter().all(|(_, variable)| variable.storage == Storage::Local);
        let mut count = 0;
        let mut simple = plain && !meets(&body.block);
        visit_stmts(&body.block, &mut |stmt| {
            count += 1;
            simple &= match &stmt.kind {
                StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::If { .. } => true,
                StmtKind::Update { atomic, .. } => !atomic,
                _ => false,
            };
        });
        if !simple || count > LONGEST || body.block.iter().any(|stmt| may_fail::possible(stmt, true)) {
            return None;
        }
        let mut arithmetic = true;
        visit_block(&body.block, &mut |e| arithmetic &= is_arithmetic(e));
        if !arithmetic {
            return None;
        }
        let set = set_in(&body.block);
        if body.params.iter().any(|param| set.contains(param)) {
            return None;
        }
        // Variables in indices that stand for offsets from the position.
        let mut kernel = kernel.clone();
        copy_propagation::run(&mut kernel.body);
        let body = &kernel.body;
        let params = body.params.iter().filter(|param| matches!(body.variables[**param].ty, Type::Array(_)));
        let arrays = params.map(|param| (*param, Accesses::of(&kernel, *param))).collect();
        Some(Candidate { kernel, arrays })
    }
}

impl Accesses {
    fn of(kernel: &Kernel, array: VarId) -> Accesses {
        let mut found = Accesses { own: true, ..Accesses::default() };
        let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(variable) if variable == array);
        let (mut uses, mut seen) = (0, 0);
        visit_stmts(&kernel.body.block, &mut |stmt| {
            if let StmtKind::Store { array, index, boundary, .. }
            | StmtKind::Update { array, index, boundary, .. } = &stmt.kind
                && is_array(array)
            {
                seen += 1;
                found.add(kernel, index, *boundary, true);
                if matches!(stmt.kind, StmtKind::Update { .. }) {
                    found.add(kernel, index, *boundary, false);
                }
            }
            operands(stmt, &mut |operand| {
                visit(operand, &mut |e| {
                    uses += usize::from(is_array(e));
                    match &e.kind {
                        ExprKind::Load { array, index, boundary } if is_array(array) => {
                            seen += 1;
                            found.add(kernel, index, *boundary, false);
                        }
                        ExprKind::Extent(array, _) | ExprKind::Count(array) => {
                            seen += usize::from(is_array(array));
                        }
                        _ => {}
                    }
                });
            });
        });
        // Whoever passes it on may do anything with it.
        if uses != seen {
            (found.unknown, found.own) = (true, false);
        }
        found.stored_first = found.own && first_is_store(&kernel.body.block, array);
        found
    }

    fn add(&mut self, kernel: &Kernel, index: &[Index], boundary: Boundary, writes: bool) {
        self.writes |= writes;
        // Other modes lead outside positions to other elements.
        let itself = matches!(boundary, Boundary::Unchecked | Boundary::Safe);
        self.own &= itself && index.len() == kernel.rank && own_position(index);
        let at: Option<Vec<Expr>> = index
            .iter()
            .map(|index| match index {
                Index::At(at) if is_of_launch(at, kernel) => Some(at.clone()),
                _ => None,
            })
            .collect();
        match at.filter(|_| boundary == Boundary::Unchecked) {
            Some(index) => self.all.push(Access { index, writes }),
            None => self.unknown = true,
        }
    }
}

/// Whether an expression is made of the position and parameters, which no position changes.
fn is_of_launch(e: &Expr, kernel: &Kernel) -> bool {
    let mut found = true;
    visit(e, &mut |e| {
        found &= match &e.kind {
            ExprKind::Local(variable) => kernel.body.params.contains(variable),
            ExprKind::Load { .. } => false,
            _ => true,
        };
    });
    found
}

/// Whether a part of an expression is arithmetic on numbers and elements, and asks for nothing but the position.
fn is_arithmetic(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Coordinate(coordinate, _) => *coordinate == Coordinate::Position,
        ExprKind::Constant(_)
        | ExprKind::Local(_)
        | ExprKind::Apply { .. }
        | ExprKind::Convert(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Select { .. }
        | ExprKind::Load { .. }
        | ExprKind::Extent(..)
        | ExprKind::Count(_) => true,
        _ => false,
    }
}

/// Whether the first statement that names an array stores to it unconditionally, and does not read it.
fn first_is_store(block: &[Stmt], array: VarId) -> bool {
    let names = |e: &Expr| {
        let mut found = false;
        visit(e, &mut |e| {
            if let ExprKind::Load { array: each, .. } = &e.kind {
                found |= matches!(each.kind, ExprKind::Local(v) if v == array);
            }
        });
        found
    };
    for stmt in block {
        if let StmtKind::Store { array: target, value, .. } = &stmt.kind
            && matches!(target.kind, ExprKind::Local(v) if v == array)
        {
            return !names(value);
        }
        let mut found = false;
        visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
            operands(stmt, &mut |operand| found |= names(operand));
            if let StmtKind::Store { array: target, .. } | StmtKind::Update { array: target, .. } = &stmt.kind
            {
                found |= matches!(target.kind, ExprKind::Local(v) if v == array);
            }
        });
        if found {
            return false;
        }
    }
    false
}
