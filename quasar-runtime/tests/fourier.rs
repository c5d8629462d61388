//! Fourier transforms against the definition.

use num_complex::Complex;
use quasar_devicelib::element::{Element, ElementType};
use quasar_devicelib::value::ArrayElement;
use quasar_runtime::library::call;
use quasar_runtime::{Array, Value};
use std::f64::consts::TAU;

fn one(name: &str, arg: Value) -> Value {
    call(name, &[arg], 1, ElementType::Single).unwrap().remove(0)
}

fn back<T: ArrayElement>(value: Value) -> Array<T> {
    Array::from_value(value).unwrap()
}

/// Numbers without a pattern.
fn sample(count: usize) -> Vec<Complex<f64>> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    (0..count).map(|_| Complex::new(next(), next())).collect()
}

/// The definition along one axis.
fn direct(data: &[Complex<f64>], dims: &[usize], axis: usize) -> Vec<Complex<f64>> {
    let n = dims[axis];
    let inner: usize = dims[axis + 1..].iter().product();
    (0..data.len())
        .map(|position| {
            let k = position / inner % n;
            let start = position - k * inner;
            (0..n)
                .map(|j| {
                    data[start + j * inner] * Complex::from_polar(1.0, -TAU * (j * k % n) as f64 / n as f64)
                })
                .sum()
        })
        .collect()
}

fn assert_close(found: &[Complex<f64>], expected: &[Complex<f64>], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).norm() <= tolerance, "element {i}: {a} instead of {b}");
    }
}

#[test]
fn transforms_follow_the_definition() {
    let sizes: &[&[usize]] =
        &[&[1], &[7], &[64], &[3, 5], &[17, 40], &[6, 10, 3], &[33, 20, 4], &[4, 3, 5, 2], &[90, 70]];
    for dims in sizes {
        let data = sample(dims.iter().product());
        let rank = dims.len();
        let axes = [("fft1", rank - 1..rank), ("fft2", 0..rank.min(2)), ("fft3", 0..rank.min(3))];
        for (name, axes) in axes {
            let a = Array::from_slice(dims, &data).unwrap();
            let spectrum = back::<Complex<f64>>(one(name, a.to_value()));
            let expected = axes.fold(data.clone(), |data, axis| direct(&data, dims, axis));
            assert_eq!(spectrum.dims(), *dims);
            assert_close(&spectrum.read(), &expected, 1e-9);
            let restored = back::<Complex<f64>>(one(&format!("i{name}"), spectrum.to_value()));
            assert_close(&restored.read(), &data, 1e-12);
            assert_close(&a.read(), &data, 0.0);
        }
    }
}

/// Every extent even and odd, single rows, channels, and so many elements that threads share them.
const SIZES: &[&[usize]] = &[
    &[1],
    &[8],
    &[1, 1],
    &[1, 9],
    &[9, 1],
    &[2, 2],
    &[3, 5],
    &[17, 40],
    &[40, 17],
    &[6, 10, 3],
    &[7, 9, 3],
    &[1, 10, 1],
    &[5, 1, 4],
    &[33, 20, 40],
    &[4, 3, 5, 2],
    &[90, 70],
    &[300, 64],
];

#[test]
fn real_numbers_have_the_spectrum_of_complex_ones() {
    for dims in SIZES {
        let data = sample(dims.iter().product());
        let real: Vec<f64> = data.iter().map(|x| x.re).collect();
        let complex: Vec<_> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
        let [a, b] = [
            Array::from_slice(dims, &real).unwrap().to_value(),
            Array::from_slice(dims, &complex).unwrap().to_value(),
        ];
        for name in ["fft1", "fft2", "fft3", "ifft1", "ifft2", "ifft3"] {
            let found = back::<Complex<f64>>(one(name, a.clone()));
            assert_eq!(found.dims(), *dims, "{name}");
            assert_close(&found.read(), &back::<Complex<f64>>(one(name, b.clone())).read(), 1e-9);
        }
    }
}

#[test]
fn the_real_part_of_any_spectrum_is_that_of_its_inverse() {
    for dims in SIZES {
        let data = sample(dims.iter().product());
        let real: Vec<f64> = data.iter().map(|x| x.re).collect();
        for value in [
            Array::from_slice(dims, &data).unwrap().to_value(),
            Array::from_slice(dims, &real).unwrap().to_value(),
        ] {
            for k in 1..=3 {
                let whole = back::<Complex<f64>>(one(&format!("ifft{k}"), value.clone()));
                let expected: Vec<_> = whole.read().iter().map(|x| Complex::new(x.re, 0.0)).collect();
                let found = back::<f64>(one(&format!("irealfft{k}"), value.clone()));
                assert_eq!(found.dims(), *dims);
                let found: Vec<_> = found.read().iter().map(|x| Complex::new(*x, 0.0)).collect();
                assert_close(&found, &expected, 1e-9);
            }
        }
    }
}

#[test]
fn integers_are_real_numbers() {
    let bytes: Vec<u8> = (0..60u8).map(|k| k.wrapping_mul(37)).collect();
    let floats: Vec<f32> = bytes.iter().map(|x| f32::from(*x)).collect();
    let found = back::<Complex<f32>>(one("fft2", Array::from_vec(&[6, 10], bytes).unwrap().to_value()));
    let expected = back::<Complex<f32>>(one("fft2", Array::from_vec(&[6, 10], floats).unwrap().to_value()));
    assert_eq!(found.to_vec(), expected.to_vec());
}

/// Lines that are transforms of their own do not see each other.
#[test]
fn what_is_not_a_number_stays_in_its_transform() {
    let mut rows = vec![1.0f32; 6 * 8];
    rows[8] = f32::NAN;
    let found = back::<Complex<f32>>(one("fft1", Array::from_vec(&[6, 8], rows).unwrap().to_value()));
    for (k, x) in found.read().iter().enumerate() {
        assert_eq!(x.is_nan(), k / 8 == 1, "element {k}");
    }
    let mut channels = vec![1.0f32; 4 * 6 * 3];
    channels[1] = f32::INFINITY;
    let found = back::<Complex<f32>>(one("fft2", Array::from_vec(&[4, 6, 3], channels).unwrap().to_value()));
    for (k, x) in found.read().iter().enumerate() {
        assert_eq!(x.is_finite(), k % 3 != 1, "element {k}");
    }
}

#[test]
fn large_transforms_run_in_parallel_with_the_same_result() {
    let dims = [256, 192, 3];
    let data = sample(dims.iter().product());
    let a = Array::from_slice(&dims, &data).unwrap();
    let spectrum = back::<Complex<f64>>(one("fft2", a.to_value()));
    let expected = (0..2).fold(data, |data, axis| direct(&data, &dims, axis));
    assert_close(&spectrum.read(), &expected, 1e-8);
}

#[test]
fn real_transforms_return_what_they_say() {
    let data: Vec<f32> = sample(12 * 10).iter().map(|x| x.re as f32).collect();
    let a = Array::from_vec(&[12, 10], data.clone()).unwrap();
    for k in 1..=3 {
        let spectrum = one(&format!("realfft{k}"), a.to_value());
        assert_eq!(spectrum.element_type(), Some(ElementType::ComplexSingle));
        let restored = back::<f32>(one(&format!("irealfft{k}"), spectrum));
        assert_eq!(restored.dims(), [12, 10]);
        for (x, y) in restored.read().iter().zip(&data) {
            assert!((x - y).abs() < 1e-6);
        }
    }
}

#[test]
fn the_precision_follows_the_argument() {
    fn result<T: ArrayElement>(x: T, working: ElementType) -> Option<ElementType> {
        let a = Array::from_vec(&[4], vec![x; 4]).unwrap();
        call("fft1", &[a.to_value()], 1, working).unwrap()[0].element_type()
    }
    assert_eq!(result(1u8, ElementType::Single), Some(ElementType::ComplexSingle));
    assert_eq!(result(1u8, ElementType::Double), Some(ElementType::ComplexDouble));
    assert_eq!(result(1.0f64, ElementType::Single), Some(ElementType::ComplexDouble));
    assert_eq!(result(half::f16::ONE, ElementType::Single), Some(ElementType::ComplexSingle));
}

#[test]
fn odd_arguments_are_handled() {
    let empty = Array::<f32>::zeros(&[0, 3]).unwrap();
    assert_eq!(one("fft2", empty.to_value()).dims(), [0, 3]);
    let error = call("fft2", &[Value::from("x")], 1, ElementType::Single).unwrap_err();
    assert_eq!(error.to_string(), "fft2: argument 1 must be an array of numbers, found string");
    assert!(call("ifft1", &[], 1, ElementType::Single).is_err());
    let scalar = back::<Complex<f32>>(one("fft1", Value::Scalar(2.0f32.to_scalar())));
    assert_eq!(scalar.to_vec(), [Complex::new(2.0, 0.0)]);
}
