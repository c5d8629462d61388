//! External definitions: `NAME = value` on a command line or in a macro call replaces the value that the program gives
//! its constant or tuning parameter `NAME`. Works on the AST, so all later phases see a program written with the value.

use super::scope::Assigned;
use super::unit::Unit;
use super::walk;
use crate::message::{Message, Sink, nearest};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use std::collections::BTreeMap;

/// An external value for a name.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name, with its span outside of the program.
    pub name: Name,
    /// The new value.
    pub value: Expr,
}

impl Definition {
    /// The same for the tuning parameter `$name`.
    pub fn of_tuning(mut self) -> Definition {
        self.name.text.insert(0, '$');
        self
    }
}

/// Extracts `NAME = value` from parsed text; reports anything else and returns `None`.
pub fn read(module: Module, place: Span, sink: &mut Sink) -> Option<Definition> {
    let mut items = module.items.into_iter();
    if let (Some(Stmt { kind: StmtKind::Expr(expr), .. }), None) = (items.next(), items.next())
        && let ExprKind::Assign { target, op: None, value } = expr.kind
        && let Target::Place { place, annotation: None } = *target
        && let ExprKind::Name(text) = place.kind
    {
        return Some(Definition { name: Name { text, span: place.span }, value: *value });
    }
    sink.push(
        Message::error("Q0213", place, "a value from outside is written as `NAME = value`")
            .help("the name is that of a constant of the program, the value an expression"),
    );
    None
}

/// Applies definitions to a unit, whose last module is the program.
pub fn apply(unit: &mut Unit, definitions: Vec<Definition>, sink: &mut Sink) {
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for definition in definitions {
        let name = definition.name.clone();
        if let Some(first) = seen.insert(name.text.clone(), name.span) {
            let text = format!("'{}' is given two values", name.text);
            sink.push(Message::error("Q0214", name.span, text).related(first, "the first one"));
            continue;
        }
        if name.text.starts_with('$') {
            tune(unit, &definition, sink);
            continue;
        }
        match find(unit, &name) {
            Ok(position) => put(unit, position, definition, sink),
            Err(message) => sink.push(*message),
        }
    }
}

/// Replaces the default of a tuning parameter (`{!tuning_param name="$p"; default=v}`) in all modules.
fn tune(unit: &mut Unit, definition: &Definition, sink: &mut Sink) {
    let mut tuning = Tuning { definition, found: false, known: Vec::new() };
    for module in &mut unit.modules {
        tuning.block(&mut module.module.items);
    }
    let Tuning { found: false, known, .. } = tuning else { return };
    let name = &definition.name;
    if let Some(kernel) = name.text.strip_prefix(BLOCKS)
        && bound_blocks(unit, kernel, definition)
    {
        return;
    }
    let message =
        Message::error("Q0214", name.span, format!("the program has no tuning parameter '{}'", name.text));
    sink.push(match known.as_slice() {
        [] => message.help("write `{!tuning_param name=\"$p\"; default=16}` in the program"),
        names => message.help(format!("it has {}", names.join(", "))),
    });
}

/// What the names of tuning parameters begin with that every written kernel has without saying so: the threads of its blocks.
const BLOCKS: &str = "$blocks_";

/// Gives a written kernel an attribute for the threads of its blocks. Says whether there is such a kernel.
fn bound_blocks(unit: &mut Unit, kernel: &str, definition: &Definition) -> bool {
    let span = definition.name.span;
    let name = |text: &str| Name { text: text.to_owned(), span };
    let mut found = false;
    for item in unit.modules.iter_mut().flat_map(|module| &mut module.module.items) {
        let StmtKind::Function(function) = &mut item.kind else { continue };
        if function.kind == FunctionKind::Kernel && function.name.text == kernel {
            let argument =
                AttributeArg { key: Some(name("max_threads_per_block")), value: definition.value.clone() };
            let words = vec![name("cuda_launch_bounds")];
            let attribute = Attribute { words, arguments: vec![argument], braces: true, span };
            function
                .body
                .insert(0, Stmt { id: definition.value.id, kind: StmtKind::Attribute(attribute), span });
            found = true;
        }
    }
    found
}

struct Tuning<'d> {
    definition: &'d Definition,
    found: bool,
    known: Vec<String>,
}

impl VisitMut for Tuning<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        let StmtKind::Attribute(attribute) = &mut stmt.kind else { return change::stmt_parts(self, stmt) };
        if !matches!(attribute.words.as_slice(), [word] if word.text == "tuning_param") {
            return;
        }
        let keyed =
            |argument: &AttributeArg, name: &str| argument.key.as_ref().is_some_and(|key| key.text == name);
        let name = attribute.arguments.iter().find(|argument| keyed(argument, "name"));
        let Some(ExprKind::Text(name)) = name.map(|argument| &argument.value.kind) else { return };
        if *name != self.definition.name.text {
            self.known.push(name.clone());
            return;
        }
        if let Some(default) = attribute.arguments.iter_mut().find(|argument| keyed(argument, "default")) {
            default.value = self.definition.value.clone();
            self.found = true;
        }
    }
}

/// The module that has the constant: the program, or one that it imports.
fn find(unit: &Unit, name: &Name) -> Result<usize, Box<Message>> {
    let root = unit.modules.len().saturating_sub(1);
    let imports = unit.modules.get(root).map_or(&[][..], |module| &module.imports);
    for position in std::iter::once(root).chain(imports.iter().rev().copied()) {
        let Some(module) = unit.modules.get(position) else { continue };
        let assigned = assigned(&module.module);
        let Some((count, first)) = assigned.names.get(name.text.as_str()) else { continue };
        if *count == 1 && !assigned.in_loops.contains(name.text.as_str()) {
            return Ok(position);
        }
        let text = format!("'{}' is no constant: the program assigns it more than once", name.text);
        let message = Message::error("Q0214", name.span, text);
        return Err(Box::new(message.related(*first, "the first assignment")));
    }
    Err(Box::new(unknown(unit, root, name)))
}

fn unknown(unit: &Unit, root: usize, name: &Name) -> Message {
    let message = Message::error("Q0214", name.span, format!("the program has no constant '{}'", name.text));
    let Some(module) = unit.modules.get(root).map(|module| &module.module) else { return message };
    let function = module.items.iter().find_map(|item| match &item.kind {
        StmtKind::Function(function) if function.name.text == name.text => Some(function.name.span),
        _ => None,
    });
    if let Some(function) = function {
        return message.related(function, "this is a function");
    }
    let assigned = assigned(module);
    if let Some(near) = nearest(&name.text, assigned.names.keys().copied()) {
        return message.help(format!("did you mean '{near}'?"));
    }
    let names: Vec<&str> = assigned.names.keys().copied().take(12).collect();
    match names.as_slice() {
        [] => message.help("it assigns nothing outside of its functions"),
        names => message.help(format!("outside of functions it assigns {}", names.join(", "))),
    }
}

/// The names that the statements of a module assign.
fn assigned(module: &Module) -> Assigned<'_> {
    let mut assigned = Assigned::default();
    walk::block(&module.items, &mut assigned);
    assigned
}

/// Replaces the value where the constant is assigned.
fn put(unit: &mut Unit, position: usize, definition: Definition, sink: &mut Sink) {
    let name = definition.name.clone();
    let mut replace = Replace { definition: Some(definition) };
    if let Some(module) = unit.modules.get_mut(position) {
        replace.block(&mut module.module.items);
    }
    if replace.definition.is_some() {
        let text = format!("'{}' cannot be given a value: no statement assigns it alone", name.text);
        let message = Message::error("Q0214", name.span, text);
        sink.push(message.help(format!("in the program, write `{} = ..` as a statement", name.text)));
    }
}

struct Replace {
    /// The definition, until it was applied.
    definition: Option<Definition>,
}

impl VisitMut for Replace {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            // Their assignments are to local variables.
            StmtKind::Function(_) | StmtKind::Macro(_) => {}
            StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
                let chain = matches!(value.kind, ExprKind::Assign { .. });
                if let (Target::Place { place, .. }, false) = (&**target, chain)
                    && let ExprKind::Name(name) = &place.kind
                    && self.definition.as_ref().is_some_and(|definition| definition.name.text == *name)
                    && let Some(definition) = self.definition.take()
                {
                    **value = definition.value;
                }
            }
            _ => change::stmt_parts(self, stmt),
        }
    }

    // Statements are nested in statements only.
    fn expr(&mut self, _: &mut Expr) {}
}
