//! Random arguments of tests: how they are drawn, made simpler, and written.

use num_complex::Complex;
use quasar_core::types::{ElementType, Overflow, Rank, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::convert::convert_scalar;
use quasar_devicelib::value::{ArrayBuf, ArrayData, Value, ValueError};

/// The largest extent of arrays.
const EXTENT: u64 = 8;
/// The largest number. Small ones meet conditions more often, and are read more easily.
const LARGEST: u64 = 100;

/// A source of random numbers (SplitMix64), the same everywhere.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// What a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(ElementType),
    Text,
    /// Extents that are given by the type are fixed.
    Array(ElementType, Vec<Option<usize>>),
}

impl Kind {
    /// The kind of a type; `None` if no arguments can be drawn for it.
    pub(super) fn of(ty: &Type) -> Option<Kind> {
        match ty {
            Type::Scalar(element, _) => Some(Kind::Number(*element)),
            Type::Text => Some(Kind::Text),
            Type::Array(array) => {
                let Type::Scalar(element, overflow) = *array.element else { return None };
                let sizes = match array.rank {
                    Rank::Any => vec![None; 2],
                    Rank::Known(_) => array.sizes.iter().map(|size| size.map(|n| n as usize)).collect(),
                };
                (overflow != Overflow::Truth).then_some(Kind::Array(element, sizes))
            }
            _ => None,
        }
    }
}

/// An argument. Numbers are pairs of a real and an imaginary part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sample {
    Number([f64; 2]),
    Text(String),
    Array(Vec<usize>, Vec<[f64; 2]>),
}

/// Arguments for parameters of these kinds. `progress` between 0 and 1 says how large they may be.
pub(super) fn draw(kinds: &[Kind], random: &mut Random, progress: f64) -> Vec<Sample> {
    let up_to = |largest: u64| 1 + (progress * (largest - 1) as f64).round() as u64;
    let common: Vec<usize> =
        (0..16).map(|_| random.below(up_to(EXTENT) + 1) as usize).map(|n| n.max(1)).collect();
    // Arrays of one size are drawn more often than they would be by chance: most functions of several want them.
    let alike = random.below(4) > 0;
    let mut draw_one = |kind: &Kind| match kind {
        Kind::Number(element) => Sample::Number(number(*element, up_to(LARGEST), random)),
        Kind::Text => {
            let length = random.below(up_to(EXTENT) + 1);
            let letters: Vec<char> = "abcXYZ019 _-.,/é".chars().collect();
            Sample::Text(
                (0..length).filter_map(|_| letters.get(random.below(16) as usize).copied()).collect(),
            )
        }
        Kind::Array(element, sizes) => {
            let own = |random: &mut Random| random.below(up_to(EXTENT) + 1) as usize;
            let extents = sizes.iter().zip(&common).map(|(size, &common)| match size {
                Some(n) => *n,
                None if alike => common,
                None => own(random),
            });
            let extents: Vec<usize> = extents.collect();
            let count = extents.iter().product();
            let elements = (0..count).map(|_| number(*element, up_to(LARGEST), random)).collect();
            Sample::Array(extents, elements)
        }
    };
    kinds.iter().map(&mut draw_one).collect()
}

/// A number: often one at which functions change, otherwise any up to `largest`.
fn number(element: ElementType, largest: u64, random: &mut Random) -> [f64; 2] {
    let mut part = || {
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let x = match random.below(8) {
            0 => 0.0,
            1 => 1.0,
            2..=4 => random.below(largest + 1) as f64,
            5 | 6 if !element.is_integer() => random.below(4 * largest + 1) as f64 / 4.0,
            _ => f64::from((random.below(1 << 20) as f32 / (1 << 20) as f32) * largest as f32),
        };
        sign * if element.is_integer() { x.round() } else { x }
    };
    let re = if is_unsigned(element) { part().abs() } else { part() };
    [re, if element.is_complex() { part() } else { 0.0 }]
}

fn is_unsigned(element: ElementType) -> bool {
    matches!(element, ElementType::UInt8 | ElementType::UInt16 | ElementType::UInt32 | ElementType::UInt64)
}

/// A fresh value, since a test may change the elements of its arguments.
pub(super) fn value(kind: &Kind, sample: &Sample) -> Result<Value, ValueError> {
    match (kind, sample) {
        (Kind::Number(element), Sample::Number(x)) => Ok(Value::Scalar(scalar(*element, *x)?)),
        (Kind::Array(element, _), Sample::Array(extents, elements)) => {
            let elements: Vec<Scalar> =
                elements.iter().map(|x| scalar(*element, *x)).collect::<Result<_, _>>()?;
            let data = ArrayData::from_scalars(*element, &elements)?;
            Ok(ArrayBuf::new(extents.clone(), data)?.into())
        }
        (_, Sample::Text(text)) => Ok(Value::from(&text[..])),
        _ => Ok(Value::Unit),
    }
}

fn scalar(element: ElementType, [re, im]: [f64; 2]) -> Result<Scalar, ValueError> {
    match element {
        ElementType::ComplexSingle => Ok(Scalar::C32(Complex::new(re as f32, im as f32))),
        ElementType::ComplexDouble => Ok(Scalar::C64(Complex::new(re, im))),
        _ => convert_scalar(Scalar::F64(re), element, Overflow::Saturate),
    }
}

/// Simpler arguments, the simplest first.
pub(super) fn simpler(kinds: &[Kind], samples: &[Sample]) -> Vec<Vec<Sample>> {
    let mut found = shorter_together(kinds, samples);
    for (k, (kind, sample)) in kinds.iter().zip(samples).enumerate() {
        let simpler = match (kind, sample) {
            (_, Sample::Number(x)) => simpler_numbers(*x).into_iter().map(Sample::Number).collect(),
            (_, Sample::Text(text)) => shorter_texts(text),
            (Kind::Array(_, sizes), Sample::Array(extents, elements)) => {
                simpler_arrays(sizes, extents, elements)
            }
            _ => Vec::new(),
        };
        found.extend(simpler.into_iter().map(|sample| {
            let mut samples = samples.to_vec();
            samples[k] = sample;
            samples
        }));
    }
    found
}

/// Nearer to 0, whole, positive.
fn simpler_numbers(x: [f64; 2]) -> Vec<[f64; 2]> {
    let part = |x: f64| -> Vec<f64> {
        let nearer = if x.fract() == 0.0 { x - x.signum() } else { x.trunc() };
        let found = [0.0, x.abs(), x.trunc(), (x / 2.0).trunc(), nearer];
        let is_simpler = |y: &f64| y.abs() < x.abs() || (*y > 0.0 && x < 0.0);
        found.into_iter().filter(is_simpler).collect()
    };
    let real = part(x[0]).into_iter().map(|re| [re, x[1]]);
    real.chain(part(x[1]).into_iter().map(|im| [x[0], im])).collect()
}

fn shorter_texts(text: &str) -> Vec<Sample> {
    let letters: Vec<char> = text.chars().collect();
    let without = |k: usize| letters.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, c)| *c).collect();
    (0..letters.len()).map(|k| Sample::Text(without(k))).collect()
}

/// Without one row, column, .. of all arrays that have the same number of them, so that they still fit each other.
fn shorter_together(kinds: &[Kind], samples: &[Sample]) -> Vec<Vec<Sample>> {
    let extent = |k: usize, dim: usize| match (&kinds[k], &samples[k]) {
        (Kind::Array(_, sizes), Sample::Array(extents, _)) if sizes.get(dim) == Some(&None) => {
            extents.get(dim).copied()
        }
        _ => None,
    };
    let mut found = Vec::new();
    for dim in 0..16 {
        let Some(most) = (0..samples.len()).filter_map(|k| extent(k, dim)).max() else { continue };
        for at in 0..most {
            let shorter = samples.iter().enumerate().map(|(k, sample)| match sample {
                Sample::Array(extents, elements) if extent(k, dim) == Some(most) => {
                    without(extents, elements, dim, at)
                }
                other => other.clone(),
            });
            found.push(shorter.collect());
        }
    }
    found
}

fn simpler_arrays(sizes: &[Option<usize>], extents: &[usize], elements: &[[f64; 2]]) -> Vec<Sample> {
    let mut found = Vec::new();
    for (dim, _) in sizes.iter().enumerate().filter(|(_, size)| size.is_none()) {
        found.extend((0..extents[dim]).map(|at| without(extents, elements, dim, at)));
    }
    if elements.iter().any(|x| *x != [0.0; 2]) {
        found.push(Sample::Array(extents.to_vec(), vec![[0.0; 2]; elements.len()]));
    }
    for (k, x) in elements.iter().enumerate() {
        found.extend(simpler_numbers(*x).into_iter().map(|x| {
            let mut elements = elements.to_vec();
            elements[k] = x;
            Sample::Array(extents.to_vec(), elements)
        }));
    }
    found
}

/// An array without the elements whose index in a dimension is `at`.
fn without(extents: &[usize], elements: &[[f64; 2]], dim: usize, at: usize) -> Sample {
    let inner: usize = extents.iter().skip(dim + 1).product();
    let index = |k: usize| k / inner.max(1) % extents[dim];
    let kept = elements.iter().enumerate().filter(|(k, _)| index(*k) != at).map(|(_, x)| *x).collect();
    let mut extents = extents.to_vec();
    extents[dim] -= 1;
    Sample::Array(extents, kept)
}

/// The argument as a program would write it.
pub(super) fn written(kind: &Kind, sample: &Sample) -> String {
    match (kind, sample) {
        (Kind::Number(element), Sample::Number(x)) => written_number(*element, *x),
        (_, Sample::Text(text)) => format!("\"{}\"", text.replace('"', "\"\"")),
        (Kind::Array(element, _), Sample::Array(extents, elements)) => {
            if elements.is_empty() {
                let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
                return format!("zeros({})", extents.join(","));
            }
            let texts: Vec<String> = elements.iter().map(|x| written_number(*element, *x)).collect();
            nested(extents, &texts)
        }
        _ => String::new(),
    }
}

fn nested(extents: &[usize], elements: &[String]) -> String {
    match extents {
        [] | [_] => format!("[{}]", elements.join(",")),
        [_, rest @ ..] => {
            let parts = elements.chunks(rest.iter().product::<usize>().max(1));
            let parts: Vec<String> = parts.map(|part| nested(rest, part)).collect();
            format!("[{}]", parts.join(","))
        }
    }
}

fn written_number(element: ElementType, [re, im]: [f64; 2]) -> String {
    let single = matches!(element, ElementType::Half | ElementType::Single | ElementType::ComplexSingle);
    // No number is written as -0.
    let part = |x: f64| if single { format!("{}", x as f32 + 0.0) } else { format!("{}", x + 0.0) };
    match element.is_complex() {
        true => format!("complex({},{})", part(re), part(im)),
        false => part(re),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simpler_samples_come_to_an_end() {
        let kinds = [Kind::Number(ElementType::Single), Kind::Array(ElementType::Int32, vec![None, Some(2)])];
        let mut samples = draw(&kinds, &mut Random(3), 1.0);
        let mut steps = 0;
        while let Some(next) = simpler(&kinds, &samples).pop() {
            samples = next;
            steps += 1;
            assert!(steps < 10_000);
        }
        assert_eq!(samples, [Sample::Number([0.0; 2]), Sample::Array(vec![0, 2], Vec::new())]);
    }

    #[test]
    fn arrays_lose_rows_and_columns() {
        let elements: Vec<[f64; 2]> = (0..6).map(|k| [f64::from(k), 0.0]).collect();
        let kind = Kind::Array(ElementType::Int32, vec![None, None]);
        assert_eq!(written(&kind, &without(&[2, 3], &elements, 1, 1)), "[[0,2],[3,5]]");
        assert_eq!(written(&kind, &without(&[2, 3], &elements, 0, 0)), "[[3,4,5]]");
    }
}
