//! Prints device functions, specialised once for each combination of address spaces of their array arguments.

use super::expr::{Printer, local_name};
use super::lines::Lines;
use super::types::{array_element, rank};
use super::{Malformed, Space, Unit, arrays, heap, malformed};
use crate::analysis::access_pattern::by_reference;
use crate::ir::numbers::NodeNumbers;
use crate::ir::{Body, FunctionId, VarId, VarSet};
use crate::source::Span;
use crate::types::Type;
use std::collections::BTreeMap;

/// How to call a device function.
#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) name: String,
    /// C type of the result.
    pub(super) result: String,
    /// Implicit arguments, after those of the program.
    pub(super) extra: Vec<&'static str>,
}

/// Implicit parameters, which a function takes if its body mentions them.
const EXTRA: [(&str, &str); 3] =
    [("fault", "Q_GLOBAL q_fault* fault"), ("shadow", "q_i32 shadow"), ("heap", "Q_PRIVATE q_heap* heap")];

impl<'p> Unit<'p> {
    /// The function specialised for these address spaces; prints it on first use.
    pub(super) fn device_function(
        &mut self,
        id: FunctionId,
        spaces: &[Space],
        shadows: bool,
        span: Span,
    ) -> Result<Called, Malformed> {
        let function = self.function(id);
        if function.processor {
            return malformed(span, "a function that asks for its '$target', called by a loop");
        }
        let key = (id, spaces.to_vec());
        let letters: String = spaces.iter().map(|s| letter(*s)).collect();
        let name = format!("f_{}_{letters}", function.name);
        let result = self.result(&function.body, span)?;
        let extra = match self.functions.get(&key) {
            Some(Some(mentioned)) => extra(mentioned),
            Some(None) => return malformed(span, "a function that calls itself"),
            None => {
                self.functions.insert(key.clone(), None);
                let text = self.print_function(&name, &result, id, spaces, shadows)?;
                let needed = extra(&text);
                self.printed.push(text.clone());
                self.functions.insert(key, Some(text));
                needed
            }
        };
        Ok(Called { name, result, extra })
    }

    fn result(&mut self, body: &Body, span: Span) -> Result<String, Malformed> {
        let types: Vec<Type> = body.results.iter().map(|r| body.variables[*r].ty.clone()).collect();
        let found = match types.as_slice() {
            [] => Some("void".to_owned()),
            [one] => self.result_type(one),
            several => self.results_type(several),
        };
        match found {
            Some(name) => Ok(name),
            None => malformed(span, "a result of this type"),
        }
    }

    fn print_function(
        &mut self,
        name: &str,
        result: &str,
        id: FunctionId,
        spaces: &[Space],
        shadows: bool,
    ) -> Result<String, Malformed> {
        let function = self.function(id);
        let body = &function.body;
        let (mut params, mut far, mut spaces) = (Vec::new(), BTreeMap::new(), spaces.iter());
        for &param in &body.params {
            let (v, ty) = (local_name(param), &body.variables[param].ty);
            if by_reference(self.program, body, param) {
                let (Some(pointed), Some(rank), Some(space)) = (arrays::pointed(ty), rank(ty), spaces.next())
                else {
                    return malformed(function.span, "this parameter of a device function");
                };
                far.insert(param, *space);
                params.push(format!("{} {pointed}* {v}", qualifier(*space)));
                params.extend((0..rank).map(|axis| format!("q_i32 {v}_d{axis}")));
            } else {
                match self.ty(ty) {
                    Some(ty) => params.push(format!("{ty} {v}")),
                    None => return malformed(function.span, "this parameter of a device function"),
                }
            }
        }
        let scopes = self.schedule.heap.functions.get(&id).unwrap_or(&heap::NOTHING);
        heap::add(scopes, &mut far);
        let arrays = body.results.iter().any(|r| far.get(r) == Some(&Space::Heap));
        let packed = body.results.len() > 1 || arrays;
        let value = match body.results.as_slice() {
            [] => String::new(),
            [one] if !packed => local_name(*one),
            _ => "result".to_owned(),
        };
        let mut printer = Printer {
            unit: self,
            body,
            lines: Lines::at(1),
            in_memory: far,
            loops: Vec::new(),
            temporaries: 0,
            leave: if packed { "goto done;".to_owned() } else { format!("return {value};") },
            leaves_at_once: true,
            shadows,
            accumulates: false,
            sections: None,
            block_loops: None,
            version: None,
            wide: VarSet::new(),
            hoisted: None,
            before: None,
            histograms: &[],
            begins: Vec::new(),
            heap: scopes,
            numbers: NodeNumbers::of(&body.block),
        };
        printer.locals(&body.params, &[])?;
        let begin = printer.unit.directive(function.span).map(|directive| directive + "\n");
        printer.lines.open("{");
        printer.block(&body.block)?;
        printer.lines.close("}");
        if packed {
            printer.lines.push("done: ;");
            printer.lines.push(format!("{result} result;"));
            for (k, each) in body.results.iter().enumerate() {
                let place = if body.results.len() > 1 { format!("result.f{k}") } else { "result".to_owned() };
                match printer.in_memory.get(each) {
                    Some(Space::Heap) => printer.give_made(&place, *each),
                    _ => printer.lines.push(format!("{place} = {};", local_name(*each))),
                }
            }
        }
        printer.lines.push(format!("return {value};"));
        let text = printer.lines.into_text();
        let needed =
            EXTRA.iter().filter(|(word, _)| mentions(&text, word)).map(|(_, param)| (*param).to_owned());
        params.extend(needed);
        let begin = begin.unwrap_or_default();
        Ok(format!("{begin}Q_FN {result} {name}({}) {{\n{text}}}\n", params.join(", ")))
    }
}

fn extra(text: &str) -> Vec<&'static str> {
    EXTRA.iter().map(|(word, _)| *word).filter(|word| mentions(text, word)).collect()
}

/// Whether a text contains a word as a whole identifier.
pub(super) fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|each| each == word)
}

fn letter(space: Space) -> char {
    match space {
        Space::Global => 'g',
        Space::Constant => 'c',
        Space::Shared => 's',
        Space::Private => 'p',
        Space::Heap => 'h',
    }
}

/// The address-space qualifier of a pointer.
pub(super) fn qualifier(space: Space) -> &'static str {
    match space {
        Space::Global | Space::Heap => "Q_GLOBAL",
        Space::Constant => "Q_CONSTANT const",
        Space::Shared => "Q_SHARED",
        Space::Private => "Q_PRIVATE",
    }
}

impl Printer<'_, '_> {
    /// Declares private variables, zero-initialised, except parameters and those declared elsewhere.
    pub(super) fn locals(&mut self, params: &[VarId], others: &[VarId]) -> Result<(), Malformed> {
        let body = self.body;
        let set = crate::ir::rewrite::set_in(&body.block);
        let stored = crate::ir::rewrite::stored_in(&body.block);
        for (id, variable) in body.variables.iter() {
            let used = set.contains(&id) || stored.contains(&id) || body.results.contains(&id);
            if self.in_memory.get(&id) == Some(&Space::Heap) && !params.contains(&id) {
                self.declare_made(id)?;
                continue;
            }
            if params.contains(&id) || others.contains(&id) || self.in_memory.contains_key(&id) || !used {
                continue;
            }
            if array_element(&variable.ty).is_some() && super::types::fixed(&variable.ty).is_none() {
                return malformed(
                    variable.span,
                    format!("the variable '{}', whose size is not known", variable.name),
                );
            }
            let (ty, name) = (self.ty(&variable.ty, variable.span)?, local_name(id));
            self.lines.push(format!("{ty} {name};"));
            self.clear(&name, &variable.ty);
        }
        Ok(())
    }
}
