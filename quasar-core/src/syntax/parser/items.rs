//! Parses modules and definitions: imports, functions, types, reductions, macros.

use super::*;
use crate::syntax::operators::{Level, assignment};

impl Parser<'_> {
    /// The whole file.
    pub(super) fn module(mut self) -> Module {
        let mut imports = Vec::new();
        let mut items = Vec::new();
        loop {
            self.skip_separators();
            if self.peek().kind == TokenKind::End {
                break;
            }
            if self.is_keyword(Keyword::Import) {
                let code = |s: &Stmt| !matches!(s.kind, StmtKind::Attribute(_) | StmtKind::Pragma { .. });
                let late = items.iter().any(code);
                imports.extend(self.import(late));
                continue;
            }
            self.block_into(&mut items, &[]);
        }
        let endings = if self.short_ending.is_some()
            && self.long_ending.is_none_or(|l| Some(l.0) > self.short_ending)
        {
            Endings::Short
        } else {
            Endings::Long
        };
        Module { file: self.file, imports, items, endings }
    }

    pub(super) fn import(&mut self, late: bool) -> Option<Import> {
        let start = self.here();
        self.bump();
        if late {
            self.report(messages::import_place(start));
        }
        let token = self.peek();
        if token.kind != TokenKind::Text {
            let help = "write `import \"name.q\"`; functions have no prefix, and most of the library needs no import";
            self.fail_expected_as("the name of a module in quotes", help);
            self.end_of_statement(None);
            return None;
        }
        self.bump();
        let path = self.token_text(token).trim_matches('"').to_string();
        let alias = self.eat_word("as").then(|| self.name("a name"));
        let span = self.since(start);
        self.end_of_statement(None);
        Some(Import { span, path, alias })
    }

    // Functions.

    /// `__device__`, `__kernel__` or `__host__`, if present.
    pub(super) fn function_kind(&mut self) -> Option<FunctionKind> {
        let kind = match self.peek().kind {
            TokenKind::Keyword(Keyword::Device) => FunctionKind::Device,
            TokenKind::Keyword(Keyword::Kernel) => FunctionKind::Kernel,
            TokenKind::Keyword(Keyword::Host) => FunctionKind::Host,
            _ => return None,
        };
        self.bump();
        Some(kind)
    }

    /// `function .. endfunction` or `macro .. endmacro`.
    pub(super) fn function(&mut self) -> StmtKind {
        let (keyword, start) = self.opener();
        let mut function = self.function_header(start);
        function.header = self.since(start);
        let (body, _) = self.body(keyword, start, &[Keyword::EndFunction, Keyword::EndMacro, Keyword::End]);
        function.body = body;
        if keyword == Keyword::Macro {
            StmtKind::Macro(Box::new(function))
        } else {
            StmtKind::Function(Box::new(function))
        }
    }

    fn function_header(&mut self, start: Span) -> Function {
        let mut function = Function {
            name: Name { text: String::new(), span: start },
            kind: FunctionKind::Host,
            explicit_host: false,
            bracketed: false,
            outputs: Vec::new(),
            type_params: Vec::new(),
            params: Vec::new(),
            concealed: false,
            body: Vec::new(),
            header: start,
        };
        self.function_outputs(&mut function);
        if self.recovering {
            return function;
        }
        let kind = self.function_kind();
        function.explicit_host = kind == Some(FunctionKind::Host);
        function.kind = kind.unwrap_or(FunctionKind::Host);
        function.name = self.name("the name of the function");
        if !self.recovering && self.is(Sign::OpenBracket) {
            function.type_params = self.type_params();
        }
        if self.recovering {
            return function;
        }
        if self.is(Sign::OpenParen) {
            function.params = self.params();
            self.optional_last(&function);
        } else {
            let span = function.name.span;
            self.report(messages::missing_parameters(span, &function.name.text));
        }
        function.concealed = !self.recovering && self.eat_word("concealed");
        function
    }

    /// `[y1, y2] =`, `y =`, or nothing, which is reported.
    fn function_outputs(&mut self, function: &mut Function) {
        if self.is(Sign::OpenBracket) {
            function.bracketed = true;
            let mut outputs = Vec::new();
            self.bracketed(true, |p| p.comma_list(Sign::CloseBracket, |p| outputs.push(p.output())));
            let none = outputs.is_empty();
            function.outputs = outputs;
            if !self.recovering && !self.eat(Sign::Equal) && !none {
                self.fail_expected("`=`");
            }
            return;
        }
        let token = self.peek();
        let next = self.nth(1).kind;
        let name_only =
            matches!(next, TokenKind::Sign(Sign::OpenParen | Sign::OpenBracket) | TokenKind::Newline);
        let kind =
            matches!(token.kind, TokenKind::Keyword(Keyword::Device | Keyword::Kernel | Keyword::Host));
        if token.kind == TokenKind::Ident && name_only || kind {
            let name = if kind { self.nth(1) } else { token };
            let name = self.token_text(name).to_string();
            self.report(messages::missing_outputs(self.token_span(token), &name));
            function.bracketed = true;
            return;
        }
        function.outputs.push(self.output());
        if !self.recovering {
            self.expect(Sign::Equal);
        }
    }

    fn output(&mut self) -> Output {
        let name = self.name("the name of an output");
        Output { name, annotation: self.optional_annotation() }
    }

    fn type_params(&mut self) -> Vec<TypeParam> {
        let mut params = Vec::new();
        self.bracketed(true, |p| {
            p.comma_list(Sign::CloseBracket, |p| {
                let name = p.name("a type parameter");
                let constraint = (!p.recovering && p.eat(Sign::Colon)).then(|| p.type_expr());
                params.push(TypeParam { name, constraint });
            });
        });
        params
    }

    /// `(p, q : T = e, ...rest)`.
    pub(super) fn params(&mut self) -> Vec<Param> {
        let params = self.any_params();
        if let Some(param) = params.iter().rev().skip(1).find(|p| p.variadic) {
            self.report(messages::variadic_not_last(param.name.span, &param.name.text));
        }
        params
    }

    /// Checks that optional parameters come last. Those of kernels are rejected by inference.
    fn optional_last(&mut self, function: &Function) {
        if function.kind == FunctionKind::Kernel {
            return;
        }
        let mut params = function.params.iter().skip_while(|param| param.default.is_none());
        let Some(first) = params.next() else { return };
        if let Some(param) = params.find(|param| param.default.is_none() && !param.variadic) {
            let names = (param.name.text.as_str(), first.name.text.as_str());
            self.report(messages::optional_before(param.name.span, names));
        }
    }

    /// Parameters of which any may be variadic, as for reduction variables.
    fn any_params(&mut self) -> Vec<Param> {
        let mut params: Vec<Param> = Vec::new();
        self.bracketed(true, |p| p.comma_list(Sign::CloseParen, |p| params.push(p.param())));
        let twice = params.iter().enumerate().find(|(k, param)| {
            param.name.text != "_" && params[..*k].iter().any(|other| other.name.text == param.name.text)
        });
        if let Some((_, param)) = twice {
            self.report(messages::parameter_twice(param.name.span, &param.name.text));
        }
        params
    }

    fn param(&mut self) -> Param {
        let id = self.fresh();
        let variadic = self.eat(Sign::Ellipsis);
        let name = self.name("a parameter");
        let annotation = self.optional_annotation();
        let default = (!self.recovering && self.eat(Sign::Equal)).then(|| self.expr());
        Param { id, variadic, name, annotation, default }
    }

    // Types.

    /// `type name[params] : body`.
    pub(super) fn type_definition(&mut self) -> StmtKind {
        let start = self.here();
        self.bump();
        let name = self.name("the name of the type");
        let params =
            if !self.recovering && self.is(Sign::OpenBracket) { self.type_params() } else { Vec::new() };
        if self.recovering || !self.expect(Sign::Colon) {
            return StmtKind::Invalid;
        }
        let class = match () {
            () if self.is_word("class") => Some((ClassKind::Immutable, 1)),
            () if self.class_follows("mutable") => Some((ClassKind::Mutable, 2)),
            () if self.class_follows("dynamic") => Some((ClassKind::Dynamic, 2)),
            () => None,
        };
        let body = if let Some((kind, words)) = class {
            self.at += words;
            TypeBody::Class { kind, fields: self.fields(start) }
        } else if self.eat_word("enum") {
            self.enumeration(start)
        } else {
            let base = self.type_expr();
            if !self.recovering && self.fields_follow() {
                TypeBody::Derived { base, fields: self.fields(start) }
            } else {
                TypeBody::Alias(base)
            }
        };
        StmtKind::TypeDef(Box::new(TypeDef { name, params, body }))
    }

    fn class_follows(&mut self, word: &str) -> bool {
        let next = self.nth(1);
        self.is_word(word) && next.kind == TokenKind::Ident && self.token_text(next) == "class"
    }

    /// Whether lines `name` or `name : type` follow, and then the end of a type definition.
    fn fields_follow(&self) -> bool {
        let mut k = self.at;
        let separator =
            |k: usize| matches!(self.tokens[k].kind, TokenKind::Newline | TokenKind::Sign(Sign::Semicolon));
        if !separator(k) {
            return false;
        }
        loop {
            while separator(k) {
                k += 1;
            }
            match self.tokens[k].kind {
                TokenKind::Keyword(Keyword::EndType | Keyword::End) => return true,
                TokenKind::Ident => {}
                _ => return false,
            }
            k += 1;
            if self.tokens[k].kind == TokenKind::Sign(Sign::Colon) {
                while !separator(k) && self.tokens[k].kind != TokenKind::End {
                    if self.tokens[k].kind == TokenKind::Sign(Sign::Equal) {
                        return false;
                    }
                    k += 1;
                }
            }
            if !separator(k) {
                return false;
            }
        }
    }

    fn fields(&mut self, start: Span) -> Vec<Field> {
        let mut fields = Vec::new();
        self.type_body(start, |p| {
            let name = p.name("a field or `endtype`");
            let ty = (!p.recovering && p.eat(Sign::Colon)).then(|| p.type_expr());
            fields.push(Field { name, ty });
        });
        fields
    }

    fn enumeration(&mut self, start: Span) -> TypeBody {
        let mut members = Vec::new();
        self.type_body(start, |p| {
            let name = p.name("a name or `endtype`");
            let value = (!p.recovering && p.eat(Sign::Equal)).then(|| p.expr());
            members.push((name, value));
            if !p.recovering && p.eat(Sign::Comma) {
                p.skip_newlines();
            }
        });
        TypeBody::Enum(members)
    }

    /// Whether a word ends types in other languages.
    fn is_foreign_end(&self, token: Token) -> bool {
        ["endclass", "endstruct", "endenum", "endrecord"].contains(&self.token_text(token))
    }

    /// Lines up to `endtype`.
    fn type_body(&mut self, start: Span, mut line: impl FnMut(&mut Self)) {
        let mut comma = false;
        loop {
            if !comma && !self.recovering && !self.at_end_of_statement() {
                match self.is(Sign::Comma) {
                    true => self.fail_expected_as("the end of the line", "each field has a line of its own"),
                    false => self.fail_expected("the end of the line"),
                }
            }
            self.recover();
            self.skip_separators();
            let token = self.peek();
            match token.kind {
                TokenKind::Keyword(Keyword::EndType | Keyword::End) => {
                    self.own_line(token);
                    self.bump();
                    self.note_ending(token);
                    return;
                }
                TokenKind::Ident if self.nth(1).kind == TokenKind::Newline && self.is_foreign_end(token) => {
                    let word = self.token_text(token);
                    self.report(messages::near_keyword(self.token_span(token), word, Keyword::EndType));
                    self.bump();
                    return;
                }
                TokenKind::Ident => line(self),
                TokenKind::Keyword(_) | TokenKind::End => {
                    let found = self.describe(token);
                    let span = self.token_span(token);
                    self.report(messages::unclosed_block(start, "type", "endtype", span, &found));
                    return;
                }
                _ => self.fail_expected("a name or `endtype`"),
            }
            comma = self.previous().is_some_and(|t| t.kind == TokenKind::Sign(Sign::Comma))
                || self.previous().is_some_and(|t| t.kind == TokenKind::Newline);
        }
    }

    // Reductions.

    /// `reduction (x, y) -> pattern = replacement where condition`, also without variables: `reduction -> ..`.
    pub(super) fn reduction(&mut self) -> StmtKind {
        self.bump();
        let none = self.is(Sign::Arrow);
        let bare = !none && !self.is(Sign::OpenParen);
        let params = match (none, bare) {
            (true, _) => Vec::new(),
            (_, true) => vec![self.param()],
            _ => self.any_params(),
        };
        if self.recovering || !self.expect(Sign::Arrow) {
            return StmtKind::Invalid;
        }
        self.join_line();
        self.context.no_lambda = true;
        let mut pattern = self.binary(Level::Ternary);
        self.context.no_lambda = false;
        if self.recovering {
            return StmtKind::Invalid;
        }
        let assigned = matches!(pattern.kind, ExprKind::Index { .. } | ExprKind::Member { .. });
        if !self.is(Sign::Equal) && !self.is(Sign::Arrow) && assigned {
            pattern = self.compound_pattern(pattern);
        }
        if !self.recovering && !self.eat(Sign::Equal) && !self.eat(Sign::Arrow) {
            self.fail_expected("`=`");
        }
        if self.recovering {
            return StmtKind::Invalid;
        }
        self.join_line();
        let replacement = if assigned && !self.lambda_begins() {
            let first = self.binary(Level::Ternary);
            match self.peek().kind {
                TokenKind::Sign(Sign::Equal) if !self.recovering => {
                    // `x[c] = v = r` means `(x[c] = v) = r`.
                    self.bump();
                    self.join_line();
                    let span = pattern.span.to(first.span);
                    let target = Box::new(Target::Place { place: pattern, annotation: None });
                    pattern = self.node(span, ExprKind::Assign { target, op: None, value: Box::new(first) });
                    self.expr()
                }
                TokenKind::Sign(sign) if !self.recovering && assignment(sign).is_some() => {
                    self.assignment(first, None)
                }
                _ => first,
            }
        } else {
            self.expr()
        };
        let condition = (!self.recovering && self.eat_word("where")).then(|| self.expr());
        StmtKind::Reduction(Box::new(Reduction { params, bare, pattern, replacement, condition }))
    }

    /// `x[i] += e` as a pattern; the `=` of the reduction follows.
    fn compound_pattern(&mut self, place: Expr) -> Expr {
        let TokenKind::Sign(sign) = self.peek().kind else { return place };
        let Some(Some(op)) = assignment(sign) else { return place };
        self.bump();
        let value = self.binary(Level::Ternary);
        let span = self.since(place.span);
        let target = Target::Place { place, annotation: None };
        self.node(span, ExprKind::Assign { target: Box::new(target), op: Some(op), value: Box::new(value) })
    }
}
