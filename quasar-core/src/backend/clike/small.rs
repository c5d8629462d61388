//! Prints operations on private aggregates: small fixed-size arrays and tuples.

use super::expr::{Printed, Printer, apply, converted, types_of};
use super::malformed;
use super::types::{array_element, constant, fixed, scalar, suffix};
use crate::ir::small_calls::{SmallCall, small_call};
use crate::ir::{Expr, ExprKind};
use crate::target::any::REGISTER_ARRAY;
use crate::types::{ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::{Row, neutral};

impl Printer<'_, '_> {
    /// An elementwise operation on small arrays; scalars are broadcast.
    pub(super) fn apply_arrays(&mut self, row: &'static Row, args: &[Expr], expr: &Expr) -> Printed {
        let Some(sizes) = fixed(&expr.ty) else {
            return malformed(expr.span, "an operation on arrays of unknown size");
        };
        let element = types_of(args).unwrap_or(ElementType::Int32);
        let mut operands = Vec::new();
        for arg in args {
            let value = self.simple(arg)?;
            operands.push(if scalar(&arg.ty).is_some() { value } else { format!("{value}.e[k]") });
        }
        let result = self.declare(&expr.ty, expr.span)?;
        let count: usize = sizes.iter().product();
        let value = apply(row, element, &operands);
        self.each_element(count, &format!("{result}.e[k] = {value};"));
        Ok(result)
    }

    /// The loop over the elements of a small or long array, whose place is `k`.
    fn each_element(&mut self, count: usize, statement: &str) {
        // Written out, long loops take compilers seconds.
        self.lines.push(if count <= REGISTER_ARRAY { "#pragma unroll" } else { "#pragma unroll 1" });
        self.lines.push(format!("for (q_i32 k = 0; k < {count}; ++k) {statement}"));
    }

    /// `[a, b]`
    pub(super) fn small_array(&mut self, items: &[Expr], expr: &Expr) -> Printed {
        if fixed(&expr.ty).is_none() {
            return malformed(expr.span, "an array of unknown size as a value");
        }
        let mut flat = Vec::new();
        for item in items {
            match fixed(&item.ty) {
                Some(sizes) => {
                    let value = self.value(item)?;
                    let count: usize = sizes.iter().product();
                    flat.extend((0..count).map(|k| format!("{value}.e[{k}]")));
                }
                None if scalar(&item.ty).is_some() => flat.push(self.value(item)?),
                None => return malformed(item.span, "this part of an array"),
            }
        }
        let result = self.declare(&expr.ty, expr.span)?;
        for (k, value) in flat.iter().enumerate() {
            self.lines.push(format!("{result}.e[{k}] = {value};"));
        }
        Ok(result)
    }

    /// `{a, b}`
    pub(super) fn tuple(&mut self, items: &[Expr], expr: &Expr) -> Printed {
        let values = items.iter().map(|e| self.value(e)).collect::<Result<Vec<_>, _>>()?;
        let result = self.declare(&expr.ty, expr.span)?;
        for (k, value) in values.iter().enumerate() {
            self.lines.push(format!("{result}.f{k} = {value};"));
        }
        Ok(result)
    }

    /// A reduction over all elements, in order.
    pub(super) fn small_reduce(&mut self, row: &'static Row, arg: &Expr, expr: &Expr) -> Printed {
        let element = array_element(&arg.ty).unwrap_or(ElementType::Int32);
        let count: usize = fixed(&arg.ty).unwrap_or_default().iter().product();
        let array = self.value(arg)?;
        let (ty, result) = (self.ty(&expr.ty, expr.span)?, self.temporary());
        self.lines.push(format!("{ty} {result} = {};", constant(neutral(row.name, element))));
        let combined = apply(row, element, &[result.clone(), format!("{array}.e[k]")]);
        self.each_element(count, &format!("{result} = {combined};"));
        Ok(result)
    }

    /// A small array with converted elements, or reshaped.
    pub(super) fn convert_array(&mut self, inner: &Expr, expr: &Expr) -> Printed {
        let (Some(from), Some(to)) = (fixed(&inner.ty), fixed(&expr.ty)) else {
            return malformed(expr.span, "this conversion");
        };
        let count: usize = from.iter().product();
        let (Some(a), Some(b)) = (array_element(&inner.ty), array_element(&expr.ty)) else {
            return malformed(expr.span, "this conversion");
        };
        if count != to.iter().product::<usize>() {
            return malformed(expr.span, "a conversion between sizes");
        }
        let array = self.value(inner)?;
        if a == b {
            return Ok(array);
        }
        let result = self.declare(&expr.ty, expr.span)?;
        let value = converted(&format!("{array}.e[k]"), a, b, Overflow::Wrap);
        self.each_element(count, &format!("{result}.e[k] = {value};"));
        Ok(result)
    }

    /// Library functions on small arrays.
    pub(super) fn library(&mut self, name: &'static str, args: &[Expr], expr: &Expr) -> Printed {
        let (function, sizes, returns) = match small_call(name, args, expr) {
            Ok(SmallCall::Fill { ones }) => return self.filled(ones, expr),
            Ok(SmallCall::Argument) => return self.value(&args[0]),
            Ok(SmallCall::Number(function, sizes)) => (function, sizes, true),
            Ok(SmallCall::Array(function, sizes)) => (function, sizes, false),
            Err(what) => return malformed(expr.span, what),
        };
        let e = args.first().and_then(|arg| array_element(&arg.ty)).map_or("", suffix);
        let mut values =
            args.iter().map(|a| Ok(format!("{}.e", self.value(a)?))).collect::<Result<Vec<_>, _>>()?;
        if returns {
            values.extend(sizes.iter().map(usize::to_string));
            let (ty, result) = (self.ty(&expr.ty, expr.span)?, self.temporary());
            self.lines.push(format!("const {ty} {result} = q_{function}_{e}({});", values.join(", ")));
            return Ok(result);
        }
        let result = self.declare(&expr.ty, expr.span)?;
        values.push(format!("{result}.e"));
        values.extend(sizes.iter().map(usize::to_string));
        self.lines.push(format!("q_{function}_{e}({});", values.join(", ")));
        Ok(result)
    }

    fn filled(&mut self, ones: bool, expr: &Expr) -> Printed {
        let element = array_element(&expr.ty).unwrap_or(ElementType::Int32);
        let value = if ones { Scalar::one(element) } else { Scalar::zero(element) };
        let count = fixed(&expr.ty).unwrap_or_default().iter().product::<usize>();
        let result = self.declare(&expr.ty, expr.span)?;
        self.each_element(count, &format!("{result}.e[k] = {};", constant(value)));
        Ok(result)
    }

    /// Statements that zero-initialise a variable.
    pub(super) fn clear(&mut self, name: &str, ty: &Type) {
        match ty {
            Type::Array(_) => {
                let element = array_element(ty).unwrap_or(ElementType::Int32);
                let count: usize = fixed(ty).unwrap_or_default().iter().product();
                let zero = constant(Scalar::zero(element));
                self.each_element(count, &format!("{name}.e[k] = {zero};"));
            }
            Type::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    self.clear(&format!("{name}.f{k}"), part);
                }
            }
            Type::Closure(closure) => {
                for (k, (_, part)) in closure.captures.iter().enumerate() {
                    self.clear(&format!("{name}.f{k}"), part);
                }
            }
            _ => {
                if let Some(element) = scalar(ty) {
                    self.lines.push(format!("{name} = {};", constant(Scalar::zero(element))));
                }
            }
        }
    }

    /// Whether an expression is a private value, not an array in memory.
    pub(super) fn is_kept(&self, expr: &Expr) -> bool {
        !matches!(expr.kind, ExprKind::Local(v) if self.in_memory.contains_key(&v))
    }
}
