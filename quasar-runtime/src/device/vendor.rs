//! What libraries of a device's maker compute: Fourier transforms and products of matrices. Where there is no such library,
//! the processor does it.

use super::{Device, DeviceMemory, device_error, no_library};
use crate::error::Result;
use quasar_devicelib::element::ElementType;

/// A library that a device may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Fourier transforms.
    Fourier,
    /// Products of matrices.
    Products,
}

/// The sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `exp(-2πi..)`.
    Forward,
    /// `exp(2πi..)`.
    Inverse,
}

/// What is transformed to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elements {
    /// Complex numbers to complex numbers.
    Complex,
    /// Real numbers to the first half of their spectrum along the last extent.
    RealToHalf,
    /// The first half of a spectrum to real numbers; the spectrum is lost. Always [`Direction::Inverse`].
    HalfToReal,
}

/// Transforms of one size: of all the arrays of `extents` in an array of size `outer` x `extents` x `inner`, one of
/// which numbers is 1. Nothing is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    elements: Elements,
    double: bool,
    outer: usize,
    extents: [usize; 3],
    rank: u8,
    inner: usize,
}

impl Transform {
    /// None where a library could not do it: nothing to transform, or more than 2^31 elements.
    pub fn new(
        elements: Elements,
        double: bool,
        outer: usize,
        extents: &[usize],
        inner: usize,
    ) -> Option<Self> {
        let mut transform = Transform { elements, double, outer, extents: [1; 3], rank: 0, inner };
        // Along an extent of 1 there is nothing to do.
        for &extent in extents.iter().filter(|&&extent| extent != 1) {
            *transform.extents.get_mut(usize::from(transform.rank))? = extent;
            transform.rank += 1;
        }
        let count = extents.iter().chain([&outer, &inner]).try_fold(1usize, |n, &d| n.checked_mul(d))?;
        let possible = count > 0 && count <= 1 << 31 && transform.rank > 0 && (outer == 1 || inner == 1);
        possible.then_some(transform)
    }

    /// The same of other elements.
    #[must_use]
    pub fn of(self, elements: Elements) -> Transform {
        Transform { elements, ..self }
    }

    /// What is transformed to what.
    pub fn elements(&self) -> Elements {
        self.elements
    }

    /// Whether in double precision.
    pub fn double(&self) -> bool {
        self.double
    }

    /// The transformed extents, none of which is 1.
    pub fn extents(&self) -> &[usize] {
        self.extents.get(..usize::from(self.rank)).unwrap_or(&[])
    }

    /// Arrays one behind the other.
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// Arrays whose elements alternate.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// Lines along the last extent; those of arrays whose elements alternate count as one.
    pub fn lines(&self) -> usize {
        self.extents().iter().rev().skip(1).product::<usize>() * self.outer
    }

    /// The last extent.
    pub fn last(&self) -> usize {
        self.extents().last().copied().unwrap_or(1)
    }

    /// The last extent of half a spectrum.
    pub fn half(&self) -> usize {
        self.last() / 2 + 1
    }

    /// Elements that one result adds up.
    pub fn points(&self) -> usize {
        self.extents().iter().product()
    }

    /// Estimated operations.
    pub fn operations(&self) -> u64 {
        let all = self.points() * self.outer * self.inner;
        (all as u64).saturating_mul(5 * u64::from(self.points().ilog2() + 1))
    }

    /// The bytes of real numbers, of a whole spectrum and of half of one.
    fn bytes(&self) -> [usize; 3] {
        let number = if self.double { 8 } else { 4 };
        let lines = self.lines() * self.inner * number;
        [lines * self.last(), 2 * lines * self.last(), 2 * lines * self.half()]
    }

    /// The bytes of half a spectrum.
    pub fn half_bytes(&self) -> usize {
        self.bytes()[2]
    }

    /// Refuses memory of other sizes.
    fn check(&self, device: &str, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        let [real, whole, half] = self.bytes();
        let (source, target) = match self.elements {
            Elements::Complex => (whole, whole),
            Elements::RealToHalf => (real, half),
            Elements::HalfToReal => (half, real),
        };
        if from.bytes() == source && to.bytes() == target {
            return Ok(());
        }
        Err(device_error(device, "a Fourier transform of arrays of other sizes"))
    }
}

/// A product of row-major matrices: `rows` x `inner` times `inner` x `columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    element: ElementType,
    rows: usize,
    inner: usize,
    columns: usize,
}

impl Product {
    /// None where a library could not do it: elements that are not real or complex numbers of single or double precision,
    /// no elements, or extents that are no `int`.
    pub fn new(element: ElementType, rows: usize, inner: usize, columns: usize) -> Option<Product> {
        use ElementType::{ComplexDouble, ComplexSingle, Double, Single};
        let extents = [rows, inner, columns];
        let fits = |&n: &usize| n > 0 && n <= i32::MAX as usize;
        let possible = matches!(element, Single | Double | ComplexSingle | ComplexDouble)
            && extents.iter().all(fits)
            && [[rows, inner], [inner, columns], [rows, columns]]
                .iter()
                .all(|[m, n]| m.checked_mul(*n).and_then(|n| n.checked_mul(16)).is_some());
        possible.then_some(Product { element, rows, inner, columns })
    }

    /// The type of the elements.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// The rows of the first matrix, its columns, the columns of the second.
    pub fn extents(&self) -> [usize; 3] {
        [self.rows, self.inner, self.columns]
    }

    /// Estimated operations.
    pub fn operations(&self) -> u64 {
        let each = if self.element.is_complex() { 8 } else { 2 };
        self.extents().iter().fold(each, |n: u64, &d| n.saturating_mul(d as u64))
    }

    /// Refuses memory of other sizes.
    fn check(&self, device: &str, matrices: [&DeviceMemory; 3]) -> Result<()> {
        let [m, k, n] = self.extents();
        let bytes = [m * k, k * n, m * n].map(|count| count * self.element.size());
        if matrices.map(DeviceMemory::bytes) == bytes {
            return Ok(());
        }
        Err(device_error(device, "a product of matrices of other sizes"))
    }
}

/// What a device does with libraries. What it is asked for fits: `dyn Device` checks and counts.
pub trait Libraries {
    /// Whether there is a library; none while nobody has looked for it.
    fn known(&self, library: Library) -> Option<bool>;
    /// Looks for a library and starts it. Says whether it is there.
    fn load(&self, library: Library) -> bool;
    /// Prepares a transform, unless it is prepared already. Says how many bytes of memory it needs while it is at work, and
    /// whether it was prepared now.
    fn plan(&self, transform: &Transform) -> Result<(usize, bool)>;
    /// Submits a transform from the first memory to the second with the third, of the size that [`Libraries::plan`] said.
    ///
    /// # Safety
    /// The first two memories have the sizes of what is transformed and of the result.
    unsafe fn transform(
        &self,
        transform: &Transform,
        direction: Direction,
        memory: [&DeviceMemory; 3],
    ) -> Result<()>;
    /// Submits a product of the first two matrices to the last.
    ///
    /// # Safety
    /// The memories have the sizes of the matrices.
    unsafe fn multiply(&self, product: &Product, matrices: [&DeviceMemory; 3]) -> Result<()>;
}

impl dyn Device + '_ {
    fn with_libraries(&self) -> Result<&dyn Libraries> {
        self.libraries().ok_or_else(|| no_library(self.name()))
    }

    /// Whether there is a library of the device's maker; none while nobody has looked for it.
    pub fn has_library(&self, library: Library) -> Option<bool> {
        self.libraries().map_or(Some(false), |libraries| libraries.known(library))
    }

    /// Looks for a library and starts it. Says whether it is there.
    pub fn load_library(&self, library: Library) -> bool {
        self.libraries().is_some_and(|libraries| libraries.load(library))
    }

    /// Prepares a transform, unless it is prepared already. Says how many bytes of memory it needs while it is at work.
    pub fn plan(&self, transform: &Transform) -> Result<usize> {
        let (work, made) = self.with_libraries()?.plan(transform)?;
        self.counters().plan(made);
        Ok(work)
    }

    /// Submits a transform from the first memory to the second, with a third of the size that `plan` said.
    pub fn transform(
        &self,
        transform: &Transform,
        direction: Direction,
        memory: [&DeviceMemory; 3],
    ) -> Result<()> {
        let [from, to, _] = memory;
        transform.check(self.name(), from, to)?;
        // SAFETY: the sizes were compared.
        unsafe { self.with_libraries()?.transform(transform, direction, memory)? };
        self.counters().library_call();
        Ok(())
    }

    /// Submits a product of the first two matrices to the last.
    pub fn multiply(&self, product: &Product, matrices: [&DeviceMemory; 3]) -> Result<()> {
        product.check(self.name(), matrices)?;
        // SAFETY: the sizes were compared.
        unsafe { self.with_libraries()?.multiply(product, matrices)? };
        self.counters().library_call();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_know_their_sizes() {
        let new =
            |outer, extents: &[usize], inner| Transform::new(Elements::Complex, false, outer, extents, inner);
        let planes = new(1, &[6, 1, 5], 3).unwrap();
        assert_eq!(
            (planes.extents(), planes.lines(), planes.half(), planes.points()),
            (&[6, 5][..], 6, 3, 30)
        );
        assert_eq!(planes.bytes(), [4 * 90, 8 * 90, 8 * 6 * 3 * 3]);
        let memory = |bytes| DeviceMemory::new(1, bytes);
        let fits = |elements, from, to| planes.of(elements).check("d", &memory(from), &memory(to)).is_ok();
        assert!(fits(Elements::Complex, 720, 720) && !fits(Elements::Complex, 720, 721));
        assert!(fits(Elements::RealToHalf, 360, 432) && !fits(Elements::RealToHalf, 432, 360));
        assert!(fits(Elements::HalfToReal, 432, 360) && !fits(Elements::HalfToReal, 360, 432));
        assert_eq!(new(4, &[1, 1], 1), None, "nothing to do");
        assert_eq!(new(4, &[0], 1), None);
        assert_eq!(new(2, &[4], 2), None, "no library does both at once");
        assert_eq!(new(1 << 20, &[1 << 12], 1), None);
        assert_eq!(new(usize::MAX, &[2], 1), None);
    }

    #[test]
    fn products_know_their_sizes() {
        let new = Product::new;
        let product = new(ElementType::ComplexSingle, 2, 3, 4).unwrap();
        assert_eq!(product.operations(), 8 * 24);
        let memory = |bytes| DeviceMemory::new(1, bytes);
        let fits = |a, b, c| product.check("d", [&memory(a), &memory(b), &memory(c)]).is_ok();
        assert!(fits(48, 96, 64) && !fits(96, 48, 64) && !fits(48, 96, 32));
        assert_eq!(new(ElementType::Int32, 2, 3, 4), None);
        assert_eq!(new(ElementType::Single, 2, 0, 4), None);
        assert_eq!(new(ElementType::Single, 1, 1 << 31, 1), None);
    }
}
