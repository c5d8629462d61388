//! Assignments to slices as launches over the slice. Where the value reads what is written at other places, it is computed
//! into an array of the size of the slice first.

use super::delay::{Delay, Section, is_slice};
use super::{Pass, element_type, is_value, rank_of};
use crate::analysis::aliases::Aliases;
use crate::analysis::points_to::{Sharing, may_have_one_type};
use crate::ir::build::same_type;
use crate::ir::pull::{IndexMap, PullArray};
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Block, Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, build};
use crate::source::Span;
use crate::types::{Boundary, ElementType, Overflow, Type};
use quasar_devicelib::ops::Row;

/// Whether a block assigns to a part of an array.
pub(super) fn stores_slices(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } = &stmt.kind {
            found |= is_slice(array, index);
        }
    });
    found
}

/// What is assigned, and where.
pub(super) struct Assignment {
    pub(super) target: VarId,
    /// The extents of the launch.
    dims: Vec<Expr>,
    /// Where its positions lead.
    maps: Vec<IndexMap>,
    value: PullArray,
    /// Variables that must be other arrays than the target.
    pub(super) apart: Vec<VarId>,
    /// Whether the target is read at other places than it is written at, or the value may fail.
    separate: bool,
    pub(super) span: Span,
}

/// The parts of a statement that assigns to a slice.
struct Written<'s> {
    array: &'s mut Expr,
    index: &'s mut Vec<Index>,
    row: Option<&'static Row>,
    value: &'s mut Expr,
}

impl<'s> Written<'s> {
    fn of(stmt: &'s mut Stmt) -> Option<Written<'s>> {
        let (array, index, row, value) = match &mut stmt.kind {
            StmtKind::Store { array, index, value, .. } => (array, index, None, value),
            StmtKind::Update { array, index, row, value, result: None, .. } => {
                (array, index, Some(*row), value)
            }
            _ => return None,
        };
        let fits = is_slice(array, index)
            && !is_value(&array.ty)
            && (matches!(value.ty, Type::Scalar(..)) || rank_of(value).is_some())
            && takes(&element_type(&array.ty), &element_type(&value.ty))
            && row.is_none_or(|row| updates(row, &element_type(&array.ty)));
        fits.then_some(Written { array, index, row, value })
    }
}

/// Whether elements take values of a type as they are.
fn takes(element: &Type, value: &Type) -> bool {
    let truth = |ty: &Type| matches!(ty, Type::Scalar(_, Overflow::Truth));
    same_type(element, value) && (!truth(element) || truth(value))
}

/// Whether `a op= b` is what the scalar row gives for elements of a type.
fn updates(row: &Row, element: &Type) -> bool {
    let plain = matches!(
        element,
        Type::Scalar(
            ElementType::Single | ElementType::Double | ElementType::Int32,
            Overflow::Checked | Overflow::Wrap
        )
    );
    plain && matches!(row.name, "add" | "subtract" | "multiply" | "divide" | "min" | "max")
}

impl Pass<'_, '_> {
    /// The statements that take the place of an assignment to a slice, where a launch can do that.
    pub(super) fn section(&mut self, stmt: &Stmt) -> Option<Block> {
        let mut stmt = stmt.clone();
        let mut delay = Delay::new(&mut self.host.body);
        let assignment = Assignment::of(&mut delay, &self.aliases, &mut stmt)?;
        let operations = delay.operations;
        let (stages, mut launch) = delay.finished();
        let span = assignment.span;
        let mut stages = self.before_stages(stages);
        let apart = self.assign(assignment, &mut launch);
        if let Some(last) = stages.last_mut() {
            last.conditions.extend(apart);
        }
        let mut result = Block::new();
        self.staged(stages, launch, vec![stmt], span, &mut result);
        self.say_fused(span, operations);
        Some(result)
    }

    /// The launches of an assignment, and what must hold beside.
    pub(super) fn assign(&mut self, assignment: Assignment, launch: &mut Block) -> Vec<Expr> {
        let Assignment { target, dims, maps, mut value, apart, separate, span } = assignment;
        if separate {
            let ty = build::array_type(value.element().clone(), dims.len() as u8);
            let boxed = value.with_dims(dims.clone());
            let variable = self.stored(&boxed, &ty, span, launch);
            let read = self.host.body.read(variable, span);
            let element = boxed.element().clone();
            value = PullArray::stored(read, dims.clone(), element, Boundary::Unchecked);
        }
        let target_read = self.host.body.read(target, span);
        let at = super::launches::coordinates(dims.len(), span);
        let index = maps.iter().map(|map| Index::At(map.position(&at))).collect();
        let value = value.with_dims(dims);
        self.store_elements(&value, target_read, index, span, launch);
        let apart = if separate { Vec::new() } else { apart };
        apart.into_iter().map(|other| are_different(&self.host.body, target, other, span)).collect()
    }
}

impl Assignment {
    /// An assignment to a slice, with the conditions that `delay` gets, where a launch can do it.
    pub(super) fn of(delay: &mut Delay<'_>, aliases: &Aliases, stmt: &mut Stmt) -> Option<Assignment> {
        let written = Written::of(stmt)?;
        let span = written.value.span;
        let ExprKind::Local(target) = written.array.kind else { return None };
        let mut value = delay.array(written.value)?;
        let section = delay.section(written.array, written.index, true)?;
        let (dims, maps) = launch_box(delay, &section, &value, written.row.is_some())?;
        if let Some(row) = written.row {
            let element = element_type(&written.array.ty);
            let old = delay.stored(written.array.clone(), Boundary::Unchecked);
            value = PullArray::apply(row, vec![old.mapped(dims.clone(), maps.clone()), value], element);
            delay.operations += 1;
        }
        if dims.is_empty() || delay.operations == 0 && dims.len() < 2 {
            return None;
        }
        let separate = delay.may_fail;
        let mut assignment = Assignment { target, dims, maps, value, apart: Vec::new(), separate, span };
        assignment.look_for_conflicts(aliases, delay.body);
        Some(assignment)
    }

    /// Whether the value is computed before anything is assigned.
    pub(super) fn separate(&self) -> bool {
        self.separate
    }

    /// Which reads of the value may see what the assignment writes.
    fn look_for_conflicts(&mut self, aliases: &Aliases, body: &Body) {
        let Assignment { target, maps, value, apart, separate, .. } = self;
        value.reads(&mut |array, read| {
            let ExprKind::Local(variable) = array.kind else { return };
            if variable == *target {
                *separate |= !read.is(maps);
            } else if may_share(aliases, body, variable, *target) && !apart.contains(&variable) {
                apart.push(variable);
            }
        });
    }
}

/// Whether two variables may name one array.
pub(super) fn may_share(aliases: &Aliases, body: &Body, a: VarId, b: VarId) -> bool {
    match aliases.knows(a) && aliases.knows(b) {
        true => aliases.sharing(a, b) != Sharing::Never,
        // What stands in place of an expression may be any array.
        false => may_have_one_type(&body.variables[a].ty, &body.variables[b].ty),
    }
}

/// The condition that two variables name different arrays.
pub(in crate::transform::host) fn are_different(body: &Body, a: VarId, b: VarId, span: Span) -> Expr {
    let args = [a, b].map(|v| body.read(v, span)).to_vec();
    let one = Expr::new(ExprKind::Library { name: "same_elements", args }, build::int_type(), span);
    let (then, otherwise) = (Box::new(build::int(0, span)), Box::new(build::int(1, span)));
    Expr::new(ExprKind::Select { condition: Box::new(one), then, otherwise }, build::int_type(), span)
}

/// The box of positions for an assignment, and where they lead in the target: that of the value, with the dimensions of the
/// slice as it would be read, or (not for `op=`) without those that have one index.
fn launch_box(
    delay: &mut Delay<'_>,
    section: &Section,
    value: &PullArray,
    updates: bool,
) -> Option<(Vec<Expr>, Vec<IndexMap>)> {
    let squeezed = section.squeezed();
    if value.dims.is_empty() {
        return Some(squeezed);
    }
    let slice = section.slice();
    let (dims, maps) = match slice.0.len() == value.dims.len() {
        true => slice,
        false if updates => return None,
        false => squeezed,
    };
    delay.same_extents(&dims, &value.dims)?;
    Some((dims, maps))
}
