//! Visitors and transformers of the IR trees. Passes visit and modify expressions and statements through these
//! functions only.

use super::{Body, Dims, Expr, ExprKind, Index, Range, Stmt, StmtKind, VarId, VarSet};
use std::collections::BTreeMap;

/// Generates the shared and the mutable version of each visitor from one description.
macro_rules! walkers {
    ($children:ident, $operands:ident, $blocks:ident, $visit:ident, $visit_block:ident, $visit_stmts:ident,
     $index:ident, $range:ident, $dims:ident, $slice:ident, $($m:tt)?) => {
        fn $range(range: &$($m)? Range, f: &mut dyn FnMut(&$($m)? Expr)) {
            let Range { from, step, to } = range;
            f(from);
            if let Some(step) = step {
                f(step);
            }
            f(to);
        }

        fn $index(index: &$($m)? Index, f: &mut dyn FnMut(&$($m)? Expr)) {
            match index {
                Index::At(e) | Index::List(e) | Index::Position(e) => f(e),
                Index::Range(range) => $range(range, f),
                Index::All => {}
            }
        }

        fn $dims(dims: &$($m)? Dims, f: &mut dyn FnMut(&$($m)? Expr)) {
            match dims {
                Dims::Each(each) => {
                    for e in each {
                        f(e);
                    }
                }
                Dims::Vector(vector) => f(vector),
            }
        }

        /// Visits the direct operands of an expression, in evaluation order.
        pub fn $children(expr: &$($m)? Expr, f: &mut dyn FnMut(&$($m)? Expr)) {
            match &$($m)? expr.kind {
                ExprKind::Constant(_)
                | ExprKind::Text(_)
                | ExprKind::Null
                | ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Coordinate(..) => {}
                // Direct calls: macros run unoptimised, where a loop over a list costs as much as ten of these arms.
                ExprKind::Apply { row: _, args }
                | ExprKind::Array(args)
                | ExprKind::Tuple(args)
                | ExprKind::New(args)
                | ExprKind::Function { function: _, captures: args }
                | ExprKind::Library { name: _, args } => match args.$slice() {
                    [a] => f(a),
                    [a, b] => {
                        f(a);
                        f(b);
                    }
                    args => {
                        for arg in args {
                            f(arg);
                        }
                    }
                },
                ExprKind::Convert(e)
                | ExprKind::Field(e, _)
                | ExprKind::Member(e, _)
                | ExprKind::Extent(e, _)
                | ExprKind::Count(e)
                | ExprKind::Reduce { row: _, arg: e, axis: _ } => f(e),
                ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Same(a, b) => {
                    f(a);
                    f(b);
                }
                ExprKind::Select { condition, then, otherwise } => {
                    f(condition);
                    f(then);
                    f(otherwise);
                }
                ExprKind::Sequence(range) => $range(range, f),
                ExprKind::BlockSize(asked) => {
                    if let Some(dims) = &$($m)? asked.dims {
                        f(dims);
                    }
                }
                ExprKind::Load { array, index, boundary: _ } => {
                    f(array);
                    match index.$slice() {
                        [Index::At(a)] => f(a),
                        [Index::At(a), Index::At(b)] => {
                            f(a);
                            f(b);
                        }
                        index => {
                            for index in index {
                                $index(index, f);
                            }
                        }
                    }
                }
            }
        }

        /// Visits an expression and its subexpressions: pre-order in the shared version, post-order in the mutable one.
        pub fn $visit(expr: &$($m)? Expr, f: &mut dyn FnMut(&$($m)? Expr)) {
            walkers!(@visit expr, f, $children, $visit, $($m)?);
        }

        /// Visits the expressions of a statement itself, not those in its blocks.
        pub fn $operands(stmt: &$($m)? Stmt, f: &mut dyn FnMut(&$($m)? Expr)) {
            match &$($m)? stmt.kind {
                StmtKind::Assign { variable: _, value } | StmtKind::AssignGlobal { global: _, value } => f(value),
                StmtKind::Store { array, index, boundary: _, value } => {
                    f(value);
                    f(array);
                    for index in index {
                        $index(index, f);
                    }
                }
                StmtKind::Update { array, index, boundary: _, row: _, value, atomic: _, result: _ } => {
                    f(value);
                    f(array);
                    for index in index {
                        $index(index, f);
                    }
                }
                StmtKind::Exchange { array, index, boundary: _, value, expected, result: _ } => {
                    f(value);
                    if let Some(expected) = expected {
                        f(expected);
                    }
                    f(array);
                    for index in index {
                        $index(index, f);
                    }
                }
                StmtKind::SetMember { object, field: _, value } => {
                    f(value);
                    f(object);
                }
                StmtKind::Call { function: _, args, results: _ } | StmtKind::Library { name: _, args, results: _ } => {
                    for arg in args {
                        f(arg);
                    }
                }
                StmtKind::CallValue { callee, args, results: _ } => {
                    f(callee);
                    for arg in args {
                        f(arg);
                    }
                }
                StmtKind::Launch { kernel: _, dims, block, args, results: _, mode: _ } => {
                    $dims(dims, f);
                    if let Some(block) = block {
                        $dims(block, f);
                    }
                    for arg in args {
                        f(arg);
                    }
                }
                StmtKind::If { condition: e, then: _, otherwise: _ }
                | StmtKind::ForEach { variable: _, over: e, body: _, attributes: _ }
                | StmtKind::While { condition: e, body: _ }
                | StmtKind::Repeat { body: _, test: _, until: e } => f(e),
                StmtKind::For { variable: _, range, body: _, attributes: _ } => $range(range, f),
                StmtKind::Fail { failure: _, message } => {
                    for part in message {
                        f(part);
                    }
                }
                StmtKind::Assert { condition, text: _, message } => {
                    f(condition);
                    for part in message {
                        f(part);
                    }
                }
                StmtKind::Shared { variable: _, dims, zeroed: _ } => {
                    for dim in dims {
                        f(dim);
                    }
                }
                StmtKind::Break { levels: _ }
                | StmtKind::Continue { levels: _ }
                | StmtKind::Strips { buffers: _, body: _ }
                | StmtKind::Try { body: _, handlers: _ }
                | StmtKind::Barrier(_)
                | StmtKind::Fence(_) => {}
            }
        }

        /// Visits the blocks of a statement.
        pub fn $blocks(stmt: &$($m)? Stmt, f: &mut dyn FnMut(&$($m)? Vec<Stmt>)) {
            match &$($m)? stmt.kind {
                StmtKind::If { condition: _, then, otherwise } => {
                    f(then);
                    f(otherwise);
                }
                StmtKind::For { variable: _, range: _, body, attributes: _ }
                | StmtKind::ForEach { variable: _, over: _, body, attributes: _ }
                | StmtKind::While { condition: _, body }
                | StmtKind::Strips { buffers: _, body } => f(body),
                StmtKind::Repeat { body, test, until: _ } => {
                    f(body);
                    f(test);
                }
                StmtKind::Try { body, handlers } => {
                    f(body);
                    for handler in handlers {
                        f(&$($m)? handler.block);
                    }
                }
                StmtKind::Assign { .. }
                | StmtKind::AssignGlobal { .. }
                | StmtKind::Store { .. }
                | StmtKind::Update { .. }
                | StmtKind::Exchange { .. }
                | StmtKind::SetMember { .. }
                | StmtKind::Call { .. }
                | StmtKind::CallValue { .. }
                | StmtKind::Library { .. }
                | StmtKind::Launch { .. }
                | StmtKind::Break { .. }
                | StmtKind::Continue { .. }
                | StmtKind::Fail { .. }
                | StmtKind::Assert { .. }
                | StmtKind::Shared { .. }
                | StmtKind::Barrier(_)
                | StmtKind::Fence(_) => {}
            }
        }

        /// Visits all statements of a block in pre-order, nested blocks included.
        pub fn $visit_stmts(block: &$($m)? [Stmt], f: &mut dyn FnMut(&$($m)? Stmt)) {
            for stmt in block {
                f(stmt);
                $blocks(stmt, &mut |inner| $visit_stmts(inner, f));
            }
        }

        /// Visits all expressions of a block, nested blocks included.
        pub fn $visit_block(block: &$($m)? [Stmt], f: &mut dyn FnMut(&$($m)? Expr)) {
            $visit_stmts(block, &mut |stmt| $operands(stmt, &mut |e| $visit(e, f)));
        }
    };
    (@visit $expr:ident, $f:ident, $children:ident, $visit:ident, mut) => {
        if !matches!($expr.kind, ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Coordinate(..)) {
            $children($expr, &mut |child| $visit(child, $f));
        }
        $f($expr);
    };
    (@visit $expr:ident, $f:ident, $children:ident, $visit:ident,) => {
        $f($expr);
        if !matches!($expr.kind, ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Coordinate(..)) {
            $children($expr, &mut |child| $visit(child, $f));
        }
    };
}

walkers!(
    children,
    operands,
    blocks,
    visit,
    visit_block,
    visit_stmts,
    index_exprs,
    range_exprs,
    dims_exprs,
    as_slice,
);
walkers!(
    children_mut,
    operands_mut,
    blocks_mut,
    transform,
    transform_block,
    transform_stmts,
    index_exprs_mut,
    range_exprs_mut,
    dims_exprs_mut,
    as_mut_slice,
    mut
);

/// Replaces each statement by the statements that `f` returns, inner blocks first.
pub fn expand_stmts(block: &mut Vec<Stmt>, f: &mut dyn FnMut(Stmt) -> Vec<Stmt>) {
    for mut stmt in std::mem::take(block) {
        blocks_mut(&mut stmt, &mut |inner| expand_stmts(inner, f));
        block.extend(f(stmt));
    }
}

/// Generates both versions of the visitor of assigned variables.
macro_rules! set_variables {
    ($name:ident, $($m:tt)?) => {
        /// Visits the variables that a statement itself assigns: targets, loop variables, results of calls. It excludes
        /// its blocks, and arrays whose elements it stores to.
        pub fn $name(stmt: &$($m)? Stmt, f: &mut dyn FnMut(&$($m)? VarId)) {
            match &$($m)? stmt.kind {
                StmtKind::Assign { variable, .. }
                | StmtKind::For { variable, .. }
                | StmtKind::ForEach { variable, .. }
                | StmtKind::Shared { variable, .. } => f(variable),
                StmtKind::Update { result: Some(variable), .. }
                | StmtKind::Exchange { result: Some(variable), .. } => f(variable),
                StmtKind::Try { handlers, .. } => {
                    for handler in handlers {
                        if let Some(variable) = &$($m)? handler.variable {
                            f(variable);
                        }
                    }
                }
                StmtKind::Call { results, .. }
                | StmtKind::CallValue { results, .. }
                | StmtKind::Library { results, .. }
                | StmtKind::Launch { results, .. } => {
                    for variable in results {
                        if let Some(variable) = variable {
                            f(variable);
                        }
                    }
                }
                StmtKind::AssignGlobal { .. }
                | StmtKind::Store { .. }
                | StmtKind::SetMember { .. }
                | StmtKind::Update { result: None, .. }
                | StmtKind::Exchange { result: None, .. }
                | StmtKind::If { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. }
                | StmtKind::Strips { .. }
                | StmtKind::Break { .. }
                | StmtKind::Continue { .. }
                | StmtKind::Fail { .. }
                | StmtKind::Assert { .. }
                | StmtKind::Barrier(_)
                | StmtKind::Fence(_) => {}
            }
        }
    };
}

set_variables!(sets,);
set_variables!(sets_mut, mut);

/// Whether there are loops among statements.
pub fn has_loops(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::For { .. }
                | StmtKind::ForEach { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. }
        );
    });
    found
}

/// Whether statements nested in `depth` loops jump to a loop outside these.
pub fn jumps_out(block: &[Stmt], depth: u32) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break { levels } | StmtKind::Continue { levels } => *levels >= depth,
        StmtKind::If { then, otherwise, .. } => jumps_out(then, depth) || jumps_out(otherwise, depth),
        StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
            jumps_out(body, depth + 1)
        }
        // The test is outside the loop.
        StmtKind::Repeat { body, test, .. } => jumps_out(body, depth + 1) || jumps_out(test, depth),
        StmtKind::Try { body, handlers } => {
            jumps_out(body, depth) || handlers.iter().any(|handler| jumps_out(&handler.block, depth))
        }
        _ => false,
    })
}

/// The variables that an expression reads.
pub fn variables(expr: &Expr) -> VarSet {
    let mut found = VarSet::new();
    visit(expr, &mut |e| {
        if let ExprKind::Local(variable) = e.kind {
            found.insert(variable);
        }
    });
    found
}

/// The variables that statements read, or whose elements they access, nested blocks included.
pub fn read_in(block: &[Stmt]) -> VarSet {
    let mut found = VarSet::new();
    visit_block(block, &mut |e| {
        if let ExprKind::Local(variable) = e.kind {
            found.insert(variable);
        }
    });
    found
}

/// The variables that statements assign, nested blocks included.
pub fn set_in(block: &[Stmt]) -> VarSet {
    let mut found = VarSet::new();
    visit_stmts(block, &mut |stmt| {
        sets(stmt, &mut |variable| {
            found.insert(*variable);
        })
    });
    found
}

/// The variables whose elements statements store to or update, nested blocks included. Modifications by called
/// functions are not included.
pub fn stored_in(block: &[Stmt]) -> VarSet {
    let mut found = VarSet::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, .. }
        | StmtKind::Update { array, .. }
        | StmtKind::Exchange { array, .. } = &stmt.kind
            && let Some(variable) = root(array)
        {
            found.insert(variable);
        }
    });
    found
}

/// The variable at the root of an lvalue, through views, components and elements.
pub fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Local(variable) => Some(*variable),
        ExprKind::Convert(inner) | ExprKind::Field(inner, _) | ExprKind::Load { array: inner, .. } => {
            root(inner)
        }
        _ => None,
    }
}

/// The live-in variables of a block: those read before the block has definitely assigned them.
pub fn free_variables(block: &[Stmt]) -> VarSet {
    let mut free = VarSet::new();
    free_in(block, &mut VarSet::new(), &mut free);
    free
}

fn free_in(block: &[Stmt], known: &mut VarSet, free: &mut VarSet) {
    for stmt in block {
        if !matches!(stmt.kind, StmtKind::Repeat { .. }) {
            operands(stmt, &mut |e| free.add(&variables(e).difference(known)));
        }
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                let (mut left, mut right) = (known.clone(), known.clone());
                free_in(then, &mut left, free);
                free_in(otherwise, &mut right, free);
                known.add(&left.intersection(&right));
            }
            StmtKind::Repeat { body, test, until } => {
                // A `continue` may skip assignments of the body, so they are not definite in the test.
                free_in(body, &mut known.clone(), free);
                let mut inside = known.clone();
                free_in(test, &mut inside, free);
                free.add(&variables(until).difference(&inside));
            }
            _ => {
                let mut inside = known.clone();
                sets(stmt, &mut |variable| {
                    inside.insert(*variable);
                });
                blocks(stmt, &mut |inner| free_in(inner, &mut inside.clone(), free));
                let in_loop = matches!(
                    stmt.kind,
                    StmtKind::For { .. } | StmtKind::ForEach { .. } | StmtKind::Try { .. }
                );
                if !in_loop {
                    sets(stmt, &mut |variable| {
                        known.insert(*variable);
                    });
                }
            }
        }
    }
}

/// Substitutes expressions for variables.
pub fn substitute(expr: &mut Expr, replacements: &BTreeMap<VarId, Expr>) {
    transform(expr, &mut |e| {
        if let ExprKind::Local(variable) = e.kind
            && let Some(replacement) = replacements.get(&variable)
        {
            let span = e.span;
            *e = replacement.clone();
            e.span = span;
        }
    });
}

/// Renames all variables of a block.
pub fn rename(block: &mut [Stmt], f: &mut dyn FnMut(VarId) -> VarId) {
    transform_stmts(block, &mut |stmt| {
        sets_mut(stmt, &mut |variable| *variable = f(*variable));
        operands_mut(stmt, &mut |e| rename_expr(e, f));
    });
}

/// Renames all variables of an expression.
pub fn rename_expr(expr: &mut Expr, f: &mut dyn FnMut(VarId) -> VarId) {
    transform(expr, &mut |e| {
        if let ExprKind::Local(variable) = &mut e.kind {
            *variable = f(*variable);
        }
    });
}

/// Copies a block of one body for use in another; variables missing in `map` are added to `into`.
pub fn copy_block(
    block: &[Stmt],
    from: &Body,
    into: &mut Body,
    map: &mut BTreeMap<VarId, VarId>,
) -> Vec<Stmt> {
    let mut copy = block.to_vec();
    rename(&mut copy, &mut |variable| copied(variable, from, into, map));
    copy
}

/// Copies an expression of one body for use in another, as [`copy_block`] does.
pub fn copy_expr(expr: &Expr, from: &Body, into: &mut Body, map: &mut BTreeMap<VarId, VarId>) -> Expr {
    let mut copy = expr.clone();
    rename_expr(&mut copy, &mut |variable| copied(variable, from, into, map));
    copy
}

fn copied(variable: VarId, from: &Body, into: &mut Body, map: &mut BTreeMap<VarId, VarId>) -> VarId {
    *map.entry(variable).or_insert_with(|| into.variables.push(from.variables[variable].clone()))
}

/// Whether two lists of indices of elements are written alike.
pub fn same_indices(a: &[Index], b: &[Index]) -> bool {
    let alike = |(a, b): (&Index, &Index)| matches!((a, b), (Index::At(a), Index::At(b)) if same(a, b));
    a.len() == b.len() && a.iter().zip(b).all(alike)
}

/// Whether two expressions without slices are structurally equal, so that they have the same value at the same program
/// point.
pub fn same(a: &Expr, b: &Expr) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
            (ExprKind::Coordinate(a, k), ExprKind::Coordinate(b, l)) => a == b && k == l,
            (ExprKind::Extent(a, k), ExprKind::Extent(b, l)) => k == l && same(a, b),
            (ExprKind::Count(a), ExprKind::Count(b)) => same(a, b),
            (ExprKind::Convert(a), ExprKind::Convert(b)) => same(a, b),
            (ExprKind::Apply { row: r, args: a }, ExprKind::Apply { row: s, args: b }) => {
                r.name == s.name && all(a, b)
            }
            (
                ExprKind::Load { array: a, index: i, boundary: m },
                ExprKind::Load { array: b, index: j, boundary: n },
            ) => {
                let at =
                    |(i, j): (&Index, &Index)| matches!((i, j), (Index::At(i), Index::At(j)) if same(i, j));
                m == n && same(a, b) && i.len() == j.len() && i.iter().zip(j).all(at)
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;
    use crate::ir::{LoopAttributes, Variable};
    use crate::source::Span;
    use crate::types::Type;

    const AT: Span = Span { file: crate::source::FileId(0), start: 0, end: 0 };

    fn body() -> (Body, VarId, VarId, VarId) {
        let mut body = Body::default();
        let int = build::int_type();
        let [n, i, s] = ["n", "i", "s"].map(|name| body.variables.push(Variable::new(name, int.clone(), AT)));
        let read = |v| build::local(v, build::int_type(), AT);
        let inner = vec![build::assign(s, read(i))];
        let range = Range { from: build::int(0, AT), step: None, to: read(n) };
        let attributes = LoopAttributes::default();
        body.block =
            vec![Stmt { kind: StmtKind::For { variable: i, range, body: inner, attributes }, span: AT }];
        (body, n, i, s)
    }

    #[test]
    fn free_variables_are_those_that_come_from_outside() {
        let (body, n, i, s) = body();
        assert_eq!(free_variables(&body.block), VarSet::from([n]));
        assert_eq!(set_in(&body.block), VarSet::from([i, s]));
        assert_eq!(read_in(&body.block), VarSet::from([n, i]));
        let mut after = body.block.clone();
        after.push(build::assign(n, build::local(s, build::int_type(), AT)));
        assert_eq!(free_variables(&after), VarSet::from([n, s]), "the loop may run zero times");
    }

    #[test]
    fn a_copied_block_uses_variables_of_the_new_body_only() {
        let (from, n, _, _) = body();
        let mut into = Body::default();
        let outer = into.variables.push(Variable::new("count", build::int_type(), AT));
        let mut map = BTreeMap::from([(n, outer)]);
        let copy = copy_block(&from.block, &from, &mut into, &mut map);
        assert_eq!(into.variables.len(), 3);
        assert_eq!(free_variables(&copy), VarSet::from([outer]));
        assert!(set_in(&copy).iter().all(|v| v.index() > outer.index()));
    }

    #[test]
    fn substitution_replaces_every_read() {
        let (mut body, n, _, _) = body();
        let replacements = BTreeMap::from([(n, build::int(7, AT))]);
        transform_stmts(&mut body.block, &mut |stmt| {
            operands_mut(stmt, &mut |e| substitute(e, &replacements));
        });
        assert!(free_variables(&body.block).is_empty());
    }

    #[test]
    fn statements_are_expanded_from_the_inside_out() {
        let (mut body, ..) = body();
        expand_stmts(&mut body.block, &mut |stmt| vec![stmt.clone(), stmt]);
        let mut count = 0;
        visit_stmts(&body.block, &mut |_| count += 1);
        assert_eq!(count, 6);
    }

    #[test]
    fn transformation_goes_bottom_up() {
        let three = Expr {
            kind: ExprKind::Array(vec![build::int(1, AT), build::int(2, AT)]),
            ty: Type::Unit,
            span: AT,
        };
        let mut order = Vec::new();
        transform(&mut three.clone(), &mut |e| order.push(matches!(e.kind, ExprKind::Array(_))));
        assert_eq!(order, [false, false, true]);
        let mut order = Vec::new();
        visit(&three, &mut |e| order.push(matches!(e.kind, ExprKind::Array(_))));
        assert_eq!(order, [true, false, false]);
    }
}
