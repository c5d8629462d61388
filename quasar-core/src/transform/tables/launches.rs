//! Launches that fill tables first, where they have positions enough.

use super::plan::{Place, Table, arithmetic};
use super::{Filling, Loop, Profit, Tabulated};
use crate::ir::rewrite::{expand_stmts, substitute, visit_stmts};
use crate::ir::{
    Block, Body, Dims, Expr, ExprKind, KernelId, LaunchMode, Program, Stmt, StmtKind, VarId, build,
};
use crate::source::Span;
use crate::target::cpu::{TABLE_ELEMENTS, TURNED_ELEMENTS};
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::find;
use std::collections::{BTreeMap, BTreeSet};

/// The kernels of launches that may be changed.
pub(in crate::transform) fn launched(program: &Program) -> BTreeSet<KernelId> {
    let mut found = BTreeSet::new();
    for (_, function) in program.functions.iter().filter(|(_, function)| !function.device) {
        visit_stmts(&function.body.block, &mut |stmt| {
            found.extend(parts(stmt).map(|parts| parts.kernel));
        });
    }
    found
}

/// Puts statements in the place of those that `changed` gives others for, in all host functions.
pub(in crate::transform) fn replace_each(
    program: &mut Program,
    changed: impl Fn(&mut Body, &Stmt) -> Option<Block>,
) {
    for (_, function) in program.functions.iter_mut().filter(|(_, function)| !function.device) {
        let mut block = std::mem::take(&mut function.body.block);
        expand_stmts(&mut block, &mut |stmt| {
            changed(&mut function.body, &stmt).unwrap_or_else(|| vec![stmt])
        });
        function.body.block = block;
    }
}

/// A launch that may be changed: its extents and arguments may be read again.
pub(in crate::transform) struct Parts<'s> {
    pub(in crate::transform) kernel: KernelId,
    pub(in crate::transform) dims: &'s [Expr],
    pub(in crate::transform) args: &'s [Expr],
    pub(in crate::transform) results: &'s [Option<VarId>],
}

impl Parts<'_> {
    /// A launch in the place of this one.
    pub(in crate::transform) fn launch(
        &self,
        kernel: KernelId,
        dims: &[Expr],
        args: Vec<Expr>,
        (results, mode): (Vec<Option<VarId>>, LaunchMode),
        span: Span,
    ) -> Stmt {
        let dims = Dims::Each(dims.to_vec());
        Stmt::new(StmtKind::Launch { kernel, dims, block: None, args, results, mode }, span)
    }
}

/// A launch as it is on a device, if there is one: statements, the extents as variables, and whether it ran.
pub(in crate::transform) fn offered(
    body: &mut Body,
    parts: &Parts<'_>,
    span: Span,
) -> (Block, Vec<Expr>, Expr) {
    let (mut out, mut dims) = (Block::new(), Vec::new());
    for dim in parts.dims {
        let kept = body.temporary(build::int_type(), span);
        out.push(build::assign(kept, dim.clone()));
        dims.push(body.read(kept, span));
    }
    let ran = body.temporary(build::int_type(), span);
    let mut results = parts.results.to_vec();
    results.push(Some(ran));
    let how = (results, LaunchMode::IfProfitable);
    out.push(parts.launch(parts.kernel, &dims, parts.args.to_vec(), how, span));
    (out, dims, body.read(ran, span))
}

pub(in crate::transform) fn parts(stmt: &Stmt) -> Option<Parts<'_>> {
    match &stmt.kind {
        StmtKind::Launch {
            kernel,
            dims: Dims::Each(dims),
            block: None,
            args,
            results,
            mode: LaunchMode::Parallel,
        } if args.iter().all(is_repeatable) => Some(Parts { kernel: *kernel, dims, args, results }),
        _ => None,
    }
}

fn is_repeatable(arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Convert(inner) => is_repeatable(inner) && matches!(arg.ty, Type::Array(_)),
        _ => arg.is_atom(),
    }
}

/// Changes the launches of kernels that have tables.
pub(super) fn change(
    program: &mut Program,
    made: &BTreeMap<KernelId, (Tabulated, Vec<Table>)>,
    profit: Profit,
) {
    if made.is_empty() {
        return;
    }
    let params: BTreeMap<KernelId, Vec<VarId>> =
        made.keys().map(|id| (*id, program.kernels[*id].body.params.clone())).collect();
    for (_, function) in program.functions.iter_mut().filter(|(_, function)| !function.device) {
        let mut block = std::mem::take(&mut function.body.block);
        let body = &mut function.body;
        expand_stmts(&mut block, &mut |stmt| {
            let Some(parts) = parts(&stmt) else { return vec![stmt] };
            match made.get(&parts.kernel) {
                Some((kernels, tables)) => {
                    let mut launch = Launch {
                        body,
                        span: stmt.span,
                        params: &params[&parts.kernel],
                        parts: &parts,
                        profit,
                    };
                    launch.changed(kernels, tables)
                }
                None => vec![stmt],
            }
        });
        function.body.block = block;
    }
}

struct Launch<'a> {
    body: &'a mut Body,
    span: Span,
    params: &'a [VarId],
    parts: &'a Parts<'a>,
    profit: Profit,
}

impl Launch<'_> {
    /// The launch on a device; else that with tables, or the launch as it was.
    fn changed(&mut self, kernels: &Tabulated, tables: &[Table]) -> Block {
        let span = self.span;
        let (mut out, dims, ran) = offered(self.body, self.parts, span);
        let ready = self.variable(build::int_type());
        let all = self.parts.args.to_vec();
        let arrays: Vec<VarId> = tables.iter().map(|table| self.variable(table.ty())).collect();
        let mut filled = Block::new();
        for filling in &kernels.filling {
            self.fill(filling, &dims, (tables, &arrays), ready, &mut filled);
        }
        let pays = self.pays(&kernels.filling, tables, &dims);
        let mut here = vec![build::assign(ready, int(0, span))];
        let begin = build::assign(ready, int(1, span));
        filled.insert(0, begin);
        here.push(build::choice(pays, filled, Vec::new(), span));
        let mut args = all.clone();
        args.extend(arrays.iter().map(|array| self.body.read(*array, span)));
        let results = || self.parts.results.to_vec();
        let with = self.launch(kernels.reading, &dims, args, results(), LaunchMode::Parallel);
        let without = self.launch(self.parts.kernel, &dims, all, results(), LaunchMode::Parallel);
        here.push(build::choice(self.body.read(ready, span), vec![with], vec![without], span));
        let here_condition = compare("equal", ran, int(0, span));
        out.push(build::choice(here_condition, here, Vec::new(), span));
        out
    }

    fn variable(&mut self, ty: Type) -> VarId {
        self.body.temporary(ty, self.span)
    }

    fn launch(
        &self,
        kernel: KernelId,
        dims: &[Expr],
        args: Vec<Expr>,
        results: Vec<Option<VarId>>,
        mode: LaunchMode,
    ) -> Stmt {
        self.parts.launch(kernel, dims, args, (results, mode), self.span)
    }

    /// Makes and fills the tables with some axes. `ready` is no longer set where a conversion would fail.
    fn fill(
        &mut self,
        filling: &Filling,
        dims: &[Expr],
        (tables, arrays): (&[Table], &[VarId]),
        ready: VarId,
        out: &mut Block,
    ) {
        let span = self.span;
        let extents = self.extents(filling, dims);
        let mut args: Vec<Expr> = filling.args.iter().map(|k| self.parts.args[*k].clone()).collect();
        for k in &filling.tables {
            let made = ExprKind::Library { name: "uninit", args: extents.clone() };
            out.push(build::assign(arrays[*k], Expr::new(made, tables[*k].ty(), span)));
            args.push(self.body.read(arrays[*k], span));
        }
        let mut results = Vec::new();
        let failed = filling.tests.then(|| self.variable(build::int_type()));
        if let Some(failed) = failed {
            out.push(build::assign(failed, int(0, span)));
            results.push(Some(failed));
        }
        out.push(self.launch(filling.kernel, &extents, args, results, LaunchMode::Parallel));
        if let Some(failed) = failed {
            let without = vec![build::assign(ready, int(0, span))];
            out.push(build::choice(self.body.read(failed, span), without, Vec::new(), span));
        }
    }

    /// How often a loop goes round.
    fn rounds(&self, each: &Loop) -> Expr {
        let replacements: BTreeMap<VarId, Expr> =
            self.params.iter().copied().zip(self.parts.args.iter().cloned()).collect();
        let rounds = arithmetic("subtract", each.to.clone(), each.from.clone());
        let mut rounds = arithmetic("add", rounds, int(1, self.span));
        substitute(&mut rounds, &replacements);
        rounds
    }

    /// The extents of tables.
    fn extents(&self, filling: &Filling, dims: &[Expr]) -> Vec<Expr> {
        let loops = filling.loops.iter().map(|each| self.rounds(each));
        loops.chain(filling.position.map(|axis| dims[axis].clone())).collect()
    }

    /// Whether an index lies inside of a dimension of an array at all positions, in all rounds.
    fn inside(&self, (array, axis, place): &(VarId, usize, Place), dims: &[Expr]) -> Vec<Expr> {
        let span = self.span;
        let Some(k) = self.params.iter().position(|param| param == array) else { return vec![int(0, span)] };
        let extent = build::extent(self.parts.args[k].clone(), *axis, span);
        match place {
            Place::Position(axis) => vec![compare("less_equal", dims[*axis].clone(), extent)],
            Place::Loop(each) => {
                let replacements: BTreeMap<VarId, Expr> =
                    self.params.iter().copied().zip(self.parts.args.iter().cloned()).collect();
                let bound = |e: &Expr| {
                    let mut e = e.clone();
                    substitute(&mut e, &replacements);
                    e
                };
                let first = compare("greater_equal", bound(&each.from), int(0, span));
                vec![first, compare("less", bound(&each.to), extent)]
            }
        }
    }

    /// Whether tables cost less than they spare.
    fn pays(&self, filling: &[Filling], tables: &[Table], dims: &[Expr]) -> Expr {
        let span = self.span;
        let mut all: Vec<Expr> =
            dims.iter().map(|dim| compare("greater", dim.clone(), int(0, span))).collect();
        // Rounds of a loop that read an element again count as positions that share it.
        let around: Vec<Expr> =
            tables.iter().filter_map(|table| Some(self.rounds(table.around.as_ref()?))).collect();
        let visits: Vec<Expr> = dims.iter().chain(around.first()).cloned().collect();
        all.extend(
            around
                .iter()
                .map(|rounds| compare("greater_equal", rounds.clone(), int(self.profit.reuse, span))),
        );
        all.push(compare("greater_equal", product(&visits, span), double(self.profit.positions, span)));
        for each in filling {
            let others = dims.iter().enumerate().filter(|(axis, _)| Some(*axis) != each.position);
            let reused =
                others.map(|(_, dim)| compare("greater_equal", dim.clone(), int(self.profit.reuse, span)));
            all.extend(
                reused.reduce(|a, b| {
                    Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), build::int_type(), span)
                }),
            );
            let extents = self.extents(each, dims);
            all.extend(extents.iter().map(|extent| compare("greater", extent.clone(), int(0, span))));
            let shared = each.tables.iter().any(|k| tables[*k].around.is_none());
            let most = if shared { TABLE_ELEMENTS } else { TURNED_ELEMENTS };
            all.push(compare("less_equal", product(&extents, span), double(most, span)));
        }
        all.extend(tables.iter().flat_map(|table| &table.inside).flat_map(|each| self.inside(each, dims)));
        let and = |a, b| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), build::int_type(), span);
        all.into_iter().reduce(and).unwrap_or_else(|| int(0, span))
    }
}

fn int(value: i32, span: Span) -> Expr {
    build::int(value, span)
}

pub(in crate::transform) fn double(value: f64, span: Span) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::F64(value)), build::scalar_type(ElementType::Double), span)
}

fn binary(name: &str, a: Expr, b: Expr, ty: Type) -> Expr {
    let span = a.span;
    match find(name) {
        Some(row) => build::apply(row, vec![a, b], ty, span),
        None => a,
    }
}

fn compare(name: &str, a: Expr, b: Expr) -> Expr {
    binary(name, a, b, build::int_type())
}

/// The product of integers, which may be large.
fn product(extents: &[Expr], span: Span) -> Expr {
    let ty = build::scalar_type(ElementType::Double);
    let factors = extents.iter().map(|extent| build::convert(extent.clone(), &ty));
    factors.reduce(|a, b| binary("multiply", a, b, ty.clone())).unwrap_or_else(|| double(1.0, span))
}
