//! Statements. Control flow is the same everywhere; accesses to arrays differ between host and kernels.

use super::code::{Code, Ident, Literal, quote};
use super::expr::{Loop, Printer, Target, constant_offset, is_direct, lanes_of};
use super::host;
use super::names;
use super::types::{self, fixed, scalar};
use crate::analysis::access_pattern::by_reference;
use crate::analysis::may_fail;
use crate::ir::rewrite::{operands, sets, variables};
use crate::ir::{
    Block, Expr, ExprKind, Failure, FunctionId, Index, LoopMode, Range, Stmt, StmtKind, VarId, VarSet,
    is_warp_function,
};
use crate::source::Span;
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::ops::Row;
use std::collections::BTreeSet;

impl Printer<'_> {
    /// Statements in order.
    pub(super) fn block(&mut self, block: &[Stmt]) -> Code {
        let mut tokens = Code::new();
        let mut rest = block;
        while let Some((stmt, others)) = rest.split_first() {
            if self.unit.options.lines {
                tokens.say(&format!("/*@{}:{}*/", stmt.span.file.0, self.line(stmt.span)));
            }
            if let Target::Point(shaped) = self.target
                && let Some((count, staged)) = shaped.staged(self, rest)
            {
                tokens.extend(staged);
                rest = &rest[count..];
                continue;
            }
            if let Target::Lane(lanes) = self.target
                && let Some(region) = lanes.region(self, stmt).or_else(|| lanes.rounds(self, stmt))
            {
                tokens.extend(region);
                rest = others;
                continue;
            }
            tokens.extend(self.stmt(stmt));
            rest = others;
        }
        tokens
    }

    fn stmt(&mut self, stmt: &Stmt) -> Code {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => self.assign(*variable, value),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let then = self.block(then);
                if otherwise.is_empty() {
                    return quote!(if #condition { #then });
                }
                let otherwise = self.block(otherwise);
                quote!(if #condition { #then } else { #otherwise })
            }
            StmtKind::For { variable, range, body, attributes }
                if attributes.mode == LoopMode::Threads && self.is_host() =>
            {
                host::thread_loop(self, *variable, range, body)
            }
            StmtKind::For { variable, range, body, .. } => self.for_range(*variable, range, body, stmt.span),
            StmtKind::While { condition, body } => {
                let label = self.enter(false);
                let condition = self.condition(condition);
                let body = self.block(body);
                self.loops.pop();
                let label = Ident::lifetime(&label);
                let sound = self.while_sound(stmt).map(|sound| quote!(#sound &&));
                quote!(#label: while #sound #condition { #body })
            }
            StmtKind::Repeat { body, test, until } => {
                let stop = self.while_sound(stmt).map(|sound| quote!(!#sound ||));
                self.repeat(body, test, until, stop)
            }
            StmtKind::Break { levels } => self.jump(*levels, false, stmt.span),
            StmtKind::Continue { levels } => self.jump(*levels, true, stmt.span),
            StmtKind::Call { function, args, results } => self.call(*function, args, results, stmt.span),
            _ if self.is_host() => host::stmt(self, stmt),
            _ => self.device_stmt(stmt),
        }
    }

    fn assign(&mut self, variable: VarId, value: &Expr) -> Code {
        let name = names::local(variable);
        if !self.is_host()
            && let ExprKind::Apply { row, args } = &value.kind
            && row.name == "add"
            && matches!(scalar(&value.ty), Some(ElementType::Single | ElementType::Double))
            && matches!(args[0].kind, ExprKind::Local(v) if v == variable)
            && let ExprKind::Apply { row: product, args: factors } = &args[1].kind
            && product.name == "multiply"
        {
            // Sums of products: one rounding less, and half the instructions where the processor has both in one.
            let (a, b) = (self.value(&factors[0]), self.value(&factors[1]));
            return quote!(#name = lib::accumulate::<I, _>(#name, #a, #b););
        }
        if !self.is_host()
            && types::on_heap(&value.ty)
            && matches!(value.kind, ExprKind::Local(v) if self.is_far(v))
        {
            return self.unsupported(value.span, "another name for this array in a kernel");
        }
        let value = self.value(value);
        quote!(#name = #value;)
    }

    fn enter(&mut self, repeat: bool) -> String {
        self.labels += 1;
        let label = format!("l{}", self.labels);
        self.loops.push(Loop { label: label.clone(), repeat, phased: false, masks: None });
        label
    }

    fn for_range(&mut self, variable: VarId, range: &Range, body: &Block, span: Span) -> Code {
        let name = names::local(variable);
        if types::is_dynamic(&range.from.ty) {
            return self.unsupported(span, "a loop over a range of unknown type");
        }
        let steps = self.steps(range);
        let label = Ident::lifetime(&self.enter(false));
        let body = self.block(body);
        self.loops.pop();
        quote!(#label: for step in #steps { #name = step; #body })
    }

    /// The values of a loop variable, as an iterator.
    pub(super) fn steps(&mut self, range: &Range) -> Code {
        match before_end(range) {
            Some(end) => {
                let (from, end) = (self.value(&range.from), self.value(end));
                quote!((#from)..(#end))
            }
            None => {
                let (from, to) = (self.value(&range.from), self.value(&range.to));
                let step = range.step.as_ref().map(|step| self.value(step));
                steps(range, from, step, to)
            }
        }
    }

    /// What keeps a loop of a kernel going beside its condition: after an error, values are not what the loop waits for.
    fn while_sound(&self, stmt: &Stmt) -> Option<Code> {
        (!self.is_host() && may_fail::possible(stmt, !self.leaves_at_once())).then(|| quote!(!fault.is_set()))
    }

    fn repeat(&mut self, body: &Block, test: &Block, until: &Expr, stop: Option<Code>) -> Code {
        let name = self.enter(true);
        let body = self.block(body);
        self.loops.pop();
        let (label, inner) = (Ident::lifetime(&name), Ident::lifetime(&format!("{name}c")));
        // Jumps inside the test concern loops further out only.
        let test = self.block(test);
        let until = self.condition(until);
        quote!(#label: loop { #inner: { #body } #test if #stop #until { break #label; } })
    }

    fn jump(&mut self, levels: u32, continues: bool, span: Span) -> Code {
        let Some(k) = self.loops.len().checked_sub(1 + levels as usize) else {
            return self.unsupported(span, "a jump out of a parallel loop");
        };
        self.jump_to(k, continues)
    }

    /// A jump to a loop by its number.
    pub(super) fn jump_to(&mut self, k: usize, continues: bool) -> Code {
        let target = &self.loops[k];
        let label = Ident::lifetime(&target.label);
        if k < self.outside {
            let code = self.exit(k, continues, Code::new());
            return quote!(return ::std::result::Result::Ok(#code););
        }
        if target.phased && matches!(self.target, Target::Thread) {
            return self.leave_phase(k, continues);
        }
        if continues && target.repeat {
            let inner = Ident::lifetime(&format!("{}c", target.label));
            return quote!(break #inner;);
        }
        if continues { quote!(continue #label;) } else { quote!(break #label;) }
    }

    /// Notes a way out of what is being printed; gives its number.
    pub(super) fn exit(&mut self, k: usize, continues: bool, go: Code) -> u32 {
        let code = 2 * k as u32 + 1 + u32::from(continues);
        if !self.exits.iter().any(|(known, _)| *known == code) {
            self.exits.push((code, go));
        }
        code
    }

    fn call(&mut self, function: FunctionId, args: &[Expr], results: &[Option<VarId>], span: Span) -> Code {
        let callee = &self.unit.program.functions[function];
        let count = callee.body.results.len();
        if self.is_host() {
            let name = names::function(&callee.name);
            let args: Vec<_> = args.iter().map(|a| self.value(a)).collect();
            let at = self.at(span);
            let call = quote!(#name(#(#args),*));
            // What is assigned after a launch that failed is not to be seen by whoever catches the error.
            let call = if self.in_try { quote!(abi::settled(#call)) } else { call };
            return receive(results, count, quote!(#call #at));
        }
        let name = names::device(&callee.name);
        let (mut generics, mut values, mut taken) = (Code::new(), Vec::new(), BTreeSet::new());
        for (arg, &param) in args.iter().zip(&callee.body.params) {
            if !by_reference(self.unit.program, &callee.body, param) {
                values.push(self.value(arg));
                continue;
            }
            generics.extend(quote!(_,));
            let ExprKind::Local(v) = arg.kind else {
                return self.unsupported(arg.span, "passing this array to a device function");
            };
            if !taken.insert(v) && (self.is_far(v) || self.own(arg).is_some()) {
                return self.unsupported(arg.span, "passing an array to a device function twice");
            }
            let name = names::local(v);
            values.push(match self.own(arg) {
                Some(sizes) => {
                    let sizes = sizes.iter().map(|n| names::number(*n));
                    let rank = names::number(types::rank(&callee.body.variables[param].ty).unwrap_or(1));
                    quote!(&mut lib::Whole::<_, #rank>::new(&mut #name, &[#(#sizes),*]))
                }
                None if self.is_far(v) => quote!(&mut *#name),
                None => quote!(&mut #name.clone()),
            });
        }
        // An error in the function ends who called it, too. Another thread may have recorded it: then nobody needs this position.
        let leave = self.leave.clone();
        let fails = self.leaves_at_once() && self.unit.failing.contains(&function);
        let after = if fails { quote!(if fault.is_set() { #leave }) } else { Code::new() };
        if !self.unit.is_recursive(function) {
            let received = receive(results, count, quote!(#name::<I, #generics>(#(#values,)* fault)));
            return quote!(#received #after);
        }
        // Arguments may leave the position, which a closure cannot.
        let (mut before, mut names) = (Code::new(), Vec::new());
        for (k, value) in values.iter().enumerate() {
            let each = super::stmt::anonymous("argument", k);
            before.extend(quote!(let #each = #value;));
            names.push(each);
        }
        let call = quote!(#name::<I, #generics>(#(#names,)* fault));
        let (line, received) = (Literal::plain(self.line(span)), receive(results, count, quote!(result)));
        quote!({
            #before
            match lib::nested(fault, #line, || #call) {
                ::std::option::Option::Some(result) => { #received }
                ::std::option::Option::None => { #leave }
            }
            #after
        })
    }

    fn device_stmt(&mut self, stmt: &Stmt) -> Code {
        match &stmt.kind {
            StmtKind::Store { array, index, boundary, value } => {
                let value = self.value(value);
                self.device_store(array, index, *boundary, value, stmt.span)
            }
            StmtKind::Update { array, index, boundary, row, value, atomic, result } => {
                let value = self.value(value);
                let place = Place { array, index, boundary: *boundary, atomic: *atomic };
                self.device_update(&place, row, value, *result, stmt.span)
            }
            StmtKind::Exchange { array, .. } if self.own(array).is_some() => self.own_exchange(stmt),
            StmtKind::Exchange { array, index, boundary, value, expected, result } => {
                let ExprKind::Local(v) = array.kind else {
                    return self.unsupported(stmt.span, "an exchange of this place");
                };
                let value = self.value(value);
                let (before, new) = match expected {
                    Some(expected) => {
                        let expected = self.value(expected);
                        (quote!((#expected, #value)), quote!(if old == before.0 { before.1 } else { old }))
                    }
                    None => (value, quote!(before)),
                };
                let place = Place { array, index, boundary: *boundary, atomic: true };
                let call = self.change(v, &place, &new, stmt.span);
                receive(&[*result], 1, quote!({ let before = #before; #call.0 }))
            }
            StmtKind::Fail { failure, message } => {
                let text = self.message(message);
                let (line, leave) = (Literal::plain(self.line(stmt.span)), self.leave.clone());
                let kind = Ident::new(match failure {
                    Failure::Raised => "Error",
                    Failure::Size => "Size",
                    Failure::Argument => "Argument",
                    Failure::Unset => "Unset",
                });
                quote!({ fault.raise(("", #line), lib::FaultKind::#kind(#text)); #leave })
            }
            StmtKind::Assert { condition, text, message } => {
                let condition = self.condition(condition);
                let said = self.message(message);
                let text = if message.is_empty() { quote!(#text) } else { quote!(&#said) };
                let (line, leave) = (Literal::plain(self.line(stmt.span)), self.leave.clone());
                quote!(if !#condition { fault.assertion(("", #line), #text); #leave })
            }
            StmtKind::ForEach { .. } => {
                self.unsupported(stmt.span, "a loop over the elements of a vector in a kernel")
            }
            StmtKind::Launch { .. } => self.unsupported(stmt.span, "a launch inside a kernel"),
            StmtKind::Library { name, args, results } if is_warp_function(stmt) => {
                // Only what needs no other thread is left among the statements of one thread.
                let args: Vec<_> = args.iter().map(|arg| self.value(arg)).collect();
                let function = Ident::new(*name);
                let threads = (*name == "group_of_block").then(|| quote!(, count));
                let call = quote!(lib::groups::#function(t #threads #(, #args)*));
                match results.as_slice() {
                    [Some(result)] => {
                        let result = names::local(*result);
                        quote!(#result = #call;)
                    }
                    _ => quote!(let _ = #call;),
                }
            }
            StmtKind::Library { name, .. } => {
                let what = format!("'{name}' in a kernel");
                self.unsupported(stmt.span, &what)
            }
            StmtKind::Shared { .. } | StmtKind::Barrier(_) => {
                self.unsupported(stmt.span, "shared memory and barriers in compiled device functions")
            }
            StmtKind::Fence(_) => quote!(lib::memory_fence();),
            StmtKind::AssignGlobal { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Strips { .. }
            | StmtKind::Try { .. } => self.unsupported(stmt.span, "this statement in a kernel"),
            StmtKind::Assign { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Break { .. }
            | StmtKind::Continue { .. } => Code::new(),
        }
    }

    /// The text of a message.
    fn message(&mut self, parts: &[Expr]) -> Code {
        let parts: Vec<_> = parts
            .iter()
            .map(|part| match (&part.kind, fixed(&part.ty)) {
                (ExprKind::Text(said), _) => quote!(::std::string::String::from(#said)),
                (_, Some(sizes)) => {
                    let value = self.value(part);
                    let sizes = sizes.iter().map(|n| names::number(*n));
                    quote!(lib::shown_array(&#value, &[#(#sizes),*]))
                }
                _ if matches!(part.ty, Type::Scalar(..)) => {
                    let value = self.value(part);
                    quote!(lib::shown(#value))
                }
                _ => {
                    self.unsupported(part.span, "a value of this type in the message of an error in a kernel")
                }
            })
            .collect();
        quote!([#(#parts),*].concat())
    }

    fn device_store(
        &mut self,
        array: &Expr,
        index: &[Index],
        boundary: Boundary,
        value: Code,
        span: Span,
    ) -> Code {
        let ExprKind::Local(variable) = array.kind else {
            return self.unsupported(span, "a store to this place in a kernel");
        };
        let name = names::local(variable);
        if let Some((from, count)) = lanes_of(index) {
            let (at, count) = (self.element_index(&from, span), names::number(count));
            let put = Ident::new(if boundary == Boundary::Unchecked { "set_lanes_at" } else { "put_lanes" });
            return quote!(#name.#put::<I, #count>(#at, #value););
        }
        if let Some(sizes) = self.own(array) {
            return self.small_store(array, index, boundary, &sizes, value, span);
        }
        if let Target::Point(shaped) = self.target
            && let Some(store) = shaped.store(self, variable, boundary, array, &value, span)
        {
            return store;
        }
        if let Target::Lane(lanes) = self.target {
            let at = self.element_index(index, span);
            return lanes.store(variable, index, &at, &value);
        }
        let at = self.element_index(index, span);
        if matches!(self.target, Target::Inside) && is_direct(boundary) {
            return quote!(#name.set_at(#at, #value););
        }
        if boundary == Boundary::Checked {
            let site = self.site(array, span);
            if self.leaves_at_once() {
                let leave = &self.leave;
                return quote!(if !#name.try_put(#at, #value, fault, #site) { #leave });
            }
            return quote!(#name.put_checked(#at, #value, fault, #site););
        }
        quote!(#name.put(#at, #value);)
    }

    fn small_store(
        &mut self,
        array: &Expr,
        index: &[Index],
        boundary: Boundary,
        sizes: &[usize],
        value: Code,
        span: Span,
    ) -> Code {
        let name = self.place(array);
        if let Some(k) = constant_offset(index, sizes) {
            let k = names::number(k);
            return quote!(#name[#k] = #value;);
        }
        let at = self.element_index(index, span);
        let dims = sizes.iter().map(|s| *s as i32);
        let dims = quote!([#(#dims),*]);
        let check = if boundary == Boundary::Checked {
            let site = self.site(array, span);
            self.guard(&dims, &site)
        } else {
            Code::new()
        };
        quote!({ let (at, value) = (#at, #value); #check lib::set::<lib::Safe, _, _, _>(&mut #name, #dims, at, value); })
    }

    /// The value that an element had and the one it has got: `new`, which is computed of `old`.
    fn change(&mut self, variable: VarId, place: &Place<'_>, new: &Code, span: Span) -> Code {
        let (name, at) = (names::local(variable), self.element_index(place.index, span));
        if place.boundary != Boundary::Checked {
            let update = Ident::new(if place.atomic { "update" } else { "update_alone" });
            return quote!(#name.#update(#at, |old| #new));
        }
        let site = self.site(place.array, span);
        if !self.leaves_at_once() {
            return quote!(#name.update_checked(#at, |old| #new, fault, #site));
        }
        self.or_leave(&quote!(#name.try_update(#at, |old| #new, fault, #site)))
    }

    /// An exchange of an element of an array that nobody else sees.
    fn own_exchange(&mut self, stmt: &Stmt) -> Code {
        let StmtKind::Exchange { array, index, boundary, value, expected, result } = &stmt.kind else {
            return Code::new();
        };
        let (value, expected) = (self.value(value), expected.as_ref().map(|e| self.value(e)));
        let old = self.element_of(array, index, *boundary, stmt.span);
        let sizes = self.own(array).unwrap_or_default();
        let store = self.small_store(array, index, *boundary, &sizes, quote!(value), stmt.span);
        let keep = result.map(|result| {
            let result = names::local(result);
            quote!(#result = old;)
        });
        match expected {
            Some(expected) => {
                quote!({ let (expected, value) = (#expected, #value); let old = #old; if old == expected { #store } #keep })
            }
            None => quote!({ let value = #value; let old = #old; #store #keep }),
        }
    }

    fn element_of(&mut self, array: &Expr, index: &[Index], boundary: Boundary, span: Span) -> Code {
        let element = types::array_element(&array.ty).unwrap_or(ElementType::Int32);
        self.value(&Expr {
            kind: ExprKind::Load { array: Box::new(array.clone()), index: index.to_vec(), boundary },
            ty: crate::ir::build::scalar_type(element),
            span,
        })
    }

    fn device_update(
        &mut self,
        place: &Place<'_>,
        row: &'static Row,
        value: Code,
        result: Option<VarId>,
        span: Span,
    ) -> Code {
        let Place { array, index, boundary, .. } = *place;
        let ExprKind::Local(variable) = array.kind else {
            return self.unsupported(span, "an update of this place in a kernel");
        };
        let element = types::array_element(&array.ty).unwrap_or(ElementType::Int32);
        let combined = super::expr::apply(row, element, vec![quote!(old), quote!(value)]);
        if let Some(sizes) = self.own(array) {
            let old = self.element_of(array, index, boundary, span);
            let store = self.small_store(array, index, boundary, &sizes, quote!(new), span);
            let keep = result.map(|r| {
                let r = names::local(r);
                quote!(#r = new;)
            });
            return quote!({ let value = #value; let old = #old; let new = #combined; #store #keep });
        }
        let shaped = match self.target {
            Target::Point(shaped) => Some(shaped),
            Target::Lane(lanes) => Some(lanes.shaped()),
            _ => None,
        };
        if let Some(shaped) = shaped
            && let Some(update) = shaped.update(self, variable, index, boundary, array, &value, span)
        {
            return update;
        }
        let call = self.change(variable, place, &combined, span);
        let keep = result.map(|r| {
            let r = names::local(r);
            quote!(#r = new;)
        });
        quote!({ let value = #value; let (_, new) = #call; #keep })
    }
}

/// An element that is changed.
struct Place<'e> {
    array: &'e Expr,
    index: &'e [Index],
    boundary: Boundary,
    /// Whether other threads may change it too.
    atomic: bool,
}

/// The `n` of `a..n-1` where it is an extent or a number of elements, which are not negative: a range without its end
/// says more to those who look for tests that never fail.
fn before_end(range: &Range) -> Option<&Expr> {
    let ExprKind::Apply { row, args } = &range.to.kind else { return None };
    let [end, one] = args.as_slice() else { return None };
    let unit = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
    let size = matches!(end.kind, ExprKind::Extent(..) | ExprKind::Count(_));
    let int =
        scalar(&range.from.ty) == Some(ElementType::Int32) && scalar(&end.ty) == Some(ElementType::Int32);
    (unit && size && int && row.name == "subtract" && one.constant_int() == Some(1)).then_some(end)
}

/// The values of a loop variable, from the values of its bounds.
pub(super) fn steps(range: &Range, from: Code, step: Option<Code>, to: Code) -> Code {
    let one = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
    let element = scalar(&range.from.ty).unwrap_or(ElementType::Int32);
    let ty = types::element(element);
    match step {
        _ if element == ElementType::Int32 && one => quote!(lib::upto(#from, #to)),
        Some(step) if element == ElementType::Int32 => quote!(lib::steps(#from, #step, #to)),
        step => {
            let step = step.unwrap_or(quote!(1));
            if element.is_integer() {
                let [from, step, to] = [from, step, to].map(|part| quote!(ops::convert::<_, i64>(#part)));
                quote!(lib::wide_steps(#from, #step, #to).map(|t| ops::convert::<_, #ty>(t)))
            } else {
                let [from, step, to] = [from, step, to].map(|part| quote!(ops::convert::<_, #ty>(#part)));
                quote!(lib::float_steps(#from, #step, #to))
            }
        }
    }
}

/// Binds the results of a call that gives `count` of them: nothing, one value or a tuple.
pub(super) fn receive(results: &[Option<VarId>], count: usize, call: Code) -> Code {
    let wanted: Vec<_> = results.iter().take(count).collect();
    if wanted.iter().all(|r| r.is_none()) {
        return quote!(let _ = #call;);
    }
    if count == 1 {
        let name = wanted.first().and_then(|r| **r).map(names::local);
        return quote!(#name = #call;);
    }
    let targets = (0..count).map(|k| match wanted.get(k).and_then(|r| **r) {
        Some(v) => {
            let v = names::local(v);
            quote!(#v)
        }
        None => quote!(_),
    });
    quote!((#(#targets,)*) = #call;)
}

/// The variables that a top-level statement surely sets before anything reads them: they need no first value.
pub(super) fn set_at_once(block: &[Stmt]) -> VarSet {
    let (mut done, mut found) = (VarSet::new(), VarSet::new());
    for stmt in block {
        operands(stmt, &mut |e| done.add(&variables(e)));
        crate::ir::rewrite::blocks(stmt, &mut |b| {
            done.add(&crate::ir::rewrite::set_in(b));
            done.add(&crate::ir::rewrite::read_in(b));
        });
        let plain = matches!(
            stmt.kind,
            StmtKind::Assign { .. }
                | StmtKind::Call { .. }
                | StmtKind::CallValue { .. }
                | StmtKind::Library { .. }
        );
        sets(stmt, &mut |v| {
            if plain && !done.contains(v) {
                found.insert(*v);
            }
            done.insert(*v);
        });
    }
    found
}

/// An unused name, for items that need one.
pub(super) fn anonymous(prefix: &str, k: usize) -> Ident {
    Ident::new(format!("{}{}", prefix, k))
}
