//! Meta functions evaluated at compile time, such as `$check(p)`. Their operands are expressions, not values.

use super::Analyzer;
use super::expressions::bare;
use crate::logic::{Linear, Rational, Truth};
use crate::message::Message;
use crate::sema::flow_state::Variable;
use crate::sema::model::*;
use crate::sema::walk::{self, operands};
use crate::syntax::ast::*;
use crate::syntax::printer;
use crate::types::Type;
use quasar_devicelib::element::Scalar;

/// Source text without whitespace, except between two words.
fn packed(text: &str) -> String {
    let mut packed = String::with_capacity(text.len());
    let mut quoted = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        quoted ^= c == '"';
        let between = |a: Option<char>, b: Option<&char>| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            a.is_some_and(word) && b.copied().is_some_and(word)
        };
        if quoted || !c.is_whitespace() || between(packed.chars().next_back(), rest.peek()) {
            packed.push(c);
        }
    }
    packed
}

/// Whether an expression mentions a symbolic name.
struct Symbolic<'v> {
    env: &'v crate::sema::flow_state::Environment,
    found: bool,
}

impl<'a> walk::Visitor<'a> for Symbolic<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Name(name) = &expr.kind {
            self.found |= self.env.get(name).is_some_and(|variable| variable.symbolic);
        }
        !self.found
    }
}

/// A comparison operand that is a string at compile time (a meta call or literal), and the literal it is compared with.
pub(super) fn answer_and_word<'a>(lhs: &'a Expr, rhs: &'a Expr) -> Option<(&'a Expr, &'a str)> {
    let answers = |expr: &Expr| match &expr.kind {
        ExprKind::Call { callee, .. } => {
            matches!(&callee.kind, ExprKind::Meta { name, .. } if name == "$check" || name == "$str")
        }
        ExprKind::Text(_) => true,
        _ => false,
    };
    match (&lhs.kind, &rhs.kind) {
        (_, ExprKind::Text(word)) if answers(lhs) => Some((lhs, word)),
        (ExprKind::Text(word), _) if answers(rhs) => Some((rhs, word)),
        _ => None,
    }
}

/// The arguments of a meta function; empty if one is named or spread, which no meta function accepts.
pub(super) fn positional(args: &[CallArg]) -> Vec<&Expr> {
    let list: Option<Vec<&Expr>> = args
        .iter()
        .map(|arg| match arg {
            CallArg::Positional(value) => Some(value),
            CallArg::Named(..) | CallArg::Spread(_) => None,
        })
        .collect();
    list.unwrap_or_default()
}

impl<'a> Analyzer<'a> {
    /// `symbolic a, b`: declares names for real numbers about which nothing is known.
    pub(super) fn symbolic(&mut self, names: &'a [Name]) {
        for name in names {
            let mut variable = Variable::new(Type::scalar(self.working()), name.span);
            variable.symbolic = true;
            self.frame.env.insert(name.text.clone(), variable);
        }
    }

    /// Whether an expression mentions a symbolic name, so that it is never evaluated.
    pub(super) fn is_symbolic(&self, expr: &'a Expr) -> bool {
        let mut names = Symbolic { env: &self.frame.env, found: false };
        walk::expr(expr, &mut names);
        names.found
    }

    /// Types the operand of a meta function: symbolic names are allowed, facts decide nothing, and the state is not
    /// changed.
    pub(super) fn type_meta_operand(&mut self, expr: &'a Expr) -> Type {
        let before = std::mem::replace(&mut self.frame.in_meta_operand, true);
        let open = std::mem::replace(&mut self.frame.facts_disabled, true);
        let ty = self.undone(expr);
        self.frame.in_meta_operand = before;
        self.frame.facts_disabled = open;
        ty
    }

    /// Types an expression that is not evaluated: its effects on the state are undone.
    pub(super) fn undone(&mut self, expr: &'a Expr) -> Type {
        let (env, dead) = (self.frame.env.clone(), self.frame.dead);
        let mark = self.frame.facts.mark();
        let ty = self.expr(expr);
        self.frame.facts.release(mark);
        (self.frame.env, self.frame.dead) = (env, dead);
        ty
    }

    /// Types a call of a meta function.
    pub(super) fn meta(&mut self, expr: &'a Expr, name: &str, args: &'a [CallArg]) -> Type {
        let list = positional(args);
        match (name.trim_start_matches('$'), list.as_slice()) {
            ("target", [Expr { kind: ExprKind::Text(target), .. }]) => {
                let Some((holds, asked)) = self.frame.compile_target.is(target) else {
                    return self.unknown_target(expr, target);
                };
                self.frame.target_query = self.frame.target_query.max(asked);
                self.constant(expr.id, Scalar::I32((self.on_device() && holds).into()))
            }
            ("ftype", [Expr { kind: ExprKind::Text(kind), .. }]) => {
                let answer = match kind.as_str() {
                    "__host__" => self.frame.kind == FunctionKind::Host,
                    "__device__" => self.frame.kind != FunctionKind::Host,
                    "__kernel__" => self.frame.kind == FunctionKind::Kernel,
                    _ => false,
                };
                self.constant(expr.id, Scalar::I32(answer.into()))
            }
            ("check", [condition]) => match self.spoken(condition) {
                Some(condition) => self.check(expr, condition),
                None => Type::Error,
            },
            // The argument of a rule variable is parenthesised.
            ("str", [Expr { id, kind: ExprKind::Paren(inner), .. }]) if id.is_synthetic() => {
                self.text(expr, packed(&printer::print_expr(inner)))
            }
            ("str", [spoken]) => match self.spoken(spoken) {
                Some(spoken) => self.text(expr, packed(&printer::print_expr(spoken))),
                None => Type::Error,
            },
            ("eval", [value]) => self.evaluated(expr, value),
            ("nops", [whole]) => {
                let Some(whole) = self.spoken(whole) else { return Type::Error };
                let count = i32::try_from(operands(whole).len()).unwrap_or(i32::MAX);
                self.constant(expr.id, Scalar::I32(count))
            }
            ("specialize", [function, constraints @ ..]) if !constraints.is_empty() => {
                self.specialised(expr, function, constraints)
            }
            ("elevate", [function]) => self.elevated(expr, function),
            ("specialize", _) => {
                self.error("Q0313", expr.span, "'$specialize' takes a function and constraints joined by &&")
            }
            ("subs" | "assump" | "simplify" | "args" | "op" | "inline", _) => self.given_value(expr),
            ("ubound", [value]) => self.upper_bound(expr, value),
            ("target" | "ftype", _) => {
                let example = if name == "$target" { "$target(\"gpu\")" } else { "$ftype(\"__device__\")" };
                let text = format!("'{name}' takes one word in quotes, as in {example}");
                self.error("Q0313", expr.span, text)
            }
            ("check" | "str" | "eval" | "nops" | "ubound" | "elevate", found) => {
                let text = format!("'{name}' takes one expression, found {}", found.len());
                self.error("Q0313", expr.span, text)
            }
            _ => self.not_supported(expr.span, format!("the meta function '{name}'")),
        }
    }

    /// Reports an unknown name in `$target`.
    fn unknown_target(&mut self, expr: &Expr, target: &str) -> Type {
        let text = format!("there is no target '{target}'");
        let help =
            "targets are \"cpu\", \"gpu\", \"nvidia_cuda\", \"opencl\", \"nvidia_opencl\" and \"amd_opencl\"";
        self.say(Message::error("Q0313", expr.span, text).help(help));
        Type::Error
    }

    /// Records a compile-time string.
    pub(super) fn text(&mut self, expr: &Expr, text: String) -> Type {
        self.frame.tables.constants.insert(expr.id, Constant::Text(text));
        if self.on_device() && !self.frame.compares {
            self.host_only(expr.span, "strings")
        } else {
            Type::Text
        }
    }

    /// `$check(p) == "Valid"` and `"fast" == "exact"`: strings compared at compile time, which kernels may do too.
    pub(super) fn compared_answer(
        &mut self,
        expr: &'a Expr,
        equal: bool,
        call: &'a Expr,
        word: &str,
    ) -> Type {
        let before = std::mem::replace(&mut self.frame.compares, true);
        let ty = self.expr(call);
        self.frame.compares = before;
        match self.frame.tables.constants.get(&call.id) {
            Some(Constant::Text(answer)) => {
                let holds = (answer == word) == equal;
                self.constant(expr.id, Scalar::I32(holds.into()))
            }
            _ if ty == Type::Error => ty,
            _ => self.error("Q0315", expr.span, "a string and a number cannot be compared"),
        }
    }

    /// The same for string constants of the module, before the operands are typed: kernels have no strings.
    pub(super) fn same_constant_texts(&self, op: InfixOp, lhs: &Expr, rhs: &Expr) -> Option<bool> {
        let text = |side: &'_ Expr| match &bare(side).kind {
            ExprKind::Text(text) => Some(text.clone()),
            ExprKind::Name(name) if !self.frame.env.contains_key(name) => {
                match self.global(self.frame.lexical.module, name)?.1.value.as_ref()? {
                    Constant::Text(text) => Some(text.clone()),
                    _ => None,
                }
            }
            _ => None,
        };
        let same = text(lhs)? == text(rhs)?;
        match op {
            InfixOp::Equal => Some(same),
            InfixOp::NotEqual => Some(!same),
            _ => None,
        }
    }

    /// Compares two strings that are known, for `==` and `!=`.
    pub(super) fn same_texts(&self, op: InfixOp, lhs: &Expr, rhs: &Expr) -> Option<bool> {
        let text = |side: &Expr| match self.frame.tables.constants.get(&side.id) {
            Some(Constant::Text(text)) => Some(text),
            _ => None,
        };
        let same = text(lhs)? == text(rhs)?;
        match op {
            InfixOp::Equal => Some(same),
            InfixOp::NotEqual => Some(!same),
            _ => None,
        }
    }

    /// The truth of a typed proposition under the current facts.
    pub(super) fn known(&mut self, condition: &'a Expr) -> Truth {
        match self.proposition(condition) {
            Some(proposition) => self.frame.facts.check(&proposition),
            None => Truth::Satisfiable,
        }
    }

    /// `$check(p)`
    fn check(&mut self, expr: &'a Expr, condition: &'a Expr) -> Type {
        if self.type_meta_operand(condition) == Type::Error {
            return Type::Error;
        }
        let answer = self.known(condition).as_str().to_owned();
        self.text(expr, answer)
    }

    /// `$eval(e)`
    fn evaluated(&mut self, expr: &'a Expr, value: &'a Expr) -> Type {
        let ty = self.undone(value);
        match self.frame.tables.constants.get(&value.id).cloned() {
            Some(constant) => {
                self.record_parts(expr.id, &constant);
                self.frame.tables.constants.insert(expr.id, constant);
                ty
            }
            None if ty == Type::Error => ty,
            None => {
                let text = format!("'{}' is not known at compile time", printer::print_expr(value));
                self.error("Q0606", value.span, text)
            }
        }
    }

    /// `$ubound(e)`
    fn upper_bound(&mut self, expr: &'a Expr, value: &'a Expr) -> Type {
        if self.type_meta_operand(value) == Type::Error {
            return Type::Error;
        }
        let term = self.term(value).or_else(|| self.real_term(value));
        match term.and_then(|term| self.frame.facts.upper_bound(&term)) {
            Some(bound) if i32::try_from(bound).is_ok() => self.constant(expr.id, Scalar::I32(bound as i32)),
            Some(bound) => self.constant(expr.id, Scalar::F64(bound as f64)),
            None => {
                let infinite = super::constants::convert(Scalar::F64(f64::INFINITY), self.working());
                self.constant(expr.id, infinite.unwrap_or(Scalar::F64(f64::INFINITY)))
            }
        }
    }

    /// A linear expression of symbolic names, which are exact.
    pub(super) fn symbolic_term(&mut self, expr: &'a Expr) -> Option<Linear> {
        if let Some(Constant::Scalar(value)) = self.frame.tables.constants.get(&expr.id) {
            let finite = !value.element_type().is_complex() && value.as_f64().is_finite();
            return finite.then(|| Rational::from_f64(value.as_f64()).map(Linear::constant)).flatten();
        }
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::Prefix { op: PrefixOp::Plus, operand: inner } => {
                self.symbolic_term(inner)
            }
            ExprKind::Prefix { op: PrefixOp::Negate, operand } => {
                self.symbolic_term(operand)?.scaled(Rational::ONE.negate())
            }
            ExprKind::Name(name) if self.frame.env.get(name).is_some_and(|v| v.symbolic) => {
                self.real_atom(name)
            }
            ExprKind::Infix { op, lhs, rhs } => {
                let (a, b) = (self.symbolic_term(lhs)?, self.symbolic_term(rhs)?);
                match op {
                    InfixOp::Add => a.plus(&b, Rational::ONE),
                    InfixOp::Subtract => a.minus(&b),
                    InfixOp::Multiply | InfixOp::DotMultiply => match (a.as_constant(), b.as_constant()) {
                        (Some(factor), _) => b.scaled(factor),
                        (_, Some(factor)) => a.scaled(factor),
                        (None, None) => None,
                    },
                    InfixOp::Divide | InfixOp::DotDivide => a.scaled(b.as_constant()?.reciprocal()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn blanks_stay_between_words_and_in_strings() {
        assert_eq!(packed("(p + q) * 2"), "(p+q)*2");
        assert_eq!(packed("f(x, \"a  b\", [1, 2])"), "f(x,\"a  b\",[1,2])");
        assert_eq!(packed("__device__ (x) -> x ? 1 : 2"), "__device__(x)->x?1:2");
        assert_eq!(packed("a in b"), "a in b");
    }
}
