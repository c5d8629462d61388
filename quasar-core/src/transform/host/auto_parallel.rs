//! Loop parallelisation: `for m = .. for n = .. y[m,n] = f(x[m,n])` becomes a launch over `(m, n)`.
//!
//! Nests are tried outermost first and as deep as they are perfect and rectangular; each refusal has a reason. A nest with
//! dependences becomes a serial kernel (compiled, in order), unless a loop inside it can be parallel.

mod attempt;
mod distribute;
mod draws;
mod few_positions;
mod implied_extents;
mod in_order;
mod inlined_calls;
mod inner_bounds;
mod inner_first;
mod nest;
mod old_values;
mod on_threads;
mod own_arrays;
mod own_sizes;
mod parts;
mod planes;
mod rows;
mod separate_sums;
mod small_arrays;
mod small_launches;
mod state_arrays;

use self::inlined_calls::Callees;
use self::nest::{Nest, nest_of};
use super::aliased::aliased;
use super::block_memory::{keep_to_themselves, own_stores, shares_memory, without_shared};
use super::kernel_builder::{Host, NewFunctions, NewKernels, each_host_function};
use super::kernel_rules::{Refusal, Rules, calls_make_nothing, is_value};
use super::multi_device;
use super::names::{self, Doubt, Meet};
use super::one_array;
use super::outline::{self, Outlined, trip_count};
use super::skew_loops;
use super::thread_loops::HostEffects;
use crate::analysis::aliases::{self, Aliases};
use crate::analysis::dependence::{self, Dependence, Independence, Loop};
use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::analysis::param_aliasing;
use crate::analysis::points_to::ProgramAliases;
use crate::ids::Arena;
use crate::ir::effects::block_may_fail;
use crate::ir::rewrite::{
    blocks_mut, free_variables, root, set_in, stored_in, transform_stmts, visit, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Body, Dims, Expr, ExprKind, Function, LoopAttributes, LoopMode, Program, Stmt, StmtKind, VarId,
    VarSet, build,
};
use crate::message::{Decision, Sink};
use crate::source::Span;
use crate::transform::kernel::collectives::declared;
use crate::transform::{PassContext, messages};
use crate::types::Type;
use quasar_devicelib::value::shape::MAX_DIMS;

/// Runs the transform on every host function.
pub fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    if !context.only_blocks {
        one_array::run(program);
    }
    let aliases = ProgramAliases::of(program);
    let effects = HostEffects::of(program, &aliases);
    let callees = Callees::of(program);
    let known = Known { aliases: &aliases, effects: &effects, callees: &callees };
    each_host_function(program, sink, |host| run_function(host, context, known));
}

/// What is known of the program before its loops are judged.
#[derive(Clone, Copy)]
struct Known<'a> {
    aliases: &'a ProgramAliases,
    effects: &'a HostEffects,
    callees: &'a Callees,
}

fn run_function(host: &mut Host<'_>, context: &PassContext<'_>, known: Known<'_>) {
    let Known { effects, callees, .. } = known;
    let Host { functions, id, name, body, kernels, made, sink } = host;
    let points = known.aliases.of_function(*id).cloned().unwrap_or_default();
    keep_to_themselves(body, sink);
    let block = std::mem::take(&mut body.block);
    let live: VarSet = body.results.iter().copied().collect();
    let aliases = Aliases::of(body, points);
    let may_be_set = body.params.iter().copied().collect();
    let caught = VarSet::new();
    let mut pass = Pass {
        functions,
        effects,
        callees,
        kernels,
        made,
        context,
        sink,
        body,
        aliases,
        may_be_set,
        caught,
        name,
        in_order_outside: false,
        own_arrays: false,
    };
    let block = pass.block(block, &live);
    body.block = block;
    barriers_are_gone(body, sink);
}

/// Barriers stand in loops that became kernels.
fn barriers_are_gone(body: &Body, sink: &mut Sink) {
    visit_stmts(&body.block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::Barrier(_)) {
            sink.push(messages::barrier_on_host(stmt.span));
        }
    });
}

fn barrier_in(block: &Block) -> Option<Span> {
    let mut found = None;
    visit_stmts(block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::Barrier(_)) {
            found = found.or(Some(stmt.span));
        }
    });
    found
}

fn waits(span: Span) -> Refusal {
    Refusal { span, what: "waits for other iterations, which needs a block size for each loop".to_string() }
}

struct Pass<'a> {
    functions: &'a Arena<Function>,
    effects: &'a HostEffects,
    callees: &'a Callees,
    kernels: &'a mut NewKernels,
    made: &'a mut NewFunctions,
    context: &'a PassContext<'a>,
    sink: &'a mut Sink,
    body: &'a mut Body,
    aliases: Aliases,
    /// Variables that may have a value where the walk has come to.
    may_be_set: VarSet,
    /// Variables that are used after an error here has been caught. A kernel that fails gives no results.
    caught: VarSet,
    name: &'a str,
    /// Whether a loop around is one in order that may become one kernel where its launches are small.
    in_order_outside: bool,
    /// Whether iterations of the loop that is judged may make arrays in memory.
    own_arrays: bool,
}

impl Pass<'_> {
    fn block(&mut self, block: Block, after: &VarSet) -> Block {
        let mut live_after = LiveAfter::of(&block, after);
        let mut result = Vec::with_capacity(block.len());
        for stmt in block {
            let live = live_after.step();
            let sets = set_in(std::slice::from_ref(&stmt));
            match &stmt.kind {
                StmtKind::For { attributes, .. } | StmtKind::ForEach { attributes, .. }
                    if attributes.multi_device && !self.context.only_blocks =>
                {
                    result.extend(self.over_devices(stmt, live));
                }
                StmtKind::For { .. } => result.extend(self.for_loop(stmt, live)),
                StmtKind::ForEach { over, attributes, .. } if attributes.mode == LoopMode::Parallel => {
                    let what = "loops over the elements of a vector";
                    self.sink.push(messages::in_order(stmt.span, over.span, what));
                    result.push(self.inside(stmt, live));
                }
                StmtKind::ForEach { over, .. } => {
                    self.stays(stmt.span, over.span, "goes over the elements of a vector");
                    result.push(self.inside(stmt, live));
                }
                StmtKind::While { .. } | StmtKind::Repeat { .. } if self.context.auto_parallel => {
                    result.extend(self.while_loop(stmt, live));
                }
                _ => result.push(self.inside(stmt, live)),
            }
            self.may_be_set.extend(sets);
        }
        result
    }

    /// Goes on with the blocks of a statement that stays where it is.
    fn inside(&mut self, mut stmt: Stmt, after: &VarSet) -> Stmt {
        let live = match &stmt.kind {
            StmtKind::If { .. } => after.clone(),
            _ => {
                // An earlier iteration may have set whatever the loop sets.
                self.may_be_set.add(&set_in(std::slice::from_ref(&stmt)));
                live_in_loop(&stmt, after)
            }
        };
        match &mut stmt.kind {
            StmtKind::Try { body, handlers } => {
                let outer = self.caught.clone();
                self.caught.add(after);
                handlers.iter().for_each(|handler| self.caught.add(&free_variables(&handler.block)));
                *body = self.block(std::mem::take(body), &live);
                self.caught = outer;
                for handler in handlers {
                    handler.block = self.block(std::mem::take(&mut handler.block), &live);
                }
            }
            _ => blocks_mut(&mut stmt, &mut |block| *block = self.block(std::mem::take(block), &live)),
        }
        stmt
    }

    fn for_loop(&mut self, mut stmt: Stmt, after: &VarSet) -> Block {
        let mut block = self.bounds_before(&mut stmt);
        block.extend(self.inner_bounds_before(&mut stmt));
        block.extend(self.with_own_bounds(stmt, after));
        block
    }

    /// Positions compute where their loop begins again, while others store elements, and do not see module-level variables: such
    /// bounds are computed before.
    fn bounds_before(&mut self, stmt: &mut Stmt) -> Block {
        let StmtKind::For { range, .. } = &mut stmt.kind else { return Vec::new() };
        let names_global = |bound: &Expr| {
            let mut global = false;
            visit(bound, &mut |e| global |= matches!(e.kind, ExprKind::Global(_) | ExprKind::Member(..)));
            global
        };
        let from = names_global(&range.from) || outline::reads_elements(&range.from);
        let to = names_global(&range.to);
        let mut before = Vec::new();
        for (bound, is_before) in [(&mut range.from, from), (&mut range.to, to)] {
            if is_before {
                let variable = self.body.temporary(bound.ty.clone(), bound.span);
                let read = self.body.read(variable, bound.span);
                before.push(build::assign(variable, std::mem::replace(bound, read)));
                self.may_be_set.insert(variable);
            }
        }
        before
    }

    fn with_own_bounds(&mut self, stmt: Stmt, after: &VarSet) -> Block {
        if let Some(block) = self.with_inlined_calls(&stmt, after) {
            return block;
        }
        if let Some(block) = self.with_draws(&stmt, after) {
            return block;
        }
        if let Some(block) = self.with_implied_extents(&stmt, after) {
            return block;
        }
        if let Some(block) = self.with_separate_sums(&stmt, after) {
            return block;
        }
        let stmt = self.with_small_arrays(stmt, after);
        match self.by_rows(&stmt, after) {
            Some(block) => block,
            None => self.judged(stmt, after),
        }
    }

    /// A loop as it stands: a kernel, a loop of the host, or loops in it that are kernels.
    fn judged(&mut self, stmt: Stmt, after: &VarSet) -> Block {
        let Some(nest) = nest_of(&stmt, self.body) else { return self.uncounted(stmt, after) };
        if self.context.only_blocks
            && !(nest.attributes.mode == LoopMode::Parallel && shares_memory(&stmt, self.body))
        {
            return vec![self.inside(stmt, after)];
        }
        let stays = match nest.attributes.mode {
            LoopMode::Host | LoopMode::Threads => true,
            LoopMode::Automatic => !self.context.auto_parallel,
            LoopMode::Parallel => shares_memory(&stmt, self.body),
            LoopMode::Serial => false,
        };
        if !stays && let Some(doubt) = self.doubt(&stmt, &nest, after) {
            return self.by_names(stmt, after, &doubt);
        }
        if let Some(block) = self.skewed(&stmt, &nest, after) {
            return block;
        }
        match nest.attributes.mode {
            LoopMode::Host | LoopMode::Threads => {
                self.stays(nest.span, nest.span, "is to stay in its function by an attribute");
                vec![self.inside(stmt, after)]
            }
            LoopMode::Automatic if !self.context.auto_parallel => vec![self.inside(stmt, after)],
            LoopMode::Serial => match self.serial(&stmt, &nest, after) {
                Ok(block) => block,
                Err(refusal) => {
                    self.sink.push(messages::interpreted(nest.span, refusal.span, &refusal.what));
                    vec![self.inside(stmt, after)]
                }
            },
            LoopMode::Parallel => self.forced(&stmt, &nest, after),
            LoopMode::Automatic => match self.parallel(&nest, after, false) {
                Ok(block) => self.or_planes_in_order(&stmt, block, after),
                Err(Failure::Depends(dependence, dims)) => {
                    self.with_state_arrays(&stmt.clone(), after, |pass| {
                        pass.with_old_values(stmt, dependence, dims, after)
                    })
                }
                Err(Failure::Refused(refusal)) => {
                    if let Some(block) = self.with_own_arrays(&stmt, after, (false, &refusal)) {
                        return block;
                    }
                    if self.is_proved(&stmt, after)
                        && let Ok(block) = self.on_threads(&stmt, after, (&refusal, None))
                    {
                        return block;
                    }
                    if let Some(block) = self.with_sums_of_slices(&stmt, after) {
                        return block;
                    }
                    let span = nest.span;
                    self.with_state_arrays(&stmt.clone(), after, |pass| {
                        pass.refused(stmt, span, &refusal, after)
                    })
                }
            },
        }
    }

    /// A loop that stays in its function.
    fn refused(&mut self, stmt: Stmt, span: Span, refusal: &Refusal, after: &VarSet) -> Block {
        let before = self.kernels.len();
        let inner = self.inside(stmt, after);
        // A loop around kernels (iterations of an algorithm) is as it should be.
        if self.kernels.len() == before && self.context.explain_host_loops {
            self.sink.push(messages::interpreted(span, refusal.span, &refusal.what));
        } else {
            self.stays(span, refusal.span, &refusal.what);
        }
        vec![inner]
    }

    /// A nest of two loops that is parallel only when it is visited along other lines.
    fn skewed(&mut self, stmt: &Stmt, nest: &Nest<'_>, after: &VarSet) -> Option<Block> {
        let at = nest.attributes.skewed?;
        let (LoopMode::Automatic | LoopMode::Parallel) = nest.attributes.mode else { return None };
        if [false, true].into_iter().any(|updates| self.test(nest, 1, after, updates).is_ok()) {
            return None;
        }
        let mut ways = skew_loops::ways(stmt, nest.blocks.get(1).copied(), &nest.loops, self.body, after);
        let found = ways.iter().position(|way| {
            let Some(nest) = nest_of(&way.stmt, self.body) else { return false };
            let inner = if way.inside { nest.blocks[0].first() } else { None };
            let nest = match inner {
                Some(inner) => nest_of(inner, self.body),
                None => Some(nest),
            };
            nest.is_some_and(|nest| {
                self.allowed(nest.blocks[0], after).is_ok() && self.test(&nest, 1, after, false).is_ok()
            })
        });
        let Some(found) = found else {
            let why = "no direction was found along which iterations do not depend on each other";
            self.sink.push(messages::not_applied(at, "imperfectloop", why));
            return None;
        };
        let way = ways.swap_remove(found);
        self.sink.push(messages::applied(nest.span, "imperfectloop", way.what));
        Some(if way.inside { vec![self.inside(way.stmt, after)] } else { self.for_loop(way.stmt, after) })
    }

    /// A loop whose iterations launch kernels on one device after the other. As long as nothing is waited for they run at
    /// the same time; they need not be independent, since arrays go where they are used.
    fn over_devices(&mut self, mut stmt: Stmt, after: &VarSet) -> Block {
        let span = stmt.span;
        let Some(attributes) = multi_device::take(&mut stmt) else { return vec![stmt] };
        if attributes.mode != LoopMode::Host && self.context.auto_parallel && self.is_one_kernel(&stmt, after)
        {
            let mut block = self.for_loop(stmt, after);
            multi_device::share(&mut block);
            return block;
        }
        let inner = self.inside(stmt, after);
        match multi_device::distribute(inner, attributes.unroll, self.body) {
            Ok(block) => {
                self.sink.push(messages::distributed(span, attributes.unroll.filter(|times| *times > 0)));
                block
            }
            Err((stmt, why)) => {
                self.sink.push(messages::not_distributed(span, why));
                vec![*stmt]
            }
        }
    }

    /// Whether a loop would become a parallel kernel, as far as its arrays are different ones.
    fn is_one_kernel(&mut self, stmt: &Stmt, after: &VarSet) -> bool {
        let Some(nest) = nest_of(stmt, self.body) else { return false };
        let apart = self.aliases.with_apart(&self.aliases.pairs_in(stmt));
        let aliases = std::mem::replace(&mut self.aliases, apart);
        let found = self.allowed(nest.blocks[0], after).is_ok()
            && [false, true].into_iter().any(|updates| self.test(&nest, 1, after, updates).is_ok());
        self.aliases = aliases;
        found
    }

    /// Keeps why a loop stays in its function, where no message says it.
    fn stays(&mut self, span: Span, at: Span, why: &str) {
        self.sink.remark(Decision::Host { why: why.to_string() }.remark(span, at));
    }

    /// What only the run can tell of the names of arrays in a nest, where it matters.
    fn doubt(&self, stmt: &Stmt, nest: &Nest<'_>, after: &VarSet) -> Option<Doubt> {
        let set = set_in(std::slice::from_ref(stmt));
        let mut pairs = self.aliases.pairs_in(stmt);
        pairs.retain(|(a, b)| !set.contains(a) && !set.contains(b));
        if pairs.is_empty() || self.is_harmless(nest, after, &pairs, &self.aliases) {
            return None;
        }
        let same = self.aliases.with_same_dimensions();
        if self.is_harmless(nest, after, &pairs, &same) {
            pairs.retain(|(a, b)| !self.aliases.have_same_dimensions(*a, *b));
            return Some(Doubt { pairs, meet: Meet::Reshaped });
        }
        Some(Doubt { pairs, meet: Meet::Elements })
    }

    /// Whether a nest does the same in parallel where pairs of names are one array each: iterations keep to their own
    /// elements, and read them by one name before they write them by the other.
    fn is_harmless(
        &self,
        nest: &Nest<'_>,
        after: &VarSet,
        pairs: &[(VarId, VarId)],
        aliases: &Aliases,
    ) -> bool {
        if self.allowed(nest.blocks[0], after).is_err() {
            return false;
        }
        let deepest = |aliases: &Aliases| {
            (1..=nest.loops.len()).rev().find(|dims| {
                let (loops, block) = (&nest.loops[..*dims], own_stores(nest.blocks[dims - 1], self.body));
                dependence::test(self.body, loops, &block, aliases, after, false).is_ok()
            })
        };
        let Some(dims) = deepest(aliases) else { return false };
        let block = nest.blocks[dims - 1];
        let stored = stored_in(block);
        deepest(&aliases.with_apart(pairs)) == Some(dims)
            && pairs.iter().all(|(a, b)| match (stored.contains(a), stored.contains(b)) {
                (true, false) => !param_aliasing::reads_after_writes(block, *b, *a),
                (false, true) => !param_aliasing::reads_after_writes(block, *a, *b),
                _ => false,
            })
    }

    /// A kernel takes its arrays for different ones, so where two names turn out to be one, the loop runs in order: as a kernel
    /// for such arrays, or on the host.
    fn by_names(&mut self, stmt: Stmt, after: &VarSet, doubt: &Doubt) -> Block {
        let span = stmt.span;
        let mut on_host = stmt.clone();
        if let StmtKind::For { attributes, .. } = &mut on_host.kind {
            attributes.mode = LoopMode::Host;
        }
        let in_order = self.in_order(&stmt, after);
        let known = match doubt.meet {
            Meet::Elements | Meet::Same => self.aliases.with_apart(&doubt.pairs),
            Meet::Reshaped => self.aliases.with_same_dimensions(),
        };
        let aliases = std::mem::replace(&mut self.aliases, known);
        let block = self.for_loop(stmt, after);
        self.aliases = aliases;
        let mut launches = false;
        visit_stmts(&block, &mut |stmt| {
            launches |= match &stmt.kind {
                StmtKind::Launch { .. } => true,
                StmtKind::For { attributes, .. } => attributes.mode == LoopMode::Threads,
                _ => false,
            };
        });
        match names::same(self.body, &doubt.pairs, doubt.meet, span) {
            Some(condition) if launches => {
                let name = |id: &VarId| self.body.variables[*id].name.clone();
                let pairs = doubt.pairs.iter().map(|(a, b)| (name(a), name(b))).collect();
                self.sink.remark(Decision::WhereNamesDiffer { pairs }.remark(span, span));
                let in_order =
                    in_order.map(|outlined| self.launch(outlined, vec![build::int(1, span)], span));
                vec![build::choice(condition, vec![in_order.unwrap_or(on_host)], block, span)]
            }
            _ => block,
        }
    }

    /// A loop as a kernel that runs it in order, whichever of its arrays share elements.
    fn in_order(&self, stmt: &Stmt, after: &VarSet) -> Option<Outlined> {
        let mut whole = vec![stmt.clone()];
        if let StmtKind::For { attributes, .. } = &mut whole[0].kind {
            *attributes = LoopAttributes::default();
        }
        self.allowed(&whole, after).and_then(|()| self.keeps_results(&whole)).ok()?;
        let name = self.kernel_name(stmt.span);
        let outlined = outline::serial(name, self.body, &whole, after, &self.may_be_set, stmt.span);
        aliased(&outlined.kernel).map(|kernel| Outlined { kernel, ..outlined })
    }

    fn forced(&mut self, stmt: &Stmt, nest: &Nest<'_>, after: &VarSet) -> Block {
        match self.parallel(nest, after, true) {
            Ok(block) => block,
            Err(failure) => {
                if let Failure::Refused(refusal) = &failure
                    && let Some(block) = self.with_own_arrays(stmt, after, (true, refusal))
                {
                    return block;
                }
                let refusal = match failure {
                    Failure::Refused(refusal) => self.on_threads(stmt, after, (&refusal, None)),
                    Failure::Depends(dependence, _) => {
                        let name = &self.body.variables[dependence.variable].name;
                        let what = format!("carries '{name}' from one iteration to the next");
                        Err(Refusal { span: dependence.span, what })
                    }
                };
                refusal.unwrap_or_else(|Refusal { span, what }| {
                    self.sink.push(messages::cannot_force(nest.span, span, &what));
                    vec![stmt.clone()]
                })
            }
        }
    }

    /// Whether anything parallel was made beside the first so many kernels and functions.
    fn is_parallel_since(&self, kernels: usize, made: usize) -> bool {
        self.made.len() > made || self.kernels.since(kernels).iter().any(|kernel| kernel.parallel)
    }

    /// The deepest prefix of the nest whose iterations are independent as a launch.
    fn parallel(&mut self, nest: &Nest<'_>, after: &VarSet, forced: bool) -> Result<Block, Failure> {
        let depth = nest
            .attributes
            .dims
            .map_or(nest.loops.len(), |dims| nest.loops.len().min(dims as usize))
            .clamp(1, MAX_DIMS);
        self.allowed(nest.blocks[0], after).map_err(Failure::Refused)?;
        if !forced {
            let loops = nest.loops.iter().map(|each| each.variable);
            let set = set_in(nest.blocks[0]).iter().chain(loops).collect();
            self.keeps(&set, nest.blocks[0], nest.span).map_err(Failure::Refused)?;
        }
        if let Some(barrier) = barrier_in(nest.blocks[0]) {
            let given = nest.attributes.block.as_ref().map_or(depth, Vec::len);
            if !forced || given != depth {
                return Err(Failure::Refused(waits(barrier)));
            }
        }
        // A jump may leave an inner loop, but not a dimension.
        let allowed = |dims: &usize| self.rules_hold(nest.blocks[dims - 1], after).is_ok();
        let depth = (1..=depth).rev().find(allowed).unwrap_or(1);
        let mut reason = None;
        // Without updates of common elements first, since atomics cost; an outer loop alone may avoid them.
        for shared_updates in [false, true] {
            if shared_updates && let Some((block, dims)) = self.inner_first(nest, depth, after) {
                self.say_why_no_dimension(nest, dims, reason.as_ref());
                return Ok(block);
            }
            let deepest = if shared_updates { nest.around_few_updates(depth) } else { depth };
            for dims in (1..=deepest).rev() {
                match self.test(nest, dims, after, shared_updates) {
                    Ok(found) => {
                        let (block, dims) = match shared_updates {
                            false => self.few_or_many(nest, (dims, depth), &found, after),
                            true => (self.outline(nest, dims, &found, after), dims),
                        };
                        self.say_why_no_dimension(nest, dims, reason.as_ref());
                        return Ok(block);
                    }
                    Err(dependence) => reason = reason.or(Some((dependence, dims))),
                }
            }
        }
        let Some((dependence, dims)) = reason else { return Ok(Vec::new()) };
        // Elements may be written in any order; a variable has one value only.
        let carried = !matches!(self.body.variables[dependence.variable].ty, Type::Array(_))
            || set_in(nest.blocks[0]).contains(&dependence.variable);
        if !forced || carried {
            return Err(Failure::Depends(dependence, dims));
        }
        let name = self.body.variables[dependence.variable].name.clone();
        self.sink.push(messages::forced_dependence(nest.span, dependence.span, &name, dependence.what));
        let found =
            Independence { shared_updates: stored_in(nest.blocks[depth - 1]), ..Independence::default() };
        self.say_why_no_dimension(nest, depth, None);
        Ok(self.outline(nest, depth, &found, after))
    }

    /// Keeps why the loop behind the first so many of a nest is no dimension of their kernel.
    fn say_why_no_dimension(&mut self, nest: &Nest<'_>, dims: usize, reason: Option<&(Dependence, usize)>) {
        let Some(inner) = nest.blocks.get(dims) else { return };
        let why = match reason {
            Some((dependence, _)) => {
                format!("'{}': {}", self.body.variables[dependence.variable].name, dependence.what)
            }
            None => match self.rules_hold(inner, &VarSet::new()) {
                Err(refusal) => format!("it {}", refusal.what),
                Ok(()) => {
                    format!("the kernel has {dims} dimensions, as its attribute says or as there may be")
                }
            },
        };
        self.sink.remark(Decision::NoDimension { why }.remark(nest.span, nest.span));
    }

    fn test(
        &self,
        nest: &Nest<'_>,
        dims: usize,
        after: &VarSet,
        shared_updates: bool,
    ) -> Result<Independence, Dependence> {
        dependence::test(
            self.body,
            &nest.loops[..dims],
            &own_stores(nest.blocks[dims - 1], self.body),
            &self.aliases,
            after,
            shared_updates,
        )
    }

    fn outline(&mut self, nest: &Nest<'_>, dims: usize, found: &Independence, after: &VarSet) -> Block {
        let loops = &nest.loops[..dims];
        let mut block = nest.blocks[dims - 1].clone();
        transform_stmts(&mut block, &mut |stmt| {
            if let StmtKind::Update { array, atomic, .. } = &mut stmt.kind {
                *atomic = root(array).is_some_and(|v| found.shared_updates.contains(&v));
            }
        });
        let name = self.kernel_name(nest.span);
        let mut outlined = outline::parallel(name, self.body, loops, &block, &found.accumulators, nest.span);
        outlined.kernel.attributes = nest.attributes.kernel.as_deref().cloned().unwrap_or_default();
        if self.own_arrays && !own_arrays::in_memory(&block, after, self.body).is_empty() {
            own_arrays::keep_on_processor(&mut outlined.kernel);
        }
        if let (Some(_), Some(at)) = (nest.attributes.unroll, nest.attributes.unrolled_at) {
            self.sink.push(messages::not_unrolled(at, "it became a kernel, its rounds are positions"));
        }
        let in_blocks = !declared(&outlined.kernel.body).is_empty();
        self.sink.push(messages::parallelised(nest.span, dims));
        let counts: Vec<Expr> = loops.iter().map(|each| trip_count(&each.range)).collect();
        let mut launch = self.launch(outlined, counts.clone(), nest.span);
        // Elsewhere the block is a matter of speed, which the run-time system knows more about.
        if let (StmtKind::Launch { block, .. }, Some(sizes), true) =
            (&mut launch.kind, &nest.attributes.block, in_blocks)
            && sizes.len() == dims
        {
            *block = Some(Dims::Each(sizes.iter().map(|n| build::int(*n as i32, nest.span)).collect()));
        }
        let mut result = vec![launch];
        for (each, count) in loops.iter().zip(counts) {
            if after.contains(&each.variable) {
                result.push(self.last_value(each, count));
            }
        }
        result
    }

    /// After a loop its variable keeps the last value that it took.
    fn last_value(&self, each: &Loop, count: Expr) -> Stmt {
        let span = each.range.to.span;
        let int = build::int_type();
        let row = |name: &str| quasar_devicelib::ops::find(name).expect("a row that the table has");
        let last = build::apply(row("subtract"), vec![count.clone(), build::int(1, span)], int.clone(), span);
        let step = each.range.step.clone().unwrap_or_else(|| build::int(1, span));
        let offset = build::apply(row("multiply"), vec![last, step], int.clone(), span);
        let value = build::apply(row("add"), vec![each.range.from.clone(), offset], int.clone(), span);
        let some = build::apply(row("greater"), vec![count, build::int(0, span)], int, span);
        build::choice(some, vec![build::assign(each.variable, value)], Vec::new(), span)
    }

    /// Whether nothing that statements set is used after an error in them, which a kernel would lose.
    fn keeps_results(&self, block: &[Stmt]) -> Result<(), Refusal> {
        self.keeps(&set_in(block), block, block.first().map_or(Span::default(), |stmt| stmt.span))
    }

    fn keeps(&self, set: &VarSet, block: &[Stmt], span: Span) -> Result<(), Refusal> {
        let lost = set.iter().find(|variable| self.caught.contains(variable));
        let Some(variable) = lost.filter(|_| block_may_fail(block)) else { return Ok(()) };
        let what =
            format!("sets '{}', which is used after errors are caught", self.body.variables[variable].name);
        Err(Refusal { span, what })
    }

    /// Whether statements may become a kernel.
    fn allowed(&self, block: &Block, after: &VarSet) -> Result<(), Refusal> {
        self.rules_hold(block, after)?;
        if !self.context.kernel_memory {
            calls_make_nothing(block, self.functions)?;
        }
        let own =
            if self.own_arrays { own_arrays::in_memory(block, after, self.body) } else { VarSet::new() };
        renamed_arrays(&own_stores(block, self.body), after, &self.may_be_set, &own)
    }

    fn rules_hold(&self, block: &Block, after: &VarSet) -> Result<(), Refusal> {
        let own = self.own_arrays.then(|| own_arrays::of(block, after, self.body));
        let rules = Rules { functions: self.functions, own: own.as_ref() };
        rules.block(&without_shared(block, self.body))
    }

    fn launch(&mut self, outlined: Outlined, dims: Vec<Expr>, span: Span) -> Stmt {
        let results = outlined.results.into_iter().map(Some).collect();
        outline::launch(self.kernels, outlined.kernel, &outlined.args, results, dims, self.body, span)
    }

    fn kernel_name(&self, span: Span) -> String {
        outline::kernel_name(self.name, self.context.line(span))
    }
}

/// Whether statements read or write single elements of arrays that are not values of a thread.
fn has_elements(block: &Block) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        found |= matches!(&e.kind, ExprKind::Load { array, .. } if !is_value(&array.ty));
    });
    visit_stmts(block, &mut |stmt| {
        found |= matches!(&stmt.kind,
            StmtKind::Store { array, .. } | StmtKind::Update { array, .. } if !is_value(&array.ty));
    });
    found
}

/// A kernel keeps small arrays as values: a second name for one would not see what is written to the other, and an array
/// from outside, also one that stays where the block does not set it, cannot be written to and be replaced by another one. The arrays
/// in `own`, which an iteration makes in memory, may have several names.
fn renamed_arrays(block: &Block, after: &VarSet, may_be_set: &VarSet, own: &VarSet) -> Result<(), Refusal> {
    let (stored, set) = (stored_in(block), set_in(block));
    let mut from_outside = free_variables(block);
    from_outside.extend(after.intersection(may_be_set));
    let mut verdict = Ok(());
    visit_stmts(block, &mut |stmt| {
        let StmtKind::Assign { variable, value } = &stmt.kind else { return };
        if !matches!(value.ty, Type::Array(_)) || own.contains(variable) || verdict.is_err() {
            return;
        }
        let mut sources = Vec::new();
        aliases::sources(value, &mut sources);
        let shared = sources.iter().any(|source| source != variable)
            && (after.contains(variable) || sources.iter().chain([variable]).any(|v| stored.contains(v)));
        if shared {
            verdict = Err(Refusal { span: stmt.span, what: "gives an array a second name".into() });
        } else if set.contains(variable) && stored.contains(variable) && from_outside.contains(variable) {
            let what = "writes to an array and puts another one in its place".into();
            verdict = Err(Refusal { span: stmt.span, what });
        }
    });
    verdict
}

/// Why a nest is no parallel kernel.
enum Failure {
    Refused(Refusal),
    /// With the number of dimensions that were tried first.
    Depends(Dependence, usize),
}
