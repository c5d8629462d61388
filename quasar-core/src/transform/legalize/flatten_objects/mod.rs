//! Objects in kernels: an array of objects becomes one array for each number in them, a single object its numbers.
//!
//! ```text
//! function [] = __kernel__ k(ps : vec[particle], pos : int)      function [] = __kernel__ k(ps.x : vec, ps.y : vec, ..)
//!     p = ps[pos]                                                     p#0 = pos
//!     p.x += p.y                                                      ps.x[p#0] += ps.y[p#0]
//! ```
//!
//! Then boundary modes, devices and everything else see arrays only. A variable for an element is its position, one
//! for an object that the kernel makes the numbers of that. Before the launch the arrays are filled from the objects, and
//! those that the kernel writes are brought back after it. Arrays of unknown sizes in the objects of an array become an array
//! of arrays, which the kernel can read and change but not replace. Where pointers are followed, references become numbers first
//! (`handles`), so that what is left are arrays of objects as well.

mod calls;
mod handles;
mod launches;
mod leaves;
mod marshal_graph;
mod object_pools;
mod rewrite;

use crate::ir::dataflow::fixpoint;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Body, Expr, ExprKind, Function, FunctionId, Program, Stmt, StmtKind, VarId, VarSet};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::transform::PassContext;
use crate::types::{ArrayType, ClassType, Type};
use rewrite::Rewriter;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A number or an array somewhere inside of the objects of a class.
#[derive(Clone, Debug)]
struct Leaf {
    /// The fields that lead to it.
    path: Vec<usize>,
    name: String,
    ty: Type,
}

/// All leaves of a class in the order of its fields.
fn leaves(program: &Program, class: &ClassType) -> Vec<Leaf> {
    let mut found = Vec::new();
    let Some(class) = program.class(class) else { return found };
    for (k, field) in class.fields.iter().enumerate() {
        match &field.ty {
            Type::Class(inner) => found.extend(leaves(program, inner).into_iter().map(|leaf| Leaf {
                path: std::iter::once(k).chain(leaf.path).collect(),
                name: format!("{}.{}", field.name, leaf.name),
                ty: leaf.ty,
            })),
            ty => found.push(Leaf { path: vec![k], name: field.name.clone(), ty: ty.clone() }),
        }
    }
    found
}

/// The leaves before a field, and those of it.
fn range_of(program: &Program, class: &ClassType, field: usize) -> (usize, usize) {
    let all = leaves(program, class);
    let before = all.iter().filter(|leaf| leaf.path[0] < field).count();
    (before, all.iter().filter(|leaf| leaf.path[0] == field).count())
}

/// The class of the elements of an array of objects.
fn class_of_elements(ty: &Type) -> Option<(&ArrayType, &std::sync::Arc<ClassType>)> {
    let array = ty.as_array()?;
    match &*array.element {
        Type::Class(class) => Some((array, class)),
        _ => None,
    }
}

/// Whether a leaf is an array of unknown sizes: each object has one of its own, to which it refers.
fn is_open(leaf: &Type) -> bool {
    leaf.as_array().is_some_and(|array| array.count().is_none())
}

/// The type of what holds one leaf of all objects of an array.
fn leaf_array(array: &ArrayType, leaf: &Type) -> Type {
    let mut sizes = array.sizes.clone();
    let element = match leaf {
        Type::Array(inner) if !is_open(leaf) => {
            sizes.extend(&inner.sizes);
            stored(&inner.element)
        }
        other => stored(other),
    };
    Type::array(element, &sizes)
}

/// The type of elements: numbers of enums are integers.
fn stored(ty: &Type) -> Type {
    if matches!(ty, Type::Enum(_)) { Type::INT } else { ty.clone() }
}

/// How a parameter with objects is passed.
#[derive(Clone, Debug, PartialEq)]
enum Mode {
    /// It has none.
    Plain,
    /// An array of objects: an array for each leaf.
    Arrays,
    /// An object that is only read, or whose numbers are results of a kernel: its leaves. Those that a kernel writes are
    /// arrays of one element.
    Leaves { cells: BTreeSet<usize> },
    /// An object that a function changes, an element of an array of objects: arrays and indices, this many.
    Element(usize),
    /// Another object that a function changes: an array of one element for each number, and the arrays in it.
    Cells,
}

/// What the bodies share.
struct Pass<'p> {
    program: &'p mut Program,
    sink: &'p mut Sink,
    /// The parameters whose objects each function changes.
    written: BTreeSet<(FunctionId, usize)>,
    modes: BTreeMap<FunctionId, Vec<Mode>>,
    /// The functions as they were, and the copies of them for objects that are passed in other ways.
    originals: BTreeMap<FunctionId, (Function, Vec<FunctionId>)>,
    /// The types of the results that each function had.
    results: Vec<Vec<Type>>,
    queue: VecDeque<FunctionId>,
}

/// Takes the objects out of kernels and device functions.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    let concerned = |body: &Body| body.variables.iter().any(|(_, v)| v.ty.mentions_objects());
    let kernels: Vec<_> =
        program.kernels.iter().filter(|(_, k)| concerned(&k.body)).map(|(id, _)| id).collect();
    let on_device = program.functions.iter().any(|(_, f)| f.device && concerned(&f.body));
    if kernels.is_empty() && !on_device {
        return;
    }
    let reached = object_pools::reached(program);
    let classes = program.classes.len();
    let pools = object_pools::find(program, &reached, sink);
    let mut graphs = match pools.is_empty() {
        true => BTreeMap::new(),
        false => handles::run(program, &pools, &reached, sink),
    };
    let written = written(program);
    let types = |body: &Body| body.results.iter().map(|result| body.variables[*result].ty.clone()).collect();
    let results = program.functions.iter().map(|(_, function)| types(&function.body)).collect();
    let (modes, queue) = (BTreeMap::new(), VecDeque::new());
    let originals = BTreeMap::new();
    let mut pass = Pass { program, sink, written, modes, originals, results, queue };
    let mut launched = BTreeMap::new();
    for id in pass.program.kernels.ids().collect::<Vec<_>>() {
        let kernel = &pass.program.kernels[id];
        if !kernels.contains(&id) && !calls_objects(pass.program, &kernel.body) {
            continue;
        }
        let body = std::mem::take(&mut pass.program.kernels[id].body);
        let modes = pass.kernel_modes(&body);
        let original: Vec<Type> = body.params.iter().map(|param| body.variables[*param].ty.clone()).collect();
        let (mut body, leaves_written, of_pools) = Rewriter::new(&mut pass, body, &modes).run(&pools);
        let kept = launches::keep_used(&mut body, &of_pools);
        pass.program.kernels[id].body = body;
        let graph = graphs.remove(&id);
        launched.insert(id, launches::Launched { modes, original, written: leaves_written, graph, kept });
    }
    while let Some(id) = pass.queue.pop_front() {
        let Some(modes) = pass.modes.get(&id).cloned() else { continue };
        let body = std::mem::take(&mut pass.program.functions[id].body);
        let (body, ..) = Rewriter::new(&mut pass, body, &modes).run(&pools);
        pass.program.functions[id].body = body;
    }
    pass.unused_functions();
    launches::run(pass.program, &launched, &pools);
    // No kernel and no function speaks of classes with numbers for references any more.
    program.classes.truncate(classes);
}

fn calls_objects(program: &Program, body: &Body) -> bool {
    let mut found = false;
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            let callee = &program.functions[*function].body;
            found |= callee.params.iter().any(|param| callee.variables[*param].ty.mentions_objects());
        }
    });
    found
}

impl Pass<'_> {
    fn refuse(&mut self, span: Span, what: &str) {
        let message = Message::not_supported(span, what);
        self.sink.push(message);
    }

    /// The types of the results that a function had.
    fn result_types(&self, function: FunctionId) -> Vec<Type> {
        self.results.get(function.index()).cloned().unwrap_or_default()
    }

    fn kernel_modes(&self, body: &Body) -> Vec<Mode> {
        let changed = touched(&self.written, body);
        let mode = |param: &VarId| match &body.variables[*param].ty {
            ty if class_of_elements(ty).is_some() => Mode::Arrays,
            Type::Class(class) => {
                let all = leaves(self.program, class);
                let numbers = all.iter().enumerate().filter(|(_, leaf)| leaf.ty.is_number()).map(|(k, _)| k);
                Mode::Leaves {
                    cells: if changed.contains(param) { numbers.collect() } else { BTreeSet::new() },
                }
            }
            _ => Mode::Plain,
        };
        body.params.iter().map(mode).collect()
    }

    /// Device functions with objects that no kernel calls hold nothing that a device could run.
    fn unused_functions(&mut self) {
        for id in self.program.functions.ids().collect::<Vec<_>>() {
            let function = &mut self.program.functions[id];
            let body = &function.body;
            if function.device
                && !self.modes.contains_key(&id)
                && body.variables.iter().any(|(_, v)| v.ty.mentions_objects())
            {
                function.body = Body::default();
            }
        }
    }
}

/// The variable that an object or an array of objects comes from.
fn root(expr: &Expr) -> Option<VarId> {
    match &expr.kind {
        ExprKind::Local(variable) => Some(*variable),
        ExprKind::Load { array: inner, .. } | ExprKind::Member(inner, _) | ExprKind::Convert(inner) => {
            root(inner)
        }
        _ => None,
    }
}

/// The parameters whose objects each function changes.
fn written(program: &Program) -> BTreeSet<(FunctionId, usize)> {
    fixpoint(BTreeSet::new(), |written| {
        for (id, function) in program.functions.iter().filter(|(_, function)| function.device) {
            let changed = touched(written, &function.body);
            let params = function.body.params.iter().enumerate();
            written.extend(params.filter(|(_, param)| changed.contains(param)).map(|(k, _)| (id, k)));
        }
    })
}

/// The variables whose objects a body changes.
fn touched(written: &BTreeSet<(FunctionId, usize)>, body: &Body) -> VarSet {
    fixpoint(VarSet::new(), |touched| {
        visit_stmts(&body.block, &mut |stmt| touch(written, stmt, touched));
    })
}

fn touch(written: &BTreeSet<(FunctionId, usize)>, stmt: &Stmt, touched: &mut VarSet) {
    match &stmt.kind {
        StmtKind::SetMember { object, .. } => touched.extend(root(object)),
        StmtKind::Store { array, .. } | StmtKind::Update { array, .. } | StmtKind::Exchange { array, .. } => {
            touched.extend(root(array));
        }
        StmtKind::Call { function, args, .. } => {
            let changed = args.iter().enumerate().filter(|(k, _)| written.contains(&(*function, *k)));
            changed.for_each(|(_, arg)| touched.extend(root(arg)));
        }
        StmtKind::Assign { variable, value } if touched.contains(variable) && value.ty.mentions_objects() => {
            touched.extend(root(value));
        }
        _ => {}
    }
}
