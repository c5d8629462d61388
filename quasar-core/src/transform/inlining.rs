//! Calls become the code of what they call, as the setting `COMPILER_LAMBDAEXPRESSION_INLINING` asks for:
//!
//! ```text
//! half = x -> x / 2                     for k = 0..n-1
//! for k = 0..n-1                 ->         y[k] = x[k] / 2
//!     y[k] = half(x[k])                 endfor
//! endfor
//! ```
//!
//! A function that calls itself stays, and so does one that reads a variable which some path has not set: in a loop, its code
//! would find there what the round before left. Device code keeps calls that change an array of the caller, or that
//! hand over an array which is no variable. Host code keeps calls of functions that captured arrays or get some
//! out of cells: these are other names for arrays of the caller, which tests of what rounds of a loop share do not know.

use super::{PassContext, dead_functions, messages};
use crate::analysis::heap::is_heap_array;
use crate::ids::IdSet;
use crate::ir::rewrite::{
    copy_block, expand_stmts, free_variables, set_in, stored_in, substitute, transform_block, visit_block,
    visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Function, FunctionId, Program, Stmt, StmtKind, VarId, build};
use crate::message::Sink;
use crate::settings::Inlining;
use crate::types::Type;
use crate::types::known::{fixed, on_heap};
use std::collections::BTreeMap;

/// The code of a small lambda expression, or function of numbers, has at most so many statements and expressions.
const SMALL: usize = 40;
/// Code is not copied from functions of more.
const LARGEST: usize = 4000;

/// Replaces calls everywhere.
pub(super) fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    if context.inlining == Inlining::Never {
        return;
    }
    let (order, recursive) = callees_first(program);
    let uses = uses(program);
    let mut pass = Pass { inlining: context.inlining, recursive, uses, gone: IdSet::new(), sink };
    for id in order {
        let mut body = std::mem::take(&mut program.functions[id].body);
        let device = program.functions[id].device;
        pass.body(program, &mut body, device);
        program.functions[id].body = body;
    }
    for id in program.kernels.ids() {
        let mut body = std::mem::take(&mut program.kernels[id].body);
        pass.body(program, &mut body, true);
        program.kernels[id].body = body;
    }
    let gone = pass.gone;
    dead_functions::remove(program, &gone);
}

struct Pass<'s> {
    inlining: Inlining,
    recursive: IdSet<Function>,
    uses: BTreeMap<FunctionId, usize>,
    /// Functions some calls of which are code now.
    gone: IdSet<Function>,
    sink: &'s mut Sink,
}

impl Pass<'_> {
    fn body(&mut self, program: &Program, body: &mut Body, device: bool) {
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| {
            let StmtKind::Call { function, args, results } = &stmt.kind else { return vec![stmt] };
            if !self.suits(program, *function) {
                return vec![stmt];
            }
            let callee = &program.functions[*function];
            let call = Call { callee: &callee.body, args, device, refined: false };
            let Some(mut code) = call.code(body) else { return vec![stmt] };
            for (target, value) in results.iter().zip(code.results) {
                if let Some(target) = target {
                    code.block.push(Stmt::new(StmtKind::Assign { variable: *target, value }, stmt.span));
                }
            }
            self.gone.insert(*function);
            self.sink.push(messages::inlined(stmt.span, &callee.source_name));
            code.block
        });
        body.block = block;
    }

    fn suits(&self, program: &Program, id: FunctionId) -> bool {
        let callee = &program.functions[id];
        if self.recursive.contains(&id) {
            return false;
        }
        let wanted = match self.inlining {
            Inlining::Never => false,
            Inlining::OnlySuitable => callee.lambda || callee.device && is_arithmetic(&callee.body),
            Inlining::Always => callee.lambda || callee.device,
        };
        if !wanted {
            return false;
        }
        let size = size(&callee.body.block);
        size <= LARGEST
            && (self.inlining == Inlining::Always
                || size <= SMALL
                || callee.lambda && self.uses.get(&id) == Some(&1))
            && is_plain(callee)
    }
}

/// Whether a function computes with numbers alone, without loops and without arrays: what looks at indices and at loops sees through it then.
fn is_arithmetic(body: &Body) -> bool {
    let mut found = body.variables.iter().all(|(_, variable)| variable.ty.is_number());
    visit_stmts(&body.block, &mut |stmt| {
        found &= matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::If { .. });
    });
    visit_block(&body.block, &mut |e| found &= !matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// Whether the code of a function means the same elsewhere.
pub(super) fn is_plain(callee: &Function) -> bool {
    let body = &callee.body;
    // A version for the processor says by its name that no device runs it.
    let mut plain = !callee.processor;
    visit_stmts(&body.block, &mut |stmt| {
        plain &= !matches!(
            stmt.kind,
            StmtKind::Shared { .. } | StmtKind::Barrier(_) | StmtKind::Fence(_) | StmtKind::Try { .. }
        ) && !crate::ir::is_warp_function(stmt);
    });
    // What a called function makes is given back when it returns.
    plain &= !callee.device || !body.variables.ids().any(|v| is_heap_array(body, v));
    plain && is_settled(body)
}

/// Whether each variable that is read, or is a result, was set before, whatever way was taken.
pub(super) fn is_settled(body: &Body) -> bool {
    let mut block = body.block.clone();
    for result in &body.results {
        let value = body.read(*result, body.variables[*result].span);
        block.push(build::assign(*result, value));
    }
    free_variables(&block).iter().all(|v| body.params.contains(&v))
}

pub(super) fn size(block: &[Stmt]) -> usize {
    let mut count = 0;
    visit_stmts(block, &mut |_| count += 1);
    visit_block(block, &mut |_| count += 1);
    count
}

/// The functions, each behind those that it calls, and those that call themselves, also through others.
pub(super) fn callees_first(program: &Program) -> (Vec<FunctionId>, IdSet<Function>) {
    fn visit(
        program: &Program,
        id: FunctionId,
        open: &mut Vec<FunctionId>,
        done: &mut IdSet<Function>,
        found: &mut (Vec<FunctionId>, IdSet<Function>),
    ) {
        if let Some(start) = open.iter().position(|other| *other == id) {
            found.1.extend(open[start..].iter().copied());
            return;
        }
        if !done.insert(id) {
            return;
        }
        open.push(id);
        for callee in called(&program.functions[id].body.block) {
            visit(program, callee, open, done, found);
        }
        open.pop();
        found.0.push(id);
    }
    let mut found = (Vec::new(), IdSet::new());
    let mut done = IdSet::new();
    for id in program.functions.ids() {
        visit(program, id, &mut Vec::new(), &mut done, &mut found);
    }
    found
}

pub(super) fn called(block: &[Stmt]) -> Vec<FunctionId> {
    let mut called = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            called.push(*function);
        }
    });
    called
}

/// How many calls of each function there are; what is more than a callee counts as many.
fn uses(program: &Program) -> BTreeMap<FunctionId, usize> {
    let mut uses = BTreeMap::new();
    let functions = program.functions.iter().map(|(_, function)| &function.body);
    for body in functions.chain(program.kernels.iter().map(|(_, kernel)| &kernel.body)) {
        called(&body.block).into_iter().for_each(|id| *uses.entry(id).or_insert(0) += 1);
        visit_block(&body.block, &mut |e| {
            if let ExprKind::Function { function, .. } = e.kind {
                *uses.entry(function).or_insert(0) += 2;
            }
        });
    }
    uses
}

/// A call that becomes code.
pub(super) struct Call<'c> {
    pub(super) callee: &'c Body,
    pub(super) args: &'c [Expr],
    /// Whether the caller is device code.
    pub(super) device: bool,
    /// Whether the code may know more of its arguments than the function: arrays of known size, and arrays that are made for it.
    pub(super) refined: bool,
}

/// The code of a call, and the values of its results.
pub(super) struct Code {
    pub(super) block: Block,
    pub(super) results: Vec<Expr>,
}

impl Call<'_> {
    /// The code with the arguments in it; `None` where an argument cannot be a variable.
    pub(super) fn code(&self, body: &mut Body) -> Option<Code> {
        let callee = self.callee;
        let changed = set_in(&callee.block);
        let stored = stored_in(&callee.block);
        let mut map = BTreeMap::new();
        let (mut constants, mut retyped) = (BTreeMap::new(), BTreeMap::new());
        let mut block = Block::new();
        for (param, arg) in callee.params.iter().zip(self.args) {
            let declared = &callee.variables[*param];
            if self.device && stored.contains(param) {
                return None;
            }
            let kept = !changed.contains(param) && arg.ty == declared.ty;
            if let Some(variable) = array_of(arg)
                && self.refined
                && !changed.contains(param)
                && of_known_size(&body.variables[variable].ty, &declared.ty)
            {
                map.insert(*param, variable);
                retyped.insert(*param, body.variables[variable].ty.clone());
                continue;
            }
            match arg.kind {
                ExprKind::Local(variable) if kept && body.variables[variable].ty == declared.ty => {
                    map.insert(*param, variable);
                }
                ExprKind::Constant(_) if kept => {
                    constants.insert(*param, arg.clone());
                }
                _ if self.device && is_reference(&declared.ty) => return None,
                // A captured array, or one in a cell: another name for what the caller may change.
                _ if !(self.device || self.refined && is_new(arg))
                    && declared.ty.any(&|part| matches!(part, Type::Array(_))) =>
                {
                    return None;
                }
                _ => {
                    let mut variable = declared.clone();
                    variable.constant = false;
                    let variable = body.variables.push(variable);
                    map.insert(*param, variable);
                    let value = build::convert(arg.clone(), &declared.ty);
                    block.push(Stmt::new(StmtKind::Assign { variable, value }, arg.span));
                }
            }
        }
        let mut code = callee.block.clone();
        transform_block(&mut code, &mut |e| {
            if let ExprKind::Local(variable) = e.kind
                && let Some(ty) = retyped.get(&variable)
            {
                e.ty = Type::clone(ty);
            }
            substitute(e, &constants);
        });
        block.extend(copy_block(&code, callee, body, &mut map));
        let result = |result| {
            let Some(variable) = map.get(result) else { return constants.get(result).cloned() };
            Some(body.read(*variable, callee.variables[*result].span))
        };
        let results = callee.results.iter().map(result).collect::<Option<Vec<_>>>()?;
        Some(Code { block, results })
    }
}

/// The variable of an array that is handed over, perhaps without its size.
fn array_of(arg: &Expr) -> Option<VarId> {
    match &arg.kind {
        ExprKind::Local(variable) if matches!(arg.ty, Type::Array(_)) => Some(*variable),
        ExprKind::Convert(inner) if on_heap(&arg.ty) => array_of(inner),
        _ => None,
    }
}

/// Whether arrays of a type are arrays of another one that does not say how large they are.
fn of_known_size(ty: &Type, declared: &Type) -> bool {
    match (ty, declared) {
        (Type::Array(a), Type::Array(b)) => {
            let sizes = a.sizes.iter().zip(&b.sizes);
            a.element == b.element
                && a.rank == b.rank
                && sizes.into_iter().all(|(a, b)| b.is_none() || a == b)
        }
        _ => false,
    }
}

/// Whether a value is an array that is made where it stands.
fn is_new(value: &Expr) -> bool {
    let elements =
        |e: &Expr| matches!(&e.ty, Type::Array(array) if matches!(*array.element, Type::Scalar(..)));
    elements(value)
        && match &value.kind {
            ExprKind::Apply { .. } | ExprKind::Array(_) | ExprKind::Sequence(_) => true,
            ExprKind::Convert(inner) => is_new(inner),
            ExprKind::Load { array, .. } => elements(array),
            _ => false,
        }
}

/// Whether device code passes values of a type by reference.
fn is_reference(ty: &Type) -> bool {
    matches!(ty, Type::Array(_)) && fixed(ty).is_none()
}
