//! `{!auto_specialize}`: specialises a function for each list of constant arguments found at its call sites, by
//! rewriting the attribute to a `specialize` attribute with these constants.
//!
//! ```text
//! function y = power(x : scalar, n : int)           function y = power(x : scalar, n : int)
//!     {!auto_specialize}                    ->          {!specialize args=(n == 2 || n == 3)}
//! power(a, 2) + power(b, 3)                         power(a, 2) + power(b, 3)
//! ```
//!
//! Constants are number literals, and module-level names that are assigned one number once. A version that no call
//! needs in the end costs one comparison.

use super::infer::SPECIAL;
use super::specialize_attribute::declares;
use super::unit::Unit;
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use std::collections::BTreeMap;

/// The maximal number of lists of constants with a version; further ones use the general version.
const VERSIONS: usize = 4;

/// Functions that call their last argument.
const LAUNCHES: &[&str] = &["parallel_do", "serial_do", "multi_parallel_do"];

/// A list of constant arguments: parameter indices and numbers.
type Constants = Vec<(usize, Number)>;

/// Rewrites the attribute of all functions that have it.
pub fn expand(unit: &mut Unit, ids: &mut NodeIds, sink: &mut Sink) {
    let mut wanted = Wanted::default();
    unit.modules.iter().for_each(|module| walk::block(&module.module.items, &mut wanted));
    if wanted.functions.is_empty() {
        return;
    }
    let mut calls = Calls { functions: &wanted.functions, names: BTreeMap::new(), found: BTreeMap::new() };
    for module in &unit.modules {
        calls.names = numbers(&module.module.items);
        walk::block(&module.module.items, &mut calls);
    }
    let found = calls.found;
    let functions =
        wanted.functions.into_iter().map(|(name, params)| (name.to_owned(), params.len())).collect();
    let found = found.into_iter().map(|(name, lists)| (name.to_owned(), lists)).collect();
    let mut rewrite = Rewrite { functions, found, ids, sink };
    for module in &mut unit.modules {
        rewrite.block(&mut module.module.items);
    }
}

fn asks(stmt: &Stmt) -> bool {
    let StmtKind::Attribute(attribute) = &stmt.kind else { return false };
    matches!(attribute.words.as_slice(), [word] if word.text == "auto_specialize")
}

/// The functions with the attribute, and the parameters that calls pass.
#[derive(Default)]
struct Wanted<'a> {
    functions: BTreeMap<&'a str, Vec<&'a Param>>,
}

impl<'a> Visitor<'a> for Wanted<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::Function(function) = &stmt.kind
            && function.body.iter().any(asks)
        {
            self.functions.insert(&function.name.text, passed(function).collect());
        }
        true
    }
}

fn passed(function: &Function) -> impl Iterator<Item = &Param> {
    let kernel = function.kind == FunctionKind::Kernel;
    function.params.iter().filter(move |param| !kernel || !SPECIAL.contains(&param.name.text.as_str()))
}

/// The names that the top level of a module assigns exactly once, to a number literal.
fn numbers(items: &Block) -> BTreeMap<&str, Number> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbers = BTreeMap::new();
    for stmt in items {
        let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) = &stmt.kind
        else {
            continue;
        };
        if let Target::Place { place, .. } = &**target
            && let ExprKind::Name(name) = &place.kind
        {
            *count.entry(name).or_default() += 1;
            if let ExprKind::Number(number) = value.kind {
                numbers.insert(name.as_str(), number);
            }
        }
    }
    numbers.retain(|name, _| count.get(name) == Some(&1));
    numbers
}

/// Collects the constant arguments of calls and launches.
struct Calls<'a, 'f> {
    functions: &'f BTreeMap<&'a str, Vec<&'a Param>>,
    names: BTreeMap<&'a str, Number>,
    /// Distinct lists of constants per function, in source order.
    found: BTreeMap<&'a str, Vec<Constants>>,
}

impl<'a> Visitor<'a> for Calls<'a, '_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Call { callee, args } = &expr.kind
            && let ExprKind::Name(name) = &callee.kind
        {
            let launched = match args.as_slice() {
                [_, passed @ .., CallArg::Positional(last)] if LAUNCHES.contains(&name.as_str()) => {
                    if let ExprKind::Name(kernel) = &last.kind {
                        Some((kernel, passed))
                    } else {
                        None
                    }
                }
                _ => None,
            };
            let (name, args) = launched.unwrap_or((name, args));
            self.call(name, args);
        }
        true
    }
}

impl<'a> Calls<'a, '_> {
    fn call(&mut self, name: &'a str, args: &'a [CallArg]) {
        let Some(params) = self.functions.get(name) else { return };
        let mut constants = Constants::new();
        for (place, arg) in args.iter().enumerate() {
            let (place, value) = match arg {
                CallArg::Positional(value) => (place, value),
                CallArg::Named(name, value) => {
                    let Some(place) = params.iter().position(|param| param.name.text == name.text) else {
                        return;
                    };
                    (place, value)
                }
                CallArg::Spread(_) => return,
            };
            let number = match &value.kind {
                ExprKind::Number(number) => Some(*number),
                ExprKind::Name(name) => self.names.get(name.as_str()).copied(),
                _ => None,
            };
            if let Some(number) = number
                && params.get(place).is_some_and(|param| declares(param, number))
            {
                constants.push((place, number));
            }
        }
        let lists = self.found.entry(name).or_default();
        if !constants.is_empty() && !lists.contains(&constants) {
            lists.push(constants);
        }
    }
}

/// Rewrites `auto_specialize` attributes to `specialize` attributes.
struct Rewrite<'x> {
    /// The number of parameters that callers pass to each function.
    functions: BTreeMap<String, usize>,
    found: BTreeMap<String, Vec<Constants>>,
    ids: &'x mut NodeIds,
    sink: &'x mut Sink,
}

impl VisitMut for Rewrite<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        change::stmt_parts(self, stmt);
        let StmtKind::Function(function) = &mut stmt.kind else { return };
        let params: Vec<Name> = passed(function).map(|param| param.name.clone()).collect();
        let name = function.name.text.clone();
        let Some(place) = function.body.iter().position(asks) else { return };
        if self.functions.get(&name) != Some(&params.len()) {
            return;
        }
        // The most specific list is tested first.
        let mut lists = self.found.get(&name).cloned().unwrap_or_default();
        lists.truncate(VERSIONS);
        lists.sort_by_key(|list| std::cmp::Reverse(list.len()));
        let Some(Stmt { kind: StmtKind::Attribute(attribute), .. }) = function.body.get_mut(place) else {
            return;
        };
        let span = attribute.span;
        let lists = lists.iter().filter_map(|list| self.condition(list, &params, span)).collect();
        let Some(value) = self.chain(InfixOp::Or, lists, span) else {
            let text = format!(
                "'{name}' stays one version: no call gives an `int` or `scalar` parameter a constant"
            );
            self.sink.push(Message::warning("Q0623", span, text));
            function.body.remove(place);
            return;
        };
        let word = |text: &str| Name { text: text.to_owned(), span };
        attribute.words = vec![word("specialize")];
        attribute.arguments = vec![AttributeArg { key: Some(word("args")), value }];
    }

    // Functions are nested in statements only.
    fn expr(&mut self, _: &mut Expr) {}
}

impl Rewrite<'_> {
    fn make(&mut self, kind: ExprKind, span: Span) -> Expr {
        Expr { id: self.ids.fresh(), span, kind }
    }

    fn condition(&mut self, constants: &Constants, params: &[Name], span: Span) -> Option<Expr> {
        let mut all = Vec::new();
        for (place, number) in constants {
            let lhs = Box::new(self.make(ExprKind::Name(params.get(*place)?.text.clone()), span));
            let rhs = Box::new(self.make(ExprKind::Number(*number), span));
            all.push(self.make(ExprKind::Infix { op: InfixOp::Equal, lhs, rhs }, span));
        }
        self.chain(InfixOp::And, all, span)
    }

    fn chain(&mut self, op: InfixOp, all: Vec<Expr>, span: Span) -> Option<Expr> {
        let mut all = all.into_iter();
        let first = all.next()?;
        Some(all.fold(first, |lhs, rhs| {
            self.make(ExprKind::Infix { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, span)
        }))
    }
}
