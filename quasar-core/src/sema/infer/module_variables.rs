//! Module-level variables in device code: kernels and device functions capture them, and each call or launch passes
//! their current values.

use super::Analyzer;
use super::monomorphize::Request;
use crate::sema::flow_state::Variable;
use crate::sema::model::{Definition, captured_name};
use crate::source::Span;
use crate::syntax::ast::{FunctionKind, NodeId};
use std::collections::BTreeSet;

impl Analyzer<'_> {
    /// Adds the module-level variables that a kernel or device function reads, directly or through functions it
    /// mentions.
    pub(super) fn capture_of_module(&mut self, request: &mut Request) {
        let (Definition::Function(id) | Definition::Lambda(id)) = request.definition else { return };
        if request.kind == FunctionKind::Host {
            return;
        }
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let own: Vec<&str> = request.captures.iter().map(|(name, _)| name.as_str()).collect();
        self.variables_of_modules(id, &own, &mut seen, &mut found);
        // Functions passed as arguments bring their own module-level variables.
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

    /// A module-level variable as a capture, unless it is a constant.
    pub(super) fn variable_of_module(&self, module: usize, name: &str) -> Option<(String, Variable)> {
        let (_, global) = self.global(module, name)?;
        let ty = self.global_types.get(&global.unique)?;
        let variable = Variable { access: global.access, ..Variable::new(ty.clone(), Span::default()) };
        (global.value.is_none() && global.shared).then(|| (captured_name(&global.unique), variable))
    }
}
