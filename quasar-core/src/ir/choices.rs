//! Values of functions that are chosen at run time: a tuple of the number of the function among those it may be, and what all of
//! them captured.
//!
//! `f = c ? g : h` is `{0, values of g.., zeros for those of h..}` or `{1, zeros for those of g.., values of h..}`.

use super::build::{self, int_type};
use super::{Expr, ExprKind, FunctionId};
use crate::types::{ClosureType, DefinitionId, Type};
use quasar_devicelib::ops;
use std::collections::BTreeMap;

/// What the pass `defunctionalize` must know of functions that are values, from lowering to that pass.
#[derive(Clone, Debug, Default)]
pub struct FunctionValues {
    /// For each function that becomes a value of a type that is known at run time: the function to call.
    pub made: Vec<(ClosureType, Type, FunctionId)>,
    /// What is shown of functions.
    pub texts: BTreeMap<DefinitionId, String>,
}

impl FunctionValues {
    /// The function to call for a function that is a value of a type.
    pub fn find(&self, closure: &ClosureType, ty: &Type) -> Option<FunctionId> {
        let made = self.made.iter().find(|(known, of, _)| known == closure && of == ty);
        made.map(|(_, _, function)| *function)
    }

    /// What is shown of a function.
    pub fn text(&self, closure: &ClosureType) -> &str {
        self.texts.get(&closure.definition).map_or("function", String::as_str)
    }
}

/// The number of the function that was chosen.
pub fn tag(value: &Expr) -> Expr {
    Expr::new(ExprKind::Field(Box::new(value.clone()), 0), int_type(), value.span)
}

/// `value == number`
pub fn is_number(value: Expr, number: usize) -> Expr {
    let span = value.span;
    let number = build::int(number as i32, span);
    match ops::find("equal") {
        Some(row) => build::apply(row, vec![value, number], int_type(), span),
        None => number,
    }
}

/// What the function of a number captured, in a choice.
pub fn fields_of(value: &Expr, number: usize) -> Vec<Expr> {
    let candidates = value.ty.functions();
    let before: usize = candidates[..number.min(candidates.len())].iter().map(|f| f.captures.len()).sum();
    let captures = candidates.get(number).map(|f| f.captures.as_slice()).unwrap_or_default();
    let field = |(k, (_, ty)): (usize, &(String, Type))| {
        Expr::new(ExprKind::Field(Box::new(value.clone()), 1 + before + k), ty.clone(), value.span)
    };
    captures.iter().enumerate().map(field).collect()
}
