//! How deep lines are nested: from the statements of the tree.

use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::token::{Keyword, Sign, Token, TokenKind};
use std::collections::HashMap;

/// The nesting depths of the places where a line may begin.
pub(super) struct Indents {
    /// Of statements, fields and members, by their first byte.
    starts: HashMap<u32, usize>,
    /// Statements with blocks, outer ones first.
    blocks: Vec<(Span, usize)>,
}

impl Indents {
    pub(super) fn of(module: &Module) -> Indents {
        let mut indents = Indents { starts: HashMap::new(), blocks: Vec::new() };
        for import in &module.imports {
            indents.starts.insert(import.span.start, 0);
        }
        indents.block(&module.items, 0);
        indents
    }

    /// The depth of a line that begins with this token; `None` for a line that continues a statement.
    pub(super) fn of_line(&self, token: Token) -> Option<usize> {
        if self.closes(token) {
            let around = |(span, _): &&(Span, usize)| span.start < token.start && token.start < span.end;
            return self.blocks.iter().rev().find(around).map(|(_, depth)| *depth);
        }
        self.starts.get(&token.start).copied()
    }

    /// Whether a line that begins with this token ends a block or a part of one.
    pub(super) fn closes(&self, token: Token) -> bool {
        match token.kind {
            TokenKind::Keyword(keyword) => keyword.closes_block() || keyword == Keyword::Catch,
            TokenKind::Sign(Sign::Or) => !self.starts.contains_key(&token.start),
            _ => false,
        }
    }

    fn block(&mut self, block: &[Stmt], depth: usize) {
        for stmt in block {
            self.statement(stmt, depth);
        }
    }

    fn statement(&mut self, stmt: &Stmt, depth: usize) {
        self.starts.entry(stmt.span.start).or_insert(depth);
        self.blocks.push((stmt.span, depth));
        let inner = depth + 1;
        match &stmt.kind {
            StmtKind::Function(function) | StmtKind::Macro(function) => self.block(&function.body, inner),
            StmtKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| self.block(body, inner));
                self.block(otherwise.as_deref().unwrap_or_default(), inner);
            }
            StmtKind::Labelled { body, .. } => self.statement(body, depth),
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => {
                self.block(body, inner);
            }
            StmtKind::Match { arms, .. } => arms.iter().for_each(|arm| self.block(&arm.body, inner)),
            StmtKind::Try { body, catches } => {
                self.block(body, inner);
                catches.iter().for_each(|catch| self.block(&catch.body, inner));
            }
            StmtKind::TypeDef(definition) => self.members(&definition.body, inner),
            _ => {
                self.blocks.pop();
            }
        }
    }

    fn members(&mut self, body: &TypeBody, depth: usize) {
        match body {
            TypeBody::Alias(_) => {}
            TypeBody::Class { fields, .. } | TypeBody::Derived { fields, .. } => {
                for field in fields {
                    self.starts.insert(field.name.span.start, depth);
                }
            }
            TypeBody::Enum(members) => {
                for (name, _) in members {
                    self.starts.insert(name.span.start, depth);
                }
            }
        }
    }
}
