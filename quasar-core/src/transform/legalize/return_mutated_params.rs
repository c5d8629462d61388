//! In device code small arrays are values in registers, yet a function that changes its parameter must be seen by its
//! caller: such parameters become additional results. Arrays of the host, of kernels and of blocks are not in registers: for
//! those that callers pass, the function has versions that change them where they are, in steps that other threads do not
//! come between.

use crate::ir::build::{self, is_small, same_type};
use crate::ir::dataflow::fixpoint;
use crate::ir::params::refer;
use crate::ir::rewrite::{root, stored_in, transform_stmts, visit_stmts};
use crate::ir::{
    Body, Expr, ExprKind, Function, FunctionId, Program, StmtKind, Storage, VarId, VarSet, Variable,
};
use crate::message::Sink;
use crate::transform::PassContext;
use std::collections::{BTreeMap, BTreeSet};

/// Adds the results and writes them back in kernels and device functions.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    let changed = changed_params(program);
    if changed.is_empty() {
        return;
    }
    let originals = changed.iter().map(|(id, _)| (*id, program.functions[*id].clone())).collect();
    let mut pass = Pass { program, changed, originals, versions: BTreeMap::new() };
    for id in pass.program.functions.ids().collect::<Vec<_>>() {
        let mut body = std::mem::take(&mut pass.program.functions[id].body);
        let own = pass.changed_by(id).into_iter().map(|k| (body.params[k], false)).collect();
        let caller = if pass.program.functions[id].device { Caller::Device(own) } else { Caller::Host };
        pass.calls(&mut body, &caller);
        pass.results(id, &mut body, &References::new());
        pass.program.functions[id].body = body;
    }
    for id in pass.program.kernels.ids().collect::<Vec<_>>() {
        let mut body = std::mem::take(&mut pass.program.kernels[id].body);
        let passed = pass.calls(&mut body, &Caller::Kernel);
        let references = body.params.iter().copied().filter(|param| passed.contains(param)).collect();
        refer(&mut body, &references);
        pass.program.kernels[id].body = body;
    }
}

/// The parameters that a version gets as references, and whether they are without sizes, as those of kernels.
type References = BTreeMap<usize, bool>;

/// Which arrays of a body are in memory that others see.
enum Caller {
    /// All of them.
    Host,
    /// Parameters, and what the threads of a block share.
    Kernel,
    /// These parameters, which callees change where they are.
    Device(BTreeMap<VarId, bool>),
}

impl Caller {
    /// Whether an argument is such an array, and then whether it has no sizes.
    fn reference(&self, body: &Body, arg: &Expr) -> Option<bool> {
        let ExprKind::Local(variable) = arg.kind else { return None };
        match self {
            Caller::Host => Some(false),
            Caller::Kernel if body.params.contains(&variable) => Some(true),
            Caller::Kernel => (body.variables[variable].storage == Storage::Shared).then_some(false),
            Caller::Device(references) => references.get(&variable).copied(),
        }
    }
}

struct Pass<'p> {
    program: &'p mut Program,
    /// The small array parameters that device functions change.
    changed: BTreeSet<(FunctionId, usize)>,
    /// The functions with such parameters as they were.
    originals: BTreeMap<FunctionId, Function>,
    versions: BTreeMap<(FunctionId, References), FunctionId>,
}

impl Pass<'_> {
    fn changed_by(&self, function: FunctionId) -> Vec<usize> {
        self.changed.range((function, 0)..=(function, usize::MAX)).map(|(_, k)| *k).collect()
    }

    /// Rewrites the calls of a body; gives the variables that it passes as references.
    fn calls(&mut self, body: &mut Body, caller: &Caller) -> VarSet {
        let mut block = std::mem::take(&mut body.block);
        let mut passed = VarSet::new();
        transform_stmts(&mut block, &mut |stmt| {
            let StmtKind::Call { function, args, results } = &mut stmt.kind else { return };
            let positions = self.changed_by(*function);
            let Some(original) = self.originals.get(function) else { return };
            results.resize(original.body.results.len(), None);
            let mut references = References::new();
            for position in positions {
                let Some(arg) = args.get(position) else { continue };
                match caller.reference(body, arg) {
                    Some(without_sizes) => {
                        references.insert(position, without_sizes);
                        passed.extend(root(arg));
                    }
                    None => results.push(target(body, arg)),
                }
            }
            if !references.is_empty() {
                // Arrays that are only read may be the same ones.
                for (k, arg) in args.iter().enumerate().filter(|(_, arg)| is_small(&arg.ty)) {
                    if let Some(true) = caller.reference(body, arg) {
                        references.entry(k).or_insert(true);
                        passed.extend(root(arg));
                    }
                }
                *function = self.version(*function, references);
            }
        });
        body.block = block;
        passed
    }

    /// The version of a function that changes these parameters where they are.
    fn version(&mut self, function: FunctionId, references: References) -> FunctionId {
        let key = (function, references);
        if let Some(known) = self.versions.get(&key) {
            return *known;
        }
        let mut made = self.originals[&function].clone();
        let mut body = std::mem::take(&mut made.body);
        made.name = self.program.free_name(&format!("{}_there", made.name));
        let id = self.program.functions.push(made);
        self.versions.insert(key.clone(), id);
        let references = key.1;
        let params: BTreeMap<VarId, bool> =
            references.iter().map(|(k, open)| (body.params[*k], *open)).collect();
        transform_stmts(&mut body.block, &mut |stmt| {
            if let StmtKind::Update { array, atomic, .. } = &mut stmt.kind {
                *atomic |= root(array).is_some_and(|root| params.contains_key(&root));
            }
        });
        let open = params.iter().filter(|(_, open)| **open).map(|(param, _)| *param).collect();
        let mut own: BTreeMap<VarId, bool> =
            self.changed_by(function).into_iter().map(|k| (body.params[k], false)).collect();
        own.extend(params);
        self.calls(&mut body, &Caller::Device(own));
        self.results(function, &mut body, &references);
        refer(&mut body, &open);
        self.program.functions[id].body = body;
        id
    }

    /// Gives back the parameters that a function changes, but for references.
    fn results(&self, function: FunctionId, body: &mut Body, references: &References) {
        for position in self.changed_by(function) {
            if references.contains_key(&position) {
                continue;
            }
            let param = body.params[position];
            let Variable { name, ty, span, .. } = body.variables[param].clone();
            let result = body.variables.push(Variable::new(&format!("${name}"), ty, span));
            body.results.push(result);
            let value = body.read(param, span);
            body.block.push(build::assign(result, value));
        }
    }
}

/// The small array parameters of device functions that they change, directly or through what they call.
fn changed_params(program: &Program) -> BTreeSet<(FunctionId, usize)> {
    fixpoint(BTreeSet::new(), |changed| {
        for (id, function) in program.functions.iter().filter(|(_, function)| function.device) {
            let body = &function.body;
            let mut touched = stored_in(&body.block);
            visit_stmts(&body.block, &mut |stmt| {
                if let StmtKind::Call { function, args, .. } = &stmt.kind {
                    let of = args.iter().enumerate().filter(|(k, _)| changed.contains(&(*function, *k)));
                    touched.extend(of.filter_map(|(_, arg)| root(arg)));
                }
            });
            for (position, param) in body.params.iter().enumerate() {
                if touched.contains(param) && is_small(&body.variables[*param].ty) {
                    changed.insert((id, position));
                }
            }
        }
    })
}

/// The variable that holds an argument, where it is one of the same type.
fn target(body: &Body, arg: &Expr) -> Option<VarId> {
    match arg.kind {
        ExprKind::Local(variable) if same_type(&body.variables[variable].ty, &arg.ty) => Some(variable),
        _ => None,
    }
}
