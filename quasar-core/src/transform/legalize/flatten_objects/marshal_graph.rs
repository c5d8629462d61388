//! Launches of kernels that follow pointers: before, all objects that the arguments lead to are numbered and their fields
//! put into arrays; after, objects that the kernel made are made on the host, and what it wrote is brought back.

use super::handles::{Graph, Sites};
use super::launches::{HostBody, Spread};
use super::leaves;
use super::object_pools::Pool;
use crate::ir::build;
use crate::ir::{Block, Dims, Expr, ExprKind, Index, LoopAttributes, LoopMode, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::{ArrayType, Boundary, ClassType, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The objects of a launch.
pub(super) struct Numbered {
    /// The array of the objects of each class.
    objects: BTreeMap<u32, VarId>,
    /// The arrays of one element with the numbers of objects, where the kernel makes some.
    counts: BTreeMap<u32, Expr>,
    /// Arrays of references that the kernel changes, with their numbers.
    arrays: Vec<(Expr, Expr)>,
}

/// The pool that a parameter is, with where its objects are.
#[derive(Clone)]
pub(super) struct Place {
    pool: Pool,
    objects: VarId,
}

impl HostBody<'_> {
    /// Numbers the objects and gives the kernel numbers for references; adds its pools to the arguments.
    pub(super) fn number(
        &mut self,
        graph: &Graph,
        args: &mut Vec<Expr>,
        dims: &Dims,
        out: &mut Block,
    ) -> Numbered {
        let span = args.first().map_or(Span::default(), |arg| arg.span);
        let (mut roots, mut arrays) = (Vec::new(), Vec::new());
        for root in &graph.roots {
            let Some(arg) = args.get_mut(root.param) else { continue };
            let taken = std::mem::replace(arg, build::int(0, span));
            *arg = self.keep(build::convert(taken, &root.ty), out);
            roots.push(arg.clone());
        }
        let numbers = graph.known.iter().map(|id| build::int(*id as i32, span)).collect();
        let classes = Expr::new(
            ExprKind::Array(numbers),
            Type::array(Type::INT, &[Some(graph.known.len() as u32)]),
            span,
        );
        let mut objects = BTreeMap::new();
        for id in &graph.known {
            let Some(pool) = self.pools.get(*id) else { continue };
            objects.insert(*id, self.body.temporary(references(&pool.class), span));
        }
        let results = objects.values().map(|variable| Some(*variable)).collect();
        let reached = std::iter::once(classes).chain(roots).collect();
        out.push(Stmt::new(StmtKind::Library { name: "objects_reached", args: reached, results }, span));
        for root in &graph.roots {
            let Some(of) = self.pools.of_elements(&root.ty).and_then(|pool| objects.get(&pool.class.id.0))
            else {
                continue;
            };
            let Some(arg) = args.get_mut(root.param) else { continue };
            let kind = ExprKind::Library {
                name: "object_places",
                args: vec![self.body.read(*of, span), arg.clone()],
            };
            let places = self.keep(Expr::new(kind, self.pools.flat(&root.ty), arg.span), out);
            let reference = std::mem::replace(arg, places.clone());
            if root.changed && matches!(root.ty, Type::Array(_)) {
                arrays.push((reference, places));
            }
        }
        for id in &graph.pools {
            if let Some(variable) = objects.get(id) {
                args.push(self.body.read(*variable, span));
            }
        }
        let mut counts = BTreeMap::new();
        for (id, sites) in &graph.made {
            let Some(variable) = objects.get(id) else { continue };
            let count = self.count(*variable, span);
            let ty = Type::array(Type::INT, &[None]);
            let one = Expr::new(ExprKind::Array(vec![count]), Type::array(Type::INT, &[Some(1)]), span);
            let counter = self.keep(build::convert(one, &ty), out);
            args.push(counter.clone());
            counts.insert(*id, counter);
            let reserve = self.reserve(*id, *sites, dims, span);
            let reserve = self.keep(reserve, out);
            self.reserves.insert(*variable, reserve);
        }
        Numbered { objects, counts, arrays }
    }

    fn count(&self, objects: VarId, span: Span) -> Expr {
        Expr::new(ExprKind::Count(Box::new(self.body.read(objects, span))), Type::INT, span)
    }

    /// For how many objects that a launch makes there is room.
    fn reserve(&self, class: u32, sites: Sites, dims: &Dims, span: Span) -> Expr {
        let threads = match dims {
            Dims::Each(each) => each.iter().cloned().reduce(|a, b| build::of_ints("multiply", a, b)),
            Dims::Vector(vector) => {
                let kind = ExprKind::Library { name: "prod", args: vec![vector.clone()] };
                Some(Expr::new(kind, Type::INT, span))
            }
        };
        let leaves = self.pools.get(class).map(|pool| leaves(self.program, &pool.flat)).unwrap_or_default();
        let bytes = leaves.iter().map(|leaf| {
            let count = leaf.ty.as_array().and_then(ArrayType::count).unwrap_or(1);
            count * build::element_of(&leaf.ty).map_or(4, |element| element.size() as u32)
        });
        let numbers = [sites.once as i32, i32::from(sites.in_loops), bytes.sum::<u32>() as i32];
        let numbers = numbers.map(|n| build::int(n, span));
        let args = threads.into_iter().chain(numbers).collect();
        Expr::new(ExprKind::Library { name: "objects_reserve", args }, Type::INT, span)
    }

    /// Which pool an argument is.
    pub(super) fn pool_of(&self, arg: &Expr, ty: &Type) -> Option<Place> {
        let ExprKind::Local(objects) = arg.kind else { return None };
        let (_, class) = super::class_of_elements(ty)?;
        Some(Place { pool: self.pools.of_flat(class)?.clone(), objects })
    }

    /// The arrays of the leaves that the kernel uses, filled from the objects.
    pub(super) fn spread_pool(
        &mut self,
        arg: Expr,
        place: Place,
        numbered: &Numbered,
        first: usize,
        kept: &[bool],
        out: &mut Block,
    ) -> Spread {
        let span = arg.span;
        let leaves = leaves(self.program, &place.pool.flat);
        let mut size = self.count(place.objects, span);
        if let Some(reserve) = self.reserves.get(&place.objects) {
            size = build::of_ints("add", size, reserve.clone());
        }
        let size = self.keep(size, out);
        let of = ArrayType::new(Type::Class(place.pool.flat.clone()), &[None]);
        let mut args = Vec::new();
        let mut filled = Vec::new();
        for (k, leaf) in leaves.iter().enumerate() {
            let ty = super::leaf_array(&of, &leaf.ty);
            if !kept.get(first + k).copied().unwrap_or(true) {
                args.push(size.clone());
                continue;
            }
            let target = self.target(&place.pool.class, &leaf.path);
            let value = match target {
                Some(to) => {
                    let to = numbered.objects.get(&to).copied();
                    let to = to.map(|to| self.body.read(to, span));
                    let nothing =
                        Expr::new(ExprKind::Tuple(Vec::new()), Type::array(Type::Dynamic, &[Some(0)]), span);
                    let name = Expr::new(ExprKind::Text(leaf.name.clone()), Type::Text, span);
                    let objects = self.body.read(place.objects, span);
                    let args = vec![objects, name, to.unwrap_or(nothing), size.clone()];
                    ExprKind::Library { name: "object_links", args }
                }
                None => {
                    filled.push(k);
                    let inner = super::launches::inner_sizes(&leaf.ty, span);
                    let args = std::iter::once(size.clone()).chain(inner).collect();
                    ExprKind::Library { name: "zeros", args }
                }
            };
            args.push(self.keep(Expr::new(value, ty, span), out));
        }
        if !filled.is_empty() {
            let (objects, of) = (self.body.read(place.objects, span), references_of(&place.pool.class));
            self.each(&objects, &of, out, |this, object, index, block| {
                for k in filled {
                    let value = this.leaf(object, &leaves[k]);
                    block.push(super::launches::store(&args[k], index, &leaves[k], value));
                }
            });
        }
        Spread { value: arg, leaves, args, first, cells: Default::default(), pool: Some(place) }
    }

    /// The class of the pool that a leaf refers to, where it is a reference.
    fn target(&self, class: &Arc<ClassType>, path: &[usize]) -> Option<u32> {
        let [field] = path else { return None };
        let field = self.program.class(class)?.fields.get(*field)?;
        match &field.ty {
            Type::Pointer(to) => Some(to.id.0),
            ty => Some(self.pools.of(ty)?.class.id.0),
        }
    }

    /// Makes the objects that the kernel made.
    pub(super) fn make_objects(&mut self, numbered: &Numbered, span: Span, out: &mut Block) {
        for (id, counter) in &numbered.counts {
            let (Some(pool), Some(objects)) =
                (self.pools.get(*id).cloned(), numbered.objects.get(id).copied())
            else {
                continue;
            };
            let before = self.count(objects, span);
            let before = self.keep(before, out);
            let after = build::load(counter.clone(), vec![build::int(0, span)], Boundary::Checked, span);
            let after = self.keep(after, out);
            let args = vec![self.body.read(objects, span), after.clone()];
            let extended = Expr::new(
                ExprKind::Library { name: "objects_extended", args },
                references(&pool.class),
                span,
            );
            out.push(build::assign(objects, extended));
            let place = self.body.temporary(Type::INT, span);
            let mut body = Block::new();
            let object = self.blank(&pool.class, span, &mut body);
            let value = build::convert(object, &Type::Pointer(pool.class.clone()));
            let (array, index) =
                (self.body.read(objects, span), vec![Index::At(self.body.read(place, span))]);
            let kind = StmtKind::Store { array, index, boundary: Boundary::Checked, value };
            body.push(Stmt::new(kind, span));
            let range = build::range(before, build::of_ints("subtract", after, build::int(1, span)));
            let attributes = LoopAttributes { mode: LoopMode::Host, ..LoopAttributes::default() };
            out.push(Stmt::new(StmtKind::For { variable: place, range, body, attributes }, span));
        }
    }

    /// An object whose fields hold nothing yet.
    fn blank(&mut self, class: &Arc<ClassType>, span: Span, out: &mut Block) -> Expr {
        let fields = self.program.class(class).map(|class| class.fields.clone()).unwrap_or_default();
        let mut values = Vec::new();
        for field in fields {
            values.push(match &field.ty {
                Type::Class(inner) => self.blank(inner, span, out),
                Type::Pointer(_) => build::convert(Expr::new(ExprKind::Null, Type::Null, span), &field.ty),
                Type::Array(array) => {
                    let sizes =
                        array.sizes.iter().map(|size| build::int(size.unwrap_or(0) as i32, span)).collect();
                    Expr::new(ExprKind::Library { name: "zeros", args: sizes }, field.ty.clone(), span)
                }
                ty => build::convert(build::int(0, span), ty),
            });
        }
        self.keep(Expr::new(ExprKind::New(values), Type::Class(class.clone()), span), out)
    }

    /// Gives the fields of objects what the kernel wrote there.
    pub(super) fn bring_back_pool(
        &mut self,
        spread: &Spread,
        place: &Place,
        written: &[usize],
        numbered: &Numbered,
        out: &mut Block,
    ) {
        let span = spread.value.span;
        let (objects, of) = (self.body.read(place.objects, span), references_of(&place.pool.class));
        self.each(&objects, &of, out, |this, object, index, block| {
            for &k in written {
                let leaf = &spread.leaves[k];
                let Some(to) = this.target(&place.pool.class, &leaf.path) else {
                    let set = this.written_leaf(object, leaf, &spread.args[k], index, span);
                    block.push(set);
                    continue;
                };
                let Some(to) = numbered.objects.get(&to).copied() else { continue };
                let from = build::load(spread.args[k].clone(), at(index), Boundary::Checked, span);
                let value = this.reference(from, to, span, block);
                let (object, field) = this.holder(object, leaf);
                block.push(Stmt::new(StmtKind::SetMember { object, field, value }, span));
            }
        });
    }

    /// Gives arrays of references what the kernel wrote there.
    pub(super) fn bring_back_references(&mut self, numbered: &Numbered, out: &mut Block) {
        for (array, places) in &numbered.arrays {
            let span = array.span;
            let Some(of) = array.ty.as_array().cloned() else { continue };
            // The objects of an array lie in it: only their fields can have changed.
            let Type::Pointer(class) = &*of.element else { continue };
            let Some(to) = numbered.objects.get(&class.id.0).copied() else { continue };
            self.each(array, &of, out, |this, _, index, block| {
                let from = build::load(places.clone(), at(index), Boundary::Checked, span);
                let value = this.reference(from, to, span, block);
                let kind = StmtKind::Store {
                    array: array.clone(),
                    index: index.to_vec(),
                    boundary: Boundary::Checked,
                    value,
                };
                block.push(Stmt::new(kind, span));
            });
        }
    }

    /// What a number refers to.
    fn reference(&mut self, number: Expr, objects: VarId, span: Span, block: &mut Block) -> Expr {
        let number = self.keep(number, block);
        let array = self.body.read(objects, span);
        let ty = array.ty.as_array().map_or(Type::Null, |array| (*array.element).clone());
        let found = self.body.temporary(ty.clone(), span);
        let condition = build::of_ints("less", number.clone(), build::int(0, span));
        let null = build::convert(Expr::new(ExprKind::Null, Type::Null, span), &ty);
        let (index, array) = (vec![Index::At(number)], Box::new(array));
        let object = Expr::new(ExprKind::Load { array, index, boundary: Boundary::Checked }, ty, span);
        block.push(build::choice(
            condition,
            vec![build::assign(found, null)],
            vec![build::assign(found, object)],
            span,
        ));
        self.body.read(found, span)
    }
}

fn at(index: &[Index]) -> Vec<Expr> {
    index.iter().filter_map(|index| if let Index::At(at) = index { Some(at.clone()) } else { None }).collect()
}

fn references_of(class: &Arc<ClassType>) -> ArrayType {
    ArrayType::new(Type::Pointer(class.clone()), &[None])
}

fn references(class: &Arc<ClassType>) -> Type {
    Type::Array(references_of(class))
}
