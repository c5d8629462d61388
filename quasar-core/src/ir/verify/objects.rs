//! Objects: their fields, and what refers to them.

use super::Verifier;
use crate::ir::Expr;
use crate::ir::build::same_type;
use crate::ir::print::type_text;
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

    /// What is compared by identity.
    pub(super) fn reference(&mut self, side: &Expr) {
        if side.ty.class().is_none() && side.ty != Type::Null {
            self.fail(format!("identity of {}", type_text(&side.ty)));
        }
    }
}
