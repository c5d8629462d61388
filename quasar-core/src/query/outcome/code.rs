//! The IR that was made of a place of the source.

use crate::ir::rewrite::{operands, visit, visit_stmts};
use crate::ir::{Block, Expr, FunctionId, KernelId, Program, Stmt};
use crate::source::Span;

/// Whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Owner {
    Function(FunctionId),
    Kernel(KernelId),
}

/// A statement or an expression of the IR.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'a> {
    Stmt(&'a Stmt),
    Expr(&'a Expr),
}

impl Node<'_> {
    pub(super) fn span(&self) -> Span {
        match self {
            Node::Stmt(stmt) => stmt.span,
            Node::Expr(e) => e.span,
        }
    }
}

/// Whether a place is inside another one. Code that passes made out of nothing has an empty place, which is nowhere.
pub(super) fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file
        && outer.start <= inner.start
        && inner.end <= outer.end
        && inner.start < inner.end
}

/// Shows each statement and expression of a program, with who holds it, in the order of the program.
pub(super) fn each(program: &Program, f: &mut dyn FnMut(Owner, Node<'_>)) {
    let mut block = |owner: Owner, block: &Block| {
        visit_stmts(block, &mut |stmt| {
            f(owner, Node::Stmt(stmt));
            operands(stmt, &mut |e| visit(e, &mut |e| f(owner, Node::Expr(e))));
        });
    };
    program.functions.iter().for_each(|(id, each)| block(Owner::Function(id), &each.body.block));
    program.kernels.iter().for_each(|(id, each)| block(Owner::Kernel(id), &each.body.block));
}

/// As [`each`], for the code that was made of a place.
pub(super) fn inside(program: &Program, span: Span, f: &mut dyn FnMut(Owner, Node<'_>)) {
    each(program, &mut |owner, node| {
        if holds(span, node.span()) {
            f(owner, node);
        }
    });
}

/// The places from which there is code.
pub(super) fn each_span(program: &Program, f: &mut dyn FnMut(Span)) {
    each(program, &mut |_, node| f(node.span()));
}
