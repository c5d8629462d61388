//! Resolves written types: spellings such as `vec3` and `mat2x3`, aliases, parameters and modifiers. Also unifies
//! written types with the types of arguments to bind type parameters.

use super::{ArrayType, Boundary, ClassType, ElementType, FunctionType, Group, Overflow, Rank, Type};
use crate::message::{Message, foreign_type};
use crate::source::Span;
use crate::syntax::ast::*;
use std::sync::Arc;

/// Properties of a variable from its annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access {
    /// The boundary mode, if given.
    pub boundary: Option<Boundary>,
    /// `'const` and the modifiers that imply it.
    pub constant: bool,
    /// `'shared`.
    pub shared: bool,
    /// `'hwconst`.
    pub hardware_constant: bool,
    /// `'nocopy`.
    pub nocopy: bool,
    /// `'hwtex_nearest` or `'hwtex_linear`.
    pub texture: Option<Texture>,
}

/// Texture sampling between elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    /// Linear interpolation; otherwise nearest neighbour.
    pub linear: bool,
    /// The number of components along the last dimension that form one texel; 1 makes that dimension an ordinary one.
    pub components: u8,
}

impl Access {
    /// Takes properties that `self` leaves open from `other`.
    pub fn or(self, other: Access) -> Access {
        Access {
            boundary: self.boundary.or(other.boundary),
            constant: self.constant || other.constant,
            shared: self.shared || other.shared,
            hardware_constant: self.hardware_constant || other.hardware_constant,
            nocopy: self.nocopy || other.nocopy,
            texture: self.texture.or(other.texture),
        }
    }
}

/// The meaning of a name as a type.
#[derive(Clone, Debug)]
pub enum Named<'a> {
    /// A type parameter with its type, or an enum.
    Type(Type),
    /// A size parameter with its value.
    Integer(i64),
    /// A type or size parameter that is not bound yet.
    Unbound,
    /// A generic or plain alias.
    Alias(&'a [TypeParam], &'a TypeExpr),
    /// A class with its parameters.
    Class(&'a [TypeParam]),
    /// Not defined by the program; predefined types are tried next.
    Unknown,
}

/// The scope in which a written type is resolved.
pub trait TypeScope<'a> {
    /// The meaning of a name.
    fn named(&mut self, name: &str) -> Named<'a>;
    /// The value of a constant expression.
    fn integer(&mut self, expr: &'a Expr) -> Option<i64>;
    /// The precision of `scalar`.
    fn working(&self) -> ElementType;
    /// Reports a message.
    fn report(&mut self, message: Message);
    /// A similar name, for misspellings.
    fn suggestion(&mut self, name: &str) -> Option<String>;
    /// Enters the body of an alias with its parameters bound.
    fn enter_alias(&mut self, params: &'a [TypeParam], args: Vec<Bound>);
    /// Leaves the body of an alias.
    fn leave_alias(&mut self);
    /// The class of a name with its arguments; `None` after reporting a message.
    fn class(&mut self, name: &Name, args: Vec<Bound>) -> Option<Arc<ClassType>>;
}

/// The value of a type or size parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A type.
    Type(Type),
    /// A size or a number of dimensions.
    Integer(i64),
}

/// A resolved type.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    /// A type.
    Is(Type),
    /// Any type: `??`, an untyped function.
    Any,
    /// One of several.
    OneOf(Vec<Resolved>),
    /// It mentions an unbound parameter.
    Open,
}

impl Resolved {
    /// The type, if there is exactly one.
    pub fn single(&self) -> Option<&Type> {
        match self {
            Resolved::Is(ty) => Some(ty),
            Resolved::Any | Resolved::OneOf(_) | Resolved::Open => None,
        }
    }

    /// Whether a value of the type is accepted.
    pub fn accepts(&self, ty: &Type) -> bool {
        match self {
            Resolved::Is(Type::Array(array)) if *array.element == Type::Dynamic => match ty {
                // `cube[??]` accepts arrays of any element type.
                Type::Array(found) => {
                    let found = ArrayType { element: Box::new(Type::Dynamic), ..found.clone() };
                    super::convert::is_subtype(&Type::Array(found), &Type::Array(array.clone()))
                }
                _ => super::convert::is_subtype(ty, &Type::Array(array.clone())),
            },
            Resolved::Is(wanted) => super::convert::is_subtype(ty, wanted),
            Resolved::Any | Resolved::Open => true,
            Resolved::OneOf(alternatives) => alternatives.iter().any(|alternative| alternative.accepts(ty)),
        }
    }
}

/// Deeper nesting of aliases counts as a cycle.
const DEPTH: usize = 32;

/// Resolves a type with its modifiers.
pub fn resolve<'a>(written: &'a TypeExpr, scope: &mut impl TypeScope<'a>) -> (Resolved, Access) {
    resolve_at(written, scope, 0)
}

fn resolve_at<'a>(written: &'a TypeExpr, scope: &mut impl TypeScope<'a>, depth: usize) -> (Resolved, Access) {
    if depth > DEPTH {
        scope.report(Message::error("Q0301", written.span, "this type is defined by itself"));
        return (Resolved::Is(Type::Error), Access::default());
    }
    let mut access = Access::default();
    let mut resolved = match &written.kind {
        TypeExprKind::Unspecified => Resolved::Any,
        TypeExprKind::Invalid => Resolved::Is(Type::Error),
        TypeExprKind::Pointer(target) => pointer(written.span, target, scope, depth),
        TypeExprKind::Union(alternatives) => {
            let list = alternatives.iter().map(|ty| resolve_at(ty, scope, depth + 1).0).collect();
            Resolved::OneOf(list)
        }
        TypeExprKind::Function { kind, params, results } => function(*kind, params, results, scope, depth),
        TypeExprKind::Named { name, rank, args, sizes } => {
            let (resolved, from_alias) = named(name, rank.as_ref(), args, sizes, scope, depth);
            access = from_alias;
            resolved
        }
    };
    for modifier in &written.modifiers {
        let (next, found) = modify(resolved, modifier, scope);
        resolved = next;
        access = found.or(access);
    }
    (resolved, access)
}

/// Applies a modifier to a type, or reads an access modifier of the variable.
pub fn modify<'a>(
    ty: Resolved,
    modifier: &'a Modifier,
    scope: &mut impl TypeScope<'a>,
) -> (Resolved, Access) {
    let integer = matches!(&ty, Resolved::Is(Type::Scalar(element, _)) if element.is_integer());
    let text = modifier.name.text.as_str();
    let overflow = Overflow::from_name(text);
    if let (true, Some(overflow), Resolved::Is(Type::Scalar(element, _))) = (integer, overflow, &ty) {
        return (Resolved::Is(Type::Scalar(*element, overflow)), Access::default());
    }
    let precision = match text {
        "half" => Some(ElementType::Half),
        "single" => Some(ElementType::Single),
        "double" => Some(ElementType::Double),
        _ => None,
    };
    if let (Some(precision), Resolved::Is(inner)) = (precision, &ty) {
        return match inner.element_type() {
            Some(element) if element.is_complex() && precision != ElementType::Half => {
                (Resolved::Is(inner.with_element(precision.complex())), Access::default())
            }
            Some(element) if element.is_float() => {
                (Resolved::Is(inner.with_element(precision)), Access::default())
            }
            _ => {
                let complex = inner.element_type().is_some_and(ElementType::is_complex);
                let text = match complex {
                    true => "not supported yet: complex numbers of half precision".to_string(),
                    false => format!("'{text} changes the precision of scalar types, not of '{inner}'"),
                };
                scope.report(Message::error(
                    if complex { "Q0001" } else { "Q0302" },
                    modifier.name.span,
                    text,
                ));
                (ty, Access::default())
            }
        };
    }
    let mut access = Access::default();
    match text {
        "safe" => access.boundary = Some(Boundary::Safe),
        "checked" => access.boundary = Some(Boundary::Checked),
        "unchecked" => access.boundary = Some(Boundary::Unchecked),
        "circular" => access.boundary = Some(Boundary::Circular),
        "mirror" => access.boundary = Some(Boundary::Mirror),
        "clamped" => access.boundary = Some(Boundary::Clamped),
        "const" | "hwtex_const" => access.constant = true,
        "hwtex_nearest" | "hwtex_linear" => {
            access.constant = true;
            access.texture = Some(texture(modifier, scope));
        }
        "hwconst" => (access.constant, access.hardware_constant) = (true, true),
        "shared" => access.shared = true,
        "nocopy" => access.nocopy = true,
        // A hint without semantics.
        "static" => {}
        "sat" => {
            let text = "'sat belongs to integer types, for example mat[uint8'sat]";
            scope.report(Message::error("Q0302", modifier.name.span, text));
        }
        _ => {
            let message =
                Message::error("Q0303", modifier.name.span, format!("unknown type modifier '{text}'"));
            scope.report(message.help("known are safe, checked, unchecked, circular, mirror, clamped, const, shared, half, single, double, sat, nocopy, hwconst, hwtex_const, hwtex_nearest, hwtex_linear"));
        }
    }
    (ty, access)
}

fn texture<'a>(modifier: &'a Modifier, scope: &mut impl TypeScope<'a>) -> Texture {
    let components = match modifier.args.as_slice() {
        [] => Some(1),
        [count] => scope.integer(count).filter(|n| [1, 2, 4].contains(n)),
        _ => None,
    };
    if components.is_none() {
        let text = "a texture has 1, 2 or 4 components";
        scope.report(Message::error("Q0302", modifier.name.span, text));
    }
    Texture { linear: modifier.name.text == "hwtex_linear", components: components.unwrap_or(1) as u8 }
}

fn function<'a>(
    kind: FunctionKind,
    params: &'a [(bool, TypeExpr)],
    results: &'a [TypeExpr],
    scope: &mut impl TypeScope<'a>,
    depth: usize,
) -> Resolved {
    let mut types = Vec::new();
    for (variadic, ty) in params {
        match resolve_at(ty, scope, depth + 1).0 {
            Resolved::Is(ty) => types.push((*variadic, ty)),
            Resolved::Open => return Resolved::Open,
            Resolved::Any | Resolved::OneOf(_) => types.push((*variadic, Type::Dynamic)),
        }
    }
    let mut result_types = Vec::new();
    for ty in results {
        match resolve_at(ty, scope, depth + 1).0 {
            Resolved::Is(ty) => result_types.push(ty),
            Resolved::Open => return Resolved::Open,
            Resolved::Any | Resolved::OneOf(_) => result_types.push(Type::Dynamic),
        }
    }
    Resolved::Is(Type::Function(Box::new(FunctionType { kind, params: types, results: result_types })))
}

/// The element type, rank and sizes of a name such as `ivec`, `cmat` or `mat2x3`.
pub fn family(name: &str, working: ElementType) -> Option<(ElementType, usize, Vec<Option<u32>>)> {
    let (element, rest) = match name.strip_prefix('i') {
        Some(rest) => (ElementType::Int32, rest),
        None => match name.strip_prefix('c').filter(|rest| !rest.starts_with("ube")) {
            Some(rest) => (working.complex(), rest),
            None => (working, name),
        },
    };
    let (rank, digits) = [("vec", 1), ("mat", 2), ("cube", 3)]
        .iter()
        .find_map(|(family, rank)| rest.strip_prefix(family).map(|digits| (*rank, digits)))?;
    if digits.is_empty() {
        return Some((element, rank, vec![None; rank]));
    }
    let sizes: Option<Vec<Option<u32>>> = digits
        .split('x')
        .map(|n| if n.starts_with('0') { None } else { n.parse().ok().filter(|n| *n > 0).map(Some) })
        .collect();
    let sizes = sizes?;
    let fits = if rank == 3 { (3..=16).contains(&sizes.len()) } else { sizes.len() == rank };
    fits.then_some((element, sizes.len(), sizes))
}

/// Predefined types without parameters.
pub(crate) fn simple(name: &str, working: ElementType) -> Option<Resolved> {
    Some(Resolved::Is(match name {
        "scalar" => Type::scalar(working),
        "cscalar" => Type::scalar(working.complex()),
        "int" | "int32" => Type::INT,
        "int8" => Type::scalar(ElementType::Int8),
        "int16" => Type::scalar(ElementType::Int16),
        "int64" => Type::scalar(ElementType::Int64),
        "uint8" => Type::scalar(ElementType::UInt8),
        "uint16" => Type::scalar(ElementType::UInt16),
        "uint32" => Type::scalar(ElementType::UInt32),
        "uint64" => Type::scalar(ElementType::UInt64),
        "string" => Type::Text,
        "cell" => Type::Array(ArrayType::any_rank(Type::Dynamic)),
        "type" => Type::TypeValue,
        "qexception" => Type::Text,
        "function" | "kernel_function" | "lambda_expr" => return Some(Resolved::Any),
        _ => return None,
    }))
}

fn type_class(name: &str, working: ElementType) -> Option<Resolved> {
    let list = |elements: &[ElementType]| {
        Resolved::OneOf(elements.iter().map(|element| Resolved::Is(Type::scalar(*element))).collect())
    };
    Some(match name {
        "AllInt" => list(&ElementType::ALL.iter().copied().filter(|e| e.is_integer()).collect::<Vec<_>>()),
        "RealNumber" => list(&[ElementType::Int32, working]),
        "ComplexNumber" => list(&[working.complex()]),
        _ => return None,
    })
}

/// Whether a name is a predefined type.
pub fn is_predefined(name: &str) -> bool {
    let working = ElementType::Single;
    simple(name, working).is_some() || family(name, working).is_some() || type_class(name, working).is_some()
}

fn named<'a>(
    name: &Name,
    rank: Option<&RankExpr>,
    args: &'a [TypeArg],
    sizes: &'a [SizeExpr],
    scope: &mut impl TypeScope<'a>,
    depth: usize,
) -> (Resolved, Access) {
    let plain = Access::default();
    let error = (Resolved::Is(Type::Error), plain);
    match scope.named(&name.text) {
        Named::Type(ty) => return (with_sizes(Resolved::Is(ty), sizes, name.span, scope), plain),
        Named::Integer(_) => {
            scope.report(Message::error(
                "Q0304",
                name.span,
                format!("'{}' is a number, not a type", name.text),
            ));
            return error;
        }
        Named::Unbound => return (Resolved::Open, plain),
        Named::Alias(params, body) => return alias(name, params, body, args, sizes, scope, depth),
        Named::Class(params) => {
            let class = match bounds(name, params, args, scope, depth) {
                Ok(bound) => scope
                    .class(name, bound)
                    .map_or(Resolved::Is(Type::Error), |class| Resolved::Is(Type::Class(class))),
                Err(open) => open,
            };
            return (with_sizes(class, sizes, name.span, scope), plain);
        }
        Named::Unknown => {}
    }
    let working = scope.working();
    if let Some(resolved) = simple(&name.text, working).or_else(|| type_class(&name.text, working)) {
        return (resolved, plain);
    }
    let Some((element, spelled_rank, spelled_sizes)) = family(&name.text, working) else {
        if name.text == "object" {
            return (Resolved::Is(Type::Dynamic), plain);
        }
        if name.text == "thread_block" {
            let groups = [Group::Warp, Group::Block, Group::Grid];
            return (Resolved::OneOf(groups.map(|group| Resolved::Is(Type::Group(group))).to_vec()), plain);
        }
        let message = Message::error("Q0201", name.span, format!("unknown type '{}'", name.text));
        let open = sizes.iter().any(|size| matches!(size, SizeExpr::Any));
        let message = match (scope.suggestion(&name.text), foreign_type(&name.text)) {
            (Some(near), _) => message.help(format!("did you mean '{near}'?")),
            (None, Some(here)) => message.help(here),
            (None, None) if open => {
                message.help(format!("elements of an array are written with brackets: '{}[..]'", name.text))
            }
            (None, None) => message,
        };
        scope.report(message);
        return error;
    };
    let rank = match rank {
        None => Some(spelled_rank),
        Some(RankExpr::Any) => None,
        Some(RankExpr::Number(n)) => Some(*n as usize),
        Some(RankExpr::Param(parameter)) => match scope.named(&parameter.text) {
            Named::Integer(n) => Some(usize::try_from(n).unwrap_or(0)),
            Named::Unbound => return (Resolved::Open, plain),
            _ => {
                let text = format!("'{}' is not a dimension parameter", parameter.text);
                scope.report(Message::error("Q0304", parameter.span, text));
                return error;
            }
        },
    };
    if rank.is_some_and(|rank| !(1..=16).contains(&rank)) {
        scope.report(Message::error("Q0305", name.span, "arrays have between 1 and 16 dimensions"));
        return error;
    }
    let element = match args {
        [] => Resolved::Is(Type::scalar(element)),
        [TypeArg::Type(ty)] => resolve_at(ty, scope, depth + 1).0,
        [TypeArg::Tuple(parts)] => return (tuple(parts, scope, depth), plain),
        _ => {
            scope.report(Message::error(
                "Q0306",
                name.span,
                format!("'{}' takes one element type", name.text),
            ));
            return error;
        }
    };
    let array = |element: Type| match rank {
        None => ArrayType::any_rank(element),
        Some(rank) if rank == spelled_sizes.len() => ArrayType::new(element, &spelled_sizes),
        Some(rank) => ArrayType::new(element, &vec![None; rank]),
    };
    (with_sizes(each_array(element, &array), sizes, name.span, scope), plain)
}

/// Distributes an array over a union: an array of one of several elements is one of several arrays.
fn each_array(element: Resolved, array: &dyn Fn(Type) -> ArrayType) -> Resolved {
    match element {
        Resolved::Is(element) => Resolved::Is(Type::Array(array(element))),
        Resolved::Any => Resolved::Is(Type::Array(array(Type::Dynamic))),
        Resolved::OneOf(list) => {
            Resolved::OneOf(list.into_iter().map(|element| each_array(element, array)).collect())
        }
        Resolved::Open => Resolved::Open,
    }
}

/// Adds `(3,:)` to an array type.
fn with_sizes<'a>(
    base: Resolved,
    sizes: &'a [SizeExpr],
    span: Span,
    scope: &mut impl TypeScope<'a>,
) -> Resolved {
    if sizes.is_empty() {
        return base;
    }
    if let Resolved::OneOf(list) = base {
        let list = list.into_iter().map(|base| with_sizes(base, sizes, span, scope)).collect();
        return Resolved::OneOf(list);
    }
    let Resolved::Is(Type::Array(array)) = base else {
        if base != Resolved::Is(Type::Error) {
            scope.report(Message::error("Q0305", span, "only array types have sizes"));
        }
        return Resolved::Is(Type::Error);
    };
    let mut list = Vec::new();
    for size in sizes {
        match size {
            SizeExpr::Any => list.push(None),
            SizeExpr::Expr(expr) => match scope.integer(expr).map(u32::try_from) {
                Some(Ok(n)) => list.push(Some(n)),
                Some(Err(_)) => {
                    scope.report(Message::error("Q0305", expr.span, "a size cannot be negative"));
                    return Resolved::Is(Type::Error);
                }
                None => return Resolved::Open,
            },
        }
    }
    let expected = array.known_rank().unwrap_or(list.len());
    // More sizes are more dimensions: cube(2,2,2,2), mat(3,3,:).
    if list.len() != expected && !(expected >= 2 && (expected..=16).contains(&list.len())) {
        let text = format!("expected {expected} sizes, found {}", list.len());
        scope.report(Message::error("Q0305", span, text));
        return Resolved::Is(Type::Error);
    }
    Resolved::Is(Type::Array(array.with_sizes(&list)))
}

fn tuple<'a>(parts: &'a [TypeArg], scope: &mut impl TypeScope<'a>, depth: usize) -> Resolved {
    let mut types = Vec::new();
    for part in parts {
        let resolved = match part {
            TypeArg::Type(ty) => resolve_at(ty, scope, depth + 1).0,
            TypeArg::Tuple(inner) => tuple(inner, scope, depth + 1),
            TypeArg::Const(expr) => {
                scope.report(Message::error("Q0304", expr.span, "expected a type"));
                Resolved::Is(Type::Error)
            }
        };
        match resolved {
            Resolved::Is(ty) => types.push(ty),
            Resolved::Any | Resolved::OneOf(_) => types.push(Type::Dynamic),
            Resolved::Open => return Resolved::Open,
        }
    }
    match types.split_first() {
        Some((first @ Type::Scalar(..), rest)) if rest.iter().all(|ty| ty == first) => {
            Resolved::Is(Type::array(first.clone(), &[Some(types.len() as u32)]))
        }
        _ => Resolved::Is(Type::Tuple(types)),
    }
}

/// The target of `^`: pointers refer to objects.
fn pointer<'a>(span: Span, target: &'a TypeExpr, scope: &mut impl TypeScope<'a>, depth: usize) -> Resolved {
    match resolve_at(target, scope, depth + 1).0 {
        Resolved::Is(Type::Class(class)) => Resolved::Is(Type::Pointer(class)),
        Resolved::Is(Type::Error) => Resolved::Is(Type::Error),
        Resolved::Open => Resolved::Open,
        other => {
            let found = other.single().map_or("this".to_owned(), |ty| format!("'{ty}'"));
            let text = format!("'^' makes pointers to objects of classes, and {found} is no class");
            scope.report(Message::error("Q0307", span, text).help(match other.single() {
                Some(Type::Pointer(_)) => "a pointer to a pointer does not exist; a class can hold one as a field",
                _ => "arrays are references anyway, and a number that is shared can be the field of a mutable class",
            }));
            Resolved::Is(Type::Error)
        }
    }
}

/// Evaluates the arguments of an alias or class.
fn bounds<'a>(
    name: &Name,
    params: &'a [TypeParam],
    args: &'a [TypeArg],
    scope: &mut impl TypeScope<'a>,
    depth: usize,
) -> Result<Vec<Bound>, Resolved> {
    if params.len() != args.len() {
        let text = format!("type '{}' takes {} arguments, found {}", name.text, params.len(), args.len());
        scope.report(Message::error("Q0306", name.span, text));
        return Err(Resolved::Is(Type::Error));
    }
    let mut bound = Vec::new();
    for arg in args {
        match arg {
            TypeArg::Type(ty) => match resolve_at(ty, scope, depth + 1).0 {
                Resolved::Is(ty) => bound.push(Bound::Type(ty)),
                Resolved::Any | Resolved::OneOf(_) => bound.push(Bound::Type(Type::Dynamic)),
                Resolved::Open => return Err(Resolved::Open),
            },
            TypeArg::Const(expr) => match scope.integer(expr) {
                Some(n) => bound.push(Bound::Integer(n)),
                None => return Err(Resolved::Open),
            },
            TypeArg::Tuple(parts) => match tuple(parts, scope, depth + 1) {
                Resolved::Is(ty) => bound.push(Bound::Type(ty)),
                other => return Err(other),
            },
        }
    }
    Ok(bound)
}

#[allow(clippy::too_many_arguments, reason = "the parts of a named type")]
fn alias<'a>(
    name: &Name,
    params: &'a [TypeParam],
    body: &'a TypeExpr,
    args: &'a [TypeArg],
    sizes: &'a [SizeExpr],
    scope: &mut impl TypeScope<'a>,
    depth: usize,
) -> (Resolved, Access) {
    let bound = match bounds(name, params, args, scope, depth) {
        Ok(bound) => bound,
        Err(open) => return (open, Access::default()),
    };
    scope.enter_alias(params, bound);
    let (resolved, access) = resolve_at(body, scope, depth + 1);
    scope.leave_alias();
    (with_sizes(resolved, sizes, name.span, scope), access)
}

/// Unifies a written type with an argument's type; `false` if they do not match.
///
/// Calls `bind` for each parameter found, which returns whether the value agrees with earlier bindings.
pub fn unify<'a>(
    written: &'a TypeExpr,
    actual: &Type,
    bind: &mut dyn FnMut(Unknown<'a>, Bound) -> bool,
) -> bool {
    match &written.kind {
        TypeExprKind::Named { name, rank, args, sizes } => {
            if rank.is_none() && args.is_empty() && sizes.is_empty() && !is_predefined(&name.text) {
                return bind(Unknown::Name(&name.text), Bound::Type(actual.clone().taken_out()));
            }
            if let Some(class) = actual.class() {
                return unify_class(&name.text, args, class, bind);
            }
            let Type::Array(array) = actual else { return true };
            if let (Some(RankExpr::Param(parameter)), Some(rank)) = (rank, array.known_rank())
                && !bind(Unknown::Rank(&parameter.text), Bound::Integer(rank as i64))
            {
                return false;
            }
            if let [TypeArg::Type(element)] = args.as_slice()
                && !unify(element, &array.element, bind)
            {
                return false;
            }
            unify_sizes(name, sizes, array, bind)
        }
        TypeExprKind::Function { params, results, .. } => {
            let Type::Function(function) = actual else { return true };
            params.iter().zip(&function.params).all(|((_, written), (_, ty))| unify(written, ty, bind))
                && results.iter().zip(&function.results).all(|(written, ty)| unify(written, ty, bind))
        }
        TypeExprKind::Pointer(target) => match actual.class() {
            Some(class) => unify(target, &Type::Class(class.clone()), bind),
            None => true,
        },
        TypeExprKind::Unspecified | TypeExprKind::Union(_) | TypeExprKind::Invalid => true,
    }
}

/// Unifies the arguments of a parametric class with those of an object's class.
fn unify_class<'a>(
    name: &str,
    args: &'a [TypeArg],
    class: &Arc<ClassType>,
    bind: &mut dyn FnMut(Unknown<'a>, Bound) -> bool,
) -> bool {
    let Some(class) = class.line().find(|class| class.plain_name() == name) else { return true };
    args.iter().zip(&class.args).all(|(written, bound)| match (written, bound) {
        (TypeArg::Type(written), Bound::Type(ty)) => unify(written, ty, bind),
        (TypeArg::Type(written), Bound::Integer(n)) => match &written.kind {
            TypeExprKind::Named { name, .. } => bind(Unknown::Name(&name.text), Bound::Integer(*n)),
            _ => true,
        },
        (TypeArg::Const(expr), Bound::Integer(n)) => bind(Unknown::Size(expr), Bound::Integer(*n)),
        (TypeArg::Const(_) | TypeArg::Tuple(_), _) => true,
    })
}

/// An unknown of a written type.
#[derive(Clone, Copy, Debug)]
pub enum Unknown<'a> {
    /// A name in type position.
    Name(&'a str),
    /// A name in the braces of `cube{N}`.
    Rank(&'a str),
    /// A linear expression in size position.
    Size(&'a Expr),
}

fn unify_sizes<'a>(
    name: &Name,
    sizes: &'a [SizeExpr],
    array: &ArrayType,
    bind: &mut dyn FnMut(Unknown<'a>, Bound) -> bool,
) -> bool {
    if sizes.is_empty() || matches!(array.rank, Rank::Any) {
        return true;
    }
    let wanted = sizes.len().max(family(&name.text, ElementType::Single).map_or(0, |(_, rank, _)| rank));
    if array.sizes.len() > wanted {
        return true;
    }
    let actual = super::shape::raise(&array.sizes, wanted);
    sizes.iter().zip(actual).all(|(size, actual)| match (size, actual) {
        (SizeExpr::Expr(expr), Some(n)) => bind(Unknown::Size(expr), Bound::Integer(i64::from(n))),
        (SizeExpr::Expr(_) | SizeExpr::Any, _) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_spelled_with_digits() {
        let show = |name: &str| {
            family(name, ElementType::Single)
                .map(|(element, _, sizes)| Type::numbers(element, &sizes).to_string())
        };
        assert_eq!(show("vec3").as_deref(), Some("vec(3)"));
        assert_eq!(show("ivec").as_deref(), Some("ivec"));
        assert_eq!(show("mat2x3").as_deref(), Some("mat(2,3)"));
        assert_eq!(show("cvec4").as_deref(), Some("cvec(4)"));
        assert_eq!(show("ccube").as_deref(), Some("ccube"));
        assert_eq!(show("cube2x2x2x2").as_deref(), Some("cube(2,2,2,2)"));
        assert_eq!(show("vec0"), None);
        assert_eq!(show("mat3"), None);
        assert_eq!(show("vector"), None);
    }
}
