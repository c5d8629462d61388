//! A launch that may be fused with others, alone or behind a condition: `if (sizes fit) { allocate, launch } else { as written }`.

use super::candidate::Candidates;
use super::names::{alias, allocated};
use crate::ir::effects::may_fail;
use crate::ir::rewrite::visit;
use crate::ir::{Block, Dims, Expr, ExprKind, KernelId, LaunchMode, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::Type;

/// A launch and what belongs to it.
#[derive(Clone)]
pub(super) struct Member {
    /// Where it does not hold, something else happens.
    pub(super) guard: Option<Expr>,
    /// What stands in front of the launch behind the condition.
    pub(super) before: Block,
    pub(super) launch: Launch,
    /// What stands behind it there: other names of arrays.
    pub(super) behind: Block,
    /// Numbers that are made of what the launch gives.
    pub(super) after: Block,
    /// What happens where the condition does not hold.
    pub(super) written: Block,
}

#[derive(Clone)]
pub(super) struct Launch {
    pub(super) kernel: KernelId,
    pub(super) dims: Vec<Expr>,
    pub(super) args: Vec<Expr>,
    pub(super) results: Vec<Option<VarId>>,
    pub(super) span: Span,
}

impl Member {
    pub(super) fn of(stmt: &Stmt, candidates: Candidates<'_>) -> Option<Member> {
        let StmtKind::If { condition, then, otherwise } = &stmt.kind else {
            let launch = Launch::of(stmt, candidates)?;
            let (before, behind, after) = (Block::new(), Block::new(), Block::new());
            return Some(Member { guard: None, before, launch, behind, after, written: Block::new() });
        };
        if otherwise.is_empty() || !is_plain(condition) {
            return None;
        }
        let place = then.iter().position(|stmt| matches!(stmt.kind, StmtKind::Launch { .. }))?;
        let launch = Launch::of(&then[place], candidates)?;
        let before = then[..place].to_vec();
        let (behind, after): (Block, Block) =
            then[place + 1..].iter().cloned().partition(|stmt| renamed(stmt).is_some());
        let fits = before.iter().all(is_before) && after.iter().all(sets_number);
        let guard = Some(condition.clone());
        fits.then(|| Member { guard, before, launch, behind, after, written: otherwise.clone() })
    }

    /// The launch behind its condition, with all that belongs to it.
    pub(super) fn unguarded(&self) -> Block {
        let launch = std::iter::once(self.launch.stmt());
        let rest = self.behind.iter().chain(&self.after).cloned();
        self.before.iter().cloned().chain(launch).chain(rest).collect()
    }

    /// The statements around the launch that run with it.
    pub(super) fn around(&self) -> impl Iterator<Item = &Stmt> {
        self.before.iter().chain(&self.behind)
    }
}

impl Launch {
    fn of(stmt: &Stmt, candidates: Candidates<'_>) -> Option<Launch> {
        let StmtKind::Launch { kernel, dims: Dims::Each(dims), block: None, args, results, mode } =
            &stmt.kind
        else {
            return None;
        };
        let candidate = candidates.get(*kernel)?;
        let arrays = args.iter().filter(|arg| arg.ty.as_array().is_some());
        let fits = *mode == LaunchMode::Parallel
            && dims.len() == candidate.kernel.rank
            && results.iter().all(Option::is_some)
            && arrays.into_iter().all(|arg| alias(arg).is_some())
            && dims.iter().chain(args.iter().filter(|arg| arg.ty.as_array().is_none())).all(is_plain);
        let (dims, args, results) = (dims.clone(), args.clone(), results.clone());
        fits.then_some(Launch { kernel: *kernel, dims, args, results, span: stmt.span })
    }

    pub(super) fn stmt(&self) -> Stmt {
        let Launch { kernel, dims, args, results, span } = self.clone();
        let (dims, mode) = (Dims::Each(dims), LaunchMode::Parallel);
        Stmt::new(StmtKind::Launch { kernel, dims, block: None, args, results, mode }, span)
    }
}

/// Whether evaluating an expression neither fails nor reads elements.
pub(in crate::transform) fn is_plain(e: &Expr) -> bool {
    let mut plain = true;
    visit(e, &mut |e| {
        plain &= match &e.kind {
            ExprKind::Library { name, .. } => *name == "same_elements",
            ExprKind::Load { .. } => false,
            ExprKind::Local(_) | ExprKind::Constant(_) => true,
            ExprKind::Convert(_) if e.ty.as_array().is_some() => alias(e).is_some(),
            _ => matches!(e.ty, Type::Scalar(..)) && !fails_itself(e),
        };
    });
    plain
}

/// Whether an expression of numbers fails, except for the parts that tell arrays apart.
fn fails_itself(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Select { .. } => false,
        ExprKind::Apply { args, .. } => !args.iter().all(|arg| matches!(arg.ty, Type::Scalar(..))),
        _ => may_fail(e),
    }
}

/// The variable that becomes another name of an array, and the array.
pub(in crate::transform) fn renamed(stmt: &Stmt) -> Option<(VarId, VarId)> {
    match &stmt.kind {
        StmtKind::Assign { variable, value } => alias(value).map(|source| (*variable, source)),
        _ => None,
    }
}

/// What may stand in front of a launch: numbers, new arrays, and other names.
fn is_before(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign { value, .. } => is_number(value) || is_allocation(stmt) || alias(value).is_some(),
        _ => false,
    }
}

fn sets_number(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Assign { value, .. } if is_number(value))
}

/// Whether a value is a number that is there without failing.
pub(in crate::transform) fn is_number(value: &Expr) -> bool {
    matches!(value.ty, Type::Scalar(..)) && is_plain(value)
}

/// Whether a statement makes an array of plain extents, without elements.
pub(super) fn is_allocation(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign { value, .. } => allocated(value).is_some_and(|dims| dims.iter().all(is_plain)),
        _ => false,
    }
}

/// Whether a statement ends the function where sizes do not fit, and otherwise does nothing.
pub(in crate::transform) fn is_check(stmt: &Stmt) -> bool {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return false };
    otherwise.is_empty() && matches!(&then[..], [only] if fails(only)) && is_plain(condition)
}

/// Whether a statement does nothing but fail.
pub(super) fn fails(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Fail { .. } => true,
        StmtKind::Library { name, .. } => *name == "dimensions_differ",
        _ => false,
    }
}
