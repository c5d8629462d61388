//! Arrays of zeros that the next launch overwrites are not filled with zeros:
//!
//! ```text
//! y = $zeros(M, N)                       y = $uninit(M, N)
//! parallel_do([M, N], x, y, k)     ->    parallel_do([M, N], x, y, k)      % k stores y[pos]
//! ```
//!
//! The launch has as many positions as the array has elements, and each stores its own without reading others. Between the two nothing
//! knows the array, and nothing leaves the function. A launch that fails leaves it too, and the array with it, unless a handler is
//! around.

use super::fuse_launches::is_plain;
use crate::ir::rewrite::{blocks_mut, operands, same, set_in, sets, substitute, variables};
use crate::ir::{Block, Dims, Expr, ExprKind, LaunchMode, Program, Stmt, StmtKind, VarId, VarSet, build};
use crate::message::Sink;
use crate::transform::PassContext;
use crate::transform::kernel::infer_transfers::overwrites;
use std::collections::BTreeMap;

/// Looks at all host functions.
pub fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    let ids: Vec<_> = program.functions.iter().filter(|(_, f)| !f.device).map(|(id, _)| id).collect();
    for id in ids {
        let mut block = std::mem::take(&mut program.functions[id].body.block);
        visit(program, &mut block, false);
        program.functions[id].body.block = block;
    }
}

/// `handled`: whether a handler may see what a failure leaves.
fn visit(program: &Program, block: &mut Block, handled: bool) {
    for stmt in block.iter_mut() {
        let handled = handled || matches!(stmt.kind, StmtKind::Try { .. });
        blocks_mut(stmt, &mut |inner| visit(program, inner, handled));
    }
    if handled {
        return;
    }
    if !block.iter().any(|stmt| zeros(stmt).is_some()) {
        return;
    }
    let mut numbers = Numbers::default();
    let mut open: Vec<Zeros> = Vec::new();
    for k in 0..block.len() {
        let (mut settled, mut overwritten) = (Vec::new(), Vec::new());
        for (place, zeros) in open.iter().enumerate() {
            match zeros.meets(program, &block[k], &numbers) {
                Meeting::Nothing => {}
                Meeting::Overwritten => {
                    overwritten.push(zeros.at);
                    settled.push(place);
                }
                Meeting::Known => settled.push(place),
            }
        }
        settled.into_iter().rev().for_each(|place| drop(open.remove(place)));
        for at in overwritten {
            if let StmtKind::Assign { value: Expr { kind: ExprKind::Library { name, .. }, .. }, .. } =
                &mut block[at].kind
            {
                *name = "uninit";
            }
        }
        if let Some((array, dims)) = zeros(&block[k]) {
            if open.len() == MOST {
                open.remove(0);
            }
            let dims = dims.iter().map(|e| numbers.resolved(e)).collect();
            open.push(Zeros { at: k, array, dims });
        }
        numbers.learn(&block[k]);
    }
}

/// Arrays that wait for the launch that overwrites them, at most. Bounded.
const MOST: usize = 16;

/// An array of zeros that nothing but its variable knows.
struct Zeros {
    /// The statement that makes it.
    at: usize,
    array: VarId,
    dims: Vec<Expr>,
}

/// What a statement does to an array of zeros.
enum Meeting {
    Nothing,
    /// Each element gets another value.
    Overwritten,
    /// Elements may be read, or something else may know the array from now on.
    Known,
}

impl Zeros {
    fn meets(&self, program: &Program, stmt: &Stmt, numbers: &Numbers) -> Meeting {
        let (mut names, mut changes) = (0, false);
        operands(stmt, &mut |operand| names += usize::from(variables(operand).contains(&self.array)));
        sets(stmt, &mut |v| {
            changes |= *v == self.array || self.dims.iter().any(|e| variables(e).contains(v))
        });
        match &stmt.kind {
            StmtKind::Launch { kernel, dims: Dims::Each(size), block: None, args, mode, .. } if names > 0 => {
                let kernel = &program.kernels[*kernel];
                let is_array = |arg: &Expr| matches!(arg.kind, ExprKind::Local(v) if v == self.array);
                let place = args.iter().position(is_array);
                let overwritten = names == 1
                    && matches!(mode, LaunchMode::Parallel | LaunchMode::Devices)
                    && place.is_some_and(|place| overwrites(kernel, kernel.body.params[place]))
                    && size.len() == self.dims.len()
                    && size.iter().zip(&self.dims).all(|(a, b)| same(&numbers.resolved(a), b));
                if overwritten { Meeting::Overwritten } else { Meeting::Known }
            }
            StmtKind::Assign { .. } | StmtKind::Launch { .. } if names == 0 && !changes => Meeting::Nothing,
            // Whoever may leave, may know the array, or changes what its extents are made of.
            _ => Meeting::Known,
        }
    }
}

/// The array of zeros that a statement makes, and its extents.
fn zeros(stmt: &Stmt) -> Option<(VarId, Vec<Expr>)> {
    let StmtKind::Assign { variable, value } = &stmt.kind else { return None };
    let ExprKind::Library { name: "zeros", args } = &value.kind else { return None };
    let rank = value.ty.as_array()?.known_rank()?;
    let fits = args.len() == rank && args.iter().all(|e| e.ty == build::int_type() && is_plain(e));
    fits.then(|| (*variable, args.clone()))
}

/// Numbers that variables hold, as far as others say them.
#[derive(Clone, Default)]
struct Numbers {
    values: BTreeMap<VarId, Expr>,
    /// The variables whose values name a variable.
    users: BTreeMap<VarId, VarSet>,
}

impl Numbers {
    fn learn(&mut self, stmt: &Stmt) {
        for variable in set_in(std::slice::from_ref(stmt)) {
            self.values.remove(&variable);
            for user in self.users.remove(&variable).iter().flat_map(|users| users.iter()) {
                self.values.remove(&user);
            }
        }
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && value.ty == build::int_type()
            && matches!(value.kind, ExprKind::Local(_) | ExprKind::Extent(..) | ExprKind::Count(_))
            && is_plain(value)
        {
            let value = self.resolved(value);
            let named = variables(&value);
            if !named.contains(variable) {
                named.iter().for_each(|v| self.users.entry(v).or_default().extend([*variable]));
                self.values.insert(*variable, value);
            }
        }
    }

    /// An expression in terms of variables that nothing is known of.
    fn resolved(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        substitute(&mut e, &self.values);
        e
    }
}
