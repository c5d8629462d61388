//! Calls of builtin functions and constructors of arrays.

use super::body::Lowering;
use super::literals::int_vector;
use super::statements::scope_of;
use crate::builtins::{Builtin, Intrinsic, Kind, converted_to};
use crate::ir::build::{self, element_of, int_type, with_element};
use crate::ir::texts::EVAL;
use crate::ir::{BlockSize, Expr, ExprKind, Failure, Index, Scope, StmtKind, VarId};
use crate::sema::model::{Argument, Definition};
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{ElementType, Rank, Type};
use quasar_devicelib::ops;

impl<'a> Lowering<'a, '_> {
    pub(super) fn builtin(
        &mut self,
        expr: &'a ast::Expr,
        builtin: &'static Builtin,
        args: &'a [Argument],
        ty: &Type,
    ) -> Expr {
        match builtin.kind {
            Kind::Intrinsic(intrinsic) => self.intrinsic(expr, builtin, intrinsic, args, ty),
            Kind::Elementwise("logical_and" | "logical_or") if *ty == Type::Dynamic => {
                self.short_circuit_of_values(expr, builtin)
            }
            _ => {
                let mut args = self.plain_arguments(args);
                if builtin.kind == Kind::Effect(EVAL) {
                    args.push(self.module_name(expr.span));
                }
                if let Some(copy) = self.copied_references(builtin.name, &args, expr.span) {
                    return copy;
                }
                if let Some(same) = self.identity(builtin.name, &args, expr.span) {
                    return same;
                }
                self.builtin_on(builtin, args, ty, expr.span)
            }
        }
    }

    /// The name of the module that the body stands in.
    fn module_name(&self, span: Span) -> Expr {
        let modules = &self.cx.unit.modules;
        let position = match self.instance.definition {
            Definition::Function(id) | Definition::Lambda(id) => self.cx.index.modules.get(&id).copied(),
            Definition::Module(position) => Some(position),
        };
        let module = position.and_then(|position| modules.get(position)).or(modules.last());
        let name = module.map_or_else(String::new, |module| module.name.clone());
        Expr::new(ExprKind::Text(name), Type::Text, span)
    }

    /// A builtin on operands that are lowered already.
    pub(super) fn builtin_on(
        &mut self,
        builtin: &'static Builtin,
        args: Vec<Expr>,
        ty: &Type,
        span: Span,
    ) -> Expr {
        match builtin.kind {
            Kind::Elementwise(row) => self.row(row, args, ty, span),
            Kind::Library("herm_transpose") if self.on_device() => self.hermitian(args, ty, span),
            Kind::Reduction(row) => self.reduction(builtin, row, args, ty, span),
            Kind::Library(name) if *ty == Type::Unit => self.library_statement(name, args, ty, span),
            Kind::Library("squeeze") => squeezed(args, ty, span),
            Kind::Library(name) => Expr::new(ExprKind::Library { name, args }, ty.clone(), span),
            Kind::Effect(name) => self.library_statement(name, args, ty, span),
            Kind::Convert => match args.into_iter().next() {
                Some(value) if element_of(ty).is_none() => {
                    self.converted_at_run_time(builtin, value, ty, span)
                }
                Some(value) => self.convert_number(value, ty),
                None => self.missing(span, "this conversion", ty.clone()),
            },
            Kind::Query => self.query(builtin.name, args, ty, span),
            Kind::Intrinsic(_) => self.missing(span, &format!("'{}' here", builtin.name), ty.clone()),
        }
    }

    /// The conversion of a value whose type is known at run time only, and of the numbers in cells.
    fn converted_at_run_time(
        &mut self,
        builtin: &'static Builtin,
        value: Expr,
        ty: &Type,
        span: Span,
    ) -> Expr {
        let Some(to) = converted_to(builtin.name, self.cx.options.settings.precision) else {
            return self.missing(span, "this conversion", ty.clone());
        };
        let name = match to {
            ElementType::Single => "scalar'single",
            ElementType::ComplexSingle => "cscalar'single",
            other => other.name(),
        };
        let name = Expr::new(ExprKind::Text(name.to_owned()), Type::Text, span);
        let floats = build::int((builtin.name == "float").into(), span);
        let args = vec![build::convert(value, &Type::Dynamic), name, floats];
        build::convert(Expr::new(ExprKind::Library { name: "converted", args }, Type::Dynamic, span), ty)
    }

    /// The transposed array of conjugated elements.
    fn hermitian(&mut self, mut args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        if element_of(ty).is_some_and(|element| element.is_complex()) {
            args = args
                .into_iter()
                .map(|x| {
                    let ty = x.ty.clone();
                    self.row("conj", vec![x], &ty, span)
                })
                .collect();
        }
        Expr::new(ExprKind::Library { name: "transpose", args }, ty.clone(), span)
    }

    fn library_statement(&mut self, name: &'static str, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        let types = match ty {
            Type::Unit => Vec::new(),
            Type::Tuple(types) => types.clone(),
            other => vec![other.clone()],
        };
        // Files know masks.
        let kept = |arg: Expr| {
            if name == "save" && arg.ty.is_mask() { build::convert(arg, &Type::Dynamic) } else { arg }
        };
        let values = self.library_call(name, args.into_iter().map(kept).collect(), &types, span);
        match (values.len(), ty) {
            (0, _) => Expr::new(ExprKind::Null, Type::Unit, span),
            (_, Type::Tuple(_)) => Expr::new(ExprKind::Tuple(values), ty.clone(), span),
            _ => values.into_iter().next().unwrap_or_else(|| build::int(0, span)),
        }
    }

    fn library_call(&mut self, name: &'static str, args: Vec<Expr>, types: &[Type], span: Span) -> Vec<Expr> {
        let targets: Vec<VarId> = types.iter().map(|ty| self.body.temporary(ty.clone(), span)).collect();
        let values = targets.iter().map(|target| self.body.read(*target, span)).collect();
        let results = targets.into_iter().map(Some).collect();
        self.emit(StmtKind::Library { name, args, results }, span);
        values
    }

    /// A library function with several results.
    pub(super) fn library_results(
        &mut self,
        builtin: &'static Builtin,
        args: &'a [Argument],
        types: &[Type],
        span: Span,
    ) -> Option<Vec<Expr>> {
        match builtin.kind {
            Kind::Library(name) | Kind::Effect(name) => {
                let args = self.plain_arguments(args);
                Some(self.library_call(name, args, types, span))
            }
            Kind::Elementwise(_) | Kind::Reduction(_) | Kind::Convert | Kind::Query | Kind::Intrinsic(_) => {
                None
            }
        }
    }

    fn reduction(
        &mut self,
        builtin: &'static Builtin,
        row: &str,
        args: Vec<Expr>,
        ty: &Type,
        span: Span,
    ) -> Expr {
        let mut args = args.into_iter();
        let (Some(array), axis) = (args.next(), args.next()) else {
            return self.missing(span, "a reduction of nothing", ty.clone());
        };
        let Some(row) = ops::find(row) else {
            return self.missing(span, &format!("the reduction '{}'", builtin.name), ty.clone());
        };
        if matches!(array.ty, Type::Scalar(..)) {
            return self.convert_number(array, ty);
        }
        let known = axis.as_ref().map(|axis| axis.constant_int().and_then(|axis| usize::try_from(axis).ok()));
        let numbers = element_of(&array.ty).is_some() && !matches!(ty, Type::Dynamic);
        let (axis, numbers) = match (known, numbers) {
            (Some(None), _) | (_, false) => (axis, None),
            (None, true) => (None, Some(None)),
            (Some(Some(k)), true) => (axis, Some(Some(k))),
        };
        let Some(fold) = numbers else {
            let args = std::iter::once(array).chain(axis).collect();
            return Expr::new(ExprKind::Library { name: builtin.name, args }, ty.clone(), span);
        };
        let array = match element_of(ty) {
            Some(element) => {
                let wide = with_element(&array.ty, element);
                self.convert_number(array, &wide)
            }
            None => array,
        };
        Expr::new(ExprKind::Reduce { row, arg: Box::new(array), axis: fold }, ty.clone(), span)
    }

    fn query(&mut self, name: &'static str, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        let mut args = args.into_iter();
        let (Some(value), axis) = (args.next(), args.next()) else {
            return self.missing(span, &format!("'{name}' of nothing"), ty.clone());
        };
        let rank = match &value.ty {
            Type::Array(array) => match array.rank {
                Rank::Known(rank) => Some(rank as usize),
                Rank::Any => None,
            },
            _ => None,
        };
        let answer = match (name, rank, axis) {
            ("size", Some(rank), None) => {
                let value = if rank > 1 { self.atom(value) } else { value };
                let extents = (0..rank).map(|axis| self.extent(&value, axis, span)).collect();
                int_vector(extents, span)
            }
            ("size", Some(_), Some(axes)) => return self.sizes(value, axes, ty, span),
            ("numel", Some(_), None) => Expr::new(ExprKind::Count(Box::new(value)), int_type(), span),
            ("ndims", Some(rank), None) => build::int(rank as i32, span),
            ("isempty", Some(_), None) => {
                let count = Expr::new(ExprKind::Count(Box::new(value)), int_type(), span);
                self.row("equal", vec![count, build::int(0, span)], &int_type(), span)
            }
            (_, _, axis) => {
                let args = std::iter::once(value).chain(axis).collect();
                Expr::new(ExprKind::Library { name, args }, ty.clone(), span)
            }
        };
        build::convert(answer, ty)
    }

    /// `size(x, k)`: 1 behind the last dimension.
    pub(super) fn extent(&mut self, value: &Expr, axis: usize, span: Span) -> Expr {
        match &value.ty {
            Type::Array(array) => match array.sizes.get(axis) {
                Some(Some(size)) => build::int(*size as i32, span),
                Some(None) => build::extent(value.clone(), axis, span),
                None => build::int(1, span),
            },
            _ => build::extent(value.clone(), axis, span),
        }
    }

    fn sizes(&mut self, value: Expr, axes: Expr, ty: &Type, span: Span) -> Expr {
        let known = |axis: &Expr| axis.constant_int().and_then(|axis| usize::try_from(axis).ok());
        match &axes.kind {
            _ if known(&axes).is_some() => {
                let axis = known(&axes).unwrap_or(0);
                build::convert(self.extent(&value, axis, span), ty)
            }
            ExprKind::Array(items) if items.iter().all(|axis| known(axis).is_some()) => {
                let value = self.atom(value);
                let extents =
                    items.iter().filter_map(known).map(|axis| self.extent(&value, axis, span)).collect();
                build::convert(int_vector(extents, span), ty)
            }
            _ if self.on_device() && matches!(axes.ty, Type::Scalar(..)) => {
                build::convert(self.extent_along(&value, axes, span), ty)
            }
            _ => Expr::new(ExprKind::Library { name: "size", args: vec![value, axes] }, ty.clone(), span),
        }
    }

    /// `size(x, k)` where only the running kernel knows `k`.
    fn extent_along(&mut self, value: &Expr, axis: Expr, span: Span) -> Expr {
        let (value, axis) = (self.atom(value.clone()), self.atom(build::convert(axis, &int_type())));
        let negative = self.row("less", vec![axis.clone(), build::int(0, span)], &int_type(), span);
        let text = |text: &str| Expr::new(ExprKind::Text(text.to_owned()), Type::Text, span);
        let fail = StmtKind::Fail {
            failure: Failure::Argument,
            message: vec![text("size: there is no dimension "), axis.clone()],
        };
        let fail = vec![crate::ir::Stmt::new(fail, span)];
        self.emit(StmtKind::If { condition: negative, then: fail, otherwise: Vec::new() }, span);
        let rank = value.ty.as_array().and_then(|array| array.known_rank()).unwrap_or(0);
        (0..rank).rev().fold(build::int(1, span), |otherwise, k| {
            let is_it = self.row("equal", vec![axis.clone(), build::int(k as i32, span)], &int_type(), span);
            let then = Box::new(self.extent(&value, k, span));
            let (condition, otherwise) = (Box::new(is_it), Box::new(otherwise));
            Expr::new(ExprKind::Select { condition, then, otherwise }, int_type(), span)
        })
    }

    /// `zeros(..)`, `vec[T](..)`, `uninit[T](..)`, `shared[T](..)`
    pub(super) fn construct(
        &mut self,
        fill: &'static str,
        args: &'a [Argument],
        ty: &Type,
        span: Span,
    ) -> Expr {
        if matches!(fill, "shared" | "shared_zeros") {
            let variable = self.body.temporary(ty.clone(), span);
            self.body.variables[variable].storage = crate::ir::Storage::Shared;
            self.body.variables[variable].boundary = self.default_mode().boundary;
            self.shared_array(variable, args, fill == "shared_zeros", span);
            return self.body.read(variable, span);
        }
        let args = self.plain_arguments(args);
        let mut args = self.extents_of(args, ty);
        if let Type::Array(array) = ty
            && matches!(*array.element, Type::Tuple(_) | Type::Enum(_))
            && let Some(nothing) = build::nothing(&array.element, span)
        {
            args.insert(0, nothing);
            return Expr::new(ExprKind::Library { name: "filled", args }, ty.clone(), span);
        }
        let array = Expr::new(ExprKind::Library { name: fill, args }, ty.clone(), span);
        self.with_objects(array)
    }

    /// The extents of a new array, one `int` per dimension of its type where that is possible.
    fn extents_of(&mut self, args: Vec<Expr>, ty: &Type) -> Vec<Expr> {
        let rank = match ty {
            Type::Array(array) if array.rank != Rank::Any => array.sizes.len(),
            _ => return args,
        };
        let mut extents = match &args[..] {
            [one] if matches!(one.ty, Type::Array(_)) => match self.known_length(&one.ty) {
                Some(count) => args.into_iter().flat_map(|arg| self.components(arg, count)).collect(),
                None => return args,
            },
            [Expr { ty: Type::Dynamic, .. }] => {
                args.into_iter().flat_map(|arg| self.components(arg, rank)).collect()
            }
            _ => args,
        };
        while extents.len() > rank {
            // What the type does not have is 1: leading ones of a constant vector, otherwise trailing ones.
            let leading = extents[0].constant().is_some_and(|first| first.as_i64() == 1);
            let trailing = extents.last().and_then(Expr::constant).is_some_and(|last| last.as_i64() == 1);
            if leading && !trailing {
                extents.remove(0);
            } else {
                extents.pop();
            }
        }
        extents.into_iter().map(|extent| self.convert_number(extent, &int_type())).collect()
    }

    /// Allocates the shared array of a variable.
    pub(super) fn shared_array(&mut self, variable: VarId, args: &'a [Argument], zeroed: bool, span: Span) {
        let args = self.plain_arguments(args);
        let dims = match &args[..] {
            [Expr { ty: Type::Array(_), .. }] => {
                let rank = match &self.body.variables[variable].ty {
                    Type::Array(array) => array.sizes.len(),
                    _ => 1,
                };
                args.into_iter().flat_map(|arg| self.components(arg, rank)).collect()
            }
            _ => args,
        };
        let dims = dims.into_iter().map(|dim| self.convert_number(dim, &int_type())).collect();
        if !zeroed {
            self.emit(StmtKind::Shared { variable, dims, zeroed }, span);
            return;
        }
        // One barrier stands behind several allocations.
        if self.behind_zeroing() {
            self.out.pop();
        }
        self.emit(StmtKind::Shared { variable, dims, zeroed }, span);
        self.emit(StmtKind::Barrier(Scope::Block), span);
    }

    /// Whether the statement before is the barrier that stands behind the zeroing of a shared array: threads zero elements that others
    /// may write first.
    pub(super) fn behind_zeroing(&self) -> bool {
        let [.., allocation, barrier] = self.out.as_slice() else { return false };
        matches!(allocation.kind, StmtKind::Shared { zeroed: true, .. })
            && matches!(barrier.kind, StmtKind::Barrier(Scope::Block))
    }

    fn intrinsic(
        &mut self,
        expr: &'a ast::Expr,
        builtin: &'static Builtin,
        intrinsic: Intrinsic,
        args: &'a [Argument],
        ty: &Type,
    ) -> Expr {
        let span = expr.span;
        let unit = Expr::new(ExprKind::Null, Type::Unit, span);
        match intrinsic {
            Intrinsic::Assert => self.assert(expr, args),
            Intrinsic::Unassert => {}
            Intrinsic::Error => {
                let message = self.plain_arguments(args);
                self.fail(message, span);
            }
            Intrinsic::MemoryFence => {
                let scope = match &expr.kind {
                    ast::ExprKind::Call { args, .. } => args.first().and_then(scope_name).unwrap_or("grid"),
                    _ => "grid",
                };
                self.emit(StmtKind::Fence(scope_of(scope)), span);
            }
            Intrinsic::Cast => {
                let value = self.plain_arguments(&args[..args.len().min(1)]).into_iter().next();
                return match value {
                    Some(value) => self.convert_number(value, ty),
                    None => self.missing(span, "this 'cast'", ty.clone()),
                };
            }
            Intrinsic::Shared => return self.construct("shared", args, ty, span),
            Intrinsic::SharedZeros => return self.construct("shared_zeros", args, ty, span),
            Intrinsic::TypeOf => {
                // The type of a value is known where it is not `??`.
                if let [Argument::Expr(_, of)] = args
                    && !of.mentions_dynamic()
                {
                    let enums: Vec<String> =
                        self.cx.program.enums.iter().map(|(name, _)| name.clone()).collect();
                    let names = crate::types::display::Names {
                        working: self.cx.options.settings.precision,
                        enums: &enums,
                    };
                    let text = Expr::new(ExprKind::Text(names.of(of)), Type::Text, span);
                    return Expr::new(
                        ExprKind::Library { name: "type_value", args: vec![text] },
                        ty.clone(),
                        span,
                    );
                }
                if let [value, Argument::Expr(wanted, _)] = args {
                    return self.type_test(value, *wanted, span);
                }
                let args = self.plain_arguments(args);
                return Expr::new(ExprKind::Library { name: "type", args }, ty.clone(), span);
            }
            Intrinsic::MaxBlockSize | Intrinsic::OptBlockSize => {
                let (mut kernel, mut dims) = (None, None);
                for arg in self.plain_arguments(args) {
                    match &arg.ty {
                        Type::Closure(closure) => kernel = self.cx.defined_at(closure.definition),
                        _ => dims = Some(arg),
                    }
                }
                let asked = BlockSize { largest: intrinsic == Intrinsic::MaxBlockSize, kernel, dims };
                return Expr::new(ExprKind::BlockSize(Box::new(asked)), ty.clone(), span);
            }
            Intrinsic::ParallelDo
            | Intrinsic::SerialDo
            | Intrinsic::MultiParallelDo
            | Intrinsic::Schedule => {
                return self.missing(span, &format!("'{}' of this function", builtin.name), ty.clone());
            }
        }
        unit
    }

    /// Whether a value has a type, asked when the program runs: the library gets the element type, the greatest number of
    /// dimensions (-1 for no array, 0 for any), and the sizes that must be met (-1 for any), then the same for the elements where
    /// they are arrays or texts. An object knows its class.
    fn type_test(&mut self, value: &'a Argument, wanted: NodeId, span: Span) -> Expr {
        let value = self.plain_arguments(std::slice::from_ref(value)).into_iter().next();
        let (Some(value), Some(wanted)) = (value, self.tables.type_values.get(&wanted)) else {
            return self.missing(span, "this test of a type", int_type());
        };
        if let Type::Class(class) | Type::Pointer(class) = wanted {
            let value = build::convert(value, &Type::Dynamic);
            let class = build::int(class.id.0 as i32, span);
            let null = build::int(matches!(wanted, Type::Pointer(_)).into(), span);
            let asked = vec![value, class, null];
            return Expr::new(ExprKind::Library { name: "is_of_class", args: asked }, int_type(), span);
        }
        let name = |ty: &Type| match ty {
            Type::Scalar(element, _) => element.name().to_string(),
            Type::Text => "string".to_string(),
            _ => "??".to_string(),
        };
        let (mut shape, mut level) = (Vec::new(), wanted);
        while let Type::Array(array) = level {
            shape.push(array.known_rank().map_or(0, |rank| rank as i32));
            if array.known_rank().is_some() {
                shape.extend(array.sizes.iter().map(|size| size.map_or(-1, |size| size as i32)));
            }
            level = &array.element;
        }
        // Numbers and values of any type lie in the array itself.
        if !matches!(wanted, Type::Array(_)) || *level == Type::Text {
            shape.push(-1);
        }
        let element = Expr::new(ExprKind::Text(name(level)), Type::Text, span);
        let shape = shape.into_iter().map(|n| build::int(n, span));
        let args = [value, element].into_iter().chain(shape).collect();
        Expr::new(ExprKind::Library { name: "is_type", args }, int_type(), span)
    }

    fn assert(&mut self, expr: &'a ast::Expr, args: &'a [Argument]) {
        let ast::ExprKind::Call { args: written, .. } = &expr.kind else { return };
        let Some(ast::CallArg::Positional(condition)) = written.first() else { return };
        if self.evaluated(condition) == Some(true) {
            return;
        }
        let value = self.truth(condition);
        let message = self.plain_arguments(args.get(1..).unwrap_or(&[]));
        // The message names the line alone.
        self.emit(StmtKind::Assert { condition: value, text: String::new(), message }, expr.span);
        self.refine(condition);
    }

    /// Arrays whose sizes an assertion gave go on under their new type.
    fn refine(&mut self, condition: &'a ast::Expr) {
        let mut named = Named::default();
        walk::expr(condition, &mut named);
        for (id, name) in named.0 {
            let (Some((ty, mode)), Some(&before)) =
                (self.tables.assigned.get(&id).cloned(), self.environment.get(name))
            else {
                continue;
            };
            let same_elements = match (&ty, &self.body.variables[before].ty) {
                (Type::Array(new), Type::Array(old)) => new.rank == old.rank && new.element == old.element,
                _ => false,
            };
            if !same_elements {
                continue;
            }
            let variable = self.variable(name, &ty, mode, condition.span);
            if let Some(stmt) = self.conversion(before, variable) {
                self.emit(stmt.kind, condition.span);
            }
            self.environment.insert(name.to_string(), variable);
        }
    }
}

/// The names in an expression.
#[derive(Default)]
struct Named<'a>(Vec<(ast::NodeId, &'a str)>);

impl<'a> walk::Visitor<'a> for Named<'a> {
    fn expr(&mut self, expr: &'a ast::Expr) -> bool {
        if let ast::ExprKind::Name(name) = &expr.kind {
            self.0.push((expr.id, name));
        }
        true
    }
}

fn scope_name(arg: &ast::CallArg) -> Option<&str> {
    match arg {
        ast::CallArg::Positional(ast::Expr { kind: ast::ExprKind::Name(name), .. }) => Some(name),
        _ => None,
    }
}

/// `squeeze` of an array whose rank the compiler knows has a known rank, too: it drops the dimensions that are known to have the extent 1,
/// and others only where three or more are left, behind which dimensions of one element stand then.
fn squeezed(mut args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
    let of_known_rank = args.first().zip(ty.as_array()).and_then(|(x, result)| {
        let array = x.ty.as_array().filter(|array| array.known_rank().is_some())?;
        let dropped = array.sizes.iter().enumerate().filter(|(_, size)| **size == Some(1));
        let mask = dropped.fold(0, |mask, (axis, _)| mask | 1 << axis);
        result.sizes.iter().any(Option::is_none).then_some((result.sizes.len(), mask))
    });
    match of_known_rank {
        Some((..=2, 0)) => match args.pop() {
            // Slices are arrays of their own already.
            Some(x) if is_slice(&x) => x,
            x => {
                let args = x.into_iter().collect();
                Expr::new(ExprKind::Library { name: "copy", args }, ty.clone(), span)
            }
        },
        Some((_, mask)) => {
            args.push(build::int(mask, span));
            Expr::new(ExprKind::Library { name: "squeeze", args }, ty.clone(), span)
        }
        None => Expr::new(ExprKind::Library { name: "squeeze", args }, ty.clone(), span),
    }
}

/// Whether an expression selects several elements, which makes an array; a single one may be an array that others name too.
fn is_slice(e: &Expr) -> bool {
    let ExprKind::Load { index, .. } = &e.kind else { return false };
    index.iter().any(|each| matches!(each, Index::All | Index::Range(_)))
}
