//! Whether launches may be one: their positions are the same, and no element that one writes is reached by another position
//! of the other. Gives the conditions that remain to be tested.

use super::super::fuse_expressions;
use super::Fusion;
use super::candidate::{Access, Accesses};
use super::group::Group;
use super::member::{Launch, Member};
use super::names::{Names, alias};
use crate::analysis::points_to::Sharing;
use crate::ir::rewrite::{same, substitute, visit};
use crate::ir::{Coordinate, Expr, ExprKind, VarId, build};
use crate::source::Span;
use quasar_devicelib::ops::find;
use std::collections::{BTreeMap, BTreeSet};

/// The most pairs of accesses of two launches that are told apart when the program runs.
const PAIRS: usize = 6;

impl Fusion<'_, '_> {
    /// What must hold for a launch to become one with those of a group; nothing if that cannot be.
    pub(super) fn conditions(
        &mut self,
        group: &mut Group,
        member: &Member,
        names: &Names,
    ) -> Option<Vec<Expr>> {
        let mut found = Vec::new();
        let first = group.members().next()?;
        let mark = self.facts.mark();
        for guard in group.members().chain(std::iter::once(member)).filter_map(|member| member.guard.as_ref())
        {
            self.facts.learn(&names.substituted(guard), true);
        }
        for (a, b) in first.launch.dims.iter().zip(&member.launch.dims) {
            let (a, b) = (names.substituted(a), names.substituted(b));
            if !same(&a, &b) && !self.facts.are_equal(&a, &b) {
                add(&mut found, compare("equal", a, b));
            }
        }
        self.facts.release(mark);
        let mut pairs = BTreeSet::new();
        for other in group.members() {
            self.pair(&other.launch, &member.launch, names, &mut found, &mut pairs)?;
        }
        for pair in pairs {
            if group.apart.insert(pair) {
                let (body, span) = (&self.host.body, member.launch.span);
                found.push(fuse_expressions::are_different(body, pair.0, pair.1, span));
            }
        }
        Some(found)
    }

    /// The conditions under which two launches do not depend on each other's other positions.
    fn pair(
        &self,
        a: &Launch,
        b: &Launch,
        names: &Names,
        found: &mut Vec<Expr>,
        pairs: &mut BTreeSet<(VarId, VarId)>,
    ) -> Option<()> {
        for (first, one) in self.accesses(a) {
            for (second, other) in self.accesses(b) {
                if !one.writes && !other.writes {
                    continue;
                }
                let roots = [names.root(first), names.root(second)];
                if roots[0] == roots[1] {
                    if !(one.own && other.own) {
                        apart((a, one), (b, other), self, found)?;
                    }
                } else if !self.are_apart(roots, names) {
                    pairs.insert((roots[0].min(roots[1]), roots[0].max(roots[1])));
                }
            }
        }
        Some(())
    }

    /// Whether two variables surely name different arrays.
    fn are_apart(&self, roots: [VarId; 2], names: &Names) -> bool {
        let fresh = roots.iter().any(|root| names.fresh(*root).is_some());
        fresh || self.aliases.sharing(roots[0], roots[1]) == Sharing::Never
    }

    /// The arrays of a launch with what it does to them.
    fn accesses<'s>(&'s self, launch: &'s Launch) -> impl Iterator<Item = (VarId, &'s Accesses)> {
        let candidate = self.candidate(launch);
        let params = candidate.kernel.body.params.iter().zip(&launch.args);
        params.filter_map(|(param, arg)| Some((alias(arg)?, candidate.arrays.get(param)?)))
    }

    /// An expression of a kernel in terms of the host, for a launch.
    fn of_host(&self, e: &Expr, launch: &Launch) -> Expr {
        let params = &self.candidate(launch).kernel.body.params;
        let args: BTreeMap<VarId, Expr> = params.iter().copied().zip(launch.args.iter().cloned()).collect();
        let mut e = e.clone();
        substitute(&mut e, &args);
        e
    }
}

/// Adds the conditions under which accesses to one array reach different elements, unless one position reaches both.
fn apart(
    (a, one): (&Launch, &Accesses),
    (b, other): (&Launch, &Accesses),
    pass: &Fusion<'_, '_>,
    found: &mut Vec<Expr>,
) -> Option<()> {
    if one.unknown || other.unknown || one.all.len() * other.all.len() > PAIRS * PAIRS {
        return None;
    }
    let mut added = 0;
    for first in &one.all {
        for second in other.all.iter().filter(|second| first.writes || second.writes) {
            let forms = [(first, a), (second, b)].map(|(access, launch)| forms(access, launch, pass));
            let [Some(first), Some(second)] = forms else { return None };
            if first.len() != second.len() {
                return None;
            }
            if one_position(&first, &second, a.dims.len()) || first.iter().zip(&second).any(never_meet) {
                continue;
            }
            let axes = first.iter().zip(&second).filter_map(|(p, q)| in_front(p, q, &a.dims, b.span));
            let condition = axes.reduce(build::or)?;
            added += usize::from(add(found, condition));
        }
    }
    (added <= PAIRS).then_some(())
}

/// An index as `factor * pos[axis] + offset + constant`.
struct Form {
    axis: Option<usize>,
    factor: i32,
    offset: Option<Expr>,
    constant: i32,
}

fn forms(access: &Access, launch: &Launch, pass: &Fusion<'_, '_>) -> Option<Vec<Form>> {
    let form = |e: &Expr| {
        let mut form = Form::of(e)?;
        form.offset = form.offset.map(|offset| pass.of_host(&offset, launch));
        form.offset.as_ref().is_none_or(super::member::is_plain).then_some(form)
    };
    access.index.iter().map(form).collect()
}

impl Form {
    fn of(e: &Expr) -> Option<Form> {
        let plain = |constant| Form { axis: None, factor: 0, offset: None, constant };
        if let Some(constant) = e.constant_int() {
            return Some(plain(constant));
        }
        match &e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => {
                Some(Form { axis: Some(*axis), factor: 1, ..plain(0) })
            }
            ExprKind::Apply { row, args } if matches!(row.name, "add" | "subtract" | "multiply") => {
                let (a, b) = (Form::of(&args[0])?, Form::of(&args[1])?);
                match row.name {
                    "add" => a.plus(b, e.span),
                    "subtract" if b.axis.is_none() && b.offset.is_none() => {
                        Some(Form { constant: a.constant.checked_sub(b.constant)?, ..a })
                    }
                    "subtract" => Form::invariant(e),
                    _ => match (a.number(), b.number()) {
                        (_, Some(factor)) => a.times(factor),
                        (Some(factor), _) => b.times(factor),
                        _ => Form::invariant(e),
                    },
                }
            }
            _ => Form::invariant(e),
        }
    }

    /// What is the same at all positions.
    fn invariant(e: &Expr) -> Option<Form> {
        let mut fixed = true;
        visit(e, &mut |e| fixed &= !matches!(e.kind, ExprKind::Coordinate(..)));
        fixed.then(|| Form { axis: None, factor: 0, offset: Some(e.clone()), constant: 0 })
    }

    fn number(&self) -> Option<i32> {
        (self.axis.is_none() && self.offset.is_none()).then_some(self.constant)
    }

    fn plus(self, other: Form, span: Span) -> Option<Form> {
        let (axis, factor) = match (self.axis, other.axis) {
            (Some(a), Some(b)) if a == b => (Some(a), self.factor.checked_add(other.factor)?),
            (Some(_), Some(_)) => return None,
            (axis, None) => (axis, self.factor),
            (None, axis) => (axis, other.factor),
        };
        let offset = match (self.offset, other.offset) {
            (Some(a), Some(b)) => Some(arithmetic("add", a, b, span)),
            (a, b) => a.or(b),
        };
        Some(Form { axis, factor, offset, constant: self.constant.checked_add(other.constant)? })
    }

    fn times(self, factor: i32) -> Option<Form> {
        if self.offset.is_some() {
            return None;
        }
        let (own, constant) = (self.factor.checked_mul(factor)?, self.constant.checked_mul(factor)?);
        Some(Form { factor: own, constant, ..self })
    }

    fn same_offset(&self, other: &Form) -> bool {
        match (&self.offset, &other.offset) {
            (None, None) => true,
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        }
    }

    /// The first index, and the last one over the extents of the launch.
    fn ends(&self, dims: &[Expr], span: Span) -> Option<[Expr; 2]> {
        let constant = build::int(self.constant, span);
        let first = match &self.offset {
            Some(offset) if self.constant == 0 => offset.clone(),
            Some(offset) => arithmetic("add", offset.clone(), constant, span),
            None => constant,
        };
        let Some(axis) = self.axis else { return Some([first.clone(), first]) };
        if self.factor < 1 {
            return None;
        }
        let last = arithmetic("subtract", dims[axis].clone(), build::int(1, span), span);
        let last = match self.factor {
            1 => last,
            factor => arithmetic("multiply", last, build::int(factor, span), span),
        };
        let last =
            if first.constant_int() == Some(0) { last } else { arithmetic("add", first.clone(), last, span) };
        Some([first, last])
    }
}

/// Whether only one position reaches each element by both.
fn one_position(a: &[Form], b: &[Form], rank: usize) -> bool {
    let same = |(p, q): (&Form, &Form)| {
        p.axis == q.axis && p.factor == q.factor && p.constant == q.constant && p.same_offset(q)
    };
    let covered = |axis: usize| a.iter().any(|form| form.axis == Some(axis) && form.factor != 0);
    a.iter().zip(b).all(same) && (0..rank).all(covered)
}

/// Whether two indices are different by their remainders, or as numbers.
fn never_meet((a, b): (&Form, &Form)) -> bool {
    let distance = i64::from(a.constant) - i64::from(b.constant);
    let steps = [a, b].map(|form| if form.axis.is_some() { i64::from(form.factor) } else { 0 });
    a.same_offset(b)
        && match steps {
            [0, 0] => distance != 0,
            [p, q] => p == q && p != 0 && distance % p != 0,
        }
}

/// The condition that all indices of one are in front of those of the other.
fn in_front(a: &Form, b: &Form, dims: &[Expr], span: Span) -> Option<Expr> {
    if a.axis == b.axis && a.factor == b.factor && a.constant == b.constant && a.same_offset(b) {
        return None;
    }
    let ([first, last], [other_first, other_last]) = (a.ends(dims, span)?, b.ends(dims, span)?);
    Some(build::or(compare("less", last, other_first), compare("less", other_last, first)))
}

/// Adds a condition unless it is there.
fn add(found: &mut Vec<Expr>, condition: Expr) -> bool {
    let new = !found.iter().any(|known| same(known, &condition));
    if new {
        found.push(condition);
    }
    new
}

fn compare(row: &'static str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    arithmetic(row, a, b, span)
}

fn arithmetic(row: &'static str, a: Expr, b: Expr, span: Span) -> Expr {
    build::apply(find(row).expect("a row that the table has"), vec![a, b], build::int_type(), span)
}
