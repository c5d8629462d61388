//! Textures: arrays that are read between their elements. All of it is loads of elements and arithmetic in single precision,
//! so that results are the same on every device; units for textures compute with weights of eight bits.

use super::body::Lowering;
use crate::ir::build::{self, int_type, scalar_type};
use crate::ir::{Expr, ExprKind, Index, StmtKind};
use crate::source::Span;
use crate::types::resolve::Texture;
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops;

/// A dimension in which a position lies between two elements: the first of them, and the weight of the second.
struct Between {
    axis: usize,
    first: Expr,
    weight: Expr,
}

impl Lowering<'_, '_> {
    /// How the array is read, if it is a parameter that is a texture.
    pub(super) fn texture(&self, array: &Expr) -> Option<Texture> {
        let variable = match &array.kind {
            ExprKind::Local(variable) => *variable,
            ExprKind::Convert(inner) => return self.texture(inner),
            _ => return None,
        };
        let place = self.body.params.iter().position(|param| *param == variable)?;
        let bindings = self.instance.captures.iter().chain(&self.instance.params);
        bindings.filter(|binding| !binding.special).nth(place)?.mode.texture
    }

    /// An element of a texture, or its components.
    pub(super) fn fetch(
        &mut self,
        texture: Texture,
        array: Expr,
        mut index: Vec<Index>,
        boundary: Boundary,
        ty: &Type,
        span: Span,
    ) -> Expr {
        if texture.components > 1 && !self.is_component(&array, &index, texture.components, boundary) {
            let what = "this choice of components of a texture";
            self.not_supported(span, what);
        }
        let mut between = Vec::new();
        for (axis, each) in index.iter_mut().enumerate() {
            let Index::At(at) = each else { continue };
            if !matches!(at.ty, Type::Scalar(element, _) if element.is_float()) {
                continue;
            }
            let at = std::mem::replace(at, build::int(0, span));
            if texture.linear {
                let (first, weight) = self.neighbours(at, span);
                between.push(Between { axis, first, weight });
            } else {
                *each = Index::At(self.nearest(at, span));
            }
        }
        interpolated(&array, &index, boundary, &between, ty, span)
    }

    /// The element that is nearest to a position, upwards from the middle.
    fn nearest(&mut self, at: Expr, span: Span) -> Expr {
        let ty = at.ty.clone();
        let half = build::convert(number(0.5, span), &ty);
        let up = arithmetic("add", vec![at, half], &ty, span);
        let down = arithmetic("floor", vec![up], &ty, span);
        self.convert_number(down, &int_type())
    }

    /// The element before a position, and the distance from it.
    fn neighbours(&mut self, at: Expr, span: Span) -> (Expr, Expr) {
        let ty = at.ty.clone();
        let at = self.kept(at, span);
        let first = self.kept(arithmetic("floor", vec![at.clone()], &ty, span), span);
        let distance = arithmetic("subtract", vec![at, first.clone()], &ty, span);
        let weight = self.kept(build::convert(distance, &single()), span);
        let first = self.convert_number(first, &int_type());
        (self.kept(first, span), weight)
    }

    /// A value that is used several times.
    fn kept(&mut self, value: Expr, span: Span) -> Expr {
        if value.is_atom() {
            return value;
        }
        let temporary = self.body.temporary(value.ty.clone(), span);
        self.emit(StmtKind::Assign { variable: temporary, value }, span);
        self.body.read(temporary, span)
    }

    /// Whether the last index chooses components that exist, or that read as zeros.
    fn is_component(&self, array: &Expr, index: &[Index], components: u8, boundary: Boundary) -> bool {
        let sizes = array.ty.as_array().and_then(|array| array.sizes.last().copied().flatten());
        let exists =
            |e: &Expr| e.constant_int().is_some_and(|k| 0 <= k && sizes.is_some_and(|n| (k as u32) < n));
        let few = |e: &Expr| e.constant_int().is_none_or(|k| k < i32::from(components));
        match index.last() {
            Some(Index::All) => true,
            Some(Index::At(e)) => {
                matches!(e.ty, Type::Scalar(ElementType::Int32, _))
                    && few(e)
                    && (boundary == Boundary::Safe || exists(e))
            }
            Some(Index::Range(range)) => {
                let ends = [&range.from, &range.to];
                ends.iter().all(|e| few(e)) && (boundary == Boundary::Safe || ends.iter().all(|e| exists(e)))
            }
            Some(Index::List(_) | Index::Position(_)) | None => false,
        }
    }
}

/// The value between elements: along one dimension after the other.
fn interpolated(
    array: &Expr,
    index: &[Index],
    boundary: Boundary,
    between: &[Between],
    ty: &Type,
    span: Span,
) -> Expr {
    let Some((Between { axis, first, weight }, rest)) = between.split_first() else {
        let kind = ExprKind::Load { array: Box::new(array.clone()), index: index.to_vec(), boundary };
        return rounded(Expr::new(kind, ty.clone(), span));
    };
    let at = |first: Expr| {
        let mut index = index.to_vec();
        index[*axis] = Index::At(first);
        interpolated(array, &index, boundary, rest, ty, span)
    };
    let next = arithmetic("add", vec![first.clone(), build::int(1, span)], &int_type(), span);
    let (near, far) = (at(first.clone()), at(next));
    let ty = near.ty.clone();
    let opposite = arithmetic("subtract", vec![number(1.0, span), weight.clone()], &single(), span);
    let near = arithmetic("multiply", vec![near, opposite], &ty, span);
    let far = arithmetic("multiply", vec![far, weight.clone()], &ty, span);
    arithmetic("add", vec![near, far], &ty, span)
}

/// Textures keep numbers with fractions in single precision.
fn rounded(value: Expr) -> Expr {
    match build::element_of(&value.ty) {
        Some(element) if element.is_float() => {
            let ty = build::with_element(&value.ty, ElementType::Single);
            build::convert(value, &ty)
        }
        _ => value,
    }
}

fn single() -> Type {
    scalar_type(ElementType::Single)
}

fn number(value: f32, span: Span) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::F32(value)), single(), span)
}

fn arithmetic(row: &str, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
    match ops::find(row) {
        Some(row) => build::apply(row, args, ty.clone(), span),
        None => build::int(0, span),
    }
}
