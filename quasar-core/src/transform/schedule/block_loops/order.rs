//! Barriers between what the threads of a block do: where a thread may write what another one has read or written, or read what
//! another one has written, all threads wait.

use super::Node;
use crate::ir::rewrite::{operands, stored_in, visit, visit_stmts};
use crate::ir::{Expr, ExprKind, Scope, Stmt, StmtKind, VarSet};

/// The arrays that threads have accessed since they last waited.
pub(super) struct Order {
    /// The arrays that all threads see.
    far: VarSet,
    read: VarSet,
    written: VarSet,
}

impl Order {
    pub(super) fn new(far: VarSet) -> Order {
        Order { far, read: VarSet::new(), written: VarSet::new() }
    }

    /// The nodes with barriers where they are needed.
    pub(super) fn block(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let mut found = Vec::with_capacity(nodes.len());
        for node in nodes {
            let node = match node {
                Node::Nest(stmt, blocks) => {
                    // Conditions and bounds read nothing that the kernel writes.
                    let repeated = !matches!(stmt.kind, StmtKind::If { .. });
                    Node::Nest(stmt, self.nest(blocks, repeated))
                }
                node => {
                    let (read, written) = self.accesses(&node);
                    let meet = |a: &VarSet, b: &VarSet| !a.intersection(b).is_empty();
                    if meet(&read, &self.written)
                        || meet(&written, &self.read)
                        || meet(&written, &self.written)
                    {
                        found
                            .push(Node::All(Stmt::new(StmtKind::Barrier(Scope::Block), stmt_of(&node).span)));
                        self.waited();
                    }
                    self.read.add(&read);
                    self.written.add(&written);
                    // Threads wait for each other to combine what they have found.
                    if matches!(&node, Node::Shared(_, shared) if !shared.accumulators.is_empty()) {
                        self.waited();
                    }
                    node
                }
            };
            found.push(node);
        }
        found
    }

    fn waited(&mut self) {
        (self.read, self.written) = (VarSet::new(), VarSet::new());
    }

    /// The blocks of a statement. An iteration comes behind the one before.
    fn nest(&mut self, blocks: Vec<Vec<Node>>, repeated: bool) -> Vec<Vec<Node>> {
        if repeated {
            blocks.iter().for_each(|nodes| self.all(nodes));
        }
        let (read, written) = (self.read.clone(), self.written.clone());
        let (mut read_after, mut written_after) = (read.clone(), written.clone());
        let found = blocks.into_iter().map(|nodes| {
            if !repeated {
                (self.read, self.written) = (read.clone(), written.clone());
            }
            let nodes = self.block(nodes);
            read_after.add(&self.read);
            written_after.add(&self.written);
            nodes
        });
        let found = found.collect();
        (self.read, self.written) = (read_after, written_after);
        found
    }

    /// Adds all accesses of nodes.
    fn all(&mut self, nodes: &[Node]) {
        for node in nodes {
            if let Node::Nest(_, blocks) = node {
                blocks.iter().for_each(|nodes| self.all(nodes));
            } else {
                let (read, written) = self.accesses(node);
                self.read.add(&read);
                self.written.add(&written);
            }
        }
    }

    /// The arrays that a node reads and writes.
    fn accesses(&self, node: &Node) -> (VarSet, VarSet) {
        let block = std::slice::from_ref(stmt_of(node));
        let mut read = VarSet::new();
        visit_stmts(block, &mut |stmt| {
            let target = match &stmt.kind {
                StmtKind::Store { array, .. } | StmtKind::Update { array, .. } => Some(array),
                _ => None,
            };
            operands(stmt, &mut |e| {
                if target.is_none_or(|target| !std::ptr::eq(target, e)) {
                    reads(e, &mut read);
                }
            });
        });
        (read.intersection(&self.far), stored_in(block).intersection(&self.far))
    }
}

/// Adds the arrays of which an expression reads more than extents.
pub(super) fn reads(e: &Expr, found: &mut VarSet) {
    let mut extents = Vec::new();
    visit(e, &mut |e| {
        if let ExprKind::Extent(array, _) | ExprKind::Count(array) = &e.kind {
            extents.push(std::ptr::from_ref::<Expr>(array));
        }
    });
    visit(e, &mut |e| {
        if let ExprKind::Local(v) = e.kind
            && !extents.contains(&std::ptr::from_ref(e))
        {
            found.insert(v);
        }
    });
}

fn stmt_of(node: &Node) -> &Stmt {
    match node {
        Node::All(stmt) | Node::First(stmt) | Node::Shared(stmt, _) | Node::Nest(stmt, _) => stmt,
    }
}
