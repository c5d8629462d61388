//! The sizes of the arrays that the iterations of a loop make, by what is known before it: small products of matrices are loops of a
//! thread, large ones calls of the library.

use crate::ir::build::{self, int, of_ints};
use crate::ir::result_extents::{ResultExtent, result_extent};
use crate::ir::rewrite::{expand_stmts, same, set_in, variables, visit_block, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Failure, Index, Range, Stmt, StmtKind, VarId, VarSet};
use crate::source::Span;
use crate::target::any::{LARGEST_OWN_PRODUCT, LONGEST_OWN_SIDE};
use crate::transform::schedule::plain_nests::{cancelled, is_of_sizes};
use crate::types::known::{on_heap, rank};
use std::collections::{BTreeMap, BTreeSet};

/// The size of an array depends on what the loop computes.
pub(super) struct Unknown;

/// Whether threads are to multiply the matrices of a loop; nothing where it multiplies none.
pub(super) fn products_are_small(stmt: &Stmt) -> Result<Option<Expr>, Unknown> {
    let block = std::slice::from_ref(stmt);
    let sizes = Sizes::of(block);
    let mut conditions = Ok(Vec::new());
    visit_block(block, &mut |e| {
        if let Some([a, b]) = factors(e) {
            add(&mut conditions, sizes.is_small_product(a, b));
        }
    });
    Ok(conditions?.into_iter().reduce(build::and))
}

/// Whether a loop has products of matrices or vectors, which may be computed element by element where they are stored.
pub(super) fn multiplies(stmt: &Stmt) -> bool {
    let mut found = false;
    visit_block(std::slice::from_ref(stmt), &mut |e| {
        found |= matches!(e.kind, ExprKind::Library { name: "matmul", .. });
    });
    found
}

/// Takes the checks of sizes that are the same in all iterations out of a loop, and gives what must hold instead.
pub(super) fn take_checks(block: &mut Block) -> Vec<Expr> {
    let set = set_in(block);
    let mut found: Vec<Expr> = Vec::new();
    expand_stmts(block, &mut |stmt| {
        let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return vec![stmt] };
        let fails = matches!(then.as_slice(), [Stmt { kind: StmtKind::Fail { failure, .. }, .. }]
            if matches!(failure, Failure::Size | Failure::Argument));
        if !fails
            || !otherwise.is_empty()
            || !is_of_sizes(condition)
            || variables(condition).iter().any(|v| set.contains(&v))
        {
            return vec![stmt];
        }
        let holds = of_ints("equal", condition.clone(), int(0, stmt.span));
        if !found.iter().any(|other| same(other, &holds)) {
            found.push(holds);
        }
        Vec::new()
    });
    found
}

fn add(conditions: &mut Result<Vec<Expr>, Unknown>, condition: Option<Expr>) {
    match (condition, &mut *conditions) {
        (Some(condition), Ok(all)) if !all.iter().any(|other| same(other, &condition)) => all.push(condition),
        (None, Ok(_)) => *conditions = Err(Unknown),
        _ => {}
    }
}

/// The factors of a product of two matrices of unknown size. Vectors are multiplied by loops in any case.
fn factors(e: &Expr) -> Option<[&Expr; 2]> {
    let ExprKind::Library { name: "matmul", args } = &e.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let is_matrix = |e: &Expr| on_heap(&e.ty) && rank(&e.ty) == Some(2);
    (is_matrix(a) && is_matrix(b)).then_some([a, b])
}

/// The extents that a search asks for, by variable and axis.
type Asked = BTreeSet<(VarId, usize)>;

/// The extents of arrays in a loop.
pub(super) struct Sizes {
    set: VarSet,
    /// The extents of arrays that the loop sets.
    known: BTreeMap<VarId, Vec<Expr>>,
    /// The values of variables that have one only.
    values: BTreeMap<VarId, Option<Expr>>,
}

impl Sizes {
    fn of(block: &[Stmt]) -> Self {
        let mut values = BTreeMap::new();
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::Assign { variable, value } = &stmt.kind {
                values
                    .entry(*variable)
                    .and_modify(|found| *found = None)
                    .or_insert_with(|| Some(value.clone()));
            }
        });
        Sizes { values, ..Sizes::from(set_in(block)) }
    }

    /// The extents of arrays in a loop that sets these variables.
    pub(super) fn from(set: VarSet) -> Self {
        Sizes { set, known: BTreeMap::new(), values: BTreeMap::new() }
    }

    /// Knows the extents of an array in all iterations.
    pub(super) fn learn(&mut self, array: VarId, extents: Vec<Expr>) {
        self.known.insert(array, extents);
    }

    fn is_small_product(&self, a: &Expr, b: &Expr) -> Option<Expr> {
        let span = a.span;
        let sides = [self.extent(a, 0)?, self.extent(a, 1)?, self.extent(b, 1)?];
        // A long side counts as a shorter one, so that the product of all is an `int`.
        let count = sides.map(|side| of_ints("min", side, int(LONGEST_OWN_SIDE, span)));
        let count = count.into_iter().reduce(|a, b| of_ints("multiply", a, b))?;
        Some(of_ints("less_equal", count, int(LARGEST_OWN_PRODUCT, span)))
    }

    /// An extent of an array, or what it is at most.
    pub(super) fn extent(&self, array: &Expr, axis: usize) -> Option<Expr> {
        self.found(array, axis, &mut BTreeSet::new())
    }

    /// The same; nothing where it leads back to an extent that is `asked` for, as that of `w` in `w = w - a*w`, or told nothing before.
    fn found(&self, array: &Expr, axis: usize, asked: &mut Asked) -> Option<Expr> {
        if let Some(known) = array.ty.as_array().and_then(|ty| ty.sizes.get(axis).copied().flatten()) {
            return Some(int(i32::try_from(known).ok()?, array.span));
        }
        match &array.kind {
            ExprKind::Local(variable) if !self.set.contains(variable) => {
                Some(build::extent(array.clone(), axis, array.span))
            }
            ExprKind::Local(variable) if self.known.contains_key(variable) => {
                self.known.get(variable)?.get(axis).cloned()
            }
            ExprKind::Local(variable) => {
                let value = self.values.get(variable)?.as_ref()?;
                if !asked.insert((*variable, axis)) {
                    return None;
                }
                let found = self.found(value, axis, asked)?;
                asked.remove(&(*variable, axis));
                Some(found)
            }
            // A slice by a range of unknown length is at most as long as its array.
            ExprKind::Load { array: whole, index, .. } => {
                let mut kept = index.iter().enumerate().filter(|(_, each)| !matches!(each, Index::At(_)));
                let (along, each) = kept.nth(axis)?;
                match each {
                    Index::All => self.found(whole, along, asked),
                    Index::Range(range) => self.length(range).or_else(|| self.found(whole, along, asked)),
                    _ => None,
                }
            }
            // All operands are as long: another is asked where one tells nothing.
            ExprKind::Apply { args, .. } => {
                let mut arrays = args.iter().filter(|arg| rank(&arg.ty) == rank(&array.ty));
                arrays.find_map(|arg| self.found(arg, axis, asked))
            }
            _ => self.of_result(result_extent(array, axis)?, asked),
        }
    }

    fn of_result(&self, extent: ResultExtent<'_>, asked: &mut Asked) -> Option<Expr> {
        match extent {
            ResultExtent::Of(array, axis) => self.found(array, axis, asked),
            ResultExtent::Value(size) => self.is_before(size).then(|| size.clone()),
            ResultExtent::Known(size) => Some(int(i32::try_from(size).ok()?, Span::default())),
            ResultExtent::Steps(range) => self.length(range),
            ResultExtent::Sum(parts) => {
                let parts = parts.into_iter().map(|part| self.of_result(part, asked));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                parts.into_iter().reduce(|a, b| of_ints("add", a, b))
            }
            ResultExtent::Component(..) | ResultExtent::Elements(_) => None,
        }
    }

    /// How many indices a range has, if that is the same in all iterations.
    fn length(&self, range: &Range) -> Option<Expr> {
        let span = range.from.span;
        let distance = of_ints("subtract", range.to.clone(), range.from.clone());
        let length = of_ints("add", distance, int(1, span));
        let length = cancelled(&length).unwrap_or(length);
        (range.step.is_none() && self.is_before(&length)).then_some(length)
    }

    fn is_before(&self, e: &Expr) -> bool {
        is_of_sizes(e) && variables(e).iter().all(|v| !self.set.contains(&v))
    }
}
