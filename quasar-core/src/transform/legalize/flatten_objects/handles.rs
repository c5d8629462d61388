//! Pointers in kernels: references become numbers, and what they refer to the elements of pools.
//!
//! ```text
//! function [] = __kernel__ k(h : ^node, pos : int)       function [] = __kernel__ k(h : int, pos : int, node : vec[node])
//!     p = h.next                                             p = node[h].next
//!     if p != nullptr                                        if p != -1
//!         p.next = node(1, h)                                    n = (used[0] += 1) - 1
//!                                                                node[n].n = 1 ..; node[p].next = n
//! ```
//!
//! What is left are arrays of objects, which the rest of the pass takes apart. An object that nobody but its body gets
//! to know stays one of its own. The pools are called `^node`, so that an access of element -1 is known as one of `nullptr`.

use super::object_pools::{Needs, Pool, Pools};
use crate::ir::build;
use crate::ir::rewrite::{blocks, blocks_mut, children_mut, operands_mut, root, stored_in, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, Failure, FunctionId, Index, KernelId, Program, Stmt, StmtKind, VarId,
    VarSet, Variable,
};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops;
use std::collections::{BTreeMap, BTreeSet};

/// A parameter of a kernel that was a reference, or an array of such.
pub(super) struct Root {
    pub(super) param: usize,
    pub(super) ty: Type,
    /// Whether the kernel changes elements of the array.
    pub(super) changed: bool,
}

/// What the launches of a kernel pass for objects that pointers refer to.
pub(super) struct Graph {
    pub(super) roots: Vec<Root>,
    /// The classes whose references the kernel knows.
    pub(super) known: Vec<u32>,
    /// The classes whose pools are its last parameters, before the numbers of objects of those that it makes.
    pub(super) pools: Vec<u32>,
    pub(super) made: BTreeMap<u32, Sites>,
}

/// Where objects of a class are made by a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sites {
    /// So many places outside of loops.
    pub(super) once: u32,
    /// Whether there are others.
    pub(super) in_loops: bool,
}

/// Rewrites all kernels and the device functions that they call.
pub(super) fn run(
    program: &mut Program,
    pools: &Pools,
    reached: &BTreeSet<FunctionId>,
    sink: &mut Sink,
) -> BTreeMap<KernelId, Graph> {
    let (kernels, functions) = pools.needs(program, reached);
    let types = |class: &crate::ir::Class| class.fields.iter().map(|field| field.ty.clone()).collect();
    let fields = program.classes.iter().map(types).collect();
    let shared = Shared { kernels, functions, fields };
    let mut sites = SitesOf { program, pools, known: BTreeMap::new() };
    let made: BTreeMap<KernelId, BTreeMap<u32, Sites>> =
        program.kernels.iter().map(|(id, kernel)| (id, sites.body(&kernel.body))).collect();
    for id in reached {
        let body = std::mem::take(&mut program.functions[*id].body);
        let body = Rewriter::new(pools, body, &shared, shared.functions.get(id), sink).run();
        program.functions[*id].body = body;
    }
    let mut graphs = BTreeMap::new();
    for (id, made) in made {
        let needs = shared.kernels.get(&id);
        let body = std::mem::take(&mut program.kernels[id].body);
        let mut rewriter = Rewriter::new(pools, body, &shared, needs, sink);
        let roots = rewriter.roots();
        let body = rewriter.run();
        program.kernels[id].body = body;
        if let Some(needs) = needs.filter(|needs| !needs.known.is_empty()) {
            let (known, pools) =
                (needs.known.iter().copied().collect(), needs.entered.iter().copied().collect());
            graphs.insert(id, Graph { roots, known, pools, made });
        }
    }
    graphs
}

/// Counts where objects are made.
struct SitesOf<'p> {
    program: &'p Program,
    pools: &'p Pools,
    /// `None` while a function is looked at: one that calls itself makes objects as often as it likes.
    known: BTreeMap<FunctionId, Option<BTreeMap<u32, Sites>>>,
}

impl SitesOf<'_> {
    fn body(&mut self, body: &Body) -> BTreeMap<u32, Sites> {
        let mut found = BTreeMap::new();
        let own = self.pools.own(body);
        self.block(&body.block, &own, false, &mut found);
        found
    }

    fn block(&mut self, block: &Block, own: &VarSet, in_loop: bool, found: &mut BTreeMap<u32, Sites>) {
        for stmt in block {
            let mut add = |class: u32, once: u32, in_loops: bool| {
                let sites = found.entry(class).or_default();
                sites.once = sites.once.saturating_add(if in_loop { 0 } else { once });
                sites.in_loops |= in_loops || (in_loop && once > 0);
            };
            match &stmt.kind {
                StmtKind::Assign { variable, value }
                    if matches!(value.kind, ExprKind::New(_)) && !own.contains(variable) =>
                {
                    if let Some(pool) = self.pools.of(&value.ty) {
                        add(pool.class.id.0, 1, false);
                    }
                }
                StmtKind::Call { function, .. } => {
                    for (class, sites) in self.function(*function) {
                        add(class, sites.once, sites.in_loops);
                    }
                }
                _ => {}
            }
            let loops = matches!(
                stmt.kind,
                StmtKind::For { .. }
                    | StmtKind::ForEach { .. }
                    | StmtKind::While { .. }
                    | StmtKind::Repeat { .. }
            );
            blocks(stmt, &mut |inner| self.block(inner, own, in_loop || loops, found));
        }
    }

    fn function(&mut self, id: FunctionId) -> BTreeMap<u32, Sites> {
        match self.known.get(&id) {
            Some(Some(known)) => return known.clone(),
            Some(None) => {
                let all = |sites: Sites| Sites { in_loops: true, ..sites };
                let body = &self.program.functions[id].body;
                let made = self.pools.needs_of(body).made;
                return made.into_iter().map(|class| (class, all(Sites::default()))).collect();
            }
            None => {}
        }
        self.known.insert(id, None);
        let program = self.program;
        let sites = self.body(&program.functions[id].body);
        self.known.insert(id, Some(sites.clone()));
        sites
    }
}

struct Rewriter<'a> {
    pools: &'a Pools,
    body: Body,
    /// The variables for objects that nobody else gets to know.
    own: VarSet,
    /// The parameters with the pools.
    arrays: BTreeMap<u32, VarId>,
    /// Those with the numbers of objects in pools, where the body makes some.
    used: BTreeMap<u32, VarId>,
    shared: &'a Shared,
    sink: &'a mut Sink,
    out: Block,
}

/// What is known of the program.
struct Shared {
    kernels: BTreeMap<KernelId, Needs>,
    functions: BTreeMap<FunctionId, Needs>,
    /// The types of the fields of each class.
    fields: Vec<Vec<Type>>,
}

impl<'a> Rewriter<'a> {
    fn new(
        pools: &'a Pools,
        body: Body,
        shared: &'a Shared,
        needs: Option<&Needs>,
        sink: &'a mut Sink,
    ) -> Self {
        let own = pools.own(&body);
        let (arrays, used, out) = (BTreeMap::new(), BTreeMap::new(), Block::new());
        let mut this = Rewriter { pools, body, own, arrays, used, shared, sink, out };
        for id in needs.iter().flat_map(|needs| &needs.entered) {
            if let Some(pool) = pools.get(*id) {
                let array = Type::array(Type::Class(pool.flat.clone()), &[None]);
                let variable = this.hidden(&format!("^{}", pool.class.name), array);
                this.arrays.insert(*id, variable);
            }
        }
        for id in needs.iter().flat_map(|needs| &needs.made) {
            if let Some(pool) = pools.get(*id) {
                let variable =
                    this.hidden(&format!("{}.made", pool.class.name), Type::array(Type::INT, &[None]));
                this.used.insert(*id, variable);
            }
        }
        this
    }

    fn hidden(&mut self, name: &str, ty: Type) -> VarId {
        let span = self.body.block.first().map(|stmt| stmt.span).unwrap_or_default();
        let id = self.body.variables.push(Variable::new(name, ty, span));
        self.body.params.push(id);
        id
    }

    fn refuse(&mut self, span: Span, what: &str) {
        self.sink.push(Message::not_supported(span, what));
    }

    /// The parameters that are references, before they become numbers.
    fn roots(&mut self) -> Vec<Root> {
        for result in self.body.results.clone() {
            let variable = &self.body.variables[result];
            if self.pools.of_elements(&variable.ty).is_some() {
                self.refuse(variable.span, "kernels that give back pointers");
            }
        }
        let mut changed = stored_in(&self.body.block);
        // What functions are given they may change.
        visit_stmts(&self.body.block, &mut |stmt| {
            if let StmtKind::Call { args, .. } = &stmt.kind {
                changed.extend(args.iter().filter_map(root));
            }
        });
        let params = self.body.params.iter().enumerate();
        let roots = params.filter(|(_, id)| self.pools.of_elements(&self.body.variables[**id].ty).is_some());
        let described = |(param, id): (usize, &VarId)| {
            let ty = self.body.variables[*id].ty.clone();
            Root { param, ty, changed: changed.contains(id) }
        };
        roots.map(described).collect()
    }

    fn run(mut self) -> Body {
        let mut start = Block::new();
        let params: VarSet = self.body.params.iter().copied().collect();
        for id in self.body.variables.ids().collect::<Vec<_>>() {
            let variable = &mut self.body.variables[id];
            let reference = self.pools.of(&variable.ty).is_some() || variable.ty == Type::Null;
            if self.own.contains(&id) {
                if let Some(pool) = self.pools.of(&variable.ty) {
                    variable.ty = Type::Class(pool.flat.clone());
                }
                continue;
            }
            variable.ty = self.pools.flat(&variable.ty);
            // A variable that no path has set refers to nothing.
            if reference && !params.contains(&id) && !variable.name.starts_with('$') {
                start.push(build::assign(id, nothing(variable.span)));
            }
        }
        let block = std::mem::take(&mut self.body.block);
        start.extend(self.block(block));
        self.body.block = start;
        self.body
    }

    fn block(&mut self, block: Block) -> Block {
        let outer = std::mem::take(&mut self.out);
        for stmt in block {
            self.stmt(stmt);
        }
        std::mem::replace(&mut self.out, outer)
    }

    fn emit(&mut self, kind: StmtKind, span: Span) {
        self.out.push(Stmt { kind, span });
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::Assign { variable, value: Expr { kind: ExprKind::New(fields), ty, span: at } }
                if self.pools.of(&ty).is_some() =>
            {
                self.made(variable, fields, &ty, at);
            }
            StmtKind::SetMember { object, field, value } => {
                let (object, value) = (self.object(object), self.expr(value));
                self.emit(StmtKind::SetMember { object, field, value }, span);
            }
            StmtKind::Call { function, args, results } => {
                let mut args: Vec<Expr> = args.into_iter().map(|arg| self.expr(arg)).collect();
                if let Some(needs) = self.shared.functions.get(&function) {
                    let arrays = needs.entered.iter().filter_map(|id| self.arrays.get(id));
                    let used = needs.made.iter().filter_map(|id| self.used.get(id));
                    args.extend(arrays.chain(used).map(|variable| self.body.read(*variable, span)));
                }
                self.emit(StmtKind::Call { function, args, results }, span);
            }
            StmtKind::Launch { kernel, .. }
                if self.shared.kernels.get(&kernel).is_some_and(|needs| !needs.known.is_empty()) =>
            {
                self.refuse(span, "launching kernels with pointers from kernels");
            }
            _ => {
                operands_mut(&mut stmt, &mut |e| {
                    let taken = std::mem::replace(e, build::int(0, span));
                    *e = self.expr(taken);
                });
                blocks_mut(&mut stmt, &mut |block| *block = self.block(std::mem::take(block)));
                self.out.push(stmt);
            }
        }
    }

    /// The object that a reference refers to.
    fn object(&mut self, reference: Expr) -> Expr {
        let span = reference.span;
        let Some(pool) = self.pools.of(&reference.ty) else { return self.expr(reference) };
        let flat = Type::Class(pool.flat.clone());
        if let ExprKind::Local(variable) = reference.kind
            && self.own.contains(&variable)
        {
            return build::local(variable, flat, span);
        }
        let Some(array) = self.arrays.get(&pool.class.id.0).copied() else { return reference };
        let array = Box::new(self.body.read(array, span));
        let index = vec![Index::At(self.expr(reference))];
        Expr::new(ExprKind::Load { array, index, boundary: Boundary::Checked }, flat, span)
    }

    fn expr(&mut self, mut expr: Expr) -> Expr {
        let span = expr.span;
        let ty = self.pools.flat(&expr.ty);
        match expr.kind {
            ExprKind::Null => nothing(span),
            ExprKind::Same(a, b) if [&a.ty, &b.ty].iter().any(|ty| self.pools.flat(ty) == Type::INT) => {
                build::of_ints("equal", self.expr(*a), self.expr(*b))
            }
            ExprKind::Convert(inner) if self.pools.of(&expr.ty).is_some() => self.expr(*inner),
            ExprKind::Member(object, field) if self.pools.of(&object.ty).is_some() => {
                let object = self.object(*object);
                Expr::new(ExprKind::Member(Box::new(object), field), ty, span)
            }
            ExprKind::Library { .. } if self.pools.of(&expr.ty).is_some() => {
                self.refuse(span, "copies of objects in kernels");
                nothing(span)
            }
            _ => {
                children_mut(&mut expr, &mut |e| {
                    let taken = std::mem::replace(e, build::int(0, span));
                    *e = self.expr(taken);
                });
                expr.ty = ty;
                expr
            }
        }
    }

    // ---- objects that are made

    fn made(&mut self, variable: VarId, fields: Vec<Expr>, ty: &Type, span: Span) {
        let Some(pool) = self.pools.of(ty).cloned() else { return };
        let fields: Vec<Expr> = fields.into_iter().map(|field| self.expr(field)).collect();
        if self.own.contains(&variable) {
            let value = Expr::new(ExprKind::New(fields), Type::Class(pool.flat), span);
            return self.emit(StmtKind::Assign { variable, value }, span);
        }
        let (Some(array), Some(used)) =
            (self.arrays.get(&pool.class.id.0).copied(), self.used.get(&pool.class.id.0).copied())
        else {
            return;
        };
        if fields.iter().any(|field| super::is_open(&field.ty)) {
            return self.refuse(span, "making objects with arrays of unknown sizes in kernels");
        }
        let inner = self.shared.fields.get(pool.class.id.0 as usize).map_or(&[][..], Vec::as_slice);
        if inner.iter().any(|ty| matches!(ty, Type::Class(_)) && self.pools.of(ty).is_some()) {
            return self
                .refuse(span, "making objects in kernels inside of which are others that pointers refer to");
        }
        // The fields are computed before the variable changes.
        let values: Vec<Expr> = fields.into_iter().map(|value| self.kept(value)).collect();
        let number = self.body.temporary(Type::INT, span);
        if let Some(row) = ops::find("add") {
            let (array, index) = (self.body.read(used, span), vec![Index::At(build::int(0, span))]);
            let (boundary, value, result) = (Boundary::Checked, build::int(1, span), Some(number));
            self.emit(StmtKind::Update { array, index, boundary, row, value, atomic: true, result }, span);
        }
        let place = build::of_ints("subtract", self.body.read(number, span), build::int(1, span));
        self.emit(StmtKind::Assign { variable, value: place }, span);
        let place = build::local(variable, Type::INT, span);
        self.room(&pool, array, &place);
        let array = Box::new(self.body.read(array, span));
        let index = vec![Index::At(place)];
        let object = ExprKind::Load { array, index, boundary: Boundary::Checked };
        let object = Expr::new(object, Type::Class(pool.flat), span);
        for (field, value) in values.into_iter().enumerate() {
            self.fill(&object, field, value);
        }
    }

    /// A value that later statements do not change.
    fn kept(&mut self, value: Expr) -> Expr {
        if value.constant().is_some() || matches!(value.ty, Type::Class(_)) {
            return value;
        }
        let (span, variable) = (value.span, self.body.temporary(value.ty.clone(), value.span));
        self.emit(StmtKind::Assign { variable, value }, span);
        self.body.read(variable, span)
    }

    /// Fails where the pool has no place for one object more.
    fn room(&mut self, pool: &Pool, array: VarId, place: &Expr) {
        let span = place.span;
        let count = Expr::new(ExprKind::Count(Box::new(self.body.read(array, span))), Type::INT, span);
        let condition = build::of_ints("greater_equal", place.clone(), count);
        let text = format!("out of memory for objects of class '{}' made in kernels", pool.class.name);
        let message = vec![Expr::new(ExprKind::Text(text), Type::Text, span)];
        let fail = vec![Stmt::new(StmtKind::Fail { failure: Failure::Raised, message }, span)];
        self.out.push(build::choice(condition, fail, Block::new(), span));
    }

    /// Gives a field of a new object its value, and what lies inside the same.
    fn fill(&mut self, object: &Expr, field: usize, value: Expr) {
        let span = value.span;
        let member =
            |ty: &Type| Expr::new(ExprKind::Member(Box::new(object.clone()), field), ty.clone(), span);
        match &value.ty {
            Type::Class(class) => {
                let inner = self.shared.fields.get(class.id.0 as usize).cloned().unwrap_or_default();
                let object = member(&value.ty);
                for (k, ty) in inner.into_iter().enumerate() {
                    let value = Expr::new(ExprKind::Member(Box::new(value.clone()), k), ty, span);
                    self.fill(&object, k, value);
                }
            }
            Type::Array(array) => {
                let index = array.sizes.iter().map(|_| Index::All).collect();
                let array = member(&value.ty);
                self.emit(StmtKind::Store { array, index, boundary: Boundary::Checked, value }, span);
            }
            _ => self.emit(StmtKind::SetMember { object: object.clone(), field, value }, span),
        }
    }
}

/// The number of `nullptr`.
fn nothing(span: Span) -> Expr {
    build::int(-1, span)
}
