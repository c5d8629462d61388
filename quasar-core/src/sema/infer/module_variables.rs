//! Module-level variables that kernels and device functions read: they become captured variables, which every call and
//! launch passes as they are then.

use super::Analyzer;
use super::instances::Request;
use crate::sema::env::Variable;
use crate::sema::model::{Definition, of_module};
use crate::source::Span;
use crate::syntax::ast::{FunctionKind, NodeId};
use std::collections::BTreeSet;

impl Analyzer<'_> {
    /// Adds what a kernel or device function reads of the variables of modules, itself or through others that it names.
    pub(super) fn capture_of_module(&mut self, request: &mut Request) {
        let (Definition::Function(id) | Definition::Lambda(id)) = request.definition else { return };
        if request.kind == FunctionKind::Host {
            return;
        }
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let own: Vec<&str> = request.captures.iter().map(|(name, _)| name.as_str()).collect();
        self.variables_of_modules(id, &own, &mut seen, &mut found);
        // Functions that are passed come without what they read of modules.
        let passed = request.params.iter().chain(request.captures.iter().map(|(_, variable)| &variable.ty));
        for closure in passed.flat_map(|ty| ty.functions()) {
            self.variables_of_modules(closure.definition, &[], &mut seen, &mut found);
        }
        for (name, variable) in found {
            let known = request.captures.iter().any(|(other, _)| *other == name);
            if !known && self.illegal_in_kernels(&variable.ty).is_none() {
                request.captures.push((name, variable));
            }
        }
    }

    fn variables_of_modules(
        &self,
        id: NodeId,
        captured: &[&str],
        seen: &mut BTreeSet<NodeId>,
        found: &mut Vec<(String, Variable)>,
    ) {
        if !seen.insert(id) {
            return;
        }
        let lexical = self.lexical_of(Definition::Function(id), &[]);
        for name in self.free_names_of(id) {
            if captured.contains(&name) {
                continue;
            }
            if let Some((_, inner)) = lexical.functions.iter().rev().find(|(known, _)| known == name) {
                self.variables_of_modules(*inner, &[], seen, found);
                continue;
            }
            if self.global(lexical.module, name).is_some() {
                found.extend(self.variable_of_module(lexical.module, name));
            } else {
                for function in self.module_functions(lexical.module, name) {
                    if self.index.function(function).is_some_and(|f| f.kind != FunctionKind::Host) {
                        self.variables_of_modules(function, &[], seen, found);
                    }
                }
            }
        }
    }

    /// A module-level variable as a captured one, unless it is a constant.
    pub(super) fn variable_of_module(&self, module: usize, name: &str) -> Option<(String, Variable)> {
        let (_, global) = self.global(module, name)?;
        let ty = self.global_types.get(&global.unique)?;
        let variable = Variable { access: global.access, ..Variable::new(ty.clone(), Span::default()) };
        (global.value.is_none() && global.shared).then(|| (of_module(&global.unique), variable))
    }
}
