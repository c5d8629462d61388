//! The NaN check of kernel outputs, if the settings enable it: an element that is not finite after a launch is an error
//! unless it was so before. This is the check for launches on the CPU; `offload/nan_check.rs` is the one for devices.

use super::offload::DeviceArray;
use crate::context;
use crate::error::{Error, Place, Result};
use crate::threads;
use quasar_devicelib::element::ElementType;
use std::sync::{Mutex, PoisonError};

/// An output array of a launch, its name for messages, and the line of the first statement that writes it.
pub(crate) type Written<'a> = (&'a dyn DeviceArray, &'static str, u32);

/// A snapshot of the outputs before a launch. Empty if the check is off.
#[must_use]
pub struct Watch<'a>(Vec<Snapshot<'a>>);

struct Snapshot<'a> {
    written: Written<'a>,
    part: Component,
    before: NonFiniteMask,
}

/// Takes the snapshot before a launch on the CPU.
#[inline]
pub fn watch<'a>(written: &[Written<'a>]) -> Result<Watch<'a>> {
    if context::checks_numbers() { watch_now(written) } else { Ok(Watch(Vec::new())) }
}

#[cold]
fn watch_now<'a>(written: &[Written<'a>]) -> Result<Watch<'a>> {
    let mut list = Vec::with_capacity(written.len());
    for &written in written {
        let (array, ..) = written;
        let Some(part) = Component::of(array.element_type()) else { continue };
        let mut before = NonFiniteMask::default();
        // A new array is unwritten and contains zeros.
        if !array.places().is_empty() {
            array.look_at(&mut |bytes| before = part.flaws(bytes))?;
        }
        list.push(Snapshot { written, part, before });
    }
    Ok(Watch(list))
}

impl Watch<'_> {
    /// Checks the outputs after the launch. `kernel` is the kernel's name for messages.
    #[inline]
    pub(crate) fn finish(self, kernel: &'static str, file: &'static str) -> Result<()> {
        self.0.into_iter().try_for_each(|watched| watched.finish(kernel, file))
    }
}

impl Snapshot<'_> {
    #[cold]
    fn finish(self, kernel: &'static str, file: &'static str) -> Result<()> {
        let (array, name, line) = self.written;
        let mut found = None;
        array.look_at(&mut |bytes| found = self.part.first_flaw(bytes, &self.before))?;
        match found {
            None => Ok(()),
            Some((part, nan)) => {
                let element = part / self.part.in_element;
                Err(not_finite(name, nan, element, array.dims(), Place::new(kernel, file, line)))
            }
        }
    }
}

/// The error for an element, given by its row-major index.
pub(super) fn not_finite(
    name: &'static str,
    nan: bool,
    element: usize,
    dims: &[usize],
    place: Place,
) -> Error {
    let mut index = vec![0; dims.len()];
    let mut rest = element;
    for (index, &n) in index.iter_mut().zip(dims).rev() {
        (*index, rest) = (rest % n.max(1), rest / n.max(1));
    }
    Error::NotFinite { place, array: name.into(), nan, index, dims: dims.to_vec() }
}

/// The floats of an element; a complex number has two components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// Bytes of a component.
    pub(super) bytes: usize,
    /// Components of an element.
    pub(super) in_element: usize,
}

/// Bit mask of the components that are not finite; empty if all are.
#[derive(Debug, Default)]
struct NonFiniteMask(Vec<u64>);

/// Components per word of the mask.
const WORD: usize = 64;
/// Minimum mask words per thread.
const GRAIN: usize = 1 << 10;

impl Component {
    /// The components of a type; `None` for integers.
    pub(super) fn of(ty: ElementType) -> Option<Component> {
        let in_element = if ty.is_complex() { 2 } else { 1 };
        (ty.is_float() || ty.is_complex()).then(|| Component { bytes: ty.size() / in_element, in_element })
    }

    /// The mask word for up to 64 components. A component is not finite if all its exponent bits are set.
    fn word(self, bytes: &[u8]) -> u64 {
        fn word<const N: usize>(bytes: &[u8], is_flaw: impl Fn([u8; N]) -> bool) -> u64 {
            let parts = bytes.as_chunks::<N>().0.iter().enumerate();
            parts.fold(0, |bits, (k, part)| bits | u64::from(is_flaw(*part)) << (k % WORD))
        }
        match self.bytes {
            2 => word(bytes, |b| u16::from_ne_bytes(b) & 0x7c00 == 0x7c00),
            4 => word(bytes, |b| !f32::from_ne_bytes(b).is_finite()),
            _ => word(bytes, |b| !f64::from_ne_bytes(b).is_finite()),
        }
    }

    fn is_nan(self, part: &[u8]) -> bool {
        match *part {
            [a, b] => u16::from_ne_bytes([a, b]) & 0x7fff > 0x7c00,
            [a, b, c, d] => f32::from_ne_bytes([a, b, c, d]).is_nan(),
            _ => part.try_into().is_ok_and(|part| f64::from_ne_bytes(part).is_nan()),
        }
    }

    fn flaws(self, bytes: &[u8]) -> NonFiniteMask {
        let step = WORD * self.bytes;
        let words: Vec<u64> = if bytes.len() <= GRAIN * step {
            bytes.chunks(step).map(|chunk| self.word(chunk)).collect()
        } else {
            let mut words = vec![0; bytes.len().div_ceil(step)];
            threads::each(words.chunks_mut(GRAIN).zip(bytes.chunks(GRAIN * step)), |(words, bytes)| {
                words.iter_mut().zip(bytes.chunks(step)).for_each(|(word, chunk)| *word = self.word(chunk));
            });
            words
        };
        if words.iter().all(|word| *word == 0) { NonFiniteMask::default() } else { NonFiniteMask(words) }
    }

    /// The first component that is not finite and was so before, and whether it is NaN.
    fn first_flaw(self, bytes: &[u8], before: &NonFiniteMask) -> Option<(usize, bool)> {
        let step = WORD * self.bytes;
        let new = |(k, chunk): (usize, &[u8])| {
            let bits = self.word(chunk) & !before.0.get(k).copied().unwrap_or(0);
            (bits != 0).then(|| k * WORD + bits.trailing_zeros() as usize)
        };
        let part = if bytes.len() <= GRAIN * step {
            bytes.chunks(step).enumerate().find_map(new)
        } else {
            let first = Mutex::new(None);
            threads::each(bytes.chunks(GRAIN * step).enumerate(), |(k, bytes)| {
                if let Some(part) =
                    bytes.chunks(step).enumerate().find_map(|(j, chunk)| new((k * GRAIN + j, chunk)))
                {
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    *first = Some(first.map_or(part, |other: usize| other.min(part)));
                }
            });
            first.into_inner().unwrap_or_else(PoisonError::into_inner)
        }?;
        let nan = bytes.get(part * self.bytes..).and_then(|rest| rest.get(..self.bytes));
        Some((part, nan.is_some_and(|part| self.is_nan(part))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Array;
    use half::f16;
    use num_complex::Complex;

    /// The message about an array after a launch stores values at indices.
    fn said<T: quasar_devicelib::element::Element>(array: &Array<T>, changes: &[(usize, T)]) -> String {
        let watch = watch_now(&[(array, "y", 12)]).unwrap();
        for &(place, value) in changes {
            array.write()[place] = value;
        }
        match watch.finish("(parallel_do) k", "x.q") {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn elements_that_become_nan_or_infinite_are_named() {
        let y = Array::from_vec(&[3, 100], vec![1.0f32; 300]).unwrap();
        assert_eq!(said(&y, &[(5, f32::MAX), (299, f32::MIN_POSITIVE / 2.0)]), "");
        let text = said(&y, &[(207, f32::NAN), (299, f32::INFINITY)]);
        assert_eq!(text, "(parallel_do) k - NaN in y[2,7], size 3x100, line 12");
        assert_eq!(said(&y, &[(4, 2.0), (207, f32::INFINITY)]), "", "they were so before");
        let text = said(&y, &[(206, -f32::INFINITY)]);
        assert_eq!(text, "(parallel_do) k - infinity in y[2,6], size 3x100, line 12");
        assert_eq!(said(&y, &[(207, 1.0)]), "");
        assert!(said(&y, &[(207, f32::NAN)]).contains("NaN in y[2,7]"), "it was finite again");
    }

    #[test]
    fn all_types_of_floats_are_looked_at_and_no_integers() {
        let z = Array::from_vec(&[9], vec![Complex::new(0.0f64, 1.0); 9]).unwrap();
        assert!(said(&z, &[(8, Complex::new(0.0, f64::INFINITY))]).contains("infinity in y[8], size 9"));
        assert!(said(&z, &[(7, Complex::new(f64::NAN, 0.0))]).contains("NaN in y[7]"));
        let z = Array::from_vec(&[9], vec![Complex::new(0.0f32, 1.0); 9]).unwrap();
        assert!(said(&z, &[(3, Complex::new(0.0, f32::NAN))]).contains("NaN in y[3]"));
        let h = Array::from_vec(&[70], vec![f16::MAX; 70]).unwrap();
        assert!(said(&h, &[(65, f16::NEG_INFINITY), (66, f16::NAN)]).contains("infinity in y[65]"));
        assert!(said(&h, &[(64, f16::NAN)]).contains("NaN in y[64]"));
        let k = Array::from_vec(&[2], vec![0i32; 2]).unwrap();
        assert_eq!(said(&k, &[(0, -1), (1, 0x7fc0_0000)]), "");
    }

    #[test]
    fn large_arrays_are_looked_at_in_parts() {
        let count = 3 * GRAIN * WORD + 17;
        let y = Array::from_vec(&[count], vec![0.5f64; count]).unwrap();
        assert_eq!(said(&y, &[]), "");
        let text = said(&y, &[(count - 1, f64::NAN), (GRAIN * WORD * 2 + 3, f64::INFINITY)]);
        assert!(text.contains(&format!("infinity in y[{}]", GRAIN * WORD * 2 + 3)), "{text}");
        assert!(said(&y, &[(1, f64::NAN)]).contains("NaN in y[1]"));
        assert_eq!(said(&y, &[(2, 1.0)]), "");
    }
}
