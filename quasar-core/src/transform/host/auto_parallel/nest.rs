//! Perfect nests of loops.

use crate::analysis::dependence::Loop;
use crate::ir::rewrite::set_in;
use crate::ir::{Block, Body, Expr, KernelAttributes, LoopAttributes, Stmt, StmtKind};
use crate::source::Span;
use crate::target::any::ROW_OF_UPDATES;
use crate::transform::host::outline::{depends_on, loads_elements, may_store};
use crate::types::{ElementType, Type};

/// A perfect nest: its loops from the outside in, each with the block inside it.
pub(super) struct Nest<'a> {
    pub(super) loops: Vec<Loop>,
    pub(super) blocks: Vec<&'a Block>,
    pub(super) attributes: LoopAttributes,
    pub(super) span: Span,
}

impl Nest<'_> {
    /// The dimensions, of so many, of a launch whose positions update elements of common arrays. An innermost loop of few iterations, as
    /// that over the channels of a pixel, stays inside of a position: such a row of positions has less work than what is done before it.
    pub(super) fn around_few_updates(&self, depth: usize) -> usize {
        let count = self.loops[depth - 1].range.constant_count();
        if depth > 1 && count.is_some_and(|count| count <= ROW_OF_UPDATES) { depth - 1 } else { depth }
    }
}

/// The loops of a perfect nest with integer variables and constant steps whose bounds do not change inside it.
pub(super) fn nest_of<'a>(stmt: &'a Stmt, body: &Body) -> Option<Nest<'a>> {
    let StmtKind::For { attributes, .. } = &stmt.kind else { return None };
    let mut nest =
        Nest { loops: Vec::new(), blocks: Vec::new(), attributes: attributes.clone(), span: stmt.span };
    let mut current = stmt;
    while let StmtKind::For { variable, range, body: inner, attributes } = &current.kind {
        let integer = matches!(body.variables[*variable].ty, Type::Scalar(ElementType::Int32, _));
        let step = range.step.as_ref().map_or(Some(1), Expr::constant_int);
        let mut changing = set_in(inner);
        changing.extend(nest.loops.iter().map(|l: &Loop| l.variable));
        let plain = LoopAttributes { skewed: attributes.skewed, ..LoopAttributes::default() };
        // The wish for vectors is about the innermost loop of the nest.
        let vectors = attributes.kernel.as_ref().and_then(|kernel| kernel.vectors);
        let wish = KernelAttributes { vectors, ..KernelAttributes::default() };
        let only_wish = attributes.kernel.as_deref().is_none_or(|kernel| *kernel == wish);
        let no_others = LoopAttributes { kernel: None, ..attributes.clone() } == plain;
        let own_attributes = nest.loops.is_empty() || (only_wish && no_others);
        // Bounds that are elements may change where iterations store something, also by another name.
        let may_change = nest.blocks.first().is_some_and(|block| loads_elements(range) && may_store(block));
        let bounded = integer && step.is_some_and(|step| step != 0);
        if !bounded || may_change || depends_on(range, &changing) || !own_attributes {
            break;
        }
        if vectors.is_some() {
            nest.attributes.kernel.get_or_insert_default().vectors = vectors;
        }
        nest.loops.push(Loop { variable: *variable, range: range.clone() });
        nest.blocks.push(inner);
        match inner.as_slice() {
            [only] => current = only,
            _ => break,
        }
    }
    (!nest.loops.is_empty()).then_some(nest)
}
