//! Dynamic dispatch: overloads are selected by the run-time class of the object that is the first argument, where that is an
//! object of a dynamic class or a value of unknown type.

use super::Analyzer;
use super::arguments::Given;
use super::expressions::bare;
use crate::sema::model::*;
use crate::syntax::ast::*;
use crate::types::resolve::{Bound, Resolved};
use crate::types::{ClassType, Type, lattice};
use std::sync::Arc;

/// An overload for a class, with what it takes.
type Case = (Arc<ClassType>, InstanceId, Vec<Argument>);

/// A call by name: the call, the expression of the name, the name, and the explicit type arguments.
pub(super) type Named<'a, 'x> = (&'a Expr, &'a Expr, &'x str, &'x [Bound]);

impl<'a> Analyzer<'a> {
    /// Resolves a call among overloads of one name, dynamically if subclasses of the object's class have their own, or if
    /// nothing is known of the object.
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
        let named = (expr, callee, name, explicit);
        let (classes, others) = match given.first().map(|first| &first.ty) {
            Some(Type::Class(class)) if self.is_open(class) => {
                (self.heirs_with(candidates, &class.clone()), candidates.to_vec())
            }
            Some(Type::Dynamic) if !self.on_device() => self.split_by_class(candidates),
            _ => (Vec::new(), Vec::new()),
        };
        if classes.is_empty() {
            return self.call_candidates(expr, callee, name, candidates, given, explicit, wanted);
        }
        let Some((otherwise, results)) = self.overload(named, &others, given) else {
            return vec![Type::Error];
        };
        self.cases(named, candidates, given, classes, (Some(otherwise), results))
    }

    /// Resolves the call of a method of an object of a dynamic class that has no such method, while classes that inherit from
    /// it have; objects of other classes may have a function in a field. `None` where no class has one.
    pub(super) fn method_of_heirs(
        &mut self,
        named: Named<'a, '_>,
        candidates: &[NodeId],
        given: &[Given<'a>],
    ) -> Option<Vec<Type>> {
        let Some(Type::Class(class)) = given.first().map(|first| first.ty.clone()) else { return None };
        let classes = self.heirs_with(candidates, &class);
        if classes.is_empty() {
            return None;
        }
        self.frame.tables.types.insert(bare(named.1).id, Type::Dynamic);
        self.forget_parts();
        for arg in &given[1..] {
            self.convert_to_values(arg.expr.span, &arg.ty, &Type::Dynamic);
        }
        let results = self.cases(named, candidates, given, classes, (None, Vec::new()));
        Some(vec![Type::Dynamic; results.len()])
    }

    /// A call of one of the overloads, which is recorded as a dispatch; `otherwise` is the call for objects of other classes, and
    /// what that gives.
    fn cases(
        &mut self,
        named: Named<'a, '_>,
        candidates: &[NodeId],
        given: &[Given<'a>],
        classes: Vec<Arc<ClassType>>,
        (otherwise, mut results): (Option<(InstanceId, Vec<Argument>)>, Vec<Type>),
    ) -> Vec<Type> {
        let (expr, _, name, _) = named;
        let mut calls: Vec<Case> = Vec::new();
        for class in classes {
            let mut given = given.to_vec();
            given[0].ty = Type::Class(class.clone());
            let Some(((instance, args), found)) = self.overload(named, candidates, &given) else {
                return vec![Type::Error];
            };
            if otherwise.is_none() && calls.is_empty() {
                results = found.clone();
            }
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

    /// The overload for arguments of these types, and what it gives; `None` after an error.
    #[allow(clippy::type_complexity, reason = "the call and its results")]
    fn overload(
        &mut self,
        (expr, callee, name, explicit): Named<'a, '_>,
        candidates: &[NodeId],
        given: &[Given<'a>],
    ) -> Option<((InstanceId, Vec<Argument>), Vec<Type>)> {
        let said = self.frame.messages.len();
        let results = self.call_candidates(expr, callee, name, candidates, given, explicit, 1);
        let wrong = self.frame.messages[said..].iter().any(|message| message.category.is_error());
        match self.frame.tables.callees.get(&expr.id).cloned() {
            Some(Callee::Instance { instance, args, .. }) if !wrong => Some(((instance, args), results)),
            _ => None,
        }
    }

    /// The classes that overloads take first, the most derived ones first, and the overloads for everything else: those that take
    /// something else, otherwise the one for the last class, which tests what it gets. No classes where there are fewer than two.
    fn split_by_class(&mut self, candidates: &[NodeId]) -> (Vec<Arc<ClassType>>, Vec<NodeId>) {
        let taken: Vec<(NodeId, Option<Arc<ClassType>>)> =
            candidates.iter().map(|id| (*id, self.class_taken(*id))).collect();
        let mut classes: Vec<Arc<ClassType>> = Vec::new();
        for class in taken.iter().filter_map(|(_, class)| class.clone()) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        if classes.len() < 2 {
            return (Vec::new(), Vec::new());
        }
        classes.sort_by_key(|class| std::cmp::Reverse(class.line().count()));
        let mut others: Vec<NodeId> =
            taken.iter().filter(|(_, class)| class.is_none()).map(|(id, _)| *id).collect();
        if others.is_empty() {
            let last = classes.last().cloned();
            others = taken.iter().filter(|(_, class)| *class == last).map(|(id, _)| *id).collect();
        }
        (classes, others)
    }

    /// The class of the objects that a function takes first.
    fn class_taken(&mut self, id: NodeId) -> Option<Arc<ClassType>> {
        let callable = self.callable(id)?;
        let first = callable.params.first()?;
        let annotation = first.annotation.as_ref().filter(|_| callable.type_params.is_empty())?;
        let lexical = self.lexical_of(callable.definition, &[]);
        match self.annotation_in(annotation, &lexical).0 {
            Resolved::Is(Type::Class(class)) => Some(class),
            _ => None,
        }
    }

    /// The subclasses of a class with an overload of their own among these, the most derived ones first.
    fn heirs_with(&mut self, candidates: &[NodeId], class: &Arc<ClassType>) -> Vec<Arc<ClassType>> {
        let mut heirs: Vec<Arc<ClassType>> = Vec::new();
        for id in candidates {
            let Some(callable) = self.callable(*id) else { continue };
            if callable.params.first().is_none_or(|param| param.name.text != "self") {
                continue;
            }
            if let Some(heir) = self.class_taken(*id)
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
