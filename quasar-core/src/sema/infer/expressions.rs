//! Types of expressions: dispatch over the node kinds, names, operators, conditions and short-circuit evaluation.

use super::Analyzer;
use super::meta::answer_and_word;
use crate::builtins::{self, CallTypes, Known, Operand, TypingError};
use crate::message::{Message, foreign_field};
use crate::sema::flow_state::mode;
use crate::sema::messages;
use crate::sema::model::*;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::{self, Bound, Resolved};
use crate::types::{ClosureType, ElementType, EnumId, Type};
use quasar_devicelib::element::Scalar;

/// The module that defines operators on arrays of sized integers.
const INTEGER_TYPES: &str = "inttypes.q";

/// The maximal nesting depth of expressions.
const DEPTH: usize = 250;

/// Spelling and scalar row of an operator.
pub(super) fn infix_row(op: InfixOp) -> (&'static str, &'static str) {
    match op {
        InfixOp::Add => ("+", "add"),
        InfixOp::Subtract => ("-", "subtract"),
        InfixOp::Multiply => ("*", "multiply"),
        InfixOp::Divide => ("/", "divide"),
        InfixOp::Power => ("^", "power"),
        InfixOp::DotMultiply => (".*", "multiply"),
        InfixOp::DotDivide => ("./", "divide"),
        InfixOp::DotPower => (".^", "power"),
        InfixOp::Equal => ("==", "equal"),
        InfixOp::NotEqual => ("!=", "not_equal"),
        InfixOp::Less => ("<", "less"),
        InfixOp::LessEqual => ("<=", "less_equal"),
        InfixOp::Greater => (">", "greater"),
        InfixOp::GreaterEqual => (">=", "greater_equal"),
        InfixOp::And => ("&&", "logical_and"),
        InfixOp::Or => ("||", "logical_or"),
    }
}

/// Strips parentheses.
pub(super) fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => bare(inner),
        _ => expr,
    }
}

impl<'a> Analyzer<'a> {
    /// The type of an expression that must have exactly one value.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Type {
        let types = self.results(expr, 1);
        let ty = match types.into_iter().next() {
            Some(Type::Unit) | None => self.error("Q0317", expr.span, "this expression has no value"),
            Some(ty) => ty,
        };
        self.frame.tables.types.insert(expr.id, ty.clone());
        ty
    }

    /// The types of all values of an expression; calls may have none or several.
    pub(super) fn results(&mut self, expr: &'a Expr, wanted: usize) -> Vec<Type> {
        if self.depth > DEPTH {
            return vec![match self.applied.is_empty() {
                true => self.not_supported(expr.span, "expressions nested this deeply"),
                false => self.endless(expr, None),
            }];
        }
        if !self.frame.tables.replacements.is_empty() {
            self.frame.tables.replacements.remove(&expr.id);
        }
        if !self.rules.is_empty() {
            return self.rewritten(expr, wanted);
        }
        self.typed(expr, wanted)
    }

    /// The types of all values of an expression, before rewrite rules.
    pub(super) fn typed(&mut self, expr: &'a Expr, wanted: usize) -> Vec<Type> {
        self.depth += 1;
        self.frame.tables.constants.remove(&expr.id);
        self.frame.known_components.remove(&expr.id);
        let types = match &expr.kind {
            ExprKind::Call { callee, args } => self.call(expr, callee, args, wanted),
            ExprKind::Paren(inner) => {
                let types = self.results(inner, wanted);
                self.copy_facts(inner.id, expr.id);
                types
            }
            ExprKind::Sequence(list) => self.sequence(expr, list, wanted),
            ExprKind::Chain(pieces) => self.chain(expr, pieces, wanted),
            _ => vec![self.single(expr)],
        };
        let recorded = match types.as_slice() {
            [] => Type::Unit,
            [one] => one.clone(),
            [first, ..] if wanted == 1 => first.clone(),
            several => Type::Tuple(several.to_vec()),
        };
        self.frame.tables.types.insert(expr.id, recorded);
        self.depth -= 1;
        types
    }

    fn sequence(&mut self, expr: &'a Expr, list: &'a [Expr], wanted: usize) -> Vec<Type> {
        let Some((last, first)) = list.split_last() else { return Vec::new() };
        for part in first {
            self.results(part, 0);
        }
        let types = self.results(last, wanted);
        self.copy_facts(last.id, expr.id);
        types
    }

    fn chain(&mut self, expr: &'a Expr, pieces: &'a [Expr], wanted: usize) -> Vec<Type> {
        let Some((last, first)) = pieces.split_last() else { return Vec::new() };
        let outer = self.frame.chain_operand.take();
        for piece in first {
            self.expr(piece);
            self.frame.chain_operand = Some(piece.id);
        }
        let types = self.results(last, wanted);
        self.frame.chain_operand = outer;
        self.copy_facts(last.id, expr.id);
        types
    }

    /// The type of the preceding piece of an operator chain.
    fn carried(&mut self, expr: &'a Expr) -> Type {
        let known =
            self.frame.chain_operand.and_then(|id| Some((id, self.frame.tables.types.get(&id)?.clone())));
        let Some((piece, ty)) = known else {
            return self.not_supported(
                expr.span,
                "a rule or function that takes apart so long a chain of operators",
            );
        };
        self.copy_facts(piece, expr.id);
        ty
    }

    /// Copies the known value of one expression to another.
    pub(super) fn copy_facts(&mut self, from: NodeId, to: NodeId) {
        if let Some(value) = self.frame.tables.constants.get(&from).cloned() {
            self.frame.tables.constants.insert(to, value);
        }
        if let Some(parts) = self.frame.known_components.get(&from).cloned() {
            self.frame.known_components.insert(to, parts);
        }
    }

    fn single(&mut self, expr: &'a Expr) -> Type {
        match &expr.kind {
            ExprKind::Number(number) => self.number(expr, *number),
            ExprKind::Text(text) => self.text(expr, text.clone()),
            ExprKind::Name(name) => self.name(expr, name),
            ExprKind::Meta { name, .. } => self.not_supported(expr.span, format!("'{name}' in this place")),
            ExprKind::Infix { op: op @ (InfixOp::And | InfixOp::Or), lhs, rhs } => {
                self.logical(expr, *op, lhs, rhs)
            }
            ExprKind::Infix { op, lhs, rhs } => {
                if let (InfixOp::Equal | InfixOp::NotEqual, Some((call, word))) =
                    (*op, answer_and_word(lhs, rhs))
                {
                    return self.compared_answer(expr, *op == InfixOp::Equal, call, word);
                }
                if let Some(holds) = self.same_constant_texts(*op, lhs, rhs).filter(|_| self.on_device()) {
                    return self.constant(expr.id, Scalar::I32(holds.into()));
                }
                let (spelling, row) = infix_row(*op);
                let left = self.expr(lhs);
                let right = self.expr(rhs);
                if let Some(holds) = self.same_texts(*op, lhs, rhs) {
                    return self.constant(expr.id, Scalar::I32(holds.into()));
                }
                self.operator(expr, spelling, row, &[(lhs.id, left), (rhs.id, right)])
            }
            ExprKind::Prefix { op, operand } => self.prefix(expr, *op, operand),
            ExprKind::Range { from, step, to } => self.range(expr, from, step.as_deref(), to),
            ExprKind::Ternary { condition, then, otherwise } => {
                self.ternary(expr, condition, then, otherwise)
            }
            ExprKind::Index { base, indices } => self.index(expr, base, indices),
            ExprKind::Instantiate { base, .. } => match self.function_instance(expr, base) {
                Some(instance) => instance,
                None => self.not_supported(expr.span, "a type instantiation that is not called"),
            },
            ExprKind::Member { base, member } => self.member(expr, base, member),
            ExprKind::Array(elements) => self.array_literal(expr, elements),
            ExprKind::Cell(elements) => self.cell_literal(expr, elements),
            ExprKind::Object(fields) => self.dynamic_object(expr, fields),
            ExprKind::TypeCheck { value, ty } => self.type_check(expr, value, ty),
            ExprKind::Assign { target, op, value } => self.assign(expr, target, *op, value),
            ExprKind::Declare { name, annotation } => self.declare(expr, name, annotation),
            ExprKind::Exchange { place, value, expected } => {
                self.exchange(expr, place, value, expected.as_deref())
            }
            ExprKind::Lambda(lambda) => self.lambda(expr, lambda, None),
            ExprKind::Type(ty) => {
                if let Some(ty) = self.resolve(ty).0.single().cloned() {
                    self.frame.tables.type_values.insert(expr.id, ty);
                }
                Type::TypeValue
            }
            ExprKind::Invalid => Type::Error,
            ExprKind::Carried => self.carried(expr),
            ExprKind::Call { .. } | ExprKind::Paren(_) | ExprKind::Sequence(_) | ExprKind::Chain(_) => {
                Type::Error
            }
        }
    }

    pub(super) fn host_only(&mut self, span: Span, what: &str) -> Type {
        let kind = if self.frame.kind == FunctionKind::Kernel { "kernel" } else { "device" };
        let text = format!("{what} cannot be used in {kind} function '{}'", self.frame.name);
        self.error("Q0404", span, text)
    }

    fn number(&mut self, expr: &'a Expr, number: Number) -> Type {
        let value = match number {
            Number::Int(n) => match (i32::try_from(n), i64::try_from(n)) {
                (Ok(n), _) => Scalar::I32(n),
                (_, Ok(n)) => Scalar::I64(n),
                _ => float(n as f64, self.working()),
            },
            Number::Float(x) => float(x, self.working()),
            Number::Imaginary(x) => match self.working() {
                ElementType::Double => Scalar::C64(num(0.0, x)),
                _ => Scalar::C32(num(0.0, x as f32)),
            },
        };
        self.constant(expr.id, value)
    }

    /// Records a number as the value of an expression.
    pub(super) fn constant(&mut self, id: NodeId, value: Scalar) -> Type {
        self.frame.tables.constants.insert(id, Constant::Scalar(value));
        Type::scalar(value.element_type())
    }

    fn name(&mut self, expr: &'a Expr, name: &'a str) -> Type {
        // A name in code that a rule of another module made is resolved in that module.
        let module = self.home(expr.id);
        let here = !self.is_foreign(expr.id);
        if let Some(variable) = self.frame.env.get(name).filter(|_| here) {
            let variable = variable.clone();
            if variable.symbolic && !self.frame.in_meta_operand {
                let text = format!("'{name}' is symbolic: it stands for an unknown number and has no value");
                return self.error("Q0605", expr.span, text);
            }
            let meaning = match (&variable.global, variable.self_function) {
                (_, Some(id)) => NameUse::Function(id),
                (Some(unique), _) => NameUse::Global(unique.clone()),
                (None, _) if variable.special => NameUse::Special(name.to_owned()),
                (None, _) => NameUse::Local(name.to_owned()),
            };
            self.frame.tables.names.insert(expr.id, meaning);
            // An array with its own boundary mode is not equivalent to its elements.
            let plain = variable.access.boundary.is_none() || !matches!(variable.ty, Type::Array(_));
            if let Some(value) = variable.value.filter(|_| plain) {
                self.frame.tables.constants.insert(expr.id, value);
            }
            if let Some(parts) = variable.known_components {
                self.frame.known_components.insert(expr.id, parts);
            }
            return variable.ty;
        }
        if let Some((_, id)) = self.frame.lexical.functions.iter().rev().find(|(key, _)| here && key == name)
        {
            return self.function_value(expr, *id);
        }
        match self.frame.lexical.bindings.iter().rev().find(|(key, _)| key == name).cloned() {
            Some((_, Some(Bound::Integer(n)))) => {
                self.frame.tables.names.insert(expr.id, NameUse::Constant);
                return self.constant(expr.id, Scalar::I32(n.clamp(i32::MIN.into(), i32::MAX.into()) as i32));
            }
            Some((_, Some(Bound::Type(ty)))) => {
                self.frame.tables.type_values.insert(expr.id, ty);
                return Type::TypeValue;
            }
            _ => {}
        }
        if here && self.frame.locals.contains(name) && !self.frame.top_level {
            return self.not_yet_assigned(expr, name);
        }
        if let Some(ty) = self.global_name(expr, name) {
            return ty;
        }
        let functions = self.module_functions(module, name);
        if let Some(id) = functions.first() {
            return self.function_value(expr, *id);
        }
        if let Some(ty) = self.predefined(expr, name) {
            return ty;
        }
        if here && self.frame.locals.contains(name) {
            return self.not_yet_assigned(expr, name);
        }
        if resolve::is_predefined(name) || self.type_name(module, name).is_some() {
            if let Some(ty) = self.type_from_name(name) {
                self.frame.tables.type_values.insert(expr.id, ty);
            }
            return Type::TypeValue;
        }
        if builtins::exists(name) || super::builtin_calls::is_construction(name) {
            return self.builtin_value(expr, name);
        }
        if builtins::is_planned(name) {
            return self.not_supported(expr.span, format!("the library function '{name}'"));
        }
        self.say(match self.frame.later.contains(name) {
            true => messages::captured_before_assignment(expr.span, name),
            false => messages::unknown_name(expr.span, name, self.near(name)),
        });
        Type::Error
    }

    /// A builtin function as a value: a lambda that calls it, with as many arguments as it gets where the function takes several
    /// numbers of them.
    fn builtin_value(&mut self, expr: &'a Expr, name: &str) -> Type {
        const NAMES: [&str; 4] = ["x", "y", "z", "w"];
        let params = match builtins::only_arity(name).and_then(|count| NAMES.get(..count)) {
            Some(params) => params.join(", "),
            None => "...x".to_string(),
        };
        let lambda = self.parsed(&format!("({params}) -> {name}({params})"), expr.span);
        self.type_replacement(expr, lambda)
    }

    fn not_yet_assigned(&mut self, expr: &'a Expr, name: &str) -> Type {
        if !self.frame.loops.is_empty() {
            self.frame.reads_later_assignment = true;
        }
        let message = messages::read_before_assignment(expr.span, name);
        let shadows = !self.frame.top_level && self.global(self.frame.lexical.module, name).is_some();
        self.say(if shadows { message.help(messages::assigned_is_local(name)) } else { message });
        Type::Error
    }

    /// A type parameter or predefined type by its plain name.
    pub(super) fn type_from_name(&mut self, name: &str) -> Option<Type> {
        if let Some((_, Some(Bound::Type(ty)))) =
            self.frame.lexical.bindings.iter().rev().find(|(key, _)| key == name)
        {
            return Some(ty.clone());
        }
        if let Some((element, _, sizes)) = resolve::family(name, self.working()) {
            return Some(Type::numbers(element, &sizes));
        }
        if let Some(Resolved::Is(ty)) = resolve::simple(name, self.working()) {
            return Some(ty);
        }
        Some(match self.type_name(self.frame.lexical.module, name)? {
            crate::sema::scope::TypeName::Alias([], body) => self.resolve(body).0.single().cloned()?,
            crate::sema::scope::TypeName::Enum(id) => Type::Enum(EnumId(id)),
            crate::sema::scope::TypeName::Class(definition) if definition.params.is_empty() => {
                let module = self.frame.lexical.module;
                Type::Class(self.class_of_name(module, name, definition.name.span, Vec::new())?)
            }
            _ => return None,
        })
    }

    fn global_name(&mut self, expr: &'a Expr, name: &str) -> Option<Type> {
        let (_, global) = self.global(self.home(expr.id), name)?;
        if let Some(value) = global.value.clone() {
            let ty = self.constant_type(&value);
            self.frame.tables.names.insert(expr.id, NameUse::Constant);
            self.record_parts(expr.id, &value);
            self.frame.tables.constants.insert(expr.id, value);
            return Some(ty);
        }
        let unique = global.unique.clone();
        let Some(ty) = self.global_types.get(&unique).cloned() else {
            self.say(messages::read_before_assignment(expr.span, name));
            return Some(Type::Error);
        };
        self.frame.tables.names.insert(expr.id, NameUse::Global(unique));
        Some(ty)
    }

    fn predefined(&mut self, expr: &'a Expr, name: &str) -> Option<Type> {
        if name == "nullptr" {
            return Some(Type::Null);
        }
        let value = predefined_number(name, self.working())?;
        self.frame.tables.names.insert(expr.id, NameUse::Constant);
        Some(self.constant(expr.id, value))
    }

    /// A function without captures as a value.
    pub(super) fn function_value(&mut self, expr: &'a Expr, id: NodeId) -> Type {
        self.frame.tables.names.insert(expr.id, NameUse::Function(id));
        Type::Closure(Box::new(ClosureType { definition: id, captures: Vec::new() }))
    }

    fn member(&mut self, expr: &'a Expr, base: &'a Expr, member: &'a Name) -> Type {
        if let ExprKind::Name(name) = &base.kind
            && !self.frame.env.contains_key(name)
            && let Some(crate::sema::scope::TypeName::Enum(id)) =
                self.type_name(self.frame.lexical.module, name)
        {
            return self.enum_member(expr, id, &member.text, member.span);
        }
        let ty = self.expr(base);
        match ty {
            Type::Error => Type::Error,
            // A handler's exception is represented by its text.
            Type::Text if member.text == "message" => {
                self.frame.tables.callees.insert(expr.id, Callee::Identity);
                Type::Text
            }
            Type::Group(group) => self.group_property(group, member),
            Type::Class(class) | Type::Pointer(class) => self.object_field(&class, member),
            Type::Dynamic if self.on_device() => {
                self.host_only(member.span, "fields that are known at run time")
            }
            Type::Dynamic => Type::Dynamic,
            Type::Scalar(..) | Type::Text | Type::Array(_) | Type::Enum(_) | Type::Null | Type::Tuple(_) => {
                let text = format!("a value of type '{}' has no field '{}'", self.show(&ty), member.text);
                let message = Message::error("Q0312", member.span, text);
                self.say(match foreign_field(&member.text) {
                    Some(here) => message.help(here),
                    None => message,
                });
                Type::Error
            }
            _ => self
                .not_supported(member.span, format!("the field '{}' of '{}'", member.text, self.show(&ty))),
        }
    }

    pub(super) fn enum_member(&mut self, expr: &'a Expr, id: u32, member: &str, span: Span) -> Type {
        let Some(info) = self.enums.get(id as usize) else { return Type::Error };
        match info.value(member) {
            Some(value) => {
                self.frame.tables.names.insert(expr.id, NameUse::Constant);
                self.constant(expr.id, Scalar::I32(value));
                Type::Enum(EnumId(id))
            }
            None => {
                let near = self.near_of(member, info.members.iter().map(|(name, _)| name.as_str()));
                let text = format!("enum '{}' has no member '{member}'", info.name);
                let message = Message::error("Q0201", span, text);
                self.say(match near {
                    Some(near) => message.help(format!("did you mean '{near}'?")),
                    None => message,
                });
                Type::Error
            }
        }
    }

    /// An argument as typing rules see it.
    pub(super) fn operand(&self, id: NodeId, ty: Type) -> Operand {
        let known = match self.frame.tables.constants.get(&id) {
            Some(Constant::Scalar(value)) => Some(Known::Scalar(*value)),
            Some(Constant::Text(text)) => Some(Known::Text(text.clone())),
            Some(Constant::Array(..)) | None => {
                self.frame.known_components.get(&id).cloned().map(Known::Integers)
            }
        };
        Operand { ty, known }
    }

    /// Reports why a typing rule refused a call.
    pub(super) fn mistake(&mut self, mistake: TypingError, span: Span, args: &[Span]) -> Type {
        match mistake {
            TypingError::Argument(position, text) => {
                self.error("Q0312", args.get(position).copied().unwrap_or(span), text)
            }
            TypingError::Call(text) => self.error("Q0311", span, text),
            TypingError::NotSupported(what) => self.not_supported(span, what),
        }
    }

    /// Types an operator on typed operands.
    pub(super) fn operator(
        &mut self,
        expr: &'a Expr,
        spelling: &str,
        row: &'static str,
        operands: &[(NodeId, Type)],
    ) -> Type {
        if operands.iter().any(|(_, ty)| *ty == Type::Error) {
            return Type::Error;
        }
        if let [(_, left), (_, right)] = operands
            && matches!(row, "equal" | "not_equal")
            && !self.comparable(expr.span, left, right)
        {
            return Type::Error;
        }
        if let [(_, Type::Closure(a)), (_, Type::Closure(b))] = operands
            && matches!(row, "equal" | "not_equal")
            && self.same_library_function(a, b)
        {
            self.constant(expr.id, Scalar::I32((row == "equal").into()));
            return Type::INT;
        }
        self.sized_integers(expr.span, operands);
        let args: Vec<Operand> = operands.iter().map(|(id, ty)| self.operand(*id, ty.clone())).collect();
        let call = CallTypes { args: &args, results: 1, working: self.working() };
        // An integer to a constant non-negative power stays an integer.
        if row == "power"
            && let [base, exponent] = args.as_slice()
            && base.ty.element_type().is_some_and(ElementType::is_integer)
            && exponent.ty.is_integer()
            && matches!(&exponent.known, Some(Known::Scalar(n)) if n.as_i64() >= 0)
            && (base.ty.is_number() || spelling == ".^")
        {
            let element = base.ty.element_type().unwrap_or(ElementType::Int32);
            let ty = base.ty.with_element(quasar_devicelib::element::promote(element, element));
            self.fold_power(expr.id, operands);
            return ty;
        }
        match builtins::operator(spelling, row, &call) {
            Ok((typing, builtin)) => {
                let ty = typing.results.first().cloned().unwrap_or(Type::Unit);
                match builtin {
                    Some(builtin) => {
                        let refers = |(_, ty): &(NodeId, Type)| ty.class().is_some() || *ty == Type::Null;
                        let host_only = builtin.availability == builtins::Availability::Host
                            && !(matches!(row, "equal" | "not_equal") && operands.iter().all(refers));
                        if self.on_device() && host_only {
                            return self.host_operator(expr.span, spelling, operands);
                        }
                        let args = operands
                            .iter()
                            .zip(typing.args)
                            .map(|((id, _), ty)| Argument::Expr(*id, ty))
                            .collect();
                        self.frame.tables.callees.insert(expr.id, Callee::Builtin { builtin, args });
                        if let Some(text) = self.joined(operands).filter(|_| ty == Type::Text) {
                            self.frame.tables.constants.insert(expr.id, Constant::Text(text));
                        }
                    }
                    None => {
                        self.frame.tables.callees.remove(&expr.id);
                        self.fold(expr.id, row, operands, &typing.args, &ty);
                    }
                }
                if let Some(Known::Scalar(value)) = typing.known {
                    self.frame.tables.constants.insert(expr.id, Constant::Scalar(value));
                }
                ty
            }
            Err(mistake) => self.mistake(mistake, expr.span, &[expr.span, expr.span]),
        }
    }

    /// Operators on arrays of sized integers require the import of a module (language reference §2.1).
    fn sized_integers(&mut self, span: Span, operands: &[(NodeId, Type)]) {
        let sized = |ty: &Type| {
            let element = ty.as_array().and_then(|array| array.element.element_type());
            element.is_some_and(|element| element.is_integer() && element != ElementType::Int32)
        };
        let Some((_, ty)) = operands.iter().find(|(_, ty)| sized(ty)) else { return };
        if self.unit.modules.iter().any(|module| module.name == INTEGER_TYPES) {
            return;
        }
        let text = format!("arithmetic on '{}' needs the module '{INTEGER_TYPES}'", self.show(ty));
        self.say(messages::needs_module(span, text, INTEGER_TYPES));
    }

    fn host_operator(&mut self, span: Span, spelling: &str, operands: &[(NodeId, Type)]) -> Type {
        let found: Vec<String> = operands.iter().map(|(_, ty)| format!("'{}'", self.show(ty))).collect();
        let text = format!(
            "'{spelling}' on {} is known at run time only, which kernel and device functions cannot do",
            found.join(" and ")
        );
        self.error("Q0402", span, text)
    }

    fn prefix(&mut self, expr: &'a Expr, op: PrefixOp, operand: &'a Expr) -> Type {
        let ty = self.expr(operand);
        match op {
            PrefixOp::Negate => self.operator(expr, "-", "negate", &[(operand.id, ty)]),
            PrefixOp::Plus => {
                self.copy_facts(operand.id, expr.id);
                if ty != Type::Error && ty.element_type().is_none() && ty != Type::Dynamic {
                    return self.error(
                        "Q0311",
                        expr.span,
                        format!("'+' needs a number, found '{}'", self.show(&ty)),
                    );
                }
                ty
            }
            PrefixOp::Not => {
                let result = self.operator(expr, "!", "logical_not", &[(operand.id, ty)]);
                if let Some(value) = self.truth(operand) {
                    self.frame
                        .tables
                        .constants
                        .insert(expr.id, Constant::Scalar(Scalar::I32((!value).into())));
                }
                result
            }
        }
    }

    /// Types a condition and returns its value if it is decided.
    pub(super) fn condition(&mut self, condition: &'a Expr) -> Option<bool> {
        let ty = self.expr(condition);
        let usable = matches!(ty, Type::Error | Type::Dynamic | Type::Null) || ty.element_type().is_some();
        if !usable {
            let text =
                format!("a condition must be a number or an array of numbers, found '{}'", self.show(&ty));
            self.error("Q0315", condition.span, text);
        }
        let decided = self.truth(condition);
        match decided {
            Some(value) => self.frame.tables.decided.insert(condition.id, value),
            None => self.frame.tables.decided.remove(&condition.id),
        };
        decided
    }

    fn logical(&mut self, expr: &'a Expr, op: InfixOp, lhs: &'a Expr, rhs: &'a Expr) -> Type {
        let left = self.expr(lhs);
        let decided = if left.is_number() { self.truth(lhs) } else { None };
        let ends = op == InfixOp::Or;
        match decided {
            Some(value) => {
                self.frame.tables.decided.insert(lhs.id, value);
                if value == ends {
                    return self.constant(expr.id, Scalar::I32(value.into()));
                }
            }
            None => {
                self.frame.tables.decided.remove(&lhs.id);
            }
        }
        let before = self.frame.env.clone();
        let dead_before = self.frame.dead;
        let mark = self.frame.facts.mark();
        if left.is_number() {
            // The right operand is evaluated only if the left one does not decide the result.
            self.learn(lhs, !ends);
        }
        let right = self.expr(rhs);
        let mut right_decided = if right.is_number() { self.truth(rhs) } else { None };
        self.frame.facts.release(mark);
        if left.is_number() && self.frame.dead && !dead_before && decided.is_none() {
            // The right operand always fails, so control continues only where it was skipped.
            (self.frame.env, self.frame.dead) = (before, false);
        } else if left.is_number() {
            self.frame.env = crate::sema::flow_state::join(&[std::mem::take(&mut self.frame.env), before]);
        }
        let by_facts = !self.frame.tables.constants.contains_key(&rhs.id);
        if by_facts && decided.is_none() && self.proposition(lhs).is_none() {
            // The left operand may have side effects, which must stay.
            right_decided = None;
        }
        match right_decided {
            Some(value) => self.frame.tables.decided.insert(rhs.id, value),
            None => self.frame.tables.decided.remove(&rhs.id),
        };
        let (spelling, row) = infix_row(op);
        let ty = self.operator(expr, spelling, row, &[(lhs.id, left), (rhs.id, right)]);
        if let (Some(value), true) = (right_decided, decided.is_some() || right_decided == Some(ends)) {
            self.frame.tables.constants.insert(expr.id, Constant::Scalar(Scalar::I32(value.into())));
        }
        ty
    }

    fn type_check(&mut self, expr: &'a Expr, value: &'a Expr, ty: &'a TypeExpr) -> Type {
        let found = self.expr(value);
        self.copy_facts(value.id, expr.id);
        let (wanted, _) = self.resolve(ty);
        if found == Type::Error {
            return Type::Error;
        }
        self.frame.tables.callees.insert(expr.id, Callee::Identity);
        match (&wanted, &found) {
            (Resolved::Is(wanted), Type::Dynamic) => {
                self.frame.tables.callees.insert(expr.id, Callee::Convert);
                wanted.clone()
            }
            _ if wanted.accepts(&found) => found,
            (crate::types::resolve::Resolved::Is(wanted), _) if may_be(&found, wanted) => {
                if self.on_device() {
                    return self.host_only(expr.span, "a type check that is decided at run time");
                }
                self.frame.tables.callees.insert(expr.id, Callee::Convert);
                wanted.clone()
            }
            (wanted, _) => {
                let known = self.frame.tables.constants.get(&value.id).is_some();
                let found = self.show(&found) + if known { "'const" } else { "" };
                let text = match wanted {
                    Resolved::Is(wanted) => {
                        format!("'{found}' is not '{}'", self.show(wanted))
                    }
                    _ => format!("'{found}' is none of the types"),
                };
                self.error("Q0322", expr.span, format!("Type check failed: {text}"))
            }
        }
    }

    /// The mode of a variable as recorded in the tables.
    pub(super) fn mode(&self, access: resolve::Access) -> Mode {
        mode(access, self.frame.kind)
    }
}

/// Whether membership in a type is decided at run time: unknown sizes, or a subclass.
fn may_be(found: &Type, wanted: &Type) -> bool {
    use crate::types::convert::{Conversion, conversion, is_subtype};
    let elements = || found.element_type() == wanted.element_type();
    match (found, wanted) {
        (Type::Array(_), Type::Array(_)) => {
            elements() && conversion(found, wanted) == Some(Conversion::Checked)
        }
        (Type::Class(_) | Type::Pointer(_), Type::Class(_) | Type::Pointer(_)) => {
            conversion(found, wanted) == Some(Conversion::Checked) || is_subtype(wanted, found)
        }
        _ => false,
    }
}

/// The numbers that have names.
pub(super) fn predefined_number(name: &str, working: ElementType) -> Option<Scalar> {
    Some(match name {
        "pi" => float(std::f64::consts::PI, working),
        "eps" if working == ElementType::Double => float(f64::EPSILON, working),
        "eps" => float(f64::from(f32::EPSILON), working),
        "inf" => float(f64::INFINITY, working),
        "nan" => float(f64::NAN, working),
        "true" => Scalar::I32(1),
        "false" => Scalar::I32(0),
        _ => return None,
    })
}

/// A float of the working precision.
pub(super) fn float(value: f64, working: ElementType) -> Scalar {
    match working {
        ElementType::Double => Scalar::F64(value),
        _ => Scalar::F32(value as f32),
    }
}

fn num<T>(re: T, im: T) -> num_complex::Complex<T> {
    num_complex::Complex::new(re, im)
}
