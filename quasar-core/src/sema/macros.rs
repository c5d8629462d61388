//! Macros: an invocation becomes the statements of the macro, before anything else looks at the trees. Conditions in a macro
//! stay, and are decided where all others are.

use super::scope::Assigned;
use super::unit::Unit;
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, Change};
use std::collections::{BTreeMap, BTreeSet};

/// Invocations in macros nest no deeper.
const NESTING: usize = 32;
/// No more invocations are expanded in a unit.
const EXPANSIONS: usize = 20_000;

/// Where a macro was put in.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The invocation.
    pub place: Span,
    /// The head of the macro.
    pub definition: Span,
}

/// Expands all invocations in a unit.
pub fn expand(unit: &mut Unit, ids: &mut NodeIds, sink: &mut Sink) -> Vec<Expansion> {
    let own: Vec<BTreeMap<String, Function>> = unit
        .modules
        .iter()
        .map(|module| {
            let macros = module.module.items.iter().filter_map(|item| match &item.kind {
                StmtKind::Macro(definition) => Some((definition.name.text.clone(), (**definition).clone())),
                _ => None,
            });
            macros.collect()
        })
        .collect();
    let mut places = Vec::new();
    let count = unit.modules.len();
    for position in 0..count {
        let module = &unit.modules[position];
        let scopes: Vec<&BTreeMap<String, Function>> = std::iter::once(position)
            .chain(module.imports.iter().copied())
            .filter_map(|k| own.get(k))
            .collect();
        if scopes.iter().all(|scope| scope.is_empty()) && !has_inner_macro(&module.module.items) {
            continue;
        }
        let mut items = std::mem::take(&mut unit.modules[position].module.items);
        let mut expander = Expander { scopes, ids, sink, places: &mut places, open: Vec::new() };
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

/// Whether a macro is defined inside of something.
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

struct Expander<'x> {
    scopes: Vec<&'x BTreeMap<String, Function>>,
    ids: &'x mut NodeIds,
    sink: &'x mut Sink,
    places: &'x mut Vec<Expansion>,
    /// The macros that are being expanded, the innermost last.
    open: Vec<String>,
}

impl<'x> Expander<'x> {
    /// Says what is wrong with a definition.
    fn check(&mut self, definition: &Function) {
        if let Some(output) = definition.outputs.first() {
            let text = format!("the macro '{}' cannot have outputs", definition.name.text);
            self.sink.push(Message::error("Q0620", output.name.span, text));
        }
        if let Some(param) = definition.params.iter().find(|param| param.variadic) {
            self.sink.push(Message::not_supported(param.name.span, "variadic parameters of macros"));
        }
    }

    fn macro_named(&self, name: &str) -> Option<&'x Function> {
        self.scopes.iter().find_map(|scope| scope.get(name))
    }

    /// The statements that an invocation stands for; `None` where the attribute is no invocation.
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
        let Some(arguments) = self.arguments(definition, attribute) else { return Some(Block::new()) };
        self.places.push(Expansion { place: attribute.span, definition: definition.header });
        let number = self.places.len();
        let mut own = Own::default();
        walk::block(&definition.body, &mut own);
        let mut assigned = Assigned::default();
        walk::block(&definition.body, &mut assigned);
        own.0.extend(assigned.names.keys().map(|name| (*name).to_owned()));
        let renamed = own.0.into_iter().filter(|name| !arguments.contains_key(name));
        let renamed = renamed.map(|name| (name.clone(), format!("{name}__{number}"))).collect();
        let mut body = definition.body.clone();
        let mut fill = Fill { ids: self.ids, span: attribute.span, arguments, renamed };
        fill.block(&mut body);
        self.open.push(name.text.clone());
        self.block(&mut body);
        self.open.pop();
        Some(body)
    }

    /// The expression of each parameter; `None` where they do not fit, which is said.
    fn arguments(&mut self, definition: &Function, attribute: &Attribute) -> Option<BTreeMap<String, Expr>> {
        let mut found: BTreeMap<String, Expr> = BTreeMap::new();
        let mut next = definition.params.iter();
        for argument in &attribute.arguments {
            let param = match &argument.key {
                Some(key) => definition.params.iter().find(|param| param.name.text == key.text),
                None => next.by_ref().find(|param| !found.contains_key(&param.name.text)),
            };
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
        for param in &definition.params {
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
        Some(found)
    }
}

impl Change for Expander<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut done = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            match &stmt.kind {
                StmtKind::Attribute(attribute) => match self.invocation(attribute) {
                    Some(statements) => done.extend(statements),
                    None => done.push(stmt),
                },
                StmtKind::Macro(definition) => {
                    self.sink.push(Message::not_supported(definition.name.span, "macros inside functions"));
                }
                _ => {
                    self.stmt(&mut stmt);
                    done.push(stmt);
                }
            }
        }
        *block = done;
    }

    // Only statements hold statements.
    fn expr(&mut self, _: &mut Expr) {}
    fn ty(&mut self, _: &mut TypeExpr) {}
}

/// The names that a macro's own code introduces, but for variables.
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

/// Puts arguments and new names into a copy of a macro's body.
struct Fill<'x> {
    ids: &'x mut NodeIds,
    span: Span,
    arguments: BTreeMap<String, Expr>,
    renamed: BTreeMap<String, String>,
}

/// Gives an argument's nodes ids of their own; they stay where they were written.
struct Renumber<'x>(&'x mut NodeIds);

impl Change for Renumber<'_> {
    fn node(&mut self, id: &mut NodeId, _: &mut Span) {
        *id = self.0.fresh();
    }
}

impl Change for Fill<'_> {
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
                let mut argument = argument.clone();
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
                *e = argument;
                return;
            }
            if let Some(new) = self.renamed.get(name) {
                e.kind = ExprKind::Name(new.clone());
            }
        }
        change::expr_parts(self, e);
    }
}
