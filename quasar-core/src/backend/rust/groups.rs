//! Kernels whose threads wait for each other: block after block, each phase is a loop over the block's threads, and what
//! a thread keeps from one phase to another stands in arrays. Where blocks wait for each other, each phase between such
//! barriers is a loop over all blocks, and what they keep is one array for all of them.

use super::Unit;
use super::code::{Code, Ident, Literal, quote};
use super::expr::{Loop, Printer, Target, constant};
use super::kernel::{self, Shaped};
use super::names::{self, number};
use super::results;
use super::stmt::{anonymous, steps};
use super::types::{self, array_element, rank};
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::barrier_intervals::{Phase, Phases, Place, SyncScope, divide, ends};
use crate::ir::barriers::has_grid_barriers;
use crate::ir::rewrite::{read_in, set_in, stored_in, variables};
use crate::ir::schedule::Vector;
use crate::ir::{Expr, Kernel, Range, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::target::cpu::END_VECTOR;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What the printers of all phases need.
struct Group<'g> {
    kernel: &'g Kernel,
    phases: &'g Phases<'g>,
    reaches: &'g BTreeMap<VarId, AccessPattern>,
    /// What each thread keeps.
    kept: VarSet,
    /// Whether blocks wait for each other somewhere.
    over_grid: bool,
    /// Whether code for all blocks is being printed.
    all_blocks: Cell<bool>,
    /// Which threads go the way whose code is being printed, if not all, and how many such names there are.
    mask: RefCell<Option<Ident>>,
    masks: Cell<usize>,
    /// What lanes of threads know of the kernel, and how many intervals have been printed.
    shaped: Shaped<'g>,
    intervals: Cell<usize>,
}

/// The kernel as an implementation of the trait that launches use. `params` are the pattern and the type of the
/// arguments behind the grid.
pub(super) fn kernel(
    unit: &Unit<'_>,
    kernel: &Kernel,
    reaches: &BTreeMap<VarId, AccessPattern>,
    params: (Code, Code),
    sink: &mut Sink,
) -> Code {
    let phases = match divide(kernel, SyncScope::Warps) {
        Ok(phases) => phases,
        Err((span, what)) => {
            sink.push(Message::not_supported(span, what));
            return Code::new();
        }
    };
    let kept = phases.live_across.iter().filter(|v| !reaches.contains_key(v)).collect();
    let over_grid = has_grid_barriers(&kernel.body.block);
    let group = Group {
        kernel,
        phases: &phases,
        reaches,
        kept,
        over_grid,
        all_blocks: Cell::new(over_grid),
        mask: RefCell::new(None),
        masks: Cell::new(0),
        shaped: kernel::group(kernel, reaches),
        intervals: Cell::new(0),
    };
    let mut printer = Printer {
        unit,
        body: &kernel.body,
        target: Target::Thread,
        sink,
        loops: Vec::new(),
        far: reaches.keys().copied().collect(),
        labels: 0,
        leave: quote!(break 'thread;),
        exits: Vec::new(),
        tail: None,
        outside: 0,
        in_try: false,
    };
    let body = group.phases(&mut printer, &phases.phases, None);
    let (once, each_block) = group.storage(&mut printer);
    let walk = if over_grid {
        quote!('blocks: { #body })
    } else {
        quote!('blocks: for index in task.positions() { #each_block #body })
    };
    let (sum, _, _, merge) = results::sums(kernel);
    let (start, finish) = sums(kernel);
    let (pattern, args) = params;
    let (name, rank) = (names::kernel(&kernel.name), number(kernel.rank));
    quote! {
        pub(super) struct #name;
        impl lib::Kernel<#rank> for #name {
            type Args<'a> = (lib::Grid<#rank>, #args);
            type Sum = #sum;
            #[inline(always)]
            fn run<I: lib::Isa>(args: Self::Args<'_>, task: lib::Task<#rank>, fault: &lib::Fault) -> Self::Sum {
                let (grid, #pattern) = args;
                let count = grid.block_threads();
                #start
                #once
                #walk
                #finish
            }
            fn merge(first: Self::Sum, second: Self::Sum) -> Self::Sum {
                type I = lib::Baseline;
                #merge
            }
        }
    }
}

/// Results before the first block and after the last one.
fn sums(kernel: &Kernel) -> (Code, Code) {
    let (mut start, mut finish) = (Code::new(), quote!(()));
    for &result in kernel.body.results.iter().rev() {
        let (v, declared) = (names::local(result), &kernel.body.variables[result].ty);
        let ty = types::device(declared);
        let zero = match kernel.accumulators.iter().find(|each| each.variable == result) {
            Some(each) => {
                let element = types::scalar(declared).unwrap_or(crate::types::ElementType::Int32);
                constant(quasar_devicelib::ops::neutral(each.row.name, element))
            }
            None => types::device_zero(declared),
        };
        start.extend(quote!(let mut #v: #ty = #zero;));
        finish = quote!((#v, #finish));
    }
    (start, finish)
}

fn shared_name(variable: VarId) -> Ident {
    anonymous("shared", variable.index())
}

fn state_name(variable: VarId) -> Ident {
    anonymous("state", variable.index())
}

impl Group<'_> {
    /// What is allocated once, and what happens to it when a block begins.
    fn storage(&self, printer: &mut Printer<'_>) -> (Code, Code) {
        let (mut once, mut each) = (Code::new(), Code::new());
        for param in self.reaches.keys() {
            let v = names::local(*param);
            once.extend(quote!(let #v = &mut #v;));
        }
        for (id, variable) in self.kernel.body.variables.iter() {
            if variable.storage == Storage::Shared {
                let (Some(e), Some(n)) = (array_element(&variable.ty), rank(&variable.ty)) else {
                    printer.unsupported(variable.span, "a shared array of this type");
                    continue;
                };
                let (shared, e, n) = (shared_name(id), types::element(e), number(n));
                if self.over_grid {
                    once.extend(quote!(let mut #shared = lib::Shared::<#e, #n>::for_blocks(task.count());));
                } else {
                    once.extend(quote!(let mut #shared = lib::Shared::<#e, #n>::new();));
                    each.extend(quote!(#shared.reset();));
                }
            }
        }
        for id in &self.kept {
            let (s, first) = (state_name(id), self.first_value(printer, id));
            if self.over_grid {
                once.extend(quote!(let mut #s = ::std::vec![#first; count * task.count()];));
            } else {
                once.extend(quote!(let mut #s = ::std::vec![#first; count];));
                each.extend(quote!(#s.fill(#first);));
            }
        }
        for id in &self.phases.common {
            let (v, zero) = (names::local(id), types::device_zero(&self.kernel.body.variables[id].ty));
            once.extend(quote!(let mut #v = #zero;));
        }
        (once, each)
    }

    /// Code that runs for each block, with what the block keeps in the place of what all of them keep.
    fn each_block(&self, body: Code) -> Code {
        let mut own = Code::new();
        for (id, variable) in self.kernel.body.variables.iter() {
            if variable.storage == Storage::Shared {
                let shared = shared_name(id);
                own.extend(quote!(let #shared = &mut #shared[block];));
            } else if self.kept.contains(&id) {
                let s = state_name(id);
                own.extend(quote!(let #s = &mut #s[block * count..][..count];));
            }
        }
        quote!(for (block, index) in task.positions().enumerate() { #own #body })
    }

    fn first_value(&self, printer: &mut Printer<'_>, id: VarId) -> Code {
        if self.kernel.body.params.contains(&id) {
            let v = names::local(id);
            return quote!(#v);
        }
        let variable = &self.kernel.body.variables[id];
        if types::device(&variable.ty).is_none() {
            let what = format!("a variable of this type in a kernel: '{}'", variable.name);
            return printer.unsupported(variable.span, &what);
        }
        types::device_zero(&variable.ty)
    }

    /// Phases in order; `tail` is the loop that goes on after the last one.
    fn phases(&self, p: &mut Printer<'_>, phases: &[Phase<'_>], tail: Option<usize>) -> Code {
        let mut tokens = Code::new();
        for (k, phase) in phases.iter().enumerate() {
            let tail = tail.filter(|_| k + 1 == phases.len());
            tokens.extend(self.phase(p, phase, tail));
        }
        tokens
    }

    fn phase(&self, p: &mut Printer<'_>, phase: &Phase<'_>, tail: Option<usize>) -> Code {
        if self.all_blocks.get() && phase.is_of_blocks() {
            // Each block goes its own way.
            self.all_blocks.set(false);
            let body = self.phase(p, phase, tail);
            self.all_blocks.set(true);
            return self.each_block(body);
        }
        let asks_all = matches!(phase, Phase::For { .. } | Phase::Repeat { .. });
        let mask = self.mask.borrow().clone().filter(|_| asks_all);
        if let Some(mask) = mask {
            // Where nobody goes, nobody answers.
            let body = self.unmasked_phase(p, phase, tail);
            return quote!(if #mask.contains(&true) { #body });
        }
        self.unmasked_phase(p, phase, tail)
    }

    fn unmasked_phase(&self, p: &mut Printer<'_>, phase: &Phase<'_>, tail: Option<usize>) -> Code {
        match phase {
            Phase::Threads(stmts) => self.segment(p, stmts, tail),
            Phase::Meeting(stmt) => self.meeting(p, stmt),
            Phase::Masked { condition, then, otherwise } => {
                self.masked_choice(p, condition, [then, otherwise])
            }
            Phase::MaskedWhile { condition, body } => self.masked_while(p, condition, body),
            Phase::Shared { variable, dims, span } => self.allocate(p, *variable, dims, *span),
            Phase::If { condition, then, otherwise, place } => {
                let choose = self.choose(p, condition, *place);
                let (then, otherwise) = (self.phases(p, then, tail), self.phases(p, otherwise, tail));
                quote!(#choose if chosen { #then } else { #otherwise })
            }
            Phase::For { variable, range, body, place } => self.for_range(p, *variable, range, body, *place),
            Phase::While { condition, body, place } => {
                let name = enter(p, false);
                let choose = self.choose(p, condition, *place);
                let body = self.phases(p, body, Some(p.loops.len() - 1));
                p.loops.pop();
                let label = Ident::lifetime(&name);
                quote!(#label: loop { #choose if !chosen { break #label; } #body })
            }
            Phase::Repeat { body, test, until, place } => {
                let name = enter(p, true);
                let body = self.phases(p, body, Some(p.loops.len() - 1));
                p.loops.pop();
                let test = self.phases(p, test, None);
                let choose = self.choose(p, until, *place);
                let (label, inner) = (Ident::lifetime(&name), Ident::lifetime(&format!("{name}c")));
                quote!(#label: loop { #inner: { #body } #test #choose if chosen { break #label; } })
            }
        }
    }

    /// A loop over the threads of the block (the first one only, where all would find the same), with the variables it
    /// mentions at hand and those it sets kept.
    fn each_thread(
        &self,
        mentioned: &VarSet,
        set: &VarSet,
        first_only: bool,
        body: Code,
        vote: Code,
    ) -> Code {
        let (views, loads, stores) = self.variables_of_threads(mentioned, set);
        let positions = (0..self.kernel.rank).map(names::position);
        let places = (0..self.kernel.rank).map(names::block_position);
        let mask = self.mask.borrow();
        let rests = mask.as_ref().map(|mask| quote!(if !#mask[t] { continue; }));
        let first_only = (first_only && mask.is_none()).then(|| quote!(.take(1)));
        let walk = quote! {
            #views
            for (t, lane) in grid.lanes(index)#first_only.enumerate() {
                #rests
                let ([#(#positions),*], [#(#places),*]) = (lane.position, lane.block_position);
                #loads
                #body
                #stores
                #vote
            }
        };
        if self.all_blocks.get() { self.each_block(walk) } else { walk }
    }

    /// The same, where neighbouring threads of a row that are all in the launch do it together.
    fn lanes_of_threads(
        &self,
        p: &mut Printer<'_>,
        vector: &Vector,
        (mentioned, set): (&VarSet, &VarSet),
        body: Code,
    ) -> Code {
        let (views, loads, stores) = self.variables_of_threads(mentioned, set);
        let positions = (0..self.kernel.rank).map(names::position);
        let places = (0..self.kernel.rank).map(names::block_position);
        let kept = |v: VarId| self.kept.contains(&v).then(|| state_name(v));
        let kernel::Lanes { before, vector: lanes } = kernel::threads(p, &self.shaped, vector, &kept);
        let bind = quote!(let ([#(#positions),*], [#(#places),*]) = (lane.position, lane.block_position););
        let vectors: Code = [vector.lanes, END_VECTOR]
            .into_iter()
            .map(|width| {
                let width = number(width as usize);
                quote! {
                    if at >= first && at + #width <= end {
                        const L: usize = #width;
                        #lanes
                        at += L;
                        continue;
                    }
                }
            })
            .collect();
        quote! {
            #views
            for row in grid.rows_of_threads(index) {
                let (t, lane) = row.thread(0);
                #bind
                #before
                let (mut at, (first, end)) = (0, row.between(columns.range()));
                while at < row.threads {
                    let (t, lane) = row.thread(at);
                    #bind
                    #vectors
                    at += 1;
                    #loads
                    #body
                    #stores
                }
            }
        }
    }

    /// The variables of threads that code mentions: what is there for all threads, and what each has before and keeps behind.
    fn variables_of_threads(&self, mentioned: &VarSet, set: &VarSet) -> (Code, Code, Code) {
        let (mut views, mut loads, mut stores) = (Code::new(), Code::new(), Code::new());
        for id in mentioned {
            let v = names::local(id);
            if self.kernel.body.variables[id].storage == Storage::Shared {
                let shared = shared_name(id);
                views.extend(quote!(let #v = &mut #shared.view();));
            } else if self.kept.contains(&id) {
                let s = state_name(id);
                let copied = types::on_heap(&self.kernel.body.variables[id].ty).then(|| quote!(.clone()));
                loads.extend(quote!(let mut #v = #s[t]#copied;));
                if set.contains(&id) {
                    stores.extend(quote!(#s[t] = #v;));
                }
            } else if self.reaches.get(&id).is_some_and(|reach| *reach != AccessPattern::ReadOnly) {
                loads.extend(quote!(let #v = &mut lib::Guarded::new(&mut *#v, lane.shadow);));
            } else if self.kernel.body.results.contains(&id) && set.contains(&id) {
                let r = anonymous("before", id.index());
                loads.extend(quote!(let #r = #v;));
                stores.extend(quote!(if lane.shadow { #v = #r; }));
            }
        }
        (views, loads, stores)
    }

    /// Each thread goes one of two ways, and rests while the others go theirs.
    fn masked_choice(&self, p: &mut Printer<'_>, condition: &Expr, ways: [&[Phase<'_>]; 2]) -> Code {
        let (chosen, others) = (self.new_mask(), self.new_mask());
        let choose = self.divide_threads(p, condition, &chosen, &others);
        let [then, otherwise] = ways;
        let then = self.masked(p, &chosen, then);
        let otherwise = self.masked(p, &others, otherwise);
        quote!(#choose #then #otherwise)
    }

    /// A loop that each thread leaves alone: `there` are those that are in it, `round` those that go its present round.
    fn masked_while(&self, p: &mut Printer<'_>, condition: &Expr, body: &[Phase<'_>]) -> Code {
        let (there, round) = (self.new_mask(), self.new_mask());
        let begin = self.divide_threads(p, condition, &there, &round);
        // Who has left stays away.
        let before = self.mask.replace(Some(there.clone()));
        let again = self.divide_threads(p, condition, &round, &round);
        self.mask.replace(before);
        let name = enter(p, false);
        if let Some(last) = p.loops.last_mut() {
            last.masks = Some((there.clone(), round.clone()));
        }
        let body = self.masked(p, &round, body);
        p.loops.pop();
        let label = Ident::lifetime(&name);
        quote! {
            #begin
            #label: while #there.contains(&true) {
                #round.copy_from_slice(&#there);
                #body
                #again
                #there.copy_from_slice(&#round);
            }
        }
    }

    /// A name for those that go one way.
    fn new_mask(&self) -> Ident {
        self.masks.set(self.masks.get() + 1);
        anonymous("mask", self.masks.get())
    }

    /// Finds for which threads a condition holds, and for which not.
    fn divide_threads(&self, p: &mut Printer<'_>, condition: &Expr, chosen: &Ident, others: &Ident) -> Code {
        let value = p.condition(condition);
        let mentioned = variables(condition);
        let note = match chosen.to_string() == others.to_string() {
            true => quote!(#chosen[t] = #value;),
            false => quote!(if #value { #chosen[t] = true; } else { #others[t] = true; }),
        };
        let walk = self.each_thread(&mentioned, &VarSet::new(), false, Code::new(), note);
        let declare = match chosen.to_string() == others.to_string() {
            true => quote!(#chosen.fill(false);),
            false => quote! {
                let mut #chosen = ::std::vec![false; count];
                let mut #others = ::std::vec![false; count];
            },
        };
        quote!(#declare { #walk } if fault.is_set() { break 'blocks; })
    }

    /// Code for the threads of one way; nothing where there are none.
    fn masked(&self, p: &mut Printer<'_>, mask: &Ident, phases: &[Phase<'_>]) -> Code {
        if phases.is_empty() {
            return Code::new();
        }
        let before = self.mask.replace(Some(mask.clone()));
        let body = self.phases(p, phases, None);
        self.mask.replace(before);
        quote!(if #mask.contains(&true) { #body })
    }

    /// Each thread brings something, then each takes what the others of its group make of it.
    fn meeting(&self, p: &mut Printer<'_>, stmt: &Stmt) -> Code {
        let StmtKind::Library { name, args, results } = &stmt.kind else { return Code::new() };
        let stmts = std::slice::from_ref(stmt);
        let values: Vec<_> = args.iter().map(|arg| p.value(arg)).collect();
        let (lanes, value, operand) = match values.as_slice() {
            [] => (quote!(0_u32), quote!(0_i32), quote!(0_i32)),
            [lanes] => (quote!(#lanes), quote!(0_i32), quote!(0_i32)),
            [lanes, value] => (quote!(#lanes), quote!(#value), quote!(0_i32)),
            [lanes, value, operand, ..] => (quote!(#lanes), quote!(#value), quote!(#operand)),
        };
        let bring = quote!(meeting.bring(t, #lanes, #value, #operand););
        let come = self.each_thread(&read_in(stmts), &VarSet::new(), false, bring, Code::new());
        let line = Literal::plain(p.line(stmt.span));
        let check = (*name != "group_lanes").then(|| quote!(meeting.check(fault, #line);));
        let take = match results.as_slice() {
            [Some(result)] => {
                let (v, function) = (names::local(*result), Ident::new(*name));
                let set = set_in(stmts);
                self.each_thread(&set, &set, false, quote!(#v = meeting.#function(t);), Code::new())
            }
            _ => Code::new(),
        };
        quote! {
            {
                let mut meeting = lib::groups::Meeting::new(count);
                { #come }
                #check
                if fault.is_set() { break 'blocks; }
                { #take }
            }
        }
    }

    /// Statements that no thread waits in.
    fn segment(&self, p: &mut Printer<'_>, stmts: &[Stmt], tail: Option<usize>) -> Code {
        let mut set = set_in(stmts);
        set.add(&stored_in(stmts));
        let mut mentioned = read_in(stmts);
        mentioned.add(&set);
        let mut own = Code::new();
        for id in &set {
            let variable = &self.kernel.body.variables[id];
            let elsewhere = self.kept.contains(&id)
                || self.phases.common.contains(&id)
                || self.kernel.body.results.contains(&id)
                || self.reaches.contains_key(&id)
                || variable.storage == Storage::Shared;
            if elsewhere {
                continue;
            }
            let (v, first) = (names::local(id), self.first_value(p, id));
            own.extend(quote!(let mut #v = #first;));
        }
        p.tail = tail;
        let code = p.block(stmts);
        p.tail = None;
        let exits = std::mem::take(&mut p.exits);
        let body = quote!(#own 'thread: { #code });
        let vector = self.kernel.schedule.intervals.get(&self.intervals.get());
        self.intervals.set(self.intervals.get() + 1);
        if exits.is_empty() {
            let vector = vector.filter(|_| self.mask.borrow().is_none() && !self.all_blocks.get());
            let walk = match vector {
                Some(vector) => self.lanes_of_threads(p, vector, (&mentioned, &set), body),
                None => self.each_thread(&mentioned, &set, false, body, Code::new()),
            };
            return quote!({ #walk } if fault.is_set() { break 'blocks; });
        }
        if p.loops.last().is_some_and(|last| last.masks.is_some()) {
            let body = quote!(let mut jump = 0_u32; #body);
            let arms = exits.iter().map(|(code, go)| quote!(#code => { #go }));
            let leave = quote!(match jump { #(#arms)* _ => {} });
            let walk = self.each_thread(&mentioned, &set, false, body, leave);
            return quote!({ #walk } if fault.is_set() { break 'blocks; });
        }
        let place = stmts.first().map_or(self.kernel.span, |stmt| stmt.span);
        let agreed = agreed(p, Place { span: place, barrier: place, over_grid: false });
        let body = quote!(let mut jump = 0_u32; #body);
        let walk = self.each_thread(&mentioned, &set, false, body, quote!(votes.add(jump);));
        let arms = exits.iter().map(|(code, go)| quote!(#code => { #go }));
        quote! {
            let mut votes = lib::Votes::new();
            { #walk }
            if fault.is_set() { break 'blocks; }
            #agreed
            match agreed { #(#arms)* _ => {} }
        }
    }

    /// Evaluates a condition that all threads must find alike.
    fn choose(&self, p: &mut Printer<'_>, condition: &Expr, place: Place) -> Code {
        let value = p.condition(condition);
        let (uniform, mentioned) = (self.phases.is_uniform(condition), variables(condition));
        let vote = quote!(votes.add(#value););
        let walk = self.each_thread(&mentioned, &VarSet::new(), uniform, Code::new(), vote);
        let agreed = agreed(p, place);
        quote! {
            let mut votes = lib::Votes::new();
            { #walk }
            #agreed
            let chosen = agreed;
        }
    }

    fn for_range(
        &self,
        p: &mut Printer<'_>,
        variable: VarId,
        range: &Range,
        body: &[Phase<'_>],
        place: Place,
    ) -> Code {
        let ends = ends(range);
        let values: Vec<_> = ends.iter().map(|e| p.value(e)).collect();
        let uniform = ends.iter().all(|e| self.phases.is_uniform(e));
        let mentioned = ends.iter().flat_map(|e| variables(e)).collect();
        let vote = quote!(votes.add((#(#values,)*)););
        let walk = self.each_thread(&mentioned, &VarSet::new(), uniform, Code::new(), vote);
        let agreed = agreed(p, place);
        let steps = match range.step {
            Some(_) => steps(range, quote!(agreed.0), Some(quote!(agreed.1)), quote!(agreed.2)),
            None => steps(range, quote!(agreed.0), None, quote!(agreed.1)),
        };
        let name = enter(p, false);
        let body = self.phases(p, body, Some(p.loops.len() - 1));
        p.loops.pop();
        let (v, label) = (names::local(variable), Ident::lifetime(&name));
        let bind = if self.kept.contains(&variable) {
            let s = state_name(variable);
            quote!(#s.fill(step);)
        } else {
            quote!(#v = step;)
        };
        quote! {
            let mut votes = lib::Votes::new();
            { #walk }
            #agreed
            #label: for step in #steps { #bind #body }
        }
    }

    fn allocate(&self, p: &mut Printer<'_>, variable: VarId, dims: &[Expr], span: Span) -> Code {
        let declared = &self.kernel.body.variables[variable];
        if rank(&declared.ty) != Some(dims.len()) {
            return p.unsupported(span, "a shared array whose number of dimensions is not known");
        }
        let values: Vec<_> = dims.iter().map(|e| p.value(e)).collect();
        let mentioned = dims.iter().flat_map(variables).collect();
        let (shared, name) = (shared_name(variable), &declared.name);
        let line = Literal::plain(p.line(span));
        let others = self.kernel.body.variables.iter();
        let others = others.filter(|(id, v)| v.storage == Storage::Shared && *id != variable);
        let others = others.map(|(id, _)| shared_name(id));
        let body = quote!(#shared.allocate([#(#values),*], 0 #(+ #others.bytes())*, fault, (#name, #line)););
        let walk = self.each_thread(&mentioned, &VarSet::new(), true, body, Code::new());
        quote!({ #walk } if fault.is_set() { break 'blocks; })
    }
}

/// Takes what all threads said.
fn agreed(p: &Printer<'_>, place: Place) -> Code {
    let (line, barrier) = (Literal::plain(p.line(place.span)), Literal::plain(p.line(place.barrier)));
    quote! {
        let ::std::option::Option::Some(agreed) = votes.agreed(fault, #line, #barrier) else { break 'blocks; };
        if fault.is_set() { break 'blocks; }
    }
}

/// Begins a loop that the threads of a block go through together.
fn enter(p: &mut Printer<'_>, repeat: bool) -> String {
    p.labels += 1;
    let label = format!("l{}", p.labels);
    p.loops.push(Loop { label: label.clone(), repeat, phased: true, masks: None });
    label
}

impl Printer<'_> {
    /// A jump of one thread to the end or the next round of a loop that the block goes through together: the thread
    /// rests, and when all have said the same, the block jumps.
    pub(super) fn leave_phase(&mut self, loop_: usize, continues: bool) -> Code {
        if continues && self.tail == Some(loop_) {
            return quote!(break 'thread;);
        }
        let target = &self.loops[loop_];
        if let Some((there, round)) = &target.masks {
            let leaves = (!continues).then(|| quote!(#there[t] = false;));
            let go = quote!(#round[t] = false; #leaves);
            let code = self.exit(loop_, continues, go);
            return quote!({ jump = #code; break 'thread; });
        }
        let label = Ident::lifetime(&target.label);
        let go = match (continues, target.repeat) {
            (true, true) => {
                let inner = Ident::lifetime(&format!("{}c", target.label));
                quote!(break #inner;)
            }
            (true, false) => quote!(continue #label;),
            (false, _) => quote!(break #label;),
        };
        let code = self.exit(loop_, continues, go);
        quote!({ jump = #code; break 'thread; })
    }
}
