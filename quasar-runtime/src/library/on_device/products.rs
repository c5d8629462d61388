//! Sums of products, norms, and Kronecker products.

use super::lines::{Beside, Combination, LANES, Lines, text};
use super::reductions::combining;
use super::{Numbers, blocks_for, call, converted, counted, kernel, named, reading, writing};
use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::LaunchArg;
use crate::error::Result;
use crate::kernel::offload::Arg;
use crate::kernel::offload::libraries::Helper;
use crate::value::uninit;
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;

/// Estimated operations for an element.
const OPERATIONS: usize = 4;

/// The sum of the products of two arrays, if the active device should compute it.
pub(super) fn dot([a, b]: [&Value; 2], computing: ElementType) -> Result<Option<Value>> {
    let (Some(a), Some(b)) = (named(a), named(b)) else { return Ok(None) };
    let Some(count) = counted(a.dims()).filter(|_| counted(a.dims()) == counted(b.dims())) else {
        return Ok(None);
    };
    let kernels = [
        multiplying([a.element_type(), b.element_type()], computing),
        combining("add", computing, computing),
    ];
    call(&[Arg::Read(&*a), Arg::Read(&*b)], &kernels, count * OPERATIONS).offload(|device| {
        let value = uninit(computing, &[1])?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        let [first, second] = reading(device, [&*a, &*b])?;
        let sum = writing(device, &*target)?;
        let how = (LANES, computing.size(), 0);
        // SAFETY: both have as many elements, and there is a place for their sum.
        unsafe { Lines::new((1, count, 1)).combine(device, kernels, [&first, &sum], Some(&second), how)? };
        drop((first, second, sum));
        Ok(value)
    })
}

/// The kernel that adds products.
fn multiplying([a, b]: [ElementType; 2], to: ElementType) -> &'static Helper {
    kernel(format!("dot_{}_{}_{}", suffix(a), suffix(b), suffix(to)), |name| {
        let t = suffix(to);
        let [first, second] = [converted("x[place]", a, to), converted("other[place]", b, to)];
        // Not contracted with the sum, as on the processor.
        let product = if to.is_float() { "product" } else { "multiply" };
        let term = format!("return q_{product}_{t}({first}, {second});");
        let types = [&*format!("q_{}", suffix(a)), &*format!("q_{t}")];
        let (join, neutral) = (
            format!("q_add_{t}(a, b)"),
            if to.is_complex() { format!("q_zero_{t}()") } else { "0".to_owned() },
        );
        let other = format!("q_{}", suffix(b));
        let beside = Beside::Array(&other);
        text(
            name,
            &Combination { types, join: &join, neutral: &neutral, term: &term, found: "found", beside },
        )
    })
}

/// The largest absolute value, or 1, and the sum of what is divided by that, if the active device should compute them.
pub(super) fn norm(source: &Value, squares: bool, scaled: bool) -> Result<Option<Value>> {
    let Some(array) = named(source) else { return Ok(None) };
    let ty = array.element_type();
    let Some(count) = counted(array.dims()).filter(|_| !ty.is_complex()) else { return Ok(None) };
    let largest = [largest_of(ty), largest_of(ElementType::Double)];
    let sums = [quotients(ty, squares), combining("add", ElementType::Double, ElementType::Double)];
    let helpers = [largest, sums].concat();
    call(&[Arg::Read(&*array)], &helpers, count * 2 * OPERATIONS).offload(|device| {
        let size = match scaled {
            true => Array::<f64>::uninit(&[1])?,
            false => Array::from_vec(&[1], vec![1.0])?,
        };
        let sum = Array::<f64>::uninit(&[1])?;
        let [from] = reading(device, [&*array])?;
        let of_size = size.on_device(device, if scaled { Access::Overwrite } else { Access::Read })?;
        let of_sum = sum.on_device(device, Access::Overwrite)?;
        let (lines, how) = (Lines::new((1, count, 1)), (LANES, size_of::<f64>(), 0));
        // SAFETY: there are so many elements, and a place for both numbers.
        unsafe {
            if scaled {
                lines.combine(device, largest, [&from, &of_size], None, how)?;
            }
            lines.combine(device, sums, [&from, &of_sum], Some(&of_size), how)?;
        }
        drop((from, of_size, of_sum));
        Ok(Value::Tuple([size.to_value(), sum.to_value()].into()))
    })
}

/// The absolute value of an element, in double precision.
fn size_of_element(ty: ElementType) -> String {
    format!("q_abs_f64({})", converted("x[place]", ty, ElementType::Double))
}

/// The kernel that finds the largest absolute value; NaN is larger than all.
fn largest_of(ty: ElementType) -> &'static Helper {
    kernel(format!("largest_{}", suffix(ty)), |name| {
        let types = [&*format!("q_{}", suffix(ty)), "q_f64"];
        let join = "a != a || (b == b && a > b) ? a : b";
        let term = format!("return {};", size_of_element(ty));
        text(
            name,
            &Combination { types, join, neutral: "0", term: &term, found: "found", beside: Beside::Nothing },
        )
    })
}

/// The kernel that adds absolute values divided by the largest, or their squares.
fn quotients(ty: ElementType, squares: bool) -> &'static Helper {
    kernel(format!("{}_{}", if squares { "squares" } else { "sizes" }, suffix(ty)), |name| {
        let types = [&*format!("q_{}", suffix(ty)), "q_f64"];
        let found = if squares { "q_product_f64(part, part)" } else { "part" };
        let term = format!("const q_f64 part = {} / other[0]; return {found};", size_of_element(ty));
        let (join, beside) = ("q_add_f64(a, b)", Beside::Array("q_f64"));
        text(name, &Combination { types, join, neutral: "0", term: &term, found: "found", beside })
    })
}

const KRONECKER: &str = r#"
Q_KERNEL void $k(Q_GLOBAL const $a *a, Q_GLOBAL const $b *b, Q_GLOBAL $t *y, q_u32 count, q_u32 n, q_u32 p, q_u32 q) {
    for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {
        const q_u32 row = k / (n * q), column = k % (n * q);
        const q_u32 of_a = row / p * n + column / q, of_b = row % p * q + column % q;
        y[k] = q_multiply_$s($first, $second);
    }
}
"#;

/// The kernel that multiplies elements of two types.
fn outer_products([a, b]: [ElementType; 2], to: ElementType) -> &'static Helper {
    kernel(format!("kronecker_{}_{}_{}", suffix(a), suffix(b), suffix(to)), |name| {
        let words = [
            ("$first", converted("a[of_a]", a, to)),
            ("$second", converted("b[of_b]", b, to)),
            ("$k", name.to_owned()),
            ("$a", format!("q_{}", suffix(a))),
            ("$b", format!("q_{}", suffix(b))),
            ("$t", format!("q_{}", suffix(to))),
            ("$s", suffix(to).to_owned()),
        ];
        words.iter().fold(KRONECKER.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
    })
}

/// Each element of a matrix times another one, if the active device should compute it.
pub(super) fn kronecker(
    [a, b]: [&Value; 2],
    [[m, n], [p, q]]: [[usize; 2]; 2],
    result: ElementType,
) -> Result<Option<Value>> {
    let (Some(a), Some(b)) = (named(a), named(b)) else { return Ok(None) };
    let (Some(rows), Some(columns)) = (m.checked_mul(p), n.checked_mul(q)) else { return Ok(None) };
    let dims = [rows, columns];
    let (Some(count), Some(first), Some(second)) = (counted(&dims), counted(a.dims()), counted(b.dims()))
    else {
        return Ok(None);
    };
    if (first, second) != (m * n, p * q) {
        return Ok(None);
    }
    let helper = outer_products([a.element_type(), b.element_type()], result);
    call(&[Arg::Read(&*a), Arg::Read(&*b)], &[helper], count * OPERATIONS).offload(|device| {
        let value = uninit(result, &dims)?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        let [first, second] = reading(device, [&*a, &*b])?;
        let written = writing(device, &*target)?;
        let numbers = Numbers::new([count, n, p, q]);
        let mut args = vec![LaunchArg::Input(&first), LaunchArg::Input(&second), LaunchArg::Memory(&written)];
        args.extend(numbers.args());
        // SAFETY: the matrices have these extents, and the result has an element for each product.
        unsafe { helper.launch(device, [blocks_for(device, count), 1], &args)? };
        drop((first, second, written));
        Ok(value)
    })
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use ElementType::{ComplexSingle, Double, Half, Int32, Single, UInt8};

    #[test]
    fn the_kernels_compile_for_cuda() {
        for (types, to) in [
            ([Single; 2], Single),
            ([Half; 2], Single),
            ([UInt8, Int32], Int32),
            ([Double, ComplexSingle], ComplexSingle),
        ] {
            multiplying(types, to).compiles_for_cuda().unwrap();
            outer_products(types, to).compiles_for_cuda().unwrap();
        }
        for ty in [UInt8, Half, Single, Double] {
            largest_of(ty).compiles_for_cuda().unwrap();
            [false, true].iter().for_each(|&squares| quotients(ty, squares).compiles_for_cuda().unwrap());
        }
    }
}
