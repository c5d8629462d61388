//! Assignments and declarations: lvalues, the new state of variables, destructuring, and stores to elements.

use super::Analyzer;
use super::expressions::bare;
use super::functions::functions_stay_known;
use super::linearize::AssignmentFact;
use crate::logic::Linear;
use crate::message::Message;
use crate::sema::flow_state::{Identity, Variable};
use crate::sema::messages;
use crate::sema::model::*;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::print_type;
use crate::types::convert::{Conversion, conversion};
use crate::types::resolve::{Access, Resolved};
use crate::types::{ElementType, Type, lattice};
use quasar_devicelib::element::Scalar;

/// Spelling and scalar row of a compound assignment.
fn compound_row(op: AssignOp) -> (&'static str, &'static str) {
    match op {
        AssignOp::Add => ("+", "add"),
        AssignOp::Subtract => ("-", "subtract"),
        AssignOp::Multiply => ("*", "multiply"),
        AssignOp::Divide => ("/", "divide"),
        AssignOp::Power => ("^", "power"),
        AssignOp::DotMultiply => (".*", "multiply"),
        AssignOp::DotDivide => ("./", "divide"),
        AssignOp::DotPower => (".^", "power"),
        AssignOp::BitAnd => ("&=", "and"),
        AssignOp::BitOr => ("|=", "or"),
        AssignOp::BitXor => ("~=", "xor"),
        AssignOp::Max => ("^^=", "max"),
        AssignOp::Min => ("__=", "min"),
    }
}

/// An assigned value.
struct Assigned {
    ty: Type,
    access: Access,
    value: Option<Constant>,
    parts: Option<Vec<Option<i64>>>,
    /// The facts that the assignment teaches.
    learnt: AssignmentFact,
    /// The nodes of a cell literal with its parentheses, if the value is one and therefore has no alias.
    literal: Vec<NodeId>,
    span: Span,
}

impl<'a> Analyzer<'a> {
    pub(super) fn assign(
        &mut self,
        expr: &'a Expr,
        target: &'a Target,
        op: Option<AssignOp>,
        value: &'a Expr,
    ) -> Type {
        match (target, op) {
            (Target::Place { place, annotation }, None) => {
                let ty = match (&bare(place).kind, &bare(value).kind) {
                    // A lambda may refer to the variable it is assigned to.
                    (ExprKind::Name(name), ExprKind::Lambda(lambda)) => {
                        let inner = bare(value);
                        let ty = self.lambda(inner, lambda, Some(name));
                        self.frame.tables.types.insert(inner.id, ty.clone());
                        self.frame.tables.types.insert(value.id, ty.clone());
                        ty
                    }
                    (ExprKind::Name(name), _) => {
                        self.frame.target = Some((value.id, name));
                        self.expr(value)
                    }
                    _ => self.expr(value),
                };
                let assigned = self.assigned_value(value, ty);
                let result = self.place(place, annotation.as_ref(), assigned);
                self.copy_facts(value.id, expr.id);
                result
            }
            (Target::Place { place, annotation: _ }, Some(op)) => self.compound(expr, place, op, value),
            (Target::Multiple { span, places }, None) => self.multiple(*span, places, value),
            (Target::Multiple { span, .. }, Some(_)) => {
                self.error("Q0319", *span, "compound assignments have one target")
            }
        }
    }

    fn assigned_value(&mut self, value: &'a Expr, ty: Type) -> Assigned {
        let access = match &self.bare(value).kind {
            // An alias keeps the boundary mode of its origin.
            ExprKind::Name(name) => self
                .frame
                .env
                .get(name)
                .map(|variable| Access { boundary: variable.access.boundary, ..Access::default() }),
            _ => None,
        };
        Assigned {
            ty,
            access: access.unwrap_or_default(),
            value: self.frame.tables.constants.get(&value.id).cloned(),
            parts: self.frame.known_components.get(&value.id).cloned(),
            learnt: self.learnt(value),
            literal: cell_literal(value),
            span: value.span,
        }
    }

    /// Assigns to an lvalue: a variable, element or slice. Returns the type of the assignment expression.
    fn place(&mut self, place: &'a Expr, annotation: Option<&'a Annotation>, assigned: Assigned) -> Type {
        match &place.kind {
            ExprKind::Paren(inner) => self.place(inner, annotation, assigned),
            ExprKind::Name(name) => self.variable(place.id, place.span, name, annotation, assigned),
            ExprKind::Index { base, indices } => {
                let selected = self.index(place, base, indices);
                self.frame.tables.types.insert(place.id, selected.clone());
                if !self.has_places(place, base) {
                    return Type::Error;
                }
                self.written(base);
                self.store(place, &selected, &assigned)
            }
            ExprKind::Member { base, member } => {
                if let Some(annotation) = annotation {
                    self.error("Q0310", annotation.span, "the type of a field stands in its class");
                }
                let field = self.expr(place);
                self.assign_field(base, member, &field, &assigned.ty, assigned.span)
            }
            ExprKind::Invalid => Type::Error,
            _ => self.error("Q0204", place.span, "this is not a variable, element or slice"),
        }
    }

    /// Whether a statically typed value has assignable elements; reports why not.
    fn has_places(&mut self, place: &'a Expr, base: &'a Expr) -> bool {
        let text = match self.frame.tables.types.get(&base.id) {
            Some(Type::Tuple(_)) => {
                let what = "replacing an element of a cell whose elements have different types";
                let help = "declare the variable as 'cell' where it gets its value";
                self.say(Message::not_supported(place.span, what).help(help));
                return false;
            }
            Some(Type::Scalar(..)) => "a number has no elements that could be assigned",
            Some(Type::Text) => "strings cannot be changed in place",
            _ => return true,
        };
        self.say(Message::error("Q0316", place.span, text).help("assign to the variable itself"));
        false
    }

    /// Records that elements of the base are written.
    fn written(&mut self, base: &'a Expr) {
        match &bare(base).kind {
            ExprKind::Name(name) => {
                if let Some(variable) = self.frame.env.get(name) {
                    let (access, ty) = (variable.access, variable.ty.clone());
                    if let Some(texture) = access.texture {
                        if texture.linear {
                            let text = format!(
                                "'{name}' is a texture between whose elements is interpolated, which is only read"
                            );
                            self.say(
                                Message::error("Q0204", base.span, text)
                                    .help("textures that are 'hwtex_nearest can be written"),
                            );
                        } else if self.frame.kind != FunctionKind::Kernel {
                            self.not_supported(base.span, "writing to a texture outside of kernels");
                        }
                    } else if access.constant {
                        self.say(messages::constant_assigned(base.span, name));
                    }
                    self.frame.elements.clear();
                    if ty.element_type().is_none_or(ElementType::is_integer) {
                        self.forget_parts();
                    }
                }
            }
            ExprKind::Index { base, .. } => self.written(base),
            ExprKind::Member { base, member } => {
                self.element_of_field_written(base, member);
                self.forget_parts();
            }
            _ => self.forget_parts(),
        }
    }

    /// Checks that a value can be stored into the selected elements.
    fn store(&mut self, place: &'a Expr, selected: &Type, assigned: &Assigned) -> Type {
        let value = &assigned.ty;
        match (selected, value) {
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            (Type::Array(slice), value) if value.is_number() && slice.element.is_number() => {
                self.check_conversion(assigned.span, value, &slice.element);
                value.clone()
            }
            (Type::Array(slice), Type::Array(source)) if !matches!(*slice.element, Type::Array(_)) => {
                let how = conversion(&source.element, &slice.element);
                if source.element != slice.element && matches!(how, None | Some(Conversion::Truncate)) {
                    self.check_conversion(assigned.span, &source.element, &slice.element);
                }
                if let (Some(have), Some(want)) = (source.count(), slice.count())
                    && have != want
                {
                    let text = format!(
                        "Dimensions do not match: {want} elements are selected and {have} are assigned ('{}' and '{}')",
                        self.show(selected),
                        self.show(value)
                    );
                    self.error("Q0311", place.span, text);
                }
                value.clone()
            }
            (element, value) => {
                self.check_conversion(assigned.span, value, element);
                value.clone()
            }
        }
    }

    fn variable(
        &mut self,
        id: NodeId,
        span: Span,
        name: &'a str,
        annotation: Option<&'a Annotation>,
        assigned: Assigned,
    ) -> Type {
        let known = self.frame.env.get(name).cloned();
        let (mut declared, mut access) = match annotation {
            Some(annotation) => self.annotation(annotation),
            None => (None, Access::default()),
        };
        if access.shared && self.frame.kind == FunctionKind::Device {
            self.say(messages::shared_in_function(span, name));
            access.shared = false;
        }
        match &known {
            Some(variable) if variable.access.constant && !variable.special => {
                self.say(messages::constant_assigned(span, name));
            }
            Some(Variable { declared: Some(fixed), .. }) => match &declared {
                Some(ty) if ty != fixed => {
                    let text = format!(
                        "'{name}' is declared as '{}' and cannot be declared as '{}'",
                        self.show(fixed),
                        self.show(ty)
                    );
                    self.error("Q0310", span, text);
                }
                _ => declared = Some(fixed.clone()),
            },
            Some(_) => {}
            None => {
                if let Some((ty, output_access)) = self.frame.outputs.get(name).cloned() {
                    if declared.is_none() {
                        declared = ty;
                    }
                    access = access.or(output_access);
                }
            }
        }
        let mut ty = assigned.ty.clone();
        if let Some(annotation) = annotation.filter(|_| declared.is_none())
            && !self.is_of_class(annotation, &ty)
        {
            let wanted = annotation.ty.as_ref().map(print_type).unwrap_or_default();
            self.say(messages::mismatch(assigned.span, &wanted, &self.show(&ty)));
            ty = Type::Error;
        }
        if annotation.is_some_and(Self::means_functions) && ty.functions().is_empty() && ty != Type::Error {
            let text = format!("expected a function, found '{}'", self.show(&ty));
            ty = self.error("Q0310", assigned.span, text);
        }
        let mut variable = Variable::new(Type::Error, known.as_ref().map_or(span, |variable| variable.span));
        if let Some(wanted) = declared {
            let mut fits = self.check_conversion(assigned.span, &ty, &wanted);
            if let Err(message) = self.check_functions(assigned.span, &ty, &wanted) {
                self.say(message);
                fits = false;
            }
            let tests = functions_stay_known(&ty, &wanted);
            variable.declared = match (fits, &wanted) {
                (false, _) => Some(Type::Error),
                // Which functions a cell holds follows from its value, not from the declared type.
                (true, Type::Array(_)) if tests => None,
                (true, _) => Some(wanted.clone()),
            };
            match (fits, tests) {
                (true, true) => {}
                (true, false) => {
                    self.made_as_declared(&assigned, &ty, &wanted);
                    ty = wanted;
                }
                (false, _) => ty = Type::Error,
            }
        }
        if !assigned.literal.is_empty() && self.decays(name, &ty) {
            ty = Type::array(Type::Dynamic, &[None]);
        }
        if ty == Type::Unit {
            ty = self.error("Q0317", assigned.span, "this call has no value");
        }
        if self.on_device() && ty.any(&|ty| *ty == Type::Text) {
            ty = self.host_only(span, "strings");
        }
        if self.on_device() && ty.any(&|ty| *ty == Type::TypeValue) {
            ty = self.host_only(span, "types as values");
        }
        if self.on_device()
            && let Some(what) = self.objects_illegal_in_kernels(&ty)
        {
            let text = format!("variable '{name}' has the type '{}': {what}", self.show(&ty));
            ty = self.error("Q0402", span, text);
        }
        if self.on_device() && ty.mentions_dynamic() {
            let text = format!(
                "variable '{name}' has the type '{}', which is known at run time only; kernel and device functions need types that are known",
                self.show(&ty)
            );
            ty = self.error("Q0402", span, text);
        }
        variable.access = access.or(match &known {
            Some(variable) if variable.access.boundary.is_some() => variable.access,
            _ => assigned.access,
        });
        // Shared memory stays shared when it is assigned again.
        variable.access.shared |= known.as_ref().is_some_and(|variable| variable.access.shared);
        if access.texture.is_some() {
            self.error("Q0302", span, "textures are parameters: an array that is assigned cannot become one");
        }
        self.remember_value(&mut variable, &ty, &assigned);
        if self.frame.top_level {
            ty = self.global_variable(name, span, ty, &mut variable);
        }
        variable.ty = ty.clone();
        variable.identity = match &known {
            Some(known) if known.identity == Identity::Volatile => Identity::Volatile,
            _ if variable.global.is_some() => Identity::Unknown,
            _ => self.remember(assigned.learnt, &ty, &assigned.ty),
        };
        let mode = self.mode(variable.access);
        self.frame.tables.assigned.insert(id, (ty.clone(), mode));
        self.frame.tables.types.insert(id, ty.clone());
        if id.is_synthetic() {
            self.frame.assigned_by_rewrites.insert(name);
        }
        let meaning = match &variable.global {
            Some(unique) => NameUse::Global(unique.clone()),
            None => NameUse::Local(name.to_owned()),
        };
        self.frame.tables.names.insert(id, meaning);
        self.frame.env.insert(name.to_owned(), variable);
        ty
    }

    /// Updates the known value, components and facts of a variable after an assignment.
    fn remember_value(&mut self, variable: &mut Variable, ty: &Type, assigned: &Assigned) {
        variable.value = match &assigned.value {
            Some(Constant::Scalar(value)) => match ty {
                Type::Scalar(element, _) => super::constants::convert(*value, *element).map(Constant::Scalar),
                Type::Enum(_) => Some(Constant::Scalar(*value)),
                _ => None,
            },
            Some(value @ Constant::Text(_)) if *ty == Type::Text => Some(value.clone()),
            // Elements of arrays may be written through aliases, unless the array is constant.
            Some(value @ Constant::Array(..))
                if variable.access.constant && self.constant_type(value) == *ty =>
            {
                Some(value.clone())
            }
            _ => None,
        };
        if *ty == assigned.ty {
            variable.known_components = assigned.parts.clone();
        }
    }

    /// A module-level variable is a constant, shared with functions, or a local of the module's statements.
    fn global_variable(&mut self, name: &str, span: Span, ty: Type, variable: &mut Variable) -> Type {
        let module = self.frame.lexical.module;
        let Some(global) = self.scopes.get(module).and_then(|scope| scope.globals.get(name)).cloned() else {
            return ty;
        };
        if variable.access.boundary.is_some()
            && let Some(global) = self.scopes.get_mut(module).and_then(|scope| scope.globals.get_mut(name))
        {
            global.access.boundary = variable.access.boundary;
        }
        if global.once
            && let Some(value) = &variable.value
            && !matches!(ty, Type::Enum(_))
            && (variable.access.boundary.is_none() || !matches!(ty, Type::Array(_)))
        {
            let value = value.clone();
            if let Some(global) = self.scopes.get_mut(module).and_then(|scope| scope.globals.get_mut(name)) {
                global.value = Some(value);
                global.access = variable.access;
            }
            return ty;
        }
        if !global.shared {
            return ty;
        }
        let unique = global.unique;
        let joined = match self.global_types.get(&unique) {
            Some(so_far) if *so_far != ty => {
                let joined = lattice::join(so_far, &ty);
                if joined != *so_far {
                    self.globals_changed = true;
                }
                joined
            }
            _ => ty.clone(),
        };
        self.widen_functions(&[(span, ty)], &joined);
        if let Type::Dynamic = joined
            && self.frame.messages.iter().all(|message| message.primary.span != span)
        {
            let text = format!(
                "module variable '{name}' has different kinds of values; its type is known at run time only"
            );
            self.say(Message::warning("Q0325", span, text));
        }
        self.global_types.insert(unique.clone(), joined.clone());
        variable.global = Some(unique);
        variable.value = None;
        variable.known_components = None;
        joined
    }

    fn compound(&mut self, expr: &'a Expr, place: &'a Expr, op: AssignOp, value: &'a Expr) -> Type {
        let right = self.expr(value);
        let left = self.expr(place);
        if left == Type::Error || right == Type::Error {
            return Type::Error;
        }
        let (spelling, row) = compound_row(op);
        let result = self.operator(expr, spelling, row, &[(place.id, left.clone()), (value.id, right)]);
        let folded = self.frame.tables.constants.get(&expr.id).cloned();
        if result == Type::Error {
            return Type::Error;
        }
        // The variable keeps its type; arrays keep theirs if shape and elements stay the same.
        let kept = match (&left, &result) {
            (left, _) if left.is_number() => left.clone(),
            (Type::Array(a), Type::Array(b)) if a.rank == b.rank && a.element == b.element => {
                if conversion(&result, &left)
                    .is_some_and(|c| c == Conversion::Same || matches!(c, Conversion::Subtype(_)))
                {
                    left.clone()
                } else {
                    result.clone()
                }
            }
            _ => result.clone(),
        };
        let span = value.span;
        match &bare(place).kind {
            ExprKind::Name(name) => {
                if kept != result {
                    self.check_conversion(span, &result, &kept);
                }
                let assigned = Assigned {
                    ty: kept,
                    access: Access::default(),
                    value: folded,
                    parts: None,
                    learnt: AssignmentFact::Nothing,
                    literal: Vec::new(),
                    span,
                };
                let inner = bare(place);
                let ty = self.variable(inner.id, inner.span, name, None, assigned);
                if matches!(ty, Type::Array(_)) {
                    self.frame.elements.clear();
                    if ty.element_type().is_some_and(ElementType::is_integer) {
                        self.forget_parts();
                    }
                }
                self.frame.tables.constants.remove(&expr.id);
                ty
            }
            ExprKind::Index { base, .. } => {
                let assigned = Assigned {
                    ty: result,
                    access: Access::default(),
                    value: None,
                    parts: None,
                    learnt: AssignmentFact::Nothing,
                    literal: Vec::new(),
                    span,
                };
                if !self.has_places(place, base) {
                    return Type::Error;
                }
                self.written(base);
                self.store(place, &left, &assigned);
                self.frame.tables.constants.remove(&expr.id);
                left
            }
            ExprKind::Member { base, member } => {
                self.assign_field(base, member, &left, &result, span);
                self.frame.tables.constants.remove(&expr.id);
                left
            }
            _ => self.error("Q0204", place.span, "this is not a variable, element or slice"),
        }
    }

    fn multiple(
        &mut self,
        span: Span,
        places: &'a [Option<(Expr, Option<Annotation>)>],
        value: &'a Expr,
    ) -> Type {
        let inner = bare(value);
        // A call may have more results than targets; any other value must have exactly as many components.
        let mut results = false;
        let (types, known) = match &inner.kind {
            ExprKind::Array(elements) | ExprKind::Cell(elements)
                if elements.iter().all(|element| matches!(element, Element::Expr(_))) =>
            {
                let mut types = Vec::new();
                let mut known = Vec::new();
                for element in elements {
                    let Element::Expr(element) = element else { continue };
                    types.push(self.expr(element));
                    known.push(self.frame.tables.constants.get(&element.id).cloned());
                }
                self.frame.tables.types.insert(inner.id, Type::Tuple(types.clone()));
                self.frame.tables.types.insert(value.id, Type::Tuple(types.clone()));
                (types, known)
            }
            ExprKind::Call { .. } => {
                let types = self.results(value, places.len());
                match types.as_slice() {
                    [one] if places.len() != 1 || !matches!(one, Type::Scalar(..)) => {
                        let one = one.clone();
                        if places.len() == 1 && !matches!(one, Type::Tuple(_)) && !self.is_cell(&one) {
                            (types, vec![None])
                        } else {
                            self.components(value, one, places.len())
                        }
                    }
                    _ => {
                        results = true;
                        (types, Vec::new())
                    }
                }
            }
            _ => {
                let ty = self.expr(value);
                self.components(value, ty, places.len())
            }
        };
        let fits = if results { types.len() >= places.len() } else { types.len() == places.len() };
        if !fits {
            let text = format!("{} values for {} targets", types.len(), places.len());
            self.error("Q0319", span, text);
        } else if types.len() > places.len() && !places.iter().any(Option::is_none) {
            let unused = types.len() - places.len();
            let text = format!("{unused} of {} values are not used; write '_' for them", types.len());
            self.say(Message::warning("Q0319", span, text));
        }
        self.assign_components(places, value, types, known)
    }

    /// The components of a vector or tuple.
    fn components(&mut self, value: &'a Expr, ty: Type, count: usize) -> (Vec<Type>, Vec<Option<Constant>>) {
        match ty {
            Type::Tuple(parts) => (parts, Vec::new()),
            Type::Array(array) => {
                let length = array.vector_length().map_or(count, |n| n as usize);
                let parts = self.frame.known_components.get(&value.id).cloned().unwrap_or_default();
                let known = (0..length)
                    .map(|k| {
                        let n = i32::try_from(parts.get(k).copied().flatten()?).ok()?;
                        Some(Constant::Scalar(Scalar::I32(n)))
                    })
                    .collect();
                if array.known_rank().is_some_and(|rank| rank > 1) {
                    let text = format!(
                        "expected a vec, a tuple or several results, found '{}'",
                        self.show(&Type::Array(array))
                    );
                    self.error("Q0319", value.span, text);
                    return (vec![Type::Error; count], Vec::new());
                }
                (vec![(*array.element).clone(); length], known)
            }
            Type::Dynamic => (vec![Type::Dynamic; count], Vec::new()),
            Type::Error => (vec![Type::Error; count], Vec::new()),
            other => (vec![other], Vec::new()),
        }
    }

    fn assign_components(
        &mut self,
        places: &'a [Option<(Expr, Option<Annotation>)>],
        value: &'a Expr,
        types: Vec<Type>,
        known: Vec<Option<Constant>>,
    ) -> Type {
        let terms = self.vector(value);
        let mut terms: Vec<Option<Linear>> = terms.unwrap_or_default().into_iter().map(Some).collect();
        for (position, place) in places.iter().enumerate() {
            let Some((place, annotation)) = place else { continue };
            let ty = types.get(position).cloned().unwrap_or(Type::Error);
            let value_of = known.get(position).cloned().flatten();
            let learnt = terms
                .get_mut(position)
                .and_then(Option::take)
                .map_or(AssignmentFact::Nothing, AssignmentFact::Equals);
            let (access, span) = (Access::default(), value.span);
            let assigned =
                Assigned { ty, access, value: value_of, parts: None, learnt, literal: Vec::new(), span };
            self.place(place, annotation.as_ref(), assigned);
        }
        self.frame.tables.types.get(&value.id).cloned().unwrap_or(Type::Unit)
    }

    /// Types a literal `{1,2,3}` that is declared as a cell as one: values of any type may be assigned to its elements.
    fn made_as_declared(&mut self, assigned: &Assigned, ty: &Type, wanted: &Type) {
        let cell = |ty: &Type| matches!(ty, Type::Array(array) if *array.element == Type::Dynamic);
        if cell(wanted) && !cell(ty) && !self.on_device() {
            for id in &assigned.literal {
                self.frame.tables.types.insert(*id, Type::array(Type::Dynamic, &[None]));
            }
        }
    }

    /// Whether a value has one of the types of a type-class annotation; true for other annotations.
    fn is_of_class(&mut self, annotation: &'a Annotation, ty: &Type) -> bool {
        let Resolved::OneOf(list) =
            self.quietly(|this| this.annotation_in(annotation, &this.frame.lexical.clone()).0)
        else {
            return true;
        };
        let converts = |one: &Resolved| one.single().is_some_and(|one| conversion(ty, one).is_some());
        *ty == Type::Error || list.iter().any(|one| one.accepts(ty) || converts(one))
    }

    /// `x : T`: the variable starts with the default value of its type.
    pub(super) fn declare(&mut self, expr: &'a Expr, name: &'a Name, annotation: &'a Annotation) -> Type {
        let (ty, access) = self.annotation(annotation);
        match ty {
            Some(ty) => {
                if let Some(variable) = self.frame.env.get(&name.text) {
                    // A declaration of an existing variable asserts its type.
                    let found = variable.ty.clone();
                    self.check_conversion(expr.span, &found, &ty);
                }
                if !self.defaults(&ty) && !self.frame.env.contains_key(&name.text) {
                    // The type has no default value: only the type of later assignments is fixed.
                    self.frame.outputs.insert(name.text.clone(), (Some(ty), access));
                    return Type::Unit;
                }
                let (ty, span) = (ty.clone(), expr.span);
                let learnt = AssignmentFact::Nothing;
                let assigned = Assigned {
                    ty: ty.clone(),
                    access,
                    value: None,
                    parts: None,
                    learnt,
                    literal: Vec::new(),
                    span,
                };
                self.variable(expr.id, name.span, &name.text, Some(annotation), assigned)
            }
            None => {
                let text = format!("the declaration of '{}' needs a type", name.text);
                match self.frame.env.get_mut(&name.text) {
                    Some(variable) => {
                        variable.access = access.or(variable.access);
                        let ty = variable.ty.clone();
                        let access = variable.access;
                        let mode = self.mode(access);
                        self.frame.tables.assigned.insert(expr.id, (ty.clone(), mode));
                        ty
                    }
                    None if annotation.ty.is_none() => {
                        self.frame.outputs.insert(name.text.clone(), (None, access));
                        Type::Unit
                    }
                    None => self.error("Q0310", expr.span, text),
                }
            }
        }
    }

    /// `(x <- v)`: yields the old value.
    pub(super) fn exchange(
        &mut self,
        _expr: &'a Expr,
        place: &'a Expr,
        value: &'a Expr,
        expected: Option<&'a Expr>,
    ) -> Type {
        let new = self.expr(value);
        let old = expected.map(|expected| (self.expr(expected), expected.span));
        let ty = self.expr(place);
        if let ExprKind::Index { base, .. } = &bare(place).kind {
            self.written(base);
        } else if let ExprKind::Name(name) = &bare(place).kind
            && let Some(variable) = self.frame.env.get_mut(name)
        {
            variable.value = None;
            variable.identity = Identity::Unknown;
        }
        if let ExprKind::Member { base, member } = &bare(place).kind {
            let class = self.frame.tables.types.get(&base.id).and_then(Type::class).cloned();
            if class.is_some_and(|class| !self.may_write_field(&class, member)) {
                return Type::Error;
            }
        }
        if ty != Type::Error && !ty.is_number() && !matches!(ty, Type::Pointer(_)) {
            let text = format!("an atomic exchange needs a number or a pointer, found '{}'", self.show(&ty));
            return self.error("Q0311", place.span, text);
        }
        self.check_conversion(value.span, &new, &ty);
        if let Some((old, span)) = old {
            self.check_conversion(span, &old, &ty);
        }
        ty
    }

    /// Introduces the variable of a loop or handler.
    pub(super) fn introduce(&mut self, statement: NodeId, name: &'a Name, ty: Type) {
        let known = self.frame.env.get(&name.text);
        let mut variable = Variable::new(ty.clone(), known.map_or(name.span, |variable| variable.span));
        if self.frame.top_level {
            variable.ty = self.global_variable(&name.text, name.span, ty, &mut variable);
        }
        if let Some(unique) = &variable.global {
            self.frame.tables.names.insert(statement, NameUse::Global(unique.clone()));
        }
        self.frame.env.insert(name.text.clone(), variable);
    }
}

/// The nodes of a cell literal and the parentheses around it.
fn cell_literal(value: &Expr) -> Vec<NodeId> {
    let mut nodes = vec![value.id];
    let mut value = value;
    while let ExprKind::Paren(inner) = &value.kind {
        value = inner;
        nodes.push(value.id);
    }
    if matches!(value.kind, ExprKind::Cell(_)) { nodes } else { Vec::new() }
}
