//! Read-only AST traversal in source order: the visitor trait and the walkers over statements and expressions.

use crate::syntax::ast::*;

/// Called for each node before its children; returns whether to descend into them.
pub trait Visitor<'a> {
    /// A statement.
    fn stmt(&mut self, _stmt: &'a Stmt) -> bool {
        true
    }
    /// An expression.
    fn expr(&mut self, _expr: &'a Expr) -> bool {
        true
    }
}

/// Visits statements in order.
pub fn block<'a>(statements: &'a [Stmt], visitor: &mut impl Visitor<'a>) {
    for statement in statements {
        stmt(statement, visitor);
    }
}

/// Visits a statement and what is nested in it.
pub fn stmt<'a>(statement: &'a Stmt, visitor: &mut impl Visitor<'a>) {
    if !visitor.stmt(statement) {
        return;
    }
    match &statement.kind {
        StmtKind::Function(function) | StmtKind::Macro(function) => {
            params(&function.params, visitor);
            block(&function.body, visitor);
        }
        StmtKind::Attribute(attribute) => {
            for argument in &attribute.arguments {
                expr(&argument.value, visitor);
            }
        }
        StmtKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                expr(condition, visitor);
                block(body, visitor);
            }
            block(otherwise.as_deref().unwrap_or(&[]), visitor);
        }
        StmtKind::Labelled { body, .. } => stmt(body, visitor),
        StmtKind::For { sequence, body, .. } => {
            expr(sequence, visitor);
            block(body, visitor);
        }
        StmtKind::While { condition, body } => {
            expr(condition, visitor);
            block(body, visitor);
        }
        StmtKind::Repeat { body, until } => {
            block(body, visitor);
            expr(until, visitor);
        }
        StmtKind::Match { subject, arms } => {
            expr(subject, visitor);
            for arm in arms {
                exprs(&arm.patterns, visitor);
                block(&arm.body, visitor);
            }
        }
        StmtKind::Try { body, catches } => {
            block(body, visitor);
            for catch in catches {
                block(&catch.body, visitor);
            }
        }
        StmtKind::Print(parts) | StmtKind::Error(parts) => exprs(parts, visitor),
        StmtKind::Expr(expression) => expr(expression, visitor),
        StmtKind::TypeDef(_)
        | StmtKind::Reduction(_)
        | StmtKind::Pragma { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::SyncThreads(_)
        | StmtKind::Symbolic(_)
        | StmtKind::Invalid => {}
    }
}

fn params<'a>(list: &'a [Param], visitor: &mut impl Visitor<'a>) {
    for default in list.iter().filter_map(|param| param.default.as_ref()) {
        expr(default, visitor);
    }
}

fn exprs<'a>(list: &'a [Expr], visitor: &mut impl Visitor<'a>) {
    for expression in list {
        expr(expression, visitor);
    }
}

/// Visits an expression and what is nested in it.
pub fn expr<'a>(expression: &'a Expr, visitor: &mut impl Visitor<'a>) {
    if !visitor.expr(expression) {
        return;
    }
    match &expression.kind {
        ExprKind::Number(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Meta { .. }
        | ExprKind::Declare { .. }
        | ExprKind::Type(_)
        | ExprKind::Carried
        | ExprKind::Invalid => {}
        ExprKind::Infix { lhs, rhs, .. } => {
            expr(lhs, visitor);
            expr(rhs, visitor);
        }
        ExprKind::Prefix { operand, .. } => expr(operand, visitor),
        ExprKind::Range { from, step, to } => {
            expr(from, visitor);
            if let Some(step) = step {
                expr(step, visitor);
            }
            expr(to, visitor);
        }
        ExprKind::Ternary { condition, then, otherwise } => {
            expr(condition, visitor);
            expr(then, visitor);
            expr(otherwise, visitor);
        }
        ExprKind::Call { callee, args } => {
            expr(callee, visitor);
            for arg in args {
                match arg {
                    CallArg::Positional(value) | CallArg::Named(_, value) | CallArg::Spread(value) => {
                        expr(value, visitor);
                    }
                }
            }
        }
        ExprKind::Index { base, indices } => {
            expr(base, visitor);
            for index in indices {
                match index {
                    IndexArg::All(_) => {}
                    IndexArg::Expr(value) | IndexArg::Spread(value) => expr(value, visitor),
                }
            }
        }
        ExprKind::Instantiate { base, .. } | ExprKind::Member { base, .. } => expr(base, visitor),
        ExprKind::Array(elements) | ExprKind::Cell(elements) => {
            for element in elements {
                match element {
                    Element::Expr(value) | Element::Spread(value) => expr(value, visitor),
                }
            }
        }
        ExprKind::Object(fields) => {
            for (_, value) in fields {
                expr(value, visitor);
            }
        }
        ExprKind::TypeCheck { value, .. } | ExprKind::Paren(value) => expr(value, visitor),
        ExprKind::Sequence(list) | ExprKind::Chain(list) => exprs(list, visitor),
        ExprKind::Assign { target, value, .. } => {
            expr(value, visitor);
            match &**target {
                Target::Place { place, .. } => expr(place, visitor),
                Target::Multiple { places, .. } => {
                    for (place, _) in places.iter().flatten() {
                        expr(place, visitor);
                    }
                }
            }
        }
        ExprKind::Exchange { place, value, expected } => {
            expr(value, visitor);
            if let Some(expected) = expected {
                expr(expected, visitor);
            }
            expr(place, visitor);
        }
        ExprKind::Lambda(lambda) => {
            params(&lambda.params, visitor);
            expr(&lambda.body, visitor);
        }
    }
}

/// The operands of the operator or call at the root of an expression, in source order.
pub fn operands(expr: &Expr) -> Vec<&Expr> {
    fn of_args(args: &[CallArg]) -> Vec<&Expr> {
        let value = |arg| match arg {
            &CallArg::Positional(ref value) | &CallArg::Named(_, ref value) | &CallArg::Spread(ref value) => {
                value
            }
        };
        args.iter().map(value).collect()
    }
    match &expr.kind {
        ExprKind::Paren(inner) => operands(inner),
        ExprKind::Prefix { operand, .. } => vec![operand],
        ExprKind::Infix { lhs, rhs, .. } => vec![lhs, rhs],
        ExprKind::Ternary { condition, then, otherwise } => vec![condition, then, otherwise],
        ExprKind::Call { args, .. } => of_args(args),
        _ => Vec::new(),
    }
}
