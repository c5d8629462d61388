//! Fusion of array expressions: `C = A + 2*B` becomes one launch that reads A and B and writes C once, and
//! `s = sum(A.*B)` one parallel reduction without an intermediate array. Slices, transposes and sequences in them are delayed
//! (`delay`): they are read where they stand, also where a variable holds them (`forward`), and an assignment to a slice is a
//! launch over the slice (`sections`).

mod delay;
mod folds;
mod forward;
mod launches;
mod reordered;
mod sections;
mod stages;
mod stored;

use super::kernel_builder::{Host, each_host_function};
use super::kernel_rules::is_value;
use super::outline;
use crate::analysis::aliases::Aliases;
use crate::analysis::points_to::ProgramAliases;
use crate::ids::Id;
use crate::ir::effects::may_fail;
use crate::ir::rewrite::{blocks_mut, children, children_mut, operands, operands_mut};
use crate::ir::{
    Accumulator, Block, Body, Coordinate, Expr, ExprKind, Failure, Index, Kernel, Program, Stmt, StmtKind,
    VarId, Variable, build,
};
use crate::message::Sink;
use crate::source::Span;
use crate::transform::{PassContext, messages};
use crate::types::{Boundary, Rank, Type};
use quasar_devicelib::ops::{Row, find};
pub(super) use sections::are_different;
pub use stored::why_not_fused;

/// Runs the transform on every host function.
pub fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    if !context.auto_kernel {
        return;
    }
    let stores = program.functions.iter().any(|(_, f)| !f.device && sections::stores_slices(&f.body.block));
    let aliases = if stores { ProgramAliases::of(program) } else { ProgramAliases::default() };
    each_host_function(program, sink, |host| {
        folds::write_products_as_sums(&mut host.body.block);
        let points = aliases.of_function(host.id).cloned().unwrap_or_default();
        let aliases = Aliases::of(&host.body, points);
        let uses = forward::Uses::of(&host.body);
        let block = std::mem::take(&mut host.body.block);
        host.body.block = Pass { host, context, aliases, uses }.block(block);
    });
}

struct Pass<'a, 'h> {
    host: &'a mut Host<'h>,
    context: &'a PassContext<'a>,
    aliases: Aliases,
    uses: forward::Uses,
}

impl Pass<'_, '_> {
    fn block(&mut self, block: Block) -> Block {
        let mut result = Vec::with_capacity(block.len());
        let mut rest = block.into_iter();
        loop {
            if let Some((count, mut launches)) = self.forwarded(rest.as_slice()) {
                result.append(&mut launches);
                rest.by_ref().take(count).for_each(drop);
                continue;
            }
            let Some(mut stmt) = rest.next() else { return result };
            blocks_mut(&mut stmt, &mut |inner| *inner = self.block(std::mem::take(inner)));
            if let Some(mut launches) = self.section(&stmt) {
                result.append(&mut launches);
                continue;
            }
            let mut before = Vec::new();
            match &mut stmt.kind {
                // Their conditions are evaluated again and again, so nothing can be moved in front of them.
                StmtKind::While { .. } | StmtKind::Repeat { .. } => {}
                StmtKind::Assign { value, .. } if is_comparison(value) => {
                    if !self.fuse_delayed(value, &mut before) {
                        self.in_order(&mut stmt, &operands, &operands_mut, &mut before);
                    }
                }
                // The message is made where the condition does not hold.
                StmtKind::Assert { condition, .. } => self.expression(condition, &mut before),
                _ => self.in_order(&mut stmt, &operands, &operands_mut, &mut before),
            }
            result.append(&mut before);
            result.push(stmt);
        }
    }

    /// Replaces fusible parts of an expression by variables that statements in `before` compute.
    fn expression(&mut self, expr: &mut Expr, before: &mut Block) {
        if is_fusible(expr) && self.fuse(expr, before) {
            return;
        }
        match &mut expr.kind {
            // Operands that may not be evaluated at all stay as they are.
            ExprKind::And(first, _) | ExprKind::Or(first, _) => self.expression(first, before),
            ExprKind::Select { condition, .. } => self.expression(condition, before),
            _ => {
                self.in_order(expr, &children, &children_mut, before);
            }
        }
    }

    /// Replaces the fusible parts of operands. What stands in front of them and may fail is computed in front of them.
    fn in_order<T>(
        &mut self,
        whole: &mut T,
        each: Each<'_, T>,
        each_mut: EachMut<'_, T>,
        before: &mut Block,
    ) {
        let (mut count, mut last) = (0, None);
        each(whole, &mut |operand| {
            last = if has_fusible(operand) { Some(count) } else { last };
            count += 1;
        });
        let Some(last) = last else { return };
        let mut k = 0;
        each_mut(whole, &mut |operand| {
            self.expression(operand, before);
            if k < last && may_fail(operand) {
                self.hoist_value(operand, before);
            }
            k += 1;
        });
    }

    fn hoist_value(&mut self, value: &mut Expr, before: &mut Block) {
        let variable = self.host.body.temporary(value.ty.clone(), value.span);
        let read = build::local(variable, value.ty.clone(), value.span);
        before.push(build::assign(variable, std::mem::replace(value, read)));
    }

    fn fuse(&mut self, expr: &mut Expr, before: &mut Block) -> bool {
        if self.fuse_delayed(expr, before) {
            return true;
        }
        let (tree, fold) = match &expr.kind {
            ExprKind::Reduce { row, arg, axis: None } => (arg.as_ref(), Some(*row)),
            _ => (&*expr, None),
        };
        let Some(rank) = rank_of(tree) else { return false };
        let operations = operation_count(tree);
        let mut tree = tree.clone();
        let mut leaves =
            Leaves { rank, span: expr.span, arrays: Vec::new(), scalars: Vec::new(), sound: true };
        let one = if fold.is_some() { one_number(&tree) } else { None };
        leaves.collect(&mut tree, one.is_some());
        if !leaves.sound || leaves.arrays.is_empty() || operations == 0 && fold.is_none() {
            return false;
        }
        let (span, ty) = (expr.span, expr.ty.clone());
        let mut known = vec![None; leaves.arrays.len() + leaves.scalars.len()];
        self.operands(&tree, &mut leaves, &mut known, one.is_none(), before);
        let mut arrays: Vec<VarId> = known.into_iter().flatten().collect();
        let scalars = arrays.split_off(leaves.arrays.len());
        let differ = match (one, &arrays[..]) {
            (Some(_), [a, b]) => self.differ(*a, *b, rank, span).map(|(differ, _)| differ),
            _ => None,
        };
        let fused = Fused { tree, arrays, scalars, rank, span };
        let mut launch = Block::new();
        let result = match fold {
            Some(row) => self.reduce(fused, row, ty.clone(), &mut launch),
            None => self.map(fused, ty.clone(), &mut launch),
        };
        match (differ, one) {
            // The fold of one number is that number.
            (Some(differ), Some(number)) => {
                let number = build::convert(build::int(number, span), &self.host.body.variables[result].ty);
                before.push(build::choice(differ, vec![build::assign(result, number)], launch, span));
            }
            _ => before.extend(launch),
        }
        if operations > 1 || fold.is_some() && operations > 0 {
            self.host.sink.push(messages::fused(span, operations + usize::from(fold.is_some())));
        }
        *expr = build::local(result, self.host.body.variables[result].ty.clone(), span);
        *expr = build::convert(expr.clone(), &ty);
        true
    }

    /// The variable that holds a leaf; made before the statement unless the leaf is a variable already.
    fn hoist(&mut self, leaf: &mut Expr, before: &mut Block) -> VarId {
        if let ExprKind::Local(variable) = leaf.kind {
            return variable;
        }
        self.say_stored(leaf);
        self.expression(leaf, before);
        let variable = self.host.body.temporary(leaf.ty.clone(), leaf.span);
        before.push(build::assign(variable, leaf.clone()));
        variable
    }

    /// Says why a part of an array expression gets an array of its own.
    fn say_stored(&mut self, part: &Expr) {
        if let Some((name, why)) = stored::reason(part) {
            self.host.sink.push(messages::stored(part.span, name, why));
        }
    }

    /// Evaluates the leaves of a tree, and tests the sizes of the operands of each operation behind them, in the order in
    /// which the operations alone would do that. Gives an array of the size of the whole.
    fn operands(
        &mut self,
        tree: &Expr,
        leaves: &mut Leaves,
        known: &mut [Option<VarId>],
        tested: bool,
        before: &mut Block,
    ) -> Option<VarId> {
        if let ExprKind::Local(number) = tree.kind {
            let (k, count) = (number.index(), leaves.arrays.len());
            let is_array = k < count;
            let leaf = if is_array { &mut leaves.arrays[k] } else { &mut leaves.scalars[k - count] };
            let variable = self.hoist(leaf, before);
            known[k] = Some(variable);
            return is_array.then_some(variable);
        }
        let mut sizes: Vec<VarId> = Vec::new();
        children(tree, &mut |part| sizes.extend(self.operands(part, leaves, known, true, before)));
        let (first, others) = sizes.split_first()?;
        for other in others.iter().filter(|other| tested && *other != first) {
            self.check_sizes(*first, *other, leaves.rank, leaves.span, before);
        }
        Some(*first)
    }

    /// Fails with the documented words when two operands differ in size.
    fn check_sizes(&mut self, first: VarId, other: VarId, rank: usize, span: Span, before: &mut Block) {
        let Some((differ, pair)) = self.differ(first, other, rank, span) else { return };
        let fail = StmtKind::Library { name: "dimensions_differ", args: pair.to_vec(), results: Vec::new() };
        before.push(build::choice(differ, vec![Stmt::new(fail, span)], Vec::new(), span));
    }

    /// Whether two arrays differ in size, and the two, unless their types say that they do not.
    fn differ(&self, a: VarId, b: VarId, rank: usize, span: Span) -> Option<(Expr, [Expr; 2])> {
        let known = [a, b].map(|v| sizes_of(&self.host.body.variables[v].ty));
        if known[0].is_some() && known[0] == known[1] {
            return None;
        }
        let [a, b] = [a, b].map(|v| self.host.body.read(v, span));
        let differs = (0..rank).map(|axis| {
            let sides = [&a, &b].map(|array| build::extent(array.clone(), axis, span));
            build::apply(row("not_equal"), sides.to_vec(), build::int_type(), span)
        });
        let any =
            differs.reduce(|a, b| Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), build::int_type(), span));
        Some((any?, [a, b]))
    }

    /// `result[pos] = tree` over all positions of the operands.
    fn map(&mut self, fused: Fused, ty: Type, before: &mut Block) -> VarId {
        let span = fused.span;
        let mut unsized_type = ty;
        if let Type::Array(array) = &mut unsized_type {
            array.sizes.iter_mut().for_each(|size| *size = None);
        }
        let dims = self.dims(&fused);
        let result = self.host.body.temporary(unsized_type.clone(), span);
        let allocate = ExprKind::Library { name: "uninit", args: dims.clone() };
        before.push(build::assign(result, Expr::new(allocate, unsized_type, span)));
        let (mut kernel, value) = self.kernel(&fused);
        let target = kernel.variables.push(self.host.body.variables[result].clone());
        kernel.params.push(target);
        let (array, index) = (kernel.read(target, span), positions(fused.rank, span));
        kernel.block =
            vec![Stmt::new(StmtKind::Store { array, index, boundary: Boundary::Unchecked, value }, span)];
        let mut args = fused.args();
        args.push(result);
        self.launch(kernel, &fused, Vec::new(), &args, Vec::new(), before);
        result
    }

    /// `result = result op tree` over all positions of the operands.
    fn reduce(&mut self, fused: Fused, row: &'static Row, ty: Type, before: &mut Block) -> VarId {
        let span = fused.span;
        let result = self.host.body.temporary(ty.clone(), span);
        if matches!(row.name, "min" | "max") {
            self.check_not_empty(&fused, row, before);
        }
        let start = build::neutral(row, &ty, span);
        before.push(build::assign(result, start));
        let (mut kernel, value) = self.kernel(&fused);
        let inside = kernel.variables.push(Variable::new("total", ty.clone(), span));
        kernel.results.push(inside);
        let total = kernel.read(inside, span);
        let value = build::apply(row, vec![total, build::convert(value, &ty)], ty, span);
        kernel.block = vec![build::assign(inside, value)];
        let accumulators = vec![Accumulator { variable: inside, row }];
        self.launch(kernel, &fused, accumulators, &fused.args(), vec![Some(result)], before);
        result
    }

    fn check_not_empty(&mut self, fused: &Fused, row: &'static Row, before: &mut Block) {
        let span = fused.span;
        let count = Expr::new(
            ExprKind::Count(Box::new(self.host.body.read(fused.arrays[0], span))),
            build::int_type(),
            span,
        );
        let empty =
            build::apply(self::row("equal"), vec![count, build::int(0, span)], build::int_type(), span);
        let message = vec![text(&format!("{}: an empty array has no extremum", row.name), span)];
        before.push(build::choice(
            empty,
            vec![Stmt::new(StmtKind::Fail { failure: Failure::Argument, message }, span)],
            Vec::new(),
            span,
        ));
    }

    fn dims(&self, fused: &Fused) -> Vec<Expr> {
        let first = self.host.body.read(fused.arrays[0], fused.span);
        (0..fused.rank).map(|axis| build::extent(first.clone(), axis, fused.span)).collect()
    }

    /// A body with a parameter for each operand, and the tree in terms of them.
    fn kernel(&self, fused: &Fused) -> (Body, Expr) {
        let mut body = Body::default();
        let mut params = Vec::new();
        for variable in fused.args() {
            let mut param = self.host.body.variables[variable].clone();
            param.boundary = Boundary::Unchecked;
            if let Type::Array(array) = &mut param.ty {
                array.sizes.iter_mut().for_each(|size| *size = None);
            }
            let param = body.variables.push(param);
            body.params.push(param);
            params.push(param);
        }
        let value = fused.value(&fused.tree, &body, &params);
        (body, value)
    }

    fn launch(
        &mut self,
        body: Body,
        fused: &Fused,
        accumulators: Vec<Accumulator>,
        args: &[VarId],
        results: Vec<Option<VarId>>,
        before: &mut Block,
    ) {
        let (span, dims) = (fused.span, self.dims(fused));
        let name = outline::kernel_name(self.host.name, self.context.line(span));
        let kernel = Kernel {
            name,
            body,
            rank: fused.rank,
            accumulators,
            parallel: true,
            aliased: false,
            divisible: false,
            attributes: Default::default(),
            strip: None,
            schedule: Default::default(),
            span,
        };
        let Host { body, kernels, .. } = &mut *self.host;
        before.push(outline::launch(kernels, kernel, args, results, dims, body, span));
    }
}

type Each<'f, T> = &'f dyn Fn(&T, &mut dyn FnMut(&Expr));
type EachMut<'f, T> = &'f dyn Fn(&mut T, &mut dyn FnMut(&mut Expr));

/// Whether a part of an expression that is always evaluated is worth a kernel.
fn has_fusible(expr: &Expr) -> bool {
    if is_fusible(expr) {
        return true;
    }
    match &expr.kind {
        ExprKind::And(first, _) | ExprKind::Or(first, _) => has_fusible(first),
        ExprKind::Select { condition, .. } => has_fusible(condition),
        _ => {
            let mut found = false;
            children(expr, &mut |child| found = found || has_fusible(child));
            found
        }
    }
}

/// An expression whose leaves are numbered: `Local` ids in it index the lists of arrays and, behind them, scalars.
struct Fused {
    tree: Expr,
    arrays: Vec<VarId>,
    scalars: Vec<VarId>,
    rank: usize,
    span: Span,
}

impl Fused {
    fn args(&self) -> Vec<VarId> {
        let mut args = Vec::new();
        for variable in self.arrays.iter().chain(&self.scalars) {
            if !args.contains(variable) {
                args.push(*variable);
            }
        }
        args
    }

    /// The tree for one position: array operands become loads, array operations scalar ones.
    fn value(&self, expr: &Expr, body: &Body, params: &[VarId]) -> Expr {
        let element = element_type(&expr.ty);
        if let ExprKind::Local(number) = expr.kind {
            let variable = self.arrays.iter().chain(&self.scalars).nth(number.index());
            let position = variable.and_then(|v| self.args().iter().position(|arg| arg == v));
            let Some(position) = position else { return expr.clone() };
            let param = body.read(params[position], expr.span);
            if number.index() >= self.arrays.len() {
                return param;
            }
            let index = positions(self.rank, expr.span);
            let load = ExprKind::Load { array: Box::new(param), index, boundary: Boundary::Unchecked };
            return Expr::new(load, element, expr.span);
        }
        let mut value = expr.clone();
        children_mut(&mut value, &mut |child| *child = self.value(child, body, params));
        value.ty = element;
        value
    }
}

/// Collects the operands of a tree and numbers them.
struct Leaves {
    rank: usize,
    /// The whole.
    span: Span,
    arrays: Vec<Expr>,
    scalars: Vec<Expr>,
    sound: bool,
}

impl Leaves {
    /// `compared`: the tree compares two arrays whose shapes may differ, which somebody else looks at.
    fn collect(&mut self, tree: &mut Expr, compared: bool) {
        let mut arrays = Vec::new();
        match compared {
            true => children_mut(tree, &mut |child| self.split(child, &mut arrays)),
            false => self.split(tree, &mut arrays),
        }
        // Arrays come first in the numbering; scalars were numbered from the other end meanwhile.
        let count = arrays.len();
        self.arrays = arrays;
        renumber(tree, count);
    }

    fn split(&mut self, expr: &mut Expr, arrays: &mut Vec<Expr>) {
        if matches!(expr.ty, Type::Scalar(..)) {
            if !matches!(expr.kind, ExprKind::Constant(_)) {
                let leaf = expr.clone();
                expr.kind = ExprKind::Local(Id::new(SCALARS + self.scalars.len()));
                self.scalars.push(leaf);
            }
            return;
        }
        if is_operation(expr) {
            children_mut(expr, &mut |child| self.split(child, arrays));
            return;
        }
        self.sound &= rank_of(expr) == Some(self.rank);
        let leaf = expr.clone();
        expr.kind = ExprKind::Local(Id::new(arrays.len()));
        arrays.push(leaf);
    }
}

/// Scalar leaves are numbered from here until the number of arrays is known.
const SCALARS: usize = 1 << 24;

fn renumber(expr: &mut Expr, arrays: usize) {
    if let ExprKind::Local(number) = &mut expr.kind
        && number.index() >= SCALARS
    {
        *number = Id::new(number.index() - SCALARS + arrays);
    }
    children_mut(expr, &mut |child| renumber(child, arrays));
}

/// Whether an expression is worth a kernel: an operation on arrays of numbers that are not small and fixed, or a
/// reduction to a number.
fn is_fusible(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Reduce { arg, axis: None, row } => {
            rank_of(arg).is_some()
                && !is_value(&arg.ty)
                && neutral_known(row)
                && matches!(expr.ty, Type::Scalar(..))
        }
        ExprKind::Apply { .. } => is_operation(expr) && rank_of(expr).is_some() && !is_value(&expr.ty),
        ExprKind::Load { .. } | ExprKind::Library { .. } => launches::is_copy(expr) || folds::is_worth(expr),
        _ => false,
    }
}

fn neutral_known(row: &Row) -> bool {
    matches!(row.name, "add" | "multiply" | "min" | "max")
}

/// An element-wise operation between arrays (and numbers).
fn is_operation(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Apply { args, .. } => {
            rank_of(expr).is_some()
                && args.iter().all(|arg| rank_of(arg).is_some() || matches!(arg.ty, Type::Scalar(..)))
                && compared(expr).is_none()
        }
        ExprKind::Convert(inner) => rank_of(expr).is_some() && rank_of(inner) == rank_of(expr),
        _ => false,
    }
}

/// `a == b` and `a != b` of arrays of numbers whose shapes may differ, which is one number then: that number.
fn compared(expr: &Expr) -> Option<i32> {
    let ExprKind::Apply { row, args } = &expr.kind else { return None };
    let number = match row.name {
        "equal" => 0,
        "not_equal" => 1,
        _ => return None,
    };
    let [a, b] = &args[..] else { return None };
    let same = sizes_of(&a.ty).is_some() && sizes_of(&a.ty) == sizes_of(&b.ty);
    (rank_of(a).is_some() && rank_of(b).is_some() && !same).then_some(number)
}

/// A comparison of arrays that is kept as an array.
fn is_comparison(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Convert(inner) => rank_of(value).is_some() && is_comparison(inner),
        _ => compared(value).is_some() && !is_value(&value.ty),
    }
}

/// As [`compared`], where both are no operations.
fn one_number(expr: &Expr) -> Option<i32> {
    let ExprKind::Apply { args, .. } = &expr.kind else { return None };
    let plain = args.iter().all(|arg| !is_operation(arg));
    compared(expr).filter(|_| plain)
}

fn operation_count(expr: &Expr) -> usize {
    let mut count = usize::from(matches!(expr.kind, ExprKind::Apply { .. }) && is_operation(expr));
    if is_operation(expr) {
        children(expr, &mut |child| count += operation_count(child));
    }
    count
}

/// The number of dimensions of an array of numbers.
fn rank_of(expr: &Expr) -> Option<usize> {
    match &expr.ty {
        Type::Array(array) if matches!(*array.element, Type::Scalar(..)) => match array.rank {
            Rank::Known(rank) => Some(usize::from(rank)),
            Rank::Any => None,
        },
        _ => None,
    }
}

fn element_type(ty: &Type) -> Type {
    match ty {
        Type::Array(array) => (*array.element).clone(),
        _ => ty.clone(),
    }
}

fn sizes_of(ty: &Type) -> Option<Vec<u32>> {
    match ty {
        Type::Array(array) => array.sizes.iter().copied().collect(),
        _ => None,
    }
}

fn positions(rank: usize, span: Span) -> Vec<Index> {
    let position =
        |axis| Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span);
    (0..rank).map(|axis| Index::At(position(axis))).collect()
}

fn text(words: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Text(words.to_string()), Type::Text, span)
}

fn row(name: &str) -> &'static Row {
    find(name).expect("a row that the table has")
}
