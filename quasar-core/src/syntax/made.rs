//! Trees that the compiler makes while it analyses a unit. They stay where they are, so references to them live as long
//! as references to what was read.

use super::ast::{Block, Expr, NodeId, Stmt};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names one tree of a [`Made`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MadeId(pub u32);

/// All trees that were made for a unit.
#[derive(Debug, Default)]
pub struct Made {
    ids: AtomicU32,
    exprs: List<Expr>,
    definitions: List<Stmt>,
    blocks: List<Block>,
    patterns: List<Expr>,
}

impl Made {
    /// An id for a made node that was not given out before.
    pub fn fresh(&self) -> NodeId {
        NodeId::made(self.number())
    }

    /// A number that was not given out before, for names.
    pub fn number(&self) -> u32 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Keeps an expression.
    pub fn keep(&self, expr: Expr) -> (MadeId, &Expr) {
        let (id, expr) = self.exprs.push(expr);
        (MadeId(id), expr)
    }

    /// Keeps a function or rule.
    pub fn keep_definition(&self, stmt: Stmt) -> &Stmt {
        self.definitions.push(stmt).1
    }

    /// Keeps the pattern of a rule, which is no code.
    pub fn keep_pattern(&self, pattern: Expr) -> &Expr {
        self.patterns.push(pattern).1
    }

    /// Keeps the statements of a body.
    pub fn keep_block(&self, block: Block) -> &Block {
        self.blocks.push(block).1
    }

    /// An expression that was kept.
    pub fn expr(&self, id: MadeId) -> Option<&Expr> {
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

/// A list that only grows, in chunks that never move: chunk k has 2^k places.
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

/// Chunk and place in it of an element.
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
        let made = Made::default();
        let (a, b) = (made.fresh(), made.fresh());
        assert!(a != b && a.is_made() && !NodeId(5).is_made());
    }
}
