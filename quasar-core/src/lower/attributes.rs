//! Code attributes and pragmas that steer loops.

use super::body::Lowering;
use crate::ir::{LoopAttributes, LoopMode};
use crate::sema::model::Constant;
use crate::syntax::ast;

impl Lowering<'_, '_> {
    /// What the attributes before the loop asked for; they are used up.
    pub(super) fn loop_attributes(&mut self) -> LoopAttributes {
        let mut attributes = std::mem::take(&mut self.attributes);
        if attributes.mode == LoopMode::Automatic && !self.automatic {
            attributes.mode = LoopMode::Host;
        }
        attributes
    }

    pub(super) fn attribute(&mut self, attribute: &ast::Attribute) {
        let words: Vec<&str> = attribute.words.iter().map(|word| word.text.as_str()).collect();
        match words[..] {
            ["parallel", "for"] => self.attributes.mode = LoopMode::Parallel,
            ["serial", "for"] => self.attributes.mode = LoopMode::Serial,
            ["interpreted", "for"] => self.attributes.mode = LoopMode::Host,
            ["unroll"] => self.attributes.unroll = Some(0),
            ["auto_specialize" | "auto_vectorize" | "auto_inline" | "inline" | "specialize"] => return,
            [name, ..] => return super::messages::attribute_ignored(self.cx.sink, attribute.span, name),
            [] => return,
        }
        for argument in &attribute.arguments {
            self.loop_argument(argument);
        }
    }

    fn loop_argument(&mut self, argument: &ast::AttributeArg) {
        let key = argument.key.as_ref().map_or("", |key| key.text.as_str());
        let numbers = self.numbers(&argument.value);
        match (key, numbers.as_deref()) {
            ("blkdim", Some(sizes)) => self.attributes.block = Some(sizes.to_vec()),
            ("dim", Some([dims])) => self.attributes.dims = Some(*dims),
            ("times", Some([times])) => self.attributes.unroll = Some(*times),
            ("multi_device", _) => {}
            _ => super::messages::attribute_ignored(self.cx.sink, argument.value.span, key),
        }
    }

    /// Positive numbers written as such or known at compile time.
    fn numbers(&self, expr: &ast::Expr) -> Option<Vec<u32>> {
        match self.tables.constants.get(&expr.id) {
            Some(Constant::Scalar(value)) => return Some(vec![u32::try_from(value.as_i64()).ok()?]),
            Some(Constant::Array(_, values)) => {
                return values.iter().map(|value| u32::try_from(value.as_i64()).ok()).collect();
            }
            Some(Constant::Text(_)) | None => {}
        }
        match &expr.kind {
            ast::ExprKind::Number(ast::Number::Int(value)) => Some(vec![u32::try_from(*value).ok()?]),
            ast::ExprKind::Paren(inner) => self.numbers(inner),
            ast::ExprKind::Array(items) | ast::ExprKind::Cell(items) => {
                let mut all = Vec::new();
                for item in items {
                    let ast::Element::Expr(item) = item else { return None };
                    all.extend(self.numbers(item)?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    pub(super) fn pragma(&mut self, name: &ast::Name, arguments: Option<&str>) {
        match (name.text.as_str(), arguments.map(str::trim)) {
            ("force_parallel", _) => self.attributes.mode = LoopMode::Parallel,
            ("force_serial", _) => self.attributes.mode = LoopMode::Serial,
            ("loop_parallelizer", Some("on")) => self.automatic = true,
            ("loop_parallelizer", Some("off")) => self.automatic = false,
            (other, _) => super::messages::attribute_ignored(self.cx.sink, name.span, other),
        }
    }
}
