//! Array functions by kernels of the runtime: the bits of the processor, and nothing copied to the host.

use crate::{Outcome, here, one, sample};
use ElementType::{
    ComplexDouble, ComplexSingle, Double, Half, Int8, Int32, Int64, Single, UInt8, UInt32, UInt64,
};
use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::{ElementType, Overflow};
use quasar_devicelib::value::ArrayBuf;
use quasar_devicelib::value::convert::convert_data;
use quasar_runtime::context::with_device;
use quasar_runtime::device::Device;
use quasar_runtime::value::adopt;
use quasar_runtime::{Array, Value};
use std::sync::Arc;

/// Numbers without a pattern in a type; integers of all sizes that it has.
fn numbers(ty: ElementType, dims: &[usize], seed: u64) -> Value {
    let count: usize = dims.iter().product();
    let scale = if ty.is_integer() { 2.0_f64.powi(ty.bits().min(40) as i32) } else { 100.0 };
    let elements: Vec<Complex<f64>> = sample(count, seed)
        .into_iter()
        .zip(sample(count, seed + 7))
        .map(|(re, im)| Complex::new(scale * re, scale * im))
        .collect();
    let data = match ty.is_complex() {
        true => ArrayBuf::vec(elements).data,
        false => ArrayBuf::vec(elements.iter().map(|x| x.re).collect::<Vec<f64>>()).data,
    };
    let data = convert_data(data.view(), ty, Overflow::Wrap).unwrap();
    adopt(ArrayBuf::new(dims.to_vec(), data).unwrap().into())
}

/// Type, dimensions, and the bits of the elements; all NaN are one, and so are zeros where `zeros` says so.
fn bits(value: &Value, zeros: bool) -> (Option<ElementType>, Vec<usize>, Vec<[u64; 2]>) {
    let of = |x: f64| match x {
        x if x.is_nan() => f64::NAN.to_bits(),
        x if x == 0.0 && zeros => 0,
        x => x.to_bits(),
    };
    let Some(buf) = value.to_buf() else {
        let x = value.as_scalar().unwrap();
        return (Some(x.element_type()), Vec::new(), vec![[of(x.as_f64()), x.as_i64() as u64]]);
    };
    let buf = buf.unwrap();
    let elements = (0..buf.data.len()).map(|k| {
        let x = buf.data.view().scalar(k).unwrap();
        match x.element_type() {
            ty if ty.is_integer() => [x.as_i64() as u64, 0],
            _ => [of(x.as_f64()), of(x.imaginary())],
        }
    });
    (value.element_type(), buf.dims.clone(), elements.collect())
}

/// A call on the device, which must give what the processor gives, and copy at most so many numbers to the host.
fn same(device: &Arc<dyn Device>, name: &str, args: &[Value], downloads: u64) -> Outcome {
    let shapes: Vec<_> = args.iter().map(|arg| (arg.element_type(), arg.dims())).collect();
    let what = format!("{name} of {shapes:?}");
    let expected = here(name, args);
    let before = device.counters().now();
    let found = with_device(Some(Arc::clone(device)), || one(name, args))?;
    let traffic = device.counters().now().since(&before);
    assert!(traffic.launches > 0, "{what}: not on the device");
    assert!(traffic.downloads <= downloads, "{what}: {} downloads", traffic.downloads);
    let zeros = matches!(name, "mindim" | "maxdim" | "min" | "max");
    let (found, expected) = (bits(&found, zeros), bits(&expected, zeros));
    assert_eq!((&found.0, &found.1), (&expected.0, &expected.1), "{what}");
    let place = found.2.iter().zip(&expected.2).position(|(a, b)| a != b);
    match place {
        None => Ok(()),
        Some(k) => Err(format!("{what}: element {k} is {:x?}, not {:x?}", found.2[k], expected.2[k]).into()),
    }
}

const SHAPES: &[&[usize]] = &[
    &[70_001],
    &[1, 20_000],
    &[20_000, 1],
    &[9000, 3],
    &[3, 9000],
    &[700, 257],
    &[257, 513],
    &[60, 511, 7],
    &[5, 33, 600],
    &[200, 10, 40],
    &[2, 3, 16, 1000],
];

/// Sums, means, extrema and variances along each dimension and of all elements, to the last bit.
pub(crate) fn reductions(device: &Arc<dyn Device>) -> Outcome {
    for (k, dims) in SHAPES.iter().enumerate() {
        let x = numbers(Single, dims, k as u64);
        for name in ["mean", "std", "var", "any", "all"] {
            same(device, name, std::slice::from_ref(&x), 1)?;
        }
        for axis in 0..dims.len() + 2 {
            for name in ["sum", "mean", "mindim", "maxdim", "std", "var", "any", "all"] {
                same(device, name, &[x.clone(), Value::int(axis as i64)], 0)?;
            }
        }
    }
    // Stretches of a variance, and parts of sums in several passes.
    for dims in [&[3, 40_000][..], &[40_000, 3], &[16_384 * 5 + 1], &[2_100_000], &[65_000, 33]] {
        let x = numbers(Single, dims, 5);
        for axis in 0..dims.len() {
            for name in ["sum", "std", "mean", "maxdim"] {
                same(device, name, &[x.clone(), Value::int(axis as i64)], 0)?;
            }
        }
        same(device, "var", &[x], 1)?;
    }
    for ty in [UInt8, Int32, Half, Double, ComplexSingle] {
        of_type(device, ty, &["sum", "mean", "mindim", "maxdim", "std", "any"])?;
    }
    for ty in [Int8, UInt32, Int64, UInt64, ComplexDouble] {
        of_type(device, ty, &["sum", "mindim", "maxdim"])?;
    }
    Ok(())
}

/// Reductions along each dimension for elements of a type.
fn of_type(device: &Arc<dyn Device>, ty: ElementType, names: &[&str]) -> Outcome {
    for dims in [&[300, 70][..], &[70, 1000], &[70_000]] {
        let x = numbers(ty, dims, 11);
        for axis in 0..dims.len() {
            for name in names.iter().filter(|name| !ty.is_complex() || matches!(**name, "sum" | "mean")) {
                same(device, name, &[x.clone(), Value::int(axis as i64)], 0)?;
            }
        }
    }
    Ok(())
}

/// Products, NaN, infinities, zeros.
pub(crate) fn special_reductions(device: &Arc<dyn Device>) -> Outcome {
    // Powers of two: products without rounding.
    let powers: Vec<f32> = sample(60_000, 3).into_iter().map(|x| if x < 0.0 { 0.5 } else { -2.0 }).collect();
    let x = Array::from_vec(&[20, 3000], powers)?.to_value();
    let bytes = numbers(UInt8, &[500, 70], 3);
    for axis in 0..2 {
        same(device, "prod", &[x.clone(), Value::int(axis)], 0)?;
        same(device, "prod", &[bytes.clone(), Value::int(axis)], 0)?;
    }
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, -3.0];
    for pick in 1..special.len() {
        // Whole columns and rows of NaN, and of zeros.
        let elements = (0..40_000).map(|k| special[(k / 200 + k % 200 * pick) % special.len()]).collect();
        let x = Array::from_vec(&[200, 200], elements)?.to_value();
        for axis in 0..2 {
            for name in ["sum", "mean", "mindim", "maxdim", "std", "var", "any", "all"] {
                same(device, name, &[x.clone(), Value::int(axis)], 0)?;
            }
        }
        let row = Array::from_vec(&[40_000], vec![special[pick]; 40_000])?.to_value();
        for name in ["mean", "std", "any", "all"] {
            same(device, name, std::slice::from_ref(&row), 1)?;
        }
    }
    Ok(())
}

/// Repeated, reversed, shifted, permuted and joined arrays of all sizes of elements.
pub(crate) fn rearrangements(device: &Arc<dyn Device>) -> Outcome {
    let size = |dims: &[i32]| adopt(ArrayBuf::vec(dims.to_vec()).into());
    for ty in [UInt8, Half, Single, Double, ComplexDouble] {
        let x = numbers(ty, &[150, 130], 1);
        let y = numbers(ty, &[20, 30, 40], 2);
        let v = numbers(ty, &[20_000], 3);
        for name in ["fliplr", "flipud", "fftshift1", "fftshift2", "ifftshift2"] {
            same(device, name, std::slice::from_ref(&x), 0)?;
            same(device, name, std::slice::from_ref(&v), 0)?;
            same(device, name, std::slice::from_ref(&y), 0)?;
        }
        for turns in 0..5 {
            same(device, "rot90", &[x.clone(), Value::int(turns)], 0)?;
        }
        for shifts in [&[3][..], &[-7], &[1000], &[5, -9], &[1, 2, 3]] {
            same(device, "circshift", &[y.clone(), size(shifts)], 0)?;
            same(device, "circshift", &[x.clone(), size(&shifts[..shifts.len().min(2)])], 0)?;
        }
        same(device, "circshift", &[v.clone(), Value::int(77)], 0)?;
        same(device, "shuffledims", &[x.clone(), size(&[1, 0])], 0)?;
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            same(device, "shuffledims", &[y.clone(), size(&order)], 0)?;
        }
        for reps in [&[2, 3][..], &[1, 2], &[3, 1], &[2, 1, 2]] {
            same(device, "repmat", &[x.clone(), size(reps)], 0)?;
        }
        same(device, "repmat", &[v.clone(), size(&[3, 2])], 0)?;
        same(device, "repmat", &[y.clone(), size(&[2, 2, 2])], 0)?;
        let wide = numbers(ty, &[150, 77], 4);
        for name in ["horzcat", "vertcat"] {
            let other = if name == "horzcat" { &wide } else { &x };
            same(device, name, &[x.clone(), other.clone(), x.clone()], 0)?;
            same(device, name, &[v.clone(), v.clone()], 0)?;
        }
        for axis in 0..4 {
            same(device, "cat", &[Value::int(axis), y.clone(), y.clone()], 0)?;
        }
    }
    // Types that become one, empty arrays, numbers beside arrays.
    let all = [Int32, Single, UInt8, Double, ComplexSingle].map(|ty| numbers(ty, &[90, 200], 9));
    same(device, "vertcat", &all, 0)?;
    same(device, "horzcat", &all[..3], 0)?;
    let v = numbers(Single, &[20_000], 3);
    let none = adopt(ArrayBuf::vec(Vec::<f32>::new()).into());
    same(device, "horzcat", &[none, v.clone(), Value::int(5)], 0)
}

/// Elements by conditions of several types: none, all, few, many.
pub(crate) fn selections(device: &Arc<dyn Device>) -> Outcome {
    for count in [9000, 2048 * 5, 70_001] {
        for (k, part) in [-1.0, -0.4, 0.0, 0.49, 1.0].into_iter().enumerate() {
            let truths: Vec<i32> =
                sample(count, k as u64).into_iter().map(|x| i32::from(x < part) * (k as i32 + 1)).collect();
            let condition = Array::from_vec(&[count], truths.clone())?.to_value();
            for ty in [UInt8, Half, Single, ComplexDouble] {
                same(device, "selected", &[numbers(ty, &[count], 2), condition.clone()], 1)?;
            }
            let halves = truths.iter().map(|&x| f16::from_f32(x as f32)).collect();
            let condition = Array::from_vec(&[count], halves)?.to_value();
            same(device, "selected", &[numbers(Double, &[count], 2), condition], 1)?;
        }
    }
    // A matrix by its own elements: all but zeros.
    let x = Array::from_vec(&[300, 200], (0..60_000).map(|k| (k % 3) as f32).collect())?.to_value();
    same(device, "selected", &[x.clone(), x], 1)
}

/// Lines of matrices and cubes, with equal elements, NaN and zeros of both signs, with their old places and without.
pub(crate) fn sorted_lines(device: &Arc<dyn Device>) -> Outcome {
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, -3.0];
    for dims in
        [&[500, 60][..], &[60, 500], &[33, 1000], &[4096, 3], &[7, 50, 40], &[2, 4097], &[30_000, 1, 2]]
    {
        let count: usize = dims.iter().product();
        let mut elements: Vec<f32> = sample(count, 3).into_iter().map(|x| (x * 40.0) as i32 as f32).collect();
        (0..count).step_by(5).for_each(|k| elements[k] = special[k % special.len()]);
        let x = Array::from_vec(dims, elements)?.to_value();
        let integers = numbers(Int32, dims, 7);
        let doubles = numbers(Double, dims, 8);
        for (axis, &length) in dims.iter().enumerate() {
            for (x, longest) in [(&x, 4096), (&integers, 4096), (&doubles, 2048)] {
                sorted_line(device, &[x.clone(), Value::int(axis as i64)], length <= longest)?;
            }
        }
    }
    Ok(())
}

fn sorted_line(device: &Arc<dyn Device>, args: &[Value], one_launch: bool) -> Outcome {
    for results in [1, 2] {
        let sort = || quasar_runtime::library::call("sort", args, results, Single);
        let expected = with_device(None, sort)?;
        let before = device.counters().now();
        let found = with_device(Some(Arc::clone(device)), sort)?;
        let traffic = device.counters().now().since(&before);
        let what = format!("{results} of sort {:?} {args:?}", args[0].element_type());
        assert_eq!((traffic.launches == 1, traffic.downloads), (one_launch, 0), "{what}");
        assert_eq!(found.len(), expected.len());
        // The bits of all NaN and zeros, but for places where NaN are one.
        for (found, expected) in found.iter().zip(&expected) {
            assert!(bits(found, false) == bits(expected, false), "{what}");
        }
    }
    Ok(())
}

/// Medians, different elements, histograms: also of NaN, infinities and zeros of both signs.
pub(crate) fn order_statistics(device: &Arc<dyn Device>) -> Outcome {
    for ty in [Single, Double, Int32] {
        for dims in [&[70_001][..], &[70_000], &[1, 5000], &[300, 257], &[9000, 3], &[20, 30, 40]] {
            let x = numbers(ty, dims, 11);
            same(device, "median", std::slice::from_ref(&x), 2)?;
            same(device, "unique", std::slice::from_ref(&x), 1)?;
        }
    }
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, -3.0];
    let mut few: Vec<f32> = sample(60_000, 3).into_iter().map(|x| (x * 40.0) as i32 as f32).collect();
    let repeated = Array::from_vec(&[60_000], few.clone())?.to_value();
    (0..few.len()).step_by(5).for_each(|k| few[k] = special[k % special.len()]);
    let few = Array::from_vec(&[200, 300], few)?.to_value();
    let edges = |n: i32| Array::from_vec(&[n as usize], (0..n).map(|k| k as f64 - 20.0).collect());
    for ty in [Single, Double, Half, UInt8, Int32, Int64] {
        let x = numbers(ty, &[300, 257], 13);
        for bins in [1, 10, 4096, 5000] {
            same(device, "hist", &[x.clone(), Value::int(bins)], 2)?;
        }
        same(device, "histc", &[x, edges(60)?.to_value()], 2)?;
    }
    for x in [&few, &repeated] {
        same(device, "unique", std::slice::from_ref(x), 1)?;
        same(device, "histc", &[x.clone(), edges(33)?.to_value()], 2)?;
        same(device, "histc", &[x.clone(), edges(5000)?.to_value()], 2)?;
    }
    same(device, "hist", &[repeated, Value::int(16)], 2)?;
    same(device, "hist", &[few, Value::int(16)], 2)
}

/// Places of extremes, norms, sums of products, products of all pairs, positions, diagonals.
pub(crate) fn places_and_products(device: &Arc<dyn Device>) -> Outcome {
    for ty in [UInt8, Half, Single, Double, Int32] {
        for dims in [&[70_000][..], &[300, 333]] {
            let (x, y) = (numbers(ty, dims, 1), numbers(ty, dims, 2));
            // Norms are taken once more where a sum says that terms may be extreme.
            for (name, downloads) in [("argmin", 2), ("argmax", 2), ("norm", 3)] {
                same(device, name, std::slice::from_ref(&x), downloads)?;
            }
            for p in [1.0_f64, 2.0] {
                same(device, "norm", &[x.clone(), Value::Scalar(p.into())], 3)?;
            }
            same(device, "dotprod", &[x.clone(), y], 1)?;
            same(device, "dotprod", &[x, numbers(Double, dims, 2)], 1)?;
        }
        let (a, b) = (numbers(ty, &[3, 40], 1), numbers(Single, &[500, 2], 2));
        same(device, "kron", &[a.clone(), b.clone()], 0)?;
        same(device, "kron", &[b, a], 0)?;
    }
    for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0] {
        let mut elements = vec![special; 70_000];
        let all = Array::from_vec(&[70_000], elements.clone())?.to_value();
        elements[1..60_000].fill(0.5);
        let ends = Array::from_vec(&[70_000], elements)?.to_value();
        for x in [all, ends] {
            for (name, downloads) in [("argmin", 2), ("argmax", 2), ("norm", 3)] {
                same(device, name, std::slice::from_ref(&x), downloads)?;
            }
        }
    }
    let z = numbers(ComplexSingle, &[70_000], 1);
    same(device, "dotprod", &[z.clone(), z], 1)?;
    for dims in [&[60_000][..], &[300, 200], &[20, 30, 100], &[3, 4, 50, 100]] {
        let holds =
            |part: f64| sample(dims.iter().product(), 5).into_iter().map(|x| i32::from(x < part)).collect();
        for part in [-1.0, -0.3, 0.4, 1.0] {
            same(device, "find", &[Array::from_vec(dims, holds(part))?.to_value()], 1)?;
        }
    }
    same(device, "squeeze", &[numbers(Single, &[300, 1, 200], 1)], 0)?;
    same(device, "vertcat", &[numbers(Single, &[300, 200], 1)], 0)
}

/// Parts of arrays by evenly spaced positions; others are read on the processor.
pub(crate) fn slices(device: &Arc<dyn Device>) -> Outcome {
    use quasar_runtime::abi::{
        self, Boundary,
        Index::{All, At, List, Range},
        Overflow,
    };
    let access = abi::Access { name: "x", boundary: Boundary::Checked, overflow: Overflow::Checked };
    let x = numbers(Single, &[300, 400], 1);
    let cube = numbers(UInt8, &[40, 50, 60], 2);
    let range = |from, step, count| Range { from, step, count };
    let even = [
        (&x, vec![All, range(0, 1, 200)]),
        (&x, vec![range(10, 2, 140), range(399, -3, 130)]),
        (&x, vec![range(299, -1, 300), All]),
        (&x, vec![range(50, 1, 200)]),
        (&cube, vec![All, At(7), All]),
        (&cube, vec![All, All, At(59)]),
        (&cube, vec![At(39), All, range(1, 2, 30)]),
        (&cube, vec![All, range(0, 1, 1), range(59, -59, 2)]),
        (&cube, vec![List((0..40).collect()), All, All]),
    ];
    for (k, (x, indices)) in even.iter().enumerate() {
        let expected = with_device(None, || abi::load(x, indices, access))?;
        let (found, traffic) = with_device(Some(Arc::clone(device)), || {
            // Only the device has the elements.
            let copy = one("flipud", &[one("flipud", std::slice::from_ref(x))?])?;
            let before = device.counters().now();
            let found = abi::load(&copy, indices, access)?;
            Ok::<_, quasar_runtime::Error>((found, device.counters().now().since(&before)))
        })?;
        assert_eq!((traffic.launches, traffic.downloads), (1, 0), "slice {k}");
        assert!(bits(&found, false) == bits(&expected, false), "slice {k}");
    }
    let outside =
        with_device(Some(Arc::clone(device)), || abi::load(&x, &[At(300), All], access)).unwrap_err();
    assert!(outside.to_string().contains("300"), "{outside}");
    let uneven = vec![List(vec![0, 5, 6]), All];
    let found = with_device(Some(Arc::clone(device)), || abi::load(&x, &uneven, access))?;
    assert!(bits(&found, false) == bits(&abi::load(&x, &uneven, access)?, false));
    Ok(())
}

/// Small arrays that only the device has stay there; those of the host stay on the processor.
pub(crate) fn small_arrays(device: &Arc<dyn Device>) -> Outcome {
    let x = numbers(Single, &[200, 300], 1);
    let (row, before) = with_device(Some(Arc::clone(device)), || {
        let row = one("mean", &[x.clone(), Value::int(0)])?;
        let before = device.counters().now();
        Ok::<_, quasar_runtime::Error>((one("fliplr", &[row])?, before))
    })?;
    let traffic = device.counters().now().since(&before);
    assert_eq!((traffic.launches, traffic.downloads, traffic.uploads), (1, 0, 0));
    let expected = here("fliplr", &[here("mean", &[x, Value::int(0)])]);
    assert_eq!(bits(&row, false), bits(&expected, false));
    let small = numbers(Single, &[20, 30], 1);
    let before = device.counters().now();
    with_device(Some(Arc::clone(device)), || one("mean", &[small, Value::int(0)]))?;
    assert_eq!(device.counters().now().since(&before).launches, 0);
    Ok(())
}
