//! Launches that go strip by strip: one kernel over rows, which runs parts of the launches in turn and keeps the arrays between them in
//! line buffers.

use super::code::{Code, Ident, Literal, quote};
use super::expr::Printer;
use super::host;
use super::kernel::reaches_of;
use super::names::{self, number};
use super::stmt::anonymous;
use super::types::{self, array_element, rank};
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::cost::cost;
use crate::ir::affine::{AffineForm, RowRange, Symbol};
use crate::ir::{Block, Dims, Expr, ExprKind, Kernel, StmtKind, VarId};
use crate::source::Span;
use crate::types::ElementType;
use std::collections::BTreeMap;

/// An argument of a launch in a group.
#[derive(Clone, Copy)]
enum Arg {
    /// An array in a line buffer, by its number.
    Buffer(usize),
    /// Another array, by its number.
    Array(usize),
    /// A number, by its number.
    Value(usize),
}

/// An array that is no line buffer.
struct Outside {
    array: Expr,
    element: ElementType,
    rank: usize,
    written: bool,
}

/// A launch of a group.
struct Member<'p> {
    kernel: &'p Kernel,
    dims: &'p [Expr],
    args: Vec<Arg>,
    /// Which parameters it writes.
    written: Vec<bool>,
}

/// An array in a line buffer.
struct Buffer<'p> {
    element: ElementType,
    dims: &'p [Expr],
    /// Whether elements are zero that nobody writes.
    zeros: bool,
}

/// What a group of launches needs.
struct Group<'p> {
    buffers: Vec<Buffer<'p>>,
    outside: Vec<Outside>,
    values: Vec<&'p Expr>,
    members: Vec<Member<'p>>,
}

/// The launches strip by strip, or as they stand where that does not pay or a device runs them.
pub(super) fn strips(p: &mut Printer<'_>, buffers: &[VarId], body: &Block, span: Span) -> Code {
    let written = p.block(body);
    let Some(group) = group(p, buffers, body) else { return written };
    let at = p.at(span);
    let line = Literal::plain(p.line(span));
    let said = group.name();
    let (bound, pays) = group.bound(p);
    let kernel = group.kernel();
    let (held, guards, views) = group.views(&at);
    let rows =
        group.members.iter().enumerate().filter(|(_, member)| group.is_sink(member)).map(|(k, member)| {
            let (d, kernel, n) =
                (anonymous("d", k), names::kernel(&member.kernel.name), number(member.kernel.rank));
            quote!(#d[0].saturating_add(<#kernel as lib::Kernel<#n>>::ORIGIN[0]))
        });
    let costs = group.members.iter().enumerate().map(|(k, member)| {
        let (d, cost) = (anonymous("d", k), Literal::plain(cost(&member.kernel.body.block)));
        quote!((#cost, &#d[1..]))
    });
    quote! {{
        #bound
        if #pays {
            #kernel
            #held
            #guards
            let fault = lib::Fault::new();
            let rows = [#(#rows),*].into_iter().fold(0, i32::max);
            let cost = abi::row_cost(&[#(#costs),*]);
            abi::launch::<Strips, 2>([rows, 1], #views, abi::Plan { depth: 1, cost, kernel: &abi::Source { name: #said, file: HERE.1, line: #line } }, &fault);
            abi::finish(fault, #said, HERE)?;
        } else {
            #written
        }
    }}
}

/// Takes the launches of a group apart.
fn group<'p>(p: &Printer<'p>, buffers: &[VarId], body: &'p Block) -> Option<Group<'p>> {
    let number_of: BTreeMap<VarId, usize> =
        buffers.iter().enumerate().map(|(k, buffer)| (*buffer, k)).collect();
    let mut found =
        Group { buffers: Vec::new(), outside: Vec::new(), values: Vec::new(), members: Vec::new() };
    for buffer in buffers {
        let made = body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } if variable == buffer => match &value.kind {
                ExprKind::Library { name, args } => {
                    let element = array_element(&value.ty)?;
                    Some(Buffer { element, dims: args, zeros: *name == "zeros" })
                }
                _ => None,
            },
            _ => None,
        })?;
        found.buffers.push(made);
    }
    for stmt in body {
        let StmtKind::Launch { kernel, dims: Dims::Each(dims), args, .. } = &stmt.kind else { continue };
        let kernel = &p.unit.program.kernels[*kernel];
        let reaches = reaches_of(p.unit, kernel);
        let mut member = Member { kernel, dims, args: Vec::new(), written: Vec::new() };
        for (arg, param) in args.iter().zip(&kernel.body.params) {
            let ty = &kernel.body.variables[*param].ty;
            let written = reaches.get(param).is_some_and(|reach| *reach != AccessPattern::ReadOnly);
            member.written.push(written);
            member.args.push(match local(arg).and_then(|variable| number_of.get(&variable)) {
                Some(buffer) => Arg::Buffer(*buffer),
                None if reaches.contains_key(param) => {
                    let (element, rank) = (array_element(ty)?, rank(ty)?);
                    Arg::Array(found.outside(arg, element, rank, written))
                }
                None => {
                    found.values.push(arg);
                    Arg::Value(found.values.len() - 1)
                }
            });
        }
        found.members.push(member);
    }
    Some(found)
}

/// The variable of an array.
fn local(arg: &Expr) -> Option<VarId> {
    match &arg.kind {
        ExprKind::Local(variable) => Some(*variable),
        ExprKind::Convert(inner) => local(inner),
        _ => None,
    }
}

impl Group<'_> {
    fn outside(&mut self, array: &Expr, element: ElementType, rank: usize, written: bool) -> usize {
        let same = |one: &Outside| local(&one.array) == local(array) && one.rank == rank;
        if let Some(k) = self.outside.iter().position(same) {
            self.outside[k].written |= written;
            return k;
        }
        self.outside.push(Outside { array: array.clone(), element, rank, written });
        self.outside.len() - 1
    }

    /// What profiles and errors call the group.
    fn name(&self) -> String {
        let mut names: Vec<&str> = self.members.iter().map(|member| member.kernel.shown_name()).collect();
        names.dedup();
        format!("(parallel_do) {}", names.join(" + "))
    }

    /// Whether a launch writes an array that is seen outside.
    fn is_sink(&self, member: &Member<'_>) -> bool {
        member.args.iter().zip(&member.written).any(|(arg, written)| *written && matches!(arg, Arg::Array(_)))
    }

    /// The line buffers that a launch writes.
    fn writes(member: &Member<'_>) -> impl Iterator<Item = usize> {
        member.args.iter().zip(&member.written).filter_map(|(arg, written)| match arg {
            Arg::Buffer(k) if *written => Some(*k),
            _ => None,
        })
    }

    /// Binds arrays (`a`), numbers (`c`), extents of launches (`d`) and of line buffers (`e`). The condition under which strips pay.
    fn bound(&self, p: &mut Printer<'_>) -> (Code, Code) {
        let mut bound = Code::new();
        for (k, one) in self.outside.iter().enumerate() {
            bound.extend(host::bind(p, &anonymous("a", k), &one.array));
        }
        for (k, value) in self.values.iter().enumerate() {
            bound.extend(host::bind(p, &anonymous("c", k), value));
        }
        for (k, member) in self.members.iter().enumerate() {
            let (d, each) = (anonymous("d", k), member.dims.iter().map(|e| p.value(e)).collect::<Vec<_>>());
            bound.extend(quote!(let #d = [#(#each),*];));
        }
        let mut rows = Vec::new();
        for (k, Buffer { element, dims, .. }) in self.buffers.iter().enumerate() {
            let (e, each) = (anonymous("e", k), dims.iter().map(|e| p.value(e)).collect::<Vec<_>>());
            bound.extend(quote!(let #e = [#(#each),*];));
            let bytes = number(element.size());
            rows.push(quote!((&#e[..], #bytes)));
        }
        let mut different = Code::new();
        for (k, one) in self.outside.iter().enumerate().filter(|(_, one)| one.written) {
            for (j, other) in self.outside.iter().enumerate() {
                if j != k && other.element == one.element && (!other.written || j > k) {
                    let (a, b) = (anonymous("a", k), anonymous("a", j));
                    different.extend(quote!(&& !#a.same_buffer(&#b)));
                }
            }
        }
        (bound, quote!(abi::strips_pay(&[#(#rows),*]) #different))
    }

    /// What holds the arrays, and the arguments of the launch.
    fn views(&self, at: &Code) -> (Code, Code, Code) {
        let (mut wanted, mut holds, mut guards, mut views) =
            (Vec::new(), Vec::new(), Code::new(), quote!(()));
        for (k, _) in self.buffers.iter().enumerate().rev() {
            let e = anonymous("e", k);
            views = quote!((#e, #views));
        }
        for (k, _) in self.members.iter().enumerate().rev() {
            let d = anonymous("d", k);
            views = quote!((#d, #views));
        }
        for (k, _) in self.values.iter().enumerate().rev() {
            let c = anonymous("c", k);
            views = quote!((#c, #views));
        }
        for (k, one) in self.outside.iter().enumerate().rev() {
            let (a, g, h) = (anonymous("a", k), anonymous("g", k), anonymous("h", k));
            let (e, n) = (types::element(one.element), number(one.rank));
            if one.written {
                wanted.push(quote!(abi::writing(&#a)));
                guards.extend(quote!(let mut #g = #a.write_held(#h)#at;));
                views = quote!((lib::Band::<#e, #n>::new(&mut #g, #a.dims()), #views));
            } else {
                wanted.push(quote!(abi::reading(&#a)));
                guards.extend(quote!(let #g = #a.read_held(#h)#at;));
                views = quote!((lib::View::<#e, #n>::new(&#g, #a.dims()), #views));
            }
            holds.push(h);
        }
        (quote!(let [#(#holds),*] = abi::hold([#(#wanted),*])#at;), guards, views)
    }

    /// The kernel over rows.
    fn kernel(&self) -> Code {
        let (mut pattern, mut ty) = (quote!(()), quote!(()));
        let mut add = |name: Ident, own: Code| {
            pattern = quote!((mut #name, #pattern));
            ty = quote!((#own, #ty));
        };
        for (k, Buffer { dims, .. }) in self.buffers.iter().enumerate().rev() {
            let n = number(dims.len());
            add(anonymous("e", k), quote!([i32; #n]));
        }
        for (k, member) in self.members.iter().enumerate().rev() {
            let n = number(member.dims.len());
            add(anonymous("d", k), quote!([i32; #n]));
        }
        for (k, value) in self.values.iter().enumerate().rev() {
            add(anonymous("c", k), types::host(&value.ty));
        }
        for (k, one) in self.outside.iter().enumerate().rev() {
            let (e, n) = (types::element(one.element), number(one.rank));
            let view = if one.written { quote!(Band) } else { quote!(View) };
            add(anonymous("a", k), quote!(lib::#view<'a, #e, #n>));
        }
        let mut buffers = Code::new();
        for (k, Buffer { element, dims, zeros }) in self.buffers.iter().enumerate() {
            let (b, e, n) = (anonymous("b", k), anonymous("e", k), number(dims.len()));
            let element = types::element(*element);
            let zeros = Ident::new(zeros.to_string());
            buffers.extend(quote!(let mut #b = lib::LineBuffer::<#element, #n>::new(#e, #zeros);));
        }
        let bytes = (0..self.buffers.len()).map(|k| anonymous("b", k));
        let (needed, parts) = (self.needed(), self.parts());
        quote! {
            struct Strips;
            impl lib::Kernel<2> for Strips {
                type Args<'a> = #ty;
                type Sum = ();
                const TILE: Option<(usize, usize)> = lib::STRIP_TILE;
                fn run<I: lib::Isa>(args: Self::Args<'_>, task: lib::Task<2>, fault: &lib::Fault) {
                    let #pattern = args;
                    #buffers
                    for strip in lib::strips(task, [#(#bytes.row_bytes()),*].into_iter().sum(), abi::cache()) {
                        #needed
                        #parts
                    }
                }
                fn merge(_: (), _: ()) {}
            }
        }
    }

    /// Finds the rows of each launch that a strip needs (`r`), from the last launch to the first.
    fn needed(&self) -> Code {
        let mut code = Code::new();
        for (k, member) in self.members.iter().enumerate() {
            let m = anonymous("m", k);
            let first = if self.is_sink(member) { quote!(strip) } else { quote!(lib::NO_ROWS) };
            code.extend(quote!(let mut #m = #first;));
        }
        for (k, member) in self.members.iter().enumerate().rev() {
            let (m, r) = (anonymous("m", k), anonymous("r", k));
            code.extend(quote!(let mut #r = (#m.0 as i32, #m.1 as i32);));
            for buffer in Self::writes(member) {
                let b = anonymous("b", buffer);
                code.extend(quote!(#r = #b.advance(#m);));
            }
            let mut reads = Vec::new();
            for (arg, param) in member.args.iter().zip(&member.kernel.body.params) {
                let (Arg::Buffer(buffer), Some(rows)) = (arg, member.kernel.schedule.rows.get(param)) else {
                    continue;
                };
                let writer = self.members.iter().position(|other| Self::writes(other).any(|b| b == *buffer));
                let Some(writer) = writer else { continue };
                for RowRange { low, high, .. } in rows {
                    let (w, e) = (anonymous("m", writer), anonymous("e", *buffer));
                    let (low, high) =
                        (self.sum(low, k, &quote!(#r.0)), self.sum(high, k, &quote!((#r.1 - 1))));
                    reads.push(quote!(#w = lib::both(#w, lib::mapped_rows(#low, #high, #e[0]));));
                }
            }
            if !reads.is_empty() {
                code.extend(quote!(if #r.0 < #r.1 { #(#reads)* }));
            }
        }
        code
    }

    /// The value of a form for a launch at a row of positions.
    fn sum(&self, form: &AffineForm, k: usize, row: &Code) -> Code {
        let member = &self.members[k];
        let argument = |variable: &VarId| {
            let place = member.kernel.body.params.iter().position(|param| param == variable)?;
            Some(member.args[place])
        };
        let mut code = {
            let constant = Literal::typed(form.constant, "i64");
            quote!(#constant)
        };
        for (symbol, factor) in &form.terms {
            let value = match symbol {
                Symbol::Position(_) => row.clone(),
                Symbol::Launch(axis) => {
                    let (d, axis) = (anonymous("d", k), number(*axis));
                    quote!(#d[#axis])
                }
                Symbol::Extent(v, axis) => {
                    let axis = number(*axis);
                    match argument(v) {
                        Some(Arg::Buffer(buffer)) => {
                            let e = anonymous("e", buffer);
                            quote!(#e[#axis])
                        }
                        Some(Arg::Array(array)) => {
                            let a = anonymous("a", array);
                            quote!(lib::Access::extent(&#a, #axis))
                        }
                        _ => quote!(0),
                    }
                }
                Symbol::Value(v) => match argument(v) {
                    Some(Arg::Value(value)) => {
                        let c = anonymous("c", value);
                        quote!(#c)
                    }
                    _ => quote!(0),
                },
            };
            let factor = Literal::typed(*factor, "i64");
            code = quote!(#code + #factor * i64::from(#value));
        }
        code
    }

    /// Runs the parts of the launches in their order.
    fn parts(&self) -> Code {
        let mut code = Code::new();
        for (k, member) in self.members.iter().enumerate() {
            let (d, r) = (anonymous("d", k), anonymous("r", k));
            let (kernel, n) = (names::kernel(&member.kernel.name), number(member.kernel.rank));
            let mut views = quote!(());
            for (place, arg) in member.args.iter().enumerate().rev() {
                let partial = member.kernel.schedule.rows.contains_key(&member.kernel.body.params[place]);
                let view = match (arg, member.written[place]) {
                    (Arg::Buffer(b), true) => {
                        let b = anonymous("b", *b);
                        quote!(#b.band())
                    }
                    (Arg::Buffer(b), false) => {
                        let b = anonymous("b", *b);
                        quote!(#b.rows())
                    }
                    (Arg::Array(a), true) => {
                        let a = anonymous("a", *a);
                        quote!(#a.lend())
                    }
                    (Arg::Array(a), false) => {
                        let a = anonymous("a", *a);
                        if partial { quote!(#a.as_rows()) } else { quote!(#a) }
                    }
                    (Arg::Value(c), _) => {
                        let c = anonymous("c", *c);
                        quote!(#c)
                    }
                };
                views = quote!((#view, #views));
            }
            code.extend(quote! {
                lib::run::<#kernel, #n>(#views, lib::rows_of(<#kernel as lib::Kernel<#n>>::ORIGIN, #d, #r), fault);
            });
        }
        code
    }
}
