//! Type tests: `type(x)`, `type(x, "T")`, `(x : T)`, and narrowing by assertions of them.

use super::Analyzer;
use super::builtin_calls::positional_list;
use super::expressions::bare;
use crate::builtins;
use crate::sema::model::*;
use crate::sema::scope::TypeName;
use crate::syntax::ast::*;
use crate::types::convert::conversion;
use crate::types::resolve::Resolved;
use crate::types::{ArrayType, ElementType, Type};
use quasar_devicelib::element::Scalar;

impl<'a> Analyzer<'a> {
    /// `assert(type(x,"T"))`: narrows `x` to the type.
    pub(super) fn narrow(&mut self, condition: &'a Expr) {
        let ExprKind::Call { callee, args } = &bare(condition).kind else { return };
        let (ExprKind::Name(function), [CallArg::Positional(value), CallArg::Positional(wanted)]) =
            (&callee.kind, args.as_slice())
        else {
            return;
        };
        let ExprKind::Name(name) = &value.kind else { return };
        if function != "type" {
            return;
        }
        let Some(wanted) = self.tested_type(wanted) else { return };
        let Some(variable) = self.frame.env.get_mut(name) else { return };
        if variable.ty == wanted
            || !matches!(conversion(&wanted, &variable.ty), Some(how) if how != crate::types::convert::Conversion::Truncate)
            || wanted == Type::Dynamic
        {
            return;
        }
        variable.ty = wanted.clone();
        let access = variable.access;
        let mode = self.mode(access);
        self.frame.tables.assigned.insert(value.id, (wanted.clone(), mode));
        let text = format!("'{name}' is now assumed to be of type '{}'.", self.show(&wanted));
        self.inform("Q0603", condition.span, text);
    }

    /// The type that the second argument of `type(x, T)` names, as a string or directly.
    pub(super) fn tested_type(&mut self, wanted: &'a Expr) -> Option<Type> {
        match &bare(wanted).kind {
            ExprKind::Text(text) => match self.spelled_type(text) {
                None if self.names_class(text.trim()) => {
                    let ty = self.type_in_text(wanted.span, text.trim())?;
                    self.resolve(ty).0.single().cloned()
                }
                found => found,
            },
            ExprKind::Type(ty) => self.resolve(ty).0.single().cloned(),
            ExprKind::Name(name) => self.type_from_name(name),
            _ => None,
        }
    }

    /// Whether a string spells a pointer or a class.
    fn names_class(&self, text: &str) -> bool {
        let name = text.split('[').next().unwrap_or(text).trim();
        let module = self.frame.lexical.module;
        text.starts_with('^') || matches!(self.type_name(module, name), Some(TypeName::Class(_)))
    }

    /// Parses a type from a string: names, element types and sizes.
    pub(super) fn spelled_type(&mut self, text: &str) -> Option<Type> {
        let text = text.split('\'').next().unwrap_or(text).trim();
        if text == "??" {
            return Some(Type::Dynamic);
        }
        let end = text.find(['[', '(', '{']).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        let mut ty = self.type_from_name(name.trim())?;
        if let Some(inner) = rest.strip_prefix('{') {
            let close = inner.find('}')?;
            let rank = inner[..close].trim();
            let Type::Array(array) = &ty else { return None };
            ty = match rank {
                ":" => Type::Array(ArrayType::any_rank((*array.element).clone())),
                n => {
                    let rank: usize = n.parse().ok().filter(|n| (1..=16).contains(n))?;
                    Type::array((*array.element).clone(), &vec![None; rank])
                }
            };
            rest = &inner[close + 1..];
        }
        if let Some(inner) = rest.strip_prefix('[') {
            let mut depth = 1;
            let close = inner.char_indices().find_map(|(k, c)| {
                depth += match c {
                    '[' => 1,
                    ']' => -1,
                    _ => 0,
                };
                (depth == 0).then_some(k)
            })?;
            let element = self.spelled_type(&inner[..close])?;
            let Type::Array(array) = &ty else { return None };
            ty = Type::Array(ArrayType { element: Box::new(element), ..array.clone() });
            rest = &inner[close + 1..];
        }
        if let Some(inner) = rest.strip_prefix('(') {
            let sizes: Option<Vec<Option<u32>>> = inner
                .strip_suffix(')')?
                .split(',')
                .map(|size| match size.trim() {
                    ":" => Some(None),
                    n => n.parse().ok().map(Some),
                })
                .collect();
            let (sizes, Type::Array(array)) = (sizes?, &ty) else { return None };
            if sizes.is_empty() || sizes.len() > 16 {
                return None;
            }
            ty = Type::Array(array.with_sizes(&sizes));
            rest = "";
        }
        rest.trim().is_empty().then_some(ty)
    }

    pub(super) fn type_of(&mut self, expr: &'a Expr, args: &'a [CallArg]) -> Type {
        let list = positional_list(args);
        match list.as_slice() {
            [value] => {
                let ty = self.expr(value);
                self.frame.tables.type_values.insert(expr.id, ty.clone());
                if let Some(Ok(entry)) = builtins::find("type", 1) {
                    let shown = self.with_signatures(value.span, &ty);
                    let args = match shown == ty {
                        true => vec![self.as_is(value)],
                        false => vec![Argument::Expr(value.id, shown)],
                    };
                    self.frame
                        .tables
                        .callees
                        .insert(expr.id, Callee::Builtin { builtin: &entry.builtin, args });
                }
                Type::TypeValue
            }
            [value, wanted] => {
                let found = self.expr(value);
                if matches!(bare(wanted).kind, ExprKind::Text(_)) {
                    self.frame.tables.types.insert(wanted.id, Type::Text);
                }
                if found == Type::Error {
                    return Type::INT;
                }
                if let Some(answer) = self.function_test(wanted, &found) {
                    return match answer {
                        Some(answer) => {
                            self.constant(expr.id, Scalar::I32(answer.into()));
                            Type::INT
                        }
                        None => self.not_supported(wanted.span, "a test for this type"),
                    };
                }
                let generic = match &bare(wanted).kind {
                    ExprKind::Type(ty) => Some(self.resolve(ty).0),
                    ExprKind::Text(text) if self.is_type_class(text.trim()) => {
                        self.type_in_text(wanted.span, text.trim()).map(|ty| self.resolve(ty).0)
                    }
                    ExprKind::Text(text) => match text.trim() {
                        "scalar|cscalar" | "[scalar|cscalar]" => Some(Resolved::OneOf(vec![
                            Resolved::Is(Type::scalar(self.working())),
                            Resolved::Is(Type::scalar(self.working().complex())),
                        ])),
                        _ => None,
                    },
                    _ => None,
                };
                if matches!(generic, Some(Resolved::Is(Type::Error))) {
                    return Type::INT;
                }
                let resolved = match generic {
                    Some(resolved @ Resolved::OneOf(_)) => Some(resolved),
                    _ => self.tested_type(wanted).map(Resolved::Is),
                };
                let Some(resolved) = resolved else {
                    if matches!(bare(wanted).kind, ExprKind::Number(_)) {
                        return self.error("Q0304", wanted.span, "expected a type or its name as a string");
                    }
                    return self.not_supported(wanted.span, "a test for this type");
                };
                if let Some(ty) = resolved.single() {
                    self.frame.tables.type_values.insert(wanted.id, ty.clone());
                }
                let answer = match resolved.single() {
                    _ if found == Type::Dynamic => None,
                    _ if resolved.accepts(&found) => Some(true),
                    Some(ty) if crate::types::convert::is_subtype(ty, &found) => None,
                    Some(ty)
                        if matches!(
                            conversion(&found, ty),
                            Some(crate::types::convert::Conversion::Checked)
                        ) =>
                    {
                        None
                    }
                    _ => Some(false),
                };
                if let Some(answer) = answer {
                    self.constant(expr.id, Scalar::I32(answer.into()));
                } else if let Some(Ok(entry)) = builtins::find("type", 2) {
                    if self.on_device() {
                        return self.host_only(expr.span, "a type test that is decided at run time");
                    }
                    if !resolved.single().is_some_and(crate::types::convert::is_tested_at_run_time) {
                        return self.not_supported(wanted.span, "a test for this type at run time");
                    }
                    let args = vec![self.as_is(value), Argument::Expr(wanted.id, Type::TypeValue)];
                    self.frame
                        .tables
                        .callees
                        .insert(expr.id, Callee::Builtin { builtin: &entry.builtin, args });
                }
                Type::INT
            }
            _ => self.error("Q0313", expr.span, "'type' takes one or two arguments"),
        }
    }

    pub(super) fn cast(&mut self, expr: &'a Expr, args: &'a [CallArg]) -> Type {
        let list = positional_list(args);
        let [value, wanted] = list.as_slice() else {
            return self.error("Q0313", expr.span, "'cast' takes a value and a type");
        };
        let found = self.expr(value);
        let Some(wanted_type) = self.tested_type(wanted) else {
            return self.error("Q0304", wanted.span, "expected a type");
        };
        self.frame.tables.type_values.insert(wanted.id, wanted_type.clone());
        self.frame.tables.callees.insert(expr.id, Callee::Convert);
        match (&found, &wanted_type) {
            (Type::Error, _) => Type::Error,
            (Type::Array(_), Type::Scalar(element, _)) if found.element_type().is_some() => {
                found.with_element(*element)
            }
            (from, to) if from.element_type().is_some_and(ElementType::is_complex) && to.is_number() => {
                let (from, to) = (from.clone(), to.clone());
                if to.element_type().is_some_and(ElementType::is_complex) {
                    return to;
                }
                self.check_conversion(value.span, &from, &to);
                to
            }
            (from, to) => {
                if conversion(from, to).is_none() {
                    let (from, to) = (from.clone(), to.clone());
                    self.check_conversion(value.span, &from, &to);
                }
                wanted_type
            }
        }
    }
}
