//! Thread groups (warp, block, grid): `thread_block` values, their properties and methods.

use super::Analyzer;
use super::arguments::{Form, Given};
use crate::message::Message;
use crate::syntax::ast::{Annotation, Expr, Name, TypeExprKind};
use crate::target::gpu::WARP;
use crate::types::known::fixed;
use crate::types::{ElementType, Group, Type};

/// The group that a special kernel parameter denotes.
pub(super) fn named(parameter: &str) -> Option<Group> {
    match parameter {
        "coalesced_threads" => Some(Group::Warp),
        "this_thread_block" => Some(Group::Block),
        "this_grid" | "this_multi_grid" => Some(Group::Grid),
        _ => None,
    }
}

/// Whether an annotation is `thread_block`.
pub(super) fn is_annotation(annotation: &Annotation) -> bool {
    let Some(ty) = &annotation.ty else { return false };
    matches!(&ty.kind, TypeExprKind::Named { name, args, sizes, .. }
        if name.text == "thread_block" && args.is_empty() && sizes.is_empty())
}

const MASK: Type = Type::Scalar(ElementType::UInt32, crate::types::Overflow::Checked);

impl<'a> Analyzer<'a> {
    /// `group.size`
    pub(super) fn group_property(&mut self, group: Group, member: &'a Name) -> Type {
        match (member.text.as_str(), group) {
            ("thread_idx" | "size", _) => Type::INT,
            ("active_mask", Group::Warp) => MASK,
            ("active_mask", _) => self.of_warps_only(member),
            _ => {
                let text = format!("a group of threads has no property '{}'", member.text);
                self.error("Q0312", member.span, text)
            }
        }
    }

    fn of_warps_only(&mut self, member: &'a Name) -> Type {
        let text = format!("'{}' belongs to groups of threads of a warp", member.text);
        let message = Message::error("Q0312", member.span, text)
            .help("such groups are coalesced_threads and this_thread_block.partition(32)");
        self.say(message);
        Type::Error
    }

    /// `group.shfl(value, source)`
    pub(super) fn group_method(
        &mut self,
        expr: &'a Expr,
        group: Group,
        member: &'a Name,
        given: &[Given<'a>],
    ) -> Type {
        let count = match member.text.as_str() {
            "sync" => 0,
            "partition" | "all" | "any" | "ballot" | "match_any" | "match_all" => 1,
            "shfl" | "shfl_up" | "shfl_down" | "shfl_xor" => 2,
            name => {
                let text = format!("a group of threads has no method '{name}'");
                return self.error("Q0312", member.span, text);
            }
        };
        if given.len() != count || given.iter().any(|arg| !matches!(arg.form, Form::Positional)) {
            let text = format!("'{}' takes {count} arguments", member.text);
            return self.error("Q0312", expr.span, text);
        }
        match (member.text.as_str(), group, given) {
            ("sync", ..) => Type::Unit,
            ("partition", Group::Warp | Group::Block, [size]) => self.partition(size),
            (_, Group::Block | Group::Grid, _) => self.of_warps_only(member),
            ("all" | "any" | "ballot", _, [condition]) => {
                if condition.ty != Type::INT {
                    let text =
                        format!("'{}' takes a condition, not '{}'", member.text, self.show(&condition.ty));
                    return self.error("Q0312", condition.expr.span, text);
                }
                if member.text == "ballot" { MASK } else { Type::INT }
            }
            (name, _, [value, rest @ ..]) => {
                let element = self.exchanged(name, value);
                if let Some(source) = rest.iter().find(|source| source.ty != Type::INT) {
                    let text =
                        format!("the second argument of '{name}' is an int, not '{}'", self.show(&source.ty));
                    let message = Message::error("Q0312", source.expr.span, text);
                    self.say(message.help("write int(..) to convert on purpose"));
                    return Type::Error;
                }
                match (element, name) {
                    (Type::Error, _) => Type::Error,
                    (_, "match_any" | "match_all") => MASK,
                    (ty, _) => ty,
                }
            }
            _ => Type::Error,
        }
    }

    /// The warp partition of a size; a size known only at run time is checked there.
    fn partition(&mut self, size: &Given<'a>) -> Type {
        let known = self.frame.tables.constants.get(&size.expr.id);
        let known = known.and_then(|constant| match constant {
            crate::sema::model::Constant::Scalar(value) => Some(value.as_f64()),
            _ => None,
        });
        let fits = |n: f64| (1..=WARP).any(|k| f64::from(k) == n && k.count_ones() == 1);
        if known.map_or(size.ty == Type::INT, fits) {
            return Type::Group(Group::Warp);
        }
        if size.ty == Type::Error {
            return Type::Error;
        }
        let text = format!("the size of a partition is a power of two up to {WARP}");
        self.error("Q0312", size.expr.span, text)
    }

    /// The type of a value that the lanes of a warp may exchange.
    fn exchanged(&mut self, name: &str, value: &Given<'a>) -> Type {
        let vector = matches!(&value.ty, Type::Array(array) if array.vector_length().is_some())
            && fixed(&value.ty).is_some_and(|sizes| sizes.iter().product::<usize>() <= 64)
            && name.starts_with("shfl");
        if vector || matches!(value.ty, Type::Scalar(..)) || value.ty == Type::Error {
            return value.ty.clone();
        }
        let what = format!("'{name}' of a value of type '{}'", self.show(&value.ty));
        self.not_supported(value.expr.span, what)
    }
}
