//! Powers that only some positions of a row need are computed for all of them, in front of the branch or the choice: rows are computed
//! with vectors where no power stands in a branch. The curves of sRGB are such a choice:
//!
//! ```text
//! y[m,n] = x <= t ? x/12.92 : u^2.4     =>     p = u^2.4
//!                                              y[m,n] = x <= t ? x/12.92 : p
//! ```
//!
//! A power has no effect, and neither have the numbers that it is made of: those read no elements but such as the condition reads.

use crate::ir::effects::may_fail;
use crate::ir::rewrite::{
    children_mut, expand_stmts, operands, operands_mut, same, set_in, stored_in, variables, visit,
};
use crate::ir::{Block, Body, Expr, ExprKind, Kernel, Stmt, StmtKind, VarSet, build};
use crate::types::ElementType;
use crate::types::known::scalar;

/// Runs the pass on one kernel.
pub(super) fn run(kernel: &mut Kernel) {
    if !kernel.parallel || !is_straight(&kernel.body.block) {
        return;
    }
    let body = &mut kernel.body;
    let mut block = std::mem::take(&mut body.block);
    let mut fixed: VarSet = body.params.iter().copied().collect();
    for v in set_in(&block).iter() {
        fixed.remove(&v);
    }
    expand_stmts(&mut block, &mut |stmt| in_front(stmt, body, &fixed));
    body.block = block;
}

/// Whether statements are those of which rows are made.
fn is_straight(block: &[Stmt]) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::Store { .. } => true,
        StmtKind::If { then, otherwise, .. } => is_straight(then) && is_straight(otherwise),
        _ => false,
    })
}

/// A statement behind the powers of its branches and choices.
fn in_front(mut stmt: Stmt, body: &mut Body, fixed: &VarSet) -> Block {
    let mut taken = Taken { body, fixed, set: VarSet::new(), read: Vec::new(), powers: Block::new() };
    match &mut stmt.kind {
        StmtKind::If { condition, then, otherwise } => {
            certain_loads(condition, &mut taken.read);
            for branch in [&*then, &*otherwise] {
                taken.set.add(&set_in(branch));
                taken.set.extend(stored_in(branch));
            }
            for stmt in then.iter_mut().chain(otherwise) {
                if !matches!(stmt.kind, StmtKind::If { .. }) {
                    operands_mut(stmt, &mut |e| taken.powers_of(e, true));
                }
            }
        }
        StmtKind::Assign { .. } | StmtKind::Store { .. } => {
            let mut read = Vec::new();
            operands(&stmt, &mut |e| certain_loads(e, &mut read));
            taken.read = read;
            operands_mut(&mut stmt, &mut |e| taken.powers_of(e, false));
        }
        _ => {}
    }
    let mut result = taken.powers;
    result.push(stmt);
    result
}

/// The elements that an expression reads in any case.
fn certain_loads(e: &Expr, into: &mut Vec<Expr>) {
    match &e.kind {
        ExprKind::Select { condition: first, .. } | ExprKind::And(first, _) | ExprKind::Or(first, _) => {
            certain_loads(first, into);
        }
        ExprKind::Load { .. } => into.push(e.clone()),
        ExprKind::Apply { args, .. } => args.iter().for_each(|arg| certain_loads(arg, into)),
        ExprKind::Convert(inner) => certain_loads(inner, into),
        _ => {}
    }
}

/// Powers that are taken out of a statement.
struct Taken<'a> {
    body: &'a mut Body,
    /// Parameters that keep their values.
    fixed: &'a VarSet,
    /// Variables and arrays that change between the place in front of the statement and that of a power.
    set: VarSet,
    /// Elements that are read in any case.
    read: Vec<Expr>,
    powers: Block,
}

impl Taken<'_> {
    /// Takes the powers out of an expression of which a position may need nothing (`conditional`).
    fn powers_of(&mut self, e: &mut Expr, conditional: bool) {
        match &mut e.kind {
            ExprKind::Select { condition, then, otherwise } => {
                self.powers_of(condition, conditional);
                self.powers_of(then, true);
                self.powers_of(otherwise, true);
            }
            ExprKind::And(first, second) | ExprKind::Or(first, second) => {
                self.powers_of(first, conditional);
                self.powers_of(second, true);
            }
            _ => children_mut(e, &mut |child| self.powers_of(child, conditional)),
        }
        if conditional && self.is_free_power(e) {
            let power = self.body.temporary(e.ty.clone(), e.span);
            let read = self.body.read(power, e.span);
            self.powers.push(build::assign(power, std::mem::replace(e, read)));
        }
    }

    /// Whether an expression is a power with one exponent for all positions that can be computed in front of the statement.
    fn is_free_power(&self, e: &Expr) -> bool {
        let ExprKind::Apply { row, args } = &e.kind else { return false };
        let [base, exponent] = args.as_slice() else { return false };
        row.symbol == "power"
            && scalar(&base.ty) == Some(ElementType::Single)
            && self.is_fixed(exponent)
            && self.is_free(base)
    }

    fn is_fixed(&self, exponent: &Expr) -> bool {
        match &exponent.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Local(v) => self.fixed.contains(v),
            ExprKind::Convert(inner) => self.is_fixed(inner),
            _ => false,
        }
    }

    /// Whether a number can be computed in front of the statement, where nothing of it fails that would not have.
    fn is_free(&self, base: &Expr) -> bool {
        let mut known = base.clone();
        self.without_loads(&mut known);
        let mut reads = false;
        visit(&known, &mut |e| reads |= matches!(e.kind, ExprKind::Load { .. }));
        !reads && !may_fail(&known) && variables(base).iter().all(|v| !self.set.contains(&v))
    }

    /// Puts a number in the place of elements that are read in any case.
    fn without_loads(&self, e: &mut Expr) {
        if matches!(e.kind, ExprKind::Load { .. }) && self.read.iter().any(|read| same(read, e)) {
            *e = build::convert(build::int(0, e.span), &e.ty);
            return;
        }
        children_mut(e, &mut |child| self.without_loads(child));
    }
}
