//! Launches of kernels with objects: arrays are filled from the objects before, and brought back after.

use super::handles::Graph;
use super::marshal_graph::Place;
use super::object_pools::Pools;
use super::{Leaf, Mode, class_of_elements, is_open, leaf_array, leaves, stored};
use crate::ir::build;
use crate::ir::rewrite::{blocks_mut, read_in, same, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, KernelId, LoopAttributes, LoopMode, Program, Stmt, StmtKind, VarId,
};
use crate::source::Span;
use crate::types::{ArrayType, Boundary, Type};
use std::collections::{BTreeMap, BTreeSet};

/// What a kernel's parameters became.
pub(super) struct Launched {
    pub(super) modes: Vec<Mode>,
    /// The types that its parameters had.
    pub(super) original: Vec<Type>,
    /// The new parameters that it writes to.
    pub(super) written: BTreeSet<usize>,
    /// What it needs where it follows pointers.
    pub(super) graph: Option<Graph>,
    /// Which of the new parameters it still has.
    pub(super) kept: Vec<bool>,
}

/// Takes parameters for fields of objects that pointers refer to from a kernel that does not use them.
pub(super) fn keep_used(body: &mut Body, pools: &BTreeSet<VarId>) -> Vec<bool> {
    let used = read_in(&body.block);
    let kept: Vec<bool> =
        body.params.iter().map(|param| !pools.contains(param) || used.contains(param)).collect();
    let mut each = kept.iter();
    body.params.retain(|_| each.next().copied().unwrap_or(true));
    kept
}

/// Changes all launches of such kernels.
pub(super) fn run(program: &mut Program, launched: &BTreeMap<KernelId, Launched>, pools: &Pools) {
    for id in program.functions.ids().collect::<Vec<_>>() {
        let mut found = false;
        visit_stmts(&program.functions[id].body.block, &mut |stmt| {
            found |= matches!(&stmt.kind, StmtKind::Launch { kernel, .. } if launched.contains_key(kernel));
        });
        if !found {
            continue;
        }
        let mut body = std::mem::take(&mut program.functions[id].body);
        let block = std::mem::take(&mut body.block);
        let mut host = HostBody { program, launched, pools, reserves: BTreeMap::new(), body };
        let block = host.block(block);
        let mut body = host.body;
        body.block = block;
        program.functions[id].body = body;
    }
}

pub(super) struct HostBody<'p> {
    pub(super) program: &'p Program,
    launched: &'p BTreeMap<KernelId, Launched>,
    pub(super) pools: &'p Pools,
    /// How many objects kernels may add to those of an array.
    pub(super) reserves: BTreeMap<VarId, Expr>,
    pub(super) body: Body,
}

/// An argument with the arguments that it became.
pub(super) struct Spread {
    pub(super) value: Expr,
    pub(super) leaves: Vec<Leaf>,
    pub(super) args: Vec<Expr>,
    /// The number of the first one.
    pub(super) first: usize,
    pub(super) cells: BTreeSet<usize>,
    /// The objects that it stands for, where they are all that pointers lead to.
    pub(super) pool: Option<Place>,
}

impl HostBody<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::new();
        for mut stmt in block {
            blocks_mut(&mut stmt, &mut |inner| *inner = self.block(std::mem::take(inner)));
            match &stmt.kind {
                StmtKind::Launch { kernel, .. } if self.launched.contains_key(kernel) => {
                    self.launch(stmt, &mut out)
                }
                _ => out.push(stmt),
            }
        }
        out
    }

    fn launch(&mut self, mut stmt: Stmt, out: &mut Block) {
        let span = stmt.span;
        let StmtKind::Launch { kernel, args, dims, .. } = &mut stmt.kind else { return };
        let Some(info) = self.launched.get(kernel) else { return };
        let mut given = std::mem::take(args);
        let numbered = info.graph.as_ref().map(|graph| self.number(graph, &mut given, dims, out));
        let mut spreads: Vec<Spread> = Vec::new();
        let mut passed = Vec::new();
        for ((arg, mode), ty) in given.into_iter().zip(&info.modes).zip(&info.original) {
            if *mode == Mode::Plain {
                passed.push(arg);
                continue;
            }
            if let (Some(numbered), Some(place)) = (&numbered, self.pool_of(&arg, ty)) {
                let spread = self.spread_pool(arg, place, numbered, passed.len(), &info.kept, out);
                passed.extend(spread.args.iter().cloned());
                spreads.push(spread);
                continue;
            }
            // An argument that is given twice is one object.
            let known = spreads.iter().find(|known| same(&known.value, &arg)).map(|known| known.args.clone());
            let first = passed.len();
            let spread = match known {
                Some(args) => {
                    let (leaves, cells) = (self.leaves_of(ty), BTreeSet::new());
                    Spread { value: arg, leaves, args, first, cells, pool: None }
                }
                None => self.spread(arg, mode, ty, first, out),
            };
            passed.extend(spread.args.iter().cloned());
            spreads.push(spread);
        }
        let kept = passed.into_iter().enumerate().filter(|(k, _)| info.kept.get(*k).copied().unwrap_or(true));
        *args = kept.map(|(_, arg)| arg).collect();
        out.push(stmt);
        if let Some(numbered) = &numbered {
            self.make_objects(numbered, span, out);
        }
        for spread in &spreads {
            // What is in arrays of unknown sizes changed in the arrays of the objects themselves.
            let comes_back =
                |k: &usize| info.written.contains(&(spread.first + k)) && !is_open(&spread.leaves[*k].ty);
            let written: Vec<usize> = (0..spread.leaves.len()).filter(comes_back).collect();
            match (&spread.pool, &numbered) {
                _ if written.is_empty() => {}
                (Some(place), Some(numbered)) => self.bring_back_pool(spread, place, &written, numbered, out),
                _ => self.bring_back(spread, &written, span, out),
            }
        }
        if let Some(numbered) = &numbered {
            self.bring_back_references(numbered, out);
        }
    }

    fn leaves_of(&self, ty: &Type) -> Vec<Leaf> {
        match (ty, class_of_elements(ty)) {
            (Type::Class(class), _) => leaves(self.program, class),
            (_, Some((_, class))) => leaves(self.program, class),
            _ => Vec::new(),
        }
    }

    /// A value in a variable.
    pub(super) fn keep(&mut self, value: Expr, out: &mut Block) -> Expr {
        let (span, variable) = (value.span, self.body.temporary(value.ty.clone(), value.span));
        out.push(build::assign(variable, value));
        self.body.read(variable, span)
    }

    fn spread(&mut self, arg: Expr, mode: &Mode, ty: &Type, first: usize, out: &mut Block) -> Spread {
        let span = arg.span;
        let original = arg.clone();
        let arg = self.keep(build::convert(arg, ty), out);
        let leaves = self.leaves_of(ty);
        let mut args = Vec::new();
        let mut cells = BTreeSet::new();
        if let Some((array, _)) = class_of_elements(ty) {
            let extents: Vec<Expr> =
                (0..array.sizes.len()).map(|axis| build::extent(arg.clone(), axis, span)).collect();
            for leaf in &leaves {
                let sizes = extents.iter().cloned().chain(inner_sizes(&leaf.ty, span)).collect();
                let kind = ExprKind::Library { name: "zeros", args: sizes };
                args.push(self.keep(Expr::new(kind, leaf_array(array, &leaf.ty), span), out));
            }
            let array = array.clone();
            self.each(&arg, &array, out, |this, object, index, block| {
                for (leaf, target) in leaves.iter().zip(&args) {
                    let value = this.leaf(object, leaf);
                    block.push(store(target, index, leaf, value));
                }
            });
        } else {
            for (k, leaf) in leaves.iter().enumerate() {
                let value = self.leaf(&arg, leaf);
                let is_cell = matches!(mode, Mode::Leaves { cells } if cells.contains(&k));
                if is_cell {
                    cells.insert(k);
                    let value = build::convert(value, &stored(&leaf.ty));
                    let ty = Type::array(stored(&leaf.ty), &[None]);
                    let cell = Expr::new(
                        ExprKind::Array(vec![value]),
                        Type::array(stored(&leaf.ty), &[Some(1)]),
                        span,
                    );
                    args.push(self.keep(build::convert(cell, &ty), out));
                } else {
                    args.push(self.keep(value, out));
                }
            }
        }
        Spread { value: original, leaves, args, first, cells, pool: None }
    }

    fn bring_back(&mut self, spread: &Spread, written: &[usize], span: Span, out: &mut Block) {
        let ty = spread.value.ty.clone();
        match class_of_elements(&ty) {
            Some((array, _)) => {
                let array = array.clone();
                self.each(&spread.value, &array, out, |this, object, index, block| {
                    for &k in written {
                        let set = this.written_leaf(object, &spread.leaves[k], &spread.args[k], index, span);
                        block.push(set);
                    }
                });
            }
            None => {
                for &k in written.iter().filter(|k| spread.cells.contains(k)) {
                    let leaf = &spread.leaves[k];
                    let value = build::load(
                        spread.args[k].clone(),
                        vec![build::int(0, span)],
                        Boundary::Checked,
                        span,
                    );
                    let stmt = self.set(&spread.value, leaf, value);
                    out.push(stmt);
                }
            }
        }
    }

    /// Gives a field the value that stands in the array of its leaf.
    pub(super) fn written_leaf(
        &self,
        object: &Expr,
        leaf: &Leaf,
        from: &Expr,
        index: &[Index],
        span: Span,
    ) -> Stmt {
        let mut index = index.to_vec();
        let ty = match &leaf.ty {
            Type::Array(inner) => {
                index.extend(inner.sizes.iter().map(|_| Index::All));
                leaf.ty.clone()
            }
            other => stored(other),
        };
        let kind = ExprKind::Load { array: Box::new(from.clone()), index, boundary: Boundary::Checked };
        self.set(object, leaf, Expr::new(kind, ty, span))
    }

    /// Runs over the objects of an array.
    pub(super) fn each(
        &mut self,
        array: &Expr,
        ty: &ArrayType,
        out: &mut Block,
        f: impl FnOnce(&mut Self, &Expr, &[Index], &mut Block),
    ) {
        let span = array.span;
        let places: Vec<VarId> = ty.sizes.iter().map(|_| self.body.temporary(Type::INT, span)).collect();
        let index: Vec<Index> = places.iter().map(|place| Index::At(self.body.read(*place, span))).collect();
        let mut block = Block::new();
        let kind = ExprKind::Load {
            array: Box::new(array.clone()),
            index: index.clone(),
            boundary: Boundary::Checked,
        };
        let object = self.keep(Expr::new(kind, (*ty.element).clone(), span), &mut block);
        f(self, &object, &index, &mut block);
        for (axis, variable) in places.iter().enumerate().rev() {
            let extent = build::extent(array.clone(), axis, span);
            let last = match quasar_devicelib::ops::find("subtract") {
                Some(row) => build::apply(row, vec![extent, build::int(1, span)], Type::INT, span),
                None => extent,
            };
            let attributes = LoopAttributes { mode: LoopMode::Host, ..LoopAttributes::default() };
            let range = build::range(build::int(0, span), last);
            block =
                vec![Stmt::new(StmtKind::For { variable: *variable, range, body: block, attributes }, span)];
        }
        out.extend(block);
    }

    /// The object that holds a leaf, and the leaf's field in it.
    pub(super) fn holder(&self, object: &Expr, leaf: &Leaf) -> (Expr, usize) {
        let mut object = object.clone();
        let (last, outer) = leaf.path.split_last().map_or((0, &[][..]), |(last, outer)| (*last, outer));
        for field in outer {
            let class = object.ty.class().and_then(|class| self.program.class(class));
            let ty =
                class.and_then(|class| class.fields.get(*field)).map_or(Type::Unit, |field| field.ty.clone());
            let span = object.span;
            object = Expr::new(ExprKind::Member(Box::new(object), *field), ty, span);
        }
        (object, last)
    }

    pub(super) fn leaf(&self, object: &Expr, leaf: &Leaf) -> Expr {
        let (holder, field) = self.holder(object, leaf);
        let span = object.span;
        Expr::new(ExprKind::Member(Box::new(holder), field), leaf.ty.clone(), span)
    }

    fn set(&self, object: &Expr, leaf: &Leaf, value: Expr) -> Stmt {
        let span = value.span;
        match &leaf.ty {
            Type::Array(array) => {
                let index = array.sizes.iter().map(|_| Index::All).collect();
                let array = self.leaf(object, leaf);
                Stmt::new(StmtKind::Store { array, index, boundary: Boundary::Checked, value }, span)
            }
            ty => {
                let (object, field) = self.holder(object, leaf);
                let value = build::convert(value, ty);
                Stmt::new(StmtKind::SetMember { object, field, value }, span)
            }
        }
    }
}

/// The sizes of what each object adds to the dimensions of the array of a leaf.
pub(super) fn inner_sizes(leaf: &Type, span: Span) -> Vec<Expr> {
    let sizes = leaf.as_array().filter(|_| !is_open(leaf)).map_or(&[][..], |array| &array.sizes);
    sizes.iter().map(|size| build::int(size.unwrap_or(0) as i32, span)).collect()
}

pub(super) fn store(target: &Expr, index: &[Index], leaf: &Leaf, value: Expr) -> Stmt {
    let span = target.span;
    let mut index = index.to_vec();
    let value = match &leaf.ty {
        Type::Array(_) if is_open(&leaf.ty) => value,
        Type::Array(inner) => {
            index.extend(inner.sizes.iter().map(|_| Index::All));
            value
        }
        other => build::convert(value, &stored(other)),
    };
    Stmt::new(StmtKind::Store { array: target.clone(), index, boundary: Boundary::Checked, value }, span)
}
