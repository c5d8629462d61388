//! Reductions along a dimension, and of all elements: sums, products, means, extrema, variances.
//!
//! Sums, means, variances and extrema have the bits of the processor; products of floats are rounded in another order.

use super::lines::{Beside, Combination, Cuts, LANES, Lines, PAIRS, ROWS, text};
use super::{Numbers, blocks, blocks_for, call, converted, counted, kernel, named, reading, writing};
use crate::array::Scratch;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::Arg;
use crate::kernel::offload::libraries::Helper;
use crate::value::uninit;
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;
use quasar_devicelib::value::offload::Reduction;
use std::sync::Arc;

/// Estimated operations for an element: of a reduction, and of a variance.
const OPERATIONS: usize = 4;
const OPERATIONS_OF_VARIANCE: usize = 12;

/// The reduced array, if the active device should do it.
pub(super) fn reduced(
    source: &Value,
    reduction: Reduction,
    along: (usize, usize, usize),
    [computing, result]: [ElementType; 2],
    dims: &[usize],
) -> Result<Option<Value>> {
    let Some(array) = named(source) else { return Ok(None) };
    let found = array.element_type();
    let Some(count) = counted(array.dims()) else { return Ok(None) };
    if counted(dims) != along.0.checked_mul(along.2) || along.0 * along.1 * along.2 != count {
        return Ok(None);
    }
    let Some(kernels) = Kernels::of(reduction, [found, computing, result]) else { return Ok(None) };
    let work = match kernels.variance {
        Some(_) => count * OPERATIONS_OF_VARIANCE,
        None => count * OPERATIONS,
    };
    let (inputs, helpers) = ([Arg::Read(&*array)], kernels.all());
    call(&inputs, &helpers, work).offload(|device| {
        let value = uninit(result, dims)?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        let [read] = reading(device, [&*array])?;
        let to = writing(device, &*target)?;
        match (&kernels.variance, kernels.places) {
            (Some(variance), _) => kernels.variances(variance, device, [&read, &to], along)?,
            (None, Some(places)) => kernels.places(places, device, [&read, &to], count)?,
            (None, None) => kernels.combined(device, [&read, &to], along, reduction == Reduction::Mean)?,
        }
        drop((read, to));
        Ok(value)
    })
}

/// What a reduction launches.
struct Kernels {
    /// Combines elements.
    first: &'static Helper,
    /// Combines what was made of them.
    pairs: &'static Helper,
    /// Turns that into the result, where its type is another one.
    conversion: Option<&'static Helper>,
    /// Finds the first place of an extreme.
    places: Option<[&'static Helper; 2]>,
    variance: Option<Variance>,
    computing: ElementType,
}

/// What variances launch besides.
struct Variance {
    /// Adds squared distances from means.
    spread: &'static Helper,
    /// Joins the stretches of lines.
    join: &'static Helper,
    /// Divides, and takes the root of standard deviations.
    end: &'static Helper,
}

impl Kernels {
    /// Those for elements of a type, the type in which they are combined, and that of the result; nothing where a type has none.
    fn of(reduction: Reduction, [found, computing, result]: [ElementType; 3]) -> Option<Kernels> {
        let operation = match reduction {
            Reduction::Sum | Reduction::Mean | Reduction::Variance | Reduction::Deviation => "add",
            Reduction::Product => "multiply",
            Reduction::Minimum | Reduction::PlaceOfMinimum => "min",
            Reduction::Maximum | Reduction::PlaceOfMaximum => "max",
            Reduction::Any => "or",
            Reduction::All => "and",
        };
        let spreads = matches!(reduction, Reduction::Variance | Reduction::Deviation);
        let truths = matches!(reduction, Reduction::Any | Reduction::All);
        let place = matches!(reduction, Reduction::PlaceOfMinimum | Reduction::PlaceOfMaximum);
        // Infinite complex numbers times 1 are not themselves.
        if found.is_complex() && (spreads || truths || reduction == Reduction::Product) {
            return None;
        }
        let root = reduction == Reduction::Deviation;
        Some(Kernels {
            first: combining(operation, found, computing),
            pairs: combining(operation, computing, computing),
            conversion: (computing != result && !spreads && !place).then(|| conversion(computing, result)),
            places: place.then(|| [place_of(found), first_place()]),
            variance: spreads.then(|| Variance {
                spread: spread(found),
                join: join(),
                end: end(result, root),
            }),
            computing,
        })
    }

    fn all(&self) -> Vec<&'static Helper> {
        let variance = self.variance.iter().flat_map(|v| [v.spread, v.join, v.end]);
        let places = self.places.iter().flatten().copied();
        [self.first, self.pairs].into_iter().chain(self.conversion).chain(places).chain(variance).collect()
    }

    fn combined(
        &self,
        device: &Arc<dyn Device>,
        [from, to]: [&DeviceMemory; 2],
        along: (usize, usize, usize),
        divided: bool,
    ) -> Result<()> {
        let (lines, bytes) = (Lines::new(along), self.computing.size());
        let count = if divided { lines.length } else { 0 };
        let scratch = match self.conversion {
            Some(_) => Some(Scratch::new(&**device, lines.results() * bytes)?),
            None => None,
        };
        let target = scratch.as_ref().map_or(to, |scratch| scratch.memory());
        // SAFETY: there are the elements of the lines, and a result for each of them.
        unsafe {
            lines.combine(
                device,
                [self.first, self.pairs],
                [from, target],
                None,
                (cuts(along), bytes, count),
            )?;
        }
        let Some(conversion) = self.conversion else { return Ok(()) };
        let numbers = Numbers::new([lines.results()]);
        let args: Vec<_> =
            [LaunchArg::Input(target), LaunchArg::Memory(to)].into_iter().chain(numbers.args()).collect();
        // SAFETY: both memories have an element for each line, of the kernel's types.
        unsafe { conversion.launch(device, [blocks_for(device, lines.results()), 1], &args) }
    }

    /// The first place of the extreme of all elements.
    fn places(
        &self,
        places: [&Helper; 2],
        device: &Arc<dyn Device>,
        [from, to]: [&DeviceMemory; 2],
        count: usize,
    ) -> Result<()> {
        let lines = Lines::new((1, count, 1));
        let bytes = self.computing.size();
        let extreme = Scratch::new(&**device, bytes)?;
        // SAFETY: there are as many elements, an extreme, and a place.
        unsafe {
            let kernels = [self.first, self.pairs];
            lines.combine(device, kernels, [from, extreme.memory()], None, (LANES, bytes, 0))?;
            lines.combine(device, places, [from, to], Some(extreme.memory()), (LANES, size_of::<i32>(), 1))
        }
    }

    fn variances(
        &self,
        variance: &Variance,
        device: &Arc<dyn Device>,
        [from, to]: [&DeviceMemory; 2],
        along: (usize, usize, usize),
    ) -> Result<()> {
        let whole = Lines::new(along);
        let lines = Lines { stretch: whole.length.min(STRETCH), ..whole };
        let memory = |count: usize| Scratch::new(&**device, count * size_of::<f64>());
        let (sums, spreads) = (memory(lines.results())?, memory(lines.results())?);
        let how = (LANES, size_of::<f64>(), 0);
        // SAFETY: there are the elements of the lines, and a sum and a spread for each stretch.
        unsafe {
            lines.combine(device, [self.first, self.pairs], [from, sums.memory()], None, how)?;
            let kernels = [variance.spread, self.pairs];
            lines.combine(device, kernels, [from, spreads.memory()], Some(sums.memory()), how)?;
        }
        let totals = match lines.stretches() {
            1 => spreads,
            _ => joined(device, variance.join, lines, [sums.memory(), spreads.memory()])?,
        };
        let numbers = Numbers::new([whole.results(), whole.length]);
        let totals = totals.memory();
        let args: Vec<_> =
            [LaunchArg::Input(totals), LaunchArg::Memory(to)].into_iter().chain(numbers.args()).collect();
        // SAFETY: both memories have an element for each line, of the kernel's types.
        unsafe { variance.end.launch(device, [blocks_for(device, whole.results()), 1], &args) }
    }
}

/// The spread of each line from the sums and spreads of its stretches.
fn joined<'a>(
    device: &'a Arc<dyn Device>,
    kernel: &Helper,
    lines: Lines,
    [sums, spreads]: [&DeviceMemory; 2],
) -> Result<Scratch<'a>> {
    let (depth, count) = (PAIRS.depth(&[lines.stretches()]), lines.outer * lines.inner);
    let totals = Scratch::new(&**device, count * size_of::<f64>())?;
    let moments = Scratch::new(&**device, (count << depth) * 3 * size_of::<f64>())?;
    let numbers = Numbers::new([count, lines.inner, lines.length, lines.stretch, depth]);
    let mut args = [sums, spreads].map(LaunchArg::Input).to_vec();
    args.extend([moments.memory(), totals.memory()].map(LaunchArg::Memory));
    args.extend(numbers.args());
    // SAFETY: the kernel stays below a sum and a spread for each stretch, below three numbers for each of them, to a power of
    // two for each line, and below a number for each line.
    unsafe { kernel.launch(device, [blocks(device, 0, count), 1], &args)? };
    Ok(totals)
}

/// How the processor cuts the lines.
fn cuts((.., inner): (usize, usize, usize)) -> Cuts {
    if inner == 1 { LANES } else { ROWS }
}

/// The kernel that combines elements of a type.
pub(super) fn combining(operation: &str, from: ElementType, to: ElementType) -> &'static Helper {
    let name = format!("reduce_{operation}_{}_{}", suffix(from), suffix(to));
    kernel(name, |name| {
        let t = suffix(to);
        let [join, neutral] = match operation {
            "or" => ["a | b".to_owned(), "0".to_owned()],
            "and" => ["a & b".to_owned(), "1".to_owned()],
            _ => [format!("q_{operation}_{t}(a, b)"), neutral(operation, to)],
        };
        let term = match operation {
            "or" | "and" if from == ElementType::Half => {
                "return q_to_f32_from_f16(x[place]) != 0;".to_owned()
            }
            "or" | "and" => "return x[place] != 0;".to_owned(),
            _ => format!("return {};", converted("x[place]", from, to)),
        };
        let divided = format!("count != 0u ? q_divide_{t}(found, q_to_{t}_from_u32(count)) : found");
        let divides = operation == "add" && !to.is_integer();
        let types = [&*format!("q_{}", suffix(from)), &*format!("q_{t}")];
        let found = if divides { &divided } else { "found" };
        text(
            name,
            &Combination {
                types,
                join: &join,
                neutral: &neutral,
                term: &term,
                found,
                beside: Beside::Nothing,
            },
        )
    })
}

/// What combines with any number to that one.
fn neutral(operation: &str, ty: ElementType) -> String {
    let t = suffix(ty);
    match (operation, ty) {
        ("add", _) if ty.is_complex() || ty == ElementType::Half => format!("q_zero_{t}()"),
        ("multiply", _) if ty.is_complex() || ty == ElementType::Half => format!("q_one_{t}()"),
        ("add", _) => "0".to_owned(),
        ("multiply", _) => "1".to_owned(),
        // NaN loses.
        (_, ElementType::Half) => "q_f16_from_bits(0x7e00)".to_owned(),
        (_, ElementType::Single) => "q_f32_from_bits(0x7fc00000u)".to_owned(),
        (_, ElementType::Double) => "q_f64_from_bits(Q_U64(0x7ff8000000000000))".to_owned(),
        _ => {
            let (bits, ones) = (ty.bits(), u64::MAX >> (64 - ty.bits()));
            let largest = if ty.is_signed() { ones >> 1 } else { ones };
            let extreme = match operation {
                "min" => largest,
                // The least number of a signed type is the one behind the largest.
                _ if ty.is_signed() => 1 << (bits - 1),
                _ => 0,
            };
            format!("(q_{t})Q_U64({extreme})")
        }
    }
}

/// The kernel that finds the first place where elements of a type equal an extreme.
fn place_of(from: ElementType) -> &'static Helper {
    kernel(format!("place_{}", suffix(from)), |name| {
        let x = format!("q_{}", suffix(from));
        let element = |of: &str| match from {
            ElementType::Half => converted(of, from, ElementType::Single),
            _ => of.to_owned(),
        };
        let term =
            format!("return {} == {} ? (q_i32)place : {NOWHERE};", element("x[place]"), element("other[0]"));
        let (types, join) = ([&*x, "q_i32"], "q_min_i32(a, b)");
        let (neutral, found) = (NOWHERE, FIRST);
        text(name, &Combination { types, join, neutral, term: &term, found, beside: Beside::Array(&x) })
    })
}

/// The kernel that finds the first of places.
fn first_place() -> &'static Helper {
    kernel("place_first".to_owned(), |name| {
        let (types, join, term) = (["q_i32"; 2], "q_min_i32(a, b)", "return x[place];");
        let (neutral, found) = (NOWHERE, FIRST);
        text(name, &Combination { types, join, neutral, term, found, beside: Beside::Nothing })
    })
}

/// The place of no element, and the first place in the end: 0 where all elements are NaN.
const NOWHERE: &str = "0x7fffffff";
const FIRST: &str = "count != 0u && found == 0x7fffffff ? 0 : found";

/// Elements of a line whose mean is found first.
const STRETCH: usize = 1 << 14;

/// The kernel that adds the squared distances of elements from their mean.
fn spread(from: ElementType) -> &'static Helper {
    kernel(format!("spread_{}", suffix(from)), |name| {
        let v = converted("x[place]", from, ElementType::Double);
        let term = format!("const q_f64 d = {v} - mean; return q_product_f64(d, d);");
        let types = [&*format!("q_{}", suffix(from)), "q_f64"];
        let join = "q_add_f64(a, b)";
        text(
            name,
            &Combination { types, join, neutral: "0", term: &term, found: "found", beside: Beside::Sums },
        )
    })
}

/// Joins the stretches of a line in pairs, as `moments` of the device library does. A block joins those of a line.
const JOIN: &str = r#"
Q_FN void $k_pair(Q_GLOBAL q_f64 *a, Q_GLOBAL const q_f64 *b) {
    if (b[0] != 0) {
        const q_f64 count = a[0] + b[0], distance = b[1] - a[1], share = b[0] / count;
        a[2] = a[2] + b[2] + q_product_f64(q_product_f64(distance, distance), q_product_f64(a[0], share));
        a[1] = a[1] + q_product_f64(distance, share);
        a[0] = count;
    }
}

Q_KERNEL void $k(Q_GLOBAL const q_f64 *sums, Q_GLOBAL const q_f64 *spreads, Q_GLOBAL q_f64 *moments,
                 Q_GLOBAL q_f64 *totals, q_u32 lines, q_u32 inner, q_u32 length, q_u32 stretch, q_u32 depth) {
    const q_u32 thread = (q_u32)Q_THREAD(0), stretches = (length + stretch - 1u) / stretch, paths = 1u << depth;
    for (q_u32 line = (q_u32)Q_BLOCK(0); line < lines; line += (q_u32)Q_GRID_DIM(0)) {
        Q_GLOBAL q_f64 *own = moments + (Q_INDEX)line * paths * 3;
        for (q_u32 path = thread; path < paths; path += 256u) {
            q_u32 from = 0u, to = stretches;
            for (q_u32 k = depth; k > 0u; k--) {
                const q_u32 middle = to - from > 1u ? from + (to - from) / 2u : to;
                if (((path >> (k - 1u)) & 1u) != 0u) from = middle;
                else to = middle;
            }
            const q_u32 at = (line / inner * stretches + from) * inner + line % inner, rest = length - from * stretch;
            const q_f64 count = from < to ? (q_f64)(rest < stretch ? rest : stretch) : 0;
            own[3u * path] = count;
            own[3u * path + 1u] = from < to ? sums[at] / count : 0;
            own[3u * path + 2u] = from < to ? spreads[at] : 0;
        }
        Q_BARRIER();
        for (q_u32 step = 1u; step < paths; step *= 2u) {
            for (q_u32 path = thread * 2u * step; path < paths; path += 512u * step) {
                $k_pair(own + 3u * path, own + 3u * (path + step));
            }
            Q_BARRIER();
        }
        if (thread == 0u) totals[line] = own[2];
    }
}
"#;

fn join() -> &'static Helper {
    kernel("spread_join".to_owned(), |name| JOIN.replace("$k", name))
}

const END: &str = r#"
Q_KERNEL void $k(Q_GLOBAL const $t *x, Q_GLOBAL $r *y, q_u32 count$params) {
    for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {
        y[k] = $result;
    }
}
"#;

fn elementwise(name: &str, [from, to]: [ElementType; 2], params: &str, result: &str) -> String {
    let words = [("$k", name), ("$params", params), ("$result", result)];
    let types = [("$t", format!("q_{}", suffix(from))), ("$r", format!("q_{}", suffix(to)))];
    let text = words.iter().fold(END.to_owned(), |text, (word, meaning)| text.replace(word, meaning));
    types.iter().fold(text, |text, (word, meaning)| text.replace(word, meaning))
}

/// The kernel that makes variances of spreads, or standard deviations.
fn end(result: ElementType, root: bool) -> &'static Helper {
    let name = format!("{}_{}", if root { "deviation" } else { "variance" }, suffix(result));
    kernel(name, |name| {
        let variance = "x[k] / (length > 1u ? (q_f64)(length - 1u) : 1)";
        let found = if root { format!("q_sqrt_f64({variance})") } else { format!("({variance})") };
        let found = converted(&found, ElementType::Double, result);
        elementwise(name, [ElementType::Double, result], ", q_u32 length", &found)
    })
}

fn conversion(from: ElementType, to: ElementType) -> &'static Helper {
    kernel(format!("convert_{}_{}", suffix(from), suffix(to)), |name| {
        elementwise(name, [from, to], "", &converted("x[k]", from, to))
    })
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use ElementType::*;

    #[test]
    fn the_kernels_compile_for_cuda() {
        let all = [Int8, Int32, UInt16, UInt64, Half, Single, Double, ComplexSingle];
        let compiles = |kernels: Option<Kernels>| {
            kernels.iter().flat_map(Kernels::all).for_each(|kernel| kernel.compiles_for_cuda().unwrap());
        };
        for ty in all {
            let sum = quasar_devicelib::element::promote(ty, ty);
            compiles(Kernels::of(Reduction::Sum, [ty, sum, sum]));
            if !ty.is_complex() {
                compiles(Kernels::of(Reduction::Minimum, [ty, ty, ty]));
                compiles(Kernels::of(Reduction::All, [ty, Int32, Int32]));
            }
        }
        compiles(Kernels::of(Reduction::Deviation, [Single, Double, Single]));
        compiles(Kernels::of(Reduction::Variance, [Half, Double, Half]));
        compiles(Kernels::of(Reduction::Product, [Half, Single, Half]));
    }
}
