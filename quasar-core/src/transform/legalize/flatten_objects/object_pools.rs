//! Which classes have pools in kernels: all objects of a class that pointers may lead to are numbered, and a reference
//! is such a number.

use crate::ir::dataflow::fixpoint;
use crate::ir::rewrite::{children, operands, sets, visit_block, visit_stmts};
use crate::ir::{Body, Class, Expr, ExprKind, Field, FunctionId, KernelId, Program, StmtKind, VarSet};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::types::{ClassId, ClassType, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A class whose objects are numbered.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) class: Arc<ClassType>,
    /// The class with numbers in the place of references.
    pub(super) flat: Arc<ClassType>,
}

/// All such classes, by their numbers.
#[derive(Default)]
pub(super) struct Pools(BTreeMap<u32, Pool>);

/// What a body needs of pools.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Needs {
    /// The classes whose objects it looks into.
    pub(super) entered: BTreeSet<u32>,
    /// The classes of which it makes objects that others may refer to.
    pub(super) made: BTreeSet<u32>,
    /// The classes whose references it knows.
    pub(super) known: BTreeSet<u32>,
}

impl Needs {
    fn add(&mut self, other: &Needs) {
        self.entered.extend(&other.entered);
        self.made.extend(&other.made);
        self.known.extend(&other.known);
    }
}

/// The device functions that kernels call.
pub(super) fn reached(program: &Program) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<FunctionId> =
        program.kernels.iter().flat_map(|(_, kernel)| callees(&kernel.body)).collect();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(callees(&program.functions[id].body));
        }
    }
    reached
}

fn callees(body: &Body) -> Vec<FunctionId> {
    let mut found = Vec::new();
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            found.push(*function);
        }
    });
    found
}

/// The classes that bodies speak of, with a place where they do.
#[derive(Default)]
struct Mentioned {
    classes: BTreeMap<u32, (Arc<ClassType>, Span)>,
    pointed: BTreeSet<u32>,
}

impl Mentioned {
    fn body(&mut self, program: &Program, body: &Body) {
        for (_, variable) in body.variables.iter() {
            self.ty(program, &variable.ty, variable.span);
        }
        visit_block(&body.block, &mut |e| self.ty(program, &e.ty, e.span));
    }

    fn ty(&mut self, program: &Program, ty: &Type, span: Span) {
        match ty {
            Type::Class(class) => self.class(program, class, span),
            Type::Pointer(class) => {
                self.pointed.insert(class.id.0);
                self.class(program, class, span);
            }
            Type::Array(array) => self.ty(program, &array.element, span),
            _ => {}
        }
    }

    /// A class with what lies inside of its objects.
    fn class(&mut self, program: &Program, class: &Arc<ClassType>, span: Span) {
        if self.classes.insert(class.id.0, (class.clone(), span)).is_some() {
            return;
        }
        for field in program.class(class).map_or(&[][..], |class| &class.fields) {
            if matches!(field.ty, Type::Class(_)) {
                self.ty(program, &field.ty, span);
            }
        }
    }
}

/// Finds the classes, and adds to the program what they are in kernels.
pub(super) fn find(program: &mut Program, reached: &BTreeSet<FunctionId>, sink: &mut Sink) -> Pools {
    let mut mentioned = Mentioned::default();
    for (_, kernel) in program.kernels.iter() {
        mentioned.body(program, &kernel.body);
    }
    for id in reached {
        mentioned.body(program, &program.functions[*id].body);
    }
    let fields = |id: u32| program.classes.get(id as usize).map_or(&[][..], |class| &class.fields);
    let pooled = fixpoint(mentioned.pointed.clone(), |pooled| {
        for id in mentioned.classes.keys() {
            let inside = fields(*id).iter().any(|field| match &field.ty {
                Type::Pointer(_) => true,
                Type::Class(class) => pooled.contains(&class.id.0),
                _ => false,
            });
            if inside {
                pooled.insert(*id);
            }
        }
    });
    let mut roots: BTreeMap<u32, u32> = BTreeMap::new();
    for id in &pooled {
        let Some((class, span)) = mentioned.classes.get(id) else { continue };
        if roots.insert(class.root().id.0, *id).is_some() {
            let what = "pointers in kernels to objects of a class and of one that inherits from it";
            sink.push(Message::not_supported(*span, what));
        }
    }
    let mut pools = Pools::default();
    for (k, id) in pooled.iter().enumerate() {
        let Some((class, _)) = mentioned.classes.get(id) else { continue };
        let number = ClassId((program.classes.len() + k) as u32);
        let flat =
            ClassType { id: number, name: class.name.clone(), args: Vec::new(), base: None, mutable: true };
        pools.0.insert(*id, Pool { class: class.clone(), flat: Arc::new(flat) });
    }
    let flat: Vec<Class> = pools.0.values().map(|pool| pools.flat_class(program, pool)).collect();
    program.classes.extend(flat);
    pools
}

impl Pools {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn flat_class(&self, program: &Program, pool: &Pool) -> Class {
        let fields = program.class(&pool.class).map_or(&[][..], |class| &class.fields);
        let fields = fields.iter().map(|field| {
            let ty = if matches!(field.ty, Type::Pointer(_)) { Type::INT } else { self.flat(&field.ty) };
            Field { name: field.name.clone(), ty }
        });
        Class { ty: pool.flat.clone(), fields: fields.collect(), circular: false }
    }

    /// The pool of a class.
    pub(super) fn get(&self, id: u32) -> Option<&Pool> {
        self.0.get(&id)
    }

    /// The pool of what a reference refers to.
    pub(super) fn of(&self, ty: &Type) -> Option<&Pool> {
        self.get(ty.class()?.id.0)
    }

    /// The pool of what an array of references, or a reference, refers to.
    pub(super) fn of_elements(&self, ty: &Type) -> Option<&Pool> {
        match ty {
            Type::Array(array) => self.of(&array.element),
            other => self.of(other),
        }
    }

    /// The pool that a flat class belongs to.
    pub(super) fn of_flat(&self, class: &ClassType) -> Option<&Pool> {
        self.0.values().find(|pool| pool.flat.id == class.id)
    }

    /// A type with numbers in the place of references.
    pub(super) fn flat(&self, ty: &Type) -> Type {
        match ty {
            Type::Null => Type::INT,
            Type::Class(_) | Type::Pointer(_) if self.of(ty).is_some() => Type::INT,
            Type::Array(array) => {
                let mut array = array.clone();
                array.element = Box::new(self.flat(&array.element));
                Type::Array(array)
            }
            other => other.clone(),
        }
    }

    /// What each kernel and function needs.
    pub(super) fn needs(
        &self,
        program: &Program,
        reached: &BTreeSet<FunctionId>,
    ) -> (BTreeMap<KernelId, Needs>, BTreeMap<FunctionId, Needs>) {
        let own = |id: &FunctionId| (*id, self.needs_of(&program.functions[*id].body));
        let mut functions: BTreeMap<FunctionId, Needs> = reached.iter().map(own).collect();
        loop {
            let before = functions.clone();
            for id in reached {
                let called = callees(&program.functions[*id].body);
                for needs in called.iter().filter_map(|callee| before.get(callee)) {
                    functions.entry(*id).or_default().add(needs);
                }
            }
            if functions == before {
                break;
            }
        }
        let mut kernels = BTreeMap::new();
        for (id, kernel) in program.kernels.iter() {
            let mut needs = self.needs_of(&kernel.body);
            for called in callees(&kernel.body).iter().filter_map(|callee| functions.get(callee)) {
                needs.add(called);
            }
            kernels.insert(id, needs);
        }
        (kernels, functions)
    }

    /// What a body needs itself.
    pub(super) fn needs_of(&self, body: &Body) -> Needs {
        let own = self.own(body);
        let mut needs = Needs::default();
        let known = |ty: &Type| self.of_elements(ty).map(|pool| pool.class.id.0);
        needs.known.extend(body.variables.iter().filter_map(|(_, variable)| known(&variable.ty)));
        visit_block(&body.block, &mut |e| {
            needs.known.extend(known(&e.ty));
            if let ExprKind::Member(object, _) = &e.kind {
                needs.entered.extend(self.entered(object, &own));
            }
        });
        visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
            StmtKind::SetMember { object, .. } => needs.entered.extend(self.entered(object, &own)),
            StmtKind::Assign { variable, value }
                if matches!(value.kind, ExprKind::New(_)) && !own.contains(variable) =>
            {
                let made = self.of(&value.ty).map(|pool| pool.class.id.0);
                needs.entered.extend(made);
                needs.made.extend(made);
            }
            _ => {}
        });
        needs
    }

    fn entered(&self, object: &Expr, own: &VarSet) -> Option<u32> {
        match object.kind {
            ExprKind::Local(variable) if own.contains(&variable) => None,
            _ => Some(self.of(&object.ty)?.class.id.0),
        }
    }

    /// The variables for objects that the body makes and that nobody else gets to know: they need no place in a pool.
    pub(super) fn own(&self, body: &Body) -> VarSet {
        let mut own = VarSet::new();
        let candidates = body
            .variables
            .iter()
            .filter(|(_, variable)| matches!(variable.ty, Type::Class(_)) && self.of(&variable.ty).is_some());
        own.extend(candidates.map(|(id, _)| id));
        let mut shown: VarSet = body.params.iter().chain(&body.results).copied().collect();
        visit_stmts(&body.block, &mut |stmt| {
            let made = match &stmt.kind {
                StmtKind::Assign { value, .. } => matches!(value.kind, ExprKind::New(_)),
                _ => false,
            };
            if !made {
                sets(stmt, &mut |variable| {
                    shown.insert(*variable);
                });
            }
            match &stmt.kind {
                StmtKind::SetMember { object, value, .. } => {
                    if !matches!(object.kind, ExprKind::Local(_)) {
                        escapes(object, &mut shown);
                    }
                    escapes(value, &mut shown);
                }
                _ => operands(stmt, &mut |e| escapes(e, &mut shown)),
            }
        });
        own.difference(&shown)
    }
}

/// The variables that an expression uses other than to look into their objects.
fn escapes(expr: &Expr, found: &mut VarSet) {
    match &expr.kind {
        ExprKind::Local(variable) => {
            found.insert(*variable);
        }
        ExprKind::Member(object, _) if matches!(object.kind, ExprKind::Local(_)) => {}
        _ => children(expr, &mut |e| escapes(e, found)),
    }
}
