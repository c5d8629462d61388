//! Groups of threads. What the threads of a warp do together are library functions on the set of lanes of their group;
//! blocks and grids are where the threads stand in the launch.

use super::body::Lowering;
use crate::ir::build::{self, element_of, int_type};
use crate::ir::{Coordinate, Expr, ExprKind, Failure, Scope, Stmt, StmtKind};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::gpu::WARP;
use crate::types::{Boundary, ElementType, Group, Overflow, Type};
use quasar_devicelib::element::Scalar;

/// The type of a set of lanes.
pub(super) const LANES: Type = Type::Scalar(ElementType::UInt32, Overflow::Checked);

/// The type of values of a type of the source. What functions know of a block or grid are the number of the thread in it and how
/// many threads it has.
pub(super) fn value_type(ty: &Type) -> Type {
    match ty {
        Type::Group(Group::Warp) => LANES,
        Type::Group(Group::Block | Group::Grid) => Type::index_vector(Some(2)),
        other => other.clone(),
    }
}

impl<'a> Lowering<'a, '_> {
    /// The group that an expression is.
    pub(super) fn group(&self, expr: &ast::Expr) -> Option<Group> {
        match self.tables.types.get(&expr.id) {
            Some(Type::Group(group)) => Some(*group),
            _ => None,
        }
    }

    /// The group whose method an expression names.
    pub(super) fn group_of(&self, callee: &ast::Expr) -> Option<Group> {
        match &callee.kind {
            ast::ExprKind::Member { base, .. } => self.group(base),
            _ => None,
        }
    }

    /// What a group of a warp does, as a value.
    pub(super) fn of_lanes(&mut self, name: &'static str, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
        let result = self.body.temporary(ty, span);
        self.emit(StmtKind::Library { name, args, results: vec![Some(result)] }, span);
        self.body.read(result, span)
    }

    pub(super) fn group_property(
        &mut self,
        base: &'a ast::Expr,
        group: Group,
        property: &str,
        span: Span,
    ) -> Expr {
        let lanes = self.expr(base);
        if let (Group::Block | Group::Grid, false) = (group, self.is_kernel()) {
            let at = build::int(i32::from(property != "thread_idx"), span);
            return build::load(lanes, vec![at], Boundary::Unchecked, span);
        }
        match (group, property) {
            (Group::Warp, "thread_idx") => self.of_lanes("group_rank", vec![lanes], int_type(), span),
            (Group::Warp, "size") => self.of_lanes("group_size", vec![lanes], int_type(), span),
            (Group::Warp, _) => lanes,
            (_, "thread_idx") => self.rank_in(group, span),
            (_, _) => self.threads_of(group, span),
        }
    }

    fn is_kernel(&self) -> bool {
        self.instance.kind == ast::FunctionKind::Kernel
    }

    /// The block or the grid of a kernel as a value.
    pub(super) fn group_value(&mut self, group: Group, span: Span) -> Expr {
        let parts = vec![self.rank_in(group, span), self.threads_of(group, span)];
        super::literals::int_vector(parts, span)
    }

    fn threads_of(&mut self, group: Group, span: Span) -> Expr {
        match group {
            Group::Grid => self.product(&[Coordinate::BlockDim, Coordinate::BlockCount], span),
            _ => self.product(&[Coordinate::BlockDim], span),
        }
    }

    fn rank_in(&mut self, group: Group, span: Span) -> Expr {
        match group {
            Group::Grid => {
                let block = self.row_major(Coordinate::BlockIndex, Coordinate::BlockCount, span);
                let threads = self.product(&[Coordinate::BlockDim], span);
                let before = self.row("multiply", vec![block, threads], &int_type(), span);
                let own = self.rank_in_block(span);
                self.row("add", vec![before, own], &int_type(), span)
            }
            _ => self.rank_in_block(span),
        }
    }

    fn place_along(&self, coordinate: Coordinate, axis: usize, span: Span) -> Expr {
        Expr::new(ExprKind::Coordinate(coordinate, axis), int_type(), span)
    }

    fn rank_in_block(&mut self, span: Span) -> Expr {
        self.row_major(Coordinate::BlockPosition, Coordinate::BlockDim, span)
    }

    /// The number of a place in a box.
    fn row_major(&mut self, place: Coordinate, extents: Coordinate, span: Span) -> Expr {
        let mut number = self.place_along(place, 0, span);
        for axis in 1..self.instance.rank.max(1) {
            let (extent, next) = (self.place_along(extents, axis, span), self.place_along(place, axis, span));
            number = self.row("multiply", vec![number, extent], &int_type(), span);
            number = self.row("add", vec![number, next], &int_type(), span);
        }
        number
    }

    fn product(&mut self, coordinates: &[Coordinate], span: Span) -> Expr {
        let mut product = build::int(1, span);
        for coordinate in coordinates {
            for axis in 0..self.instance.rank.max(1) {
                let extent = self.place_along(*coordinate, axis, span);
                product = self.row("multiply", vec![product, extent], &int_type(), span);
            }
        }
        product
    }

    /// A method of a group.
    pub(super) fn group_call(
        &mut self,
        expr: &'a ast::Expr,
        callee: &'a ast::Expr,
        args: &'a [ast::CallArg],
    ) -> Expr {
        let (span, ty) = (expr.span, self.type_of(expr));
        let ast::ExprKind::Member { base, member } = &callee.kind else {
            return self.missing(span, "this method", ty);
        };
        let args = args.iter().filter_map(|arg| match arg {
            ast::CallArg::Positional(arg) => Some(arg),
            _ => None,
        });
        let mut values =
            self.ordered(std::iter::once(&**base).chain(args), |this, e| this.expr(e)).into_iter();
        let Some(lanes) = values.next() else { return self.missing(span, "this method", ty) };
        let args: Vec<Expr> = values.collect();
        let group = self.group(base).unwrap_or(Group::Warp);
        let unit = Expr::new(ExprKind::Null, Type::Unit, span);
        let name = match (member.text.as_str(), group) {
            ("sync", Group::Warp) => {
                let kind = StmtKind::Library { name: "group_sync", args: vec![lanes], results: Vec::new() };
                self.emit(kind, span);
                return unit;
            }
            ("sync", Group::Block) => {
                self.emit(StmtKind::Barrier(Scope::Block), span);
                return unit;
            }
            ("sync", Group::Grid) => {
                self.emit(StmtKind::Barrier(Scope::Grid), span);
                return unit;
            }
            ("partition", _) => "group_partition",
            ("shfl", _) => "group_shuffle",
            ("shfl_up", _) => "group_shuffle_up",
            ("shfl_down", _) => "group_shuffle_down",
            ("shfl_xor", _) => "group_shuffle_xor",
            ("all", _) => "group_all",
            ("any", _) => "group_any",
            ("ballot", _) => "group_ballot",
            ("match_any", _) => "group_match_any",
            ("match_all", _) => "group_match_all",
            (other, _) => return self.missing(span, &format!("the method '{other}' of a group"), ty),
        };
        let lanes = match group {
            Group::Warp => lanes,
            Group::Block | Group::Grid => self.of_lanes("group_of_block", Vec::new(), LANES, span),
        };
        match (&ty, args.as_slice()) {
            (_, [size]) if name == "group_partition" => {
                let size = self.partition_size(size.clone());
                self.of_lanes(name, vec![lanes, size], ty, span)
            }
            (Type::Array(_), [value, source]) => self.shuffled_vector(name, &lanes, value, source, &ty, span),
            (_, [value, rest @ ..])
                if name.starts_with("group_shuffle") || name.starts_with("group_match") =>
            {
                self.exchanged(name, lanes, value.clone(), rest, ty, span)
            }
            _ => self.of_lanes(name, std::iter::once(lanes).chain(args).collect(), ty, span),
        }
    }

    /// The size of a partition, behind a test where it is not known.
    fn partition_size(&mut self, size: Expr) -> Expr {
        if size.constant_int().is_some() {
            return size;
        }
        let (size, span) = (self.atom(size.clone()), size.span);
        let text = |text: &str| Expr::new(ExprKind::Text(text.to_owned()), Type::Text, span);
        let below = self.row("subtract", vec![size.clone(), build::int(1, span)], &int_type(), span);
        let others = self.row("and", vec![size.clone(), below], &int_type(), span);
        let few = self.row("less", vec![size.clone(), build::int(1, span)], &int_type(), span);
        let many = self.row("greater", vec![size.clone(), build::int(WARP, span)], &int_type(), span);
        let none = self.row("not_equal", vec![others, build::int(0, span)], &int_type(), span);
        let either = |a, b| Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), int_type(), span);
        let condition = either(either(few, many), none);
        let said = text("partition: the size is a power of two up to 32, found ");
        let then = vec![Stmt::new(
            StmtKind::Fail { failure: Failure::Argument, message: vec![said, size.clone()] },
            span,
        )];
        self.emit(StmtKind::If { condition, then, otherwise: Vec::new() }, span);
        size
    }

    /// What threads do with a number. Lanes hold numbers of 32 and 64 bits: smaller ones are converted, which loses nothing, and
    /// complex ones go in two parts.
    fn exchanged(
        &mut self,
        name: &'static str,
        lanes: Expr,
        value: Expr,
        rest: &[Expr],
        ty: Type,
        span: Span,
    ) -> Expr {
        use ElementType::{Half, Int8, Int16, Int32, Single, UInt8, UInt16};
        let shuffles = name.starts_with("group_shuffle");
        let through = match element_of(&value.ty) {
            Some(Int8 | Int16 | UInt8 | UInt16) => Int32,
            Some(Half) => Single,
            Some(element) if element.is_complex() => {
                return self.exchanged_parts(name, lanes, value, rest, ty, span);
            }
            _ => {
                let args = [vec![lanes, value], rest.to_vec()].concat();
                return self.of_lanes(name, args, ty, span);
            }
        };
        let through = build::scalar_type(through);
        let args = [vec![lanes, build::convert(value, &through)], rest.to_vec()].concat();
        let made = self.of_lanes(name, args, if shuffles { through } else { ty.clone() }, span);
        build::convert(made, &ty)
    }

    fn exchanged_parts(
        &mut self,
        name: &'static str,
        lanes: Expr,
        value: Expr,
        rest: &[Expr],
        ty: Type,
        span: Span,
    ) -> Expr {
        let (lanes, value) = (self.atom(lanes), self.atom(value));
        let real = build::scalar_type(element_of(&value.ty).unwrap_or(ElementType::ComplexSingle).real());
        let part_type = if name.starts_with("group_shuffle") { real.clone() } else { ty.clone() };
        let parts = ["real", "imag"].map(|part| {
            let part = self.row(part, vec![value.clone()], &real, span);
            self.exchanged(name, lanes.clone(), part, rest, part_type.clone(), span)
        });
        match name {
            "group_match_all" => {
                // Both parts are alike in all threads, or nothing is.
                let none = Expr::new(ExprKind::Constant(Scalar::U32(0)), ty.clone(), span);
                let [all, imaginary] = parts;
                let alike = self.row("not_equal", vec![imaginary, none.clone()], &int_type(), span);
                let (condition, then, otherwise) = (Box::new(alike), Box::new(all), Box::new(none));
                Expr::new(ExprKind::Select { condition, then, otherwise }, ty, span)
            }
            "group_match_any" => self.row("and", parts.to_vec(), &ty, span),
            _ => self.row("complex2", parts.to_vec(), &ty, span),
        }
    }

    /// A small vector, component by component.
    fn shuffled_vector(
        &mut self,
        name: &'static str,
        lanes: &Expr,
        value: &Expr,
        source: &Expr,
        ty: &Type,
        span: Span,
    ) -> Expr {
        let (lanes, source) = (self.atom(lanes.clone()), self.atom(source.clone()));
        let count = self.known_length(ty).unwrap_or(0);
        let parts = self.components(value.clone(), count);
        let parts = parts.into_iter().map(|part| {
            let element = part.ty.clone();
            self.exchanged(name, lanes.clone(), part, std::slice::from_ref(&source), element, span)
        });
        let parts = parts.collect();
        Expr::new(ExprKind::Array(parts), ty.clone(), span)
    }
}
