//! Expressions. What numbers do is the same everywhere; arrays differ between host and kernels.

use super::code::{Code, Ident, Literal, quote};
use super::kernel::{LaneCode, Shaped};
use super::names;
use super::types::{self, array_element, fixed, scalar};
use super::{Unit, host};
use crate::ir::conversions::{is_small, total};
use crate::ir::rewrite::same;
use crate::ir::{Body, Coordinate, Expr, ExprKind, Index, Range, Storage, VarId, VarSet};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::target::cpu::SHORT_VECTOR;
use crate::types::{Boundary, ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::Row;

/// Where printed code stands.
#[derive(Clone, Copy)]
pub(super) enum Target<'u> {
    /// A host function.
    Host,
    /// A device function.
    Device,
    /// The code of a kernel for one position.
    Point(&'u Shaped<'u>),
    /// Code of a kernel that runs once for each row.
    Row(&'u Shaped<'u>),
    /// The code of a kernel for several neighbouring positions.
    Lane(&'u LaneCode<'u>),
    /// The code of one thread of a block.
    Thread,
    /// The code of a kernel for one position, where no tested index is outside.
    Inside,
}

/// Whether an index that is inside is that of the element.
pub(super) fn is_direct(boundary: Boundary) -> bool {
    matches!(boundary, Boundary::Checked | Boundary::Unchecked)
}

/// A loop around the code that is being printed.
pub(super) struct Loop {
    pub(super) label: String,
    /// `continue` leaves a block inside the loop, so that a test at its end is reached.
    pub(super) repeat: bool,
    /// All threads of a block go through it together.
    pub(super) phased: bool,
    /// Each thread leaves it alone: who is still in the loop, and who in its round.
    pub(super) masks: Option<(Ident, Ident)>,
}

/// Prints one body.
pub(super) struct Printer<'u> {
    pub(super) unit: &'u Unit<'u>,
    pub(super) body: &'u Body,
    pub(super) target: Target<'u>,
    pub(super) sink: &'u mut Sink,
    pub(super) loops: Vec<Loop>,
    /// The arrays that are reached through views.
    pub(super) far: VarSet,
    pub(super) labels: usize,
    /// What `error` does after it has been recorded, in kernels and device functions.
    pub(super) leave: Code,
    /// How the threads of a block leave the phase that is being printed: the numbers and what they stand for.
    pub(super) exits: Vec<(u32, Code)>,
    /// The loop that goes on after the phase that is being printed.
    pub(super) tail: Option<usize>,
    /// How many of the loops stand outside the closure that is being printed.
    pub(super) outside: usize,
    /// Whether errors of what is being printed are caught by the function that it stands in.
    pub(super) in_try: bool,
}

impl Printer<'_> {
    pub(super) fn line(&self, span: Span) -> u32 {
        self.unit.sources.line_column(span.file, span.start).0
    }

    pub(super) fn is_host(&self) -> bool {
        matches!(self.target, Target::Host)
    }

    /// Whether what fails inside of an expression leaves the position or the device function at once. Threads that meet others
    /// go on, and vectors hold nothing that fails.
    pub(super) fn leaves_at_once(&self) -> bool {
        matches!(self.target, Target::Point(_) | Target::Device | Target::Inside)
    }

    /// The value of something that may fail: an `Option`, whose error is recorded where it is `None`.
    pub(super) fn or_leave(&self, found: &Code) -> Code {
        let leave = &self.leave;
        quote!((match #found {
            ::std::option::Option::Some(x) => x,
            ::std::option::Option::None => { #leave }
        }))
    }

    /// The array's name and the line, for errors.
    pub(super) fn site(&self, array: &Expr, span: Span) -> Code {
        let name = match array.kind {
            ExprKind::Local(v) => self.body.variables[v].said(),
            _ => "array",
        };
        let line = Literal::plain(self.line(span));
        quote!((#name, #line))
    }

    pub(super) fn unsupported(&mut self, span: Span, what: &str) -> Code {
        self.sink.push(Message::not_supported(span, what));
        quote!(::std::unreachable!())
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Constant(value) => constant(*value),
            ExprKind::Local(variable) => self.local(*variable, &expr.ty),
            ExprKind::Apply { row, args }
                if scalar(&expr.ty).is_some() && args.iter().all(|a| scalar(&a.ty).is_some()) =>
            {
                if is_comparison(row) {
                    let condition = self.condition(expr);
                    return quote!(((#condition) as i32));
                }
                if let Target::Point(shaped) = self.target
                    && let Some(power) = shaped.power(self, row, args)
                {
                    return power;
                }
                let element = args.first().and_then(|a| scalar(&a.ty)).unwrap_or(ElementType::Int32);
                let args = args.iter().map(|a| self.value(a)).collect();
                apply(row, element, args)
            }
            ExprKind::And(..) | ExprKind::Or(..) => {
                let condition = self.condition(expr);
                quote!(((#condition) as i32))
            }
            ExprKind::Select { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let branchless = matches!(self.target, Target::Point(shaped) if shaped.is_branchless())
                    && is_free(then)
                    && is_free(otherwise);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                if branchless {
                    return quote!(::std::hint::select_unpredictable(#condition, #then, #otherwise));
                }
                quote!((if #condition { #then } else { #otherwise }))
            }
            ExprKind::Field(inner, k) if !types::is_dynamic(&inner.ty) => {
                let (place, k) = (self.place(inner), names::number(*k));
                if self.is_host() || types::on_heap(&expr.ty) {
                    quote!(#place.#k.clone())
                } else {
                    quote!(#place.#k)
                }
            }
            ExprKind::Convert(inner) if scalar(&expr.ty).is_some() && scalar(&inner.ty).is_some() => {
                self.convert(inner, expr)
            }
            _ if self.is_host() => host::value(self, expr),
            _ => self.device_value(expr),
        }
    }

    /// The value of an expression that is only looked at: variables are not copied.
    pub(super) fn place(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Local(v) => {
                let v = names::local(*v);
                quote!(#v)
            }
            ExprKind::Field(inner, k) if !types::is_dynamic(&inner.ty) => {
                let (place, k) = (self.place(inner), names::number(*k));
                quote!(#place.#k)
            }
            _ => {
                let value = self.value(expr);
                quote!((#value))
            }
        }
    }

    /// Whether an array is reached through a view.
    pub(super) fn is_far(&self, variable: VarId) -> bool {
        self.far.contains(&variable) || self.body.variables[variable].storage == Storage::Shared
    }

    /// The extents of an array that a thread keeps for itself.
    pub(super) fn own(&self, array: &Expr) -> Option<Vec<usize>> {
        match array.kind {
            ExprKind::Local(v) if self.is_far(v) => None,
            ExprKind::Local(v) => fixed(&self.body.variables[v].ty),
            _ => fixed(&array.ty),
        }
    }

    fn local(&mut self, variable: VarId, ty: &Type) -> Code {
        let name = names::local(variable);
        if let (true, Some(sizes)) = (self.is_far(variable), fixed(ty)) {
            let count = names::number(sizes.iter().product());
            return quote!(#name.copied::<#count>());
        }
        let copied = match self.is_host() {
            true => scalar(ty).is_none(),
            false => types::on_heap(ty) && !self.is_far(variable),
        };
        if copied { quote!(#name.clone()) } else { quote!(#name) }
    }

    /// A condition as a Rust `bool`.
    pub(super) fn condition(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Apply { row, args }
                if is_comparison(row) && args.iter().all(|a| scalar(&a.ty).is_some_and(is_plain)) =>
            {
                let args: Vec<_> = args.iter().map(|a| self.value(a)).collect();
                let (a, b) = (&args[0], args.get(1));
                match row.name {
                    "equal" => quote!((#a == #b)),
                    "not_equal" => quote!((#a != #b)),
                    "less" => quote!((#a < #b)),
                    "less_equal" => quote!((#a <= #b)),
                    "greater" => quote!((#a > #b)),
                    _ => quote!((#a >= #b)),
                }
            }
            ExprKind::And(a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                quote!((#a && #b))
            }
            ExprKind::Or(a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                quote!((#a || #b))
            }
            ExprKind::Apply { row, args }
                if row.name == "logical_not" && scalar(&args[0].ty) == Some(ElementType::Int32) =>
            {
                let a = self.condition(&args[0]);
                quote!((!#a))
            }
            ExprKind::Constant(value) => {
                let truth = value.is_truthy();
                quote!(#truth)
            }
            ExprKind::Apply { row, args }
                if is_comparison(row) && args.iter().all(|a| scalar(&a.ty).is_some()) =>
            {
                let element = scalar(&args[0].ty).unwrap_or(ElementType::Int32);
                let args = args.iter().map(|a| self.value(a)).collect();
                let value = apply(row, element, args);
                quote!((#value != 0))
            }
            _ if types::is_dynamic(&expr.ty) => {
                let value = host::dynamic(self, expr);
                let at = self.at(expr.span);
                quote!((#value).is_true()#at)
            }
            _ => {
                let value = self.value(expr);
                quote!((#value != 0))
            }
        }
    }

    /// `.at(..)?`: adds the place to an error.
    pub(super) fn at(&self, span: Span) -> Code {
        let line = Literal::plain(self.line(span));
        quote!(.at(HERE, #line)?)
    }

    fn convert(&mut self, inner: &Expr, expr: &Expr) -> Code {
        let value = self.value(inner);
        let (Some(from), Some(to)) = (scalar(&inner.ty), scalar(&expr.ty)) else { return value };
        let overflow = match &expr.ty {
            Type::Scalar(_, overflow) => *overflow,
            _ => Overflow::Wrap,
        };
        if from == to {
            return value;
        }
        let target = types::element(to);
        if total(inner, expr) && overflow != Overflow::Saturate {
            if is_plain(from) && is_plain(to) && !(from.is_float() && to.is_integer()) {
                return quote!((#value as #target));
            }
            // The same, in fewer instructions.
            if to == ElementType::Int32 && overflow != Overflow::Truth && is_small(inner) {
                return quote!(ops::convert_saturating::<_, #target>(#value));
            }
            return quote!(ops::convert::<_, #target>(#value));
        }
        if overflow == Overflow::Saturate {
            return quote!(ops::convert_saturating::<_, #target>(#value));
        }
        if self.is_host() {
            let at = self.at(expr.span);
            return quote!(ops::convert_checked::<_, #target>(#value)#at);
        }
        let line = Literal::plain(self.line(expr.span));
        let site = quote!(("", #line));
        if let Target::Point(shaped) = self.target
            && let Some(quick) = shaped.narrow(self, &value, &quote!(#target), &site)
        {
            return quick;
        }
        if let Target::Lane(_) = self.target {
            // Vectors in which a number does not fit are left to the code of single positions.
            return quote!(lib::narrow_quick::<_, #target>(#value, &mut here));
        }
        if self.leaves_at_once() {
            return self.or_leave(&quote!(lib::try_narrow::<_, #target>(#value, fault, #site)));
        }
        quote!(lib::narrow::<_, #target>(#value, fault, #site))
    }

    /// Values in kernels and device functions that are no plain numbers.
    fn device_value(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Apply { row, args } => self.small_apply(row, args, expr),
            ExprKind::Array(items) => self.small_array(items, expr),
            ExprKind::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|e| self.value(e)).collect();
                quote!((#(#items,)*))
            }
            ExprKind::Load { array, index, boundary } => self.device_load(expr, array, index, *boundary),
            ExprKind::Extent(array, axis) => self.device_extent(array, Some(*axis), expr.span),
            ExprKind::Count(array) => self.device_extent(array, None, expr.span),
            ExprKind::Reduce { row, arg, axis: None } if fixed(&arg.ty).is_some() => {
                self.small_reduce(row, arg, expr)
            }
            ExprKind::Coordinate(coordinate, axis) => self.coordinate(*coordinate, *axis),
            ExprKind::Convert(inner) => self.small_convert(inner, expr),
            ExprKind::Library { name, args } => {
                if let Some(array) = self.on_heap(name, args, expr) {
                    return array;
                }
                if let Some(call) = super::small::call(self, name, args, expr) {
                    return call;
                }
                let what = format!("'{name}' in a kernel or device function");
                self.unsupported(expr.span, &what)
            }
            ExprKind::Text(_) | ExprKind::Null => self.unsupported(expr.span, "text or nullptr in a kernel"),
            ExprKind::Global(_) => self.unsupported(expr.span, "a module-level variable in a kernel"),
            ExprKind::New(_) | ExprKind::Member(..) | ExprKind::Same(..) => {
                self.unsupported(expr.span, "an object in a kernel")
            }
            ExprKind::Function { .. } => self.unsupported(expr.span, "a function as a value in a kernel"),
            ExprKind::BlockSize(_) => self.unsupported(expr.span, "the size of blocks in a kernel"),
            ExprKind::Sequence(_) => self.unsupported(expr.span, "a sequence as a value in a kernel"),
            ExprKind::Reduce { .. } => self.unsupported(expr.span, "this reduction in a kernel"),
            ExprKind::Field(..) => self.unsupported(expr.span, "this component in a kernel"),
            ExprKind::Constant(_)
            | ExprKind::Local(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Select { .. } => self.unsupported(expr.span, "this value in a kernel"),
        }
    }

    /// An array that a thread makes while it runs, or the median of one.
    fn on_heap(&mut self, name: &str, args: &[Expr], expr: &Expr) -> Option<Code> {
        if let ("sort" | "median", [array]) = (name, args)
            && types::on_heap(&array.ty)
            && matches!(array.kind, ExprKind::Local(v) if !self.is_far(v))
        {
            let (array, function) = (self.place(array), Ident::new(name));
            let line = Literal::plain(self.line(expr.span));
            return Some(quote!(#array.#function(fault, ("", #line))));
        }
        let dims = types::on_heap(&expr.ty).then(|| types::rank(&expr.ty)).flatten()?;
        let line = Literal::plain(self.line(expr.span));
        let numbers = |args: &[Expr]| args.len() == dims && args.iter().all(|dim| scalar(&dim.ty).is_some());
        match (name, args) {
            ("zeros" | "uninit", dims) if numbers(dims) => {
                let (dims, maker): (Vec<_>, _) =
                    (dims.iter().map(|dim| self.value(dim)).collect(), Ident::new(name));
                let made = quote!(lib::Heap::#maker([#(#dims),*], fault, ("", #line)));
                if !self.leaves_at_once() {
                    return Some(made);
                }
                let leave = &self.leave;
                Some(quote!({
                    let made = #made;
                    if fault.is_set() { #leave }
                    made
                }))
            }
            ("reshape", [array, dims @ ..]) if types::on_heap(&array.ty) && numbers(dims) => {
                let array = self.place(array);
                let dims: Vec<_> = dims.iter().map(|dim| self.value(dim)).collect();
                Some(quote!(#array.reshaped([#(#dims),*])))
            }
            _ => None,
        }
    }

    /// Whether the code is that of threads of one block.
    fn is_thread(&self) -> bool {
        match self.target {
            Target::Thread => true,
            Target::Lane(lanes) => lanes.is_of_threads(),
            _ => false,
        }
    }

    fn coordinate(&mut self, coordinate: Coordinate, axis: usize) -> Code {
        let position = names::position(axis);
        let k = names::number(axis);
        match coordinate {
            Coordinate::Position => quote!(#position),
            Coordinate::WarpSize => quote!((lib::groups::warp_size() as i32)),
            Coordinate::BlockDim => quote!(grid.block_dim(#k)),
            Coordinate::BlockCount => quote!(grid.block_count(#k)),
            Coordinate::LaunchDim => quote!(grid.dims()[#k]),
            Coordinate::BlockPosition if self.is_thread() => {
                let place = names::block_position(axis);
                quote!(#place)
            }
            Coordinate::BlockIndex if self.is_thread() => quote!(index[#k]),
            Coordinate::BlockPosition => quote!(grid.block_position(#k, #position)),
            Coordinate::BlockIndex => quote!(grid.block_index(#k, #position)),
        }
    }

    fn small_apply(&mut self, row: &'static Row, args: &[Expr], expr: &Expr) -> Code {
        if fixed(&expr.ty).is_none() {
            return self.unsupported(expr.span, "an operation on arrays of unknown size in a kernel");
        }
        let element = args.first().and_then(element_of).unwrap_or(ElementType::Int32);
        let mut bindings = Code::new();
        let (mut arrays, mut parameters, mut operands) = (Vec::new(), Vec::new(), Vec::new());
        for (k, arg) in args.iter().enumerate() {
            let name = Ident::new(format!("x{}", k));
            let value = self.value(arg);
            if scalar(&arg.ty).is_some() {
                bindings.extend(quote!(let #name = #value;));
            } else {
                arrays.push(value);
                parameters.push(name.clone());
            }
            operands.push(quote!(#name));
        }
        let map = Ident::new(format!("map{}", arrays.len()));
        let call = if is_comparison(row) {
            let symbol = Ident::new(row.symbol);
            quote!(ops::#symbol::<I, _>(#(#operands),*))
        } else {
            apply(row, element, operands)
        };
        quote!({ #bindings lib::#map(#(#arrays,)* |#(#parameters),*| #call) })
    }

    fn small_array(&mut self, items: &[Expr], expr: &Expr) -> Code {
        let mut flat = Vec::new();
        for item in items {
            match (&item.kind, fixed(&item.ty)) {
                (ExprKind::Array(inner), Some(_)) if inner.iter().all(|e| scalar(&e.ty).is_some()) => {
                    flat.extend(inner.iter().map(|e| self.value(e)));
                }
                (_, Some(sizes)) => {
                    let value = self.value(item);
                    let count: usize = sizes.iter().product();
                    flat.extend((0..count).map(|k| {
                        let k = names::number(k);
                        quote!((#value)[#k])
                    }));
                }
                (_, None) if scalar(&item.ty).is_some() => flat.push(self.value(item)),
                _ => return self.unsupported(expr.span, "this array in a kernel"),
            }
        }
        quote!([#(#flat),*])
    }

    fn small_reduce(&mut self, row: &'static Row, arg: &Expr, expr: &Expr) -> Code {
        let element = array_element(&arg.ty).unwrap_or(ElementType::Int32);
        let start = constant(quasar_devicelib::ops::neutral(row.name, element));
        let value = self.value(arg);
        let combined = apply(row, element, vec![quote!(a), quote!(b)]);
        let _ = expr;
        // As many elements as vectors have lanes.
        let lanes = matches!(fixed(&arg.ty).as_deref(), Some([n]) if n.is_power_of_two() && *n >= SHORT_VECTOR as usize);
        if lanes && matches!(arg.kind, ExprKind::Local(_)) {
            return quote!(lib::reduce_lanes(&{ #value }, #start, |a, b| #combined));
        }
        quote!(lib::reduce(#value, #start, |a, b| #combined))
    }

    fn small_convert(&mut self, inner: &Expr, expr: &Expr) -> Code {
        let (Some(from), Some(to)) = (fixed(&inner.ty), fixed(&expr.ty)) else {
            return self.unsupported(expr.span, "this conversion in a kernel");
        };
        if from.iter().product::<usize>() != to.iter().product::<usize>() {
            return self.unsupported(expr.span, "a conversion between sizes in a kernel");
        }
        let value = self.value(inner);
        if array_element(&inner.ty) == array_element(&expr.ty) {
            return value;
        }
        let target = array_element(&expr.ty).map(types::element);
        quote!(lib::map1(#value, |x| ops::convert::<_, #target>(x)))
    }

    /// The indices of one element, as a Rust array.
    pub(super) fn element_index(&mut self, index: &[Index], span: Span) -> Code {
        let mut items = Vec::new();
        for each in index {
            match each {
                Index::At(e) => items.push(self.value(e)),
                Index::Range(_) | Index::List(_) | Index::All | Index::Position(_) => {
                    return self.unsupported(span, "a slice in a kernel");
                }
            }
        }
        quote!([#(#items),*])
    }

    fn device_load(&mut self, expr: &Expr, array: &Expr, index: &[Index], boundary: Boundary) -> Code {
        if let Some(sizes) = self.own(array) {
            return self.small_load(array, index, boundary, &sizes, expr.span);
        }
        let ExprKind::Local(variable) = array.kind else {
            return self.unsupported(expr.span, "an element of this value in a kernel");
        };
        if let Some((from, count)) = lanes_of(index) {
            let (name, at, count) =
                (names::local(variable), self.element_index(&from, expr.span), names::number(count));
            let get = Ident::new(if boundary == Boundary::Unchecked { "lanes_at" } else { "get_lanes" });
            return quote!(#name.#get::<I, #count>(#at));
        }
        if let Target::Point(shaped) = self.target
            && let Some(load) = shaped.load(self, variable, index, boundary, expr)
        {
            return load;
        }
        if let Target::Lane(lanes) = self.target {
            return lanes.load(self, variable, index, boundary, expr);
        }
        let name = names::local(variable);
        let (given, index) = (index, self.element_index(index, expr.span));
        if matches!(self.target, Target::Inside) && is_direct(boundary) {
            return quote!(#name.at(#index));
        }
        if boundary == Boundary::Checked {
            let site = self.site(array, expr.span);
            if let Target::Point(shaped) = self.target
                && let Some(quick) = shaped.tested(self, (variable, given), &index, &site)
            {
                return quick;
            }
            if self.leaves_at_once() {
                return self.or_leave(&quote!(#name.try_get(#index, fault, #site)));
            }
            return quote!(#name.checked(#index, fault, #site));
        }
        let mode = types::mode(boundary);
        if let Target::Point(shaped) = self.target
            && let Some(elements) = shaped.elements(variable)
        {
            return quote!(#name.get_in::<#mode>(#elements, #index));
        }
        quote!(#name.get::<#mode>(#index))
    }

    /// The test of an index `at` of a small array.
    pub(super) fn guard(&self, dims: &Code, site: &Code) -> Code {
        if !self.leaves_at_once() {
            return quote!(lib::guard(#dims, at, fault, #site););
        }
        let leave = &self.leave;
        quote!(if !lib::guard(#dims, at, fault, #site) { #leave })
    }

    fn small_load(
        &mut self,
        array: &Expr,
        index: &[Index],
        boundary: Boundary,
        sizes: &[usize],
        span: Span,
    ) -> Code {
        let value = self.place(array);
        if let Some(k) = constant_offset(index, sizes) {
            let k = names::number(k);
            return quote!(#value[#k]);
        }
        let index = self.element_index(index, span);
        let dims = sizes.iter().map(|s| *s as i32);
        let dims = quote!([#(#dims),*]);
        let mode = types::mode(boundary);
        if boundary == Boundary::Checked {
            let site = self.site(array, span);
            let guard = self.guard(&dims, &site);
            return quote!({ let at = #index; #guard lib::pick::<#mode, _, _, _>(&#value, #dims, at) });
        }
        quote!(lib::pick::<#mode, _, _, _>(&#value, #dims, #index))
    }

    fn device_extent(&mut self, array: &Expr, axis: Option<usize>, span: Span) -> Code {
        if let Some(sizes) = fixed(&array.ty) {
            let n = match axis {
                Some(axis) => sizes.get(axis).copied().unwrap_or(1),
                None => sizes.iter().product(),
            };
            let n = n as i32;
            return quote!(#n);
        }
        let ExprKind::Local(variable) = array.kind else {
            return self.unsupported(span, "the size of this value in a kernel");
        };
        if let Target::Point(shaped) | Target::Row(shaped) = self.target
            && self.far.contains(&variable)
        {
            return shaped.extent_name(variable, axis);
        }
        let name = names::local(variable);
        match axis {
            Some(axis) => {
                let axis = names::number(axis);
                quote!(#name.extent(#axis))
            }
            None => quote!(#name.count()),
        }
    }
}

/// The offset of an element of a small array when all indices are constants inside it.
pub(super) fn constant_offset(index: &[Index], sizes: &[usize]) -> Option<usize> {
    let mut offset = 0;
    for (each, size) in index.iter().zip(sizes) {
        let Index::At(e) = each else { return None };
        let k = usize::try_from(e.constant_int()?).ok().filter(|k| k < size)?;
        offset = offset * size + k;
    }
    (index.len() == sizes.len()).then_some(offset)
}

fn element_of(expr: &Expr) -> Option<ElementType> {
    scalar(&expr.ty).or_else(|| array_element(&expr.ty))
}

/// Whether Rust's own operators mean what the language means.
pub(super) fn is_plain(element: ElementType) -> bool {
    element != ElementType::Half && !element.is_complex()
}

pub(super) fn is_comparison(row: &Row) -> bool {
    matches!(row.name, "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal")
}

/// A row on numbers of one type.
pub(super) fn apply(row: &Row, element: ElementType, args: Vec<Code>) -> Code {
    let plain_float = element.is_float() && is_plain(element);
    match (row.name, args.as_slice()) {
        ("add", [a, b]) if plain_float => quote!((#a + #b)),
        ("subtract", [a, b]) if plain_float => quote!((#a - #b)),
        ("multiply", [a, b]) if plain_float => quote!((#a * #b)),
        ("divide", [a, b]) if plain_float => quote!((#a / #b)),
        ("negate", [a]) if plain_float => quote!((-#a)),
        ("add", [a, b]) if element.is_integer() => quote!((#a).wrapping_add(#b)),
        ("subtract", [a, b]) if element.is_integer() => quote!((#a).wrapping_sub(#b)),
        ("multiply", [a, b]) if element.is_integer() => quote!((#a).wrapping_mul(#b)),
        ("negate", [a]) if element.is_integer() => quote!((#a).wrapping_neg()),
        _ => {
            let symbol = Ident::new(row.symbol);
            quote!(ops::#symbol::<I, _>(#(#args),*))
        }
    }
}

/// A number.
pub(super) fn constant(value: Scalar) -> Code {
    match value {
        Scalar::I8(i8::MIN) => quote!(i8::MIN),
        Scalar::I8(x) => number(x < 0, Literal::typed(x.unsigned_abs(), "i8")),
        Scalar::I16(i16::MIN) => quote!(i16::MIN),
        Scalar::I16(x) => number(x < 0, Literal::typed(x.unsigned_abs(), "i16")),
        Scalar::I32(i32::MIN) => quote!(i32::MIN),
        Scalar::I32(x) => number(x < 0, Literal::typed(x.unsigned_abs(), "i32")),
        Scalar::I64(i64::MIN) => quote!(i64::MIN),
        Scalar::I64(x) => number(x < 0, Literal::typed(x.unsigned_abs(), "i64")),
        Scalar::U8(x) => quote!(#x),
        Scalar::U16(x) => quote!(#x),
        Scalar::U32(x) => quote!(#x),
        Scalar::U64(x) => quote!(#x),
        Scalar::F16(x) => {
            let bits = x.to_bits();
            quote!(abi::Half::from_bits(#bits))
        }
        Scalar::F32(x) => single(x),
        Scalar::F64(x) => double(x),
        Scalar::C32(x) => {
            let (re, im) = (single(x.re), single(x.im));
            quote!(abi::Complex::new(#re, #im))
        }
        Scalar::C64(x) => {
            let (re, im) = (double(x.re), double(x.im));
            quote!(abi::Complex::new(#re, #im))
        }
    }
}

fn number(negative: bool, magnitude: Literal) -> Code {
    if negative { quote!((-#magnitude)) } else { quote!(#magnitude) }
}

fn single(x: f32) -> Code {
    if !x.is_finite() {
        let bits = x.to_bits();
        return quote!(f32::from_bits(#bits));
    }
    number(x.is_sign_negative(), Literal::typed(x.abs(), "f32"))
}

fn double(x: f64) -> Code {
    if !x.is_finite() {
        let bits = x.to_bits();
        return quote!(f64::from_bits(#bits));
    }
    number(x.is_sign_negative(), Literal::typed(x.abs(), "f64"))
}

/// Whether a value costs next to nothing and cannot fail.
fn is_free(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Constant(_) | ExprKind::Local(_) => scalar(&e.ty).is_some(),
        ExprKind::Apply { row, args } => matches!(row.name, "add" | "subtract") && args.iter().all(is_free),
        ExprKind::Select { then, otherwise, .. } => is_free(then) && is_free(otherwise),
        _ => false,
    }
}

/// For neighbours along the last dimension, of a known number, the index of the first one, and the number.
pub(super) fn lanes_of(index: &[Index]) -> Option<(Vec<Index>, usize)> {
    let [lead @ .., Index::Range(Range { from, step: None, to })] = index else { return None };
    let ExprKind::Apply { row, args } = &to.kind else { return None };
    let [base, last] = args.as_slice() else { return None };
    let count = last.constant_int().filter(|_| row.name == "add" && same(base, from))?;
    let first = lead.iter().cloned().chain([Index::At(from.clone())]).collect();
    Some((first, usize::try_from(count).ok()? + 1))
}
