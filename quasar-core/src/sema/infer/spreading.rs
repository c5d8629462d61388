//! Spread objects: `f(x, ...options)` gives each optional parameter without an argument the field of its name.

#![allow(clippy::result_large_err, reason = "a refusal is a whole message, made once per wrong call")]

use super::Analyzer;
use super::arguments::{Callable, Form, Given, Part, Piece};
use super::expressions::bare;
use crate::message::Message;
use crate::syntax::ast::*;
use crate::types::Type;

impl<'a> Analyzer<'a> {
    /// Whether the spread argument is an object, and not a vector or several results.
    pub(super) fn is_spread_object(&self, arg: &Given<'a>) -> bool {
        matches!(arg.form, Form::Spread)
            && arg.all.len() <= 1
            && matches!(arg.ty, Type::Class(_) | Type::Pointer(_) | Type::Dynamic)
    }

    /// The spread objects whose fields are known only at run time.
    pub(super) fn objects_known_at_run_time(&self, given: &[Given<'a>]) -> Vec<NodeId> {
        let open = |arg: &&Given<'a>| {
            self.is_spread_object(arg)
                && !matches!(bare(arg.expr).kind, ExprKind::Object(_))
                && arg.ty.class().is_none_or(|class| self.is_open(class))
        };
        given.iter().filter(open).map(|arg| arg.expr.id).collect()
    }

    /// Fills the optional parameters without an argument from the fields of their names. Later objects override earlier
    /// ones; other fields are ignored.
    pub(super) fn fields_to_parameters(
        &mut self,
        callable: &Callable<'a>,
        params: &[&'a Param],
        objects: &[&Given<'a>],
        slots: &mut [Option<Piece>],
    ) -> Result<(), Message> {
        if let Some(first) = objects.first()
            && params.iter().all(|param| param.default.is_none())
        {
            let text = format!(
                "an object is spread onto optional parameters, of which '{}' has none",
                callable.name
            );
            return Err(Message::error("Q0313", first.expr.span, text).help(self.signature(callable)));
        }
        for object in objects.iter().rev() {
            for (name, piece) in self.spread_fields(object) {
                let place =
                    params.iter().position(|param| param.name.text == name && param.default.is_some());
                if let Some(slot) = place.and_then(|place| slots.get_mut(place)) {
                    slot.get_or_insert(piece);
                }
            }
        }
        Ok(())
    }

    /// The statically known fields of an object.
    fn spread_fields(&mut self, arg: &Given<'a>) -> Vec<(String, Piece)> {
        let span = arg.expr.span;
        if let ExprKind::Object(fields) = &bare(arg.expr).kind {
            let types = &self.frame.tables.types;
            let piece = |value: &Expr| Piece {
                id: value.id,
                part: Part::Whole,
                ty: types.get(&value.id).cloned().unwrap_or(Type::Error),
                span: value.span,
            };
            return fields.iter().map(|(name, value)| (name.text.clone(), piece(value))).collect();
        }
        let Some(class) = arg.ty.class().cloned() else { return Vec::new() };
        let fields = self.fields_of(&class).into_iter().enumerate();
        let piece = |k, ty| Piece { id: arg.expr.id, part: Part::Component(k), ty, span };
        fields.map(|(k, field)| (field.name, piece(k, field.ty))).collect()
    }
}
