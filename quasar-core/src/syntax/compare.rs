//! Whether two trees say the same, wherever their nodes stand.

use super::ast::*;
use crate::source::Span;

/// Whether two modules are equal apart from ids, places and the file.
pub fn same_module(a: &Module, b: &Module) -> bool {
    erased(a, false) == erased(b, false)
}

/// Like [`same_module`], with parentheses ignored too.
pub fn same_meaning(a: &Module, b: &Module) -> bool {
    erased(a, true) == erased(b, true)
}

/// Whether two expressions are equal apart from ids and places.
pub fn same_expr(a: &Expr, b: &Expr) -> bool {
    let erased = |e: &Expr| {
        let mut e = e.clone();
        Eraser { parens: false }.expr(&mut e);
        e
    };
    erased(a) == erased(b)
}

/// A copy without ids, places and parentheses.
pub fn without_parens(e: &Expr) -> Expr {
    let mut e = e.clone();
    Eraser { parens: true }.expr(&mut e);
    e
}

/// A copy in which all ids and places are zero; `parens` drops parentheses too.
pub fn erased(module: &Module, parens: bool) -> Module {
    let mut module = module.clone();
    let mut eraser = Eraser { parens };
    module.file = Span::default().file;
    for import in &mut module.imports {
        import.span = Span::default();
        import.alias.iter_mut().for_each(|n| eraser.name(n));
    }
    eraser.block(&mut module.items);
    module
}

struct Eraser {
    parens: bool,
}

impl Eraser {
    fn name(&mut self, name: &mut Name) {
        name.span = Span::default();
    }

    fn block(&mut self, block: &mut Block) {
        block.iter_mut().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        stmt.id = NodeId(0);
        stmt.span = Span::default();
        match &mut stmt.kind {
            StmtKind::Function(f) | StmtKind::Macro(f) => self.function(f),
            StmtKind::TypeDef(definition) => self.type_definition(definition),
            StmtKind::Reduction(r) => {
                self.params(&mut r.params);
                self.expr(&mut r.pattern);
                self.expr(&mut r.replacement);
                r.condition.iter_mut().for_each(|e| self.expr(e));
            }
            StmtKind::Attribute(attribute) => {
                attribute.span = Span::default();
                attribute.words.iter_mut().for_each(|n| self.name(n));
                for argument in &mut attribute.arguments {
                    argument.key.iter_mut().for_each(|n| self.name(n));
                    self.expr(&mut argument.value);
                }
            }
            StmtKind::Pragma { name, .. } => self.name(name),
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.block(body);
                }
                otherwise.iter_mut().for_each(|b| self.block(b));
            }
            StmtKind::Labelled { label, body } => {
                self.name(label);
                self.stmt(body);
            }
            StmtKind::For { variable, sequence, body } => {
                self.name(variable);
                self.expr(sequence);
                self.block(body);
            }
            StmtKind::While { condition: e, body } | StmtKind::Repeat { body, until: e } => {
                self.expr(e);
                self.block(body);
            }
            StmtKind::Match { subject, arms } => {
                self.expr(subject);
                for arm in arms {
                    arm.span = Span::default();
                    self.exprs(&mut arm.patterns);
                    self.block(&mut arm.body);
                }
            }
            StmtKind::Try { body, catches } => {
                self.block(body);
                for catch in catches {
                    catch.variable.iter_mut().for_each(|n| self.name(n));
                    catch.ty.iter_mut().for_each(|t| self.ty(t));
                    self.block(&mut catch.body);
                }
            }
            StmtKind::Break(name) | StmtKind::Continue(name) | StmtKind::SyncThreads(name) => {
                name.iter_mut().for_each(|n| self.name(n));
            }
            StmtKind::Print(list) | StmtKind::Error(list) => self.exprs(list),
            StmtKind::Symbolic(names) => names.iter_mut().for_each(|n| self.name(n)),
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Invalid => {}
        }
    }

    fn function(&mut self, f: &mut Function) {
        self.name(&mut f.name);
        f.header = Span::default();
        for output in &mut f.outputs {
            self.name(&mut output.name);
            self.annotation(output.annotation.as_mut());
        }
        self.type_params(&mut f.type_params);
        self.params(&mut f.params);
        self.block(&mut f.body);
    }

    fn type_params(&mut self, params: &mut [TypeParam]) {
        for param in params {
            self.name(&mut param.name);
            param.constraint.iter_mut().for_each(|t| self.ty(t));
        }
    }

    fn params(&mut self, params: &mut [Param]) {
        for param in params {
            param.id = NodeId(0);
            self.name(&mut param.name);
            self.annotation(param.annotation.as_mut());
            param.default.iter_mut().for_each(|e| self.expr(e));
        }
    }

    fn annotation(&mut self, annotation: Option<&mut Annotation>) {
        let Some(annotation) = annotation else { return };
        annotation.span = Span::default();
        annotation.ty.iter_mut().for_each(|t| self.ty(t));
        self.modifiers(&mut annotation.modifiers);
    }

    fn modifiers(&mut self, modifiers: &mut [Modifier]) {
        for modifier in modifiers {
            self.name(&mut modifier.name);
            self.exprs(&mut modifier.args);
        }
    }

    fn type_definition(&mut self, definition: &mut TypeDef) {
        self.name(&mut definition.name);
        self.type_params(&mut definition.params);
        let fields = match &mut definition.body {
            TypeBody::Alias(ty) => return self.ty(ty),
            TypeBody::Class { fields, .. } => fields,
            TypeBody::Derived { base, fields } => {
                self.ty(base);
                fields
            }
            TypeBody::Enum(members) => {
                for (name, value) in members {
                    self.name(name);
                    value.iter_mut().for_each(|e| self.expr(e));
                }
                return;
            }
        };
        for field in fields {
            self.name(&mut field.name);
            field.ty.iter_mut().for_each(|t| self.ty(t));
        }
    }

    fn ty(&mut self, ty: &mut TypeExpr) {
        ty.id = NodeId(0);
        ty.span = Span::default();
        self.modifiers(&mut ty.modifiers);
        match &mut ty.kind {
            TypeExprKind::Unspecified | TypeExprKind::Invalid => {}
            TypeExprKind::Pointer(inner) => self.ty(inner),
            TypeExprKind::Named { name, rank, args, sizes } => {
                self.name(name);
                self.rank(rank.as_mut());
                self.type_args(args);
                for size in sizes {
                    if let SizeExpr::Expr(e) = size {
                        self.expr(e);
                    }
                }
            }
            TypeExprKind::Union(types) => types.iter_mut().for_each(|t| self.ty(t)),
            TypeExprKind::Function { params, results, .. } => {
                params.iter_mut().for_each(|(_, t)| self.ty(t));
                results.iter_mut().for_each(|t| self.ty(t));
            }
        }
    }

    fn rank(&mut self, rank: Option<&mut RankExpr>) {
        if let Some(RankExpr::Param(name)) = rank {
            self.name(name);
        }
    }

    fn type_args(&mut self, args: &mut [TypeArg]) {
        for arg in args {
            match arg {
                TypeArg::Type(ty) => self.ty(ty),
                TypeArg::Const(e) => self.expr(e),
                TypeArg::Tuple(args) => self.type_args(args),
            }
        }
    }

    fn exprs(&mut self, list: &mut [Expr]) {
        list.iter_mut().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &mut Expr) {
        if self.parens {
            while let ExprKind::Paren(inner) = &mut e.kind {
                *e = std::mem::replace(
                    inner,
                    Expr { id: NodeId(0), span: Span::default(), kind: ExprKind::Invalid },
                );
            }
        }
        e.id = NodeId(0);
        e.span = Span::default();
        match &mut e.kind {
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Invalid => {}
            ExprKind::Meta { selector, .. } => selector.iter_mut().for_each(|n| self.name(n)),
            ExprKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Prefix { operand, .. } => self.expr(operand),
            ExprKind::Range { from, step, to } => {
                [from, to].into_iter().for_each(|e| self.expr(e));
                step.iter_mut().for_each(|e| self.expr(e));
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|e| self.expr(e));
            }
            ExprKind::Call { callee, args } => {
                self.expr(callee);
                args.iter_mut().for_each(|arg| self.call_arg(arg));
            }
            ExprKind::Index { base, indices } => {
                self.expr(base);
                indices.iter_mut().for_each(|index| self.index_arg(index));
            }
            ExprKind::Instantiate { base, rank, args } => {
                self.expr(base);
                self.rank(rank.as_mut());
                self.type_args(args);
            }
            ExprKind::Member { base, member } => {
                self.expr(base);
                self.name(member);
            }
            ExprKind::Array(elements) | ExprKind::Cell(elements) => {
                for element in elements {
                    match element {
                        Element::Expr(e) | Element::Spread(e) => self.expr(e),
                    }
                }
            }
            ExprKind::Object(fields) => fields.iter_mut().for_each(|(name, e)| {
                self.name(name);
                self.expr(e);
            }),
            ExprKind::TypeCheck { value, ty } => {
                self.expr(value);
                self.ty(ty);
            }
            ExprKind::Sequence(parts) => self.exprs(parts),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Assign { target, value, .. } => {
                self.target(target);
                self.expr(value);
            }
            ExprKind::Declare { name, annotation } => {
                self.name(name);
                self.annotation(Some(annotation));
            }
            ExprKind::Exchange { place, value, expected } => {
                self.expr(place);
                self.expr(value);
                expected.iter_mut().for_each(|e| self.expr(e));
            }
            ExprKind::Lambda(lambda) => {
                self.params(&mut lambda.params);
                self.expr(&mut lambda.body);
            }
            ExprKind::Type(ty) => self.ty(ty),
        }
    }

    fn call_arg(&mut self, arg: &mut CallArg) {
        match arg {
            CallArg::Positional(e) | CallArg::Spread(e) => self.expr(e),
            CallArg::Named(name, e) => {
                self.name(name);
                self.expr(e);
            }
        }
    }

    fn index_arg(&mut self, index: &mut IndexArg) {
        match index {
            IndexArg::All(span) => *span = Span::default(),
            IndexArg::Expr(e) | IndexArg::Spread(e) => self.expr(e),
        }
    }

    fn target(&mut self, target: &mut Target) {
        match target {
            Target::Place { place, annotation } => {
                self.expr(place);
                self.annotation(annotation.as_mut());
            }
            Target::Multiple { span, places } => {
                *span = Span::default();
                for (place, annotation) in places.iter_mut().flatten() {
                    self.expr(place);
                    self.annotation(annotation.as_mut());
                }
            }
        }
    }
}
