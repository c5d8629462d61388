//! FFTs and matrix products of the fake device, by definition and in double precision.

use super::accel_libraries::{Direction, Elements, Product, Transform};
use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use std::f64::consts::TAU;

type Number = Complex<f64>;

/// Decodes real or complex numbers of single or double precision.
fn decode(bytes: &[u8], double: bool, complex: bool) -> Vec<Number> {
    let number = |bytes: &[u8]| match (<[u8; 8]>::try_from(bytes), <[u8; 4]>::try_from(bytes)) {
        (Ok(bytes), _) => f64::from_ne_bytes(bytes),
        (_, Ok(bytes)) => f64::from(f32::from_ne_bytes(bytes)),
        _ => 0.0,
    };
    let reals: Vec<f64> = bytes.chunks_exact(if double { 8 } else { 4 }).map(number).collect();
    match complex {
        true => reals.as_chunks().0.iter().map(|&[re, im]| Number::new(re, im)).collect(),
        false => reals.into_iter().map(Number::from).collect(),
    }
}

fn encode(numbers: &[Number], double: bool, complex: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for z in numbers {
        for x in [Some(z.re), complex.then_some(z.im)].into_iter().flatten() {
            if double {
                bytes.extend(x.to_ne_bytes());
            } else {
                bytes.extend((x as f32).to_ne_bytes());
            }
        }
    }
    bytes
}

/// An element; zero beyond the end.
fn at(numbers: &[Number], place: usize) -> Number {
    numbers.get(place).copied().unwrap_or_default()
}

/// The FFT of these bytes.
pub fn transform(transform: &Transform, direction: Direction, from: &[u8]) -> Vec<u8> {
    let double = transform.double();
    let mut whole = match transform.elements() {
        Elements::Complex => decode(from, double, true),
        Elements::RealToHalf => decode(from, double, false),
        Elements::HalfToReal => complete(transform, &decode(from, double, true)),
    };
    let extents = transform.extents();
    let mut inner = transform.inner();
    for &n in extents.iter().rev() {
        whole = along(&whole, n, inner, direction);
        inner *= n;
    }
    match transform.elements() {
        Elements::Complex => encode(&whole, double, true),
        Elements::HalfToReal => encode(&whole, double, false),
        Elements::RealToHalf => {
            let (long, short) = (transform.last() * transform.inner(), transform.half() * transform.inner());
            let half: Vec<Number> =
                whole.chunks(long).flat_map(|line| line.iter().take(short)).copied().collect();
            encode(&half, double, true)
        }
    }
}

/// Reconstructs the full spectrum of real data from its first half.
fn complete(transform: &Transform, half: &[Number]) -> Vec<Number> {
    let (inner, last, short) = (transform.inner(), transform.last(), transform.half());
    let others = transform.extents().split_last().map_or(&[][..], |(_, others)| others);
    let mut whole = Vec::new();
    for line in 0..transform.lines() {
        // The line with the negated frequencies, digit by digit of the mixed-radix line number.
        let (mut rest, mut mirrored, mut weight) = (line, 0, 1);
        for &n in others.iter().rev() {
            mirrored += (n - rest % n) % n * weight;
            (rest, weight) = (rest / n, weight * n);
        }
        mirrored += rest * weight;
        for (j, i) in (0..last).flat_map(|j| (0..inner).map(move |i| (j, i))) {
            whole.push(match j < short {
                true => at(half, (line * short + j) * inner + i),
                false => at(half, (mirrored * short + last - j) * inner + i).conj(),
            });
        }
    }
    whole
}

fn along(data: &[Number], n: usize, inner: usize, direction: Direction) -> Vec<Number> {
    let turn = if direction == Direction::Forward { -TAU } else { TAU } / n as f64;
    let turns: Vec<Number> = (0..n).map(|k| Number::from_polar(1.0, turn * k as f64)).collect();
    let element = |place: usize| {
        let k = place / inner % n;
        let start = place - k * inner;
        (0..n).map(|j| at(data, start + j * inner) * at(&turns, j * k % n)).sum()
    };
    (0..data.len()).map(element).collect()
}

/// The product of these matrices.
pub fn multiply(product: &Product, a: &[u8], b: &[u8]) -> Vec<u8> {
    let [m, k, n] = product.extents();
    let element = product.element();
    let double = matches!(element, ElementType::Double | ElementType::ComplexDouble);
    let complex = element.is_complex();
    let (a, b) = (decode(a, double, complex), decode(b, double, complex));
    let [of_a, of_b] = product.turned();
    let first = |i: usize, j: usize| at(&a, if of_a { j * m + i } else { i * k + j });
    let second = |j: usize, i: usize| at(&b, if of_b { i * k + j } else { j * n + i });
    let sum = |place: usize| (0..k).map(|j| first(place / n, j) * second(j, place % n)).sum();
    let c: Vec<Number> = (0..m * n).map(sum).collect();
    encode(&c, double, complex)
}
