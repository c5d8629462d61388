//! The results of the parts of a launch on all ranks become one, in the order of the ranks, and so do errors: that of the first rank
//! where a position failed is the error of all.

use super::world::World;
use crate::error::{Error, Result};
use crate::kernel::offload::{DeviceKernel, Found};
use quasar_devicelib::element::{Element, ElementType, Scalar};
use quasar_devicelib::kernel::{Fault, FaultKind, Report};

/// The reductions of a part of a launch, as bytes for other ranks.
pub trait Sums: Sized {
    /// Adds them to a message.
    fn pack(&self, to: &mut Vec<u8>);
    /// Takes them from the front of a message.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

impl Sums for () {
    fn pack(&self, _to: &mut Vec<u8>) {}

    fn unpack(_from: &mut &[u8]) -> Option<()> {
        Some(())
    }
}

impl<T: Element, S: Sums> Sums for (T, S) {
    fn pack(&self, to: &mut Vec<u8>) {
        pack(self.0.to_scalar(), to);
        self.1.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Option<(T, S)> {
        let (bytes, rest) = from.split_at_checked(T::TYPE.size())?;
        *from = rest;
        let first = T::from_scalar(unpack(T::TYPE, bytes)?)?;
        Some((first, S::unpack(from)?))
    }
}

macro_rules! numbers {
    ($($variant:ident $element:ident $rust:ty;)*) => {
        fn pack(number: Scalar, to: &mut Vec<u8>) {
            match number {
                $(Scalar::$variant(x) => to.extend(x.to_ne_bytes()),)*
                Scalar::C32(x) => [x.re, x.im].iter().for_each(|x| to.extend(x.to_ne_bytes())),
                Scalar::C64(x) => [x.re, x.im].iter().for_each(|x| to.extend(x.to_ne_bytes())),
            }
        }

        fn unpack(element: ElementType, bytes: &[u8]) -> Option<Scalar> {
            Some(match element {
                $(ElementType::$element => Scalar::$variant(<$rust>::from_ne_bytes(bytes.try_into().ok()?)),)*
                ElementType::ComplexSingle => {
                    let part = |k: usize| Some(f32::from_ne_bytes(bytes.get(k..k + 4)?.try_into().ok()?));
                    Scalar::C32(num_complex::Complex::new(part(0)?, part(4)?))
                }
                ElementType::ComplexDouble => {
                    let part = |k: usize| Some(f64::from_ne_bytes(bytes.get(k..k + 8)?.try_into().ok()?));
                    Scalar::C64(num_complex::Complex::new(part(0)?, part(8)?))
                }
            })
        }
    };
}
numbers! {
    I8 Int8 i8; I16 Int16 i16; I32 Int32 i32; I64 Int64 i64;
    U8 UInt8 u8; U16 UInt16 u16; U32 UInt32 u32; U64 UInt64 u64;
    F16 Half half::f16; F32 Single f32; F64 Double f64;
}

/// The reductions of all ranks, merged in their order, and the error of the first rank that has one.
pub(super) fn of_all<S: Sums>(
    world: &World,
    own: S,
    fault: Fault,
    merge: impl Fn(S, S) -> S,
) -> Result<(S, Fault)> {
    let mut message = Vec::new();
    own.pack(&mut message);
    let is_set = fault.is_set();
    if is_set {
        fault.into_report().iter().for_each(|report| pack_report(report, &mut message));
    }
    let all = world.all_gather("reductions", &message)?;
    let mut merged: Option<S> = None;
    let found = Fault::new();
    for message in &all {
        let mut rest = message.as_slice();
        let part = S::unpack(&mut rest).ok_or_else(broken)?;
        merged = Some(match merged.take() {
            Some(before) => merge(before, part),
            None => part,
        });
        if !rest.is_empty() {
            let Report { kind, subject, line } = unpack_report(rest).ok_or_else(broken)?;
            found.raise((subject, line), kind);
        }
    }
    Ok((merged.unwrap_or(own), found))
}

/// As [`of_all`], for the reductions of a kernel on devices.
pub(super) fn scalars_of_all(
    world: &World,
    kernel: &'static DeviceKernel,
    own: &[Scalar],
    error: Option<Error>,
) -> Result<Found> {
    let mut message = Vec::new();
    own.iter().for_each(|number| pack(*number, &mut message));
    let numbers = message.len();
    message.extend(error.iter().flat_map(|error| error.to_string().into_bytes()));
    let mut merged: Option<Vec<Scalar>> = None;
    for (rank, message) in world.all_gather("reductions", &message)?.iter().enumerate() {
        let (front, text) = message.split_at_checked(numbers).ok_or_else(broken)?;
        if !text.is_empty() {
            let text = String::from_utf8_lossy(text);
            return Err(error.unwrap_or_else(|| Error::system(format!("rank {rank}: {text}"))));
        }
        let mut rest = front;
        let number = |ty: ElementType| {
            let (bytes, behind) = rest.split_at_checked(ty.size())?;
            rest = behind;
            unpack(ty, bytes)
        };
        let part: Vec<Scalar> = Found::types(kernel).map_while(number).collect();
        merged = Some(match merged {
            Some(before) => Found::merged(kernel, before, &part).scalars(),
            None => part,
        });
    }
    Ok(Found::of(merged.unwrap_or_default()))
}

fn broken() -> Error {
    Error::system("what another rank has sent is no result of this launch")
}

fn pack_text(text: &str, to: &mut Vec<u8>) {
    to.extend((text.len() as u32).to_ne_bytes());
    to.extend(text.as_bytes());
}

fn pack_integers(list: &[i32], to: &mut Vec<u8>) {
    to.extend((list.len() as u32).to_ne_bytes());
    list.iter().for_each(|n| to.extend(n.to_ne_bytes()));
}

fn pack_report(report: &Report, to: &mut Vec<u8>) {
    to.extend(report.line.to_ne_bytes());
    pack_text(report.subject, to);
    let (code, text) = match &report.kind {
        FaultKind::OutOfBounds { index, dims } => {
            to.push(0);
            pack_integers(index, to);
            return pack_integers(dims, to);
        }
        FaultKind::Assertion(text) => (1, text),
        FaultKind::Error(text) => (2, text),
        FaultKind::Overflow(text) => (3, text),
        FaultKind::Size(text) => (4, text),
        FaultKind::Argument(text) => (5, text),
        FaultKind::Unset(text) => (6, text),
        FaultKind::System(text) => (7, text),
    };
    to.push(code);
    pack_text(text, to);
}

/// Reads what [`pack_report`] wrote.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(front)
    }

    fn number(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_ne_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let n = self.number()? as usize;
        String::from_utf8(self.bytes(n)?.to_vec()).ok()
    }

    fn integers(&mut self) -> Option<Vec<i32>> {
        let n = self.number()?;
        #[allow(clippy::cast_possible_wrap, reason = "the bits of an `i32`")]
        (0..n).map(|_| self.number().map(|n| n as i32)).collect()
    }
}

fn unpack_report(from: &[u8]) -> Option<Report> {
    let mut reader = Reader(from);
    let line = reader.number()?;
    // Names of arrays are those of the program, so that only few differ.
    let subject: &'static str = String::leak(reader.text()?);
    let code = *reader.bytes(1)?.first()?;
    let kind = match code {
        0 => FaultKind::OutOfBounds { index: reader.integers()?, dims: reader.integers()? },
        1 => FaultKind::Assertion(reader.text()?),
        2 => FaultKind::Error(reader.text()?),
        3 => FaultKind::Overflow(reader.text()?),
        4 => FaultKind::Size(reader.text()?),
        5 => FaultKind::Argument(reader.text()?),
        6 => FaultKind::Unset(reader.text()?),
        7 => FaultKind::System(reader.text()?),
        _ => return None,
    };
    Some(Report { kind, subject, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_as_they_were() {
        let sums = (1.5_f32, (-3_i32, (num_complex::Complex::new(2.0_f64, -1.0), ())));
        let mut bytes = Vec::new();
        sums.pack(&mut bytes);
        assert_eq!(Sums::unpack(&mut &*bytes), Some(sums));
        assert_eq!(<(f64, ())>::unpack(&mut &bytes[..4]), None);
    }

    #[test]
    fn errors_come_back_as_they_were() {
        let kinds = [
            FaultKind::OutOfBounds { index: vec![-1, 7], dims: vec![3, 4] },
            FaultKind::Assertion("x > 0".into()),
            FaultKind::Size(String::new()),
        ];
        for kind in kinds {
            let report = Report { kind, subject: "x", line: 12 };
            let mut bytes = Vec::new();
            pack_report(&report, &mut bytes);
            assert_eq!(unpack_report(&bytes), Some(report));
            assert_eq!(unpack_report(&bytes[..bytes.len() - 1]), None);
        }
    }
}
