//! Numbers of the nodes of a body. Statements and accesses have no ids: what passes find out about them stands in tables, by
//! the number of the node in the order of a visit. The tables hold for as long as nobody changes the body.

use super::rewrite::{operands, visit, visit_stmts};
use super::{ExprKind, Index, Stmt, StmtKind};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ptr;

/// The numbers of the statements of a block and of its accesses to elements, nested blocks included.
#[derive(Debug, Default)]
pub struct NodeNumbers<'b> {
    stmts: BTreeMap<*const Stmt, usize>,
    /// An access is known by its first index.
    accesses: BTreeMap<*const Index, usize>,
    of: PhantomData<&'b [Stmt]>,
}

impl<'b> NodeNumbers<'b> {
    /// Those of a block.
    pub fn of(block: &'b [Stmt]) -> NodeNumbers<'b> {
        let mut found = NodeNumbers::default();
        visit_stmts(block, &mut |stmt| {
            let number = found.stmts.len();
            found.stmts.insert(ptr::from_ref(stmt), number);
            if let StmtKind::Store { index, .. }
            | StmtKind::Update { index, .. }
            | StmtKind::Exchange { index, .. } = &stmt.kind
            {
                found.add(index);
            }
            operands(stmt, &mut |e| {
                visit(e, &mut |e| {
                    if let ExprKind::Load { index, .. } = &e.kind {
                        found.add(index);
                    }
                });
            });
        });
        found
    }

    fn add(&mut self, index: &[Index]) {
        if let Some(first) = index.first() {
            let number = self.accesses.len();
            self.accesses.insert(ptr::from_ref(first), number);
        }
    }

    /// The number of a statement; `None` for one of another block.
    pub fn stmt(&self, stmt: &Stmt) -> Option<usize> {
        self.stmts.get(&ptr::from_ref(stmt)).copied()
    }

    /// The number of the access with these indices.
    pub fn access(&self, index: &[Index]) -> Option<usize> {
        self.accesses.get(&ptr::from_ref(index.first()?)).copied()
    }

    /// How many statements there are.
    pub fn stmt_count(&self) -> usize {
        self.stmts.len()
    }

    /// How many accesses there are.
    pub fn access_count(&self) -> usize {
        self.accesses.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::ir::Expr;
    use crate::ir::build::{self, int_type};
    use crate::source::Span;
    use crate::types::Boundary;

    fn load(index: Expr) -> Expr {
        let array = build::local(Id::new(0), build::array_type(int_type(), 1), Span::default());
        let index = vec![Index::At(index)];
        let kind = ExprKind::Load { array: Box::new(array), index, boundary: Boundary::Safe };
        Expr::new(kind, int_type(), Span::default())
    }

    #[test]
    fn equal_nodes_at_two_places_have_two_numbers_which_copies_of_the_block_share() {
        let one = || load(load(build::int(1, Span::default())));
        let assign = |value| build::assign(Id::new(1), value);
        let block = vec![build::choice(one(), vec![assign(one())], Vec::new(), Span::default())];
        let numbers = NodeNumbers::of(&block);
        assert_eq!((numbers.stmt_count(), numbers.access_count()), (2, 4));
        let StmtKind::If { condition, then, .. } = &block[0].kind else { panic!("an if") };
        let StmtKind::Assign { value, .. } = &then[0].kind else { panic!("an assignment") };
        let number = |e: &Expr| match &e.kind {
            ExprKind::Load { index, .. } => numbers.access(index),
            _ => None,
        };
        assert_eq!((number(condition), number(value)), (Some(0), Some(2)));
        assert_eq!((numbers.stmt(&block[0]), numbers.stmt(&then[0])), (Some(0), Some(1)));
        let copy = block.clone();
        assert_eq!(numbers.stmt(&copy[0]), None);
        assert_eq!(NodeNumbers::of(&copy).access_count(), 4);
    }
}
