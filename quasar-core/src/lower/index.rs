//! Indices: how written ones become one per dimension.

use super::body::Lowering;
use super::loops::unwrapped;
use super::operators::view_type;
use crate::builtins::typing::is_column;
use crate::ir::build::{self, int_type};
use crate::ir::{Expr, ExprKind, Index};
use crate::sema::model::IndexUse;
use crate::source::Span;
use crate::syntax::ast::{self, IndexArg};
use crate::types::{ArrayType, Boundary, ElementType, Rank, Type};

impl<'a> Lowering<'a, '_> {
    /// `base[indices]` as a value.
    pub(super) fn load(&mut self, expr: &'a ast::Expr, base: &'a ast::Expr, indices: &'a [IndexArg]) -> Expr {
        let ty = self.type_of(expr);
        let uses = self.uses(expr, indices);
        if let [IndexUse::Mask] = uses[..]
            && self.has_rank(base)
        {
            return self.masked_load(expr, base, indices);
        }
        let mut array = self.expr(base);
        let number = matches!(array.ty, Type::Scalar(..) | Type::Enum(_));
        if number {
            let zero = |index: &IndexArg| match index {
                IndexArg::Expr(e) => matches!(unwrapped(e).kind, ast::ExprKind::Number(_)),
                IndexArg::All(_) => true,
                IndexArg::Spread(_) => false,
            };
            if indices.iter().all(zero) {
                return array;
            }
            // An array with one element says what lies outside.
            let vector = build::array_type(array.ty.clone(), 1);
            let (items, span) = (vec![array], base.span);
            array = Expr::new(ExprKind::Array(items), vector, span);
        }
        if let (Type::Tuple(_), [IndexArg::Expr(at)]) = (&array.ty, indices) {
            return self.tuple_component(array, at, ty);
        }
        let texture = self.texture(&array);
        let boundary = self.boundary(&array);
        let mut whole = vec![array];
        let mark = self.out.len();
        let index = self.indices(indices, &uses, texture.is_some());
        self.protect(&mut whole, mark);
        let Some(array) = whole.pop() else { return self.missing(expr.span, "this index", ty) };
        let (array, index) = self.fit(array, index, &ty, expr.span);
        if let Some(item) = literal_item(&array, &index) {
            return build::convert(item, &ty);
        }
        let element = index.iter().all(|index| matches!(index, Index::At(_) | Index::Position(_)));
        let raw = match &array.ty {
            Type::Array(array) if element => (*array.element).clone(),
            Type::Dynamic => Type::Dynamic,
            _ => ty.clone(),
        };
        // An element of a cell of masks is one, also where an index of unknown type may give several.
        let masks = raw == Type::Dynamic && array.ty.any(&Type::is_mask);
        let value = match texture {
            Some(texture) => self.fetch(texture, array, index, boundary, &raw, expr.span),
            None => Expr::new(ExprKind::Load { array: Box::new(array), index, boundary }, raw, expr.span),
        };
        let value = if masks { build::tagged(value) } else { value };
        if !element && matches!(&value.ty, Type::Array(array) if matches!(*array.element, Type::Class(_))) {
            // A slice is an array of its own, and so are the objects in it.
            let copy = self.copied(value);
            return build::convert(copy, &ty);
        }
        build::convert(value, &ty)
    }

    fn tuple_component(&mut self, tuple: Expr, at: &'a ast::Expr, ty: Type) -> Expr {
        let index = self.expr(at);
        let component = index.constant_int().and_then(|k| usize::try_from(k).ok());
        match (component, &tuple.ty) {
            (Some(k), Type::Tuple(items)) if k < items.len() => {
                let component = items[k].clone();
                let span = tuple.span;
                build::convert(Expr::new(ExprKind::Field(Box::new(tuple), k), component, span), &ty)
            }
            (_, Type::Tuple(items))
                if matches!(ty, Type::Choice(_)) || items.iter().any(|item| !item.functions().is_empty()) =>
            {
                let count = items.len();
                self.chosen_component(tuple, index, count, &ty)
            }
            _ => {
                let array = build::convert(tuple, &Type::Dynamic);
                let span = index.span;
                let boundary = self.default_mode().boundary;
                let index = vec![Index::At(build::convert(index, &int_type()))];
                let load = Expr::new(
                    ExprKind::Load { array: Box::new(array), index, boundary },
                    Type::Dynamic,
                    span,
                );
                build::convert(load, &ty)
            }
        }
    }

    /// Whether the number of dimensions of an array is known.
    pub(super) fn has_rank(&self, base: &ast::Expr) -> bool {
        self.type_of(base).as_array().is_some_and(|array| array.known_rank().is_some())
    }

    /// How each written index acts; what inference did not say is taken from the form.
    pub(super) fn uses(&self, expr: &ast::Expr, indices: &[IndexArg]) -> Vec<IndexUse> {
        if let Some(uses) = self.tables.indices.get(&expr.id)
            && uses.len() == indices.len()
        {
            return uses.clone();
        }
        let of = |index: &IndexArg| match index {
            IndexArg::All(_) => IndexUse::All,
            IndexArg::Spread(e) => {
                self.known_length(&self.type_of(e)).map_or(IndexUse::Position, IndexUse::Components)
            }
            IndexArg::Expr(e) if matches!(unwrapped(e).kind, ast::ExprKind::Range { .. }) => IndexUse::Range,
            IndexArg::Expr(e) if matches!(self.type_of(e), Type::Array(_)) => IndexUse::List,
            IndexArg::Expr(_) => IndexUse::At,
        };
        indices.iter().map(of).collect()
    }

    /// The written indices, vectors of known length taken apart. Those that may lie `between` elements stay as they are.
    pub(super) fn indices(
        &mut self,
        indices: &'a [IndexArg],
        uses: &[IndexUse],
        between: bool,
    ) -> Vec<Index> {
        let mut done: Vec<Index> = Vec::new();
        for (index, how) in indices.iter().zip(uses) {
            let mark = self.out.len();
            let new = self.index(index, how, between);
            if self.out.len() > mark {
                self.protect_indices(&mut done, mark);
            }
            done.extend(new);
        }
        done
    }

    fn protect_indices(&mut self, indices: &mut [Index], mark: usize) {
        let mut added = 0;
        for index in indices {
            if let Index::At(e) | Index::List(e) | Index::Position(e) = index {
                let before = self.out.len();
                self.protect(std::slice::from_mut(e), mark + added);
                added += self.out.len() - before;
            }
        }
    }

    fn index(&mut self, index: &'a IndexArg, how: &IndexUse, between: bool) -> Vec<Index> {
        let expr = match index {
            IndexArg::All(_) => return vec![Index::All],
            IndexArg::Expr(e) | IndexArg::Spread(e) => e,
        };
        if let (IndexUse::Range | IndexUse::Dynamic, ast::ExprKind::Range { from, step, to }) =
            (how, &unwrapped(expr).kind)
        {
            // Bounds whose type is known at run time only may have fractions.
            let ty = match self.type_of(expr) {
                ty if *how == IndexUse::Range || build::element_of(&ty).is_some() => ty,
                _ => build::array_type(build::scalar_type(ElementType::Double), 1),
            };
            return vec![self.places(from, step.as_deref(), to, &ty, expr.span)];
        }
        match how {
            IndexUse::All => vec![Index::All],
            IndexUse::Components(count) => {
                let value = self.expr(expr);
                let items = match self.known_length(&value.ty) {
                    Some(_) => self.components(value, *count),
                    None => self.counted_components(value, *count),
                };
                items.into_iter().map(|item| Index::At(self.position(item, between))).collect()
            }
            IndexUse::Range | IndexUse::List => self.list(expr),
            // The running program finds the places where the mask holds.
            IndexUse::Mask | IndexUse::MaskAlongAxis | IndexUse::Value => {
                let value = self.sequence_or_value(expr);
                vec![Index::List(build::convert(value, &Type::Dynamic))]
            }
            IndexUse::Position => {
                let value = self.expr(expr);
                vec![Index::Position(int_elements(value))]
            }
            IndexUse::At | IndexUse::Dynamic => {
                let value = self.sequence_or_value(expr);
                match &value.ty {
                    Type::Dynamic => vec![Index::List(value)],
                    ty if ty.is_mask() => vec![Index::List(build::convert(value, &Type::Dynamic))],
                    Type::Array(_) => vec![Index::List(int_elements(value))],
                    _ => vec![Index::At(self.position(value, between))],
                }
            }
        }
    }

    /// An index; a sequence of numbers whose type is known only then is one of places.
    fn sequence_or_value(&mut self, expr: &'a ast::Expr) -> Expr {
        let mut value = self.expr(expr);
        if let ExprKind::Library { name, .. } = &mut value.kind
            && *name == "seq"
            && matches!(unwrapped(expr).kind, ast::ExprKind::Range { .. })
        {
            *name = "places";
        }
        value
    }

    fn list(&mut self, expr: &'a ast::Expr) -> Vec<Index> {
        let mut value = self.sequence_or_value(expr);
        if let Type::Array(array) = &value.ty
            && is_column(array)
        {
            let vector = Type::array((*array.element).clone(), &array.sizes[..1]);
            value = build::convert(value, &vector);
        }
        vec![Index::List(int_elements(value))]
    }

    /// A position as an `int`, unless it may lie `between` elements.
    fn position(&mut self, value: Expr, between: bool) -> Expr {
        match value.ty {
            Type::Scalar(element, _) if between && element.is_float() => value,
            Type::Scalar(ElementType::Int32, _) | Type::Enum(_) => value,
            _ => self.convert_number(value, &int_type()),
        }
    }

    /// What an index out of range means for the array: as its variable says.
    pub(super) fn boundary(&self, array: &Expr) -> Boundary {
        match &array.kind {
            ExprKind::Local(variable) => self.body.variables[*variable].boundary,
            ExprKind::Global(global) => {
                self.cx.global_modes.get(global).copied().unwrap_or(self.default_mode().boundary)
            }
            ExprKind::Convert(inner) => self.boundary(inner),
            _ => self.default_mode().boundary,
        }
    }

    /// Makes one index per dimension: missing ones are added, the surplus is looked at in a view of higher rank.
    pub(super) fn fit(
        &mut self,
        array: Expr,
        mut index: Vec<Index>,
        ty: &Type,
        span: Span,
    ) -> (Expr, Vec<Index>) {
        let Type::Array(shape) = &array.ty else { return (array, index) };
        let Rank::Known(rank) = shape.rank else { return (array, index) };
        let rank = rank as usize;
        if index.len() != rank
            && index.iter().any(|each| matches!(each, Index::List(e) if e.ty == Type::Dynamic))
        {
            // What is missing depends on the value.
            let array = self.atom(array);
            return (build::convert(array, &Type::Dynamic), index);
        }
        if matches!(index[..], [Index::Position(_)]) {
            return (array, index);
        }
        let zero = |index: &Index| matches!(index, Index::At(e) if e.constant_int() == Some(0));
        if index.len() < rank {
            self.complete(shape, &mut index, ty, span);
        }
        if rank == 1 && index.len() == 2 && zero(&index[0]) {
            index.remove(0);
        }
        while index.len() > rank && rank > 1 && index.last().is_some_and(zero) {
            index.pop();
        }
        if index.len() <= rank {
            return (array, index);
        }
        let view = view_type(shape, index.len() as u8);
        (build::convert(array, &view), index)
    }

    fn complete(&mut self, shape: &ArrayType, index: &mut Vec<Index>, ty: &Type, span: Span) {
        let rank = shape.sizes.len();
        let element = crate::ir::build::same_type(&shape.element, ty);
        // One number into a matrix is a row, one range some rows of any array; otherwise what is not written is 0.
        let rows = match index.as_slice() {
            [Index::Range(_) | Index::List(_) | Index::All] => true,
            index => !element && index.iter().all(|index| matches!(index, Index::At(_))),
        };
        while index.len() < rank {
            index.push(if rows { Index::All } else { Index::At(build::int(0, span)) });
        }
    }
}

/// An integer vector with `int` elements.
fn int_elements(value: Expr) -> Expr {
    match &value.ty {
        Type::Array(array) if matches!(*array.element, Type::Scalar(ElementType::Int32, _)) => value,
        Type::Array(_) => {
            let ty = build::with_element(&value.ty, ElementType::Int32);
            build::convert(value, &ty)
        }
        Type::Dynamic => build::convert(value, &build::array_type(int_type(), 1)),
        _ => {
            let span = value.span;
            super::literals::int_vector(vec![build::convert(value, &int_type())], span)
        }
    }
}

/// The item of a literal vector at a constant position.
fn literal_item(array: &Expr, index: &[Index]) -> Option<Expr> {
    let ([Index::At(at)], ExprKind::Array(items)) = (index, &array.kind) else { return None };
    let at = usize::try_from(at.constant_int()?).ok()?;
    let item = items.get(at)?;
    (!matches!(item.ty, Type::Array(_))).then(|| item.clone())
}
