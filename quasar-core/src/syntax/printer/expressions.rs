//! Prints expressions and types.

use super::*;

/// Whether the pieces of a chain are prefix operators.
fn is_prefix(pieces: &[Expr]) -> bool {
    pieces.last().is_some_and(|piece| matches!(piece.kind, ExprKind::Prefix { .. }))
}

impl Printer {
    /// Prints an expression with precedence of at least `min`; looser ones get parentheses.
    pub(super) fn expr(&mut self, e: &Expr, min: Level) {
        if level(e) < min {
            self.put("(");
            self.bare(e);
            self.put(")");
        } else {
            self.bare(e);
        }
    }

    fn lowest(&mut self, e: &Expr) {
        self.expr(e, Level::Lowest);
    }

    fn bare(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(number) => self.number(*number),
            ExprKind::Text(text) => {
                let text = text.replace('"', "\"\"").replace(['\n', '\r'], " ");
                self.out.extend(["\"", &text, "\""]);
            }
            ExprKind::Name(name) => self.put(name),
            ExprKind::Meta { name, selector } => {
                self.put(name);
                if let Some(selector) = selector {
                    self.out.extend(["[", &selector.text, "]"]);
                }
            }
            ExprKind::Infix { op, lhs, rhs } => self.infix(*op, lhs, rhs),
            ExprKind::Prefix { op, operand } => {
                self.put(op.text());
                self.expr(operand, Level::Unary);
            }
            ExprKind::Range { from, step, to } => {
                self.expr(from, Level::Additive);
                self.put("..");
                if let Some(step) = step {
                    self.expr(step, Level::Additive);
                    self.put("..");
                }
                self.expr(to, Level::Additive);
            }
            ExprKind::Ternary { condition, then, otherwise } => self.ternary(condition, then, otherwise),
            ExprKind::Array(elements) => self.elements("[", elements, "]"),
            ExprKind::Cell(elements) => self.elements("{", elements, "}"),
            ExprKind::Object(fields) => {
                self.put("{");
                self.list(fields, |p, (name, value)| p.named(name, value));
                self.put("}");
            }
            ExprKind::TypeCheck { value, ty } => {
                self.put("(");
                self.lowest(value);
                self.spaced(":");
                self.type_expr(ty);
                self.put(")");
            }
            ExprKind::Sequence(parts) => self.sequence(parts),
            // The carried value is the left operand of each piece, or the operand of prefix operators.
            ExprKind::Chain(pieces) if is_prefix(pieces) => pieces.iter().rev().for_each(|e| self.bare(e)),
            ExprKind::Chain(pieces) => pieces.iter().for_each(|e| self.bare(e)),
            ExprKind::Carried => {}
            ExprKind::Paren(inner) => {
                self.put("(");
                self.inside(inner);
                self.put(")");
            }
            ExprKind::Exchange { place, value, expected } => self.exchange(place, value, expected.as_deref()),
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Type(ty) => self.type_expr(ty),
            ExprKind::Invalid => self.put("_"),
            ExprKind::Assign { .. } | ExprKind::Declare { .. } => self.unannotated(e),
            ExprKind::Call { .. }
            | ExprKind::Index { .. }
            | ExprKind::Instantiate { .. }
            | ExprKind::Member { .. } => {
                self.postfix(e);
            }
        }
    }

    fn number(&mut self, number: Number) {
        let decimal = |value: f64| if value.is_finite() { format!("{value:?}") } else { "1e999".to_string() };
        let text = match number {
            Number::Int(value) => value.to_string(),
            Number::Float(value) => decimal(value),
            Number::Imaginary(value) => decimal(value) + "i",
        };
        self.put(&text);
    }

    fn infix(&mut self, op: InfixOp, lhs: &Expr, rhs: &Expr) {
        let level = op.level();
        let (left, right) =
            if level == Level::Power { (Level::Postfix, Level::Unary) } else { (level, level.tighter()) };
        self.expr(lhs, left);
        if level == Level::Power {
            self.put(op.text())
        } else {
            self.spaced(op.text())
        }
        self.expr(rhs, right);
    }

    fn ternary(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) {
        self.expr(condition, Level::Or);
        self.spaced("?");
        let then = self.apart(|p| p.lowest(then));
        if then.starts_with('?') {
            self.put(" ");
        }
        self.put(&then);
        self.spaced(":");
        self.lowest(otherwise);
    }

    fn postfix(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Call { callee, args } => {
                self.expr(callee, Level::Postfix);
                self.put("(");
                self.list(args, |p, arg| match arg {
                    CallArg::Positional(e) => p.lowest(e),
                    CallArg::Named(name, e) => p.named(name, e),
                    CallArg::Spread(e) => p.spread(e),
                });
                self.put(")");
            }
            ExprKind::Index { base, indices } => {
                self.expr(base, Level::Postfix);
                self.put("[");
                self.list(indices, |p, index| match index {
                    IndexArg::All(_) => p.put(":"),
                    IndexArg::Expr(e) => p.lowest(e),
                    IndexArg::Spread(e) => p.spread(e),
                });
                self.put("]");
            }
            ExprKind::Instantiate { base, rank, args } => {
                self.expr(base, Level::Postfix);
                self.rank(rank.as_ref());
                self.type_args("[", args, "]");
            }
            ExprKind::Member { base, member } => {
                let number = matches!(base.kind, ExprKind::Number(_));
                self.expr(base, Level::Postfix);
                self.out.extend([if number { " ." } else { "." }, &member.text]);
            }
            _ => {}
        }
    }

    fn spread(&mut self, e: &Expr) {
        self.put("...");
        self.lowest(e);
    }

    fn named(&mut self, name: &Name, value: &Expr) {
        self.put(&name.text);
        self.spaced(":=");
        self.lowest(value);
    }

    /// `{!` would start an attribute, hence the space.
    fn elements(&mut self, open: &str, elements: &[Element], close: &str) {
        self.put(open);
        let text = self.apart(|p| {
            p.list(elements, |p, element| match element {
                Element::Expr(e) => p.lowest(e),
                Element::Spread(e) => p.spread(e),
            });
        });
        if open == "{" && text.starts_with('!') {
            self.put(" ");
        }
        self.put(&text);
        self.put(close);
    }

    fn sequence(&mut self, parts: &[Expr]) {
        self.put("(");
        for (k, part) in parts.iter().enumerate() {
            if k > 0 {
                self.put(if self.compact { ";" } else { "; " });
            }
            self.inside(part);
        }
        if parts.len() == 1 {
            self.put(";");
        }
        self.put(")");
    }

    fn exchange(&mut self, place: &Expr, value: &Expr, expected: Option<&Expr>) {
        self.put("(");
        self.expr(place, Level::Postfix);
        self.put(" <- ");
        match expected {
            Some(expected) => {
                self.put("(");
                self.lowest(value);
                self.comma();
                self.lowest(expected);
                self.put(")");
            }
            None => self.lowest(value),
        }
        self.put(")");
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.function_kind(lambda.kind);
        match &lambda.params[..] {
            [param] if lambda.bare && param.annotation.is_none() => self.put(&param.name.text),
            params => self.params(params),
        }
        self.spaced("->");
        self.lowest(&lambda.body);
    }

    pub(super) fn function_kind(&mut self, kind: FunctionKind) {
        match kind {
            FunctionKind::Host => {}
            FunctionKind::Device => self.put("__device__ "),
            FunctionKind::Kernel => self.put("__kernel__ "),
        }
    }

    pub(super) fn params(&mut self, params: &[Param]) {
        self.put("(");
        self.list(params, |p, param| p.param(param));
        self.put(")");
    }

    pub(super) fn param(&mut self, param: &Param) {
        self.put(if param.variadic { "..." } else { "" });
        self.put(&param.name.text);
        self.annotation(param.annotation.as_ref());
        if let Some(default) = &param.default {
            self.spaced("=");
            self.lowest(default);
        }
    }

    // Assignments.

    /// An expression inside parentheses or as a statement: there an assignment may have an annotation.
    pub(super) fn inside(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Assign { target, op, value } => {
                match &**target {
                    Target::Place { place, annotation } => {
                        self.expr(place, Level::Postfix);
                        self.annotation(annotation.as_ref());
                    }
                    Target::Multiple { places, .. } => self.targets(places),
                }
                self.spaced(op.map_or("=", AssignOp::text));
                self.lowest(value);
            }
            ExprKind::Declare { name, annotation } => {
                self.put(&name.text);
                self.annotation(Some(annotation));
            }
            _ => self.lowest(e),
        }
    }

    fn unannotated(&mut self, e: &Expr) {
        let annotated = match &e.kind {
            ExprKind::Assign { target, .. } => matches!(**target, Target::Place { annotation: Some(_), .. }),
            _ => true,
        };
        self.put(if annotated { "(" } else { "" });
        self.inside(e);
        self.put(if annotated { ")" } else { "" });
    }

    fn targets(&mut self, places: &[Option<(Expr, Option<Annotation>)>]) {
        self.put("[");
        self.list(places, |p, place| match place {
            Some((place, annotation)) => {
                p.expr(place, Level::Postfix);
                p.annotation(annotation.as_ref());
            }
            None => p.put("_"),
        });
        self.put("]");
    }

    // Types.

    pub(super) fn annotation(&mut self, annotation: Option<&Annotation>) {
        let Some(annotation) = annotation else { return };
        self.spaced(":");
        if let Some(ty) = &annotation.ty {
            self.type_expr(ty);
        }
        self.modifiers(&annotation.modifiers);
    }

    fn modifiers(&mut self, modifiers: &[Modifier]) {
        for modifier in modifiers {
            self.out.extend(["'", &modifier.name.text]);
            if !modifier.args.is_empty() {
                self.put("(");
                self.list(&modifier.args, |p, e| p.lowest(e));
                self.put(")");
            }
        }
    }

    pub(super) fn type_expr(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Unspecified => self.put("??"),
            TypeExprKind::Pointer(inner) => {
                self.put("^");
                self.type_expr(inner);
            }
            TypeExprKind::Named { name, rank, args, sizes } => {
                self.put(&name.text);
                self.rank(rank.as_ref());
                self.type_args("[", args, "]");
                if !sizes.is_empty() {
                    self.put("(");
                    let compact = std::mem::replace(&mut self.compact, true);
                    self.list(sizes, |p, size| match size {
                        SizeExpr::Any => p.put(":"),
                        SizeExpr::Expr(e) => p.lowest(e),
                    });
                    self.compact = compact;
                    self.put(")");
                }
            }
            TypeExprKind::Union(alternatives) => {
                self.put("[");
                for (k, alternative) in alternatives.iter().enumerate() {
                    self.put(if k > 0 { "|" } else { "" });
                    self.type_expr(alternative);
                }
                self.put("]");
            }
            TypeExprKind::Function { kind, params, results } => {
                self.put("[");
                self.function_type(*kind, params, results);
                self.put("]");
            }
            TypeExprKind::Invalid => self.put("_"),
        }
        self.modifiers(&ty.modifiers);
    }

    fn function_type(&mut self, kind: FunctionKind, params: &[(bool, TypeExpr)], results: &[TypeExpr]) {
        self.function_kind(kind);
        let param = |p: &mut Self, (variadic, ty): &(bool, TypeExpr)| {
            p.put(if *variadic { "..." } else { "" });
            p.type_expr(ty);
        };
        match params {
            [only] => param(self, only),
            _ => {
                self.put("(");
                self.list(params, param);
                self.put(")");
            }
        }
        self.spaced("->");
        match results {
            [TypeExpr { kind: TypeExprKind::Function { kind, params, results }, modifiers, .. }]
                if modifiers.is_empty() =>
            {
                self.function_type(*kind, params, results);
            }
            [only] => self.type_expr(only),
            _ => {
                self.put("(");
                self.list(results, |p, ty| p.type_expr(ty));
                self.put(")");
            }
        }
    }

    fn rank(&mut self, rank: Option<&RankExpr>) {
        match rank {
            None => {}
            Some(RankExpr::Number(n)) => self.put(&format!("{{{n}}}")),
            Some(RankExpr::Param(name)) => self.put(&format!("{{{}}}", name.text)),
            Some(RankExpr::Any) => self.put("{:}"),
        }
    }

    fn type_args(&mut self, open: &str, args: &[TypeArg], close: &str) {
        if args.is_empty() && open == "[" {
            return;
        }
        self.put(open);
        self.list(args, |p, arg| match arg {
            TypeArg::Type(ty) => p.type_expr(ty),
            TypeArg::Const(e) => p.lowest(e),
            TypeArg::Tuple(args) => p.type_args("{", args, "}"),
        });
        self.put(close);
    }
}

/// The precedence of an expression's printed form.
fn level(e: &Expr) -> Level {
    match &e.kind {
        ExprKind::Infix { op, .. } => op.level(),
        ExprKind::Prefix { .. } => Level::Unary,
        ExprKind::Range { .. } => Level::Range,
        ExprKind::Ternary { .. } => Level::Ternary,
        ExprKind::Assign { .. } | ExprKind::Declare { .. } | ExprKind::Lambda(_) => Level::Lowest,
        ExprKind::Type(_) => Level::Power,
        ExprKind::Chain(pieces) => pieces.last().map_or(Level::Postfix, level),
        _ => Level::Postfix,
    }
}
