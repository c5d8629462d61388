//! Array expressions as delayed arrays, with the conditions under which they have a value: indices that are inside, sizes
//! that agree. Where one does not hold the expression is evaluated as it was written, which says what is wrong.

use super::reordered::{is_reordered, repeats};
use super::stages::{self, Stage};
use super::{compared, element_type, is_operation, rank_of, row};
use crate::ir::effects::may_fail;
use crate::ir::pull::{self, IndexMap, PullArray, compare, integer};
use crate::ir::rewrite::{same, visit};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Range, VarId, build};
use crate::types::{Boundary, ElementType, Overflow, Type};
use quasar_devicelib::ops::Row;
use std::collections::BTreeMap;

/// Bounds of slices under a boundary mode are below this number, so that no index wraps around.
pub(super) const FAR: i32 = 1 << 30;

/// What delaying an expression found out.
pub(super) struct Delay<'a> {
    pub(super) body: &'a mut Body,
    /// What is evaluated before each group of conditions, which hold where the delayed array may be evaluated.
    pub(super) stages: Vec<Stage>,
    /// What is evaluated first, where the stages before hold: it cannot fail, or no conditions stand before it.
    pub(super) before: Block,
    /// What holds behind that, each under those before it.
    pub(super) conditions: Vec<Expr>,
    /// What is evaluated where the conditions hold.
    pub(super) inside: Block,
    /// How many operations on elements there are.
    pub(super) operations: usize,
    /// Whether something is read at other indices than it is stored at.
    pub(super) mapped: bool,
    /// Whether arrays are compared, which are one number where their extents differ.
    pub(super) guarded: bool,
    /// Whether elements are converted in a way that may fail.
    pub(super) may_fail: bool,
    /// Variables for numbers.
    numbers: Vec<(Expr, VarId)>,
    /// Arrays in variables that are not stored yet, or whose extents are known.
    pub(super) known: BTreeMap<VarId, PullArray>,
    /// Whether several statements share the conditions, so that nothing which may fail stands in `before`.
    strict: bool,
}

/// What an index selects of a dimension.
#[allow(clippy::large_enum_variant, reason = "there is one for each dimension, which live shortly")]
enum Selected {
    One(Expr),
    Some { from: Expr, step: Expr, extent: Expr },
    List(Box<PullArray>),
}

/// The part of an array that indices select.
pub(super) struct Section {
    selected: Vec<Selected>,
}

impl Section {
    /// The dimensions that the slice keeps: it loses those with one index at the beginning, and at the end those behind the
    /// second.
    fn kept(&self) -> std::ops::Range<usize> {
        let one = |k: usize| matches!(self.selected[k], Selected::One(_));
        let mut end = self.selected.len();
        while end > 2 && one(end - 1) {
            end -= 1;
        }
        let start = (0..end).take_while(|k| one(*k)).count().min(end.saturating_sub(1));
        start..end
    }

    /// The slice as it is read: its extents, and where its indices lead.
    pub(super) fn slice(&self) -> (Vec<Expr>, Vec<IndexMap>) {
        let kept = self.kept();
        let dims = kept.clone().map(|k| self.extent(k)).collect();
        let map = |k| self.map(k, if kept.contains(&k) { k - kept.start } else { 0 });
        (dims, (0..self.selected.len()).map(map).collect())
    }

    /// The same without the dimensions that have one index.
    pub(super) fn squeezed(&self) -> (Vec<Expr>, Vec<IndexMap>) {
        let (mut dims, mut maps) = (Vec::new(), Vec::new());
        for k in 0..self.selected.len() {
            maps.push(self.map(k, dims.len()));
            if !matches!(self.selected[k], Selected::One(_)) {
                dims.push(self.extent(k));
            }
        }
        (dims, maps)
    }

    fn extent(&self, k: usize) -> Expr {
        match &self.selected[k] {
            Selected::One(at) => build::int(1, at.span),
            Selected::Some { extent, .. } => extent.clone(),
            Selected::List(positions) => positions.dims[0].clone(),
        }
    }

    fn map(&self, k: usize, axis: usize) -> IndexMap {
        match &self.selected[k] {
            Selected::One(at) => IndexMap::At(at.clone()),
            Selected::Some { from, step, .. } => {
                IndexMap::Along { axis, from: from.clone(), step: step.clone() }
            }
            Selected::List(positions) => IndexMap::Through { axis, positions: positions.clone() },
        }
    }
}

impl<'a> Delay<'a> {
    pub(super) fn new(body: &'a mut Body) -> Delay<'a> {
        Delay {
            body,
            stages: Vec::new(),
            before: Block::new(),
            conditions: Vec::new(),
            inside: Block::new(),
            operations: 0,
            mapped: false,
            guarded: false,
            may_fail: false,
            numbers: Vec::new(),
            known: BTreeMap::new(),
            strict: false,
        }
    }

    /// For several statements, whose conditions are looked at in front of all of them.
    pub(super) fn strict(body: &'a mut Body) -> Delay<'a> {
        Delay { strict: true, ..Delay::new(body) }
    }

    /// An expression as a delayed array; parts of it that were evaluated before are variables then. Nothing where a part
    /// would be evaluated in front of another one that may fail before it.
    pub(super) fn array(&mut self, e: &mut Expr) -> Option<PullArray> {
        if matches!(e.ty, Type::Scalar(..)) {
            return self.number(e).map(PullArray::number);
        }
        let rank = rank_of(e)?;
        let element = element_type(&e.ty);
        // Arrays of other extents are compared to a number, as it was written.
        let comparison = compared(e).is_some();
        let operation = is_operation(e) || comparison;
        self.guarded |= comparison;
        let ty = e.ty.clone();
        match &mut e.kind {
            ExprKind::Apply { row, args } if operation => {
                let row = *row;
                let parts: Vec<PullArray> =
                    args.iter_mut().map(|arg| self.array(arg)).collect::<Option<_>>()?;
                self.agree(&parts)?;
                self.operations += 1;
                Some(PullArray::apply(row, parts, element))
            }
            ExprKind::Convert(inner) if operation => {
                let part = self.array(inner)?;
                self.conversion(part, &ty)
            }
            ExprKind::Convert(inner) if rank_of(inner).is_some() => match viewed(inner, &ty) {
                true => {
                    let part = self.array(inner)?;
                    self.view(part, &ty)
                }
                false => self.opaque(e),
            },
            ExprKind::Load { array, index, boundary } if is_part(array, index, *boundary) => {
                self.part(array, index, *boundary).filter(|part| part.dims.len() == rank)
            }
            ExprKind::Library { name, args } => match (*name, &mut args[..]) {
                (name, args) if is_reordered(name, args, rank) => self.reordered(name, args),
                ("zeros" | "ones", dims) if dims.len() == rank && dims.iter().all(|n| is_int(&n.ty)) => {
                    let value = if *name == "ones" { "multiply" } else { "add" };
                    let dims = self.sizes(dims)?;
                    let number = build::neutral(row(value), &element, e.span);
                    self.mapped = true;
                    Some(PullArray::number(number).with_dims(dims))
                }
                ("repmat", [arg, counts]) if repeats(arg, counts) => self.repeated(arg, counts),
                _ => self.opaque(e),
            },
            ExprKind::Sequence(range) if range_of_integers(range) && is_int(&element) => {
                let Selected::Some { from, step, extent } = self.range(range, None)? else { return None };
                self.mapped = true;
                Some(PullArray::sequence(from, step, extent, element))
            }
            _ => self.opaque(e),
        }
    }

    /// The part of an array that indices select, read where it lies.
    fn part(&mut self, array: &Expr, index: &mut [Index], boundary: Boundary) -> Option<PullArray> {
        let inside = matches!(boundary, Boundary::Checked | Boundary::Unchecked);
        if !inside && self.known_as(array).is_some() {
            return None;
        }
        let (dims, maps) = self.section(array, index, inside)?.slice();
        self.mapped = true;
        let mode = if inside { Boundary::Unchecked } else { boundary };
        Some(self.stored(array.clone(), mode).mapped(dims, maps))
    }

    /// `x[condition]` for a sum or product: the neutral number stands where the condition does not hold.
    pub(super) fn chosen(&mut self, e: &mut Expr, row: &'static Row) -> Option<PullArray> {
        let ty = e.ty.clone();
        let selection = match &mut e.kind {
            ExprKind::Convert(inner) if !matches!(element_type(&ty), Type::Scalar(to, _) if to.is_integer()) => {
                inner
            }
            _ => e,
        };
        let ExprKind::Library { name: "selected", args } = &mut selection.kind else { return None };
        let [array, condition] = &mut args[..] else { return None };
        if !matches!(row.name, "add" | "multiply") {
            return None;
        }
        let (array, condition) = (self.array(array)?, self.array(condition)?);
        self.same_extents(&array.dims, &condition.dims)?;
        self.operations += 1;
        self.mapped = true;
        let neutral = build::neutral(row, array.element(), selection.span);
        Some(array.chosen(condition, neutral).convert(element_type(&ty)))
    }

    /// Extents of an array that is made, none of which is empty.
    pub(super) fn sizes(&mut self, dims: &mut [Expr]) -> Option<Vec<Expr>> {
        let dims: Vec<Expr> = dims.iter_mut().map(|n| self.index(n)).collect::<Option<_>>()?;
        for n in &dims {
            self.require(compare("less_equal", build::int(1, n.span), n.clone()));
        }
        Some(dims)
    }

    /// An array that is stored, as it is or behind something that is not delayed.
    pub(super) fn opaque(&mut self, e: &mut Expr) -> Option<PullArray> {
        if !matches!(e.kind, ExprKind::Local(_)) {
            if self.strict {
                return None;
            }
            if may_fail(e) {
                self.behind_conditions()?;
            }
            let variable = self.body.temporary(e.ty.clone(), e.span);
            let read = build::local(variable, e.ty.clone(), e.span);
            self.before.push(build::assign(variable, std::mem::replace(e, read)));
        }
        Some(self.stored(e.clone(), Boundary::Unchecked))
    }

    /// A stored array, or the delayed one that its variable stands for.
    pub(super) fn stored(&self, array: Expr, boundary: Boundary) -> PullArray {
        if let Some(known) = self.known_as(&array) {
            return known.clone();
        }
        let dims = extents(&array);
        let element = element_type(&array.ty);
        PullArray::stored(array, dims, element, boundary)
    }

    fn known_as(&self, array: &Expr) -> Option<&PullArray> {
        match array.kind {
            ExprKind::Local(variable) => self.known.get(&variable),
            _ => None,
        }
    }

    /// The extents of an array in a variable.
    pub(super) fn extents(&self, array: &Expr) -> Vec<Expr> {
        self.known_as(array).map_or_else(|| extents(array), |known| known.dims.clone())
    }

    /// A number that is the same for all elements, as a constant or a variable.
    pub(super) fn number(&mut self, e: &mut Expr) -> Option<Expr> {
        if matches!(e.kind, ExprKind::Constant(_) | ExprKind::Local(_)) {
            return Some(e.clone());
        }
        if may_fail(e) {
            if let Some(value) = self.guarded(e) {
                return Some(self.evaluated_inside(value));
            }
            self.behind_conditions()?;
        }
        if self.strict && reads_elements(e) {
            return Some(self.evaluated_inside(e.clone()));
        }
        let value = self.kept(e.clone());
        *e = value.clone();
        Some(value)
    }

    fn evaluated_inside(&mut self, value: Expr) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let variable = self.body.temporary(ty.clone(), span);
        self.inside.push(build::assign(variable, value));
        build::local(variable, ty, span)
    }

    /// The variable that holds a number, which is evaluated before anything else.
    fn kept(&mut self, value: Expr) -> Expr {
        if matches!(value.kind, ExprKind::Constant(_) | ExprKind::Local(_)) {
            return value;
        }
        let (ty, span) = (value.ty.clone(), value.span);
        if let Some((_, variable)) = self.numbers.iter().find(|(known, _)| same(known, &value)) {
            return build::local(*variable, ty, span);
        }
        let variable = self.body.temporary(ty.clone(), span);
        self.numbers.push((value.clone(), variable));
        self.before.push(build::assign(variable, value));
        build::local(variable, ty, span)
    }

    /// A number that fails only where an index into an array is outside, without the test, which becomes a condition.
    fn guarded(&mut self, e: &Expr) -> Option<Expr> {
        let known = self.conditions.len();
        let value = self.unchecked(e);
        if value.is_none() {
            self.conditions.truncate(known);
        }
        value
    }

    fn unchecked(&mut self, e: &Expr) -> Option<Expr> {
        if !may_fail(e) {
            return Some(e.clone());
        }
        let mut value = e.clone();
        match &mut value.kind {
            ExprKind::Apply { args, .. } => {
                for arg in args {
                    *arg = self.unchecked(arg)?;
                }
            }
            ExprKind::Convert(inner) => **inner = self.unchecked(inner)?,
            ExprKind::Load { array, index, boundary } if rank_of(array) == Some(index.len()) => {
                let stored = matches!(array.kind, ExprKind::Local(_)) && self.known_as(array).is_none();
                if !stored || *boundary != Boundary::Checked {
                    return None;
                }
                for (extent, index) in extents(array).into_iter().zip(index) {
                    let Index::At(at) = index else { return None };
                    if !is_int(&at.ty) {
                        return None;
                    }
                    *at = self.unchecked(at)?;
                    self.inside_of(at.clone(), extent);
                }
                *boundary = Boundary::Unchecked;
            }
            _ => return None,
        }
        (!may_fail(&value)).then_some(value)
    }

    /// What indices select of an array. `inside`: no index may be outside; otherwise a boundary mode says what is there.
    pub(super) fn section(&mut self, array: &Expr, index: &mut [Index], inside: bool) -> Option<Section> {
        let mut selected = Vec::new();
        for (extent, index) in self.extents(array).into_iter().zip(index) {
            let span = array.span;
            if !inside {
                self.require(compare("less", build::int(0, span), extent.clone()));
            }
            selected.push(match index {
                Index::At(at) => {
                    let at = self.index(at)?;
                    if inside {
                        self.inside_of(at.clone(), extent);
                    }
                    Selected::One(at)
                }
                Index::Range(range) => self.range(range, inside.then_some(extent))?,
                Index::All => {
                    let (from, step) = (build::int(0, span), build::int(1, span));
                    Selected::Some { from, step, extent }
                }
                Index::List(list) => self.positions(list, extent)?,
                Index::Position(_) => return None,
            });
        }
        Some(Section { selected })
    }

    /// The positions of a list, which are all inside of an extent.
    fn positions(&mut self, list: &mut Expr, extent: Expr) -> Option<Selected> {
        let span = list.span;
        let positions = self.opaque(list)?;
        if self.strict {
            return None;
        }
        let ty = build::array_type(build::int_type(), 1);
        let compared = |name, args| build::apply(row(name), args, ty.clone(), span);
        let low = compared("less", vec![list.clone(), build::int(0, span)]);
        let high = compared("less_equal", vec![extent, list.clone()]);
        let outside = Box::new(compared("add", vec![low, high]));
        let fold = ExprKind::Reduce { row: row("add"), arg: outside, axis: None };
        // The fold cannot fail: both are compared with one number.
        let outside = self.kept(Expr::new(fold, build::int_type(), span));
        self.require(compare("equal", outside, build::int(0, span)));
        Some(Selected::List(Box::new(positions)))
    }

    /// Adds a condition that is not among those before it.
    pub(super) fn require(&mut self, condition: Option<Expr>) {
        let mut known = self.stages.iter().flat_map(|stage| &stage.conditions).chain(&self.conditions);
        let new = condition.filter(|condition| !known.any(|known| same(known, condition)));
        self.conditions.extend(new);
    }

    /// Begins a stage for what may fail, if there are conditions before it.
    fn behind_conditions(&mut self) -> Option<()> {
        if self.strict {
            return None;
        }
        if !self.conditions.is_empty() {
            if self.stages.len() == stages::MOST {
                return None;
            }
            let (before, conditions) =
                (std::mem::take(&mut self.before), std::mem::take(&mut self.conditions));
            self.stages.push(Stage { before, conditions });
        }
        Some(())
    }

    /// All stages, and what is evaluated where all of them hold.
    pub(super) fn finished(mut self) -> (Vec<Stage>, Block) {
        self.stages.push(Stage { before: self.before, conditions: self.conditions });
        (self.stages, self.inside)
    }

    /// A number that conditions may speak of: it is evaluated in front of them.
    pub(super) fn index(&mut self, e: &mut Expr) -> Option<Expr> {
        if may_fail(e) {
            self.behind_conditions()?;
        }
        let value = self.kept(e.clone());
        *e = value.clone();
        Some(value)
    }

    /// `0 <= at < extent`
    fn inside_of(&mut self, at: Expr, extent: Expr) {
        let zero = build::int(0, at.span);
        self.require(compare("less_equal", zero, at.clone()));
        self.require(compare("less", at, extent));
    }

    /// A sequence that is not empty, inside of an extent or far from where indices wrap around.
    fn range(&mut self, range: &mut Range, inside: Option<Expr>) -> Option<Selected> {
        let span = range.from.span;
        let from = self.index(&mut range.from)?;
        let step = range.step.as_mut().map_or(Some(build::int(1, span)), |step| self.index(step))?;
        let to = self.index(&mut range.to)?;
        let constant = step.constant_int();
        let (lowest, highest, distance) = match constant {
            Some(step) if step < 0 => (to.clone(), from.clone(), build::int(step.checked_neg()?, span)),
            _ => (from.clone(), to.clone(), step.clone()),
        };
        let lower = if inside.is_some() { 0 } else { -FAR };
        self.require(compare("less_equal", build::int(lower, span), lowest.clone()));
        self.require(compare("less_equal", lowest.clone(), highest.clone()));
        if constant.is_none() {
            self.require(compare("less_equal", build::int(1, span), step.clone()));
        } else if constant == Some(0) {
            return None;
        }
        let extent = pull::count(lowest.clone(), distance.clone(), highest.clone());
        let extent = self.kept(extent);
        match inside {
            None => self.require(compare("less_equal", highest, build::int(FAR, span))),
            // The last one may be before the bound.
            Some(size) if constant.is_none_or(|step| step > 1) => {
                let steps = integer("subtract", extent.clone(), build::int(1, span));
                let last = integer("add", integer("multiply", steps, distance), lowest);
                self.require(compare("less", last, size));
            }
            Some(size) => self.require(compare("less", highest, size)),
        }
        Some(Selected::Some { from, step, extent })
    }

    /// Operands have the same extents.
    fn agree(&mut self, parts: &[PullArray]) -> Option<()> {
        let mut sized = parts.iter().filter(|part| !part.dims.is_empty());
        let first = sized.next()?;
        sized.try_for_each(|other| self.same_extents(&first.dims, &other.dims))
    }

    /// Conditions that two boxes are of one size; nothing where they have not as many dimensions.
    pub(super) fn same_extents(&mut self, a: &[Expr], b: &[Expr]) -> Option<()> {
        for (a, b) in a.iter().zip(b) {
            self.require(compare("equal", a.clone(), b.clone()));
        }
        (a.len() == b.len()).then_some(())
    }

    /// The elements as those of a type, whose sizes are those of the array.
    fn conversion(&mut self, part: PullArray, ty: &Type) -> Option<PullArray> {
        let sizes = ty.as_array().map(|array| array.sizes.clone()).unwrap_or_default();
        for (extent, size) in part.dims.iter().zip(sizes) {
            if let Some(size) = size {
                let size = build::int(i32::try_from(size).ok()?, extent.span);
                self.require(compare("equal", extent.clone(), size));
            }
        }
        let element = element_type(ty);
        if let (Type::Scalar(to, Overflow::Checked), Type::Scalar(from, _)) = (&element, part.element()) {
            self.may_fail |= to != from && to.is_integer();
        }
        Some(part.convert(element))
    }

    /// A vector as a row, or a row or column as a vector.
    fn view(&mut self, part: PullArray, ty: &Type) -> Option<PullArray> {
        let map = |axis| IndexMap::same(axis, crate::source::Span::default());
        let viewed = match &part.dims.clone()[..] {
            [count] => {
                let dims = vec![build::int(1, count.span), count.clone()];
                part.mapped(dims, vec![map(1)])
            }
            [rows, columns] if columns.constant_int() == Some(1) => {
                let first = IndexMap::At(build::int(0, rows.span));
                part.mapped(vec![rows.clone()], vec![map(0), first])
            }
            [rows, columns] if rows.constant_int() == Some(1) => {
                let first = IndexMap::At(build::int(0, rows.span));
                part.mapped(vec![columns.clone()], vec![first, map(0)])
            }
            _ => return None,
        };
        self.mapped = true;
        self.conversion(viewed, ty)
    }
}

/// Whether an expression reads elements of arrays.
pub(super) fn reads_elements(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |e| found = found || matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// The extents of an array in a variable.
fn extents(array: &Expr) -> Vec<Expr> {
    let sizes = array.ty.as_array().map(|ty| ty.sizes.clone()).unwrap_or_default();
    let extent = |(axis, size): (usize, Option<u32>)| match size.map(i32::try_from) {
        Some(Ok(size)) => build::int(size, array.span),
        _ => build::extent(array.clone(), axis, array.span),
    };
    sizes.into_iter().enumerate().map(extent).collect()
}

/// Whether indices select a part of a variable's array that can be delayed: numbers and integer sequences, one for each
/// dimension.
pub(super) fn is_slice(array: &Expr, index: &[Index]) -> bool {
    matches!(array.kind, ExprKind::Local(_))
        && rank_of(array) == Some(index.len())
        && index.iter().any(|index| !matches!(index, Index::At(_)))
        && index.iter().all(|index| match index {
            Index::At(at) => is_int(&at.ty),
            Index::Range(range) => range_of_integers(range),
            Index::All => true,
            Index::List(_) | Index::Position(_) => false,
        })
}

/// Whether indices select a part of a variable's array that can be delayed. Positions of lists must be inside.
fn is_part(array: &Expr, index: &[Index], boundary: Boundary) -> bool {
    is_slice(array, index) || boundary == Boundary::Checked && is_gather(array, index)
}

/// Whether indices select a part of a variable's array by lists of positions, numbers and sequences, one for each dimension.
pub(super) fn is_gather(array: &Expr, index: &[Index]) -> bool {
    let list = |index: &Index| match index {
        Index::List(list) => {
            rank_of(list) == Some(1)
                && matches!(element_type(&list.ty), Type::Scalar(ElementType::Int32, overflow) if overflow != Overflow::Truth)
        }
        _ => false,
    };
    let others: Vec<Index> =
        index.iter().map(|index| if list(index) { Index::All } else { index.clone() }).collect();
    index.iter().any(list) && is_slice(array, &others)
}

fn range_of_integers(range: &Range) -> bool {
    is_int(&range.from.ty) && is_int(&range.to.ty) && range.step.as_ref().is_none_or(|step| is_int(&step.ty))
}

pub(super) fn is_int(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(ElementType::Int32, _))
}

/// Whether a conversion makes a row of a vector, or a vector of what its type says is a row or column.
fn viewed(inner: &Expr, ty: &Type) -> bool {
    let sizes = |ty: &Type| ty.as_array().map(|array| array.sizes.clone()).unwrap_or_default();
    match (&sizes(&inner.ty)[..], &sizes(ty)[..]) {
        ([_], [Some(1), _]) => true,
        ([rows, columns], [_]) => (*rows == Some(1) || *columns == Some(1)) && is_section(inner),
        _ => false,
    }
}

/// Whether an expression is a slice, whose extents are known where it has one index.
fn is_section(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Load { array, index, .. } if is_slice(array, index))
}
