//! One body: variables, the environment, blocks, and the order of evaluation.

use super::Context;
use super::launch::meant_for;
use crate::ir::build::{self, same_type};
use crate::ir::effects::{self, Effect};
use crate::ir::prune::prune;
use crate::ir::rewrite::{set_in, visit};
use crate::ir::{
    Block, Body, Expr, ExprKind, KernelAttributes, LoopAttributes, NoCopy, Stmt, StmtKind, Storage, Target,
    VarId, VarSet, Variable,
};
use crate::sema::model::{
    Binding, CompileTarget, Definition, Instance, InstanceId, Mode, Tables, TargetQuery,
};
use crate::sema::{overlay, walk};
use crate::source::Span;
use crate::syntax::ast::{self, FunctionKind, NodeId};
use crate::syntax::node_map::NodeMap;
use crate::types::{ArrayType, Boundary, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Which IR variable holds each variable of the source.
pub(super) type Environment = BTreeMap<String, VarId>;

/// A loop that `break` and `continue` may name.
pub(super) struct LoopFrame {
    pub(super) label: Option<String>,
    /// The variables in which the loop expects its values at the head and at the exit.
    pub(super) heads: Vec<(String, VarId)>,
    /// How many blocks are around its body.
    pub(super) blocks: usize,
    /// Whether it is a region for every position, which no jump means.
    pub(super) group: bool,
}

/// The state while one body is lowered.
pub(super) struct Lowering<'a, 'c> {
    pub(super) cx: &'c mut Context<'a>,
    pub(super) instance: &'a Instance,
    pub(super) tables: &'a Tables,
    /// Expressions of this body in which something was replaced.
    pub(super) own: NodeMap<&'a ast::Expr>,
    pub(super) body: Body,
    pub(super) environment: Environment,
    /// All variables of each name.
    pub(super) named: Vec<(String, VarId)>,
    pub(super) out: Block,
    /// Whether the place after the statements so far is reached.
    pub(super) reachable: bool,
    pub(super) loops: Vec<LoopFrame>,
    /// The variables that hold what inner functions captured where they were defined.
    pub(super) inner: BTreeMap<NodeId, VarId>,
    pub(super) attributes: LoopAttributes,
    /// What the piece before in a chain of operators gave.
    pub(super) carried: Option<Expr>,
    /// Where variables are at the end of some ways of a choice of which none was taken.
    pub(super) untaken: Option<Environment>,
    /// What attributes in the kernel ask for.
    pub(super) kernel: KernelAttributes,
    /// Where loops with dependences along diagonals were asked to be parallel.
    pub(super) skewed: Option<Span>,
    /// Parameters that a tuner may change, with their values.
    pub(super) tuned: Vec<(String, &'a ast::Expr)>,
    /// Attributes inside of loops that were read before them.
    pub(super) read_already: Vec<&'a ast::Attribute>,
    /// Of each block under way, where launches went before it said where they go.
    pub(super) wishes: Vec<Option<VarId>>,
    /// Whether loops are left to the compiler (`#pragma loop_parallelizer`).
    pub(super) automatic: bool,
    /// What `automatic` and `skewed` were before attributes that may stand before a loop, which they then speak of alone.
    pub(super) switched: Option<(bool, Option<Span>)>,
    /// The objects of methods that they choose by their class, with the ids of their expressions, the innermost call last.
    pub(super) dispatched: Vec<(NodeId, Expr)>,
    /// The expressions of kernels that are chosen at run time, with their values and the number of the kernel whose launch
    /// is being made.
    pub(super) chosen_kernels: Vec<(NodeId, Expr, usize)>,
    /// Names whose elements are changed somewhere in this body.
    pub(super) mutated: BTreeSet<String>,
}

/// Parameters and results of an instance, without statements: what callers must know.
pub(super) fn signature(instance: &Instance) -> Body {
    let mut body = Body::default();
    let mut add = |binding: &Binding| body.variables.push(variable(binding));
    let passed = instance.captures.iter().chain(&instance.params).filter(|binding| !binding.special);
    let params: Vec<VarId> = passed.map(&mut add).collect();
    let results: Vec<VarId> = results_of(instance).iter().map(&mut add).collect();
    body.params = params;
    body.results = results;
    body
}

/// The results of an instance; what the expression of a kernel lambda gives is not one.
pub(super) fn results_of(instance: &Instance) -> &[Binding] {
    let lambda = matches!(instance.definition, Definition::Lambda(_));
    if lambda && instance.kind == FunctionKind::Kernel { &[] } else { &instance.results }
}

/// The access mode of a variable; numbers have none.
fn boundary_of(ty: &Type, boundary: Boundary) -> Boundary {
    if matches!(ty, Type::Array(_) | Type::Dynamic) { boundary } else { Boundary::Checked }
}

fn storage(mode: Mode) -> Storage {
    match mode {
        Mode { shared: true, .. } => Storage::Shared,
        Mode { hardware_constant: true, .. } => Storage::Constant,
        Mode { .. } => Storage::Local,
    }
}

fn nocopy(mode: Mode) -> NoCopy {
    if mode.nocopy { NoCopy::Declared } else { NoCopy::Unknown }
}

fn variable(binding: &Binding) -> Variable {
    let storage = storage(binding.mode);
    let name = binding.module_variable().unwrap_or(&binding.name);
    let name = if name.is_empty() { "result" } else { name };
    Variable {
        name: name.to_string(),
        ty: super::groups::value_type(&binding.ty),
        boundary: boundary_of(&binding.ty, binding.mode.boundary),
        constant: binding.mode.constant,
        nocopy: nocopy(binding.mode),
        storage,
        span: binding.span,
    }
}

/// Lowers the body of an instance.
pub(super) fn lower(cx: &mut Context<'_>, id: InstanceId) -> (Body, KernelAttributes) {
    let instance = &cx.model.instances[id];
    let automatic = cx.options.settings.loop_parallelizer;
    let mut lowering = Lowering {
        cx,
        instance,
        tables: &instance.tables,
        own: NodeMap::new(),
        body: signature(instance),
        environment: Environment::new(),
        named: Vec::new(),
        out: Block::new(),
        reachable: true,
        loops: Vec::new(),
        dispatched: Vec::new(),
        chosen_kernels: Vec::new(),
        inner: BTreeMap::new(),
        attributes: LoopAttributes::default(),
        carried: None,
        untaken: None,
        kernel: KernelAttributes::default(),
        skewed: None,
        tuned: Vec::new(),
        read_already: Vec::new(),
        wishes: Vec::new(),
        automatic,
        switched: None,
        mutated: BTreeSet::new(),
    };
    lowering.enter();
    lowering.statements_of_definition();
    lowering.leave();
    lowering.body.block = std::mem::take(&mut lowering.out);
    prune(&mut lowering.body);
    let own =
        instance.target_query != TargetQuery::Nothing && instance.compile_target == CompileTarget::Processor;
    let declared = if own { Target::Processor } else { lowering.kernel.target };
    let target = meant_for(instance.compile_target, declared).unwrap_or(Target::Processor);
    (lowering.body, KernelAttributes { target, ..lowering.kernel })
}

impl<'a> Lowering<'a, '_> {
    fn enter(&mut self) {
        let params = self.body.params.clone();
        let instance = self.instance;
        let hidden =
            |place: usize| instance.captures.get(place).and_then(|binding| binding.module_variable());
        for (place, variable) in params.into_iter().enumerate() {
            let name = match hidden(place) {
                Some(_) => instance.captures[place].name.clone(),
                None => self.body.variables[variable].name.clone(),
            };
            self.named.push((name.clone(), variable));
            self.environment.insert(name, variable);
        }
        let results = self.body.results.clone();
        for variable in results {
            let name = self.body.variables[variable].name.clone();
            // An output that is also an input starts as the input and is set at the end.
            if !self.environment.contains_key(&name) {
                self.named.push((name.clone(), variable));
                if self.instance.kind == FunctionKind::Kernel {
                    self.environment.insert(name, variable);
                }
            }
        }
    }

    fn statements_of_definition(&mut self) {
        match self.instance.definition {
            Definition::Function(node) => {
                let Some(function) = self.cx.index.function(node) else { return };
                let body = self.meant_block(&function.body);
                self.mutated = super::lvalue::mutated_names(body);
                self.statements(body);
            }
            Definition::Lambda(node) => {
                let Some(lambda) = self.cx.index.lambda(node) else { return };
                let body = self.meant(&lambda.body);
                self.mutated = super::lvalue::mutated_names_of(body);
                self.lambda_body(body);
            }
            Definition::Module(index) => {
                let Some(module) = self.cx.unit.modules.get(index) else { return };
                let body = self.meant_block(&module.module.items);
                self.statements(body);
            }
        }
    }

    /// Statements with what stands for parts of them in this instance.
    fn meant_block(&mut self, block: &'a [ast::Stmt]) -> &'a [ast::Stmt] {
        if self.tables.replacements.is_empty() {
            return block;
        }
        let unit = self.cx.unit;
        let block = unit.made.keep_block(overlay::in_block(unit, &self.tables.replacements, block));
        let mut own = super::Expressions::default();
        walk::block(block, &mut own);
        self.own = own.by_id;
        block
    }

    /// As [`Lowering::meant_block`], for an expression.
    pub(super) fn meant(&mut self, expr: &'a ast::Expr) -> &'a ast::Expr {
        if self.tables.replacements.is_empty() {
            return expr;
        }
        let unit = self.cx.unit;
        let expr = unit.made.keep(overlay::in_expr(unit, &self.tables.replacements, expr)).1;
        let mut own = super::Expressions::default();
        walk::expr(expr, &mut own);
        self.own = own.by_id;
        expr
    }

    /// The expression with this id.
    pub(super) fn expression(&self, id: NodeId) -> Option<&'a ast::Expr> {
        self.own.get(&id).or_else(|| self.cx.expressions.get(&id)).copied()
    }

    fn lambda_body(&mut self, body: &'a ast::Expr) {
        let results = self.body.results.clone();
        match results[..] {
            [] => self.effect(body),
            [one] => {
                let ty = self.body.variables[one].ty.clone();
                let value = self.expr(body);
                self.assign_to(one, build::convert(value, &ty));
            }
            _ => {
                let value = self.expr(body);
                let values = self.components(value, results.len());
                for (result, value) in results.into_iter().zip(values) {
                    let ty = self.body.variables[result].ty.clone();
                    self.assign_to(result, build::convert(value, &ty));
                }
            }
        }
    }

    /// Brings the values of the results into the result variables.
    fn leave(&mut self) {
        if !self.reachable {
            self.never_returns();
        }
        if !self.reachable || matches!(self.instance.definition, Definition::Lambda(_)) {
            return;
        }
        for result in self.body.results.clone() {
            let name = self.body.variables[result].name.clone();
            let Some(&current) = self.environment.get(&name) else { continue };
            if current != result {
                let span = self.body.variables[result].span;
                let value =
                    build::convert(self.body.read(current, span), &self.body.variables[result].ty.clone());
                self.assign_to(result, value);
            }
        }
    }

    /// A function that always fails has results all the same.
    fn never_returns(&mut self) {
        let set = set_in(&self.out);
        let is_kernel = self.instance.kind == FunctionKind::Kernel;
        let open = self
            .body
            .results
            .iter()
            .filter(|result| !is_kernel && !set.contains(result) && !self.body.params.contains(result));
        let nothing = |result: &VarId| {
            let variable = &self.body.variables[*result];
            let value = build::placeholder(&variable.ty, variable.span)?;
            Some(build::assign(*result, value))
        };
        let values: Block = open.filter_map(nothing).collect();
        self.out.splice(0..0, values);
    }

    /// Whether this is code of a kernel or device function.
    pub(super) fn on_device(&self) -> bool {
        self.instance.kind != FunctionKind::Host
    }

    pub(super) fn default_mode(&self) -> Mode {
        let boundary = if self.on_device() { Boundary::Safe } else { Boundary::Checked };
        Mode::plain(boundary)
    }

    /// The IR variable for a variable of the source at a type.
    pub(super) fn variable(&mut self, name: &str, ty: &Type, mode: Mode, span: Span) -> VarId {
        let ty = &super::groups::value_type(ty);
        let modes_count = matches!(ty, Type::Array(_));
        let storage = storage(mode);
        for (known, variable) in &self.named {
            let found = &self.body.variables[*variable];
            let same_mode = !modes_count || (found.boundary == mode.boundary && found.storage == storage);
            let fits = known == name && same_mode && same_type(&found.ty, ty);
            if fits && !self.is_reference(*variable) {
                return *variable;
            }
        }
        let variable = self.body.variables.push(Variable {
            name: name.to_string(),
            ty: ty.clone(),
            boundary: boundary_of(ty, mode.boundary),
            constant: mode.constant,
            nocopy: nocopy(mode),
            storage,
            span,
        });
        self.named.push((name.to_string(), variable));
        variable
    }

    /// Whether a variable is an array of known sizes that a kernel was given: its elements lie outside of the kernel,
    /// while those of an array assigned to its name are the thread's own.
    pub(super) fn is_reference(&self, variable: VarId) -> bool {
        let sized = |array: &ArrayType| !array.sizes.is_empty() && array.sizes.iter().all(Option::is_some);
        self.instance.kind == FunctionKind::Kernel
            && self.body.params.contains(&variable)
            && self.body.variables[variable].ty.as_array().is_some_and(sized)
    }

    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        if self.reachable {
            self.out.push(Stmt { kind, span });
        }
    }

    /// `variable = value`; the result of a call just made goes there directly.
    pub(super) fn assign_to(&mut self, variable: VarId, value: Expr) {
        if let ExprKind::Local(temporary) = value.kind {
            if temporary == variable {
                return;
            }
            if self.redirect(temporary, variable) {
                return;
            }
        }
        let span = value.span;
        self.emit(StmtKind::Assign { variable, value }, span);
    }

    fn redirect(&mut self, temporary: VarId, variable: VarId) -> bool {
        let made_up = self.body.variables[temporary].name.starts_with('$');
        let same = same_type(&self.body.variables[temporary].ty, &self.body.variables[variable].ty);
        let Some(last) = self.out.last_mut() else { return false };
        if !made_up || !same {
            return false;
        }
        let results = match &mut last.kind {
            StmtKind::Call { results, .. }
            | StmtKind::CallValue { results, .. }
            | StmtKind::Library { results, .. }
            | StmtKind::Launch { results, .. } => &mut results[..],
            StmtKind::Update { result, .. } | StmtKind::Exchange { result, .. } => {
                std::slice::from_mut(result)
            }
            StmtKind::Assign { variable: made, value: Expr { kind: ExprKind::New(_), .. } } => {
                let is_it = *made == temporary;
                if is_it {
                    *made = variable;
                }
                return is_it;
            }
            _ => return false,
        };
        let Some(slot) = results.iter_mut().find(|slot| **slot == Some(temporary)) else { return false };
        *slot = Some(variable);
        true
    }

    /// The value in a variable, so that reading it again costs nothing and what follows does not change it.
    pub(super) fn spill(&mut self, value: Expr) -> Expr {
        if matches!(
            value.kind,
            ExprKind::Constant(_) | ExprKind::Text(_) | ExprKind::Null | ExprKind::Coordinate(..)
        ) {
            return value;
        }
        let span = value.span;
        let temporary = self.body.temporary(value.ty.clone(), span);
        self.emit(StmtKind::Assign { variable: temporary, value }, span);
        self.body.read(temporary, span)
    }

    /// The value as something that can be written down twice.
    pub(super) fn atom(&mut self, value: Expr) -> Expr {
        if value.is_atom() { value } else { self.spill(value) }
    }

    /// Runs `f` with an empty block and returns what it wrote there.
    pub(super) fn in_block<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        let outer = std::mem::take(&mut self.out);
        let result = f(self);
        (std::mem::replace(&mut self.out, outer), result)
    }

    /// Lowers several operands; those on the left keep the value they had before the effects of those on the right.
    pub(super) fn ordered<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut f: impl FnMut(&mut Self, T) -> Expr,
    ) -> Vec<Expr> {
        let mut done: Vec<Expr> = Vec::new();
        for item in items {
            let mark = self.out.len();
            let value = f(self, item);
            self.protect(&mut done, mark);
            done.push(value);
        }
        done
    }

    /// Moves the values that the statements after `mark` may change into variables set before them, and those that may fail
    /// where it is seen whether they fail before these statements or after them.
    pub(super) fn protect(&mut self, values: &mut [Expr], mut mark: usize) {
        if self.out.len() <= mark {
            return;
        }
        let set = set_in(&self.out[mark..]);
        let effect = effects::strongest(&self.out[mark..]);
        let (effects, seen) = (effect == Effect::Write, effect != Effect::None);
        for value in values {
            if !(changes(value, &set, effects) || seen && !self.on_device() && effects::may_fail(value)) {
                continue;
            }
            let temporary = self.body.temporary(value.ty.clone(), value.span);
            let read = self.body.read(temporary, value.span);
            let value = std::mem::replace(value, read);
            self.out.insert(mark, build::assign(temporary, value));
            mark += 1;
        }
    }

    pub(super) fn not_supported(&mut self, span: Span, what: &str) {
        self.cx.not_supported(span, what);
    }

    /// Stands for a value that cannot be computed; a message was given.
    pub(super) fn missing(&mut self, span: Span, what: &str, ty: Type) -> Expr {
        self.not_supported(span, what);
        Expr::new(ExprKind::Null, ty, span)
    }
}

/// Whether a value may become another one when the variables of `set` and, with `effects`, memory change.
fn changes(value: &Expr, set: &VarSet, effects: bool) -> bool {
    let mut found = false;
    visit(value, &mut |e| {
        found |= match &e.kind {
            ExprKind::Local(variable) => set.contains(variable),
            ExprKind::Load { .. }
            | ExprKind::Global(_)
            | ExprKind::Member(..)
            | ExprKind::Reduce { .. }
            | ExprKind::Library { .. } => effects,
            ExprKind::Apply { .. } | ExprKind::Convert(_) | ExprKind::Array(_) => {
                effects && matches!(e.ty, Type::Array(_) | Type::Dynamic)
            }
            _ => false,
        };
    });
    found
}
