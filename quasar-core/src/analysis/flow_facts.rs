//! Flow-sensitive facts about integers and array extents at a point of a body.
//!
//! Each assignment creates a fresh symbol, as in SSA, so facts never become invalid. At joins and loop headers,
//! variables that may differ get fresh symbols. `int` arithmetic wraps: a term is exact only if it provably fits into
//! `int`, and otherwise correct modulo 2^32. That suffices for a comparison with an extent: what lies in the range of
//! the extent has not wrapped.

mod exchanged;
mod words;

use super::affine::linear_over;
use crate::ir::conversions::total;
use crate::ir::result_extents::{ResultExtent, result_extent};
use crate::ir::rewrite::set_in;
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Range, StmtKind, VarId};
use crate::logic::{Atom, Fact, Facts, Linear, Proposition, Rational, Relation};
use crate::message::Doubt;
use crate::types::{ArrayType, ElementType, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

const LOW: i64 = i32::MIN as i64;
const HIGH: i64 = i32::MAX as i64;

/// Facts, and the current symbol of each variable.
#[derive(Debug, Default)]
pub struct FlowFacts {
    facts: Facts,
    /// The symbol of each variable's current value.
    values: BTreeMap<VarId, u32>,
    /// Components of integer vectors, with the write count at which they are valid.
    vectors: BTreeMap<u32, (u32, Vec<Linear>)>,
    /// The proposition that all components of a boolean vector hold, with the write count at which it is valid.
    tests: BTreeMap<u32, (u32, Proposition)>,
    /// Counts the points where elements of integer arrays may have changed.
    writes: u32,
    unknowns: u32,
    /// Whether other threads may modify arrays at any time.
    shared: bool,
    /// Variables that other threads modify.
    unsteady: Vec<VarId>,
}

/// The state at one point.
#[derive(Clone, Debug)]
pub struct Point {
    values: BTreeMap<VarId, u32>,
    facts: Vec<Fact>,
}

impl FlowFacts {
    /// No facts at the entry of a kernel, in which other threads write to arrays and to its results.
    pub fn of_kernel(results: &[VarId]) -> FlowFacts {
        FlowFacts { shared: true, unsteady: results.to_vec(), ..FlowFacts::default() }
    }

    fn fresh(&mut self) -> u32 {
        self.unknowns += 1;
        self.unknowns
    }

    fn value(&mut self, variable: VarId) -> u32 {
        if let Some(known) = self.values.get(&variable) {
            return *known;
        }
        let unknown = self.fresh();
        self.values.insert(variable, unknown);
        unknown
    }

    fn unknown(&mut self, name: String, low: i64, high: i64) -> Linear {
        let name: Arc<str> = name.into();
        self.facts.limit(&name, low, high);
        Linear::atom(Atom::integer(name))
    }

    /// Tells apart the values that a variable has in the course of the program.
    pub fn version(&mut self, variable: VarId) -> u32 {
        self.value(variable)
    }

    // ---- paths

    /// A mark to roll back to.
    pub fn mark(&self) -> usize {
        self.facts.mark()
    }

    /// Captures the current symbols and the facts added since a mark, and retracts these facts.
    pub fn leave(&mut self, mark: usize) -> Point {
        Point { values: self.values.clone(), facts: self.facts.release(mark) }
    }

    /// Retracts the facts added since a mark.
    pub fn release(&mut self, mark: usize) {
        self.facts.release(mark);
    }

    /// Restores the symbols of a point, without its facts.
    pub fn back_to(&mut self, point: &Point) {
        self.values.clone_from(&point.values);
    }

    /// Resumes at a point.
    pub fn go_on(&mut self, point: Point) {
        self.values = point.values;
        self.facts.resume(point.facts);
    }

    /// Resumes at a join of two paths.
    pub fn meet(&mut self, first: &Point, second: &Point) {
        self.values = first.values.clone();
        self.values.retain(|variable, value| second.values.get(variable) == Some(value));
    }

    /// Invalidates everything that the iterations of a loop assign and write, before and behind it.
    pub fn forget_iterations(&mut self, body: &Block) {
        let exchanged = self.exchanged(body);
        self.forget(body);
        for (variable, ty, extents) in exchanged {
            self.resize(variable, &ty, &extents);
        }
    }

    /// Invalidates everything that a block assigns and writes.
    pub fn forget(&mut self, block: &Block) {
        for variable in set_in(block) {
            self.values.remove(&variable);
        }
        self.arrays_change();
    }

    /// Gives a variable an unknown value.
    pub fn set(&mut self, variable: VarId) {
        self.values.remove(&variable);
    }

    /// Records that elements of integer arrays may have changed.
    pub fn arrays_change(&mut self) {
        self.writes += 1;
    }

    // ---- facts

    /// Adds the facts that follow from a condition if it holds, or if it does not.
    pub fn learn(&mut self, condition: &Expr, holds: bool) {
        match &condition.kind {
            ExprKind::And(a, b) if holds => {
                self.learn(a, true);
                self.learn(b, true);
            }
            ExprKind::Or(a, b) if !holds => {
                self.learn(a, false);
                self.learn(b, false);
            }
            _ => {
                if let Some(proposition) = self.proposition(condition) {
                    self.facts.assume(if holds { proposition } else { proposition.negated() });
                }
            }
        }
    }

    /// Assigns a value to a variable.
    pub fn assign(&mut self, variable: VarId, ty: &Type, value: &Expr) {
        let same = match value.kind {
            ExprKind::Local(source) if value.ty == *ty && !self.unsteady.contains(&source) => {
                Some(self.value(source))
            }
            _ => None,
        };
        if let Some(same) = same {
            self.values.insert(variable, same);
            return;
        }
        let term = if *ty == Type::INT { self.term(value) } else { None };
        let vector = self.vector(value);
        let test = self.elementwise(value);
        let rank = ty.as_array().and_then(ArrayType::known_rank).unwrap_or(0);
        let rank = if value.ty.as_array().and_then(ArrayType::known_rank) == Some(rank) { rank } else { 0 };
        let shape: Vec<Option<Linear>> = (0..rank).map(|axis| self.extent(value, axis)).collect();
        self.values.remove(&variable);
        let unknown = self.value(variable);
        if let Some(term) = term {
            let atom = self.unknown(format!("n#{unknown}"), LOW, HIGH);
            self.equal(&atom, &term);
        }
        if let Some(vector) = vector {
            self.vectors.insert(unknown, (self.writes, vector));
        }
        if let Some(test) = test {
            self.tests.insert(unknown, (self.writes, test));
        }
        self.resize_partly(variable, ty, &shape);
    }

    /// Learns the extents of an array.
    pub fn resize(&mut self, array: VarId, ty: &Type, sizes: &[Linear]) {
        let sizes: Vec<Option<Linear>> = sizes.iter().cloned().map(Some).collect();
        self.resize_partly(array, ty, &sizes);
    }

    /// Learns those extents of an array that are known.
    fn resize_partly(&mut self, array: VarId, ty: &Type, sizes: &[Option<Linear>]) {
        let unknown = self.value(array);
        let Type::Array(ty) = ty else { return };
        let extents = self.extents(unknown, ty).unwrap_or_default();
        if extents.len() != sizes.len() {
            return;
        }
        for (extent, size) in extents.iter().zip(sizes) {
            size.iter().for_each(|size| self.equal(extent, size));
        }
    }

    fn equal(&mut self, a: &Linear, b: &Linear) {
        Proposition::equal(a, b).into_iter().for_each(|fact| self.facts.assume(fact));
    }

    /// The terms that bound a loop variable; to be evaluated at the loop's entry.
    pub fn limits(&mut self, range: &Range) -> [Option<Linear>; 2] {
        let step = range.step.as_ref().map_or(Some(1), Expr::constant_int);
        match step {
            Some(1..) => [self.term(&range.from), self.term(&range.to)],
            Some(..=-1) => [self.term(&range.to), self.term(&range.from)],
            _ => [None, None],
        }
    }

    /// Gives a loop variable a fresh value within limits.
    pub fn iterate(&mut self, variable: VarId, ty: &Type, limits: &[Option<Linear>; 2]) {
        self.values.remove(&variable);
        if *ty != Type::INT {
            return;
        }
        let unknown = self.value(variable);
        let atom = self.unknown(format!("n#{unknown}"), LOW, HIGH);
        let [low, high] = limits;
        let above = low.as_ref().and_then(|low| Proposition::at_most(low, &atom));
        let below = high.as_ref().and_then(|high| Proposition::at_most(&atom, high));
        above.into_iter().chain(below).for_each(|fact| self.facts.assume(fact));
    }

    /// Bounds a component of the position by an extent of a parameter.
    pub fn bound_position(&mut self, axis: usize, array: &Expr, dimension: usize) {
        let position = self.position(axis);
        let extent = self.extent(array, dimension);
        let below = extent.and_then(|extent| Proposition::below(&position, &extent));
        below.into_iter().for_each(|fact| self.facts.assume(fact));
    }

    fn position(&mut self, axis: usize) -> Linear {
        self.unknown(format!("pos({axis})"), 0, HIGH)
    }

    // ---- terms

    /// An `int` expression as a term, if it provably does not wrap.
    pub fn term(&mut self, expr: &Expr) -> Option<Linear> {
        let term = self.modular(expr)?;
        let plain = term.constant == Rational::ZERO
            && term.terms.len() == 1
            && term.terms.iter().all(|(_, factor)| *factor == Rational::ONE);
        (plain || self.facts.between(&term, LOW, HIGH)).then_some(term)
    }

    /// An `int` expression as a term modulo 2^32.
    fn modular(&mut self, expr: &Expr) -> Option<Linear> {
        if expr.ty != Type::INT {
            return None;
        }
        linear_over(expr, &mut |leaf| self.leaf(leaf))
    }

    fn leaf(&mut self, expr: &Expr) -> Option<Linear> {
        match &expr.kind {
            ExprKind::Local(variable) => {
                let (low, high) = integer_range(&expr.ty).filter(|_| !self.unsteady.contains(variable))?;
                let unknown = self.value(*variable);
                Some(self.unknown(format!("n#{unknown}"), low, high))
            }
            // Whatever it is, it is the same where the same is computed again.
            ExprKind::Convert(inner) if expr.ty == Type::INT && total(inner, expr) && is_float(&inner.ty) => {
                let value = self.key(inner)?;
                Some(self.unknown(format!("int({value})"), LOW, HIGH))
            }
            ExprKind::Convert(inner) => {
                integer_range(&inner.ty).filter(|_| expr.ty == Type::INT)?;
                if inner.ty == Type::INT { self.modular(inner) } else { self.leaf(inner) }
            }
            ExprKind::Extent(array, axis) => self.extent(array, *axis),
            ExprKind::Count(array) => self.count(array),
            ExprKind::Coordinate(Coordinate::Position, axis) => Some(self.position(*axis)),
            ExprKind::Apply { row, args } if expr.ty == Type::INT => self.bounded(row.name, args),
            ExprKind::Load { array, index, .. } => {
                let [Index::At(at)] = index.as_slice() else { return None };
                let at = usize::try_from(at.constant_int()?).ok()?;
                self.vector(array)?.get(at).cloned()
            }
            _ => None,
        }
    }

    /// Arithmetic on numbers as a name: the same for the same operations on the same values.
    fn key(&mut self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Constant(constant) => Some(format!("{constant:?}")),
            ExprKind::Convert(inner) if inner.ty == Type::INT => {
                let term = self.modular(inner)?;
                Some(format!("{term:?}"))
            }
            ExprKind::Convert(inner) => self.key(inner),
            ExprKind::Apply { row, args } if matches!(expr.ty, Type::Scalar(..)) => {
                let args = args.iter().map(|arg| self.key(arg)).collect::<Option<Vec<_>>>()?;
                Some(format!("{}({})", row.name, args.join(",")))
            }
            _ => None,
        }
    }

    /// A function whose value is bounded by other terms.
    fn bounded(&mut self, row: &str, args: &[Expr]) -> Option<Linear> {
        let [a, b] = args else { return None };
        if !matches!(row, "min" | "max" | "mod" | "periodize" | "mirror_ext" | "clamp") {
            return None;
        }
        let (a, b) = (self.term(a), self.term(b));
        let name = format!("value#{}", self.fresh());
        let result = self.unknown(name, LOW, HIGH);
        let at_most = |small: &Linear, large: &Linear| Proposition::at_most(small, large);
        let zero = Linear::constant(0);
        let from_zero = |this: &Self, term: &Linear, least: i64| {
            at_most(&Linear::constant(least), term).is_some_and(|fact| this.facts.holds(&fact))
        };
        let mut found = Vec::new();
        match row {
            "min" | "max" => {
                let ordered = |small, large| {
                    if row == "min" { at_most(small, large) } else { at_most(large, small) }
                };
                found.extend([&a, &b].into_iter().flatten().map(|term| ordered(&result, term)));
                if let (Some(a), Some(b)) = (&a, &b) {
                    let one = ordered(a, &result).zip(ordered(b, &result));
                    found.push(one.map(|(a, b)| Proposition::Any(vec![a, b])));
                    self.between_either(&result, a, b);
                } else if found.is_empty() {
                    return None;
                }
            }
            "mod" | "periodize" | "mirror_ext" => {
                let n = b.filter(|n| from_zero(self, n, 1))?;
                found.push(at_most(&zero, &result));
                found.push(Proposition::below(&result, &n));
            }
            _ => {
                let n = b?;
                found.push(at_most(&result, &n));
                if from_zero(self, &n, 0) {
                    found.push(at_most(&zero, &result));
                }
            }
        }
        found.into_iter().flatten().for_each(|fact| self.facts.assume(fact));
        Some(result)
    }

    /// A value that equals one of two terms gets the union of their intervals.
    fn between_either(&mut self, value: &Linear, a: &Linear, b: &Linear) {
        let (a, b) = (self.facts.interval(a), self.facts.interval(b));
        let low = a.0.zip(b.0).map(|(a, b)| Linear::constant(a.smaller(b)));
        let high = a.1.zip(b.1).map(|(a, b)| Linear::constant(a.greater(b)));
        let above = low.and_then(|low| Proposition::at_most(&low, value));
        let below = high.and_then(|high| Proposition::at_most(value, &high));
        above.into_iter().chain(below).for_each(|fact| self.facts.assume(fact));
    }

    fn count(&mut self, array: &Expr) -> Option<Linear> {
        let mut unknown = None;
        let mut factor = Rational::ONE;
        for size in self.shape(array)? {
            match size.as_constant() {
                Some(constant) => factor = factor.multiply(constant)?,
                None if unknown.is_none() => unknown = Some(size),
                None => return self.product(array),
            }
        }
        unknown.unwrap_or(Linear::constant(1)).scaled(factor)
    }

    /// The element count of an array, an unknown if it is a product of several unknown extents.
    fn product(&mut self, array: &Expr) -> Option<Linear> {
        let ExprKind::Local(variable) = array.kind else { return None };
        let unknown = self.value(variable);
        Some(self.unknown(format!("numel(#{unknown})"), 0, HIGH))
    }

    /// The components of an integer vector.
    fn vector(&mut self, expr: &Expr) -> Option<Vec<Linear>> {
        if self.shared || expr.ty.element_type() != Some(ElementType::Int32) {
            return None;
        }
        match &expr.kind {
            ExprKind::Array(items) => items.iter().map(|item| self.term(item)).collect(),
            ExprKind::Local(variable) => {
                let unknown = self.values.get(variable)?;
                let (writes, vector) = self.vectors.get(unknown)?;
                (*writes == self.writes).then(|| vector.clone())
            }
            _ => None,
        }
    }

    // ---- extents

    fn extents(&mut self, unknown: u32, array: &ArrayType) -> Option<Vec<Linear>> {
        array.known_rank()?;
        let sizes = array.sizes.iter().enumerate();
        Some(
            sizes
                .map(|(axis, size)| match size {
                    Some(size) => Linear::constant(i64::from(*size)),
                    None => self.unknown(format!("size(#{unknown},{axis})"), 0, HIGH),
                })
                .collect(),
        )
    }

    /// The extents of an array, if all are known.
    pub fn shape(&mut self, expr: &Expr) -> Option<Vec<Linear>> {
        let rank = expr.ty.as_array()?.known_rank()?;
        (0..rank).map(|axis| self.extent(expr, axis)).collect()
    }

    /// An extent of an array.
    fn extent(&mut self, expr: &Expr, axis: usize) -> Option<Linear> {
        let array = expr.ty.as_array()?;
        if let Some(size) = *array.sizes.get(axis)? {
            return Some(Linear::constant(i64::from(size)));
        }
        if let ExprKind::Local(variable) = expr.kind {
            let unknown = self.value(variable);
            return self.extents(unknown, array)?.into_iter().nth(axis);
        }
        // The other operand is as long: it is asked where the first one is of unknown length.
        if let ExprKind::Apply { args, .. } = &expr.kind {
            let rank = array.known_rank()?;
            let mut alike =
                args.iter().filter(|arg| arg.ty.as_array().and_then(ArrayType::known_rank) == Some(rank));
            return alike.find_map(|arg| self.extent(arg, axis));
        }
        let found = result_extent(expr, axis)?;
        self.of_result(found)
    }

    fn of_result(&mut self, extent: ResultExtent<'_>) -> Option<Linear> {
        match extent {
            ResultExtent::Of(array, axis) => self.extent(array, axis),
            ResultExtent::Value(size) => self.size(size),
            ResultExtent::Component(sizes, axis) => self.vector(sizes)?.get(axis).cloned(),
            ResultExtent::Elements(array) => self.count(array),
            ResultExtent::Steps(range) => self.steps(range),
            ResultExtent::Known(size) => Some(Linear::constant(i64::from(size))),
            ResultExtent::Sum(parts) => {
                let mut sum = Linear::constant(0);
                for part in parts {
                    sum = sum.plus(&self.of_result(part)?, Rational::ONE)?;
                }
                Some(sum)
            }
        }
    }

    /// The number of values in a range: no fewer than from its first to its last, and none where that is negative.
    fn steps(&mut self, range: &Range) -> Option<Linear> {
        // Threads of devices go on behind a range that does not fit.
        if self.shared || range.step.as_ref().is_some_and(|step| step.constant_int() != Some(1)) {
            return None;
        }
        let (from, to) = (self.term(&range.from)?, self.term(&range.to)?);
        let distance = to.minus(&from)?.plus(&Linear::constant(1), Rational::ONE)?;
        let zero = Linear::constant(0);
        let fits = Proposition::at_most(&zero, &distance).is_some_and(|fact| self.facts.holds(&fact));
        if fits {
            return self.facts.between(&distance, 0, HIGH).then_some(distance);
        }
        let name = format!("steps#{}", self.fresh());
        let count = self.unknown(name, 0, HIGH);
        self.facts.assume(Proposition::at_most(&distance, &count)?);
        Some(count)
    }

    /// The extents of an array that is made of these sizes.
    pub fn sizes(&mut self, args: &[Expr]) -> Option<Vec<Linear>> {
        match args {
            [sizes] => match &sizes.kind {
                ExprKind::Array(items) => items.iter().map(|size| self.size(size)).collect(),
                _ if matches!(sizes.ty, Type::Array(_)) => self.vector(sizes),
                _ => Some(vec![self.size(sizes)?]),
            },
            sizes => sizes.iter().map(|size| self.size(size)).collect(),
        }
    }

    /// What is asked for as an extent. There is no array of a negative one: a term that leaves `int` by less than 2^32 has no array.
    fn size(&mut self, expr: &Expr) -> Option<Linear> {
        if self.shared {
            // Threads of devices go on behind an array that there is not.
            return self.term(expr);
        }
        let term = self.modular(expr)?;
        self.facts.between(&term, LOW, HIGH - LOW).then_some(term)
    }

    // ---- conditions

    fn proposition(&mut self, condition: &Expr) -> Option<Proposition> {
        match &condition.kind {
            ExprKind::And(a, b) => Some(Proposition::All(vec![self.proposition(a)?, self.proposition(b)?])),
            ExprKind::Or(a, b) => Some(Proposition::Any(vec![self.proposition(a)?, self.proposition(b)?])),
            ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
                ("logical_not", [inner]) if inner.ty == Type::INT => Some(self.proposition(inner)?.negated()),
                ("not_equal", [fold, zero]) if zero.constant_int() == Some(0) => match &fold.kind {
                    ExprKind::Reduce { row, arg, axis: None } if row.name == "min" => self.all_of(arg),
                    _ => self.comparison(row.name, fold, zero),
                },
                (row, [a, b]) => self.comparison(row, a, b),
                _ => None,
            },
            _ => {
                let value = self.term(condition)?;
                Proposition::compare(&value, &Linear::constant(0), Relation::NotZero)
            }
        }
    }

    fn comparison(&mut self, row: &str, a: &Expr, b: &Expr) -> Option<Proposition> {
        related(row, &Linear::constant(0), &Linear::constant(0))?;
        related(row, &self.term(a)?, &self.term(b)?)
    }

    /// The proposition that all elements of a boolean array hold.
    fn all_of(&mut self, array: &Expr) -> Option<Proposition> {
        if let ExprKind::Local(variable) = array.kind {
            let (writes, test) = self.tests.get(self.values.get(&variable)?)?;
            return (*writes == self.writes).then(|| test.clone());
        }
        self.elementwise(array)
    }

    fn elementwise(&mut self, array: &Expr) -> Option<Proposition> {
        let ExprKind::Apply { row, args } = &array.kind else { return None };
        let [a, b] = args.as_slice() else { return None };
        let (a, b) = (self.vector(a)?, self.vector(b)?);
        if a.len() != b.len() || a.is_empty() {
            return None;
        }
        let parts: Option<Vec<Proposition>> =
            a.iter().zip(&b).map(|(a, b)| related(row.name, a, b)).collect();
        parts.map(Proposition::All)
    }

    // ---- queries

    /// What is not proved of indices; nothing if all are provably in bounds.
    pub fn doubt(&mut self, array: &Expr, index: &[Index]) -> Option<Doubt> {
        let Some(shape) = self.shape(array).filter(|shape| shape.len() == index.len()) else {
            return Some(Doubt::Sizes);
        };
        index.iter().zip(&shape).enumerate().find_map(|(axis, (index, extent))| match index {
            Index::All => None,
            Index::At(at) => self.doubt_of(axis, at, at, extent),
            Index::Range(Range { from, step: None, to }) => self.doubt_of(axis, from, to, extent),
            Index::Range(_) | Index::List(_) | Index::Position(_) => Some(Doubt::Index(axis)),
        })
    }

    /// Whether an index is provably inside of an extent.
    pub fn is_inside(&mut self, at: &Expr, extent: &Linear) -> bool {
        self.doubt_of(0, at, at, extent).is_none()
    }

    /// Whether an `int` expression provably does not exceed a term.
    pub fn at_most(&mut self, expr: &Expr, most: &Linear) -> bool {
        self.proves(expr, |term| Proposition::at_most(term, most))
    }

    /// Whether an `int` expression is provably not below a number.
    pub fn at_least(&mut self, expr: &Expr, least: i64) -> bool {
        self.proves(expr, |term| Proposition::at_most(&Linear::constant(least), term))
    }

    /// Whether an `int` expression is provably equal to a term.
    pub fn equals(&mut self, expr: &Expr, other: &Linear) -> bool {
        self.proves(expr, |term| Proposition::equal(term, other))
    }

    fn proves(&mut self, expr: &Expr, of: impl FnOnce(&Linear) -> Option<Proposition>) -> bool {
        let fact = self.term(expr).and_then(|term| of(&term));
        fact.is_some_and(|fact| self.facts.holds(&fact))
    }

    /// Whether a condition provably does not hold.
    pub fn never_holds(&mut self, condition: &Expr) -> bool {
        self.proposition(condition).is_some_and(|proposition| self.facts.holds(&proposition.negated()))
    }

    /// Whether two `int` expressions are provably equal.
    pub fn are_equal(&mut self, a: &Expr, b: &Expr) -> bool {
        let (Some(a), Some(b)) = (self.term(a), self.term(b)) else { return false };
        Proposition::equal(&a, &b).is_some_and(|fact| self.facts.holds(&fact))
    }

    fn doubt_of(&mut self, axis: usize, first: &Expr, last: &Expr, extent: &Linear) -> Option<Doubt> {
        let (Some(low), Some(high)) = (self.modular(first), self.modular(last)) else {
            return Some(Doubt::Index(axis));
        };
        let holds = |fact: Option<Proposition>| fact.is_some_and(|fact| self.facts.holds(&fact));
        if !holds(Proposition::at_most(&Linear::constant(0), &low)) {
            return Some(Doubt::Negative(axis));
        }
        if !holds(Proposition::below(&high, extent)) {
            return Some(Doubt::Beyond(axis));
        }
        // Each end must fit into `int` by itself, so that it has not wrapped.
        let fits = low == high
            || holds(Proposition::at_most(&low, &Linear::constant(HIGH)))
                && holds(Proposition::at_most(&Linear::constant(LOW), &high));
        (!fits).then_some(Doubt::Index(axis))
    }
}

fn is_float(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(element, _) if element.is_float())
}

/// The value range of integer types that convert to `int` without loss.
fn integer_range(ty: &Type) -> Option<(i64, i64)> {
    let Type::Scalar(element, _) = ty else { return None };
    match element {
        ElementType::Int32 => Some((LOW, HIGH)),
        ElementType::Int8 => Some((-128, 127)),
        ElementType::UInt8 => Some((0, 255)),
        ElementType::Int16 => Some((-32768, 32767)),
        ElementType::UInt16 => Some((0, 65535)),
        _ => None,
    }
}

fn related(row: &str, a: &Linear, b: &Linear) -> Option<Proposition> {
    match row {
        "equal" => Proposition::equal(a, b),
        "not_equal" => Proposition::compare(a, b, Relation::NotZero),
        "less" => Proposition::below(a, b),
        "less_equal" => Proposition::at_most(a, b),
        "greater" => Proposition::below(b, a),
        "greater_equal" => Proposition::at_most(b, a),
        _ => None,
    }
}

/// Whether a block contains a `break` that leaves the loop whose body it is.
pub fn breaks(block: &Block) -> bool {
    fn leaves(block: &Block, depth: u32) -> bool {
        block.iter().any(|stmt| match &stmt.kind {
            StmtKind::Break { levels } => *levels >= depth,
            StmtKind::If { then, otherwise, .. } => leaves(then, depth) || leaves(otherwise, depth),
            StmtKind::Try { body, handlers } => {
                leaves(body, depth) || handlers.iter().any(|handler| leaves(&handler.block, depth))
            }
            StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
                leaves(body, depth + 1)
            }
            StmtKind::Repeat { body, test, .. } => leaves(body, depth + 1) || leaves(test, depth + 1),
            _ => false,
        })
    }
    leaves(block, 0)
}
