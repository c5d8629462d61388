//! Verifies objects, their fields and references to them, and functions as values.

use super::Verifier;
use crate::ir::build::same_type;
use crate::ir::print::type_text;
use crate::ir::{Expr, FunctionId, VarId};
use crate::types::Type;

impl Verifier<'_> {
    pub(super) fn object(&mut self, values: &[Expr], expr: &Expr) {
        let class = match &expr.ty {
            Type::Class(class) => self.program.class(class),
            _ => None,
        };
        let Some(class) = class else {
            return self.fail(format!("a new object as {}", type_text(&expr.ty)));
        };
        let fits = class.fields.len() == values.len()
            && class.fields.iter().zip(values).all(|(field, value)| same_type(&field.ty, &value.ty));
        if !fits {
            self.fail(format!("the fields of a new {} have other types", class.ty.name));
        }
    }

    pub(super) fn member(&mut self, object: &Expr, field: usize, ty: &Type) {
        let class = object.ty.class().and_then(|class| self.program.class(class));
        match class.and_then(|class| class.fields.get(field)) {
            Some(field) if same_type(&field.ty, ty) => {}
            _ => self.fail(format!("field {field} of {} as {}", type_text(&object.ty), type_text(ty))),
        }
    }

    /// Checks an operand of an identity comparison.
    pub(super) fn reference(&mut self, side: &Expr) {
        if side.ty.class().is_none() && side.ty != Type::Null {
            self.fail(format!("identity of {}", type_text(&side.ty)));
        }
    }

    pub(super) fn function_value(&mut self, function: FunctionId, captures: &[Expr], expr: &Expr) {
        self.host_only("a function as a value");
        if !matches!(expr.ty, Type::Function(_) | Type::Dynamic) {
            self.fail(format!("a function as a value of type {}", type_text(&expr.ty)));
        }
        if function.index() >= self.program.functions.len() {
            return self.fail("function out of range");
        }
        let callee = &self.program.functions[function];
        let (name, body) = (&callee.name, &callee.body);
        let type_of = |variable: &VarId| &body.variables[*variable].ty;
        if captures.len() > body.params.len() {
            return self.fail(format!("{name} has fewer parameters than captured values"));
        }
        let (first, others) = body.params.split_at(captures.len());
        if first.iter().zip(captures).any(|(param, value)| !same_type(type_of(param), &value.ty)) {
            self.fail(format!("captured values of other types than {name} takes"));
        }
        if others.iter().chain(&body.results).any(|variable| *type_of(variable) != Type::Dynamic) {
            self.fail(format!("{name} as a value has parameters or results that are not dynamic"));
        }
    }
}
