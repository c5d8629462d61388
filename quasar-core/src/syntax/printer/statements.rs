//! Prints statements and definitions.

use super::*;

impl Printer {
    pub(super) fn module(&mut self, module: &Module) {
        let leading = |s: &&Stmt| matches!(s.kind, StmtKind::Attribute(_) | StmtKind::Pragma { .. });
        for import in &module.imports {
            self.out.extend(["import \"", &import.path, "\""]);
            if let Some(alias) = &import.alias {
                self.out.extend([" as ", &alias.text]);
            }
            self.put("\n");
        }
        let mut before: Option<&Stmt> = None;
        for stmt in &module.items {
            let apart = before.is_some_and(|b| !leading(&b) && (is_definition(b) || is_definition(stmt)));
            if apart || before.is_none() && !module.imports.is_empty() {
                self.put("\n");
            }
            self.statement(stmt);
            before = Some(stmt);
        }
    }

    fn line(&mut self, f: impl FnOnce(&mut Self)) {
        let indent = "    ".repeat(self.indent);
        self.put(&indent);
        f(self);
        self.put("\n");
    }

    fn word(&mut self, text: &str) {
        self.line(|p| p.put(text));
    }

    fn ending(&mut self, long: &str) {
        self.word(if self.short { "end" } else { long });
    }

    fn block(&mut self, block: &[Stmt]) {
        self.indent += 1;
        block.iter().for_each(|s| self.statement(s));
        self.indent -= 1;
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Function(function) => self.function("function", function),
            StmtKind::Macro(function) => self.function("macro", function),
            StmtKind::TypeDef(definition) => self.type_definition(definition),
            StmtKind::Reduction(reduction) => self.line(|p| p.reduction(reduction)),
            StmtKind::Attribute(attribute) => self.line(|p| p.attribute(attribute)),
            StmtKind::Pragma { name, arguments } => self.line(|p| {
                p.out.extend(["#pragma ", &name.text]);
                if let Some(arguments) = arguments {
                    p.out.extend(["(", arguments, ")"]);
                }
            }),
            StmtKind::If { branches, otherwise } => self.if_statement(branches, otherwise.as_ref()),
            StmtKind::Labelled { label, body } => {
                self.word(&format!("{}:", label.text));
                self.statement(body);
            }
            StmtKind::For { variable, sequence, body } => {
                self.line(|p| {
                    p.out.extend(["for ", &variable.text, " = "]);
                    p.expr(sequence, Level::Lowest);
                });
                self.block(body);
                self.ending("endfor");
            }
            StmtKind::While { condition, body } => {
                self.headed("while ", condition);
                self.block(body);
                self.ending("endwhile");
            }
            StmtKind::Repeat { body, until } => {
                self.word("repeat");
                self.block(body);
                self.headed("until ", until);
            }
            StmtKind::Match { subject, arms } => self.match_statement(subject, arms),
            StmtKind::Try { body, catches } => self.try_statement(body, catches),
            StmtKind::Invalid => {}
            _ => self.line(|p| p.simple(&stmt.kind)),
        }
    }

    fn simple(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Break(label) => self.with_name("break", label.as_ref()),
            StmtKind::Continue(label) => self.with_name("continue", label.as_ref()),
            StmtKind::SyncThreads(scope) => self.with_name("syncthreads", scope.as_ref()),
            StmtKind::Print(list) => self.expressions("print", list),
            StmtKind::Error(list) => self.expressions("error", list),
            StmtKind::Symbolic(names) => {
                self.put("symbolic ");
                self.list(names, |p, name| p.put(&name.text));
            }
            StmtKind::Expr(e) => self.expression_statement(e),
            _ => {}
        }
    }

    fn with_name(&mut self, word: &str, name: Option<&Name>) {
        self.put(word);
        if let Some(name) = name {
            self.out.extend([" ", &name.text]);
        }
    }

    /// `(a) ` alone after `print` would parse as a call, hence the second pair of parentheses.
    fn expressions(&mut self, word: &str, list: &[Expr]) {
        self.put(word);
        if list.is_empty() {
            return;
        }
        self.put(" ");
        let text = self.apart(|p| p.list(list, |p, e| p.expr(e, Level::Lowest)));
        let calls = text.starts_with('(') && list.len() == 1 && text.ends_with(')');
        let safe = word == "print" || !text.starts_with(['-', '+', '^']);
        if calls || !safe {
            self.out.extend(["(", &text, ")"]);
        } else {
            self.put(&text);
        }
    }

    /// Adds parentheses if the first token would start another kind of statement.
    fn expression_statement(&mut self, e: &Expr) {
        let text = self.apart(|p| p.inside(e));
        let word: &str = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        let call =
            matches!(&e.kind, ExprKind::Call { callee, .. } if matches!(callee.kind, ExprKind::Name(_)));
        let assign = matches!(e.kind, ExprKind::Assign { .. } | ExprKind::Declare { .. });
        let list = !call && (word == "print" && !assign || text.starts_with("error("));
        // `!name` is the old spelling of an attribute.
        let negated = text.strip_prefix('!').map(str::trim_start);
        let attribute = negated.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        if attribute || list {
            self.out.extend(["(", &text, ")"]);
        } else {
            self.put(&text);
        }
    }

    fn headed(&mut self, word: &str, e: &Expr) {
        self.line(|p| {
            p.put(word);
            p.expr(e, Level::Lowest);
        });
    }

    fn if_statement(&mut self, branches: &[(Expr, Block)], otherwise: Option<&Block>) {
        for (k, (condition, body)) in branches.iter().enumerate() {
            self.headed(if k == 0 { "if " } else { "elseif " }, condition);
            self.block(body);
        }
        if let Some(body) = otherwise {
            self.word("else");
            self.block(body);
        }
        self.word("endif");
    }

    fn match_statement(&mut self, subject: &Expr, arms: &[MatchArm]) {
        self.line(|p| {
            p.put("match ");
            p.expr(subject, Level::Lowest);
            p.put(" with");
        });
        for arm in arms {
            self.line(|p| {
                p.put("| ");
                p.patterns(&arm.patterns);
                p.put(" ->");
            });
            self.block(&arm.body);
        }
        self.ending("endmatch");
    }

    fn patterns(&mut self, patterns: &[Expr]) {
        if patterns.is_empty() {
            return self.put("_");
        }
        let text = self.apart(|p| p.list(patterns, |p, e| p.expr(e, Level::Lowest)));
        let simple =
            patterns.len() == 1 && !text.starts_with('(') && !text.contains("->") && !text.contains(" = ");
        if simple {
            self.put(&text);
        } else {
            self.out.extend(["(", &text, ")"]);
        }
    }

    fn try_statement(&mut self, body: &Block, catches: &[Catch]) {
        self.word("try");
        self.block(body);
        for catch in catches {
            self.line(|p| {
                p.with_name("catch", catch.variable.as_ref());
                if let Some(ty) = &catch.ty {
                    p.put(" : ");
                    p.type_expr(ty);
                }
            });
            self.block(&catch.body);
        }
        self.ending("endtry");
    }

    // Definitions.

    fn function(&mut self, word: &str, function: &Function) {
        self.line(|p| {
            p.out.extend([word, " "]);
            let output = |p: &mut Self, output: &Output| {
                p.put(&output.name.text);
                p.annotation(output.annotation.as_ref());
            };
            match &function.outputs[..] {
                [only] if !function.bracketed => output(p, only),
                outputs => {
                    p.put("[");
                    p.list(outputs, output);
                    p.put("]");
                }
            }
            p.put(" = ");
            p.put(if function.explicit_host { "__host__ " } else { "" });
            p.function_kind(function.kind);
            p.put(&function.name.text);
            p.type_params(&function.type_params);
            p.params(&function.params);
            p.put(if function.concealed { " concealed" } else { "" });
        });
        self.block(&function.body);
        self.ending(&format!("end{word}"));
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        if params.is_empty() {
            return;
        }
        self.put("[");
        self.list(params, |p, param| {
            p.put(&param.name.text);
            if let Some(constraint) = &param.constraint {
                p.put(" : ");
                p.type_expr(constraint);
            }
        });
        self.put("]");
    }

    fn type_definition(&mut self, definition: &TypeDef) {
        self.line(|p| {
            p.out.extend(["type ", &definition.name.text]);
            p.type_params(&definition.params);
            p.put(" : ");
            match &definition.body {
                TypeBody::Alias(ty) | TypeBody::Derived { base: ty, .. } => p.type_expr(ty),
                TypeBody::Class { kind: ClassKind::Immutable, .. } => p.put("class"),
                TypeBody::Class { kind: ClassKind::Mutable, .. } => p.put("mutable class"),
                TypeBody::Class { kind: ClassKind::Dynamic, .. } => p.put("dynamic class"),
                TypeBody::Enum(_) => p.put("enum"),
            }
        });
        self.indent += 1;
        match &definition.body {
            TypeBody::Alias(_) => {}
            TypeBody::Class { fields, .. } | TypeBody::Derived { fields, .. } => {
                for field in fields {
                    self.line(|p| {
                        p.put(&field.name.text);
                        if let Some(ty) = &field.ty {
                            p.put(" : ");
                            p.type_expr(ty);
                        }
                    });
                }
            }
            TypeBody::Enum(members) => {
                for (name, value) in members {
                    self.line(|p| {
                        p.put(&name.text);
                        if let Some(value) = value {
                            p.put(" = ");
                            p.expr(value, Level::Lowest);
                        }
                    });
                }
            }
        }
        self.indent -= 1;
        if !matches!(definition.body, TypeBody::Alias(_)) {
            self.ending("endtype");
        }
    }

    fn reduction(&mut self, reduction: &Reduction) {
        self.put("reduction ");
        match &reduction.params[..] {
            [param] if reduction.bare => self.param(param),
            params => self.params(params),
        }
        self.put(" -> ");
        let indexed = |e: &Expr| matches!(e.kind, ExprKind::Index { .. } | ExprKind::Member { .. });
        match &reduction.pattern.kind {
            ExprKind::Assign { target, op, value } => match &**target {
                Target::Place { place, annotation: None } if indexed(place) => {
                    self.expr(place, Level::Postfix);
                    self.spaced(op.map_or("=", AssignOp::text));
                    self.expr(value, Level::Ternary);
                }
                _ => self.expr(&reduction.pattern, Level::Ternary),
            },
            _ => self.expr(&reduction.pattern, Level::Ternary),
        }
        self.put(" = ");
        let ambiguous =
            indexed(&reduction.pattern) && matches!(reduction.replacement.kind, ExprKind::Assign { .. });
        self.expr(&reduction.replacement, if ambiguous { Level::Ternary } else { Level::Lowest });
        if let Some(condition) = &reduction.condition {
            self.put(" where ");
            self.expr(condition, Level::Lowest);
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.put(if attribute.braces { "{!" } else { "!" });
        for (k, word) in attribute.words.iter().enumerate() {
            self.out.extend([if k > 0 { " " } else { "" }, &word.text]);
        }
        let mut keyed = attribute.words.len() > 1;
        for (k, argument) in attribute.arguments.iter().enumerate() {
            keyed |= argument.key.is_some() && k > 0;
            self.put(match (k, keyed) {
                (0, false) => " ",
                (_, true) => "; ",
                _ => ", ",
            });
            if let Some(key) = &argument.key {
                self.out.extend([&key.text, "="]);
            }
            self.expr(&argument.value, Level::Lowest);
        }
        self.put(if attribute.braces { "}" } else { "" });
    }
}

fn is_definition(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Macro(_))
        || matches!(&stmt.kind, StmtKind::TypeDef(t) if !matches!(t.body, TypeBody::Alias(_)))
}
