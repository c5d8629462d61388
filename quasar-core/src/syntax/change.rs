//! A mutable visitor of the syntax tree: visits each part of a node once, in source order.

use super::ast::*;
use crate::source::Span;

/// A transformer of trees. The default methods only visit the children.
pub trait VisitMut: Sized {
    /// Visits the id and the span of a statement, expression, type or parameter.
    fn node(&mut self, _id: &mut NodeId, _span: &mut Span) {}
    /// Visits any other span.
    fn span(&mut self, _span: &mut Span) {}
    /// Visits a name that is not an expression.
    fn name(&mut self, name: &mut Name) {
        self.span(&mut name.span);
    }
    /// Visits a name that is neither a variable nor a type nor a label: of a field, of a named argument, in an
    /// attribute.
    fn word(&mut self, name: &mut Name) {
        self.span(&mut name.span);
    }
    /// Visits a block.
    fn block(&mut self, block: &mut Block) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }
    /// A statement.
    fn stmt(&mut self, stmt: &mut Stmt) {
        stmt_parts(self, stmt);
    }
    /// An expression.
    fn expr(&mut self, e: &mut Expr) {
        expr_parts(self, e);
    }
    /// A written type.
    fn ty(&mut self, ty: &mut TypeExpr) {
        type_parts(self, ty);
    }
}

/// Visits the direct children of a statement.
pub fn stmt_parts(c: &mut impl VisitMut, stmt: &mut Stmt) {
    c.node(&mut stmt.id, &mut stmt.span);
    match &mut stmt.kind {
        StmtKind::Function(f) | StmtKind::Macro(f) => in_function(c, f),
        StmtKind::TypeDef(definition) => in_type_definition(c, definition),
        StmtKind::Reduction(r) => {
            in_params(c, &mut r.params);
            c.expr(&mut r.pattern);
            c.expr(&mut r.replacement);
            r.condition.iter_mut().for_each(|e| c.expr(e));
        }
        StmtKind::Attribute(attribute) => {
            c.span(&mut attribute.span);
            attribute.words.iter_mut().for_each(|n| c.word(n));
            for argument in &mut attribute.arguments {
                argument.key.iter_mut().for_each(|n| c.word(n));
                c.expr(&mut argument.value);
            }
        }
        StmtKind::Pragma { name, .. } => c.word(name),
        StmtKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                c.expr(condition);
                c.block(body);
            }
            otherwise.iter_mut().for_each(|b| c.block(b));
        }
        StmtKind::Labelled { label, body } => {
            c.name(label);
            c.stmt(body);
        }
        StmtKind::For { variable, sequence, body } => {
            c.name(variable);
            c.expr(sequence);
            c.block(body);
        }
        StmtKind::While { condition: e, body } | StmtKind::Repeat { body, until: e } => {
            c.expr(e);
            c.block(body);
        }
        StmtKind::Match { subject, arms } => {
            c.expr(subject);
            for arm in arms {
                c.span(&mut arm.span);
                in_exprs(c, &mut arm.patterns);
                c.block(&mut arm.body);
            }
        }
        StmtKind::Try { body, catches } => {
            c.block(body);
            for catch in catches {
                catch.variable.iter_mut().for_each(|n| c.name(n));
                catch.ty.iter_mut().for_each(|t| c.ty(t));
                c.block(&mut catch.body);
            }
        }
        StmtKind::Break(name) | StmtKind::Continue(name) | StmtKind::SyncThreads(name) => {
            name.iter_mut().for_each(|n| c.name(n));
        }
        StmtKind::Print(list) | StmtKind::Error(list) => in_exprs(c, list),
        StmtKind::Symbolic(names) => names.iter_mut().for_each(|n| c.name(n)),
        StmtKind::Expr(e) => c.expr(e),
        StmtKind::Invalid => {}
    }
}

fn in_function(c: &mut impl VisitMut, f: &mut Function) {
    c.name(&mut f.name);
    c.span(&mut f.header);
    for output in &mut f.outputs {
        c.name(&mut output.name);
        in_annotation(c, output.annotation.as_mut());
    }
    in_type_params(c, &mut f.type_params);
    in_params(c, &mut f.params);
    c.block(&mut f.body);
}

fn in_type_params(c: &mut impl VisitMut, params: &mut [TypeParam]) {
    for param in params {
        c.name(&mut param.name);
        param.constraint.iter_mut().for_each(|t| c.ty(t));
    }
}

fn in_params(c: &mut impl VisitMut, params: &mut [Param]) {
    for param in params {
        c.node(&mut param.id, &mut Span::default());
        c.name(&mut param.name);
        in_annotation(c, param.annotation.as_mut());
        param.default.iter_mut().for_each(|e| c.expr(e));
    }
}

fn in_annotation(c: &mut impl VisitMut, annotation: Option<&mut Annotation>) {
    let Some(annotation) = annotation else { return };
    c.span(&mut annotation.span);
    annotation.ty.iter_mut().for_each(|t| c.ty(t));
    in_modifiers(c, &mut annotation.modifiers);
}

fn in_modifiers(c: &mut impl VisitMut, modifiers: &mut [Modifier]) {
    for modifier in modifiers {
        c.word(&mut modifier.name);
        in_exprs(c, &mut modifier.args);
    }
}

fn in_type_definition(c: &mut impl VisitMut, definition: &mut TypeDef) {
    c.name(&mut definition.name);
    in_type_params(c, &mut definition.params);
    let fields = match &mut definition.body {
        TypeBody::Alias(ty) => return c.ty(ty),
        TypeBody::Class { fields, .. } => fields,
        TypeBody::Derived { base, fields } => {
            c.ty(base);
            fields
        }
        TypeBody::Enum(members) => {
            for (name, value) in members {
                c.name(name);
                value.iter_mut().for_each(|e| c.expr(e));
            }
            return;
        }
    };
    for field in fields {
        c.name(&mut field.name);
        field.ty.iter_mut().for_each(|t| c.ty(t));
    }
}

/// Visits the direct children of a type.
pub fn type_parts(c: &mut impl VisitMut, ty: &mut TypeExpr) {
    c.node(&mut ty.id, &mut ty.span);
    in_modifiers(c, &mut ty.modifiers);
    match &mut ty.kind {
        TypeExprKind::Unspecified | TypeExprKind::Invalid => {}
        TypeExprKind::Pointer(inner) => c.ty(inner),
        TypeExprKind::Named { name, rank, args, sizes } => {
            c.name(name);
            in_rank(c, rank.as_mut());
            in_type_args(c, args);
            for size in sizes {
                if let SizeExpr::Expr(e) = size {
                    c.expr(e);
                }
            }
        }
        TypeExprKind::Union(types) => types.iter_mut().for_each(|t| c.ty(t)),
        TypeExprKind::Function { params, results, .. } => {
            params.iter_mut().for_each(|(_, t)| c.ty(t));
            results.iter_mut().for_each(|t| c.ty(t));
        }
    }
}

fn in_rank(c: &mut impl VisitMut, rank: Option<&mut RankExpr>) {
    if let Some(RankExpr::Param(name)) = rank {
        c.name(name);
    }
}

fn in_type_args(c: &mut impl VisitMut, args: &mut [TypeArg]) {
    for arg in args {
        match arg {
            TypeArg::Type(ty) => c.ty(ty),
            TypeArg::Const(e) => c.expr(e),
            TypeArg::Tuple(args) => in_type_args(c, args),
        }
    }
}

fn in_exprs(c: &mut impl VisitMut, list: &mut [Expr]) {
    list.iter_mut().for_each(|e| c.expr(e));
}

/// Visits the direct children of an expression.
pub fn expr_parts(c: &mut impl VisitMut, e: &mut Expr) {
    c.node(&mut e.id, &mut e.span);
    match &mut e.kind {
        ExprKind::Number(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Carried
        | ExprKind::Invalid => {}
        ExprKind::Meta { selector, .. } => selector.iter_mut().for_each(|n| c.word(n)),
        ExprKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|e| c.expr(e)),
        ExprKind::Prefix { operand, .. } => c.expr(operand),
        ExprKind::Range { from, step, to } => {
            [from, to].into_iter().for_each(|e| c.expr(e));
            step.iter_mut().for_each(|e| c.expr(e));
        }
        ExprKind::Ternary { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|e| c.expr(e));
        }
        ExprKind::Call { callee, args } => {
            c.expr(callee);
            args.iter_mut().for_each(|arg| in_call_arg(c, arg));
        }
        ExprKind::Index { base, indices } => {
            c.expr(base);
            indices.iter_mut().for_each(|index| in_index_arg(c, index));
        }
        ExprKind::Instantiate { base, rank, args } => {
            c.expr(base);
            in_rank(c, rank.as_mut());
            in_type_args(c, args);
        }
        ExprKind::Member { base, member } => {
            c.expr(base);
            c.word(member);
        }
        ExprKind::Array(elements) | ExprKind::Cell(elements) => {
            for element in elements {
                match element {
                    Element::Expr(e) | Element::Spread(e) => c.expr(e),
                }
            }
        }
        ExprKind::Object(fields) => fields.iter_mut().for_each(|(name, e)| {
            c.word(name);
            c.expr(e);
        }),
        ExprKind::TypeCheck { value, ty } => {
            c.expr(value);
            c.ty(ty);
        }
        ExprKind::Sequence(parts) | ExprKind::Chain(parts) => in_exprs(c, parts),
        ExprKind::Paren(inner) => c.expr(inner),
        ExprKind::Assign { target, value, .. } => {
            in_target(c, target);
            c.expr(value);
        }
        ExprKind::Declare { name, annotation } => {
            c.name(name);
            in_annotation(c, Some(annotation));
        }
        ExprKind::Exchange { place, value, expected } => {
            c.expr(place);
            c.expr(value);
            expected.iter_mut().for_each(|e| c.expr(e));
        }
        ExprKind::Lambda(lambda) => {
            in_params(c, &mut lambda.params);
            c.expr(&mut lambda.body);
        }
        ExprKind::Type(ty) => c.ty(ty),
    }
}

fn in_call_arg(c: &mut impl VisitMut, arg: &mut CallArg) {
    match arg {
        CallArg::Positional(e) | CallArg::Spread(e) => c.expr(e),
        CallArg::Named(name, e) => {
            c.word(name);
            c.expr(e);
        }
    }
}

fn in_index_arg(c: &mut impl VisitMut, index: &mut IndexArg) {
    match index {
        IndexArg::All(span) => c.span(span),
        IndexArg::Expr(e) | IndexArg::Spread(e) => c.expr(e),
    }
}

fn in_target(c: &mut impl VisitMut, target: &mut Target) {
    match target {
        Target::Place { place, annotation } => {
            c.expr(place);
            in_annotation(c, annotation.as_mut());
        }
        Target::Multiple { span, places } => {
            c.span(span);
            for (place, annotation) in places.iter_mut().flatten() {
                c.expr(place);
                in_annotation(c, annotation.as_mut());
            }
        }
    }
}
