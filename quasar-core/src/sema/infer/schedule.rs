//! `schedule`: a launch of one of several kernels, selected at run time by the active device.

use super::Analyzer;
use super::arguments::{Form, Given};
use super::launches::Launched;
use crate::sema::model::*;
use crate::syntax::ast::*;
use crate::types::Type;

impl<'a> Analyzer<'a> {
    /// `schedule(dims, args.., {kernel, kernel, ..})`
    pub(super) fn schedule(&mut self, expr: &'a Expr, args: &'a [CallArg]) -> Vec<Type> {
        let (Some((CallArg::Positional(cell), front)), true) = (args.split_last(), args.len() > 1) else {
            let text = "'schedule' takes dimensions, arguments and a cell of kernels";
            return vec![self.error("Q0403", expr.span, text)];
        };
        if self.on_device() {
            return vec![self.not_supported(expr.span, "'schedule' in kernels and device functions")];
        }
        let given = self.given(front);
        let kernels = self.versions(cell);
        if given.iter().chain(&kernels).any(|arg| arg.ty == Type::Error) {
            return vec![Type::Error];
        }
        let [dims, middle @ ..] = given.as_slice() else { return vec![Type::Error] };
        let mut first: Option<Launched> = None;
        let mut versions = Vec::new();
        for kernel in &kernels {
            let callee = ("schedule", Launch::Parallel);
            let place = (&kernel.ty, kernel.expr);
            let Some(found) = self.launched(expr.span, callee, dims, middle, place) else {
                return vec![Type::Error];
            };
            let Some(others) = self.for_devices(expr.span, &found, callee, dims, middle, place) else {
                return vec![Type::Error];
            };
            versions.extend(others);
            versions.push((found.instance, found.closure));
            match &first {
                None => first = Some(found),
                Some(first) if first.args == found.args && first.results == found.results => {}
                Some(first) => {
                    let what = if first.args == found.args {
                        "give the same results"
                    } else {
                        "take the same types"
                    };
                    let text = format!("the kernels of 'schedule' are versions of one: they {what}");
                    let message = crate::message::Message::error("Q0403", kernel.expr.span, text);
                    self.say(message.help("declare the types of their parameters and results alike"));
                    return vec![Type::Error];
                }
            }
        }
        let Some(Launched { args, results, .. }) = first else {
            return vec![self.error("Q0403", cell.span, "'schedule' needs at least one kernel")];
        };
        let callee = Callee::Schedule { versions, dims: dims.expr.id, args };
        self.frame.tables.callees.insert(expr.id, callee);
        results
    }

    /// The kernels in a cell. A kernel without captures need not be in a literal.
    fn versions(&mut self, cell: &'a Expr) -> Vec<Given<'a>> {
        let given = |expr: &'a Expr, ty: Type| Given { form: Form::Positional, expr, ty, all: Vec::new() };
        if let Some(items) = cell.cell_items() {
            return items
                .into_iter()
                .map(|item| (item, self.expr(item)))
                .map(|(item, ty)| given(item, ty))
                .collect();
        }
        match self.expr(cell) {
            Type::Tuple(types) => {
                let captures =
                    |ty: &Type| matches!(ty, Type::Closure(closure) if !closure.captures.is_empty());
                if types.iter().any(captures) {
                    let what = "'schedule' of kernels that capture variables and are not written in the call";
                    return vec![given(cell, self.not_supported(cell.span, what))];
                }
                types.into_iter().map(|ty| given(cell, ty)).collect()
            }
            // One kernel without a cell, or no kernel at all.
            ty => vec![given(cell, ty)],
        }
    }
}
