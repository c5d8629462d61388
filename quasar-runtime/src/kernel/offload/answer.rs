//! Decoding of what kernels write for the host: results as raw bytes, and error records with their messages.

use super::{DeviceKernel, Part, Site};
use crate::error::{Error, Place};
use quasar_devicelib::device_text::FaultRecord;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::kernel::{FaultKind, Report, shown_scalars};
use quasar_devicelib::ops::said;
use quasar_devicelib::value::format;

/// The error that a kernel raised on the CPU.
pub(crate) fn kernel_error(report: Report, kernel: &'static str, file: &'static str) -> Error {
    let error = match report.kind {
        FaultKind::OutOfBounds { index, dims } => {
            let index: Vec<i64> = index.into_iter().map(i64::from).collect();
            let dims: Vec<usize> = dims.into_iter().map(|n| n.max(0) as usize).collect();
            Error::out_of_bounds(report.subject, &index, &dims)
        }
        FaultKind::Assertion(text) => Error::assertion(text),
        FaultKind::Error(text) => Error::user(text),
        FaultKind::Overflow(text) => Error::integer_overflow(text),
        FaultKind::Argument(text) => Error::argument(text),
        FaultKind::Size(text) => Error::size_mismatch(text),
        FaultKind::Unset(text) => Error::unset(text),
        FaultKind::System(text) => Error::system(text),
    };
    error.at(Place::new(kernel, file, report.line))
}

/// The error in a record that a kernel wrote on a device. `place` is the kernel's name and file.
pub(crate) fn fault_error(
    kernel: &DeviceKernel,
    record: &FaultRecord,
    place: (&'static str, &'static str),
) -> Error {
    let site = usize::try_from(record.site).ok().and_then(|k| kernel.form.sites.get(k));
    let Site { subject, line, message } =
        site.copied().unwrap_or(Site { subject: "", line: 0, message: &[] });
    let rank = usize::try_from(record.rank).unwrap_or(0).min(record.index.len());
    let kind = match record.kind {
        FaultRecord::OUT_OF_BOUNDS => FaultKind::OutOfBounds {
            index: record.index.get(..rank).unwrap_or_default().to_vec(),
            dims: record.dims.get(..rank).unwrap_or_default().to_vec(),
        },
        FaultRecord::ASSERTION => FaultKind::Assertion(text(message, &record.values)),
        FaultRecord::OVERFLOW => FaultKind::Overflow(text_with(message, &record.values, said)),
        FaultRecord::ARGUMENT => FaultKind::Argument(text(message, &record.values)),
        FaultRecord::SIZE => FaultKind::Size(text(message, &record.values)),
        FaultRecord::UNSET => FaultKind::Unset(text(message, &record.values)),
        _ => FaultKind::Error(text(message, &record.values)),
    };
    kernel_error(Report { kind, subject, line }, place.0, place.1)
}

/// Decodes a number from its memory layout.
pub(super) fn number(bytes: &[u8], ty: ElementType) -> Scalar {
    fn read<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.get(..N).and_then(|b| b.try_into().ok()).unwrap_or([0; N])
    }
    let half = |k: usize| bytes.get(k..).unwrap_or_default();
    match ty {
        ElementType::Int8 => Scalar::I8(i8::from_ne_bytes(read(bytes))),
        ElementType::Int16 => Scalar::I16(i16::from_ne_bytes(read(bytes))),
        ElementType::Int32 => Scalar::I32(i32::from_ne_bytes(read(bytes))),
        ElementType::Int64 => Scalar::I64(i64::from_ne_bytes(read(bytes))),
        ElementType::UInt8 => Scalar::U8(u8::from_ne_bytes(read(bytes))),
        ElementType::UInt16 => Scalar::U16(u16::from_ne_bytes(read(bytes))),
        ElementType::UInt32 => Scalar::U32(u32::from_ne_bytes(read(bytes))),
        ElementType::UInt64 => Scalar::U64(u64::from_ne_bytes(read(bytes))),
        ElementType::Half => Scalar::F16(half::f16::from_ne_bytes(read(bytes))),
        ElementType::Single => Scalar::F32(f32::from_ne_bytes(read(bytes))),
        ElementType::Double => Scalar::F64(f64::from_ne_bytes(read(bytes))),
        ElementType::ComplexSingle => Scalar::C32(num_complex::Complex::new(
            f32::from_ne_bytes(read(bytes)),
            f32::from_ne_bytes(read(half(4))),
        )),
        ElementType::ComplexDouble => Scalar::C64(num_complex::Complex::new(
            f64::from_ne_bytes(read(bytes)),
            f64::from_ne_bytes(read(half(8))),
        )),
    }
}

/// Formats a message with the recorded values.
fn text(parts: &[Part], values: &[i64]) -> String {
    text_with(parts, values, format::scalar)
}

/// Like `text`, with numbers formatted by `shown`.
fn text_with(parts: &[Part], values: &[i64], shown: fn(Scalar) -> String) -> String {
    let mut words = values.iter().copied();
    let mut take = |ty: ElementType| {
        // Integers are recorded as they are, floats as their bits, complex numbers as two floats.
        let mut bytes = words.next().unwrap_or(0).to_le_bytes().to_vec();
        if ty.is_complex() {
            bytes.truncate(ty.size() / 2);
            bytes.extend(words.next().unwrap_or(0).to_le_bytes().iter().take(ty.size() / 2));
        }
        number(&bytes, ty)
    };
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(words) => text.push_str(words),
            Part::Number(ty) => text.push_str(&shown(take(*ty))),
            Part::Array(ty, dims) => {
                let items: Vec<Scalar> = (0..dims.iter().product()).map(|_| take(*ty)).collect();
                text.push_str(&shown_scalars(*ty, &items, dims));
            }
        }
    }
    text
}
