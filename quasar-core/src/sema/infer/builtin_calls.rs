//! Calls of builtin functions, array constructors, and functions with special argument forms.

use super::Analyzer;
use super::arguments::{Given, Part, Piece};
use super::expressions::predefined_number;
use crate::builtins::{self, Availability, CallTypes, Intrinsic, Kind, Known, Operand};
use crate::message::Message;
use crate::sema::messages;
use crate::sema::model::*;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::{self, Resolved};
use crate::types::{ArrayType, ElementType, Type, shape};
use quasar_devicelib::element::Scalar;

/// Whether a name is an array constructor when it is called.
pub(super) fn is_construction(name: &str) -> bool {
    matches!(name, "zeros" | "ones" | "uninit" | "czeros" | "cuninit" | "shared" | "shared_zeros")
        || resolve::family(name, ElementType::Single).is_some()
}

impl<'a> Analyzer<'a> {
    /// `zeros(..)`, `vec[T](..)`, `cell[T](..)`, `cube{4}(..)`, `shared(..)`.
    pub(super) fn construct(
        &mut self,
        expr: &'a Expr,
        name: &str,
        rank: Option<&RankExpr>,
        type_args: &'a [TypeArg],
        args: &'a [CallArg],
    ) -> Vec<Type> {
        let family = resolve::family(name, self.working());
        let mut element = match (&family, name) {
            (Some((element, ..)), _) => Type::scalar(*element),
            (None, "czeros" | "cuninit") => Type::scalar(self.working().complex()),
            _ => Type::scalar(self.working()),
        };
        match type_args {
            [] => {}
            [TypeArg::Type(ty)] => match self.resolve(ty).0 {
                Resolved::Is(ty) => element = ty,
                _ => element = Type::Dynamic,
            },
            [TypeArg::Const(expr)] => {
                if let ExprKind::Name(name) = &expr.kind
                    && let Some(ty) = self.type_from_name(name)
                {
                    element = ty;
                } else {
                    return vec![self.error("Q0304", expr.span, "expected a type")];
                }
            }
            _ => {
                let text = format!(
                    "this names one cell with elements of these types; for an array of such cells write {name}[{name}[{{..}}]](..)"
                );
                return vec![self.error("Q0304", expr.span, text)];
            }
        }
        let fill = match name {
            "ones" => "ones",
            "uninit" | "cuninit" => "uninit",
            "shared" => "shared",
            "shared_zeros" => "shared_zeros",
            _ => "zeros",
        };
        if fill.starts_with("shared") && self.frame.kind != FunctionKind::Kernel {
            let text = format!("'{name}' makes shared memory, which belongs into kernel functions");
            return vec![self.error("Q0405", expr.span, text)];
        }
        let declared = match (family, rank) {
            (Some(_), Some(RankExpr::Any)) => ArrayType::any_rank(element.clone()),
            (Some((_, _, sizes)), None) => ArrayType::new(element.clone(), &sizes),
            (Some(_), Some(rank)) => {
                let n = match rank {
                    RankExpr::Number(n) => Some(i64::from(*n)),
                    RankExpr::Param(name) => {
                        match self.frame.lexical.bindings.iter().rev().find(|(key, _)| *key == name.text) {
                            Some((_, Some(resolve::Bound::Integer(n)))) => Some(*n),
                            _ => None,
                        }
                    }
                    RankExpr::Any => None,
                };
                match n.and_then(|n| usize::try_from(n).ok()).filter(|n| (1..=16).contains(n)) {
                    Some(n) => ArrayType::new(element.clone(), &vec![None; n]),
                    None => {
                        return vec![self.error(
                            "Q0305",
                            expr.span,
                            "arrays have between 1 and 16 dimensions",
                        )];
                    }
                }
            }
            (None, _) => ArrayType::any_rank(element.clone()),
        };
        self.construct_type(expr, Type::Array(declared), fill, args)
    }

    /// Constructs an array whose rank the type gives, if it is known.
    pub(super) fn construct_type(
        &mut self,
        expr: &'a Expr,
        ty: Type,
        fill: &'static str,
        args: &'a [CallArg],
    ) -> Vec<Type> {
        let given = self.given(args);
        let Some((pieces, operands)) = self.operands(&given, false) else { return vec![Type::Error] };
        let Type::Array(declared) = ty else { return vec![Type::Error] };
        let element = (*declared.element).clone();
        if self.on_device() && element.any(&|ty| *ty == Type::Text) {
            return vec![self.host_only(expr.span, "strings")];
        }
        if !self.array_of_objects(expr.span, &declared, fill) {
            return vec![Type::Error];
        }
        if element.any(&|ty| matches!(ty, Type::Function(_) | Type::Choice(_))) {
            let what = "arrays whose elements are functions; write a cell of functions such as {f, g}";
            return vec![self.not_supported(expr.span, what)];
        }
        if let Type::Tuple(parts) = &element
            && !parts.iter().all(|ty| ty.is_number() || *ty == Type::Text)
        {
            let what = "making arrays of tuples with other parts than numbers and strings";
            return vec![self.not_supported(expr.span, what)];
        }
        let spans: Vec<Span> = pieces.iter().map(|piece| piece.span).collect();
        let sizes = if declared.known_rank().is_some() {
            builtins::dims_of_arguments(&operands)
        } else {
            builtins::created_sizes(&operands)
        };
        let sizes = match sizes {
            Ok(sizes) => sizes,
            Err(mistake) => return vec![self.mistake(mistake, expr.span, &spans)],
        };
        let list: Vec<Argument> = pieces
            .iter()
            .map(|piece| {
                let ty = match &piece.ty {
                    // A number or a vector of sizes: decided at run time.
                    Type::Dynamic if pieces.len() == 1 => Type::Dynamic,
                    ty if ty.is_number() => Type::INT,
                    ty => ty.with_element(ElementType::Int32),
                };
                piece.argument(ty)
            })
            .collect();
        self.frame.tables.callees.insert(expr.id, Callee::Construct { fill, args: list });
        let result = match (declared.known_rank(), sizes) {
            // vec3() and the like: the sizes are part of the name.
            (Some(_), Some(sizes)) if sizes.is_empty() => Type::Array(declared),
            (Some(rank), Some(sizes)) if sizes.len() <= rank => {
                Type::array(element, &shape::raise(&sizes, rank))
            }
            (Some(rank), Some(mut sizes)) => {
                while sizes.len() > rank && matches!(sizes.last(), Some(Some(1) | None)) {
                    sizes.pop();
                }
                if sizes.len() > rank {
                    let text = format!(
                        "'{}' has {rank} dimensions, found {} sizes",
                        self.show(&Type::Array(declared)),
                        sizes.len()
                    );
                    return vec![self.error("Q0305", expr.span, text)];
                }
                Type::array(element, &sizes)
            }
            (Some(_), None) => Type::Array(declared),
            (None, Some(sizes)) if sizes.is_empty() => {
                return vec![self.error("Q0313", expr.span, "the sizes of the array are missing")];
            }
            (None, Some(sizes)) if sizes.len() <= 16 => Type::array(element, &sizes),
            (None, Some(_)) => {
                return vec![self.error("Q0305", expr.span, "arrays have at most 16 dimensions")];
            }
            (None, None) => {
                let name = self.frame.target.filter(|(id, _)| *id == expr.id);
                let name = name.map_or_else(String::new, |(_, name)| format!(" '{name}'"));
                let text = format!(
                    "could not determine the type of output argument{name}: the length of the size vector is not known"
                );
                self.say(Message::warning("Q0325", expr.span, text));
                Type::Array(declared)
            }
        };
        vec![result]
    }

    /// Positional arguments as operands of a typing rule; `None` if one is in error.
    fn operands(&mut self, given: &[Given<'a>], joins: bool) -> Option<(Vec<Piece>, Vec<Operand>)> {
        for arg in given.iter().skip(1) {
            if let Some(name) = arg.assigned() {
                self.say(messages::assigned_argument(arg.expr.span, name, false));
            }
        }
        let pieces = self.pieces(given, joins)?;
        if pieces.iter().any(|piece| piece.ty == Type::Error) {
            return None;
        }
        let operands = pieces
            .iter()
            .map(|piece| match piece.part {
                Part::Whole => self.operand(piece.id, piece.ty.clone()),
                Part::Text => Operand { ty: Type::Text, known: None },
                Part::Component(k) => {
                    let part = self
                        .frame
                        .known_components
                        .get(&piece.id)
                        .and_then(|parts| parts.get(k).copied().flatten());
                    let known =
                        part.and_then(|n| i32::try_from(n).ok()).map(|n| Known::Scalar(Scalar::I32(n)));
                    Operand { ty: piece.ty.clone(), known }
                }
            })
            .collect();
        Some((pieces, operands))
    }

    /// The functions written in Quasar that device code calls in place of a builtin. Empty if the arguments are wrong:
    /// the typing rule of the builtin's row then reports that.
    pub(super) fn device_functions(
        &mut self,
        name: &str,
        given: &[Given<'a>],
        wanted: usize,
    ) -> Option<Vec<NodeId>> {
        let module = self.unit.device.filter(|_| self.on_device())?;
        let candidates = self.scopes.get(module)?.functions.get(name)?.clone();
        let (_, operands) = self.operands(given, false)?;
        let entry = builtins::find(name, operands.len())?.ok()?;
        let call = CallTypes { args: &operands, results: wanted, working: self.working() };
        let typing = (entry.rule)(&entry.builtin, &call).ok()?;
        builtins::is_in_quasar(name, &call, &typing).then_some(candidates)
    }

    /// A call typed by the rule of the builtin's row.
    pub(super) fn builtin_call(
        &mut self,
        expr: &'a Expr,
        callee: Span,
        name: &str,
        given: &[Given<'a>],
        wanted: usize,
    ) -> Vec<Type> {
        let joins = matches!(name, "print" | "strcat");
        let Some((pieces, operands)) = self.operands(given, joins) else {
            return vec![Type::Error; wanted.clamp(1, 16)];
        };
        let entry = match builtins::find(name, operands.len()) {
            Some(Ok(entry)) => entry,
            Some(Err(arities)) => {
                let numbers: Vec<String> = arities
                    .iter()
                    .map(|(low, high)| match (low, high) {
                        (low, high) if low == high => low.to_string(),
                        (low, &usize::MAX) => format!("{low} or more"),
                        (low, high) => format!("{low} to {high}"),
                    })
                    .collect();
                let plural = if numbers == ["1"] { "" } else { "s" };
                let text = format!(
                    "'{name}' takes {} argument{plural}, found {}",
                    numbers.join(" or "),
                    operands.len()
                );
                return vec![self.error("Q0313", expr.span, text)];
            }
            None => return vec![Type::Error],
        };
        let builtin = &entry.builtin;
        match builtin.availability {
            Availability::Host if self.on_device() => {
                return vec![self.host_only(callee, &format!("'{name}'")); wanted.clamp(1, 16)];
            }
            Availability::Kernel if self.frame.kind != FunctionKind::Kernel => {
                return vec![self.error("Q0405", callee, format!("'{name}' belongs into kernel functions"))];
            }
            _ => {}
        }
        if operands.iter().any(|operand| operand.ty == Type::Unit) {
            return vec![self.error("Q0317", expr.span, "an argument of this call has no value")];
        }
        let call = CallTypes { args: &operands, results: wanted, working: self.working() };
        let typing = match (entry.rule)(builtin, &call) {
            Ok(typing) => typing,
            Err(mistake) => {
                let spans: Vec<Span> = pieces.iter().map(|piece| piece.span).collect();
                return vec![self.mistake(mistake, expr.span, &spans); wanted.clamp(1, 16)];
            }
        };
        if matches!(builtin.kind, Kind::Intrinsic(Intrinsic::MaxBlockSize | Intrinsic::OptBlockSize))
            && !self.asks_about_kernel(name, &operands[0].ty, pieces[0].span)
        {
            return vec![Type::Error];
        }
        if self.on_device()
            && let Some(missing) = builtins::what_is_missing(name, &call, &typing)
        {
            let found = self.show(&operands[0].ty);
            let text = format!("'{name}' in kernel and device functions takes {missing}, found '{found}'");
            let message = Message::error("Q0313", pieces[0].span, text);
            let converts = format!("write {name}(float(..)) to convert");
            self.say(if missing.ends_with("floats") { message.help(converts) } else { message });
            return vec![Type::Error; wanted.clamp(1, 16)];
        }
        let mut results = typing.results;
        if wanted <= 1 {
            results.truncate(1);
        } else if wanted < results.len() {
            results.truncate(wanted);
        }
        if self.on_device() && results.iter().any(Type::mentions_dynamic) {
            let found: Vec<String> =
                operands.iter().map(|operand| format!("'{}'", self.show(&operand.ty))).collect();
            let text = format!(
                "the type of '{name}({})' is known at run time only, which kernel and device functions cannot use",
                found.join(", ")
            );
            return vec![self.error("Q0402", expr.span, text)];
        }
        let list = pieces.iter().zip(&typing.args).map(|(piece, ty)| piece.argument(ty.clone())).collect();
        let callee = match builtin.kind {
            // Values of dynamic type are converted by the library.
            Kind::Convert if results.iter().all(|ty| ty.element_type().is_some()) => Callee::Convert,
            _ => Callee::Builtin { builtin, args: list },
        };
        self.frame.tables.callees.insert(expr.id, callee);
        let known = match operands.first().and_then(|operand| operand.known.as_ref()) {
            Some(Known::Text(text)) if name == "exist" => {
                Some(Known::Scalar(Scalar::I32(self.exists(text).into())))
            }
            _ => typing.known,
        };
        match known {
            Some(Known::Scalar(value)) => {
                self.frame.tables.constants.insert(expr.id, Constant::Scalar(value));
            }
            Some(Known::Integers(parts)) => {
                self.frame.known_components.insert(expr.id, parts);
            }
            Some(Known::Text(_)) | None => {}
        }
        self.fold_builtin(expr, builtin, &pieces, &typing.args, &results);
        results
    }

    /// Whether a name has a meaning here: a variable that has a value, a function, a type.
    fn exists(&mut self, name: &str) -> bool {
        let module = self.frame.lexical.module;
        match self.frame.env.get(name) {
            Some(variable) => variable.definite,
            None if self.frame.locals.contains(name) => false,
            None => {
                self.frame.lexical.functions.iter().any(|(key, _)| key == name)
                    || self.frame.lexical.bindings.iter().any(|(key, _)| key == name)
                    || self.global(module, name).is_some()
                    || !self.module_functions(module, name).is_empty()
                    || predefined_number(name, self.working()).is_some()
                    || resolve::is_predefined(name)
                    || self.type_name(module, name).is_some()
                    || builtins::exists(name)
            }
        }
    }

    fn fold_builtin(
        &mut self,
        expr: &Expr,
        builtin: &builtins::Builtin,
        pieces: &[Piece],
        converted: &[Type],
        results: &[Type],
    ) {
        if pieces.iter().any(|piece| piece.part != Part::Whole) {
            return;
        }
        let id = expr.id;
        let operands: Vec<(NodeId, Type)> = pieces.iter().map(|piece| (piece.id, piece.ty.clone())).collect();
        let Some(result) = results.first() else { return };
        match builtin.kind {
            Kind::Convert if self.fold_conversion(expr, &operands, result) => {}
            Kind::Elementwise(row) => self.fold(id, row, &operands, converted, result),
            Kind::Convert => {
                let row = if builtin.name == "cscalar" { "complex" } else { builtin.name };
                let row = if builtin.name == "scalar" { "float" } else { row };
                let element = operands.first().and_then(|(_, ty)| ty.element_type());
                let from = match (row, element) {
                    // The row `float` is defined on floats only.
                    ("float", Some(element)) if element.is_integer() => vec![result.clone()],
                    _ => operands.iter().map(|(_, ty)| ty.clone()).collect(),
                };
                self.fold(id, row, &operands, &from, result);
                let fits = match (self.frame.tables.constants.get(&id), result.element_type()) {
                    (Some(Constant::Scalar(value)), Some(element)) => value.element_type() == element,
                    (Some(Constant::Array(_, values)), Some(element)) => {
                        values.iter().all(|value| value.element_type() == element)
                    }
                    _ => true,
                };
                if !fits {
                    self.frame.tables.constants.remove(&id);
                }
            }
            _ => {}
        }
    }

    /// Functions whose arguments are not ordinary values.
    pub(super) fn own_form(
        &mut self,
        expr: &'a Expr,
        name: &str,
        args: &'a [CallArg],
        wanted: usize,
    ) -> Option<Vec<Type>> {
        Some(match name {
            "parallel_do" | "serial_do" | "multi_parallel_do" => self.launch(expr, name, args, wanted),
            "schedule" => self.schedule(expr, args),
            "type" => vec![self.type_of(expr, args)],
            "cast" => vec![self.cast(expr, args)],
            "maxvalue" | "minvalue" => vec![self.limit(expr, name, args)],
            "assert" => {
                self.assertion(expr, args);
                Vec::new()
            }
            "unassert" if args.len() == 1 => {
                for condition in positional_list(args) {
                    let before = std::mem::replace(&mut self.frame.in_meta_operand, true);
                    self.expr(condition);
                    self.frame.in_meta_operand = before;
                    self.unassert(condition);
                }
                if let Some(Ok(entry)) = builtins::find("unassert", 1) {
                    let args = positional_list(args).iter().map(|part| self.as_is(part)).collect();
                    let callee = Callee::Builtin { builtin: &entry.builtin, args };
                    self.frame.tables.callees.insert(expr.id, callee);
                }
                Vec::new()
            }
            "error" => {
                let list = positional_list(args);
                for part in &list {
                    self.error_part(part);
                }
                if let Some(Ok(entry)) = builtins::find("error", list.len()) {
                    let args = list.iter().map(|part| self.as_is(part)).collect();
                    self.frame
                        .tables
                        .callees
                        .insert(expr.id, Callee::Builtin { builtin: &entry.builtin, args });
                }
                self.frame.dead = true;
                Vec::new()
            }
            "memfence" => {
                if self.frame.kind != FunctionKind::Kernel {
                    return Some(vec![self.error(
                        "Q0405",
                        expr.span,
                        "'memfence' belongs into kernel functions",
                    )]);
                }
                // The argument is a keyword, not a value.
                if let Some(Ok(entry)) = builtins::find("memfence", args.len().min(1)) {
                    let callee = Callee::Builtin { builtin: &entry.builtin, args: Vec::new() };
                    self.frame.tables.callees.insert(expr.id, callee);
                }
                Vec::new()
            }
            "eval" => vec![self.eval_string(expr, args)],
            _ => return None,
        })
    }

    pub(super) fn as_is(&self, part: &Expr) -> Argument {
        let ty = self.frame.tables.types.get(&part.id).cloned().unwrap_or(Type::Error);
        Argument::Expr(part.id, ty)
    }

    fn assertion(&mut self, expr: &'a Expr, args: &'a [CallArg]) {
        let list = positional_list(args);
        let Some((condition, message)) = list.split_first() else {
            self.error("Q0313", expr.span, "'assert' needs a condition");
            return;
        };
        let before = std::mem::replace(&mut self.frame.in_meta_operand, true);
        let asserts = std::mem::replace(&mut self.frame.asserts, true);
        let decided = self.condition(condition);
        self.frame.in_meta_operand = before;
        self.frame.asserts = asserts;
        for part in message {
            self.error_part(part);
        }
        match decided {
            Some(false) if !self.frame.dead => self.contradicted(condition),
            Some(_) => {}
            None => {
                self.learn(condition, true);
                self.refine(condition);
            }
        }
        self.narrow(condition);
        if self.is_symbolic(condition) || self.assumed_assertions.contains(&expr.id) {
            // Nothing needs to be tested at run time.
            self.frame.tables.decided.insert(condition.id, true);
        }
        if let Some(Ok(entry)) = builtins::find("assert", list.len()) {
            let args = list.iter().map(|part| self.as_is(part)).collect();
            self.frame.tables.callees.insert(expr.id, Callee::Builtin { builtin: &entry.builtin, args });
        }
    }

    /// `maxvalue(T)` and `minvalue(T)`.
    fn limit(&mut self, expr: &'a Expr, name: &str, args: &'a [CallArg]) -> Type {
        let list = positional_list(args);
        let [wanted] = list.as_slice() else {
            return self.error("Q0313", expr.span, format!("'{name}' takes a type"));
        };
        let ty = self.tested_type(wanted);
        let Some(Type::Scalar(element, _)) = ty else {
            return self.error("Q0304", wanted.span, format!("'{name}' takes a numeric type"));
        };
        self.frame.tables.type_values.insert(wanted.id, Type::scalar(element));
        let low = name == "minvalue";
        let bound = match element {
            ElementType::Half => half::f16::MAX.to_f64(),
            ElementType::Single => f64::from(f32::MAX),
            ElementType::Double => f64::MAX,
            _ if element.is_complex() => {
                return self.error("Q0304", wanted.span, "complex numbers have no order");
            }
            ElementType::UInt64 if !low => {
                return self.constant(expr.id, Scalar::U64(u64::MAX));
            }
            ElementType::Int64 => {
                return self.constant(expr.id, Scalar::I64(if low { i64::MIN } else { i64::MAX }));
            }
            _ if element.is_signed() => 2f64.powi(element.bits() as i32 - 1) - if low { 0.0 } else { 1.0 },
            _ => {
                if low {
                    0.0
                } else {
                    2f64.powi(element.bits() as i32) - 1.0
                }
            }
        };
        let value = Scalar::F64(if low { -bound } else { bound });
        match super::constants::convert(value, element) {
            Some(value) => self.constant(expr.id, value),
            None => Type::scalar(element),
        }
    }
}

/// The expressions of all arguments, whatever their form.
pub(super) fn positional_list(args: &[CallArg]) -> Vec<&Expr> {
    args.iter()
        .map(|arg| match arg {
            CallArg::Positional(expr) | CallArg::Named(_, expr) | CallArg::Spread(expr) => expr,
        })
        .collect()
}
