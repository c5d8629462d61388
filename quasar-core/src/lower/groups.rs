//! Groups of threads. What the threads of a warp do together are library functions on the set of lanes of their group;
//! blocks and grids are where the threads stand in the launch.

use super::body::Lowering;
use crate::ir::build::{self, int_type};
use crate::ir::{Coordinate, Expr, ExprKind, Scope, StmtKind};
use crate::source::Span;
use crate::syntax::ast;
use crate::types::{ElementType, Group, Overflow, Type};
use quasar_devicelib::element::Scalar;

/// The type of a set of lanes.
pub(super) const LANES: Type = Type::Scalar(ElementType::UInt32, Overflow::Checked);

/// The type of values of a type of the source.
pub(super) fn value_type(ty: &Type) -> Type {
    match ty {
        Type::Group(_) => LANES,
        other => other.clone(),
    }
}

/// Stands for groups that are no sets of lanes.
pub(super) fn no_lanes(span: Span) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::U32(0)), LANES, span)
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
        match (group, property) {
            (Group::Warp, "thread_idx") => self.of_lanes("group_rank", vec![lanes], int_type(), span),
            (Group::Warp, "size") => self.of_lanes("group_size", vec![lanes], int_type(), span),
            (Group::Warp, _) => lanes,
            (Group::Block, "thread_idx") => self.rank_in_block(span),
            (Group::Block, _) => self.product(&[Coordinate::BlockDim], span),
            (Group::Grid, "thread_idx") => {
                let block = self.row_major(Coordinate::BlockIndex, Coordinate::BlockCount, span);
                let threads = self.product(&[Coordinate::BlockDim], span);
                let before = self.row("multiply", vec![block, threads], &int_type(), span);
                let own = self.rank_in_block(span);
                self.row("add", vec![before, own], &int_type(), span)
            }
            (Group::Grid, _) => self.product(&[Coordinate::BlockDim, Coordinate::BlockCount], span),
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
        let lanes = values.next().unwrap_or_else(|| no_lanes(span));
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
            (Type::Array(_), [value, source]) => self.shuffled_vector(name, &lanes, value, source, &ty, span),
            _ => self.of_lanes(name, std::iter::once(lanes).chain(args).collect(), ty, span),
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
            self.of_lanes(name, vec![lanes.clone(), part, source.clone()], element, span)
        });
        let parts = parts.collect();
        Expr::new(ExprKind::Array(parts), ty.clone(), span)
    }
}
