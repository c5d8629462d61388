//! Assignments of all kinds.

use super::body::Lowering;
use super::groups::value_type;
use super::lvalue::{Element, Place};
use super::objects::{Member, property, text};
use super::operators::assign_row;
use crate::builtins::typing::{is_cell_like, is_column};
use crate::ir::build::{self, element_of, int_type, is_small, same_type, with_element};
use crate::ir::{Expr, ExprKind, Index, Stmt, StmtKind, VarId};
use crate::sema::model::{Argument, Callee, Mode};
use crate::source::Span;
use crate::syntax::ast::{self, Annotation, AssignOp, ExprKind as Ast, NodeId, Target};
use crate::types::{ArrayType, Boundary, Overflow, Rank, Type};
use quasar_devicelib::element::{Scalar, promote};
use quasar_devicelib::ops;

impl<'a> Lowering<'a, '_> {
    /// `target = value` and `target op= value`; gives the new value where it is wanted.
    pub(super) fn assignment(
        &mut self,
        expr: &'a ast::Expr,
        target: &'a Target,
        op: Option<AssignOp>,
        value: &'a ast::Expr,
        wanted: bool,
    ) -> Option<Expr> {
        match (target, op) {
            (Target::Place { place, .. }, None) => self.simple(place, value, wanted),
            (Target::Place { place, .. }, Some(op)) => self.compound(expr, place, op, value, wanted),
            (Target::Multiple { places, span }, _) => {
                self.multiple(places, value, *span);
                None
            }
        }
    }

    fn simple(&mut self, place: &'a ast::Expr, value: &'a ast::Expr, wanted: bool) -> Option<Expr> {
        if let Ast::Name(name) = &place.kind
            && let Some(Callee::Construct { fill: fill @ ("shared" | "shared_zeros"), args }) =
                self.tables.callees.get(&super::loops::unwrapped(value).id)
        {
            let (ty, mode) = self.after(place.id, self.type_of(value));
            let variable = self.variable(name, &ty, Mode { shared: true, ..mode }, place.span);
            self.shared_array(variable, args, *fill == "shared_zeros", value.span);
            self.environment.insert(name.clone(), variable);
            return Some(self.body.read(variable, place.span));
        }
        if let Ast::Name(name) = &place.kind {
            self.check_choice(name, value);
        }
        let mut values = vec![self.expr(value)];
        let mark = self.out.len();
        let place_of = self.place(place)?;
        self.protect(&mut values, mark);
        let value = values.pop()?;
        self.write(place_of, value, place.span, wanted)
    }

    /// Writes a value to a place.
    pub(super) fn write(&mut self, place: Place<'a>, value: Expr, span: Span, wanted: bool) -> Option<Expr> {
        match place {
            Place::Variable(name, id) => Some(self.bind(name, id, value, span)),
            Place::Global(global) => {
                let ty = self.cx.program.globals[global].ty.clone();
                let value = self.convert_number(value, &ty);
                let value = if wanted { self.atom(value) } else { value };
                self.emit(StmtKind::AssignGlobal { global, value: value.clone() }, span);
                Some(value)
            }
            Place::Element(element) => {
                let value = if wanted { self.atom(value) } else { value };
                self.store(element, value.clone(), span);
                Some(value)
            }
            Place::Property(object, name) => {
                let value = if wanted { self.atom(value) } else { value };
                let stored = build::convert(value.clone(), &Type::Dynamic);
                let args = vec![object, text(name, span), stored];
                self.emit(StmtKind::Library { name: "set_object_field", args, results: Vec::new() }, span);
                Some(value)
            }
            Place::Member(member) => {
                let value = if wanted { self.atom(value) } else { value };
                self.set_member(member, value.clone(), span);
                Some(value)
            }
            Place::Mask(base, mask) => {
                let value = self.atom(value);
                self.masked_store(base, mask, None, value.clone(), span);
                Some(value)
            }
        }
    }

    /// Type and mode of a variable after an assignment.
    fn after(&self, place: NodeId, otherwise: Type) -> (Type, Mode) {
        match self.tables.assigned.get(&place) {
            Some((ty, mode)) => (value_type(ty), *mode),
            None => (otherwise, self.default_mode()),
        }
    }

    /// `name = value`
    pub(super) fn bind(&mut self, name: &str, place: NodeId, value: Expr, span: Span) -> Expr {
        let (ty, mode) = self.after(place, value.ty.clone());
        self.check_alias(name, &value, &ty, span);
        let variable = self.variable(name, &ty, mode, span);
        let value = self.convert_number(value, &ty);
        self.assign_to(variable, value);
        self.environment.insert(name.to_string(), variable);
        self.body.read(variable, span)
    }

    /// In device code small arrays are values; a second name for one would not see its changes.
    fn check_alias(&mut self, name: &str, value: &Expr, ty: &Type, span: Span) {
        if !self.on_device() || !is_small(ty) {
            return;
        }
        let shared = match &value.kind {
            ExprKind::Library { name: "reshape", args } => args.first().unwrap_or(value),
            _ => value,
        };
        if let ExprKind::Local(source) = shared.kind {
            let source = self.body.variables[source].name.clone();
            let made_up = source.starts_with('$');
            if !made_up && source != name && (self.mutated.contains(&source) || self.mutated.contains(name)) {
                super::messages::register_alias(self.cx.sink, span, &source);
            }
        }
    }

    /// As [`Lowering::check_alias`], for the arrays that `?:` chooses from.
    fn check_choice(&mut self, name: &str, value: &ast::Expr) {
        let Ast::Ternary { then, otherwise, .. } = &super::loops::unwrapped(value).kind else { return };
        for chosen in [then, otherwise] {
            let chosen = super::loops::unwrapped(chosen);
            if let Ast::Name(source) = &chosen.kind
                && let Some(&variable) = self.environment.get(source)
            {
                let read = self.body.read(variable, chosen.span);
                self.check_alias(name, &read, &read.ty, chosen.span);
            }
            self.check_choice(name, chosen);
        }
    }

    /// As [`Lowering::check_alias`], for arrays of a kernel that get other names together.
    fn check_references(
        &mut self,
        places: &[Option<(ast::Expr, Option<Annotation>)>],
        values: &[Expr],
        span: Span,
    ) {
        for (place, value) in places.iter().zip(values) {
            if let (Some((place, _)), ExprKind::Local(source)) = (place, &value.kind)
                && let Ast::Name(name) = &place.kind
                && self.is_reference(*source)
            {
                self.check_alias(name, value, &value.ty, span);
            }
        }
    }

    /// `array[index] = value`
    fn store(&mut self, place: Element, value: Expr, span: Span) {
        if let (Type::Class(class), true) = (place.element(), place.is_single()) {
            return self.overwrite_element(place, &class, value, span);
        }
        if let Type::Class(class) = place.element() {
            return self.overwrite_slice(place, &class, value, span);
        }
        if place.depends_on_value() && place.has_typed_items() {
            let element = place.element();
            return self.store_items(place, element, value, span);
        }
        let value = self.stored(&place, value);
        let Element { array, index, boundary } = self.with_lengths(place);
        self.emit(StmtKind::Store { array, index, boundary, value }, span);
    }

    /// In device code, whole dimensions of known length as ranges: arrays that kernels get forget their sizes.
    fn with_lengths(&self, mut place: Element) -> Element {
        if let (true, Type::Array(array)) = (self.on_device(), &place.array.ty) {
            for (index, size) in place.index.iter_mut().zip(&array.sizes) {
                if let (Index::All, Some(size @ 1..)) = (&*index, size) {
                    let span = place.array.span;
                    *index =
                        Index::Range(build::range(build::int(0, span), build::int(*size as i32 - 1, span)));
                }
            }
        }
        place
    }

    /// A value as an element of the array, or as elements for a slice of it.
    fn stored(&mut self, place: &Element, value: Expr) -> Expr {
        let element = place.element();
        if element == Type::Dynamic && !matches!(place.array.ty, Type::Array(_)) {
            return build::convert(value, &Type::Dynamic);
        }
        match (&value.ty, &element) {
            (Type::Scalar(..) | Type::Enum(_), _) if place.depends_on_value() => {
                self.convert_number(value, &element)
            }
            // How many elements they are, the running program sees.
            _ if place.depends_on_value() => build::convert(value, &Type::Dynamic),
            _ if place.is_single() => self.convert_number(value, &element),
            (Type::Array(array), _) if !same_type(&value.ty, &element) => {
                let ty = Type::Array(ArrayType { element: Box::new(element), ..array.clone() });
                build::convert(value, &ty)
            }
            // A number fills the slice, which the running program sees.
            (Type::Dynamic, _) if !place.has_typed_items() => value,
            (Type::Dynamic, _) => build::convert(value, &Type::Array(ArrayType::any_rank(element))),
            _ => self.convert_number(value, &element),
        }
    }

    /// `array[index] = value` where the running program knows whether the index is one of an item or of several, and items
    /// are other than numbers: the value becomes an item, or an array of items.
    fn store_items(&mut self, place: Element, element: Type, value: Expr, span: Span) {
        let value = self.atom(value);
        let kind = |index: &Expr| {
            let name = Expr::new(ExprKind::Text("??".into()), Type::Text, span);
            let args = vec![index.clone(), name, build::int(0, span)];
            Expr::new(ExprKind::Library { name: "is_type", args }, build::int_type(), span)
        };
        let unknown = place.index.iter().filter_map(|index| match index {
            Index::List(e) if e.ty == Type::Dynamic => Some(kind(e)),
            _ => None,
        });
        let each: Vec<Expr> = unknown.collect();
        let several = each.into_iter().reduce(|a, b| self.row("or", vec![a, b], &build::int_type(), span));
        let Some(condition) = several else { return };
        let Element { array, index, boundary } = place;
        let store = |ty: &Type| {
            let value = build::convert(value.clone(), ty);
            let (array, index) = (array.clone(), index.clone());
            Stmt::new(StmtKind::Store { array, index, boundary, value }, span)
        };
        let then = vec![store(&Type::Array(ArrayType::any_rank(element.clone())))];
        let otherwise = vec![store(&element)];
        self.emit(StmtKind::If { condition, then, otherwise }, span);
    }

    /// `place op= value`
    fn compound(
        &mut self,
        expr: &'a ast::Expr,
        place: &'a ast::Expr,
        op: AssignOp,
        value: &'a ast::Expr,
        wanted: bool,
    ) -> Option<Expr> {
        let mut values = vec![self.expr(value)];
        let mark = self.out.len();
        let target = self.place(place)?;
        self.protect(&mut values, mark);
        let value = values.pop()?;
        let span = expr.span;
        match target {
            Place::Variable(name, id) => {
                // Where no path that comes here set it, reading it is an error of the running program.
                let current = self.local(name, &self.type_of(place), place.span);
                let (ty, _) = self.after(id, current.ty.clone());
                let new = self.combine(expr, op, current.clone(), value, &ty);
                if self.in_place(expr, &current, &ty) {
                    self.overwrite(current.clone(), new, span);
                    return Some(current);
                }
                let new = self.updated(expr, current, new);
                Some(self.bind(name, id, new, span))
            }
            Place::Global(global) => {
                let ty = self.cx.program.globals[global].ty.clone();
                let current = Expr::new(ExprKind::Global(global), ty.clone(), place.span);
                let new = self.combine(expr, op, current.clone(), value, &ty);
                if self.in_place(expr, &current, &ty) {
                    self.overwrite(current.clone(), new, span);
                    return Some(current);
                }
                let new = self.updated(expr, current, new);
                self.write(Place::Global(global), new, span, wanted)
            }
            Place::Element(element) => self.update(expr, element, op, value, wanted),
            Place::Property(object, name) => {
                let object = self.atom(object);
                let current = property(object.clone(), name, place.span);
                let new = self.combine(expr, op, current.clone(), value, &Type::Dynamic);
                let new = self.updated(expr, current, new);
                self.write(Place::Property(object, name), new, span, wanted)
            }
            Place::Member(member) if self.on_device() && member.field.ty.is_number() => {
                self.update_member(expr, member, op, value, wanted)
            }
            Place::Member(member) if self.is_vector_of_threads(expr, &member, wanted) => {
                let array = member.read(place.span);
                let rank = array.ty.as_array().map_or(0, |array| array.sizes.len());
                let (index, boundary) = (vec![Index::All; rank], self.boundary(&array));
                self.update(expr, Element { array, index, boundary }, op, value, wanted)
            }
            Place::Member(mut member) => {
                member.object = self.atom(member.object);
                let (current, ty) = (member.read(place.span), member.field.ty.clone());
                let new = self.combine(expr, op, current.clone(), value, &ty);
                if self.in_place(expr, &current, &ty) {
                    self.overwrite(current.clone(), new, span);
                    return Some(current);
                }
                let new = self.updated(expr, current, new);
                self.write(Place::Member(member), new, span, wanted)
            }
            Place::Mask(base, mask) => {
                if wanted || self.tables.callees.contains_key(&expr.id) {
                    return Some(self.missing(span, "this compound assignment under a condition", value.ty));
                }
                let value = self.atom(value);
                self.masked_store(base, mask, Some((expr, op)), value.clone(), span);
                Some(value)
            }
        }
    }

    /// Whether a field is an array of known sizes whose elements threads change one by one, each in one step.
    fn is_vector_of_threads(&self, expr: &ast::Expr, member: &Member, wanted: bool) -> bool {
        let Type::Array(array) = &member.field.ty else { return false };
        let plain = !wanted && !self.tables.callees.contains_key(&expr.id);
        self.on_device() && plain && array.count().is_some() && array.element.is_number()
    }

    /// Whether a change of a whole array must be seen through its other names.
    fn in_place(&self, expr: &ast::Expr, current: &Expr, after: &Type) -> bool {
        if self.tables.callees.contains_key(&expr.id) {
            return false;
        }
        let known = match &current.ty {
            Type::Array(array) => matches!(array.rank, Rank::Known(_)) || element_of(&current.ty).is_some(),
            _ => false,
        };
        known && same_type(&current.ty, after) && !(self.on_device() && is_small(after))
    }

    /// What a variable of unknown type holds behind a compound assignment: the array that it held, overwritten, where shape and
    /// elements are of the same kind; otherwise the new value.
    fn updated(&mut self, expr: &ast::Expr, current: Expr, new: Expr) -> Expr {
        let unknown = current.ty == Type::Dynamic && new.ty == Type::Dynamic;
        let callee = self.tables.callees.get(&expr.id);
        if !unknown || callee.is_some_and(|callee| !matches!(callee, Callee::Builtin { .. })) {
            return new;
        }
        let span = new.span;
        let result = self.body.temporary(Type::Dynamic, span);
        let (args, results) = (vec![current, new], vec![Some(result)]);
        self.emit(StmtKind::Library { name: "updated", args, results }, span);
        self.body.read(result, span)
    }

    fn overwrite(&mut self, array: Expr, value: Expr, span: Span) {
        let (rank, overflow) = match &array.ty {
            Type::Array(array) if array.rank == Rank::Any => (0, array.overflow()),
            Type::Array(array) => (array.sizes.len(), array.overflow()),
            _ => (1, Overflow::Checked),
        };
        if rank == 0 {
            // There is no list of indices for any number of dimensions.
            let rule = Expr::new(ExprKind::Text(overflow.name().to_string()), Type::Text, span);
            let args = vec![array, value, rule];
            self.emit(StmtKind::Library { name: "assign_all", args, results: Vec::new() }, span);
            return;
        }
        let boundary = self.boundary(&array);
        self.emit(StmtKind::Store { array, index: vec![Index::All; rank], boundary, value }, span);
    }

    /// The new value of a compound assignment.
    pub(super) fn combine(
        &mut self,
        expr: &'a ast::Expr,
        op: AssignOp,
        current: Expr,
        value: Expr,
        ty: &Type,
    ) -> Expr {
        if let Some(Callee::Builtin { builtin, args }) = self.tables.callees.get(&expr.id) {
            let operands = [current, value].into_iter().zip(args);
            let operands = operands.map(|(operand, arg)| match arg {
                Argument::Expr(_, ty)
                | Argument::LinearView(_, ty)
                | Argument::SpreadComponent(_, _, ty)
                | Argument::SpreadRest(_, ty)
                | Argument::Default(_, ty, _)
                | Argument::Field { ty, .. } => self.convert_number(operand, ty),
                Argument::SpreadText(_) => operand,
            });
            let operands = operands.collect();
            return self.builtin_on(builtin, operands, ty, expr.span);
        }
        let raw = self.combined_type(assign_row(op), &current, &value, ty);
        let new = self.row(assign_row(op), vec![current, value], &raw, expr.span);
        build::convert(new, ty)
    }

    /// The type that `current op value` has before it is converted to that of the target.
    fn combined_type(&self, row: &str, current: &Expr, value: &Expr, ty: &Type) -> Type {
        let (Some(a), Some(b), Some(row)) = (element_of(&current.ty), element_of(&value.ty), ops::find(row))
        else {
            return ty.clone();
        };
        let mut common = promote(a, b);
        if !row.domain.contains(common) {
            common = self.cx.options.settings.precision;
        }
        with_element(ty, common)
    }

    /// `array[index] op= value`
    fn update(
        &mut self,
        expr: &'a ast::Expr,
        place: Element,
        op: AssignOp,
        value: Expr,
        wanted: bool,
    ) -> Option<Expr> {
        let span = expr.span;
        let atomic = self.is_shared(&place.array);
        let element = place.element();
        let row = ops::find(assign_row(op))?;
        let target = self.type_of(match &expr.kind {
            Ast::Assign { target, .. } => match &**target {
                Target::Place { place, .. } => place,
                Target::Multiple { .. } => expr,
            },
            _ => expr,
        });
        let value = if place.is_single() { value } else { beside(value, &target) };
        let types = (element_of(&element), element_of(&value.ty));
        let direct = match types {
            (Some(to), Some(from)) => promote(to, from) == to && row.domain.contains(to),
            _ => false,
        };
        if direct {
            let value = self.stored(&place, value);
            let result = (wanted && place.is_single()).then(|| self.body.temporary(element, span));
            let Element { array, index, boundary } = self.with_lengths(place);
            self.emit(StmtKind::Update { array, index, boundary, row, value, atomic, result }, span);
            return result.map(|result| self.body.read(result, span));
        }
        if atomic {
            let what = "atomic change of an integer element by a value of a wider type";
            return Some(self.missing(span, what, element));
        }
        let place = self.repeatable(place);
        let Element { array, index, boundary } = &place;
        let ty = match (&element, place.is_single(), &value.ty) {
            (_, true, _) => element.clone(),
            (_, false, Type::Array(array)) => {
                Type::Array(ArrayType { element: Box::new(element.clone()), ..array.clone() })
            }
            (_, false, _) => target,
        };
        let kind =
            ExprKind::Load { array: Box::new(array.clone()), index: index.clone(), boundary: *boundary };
        let current = Expr::new(kind, ty.clone(), span);
        let new = self.combine(expr, op, current, value, &ty);
        let new = if wanted { self.atom(new) } else { new };
        self.store(place, new.clone(), span);
        Some(new)
    }

    /// The same place with array and indices in variables, so that it can be read and then written.
    fn repeatable(&mut self, place: Element) -> Element {
        let Element { array, index, boundary } = place;
        let array = match array.kind {
            ExprKind::Convert(_) | ExprKind::Global(_) => array,
            _ => self.atom(array),
        };
        let index = index.into_iter().map(|index| match index {
            Index::At(e) => Index::At(self.atom(e)),
            Index::List(e) => Index::List(self.atom(e)),
            Index::Position(e) => Index::Position(self.atom(e)),
            Index::Range(range) => Index::Range(range),
            Index::All => Index::All,
        });
        let index = index.collect();
        Element { array, index, boundary }
    }

    /// `[a, _, b] = value`
    fn multiple(
        &mut self,
        places: &'a [Option<(ast::Expr, Option<Annotation>)>],
        value: &'a ast::Expr,
        span: Span,
    ) {
        let literal = match &super::loops::unwrapped(value).kind {
            Ast::Array(items) | Ast::Cell(items) => plain_items(items),
            _ => None,
        };
        let values = match (literal, self.several(value)) {
            (Some(items), _) => {
                let values = self.ordered(items, |this, item| this.expr(item));
                self.check_references(places, &values, span);
                values.into_iter().map(|value| self.spill(value)).collect()
            }
            (None, Some(values)) => values,
            (None, None) => {
                let call = matches!(super::loops::unwrapped(value).kind, Ast::Call { .. });
                let value = self.expr(value);
                // `[a] = f(x)` takes the first result as it is; cells and tuples are taken apart.
                let values = match call && places.len() == 1 && !is_cell_like(&value.ty) {
                    true => vec![value],
                    false => self.split(value, places.len(), span),
                };
                // All values are fixed before the first target changes.
                values.into_iter().map(|value| self.spill(value)).collect()
            }
        };
        for (place, value) in places.iter().zip(values) {
            let Some((place, _)) = place else {
                self.drop_result(&value);
                continue;
            };
            let mut values = vec![value];
            let mark = self.out.len();
            let Some(target) = self.place(place) else { continue };
            self.protect(&mut values, mark);
            if let Some(value) = values.pop() {
                self.write(target, value, place.span, false);
            }
        }
    }

    /// The parts of a vector, cell or tuple; their number is checked at run time where the type does not say it.
    fn split(&mut self, value: Expr, count: usize, span: Span) -> Vec<Expr> {
        if self.known_length(&value.ty).is_some() {
            return self.components(value, count);
        }
        let value = self.atom(value);
        if matches!(value.ty, Type::Array(_) | Type::Dynamic) {
            let length = Expr::new(ExprKind::Count(Box::new(value.clone())), int_type(), span);
            let condition =
                self.row("equal", vec![length, build::int(count as i32, span)], &int_type(), span);
            let text = format!("the right side has {count} elements");
            self.emit(StmtKind::Assert { condition, text, message: Vec::new() }, span);
        }
        self.components(value, count)
    }

    /// `x : T`: the default value of the type, where it has one; a variable that has a value keeps it.
    pub(super) fn declaration(&mut self, expr: &'a ast::Expr, name: &'a ast::Name) {
        let Some((ty, mode)) = self.tables.assigned.get(&expr.id).cloned() else { return };
        if let Some(&known) = self.environment.get(&name.text) {
            if !same_type(&self.body.variables[known].ty, &ty) {
                let value = self.body.read(known, name.span);
                self.bind(&name.text, expr.id, value, name.span);
            }
            return;
        }
        let variable = self.variable(&name.text, &ty, mode, name.span);
        if let Some(value) = self.default_value(&ty, name.span) {
            self.assign_to(variable, value);
        }
        self.environment.insert(name.text.clone(), variable);
    }

    pub(super) fn default_value(&mut self, ty: &Type, span: Span) -> Option<Expr> {
        match ty {
            Type::Scalar(element, _) => {
                Some(Expr::new(ExprKind::Constant(Scalar::zero(*element)), ty.clone(), span))
            }
            Type::Enum(id) => {
                let first = self.cx.program.enums.get(id.0 as usize).and_then(|(_, members)| members.first());
                let first = Scalar::I32(first.map_or(0, |(_, number)| *number));
                Some(Expr::new(ExprKind::Constant(first), ty.clone(), span))
            }
            Type::Class(class) => self.default_object(&class.clone(), span),
            Type::Pointer(_) => Some(Expr::new(ExprKind::Null, ty.clone(), span)),
            Type::Text => Some(Expr::new(ExprKind::Text(String::new()), Type::Text, span)),
            Type::Array(array) => {
                let sizes: Option<Vec<u32>> = array.sizes.iter().copied().collect();
                let known = sizes.filter(|_| matches!(array.rank, Rank::Known(_)));
                let args = known?.into_iter().map(|size| build::int(size as i32, span)).collect();
                Some(Expr::new(ExprKind::Library { name: "zeros", args }, ty.clone(), span))
            }
            _ => None,
        }
    }

    /// `(place <- value)` and `(place <- (value, expected))`: gives the old value.
    pub(super) fn exchange(
        &mut self,
        expr: &'a ast::Expr,
        place: &'a ast::Expr,
        value: &'a ast::Expr,
        expected: Option<&'a ast::Expr>,
        wanted: bool,
    ) -> Option<Expr> {
        let mut values = self.ordered(std::iter::once(value).chain(expected), |this, e| this.expr(e));
        let mark = self.out.len();
        let target = self.place(place)?;
        self.protect(&mut values, mark);
        let mut values = values.into_iter();
        let (value, expected) = (values.next()?, values.next());
        let span = expr.span;
        match target {
            Place::Element(element) => {
                let ty = element.element();
                let value = self.convert_number(value, &ty);
                let expected = expected.map(|expected| self.convert_number(expected, &ty));
                let result = wanted.then(|| self.body.temporary(ty, span));
                let Element { array, index, boundary } = element;
                self.emit(StmtKind::Exchange { array, index, boundary, value, expected, result }, span);
                result.map(|result| self.body.read(result, span))
            }
            Place::Variable(name, _) if !self.on_device() => {
                let variable = *self.environment.get(name)?;
                self.exchange_variable(variable, value, expected, span)
            }
            Place::Member(member) if self.on_device() => {
                let ty = member.field.ty.clone();
                let value = self.convert_number(value, &ty);
                let expected = expected.map(|expected| self.convert_number(expected, &ty));
                let result = wanted.then(|| self.body.temporary(ty, span));
                let (array, index, boundary) = (member.read(span), Vec::new(), Boundary::Checked);
                self.emit(StmtKind::Exchange { array, index, boundary, value, expected, result }, span);
                result.map(|result| self.body.read(result, span))
            }
            Place::Member(member) => self.exchange_member(member, value, expected, span),
            _ => Some(self.missing(span, "an exchange with this place", self.type_of(expr))),
        }
    }

    fn exchange_variable(
        &mut self,
        variable: VarId,
        value: Expr,
        expected: Option<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let ty = self.body.variables[variable].ty.clone();
        let current = self.body.read(variable, span);
        let old = self.spill(current);
        let value = self.convert_number(value, &ty);
        let store = build::assign(variable, value);
        self.if_as_expected(&old, expected, store);
        Some(old)
    }

    /// `object.field <- value` in host code, where no other thread changes the field in between.
    fn exchange_member(
        &mut self,
        member: Member,
        value: Expr,
        expected: Option<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let old = self.spill(member.read(span));
        let value = self.convert_number(value, &member.field.ty);
        let expected = expected.map(|expected| self.convert_number(expected, &member.field.ty));
        let Member { object, place: field, .. } = member;
        let store = Stmt::new(StmtKind::SetMember { object, field, value }, span);
        self.if_as_expected(&old, expected, store);
        Some(old)
    }

    /// A store that happens where the old value is the expected one.
    fn if_as_expected(&mut self, old: &Expr, expected: Option<Expr>, store: Stmt) {
        let span = store.span;
        let Some(expected) = expected else { return self.emit(store.kind, span) };
        let sides = vec![old.clone(), expected];
        let condition = match self.identity("equal", &sides, span) {
            Some(same) => same,
            None => self.row("equal", sides, &int_type(), span),
        };
        self.emit(StmtKind::If { condition, then: vec![store], otherwise: Vec::new() }, span);
    }
}

/// The elements of a literal without `...`.
fn plain_items(items: &[ast::Element]) -> Option<Vec<&ast::Expr>> {
    fn plain(item: &ast::Element) -> Option<&ast::Expr> {
        match item {
            ast::Element::Expr(item) => Some(item),
            ast::Element::Spread(_) => None,
        }
    }
    items.iter().map(plain).collect()
}

/// A column as a vector beside a vector, as in an expression of both: `y[i,:] += x[:,j]`.
fn beside(value: Expr, target: &Type) -> Expr {
    let vector = |ty: &Type| ty.as_array().is_some_and(|array| array.known_rank() == Some(1));
    match &value.ty {
        Type::Array(array) if vector(target) && is_column(array) => {
            let ty = Type::array((*array.element).clone(), &array.sizes[..1]);
            build::convert(value, &ty)
        }
        _ => value,
    }
}
