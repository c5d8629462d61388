//! What neighbouring positions of a row, the lanes of a vector, have in common: how far apart the elements are that they read,
//! and which values an index takes while loops go on around it.

use super::innermost_invariance::RowInvariance;
use super::may_fail;
use crate::ir::conversions::total;
use crate::ir::rewrite::{blocks, operands, same, visit, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet, build};
use crate::target::cpu::VECTOR_STRIDE;
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};

/// Larger factors are not followed, so that sums of them do not overflow.
const LARGEST: i64 = 1 << 16;

/// An index as `position * column + channel * last + terms + constant`, where `column` is the last component of the position, or the one
/// before the `last` where both are collapsed.
#[derive(Debug, Default)]
pub struct Affine {
    /// The factor of the column.
    pub position: i64,
    /// The factor of the component behind the column, if there is one.
    pub channel: i64,
    /// The number that is added.
    pub constant: i32,
    /// Factors, and parts that have one value for a row.
    pub terms: Vec<(i64, Expr)>,
    /// Factors, and variables of loops.
    pub loops: Vec<(i64, VarId)>,
}

impl Affine {
    fn is_uniform(&self) -> bool {
        self.position == 0 && self.channel == 0
    }
}

/// An index as an affine form whose terms hold for a row, or are variables of the given loops.
pub fn affine(uniform: &RowInvariance<'_>, loops: &VarSet, index: &Expr) -> Option<Affine> {
    let mut found = Affine::default();
    add(uniform, loops, index, 1, &mut found)?;
    Some(found)
}

fn add(
    uniform: &RowInvariance<'_>,
    loops: &VarSet,
    expr: &Expr,
    factor: i64,
    found: &mut Affine,
) -> Option<()> {
    if factor.abs() > LARGEST || scalar(&expr.ty) != Some(ElementType::Int32) {
        return None;
    }
    if let Some(constant) = expr.constant_int() {
        let constant = i32::try_from(factor * i64::from(constant)).ok()?;
        found.constant = found.constant.checked_add(constant)?;
        return Some(());
    }
    match &expr.kind {
        ExprKind::Coordinate(Coordinate::BlockPosition, axis) if uniform.is_column(expr) => {
            // The block begins so many columns before.
            let coordinate =
                |coordinate| Expr::new(ExprKind::Coordinate(coordinate, *axis), build::int_type(), expr.span);
            let (block, dim) = (coordinate(Coordinate::BlockIndex), coordinate(Coordinate::BlockDim));
            found.terms.push((-factor, build::of_ints("multiply", block, dim)));
            found.position += factor;
        }
        _ if uniform.is_column(expr) => found.position += factor,
        ExprKind::Coordinate(Coordinate::Position, axis) if *axis == uniform.last() => {
            found.channel += factor
        }
        ExprKind::Local(variable) if loops.contains(variable) => found.loops.push((factor, *variable)),
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) => {
                add(uniform, loops, a, factor, found)?;
                add(uniform, loops, b, factor, found)?;
            }
            ("subtract", [a, b]) => {
                add(uniform, loops, a, factor, found)?;
                add(uniform, loops, b, -factor, found)?;
            }
            ("negate", [a]) => add(uniform, loops, a, -factor, found)?,
            ("multiply", [a, b]) if a.constant_int().is_some() || b.constant_int().is_some() => {
                let (constant, other) = if a.constant_int().is_some() { (a, b) } else { (b, a) };
                let by = i64::from(constant.constant_int()?);
                if by.abs() > LARGEST {
                    return None;
                }
                add(uniform, loops, other, factor * by, found)?;
            }
            _ => part(uniform, expr, factor, found)?,
        },
        _ => part(uniform, expr, factor, found)?,
    }
    (found.position.abs() <= LARGEST && found.channel.abs() <= LARGEST).then_some(())
}

fn part(uniform: &RowInvariance<'_>, expr: &Expr, factor: i64, found: &mut Affine) -> Option<()> {
    if !uniform.holds(expr) {
        return None;
    }
    found.terms.push((factor, expr.clone()));
    Some(())
}

/// Whether an expression may fail because of an element.
pub fn has_checked_loads(expr: &Expr) -> bool {
    let mut found = false;
    visit(expr, &mut |e| found |= matches!(&e.kind, ExprKind::Load { boundary: Boundary::Checked, .. }));
    found
}

/// How the lanes of a vector read an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// All of them one element.
    Broadcast,
    /// Elements of one row that are so far apart.
    Along(usize),
    /// Elements of one row, each in front of the one of the lane before.
    Backwards,
    /// One of the so many elements that each of neighbouring columns has.
    Interleaved(usize),
    /// The same one of the elements that each of neighbouring columns has, whichever that is.
    Channel,
    /// Elements along one dimension, at places that the column alone decides ([`Place`]).
    ByColumn,
    /// Any elements.
    Gather,
}

/// How lanes read an array that the kernel only reads, with so many elements for each column if it is interleaved. `uniform` knows
/// what the lanes have in common where the access stands.
pub fn lanes(uniform: &RowInvariance<'_>, interleaved: Option<u32>, index: &[Index]) -> Lanes {
    let positions: Option<Vec<&Expr>> = index
        .iter()
        .map(|each| match each {
            Index::At(e) => Some(e),
            _ => None,
        })
        .collect();
    let Some(positions) = positions else { return Lanes::Gather };
    let Some((last, lead)) = positions.split_last() else { return Lanes::Gather };
    let along = |e: &Expr| affine(uniform, &VarSet::new(), e);
    if uniform.holds(last) && index_holds(uniform, lead) {
        return Lanes::Broadcast;
    }
    if let Some(elements) = interleaved.filter(|n| element_of_column(uniform, index).is_some_and(|k| k < *n))
    {
        return Lanes::Interleaved(elements as usize);
    }
    if uniform.is_collapsed() {
        let collapsed = is_last(uniform, last)
            && lead.split_last().is_some_and(|(column, lead)| {
                let one = along(column).is_some_and(|found| found.position == 1 && found.channel == 0);
                one && index_holds(uniform, lead)
            });
        return if collapsed { Lanes::Along(1) } else { Lanes::Gather };
    }
    match along(last).filter(|_| index_holds(uniform, lead)) {
        Some(found) if (1..=VECTOR_STRIDE).contains(&found.position) => Lanes::Along(found.position as usize),
        Some(found) if found.position == -1 => Lanes::Backwards,
        _ if is_channel(uniform, &positions) => Lanes::Channel,
        _ if place(uniform, index).is_some() => Lanes::ByColumn,
        _ => Lanes::Gather,
    }
}

/// Whether an access to an array of pixels moves along a row with the position, and the last index is the same all the time.
fn is_channel(uniform: &RowInvariance<'_>, index: &[&Expr]) -> bool {
    let [lead @ .., row, column, channel] = index else { return false };
    let along = affine(uniform, &VarSet::new(), column)
        .is_some_and(|found| found.position == 1 && found.channel == 0);
    along && uniform.is_fixed(channel) && uniform.holds(row) && index_holds(uniform, lead)
}

/// Whether an index grows by the same for each step along a component of the position.
pub fn is_even(e: &Expr, axis: usize) -> bool {
    let mut mentioned = false;
    visit(e, &mut |e| mentioned |= is_component(e, axis));
    if !mentioned || is_component(e, axis) {
        return true;
    }
    match &e.kind {
        ExprKind::Apply { row, args } => match row.name {
            "add" | "subtract" | "negate" => args.iter().all(|arg| is_even(arg, axis)),
            "multiply" => {
                args.iter().any(|arg| arg.constant_int().is_some())
                    && args.iter().all(|arg| is_even(arg, axis))
            }
            _ => false,
        },
        _ => false,
    }
}

fn is_component(e: &Expr, axis: usize) -> bool {
    matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis)
}

/// The one index of an access that differs between lanes, where it depends on nothing but the column, mostly by tables.
#[derive(Debug)]
pub struct Place {
    /// The dimension of the index.
    pub axis: usize,
    /// The part that differs.
    pub lane: Expr,
    /// What is added for all lanes.
    pub shift: Expr,
}

/// The place of a lane along a row, or along the pixels of one, if a table or another array holds it for each column.
pub fn place(uniform: &RowInvariance<'_>, index: &[Index]) -> Option<Place> {
    let mut found = None;
    for (axis, each) in index.iter().enumerate() {
        let Index::At(e) = each else { return None };
        if uniform.holds(e) {
            continue;
        }
        let (lane, shift) = divided(uniform, e);
        let (lane, shift) = (lane?, shift.unwrap_or_else(|| build::int(0, e.span)));
        // Elements of a column are a row apart. Sums of the column alone have other forms.
        let near = axis > 0 && index[axis + 1..].iter().all(is_number);
        if found.is_some() || !near || !has_load(&lane) || !is_of_column(uniform, &lane) {
            return None;
        }
        found = Some(Place { axis, lane, shift });
    }
    found
}

fn is_number(index: &Index) -> bool {
    matches!(index, Index::At(e) if e.constant_int().is_some())
}

/// Whether an expression reads elements.
pub fn has_load(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// An integer as a sum of what differs between lanes and what does not.
fn divided(uniform: &RowInvariance<'_>, e: &Expr) -> (Option<Expr>, Option<Expr>) {
    if uniform.holds(e) {
        return (None, Some(e.clone()));
    }
    let ExprKind::Apply { row, args } = &e.kind else { return (Some(e.clone()), None) };
    let apply = |a: Expr, b: Expr| build::apply(row, vec![a, b], e.ty.clone(), e.span);
    match (row.name, args.as_slice()) {
        ("add", [a, b]) => {
            let ((a, more), (b, further)) = (divided(uniform, a), divided(uniform, b));
            let sum = |a: Option<Expr>, b: Option<Expr>| match (a, b) {
                (Some(a), Some(b)) => Some(apply(a, b)),
                (a, b) => a.or(b),
            };
            (sum(a, b), sum(more, further))
        }
        ("subtract", [a, b]) if uniform.holds(b) => match divided(uniform, a) {
            (lane, Some(shift)) => (lane, Some(apply(shift, b.clone()))),
            (lane, None) => (lane, Some(apply(build::int(0, e.span), b.clone()))),
        },
        _ => (Some(e.clone()), None),
    }
}

/// Whether a number depends on the column, on what lanes have in common, and on elements of vectors and tables at the column.
fn is_of_column(uniform: &RowInvariance<'_>, e: &Expr) -> bool {
    if uniform.holds(e) {
        return true;
    }
    let parts = |all: &[&Expr]| all.iter().all(|e| is_of_column(uniform, e));
    match &e.kind {
        ExprKind::Coordinate(Coordinate::Position, axis) => *axis == uniform.column(),
        ExprKind::Load { index, boundary, .. } => {
            let is_shared = |each: &Index| match each {
                Index::At(e) => uniform.holds(e) && !has_position(e),
                _ => false,
            };
            let lead = index.split_last().is_some_and(|(_, lead)| lead.iter().all(is_shared));
            lead && *boundary != Boundary::Checked && lanes(uniform, None, index) == Lanes::Along(1)
        }
        ExprKind::Apply { args, .. } => parts(&args.iter().collect::<Vec<_>>()),
        ExprKind::Convert(inner) => total(inner, e) && parts(&[inner.as_ref()]),
        _ => false,
    }
}

fn has_position(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Coordinate(..)));
    found
}

/// The last index, if it is a number, the one before is at a distance from the column, and the others hold for all lanes.
pub fn element_of_column(uniform: &RowInvariance<'_>, index: &[Index]) -> Option<u32> {
    let [lead @ .., Index::At(column), Index::At(last)] = index else { return None };
    let holds = lead.iter().all(|each| matches!(each, Index::At(e) if uniform.holds(e)));
    let along = affine(uniform, &VarSet::new(), column)?;
    let one = along.position == 1 && along.channel == 0;
    last.constant_int().filter(|_| holds && one).and_then(|k| u32::try_from(k).ok())
}

/// How far apart lanes are that write along a row, if it is not far; -1 if they go backwards.
pub fn along_row(uniform: &RowInvariance<'_>, index: &[Index]) -> Option<i32> {
    let [lead @ .., Index::At(last)] = index else { return None };
    let holds = lead.iter().all(|each| matches!(each, Index::At(e) if uniform.holds(e)));
    let along = affine(uniform, &VarSet::new(), last).filter(|found| holds && found.channel == 0)?;
    let near = (1..=VECTOR_STRIDE).contains(&along.position) || along.position == -1;
    i32::try_from(along.position).ok().filter(|_| near)
}

/// The number of an element that a lane writes, of those that belong to it from `first` on.
pub fn element_of_store(uniform: &RowInvariance<'_>, first: &[Index], index: &[Index]) -> Option<u32> {
    let (apart, element) = distance(uniform, first, index)?;
    u32::try_from(element).ok().filter(|k| i64::from(*k) < apart.abs())
}

/// How far apart lanes are along a row, and how far an element of each lane is from another one; `None` if that is not known.
pub fn distance(uniform: &RowInvariance<'_>, first: &[Index], index: &[Index]) -> Option<(i64, i64)> {
    let [first_lead @ .., Index::At(first)] = first else { return None };
    let [lead @ .., Index::At(last)] = index else { return None };
    let alike = |a: &Index, b: &Index| matches!((a, b), (Index::At(a), Index::At(b)) if same(a, b));
    if first_lead.len() != lead.len() || !first_lead.iter().zip(lead).all(|(a, b)| alike(a, b)) {
        return None;
    }
    let none = VarSet::new();
    let (from, to) = (affine(uniform, &none, first)?, affine(uniform, &none, last)?);
    let terms = from.terms.len() == to.terms.len()
        && from.terms.iter().zip(&to.terms).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1));
    let element = i64::from(to.constant) - i64::from(from.constant);
    (terms && from.position == to.position).then_some((from.position, element))
}

fn index_holds(uniform: &RowInvariance<'_>, index: &[&Expr]) -> bool {
    index.iter().all(|e| uniform.holds(e))
}

/// Whether an index is the last component of the position.
fn is_last(uniform: &RowInvariance<'_>, index: &Expr) -> bool {
    matches!(index.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == uniform.last())
}

/// What a vector takes for granted, in the order of the code.
#[derive(Debug)]
pub enum Assumption {
    /// A loop around what follows gives its variable values between those of two parts.
    Loop(VarId, Affine, Affine),
    /// An index lies inside a dimension of an array.
    Inside { array: VarId, axis: usize, index: Affine },
}

/// Whether an element is read at an index of which is not known before the row whether it is inside, so that lanes test it. `loops` are
/// all that lanes share.
pub fn is_tested(uniform: &RowInvariance<'_>, loops: &VarSet, load: &Expr) -> bool {
    let ExprKind::Load { array, index, boundary: Boundary::Checked } = &load.kind else { return false };
    !is_known_before(uniform, loops, index)
        && matches!(array.kind, ExprKind::Local(v) if uniform.only_reads(v))
}

/// Whether lanes test indices in some statements.
pub fn tests(uniform: &RowInvariance<'_>, loops: &VarSet, block: &[Stmt]) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| found |= is_tested(uniform, loops, e));
    found
}

/// The variables of the loops that lanes go through together.
pub fn loop_variables(block: &[Stmt]) -> VarSet {
    let mut loops = VarSet::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::For { variable, attributes, .. } = &stmt.kind
            && !attributes.every_position
        {
            loops.insert(*variable);
        }
    });
    loops
}

/// Whether it is known before a row is visited which elements an index names while loops go on.
pub fn is_known_before(uniform: &RowInvariance<'_>, loops: &VarSet, index: &[Index]) -> bool {
    let known = |e: &Expr| affine(uniform, loops, e).is_some() && !has_checked_loads(e);
    index.iter().all(|each| matches!(each, Index::At(e) if known(e)))
}

/// What must hold so that no access of the mode 'checked fails, but for those that lanes test; `None` where that cannot be said before
/// a row is visited.
pub fn assumptions(uniform: &RowInvariance<'_>, block: &[Stmt]) -> Option<Vec<Assumption>> {
    let mut found = Vec::new();
    assume(uniform, (&mut VarSet::new(), &loop_variables(block)), block, &mut found)?;
    Some(found)
}

fn assume(
    uniform: &RowInvariance<'_>,
    (loops, all): (&mut VarSet, &VarSet),
    block: &[Stmt],
    found: &mut Vec<Assumption>,
) -> Option<()> {
    for stmt in block {
        accesses(uniform, (loops, all), stmt, found)?;
        match &stmt.kind {
            StmtKind::For { variable, range, body, attributes } if !attributes.every_position => {
                let (from, to) = (affine(uniform, loops, &range.from), affine(uniform, loops, &range.to));
                let bounds = from.zip(to).filter(|(from, to)| from.is_uniform() && to.is_uniform());
                // A variable of two loops around each other has no place of its own.
                if !loops.insert(*variable) {
                    return None;
                }
                let (from, to) = match bounds {
                    Some(bounds) => bounds,
                    None if has_checked_access(body) => return None,
                    None => (Affine::default(), Affine::default()),
                };
                found.push(Assumption::Loop(*variable, from, to));
                assume(uniform, (loops, all), body, found)?;
                loops.remove(variable);
            }
            _ => {
                let mut whole = Some(());
                blocks(stmt, &mut |inner| {
                    whole = whole.and_then(|()| assume(uniform, (loops, all), inner, found))
                });
                whole?;
            }
        }
    }
    Some(())
}

/// What the accesses of one statement take for granted.
fn accesses(
    uniform: &RowInvariance<'_>,
    (loops, all): (&VarSet, &VarSet),
    stmt: &Stmt,
    found: &mut Vec<Assumption>,
) -> Option<()> {
    let mut whole = Some(());
    let mut access = |array: &Expr, index: &[Index]| -> Option<()> {
        let ExprKind::Local(array) = array.kind else { return None };
        for (axis, each) in index.iter().enumerate() {
            let Index::At(e) = each else { return None };
            // Before the row nothing may fail.
            let index = affine(uniform, loops, e).filter(|_| !has_checked_loads(e))?;
            found.push(Assumption::Inside { array, axis, index });
        }
        Some(())
    };
    operands(stmt, &mut |e| {
        visit(e, &mut |e| {
            if let ExprKind::Load { array, index, boundary: Boundary::Checked } = &e.kind
                && !is_tested(uniform, all, e)
            {
                whole = whole.and_then(|()| access(array, index));
            }
        });
    });
    if let StmtKind::Store { array, index, boundary: Boundary::Checked, .. } = &stmt.kind {
        whole = whole.and_then(|()| access(array, index));
    }
    whole
}

/// Whether statements reach elements in the mode 'checked.
fn has_checked_access(block: &[Stmt]) -> bool {
    block.iter().any(may_fail::reaches_checked)
}
