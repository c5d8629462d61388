//! From trees and tables to the IR: the only place where the language is taken apart. Nothing is inferred here, and what is
//! decided on the IR alone is a pass of `transform::legalize`.
//!
//! A variable of the source has one IR variable per type; the environment says which one holds the value now. What has
//! an effect inside an expression becomes a statement before it, in the order of evaluation.

mod assign;
mod attribute_schema;
mod attributes;
mod body;
mod builtins;
mod calls;
mod choices;
mod classes;
mod comments;
mod dispatch;
mod expressions;
mod function_values;
mod groups;
mod index;
mod launch;
mod literals;
mod loops;
mod lvalue;
mod masks;
mod messages;
mod objects;
mod operators;
mod ranges;
mod statements;
mod textures;
pub mod transforms;

use crate::ir::{
    Body, Export, Function, FunctionId, Global, GlobalId, Kernel, KernelAttributes, KernelId, Program, Stmt,
    StmtKind, VarId,
};
use crate::message::{Message, Sink};
use crate::sema::model::{CompileTarget, Definition, Instance, InstanceId, SemanticModel, TargetQuery};
use crate::sema::unit::{Unit, UnitIndex};
use crate::sema::walk;
use crate::sema::{COMMAND_LINE, ENTRY};
use crate::settings::Settings;
use crate::source::{SourceMap, Span};
use crate::syntax::ast::{self, FunctionKind, NodeId};
use crate::syntax::node_map::NodeMap;
use crate::types::Boundary;
use std::collections::{BTreeMap, BTreeSet};

/// What lowering needs to know besides the trees and their meaning.
#[derive(Clone, Copy, Debug)]
pub struct LowerOptions<'a> {
    /// What settings say.
    pub settings: &'a Settings,
    /// The texts, for the conditions that assertions quote.
    pub sources: &'a SourceMap,
}

/// Turns an analysed unit without errors into a program. What cannot be expressed yet is said in `sink`.
pub fn lower(unit: &Unit, model: &SemanticModel, options: &LowerOptions<'_>, sink: &mut Sink) -> Program {
    let mut expressions = Expressions::default();
    for module in &unit.modules {
        walk::block(&module.module.items, &mut expressions);
    }
    // Bodies of lambdas may have been made; where a made expression stands for another one, its instance knows.
    let mut made = Expressions::default();
    unit.made.exprs().for_each(|expr| walk::expr(expr, &mut made));
    unit.made.definitions().for_each(|stmt| walk::stmt(stmt, &mut made));
    made.by_id
        .iter()
        .filter(|(id, _)| id.is_synthetic())
        .for_each(|(id, e)| expressions.by_id.insert(id, *e));
    let mut context = Context {
        unit,
        model,
        index: unit.index(),
        expressions: expressions.by_id,
        program: Program::default(),
        targets: Vec::new(),
        globals: BTreeMap::new(),
        global_modes: BTreeMap::new(),
        options: *options,
        sink,
    };
    context.declare();
    for (id, _) in model.instances.iter() {
        let (body, attributes) = body::lower(&mut context, id);
        match context.targets[id.index()] {
            Target::Function(function) => context.program.functions[function].body = body,
            Target::Kernel(kernel) => {
                let kernel = &mut context.program.kernels[kernel];
                let textures = textures(&model.instances[id], &body);
                (kernel.body, kernel.attributes) = (body, KernelAttributes { textures, ..attributes });
            }
        }
    }
    context.entries();
    context.function_values();
    context.program
}

/// What an instance became.
#[derive(Clone, Copy, Debug)]
enum Target {
    Function(FunctionId),
    Kernel(KernelId),
}

/// What all bodies share.
struct Context<'a> {
    unit: &'a Unit,
    model: &'a SemanticModel,
    index: UnitIndex<'a>,
    expressions: NodeMap<&'a ast::Expr>,
    program: Program,
    targets: Vec<Target>,
    globals: BTreeMap<String, GlobalId>,
    /// Boundary modes of module-level variables that declare one.
    global_modes: BTreeMap<GlobalId, Boundary>,
    options: LowerOptions<'a>,
    sink: &'a mut Sink,
}

impl Context<'_> {
    fn not_supported(&mut self, span: Span, what: &str) {
        self.sink.push(Message::not_supported(span, what));
    }

    /// Gives every instance its function or kernel, so that bodies can refer to each other.
    fn declare(&mut self) {
        self.program.enums.clone_from(&self.model.enums);
        self.program.classes = classes::of(self.model);
        for (name, ty, boundary) in &self.model.globals {
            let id = self.program.globals.push(Global { name: name.clone(), ty: ty.clone() });
            self.global_modes.extend(boundary.map(|boundary| (id, boundary)));
            self.globals.insert(name.clone(), id);
        }
        let mut names = BTreeSet::new();
        for (id, instance) in self.model.instances.iter() {
            let name = unique(&instance.name, &mut names);
            let span = self.header(id);
            let body = body::signature(instance);
            let target = if instance.kind == FunctionKind::Kernel {
                let accumulators = Vec::new();
                let rank = instance.rank.max(1);
                Target::Kernel(self.program.kernels.push(Kernel {
                    name,
                    body,
                    rank,
                    accumulators,
                    parallel: true,
                    aliased: false,
                    divisible: false,
                    attributes: Default::default(),
                    strip: None,
                    schedule: Default::default(),
                    span,
                }))
            } else {
                let device = instance.kind == FunctionKind::Device;
                let processor = device
                    && instance.target_query != TargetQuery::Nothing
                    && instance.compile_target == CompileTarget::Processor;
                let source_name =
                    if instance.name == ENTRY { COMMAND_LINE.to_string() } else { instance.name.clone() };
                Target::Function(self.program.functions.push(Function {
                    name,
                    source_name,
                    device,
                    processor,
                    lambda: matches!(instance.definition, Definition::Lambda(_)),
                    body,
                    span,
                }))
            };
            self.targets.push(target);
        }
    }

    /// The name of a function, and the place that all instances of it have.
    fn defined_at(&self, node: NodeId) -> Option<(String, Span)> {
        if let Some(function) = self.index.function(node) {
            return Some((function.name.text.clone(), function.header));
        }
        let made = || self.index.lambda(node).map(|lambda| lambda.body.span);
        let span = self.expressions.get(&node).map(|e| e.span).or_else(made)?;
        Some(("lambda".to_string(), span))
    }

    fn header(&self, id: InstanceId) -> Span {
        match self.model.instances[id].definition {
            Definition::Function(node) | Definition::Lambda(node) => {
                self.defined_at(node).map(|(_, span)| span).unwrap_or_default()
            }
            Definition::Module(index) => {
                let module = self.unit.modules.get(index).map(|m| &m.module);
                module.map(|m| Span { file: m.file, start: 0, end: 0 }).unwrap_or_default()
            }
        }
    }

    fn function(&self, id: InstanceId) -> Option<FunctionId> {
        match self.targets.get(id.index()) {
            Some(Target::Function(function)) => Some(*function),
            Some(Target::Kernel(_)) | None => None,
        }
    }

    /// `main`, the exports and the initializer.
    fn entries(&mut self) {
        self.program.main = self.model.main.and_then(|id| self.function(id));
        for (name, id, doc) in &self.model.exports {
            if let Some(function) = self.function(*id) {
                let span = self.model.instances[*id].definition;
                let (span, doc) = match span {
                    Definition::Function(node) => match self.index.function(node) {
                        Some(f) => {
                            let sources = self.options.sources;
                            (f.name.span, comments::documentation(sources, f.header, doc))
                        }
                        None => (Span::default(), doc.clone()),
                    },
                    Definition::Lambda(_) | Definition::Module(_) => (self.header(*id), doc.clone()),
                };
                self.program.exports.push(Export { name: name.clone(), function, doc, span });
            }
        }
        let parts: Vec<FunctionId> =
            self.model.initializers.iter().filter_map(|id| self.function(*id)).collect();
        let parts: Vec<FunctionId> =
            parts.into_iter().filter(|id| !self.program.functions[*id].body.block.is_empty()).collect();
        self.program.initializer = match parts[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.initialize(&parts)),
        };
    }

    fn initialize(&mut self, parts: &[FunctionId]) -> FunctionId {
        let mut names = self.program.functions.iter().map(|(_, f)| f.name.clone()).collect();
        let mut function = Function {
            name: unique("initialize", &mut names),
            source_name: "initialize".to_string(),
            device: false,
            processor: false,
            lambda: false,
            body: crate::ir::Body::default(),
            span: Span::default(),
        };
        for part in parts {
            let kind = StmtKind::Call { function: *part, args: Vec::new(), results: Vec::new() };
            function.body.block.push(Stmt { kind, span: self.program.functions[*part].span });
        }
        self.program.functions.push(function)
    }
}

/// The parameters of a kernel that are textures.
fn textures(instance: &Instance, body: &Body) -> Vec<VarId> {
    let bindings = instance.captures.iter().chain(&instance.params).filter(|binding| !binding.special);
    let textures = bindings.zip(&body.params).filter(|(binding, _)| binding.mode.texture.is_some());
    textures.map(|(_, param)| *param).collect()
}

/// A valid Rust name that no other function has.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut base: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
        base.insert(0, '_');
    }
    let mut candidate = base.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{base}_{number}");
        number += 1;
    }
    candidate
}

/// Collects all expressions of the unit by their ids.
#[derive(Default)]
struct Expressions<'a> {
    by_id: NodeMap<&'a ast::Expr>,
}

impl<'a> walk::Visitor<'a> for Expressions<'a> {
    fn expr(&mut self, expr: &'a ast::Expr) -> bool {
        self.by_id.insert(expr.id, expr);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_rust_names() {
        let mut taken = BTreeSet::new();
        assert_eq!(unique("f", &mut taken), "f");
        assert_eq!(unique("f", &mut taken), "f_2");
        assert_eq!(unique("f", &mut taken), "f_3");
        assert_eq!(unique("a.q", &mut taken), "a_q");
        assert_eq!(unique("3d", &mut taken), "_3d");
    }
}
