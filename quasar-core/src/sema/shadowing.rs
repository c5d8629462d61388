//! Lint: warnings about definitions of a module that shadow imported ones.

use super::scope::Assigned;
use super::unit::{Unit, UnitModule};
use super::walk;
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::print_type;

/// Reports the definitions of each module that shadow those of its imports.
pub(super) fn tell(unit: &Unit, sink: &mut Sink) {
    for module in &unit.modules {
        if module.imports.is_empty() {
            continue;
        }
        let imported = module.imports.iter().filter_map(|position| unit.modules.get(*position));
        let imported: Vec<(&str, Vec<Defined<'_>>)> =
            imported.map(|import| (import.name.as_str(), defined(import, false))).collect();
        for own in defined(module, true) {
            for (file, theirs) in &imported {
                if let Some(hidden) = theirs.iter().find(|theirs| theirs.is_hidden_by(&own)) {
                    let text = format!("this '{}' hides the {} of '{file}'", own.name, hidden.what());
                    let message =
                        Message::warning("Q0215", own.span, text).related(hidden.span, "the hidden one");
                    sink.push(message.help("give one of them another name"));
                }
            }
        }
    }
}

/// A definition of a module.
struct Defined<'a> {
    name: &'a str,
    span: Span,
    /// Kind and parameter types of a function; `None` for variables.
    signature: Option<(FunctionKind, Vec<String>)>,
}

impl Defined<'_> {
    fn what(&self) -> &'static str {
        if self.signature.is_some() { "function" } else { "variable" }
    }

    /// Functions with other parameters are overloads. A function and a variable do not shadow each other here.
    fn is_hidden_by(&self, own: &Defined<'_>) -> bool {
        self.name == own.name
            && match (&self.signature, &own.signature) {
                (Some(theirs), Some(own)) => theirs == own,
                (None, None) => true,
                _ => false,
            }
    }
}

/// The functions and variables of a module: all of them (`own`), or those that importers see.
fn defined(module: &UnitModule, own: bool) -> Vec<Defined<'_>> {
    let items = &module.module.items;
    let functions = items.iter().filter_map(|item| match &item.kind {
        StmtKind::Function(function) if own || !function.concealed => Some(&**function),
        _ => None,
    });
    let functions = functions.filter(|function| function.name.text != "main");
    let mut found: Vec<Defined<'_>> = functions
        .map(|function| Defined {
            name: &function.name.text,
            span: function.name.span,
            signature: Some((function.kind, function.params.iter().map(written).collect())),
        })
        .collect();
    let mut assigned = Assigned::default();
    walk::block(items, &mut assigned);
    found.extend(assigned.names.into_iter().map(|(name, (_, span))| Defined { name, span, signature: None }));
    found
}

/// The source text of a parameter's type.
fn written(param: &Param) -> String {
    let dots = if param.variadic { "..." } else { "" };
    let ty = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref());
    format!("{dots}{}", ty.map_or_else(String::new, print_type))
}
