//! Meta functions whose result is an expression: `$subs`, `$assump`, `$simplify`, `$args`, `$op`, `$inline`. The result
//! replaces the call, or is the operand of another meta function. Also `eval` of strings that inference knows.

use super::Analyzer;
use super::expressions::bare;
use super::meta::positional;
use crate::builtins;
use crate::logic::{Linear, Proposition, Rational, Relation};
use crate::message::Sink;
use crate::sema::eval_literals;
use crate::sema::flow_state::Identity;
use crate::sema::model::*;
use crate::sema::scope::Assigned;
use crate::sema::walk::{self, operands};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::compare::without_parens;
use crate::syntax::parse_expression;
use crate::syntax::printer::print_expr;
use crate::types::Type;

/// Meta functions whose result is an expression.
const GIVE_EXPRESSIONS: [&str; 6] = ["$subs", "$assump", "$simplify", "$args", "$op", "$inline"];

/// The parts of a call of such a function.
fn giving(expr: &Expr) -> Option<(&str, Option<&Name>, &[CallArg])> {
    let ExprKind::Call { callee, args } = &expr.kind else { return None };
    match &callee.kind {
        ExprKind::Meta { name, selector } if GIVE_EXPRESSIONS.contains(&name.as_str()) => {
            Some((name, selector.as_ref(), args))
        }
        _ => None,
    }
}

/// Whether an expression contains such a call.
struct Gives(bool);

impl<'a> walk::Visitor<'a> for Gives {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.0 |= giving(expr).is_some();
        !self.0
    }
}

/// Replaces such calls by their results.
struct Expand<'x, 'a> {
    analyzer: &'x mut Analyzer<'a>,
    failed: bool,
}

impl VisitMut for Expand<'_, '_> {
    fn expr(&mut self, e: &mut Expr) {
        if giving(e).is_none() {
            return change::expr_parts(self, e);
        }
        let unit = self.analyzer.unit;
        let call = unit.made.keep_pattern(e.clone());
        match self.analyzer.given_expression(call) {
            Some(found) => *e = found,
            None => self.failed = true,
        }
    }
}

/// Gives synthesised nodes fresh ids and, unless they were written in source (`written`), the span of the whole.
pub(super) struct Renumber<'x> {
    pub(super) made: &'x crate::syntax::made::SyntheticTrees,
    pub(super) span: Span,
    pub(super) written: bool,
}

impl VisitMut for Renumber<'_> {
    fn node(&mut self, id: &mut NodeId, span: &mut Span) {
        *id = self.made.fresh();
        if !self.written {
            *span = self.span;
        }
    }
    fn span(&mut self, span: &mut Span) {
        if !self.written {
            *span = self.span;
        }
    }
}

/// Simultaneous substitution of variables; bound variables of lambdas are not substituted.
pub(super) struct Substitute<'x> {
    pub(super) values: Vec<(&'x str, Expr)>,
}

impl VisitMut for Substitute<'_> {
    fn expr(&mut self, e: &mut Expr) {
        match &e.kind {
            ExprKind::Name(name) => {
                if let Some((_, value)) = self.values.iter().find(|(known, _)| known == name) {
                    let loose = !matches!(
                        value.kind,
                        ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Call { .. }
                    );
                    let value = value.clone();
                    let (id, span) = (value.id, value.span);
                    *e = match loose {
                        true => Expr { id, span, kind: ExprKind::Paren(Box::new(value)) },
                        false => value,
                    };
                }
            }
            ExprKind::Lambda(lambda) => {
                let bound = |name: &str| lambda.params.iter().any(|param| param.name.text == name);
                let all = self.values.clone();
                self.values.retain(|(name, _)| !bound(name));
                change::expr_parts(self, e);
                self.values = all;
            }
            _ => change::expr_parts(self, e),
        }
    }
}

impl<'a> Analyzer<'a> {
    /// Types a call of a meta function through the expression that replaces it.
    pub(super) fn given_value(&mut self, expr: &'a Expr) -> Type {
        match self.given_expression(expr) {
            Some(found) => self.type_replacement(expr, found),
            None => Type::Error,
        }
    }

    /// Records an expression as the replacement of another one, and types it.
    pub(super) fn type_replacement(&mut self, expr: &'a Expr, mut found: Expr) -> Type {
        let mut key = vec![2, expr.id.0];
        key.extend(print_expr(&found).bytes().map(u32::from));
        let unit = self.unit;
        let (id, made) = match self.memory.get(&key) {
            Some(known) => (known.id, known.expr),
            None => {
                let span = expr.span;
                Renumber { made: &unit.made, span, written: true }.expr(&mut found);
                let (id, made) = self.keep(expr.id, span, found);
                self.memory.insert(key, super::rewrite::Replacement::plain(id, made));
                (id, made)
            }
        };
        self.forget_tree_of(made);
        self.frame.tables.replacements.insert(expr.id, id);
        let types = self.typed(made, 1);
        types.into_iter().next().unwrap_or(Type::Unit)
    }

    /// An expression with its nested meta calls expanded; `None` after an error.
    pub(super) fn spoken(&mut self, expr: &'a Expr) -> Option<&'a Expr> {
        let mut gives = Gives(false);
        walk::expr(expr, &mut gives);
        if !gives.0 {
            return Some(expr);
        }
        let mut copy = expr.clone();
        let mut expand = Expand { analyzer: self, failed: false };
        expand.expr(&mut copy);
        let failed = expand.failed;
        let unit = self.unit;
        (!failed).then(|| unit.made.keep_pattern(copy))
    }

    /// The result of a meta call; `None` after an error.
    fn given_expression(&mut self, call: &'a Expr) -> Option<Expr> {
        let (name, selector, args) = giving(call)?;
        let list = positional(args);
        match (name, list.as_slice()) {
            ("$subs", [replacements @ .., whole]) if !replacements.is_empty() => {
                self.substituted(call, replacements, whole)
            }
            ("$assump", [variable]) => self.assumptions(call, variable),
            ("$simplify", [value]) => {
                let value = self.spoken(value)?;
                self.simpler(value)
            }
            ("$args", [function]) => self.parameters(call, selector, function),
            ("$op", [whole, number]) => self.operand_at(whole, number),
            ("$inline", [whole]) => self.inlined(whole),
            ("$subs", _) => {
                self.error("Q0313", call.span, "'$subs' takes replacements such as a=b, and an expression");
                None
            }
            ("$op", _) => {
                self.error("Q0313", call.span, "'$op' takes an expression and a number");
                None
            }
            (name, found) => {
                let text = format!("'{name}' takes one expression, found {}", found.len());
                self.error("Q0313", call.span, text);
                None
            }
        }
    }

    /// `$subs(a=b, e)`
    fn substituted(&mut self, call: &'a Expr, replacements: &[&'a Expr], whole: &'a Expr) -> Option<Expr> {
        let mut values = Vec::new();
        for replacement in replacements {
            match &bare(replacement).kind {
                ExprKind::Assign { target, op: None, value } => match &**target {
                    Target::Place { place: Expr { kind: ExprKind::Name(name), .. }, annotation: None } => {
                        values.push((name.as_str(), self.spoken(value)?.clone()));
                    }
                    _ => {
                        self.error("Q0313", replacement.span, "'$subs' replaces variables");
                        return None;
                    }
                },
                _ => {
                    let text = "'$subs' takes replacements such as a=b, and an expression";
                    self.error("Q0313", call.span, text);
                    return None;
                }
            }
        }
        let mut copy = self.spoken(whole)?.clone();
        Substitute { values }.expr(&mut copy);
        Some(copy)
    }

    /// `$op(e, n)`: operand `n`, counted from 0.
    fn operand_at(&mut self, whole: &'a Expr, number: &'a Expr) -> Option<Expr> {
        if self.expr(number) == Type::Error {
            return None;
        }
        let Some(place) = self.known_integer(number.id) else {
            let text = "the number of an operand must be known at compile time";
            self.error("Q0606", number.span, text);
            return None;
        };
        let whole = self.spoken(whole)?;
        let all = operands(whole);
        match usize::try_from(place).ok().and_then(|place| all.get(place)) {
            Some(operand) => Some((*operand).clone()),
            None => {
                let text = format!("'{}' has {} operands", print_expr(whole), all.len());
                let text = format!("there is no operand {place}: {text}, counted from 0");
                self.error("Q0606", number.span, text);
                None
            }
        }
    }

    /// `$args[in](f)` and `$args[out](f)`
    fn parameters(&mut self, call: &'a Expr, selector: Option<&Name>, function: &'a Expr) -> Option<Expr> {
        let ty = self.undone(function);
        let definition = match &ty {
            Type::Error => return None,
            Type::Closure(closure) => closure.definition,
            other => {
                let text = format!("'$args' takes a function, found '{}'", self.show(other));
                self.error("Q0313", function.span, text);
                return None;
            }
        };
        let names: Vec<String> = match selector.map(|selector| selector.text.as_str()) {
            Some("in") => {
                let callable = self.callable(definition)?;
                callable.params.iter().map(|param| param.name.text.clone()).collect()
            }
            Some("out") => self.index.function(definition).map_or_else(Vec::new, |function| {
                function.outputs.iter().map(|output| output.name.text.clone()).collect()
            }),
            _ => {
                self.error("Q0313", call.span, "'$args' is written $args[in](f) or $args[out](f)");
                return None;
            }
        };
        let name = |text: String| Element::Expr(self.node(ExprKind::Name(text), call.span));
        let kind = ExprKind::Cell(names.into_iter().map(name).collect());
        Some(self.node(kind, call.span))
    }

    /// `$inline(f(args))`: beta-reduces the call of a lambda. A call that cannot be inlined is left as it is.
    fn inlined(&mut self, whole: &'a Expr) -> Option<Expr> {
        let whole = self.spoken(whole)?;
        let ExprKind::Call { callee, args } = &bare(whole).kind else {
            self.error("Q0313", whole.span, "'$inline' takes the call of a lambda");
            return None;
        };
        let lambda = match &bare(callee).kind {
            ExprKind::Lambda(lambda) => Some(&**lambda),
            ExprKind::Name(name) => match self.frame.env.get(name).map(|variable| &variable.ty) {
                Some(Type::Closure(closure)) if closure.captures.is_empty() => {
                    self.index.lambda(closure.definition)
                }
                _ => None,
            },
            _ => None,
        };
        let mut values = Vec::new();
        for (param, arg) in lambda.iter().flat_map(|lambda| &lambda.params).zip(args) {
            match arg {
                // A declared type would convert the argument, and several uses would evaluate it again.
                CallArg::Positional(value)
                    if param.annotation.is_none()
                        && !param.variadic
                        && matches!(bare(value).kind, ExprKind::Name(_) | ExprKind::Number(_)) =>
                {
                    values.push((param.name.text.as_str(), value.clone()));
                }
                _ => return Some(whole.clone()),
            }
        }
        match lambda {
            Some(lambda) if values.len() == lambda.params.len() && values.len() == args.len() => {
                let mut body = lambda.body.clone();
                Substitute { values }.expr(&mut body);
                Some(body)
            }
            _ => Some(whole.clone()),
        }
    }

    /// `$assump(v)`: the facts about a variable, as an expression.
    fn assumptions(&mut self, call: &'a Expr, variable: &'a Expr) -> Option<Expr> {
        let ExprKind::Name(name) = &bare(variable).kind else {
            self.error("Q0313", variable.span, "'$assump' takes a variable");
            return None;
        };
        let Some(found) = self.frame.env.get(name) else {
            return match self.undone(variable) {
                Type::Error => None,
                _ => Some(self.parsed("true", call.span)),
            };
        };
        let mut parts = Vec::new();
        if !found.symbolic {
            parts.push(format!("type({name},\"{}\")", self.show(&found.ty)));
        }
        if let Identity::Value(id) = found.identity {
            let facts: Vec<Proposition> = self.frame.facts.all().cloned().collect();
            let about = |proposition: &Proposition| {
                let mut names = Vec::new();
                proposition.names(&mut names);
                names.iter().any(|name| unknowns(name).any(|(_, unknown)| unknown == id))
            };
            for proposition in facts.iter().filter(|proposition| about(proposition)) {
                parts.extend(self.said(proposition, false).filter(|text| !parts.contains(text)));
            }
        }
        let text = match parts.as_slice() {
            [] => "true".to_owned(),
            [one] => format!("({one})"),
            several => several.join(" && "),
        };
        Some(self.parsed(&text, call.span))
    }

    /// `eval(text)`: types the parsed string as if it had been written here.
    pub(super) fn eval_string(&mut self, expr: &'a Expr, args: &'a [CallArg]) -> Type {
        let [CallArg::Positional(text)] = args else {
            let found = format!("'eval' takes one text, found {} arguments", args.len());
            return self.error("Q0313", expr.span, found);
        };
        let ty = self.expr(text);
        match (self.frame.tables.constants.get(&text.id).cloned(), ty) {
            (_, Type::Error) => Type::Error,
            (Some(Constant::Text(written)), _) => match self.read_text(text, &written) {
                Some(found) => self.type_replacement(expr, found),
                None => Type::Error,
            },
            (_, Type::Text | Type::Dynamic) => self.eval_at_run_time(expr, text),
            (_, other) => {
                let found = format!("'eval' takes a text, found '{}'", self.show(&other));
                self.error("Q0313", text.span, found)
            }
        }
    }

    /// `eval(text)` of a string known only at run time: compiled there, with a result of dynamic type.
    fn eval_at_run_time(&mut self, expr: &'a Expr, text: &'a Expr) -> Type {
        if self.on_device() {
            return self.host_only(expr.span, "'eval' of a text that is not known at compile time");
        }
        if let Some(Ok(entry)) = builtins::find("eval", 1) {
            let callee = Callee::Builtin { builtin: &entry.builtin, args: vec![self.as_is(text)] };
            self.frame.tables.callees.insert(expr.id, callee);
        }
        Type::Dynamic
    }

    /// Parses a string as an expression; `None` after an error.
    fn read_text(&mut self, place: &Expr, written: &str) -> Option<Expr> {
        let mut sink = Sink::default();
        let mut found = parse_expression(place.span.file, written, &mut NodeIds::default(), &mut sink);
        if let Some(mistake) = sink.into_sorted().first() {
            self.say(eval_literals::unreadable(place.span, written, mistake));
            return None;
        }
        let mut assigned = Assigned::default();
        walk::expr(&found, &mut assigned);
        if !assigned.names.is_empty() || !assigned.elements.is_empty() {
            self.not_supported(place.span, "assignments in the text of 'eval'");
            return None;
        }
        Renumber { made: &self.unit.made, span: place.span, written: false }.expr(&mut found);
        Some(found)
    }

    /// Parses text that the compiler wrote.
    pub(super) fn parsed(&self, text: &str, span: Span) -> Expr {
        let mut expr = parse_expression(span.file, text, &mut NodeIds::default(), &mut Sink::default());
        Renumber { made: &self.unit.made, span, written: false }.expr(&mut expr);
        expr
    }

    /// A proposition in source syntax; `None` if one of its unknowns is no current variable.
    fn said(&self, proposition: &Proposition, inner: bool) -> Option<String> {
        let list = |parts: &[Proposition], word: &str| {
            let parts: Option<Vec<String>> = parts.iter().map(|part| self.said(part, true)).collect();
            let text = parts?.join(word);
            Some(if inner { format!("({text})") } else { text })
        };
        match proposition {
            Proposition::Compare(term, relation) => {
                let word = match relation {
                    Relation::Zero => "==",
                    Relation::NotZero => "!=",
                    Relation::AtMostZero => "<=",
                    Relation::BelowZero => "<",
                };
                let (left, right) = self.sides(term)?;
                Some(format!("{left}{word}{right}"))
            }
            Proposition::Opaque(text, _) if text.starts_with("number(") => None,
            Proposition::Opaque(text, _) => self.in_words(text),
            Proposition::Not(part) => Some(format!("!({})", self.said(part, false)?)),
            Proposition::All(parts) if !parts.is_empty() => list(parts, " && "),
            Proposition::Any(parts) if !parts.is_empty() => list(parts, " || "),
            Proposition::All(_) | Proposition::Any(_) => None,
        }
    }

    /// Splits a term into two sides without negative coefficients.
    fn sides(&self, term: &Linear) -> Option<(String, String)> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (atom, factor) in &term.terms {
            let (side, size) =
                if factor.signum() > 0 { (&mut left, *factor) } else { (&mut right, factor.negate()) };
            let name = self.in_words(&atom.name)?;
            side.push(if size == Rational::ONE { name } else { format!("{}*{name}", number(size)) });
        }
        let constant = term.constant;
        match constant.signum() {
            1 => left.push(number(constant)),
            -1 => right.push(number(constant.negate())),
            _ => {}
        }
        let text = |side: Vec<String>| if side.is_empty() { "0".to_owned() } else { side.join("+") };
        // `0<=v` and `v<1`, but `a==4` whatever the signs.
        Some((text(left), text(right)))
    }

    /// Source names for the unknowns in an atom's text.
    fn in_words(&self, text: &str) -> Option<String> {
        let mut words = String::new();
        let mut done = 0;
        for (place, unknown) in unknowns(text) {
            let named = |(name, variable): (&'_ String, &'_ crate::sema::flow_state::Variable)| {
                (variable.identity == Identity::Value(unknown)).then(|| name.clone())
            };
            let name = self.frame.env.iter().find_map(named)?;
            words.push_str(text[done..place.start].trim_end_matches(['n', 'x']));
            words.push_str(&name);
            done = place.end;
        }
        words.push_str(&text[done..]);
        Some(words)
    }

    /// `$simplify(e)`
    fn simpler(&mut self, value: &'a Expr) -> Option<Expr> {
        (self.type_meta_operand(value) != Type::Error).then(|| self.simplified(value))
    }

    /// Simplifies a typed expression: constants, conditions that the facts decide, neutral operands.
    fn simplified(&mut self, expr: &'a Expr) -> Expr {
        let written = self.now(expr);
        if let Some(Constant::Scalar(value)) = self.frame.tables.constants.get(&expr.id)
            && !value.element_type().is_complex()
            && value.element_type() == quasar_devicelib::element::ElementType::Int32
        {
            return self.parsed(&value.as_i64().to_string(), expr.span);
        }
        if let Some(holds) = self.decided_by_facts(written) {
            return self.parsed(if holds { "true" } else { "false" }, expr.span);
        }
        if let Some(value) = self.only_value(written) {
            return self.parsed(&value.to_string(), expr.span);
        }
        let boxed = |this: &mut Self, part: &'a Expr| Box::new(this.simplified(part));
        let kind = match &written.kind {
            ExprKind::Paren(inner) => {
                let inner = self.simplified(inner);
                let atom = matches!(
                    inner.kind,
                    ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Call { .. } | ExprKind::Paren(_)
                );
                if atom {
                    return inner;
                }
                ExprKind::Paren(Box::new(inner))
            }
            ExprKind::Infix { op, lhs, rhs } => {
                let (lhs, rhs) = (boxed(self, lhs), boxed(self, rhs));
                if let Some(one) = neutral(*op, &lhs, &rhs) {
                    return one.clone();
                }
                ExprKind::Infix { op: *op, lhs, rhs }
            }
            ExprKind::Prefix { op, operand } => {
                let operand = boxed(self, operand);
                match &bare(&operand).kind {
                    ExprKind::Prefix { op: PrefixOp::Negate, operand: inner } if *op == PrefixOp::Negate => {
                        return (**inner).clone();
                    }
                    _ if *op == PrefixOp::Plus => return *operand,
                    _ => ExprKind::Prefix { op: *op, operand },
                }
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                let test = self.simplified(condition);
                match bare(&test).kind {
                    ExprKind::Name(ref word) if word == "true" => return self.simplified(then),
                    ExprKind::Name(ref word) if word == "false" => return self.simplified(otherwise),
                    _ => {}
                }
                let (then, otherwise) = (boxed(self, then), boxed(self, otherwise));
                ExprKind::Ternary { condition: Box::new(test), then, otherwise }
            }
            _ => return written.clone(),
        };
        self.node(kind, expr.span)
    }

    /// The value of a condition, if the facts decide it.
    fn decided_by_facts(&mut self, expr: &'a Expr) -> Option<bool> {
        let condition = matches!(
            bare(expr).kind,
            ExprKind::Infix {
                op: InfixOp::Equal
                    | InfixOp::NotEqual
                    | InfixOp::Less
                    | InfixOp::LessEqual
                    | InfixOp::Greater
                    | InfixOp::GreaterEqual
                    | InfixOp::And
                    | InfixOp::Or,
                ..
            } | ExprKind::Prefix { op: PrefixOp::Not, .. }
        );
        if condition { self.known(expr).decided() } else { None }
    }

    /// The value of an integer variable, if the facts determine it.
    fn only_value(&mut self, expr: &'a Expr) -> Option<i64> {
        let ExprKind::Name(_) = &expr.kind else { return None };
        let term = self.term(expr).or_else(|| self.real_term(expr))?;
        let (Some(low), Some(high)) = self.frame.facts.interval(&term) else { return None };
        (low == high && low.is_integer()).then(|| i64::try_from(low.numerator()).ok()).flatten()
    }

    /// A predicate without a body as an opaque proposition: equal for equal arguments.
    pub(super) fn predicate(&mut self, expr: &'a Expr) -> Option<Proposition> {
        let ExprKind::Call { callee, args } = &expr.kind else { return None };
        let ExprKind::Name(name) = &bare(callee).kind else { return None };
        let (mut texts, mut names) = (Vec::new(), Vec::new());
        for arg in args {
            let CallArg::Positional(value) = arg else { return None };
            let term = self.symbolic_term(value).or_else(|| self.term(value))?;
            let factor = |factor: Rational| format!("{}*", number(factor));
            let mut parts: Vec<String> = Vec::new();
            for (atom, size) in &term.terms {
                names.push(atom.name.clone());
                parts.push(format!(
                    "{}{}",
                    if *size == Rational::ONE { String::new() } else { factor(*size) },
                    atom.name
                ));
            }
            if term.constant != Rational::ZERO || parts.is_empty() {
                parts.push(number(term.constant));
            }
            texts.push(parts.join("+"));
        }
        Some(Proposition::Opaque(format!("{name}({})", texts.join(",")).into(), names))
    }
}

/// The unknowns in the text of an atom: the range of `n#4`'s `#4`, and its number.
pub(super) fn unknowns(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, u32)> {
    text.match_indices('#').filter_map(|(place, _)| {
        let digits = text[place + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = place + 1 + digits;
        Some((place..end, text[place + 1..end].parse().ok()?))
    })
}

/// A number in source syntax.
fn number(value: Rational) -> String {
    match value.is_integer() {
        true => value.numerator().to_string(),
        false => format!("({}/{}.0)", value.numerator(), value.denominator()),
    }
}

/// The operand that equals the whole operation, such as `x` for `x + 0`.
fn neutral<'e>(op: InfixOp, lhs: &'e Expr, rhs: &'e Expr) -> Option<&'e Expr> {
    let is = |e: &Expr, wanted: u64| matches!(bare(e).kind, ExprKind::Number(Number::Int(n)) if n == wanted);
    let word = |e: &Expr, wanted: &str| matches!(&bare(e).kind, ExprKind::Name(name) if name == wanted);
    match op {
        InfixOp::Add if is(lhs, 0) => Some(rhs),
        InfixOp::Add | InfixOp::Subtract if is(rhs, 0) => Some(lhs),
        InfixOp::Multiply | InfixOp::DotMultiply if is(lhs, 1) => Some(rhs),
        InfixOp::Multiply | InfixOp::DotMultiply | InfixOp::Power | InfixOp::DotPower if is(rhs, 1) => {
            Some(lhs)
        }
        InfixOp::And if word(lhs, "true") => Some(rhs),
        InfixOp::And if word(rhs, "true") => Some(lhs),
        InfixOp::Or if word(lhs, "false") => Some(rhs),
        InfixOp::Or if word(rhs, "false") => Some(lhs),
        InfixOp::And | InfixOp::Or if without_parens(lhs) == without_parens(rhs) => Some(lhs),
        _ => None,
    }
}
