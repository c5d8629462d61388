//! Monomorphisation: one memoised inference per definition, argument types and target. Result types of recursive
//! functions are found by a fixpoint. Also binds parameters and outputs of the instance being inferred.

use super::call_site_facts::UndecidedCondition;
use super::{Analyzer, Frame};
use crate::logic::Proposition;
use crate::parallel;
use crate::sema::flow_state::{Identity, Variable, mode};
use crate::sema::messages;
use crate::sema::model::*;
use crate::sema::scope::{Assigned, Lexical};
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::Type;
use crate::types::known::known_bytes;
use crate::types::resolve::{Access, Bound};
use quasar_devicelib::device_text::CONSTANT_BYTES;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The key of an instance.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sema) struct Request {
    pub(in crate::sema) definition: Definition,
    /// Host, device or kernel code.
    pub(in crate::sema) kind: FunctionKind,
    /// Captured variables.
    pub(in crate::sema) captures: Vec<(String, Variable)>,
    /// Types of the parameters, special ones included.
    pub(in crate::sema) params: Vec<Type>,
    /// For kernels: the number of components of a position.
    pub(in crate::sema) rank: usize,
    /// The lexical environment of the definition, with the type and size parameters it binds itself.
    pub(in crate::sema) lexical: Lexical,
    /// The compilation target.
    pub(in crate::sema) compile_target: CompileTarget,
    /// Facts that callers know about its parameters.
    pub(in crate::sema) known: Vec<Proposition>,
}

impl Request {
    /// A request for a host or device function, without captures or facts of callers.
    pub(in crate::sema) fn plain(
        definition: Definition,
        kind: FunctionKind,
        params: Vec<Type>,
        lexical: Lexical,
        compiled: CompileTarget,
    ) -> Request {
        let (captures, known) = (Vec::new(), Vec::new());
        Request { definition, kind, captures, params, rank: 0, lexical, compile_target: compiled, known }
    }
}

/// A memoised instance.
#[derive(Debug)]
pub(super) struct Entry {
    request: Request,
    id: InstanceId,
    /// Result types; while the inference runs, those that recursive calls assume.
    results: Vec<Type>,
    running: bool,
    /// Whether a recursive call used the assumption.
    used: bool,
}

/// The instances so far, indexed by definition and parameter types.
#[derive(Debug, Default)]
pub(super) struct Memo {
    entries: Vec<Entry>,
    /// Entries by definition and hash of the parameter types. Indices may be stale: dropped entries may have been
    /// replaced.
    index: HashMap<Definition, BTreeMap<u64, Vec<usize>>>,
}

impl Memo {
    pub(super) fn clear(&mut self) {
        *self = Memo::default();
    }

    fn find(&mut self, request: &Request) -> Option<&mut Entry> {
        let places = self.index.get(&request.definition)?.get(&digest(&request.params))?;
        let is_same = |place: &&usize| self.entries.get(**place).is_some_and(|e| e.request == *request);
        let place = *places.iter().find(is_same)?;
        self.entries.get_mut(place)
    }

    /// Adds an entry and returns its index.
    fn push(&mut self, entry: Entry) -> usize {
        let place = self.entries.len();
        let same = self.index.entry(entry.request.definition).or_default();
        let places = same.entry(digest(&entry.request.params)).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
        self.entries.push(entry);
        place
    }

    /// The requests for instances of a definition.
    fn requests_of(&self, definition: Definition) -> Vec<&Request> {
        let mut found = Vec::new();
        for (wanted, places) in self.index.get(&definition).into_iter().flatten() {
            let requests = places.iter().filter_map(|place| Some(&self.entries.get(*place)?.request));
            found.extend(requests.filter(|r| r.definition == definition && digest(&r.params) == *wanted));
        }
        found
    }
}

fn digest(types: &[Type]) -> u64 {
    let mut hasher = DefaultHasher::new();
    types.hash(&mut hasher);
    hasher.finish()
}

/// Nested instances of one definition beyond this count as infinite polymorphic recursion.
const NESTING: usize = 40;
/// The maximal depth of nested instances.
const MAX_INSTANCE_DEPTH: usize = 10_000;
/// The number of nested instances per thread, whose stack they use.
const ON_ONE_STACK: usize = 40;
/// The maximal number of fixpoint iterations for the result types of a recursive function.
const ATTEMPTS: usize = 5;

/// Names of special kernel parameters.
pub(in crate::sema) const SPECIAL: &[&str] = &[
    "pos",
    "blkpos",
    "blkdim",
    "blkidx",
    "blkcnt",
    "warpsize",
    "coalesced_threads",
    "this_thread_block",
    "this_grid",
    "this_multi_grid",
];

impl<'a> Analyzer<'a> {
    /// The instance for a request, with its result types; inferred unless memoised.
    pub(in crate::sema) fn instantiate(
        &mut self,
        mut request: Request,
        span: Span,
    ) -> Option<(InstanceId, Vec<Type>)> {
        self.capture_of_module(&mut request);
        if let Some(entry) = self.memo.find(&request) {
            entry.used |= entry.running;
            return Some((entry.id, entry.results.clone()));
        }
        if self.nested_of.get(&request.definition).is_some_and(|nested| *nested >= NESTING) {
            self.error(
                "Q0323",
                span,
                "this call needs ever new instances of the function; declare the types of its parameters and outputs",
            );
            return None;
        }
        if self.instance_depth >= MAX_INSTANCE_DEPTH {
            let text = format!(
                "this is the last of {MAX_INSTANCE_DEPTH} functions that call each other; declare the types of its parameters"
            );
            self.error("Q0323", span, text);
            return None;
        }
        let id = self.instances.push(Instance {
            definition: request.definition,
            name: String::new(),
            kind: request.kind,
            captures: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            rank: request.rank,
            variadic: false,
            compile_target: request.compile_target,
            target_query: TargetQuery::Nothing,
            tables: Tables::default(),
        });
        self.instance_messages.push(Vec::new());
        self.undecided_conditions.push(Vec::new());
        let assumed = self.declared_results(&request);
        let entry = Entry { request: request.clone(), id, results: assumed, running: true, used: false };
        let place = self.memo.push(entry);
        self.running.insert(id);
        self.instance_depth += 1;
        *self.nested_of.entry(request.definition).or_default() += 1;
        let results = match self.instance_depth.is_multiple_of(ON_ONE_STACK) {
            true => parallel::on_new_stack(|| self.attempt(&request, id, place)),
            false => self.attempt(&request, id, place),
        };
        self.instance_depth -= 1;
        if let Some(nested) = self.nested_of.get_mut(&request.definition) {
            *nested -= 1;
        }
        self.running.remove(&id);
        Some((id, results))
    }

    fn attempt(&mut self, request: &Request, id: InstanceId, place: usize) -> Vec<Type> {
        let mut results = Vec::new();
        for attempt in 0..ATTEMPTS {
            let (instance, messages, doubts) = self.run_instance(request);
            self.undecided_conditions[id.index()] = doubts;
            results = instance.results.iter().map(|binding| binding.ty.clone()).collect::<Vec<_>>();
            self.instances[id] = instance;
            self.instance_messages[id.index()] = messages;
            let entry = &mut self.memo.entries[place];
            let stable = !entry.used || entry.results == results;
            if stable || attempt + 1 == ATTEMPTS {
                break;
            }
            entry.results.clone_from(&results);
            entry.used = false;
            // Instances inferred meanwhile may depend on the old assumption.
            self.memo.entries.truncate(place + 1);
        }
        let entry = &mut self.memo.entries[place];
        if entry.used && results.contains(&Type::Error) && self.instance_messages[id.index()].is_empty() {
            let span = self.definition_span(request.definition);
            let text = "the result types of this recursive function cannot be inferred; declare them";
            self.instance_messages[id.index()].push(crate::message::Message::error("Q0323", span, text));
        }
        let entry = &mut self.memo.entries[place];
        entry.running = false;
        entry.results.clone_from(&results);
        results
    }

    fn definition_span(&self, definition: Definition) -> Span {
        match definition {
            Definition::Function(id) => self.index.function(id).map(|function| function.name.span),
            Definition::Lambda(id) => self.index.lambda(id).map(|lambda| lambda.body.span),
            Definition::Module(_) => None,
        }
        .unwrap_or_default()
    }

    /// The lexical environment of a definition, with the parameters it binds itself.
    pub(in crate::sema) fn lexical_of(
        &self,
        definition: Definition,
        bindings: &[(String, Option<Bound>)],
    ) -> Lexical {
        let mut lexical = match definition {
            Definition::Function(id) | Definition::Lambda(id) => {
                self.lexical.get(&id).cloned().unwrap_or_else(|| Lexical {
                    module: self.index.modules.get(&id).copied().unwrap_or(0),
                    ..Lexical::default()
                })
            }
            Definition::Module(module) => Lexical { module, ..Lexical::default() },
        };
        lexical.bindings.extend(bindings.iter().cloned());
        lexical
    }

    /// The declared result types; `Error`, which suppresses follow-up messages, for the others.
    fn declared_results(&mut self, request: &Request) -> Vec<Type> {
        let Definition::Function(id) = request.definition else { return vec![Type::Error] };
        let Some(function) = self.index.function(id) else { return Vec::new() };
        let lexical = request.lexical.clone();
        let said = self.frame.messages.len();
        let types = function
            .outputs
            .iter()
            .map(|output| match &output.annotation {
                Some(annotation) => {
                    self.annotation_in(annotation, &lexical).0.single().cloned().unwrap_or(Type::Error)
                }
                None => Type::Error,
            })
            .collect();
        self.frame.messages.truncate(said);
        types
    }

    /// The requests for a definition so far.
    pub(super) fn requests_of(&self, definition: Definition) -> Vec<&Request> {
        self.memo.requests_of(definition)
    }

    /// Whether an instance is still being inferred.
    pub(super) fn is_running(&self, instance: InstanceId) -> bool {
        self.running.contains(&instance)
    }

    fn run_instance(
        &mut self,
        request: &Request,
    ) -> (Instance, Vec<crate::message::Message>, Vec<UndecidedCondition>) {
        let name = match request.definition {
            Definition::Function(id) => {
                self.index.function(id).map_or("", |function| function.name.text.as_str())
            }
            Definition::Lambda(_) => "lambda",
            Definition::Module(module) => {
                self.unit.modules.get(module).map_or("", |module| module.name.as_str())
            }
        };
        let mut frame = Frame::new(name, request.kind, request.lexical.clone());
        frame.compile_target = request.compile_target;
        if let Definition::Function(id) | Definition::Lambda(id) = request.definition {
            frame.later = self.later.get(&id).cloned().unwrap_or_default();
        }
        for (name, variable) in &request.captures {
            frame.env.insert(name.clone(), variable.clone());
        }
        let outer = std::mem::replace(&mut self.frame, frame);
        let depth = std::mem::take(&mut self.depth);
        let (params, results) = match request.definition {
            Definition::Function(id) => match self.index.function(id) {
                Some(function) => self.function_body(function, request, id),
                None => (Vec::new(), Vec::new()),
            },
            Definition::Lambda(id) => match self.index.lambda(id) {
                Some(lambda) => self.lambda_body(lambda, request),
                None => (Vec::new(), Vec::new()),
            },
            Definition::Module(module) => self.module_body(module),
        };
        self.depth = depth;
        let frame = std::mem::replace(&mut self.frame, outer);
        let variadic = match request.definition {
            Definition::Function(id) => self
                .index
                .function(id)
                .is_some_and(|function| function.params.iter().any(|param| param.variadic)),
            Definition::Lambda(id) => {
                self.index.lambda(id).is_some_and(|lambda| lambda.params.iter().any(|param| param.variadic))
            }
            Definition::Module(_) => false,
        };
        let captures = request
            .captures
            .iter()
            .map(|(name, variable)| Binding {
                name: name.clone(),
                ty: variable.ty.clone(),
                mode: mode(variable.access, request.kind),
                special: false,
                span: variable.span,
            })
            .collect();
        let instance = Instance {
            definition: request.definition,
            name: frame.name,
            kind: request.kind,
            captures,
            params,
            results,
            rank: request.rank,
            variadic,
            compile_target: request.compile_target,
            target_query: frame.target_query,
            tables: frame.tables,
        };
        (instance, frame.messages, frame.undecided_conditions)
    }

    /// Adds the parameters to the environment.
    fn bind_params(&mut self, params: &'a [Param], request: &Request) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (param, ty) in params.iter().zip(&request.params) {
            let mut variable = Variable::new(ty.clone(), param.name.span);
            let group = matches!(ty, Type::Group(_));
            if let Some(annotation) = param.annotation.as_ref().filter(|_| !group) {
                let (declared, mut access) = self.annotation(annotation);
                if std::mem::take(&mut access.shared) {
                    self.say(messages::shared_parameter(param.name.span, &param.name.text));
                }
                variable.access = access;
                variable.declared = declared.filter(|declared| declared == ty);
                if let Some(bytes) = known_bytes(ty).filter(|_| access.hardware_constant)
                    && bytes > CONSTANT_BYTES
                {
                    self.say(messages::too_large_for_constant_memory(param.name.span, bytes));
                }
                if let Some(texture) = access.texture {
                    self.check_texture(texture, ty, param.name.span);
                }
            }
            variable.special =
                request.kind == FunctionKind::Kernel && SPECIAL.contains(&param.name.text.as_str());
            self.frame.tables.types.insert(param.id, ty.clone());
            bindings.push(Binding {
                name: param.name.text.clone(),
                ty: ty.clone(),
                mode: mode(variable.access, request.kind),
                special: variable.special,
                span: param.name.span,
            });
            self.frame.env.insert(param.name.text.clone(), variable);
        }
        let ordinary = bindings.iter().filter(|binding| !binding.special);
        self.known_of_params(&ordinary.map(|binding| binding.name.as_str()).collect::<Vec<_>>(), request);
        bindings
    }

    fn function_body(
        &mut self,
        function: &'a Function,
        request: &Request,
        id: NodeId,
    ) -> (Vec<Binding>, Vec<Binding>) {
        self.bind_own_name(&function.name.text, id, request);
        let params = self.bind_params(&function.params, request);
        self.learn_positions(&function.params, &function.body);
        self.collect_locals(&function.body);
        let kernel = request.kind == FunctionKind::Kernel;
        for output in &function.outputs {
            let (ty, access) = match &output.annotation {
                Some(annotation) => self.annotation(annotation),
                None => (None, Access::default()),
            };
            if kernel {
                // Scalar outputs of kernels are zero-initialised.
                let ty = ty.clone().unwrap_or_else(|| Type::scalar(self.working()));
                let mut variable = Variable::new(ty.clone(), output.name.span);
                variable.declared = Some(ty);
                variable.identity = Identity::Volatile;
                self.frame.env.insert(output.name.text.clone(), variable);
            } else if ty.is_some() || access != Access::default() {
                self.frame.outputs.insert(output.name.text.clone(), (ty, access));
            }
        }
        self.block(&function.body);
        let results = function.outputs.iter().map(|output| self.output(output, function)).collect();
        (params, results)
    }

    fn output(&mut self, output: &'a Output, function: &'a Function) -> Binding {
        let name = &output.name.text;
        let declared = self.frame.outputs.get(name).and_then(|(ty, _)| ty.clone());
        // A function may have the same name as its output; the function is no value for it.
        let assigned = self.frame.env.get(name).filter(|variable| variable.self_function.is_none());
        let (ty, access) = match assigned {
            // A function type is only a signature: keep the set of possible functions.
            Some(variable) if !variable.ty.functions().is_empty() => (variable.ty.clone(), variable.access),
            Some(variable) => (declared.unwrap_or_else(|| variable.ty.clone()), variable.access),
            None => {
                // A function that always fails need not assign its outputs.
                let otherwise = match (self.frame.dead, self.on_device()) {
                    (true, false) => Type::Dynamic,
                    (true, true) => Type::scalar(self.working()),
                    (false, _) => {
                        self.say(messages::unassigned_output(output.name.span, &function.name.text, name));
                        Type::Error
                    }
                };
                (declared.unwrap_or(otherwise), Access::default())
            }
        };
        let mode = mode(access, self.frame.kind);
        Binding { name: name.clone(), ty, mode, special: false, span: output.name.span }
    }

    fn lambda_body(&mut self, lambda: &'a Lambda, request: &Request) -> (Vec<Binding>, Vec<Binding>) {
        if let Definition::Lambda(id) = request.definition
            && let Some((name, _)) = self.frame.lexical.functions.iter().find(|(_, own)| *own == id).cloned()
        {
            self.bind_own_name(&name, id, request);
        }
        let params = self.bind_params(&lambda.params, request);
        let mut assigned = Assigned::default();
        walk::expr(&lambda.body, &mut assigned);
        self.frame.locals = assigned.names.keys().copied().collect();
        walk::expr(&lambda.body, &mut self.frame.assigned_elements);
        let mut types = self.results(&lambda.body, usize::MAX);
        if request.kind == FunctionKind::Kernel {
            types.clear();
        }
        let results = types
            .into_iter()
            .map(|ty| Binding {
                name: String::new(),
                ty,
                mode: mode(Access::default(), self.frame.kind),
                special: false,
                span: lambda.body.span,
            })
            .collect();
        (params, results)
    }

    /// Binds the name of a function with captures to a variable of its own closure type, inside its body.
    fn bind_own_name(&mut self, name: &str, id: NodeId, request: &Request) {
        let inner = self.lexical.contains_key(&id);
        let own = request.captures.iter().filter(|(name, _)| inner || module_variable(name).is_none());
        let captures: Vec<_> = own.map(|(name, variable)| (name.clone(), variable.ty.clone())).collect();
        if captures.is_empty() && self.index.function(id).is_some() {
            return;
        }
        let closure = crate::types::ClosureType { definition: id, captures };
        let mut variable = Variable::new(Type::Closure(Box::new(closure)), Span::default());
        variable.self_function = Some(id);
        self.frame.env.insert(name.to_owned(), variable);
    }

    fn collect_locals(&mut self, body: &'a [Stmt]) {
        let mut assigned = Assigned::default();
        walk::block(body, &mut assigned);
        self.frame.locals = assigned.names.keys().copied().collect();
        walk::block(body, &mut self.frame.assigned_elements);
    }

    fn module_body(&mut self, module: usize) -> (Vec<Binding>, Vec<Binding>) {
        self.frame.top_level = true;
        if let Some(module) = self.unit.modules.get(module) {
            self.collect_locals(&module.module.items);
            self.block(&module.module.items);
        }
        (Vec::new(), Vec::new())
    }
}
