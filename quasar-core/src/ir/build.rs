//! Constructors of IR types, expressions and statements.

use super::{Block, Body, Expr, ExprKind, Index, NoCopy, Range, Stmt, StmtKind, Storage, VarId, Variable};
use crate::source::Span;
use crate::types::known;
use crate::types::{ArrayType, Boundary, ClosureType, ElementType, Overflow, Rank, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::{Row, find};

/// `int`
pub fn int_type() -> Type {
    scalar_type(ElementType::Int32)
}

/// A number type with the default overflow rule.
pub fn scalar_type(element: ElementType) -> Type {
    Type::Scalar(element, Overflow::Checked)
}

/// An array type of unknown extents.
pub fn array_type(element: Type, rank: u8) -> Type {
    sized_type(element, vec![None; rank as usize])
}

/// An array type with some extents known.
pub fn sized_type(element: Type, sizes: Vec<Option<u32>>) -> Type {
    Type::Array(ArrayType { element: Box::new(element), rank: Rank::Known(sizes.len() as u8), sizes })
}

/// The element type of a number, or of an array of numbers.
pub fn element_of(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Scalar(element, _) => Some(*element),
        Type::Enum(_) => Some(ElementType::Int32),
        Type::Array(array) => element_of_scalar(&array.element),
        _ => None,
    }
}

fn element_of_scalar(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Scalar(element, _) => Some(*element),
        Type::Enum(_) => Some(ElementType::Int32),
        _ => None,
    }
}

/// The same type with other elements.
pub fn with_element(ty: &Type, element: ElementType) -> Type {
    match ty {
        Type::Array(array) => {
            Type::Array(ArrayType { element: Box::new(scalar_type(element)), ..array.clone() })
        }
        _ => scalar_type(element),
    }
}

/// Whether values of a type live in registers: all sizes known and at most 64 elements.
pub fn is_small(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => array.is_small(),
        _ => false,
    }
}

/// Whether two types agree up to the overflow rule, so that they have the same values.
pub fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Scalar(x, _), Type::Scalar(y, _)) => x == y,
        (Type::Array(x), Type::Array(y)) => {
            x.rank == y.rank && x.sizes == y.sizes && same_type(&x.element, &y.element)
        }
        (Type::Tuple(x), Type::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_type(x, y))
        }
        (Type::Closure(x), Type::Closure(y)) => {
            x.definition == y.definition
                && x.captures.len() == y.captures.len()
                && x.captures.iter().zip(&y.captures).all(|((n, s), (m, t))| n == m && same_type(s, t))
        }
        _ => a == b,
    }
}

impl Variable {
    /// A local variable with default properties.
    pub fn new(name: &str, ty: Type, span: Span) -> Variable {
        let name = name.to_string();
        Variable {
            name,
            ty,
            boundary: Boundary::Checked,
            constant: false,
            nocopy: NoCopy::Unknown,
            storage: Storage::Local,
            span,
        }
    }

    /// The name of the array in messages: what the compiler named is as nameless for the user as the expression that it holds.
    pub fn said(&self) -> &str {
        if self.name.starts_with('$') { "array" } else { &self.name }
    }
}

impl Body {
    /// Adds a temporary.
    pub fn temporary(&mut self, ty: Type, span: Span) -> VarId {
        let name = format!("${}", self.variables.len());
        self.variables.push(Variable::new(&name, ty, span))
    }

    /// Reads a variable.
    pub fn read(&self, variable: VarId, span: Span) -> Expr {
        local(variable, self.variables[variable].ty.clone(), span)
    }
}

/// Whether both conditions hold; the second one is computed where the first does.
pub fn and(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span)
}

/// Whether a condition holds, or else another one.
pub fn or(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), int_type(), span)
}

impl Expr {
    /// A new expression.
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    /// The value of a numeric constant.
    pub fn constant(&self) -> Option<Scalar> {
        match self.kind {
            ExprKind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an `int` constant.
    pub fn constant_int(&self) -> Option<i32> {
        match self.kind {
            ExprKind::Constant(Scalar::I32(value)) => Some(value),
            _ => None,
        }
    }

    /// An integer as a base, nothing for a constant, and a constant offset from it.
    pub fn base_and_offset(&self) -> (Option<&Expr>, i64) {
        if let Some(constant) = self.constant_int() {
            return (None, i64::from(constant));
        }
        if let ExprKind::Apply { row, args } = &self.kind
            && let [base, by] = args.as_slice()
            && let Some(by) = by.constant_int().map(i64::from)
            && matches!(row.name, "add" | "subtract")
        {
            let (base, so_far) = base.base_and_offset();
            return (base, if row.name == "add" { so_far + by } else { so_far - by });
        }
        (Some(self), 0)
    }

    /// Whether evaluating it again is free: a constant, a variable or a coordinate.
    pub fn is_atom(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Constant(_)
                | ExprKind::Text(_)
                | ExprKind::Null
                | ExprKind::Local(_)
                | ExprKind::Coordinate(..)
        )
    }
}

impl Stmt {
    /// A new statement.
    pub fn new(kind: StmtKind, span: Span) -> Stmt {
        Stmt { kind, span }
    }
}

/// Reads a variable of the given type.
pub fn local(variable: VarId, ty: Type, span: Span) -> Expr {
    Expr::new(ExprKind::Local(variable), ty, span)
}

/// An `int` constant.
pub fn int(value: i32, span: Span) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::I32(value)), int_type(), span)
}

/// Applies an operation of the scalar table.
pub fn apply(row: &'static Row, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
    Expr::new(ExprKind::Apply { row, args }, ty, span)
}

/// A row of the scalar table, which must have it.
pub fn row(name: &str) -> &'static Row {
    find(name).expect("a row that the table has")
}

/// An operation on two integers.
pub fn of_ints(name: &str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    apply(row(name), vec![a, b], int_type(), span)
}

/// Converts an expression, unless the types agree.
pub fn convert(expr: Expr, ty: &Type) -> Expr {
    if same_type(&expr.ty, ty) {
        return expr;
    }
    let expr = match created_as(expr, ty) {
        Ok(created) if same_type(&created.ty, ty) => return created,
        Ok(expr) | Err(expr) => expr,
    };
    let span = expr.span;
    let mask = matches!(ty, Type::Dynamic) && expr.ty.any(&Type::is_mask);
    let value = Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span);
    // The result type loses the information that it is a mask.
    if mask { tagged(value) } else { value }
}

/// A new array of equal numbers, with the elements of another type from the start.
fn created_as(mut expr: Expr, ty: &Type) -> Result<Expr, Expr> {
    let (ExprKind::Library { name: "zeros" | "ones" | "uninit", .. }, Type::Array(wanted)) = (&expr.kind, ty)
    else {
        return Err(expr);
    };
    match &mut expr.ty {
        Type::Array(made)
            if matches!((&*made.element, &*wanted.element), (Type::Scalar(..), Type::Scalar(..))) =>
        {
            made.element.clone_from(&wanted.element);
            Ok(expr)
        }
        _ => Err(expr),
    }
}

/// A value of unknown type whose arrays of numbers are masks.
pub fn tagged(value: Expr) -> Expr {
    let (ty, span) = (value.ty.clone(), value.span);
    Expr::new(ExprKind::Library { name: "mask", args: vec![value] }, ty, span)
}

/// The array below a conversion to `Dynamic`, if there is one.
pub fn unconverted(array: &Expr) -> &Expr {
    match &array.kind {
        ExprKind::Convert(inner) if array.ty == Type::Dynamic => inner,
        _ => array,
    }
}

/// The rank of the array that an elementwise function gives by its type, if it may be a number when the program runs: `==` and
/// `!=` of arrays are where shapes differ.
pub fn rank_of_number(row: &Row, ty: &Type) -> Option<usize> {
    let Type::Array(array) = ty else { return None };
    let rank = match array.rank {
        Rank::Known(rank) => rank as usize,
        _ => 1,
    };
    matches!(row.name, "equal" | "not_equal").then_some(rank)
}

/// `array[at, ..]`, a single element.
pub fn load(array: Expr, at: Vec<Expr>, boundary: Boundary, span: Span) -> Expr {
    let ty = match &array.ty {
        Type::Array(array) => (*array.element).clone(),
        other => other.clone(),
    };
    let index = at.into_iter().map(Index::At).collect();
    Expr::new(ExprKind::Load { array: Box::new(array), index, boundary }, ty, span)
}

/// `size(array, axis)`
pub fn extent(array: Expr, axis: usize, span: Span) -> Expr {
    Expr::new(ExprKind::Extent(Box::new(array), axis), int_type(), span)
}

/// `variable = value`
pub fn assign(variable: VarId, value: Expr) -> Stmt {
    let span = value.span;
    Stmt::new(StmtKind::Assign { variable, value }, span)
}

/// `from..to`
pub fn range(from: Expr, to: Expr) -> Range {
    Range { from, step: None, to }
}

/// `if condition then else otherwise`
pub fn choice(condition: Expr, then: Block, otherwise: Block, span: Span) -> Stmt {
    Stmt::new(StmtKind::If { condition, then, otherwise }, span)
}

/// `condition ? then : otherwise`
pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (ty, span) = (then.ty.clone(), condition.span);
    let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
    Expr::new(ExprKind::Select { condition, then, otherwise }, ty, span)
}

/// The default value of a variable: zeros, empty strings, `nullptr`.
pub fn nothing(ty: &Type, span: Span) -> Option<Expr> {
    made_of(ty, span, &|sizes| sizes.iter().map(|size| size.unwrap_or(0) as i32).collect())
}

/// A placeholder for a value that is never used, such as the captures of an alternative that was not chosen. It costs
/// no memory and cannot fail: an array is empty, whatever its type says, unless threads keep arrays of its size in
/// registers.
pub fn placeholder(ty: &Type, span: Span) -> Option<Expr> {
    made_of(ty, span, &|sizes| {
        let count = sizes.iter().try_fold(1_u32, |count, size| count.checked_mul((*size)?));
        let small = count.is_some_and(|count| count <= known::KEPT);
        sizes.iter().map(|size| size.filter(|_| small).unwrap_or(0) as i32).collect()
    })
}

/// A default value whose arrays have the extents that `extents` derives from the type.
fn made_of(ty: &Type, span: Span, extents: &dyn Fn(&[Option<u32>]) -> Vec<i32>) -> Option<Expr> {
    let captured = |closure: &ClosureType| -> Option<Vec<Expr>> {
        closure.captures.iter().map(|(_, ty)| made_of(ty, span, extents)).collect()
    };
    let kind = match ty {
        Type::Scalar(element, _) => ExprKind::Constant(Scalar::zero(*element)),
        Type::Enum(_) => ExprKind::Constant(Scalar::I32(0)),
        Type::Text => ExprKind::Text(String::new()),
        Type::Array(ArrayType { sizes, .. }) if element_of(ty).is_some() && !sizes.is_empty() => {
            let args = extents(sizes).into_iter().map(|extent| int(extent, span)).collect();
            ExprKind::Library { name: "zeros", args }
        }
        Type::Tuple(parts) => {
            ExprKind::Tuple(parts.iter().map(|ty| made_of(ty, span, extents)).collect::<Option<_>>()?)
        }
        Type::Closure(closure) => ExprKind::Tuple(captured(closure)?),
        Type::Dynamic | Type::Null | Type::Pointer(_) => ExprKind::Null,
        Type::Choice(_) if is_number_alone(ty) => ExprKind::Constant(Scalar::I32(0)),
        Type::Choice(candidates) => {
            let mut items = vec![int(0, span)];
            for candidate in candidates {
                items.extend(captured(candidate)?);
            }
            ExprKind::Tuple(items)
        }
        _ => return None,
    };
    Some(Expr::new(kind, ty.clone(), span))
}

/// Whether a choice is between functions without captures.
pub fn is_number_alone(ty: &Type) -> bool {
    matches!(ty, Type::Choice(candidates) if candidates.iter().all(|f| f.captures.is_empty()))
}

/// The neutral element of a reduction: combining it with any `x` gives `x`.
pub fn neutral(row: &'static Row, ty: &Type, span: Span) -> Expr {
    let element = element_of(ty).unwrap_or(ElementType::Int32);
    Expr::new(ExprKind::Constant(quasar_devicelib::ops::neutral(row.name, element)), ty.clone(), span)
}
