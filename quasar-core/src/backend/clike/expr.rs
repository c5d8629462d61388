//! Prints expressions as C expressions, preceded by the statements that they need.

use super::lines::Lines;
use super::types::{self, constant, fixed, is_plain, scalar, suffix};
use super::{Malformed, Part, Site, Space, Unit, malformed};
use crate::ir::conversions::{is_small, total};
use crate::ir::numbers::NodeNumbers;
use crate::ir::schedule::{BlockHistogram, BlockLoops, HeapScopes};
use crate::ir::versions::CodeVersion;
use crate::ir::{Body, Coordinate, Expr, ExprKind, VarId, VarSet};
use crate::source::Span;
use crate::types::{ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::{Row, unfit};
use std::collections::BTreeMap;

/// An enclosing loop.
pub(super) struct Loop {
    pub(super) number: usize,
    /// `continue` jumps to the test at the end.
    pub(super) repeat: bool,
    pub(super) leaves: bool,
    pub(super) continues: bool,
}

/// Values hoisted in front of an unrolled loop.
pub(super) struct Before {
    /// Variables that the loop assigns.
    pub(super) changing: VarSet,
    /// The values with their names.
    pub(super) values: Vec<(String, String)>,
}

/// Prints one body.
pub(super) struct Printer<'u, 'p> {
    pub(super) unit: &'u mut Unit<'p>,
    pub(super) body: &'p Body,
    pub(super) lines: Lines,
    /// Arrays accessed through pointers, with their address spaces.
    pub(super) in_memory: BTreeMap<VarId, Space>,
    pub(super) loops: Vec<Loop>,
    pub(super) temporaries: usize,
    /// The statement after an error; empty where all threads of a block must reach the next barrier.
    pub(super) leave: String,
    /// Whether it also follows an index or a number that does not fit: where threads work apart.
    pub(super) leaves_at_once: bool,
    /// Whether shadow threads, outside the launch, run too and must not change global arrays.
    pub(super) shadows: bool,
    /// Whether the results are reductions, which only threads inside the launch may accumulate.
    pub(super) accumulates: bool,
    /// The version that is being printed; `None` for the general one.
    pub(super) version: Option<&'p CodeVersion>,
    /// Loop variables that are also declared in the offset type (`Q_INDEX`).
    pub(super) wide: VarSet,
    /// Values hoisted to the front of the version, with their names.
    pub(super) hoisted: Option<Vec<(String, String)>>,
    /// Values hoisted in front of the innermost unrolled loop.
    pub(super) before: Option<Before>,
    /// Arrays that each block privatises as a histogram table.
    pub(super) histograms: &'p [BlockHistogram],
    /// For each enclosing loop, the saved heap position that its iterations return to, if any.
    pub(super) begins: Vec<Option<String>>,
    /// What the body allocates from the device heap.
    pub(super) heap: &'p HeapScopes,
    /// The numbers of the body's nodes, by which the schedule knows them.
    pub(super) numbers: NodeNumbers<'p>,
    /// The head of the loop over logical blocks, for statements between grid barriers.
    pub(super) sections: Option<(String, String)>,
    /// Which statements the threads of a block share.
    pub(super) block_loops: Option<&'p BlockLoops>,
}

pub(super) type Printed = Result<String, Malformed>;

impl Printer<'_, '_> {
    /// A fresh name.
    pub(super) fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// The C type of a private value.
    pub(super) fn ty(&mut self, ty: &Type, span: Span) -> Printed {
        match self.unit.ty(ty) {
            Some(name) => Ok(name),
            None => malformed(span, format!("a value of type '{ty}'")),
        }
    }

    /// Declares a temporary without a value.
    pub(super) fn declare(&mut self, ty: &Type, span: Span) -> Printed {
        let (ty, name) = (self.ty(ty, span)?, self.temporary());
        self.lines.push(format!("{ty} {name};"));
        Ok(name)
    }

    /// A value in a form that may be repeated: a literal, a name or a temporary.
    pub(super) fn simple(&mut self, expr: &Expr) -> Printed {
        let value = self.value(expr)?;
        if matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Local(_)) || is_word(&value) {
            return Ok(value);
        }
        let (ty, name) = (self.ty(&expr.ty, expr.span)?, self.temporary());
        self.lines.push(format!("const {ty} {name} = {value};"));
        Ok(name)
    }

    /// The value of an expression; small arrays and tuples give the name of a variable.
    pub(super) fn value(&mut self, expr: &Expr) -> Printed {
        match &expr.kind {
            ExprKind::Constant(value) => Ok(constant(*value)),
            ExprKind::Local(variable) => self.local(*variable, expr),
            ExprKind::Apply { row, args }
                if scalar(&expr.ty).is_some() && args.iter().all(|a| scalar(&a.ty).is_some()) =>
            {
                self.apply_numbers(row, args)
            }
            ExprKind::And(a, b) => self.circuit(a, b, true),
            ExprKind::Or(a, b) => self.circuit(a, b, false),
            ExprKind::Select { condition, then, otherwise } => self.select(condition, then, otherwise, expr),
            ExprKind::Field(inner, k) => {
                let inner = self.value(inner)?;
                Ok(format!("{inner}.f{k}"))
            }
            ExprKind::Convert(inner) if scalar(&expr.ty).is_some() && scalar(&inner.ty).is_some() => {
                self.convert(inner, expr)
            }
            ExprKind::Convert(inner) => self.convert_array(inner, expr),
            ExprKind::Load { array, index, boundary } => self.load(array, index, *boundary, expr),
            ExprKind::Extent(array, axis) => self.extent(array, Some(*axis), expr.span),
            ExprKind::Count(array) => self.extent(array, None, expr.span),
            ExprKind::Coordinate(coordinate, axis) => Ok(coordinate_name(*coordinate, *axis)),
            ExprKind::Apply { row, args } => self.apply_arrays(row, args, expr),
            ExprKind::Array(items) => self.small_array(items, expr),
            ExprKind::Tuple(items) => self.tuple(items, expr),
            ExprKind::Reduce { row, arg, axis: None } if fixed(&arg.ty).is_some() => {
                self.small_reduce(row, arg, expr)
            }
            ExprKind::Library { name, args } => self.library(name, args, expr),
            ExprKind::Text(_) | ExprKind::Null => malformed(expr.span, "text or nullptr"),
            ExprKind::Global(_) => malformed(expr.span, "a module-level variable"),
            ExprKind::New(_) | ExprKind::Member(..) | ExprKind::Same(..) => malformed(expr.span, "an object"),
            ExprKind::Function { .. } => malformed(expr.span, "a function as a value"),
            ExprKind::BlockSize(_) => malformed(expr.span, "the size of blocks"),
            ExprKind::Sequence(_) => malformed(expr.span, "a sequence as a value"),
            ExprKind::Reduce { .. } => malformed(expr.span, "a reduction over an array of unknown size"),
        }
    }

    /// A condition as a C truth value.
    pub(super) fn condition(&mut self, expr: &Expr) -> Printed {
        self.value(expr)
    }

    fn local(&mut self, variable: VarId, expr: &Expr) -> Printed {
        let name = local_name(variable);
        if !self.in_memory.contains_key(&variable) {
            return Ok(name);
        }
        // An array in memory used as a value is copied, which needs a known size.
        let Some(sizes) = fixed(&expr.ty) else {
            return malformed(expr.span, "an array of unknown size as a value");
        };
        let (copy, count) = (self.declare(&expr.ty, expr.span)?, sizes.iter().product::<usize>());
        self.lines.push(format!("for (q_i32 k = 0; k < {count}; ++k) {copy}.e[k] = {name}[k];"));
        Ok(copy)
    }

    fn apply_numbers(&mut self, row: &'static Row, args: &[Expr]) -> Printed {
        let element = args.first().and_then(|a| scalar(&a.ty)).unwrap_or(ElementType::Int32);
        let printed = args.iter().map(|a| self.value(a)).collect::<Result<Vec<_>, _>>()?;
        if let ("divide", [x, d], Some(reciprocal)) =
            (row.name, printed.as_slice(), args.last().and_then(reciprocal))
        {
            return Ok(format!("q_over_f32({x}, {d}, {})", constant(Scalar::F32(reciprocal))));
        }
        Ok(apply(row, element, &printed))
    }

    /// Prints an expression into a separate buffer: the statements that it needs, and its value.
    pub(super) fn aside(
        &mut self,
        deeper: usize,
        print: impl FnOnce(&mut Self) -> Printed,
    ) -> Result<(Lines, String), Malformed> {
        let inner = Lines::at(self.lines.depth() + deeper);
        let outer = std::mem::replace(&mut self.lines, inner);
        let value = print(self);
        let inner = std::mem::replace(&mut self.lines, outer);
        Ok((inner, value?))
    }

    fn circuit(&mut self, a: &Expr, b: &Expr, and: bool) -> Printed {
        let a = self.condition(a)?;
        let (before, b) = self.aside(1, |p| p.condition(b))?;
        if before.is_empty() {
            return Ok(format!("({a} {} {b})", if and { "&&" } else { "||" }));
        }
        let result = self.temporary();
        self.lines.push(format!("q_i32 {result} = {a} != 0;"));
        self.lines.open(format!("if ({}{result}) {{", if and { "" } else { "!" }));
        self.lines.append(&before);
        self.lines.push(format!("{result} = {b} != 0;"));
        self.lines.close("}");
        Ok(result)
    }

    fn select(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, expr: &Expr) -> Printed {
        let condition = self.condition(condition)?;
        let (before_then, then) = self.aside(1, |p| p.value(then))?;
        let (before_otherwise, otherwise) = self.aside(1, |p| p.value(otherwise))?;
        if before_then.is_empty() && before_otherwise.is_empty() {
            return Ok(format!("({condition} ? {then} : {otherwise})"));
        }
        let result = self.declare(&expr.ty, expr.span)?;
        self.lines.open(format!("if ({condition}) {{"));
        self.lines.append(&before_then);
        self.lines.push(format!("{result} = {then};"));
        self.lines.next("} else {");
        self.lines.append(&before_otherwise);
        self.lines.push(format!("{result} = {otherwise};"));
        self.lines.close("}");
        Ok(result)
    }

    fn convert(&mut self, inner: &Expr, expr: &Expr) -> Printed {
        let (Some(from), Some(to)) = (scalar(&inner.ty), scalar(&expr.ty)) else {
            return self.value(inner);
        };
        let overflow = match &expr.ty {
            Type::Scalar(_, overflow) => *overflow,
            _ => Overflow::Wrap,
        };
        if from == to {
            return self.value(inner);
        }
        if overflow == Overflow::Checked && !holds_all(from, to) && (from.is_complex() || !total(inner, expr))
        {
            return self.convert_checked(inner, from, to, expr);
        }
        let value = self.value(inner)?;
        // Saturating takes one instruction.
        let small = to == ElementType::Int32 && overflow != Overflow::Truth && is_small(inner);
        Ok(converted(&value, from, to, if small { Overflow::Saturate } else { overflow }))
    }

    /// What follows an error.
    pub(super) fn leave(&mut self) {
        if !self.leave.is_empty() {
            self.lines.push(self.leave.clone());
        }
    }

    /// What follows an error inside of an expression.
    pub(super) fn leave_at_once(&mut self) {
        if self.leaves_at_once {
            self.leave();
        }
    }

    /// A checked conversion: a value that does not fit records an error and wraps.
    fn convert_checked(&mut self, inner: &Expr, from: ElementType, to: ElementType, expr: &Expr) -> Printed {
        let value = self.simple(inner)?;
        let line = self.unit.line(expr.span);
        let message = vec![Part::Number(from), Part::Text(unfit(to))];
        let site = self.unit.site(Site { subject: String::new(), line, message });
        let (f, t) = (suffix(from), suffix(to));
        let record = record_number(0, &value, from);
        self.lines.open(format!("if (!q_fits_{t}_from_{f}({value})) {{"));
        self.lines.push(format!("if (q_fail(fault, 4, {site})) {record}"));
        self.leave_at_once();
        self.lines.close("}");
        Ok(converted(&value, from, to, Overflow::Wrap))
    }
}

/// The statement that records a value for an error message.
pub(super) fn record_number(k: usize, value: &str, element: ElementType) -> String {
    format!("q_record_{}(fault, {k}, {value});", suffix(element))
}

/// A number converted to another type.
pub(super) fn converted(value: &str, from: ElementType, to: ElementType, overflow: Overflow) -> String {
    let (f, t) = (suffix(from), suffix(to));
    if from == to {
        return value.to_owned();
    }
    // C conversions match the language's except from floats to integers.
    if is_plain(from)
        && is_plain(to)
        && !(from.is_float() && to.is_integer())
        && overflow != Overflow::Saturate
    {
        return format!("((q_{t})({value}))");
    }
    let rule = if overflow == Overflow::Saturate && to.is_integer() { "saturate" } else { "to" };
    format!("q_{rule}_{t}_from_{f}({value})")
}

/// Whether a type represents every value of another one.
pub(super) fn holds_all(from: ElementType, to: ElementType) -> bool {
    if !to.is_integer() || from == to {
        return true;
    }
    from.is_integer()
        && match (from.is_signed(), to.is_signed()) {
            (true, false) => false,
            (false, true) => from.bits() < to.bits(),
            _ => from.bits() <= to.bits(),
        }
}

/// The reciprocal of a single-precision constant that is far from overflow and underflow.
fn reciprocal(divisor: &Expr) -> Option<f32> {
    match divisor.constant()? {
        Scalar::F32(d) if d.is_normal() && d.abs() > 1e-18 && d.abs() < 1e18 => Some(1.0 / d),
        _ => None,
    }
}

/// A scalar operation on operands of one type.
pub(super) fn apply(row: &Row, element: ElementType, args: &[String]) -> String {
    let operator = match row.name {
        "equal" => "==",
        "not_equal" => "!=",
        "less" => "<",
        "less_equal" => "<=",
        "greater" => ">",
        "greater_equal" => ">=",
        "add" if element.is_float() => "+",
        "subtract" if element.is_float() => "-",
        "multiply" if element.is_float() => "*",
        "divide" if element.is_float() => "/",
        _ => "",
    };
    match args {
        [a, b] if is_plain(element) && !operator.is_empty() => format!("({a} {operator} {b})"),
        [a] if is_plain(element) && element.is_float() && row.name == "negate" => format!("(-{a})"),
        [a] if element == ElementType::Int32 && row.name == "logical_not" => format!("(!{a})"),
        [a, _] if row.name == "powi" => {
            let rest = args.get(1).map_or("", String::as_str);
            format!("q_powi_{}({a}, {rest})", suffix(element))
        }
        _ => format!("q_{}_{}({})", row.symbol, suffix(element), args.join(", ")),
    }
}

/// Name of a local variable.
pub(super) fn local_name(variable: VarId) -> String {
    format!("v{}", variable.index())
}

/// Name of a loop variable in the offset type.
pub(super) fn wide_name(variable: VarId) -> String {
    format!("w{}", variable.index())
}

/// Name of an extent of an array in memory.
pub(super) fn extent_name(variable: VarId, axis: usize) -> String {
    format!("v{}_d{axis}", variable.index())
}

/// Name of a component of a special parameter; the entry function declares the ones used.
pub(super) fn coordinate_name(coordinate: Coordinate, axis: usize) -> String {
    match coordinate {
        Coordinate::Position => format!("p{axis}"),
        Coordinate::BlockPosition => format!("bp{axis}"),
        Coordinate::BlockDim => format!("bd{axis}"),
        Coordinate::BlockIndex => format!("bi{axis}"),
        Coordinate::BlockCount => format!("bc{axis}"),
        Coordinate::LaunchDim => format!("n{axis}"),
        Coordinate::WarpSize => "Q_WARP_SIZE".to_owned(),
    }
}

pub(super) fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The zero of a number type.
pub(super) fn zero(element: ElementType) -> String {
    constant(quasar_devicelib::element::Scalar::zero(element))
}

/// The element type of the first operand.
pub(super) fn types_of(args: &[Expr]) -> Option<ElementType> {
    args.first().and_then(|a| scalar(&a.ty).or_else(|| types::array_element(&a.ty)))
}
