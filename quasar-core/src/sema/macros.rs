//! Macro expansion: replaces each invocation by the statements of its macro, hygienically, before any other phase sees
//! the trees. Conditions in a macro body are not evaluated here but decided by inference like all others.

use super::scope::Assigned;
use super::unit::Unit;
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The maximal nesting of macro expansions.
const NESTING: usize = 32;
/// The maximal number of expansions in a unit.
const EXPANSIONS: usize = 20_000;

/// A macro expansion, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The invocation.
    pub place: Span,
    /// The header of the macro's definition.
    pub definition: Span,
}

/// Expands all invocations in a unit.
pub fn expand(unit: &mut Unit, ids: &mut NodeIds, sink: &mut Sink) -> Vec<Expansion> {
    let own: Vec<Macros> = unit
        .modules
        .iter()
        .map(|module| {
            let macros = module.module.items.iter().filter_map(|item| match &item.kind {
                StmtKind::Macro(definition) => {
                    Some((definition.name.text.clone(), Rc::new((**definition).clone())))
                }
                _ => None,
            });
            macros.collect()
        })
        .collect();
    let mut places = Vec::new();
    let count = unit.modules.len();
    for position in 0..count {
        let module = &unit.modules[position];
        let scopes: Vec<&Macros> = std::iter::once(position)
            .chain(module.imports.iter().copied())
            .filter_map(|k| own.get(k))
            .collect();
        if scopes.iter().all(|scope| scope.is_empty()) && !has_inner_macro(&module.module.items) {
            continue;
        }
        let mut items = std::mem::take(&mut unit.modules[position].module.items);
        let mut expander =
            Expander { scopes, inner: Vec::new(), ids, sink, places: &mut places, open: Vec::new() };
        items.retain(|item| match &item.kind {
            StmtKind::Macro(definition) => {
                expander.check(definition);
                false
            }
            _ => true,
        });
        expander.block(&mut items);
        unit.modules[position].module.items = items;
    }
    places
}

/// Whether some statement defines a macro below the top level.
fn has_inner_macro(items: &[Stmt]) -> bool {
    struct Find(bool);
    impl<'a> Visitor<'a> for Find {
        fn stmt(&mut self, stmt: &'a Stmt) -> bool {
            self.0 |= matches!(stmt.kind, StmtKind::Macro(_));
            !self.0
        }
        fn expr(&mut self, _: &'a Expr) -> bool {
            false
        }
    }
    let mut find = Find(false);
    walk::block(items, &mut find);
    find.0
}

/// Macros by name.
type Macros = BTreeMap<String, Rc<Function>>;

/// Expands the invocations in one module.
struct Expander<'x> {
    scopes: Vec<&'x Macros>,
    /// Macros defined in enclosing blocks, innermost last.
    inner: Vec<Rc<Function>>,
    ids: &'x mut NodeIds,
    sink: &'x mut Sink,
    places: &'x mut Vec<Expansion>,
    /// The stack of macros being expanded, innermost last.
    open: Vec<String>,
}

impl<'x> Expander<'x> {
    /// Reports errors in a definition.
    fn check(&mut self, definition: &Function) {
        if let Some(output) = definition.outputs.first() {
            let text = format!("the macro '{}' cannot have outputs", definition.name.text);
            self.sink.push(Message::error("Q0620", output.name.span, text));
        }
    }

    fn macro_named(&self, name: &str) -> Option<Rc<Function>> {
        let inner = self.inner.iter().rev().find(|definition| definition.name.text == name);
        inner.or_else(|| self.scopes.iter().find_map(|scope| scope.get(name))).cloned()
    }

    /// The expansion of an invocation; `None` if the attribute is no invocation.
    fn invocation(&mut self, attribute: &Attribute) -> Option<Block> {
        let name = attribute.words.first()?;
        let definition = self.macro_named(&name.text).filter(|_| attribute.words.len() == 1)?;
        if self.open.contains(&name.text) || self.open.len() >= NESTING {
            let text = format!("the macro '{}' is expanded within itself", name.text);
            self.sink.push(Message::error("Q0621", attribute.span, text));
            return Some(Block::new());
        }
        if self.places.len() >= EXPANSIONS {
            self.sink.push(Message::not_supported(attribute.span, "this many expansions of macros"));
            return Some(Block::new());
        }
        let Some((arguments, rest)) = self.arguments(&definition, attribute) else {
            return Some(Block::new());
        };
        self.places.push(Expansion { place: attribute.span, definition: definition.header });
        let number = self.places.len();
        let mut own = Own::default();
        walk::block(&definition.body, &mut own);
        let mut assigned = Assigned::default();
        walk::block(&definition.body, &mut assigned);
        own.0.extend(assigned.names.keys().map(|name| (*name).to_owned()));
        let is_rest = |name: &String| rest.as_ref().is_some_and(|(rest, _)| rest == name);
        let renamed = own.0.into_iter().filter(|name| !arguments.contains_key(name) && !is_rest(name));
        let renamed = renamed.map(|name| (name.clone(), format!("{name}__{number}"))).collect();
        let mut body = definition.body.clone();
        let mut fill = Fill { ids: self.ids, span: attribute.span, arguments, rest, renamed };
        fill.block(&mut body);
        self.open.push(name.text.clone());
        self.block(&mut body);
        self.open.pop();
        Some(body)
    }

    /// The argument of each parameter and those of the variadic one; reports a mismatch and returns `None`.
    fn arguments(&mut self, definition: &Function, attribute: &Attribute) -> Option<(Arguments, Rest)> {
        let mut found = Arguments::new();
        let variadic = definition.params.last().filter(|param| param.variadic);
        let mut rest = variadic.map(|param| (param.name.text.clone(), Vec::new()));
        let ordinary = &definition.params[..definition.params.len() - usize::from(variadic.is_some())];
        let mut next = ordinary.iter();
        for argument in &attribute.arguments {
            let param = match &argument.key {
                Some(key) => ordinary.iter().find(|param| param.name.text == key.text),
                None => next.by_ref().find(|param| !found.contains_key(&param.name.text)),
            };
            if let (None, None, Some((_, values))) = (param, &argument.key, &mut rest) {
                values.push(argument.value.clone());
                continue;
            }
            let Some(param) = param else {
                let text = match &argument.key {
                    Some(key) => {
                        format!("the macro '{}' has no parameter '{}'", definition.name.text, key.text)
                    }
                    None => format!(
                        "the macro '{}' takes {} arguments, found {}",
                        definition.name.text,
                        definition.params.len(),
                        attribute.arguments.len()
                    ),
                };
                self.sink.push(Message::error("Q0622", argument.value.span, text));
                return None;
            };
            found.insert(param.name.text.clone(), argument.value.clone());
        }
        for param in ordinary {
            if found.contains_key(&param.name.text) {
                continue;
            }
            let Some(default) = &param.default else {
                let text = format!(
                    "the argument '{}' of the macro '{}' is missing",
                    param.name.text, definition.name.text
                );
                self.sink.push(Message::error("Q0622", attribute.span, text));
                return None;
            };
            found.insert(param.name.text.clone(), default.clone());
        }
        Some((found, rest))
    }
}

/// Arguments by parameter.
type Arguments = BTreeMap<String, Expr>;
/// The variadic parameter and its arguments.
type Rest = Option<(String, Vec<Expr>)>;

impl VisitMut for Expander<'_> {
    fn block(&mut self, block: &mut Block) {
        let around = self.inner.len();
        let mut done = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            match &stmt.kind {
                StmtKind::Attribute(attribute) => match self.invocation(attribute) {
                    Some(statements) => done.extend(statements),
                    None => done.push(stmt),
                },
                StmtKind::Macro(definition) => {
                    self.check(definition);
                    self.inner.push(Rc::new((**definition).clone()));
                }
                _ => {
                    self.stmt(&mut stmt);
                    done.push(stmt);
                }
            }
        }
        self.inner.truncate(around);
        *block = done;
    }

    // Statements are nested in statements only.
    fn expr(&mut self, _: &mut Expr) {}
    fn ty(&mut self, _: &mut TypeExpr) {}
}

/// Collects the names that a macro's body introduces, except assigned variables.
#[derive(Default)]
struct Own(BTreeSet<String>);

impl<'a> Visitor<'a> for Own {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Labelled { label, .. } => {
                self.0.insert(label.text.clone());
            }
            StmtKind::Function(function) => {
                self.0.insert(function.name.text.clone());
                self.0.extend(function.params.iter().map(|param| param.name.text.clone()));
                self.0.extend(function.outputs.iter().map(|output| output.name.text.clone()));
                let mut assigned = Assigned::default();
                walk::block(&function.body, &mut assigned);
                self.0.extend(assigned.names.keys().map(|name| (*name).to_owned()));
            }
            StmtKind::Symbolic(names) => self.0.extend(names.iter().map(|name| name.text.clone())),
            StmtKind::Reduction(reduction) => {
                self.0.extend(reduction.params.iter().map(|param| param.name.text.clone()));
            }
            _ => {}
        }
        true
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Lambda(lambda) = &expr.kind {
            self.0.extend(lambda.params.iter().map(|param| param.name.text.clone()));
        }
        true
    }
}

/// Substitutes arguments into a copy of a macro's body, and renames its own names for hygiene.
struct Fill<'x> {
    ids: &'x mut NodeIds,
    span: Span,
    arguments: Arguments,
    rest: Rest,
    renamed: BTreeMap<String, String>,
}

/// Gives nodes fresh ids and keeps their spans.
pub(super) struct Renumber<'x>(pub(super) &'x mut NodeIds);

impl VisitMut for Renumber<'_> {
    fn node(&mut self, id: &mut NodeId, _: &mut Span) {
        *id = self.0.fresh();
    }
}

impl VisitMut for Fill<'_> {
    fn node(&mut self, id: &mut NodeId, span: &mut Span) {
        *id = self.ids.fresh();
        *span = self.span;
    }

    fn span(&mut self, span: &mut Span) {
        *span = self.span;
    }

    fn name(&mut self, name: &mut Name) {
        name.span = self.span;
        if let Some(new) = self.renamed.get(&name.text) {
            name.text.clone_from(new);
        }
        if let Some(ExprKind::Name(given)) = self.arguments.get(&name.text).map(|argument| &argument.kind) {
            name.text.clone_from(given);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Name(name) = &e.kind {
            if let Some(argument) = self.arguments.get(name) {
                let argument = argument.clone();
                *e = self.argument(argument);
                return;
            }
            if let Some(new) = self.renamed.get(name) {
                e.kind = ExprKind::Name(new.clone());
            }
        }
        if !self.rest_itself(e) {
            let spread = self.rest_spread(e);
            change::expr_parts(self, e);
            flatten(e, &spread);
        }
    }
}

impl Fill<'_> {
    /// A copy of an argument for one use.
    fn argument(&mut self, mut argument: Expr) -> Expr {
        Renumber(self.ids).expr(&mut argument);
        let loose = !matches!(
            argument.kind,
            ExprKind::Name(_)
                | ExprKind::Number(_)
                | ExprKind::Text(_)
                | ExprKind::Call { .. }
                | ExprKind::Index { .. }
                | ExprKind::Member { .. }
                | ExprKind::Array(_)
                | ExprKind::Cell(_)
                | ExprKind::Paren(_)
        );
        if loose {
            let (id, span) = (self.ids.fresh(), argument.span);
            argument = Expr { id, span, kind: ExprKind::Paren(Box::new(argument)) };
        }
        argument
    }

    /// The arguments of the variadic parameter, if the expression names it.
    fn rest_named(&self, e: &Expr) -> Option<Vec<Expr>> {
        match (&e.kind, &self.rest) {
            (ExprKind::Name(name), Some((rest, values))) if name == rest => Some(values.clone()),
            _ => None,
        }
    }

    /// Substitutes the variadic parameter: `numel(rest)` gives the number of its arguments, `rest[k]` one of them,
    /// `rest` a cell of all.
    fn rest_itself(&mut self, e: &mut Expr) -> bool {
        if let Some(values) = self.rest_named(e) {
            let values = values.into_iter().map(|value| Element::Expr(self.argument(value)));
            e.kind = ExprKind::Cell(values.collect());
            self.node(&mut e.id, &mut e.span);
            return true;
        }
        match &e.kind {
            ExprKind::Call { callee, args } => {
                let [CallArg::Positional(of)] = args.as_slice() else { return false };
                let Some(values) = self.rest_named(of) else { return false };
                let is_count = matches!(&callee.kind, ExprKind::Name(name) if name == "numel");
                if is_count {
                    e.kind = ExprKind::Number(Number::Int(values.len() as u64));
                    self.node(&mut e.id, &mut e.span);
                }
                is_count
            }
            ExprKind::Index { base, indices } => {
                let Some(values) = self.rest_named(base) else { return false };
                let [IndexArg::Expr(Expr { kind: ExprKind::Number(Number::Int(k)), .. })] =
                    indices.as_slice()
                else {
                    return false;
                };
                // An index out of range may be in dead code, so it is no error here.
                let value = usize::try_from(*k).ok().and_then(|k| values.get(k)).cloned();
                let Some(value) = value else { return false };
                *e = self.argument(value);
                true
            }
            _ => false,
        }
    }

    /// The positions of `...rest` among arguments or elements.
    fn rest_spread(&self, e: &Expr) -> Vec<usize> {
        let is_rest = |of: &Expr| self.rest_named(of).is_some();
        let spread: Vec<bool> = match &e.kind {
            ExprKind::Call { args, .. } => {
                args.iter().map(|arg| matches!(arg, CallArg::Spread(of) if is_rest(of))).collect()
            }
            ExprKind::Array(elements) | ExprKind::Cell(elements) => {
                elements.iter().map(|one| matches!(one, Element::Spread(of) if is_rest(of))).collect()
            }
            _ => Vec::new(),
        };
        (0..spread.len()).filter(|k| spread[*k]).collect()
    }
}

/// Replaces spread cells by their elements.
fn flatten(e: &mut Expr, spread: &[usize]) {
    let values = |of: Expr| match of.kind {
        ExprKind::Cell(elements) => elements,
        _ => Vec::new(),
    };
    // From last to first, so that the remaining positions stay valid.
    for at in spread.iter().rev() {
        match &mut e.kind {
            ExprKind::Call { args, .. } => {
                if let CallArg::Spread(of) = args.remove(*at) {
                    let values = values(of).into_iter().map(|element| match element {
                        Element::Expr(value) => CallArg::Positional(value),
                        Element::Spread(value) => CallArg::Spread(value),
                    });
                    args.splice(*at..*at, values);
                }
            }
            ExprKind::Array(elements) | ExprKind::Cell(elements) => {
                if let Element::Spread(of) = elements.remove(*at) {
                    elements.splice(*at..*at, values(of));
                }
            }
            _ => {}
        }
    }
}
