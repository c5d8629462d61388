//! Flow-sensitive forward type inference, one function instance at a time. This file holds the state of the analysis
//! ([`Analyzer`]), that of one instance ([`Frame`]), and the outer fixpoint over the types of module-level variables.

mod arguments;
mod assignments;
mod builtin_calls;
mod call_site_facts;
mod classes;
mod closures;
mod constants;
mod conversions;
mod dynamic_dispatch;
mod element_values;
mod expressions;
mod flow_facts;
mod functions;
mod groups;
mod indexing;
mod launches;
mod linearize;
mod literals;
mod loops;
mod meta;
mod module_variables;
mod monomorphize;
mod objects;
mod overloads;
mod rewrite;
mod schedule;
mod specialize;
mod spreading;
mod statements;
mod symbolic;
mod ternary;
mod type_params;
mod type_tests;

pub(in crate::sema) use monomorphize::SPECIAL;

use super::flow_state::{Environment, Variable};
use super::model::*;
use super::scope::{self, AssignedElements, EnumInfo, Lexical, ModuleScope, TypeName};
use super::unit::{Unit, UnitIndex};
use super::{SemaOptions, roots};
use crate::ids::Arena;
use crate::logic::{Facts, Linear};
use crate::message::{Message, MessageIndex, Sink, nearest};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::node_map::NodeMap;
use crate::types::display::Names;
use crate::types::resolve::{self, Access, Bound, Named, Resolved, TypeScope};
use crate::types::{ClassType, ElementType, EnumId, Type};
use monomorphize::Memo;
pub(super) use monomorphize::Request;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The state of the analysis of a unit.
pub(super) struct Analyzer<'a> {
    pub(super) unit: &'a Unit,
    pub(super) index: UnitIndex<'a>,
    pub(super) options: &'a SemaOptions,
    pub(super) scopes: Vec<ModuleScope<'a>>,
    pub(super) enums: Vec<EnumInfo<'a>>,
    enum_names: Vec<String>,
    /// The instantiated classes; kept across iterations of the outer fixpoint.
    pub(super) classes: Vec<classes::ClassInfo<'a>>,
    /// Indices into `classes`, by the address of the definition.
    classes_of: HashMap<usize, Vec<usize>>,
    /// Errors in class definitions.
    pub(super) class_messages: Vec<Message>,
    /// The classes whose base class is being resolved, to detect cycles.
    inheriting: Vec<&'a TypeDef>,
    pub(super) instances: Arena<Instance>,
    /// The messages of each instance; only those of reachable instances are reported.
    pub(super) instance_messages: Vec<Vec<Message>>,
    /// The conditions that each instance leaves undecided.
    undecided_conditions: Vec<Vec<call_site_facts::UndecidedCondition>>,
    memo: Memo,
    /// The instances on the inference stack, its depth, and the number of instances of each definition on it.
    running: BTreeSet<InstanceId>,
    instance_depth: usize,
    nested_of: HashMap<Definition, usize>,
    /// Types of shared module-level variables. They only widen from one outer iteration to the next.
    pub(super) global_types: BTreeMap<String, Type>,
    globals_changed: bool,
    /// The lexical environment of each inner function and lambda, as of its latest definition.
    lexical: BTreeMap<NodeId, Lexical>,
    /// For inner functions and lambdas: the variables that an enclosing function assigns only after the definition.
    later: BTreeMap<NodeId, BTreeSet<&'a str>>,
    /// Access modes and values of captured variables, by closure definition.
    captured: HashMap<NodeId, Vec<(crate::types::ClosureType, Vec<Variable>)>>,
    /// The number of names compared with misspelled ones so far.
    compared: std::cell::Cell<usize>,
    /// The functions being converted to first-class values, to stop recursion: one may return itself.
    converting_to_values: Vec<(crate::types::ClosureType, Type)>,
    frame: Frame<'a>,
    /// Rewrite rules, their memoised results, and the rules being applied.
    rules: rewrite::Rules<'a>,
    memory: rewrite::Memory<'a>,
    marks: rewrite::Marks,
    applied: Vec<rewrite::Applied>,
    rewrite_depth: usize,
    /// Specialised versions of functions, and their assertions that are assumed instead of tested.
    versions: specialize::Versions,
    assumed_assertions: BTreeSet<NodeId>,
    /// Nesting depth of the expression being inferred.
    depth: usize,
}

/// The state of the inference of one instance.
struct Frame<'a> {
    name: String,
    kind: FunctionKind,
    /// The target the instance is compiled for, and the most specific `$target` query of its code.
    compile_target: CompileTarget,
    target_query: TargetQuery,
    lexical: Lexical,
    /// Whether this is the top level of a module.
    top_level: bool,
    env: Environment,
    /// Whether this point is unreachable.
    dead: bool,
    tables: Tables,
    messages: Vec<Message>,
    known_messages: MessageIndex,
    /// Known components of integer vectors, by expression.
    known_components: NodeMap<Vec<Option<i64>>>,
    loops: Vec<LoopFrame>,
    /// All names that are assigned somewhere in the function.
    locals: BTreeSet<&'a str>,
    /// The variables that an enclosing function assigns only after this definition.
    later: BTreeSet<&'a str>,
    /// The variables with elements that are assigned.
    assigned_elements: AssignedElements<'a>,
    /// Annotations of outputs that have no value yet.
    outputs: BTreeMap<String, (Option<Type>, Access)>,
    /// Whether a variable was read that only a later statement of an enclosing loop assigns.
    reads_later_assignment: bool,
    /// The number of enclosing `try` bodies.
    tries: usize,
    /// The facts that hold at this point.
    facts: Facts,
    /// The conditions that facts come from, and whether they hold there; for messages.
    origins: Vec<(&'a Expr, bool)>,
    /// Unknowns of array elements, by the array's unknown and constant indices. Any store clears them.
    elements: BTreeMap<(u32, Vec<i64>), u32>,
    /// Unknowns of immutable kernel positions: no component is negative.
    positions: Vec<u32>,
    /// For lists of extents: the name of the unknown for the number of elements.
    counts: Vec<(Vec<Linear>, Arc<str>)>,
    /// The number of unknowns created so far.
    unknowns: u32,
    /// Unknowns up to this one belong to parameters.
    params: u32,
    /// Undecided conditions on parameters.
    undecided_conditions: Vec<call_site_facts::UndecidedCondition>,
    /// Whether the condition is that of an assertion.
    asserts: bool,
    /// The number of queries to the prover so far.
    prover_queries: usize,
    /// Whether the expression is the operand of a meta function or assertion, where symbolic names are allowed.
    in_meta_operand: bool,
    /// The piece of an operator chain whose value is an operand of the next piece.
    chain_operand: Option<NodeId>,
    /// The expression whose value is assigned directly, and the name of the variable, for messages.
    target: Option<(NodeId, &'a str)>,
    /// The captures of the closure whose arguments are being matched, for its default values.
    captured: Vec<(String, Variable)>,
    /// Whether facts must not decide conditions.
    facts_disabled: bool,
    /// Whether a string is compared at compile time, which device code may do too.
    compares: bool,
    /// Expressions that a rule must not rewrite again, because it made them from the same operands.
    stopped: BTreeSet<NodeId>,
    /// The number of rewrites of the current expression.
    rewrites: usize,
    /// Variables that are assigned by rewritten expressions.
    assigned_by_rewrites: BTreeSet<&'a str>,
}

/// The state of an enclosing loop: its label, and the environments at its `break` and `continue` statements.
struct LoopFrame {
    label: Option<String>,
    exits: Vec<Environment>,
    /// Whether this is the first iteration of the fixpoint, when the types at the back edge are not yet known.
    first: bool,
    /// Whether a `break` leaves the loop.
    broken: bool,
}

impl Frame<'_> {
    fn new(name: &str, kind: FunctionKind, lexical: Lexical) -> Self {
        Frame {
            name: name.to_owned(),
            kind,
            compile_target: CompileTarget::Processor,
            target_query: TargetQuery::Nothing,
            lexical,
            top_level: false,
            env: Environment::new(),
            dead: false,
            tables: Tables::default(),
            messages: Vec::new(),
            known_messages: MessageIndex::default(),
            known_components: NodeMap::new(),
            loops: Vec::new(),
            locals: BTreeSet::new(),
            later: BTreeSet::new(),
            assigned_elements: AssignedElements::default(),
            outputs: BTreeMap::new(),
            reads_later_assignment: false,
            tries: 0,
            facts: Facts::default(),
            origins: Vec::new(),
            elements: BTreeMap::new(),
            positions: Vec::new(),
            counts: Vec::new(),
            unknowns: 0,
            params: 0,
            undecided_conditions: Vec::new(),
            asserts: false,
            prover_queries: 0,
            in_meta_operand: false,
            chain_operand: None,
            target: None,
            captured: Vec::new(),
            facts_disabled: false,
            compares: false,
            stopped: BTreeSet::new(),
            rewrites: 0,
            assigned_by_rewrites: BTreeSet::new(),
        }
    }
}

/// The maximal number of names compared with misspelled ones in a compilation.
const MAX_COMPARED: usize = 200_000;

/// The maximal number of outer iterations until the types of module-level variables are stable.
const MAX_GLOBAL_ITERATIONS: usize = 6;

/// Analyses a unit.
pub(super) fn run(unit: &Unit, options: &SemaOptions, sink: &mut Sink) -> SemanticModel {
    let (scopes, enums) = scope::collect(unit);
    let enum_names = enums.iter().map(|info| info.name.to_owned()).collect();
    let mut analyzer = Analyzer {
        unit,
        index: unit.index(),
        options,
        scopes,
        enums,
        enum_names,
        classes: Vec::new(),
        classes_of: HashMap::new(),
        class_messages: Vec::new(),
        inheriting: Vec::new(),
        instances: Arena::new(),
        instance_messages: Vec::new(),
        undecided_conditions: Vec::new(),
        memo: Memo::default(),
        running: BTreeSet::new(),
        instance_depth: 0,
        nested_of: HashMap::new(),
        global_types: BTreeMap::new(),
        globals_changed: false,
        lexical: BTreeMap::new(),
        later: BTreeMap::new(),
        captured: HashMap::new(),
        compared: std::cell::Cell::new(0),
        converting_to_values: Vec::new(),
        frame: Frame::new("", FunctionKind::Host, Lexical::default()),
        rules: rewrite::Rules::default(),
        memory: rewrite::Memory::new(),
        marks: rewrite::Marks::default(),
        applied: Vec::new(),
        rewrite_depth: 0,
        versions: Vec::new(),
        assumed_assertions: BTreeSet::new(),
        depth: 0,
    };
    analyzer.collect_rules();
    for _ in 0..MAX_GLOBAL_ITERATIONS {
        analyzer.restart();
        let (model, messages) = roots::roots(&mut analyzer);
        if !analyzer.globals_changed {
            return roots::complete(analyzer, model, messages, sink);
        }
    }
    let (model, messages) = roots::roots(&mut analyzer);
    roots::complete(analyzer, model, messages, sink)
}

impl<'a> Analyzer<'a> {
    fn restart(&mut self) {
        self.instances = Arena::new();
        self.instance_messages.clear();
        self.undecided_conditions.clear();
        self.memo.clear();
        self.lexical.clear();
        self.captured.clear();
        self.globals_changed = false;
        for scope in &mut self.scopes {
            for global in scope.globals.values_mut() {
                global.value = None;
            }
        }
    }

    /// The element type that `scalar` stands for.
    pub(super) fn working(&self) -> ElementType {
        self.options.precision
    }

    /// The source spelling of a type.
    pub(super) fn show(&self, ty: &Type) -> String {
        Names { working: self.working(), enums: &self.enum_names }.of(ty)
    }

    fn say(&mut self, message: Message) {
        let Frame { messages, known_messages, .. } = &mut self.frame;
        known_messages.add(messages, message);
    }

    /// Reports an error. Returns `Error`, the type of the erroneous node.
    fn error(&mut self, code: &'static str, span: Span, text: impl Into<String>) -> Type {
        self.say(Message::error(code, span, text));
        Type::Error
    }

    fn not_supported(&mut self, span: Span, what: impl std::fmt::Display) -> Type {
        self.say(Message::not_supported(span, what));
        Type::Error
    }

    /// The messages reported outside of instances.
    pub(super) fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.frame.messages)
    }

    /// Whether the current code runs inside a kernel.
    fn on_device(&self) -> bool {
        self.frame.kind != FunctionKind::Host
    }

    /// Resolves a type name in a module: its own types, then visible ones of its imports.
    fn type_name(&self, module: usize, name: &str) -> Option<TypeName<'a>> {
        let own = self.scopes.get(module)?;
        own.types.get(name).copied().or_else(|| {
            own.imports.iter().rev().find_map(|import| self.scopes.get(*import)?.visible_type(name))
        })
    }

    /// The functions of a name that are visible in a module: its own, then imported ones.
    fn module_functions(&self, module: usize, name: &str) -> Vec<NodeId> {
        let Some(own) = self.scopes.get(module) else { return Vec::new() };
        let mut found = own.functions.get(name).cloned().unwrap_or_default();
        for import in &own.imports {
            let Some(scope) = self.scopes.get(*import) else { continue };
            for id in scope.functions.get(name).into_iter().flatten() {
                if name != "main" && !self.index.function(*id).is_none_or(|function| function.concealed) {
                    found.push(*id);
                }
            }
        }
        found
    }

    /// The module-level variable of a name that is visible in a module, and the module that defines it.
    fn global(&self, module: usize, name: &str) -> Option<(usize, &scope::Global)> {
        let own = self.scopes.get(module)?;
        if let Some(global) = own.globals.get(name) {
            return Some((module, global));
        }
        own.imports
            .iter()
            .rev()
            .find_map(|import| Some((*import, self.scopes.get(*import)?.globals.get(name)?)))
    }

    /// Resolves a type expression in the lexical environment of the current function.
    fn resolve(&mut self, written: &'a TypeExpr) -> (Resolved, Access) {
        let lexical = self.frame.lexical.clone();
        self.resolve_in(written, &lexical)
    }

    /// Resolves a type expression in a given lexical environment.
    fn resolve_in(&mut self, written: &'a TypeExpr, lexical: &Lexical) -> (Resolved, Access) {
        let mut scope = TypeResolutionScope { analyzer: self, lexical, aliases: Vec::new() };
        resolve::resolve(written, &mut scope)
    }

    /// Type and access of an annotation. The type is `None` for modifiers alone and for types that stay open.
    fn annotation(&mut self, annotation: &'a Annotation) -> (Option<Type>, Access) {
        let (resolved, access) = self.annotation_in(annotation, &self.frame.lexical.clone());
        match resolved {
            Resolved::Is(ty) => (Some(ty), access),
            Resolved::Any if Self::means_functions(annotation) => (None, access),
            Resolved::Any => (annotation.ty.as_ref().map(|_| Type::Dynamic), access),
            Resolved::OneOf(_) | Resolved::Open => (None, access),
        }
    }

    pub(super) fn annotation_in(
        &mut self,
        annotation: &'a Annotation,
        lexical: &Lexical,
    ) -> (Resolved, Access) {
        let (mut resolved, mut access) = match &annotation.ty {
            Some(ty) => self.resolve_in(ty, lexical),
            None => (Resolved::Any, Access::default()),
        };
        for modifier in &annotation.modifiers {
            let mut scope = TypeResolutionScope { analyzer: self, lexical, aliases: Vec::new() };
            let (next, found) = resolve::modify(resolved, modifier, &mut scope);
            resolved = next;
            access = found.or(access);
        }
        (resolved, access)
    }

    /// The variable, function or builtin with the name closest to a misspelled one.
    fn near(&self, name: &str) -> Option<String> {
        if self.compared.get() >= MAX_COMPARED {
            return None;
        }
        let module = self.frame.lexical.module;
        let mut names: Vec<&str> = self.frame.env.keys().map(String::as_str).collect();
        names.extend(self.frame.lexical.functions.iter().map(|(name, _)| name.as_str()));
        if let Some(own) = self.scopes.get(module) {
            for scope in std::iter::once(own).chain(own.imports.iter().filter_map(|k| self.scopes.get(*k))) {
                names.extend(scope.functions.keys());
                names.extend(scope.globals.keys());
            }
        }
        names.extend(crate::builtins::entries().map(|entry| entry.builtin.name));
        names.extend(["zeros", "ones", "uninit", "czeros", "pi", "eps"]);
        self.near_of(name, names.into_iter())
    }

    /// The closest of some names; `None` once the budget of comparisons is spent.
    fn near_of<'n>(&self, name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
        let left = MAX_COMPARED.saturating_sub(self.compared.get());
        let mut seen = 0;
        let found = nearest(name, names.take(left).inspect(|_| seen += 1));
        self.compared.set(self.compared.get() + seen);
        found
    }
}

/// The scope in which a type expression is resolved.
struct TypeResolutionScope<'x, 'a> {
    analyzer: &'x mut Analyzer<'a>,
    lexical: &'x Lexical,
    aliases: Vec<Vec<(&'a str, Bound)>>,
}

impl<'a> TypeScope<'a> for TypeResolutionScope<'_, 'a> {
    fn named(&mut self, name: &str) -> Named<'a> {
        let of_bound = |bound: &Bound| match bound {
            Bound::Type(ty) => Named::Type(ty.clone()),
            Bound::Integer(n) => Named::Integer(*n),
        };
        if let Some((_, bound)) =
            self.aliases.last().and_then(|list| list.iter().find(|(key, _)| *key == name))
        {
            return of_bound(bound);
        }
        match self.lexical.bindings.iter().rev().find(|(key, _)| key == name) {
            Some((_, Some(bound))) => return of_bound(bound),
            Some((_, None)) => return Named::Unbound,
            None => {}
        }
        match self.analyzer.type_name(self.lexical.module, name) {
            Some(TypeName::Alias(params, body)) => Named::Alias(params, body),
            Some(TypeName::Enum(id)) => Named::Type(Type::Enum(EnumId(id))),
            Some(TypeName::Class(definition)) => Named::Class(&definition.params),
            None => Named::Unknown,
        }
    }

    fn integer(&mut self, expr: &'a Expr) -> Option<i64> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some((_, Bound::Integer(n))) =
                self.aliases.last().and_then(|list| list.iter().find(|(key, _)| key == name))
        {
            return Some(*n);
        }
        self.analyzer.size_expression(expr, self.lexical)
    }

    fn working(&self) -> ElementType {
        self.analyzer.working()
    }

    fn report(&mut self, message: Message) {
        self.analyzer.say(message);
    }

    fn suggestion(&mut self, name: &str) -> Option<String> {
        let predefined = [
            "scalar", "cscalar", "int", "int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64",
            "string", "vec", "mat", "cube", "ivec", "imat", "icube", "cvec", "cmat", "ccube", "cell",
            "function",
        ];
        let own = self.analyzer.scopes.get(self.lexical.module).map(|scope| scope.types.keys().copied());
        self.analyzer.near_of(name, predefined.into_iter().chain(own.into_iter().flatten()))
    }

    fn enter_alias(&mut self, params: &'a [TypeParam], args: Vec<Bound>) {
        self.aliases.push(params.iter().map(|param| param.name.text.as_str()).zip(args).collect());
    }

    fn leave_alias(&mut self) {
        self.aliases.pop();
    }

    fn class(&mut self, name: &Name, args: Vec<Bound>) -> Option<Arc<ClassType>> {
        self.analyzer.class_of_name(self.lexical.module, &name.text, name.span, args)
    }
}
