//! Roots of the analysis (top-level statements, `main`, exports), and the construction of the semantic model from what
//! they reach.

use super::ENTRY;
use super::infer::{Analyzer, Request};
use super::model::*;
use super::scope::Lexical;
use crate::ids::{Arena, Id};
use crate::message::{Category, Code, Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::printer::print_stmt;
use crate::types::resolve::Resolved;
use crate::types::{Boundary, ClosureType, Type};
use std::collections::BTreeMap;

/// The entry points of the program.
#[derive(Debug, Default)]
pub(super) struct Roots {
    initializers: Vec<InstanceId>,
    main: Option<InstanceId>,
    exports: Vec<(String, InstanceId, String)>,
    /// Functions that are not exported although all their parameters are typed; they are checked all the same.
    others: Vec<InstanceId>,
}

/// Infers everything that is reachable from the entry points.
pub(super) fn roots(analyzer: &mut Analyzer<'_>) -> (Roots, Vec<Message>) {
    let mut roots = Roots::default();
    for module in 0..analyzer.unit.modules.len() {
        let lexical = Lexical { module, ..Lexical::default() };
        let request = plain_on_host(Definition::Module(module), Vec::new(), lexical);
        if let Some((id, _)) = analyzer.instantiate(request, Span::default()) {
            roots.initializers.push(id);
        }
    }
    let Some(root) = analyzer.unit.modules.last() else { return (roots, Vec::new()) };
    let module = analyzer.unit.modules.len() - 1;
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let entry = entry_name(&root.module);
    let mut hints = Vec::new();
    for item in &root.module.items {
        let StmtKind::Function(function) = &item.kind else { continue };
        if function.kind != FunctionKind::Host {
            continue;
        }
        let is_main = function.name.text == entry;
        if !is_main && function.name.text == "main" {
            continue;
        }
        if !is_main && (function.concealed || !function.type_params.is_empty()) {
            continue;
        }
        let lexical = Lexical { module, ..Lexical::default() };
        let Some(params) = declared_params(analyzer, function, &lexical, is_main) else {
            hints.push(not_exported(function));
            continue;
        };
        let request = plain_on_host(Definition::Function(item.id), params, lexical);
        let Some((id, results)) = analyzer.instantiate(request, function.name.span) else { continue };
        if is_main {
            roots.main = Some(id);
            continue;
        }
        let instance = &analyzer.instances[id];
        if instance.params.iter().map(|param| &param.ty).chain(&results).any(Type::mentions_objects) {
            if function.params.first().is_none_or(|param| param.name.text != "self") {
                hints.push(object_not_exported(function));
            }
            roots.others.push(id);
            continue;
        }
        let captured = |ty: &Type| matches!(ty, Type::Closure(closure) if !closure.captures.is_empty());
        if results.iter().any(|ty| ty.any(&|ty| matches!(ty, Type::Choice(_)) || captured(ty))) {
            hints.push(choice_not_exported(function));
            continue;
        }
        let count = names.entry(function.name.text.clone()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => function.name.text.clone(),
            n => format!("{}_{n}", function.name.text),
        };
        let doc = signature(analyzer, id);
        roots.exports.push((name, id, doc));
    }
    let mut messages = analyzer.take_messages();
    messages.extend(hints);
    for item in &root.module.items {
        if let StmtKind::Function(function) = &item.kind {
            messages.extend(unused_type_params(item, function));
        }
    }
    (roots, messages)
}

fn plain_on_host(definition: Definition, params: Vec<Type>, lexical: Lexical) -> Request {
    Request::plain(definition, FunctionKind::Host, params, lexical, CompileTarget::Processor)
}

/// As [`not_exported`], for a function whose result is a function.
fn choice_not_exported(function: &Function) -> Message {
    let name = &function.name.text;
    let text = format!("Rust code does not see the function '{name}': its result is a function");
    Message::new(Code("Q0333"), Category::Information, function.name.span, text)
        .help("give Rust code a function that calls it")
}

/// As [`not_exported`], for a function with objects among its parameters or results.
fn object_not_exported(function: &Function) -> Message {
    let name = &function.name.text;
    let text = format!("Rust code does not see the function '{name}': it takes or gives objects");
    Message::new(Code("Q0333"), Category::Information, function.name.span, text)
        .help("give Rust code a function that takes and gives numbers and arrays")
}

/// The remark that a function is not visible to Rust code.
fn not_exported(function: &Function) -> Message {
    let open = function.params.iter().find(|param| param.annotation.as_ref().is_none_or(|a| a.ty.is_none()));
    let why = match open {
        Some(param) => format!("its parameter '{}' has no type", param.name.text),
        None => "the type of a parameter stays open".to_string(),
    };
    let name = &function.name.text;
    let text = format!("Rust code does not see the function '{name}': {why}");
    Message::new(Code("Q0333"), Category::Information, function.name.span, text)
        .help("give every parameter a type, as in `x : mat`, to export it")
        .help(
            "a function that is meant for this program alone may be marked `concealed`, which silences this",
        )
}

/// Warnings about type parameters that occur only in their own list.
fn unused_type_params(item: &Stmt, function: &Function) -> Vec<Message> {
    if function.type_params.is_empty() {
        return Vec::new();
    }
    let text = print_stmt(item);
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let unused = function.type_params.iter().filter(|param| {
        let name = param.name.text.as_str();
        words.iter().filter(|word| **word == name).count() <= 1
    });
    unused
        .map(|param| {
            let text = format!("the type parameter '{}' is not used", param.name.text);
            Message::warning("Q0334", param.name.span, text)
                .help("a call must give it, as in f[..](..), since no argument tells what it is; remove it")
        })
        .collect()
}

/// The entry point: the generated function that parses the command line for `main`, or `main` itself.
fn entry_name(module: &Module) -> &'static str {
    let named = |wanted: &str| {
        module.items.iter().any(|item| matches!(&item.kind, StmtKind::Function(f) if f.name.text == wanted))
    };
    if named(ENTRY) { ENTRY } else { "main" }
}

/// The types of the parameters if all are declared; those of `main` come from the command line.
fn declared_params<'a>(
    analyzer: &mut Analyzer<'a>,
    function: &'a Function,
    lexical: &Lexical,
    is_main: bool,
) -> Option<Vec<Type>> {
    let mut types = Vec::new();
    for param in &function.params {
        let resolved = match &param.annotation {
            Some(annotation) if annotation.ty.is_some() => analyzer.annotation_in(annotation, lexical).0,
            _ => Resolved::Any,
        };
        match resolved {
            Resolved::Is(Type::Function(_)) if !is_main => return None,
            Resolved::Is(ty) => types.push(ty),
            _ if is_main && param.variadic => types.push(Type::array(Type::Dynamic, &[None])),
            _ if is_main => types.push(Type::Dynamic),
            _ => return None,
        }
    }
    Some(types)
}

/// The Quasar signature, as documentation of an export.
fn signature(analyzer: &Analyzer<'_>, id: InstanceId) -> String {
    let instance = &analyzer.instances[id];
    let list = |bindings: &[Binding]| {
        let parts: Vec<String> = bindings
            .iter()
            .map(|binding| format!("{} : {}", binding.name, analyzer.show(&binding.ty)))
            .collect();
        parts.join(", ")
    };
    let results = match instance.results.len() {
        1 => list(&instance.results),
        _ => format!("[{}]", list(&instance.results)),
    };
    format!("function {results} = {}({})", instance.name, list(&instance.params))
}

/// Builds the model from the reachable instances, renumbered, and reports their messages.
pub(super) fn complete(
    mut analyzer: Analyzer<'_>,
    roots: Roots,
    messages: Vec<Message>,
    sink: &mut Sink,
) -> SemanticModel {
    let mut classes = Vec::new();
    // Fields may mention classes that occur nowhere else.
    while let Some(ty) = analyzer.classes.get(classes.len()).map(|info| info.ty.clone()) {
        let fields = analyzer.fields_of(&ty).into_iter().map(|field| (field.name, field.ty)).collect();
        classes.push((ty, fields));
    }
    for message in std::mem::take(&mut analyzer.class_messages).into_iter().chain(messages) {
        sink.push(message);
    }
    let mut used: BTreeMap<InstanceId, InstanceId> = BTreeMap::new();
    let mut order = Vec::new();
    let mut open: Vec<InstanceId> = roots.initializers.clone();
    open.extend(roots.main);
    open.extend(roots.exports.iter().map(|(_, id, _)| *id));
    open.extend(&roots.others);
    open.reverse();
    while let Some(id) = open.pop() {
        if used.contains_key(&id) {
            continue;
        }
        used.insert(id, Id::new(order.len()));
        order.push(id);
        let mut next: Vec<InstanceId> = Vec::new();
        analyzer.instances[id].tables.each_callee(&mut |callee| next.extend(called(callee)));
        analyzer.instances[id].tables.each_function_value(&mut |(_, _, instance)| next.push(*instance));
        next.reverse();
        open.extend(next);
    }
    let renamed = |id: InstanceId| used.get(&id).copied().unwrap_or(id);
    let mut instances = Arena::new();
    let mut function_values: Vec<(ClosureType, Type, InstanceId)> = Vec::new();
    for id in &order {
        let tables = std::mem::take(&mut analyzer.instances[*id].tables);
        let mut instance = Instance { tables, ..analyzer.instances[*id].clone() };
        instance.tables.each_callee_mut(&mut |callee| {
            each_instance(callee, &mut |instance| *instance = renamed(*instance));
        });
        instance.tables.each_function_value(&mut |(closure, ty, called)| {
            if !function_values.iter().any(|(known, of, _)| known == closure && of == ty) {
                function_values.push((closure.clone(), ty.clone(), renamed(*called)));
            }
        });
        instances.push(instance);
        for message in &analyzer.instance_messages[id.index()] {
            sink.push(message.clone());
        }
    }
    propagate_target_queries(&mut instances);
    let mut globals: Vec<(String, Type, Option<Boundary>)> = Vec::new();
    for scope in &analyzer.scopes {
        for global in scope.globals.values() {
            if global.value.is_none()
                && global.shared
                && let Some(ty) = analyzer.global_types.get(&global.unique)
            {
                globals.push((global.unique.clone(), ty.clone(), global.access.boundary));
            }
        }
    }
    SemanticModel {
        instances,
        initializers: roots.initializers.iter().map(|id| renamed(*id)).collect(),
        main: roots.main.map(renamed),
        exports: roots.exports.into_iter().map(|(name, id, doc)| (name, renamed(id), doc)).collect(),
        globals,
        classes,
        function_values,
        enums: analyzer.enums.iter().map(|info| (info.name.to_owned(), info.members.clone())).collect(),
    }
}

/// Propagates target queries from callees to callers, up to the fixpoint.
fn propagate_target_queries(instances: &mut Arena<Instance>) {
    let mut calls = Vec::new();
    for (id, instance) in instances.iter() {
        instance
            .tables
            .each_callee(&mut |callee| calls.extend(called(callee).into_iter().map(|to| (id, to))));
    }
    let mut changed = instances.iter().any(|(_, instance)| instance.target_query != TargetQuery::Nothing);
    while changed {
        changed = false;
        for (caller, callee) in &calls {
            let asked = instances[*callee].target_query;
            let known = &mut instances[*caller].target_query;
            changed |= asked > *known;
            *known = asked.max(*known);
        }
    }
}

/// The possible callees of a call.
pub(super) fn called(callee: &Callee) -> Vec<InstanceId> {
    let mut callee = callee.clone();
    let mut found = Vec::new();
    each_instance(&mut callee, &mut |id| found.push(*id));
    found
}

/// Calls `f` with each possible callee.
fn each_instance(callee: &mut Callee, f: &mut dyn FnMut(&mut InstanceId)) {
    match callee {
        Callee::Instance { instance, .. } | Callee::Launch { instance, .. } => f(instance),
        Callee::Choice { calls, .. } => calls.iter_mut().for_each(|(instance, _)| f(instance)),
        Callee::LaunchChoice { launches, .. } => {
            launches.iter_mut().for_each(|launch| each_instance(launch, f));
        }
        Callee::Schedule { versions, .. } => versions.iter_mut().for_each(|(instance, _)| f(instance)),
        Callee::Dispatch { calls, otherwise, .. } => {
            calls.iter_mut().for_each(|(_, instance, _)| f(instance));
            otherwise.iter_mut().for_each(|(instance, _)| f(instance));
        }
        Callee::Builtin { .. }
        | Callee::Construct { .. }
        | Callee::New { .. }
        | Callee::Convert
        | Callee::Value
        | Callee::Identity => {}
    }
}
