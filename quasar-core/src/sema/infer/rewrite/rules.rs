//! The rules of a unit: parsing of `reduction` statements, validation, and lookup by scope and root of the pattern.

use super::super::Analyzer;
use super::super::expressions::bare;
use crate::message::Message;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::compare::without_parens;
use crate::syntax::printer::print_expr;
use crate::syntax::walk::{Node, for_each_type_child};
use std::collections::{BTreeMap, BTreeSet};

/// The role of a pattern variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It matches an expression.
    Value,
    /// The pattern applies it: it matches an abstraction over its argument.
    Function,
    /// A type, size or dimension in the types of other variables.
    Type,
}

/// A variable of a pattern.
#[derive(Clone, Debug)]
pub(super) struct PatternVariable<'a> {
    pub(super) name: &'a str,
    pub(super) ty: Option<&'a TypeExpr>,
    pub(super) variadic: bool,
    pub(super) role: Role,
}

/// The root of a pattern: only expressions with the same root are matched.
#[derive(Clone, Debug, PartialEq)]
enum Head<'a> {
    Infix(InfixOp),
    Prefix(PrefixOp),
    Call(&'a str),
    Method(&'a str),
    Index,
    Assign(Option<AssignOp>),
    Array,
    Cell,
    Range,
    Ternary,
    Member(&'a str),
    Meta(&'a str),
    /// An operator over functions, applied to something.
    Applied,
    /// A function variable applied to something: any expression.
    Any,
}

impl<'a> Head<'a> {
    fn of(expr: &'a Expr) -> Option<Head<'a>> {
        Some(match &expr.kind {
            ExprKind::Infix { op, .. } => Head::Infix(*op),
            ExprKind::Prefix { op, .. } => Head::Prefix(*op),
            ExprKind::Call { callee, .. } => match &bare(callee).kind {
                ExprKind::Name(name) => Head::Call(name),
                ExprKind::Instantiate { base, .. } | ExprKind::Index { base, .. } => match &base.kind {
                    ExprKind::Name(name) => Head::Call(name),
                    _ => return None,
                },
                ExprKind::Member { member, .. } => Head::Method(&member.text),
                ExprKind::Meta { name, .. } => Head::Meta(name),
                ExprKind::Infix { .. } | ExprKind::Prefix { .. } => Head::Applied,
                _ => return None,
            },
            ExprKind::Index { .. } => Head::Index,
            ExprKind::Assign { op, .. } => Head::Assign(*op),
            ExprKind::Array(_) => Head::Array,
            ExprKind::Cell(_) => Head::Cell,
            ExprKind::Range { .. } => Head::Range,
            ExprKind::Ternary { .. } => Head::Ternary,
            ExprKind::Member { member, .. } => Head::Member(&member.text),
            _ => return None,
        })
    }
}

/// A rule.
#[derive(Clone, Debug)]
pub(super) struct Rule<'a> {
    pub(super) span: Span,
    pub(super) module: usize,
    /// Whether it is declared in a function or block.
    pub(super) local: bool,
    pub(super) variables: Vec<PatternVariable<'a>>,
    pub(super) pattern: &'a Expr,
    pub(super) replacement: &'a Expr,
    pub(super) condition: Option<&'a Expr>,
    /// Names that the replacement introduces.
    pub(super) introduced: Introduced<'a>,
    head: Head<'a>,
}

impl<'a> Rule<'a> {
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }
}

/// All rules found so far.
#[derive(Debug, Default)]
pub(in crate::sema::infer) struct Rules<'a> {
    pub(super) all: Vec<Rule<'a>>,
    /// Indices into `all`, by statement. A pattern that applies an operator over functions makes two rules.
    known: BTreeMap<NodeId, Vec<usize>>,
    /// The top-level rules visible in each module, imported ones included.
    visible: Vec<Vec<usize>>,
}

impl<'a> Rules<'a> {
    /// Whether there are no rules.
    pub(in crate::sema::infer) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Local rules by their statements.
    pub(super) fn local(&self, statements: &[NodeId]) -> impl Iterator<Item = &Rule<'a>> {
        statements.iter().filter_map(|id| self.known.get(id)).flatten().map(|place| &self.all[*place])
    }

    /// The rules in scope whose root fits, local ones first.
    pub(super) fn candidates(&self, module: usize, local: &[NodeId], expr: &Expr) -> Vec<usize> {
        let Some(head) = Head::of(expr) else { return Vec::new() };
        let fits = |k: &usize| self.all[*k].head == Head::Any || self.all[*k].head == head;
        self.in_scope(module, local).filter(fits).collect()
    }

    /// The rules in scope, local ones first.
    fn in_scope<'s>(&'s self, module: usize, local: &'s [NodeId]) -> impl Iterator<Item = usize> + 's {
        let global = self.visible.get(module).map_or(&[][..], |list| list);
        let local = local.iter().filter_map(|id| self.known.get(id)).flatten();
        local.chain(global).copied()
    }
}

/// Collects the names of types, sizes and dimensions in a type expression.
fn names_in_type(ty: &TypeExpr, into: &mut BTreeSet<String>) {
    if let TypeExprKind::Named { name, rank, .. } = &ty.kind {
        into.insert(name.text.clone());
        if let Some(RankExpr::Param(name)) = rank {
            into.insert(name.text.clone());
        }
    }
    for_each_type_child(ty, &mut |child| match child {
        Node::Type(ty) => names_in_type(ty, into),
        Node::Expr(expr) => walk::expr(expr, &mut NamesIn(into)),
    });
}

struct NamesIn<'x>(&'x mut BTreeSet<String>);

impl<'a> walk::Visitor<'a> for NamesIn<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Name(name) = &expr.kind {
            self.0.insert(name.clone());
        }
        true
    }
}

/// The names that a pattern applies, and those it uses otherwise.
#[derive(Default)]
struct Uses<'a> {
    applied: BTreeSet<&'a str>,
    plain: BTreeSet<&'a str>,
}

impl<'a> walk::Visitor<'a> for Uses<'a> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Call { callee, args } => {
                if let ExprKind::Name(name) = &callee.kind {
                    self.applied.insert(name);
                    for arg in args {
                        let (CallArg::Positional(e) | CallArg::Named(_, e) | CallArg::Spread(e)) = arg;
                        walk::expr(e, self);
                    }
                    return false;
                }
            }
            ExprKind::Name(name) => {
                self.plain.insert(name);
            }
            _ => {}
        }
        true
    }
}

/// Collects the names that a replacement introduces.
#[derive(Clone, Debug, Default)]
pub(super) struct Introduced<'a> {
    /// Variables that it assigns.
    pub(super) assigned: BTreeSet<&'a str>,
    /// Parameters of its lambdas.
    pub(super) params: BTreeSet<&'a str>,
}

impl<'a> walk::Visitor<'a> for Introduced<'a> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Lambda(lambda) => {
                self.params.extend(lambda.params.iter().map(|param| param.name.text.as_str()));
            }
            ExprKind::Declare { name, .. } => {
                self.assigned.insert(&name.text);
            }
            ExprKind::Assign { target, .. } => {
                let places: Vec<&'a Expr> = match &**target {
                    Target::Place { place, .. } => vec![place],
                    Target::Multiple { places, .. } => {
                        places.iter().flatten().map(|(place, _)| place).collect()
                    }
                };
                for place in places {
                    if let ExprKind::Name(name) = &place.kind {
                        self.assigned.insert(name);
                    }
                }
            }
            _ => {}
        }
        true
    }
}

/// Whether an expression contains the pattern itself, with the same variables: rewriting would not terminate.
struct Again<'x> {
    pattern: &'x Expr,
    found: bool,
}

impl<'a> walk::Visitor<'a> for Again<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.found |= alike(self.pattern, expr);
        !self.found
    }
}

/// Whether two expressions are equal up to commuting operands.
fn alike(a: &Expr, b: &Expr) -> bool {
    let (a, b) = (bare(a), bare(b));
    if let (ExprKind::Infix { op, lhs, rhs }, ExprKind::Infix { op: other, lhs: other_lhs, rhs: other_rhs }) =
        (&a.kind, &b.kind)
    {
        let swapped = super::matching::commutes(*op) && alike(lhs, other_rhs) && alike(rhs, other_lhs);
        return op == other && (swapped || alike(lhs, other_lhs) && alike(rhs, other_rhs));
    }
    without_parens(a) == without_parens(b)
}

impl<'a> Analyzer<'a> {
    /// Collects the top-level rules of all modules.
    pub(in crate::sema::infer) fn collect_rules(&mut self) {
        let unit = self.unit;
        let mut own: Vec<Vec<usize>> = Vec::new();
        for (module, tree) in unit.modules.iter().enumerate() {
            let rules = tree.module.items.iter().filter_map(|item| match &item.kind {
                StmtKind::Reduction(reduction) => self.rules_of(item, reduction, module, false).ok(),
                _ => None,
            });
            own.push(rules.flatten().collect());
        }
        if self.rules.is_empty() {
            return;
        }
        for (module, list) in own.iter().enumerate() {
            let mut visible = list.clone();
            for import in &self.scopes[module].imports {
                visible.extend(&own[*import]);
            }
            self.rules.visible.push(visible);
        }
    }

    /// The message about a call of a name that only rules define, none of which applies; `None` where no rule defines it.
    pub(in crate::sema::infer) fn uncovered_by_rules(
        &self,
        module: usize,
        name: &str,
        call: &Expr,
    ) -> Option<Message> {
        let mut rules = self.rules.in_scope(module, &self.frame.lexical.rules);
        let first = rules.find(|k| self.rules.all[*k].head == Head::Call(name))?;
        let text = format!("no reduction covers '{}', and '{name}' is no function", print_expr(call));
        let message = Message::error("Q0614", call.span, text);
        Some(message.related(self.rules.all[first].span, "this one does not fit these operands"))
    }

    /// A `reduction` statement: reports its errors; a local rule is in scope from here on.
    pub(in crate::sema::infer) fn reduction(&mut self, stmt: &'a Stmt, reduction: &'a Reduction) {
        let module = self.frame.lexical.module;
        // Top-level rules are collected beforehand; those in blocks of the top level are local.
        let local = !self.frame.top_level || !self.rules.known.contains_key(&stmt.id);
        if let Err(message) = self.rules_of(stmt, reduction, module, local) {
            self.say(message);
            return;
        }
        for param in &reduction.params {
            // Errors in types are reported here, once.
            if let Some(annotation) = param.annotation.as_ref() {
                let mut lexical = self.frame.lexical.clone();
                let types = type_variables(&reduction.params);
                lexical.bindings.extend(types.into_iter().map(|name| (name.to_owned(), None)));
                self.annotation_in(annotation, &lexical);
            }
        }
        if local && !self.frame.lexical.rules.contains(&stmt.id) {
            self.frame.lexical.rules.insert(0, stmt.id);
        }
    }

    /// The rules of a statement. `(f - g)(x)` stands for two things: that operator over functions, applied as it is written, and
    /// `f(x) - g(x)`, of which any difference is an instance. Where the replacement is the second, only the first is a rule.
    #[allow(clippy::result_large_err, reason = "a mistake is a whole message, made once per rule")]
    fn rules_of(
        &mut self,
        stmt: &'a Stmt,
        reduction: &'a Reduction,
        module: usize,
        local: bool,
    ) -> Result<Vec<usize>, Message> {
        if let Some(places) = self.rules.known.get(&stmt.id) {
            return Ok(places.clone());
        }
        let written = bare(&reduction.pattern);
        let mut distributed = written.clone();
        Distribute.expr(&mut distributed);
        let unit = self.unit;
        let mut patterns = vec![written];
        if distributed != *written && !alike(&distributed, &reduction.replacement) {
            patterns.push(unit.made.keep_pattern(distributed));
        }
        let rules: Result<Vec<Rule<'a>>, Message> =
            patterns.into_iter().map(|pattern| read(stmt, reduction, pattern, module, local)).collect();
        let rules = rules?;
        let places: Vec<usize> = (self.rules.all.len()..).take(rules.len()).collect();
        self.rules.all.extend(rules);
        self.rules.known.insert(stmt.id, places.clone());
        Ok(places)
    }
}

/// The variables that occur only in the types of others.
fn type_variables(params: &[Param]) -> Vec<&str> {
    let mut in_types = BTreeSet::new();
    for ty in params.iter().filter_map(|param| param.annotation.as_ref()?.ty.as_ref()) {
        names_in_type(ty, &mut in_types);
    }
    let types = params.iter().filter(|param| param.annotation.is_none() && !param.variadic);
    types.map(|param| param.name.text.as_str()).filter(|name| in_types.contains(*name)).collect()
}

/// Rewrites `(f - g)(x)` to `f(x) - g(x)`.
struct Distribute;

impl VisitMut for Distribute {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Call { callee, args } = &mut e.kind
            && matches!(bare(callee).kind, ExprKind::Infix { .. } | ExprKind::Prefix { .. })
        {
            let (args, id, span) = (std::mem::take(args), e.id, e.span);
            let mut whole = bare(callee).clone();
            let call = |operand: &mut Box<Expr>| {
                let callee = Box::new(bare(operand).clone());
                **operand = Expr { id, span, kind: ExprKind::Call { callee, args: args.clone() } };
            };
            match &mut whole.kind {
                ExprKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(call),
                ExprKind::Prefix { operand, .. } => call(operand),
                _ => {}
            }
            *e = whole;
        }
        change::expr_parts(self, e);
    }
}

/// Parses and validates a rule.
#[allow(clippy::result_large_err, reason = "a mistake is a whole message, made once per rule")]
fn read<'a>(
    stmt: &'a Stmt,
    reduction: &'a Reduction,
    pattern: &'a Expr,
    module: usize,
    local: bool,
) -> Result<Rule<'a>, Message> {
    let mut uses = Uses::default();
    walk::expr(pattern, &mut uses);
    let types = type_variables(&reduction.params);
    let mut variables: Vec<PatternVariable<'a>> = Vec::new();
    for param in &reduction.params {
        let name = param.name.text.as_str();
        if let Some(default) = &param.default {
            return Err(Message::error(
                "Q0610",
                default.span,
                "variables of reductions have no default values",
            ));
        }
        let role = match (types.contains(&name), uses.applied.contains(name)) {
            (true, _) => Role::Type,
            (false, true) => Role::Function,
            (false, false) => Role::Value,
        };
        if role != Role::Type && !uses.applied.contains(name) && !uses.plain.contains(name) {
            let text = format!("the pattern does not contain the variable '{name}'");
            return Err(Message::error("Q0610", param.name.span, text).help(
                "every variable of a reduction must be found by its pattern, or stand in the type of another",
            ));
        }
        let ty = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref());
        variables.push(PatternVariable { name, ty, variadic: param.variadic, role });
    }
    let is_variable = |name: &str| variables.iter().any(|variable| variable.name == name);
    let head = match &pattern.kind {
        ExprKind::Name(name) if is_variable(name) => {
            let text = format!("the pattern is the variable '{name}' alone, which every expression matches");
            return Err(Message::error("Q0610", pattern.span, text));
        }
        _ => Head::of(pattern).map(|head| match head {
            Head::Call(name) if is_variable(name) => Head::Any,
            head => head,
        }),
    };
    let Some(head) = head else {
        let text = format!("reductions of '{}'", print_expr(pattern));
        return Err(Message::not_supported(pattern.span, text));
    };
    let mut again = Again { pattern, found: false };
    walk::expr(&reduction.replacement, &mut again);
    if again.found && reduction.condition.is_none() {
        let text = format!("circular reduction: the replacement contains '{}' again", print_expr(pattern));
        return Err(Message::error("Q0611", stmt.span, text)
            .help("a condition after `where` lets it end, where it does not hold for the new operands"));
    }
    let mut introduced = Introduced::default();
    walk::expr(&reduction.replacement, &mut introduced);
    reduction.condition.iter().for_each(|condition| walk::expr(condition, &mut introduced));
    introduced.assigned.retain(|name| !is_variable(name));
    introduced.params.retain(|name| !is_variable(name));
    Ok(Rule {
        span: stmt.span,
        module,
        local,
        variables,
        pattern,
        replacement: &reduction.replacement,
        condition: reduction.condition.as_ref(),
        introduced,
        head,
    })
}
