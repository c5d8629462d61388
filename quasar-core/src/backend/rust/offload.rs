//! Launches on devices: a kernel's text as a constant, and the arguments as devices take them.

use super::Unit;
use super::code::{Code, Ident, Literal, quote};
use super::kernel::reaches_of;
use super::names::number;
use super::stmt::anonymous;
use super::types::{array_element, element, fixed, rank, scalar};
use crate::analysis::access_pattern::{AccessPattern, first_write};
use crate::analysis::cost::cost;
use crate::analysis::device_partition::accumulated_arrays;
use crate::analysis::row_footprint::row_footprints;
use crate::backend::clike::{DeviceKernel, Part, Site, Style};
use crate::ir::affine::{AffineForm, RowRange, Symbol};
use crate::ir::barriers::uses_warps;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Kernel, NoCopy, Stmt, StmtKind, Target, VarId};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::target::gpu::{
    BLOCK_TILE_SIDE, BLOCK_TILE_THREADS, GRID_STRIDE_THREADS, POSITION_THREADS, SPLIT_COUNTERS,
    SPLIT_THREADS, TILE_THREADS,
};
use crate::types::{ElementType, Type};
use quasar_devicelib::device_text::{Parameter, Signature};
use std::collections::{BTreeMap, BTreeSet};

/// The constant that holds a kernel's text.
pub(super) fn constant(kernel: &Kernel) -> Ident {
    Ident::new(format!("D_{}", kernel.name))
}

/// The constant that lists the kernels of a program that devices can run.
fn list() -> Ident {
    Ident::new("DEVICE_KERNELS")
}

/// The declaration of that list, in the order of the program.
pub(super) fn all(unit: &Unit<'_>) -> Code {
    if unit.devices.is_empty() {
        return Code::new();
    }
    let (list, count) = (list(), number(unit.devices.len()));
    let kernels = unit.devices.keys().map(|id| constant(&unit.program.kernels[*id]));
    quote!(static #list: [&abi::DeviceKernel; #count] = [#(&#kernels),*];)
}

/// The declarations of that constant and of those for the other versions.
pub(super) fn declaration(unit: &Unit<'_>, kernel: &Kernel, device: &DeviceKernel, sink: &mut Sink) -> Code {
    let name = constant(kernel);
    let versions = |[team, block, tile]: [Code; 3]| quote!(team: #team, block: #block, tile: #tile,);
    let none = versions([quote!(None), quote!(None), quote!(None)]);
    let mut version = |device: &Option<Box<DeviceKernel>>, suffix: &str| {
        let Some(device) = device else { return (Code::new(), quote!(None)) };
        let name = Ident::new(format!("{name}_{suffix}"));
        (declared(unit, kernel, &name, device, &none, sink), quote!(Some(&#name)))
    };
    let (team, few) = version(&device.team, "team");
    let (block, rows) = version(&device.block, "block");
    let (tile, tiles) = version(&device.tile, "tile");
    let own = declared(unit, kernel, &name, device, &versions([few, rows, tiles]), sink);
    quote!(#team #block #tile #own)
}

/// What the code holds besides a text. Without it, the text is compiled where it runs. One reason is said once for all kernels.
fn portable(unit: &Unit<'_>, device: &DeviceKernel, sink: &mut Sink) -> Vec<u8> {
    let made = unit.options.portable.map(|make| make(&device.entry, &device.text));
    made.unwrap_or_else(|| Ok(Vec::new())).unwrap_or_else(|reason| {
        let text = format!("the program holds kernels as text only, without PTX: {reason}");
        sink.push(Message::warning("Q0604", Span::default(), text));
        Vec::new()
    })
}

fn declared(
    unit: &Unit<'_>,
    kernel: &Kernel,
    name: &Ident,
    device: &DeviceKernel,
    versions: &Code,
    sink: &mut Sink,
) -> Code {
    let DeviceKernel { entry, text, style, sites, dynamic_shared, heap, .. } = device;
    let DeviceKernel { tables, constants, safe, iterations, .. } = device;
    let place = |param: usize| place(kernel, param);
    let tables: Vec<(usize, usize)> = tables.iter().map(|(array, size)| (place(*array), *size)).collect();
    let argument = |v: VarId| kernel.body.params.iter().position(|param| *param == v).map(place);
    let safe = match safe.iter().flatten().map(|s| sum(s, &argument)).collect::<Option<Vec<_>>>() {
        Some(sums) if safe.is_some() => quote!(Some(&[#(#sums),*])),
        _ => quote!(None),
    };
    let (style, style_numbers) = style_of(*style);
    let results: Vec<_> = kernel
        .accumulators
        .iter()
        .map(|each| {
            let ty = &kernel.body.variables[each.variable].ty;
            (scalar(ty).unwrap_or(ElementType::Int32), each.row.name)
        })
        .collect();
    let reaches = reaches_of(unit, kernel);
    let mut parameters = Vec::new();
    for (k, param) in kernel.body.params.iter().enumerate() {
        parameters_of(&kernel.body.variables[*param].ty, reaches.contains_key(param), &mut parameters);
        if constants.contains(&k)
            && let Some(last @ Parameter::Array(..)) = parameters.last_mut()
            && let Parameter::Array(element, rank) = *last
        {
            *last = Parameter::Constant(element, rank);
        }
    }
    let portable = portable(unit, device, sink);
    let signature = Signature {
        entry,
        text,
        portable: &portable,
        style: style_numbers,
        rank: u8::try_from(kernel.rank).unwrap_or(u8::MAX),
        divisible: kernel.divisible,
        parameters: &parameters,
        results: &results,
        dynamic_shared: *dynamic_shared,
        heap: *heap,
        tables: &tables,
        sites: sites.len(),
    };
    #[allow(unsafe_code, reason = "here the compiler vouches for the kernels that it prints")]
    // SAFETY: printed kernels test or map every index, but for those that `analysis` proves from the extents of the arrays and of the
    // launch that the host code beside them makes, and those that the program declares `'unchecked`.
    let seal = unsafe { signature.seal() };
    let iterations: Option<Vec<_>> = iterations.iter().map(|n| sum(n, &argument)).collect();
    let iterations = iterations.unwrap_or_default();
    let (seal, rank) = (Literal::plain(seal), Literal::plain(signature.rank));
    let divisible = signature.divisible;
    // OpenCL has no warps of a size that programs can rely on: the processor's are as those of CUDA.
    let target = match kernel.attributes.target {
        Target::Any | Target::Device if uses_warps(kernel) => Target::Cuda,
        target => target,
    };
    let target = Ident::new(format!("{target:?}"));
    let parameters = parameters.iter().map(parameter);
    let tables = tables.iter().map(|(array, size)| {
        let (array, size) = (number(*array), number(*size));
        quote!((#array, #size))
    });
    let cannot_fail = sites.is_empty();
    let sites = sites.iter().map(site);
    let results = results.iter().map(|(element, row)| {
        let element = element_type(*element);
        quote!((#element, #row))
    });
    let writes = floats_written(unit, kernel, &reaches).into_iter().map(|(k, name, line)| {
        let (k, line) = (number(place(k)), Literal::plain(line));
        quote!((#k, #name, #line))
    });
    let overwritten = overwritten(kernel, cannot_fail, constants);
    let (mut reads, mut accumulated) = (Vec::new(), Vec::new());
    if divisible {
        let of = |v: &VarId| argument(*v).map(number);
        accumulated.extend(accumulated_arrays(unit.program, kernel).iter().filter_map(of));
        let known = row_footprints(unit.program, kernel).into_iter();
        let known = known.filter(|(array, _)| reaches.get(array) == Some(&AccessPattern::ReadOnly));
        reads.extend(known.filter_map(|(array, rows)| rows_read(of(&array)?, &rows, &argument)));
    }
    let cost = Literal::plain(cost(&kernel.body.block));
    let unbounded = is_unbounded(unit, kernel);
    let list = list();
    let line = Literal::plain(unit.sources.line_column(kernel.span.file, kernel.span.start).0);
    quote! {
        static #name: abi::DeviceKernel = abi::DeviceKernel::new(abi::Form {
            entry: #entry,
            text: #text,
            portable: #portable,
            style: #style,
            rank: #rank,
            target: abi::Target::#target,
            divisible: #divisible,
            reads: &[#(#reads),*],
            accumulated: &[#(#accumulated),*],
            parameters: &[#(#parameters),*],
            sites: &[#(#sites),*],
            dynamic_shared: #dynamic_shared,
            heap: #heap,
            tables: &[#(#tables),*],
            results: &[#(#results),*],
            writes: &[#(#writes),*],
            overwritten: &[#(#overwritten),*],
            cost: #cost,
            unbounded: #unbounded,
            safe: #safe,
            #versions
            iterations: &[#(#iterations),*],
            seal: #seal,
        }).at(#line).among(&#list);
    }
}

/// What ranks of a cluster must know of a kernel whose launches they share; nothing where a program is not compiled for clusters.
pub(super) fn rank_division(kernel: &Kernel, said: &str) -> Option<Code> {
    let division = kernel.schedule.ranks.as_ref()?;
    let argument =
        |v: VarId| kernel.body.params.iter().position(|param| *param == v).map(|k| place(kernel, k));
    let rows = |known: &BTreeMap<VarId, Vec<RowRange>>| -> Code {
        let of = |(v, rows): (&VarId, &Vec<RowRange>)| rows_read(number(argument(*v)?), rows, &argument);
        let list = known.iter().filter_map(of);
        quote!(&[#(#list),*])
    };
    let (reads, writes) = (rows(&division.reads), rows(&division.writes));
    let places = |list: &[VarId]| -> Code {
        let list = list.iter().filter_map(|v| argument(*v).map(number));
        quote!(&[#(#list),*])
    };
    let (sums, unordered) = (places(&division.sums), places(&division.unordered));
    let overwritten = overwritten(kernel, !division.may_fail, &[]);
    let (by_rows, may_fail) = (division.by_rows, division.may_fail);
    let origin = Literal::typed(i64::from(kernel.schedule.origin.first().copied().unwrap_or(0)), "i32");
    let cost = Literal::plain(cost(&kernel.body.block));
    Some(quote! {
        abi::Division {
            by_rows: #by_rows,
            origin: #origin,
            reads: #reads,
            writes: #writes,
            overwritten: &[#(#overwritten),*],
            sums: #sums,
            unordered: #unordered,
            may_fail: #may_fail,
            cost: #cost,
            name: #said,
        }
    })
}

/// The place among the arguments of a parameter.
pub(super) fn place(kernel: &Kernel, param: usize) -> usize {
    let before = kernel.body.params[..param].iter();
    before.map(|param| numbers(&kernel.body.variables[*param].ty)).sum()
}

/// The arrays of which a kernel writes every element before it reads any, and whether that holds for launches of any size.
fn overwritten(kernel: &Kernel, cannot_fail: bool, constants: &[usize]) -> Vec<Code> {
    let all = kernel.body.params.iter().enumerate().filter_map(|(k, param)| {
        // Where a position fails, the elements behind it keep what they held.
        let asked = match kernel.body.variables[*param].nocopy {
            NoCopy::Unknown => return None,
            NoCopy::Declared => true,
            NoCopy::Inferred if cannot_fail && !constants.contains(&k) => false,
            NoCopy::Inferred => return None,
        };
        let k = number(place(kernel, k));
        Some(quote!((#k, #asked)))
    });
    all.collect()
}

/// A sum of what a launch is given, which is the same for all positions.
fn sum(sum: &AffineForm, argument: &dyn Fn(VarId) -> Option<usize>) -> Option<Code> {
    let of_launch = sum.terms.iter().all(|(symbol, _)| !matches!(symbol, Symbol::Position(_)));
    if of_launch { sum_of_row(sum, argument) } else { None }
}

/// A sum of what a launch is given and the row of a position.
fn sum_of_row(sum: &AffineForm, argument: &dyn Fn(VarId) -> Option<usize>) -> Option<Code> {
    let mut terms = Code::new();
    for (symbol, factor) in &sum.terms {
        let symbol = match *symbol {
            Symbol::Launch(axis) => {
                let axis = number(axis);
                quote!(abi::Symbol::Launch(#axis))
            }
            Symbol::Extent(v, axis) => {
                let (array, axis) = (number(argument(v)?), number(axis));
                quote!(abi::Symbol::Extent(#array, #axis))
            }
            Symbol::Value(v) => {
                let place = number(argument(v)?);
                quote!(abi::Symbol::Value(#place))
            }
            Symbol::Position(0) => quote!(abi::Symbol::Row),
            Symbol::Position(_) => return None,
        };
        let factor = Literal::typed(factor, "i64");
        terms.extend(quote!((#symbol, #factor),));
    }
    let constant = Literal::typed(sum.constant, "i64");
    Some(quote!(abi::Sum { constant: #constant, terms: &[#terms] }))
}

/// The rows that a launch reads of an array.
fn rows_read(array: Literal, rows: &[RowRange], argument: &dyn Fn(VarId) -> Option<usize>) -> Option<Code> {
    let mut list = Code::new();
    for RowRange { low, high, boundary } in rows {
        let (low, high) = (sum_of_row(low, argument)?, sum_of_row(high, argument)?);
        let boundary = boundary.map_or_else(
            || quote!(None),
            |boundary| {
                let boundary = Ident::new(format!("{boundary:?}"));
                quote!(Some(abi::Boundary::#boundary))
            },
        );
        list.extend(quote!(abi::RowRange { low: #low, high: #high, boundary: #boundary },));
    }
    Some(quote!((#array, &[#list])))
}

/// How positions are handed to threads, as the run-time system says it, and as numbers for the seal.
fn style_of(style: Style) -> (Code, [u32; 4]) {
    match style {
        Style::Positions => (quote!(abi::Style::Positions), [0; 4]),
        Style::Strips { rows } => {
            let [r, t] = [rows, TILE_THREADS].map(Literal::plain);
            (quote!(abi::Style::Strips { rows: #r, threads: #t }), [1, rows, TILE_THREADS, 0])
        }
        Style::Blocks => (quote!(abi::Style::Blocks), [2, 0, 0, 0]),
        Style::Grid { walks } => (quote!(abi::Style::Grid { walks: #walks }), [5, u32::from(walks), 0, 0]),
        Style::Walk { together: several, gather } => {
            let (together, threads) = (Literal::plain(several), Literal::plain(GRID_STRIDE_THREADS));
            let code = quote!(abi::Style::Walk { threads: #threads, together: #together, gather: #gather });
            (code, [3, GRID_STRIDE_THREADS, several, u32::from(gather)])
        }
        Style::BlockEach { along_rows, values } => {
            let (threads, counters) = (Literal::plain(POSITION_THREADS), Literal::plain(SPLIT_COUNTERS));
            let several = Literal::plain(values);
            let code = quote!(abi::Style::BlockEach {
                threads: #threads, along_rows: #along_rows, values: #several, counters: #counters
            });
            (code, [6, POSITION_THREADS, u32::from(along_rows) + 2 * values, SPLIT_COUNTERS])
        }
        Style::BlockTiles { rows, columns } => {
            let (side, threads) = (BLOCK_TILE_SIDE, BLOCK_TILE_THREADS);
            let [r, c, s, t] = [rows, columns, side, threads].map(Literal::plain);
            let code = quote!(abi::Style::BlockTiles { rows: #r, columns: #c, side: #s, threads: #t });
            (code, [7, rows | columns << 16, side, threads])
        }
        Style::Team { values, columns } => {
            let [t, v, c, n] = [SPLIT_THREADS, values, SPLIT_COUNTERS, columns].map(Literal::plain);
            let code = quote!(abi::Style::Team { threads: #t, values: #v, counters: #c, columns: #n });
            (code, [4, SPLIT_THREADS | columns << 16, values, SPLIT_COUNTERS])
        }
    }
}

/// What a launch passes for a parameter.
fn parameters_of(ty: &Type, is_array: bool, list: &mut Vec<Parameter>) {
    let size = |element: Option<ElementType>| element.unwrap_or(ElementType::Int32).size();
    match ty {
        Type::Array(_) if is_array => {
            let element = array_element(ty).unwrap_or(ElementType::Int32);
            let rank = u8::try_from(rank(ty).unwrap_or(0)).unwrap_or(u8::MAX);
            list.push(Parameter::Array(element, rank));
        }
        Type::Array(_) => {
            let count: usize = fixed(ty).unwrap_or_default().iter().product();
            let bytes = count * size(array_element(ty));
            list.push(Parameter::Value(u32::try_from(bytes).unwrap_or(u32::MAX)));
        }
        Type::Tuple(types) => types.iter().for_each(|ty| parameters_of(ty, false, list)),
        Type::Closure(closure) => {
            closure.captures.iter().for_each(|(_, ty)| parameters_of(ty, false, list));
        }
        _ => list.push(Parameter::Value(size(scalar(ty)) as u32)),
    }
}

fn parameter(parameter: &Parameter) -> Code {
    match parameter {
        Parameter::Array(element, rank) => {
            let (element, rank) = (element_type(*element), Literal::plain(*rank));
            quote!(abi::Parameter::Array(#element, #rank))
        }
        Parameter::Constant(element, rank) => {
            let (element, rank) = (element_type(*element), Literal::plain(*rank));
            quote!(abi::Parameter::Constant(#element, #rank))
        }
        Parameter::Value(bytes) => {
            let bytes = Literal::plain(*bytes);
            quote!(abi::Parameter::Value(#bytes))
        }
    }
}

/// Whether only data says how often a loop of the kernel runs.
fn is_unbounded(unit: &Unit<'_>, kernel: &Kernel) -> bool {
    let loops = |block: &[Stmt]| {
        let mut found = false;
        visit_stmts(block, &mut |stmt| {
            found |= matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Repeat { .. });
        });
        found
    };
    let mut called = BTreeSet::new();
    super::close(unit.program, &kernel.body.block, &mut called);
    loops(&kernel.body.block) || called.iter().any(|&f| loops(&unit.program.functions[f].body.block))
}

fn site(site: &Site) -> Code {
    let (subject, line) = (&site.subject, Literal::plain(site.line));
    let message = site.message.iter().map(|part| match part {
        Part::Text(text) => quote!(abi::Part::Text(#text)),
        Part::Number(element) => {
            let element = element_type(*element);
            quote!(abi::Part::Number(#element))
        }
        Part::Array(element, dims) => {
            let (element, dims) = (element_type(*element), dims.iter().map(|n| number(*n)));
            quote!(abi::Part::Array(#element, &[#(#dims),*]))
        }
    });
    quote!(abi::Site { subject: #subject, line: #line, message: &[#(#message),*] })
}

fn element_type(element: ElementType) -> Code {
    let name = Ident::new(format!("{element:?}"));
    quote!(abi::ElementType::#name)
}

/// The arrays of floats that a kernel writes, in which NaN may be looked for: their parameters, their names, and the lines of
/// the first statements that write them.
pub(super) fn floats_written<'p>(
    unit: &Unit<'p>,
    kernel: &'p Kernel,
    reaches: &BTreeMap<VarId, AccessPattern>,
) -> Vec<(usize, &'p str, u32)> {
    if kernel.fills_tables() {
        return Vec::new();
    }
    let params = kernel.body.params.iter().enumerate();
    let floats = params.filter(|(_, param)| {
        let element = array_element(&kernel.body.variables[**param].ty);
        reaches.get(param).is_some_and(|reach| *reach != AccessPattern::ReadOnly)
            && element.is_some_and(|element| !element.is_integer())
    });
    let described = floats.map(|(k, param)| {
        let span = first_write(unit.program, &kernel.body.block, *param);
        let line = span.map_or(0, |span| unit.sources.line_column(span.file, span.start).0);
        // What only the compiler names has no name.
        let name = kernel.body.variables[*param].name.as_str();
        (k, if name.starts_with('$') { "" } else { name }, line)
    });
    described.collect()
}

/// The arguments of a launch, which stand in `a0`, `a1`, ..
pub(super) fn arguments(kernel: &Kernel, reaches: &BTreeMap<VarId, AccessPattern>) -> Code {
    let mut list = Code::new();
    for (k, param) in kernel.body.params.iter().enumerate() {
        let a = anonymous("a", k);
        match reaches.get(param) {
            Some(AccessPattern::ReadOnly) => list.extend(quote!(abi::Arg::Read(&#a),)),
            Some(_) => list.extend(quote!(abi::Arg::Write(&#a),)),
            None => values(&quote!(#a), &kernel.body.variables[*param].ty, &mut list),
        }
    }
    list
}

/// A value: each number and small array in it.
fn values(place: &Code, ty: &Type, list: &mut Code) {
    let mut parts = |types: &mut dyn Iterator<Item = &Type>| {
        for (k, ty) in types.enumerate() {
            let k = number(k);
            values(&quote!(#place.#k), ty, list);
        }
    };
    match ty {
        Type::Tuple(types) => parts(&mut types.iter()),
        Type::Closure(closure) => parts(&mut closure.captures.iter().map(|(_, ty)| ty)),
        Type::Array(_) => {
            list.extend(quote!(abi::Arg::Small(&#place),));
        }
        _ => list.extend(quote!(abi::Arg::number(#place),)),
    }
}

/// How many arguments a value becomes.
fn numbers(ty: &Type) -> usize {
    match ty {
        Type::Tuple(types) => types.iter().map(numbers).sum(),
        Type::Closure(closure) => closure.captures.iter().map(|(_, ty)| numbers(ty)).sum(),
        _ => 1,
    }
}

/// The results of a launch on a device, as those of the processor come.
pub(super) fn results(kernel: &Kernel) -> Code {
    let mut sums = quote!(());
    for (k, result) in kernel.body.results.iter().enumerate().rev() {
        let (k, ty) = (number(k), scalar(&kernel.body.variables[*result].ty));
        let ty = element(ty.unwrap_or(ElementType::Int32));
        sums = quote!((found.number::<#ty>(#k), #sums));
    }
    sums
}
