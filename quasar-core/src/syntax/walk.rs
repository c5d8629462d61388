//! An immutable visitor of the direct children of expressions and types.

use super::ast::*;

/// An expression or a type below an expression.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A type.
    Type(&'a TypeExpr),
}

/// Calls `f` with each expression and type directly below an expression, in source order.
pub fn for_each_child<'a>(kind: &'a ExprKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        ExprKind::Number(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Meta { .. }
        | ExprKind::Carried
        | ExprKind::Invalid => {}
        ExprKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|e| f(Node::Expr(e))),
        ExprKind::Prefix { operand, .. } => f(Node::Expr(operand)),
        ExprKind::Range { from, step, to } => {
            f(Node::Expr(from));
            step.iter().for_each(|e| f(Node::Expr(e)));
            f(Node::Expr(to));
        }
        ExprKind::Ternary { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|e| f(Node::Expr(e)));
        }
        ExprKind::Call { callee, args } => {
            f(Node::Expr(callee));
            for arg in args {
                match arg {
                    CallArg::Positional(e) | CallArg::Named(_, e) | CallArg::Spread(e) => f(Node::Expr(e)),
                }
            }
        }
        ExprKind::Index { base, indices } => {
            f(Node::Expr(base));
            for index in indices {
                match index {
                    IndexArg::All(_) => {}
                    IndexArg::Expr(e) | IndexArg::Spread(e) => f(Node::Expr(e)),
                }
            }
        }
        ExprKind::Instantiate { base, args, .. } => {
            f(Node::Expr(base));
            args.iter().for_each(|arg| type_arg(arg, f));
        }
        ExprKind::Member { base, .. } => f(Node::Expr(base)),
        ExprKind::Array(elements) | ExprKind::Cell(elements) => {
            for element in elements {
                match element {
                    Element::Expr(e) | Element::Spread(e) => f(Node::Expr(e)),
                }
            }
        }
        ExprKind::Object(fields) => fields.iter().for_each(|(_, e)| f(Node::Expr(e))),
        ExprKind::TypeCheck { value, ty } => {
            f(Node::Expr(value));
            f(Node::Type(ty));
        }
        ExprKind::Sequence(parts) | ExprKind::Chain(parts) => parts.iter().for_each(|e| f(Node::Expr(e))),
        ExprKind::Paren(e) => f(Node::Expr(e)),
        ExprKind::Assign { target, value, .. } => {
            self::target(target, f);
            f(Node::Expr(value));
        }
        ExprKind::Declare { annotation, .. } => self::annotation(annotation, f),
        ExprKind::Exchange { place, value, expected } => {
            f(Node::Expr(place));
            f(Node::Expr(value));
            expected.iter().for_each(|e| f(Node::Expr(e)));
        }
        ExprKind::Lambda(lambda) => {
            lambda.params.iter().for_each(|p| param(p, f));
            f(Node::Expr(&lambda.body));
        }
        ExprKind::Type(ty) => f(Node::Type(ty)),
    }
}

fn target<'a>(target: &'a Target, f: &mut dyn FnMut(Node<'a>)) {
    match target {
        Target::Place { place, annotation } => {
            f(Node::Expr(place));
            annotation.iter().for_each(|a| self::annotation(a, f));
        }
        Target::Multiple { places, .. } => {
            for (place, annotation) in places.iter().flatten() {
                f(Node::Expr(place));
                annotation.iter().for_each(|a| self::annotation(a, f));
            }
        }
    }
}

fn param<'a>(param: &'a Param, f: &mut dyn FnMut(Node<'a>)) {
    param.annotation.iter().for_each(|a| annotation(a, f));
    param.default.iter().for_each(|e| f(Node::Expr(e)));
}

fn annotation<'a>(annotation: &'a Annotation, f: &mut dyn FnMut(Node<'a>)) {
    annotation.ty.iter().for_each(|t| f(Node::Type(t)));
    annotation.modifiers.iter().flat_map(|m| &m.args).for_each(|e| f(Node::Expr(e)));
}

fn type_arg<'a>(arg: &'a TypeArg, f: &mut dyn FnMut(Node<'a>)) {
    match arg {
        TypeArg::Type(ty) => f(Node::Type(ty)),
        TypeArg::Const(e) => f(Node::Expr(e)),
        TypeArg::Tuple(args) => args.iter().for_each(|arg| type_arg(arg, f)),
    }
}

/// Calls `f` with each expression and type directly below a type.
pub fn for_each_type_child<'a>(ty: &'a TypeExpr, f: &mut dyn FnMut(Node<'a>)) {
    match &ty.kind {
        TypeExprKind::Unspecified | TypeExprKind::Invalid => {}
        TypeExprKind::Pointer(inner) => f(Node::Type(inner)),
        TypeExprKind::Named { args, sizes, .. } => {
            args.iter().for_each(|arg| type_arg(arg, f));
            for size in sizes {
                if let SizeExpr::Expr(e) = size {
                    f(Node::Expr(e));
                }
            }
        }
        TypeExprKind::Union(alternatives) => alternatives.iter().for_each(|t| f(Node::Type(t))),
        TypeExprKind::Function { params, results, .. } => {
            params.iter().for_each(|(_, t)| f(Node::Type(t)));
            results.iter().for_each(|t| f(Node::Type(t)));
        }
    }
    ty.modifiers.iter().flat_map(|m| &m.args).for_each(|e| f(Node::Expr(e)));
}
