//! An append-only arena of synthesised trees. They never move, so references to them live as long as references to
//! parsed trees.

use super::ast::{Block, Expr, NodeId, Stmt};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Identifies a synthesised expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SyntheticId(pub u32);

/// All synthesised trees of a unit.
#[derive(Debug, Default)]
pub struct SyntheticTrees {
    ids: AtomicU32,
    exprs: List<Expr>,
    definitions: List<Stmt>,
    blocks: List<Block>,
    patterns: List<Expr>,
}

impl SyntheticTrees {
    /// A new id for a synthesised node.
    pub fn fresh(&self) -> NodeId {
        NodeId::made(self.number())
    }

    /// A new number, for generated names.
    pub fn number(&self) -> u32 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Stores an expression.
    pub fn keep(&self, expr: Expr) -> (SyntheticId, &Expr) {
        let (id, expr) = self.exprs.push(expr);
        (SyntheticId(id), expr)
    }

    /// Stores a function or rule.
    pub fn keep_definition(&self, stmt: Stmt) -> &Stmt {
        self.definitions.push(stmt).1
    }

    /// Stores the pattern of a rule, which is not code.
    pub fn keep_pattern(&self, pattern: Expr) -> &Expr {
        self.patterns.push(pattern).1
    }

    /// Stores the statements of a body.
    pub fn keep_block(&self, block: Block) -> &Block {
        self.blocks.push(block).1
    }

    /// A stored expression.
    pub fn expr(&self, id: SyntheticId) -> Option<&Expr> {
        self.exprs.get(id.0)
    }

    /// All expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.exprs.iter()
    }

    /// All functions.
    pub fn definitions(&self) -> impl Iterator<Item = &Stmt> {
        self.definitions.iter()
    }
}

/// A list that only grows, in chunks that never move: chunk k has 2^k slots.
#[derive(Debug)]
struct List<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; 32],
    len: AtomicU32,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { chunks: [const { OnceLock::new() }; 32], len: AtomicU32::new(0) }
    }
}

/// The chunk of an element, and the index in it.
fn place(number: u32) -> (usize, usize) {
    let number = number.saturating_add(1);
    let chunk = number.ilog2();
    (chunk as usize, (number - (1 << chunk)) as usize)
}

impl<T> List<T> {
    fn push(&self, value: T) -> (u32, &T) {
        let number = self.len.fetch_add(1, Ordering::Relaxed);
        let (chunk, offset) = place(number);
        let slots =
            self.chunks[chunk].get_or_init(|| (0..1usize << chunk).map(|_| OnceLock::new()).collect());
        (number, slots[offset].get_or_init(|| value))
    }

    fn get(&self, number: u32) -> Option<&T> {
        let (chunk, offset) = place(number);
        self.chunks[chunk].get()?.get(offset)?.get()
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len.load(Ordering::Relaxed)).filter_map(|number| self.get(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let list = List::default();
        let first = list.push(0u32).1;
        let others: Vec<(u32, &u32)> = (1..1000).map(|k| list.push(k)).collect();
        assert!(std::ptr::eq(first, list.get(0).unwrap()));
        assert!(others.iter().all(|(number, value)| number == *value && list.get(*number) == Some(value)));
        assert_eq!((list.get(1000), list.iter().count()), (None, 1000));
    }

    #[test]
    fn made_nodes_are_told_from_read_ones() {
        let made = SyntheticTrees::default();
        let (a, b) = (made.fresh(), made.fresh());
        assert!(a != b && a.is_synthetic() && !NodeId(5).is_synthetic());
    }
}
