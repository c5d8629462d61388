//! Matching of arguments to parameters: named, spread, optional and variadic ones; binding of type parameters; the
//! conversion costs that overload resolution compares.

#![allow(clippy::result_large_err, reason = "a refusal is a whole message, made once per wrong call")]

use super::Analyzer;
use super::functions::functions_stay_known;
use super::monomorphize::SPECIAL;
use crate::message::Message;
use crate::sema::flow_state::Variable;
use crate::sema::messages;
use crate::sema::model::*;
use crate::sema::scope::Lexical;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::print_type;
use crate::types::convert::{Conversion, conversion, cost};
use crate::types::resolve::{Bound, Resolved};
use crate::types::{ArrayType, Rank, Type, lattice, shape};

/// A typed argument.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    pub(super) form: Form<'a>,
    pub(super) expr: &'a Expr,
    pub(super) ty: Type,
    /// For a spread call: the types of all its results.
    pub(super) all: Vec<Type>,
}

impl<'a> Given<'a> {
    /// The variable that a positional argument assigns.
    pub(super) fn assigned(&self) -> Option<&'a str> {
        let ExprKind::Assign { target, op: None, .. } = &self.expr.kind else { return None };
        match (&**target, self.form) {
            (Target::Place { place, annotation: None }, Form::Positional) => match &place.kind {
                ExprKind::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }
}

/// How an argument was written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    Positional,
    Named(&'a Name),
    Spread,
}

/// One value among the arguments, after spreading.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) id: NodeId,
    pub(super) part: Part,
    pub(super) ty: Type,
    pub(super) span: Span,
}

/// What of an argument a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The argument itself.
    Whole,
    /// This component of a spread argument.
    Component(usize),
    /// The text of all components of a spread argument, however many.
    Text,
}

impl Piece {
    pub(super) fn argument(&self, ty: Type) -> Argument {
        match self.part {
            Part::Whole => Argument::Expr(self.id, ty),
            Part::Component(k) => Argument::SpreadComponent(self.id, k, ty),
            Part::Text => Argument::SpreadText(self.id),
        }
    }
}

/// The arguments that remain for a variadic parameter.
pub(super) enum Rest {
    /// Single values.
    Pieces(Vec<Piece>),
    /// All values of one array or cell, of any length.
    Whole(Piece),
}

/// A function or lambda, as a callee.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callable<'a> {
    pub(super) definition: Definition,
    pub(super) name: &'a str,
    pub(super) kind: FunctionKind,
    pub(super) params: &'a [Param],
    pub(super) type_params: &'a [TypeParam],
}

/// A successful match.
#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) args: Vec<Argument>,
    /// Types of the ordinary parameters in order.
    pub(super) params: Vec<Type>,
    pub(super) lexical: Lexical,
    pub(super) cost: u32,
    /// Messages about conversions.
    pub(super) remarks: Vec<Message>,
}

impl<'a> Analyzer<'a> {
    /// Types the arguments of a call.
    pub(super) fn given(&mut self, args: &'a [CallArg]) -> Vec<Given<'a>> {
        let mut list = Vec::new();
        for arg in args {
            let (form, expr) = match arg {
                CallArg::Positional(expr) => (Form::Positional, expr),
                CallArg::Named(name, expr) => (Form::Named(name), expr),
                CallArg::Spread(expr) => (Form::Spread, expr),
            };
            let (ty, all) = match form {
                Form::Spread => {
                    let all = self.results(expr, usize::MAX);
                    (all.first().cloned().unwrap_or(Type::Unit), all)
                }
                _ => (self.expr(expr), Vec::new()),
            };
            list.push(Given { form, expr, ty, all });
        }
        list
    }

    /// The values of positional and spread arguments. What `joins` the texts of its arguments takes spread ones of any length.
    pub(super) fn pieces(&mut self, given: &[Given<'a>], joins: bool) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        for arg in given {
            let span = arg.expr.span;
            let piece = |part, ty| Piece { id: arg.expr.id, part, ty, span };
            match arg.form {
                Form::Positional => pieces.push(piece(Part::Whole, arg.ty.clone())),
                Form::Named(name) => {
                    self.error("Q0313", name.span, "this function has no named parameters");
                    return None;
                }
                Form::Spread if joins && (is_of_any_length(arg) || arg.ty == Type::Dynamic) => {
                    pieces.push(piece(Part::Text, Type::Text));
                }
                Form::Spread => {
                    let types = self.spread(arg).map_err(|message| self.say(message)).ok()?;
                    for (k, ty) in types.into_iter().enumerate() {
                        pieces.push(piece(Part::Component(k), ty));
                    }
                }
            }
        }
        Some(pieces)
    }

    /// The types of the components of a spread argument.
    fn spread(&self, arg: &Given<'a>) -> Result<Vec<Type>, Message> {
        if arg.all.len() > 1 {
            return Ok(arg.all.clone());
        }
        if let Some(items) = arg.expr.cell_items() {
            let types = items.iter().map(|item| self.frame.tables.types.get(&item.id).cloned());
            return Ok(types.map(|ty| ty.unwrap_or(Type::Error)).collect());
        }
        match &arg.ty {
            Type::Tuple(parts) => Ok(parts.clone()),
            Type::Array(array) if array.known_rank() == Some(1) => match array.vector_length() {
                Some(n) if u64::from(n) <= ArrayType::MAX_IN_REGISTERS => {
                    Ok(vec![(*array.element).clone(); n as usize])
                }
                _ => {
                    let what = "spreading a vector of unknown length into a call";
                    Err(Message::not_supported(arg.expr.span, what))
                }
            },
            Type::Dynamic | Type::Class(_) | Type::Pointer(_) => {
                let text =
                    "the fields of an object are spread onto the optional parameters of functions only";
                Err(Message::error("Q0313", arg.expr.span, text))
            }
            other => {
                let text =
                    format!("'...' spreads a vec, a tuple or several results, found '{}'", self.show(other));
                Err(Message::error("Q0313", arg.expr.span, text))
            }
        }
    }

    /// Spreads a vector of unknown length over as many parameters as remain for it. The length is checked at run time.
    fn spread_to_fit<'p>(
        &self,
        arg: &Given<'a>,
        callable: &Callable<'a>,
        left: impl ExactSizeIterator<Item = &'p &'a Param>,
        after: &[Given<'a>],
    ) -> Option<Vec<Type>>
    where
        'a: 'p,
    {
        let element = match &arg.ty {
            Type::Array(array) => (*array.element).clone(),
            _ => return None,
        };
        let count = left.len().checked_sub(after.len())?;
        let plain = callable.kind == FunctionKind::Host
            && !self.on_device()
            && after.iter().all(|arg| matches!(arg.form, Form::Positional))
            && left.into_iter().all(|param| param.default.is_none());
        (plain && is_of_any_length(arg)).then(|| vec![element; count])
    }

    /// The function or lambda with this id.
    pub(super) fn callable(&self, id: NodeId) -> Option<Callable<'a>> {
        if let Some(function) = self.index.function(id) {
            return Some(Callable {
                definition: Definition::Function(id),
                name: &function.name.text,
                kind: function.kind,
                params: &function.params,
                type_params: &function.type_params,
            });
        }
        let lambda = self.index.lambda(id)?;
        Some(Callable {
            definition: Definition::Lambda(id),
            name: "lambda",
            kind: lambda.kind,
            params: &lambda.params,
            type_params: &[],
        })
    }

    /// `f(x : mat, ..)` for lists of candidates.
    pub(super) fn signature(&mut self, callable: &Callable<'a>) -> String {
        let said = self.frame.messages.len();
        let mut lexical = self.lexical_of(callable.definition, &[]);
        lexical.bindings.extend(callable.type_params.iter().map(|param| (param.name.text.clone(), None)));
        let params: Vec<String> = callable
            .params
            .iter()
            .map(|param| {
                let dots = if param.variadic { "..." } else { "" };
                let ty = param.annotation.as_ref().and_then(|annotation| {
                    match self.annotation_in(annotation, &lexical).0 {
                        Resolved::Is(ty) => Some(self.show(&ty)),
                        Resolved::OneOf(_) => annotation.ty.as_ref().map(print_type),
                        Resolved::Any | Resolved::Open => None,
                    }
                });
                let default = if param.default.is_some() { " = .." } else { "" };
                match ty {
                    Some(ty) => format!("{dots}{} : {ty}{default}", param.name.text),
                    None => format!("{dots}{}{default}", param.name.text),
                }
            })
            .collect();
        self.frame.messages.truncate(said);
        format!("{}({})", callable.name, params.join(", "))
    }

    /// Matches arguments to the ordinary parameters.
    pub(super) fn matching(
        &mut self,
        callable: &Callable<'a>,
        given: &[Given<'a>],
        explicit: &[Bound],
        outer: &Lexical,
        span: Span,
    ) -> Result<Match, Message> {
        let kernel = callable.kind == FunctionKind::Kernel;
        let params: Vec<&'a Param> = callable
            .params
            .iter()
            .filter(|param| !(kernel && SPECIAL.contains(&param.name.text.as_str())))
            .collect();
        let (slots, rest) = self.slots(callable, &params, given, span)?;
        let looks_named = |name: &&str| params.iter().any(|param| param.name.text == *name);
        let remarks = given.iter().filter_map(|arg| {
            let name = arg.assigned().filter(looks_named)?;
            Some(messages::assigned_argument(arg.expr.span, name, true))
        });
        let remarks = remarks.collect();
        let open = self.objects_known_at_run_time(given);
        let mut lexical = outer.clone();
        let base = lexical.bindings.len();
        for (position, param) in callable.type_params.iter().enumerate() {
            lexical.bindings.push((param.name.text.clone(), explicit.get(position).cloned()));
        }
        if explicit.len() > callable.type_params.len() {
            let text = format!("'{}' has {} type parameters", callable.name, callable.type_params.len());
            return Err(Message::error("Q0313", span, text));
        }
        self.bind_parameters(callable, &params, &slots, &mut lexical, base)?;
        let mut found =
            Match { args: Vec::new(), params: Vec::new(), lexical: lexical.clone(), cost: 0, remarks };
        for (param, slot) in params.iter().zip(&slots) {
            if param.variadic {
                self.rest(callable, param, &rest, &lexical, &mut found)?;
                continue;
            }
            match slot {
                Some(piece) => self.one(callable, param, piece, &lexical, &mut found)?,
                None => self.default(callable, param, &params, &lexical, &mut found, span, &open)?,
            }
        }
        if let Some((name, _)) = lexical.bindings[base..].iter().find(|(_, bound)| bound.is_none()) {
            let used = callable.params.iter().any(|param| param.annotation.is_some());
            if used || !callable.type_params.is_empty() {
                let text = format!(
                    "parameter '{name}' of '{}' cannot be determined from the arguments; give it as in {}[..](..)",
                    callable.name, callable.name
                );
                return Err(Message::error("Q0324", span, text));
            }
        }
        Ok(found)
    }

    /// Assigns arguments to parameter slots; also returns what remains for a variadic parameter.
    #[allow(clippy::type_complexity, reason = "slots and rest")]
    fn slots(
        &mut self,
        callable: &Callable<'a>,
        params: &[&'a Param],
        given: &[Given<'a>],
        span: Span,
    ) -> Result<(Vec<Option<Piece>>, Rest), Message> {
        let fixed = params.iter().take_while(|param| !param.variadic).count();
        let variadic = fixed < params.len();
        let mut slots: Vec<Option<Piece>> = vec![None; params.len()];
        let (mut rest, mut whole) = (Vec::new(), None);
        let mut objects = Vec::new();
        let mut next = 0;
        for (position, arg) in given.iter().enumerate() {
            let span = arg.expr.span;
            let piece = |part, ty| Piece { id: arg.expr.id, part, ty, span };
            let is_rest = variadic && next == fixed && rest.is_empty() && position + 1 == given.len();
            if is_rest && callable.kind == FunctionKind::Host && is_of_any_length(arg) {
                whole = Some(piece(Part::Whole, arg.ty.clone()));
                continue;
            }
            let values = match arg.form {
                Form::Named(name) => {
                    let Some(position) = params.iter().position(|param| param.name.text == name.text) else {
                        let text = format!("'{}' has no parameter '{}'", callable.name, name.text);
                        return Err(Message::error("Q0313", name.span, text));
                    };
                    if slots[position].is_some() {
                        let text = format!("parameter '{}' is given twice", name.text);
                        return Err(Message::error("Q0313", name.span, text));
                    }
                    slots[position] = Some(piece(Part::Whole, arg.ty.clone()));
                    continue;
                }
                Form::Positional => vec![piece(Part::Whole, arg.ty.clone())],
                Form::Spread if self.is_spread_object(arg) => {
                    objects.push(arg);
                    continue;
                }
                Form::Spread => {
                    let left = params[next.min(fixed)..fixed].iter();
                    let after = &given[position + 1..];
                    let types = match self.spread_to_fit(arg, callable, left, after) {
                        Some(types) if !variadic => types,
                        _ => self.spread(arg)?,
                    };
                    types.into_iter().enumerate().map(|(k, ty)| piece(Part::Component(k), ty)).collect()
                }
            };
            for value in values {
                if next < fixed {
                    slots[next] = Some(value);
                    next += 1;
                } else if variadic {
                    rest.push(value);
                } else {
                    let text = format!("too many arguments for {}", self.signature(callable));
                    return Err(Message::error("Q0313", value.span, text));
                }
            }
        }
        self.fields_to_parameters(callable, params, &objects, &mut slots)?;
        for (param, slot) in params.iter().zip(&slots) {
            if slot.is_none() && param.default.is_none() && !param.variadic {
                let text = format!(
                    "argument '{}' is missing in the call of {}",
                    param.name.text,
                    self.signature(callable)
                );
                return Err(Message::error("Q0313", span, text));
            }
        }
        Ok((slots, whole.map_or(Rest::Pieces(rest), Rest::Whole)))
    }

    fn one(
        &mut self,
        callable: &Callable<'a>,
        param: &'a Param,
        piece: &Piece,
        lexical: &Lexical,
        found: &mut Match,
    ) -> Result<(), Message> {
        let actual = piece.ty.clone();
        let wanted = match &param.annotation {
            Some(annotation) => self.annotation_in(annotation, lexical).0,
            None => Resolved::Any,
        };
        let (ty, cost) = match &wanted {
            Resolved::Any | Resolved::Open => (actual.clone(), 12),
            Resolved::OneOf(_) if wanted.accepts(&actual) => (actual.clone(), 11),
            Resolved::OneOf(_) => return Err(self.no_fit(callable, param, piece, None)),
            Resolved::Is(wanted) if let Some(view) = linear_view(callable, piece, wanted) => {
                found.args.push(Argument::LinearView(piece.id, view.clone()));
                found.params.push(view);
                found.cost += Conversion::Checked.cost();
                return Ok(());
            }
            Resolved::Is(wanted) => match conversion(&actual, wanted) {
                None => return Err(self.no_fit(callable, param, piece, Some(wanted))),
                Some(how) => {
                    if how == Conversion::Truncate {
                        let (from, to) = (self.show(&actual), self.show(wanted));
                        found
                            .remarks
                            .push(crate::sema::messages::implicit_conversion(piece.span, &from, &to));
                    }
                    self.check_functions(piece.span, &actual, wanted)?;
                    if *wanted == Type::Dynamic {
                        self.convert_to_values(piece.span, &actual, wanted);
                    }
                    let pointer = self.as_pointer(piece.span, &actual, wanted, callable.kind);
                    let cost = cost(&actual, wanted, how);
                    (pointer.unwrap_or_else(|| specialised(&actual, wanted, how, callable.kind)), cost)
                }
            },
        };
        found.args.push(piece.argument(ty.clone()));
        found.params.push(ty);
        found.cost += cost;
        Ok(())
    }

    fn no_fit(
        &mut self,
        callable: &Callable<'a>,
        param: &'a Param,
        piece: &Piece,
        wanted: Option<&Type>,
    ) -> Message {
        let text = match wanted {
            Some(wanted) => format!(
                "argument '{}' of '{}' must be '{}', found '{}'",
                param.name.text,
                callable.name,
                self.show(wanted),
                self.show(&piece.ty)
            ),
            None => {
                let found = self.show(&piece.ty);
                let (name, of) = (&param.name.text, callable.name);
                match param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref()) {
                    Some(ty) => {
                        format!("argument '{name}' of '{of}' must be '{}', found '{found}'", print_type(ty))
                    }
                    None => format!("argument '{name}' of '{of}' cannot be '{found}'"),
                }
            }
        };
        Message::error("Q0324", piece.span, text)
            .help(format!("the signature is {}", self.signature(callable)))
    }

    /// A default value, which the caller evaluates with the parameters to its left as variables.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call")]
    fn default(
        &mut self,
        callable: &Callable<'a>,
        param: &'a Param,
        params: &[&'a Param],
        lexical: &Lexical,
        found: &mut Match,
        span: Span,
        open: &[NodeId],
    ) -> Result<(), Message> {
        let Some(default) = &param.default else {
            let text = format!("argument '{}' of '{}' is missing", param.name.text, callable.name);
            return Err(Message::error("Q0313", span, text));
        };
        let mut env: crate::sema::flow_state::Environment = self.frame.captured.iter().cloned().collect();
        for (param, ty) in params.iter().zip(&found.params) {
            env.insert(param.name.text.clone(), Variable::new(ty.clone(), param.name.span));
        }
        let env = std::mem::replace(&mut self.frame.env, env);
        let lexical_before = std::mem::replace(&mut self.frame.lexical, lexical.clone());
        let top_level = std::mem::replace(&mut self.frame.top_level, false);
        let locals = std::mem::take(&mut self.frame.locals);
        let tables = std::mem::take(&mut self.frame.tables);
        let actual = self.expr(default);
        let own = std::mem::replace(&mut self.frame.tables, tables);
        self.frame.tables.defaults.push(own);
        self.frame.locals = locals;
        self.frame.top_level = top_level;
        self.frame.lexical = lexical_before;
        self.frame.env = env;
        let wanted = param.annotation.as_ref().map(|annotation| self.annotation_in(annotation, lexical).0);
        let ty = match wanted {
            Some(Resolved::Is(wanted)) => {
                let Some(how) = conversion(&actual, &wanted) else {
                    let text = format!(
                        "the default of '{}' is '{}', not '{}'",
                        param.name.text,
                        self.show(&actual),
                        self.show(&wanted)
                    );
                    return Err(Message::error("Q0324", default.span, text));
                };
                if open.is_empty() { specialised(&actual, &wanted, how, callable.kind) } else { wanted }
            }
            _ if !open.is_empty() => Type::Dynamic,
            _ => actual,
        };
        let tables = self.frame.tables.defaults.len() - 1;
        let default = Argument::Default(default.id, ty.clone(), tables);
        found.args.push(match open {
            [] => default,
            objects => {
                let (objects, name) = (objects.to_vec(), param.name.text.clone());
                Argument::Field { objects, name, ty: ty.clone(), default: Box::new(default) }
            }
        });
        found.params.push(ty);
        Ok(())
    }

    /// Collects the remaining arguments into one vector or tuple.
    fn rest(
        &mut self,
        callable: &Callable<'a>,
        param: &'a Param,
        rest: &Rest,
        lexical: &Lexical,
        found: &mut Match,
    ) -> Result<(), Message> {
        let declared = match &param.annotation {
            Some(annotation) => self.annotation_in(annotation, lexical).0.single().cloned(),
            None => None,
        };
        let rest = match rest {
            Rest::Pieces(pieces) => pieces,
            Rest::Whole(piece) => return self.whole_rest(callable, param, piece, declared, found),
        };
        let length = u32::try_from(rest.len()).ok();
        let element = match &declared {
            Some(Type::Array(array)) => (*array.element).clone(),
            Some(other) => other.clone(),
            None => rest
                .iter()
                .map(|piece| piece.ty.clone())
                .reduce(|a, b| lattice::join(&a, &b))
                // An empty list fits any element type; `int` converts to what it is combined with.
                .unwrap_or(Type::INT),
        };
        for piece in rest {
            if conversion(&piece.ty, &element).is_none() {
                return Err(self.no_fit(callable, param, piece, Some(&element)));
            }
        }
        for piece in rest {
            self.widen_functions(&[(piece.span, piece.ty.clone())], &element);
        }
        let mixed = element == Type::Dynamic
            && rest.iter().all(|piece| piece.ty != Type::Dynamic)
            && !rest.is_empty();
        let ty = if mixed && callable.kind != FunctionKind::Host {
            Type::Tuple(rest.iter().map(|piece| piece.ty.clone()).collect())
        } else {
            Type::array(element.clone(), &[length])
        };
        for piece in rest {
            let target =
                if mixed && callable.kind != FunctionKind::Host { piece.ty.clone() } else { element.clone() };
            found.args.push(piece.argument(target));
        }
        found.params.push(ty);
        found.cost += 20;
        Ok(())
    }

    /// The remaining arguments are the elements of one vector, whose length is known only at run time.
    fn whole_rest(
        &mut self,
        callable: &Callable<'a>,
        param: &'a Param,
        piece: &Piece,
        declared: Option<Type>,
        found: &mut Match,
    ) -> Result<(), Message> {
        let element = match (declared, &piece.ty) {
            (Some(Type::Array(array)), _) => *array.element,
            (Some(other), _) => other,
            (None, Type::Array(array)) => (*array.element).clone(),
            (None, _) => Type::Dynamic,
        };
        let ty = Type::array(element, &[None]);
        if conversion(&piece.ty, &ty).is_none() {
            return Err(self.no_fit(callable, param, piece, Some(&ty)));
        }
        found.args.push(Argument::SpreadRest(piece.id, ty.clone()));
        found.params.push(ty);
        found.cost += 20;
        Ok(())
    }
}

/// Whether a spread argument is a vector or cell that is long, or whose length is known only at run time.
fn is_of_any_length(arg: &Given<'_>) -> bool {
    let long = |array: &ArrayType| {
        array.vector_length().is_none_or(|length| u64::from(length) > ArrayType::MAX_IN_REGISTERS)
    };
    let vector = match &arg.ty {
        Type::Array(array) if *array.element == Type::Dynamic => long(array),
        Type::Array(array) => array.known_rank() == Some(1) && long(array),
        _ => false,
    };
    matches!(arg.form, Form::Spread) && arg.all.len() <= 1 && vector && arg.expr.cell_items().is_none()
}

/// The type of the elements of an array of two or more dimensions as a `vec`, where the parameter of a kernel is one. Rows
/// and columns are such views too.
fn linear_view(callable: &Callable<'_>, piece: &Piece, wanted: &Type) -> Option<Type> {
    let (Type::Array(from), Type::Array(to)) = (&piece.ty, wanted) else { return None };
    let several = from.known_rank().is_none_or(|rank| rank > 1);
    let open = to.known_rank() == Some(1) && to.vector_length().is_none();
    if callable.kind != FunctionKind::Kernel || matches!(piece.part, Part::Component(_)) || !several || !open
    {
        return None;
    }
    let row = ArrayType { rank: Rank::Known(1), sizes: vec![None], ..from.clone() };
    let how = conversion(&Type::Array(row.clone()), wanted)?;
    Some(specialised(&Type::Array(row), wanted, how, FunctionKind::Kernel))
}

/// The parameter type of the instance: the declared one, narrowed to the actual one where that enables specialisation.
fn specialised(actual: &Type, wanted: &Type, how: Conversion, kind: FunctionKind) -> Type {
    match (actual, wanted) {
        _ if functions_stay_known(actual, wanted) => actual.clone(),
        (_, Type::Dynamic) => actual.clone(),
        (Type::Array(a), Type::Array(w)) if matches!(how, Conversion::Same | Conversion::Subtype(_)) => {
            if *w.element == Type::Dynamic && *a.element != Type::Dynamic {
                return raised(a, w, (*a.element).clone());
            }
            if w.rank == Rank::Any {
                return actual.clone();
            }
            if kind == FunctionKind::Host { wanted.clone() } else { raised(a, w, (*w.element).clone()) }
        }
        _ => wanted.clone(),
    }
}

fn raised(actual: &ArrayType, wanted: &ArrayType, element: Type) -> Type {
    match (actual.known_rank(), wanted.known_rank()) {
        (Some(_), Some(rank)) => Type::array(element, &shape::raise(&actual.sizes, rank)),
        _ => Type::Array(ArrayType { element: Box::new(element), ..actual.clone() }),
    }
}
