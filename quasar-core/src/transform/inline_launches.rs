//! Calls of functions that do nothing but launch become the code of what they call, so that launches of several functions become one, or
//! go strip by strip:
//!
//! ```text
//! a = blur(x)                         a = $uninit(size(x, 0), size(x, 1))
//! y = sharpened(x, a)        ->       parallel_do([size(x, 0), size(x, 1)], x, a, blur_line3)
//!                                     y = ..
//! ```
//!
//! The kernels stay what they are, so that a function with many callers costs no more code on devices. The code of such a function is a
//! row of launches that cannot fail, allocations, numbers and other names of arrays: an error would not name the function any more.

use super::host::fuse_launches::{is_number, is_plain, renamed};
use super::inlining::{Call, callees_first, is_settled};
use super::{PassContext, dead_functions, messages};
use crate::analysis::may_fail;
use crate::ids::IdSet;
use crate::ir::rewrite::{expand_stmts, visit_stmts};
use crate::ir::{
    Dims, Expr, ExprKind, Function, FunctionId, LaunchMode, LoopMode, Program, Stmt, StmtKind, build,
};
use crate::message::Sink;
use crate::settings::Inlining;

/// Statements of a function whose code is copied, at most. Bounded.
const LONGEST: usize = 40;
/// Statements of a function up to which it gets the code of others. Bounded.
const LARGEST: usize = 400;

/// Replaces calls in all host functions.
pub(super) fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    if context.inlining == Inlining::Never || !context.auto_kernel {
        return;
    }
    let (order, recursive) = callees_first(program);
    let harmless: IdSet<crate::ir::Kernel> = program
        .kernels
        .iter()
        .filter(|(_, kernel)| !kernel.body.block.iter().any(|stmt| may_fail::possible(stmt, true)))
        .map(|(id, _)| id)
        .collect();
    // What the iterations of a loop that threads share call stays a call.
    let mut iterations: IdSet<Function> = IdSet::new();
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            if let StmtKind::For { attributes, body, .. } = &stmt.kind
                && attributes.mode == LoopMode::Threads
            {
                iterations.extend(body.iter().filter_map(|stmt| match stmt.kind {
                    StmtKind::Call { function, .. } => Some(function),
                    _ => None,
                }));
            }
        });
    }
    let mut suitable: IdSet<Function> = IdSet::new();
    let mut gone = IdSet::new();
    for id in order {
        if program.functions[id].device {
            continue;
        }
        let mut body = std::mem::take(&mut program.functions[id].body);
        let mut block = std::mem::take(&mut body.block);
        let mut count = block.len();
        expand_stmts(&mut block, &mut |stmt| {
            let StmtKind::Call { function, args, results } = &stmt.kind else { return vec![stmt] };
            let callee = &program.functions[*function];
            let fits = suitable.contains(function)
                && count + callee.body.block.len() <= LARGEST
                && callee.span.file == program.functions[id].span.file;
            if !fits {
                return vec![stmt];
            }
            let call = Call { callee: &callee.body, args, device: false, refined: false };
            let Some(mut code) = call.code(&mut body) else { return vec![stmt] };
            for (target, value) in results.iter().zip(code.results) {
                if let Some(target) = target {
                    code.block.push(Stmt::new(StmtKind::Assign { variable: *target, value }, stmt.span));
                }
            }
            count += code.block.len();
            gone.insert(*function);
            sink.push(messages::inlined(stmt.span, &callee.source_name));
            code.block
        });
        body.block = block;
        program.functions[id].body = body;
        if !recursive.contains(&id) && !iterations.contains(&id) && only_launches(program, id, &harmless) {
            suitable.insert(id);
        }
    }
    if !gone.is_empty() {
        dead_functions::remove(program, &gone);
    }
}

/// Whether a function is a row of launches and what they need.
fn only_launches(program: &Program, id: FunctionId, harmless: &IdSet<crate::ir::Kernel>) -> bool {
    let function = &program.functions[id];
    let body = &function.body;
    let launches = body.block.iter().any(|stmt| matches!(stmt.kind, StmtKind::Launch { .. }));
    launches
        && !function.processor
        && body.block.len() <= LONGEST
        && body.block.iter().all(|stmt| is_step(stmt, harmless))
        && is_settled(body)
}

fn is_step(stmt: &Stmt, harmless: &IdSet<crate::ir::Kernel>) -> bool {
    match &stmt.kind {
        StmtKind::Assign { value, .. } => is_number(value) || is_allocation(value) || renamed(stmt).is_some(),
        StmtKind::Launch {
            kernel,
            dims: Dims::Each(dims),
            block: None,
            args,
            mode: LaunchMode::Parallel,
            ..
        } => harmless.contains(kernel) && dims.iter().chain(args).all(is_plain),
        _ => false,
    }
}

fn is_allocation(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Library { name: "zeros" | "uninit", args } => {
            value.ty.as_array().is_some() && args.iter().all(|e| e.ty == build::int_type() && is_plain(e))
        }
        _ => false,
    }
}
