//! Indexing and slicing: how each index acts, the type of the selection, and static bounds checks.

use super::Analyzer;
use super::expressions::bare;
use crate::builtins::typing::is_column;
use crate::message::Message;
use crate::sema::flow_state::mode;
use crate::sema::messages;
use crate::sema::model::*;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::Texture;
use crate::types::{ArrayType, Boundary, Type, shape};
use quasar_devicelib::element::Scalar;

/// How one index acts and which extents it selects.
struct Selected {
    usage: IndexUse,
    /// Extents, and whether a single position was given; several entries for the components of a vector.
    extents: Vec<(Option<u32>, bool)>,
    /// The position, if it is known.
    at: Option<i64>,
}

impl<'a> Analyzer<'a> {
    /// The type of `base[indices]`.
    pub(super) fn index(&mut self, expr: &'a Expr, base: &'a Expr, indices: &'a [IndexArg]) -> Type {
        if let ExprKind::Name(name) = &base.kind
            && !self.frame.env.contains_key(name)
            && super::builtin_calls::is_construction(name)
            && self.global(self.frame.lexical.module, name).is_none()
        {
            let text = format!("'{name}' makes arrays; call it, as in {name}[int](3)");
            return self.error("Q0316", expr.span, text);
        }
        if let ExprKind::Name(name) = &base.kind
            && self.is_class_name(name)
        {
            return self.default_object(expr, name, base, indices);
        }
        if let Some(instance) = self.function_instance(expr, base) {
            return instance;
        }
        let ty = self.expr(base);
        let result = self.selected_type(expr, base, &ty, indices);
        self.fold_index(expr, base, indices);
        result
    }

    fn selected_type(&mut self, expr: &'a Expr, base: &'a Expr, ty: &Type, indices: &'a [IndexArg]) -> Type {
        match ty {
            Type::Array(array) => self.select(expr, base, array, indices),
            Type::Error => {
                self.type_indices(indices);
                Type::Error
            }
            Type::Dynamic => {
                self.type_indices(indices);
                self.frame.tables.indices.insert(expr.id, vec![IndexUse::Dynamic; indices.len()]);
                Type::Dynamic
            }
            Type::Text => {
                let array = ArrayType::new(Type::Text, &[None]);
                match self.select(expr, base, &array, indices) {
                    Type::Error => Type::Error,
                    _ => Type::Text,
                }
            }
            Type::Tuple(parts) => self.tuple_component(expr, parts, indices),
            ty if ty.is_number() => {
                self.type_indices(indices);
                self.frame.tables.indices.insert(expr.id, vec![IndexUse::At; indices.len()]);
                for index in indices {
                    if let IndexArg::Expr(index) = index
                        && self.known_integer(index.id).is_some_and(|n| n != 0)
                    {
                        let text = "a number has no element but the one at index 0";
                        return self.error("Q0316", index.span, text);
                    }
                }
                ty.clone()
            }
            other => {
                self.type_indices(indices);
                let text = format!("'{}' cannot be indexed", self.show(other));
                let message = Message::error("Q0316", base.span, text);
                let contained = other.class().is_some_and(|class| self.has_method(class, "get"));
                self.say(match contained {
                    true => message.help("its elements are read by 'get', as in object.get(..)"),
                    false => message,
                });
                Type::Error
            }
        }
    }

    fn type_indices(&mut self, indices: &'a [IndexArg]) {
        for index in indices {
            if let IndexArg::Expr(index) | IndexArg::Spread(index) = index {
                self.expr(index);
            }
        }
    }

    fn tuple_component(&mut self, expr: &'a Expr, parts: &[Type], indices: &'a [IndexArg]) -> Type {
        self.type_indices(indices);
        self.frame.tables.indices.insert(expr.id, vec![IndexUse::At; indices.len()]);
        let [IndexArg::Expr(index)] = indices else {
            return self.not_supported(expr.span, "this index into a tuple");
        };
        match self.known_integer(index.id) {
            Some(k) => match usize::try_from(k).ok().and_then(|k| parts.get(k)) {
                Some(ty) => ty.clone(),
                None => {
                    let text = format!("index {k} is out of range: there are {} components", parts.len());
                    self.error("Q0316", index.span, text)
                }
            },
            None => {
                let joined = parts
                    .iter()
                    .skip(1)
                    .fold(parts.first().cloned(), |a, b| a.map(|a| crate::types::lattice::join(&a, b)));
                let joined = joined.unwrap_or(Type::Dynamic);
                self.frame.tables.indices.insert(expr.id, vec![IndexUse::Dynamic; indices.len()]);
                if joined.mentions_dynamic() && self.on_device() {
                    return self.host_only(expr.span, "values whose type is known at run time only");
                }
                let found: Vec<(Span, Type)> = parts.iter().map(|part| (index.span, part.clone())).collect();
                self.widen_functions(&found, &joined);
                joined
            }
        }
    }

    fn select(&mut self, expr: &'a Expr, base: &'a Expr, array: &ArrayType, indices: &'a [IndexArg]) -> Type {
        let alone = indices.len() == 1;
        let texture = self.texture(base);
        let spreads = indices.iter().filter(|index| matches!(index, IndexArg::Spread(_))).count();
        let others = (spreads == 1).then(|| indices.len() - 1);
        let mut selected = Vec::new();
        for (position, index) in indices.iter().enumerate() {
            let found = match index {
                IndexArg::Expr(value) if texture => self.texture_index(array, value, alone),
                _ => self.one_index(array, index, alone, position, indices.len(), others),
            };
            match found {
                Some(one) => selected.push(one),
                None => {
                    self.type_indices(&indices[position..]);
                    return Type::Error;
                }
            }
        }
        self.check_bounds(base, array, indices, &selected);
        let uses: Vec<IndexUse> = selected.iter().map(|one| one.usage.clone()).collect();
        let element = (*array.element).clone();
        let single =
            |usage: &IndexUse| matches!(usage, IndexUse::At | IndexUse::Components(_) | IndexUse::Position);
        if element.any(&|ty| matches!(ty, Type::Class(_))) && !uses.iter().all(single) {
            let what = match &element {
                _ if self.on_device() => "slices of arrays of objects in kernel and device functions",
                Type::Class(_) if uses.contains(&IndexUse::Mask) => "masks on arrays of objects",
                Type::Class(_) => "",
                _ => "slices of arrays of such cells with objects",
            };
            if !what.is_empty() {
                return self.not_supported(expr.span, what);
            }
        }
        let result = match uses.as_slice() {
            _ if uses.contains(&IndexUse::Value) => Type::Dynamic,
            [IndexUse::Mask] => Type::array(element, &[None]),
            [IndexUse::Position] => element.taken_out(),
            _ => match array.known_rank() {
                None if selected.iter().all(|one| one.extents.iter().all(|(_, indexed)| *indexed)) => {
                    element.taken_out()
                }
                None => Type::Array(ArrayType::any_rank(element)),
                Some(rank) => {
                    let mut extents: Vec<(Option<u32>, bool)> =
                        selected.iter().flat_map(|one| one.extents.iter().copied()).collect();
                    let raised = shape::raise(&array.sizes, rank.max(extents.len()));
                    // One number selects a row of a mat, but an element of a column. One range selects rows of any array.
                    let rows = match uses.as_slice() {
                        [IndexUse::At] => rank == 2 && raised[1] != Some(1),
                        [IndexUse::Range | IndexUse::All] => true,
                        _ => false,
                    };
                    if rows {
                        extents.extend(raised.iter().skip(1).map(|extent| (*extent, false)));
                    }
                    extents.resize(raised.len().max(extents.len()), (Some(1), true));
                    if extents.iter().all(|(_, indexed)| *indexed) {
                        element.taken_out()
                    } else {
                        Type::array(element, &shape::drop_indexed(&extents))
                    }
                }
            },
        };
        self.frame.tables.indices.insert(expr.id, uses);
        result
    }

    /// Whether an expression names a texture.
    fn texture(&self, base: &Expr) -> bool {
        let ExprKind::Name(name) = &bare(base).kind else { return false };
        self.frame.env.get(name).is_some_and(|variable| variable.access.texture.is_some())
    }

    /// An index of a texture, which may be fractional.
    fn texture_index(&mut self, array: &ArrayType, value: &'a Expr, alone: bool) -> Option<Selected> {
        let ty = self.expr(value);
        let between = ty.element_type().is_some_and(|element| element.is_float());
        if !between {
            return self.selected(array, value, &ty, alone);
        }
        if let Type::Scalar(..) = ty {
            return Some(Selected { usage: IndexUse::At, extents: vec![(Some(1), true)], at: None });
        }
        let found = self.selected(array, value, &ty, alone)?;
        if matches!(found.usage, IndexUse::Components(_)) {
            return Some(found);
        }
        self.not_supported(value.span, "several positions between elements of a texture at once");
        None
    }

    /// Checks that a type can be read as a texture.
    pub(super) fn check_texture(&mut self, texture: Texture, ty: &Type, span: Span) {
        let Type::Array(array) = ty else {
            self.error("Q0302", span, "only arrays are textures");
            return;
        };
        let components = usize::from(texture.components);
        let rank = array.known_rank().map(|rank| rank - usize::from(components > 1 && rank > 1));
        let last = array.sizes.last().copied().flatten().filter(|_| components > 1);
        match ty.element_type() {
            _ if rank.is_none_or(|rank| !(1..=3).contains(&rank)) => {
                self.error("Q0302", span, "a texture has one to three dimensions besides its components");
            }
            _ if last.is_some_and(|last| last as usize > components) => {
                let text = format!("the last dimension of a texture of {components} components is longer");
                self.error("Q0302", span, text);
            }
            Some(element) if texture.linear && element.is_integer() => {
                self.error("Q0302", span, "integers are not interpolated: 'hwtex_nearest reads them");
            }
            Some(element) if element.is_complex() => {
                self.not_supported(span, "textures of complex numbers");
            }
            Some(_) => {}
            None => {
                self.error("Q0302", span, "only arrays of numbers are textures");
            }
        }
    }

    fn one_index(
        &mut self,
        array: &ArrayType,
        index: &'a IndexArg,
        alone: bool,
        position: usize,
        count: usize,
        others: Option<usize>,
    ) -> Option<Selected> {
        match index {
            IndexArg::All(_) => {
                let rank = array.known_rank();
                let raised = shape::raise(&array.sizes, rank.unwrap_or(0).max(count));
                let extent = if rank.is_some() { raised.get(position).copied().flatten() } else { None };
                Some(Selected { usage: IndexUse::All, extents: vec![(extent, false)], at: None })
            }
            IndexArg::Spread(vector) => {
                let ty = self.expr(vector);
                match &ty {
                    Type::Error => None,
                    Type::Array(list) if list.known_rank() == Some(1) && ty.element_type().is_some() => {
                        match list.vector_length() {
                            Some(n) => Some(Selected {
                                usage: IndexUse::Components(n as usize),
                                extents: vec![(Some(1), true); n as usize],
                                at: None,
                            }),
                            None if alone => {
                                Some(Selected { usage: IndexUse::Position, extents: Vec::new(), at: None })
                            }
                            // As many as the other indices leave; the length is checked at run time.
                            None => match others
                                .zip(array.known_rank())
                                .and_then(|(n, rank)| rank.checked_sub(n))
                            {
                                Some(n) if !self.on_device() => Some(Selected {
                                    usage: IndexUse::Components(n),
                                    extents: vec![(Some(1), true); n],
                                    at: None,
                                }),
                                _ => {
                                    let text = "the length of a vector spread among indices must be known";
                                    self.error("Q0316", vector.span, text);
                                    None
                                }
                            },
                        }
                    }
                    ty if ty.is_integer() => {
                        Some(Selected { usage: IndexUse::At, extents: vec![(Some(1), true)], at: None })
                    }
                    other => {
                        let text = format!("'...' spreads an integer vec, found '{}'", self.show(other));
                        self.error("Q0316", vector.span, text);
                        None
                    }
                }
            }
            IndexArg::Expr(value) => self.index_expr(array, value, alone),
        }
    }

    fn index_expr(&mut self, array: &ArrayType, value: &'a Expr, alone: bool) -> Option<Selected> {
        let ty = self.expr(value);
        self.selected(array, value, &ty, alone)
    }

    /// What an index of a type selects.
    fn selected(&mut self, array: &ArrayType, value: &'a Expr, ty: &Type, alone: bool) -> Option<Selected> {
        match ty {
            Type::Error => None,
            // A number, a vector or a mask: decided at run time.
            Type::Dynamic => {
                Some(Selected { usage: IndexUse::Value, extents: vec![(None, false)], at: None })
            }
            ty if ty.is_number() => {
                let element = ty.element_type()?;
                if element.is_complex() {
                    self.error("Q0316", value.span, "an index cannot be complex");
                    return None;
                }
                if element.is_float() {
                    let from = self.show(ty);
                    self.say(messages::implicit_conversion(value.span, &from, "int"));
                }
                let at = self.known_integer(value.id);
                Some(Selected { usage: IndexUse::At, extents: vec![(Some(1), true)], at })
            }
            Type::Array(list) if ty.element_type().is_some_and(|element| !element.is_complex()) => {
                let inner = self.bare(value);
                if matches!(inner.kind, ExprKind::Range { .. }) {
                    let extents = vec![(list.vector_length(), false)];
                    return Some(Selected { usage: IndexUse::Range, extents, at: None });
                }
                let rank = array.known_rank();
                if ty.is_mask() {
                    return self.mask(array, list, value.span, alone);
                }
                if is_column(list) && (!alone || rank == Some(1)) {
                    let length = list.sizes.first().copied().flatten();
                    return Some(Selected {
                        usage: IndexUse::List,
                        extents: vec![(length, false)],
                        at: None,
                    });
                }
                let length = list.vector_length();
                if list.known_rank() != Some(1) && list.known_rank().is_some() {
                    let text = format!("an index must be a number or a vec, found '{}'", self.show(ty));
                    self.error("Q0316", value.span, text);
                    return None;
                }
                if alone && rank != Some(1) {
                    return Some(match length {
                        Some(n) => Selected {
                            usage: IndexUse::Components(n as usize),
                            extents: vec![(Some(1), true); n as usize],
                            at: None,
                        },
                        None => Selected { usage: IndexUse::Position, extents: Vec::new(), at: None },
                    });
                }
                // A position of one component on a vec.
                if alone && self.is_special(inner) && length == Some(1) {
                    return Some(Selected {
                        usage: IndexUse::Components(1),
                        extents: vec![(Some(1), true)],
                        at: None,
                    });
                }
                Some(Selected { usage: IndexUse::List, extents: vec![(length, false)], at: None })
            }
            other => {
                let text =
                    format!("an index must be a number or a vec of integers, found '{}'", self.show(other));
                self.error("Q0316", value.span, text);
                None
            }
        }
    }

    /// A mask alone selects elements of an array of its shape; beside other indices, positions along a dimension.
    fn mask(&mut self, array: &ArrayType, list: &ArrayType, span: Span, alone: bool) -> Option<Selected> {
        let (rank, found) = (array.known_rank(), list.known_rank());
        let extents = vec![(None, false)];
        if alone && (rank.is_none() || found.is_none() || found == rank) {
            return Some(Selected { usage: IndexUse::Mask, extents, at: None });
        }
        if !alone && found == Some(1) && !self.on_device() {
            return Some(Selected { usage: IndexUse::MaskAlongAxis, extents, at: None });
        }
        let (mask, array) = (self.show(&Type::Array(list.clone())), self.show(&Type::Array(array.clone())));
        let text = match alone {
            true => format!(
                "a mask has the shape of the array that it selects from, found '{mask}' for '{array}'"
            ),
            false if found == Some(1) => {
                self.not_supported(span, "a mask beside other indices in kernel and device functions");
                return None;
            }
            false => format!("a mask beside other indices is a vec, found '{mask}'"),
        };
        self.error("Q0316", span, text);
        None
    }

    fn is_special(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if self.frame.env.get(name).is_some_and(|v| v.special))
    }

    /// Reports constant indices outside of known sizes.
    fn check_bounds(
        &mut self,
        base: &'a Expr,
        array: &ArrayType,
        indices: &'a [IndexArg],
        selected: &[Selected],
    ) {
        let ExprKind::Name(name) = &bare(base).kind else { return };
        let boundary = match self.frame.env.get(name) {
            Some(variable) => mode(variable.access, self.frame.kind).boundary,
            None => return,
        };
        // Inside `try` the error may be intended.
        if boundary != Boundary::Checked || self.frame.tries > 0 || array.known_rank().is_none() {
            return;
        }
        let raised = shape::raise(&array.sizes, array.sizes.len().max(selected.len()));
        let mut axis = 0;
        for (one, index) in selected.iter().zip(indices) {
            if let (Some(at), Some(Some(size)), IndexArg::Expr(index)) = (one.at, raised.get(axis), index)
                && !(0..i64::from(*size)).contains(&at)
            {
                let text =
                    format!("index {at} is out of range: dimension {axis} of '{name}' has extent {size}");
                self.error("Q0316", index.span, text);
            }
            axis += one.extents.len();
        }
    }

    /// Folds an element of a known vector at a known index.
    fn fold_index(&mut self, expr: &'a Expr, base: &'a Expr, indices: &'a [IndexArg]) {
        let [IndexArg::Expr(index)] = indices else { return };
        let Some(at) = self.known_integer(index.id).and_then(|n| usize::try_from(n).ok()) else { return };
        if !self.frame.tables.types.get(&index.id).is_some_and(Type::is_integer) {
            return;
        }
        if let Some(Constant::Array(sizes, values)) = self.frame.tables.constants.get(&base.id) {
            if let (1, Some(value)) = (sizes.len(), values.get(at)) {
                let value = *value;
                self.constant(expr.id, value);
            }
            return;
        }
        let part =
            self.frame.known_components.get(&base.id).and_then(|parts| parts.get(at).copied().flatten());
        if let Some(value) = part.and_then(|n| i32::try_from(n).ok()) {
            self.constant(expr.id, Scalar::I32(value));
        }
    }
}
