//! FFTs and matrix products by libraries of the device's vendor (cuFFT, cuBLAS): descriptions of the operations, size
//! checks, and the trait [`Libraries`]. Without such a library the CPU computes them.

use super::{Device, DeviceMemory, device_error, no_library};
use crate::error::Result;
use quasar_devicelib::element::ElementType;

/// A vendor library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// FFTs.
    Fourier,
    /// Matrix products.
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

/// Element types of input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elements {
    /// Complex to complex.
    Complex,
    /// Real to the first half of the spectrum along the last extent.
    RealToHalf,
    /// The first half of a spectrum to real, destroying the spectrum. Always [`Direction::Inverse`].
    HalfToReal,
}

/// A batch of unscaled FFTs of shape `extents` in an array of shape `outer` x `extents` x `inner`, where `outer` or
/// `inner` is 1.
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
    /// `None` if a library cannot do it: nothing to transform, or more than 2^31 elements.
    pub fn new(
        elements: Elements,
        double: bool,
        outer: usize,
        extents: &[usize],
        inner: usize,
    ) -> Option<Self> {
        let mut transform = Transform { elements, double, outer, extents: [1; 3], rank: 0, inner };
        // An extent of 1 needs no transform.
        for &extent in extents.iter().filter(|&&extent| extent != 1) {
            *transform.extents.get_mut(usize::from(transform.rank))? = extent;
            transform.rank += 1;
        }
        let count = extents.iter().chain([&outer, &inner]).try_fold(1usize, |n, &d| n.checked_mul(d))?;
        let possible = count > 0 && count <= 1 << 31 && transform.rank > 0 && (outer == 1 || inner == 1);
        possible.then_some(transform)
    }

    /// The same transform with other element types.
    #[must_use]
    pub fn of(self, elements: Elements) -> Transform {
        Transform { elements, ..self }
    }

    /// Element types of input and output.
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

    /// Number of contiguous arrays.
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// Number of interleaved arrays.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// Number of lines along the last extent; interleaved lines count as one.
    pub fn lines(&self) -> usize {
        self.extents().iter().rev().skip(1).product::<usize>() * self.outer
    }

    /// The last extent.
    pub fn last(&self) -> usize {
        self.extents().last().copied().unwrap_or(1)
    }

    /// The last extent of a half spectrum.
    pub fn half(&self) -> usize {
        self.last() / 2 + 1
    }

    /// Number of elements that contribute to one result.
    pub fn points(&self) -> usize {
        self.extents().iter().product()
    }

    /// Estimated floating-point operations.
    pub fn operations(&self) -> u64 {
        let all = self.points() * self.outer * self.inner;
        (all as u64).saturating_mul(5 * u64::from(self.points().ilog2() + 1))
    }

    /// Bytes of the real array, of the full spectrum and of the half spectrum.
    fn bytes(&self) -> [usize; 3] {
        let number = if self.double { 8 } else { 4 };
        let lines = self.lines() * self.inner * number;
        [lines * self.last(), 2 * lines * self.last(), 2 * lines * self.half()]
    }

    /// Bytes of the half spectrum.
    pub fn half_bytes(&self) -> usize {
        self.bytes()[2]
    }

    /// Fails if memory does not have the expected sizes.
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
    turned: [bool; 2],
}

impl Product {
    /// `None` if a library cannot do it: elements other than real or complex numbers of single or double precision, no
    /// elements, or extents that exceed `int`.
    pub fn new(element: ElementType, rows: usize, inner: usize, columns: usize) -> Option<Product> {
        use ElementType::{ComplexDouble, ComplexSingle, Double, Single};
        let extents = [rows, inner, columns];
        let fits = |&n: &usize| n > 0 && n <= i32::MAX as usize;
        let possible = matches!(element, Single | Double | ComplexSingle | ComplexDouble)
            && extents.iter().all(fits)
            && [[rows, inner], [inner, columns], [rows, columns]]
                .iter()
                .all(|[m, n]| m.checked_mul(*n).and_then(|n| n.checked_mul(16)).is_some());
        possible.then_some(Product { element, rows, inner, columns, turned: [false; 2] })
    }

    /// The same of matrices of which some are the transposes of what lies in memory.
    pub fn of_turned(self, turned: [bool; 2]) -> Product {
        Product { turned, ..self }
    }

    /// Which of the matrices are the transposes of what lies in memory.
    pub fn turned(&self) -> [bool; 2] {
        self.turned
    }

    /// The element type.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Rows of the first matrix, columns of the first, columns of the second.
    pub fn extents(&self) -> [usize; 3] {
        [self.rows, self.inner, self.columns]
    }

    /// Estimated floating-point operations.
    pub fn operations(&self) -> u64 {
        let each = if self.element.is_complex() { 8 } else { 2 };
        self.extents().iter().fold(each, |n: u64, &d| n.saturating_mul(d as u64))
    }

    /// Fails if memory does not have the expected sizes.
    fn check(&self, device: &str, matrices: [&DeviceMemory; 3]) -> Result<()> {
        let [m, k, n] = self.extents();
        let bytes = [m * k, k * n, m * n].map(|count| count * self.element.size());
        if matrices.map(DeviceMemory::bytes) == bytes {
            return Ok(());
        }
        Err(device_error(device, "a product of matrices of other sizes"))
    }
}

/// The vendor libraries of a device. The methods of `dyn Device` check arguments and count calls before they come here.
pub trait Libraries {
    /// Whether the library is available; `None` before it was looked for.
    fn known(&self, library: Library) -> Option<bool>;
    /// Loads and initialises a library. Returns whether it is available.
    fn load(&self, library: Library) -> bool;
    /// Creates or reuses the plan of a transform. Returns the bytes of its work area and whether the plan is new.
    fn plan(&self, transform: &Transform) -> Result<(usize, bool)>;
    /// Enqueues a transform from the first memory to the second, with the third as work area of the size that
    /// [`Libraries::plan`] returned.
    ///
    /// # Safety
    /// The first two memories have the sizes of input and output.
    unsafe fn transform(
        &self,
        transform: &Transform,
        direction: Direction,
        memory: [&DeviceMemory; 3],
    ) -> Result<()>;
    /// Enqueues the product of the first two matrices into the last.
    ///
    /// # Safety
    /// The memories have the sizes of the matrices.
    unsafe fn multiply(&self, product: &Product, matrices: [&DeviceMemory; 3]) -> Result<()>;
}

impl dyn Device + '_ {
    fn with_libraries(&self) -> Result<&dyn Libraries> {
        self.libraries().ok_or_else(|| no_library(self.name()))
    }

    /// Whether the device has the library; `None` before it was looked for.
    pub fn has_library(&self, library: Library) -> Option<bool> {
        self.libraries().map_or(Some(false), |libraries| libraries.known(library))
    }

    /// Loads and initialises a library. Returns whether it is available.
    pub fn load_library(&self, library: Library) -> bool {
        self.libraries().is_some_and(|libraries| libraries.load(library))
    }

    /// Creates or reuses the plan of a transform. Returns the bytes of its work area.
    pub fn plan(&self, transform: &Transform) -> Result<usize> {
        let (work, made) = self.with_libraries()?.plan(transform)?;
        self.counters().plan(made);
        Ok(work)
    }

    /// Enqueues a transform from the first memory to the second, with a work area of the size that `plan` returned.
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

    /// Enqueues the product of the first two matrices into the last.
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
