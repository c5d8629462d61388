//! Dynamic dispatch: methods of dynamic classes are selected by the run-time class of the object.

use super::Analyzer;
use super::arguments::Given;
use crate::sema::model::*;
use crate::syntax::ast::*;
use crate::types::resolve::{Bound, Resolved};
use crate::types::{ClassType, Type, lattice};
use std::sync::Arc;

impl<'a> Analyzer<'a> {
    /// Resolves a call among overloads of one name, dynamically if subclasses of the object's class have their own.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call")]
    pub(super) fn call_or_dispatch(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        name: &str,
        candidates: &[NodeId],
        given: &[Given<'a>],
        explicit: &[Bound],
        wanted: usize,
    ) -> Vec<Type> {
        let heirs = match given.first().map(|first| &first.ty) {
            Some(Type::Class(class)) if self.is_open(class) => self.heirs_with(candidates, &class.clone()),
            _ => Vec::new(),
        };
        let said = self.frame.messages.len();
        let mut results = self.call_candidates(expr, callee, name, candidates, given, explicit, wanted);
        if heirs.is_empty() || self.frame.messages.len() > said {
            return results;
        }
        let Some(Callee::Instance { instance, args, .. }) = self.frame.tables.callees.get(&expr.id).cloned()
        else {
            return results;
        };
        let otherwise = (instance, args);
        let mut calls = Vec::new();
        for class in heirs {
            let mut given = given.to_vec();
            given[0].ty = Type::Class(class.clone());
            let found = self.call_candidates(expr, callee, name, candidates, &given, explicit, wanted);
            let Some(Callee::Instance { instance, args, .. }) =
                self.frame.tables.callees.get(&expr.id).cloned()
            else {
                return vec![Type::Error];
            };
            if found.len() != results.len() {
                let text = format!(
                    "the functions '{name}' of '{}' and of what it inherits from give different numbers of results",
                    class.name
                );
                return vec![self.error("Q0311", expr.span, text)];
            }
            results = results.iter().zip(&found).map(|(a, b)| lattice::join(a, b)).collect();
            calls.push((class, instance, args));
        }
        let object = given[0].expr.id;
        self.frame.tables.callees.insert(expr.id, Callee::Dispatch { object, calls, otherwise });
        results
    }

    /// The subclasses of a class with an overload of their own among these, the most derived ones first.
    fn heirs_with(&mut self, candidates: &[NodeId], class: &Arc<ClassType>) -> Vec<Arc<ClassType>> {
        let mut heirs: Vec<Arc<ClassType>> = Vec::new();
        for id in candidates {
            let Some(callable) = self.callable(*id) else { continue };
            let Some(first) = callable.params.first().filter(|param| param.name.text == "self") else {
                continue;
            };
            let Some(annotation) = first.annotation.as_ref().filter(|_| callable.type_params.is_empty())
            else {
                continue;
            };
            let lexical = self.lexical_of(callable.definition, &[]);
            if let Resolved::Is(Type::Class(heir)) = self.annotation_in(annotation, &lexical).0
                && heir.steps_to(class).is_some_and(|steps| steps > 0)
                && !heirs.contains(&heir)
            {
                heirs.push(heir);
            }
        }
        heirs.sort_by_key(|heir| std::cmp::Reverse(heir.line().count()));
        heirs
    }
}
